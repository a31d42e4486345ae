/* The functions of cl_khr_command_buffer 0.9.8, found as an application finds them;
 * headers of older versions declare some of them with other parameters. */
#ifndef CULVERT_TESTS_API_COMMAND_BUFFER_ENTRY_H
#define CULVERT_TESTS_API_COMMAND_BUFFER_ENTRY_H

#include "tests/api/api_test.h"

typedef cl_properties command_properties;

#define RECORD_FIRST cl_command_buffer_khr, cl_command_queue, const command_properties *
#define RECORD_LAST cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *

struct command_buffer_entry {
	cl_command_buffer_khr(CL_API_CALL *create)(cl_uint, const cl_command_queue *,
						   const cl_command_buffer_properties_khr *,
						   cl_int *);
	cl_int(CL_API_CALL *retain)(cl_command_buffer_khr);
	cl_int(CL_API_CALL *release)(cl_command_buffer_khr);
	cl_int(CL_API_CALL *finalize)(cl_command_buffer_khr);
	cl_int(CL_API_CALL *enqueue)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint,
				     const cl_event *, cl_event *);
	cl_int(CL_API_CALL *info)(cl_command_buffer_khr, cl_command_buffer_info_khr, size_t, void *,
				  size_t *);
	cl_int(CL_API_CALL *barrier)(RECORD_FIRST, RECORD_LAST);
	cl_int(CL_API_CALL *copy)(RECORD_FIRST, cl_mem, cl_mem, size_t, size_t, size_t,
				  RECORD_LAST);
	cl_int(CL_API_CALL *copy_rect)(RECORD_FIRST, cl_mem, cl_mem, const size_t *,
				       const size_t *, const size_t *, size_t, size_t, size_t,
				       size_t, RECORD_LAST);
	cl_int(CL_API_CALL *fill)(RECORD_FIRST, cl_mem, const void *, size_t, size_t, size_t,
				  RECORD_LAST);
	cl_int(CL_API_CALL *launch)(RECORD_FIRST, cl_kernel, cl_uint, const size_t *,
				    const size_t *, const size_t *, RECORD_LAST);
};

/* false: the platform does not have the extension. */
static inline bool command_buffer_entry_find(cl_platform_id platform,
					     struct command_buffer_entry *entry)
{
	static const char *const names[] = {
		"clCreateCommandBufferKHR", "clRetainCommandBufferKHR",
		"clReleaseCommandBufferKHR", "clFinalizeCommandBufferKHR",
		"clEnqueueCommandBufferKHR", "clGetCommandBufferInfoKHR",
		"clCommandBarrierWithWaitListKHR", "clCommandCopyBufferKHR",
		"clCommandCopyBufferRectKHR", "clCommandFillBufferKHR",
		"clCommandNDRangeKernelKHR",
	};
	unsigned char *place = (unsigned char *)entry;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = clGetExtensionFunctionAddressForPlatform(platform, names[i]);
		if (!found)
			return false;
		memcpy(place + i * sizeof(found), &found, sizeof(found));
	}
	return true;
}

#endif
