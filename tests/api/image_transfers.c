/* Reads, writes, copies and fills of images, of every shape and texel size, compared
 * with a model in host memory. */
#include "config.h"

#include "tests/api/fixture.h"

#include <math.h>
#include <stdint.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

enum { MODEL = 1 << 16 };

/* --- a model: an image of texels without gaps ----------------------------------------- */

struct shape {
	const char *name;
	cl_mem_object_type type;
	size_t size[3];                  /* as origin and region count */
};

static const struct shape shapes[] = {
	{"1D", CL_MEM_OBJECT_IMAGE1D, {37, 1, 1}},
	{"1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, {37, 6, 1}},
	{"2D", CL_MEM_OBJECT_IMAGE2D, {19, 11, 1}},
	{"2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, {19, 11, 6}},
	{"3D", CL_MEM_OBJECT_IMAGE3D, {13, 7, 5}},
	{"1D buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, {37, 1, 1}},
};
enum { SHAPES = 6 };

struct texel {
	cl_image_format format;
	size_t size;
};

static const struct texel texels[] = {
	{{CL_R, CL_UNSIGNED_INT8}, 1},     {{CL_RG, CL_SNORM_INT8}, 2},
	{{CL_R, CL_HALF_FLOAT}, 2},        {{CL_RGBA, CL_UNORM_INT8}, 4},
	{{CL_RG, CL_SIGNED_INT32}, 8},     {{CL_RGBA, CL_FLOAT}, 16},
	{{CL_RGB, CL_UNORM_SHORT_565}, 2}, {{CL_RGBA, CL_UNORM_INT_101010_2}, 4},
};
enum { TEXELS = 8, PACKED = 6 };         /* from PACKED on: not of 1D buffer images */

struct model {
	const struct shape *shape;
	size_t texel;
	cl_mem image, buffer;            /* buffer: what a 1D buffer image is made of */
	unsigned char bytes[MODEL];
};

static size_t model_at(const struct model *model, size_t x, size_t y, size_t z)
{
	const size_t *size = model->shape->size;
	return ((z * size[1] + y) * size[0] + x) * model->texel;
}

static size_t model_size(const struct model *model)
{
	return model_at(model, 0, 0, model->shape->size[2]);
}

static unsigned char mixed(size_t i, unsigned seed)
{
	return (unsigned char)((i * 2654435761u + seed * 40503u) >> 13);
}

static cl_image_desc desc_of(const struct shape *shape)
{
	const bool rows_are_layers = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	return (cl_image_desc){
		.image_type = shape->type,
		.image_width = shape->size[0],
		.image_height = shape->size[1],
		.image_depth = shape->size[2],
		.image_array_size = rows_are_layers ? shape->size[1] : shape->size[2],
	};
}

static bool model_make(struct model *model, const struct shape *shape, const struct texel *texel,
		       unsigned seed)
{
	cl_image_desc desc = desc_of(shape);
	cl_int code;
	model->shape = shape;
	model->texel = texel->size;
	model->buffer = NULL;
	for (size_t i = 0; i < model_size(model); i++)
		model->bytes[i] = mixed(i, seed);
	if (shape->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
		model->buffer = buffer_make(context, CL_MEM_COPY_HOST_PTR, model_size(model),
					    model->bytes);
		desc.mem_object = model->buffer;
	}
	model->image = clCreateImage(context, model->buffer ? 0 : CL_MEM_COPY_HOST_PTR,
				     &texel->format, &desc, model->buffer ? NULL : model->bytes,
				     &code);
	return CHECK_OK(code);
}

static void model_end(struct model *model)
{
	CHECK_OK(clReleaseMemObject(model->image));
	if (model->buffer)
		CHECK_OK(clReleaseMemObject(model->buffer));
}

/* The whole image is as the model says. */
static void model_check(const struct model *model, const char *what)
{
	static unsigned char back[MODEL];
	const size_t zero[3] = {0};
	memset(back, 0xEE, sizeof(back));
	CHECK_OK(clEnqueueReadImage(queue, model->image, CL_TRUE, zero, model->shape->size, 0, 0,
				    back, 0, NULL, NULL));
	if (!CHECK(!memcmp(back, model->bytes, model_size(model))))
		printf("  %s of a %s image, texels of %zu bytes\n", what, model->shape->name,
		       model->texel);
}

/* A box inside, not at the edges where the shape allows. */
static void inner_box(const struct shape *shape, size_t origin[3], size_t region[3])
{
	for (unsigned i = 0; i < 3; i++) {
		origin[i] = shape->size[i] > 2 ? 1 + i : 0;
		region[i] = shape->size[i] > 2 ? shape->size[i] - 2 - i : 1;
	}
}

/* --- reads and writes ----------------------------------------------------------------- */

/* The pitches, and whether slices have one. */
static void pitches_of(const struct model *model, const size_t region[3], size_t *row,
		       size_t *slice)
{
	const bool array_1d = model->shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	const bool sliced = array_1d || model->shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
			    model->shape->type == CL_MEM_OBJECT_IMAGE3D;
	*row = region[0] * model->texel + 3 * model->texel;
	*slice = !sliced ? 0 : array_1d ? *row + 2 * model->texel
					: *row * region[1] + 5 * model->texel;
}

/* Where a texel of the region lies in the host's memory. */
static size_t host_at(const struct model *model, size_t row, size_t slice, size_t x, size_t y,
		      size_t z)
{
	const bool array_1d = model->shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	return x * model->texel + y * (array_1d ? slice : row) + z * slice;
}

static void test_box(struct model *model)
{
	static unsigned char host[MODEL], expected[MODEL];
	size_t origin[3], region[3], row, slice;
	inner_box(model->shape, origin, region);
	pitches_of(model, region, &row, &slice);
	for (size_t i = 0; i < MODEL; i++)
		host[i] = mixed(i, 77);
	CHECK_OK(clEnqueueWriteImage(queue, model->image, CL_FALSE, origin, region, row, slice,
				     host, 0, NULL, NULL));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			memcpy(model->bytes + model_at(model, origin[0], origin[1] + y,
						       origin[2] + z),
			       host + host_at(model, row, slice, 0, y, z),
			       region[0] * model->texel);
	model_check(model, "write of a box");
	memset(host, 0xCC, sizeof(host));
	memset(expected, 0xCC, sizeof(expected));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			memcpy(expected + host_at(model, row, slice, 0, y, z),
			       model->bytes + model_at(model, origin[0], origin[1] + y,
						       origin[2] + z),
			       region[0] * model->texel);
	CHECK_OK(clEnqueueReadImage(queue, model->image, CL_TRUE, origin, region, row, slice, host,
				    0, NULL, NULL));
	if (!CHECK(!memcmp(host, expected, sizeof(host))))
		printf("  read of a box of a %s image, texels of %zu bytes\n", model->shape->name,
		       model->texel);
}

static void test_buffer_copies(struct model *model)
{
	static unsigned char bytes[MODEL], expected[MODEL];
	size_t origin[3], region[3];
	inner_box(model->shape, origin, region);
	const size_t row = region[0] * model->texel, size = row * region[1] * region[2];
	for (size_t i = 0; i < MODEL; i++)
		bytes[i] = mixed(i, 99);
	cl_mem buffer = buffer_make(context, CL_MEM_COPY_HOST_PTR, MODEL, bytes);
	CHECK_OK(clEnqueueCopyBufferToImage(queue, buffer, model->image, 33, origin, region, 0,
					    NULL, NULL));
	for (size_t i = 0; i < region[1] * region[2]; i++)
		memcpy(model->bytes + model_at(model, origin[0], origin[1] + i % region[1],
					       origin[2] + i / region[1]),
		       bytes + 33 + i * row, row);
	model_check(model, "copy from a buffer");
	CHECK_OK(clEnqueueWriteImage(queue, model->image, CL_TRUE, origin, region, 0, 0, bytes, 0,
				     NULL, NULL));
	memcpy(expected, bytes, sizeof(expected));
	memcpy(expected + 4001, bytes, size);
	for (size_t i = 0; i < region[1] * region[2]; i++)
		memcpy(model->bytes + model_at(model, origin[0], origin[1] + i % region[1],
					       origin[2] + i / region[1]),
		       bytes + i * row, row);
	CHECK_OK(clEnqueueCopyImageToBuffer(queue, model->image, buffer, origin, region, 4001, 0,
					    NULL, NULL));
	buffer_read(queue, buffer, bytes, MODEL);
	if (!CHECK(!memcmp(bytes, expected, sizeof(bytes))))
		printf("  copy to a buffer of a %s image, texels of %zu bytes\n",
		       model->shape->name, model->texel);
	CHECK_OK(clReleaseMemObject(buffer));
}

/* --- copies between images ------------------------------------------------------------ */

static void test_copy(struct model *from, struct model *to)
{
	size_t origin[3], target[3] = {0}, region[3];
	inner_box(from->shape, origin, region);
	for (unsigned i = 0; i < 3; i++)
		if (region[i] > to->shape->size[i])
			region[i] = to->shape->size[i];
	for (unsigned i = 0; i < 3; i++)
		target[i] = to->shape->size[i] - region[i];
	CHECK_OK(clEnqueueCopyImage(queue, from->image, to->image, origin, target, region, 0, NULL,
				    NULL));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			memcpy(to->bytes + model_at(to, target[0], target[1] + y, target[2] + z),
			       from->bytes + model_at(from, origin[0], origin[1] + y,
						      origin[2] + z),
			       region[0] * from->texel);
	model_check(to, from->shape->name);
}

/* From every shape to every shape. */
static void test_copies(void)
{
	static struct model from, to;
	for (unsigned i = 0; i < SHAPES; i++) {
		for (unsigned j = 0; j < SHAPES; j++) {
			if (!model_make(&from, &shapes[i], &texels[3], i) ||
			    !model_make(&to, &shapes[j], &texels[3], 100 + j))
				return;
			test_copy(&from, &to);
			model_end(&from);
			model_end(&to);
		}
	}
}

/* --- fills ---------------------------------------------------------------------------- */

struct fill {
	cl_image_format format;
	size_t size;
	union {
		float real[4];
		int32_t whole[4];
		uint32_t natural[4];
	} color;
	unsigned char texel[16];
};

/* OpenCL C 3.0, 8.3, by hand: what a texel is of a color. */
static const struct fill fills[] = {
	{{CL_R, CL_UNORM_INT8}, 1, {.real = {0.5F}}, {128}},
	{{CL_A, CL_UNORM_INT8}, 1, {.real = {0, 0, 0, 1}}, {255}},
	{{CL_RGBA, CL_UNORM_INT8}, 4, {.real = {-1, 0.2F, 0.8F, 7}}, {0, 51, 204, 255}},
	{{CL_BGRA, CL_UNORM_INT8}, 4, {.real = {0, 0.2F, 0.8F, 1}}, {204, 51, 0, 255}},
	{{CL_RGBA, CL_SNORM_INT8}, 4, {.real = {-1, -0.5F, 1, 0}}, {0x81, 0xC0, 0x7F, 0}},
	{{CL_RG, CL_UNORM_INT16}, 4, {.real = {1, 0.5F}}, {0xFF, 0xFF, 0x00, 0x80}},
	{{CL_RG, CL_SIGNED_INT8}, 2, {.whole = {-300, 100}}, {0x80, 100}},
	{{CL_RGBA, CL_UNSIGNED_INT16}, 8, {.natural = {1, 70000, 0x1234, 0}},
	 {1, 0, 0xFF, 0xFF, 0x34, 0x12, 0, 0}},
	{{CL_R, CL_UNSIGNED_INT32}, 4, {.natural = {0xFEDCBA98}}, {0x98, 0xBA, 0xDC, 0xFE}},
	{{CL_R, CL_HALF_FLOAT}, 2, {.real = {1.5F}}, {0x00, 0x3E}},
	{{CL_RG, CL_HALF_FLOAT}, 4, {.real = {-0.333333343F, 1e9F}}, {0x55, 0xB5, 0x00, 0x7C}},
	{{CL_RGBA, CL_FLOAT}, 16, {.real = {1, -2, 0.5F, 0}},
	 {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 0, 0, 0, 0x3F, 0, 0, 0, 0}},
};
enum { FILLS = 12 };

static void test_fill(const struct shape *shape, const struct fill *fill)
{
	static struct model model;
	const struct texel texel = {fill->format, fill->size};
	size_t origin[3], region[3];
	if (!model_make(&model, shape, &texel, 3))
		return;
	inner_box(shape, origin, region);
	CHECK_OK(clEnqueueFillImage(queue, model.image, &fill->color, origin, region, 0, NULL,
				    NULL));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++)
				memcpy(model.bytes + model_at(&model, origin[0] + x, origin[1] + y,
							      origin[2] + z),
				       fill->texel, fill->size);
	model_check(&model, "fill");
	model_end(&model);
}

/* What kernels only read, the host fills: an sRGB color on its curve, alpha as it is, and
 * a depth of one float. */
static void check_texel(const cl_image_format *format, const float *color,
			const unsigned char *texel, size_t texel_B)
{
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3,
				    .image_height = 3};
	const size_t origin[3] = {1, 2, 0}, one[3] = {1, 1, 1};
	unsigned char back[16] = {0};
	cl_mem image = image_make(context, CL_MEM_READ_ONLY, format, &desc, NULL);
	CHECK_OK(clEnqueueFillImage(queue, image, color, origin, one, 0, NULL, NULL));
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, back, 0, NULL, NULL));
	CHECK(!memcmp(back, texel, texel_B));
	CHECK_OK(clReleaseMemObject(image));
}

