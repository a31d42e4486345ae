#include "config.h"

#include "icd/program/complaint.h"

#include <stdio.h>

/* --- arguments ------------------------------------------------------------------------------- */

void ocl_complaint_describe(const struct abi_kernel *abi, cl_uint index, char text[160])
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

/* Why a value is invalid for the argument. */
static const char *value_trouble(const struct abi_argument *argument)
{
	if (argument->kind == ABI_ARGUMENT_LOCAL)
		return "local memory has only a size: arg_value must be NULL";
	if (argument->kind == ABI_ARGUMENT_IMAGE)
		return "the image's flags do not allow the access of the kernel's qualifier";
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
	ocl_complaint_describe(ocl_kernel_abi(kernel), index, what);
	if (error == CL_INVALID_ARG_SIZE)
		ocl_context_report(context,
				   "%s: kernel %s, %s has a size of %zu bytes, not %zu "
				   "(CL_INVALID_ARG_SIZE)",
				   call, kernel->name, what, size_wanted_B(argument), size_B);
	else if (error == CL_INVALID_ARG_VALUE)
		ocl_context_report(context, "%s: kernel %s, %s: %s (CL_INVALID_ARG_VALUE)", call,
				   kernel->name, what, value_trouble(argument));
	else if (error == CL_INVALID_MEM_OBJECT)
		ocl_context_report(context,
				   "%s: kernel %s, %s is not %s "
				   "(CL_INVALID_MEM_OBJECT)",
				   call, kernel->name, what,
				   memory_wanted(argument));
	else if (error == CL_INVALID_SAMPLER)
		ocl_context_report(context,
				   "%s: kernel %s, %s is not a sampler "
				   "(CL_INVALID_SAMPLER)",
				   call, kernel->name, what);
	else if (error == CL_INVALID_CONTEXT)
		ocl_context_report(context,
				   "%s: kernel %s, %s is an object of another "
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
				   "%s: kernel %s has %u arguments; index %u is invalid "
				   "(CL_INVALID_ARG_INDEX)",
				   call, kernel->name, count, index);
}

cl_int ocl_complain_argument(cl_kernel kernel, cl_uint index, size_t size_B, cl_int error)
{
	if (atomic_load(&kernel->attached))
		ocl_complain_value("clSetKernelArg", kernel, index, size_B, error);
	return error;
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
		"clCreateBuffer: %zu bytes; the context's devices support 1 to %llu bytes "
		"in one buffer (CL_INVALID_BUFFER_SIZE)",
		size_B, (unsigned long long)most_B);
}

void ocl_complain_range(const char *call, const struct _cl_mem *mem, size_t offset_B, size_t size_B)
{
	ocl_context_report(
		mem->context,
		"%s: %zu bytes at offset %zu exceed a buffer of %zu bytes (CL_INVALID_VALUE)", call,
		size_B, offset_B, (size_t)mem->size_B);
}
