/* Words of a buffer:
 *
 *	1,2,3            these elements, lane by lane where they are vectors
 *	zero:N           N elements of 0
 *	fill:N:VALUE     N elements, all lanes of VALUE, which the type holds
 *	range:N[:FIRST[:STEP]]   FIRST, FIRST + STEP ...; by default 0, 1 ...
 *	random:N[:SEED]  integers of all bits, reals from 0 to 1; the same for the same seed
 *	@FILE            bytes of a file; of an .npy file its elements
 *
 * of a value: its lanes, with commas between; of local memory: its size in bytes, or
 * local:BYTES. */
#include "config.h"

#include "tools/run_argument.h"

#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

static char *argument_string(const struct opencl *opencl, cl_kernel kernel, cl_uint index,
			     cl_kernel_arg_info name)
{
	size_t size_B = 0;
	char *text = NULL;
	if (!opencl->call->clGetKernelArgInfo(kernel, index, name, 0, NULL, &size_B))
		text = calloc(1, size_B + 1);
	if (text && !opencl->call->clGetKernelArgInfo(kernel, index, name, size_B, text, NULL))
		return text;
	free(text);
	return NULL;
}

static bool ask(struct run_argument *argument, const struct opencl *opencl, cl_kernel kernel,
		cl_uint index)
{
	cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
	cl_kernel_arg_type_qualifier qualifier = 0;
	argument->name = argument_string(opencl, kernel, index, CL_KERNEL_ARG_NAME);
	argument->type = argument_string(opencl, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
	opencl->call->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
					 sizeof(address), &address, NULL);
	opencl->call->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER,
					 sizeof(qualifier), &qualifier, NULL);
	/* A kernel of SPIR-V may have parameters without names. */
	if (argument->type && !argument->name && (argument->name = calloc(1, 16)))
		snprintf(argument->name, 16, "%u", (unsigned)index);
	if (!argument->name || !argument->type) {
		tool_error("argument %u: the kernel does not tell its type", (unsigned)index);
		return false;
	}
	if (!strncmp(argument->type, "image", 5) || !strcmp(argument->type, "sampler_t") ||
	    qualifier & CL_KERNEL_ARG_TYPE_PIPE) {
		tool_error("argument %u (%s %s): images, samplers and pipes cannot be given here",
			   (unsigned)index, argument->type, argument->name);
		return false;
	}
	argument->element = element_of_type(argument->type);
	argument->local = address == CL_KERNEL_ARG_ADDRESS_LOCAL;
	argument->constant = address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
			     qualifier & CL_KERNEL_ARG_TYPE_CONST;
	argument->buffer = address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
			   address == CL_KERNEL_ARG_ADDRESS_CONSTANT;
	return true;
}

/* --- words -------------------------------------------------------------------------- */

/* A vector of three has room for four. */
static void pad(const struct element *element, struct bytes *out)
{
	for (unsigned i = element->lanes * element->scalar_B; i < element->size_B; i++)
		bytes_append_char(out, 0);
}

static bool read_list(struct run_argument *argument)
{
	char *copy = strdup(argument->word), *rest = NULL;
	unsigned lane = 0;
	bool good = copy != NULL;
	for (char *part = copy ? strtok_r(copy, ",", &rest) : NULL; part && good;
	     part = strtok_r(NULL, ",", &rest)) {
		good = element_parse(&argument->element, part, &argument->value);
		lane = (lane + 1) % argument->element.lanes;
		if (!lane)
			pad(&argument->element, &argument->value);
	}
	free(copy);
	return good && !lane && argument->value.size_B;
}

/* What follows the word: up to three texts with colons between, cut out of it. */
static int split(char *text, const char *parts[3])
{
	int count = 0;
	while (*text == ':' && count < 3) {
		*text++ = '\0';
		parts[count++] = text;
		text += strcspn(text, ":");
	}
	return *text ? 0 : count;
}

/* The generator of Vigna's "splitmix64". */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* What a word makes of its numbers. */
struct series {
	struct element_number first, step;      /* of fill the step is 0 */
	bool random;
	uint64_t state;
};

static void put_random(const struct element *element, struct series *series, struct bytes *out)
{
	uint64_t bits = next_random(&series->state);
	const struct element_number number = {.real = (double)(bits >> 11) * 0x1p-53, .bits = bits};
	element_put(element, &number, out);
}

/* Integers go on modulo 2^64: a double would lose the low bits of long ones. */
static void put_next(const struct element *element, const struct series *series, uint64_t i,
		     struct bytes *out)
{
	const struct element_number number = {
		.real = series->first.real + (double)i * series->step.real,
		.bits = series->first.bits + i * series->step.bits,
	};
	element_put(element, &number, out);
}

