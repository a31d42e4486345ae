#include "config.h"

#include "softcuda/exec/tier.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "softcuda/exec/compile_wire.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/exec/compiler.h"
#include "softcuda/exec/watch.h"

#include <pthread.h>

/* Estimates of the time that it takes to look for a kernel in the cache, with a margin, since most kernels are not in
 * it; and to compile it: for a kernel, and for each of its instructions. */
static const uint64_t search_ns = 500000, compile_ns = 20000000, compile_op_ns = 60000;

enum tier_mode { TIER_OFF, TIER_ON, TIER_ALWAYS, TIER_LATE };

struct tier_counts tier_counts;

static enum tier_mode mode;

static void read_mode(void)
{
	const char *text = option_string(OPTION_SOFT_JIT);
	mode = !strcmp(text, "always") ? TIER_ALWAYS : !strcmp(text, "late") ? TIER_LATE :
	       !strcmp(text, "off") ? TIER_OFF : TIER_ON;
	if (mode == TIER_ON && strcmp(text, "on"))
		log_warn("softcuda: CULVERT_SOFT_JIT=%s: must be off, on, always or late; on is used", text);
}

static enum tier_mode the_mode(void)
{
	static pthread_once_t read = PTHREAD_ONCE_INIT;
	pthread_once(&read, read_mode);
	return mode;
}

/* Whether kernels are compiled before their first work-groups. */
static bool is_at_once(void)
{
	return the_mode() == TIER_ALWAYS || the_mode() == TIER_LATE;
}

/* --- one kernel ---------- */

/* For each shape of blocks, a power of two that divides their first dimension, or what they are lines of. */
static const uint32_t shape_rows[TIER_SHAPES] = {1, 4, 8, 16, LANES, COMPILE_LINE, COMPILE_WHOLE_LINE};

/* The index of the shape of a launch's blocks. */
static uint32_t shape_of(const struct soft_launch *launch)
{
	static const uint8_t shapes[LANES] = {[1] = 0, [2] = 0, [4] = 1, [8] = 2, [16] = 3};
	const uint32_t row = launch->block[0] & -launch->block[0];
	if (launch->block[1] * launch->block[2] == 1)
		return row >= LANES ? TIER_SHAPES - 1 : TIER_SHAPES - 2;
	return row >= LANES ? TIER_SHAPES - 3 : shapes[row];
}

/* Whether enough time was spent on a kernel.  Processor time is what counts: on a busy computer, a short kernel may
 * take long.  Reading it takes a system call, and it is no more than the time by the clock. */
static bool has_taken(const struct job *job, uint64_t enough_ns)
{
	const uint64_t spent_ns = atomic_load_explicit(&job->tier->spent_ns, memory_order_relaxed);
	return pthread_equal(job->launcher, pthread_self()) && spent_ns + host_now_ns() - job->since_ns >= enough_ns &&
	       spent_ns + host_thread_ns() - job->since_thread_ns >= enough_ns;
}

static bool search_is_due(const struct job *job)
{
	return is_at_once() || has_taken(job, search_ns);
}

static bool compilation_is_due(const struct job *job)
{
	return is_at_once() ||
	       (has_taken(job, compile_ns + job->code->op_count * compile_op_ns) && !compiler_is_busy());
}

static bool change(struct tier_shape *shape, enum tier_step from, enum tier_step to)
{
	int expected = from;
	return atomic_compare_exchange_strong(&shape->step, &expected, to);
}

/* Logs why a kernel is interpreted.  If that may be so for others, too, as without a compiler of this build, whoever
 * waits for the program wants to know, once. */
static void refuse(const struct job *job, bool others, const struct bytes *why)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	atomic_fetch_add(&tier_counts.refused, 1);
	if (others && log_enabled(LOG_LEVEL_WARN) && !atomic_flag_test_and_set(&told))
		log_warn("softcuda: kernel '%s' is interpreted, and others may be, which takes many times as long: %s",
			 job->code->name, bytes_string(why));
	else
		log_info("softcuda: kernel '%s' is interpreted: %s", job->code->name, bytes_string(why));
}

/* Has the kernel run as this machine code from now on.  count: what is counted; how: for the log. */
static void use(const struct job *job, struct tier_shape *shape, const struct compiled *compiled,
		atomic_uint_fast64_t *count, const char *how)
{
	atomic_fetch_add(count, 1);
	atomic_fetch_add(&tier_counts.code_B, compiled->code_B);
	atomic_store_explicit(&shape->compiled, compiled, memory_order_release);
	log_info("softcuda: kernel '%s' is %s: %zu bytes of code, %u lanes at a time", job->code->name, how,
		 compiled->code_B, compiled->width);
}

