/* Protects: mipmapped images (cl_khr_mipmap_image): what transfers do to each level of each shape, also of a packed
 * format, and nothing to others; maps; kernels on another device; properties of samplers; what cannot be created. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/soft_fault.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { LEVELS = 3, TEXELS = 1024 };

static struct api_test test;

struct shape {
	cl_mem_object_type type;
	size_t width, height, depth, layers;
	unsigned place;                  /* of the level in an origin */
};

static const struct shape shapes[] = {
	{CL_MEM_OBJECT_IMAGE1D, 13, 0, 0, 0, 1},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, 9, 0, 0, 5, 2},
	{CL_MEM_OBJECT_IMAGE2D, 11, 6, 0, 0, 2},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, 7, 5, 0, 3, 3},
	{CL_MEM_OBJECT_IMAGE3D, 6, 5, 7, 0, 3},
};

static const cl_image_format bytes = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_image_desc desc_of(const struct shape *shape)
{
	return (cl_image_desc){
		.image_type = shape->type, .image_width = shape->width, .image_height = shape->height,
		.image_depth = shape->depth, .image_array_size = shape->layers, .num_mip_levels = LEVELS,
	};
}

static size_t half(size_t size, unsigned level)
{
	return size >> level ? size >> level : 1;
}

/* "Each successively smaller mipmap level is half the size of the previous level, rounded down" (5.3.1). */
static void level_region(const struct shape *shape, unsigned level, size_t region[3])
{
	const bool rows = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	region[0] = half(shape->width, level);
	region[1] = rows ? shape->layers : half(shape->height, level);
	region[2] = rows ? 1 : shape->layers ? shape->layers : half(shape->depth, level);
}

static void level_origin(const struct shape *shape, unsigned level, size_t origin[4])
{
	memset(origin, 0, 4 * sizeof(*origin));
	origin[shape->place] = level;
}

/* --- transfers -------------------------------------------------------------------------- */

/* The texels of an image as they should be, by level. */
struct expected {
	uint32_t texels[LEVELS][TEXELS];
};

static void expect(cl_command_queue queue, cl_mem image, const struct shape *shape, unsigned texel_B,
		   const struct expected *expected)
{
	static unsigned char got[4 * TEXELS];
	for (unsigned level = 0; level < LEVELS; level++) {
		size_t origin[4], region[3];
		bool good = true;
		level_origin(shape, level, origin);
		level_region(shape, level, region);
		CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
		for (size_t i = 0; i < region[0] * region[1] * region[2]; i++)
			good &= !memcmp(got + i * texel_B, &expected->texels[level][i], texel_B);
		CHECK(good);
	}
}

static void write_all(cl_command_queue queue, cl_mem image, const struct shape *shape, unsigned texel_B,
		      struct expected *expected)
{
	static unsigned char given[4 * TEXELS];
	for (unsigned level = 0; level < LEVELS; level++) {
		size_t origin[4], region[3];
		level_origin(shape, level, origin);
		level_region(shape, level, region);
		for (size_t i = 0; i < region[0] * region[1] * region[2]; i++) {
			expected->texels[level][i] = (uint32_t)(i * 2654435761u + level * 40503);
			memcpy(given + i * texel_B, &expected->texels[level][i], texel_B);
		}
		CHECK_OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, given, 0, NULL, NULL));
	}
}

/* Level 1 of the image goes to a corner of level 0 of the other image, and through a buffer to a corner of its own
 * level 0. */
