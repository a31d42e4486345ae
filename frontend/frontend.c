#include "config.h"

#include "frontend/frontend.h"

#include "base/build_id.h"
#include "base/stage.h"
#include "frontend/compiler_thread.h"
#include "frontend/embedded.h"
#include "frontend/module.h"
#include "frontend/options.h"

#include <llvm-c/Core.h>
#include <pthread.h>
#include <string.h>

/* -- looking at every stage, or changing it (CULVERT_DUMP, CULVERT_OVERRIDE) --------- */

/* The name of all files of a build; unset if no files are wanted. */
static struct hash name_of(const struct fe_compile_job *job)
{
	struct hash name = STAGE_NAME_INIT;
	if (!stage_watched())
		return name;
	const char *options = job->options->text;
	name = stage_name_more(&name, job->source, job->source_size_B);
	return stage_name_more(&name, options, strlen(options));
}

static struct hash name_of_link(const struct fe_link_job *job)
{
	struct hash name = STAGE_NAME_INIT;
	if (!stage_watched())
		return name;
	if (job->options)
		name = stage_name_more(&name, job->options->text, strlen(job->options->text));
	for (size_t i = 0; i < job->object_count; i++)
		name = stage_name_more(&name, job->objects[i].data, job->objects[i].size_B);
	return name;
}

/* wanted: gets the text as well; NULL: it is not needed. */
static void dump_module(const struct hash *name, const struct fe_module *module, struct bytes *wanted)
{
	if (!wanted && !stage_dumped())
		return;
	char *text = LLVMPrintModuleToString(module->module);
	if (wanted)
		bytes_append_string(wanted, text);
	stage_dump(name, ".ll", text, strlen(text));
	LLVMDisposeMessage(text);
}

/* The IR in a file may call any function of libdevice. */
static void override_program(const struct hash *name, struct fe_program *program)
{
	struct bytes text = BYTES_INIT;
	if (stage_override(name, ".nvvm.ll", &text)) {
		bytes_finish(&program->nvvm_ir);
		bytes_move(&program->nvvm_ir, &text);
		program->needs_libdevice = true;
	}
	bytes_finish(&text);
}

/* -- the road ---------------------------------------------------------------------- */

static bool calls_libdevice(const struct fe_module *module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		size_t length;
		const char *name = LLVMGetValueName2(function, &length);
		if (LLVMIsDeclaration(function) && LLVMGetFirstUse(function) &&
		    !strncmp(name, "__nv_", 5))
			return true;
	}
	return false;
}

/* OpenCL 3.0 API, 5.8.7.2: the link's floating-point options apply in addition to those with which the programs were
 * compiled. */
static void add_link_options(struct codegen_choice *codegen, const struct codegen_choice *link)
{
	codegen->flush_denormals = codegen->flush_denormals || link->flush_denormals;
	codegen->fuse_multiply_add = codegen->fuse_multiply_add || link->fuse_multiply_add;
	codegen->relaxed = codegen->relaxed || link->relaxed;
	codegen->verbose = codegen->verbose || link->verbose;
	codegen->warp_synchronous = codegen->warp_synchronous || link->warp_synchronous;
	if (link->optimization < codegen->optimization)
		codegen->optimization = link->optimization;
	if (link->max_registers)
		codegen->max_registers = link->max_registers;
}

/* Converts a linked module to NVVM IR: runs the passes in their order.  The launch facts are read while the kernels
 * still have their types of the source. link: the options of a link; NULL: this is not a link. */
