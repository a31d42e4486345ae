/* Events, markers and barriers (OpenCL 3.0 API, 5.11, 5.12). */
#include "config.h"

#include "tests/api/errors.h"

static void user_events(void)
{
	cl_event marker;
	ERROR_OBJECT(clCreateUserEvent, CL_INVALID_CONTEXT, 1,
		     clCreateUserEvent(world.wrong_context, &error_code));
	REQUIRE(!clEnqueueMarkerWithWaitList(world.queue, 0, NULL, &marker));
	ERROR_CODE(clSetUserEventStatus, CL_INVALID_EVENT, 1,
		   clSetUserEventStatus(world.wrong_event, CL_COMPLETE));
	ERROR_CODE(clSetUserEventStatus, CL_INVALID_EVENT, 1,
		   clSetUserEventStatus(marker, CL_COMPLETE));
	ERROR_CODE(clSetUserEventStatus, CL_INVALID_VALUE, 1,
		   clSetUserEventStatus(world.user, CL_RUNNING));
	ERROR_CODE(clSetUserEventStatus, CL_INVALID_OPERATION, 1,
		   clSetUserEventStatus(world.done, CL_COMPLETE));
	REQUIRE(!clReleaseEvent(marker));
}

static void waits(void)
{
	const cl_event wrong[] = {world.done, world.wrong_event};
	const cl_event mixed[] = {world.done, world.foreign_event};
	const cl_event failed[] = {world.done, world.failed};
	ERROR_CODE(clWaitForEvents, CL_INVALID_VALUE, 1, clWaitForEvents(0, wrong));
	ERROR_CODE(clWaitForEvents, CL_INVALID_VALUE, 1, clWaitForEvents(1, NULL));
	ERROR_CODE(clWaitForEvents, CL_INVALID_EVENT, 1, clWaitForEvents(2, wrong));
	ERROR_CODE(clWaitForEvents, CL_INVALID_CONTEXT, 1, clWaitForEvents(2, mixed));
	ERROR_CODE(clWaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 1,
		   clWaitForEvents(2, failed));
}

static void CL_CALLBACK notify(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
}

static void callbacks(void)
{
	ERROR_CODE(clSetEventCallback, CL_INVALID_EVENT, 1,
		   clSetEventCallback(world.wrong_event, CL_COMPLETE, notify, NULL));
	ERROR_CODE(clSetEventCallback, CL_INVALID_VALUE, 1,
		   clSetEventCallback(world.done, CL_COMPLETE, NULL, NULL));
	ERROR_CODE(clSetEventCallback, CL_INVALID_VALUE, 1,
		   clSetEventCallback(world.done, CL_QUEUED, notify, NULL));
	ERROR_CODE(clSetEventCallback, CL_INVALID_VALUE, 1,
		   clSetEventCallback(world.done, -1, notify, NULL));
}

/* Those of OpenCL 1.1, without wait lists. */
static void old_markers(void)
{
	cl_event event;
	ERROR_CODE(clEnqueueMarker, CL_INVALID_COMMAND_QUEUE, 1,
		   clEnqueueMarker(world.wrong_queue, &event));
	ERROR_CODE(clEnqueueMarker, CL_INVALID_VALUE, 1, clEnqueueMarker(world.queue, NULL));
	ERROR_CODE(clEnqueueBarrier, CL_INVALID_COMMAND_QUEUE, 1,
		   clEnqueueBarrier(world.wrong_queue));
	ERROR_CODE(clEnqueueWaitForEvents, CL_INVALID_COMMAND_QUEUE, 1,
		   clEnqueueWaitForEvents(world.wrong_queue, 1, &world.done));
	ERROR_CODE(clEnqueueWaitForEvents, CL_INVALID_VALUE, 1,
		   clEnqueueWaitForEvents(world.queue, 0, &world.done));
	ERROR_CODE(clEnqueueWaitForEvents, CL_INVALID_VALUE, 1,
		   clEnqueueWaitForEvents(world.queue, 1, NULL));
	ERROR_CODE(clEnqueueWaitForEvents, CL_INVALID_CONTEXT, 1,
		   clEnqueueWaitForEvents(world.queue, 1, &world.foreign_event));
}

void errors_event(void)
{
	user_events();
	waits();
	callbacks();
	old_markers();
}
