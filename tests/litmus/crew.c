/* Protects: a helper that polls its seat gets a job as its caller wrote it, the caller gets what the helper did, nobody
 * touches the job after the caller has gone on, and a caller that sleeps until the helper has finished is woken. */
#include "config.h"

#include "tests/litmus/litmus.h"

#include "backend/gpu_crew.h"
#define gpu_spin() ((void)0)
#include "backend/gpu_crew.c"

static struct gpu_crew_job job;
static unsigned input, output, begun;
static _Thread_local unsigned looks;

/* Each look at the clock is later than a thread stays awake. */
uint64_t host_now_ns(void)
{
	return ++looks * 2ull * AWAKE_NS;
}

static void work(struct gpu_crew_job *own)
{
	assert(own == &job && input == 1);
	output = 1;
}

static void setup(void)
{
	assert(ready_locked());
	input = output = begun = 0;
	job.work = work;
	atomic_init(&job.handed_back, 0);
	atomic_init(&seats[0].job, NULL);
	atomic_init(&crew.waiting, 0);
}

LITMUS_THREAD(call)
{
	input = 1;
	const unsigned given = seats_give(&job, 1);
	const unsigned came = seats_take_back(&job, given);
	begun = came;
	handed_back_wait(&job, came);
	assert(output == came);
	/* The job was on the caller's stack. */
	job.work = NULL;
}

LITMUS_THREAD(help)
{
	work_while_awake(&seats[0]);
}

static void finish(void)
{
	assert(output == begun && litmus_none_sleeps());
}

LITMUS_2(setup, call, help, finish)
