/* Protects: the pages of softcuda's trace of accesses: each is made once, and is whole for the thread that finds it. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "softcuda/check/trace.c"

static struct soft_trace trace;
static struct page *found[3];

/* Both pages are in one bucket. */
enum { PAGE = 1, NEIGHBOUR = 4096 + 0 };

static void setup(void)
{
	atomic_init(&trace.buckets[1], NULL);
	atomic_init(&trace.page_count, 0);
}

LITMUS_THREAD(find_first)
{
	found[0] = page_at(&trace, PAGE);
	assert(found[0]->number == PAGE);
}

LITMUS_THREAD(find_again)
{
	found[1] = page_at(&trace, PAGE);
	assert(found[1]->number == PAGE);
}

LITMUS_THREAD(find_neighbour)
{
	found[2] = page_at(&trace, NEIGHBOUR);
	assert(found[2]->number == NEIGHBOUR);
}

static void finish(void)
{
	assert(found[0] == found[1] && found[0] != found[2]);
	assert(atomic_load(&trace.page_count) == 2);
	free(found[0]);
	free(found[2]);
}

LITMUS_3(setup, find_first, find_again, find_neighbour, finish)