static void test_fill_others(void)
{
	const cl_image_format srgba = {CL_sRGBA, CL_UNORM_INT8}, sbgra = {CL_sBGRA, CL_UNORM_INT8};
	const cl_image_format depth = {CL_DEPTH, CL_FLOAT}, short_depth = {CL_DEPTH, CL_UNORM_INT16};
	const float color[4] = {0, 0.5F, 0.002F, 0.25F}, far = 0.75F;
	/* OpenCL C 3.0, 8.3.1.5: 255 * (1.055 * 0.5 ^ (1 / 2.4) - 0.055) = 187.5, and
	 * 255 * 12.92 * 0.002 = 6.6. */
	check_texel(&srgba, color, (const unsigned char[]){0, 188, 7, 64}, 4);
	check_texel(&sbgra, color, (const unsigned char[]){7, 188, 0, 64}, 4);
	check_texel(&depth, &far, (const unsigned char[]){0, 0, 0x40, 0x3F}, 4);
	check_texel(&short_depth, &far, (const unsigned char[]){0xFF, 0xBF}, 2);
}

/* 5.3.1.1: red is in bits 29 to 20, green in 19 to 10, blue in 9 to 0.  0.5 * 1023 is rounded to
 * even, 512; 0.25 * 1023 is 255.75. */
