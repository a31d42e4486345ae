/* What queues, events and memory cost, next to CUDA itself.
 *
 *	make tests/bench/bench_queues
 *	tests/run-with-culvert tests/bench/bench_queues [PART...]
 *
 * Parts: launch overlap copy wait callback alloc peer; all by default.  Each line is
 * a name, a number and its unit; where there is something to compare with, that and
 * the ratio. */
#include "config.h"

#include "tests/bench/bench_raw.h"
#include "tests/bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char source[] =
"kernel void empty() {}\n"
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n"
"kernel void work(global int *c, int rounds) {\n"
"	int v = c[0];\n"
"	for (int i = 0; i < rounds; i++)\n"
"		v = v * 3 + (v >> 2);\n"
"	c[0] = v;\n"
"}\n";

static bool raw;

static double now_ns(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double wall_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

/* better: +1 when more is better, -1 when less is. */
static void tell(const char *name, double value, const char *unit, double cuda, int better)
{
	printf("%-44s %10.2f %-6s", name, value, unit);
	if (cuda > 0)
		printf(" CUDA %10.2f  %.2f of it", cuda, better > 0 ? value / cuda : cuda / value);
	printf("\n");
	fflush(stdout);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/* --- launch -------------------------------------------------------------------------- */

enum { LAUNCHES = 20000 };

static double launch_ns(cl_command_queue queue, cl_kernel kernel, bool with_event)
{
	double start_ns = 0;
	for (unsigned i = 0; i < 2 * LAUNCHES; i++) {
		cl_event event;
		if (i == LAUNCHES)
			start_ns = wall_ns();
		if (i % 500 == 0)
			CL_OK(clFinish(queue));
		opencl_launch(queue, kernel, 1, 1, 0, NULL, with_event ? &event : NULL);
		if (with_event)
			CL_OK(clReleaseEvent(event));
	}
	return (wall_ns() - start_ns) / LAUNCHES;
}

static void bench_launch(void)
{
	cl_command_queue in_order = opencl_queue(0, 0);
	cl_command_queue any_order = opencl_queue(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel empty = opencl_kernel("empty", 0, NULL);
	const double cuda = raw ? raw_launch_ns(LAUNCHES, false) : -1;
	const double cuda_event = raw ? raw_launch_ns(LAUNCHES, true) : -1;
	tell("launch, in order", launch_ns(in_order, empty, false), "ns", cuda, -1);
	tell("launch and event, in order", launch_ns(in_order, empty, true), "ns", cuda_event, -1);
	tell("launch, out of order", launch_ns(any_order, empty, false), "ns", cuda, -1);
	tell("launch and event, out of order", launch_ns(any_order, empty, true), "ns", cuda_event,
	     -1);
	CL_OK(clReleaseKernel(empty));
	CL_OK(clReleaseCommandQueue(in_order));
	CL_OK(clReleaseCommandQueue(any_order));
}

/* --- work of a known length ---------------------------------------------------------- */

static cl_mem work_mem;
static double rounds_per_ns;

static double work_run_ns(cl_command_queue queue, cl_kernel kernel, cl_int rounds)
{
	CL_OK(clSetKernelArg(kernel, 0, sizeof(work_mem), &work_mem));
	CL_OK(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds));
	const double start_ns = wall_ns();
	opencl_launch(queue, kernel, 1, 1, 0, NULL, NULL);
	CL_OK(clFinish(queue));
	return wall_ns() - start_ns;
}

static void work_calibrate(cl_command_queue queue, cl_kernel kernel)
{
	cl_int rounds = 1000;
	double spent_ns = 0;
	if (rounds_per_ns > 0)
		return;
	work_mem = opencl_buffer(0, 4);
	for (; spent_ns < 2e7 && rounds < 1 << 28; rounds *= 2)
		spent_ns = work_run_ns(queue, kernel, rounds);
	rounds_per_ns = rounds / 2 / spent_ns;
}

static void work_set(cl_kernel kernel, cl_mem mem, double length_ns)
{
	const cl_int rounds = (cl_int)(length_ns * rounds_per_ns) + 1;
	CL_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CL_OK(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds));
}

/* --- overlap ------------------------------------------------------------------------- */

/* Kernels of one work-item each, given together: ideal is the time of one. */
static void overlap_kernels(cl_command_queue queue, cl_kernel work, unsigned count)
{
	enum { MOST = 64 };
	const double length_ns = 2e7;
	cl_mem mems[MOST];
	char name[64];
	for (unsigned i = 0; i < count; i++)
		mems[i] = opencl_buffer(0, 4);
	work_set(work, mems[0], length_ns);
	double start_ns = wall_ns();
	opencl_launch(queue, work, 1, 1, 0, NULL, NULL);
	CL_OK(clFinish(queue));
	const double one_ns = wall_ns() - start_ns;
	for (unsigned pass = 0; pass < 2; pass++) {
		start_ns = wall_ns();
		for (unsigned i = 0; i < count; i++) {
			work_set(work, mems[i], length_ns);
			opencl_launch(queue, work, 1, 1, 0, NULL, NULL);
		}
		CL_OK(clFinish(queue));
	}
	snprintf(name, sizeof(name), "overlap, %u kernels of 20 ms", count);
	tell(name, (wall_ns() - start_ns) * 1e-6, "ms", -1, -1);
	snprintf(name, sizeof(name), "  kernels at once, of %u", count);
	tell(name, one_ns * count / (wall_ns() - start_ns), "", -1, 1);
	for (unsigned i = 0; i < count; i++)
		CL_OK(clReleaseMemObject(mems[i]));
}

/* A kernel and a pinned copy each way of about its length: ideal is the longest. */
static void overlap_copies(cl_command_queue queue, cl_kernel work)
{
	enum { SIZE_B = 256 << 20 };
	cl_mem host = opencl_buffer(CL_MEM_ALLOC_HOST_PTR, 2ull * SIZE_B);
	cl_mem to = opencl_buffer(0, SIZE_B), from = opencl_buffer(0, SIZE_B);
	double alone_ns[3], start_ns, together_ns = 0;
	cl_int code;
	unsigned char *bytes = clEnqueueMapBuffer(queue, host, CL_TRUE, CL_MAP_WRITE, 0,
						  2ull * SIZE_B, 0, NULL, NULL, &code);
	CL_OK(code);
	for (unsigned what = 0; what < 8; what++) {
		/* Each alone, then all; twice, for the first time warms up. */
		start_ns = wall_ns();
		work_set(work, work_mem, 1e7);
		if (what % 4 == 0 || what % 4 == 3)
			opencl_launch(queue, work, 1, 1, 0, NULL, NULL);
		if (what % 4 == 1 || what % 4 == 3)
			CL_OK(clEnqueueWriteBuffer(queue, to, CL_FALSE, 0, SIZE_B, bytes, 0, NULL,
						   NULL));
		if (what % 4 == 2 || what % 4 == 3)
			CL_OK(clEnqueueReadBuffer(queue, from, CL_FALSE, 0, SIZE_B, bytes + SIZE_B,
						  0, NULL, NULL));
		CL_OK(clFinish(queue));
		if (what % 4 < 3)
			alone_ns[what % 4] = wall_ns() - start_ns;
		else
			together_ns = wall_ns() - start_ns;
	}
	const double ideal_ns = alone_ns[0] > alone_ns[1]
		? (alone_ns[0] > alone_ns[2] ? alone_ns[0] : alone_ns[2])
		: (alone_ns[1] > alone_ns[2] ? alone_ns[1] : alone_ns[2]);
	tell("overlap, kernel and two copies", together_ns * 1e-6, "ms", -1, -1);
	tell("  ideal (the longest alone)", ideal_ns * 1e-6, "ms", -1, -1);
	tell("  one after the other", (alone_ns[0] + alone_ns[1] + alone_ns[2]) * 1e-6, "ms", -1,
	     -1);
	CL_OK(clEnqueueUnmapMemObject(queue, host, bytes, 0, NULL, NULL));
	CL_OK(clFinish(queue));
	CL_OK(clReleaseMemObject(host));
	CL_OK(clReleaseMemObject(to));
	CL_OK(clReleaseMemObject(from));
}

static void bench_overlap(void)
{
	cl_command_queue queue = opencl_queue(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel work = opencl_kernel("work", 0, NULL);
	work_calibrate(queue, work);
	for (unsigned count = 4; count <= 32; count *= 2)
		overlap_kernels(queue, work, count);
	overlap_copies(queue, work);
	CL_OK(clReleaseKernel(work));
	CL_OK(clReleaseCommandQueue(queue));
}

/* --- copies -------------------------------------------------------------------------- */

struct copies {
	cl_command_queue queue;
	cl_mem mem;
	unsigned char *host;
	size_t size_B;
	bool to_device, blocking;
	unsigned count;
};

/* Returns GB/s; *call_us_out is what the call itself took. */
static double copies_run(const struct copies *copies, double *call_us_out)
{
	double start_ns = 0, in_calls_ns = 0;
	for (unsigned i = 0; i <= copies->count; i++) {
		if (i == 1)
			start_ns = wall_ns();
		const double call_ns = wall_ns();
		if (copies->to_device)
			CL_OK(clEnqueueWriteBuffer(copies->queue, copies->mem, copies->blocking, 0,
						   copies->size_B, copies->host, 0, NULL, NULL));
		else
			CL_OK(clEnqueueReadBuffer(copies->queue, copies->mem, copies->blocking, 0,
						  copies->size_B, copies->host, 0, NULL, NULL));
		in_calls_ns += i ? wall_ns() - call_ns : 0;
		CL_OK(clFinish(copies->queue));
	}
	*call_us_out = in_calls_ns / copies->count * 1e-3;
	return (double)copies->size_B * copies->count / (wall_ns() - start_ns);
}

static void copies_tell(struct copies *copies, bool pinned)
{
	const double cuda = raw ? raw_copy_GBps(copies->size_B, copies->to_device, pinned,
						copies->count) : -1;
	for (int blocking = 1; blocking >= 0; blocking--) {
		char name[80];
		double call_us;
		copies->blocking = blocking;
		const double GBps = copies_run(copies, &call_us);
		snprintf(name, sizeof(name), "%s %zu KiB, %s%s",
			 copies->to_device ? "write" : "read", copies->size_B >> 10, pinned ? "pinned" : "pageable",
			 blocking ? "" : ", non-blocking");
		tell(name, GBps, "GB/s", cuda, 1);
		if (!blocking)
			tell("  the call", call_us, "us", -1, -1);
	}
}

static void bench_copy(void)
{
	static const size_t sizes_B[] = {4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 256 << 20};
	enum { LARGEST_B = 256 << 20 };
	struct copies copies = {.queue = opencl_queue(0, 0)};
	unsigned char *pageable = malloc(LARGEST_B);
	cl_mem host = opencl_buffer(CL_MEM_ALLOC_HOST_PTR, LARGEST_B);
	cl_int code;
	unsigned char *pinned = clEnqueueMapBuffer(copies.queue, host, CL_TRUE, CL_MAP_WRITE, 0,
						   LARGEST_B, 0, NULL, NULL, &code);
	CL_OK(code);
	if (!pageable)
		exit(1);
	memset(pageable, 1, LARGEST_B);
	memset(pinned, 1, LARGEST_B);
	copies.mem = opencl_buffer(0, LARGEST_B);
	for (unsigned way = 0; way < 4; way++) {
		for (unsigned i = 0; i < sizeof(sizes_B) / sizeof(sizes_B[0]); i++) {
			copies.to_device = way & 1;
			copies.host = way & 2 ? pinned : pageable;
			copies.size_B = sizes_B[i];
			copies.count = sizes_B[i] > 4 << 20 ? 10 : 200;
			copies_tell(&copies, way & 2);
		}
	}
	CL_OK(clEnqueueUnmapMemObject(copies.queue, host, pinned, 0, NULL, NULL));
	CL_OK(clFinish(copies.queue));
	CL_OK(clReleaseMemObject(host));
	CL_OK(clReleaseMemObject(copies.mem));
	CL_OK(clReleaseCommandQueue(copies.queue));
	free(pageable);
}

/* --- waits and callbacks ------------------------------------------------------------- */

static void poll(cl_event event)
{
	cl_int status = CL_QUEUED;
	while (status > CL_COMPLETE)
		CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				     &status, NULL));
}

