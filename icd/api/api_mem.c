#include "config.h"

#include "icd/include/nv_create_buffer.h"
#include "icd/memory/image.h"
#include "icd/memory/mem_flags.h"
#include "icd/memory/svm.h"
#include "icd/object/info_rows.h"
#include "icd/program/complaint.h"

#include <stdlib.h>

static cl_mem mem_return(cl_int error, cl_mem mem, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : mem;
}

static cl_int size_check(cl_context context, size_t size_B)
{
	/* OpenCL 3.0 API, 5.2.1: CL_INVALID_BUFFER_SIZE when it is 0, or more than
	 * every device of the context allows. */
	for (cl_uint i = 0; i < context->device_count; i++)
		if (size_B && size_B <= ocl_device_max_alloc_B(context->devices[i]))
			return CL_SUCCESS;
	ocl_complain_size(context, size_B);
	return CL_INVALID_BUFFER_SIZE;
}

static cl_int buffer_check(cl_context context, const cl_mem_properties *list, cl_mem_flags flags,
			   size_t size_B, const void *host_pointer,
			   struct ocl_mem_properties *properties)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = ocl_mem_properties_read(context, list, properties);
	/* cl_culvert_external_image: its properties are those of images. */
	if (!error && properties->has_layout)
		error = CL_INVALID_PROPERTY;
	if (!error)
		error = ocl_mem_flags_check(flags);
	if (!error)
		error = ocl_mem_flags_check_contents(flags, properties->is_external);
	if (!error && ocl_mem_properties_share(properties))
		error = ocl_mem_external_check(flags, host_pointer);
	if (!error)
		error = size_check(context, size_B);
	if (error)
		return error;
	/* 5.2.1: CL_INVALID_HOST_PTR unless host_ptr is given exactly when a flag needs it. */
	const bool needed = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	return needed == (host_pointer != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

static cl_mem buffer_create(cl_context context, const cl_mem_properties *list, cl_mem_flags flags,
			    size_t size_B, void *host_pointer, cl_int *errcode_ret)
{
	struct ocl_mem_properties properties;
	cl_mem mem = NULL;
	cl_int error = buffer_check(context, list, flags, size_B, host_pointer, &properties);
	flags = ocl_mem_flags_whole(flags);
	if (!error)
		error = ocl_mem_create(context, &properties, flags, size_B, host_pointer, &mem);
	if (!error)
		ocl_mem_external_taken(&properties);
	return mem_return(error, mem, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
					       void *host_ptr, cl_int *errcode_ret)
{
	return buffer_create(context, NULL, flags, size, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
			     cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
	return buffer_create(context, properties, flags, size, host_ptr, errcode_ret);
}

/* cl_intel_create_buffer_with_properties: as clCreateBufferWithProperties of OpenCL 3.0, but with CL_INVALID_VALUE
 * for an invalid property. */
CL_API_ENTRY cl_mem CL_API_CALL
clCreateBufferWithPropertiesINTEL(cl_context context, const cl_mem_properties *properties,
				  cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
	cl_int error;
	cl_mem mem = buffer_create(context, properties, flags, size, host_ptr, &error);
	return mem_return(error == CL_INVALID_PROPERTY ? CL_INVALID_VALUE : error, mem, errcode_ret);
}

/* cl_nv_create_buffer: flags_nv say where the buffer's bytes are.  Both flags get pinned memory of the host; with
 * CL_MEM_USE_HOST_PTR the application's memory is used as usual. */
cl_mem CL_API_CALL ocl_create_buffer_nv(cl_context context, cl_mem_flags flags,
					cl_bitfield flags_nv, size_t size, void *host_ptr,
					cl_int *errcode_ret)
{
	const cl_bitfield known = OCL_MEM_LOCATION_HOST_NV | OCL_MEM_PINNED_NV;
	struct ocl_mem_properties none;
	cl_mem mem = NULL;
	cl_int error = buffer_check(context, NULL, flags, size, host_ptr, &none);
	if (!error && flags_nv & ~known)
		error = CL_INVALID_VALUE;
	if (!error && (!flags_nv || flags & CL_MEM_USE_HOST_PTR))
		return buffer_create(context, NULL, flags, size, host_ptr, errcode_ret);
	/* Every device of the context has to be able to access pinned memory. */
	if (!error && !ocl_svm_common(context))
		error = CL_INVALID_OPERATION;
	flags = ocl_mem_flags_whole(flags);
	if (!error)
		error = ocl_mem_create_pinned(context, flags, size, host_ptr, &mem);
	return mem_return(error, mem, errcode_ret);
}

static cl_int region_check(const struct _cl_mem *parent, cl_buffer_create_type type,
			   const cl_buffer_region *region)
{
	/* 5.2.1: CL_INVALID_VALUE for another type, no region, or a region out of bounds. */
	if (type != CL_BUFFER_CREATE_TYPE_REGION || !region)
		return CL_INVALID_VALUE;
	if (region->origin > parent->size_B)
		return CL_INVALID_VALUE;
	/* 5.2.1: CL_INVALID_BUFFER_SIZE when the region is empty. */
	if (!region->size)
		return CL_INVALID_BUFFER_SIZE;
	if (region->size > parent->size_B - region->origin)
		return CL_INVALID_VALUE;
	/* 5.2.1: CL_MISALIGNED_SUB_BUFFER_OFFSET when no device allows the origin. */
	return region->origin % OCL_BUFFER_ALIGN_B ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
						  cl_buffer_create_type buffer_create_type,
						  const void *buffer_create_info,
						  cl_int *errcode_ret)
{
	cl_mem mem = NULL;
	cl_int error = object_check(buffer, &ocl_mem_type);
	/* OpenCL 3.0 API, 5.2.1: CL_INVALID_MEM_OBJECT for a sub-buffer, or a memory object that is not a buffer. */
	if (!error && (buffer->parent || !ocl_mem_is_buffer(buffer)))
		error = CL_INVALID_MEM_OBJECT;
	if (!error)
		error = ocl_mem_flags_inherit(buffer, &flags);
	if (!error)
		error = region_check(buffer, buffer_create_type, buffer_create_info);
	if (!error)
		error = ocl_mem_create_sub(buffer, flags, buffer_create_info, &mem);
	return mem_return(error, mem, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem memobj)
{
	return object_retain(memobj, &ocl_mem_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem memobj)
{
	return object_release(memobj, &ocl_mem_type);
}

/* cl_ext_buffer_device_address: CL_INVALID_OPERATION for a buffer that was not created with
 * CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT. */
static cl_int put_addresses(cl_mem mem, const struct info_out *out)
{
	const cl_uint count = mem->context->device_count;
	if (!mem->has_addresses)
		return CL_INVALID_OPERATION;
	cl_mem_device_address_ext *addresses = calloc(count, sizeof(*addresses));
	cl_int error = addresses ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < count && !error; i++) {
		gpu_address address;
		error = ocl_storage_place(mem->storage,
					  ocl_context_place(mem->context, mem->context->devices[i]),
					  &address, NULL);
		if (!error)
			addresses[i] = address + mem->origin_B;
	}
	if (!error)
		error = info_put(out, addresses, count * sizeof(*addresses));
	free(addresses);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info param_name,
						   size_t param_value_size, void *param_value,
						   size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(mem, &ocl_mem_type);
	if (error)
		return error;
	switch (param_name) {
#include "icd/memory/mem_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL
clSetMemObjectDestructorCallback(cl_mem memobj, void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
				 void *user_data)
{
	cl_int error = object_check(memobj, &ocl_mem_type);
	/* OpenCL 3.0 API, 5.5.1: CL_INVALID_VALUE without a callback. */
	if (!error && !pfn_notify)
		error = CL_INVALID_VALUE;
	return error ? error : ocl_mem_add_destructor(memobj, pfn_notify, user_data);
}
