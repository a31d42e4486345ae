/* Words of a buffer: words.h; of a value its lanes, with commas between; of local memory its size in
 * bytes, or local:BYTES; of images and samplers run_image.h, of pipes run_pipe.h. */
#include "config.h"

#include "tools/run_argument.h"

#include "tools/tool.h"
#include "tools/words.h"

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

static enum run_kind kind_of(const char *type, cl_kernel_arg_address_qualifier address,
			     cl_kernel_arg_type_qualifier qualifier)
{
	if (qualifier & CL_KERNEL_ARG_TYPE_PIPE)
		return RUN_PIPE;
	if (!strncmp(type, "image", 5) && strstr(type, "_t"))
		return RUN_IMAGE;
	if (!strcmp(type, "sampler_t"))
		return RUN_SAMPLER;
	if (address == CL_KERNEL_ARG_ADDRESS_LOCAL)
		return RUN_LOCAL;
	return address == CL_KERNEL_ARG_ADDRESS_PRIVATE ? RUN_VALUE : RUN_BUFFER;
}

static bool ask(struct run_argument *argument, const struct opencl *opencl, cl_kernel kernel,
		cl_uint index)
{
	cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	cl_kernel_arg_type_qualifier qualifier = 0;
	argument->name = argument_string(opencl, kernel, index, CL_KERNEL_ARG_NAME);
	argument->type = argument_string(opencl, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
	opencl->call->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
					 sizeof(address), &address, NULL);
	opencl->call->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER,
					 sizeof(access), &access, NULL);
	opencl->call->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER,
					 sizeof(qualifier), &qualifier, NULL);
	/* A kernel of SPIR-V may have parameters without names. */
	if (argument->type && !argument->name && (argument->name = calloc(1, 16)))
		snprintf(argument->name, 16, "%u", (unsigned)index);
	if (!argument->name || !argument->type) {
		tool_error("argument %u: the kernel has no type information for it", (unsigned)index);
		return false;
	}
	argument->element = element_of_type(argument->type);
	argument->kind = kind_of(argument->type, address, qualifier);
	argument->constant = address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
			     qualifier & CL_KERNEL_ARG_TYPE_CONST ||
			     (argument->kind == RUN_IMAGE && access == CL_KERNEL_ARG_ACCESS_READ_ONLY);
	argument->reads = access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
	return true;
}

/* --- words -------------------------------------------------------------------------- */

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

static enum words_result read_value(struct run_argument *argument)
{
	const enum words_result result =
		words_read(&argument->element, argument->word, 0, &argument->value);
	const bool is_whole = argument->element.kind == 'V' ||
			      argument->value.size_B == argument->element.size_B;
	return result || is_whole ? result : WORDS_WRONG;
}

static enum words_result read_image(struct run_argument *argument)
{
	const char *content;
	if (!run_image_parse(argument->type, argument->word, &argument->image, &argument->element,
			     &content))
		return WORDS_WRONG;
	return words_read(&argument->element, content, argument->image.texels, &argument->value);
}

static enum words_result read_pipe(struct run_argument *argument)
{
	struct run_pipe *pipe = &argument->pipe;
	bool good;
	if (run_pipe_is_empty(pipe, &argument->element, argument->word, &good)) {
		/* A packet of a structure: its bytes. */
		if (argument->element.kind == 'V')
			argument->element = (struct element){'V', 1, pipe->packet_B, pipe->packet_B};
		return good ? WORDS_GOOD : WORDS_WRONG;
	}
	/* A packet of a structure has no known size. */
	if (!argument->reads || argument->element.kind == 'V')
		return WORDS_WRONG;
	const enum words_result result =
		words_read(&argument->element, argument->word, 0, &argument->value);
	pipe->packet_B = argument->element.size_B;
	pipe->packets = (cl_uint)(argument->value.size_B / pipe->packet_B);
	return !result && argument->value.size_B % pipe->packet_B ? WORDS_WRONG : result;
}

static enum words_result read_word(struct run_argument *argument)
{
	switch (argument->kind) {
	case RUN_LOCAL:
		return read_local(argument) ? WORDS_GOOD : WORDS_WRONG;
	case RUN_BUFFER:
		return words_read(&argument->element, argument->word, 0, &argument->value);
	case RUN_IMAGE:
		return read_image(argument);
	case RUN_PIPE:
		return read_pipe(argument);
	case RUN_SAMPLER:
		return run_sampler_parse(argument->word, &argument->sampler) ? WORDS_GOOD
									     : WORDS_WRONG;
	case RUN_VALUE:
		break;
	}
	return read_value(argument);
}

