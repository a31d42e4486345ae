/* Words of a buffer:
 *
 *	1,2,3            these elements, lane by lane where they are vectors
 *	zero:N           N elements of 0
 *	fill:N:VALUE     N elements, all lanes of VALUE
 *	range:N[:FIRST[:STEP]]   FIRST, FIRST + STEP ...; by default 0, 1 ...
 *	random:N[:SEED]  integers of all bits, reals from 0 to 1; the same for the same seed
 *	@FILE            bytes of a file; of an .npy file its elements
 *
 * of a value: its lanes, with commas between; of local memory: its size in bytes, or
 * local:BYTES. */
#include "config.h"

#include "tools/run_argument.h"

#include "tools/tool.h"

#include <math.h>
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
	if (!strncmp(argument->type, "image", 5) || !strcmp(argument->type, "sampler_t")) {
		tool_error("argument %u (%s %s): images and samplers cannot be given here",
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

/* What follows the word: up to three numbers with colons between. */
static int read_numbers(const char *text, double numbers[3])
{
	int count = 0;
	while (*text == ':' && count < 3) {
		char *end;
		numbers[count++] = strtod(text + 1, &end);
		if (end == text + 1)
			return 0;
		text = end;
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

static void put_random(const struct element *element, uint64_t *state, struct bytes *out)
{
	uint64_t bits = next_random(state);
	if (element->kind == 'f')
		element_put(element, (double)(bits >> 11) * 0x1p-53, out);
	else
		bytes_append(out, &bits, element->scalar_B);
}

static bool fill(struct run_argument *argument, const char *word, const double *numbers,
		 int count)
{
	const struct element *element = &argument->element;
	const double most = (double)((uint64_t)1 << 40);
	bool range = !strcmp(word, "range"), random = !strcmp(word, "random");
	uint64_t state = count > 1 ? (uint64_t)numbers[1] : 0;
	double value = count > 1 ? numbers[1] : 0, step = count > 2 ? numbers[2] : 1;
	if (numbers[0] < 1 || numbers[0] != floor(numbers[0]) ||
	    numbers[0] * element->size_B > most)
		return false;
	for (uint64_t i = 0; i < (uint64_t)numbers[0] && !bytes_failed(&argument->value); i++) {
		for (unsigned lane = 0; lane < element->lanes; lane++) {
			if (random)
				put_random(element, &state, &argument->value);
			else
				element_put(element, range ? value + (double)i * step : value,
					    &argument->value);
		}
		pad(element, &argument->value);
	}
	return true;
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
	double numbers[3];
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].word);
		if (strncmp(argument->word, words[i].word, length))
			continue;
		int count = read_numbers(argument->word + length, numbers);
		return count >= words[i].least && count <= words[i].most &&
		       fill(argument, words[i].word, numbers, count);
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
