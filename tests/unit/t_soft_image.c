/* Protects: softcuda's arrays, textures and surfaces.  What a texture returns is
 * compared with the formulas of the CUDA C++ Programming Guide's appendix "Texture
 * Fetching", in double; surfaces with the array's own bytes. */
#include "config.h"

#include "tests/gpu/texture_kernel.h"
#include "tests/unit/soft_setup.h"

#include <math.h>

enum { COORDINATES_MAX = 512 };

static CUmodule module;
static CUdeviceptr coordinates_at, values_at;

static bool ready(void)
{
	struct text text = {0};
	char name[64];
	if (!set_up())
		return false;
	if (module)
		return true;
	say_header(&text);
	for (int s = 0; s < SHAPES; s++) {
		for (int real = 0; real < 2; real++) {
			snprintf(name, sizeof(name), "tex_%s_%s", shape_names[s],
				 real ? "f32" : "s32");
			say_texture(&text, name, "tex", shape_names[s], real, "");
		}
		for (unsigned bits = 8; bits <= 64; bits *= 2) {
			snprintf(name, sizeof(name), "suld_%s_%u", shape_names[s], bits);
			say_surface(&text, name, "suld.b", shape_names[s], bits, 1, "trap");
			snprintf(name, sizeof(name), "sust_%s_%u", shape_names[s], bits);
			say_surface(&text, name, "sust.b", shape_names[s], bits, 1, "trap");
		}
	}
	say_texture(&text, "offset", "tex", "2d", 1, ", {1, -2}");
	say_texture(&text, "level", "tex.level", "2d", 1, ", f3");
	say_texture(&text, "gather_r", "tld4.r", "2d", 1, "");
	say_texture(&text, "gather_a", "tld4.a", "2d", 1, "");
	say_surface(&text, "load_clamp", "suld.b", "2d", 32, 1, "clamp");
	say_surface(&text, "load_zero", "suld.b", "2d", 32, 4, "zero");
	say_surface(&text, "store_clamp", "sust.b", "2d", 32, 1, "clamp");
	say_surface(&text, "store_zero", "sust.b", "2d", 32, 1, "zero");
	say_surface(&text, "store_formatted", "sust.p", "2d", 32, 4, "trap");
	say_reduction(&text, "add_u32", "sured.b.add", "2d", "u32", "trap");
	say_reduction(&text, "min_s32", "sured.b.min", "2d", "s32", "trap");
	say_reduction(&text, "add_u64", "sured.b.add", "2d", "u64", "trap");
	say_query(&text, "texture_width", "txq.width");
	say_query(&text, "texture_height", "txq.height");
	say_query(&text, "surface_depth", "suq.depth");
	bool there = cuModuleLoadData(&module, text.data) == CUDA_SUCCESS &&
		     cuMemAlloc_v2(&coordinates_at, 16 * COORDINATES_MAX) == CUDA_SUCCESS &&
		     cuMemAlloc_v2(&values_at, 16 * COORDINATES_MAX) == CUDA_SUCCESS;
	free(text.data);
	return there;
}

/* Runs a kernel on count coordinates; values go in and come out. */
static CUresult run(const char *name, uint64_t object, const void *coordinates, unsigned count,
		    void *values)
{
	CUfunction function;
	void *parameters[] = {&object, &coordinates_at, &values_at, &count};
	CUresult result = cuModuleGetFunction(&function, module, name);
	if (result == CUDA_SUCCESS)
		result = cuMemcpyHtoD_v2(coordinates_at, coordinates, 16u * count);
	if (result == CUDA_SUCCESS)
		result = cuMemcpyHtoD_v2(values_at, values, 16u * count);
	if (result == CUDA_SUCCESS)
		result = cuLaunchKernel(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, NULL,
					parameters, NULL);
	if (result == CUDA_SUCCESS)
		result = cuMemcpyDtoH_v2(values, values_at, 16u * count);
	return result;
}

/* --- arrays ---------- */

