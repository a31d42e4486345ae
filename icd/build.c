#include "config.h"

#include "icd/build.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "icd/build_cache.h"
#include "icd/build_dump.h"
#include "icd/builders.h"
#include "icd/compile.h"
#include "icd/compile_process.h"
#include "icd/program_binary.h"

#include <inttypes.h>

struct ocl_target ocl_target_of(cl_device_id device)
{
	return (struct ocl_target){
		.sm = device->caps->sm,
		.max_local_B = ocl_device_local_B(device),
		.cubin = *be_cubin_build(device->gpu),
	};
}

cl_int ocl_code_load(const struct ocl_code *code, cl_device_id device,
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
	const struct be_codegen_options options = {
		.sm = code->ptx_sm,
		.optimization = code->optimization,
		.max_registers = code->max_registers,
		.line_info = code->line_info,
	};
	return be_ptx_load(device->gpu, &code->ptx, &options, code->verbose, module_out, log);
}

/* The key named the compilers' files before they were loaded; they may have been
 * replaced in between. */
static bool key_holds(const struct ocl_build_job *job, const struct hash *key)
{
	struct hash now;
	return ocl_build_key(job, &now) && hash_equal(key, &now);
}

/* In a process apart, or here where there is none; what was made is remembered under key,
 * NULL: it is not.  The code gets its own copy of what was said on the way. */
static cl_int make(const struct ocl_build_job *job, const struct hash *key,
		   struct ocl_code **code_out, struct bytes *log)
{
	struct ocl_compiled compiled = OCL_COMPILED_INIT;
	if (!ocl_compile_process(job, &compiled)) {
		ocl_builders_guard_exit();
		ocl_compile(job, &compiled);
	}
	cl_int error = compiled.error;
	bytes_append(log, compiled.log.data, compiled.log.size_B);
	ocl_build_dump(job, compiled.code, &compiled.log);
	if (!error) {
		bytes_move(&compiled.code->log, &compiled.log);
		if (key && key_holds(job, key))
			ocl_build_remember(key, &compiled.inputs, compiled.code);
		*code_out = ocl_code_ref(compiled.code);
	}
	ocl_compiled_finish(&compiled);
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

/* The whole road to code, or the short one where an equal job went it before. */
static cl_int find_or_make(const struct ocl_build_job *job, struct ocl_code **code_out,
			   struct bytes *log)
{
	struct hash key;
	cl_int error = CL_SUCCESS;
	bool cached = ocl_build_key(job, &key);
	struct ocl_code *code = cached ? ocl_build_recall(&key, job->device) : NULL;
	struct cache_flight *flight = NULL;
	if (cached && !code) {
		flight = cache_flight_begin(cache_default(), &key);
		code = ocl_build_recall(&key, job->device);
	}
	if (code) {
		bytes_append(log, code->log.data, code->log.size_B);
	} else {
		error = make(job, cached ? &key : NULL, &code, log);
	}
	if (flight)
		cache_flight_end(cache_default(), flight);
	if (cached)
		log_counts();
	if (!error)
		*code_out = code;
	return error;
}

cl_int ocl_build_run(const struct ocl_build_job *job, struct ocl_code **code_out,
		     struct gpu_module **module_out, struct bytes *log)
{
	*module_out = NULL;
	bool linking = job->kind == OCL_BUILD_LINK;
	cl_int error = ocl_compile_frontend_error(job->kind, fe_options_check(job->options, linking, log));
	if (error)
		return error;
	if (job->kind == OCL_BUILD_BINARY && ocl_code_fits(job->loaded, job->device)) {
		*code_out = ocl_code_ref(job->loaded);
		return CL_SUCCESS;
	}
	struct ocl_code *code;
	error = find_or_make(job, &code, log);
	if (error)
		return error;
	if (code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		error = ocl_compile_backend_error(job->kind, ocl_code_load(code, job->device, module_out, log));
	if (error)
		ocl_code_unref(code);
	else
		*code_out = code;
	return error;
}
