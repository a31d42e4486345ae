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

/* cl_khr_command_buffer_mutable_dispatch 0.9.5: cl_mutable_dispatch_arg_khr,
 * cl_mutable_dispatch_exec_info_khr and cl_mutable_dispatch_config_khr. */
struct mutable_argument {
	cl_uint index;
	size_t size;
	const void *value;
};

struct mutable_exec_info {
	cl_uint name;
	size_t size;
	const void *value;
};

struct mutable_config {
	cl_mutable_command_khr command;
	cl_uint num_args, num_svm_args, num_exec_infos, work_dim;
	const struct mutable_argument *args, *svm_args;
	const struct mutable_exec_info *exec_infos;
	const size_t *offset, *global, *local;
};

/* The property of a launch that says what of it may be changed, and its bits. */
enum { MUTABLE_FIELDS = 0x12B1, MUTABLE_OFFSET = 1, MUTABLE_GLOBAL = 2, MUTABLE_LOCAL = 4,
       MUTABLE_ARGUMENTS = 8 };

typedef cl_int(CL_API_CALL *mutable_update)(cl_command_buffer_khr, cl_uint, const cl_uint *,
					    const void **);

/* clUpdateMutableCommandsKHR with one change. */
static inline cl_int mutable_change(mutable_update update, cl_command_buffer_khr buffer,
				    const struct mutable_config *config)
{
	static const cl_uint type = 0;
	const void *configs[1] = {config};
	return update(buffer, 1, &type, configs);
}

/* NULL: the platform does not have the extension. */
static inline mutable_update mutable_update_find(cl_platform_id platform)
{
	mutable_update update;
	void *found = clGetExtensionFunctionAddressForPlatform(platform,
							       "clUpdateMutableCommandsKHR");
	memcpy(&update, &found, sizeof(found));
	return update;
}

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
