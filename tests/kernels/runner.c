/* Runs kernel files on any OpenCL platform.
 *
 *	runner [--platform NAME] [--device N] [--verbose] [--save DIR] [--facts FILE]
 *	       [--binary] FILE.clt...
 *
 * --save writes every buffer's bytes, as they are in the end, to DIR/FILE.BUFFER;
 * --facts all that can be asked of the programs to FILE; --binary runs what
 * clCreateProgramWithBinary makes of each.
 *
 * A kernel file is OpenCL C whose lines that begin with "//!" say what to do:
 *
 *	//! protects TEXT                  what would be broken if this failed
 *	//! options TEXT                   for clBuildProgram
 *	//! requires NAME...               extensions or OpenCL C features; else skipped
 *	//! buffer TYPE NAME[COUNT] = E    E: an expression, or {a, b, ...} (repeated)
 *	//! image SHAPE NAME ORDER CHANNEL SIZES [of BUFFER [pitch BYTES]] [= E]     image.h
 *	       E: its channels as they are in memory, one after the other; NAME is as a buffer's
 *	//! run KERNEL(ARG, ...) global X [Y [Z]] [local X [Y [Z]]] [offset X [Y [Z]]]
 *	       ARG: NAME of a buffer or image | TYPE E | TYPE{E, E, ...} | local BYTES | null
 *		    | sampler WORDS
 *	//! expect NAME = E [within N ulp | within R]      against what it holds now
 *	//! prints TEXT                    what the last run's printf wrote begins with TEXT,
 *	                                   behind what earlier lines took of it; \n \t \\ and
 *	                                   \s (a space) as in C.  No TEXT: nothing else
 *	//! prints-lines N TEXT            it is what TEXT is for i = 0 to N - 1, in any order
 *	                                   of its lines; {E} in TEXT is an expression's value
 *	//! build-fails TEXT               the build must fail with TEXT in its log
 *	//! enqueue-fails CODE...          the next run must fail with one of these codes
 *	//! release NAME                   the buffer
 *	//! check WORDS                    CULVERT_SOFT_CHECK for this file; elsewhere skipped
 *	//! report TEXT                    the checker must have reported TEXT by now
 *	//! silent                         the checker must not have reported anything
 *	//! wrong-on PLATFORM WHY          skipped on platforms of that name: they are wrong
 *
 * Exit status: 0 all passed, 1 a failure, 77 skipped, 2 the file is wrong. */
#include "config.h"

#include "tests/kernels/capture.h"
#include "tests/kernels/compare.h"
#include "tests/kernels/device.h"
#include "tests/kernels/expression.h"
#include "tests/kernels/image.h"
#include "tests/kernels/facts.h"
#include "tests/kernels/prints.h"
#include "tests/kernels/report.h"
#include "tests/kernels/words.h"

#include <CL/cl.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum verdict { PASS = 0, FAIL = 1, WRONG_FILE = 2, SKIP = 77 };
enum { ARGUMENTS_MAX = 64, VALUE_BYTES_MAX = 4096 };

struct argument {
	enum { ARGUMENT_BUFFER, ARGUMENT_VALUE, ARGUMENT_LOCAL, ARGUMENT_NULL,
	       ARGUMENT_SAMPLER } kind;
	struct device_buffer *buffer;
	cl_sampler sampler;
	unsigned char bytes[VALUE_BYTES_MAX];
	size_t size_B;
};

struct device_buffer {
	struct buffer host;          /* first: the list of struct buffer */
	cl_mem mem;
	bool is_image;
	struct image image;
};

struct test {
	const char *path;
	char *text;
	int line;
	bool built;
	char *options;
	char *build_fails;
	char *enqueue_fails;         /* codes; NULL: the next run must succeed */
	struct buffer *buffers;
	struct capture output;       /* of the last run */
	size_t output_taken;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	enum verdict verdict;
};

static bool verbose;
static bool by_binary;
static const char *save_folder;      /* NULL: nothing is saved */