/* Added latency: against a loop that polls the event's status. */
static void wait_measure(cl_command_queue queue, cl_kernel work, double length_ns)
{
	enum { MOST = 101 };
	const unsigned count = length_ns > 5e7 ? 5 : MOST;
	double waited[MOST], polled[MOST], core_ns = 0, all_ns = 0;
	char name[64];
	work_set(work, work_mem, length_ns);
	for (unsigned i = 0; i < 2 * count; i++) {
		cl_event event;
		const double start_ns = wall_ns(), start_core_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
		opencl_launch(queue, work, 1, 1, 0, NULL, &event);
		if (i % 2)
			poll(event);
		else
			CL_OK(clWaitForEvents(1, &event));
		(i % 2 ? polled : waited)[i / 2] = wall_ns() - start_ns;
		core_ns += i % 2 ? 0 : now_ns(CLOCK_THREAD_CPUTIME_ID) - start_core_ns;
		all_ns += i % 2 ? 0 : wall_ns() - start_ns;
		CL_OK(clReleaseEvent(event));
	}
	snprintf(name, sizeof(name), "wait of %.0f us, added", length_ns * 1e-3);
	tell(name, (median(waited, count) - median(polled, count)) * 1e-3, "us", -1, -1);
	tell("  of a core", core_ns / all_ns * 100, "%", -1, -1);
}

