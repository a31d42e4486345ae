/* Group launch: what it costs to give a kernel, and to hear of its end.  cuda_launch.c is
 * its twin. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { QUEUES = 16, MOST_LAUNCHES = 10000, INDEPENDENT = 8 };

static const char source[] =
	"kernel void empty() {}\n"
	"kernel void four(global uint *a, global uint *b, uint c, uint d)\n"
	"{\n"
	"	if (c == d)\n"
	"		a[0] = b[0];\n"
	"}\n"
	"kernel void sixteen(global uint *a, global uint *b, global uint *c, global uint *d,\n"
	"		    global uint *e, global uint *f, global uint *g, global uint *h,\n"
	"		    uint i, uint j, uint k, uint l, uint m, uint n, uint o, uint p)\n"
	"{\n"
	"	if (i + j + k + l + m + n + o == p)\n"
	"		a[0] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];\n"
	"}\n"
	"kernel void work(global uint *out, uint rounds)\n"
	"{\n"
	"	uint v = out[0];\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		v = v * 3 + (v >> 2);\n"
	"	out[0] = v;\n"
	"}\n";

static cl_command_queue in_order, any_order, profiling, queues[QUEUES];
static cl_kernel empty, empties[QUEUES], works[INDEPENDENT];
static cl_mem buffers[INDEPENDENT];
static cl_event events[MOST_LAUNCHES];
static unsigned launches;

static void launch(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
		   const cl_event *waits, cl_event *event)
{
	opencl_launch(queue, kernel, 1, 1, wait_count, waits, event);
}

/* --- one at a time --------------------------------------------------------------------- */

static double launch_and_finish(void *context)
{
	const unsigned count = launches / 50;
	const double start_us = bench_us();
	(void)context;
	for (unsigned i = 0; i < count; i++) {
		launch(in_order, empty, 0, NULL, NULL);
		CL_OK(clFinish(in_order));
	}
	return (bench_us() - start_us) / count;
}

static double launch_and_wait(void *context)
{
	const unsigned count = launches / 50;
	const double start_us = bench_us();
	(void)context;
	for (unsigned i = 0; i < count; i++) {
		cl_event event;
		launch(in_order, empty, 0, NULL, &event);
		CL_OK(clWaitForEvents(1, &event));
		CL_OK(clReleaseEvent(event));
	}
	return (bench_us() - start_us) / count;
}

static atomic_int was_called;
static double called_us;

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	(void)data;
	called_us = bench_us();
	atomic_store(&was_called, 1);
}

static double enqueue_to_callback(void *context)
{
	enum { COUNT = 21, LATEST_US = 1000000 };
	double late_us[COUNT];
	(void)context;
	for (unsigned i = 0; i < COUNT; i++) {
		cl_event event;
		atomic_store(&was_called, 0);
		const double start_us = bench_us();
		launch(in_order, empty, 0, NULL, &event);
		CL_OK(clSetEventCallback(event, CL_COMPLETE, called, NULL));
		CL_OK(clFlush(in_order));
		/* There are platforms that call back only while somebody waits. */
		while (!atomic_load(&was_called) && bench_us() - start_us < LATEST_US)
			continue;
		const bool called_in_time = atomic_load(&was_called);
		CL_OK(clFinish(in_order));
		CL_OK(clReleaseEvent(event));
		if (!called_in_time)
			return -1;
		late_us[i] = called_us - start_us;
	}
	return rows_median(late_us, COUNT);
}

static double user_event_to_finish(void *context)
{
	enum { COUNT = 21 };
	double spent_us[COUNT];
	(void)context;
	for (unsigned i = 0; i < COUNT; i++) {
		cl_int code;
		cl_event gate = clCreateUserEvent(opencl.context, &code);
		CL_OK(code);
		launch(in_order, empty, 1, &gate, NULL);
		CL_OK(clFlush(in_order));
		const double start_us = bench_us();
		CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
		CL_OK(clFinish(in_order));
		spent_us[i] = bench_us() - start_us;
		CL_OK(clReleaseEvent(gate));
	}
	return rows_median(spent_us, COUNT);
}

static void measure_latency(void)
{
	bench_row("launch", "launch and finish", "us", LOWER, launch_and_finish, NULL);
	bench_row("launch", "launch and wait for its event", "us", LOWER, launch_and_wait, NULL);
	bench_row("launch", "enqueue to callback", "us", LOWER, enqueue_to_callback, NULL);
	bench_row("launch", "user event to finish", "us", LOWER, user_event_to_finish, NULL);
}

/* --- one after the other ----------------------------------------------------------------- */

struct stream_of {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_uint buffer_count, value_count;
	bool keep_events;
};

