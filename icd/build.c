#include "config.h"

#include "icd/build.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "icd/build_cache.h"
#include "icd/build_dump.h"
#include "icd/module.h"
#include "icd/program_binary.h"

#include <inttypes.h>

/* What each call's page names the same trouble. */
struct error_names {
	cl_int options, failure, unavailable;
};

static const struct error_names error_names[] = {
	[OCL_BUILD_SOURCE] = {CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE,
			      CL_COMPILER_NOT_AVAILABLE},
	[OCL_BUILD_BINARY] = {CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE,
			      CL_COMPILER_NOT_AVAILABLE},
	[OCL_BUILD_COMPILE] = {CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE,
			       CL_COMPILER_NOT_AVAILABLE},
	[OCL_BUILD_LINK] = {CL_INVALID_LINKER_OPTIONS, CL_LINK_PROGRAM_FAILURE,
			    CL_LINKER_NOT_AVAILABLE},
};

static cl_int frontend_error(const struct ocl_build_job *job, enum fe_status status)
{
	const struct error_names *names = &error_names[job->kind];
	switch (status) {
	case FE_OK:
		return CL_SUCCESS;
	case FE_INVALID_OPTIONS:
		return names->options;
	case FE_NO_MEMORY:
		return CL_OUT_OF_HOST_MEMORY;
	case FE_UNAVAILABLE:
		return names->unavailable;
	case FE_COMPILE_FAILED:
	case FE_LINK_FAILED:
	case FE_INTERNAL:
		break;
	}
	return names->failure;
}

