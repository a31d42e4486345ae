/* What the calls that programs make most often cost the host: each case is a function of
 * its own that makes a few hundred of them.
 *
 *	CULVERT_CUDA=soft CULVERT_SOFT_NULL=1 tests/run-with-culvert tests/bench/bench_calls [CASE...]
 *
 * prints their times.  tests/bench/instructions runs it under callgrind, which tells the
 * cases apart by their functions' names, and counts what is Culvert's part of them. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 200, ARGUMENTS = 16, BUFFER_B = 1 << 20 };

static const char source[] =
"kernel void none() {}\n"
"kernel void four(global int *a, global int *b, int c, float d) { *a = *b + c + (int)d; }\n"
"kernel void sixteen(global int *a, global int *b, global int *c, global int *d,\n"
"	int e, int f, int g, int h, int i, int j, int k, int l, int m, int n, int o, int p)\n"
"{ *a = *b + *c + *d + e + f + g + h + i + j + k + l + m + n + o + p; }\n";

static cl_command_queue queue, other, any_order, timed;
static cl_kernel none, four, sixteen;
static cl_mem mems[4];
static cl_event kept[CALLS];

/* Not opencl_launch: its own instructions would be counted, too. */
static void launch(cl_command_queue where, cl_kernel kernel, cl_uint count, const cl_event *waits,
		   cl_event *event)
{
	const size_t one = 1;
	CL_OK(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &one, &one, count, waits, event));
}

static void arguments_set(cl_kernel kernel, unsigned mem_count, unsigned count, cl_int value)
{
	for (unsigned i = 0; i < count; i++) {
		if (i < mem_count)
			CL_OK(clSetKernelArg(kernel, i, sizeof(mems[i]), &mems[i]));
		else
			CL_OK(clSetKernelArg(kernel, i, sizeof(value), &value));
	}
}

/* --- the cases: not static, so that their names are there to be seen --------------------- */

void case_launch(void);
void case_launch_event(void);
void case_launch_kept_event(void);
void case_launch_4_arguments(void);
void case_launch_16_arguments(void);
void case_launch_new(void);
void case_launch_any_order(void);
void case_launch_any_order_event(void);
void case_launch_profiled(void);
void case_launch_after_other_queue(void);
void case_marker(void);
void case_copy(void);
void case_buffer(void);
void case_build_cached(void);
void case_device_name(void);
void cases_between(void);

void case_launch(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		launch(queue, none, 0, NULL, NULL);
}

static void launches_with_event(cl_command_queue where)
{
	for (unsigned i = 0; i < CALLS; i++) {
		cl_event event;
		launch(where, none, 0, NULL, &event);
		CL_OK(clReleaseEvent(event));
	}
}

void case_launch_event(void)
{
	launches_with_event(queue);
}

void case_launch_kept_event(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		launch(queue, none, 0, NULL, &kept[i]);
	for (unsigned i = 0; i < CALLS; i++)
		CL_OK(clReleaseEvent(kept[i]));
}

void case_launch_4_arguments(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		arguments_set(four, 2, 4, (cl_int)i);
		launch(queue, four, 0, NULL, NULL);
	}
}

void case_launch_16_arguments(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		arguments_set(sixteen, 4, ARGUMENTS, (cl_int)i);
		launch(queue, sixteen, 0, NULL, NULL);
	}
}

/* Each launch has a global size that none before it had, and no local size. */
void case_launch_new(void)
{
	static size_t size = 0;
	for (unsigned i = 0; i < CALLS; i++) {
		size += 32;
		CL_OK(clEnqueueNDRangeKernel(queue, four, 1, NULL, &size, NULL, 0, NULL, NULL));
	}
}

void case_launch_any_order(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		launch(any_order, none, 0, NULL, NULL);
}

void case_launch_any_order_event(void)
{
	launches_with_event(any_order);
}

void case_launch_profiled(void)
{
	launches_with_event(timed);
}

void case_launch_after_other_queue(void)
{
	cl_event last = NULL;
	for (unsigned i = 0; i < CALLS; i++) {
		cl_event event;
		launch(i % 2 ? queue : other, none, last ? 1 : 0, last ? &last : NULL, &event);
		if (last)
			CL_OK(clReleaseEvent(last));
		last = event;
	}
	CL_OK(clReleaseEvent(last));
}

void case_marker(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		cl_event event;
		CL_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
		CL_OK(clReleaseEvent(event));
	}
}

