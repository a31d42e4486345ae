#include "config.h"

#include "icd/api/icd.h"
#include "icd/memory/context.h"
#include "icd/memory/mem.h"
#include "icd/object/platform.h"
#include "icd/order/queue.h"

/* Functions of features that none of our devices has: device queues.  Each checks the
 * handles that can be valid and returns the error that the specification has for devices without the feature.  Most
 * arguments are not used. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static cl_int with_context(cl_context context, cl_int error)
{
	cl_int invalid = object_check(context, &ocl_context_type);
	return invalid ? invalid : error;
}

/* --- device queues: OpenCL 3.0 API, 5.1 -------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL
clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
			       cl_command_queue command_queue)
{
	cl_int error = with_context(context, CL_SUCCESS);
	if (!error)
		error = ocl_device_check(device);
	if (!error && ocl_context_device_index(context, device) < 0)
		error = CL_INVALID_DEVICE;
	/* OpenCL 3.0 API, 5.1: CL_INVALID_OPERATION when the device has no on-device queues; the queue is not
	 * checked, because the conformance tests pass NULL. */
	(void)command_queue;
	return error ? error : CL_INVALID_OPERATION;
}

/* --- cl_ext_device_fission: as clCreateSubDevices, no kind of partition is supported -- */

CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties,
		      cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
	cl_int error = ocl_device_check(in_device);
	return error ? error : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device)
{
	return ocl_device_check(device);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device)
{
	return ocl_device_check(device);
}
