/* Protects: threads that share one copy (backend/gpu_crew.h): every piece of a job is done once, by whoever comes,
 * and no helper is still at a job when its caller goes on, in whose stack it lies.  Jobs of several callers at once.
 *
 * Seen to fail with each of these mistakes in gpu_crew.c: a caller does not wait for helpers that were awake, or for
 * those that were called; a job that nobody came to stays in the list; a job is given to a helper's seat twice. */
#include "config.h"

#include "backend/gpu_crew.h"

#include "tests/unit/test.h"

#include <pthread.h>
#include <stdlib.h>

enum { CALLERS = 3, JOBS = 300, PIECES = 64, HELPERS = 3 };

/* Of the crew's job it is the first member; dead once its caller has gone on. */
struct job {
	struct gpu_crew_job base;
	atomic_uint next;
	atomic_uint done[PIECES];
	atomic_uint inside; /* threads that are at it */
	atomic_bool over;   /* the caller has gone on */
};

static void job_work(struct gpu_crew_job *base)
{
	struct job *job = (struct job *)base;
	atomic_fetch_add(&job->inside, 1);
	CHECK(!atomic_load(&job->over));
	for (unsigned piece; (piece = atomic_fetch_add(&job->next, 1)) < PIECES;) {
		for (unsigned i = 0; i < 200; i++)
			gpu_spin();
		atomic_fetch_add(&job->done[piece], 1);
	}
	CHECK(!atomic_load(&job->over));
	atomic_fetch_sub(&job->inside, 1);
}

/* What the caller may do instead: nothing, so that helpers do all that is done. */
static void job_lead(struct gpu_crew_job *base)
{
	struct job *job = (struct job *)base;
	while (atomic_load(&job->next) < PIECES / 2 && !job->base.brief)
		job_work(base);
}

static void job_run(unsigned number, unsigned helpers)
{
	struct job *job = calloc(1, sizeof(*job));
	if (!job)
		abort();
	job->base.work = job_work;
	job->base.lead = number % 3 ? NULL : job_lead;
	job->base.brief = number % 2;
	gpu_crew_run(&job->base, helpers);
	CHECK_EQ(atomic_load(&job->inside), 0);
	for (unsigned i = 0; i < PIECES; i++) {
		const unsigned done = atomic_load(&job->done[i]);
		/* A leader who does nothing has all done by helpers, or none where none came. */
		CHECK(done == 1 || (job->base.lead && !done && job->base.brief));
	}
	atomic_store(&job->over, true);
	free(job);
}

static void *caller(void *number)
{
	for (unsigned i = 0; i < JOBS; i++)
		job_run(i + (unsigned)(uintptr_t)number, i % (HELPERS + 1));
	return NULL;
}

static void shared_jobs(void)
{
	pthread_t threads[CALLERS];
	for (uintptr_t i = 0; i < CALLERS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, caller, (void *)i));
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

static void size_as_told(void)
{
	setenv("CULVERT_COPY_THREADS", "3", 1);
	CHECK_EQ(gpu_crew_size(), 3);
}

TEST_MAIN(TEST(size_as_told), TEST(shared_jobs))
