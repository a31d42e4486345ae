/* What a command buffer refuses to record, as clEnqueue* would refuse it: buffers, launches, SVM. */
#include "config.h"

#include "tests/api/errors_record.h"

static const size_t zero[3];

/* --- buffers ----------------------------------------------------------------------------------- */

static cl_int copy(cl_mem from, cl_mem to, size_t from_B, size_t to_B, size_t size_B)
{
	return recorder.copy(FIRST(&right), from, to, from_B, to_B, size_B, LAST(&right));
}

static void copies(cl_mem second)
{
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_CONTEXT, 1,
		   copy(world.foreign_buffer, world.buffer, 0, 0, 4));
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_CONTEXT, 1,
		   copy(world.buffer, world.foreign_buffer, 0, 0, 4));
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_MEM_OBJECT, 1,
		   copy(world.image, world.buffer, 0, 0, 4));
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_MEM_OBJECT, 2,
		   copy(world.buffer, world.wrong_mem, 0, 0, 4));
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_VALUE, 3,
		   copy(world.buffer, world.buffer2, WORLD_BUFFER_B - 2, 0, 4));
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_VALUE, 4,
		   copy(world.buffer, world.buffer2, 0, SIZE_MAX, 4));
	ERROR_CODE(clCommandCopyBufferKHR, CL_MEM_COPY_OVERLAP, 1,
		   copy(world.buffer, world.buffer, 0, 15, 16));
	ERROR_CODE(clCommandCopyBufferKHR, CL_MEM_COPY_OVERLAP, 2,
		   copy(world.sub_buffer, second, 512, 0, 16));
}

static cl_int fill(cl_mem buffer, const void *pattern, size_t pattern_B, size_t offset_B,
		   size_t size_B)
{
	return recorder.fill(FIRST(&right), buffer, pattern, pattern_B, offset_B, size_B,
			     LAST(&right));
}

static void fills(void)
{
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_CONTEXT, 1,
		   fill(world.foreign_buffer, error_bytes, 4, 0, 4));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_MEM_OBJECT, 1,
		   fill(world.image, error_bytes, 4, 0, 4));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 3,
		   fill(world.buffer, error_bytes, 4, 0, WORLD_BUFFER_B + 4));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 4,
		   fill(world.buffer, NULL, 4, 0, 4));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 5,
		   fill(world.buffer, error_bytes, 0, 0, 4));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 6,
		   fill(world.buffer, error_bytes, 12, 0, 12));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 7,
		   fill(world.buffer, error_bytes, 256, 0, 256));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 8,
		   fill(world.buffer, error_bytes, 4, 2, 4));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_VALUE, 9,
		   fill(world.buffer, error_bytes, 4, 0, 6));
}

/* The arguments of a copy of boxes; a case changes what it wants wrong. */
struct pair {
	cl_mem from, to;
	const size_t *from_origin, *to_origin, *region;
	size_t from_row_B, from_slice_B, to_row_B, to_slice_B;
};

#define BOXES(code, condition, ...)                                                               \
	do {                                                                                      \
		struct pair pair = good;                                                          \
		__VA_ARGS__;                                                                      \
		ERROR_CODE(clCommandCopyBufferRectKHR, code, condition,                           \
			   recorder.copy_rect(FIRST(&right), pair.from, pair.to,                  \
					      pair.from_origin, pair.to_origin, pair.region,      \
					      pair.from_row_B, pair.from_slice_B, pair.to_row_B,  \
					      pair.to_slice_B, LAST(&right)));                    \
	} while (0)

