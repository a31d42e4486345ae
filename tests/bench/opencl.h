/* The OpenCL side of the bench programs: a platform of 1.2 or newer, one context over its
 * devices, and one program.  Any failure ends the process with a line on stderr. */
#ifndef CULVERT_TESTS_BENCH_OPENCL_H
#define CULVERT_TESTS_BENCH_OPENCL_H

#include "tests/bench/bench.h"

#include <CL/cl.h>

enum { OPENCL_DEVICES = 8 };

#define CL_OK(call) opencl_check((call), #call, __FILE__, __LINE__)

extern struct opencl {
	cl_platform_id platform;
	cl_device_id devices[OPENCL_DEVICES];
	cl_uint device_count;
	cl_context context;
	cl_program program;             /* built for all of them */
} opencl;

static inline void opencl_check(cl_int code, const char *what, const char *file, int line)
{
	if (code)
		bench_fail(file, line, what, code);
}

/* Platform, devices (at most so many) and context alone; the program, whose log goes to stderr where it
 * cannot be built (options NULL: as nvcc compiles); and the start of the rows. */
void opencl_choose(cl_uint devices_limit);
void opencl_build(const char *source, const char *options);
void opencl_rows_begin(const char *bench_name);
/* All three; opencl_close releases what there is and ends the rows: what main returns. */
void opencl_open(const char *bench_name, const char *source, cl_uint devices_limit);
int opencl_close(void);

/* Of the first device. */
bool opencl_has(const char *extension);
/* The option that asks for OpenCL C 3.0; "" where there is none. */
const char *opencl_newest_language(void);

cl_command_queue opencl_queue(cl_uint device, cl_command_queue_properties properties);
/* NULL where the device has no such queue. */
cl_command_queue opencl_queue_any_order(void);
cl_mem opencl_buffer(cl_mem_flags flags, size_t size_B);
/* A kernel and its arguments that are buffers; others are set by the caller. */
cl_kernel opencl_kernel(const char *name, cl_uint buffer_count, const cl_mem *buffers);

/* One launch of one dimension; event may be NULL. */
void opencl_launch(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local,
		   cl_uint wait_count, const cl_event *waits, cl_event *event);

/* Memory of the host that copies like, and what to give back. */
struct opencl_host {
	unsigned char *bytes;
	cl_mem mem;                     /* NULL: pageable */
	cl_command_queue queue;
};
struct opencl_host opencl_host_make(cl_command_queue queue, size_t size_B, bool pinned);
void opencl_host_end(struct opencl_host *host);

#endif
