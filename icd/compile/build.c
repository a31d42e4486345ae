#include "config.h"

#include "icd/compile/build.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "base/stage.h"
#include "base/thread.h"
#include "frontend/ptx_start.h"
#include "icd/compile/build_cache.h"
#include "icd/compile/build_dump.h"
#include "icd/compile/builders.h"
#include "icd/compile/compile.h"
#include "icd/compile/compile_process.h"
#include "icd/compile/program_binary.h"
#include "icd/program/module.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ocl_target ocl_target_of(cl_device_id device)
{
	return (struct ocl_target){
		.sm = device->caps->sm,
		.max_local_B = ocl_device_local_B(device),
		.cubin = *be_cubin_build(device->gpu),
	};
}

static cl_int ptx_load(const struct ocl_code *code, cl_device_id device, const struct bytes *ptx,
		       bool verbose, struct gpu_module **module_out, struct bytes *log)
{
	const struct be_codegen_options options = {
		.sm = code->ptx_sm,
		.optimization = code->optimization,
		.max_registers = code->max_registers,
		.line_info = code->line_info,
	};
	return be_ptx_load(device->gpu, ptx, &options, verbose, module_out, log);
}

static cl_int load_plain(struct ocl_code *code, cl_device_id device,
			 struct gpu_module **module_out, struct bytes *log)
{
	if (code->cubin.size_B && code->sm == device->caps->sm) {
		struct bytes reason = BYTES_INIT;
		cl_int error = gpu_module_load(device->gpu, code->cubin.data, code->cubin.size_B,
					       &reason, module_out);
		/* A driver may be older than the compiler that made it: PTX then. */
		if (error == CL_INVALID_BINARY)
			log_info("machine code is not taken, PTX is: %s", bytes_string(&reason));
		bytes_finish(&reason);
		if (error != CL_INVALID_BINARY)
			return error;
	}
	struct bytes made = BYTES_INIT;
	const struct bytes *ptx = ocl_code_plain_ptx(code, &made);
	cl_int error = ptx ? ptx_load(code, device, ptx, code->verbose, module_out, log)
			   : CL_OUT_OF_HOST_MEMORY;
	bytes_finish(&made);
	return error;
}

static cl_int registers_find(const struct abi_program *abi, struct gpu_module *plain,
			     uint32_t *registers_out)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < abi->kernel_count && !error; i++) {
		struct gpu_function *function;
		error = gpu_module_function(plain, abi->kernels[i].entry, &function);
		if (!error)
			registers_out[i] = gpu_function_caps(function)->registers;
	}
	return error;
}

/* Of code that is plain's, or takes the place of it. */
static cl_int load_beside(struct ocl_code *code, cl_device_id device, struct gpu_module *plain,
			  struct gpu_module **module_out, struct bytes *log)
{
	struct bytes ptx = BYTES_INIT;
	const struct bytes *whole = ocl_part_bytes(&code->ptx);
	uint32_t *registers = calloc(code->abi->kernel_count, sizeof(*registers));
	cl_int error = whole && registers ? registers_find(code->abi, plain, registers)
					  : CL_OUT_OF_HOST_MEMORY;
	if (!error) {
		fe_ptx_limit_registers(code->abi, whole, registers, &ptx);
		error = bytes_failed(&ptx) ? CL_OUT_OF_HOST_MEMORY
					   : ptx_load(code, device, &ptx, false, module_out, log);
	}
	bytes_finish(&ptx);
	free(registers);
	return error;
}

static void log_counts(void)
{
	if (!log_enabled(LOG_LEVEL_INFO))
		return;
	struct cache_counts counts = cache_counts(cache_default());
	log_info("cache: %" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64 " damaged, %" PRIu64
		 " put, %" PRIu64 " evicted, %" PRIu64 " waits", counts.hits, counts.misses,
		 counts.heals, counts.stores, counts.evictions, counts.waits);
}