static void boxes(cl_mem second)
{
	static const size_t eight[3] = {8, 4, 2}, near[3] = {4, 0, 0}, behind[3] = {4, 0, 8};
	static const size_t far[3] = {0, 0, WORLD_BUFFER_B / 64 - 1};
	const struct pair good = {world.buffer, world.buffer2, zero, zero, eight, 16, 64, 16, 64};
	BOXES(CL_INVALID_CONTEXT, 1, pair.from = world.foreign_buffer);
	BOXES(CL_INVALID_CONTEXT, 1, pair.to = world.foreign_buffer);
	BOXES(CL_INVALID_MEM_OBJECT, 1, pair.from = world.image);
	BOXES(CL_INVALID_MEM_OBJECT, 2, pair.to = world.wrong_mem);
	BOXES(CL_INVALID_VALUE, 3, pair.from_origin = NULL);
	BOXES(CL_INVALID_VALUE, 3, pair.to_origin = NULL);
	BOXES(CL_INVALID_VALUE, 3, pair.region = NULL);
	BOXES(CL_INVALID_VALUE, 4, pair.from_origin = far);
	BOXES(CL_INVALID_VALUE, 5, pair.to_origin = far);
	for (unsigned i = 0; i < 3; i++) {
		size_t empty[3] = {8, 4, 2};
		empty[i] = 0;
		BOXES(CL_INVALID_VALUE, 6, pair.region = empty);
	}
	BOXES(CL_INVALID_VALUE, 7, pair.from_row_B = 7; pair.from_slice_B = 0);
	BOXES(CL_INVALID_VALUE, 8, pair.from_slice_B = 48);
	BOXES(CL_INVALID_VALUE, 9, pair.from_slice_B = 72);
	BOXES(CL_INVALID_VALUE, 10, pair.to_row_B = 7; pair.to_slice_B = 0);
	BOXES(CL_INVALID_VALUE, 11, pair.to_slice_B = 48);
	BOXES(CL_INVALID_VALUE, 12, pair.to_slice_B = 72);
	BOXES(CL_INVALID_VALUE, 13, pair.to = world.buffer; pair.to_row_B = 32;
	      pair.from_slice_B = pair.to_slice_B = 128);
	BOXES(CL_INVALID_VALUE, 14, pair.to = world.buffer; pair.to_slice_B = 128);
	BOXES(CL_MEM_COPY_OVERLAP, 1, pair.to = world.buffer; pair.to_origin = near);
	BOXES(CL_MEM_COPY_OVERLAP, 2, pair.from = world.buffer; pair.to = second;
	      pair.from_origin = behind);
}

void record_buffers(void)
{
	const cl_buffer_region region = {512, 1024};
	cl_int code;
	cl_mem second = clCreateSubBuffer(world.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region,
					  &code);
	REQUIRE(!code);
	copies(second);
	fills();
	boxes(second);
	REQUIRE(!clReleaseMemObject(second));
}

/* --- launches -------------------------------------------------------------------------------------- */

static cl_int launch(cl_kernel kernel, cl_uint dimensions, const size_t *offset,
		     const size_t *global, const size_t *local)
{
	return recorder.launch(FIRST(&right), kernel, dimensions, offset, global, local,
			       LAST(&right));
}

static void executables(void)
{
	const char *text = "kernel void k(global int *a) { a[0] = 1; }";
	const size_t one = 1;
	cl_int code;
	if (!world.other) {
		error_absent("clCommandNDRangeKernelKHR", CL_INVALID_PROGRAM_EXECUTABLE, 1);
		return;
	}
	const cl_device_id both[] = {world.device, world.other};
	cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &code);
	REQUIRE(!code);
	cl_command_queue queue = clCreateCommandQueue(context, world.other, 0, &code);
	REQUIRE(!code);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	REQUIRE(!code && !clBuildProgram(program, 1, &world.device, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	REQUIRE(!code && !clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
	cl_command_buffer_khr buffer = recorder.create(1, &queue, NULL, &code);
	REQUIRE(!code);
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   recorder.launch(buffer, NULL, NULL, kernel, 1, NULL, &one, NULL, 0, NULL, NULL,
				   NULL));
	REQUIRE(!recorder.release(buffer));
	REQUIRE(!clReleaseKernel(kernel));
	REQUIRE(!clReleaseProgram(program));
	REQUIRE(!clReleaseCommandQueue(queue));
	REQUIRE(!clReleaseContext(context));
}

static void groups(void)
{
	const size_t eight[3] = {8, 1, 1}, ten[3] = {10, 1, 1}, none[3] = {0, 1, 1};
	const size_t four[3] = {4, 1, 1}, plane[3] = {1024, 1024, 1}, many[3] = {1024, 2, 1};
	size_t most[3] = {0}, wide[3] = {1, 1, 0};
	cl_int code;
	cl_kernel required = clCreateKernel(world.program, "eight", &code);
	REQUIRE(!code && !clSetKernelArg(required, 0, sizeof(cl_mem), &world.buffer));
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(most), most,
				 NULL));
	wide[2] = most[2] + 1;
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, 1,
		   launch(world.kernel, 1, NULL, ten, four));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, 2,
		   launch(world.kernel, 1, NULL, eight, none));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, 3,
		   launch(world.kernel, 2, NULL, plane, many));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, 4,
		   launch(required, 1, NULL, eight, four));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_ITEM_SIZE, 1,
		   launch(world.kernel, 3, NULL, wide, wide));
	REQUIRE(!clReleaseKernel(required));
}

