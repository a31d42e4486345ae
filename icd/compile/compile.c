#include "config.h"

#include "icd/compile/compile.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "base/stage.h"
#include "icd/compile/build_dump.h"

#include <stdatomic.h>
#include <string.h>

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

cl_int ocl_compile_frontend_error(enum ocl_build_kind kind, enum fe_status status)
{
	const struct error_names *names = &error_names[kind];
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

cl_int ocl_compile_backend_error(enum ocl_build_kind kind, cl_int error)
{
	const struct error_names *names = &error_names[kind];
	if (error == CL_BUILD_PROGRAM_FAILURE)
		return names->failure;
	if (error == CL_COMPILER_NOT_AVAILABLE)
		return names->unavailable;
	return error;
}

static cl_int frontend_error(const struct ocl_build_job *job, enum fe_status status)
{
	return ocl_compile_frontend_error(job->kind, status);
}

static cl_int backend_error(const struct ocl_build_job *job, cl_int error)
{
	return ocl_compile_backend_error(job->kind, error);
}

/* Phrases for a sentence "it crashed in ...". */
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

/* What goes with a job: what it makes. */
struct product {
	struct ocl_code *code;
	struct fe_inputs *inputs;        /* what the compile asked of the machine */
	struct bytes *log;
	bool refused;                    /* the fault is the source's: it fails each time */
};

/* That text may be shared out to.  Other builds begin and end meanwhile, so each stage asks. */
static unsigned threads_for(const struct ocl_build_job *job, const struct bytes *text)
{
	return job->threads && text->size_B >= BE_CODEGEN_SHARED_B ? job->threads() : 1;
}

/* Machine code where that can be had without the driver; otherwise, and where it
 * fails, the driver's compiler gets its turn and has the last word. */
static void generate_cubin(const struct ocl_build_job *job, struct product *product)
{
	struct ocl_code *code = product->code;
	struct be_codegen_options options = {
		.sm = code->sm,
		.optimization = code->optimization,
		.max_registers = code->max_registers,
		.line_info = code->line_info,
	};
	stage_set("the PTX compiler");
	if (!job->target.cubin)
		return;
	struct bytes made = BYTES_INIT;
	const struct bytes *ptx = ocl_code_plain_ptx(code, &made);
	if (ptx) {
		options.threads = threads_for(job, ptx);
		(void)be_cubin_compile(ptx, &options, code->verbose, &code->cubin, product->log);
	}
	bytes_finish(&made);
}

/* Which kernels may be slow, in the log. */
static void tell_unoptimized(const struct ocl_build_job *job, const struct fe_program *program,
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
		.unoptimized = job->unoptimized,
		.max_registers = asked->max_registers,
		.line_info = asked->line_info,
		.threads = threads_for(job, &program->nvvm_ir),
	};
	size_t libdevice_B = 0;
	const void *libdevice = program->needs_libdevice ? fe_libdevice(&libdevice_B) : NULL;
	struct stage_clock clock = stage_clock_start();
	stage_set(OCL_STAGE_LIBNVVM);
	cl_int error = be_nvvm_compile(program->nvvm_ir.data, program->nvvm_ir.size_B, libdevice,
				       libdevice_B, &options, &code->ptx.bytes, product->log);
	if (error)
		return backend_error(job, error);
	stage_clock_lap(&clock, "libnvvm");
	if (job->unoptimized)
		tell_unoptimized(job, program, product->log);
	ocl_build_override(job, code);
	code->optimization = asked->optimization;
	code->max_registers = asked->max_registers;
	code->line_info = asked->line_info;
	code->verbose = asked->verbose;
	code->abi = program->abi;
	program->abi = NULL;
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	generate_cubin(job, product);
	stage_clock_lap(&clock, "PTX compiler");
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
		.max_local_B = job->target.max_local_B,
		.wide_ids = job->wide_ids,
		.from_il = job->from_il,
		.inputs = product->inputs,
	};
}

