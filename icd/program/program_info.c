#include "config.h"

#include "icd/program/program.h"

#include "icd/compile/program_binary.h"
#include "icd/object/info_rows.h"
#include "icd/program/program_kernels.h"

#include <stdlib.h>
#include <string.h>

/* The program binary for one device; empty if there is no code for it. */
static cl_int binary_make(cl_program program, cl_uint index, struct bytes *bytes)
{
	struct ocl_code *code = ocl_program_code(program, index);
	if (!code)
		return CL_SUCCESS;
	ocl_code_write(code, OCL_CODE_GIVEN, bytes);
	ocl_code_unref(code);
	return bytes_failed(bytes) ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

static cl_int put_binary_sizes(cl_program program, const struct info_out *out)
{
	size_t *sizes_B = calloc(program->device_count, sizeof(*sizes_B));
	cl_int error = sizes_B ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; !error && i < program->device_count; i++) {
		struct bytes bytes = BYTES_INIT;
		error = binary_make(program, i, &bytes);
		sizes_B[i] = bytes.size_B;
		bytes_finish(&bytes);
	}
	if (!error)
		error = info_put(out, sizes_B, program->device_count * sizeof(*sizes_B));
	free(sizes_B);
	return error;
}

/* The value is an array of pointers to the application's memory, which is large enough; a NULL pointer is skipped. */
static cl_int put_binaries(cl_program program, const struct info_out *out)
{
	unsigned char *const *to = out->value;
	size_t size_B = program->device_count * sizeof(*to);
	if (to && out->size_B < size_B)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; to && i < program->device_count; i++) {
		struct bytes bytes = BYTES_INIT;
		cl_int error = to[i] ? binary_make(program, i, &bytes) : CL_SUCCESS;
		if (!error && bytes.size_B)
			memcpy(to[i], bytes.data, bytes.size_B);
		bytes_finish(&bytes);
		if (error)
			return error;
	}
	if (out->size_ret)
		*out->size_ret = size_B;
	return CL_SUCCESS;
}

static cl_int put_kernel_count(cl_program program, const struct info_out *out)
{
	struct ocl_program_kernels kernels;
	cl_int error = ocl_program_kernels_find(program, &kernels);
	if (error)
		return error;
	error = INFO_PUT(out, size_t, kernels.count);
	ocl_program_kernels_finish(&kernels);
	return error;
}

/* Whether there are constructors or destructors of program scope variables, which OpenCL C does not have. 5.8.9:
 * CL_INVALID_PROGRAM_EXECUTABLE before there is an executable. */
static cl_int put_no_functions(cl_program program, const struct info_out *out)
{
	struct ocl_program_kernels kernels;
	cl_int error = ocl_program_kernels_find(program, &kernels);
	if (error)
		return error;
	ocl_program_kernels_finish(&kernels);
	return INFO_PUT(out, cl_bool, CL_FALSE);
}

static cl_int put_kernel_names(cl_program program, const struct info_out *out)
{
	struct ocl_program_kernels kernels;
	struct bytes names = BYTES_INIT;
	cl_int error = ocl_program_kernels_find(program, &kernels);
	if (error)
		return error;
	for (uint32_t i = 0; i < kernels.count; i++) {
		if (i)
			bytes_append_char(&names, ';');
		bytes_append_string(&names, kernels.names[i]);
	}
	error = bytes_failed(&names) ? CL_OUT_OF_HOST_MEMORY
				     : info_put_string(out, bytes_string(&names));
	bytes_finish(&names);
	ocl_program_kernels_finish(&kernels);
	return error;
}

cl_int ocl_program_info(cl_program program, cl_program_info name, const struct info_out *out)
{
	switch (name) {
#include "icd/program/program_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int build_info_locked(const struct program_device *slot, cl_program_build_info name,
				const struct info_out *out)
{
	const struct ocl_code *code = NULL;
	if (slot->status == CL_BUILD_SUCCESS)
		code = slot->code;
	else if (slot->status == CL_BUILD_NONE)
		code = slot->loaded;
	switch (name) {
#include "icd/program/program_build_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int ocl_program_build_info(cl_program program, cl_device_id device,
			      cl_program_build_info name, const struct info_out *out)
{
	int index = ocl_program_device_index(program, device);
	if (index < 0)
		return CL_INVALID_DEVICE;
	lock_take(&program->lock);
	cl_int error = build_info_locked(&program->per_device[index], name, out);
	lock_drop(&program->lock);
	return error;
}
