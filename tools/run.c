/* culvert run: a kernel without a host program. */
#include "config.h"

#include "base/lock.h"
#include "base/options.h"
#include "tools/build_log.h"
#include "tools/json.h"
#include "tools/quoted.h"
#include "tools/run_argument.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 128, SHOWN = 16 };

struct size {
	size_t at[3];
	cl_uint dimensions;              /* 0: not given */
};

/* "2=out.npy" or "data": what becomes of an argument. */
struct result {
	const char *argument, *file;     /* file: NULL, print all of it */
	size_t length;                   /* of argument */
};

struct run {
	const char *file, *kernel_name;
	struct size global, local, offset;
	uint64_t device, repeat;
	bool as_json;
	struct bytes options;
	const char *words[ARGUMENTS_MAX];
	cl_uint word_count;
	struct result results[ARGUMENTS_MAX];
	unsigned result_count;

	struct opencl opencl;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	struct run_argument arguments[ARGUMENTS_MAX];
	cl_uint argument_count;
	double *times_ns;                /* owned; of repeat launches */
	struct lock said_lock;
	struct bytes said;               /* what the context was told, a line each; guarded by it */
};

/* --- the command line ---------------------------------------------------------------- */

/* "1024", "64x64", "8,8,8". */
static bool take_size(const char *option, const char *value, bool zero, struct size *size_out)
{
	struct size size = {{1, 1, 1}, 0};
	const char *at = value;
	for (;;) {
		char *end;
		errno = 0;
		unsigned long long number = strtoull(at, &end, 10);
		if (errno || *at < '0' || *at > '9' || size.dimensions == 3 || (!number && !zero))
			break;
		size.at[size.dimensions++] = (size_t)number;
		if (!*end) {
			*size_out = size;
			return true;
		}
		if (*end != 'x' && *end != ',')
			break;
		at = end + 1;
	}
	tool_usage("--%s: '%s' is not a valid size; expected something like 1024 or 64x64", option, value);
	return false;
}

static bool take_number(const char *option, const char *value, uint64_t least, uint64_t *out)
{
	if (tool_number(value, out) && *out >= least && *out <= 1000000)
		return true;
	tool_usage("--%s: '%s' is not a valid number", option, value);
	return false;
}

static bool take_result(struct run *run, const char *value)
{
	size_t length = strcspn(value, "=");
	if (run->result_count == ARGUMENTS_MAX || !length || (value[length] && !value[length + 1])) {
		tool_usage("--out: '%s' is not ARGUMENT or ARGUMENT=FILE", value);
		return false;
	}
	run->results[run->result_count++] =
		(struct result){value, value[length] ? value + length + 1 : NULL, length};
	return true;
}

static bool take(void *state, int letter, const char *value)
{
	struct run *run = state;
	switch (letter) {
	case 'k':
		run->kernel_name = value;
		return true;
	case 'g':
		return take_size("global", value, false, &run->global);
	case 'l':
		return take_size("local", value, false, &run->local);
	case 'f':
		return take_size("offset", value, true, &run->offset);
	case 'a':
		if (run->word_count == ARGUMENTS_MAX) {
			tool_usage("more than %d arguments", ARGUMENTS_MAX);
			return false;
		}
		run->words[run->word_count++] = value;
		return true;
	case 'o':
		return take_result(run, value);
	case 'd':
		return take_number("device", value, 0, &run->device);
	case 'n':
		return take_number("repeat", value, 1, &run->repeat);
	case 'O':
		bytes_printf(&run->options, "%s ", value);
		return true;
	default:
		run->as_json = true;
		return true;
	}
}

/* --- making things ------------------------------------------------------------------- */

/* The context's pfn_notify: why a call was refused, in words. */
static void CL_CALLBACK hear(const char *text, const void *bytes, size_t bytes_B, void *state)
{
	struct run *run = state;
	(void)bytes;
	(void)bytes_B;
	lock_take(&run->said_lock);
	bytes_printf(&run->said, "%s\n", text);
	lock_drop(&run->said_lock);
}

