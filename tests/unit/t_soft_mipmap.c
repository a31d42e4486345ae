/* Protects: softcuda's mipmapped arrays: the sizes of levels, copies and surfaces of each, and which level a texture
 * instruction reads, by a level of detail or gradients. */
#include "config.h"

#include "tests/unit/soft_image.h"

#include <math.h>

enum { WIDTH = 8, HEIGHT = 4, LEVELS = 4 };

static CUmipmappedArray mipmap_create(size_t width, size_t height, size_t depth, unsigned flags, unsigned levels)
{
	CUmipmappedArray mipmap = NULL;
	const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
		.Width = width, .Height = height, .Depth = depth, .Format = CU_AD_FORMAT_FLOAT,
		.NumChannels = 1, .Flags = flags | CUDA_ARRAY3D_SURFACE_LDST
	};
	CHECK_EQ(cuMipmappedArrayCreate(&mipmap, &descriptor, levels), CUDA_SUCCESS);
	return mipmap;
}

static CUarray level_of(CUmipmappedArray mipmap, unsigned level)
{
	CUarray array = NULL;
	CHECK_EQ(cuMipmappedArrayGetLevel(&array, mipmap, level), CUDA_SUCCESS);
	return array;
}

/* Each texel of level l is 100 l. */
static void levels_fill(CUmipmappedArray mipmap, unsigned levels)
{
	static float texels[WIDTH * HEIGHT * 4];
	for (unsigned l = 0; l < levels; l++) {
		for (unsigned i = 0; i < WIDTH * HEIGHT * 4; i++)
			texels[i] = 100.0f * (float)l;
		CHECK_EQ(array_copy(level_of(mipmap, l), texels, true), CUDA_SUCCESS);
	}
}

static CUtexObject texture_make(CUmipmappedArray mipmap, CUfilter_mode filter, float bias, float lowest, float greatest)
{
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
	const CUDA_TEXTURE_DESC texture = {
		.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
		.flags = CU_TRSF_NORMALIZED_COORDINATES, .mipmapFilterMode = filter, .mipmapLevelBias = bias,
		.minMipmapLevelClamp = lowest, .maxMipmapLevelClamp = greatest,
	};
	CUtexObject object = 0;
	resource.res.mipmap.hMipmappedArray = mipmap;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &texture, NULL), CUDA_SUCCESS);
	return object;
}

/* What a fetch of a shape with a level of detail gives; the layer is 0. */
static float fetch(const char *shape, CUtexObject object, float lod)
{
	char name[32];
	float values[1][4] = {{-1}};
	float at[1][4] = {{0.4f, 0.6f, 0.7f, lod}};
	if (*shape == 'a')
		at[0][0] = 0;
	snprintf(name, sizeof(name), "level_%s", shape);
	CHECK_EQ(run(name, object, at, 1, values), CUDA_SUCCESS);
	return values[0][0];
}

static void check_size(CUmipmappedArray mipmap, unsigned level, size_t width, size_t height, size_t depth)
{
	CUDA_ARRAY3D_DESCRIPTOR is;
	CHECK_EQ(cuArray3DGetDescriptor_v2(&is, level_of(mipmap, level)), CUDA_SUCCESS);
	CHECK(is.Width == width && is.Height == height && is.Depth == depth);
}

