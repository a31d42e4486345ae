#include "config.h"

#include "icd/compile/compile.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "base/stage.h"
#include "base/thread.h"
#include "icd/compile/job_dump.h"

#include <stdatomic.h>
#include <string.h>

static cl_int frontend_error(const struct ocl_job *job, enum fe_status status)
{
	return ocl_job_frontend_error(job->kind, status);
}

static cl_int backend_error(const struct ocl_job *job, cl_int error)
{
	return ocl_job_backend_error(job->kind, error);
}

/* Phrases that complete the sentence "it crashed in ...". */
static _Atomic(const char *) stage;

static void stage_set(const char *phrase)
{
	atomic_store_explicit(&stage, phrase, memory_order_relaxed);
}

const char *ocl_compile_stage(void)
{
	const char *phrase = atomic_load_explicit(&stage, memory_order_relaxed);
	return phrase ? phrase : "its preparations";
}

/* The number of threads that may work on text.  Other builds begin and end meanwhile, so each stage asks again. */
static unsigned threads_for(const struct ocl_job *job, const struct bytes *text)
{
	return job->threads && text->size_B >= BE_CODEGEN_SHARED_B ? job->threads() : 1;
}

static bool stops_early(const struct ocl_job *job)
{
	return job->stages && job->stages->ends_with_nvvm_ir;
}

/* Makes machine code if the PTX compiler library is available.  Without it, or if it fails, the driver compiles the
 * PTX when the module is loaded, and its errors are those of the build. */
static void generate_cubin(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	struct ocl_code *code = outcome->code;
	struct be_codegen_options options = {.sm = code->sm, .choice = code->choice};
	stage_set("the PTX compiler");
	if (!*job->target.cubin_build)
		return;
	struct bytes made = BYTES_INIT;
	const struct bytes *ptx = ocl_code_plain_ptx(code, &made);
	if (ptx) {
		options.threads = threads_for(job, ptx);
		(void)be_cubin_compile(ptx, &options, &code->cubin, &outcome->log);
	}
	bytes_finish(&made);
}

/* Names the kernels that were not optimized, and may be slow, in the log. */
static void tell_unoptimized(const struct ocl_job *job, const struct fe_program *program,
			     struct bytes *log)
{
	const struct abi_program *abi = program->abi;
	const char *before = "not optimised: ", *at = program->nvvm_ir.data;
	const char *end = at + program->nvvm_ir.size_B;
	for (size_t number = 0; at < end; at += strlen(at) + 1, number++) {
		if (!(job->unoptimized & be_nvvm_module_bit(number)))
			continue;
		for (uint32_t i = 0; i < abi->kernel_count; i++) {
			struct bytes definition = BYTES_INIT;
			bytes_printf(&definition, "define void @%s(", abi->kernels[i].entry);
			if (strstr(at, bytes_string(&definition))) {
				bytes_printf(log, "%s%s", before, abi->kernels[i].name);
				before = ", ";
			}
			bytes_finish(&definition);
		}
	}
	bytes_append_char(log, '\n');
}

/* Moves the NVVM IR to the caller who wants to see it; later stages do not use it. */
static void stage_show(const struct ocl_job *job, struct fe_program *program)
{
	if (!job->stages)
		return;
	bytes_finish(&job->stages->nvvm_ir);
	bytes_move(&job->stages->nvvm_ir, &program->nvvm_ir);
}

static cl_int generate_ptx(const struct ocl_job *job, const struct fe_program *program,
			   struct ocl_outcome *outcome)
{
	const struct be_codegen_options options = {
		.sm = outcome->code->ptx_sm,
		.choice = program->codegen,
		.unoptimized = job->unoptimized,
		.threads = threads_for(job, &program->nvvm_ir),
	};
	size_t libdevice_B = 0;
	const void *libdevice = program->needs_libdevice ? fe_libdevice(&libdevice_B) : NULL;
	struct stage_clock clock = stage_clock_start();
	stage_set(OCL_STAGE_LIBNVVM);
	cl_int error = be_nvvm_compile(program->nvvm_ir.data, program->nvvm_ir.size_B, libdevice,
				       libdevice_B, &options, &outcome->code->ptx.bytes,
				       &outcome->log);
	if (error)
		return backend_error(job, error);
	stage_clock_lap(&clock, "libnvvm");
	if (job->unoptimized)
		tell_unoptimized(job, program, &outcome->log);
	return CL_SUCCESS;
}