static void bench_wait(void)
{
	static const double lengths_ns[] = {2e4, 1e5, 3e5, 1e6, 1e7, 1e8, 5e8};
	cl_command_queue queue = opencl_queue(0, 0);
	cl_kernel work = opencl_kernel("work", 0, NULL);
	work_calibrate(queue, work);
	for (unsigned i = 0; i < sizeof(lengths_ns) / sizeof(lengths_ns[0]); i++)
		wait_measure(queue, work, lengths_ns[i]);
	CL_OK(clReleaseKernel(work));
	CL_OK(clReleaseCommandQueue(queue));
}

static volatile double called_ns;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	(void)data;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	called_ns = wall_ns();
}

static void callback_measure(cl_command_queue queue, cl_kernel work, double length_ns)
{
	enum { MOST = 101 };
	const unsigned count = length_ns > 5e7 ? 11 : MOST;
	double late[MOST];
	char name[64];
	work_set(work, work_mem, length_ns);
	for (unsigned i = 0; i < count; i++) {
		cl_event event;
		called_ns = 0;
		opencl_launch(queue, work, 1, 1, 0, NULL, &event);
		CL_OK(clSetEventCallback(event, CL_COMPLETE, called, NULL));
		poll(event);
		const double done_ns = wall_ns();
		while (called_ns == 0)
			continue;
		late[i] = called_ns - done_ns;
		CL_OK(clReleaseEvent(event));
	}
	snprintf(name, sizeof(name), "callback after %.0f us, late", length_ns * 1e-3);
	tell(name, median(late, count) * 1e-3, "us", -1, -1);
}

