#include "config.h"

#include "icd/compile/builders.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/processors.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUILDERS_MAX = 16 };

static struct {
	struct lock lock;                /* guards all fields below; held while threads wait */
	bool ready;
	bool stopping;                   /* the process is ending */
	struct list tasks;               /* tasks that have not begun */
	struct lock_condition settled;   /* a task is done, or running became 0 */
	unsigned running;                /* number of tasks that builder threads are running */
	unsigned threads;                /* number of threads that take tasks, without those in a function of the
					  * application */
	pid_t process;                   /* the process whose exit handler is registered */
} builders = {.lock = LOCK_INIT(LOCK_RANK_EVENT)};

static bool in_queue(const struct ocl_builder_task *task)
{
	return !list_empty(&task->link);
}

static unsigned threads_max(void)
{
	const unsigned cores = processors_usable();
	return cores < 2 ? 2 : cores > BUILDERS_MAX ? BUILDERS_MAX : cores;
}

static bool thread_make(void);

/* --- the threads ---------------------------------------------------------------------- */

static void run_one_locked(struct ocl_builder_task *task)
{
	bool joined = task->joined;
	list_remove(&task->link);
	builders.running++;
	lock_drop(&builders.lock);
	void (*after)(struct ocl_builder_task *) = task->run(task);
	lock_take(&builders.lock);
	builders.running--;
	if (joined)
		task->done = true;
	lock_condition_signal_all(&builders.settled);
	if (!after)
		return;
	/* A thread that calls the application takes no tasks until it returns; meanwhile another thread may be
	 * started. */
	builders.threads--;
	if (!list_empty(&builders.tasks) && builders.threads < threads_max())
		builders.threads += thread_make();
	lock_drop(&builders.lock);
	after(task);
	lock_take(&builders.lock);
	builders.threads++;
}

static void *builder_main(void *unused)
{
	(void)unused;
	lock_take(&builders.lock);
	while (!list_empty(&builders.tasks) && !builders.stopping &&
	       builders.threads <= threads_max())
		run_one_locked(list_entry(builders.tasks.next, struct ocl_builder_task, link));
	builders.threads--;
	lock_drop(&builders.lock);
	return NULL;
}

static bool thread_make(void)
{
	const int failed = thread_start_detached(builder_main);
	if (failed)
		log_warn("cannot start a thread for a build: error %d", failed);
	return !failed;
}

static bool tables_make_locked(void)
{
	if (builders.ready)
		return true;
	if (lock_condition_init(&builders.settled))
		return false;
	list_init(&builders.tasks);
	builders.ready = true;
	return true;
}

/* --- orders ----------------------------------------------------------------------------- */

bool ocl_builders_begin(struct ocl_builder_task *task)
{
	bool begun = false;
	task->done = false;
	list_init(&task->link);
	lock_take(&builders.lock);
	if (!builders.stopping && tables_make_locked()) {
		list_append(&builders.tasks, &task->link);
		if (builders.threads < threads_max())
			builders.threads += thread_make();
		begun = builders.threads;
		if (!begun)
			list_remove(&task->link);
	}
	lock_drop(&builders.lock);
	return begun;
}

void ocl_builders_join(struct ocl_builder_task *task)
{
	lock_assert_none();
	lock_take(&builders.lock);
	bool mine = in_queue(task);
	if (mine)
		list_remove(&task->link);
	while (!mine && !task->done)
		lock_condition_wait(&builders.settled, &builders.lock);
	lock_drop(&builders.lock);
	if (!mine)
		return;
	(void)task->run(task);
	task->done = true;
}

/* --- the end of the process ----------------------------------------------------------------- */

static void stop_at_exit(void)
{
	static const uint64_t patience_ns = 30000000000u;
	const uint64_t start_ns = host_now_ns();
	/* A child after fork has none of these threads, and perhaps a lock that stays taken (as in complete.c). */
	if (getpid() != builders.process)
		return;
	lock_take(&builders.lock);
	builders.stopping = true;
	while (builders.running && host_now_ns() - start_ns < patience_ns)
		(void)lock_condition_wait_for(&builders.settled, &builders.lock, patience_ns);
	lock_drop(&builders.lock);
}

static void register_exit(void)
{
	builders.process = getpid();
	if (atexit(stop_at_exit))
		log_warn("cannot register an exit handler: the process does not wait for running builds when it ends");
}

void ocl_builders_guard_exit(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, register_exit);
}
