#include "config.h"

#include "tests/apps/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void app_check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "%s failed: OpenCL error %d\n", what, error);
	exit(1);
}

static void find_device(struct app *app)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	const char *wanted = getenv("APP_PLATFORM");
	clGetPlatformIDs(16, platforms, &count);
	for (cl_uint p = 0; p < count && p < 16; p++) {
		clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof(app->platform_name),
				  app->platform_name, NULL);
		if (wanted && !strstr(app->platform_name, wanted))
			continue;
		if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_GPU, 1, &app->device, NULL))
			continue;
		app->platform = platforms[p];
		app_check(clGetDeviceInfo(app->device, CL_DEVICE_NAME, sizeof(app->device_name),
					  app->device_name, NULL), "clGetDeviceInfo");
		return;
	}
	fprintf(stderr, "no OpenCL GPU found\n");
	exit(77);
}

static void build(struct app *app, const char *source, const char *options)
{
	cl_int error;
	app->program = clCreateProgramWithSource(app->context, 1, &source, NULL, &error);
	app_check(error, "clCreateProgramWithSource");
	error = clBuildProgram(app->program, 1, &app->device, options, NULL, NULL);
	if (!error)
		return;
	static char log[65536];
	clGetProgramBuildInfo(app->program, app->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
			      NULL);
	fprintf(stderr, "%s\n", log);
	app_check(error, "clBuildProgram");
}

void app_start(struct app *app, const char *source, const char *options)
{
	cl_int error;
	memset(app, 0, sizeof(*app));
	find_device(app);
	app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &error);
	app_check(error, "clCreateContext");
	app->queue = clCreateCommandQueue(app->context, app->device, CL_QUEUE_PROFILING_ENABLE,
					  &error);
	app_check(error, "clCreateCommandQueue");
	build(app, source, options);
}

void app_finish(struct app *app)
{
	clReleaseProgram(app->program);
	clReleaseCommandQueue(app->queue);
	clReleaseContext(app->context);
}

cl_kernel app_kernel(const struct app *app, const char *name)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(app->program, name, &error);
	app_check(error, name);
	return kernel;
}

double app_seconds(cl_event event)
{
	cl_ulong start, end;
	app_check(clWaitForEvents(1, &event), "clWaitForEvents");
	app_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
					  NULL), "profiling");
	app_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL),
		  "profiling");
	clReleaseEvent(event);
	return (double)(end - start) * 1e-9;
}
