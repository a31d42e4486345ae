/* Launches, and the pool of threads that runs their work-groups.
 *
 * The launching thread runs work-groups itself, because waking others takes longer than a small grid.  A launch that
 * is not complete soon is put into the pool's list, and every worker that finds it takes work-groups from it until
 * there are none.  A thread takes several at once, fewer towards the end of the grid, so that all threads end at about
 * the same time.  Where no work-group waits for another, workers take theirs from the end of the grid: in one launch
 * after the other, a thread then has about the same part of the buffers, which may be in its core's cache still.  The
 * pool's threads are started when they are first needed and block all signals; all run in the default floating-point
 * environment, because the application may have changed its own.
 *
 * A work-group that runs for very long is interrupted for others of the launch, because it may be waiting for one
 * that has not started yet.
 *
 * Of a launch that is watched in order, each thread runs its work-groups as the launching thread alone would. */
#include "config.h"

#include "softcuda/exec/compiled.h"
#include "softcuda/exec/compiler.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/tier.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

#include "base/cache_line.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/options.h"
#include "base/processors.h"
#include "base/thread.h"

#include <fenv.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	THREADS_MAX = 256,
	/* The most work-groups of a launch that a worker has begun; a cooperative launch has no such limit, because
	 * all its work-groups must run concurrently. */
	RESIDENT_MAX = 64,
	/* The most work-groups that a thread takes from the grid at once, and the number of shares, for each thread,
	 * into which those that are left are divided.  A share may be larger than RESIDENT_MAX: its work-groups wait
	 * for no others (share_size). */
	SHARE_MAX = 256, SHARES_LEFT = 8
};
static const uint64_t group_turn = 1 << 18;
/* A short turn: work-groups that wait at a barrier of the grid only poll. */
static const uint64_t cooperative_turn = 1 << 10;
/* How long the launching thread runs alone: at least about twice the time to wake a thread, and as long as a turn; but
 * only for its first share if the kernel's launches take long_ns, and others helped with the last one (learn_kernel).
 * patience_ns is doubled after a launch with which woken threads helped little, as on a computer whose processors are
 * busy, and then decreases. */
static const uint64_t alone_ns = 20000, alone_most_ns = 1000000, long_ns = 80000;
static atomic_uint_fast64_t patience_ns = 20000;
static const uint64_t alone_turn = 1 << 9;

struct pending {
	struct list link;                 /* in pool.pending */
	struct job job;
	uint64_t group_count;
	bool offered;                     /* of the launching thread */
	unsigned workers;                 /* inside; guarded by pool.lock */
	unsigned workers_max;             /* for a part of the multiprocessors, the same part of the threads */
	unsigned thread_count;            /* threads that may run it, the launching one included */
	uint64_t offered_count;           /* work-groups that no thread had taken when the launch was offered */
	uint64_t begun_ns;                /* when its first work-group began */
	bool at_once;                     /* it is offered after the launching thread's first share */
	bool exhausted;                   /* guarded by pool.lock */
	/* All threads write these for each share of the grid, and read the fields of the job meanwhile. */
	_Alignas(CACHE_LINE_APART_B) atomic_uint_fast64_t taken_count;    /* work-groups; may exceed group_count */
	atomic_uint_fast64_t front_count, back_count;  /* of these, from the beginning and from the end of the grid */
	atomic_uint_fast64_t helped_count;        /* work-groups that other threads than the launching one have taken */
};

static struct {
	struct lock lock;
	/* guarded by lock */
	struct lock_condition work, done;
	struct list pending;
	bool prepared, stopping;
	unsigned thread_count;
	pthread_t threads[THREADS_MAX];
} pool = {.lock = LOCK_INIT(LOCK_RANK_CACHE)};

static atomic_uint_fast64_t launches;

static void offer(struct pending *pending);

/* The work-groups that a thread has taken from the grid and not begun yet. */
struct share {
	uint64_t rest;                    /* their number */
	uint32_t ctaid[3];                /* the next of them */
	uint64_t size_max;                /* the most that the thread takes at once */
	bool launching;                   /* the thread is the launching one */
};

/* The work-groups that a thread has begun, as a ring in the order of their turns, and those that it begins next. */
struct ring {
	struct group *first, **last;
	unsigned resident;
	bool more;                        /* there may be work-groups that no thread has begun */
	struct share share;
};

