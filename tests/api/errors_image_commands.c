/* Commands on images (OpenCL 3.0 API, 5.3.3 to 5.3.6). */
#include "config.h"

#include "tests/api/errors.h"

static const size_t zero[3], box[3] = {2, 2, 1};
/* Past the right edge; and two slices of an image that has one. */
static const size_t outside[3] = {WORLD_IMAGE_WIDTH - 1, 0, 0}, deep[3] = {2, 2, 2};
static const size_t huge[3] = {SIZE_MAX, 0, 0}, flat[3] = {2, 0, 1};
/* A third coordinate that a 2D image does not have. */
static const size_t lifted[3] = {0, 0, 1};
/* A level that world.mipmapped does not have. */
static const size_t high[3] = {0, 0, WORLD_IMAGE_LEVELS};

static cl_mem good_image(cl_mem_flags flags, const cl_image_format *format)
{
	const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WORLD_IMAGE_WIDTH,
		.image_height = WORLD_IMAGE_HEIGHT,
	};
	cl_int code;
	cl_mem image = clCreateImage(world.context, flags, format ? format : &rgba, &desc, NULL,
				     &code);
	REQUIRE(!code);
	return image;
}

/* --- reads and writes ------------------------------------------------------------------- */

static cl_int read(cl_mem image, const size_t *origin, const size_t *region, size_t slice_B,
		   void *pointer)
{
	return clEnqueueReadImage(world.queue, image, CL_TRUE, origin, region, 0, slice_B, pointer,
				  0, NULL, NULL);
}

static cl_int write(cl_mem image, const size_t *origin, const size_t *region, size_t slice_B,
		    void *pointer)
{
	return clEnqueueWriteImage(world.queue, image, CL_TRUE, origin, region, 0, slice_B,
				   pointer, 0, NULL, NULL);
}

#define BOTH(code, condition, ...)                                                                \
	do {                                                                                      \
		ERROR_CODE(clEnqueueReadImage, code, condition, read(__VA_ARGS__));               \
		ERROR_CODE(clEnqueueWriteImage, code, condition, write(__VA_ARGS__));             \
	} while (0)

static void transfers(void)
{
	cl_mem write_only = good_image(CL_MEM_HOST_WRITE_ONLY, NULL);
	cl_mem read_only = good_image(CL_MEM_HOST_READ_ONLY, NULL);
	cl_mem none = good_image(CL_MEM_HOST_NO_ACCESS, NULL);
	BOTH(CL_INVALID_CONTEXT, 1, world.foreign_image, zero, box, 0, error_bytes);
	BOTH(CL_INVALID_MEM_OBJECT, 1, world.wrong_mem, zero, box, 0, error_bytes);
	BOTH(CL_INVALID_MEM_OBJECT, 1, world.buffer, zero, box, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 1, world.image, NULL, box, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 2, world.image, zero, NULL, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 3, world.image, outside, box, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 3, world.image, huge, box, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 4, world.image, zero, flat, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 4, world.image, zero, deep, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 4, world.image, lifted, box, 0, error_bytes);
	BOTH(CL_INVALID_VALUE, 5, world.image, zero, box, 64, error_bytes);
	/* Two rows of which are 2^64 bytes. */
	ERROR_CODE(clEnqueueReadImage, CL_INVALID_VALUE, 5,
		   clEnqueueReadImage(world.queue, world.image, CL_TRUE, zero, box,
				      SIZE_MAX / 2 + 1, 0, error_bytes, 0, NULL, NULL));
	ERROR_CODE(clEnqueueWriteImage, CL_INVALID_VALUE, 5,
		   clEnqueueWriteImage(world.queue, world.image, CL_TRUE, zero, box,
				       SIZE_MAX / 2 + 1, 0, error_bytes, 0, NULL, NULL));
	BOTH(CL_INVALID_VALUE, 6, world.image, zero, box, 0, NULL);
	BOTH(CL_INVALID_MIP_LEVEL, 1, world.mipmapped, high, box, 0, error_bytes);
	ERROR_CODE(clEnqueueReadImage, CL_INVALID_OPERATION, 2,
		   read(write_only, zero, box, 0, error_bytes));
	ERROR_CODE(clEnqueueReadImage, CL_INVALID_OPERATION, 2,
		   read(none, zero, box, 0, error_bytes));
	ERROR_CODE(clEnqueueWriteImage, CL_INVALID_OPERATION, 2,
		   write(read_only, zero, box, 0, error_bytes));
	ERROR_CODE(clEnqueueWriteImage, CL_INVALID_OPERATION, 2,
		   write(none, zero, box, 0, error_bytes));
	REQUIRE(!clReleaseMemObject(write_only));
	REQUIRE(!clReleaseMemObject(read_only));
	REQUIRE(!clReleaseMemObject(none));
}

