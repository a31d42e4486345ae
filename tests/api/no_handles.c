/* Protects: a device or a platform that an application names is compared with those there are and not
 * read, wherever it stands: as an argument, in a list, as a property's value.  What is given here
 * cannot be read, or is another object.  The calls are the platform's own, for a loader may read. */
#include "config.h"

#include "icd/include/khr_external_memory.h"
#include "tests/api/fixture.h"
#include "tests/api/own_function.h"

#include <CL/cl_gl.h>
#include <stdint.h>
#include <sys/mman.h>

/* CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, which older headers lack; 0 ends the list. */
#define SEMAPHORE_DEVICES 0x2053

static struct api_test test;
static void *(CL_API_CALL *find)(cl_platform_id, const char *);

/* FUNCTION(clName): a pointer of its type to the platform's own. */
#define FUNCTION(name) ((__typeof__(&name))find(test.platform, #name))
#define FUNCTION_AS(type, name) ((type)find(test.platform, #name))

static void arguments(void *wrong)
{
	char text[64];
	cl_ulong times[2];
	cl_uint count;
	cl_int code;
	const cl_platform_id platform = wrong;
	const cl_device_id device = wrong;
	CHECK_CODE(FUNCTION(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof(text), text, NULL),
		   CL_INVALID_PLATFORM);
	CHECK_CODE(FUNCTION(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count),
		   CL_INVALID_PLATFORM);
	CHECK_CODE(FUNCTION(clUnloadPlatformCompiler)(platform), CL_INVALID_PLATFORM);
	/* CL_INVALID_PLATFORM is not among this function's errors. */
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
	CHECK_CODE(FUNCTION(clGetGLContextInfoKHR)(properties, CL_DEVICES_FOR_GL_CONTEXT_KHR, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK(!FUNCTION(clGetExtensionFunctionAddressForPlatform)(platform, "clCreateContext"));
	CHECK(!find(platform, "clCreateContext"));
	CHECK_CODE(FUNCTION(clGetDeviceInfo)(device, CL_DEVICE_NAME, sizeof(text), text, NULL),
		   CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clRetainDevice)(device), CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clReleaseDevice)(device), CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clCreateSubDevices)(device, NULL, 0, NULL, &count), CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clGetHostTimer)(device, times), CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clGetDeviceAndHostTimer)(device, times, times + 1), CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clSetDefaultDeviceCommandQueue)(test.context, device, NULL),
		   CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clCreateCommandQueue)(test.context, device, 0, &code), code,
			CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clCreateCommandQueueWithProperties)(test.context, device, NULL,
								     &code),
			code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION_AS(clDeviceMemAllocINTEL_fn, clDeviceMemAllocINTEL)(
				test.context, device, NULL, 64, 0, &code),
			code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION_AS(clSharedMemAllocINTEL_fn, clSharedMemAllocINTEL)(
				test.context, device ? device : (cl_device_id)(uintptr_t)16, NULL, 64,
				0, &code),
			code, CL_INVALID_DEVICE);
}

static void of_programs(cl_device_id device)
{
	static const char *const source = "kernel void k(global int *p) { *p = 1; }";
	const cl_device_id devices[] = {test.device, device};
	const unsigned char byte = 0, *const bytes[] = {&byte, &byte};
	const size_t sizes[] = {1, 1};
	size_t size;
	cl_int code, codes[2];
	const cl_program program = clCreateProgramWithSource(test.context, 1, (const char **)&source,
							     NULL, &code);
	CHECK_OK(code);
	CHECK_CODE(FUNCTION(clBuildProgram)(program, 2, devices, "", NULL, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(FUNCTION(clCompileProgram)(program, 2, devices, "", 0, NULL, NULL, NULL, NULL),
		   CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clLinkProgram)(test.context, 2, devices, "", 1, &program, NULL, NULL,
						&code),
			code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clCreateProgramWithBinary)(test.context, 2, devices, sizes,
							    (const unsigned char **)bytes, codes,
							    &code),
			code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clCreateProgramWithBuiltInKernels)(test.context, 2, devices, "k",
								    &code),
			code, CL_INVALID_DEVICE);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	CHECK_CODE(FUNCTION(clGetProgramBuildInfo)(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
						   &size),
		   CL_INVALID_DEVICE);
	const cl_kernel kernel = kernel_make(program, "k");
	/* OpenCL 3.0 API, 5.9.4: NULL is the program's only device. */
	if (device) {
		CHECK_CODE(FUNCTION(clGetKernelWorkGroupInfo)(kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
							      0, NULL, &size),
			   CL_INVALID_DEVICE);
		CHECK_CODE(FUNCTION(clGetKernelSubGroupInfo)(
				   kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL,
				   &size),
			   CL_INVALID_DEVICE);
	}
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

static void in_lists(cl_device_id device)
{
	const cl_device_id devices[] = {test.device, device};
	const cl_context_properties of_context[] = {CL_CONTEXT_PLATFORM,
						    (cl_context_properties)device, 0};
	const cl_mem_properties of_memory[] = {
		CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, 9999, CL_MEM_DEVICE_HANDLE_LIST_KHR,
		(cl_mem_properties)(uintptr_t)device, CL_MEM_DEVICE_HANDLE_LIST_END_KHR, 0};
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4,
				     .image_height = 4};
	const cl_semaphore_properties_khr of_semaphore[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, SEMAPHORE_DEVICES,
		(cl_semaphore_properties_khr)(uintptr_t)device, 0, 0};
	cl_int code;
	CHECK_NO_OBJECT(FUNCTION(clCreateContext)(NULL, 2, devices, NULL, NULL, &code), code,
			CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clCreateContext)(of_context, 1, devices, NULL, NULL, &code), code,
			CL_INVALID_PLATFORM);
	CHECK_NO_OBJECT(FUNCTION(clCreateContextFromType)(of_context, CL_DEVICE_TYPE_ALL, NULL, NULL,
							  &code),
			code, CL_INVALID_PLATFORM);
	/* 0 ends a list of devices: an empty one. */
	CHECK_NO_OBJECT(FUNCTION(clCreateBufferWithProperties)(test.context, of_memory, 0, 64, NULL,
							       &code),
			code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(FUNCTION(clCreateImageWithProperties)(test.context, of_memory, 0, &format,
							      &shape, NULL, &code),
			code, CL_INVALID_DEVICE);
	const clCreateSemaphoreWithPropertiesKHR_fn create = FUNCTION_AS(
		clCreateSemaphoreWithPropertiesKHR_fn, clCreateSemaphoreWithPropertiesKHR);
	CHECK_NO_OBJECT(create(test.context, of_semaphore, &code), code, CL_INVALID_DEVICE);
}

int main(void)
{
	if (!api_test_start(&test, "no_handles"))
		return API_TEST_SKIP;
	void *const found = own_function("clIcdGetFunctionAddressForPlatformKHR");
	memcpy(&find, &found, sizeof(find));
	char *const unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char zeros[256];
	if (!CHECK(found && unreadable != MAP_FAILED))
		return api_test_end(&test);
	void *const wrong[] = {(void *)(uintptr_t)1, (void *)(uintptr_t)12345, unreadable,
			       unreadable + 4090, (void *)UINTPTR_MAX, (void *)(UINTPTR_MAX / 2 + 9),
			       zeros, test.context, (char *)test.device + 8, (char *)test.device + 1};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		arguments(wrong[i]);
		of_programs(wrong[i]);
		in_lists(wrong[i]);
	}
	return api_test_end(&test);
}
