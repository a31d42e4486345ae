/* Mapped images: pitches, what comes and goes, host pointers, and the page's errors. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdint.h>

static cl_context context;
static cl_command_queue queue;

enum { BYTES = 1 << 14 };

static unsigned char host[BYTES], back[BYTES];
static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

struct shape {
	cl_mem_object_type type;
	size_t size[3];
	bool sliced;
};

static const struct shape shapes[] = {
	{CL_MEM_OBJECT_IMAGE1D, {37, 1, 1}, false},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, {37, 6, 1}, true},
	{CL_MEM_OBJECT_IMAGE2D, {19, 11, 1}, false},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, {19, 11, 4}, true},
	{CL_MEM_OBJECT_IMAGE3D, {13, 7, 5}, true},
};
enum { SHAPES = 5 };

static unsigned char mixed(size_t i, unsigned seed)
{
	return (unsigned char)((i * 2654435761u + seed * 40503u) >> 13);
}

static cl_mem shape_make(cl_mem_flags flags, const struct shape *shape, size_t row_pitch)
{
	const bool array_1d = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	const cl_image_desc desc = {
		.image_type = shape->type,
		.image_width = shape->size[0],
		.image_height = shape->size[1],
		.image_depth = shape->size[2],
		.image_array_size = array_1d ? shape->size[1] : shape->size[2],
		.image_row_pitch = row_pitch,
	};
	const bool given = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	return image_make(context, flags, &rgba8, &desc, given ? host : NULL);
}

static unsigned char *map(cl_mem image, cl_map_flags flags, const size_t origin[3],
			  const size_t region[3], size_t *row, size_t *slice)
{
	cl_int code;
	*row = *slice = 77;
	void *pointer = clEnqueueMapImage(queue, image, CL_TRUE, flags, origin, region, row, slice,
					  0, NULL, NULL, &code);
	CHECK_OK(code);
	return pointer;
}

static void unmap(cl_mem image, void *pointer)
{
	CHECK_OK(clEnqueueUnmapMemObject(queue, image, pointer, 0, NULL, NULL));
}

/* Where a row of a mapped box begins. */
static size_t row_at(const struct shape *shape, size_t row, size_t slice, size_t y, size_t z)
{
	return y * (shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row) + z * slice;
}

static cl_uint map_count(cl_mem mem)
{
	cl_uint count = 99;
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
	return count;
}

static void read_all(cl_mem image, const struct shape *shape)
{
	const size_t zero[3] = {0};
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, shape->size, 0, 0, back, 0, NULL,
				    NULL));
}

/* Reads through a map, writes through another, and sees that the rest stays. */
static void test_box(cl_mem image, const struct shape *shape, unsigned char *model,
		     cl_map_flags write_flags)
{
	size_t origin[3], region[3], row, slice;
	const size_t *size = shape->size;
	for (unsigned i = 0; i < 3; i++) {
		origin[i] = size[i] > 2 ? 1 : 0;
		region[i] = size[i] > 2 ? size[i] - 2 : 1;
	}
	unsigned char *pointer = map(image, CL_MAP_READ, origin, region, &row, &slice);
	CHECK(map_count(image) == 1);
	CHECK(row >= 4 * region[0]);
	CHECK(shape->sliced ? slice >= row : slice == 0);
	bool good = true;
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			good &= !memcmp(pointer + row_at(shape, row, slice, y, z),
					model + 4 * (((z + origin[2]) * size[1] + y + origin[1]) *
							     size[0] + origin[0]), 4 * region[0]);
	CHECK(good);
	unmap(image, pointer);
	pointer = map(image, write_flags, origin, region, &row, &slice);
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < 4 * region[0]; x++) {
				const unsigned char byte = mixed(x + 99 * y + 9999 * z, 7);
				pointer[row_at(shape, row, slice, y, z) + x] = byte;
				model[4 * (((z + origin[2]) * size[1] + y + origin[1]) * size[0] +
					   origin[0]) + x] = byte;
			}
	/* Meanwhile another part is written: it must not be lost with the unmap. */
	const size_t zero[3] = {0}, one[3] = {1, 1, 1};
	if (origin[0]) {
		CHECK_OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, one, 0, 0, "wxyz", 0,
					     NULL, NULL));
		memcpy(model, "wxyz", 4);
	}
	unmap(image, pointer);
	CHECK(map_count(image) == 0);
	read_all(image, shape);
	CHECK(!memcmp(back, model, 4 * size[0] * size[1] * size[2]));
}

static void test_shapes(void)
{
	static unsigned char model[BYTES];
	for (unsigned i = 0; i < SHAPES; i++) {
		for (size_t b = 0; b < BYTES; b++)
			host[b] = model[b] = mixed(b, i);
		cl_mem image = shape_make(CL_MEM_COPY_HOST_PTR, &shapes[i], 0);
		test_box(image, &shapes[i], model, CL_MAP_WRITE);
		test_box(image, &shapes[i], model, CL_MAP_READ | CL_MAP_WRITE);
		test_box(image, &shapes[i], model, CL_MAP_WRITE_INVALIDATE_REGION);
		CHECK_OK(clReleaseMemObject(image));
	}
}

