/* cl_khr_unified_svm 0.9.0: memory of every type by one function, on the allocations of SVM and USM. */
#include "config.h"

#include "icd/include/khr_unified_svm.h"
#include "icd/memory/mem.h"
#include "icd/memory/svm.h"
#include "icd/object/info.h"
#include "icd/object/platform.h"
#include "icd/object/svm_types.h"

#include <string.h>

/* --- properties ---------------------------------------------------------------------------- */

static bool device_is_in(const struct _cl_context *context, cl_device_id device)
{
	return !ocl_device_check(device) && ocl_context_device_index(context, device) >= 0;
}

/* "Allocating SVM With Properties": the value of a property.  NULL, 0 and 0 are the defaults. */
static bool property_take(const struct _cl_context *context, cl_svm_alloc_properties_khr name,
			  cl_svm_alloc_properties_khr value, struct ocl_svm *svm)
{
	const cl_svm_alloc_access_flags_khr known =
		CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR |
		CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
	switch (name) {
	case CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR:
		svm->device = (cl_device_id)(uintptr_t)value;
		return !value || device_is_in(context, svm->device);
	case CL_SVM_ALLOC_ACCESS_FLAGS_KHR:
		svm->access = value;
		return !(value & ~known);
	case CL_SVM_ALLOC_ALIGNMENT_KHR:
		svm->align_B = (cl_uint)value;
		return !(value & (value - 1)) && value <= OCL_SVM_ALIGN_MAX_B;
	default:
		return false;
	}
}

/* CL_INVALID_PROPERTY for a property that is unknown, given twice or has a value that is not valid. */
static cl_int properties_take(const struct _cl_context *context, const cl_svm_alloc_properties_khr *properties,
			      struct ocl_svm *svm)
{
	unsigned count = 0;
	for (const cl_svm_alloc_properties_khr *p = properties; p && *p; p += 2) {
		for (unsigned i = 0; i < count; i += 2)
			if (svm->properties[i] == p[0])
				return CL_INVALID_PROPERTY;
		if (!property_take(context, p[0], p[1], svm))
			return CL_INVALID_PROPERTY;
		svm->properties[count++] = p[0];
		svm->properties[count++] = p[1];
	}
	if (properties)
		svm->properties[count++] = 0;
	svm->property_count = count;
	return CL_SUCCESS;
}

/* --- allocations ------------------------------------------------------------------------- */

/* The memory that is behind a type.  Memory of the system's type that is allocated here is shared USM: the type asks
 * for no more of it than the shared one. */
static void type_take(const struct _cl_context *context, cl_uint type, struct ocl_svm *svm)
{
	static const enum ocl_svm_kind kinds[OCL_SVM_TYPES] = {
		[OCL_SVM_TYPE_COARSE] = OCL_SVM_SVM, [OCL_SVM_TYPE_FINE] = OCL_SVM_SVM,
		[OCL_SVM_TYPE_DEVICE] = OCL_SVM_DEVICE, [OCL_SVM_TYPE_HOST] = OCL_SVM_HOST,
		[OCL_SVM_TYPE_SHARED] = OCL_SVM_SHARED, [OCL_SVM_TYPE_SYSTEM] = OCL_SVM_SHARED,
	};
	svm->type = type;
	svm->kind = kinds[type];
	if (type == OCL_SVM_TYPE_FINE)
		svm->flags = CL_MEM_SVM_FINE_GRAIN_BUFFER |
			     (ocl_svm_common(context) & CL_DEVICE_SVM_ATOMICS ? CL_MEM_SVM_ATOMICS : 0);
}

/* CL_INVALID_OPERATION when neither the associated device nor, without one, any device supports the type;
 * CL_INVALID_PROPERTY when the type needs an associated device and none is given, for which the text names no error. */
static cl_int type_check(const struct _cl_context *context, const struct ocl_svm *svm)
{
	const cl_svm_capabilities_khr can =
		svm->device ? ocl_svm_type_can(svm->device->caps, svm->type)
			    : ocl_svm_type_common(context->devices, context->device_count, svm->type);
	if (!can)
		return CL_INVALID_OPERATION;
	return svm->device || can & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

/* "the allocation may fail and return [...] an implementation-defined error code" when size exceeds what a device can
 * allocate. */
static cl_int size_check(const struct _cl_context *context, const struct ocl_svm *svm)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if ((!svm->device || svm->device == context->devices[i]) &&
		    svm->size_B > ocl_device_max_alloc_B(context->devices[i]))
			return CL_OUT_OF_RESOURCES;
	return CL_SUCCESS;
}

CL_API_ENTRY void * CL_API_CALL
clSVMAllocWithPropertiesKHR(cl_context context, const cl_svm_alloc_properties_khr *properties, cl_uint svm_type_index,
			    size_t size, cl_int *errcode_ret)
{
	struct ocl_svm svm = {.size_B = size};
	const cl_device_id *all = NULL;
	cl_uint all_count = 0;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = ocl_platform_devices(&all, &all_count);
	if (!error && svm_type_index >= ocl_svm_type_count(all, all_count, NULL))
		error = CL_INVALID_VALUE;
	if (!error)
		error = properties_take(context, properties, &svm);
	if (!error) {
		type_take(context, svm_type_index, &svm);
		error = type_check(context, &svm);
	}
	if (!error)
		error = size_check(context, &svm);
	/* "When size is zero, [it] must return a NULL pointer and must not generate an error." */
	if (!error && size)
		error = ocl_svm_alloc(context, &svm);
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : svm.pointer;
}

