/* Every door with NULL handles, and the doors that make objects with nothing: the
 * invalid code of the first argument, and no crash.  A loader answers for NULL
 * itself, so the calls go through the driver's own table. */
#include "config.h"

#include "tests/api/api_test.h"

#include <CL/cl_icd.h>

static const cl_icd_dispatch *door;

static void check_platform_and_device(void)
{
	cl_int code;
	CHECK_CODE(door->clGetDeviceInfo(NULL, CL_DEVICE_NAME, 0, NULL, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(door->clCreateSubDevices(NULL, NULL, 0, NULL, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(door->clRetainDevice(NULL), CL_INVALID_DEVICE);
	CHECK_CODE(door->clReleaseDevice(NULL), CL_INVALID_DEVICE);
	CHECK_CODE(door->clGetDeviceAndHostTimer(NULL, NULL, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(door->clGetHostTimer(NULL, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(door->clUnloadPlatformCompiler(NULL), CL_INVALID_PLATFORM);
	CHECK(!door->clGetExtensionFunctionAddressForPlatform(NULL, "clIcdGetPlatformIDsKHR"));
	CHECK_NO_OBJECT(door->clCreateContext(NULL, 0, NULL, NULL, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK(!door->clCreateContext(NULL, 0, NULL, NULL, NULL, NULL));
	CHECK_CODE(door->clRetainContext(NULL), CL_INVALID_CONTEXT);
	CHECK_CODE(door->clReleaseContext(NULL), CL_INVALID_CONTEXT);
	CHECK_CODE(door->clGetContextInfo(NULL, CL_CONTEXT_DEVICES, 0, NULL, NULL),
		   CL_INVALID_CONTEXT);
	CHECK_CODE(door->clSetContextDestructorCallback(NULL, NULL, NULL), CL_INVALID_CONTEXT);
}

static void check_program_and_kernel(void)
{
	cl_int code;
	CHECK_NO_OBJECT(door->clCreateProgramWithSource(NULL, 0, NULL, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateProgramWithBinary(NULL, 0, NULL, NULL, NULL, NULL, &code),
			code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateProgramWithBuiltInKernels(NULL, 0, NULL, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateProgramWithIL(NULL, NULL, 0, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clLinkProgram(NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_CODE(door->clRetainProgram(NULL), CL_INVALID_PROGRAM);
	CHECK_CODE(door->clReleaseProgram(NULL), CL_INVALID_PROGRAM);
	CHECK_CODE(door->clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
	CHECK_CODE(door->clCompileProgram(NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
		   CL_INVALID_PROGRAM);
	CHECK_CODE(door->clGetProgramInfo(NULL, CL_PROGRAM_SOURCE, 0, NULL, NULL),
		   CL_INVALID_PROGRAM);
	CHECK_CODE(door->clGetProgramBuildInfo(NULL, NULL, CL_PROGRAM_BUILD_LOG, 0, NULL, NULL),
		   CL_INVALID_PROGRAM);
	CHECK_CODE(door->clSetProgramReleaseCallback(NULL, NULL, NULL), CL_INVALID_PROGRAM);
	CHECK_CODE(door->clSetProgramSpecializationConstant(NULL, 0, 0, NULL), CL_INVALID_PROGRAM);
	CHECK_NO_OBJECT(door->clCreateKernel(NULL, NULL, &code), code, CL_INVALID_PROGRAM);
	CHECK_CODE(door->clCreateKernelsInProgram(NULL, 0, NULL, NULL), CL_INVALID_PROGRAM);
	CHECK_NO_OBJECT(door->clCloneKernel(NULL, &code), code, CL_INVALID_KERNEL);
	CHECK_CODE(door->clRetainKernel(NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clReleaseKernel(NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clSetKernelArg(NULL, 0, 0, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clSetKernelArgSVMPointer(NULL, 0, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clSetKernelExecInfo(NULL, 0, 0, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clGetKernelInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clGetKernelArgInfo(NULL, 0, 0, 0, NULL, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clGetKernelWorkGroupInfo(NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_KERNEL);
	CHECK_CODE(door->clGetKernelSubGroupInfo(NULL, NULL, 0, 0, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL);
}

static void check_memory(void)
{
	cl_int code;
	CHECK_NO_OBJECT(door->clCreateBuffer(NULL, 0, 0, NULL, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateBufferWithProperties(NULL, NULL, 0, 0, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateSubBuffer(NULL, 0, 0, NULL, &code), code,
			CL_INVALID_MEM_OBJECT);
	CHECK_CODE(door->clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(door->clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(door->clGetMemObjectInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(door->clSetMemObjectDestructorCallback(NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(door->clCreateImage(NULL, 0, NULL, NULL, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateImageWithProperties(NULL, NULL, 0, NULL, NULL, NULL, &code),
			code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateImage2D(NULL, 0, NULL, 0, 0, 0, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateImage3D(NULL, 0, NULL, 0, 0, 0, 0, 0, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_CODE(door->clGetSupportedImageFormats(NULL, 0, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
	CHECK_CODE(door->clGetImageInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(door->clCreateSampler(NULL, 0, 0, 0, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateSamplerWithProperties(NULL, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_CODE(door->clRetainSampler(NULL), CL_INVALID_SAMPLER);
	CHECK_CODE(door->clReleaseSampler(NULL), CL_INVALID_SAMPLER);
	CHECK_CODE(door->clGetSamplerInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_SAMPLER);
	CHECK_NO_OBJECT(door->clCreatePipe(NULL, 0, 0, 0, NULL, &code), code, CL_INVALID_CONTEXT);
	CHECK_CODE(door->clGetPipeInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK(!door->clSVMAlloc(NULL, 0, 0, 0));
	door->clSVMFree(NULL, NULL);
}

static void check_queue_and_event(void)
{
	cl_int code;
	CHECK_NO_OBJECT(door->clCreateCommandQueue(NULL, NULL, 0, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateCommandQueueWithProperties(NULL, NULL, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_CODE(door->clRetainCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clReleaseCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clGetCommandQueueInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clSetCommandQueueProperty(NULL, 0, 0, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clSetDefaultDeviceCommandQueue(NULL, NULL, NULL), CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(door->clCreateUserEvent(NULL, &code), code, CL_INVALID_CONTEXT);
	CHECK_CODE(door->clSetUserEventStatus(NULL, 0), CL_INVALID_EVENT);
	CHECK_CODE(door->clRetainEvent(NULL), CL_INVALID_EVENT);
	CHECK_CODE(door->clReleaseEvent(NULL), CL_INVALID_EVENT);
	CHECK_CODE(door->clGetEventInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_EVENT);
	CHECK_CODE(door->clGetEventProfilingInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_EVENT);
	CHECK_CODE(door->clSetEventCallback(NULL, 0, NULL, NULL), CL_INVALID_EVENT);
	CHECK_CODE(door->clWaitForEvents(0, NULL), CL_INVALID_VALUE);
}

#define CHECK_QUEUE(call) CHECK_CODE(call, CL_INVALID_COMMAND_QUEUE)

static void check_enqueue(void)
{
	cl_int code;
	CHECK_QUEUE(door->clEnqueueReadBuffer(NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueWriteBuffer(NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueCopyBuffer(NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueFillBuffer(NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueReadBufferRect(NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0, NULL,
						  0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueWriteBufferRect(NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0,
						   NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueCopyBufferRect(NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0,
						  NULL, NULL));
	CHECK_NO_OBJECT(door->clEnqueueMapBuffer(NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL, &code),
			code, CL_INVALID_COMMAND_QUEUE);
	CHECK_QUEUE(door->clEnqueueUnmapMemObject(NULL, NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueMigrateMemObjects(NULL, 0, NULL, 0, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueNDRangeKernel(NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueTask(NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueNativeKernel(NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueMarker(NULL, NULL));
	CHECK_QUEUE(door->clEnqueueBarrier(NULL));
	CHECK_QUEUE(door->clEnqueueWaitForEvents(NULL, 0, NULL));
	CHECK_QUEUE(door->clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueReadImage(NULL, NULL, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
	CHECK_QUEUE(
		door->clEnqueueWriteImage(NULL, NULL, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueCopyImage(NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(
		door->clEnqueueCopyImageToBuffer(NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL));
	CHECK_QUEUE(
		door->clEnqueueCopyBufferToImage(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueFillImage(NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL));
	CHECK_NO_OBJECT(door->clEnqueueMapImage(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, 0, NULL,
						NULL, &code),
			code, CL_INVALID_COMMAND_QUEUE);
	CHECK_QUEUE(door->clEnqueueSVMFree(NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueSVMMemcpy(NULL, 0, NULL, NULL, 0, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueSVMMemFill(NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueSVMMap(NULL, 0, 0, NULL, 0, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueSVMUnmap(NULL, NULL, 0, NULL, NULL));
	CHECK_QUEUE(door->clEnqueueSVMMigrateMem(NULL, 0, NULL, NULL, 0, 0, NULL, NULL));
}

/* A good handle of another kind is no better than NULL. */
static void check_kinds(const struct api_test *test)
{
	cl_context context = test->context;
	cl_int code;
	CHECK_CODE(door->clRetainProgram((cl_program)context), CL_INVALID_PROGRAM);
	CHECK_CODE(door->clRetainKernel((cl_kernel)context), CL_INVALID_KERNEL);
	CHECK_CODE(door->clRetainMemObject((cl_mem)context), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(door->clRetainEvent((cl_event)context), CL_INVALID_EVENT);
	CHECK_CODE(door->clRetainCommandQueue((cl_command_queue)context), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(door->clRetainContext((cl_context)test->device), CL_INVALID_CONTEXT);
	CHECK_CODE(door->clRetainDevice((cl_device_id)context), CL_INVALID_DEVICE);
	CHECK_CODE(door->clRetainSampler((cl_sampler)context), CL_INVALID_SAMPLER);
	CHECK_NO_OBJECT(door->clCreateUserEvent((cl_context)test->platform, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_CODE(door->clUnloadPlatformCompiler((cl_platform_id)context), CL_INVALID_PLATFORM);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "null_arguments"))
		return API_TEST_SKIP;
	door = *(const cl_icd_dispatch *const *)(const void *)test.platform;
	check_platform_and_device();
	check_program_and_kernel();
	check_memory();
	check_queue_and_event();
	check_enqueue();
	check_kinds(&test);
	return api_test_end(&test);
}
