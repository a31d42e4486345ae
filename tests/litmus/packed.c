/* Protects: whoever opens packed bytes gets unpacked ones, all the same ones, and the copy of a slower thread is
 * freed. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "base/packed.c"

static struct packed_bytes packed;
static char content[1];

bool unpack(const void *data, size_t size_B, struct bytes *bytes)
{
	(void)data;
	bytes->data = content;
	bytes->size_B = size_B;
	return true;
}

void bytes_finish(struct bytes *bytes)
{
	(void)bytes;
}

static void setup(void)
{
	packed = (struct packed_bytes){.bytes = {.data = content, .size_B = 1}, .packed = true};
}

static const struct bytes *seen[2];

static void open_as(unsigned number)
{
	const struct bytes *open = packed_bytes_open(&packed);
	assert(open && open->data == content && open->size_B == 1);
	seen[number] = open;
}

LITMUS_THREAD(open_first)
{
	open_as(0);
}

LITMUS_THREAD(open_second)
{
	open_as(1);
}

static void finish(void)
{
	assert(seen[0] == seen[1]);
	packed_bytes_finish(&packed);
}

LITMUS_2(setup, open_first, open_second, finish)
