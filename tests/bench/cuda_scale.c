/* Group scale as CUDA's driver API does it: bench_scale.c says what the rows mean.  An event is
 * made, recorded, and destroyed at the end. */
#include "config.h"

#include "tests/bench/cuda.h"
#include "tests/bench/scale.h"

#include <stdlib.h>

enum { MOST_STREAMS = 64, LAUNCHES = 20000, BUFFER_B = 4096 };

static CUstream streams[MOST_STREAMS];
static CUfunction empty, touch;
static CUevent *events;
static CUdeviceptr *buffers;
static unsigned launches;

static void launch(unsigned stream)
{
	cuda_launch(streams[stream], empty, 1, 1, NULL);
}

static void launch_and_record(unsigned stream, CUevent *event)
{
	launch(stream);
	*event = cuda_event();
	CU_OK(cu.cuEventRecord(*event, streams[stream]));
}

static void destroy_events(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		CU_OK(cu.cuEventDestroy_v2(events[i]));
}

/* --- events ------------------------------------------------------------------------------ */

static double event_us(unsigned count)
{
	const unsigned rounds = count < launches ? launches / count : 1;
	double spent_us = 0;
	for (unsigned round = 0; round < rounds; round++) {
		const double start_us = bench_us();
		for (unsigned i = 0; i < count; i++)
			launch_and_record(0, &events[i]);
		spent_us += bench_us() - start_us;
		CU_OK(cu.cuStreamSynchronize(streams[0]));
		destroy_events(count);
	}
	return spent_us / ((double)rounds * count);
}

static double wait_list_us(unsigned count)
{
	const unsigned rounds = count < launches ? launches / count / 10 + 1 : 1;
	double spent_us = 0;
	for (unsigned i = 0; i < count; i++)
		launch_and_record(0, &events[i]);
	for (unsigned round = 0; round < rounds; round++) {
		const double start_us = bench_us();
		for (unsigned i = 0; i < count; i++)
			CU_OK(cu.cuStreamWaitEvent(streams[1], events[i], 0));
		spent_us += bench_us() - start_us;
		CU_OK(cu.cuStreamSynchronize(streams[1]));
	}
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	destroy_events(count);
	return spent_us / ((double)rounds * count);
}

/* --- buffers ------------------------------------------------------------------------------ */

static void touch_buffer(unsigned i)
{
	void *arguments[] = {&buffers[i]};
	cuda_launch(streams[0], touch, 1, 1, arguments);
}

static double buffer_us(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		buffers[i] = cuda_memory(BUFFER_B);
		touch_buffer(i);
	}
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	const double start_us = bench_us();
	for (unsigned i = 0; i < launches; i++)
		touch_buffer((unsigned)(i * 7919ull % count));
	const double spent_us = bench_us() - start_us;
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	for (unsigned i = 0; i < count; i++)
		CU_OK(cu.cuMemFree_v2(buffers[i]));
	return spent_us / launches;
}

/* --- streams and threads --------------------------------------------------------------------- */

static double stream_us(unsigned count)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < launches; i++)
		launch(i % count);
	const double spent_us = bench_us() - start_us;
	for (unsigned i = 0; i < count; i++)
		CU_OK(cu.cuStreamSynchronize(streams[i]));
	return spent_us / launches;
}

static void give_share(void *context, unsigned index)
{
	const unsigned share = launches / *(const unsigned *)context;
	cuda_use(0);
	for (unsigned i = 0; i < share; i++)
		launch(index);
	CU_OK(cu.cuStreamSynchronize(streams[index]));
}

static double thread_us(unsigned count)
{
	return bench_threads_us(count, give_share, &count) / (launches / count * count);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void measure_memory(void)
{
	const unsigned count = (unsigned)bench_pick(50000, 20000, 100);
	const unsigned stream_count = (unsigned)bench_pick(64, 64, 8);
	CUstream more[MOST_STREAMS];
	double before_B = scale_resident_B();
	for (unsigned i = 0; i < count; i++)
		launch_and_record(0, &events[i]);
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	scale_memory_row("memory of a kept event", scale_resident_B() - before_B, count);
	destroy_events(count);
	before_B = scale_resident_B();
	for (unsigned i = 0; i < count / 10; i++) {
		buffers[i] = cuda_memory(BUFFER_B);
		touch_buffer(i);
	}
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	scale_memory_row("memory of a buffer in use", scale_resident_B() - before_B, count / 10);
	for (unsigned i = 0; i < count / 10; i++)
		CU_OK(cu.cuMemFree_v2(buffers[i]));
	before_B = scale_resident_B();
	for (unsigned i = 0; i < stream_count; i++) {
		more[i] = cuda_stream();
		cuda_launch(more[i], empty, 1, 1, NULL);
		CU_OK(cu.cuStreamSynchronize(more[i]));
	}
	scale_memory_row("memory of a queue in use", scale_resident_B() - before_B, stream_count);
	for (unsigned i = 0; i < stream_count; i++)
		CU_OK(cu.cuStreamDestroy_v2(more[i]));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	cuda_open("scale", 1);
	const unsigned most_events = (unsigned)bench_pick(1000000, 100000, 100);
	const unsigned most_buffers = (unsigned)bench_pick(100000, 10000, 100);
	launches = (unsigned)bench_pick(LAUNCHES, LAUNCHES, 128);
	events = calloc(most_events, sizeof(CUevent));
	buffers = calloc(most_buffers, sizeof(CUdeviceptr));
	if (!events || !buffers)
		bench_fail(__FILE__, __LINE__, "calloc", 0);
	empty = cuda_function(0, "empty");
	touch = cuda_function(0, "touch");
	for (unsigned i = 0; i < MOST_STREAMS; i++)
		streams[i] = cuda_stream();
	measure_memory();
	scale_rows("a launch and its event among so many", 10, most_events, event_us);
	scale_rows("an event of a wait list of so many", 10, most_events / 10, wait_list_us);
	scale_rows("a launch on one of so many buffers", 10, most_buffers, buffer_us);
	scale_rows("a launch on queues in turn, so many", 2, MOST_STREAMS, stream_us);
	scale_rows("a launch by threads, so many", 2, MOST_STREAMS, thread_us);
	for (unsigned i = 0; i < MOST_STREAMS; i++)
		CU_OK(cu.cuStreamDestroy_v2(streams[i]));
	free(events);
	free(buffers);
	return cuda_close();
}