static cl_int backend_error(const struct ocl_build_job *job, cl_int error)
{
	const struct error_names *names = &error_names[job->kind];
	if (error == CL_BUILD_PROGRAM_FAILURE)
		return names->failure;
	if (error == CL_COMPILER_NOT_AVAILABLE)
		return names->unavailable;
	return error;
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

/* What goes with a job: what it makes. */
struct product {
	struct ocl_code *code;
	struct fe_inputs inputs;         /* what the compile asked of the machine */
	struct bytes *log;
	bool refused;                    /* the fault is the source's: it fails each time */
};

/* Machine code where that can be had without the driver; otherwise, and where it
 * fails, the driver's compiler gets its turn and has the last word. */
static void generate_cubin(const struct ocl_build_job *job, struct product *product)
{
	struct ocl_code *code = product->code;
	const struct be_codegen_options options = {
		.sm = code->sm,
		.optimization = code->optimization,
		.max_registers = code->max_registers,
		.line_info = code->line_info,
	};
	if (*be_cubin_build(job->device->gpu))
		(void)be_cubin_compile(&code->ptx, &options, code->verbose, &code->cubin,
				       product->log);
}

/* NVVM IR -> PTX -> machine code.  Takes the launch facts over into code. */
static cl_int generate(const struct ocl_build_job *job, struct fe_program *program,
		       struct product *product)
{
	struct ocl_code *code = product->code;
	const struct fe_codegen *asked = &program->codegen;
	const struct be_codegen_options options = {
		.sm = code->ptx_sm,
		.flush_denormals = asked->flush_denormals,
		.precise_divide = asked->precise_divide,
		.precise_sqrt = asked->precise_sqrt,
		.fuse_multiply_add = asked->fuse_multiply_add,
		.optimization = asked->optimization,
		.max_registers = asked->max_registers,
		.line_info = asked->line_info,
	};
	size_t libdevice_B = 0;
	const void *libdevice = program->needs_libdevice ? fe_libdevice(&libdevice_B) : NULL;
	cl_int error = be_nvvm_compile(program->nvvm_ir.data, program->nvvm_ir.size_B, libdevice,
				       libdevice_B, &options, &code->ptx, product->log);
	if (error)
		return backend_error(job, error);
	ocl_build_override(job, code);
	code->optimization = asked->optimization;
	code->max_registers = asked->max_registers;
	code->line_info = asked->line_info;
	code->verbose = asked->verbose;
	code->abi = program->abi;
	program->abi = NULL;
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	generate_cubin(job, product);
	return CL_SUCCESS;
}

static cl_int compile_error(const struct ocl_build_job *job, enum fe_status status,
			    struct product *product)
{
	product->refused = status == FE_COMPILE_FAILED;
	return frontend_error(job, status);
}

static struct fe_compile_job compile_job(const struct ocl_build_job *job,
					 struct product *product)
{
	return (struct fe_compile_job){
		.source = job->source,
		.source_size_B = job->source_size_B,
		.options = job->options,
		.headers = job->headers,
		.header_count = job->header_count,
		.sm = product->code->ptx_sm,
		.max_local_B = ocl_device_local_B(job->device),
		.inputs = &product->inputs,
	};
}

static cl_int run_source(const struct ocl_build_job *job, struct product *product)
{
	struct fe_program program;
	const struct fe_compile_job compile = compile_job(job, product);
	cl_int error = compile_error(job, fe_build(&compile, &program, &product->code->object,
						   product->log), product);
	if (error)
		return error;
	error = generate(job, &program, product);
	fe_program_finish(&program);
	return error;
}

static cl_int run_compile(const struct ocl_build_job *job, struct product *product)
{
	struct ocl_code *code = product->code;
	const struct fe_compile_job compile = compile_job(job, product);
	code->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	return compile_error(job, fe_compile(&compile, &code->object, product->log), product);
}

/* objects: borrowed contents. */
static cl_int link_objects(const struct ocl_build_job *job, const struct bytes *objects,
			   size_t count, struct product *product)
{
	struct ocl_code *code = product->code;
	struct fe_program program;
	const struct fe_link_job link = {
		.objects = objects,
		.object_count = count,
		.options = job->kind == OCL_BUILD_LINK ? job->options : NULL,
		.sm = code->ptx_sm,
		.max_local_B = ocl_device_local_B(job->device),
	};
	if (job->kind == OCL_BUILD_LINK && fe_options_want_library(job->options)) {
		code->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
		return frontend_error(job, fe_link_library(&link, &code->object, product->log));
	}
	cl_int error = frontend_error(job, fe_link(&link, &program, product->log));
	if (error)
		return error;
	error = generate(job, &program, product);
	fe_program_finish(&program);
	return error;
}

static cl_int run_link(const struct ocl_build_job *job, struct product *product)
{
	struct bytes list = BYTES_INIT;
	for (size_t i = 0; i < job->input_count; i++)
		bytes_append(&list, &job->inputs[i]->object, sizeof(struct bytes));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (!bytes_failed(&list))
		error = link_objects(job, (const struct bytes *)(const void *)list.data,
				     job->input_count, product);
	bytes_finish(&list);
	return error;
}

/* An executable that was made for another device: from its bitcode, which gives
 * the better code, or else from its PTX. */
static cl_int run_binary(const struct ocl_build_job *job, struct product *product)
{
	struct ocl_code *code = product->code;
	const struct ocl_code *loaded = job->loaded;
	if (loaded->object.size_B) {
		bytes_append(&code->object, loaded->object.data, loaded->object.size_B);
		if (bytes_failed(&code->object))
			return CL_OUT_OF_HOST_MEMORY;
		return link_objects(job, &loaded->object, 1, product);
	}
	struct bytes facts = BYTES_INIT;
	abi_program_write(loaded->abi, &facts);
	if (!bytes_failed(&facts))
		code->abi = abi_program_read(facts.data, facts.size_B);
	bytes_finish(&facts);
	bytes_append(&code->ptx, loaded->ptx.data, loaded->ptx.size_B);
	if (!code->abi || bytes_failed(&code->ptx))
		return CL_OUT_OF_HOST_MEMORY;
	code->ptx_sm = loaded->ptx_sm;
	code->optimization = loaded->optimization;
	code->max_registers = loaded->max_registers;
	code->line_info = loaded->line_info;
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	generate_cubin(job, product);
	return CL_SUCCESS;
}

/* Whether there is a compiler for this device, and for which sm it compiles. */
static cl_int compiler_find(const struct ocl_build_job *job, unsigned *sm_out, struct bytes *log)
{
	cl_int error = be_nvvm_load(log);
	if (!error) {
		error = be_nvvm_arch(job->device->caps->sm, sm_out);
		if (error == CL_COMPILER_NOT_AVAILABLE)
			bytes_printf(log, "%s: does not compile for this device (sm_%u)\n",
				     be_nvvm_id(), job->device->caps->sm);
	}
	return backend_error(job, error);
}

static cl_int run(const struct ocl_build_job *job, struct product *product)
{
	cl_int error = compiler_find(job, &product->code->ptx_sm, product->log);
	if (error)
		return error;
	product->code->sm = job->device->caps->sm;
	switch (job->kind) {
	case OCL_BUILD_SOURCE:
		return run_source(job, product);
	case OCL_BUILD_BINARY:
		return run_binary(job, product);
	case OCL_BUILD_COMPILE:
		return run_compile(job, product);
	case OCL_BUILD_LINK:
		return run_link(job, product);
	}
	return CL_INVALID_OPERATION;
}

/* Compiles, and gives the code its own copy of what was said on the way. */
static cl_int make(const struct ocl_build_job *job, struct fe_inputs *inputs, bool *refused_out,
		   struct ocl_code **code_out, struct bytes *log)
{
	struct bytes said = BYTES_INIT;
	struct product product = {.code = ocl_code_create(), .log = &said};
	if (!product.code)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = run(job, &product);
	ocl_build_dump(job, product.code, &said);
	log_info("build: %s for sm_%u: %d", fe_compiler_id(), job->device->caps->sm, error);
	bytes_append(log, said.data, said.size_B);
	bytes_move(&product.code->log, &said);
	*inputs = product.inputs;
	*refused_out = error && product.refused;
	if (error)
		ocl_code_unref(product.code);
	else
		*code_out = product.code;
	return error;
}

/* The key named the compilers' files before they were loaded; they may have been
 * replaced in between. */
static bool key_holds(const struct ocl_build_job *job, const struct hash *key)
{
	struct hash now;
	return ocl_build_key(job, &now) && hash_equal(key, &now);
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
static bool recall(const struct ocl_build_job *job, const struct hash *key,
		   struct ocl_code **code_out, cl_int *error_out, struct bytes *log)
{
	struct ocl_code *code = ocl_build_recall(key, job->device);
	*error_out = code ? CL_SUCCESS : ocl_build_recall_failure(key, log);
	if (code)
		bytes_append(log, code->log.data, code->log.size_B);
	*code_out = code;
	return code || *error_out;
}

/* Makes what key stands for, and keeps it. */
static cl_int make_and_remember(const struct ocl_build_job *job, const struct hash *key,
				struct ocl_code **code_out, struct bytes *log)
{
	struct fe_inputs inputs = FE_INPUTS_INIT;
	const size_t said_B = log->size_B;
	bool refused = false;
	cl_int error = make(job, &inputs, &refused, code_out, log);
	if (!error && key && key_holds(job, key))
		ocl_build_remember(key, &inputs, *code_out);
	if (refused && key && !bytes_failed(log)) {
		const struct bytes said = {.data = log->data + said_B,
					   .size_B = log->size_B - said_B};
		ocl_build_remember_failure(key, &inputs, error, &said);
	}
	fe_inputs_finish(&inputs);
	return error;
}

/* The whole road to code, or the short one where an equal job went it before. */
static cl_int find_or_make(const struct ocl_build_job *job, struct ocl_code **code_out,
			   struct bytes *log)
{
	struct hash key;
	cl_int error;
	if (!ocl_build_key(job, &key))
		return make_and_remember(job, NULL, code_out, log);
	if (!recall(job, &key, code_out, &error, log)) {
		struct cache_flight *flight = cache_flight_begin(cache_default(), &key);
		if (!recall(job, &key, code_out, &error, log))
			error = make_and_remember(job, &key, code_out, log);
		if (error)
			cache_flight_fail(cache_default(), flight);
		else
			cache_flight_end(cache_default(), flight);
	}
	log_counts();
	return error;
}

static cl_int module_find(struct ocl_code *code, cl_device_id device,
			  struct ocl_module **module_out, struct bytes *log)
{
	struct gpu_module *loaded;
	struct ocl_module *module = ocl_module_get(device, code);
	if (!module)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_module_load(module, log, &loaded);
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
	cl_int error = frontend_error(job, fe_options_check(job->options, linking, log));
	if (error)
		return error;
	struct ocl_code *code = NULL;
	if (job->kind == OCL_BUILD_BINARY && ocl_code_fits(job->loaded, job->device)) {
		code = ocl_code_ref(job->loaded);
		/* Text of an application's is compiled now, and its mistakes told. */
		if (code->cubin.size_B || code->object.size_B) {
			*code_out = code;
			return CL_SUCCESS;
		}
	} else {
		error = find_or_make(job, &code, log);
	}
	if (error)
		return error;
	if (code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		error = backend_error(job, module_find(code, job->device, module_out, log));
	if (error)
		ocl_code_unref(code);
	else
		*code_out = code;
	return error;
}
