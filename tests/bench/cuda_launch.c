/* Group launch as CUDA's driver API does it: bench_launch.c says what the rows mean.  A
 * queue is a stream; an event that is kept was made before and is recorded. */
#include "config.h"

#include "tests/bench/cuda.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { STREAMS = 16, MOST_LAUNCHES = 10000, INDEPENDENT = 8, MOST_ARGUMENTS = 16 };

static CUstream stream, streams[STREAMS];
static CUfunction empty, work;
static CUdeviceptr memory[INDEPENDENT];
static CUevent events[MOST_LAUNCHES], begins[MOST_LAUNCHES], ends[MOST_LAUNCHES];
static unsigned launches, rounds;

static void launch(CUstream on, CUfunction function, void **arguments)
{
	CU_OK(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, on, arguments, NULL));
}

/* --- one at a time --------------------------------------------------------------------- */

static double launch_and_finish(void *context)
{
	const unsigned count = launches / 50;
	const double start_us = bench_us();
	(void)context;
	for (unsigned i = 0; i < count; i++) {
		launch(stream, empty, NULL);
		CU_OK(cu.cuStreamSynchronize(stream));
	}
	return (bench_us() - start_us) / count;
}

static double launch_and_wait(void *context)
{
	const unsigned count = launches / 50;
	const double start_us = bench_us();
	(void)context;
	for (unsigned i = 0; i < count; i++) {
		launch(stream, empty, NULL);
		CU_OK(cu.cuEventRecord(events[0], stream));
		CU_OK(cu.cuEventSynchronize(events[0]));
	}
	return (bench_us() - start_us) / count;
}

static atomic_int was_called;
static double called_us;

static void CUDA_CB called(void *data)
{
	(void)data;
	called_us = bench_us();
	atomic_store(&was_called, 1);
}

static double launch_to_callback(void *context)
{
	enum { COUNT = 21 };
	double late_us[COUNT];
	(void)context;
	for (unsigned i = 0; i < COUNT; i++) {
		atomic_store(&was_called, 0);
		const double start_us = bench_us();
		launch(stream, empty, NULL);
		CU_OK(cu.cuLaunchHostFunc(stream, called, NULL));
		while (!atomic_load(&was_called))
			continue;
		late_us[i] = called_us - start_us;
		CU_OK(cu.cuStreamSynchronize(stream));
	}
	return rows_median(late_us, COUNT);
}

static void measure_latency(void)
{
	bench_row("launch", "launch and finish", "us", LOWER, launch_and_finish, NULL);
	bench_row("launch", "launch and wait for its event", "us", LOWER, launch_and_wait, NULL);
	bench_row("launch", "enqueue to callback", "us", LOWER, launch_to_callback, NULL);
	rows_skip("launch", "user event to finish", "CUDA has no user events");
}

/* --- one after the other ----------------------------------------------------------------- */

enum record { RECORD_NONE, RECORD_END, RECORD_BOTH };

struct stream_of {
	CUfunction function;
	unsigned memory_count, value_count;
	enum record record;
};

static void give(const struct stream_of *of)
{
	void *arguments[MOST_ARGUMENTS];
	unsigned values[MOST_ARGUMENTS];
	for (unsigned i = 0; i < launches; i++) {
		for (unsigned k = 0; k < of->memory_count; k++)
			arguments[k] = &memory[(k + i) % INDEPENDENT];
		for (unsigned k = 0; k < of->value_count; k++) {
			values[k] = k + 1 < of->value_count ? 2 * i : 1;
			arguments[of->memory_count + k] = &values[k];
		}
		if (of->record == RECORD_BOTH)
			CU_OK(cu.cuEventRecord(begins[i], stream));
		launch(stream, of->function, arguments);
		if (of->record != RECORD_NONE)
			CU_OK(cu.cuEventRecord(of->record == RECORD_BOTH ? ends[i] : events[i],
					       stream));
	}
	CU_OK(cu.cuStreamSynchronize(stream));
}

static double launches_per_ms(void *context)
{
	const double start_us = bench_us();
	give(context);
	return launches * 1e3 / (bench_us() - start_us);
}

static double core_time(void *context)
{
	const double start_us = bench_core_us();
	give(context);
	return (bench_core_us() - start_us) / launches;
}

static void measure_rate(const char *name, struct stream_of of)
{
	bench_row("launch", name, "k/s", HIGHER, launches_per_ms, &of);
}

/* The beginning and the end of each, by events with times. */
static void measure_profiling(void)
{
	for (unsigned i = 0; i < launches; i++) {
		CU_OK(cu.cuEventCreate(&begins[i], CU_EVENT_DEFAULT));
		CU_OK(cu.cuEventCreate(&ends[i], CU_EVENT_DEFAULT));
	}
	measure_rate("launches, profiling queue, an event kept each",
		     (struct stream_of){empty, 0, 0, RECORD_BOTH});
	for (unsigned i = 0; i < launches; i++) {
		CU_OK(cu.cuEventDestroy_v2(begins[i]));
		CU_OK(cu.cuEventDestroy_v2(ends[i]));
	}
}

