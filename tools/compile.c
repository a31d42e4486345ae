/* culvert compile: compiles a file as a build does, with no GPU, and shows any stage of it. */
#include "config.h"

#include "backend/codegen.h"
#include "base/memory_limit.h"
#include "base/options.h"
#include "frontend/spirv.h"
#include "icd/compile/compile.h"
#include "tools/build_log.h"
#include "tools/closest.h"
#include "tools/compile_info.h"
#include "tools/json.h"
#include "tools/machine_code.h"
#include "tools/process.h"
#include "tools/quoted.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum stage { STAGE_LL, STAGE_NVVM, STAGE_PTX, STAGE_CUBIN, STAGE_SASS, STAGE_INFO, STAGES };
static const char *const stage_names[STAGES] = {"ll", "nvvm", "ptx", "cubin", "sass", "info"};

struct compile {
	enum stage stage;
	unsigned sm;
	const char *output;              /* NULL: stdout */
	bool as_json;
	struct bytes options;            /* of the OpenCL compiler */
	const char *file;

	/* what the stages make */
	struct bytes source;
	bool from_il;                    /* it is what SPIR-V was written as */
	struct ocl_stages stages;
	struct ocl_outcome outcome;      /* code and log of the compilers */
	struct bytes cubin, statistics, text;
	bool cautious;                   /* libnvvm crashed where it optimised */
	bool has_code;                   /* cubin and statistics */
	struct bytes no_code;            /* else why */
};

/* --- the command line --------------------------------------------------------------- */

static bool take_arch(struct compile *compile, const char *value)
{
	uint64_t sm;
	const char *digits = !strncmp(value, "sm_", 3) || !strncmp(value, "sm-", 3) ? value + 3
										    : value;
	if (!tool_number(digits, &sm) || sm > 999 || !be_nvvm_arch_known((unsigned)sm)) {
		struct bytes list = BYTES_INIT;
		be_nvvm_arch_list(&list);
		tool_usage("--arch: '%s' is not a supported architecture; supported: %s", value,
			   bytes_string(&list));
		bytes_finish(&list);
		return false;
	}
	compile->sm = (unsigned)sm;
	return true;
}

static bool take_stage(struct compile *compile, const char *value)
{
	for (int i = 0; i < STAGES; i++) {
		if (!strcmp(value, stage_names[i])) {
			compile->stage = (enum stage)i;
			return true;
		}
	}
	struct closest closest = {.word = value};
	for (int i = 0; i < STAGES; i++)
		closest_offer(&closest, stage_names[i]);
	tool_usage("--emit: '%s' is not one of ll, nvvm, ptx, cubin, sass, info%s", value,
		   closest_hint(&closest, ""));
	return false;
}

static bool take(void *state, int letter, const char *value)
{
	struct compile *compile = state;
	switch (letter) {
	case 'a':
		return take_arch(compile, value);
	case 'e':
		return take_stage(compile, value);
	case 'o':
		compile->output = value;
		return true;
	case 'O':
		bytes_printf(&compile->options, "%s ", value);
		return true;
	default:
		compile->as_json = true;
		return true;
	}
}

/* --- compiling ---------------------------------------------------------------------- */

/* CUDA programming guide, "Technical specifications per compute capability": most shared
 * memory of a thread block. */
static uint64_t max_local_B(unsigned sm)
{
	static const struct {
		unsigned sm, KiB;
	} rows[] = {{70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {89, 99},
		    {90, 227}, {100, 227}, {101, 227}, {103, 227}, {110, 227}, {120, 99},
		    {121, 99}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].sm == sm)
			return (uint64_t)rows[i].KiB << 10;
	return (uint64_t)48 << 10;
}

static int exit_code_of(cl_int error)
{
	switch (error) {
	case CL_SUCCESS:
		return TOOL_OK;
	case CL_INVALID_BUILD_OPTIONS:
		return TOOL_USAGE;
	case CL_COMPILER_NOT_AVAILABLE:
		return TOOL_UNAVAILABLE;
	case CL_OUT_OF_HOST_MEMORY:
		tool_error("the compiler ran out of memory; its limit is %" PRIu64
			   " MiB (CULVERT_COMPILER_MEMORY)", memory_limit_B() >> 20);
		return TOOL_FAILED;
	default:
		return TOOL_FAILED;
	}
}

