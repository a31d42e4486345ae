/* Protects: softcuda's arrays and textures.  What a texture returns is compared with
 * the formulas of the CUDA C++ Programming Guide's appendix "Texture Fetching", in
 * double. */
#include "config.h"

#include "tests/unit/soft_image.h"

#include <math.h>

/* --- arrays ---------- */

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
	/* Seen on a GPU: the filter has a second dimension here, at whose border it is. */
	if (texture->dimensions == 1 && !texture->layered &&
	    texture->address == CU_TR_ADDRESS_MODE_BORDER)
		sum = (sum + texture->border[channel]) / 2;
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
	/* The guide does not say that a GPU rounds the corners' weights to 8 bits, each
	 * by half a unit at most: t_soft_filter has its bits. */
	bool border = texture->address == CU_TR_ADDRESS_MODE_BORDER && !texture->layered;
	bool rounds = texture->filter && (texture->dimensions > 1 || border);
	const double error = rounds ? 1000.0 * (1 << texture->dimensions) / 512 : 1e-6;
	choose_coordinates(texture, coordinates, layers);
	CHECK_EQ(run(kernel, object, coordinates, COORDINATES_MAX, values), CUDA_SUCCESS);
	for (unsigned i = 0; i < COORDINATES_MAX; i++)
		for (unsigned c = 0; c < texture->channels; c++) {
			double wanted = guide_fetch(texture, coordinates[i] + texture->layered,
						    texture->layered ? layers[i] : 0, c);
			wrong += !(fabs(values[i][c] - wanted) <=
				   (rounds ? error : error * (1 + fabs(wanted))));
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

/* --- formats ---------- */

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double mantissa = bits & 1023;
	double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
	return bits >> 15 ? -value : value;
}

/* What a channel's bits stand for: "Texture Fetching", normalized-float mode; half is
 * IEEE 754's. */
static double channel_value(CUarray_format format, const unsigned char *bytes)
{
	uint16_t half;
	float real;
	double value;
	memcpy(&half, bytes, sizeof(half));
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
		return bytes[0] / 255.0;
	case CU_AD_FORMAT_SIGNED_INT8:
		value = (signed char)bytes[0] / 127.0;
		return value < -1 ? -1 : value;
	case CU_AD_FORMAT_UNSIGNED_INT16:
		return half / 65535.0;
	case CU_AD_FORMAT_SIGNED_INT16:
		value = (int16_t)half / 32767.0;
		return value < -1 ? -1 : value;
	case CU_AD_FORMAT_HALF:
		return half_value(half);
	default:
		memcpy(&real, bytes, sizeof(real));
		return real;
	}
}

static uint32_t channel_integer(CUarray_format format, const unsigned char *bytes)
{
	uint16_t half;
	uint32_t word;
	memcpy(&half, bytes, sizeof(half));
	memcpy(&word, bytes, sizeof(word));
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
		return bytes[0];
	case CU_AD_FORMAT_SIGNED_INT8:
		return (uint32_t)(int32_t)(signed char)bytes[0];
	case CU_AD_FORMAT_UNSIGNED_INT16:
		return half;
	case CU_AD_FORMAT_SIGNED_INT16:
		return (uint32_t)(int32_t)(int16_t)half;
	default:
		return word;
	}
}

static CUtexObject plain_texture(CUarray array, unsigned flags)
{
	const struct texture plain = {.address = CU_TR_ADDRESS_MODE_CLAMP};
	return texture_create(array, &plain, flags);
}