/* Whether no work-group of a launch waits for another, so that they may run in any order. */
static bool in_any_order(const struct pending *pending)
{
	const struct compiled *compiled = atomic_load_explicit(&pending->job.compiled, memory_order_relaxed);
	return compiled && !compiled->may_wait && !pending->job.launch->cooperative;
}

/* The number of work-groups that a thread takes at once: a small part of those that are left, so that all threads end
 * at about the same time. */
static uint64_t share_size(const struct pending *pending, const struct share *share)
{
	const uint64_t taken = atomic_load_explicit(&pending->taken_count, memory_order_relaxed);
	const uint64_t left = taken < pending->group_count ? pending->group_count - taken : 0;
	const uint64_t size = left / (SHARES_LEFT * (uint64_t)pending->thread_count);
	return size < 1 ? 1 : size < share->size_max ? size : share->size_max;
}

/* Takes work-groups from the grid; false if all have been taken.  One at a time where a work-group may wait for
 * another, which must not stay behind it. */
static bool take_share(struct pending *pending, struct share *share)
{
	const uint32_t *grid = pending->job.launch->grid;
	tier_look(&pending->job);
	const bool any = in_any_order(pending);
	const uint64_t size = any ? share_size(pending, share) : 1;
	const uint64_t taken = atomic_fetch_add(&pending->taken_count, size);
	if (taken >= pending->group_count)
		return false;
	share->rest = size < pending->group_count - taken ? size : pending->group_count - taken;
	/* No more are taken from both ends together than there are. */
	uint64_t first;
	if (any && !share->launching)
		first = pending->group_count - share->rest - atomic_fetch_add(&pending->back_count, share->rest);
	else
		first = atomic_fetch_add(&pending->front_count, share->rest);
	if (!share->launching)
		atomic_fetch_add_explicit(&pending->helped_count, share->rest, memory_order_relaxed);
	share->ctaid[0] = (uint32_t)(first % grid[0]);
	share->ctaid[1] = (uint32_t)(first / grid[0] % grid[1]);
	share->ctaid[2] = (uint32_t)(first / grid[0] / grid[1]);
	return true;
}

/* Takes work-groups out of a share: count of them in the present row of the grid. */
static void step_share(struct share *share, const uint32_t grid[3], uint32_t count)
{
	share->rest -= count;
	share->ctaid[0] += count;
	if (share->ctaid[0] < grid[0])
		return;
	share->ctaid[0] = 0;
	if (++share->ctaid[1] < grid[1])
		return;
	share->ctaid[1] = 0;
	share->ctaid[2]++;
}

/* Takes the next work-group, in the memory of *spare if that is not NULL. */
static struct group *take_group(struct pending *pending, struct share *share, struct group **spare)
{
	struct job *job = &pending->job;
	if (atomic_load(&job->stop) || (!share->rest && !take_share(pending, share)))
		return NULL;
	struct group *group = *spare ? *spare : group_create(job);
	*spare = NULL;
	if (group && group_start(group, share->ctaid)) {
		step_share(share, job->launch->grid, 1);
		return group;
	}
	group_destroy(group);
	exec_fail_memory(job, "its registers and shared memory");
	return NULL;
}

static struct group *next_group(struct pending *pending, struct ring *ring,
				struct group **spare)
{
	struct group *group = NULL;
	if (ring->more &&
	    (pending->job.launch->cooperative || ring->resident < RESIDENT_MAX)) {
		group = take_group(pending, &ring->share, spare);
		ring->more = group != NULL;
		ring->resident += ring->more;
	}
	if (group || !ring->first)
		return group;
	group = ring->first;
	ring->first = group->next;
	ring->last = ring->first ? ring->last : &ring->first;
	return group;
}

/* Runs a group, and, in its memory, the rest of the share, as long as machine code runs all of a group in one call.  If
 * there is no shared memory to be cleared, the code runs several groups in a call, and group->ctaid is the last one
 * that it has begun. */
static enum group_state run_group(struct pending *pending, struct share *share, struct group *group, uint64_t budget)
{
	const struct job *job = &pending->job;
	enum group_state state = group_run(group, budget);
	while (state == GROUP_DONE && group->ready && share->rest &&
	       !atomic_load_explicit(&job->stop, memory_order_relaxed)) {
		const uint64_t row = job->launch->grid[0] - share->ctaid[0];
		const uint32_t first = share->ctaid[0];
		memcpy(group->ctaid, share->ctaid, sizeof(group->ctaid));
		if (job->shared_B)
			memset(group->shared, 0, job->shared_B);
		else
			group->ahead = (uint32_t)(row < share->rest ? row : share->rest) - 1;
		state = compiled_group_run(group);
		step_share(share, job->launch->grid, group->ctaid[0] - first + 1);
	}
	return state;
}

