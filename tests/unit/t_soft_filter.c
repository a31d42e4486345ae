/* Protects: softcuda's textures give a GPU's bits: weights, sums, conversions, and where a
 * normalized coordinate is. */
#include "config.h"

#include "tests/unit/soft_image.h"

struct hardware {
	CUarray_format format;
	unsigned dimensions;
	uint32_t at[3], bits;
};

static const struct hardware hardware[] = {
#define HARDWARE(format, dimensions, x, y, z, bits) {format, dimensions, {x, y, z}, bits},
#define POINT(x, texel)
#include "tests/unit/t_soft_filter.def"
#undef HARDWARE
#undef POINT
};

static const struct point { uint32_t x; unsigned texel; } points[] = {
#define HARDWARE(format, dimensions, x, y, z, bits)
#define POINT(x, texel) {x, texel},
#include "tests/unit/t_soft_filter.def"
#undef HARDWARE
#undef POINT
};

static CUtexObject texture_create(CUarray array, CUaddress_mode address, bool filter,
				  unsigned flags)
{
	CUtexObject object = 0;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	const CUDA_TEXTURE_DESC sampler = {
		.addressMode = {address, address, address},
		.filterMode = filter ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
		.flags = flags
	};
	resource.res.array.hArray = array;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	return object;
}

/* The last of its texels is the most that the format has, or 1. */
static CUarray corner_create(CUarray_format format, unsigned dimensions)
{
	static const struct { CUarray_format format; unsigned size_B; uint32_t most; } formats[] = {
		{CU_AD_FORMAT_UNSIGNED_INT8, 1, 0xff}, {CU_AD_FORMAT_SIGNED_INT8, 1, 0x7f},
		{CU_AD_FORMAT_UNSIGNED_INT16, 2, 0xffff}, {CU_AD_FORMAT_SIGNED_INT16, 2, 0x7fff},
		{CU_AD_FORMAT_HALF, 2, 0x3c00}, {CU_AD_FORMAT_FLOAT, 4, 0x3f800000}
	};
	unsigned char texels[8 * 4] = {0};
	const size_t last = (1u << dimensions) - 1;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].format == format)
			memcpy(texels + last * formats[i].size_B, &formats[i].most,
			       formats[i].size_B);
	CUarray array = array_create(2, dimensions > 1 ? 2 : 0, dimensions > 2 ? 2 : 0, format, 1,
				     0);
	CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
	return array;
}

static void test_filter(void)
{
	REQUIRE(ready());
	for (size_t i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++) {
		const struct hardware *h = &hardware[i];
		const uint32_t at[1][4] = {{h->at[0], h->at[1], h->at[2], 0}};
		uint32_t value[1][4] = {{0}};
		char kernel[16];
		CUarray array = corner_create(h->format, h->dimensions);
		CUtexObject object = texture_create(array, CU_TR_ADDRESS_MODE_CLAMP, true, 0);
		snprintf(kernel, sizeof(kernel), "tex_%ud_f32", h->dimensions);
		CHECK_EQ(run(kernel, object, at, 1, value), CUDA_SUCCESS);
		if (value[0][0] != h->bits) {
			printf("row %zu: 0x%08x, a GPU gives 0x%08x\n", i, value[0][0], h->bits);
			test_failures++;
		}
		CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
		CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
	}
}

/* The red of four packed texels, at parts of 256 of the way between them, as an H200 filters it. */
static void test_packed(void)
{
	static const struct {
		uint32_t red[4], x, y, bits;
	} rows[] = {
		{{137, 974, 301, 114}, 32, 0, 0x3e71dcf2}, {{967, 780, 107, 944}, 32, 64, 0x3f3e57be},
		{{122, 959, 286, 99}, 64, 128, 0x3e8ec28f}, {{780, 593, 944, 757}, 0, 192, 0x3f61f8e2},
		{{788, 601, 952, 765}, 224, 192, 0x3f3b06bb},
	};
	REQUIRE(ready());
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const float at[1][4] = {{0.5f + (float)rows[i].x / 256, 0.5f + (float)rows[i].y / 256}};
		uint32_t value[1][4] = {{0}}, texels[4];
		memcpy(texels, rows[i].red, sizeof(texels));
		CUarray array = array_create(2, 2, 0, PACKED_10, 4, 0);
		CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
		CUtexObject object = texture_create(array, CU_TR_ADDRESS_MODE_CLAMP, true, 0);
		CHECK_EQ(run("tex_2d_f32", object, at, 1, value), CUDA_SUCCESS);
		CHECK_EQ(value[0][0], rows[i].bits);
		CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
		CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
	}
}

static void test_points(void)
{
	REQUIRE(ready());
	uint32_t texels[13];
	for (uint32_t i = 0; i < 13; i++)
		texels[i] = i;
	CUarray array = array_create(13, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
	CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
	CUtexObject object = texture_create(array, CU_TR_ADDRESS_MODE_WRAP, false,
					    CU_TRSF_NORMALIZED_COORDINATES);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		const uint32_t at[1][4] = {{points[i].x}};
		uint32_t value[1][4] = {{0}};
		CHECK_EQ(run("tex_1d_f32", object, at, 1, value), CUDA_SUCCESS);
		CHECK_EQ(value[0][0], points[i].texel);
	}
	/* As indices they would be 0 and 5, but of linear memory; here both are nothing. */
	static const int32_t indices[2][4] = {{0}, {5}};
	uint32_t values[2][4] = {{1}, {1}};
	CHECK_EQ(run("tex_1d_s32", object, indices, 2, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 0 && values[1][0] == 0);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

TEST_MAIN(TEST(test_filter), TEST(test_packed), TEST(test_points))