static CUarray array_create(size_t width, size_t height, size_t depth, CUarray_format format,
			    unsigned channels, unsigned flags)
{
	CUarray array = NULL;
	const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
		.Width = width, .Height = height, .Depth = depth, .Format = format,
		.NumChannels = channels, .Flags = flags
	};
	CHECK_EQ(cuArray3DCreate_v2(&array, &descriptor), CUDA_SUCCESS);
	return array;
}

/* All of an array from or to host memory without gaps. */
static CUresult array_copy(CUarray array, void *bytes, bool to_array)
{
	CUDA_ARRAY3D_DESCRIPTOR is;
	CUDA_MEMCPY3D copy = {0};
	CUresult result = cuArray3DGetDescriptor_v2(&is, array);
	if (result != CUDA_SUCCESS)
		return result;
	unsigned channel_B = is.Format == CU_AD_FORMAT_FLOAT ||
			     is.Format == CU_AD_FORMAT_UNSIGNED_INT32 ||
			     is.Format == CU_AD_FORMAT_SIGNED_INT32 ? 4 :
			     is.Format == CU_AD_FORMAT_UNSIGNED_INT8 ||
			     is.Format == CU_AD_FORMAT_SIGNED_INT8 ? 1 : 2;
	copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
	copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
	copy.srcHost = bytes;
	copy.dstHost = bytes;
	copy.srcArray = copy.dstArray = array;
	copy.WidthInBytes = is.Width * channel_B * is.NumChannels;
	copy.Height = is.Height ? is.Height : 1;
	copy.Depth = is.Depth ? is.Depth : 1;
	copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
	copy.srcHeight = copy.dstHeight = copy.Height;
	return cuMemcpy3D_v2(&copy);
}

static void test_array_copies(void)
{
	REQUIRE(ready());
	enum { WIDTH = 5, HEIGHT = 3, DEPTH = 2 };
	uint16_t in[DEPTH][HEIGHT][WIDTH], out[DEPTH][HEIGHT][WIDTH];
	for (unsigned i = 0; i < DEPTH * HEIGHT * WIDTH; i++)
		(&in[0][0][0])[i] = (uint16_t)(i * 257);
	CUarray array = array_create(WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_UNSIGNED_INT16, 1, 0);
	CHECK_EQ(array_copy(array, in, true), CUDA_SUCCESS);
	CHECK_EQ(array_copy(array, out, false), CUDA_SUCCESS);
	CHECK(!memcmp(in, out, sizeof(in)));
	/* A box of 3 by 2 from (1, 1, 1) to device memory with rows of 32 bytes. */
	CUdeviceptr device;
	CHECK_EQ(cuMemAlloc_v2(&device, 64), CUDA_SUCCESS);
	CUDA_MEMCPY3D box = {
		.srcXInBytes = 2, .srcY = 1, .srcZ = 1, .srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = array, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device,
		.dstPitch = 32, .WidthInBytes = 6, .Height = 2, .Depth = 1
	};
	uint16_t rows[2][16];
	CHECK_EQ(cuMemcpy3D_v2(&box), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH_v2(rows, device, sizeof(rows)), CUDA_SUCCESS);
	CHECK(!memcmp(rows[0], &in[1][1][1], 6) && !memcmp(rows[1], &in[1][2][1], 6));
	/* One texel too far in each direction, and half a texel. */
	for (unsigned i = 0; i < 4; i++) {
		CUDA_MEMCPY3D wrong = box;
		wrong.srcXInBytes += i == 0 ? 4 : 0;
		wrong.srcY += i == 1;
		wrong.srcZ += i == 2;
		wrong.WidthInBytes -= i == 3;
		CHECK_EQ(cuMemcpy3D_v2(&wrong),
			 CUDA_ERROR_INVALID_VALUE);
	}
	CUDA_MEMCPY2D plane = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = rows, .srcPitch = 32,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array, .WidthInBytes = 10,
		.Height = 2
	};
	CUstream stream;
	CHECK_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpy2DAsync_v2(&plane, stream), CUDA_SUCCESS);
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
	CHECK_EQ(array_copy(array, out, false), CUDA_SUCCESS);
	CHECK(!memcmp(out[0][1], rows[1], 10) && !memcmp(out[1], in[1], sizeof(in[1])));
	CHECK_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree_v2(device), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuMemcpy2D_v2(&plane), CUDA_ERROR_INVALID_HANDLE);
}

