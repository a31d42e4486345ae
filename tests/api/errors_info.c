/* Every clGet*Info: handles, names, sizes. */
#include "config.h"

#include "tests/api/errors.h"

/* A name that is none, and a value that is a byte too small for one that is.  size_condition is
 * that of the second; of several functions the pages say both in one sentence. */
#define NAME_AND_SIZE(function, size_condition, name, ...)                                        \
	do {                                                                                      \
		size_t size_B = 0;                                                                \
		ERROR_CODE(function, CL_INVALID_VALUE, 1,                                         \
			   function(__VA_ARGS__, 0x7777, sizeof(error_bytes), error_bytes,        \
				    &size_B));                                                    \
		REQUIRE(!function(__VA_ARGS__, name, 0, NULL, &size_B));                          \
		ERROR_CODE(function, CL_INVALID_VALUE, size_condition,                            \
			   function(__VA_ARGS__, name, size_B - 1, error_bytes, NULL));           \
		REQUIRE(!function(__VA_ARGS__, name, size_B, error_bytes, NULL));                 \
	} while (0)

#define HANDLE(function, code, name, ...)                                                         \
	ERROR_CODE(function, code, 1,                                                             \
		   function(__VA_ARGS__, name, sizeof(error_bytes), error_bytes, NULL))

static void objects(void)
{
	HANDLE(clGetPlatformInfo, CL_INVALID_PLATFORM, CL_PLATFORM_NAME, world.wrong_platform);
	NAME_AND_SIZE(clGetPlatformInfo, 2, CL_PLATFORM_NAME, world.platform);
	HANDLE(clGetDeviceInfo, CL_INVALID_DEVICE, CL_DEVICE_NAME, world.wrong_device);
	NAME_AND_SIZE(clGetDeviceInfo, 2, CL_DEVICE_NAME, world.device);
	HANDLE(clGetContextInfo, CL_INVALID_CONTEXT, CL_CONTEXT_DEVICES, world.wrong_context);
	NAME_AND_SIZE(clGetContextInfo, 2, CL_CONTEXT_DEVICES, world.context);
	HANDLE(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, CL_QUEUE_DEVICE,
	       world.wrong_queue);
	NAME_AND_SIZE(clGetCommandQueueInfo, 2, CL_QUEUE_DEVICE, world.queue);
	HANDLE(clGetMemObjectInfo, CL_INVALID_MEM_OBJECT, CL_MEM_SIZE, world.wrong_mem);
	NAME_AND_SIZE(clGetMemObjectInfo, 1, CL_MEM_SIZE, world.buffer);
	HANDLE(clGetImageInfo, CL_INVALID_MEM_OBJECT, CL_IMAGE_WIDTH, world.wrong_mem);
	HANDLE(clGetImageInfo, CL_INVALID_MEM_OBJECT, CL_IMAGE_WIDTH, world.buffer);
	NAME_AND_SIZE(clGetImageInfo, 2, CL_IMAGE_WIDTH, world.image);
	HANDLE(clGetSamplerInfo, CL_INVALID_SAMPLER, CL_SAMPLER_FILTER_MODE, world.wrong_sampler);
	NAME_AND_SIZE(clGetSamplerInfo, 1, CL_SAMPLER_FILTER_MODE, world.sampler);
	HANDLE(clGetEventInfo, CL_INVALID_EVENT, CL_EVENT_CONTEXT, world.wrong_event);
	NAME_AND_SIZE(clGetEventInfo, 1, CL_EVENT_CONTEXT, world.done);
	HANDLE(clGetPipeInfo, CL_INVALID_MEM_OBJECT, CL_PIPE_PACKET_SIZE, world.buffer);
	/* 5.1: the size of a queue that is on the host. */
	ERROR_CODE(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, 2,
		   clGetCommandQueueInfo(world.queue, CL_QUEUE_SIZE, sizeof(error_bytes),
					 error_bytes, NULL));
}