static void set_arguments(const struct stream_of *of, cl_uint launch)
{
	for (cl_uint i = 0; i < of->buffer_count; i++)
		CL_OK(clSetKernelArg(of->kernel, i, sizeof(cl_mem),
				     &buffers[(i + launch) % INDEPENDENT]));
	for (cl_uint i = 0; i < of->value_count; i++) {
		/* Never what the kernel looks for. */
		const cl_uint value = i + 1 < of->value_count ? 2 * launch : 1;
		CL_OK(clSetKernelArg(of->kernel, of->buffer_count + i, sizeof(value), &value));
	}
}

static void give(const struct stream_of *of)
{
	for (unsigned i = 0; i < launches; i++) {
		if (of->buffer_count)
			set_arguments(of, i);
		launch(of->queue, of->kernel, 0, NULL, of->keep_events ? &events[i] : NULL);
	}
	CL_OK(clFinish(of->queue));
}

static void release_kept(const struct stream_of *of)
{
	for (unsigned i = 0; of->keep_events && i < launches; i++)
		CL_OK(clReleaseEvent(events[i]));
}

static double launches_per_ms(void *context)
{
	const struct stream_of *of = context;
	const double start_us = bench_us();
	give(of);
	const double spent_us = bench_us() - start_us;
	release_kept(of);
	return launches * 1e3 / spent_us;
}

static double core_time(void *context)
{
	const struct stream_of *of = context;
	const double start_us = bench_core_us();
	give(of);
	const double spent_us = bench_core_us() - start_us;
	release_kept(of);
	return spent_us / launches;
}

static void measure_rate(const char *name, struct stream_of of)
{
	if (of.queue)
		bench_row("launch", name, "k/s", HIGHER, launches_per_ms, &of);
	else
		rows_skip("launch", name, "no such queue");
}

static void measure_rates(void)
{
	cl_kernel four = opencl_kernel("four", 2, buffers);
	cl_kernel sixteen = opencl_kernel("sixteen", 8, buffers);
	struct stream_of plain = {in_order, empty, 0, 0, false};
	measure_rate("launches", plain);
	measure_rate("launches, an event kept each", (struct stream_of){in_order, empty, 0, 0, true});
	measure_rate("launches, 4 arguments set", (struct stream_of){in_order, four, 2, 2, false});
	measure_rate("launches, 4 arguments set, an event kept each",
		     (struct stream_of){in_order, four, 2, 2, true});
	measure_rate("launches, 16 arguments set",
		     (struct stream_of){in_order, sixteen, 8, 8, false});
	measure_rate("launches, 16 arguments set, an event kept each",
		     (struct stream_of){in_order, sixteen, 8, 8, true});
	bench_row("launch", "processor time of a launch", "us", LOWER, core_time, &plain);
	profiling = opencl_queue(0, CL_QUEUE_PROFILING_ENABLE);
	any_order = opencl_queue_any_order();
	measure_rate("launches, profiling queue, an event kept each",
		     (struct stream_of){profiling, empty, 0, 0, true});
	measure_rate("launches, out-of-order queue",
		     (struct stream_of){any_order, empty, 0, 0, false});
	measure_rate("launches, out-of-order queue, an event kept each",
		     (struct stream_of){any_order, empty, 0, 0, true});
	CL_OK(clReleaseKernel(four));
	CL_OK(clReleaseKernel(sixteen));
}

/* --- threads ------------------------------------------------------------------------------- */

struct share {
	unsigned threads;
	bool one_queue;
};

static void give_share(void *context, unsigned index)
{
	const struct share *share = context;
	cl_command_queue queue = share->one_queue ? in_order : queues[index];
	for (unsigned i = 0; i < launches / 4; i++)
		launch(queue, empties[index], 0, NULL, NULL);
	CL_OK(clFinish(queue));
}

static double threads_rate(void *context)
{
	const struct share *share = context;
	const double spent_us = bench_threads_us(share->threads, give_share, context);
	return share->threads * (double)(launches / 4) * 1e3 / spent_us;
}

static void measure_threads(void)
{
	struct share share = {8, false};
	bench_row("launch", "8 threads, a queue each", "k/s", HIGHER, threads_rate, &share);
	share = (struct share){8, true};
	bench_row("launch", "8 threads, one queue", "k/s", HIGHER, threads_rate, &share);
	share = (struct share){16, false};
	bench_row("launch", "16 threads, a queue each", "k/s", HIGHER, threads_rate, &share);
	share = (struct share){16, true};
	bench_row("launch", "16 threads, one queue", "k/s", HIGHER, threads_rate, &share);
}

/* --- order ----------------------------------------------------------------------------------- */

