/* Protects: a stream never has fewer operations than are known to be complete, and what is known to be complete is so
 * for who learns of it: memory that the operation wrote may be read. */
#include "config.h"

#include "tests/litmus/driver.h"

#include "backend/gpu_stream.c"

static struct gpu_device device;
static struct gpu_stream stream;
static unsigned written[2];

static void setup(void)
{
	driver_set_up();
	stream.device = &device;
	written[0] = written[1] = 0;
	atomic_init(&stream.last, 0);
	atomic_init(&stream.done, 0);
}

/* Puts an operation in; the driver completes it at once, by the time that somebody asks. */
LITMUS_THREAD(put_and_ask)
{
	written[0] = 1;
	gpu_stream_count(&stream);
	assert(gpu_stream_reached(&stream, 1));
}

LITMUS_THREAD(put_after)
{
	if (!gpu_stream_is_known_past(&stream, 1))
		return;
	assert(written[0] == 1);
	written[1] = 1;
	gpu_stream_count(&stream);
	assert(gpu_stream_reached(&stream, 2));
}

LITMUS_THREAD(look)
{
	assert(gpu_stream_outstanding(&stream) <= 2);
	if (gpu_stream_is_known_past(&stream, 2))
		assert(written[0] == 1 && written[1] == 1);
}

static void finish(void)
{
	assert(!gpu_stream_outstanding(&stream));
}

LITMUS_3(setup, put_and_ask, put_after, look, finish)
