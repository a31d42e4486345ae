/* Memory shared with other APIs (cl_khr_external_memory), and handles of our own memory
 * (cl_culvert_external_memory_export: docs/cl_culvert_external_memory_export.md). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/include/khr_external_memory.h"
#include "icd/object/platform.h"

#include <stdlib.h>
#include <string.h>

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
		/* CL_INVALID_COMMAND_QUEUE for a queue of another context, or of another device than the one for
		 * which the memory was imported. */
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
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = mems_check(queue, mem_count, mems);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	for (cl_uint i = 0; i < count && !error; i++)
		if (ocl_event_status(events[i]) < 0)
			error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return error;
}

/* Enqueues an acquire or a release.  Both use the memory itself and copy nothing: an acquire counts as a write,
 * because the other API may have written; a release is a read, which brings the newest bytes into the memory. */
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

/* --- handles of ours ------------------------------------------------------------------------- */

static cl_int handle_check(cl_mem buffer, cl_device_id device, cl_uint handle_type)
{
	enum gpu_handle_type type;
	cl_int error = object_check(buffer, &ocl_mem_type);
	if (!error)
		error = ocl_device_check(device);
	if (error)
		return error;
	/* cl_khr_external_semaphore has these errors for clGetSemaphoreHandleForTypeKHR: CL_INVALID_DEVICE for
	 * another device than the object's, CL_INVALID_VALUE for a type for which it was not created. */
	if (ocl_context_device_index(buffer->context, device) < 0 ||
	    (buffer->is_exportable && buffer->external_device != device))
		return CL_INVALID_DEVICE;
	return buffer->is_exportable && ocl_handle_type_find(handle_type, &type) && buffer->exported == type
		       ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int handle_put(cl_mem buffer, cl_device_id device, void *handle_ptr)
{
	const uint32_t position = ocl_context_place(buffer->context, device);
	struct gpu_handle handle;
	cl_int error = gpu_external_export(device->gpu, buffer->storage->locations[position].external,
					   &handle);
	if (!error && handle.type != GPU_HANDLE_IPC)
		memcpy(handle_ptr, &handle.fd, sizeof(handle.fd));
	else if (!error)
		memcpy(handle_ptr, handle.ipc, sizeof(handle.ipc));
	return error;
}

cl_int CL_API_CALL clGetMemObjectHandleForTypeCULVERT(cl_mem buffer, cl_device_id device,
						      cl_uint handle_type, size_t handle_size,
						      void *handle_ptr, size_t *handle_size_ret)
{
	cl_int error = handle_check(buffer, device, handle_type);
	if (error)
		return error;
	const size_t size_B = buffer->exported == GPU_HANDLE_IPC ? GPU_IPC_HANDLE_B : sizeof(int);
	if (handle_ptr && handle_size < size_B)
		return CL_INVALID_VALUE;
	if (handle_ptr)
		error = handle_put(buffer, device, handle_ptr);
	if (!error && handle_size_ret)
		*handle_size_ret = size_B;
	return error;
}