void case_copy(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		CL_OK(clEnqueueCopyBuffer(queue, mems[0], mems[1], 0, 0, 4, 0, NULL, NULL));
}

void case_buffer(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		cl_int code;
		cl_mem mem = clCreateBuffer(opencl.context, 0, BUFFER_B, NULL, &code);
		CL_OK(code);
		CL_OK(clReleaseMemObject(mem));
	}
}

void case_device_name(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		char name[256];
		CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_NAME, sizeof(name), name, NULL));
	}
}

static cl_program program_build(void)
{
	const char *text = source;
	cl_int code;
	cl_program made = clCreateProgramWithSource(opencl.context, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(made, 1, opencl.devices, "", NULL, NULL));
	return made;
}

/* What was built before and is still there. */
void case_build_cached(void)
{
	for (unsigned i = 0; i < CALLS / 10; i++)
		CL_OK(clReleaseProgram(program_build()));
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned calls;
} cases[] = {
	{"launch", case_launch, CALLS},
	{"launch_event", case_launch_event, CALLS},
	{"launch_kept_event", case_launch_kept_event, CALLS},
	{"launch_4_arguments", case_launch_4_arguments, CALLS},
	{"launch_16_arguments", case_launch_16_arguments, CALLS},
	{"launch_new", case_launch_new, CALLS},
	{"launch_any_order", case_launch_any_order, CALLS},
	{"launch_any_order_event", case_launch_any_order_event, CALLS},
	{"launch_profiled", case_launch_profiled, CALLS},
	{"launch_after_other_queue", case_launch_after_other_queue, CALLS},
	{"marker", case_marker, CALLS},
	{"copy", case_copy, CALLS},
	{"buffer", case_buffer, CALLS},
	{"build_cached", case_build_cached, CALLS / 10},
	{"device_name", case_device_name, CALLS},
};

/* --- main ------------------------------------------------------------------------------------ */

static void start(void)
{
	opencl_choose(1);
	opencl.program = program_build();
	queue = opencl_queue(0, 0);
	other = opencl_queue(0, 0);
	any_order = opencl_queue(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	timed = opencl_queue(0, CL_QUEUE_PROFILING_ENABLE);
	none = opencl_kernel("none", 0, NULL);
	four = opencl_kernel("four", 0, NULL);
	sixteen = opencl_kernel("sixteen", 0, NULL);
	for (unsigned i = 0; i < sizeof(mems) / sizeof(mems[0]); i++)
		mems[i] = opencl_buffer(0, BUFFER_B);
	arguments_set(four, 2, 4, 0);
	arguments_set(sixteen, 4, ARGUMENTS, 0);
}

/* Where callgrind writes down what it has counted. */
void __attribute__((noinline)) cases_between(void)
{
	CL_OK(clFinish(queue));
	CL_OK(clFinish(other));
	CL_OK(clFinish(any_order));
	CL_OK(clFinish(timed));
}

static void end(void)
{
	for (unsigned i = 0; i < sizeof(mems) / sizeof(mems[0]); i++)
		CL_OK(clReleaseMemObject(mems[i]));
	CL_OK(clReleaseKernel(none));
	CL_OK(clReleaseKernel(four));
	CL_OK(clReleaseKernel(sixteen));
	CL_OK(clReleaseCommandQueue(queue));
	CL_OK(clReleaseCommandQueue(other));
	CL_OK(clReleaseCommandQueue(any_order));
	CL_OK(clReleaseCommandQueue(timed));
	CL_OK(clReleaseProgram(opencl.program));
	CL_OK(clReleaseContext(opencl.context));
}

static int wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return 1;
	return argc < 2;
}

int main(int argc, char **argv)
{
	start();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct timespec begun, ended;
		if (!wanted(cases[i].name, argc, argv))
			continue;
		/* The first pass makes what is kept from then on. */
		cases[i].run();
		cases_between();
		clock_gettime(CLOCK_MONOTONIC, &begun);
		cases[i].run();
		clock_gettime(CLOCK_MONOTONIC, &ended);
		cases_between();
		printf("%-28s %9.1f ns\n", cases[i].name,
		       ((double)(ended.tv_sec - begun.tv_sec) * 1e9 +
			(double)(ended.tv_nsec - begun.tv_nsec)) / cases[i].calls);
	}
	end();
	return 0;
}
