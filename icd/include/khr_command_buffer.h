/* cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_multi_device 0.9.2 and cl_khr_command_buffer_mutable_dispatch
 * 0.9.5, for OpenCL headers that lack them or have an older version.
 *
 * In older headers the functions that record commands have other parameters; therefore they have other names here.
 * Applications find them by the names of the extension. */
#ifndef CULVERT_ICD_KHR_COMMAND_BUFFER_H
#define CULVERT_ICD_KHR_COMMAND_BUFFER_H

#include <CL/cl.h>
#include <CL/cl_ext.h>

typedef cl_properties cl_command_properties_khr;

#ifndef CL_INVALID_COMMAND_BUFFER_KHR
#define CL_INVALID_COMMAND_BUFFER_KHR -1138
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140
#endif
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif
#ifndef CL_COMMAND_BUFFER_MUTABLE_KHR
#define CL_COMMAND_BUFFER_MUTABLE_KHR (1 << 1)
#endif
#ifndef CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
#define CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR (1 << 0)
#endif
#ifndef CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR
#define CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR (1 << 2)
#endif

#ifndef CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR
#define CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR 0x0908
#define CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR (1 << 0)
#define CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR (1 << 1)
#define CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR (1 << 2)
#define CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR 0x12AB
#define CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR 0x12AC
#define CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR (1 << 4)
#endif

#ifndef CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
#define CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR (1 << 2)
#endif

#ifndef CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR
#define CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR 0x12A0
#define CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR 0x12A1
#define CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR 0x12AD
#define CL_MUTABLE_DISPATCH_KERNEL_KHR 0x12A3
#define CL_MUTABLE_DISPATCH_DIMENSIONS_KHR 0x12A4
#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR 0x12A5
#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR 0x12A6
#define CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR 0x12A7
#endif

#ifndef CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 0x12A2
#endif

/* Names of mutable_dispatch that older headers define with other values or members have a prefix of our own. */
#define OCL_COMMAND_BUFFER_STATE_FINALIZED 2
#define OCL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS 0x12B7
#define OCL_MUTABLE_DISPATCH_ASSERTS 0x12B8
#define OCL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS (1 << 0)
#define OCL_MUTABLE_DISPATCH_UPDATABLE_FIELDS 0x12B1
#define OCL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES 0x12B0
#define OCL_MUTABLE_GLOBAL_OFFSET (1 << 0)
#define OCL_MUTABLE_GLOBAL_SIZE (1 << 1)
#define OCL_MUTABLE_LOCAL_SIZE (1 << 2)
#define OCL_MUTABLE_ARGUMENTS (1 << 3)
#define OCL_MUTABLE_EXEC_INFO (1 << 4)
/* The fields of a launch that can be changed. */
#define OCL_MUTABLE_ALL \
	(OCL_MUTABLE_GLOBAL_OFFSET | OCL_MUTABLE_GLOBAL_SIZE | OCL_MUTABLE_LOCAL_SIZE | \
	 OCL_MUTABLE_ARGUMENTS | OCL_MUTABLE_EXEC_INFO)
#define OCL_INVALID_MUTABLE_COMMAND -1141
#define OCL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG 0

struct ocl_mutable_argument {            /* cl_mutable_dispatch_arg_khr */
	cl_uint index;
	size_t size_B;
	const void *value;
};

struct ocl_mutable_exec_info {           /* cl_mutable_dispatch_exec_info_khr */
	cl_uint name;
	size_t size_B;
	const void *value;
};

struct ocl_mutable_config {              /* cl_mutable_dispatch_config_khr */
	cl_mutable_command_khr command;
	cl_uint argument_count, svm_argument_count, exec_info_count;
	cl_uint work_dim;
	const struct ocl_mutable_argument *arguments, *svm_arguments;
	const struct ocl_mutable_exec_info *exec_infos;
	const size_t *global_offset, *global_size, *local_size;
};

cl_int CL_API_CALL ocl_update_mutable_commands(cl_command_buffer_khr command_buffer,
					       cl_uint num_configs, const cl_uint *config_types,
					       const void **configs);
cl_int CL_API_CALL ocl_mutable_command_info(cl_mutable_command_khr command, cl_uint param_name,
					    size_t param_value_size, void *param_value,
					    size_t *param_value_size_ret);

cl_command_buffer_khr CL_API_CALL ocl_remap_command_buffer(
	cl_command_buffer_khr command_buffer, cl_bool automatic, cl_uint num_queues, const cl_command_queue *queues,
	cl_uint num_handles, const cl_mutable_command_khr *handles, cl_mutable_command_khr *handles_ret,
	cl_int *errcode_ret);

/* The first and the last parameters of all functions that record commands. */
#define OCL_RECORD_FIRST                                                                          \
	cl_command_buffer_khr command_buffer, cl_command_queue command_queue,                     \
		const cl_command_properties_khr *properties
#define OCL_RECORD_LAST                                                                           \
	cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,      \
		cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle

cl_int CL_API_CALL ocl_record_barrier(OCL_RECORD_FIRST, OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_copy_buffer(OCL_RECORD_FIRST, cl_mem src_buffer, cl_mem dst_buffer,
					  size_t src_offset, size_t dst_offset, size_t size,
					  OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_copy_buffer_rect(OCL_RECORD_FIRST, cl_mem src_buffer,
					       cl_mem dst_buffer, const size_t *src_origin,
					       const size_t *dst_origin, const size_t *region,
					       size_t src_row_pitch, size_t src_slice_pitch,
					       size_t dst_row_pitch, size_t dst_slice_pitch,
					       OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_fill_buffer(OCL_RECORD_FIRST, cl_mem buffer, const void *pattern,
					  size_t pattern_size, size_t offset, size_t size,
					  OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_launch(OCL_RECORD_FIRST, cl_kernel kernel, cl_uint work_dim,
				     const size_t *global_work_offset,
				     const size_t *global_work_size, const size_t *local_work_size,
				     OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_copy_buffer_to_image(OCL_RECORD_FIRST, cl_mem src_buffer,
						   cl_mem dst_image, size_t src_offset,
						   const size_t *dst_origin, const size_t *region,
						   OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_copy_image(OCL_RECORD_FIRST, cl_mem src_image, cl_mem dst_image,
					 const size_t *src_origin, const size_t *dst_origin,
					 const size_t *region, OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_copy_image_to_buffer(OCL_RECORD_FIRST, cl_mem src_image,
						   cl_mem dst_buffer, const size_t *src_origin,
						   const size_t *region, size_t dst_offset,
						   OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_fill_image(OCL_RECORD_FIRST, cl_mem image, const void *fill_color,
					 const size_t *origin, const size_t *region,
					 OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_svm_copy(OCL_RECORD_FIRST, void *dst_ptr, const void *src_ptr,
				       size_t size, OCL_RECORD_LAST);
cl_int CL_API_CALL ocl_record_svm_fill(OCL_RECORD_FIRST, void *svm_ptr, const void *pattern,
				       size_t pattern_size, size_t size, OCL_RECORD_LAST);

#endif
