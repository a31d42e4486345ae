#include "config.h"

#include "tests/kernels/launch.h"

#include "tests/kernels/facts.h"
#include "tests/kernels/memory.h"
#include "tests/kernels/translate.h"
#include "tests/kernels/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64, VALUE_BYTES_MAX = 4096 };

struct argument {
	enum { ARGUMENT_BUFFER, ARGUMENT_VALUE, ARGUMENT_LOCAL, ARGUMENT_NULL,
	       ARGUMENT_SAMPLER } kind;
	struct device_buffer *buffer;
	cl_sampler sampler;
	unsigned char bytes[VALUE_BYTES_MAX];
	size_t size_B;
};

/* -- building ------------------------------------------------------------------------------- */

static void print_log(struct test *test)
{
	size_t size = 0;
	clGetProgramBuildInfo(test->program, test->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
	char *log = calloc(1, size + 1);
	if (log) {
		clGetProgramBuildInfo(test->program, test->device, CL_PROGRAM_BUILD_LOG, size, log,
				      NULL);
		puts(log);
	}
	free(log);
}

static bool log_contains(struct test *test, const char *text)
{
	size_t size = 0;
	clGetProgramBuildInfo(test->program, test->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
	char *log = calloc(1, size + 1);
	clGetProgramBuildInfo(test->program, test->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
	bool contains = log && strstr(log, text);
	free(log);
	return contains;
}

/* NULL, and the test skipped, where the source cannot be had as intermediate language. */
static cl_program program_of_il(struct test *test, cl_int *error)
{
	size_t size_B;
	unsigned char *il = translate(test->il_command, test->options, test->text, &size_B);
	cl_program program = NULL;
	*error = CL_SUCCESS;
	if (il)
		program = clCreateProgramWithIL(test->context, il, size_B, error);
	else
		complain(test, SKIP, "skipped: no intermediate language of it");
	free(il);
	return program;
}

static cl_program program_create(struct test *test, cl_int *error)
{
	const char *text = test->text;
	return test->il_command ? program_of_il(test, error)
	       : clCreateProgramWithSource(test->context, 1, &text, NULL, error);
}

bool build(struct test *test)
{
	if (test->built)
		return test->program != NULL;
	test->built = true;
	cl_int error;
	/* A mistake in OpenCL C is none of the intermediate language's; one in a module is. */
	if (test->il_command && test->build_fails && !strstr(test->text, "\n@module\n") &&
	    !strstr(test->text, "\n@body\n")) {
		complain(test, SKIP, "skipped: a build that fails");
		return false;
	}
	test->program = program_create(test, &error);
	if (test->verdict == SKIP)
		return false;
	if (!error)
		error = clBuildProgram(test->program, 1, &test->device, test->options, NULL, NULL);
	if (!error && test->by_binary)
		error = facts_go_by_binary(&test->program, test->context, test->device,
					   test->options);
	if (test->program)
		facts_write(test->path, test->program, test->device);
	if (test->build_fails) {
		if (error != CL_BUILD_PROGRAM_FAILURE)
			complain(test, FAIL, "the build should have failed, but gave %d", error);
		else if (!log_contains(test, test->build_fails)) {
			complain(test, FAIL, "\"%s\" is not in the log:", test->build_fails);
			print_log(test);
		}
		return false;
	}
	if (!error)
		return true;
	complain(test, FAIL, "the build failed with %d", error);
	if (test->program)
		print_log(test);
	return false;
}

/* -- running -------------------------------------------------------------------------------- */

/* TYPE E or TYPE{E, E, ...}; three elements take the room of four, as in OpenCL C. */
static bool parse_value(struct test *test, const char **at, enum element_type type,
			struct argument *argument)
{
	size_t count = 0, size_B = element_size_B(type);
	char item[256];
	struct value value;
	argument->kind = ARGUMENT_VALUE;
	bool list = take_char(at, '{');
	do {
		take_until(at, ",})", item, sizeof(item));
		if (!evaluate(test, item, count, 0, &value))
			return false;
		if ((count + 1) * size_B <= sizeof(argument->bytes))
			element_set(type, argument->bytes, count++, value);
	} while (list && take_char(at, ','));
	argument->size_B = (count == 3 ? 4 : count) * size_B;
	return !list || take_char(at, '}');
}

static bool parse_argument(struct test *test, const char **at, struct argument *argument)
{
	memset(argument, 0, sizeof(*argument));
	while (isspace((unsigned char)**at))
		++*at;
	if (take_word(at, "null")) {
		argument->kind = ARGUMENT_NULL;
		return true;
	}
	if (take_word(at, "local")) {
		char *end;
		argument->kind = ARGUMENT_LOCAL;
		argument->size_B = strtoul(*at, &end, 0);
		*at = end;
		return true;
	}
	if (take_word(at, "sampler")) {
		cl_int error;
		argument->kind = ARGUMENT_SAMPLER;
		argument->sampler = sampler_create(test->context, at, &error);
		if (error)
			complain(test, FAIL, "the sampler cannot be made: %d", error);
		return true;
	}
	size_t length = name_length(*at);
	enum element_type type = element_type_named(*at, length);
	if (type != ELEMENT_TYPE_COUNT) {
		*at += length;
		return parse_value(test, at, type, argument);
	}
	argument->kind = ARGUMENT_BUFFER;
	argument->buffer = find_buffer(test, *at, length);
	*at += length;
	return argument->buffer != NULL;
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, const struct argument *argument)
{
	cl_mem none = NULL;
	switch (argument->kind) {
	case ARGUMENT_BUFFER:
		return clSetKernelArg(kernel, index, sizeof(cl_mem), &argument->buffer->mem);
	case ARGUMENT_VALUE:
		return clSetKernelArg(kernel, index, argument->size_B, argument->bytes);
	case ARGUMENT_LOCAL:
		return clSetKernelArg(kernel, index, argument->size_B, NULL);
	case ARGUMENT_SAMPLER:
		return clSetKernelArg(kernel, index, sizeof(cl_sampler), &argument->sampler);
	default:
		return clSetKernelArg(kernel, index, sizeof(cl_mem), &none);
	}
}

static cl_uint parse_sizes(const char **at, size_t sizes[3])
{
	cl_uint count = 0;
	while (count < 3) {
		char *end;
		size_t size = strtoul(*at, &end, 0);
		if (end == *at)
			break;
		sizes[count++] = size;
		*at = end;
	}
	return count;
}

static bool error_is_expected(const struct test *test, cl_int error)
{
	const char *at = test->enqueue_fails;
	char *end;
	if (!at)
		return error == CL_SUCCESS;
	for (long code = strtol(at, &end, 0); end != at; at = end, code = strtol(at, &end, 0))
		if (code == error)
			return true;
	return false;
}

static void launch(struct test *test, cl_kernel kernel, const char *at)
{
	size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1}, offset[3] = {0, 0, 0};
	cl_uint dims = 0, local_dims = 0, offset_dims = 0;
	if (take_word(&at, "global"))
		dims = parse_sizes(&at, global);
	if (take_word(&at, "local"))
		local_dims = parse_sizes(&at, local);
	if (take_word(&at, "offset"))
		offset_dims = parse_sizes(&at, offset);
	while (isspace((unsigned char)*at))
		at++;
	if (!dims || *at || (local_dims && local_dims != dims) ||
	    (offset_dims && offset_dims != dims)) {
		complain(test, WRONG_FILE, "expected global X.. [local X..] [offset X..]");
		return;
	}
	bool captured = capture_start(&test->output);
	cl_int error = clEnqueueNDRangeKernel(test->queue, kernel, dims, offset_dims ? offset : NULL,
					      global, local_dims ? local : NULL, 0, NULL, NULL);
	if (!error)
		error = clFinish(test->queue);
	captured = capture_stop(&test->output) && captured;
	test->output_taken = 0;
	if (!captured)
		complain(test, WRONG_FILE, "stdout could not be captured");
	if (!error_is_expected(test, error))
		complain(test, FAIL, "the run gave %d, expected %s", error,
			 test->enqueue_fails ? test->enqueue_fails : "success");
	free(test->enqueue_fails);
	test->enqueue_fails = NULL;
	if (!error)
		read_back(test);
}

void do_run(struct test *test, const char *at)
{
	char name[128];
	cl_int error;
	if (!build(test))
		return;
	take_until(&at, "(", name, sizeof(name));
	cl_kernel kernel = clCreateKernel(test->program, name, &error);
	if (error) {
		complain(test, FAIL, "clCreateKernel(%s): %d", name, error);
		return;
	}
	struct argument *argument = malloc(sizeof(*argument));
	/* OpenCL 3.0 API, 5.9.2: a kernel need not keep what its arguments are. */
	cl_sampler samplers[ARGUMENTS_MAX] = {NULL};
	cl_uint count = 0;
	bool good = argument && take_char(&at, '(');
	while (good && !take_char(&at, ')')) {
		good = count < ARGUMENTS_MAX && parse_argument(test, &at, argument);
		if (!good)
			break;
		samplers[count] = argument->sampler;
		error = set_argument(kernel, count, argument);
		if (error)
			complain(test, FAIL, "clSetKernelArg(%s, %u): %d", name, count, error);
		count++;
		take_char(&at, ',');
	}
	if (!good)
		complain(test, WRONG_FILE, "argument %u is not right", count);
	else if (test->verdict == PASS)
		launch(test, kernel, at);
	for (cl_uint i = 0; i < ARGUMENTS_MAX; i++)
		if (samplers[i])
			clReleaseSampler(samplers[i]);
	free(argument);
	clReleaseKernel(kernel);
}
