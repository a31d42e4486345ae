#include "config.h"

#include "base/lock.h"

#include "base/cancel.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#ifdef CULVERT_DEBUG_CHECKS
#include <stdio.h>
#include <stdlib.h>

/* The ranks of the locks that this thread holds, lowest first; enough for all ranks and the storage locks of a
 * kernel's arguments. */
enum { HELD_MAX = 256 };
static _Thread_local const struct lock *held[HELD_MAX];
static _Thread_local unsigned held_count;

static void violation(const char *what, const struct lock *lock)
{
	fprintf(stderr, "culvert: lock rule broken: %s (rank %d", what,
		lock ? (int)lock->rank : 0);
	for (unsigned i = 0; i < held_count; i++)
		fprintf(stderr, ", holds %d", (int)held[i]->rank);
	fprintf(stderr, ")\n");
	/* Only in builds with lock checks, where an error has to end the process. */
	__builtin_trap();
}

static void note_taken(const struct lock *lock)
{
	const struct lock *last = held_count ? held[held_count - 1] : NULL;
	if (last && last->rank > lock->rank)
		violation("taken downwards", lock);
	if (last && last->rank == lock->rank)
		violation("two of one rank", lock);
	if (held_count == HELD_MAX)
		violation("too many locks", lock);
	held[held_count++] = lock;
}

static void note_dropped(const struct lock *lock)
{
	for (unsigned i = held_count; i-- > 0;) {
		if (held[i] != lock)
			continue;
		for (; i + 1 < held_count; i++)
			held[i] = held[i + 1];
		held_count--;
		return;
	}
	violation("dropped but not held", lock);
}

void lock_assert_none(void)
{
	if (held_count)
		violation("held across a wait or a call out", held[held_count - 1]);
}
#else
static void note_taken(const struct lock *lock)
{
	(void)lock;
}

static void note_dropped(const struct lock *lock)
{
	(void)lock;
}

void lock_assert_none(void)
{
}
#endif

int lock_init(struct lock *lock, enum lock_rank rank)
{
	lock->rank = rank;
	return pthread_mutex_init(&lock->mutex, NULL);
}

void lock_finish(struct lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

void lock_take(struct lock *lock)
{
	note_taken(lock);
	pthread_mutex_lock(&lock->mutex);
}

void lock_drop(struct lock *lock)
{
	note_dropped(lock);
	pthread_mutex_unlock(&lock->mutex);
}

int lock_condition_init(struct lock_condition *condition)
{
	pthread_condattr_t attributes;
	int error = pthread_condattr_init(&attributes);
	if (error)
		return error;
	error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (!error)
		error = pthread_cond_init(&condition->condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return error;
}

void lock_condition_finish(struct lock_condition *condition)
{
	pthread_cond_destroy(&condition->condition);
}

void lock_condition_wait(struct lock_condition *condition, struct lock *lock)
{
	note_dropped(lock);
	lock_assert_none();
	const int before = cancel_hold();
	pthread_cond_wait(&condition->condition, &lock->mutex);
	cancel_restore(before);
	note_taken(lock);
}

int lock_condition_wait_for(struct lock_condition *condition, struct lock *lock,
			    uint64_t timeout_ns)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	uint64_t ns = (uint64_t)until.tv_nsec + timeout_ns % 1000000000u;
	until.tv_sec += (time_t)(timeout_ns / 1000000000u + ns / 1000000000u);
	until.tv_nsec = (long)(ns % 1000000000u);
	note_dropped(lock);
	lock_assert_none();
	const int before = cancel_hold();
	int error = pthread_cond_timedwait(&condition->condition, &lock->mutex, &until);
	cancel_restore(before);
	note_taken(lock);
	return error == ETIMEDOUT ? ETIMEDOUT : 0;
}

void lock_condition_signal_all(struct lock_condition *condition)
{
	pthread_cond_broadcast(&condition->condition);
}
