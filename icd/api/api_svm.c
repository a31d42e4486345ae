/* Shared virtual memory (OpenCL 3.0 API, 5.6). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/memory/svm.h"
#include "icd/object/svm_types.h"
#include "icd/transfer/svm_command.h"

#include <stdlib.h>
#include <string.h>

/* --- allocations ------------------------------------------------------------------------- */

/* 5.6.1, table 37: the access flags exclude each other, and atomics need CL_MEM_SVM_FINE_GRAIN_BUFFER. */
static bool flags_are_valid(cl_svm_mem_flags flags)
{
	const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	const cl_svm_mem_flags one = flags & access;
	if (flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS))
		return false;
	return !(one & (one - 1)) &&
	       (!(flags & CL_MEM_SVM_ATOMICS) || flags & CL_MEM_SVM_FINE_GRAIN_BUFFER);
}

/* 5.6.1: NULL when a device of the context does not support the flags. */
static bool flags_are_supported(const struct _cl_context *context, cl_svm_mem_flags flags)
{
	cl_device_svm_capabilities needed = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	if (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)
		needed |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	if (flags & CL_MEM_SVM_ATOMICS)
		needed |= CL_DEVICE_SVM_ATOMICS;
	return (ocl_svm_common(context) & needed) == needed;
}

/* 5.6.1: NULL for 0 bytes, or more than a device of the context can allocate. */
static bool size_is_valid(const struct _cl_context *context, size_t size_B)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (size_B > ocl_device_max_alloc_B(context->devices[i]))
			return false;
	return size_B != 0;
}

CL_API_ENTRY void * CL_API_CALL
clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	if (object_check(context, &ocl_context_type) || !flags_are_valid(flags) ||
	    !flags_are_supported(context, flags) || !size_is_valid(context, size))
		return NULL;
	/* 5.6.1: NULL for an alignment that is not a power of two, or larger than supported. */
	if (alignment & (alignment - 1) || alignment > OCL_SVM_ALIGN_MAX_B)
		return NULL;
	struct ocl_svm svm = {
		.kind = OCL_SVM_SVM, .flags = flags, .size_B = size, .align_B = alignment,
		.type = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? OCL_SVM_TYPE_FINE : OCL_SVM_TYPE_COARSE,
	};
	return ocl_svm_alloc(context, &svm) ? NULL : svm.pointer;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *svm_pointer)
{
	if (!object_check(context, &ocl_context_type) && svm_pointer)
		ocl_svm_free(context, svm_pointer);
}

/* --- what every command checks ----------------------------------------------------------- */

/* 5.6.2: CL_INVALID_OPERATION when the queue's device does not support SVM. */
static cl_int queue_check(cl_command_queue queue, cl_uint count, const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error && !ocl_svm_capabilities(queue->device->caps))
		error = CL_INVALID_OPERATION;
	return error ? error : enqueue_check_list(queue, count, events);
}

/* --- clEnqueueSVMFree ------------------------------------------------------------------------ */

struct freeing {
	cl_command_queue queue;          /* without a reference: the command has one */
	void (CL_CALLBACK *callback)(cl_command_queue, cl_uint, void *[], void *);
	void *user_data;
	cl_uint count;
	void *pointers[];
};

static void CL_CALLBACK free_run(void *arguments)
{
	struct freeing *freeing = arguments;
	if (freeing->callback) {
		freeing->callback(freeing->queue, freeing->count, freeing->pointers,
				  freeing->user_data);
		return;
	}
	for (cl_uint i = 0; i < freeing->count; i++)
		ocl_svm_free(freeing->queue->context, freeing->pointers[i]);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
		 void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *),
		 void *user_data, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
		 cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_SVM_FREE, false, num_events_in_wait_list,
		event_wait_list, event,
	};
	const size_t pointers_B = num_svm_pointers * sizeof(void *);
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	/* 5.6.2: CL_INVALID_VALUE for a list without a number, or a number without a list. */
	if (!error && (num_svm_pointers != 0) != (svm_pointers != NULL))
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	struct freeing *freeing = malloc(sizeof(*freeing) + pointers_B);
	if (!freeing)
		return CL_OUT_OF_HOST_MEMORY;
	*freeing = (struct freeing){command_queue, pfn_free_func, user_data, num_svm_pointers};
	if (pointers_B)
		memcpy(freeing->pointers, svm_pointers, pointers_B);
	error = ocl_order_run(&order, free_run, freeing, sizeof(*freeing) + pointers_B);
	free(freeing);
	return error;
}

/* --- clEnqueueSVMMemcpy, clEnqueueSVMMemFill ---------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
		   const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
		   const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_SVM_MEMCPY, blocking_copy, num_events_in_wait_list,
		event_wait_list, event,
	};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	return error ? error : ocl_order_copy(&order, dst_ptr, src_ptr, size);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
		    size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
		    const cl_event *event_wait_list, cl_event *event)
{
	const struct ocl_order order = {
		command_queue, CL_COMMAND_SVM_MEMFILL, false, num_events_in_wait_list,
		event_wait_list, event,
	};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	return error ? error : ocl_order_fill(&order, svm_ptr, pattern, pattern_size, size);
}

/* --- clEnqueueSVMMap, clEnqueueSVMUnmap --------------------------------------------------------- */

