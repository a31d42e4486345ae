/* How far profiling stamps are from the truth, on a GPU, over some seconds.
 *
 *	stamps [SECONDS]
 *
 * Two witnesses that are not the driver's: the GPU's own nanoseconds (cl_khr_kernel_clock), which
 * each kernel writes when it begins and when it ends; and the host's clock, around a kernel that
 * says in memory of the host that it has begun, and ends when it is told to there.
 *
 * Of the first the beginning is not known and the rate is another crystal's: END less what the
 * kernel wrote last is a line, and what it is off that line is the stamp's error.  START is before
 * the kernel by what the host takes from the one to the other, where the GPU waits for it.  The
 * second knows neither when within a microsecond or two, but cannot be fooled: START is before
 * the host has seen the kernel, END after it was let go. */
#include "config.h"

#include "tests/api/api_test.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST = 20000, SECONDS = 6, PAUSE_US = 500, LOST_NS = 2000000000,
	MOST_ERROR_NS = 1000,                /* of the median off the line */
	MOST_BEFORE_NS = 1000                /* what the bracket may be violated by, 99 of 100 */
};

typedef void *(CL_API_CALL *host_alloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int(CL_API_CALL *host_free)(cl_context, void *);
typedef cl_int(CL_API_CALL *set_pointer)(cl_kernel, cl_uint, const void *);

/* The kernel's and the host's; a cache line each. */
struct shared {
	volatile cl_ulong begun;
	cl_ulong pad[15];
	volatile cl_ulong go;
	cl_ulong pad2[15];
	volatile cl_ulong clocks[2];
};

struct round {
	double start, end;                   /* the stamps, in ns since the first START */
	double gpu_start, gpu_end;           /* the kernel's clock, since its first */
	double seen, told;                   /* the host's clock, since the first START */
};

static const char source[] =
"#pragma OPENCL EXTENSION cl_khr_kernel_clock : enable\n"
"kernel void witness(global volatile ulong *shared)\n"
"{\n"
"	ulong first = clock_read_device();\n"
"	shared[0] = 1;\n"
"	mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
"	while (!shared[16])\n"
"		;\n"
"	shared[32] = first;\n"
"	shared[33] = clock_read_device();\n"
"}\n";

static struct round rounds[MOST];

static cl_ulong host_ns(cl_device_id device)
{
	cl_ulong device_time = 0, host_time = 0;
	CHECK_OK(clGetDeviceAndHostTimer(device, &device_time, &host_time));
	return device_time;
}

static cl_ulong stamp(cl_event event, cl_profiling_info name)
{
	cl_ulong ns = 0;
	CHECK_OK(clGetEventProfilingInfo(event, name, sizeof(ns), &ns, NULL));
	return ns;
}

static void *entry(const struct api_test *test, const char *name)
{
	return clGetExtensionFunctionAddressForPlatform(test->platform, name);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Sorts values and prints them; returns the one at the part of all that is asked for. */
static double spread(const char *what, double *values, unsigned count, double part)
{
	qsort(values, count, sizeof(*values), compare);
	printf("%-52s %8.0f median %8.0f 1 %% %8.0f 99 %% %8.0f max %8.0f\n", what, values[0],
	       values[count / 2], values[count / 100], values[count - 1 - count / 100],
	       values[count - 1]);
	return values[(unsigned)(part * (count - 1))];
}

/* The line through pairs, by least squares. */
static void fit(const double *x, const double *y, unsigned count, double *at_out, double *rate_out)
{
	double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
	for (unsigned i = 0; i < count; i++) {
		sum_x += x[i];
		sum_y += y[i];
	}
	const double mean_x = sum_x / count, mean_y = sum_y / count;
	for (unsigned i = 0; i < count; i++) {
		sum_xx += (x[i] - mean_x) * (x[i] - mean_x);
		sum_xy += (x[i] - mean_x) * (y[i] - mean_y);
	}
	*rate_out = sum_xx > 0 ? sum_xy / sum_xx : 0;
	*at_out = mean_y - *rate_out * mean_x;
}

struct bench {
	cl_command_queue queue;
	cl_kernel kernel;
	struct shared *shared;
};

static bool one(const struct bench *bench, cl_device_id device, struct round *round,
		cl_ulong *first_start, cl_ulong *first_clock)
{
	const size_t items = 1;
	cl_event event = NULL;
	bench->shared->begun = bench->shared->go = 0;
	__sync_synchronize();
	if (!CHECK_OK(clEnqueueNDRangeKernel(bench->queue, bench->kernel, 1, NULL, &items, NULL, 0,
					     NULL, &event)) ||
	    !CHECK_OK(clFlush(bench->queue)))
		return false;
	const cl_ulong asked = host_ns(device);
	while (!bench->shared->begun && host_ns(device) - asked < LOST_NS)
		;
	const cl_ulong seen = host_ns(device);
	/* Some work for the clocks to drift in, and for the duration to be seen. */
	while (host_ns(device) - seen < 20000)
		;
	const cl_ulong told = host_ns(device);
	bench->shared->go = 1;
	CHECK_OK(clWaitForEvents(1, &event));
	const cl_ulong start = stamp(event, CL_PROFILING_COMMAND_START);
	const cl_ulong end = stamp(event, CL_PROFILING_COMMAND_END);
	CHECK_OK(clReleaseEvent(event));
	if (!CHECK(bench->shared->begun))
		return false;
	if (!*first_start) {
		*first_start = start;
		*first_clock = bench->shared->clocks[0];
	}
	*round = (struct round){
		.start = (double)(cl_long)(start - *first_start),
		.end = (double)(cl_long)(end - *first_start),
		.gpu_start = (double)(cl_long)(bench->shared->clocks[0] - *first_clock),
		.gpu_end = (double)(cl_long)(bench->shared->clocks[1] - *first_clock),
		.seen = (double)(cl_long)(seen - *first_start),
		.told = (double)(cl_long)(told - *first_start),
	};
	return true;
}

/* END and the kernel's last look at the clock: a line, from which nothing may move away. */
static void end_report(unsigned count, double *x, double *y, double *at_out, double *rate_out)
{
	static double values[MOST];
	for (unsigned i = 0; i < count; i++) {
		x[i] = rounds[i].end;
		y[i] = rounds[i].gpu_end - rounds[i].end;
	}
	fit(x, y, count, at_out, rate_out);
	printf("%u kernels in %.1f s; the GPU's crystal differs by %.2f ppm\n", count,
	       rounds[count - 1].start * 1e-9, *rate_out * 1e6);
	for (unsigned i = 0; i < count; i++)
		values[i] = fabs(y[i] - *at_out - *rate_out * x[i]);
	CHECK(spread("END off the kernel's own clock, ns", values, count, 0.5) < MOST_ERROR_NS);
	/* By tenths: a drift would show here. */
	for (unsigned tenth = 0; tenth < 10; tenth += 3) {
		const unsigned from = count * tenth / 10, many = count / 10;
		char what[64];
		snprintf(what, sizeof(what), "the same, END, the %u. tenth", tenth + 1);
		for (unsigned i = 0; i < many; i++)
			values[i] = y[from + i] - *at_out - *rate_out * x[from + i];
		CHECK(fabs(spread(what, values, many, 0.5)) < MOST_ERROR_NS);
	}
}

static void report(unsigned count)
{
	static double x[MOST], y[MOST], values[MOST];
	double at, rate;
	end_report(count, x, y, &at, &rate);
	/* No bound: on an idle GPU the record in front of a kernel happens when it comes, and the
	 * kernel when the host has given that, too. */
	for (unsigned i = 0; i < count; i++)
		values[i] = rounds[i].gpu_start - rounds[i].start - at - rate * rounds[i].start;
	(void)spread("the kernel begins after START, by the line of END, ns", values, count, 0.5);
	for (unsigned i = 0; i < count; i++)
		values[i] = rounds[i].seen - rounds[i].start;
	CHECK(spread("the host saw it begin after START, ns", values, count, 0.01) >
	      -MOST_BEFORE_NS);
	for (unsigned i = 0; i < count; i++)
		values[i] = rounds[i].end - rounds[i].told;
	CHECK(spread("END after the host let it go, ns", values, count, 0.01) > -MOST_BEFORE_NS);
}

static void measure(struct api_test *test, unsigned seconds)
{
	struct bench bench;
	cl_int code;
	cl_ulong first_start = 0, first_clock = 0;
	unsigned count = 0;
	host_alloc alloc;
	host_free release;
	set_pointer set;
	*(void **)&alloc = entry(test, "clHostMemAllocINTEL");
	*(void **)&release = entry(test, "clMemFreeINTEL");
	*(void **)&set = entry(test, "clSetKernelArgMemPointerINTEL");
	if (!CHECK(alloc && release && set))
		return;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	bench.queue = clCreateCommandQueueWithProperties(test->context, test->device, list, &code);
	CHECK_OK(code);
	bench.shared = alloc(test->context, NULL, sizeof(*bench.shared), 0, &code);
	CHECK_OK(code);
	cl_program program = api_test_build(test->context, test->device, source, "-cl-std=CL3.0");
	bench.kernel = program ? clCreateKernel(program, "witness", &code) : NULL;
	if (!CHECK(bench.kernel && bench.shared))
		return;
	CHECK_OK(set(bench.kernel, 0, bench.shared));
	/* The first ones load the code. */
	for (unsigned i = 0; i < 10; i++)
		(void)one(&bench, test->device, &rounds[0], &first_start, &first_clock);
	first_start = first_clock = 0;
	const cl_ulong end_ns = host_ns(test->device) + seconds * UINT64_C(1000000000);
	while (count < MOST && host_ns(test->device) < end_ns &&
	       one(&bench, test->device, &rounds[count], &first_start, &first_clock)) {
		count++;
		usleep(PAUSE_US);
	}
	if (CHECK(count >= 100))
		report(count);
	CHECK_OK(clReleaseKernel(bench.kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(release(test->context, bench.shared));
	CHECK_OK(clReleaseCommandQueue(bench.queue));
}

static bool has_clock(cl_device_id device)
{
	char extensions[8192] = "";
	(void)clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL);
	return strstr(extensions, "cl_khr_kernel_clock");
}

int main(int argc, char **argv)
{
	struct api_test test;
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: stamps [SECONDS]\nCompares profiling times with the clock of the GPU.\n");
		return 0;
	}
	if (!api_test_start(&test, "tests/gpu/stamps"))
		return API_TEST_SKIP;
	/* Its times are a processor's, and a kernel there that waits for the host is no witness. */
	if (dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD) || !has_clock(test.device)) {
		printf("tests/gpu/stamps: SKIP: not a GPU, or its kernels have no clock\n");
		return API_TEST_SKIP;
	}
	measure(&test, argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : SECONDS);
	return api_test_end(&test);
}