static void test_fill_packed(void)
{
	const cl_image_format packed = {CL_RGB, CL_UNORM_INT_101010};
	const float color[4] = {0.5F, 7, 0.25F, 0.5F}, other[4] = {1, -1, 0, 1};
	const cl_uint words[] = {512u << 20 | 1023 << 10 | 256, 1023u << 20};
	check_texel(&packed, color, (const unsigned char *)&words[0], 4);
	check_texel(&packed, other, (const unsigned char *)&words[1], 4);
	/* Red in bits 15 to 11, 14 to 10, 31 to 22. 0.5 * 31 = 15.5, 0.25 * 31 = 7.75, 0.5 * 3 = 1.5. */
	const cl_image_format high = {CL_RGB, CL_UNORM_SHORT_565}, five = {CL_RGB, CL_UNORM_SHORT_555};
	const cl_image_format wide = {CL_RGBA, CL_UNORM_INT_101010_2};
	const cl_ushort shorts[] = {16 << 11 | 63 << 5 | 8, 16 << 10 | 31 << 5 | 8};
	const cl_uint wides[] = {512u << 22 | 1023 << 12 | 256 << 2 | 2, 1023u << 22 | 3};
	check_texel(&high, color, (const unsigned char *)&shorts[0], 2);
	check_texel(&five, color, (const unsigned char *)&shorts[1], 2);
	check_texel(&wide, color, (const unsigned char *)&wides[0], 4);
	check_texel(&wide, other, (const unsigned char *)&wides[1], 4);
}

