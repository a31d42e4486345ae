/* The calls of cl_khr_semaphore and of the memory that goes with one from program to program. */
#ifndef CULVERT_TESTS_API_SEMAPHORE_CALLS_H
#define CULVERT_TESTS_API_SEMAPHORE_CALLS_H

#include "tests/api/api_test.h"

#include <string.h>

static struct {
	clCreateSemaphoreWithPropertiesKHR_fn create;
	clReleaseSemaphoreKHR_fn release;
	clGetSemaphoreInfoKHR_fn info;
	clEnqueueSignalSemaphoresKHR_fn signal;
	clEnqueueWaitSemaphoresKHR_fn wait;
	clGetSemaphoreHandleForTypeKHR_fn handle;
	cl_int(CL_API_CALL *acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
				     const cl_event *, cl_event *);
	cl_int(CL_API_CALL *give)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
				  const cl_event *, cl_event *);
} ext;

/* false: the platform has not all of them. */
static inline bool entry_find(cl_platform_id platform)
{
	static const char *const names[] = {
		"clCreateSemaphoreWithPropertiesKHR", "clReleaseSemaphoreKHR",
		"clGetSemaphoreInfoKHR", "clEnqueueSignalSemaphoresKHR",
		"clEnqueueWaitSemaphoresKHR", "clGetSemaphoreHandleForTypeKHR",
		"clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = clGetExtensionFunctionAddressForPlatform(platform, names[i]);
		if (!found)
			return false;
		memcpy((char *)&ext + i * sizeof(found), &found, sizeof(found));
	}
	return true;
}

static inline void enqueue_signal(cl_command_queue queue, cl_semaphore_khr semaphore)
{
	CHECK_OK(ext.signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
}

static inline void enqueue_wait(cl_command_queue queue, cl_semaphore_khr semaphore, cl_event *event)
{
	CHECK_OK(ext.wait(queue, 1, &semaphore, NULL, 0, NULL, event));
}

static inline cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

static inline cl_ulong payload_of(cl_semaphore_khr semaphore)
{
	cl_semaphore_payload_khr payload = 77;
	CHECK_OK(ext.info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof(payload), &payload, NULL));
	return payload;
}

#endif