static void test_array_errors(void)
{
	REQUIRE(ready());
	const CUDA_ARRAY3D_DESCRIPTOR good = {
		.Width = 4, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 4
	};
	CUDA_ARRAY3D_DESCRIPTOR bad = good;
	CUDA_ARRAY_DESCRIPTOR plain;
	CUarray array;
	CHECK_EQ(cuArray3DCreate_v2(NULL, &good), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuArray3DCreate_v2(&array, NULL), CUDA_ERROR_INVALID_VALUE);
	bad.NumChannels = 3;
	CHECK_EQ(cuArray3DCreate_v2(&array, &bad), CUDA_ERROR_INVALID_VALUE);
	bad = good;
	bad.Width = 0;
	CHECK_EQ(cuArray3DCreate_v2(&array, &bad), CUDA_ERROR_INVALID_VALUE);
	bad = good;
	bad.Height = 65537;
	CHECK_EQ(cuArray3DCreate_v2(&array, &bad), CUDA_ERROR_INVALID_VALUE);
	bad = good;
	bad.Flags = CUDA_ARRAY3D_LAYERED;
	CHECK_EQ(cuArray3DCreate_v2(&array, &bad), CUDA_ERROR_INVALID_VALUE);
	bad = good;
	bad.Format = (CUarray_format)0x7f;
	CHECK_EQ(cuArray3DCreate_v2(&array, &bad), CUDA_ERROR_INVALID_VALUE);
	array = array_create(4, 3, 0, CU_AD_FORMAT_FLOAT, 2, 0);
	CHECK_EQ(cuArrayGetDescriptor_v2(&plain, array), CUDA_SUCCESS);
	CHECK(plain.Width == 4 && plain.Height == 3 && plain.Format == CU_AD_FORMAT_FLOAT &&
	      plain.NumChannels == 2);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
	CHECK_EQ(cuArrayGetDescriptor_v2(&plain, array), CUDA_ERROR_INVALID_HANDLE);
}

/* --- textures ---------- */

struct texture {
	unsigned dimensions;
	bool layered;
	int size[3], layers;
	unsigned channels;
	bool filter, normalized;
	CUaddress_mode address;
	float border[4];
	const float *texels;      /* x fastest, then y, z or layers; channels side by side */
};

/* "Texture Fetching": from a coordinate to the one that is fetched, in texels. */
static double guide_address(const struct texture *texture, double x, int size)
{
	double unit = texture->normalized ? x : x / size;
	if (texture->address == CU_TR_ADDRESS_MODE_WRAP && texture->normalized)
		unit -= floor(unit);
	if (texture->address == CU_TR_ADDRESS_MODE_MIRROR && texture->normalized) {
		double whole = floor(unit);
		unit = fmod(whole, 2) == 0 ? unit - whole : 1 - (unit - whole);
	}
	return unit * size;
}

static double guide_texel(const struct texture *texture, const int index[3], int layer,
			  unsigned channel)
{
	size_t at = 0;
	for (unsigned d = texture->dimensions; d-- > 0;) {
		int i = index[d], size = texture->size[d];
		bool outside = i < 0 || i >= size;
		if (outside && texture->address == CU_TR_ADDRESS_MODE_BORDER)
			return texture->border[channel];
		if (outside && texture->address == CU_TR_ADDRESS_MODE_WRAP && texture->normalized)
			i = (i + size) % size;
		i = i < 0 ? 0 : i >= size ? size - 1 : i;
		at = at * (size_t)size + (size_t)i;
	}
	size_t slice = 1;
	for (unsigned d = 0; d < texture->dimensions; d++)
		slice *= (size_t)texture->size[d];
	return texture->texels[(at + (size_t)layer * slice) * texture->channels + channel];
}