/* --- 2D images of buffers, and 2D images of images ------------------------------------ */

static void test_of_buffer(void)
{
	static unsigned char bytes[MODEL], back[MODEL];
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const size_t origin[3] = {2, 1, 0}, region[3] = {5, 3, 1};
	const float red[4] = {1, 0, 0, 1};
	cl_uint pitch = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(pitch), &pitch,
				 NULL));
	const size_t row = 4 * (size_t)pitch;
	for (size_t i = 0; i < MODEL; i++)
		bytes[i] = mixed(i, 5);
	cl_mem whole = buffer_make(context, CL_MEM_COPY_HOST_PTR, MODEL, bytes);
	/* Not at the buffer's start. */
	const cl_buffer_region part = {4096, 8 * row};
	cl_mem buffer = sub_buffer_make(whole, 0, &part);
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 9,
				    .image_height = 8, .image_row_pitch = row,
				    .mem_object = buffer};
	cl_mem image = image_make(context, 0, &format, &desc, NULL);
	CHECK_OK(clEnqueueFillImage(queue, image, red, origin, region, 0, NULL, NULL));
	for (size_t y = 1; y < 4; y++)
		for (size_t x = 2; x < 7; x++)
			memcpy(bytes + 4096 + y * row + 4 * x, "\xFF\0\0\xFF", 4);
	buffer_read(queue, whole, back, MODEL);
	CHECK(!memcmp(back, bytes, MODEL));
	/* What is written by way of the buffer is read by way of the image. */
	CHECK_OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 2 * row + 8, 4, "abcd", 0, NULL,
				      NULL));
	const size_t there[3] = {2, 2, 0}, one[3] = {1, 1, 1};
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, there, one, 0, 0, back, 0, NULL, NULL));
	CHECK(!memcmp(back, "abcd", 4));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseMemObject(whole));
}

