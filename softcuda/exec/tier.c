#include "config.h"

#include "softcuda/exec/tier.h"

#include "base/clock.h"
#include "base/host_llvm.h"
#include "base/log.h"
#include "base/options.h"
#include "base/own_library.h"
#include "base/thread.h"
#include "build_name.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/exec/compiler.h"
#include "softcuda/exec/table.h"

#include <dlfcn.h>
#include <pthread.h>

static const char file_name[] = "libculvert-softcuda-jit.so";

/* An estimate of the time that compiling takes: for a kernel, and for each of its instructions. */
static const uint64_t compile_ns = 20000000, compile_op_ns = 60000;

enum { STACK_B = 16 << 20 };

enum tier_mode { TIER_OFF, TIER_ON, TIER_ALWAYS };

struct tier_counts tier_counts;

/* --- the compiler ---------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct compiler *library;
static struct compiled_host host;
static enum tier_mode mode;

/* Whether the process exports an LLVM of its own, to which the compiler's calls would go (base/host_llvm.h). */
#ifdef CULVERT_LLVM_FILES
static bool llvm_in_the_way(void)
{
	static const char *const files[] = {CULVERT_LLVM_FILES};
	struct bytes name = BYTES_INIT;
	const bool there = host_llvm_in_the_way(files, sizeof(files) / sizeof(files[0]), &name);
	if (there)
		log_info("softcuda: kernels are interpreted: %s exports an LLVM of its own", bytes_string(&name));
	bytes_finish(&name);
	return there;
}
#else
/* In this build LLVM is linked statically into the compiler. */
static bool llvm_in_the_way(void)
{
	return false;
}
#endif

/* Loads the compiler; `library` stays NULL if that fails. */
static void load(void)
{
	struct bytes note = BYTES_INIT;
	if (llvm_in_the_way())
		return;
	void *handle = own_library_open(file_name, &note);
	const struct compiler *found = handle ? dlsym(handle, "culvert_softcuda_jit") : NULL;
	if (!found)
		log_info("softcuda: kernels are interpreted: %s could not be loaded: %s", file_name,
			 handle ? "it is another library" : bytes_string(&note));
	else if (strcmp(found->build_name, CULVERT_BUILD))
		log_info("softcuda: kernels are interpreted: %s is of build %s, not " CULVERT_BUILD, file_name,
			 found->build_name);
	else
		library = found;
	host = compiled_host;
	host.row = exec_table_row;
	bytes_finish(&note);
}

static void read_mode(void)
{
	const char *text = option_string(OPTION_SOFT_JIT);
	mode = !strcmp(text, "always") ? TIER_ALWAYS : !strcmp(text, "on") ? TIER_ON : TIER_OFF;
	if (mode == TIER_OFF && strcmp(text, "off"))
		log_warn("softcuda: CULVERT_SOFT_JIT=%s: must be off, on or always; off is used", text);
}

static enum tier_mode the_mode(void)
{
	static pthread_once_t read = PTHREAD_ONCE_INIT;
	pthread_once(&read, read_mode);
	return mode;
}

/* --- one kernel ---------- */

/* The index of the shape of a launch's blocks (TIER_SHAPES).  row is the largest power of two that divides the first
 * dimension; a block of one dimension is a single row, whatever its length. */
static uint32_t shape_of(const struct soft_launch *launch)
{
	static const uint8_t shapes[LANES] = {[1] = 0, [2] = 0, [4] = 1, [8] = 2, [16] = 3};
	const uint32_t row = launch->block[0] & -launch->block[0];
	return launch->block[1] * launch->block[2] == 1 || row >= LANES ? TIER_SHAPES - 1 : shapes[row];
}

/* The arguments and the result of compile_request, which runs on a thread of its own. */
struct request {
	const struct job *job;
	uint32_t rows;
	struct bytes *why;
	const struct compiled *compiled;
};

static void *compile_request(void *data)
{
	struct request *request = data;
	request->compiled = library->compile(&host, request->job->program, request->job->code, request->rows,
					     request->why);
	return NULL;
}

/* Compiles on a thread with a large stack and waits for it: LLVM's recursion needs more stack than the application's
 * threads may have. */
static const struct compiled *compile_apart(const struct job *job, uint32_t rows, struct bytes *why)
{
	struct request request = {job, rows, why, NULL};
	const int error = thread_run_deep(STACK_B, compile_request, &request);
	if (error)
		bytes_printf(why, "no thread for the compiler: error %d", error);
	return request.compiled;
}

/* Compiles a kernel for a shape of blocks, publishes the result, and logs it. */
static void compile(struct job *job, struct tier_shape *shape, uint32_t number)
{
	static const uint32_t rows[TIER_SHAPES] = {1, 4, 8, 16, 32};
	struct bytes why = BYTES_INIT;
	pthread_once(&once, load);
	const struct compiled *compiled = library ? compile_apart(job, rows[number], &why) : NULL;
	if (compiled) {
		atomic_fetch_add(&tier_counts.compiled, 1);
		atomic_fetch_add(&tier_counts.code_B, compiled->code_B);
		atomic_store_explicit(&shape->compiled, compiled, memory_order_release);
		log_info("softcuda: kernel '%s' is compiled: %zu bytes of code, %u lanes at a time", job->code->name,
			 compiled->code_B, compiled->width);
	} else {
		atomic_fetch_add(&tier_counts.refused, 1);
		if (library)
			log_info("softcuda: kernel '%s' is interpreted: %s", job->code->name, bytes_string(&why));
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
	if (!atomic_load_explicit(&shape->taken, memory_order_relaxed)) {
		const uint64_t spent = atomic_load_explicit(&tier->spent_ns, memory_order_relaxed) + host_now_ns() -
				       job->since_ns;
		const uint64_t limit = the_mode() == TIER_ALWAYS ? 0 : compile_ns + job->code->op_count * compile_op_ns;
		if (spent >= limit && !atomic_exchange(&shape->taken, true))
			compile(job, shape, number);
	}
	const struct compiled *compiled = atomic_load_explicit(&shape->compiled, memory_order_acquire);
	if (compiled)
		atomic_store_explicit(&job->compiled, compiled, memory_order_release);
}

void tier_begin(struct job *job)
{
	if (job->watch || job->launch->cooperative || the_mode() == TIER_OFF)
		return;
	job->tier = &job->program->tiers[job->launch->function - job->program->functions];
	job->since_ns = host_now_ns();
	tier_look(job);
}

void tier_end(struct job *job)
{
	if (job->tier && !atomic_load_explicit(&job->compiled, memory_order_relaxed))
		atomic_fetch_add(&job->tier->spent_ns, host_now_ns() - job->since_ns);
}

void tier_finish(const struct soft_program *program)
{
	for (uint32_t i = 0; program->tiers && i < program->function_count; i++)
		for (uint32_t s = 0; s < TIER_SHAPES; s++) {
			const struct compiled *compiled = atomic_load(&program->tiers[i].shapes[s].compiled);
			if (!compiled)
				continue;
			atomic_fetch_sub(&tier_counts.code_B, compiled->code_B);
			library->release(compiled);
		}
}