/* The application's memory: maps point into it, with its pitches. */
static void test_use_host_pointer(void)
{
	static unsigned char given[BYTES];
	const size_t origin[3] = {2, 3, 0}, region[3] = {5, 4, 1};
	size_t row, slice;
	for (size_t b = 0; b < BYTES; b++)
		host[b] = given[b] = mixed(b, 31);
	cl_mem image = shape_make(CL_MEM_USE_HOST_PTR, &shapes[2], 100);
	unsigned char *pointer = map(image, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
				     &slice);
	CHECK(pointer == host + 3 * 100 + 2 * 4);
	CHECK(row == 100 && slice == 0);
	CHECK(!memcmp(host, given, sizeof(host)));
	memcpy(pointer + row, "abcd", 4);
	unmap(image, pointer);
	read_all(image, &shapes[2]);
	bool good = true;
	for (size_t y = 0; y < 11; y++) {
		if (y == 4)
			memcpy(given + 4 * 100 + 8, "abcd", 4);
		good &= !memcmp(back + y * 19 * 4, given + y * 100, 19 * 4);
	}
	CHECK(good);
	/* What a command writes is there once it is mapped. */
	const float white[4] = {1, 1, 1, 1};
	CHECK_OK(clEnqueueFillImage(queue, image, white, origin, region, 0, NULL, NULL));
	pointer = map(image, CL_MAP_READ, origin, region, &row, &slice);
	CHECK(pointer[0] == 255 && pointer[3 * row + 4 * 5 - 1] == 255);
	unmap(image, pointer);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(image));
}

/* An image that is made of the application's memory, by way of a buffer or of another image:
 * its maps point there, too (5.3.6; the flag is inherited, 5.3.1). */
static void check_made_of(cl_mem parent, const cl_image_desc *like, unsigned char *memory,
			  size_t pitch)
{
	const size_t origin[3] = {3, like->image_height > 1 ? 1 : 0, 0}, region[3] = {5, 1, 1};
	cl_image_desc desc = *like;
	unsigned char *expected = memory + origin[1] * pitch + 12;
	void *told = NULL;
	size_t row, slice;
	cl_mem_flags flags = 0;
	desc.mem_object = parent;
	cl_mem image = image_make(context, 0, &rgba8, &desc, NULL);
	CHECK_OK(clGetMemObjectInfo(image, CL_MEM_HOST_PTR, sizeof(told), &told, NULL));
	CHECK_OK(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	CHECK(told == memory && flags & CL_MEM_USE_HOST_PTR);
	const float white[4] = {1, 1, 1, 1};
	CHECK_OK(clEnqueueFillImage(queue, image, white, origin, region, 0, NULL, NULL));
	unsigned char *pointer = map(image, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
				     &slice);
	CHECK(pointer == expected && pointer[0] == 255 && pointer[19] == 255);
	memcpy(pointer, "made", 4);
	unmap(image, pointer);
	pointer = map(image, CL_MAP_READ, origin, region, &row, &slice);
	CHECK(!memcmp(pointer, "made\377", 5));
	unmap(image, pointer);
	unsigned char read[20] = {0};
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, read, 0, NULL,
				    NULL));
	CHECK(!memcmp(read, "made\377", 5));
	CHECK_OK(clReleaseMemObject(image));
}

static void test_made_of_host_pointer(void)
{
	static _Alignas(4096) unsigned char memory[BYTES];
	const cl_image_desc row = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64};
	const cl_image_desc rows = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64,
				    .image_height = 4, .image_row_pitch = 1024};
	const cl_buffer_region part = {4096, 4096};
	const cl_image_desc given = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64,
				     .image_height = 4, .image_row_pitch = 260};
	cl_mem buffer = buffer_make(context, CL_MEM_USE_HOST_PTR, BYTES, memory);
	cl_mem half = sub_buffer_make(buffer, 0, &part);
	check_made_of(buffer, &row, memory, 0);
	check_made_of(half, &row, memory + 4096, 0);
	check_made_of(buffer, &rows, memory, 1024);
	CHECK_OK(clReleaseMemObject(half));
	CHECK_OK(clReleaseMemObject(buffer));
	const cl_image_format srgba8 = {CL_sRGBA, CL_UNORM_INT8};
	cl_mem image = image_make(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, &srgba8, &given,
				  memory);
	const cl_image_desc same = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64,
				    .image_height = 4};
	check_made_of(image, &same, memory, 260);
	CHECK_OK(clReleaseMemObject(image));
}

