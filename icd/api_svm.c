/* Shared virtual memory (OpenCL 3.0 API, 5.6). */
#include "config.h"

#include "icd/enqueue.h"
#include "icd/native.h"
#include "icd/svm.h"

#include <stdlib.h>
#include <string.h>

/* --- allocations ------------------------------------------------------------------------- */

/* 5.6.1, table 37: the access flags exclude each other; atomics are of fine grain. */
static bool flags_are_valid(cl_svm_mem_flags flags)
{
	const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
	const cl_svm_mem_flags one = flags & access;
	if (flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS))
		return false;
	return !(one & (one - 1)) &&
	       (!(flags & CL_MEM_SVM_ATOMICS) || flags & CL_MEM_SVM_FINE_GRAIN_BUFFER);
}

/* 5.6.1: NULL when one of the devices does not support what the flags ask for. */
static bool flags_are_supported(const struct _cl_context *context, cl_svm_mem_flags flags)
{
	cl_device_svm_capabilities needed = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	if (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)
		needed |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	if (flags & CL_MEM_SVM_ATOMICS)
		needed |= CL_DEVICE_SVM_ATOMICS;
	return (ocl_svm_common(context) & needed) == needed;
}

/* 5.6.1: NULL for 0 bytes, or more than one of the devices allows for an allocation. */
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
	/* 5.6.1: NULL when it is no power of two, or more than is supported. */
	if (alignment & (alignment - 1) || alignment > OCL_SVM_ALIGN_B)
		return NULL;
	return ocl_svm_alloc(context, flags, size);
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
	cl_int error = enqueue_check_queue(queue);
	if (!error && !ocl_svm_capabilities(queue->device->caps))
		error = CL_INVALID_OPERATION;
	return error ? error : enqueue_check_list(queue, count, events);
}

/* A range of an allocation, or memory of the host's: then mem is NULL. */
struct range {
	cl_mem mem;                      /* a reference */
	size_t offset_B, size_B;
	void *pointer;
};

/* CL_INVALID_VALUE when it begins in an allocation and ends outside. */
static cl_int range_find(cl_context context, const void *pointer, size_t size_B,
			 struct range *range)
{
	range->pointer = (void *)(uintptr_t)pointer;
	range->size_B = size_B;
	range->mem = ocl_svm_find(context, pointer, &range->offset_B);
	if (!range->mem || size_B <= range->mem->size_B - range->offset_B)
		return CL_SUCCESS;
	object_unref(range->mem);
	range->mem = NULL;
	return CL_INVALID_VALUE;
}

static void range_touch(struct ocl_command *command, const struct range *range,
			enum ocl_access_mode mode)
{
	ocl_command_touch(command, range->mem, range->offset_B, range->size_B, mode);
}

/* --- on the host ---------------------------------------------------------------------------
 *
 * Some commands are work of the host in its turn: native kernels (native.h) of ours. */

static cl_int host_enqueue(cl_command_queue queue, cl_command_type type, void (*run)(void *),
			   const void *arguments, size_t size_B, bool blocking, cl_uint count,
			   const cl_event *events, cl_event *event)
{
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_native, queue, type, NULL);
	cl_int error = ocl_native_create(run, arguments, size_B, 0, NULL, NULL,
					 &command.u.native);
	if (error)
		return error;
	error = ocl_queue_enqueue(&command, blocking, count, events, event);
	ocl_native_unref(command.u.native);
	return error;
}

struct host_copy {
	void *to;
	const void *from;
	size_t size_B;
};

static void CL_CALLBACK host_copy_run(void *arguments)
{
	const struct host_copy *copy = arguments;
	memcpy(copy->to, copy->from, copy->size_B);
}

struct host_fill {
	unsigned char *to;
	size_t size_B, pattern_B;
	unsigned char pattern[128];
};

static void CL_CALLBACK host_fill_run(void *arguments)
{
	const struct host_fill *fill = arguments;
	for (size_t at_B = 0; at_B < fill->size_B; at_B += fill->pattern_B)
		memcpy(fill->to + at_B, fill->pattern, fill->pattern_B);
}

