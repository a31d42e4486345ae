/* Launches (OpenCL 3.0 API, 5.10). */
#include "config.h"

#include "tests/api/errors.h"

typedef cl_int(CL_API_CALL *suggest_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
					const size_t *, size_t *);

static suggest_fn suggest;
static size_t suggested[3];
static const size_t eight[3] = {8, 1, 1};

static cl_int launch(cl_kernel kernel, cl_uint dimensions, const size_t *offset,
		     const size_t *global, const size_t *local)
{
	return clEnqueueNDRangeKernel(world.queue, kernel, dimensions, offset, global, local, 0,
				      NULL, NULL);
}

static cl_int task(cl_kernel kernel)
{
	return clEnqueueTask(world.queue, kernel, 0, NULL, NULL);
}

static cl_int ask(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
		  const size_t *offset, const size_t *global)
{
	return suggest(queue, kernel, dimensions, offset, global, suggested);
}

static cl_kernel good_kernel(cl_program program, const char *name)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	REQUIRE(!code);
	return kernel;
}

static void kernels(void)
{
	cl_kernel unset = good_kernel(world.program, "axpy");
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_KERNEL, 1,
		   launch(world.wrong_kernel, 1, NULL, eight, NULL));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_CONTEXT, 1,
		   launch(world.foreign_kernel, 1, NULL, eight, NULL));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_KERNEL_ARGS, 1,
		   launch(unset, 1, NULL, eight, NULL));
	ERROR_CODE(clEnqueueTask, CL_INVALID_KERNEL, 1, task(world.wrong_kernel));
	ERROR_CODE(clEnqueueTask, CL_INVALID_CONTEXT, 1, task(world.foreign_kernel));
	ERROR_CODE(clEnqueueTask, CL_INVALID_KERNEL_ARGS, 1, task(unset));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_COMMAND_QUEUE, 1,
		   ask(world.wrong_queue, world.kernel, 1, NULL, eight));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_KERNEL, 1,
		   ask(world.queue, world.wrong_kernel, 1, NULL, eight));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_CONTEXT, 1,
		   ask(world.queue, world.foreign_kernel, 1, NULL, eight));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_KERNEL_ARGS, 1,
		   ask(world.queue, unset, 1, NULL, eight));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_VALUE, 1,
		   suggest(world.queue, world.kernel, 1, NULL, eight, NULL));
	REQUIRE(!clReleaseKernel(unset));
}

static void ranges(void)
{
	const size_t most[3] = {SIZE_MAX, 1, 1}, empty[3] = {8, 0, 1};
	const cl_uint bad[] = {0, 4};
	for (unsigned i = 0; i < 2; i++) {
		ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_WORK_DIMENSION, 1,
			   launch(world.kernel, bad[i], NULL, eight, NULL));
		ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_WORK_DIMENSION, 1,
			   ask(world.queue, world.kernel, bad[i], NULL, eight));
	}
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_GLOBAL_OFFSET, 2,
		   launch(world.kernel, 1, most, eight, NULL));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_GLOBAL_OFFSET, 2,
		   ask(world.queue, world.kernel, 1, most, eight));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_GLOBAL_WORK_SIZE, 1,
		   ask(world.queue, world.kernel, 1, NULL, NULL));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_GLOBAL_WORK_SIZE, 2,
		   ask(world.queue, world.kernel, 2, NULL, empty));
	/* 5.10: since OpenCL 2.1 they are no errors. */
	REQUIRE(!launch(world.kernel, 1, NULL, NULL, NULL));
	REQUIRE(!launch(world.kernel, 2, NULL, empty, NULL));
}

/* Work-groups must be uniform in programs of OpenCL C 1.2. */
static void groups(void)
{
	const size_t ten[3] = {10, 1, 1}, none[3] = {0, 1, 1}, four[3] = {4, 1, 1};
	const size_t plane[3] = {1024, 1024, 1}, many[3] = {1024, 2, 1};
	size_t most[3] = {0}, wide[3] = {0};
	cl_kernel required = good_kernel(world.program, "eight");
	REQUIRE(!clSetKernelArg(required, 0, sizeof(cl_mem), &world.buffer));
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(most), most,
				 NULL));
	wide[0] = wide[1] = 1;
	wide[2] = most[2] + 1;
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, 1,
		   launch(world.kernel, 1, NULL, ten, four));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, 2,
		   launch(world.kernel, 1, NULL, eight, none));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, 3,
		   launch(world.kernel, 2, NULL, plane, many));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, 4,
		   launch(required, 1, NULL, eight, four));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_WORK_ITEM_SIZE, 1,
		   launch(world.kernel, 3, NULL, wide, wide));
	ERROR_CODE(clEnqueueTask, CL_INVALID_WORK_GROUP_SIZE, 1, task(required));
	REQUIRE(!clReleaseKernel(required));
}

