#include "config.h"

#include "tests/bench/codegen/twins.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffers[TWIN_ARGUMENTS];
	size_t global[2], local[2];
} now;

static bool good(cl_int error, const char *what)
{
	if (error)
		fprintf(stderr, "opencl: %s: error %d\n", what, error);
	return !error;
}

/* The platform of the environment's TWIN_PLATFORM, Culvert if there is none. */
static bool choose_platform(cl_platform_id *platform_out)
{
	const char *wanted = getenv("TWIN_PLATFORM");
	cl_platform_id platforms[16];
	cl_uint count = 0;
	if (!good(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs"))
		return false;
	for (cl_uint i = 0; i < count && i < 16; i++) {
		char name[256] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
		if (strstr(name, wanted ? wanted : "Culvert")) {
			*platform_out = platforms[i];
			return true;
		}
	}
	fprintf(stderr, "opencl: no such platform\n");
	return false;
}

static bool opencl_open(void)
{
	cl_platform_id platform;
	cl_int error;
	if (!choose_platform(&platform) ||
	    !good(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &now.device, NULL), "device"))
		return false;
	now.context = clCreateContext(NULL, 1, &now.device, NULL, NULL, &error);
	if (!good(error, "clCreateContext"))
		return false;
	now.queue = clCreateCommandQueue(now.context, now.device, 0, &error);
	return good(error, "clCreateCommandQueue");
}

static bool build(const struct twin *twin)
{
	const char *folder = getenv("TWIN_SOURCES");
	size_t size_B;
	cl_int error;
	char *source = read_whole(folder ? folder : TWIN_SOURCES, twin->name, ".cl", &size_B);
	if (!source)
		return false;
	now.program = clCreateProgramWithSource(now.context, 1, (const char **)&source, &size_B,
						&error);
	free(source);
	if (!good(error, "clCreateProgramWithSource"))
		return false;
	/* What nvcc does without being asked. */
	error = clBuildProgram(now.program, 1, &now.device, "-cl-std=CL3.0 -cl-mad-enable", NULL,
			       NULL);
	if (error) {
		char log[4096] = "";
		clGetProgramBuildInfo(now.program, now.device, CL_PROGRAM_BUILD_LOG, sizeof(log),
				      log, NULL);
		fprintf(stderr, "%s", log);
	}
	if (!good(error, twin->name))
		return false;
	now.kernel = clCreateKernel(now.program, twin->name, &error);
	return good(error, "clCreateKernel");
}

static bool set_argument(const struct argument *argument, unsigned i)
{
	cl_int error;
	if (!argument_is_buffer(argument))
		return good(clSetKernelArg(now.kernel, i, argument->size_B, &argument->bits),
			    "clSetKernelArg");
	now.buffers[i] = clCreateBuffer(now.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
					argument->size_B, argument->data, &error);
	return good(error, "clCreateBuffer") &&
	       good(clSetKernelArg(now.kernel, i, sizeof(cl_mem), &now.buffers[i]),
		    "clSetKernelArg");
}

static bool opencl_prepare(const struct twin *twin, const char *code_folder)
{
	(void)code_folder;
	memcpy(now.global, twin->global, sizeof(now.global));
	memcpy(now.local, twin->local, sizeof(now.local));
	if (!build(twin))
		return false;
	for (unsigned i = 0; twin->arguments[i].kind; i++) {
		if (!set_argument(&twin->arguments[i], i))
			return false;
	}
	return true;
}

static bool opencl_run(unsigned count)
{
	bool launched = true;
	cl_uint dimensions = now.global[1] > 1 ? 2 : 1;
	for (unsigned i = 0; i < count && launched; i++)
		launched = good(clEnqueueNDRangeKernel(now.queue, now.kernel, dimensions, NULL,
						       now.global, now.local, 0, NULL, NULL),
				"clEnqueueNDRangeKernel");
	return launched && good(clFinish(now.queue), "clFinish");
}

static bool opencl_reset(const struct twin *twin)
{
	for (unsigned i = 0; twin->arguments[i].kind; i++) {
		const struct argument *argument = &twin->arguments[i];
		if (argument->kind == ARGUMENT_OUT &&
		    !good(clEnqueueWriteBuffer(now.queue, now.buffers[i], CL_TRUE, 0,
					       argument->size_B, argument->data, 0, NULL, NULL),
			  "clEnqueueWriteBuffer"))
			return false;
	}
	return true;
}

static bool opencl_fetch(const struct twin *twin, unsigned argument, void *to)
{
	return good(clEnqueueReadBuffer(now.queue, now.buffers[argument], CL_TRUE, 0,
					twin->arguments[argument].size_B, to, 0, NULL, NULL),
		    "clEnqueueReadBuffer");
}

static void opencl_release(void)
{
	for (unsigned i = 0; i < TWIN_ARGUMENTS; i++) {
		if (now.buffers[i])
			clReleaseMemObject(now.buffers[i]);
		now.buffers[i] = NULL;
	}
	if (now.kernel)
		clReleaseKernel(now.kernel);
	if (now.program)
		clReleaseProgram(now.program);
	now.kernel = NULL;
	now.program = NULL;
}

const struct side side_opencl = {
	opencl_open, opencl_prepare, opencl_run, opencl_reset, opencl_fetch, opencl_release,
};
