/* Protects: a kernel of softcuda is looked for in the cache and compiled once for a shape, one thread at a time looks
 * after the compilation, and who runs the machine code has all of it. */
#include "config.h"

#include "tests/litmus/litmus.h"

/* Only the thread that launches begins to compile; here either may be it. */
#define pthread_equal(one, other) ((void)(one), (void)(other), true)
#include "softcuda/exec/tier.c"

struct compilation {
	bool whole;
};

static struct soft_function function;
static struct code code;
static struct soft_program program;
static struct tier tier;
static struct soft_launch launch;
static struct job job;
static struct compilation compilation;
static struct compiled machine_code;
static unsigned searched, started, finished;

bool log_enabled(enum log_level level)
{
	(void)level;
	return false;
}

void bytes_finish(struct bytes *bytes)
{
	(void)bytes;
}

const char *option_string(enum option option)
{
	(void)option;
	return "on";
}

uint64_t host_now_ns(void)
{
	return UINT64_C(1) << 40;
}

uint64_t host_thread_ns(void)
{
	return UINT64_C(1) << 40;
}

bool compiler_is_busy(void)
{
	return false;
}

const struct compiled *compilation_find(const struct soft_program *of, const struct code *kernel, uint32_t rows,
					bool watched)
{
	(void)watched;
	(void)of;
	(void)kernel;
	(void)rows;
	searched++;
	return NULL;
}

struct compilation *compilation_start(const struct soft_program *of, const struct code *kernel, uint32_t rows,
				      bool watched, struct bytes *why)
{
	(void)watched;
	(void)of;
	(void)kernel;
	(void)rows;
	(void)why;
	started++;
	compilation.whole = true;
	return &compilation;
}

bool compilation_ended(struct compilation *own, bool block)
{
	assert(own == &compilation && own->whole);
	return !block;
}

const struct compiled *compilation_finish(struct compilation *own, bool *refused_out, struct bytes *why)
{
	(void)refused_out;
	(void)why;
	assert(own == &compilation && own->whole);
	finished++;
	machine_code.width = 7;
	return &machine_code;
}

void compilation_drop(struct compilation *own)
{
	(void)own;
}

void compiled_release(const struct compiled *compiled)
{
	(void)compiled;
}

/* The shape of a block of one dimension and less than a warp. */
enum { SHAPE = TIER_SHAPES - 2 };

static void setup(void)
{
	searched = started = finished = 0;
	assert(the_mode() == TIER_ON);
	program.functions = &function;
	launch.function = &function;
	launch.block[0] = launch.block[1] = launch.block[2] = 1;
	code.op_count = 0;
	job.program = &program;
	job.code = &code;
	job.launch = &launch;
	job.tier = &tier;
	job.since_ns = 0;
	atomic_init(&job.compiled, NULL);
	atomic_init(&tier.shapes[SHAPE].step, TIER_STEP_NONE);
	atomic_init(&tier.shapes[SHAPE].compiled, NULL);
	tier.shapes[SHAPE].compilation = NULL;
}

static void look(void)
{
	tier_look(&job);
	const struct compiled *compiled = atomic_load_explicit(&job.compiled, memory_order_acquire);
	assert(!compiled || compiled->width == 7);
}

LITMUS_THREAD(begin_and_look)
{
	look();
	look();
}

LITMUS_THREAD(begin_or_look)
{
	look();
	look();
}

static void finish_all(void)
{
	look();
	look();
	assert(searched == 1 && started == 1 && finished == 1);
}

LITMUS_2(setup, begin_and_look, begin_or_look, finish_all)
