/* Declares the functions of cl_culvert_cuda_interop, for which applications only have types.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_CUDA_INTEROP_H
#define CULVERT_ICD_CUDA_INTEROP_H

#include "icd/include/cl_culvert.h"

cl_int CL_API_CALL clGetCudaContextCULVERT(cl_context context, cl_device_id device,
					   void **cuda_context, int *cuda_device);
cl_int CL_API_CALL clGetCudaStreamCULVERT(cl_command_queue queue, void **cuda_stream);
cl_int CL_API_CALL clGetCudaEventCULVERT(cl_event event, void **cuda_event);
cl_int CL_API_CALL clGetCudaPointerCULVERT(cl_mem buffer, cl_device_id device,
					   cl_ulong *cuda_pointer);
cl_int CL_API_CALL clGetCudaModuleCULVERT(cl_program program, cl_device_id device,
					  void **cuda_module);
cl_int CL_API_CALL clGetCudaFunctionCULVERT(cl_kernel kernel, cl_device_id device,
					    void **cuda_function);
cl_mem CL_API_CALL clCreateBufferFromCudaPointerCULVERT(cl_context context, cl_device_id device,
							cl_mem_flags flags, size_t size,
							cl_ulong cuda_pointer,
							cl_int *errcode_ret);
cl_int CL_API_CALL clEnqueueCudaWorkCULVERT(cl_command_queue queue, cl_cuda_work_culvert work,
					    void *user_data, cl_uint num_buffers,
					    const cl_mem *buffers, const cl_mem_flags *uses,
					    cl_uint num_events_in_wait_list,
					    const cl_event *event_wait_list, cl_event *event);

#endif
