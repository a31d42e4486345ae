/* Objects that nothing may write to (cl_ext_immutable_memory_objects): how they cannot be made, and
 * what is refused of them. */
#include "config.h"

#include "tests/api/errors_record.h"

/* Older headers do not know CL_MEM_IMMUTABLE_EXT. */
#define IMMUTABLE ((cl_mem_flags)1 << 6)

static const size_t zero[3], box[3] = {2, 2, 1}, boxes[3] = {8, 4, 2};
static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
static const cl_image_desc plane = {
	.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WORLD_IMAGE_WIDTH,
	.image_height = WORLD_IMAGE_HEIGHT,
};

/* What contradicts the flag, and what it cannot be without. */
static const cl_mem_flags contradictions[] = {
	CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY,
};

static cl_mem buffer_attempt(cl_mem_flags flags, void *pointer)
{
	return clCreateBuffer(world.context, flags, WORLD_BUFFER_B, pointer, &error_code);
}

static cl_mem image_attempt(cl_mem_flags flags, cl_mem from, void *pointer)
{
	cl_image_desc desc = plane;
	desc.mem_object = from;
	return clCreateImage(world.context, flags, &rgba, &desc, pointer, &error_code);
}

static cl_mem image_attempt_properties(cl_mem_flags flags, cl_mem from, void *pointer)
{
	cl_image_desc desc = plane;
	desc.mem_object = from;
	return clCreateImageWithProperties(world.context, NULL, flags, &rgba, &desc, pointer,
					   &error_code);
}

/* --- making them -------------------------------------------------------------------------- */

static void buffers(cl_mem buffer)
{
	const cl_buffer_region region = {0, 64};
	const cl_mem_flags copied = IMMUTABLE | CL_MEM_COPY_HOST_PTR;
	for (unsigned i = 0; i < 3; i++) {
		ERROR_OBJECT(clCreateBuffer, CL_INVALID_VALUE, 3,
			     buffer_attempt(copied | contradictions[i], error_bytes));
		ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_VALUE, 3,
			     clCreateBufferWithProperties(world.context, NULL,
							  copied | contradictions[i],
							  WORLD_BUFFER_B, error_bytes,
							  &error_code));
		ERROR_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, 6,
			     clCreateSubBuffer(buffer, contradictions[i],
					       CL_BUFFER_CREATE_TYPE_REGION, &region,
					       &error_code));
	}
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_VALUE, 4, buffer_attempt(IMMUTABLE, NULL));
	ERROR_OBJECT(clCreateBuffer, CL_INVALID_VALUE, 4,
		     buffer_attempt(IMMUTABLE | CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, NULL));
	ERROR_OBJECT(clCreateBufferWithProperties, CL_INVALID_VALUE, 4,
		     clCreateBufferWithProperties(world.context, NULL, IMMUTABLE, WORLD_BUFFER_B,
						  NULL, &error_code));
}

static void images(cl_mem image)
{
	const cl_mem_flags copied = IMMUTABLE | CL_MEM_COPY_HOST_PTR;
	for (unsigned i = 0; i < 3; i++) {
		ERROR_OBJECT(clCreateImage, CL_INVALID_VALUE, 7,
			     image_attempt(copied | contradictions[i], NULL, error_bytes));
		ERROR_OBJECT(
			clCreateImageWithProperties, CL_INVALID_VALUE, 7,
			image_attempt_properties(copied | contradictions[i], NULL, error_bytes));
	}
	ERROR_OBJECT(clCreateImage, CL_INVALID_VALUE, 8, image_attempt(0, image, NULL));
	ERROR_OBJECT(clCreateImage, CL_INVALID_VALUE, 8,
		     image_attempt(CL_MEM_READ_ONLY, image, NULL));
	ERROR_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, 8,
		     image_attempt_properties(CL_MEM_READ_ONLY, image, NULL));
	ERROR_OBJECT(clCreateImage, CL_INVALID_VALUE, 9, image_attempt(IMMUTABLE, NULL, NULL));
	ERROR_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, 9,
		     image_attempt_properties(IMMUTABLE, NULL, NULL));
	ERROR_OBJECT(clCreateImage2D, CL_INVALID_VALUE, 2,
		     clCreateImage2D(world.context, IMMUTABLE, &rgba, 8, 8, 0, NULL, &error_code));
	ERROR_OBJECT(clCreateImage3D, CL_INVALID_VALUE, 2,
		     clCreateImage3D(world.context, IMMUTABLE, &rgba, 8, 8, 2, 0, 0, NULL,
				     &error_code));
	/* 5.3.2: which a kernel may both read and write. */
	ERROR_CODE(clGetSupportedImageFormats, CL_INVALID_VALUE, 1,
		   clGetSupportedImageFormats(world.context,
					      IMMUTABLE | CL_MEM_KERNEL_READ_AND_WRITE,
					      CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL));
}

/* --- commands ------------------------------------------------------------------------------ */

