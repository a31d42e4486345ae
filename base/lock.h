/* Mutexes with a rank.
 *
 * A thread that holds a lock may take only locks of higher rank, so that no two threads can wait for each other.
 * Builds with --enable-debug check this and stop the process at the first violation; in other builds the ranks cost
 * nothing.  Nothing slow and no code of others runs under a lock: no callback of the application, no blocking CUDA
 * call, no compilation, no disk access, no release of a reference.
 *
 * Thread-safe, except lock_init and lock_finish. */
#ifndef CULVERT_BASE_LOCK_H
#define CULVERT_BASE_LOCK_H

#include <pthread.h>
#include <stdint.h>

enum lock_rank {
	LOCK_RANK_PLATFORM = 1,
	LOCK_RANK_CONTEXT,
	LOCK_RANK_PROGRAM,
	LOCK_RANK_KERNEL,
	LOCK_RANK_COMMAND_BUFFER,
	LOCK_RANK_QUEUE,
	LOCK_RANK_MIRRORS,
	LOCK_RANK_MEM,
	LOCK_RANK_EVENT,
	LOCK_RANK_GPU,
	LOCK_RANK_CACHE,
	LOCK_RANK_LOG
};

struct lock {
	pthread_mutex_t mutex;
	enum lock_rank rank;
};

#define LOCK_INIT(rank_) {PTHREAD_MUTEX_INITIALIZER, (rank_)}

/* Returns 0 or ENOMEM. */
int lock_init(struct lock *lock, enum lock_rank rank);
void lock_finish(struct lock *lock);
void lock_take(struct lock *lock);
void lock_drop(struct lock *lock);
/* In builds with --enable-debug it stops the process when the calling thread holds a lock.  Functions that may block
 * or call the application begin with it. */
void lock_assert_none(void);

/* Condition variables on the monotonic clock. */
struct lock_condition {
	pthread_cond_t condition;
};

int lock_condition_init(struct lock_condition *condition);
void lock_condition_finish(struct lock_condition *condition);
void lock_condition_wait(struct lock_condition *condition, struct lock *lock);
/* Returns 0, or ETIMEDOUT once timeout_ns have passed. */
int lock_condition_wait_for(struct lock_condition *condition, struct lock *lock,
			    uint64_t timeout_ns);
void lock_condition_signal_all(struct lock_condition *condition);

#endif