/* An example of what may be given, where that is not as of a buffer. */
static const char *form_of(const struct run_argument *argument)
{
	switch (argument->kind) {
	case RUN_IMAGE:
		return "; expected something like image:rgba-unorm8:64x64, optionally followed by : and its texels";
	case RUN_SAMPLER:
		return "; expected something like linear,repeat,normalized";
	case RUN_PIPE:
		return argument->element.kind == 'V'
			       ? "; expected pipe:PACKETS:BYTES, since its packets are structures"
			       : "; expected pipe:PACKETS, or the packets themselves if the kernel reads the pipe";
	case RUN_BUFFER:
		return "; expected values such as 1,2,3, or something like zero:1024, range:1024 or @FILE";
	default:
		return "";
	}
}

bool run_argument_init(struct run_argument *argument, const struct opencl *opencl,
		       cl_kernel kernel, cl_uint index, const char *word)
{
	*argument = (struct run_argument){.word = word};
	if (!ask(argument, opencl, kernel, index))
		return false;
	const enum words_result result = read_word(argument);
	if (bytes_failed(&argument->value)) {
		tool_error("out of memory");
		return false;
	}
	if (result == WORDS_WRONG)
		tool_usage("argument %u (%s %s): '%s' is not a valid value%s", (unsigned)index,
			   argument->type, argument->name, word, form_of(argument));
	return result == WORDS_GOOD;
}

/* --- objects ------------------------------------------------------------------------- */

static cl_int create(struct run_argument *argument, const struct opencl *opencl, cl_context context,
		     cl_device_id device, cl_command_queue queue)
{
	const cl_icd_dispatch *call = opencl->call;
	const struct run_sampler *sampler = &argument->sampler;
	cl_int error = CL_SUCCESS;
	if (argument->kind == RUN_BUFFER)
		argument->memory = call->clCreateBuffer(
			context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, argument->value.size_B,
			argument->value.data, &error);
	else if (argument->kind == RUN_IMAGE)
		argument->memory = run_image_create(&argument->image, opencl, context,
						    &argument->value, &error);
	else if (argument->kind == RUN_PIPE)
		argument->memory = run_pipe_create(&argument->pipe, opencl, context, device, queue,
						   &argument->value, &error);
	else if (argument->kind == RUN_SAMPLER)
		argument->sampler_object =
			call->clCreateSampler(context, sampler->normalized, sampler->addressing,
					      sampler->filter, &error);
	return error;
}

cl_int run_argument_set(struct run_argument *argument, const struct opencl *opencl,
			cl_context context, cl_device_id device, cl_command_queue queue,
			cl_kernel kernel, cl_uint index)
{
	const cl_icd_dispatch *call = opencl->call;
	const cl_int error = create(argument, opencl, context, device, queue);
	if (error)
		return error;
	if (argument->kind == RUN_LOCAL)
		return call->clSetKernelArg(kernel, index, argument->local_B, NULL);
	if (argument->kind == RUN_VALUE)
		return call->clSetKernelArg(kernel, index, argument->value.size_B,
					    argument->value.data);
	if (argument->kind == RUN_SAMPLER)
		return call->clSetKernelArg(kernel, index, sizeof(argument->sampler_object),
					    &argument->sampler_object);
	return call->clSetKernelArg(kernel, index, sizeof(argument->memory), &argument->memory);
}

cl_int run_argument_read(struct run_argument *argument, const struct opencl *opencl,
			 cl_context context, cl_command_queue queue)
{
	if (argument->kind == RUN_IMAGE)
		return run_image_read(&argument->image, opencl, queue, argument->memory,
				      &argument->value);
	if (argument->kind == RUN_PIPE)
		return run_pipe_read(&argument->pipe, opencl, context, queue, argument->memory,
				     &argument->value);
	return opencl->call->clEnqueueReadBuffer(queue, argument->memory, CL_TRUE, 0,
						 argument->value.size_B, argument->value.data, 0,
						 NULL, NULL);
}

void run_argument_finish(struct run_argument *argument, const struct opencl *opencl)
{
	if (argument->memory)
		opencl->call->clReleaseMemObject(argument->memory);
	if (argument->image.buffer)
		opencl->call->clReleaseMemObject(argument->image.buffer);
	if (argument->sampler_object)
		opencl->call->clReleaseSampler(argument->sampler_object);
	run_pipe_finish(&argument->pipe, opencl);
	bytes_finish(&argument->value);
	free(argument->name);
	free(argument->type);
}
