#include "config.h"

#include "icd/complaint.h"

#include "icd/queue.h"

#include <stdio.h>

/* --- arguments ------------------------------------------------------------------------------- */

/* "argument 2 (float *y)"; names are there where the program was built with them. */
static void describe(const struct abi_kernel *abi, cl_uint index, char text[160])
{
	const struct abi_argument *argument = &abi->arguments[index];
	if (argument->name && argument->type_name)
		snprintf(text, 160, "argument %u (%s %s)", index, argument->type_name,
			 argument->name);
	else
		snprintf(text, 160, "argument %u", index);
}

static size_t size_wanted_B(const struct abi_argument *argument)
{
	return argument->kind == ABI_ARGUMENT_VALUE ? argument->size_B : sizeof(cl_mem);
}

/* A value that the argument cannot have. */
static const char *value_trouble(const struct abi_argument *argument)
{
	if (argument->kind == ABI_ARGUMENT_LOCAL)
		return "local memory has a size and no value: arg_value must be NULL";
	if (argument->kind == ABI_ARGUMENT_IMAGE)
		return "the image's flags do not allow what the kernel's qualifier says";
	return "arg_value is NULL";
}

static const char *memory_wanted(const struct abi_argument *argument)
{
	switch (argument->kind) {
	case ABI_ARGUMENT_IMAGE:
		return "an image of its type";
	case ABI_ARGUMENT_PIPE:
		return "a pipe";
	default:
		return "a buffer";
	}
}

static void complain_kind(const char *call, cl_kernel kernel, cl_uint index, size_t size_B,
			  cl_int error)
{
	const struct abi_argument *argument = &ocl_kernel_abi(kernel)->arguments[index];
	cl_context context = kernel->program->context;
	char what[160];
	describe(ocl_kernel_abi(kernel), index, what);
	if (error == CL_INVALID_ARG_SIZE)
		ocl_context_report(context,
				   "%s: kernel %s, %s takes %zu bytes, not %zu "
				   "(CL_INVALID_ARG_SIZE)",
				   call, kernel->name, what, size_wanted_B(argument), size_B);
	else if (error == CL_INVALID_ARG_VALUE)
		ocl_context_report(context, "%s: kernel %s, %s: %s (CL_INVALID_ARG_VALUE)", call,
				   kernel->name, what, value_trouble(argument));
	else if (error == CL_INVALID_MEM_OBJECT)
		ocl_context_report(context,
				   "%s: kernel %s, %s was not given %s "
				   "(CL_INVALID_MEM_OBJECT)",
				   call, kernel->name, what,
				   memory_wanted(argument));
	else if (error == CL_INVALID_SAMPLER)
		ocl_context_report(context,
				   "%s: kernel %s, %s was not given a sampler "
				   "(CL_INVALID_SAMPLER)",
				   call, kernel->name, what);
	else if (error == CL_INVALID_CONTEXT)
		ocl_context_report(context,
				   "%s: kernel %s, %s was given an object of another "
				   "context (CL_INVALID_CONTEXT)",
				   call, kernel->name, what);
}

void ocl_complain_value(const char *call, cl_kernel kernel, cl_uint index, size_t size_B,
			cl_int error)
{
	const uint32_t count = ocl_kernel_abi(kernel)->argument_count;
	if (index < count)
		complain_kind(call, kernel, index, size_B, error);
	else
		ocl_context_report(kernel->program->context,
				   "%s: kernel %s has %u arguments, and none has the index %u "
				   "(CL_INVALID_ARG_INDEX)",
				   call, kernel->name, count, index);
}

cl_int ocl_complain_argument(cl_kernel kernel, cl_uint index, size_t size_B, cl_int error)
{
	if (atomic_load(&kernel->attached))
		ocl_complain_value("clSetKernelArg", kernel, index, size_B, error);
	return error;
}

/* --- launches -------------------------------------------------------------------------------- */

static void complain_unset(const char *call, cl_kernel kernel)
{
	const struct ocl_arguments *arguments = kernel->arguments;
	char what[160];
	for (uint32_t i = 0; i < arguments->count; i++) {
		const struct ocl_argument *item = &arguments->items[i];
		const bool gone = item->mem && !ocl_mem_is(item->mem, item->life);
		if (item->set && !gone)
			continue;
		describe(ocl_kernel_abi(kernel), i, what);
		ocl_context_report(kernel->program->context,
				   "%s: kernel %s, %s %s (CL_INVALID_KERNEL_ARGS)", call,
				   kernel->name, what,
				   gone ? "is a memory object that was released" : "was never set");
		return;
	}
}

