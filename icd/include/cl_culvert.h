/* Culvert's own extensions of OpenCL, which docs/cl_culvert_*.md specify.  The functions are found with
 * clGetExtensionFunctionAddressForPlatform; their names and types are below.
 *
 * CUDA's handles are passed as pointers and its addresses as cl_ulong, so that this header does not need CUDA's. */
#ifndef CL_CULVERT_H
#define CL_CULVERT_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- cl_culvert_grid_barrier -------------------------------------------------------------- */

#define CL_CULVERT_GRID_BARRIER_EXTENSION_NAME "cl_culvert_grid_barrier"

/* For clGetKernelSubGroupInfo: takes a work-group size as size_t[], and returns as size_t how many work-groups of
 * that size the device runs concurrently.  Khronos' registry has not assigned the number. */
#define CL_KERNEL_MAX_RESIDENT_WORK_GROUPS_CULVERT 0x43550001

/* --- cl_culvert_matrix --------------------------------------------------------------------- */

#define CL_CULVERT_MATRIX_EXTENSION_NAME "cl_culvert_matrix"

/* The types of elements. */
#define CL_MATRIX_HALF_CULVERT 1
#define CL_MATRIX_BFLOAT16_CULVERT 2
#define CL_MATRIX_TF32_CULVERT 3
#define CL_MATRIX_FLOAT_CULVERT 4
#define CL_MATRIX_DOUBLE_CULVERT 5
#define CL_MATRIX_CHAR_CULVERT 6
#define CL_MATRIX_UCHAR_CULVERT 7
#define CL_MATRIX_INT_CULVERT 8

/* A product that culvert_matrix_muladd computes: of m rows and k columns by k rows and n columns. */
typedef struct _cl_matrix_shape_culvert {
	cl_uint m, n, k;
	cl_uint a_type, b_type, c_type;
} cl_matrix_shape_culvert;

/* For clGetDeviceInfo: returns as cl_matrix_shape_culvert[] the products that the device supports. */
#define CL_DEVICE_MATRIX_SHAPES_CULVERT 0x43550020

/* --- cl_culvert_cuda_interop -------------------------------------------------------------- */

#define cl_culvert_cuda_interop 1
#define CL_CULVERT_CUDA_INTEROP_EXTENSION_NAME "cl_culvert_cuda_interop"

/* Returns the CUcontext of device and its CUdevice; either pointer may be NULL. */
typedef cl_int(CL_API_CALL *clGetCudaContextCULVERT_fn)(cl_context context, cl_device_id device,
							 void **cuda_context, int *cuda_device);
/* Returns the CUstream of an in-order queue. */
typedef cl_int(CL_API_CALL *clGetCudaStreamCULVERT_fn)(cl_command_queue queue,
							void **cuda_stream);
/* Returns the CUevent of a command that has been submitted. */
typedef cl_int(CL_API_CALL *clGetCudaEventCULVERT_fn)(cl_event event, void **cuda_event);
/* Returns the CUdeviceptr of a buffer on device. */
typedef cl_int(CL_API_CALL *clGetCudaPointerCULVERT_fn)(cl_mem buffer, cl_device_id device,
							 cl_ulong *cuda_pointer);
/* Returns the CUmodule of an executable program on device. */
typedef cl_int(CL_API_CALL *clGetCudaModuleCULVERT_fn)(cl_program program, cl_device_id device,
							void **cuda_module);
/* Returns the CUfunction of a kernel on device; docs/kernel-abi.md describes its parameters. */
typedef cl_int(CL_API_CALL *clGetCudaFunctionCULVERT_fn)(cl_kernel kernel, cl_device_id device,
							  void **cuda_function);
/* Creates a buffer whose memory on device is the size bytes that begin at cuda_pointer. */
typedef cl_mem(CL_API_CALL *clCreateBufferFromCudaPointerCULVERT_fn)(
	cl_context context, cl_device_id device, cl_mem_flags flags, size_t size,
	cl_ulong cuda_pointer, cl_int *errcode_ret);

/* A function that enqueues CUDA work in cuda_stream. cuda_pointers: the CUdeviceptr of each buffer, in their order. */
typedef void(CL_CALLBACK *cl_cuda_work_culvert)(void *cuda_stream, const cl_ulong *cuda_pointers,
						void *user_data);
/* Enqueues a command whose operation is the CUDA work that the function enqueues. uses: for each buffer
 * CL_MEM_READ_ONLY (the work reads it) or CL_MEM_READ_WRITE; NULL: the work may read and write all buffers. */
