/* What the models of this folder have in common.
 *
 * A model is a small program of two to four threads that use one part of the product which threads share without a
 * lock.  It includes the part's own file, so that it has the functions of the product and not copies of them; what they
 * call beyond that is played by the model.  setup prepares a round, each thread's function runs once, and finish checks
 * what they left.
 *
 * As an ordinary program a model runs many rounds on this machine's processors.  With LITMUS_GENMC it is one round, of
 * which the model checker GenMC tries every execution that the memory model of C11 allows (litmus.sh). */
#ifndef CULVERT_TESTS_LITMUS_H
#define CULVERT_TESTS_LITMUS_H

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef LITMUS_GENMC

/* What GenMC's C library lacks and the product's files name.  Models call calloc only for structs whose fields they
 * set, and pthread_once for the first time in setup. */
#include <stdlib.h>
#define calloc(count, size) malloc((count) * (size))
#define realloc(from, size) ((void)(from), malloc(size))
/* GenMC copies no memory of a size that is not constant. */
#include <string.h>
#define memcpy(to, from, size_B) litmus_copy(to, from, size_B)
static inline void litmus_copy(void *to, const void *from, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++)
		((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

#define qsort(base, count, size_B, compare) ((void)(base), (void)(compare))

typedef int pthread_once_t;
static inline int pthread_once(pthread_once_t *once, void (*function)(void))
{
	if (*once)
		return 0;
	*once = 1;
	function();
	return 0;
}

enum { PTHREAD_CANCEL_DISABLE = 1 };
static inline int pthread_setcancelstate(int state, int *before_out)
{
	*before_out = state;
	return 0;
}

/* GenMC has mutexes but no conditions.  A thread that would sleep ends instead; litmus_none_sleeps tells whether each
 * of those has been signalled since. */
typedef struct {
	unsigned signals;                /* guarded by the lock that belongs to the condition */
} pthread_cond_t;
#include "base/lock.h"

enum { LITMUS_ROUNDS = 1, LITMUS_SLEEPERS = 4 };
static struct litmus_sleeper {
	const struct lock_condition *condition;
	unsigned signals;
} litmus_sleepers[LITMUS_SLEEPERS];
static atomic_uint litmus_sleeper_count;

int lock_init(struct lock *lock, enum lock_rank rank)
{
	lock->rank = rank;
	return pthread_mutex_init(&lock->mutex, NULL);
}

void lock_finish(struct lock *lock)
{
	(void)lock;
}

void lock_take(struct lock *lock)
{
	pthread_mutex_lock(&lock->mutex);
}

void lock_drop(struct lock *lock)
{
	pthread_mutex_unlock(&lock->mutex);
}

void lock_assert_none(void)
{
}

int lock_condition_init(struct lock_condition *condition)
{
	condition->condition.signals = 0;
	return 0;
}

void lock_condition_finish(struct lock_condition *condition)
{
	(void)condition;
}

void lock_condition_signal_all(struct lock_condition *condition)
{
	condition->condition.signals++;
}

void lock_condition_wait(struct lock_condition *condition, struct lock *lock)
{
	struct litmus_sleeper *sleeper = &litmus_sleepers[atomic_fetch_add(&litmus_sleeper_count, 1)];
	sleeper->condition = condition;
	sleeper->signals = condition->condition.signals;
	lock_drop(lock);
	pthread_exit(NULL);
}

static inline bool litmus_none_sleeps(void)
{
	for (unsigned i = 0; i < atomic_load(&litmus_sleeper_count); i++)
		if (litmus_sleepers[i].condition->condition.signals == litmus_sleepers[i].signals)
			return false;
	return true;
}

static inline void litmus_begin(void)
{
}

#else

#include "base/lock.h"

enum { LITMUS_ROUNDS = 2000 };
/* Threads begin together; otherwise the first one mostly ends before the last one is created. */
static atomic_uint litmus_missing;

static inline bool litmus_none_sleeps(void)
{
	return true;
}

static inline void litmus_begin(void)
{
	atomic_fetch_sub(&litmus_missing, 1);
	for (unsigned looks = 0; atomic_load(&litmus_missing) && looks < 10000; looks++)
		continue;
}

#endif

#ifdef LITMUS_GENMC
#define LITMUS_EXPECT(count)
#else
#define LITMUS_EXPECT(count) atomic_store(&litmus_missing, (count))
#endif

#define LITMUS_THREAD(name)                                                                        \
	static void name##_body(void);                                                             \
	static void *name(void *unused)                                                            \
	{                                                                                          \
		(void)unused;                                                                      \
		litmus_begin();                                                                    \
		name##_body();                                                                     \
		return NULL;                                                                       \
	}                                                                                          \
	static void name##_body(void)

#define LITMUS_ROUND(setup, finish, count, start, join)                                            \
	int main(void)                                                                             \
	{                                                                                          \
		pthread_t threads[count];                                                          \
		for (unsigned round = 0; round < LITMUS_ROUNDS; round++) {                         \
			setup();                                                                   \
			LITMUS_EXPECT(count);                                                      \
			start join                                                                 \
			finish();                                                                  \
		}                                                                                  \
		return 0;                                                                          \
	}
#define LITMUS_START(i, thread)                                                                    \
	if (pthread_create(&threads[i], NULL, thread, NULL))                                       \
		return 99;
#define LITMUS_JOIN(i) pthread_join(threads[i], NULL);

/* The program: rounds of setup, the threads, finish. */
#define LITMUS_2(setup, a, b, finish)                                                              \
	LITMUS_ROUND(setup, finish, 2, LITMUS_START(0, a) LITMUS_START(1, b),                      \
		     LITMUS_JOIN(0) LITMUS_JOIN(1))
#define LITMUS_3(setup, a, b, c, finish)                                                           \
	LITMUS_ROUND(setup, finish, 3, LITMUS_START(0, a) LITMUS_START(1, b) LITMUS_START(2, c),   \
		     LITMUS_JOIN(0) LITMUS_JOIN(1) LITMUS_JOIN(2))
#define LITMUS_4(setup, a, b, c, d, finish)                                                        \
	LITMUS_ROUND(setup, finish, 4,                                                             \
		     LITMUS_START(0, a) LITMUS_START(1, b) LITMUS_START(2, c) LITMUS_START(3, d),  \
		     LITMUS_JOIN(0) LITMUS_JOIN(1) LITMUS_JOIN(2) LITMUS_JOIN(3))

#endif