/* Each link runs on the next queue, after the one before. */
static double chain(void *context)
{
	const unsigned width = *(const unsigned *)context, links = launches / 5;
	const double start_us = bench_us();
	for (unsigned i = 0; i < links; i++)
		launch(queues[i % width], empty, i ? 1 : 0, i ? &events[i - 1] : NULL, &events[i]);
	for (unsigned i = 0; i < width; i++)
		CL_OK(clFinish(queues[i]));
	const double spent_us = bench_us() - start_us;
	for (unsigned i = 0; i < links; i++)
		CL_OK(clReleaseEvent(events[i]));
	return spent_us / links;
}

/* One, eight after it, and a marker after those. */
static double fork_join(void *context)
{
	enum { COUNT = 20 };
	const double start_us = bench_us();
	(void)context;
	for (unsigned i = 0; i < COUNT; i++) {
		cl_event all[INDEPENDENT + 2];
		launch(any_order, empty, 0, NULL, &all[0]);
		for (unsigned k = 1; k <= INDEPENDENT; k++)
			launch(any_order, empty, 1, &all[0], &all[k]);
		CL_OK(clEnqueueMarkerWithWaitList(any_order, INDEPENDENT, &all[1],
						  &all[INDEPENDENT + 1]));
		CL_OK(clWaitForEvents(1, &all[INDEPENDENT + 1]));
		for (unsigned k = 0; k < INDEPENDENT + 2; k++)
			CL_OK(clReleaseEvent(all[k]));
	}
	return (bench_us() - start_us) / COUNT;
}

/* Each kernel is one work-item: a GPU has room for all of them at once. */
static double works_us(const cl_command_queue *on, unsigned queue_count)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < INDEPENDENT; i++) {
		launch(on[i % queue_count], works[i], 0, NULL, NULL);
		CL_OK(clFlush(on[i % queue_count]));
	}
	for (unsigned i = 0; i < queue_count; i++)
		CL_OK(clFinish(on[i]));
	return bench_us() - start_us;
}

static double speed_up_queues(void *context)
{
	(void)context;
	const double alone_us = works_us(&in_order, 1);
	return alone_us / works_us(queues, INDEPENDENT);
}

static double speed_up_any_order(void *context)
{
	(void)context;
	const double alone_us = works_us(&in_order, 1);
	return alone_us / works_us(&any_order, 1);
}

static void measure_order(void)
{
	unsigned width = 2;
	bench_row("launch", "chain over 2 queues, a link", "us", LOWER, chain, &width);
	width = 4;
	bench_row("launch", "chain over 4 queues, a link", "us", LOWER, chain, &width);
	bench_row("launch", "8 independent kernels, 8 queues", "x", HIGHER, speed_up_queues, NULL);
	if (any_order) {
		bench_row("launch", "8 independent kernels, one out-of-order queue", "x", HIGHER,
			  speed_up_any_order, NULL);
		bench_row("launch", "fork-join of 8, one out-of-order queue", "us", LOWER,
			  fork_join, NULL);
	} else {
		rows_skip("launch", "8 independent kernels, one out-of-order queue",
			  "no such queue");
		rows_skip("launch", "fork-join of 8, one out-of-order queue", "no such queue");
	}
}

/* --- the program ------------------------------------------------------------------------------ */

static void start(void)
{
	const cl_uint rounds = (cl_uint)bench_pick(50000, 50000, 100);
	launches = (unsigned)bench_pick(MOST_LAUNCHES, MOST_LAUNCHES, 200);
	in_order = opencl_queue(0, 0);
	empty = opencl_kernel("empty", 0, NULL);
	for (unsigned i = 0; i < INDEPENDENT; i++) {
		buffers[i] = opencl_buffer(CL_MEM_READ_WRITE, 4);
		works[i] = opencl_kernel("work", 1, &buffers[i]);
		CL_OK(clSetKernelArg(works[i], 1, sizeof(rounds), &rounds));
	}
}

/* Later, for a platform may be slower with many queues than with one. */
static void start_queues(void)
{
	for (unsigned i = 0; i < QUEUES; i++) {
		queues[i] = opencl_queue(0, 0);
		empties[i] = opencl_kernel("empty", 0, NULL);
	}
}

static void end(void)
{
	for (unsigned i = 0; i < INDEPENDENT; i++) {
		CL_OK(clReleaseKernel(works[i]));
		CL_OK(clReleaseMemObject(buffers[i]));
	}
	for (unsigned i = 0; i < QUEUES; i++) {
		CL_OK(clReleaseKernel(empties[i]));
		CL_OK(clReleaseCommandQueue(queues[i]));
	}
	CL_OK(clReleaseKernel(empty));
	CL_OK(clReleaseCommandQueue(profiling));
	if (any_order)
		CL_OK(clReleaseCommandQueue(any_order));
	CL_OK(clReleaseCommandQueue(in_order));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	opencl_open("launch", source, 1);
	start();
	measure_latency();
	measure_rates();
	start_queues();
	measure_threads();
	measure_order();
	end();
	return opencl_close();
}