static void test_of_image(void)
{
	static struct model model;
	static unsigned char back[MODEL];
	const cl_image_format srgba = {CL_sRGBA, CL_UNORM_INT8};
	const size_t zero[3] = {0};
	if (!model_make(&model, &shapes[2], &texels[3], 8))
		return;
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
				    .image_width = shapes[2].size[0],
				    .image_height = shapes[2].size[1],
				    .mem_object = model.image};
	cl_mem view = image_make(context, CL_MEM_READ_ONLY, &srgba, &desc, NULL);
	test_box(&model);
	CHECK_OK(clEnqueueReadImage(queue, view, CL_TRUE, zero, shapes[2].size, 0, 0, back, 0, NULL,
				    NULL));
	CHECK(!memcmp(back, model.bytes, model_size(&model)));
	model_end(&model);
	CHECK_OK(clReleaseMemObject(view));
}

/* --- errors --------------------------------------------------------------------------- */

static void test_transfer_errors(cl_mem image, cl_mem image3d)
{
	static unsigned char host[MODEL];
	const size_t zero[3] = {0}, one[3] = {1, 1, 1}, wide[3] = {20, 1, 1}, flat[3] = {1, 1, 0};
	const size_t deep[3] = {1, 1, 2}, outside[3] = {19, 11, 1}, four[3] = {4, 4, 2};
	const cl_event bad = NULL;
#define READ(...) clEnqueueReadImage(__VA_ARGS__, 0, NULL, NULL)
#define WRITE(...) clEnqueueWriteImage(__VA_ARGS__, 0, NULL, NULL)
	CHECK_CODE(READ(NULL, image, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(WRITE(NULL, image, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(READ(queue, NULL, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(WRITE(queue, NULL, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, one, 0, 0, NULL), CL_INVALID_VALUE);
	CHECK_CODE(WRITE(queue, image, CL_TRUE, zero, one, 0, 0, NULL), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, NULL, one, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, NULL, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, wide, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(WRITE(queue, image, CL_TRUE, zero, wide, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, flat, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, deep, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, outside, one, 0, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, one, 3, 0, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, one, 0, 4, host), CL_INVALID_VALUE);
	CHECK_CODE(READ(queue, image3d, CL_TRUE, zero, four, 16, 60, host), CL_INVALID_VALUE);
	CHECK_CODE(WRITE(queue, image3d, CL_TRUE, zero, four, 15, 64, host), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueReadImage(queue, image, CL_TRUE, zero, one, 0, 0, host, 1, NULL, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(clEnqueueWriteImage(queue, image, CL_TRUE, zero, one, 0, 0, host, 1, &bad, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(clEnqueueFillImage(NULL, image, host, zero, one, 0, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clEnqueueFillImage(queue, NULL, host, zero, one, 0, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clEnqueueFillImage(queue, image, NULL, zero, one, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillImage(queue, image, host, outside, one, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillImage(queue, image, host, zero, one, 0, &bad, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
}

static void test_copy_errors(cl_mem image, cl_mem image3d)
{
	const size_t zero[3] = {0}, one[3] = {1, 1, 1}, four[3] = {4, 4, 1}, aside[3] = {4, 0, 0};
	const size_t near[3] = {3, 3, 0}, outside[3] = {19, 0, 0};
	const cl_image_format other = {CL_BGRA, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
				    .image_height = 8};
	cl_mem bgra = image_make(context, 0, &other, &desc, NULL);
	cl_mem buffer = buffer_make(context, 0, 64, NULL);
#define COPY(...) clEnqueueCopyImage(__VA_ARGS__, 0, NULL, NULL)
#define TO_BUFFER(...) clEnqueueCopyImageToBuffer(__VA_ARGS__, 0, NULL, NULL)
#define FROM_BUFFER(...) clEnqueueCopyBufferToImage(__VA_ARGS__, 0, NULL, NULL)
	CHECK_CODE(COPY(NULL, image, image3d, zero, zero, one), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(COPY(queue, NULL, image, zero, zero, one), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(COPY(queue, image, buffer, zero, zero, one), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(COPY(queue, image, bgra, zero, zero, one), CL_IMAGE_FORMAT_MISMATCH);
	CHECK_CODE(COPY(queue, image, image3d, outside, zero, one), CL_INVALID_VALUE);
	CHECK_CODE(COPY(queue, image3d, image, zero, outside, one), CL_INVALID_VALUE);
	CHECK_CODE(COPY(queue, image, image, zero, near, four), CL_MEM_COPY_OVERLAP);
	CHECK_CODE(COPY(queue, image, image, zero, zero, one), CL_MEM_COPY_OVERLAP);
	CHECK_OK(COPY(queue, image, image, zero, aside, four));
	CHECK_CODE(clEnqueueCopyImage(queue, image, image3d, zero, zero, one, 1, NULL, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(TO_BUFFER(NULL, image, buffer, zero, one, 0), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(TO_BUFFER(queue, buffer, buffer, zero, one, 0), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(TO_BUFFER(queue, image, image3d, zero, one, 0), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(TO_BUFFER(queue, image, buffer, outside, one, 0), CL_INVALID_VALUE);
	CHECK_CODE(TO_BUFFER(queue, image, buffer, zero, four, 4), CL_INVALID_VALUE);
	CHECK_OK(TO_BUFFER(queue, image, buffer, zero, four, 0));
	CHECK_CODE(FROM_BUFFER(NULL, buffer, image, 0, zero, one), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(FROM_BUFFER(queue, image, image, 0, zero, one), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(FROM_BUFFER(queue, buffer, buffer, 0, zero, one), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(FROM_BUFFER(queue, buffer, image, 0, outside, one), CL_INVALID_VALUE);
	CHECK_CODE(FROM_BUFFER(queue, buffer, image, 61, zero, one), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueCopyImageToBuffer(queue, image, buffer, zero, one, 0, 1, NULL, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(clEnqueueCopyBufferToImage(queue, buffer, image, 0, zero, one, 1, NULL, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseMemObject(bgra));
}

static void test_access_errors(void)
{
	static unsigned char host[64];
	const size_t zero[3] = {0}, one[3] = {1, 1, 1};
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
			      .image_height = 8};
	cl_context other = context_make(1, &device);
	cl_mem foreign = image_make(other, 0, &format, &desc, NULL);
	CHECK_CODE(READ(queue, foreign, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_CONTEXT);
	CHECK_CODE(WRITE(queue, foreign, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_CONTEXT);
	CHECK_CODE(clEnqueueFillImage(queue, foreign, host, zero, one, 0, NULL, NULL),
		   CL_INVALID_CONTEXT);
	CHECK_CODE(COPY(queue, foreign, foreign, zero, zero, one), CL_INVALID_CONTEXT);
	CHECK_OK(clReleaseMemObject(foreign));
	CHECK_OK(clReleaseContext(other));
	cl_mem image = image_make(context, CL_MEM_HOST_WRITE_ONLY, &format, &desc, NULL);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_OPERATION);
	CHECK_OK(clReleaseMemObject(image));
	image = image_make(context, CL_MEM_HOST_READ_ONLY, &format, &desc, NULL);
	CHECK_CODE(WRITE(queue, image, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_OPERATION);
	CHECK_OK(clReleaseMemObject(image));
	image = image_make(context, CL_MEM_HOST_NO_ACCESS, &format, &desc, NULL);
	CHECK_CODE(READ(queue, image, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_OPERATION);
	CHECK_CODE(WRITE(queue, image, CL_TRUE, zero, one, 0, 0, host), CL_INVALID_OPERATION);
	CHECK_OK(clReleaseMemObject(image));
	/* A 1D image buffer and the buffer that it was made of. */
	cl_mem buffer = buffer_make(context, 0, 64, NULL);
	desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8,
			       .mem_object = buffer};
	image = image_make(context, 0, &format, &desc, NULL);
	CHECK_CODE(TO_BUFFER(queue, image, buffer, zero, one, 0), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(FROM_BUFFER(queue, buffer, image, 0, zero, one), CL_INVALID_MEM_OBJECT);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(buffer));
}

static void test_all_errors(void)
{
	static struct model flat, deep;
	if (!model_make(&flat, &shapes[2], &texels[3], 1) ||
	    !model_make(&deep, &shapes[4], &texels[3], 2))
		return;
	test_transfer_errors(flat.image, deep.image);
	test_copy_errors(flat.image, deep.image);
	test_access_errors();
	model_end(&flat);
	model_end(&deep);
}

/* --- several devices ------------------------------------------------------------------ */

/* A box that is whole but for one of its sides, while the rest is newest on another device. */
static void test_parts(const cl_command_queue queues[2])
{
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4,
		.image_depth = 4,
	};
	const size_t zero[3] = {0}, all[3] = {4, 4, 4};
	const cl_uint old[4] = {1, 1, 1, 1};
	unsigned char two[64], got[64];
	memset(two, 2, sizeof(two));
	for (unsigned side = 0; side < 3; side++) {
		size_t part[3] = {4, 4, 4}, count = 0;
		part[side] = 2;
		cl_mem image = image_make(context, 0, &format, &desc, NULL);
		CHECK_OK(clEnqueueFillImage(queues[0], image, old, zero, all, 0, NULL, NULL));
		CHECK_OK(clFinish(queues[0]));
		CHECK_OK(clEnqueueWriteImage(queues[1], image, CL_TRUE, zero, part, 0, 0, two, 0,
					     NULL, NULL));
		CHECK_OK(clEnqueueReadImage(queues[1], image, CL_TRUE, zero, all, 0, 0, got, 0,
					    NULL, NULL));
		for (unsigned i = 0; i < 64; i++) {
			const size_t at[3] = {i % 4, i / 4 % 4, i / 16};
			count += got[i] == (at[side] < 2 ? 2 : 1);
		}
		CHECK(count == 64);
		CHECK_OK(clReleaseMemObject(image));
	}
}

/* Each device sees what the others wrote. */
static void test_devices(const struct api_test *test)
{
	static struct model model;
	const cl_context single = context;
	const cl_command_queue single_queue = queue;
	cl_command_queue queues[2];
	if (test->device_count < 2)
		return;
	context = context_make(2, test->devices);
	for (unsigned i = 0; i < 2; i++) {
		queues[i] = queue_make(context, test->devices[i], 0);
	}
	for (unsigned i = 0; i < SHAPES; i++) {
		if (!model_make(&model, &shapes[i], &texels[3], 50 + i))
			break;
		for (unsigned step = 0; step < 4; step++) {
			queue = queues[step & 1];
			test_box(&model);
			CHECK_OK(clEnqueueMigrateMemObjects(queues[~step & 1], 1, &model.image, 0,
							    0, NULL, NULL));
			CHECK_OK(clFinish(queues[~step & 1]));
			test_buffer_copies(&model);
		}
		model_end(&model);
	}
	test_parts(queues);
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseContext(context));
	context = single;
	queue = single_queue;
}

int main(void)
{
	static struct model model;
	struct api_test test;
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "image_transfers"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, 0);
	for (unsigned s = 0; s < SHAPES; s++) {
		const unsigned count = shapes[s].type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? PACKED : TEXELS;
		for (unsigned t = 0; t < count; t++) {
			if (!model_make(&model, &shapes[s], &texels[t], s + 10 * t))
				continue;
			model_check(&model, "creation");
			test_box(&model);
			test_buffer_copies(&model);
			model_end(&model);
		}
	}
	test_copies();
	for (unsigned s = 0; s < SHAPES; s++)
		for (unsigned f = 0; f < FILLS; f++)
			test_fill(&shapes[s], &fills[f]);
	test_fill_others();
	test_fill_packed();
	test_of_buffer();
	test_of_image();
	test_all_errors();
	test_devices(&test);
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