/* --- copies and fills --------------------------------------------------------------------- */

static cl_int copy(cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
		   const size_t *region)
{
	return clEnqueueCopyImage(world.queue, from, to, from_origin, to_origin, region, 0, NULL,
				  NULL);
}

static void copies(void)
{
	const cl_image_format real = {CL_RGBA, CL_FLOAT};
	const size_t near[3] = {1, 1, 0};
	cl_mem other = good_image(0, &real);
	cl_mem image = world.image, image2 = world.image2;
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_CONTEXT, 1,
		   copy(world.foreign_image, image, zero, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_CONTEXT, 2,
		   copy(image, world.foreign_image, zero, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_MEM_OBJECT, 1,
		   copy(world.buffer, image, zero, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_MEM_OBJECT, 2,
		   copy(image, world.wrong_mem, zero, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_IMAGE_FORMAT_MISMATCH, 1,
		   copy(image, other, zero, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 1, copy(image, image2, NULL, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 2, copy(image, image2, zero, NULL, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 3, copy(image, image2, zero, zero, NULL));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 4,
		   copy(image, image2, outside, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 5,
		   copy(image, image2, zero, outside, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 6,
		   copy(image, image2, lifted, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 6,
		   copy(world.image3d, image, zero, zero, deep));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_VALUE, 6, copy(image, image2, zero, zero, flat));
	ERROR_CODE(clEnqueueCopyImage, CL_MEM_COPY_OVERLAP, 1,
		   copy(image, image, zero, near, box));
	ERROR_CODE(clEnqueueCopyImage, CL_MEM_COPY_OVERLAP, 1,
		   copy(image, image, near, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_MIP_LEVEL, 1, copy(world.mipmapped, image, high, zero, box));
	ERROR_CODE(clEnqueueCopyImage, CL_INVALID_MIP_LEVEL, 2, copy(image, world.mipmapped, zero, high, box));
	/* Levels do not overlap. */
	ERROR_CODE(clEnqueueCopyImage, CL_MEM_COPY_OVERLAP, 1,
		   copy(world.mipmapped, world.mipmapped, lifted, lifted, box));
	REQUIRE(!copy(world.mipmapped, world.mipmapped, lifted, zero, box));
	/* Side by side they do not overlap, in either direction. */
	for (unsigned i = 0; i < 2; i++) {
		const size_t beside[3] = {i ? 0 : 2, i ? 2 : 0, 0};
		REQUIRE(!copy(image, image, zero, beside, box));
		REQUIRE(!copy(image, image, beside, zero, box));
	}
	REQUIRE(!clReleaseMemObject(other));
}

static cl_int fill(cl_mem image, const void *color, const size_t *origin, const size_t *region)
{
	return clEnqueueFillImage(world.queue, image, color, origin, region, 0, NULL, NULL);
}

static void fills(void)
{
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_CONTEXT, 1,
		   fill(world.foreign_image, error_bytes, zero, box));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_MEM_OBJECT, 1,
		   fill(world.buffer, error_bytes, zero, box));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_VALUE, 1, fill(world.image, NULL, zero, box));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_VALUE, 2,
		   fill(world.image, error_bytes, NULL, box));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_VALUE, 3,
		   fill(world.image, error_bytes, zero, NULL));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_VALUE, 4,
		   fill(world.image, error_bytes, outside, box));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_VALUE, 5,
		   fill(world.image, error_bytes, lifted, box));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_VALUE, 5,
		   fill(world.image, error_bytes, zero, flat));
	ERROR_CODE(clEnqueueFillImage, CL_INVALID_MIP_LEVEL, 1, fill(world.mipmapped, error_bytes, high, box));
}