/* What an equal job came to: true with code, which is a reference, or with its error. */
static bool recall(const struct ocl_build_job *job, struct ocl_build_key *key,
		   struct ocl_code **code_out, cl_int *error_out, struct bytes *log)
{
	struct ocl_code *code = ocl_build_recall(key, job->device);
	*error_out = code ? CL_SUCCESS : ocl_build_recall_failure(key, log);
	if (code)
		bytes_append(log, code->log.data, code->log.size_B);
	*code_out = code;
	return code || *error_out;
}

struct task {
	const struct ocl_build_job *job;
	struct ocl_compiled *compiled;
};

static void *compile_here(void *argument)
{
	struct task *task = argument;
	ocl_compile(task->job, task->compiled);
	return NULL;
}

/* In a process apart, or here where there is none; the caller's own stack has to do where no
 * thread can be had. */
static void compile(const struct ocl_build_job *job, struct ocl_compiled *compiled)
{
	struct task task = {.job = job, .compiled = compiled};
	if (ocl_compile_process(job, compiled))
		return;
	ocl_builders_guard_exit();
	if (thread_run_deep(BE_CODEGEN_STACK_B, compile_here, &task))
		ocl_compile(job, compiled);
}

/* Makes what key stands for, and keeps it; NULL: it is not kept.  The code gets its own
 * copy of what was said on the way. */
static cl_int make_and_remember(const struct ocl_build_job *job, struct ocl_build_key *key,
				struct ocl_code **code_out, struct bytes *log)
{
	struct ocl_compiled compiled = OCL_COMPILED_INIT;
	compile(job, &compiled);
	cl_int error = compiled.error;
	bytes_append(log, compiled.log.data, compiled.log.size_B);
	ocl_build_dump(job, compiled.code, &compiled.log);
	if (!error) {
		bytes_move(&compiled.code->log, &compiled.log);
		if (key && ocl_build_key_holds(job, key))
			ocl_build_remember(key, &compiled.inputs, compiled.code);
		*code_out = ocl_code_ref(compiled.code);
	} else if (compiled.refused && key && !bytes_failed(log)) {
		ocl_build_remember_failure(key, &compiled.inputs, error, &compiled.log);
	}
	ocl_compiled_finish(&compiled);
	return error;
}

/* Of those that want the same at the same time one makes it. */
static cl_int make_in_turn(const struct ocl_build_job *job, struct ocl_build_key *key,
			   struct ocl_code **code_out, struct bytes *log)
{
	struct cache_flight *flight = cache_flight_begin(cache_default(), ocl_build_key_hash(key));
	cl_int error;
	if (!recall(job, key, code_out, &error, log))
		error = make_and_remember(job, key, code_out, log);
	if (error)
		cache_flight_fail(cache_default(), flight);
	else
		cache_flight_end(cache_default(), flight);
	return error;
}

/* The whole road to code, or the short one where an equal job went it before. */
static cl_int find_or_make(const struct ocl_build_job *job, struct ocl_code **code_out,
			   struct bytes *log)
{
	struct ocl_build_key key;
	cl_int error;
	struct stage_clock clock = stage_clock_start();
	const bool known = ocl_build_key_make(job, &key);
	stage_clock_lap(&clock, "key");
	if (!known)
		error = make_and_remember(job, NULL, code_out, log);
	else if (!recall(job, &key, code_out, &error, log))
		error = make_in_turn(job, &key, code_out, log);
	ocl_build_key_finish(&key);
	if (!known)
		return error;
	stage_clock_lap(&clock, "code, found or made");
	log_counts();
	return error;
}

/* Whether what the job compiles from is there, unpacked: where it was once, it stays. */
static bool open_parts(const struct ocl_build_job *job)
{
	for (size_t i = 0; i < job->input_count; i++)
		if (!ocl_part_bytes(&job->inputs[i]->object))
			return false;
	return !job->loaded || (ocl_part_bytes(&job->loaded->object) &&
				ocl_part_bytes(&job->loaded->ptx));
}

