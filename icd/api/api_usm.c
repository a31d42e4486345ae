/* cl_intel_unified_shared_memory: memory of the host, of a device, or shared. */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/include/cl_culvert.h"
#include "icd/memory/svm.h"
#include "icd/object/info.h"
#include "icd/object/platform.h"
#include "icd/program/kernel.h"
#include "icd/transfer/svm_command.h"

#include <CL/cl_ext.h>
#include <string.h>

/* --- allocations ------------------------------------------------------------------------- */

static const cl_bitfield placements =
	CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

/* CL_INVALID_PROPERTY for a property that is unknown or given twice, and for flags that are unknown, exclude each
 * other or do not apply to this kind of memory. */
static cl_int properties_take(const cl_mem_properties_intel *properties, struct ocl_svm *svm)
{
	bool given = false;
	for (; properties && properties[0]; properties += 2) {
		if (properties[0] != CL_MEM_ALLOC_FLAGS_INTEL || given)
			return CL_INVALID_PROPERTY;
		given = true;
		svm->flags = properties[1];
	}
	if (svm->flags & ~(placements | CL_MEM_ALLOC_WRITE_COMBINED_INTEL) ||
	    (svm->flags & placements) == placements)
		return CL_INVALID_PROPERTY;
	return svm->flags & placements && svm->kind != OCL_SVM_SHARED ? CL_INVALID_PROPERTY
								      : CL_SUCCESS;
}

static cl_device_info capability_of(enum ocl_svm_kind kind)
{
	return kind == OCL_SVM_HOST ? CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
	     : kind == OCL_SVM_DEVICE ? CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
				      : CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL;
}

/* Checks the allocation against its device or, without one, against all devices that support the kind:
 * CL_INVALID_OPERATION when none does, CL_INVALID_BUFFER_SIZE for 0 bytes or more than one of them can allocate. */
static cl_int size_check(const struct _cl_context *context, const struct ocl_svm *svm)
{
	cl_int error = CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < context->device_count; i++) {
		cl_device_id device = context->devices[i];
		if ((svm->device && device != svm->device) ||
		    !ocl_usm_capabilities(device->caps, capability_of(svm->kind)))
			continue;
		if (!svm->size_B || svm->size_B > ocl_device_max_alloc_B(device))
			return CL_INVALID_BUFFER_SIZE;
		error = CL_SUCCESS;
	}
	return error;
}

static cl_int device_check(const struct _cl_context *context, cl_device_id device)
{
	cl_int error = ocl_device_check(device);
	if (!error && ocl_context_device_index(context, device) < 0)
		error = CL_INVALID_DEVICE;
	return error;
}

static void *allocate(cl_context context, const cl_mem_properties_intel *properties,
		      cl_uint align, struct ocl_svm *svm, cl_int *errcode_ret)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (!error && (svm->device || svm->kind == OCL_SVM_DEVICE))
		error = device_check(context, svm->device);
	if (!error && (align & (align - 1) || align > OCL_SVM_ALIGN_MAX_B))
		error = CL_INVALID_VALUE;
	if (!error)
		error = properties_take(properties, svm);
	if (!error)
		error = size_check(context, svm);
	svm->align_B = align;
	if (!error)
		error = ocl_svm_alloc(context, svm);
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : svm->pointer;
}

CL_API_ENTRY void * CL_API_CALL
clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties, size_t size,
		    cl_uint alignment, cl_int *errcode_ret)
{
	struct ocl_svm svm = {.usm = true, .kind = OCL_SVM_HOST, .size_B = size};
	return allocate(context, properties, alignment, &svm, errcode_ret);
}

CL_API_ENTRY void * CL_API_CALL
clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
		      const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
		      cl_int *errcode_ret)
{
	struct ocl_svm svm = {.usm = true, .kind = OCL_SVM_DEVICE, .device = device,
			      .size_B = size};
	return allocate(context, properties, alignment, &svm, errcode_ret);
}

CL_API_ENTRY void * CL_API_CALL
clSharedMemAllocINTEL(cl_context context, cl_device_id device,
		      const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
		      cl_int *errcode_ret)
{
	struct ocl_svm svm = {.usm = true, .kind = OCL_SVM_SHARED, .device = device,
			      .size_B = size};
	return allocate(context, properties, alignment, &svm, errcode_ret);
}

/* CL_INVALID_VALUE for a pointer that is neither NULL nor the start of an allocation. */
static cl_int release(cl_context context, const void *pointer, bool waits)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (error || !pointer)
		return error;
	cl_mem mem = ocl_svm_take(context, pointer, true);
	if (!mem)
		return CL_INVALID_VALUE;
	if (waits)
		ocl_svm_wait(context, mem);
	return object_release(mem, &ocl_mem_type);
}

CL_API_ENTRY cl_int CL_API_CALL clMemFreeINTEL(cl_context context, void *ptr)
{
	return release(context, ptr, false);
}