/* --- images and buffers --------------------------------------------------------------------- */

static cl_int to_buffer(cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region,
			size_t offset_B)
{
	return clEnqueueCopyImageToBuffer(world.queue, image, buffer, origin, region, offset_B, 0,
					  NULL, NULL);
}

static cl_int from_buffer(cl_mem image, cl_mem buffer, const size_t *origin, const size_t *region,
			  size_t offset_B)
{
	return clEnqueueCopyBufferToImage(world.queue, buffer, image, offset_B, origin, region, 0,
					  NULL, NULL);
}

static void buffer_handles(void)
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
	ERROR_CODE(clEnqueueCopyImageToBuffer, CL_INVALID_CONTEXT, 1,
		   to_buffer(world.foreign_image, world.buffer, zero, box, 0));
	ERROR_CODE(clEnqueueCopyImageToBuffer, CL_INVALID_CONTEXT, 2,
		   to_buffer(world.image, world.foreign_buffer, zero, box, 0));
	ERROR_CODE(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, 1,
		   to_buffer(world.buffer2, world.buffer, zero, box, 0));
	ERROR_CODE(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, 2,
		   to_buffer(world.image, world.image2, zero, box, 0));
	ERROR_CODE(clEnqueueCopyImageToBuffer, CL_INVALID_MEM_OBJECT, 3,
		   to_buffer(view, world.buffer, zero, row, 0));
	ERROR_CODE(clEnqueueCopyBufferToImage, CL_INVALID_CONTEXT, 1,
		   from_buffer(world.image, world.foreign_buffer, zero, box, 0));
	ERROR_CODE(clEnqueueCopyBufferToImage, CL_INVALID_CONTEXT, 2,
		   from_buffer(world.foreign_image, world.buffer, zero, box, 0));
	ERROR_CODE(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, 1,
		   from_buffer(world.image, world.image2, zero, box, 0));
	ERROR_CODE(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, 2,
		   from_buffer(world.buffer2, world.buffer, zero, box, 0));
	ERROR_CODE(clEnqueueCopyBufferToImage, CL_INVALID_MEM_OBJECT, 3,
		   from_buffer(view, world.buffer, zero, row, 0));
	REQUIRE(!clReleaseMemObject(view));
}

#define TO(code, condition, ...)                                                                  \
	ERROR_CODE(clEnqueueCopyImageToBuffer, code, condition, to_buffer(__VA_ARGS__))
#define FROM(code, condition, ...)                                                                \
	ERROR_CODE(clEnqueueCopyBufferToImage, code, condition, from_buffer(__VA_ARGS__))

static void buffer_regions(void)
{
	cl_mem image = world.image, buffer = world.buffer;
	TO(CL_INVALID_VALUE, 1, image, buffer, NULL, box, 0);
	TO(CL_INVALID_VALUE, 2, image, buffer, zero, NULL, 0);
	TO(CL_INVALID_VALUE, 3, image, buffer, outside, box, 0);
	TO(CL_INVALID_VALUE, 4, image, buffer, zero, box, WORLD_BUFFER_B - 15);
	TO(CL_INVALID_VALUE, 5, image, buffer, lifted, box, 0);
	TO(CL_INVALID_VALUE, 5, image, buffer, zero, flat, 0);
	FROM(CL_INVALID_VALUE, 1, image, buffer, NULL, box, 0);
	FROM(CL_INVALID_VALUE, 2, image, buffer, zero, NULL, 0);
	FROM(CL_INVALID_VALUE, 3, image, buffer, zero, box, WORLD_BUFFER_B - 15);
	FROM(CL_INVALID_VALUE, 4, image, buffer, outside, box, 0);
	FROM(CL_INVALID_VALUE, 5, image, buffer, lifted, box, 0);
	FROM(CL_INVALID_VALUE, 5, image, buffer, zero, flat, 0);
	TO(CL_INVALID_MIP_LEVEL, 1, world.mipmapped, buffer, high, box, 0);
	FROM(CL_INVALID_MIP_LEVEL, 1, world.mipmapped, buffer, high, box, 0);
	REQUIRE(!to_buffer(image, buffer, zero, box, WORLD_BUFFER_B - 16));
}