/* --- clEnqueueSVMFree ------------------------------------------------------------------------ */

struct freeing {
	cl_command_queue queue;          /* the command holds it */
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
	error = host_enqueue(command_queue, CL_COMMAND_SVM_FREE, free_run, freeing,
			     sizeof(*freeing) + pointers_B, false, num_events_in_wait_list,
			     event_wait_list, event);
	free(freeing);
	return error;
}

/* --- clEnqueueSVMMemcpy ----------------------------------------------------------------------- */

/* The copy as a command on buffers; one side at least is an allocation. */
static void copy_describe(struct ocl_command *command, const struct range *to,
			  const struct range *from, bool blocking)
{
	struct ocl_transfer *transfer = &command->u.transfer;
	const struct range *host = !to->mem ? to : !from->mem ? from : NULL;
	transfer->own = false;
	transfer->blocking = blocking;
	transfer->size_B = to->size_B;
	transfer->pinned = !host || gpu_host_is_pinned(command->queue->device->gpu, host->pointer,
						       host->size_B);
	if (!to->mem)
		transfer->host.to = to->pointer;
	else
		transfer->host.from = from->pointer;
	command->kind = !to->mem ? &ocl_command_read
				 : !from->mem ? &ocl_command_write : &ocl_command_copy;
	if (from->mem)
		range_touch(command, from, OCL_ACCESS_READ);
	if (to->mem)
		range_touch(command, to, OCL_ACCESS_WRITE);
}

static cl_int copy_enqueue(cl_command_queue queue, const struct range *to,
			   const struct range *from, bool blocking, cl_uint count,
			   const cl_event *events, cl_event *event)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	if (!to->mem && !from->mem && to->size_B) {
		const struct host_copy copy = {to->pointer, from->pointer, to->size_B};
		return host_enqueue(queue, CL_COMMAND_SVM_MEMCPY, host_copy_run, &copy,
				    sizeof(copy), blocking, count, events, event);
	}
	ocl_command_init(&command, &ocl_command_marker, queue, CL_COMMAND_SVM_MEMCPY, accesses);
	if (to->size_B)
		copy_describe(&command, to, from, blocking);
	return ocl_queue_enqueue(&command, blocking, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
		   const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
		   const cl_event *event_wait_list, cl_event *event)
{
	struct range to = {0}, from = {0};
	const uintptr_t to_at = (uintptr_t)dst_ptr, from_at = (uintptr_t)src_ptr;
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	/* 5.6.2: CL_INVALID_VALUE without a pointer, CL_MEM_COPY_OVERLAP. */
	if (!error && (!dst_ptr || !src_ptr))
		error = CL_INVALID_VALUE;
	if (!error && (to_at > from_at ? to_at - from_at : from_at - to_at) < size)
		error = CL_MEM_COPY_OVERLAP;
	if (!error)
		error = range_find(command_queue->context, dst_ptr, size, &to);
	if (!error)
		error = range_find(command_queue->context, src_ptr, size, &from);
	if (!error)
		error = copy_enqueue(command_queue, &to, &from, blocking_copy,
				     num_events_in_wait_list, event_wait_list, event);
	object_unref(to.mem);
	object_unref(from.mem);
	return error;
}

/* --- clEnqueueSVMMemFill ---------------------------------------------------------------------- */

/* 5.6.2: CL_INVALID_VALUE without a pointer aligned to the pattern, a pattern, or a size of it
 * that is a power of two up to 128; or when the size is no multiple of that. */
static cl_int pattern_check(const void *pointer, const void *pattern, size_t pattern_B,
			    size_t size_B)
{
	if (!pattern || !pattern_B || pattern_B > 128 || pattern_B & (pattern_B - 1))
		return CL_INVALID_VALUE;
	return !pointer || (uintptr_t)pointer % pattern_B || size_B % pattern_B ? CL_INVALID_VALUE
									     : CL_SUCCESS;
}

