#include "config.h"

#include "icd/object/info_rows.h"
#include "icd/order/event.h"
#include "icd/order/queue.h"

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
	cl_event event = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = ocl_event_create_user(context, &event);
	if (errcode_ret)
		*errcode_ret = error;
	return event;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int execution_status)
{
	cl_int error = object_check(event, &ocl_event_type);
	/* OpenCL 3.0 API, 5.11: CL_INVALID_EVENT when it is not a user event, CL_INVALID_VALUE unless the status is
	 * CL_COMPLETE or negative, CL_INVALID_OPERATION when the status was set before. */
	if (!error && event->type != CL_COMMAND_USER)
		error = CL_INVALID_EVENT;
	if (!error && execution_status > CL_COMPLETE)
		error = CL_INVALID_VALUE;
	return error ? error : ocl_user_event_set(event, execution_status);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event event)
{
	return object_retain(event, &ocl_event_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
	return object_release(event, &ocl_event_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info param_name,
					       size_t param_value_size, void *param_value,
					       size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(event, &ocl_event_type);
	if (error)
		return error;
	switch (param_name) {
#include "icd/order/event_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event,
							cl_profiling_info param_name,
							size_t param_value_size, void *param_value,
							size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_ulong time_ns;
	cl_int error = object_check(event, &ocl_event_type);
	/* OpenCL 3.0 API, 5.14: CL_INVALID_VALUE for an unknown name. */
	if (!error && (param_name < CL_PROFILING_COMMAND_QUEUED ||
		       param_name > CL_PROFILING_COMMAND_COMPLETE))
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_event_profiling_ns(event, param_name, &time_ns);
	return error ? error : info_put(out, &time_ns, sizeof(time_ns));
}

CL_API_ENTRY cl_int CL_API_CALL
clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
		   void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *), void *user_data)
{
	cl_int error = object_check(event, &ocl_event_type);
	/* OpenCL 3.0 API, 5.11: CL_INVALID_VALUE without a callback, or for a status other than CL_SUBMITTED,
	 * CL_RUNNING and CL_COMPLETE. */
	if (!error && (!pfn_notify || command_exec_callback_type > CL_SUBMITTED ||
		       command_exec_callback_type < CL_COMPLETE))
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	return ocl_event_add_callback(event, command_exec_callback_type, pfn_notify, user_data);
}

/* OpenCL 3.0 API, 5.11: CL_INVALID_VALUE for an empty list, CL_INVALID_EVENT, CL_INVALID_CONTEXT when the events are
 * of different contexts. */
static cl_int wait_check(cl_uint count, const cl_event *events)
{
	if (!count || !events)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++) {
		cl_int error = object_check(events[i], &ocl_event_type);
		if (error)
			return error;
	}
	for (cl_uint i = 1; i < count; i++)
		if (events[i]->context != events[0]->context)
			return CL_INVALID_CONTEXT;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
	cl_int error = wait_check(num_events, event_list);
	if (error)
		return error;
	/* 5.11: the call returns when all events have ended, also if one has failed.  The last event is waited for
	 * first: when it has happened, earlier events of its stream are known to have happened without a call of the
	 * driver, which takes more than a microsecond. */
	for (cl_uint i = num_events; i-- > 0;)
		if (ocl_event_wait(event_list[i]) < 0)
			error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return error;
}