/* The text defines neither properties nor flags of frees. */
CL_API_ENTRY cl_int CL_API_CALL
clSVMFreeWithPropertiesKHR(cl_context context, const cl_svm_free_properties_khr *properties,
			   cl_svm_free_flags_khr flags, void *ptr)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (!error && properties && properties[0])
		error = CL_INVALID_PROPERTY;
	if (!error && flags)
		error = CL_INVALID_VALUE;
	if (error || !ptr)
		return error;
	cl_mem mem = ocl_svm_take(context, ptr, false);
	return mem ? object_release(mem, &ocl_mem_type) : CL_INVALID_VALUE;
}

/* --- queries -------------------------------------------------------------------------------- */

/* What the allocation can on device or, if that is NULL, on its device, or on all that support its type. */
static cl_svm_capabilities_khr capabilities_of(const struct _cl_context *context, cl_device_id device,
					       const struct ocl_svm *svm)
{
	if (!svm->pointer)
		return 0;
	if (!device)
		device = svm->device;
	return device ? ocl_svm_type_can(device->caps, svm->type)
		      : ocl_svm_type_common(context->devices, context->device_count, svm->type);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetSVMPointerInfoKHR(cl_context context, cl_device_id device, const void *ptr, cl_svm_pointer_info_khr param_name,
		       size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	struct ocl_svm svm;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error && device && !device_is_in(context, device))
		error = CL_INVALID_DEVICE;
	if (error)
		return error;
	/* A pointer into nothing that clSVMAlloc or clSVMAllocWithPropertiesKHR made has the defaults. */
	if (!ocl_svm_describe(context, ptr, &svm) || svm.usm)
		svm = (struct ocl_svm){.type = CL_UINT_MAX};
	switch (param_name) {
	case CL_SVM_INFO_TYPE_INDEX_KHR:
		return INFO_PUT(&out, cl_uint, svm.type);
	case CL_SVM_INFO_CAPABILITIES_KHR:
		return INFO_PUT(&out, cl_svm_capabilities_khr, capabilities_of(context, device, &svm));
	case CL_SVM_INFO_PROPERTIES_KHR:
		return info_put(&out, svm.properties, svm.property_count * sizeof(svm.properties[0]));
	case CL_SVM_INFO_ACCESS_FLAGS_KHR:
		return INFO_PUT(&out, cl_svm_alloc_access_flags_khr, svm.access);
	case CL_SVM_INFO_BASE_PTR_KHR:
		return INFO_PUT(&out, void *, svm.pointer);
	case CL_SVM_INFO_SIZE_KHR:
		return INFO_PUT(&out, size_t, svm.size_B);
	case CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR:
		return INFO_PUT(&out, cl_device_id, svm.device);
	default:
		return CL_INVALID_VALUE;
	}
}

static unsigned bits(cl_bitfield flags)
{
	unsigned count = 0;
	for (; flags; flags &= flags - 1)
		count++;
	return count;
}

/* What the type can on the associated device or, without one, on every device of the context. */
static cl_svm_capabilities_khr offered(const struct _cl_context *context, cl_device_id device, cl_uint type)
{
	cl_svm_capabilities_khr can = ~(cl_svm_capabilities_khr)0;
	if (device)
		return ocl_svm_type_can(device->caps, type);
	for (cl_uint i = 0; i < context->device_count; i++)
		can &= ocl_svm_type_can(context->devices[i]->caps, type);
	return can;
}

/* The type with the most of what is desired; the first of those that are equal. */
CL_API_ENTRY cl_int CL_API_CALL
clGetSVMSuggestedTypeIndexKHR(cl_context context, cl_svm_capabilities_khr required_capabilities,
			      cl_svm_capabilities_khr desired_capabilities,
			      const cl_svm_alloc_properties_khr *properties, size_t size,
			      cl_uint *suggested_svm_type_index)
{
	struct ocl_svm svm = {.size_B = size};
	unsigned most = 0;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = properties_take(context, properties, &svm);
	if (!error && !suggested_svm_type_index)
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	*suggested_svm_type_index = CL_UINT_MAX;
	/* No type has room for more than a device can allocate. */
	if (size_check(context, &svm))
		return CL_SUCCESS;
	for (cl_uint type = 0; type < OCL_SVM_TYPES; type++) {
		const cl_svm_capabilities_khr can = offered(context, svm.device, type);
		const unsigned good = 1 + bits(can & desired_capabilities);
		if (!can || (can & required_capabilities) != required_capabilities || good <= most)
			continue;
		most = good;
		*suggested_svm_type_index = type;
	}
	return CL_SUCCESS;
}