/* NVVM IR to PTX to machine code.  Moves the launch facts into the outcome's code. */
static cl_int generate(const struct ocl_job *job, struct fe_program *program,
		       struct ocl_outcome *outcome)
{
	struct ocl_code *code = outcome->code;
	const bool stops = stops_early(job);
	cl_int error = stops ? CL_SUCCESS : generate_ptx(job, program, outcome);
	stage_show(job, program);
	if (error)
		return error;
	code->choice = program->codegen;
	code->abi = program->abi;
	program->abi = NULL;
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	if (stops)
		return CL_SUCCESS;
	ocl_job_override(job, code);
	struct stage_clock clock = stage_clock_start();
	generate_cubin(job, outcome);
	stage_clock_lap(&clock, "PTX compiler");
	return CL_SUCCESS;
}

static cl_int compile_error(const struct ocl_job *job, enum fe_status status,
			    struct ocl_outcome *outcome)
{
	outcome->refused = status == FE_COMPILE_FAILED;
	return frontend_error(job, status);
}

/* Where no libnvvm gets the NVVM IR, it is that for a libnvvm which lacks nothing. */
static unsigned lacks_of(const struct ocl_job *job, const struct ocl_code *code)
{
	if (stops_early(job))
		return 0;
	return be_nvvm_lacks(code->ptx_sm) | (code->ptx_sm == job->target.sm ? 0 : NVVM_LACKS_TARGET);
}

static struct fe_compile_job compile_job(const struct ocl_job *job,
					 struct ocl_outcome *outcome)
{
	return (struct fe_compile_job){
		.source = job->source,
		.source_size_B = job->source_size_B,
		.options = job->options,
		.headers = job->headers,
		.header_count = job->header_count,
		.sm = outcome->code->ptx_sm,
		.max_local_B = job->target.max_local_B,
		.wide_ids = job->wide_ids,
		.nvvm_lacks = lacks_of(job, outcome->code),
		.from_il = job->from_il,
		.inputs = &outcome->inputs,
		.llvm_ir = job->stages && job->stages->wants_llvm_ir ? &job->stages->llvm_ir : NULL,
	};
}

static cl_int run_source(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	struct fe_program program;
	const struct fe_compile_job compile = compile_job(job, outcome);
	cl_int error = compile_error(job, fe_build(&compile, &program, &outcome->code->object.bytes,
						   &outcome->log), outcome);
	if (error)
		return error;
	error = generate(job, &program, outcome);
	fe_program_finish(&program);
	return error;
}

static cl_int run_compile(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	struct ocl_code *code = outcome->code;
	const struct fe_compile_job compile = compile_job(job, outcome);
	code->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	return compile_error(job, fe_compile(&compile, &code->object.bytes, &outcome->log), outcome);
}

/* objects: the caller keeps their contents. */
static cl_int link_objects(const struct ocl_job *job, const struct bytes *objects,
			   size_t count, struct ocl_outcome *outcome)
{
	struct ocl_code *code = outcome->code;
	struct fe_program program;
	const struct fe_link_job link = {
		.objects = objects,
		.object_count = count,
		.options = job->kind == OCL_JOB_LINK ? job->options : NULL,
		.sm = code->ptx_sm,
		.max_local_B = job->target.max_local_B,
		/* A linked executable has no object from which code for wide ids could be compiled later. */
		.wide_ids = job->wide_ids || job->kind == OCL_JOB_LINK,
		.nvvm_lacks = lacks_of(job, code),
	};
	if (job->kind == OCL_JOB_LINK && job->options->create_library) {
		code->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
		return frontend_error(job, fe_link_library(&link, &code->object.bytes,
							   &outcome->log));
	}
	cl_int error = frontend_error(job, fe_link(&link, &program, &outcome->log));
	if (error)
		return error;
	error = generate(job, &program, outcome);
	fe_program_finish(&program);
	return error;
}

static cl_int run_link(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	struct bytes list = BYTES_INIT;
	for (size_t i = 0; i < job->input_count; i++)
		bytes_append(&list, packed_bytes_open(&job->inputs[i]->object), sizeof(struct bytes));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (!bytes_failed(&list))
		error = link_objects(job, (const struct bytes *)(const void *)list.data,
				     job->input_count, outcome);
	bytes_finish(&list);
	return error;
}

