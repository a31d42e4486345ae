/* The clGetKernel*Info functions.  Thread-safe. */
#ifndef CULVERT_ICD_KERNEL_INFO_H
#define CULVERT_ICD_KERNEL_INFO_H

#include "icd/object/info.h"
#include "icd/program/kernel.h"

cl_int ocl_kernel_info(cl_kernel kernel, cl_kernel_info name, const struct info_out *out);
/* CL_INVALID_ARG_INDEX; CL_KERNEL_ARG_INFO_NOT_AVAILABLE where names were not kept. */
cl_int ocl_kernel_argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
				const struct info_out *out);
/* device NULL: the program's only device.  CL_INVALID_DEVICE. */
cl_int ocl_kernel_work_group_info(cl_kernel kernel, cl_device_id device,
				  cl_kernel_work_group_info name, const struct info_out *out);
/* input: the query's input_value, of input_B bytes, which is checked here. */
cl_int ocl_kernel_sub_group_info(cl_kernel kernel, cl_device_id device,
				 cl_kernel_sub_group_info name, const void *input, size_t input_B,
				 const struct info_out *out);

#endif