static enum fe_status make_program(struct fe_module *module, const struct fe_compile_job *target,
				   const struct codegen_choice *link, const struct hash *name,
				   struct fe_program *program, struct bytes *log)
{
	struct stage_clock clock = stage_clock_start();
	enum fe_status status = fe_codegen_get(module, &program->codegen);
	if (!status) {
		fe_module_join_dot_products(module);
		status = fe_module_converge_calls(module);
	}
	if (!status)
		status = fe_module_link_builtins(module, log);
	if (status)
		return status;
	stage_clock_lap(&clock, "builtin library");
	if (link)
		add_link_options(&program->codegen, link);
	/* 5.8.6.2: the option concerns single and double precision, but libnvvm also flushes half; flushing is never
	 * required. */
	if (fe_module_computes_half(module))
		program->codegen.flush_denormals = false;
	dump_module(name, module, target->llvm_ir);
	status = fe_module_facts(module, &program->codegen, &program->abi, log);
	if (!status)
		status = fe_module_lower(module, program->abi, target, &program->codegen, log);
	stage_clock_lap(&clock, "lowering");
	/* Programs with line tables, and those that are not optimized, are not split. */
	const bool whole = program->codegen.line_info || !program->codegen.optimization;
	if (!status)
		status = (whole ? fe_module_print : fe_module_print_parts)(
			module, program->abi, target, &program->nvvm_ir, log);
	if (status)
		return status;
	stage_clock_lap(&clock, "NVVM IR as text");
	program->needs_libdevice = calls_libdevice(module);
	stage_dump(name, ".nvvm.ll", bytes_string(&program->nvvm_ir), program->nvvm_ir.size_B);
	override_program(name, program);
	return FE_OK;
}

/* -- tasks of the compiler's thread -------------------------------------------------- */

struct build {
	const struct fe_compile_job *job;
	struct bytes *object;           /* NULL: not wanted */
	struct fe_program *program;     /* NULL: not wanted */
	struct bytes *log;
};

static enum fe_status build_module(const struct build *build, struct fe_module *module)
{
	const struct fe_compile_job *job = build->job;
	fe_codegen_put(module, &job->options->codegen);
	struct stage_clock clock = stage_clock_start();
	const struct hash name = name_of(job);
	enum fe_status status = FE_OK;
	if (build->object)
		status = fe_module_write(module, build->object);
	stage_clock_lap(&clock, "bitcode");
	if (!status && build->program)
		status = make_program(module, job, NULL, &name, build->program, build->log);
	return status;
}

static enum fe_status build_task(void *argument)
{
	const struct build *build = argument;
	struct fe_compile_job job = *build->job;
	const struct hash name = name_of(&job);
	struct bytes other = BYTES_INIT;
	const char *ending = job.from_il ? ".spv" : ".cl";
	stage_dump(&name, ending, job.source, job.source_size_B);
	if (stage_override(&name, ending, &other)) {
		job.source = bytes_string(&other);
		job.source_size_B = other.size_B;
	}
	struct fe_module module;
	struct stage_clock clock = stage_clock_start();
	enum fe_status status = (job.from_il ? fe_spirv_compile : fe_clang_compile)(
		&job, job.options, &module, build->log);
	bytes_finish(&other);
	if (status)
		return status;
	stage_clock_lap(&clock, job.from_il ? "SPIR-V reader" : "Clang");
	status = build_module(build, &module);
	fe_module_finish(&module);
	return status;
}

struct link {
	const struct fe_link_job *job;
	const struct fe_options *options;
	struct bytes *library;          /* NULL: not wanted */
	struct fe_program *program;     /* NULL: not wanted */
	struct bytes *log;
};

static enum fe_status link_module(const struct link *link, struct fe_module *module)
{
	const struct fe_link_job *job = link->job;
	enum fe_status status = fe_module_link(module, job->objects + 1, job->object_count - 1,
					       link->log);
	if (status)
		return status;
	if (link->library)
		return fe_module_write(module, link->library);
	const struct fe_compile_job target = {
		.sm = job->sm, .max_local_B = job->max_local_B, .wide_ids = job->wide_ids,
		.nvvm_lacks = job->nvvm_lacks};
	const struct hash name = name_of_link(job);
	return make_program(module, &target, &link->options->codegen, &name,
			    link->program, link->log);
}

static enum fe_status link_task(void *argument)
{
	const struct link *link = argument;
	struct fe_module module;
	enum fe_status status = fe_module_read(&link->job->objects[0], &module, link->log);
	if (status)
		return status;
	status = link_module(link, &module);
	fe_module_finish(&module);
	return status;
}