static cl_int fill_enqueue(cl_command_queue queue, const struct range *range, const void *pattern,
			   size_t pattern_B, cl_uint count, const cl_event *events,
			   cl_event *event)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	if (!range->mem && range->size_B) {
		struct host_fill fill = {range->pointer, range->size_B, pattern_B, {0}};
		memcpy(fill.pattern, pattern, pattern_B);
		return host_enqueue(queue, CL_COMMAND_SVM_MEMFILL, host_fill_run, &fill,
				    sizeof(fill), false, count, events, event);
	}
	ocl_command_init(&command, &ocl_command_marker, queue, CL_COMMAND_SVM_MEMFILL, accesses);
	if (range->size_B) {
		command.kind = &ocl_command_fill;
		memcpy(command.u.fill.pattern, pattern, pattern_B);
		command.u.fill.pattern_B = (uint32_t)pattern_B;
		command.u.fill.size_B = range->size_B;
		range_touch(&command, range, OCL_ACCESS_WRITE);
	}
	return ocl_queue_enqueue(&command, false, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
		    size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
		    const cl_event *event_wait_list, cl_event *event)
{
	struct range range = {0};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	if (!error)
		error = pattern_check(svm_ptr, pattern, pattern_size, size);
	if (!error)
		error = range_find(command_queue->context, svm_ptr, size, &range);
	if (!error)
		error = fill_enqueue(command_queue, &range, pattern, pattern_size,
				     num_events_in_wait_list, event_wait_list, event);
	object_unref(range.mem);
	return error;
}

/* --- clEnqueueSVMMap, clEnqueueSVMUnmap --------------------------------------------------------- */

static cl_int map_enqueue(cl_command_queue queue, const struct range *range, cl_map_flags flags,
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
	struct range range = {0};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	/* 5.6.2: CL_INVALID_VALUE without a pointer or bytes, or for flags that are unknown or
	 * contradict each other. */
	if (!error && (!svm_ptr || !size || flags & ~known))
		error = CL_INVALID_VALUE;
	if (!error && flags & CL_MAP_WRITE_INVALIDATE_REGION &&
	    flags & (CL_MAP_READ | CL_MAP_WRITE))
		error = CL_INVALID_VALUE;
	if (!error)
		error = range_find(command_queue->context, svm_ptr, size, &range);
	if (!error)
		error = map_enqueue(command_queue, &range, flags, blocking_map,
				    num_events_in_wait_list, event_wait_list, event);
	object_unref(range.mem);
	return error;
}

/* The device gets the bytes back as with the next command that uses them: access without an
 * operation. */
CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
		  const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	struct range range = {0};
	cl_int error = queue_check(command_queue, num_events_in_wait_list, event_wait_list);
	if (!error && !svm_ptr)
		error = CL_INVALID_VALUE;
	if (!error)
		error = range_find(command_queue->context, svm_ptr, 0, &range);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_marker, command_queue, CL_COMMAND_SVM_UNMAP,
			 accesses);
	if (range.mem)
		range_touch(&command, &range, OCL_ACCESS_READ);
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

/* 5.6.2: size 0 is the whole allocation; CL_INVALID_VALUE for a range in none. */
static cl_int migrate_touch(struct ocl_command *command, const void *pointer, size_t size_B)
{
	struct range range;
	cl_int error = range_find(command->queue->context, pointer, size_B, &range);
	if (!error && !range.mem)
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	if (!size_B) {
		range.offset_B = 0;
		range.size_B = range.mem->size_B;
	}
	range_touch(command, &range, OCL_ACCESS_READ);
	return CL_SUCCESS;
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
		error = migrate_touch(&command, svm_pointers[i], sizes ? sizes[i] : 0);
	if (!error)
		error = ocl_queue_enqueue(&command, false, num_events_in_wait_list,
					  event_wait_list, event);
	for (uint32_t i = 0; i < command.access_count; i++)
		object_unref(accesses[i].mem);
	free(accesses);
	return error;
}