static double guide_fetch(const struct texture *texture, const float *coordinate, int layer,
			  unsigned channel)
{
	int first[3] = {0, 0, 0};
	double fraction[3] = {0, 0, 0}, sum = 0;
	layer = layer < 0 ? 0 : layer >= texture->layers ? texture->layers - 1 : layer;
	for (unsigned d = 0; d < texture->dimensions; d++) {
		double x = guide_address(texture, coordinate[d], texture->size[d]);
		x = texture->filter ? x - 0.5 : x;
		first[d] = (int)floor(x);
		fraction[d] = rint((x - floor(x)) * 256) / 256;
	}
	if (!texture->filter)
		return guide_texel(texture, first, layer, channel);
	for (unsigned corner = 0; corner < 1u << texture->dimensions; corner++) {
		int index[3] = {0, 0, 0};
		double weight = 1;
		for (unsigned d = 0; d < texture->dimensions; d++) {
			index[d] = first[d] + (int)(corner >> d & 1);
			weight *= corner >> d & 1 ? fraction[d] : 1 - fraction[d];
		}
		sum += weight * guide_texel(texture, index, layer, channel);
	}
	return sum;
}

static CUtexObject texture_create(CUarray array, const struct texture *texture, unsigned flags)
{
	CUtexObject object = 0;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	CUDA_TEXTURE_DESC sampler = {
		.addressMode = {texture->address, texture->address, texture->address},
		.filterMode = texture->filter ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
		.flags = flags | (texture->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0)
	};
	resource.res.array.hArray = array;
	memcpy(sampler.borderColor, texture->border, sizeof(texture->border));
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	return object;
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t bound)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % bound;
}

/* In 1/256 of a texel, so that the weights of the formulas are exact; and never
 * where two texels meet without a filter, for of those mirroring swaps the sides. */
static void choose_coordinates(const struct texture *texture, float (*coordinates)[4],
			       int *layers)
{
	for (unsigned i = 0; i < COORDINATES_MAX; i++) {
		unsigned next = 0;
		layers[i] = (int)random_below((uint32_t)texture->layers + 2);
		memset(coordinates[i], 0, sizeof(coordinates[i]));
		if (texture->layered)
			memcpy(&coordinates[i][next++], &layers[i], sizeof(layers[i]));
		for (unsigned d = 0; d < texture->dimensions; d++, next++) {
			int size = texture->size[d];
			int fixed = (int)random_below((uint32_t)size * 256 * 4) - size * 384;
			fixed |= texture->filter ? 0 : 1;
			coordinates[i][next] = (float)fixed / 256;
			if (texture->normalized)
				coordinates[i][next] /= (float)size;
		}
	}
}

static void check_texture(const struct texture *texture, CUtexObject object, const char *kernel)
{
	static float coordinates[COORDINATES_MAX][4], values[COORDINATES_MAX][4];
	static int layers[COORDINATES_MAX];
	unsigned wrong = 0;
	choose_coordinates(texture, coordinates, layers);
	CHECK_EQ(run(kernel, object, coordinates, COORDINATES_MAX, values), CUDA_SUCCESS);
	for (unsigned i = 0; i < COORDINATES_MAX; i++)
		for (unsigned c = 0; c < texture->channels; c++) {
			double wanted = guide_fetch(texture, coordinates[i] + texture->layered,
						    texture->layered ? layers[i] : 0, c);
			wrong += !(fabs(values[i][c] - wanted) <= 1e-6 * (1 + fabs(wanted)));
		}
	if (wrong)
		printf("%s: filter %d, normalized %d, address %d: %u values are wrong\n", kernel,
		       texture->filter, texture->normalized, texture->address, wrong);
	CHECK(!wrong);
}