/* An out-of-order queue has no twin but a stream: what one thread can give at most. */
static void measure_rates(void)
{
	CUfunction four = cuda_function(0, "four"), sixteen = cuda_function(0, "sixteen");
	struct stream_of plain = {empty, 0, 0, RECORD_NONE};
	measure_rate("launches", plain);
	measure_rate("launches, an event kept each", (struct stream_of){empty, 0, 0, RECORD_END});
	measure_rate("launches, 4 arguments set", (struct stream_of){four, 2, 2, RECORD_NONE});
	measure_rate("launches, 4 arguments set, an event kept each",
		     (struct stream_of){four, 2, 2, RECORD_END});
	measure_rate("launches, 16 arguments set", (struct stream_of){sixteen, 8, 8, RECORD_NONE});
	measure_rate("launches, 16 arguments set, an event kept each",
		     (struct stream_of){sixteen, 8, 8, RECORD_END});
	bench_row("launch", "processor time of a launch", "us", LOWER, core_time, &plain);
	measure_profiling();
	measure_rate("launches, out-of-order queue", plain);
	measure_rate("launches, out-of-order queue, an event kept each",
		     (struct stream_of){empty, 0, 0, RECORD_END});
}

/* --- threads ------------------------------------------------------------------------------- */

struct share {
	unsigned threads;
	bool one_stream;
};

static void give_share(void *context, unsigned index)
{
	const struct share *share = context;
	CUstream on = share->one_stream ? stream : streams[index];
	cuda_use(0);
	for (unsigned i = 0; i < launches / 4; i++)
		launch(on, empty, NULL);
	CU_OK(cu.cuStreamSynchronize(on));
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

static double chain(void *context)
{
	const unsigned width = *(const unsigned *)context, links = launches / 5;
	const double start_us = bench_us();
	for (unsigned i = 0; i < links; i++) {
		if (i)
			CU_OK(cu.cuStreamWaitEvent(streams[i % width], events[i - 1], 0));
		launch(streams[i % width], empty, NULL);
		CU_OK(cu.cuEventRecord(events[i], streams[i % width]));
	}
	for (unsigned i = 0; i < width; i++)
		CU_OK(cu.cuStreamSynchronize(streams[i]));
	return (bench_us() - start_us) / links;
}

/* An out-of-order queue's twin is a stream for each of the eight. */
static double fork_join(void *context)
{
	enum { COUNT = 20 };
	const double start_us = bench_us();
	(void)context;
	for (unsigned i = 0; i < COUNT; i++) {
		launch(stream, empty, NULL);
		CU_OK(cu.cuEventRecord(events[INDEPENDENT], stream));
		for (unsigned k = 0; k < INDEPENDENT; k++) {
			CU_OK(cu.cuStreamWaitEvent(streams[k], events[INDEPENDENT], 0));
			launch(streams[k], empty, NULL);
			CU_OK(cu.cuEventRecord(events[k], streams[k]));
			CU_OK(cu.cuStreamWaitEvent(stream, events[k], 0));
		}
		CU_OK(cu.cuEventRecord(events[INDEPENDENT + 1], stream));
		CU_OK(cu.cuEventSynchronize(events[INDEPENDENT + 1]));
	}
	return (bench_us() - start_us) / COUNT;
}

static double works_us(const CUstream *on, unsigned stream_count)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < INDEPENDENT; i++) {
		void *arguments[] = {&memory[i], &rounds};
		launch(on[i % stream_count], work, arguments);
	}
	for (unsigned i = 0; i < stream_count; i++)
		CU_OK(cu.cuStreamSynchronize(on[i]));
	return bench_us() - start_us;
}

static double speed_up(void *context)
{
	(void)context;
	const double alone_us = works_us(&stream, 1);
	return alone_us / works_us(streams, INDEPENDENT);
}

static void measure_order(void)
{
	unsigned width = 2;
	bench_row("launch", "chain over 2 queues, a link", "us", LOWER, chain, &width);
	width = 4;
	bench_row("launch", "chain over 4 queues, a link", "us", LOWER, chain, &width);
	bench_row("launch", "8 independent kernels, 8 queues", "x", HIGHER, speed_up, NULL);
	bench_row("launch", "8 independent kernels, one out-of-order queue", "x", HIGHER, speed_up,
		  NULL);
	bench_row("launch", "fork-join of 8, one out-of-order queue", "us", LOWER, fork_join, NULL);
}

/* --- the program ------------------------------------------------------------------------------ */

static void start(void)
{
	launches = (unsigned)bench_pick(MOST_LAUNCHES, MOST_LAUNCHES, 200);
	rounds = (unsigned)bench_pick(50000, 50000, 100);
	stream = cuda_stream();
	empty = cuda_function(0, "empty");
	work = cuda_function(0, "work");
	for (unsigned i = 0; i < INDEPENDENT; i++)
		memory[i] = cuda_memory(4);
	for (unsigned i = 0; i < launches; i++)
		events[i] = cuda_event();
}

static void start_streams(void)
{
	for (unsigned i = 0; i < STREAMS; i++)
		streams[i] = cuda_stream();
}

static void end(void)
{
	for (unsigned i = 0; i < launches; i++)
		CU_OK(cu.cuEventDestroy_v2(events[i]));
	for (unsigned i = 0; i < INDEPENDENT; i++)
		CU_OK(cu.cuMemFree_v2(memory[i]));
	for (unsigned i = 0; i < STREAMS; i++)
		CU_OK(cu.cuStreamDestroy_v2(streams[i]));
	CU_OK(cu.cuStreamDestroy_v2(stream));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	cuda_open("launch", 1);
	start();
	measure_latency();
	measure_rates();
	start_streams();
	measure_threads();
	measure_order();
	end();
	return cuda_close();
}
