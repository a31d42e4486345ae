/* A storm: eight threads make objects of a kind, use, retain and release them at once.  What one
 * thread makes another one often ends: each puts its object into a place that all share, and goes on
 * with the one that was there.  An object is used by one thread at a time. */
#ifndef CULVERT_TESTS_API_STORM_H
#define CULVERT_TESTS_API_STORM_H

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { STORM_THREADS = 8, STORM_ROUNDS = 60 };

struct storm_kind {
	const char *name;
	void *(*make)(void);
	bool (*ask)(void *);             /* anything that touches it */
	cl_int (*retain)(void *);
	cl_int (*release)(void *);
	_Atomic(void *) shared;          /* the place for one of any thread's */
};

/* NAME_retain and NAME_release. */
#define STORM_COUNTING(name, type, function_retain, function_release)                             \
	static cl_int name##_retain(void *object) { return function_retain((type)object); }      \
	static cl_int name##_release(void *object) { return function_release((type)object); }

static struct {
	struct storm_kind *kinds;
	unsigned count;
	bool (*uncounted)(void);         /* makes and ends what has no counts */
	pthread_barrier_t together;
	atomic_uint made, destroyed;     /* memory objects and contexts with a callback */
} storm;

/* --- memory objects say when they go ------------------------------------------------------------- */

static inline void CL_CALLBACK storm_mem_gone(cl_mem mem, void *user)
{
	(void)mem;
	(void)user;
	atomic_fetch_add(&storm.destroyed, 1);
}

static inline cl_mem storm_watched(cl_mem mem)
{
	if (mem && !clSetMemObjectDestructorCallback(mem, storm_mem_gone, NULL))
		atomic_fetch_add(&storm.made, 1);
	return mem;
}

/* Callbacks come from another thread, after the last command. */
static inline void storm_check_destroyed(unsigned watched_kinds)
{
	const struct timespec pause = {0, 1000000};
	for (unsigned i = 0; i < 10000 && atomic_load(&storm.destroyed) != atomic_load(&storm.made);
	     i++)
		nanosleep(&pause, NULL);
	CHECK(atomic_load(&storm.destroyed) == atomic_load(&storm.made));
	CHECK(atomic_load(&storm.made) == watched_kinds * STORM_THREADS * STORM_ROUNDS);
}

/* --- the storm ------------------------------------------------------------------------------------ */

/* One object: retained and released once more than it is made and ended. */
static inline bool storm_round(struct storm_kind *kind)
{
	void *object = kind->make();
	if (!object || kind->retain(object) || !kind->ask(object) || kind->release(object))
		return false;
	object = atomic_exchange(&kind->shared, object);
	return !object || (kind->ask(object) && !kind->release(object));
}

static inline void *storm_thread(void *data)
{
	(void)data;
	for (unsigned i = 0; i < storm.count; i++) {
		bool good = true;
		pthread_barrier_wait(&storm.together);
		for (unsigned round = 0; round < STORM_ROUNDS; round++)
			good &= storm_round(&storm.kinds[i]);
		api_test_check(good, storm.kinds[i].name, __FILE__, __LINE__);
	}
	pthread_barrier_wait(&storm.together);
	bool good = true;
	for (unsigned round = 0; round < STORM_ROUNDS; round++)
		good &= storm.uncounted();
	CHECK(good);
	return NULL;
}

static inline void storm_run(struct storm_kind *kinds, unsigned count, bool (*uncounted)(void))
{
	pthread_t threads[STORM_THREADS];
	storm.kinds = kinds;
	storm.count = count;
	storm.uncounted = uncounted;
	if (!CHECK(!pthread_barrier_init(&storm.together, NULL, STORM_THREADS)))
		return;
	for (unsigned i = 0; i < STORM_THREADS; i++)
		if (!CHECK(!pthread_create(&threads[i], NULL, storm_thread, NULL)))
			exit(1);
	for (unsigned i = 0; i < STORM_THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (unsigned i = 0; i < count; i++)
		CHECK_OK(kinds[i].release(atomic_load(&kinds[i].shared)));
	pthread_barrier_destroy(&storm.together);
}

/* What all threads used has no more owners than before. */
static inline void storm_check_counts(cl_context context, cl_command_queue queue)
{
	cl_uint count = 0;
	CHECK_OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 1);
	CHECK_OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count,
				       NULL));
	CHECK(count == 1);
}

#endif