static void copies(cl_command_queue queue, cl_mem image, cl_mem other, const struct shape *shape, unsigned texel_B,
		   struct expected *expected, struct expected *others)
{
	size_t from[4], to[4], region[3], whole[3];
	cl_mem buffer = buffer_make(test.context, 0, 4 * TEXELS + 12, NULL);
	level_origin(shape, 1, from);
	level_origin(shape, 0, to);
	level_region(shape, 1, region);
	level_region(shape, 0, whole);
	CHECK_OK(clEnqueueCopyImage(queue, image, other, from, to, region, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyImageToBuffer(queue, image, buffer, from, region, 12, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyBufferToImage(queue, buffer, image, 12, to, region, 0, NULL, NULL));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++) {
				const uint32_t texel = expected->texels[1][x + region[0] * (y + region[1] * z)];
				const size_t at = x + whole[0] * (y + whole[1] * z);
				others->texels[0][at] = expected->texels[0][at] = texel;
			}
	CHECK_OK(clReleaseMemObject(buffer));
	expect(queue, image, shape, texel_B, expected);
	expect(queue, other, shape, texel_B, others);
}

/* Fills level 2 with what its first texel is, and changes the last texel of level 1 by a map. */
static void fill_and_map(cl_command_queue queue, cl_mem image, const struct shape *shape, struct expected *expected)
{
	size_t origin[4], region[3], row_B = 0, slice_B = 0;
	const cl_uint color[4] = {1, 2, 3, 4};
	cl_int code;
	level_origin(shape, 2, origin);
	level_region(shape, 2, region);
	CHECK_OK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
	for (unsigned i = 0; i < TEXELS; i++)
		expected->texels[2][i] = 0x04030201;
	level_origin(shape, 1, origin);
	level_region(shape, 1, region);
	unsigned char *mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region,
						  &row_B, &slice_B, 0, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	/* The layers of a 1D array are slices of the host's memory. */
	const bool rows = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	const size_t last = region[0] * region[1] * region[2] - 1;
	unsigned char *texel = mapped + (region[1] - 1) * (rows ? slice_B : row_B) + (region[2] - 1) * slice_B +
			       (region[0] - 1) * 4;
	CHECK(!memcmp(texel, &expected->texels[1][last], 4));
	expected->texels[1][last] = 0xAABBCCDD;
	memcpy(texel, &expected->texels[1][last], 4);
	CHECK_OK(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
	expect(queue, image, shape, 4, expected);
}

static void test_transfers(const cl_image_format *format, unsigned texel_B)
{
	static struct expected expected, others;
	cl_command_queue queue = queue_make(test.context, test.devices[0], 0);
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const cl_image_desc desc = desc_of(&shapes[i]);
		cl_mem image = image_make(test.context, 0, format, &desc, NULL);
		cl_mem other = image_make(test.context, 0, format, &desc, NULL);
		size_t size_B = 0, texels = 0;
		cl_uint levels = 0;
		CHECK_OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(levels), &levels, NULL));
		CHECK(levels == LEVELS);
		for (unsigned level = 0; level < LEVELS; level++) {
			size_t region[3];
			level_region(&shapes[i], level, region);
			texels += region[0] * region[1] * region[2];
		}
		CHECK_OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(size_B), &size_B, NULL));
		CHECK(size_B == texels * texel_B);
		write_all(queue, image, &shapes[i], texel_B, &expected);
		write_all(queue, other, &shapes[i], texel_B, &others);
		expect(queue, image, &shapes[i], texel_B, &expected);
		copies(queue, image, other, &shapes[i], texel_B, &expected, &others);
		if (format == &bytes)
			fill_and_map(queue, image, &shapes[i], &expected);
		CHECK_OK(clReleaseMemObject(image));
		CHECK_OK(clReleaseMemObject(other));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* --- kernels on two devices -------------------------------------------------------------- */

static const char source[] =
	"kernel void get(read_only image2d_t from, sampler_t s, global float *to)\n"
	"{ int l = get_global_id(0); to[l] = read_imagef(from, s, (float2)(0.5f), (float)l).x; }\n"
	"kernel void put(write_only image2d_t to, int level)\n"
	"{ write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), level, (float4)(level + 1)); }\n";

static void launch(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height)
{
	const size_t size[2] = {width, height};
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
}

/* All levels follow an image to another device. */
static void test_devices(void)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4,
				    .num_mip_levels = 4};
	const cl_uint count = test.device_count < 2 ? 1 : 2;
	cl_context context = context_make(count, test.devices);
	cl_program program = api_test_build(context, test.devices[0], source, "");
	cl_command_queue queues[2];
	float got[4];
	cl_int code;
	if (!CHECK(program))
		return;
	for (cl_uint i = 0; i < 2; i++)
		queues[i] = queue_make(context, test.devices[i % count], 0);
	cl_mem image = image_make(context, 0, &format, &desc, NULL);
	cl_mem out = buffer_make(context, 0, sizeof(got), NULL);
	cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &code);
	CHECK_OK(code);
	cl_kernel get = kernel_make(program, "get"), put = kernel_make(program, "put");
	CHECK_OK(clSetKernelArg(put, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(get, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(get, 1, sizeof(sampler), &sampler));
	CHECK_OK(clSetKernelArg(get, 2, sizeof(out), &out));
	for (cl_int level = 0; level < 4; level++) {
		CHECK_OK(clSetKernelArg(put, 1, sizeof(level), &level));
		launch(queues[level & 1], put, half(8, (unsigned)level), half(4, (unsigned)level));
	}
	launch(queues[0], get, 4, 1);
	buffer_read(queues[0], out, got, sizeof(got));
	CHECK(got[0] == 1 && got[1] == 2 && got[2] == 3 && got[3] == 4);
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseKernel(put));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseProgram(program));
	for (cl_uint i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseContext(context));
}

/* --- samplers ---------------------------------------------------------------------------- */

static cl_sampler_properties float_property(float value)
{
	cl_uint bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void sampler_check(cl_sampler sampler, cl_filter_mode filter, float lowest, float greatest)
{
	cl_filter_mode mode = 0;
	float limits[2] = {-1, -1};
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE, sizeof(mode), &mode, NULL));
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN, sizeof(float), &limits[0], NULL));
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX, sizeof(float), &limits[1], NULL));
	CHECK(mode == filter && limits[0] == lowest && limits[1] == greatest);
	CHECK_OK(clReleaseSampler(sampler));
}

