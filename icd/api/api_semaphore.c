/* Semaphores (cl_khr_semaphore). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/object/info_rows.h"
#include "icd/object/platform.h"
#include "icd/order/semaphore_foreign.h"
#include "icd/order/semaphore_shared.h"

#include <stdlib.h>
#include <string.h>

/* --- creation -------------------------------------------------------------------------------- */

/* The values of a list of properties. */
struct wishes {
	bool has_type, has_devices, has_exports;
	struct ocl_semaphore_wishes made;
	size_t count;                    /* words of the list, with the final 0 */
};

/* clCreateSemaphoreWithPropertiesKHR: CL_INVALID_DEVICE unless the list has exactly one device, which is in the
 * context.  Moves *list behind the devices. */
static cl_int device_read(cl_context context, const cl_semaphore_properties_khr **list,
			  struct wishes *wishes)
{
	const cl_semaphore_properties_khr *devices = *list;
	cl_uint count = 0;
	while (devices[count] != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR)
		count++;
	*list = devices + count + 1;
	if (count != 1)
		return CL_INVALID_DEVICE;
	wishes->made.device = (cl_device_id)(uintptr_t)devices[0];
	cl_int error = ocl_device_check(wishes->made.device);
	if (!error && ocl_context_device_index(context, wishes->made.device) < 0)
		error = CL_INVALID_DEVICE;
	return error;
}

/* clCreateSemaphoreWithPropertiesKHR: CL_INVALID_VALUE for more than one type of handle, CL_INVALID_PROPERTY for a
 * type that is not supported.  Moves *list behind the types. */
static cl_int exports_read(const cl_semaphore_properties_khr **list, struct wishes *wishes)
{
	const cl_semaphore_properties_khr *types = *list;
	cl_uint count = 0;
	while (types[count] != CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR)
		count++;
	*list = types + count + 1;
	if (count > 1)
		return CL_INVALID_VALUE;
	wishes->made.exportable = count;
	return !count || types[0] == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR ? CL_SUCCESS
								      : CL_INVALID_PROPERTY;
}

/* CL_INVALID_PROPERTY for a name that is not supported or given twice, or for an invalid value. */
static cl_int properties_read(cl_context context, const cl_semaphore_properties_khr *list,
			      struct wishes *wishes)
{
	const cl_semaphore_properties_khr *first = list;
	cl_int error = CL_SUCCESS;
	while (*list && !error) {
		const cl_semaphore_properties_khr name = *list++;
		if (name == CL_SEMAPHORE_TYPE_KHR && !wishes->has_type) {
			wishes->has_type = true;
			if (*list++ != CL_SEMAPHORE_TYPE_BINARY_KHR)
				error = CL_INVALID_PROPERTY;
		} else if (name == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR && !wishes->has_devices) {
			wishes->has_devices = true;
			error = device_read(context, &list, wishes);
		} else if (name == CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR && !wishes->has_exports) {
			wishes->has_exports = true;
			error = exports_read(&list, wishes);
		} else if (name == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR && !wishes->made.imported) {
			wishes->made.imported = true;
			wishes->made.fd = (int)*list++;
		} else {
			error = CL_INVALID_PROPERTY;
		}
	}
	wishes->count = (size_t)(list - first) + 1;
	return error;
}