/* cl_khr_unified_svm: CL_INVALID_VALUE for memory that cannot be mapped, which is a device's. */
static bool is_mappable(cl_context context, const void *pointer)
{
	struct ocl_svm svm;
	return !ocl_svm_describe(context, pointer, &svm) || svm.kind != OCL_SVM_DEVICE;
}

static cl_int map_enqueue(cl_command_queue queue, const struct ocl_range *range, cl_map_flags flags,
			  bool blocking, cl_uint count, const cl_event *events, cl_event *event)
{
	struct ocl_command command;
	struct ocl_map *map = NULL;
	cl_int error = CL_SUCCESS;
	ocl_command_init(&command, &ocl_command_marker, queue, CL_COMMAND_SVM_MAP, NULL);
	if (range->mem)
		error = ocl_map_create(range->mem, flags, range->offset_B, range->size_B, &map);
	if (map) {
		command.kind = &ocl_command_map;
		command.u.map = map;
	}
	if (!error)
		error = ocl_queue_enqueue(&command, blocking, count, events, event);
	ocl_map_unref(map);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
		void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
		const cl_event *event_wait_list, cl_event *event)
{
	const cl_map_flags known = CL_MAP_READ | OCL_MAP_WRITES;
	struct ocl_range range = {0};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	/* 5.6.2: CL_INVALID_VALUE for a NULL pointer or 0 bytes, or for flags that are unknown or exclude each
	 * other. */
	if (!error && (!svm_ptr || !size || flags & ~known))
		error = CL_INVALID_VALUE;
	if (!error && flags & CL_MAP_WRITE_INVALIDATE_REGION &&
	    flags & (CL_MAP_READ | CL_MAP_WRITE))
		error = CL_INVALID_VALUE;
	if (!error && !is_mappable(command_queue->context, svm_ptr))
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_range_find(command_queue->context, svm_ptr, size, &range);
	if (!error)
		error = map_enqueue(command_queue, &range, flags, blocking_map,
				    num_events_in_wait_list, event_wait_list, event);
	object_unref(range.mem);
	return error;
}

/* The command has no operation; its access brings the bytes back to the device, as the next command that uses them
 * would. */
CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
		  const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	struct ocl_range range = {0};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	if (!error && (!svm_ptr || !is_mappable(command_queue->context, svm_ptr)))
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_range_find(command_queue->context, svm_ptr, 0, &range);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_marker, command_queue, CL_COMMAND_SVM_UNMAP,
			 accesses);
	if (range.mem)
		ocl_range_touch(&command, &range, OCL_ACCESS_READ);
	error = ocl_queue_enqueue(&command, false, num_events_in_wait_list, event_wait_list, event);
	object_unref(range.mem);
	return error;
}

/* --- clEnqueueSVMMigrateMem ----------------------------------------------------------------------- */

static cl_int migrate_check(cl_command_queue queue, cl_uint pointer_count,
			    const void **pointers, cl_mem_migration_flags flags, cl_uint count,
			    const cl_event *events)
{
	cl_int error = queue_check(queue, count, events);
	/* 5.6.2: CL_INVALID_VALUE without pointers or for unknown flags. */
	if (!error && (!pointer_count || !pointers))
		error = CL_INVALID_VALUE;
	if (!error && flags & ~(CL_MIGRATE_MEM_OBJECT_HOST |
				CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		error = CL_INVALID_VALUE;
	return error;
}

/* cl_khr_unified_svm: NULL of size 0 is ignored.  Memory of the system stays where it is: the migration is a hint. */
static cl_int migrate_add(struct ocl_command *command, const void *pointer, size_t size_B)
{
	const cl_device_svm_capabilities can = ocl_svm_capabilities(command->queue->device->caps);
	struct ocl_svm svm;
	if (!pointer && !size_B)
		return CL_SUCCESS;
	if (pointer && can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM &&
	    !ocl_svm_describe(command->queue->context, pointer, &svm))
		return CL_SUCCESS;
	return ocl_migrate_touch(command, pointer, size_B);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
		       const void **svm_pointers, const size_t *sizes, cl_mem_migration_flags flags,
		       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
		       cl_event *event)
{
	struct ocl_command command;
	cl_int error = migrate_check(command_queue, num_svm_pointers, svm_pointers, flags,
				     num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	struct ocl_access *accesses = malloc(num_svm_pointers * sizeof(*accesses));
	if (!accesses)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_command_init(&command, &ocl_command_migrate, command_queue,
			 CL_COMMAND_SVM_MIGRATE_MEM, accesses);
	command.u.to_host = flags & CL_MIGRATE_MEM_OBJECT_HOST;
	for (cl_uint i = 0; i < num_svm_pointers && !error; i++)
		error = migrate_add(&command, svm_pointers[i], sizes ? sizes[i] : 0);
	if (!error)
		error = ocl_queue_enqueue(&command, false, num_events_in_wait_list,
					  event_wait_list, event);
	for (uint32_t i = 0; i < command.access_count; i++)
		object_unref(accesses[i].mem);
	free(accesses);
	return error;
}
