#include "config.h"

#include "tests/api/fixture.h"

static bool succeeded(struct fixture_place place, const char *call, cl_int code)
{
	return api_test_check_code(code, CL_SUCCESS, call, place.file, place.line);
}

cl_context fixture_context(struct fixture_place place, cl_uint count, const cl_device_id *devices)
{
	cl_int code;
	cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
	return succeeded(place, "clCreateContext", code) ? context : NULL;
}

cl_command_queue fixture_queue(struct fixture_place place, cl_context context, cl_device_id device,
			       cl_command_queue_properties properties)
{
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
	cl_int code;
	cl_command_queue queue = clCreateCommandQueueWithProperties(
		context, device, properties ? list : NULL, &code);
	return succeeded(place, "clCreateCommandQueueWithProperties", code) ? queue : NULL;
}

cl_mem fixture_buffer(struct fixture_place place, cl_context context, cl_mem_flags flags,
		      size_t size_B, void *host)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(context, flags, size_B, host, &code);
	return succeeded(place, "clCreateBuffer", code) ? buffer : NULL;
}

cl_mem fixture_sub_buffer(struct fixture_place place, cl_mem buffer, cl_mem_flags flags,
			  const cl_buffer_region *region)
{
	cl_int code;
	cl_mem view = clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, region, &code);
	return succeeded(place, "clCreateSubBuffer", code) ? view : NULL;
}

cl_mem fixture_image(struct fixture_place place, cl_context context, cl_mem_flags flags,
		     const cl_image_format *format, const cl_image_desc *desc, void *host)
{
	cl_int code;
	cl_mem image = clCreateImage(context, flags, format, desc, host, &code);
	return succeeded(place, "clCreateImage", code) ? image : NULL;
}

cl_mem fixture_image_2d(struct fixture_place place, cl_context context, cl_mem_flags flags,
			const cl_image_format *format, size_t width, size_t height, void *host)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = width,
		.image_height = height,
	};
	return fixture_image(place, context, flags, format, &desc, host);
}

cl_kernel fixture_kernel(struct fixture_place place, cl_program program, const char *name)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	return succeeded(place, "clCreateKernel", code) ? kernel : NULL;
}

void fixture_build_log(struct fixture_place place, cl_program program, cl_device_id device,
		       char *log, size_t size_B)
{
	size_t needed_B = 0;
	*log = '\0';
	cl_int code = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
					    &needed_B);
	char *all = malloc(needed_B + 1);
	if (!code && all)
		code = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, needed_B, all,
					     NULL);
	if (succeeded(place, "clGetProgramBuildInfo", code) && all)
		snprintf(log, size_B, "%.*s", (int)needed_B, all);
	free(all);
}

cl_int fixture_build_code(struct fixture_place place, cl_context context, cl_device_id device,
			  const char *source, const char *options, char *log, size_t size_B)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	*log = '\0';
	if (!succeeded(place, "clCreateProgramWithSource", code))
		return code;
	code = clBuildProgram(program, 1, &device, options, NULL, NULL);
	fixture_build_log(place, program, device, log, size_B);
	succeeded(place, "clReleaseProgram", clReleaseProgram(program));
	return code;
}

cl_event fixture_user_event(struct fixture_place place, cl_context context)
{
	cl_int code;
	cl_event event = clCreateUserEvent(context, &code);
	return succeeded(place, "clCreateUserEvent", code) ? event : NULL;
}

bool fixture_launch(struct fixture_place place, cl_command_queue queue, cl_kernel kernel,
		    size_t global, cl_uint count, const cl_event *events, cl_event *event)
{
	return succeeded(place, "clEnqueueNDRangeKernel",
			 clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, count,
						events, event));
}

bool fixture_buffer_read(struct fixture_place place, cl_command_queue queue, cl_mem buffer,
			 void *to, size_t size_B)
{
	return succeeded(place, "clEnqueueReadBuffer",
			 clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size_B, to, 0, NULL, NULL));
}
