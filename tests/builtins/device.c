#include "config.h"

#include "tests/builtins/device.h"
#include "tests/builtins/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find_device(struct device *device, const char *wanted)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	if (clGetPlatformIDs(16, platforms, &count))
		return false;
	for (cl_uint p = 0; p < count && p < 16; p++) {
		char name[256] = "";
		clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
		if (wanted && strncmp(name, wanted, strlen(wanted)))
			continue;
		if (!clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device->id, NULL))
			return true;
	}
	return false;
}

static bool has_extension(const struct device *device, const char *name)
{
	char names[8192] = "";
	clGetDeviceInfo(device->id, CL_DEVICE_EXTENSIONS, sizeof(names) - 1, names, NULL);
	return strstr(names, name) != NULL;
}

bool device_open(struct device *device, const char *platform)
{
	memset(device, 0, sizeof(*device));
	if (!find_device(device, platform))
		return false;
	cl_int error;
	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
	if (!error)
		device->queue = clCreateCommandQueue(device->context, device->id, 0, &error);
	if (error) {
		printf("no context or queue: %d\n", error);
		device_close(device);
		return false;
	}
	device->has_half = has_extension(device, "cl_khr_fp16");
	device->has_int64_atomics = has_extension(device, "cl_khr_int64_base_atomics") &&
				    has_extension(device, "cl_khr_int64_extended_atomics");
	cl_device_atomic_capabilities orders = 0;
	clGetDeviceInfo(device->id, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof(orders), &orders,
			NULL);
	device->has_c11 = (orders & CL_DEVICE_ATOMIC_ORDER_ACQ_REL) &&
			  (orders & CL_DEVICE_ATOMIC_ORDER_SEQ_CST) &&
			  (orders & CL_DEVICE_ATOMIC_SCOPE_DEVICE);
	return true;
}

void device_close(struct device *device)
{
	if (device->queue)
		clReleaseCommandQueue(device->queue);
	if (device->context)
		clReleaseContext(device->context);
}

static void print_log(struct device *device, cl_program program)
{
	size_t size_B = 0;
	clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size_B);
	char *log = calloc(1, size_B + 1);
	if (log && !clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size_B, log,
					  NULL))
		printf("%.4000s\n", log);
	free(log);
}

cl_program device_build(struct device *device, const char *source, bool c11)
{
	return device_build_with(device, source, c11 ? "-cl-std=CL3.0" : "-cl-std=CL1.2");
}

cl_program device_build_with(struct device *device, const char *source, const char *options)
{
	const char *path = getenv("VALUES_DUMP");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (file) {
		fputs(source, file);
		fclose(file);
	}
	const char *texts[] = {
		device->has_half ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "", source
	};
	cl_int error;
	cl_program program = clCreateProgramWithSource(device->context, 2, texts, NULL, &error);
	if (!error)
		error = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
	if (!error)
		return program;
	family_fail("a program does not build: %d", error);
	if (program) {
		print_log(device, program);
		clReleaseProgram(program);
	}
	return NULL;
}

cl_mem device_buffer(struct device *device, size_t size_B, const void *content)
{
	cl_int error;
	void *zeros = content ? NULL : calloc(1, size_B);
	union { const void *in; void *out; } source = {content ? content : zeros};
	cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				       size_B, source.out, &error);
	free(zeros);
	if (!error)
		return buffer;
	family_fail("a buffer of %zu bytes: %d", size_B, error);
	return NULL;
}

bool device_read(struct device *device, cl_mem buffer, size_t size_B, void *content)
{
	cl_int error = clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, 0, size_B, content, 0,
					   NULL, NULL);
	if (error)
		family_fail("reading back: %d", error);
	return !error;
}

bool device_run(struct device *device, cl_program program, const char *name, const cl_mem *buffers,
		cl_uint buffer_count, size_t global, size_t local)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, name, &error);
	for (cl_uint i = 0; !error && i < buffer_count; i++)
		error = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
	if (!error)
		error = clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global,
					       local ? &local : NULL, 0, NULL, NULL);
	if (!error)
		error = clFinish(device->queue);
	if (kernel)
		clReleaseKernel(kernel);
	if (error)
		family_fail("kernel %s: %d", name, error);
	return !error;
}