static void buffer_commands(cl_mem to)
{
	static const cl_map_flags writes[] = {CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
					      CL_MAP_WRITE_INVALIDATE_REGION};
	ERROR_CODE(clEnqueueWriteBuffer, CL_INVALID_OPERATION, 2,
		   clEnqueueWriteBuffer(world.queue, to, CL_TRUE, 0, 64, error_bytes, 0, NULL,
					NULL));
	ERROR_CODE(clEnqueueWriteBufferRect, CL_INVALID_OPERATION, 2,
		   clEnqueueWriteBufferRect(world.queue, to, CL_TRUE, zero, zero, boxes, 0, 0, 0,
					    0, error_bytes, 0, NULL, NULL));
	ERROR_CODE(clEnqueueCopyBuffer, CL_INVALID_OPERATION, 1,
		   clEnqueueCopyBuffer(world.queue, world.buffer, to, 0, 0, 64, 0, NULL, NULL));
	ERROR_CODE(clEnqueueCopyBufferRect, CL_INVALID_OPERATION, 1,
		   clEnqueueCopyBufferRect(world.queue, world.buffer, to, zero, zero, boxes, 0, 0,
					   0, 0, 0, NULL, NULL));
	ERROR_CODE(clEnqueueFillBuffer, CL_INVALID_OPERATION, 1,
		   clEnqueueFillBuffer(world.queue, to, error_bytes, 4, 0, 64, 0, NULL, NULL));
	ERROR_CODE(clEnqueueCopyImageToBuffer, CL_INVALID_OPERATION, 2,
		   clEnqueueCopyImageToBuffer(world.queue, world.image, to, zero, box, 0, 0, NULL,
					      NULL));
	for (unsigned i = 0; i < 3; i++)
		ERROR_OBJECT(clEnqueueMapBuffer, CL_INVALID_OPERATION, 3,
			     clEnqueueMapBuffer(world.queue, to, CL_TRUE, writes[i], 0, 64, 0,
						NULL, NULL, &error_code));
}

static void image_commands(cl_mem to)
{
	static const cl_map_flags writes[] = {CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
					      CL_MAP_WRITE_INVALIDATE_REGION};
	ERROR_CODE(clEnqueueWriteImage, CL_INVALID_OPERATION, 3,
		   clEnqueueWriteImage(world.queue, to, CL_TRUE, zero, box, 0, 0, error_bytes, 0,
				       NULL, NULL));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_OPERATION, 2,
		   clEnqueueCopyImage(world.queue, world.image, to, zero, zero, box, 0, NULL,
				      NULL));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_OPERATION, 2,
		   clEnqueueFillImage(world.queue, to, error_bytes, zero, box, 0, NULL, NULL));
	ERROR_CODE(clEnqueueCopyBufferToImage, CL_INVALID_OPERATION, 2,
		   clEnqueueCopyBufferToImage(world.queue, world.buffer, to, 0, zero, box, 0, NULL,
					      NULL));
	for (unsigned i = 0; i < 3; i++)
		ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, 4,
			     clEnqueueMapImage(world.queue, to, CL_TRUE, writes[i], zero, box,
					       NULL, NULL, 0, NULL, NULL, &error_code));
}

static void arguments(cl_mem image)
{
	cl_kernel kernel = clCreateKernel(world.program, "image", &error_code);
	REQUIRE(kernel);
	REQUIRE(!clSetKernelArg(kernel, 0, sizeof(image), &image));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_VALUE, 2,
		   clSetKernelArg(kernel, 1, sizeof(image), &image));
	REQUIRE(!clReleaseKernel(kernel));
}

static void objects_make(cl_mem *buffer_out, cl_mem *image_out)
{
	*buffer_out = buffer_attempt(IMMUTABLE | CL_MEM_COPY_HOST_PTR, error_bytes);
	*image_out = image_attempt(IMMUTABLE | CL_MEM_COPY_HOST_PTR, NULL, error_bytes);
	REQUIRE(*buffer_out && *image_out);
}

void errors_immutable(void)
{
	cl_mem buffer, image;
	objects_make(&buffer, &image);
	buffers(buffer);
	images(image);
	buffer_commands(buffer);
	image_commands(image);
	arguments(image);
	REQUIRE(!clReleaseMemObject(buffer) && !clReleaseMemObject(image));
}

void record_immutable(void)
{
	const struct record *at = &right;
	cl_mem buffer, image;
	objects_make(&buffer, &image);
	ERROR_CODE(clCommandCopyBufferKHR, CL_INVALID_OPERATION, 2,
		   recorder.copy(FIRST(at), world.buffer, buffer, 0, 0, 64, LAST(at)));
	ERROR_CODE(clCommandCopyBufferRectKHR, CL_INVALID_OPERATION, 2,
		   recorder.copy_rect(FIRST(at), world.buffer, buffer, zero, zero, boxes, 0, 0, 0,
				      0, LAST(at)));
	ERROR_CODE(clCommandFillBufferKHR, CL_INVALID_OPERATION, 2,
		   recorder.fill(FIRST(at), buffer, error_bytes, 4, 0, 64, LAST(at)));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_OPERATION, 3,
		   recorder.copy_image(FIRST(at), world.image, image, zero, zero, box, LAST(at)));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_OPERATION, 3,
		   recorder.fill_image(FIRST(at), image, error_bytes, zero, box, LAST(at)));
	ERROR_CODE(clCommandCopyImageToBufferKHR, CL_INVALID_OPERATION, 3,
		   recorder.image_to_buffer(FIRST(at), world.image, buffer, zero, box, 0,
					    LAST(at)));
	ERROR_CODE(clCommandCopyBufferToImageKHR, CL_INVALID_OPERATION, 3,
		   recorder.buffer_to_image(FIRST(at), world.buffer, image, 0, zero, box,
					    LAST(at)));
	REQUIRE(!clReleaseMemObject(buffer) && !clReleaseMemObject(image));
}
