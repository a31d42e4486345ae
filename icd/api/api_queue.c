#include "config.h"

#include "icd/object/info_rows.h"
#include "icd/object/platform.h"
#include "icd/order/queue.h"

#include <CL/cl_ext.h>

static const cl_command_queue_properties known_properties =
	CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE |
	CL_QUEUE_ON_DEVICE_DEFAULT;
static const cl_command_queue_properties supported_properties =
	CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

static cl_int properties_check(cl_command_queue_properties properties)
{
	/* OpenCL 3.0 API, 5.1: CL_INVALID_VALUE for undefined bits, CL_INVALID_QUEUE_PROPERTIES for bits that the
	 * device does not support. */
	if (properties & ~known_properties)
		return CL_INVALID_VALUE;
	return properties & ~supported_properties ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

/* The values of a list of properties. */
struct wishes {
	cl_command_queue_properties bits;
	cl_queue_properties size, priority, throttle;
};

/* cl_khr_priority_hints: CUDA streams have three priorities, of which -1 is the highest. */
static cl_int priority_of(cl_queue_properties hint, int *priority_out)
{
	switch (hint) {
	case CL_QUEUE_PRIORITY_HIGH_KHR:
		*priority_out = -1;
		return CL_SUCCESS;
	case CL_QUEUE_PRIORITY_MED_KHR:
		*priority_out = 0;
		return CL_SUCCESS;
	case CL_QUEUE_PRIORITY_LOW_KHR:
		*priority_out = 1;
		return CL_SUCCESS;
	default:
		return CL_INVALID_VALUE;
	}
}

/* cl_khr_throttle_hints: CUDA cannot change the clocks for a stream, so the hint is stored and has no effect. */
static cl_int throttle_check(cl_queue_properties hint)
{
	return hint == CL_QUEUE_THROTTLE_HIGH_KHR || hint == CL_QUEUE_THROTTLE_MED_KHR ||
			       hint == CL_QUEUE_THROTTLE_LOW_KHR
		       ? CL_SUCCESS : CL_INVALID_VALUE;
}

/* 5.1: CL_INVALID_VALUE for an unknown name, or one that is given twice. */
static cl_int list_read(const cl_queue_properties *list, struct wishes *wishes, unsigned *seen_out)
{
	static const cl_queue_properties names[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE,
						    CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};
	cl_queue_properties *const places[] = {&wishes->bits, &wishes->size, &wishes->priority,
					       &wishes->throttle};
	const unsigned count = sizeof(names) / sizeof(names[0]);
	*seen_out = 0;
	for (; list && list[0]; list += 2) {
		unsigned i = 0;
		while (i < count && names[i] != list[0])
			i++;
		if (i == count || *seen_out & 1u << i)
			return CL_INVALID_VALUE;
		*seen_out |= 1u << i;
		*places[i] = list[1];
	}
	return CL_SUCCESS;
}

static cl_int list_check(const cl_queue_properties *list, cl_command_queue_properties *bits_out,
			 int *priority_out)
{
	struct wishes wishes = {0, 0, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_THROTTLE_MED_KHR};
	unsigned seen;
	cl_int error = list_read(list, &wishes, &seen);
	/* 5.1: CL_QUEUE_SIZE is only for queues on the device. */
	if (!error && seen & 2 && !(wishes.bits & CL_QUEUE_ON_DEVICE))
		error = CL_INVALID_VALUE;
	if (!error)
		error = properties_check(wishes.bits);
	if (!error)
		error = priority_of(wishes.priority, priority_out);
	if (!error)
		error = throttle_check(wishes.throttle);
	*bits_out = wishes.bits;
	return error;
}

static cl_int device_check(cl_context context, cl_device_id device)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (!error)
		error = ocl_device_check(device);
	/* 5.1: CL_INVALID_DEVICE when the device is not in the context. */
	if (!error && ocl_context_device_index(context, device) < 0)
		error = CL_INVALID_DEVICE;
	return error;
}

static cl_command_queue queue_return(cl_int error, cl_command_queue queue, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : queue;
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
				   const cl_queue_properties *properties, cl_int *errcode_ret)
{
	cl_command_queue queue = NULL;
	cl_command_queue_properties bits = 0;
	int priority = 0;
	cl_int error = device_check(context, device);
	if (!error)
		error = list_check(properties, &bits, &priority);
	if (!error)
		error = ocl_queue_create(context, device, bits, priority, properties, &queue);
	return queue_return(error, queue, errcode_ret);
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(
	cl_context context, cl_device_id device, cl_command_queue_properties properties,
	cl_int *errcode_ret)
{
	cl_command_queue queue = NULL;
	cl_int error = device_check(context, device);
	if (!error)
		error = properties_check(properties);
	if (!error)
		error = ocl_queue_create(context, device, properties, 0, NULL, &queue);
	return queue_return(error, queue, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue command_queue)
{
	return object_retain(command_queue, &ocl_queue_type);
}

/* OpenCL 3.0 API, 5.1: the call "performs an implicit flush".  Nothing needs to be flushed: a command is submitted
 * as soon as possible, and a command that is not submitted yet has a reference to its queue. */
CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue command_queue)
{
	return object_release(command_queue, &ocl_queue_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue,
						      cl_command_queue_info param_name,
						      size_t param_value_size, void *param_value,
						      size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(queue, &ocl_queue_type);
	if (error)
		return error;
	switch (param_name) {
#include "icd/order/queue_info.def"
	case CL_QUEUE_SIZE:
		/* OpenCL 3.0 API, 5.1: CL_INVALID_COMMAND_QUEUE for a queue that is not on the device, which no
		 * queue here is. */
		return CL_INVALID_COMMAND_QUEUE;
	default:
		return CL_INVALID_VALUE;
	}
}

/* OpenCL 1.0 lets an application change a queue's properties; 1.1 deprecated the function and lets an implementation
 * return CL_INVALID_OPERATION. */
CL_API_ENTRY cl_int CL_API_CALL
clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties,
			  cl_bool enable, cl_command_queue_properties *old_properties)
{
	(void)properties;
	(void)enable;
	(void)old_properties;
	cl_int error = object_check(command_queue, &ocl_queue_type);
	return error ? error : CL_INVALID_OPERATION;
}

/* OpenCL 3.0 API, 5.15: all queued commands are issued.  Here they already are, except those that wait for user
 * events, which no flush can issue. */
CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue command_queue)
{
	return object_check(command_queue, &ocl_queue_type);
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue command_queue)
{
	cl_int error = object_check(command_queue, &ocl_queue_type);
	return error ? error : ocl_queue_finish(command_queue);
}
