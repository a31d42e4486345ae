/* Protects: one thread at a time uses a place of a function's repeated launches, with all that the last one left
 * there. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_repeat.c"

struct cuda_symbols cuda;

static struct gpu_stream streams[2];
static struct gpu_device device;
static struct gpu_function function;
static struct gpu_repeats repeats;
static unsigned uses;

static void setup(void)
{
	uses = 0;
	streams[0].id = 0;
	streams[1].id = PLACES;
	streams[0].device = streams[1].device = &device;
	atomic_flag_clear(&repeats.places[0].taken);
	repeats.places[0].stream = 0;
	repeats.places[0].misses = 0;
	atomic_init(&function.repeats, &repeats);
}

static void launch(struct gpu_stream *stream)
{
	struct repeat *repeat = repeat_take(stream, &function);
	if (!repeat)
		return;
	assert(repeat->stream == stream->id + 1);
	uses++;
	repeat_give(repeat);
}

LITMUS_THREAD(launch_first)
{
	launch(&streams[0]);
}

LITMUS_THREAD(launch_second)
{
	launch(&streams[1]);
}

LITMUS_THREAD(launch_again)
{
	launch(&streams[0]);
}

static void finish(void)
{
	assert(uses >= 1 && uses <= 3);
}

LITMUS_3(setup, launch_first, launch_second, launch_again, finish)