static bool fill(struct run_argument *argument, uint64_t count, struct series *series)
{
	const struct element *element = &argument->element;
	const uint64_t most_B = UINT64_C(1) << 40;
	if (!count || count > most_B / element->size_B)
		return false;
	for (uint64_t i = 0; i < count && !bytes_failed(&argument->value); i++) {
		for (unsigned lane = 0; lane < element->lanes; lane++) {
			if (series->random)
				put_random(element, series, &argument->value);
			else
				put_next(element, series, i, &argument->value);
		}
		pad(element, &argument->value);
	}
	return true;
}

/* parts: how many elements, and what the word says of them.  A step may be negative whatever
 * the type is. */
static bool read_series(const struct element *element, const char *word,
			const char *const parts[3], int count, struct series *series)
{
	bool range = !strcmp(word, "range");
	*series = (struct series){.random = !strcmp(word, "random")};
	if (series->random)
		return count < 2 || tool_number(parts[1], &series->state);
	if (count > 1 && (!element_read(element, parts[1], &series->first) ||
			  !element_holds(element, &series->first)))
		return false;
	if (range && count < 3)
		return element_read(element, "1", &series->step);
	return !range || element_read(element, parts[2], &series->step);
}

static bool read_file(struct run_argument *argument)
{
	struct bytes file = BYTES_INIT, why = BYTES_INIT;
	const char *path = argument->word + 1, *dot = strrchr(path, '.');
	int error = bytes_read_file(&file, path);
	if (error)
		bytes_append_string(&why, strerror(error));
	else if (dot && !strcmp(dot, ".npy"))
		element_read_npy(&argument->element, &file, &argument->value, &why);
	else
		bytes_move(&argument->value, &file);
	if (!why.size_B && !argument->value.size_B)
		bytes_append_string(&why, "it is empty");
	if (why.size_B)
		tool_error("%s: %s", path, bytes_string(&why));
	bool good = !why.size_B;
	bytes_finish(&why);
	bytes_finish(&file);
	return good;
}

static bool read_buffer(struct run_argument *argument)
{
	static const struct {
		const char *word;
		int least, most;
	} words[] = {{"zero", 1, 1}, {"fill", 2, 2}, {"range", 1, 3}, {"random", 1, 2}};
	const char *parts[3];
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].word);
		if (strncmp(argument->word, words[i].word, length))
			continue;
		char *copy = strdup(argument->word + length);
		int count = copy ? split(copy, parts) : 0;
		struct series series;
		uint64_t elements;
		bool good = count >= words[i].least && count <= words[i].most &&
			    tool_number(parts[0], &elements) &&
			    read_series(&argument->element, words[i].word, parts, count, &series) &&
			    fill(argument, elements, &series);
		free(copy);
		return good;
	}
	return read_list(argument);
}

static bool read_local(struct run_argument *argument)
{
	uint64_t size_B;
	const char *word = argument->word;
	if (!strncmp(word, "local:", 6))
		word += 6;
	if (!tool_number(word, &size_B) || !size_B)
		return false;
	argument->local_B = (size_t)size_B;
	return true;
}

static bool read_value(struct run_argument *argument)
{
	return read_list(argument) && (argument->element.kind == 'V' ||
				       argument->value.size_B == argument->element.size_B);
}

bool run_argument_init(struct run_argument *argument, const struct opencl *opencl,
		       cl_kernel kernel, cl_uint index, const char *word)
{
	*argument = (struct run_argument){.word = word};
	if (!ask(argument, opencl, kernel, index))
		return false;
	if (*word == '@' && !argument->local)
		return read_file(argument);
	bool good = argument->local ? read_local(argument)
		    : argument->buffer ? read_buffer(argument) : read_value(argument);
	if (bytes_failed(&argument->value)) {
		tool_error("out of memory");
		return false;
	}
	if (!good)
		tool_usage("argument %u (%s %s): '%s' is nothing for it", (unsigned)index,
			   argument->type, argument->name, word);
	return good;
}

cl_int run_argument_set(struct run_argument *argument, const struct opencl *opencl,
			cl_context context, cl_kernel kernel, cl_uint index)
{
	const cl_icd_dispatch *call = opencl->call;
	cl_int error;
	if (argument->local)
		return call->clSetKernelArg(kernel, index, argument->local_B, NULL);
	if (!argument->buffer)
		return call->clSetKernelArg(kernel, index, argument->value.size_B,
					    argument->value.data);
	argument->memory = call->clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
						argument->value.size_B, argument->value.data, &error);
	if (error)
		return error;
	return call->clSetKernelArg(kernel, index, sizeof(argument->memory), &argument->memory);
}

void run_argument_finish(struct run_argument *argument, const struct opencl *opencl)
{
	if (argument->memory)
		opencl->call->clReleaseMemObject(argument->memory);
	bytes_finish(&argument->value);
	free(argument->name);
	free(argument->type);
}
