/* What programs of tests/api and tests/stress make again and again: contexts, queues, memory objects,
 * kernels and events, and the simplest commands on them.
 *
 * Each of these calls OpenCL once and checks that it succeeds; a failure is printed with the caller's
 * place and counted (api_test.h).  What makes an object returns it, or NULL where it failed; the caller
 * releases it.  What enqueues a command returns whether it succeeded.  Sizes are in bytes.  For a test of the errors of
 * a call, call it itself.
 *
 * May be called by any thread. */
#ifndef CULVERT_TESTS_API_FIXTURE_H
#define CULVERT_TESTS_API_FIXTURE_H

#include "tests/api/api_test.h"

/* Where the caller stands. */
struct fixture_place {
	const char *file;
	int line;
};
#define FIXTURE_PLACE ((struct fixture_place){__FILE__, __LINE__})

/* A context of count devices, without properties and without a callback. */
#define context_make(count, devices) fixture_context(FIXTURE_PLACE, count, devices)
cl_context fixture_context(struct fixture_place place, cl_uint count, const cl_device_id *devices);

/* properties: bits of CL_QUEUE_PROPERTIES. */
#define queue_make(context, device, properties)                                                    \
	fixture_queue(FIXTURE_PLACE, context, device, properties)
cl_command_queue fixture_queue(struct fixture_place place, cl_context context, cl_device_id device,
			       cl_command_queue_properties properties);

#define buffer_make(context, flags, size_B, host)                                                  \
	fixture_buffer(FIXTURE_PLACE, context, flags, size_B, host)
cl_mem fixture_buffer(struct fixture_place place, cl_context context, cl_mem_flags flags,
		      size_t size_B, void *host);

#define sub_buffer_make(buffer, flags, region)                                                     \
	fixture_sub_buffer(FIXTURE_PLACE, buffer, flags, region)
cl_mem fixture_sub_buffer(struct fixture_place place, cl_mem buffer, cl_mem_flags flags,
			  const cl_buffer_region *region);

#define image_make(context, flags, format, desc, host)                                             \
	fixture_image(FIXTURE_PLACE, context, flags, format, desc, host)
cl_mem fixture_image(struct fixture_place place, cl_context context, cl_mem_flags flags,
		     const cl_image_format *format, const cl_image_desc *desc, void *host);

/* A two-dimensional image whose rows lie one behind another in host, where that is given. */
#define image_2d_make(context, flags, format, width, height, host)                                 \
	fixture_image_2d(FIXTURE_PLACE, context, flags, format, width, height, host)
cl_mem fixture_image_2d(struct fixture_place place, cl_context context, cl_mem_flags flags,
			const cl_image_format *format, size_t width, size_t height, void *host);

#define kernel_make(program, name) fixture_kernel(FIXTURE_PLACE, program, name)
cl_kernel fixture_kernel(struct fixture_place place, cl_program program, const char *name);

/* What the build of program for device said: text that ends with 0, as much as size_B holds. */
#define build_log(program, device, log, size_B)                                                    \
	fixture_build_log(FIXTURE_PLACE, program, device, log, size_B)
void fixture_build_log(struct fixture_place place, cl_program program, cl_device_id device,
		       char *log, size_t size_B);

/* Builds source for device, and returns the code of clBuildProgram, which is not checked; what was said
 * to log. */
#define build_code(context, device, source, options, log, size_B)                                  \
	fixture_build_code(FIXTURE_PLACE, context, device, source, options, log, size_B)
cl_int fixture_build_code(struct fixture_place place, cl_context context, cl_device_id device,
			  const char *source, const char *options, char *log, size_t size_B);

/* A user event. */
#define user_event_make(context) fixture_user_event(FIXTURE_PLACE, context)
cl_event fixture_user_event(struct fixture_place place, cl_context context);

/* Enqueues kernel with one dimension of global work-items, and the local size that is chosen for it. */
#define launch_1d(queue, kernel, global)                                                           \
	fixture_launch(FIXTURE_PLACE, queue, kernel, global, 0, NULL, NULL)
/* Likewise behind count events; the command's event to *event, unless that is NULL. */
#define launch_1d_after(queue, kernel, global, count, events, event)                               \
	fixture_launch(FIXTURE_PLACE, queue, kernel, global, count, events, event)
bool fixture_launch(struct fixture_place place, cl_command_queue queue, cl_kernel kernel,
		    size_t global, cl_uint count, const cl_event *events, cl_event *event);

/* The first size_B bytes of buffer to memory of the host, and waits for them. */
#define buffer_read(queue, buffer, to, size_B)                                                     \
	fixture_buffer_read(FIXTURE_PLACE, queue, buffer, to, size_B)
bool fixture_buffer_read(struct fixture_place place, cl_command_queue queue, cl_mem buffer,
			 void *to, size_t size_B);

#endif