/* As far as PTX; machine code is made apart, where NVIDIA's own tools are an alternative. */
static int to_ptx(struct compile *compile)
{
	struct fe_options options;
	const char *text = bytes_string(&compile->options);
	struct bytes *log = &compile->outcome.log;
	const enum fe_status status = compile->from_il
					      ? fe_options_parse_il(text, &options, log)
					      : fe_options_parse(text, false, &options, log);
	if (status)
		return exit_code_of(ocl_job_frontend_error(OCL_JOB_SOURCE, status));
	const struct ocl_job job = {
		.kind = OCL_JOB_SOURCE,
		.target = {.sm = compile->sm, .max_local_B = max_local_B(compile->sm),
			   .cubin_build = ""},
		.options = &options,
		.source = bytes_string(&compile->source),
		.source_size_B = compile->source.size_B,
		.from_il = compile->from_il,
		.unoptimized = compile->cautious ? UINT64_MAX : 0,
		.stages = &compile->stages,
	};
	compile->stages.wants_llvm_ir = compile->stage == STAGE_LL;
	compile->stages.ends_with_nvvm_ir = compile->stage <= STAGE_NVVM;
	ocl_compile_deep(&job, &compile->outcome);
	fe_options_finish(&options);
	return exit_code_of(compile->outcome.error);
}

static int to_machine_code(struct compile *compile)
{
	bool missing = false;
	struct ocl_code *code = compile->outcome.code;
	const struct be_codegen_options options = {.sm = compile->sm, .choice = code->choice};
	struct bytes made = BYTES_INIT;
	/* What launches without a global offset run. */
	const struct bytes *plain = ocl_code_plain_ptx(code, &made);
	if (!plain)
		return exit_code_of(CL_OUT_OF_HOST_MEMORY);
	compile->has_code = machine_code_make(plain, &options, &compile->cubin,
					      &compile->statistics, &compile->no_code, &missing);
	bytes_finish(&made);
	/* Of a kernel much can be told without. */
	if (compile->has_code || (missing && compile->stage == STAGE_INFO))
		return TOOL_OK;
	tool_error("%s", bytes_string(&compile->no_code));
	return missing ? TOOL_UNAVAILABLE : TOOL_FAILED;
}

static int to_text(struct compile *compile)
{
	struct bytes why = BYTES_INIT;
	bool missing;
	bool made = machine_code_text(&compile->cubin, &compile->text, &why, &missing);
	if (!made)
		tool_error("%s", bytes_string(&why));
	bytes_finish(&why);
	return made ? TOOL_OK : missing ? TOOL_UNAVAILABLE : TOOL_FAILED;
}

/* A module is checked as clCreateProgramWithIL does it, and has its own specialization constants. */
static int from_il(struct compile *compile, struct bytes *log)
{
	struct bytes text = BYTES_INIT;
	compile->from_il = tool_is_spirv(&compile->source);
	if (!compile->from_il)
		return TOOL_OK;
	enum fe_status status = fe_spirv_check(compile->source.data, compile->source.size_B, log);
	if (!status)
		status = fe_spirv_specialize(compile->source.data, compile->source.size_B, NULL, 0,
					     &text, log);
	bytes_finish(&compile->source);
	bytes_move(&compile->source, &text);
	return status ? TOOL_FAILED : TOOL_OK;
}

/* Tells of a libnvvm that is not there, or does not compile for the architecture. */
static int compiler_check(const struct compile *compile, struct bytes *log)
{
	unsigned sm;
	if (be_nvvm_load(log))
		return TOOL_UNAVAILABLE;
	if (!be_nvvm_arch(compile->sm, &sm))
		return TOOL_OK;
	be_nvvm_arch_explain(compile->sm, log);
	bytes_append_string(log, "supported here: ");
	be_nvvm_arch_list(log);
	bytes_append_char(log, '\n');
	return TOOL_UNAVAILABLE;
}

/* As far as the stage that is wanted. */
static int travel(struct compile *compile)
{
	int code = from_il(compile, &compile->outcome.log);
	if (code)
		return code;
	if (compile->stage > STAGE_NVVM)
		code = compiler_check(compile, &compile->outcome.log);
	if (!code)
		code = to_ptx(compile);
	if (!code && compile->stage > STAGE_PTX)
		code = to_machine_code(compile);
	if (!code && compile->stage == STAGE_SASS)
		code = to_text(compile);
	return code;
}

/* --- what comes out ----------------------------------------------------------------- */

