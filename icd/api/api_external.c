/* Memory of other APIs between them and us (cl_khr_external_memory). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/include/khr_external_memory.h"

#include <stdlib.h>

enum { OWN_ACCESSES = 16 };

static cl_int mems_check(cl_command_queue queue, cl_uint count, const cl_mem *mems)
{
	/* CL_INVALID_VALUE for a number without a list, or a list without a number. */
	if (!count != !mems)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++) {
		cl_int error = object_check(mems[i], &ocl_mem_type);
		if (!error && !mems[i]->external_device)
			error = CL_INVALID_MEM_OBJECT;
		/* CL_INVALID_COMMAND_QUEUE for another context, or another device than the
		 * memory was imported for. */
		if (!error && (mems[i]->context != queue->context ||
			       mems[i]->external_device != queue->device))
			error = CL_INVALID_COMMAND_QUEUE;
		if (error)
			return error;
	}
	return CL_SUCCESS;
}

static cl_int command_check(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems,
			    cl_uint count, const cl_event *events)
{
	cl_int error = enqueue_check_queue(queue);
	if (!error)
		error = mems_check(queue, mem_count, mems);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	for (cl_uint i = 0; i < count && !error; i++)
		if (ocl_event_status(events[i]) < 0)
			error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return error;
}

/* The bytes are the device's own in either direction: to acquire is to take what is there for
 * written, to release is to have the newest bytes there. */
static cl_int enqueue(cl_command_queue queue, cl_command_type type, enum ocl_access_mode mode,
		      cl_uint mem_count, const cl_mem *mems, cl_uint count,
		      const cl_event *events, cl_event *event)
{
	struct ocl_access own[OWN_ACCESSES], *accesses = own;
	struct ocl_command command;
	cl_int error = command_check(queue, mem_count, mems, count, events);
	if (error)
		return error;
	if (mem_count > OWN_ACCESSES)
		accesses = malloc(mem_count * sizeof(*accesses));
	if (!accesses)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_command_init(&command, &ocl_command_marker, queue, type, accesses);
	for (cl_uint i = 0; i < mem_count; i++)
		ocl_command_touch(&command, mems[i], 0, mems[i]->size_B, mode);
	error = ocl_queue_enqueue(&command, false, count, events, event);
	if (accesses != own)
		free(accesses);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireExternalMemObjectsKHR(
	cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	return enqueue(command_queue, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
		       OCL_ACCESS_WRITE, num_mem_objects, mem_objects, num_events_in_wait_list,
		       event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseExternalMemObjectsKHR(
	cl_command_queue command_queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	return enqueue(command_queue, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
		       OCL_ACCESS_READ, num_mem_objects, mem_objects, num_events_in_wait_list,
		       event_wait_list, event);
}