static cl_int run_source(const struct ocl_build_job *job, struct product *product)
{
	struct fe_program program;
	const struct fe_compile_job compile = compile_job(job, product);
	cl_int error = compile_error(job, fe_build(&compile, &program, &product->code->object.bytes,
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
	return compile_error(job, fe_compile(&compile, &code->object.bytes, product->log), product);
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
		.max_local_B = job->target.max_local_B,
		/* What is linked keeps no object to be made anew from. */
		.wide_ids = job->wide_ids || job->kind == OCL_BUILD_LINK,
	};
	if (job->kind == OCL_BUILD_LINK && fe_options_want_library(job->options)) {
		code->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
		return frontend_error(job, fe_link_library(&link, &code->object.bytes,
							   product->log));
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
		bytes_append(&list, ocl_part_bytes(&job->inputs[i]->object), sizeof(struct bytes));
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (!bytes_failed(&list))
		error = link_objects(job, (const struct bytes *)(const void *)list.data,
				     job->input_count, product);
	bytes_finish(&list);
	return error;
}

/* What a job compiles from is there before it runs: icd/compile/build.c, or the message, has seen to it.
 * An executable that was made for another device: from its bitcode, which gives
 * the better code, or else from its PTX. */
static cl_int run_binary(const struct ocl_build_job *job, struct product *product)
{
	struct ocl_code *code = product->code;
	struct ocl_code *loaded = job->loaded;
	const struct bytes *object = ocl_part_bytes(&loaded->object);
	const struct bytes *ptx = ocl_part_bytes(&loaded->ptx);
	if (object->size_B) {
		bytes_append(&code->object.bytes, object->data, object->size_B);
		if (bytes_failed(&code->object.bytes))
			return CL_OUT_OF_HOST_MEMORY;
		return link_objects(job, object, 1, product);
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
	stage_set("the search for libnvvm");
	struct stage_clock clock = stage_clock_start();
	cl_int error = be_nvvm_load(log);
	if (!error) {
		error = be_nvvm_arch(job->target.sm, sm_out);
		/* OpenCL 3.0 API, 5.8.4: CL_COMPILER_NOT_AVAILABLE is where the device says
		 * CL_FALSE for CL_DEVICE_COMPILER_AVAILABLE.  This one has a compiler, and a
		 * log, which programs show when a build failed. */
		if (error == CL_COMPILER_NOT_AVAILABLE) {
			bytes_printf(log, "%s: does not compile for this device (sm_%u); "
				     "CULVERT_LIBNVVM may name another, as the driver's own, "
				     "libnvidia-nvvm.so.4\n", be_nvvm_id(), job->target.sm);
			error = CL_BUILD_PROGRAM_FAILURE;
		}
	}
	stage_clock_lap(&clock, "search for libnvvm");
	return backend_error(job, error);
}

static cl_int run(const struct ocl_build_job *job, struct product *product)
{
	cl_int error = compiler_find(job, &product->code->ptx_sm, product->log);
	if (error)
		return error;
	product->code->sm = job->target.sm;
	stage_set("Clang or the lowering to NVVM IR");
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

void ocl_compiled_finish(struct ocl_compiled *compiled)
{
	ocl_code_unref(compiled->code);
	fe_inputs_finish(&compiled->inputs);
	bytes_finish(&compiled->log);
	*compiled = (struct ocl_compiled)OCL_COMPILED_INIT;
}

void ocl_compile(const struct ocl_build_job *job, struct ocl_compiled *compiled)
{
	struct product product = {
		.code = ocl_code_create(),
		.inputs = &compiled->inputs,
		.log = &compiled->log,
	};
	compiled->error = product.code ? run(job, &product) : CL_OUT_OF_HOST_MEMORY;
	log_info("build: %s for sm_%u: %d", fe_compiler_id(), job->target.sm, compiled->error);
	compiled->refused = compiled->error && product.refused;
	if (compiled->error)
		ocl_code_unref(product.code);
	else
		compiled->code = product.code;
}