/* "64 x 2": sizes in as many dimensions as there are. */
static void sizes_text(const struct ocl_ndrange *range, const size_t *sizes, char text[80])
{
	size_t at = 0;
	text[0] = 0;
	for (unsigned i = 0; i < range->work_dim && at < 80; i++)
		at += (size_t)snprintf(text + at, 80 - at, "%s%zu", i ? " x " : "", sizes[i]);
}

/* Work-groups that are too large, of another size than the kernel wants, or that do not divide. */
static void complain_local(const char *call, cl_command_queue queue, cl_kernel kernel,
			   const struct ocl_ndrange *range)
{
	const struct ocl_kernel_code *code;
	char local[80], global[80];
	if (!range->local || ocl_kernel_code_for(kernel, queue->device, &code))
		return;
	const uint32_t *required = code->abi->required_local;
	uint64_t items = 1;
	bool other = false;
	for (unsigned i = 0; i < 3; i++) {
		const size_t size = i < range->work_dim ? range->local[i] : 1;
		other = other || (required[0] && size != required[i]);
		items = size > UINT32_MAX ? UINT64_MAX : items * size;
	}
	sizes_text(range, range->local, local);
	sizes_text(range, range->global, global);
	if (other)
		ocl_context_report(queue->context,
				   "%s: kernel %s: its reqd_work_group_size is %u "
				   "x %u x %u, not %s (CL_INVALID_WORK_GROUP_SIZE)",
				   call, kernel->name, required[0], required[1], required[2],
				   local);
	else if (!items || items > code->caps.max_threads)
		ocl_context_report(queue->context,
				   "%s: kernel %s: a work-group of %s has %llu "
				   "work-items, and %s takes 1 to %u of this kernel "
				   "(CL_INVALID_WORK_GROUP_SIZE)",
				   call, kernel->name, local, (unsigned long long)items,
				   queue->device->caps->name, code->caps.max_threads);
	else
		ocl_context_report(queue->context,
				   "%s: kernel %s: work-groups of %s do not divide "
				   "%s work-items, and it takes uniform ones only "
				   "(CL_INVALID_WORK_GROUP_SIZE)",
				   call, kernel->name, local, global);
}

static void complain_item(const char *call, cl_command_queue queue, cl_kernel kernel,
			  const struct ocl_ndrange *range)
{
	const struct gpu_caps *caps = queue->device->caps;
	for (unsigned i = 0; i < range->work_dim; i++)
		if (range->local[i] > caps->max_block[i])
			ocl_context_report(
				queue->context,
				"%s: kernel %s: a work-group of %zu in "
				"dimension %u, and %s takes %u (CL_INVALID_WORK_ITEM_SIZE)",
				call, kernel->name, range->local[i], i, caps->name,
				caps->max_block[i]);
}

void ocl_complain_launch(const char *call, cl_command_queue queue, cl_kernel kernel,
			 const struct ocl_ndrange *range, cl_int error)
{
	if (error == CL_INVALID_KERNEL_ARGS)
		complain_unset(call, kernel);
	else if (error == CL_INVALID_WORK_GROUP_SIZE)
		complain_local(call, queue, kernel, range);
	else if (error == CL_INVALID_WORK_ITEM_SIZE)
		complain_item(call, queue, kernel, range);
	else if (error == CL_INVALID_WORK_DIMENSION)
		ocl_context_report(queue->context,
				   "%s: kernel %s: %u dimensions, which can be 1 "
				   "to 3 (CL_INVALID_WORK_DIMENSION)",
				   call, kernel->name, range->work_dim);
}

/* --- buffers --------------------------------------------------------------------------------- */

void ocl_complain_size(cl_context context, size_t size_B)
{
	cl_ulong most_B = 0;
	for (cl_uint i = 0; i < context->device_count; i++) {
		const cl_ulong here_B = ocl_device_max_alloc_B(context->devices[i]);
		most_B = here_B > most_B ? here_B : most_B;
	}
	ocl_context_report(
		context,
		"clCreateBuffer: %zu bytes, and the context's devices have 1 to %llu at most "
		"in one buffer (CL_INVALID_BUFFER_SIZE)",
		size_B, (unsigned long long)most_B);
}

void ocl_complain_range(const char *call, const struct _cl_mem *mem, size_t offset_B, size_t size_B)
{
	ocl_context_report(
		mem->context,
		"%s: %zu bytes from byte %zu on, of a buffer that has %zu (CL_INVALID_VALUE)", call,
		size_B, offset_B, (size_t)mem->size_B);
}
