/* Mapping, unmapping and migrating (OpenCL 3.0 API, 5.2.4, 5.5.2 to 5.5.4). */
#include "config.h"

#include "icd/api/enqueue.h"

#include <stdlib.h>

static void *map_return(cl_int error, void *pointer, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : pointer;
}

cl_int enqueue_check_map_flags(const struct _cl_mem *mem, cl_map_flags flags)
{
	const cl_map_flags known = CL_MAP_READ | OCL_MAP_WRITES;
	/* 5.2.4: CL_INVALID_VALUE for unknown flags, and for an invalidating map that
	 * also reads or writes. */
	if (flags & ~known)
		return CL_INVALID_VALUE;
	if (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE))
		return CL_INVALID_VALUE;
	cl_int error = CL_SUCCESS;
	if (flags & CL_MAP_READ)
		error = enqueue_check_host(mem, ENQUEUE_HOST_READS);
	if (!error && flags & OCL_MAP_WRITES)
		error = enqueue_check_host(mem, ENQUEUE_HOST_WRITES);
	return error;
}

static cl_int map_check(cl_command_queue queue, cl_mem mem, cl_map_flags flags, size_t offset_B,
			size_t size_B, cl_uint count, const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_mem(queue, mem);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	if (!error)
		error = enqueue_check_range(mem, offset_B, size_B);
	/* 5.2.4: CL_INVALID_VALUE for an empty region. */
	if (!error && !size_B)
		error = CL_INVALID_VALUE;
	return error ? error : enqueue_check_map_flags(mem, flags);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(
	cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map, cl_map_flags map_flags,
	size_t offset, size_t size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
	struct ocl_command command;
	struct ocl_map *map = NULL;
	void *pointer = NULL;
	cl_int error = map_check(command_queue, buffer, map_flags, offset, size,
				 num_events_in_wait_list, event_wait_list);
	if (!error)
		error = ocl_mem_map(buffer, map_flags, offset, size, &map);
	if (error)
		return map_return(error, NULL, errcode_ret);
	pointer = map->pointer;
	ocl_command_init(&command, &ocl_command_map, command_queue, CL_COMMAND_MAP_BUFFER, NULL);
	command.u.map = map;
	error = ocl_queue_enqueue(&command, blocking_map, num_events_in_wait_list,
				  event_wait_list, event);
	/* The map was put into the buffer's list of maps before its command was enqueued. */
	if (error)
		ocl_mem_map_undo(map);
	ocl_map_unref(map);
	return map_return(error, pointer, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(
	cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_any(command_queue, memobj);
	/* 5.5.2: CL_INVALID_MEM_OBJECT for "a pipe object". */
	if (!error && memobj->type == CL_MEM_OBJECT_PIPE)
		error = CL_INVALID_MEM_OBJECT;
	if (!error)
		error = enqueue_check_list(command_queue, num_events_in_wait_list,
					   event_wait_list);
	if (error)
		return error;
	/* 5.5.2: CL_INVALID_VALUE for a pointer that no map of memobj returned. */
	struct ocl_map *map = ocl_mem_unmap(memobj, mapped_ptr);
	if (!map)
		return CL_INVALID_VALUE;
	ocl_command_init(&command, memobj->image ? &ocl_command_image_unmap : &ocl_command_unmap,
			 command_queue, CL_COMMAND_UNMAP_MEM_OBJECT, accesses);
	command.u.map = map;
	if (memobj->image && map->flags & OCL_MAP_WRITES)
		ocl_command_touch(&command, memobj, 0, memobj->size_B, OCL_ACCESS_UPDATE);
	error = ocl_queue_enqueue(&command, false, num_events_in_wait_list, event_wait_list, event);
	if (error)
		ocl_mem_unmap_undo(map);
	else
		ocl_map_unref(map);
	return error;
}

static cl_int migrate_check(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems,
			    cl_mem_migration_flags flags, cl_uint count, const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	/* 5.5.4: CL_INVALID_VALUE without objects or for unknown flags. */
	if (!error && (!mem_count || !mems))
		error = CL_INVALID_VALUE;
	for (cl_uint i = 0; i < mem_count && !error; i++)
		error = enqueue_check_any(queue, mems[i]);
	if (!error && flags & ~(CL_MIGRATE_MEM_OBJECT_HOST |
				CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		error = CL_INVALID_VALUE;
	return error ? error : enqueue_check_list(queue, count, events);
}

/* Migration to the queue's device is an access, which copies what is elsewhere, and then a prefetch of memory that is
 * managed.  Migration to the host only does the latter: for other memory, a map allocates the host memory and copies
 * the bytes there. */
enum { MIGRATE_ACCESSES = 16 };

static cl_int migrate_accesses(struct ocl_command *command, cl_uint count, const cl_mem *mems,
			       cl_mem_migration_flags flags)
{
	const bool undefined = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
	const bool to_host = flags & CL_MIGRATE_MEM_OBJECT_HOST;
	command->u.to_host = to_host;
	if (count > MIGRATE_ACCESSES)
		command->accesses = malloc(count * sizeof(*command->accesses));
	if (!command->accesses)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		if (to_host && !mems[i]->storage->moves)
			continue;
		/* CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED does not make the contents of an immutable buffer
		 * undefined, nor the counters of a pipe, which are no part of its contents. */
		ocl_command_touch(command, mems[i], 0, mems[i]->size_B,
				  undefined && !ocl_mem_is_immutable(mems[i]) &&
						  mems[i]->type != CL_MEM_OBJECT_PIPE
					  ? OCL_ACCESS_WRITE : OCL_ACCESS_READ);
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(
	cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
	cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event)
{
	struct ocl_access own[MIGRATE_ACCESSES];
	struct ocl_command command;
	cl_int error = migrate_check(command_queue, num_mem_objects, mem_objects, flags,
				     num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_migrate, command_queue,
			 CL_COMMAND_MIGRATE_MEM_OBJECTS, own);
	error = migrate_accesses(&command, num_mem_objects, mem_objects, flags);
	if (!error)
		error = ocl_queue_enqueue(&command, false, num_events_in_wait_list,
					  event_wait_list, event);
	if (command.accesses != own)
		free(command.accesses);
	return error;
}