static void bench_callback(void)
{
	static const double lengths_ns[] = {2e4, 1e5, 1e6, 1e7, 1e8};
	cl_command_queue queue = opencl_queue(0, 0);
	cl_kernel work = opencl_kernel("work", 0, NULL);
	work_calibrate(queue, work);
	for (unsigned i = 0; i < sizeof(lengths_ns) / sizeof(lengths_ns[0]); i++)
		callback_measure(queue, work, lengths_ns[i]);
	CL_OK(clReleaseKernel(work));
	CL_OK(clReleaseCommandQueue(queue));
}

/* --- memory -------------------------------------------------------------------------- */

static void bench_alloc(void)
{
	enum { COUNT = 5000, SIZE_B = 1 << 20 };
	cl_command_queue queue = opencl_queue(0, 0);
	const cl_uint zero = 0;
	for (unsigned used = 0; used < 2; used++) {
		double start_ns = 0;
		for (unsigned i = 0; i < 2 * COUNT; i++) {
			if (i == COUNT) {
				CL_OK(clFinish(queue));
				start_ns = wall_ns();
			}
			cl_mem mem = opencl_buffer(0, SIZE_B);
			if (used)
				CL_OK(clEnqueueFillBuffer(queue, mem, &zero, 4, 0, 4, 0, NULL,
							  NULL));
			CL_OK(clReleaseMemObject(mem));
		}
		tell(used ? "create, fill, release 1 MiB" : "create, release 1 MiB",
		     (wall_ns() - start_ns) / COUNT, "ns",
		     raw && !used ? raw_alloc_ns(SIZE_B, COUNT) : -1, -1);
		CL_OK(clFinish(queue));
	}
	CL_OK(clReleaseCommandQueue(queue));
}