/* A launch gives both the same parameters. */
static bool facts_equal(const struct abi_program *narrow, const struct abi_program *wide)
{
	struct bytes narrow_facts = BYTES_INIT, wide_facts = BYTES_INIT;
	struct abi_program same = *wide;
	same.narrow_ids = narrow->narrow_ids;
	abi_program_write(narrow, &narrow_facts);
	abi_program_write(&same, &wide_facts);
	bool equal = !bytes_failed(&narrow_facts) && !bytes_failed(&wide_facts) &&
		     narrow_facts.size_B == wide_facts.size_B &&
		     !memcmp(narrow_facts.data, wide_facts.data, wide_facts.size_B);
	bytes_finish(&narrow_facts);
	bytes_finish(&wide_facts);
	return equal;
}

static cl_int load_wide(struct ocl_code *code, cl_device_id device, struct gpu_module *plain,
			struct gpu_module **module_out, struct bytes *log)
{
	struct ocl_build_job job = {
		.kind = OCL_BUILD_BINARY,
		.target = ocl_target_of(device),
		.device = device,
		.options = "",
		.loaded = code,
		.wide_ids = true,
	};
	struct ocl_code *wide = NULL;
	/* The driver compiles it, with the other's registers as the limit. */
	job.target.cubin = false;
	cl_int error = open_parts(&job) ? find_or_make(&job, &wide, log) : CL_OUT_OF_HOST_MEMORY;
	if (!error && (wide->abi->narrow_ids || !facts_equal(code->abi, wide->abi))) {
		bytes_append_string(log, "the program's binary has nothing to make code for ids "
					 "beyond 32 bits from\n");
		error = CL_OUT_OF_RESOURCES;
	}
	if (!error)
		error = load_beside(wide, device, plain, module_out, log);
	ocl_code_unref(wide);
	/* The application has not asked for a build. */
	return !error || error == CL_OUT_OF_HOST_MEMORY ? error : CL_OUT_OF_RESOURCES;
}

cl_int ocl_code_load(struct ocl_code *code, cl_device_id device, enum ocl_module_part part,
		     struct gpu_module *plain, struct gpu_module **module_out, struct bytes *log)
{
	switch (part) {
	case OCL_MODULE_STARTS:
		return load_beside(code, device, plain, module_out, log);
	case OCL_MODULE_WIDE:
		return load_wide(code, device, plain, module_out, log);
	default:
		return load_plain(code, device, module_out, log);
	}
}

static cl_int module_find(struct ocl_code *code, cl_device_id device,
			  struct ocl_module **module_out, struct bytes *log)
{
	struct gpu_module *loaded;
	struct ocl_module *module = ocl_module_get(device, code);
	if (!module)
		return CL_OUT_OF_HOST_MEMORY;
	struct stage_clock clock = stage_clock_start();
	cl_int error = ocl_module_load(module, OCL_MODULE_PLAIN, ocl_code_load, log, &loaded);
	stage_clock_lap(&clock, "loading");
	if (error)
		ocl_module_unref(module);
	else
		*module_out = module;
	return error;
}

cl_int ocl_build_run(const struct ocl_build_job *job, struct ocl_code **code_out,
		     struct ocl_module **module_out, struct bytes *log)
{
	*module_out = NULL;
	bool linking = job->kind == OCL_BUILD_LINK;
	cl_int error = ocl_compile_frontend_error(job->kind, fe_options_check(job->options, linking, log));
	if (error)
		return error;
	struct ocl_code *code = NULL;
	if (job->kind == OCL_BUILD_BINARY && ocl_code_fits(job->loaded, job->device)) {
		code = ocl_code_ref(job->loaded);
		/* Text of an application's is compiled now, and its mistakes told. */
		if (code->cubin.size_B || !ocl_part_empty(&code->object)) {
			*code_out = code;
			return CL_SUCCESS;
		}
	} else {
		error = open_parts(job) ? find_or_make(job, &code, log) : CL_OUT_OF_HOST_MEMORY;
	}
	if (error)
		return error;
	if (code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		error = ocl_compile_backend_error(job->kind, module_find(code, job->device, module_out, log));
	if (error)
		ocl_code_unref(code);
	else
		*code_out = code;
	return error;
}