/* Sizes are powers of two, so that normalized coordinates are exact. */
static void check_shape(const char *kernel, unsigned dimensions, int layers, unsigned channels)
{
	static float texels[8 * 4 * 4 * 4];
	struct texture texture = {
		.dimensions = dimensions, .layered = layers > 0, .layers = layers ? layers : 1,
		.size = {8, dimensions > 1 ? 4 : 0, dimensions > 2 ? 4 : 0},
		.channels = channels, .border = {-1, 2, -3, 4}, .texels = texels
	};
	for (size_t i = 0; i < sizeof(texels) / sizeof(texels[0]); i++)
		texels[i] = (float)random_below(1000);
	CUarray array = array_create(8, (size_t)texture.size[1],
				     (size_t)(layers ? layers : texture.size[2]),
				     CU_AD_FORMAT_FLOAT, channels,
				     layers ? CUDA_ARRAY3D_LAYERED : 0);
	CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
	for (unsigned i = 0; i < 16; i++) {
		texture.filter = i & 1;
		texture.normalized = i & 2;
		texture.address = (CUaddress_mode)(i >> 2);
		CUtexObject object = texture_create(array, &texture, 0);
		check_texture(&texture, object, kernel);
		CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	}
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

static void test_texture_shapes(void)
{
	REQUIRE(ready());
	check_shape("tex_1d_f32", 1, 0, 4);
	check_shape("tex_2d_f32", 2, 0, 4);
	check_shape("tex_2d_f32", 2, 0, 1);
	check_shape("tex_3d_f32", 3, 0, 2);
	check_shape("tex_a1d_f32", 1, 3, 4);
	check_shape("tex_a2d_f32", 2, 3, 4);
}

/* --- surfaces ---------- */

static CUsurfObject surface_create(CUarray array)
{
	CUsurfObject object = 0;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
	resource.res.array.hArray = array;
	CHECK_EQ(cuSurfObjectCreate(&object, &resource), CUDA_SUCCESS);
	return object;
}

/* Every byte of an array by stores of each width; the array's bytes must be them, and
 * loads must give them back. */
static void check_surface(int shape, size_t width, size_t height, size_t depth, bool layered)
{
	enum { BYTES = 16 * 3 * 2 };
	unsigned char wanted[BYTES], bytes[BYTES];
	int32_t coordinates[BYTES][4];
	unsigned char values[BYTES][16];
	size_t rows = (height ? height : 1) * (depth ? depth : 1);
	CUarray array = array_create(width, height, depth, CU_AD_FORMAT_UNSIGNED_INT8, 4,
				     CUDA_ARRAY3D_SURFACE_LDST |
					     (layered ? CUDA_ARRAY3D_LAYERED : 0));
	CUsurfObject object = surface_create(array);
	for (unsigned size_B = 1; size_B <= 8; size_B *= 2) {
		unsigned count = 0;
		char name[32];
		for (size_t row = 0; row < rows; row++)
			for (size_t x = 0; x < 4 * width; x += size_B, count++) {
				int32_t y = (int32_t)(height ? row % height : 0);
				int32_t z = (int32_t)(height ? row / height : row);
				const int32_t flat[4] = {(int32_t)x, y, z, 0};
				const int32_t line[4] = {z, (int32_t)x, 0, 0};
				const int32_t plane[4] = {z, (int32_t)x, y, 0};
				memcpy(coordinates[count], !layered ? flat : height ? plane : line,
				       sizeof(coordinates[count]));
				for (unsigned b = 0; b < size_B; b++) {
					values[count][b] = (unsigned char)random_below(256);
					wanted[row * 4 * width + x + b] = values[count][b];
				}
			}
		snprintf(name, sizeof(name), "sust_%s_%u", shape_names[shape], 8 * size_B);
		CHECK_EQ(run(name, object, coordinates, count, values), CUDA_SUCCESS);
		CHECK_EQ(array_copy(array, bytes, false), CUDA_SUCCESS);
		CHECK(!memcmp(bytes, wanted, rows * 4 * width));
		memset(values, 0, sizeof(values));
		snprintf(name, sizeof(name), "suld_%s_%u", shape_names[shape], 8 * size_B);
		CHECK_EQ(run(name, object, coordinates, count, values), CUDA_SUCCESS);
		for (unsigned i = 0; i < count; i++)
			CHECK(!memcmp(values[i], wanted + i * size_B, size_B));
	}
	CHECK_EQ(cuSurfObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

static void test_surface_shapes(void)
{
	REQUIRE(ready());
	check_surface(0, 4, 0, 0, false);
	check_surface(1, 4, 3, 0, false);
	check_surface(2, 4, 3, 2, false);
	check_surface(3, 4, 0, 2, true);
	check_surface(4, 4, 3, 2, true);
}

TEST_MAIN(TEST(test_array_copies), TEST(test_array_errors), TEST(test_texture_shapes),
	  TEST(test_surface_shapes))