/* -- the doors ------------------------------------------------------------------------ */

/* Ends the last line of the log. */
static void end_line(struct bytes *log)
{
	if (log->size_B && log->data[log->size_B - 1] != '\n')
		bytes_append_char(log, '\n');
}

/* Compiles to an object, a program or both; NULL: it is not wanted. */
static enum fe_status compile(const struct fe_compile_job *job, struct bytes *object_out,
			      struct fe_program *program_out, struct bytes *log)
{
	struct bytes object = BYTES_INIT;
	struct fe_program program = {0};
	struct build build = {
		.job = job,
		.object = object_out ? &object : NULL,
		.program = program_out ? &program : NULL,
		.log = log,
	};
	enum fe_status status = fe_compiler_thread_run(build_task, &build, log);
	end_line(log);
	if (status) {
		bytes_finish(&object);
		fe_program_finish(&program);
		return status;
	}
	if (object_out)
		bytes_move(object_out, &object);
	if (program_out)
		*program_out = program;
	return FE_OK;
}

enum fe_status fe_compile(const struct fe_compile_job *job, struct bytes *object_out,
			  struct bytes *log)
{
	return compile(job, object_out, NULL, log);
}

enum fe_status fe_build(const struct fe_compile_job *job, struct fe_program *program_out,
			struct bytes *object_out, struct bytes *log)
{
	return compile(job, object_out, program_out, log);
}

/* Links to a library or to a program; the other one is NULL. */
static enum fe_status link_objects(const struct fe_link_job *job, struct bytes *library_out,
				   struct fe_program *program_out, struct bytes *log)
{
	if (!job->object_count) {
		bytes_append_string(log, "error: nothing to link\n");
		return FE_LINK_FAILED;
	}
	struct fe_options none;
	enum fe_status status = fe_options_parse(NULL, true, &none, log);
	if (status)
		return status;
	struct bytes library = BYTES_INIT;
	struct fe_program program = {0};
	struct link link = {
		.job = job,
		.options = job->options ? job->options : &none,
		.library = library_out ? &library : NULL,
		.program = program_out ? &program : NULL,
		.log = log,
	};
	status = fe_compiler_thread_run(link_task, &link, log);
	end_line(log);
	fe_options_finish(&none);
	if (status) {
		bytes_finish(&library);
		fe_program_finish(&program);
		return status;
	}
	if (library_out)
		bytes_move(library_out, &library);
	if (program_out)
		*program_out = program;
	return FE_OK;
}

enum fe_status fe_link(const struct fe_link_job *job, struct fe_program *program_out,
		       struct bytes *log)
{
	return link_objects(job, NULL, program_out, log);
}

enum fe_status fe_link_library(const struct fe_link_job *job, struct bytes *library_out,
			       struct bytes *log)
{
	return link_objects(job, library_out, NULL, log);
}

const void *fe_libdevice(size_t *size_B_out)
{
	*size_B_out = (size_t)(fe_embedded_libdevice_end - fe_embedded_libdevice);
	return fe_embedded_libdevice;
}

/* -- identity --------------------------------------------------------------------------- */

static char compiler_id[192];

static void write_compiler_id(void)
{
	const char *line_end = memchr(fe_embedded_index, '\n',
				      (size_t)(fe_embedded_index_end - fe_embedded_index));
	int length = line_end ? (int)(line_end - fe_embedded_index) : 0;
	struct bytes id = BYTES_INIT;
	bytes_printf(&id, "culvert %s, %.*s, ", PACKAGE_VERSION, length, fe_embedded_index);
	fe_clang_version(&id);
	size_t size_B = id.size_B < sizeof(compiler_id) ? id.size_B : sizeof(compiler_id) - 1;
	memcpy(compiler_id, bytes_string(&id), size_B);
	bytes_finish(&id);
}

const char *fe_compiler_id(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, write_compiler_id);
	return compiler_id;
}

/* If LLVM is linked statically, the file that contains this code is the whole compiler. */
bool fe_compiler_build(struct bytes *text)
{
	return build_id_append_at(text, compiler_id);
}