CL_API_ENTRY cl_semaphore_khr CL_API_CALL
clCreateSemaphoreWithPropertiesKHR(cl_context context,
				   const cl_semaphore_properties_khr *sema_props,
				   cl_int *errcode_ret)
{
	struct wishes wishes = {0};
	cl_semaphore_khr semaphore = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = sema_props ? properties_read(context, sema_props, &wishes)
				   : CL_INVALID_VALUE;
	if (!error && !wishes.has_type)
		error = CL_INVALID_VALUE;
	/* CL_INVALID_OPERATION for a semaphore that is imported and has types to export. */
	if (!error && wishes.made.imported && wishes.has_exports)
		error = CL_INVALID_OPERATION;
	/* CL_INVALID_PROPERTY for a context of several devices without a device list. */
	if (!error && !wishes.has_devices && context->device_count > 1)
		error = CL_INVALID_PROPERTY;
	if (!error)
		error = ocl_semaphore_create(context, &wishes.made, sema_props, wishes.count,
					     &semaphore);
	if (errcode_ret)
		*errcode_ret = error;
	return semaphore;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSemaphoreKHR(cl_semaphore_khr sema_object)
{
	return object_retain(sema_object, &ocl_semaphore_type);
}

/* Commands that use the semaphore do not need it any more: a command that waits has a reference to the event of the
 * signal. */
CL_API_ENTRY cl_int CL_API_CALL clReleaseSemaphoreKHR(cl_semaphore_khr sema_object)
{
	return object_release(sema_object, &ocl_semaphore_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSemaphoreInfoKHR(cl_semaphore_khr semaphore,
						      cl_semaphore_info_khr param_name,
						      size_t param_value_size, void *param_value,
						      size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(semaphore, &ocl_semaphore_type);
	if (error)
		return error;
	switch (param_name) {
#include "icd/order/semaphore_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

/* Exports a file descriptor, which the application has to close. */
static cl_int handle_put(cl_semaphore_khr semaphore, size_t handle_size, void *handle_ptr)
{
	int fd;
	if (!handle_ptr)
		return CL_SUCCESS;
	if (handle_size < sizeof(fd))
		return CL_INVALID_VALUE;
	cl_int error = ocl_shared_copy(semaphore->fd, &fd);
	if (!error)
		memcpy(handle_ptr, &fd, sizeof(fd));
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSemaphoreHandleForTypeKHR(
	cl_semaphore_khr sema_object, cl_device_id device,
	cl_external_semaphore_handle_type_khr handle_type, size_t handle_size, void *handle_ptr,
	size_t *handle_size_ret)
{
	cl_int error = object_check(sema_object, &ocl_semaphore_type);
	if (!error)
		error = ocl_device_check(device);
	if (!error && (ocl_context_device_index(sema_object->context, device) < 0 ||
		       (sema_object->device && sema_object->device != device)))
		error = CL_INVALID_DEVICE;
	/* CL_INVALID_VALUE for a type with which the semaphore was not created. */
	if (!error && (!sema_object->exportable ||
		       handle_type != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR))
		error = CL_INVALID_VALUE;
	if (!error)
		error = handle_put(sema_object, handle_size, handle_ptr);
	if (!error && handle_size_ret)
		*handle_size_ret = sizeof(int);
	return error;
}

/* --- commands --------------------------------------------------------------------------------- */

static cl_int semaphores_check(cl_command_queue queue, cl_uint count,
			       const cl_semaphore_khr *semaphores)
{
	cl_int error = count && semaphores ? CL_SUCCESS : CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count && !error; i++) {
		error = object_check(semaphores[i], &ocl_semaphore_type);
		if (!error && semaphores[i]->context != queue->context)
			error = CL_INVALID_CONTEXT;
		/* CL_INVALID_COMMAND_QUEUE for a queue of another device than the semaphore's. */
		if (!error && semaphores[i]->device && semaphores[i]->device != queue->device)
			error = CL_INVALID_COMMAND_QUEUE;
	}
	return error;
}

static cl_int command_check(cl_command_queue queue, cl_uint count,
			    const cl_semaphore_khr *semaphores, cl_uint event_count,
			    const cl_event *events)
{
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = semaphores_check(queue, count, semaphores);
	if (!error)
		error = enqueue_check_list(queue, event_count, events);
	for (cl_uint i = 0; i < event_count && !error; i++)
		if (ocl_event_status(events[i]) < 0)
			error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return error;
}

static cl_int signal_enqueue(cl_command_queue queue, cl_uint count,
			     const cl_semaphore_khr *semaphores, cl_uint event_count,
			     const cl_event *events, cl_event *event_out)
{
	struct ocl_foreign_use *use;
	struct ocl_command command;
	bool shared = false;
	cl_event before = NULL;
	for (cl_uint i = 0; i < count; i++)
		shared |= semaphores[i]->fd >= 0;
	cl_int error = ocl_foreign_use(count, semaphores, &use);
	if (error)
		return error;
	ocl_command_init(&command, use ? &ocl_command_foreign_signal : &ocl_command_marker, queue,
			 CL_COMMAND_SEMAPHORE_SIGNAL_KHR, NULL);
	command.u.foreign = use;
	if (use || !shared)
		error = ocl_queue_enqueue(&command, false, event_count, events,
					  shared ? &before : event_out);
	ocl_foreign_unref(use);
	/* The semaphores that the host signals follow those that the stream signals; the event is that of all. */
	if (shared && !error)
		error = ocl_shared_signal(queue, count, semaphores, before ? 1 : event_count,
					  before ? &before : events, event_out);
	object_unref(before);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSignalSemaphoresKHR(
	cl_command_queue command_queue, cl_uint num_sema_objects,
	const cl_semaphore_khr *sema_objects, const cl_semaphore_payload_khr *sema_payload_list,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	cl_event done;
	(void)sema_payload_list; /* binary semaphores have none */
	cl_int error = command_check(command_queue, num_sema_objects, sema_objects,
				     num_events_in_wait_list, event_wait_list);
	if (!error)
		error = signal_enqueue(command_queue, num_sema_objects, sema_objects,
				       num_events_in_wait_list, event_wait_list, &done);
	if (error)
		return error;
	for (cl_uint i = 0; i < num_sema_objects; i++)
		ocl_semaphore_signal(sema_objects[i], done);
	if (event)
		*event = done;
	else
		object_unref(done);
	return CL_SUCCESS;
}

/* Takes the pending signal of each semaphore; events gets the events of those signals. */
static cl_int signals_take(cl_uint count, const cl_semaphore_khr *semaphores, cl_event *events,
			   cl_uint *taken_out)
{
	cl_int error = CL_SUCCESS;
	*taken_out = 0;
	for (cl_uint i = 0; i < count && !error; i++) {
		error = ocl_semaphore_wait(semaphores[i], &events[i]);
		*taken_out += !error;
	}
	return error;
}

static cl_int wait_enqueue(cl_command_queue queue, cl_uint count,
			   const cl_semaphore_khr *semaphores, cl_event *events,
			   cl_uint event_count, cl_event *event_out)
{
	struct ocl_command command;
	cl_event *signals = events + event_count;
	struct ocl_foreign_use *use;
	cl_uint taken;
	cl_int error = ocl_foreign_use(count, semaphores, &use);
	if (error)
		return error;
	ocl_command_init(&command, use ? &ocl_command_foreign_wait : &ocl_command_marker, queue,
			 CL_COMMAND_SEMAPHORE_WAIT_KHR, NULL);
	command.u.foreign = use;
	error = signals_take(count, semaphores, signals, &taken);
	if (!error)
		error = ocl_queue_enqueue(&command, false, event_count + count, events, event_out);
	for (cl_uint i = 0; i < taken; i++) {
		if (error)
			ocl_semaphore_wait_undo(semaphores[i], signals[i]);
		else
			object_unref(signals[i]);
	}
	ocl_foreign_unref(use);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitSemaphoresKHR(
	cl_command_queue command_queue, cl_uint num_sema_objects,
	const cl_semaphore_khr *sema_objects, const cl_semaphore_payload_khr *sema_payload_list,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
	(void)sema_payload_list; /* binary semaphores have none */
	cl_int error = command_check(command_queue, num_sema_objects, sema_objects,
				     num_events_in_wait_list, event_wait_list);
	if (error)
		return error;
	const size_t total = (size_t)num_sema_objects + num_events_in_wait_list;
	cl_event *events = total <= UINT32_MAX ? malloc(total * sizeof(cl_event)) : NULL;
	if (!events)
		return CL_OUT_OF_HOST_MEMORY;
	if (num_events_in_wait_list)
		memcpy(events, event_wait_list, num_events_in_wait_list * sizeof(cl_event));
	error = wait_enqueue(command_queue, num_sema_objects, sema_objects, events,
			     num_events_in_wait_list, event);
	free(events);
	return error;
}
