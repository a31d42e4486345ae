#include "config.h"

#include "icd/program/program_kernels.h"

#include <stdlib.h>

bool ocl_kernel_definitions_agree(const struct abi_kernel *a, const struct abi_kernel *b)
{
	if (a->argument_count != b->argument_count)
		return false;
	for (uint32_t i = 0; i < a->argument_count; i++)
		if (a->arguments[i].kind != b->arguments[i].kind ||
		    a->arguments[i].size_B != b->arguments[i].size_B ||
		    a->arguments[i].image_type != b->arguments[i].image_type ||
		    a->arguments[i].access != b->arguments[i].access)
			return false;
	return true;
}

static cl_int codes_take(cl_program program, struct ocl_program_kernels *kernels)
{
	kernels->codes = calloc(program->device_count, sizeof(struct ocl_code *));
	if (!kernels->codes)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < program->device_count; i++) {
		struct ocl_code *code;
		if (ocl_program_executable(program, i, &code, NULL))
			kernels->codes[kernels->code_count++] = code;
	}
	return kernels->code_count ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

/* Whether the kernel is listed for the code at that position: not if an earlier code has it. 5.9.1:
 * clCreateKernelsInProgram does not create kernels whose definitions differ between devices. */
static bool is_listed(const struct ocl_program_kernels *kernels, cl_uint at,
		      const struct abi_kernel *kernel)
{
	for (cl_uint i = 0; i < kernels->code_count; i++) {
		const struct abi_kernel *other =
			i == at ? NULL
				: abi_program_kernel(kernels->codes[i]->abi, kernel->name);
		if (other && (i < at || !ocl_kernel_definitions_agree(kernel, other)))
			return false;
	}
	return true;
}

cl_int ocl_program_kernels_find(cl_program program, struct ocl_program_kernels *kernels)
{
	size_t most = 1;
	*kernels = (struct ocl_program_kernels){0};
	ocl_program_wait(program);
	cl_int error = codes_take(program, kernels);
	for (cl_uint i = 0; i < kernels->code_count; i++)
		most += kernels->codes[i]->abi->kernel_count;
	kernels->names = error ? NULL : calloc(most, sizeof(*kernels->names));
	if (!error && !kernels->names)
		error = CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; !error && i < kernels->code_count; i++) {
		const struct abi_program *abi = kernels->codes[i]->abi;
		for (uint32_t k = 0; k < abi->kernel_count; k++)
			if (is_listed(kernels, i, &abi->kernels[k]))
				kernels->names[kernels->count++] = abi->kernels[k].name;
	}
	if (error)
		ocl_program_kernels_finish(kernels);
	return error;
}

void ocl_program_kernels_finish(struct ocl_program_kernels *kernels)
{
	for (cl_uint i = 0; i < kernels->code_count; i++)
		ocl_code_unref(kernels->codes[i]);
	free(kernels->codes);
	free(kernels->names);
	*kernels = (struct ocl_program_kernels){0};
}
