#include "config.h"

#include "icd/include/khr_external_memory.h"
#include "icd/memory/svm.h"
#include "icd/program/kernel_info.h"
#include "icd/program/program_kernels.h"

#include <CL/cl_ext.h>
#include <string.h>

static cl_kernel kernel_return(cl_int error, cl_kernel kernel, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : kernel;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *kernel_name,
						  cl_int *errcode_ret)
{
	cl_kernel kernel = NULL;
	cl_int error = object_check(program, &ocl_program_type);
	/* OpenCL 3.0 API, 5.9.1: CL_INVALID_VALUE if kernel_name is NULL. */
	if (!error && !kernel_name)
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_kernel_create(program, kernel_name, &kernel);
	return kernel_return(error, kernel, errcode_ret);
}

static cl_int kernels_create(cl_program program, const struct ocl_program_kernels *list,
			     cl_kernel *kernels)
{
	for (uint32_t i = 0; i < list->count; i++) {
		cl_int error = ocl_kernel_create(program, list->names[i], &kernels[i]);
		if (!error)
			continue;
		while (i--) {
			(void)ocl_kernel_release(kernels[i]);
			kernels[i] = NULL;
		}
		return error;
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num_kernels,
							 cl_kernel *kernels,
							 cl_uint *num_kernels_ret)
{
	struct ocl_program_kernels list;
	cl_int error = object_check(program, &ocl_program_type);
	if (!error)
		error = ocl_program_kernels_find(program, &list);
	if (error)
		return error;
	/* OpenCL 3.0 API, 5.9.1: CL_INVALID_VALUE for a list too short for all. */
	if (kernels)
		error = num_kernels < list.count ? CL_INVALID_VALUE
						 : kernels_create(program, &list, kernels);
	if (!error && num_kernels_ret)
		*num_kernels_ret = list.count;
	ocl_program_kernels_finish(&list);
	return error;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
	cl_kernel kernel = NULL;
	cl_int error = object_check(source_kernel, &ocl_kernel_type);
	if (!error)
		error = ocl_kernel_clone(source_kernel, &kernel);
	return kernel_return(error, kernel, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
	return object_retain(kernel, &ocl_kernel_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
	return ocl_kernel_release(kernel);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint arg_index,
					       size_t arg_size, const void *arg_value)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	return error ? error : ocl_kernel_set_argument(kernel, arg_index, arg_size, arg_value);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index,
							 const void *arg_value)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	/* OpenCL 3.0 API, 5.9.2: CL_INVALID_OPERATION when no device of the context
	 * supports SVM. */
	if (!error && !ocl_svm_any(kernel->program->context))
		error = CL_INVALID_OPERATION;
	return error ? error : ocl_kernel_set_pointer(kernel, arg_index, arg_value);
}

cl_int CL_API_CALL ocl_set_kernel_arg_device_pointer(cl_kernel kernel, cl_uint arg_index,
						     cl_mem_device_address_ext arg_value)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	return error ? error : ocl_kernel_set_address(kernel, arg_index, arg_value);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel,
						    cl_kernel_exec_info param_name,
						    size_t param_value_size,
						    const void *param_value)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	return error ? error : ocl_kernel_set_exec_info(kernel, param_name, param_value_size,
							param_value);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name,
						size_t param_value_size, void *param_value,
						size_t *param_value_size_ret)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_kernel_info(kernel, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index,
						   cl_kernel_arg_info param_name,
						   size_t param_value_size, void *param_value,
						   size_t *param_value_size_ret)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_kernel_argument_info(kernel, arg_index, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
							 cl_kernel_work_group_info param_name,
							 size_t param_value_size,
							 void *param_value,
							 size_t *param_value_size_ret)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_kernel_work_group_info(kernel, device, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
			size_t input_value_size, const void *input_value, size_t param_value_size,
			void *param_value, size_t *param_value_size_ret)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_kernel_sub_group_info(kernel, device, param_name, input_value,
					 input_value_size, &out);
}
