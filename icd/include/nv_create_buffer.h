/* cl_nv_create_buffer, which Khronos' headers do not declare. */
#ifndef CULVERT_ICD_NV_CREATE_BUFFER_H
#define CULVERT_ICD_NV_CREATE_BUFFER_H

#include <CL/cl.h>

/* Bits of flags_nv. */
enum { OCL_MEM_LOCATION_HOST_NV = 1 << 0, OCL_MEM_PINNED_NV = 1 << 1 };

/* clCreateBufferNV: as clCreateBuffer; flags_nv says where the bytes are.  CL_INVALID_VALUE for other bits. */
cl_mem CL_API_CALL ocl_create_buffer_nv(cl_context context, cl_mem_flags flags,
					cl_bitfield flags_nv, size_t size, void *host_ptr,
					cl_int *errcode_ret);

#endif