/* Driver API, cuMipmappedArrayCreate: halves, rounded down; the number of levels is limited. */
static void test_sizes(void)
{
	REQUIRE(ready());
	CUarray array;
	CUmipmappedArray flat = mipmap_create(WIDTH, HEIGHT, 0, 0, 100);
	CUmipmappedArray deep = mipmap_create(5, 3, 9, 0, 3);
	CUmipmappedArray layers = mipmap_create(6, 2, 7, CUDA_ARRAY3D_LAYERED, 100);
	check_size(flat, 0, 8, 4, 0);
	check_size(flat, 2, 2, 1, 0);
	check_size(flat, 3, 1, 1, 0);
	CHECK_EQ(cuMipmappedArrayGetLevel(&array, flat, 4), CUDA_ERROR_INVALID_VALUE);
	check_size(deep, 1, 2, 1, 4);
	check_size(deep, 2, 1, 1, 2);
	CHECK_EQ(cuMipmappedArrayGetLevel(&array, deep, 3), CUDA_ERROR_INVALID_VALUE);
	check_size(layers, 2, 1, 1, 7);
	CHECK_EQ(cuMipmappedArrayGetLevel(&array, layers, 3), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMipmappedArrayDestroy(flat), CUDA_SUCCESS);
	CHECK_EQ(cuMipmappedArrayDestroy(deep), CUDA_SUCCESS);
	CHECK_EQ(cuMipmappedArrayDestroy(layers), CUDA_SUCCESS);
}

static void test_level(void)
{
	static const float lods[] = {-3, 0, 0.25f, 0.75f, 1, 1.25f, 2, 2.75f, 3, 9};
	REQUIRE(ready());
	CUmipmappedArray mipmap = mipmap_create(WIDTH, HEIGHT, 0, 0, LEVELS);
	levels_fill(mipmap, LEVELS);
	CUtexObject nearest = texture_make(mipmap, CU_TR_FILTER_MODE_POINT, 0, 0, 100);
	CUtexObject linear = texture_make(mipmap, CU_TR_FILTER_MODE_LINEAR, 0, 0, 100);
	CUtexObject limited = texture_make(mipmap, CU_TR_FILTER_MODE_LINEAR, 0.5f, 1.25f, 2.5f);
	for (unsigned i = 0; i < sizeof(lods) / sizeof(lods[0]); i++) {
		const float lod = fminf(fmaxf(lods[i], 0), 3);
		CHECK_EQ(fetch("2d", nearest, lods[i]), 100 * floorf(lod + 0.5f));
		CHECK_EQ(fetch("2d", linear, lods[i]), 100 * lod);
		CHECK_EQ(fetch("2d", limited, lods[i]), 100 * fminf(fmaxf(lods[i] + 0.5f, 1.25f), 2.5f));
	}
	/* Integers are indices of a level, which are limited. */
	const int32_t index[3][4] = {{0, 0, 0, 2}, {9, 9, 0, 1}, {0, 0, 0, 77}};
	float values[3][4];
	CHECK_EQ(run("level_index", nearest, index, 3, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 200 && values[1][0] == 100 && values[2][0] == 300);
	CHECK_EQ(cuTexObjectDestroy(nearest), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectDestroy(linear), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectDestroy(limited), CUDA_SUCCESS);
	CHECK_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
}

/* The kernel takes (g, h) and (h, g) as gradients: the longer one in texels counts (OpenGL 4.6, 8.14.1). */
static void test_gradients(void)
{
	static const float gradients[][2] = {{0, 0}, {0.125f, 0}, {0.25f, 0}, {0, 0.5f}, {0.3f, 0.2f}, {9, 9}};
	REQUIRE(ready());
	CUmipmappedArray mipmap = mipmap_create(WIDTH, HEIGHT, 0, 0, LEVELS);
	levels_fill(mipmap, LEVELS);
	CUtexObject linear = texture_make(mipmap, CU_TR_FILTER_MODE_LINEAR, 0, 0, 100);
	for (unsigned i = 0; i < sizeof(gradients) / sizeof(gradients[0]); i++) {
		const double g = gradients[i][0], h = gradients[i][1];
		const double longest = fmax(hypot(g * WIDTH, h * HEIGHT), hypot(h * WIDTH, g * HEIGHT));
		const double lod = fmin(fmax(log2(longest), 0), 3);
		const float at[1][4] = {{0.4f, 0.6f, gradients[i][0], gradients[i][1]}};
		float values[1][4];
		CHECK_EQ(run("grad", linear, at, 1, values), CUDA_SUCCESS);
		CHECK(fabs(values[0][0] - 100 * lod) < 0.25);
	}
	CHECK_EQ(cuTexObjectDestroy(linear), CUDA_SUCCESS);
	CHECK_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
}

static void test_shapes(void)
{
	static const struct { const char *name; size_t size[3]; unsigned flags; } shapes[] = {
		{"1d", {8, 0, 0}, 0}, {"3d", {4, 4, 4}, 0}, {"a1d", {4, 0, 3}, CUDA_ARRAY3D_LAYERED},
		{"a2d", {4, 4, 3}, CUDA_ARRAY3D_LAYERED}
	};
	REQUIRE(ready());
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		CUmipmappedArray mipmap = mipmap_create(shapes[i].size[0], shapes[i].size[1], shapes[i].size[2],
							shapes[i].flags, 3);
		levels_fill(mipmap, 3);
		CUtexObject linear = texture_make(mipmap, CU_TR_FILTER_MODE_LINEAR, 0, 0, 100);
		CHECK_EQ(fetch(shapes[i].name, linear, 0.5f), 50);
		CHECK_EQ(fetch(shapes[i].name, linear, 1.75f), 175);
		CHECK_EQ(cuTexObjectDestroy(linear), CUDA_SUCCESS);
		CHECK_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
	}
}