typedef cl_int(CL_API_CALL *clEnqueueCudaWorkCULVERT_fn)(
	cl_command_queue queue, cl_cuda_work_culvert work, void *user_data, cl_uint num_buffers,
	const cl_mem *buffers, const cl_mem_flags *uses, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event);

/* --- advice ------------------------------------------------------------------------------ */

/* Values for clEnqueueMemAdviseINTEL, for which cl_intel_unified_shared_memory defines none but 0, which withdraws all
 * advice about the range.  "Device" is that of the queue.  Platforms that do not know them return CL_INVALID_VALUE. */
#define CL_MEM_ADVICE_SET_READ_MOSTLY_CULVERT 0x43550030
#define CL_MEM_ADVICE_CLEAR_READ_MOSTLY_CULVERT 0x43550031
#define CL_MEM_ADVICE_SET_PREFERRED_DEVICE_CULVERT 0x43550032
#define CL_MEM_ADVICE_SET_PREFERRED_HOST_CULVERT 0x43550033
#define CL_MEM_ADVICE_CLEAR_PREFERRED_LOCATION_CULVERT 0x43550034
#define CL_MEM_ADVICE_SET_ACCESSED_BY_DEVICE_CULVERT 0x43550035
#define CL_MEM_ADVICE_CLEAR_ACCESSED_BY_DEVICE_CULVERT 0x43550036
#define CL_MEM_ADVICE_SET_ACCESSED_BY_HOST_CULVERT 0x43550037
#define CL_MEM_ADVICE_CLEAR_ACCESSED_BY_HOST_CULVERT 0x43550038

/* --- cl_culvert_external_memory_export ----------------------------------------------------- */

#define cl_culvert_external_memory_export 1
#define CL_CULVERT_EXTERNAL_MEMORY_EXPORT_EXTENSION_NAME "cl_culvert_external_memory_export"

/* For clCreateBufferWithProperties: followed by the type of handle as which the buffer can be exported, and
 * CL_MEM_EXPORT_HANDLE_TYPES_LIST_END_CULVERT. */
#define CL_MEM_EXPORT_HANDLE_TYPES_CULVERT 0x43550010
#define CL_MEM_EXPORT_HANDLE_TYPES_LIST_END_CULVERT 0
/* A type of external memory handle: CUDA's CUipcMemHandle, of CL_CUDA_IPC_HANDLE_SIZE_CULVERT bytes.  As a property
 * its value is the address of such a handle, which is read during the call. */
#define CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT 0x43550011
#define CL_CUDA_IPC_HANDLE_SIZE_CULVERT 64
/* For clGetDeviceInfo: returns as cl_uint[] the types of handles as which buffers can be exported. */
#define CL_DEVICE_EXTERNAL_MEMORY_EXPORT_HANDLE_TYPES_CULVERT 0x43550012

/* Returns a handle of a buffer's memory on device, which the caller owns: an int for
 * CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR and _DMA_BUF_KHR, otherwise the bytes of a CUipcMemHandle. handle_type: a
 * cl_external_memory_handle_type_khr. */
typedef cl_int(CL_API_CALL *clGetMemObjectHandleForTypeCULVERT_fn)(
	cl_mem buffer, cl_device_id device, cl_uint handle_type, size_t handle_size,
	void *handle_ptr, size_t *handle_size_ret);

/* --- cl_culvert_external_image ------------------------------------------------------------- */

#define cl_culvert_external_image 1
#define CL_CULVERT_EXTERNAL_IMAGE_EXTENSION_NAME "cl_culvert_external_image"

/* For clCreateImageWithProperties, beside CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR: how the other API has laid out the
 * texels.  LINEAR (VK_IMAGE_TILING_LINEAR) is the default. */
#define CL_EXTERNAL_IMAGE_TILING_CULVERT 0x43550040
#define CL_EXTERNAL_IMAGE_TILING_LINEAR_CULVERT 0
#define CL_EXTERNAL_IMAGE_TILING_OPTIMAL_CULVERT 1
/* Of an image with OPTIMAL tiling: the size of the allocation in bytes, which is required; where the image begins in
 * it, by default 0; and as CL_TRUE or CL_FALSE, the default, whether the allocation was made for this image alone
 * (VkMemoryDedicatedAllocateInfo), and whether the image can be a color attachment. */
#define CL_EXTERNAL_IMAGE_ALLOCATION_SIZE_CULVERT 0x43550041
#define CL_EXTERNAL_IMAGE_OFFSET_CULVERT 0x43550042
#define CL_EXTERNAL_IMAGE_DEDICATED_CULVERT 0x43550043
#define CL_EXTERNAL_IMAGE_COLOR_ATTACHMENT_CULVERT 0x43550044

#ifdef __cplusplus
}
#endif

#endif