static void print_info(const struct compile *compile)
{
	const struct abi_program *abi = compile->outcome.code->abi;
	const char *bold = tool_style(stdout, TOOL_BOLD), *plain = tool_style(stdout, TOOL_PLAIN);
	printf("%s%-28s %9s %11s %9s %9s %5s%s\n", bold, "kernel", "registers", "spilled", "stack",
	       "local", "args", plain);
	for (uint32_t i = 0; i < abi->kernel_count; i++) {
		const struct abi_kernel *kernel = &abi->kernels[i];
		struct compile_info info;
		quoted_print(stdout, kernel->name, 28);
		if (compile->has_code &&
		    compile_info_find(&compile->statistics, kernel->entry, &info)) {
			uint64_t spilled_B = info.spill_store_B + info.spill_load_B;
			printf(" %9" PRIu64 " %s%9" PRIu64 " B%s %7" PRIu64 " B %7" PRIu64
			       " B %5u\n", info.registers,
			       spilled_B ? tool_style(stdout, TOOL_CAREFUL) : "", spilled_B,
			       spilled_B ? plain : "", info.stack_B,
			       info.local_B + kernel->dynamic_local_B, kernel->argument_count);
		} else {
			printf(" %9s %11s %9s %9s %5u\n", "-", "-", "-", "-",
			       kernel->argument_count);
		}
	}
	if (!compile->has_code)
		tool_error("register counts are not available: %s", bytes_string(&compile->no_code));
}

static const char *argument_kind(const struct abi_argument *argument)
{
	switch (argument->kind) {
	case ABI_ARGUMENT_VALUE:
		return "value";
	case ABI_ARGUMENT_GLOBAL:
		return "global";
	case ABI_ARGUMENT_CONSTANT:
		return "constant";
	case ABI_ARGUMENT_LOCAL:
		return "local";
	case ABI_ARGUMENT_IMAGE:
		return "image";
	case ABI_ARGUMENT_SAMPLER:
		return "sampler";
	case ABI_ARGUMENT_PIPE:
		return "pipe";
	}
	return "other";
}

