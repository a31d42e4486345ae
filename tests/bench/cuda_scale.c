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
static CUstream more_streams[MOST_STREAMS];
static CUmodule modules[MOST_STREAMS];

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

static void settle(void)
{
	CU_OK(cu.cuStreamSynchronize(streams[0]));
}

static void make_event(unsigned i)
{
	launch_and_record(0, &events[i]);
}

static void release_event(unsigned i)
{
	CU_OK(cu.cuEventDestroy_v2(events[i]));
}

static void make_buffer(unsigned i)
{
	buffers[i] = cuda_memory(BUFFER_B);
}

static void make_used_buffer(unsigned i)
{
	make_buffer(i);
	touch_buffer(i);
}

static void release_buffer(unsigned i)
{
	CU_OK(cu.cuMemFree_v2(buffers[i]));
}

static void make_stream(unsigned i)
{
	more_streams[i] = cuda_stream();
	cuda_launch(more_streams[i], empty, 1, 1, NULL);
	CU_OK(cu.cuStreamSynchronize(more_streams[i]));
}

static void release_stream(unsigned i)
{
	CU_OK(cu.cuStreamDestroy_v2(more_streams[i]));
}

/* A program's twin is a module. */
static void make_module(unsigned i)
{
	static const char ptx[] =
		".version 6.0\n.target sm_50\n.address_size 64\n"
		".visible .entry touch(.param .u64 counter)\n{\n"
		"\t.reg .u64 %a;\n\t.reg .u32 %v;\n"
		"\tld.param.u64 %a, [counter];\n\tld.global.u32 %v, [%a];\n"
		"\tadd.u32 %v, %v, 1;\n\tst.global.u32 [%a], %v;\n\tret;\n}\n";
	CUfunction function;
	void *arguments[] = {&buffers[0]};
	CU_OK(cu.cuModuleLoadData(&modules[i], ptx));
	CU_OK(cu.cuModuleGetFunction(&function, modules[i], "touch"));
	cuda_launch(streams[0], function, 1, 1, arguments);
	CU_OK(cu.cuStreamSynchronize(streams[0]));
}

static void release_module(unsigned i)
{
	CU_OK(cu.cuModuleUnload(modules[i]));
}

static void measure_memory(void)
{
	const unsigned many = (unsigned)bench_pick(50000, 20000, 100);
	const unsigned few = (unsigned)bench_pick(MOST_STREAMS, MOST_STREAMS, 4);
	const struct scale_kind kinds[] = {
		{"a kept event", many, make_event, settle, release_event},
		{"a buffer", many / 10, make_buffer, settle, release_buffer},
		{"a buffer in use", many / 10, make_used_buffer, settle, release_buffer},
		{"a queue in use", few, make_stream, settle, release_stream},
	};
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		scale_memory(&kinds[i]);
	scale_memory_skip("a user event", "CUDA has no user events");
	const struct scale_kind program = {"a program", few, make_module, settle, release_module};
	scale_memory_skip("a kernel", "a CUfunction belongs to its module");
	make_used_buffer(0);
	scale_memory(&program);
	release_buffer(0);
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
	scale_rows("a launch behind one of so many user events", 10, most_events, NULL);
	for (unsigned i = 0; i < MOST_STREAMS; i++)
		CU_OK(cu.cuStreamDestroy_v2(streams[i]));
	free(events);
	free(buffers);
	return cuda_close();
}