/* launching: this is the launching thread, which may offer the launch to others. */
static void run_groups(struct pending *pending, bool launching)
{
	/* The launching thread begins with small shares, after each of which it looks at the clock. */
	struct ring ring = {.last = &ring.first, .more = true,
			    .share = {.size_max = launching ? 1 : SHARE_MAX, .launching = launching}};
	struct group *spare = NULL, *group;
	uint64_t usual = pending->job.launch->cooperative ? cooperative_turn :
			 pending->job.in_turn ? LONG_TURN : group_turn;
	const uint64_t until_ns = pending->begun_ns + (pending->at_once ? 0 : atomic_load(&patience_ns));
	bool alone = launching && pending->group_count > 1 && pending->job.threads_max != 1;
	const uint64_t turn_alone = watch_in_order(&pending->job) ? usual : alone_turn;
	while ((group = next_group(pending, &ring, &spare))) {
		if (run_group(pending, &ring.share, group, alone ? turn_alone : usual) == GROUP_RUNS) {
			group->next = NULL;
			*ring.last = group;
			ring.last = &group->next;
			/* It may wait for a work-group whose thread has no processor now; alone, there is no such
			 * thread, and turns are short. */
			if (!alone)
				sched_yield();
		} else {
			group_destroy(spare);
			spare = group;
			ring.resident--;
		}
		if (ring.share.rest)
			continue;
		ring.share.size_max = ring.share.size_max < SHARE_MAX / 2 ? ring.share.size_max * 2 : SHARE_MAX;
		if (alone && host_now_ns() >= until_ns) {
			offer(pending);
			alone = false;
		}
	}
	group_destroy(spare);
}

static void *worker(void *unused)
{
	(void)unused;
	(void)prctl(PR_SET_NAME, "softcuda-run");
	fesetenv(FE_DFL_ENV);
	lock_take(&pool.lock);
	for (;;) {
		struct pending *found = NULL;
		struct list *link, *next;
		list_for_each(link, next, &pool.pending) {
			struct pending *pending = list_entry(link, struct pending, link);
			if (!found && !pending->exhausted &&
			    pending->workers < pending->workers_max)
				found = pending;
		}
		if (!found && pool.stopping)
			break;
		if (!found) {
			lock_condition_wait(&pool.work, &pool.lock);
			continue;
		}
		found->workers++;
		lock_drop(&pool.lock);
		run_groups(found, false);
		lock_take(&pool.lock);
		found->exhausted = true;
		if (!--found->workers)
			lock_condition_signal_all(&pool.done);
	}
	lock_drop(&pool.lock);
	return NULL;
}

static unsigned wanted_threads(void)
{
	uint64_t wanted = option_number(OPTION_SOFT_THREADS);
	if (!wanted)
		wanted = processors_usable();
	return wanted < THREADS_MAX ? (unsigned)wanted : THREADS_MAX;
}

/* The number of workers in addition to the launching thread. */
static unsigned workers_allowed(const struct soft_launch *launch)
{
	const unsigned all = launch->multiprocessor_count;
	if (!launch->multiprocessors || !all)
		return THREADS_MAX;
	const unsigned part = (unsigned)__builtin_popcountll(launch->multiprocessors);
	return (wanted_threads() * part + all - 1) / all - 1;
}

/* With the lock held; true when there is at least one worker.  The launching thread
 * is one of those wanted. */
static bool start_locked(void)
{
	unsigned wanted = wanted_threads() - 1;
	if (pool.thread_count || !wanted)
		return wanted;
	if (!pool.prepared) {
		if (lock_condition_init(&pool.work))
			return false;
		if (lock_condition_init(&pool.done)) {
			lock_condition_finish(&pool.work);
			return false;
		}
		list_init(&pool.pending);
		pool.prepared = true;
	}
	pool.stopping = false;
	while (pool.thread_count < wanted &&
	       !thread_start(&pool.threads[pool.thread_count], NULL, worker, NULL))
		pool.thread_count++;
	return pool.thread_count;
}