static void programs(void)
{
	HANDLE(clGetProgramInfo, CL_INVALID_PROGRAM, CL_PROGRAM_SOURCE, world.wrong_program);
	NAME_AND_SIZE(clGetProgramInfo, 1, CL_PROGRAM_SOURCE, world.program);
	ERROR_CODE(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clGetProgramInfo(world.unbuilt, CL_PROGRAM_NUM_KERNELS, sizeof(error_bytes),
				    error_bytes, NULL));
	ERROR_CODE(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clGetProgramInfo(world.unbuilt, CL_PROGRAM_KERNEL_NAMES, sizeof(error_bytes),
				    error_bytes, NULL));
	ERROR_CODE(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clGetProgramInfo(world.unbuilt, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
				    sizeof(error_bytes), error_bytes, NULL));
	ERROR_CODE(clGetProgramInfo, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clGetProgramInfo(world.unbuilt, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
				    sizeof(error_bytes), error_bytes, NULL));
	/* A place for each device's binary, none of which is written to. */
	unsigned char *places[1] = {NULL};
	ERROR_CODE(clGetProgramInfo, CL_INVALID_VALUE, 1,
		   clGetProgramInfo(world.program, CL_PROGRAM_BINARIES, sizeof(places) - 1, places,
				    NULL));
	HANDLE(clGetProgramBuildInfo, CL_INVALID_PROGRAM, CL_PROGRAM_BUILD_STATUS,
	       world.wrong_program, world.device);
	HANDLE(clGetProgramBuildInfo, CL_INVALID_DEVICE, CL_PROGRAM_BUILD_STATUS, world.program,
	       world.wrong_device);
	if (world.other)
		HANDLE(clGetProgramBuildInfo, CL_INVALID_DEVICE, CL_PROGRAM_BUILD_STATUS,
		       world.program, world.other);
	NAME_AND_SIZE(clGetProgramBuildInfo, 1, CL_PROGRAM_BUILD_STATUS, world.program,
		      world.device);
}

static void work_groups(void)
{
	HANDLE(clGetKernelWorkGroupInfo, CL_INVALID_KERNEL, CL_KERNEL_WORK_GROUP_SIZE,
	       world.wrong_kernel, world.device);
	HANDLE(clGetKernelWorkGroupInfo, CL_INVALID_DEVICE, CL_KERNEL_WORK_GROUP_SIZE,
	       world.kernel, world.wrong_device);
	NAME_AND_SIZE(clGetKernelWorkGroupInfo, 1, CL_KERNEL_WORK_GROUP_SIZE, world.kernel,
		      world.device);
	ERROR_CODE(clGetKernelWorkGroupInfo, CL_INVALID_VALUE, 2,
		   clGetKernelWorkGroupInfo(world.kernel, world.device, CL_KERNEL_GLOBAL_WORK_SIZE,
					    sizeof(error_bytes), error_bytes, NULL));
}

static cl_int sub_groups(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
			 size_t input_B, const void *input, size_t size_B)
{
	return clGetKernelSubGroupInfo(kernel, device, name, input_B, input, size_B, error_bytes,
				       NULL);
}

static void sub_group_info(void)
{
	const cl_kernel_sub_group_info name = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
	const cl_kernel_sub_group_info takers[] = {
		name, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
		CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
	};
	const size_t local[1] = {64};
	ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_KERNEL, 1,
		   sub_groups(world.wrong_kernel, world.device, name, sizeof(local), local, 8));
	ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_DEVICE, 1,
		   sub_groups(world.kernel, world.wrong_device, name, sizeof(local), local, 8));
	ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_VALUE, 1,
		   sub_groups(world.kernel, world.device, 0x7777, sizeof(local), local, 8));
	ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_VALUE, 1,
		   sub_groups(world.kernel, world.device, name, sizeof(local), local, 7));
	REQUIRE(!sub_groups(world.kernel, world.device, name, sizeof(local), local, 8));
	for (unsigned i = 0; i < 3; i++) {
		ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_VALUE, 2,
			   sub_groups(world.kernel, world.device, takers[i], 3, local, 64));
		ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_VALUE, 2,
			   sub_groups(world.kernel, world.device, takers[i], sizeof(local), NULL,
				      64));
	}
}