static void test_samplers(void)
{
	const cl_sampler_properties all[] = {
		CL_SAMPLER_MIP_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_LOD_MIN, float_property(1.5F),
		CL_SAMPLER_LOD_MAX, float_property(2.75F), 0
	};
	const cl_sampler_properties bad[][7] = {
		{CL_SAMPLER_MIP_FILTER_MODE, 77, 0},
		{CL_SAMPLER_LOD_MIN, float_property(NAN), 0},
		{CL_SAMPLER_LOD_MAX, float_property(NAN), 0},
		{CL_SAMPLER_LOD_MIN, float_property(3), CL_SAMPLER_LOD_MAX, float_property(2), 0},
		{CL_SAMPLER_LOD_MIN, 0, CL_SAMPLER_LOD_MIN, 0, 0},
	};
	cl_int code;
	cl_sampler sampler = clCreateSamplerWithProperties(test.context, all, &code);
	if (CHECK_OK(code))
		sampler_check(sampler, CL_FILTER_LINEAR, 1.5F, 2.75F);
	/* 5.7.1: the defaults are CL_FILTER_NEAREST, 0.0f and MAXFLOAT. */
	sampler = clCreateSamplerWithProperties(test.context, NULL, &code);
	if (CHECK_OK(code))
		sampler_check(sampler, CL_FILTER_NEAREST, 0, FLT_MAX);
	sampler = clCreateSampler(test.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &code);
	if (CHECK_OK(code))
		sampler_check(sampler, CL_FILTER_NEAREST, 0, FLT_MAX);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_NO_OBJECT(clCreateSamplerWithProperties(test.context, bad[i], &code), code, CL_INVALID_VALUE);
}

/* --- creation ---------------------------------------------------------------------------- */

static void refused(const cl_image_format *format, const cl_image_desc *desc, cl_mem_flags flags, void *host,
		    cl_int expected)
{
	cl_int code;
	CHECK_NO_OBJECT(clCreateImage(test.context, flags, format, desc, host, &code), code, expected);
}

/* 5.3.1, "Mipmap Images". */
static void test_refused(void)
{
	static uint32_t host[64];
	const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
	cl_mem buffer = buffer_make(test.context, 0, 4096, NULL);
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8,
			      .num_mip_levels = 2};
	cl_mem image = image_make(test.context, 0, &bytes, &desc, NULL);
	refused(&bytes, &desc, CL_MEM_COPY_HOST_PTR, host, CL_INVALID_VALUE);
	refused(&bytes, &desc, CL_MEM_USE_HOST_PTR, host, CL_INVALID_VALUE);
	refused(&bytes, &desc, 0, host, CL_INVALID_HOST_PTR);
	refused(&depth, &desc, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.num_mip_levels = 5;
	refused(&bytes, &desc, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.num_mip_levels = 2;
	desc.mem_object = buffer;
	refused(&bytes, &desc, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	/* An image of an image has its levels. */
	const cl_image_format order = {CL_BGRA, CL_UNSIGNED_INT8};
	cl_int code;
	desc.mem_object = image;
	cl_mem same = clCreateImage(test.context, 0, &bytes, &desc, NULL, &code);
	if (code != CL_INVALID_IMAGE_FORMAT_DESCRIPTOR && CHECK_OK(code))
		CHECK_OK(clReleaseMemObject(same));
	desc.num_mip_levels = 1;
	refused(&bytes, &desc, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	refused(&order, &desc, 0, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	/* "Specifying num_mip_levels equal to either 0 or 1 creates an image with a single mipmap level." */
	desc.mem_object = NULL;
	cl_mem single = image_make(test.context, CL_MEM_COPY_HOST_PTR, &bytes, &desc, host);
	CHECK_OK(clReleaseMemObject(single));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(buffer));
}

/* An image whose descriptor could not be made can be used later, and leaks nothing if it is not. */
static void test_faults(void)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2,
				    .num_mip_levels = 2};
	const size_t size[2] = {1, 1};
	const cl_int level = 1;
	struct soft_fault fault;
	if (!soft_fault_find(&fault))
		return;
	cl_program program = api_test_build(test.context, test.devices[0], source, "");
	cl_command_queue queue = queue_make(test.context, test.devices[0], 0);
	cl_kernel put = kernel_make(program, "put");
	CHECK_OK(clSetKernelArg(put, 1, sizeof(level), &level));
	for (int retry = 0; retry < 2; retry++) {
		cl_mem image = image_make(test.context, 0, &format, &desc, NULL);
		CHECK_OK(clSetKernelArg(put, 0, sizeof(image), &image));
		CHECK(!fault.set("cuSurfObjectCreate:2:OUT_OF_MEMORY"));
		CHECK(clEnqueueNDRangeKernel(queue, put, 2, NULL, size, NULL, 0, NULL, NULL) != CL_SUCCESS);
		CHECK(fault.fired() == 1);
		CHECK(!fault.set(""));
		if (retry)
			launch(queue, put, 1, 1);
		CHECK_OK(clReleaseMemObject(image));
	}
	CHECK_OK(clReleaseKernel(put));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	const cl_image_format packed = {CL_RGB, CL_UNORM_SHORT_565};
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "mipmaps"))
		return API_TEST_SKIP;
	test_transfers(&bytes, 4);
	test_transfers(&packed, 2);
	test_devices();
	test_faults();
	test_samplers();
	test_refused();
	return api_test_end(&test);
}