/* What was heard, if anything was; whether the error's name is in it. */
static bool tell_why(struct run *run, cl_int error)
{
	lock_take(&run->said_lock);
	char *rest = NULL;
	bool told = false;
	const bool heard = run->said.size_B && !bytes_failed(&run->said);
	for (char *line = heard ? strtok_r(run->said.data, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		tool_error("%s", line);
		told |= strstr(line, opencl_error(error)) != NULL;
	}
	bytes_finish(&run->said);
	lock_drop(&run->said_lock);
	return told;
}

/* A device that a kernel's fault took away, and nothing that looked for its place. */
static bool is_fault(const struct run *run)
{
	const cl_device_id device = run->opencl.devices[run->device];
	return !opencl_device_number(&run->opencl, device, CL_DEVICE_AVAILABLE) &&
	       !*option_string(OPTION_SOFT_CHECK);
}

static int failed(struct run *run, const char *call, cl_int error)
{
	if (!tell_why(run, error))
		tool_error("%s: %s", call, opencl_error(error));
	if (is_fault(run))
		tool_error("the kernel faulted and the device is lost; run 'culvert check culvert run ...' "
			   "to see where");
	return TOOL_FAILED;
}

static int open_device(struct run *run)
{
	struct bytes why = BYTES_INIT;
	bool open = opencl_open(&run->opencl, &why);
	if (!open)
		tool_error("%s", bytes_string(&why));
	bytes_finish(&why);
	if (!open)
		return TOOL_UNAVAILABLE;
	return opencl_device(&run->opencl, run->device) ? TOOL_OK : TOOL_UNAVAILABLE;
}

static void print_build_log(const struct run *run, cl_device_id device)
{
	char *log = opencl_build_log(&run->opencl, run->program, device);
	if (log)
		build_log_print(log, strlen(log));
	free(log);
}

static int make_program(struct run *run, const struct bytes *source)
{
	const cl_icd_dispatch *call = run->opencl.call;
	const bool is_il = tool_is_spirv(source);
	const char *text = bytes_string(source);
	cl_int error;
	if (is_il)
		run->program = call->clCreateProgramWithIL(run->context, source->data,
							   source->size_B, &error);
	else
		run->program = call->clCreateProgramWithSource(run->context, 1, &text,
							       &source->size_B, &error);
	return error ? failed(run, is_il ? "clCreateProgramWithIL" : "clCreateProgramWithSource", error)
		     : TOOL_OK;
}

static int build(struct run *run, const struct bytes *source)
{
	const cl_icd_dispatch *call = run->opencl.call;
	cl_device_id device = run->opencl.devices[run->device];
	cl_int error;
	run->context = call->clCreateContext(NULL, 1, &device, hear, run, &error);
	if (error)
		return failed(run, "clCreateContext", error);
	run->queue = call->clCreateCommandQueue(run->context, device, CL_QUEUE_PROFILING_ENABLE,
						&error);
	if (error)
		return failed(run, "clCreateCommandQueue", error);
	const int code = make_program(run, source);
	if (code)
		return code;
	bytes_append_string(&run->options, "-cl-kernel-arg-info");
	error = call->clBuildProgram(run->program, 1, &device, bytes_string(&run->options), NULL,
				     NULL);
	print_build_log(run, device);
	/* As of `culvert compile`: they are words of the command line. */
	if (error == CL_INVALID_BUILD_OPTIONS)
		return tool_usage("invalid compiler options");
	return error ? failed(run, "clBuildProgram", error) : TOOL_OK;
}

/* By its name, or the only one there is. */
static int find_kernel(struct run *run)
{
	const cl_icd_dispatch *call = run->opencl.call;
	size_t size_B = 0, count = 0;
	cl_int error = call->clGetProgramInfo(run->program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL);
	if (!error)
		error = call->clGetProgramInfo(run->program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size_B);
	char *names = error ? NULL : calloc(1, size_B + 1);
	if (names)
		error = call->clGetProgramInfo(run->program, CL_PROGRAM_KERNEL_NAMES, size_B, names,
					       NULL);
	const char *wanted = run->kernel_name;
	/* SPIR-V's names may be empty, or have semicolons. */
	if (!error && names && !wanted && count == 1)
		wanted = names;
	int code = TOOL_OK;
	if (!names || error)
		code = failed(run, "clGetProgramInfo", error ? error : CL_OUT_OF_HOST_MEMORY);
	else if (wanted)
		run->kernel = call->clCreateKernel(run->program, wanted, &error);
	if (names)
		quoted_clean(names);
	if (!code && !wanted) {
		code = count ? tool_usage("--kernel is required; the program has these kernels: %s", names)
			     : tool_usage("the program has no kernels");
	} else if (!code && error) {
		tool_error("no kernel '%s'; the program has: %s", wanted, names);
		code = TOOL_FAILED;
	}
	free(names);
	return code;
}

static int make_arguments(struct run *run)
{
	cl_uint count = 0;
	cl_int error = run->opencl.call->clGetKernelInfo(run->kernel, CL_KERNEL_NUM_ARGS,
							 sizeof(count), &count, NULL);
	if (error)
		return failed(run, "clGetKernelInfo", error);
	if (count != run->word_count)
		return tool_usage("the kernel has %u argument%s, but --arg was given %u time%s", (unsigned)count,
				  count == 1 ? "" : "s", (unsigned)run->word_count, run->word_count == 1 ? "" : "s");
	for (cl_uint i = 0; i < count; i++) {
		run->argument_count = i + 1;
		if (!run_argument_init(&run->arguments[i], &run->opencl, run->kernel, i,
				       run->words[i]))
			return TOOL_USAGE;
		error = run_argument_set(&run->arguments[i], &run->opencl, run->context,
					 run->opencl.devices[run->device], run->queue,
					 run->kernel, i);
		if (error) {
			(void)tell_why(run, error);
			tool_error("argument %u (%s %s): %s", (unsigned)i, run->arguments[i].type,
				   run->arguments[i].name, opencl_error(error));
			return TOOL_FAILED;
		}
	}
	return TOOL_OK;
}

/* The argument of a name or a number; NULL, which was said. */
static struct run_argument *find_argument(struct run *run, const struct result *result)
{
	for (cl_uint i = 0; i < run->argument_count; i++) {
		char number[16];
		snprintf(number, sizeof(number), "%u", (unsigned)i);
		const char *names[2] = {run->arguments[i].name, number};
		for (int k = 0; k < 2; k++)
			if (strlen(names[k]) == result->length &&
			    !strncmp(names[k], result->argument, result->length) &&
			    run->arguments[i].memory)
				return &run->arguments[i];
	}
	tool_usage("--out: no buffer, image or pipe '%.*s'", (int)result->length, result->argument);
	return NULL;
}

/* --- running ------------------------------------------------------------------------- */

static int launch(struct run *run)
{
	const cl_icd_dispatch *call = run->opencl.call;
	for (uint64_t i = 0; i < run->repeat; i++) {
		cl_event event;
		cl_ulong start = 0, end = 0;
		cl_int error = call->clEnqueueNDRangeKernel(
			run->queue, run->kernel, run->global.dimensions,
			run->offset.dimensions ? run->offset.at : NULL, run->global.at,
			run->local.dimensions ? run->local.at : NULL, 0, NULL, &event);
		if (error)
			return failed(run, "clEnqueueNDRangeKernel", error);
		tool_progress("running", i, run->repeat);
		error = call->clWaitForEvents(1, &event);
		if (!error)
			error = call->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
							      sizeof(start), &start, NULL);
		if (!error)
			error = call->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
							      sizeof(end), &end, NULL);
		call->clReleaseEvent(event);
		if (error)
			return failed(run, "the kernel", error);
		run->times_ns[i] = (double)(end - start);
	}
	tool_progress("running", run->repeat, run->repeat);
	/* What its printf wrote. */
	cl_int error = call->clFinish(run->queue);
	return error ? failed(run, "clFinish", error) : TOOL_OK;
}

