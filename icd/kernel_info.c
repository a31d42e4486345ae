#include "config.h"

#include "icd/kernel_info.h"

#define INFO(param, type, ...)                                                                    \
	case param:                                                                               \
		return INFO_PUT(out, type, __VA_ARGS__);
#define INFO_STRING(param, ...)                                                                   \
	case param:                                                                               \
		return info_put_string(out, __VA_ARGS__);
#define INFO_CALL(param, ...)                                                                     \
	case param:                                                                               \
		return __VA_ARGS__;

cl_int ocl_kernel_info(cl_kernel kernel, cl_kernel_info name, const struct info_out *out)
{
	const struct abi_kernel *abi = ocl_kernel_abi(kernel);
	switch (name) {
#include "icd/kernel_info.def"
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
	if (!argument->name || !argument->type_name)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	switch (name) {
#include "icd/kernel_argument_info.def"
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

cl_int ocl_kernel_work_group_info(cl_kernel kernel, cl_device_id device,
				  cl_kernel_work_group_info name, const struct info_out *out)
{
	const struct ocl_kernel_code *code;
	/* OpenCL 3.0 API, 5.9.4: device may be NULL when there is only one. */
	if (!device && kernel->program->device_count == 1)
		device = kernel->program->devices[0];
	const int index = device ? ocl_program_device_index(kernel->program, device) : -1;
	/* A kernel that was not built for this device has no answers for it. */
	if (index < 0 || !kernel->code[index].build)
		return CL_INVALID_DEVICE;
	/* That the device cannot load what was built is no mistake of the caller's. */
	cl_int error = ocl_kernel_code_for(kernel, device, &code);
	if (error == CL_INVALID_PROGRAM_EXECUTABLE)
		return CL_OUT_OF_RESOURCES;
	if (error)
		return error;
	switch (name) {
#include "icd/kernel_work_group_info.def"
	default:
		/* CL_KERNEL_GLOBAL_WORK_SIZE too: only for custom devices and built-in
		 * kernels. */
		return CL_INVALID_VALUE;
	}
}
