/* Protects: a process that has one instance of a GPU, which MIG divides, sees a device with the memory, the
 * multiprocessors and the UUID of this instance, and not those of the GPU; and the instance is used as any device. */
#include "config.h"

#include "tests/api/cuda_library.h"
#include "tests/api/fixture.h"

#include <CL/cl_ext.h>
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GPU_MiB = 2048, GPU_UNITS = 32, PARTS = 8, COUNT = 4096 };

static const char source[] = "kernel void square(global int *a) { a[get_global_id(0)] *= a[get_global_id(0)]; }";

static void read_uuid(void *library, const char *name, unsigned char *uuid)
{
	CUresult (*get)(CUuuid *, CUdevice);
	void *symbol = dlsym(library, name);
	CUuuid cu_uuid = {{0}};
	CHECK(symbol != NULL);
	if (!symbol)
		return;
	memcpy(&get, &symbol, sizeof(get));
	CHECK(get(&cu_uuid, 0) == CUDA_SUCCESS);
	memcpy(uuid, cu_uuid.bytes, CL_UUID_SIZE_KHR);
}

static void check_names(cl_device_id device)
{
	unsigned char seen[CL_UUID_SIZE_KHR] = {0}, instance[CL_UUID_SIZE_KHR] = {0}, gpu[CL_UUID_SIZE_KHR] = {0};
	bool is_software = false;
	void *library = cuda_library(&is_software);
	CHECK(is_software);
	if (!library)
		return;
	read_uuid(library, "cuDeviceGetUuid_v2", instance);
	read_uuid(library, "cuDeviceGetUuid", gpu);
	CHECK(memcmp(instance, gpu, sizeof(gpu)));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof(seen), seen, NULL));
	CHECK(!memcmp(seen, instance, sizeof(seen)));
}

/* More than the instance has is refused, though the GPU has it. */
static void check_memory(const struct api_test *test)
{
	cl_ulong size_B = 0;
	cl_uint units = 0;
	cl_int code;
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(size_B), &size_B, NULL));
	CHECK(size_B == (cl_ulong)GPU_MiB / PARTS << 20);
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	CHECK(units == GPU_UNITS / PARTS);
	CHECK_NO_OBJECT(clCreateBuffer(test->context, 0, (size_t)size_B * 2, NULL, &code), code,
			CL_INVALID_BUFFER_SIZE);
}

static void check_use(const struct api_test *test)
{
	static cl_int values[COUNT];
	for (int i = 0; i < COUNT; i++)
		values[i] = i;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	cl_program program = api_test_build(test->context, test->device, source, "");
	cl_kernel square = kernel_make(program, "square");
	cl_mem mem = buffer_make(test->context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
	CHECK_OK(clSetKernelArg(square, 0, sizeof(mem), &mem));
	launch_1d(queue, square, COUNT);
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL));
	int wrong = 0;
	for (int i = 0; i < COUNT; i++)
		wrong += values[i] != i * i;
	CHECK(!wrong);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(square));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	const char *cuda = getenv("CULVERT_CUDA");
	struct api_test test;
	cl_uint count = 0;
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	setenv("CULVERT_SOFT_SHARING", "instance", 1);
	setenv("CULVERT_SOFT_MEMORY", "2048M", 1);
	setenv("CULVERT_SOFT_MULTIPROCESSORS", "32", 1);
	setenv("CULVERT_SOFT_DEVICES", "4", 1);
	if (!api_test_start(&test, "gpu_instance"))
		return API_TEST_SKIP;
	CHECK_OK(clGetDeviceIDs(test.platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
	CHECK(count == 1);
	check_names(test.device);
	check_memory(&test);
	check_use(&test);
	return api_test_end(&test);
}