/* 16 texels in a row, read by index; raw: as integers. */
static void check_format(CUarray_format format, unsigned channel_B, unsigned channels, bool raw)
{
	enum { WIDTH = 16 };
	unsigned char texels[WIDTH * 16 + 4];
	int32_t indices[WIDTH][4];
	uint32_t values[WIDTH][4];
	for (unsigned i = 0; i < sizeof(texels); i++)
		texels[i] = (unsigned char)random_below(256);
	/* The first is the least of signed numbers, which is one too low. */
	memset(texels, 0, channel_B);
	texels[channel_B - 1] = 0x80;
	/* No infinities and no NaN. */
	for (unsigned i = 0; i < WIDTH * channels && format == CU_AD_FORMAT_HALF; i++)
		texels[2 * i + 1] &= 0xbf;
	for (unsigned i = 0; i < WIDTH * channels && format == CU_AD_FORMAT_FLOAT; i++)
		texels[4 * i + 3] &= 0xbf;
	for (int i = 0; i < WIDTH; i++)
		memcpy(indices[i], (int32_t[4]){i}, sizeof(indices[i]));
	CUarray array = array_create(WIDTH, 1, 0, format, channels, 0);
	CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
	CUtexObject object = plain_texture(array, raw ? CU_TRSF_READ_AS_INTEGER : 0);
	CHECK_EQ(run("tex_2d_s32", object, indices, WIDTH, values), CUDA_SUCCESS);
	for (unsigned i = 0; i < WIDTH * channels; i++) {
		uint32_t got = values[i / channels][i % channels];
		const unsigned char *bytes = texels + (size_t)i * channel_B;
		float real;
		memcpy(&real, &got, sizeof(real));
		double wanted = channel_value(format, bytes);
		if (raw ? got != channel_integer(format, bytes) :
			  fabs(real - wanted) > fabs(wanted) * 1.2e-7) {
			printf("format 0x%x, %u channels: texel %u is 0x%x, %g expected\n", format,
			       channels, i, got, wanted);
			test_failures++;
		}
	}
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

static void test_formats(void)
{
	REQUIRE(ready());
	for (unsigned channels = 1; channels <= 4; channels *= 2) {
		check_format(CU_AD_FORMAT_HALF, 2, channels, false);
		check_format(CU_AD_FORMAT_FLOAT, 4, channels, false);
		for (int raw = 0; raw < 2; raw++) {
			check_format(CU_AD_FORMAT_UNSIGNED_INT8, 1, channels, raw);
			check_format(CU_AD_FORMAT_SIGNED_INT8, 1, channels, raw);
			check_format(CU_AD_FORMAT_UNSIGNED_INT16, 2, channels, raw);
			check_format(CU_AD_FORMAT_SIGNED_INT16, 2, channels, raw);
		}
		/* "Not promoted, regardless of whether or not this flag is specified." */
		check_format(CU_AD_FORMAT_UNSIGNED_INT32, 4, channels, true);
		check_format(CU_AD_FORMAT_SIGNED_INT32, 4, channels, true);
	}
}

static void test_srgb(void)
{
	REQUIRE(ready());
	unsigned char texels[256][4];
	int32_t indices[256][4];
	float values[256][4];
	for (int i = 0; i < 256; i++) {
		memset(texels[i], i, 4);
		memcpy(indices[i], (int32_t[4]){i}, sizeof(indices[i]));
	}
	CUarray array = array_create(256, 1, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
	CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
	CUtexObject object = plain_texture(array, CU_TRSF_SRGB);
	CHECK_EQ(run("tex_2d_s32", object, indices, 256, values), CUDA_SUCCESS);
	for (int i = 0; i < 256; i++) {
		double c = i / 255.0;
		double linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
		CHECK(fabs(values[i][0] - linear) < 1e-6 && fabs(values[i][2] - linear) < 1e-6 &&
		      fabs(values[i][3] - c) < 1e-7);
	}
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

/* --- other fetches ---------- */

/* The texel (x, y) is 10 y + x, and 100 more from one channel to the next. */
static CUarray numbered_array(void)
{
	float texels[4][8][4];
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++)
			for (int c = 0; c < 4; c++)
				texels[y][x][c] = (float)(100 * c + 10 * y + x);
	CUarray array = array_create(8, 4, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_TEXTURE_GATHER);
	CHECK_EQ(array_copy(array, texels, true), CUDA_SUCCESS);
	return array;
}

static void test_gather(void)
{
	REQUIRE(ready());
	const float at[2][4] = {{3, 2}, {0, 0}};
	float values[2][4];
	CUarray array = numbered_array();
	CUtexObject object = plain_texture(array, 0);
	CHECK_EQ(run("gather_r", object, at, 2, values), CUDA_SUCCESS);
	/* PTX ISA, tld4: "counterclockwise, starting at the lower left". */
	CHECK(values[0][0] == 22 && values[0][1] == 23 && values[0][2] == 13 &&
	      values[0][3] == 12);
	CHECK(values[1][0] == 0 && values[1][2] == 0);
	CHECK_EQ(run("gather_a", object, at, 1, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 322 && values[0][3] == 312);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

static void test_offset_and_level(void)
{
	REQUIRE(ready());
	const float at[2][4] = {{3.5f, 2.5f, 0, 5}, {7.5f, 0.5f, 0, 5}};
	float values[2][4];
	CUarray array = numbered_array();
	CUtexObject object = plain_texture(array, 0);
	CHECK_EQ(run("offset", object, at, 2, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 4 && values[1][1] == 107);
	CHECK_EQ(run("level", object, at, 2, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 23 && values[1][0] == 7);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

/* .f16x2: two halves in a register, the first in the low bits. */
static void test_halves(void)
{
	REQUIRE(ready());
	const float at[1][4] = {{2.5f, 3.5f}};
	uint16_t values[1][8];
	CUarray array = numbered_array();
	CUtexObject object = plain_texture(array, 0);
	CHECK_EQ(run("halves", object, at, 1, values), CUDA_SUCCESS);
	for (int c = 0; c < 4; c++)
		CHECK(half_value(values[0][c]) == 100 * c + 32);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

/* Coordinates without end go to the ends. */
static void test_far_coordinates(void)
{
	REQUIRE(ready());
	const float at[6][4] = {{INFINITY, 0}, {-INFINITY, 0}, {3e38f, 1}, {-3e38f, 1},
				{1e10f, INFINITY}, {2.5f, -1e-40f}};
	static const float wanted[6] = {7, 0, 17, 10, 37, 2};
	float values[6][4];
	CUarray array = numbered_array();
	CUtexObject object = plain_texture(array, 0);
	CHECK_EQ(run("tex_2d_f32", object, at, 6, values), CUDA_SUCCESS);
	for (int i = 0; i < 6; i++)
		CHECK(values[i][0] == wanted[i]);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

/* --- memory that is no array ---------- */

static void test_linear(void)
{
	REQUIRE(ready());
	float texels[32], values[6][4];
	const int32_t indices[6][4] = {{0}, {15}, {7}, {16}, {-1}, {INT32_MAX}};
	CUtexObject object;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
	const CUDA_TEXTURE_DESC sampler = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP}};
	for (int i = 0; i < 32; i++)
		texels[i] = (float)i + 1;
	CHECK_EQ(cuMemAlloc_v2(&resource.res.linear.devPtr, sizeof(texels)), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoD_v2(resource.res.linear.devPtr, texels, sizeof(texels)), CUDA_SUCCESS);
	resource.res.linear.format = CU_AD_FORMAT_FLOAT;
	resource.res.linear.numChannels = 2;
	resource.res.linear.sizeInBytes = sizeof(texels) + 4;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	resource.res.linear.sizeInBytes = sizeof(texels) + 8;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	resource.res.linear.sizeInBytes = sizeof(texels);
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK_EQ(run("tex_1d_s32", object, indices, 6, values), CUDA_SUCCESS);
	CHECK(values[0][0] == 1 && values[0][1] == 2 && values[1][1] == 32 && values[2][0] == 15);
	/* The guide, 1D linear memory: "zero is returned". */
	for (int i = 3; i < 6; i++)
		CHECK(values[i][0] == 0 && values[i][1] == 0);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	resource.res.linear.devPtr += 4;
	resource.res.linear.sizeInBytes = 8;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemFree_v2(resource.res.linear.devPtr - 4), CUDA_SUCCESS);
}

static void test_pitch(void)
{
	REQUIRE(ready());
	enum { WIDTH = 4, HEIGHT = 2, PITCH = 64 };
	static float rows[HEIGHT][PITCH / 4];
	struct texture texture = {
		.dimensions = 2, .size = {WIDTH, HEIGHT}, .layers = 1, .channels = 1,
		.filter = true, .address = CU_TR_ADDRESS_MODE_CLAMP,
		.texels = (const float[]){1, 2, 3, 4, 11, 12, 13, 14}
	};
	CUtexObject object;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
	const CUDA_TEXTURE_DESC sampler = {
		.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
		.filterMode = CU_TR_FILTER_MODE_LINEAR
	};
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		rows[i / WIDTH][i % WIDTH] = texture.texels[i];
	CHECK_EQ(cuMemAlloc_v2(&resource.res.pitch2D.devPtr, sizeof(rows)), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoD_v2(resource.res.pitch2D.devPtr, rows, sizeof(rows)), CUDA_SUCCESS);
	resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
	resource.res.pitch2D.numChannels = 1;
	resource.res.pitch2D.width = WIDTH;
	resource.res.pitch2D.height = HEIGHT;
	resource.res.pitch2D.pitchInBytes = 48;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	resource.res.pitch2D.pitchInBytes = PITCH;
	resource.res.pitch2D.height = HEIGHT + 2;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	resource.res.pitch2D.height = HEIGHT;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	check_texture(&texture, object, "tex_2d_f32");
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree_v2(resource.res.pitch2D.devPtr), CUDA_SUCCESS);
}

/* --- objects ---------- */

static void test_objects(void)
{
	REQUIRE(ready());
	CUarray array = numbered_array();
	CUtexObject object, again;
	CUsurfObject surface;
	CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY}, asked;
	CUDA_RESOURCE_VIEW_DESC view;
	CUDA_TEXTURE_DESC sampler = {.maxAnisotropy = 3}, told;
	resource.res.array.hArray = array;
	CHECK_EQ(cuTexObjectCreate(NULL, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuTexObjectCreate(&object, NULL, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuTexObjectCreate(&object, &resource, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectGetResourceDesc(&asked, object), CUDA_SUCCESS);
	CHECK(asked.resType == CU_RESOURCE_TYPE_ARRAY && asked.res.array.hArray == array);
	CHECK_EQ(cuTexObjectGetTextureDesc(&told, object), CUDA_SUCCESS);
	CHECK_EQ(told.maxAnisotropy, 3);
	CHECK_EQ(cuTexObjectGetResourceViewDesc(&view, object), CUDA_ERROR_INVALID_VALUE);
	/* The array has no CUDA_ARRAY3D_SURFACE_LDST, of which the driver says nothing. */
	CHECK_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
	CHECK_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
	CHECK_EQ(cuSurfObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuTexObjectCreate(&again, &resource, &sampler, NULL), CUDA_SUCCESS);
	CHECK(again != object);
	CHECK_EQ(cuTexObjectDestroy(again), CUDA_SUCCESS);
	sampler.addressMode[1] = (CUaddress_mode)4;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	resource.flags = 1;
	sampler.addressMode[1] = CU_TR_ADDRESS_MODE_WRAP;
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_VALUE);
	resource.flags = 0;
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
	CHECK_EQ(cuTexObjectCreate(&object, &resource, &sampler, NULL), CUDA_ERROR_INVALID_HANDLE);
}

static void test_queries(void)
{
	REQUIRE(ready());
	uint32_t coordinates[1][4] = {{0}}, values[1][4];
	CUarray array = numbered_array();
	CUtexObject object = plain_texture(array, 0);
	CHECK_EQ(run("texture_width", object, coordinates, 1, values), CUDA_SUCCESS);
	CHECK_EQ(values[0][0], 8);
	CHECK_EQ(run("texture_height", object, coordinates, 1, values), CUDA_SUCCESS);
	CHECK_EQ(values[0][0], 4);
	CHECK_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
	CHECK_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

TEST_MAIN(TEST(test_array_copies), TEST(test_array_errors), TEST(test_texture_shapes),
	  TEST(test_formats), TEST(test_srgb), TEST(test_gather), TEST(test_offset_and_level),
	  TEST(test_halves), TEST(test_far_coordinates), TEST(test_linear), TEST(test_pitch),
	  TEST(test_objects), TEST(test_queries))