/* What a surface of a level writes, textures of all levels read. */
static void test_surface(void)
{
	REQUIRE(ready());
	const uint32_t at[1][4] = {{0, 0}};
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUsurfObject surface;
	CUmipmappedArray mipmap = mipmap_create(WIDTH, HEIGHT, 0, 0, LEVELS);
	levels_fill(mipmap, LEVELS);
	float values[1][4] = {{77}};
	resource.res.array.hArray = level_of(mipmap, 3);
	CHECK_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
	CHECK_EQ(run("sust_2d_32", surface, at, 1, values), CUDA_SUCCESS);
	CUtexObject nearest = texture_make(mipmap, CU_TR_FILTER_MODE_POINT, 0, 0, 100);
	CHECK_EQ(fetch("2d", nearest, 3), 77);
	CHECK_EQ(fetch("2d", nearest, 2), 200);
	CHECK_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectDestroy(nearest), CUDA_SUCCESS);
	CHECK_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
}

static void test_errors(void)
{
	REQUIRE(ready());
	CUmipmappedArray mipmap = mipmap_create(WIDTH, HEIGHT, 0, 0, LEVELS), none = NULL;
	CUarray level = level_of(mipmap, 1);
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
	const CUDA_TEXTURE_DESC in_texels = {.maxMipmapLevelClamp = 3};
	const CUDA_ARRAY3D_DESCRIPTOR empty = {.Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	const CUDA_ARRAY3D_DESCRIPTOR wide = {.Width = 65536, .Height = 8, .Format = CU_AD_FORMAT_FLOAT,
					      .NumChannels = 1};
	CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
	CUtexObject object;
	float texel = 0;
	CHECK_EQ(cuMipmappedArrayCreate(&none, &empty, 2), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMipmappedArrayCreate(&none, &wide, 2), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMipmappedArrayCreate(NULL, &empty, 2), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMipmappedArrayGetMemoryRequirements(&requirements, mipmap, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
	/* "For CUDA mipmapped array, this flag must be set": CU_TRSF_NORMALIZED_COORDINATES. */
	resource.res.mipmap.hMipmappedArray = mipmap;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &in_texels, NULL), CUDA_ERROR_INVALID_VALUE);
	resource.res.mipmap.hMipmappedArray = NULL;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &in_texels, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
	CHECK_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuMipmappedArrayGetLevel(&level, mipmap, 0), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(array_copy(level, &texel, true), CUDA_ERROR_INVALID_HANDLE);
}

TEST_MAIN(TEST(test_sizes), TEST(test_level), TEST(test_gradients), TEST(test_shapes), TEST(test_surface),
	  TEST(test_errors))