/* A buffer that kernels on two devices use in turn: it moves at each. */
static void bench_peer(void)
{
	enum { SIZE_B = 256 << 20, HOPS = 40 };
	if (opencl.device_count < 2) {
		printf("peer: fewer than two devices\n");
		return;
	}
	cl_command_queue queues[2] = {opencl_queue(0, 0), opencl_queue(1, 0)};
	cl_kernel next = opencl_kernel("next", 0, NULL);
	cl_mem mem = opencl_buffer(0, SIZE_B);
	const cl_uint zero = 0;
	double start_ns = 0;
	cl_event last;
	CL_OK(clEnqueueFillBuffer(queues[0], mem, &zero, 4, 0, SIZE_B, 0, NULL, &last));
	CL_OK(clSetKernelArg(next, 0, sizeof(mem), &mem));
	for (unsigned i = 0; i < HOPS + 4; i++) {
		cl_event event;
		if (i == 4) {
			CL_OK(clWaitForEvents(1, &last));
			start_ns = wall_ns();
		}
		opencl_launch(queues[(i + 1) % 2], next, 1, 1, 1, &last, &event);
		CL_OK(clReleaseEvent(last));
		last = event;
	}
	CL_OK(clWaitForEvents(1, &last));
	const double spent_ns = wall_ns() - start_ns;
	tell("a hop of 256 MiB between devices", (double)SIZE_B * HOPS / spent_ns, "GB/s",
	     raw ? raw_peer_GBps(SIZE_B, HOPS) : -1, 1);
	cl_uint value = 0;
	CL_OK(clEnqueueReadBuffer(queues[0], mem, CL_TRUE, 0, 4, &value, 1, &last, NULL));
	if (value != HOPS + 4)
		printf("WRONG: %u after %d hops\n", value, HOPS + 4);
	CL_OK(clReleaseEvent(last));
	CL_OK(clReleaseMemObject(mem));
	CL_OK(clReleaseKernel(next));
	CL_OK(clReleaseCommandQueue(queues[0]));
	CL_OK(clReleaseCommandQueue(queues[1]));
}

/* --- main ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"launch", bench_launch}, {"overlap", bench_overlap}, {"copy", bench_copy},
	{"wait", bench_wait}, {"callback", bench_callback}, {"alloc", bench_alloc},
	{"peer", bench_peer},
};

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	char name[256] = "";
	opencl_choose(2);
	opencl_build(source, "");
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_NAME, sizeof(name), name, NULL));
	raw = raw_start();
	printf("%u x %s%s\n", opencl.device_count, name, raw ? "" : "; no CUDA to compare with");
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (wanted(parts[i].name, argc, argv))
			parts[i].run();
	if (work_mem)
		CL_OK(clReleaseMemObject(work_mem));
	CL_OK(clReleaseProgram(opencl.program));
	CL_OK(clReleaseContext(opencl.context));
	if (raw)
		raw_end();
	return 0;
}
