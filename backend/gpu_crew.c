#include "config.h"

#include "backend/gpu_crew.h"

#include "backend/gpu.h"

#include "base/cache_line.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/processors.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>

/* CREW_MAX is for the whole process.  A helper waits this long for the next job, because a program that copies once
 * mostly copies again soon, or not at all. */
enum { CREW_MAX = 7, CORES_PER_THREAD = 2, SHARES_MAX = 6 };
static const uint64_t patience_ns = 500000000;
/* How long a helper polls for the next job after one, and how often it polls between two looks at the clock. */
enum { AWAKE_NS = 100000, LOOKS = 64 };

static struct {
	struct lock lock;                /* guards all fields below */
	bool ready;                      /* the list and the conditions are initialized */
	struct list jobs;                /* gpu_crew_job.link: the jobs that want helpers */
	struct lock_condition called;    /* signalled when jobs gets a job */
	struct lock_condition left;      /* signalled when the last helper of a job has finished */
	unsigned members, idle;          /* number of helper threads, and of those that sleep */
	unsigned seated;                 /* bit i: a helper has seats[i] */
	atomic_uint waiting;             /* number of callers that sleep until the helpers of their job have finished */
	_Atomic uint64_t last_ns;        /* when the last job began; 0: there was none */
} crew = {.lock = LOCK_INIT(LOCK_RANK_GPU)};