static int read_back(struct run *run)
{
	for (cl_uint i = 0; i < run->argument_count; i++) {
		struct run_argument *argument = &run->arguments[i];
		if (!argument->memory)
			continue;
		cl_int error = run_argument_read(argument, &run->opencl, run->context, run->queue);
		if (error)
			return failed(run, "reading the results", error);
	}
	return TOOL_OK;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* --- what comes out ------------------------------------------------------------------ */

static void print_buffer(const struct run_argument *argument, size_t most)
{
	struct bytes text = BYTES_INIT;
	const struct element *element = &argument->element;
	size_t count = argument->value.size_B / element->size_B;
	for (size_t i = 0; i < count && i < most; i++) {
		bytes_append_char(&text, ' ');
		element_print(element, argument->value.data + i * element->size_B, &text);
	}
	char size[32];
	snprintf(size, sizeof(size), "%zu", count);
	printf("%s", tool_style(stdout, TOOL_BOLD));
	quoted_print(stdout, argument->name, 0);
	printf("[%s]%s%s%s\n", argument->kind == RUN_IMAGE ? run_image_size(&argument->image) : size,
	       tool_style(stdout, TOOL_PLAIN), bytes_string(&text), count > most ? " ..." : "");
	bytes_finish(&text);
}

static void write_buffer_json(struct json *json, const struct run_argument *argument)
{
	const struct element *element = &argument->element;
	size_t count = argument->value.size_B / element->size_B;
	struct element scalar = *element;
	scalar.lanes = 1;
	json_open(json, argument->name, '[');
	for (size_t i = 0; i < count; i++) {
		const char *at = argument->value.data + i * element->size_B;
		if (element->lanes > 1)
			json_open(json, NULL, '[');
		for (unsigned lane = 0; lane < element->lanes; lane++) {
			struct bytes text = BYTES_INIT;
			element_print(&scalar, at + (size_t)lane * element->scalar_B, &text);
			json_number(json, NULL, bytes_string(&text));
			bytes_finish(&text);
		}
		if (element->lanes > 1)
			json_close(json, ']');
	}
	json_close(json, ']');
}

static int save(const struct run_argument *argument, const char *path)
{
	struct bytes file = BYTES_INIT;
	const char *dot = strrchr(path, '.');
	size_t sizes[3];
	const unsigned size_count =
		argument->kind == RUN_IMAGE ? run_image_shape(&argument->image, sizes) : 0;
	if (dot && !strcmp(dot, ".npy"))
		element_write_npy(&argument->element, &argument->value, sizes, size_count, &file);
	else
		bytes_append(&file, argument->value.data, argument->value.size_B);
	int error = bytes_failed(&file) ? ENOMEM : bytes_write_file(file.data, file.size_B, path);
	if (error)
		tool_error("%s: %s", path, strerror(error));
	bytes_finish(&file);
	return error ? TOOL_FAILED : TOOL_OK;
}

static int give_results(struct run *run, struct json *json)
{
	int code = TOOL_OK;
	for (unsigned i = 0; i < run->result_count && !code; i++) {
		const struct result *result = &run->results[i];
		const struct run_argument *argument = find_argument(run, result);
		if (!argument)
			return TOOL_USAGE;
		if (result->file)
			code = save(argument, result->file);
		else if (run->as_json)
			write_buffer_json(json, argument);
		else
			print_buffer(argument, SIZE_MAX);
	}
	/* Nothing was asked for: the beginning of what may have changed. */
	for (cl_uint i = 0; i < run->argument_count && !run->result_count; i++) {
		const struct run_argument *argument = &run->arguments[i];
		if (argument->memory && !argument->constant && run->as_json)
			write_buffer_json(json, argument);
		else if (argument->memory && !argument->constant)
			print_buffer(argument, SHOWN);
	}
	return code;
}

static int show(struct run *run)
{
	struct json json = JSON_INIT;
	uint64_t count = run->repeat;
	json_open(&json, NULL, '{');
	json_open(&json, "results", '{');
	int code = give_results(run, &json);
	json_close(&json, '}');
	qsort(run->times_ns, count, sizeof(double), by_size);
	json_natural(&json, "launches", count);
	json_real(&json, "least_ns", run->times_ns[0]);
	json_real(&json, "median_ns", run->times_ns[count / 2]);
	json_close(&json, '}');
	if (!code && run->as_json && !json_print(&json))
		code = TOOL_FAILED;
	bytes_finish(&json.text);
	if (!code && !run->as_json && count > 1)
		printf("%" PRIu64 " launches: minimum %.3f us, median %.3f us\n", count,
		       run->times_ns[0] / 1e3, run->times_ns[count / 2] / 1e3);
	return code;
}

/* --- the command --------------------------------------------------------------------- */

static int run_file(struct run *run)
{
	struct bytes source = BYTES_INIT;
	if (!tool_read_source(&source, &run->options, run->file))
		return TOOL_FAILED;
	int code = open_device(run);
	if (!code)
		code = build(run, &source);
	bytes_finish(&source);
	if (!code)
		code = find_kernel(run);
	if (!code)
		code = make_arguments(run);
	for (unsigned i = 0; i < run->result_count && !code; i++)
		if (!find_argument(run, &run->results[i]))
			code = TOOL_USAGE;
	if (!code)
		code = launch(run);
	if (!code)
		code = read_back(run);
	return code ? code : show(run);
}

static void finish(struct run *run)
{
	const cl_icd_dispatch *call = run->opencl.call;
	for (cl_uint i = 0; i < run->argument_count; i++)
		run_argument_finish(&run->arguments[i], &run->opencl);
	if (run->kernel)
		call->clReleaseKernel(run->kernel);
	if (run->program)
		call->clReleaseProgram(run->program);
	if (run->queue)
		call->clReleaseCommandQueue(run->queue);
	if (run->context)
		call->clReleaseContext(run->context);
	opencl_close(&run->opencl);
	bytes_finish(&run->options);
	bytes_finish(&run->said);
	free(run->times_ns);
}

static int check_request(struct run *run, int argc, char **argv, int at)
{
	if (at == argc)
		return tool_usage("no file given");
	if (!run->global.dimensions)
		return tool_usage("--global is required");
	if (run->local.dimensions && run->local.dimensions != run->global.dimensions)
		return tool_usage("--local has %u dimensions, --global %u", run->local.dimensions,
				  run->global.dimensions);
	if (run->offset.dimensions && run->offset.dimensions != run->global.dimensions)
		return tool_usage("--offset has %u dimensions, --global %u", run->offset.dimensions,
				  run->global.dimensions);
	run->file = argv[at];
	for (int i = at + 1; i < argc; i++)
		bytes_printf(&run->options, "%s ", argv[i]);
	run->times_ns = calloc(run->repeat, sizeof(double));
	if (run->times_ns)
		return TOOL_OK;
	tool_error("out of memory");
	return TOOL_FAILED;
}

int tool_run(int argc, char **argv)
{
	struct run run = {.repeat = 1, .said_lock = LOCK_INIT(LOCK_RANK_LOG)};
	int at = tool_options(TOOL_run, argc, argv, false, take, &run);
	int code = at < 0 ? -1 - at : check_request(&run, argc, argv, at);
	if (!code && at >= 0)
		code = run_file(&run);
	finish(&run);
	return code;
}