void soft_exec_shutdown(void)
{
	lock_take(&pool.lock);
	unsigned count = pool.thread_count;
	pool.stopping = true;
	if (count)
		lock_condition_signal_all(&pool.work);
	lock_drop(&pool.lock);
	for (unsigned i = 0; i < count; i++)
		pthread_join(pool.threads[i], NULL);
	lock_take(&pool.lock);
	pool.thread_count = 0;
	lock_drop(&pool.lock);
	compiler_shutdown();
}

/* Fills in addresses that are now known. */
static void fill_constants(struct job *job)
{
	const struct soft_program *program = job->program;
	for (uint32_t i = 0; i < program->launch_constant_count; i++) {
		const struct launch_constant *constant = &program->launch_constants[i];
		uint64_t value = constant->kind == LAUNCH_GLOBAL ?
				 job->launch->variable_addresses[constant->index] :
				 job->code->shared_offset_B[constant->index];
		value += (uint64_t)constant->addend;
		if (constant->generic)
			value |= WINDOW_SHARED;
		for (unsigned l = 0; l < LANES; l++)
			memcpy(job->constants + constant->offset_B + l * constant->size_B, &value,
			       constant->size_B);
	}
}

static CUresult check(const struct soft_launch *launch)
{
	const struct soft_function *function = launch->function;
	uint64_t threads = 1;
	for (unsigned i = 0; i < 3; i++) {
		if (!launch->block[i] || !launch->grid[i] || launch->block[i] > BLOCK_MAX_THREADS)
			return CUDA_ERROR_INVALID_VALUE;
		if (function->required_block[i] && function->required_block[i] != launch->block[i])
			return CUDA_ERROR_INVALID_VALUE;
		threads *= launch->block[i];
	}
	if (threads > function->max_block_threads || threads > BLOCK_MAX_THREADS)
		return CUDA_ERROR_INVALID_VALUE;
	if ((uint64_t)function->static_shared_B + launch->dynamic_shared_B > SHARED_MAX_B)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* If no thread can be started the launching thread continues alone. */
static void offer(struct pending *pending)
{
	lock_take(&pool.lock);
	if (pending->workers_max && start_locked()) {
		const uint64_t taken = atomic_load(&pending->taken_count);
		pending->offered = true;
		pending->offered_count = taken < pending->group_count ? pending->group_count - taken : 0;
		list_append(&pool.pending, &pending->link);
		lock_condition_signal_all(&pool.work);
	}
	lock_drop(&pool.lock);
}

/* Whether other threads are to help with a launch at once: they did with the kernel's last one. */
static bool is_shared(const struct pending *pending)
{
	const struct tier *tier = pending->job.tier;
	const uint64_t count = tier ? atomic_load_explicit(&tier->shared_count, memory_order_relaxed) : 0;
	return count && count <= pending->group_count;
}

/* Learns from an ended launch whether other threads are to help with the kernel's next one at once.  A launch that is
 * only a few times as long as it takes to wake a thread shows nothing else: a thread that is woken later than at once
 * finds little left.  So this is tried with one launch; if it has not helped, as on a computer whose processors are
 * busy, it is tried again after ALONE_LEAST long launches, and after more and more of them. */
static void learn_kernel(const struct pending *pending, bool helped)
{
	enum { ALONE_LEAST = 16, ALONE_MOST = 1024 };
	struct tier *tier = pending->job.tier;
	const unsigned left = atomic_load_explicit(&tier->alone_left, memory_order_relaxed);
	unsigned most = atomic_load_explicit(&tier->alone_most, memory_order_relaxed);
	if (helped) {
		atomic_store_explicit(&tier->shared_count, pending->group_count, memory_order_relaxed);
		atomic_store_explicit(&tier->alone_most, 0, memory_order_relaxed);
	} else if (pending->at_once) {
		most = most < ALONE_LEAST ? ALONE_LEAST : most < ALONE_MOST ? most * 2 : ALONE_MOST;
		atomic_store_explicit(&tier->shared_count, 0, memory_order_relaxed);
		atomic_store_explicit(&tier->alone_most, most, memory_order_relaxed);
		atomic_store_explicit(&tier->alone_left, most, memory_order_relaxed);
	} else if (left) {
		atomic_store_explicit(&tier->alone_left, left - 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&tier->shared_count, pending->group_count, memory_order_relaxed);
	}
}

/* Learns from an ended launch how long the next one should run alone.  A second thread that came at once would have
 * taken half of the work-groups that were left. */
static void learn(const struct pending *pending)
{
	uint64_t patience = atomic_load(&patience_ns);
	const bool helped = pending->offered && 4 * atomic_load(&pending->helped_count) >= pending->offered_count;
	if (pending->job.tier && in_any_order(pending) && pending->workers_max && pending->group_count > 1 &&
	    pending->job.threads_max != 1 && host_now_ns() - pending->begun_ns >= (pending->at_once ? 0 : long_ns))
		learn_kernel(pending, helped);
	if (!pending->offered)
		patience -= patience / 64;
	else if (!helped)
		patience *= 2;
	else
		patience /= 2;
	patience = patience < alone_ns ? alone_ns : patience < alone_most_ns ? patience : alone_most_ns;
	atomic_store(&patience_ns, patience);
}

static void run(struct pending *pending)
{
	fenv_t environment;
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	pending->at_once = is_shared(pending);
	pending->begun_ns = host_now_ns();
	run_groups(pending, true);
	fesetenv(&environment);
	if (pending->offered) {
		lock_take(&pool.lock);
		pending->exhausted = true;
		while (pending->workers)
			lock_condition_wait(&pool.done, &pool.lock);
		list_remove(&pending->link);
		lock_drop(&pool.lock);
	}
	learn(pending);
}

/* The size of a work-group's shared memory.  The last load of 16 bytes may begin inside of it and end behind it: for
 * compute_100 and later, libnvvm joins loads of 6 bytes to one of 8.  A GPU's shared memory is divided into units of
 * 128 bytes or more, and a work-group may access all of its last one. */
static uint32_t shared_size_B(const struct job *job)
{
	enum { LOAD_MAX_B = 16, UNIT_B = 128 };
	const struct soft_launch *launch = job->launch;
	const uint32_t unit_B = launch->loose ? UNIT_B : LOAD_MAX_B;
	const uint32_t size_B = launch->function->static_shared_B + job->code->shared_gap_B + launch->dynamic_shared_B;
	return job->program->has_gaps ? size_B : (size_B + unit_B - 1) / unit_B * unit_B;
}

/* Whether a work-item of a program may wait for another one in a loop. */
static bool may_wait(const struct soft_program *program)
{
	for (uint32_t c = 0; c < program->code_count; c++)
		for (uint32_t i = 0; i < program->codes[c].op_count; i++)
			if (exec_table_waits(&program->codes[c].ops[i]))
				return true;
	return false;
}

static void limit_threads(struct pending *pending)
{
	const unsigned most = pending->job.threads_max;
	if (most && pending->workers_max >= most)
		pending->workers_max = most - 1;
	if (most && pending->thread_count > most)
		pending->thread_count = most;
}

CUresult soft_launch_run(const struct soft_launch *launch, struct bytes *report)
{
	const struct soft_program *program = launch->function->program;
	CUresult result = check(launch);
	if (result != CUDA_SUCCESS || option_flag(OPTION_SOFT_NULL))
		return result;
	struct pending *pending = aligned_alloc(_Alignof(struct pending), sizeof(*pending));
	if (!pending)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memset(pending, 0, sizeof(*pending));
	struct job *job = &pending->job;
	job->launch = launch;
	job->watch = launch->watch;
	job->program = program;
	job->code_index = program->entry_code[launch->function - program->functions];
	job->code = &program->codes[job->code_index];
	job->shared_B = shared_size_B(job);
	job->report = report;
	pending->workers_max = workers_allowed(launch);
	const unsigned threads = wanted_threads();
	pending->thread_count = pending->workers_max < threads ? pending->workers_max + 1 : threads;
	pending->group_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	job->constants = malloc(program->launch_constant_B ? program->launch_constant_B : 1);
	result = CUDA_ERROR_OUT_OF_MEMORY;
	if (!job->constants || lock_init(&job->lock, LOCK_RANK_CACHE))
		goto done;
	fill_constants(job);
	job->id = atomic_fetch_add(&launches, 1) + 1;
	if (WATCH_ASK(job, begin, job)) {
		limit_threads(pending);
		job->in_turn = watch_in_order(job) && !launch->cooperative && !may_wait(program);
		tier_begin(job);
		run(pending);
		tier_end(job);
		WATCH(job, over, job);
		result = job->result;
	}
	WATCH(job, end, job);
	lock_finish(&job->lock);
	if (result != CUDA_SUCCESS && report)
		log_info("softcuda: %s", bytes_string(report));
done:
	free(job->constants);
	free(pending);
	return result;
}
