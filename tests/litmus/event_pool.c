/* Protects: the thread that takes an event from a queue's pool has all that the thread which released it did with it,
 * and no event is lost or taken twice. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "icd/order/event.h"

#define __builtin_prefetch(...) ((void)0)
#include "icd/order/event_pool.c"

static struct ocl_event_pool pool;
static struct _cl_event events[2];
static unsigned taken;

static void setup(void)
{
	pool.ready = NULL;
	atomic_init(&pool.returned, NULL);
	atomic_init(&pool.returned_count, 0);
	events[0].before_sequence = events[1].before_sequence = 0;
	taken = 0;
}

static void put(cl_event event)
{
	event->before_sequence = 1;
	assert(ocl_event_pool_put(&pool, event));
}

LITMUS_THREAD(put_first)
{
	put(&events[0]);
}

LITMUS_THREAD(put_second)
{
	put(&events[1]);
}

static void take(void)
{
	cl_event event = ocl_event_pool_take(&pool);
	if (!event)
		return;
	assert(event->before_sequence == 1);
	event->before_sequence = 2;
	taken++;
}

LITMUS_THREAD(take_two)
{
	take();
	take();
}

static void finish(void)
{
	take();
	take();
	assert(taken == 2 && !ocl_event_pool_take(&pool));
}

LITMUS_3(setup, put_first, put_second, take_two, finish)
