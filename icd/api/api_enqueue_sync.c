/* Markers and barriers (OpenCL 3.0 API, 5.12).  In an in-order queue neither needs an operation: the stream keeps
 * the order. */
#include "config.h"

#include "icd/api/enqueue.h"

static cl_int sync_enqueue(cl_command_queue queue, cl_command_type type, cl_uint count,
			   const cl_event *events, cl_event *event)
{
	struct ocl_command command;
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = enqueue_check_list(queue, count, events);
	if (error)
		return error;
	ocl_command_init(&command, &ocl_command_marker, queue, type, NULL);
	/* 5.12: a marker or barrier without a wait list waits for all commands enqueued before it; commands enqueued
	 * after a barrier wait for it. */
	command.joins = !count;
	command.bars = type == CL_COMMAND_BARRIER;
	return ocl_queue_enqueue(&command, false, count, events, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
							    cl_uint num_events_in_wait_list,
							    const cl_event *event_wait_list,
							    cl_event *event)
{
	return sync_enqueue(command_queue, CL_COMMAND_MARKER, num_events_in_wait_list,
			    event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
							     cl_uint num_events_in_wait_list,
							     const cl_event *event_wait_list,
							     cl_event *event)
{
	return sync_enqueue(command_queue, CL_COMMAND_BARRIER, num_events_in_wait_list,
			    event_wait_list, event);
}

/* OpenCL 1.1, 5.10: CL_INVALID_VALUE if event is NULL. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error && !event)
		error = CL_INVALID_VALUE;
	return error ? error : sync_enqueue(command_queue, CL_COMMAND_MARKER, 0, NULL, event);
}

/* OpenCL 1.1, 5.10: CL_INVALID_VALUE for an empty list, CL_INVALID_EVENT. */
CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue command_queue,
						       cl_uint num_events,
						       const cl_event *event_list)
{
	cl_int error = object_check(command_queue, &ocl_queue_type);
	if (!error && (!num_events || !event_list))
		error = CL_INVALID_VALUE;
	if (!error)
		error = sync_enqueue(command_queue, CL_COMMAND_BARRIER, num_events, event_list,
				     NULL);
	return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue command_queue)
{
	return sync_enqueue(command_queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}