/* PTX text as a program binary has no words for arguments. */
static void nameless_arguments(void)
{
	const char *ptx = ".version 6.0\n.target sm_50\n.address_size 64\n"
			  ".visible .entry k(.param .u32 k_param_0) { ret; }\n";
	const unsigned char *binary = (const unsigned char *)ptx;
	const size_t length = strlen(ptx);
	cl_int code;
	cl_program program = clCreateProgramWithBinary(world.context, 1, &world.device, &length,
						       &binary, NULL, &code);
	REQUIRE(!code && !clBuildProgram(program, 0, NULL, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	REQUIRE(!code);
	ERROR_CODE(clGetKernelArgInfo, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, 1,
		   clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof(error_bytes),
				      error_bytes, NULL));
	REQUIRE(!clReleaseKernel(kernel));
	REQUIRE(!clReleaseProgram(program));
}

static void kernels(void)
{
	HANDLE(clGetKernelInfo, CL_INVALID_KERNEL, CL_KERNEL_NUM_ARGS, world.wrong_kernel);
	NAME_AND_SIZE(clGetKernelInfo, 1, CL_KERNEL_NUM_ARGS, world.kernel);
	HANDLE(clGetKernelArgInfo, CL_INVALID_KERNEL, CL_KERNEL_ARG_NAME, world.wrong_kernel, 0);
	ERROR_CODE(clGetKernelArgInfo, CL_INVALID_ARG_INDEX, 1,
		   clGetKernelArgInfo(world.kernel, 2, CL_KERNEL_ARG_NAME, sizeof(error_bytes),
				      error_bytes, NULL));
	NAME_AND_SIZE(clGetKernelArgInfo, 1, CL_KERNEL_ARG_NAME, world.kernel, 0);
	nameless_arguments();
	work_groups();
	sub_group_info();
}

/* NULL stands for the only device, and is refused where there are several. */
static void several_devices(void)
{
	const char *text = "kernel void k(global int *a) { a[0] = 1; }";
	const size_t local[1] = {64};
	cl_int code;
	if (!world.other)
		return;
	const cl_device_id both[] = {world.device, world.other};
	cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &code);
	REQUIRE(!code);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	REQUIRE(!code && !clBuildProgram(program, 0, NULL, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	REQUIRE(!code);
	HANDLE(clGetKernelWorkGroupInfo, CL_INVALID_DEVICE, CL_KERNEL_WORK_GROUP_SIZE, kernel,
	       NULL);
	ERROR_CODE(clGetKernelSubGroupInfo, CL_INVALID_DEVICE, 1,
		   sub_groups(kernel, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
			      sizeof(local), local, 8));
	REQUIRE(!clReleaseKernel(kernel));
	REQUIRE(!clReleaseProgram(program));
	REQUIRE(!clReleaseContext(context));
}

static void profiling(void)
{
	cl_event marker, waiting, stamped;
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(world.context, world.device,
						      CL_QUEUE_PROFILING_ENABLE, &code);
	REQUIRE(!code);
	REQUIRE(!clEnqueueMarkerWithWaitList(world.queue, 0, NULL, &marker));
	REQUIRE(!clEnqueueMarkerWithWaitList(queue, 0, NULL, &stamped));
	REQUIRE(!clEnqueueMarkerWithWaitList(queue, 1, &world.user, &waiting));
	REQUIRE(!clWaitForEvents(1, &stamped));
	HANDLE(clGetEventProfilingInfo, CL_INVALID_EVENT, CL_PROFILING_COMMAND_END,
	       world.wrong_event);
	HANDLE(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE, CL_PROFILING_COMMAND_END,
	       marker);
	HANDLE(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE, CL_PROFILING_COMMAND_END,
	       waiting);
	HANDLE(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE, CL_PROFILING_COMMAND_END,
	       world.done);
	NAME_AND_SIZE(clGetEventProfilingInfo, 1, CL_PROFILING_COMMAND_END, stamped);
	REQUIRE(!clReleaseEvent(marker));
	REQUIRE(!clReleaseEvent(stamped));
	REQUIRE(!clReleaseEvent(waiting));
	REQUIRE(!clReleaseCommandQueue(queue));
}

void errors_info(void)
{
	objects();
	programs();
	kernels();
	several_devices();
	profiling();
}
