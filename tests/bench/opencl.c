#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 16 };

struct opencl opencl;

static bool platform_is_wanted(cl_platform_id platform)
{
	char name[256] = "";
	CL_OK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
	return !bench.platform || strstr(name, bench.platform);
}

/* The first that is wanted and has devices. */
static void choose_platform(cl_uint devices_limit)
{
	cl_platform_id platforms[PLATFORMS];
	cl_uint count = 0;
	CL_OK(clGetPlatformIDs(PLATFORMS, platforms, &count));
	for (cl_uint i = 0; i < count && i < PLATFORMS; i++) {
		if (!platform_is_wanted(platforms[i]) ||
		    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, devices_limit, opencl.devices,
				   &opencl.device_count))
			continue;
		if (opencl.device_count > devices_limit)
			opencl.device_count = devices_limit;
		opencl.platform = platforms[i];
		return;
	}
	bench_fail(__FILE__, __LINE__, "no such platform with a device", (int)count);
}

const char *opencl_newest_language(void)
{
	char version[256] = "";
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_VERSION, sizeof(version), version,
			      NULL));
	return strtod(version + strlen("OpenCL "), NULL) >= 3 ? "-cl-std=CL3.0" : "";
}

void opencl_build(const char *source, const char *options)
{
	cl_int code;
	char usual[64];
	/* What nvcc does without being asked. */
	snprintf(usual, sizeof(usual), "-cl-mad-enable %s", opencl_newest_language());
	if (!options)
		options = usual;
	opencl.program = clCreateProgramWithSource(opencl.context, 1, &source, NULL, &code);
	CL_OK(code);
	code = clBuildProgram(opencl.program, 0, NULL, options, NULL, NULL);
	if (code) {
		static char log[16384];
		clGetProgramBuildInfo(opencl.program, opencl.devices[0], CL_PROGRAM_BUILD_LOG,
				      sizeof(log), log, NULL);
		fprintf(stderr, "%s\n", log);
	}
	CL_OK(code);
}

void opencl_choose(cl_uint devices_limit)
{
	cl_int code;
	choose_platform(devices_limit);
	opencl.context = clCreateContext(NULL, opencl.device_count, opencl.devices, NULL, NULL,
					 &code);
	CL_OK(code);
}

void opencl_rows_begin(const char *bench_name)
{
	char platform[256] = "", device[256] = "", driver[256] = "";
	CL_OK(clGetPlatformInfo(opencl.platform, CL_PLATFORM_NAME, sizeof(platform), platform,
				NULL));
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_NAME, sizeof(device), device, NULL));
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DRIVER_VERSION, sizeof(driver), driver, NULL));
	rows_begin(bench_name, platform, device, driver);
}

void opencl_open(const char *bench_name, const char *source, cl_uint devices_limit)
{
	opencl_choose(devices_limit);
	opencl_build(source, NULL);
	opencl_rows_begin(bench_name);
}

int opencl_close(void)
{
	if (opencl.program)
		CL_OK(clReleaseProgram(opencl.program));
	CL_OK(clReleaseContext(opencl.context));
	return rows_end();
}

bool opencl_has(const char *extension)
{
	static char extensions[16384];
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_EXTENSIONS, sizeof(extensions),
			      extensions, NULL));
	return strstr(extensions, extension) != NULL;
}

cl_command_queue opencl_queue(cl_uint device, cl_command_queue_properties properties)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(opencl.context, opencl.devices[device],
						      properties, &code);
	CL_OK(code);
	return queue;
}

cl_command_queue opencl_queue_any_order(void)
{
	cl_command_queue_properties properties = 0;
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_QUEUE_PROPERTIES, sizeof(properties),
			      &properties, NULL));
	if (!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
		return NULL;
	return opencl_queue(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

cl_mem opencl_buffer(cl_mem_flags flags, size_t size_B)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(opencl.context, flags, size_B, NULL, &code);
	CL_OK(code);
	return mem;
}

cl_kernel opencl_kernel(const char *name, cl_uint buffer_count, const cl_mem *buffers)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(opencl.program, name, &code);
	CL_OK(code);
	for (cl_uint i = 0; i < buffer_count; i++)
		CL_OK(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
	return kernel;
}

void opencl_launch(cl_command_queue queue, cl_kernel kernel, size_t global, size_t local,
		   cl_uint wait_count, const cl_event *waits, cl_event *event)
{
	CL_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, wait_count, waits,
				     event));
}

struct opencl_host opencl_host_make(cl_command_queue queue, size_t size_B, bool pinned)
{
	struct opencl_host host = {.queue = queue};
	cl_int code = CL_SUCCESS;
	if (pinned) {
		host.mem = opencl_buffer(CL_MEM_ALLOC_HOST_PTR, size_B);
		host.bytes = clEnqueueMapBuffer(queue, host.mem, CL_TRUE,
						CL_MAP_READ | CL_MAP_WRITE, 0, size_B, 0, NULL,
						NULL, &code);
	} else {
		host.bytes = malloc(size_B);
	}
	CL_OK(code);
	if (!host.bytes)
		bench_fail(__FILE__, __LINE__, "malloc", 0);
	memset(host.bytes, 1, size_B);
	return host;
}

void opencl_host_end(struct opencl_host *host)
{
	if (host->mem) {
		CL_OK(clEnqueueUnmapMemObject(host->queue, host->mem, host->bytes, 0, NULL, NULL));
		CL_OK(clFinish(host->queue));
		CL_OK(clReleaseMemObject(host->mem));
	} else {
		free(host->bytes);
	}
	host->bytes = NULL;
}
