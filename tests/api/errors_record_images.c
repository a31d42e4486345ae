/* What a command buffer refuses to record of images. */
#include "config.h"

#include "tests/api/errors_record.h"

static const size_t zero[3], box[3] = {2, 2, 1}, flat[3] = {2, 0, 1};
static const size_t outside[3] = {WORLD_IMAGE_WIDTH - 1, 0, 0}, lifted[3] = {0, 0, 1};
static const size_t high[3] = {0, 0, WORLD_IMAGE_LEVELS};

static cl_int copy(cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
		   const size_t *region)
{
	return recorder.copy_image(FIRST(&right), from, to, from_origin, to_origin, region,
				   LAST(&right));
}

static void copies(void)
{
	const cl_image_format real = {CL_RGBA, CL_FLOAT};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8,
	};
	const size_t near[3] = {1, 1, 0};
	cl_mem image = world.image, image2 = world.image2;
	cl_int code;
	cl_mem other = clCreateImage(world.context, 0, &real, &desc, NULL, &code);
	REQUIRE(!code);
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_CONTEXT, 1,
		   copy(world.foreign_image, image, zero, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_CONTEXT, 1,
		   copy(image, world.foreign_image, zero, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_MEM_OBJECT, 1,
		   copy(world.buffer, image, zero, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_MEM_OBJECT, 2,
		   copy(image, world.wrong_mem, zero, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_IMAGE_FORMAT_MISMATCH, 1,
		   copy(image, other, zero, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 3,
		   copy(image, image2, NULL, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 4,
		   copy(image, image2, zero, NULL, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 5,
		   copy(image, image2, zero, zero, NULL));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 6,
		   copy(image, image2, outside, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 7,
		   copy(image, image2, zero, outside, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 8,
		   copy(image, image2, lifted, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_VALUE, 8,
		   copy(image, image2, zero, zero, flat));
	ERROR_CODE(clCommandCopyImageKHR, CL_MEM_COPY_OVERLAP, 1,
		   copy(image, image, zero, near, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_MIP_LEVEL, 1, copy(world.mipmapped, image, high, zero, box));
	ERROR_CODE(clCommandCopyImageKHR, CL_INVALID_MIP_LEVEL, 2, copy(image, world.mipmapped, zero, high, box));
	REQUIRE(!clReleaseMemObject(other));
}

static cl_int fill(cl_mem image, const void *color, const size_t *origin, const size_t *region)
{
	return recorder.fill_image(FIRST(&right), image, color, origin, region, LAST(&right));
}

static void fills(void)
{
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_CONTEXT, 1,
		   fill(world.foreign_image, error_bytes, zero, box));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_MEM_OBJECT, 1,
		   fill(world.buffer, error_bytes, zero, box));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_VALUE, 3,
		   fill(world.image, NULL, zero, box));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_VALUE, 4,
		   fill(world.image, error_bytes, NULL, box));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_VALUE, 5,
		   fill(world.image, error_bytes, zero, NULL));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_VALUE, 6,
		   fill(world.image, error_bytes, outside, box));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_VALUE, 7,
		   fill(world.image, error_bytes, lifted, box));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_VALUE, 7,
		   fill(world.image, error_bytes, zero, flat));
	ERROR_CODE(clCommandFillImageKHR, CL_INVALID_MIP_LEVEL, 1, fill(world.mipmapped, error_bytes, high, box));
}

/* --- images and buffers ------------------------------------------------------------------------ */

static cl_int to_buffer(cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region,
			size_t offset_B)
{
	return recorder.image_to_buffer(FIRST(&right), image, buffer, origin, region, offset_B,
					LAST(&right));
}

static cl_int from_buffer(cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region,
			  size_t offset_B)
{
	return recorder.buffer_to_image(FIRST(&right), buffer, image, offset_B, origin, region,
					LAST(&right));
}

#define TO(code, condition, ...)                                                                  \
	ERROR_CODE(clCommandCopyImageToBufferKHR, code, condition, to_buffer(__VA_ARGS__))
#define FROM(code, condition, ...)                                                                \
	ERROR_CODE(clCommandCopyBufferToImageKHR, code, condition, from_buffer(__VA_ARGS__))

static void handles(void)
{
	const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8,
		.mem_object = world.buffer,
	};
	const size_t row[3] = {2, 1, 1};
	cl_int code;
	cl_mem view = clCreateImage(world.context, 0, &rgba, &desc, NULL, &code);
	REQUIRE(!code);
	TO(CL_INVALID_MIP_LEVEL, 1, world.mipmapped, world.buffer, high, box, 0);
	FROM(CL_INVALID_MIP_LEVEL, 1, world.mipmapped, world.buffer, high, box, 0);
	TO(CL_INVALID_CONTEXT, 1, world.foreign_image, world.buffer, zero, box, 0);
	TO(CL_INVALID_CONTEXT, 1, world.image, world.foreign_buffer, zero, box, 0);
	TO(CL_INVALID_MEM_OBJECT, 1, world.buffer2, world.buffer, zero, box, 0);
	TO(CL_INVALID_MEM_OBJECT, 2, world.image, world.image2, zero, box, 0);
	TO(CL_INVALID_MEM_OBJECT, 3, view, world.buffer, zero, row, 0);
	FROM(CL_INVALID_CONTEXT, 1, world.image, world.foreign_buffer, zero, box, 0);
	FROM(CL_INVALID_CONTEXT, 1, world.foreign_image, world.buffer, zero, box, 0);
	FROM(CL_INVALID_MEM_OBJECT, 1, world.image, world.image2, zero, box, 0);
	FROM(CL_INVALID_MEM_OBJECT, 2, world.buffer2, world.buffer, zero, box, 0);
	FROM(CL_INVALID_MEM_OBJECT, 3, view, world.buffer, zero, row, 0);
	REQUIRE(!clReleaseMemObject(view));
}

static void regions(void)
{
	cl_mem image = world.image, buffer = world.buffer;
	TO(CL_INVALID_VALUE, 3, image, buffer, NULL, box, 0);
	TO(CL_INVALID_VALUE, 4, image, buffer, zero, NULL, 0);
	TO(CL_INVALID_VALUE, 5, image, buffer, outside, box, 0);
	TO(CL_INVALID_VALUE, 6, image, buffer, zero, box, WORLD_BUFFER_B - 15);
	TO(CL_INVALID_VALUE, 7, image, buffer, lifted, box, 0);
	TO(CL_INVALID_VALUE, 7, image, buffer, zero, flat, 0);
	FROM(CL_INVALID_VALUE, 3, image, buffer, NULL, box, 0);
	FROM(CL_INVALID_VALUE, 4, image, buffer, zero, NULL, 0);
	FROM(CL_INVALID_VALUE, 5, image, buffer, zero, box, WORLD_BUFFER_B - 15);
	FROM(CL_INVALID_VALUE, 6, image, buffer, outside, box, 0);
	FROM(CL_INVALID_VALUE, 7, image, buffer, lifted, box, 0);
	FROM(CL_INVALID_VALUE, 7, image, buffer, zero, flat, 0);
}

void record_images(void)
{
	copies();
	fills();
	handles();
	regions();
}