/* Built for one device of two. */
static void executables(void)
{
	const char *text = "kernel void k(global int *a) { a[0] = 1; }";
	cl_int code;
	if (!world.other) {
		error_absent("clEnqueueNDRangeKernel", CL_INVALID_PROGRAM_EXECUTABLE, 1);
		error_absent("clEnqueueTask", CL_INVALID_PROGRAM_EXECUTABLE, 1);
		error_absent("clGetKernelSuggestedLocalWorkSize",
			     CL_INVALID_PROGRAM_EXECUTABLE, 1);
		return;
	}
	const cl_device_id both[] = {world.device, world.other};
	cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &code);
	REQUIRE(!code);
	cl_command_queue queue = clCreateCommandQueue(context, world.other, 0, &code);
	REQUIRE(!code);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	REQUIRE(!code && !clBuildProgram(program, 1, &world.device, "", NULL, NULL));
	cl_kernel kernel = good_kernel(program, "k");
	REQUIRE(!clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
	ERROR_CODE(clEnqueueNDRangeKernel, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clEnqueueNDRangeKernel(queue, kernel, 1, NULL, eight, NULL, 0, NULL, NULL));
	ERROR_CODE(clEnqueueTask, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clEnqueueTask(queue, kernel, 0, NULL, NULL));
	ERROR_CODE(clGetKernelSuggestedLocalWorkSize, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   ask(queue, kernel, 1, NULL, eight));
	ERROR_CODE(clGetKernelWorkGroupInfo, CL_INVALID_DEVICE, 1,
		   clGetKernelWorkGroupInfo(kernel, world.other, CL_KERNEL_WORK_GROUP_SIZE,
					    sizeof(error_bytes), error_bytes, NULL));
	REQUIRE(!clReleaseKernel(kernel));
	REQUIRE(!clReleaseProgram(program));
	REQUIRE(!clReleaseCommandQueue(queue));
	REQUIRE(!clReleaseContext(context));
}

/* --- native kernels ------------------------------------------------------------------------------ */

static void CL_CALLBACK nothing(void *arguments)
{
	(void)arguments;
}

static cl_int native(void(CL_CALLBACK *function)(void *), void *arguments, size_t size_B,
		     cl_uint count, const cl_mem *mems, const void **places)
{
	return clEnqueueNativeKernel(world.queue, function, arguments, size_B, count, mems, places,
				     0, NULL, NULL);
}

static void native_kernels(void)
{
	struct {
		cl_mem mem;
	} arguments = {NULL};
	const void *place = &arguments.mem;
	const size_t size_B = sizeof(arguments);
	cl_mem both[3] = {NULL};
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 1,
		   native(NULL, &arguments, size_B, 0, NULL, NULL));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 2,
		   native(nothing, NULL, size_B, 0, NULL, NULL));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 2,
		   native(nothing, NULL, 0, 1, &world.buffer, &place));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 3,
		   native(nothing, &arguments, 0, 0, NULL, NULL));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 4,
		   native(nothing, &arguments, size_B, 1, NULL, &place));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 4,
		   native(nothing, &arguments, size_B, 1, &world.buffer, NULL));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 5,
		   native(nothing, &arguments, size_B, 0, &world.buffer, NULL));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 5,
		   native(nothing, &arguments, size_B, 0, NULL, &place));
	REQUIRE(!native(nothing, &arguments, size_B, 1, &world.buffer, &place));
	/* Places lie within the arguments. */
	const char *const start = (const char *)&both[1];
	const void *outside[] = {start - 1, start + 1, start + size_B};
	for (unsigned i = 0; i < 3; i++)
		ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 4,
			   native(nothing, &both[1], size_B, 1, &world.buffer, &outside[i]));
	place = start;
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_VALUE, 4,
		   native(nothing, &both[1], 4, 1, &world.buffer, &place));
	place = &arguments.mem;
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_MEM_OBJECT, 1,
		   native(nothing, &arguments, size_B, 1, &world.wrong_mem, &place));
	ERROR_CODE(clEnqueueNativeKernel, CL_INVALID_MEM_OBJECT, 1,
		   native(nothing, &arguments, size_B, 1, &world.image, &place));
}

void errors_launch(void)
{
	*(void **)&suggest = error_function("clGetKernelSuggestedLocalWorkSize");
	kernels();
	ranges();
	groups();
	executables();
	native_kernels();
}
