/* Protects: a thread that leaves out a wait, because another thread has put the same wait into the stream, records an
 * event that comes after the wait, in the driver and by its sequence. */
#include "config.h"

#include "tests/litmus/driver.h"

#include "backend/gpu_event.c"
#include "backend/gpu_stream.c"

static struct gpu_device device;
static struct gpu_stream awaited, stream;
static struct CUstream_st cu_stream;
static struct CUevent_st cu_events[2];
static struct gpu_event before, records[2];

static void setup(void)
{
	driver_set_up();
	cu_stream.waits = false;
	awaited.device = stream.device = &device;
	awaited.id = 1;
	atomic_init(&awaited.done, 0);
	stream.id = 2;
	stream.cu_stream = &cu_stream;
	atomic_init(&stream.last, 0);
	atomic_init(&stream.done, 0);
	atomic_init(&stream.seen[1], 0);
	before.stream = &awaited;
	before.sequence = 1;
	for (unsigned i = 0; i < 2; i++)
		records[i].cu_event = &cu_events[i];
}

static void wait_and_record(unsigned number)
{
	struct gpu_scope scope = {0};
	assert(!gpu_stream_wait_event(&stream, &before));
	assert(!record(&stream, &records[number], &scope));
	assert(cu_events[number].after_wait && records[number].sequence >= 1);
}

LITMUS_THREAD(wait_first)
{
	wait_and_record(0);
}

LITMUS_THREAD(wait_second)
{
	wait_and_record(1);
}

static void finish(void)
{
	const uint64_t last = gpu_stream_last(&stream);
	assert(last == 1 || last == 2);
}

LITMUS_2(setup, wait_first, wait_second, finish)
