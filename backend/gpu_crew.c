#include "config.h"

#include "backend/gpu_crew.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>

/* CREW_MAX: of one process.  A program that copies once will do so again soon, or not at
 * all. */
enum { CREW_MAX = 7, CORES_PER_THREAD = 2, SHARES_MAX = 4 };
static const uint64_t patience_ns = 500000000;

static struct {
	struct lock lock;                /* guards all below */
	bool ready;                      /* the list and the conditions are made */
	struct list jobs;                /* gpu_crew_job.link: those that want helpers */
	struct lock_condition called;    /* there is one */
	struct lock_condition left;      /* a job's last helper is done with it */
	unsigned members, idle;
} crew = {.lock = LOCK_INIT(LOCK_RANK_GPU)};

static unsigned shares;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void shares_count(void)
{
	const uint64_t wanted = option_number(OPTION_COPY_THREADS);
	cpu_set_t cores;
	unsigned count = 1;
	if (!wanted && !sched_getaffinity(0, sizeof(cores), &cores))
		count = (unsigned)CPU_COUNT(&cores) / CORES_PER_THREAD;
	if (count > SHARES_MAX)
		count = SHARES_MAX;
	if (wanted)
		count = wanted > CREW_MAX + 1 ? CREW_MAX + 1 : (unsigned)wanted;
	shares = count ? count : 1;
}

unsigned gpu_crew_size(void)
{
	pthread_once(&once, shares_count);
	return shares;
}

/* --- helpers --- */

static struct gpu_crew_job *join_locked(void)
{
	if (list_empty(&crew.jobs))
		return NULL;
	struct gpu_crew_job *job = list_entry(crew.jobs.next, struct gpu_crew_job, link);
	job->helping++;
	if (!--job->wanted)
		list_remove(&job->link);
	return job;
}

static void leave_locked(struct gpu_crew_job *job)
{
	if (!--job->helping)
		lock_condition_signal_all(&crew.left);
}

/* false: nobody has called for long. */
static bool wait_locked(void)
{
	crew.idle++;
	const bool called = lock_condition_wait_for(&crew.called, &crew.lock, patience_ns) !=
			    ETIMEDOUT;
	crew.idle--;
	return called || !list_empty(&crew.jobs);
}

static void *helper_main(void *unused)
{
	bool stays = true;
	(void)unused;
	/* For whoever looks at the threads of a process. */
	(void)prctl(PR_SET_NAME, "culvert-copy");
	lock_take(&crew.lock);
	while (stays) {
		struct gpu_crew_job *job = join_locked();
		if (!job) {
			stays = wait_locked();
			continue;
		}
		lock_drop(&crew.lock);
		job->work(job);
		lock_take(&crew.lock);
		leave_locked(job);
	}
	crew.members--;
	lock_drop(&crew.lock);
	return NULL;
}

static bool helper_make(void)
{
	const int failed = thread_start_detached(helper_main);
	if (failed)
		log_info("cannot start a thread for copies: error %d", failed);
	return !failed;
}

/* --- jobs --- */

static bool ready_locked(void)
{
	if (crew.ready)
		return true;
	if (lock_condition_init(&crew.called))
		return false;
	if (lock_condition_init(&crew.left)) {
		lock_condition_finish(&crew.called);
		return false;
	}
	list_init(&crew.jobs);
	crew.ready = true;
	return true;
}

static void call_locked(struct gpu_crew_job *job, unsigned helpers)
{
	if (!helpers || !ready_locked())
		return;
	job->wanted = helpers;
	list_append(&crew.jobs, &job->link);
	for (unsigned i = crew.idle; i < helpers && crew.members < CREW_MAX; i++) {
		if (!helper_make())
			break;
		crew.members++;
	}
	lock_condition_signal_all(&crew.called);
}

void gpu_crew_run(struct gpu_crew_job *job, unsigned helpers)
{
	list_init(&job->link);
	job->wanted = job->helping = 0;
	lock_assert_none();
	lock_take(&crew.lock);
	call_locked(job, helpers);
	lock_drop(&crew.lock);
	job->work(job);
	lock_take(&crew.lock);
	/* Nothing is left: who has not come need not. */
	list_remove(&job->link);
	while (job->helping)
		lock_condition_wait(&crew.left, &crew.lock);
	lock_drop(&crew.lock);
}