static void complain(struct test *test, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void complain(struct test *test, enum verdict verdict, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printf("%s:%d: ", test->path, test->line);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
	if (test->verdict == PASS || verdict == WRONG_FILE)
		test->verdict = verdict;
}

/* -- reading a directive ------------------------------------------------------------------- */

static bool evaluate(struct test *test, const char *text, size_t i, size_t n, struct value *value)
{
	char error[128];
	if (expression_evaluate(text, test->buffers, i, n, value, error, sizeof(error)))
		return true;
	complain(test, WRONG_FILE, "%s", error);
	return false;
}

static struct device_buffer *find_buffer(struct test *test, const char *name, size_t length)
{
	for (struct buffer *buffer = test->buffers; buffer; buffer = buffer->next)
		if (strlen(buffer->name) == length && !memcmp(buffer->name, name, length))
			return (struct device_buffer *)buffer;
	return NULL;
}

/* -- buffers ------------------------------------------------------------------------------- */

/* {a, b, c}: evaluated once each, repeated to the end. */
static bool fill_from_list(struct test *test, const char *at, struct buffer *buffer)
{
	size_t given = 0;
	do {
		char item[256];
		struct value value;
		take_until(&at, ",}", item, sizeof(item));
		if (!evaluate(test, item, given, buffer->count, &value))
			return false;
		if (given < buffer->count)
			element_set(buffer->type, buffer->start, given, value);
		given++;
	} while (take_char(&at, ','));
	size_t size_B = element_size_B(buffer->type);
	for (size_t i = given; i < buffer->count; i++)
		memcpy((char *)buffer->start + i * size_B,
		       (char *)buffer->start + i % given * size_B, size_B);
	return true;
}

static bool fill(struct test *test, const char *at, struct buffer *buffer)
{
	if (take_char(&at, '{'))
		return fill_from_list(test, at, buffer);
	for (size_t i = 0; i < buffer->count; i++) {
		struct value value;
		if (!evaluate(test, at, i, buffer->count, &value))
			return false;
		element_set(buffer->type, buffer->start, i, value);
	}
	return true;
}

/* false, and complained: there is no memory. */
static bool make_room(struct test *test, struct device_buffer *made)
{
	size_t size_B = made->host.count * element_size_B(made->host.type);
	made->host.start = calloc(1, size_B + 1);
	made->host.data = calloc(1, size_B + 1);
	made->host.next = test->buffers;
	test->buffers = &made->host;
	if (!made->host.start || !made->host.data)
		complain(test, WRONG_FILE, "no memory for %s", made->host.name);
	return made->host.start && made->host.data;
}

/* TYPE NAME[COUNT] = E */
static void do_buffer(struct test *test, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	size_t type_length = name_length(at);
	enum element_type type = element_type_named(at, type_length);
	at += type_length;
	while (isspace((unsigned char)*at))
		at++;
	size_t length = name_length(at);
	struct device_buffer *made = calloc(1, sizeof(*made));
	char *after;
	if (!made || type == ELEMENT_TYPE_COUNT || !length || length >= sizeof(made->host.name) ||
	    at[length] != '[') {
		free(made);
		complain(test, WRONG_FILE, "expected TYPE NAME[COUNT] = ...");
		return;
	}
	memcpy(made->host.name, at, length);
	made->host.type = type;
	made->host.count = strtoul(at + length + 1, &after, 0);
	size_t size_B = made->host.count * element_size_B(type);
	if (!make_room(test, made))
		return;
	if (!size_B || *after != ']' || (after++, !take_char((const char **)&after, '='))) {
		complain(test, WRONG_FILE, "expected NAME[COUNT] = ...");
		return;
	}
	if (!fill(test, after, &made->host))
		return;
	memcpy(made->host.data, made->host.start, size_B);
	cl_int error;
	made->mem = clCreateBuffer(test->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_B,
				   made->host.data, &error);
	if (error)
		complain(test, FAIL, "clCreateBuffer: %d", error);
}

/* SHAPE NAME ORDER CHANNEL SIZES [of BUFFER [pitch BYTES]] [= E] */
static void do_image(struct test *test, const char *at)
{
	struct device_buffer *made = calloc(1, sizeof(*made)), *of;
	if (!made || !image_parse(&at, &made->image)) {
		free(made);
		complain(test, WRONG_FILE, "not an image from here on: %s", at);
		return;
	}
	made->is_image = true;
	memcpy(made->host.name, made->image.name, sizeof(made->host.name));
	made->host.type = made->image.type;
	made->host.count = image_count(&made->image);
	of = find_buffer(test, made->image.buffer, strlen(made->image.buffer));
	if (!make_room(test, made))
		return;
	if (*made->image.buffer && !of) {
		complain(test, WRONG_FILE, "no such buffer: %s", made->image.buffer);
		return;
	}
	if (take_char(&at, '=') && !fill(test, at, &made->host))
		return;
	memcpy(made->host.data, made->host.start,
	       made->host.count * element_size_B(made->host.type));
	cl_int error;
	made->mem = image_create(test->context, &made->image, of ? of->mem : NULL,
				 made->host.data, &error);
	if (error)
		complain(test, FAIL, "the image cannot be made: %d", error);
}

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

static bool build(struct test *test)
{
	if (test->built)
		return test->program != NULL;
	test->built = true;
	cl_int error;
	const char *text = test->text;
	test->program = clCreateProgramWithSource(test->context, 1, &text, NULL, &error);
	if (!error)
		error = clBuildProgram(test->program, 1, &test->device, test->options, NULL, NULL);
	if (!error && by_binary)
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

static cl_int read_one(struct test *test, const struct device_buffer *buffer)
{
	if (buffer->is_image)
		return image_read(test->queue, &buffer->image, buffer->mem, buffer->host.data);
	return clEnqueueReadBuffer(test->queue, buffer->mem, CL_TRUE, 0,
				   buffer->host.count * element_size_B(buffer->host.type),
				   buffer->host.data, 0, NULL, NULL);
}

static void read_back(struct test *test)
{
	for (struct buffer *buffer = test->buffers; buffer; buffer = buffer->next) {
		if (!((struct device_buffer *)buffer)->mem)
			continue;
		cl_int error = read_one(test, (struct device_buffer *)buffer);
		if (error)
			complain(test, FAIL, "reading %s back: %d", buffer->name, error);
	}
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

/* KERNEL(ARG, ...) global ... */
static void do_run(struct test *test, const char *at)
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
	cl_uint count = 0;
	bool good = argument && take_char(&at, '(');
	while (good && !take_char(&at, ')')) {
		good = count < ARGUMENTS_MAX && parse_argument(test, &at, argument);
		if (!good)
			break;
		error = set_argument(kernel, count, argument);
		if (argument->sampler)
			clReleaseSampler(argument->sampler);
		if (error)
			complain(test, FAIL, "clSetKernelArg(%s, %u): %d", name, count, error);
		count++;
		take_char(&at, ',');
	}
	if (!good)
		complain(test, WRONG_FILE, "argument %u is not right", count);
	else if (test->verdict == PASS)
		launch(test, kernel, at);
	free(argument);
	clReleaseKernel(kernel);
}

/* -- comparing ------------------------------------------------------------------------------ */

static void compare(struct test *test, const struct buffer *buffer, const struct buffer *list,
		    const char *expression, const struct tolerance *tolerance)
{
	size_t wrong = 0;
	for (size_t i = 0; i < buffer->count; i++) {
		struct value expected, got = element_get(buffer->type, buffer->data, i);
		if (list)
			expected = element_get(buffer->type, list->start, i);
		else if (!evaluate(test, expression, i, buffer->count, &expected))
			return;
		if (value_is_close(buffer->type, got, expected, tolerance) || wrong++ >= 8)
			continue;
		complain(test, FAIL, "%s[%zu] differs:", buffer->name, i);
		printf("    got ");
		value_print(got);
		printf(", expected ");
		value_print(expected);
		putchar('\n');
	}
	if (wrong)
		printf("    %zu of %zu elements of %s differ\n", wrong, buffer->count, buffer->name);
}

/* NAME = E [within N ulp | within R] */
static void do_expect(struct test *test, const char *at)
{
	struct tolerance tolerance = {0, 0};
	if (test->verdict != PASS)
		return;
	while (isspace((unsigned char)*at))
		at++;
	size_t length = name_length(at);
	struct device_buffer *buffer = find_buffer(test, at, length);
	at += length;
	if (!buffer || !take_char(&at, '=')) {
		complain(test, WRONG_FILE, "expected NAME = ...");
		return;
	}
	char *expression = strdup(at);
	char *within = expression ? strstr(expression, " within ") : NULL;
	if (within) {
		char *unit;
		double amount = strtod(within + 8, &unit);
		*(strstr(unit, "ulp") ? &tolerance.ulp : &tolerance.absolute) = amount;
		*within = '\0';
	}
	const char *list_at = expression;
	struct buffer list = buffer->host;
	if (expression && take_char(&list_at, '{')) {
		list.start = calloc(list.count, element_size_B(list.type));
		if (list.start && fill_from_list(test, list_at, &list))
			compare(test, &buffer->host, &list, NULL, &tolerance);
		free(list.start);
	} else if (expression) {
		compare(test, &buffer->host, NULL, expression, &tolerance);
	}
	free(expression);
}

/* -- what printf wrote ---------------------------------------------------------------------- */

static void do_prints(struct test *test, const char *at, bool lines)
{
	char message[2048];
	if (test->verdict != PASS)
		return;
	const char *output = test->output.text + test->output_taken;
	if (lines ? !prints_lines(output, at, test->buffers, message, sizeof(message))
		  : !prints_next(output, at, &test->output_taken, message, sizeof(message)))
		complain(test, FAIL, "%s", message);
}

/* -- the file ------------------------------------------------------------------------------- */

static void do_requires(struct test *test, const char *at)
{
	char name[128];
	for (;;) {
		take_until(&at, " \t", name, sizeof(name));
		if (!*name)
			return;
		if (!device_has(test->device, name))
			complain(test, SKIP, "skipped: the device has no %s", name);
	}
}

/* Only the software driver of this platform has a checker. */
static void do_check(struct test *test)
{
	char name[256] = "";
	clGetDeviceInfo(test->device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	if (!strstr(name, "softcuda"))
		complain(test, SKIP, "skipped: the device has no checker");
}

static void do_report(struct test *test, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	char *wrong = report_wrong(at);
	if (wrong)
		complain(test, FAIL, "%s", wrong);
	free(wrong);
}

static void do_release(struct test *test, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	struct device_buffer *buffer = find_buffer(test, at, name_length(at));
	if (!buffer || !buffer->mem) {
		complain(test, WRONG_FILE, "no such buffer: %s", at);
		return;
	}
	clReleaseMemObject(buffer->mem);
	buffer->mem = NULL;
}

/* PLATFORM is the beginning of the platform's name up to the first space. */
static void do_wrong_on(struct test *test, const char *at)
{
	char wanted[128], name[256] = "";
	cl_platform_id platform;
	take_until(&at, " \t", wanted, sizeof(wanted));
	if (!clGetDeviceInfo(test->device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL))
		clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
	if (strstr(name, wanted) == name)
		complain(test, SKIP, "skipped:%s", at);
}

static void directive(struct test *test, const char *at)
{
	if (take_word(&at, "protects"))
		return;
	if (take_word(&at, "options")) {
		free(test->options);
		test->options = strdup(at);
	} else if (take_word(&at, "requires")) {
		do_requires(test, at);
	} else if (take_word(&at, "buffer")) {
		do_buffer(test, at);
	} else if (take_word(&at, "image")) {
		do_image(test, at);
	} else if (take_word(&at, "run")) {
		do_run(test, at);
	} else if (take_word(&at, "expect")) {
		do_expect(test, at);
	} else if (take_word(&at, "prints-lines")) {
		do_prints(test, at, true);
	} else if (take_word(&at, "prints")) {
		do_prints(test, at, false);
	} else if (take_word(&at, "build-fails")) {
		while (isspace((unsigned char)*at))
			at++;
		free(test->build_fails);
		test->build_fails = strdup(at);
		build(test);
	} else if (take_word(&at, "enqueue-fails")) {
		free(test->enqueue_fails);
		test->enqueue_fails = strdup(at);
	} else if (take_word(&at, "release")) {
		do_release(test, at);
	} else if (take_word(&at, "check")) {
		do_check(test);
	} else if (take_word(&at, "report")) {
		do_report(test, at);
	} else if (take_word(&at, "silent")) {
		do_report(test, "");
	} else if (take_word(&at, "wrong-on")) {
		do_wrong_on(test, at);
	} else {
		complain(test, WRONG_FILE, "no such directive: %s", at);
	}
}

static void run_directives(struct test *test)
{
	char line[4096];
	bool any = false;
	for (const char *at = test->text; *at && test->verdict != SKIP &&
	     test->verdict != WRONG_FILE;) {
		size_t length = strcspn(at, "\n");
		test->line++;
		if (!strncmp(at, "//!", 3) && length < sizeof(line)) {
			memcpy(line, at + 3, length - 3);
			line[length - 3] = '\0';
			any = true;
			directive(test, line);
		}
		at += length + (at[length] == '\n');
	}
	if (!any)
		complain(test, WRONG_FILE, "no directives");
	if (!test->built && test->verdict == PASS)
		build(test);
}

static void save_buffers(struct test *test)
{
	const char *slash = strrchr(test->path, '/');
	for (const struct buffer *buffer = test->buffers; buffer; buffer = buffer->next) {
		char path[4096];
		size_t size_B = buffer->count * element_size_B(buffer->type);
		snprintf(path, sizeof(path), "%s/%s.%s", save_folder,
			 slash ? slash + 1 : test->path, buffer->name);
		FILE *file = fopen(path, "wb");
		bool written = file && fwrite(buffer->data, 1, size_B, file) == size_B;
		if (file && fclose(file))
			written = false;
		if (!written)
			complain(test, FAIL, "%s cannot be written", path);
	}
}

static void finish(struct test *test)
{
	while (test->buffers) {
		struct device_buffer *buffer = (struct device_buffer *)test->buffers;
		test->buffers = buffer->host.next;
		if (buffer->mem)
			clReleaseMemObject(buffer->mem);
		free(buffer->host.start);
		free(buffer->host.data);
		free(buffer);
	}
	if (test->program)
		clReleaseProgram(test->program);
	if (test->queue)
		clReleaseCommandQueue(test->queue);
	if (test->context)
		clReleaseContext(test->context);
	free(test->options);
	free(test->build_fails);
	free(test->enqueue_fails);
	capture_finish(&test->output);
	free(test->text);
}

static enum verdict run_file(const char *path, cl_device_id device)
{
	struct test test = {.path = path, .device = device, .verdict = PASS,
			    .output.text = ""};
	cl_int error = CL_SUCCESS;
	test.text = text_read(path);
	if (!test.text) {
		complain(&test, WRONG_FILE, "cannot be read");
		return test.verdict;
	}
	test.context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (!error)
		test.queue = clCreateCommandQueue(test.context, device, 0, &error);
	if (error)
		complain(&test, FAIL, "no context or queue: %d", error);
	else
		run_directives(&test);
	if (save_folder)
		save_buffers(&test);
	finish(&test);
	if (verbose || test.verdict)
		printf("%s: %s\n", path, test.verdict == PASS ? "pass"
		       : test.verdict == SKIP ? "skip" : "FAIL");
	return test.verdict;
}

int main(int argc, char **argv)
{
	const char *platform = getenv("CLT_PLATFORM");
	unsigned index = 0;
	int first = 1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (!strcmp(argv[first], "--platform") && first + 1 < argc)
			platform = argv[++first];
		else if (!strcmp(argv[first], "--device") && first + 1 < argc)
			index = (unsigned)strtoul(argv[++first], NULL, 0);
		else if (!strcmp(argv[first], "--verbose"))
			verbose = true;
		else if (!strcmp(argv[first], "--save") && first + 1 < argc)
			save_folder = argv[++first];
		else if (!strcmp(argv[first], "--binary"))
			by_binary = true;
		else if (!strcmp(argv[first], "--facts") && first + 1 < argc &&
			 facts_open(argv[first + 1]))
			first++;
		else {
			fprintf(stderr, "usage: runner [--platform NAME] [--device N] [--verbose] "
					"[--save DIR] [--facts FILE] [--binary] FILE.clt...\n");
			return WRONG_FILE;
		}
	}
	if (first + 1 == argc)
		report_prepare(argv[first]);
	cl_device_id device = device_find(platform, index);
	if (!device) {
		printf("no such OpenCL device\n");
		report_finish();
		return SKIP;
	}
	unsigned counts[3] = {0, 0, 0};
	enum verdict worst = PASS;
	for (int f = first; f < argc; f++) {
		enum verdict verdict = run_file(argv[f], device);
		counts[verdict == PASS ? 0 : verdict == SKIP ? 2 : 1]++;
		if (verdict != PASS && worst != FAIL)
			worst = verdict == SKIP && worst == PASS && argc - first == 1 ? SKIP
			      : verdict == SKIP ? worst : FAIL;
		fflush(stdout);
	}
	report_finish();
	if (facts_close())
		worst = FAIL;
	if (argc - first > 1)
		printf("%u passed, %u failed, %u skipped\n", counts[0], counts[1], counts[2]);
	return worst;
}
