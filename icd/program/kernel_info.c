#include "config.h"

#include "icd/program/kernel_info.h"

#include "icd/include/cl_culvert.h"
#include "icd/object/info_rows.h"

#include <CL/cl_ext.h>
#include <stdint.h>

cl_int ocl_kernel_info(cl_kernel kernel, cl_kernel_info name, const struct info_out *out)
{
	const struct abi_kernel *abi = ocl_kernel_abi(kernel);
	switch (name) {
#include "icd/program/kernel_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_kernel_arg_address_qualifier address_qualifier(enum abi_address address)
{
	switch (address) {
	case ABI_ADDRESS_GLOBAL:
		return CL_KERNEL_ARG_ADDRESS_GLOBAL;
	case ABI_ADDRESS_CONSTANT:
		return CL_KERNEL_ARG_ADDRESS_CONSTANT;
	case ABI_ADDRESS_LOCAL:
		return CL_KERNEL_ARG_ADDRESS_LOCAL;
	case ABI_ADDRESS_PRIVATE:
		break;
	}
	return CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static cl_kernel_arg_access_qualifier access_qualifier(enum abi_access access)
{
	switch (access) {
	case ABI_ACCESS_READ_ONLY:
		return CL_KERNEL_ARG_ACCESS_READ_ONLY;
	case ABI_ACCESS_WRITE_ONLY:
		return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
	case ABI_ACCESS_READ_WRITE:
		return CL_KERNEL_ARG_ACCESS_READ_WRITE;
	case ABI_ACCESS_NONE:
		break;
	}
	return CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_kernel_arg_type_qualifier type_qualifier(uint32_t bits)
{
	cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
	if (bits & ABI_TYPE_CONST)
		qualifier |= CL_KERNEL_ARG_TYPE_CONST;
	if (bits & ABI_TYPE_RESTRICT)
		qualifier |= CL_KERNEL_ARG_TYPE_RESTRICT;
	if (bits & ABI_TYPE_VOLATILE)
		qualifier |= CL_KERNEL_ARG_TYPE_VOLATILE;
	if (bits & ABI_TYPE_PIPE)
		qualifier |= CL_KERNEL_ARG_TYPE_PIPE;
	return qualifier;
}

cl_int ocl_kernel_argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
				const struct info_out *out)
{
	const struct abi_kernel *abi = ocl_kernel_abi(kernel);
	if (index >= abi->argument_count)
		return CL_INVALID_ARG_INDEX;
	const struct abi_argument *argument = &abi->arguments[index];
	/* SPIR-V modules may have names without types or types without names; PTX has neither. */
	if ((!argument->name && !argument->type_name) ||
	    (!argument->name && name == CL_KERNEL_ARG_NAME) ||
	    (!argument->type_name && name == CL_KERNEL_ARG_TYPE_NAME))
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	switch (name) {
#include "icd/program/kernel_argument_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int put_required_size(const struct abi_kernel *abi, const struct info_out *out)
{
	const size_t size[3] = {abi->required_local[0], abi->required_local[1],
				abi->required_local[2]};
	return info_put(out, size, sizeof(size));
}

/* Finds the device, which may be left out, and the kernel's code for it. */
static cl_int code_find(cl_kernel kernel, cl_device_id *device, const struct ocl_kernel_code **code)
{
	/* OpenCL 3.0 API, 5.9.4: device may be NULL when there is only one device. */
	if (!*device && kernel->program->device_count == 1)
		*device = kernel->program->devices[0];
	const int index = *device ? ocl_program_code_index(kernel->program, *device) : -1;
	/* The kernel was not built for this device. */
	if (index < 0 || !kernel->code[index].program_code)
		return CL_INVALID_DEVICE;
	/* That the device cannot load the code is not an error of the arguments. */
	cl_int error = ocl_kernel_code_for(kernel, *device, code);
	return error == CL_INVALID_PROGRAM_EXECUTABLE ? CL_OUT_OF_RESOURCES : error;
}

cl_int ocl_kernel_work_group_info(cl_kernel kernel, cl_device_id device,
				  cl_kernel_work_group_info name, const struct info_out *out)
{
	const struct ocl_kernel_code *code;
	cl_int error = code_find(kernel, &device, &code);
	if (error)
		return error;
	switch (name) {
#include "icd/program/kernel_work_group_info.def"
	default:
		/* Also for CL_KERNEL_GLOBAL_WORK_SIZE, which is only for custom devices and built-in kernels. */
		return CL_INVALID_VALUE;
	}
}

/* -- sub-groups -------------------------------------------------------------------------------- */

struct sub_group_query {
	const struct ocl_kernel_code *code;
	size_t size;                 /* work-items of a sub-group */
	const size_t *input;
	size_t input_B;
};

static size_t sub_groups_of(const struct sub_group_query *query, size_t work_items)
{
	return work_items / query->size + (work_items % query->size != 0);
}

/* OpenCL 3.0 API, 5.9.4: "the number of dimensions in the ND-range will be inferred from the
 * value specified for input_value_size." */
static cl_int local_size_read(const struct sub_group_query *query, size_t *work_items_out)
{
	size_t dimensions = query->input_B / sizeof(size_t), work_items = 1;
	if (!query->input || !dimensions || dimensions > 3 || query->input_B % sizeof(size_t))
		return CL_INVALID_VALUE;
	for (size_t d = 0; d < dimensions; d++)
		if (__builtin_mul_overflow(work_items, query->input[d], &work_items))
			work_items = SIZE_MAX;
	*work_items_out = work_items;
	return CL_SUCCESS;
}

static cl_int put_max_size(const struct sub_group_query *query, const struct info_out *out)
{
	size_t work_items;
	cl_int error = local_size_read(query, &work_items);
	return error ? error : INFO_PUT(out, size_t, query->size);
}

static cl_int put_count(const struct sub_group_query *query, const struct info_out *out)
{
	size_t work_items;
	cl_int error = local_size_read(query, &work_items);
	return error ? error : INFO_PUT(out, size_t, sub_groups_of(query, work_items));
}

/* "Any returned work-group will have one dimension.  Other dimensions inferred from the value
 * specified for param_value_size will be filled with the value 1.  ... If no work-group size can
 * accommodate the requested number of sub-groups, 0 will be returned in each element." */
static cl_int put_local_size(const struct sub_group_query *query, const struct info_out *out)
{
	size_t sizes[3] = {0, 0, 0}, dimensions = 1, work_items;
	const uint32_t *required = query->code->abi->required_local;
	if (!query->input || query->input_B != sizeof(size_t))
		return CL_INVALID_VALUE;
	if (out->value && out->size_B >= sizeof(size_t))
		dimensions = out->size_B < sizeof(sizes) ? out->size_B / sizeof(size_t) : 3;
	bool fits = *query->input &&
		    !__builtin_mul_overflow(*query->input, query->size, &work_items) &&
		    work_items <= query->code->caps.max_threads;
	if (fits && required[0])
		fits = work_items == required[0] && required[1] == 1 && required[2] == 1;
	if (fits) {
		sizes[0] = work_items;
		sizes[1] = sizes[2] = 1;
	}
	return info_put(out, sizes, dimensions * sizeof(size_t));
}

static size_t max_sub_groups(const struct sub_group_query *query)
{
	const uint32_t *required = query->code->abi->required_local;
	if (required[0])
		return sub_groups_of(query, (size_t)required[0] * required[1] * required[2]);
	return query->code->caps.max_threads / query->size;
}

/* cl_culvert_grid_barrier: the answer is 0 for a size that no launch of the kernel can have. */
static bool local_is_possible(const struct sub_group_query *query, size_t work_items)
{
	const uint32_t *required = query->code->abi->required_local;
	if (!work_items || work_items > query->code->caps.max_threads)
		return false;
	for (size_t d = 0; d < 3 && required[0]; d++)
		if ((d < query->input_B / sizeof(size_t) ? query->input[d] : 1) != required[d])
			return false;
	return true;
}

static cl_int put_resident(cl_kernel kernel, const struct _cl_device_id *device,
			   const struct sub_group_query *query, const struct info_out *out)
{
	size_t work_items;
	uint64_t groups = 0, dynamic_B;
	cl_int error = local_size_read(query, &work_items);
	if (error)
		return error;
	dynamic_B = ocl_kernel_dynamic_local_B(query->code->abi, kernel->arguments, NULL);
	if (local_is_possible(query, work_items) && dynamic_B <= UINT32_MAX)
		error = gpu_function_resident(query->code->function, (uint32_t)work_items,
					      (uint32_t)dynamic_B, &groups);
	groups *= device->caps->multiprocessors;
	return error ? error : INFO_PUT(out, size_t, groups);
}

cl_int ocl_kernel_sub_group_info(cl_kernel kernel, cl_device_id device,
				 cl_kernel_sub_group_info name, const void *input, size_t input_B,
				 const struct info_out *out)
{
	const struct ocl_kernel_code *code;
	cl_int error = code_find(kernel, &device, &code);
	if (error)
		return error;
	/* cl_intel_required_subgroup_size */
	const uint32_t required = code->abi->required_sub_group;
	const struct sub_group_query query = {code, required ? required : device->caps->warp, input, input_B};
	switch (name) {
#include "icd/program/kernel_sub_group_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
