/* Queues (OpenCL 3.0 API, 5.1, 5.15). */
#include "config.h"

#include "tests/api/errors.h"

/* "Not associated with the context" needs a device that is not. */
static void devices(void)
{
	if (!world.other) {
		error_absent("clCreateCommandQueueWithProperties", CL_INVALID_DEVICE, 2);
		error_absent("clCreateCommandQueue", CL_INVALID_DEVICE, 2);
		error_absent("clSetDefaultDeviceCommandQueue", CL_INVALID_DEVICE, 2);
		return;
	}
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_DEVICE, 2,
		     clCreateCommandQueueWithProperties(world.context, world.other, NULL,
							&error_code));
	ERROR_OBJECT(clCreateCommandQueue, CL_INVALID_DEVICE, 2,
		     clCreateCommandQueue(world.context, world.other, 0, &error_code));
	ERROR_CODE(clSetDefaultDeviceCommandQueue, CL_INVALID_DEVICE, 2,
		   clSetDefaultDeviceCommandQueue(world.context, world.other, world.queue));
}

static cl_command_queue create(const cl_queue_properties *properties)
{
	return clCreateCommandQueueWithProperties(world.context, world.device, properties,
						  &error_code);
}

static void properties(void)
{
	const cl_queue_properties unknown[] = {0x7777, 1, 0};
	const cl_queue_properties bad_bits[] = {CL_QUEUE_PROPERTIES, 1u << 20, 0};
	const cl_queue_properties twice[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0};
	const cl_queue_properties size[] = {CL_QUEUE_SIZE, 1024, 0};
	const cl_queue_properties priority[] = {CL_QUEUE_PRIORITY_KHR, 0x7777, 0};
	const cl_queue_properties throttle[] = {CL_QUEUE_THROTTLE_KHR, 0x7777, 0};
	const cl_queue_properties on_device[] = {
		CL_QUEUE_PROPERTIES,
		CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0,
	};
	const cl_queue_properties device_size[] = {
		CL_QUEUE_PROPERTIES,
		CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_SIZE, 1024, 0,
	};
	const cl_queue_properties device_priority[] = {
		CL_QUEUE_PROPERTIES,
		CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
		CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR, 0,
	};
	const cl_queue_properties device_throttle[] = {
		CL_QUEUE_PROPERTIES,
		CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
		CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_LOW_KHR, 0,
	};
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, 1, create(unknown));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, 1, create(bad_bits));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, 1, create(twice));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, 1, create(size));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, 1, create(priority));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, 1, create(throttle));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, 1,
		     create(on_device));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, 1,
		     create(device_size));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, 2,
		     create(device_priority));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, 3,
		     create(device_throttle));
	ERROR_OBJECT(clCreateCommandQueue, CL_INVALID_VALUE, 1,
		     clCreateCommandQueue(world.context, world.device, 1u << 20, &error_code));
	ERROR_OBJECT(clCreateCommandQueue, CL_INVALID_QUEUE_PROPERTIES, 1,
		     clCreateCommandQueue(world.context, world.device, CL_QUEUE_ON_DEVICE,
					  &error_code));
}

static void handles(void)
{
	cl_command_queue_properties old;
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_CONTEXT, 1,
		     clCreateCommandQueueWithProperties(world.wrong_context, world.device, NULL,
							&error_code));
	ERROR_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_DEVICE, 1,
		     clCreateCommandQueueWithProperties(world.context, world.wrong_device, NULL,
							&error_code));
	ERROR_OBJECT(clCreateCommandQueue, CL_INVALID_CONTEXT, 1,
		     clCreateCommandQueue(world.wrong_context, world.device, 0, &error_code));
	ERROR_OBJECT(clCreateCommandQueue, CL_INVALID_DEVICE, 1,
		     clCreateCommandQueue(world.context, world.wrong_device, 0, &error_code));
	ERROR_CODE(clSetDefaultDeviceCommandQueue, CL_INVALID_CONTEXT, 1,
		   clSetDefaultDeviceCommandQueue(world.wrong_context, world.device, world.queue));
	ERROR_CODE(clSetDefaultDeviceCommandQueue, CL_INVALID_DEVICE, 1,
		   clSetDefaultDeviceCommandQueue(world.context, world.wrong_device, world.queue));
	ERROR_CODE(clSetDefaultDeviceCommandQueue, CL_INVALID_OPERATION, 1,
		   clSetDefaultDeviceCommandQueue(world.context, world.device, world.queue));
	ERROR_CODE(clSetCommandQueueProperty, CL_INVALID_COMMAND_QUEUE, 1,
		   clSetCommandQueueProperty(world.wrong_queue, 0, CL_TRUE, &old));
	ERROR_CODE(clSetCommandQueueProperty, CL_INVALID_OPERATION, 1,
		   clSetCommandQueueProperty(world.queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE,
					     &old));
	ERROR_CODE(clFlush, CL_INVALID_COMMAND_QUEUE, 1, clFlush(world.wrong_queue));
	ERROR_CODE(clFinish, CL_INVALID_COMMAND_QUEUE, 1, clFinish(world.wrong_queue));
}

void errors_queue(void)
{
	handles();
	properties();
	devices();
}
