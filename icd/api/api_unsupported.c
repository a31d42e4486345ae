#include "config.h"

#include "icd/api/icd.h"
#include "icd/memory/context.h"
#include "icd/memory/mem.h"
#include "icd/object/platform.h"
#include "icd/order/queue.h"

/* Functions of features that none of our devices has: device queues, sharing with EGL.  Each checks the
 * handles that can be valid and returns the error that the specification has for devices without the feature.  Most
 * arguments are not used. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The end of a call that should have created an object. */
static void *no_object(cl_int error, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return NULL;
}

static cl_int with_context(cl_context context, cl_int error)
{
	cl_int invalid = object_check(context, &ocl_context_type);
	return invalid ? invalid : error;
}

static cl_int with_queue(cl_command_queue queue, cl_int error)
{
	cl_int invalid = object_check(queue, &ocl_queue_type);
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

/* --- cl_khr_egl_image: no device takes EGL objects ------------------ */

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage,
			cl_mem_flags flags, const cl_egl_image_properties_khr *properties,
			cl_int *errcode_ret)
{
	return no_object(with_context(context, CL_INVALID_OPERATION), errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
			      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
			      const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
			      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
			      const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