/* Compiles an executable that was compiled for another device: from its bitcode, which gives better code, or else
 * from its PTX.  Both were unpacked before: by open_parts() in icd/compile/job.c, or when the message was read. */
static cl_int run_binary(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	struct ocl_code *code = outcome->code;
	struct ocl_code *loaded = job->loaded;
	const struct bytes *object = packed_bytes_open(&loaded->object);
	const struct bytes *ptx = packed_bytes_open(&loaded->ptx);
	if (object->size_B) {
		bytes_append(&code->object.bytes, object->data, object->size_B);
		if (bytes_failed(&code->object.bytes))
			return CL_OUT_OF_HOST_MEMORY;
		return link_objects(job, object, 1, outcome);
	}
	struct bytes facts = BYTES_INIT;
	abi_program_write(loaded->abi, &facts);
	if (!bytes_failed(&facts))
		code->abi = abi_program_read(facts.data, facts.size_B);
	bytes_finish(&facts);
	bytes_append(&code->ptx.bytes, ptx->data, ptx->size_B);
	if (!code->abi || bytes_failed(&code->ptx.bytes))
		return CL_OUT_OF_HOST_MEMORY;
	code->ptx_sm = loaded->ptx_sm;
	code->choice = loaded->choice;
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	generate_cubin(job, outcome);
	return CL_SUCCESS;
}

/* The architecture to compile for: the device's, or for -cl-culvert-warp-synchronous the oldest that the newest
 * libnvvm knows, because the library then uses the fewest instructions that PTX for sm_60 does not have. */
static unsigned wanted_sm(const struct ocl_job *job)
{
	const bool is_asked = (job->options && job->options->codegen.warp_synchronous) ||
			      (job->loaded && job->loaded->choice.warp_synchronous);
	return is_asked && job->target.sm > BE_NVVM_SM_TURING ? BE_NVVM_SM_TURING : job->target.sm;
}

/* Whether libnvvm supports this device, and the architecture that it compiles for. */
static cl_int compiler_find(const struct ocl_job *job, unsigned *sm_out, struct bytes *log)
{
	stage_set("the search for libnvvm");
	struct stage_clock clock = stage_clock_start();
	cl_int error = be_nvvm_load(log);
	if (!error) {
		error = be_nvvm_arch(wanted_sm(job), sm_out);
		/* OpenCL 3.0 API, 5.8.4: CL_COMPILER_NOT_AVAILABLE is for devices whose CL_DEVICE_COMPILER_AVAILABLE
		 * is CL_FALSE.  This device has a compiler; the build fails with a log instead, which programs show. */
		if (error == CL_COMPILER_NOT_AVAILABLE) {
			be_nvvm_arch_explain(job->target.sm, log);
			error = CL_BUILD_PROGRAM_FAILURE;
		}
	}
	stage_clock_lap(&clock, "search for libnvvm");
	return backend_error(job, error);
}

static cl_int run(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	outcome->code->ptx_sm = wanted_sm(job);
	cl_int error = stops_early(job) ? CL_SUCCESS
					: compiler_find(job, &outcome->code->ptx_sm, &outcome->log);
	if (error)
		return error;
	outcome->code->sm = job->target.sm;
	stage_set("Clang or the lowering to NVVM IR");
	switch (job->kind) {
	case OCL_JOB_SOURCE:
		return run_source(job, outcome);
	case OCL_JOB_BINARY:
		return run_binary(job, outcome);
	case OCL_JOB_COMPILE:
		return run_compile(job, outcome);
	case OCL_JOB_LINK:
		return run_link(job, outcome);
	}
	return CL_INVALID_OPERATION;
}

void ocl_compile(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	outcome->code = ocl_code_create();
	outcome->error = outcome->code ? run(job, outcome) : CL_OUT_OF_HOST_MEMORY;
	log_info("build: %s for sm_%u: %d", fe_compiler_id(), job->target.sm, outcome->error);
	if (outcome->error) {
		ocl_code_unref(outcome->code);
		outcome->code = NULL;
	}
}

struct deep {
	const struct ocl_job *job;
	struct ocl_outcome *outcome;
};

static void *compile_deep(void *argument)
{
	struct deep *deep = argument;
	ocl_compile(deep->job, deep->outcome);
	return NULL;
}

void ocl_compile_deep(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	struct deep deep = {.job = job, .outcome = outcome};
	if (thread_run_deep(BE_CODEGEN_STACK_B, compile_deep, &deep))
		ocl_compile(job, outcome);
}