static void write_kernel(struct json *json, const struct compile *compile,
			 const struct abi_kernel *kernel)
{
	struct compile_info info;
	json_open(json, NULL, '{');
	json_string(json, "name", kernel->name);
	if (compile->has_code && compile_info_find(&compile->statistics, kernel->entry, &info)) {
		json_natural(json, "registers", info.registers);
		json_natural(json, "spill_store_B", info.spill_store_B);
		json_natural(json, "spill_load_B", info.spill_load_B);
		json_natural(json, "stack_B", info.stack_B);
		json_natural(json, "local_B", info.local_B + kernel->dynamic_local_B);
	}
	json_open(json, "arguments", '[');
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct abi_argument *argument = &kernel->arguments[i];
		json_open(json, NULL, '{');
		json_string(json, "name", argument->name);
		json_string(json, "type", argument->type_name);
		json_string(json, "kind", argument_kind(argument));
		json_natural(json, "size_B", argument->size_B);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

/* code: what it comes to; other than 0 there are no kernels, and the reason is told. */
static bool print_json(const struct compile *compile, int code)
{
	struct json json = JSON_INIT;
	const struct abi_program *abi = code ? NULL : compile->outcome.code->abi;
	json_open(&json, NULL, '{');
	json_string(&json, "file", compile->file);
	json_integer(&json, "exit", code);
	json_string(&json, "failure", code && *tool_last_error() ? tool_last_error() : NULL);
	json_natural(&json, "sm", compile->sm);
	if (abi)
		json_natural(&json, "ptx_sm", compile->outcome.code->ptx_sm);
	json_string(&json, "machine_code",
		    !abi || compile->has_code ? NULL : bytes_string(&compile->no_code));
	if (abi)
		json_natural(&json, "global_variables_B", abi->global_variables_B);
	json_open(&json, "kernels", '[');
	for (uint32_t i = 0; abi && i < abi->kernel_count; i++)
		write_kernel(&json, compile, &abi->kernels[i]);
	json_close(&json, ']');
	const struct bytes *log = &compile->outcome.log;
	build_log_json(&json, "messages", bytes_string(log), log->size_B);
	json_string(&json, "log", bytes_string(log));
	json_close(&json, '}');
	return json_print(&json);
}

static const struct bytes *stage_content(const struct compile *compile)
{
	switch (compile->stage) {
	case STAGE_LL:
		return &compile->stages.llvm_ir;
	case STAGE_NVVM:
		return &compile->stages.nvvm_ir;
	case STAGE_PTX:
		return &compile->outcome.code->ptx.bytes;
	case STAGE_CUBIN:
		return &compile->cubin;
	default:
		return &compile->text;
	}
}

static int write_stage(const struct compile *compile)
{
	if (compile->stage == STAGE_INFO) {
		print_info(compile);
		return TOOL_OK;
	}
	const struct bytes *content = stage_content(compile);
	if (compile->output && strcmp(compile->output, "-")) {
		int error = bytes_write_file(content->data, content->size_B, compile->output);
		if (error)
			tool_error("%s: %s", compile->output, strerror(error));
		return error ? TOOL_FAILED : TOOL_OK;
	}
	if (compile->stage == STAGE_CUBIN && !compile->output && isatty(STDOUT_FILENO))
		return tool_usage("refusing to write binary data to a terminal; use -o FILE, or -o - to force it");
	fwrite(content->data, 1, content->size_B, stdout);
	return TOOL_OK;
}

static int compile_file(void *state)
{
	struct compile *compile = state;
	int code = TOOL_FAILED;
	if (tool_read_source(&compile->source, &compile->options, compile->file))
		code = travel(compile);
	build_log_print(bytes_string(&compile->outcome.log), compile->outcome.log.size_B);
	if (compile->as_json)
		return print_json(compile, code) || code ? code : TOOL_FAILED;
	return code ? code : write_stage(compile);
}

/* After a process that told nothing itself. */
static int failed_apart(const struct compile *compile)
{
	if (compile->as_json)
		(void)print_json(compile, TOOL_FAILED);
	return TOOL_FAILED;
}

/* Compilers crash on some sources (libnvvm on a constant of 2^40 bytes), and a shell would be
 * told of a crash of ours. */
static int compile_apart(struct compile *compile)
{
	int code = process_apart(compile_file, compile);
	if (code == PROCESS_TOO_LONG) {
		tool_error("%s: the compiler did not finish within %s seconds (CULVERT_COMPILER_TIMEOUT)",
			   compile->file, option_string(OPTION_COMPILER_TIMEOUT));
		return failed_apart(compile);
	}
	/* Nobody reads on, as behind "| head": that is no crash. */
	if (code == 128 + SIGPIPE)
		return code;
	if (code > 128 && compile->stage > STAGE_NVVM) {
		/* As a build does. */
		compile->cautious = true;
		const int cautious = process_apart(compile_file, compile);
		if (cautious >= 0 && cautious <= 128) {
			tool_error("%s: the compiler crashed: %s; compiled again without optimization",
				   compile->file, strsignal(code - 128));
			return cautious;
		}
	}
	if (code < 0)
		tool_error("cannot start a process for the compiler: %s", strerror(errno));
	else if (code > 128)
		tool_error("%s: the compiler crashed: %s; use --emit ll or nvvm to see the stages before the crash",
			   compile->file, strsignal(code - 128));
	return code < 0 || code > 128 ? failed_apart(compile) : code;
}

static void finish(struct compile *compile)
{
	struct bytes *all[] = {&compile->options, &compile->source, &compile->stages.llvm_ir,
			       &compile->stages.nvvm_ir, &compile->cubin, &compile->statistics,
			       &compile->text, &compile->no_code};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		bytes_finish(all[i]);
	ocl_outcome_finish(&compile->outcome);
}

int tool_compile(int argc, char **argv)
{
	struct compile compile = {.stage = STAGE_INFO, .sm = 90};
	int at = tool_options(TOOL_compile, argc, argv, false, take, &compile);
	int code = at < 0 ? -1 - at : TOOL_OK;
	if (!code && at >= 0 && at == argc)
		code = tool_usage("no file given");
	if (!code && compile.as_json && compile.stage != STAGE_INFO)
		code = tool_usage("--json can only be used with --emit info");
	if (!code && compile.output && compile.stage == STAGE_INFO)
		code = tool_usage("--output requires --emit ll, nvvm, ptx, cubin or sass");
	if (!code && at >= 0) {
		compile.file = argv[at];
		for (int i = at + 1; i < argc; i++)
			bytes_printf(&compile.options, "%s ", argv[i]);
		code = compile_apart(&compile);
	}
	finish(&compile);
	return code;
}
