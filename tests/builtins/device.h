/* The device under test, reached as any application reaches it.
 *
 * Every failure of the OpenCL API is printed and counted as a failure of the running family.
 * Thread-safety: none. */
#ifndef CULVERT_TESTS_BUILTINS_DEVICE_H
#define CULVERT_TESTS_BUILTINS_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	bool has_half;            /* cl_khr_fp16 */
	bool has_int64_atomics;
	bool has_c11;             /* all orders of OpenCL C 3.0's atomics, for the device */
};

/* platform: what its name begins with; NULL takes the first that has a device. */
bool device_open(struct device *device, const char *platform);
void device_close(struct device *device);

/* Builds for OpenCL C 1.2, or 3.0, or with options, and with cl_khr_fp16 enabled where the device has it; NULL after a
 * failure, with the log printed. */
cl_program device_build(struct device *device, const char *source, bool c11);
cl_program device_build_with(struct device *device, const char *source, const char *options);

/* content may be NULL: zeros. */
cl_mem device_buffer(struct device *device, size_t size_B, const void *content);
bool device_read(struct device *device, cl_mem buffer, size_t size_B, void *content);

/* Runs a kernel whose arguments are all buffers (NULL for those it does not look at), and waits.
 * local may be 0: as the implementation likes. */
bool device_run(struct device *device, cl_program program, const char *name, const cl_mem *buffers,
		cl_uint buffer_count, size_t global, size_t local);

#endif