/* --- maps --------------------------------------------------------------------------------------- */

static size_t row_pitch_B, slice_pitch_B;

static void *map(cl_mem image, cl_map_flags flags, const size_t *origin, const size_t *region)
{
	return clEnqueueMapImage(world.queue, image, CL_TRUE, flags, origin, region, &row_pitch_B,
				 &slice_pitch_B, 0, NULL, NULL, &error_code);
}

static void *map_pitches(cl_mem image, size_t *row, size_t *slice)
{
	return clEnqueueMapImage(world.queue, image, CL_TRUE, CL_MAP_READ, zero, box, row, slice,
				 0, NULL, NULL, &error_code);
}

static void map_access(unsigned condition, cl_mem_flags flags, cl_map_flags map_flags)
{
	cl_mem image = good_image(flags, NULL);
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, condition,
		     map(image, map_flags, zero, box));
	REQUIRE(!clReleaseMemObject(image));
}

static void array_pitches(void)
{
	const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 8, .image_height = 8,
		.image_array_size = 2,
	};
	cl_int code;
	cl_mem array = clCreateImage(world.context, 0, &rgba, &desc, NULL, &code);
	REQUIRE(!code);
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 7,
		     map_pitches(array, &row_pitch_B, NULL));
	REQUIRE(!clReleaseMemObject(array));
}

static void maps(void)
{
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_CONTEXT, 1,
		     map(world.foreign_image, CL_MAP_READ, zero, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_MEM_OBJECT, 1,
		     map(world.buffer, CL_MAP_READ, zero, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 1,
		     map(world.image, CL_MAP_READ, NULL, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 2,
		     map(world.image, CL_MAP_READ, zero, NULL));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 3,
		     map(world.image, CL_MAP_READ, outside, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 4,
		     map(world.image, 1u << 20, zero, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 4,
		     map(world.image, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, zero, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 5,
		     map(world.image, CL_MAP_READ, lifted, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 5,
		     map(world.image, CL_MAP_READ, zero, flat));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 6,
		     map_pitches(world.image, NULL, &slice_pitch_B));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_MIP_LEVEL, 1, map(world.mipmapped, CL_MAP_READ, high, box));
	array_pitches();
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_VALUE, 8,
		     map_pitches(world.image3d, &row_pitch_B, NULL));
	map_access(2, CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ);
	map_access(2, CL_MEM_HOST_NO_ACCESS, CL_MAP_READ);
	map_access(3, CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE);
	map_access(3, CL_MEM_HOST_NO_ACCESS, CL_MAP_WRITE_INVALIDATE_REGION);
	void *pointer = map(world.image, CL_MAP_WRITE, zero, box);
	REQUIRE(pointer);
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, 5,
		     map(world.image, CL_MAP_WRITE, zero, box));
	ERROR_OBJECT(clEnqueueMapImage, CL_INVALID_OPERATION, 5,
		     map(world.image, CL_MAP_WRITE_INVALIDATE_REGION, zero, box));
	REQUIRE(!clEnqueueUnmapMemObject(world.queue, world.image, pointer, 0, NULL, NULL));
	REQUIRE(!clFinish(world.queue));
}

void errors_image_commands(void)
{
	transfers();
	copies();
	fills();
	buffer_handles();
	buffer_regions();
	maps();
}