static unsigned shares;
static bool alone;                       /* there is one processor */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void shares_count(void)
{
	const uint64_t wanted = option_number(OPTION_COPY_THREADS);
	const unsigned processors = processors_usable();
	unsigned count = processors / CORES_PER_THREAD;
	alone = processors == 1;
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

void gpu_crew_let_others(void)
{
	if (alone)
		(void)sched_yield();
	else
		gpu_spin();
}

/* --- seats ---
 *
 * Where a helper that is awake takes a job: neither side needs a lock, for which several
 * helpers called at once would stand in line, asleep.  A caller puts the job there in place
 * of `awake`, and takes it back when he is done and it is still there. */

static struct gpu_crew_job awake;
static struct seat {
	/* NULL: no helper is polling this seat. */
	_Alignas(CACHE_LINE_APART_B) _Atomic(struct gpu_crew_job *) job;
} seats[CREW_MAX];

static bool seat_change(struct seat *seat, struct gpu_crew_job *from, struct gpu_crew_job *to)
{
	return atomic_compare_exchange_strong(&seat->job, &from, to);
}

/* Polls the seat for a job; NULL: none came within AWAKE_NS.  A helper that polled the only processor would keep it
 * from the caller. */
static struct gpu_crew_job *seat_watch(struct seat *seat)
{
	if (alone)
		return NULL;
	const uint64_t start_ns = host_now_ns();
	atomic_store(&seat->job, &awake);
	for (;;) {
		struct gpu_crew_job *job = &awake;
		for (unsigned i = 0; i < LOOKS && job == &awake; i++) {
			gpu_spin();
			job = atomic_load_explicit(&seat->job, memory_order_relaxed);
		}
		if (job != &awake && seat_change(seat, job, NULL))
			return job;
		if (host_now_ns() - start_ns > AWAKE_NS && seat_change(seat, &awake, NULL))
			return NULL;
	}
}

/* Gives the job to at most so many helpers that are polling; returns the bits of their seats. */
static unsigned seats_give(struct gpu_crew_job *job, unsigned helpers)
{
	unsigned given = 0;
	for (unsigned i = 0; i < CREW_MAX && helpers; i++) {
		if (atomic_load_explicit(&seats[i].job, memory_order_relaxed) != &awake ||
		    !seat_change(&seats[i], &awake, job))
			continue;
		given |= 1u << i;
		helpers--;
	}
	return given;
}

/* Takes the job back from helpers that have not begun it; returns the number of those that have. */
static unsigned seats_take_back(struct gpu_crew_job *job, unsigned given)
{
	unsigned came = 0;
	for (unsigned i = 0; i < CREW_MAX; i++)
		came += (given >> i & 1) && !seat_change(&seats[i], job, &awake);
	return came;
}

/* Tells the caller that this helper has finished.  The job may not exist any more afterwards. */
static void hand_back(struct gpu_crew_job *job)
{
	atomic_fetch_add(&job->handed_back, 1);
	if (!atomic_load(&crew.waiting))
		return;
	lock_take(&crew.lock);
	lock_condition_signal_all(&crew.left);
	lock_drop(&crew.lock);
}

static void handed_back_wait(struct gpu_crew_job *job, unsigned came)
{
	const uint64_t start_ns = came ? host_now_ns() : 0;
	while (atomic_load(&job->handed_back) != came &&
	       host_now_ns() - start_ns < AWAKE_NS)
		gpu_spin();
	if (atomic_load(&job->handed_back) == came)
		return;
	lock_take(&crew.lock);
	atomic_fetch_add(&crew.waiting, 1);
	while (atomic_load(&job->handed_back) != came)
		lock_condition_wait(&crew.left, &crew.lock);
	atomic_fetch_sub(&crew.waiting, 1);
	lock_drop(&crew.lock);
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

/* Waits for a call; false: none came for a long time. */
static bool wait_locked(void)
{
	crew.idle++;
	const bool called = lock_condition_wait_for(&crew.called, &crew.lock, patience_ns) !=
			    ETIMEDOUT;
	crew.idle--;
	return called || !list_empty(&crew.jobs);
}

static struct seat *seat_take_locked(void)
{
	unsigned i = 0;
	while (crew.seated >> i & 1)
		i++;
	crew.seated |= 1u << i;
	return &seats[i];
}

/* Runs the jobs that come while the helper is polling. */
static void work_while_awake(struct seat *seat)
{
	struct gpu_crew_job *job;
	while ((job = seat_watch(seat))) {
		job->work(job);
		hand_back(job);
	}
}

static void *helper_main(void *unused)
{
	bool stays = true;
	(void)unused;
	/* The name that debuggers and top show for the thread. */
	(void)prctl(PR_SET_NAME, "culvert-copy");
	lock_take(&crew.lock);
	struct seat *seat = seat_take_locked();
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
		if (!list_empty(&crew.jobs))
			continue;
		lock_drop(&crew.lock);
		work_while_awake(seat);
		lock_take(&crew.lock);
	}
	crew.seated &= ~(1u << (seat - seats));
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

/* Wakes helpers, or if makes is set starts some if too few sleep. */
static void call_locked(struct gpu_crew_job *job, unsigned helpers, bool makes)
{
	if (!ready_locked())
		return;
	job->wanted = helpers;
	list_append(&crew.jobs, &job->link);
	for (unsigned i = crew.idle; makes && i < helpers && crew.members < CREW_MAX; i++) {
		if (!helper_make())
			break;
		crew.members++;
	}
	lock_condition_signal_all(&crew.called);
}

static unsigned bits_count(unsigned bits)
{
	return (unsigned)__builtin_popcount(bits);
}

/* Whether the previous job was not long ago. */
static bool job_is_next(void)
{
	const uint64_t now_ns = host_now_ns();
	const uint64_t last_ns = atomic_exchange_explicit(&crew.last_ns, now_ns,
							  memory_order_relaxed);
	return last_ns && now_ns - last_ns < patience_ns;
}

void gpu_crew_run(struct gpu_crew_job *job, unsigned helpers)
{
	lock_assert_none();
	list_init(&job->link);
	job->wanted = job->helping = 0;
	atomic_init(&job->handed_back, 0);
	const unsigned given = helpers ? seats_give(job, helpers) : 0;
	const bool calls = bits_count(given) < helpers;
	const bool again = helpers && job_is_next();
	if (calls) {
		lock_take(&crew.lock);
		call_locked(job, helpers - bits_count(given), again || !job->brief);
		lock_drop(&crew.lock);
	}
	if (job->lead)
		job->lead(job);
	else
		job->work(job);
	handed_back_wait(job, seats_take_back(job, given));
	if (!calls)
		return;
	lock_take(&crew.lock);
	/* The job is done; helpers that have not come need not come any more. */
	list_remove(&job->link);
	while (job->helping)
		lock_condition_wait(&crew.left, &crew.lock);
	lock_drop(&crew.lock);
}