CL_API_ENTRY cl_int CL_API_CALL clMemBlockingFreeINTEL(cl_context context, void *ptr)
{
	return release(context, ptr, true);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetMemAllocInfoINTEL(cl_context context, const void *ptr, cl_mem_info_intel param_name,
		       size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	static const cl_unified_shared_memory_type_intel types[] = {
		[OCL_SVM_SVM] = CL_MEM_TYPE_UNKNOWN_INTEL, [OCL_SVM_HOST] = CL_MEM_TYPE_HOST_INTEL,
		[OCL_SVM_DEVICE] = CL_MEM_TYPE_DEVICE_INTEL,
		[OCL_SVM_SHARED] = CL_MEM_TYPE_SHARED_INTEL,
	};
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	struct ocl_svm svm = {0};
	cl_int error = object_check(context, &ocl_context_type);
	if (error)
		return error;
	/* For a pointer into no USM allocation the answers are CL_MEM_TYPE_UNKNOWN_INTEL, 0 and NULL. */
	if (!ocl_svm_describe(context, ptr, &svm) || !svm.usm)
		memset(&svm, 0, sizeof(svm));
	switch (param_name) {
	case CL_MEM_ALLOC_TYPE_INTEL:
		return INFO_PUT(&out, cl_unified_shared_memory_type_intel, types[svm.kind]);
	case CL_MEM_ALLOC_BASE_PTR_INTEL:
		return INFO_PUT(&out, void *, svm.pointer);
	case CL_MEM_ALLOC_SIZE_INTEL:
		return INFO_PUT(&out, size_t, svm.size_B);
	case CL_MEM_ALLOC_DEVICE_INTEL:
		return INFO_PUT(&out, cl_device_id, svm.device);
	case CL_MEM_ALLOC_FLAGS_INTEL:
		return INFO_PUT(&out, cl_mem_alloc_flags_intel, svm.flags);
	default:
		return CL_INVALID_VALUE;
	}
}

/* --- commands ------------------------------------------------------------------------------ */

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index,
							      const void *arg_value)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	return error ? error : ocl_kernel_set_pointer(kernel, arg_index, arg_value);
}

static cl_int order_check(const struct ocl_order *order)
{
	cl_int error = object_check(order->queue, &ocl_queue_type);
	return error ? error : enqueue_check_list(order->queue, order->count, order->events);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemFillINTEL(cl_command_queue command_queue, void *dst_ptr, const void *pattern,
		      size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
		      const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_MEMFILL_INTEL, false, num_events_in_wait_list,
		event_wait_list, event,
	};
	cl_int error = order_check(&order);
	return error ? error : ocl_order_fill(&order, dst_ptr, pattern, pattern_size, size);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr,
		     const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
		     const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_MEMCPY_INTEL, blocking, num_events_in_wait_list,
		event_wait_list, event,
	};
	cl_int error = order_check(&order);
	return error ? error : ocl_order_copy(&order, dst_ptr, src_ptr, size);
}

/* The extension defines no advice: 0 is valid everywhere, and here the values of cl_culvert.h. */
static bool advice_find(cl_mem_advice_intel advice, enum gpu_advice *advice_out)
{
	static const struct {
		cl_mem_advice_intel name;
		enum gpu_advice advice;
	} rows[] = {
		{0, GPU_ADVICE_DEFAULT},
		{CL_MEM_ADVICE_SET_READ_MOSTLY_CULVERT, GPU_ADVICE_SET_READ_MOSTLY},
		{CL_MEM_ADVICE_CLEAR_READ_MOSTLY_CULVERT, GPU_ADVICE_UNSET_READ_MOSTLY},
		{CL_MEM_ADVICE_SET_PREFERRED_DEVICE_CULVERT, GPU_ADVICE_PREFER_DEVICE},
		{CL_MEM_ADVICE_SET_PREFERRED_HOST_CULVERT, GPU_ADVICE_PREFER_HOST},
		{CL_MEM_ADVICE_CLEAR_PREFERRED_LOCATION_CULVERT, GPU_ADVICE_PREFER_NONE},
		{CL_MEM_ADVICE_SET_ACCESSED_BY_DEVICE_CULVERT, GPU_ADVICE_SET_ACCESSED_BY_DEVICE},
		{CL_MEM_ADVICE_CLEAR_ACCESSED_BY_DEVICE_CULVERT, GPU_ADVICE_UNSET_ACCESSED_BY_DEVICE},
		{CL_MEM_ADVICE_SET_ACCESSED_BY_HOST_CULVERT, GPU_ADVICE_SET_ACCESSED_BY_HOST},
		{CL_MEM_ADVICE_CLEAR_ACCESSED_BY_HOST_CULVERT, GPU_ADVICE_UNSET_ACCESSED_BY_HOST},
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].name == advice) {
			*advice_out = rows[i].advice;
			return true;
		}
	return false;
}

/* Memory that is not in an allocation is left as it is, as the migration leaves it. */
static cl_int enqueue_for_range(const struct ocl_order *order, struct ocl_command *command, const void *ptr,
				size_t size)
{
	if (!size || ocl_migrate_touch(command, ptr, size))
		command->kind = &ocl_command_marker;
	cl_int error = ocl_order_enqueue(order, command);
	if (command->access_count)
		object_unref(command->accesses[0].mem);
	return error;
}

/* A hint: memory that is not shared USM stays where it is. */
CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
			 cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
			 const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_MIGRATEMEM_INTEL, false, num_events_in_wait_list,
		event_wait_list, event,
	};
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = order_check(&order);
	if (!error && flags & ~(CL_MIGRATE_MEM_OBJECT_HOST |
				CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_migrate, command_queue, order.type, accesses);
	command.u.to_host = flags & CL_MIGRATE_MEM_OBJECT_HOST;
	return enqueue_for_range(&order, &command, ptr, size);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
			cl_mem_advice_intel advice, cl_uint num_events_in_wait_list,
			const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_MEMADVISE_INTEL, false, num_events_in_wait_list,
		event_wait_list, event,
	};
	enum gpu_advice known = GPU_ADVICE_DEFAULT;
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = order_check(&order);
	if (!error && !advice_find(advice, &known))
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_advise, command_queue, order.type, accesses);
	command.u.advice = known;
	return enqueue_for_range(&order, &command, ptr, size);
}
