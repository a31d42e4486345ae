/* cl_khr_external_memory 1.0.1 and cl_ext_buffer_device_address 1.0.2, for OpenCL headers that lack them or have an
 * older version, and the function of cl_culvert_external_memory_export. */
#ifndef CULVERT_ICD_KHR_EXTERNAL_MEMORY_H
#define CULVERT_ICD_KHR_EXTERNAL_MEMORY_H

#include "icd/include/cl_culvert.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

#ifndef CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
typedef cl_ulong cl_mem_device_address_ext;
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
#endif

cl_int CL_API_CALL ocl_set_kernel_arg_device_pointer(cl_kernel kernel, cl_uint arg_index,
						     cl_mem_device_address_ext arg_value);
cl_int CL_API_CALL clGetMemObjectHandleForTypeCULVERT(cl_mem buffer, cl_device_id device,
						      cl_uint handle_type, size_t handle_size,
						      void *handle_ptr, size_t *handle_size_ret);

#endif