/* Looks for machine code in the cache, for a shape that the calling thread holds. */
static void search(const struct job *job, struct tier_shape *shape, uint32_t rows)
{
	const struct compiled *compiled = compilation_find(job->program, job->code, rows, job->watch != NULL);
	if (compiled)
		use(job, shape, compiled, &tier_counts.found, "in the cache");
	atomic_store(&shape->step, compiled ? TIER_STEP_ENDED : TIER_STEP_MISSED);
}

/* Takes over what a compilation, which the calling thread holds, has resulted in. */
static void finish(const struct job *job, struct tier_shape *shape)
{
	struct bytes why = BYTES_INIT;
	bool refused = false;
	const struct compiled *compiled = compilation_finish(shape->compilation, &refused, &why);
	shape->compilation = NULL;
	if (compiled)
		use(job, shape, compiled, &tier_counts.compiled, "compiled");
	else
		refuse(job, !refused, &why);
	bytes_finish(&why);
	atomic_store(&shape->step, TIER_STEP_ENDED);
}

/* Begins to compile a kernel for a shape, which the calling thread holds. */
static void start(const struct job *job, struct tier_shape *shape, uint32_t rows)
{
	struct bytes why = BYTES_INIT;
	shape->compilation = compilation_start(job->program, job->code, rows, job->watch != NULL, &why);
	if (!shape->compilation) {
		refuse(job, true, &why);
		atomic_store(&shape->step, TIER_STEP_ENDED);
	} else if (is_at_once() && compilation_ended(shape->compilation, true)) {
		finish(job, shape);
	} else {
		atomic_store(&shape->step, TIER_STEP_BEGUN);
	}
	bytes_finish(&why);
}

void tier_look(struct job *job)
{
	struct tier *tier = job->tier;
	if (!tier || atomic_load_explicit(&job->compiled, memory_order_relaxed))
		return;
	const uint32_t number = shape_of(job->launch);
	struct tier_shape *shape = &tier->shapes[number];
	int step = atomic_load_explicit(&shape->step, memory_order_relaxed);
	if (step == TIER_STEP_NONE && search_is_due(job) && change(shape, TIER_STEP_NONE, TIER_STEP_HELD)) {
		search(job, shape, shape_rows[number]);
		step = atomic_load_explicit(&shape->step, memory_order_relaxed);
	}
	if (step == TIER_STEP_MISSED && compilation_is_due(job) && change(shape, TIER_STEP_MISSED, TIER_STEP_HELD)) {
		start(job, shape, shape_rows[number]);
	} else if (step == TIER_STEP_BEGUN && change(shape, TIER_STEP_BEGUN, TIER_STEP_HELD)) {
		if (compilation_ended(shape->compilation, false))
			finish(job, shape);
		else
			atomic_store(&shape->step, TIER_STEP_BEGUN);
	}
	const struct compiled *compiled = atomic_load_explicit(&shape->compiled, memory_order_acquire);
	if (compiled)
		atomic_store_explicit(&job->compiled, compiled, memory_order_release);
}

void tier_begin(struct job *job)
{
	const bool compiles = !job->watch || (job->watch->compiles && job->watch->compiles(job));
	if (!compiles || job->launch->cooperative || the_mode() == TIER_OFF)
		return;
	job->tier = &job->program->tiers[job->launch->function - job->program->functions];
	job->look = tier_look;
	job->late = the_mode() == TIER_LATE;
	job->launcher = pthread_self();
	job->since_ns = host_now_ns();
	job->since_thread_ns = host_thread_ns();
	tier_look(job);
}

void tier_end(struct job *job)
{
	if (job->tier && !atomic_load_explicit(&job->compiled, memory_order_relaxed))
		atomic_fetch_add(&job->tier->spent_ns, host_thread_ns() - job->since_thread_ns);
}

static void shape_finish(struct tier_shape *shape)
{
	const struct compiled *compiled = atomic_load(&shape->compiled);
	if (shape->compilation)
		compilation_drop(shape->compilation);
	if (!compiled)
		return;
	atomic_fetch_sub(&tier_counts.code_B, compiled->code_B);
	compiled_release(compiled);
}

void tier_finish(const struct soft_program *program)
{
	for (uint32_t i = 0; program->tiers && i < program->function_count; i++)
		for (uint32_t s = 0; s < TIER_SHAPES; s++)
			shape_finish(&program->tiers[i].shapes[s]);
}