/* A buffer, or a launch, that promises no more work-groups must say how many there are. */
static void promises(void)
{
	enum { OF_BUFFER = 0x12B7, OF_LAUNCH = 0x12B8, NO_MORE_GROUPS = 1 };
	const cl_properties properties[] = {OF_LAUNCH, NO_MORE_GROUPS, 0};
	const cl_properties unknown[] = {OF_LAUNCH, NO_MORE_GROUPS << 1, 0};
	const cl_properties of_buffer[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 1, OF_BUFFER,
					   NO_MORE_GROUPS, 0};
	const size_t eight = 8;
	cl_int code;
	cl_command_buffer_khr buffer = recorder.create(1, &world.queue, of_buffer, &code);
	REQUIRE(!code);
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_VALUE, 3,
		   recorder.launch(buffer, NULL, NULL, world.kernel, 1, NULL, &eight, NULL, 0,
				   NULL, NULL, NULL));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_VALUE, 3,
		   recorder.launch(right.buffer, NULL, properties, world.kernel, 1, NULL, &eight,
				   NULL, 0, NULL, NULL, NULL));
	REQUIRE(!recorder.launch(right.buffer, NULL, properties, world.kernel, 1, NULL, &eight,
				 &eight, 0, NULL, NULL, NULL));
	/* cl_khr_command_buffer_mutable_dispatch: a bit of no meaning. */
	REQUIRE(recorder.launch(right.buffer, NULL, unknown, world.kernel, 1, NULL, &eight, &eight,
				0, NULL, NULL, NULL) == CL_INVALID_VALUE);
	REQUIRE(!recorder.release(buffer));
}

void record_launches(void)
{
	const size_t eight[3] = {8, 1, 1}, most[3] = {SIZE_MAX, 1, 1};
	cl_int code;
	cl_kernel unset = clCreateKernel(world.program, "axpy", &code);
	REQUIRE(!code);
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_KERNEL, 1,
		   launch(world.wrong_kernel, 1, NULL, eight, NULL));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_CONTEXT, 1,
		   launch(world.foreign_kernel, 1, NULL, eight, NULL));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_KERNEL_ARGS, 1,
		   launch(unset, 1, NULL, eight, NULL));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_DIMENSION, 1,
		   launch(world.kernel, 0, NULL, eight, NULL));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_WORK_DIMENSION, 1,
		   launch(world.kernel, 4, NULL, eight, NULL));
	ERROR_CODE(clCommandNDRangeKernelKHR, CL_INVALID_GLOBAL_OFFSET, 2,
		   launch(world.kernel, 1, most, eight, NULL));
	REQUIRE(!clReleaseKernel(unset));
	groups();
	promises();
	executables();
}

/* --- SVM --------------------------------------------------------------------------------------------- */

static cl_int svm_copy(void *to, const void *from, size_t size_B)
{
	return recorder.svm_copy(FIRST(&right), to, from, size_B, LAST(&right));
}

static cl_int svm_fill(void *to, const void *pattern, size_t pattern_B, size_t size_B)
{
	return recorder.svm_fill(FIRST(&right), to, pattern, pattern_B, size_B, LAST(&right));
}

void record_svm(void)
{
	unsigned char *svm = clSVMAlloc(world.context, CL_MEM_READ_WRITE, 4096, 0);
	REQUIRE(svm);
	ERROR_CODE(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, 3, svm_copy(NULL, svm, 16));
	ERROR_CODE(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, 4, svm_copy(svm, NULL, 16));
	ERROR_CODE(clCommandSVMMemcpyKHR, CL_MEM_COPY_OVERLAP, 1, svm_copy(svm, svm + 15, 16));
	/* Of the host's own memory only clEnqueueSVMMemcpy copies. */
	ERROR_CODE(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, 3, svm_copy(error_bytes, svm, 16));
	ERROR_CODE(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, 4, svm_copy(svm, error_bytes, 16));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 3,
		   svm_fill(error_bytes, error_bytes, 4, 16));
	/* The largest pattern, that of a long16. */
	REQUIRE(!svm_fill(svm, error_bytes, 128, 256));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 3,
		   svm_fill(NULL, error_bytes, 4, 16));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 4,
		   svm_fill(svm + 2, error_bytes, 4, 16));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 5, svm_fill(svm, NULL, 4, 16));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 6,
		   svm_fill(svm, error_bytes, 0, 16));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 7,
		   svm_fill(svm, error_bytes, 12, 24));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 8,
		   svm_fill(svm, error_bytes, 256, 256));
	ERROR_CODE(clCommandSVMMemFillKHR, CL_INVALID_VALUE, 9,
		   svm_fill(svm, error_bytes, 4, 18));
	clSVMFree(world.context, svm);
}