/* Behind a user event neither map nor unmap waits for the host. */
static void test_later(void)
{
	const size_t zero[3] = {0};
	const float white[4] = {1, 1, 1, 1};
	size_t row, slice;
	cl_event ready, mapped;
	cl_int code, status = 1;
	cl_mem image = shape_make(0, &shapes[4], 0);
	cl_event gate = user_event_make(context);
	CHECK_OK(clEnqueueFillImage(queue, image, white, zero, shapes[4].size, 1, &gate, &ready));
	unsigned char *pointer = clEnqueueMapImage(queue, image, CL_FALSE, CL_MAP_READ, zero,
						   shapes[4].size, &row, &slice, 1, &ready, &mapped,
						   &code);
	CHECK_OK(code);
	CHECK_OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	CHECK(status > CL_COMPLETE || status == CL_QUEUED);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &mapped));
	CHECK(pointer[0] == 255 && pointer[4 * slice + 6 * row + 4 * 13 - 1] == 255);
	unmap(image, pointer);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseEvent(ready));
	CHECK_OK(clReleaseEvent(mapped));
}

static void test_errors(void)
{
	const size_t zero[3] = {0}, one[3] = {1, 1, 1}, four[3] = {4, 4, 1}, near[3] = {3, 3, 0};
	const size_t aside[3] = {4, 0, 0}, outside[3] = {19, 0, 0};
	size_t row, slice;
	cl_int code;
	cl_mem image = shape_make(0, &shapes[2], 0), deep = shape_make(0, &shapes[4], 0);
	cl_mem closed = shape_make(CL_MEM_HOST_NO_ACCESS, &shapes[2], 0);
	cl_mem buffer = buffer_make(context, 0, 64, NULL);
#define MAP(queue, image, flags, origin, region, row, slice)                                      \
	clEnqueueMapImage(queue, image, CL_TRUE, flags, origin, region, row, slice, 0, NULL, NULL, \
			  &code)
	CHECK_NO_OBJECT(MAP(NULL, image, CL_MAP_READ, zero, one, &row, NULL), code,
			CL_INVALID_COMMAND_QUEUE);
	CHECK_NO_OBJECT(MAP(queue, buffer, CL_MAP_READ, zero, one, &row, NULL), code,
			CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(MAP(queue, image, CL_MAP_READ, outside, one, &row, NULL), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(queue, image, CL_MAP_READ, NULL, one, &row, NULL), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(queue, image, 0x80, zero, one, &row, NULL), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(queue, image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, zero, one,
			    &row, NULL),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(queue, image, CL_MAP_READ, zero, one, NULL, NULL), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(queue, deep, CL_MAP_READ, zero, one, &row, NULL), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(queue, closed, CL_MAP_READ, zero, one, &row, NULL), code,
			CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(MAP(queue, closed, CL_MAP_WRITE, zero, one, &row, NULL), code,
			CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL,
					  1, NULL, NULL, &code),
			code, CL_INVALID_EVENT_WAIT_LIST);
	/* Boxes that are mapped for writing may not overlap; side by side they may be. */
	unsigned char *a = map(image, CL_MAP_WRITE, zero, four, &row, &slice);
	CHECK_NO_OBJECT(MAP(queue, image, CL_MAP_WRITE, near, four, &row, NULL), code,
			CL_INVALID_OPERATION);
	unsigned char *b = map(image, CL_MAP_WRITE, aside, four, &row, &slice);
	CHECK(a != b && map_count(image) == 2);
	unmap(image, a);
	CHECK_CODE(clEnqueueUnmapMemObject(queue, image, a, 0, NULL, NULL), CL_INVALID_VALUE);
	a = map(image, CL_MAP_WRITE, zero, four, &row, &slice);
	CHECK(a != b && map_count(image) == 2);
	unmap(image, b);
	unmap(image, a);
	CHECK_CODE(clEnqueueUnmapMemObject(queue, image, a, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(deep));
	CHECK_OK(clReleaseMemObject(closed));
	CHECK_OK(clReleaseMemObject(buffer));
}

/* A mapped image may be let go; its memory goes when the last transfer is over. */
static void test_release(void)
{
	const size_t zero[3] = {0};
	size_t row, slice;
	for (unsigned i = 0; i < 50; i++) {
		cl_mem image = shape_make(i & 1 ? CL_MEM_COPY_HOST_PTR : CL_MEM_ALLOC_HOST_PTR,
					  &shapes[i % SHAPES], 0);
		unsigned char *pointer = map(image, CL_MAP_WRITE, zero, shapes[i % SHAPES].size,
					     &row, &slice);
		pointer[0] = (unsigned char)i;
		unmap(image, pointer);
		CHECK_OK(clReleaseMemObject(image));
	}
	CHECK_OK(clFinish(queue));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "image_maps"))
		return API_TEST_SKIP;
	context = test.context;
	queue = queue_make(context, test.device, 0);
	test_shapes();
	test_use_host_pointer();
	test_made_of_host_pointer();
	test_later();
	test_errors();
	test_release();
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
