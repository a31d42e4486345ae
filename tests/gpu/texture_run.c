#include "tests/gpu/texture_run.h"

#include "tests/gpu/texture_driver.h"
#include "tests/gpu/texture_kernel.h"

#include <math.h>

enum { ITEMS = 200, RAMP = 1024, ITEMS_MAX = 4096, TEXELS_MAX_B = 1 << 20 };

static FILE *results;
static CUmodule module;
static CUdeviceptr coordinates_at, values_at;
static uint32_t coordinates[ITEMS_MAX][4], values[ITEMS_MAX][4];
static unsigned char texels[TEXELS_MAX_B];
static uint64_t state;

static uint32_t random_word(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) ^ (uint32_t)(state >> 13);
}

static double random_unit(void)
{
	return (random_word() >> 8) / 16777216.0;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void put(const char *name, CUresult status, unsigned count)
{
	struct record record = {.status = (uint32_t)status, .count = status ? 0 : count};
	snprintf(record.name, sizeof(record.name), "%s", name);
	fwrite(&record, sizeof(record), 1, results);
	fwrite(coordinates, 16, record.count, results);
	fwrite(values, 16, record.count, results);
	fflush(results);
}

static CUresult launch(const char *kernel, uint64_t object, unsigned count)
{
	CUfunction function;
	void *parameters[] = {&object, &coordinates_at, &values_at, &count};
	CUresult result = cuda.function(&function, module, kernel);
	if (!result)
		result = cuda.write(coordinates_at, coordinates, 16u * count);
	if (!result)
		result = cuda.write(values_at, values, 16u * count);
	if (!result)
		result = cuda.launch(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, NULL,
				     parameters, NULL);
	if (!result)
		result = cuda.synchronize();
	if (!result)
		result = cuda.read(values, values_at, 16u * count);
	return result;
}

/* --- kernels ---------- */

static const char *const edges[] = {"clamp", "zero"};
static const struct { const char *name; unsigned bits, vector; } widths[] = {
	{"b8", 8, 1}, {"v2b8", 8, 2}, {"v4b8", 8, 4}, {"b16", 16, 1}, {"v2b16", 16, 2},
	{"v4b16", 16, 4}, {"b32", 32, 1}, {"v2b32", 32, 2}, {"v4b32", 32, 4}, {"b64", 64, 1},
	{"v2b64", 64, 2}
};
enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };
static const struct { const char *operation, *type; } reductions[] = {
	{"b.add", "u32"}, {"b.add", "s32"}, {"b.add", "u64"}, {"b.min", "u32"}, {"b.min", "s32"},
	{"b.max", "u32"}, {"b.max", "s32"}, {"b.min", "u64"}, {"b.max", "s64"}, {"b.and", "b32"},
	{"b.or", "b32"}, {"p.add", "b32"}, {"p.min", "b32"}, {"p.max", "b32"}, {"p.and", "b32"},
	{"p.or", "b32"}
};
enum { REDUCTIONS = sizeof(reductions) / sizeof(reductions[0]) };

static void say_surfaces(struct text *text)
{
	char name[64], operation[16];
	for (unsigned s = 0; s < SHAPES; s++)
		for (unsigned e = 0; e < 2; e++) {
			for (unsigned w = 0; w < WIDTHS; w++) {
				snprintf(name, sizeof(name), "suld_%s_%s_%s", shape_names[s],
					 widths[w].name, edges[e]);
				say_surface(text, name, "suld.b", shape_names[s], widths[w].bits,
					    widths[w].vector, edges[e]);
				memcpy(name, "sust", 4);
				say_surface(text, name, "sust.b", shape_names[s], widths[w].bits,
					    widths[w].vector, edges[e]);
			}
			snprintf(name, sizeof(name), "sustp_%s_%s", shape_names[s], edges[e]);
			say_surface(text, name, "sust.p", shape_names[s], 32, 4, edges[e]);
		}
	for (unsigned s = 0; s < 3; s++)
		for (unsigned r = 0; r < REDUCTIONS; r++) {
			snprintf(name, sizeof(name), "sured_%s_%u", shape_names[s], r);
			snprintf(operation, sizeof(operation), "sured.%s",
				 reductions[r].operation);
			say_reduction(text, name, operation, shape_names[s], reductions[r].type,
				      "zero");
		}
	say_surface(text, "sust_trap", "sust.b", "2d", 32, 1, "trap");
	say_surface(text, "suld_trap", "suld.b", "2d", 32, 1, "trap");
	say_surface(text, "sustp_trap", "sust.p", "2d", 32, 4, "trap");
	say_surface(text, "sustp_one", "sust.p", "2d", 32, 1, "zero");
	say_surface(text, "sustp_two", "sust.p", "2d", 32, 2, "zero");
}

static void say_textures(struct text *text)
{
	char name[64], mnemonic[16];
	for (unsigned s = 0; s < SHAPES; s++)
		for (int real = 0; real < 2; real++) {
			snprintf(name, sizeof(name), "tex_%s_%s", shape_names[s],
				 real ? "f32" : "s32");
			say_texture(text, name, "tex", shape_names[s], real, "");
			snprintf(name, sizeof(name), "level_%s_%s", shape_names[s],
				 real ? "f32" : "s32");
			say_texture(text, name, "tex.level", shape_names[s], real,
				    real ? ", f3" : ", x3");
		}
	say_texture(text, "offset_2d_f32", "tex", "2d", 1, ", {1, -2}");
	say_texture(text, "offset_2d_s32", "tex", "2d", 0, ", {1, -2}");
	for (const char *c = "rgba"; *c; c++) {
		snprintf(mnemonic, sizeof(mnemonic), "tld4.%c", *c);
		snprintf(name, sizeof(name), "gather_2d_%c", *c);
		say_texture(text, name, mnemonic, "2d", 1, "");
		snprintf(name, sizeof(name), "gather_a2d_%c", *c);
		say_texture(text, name, mnemonic, "a2d", 1, "");
	}
}

static CUresult load(const struct text *text, CUmodule *module_out)
{
	static char log[4096];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *option_values[] = {log, (void *)(uintptr_t)(sizeof(log) - 1)};
	CUresult result = cuda.load(module_out, text->data, 2, options, option_values);
	if (result)
		fprintf(stderr, "loading gave %d: %s\n", result, log);
	return result;
}

static void say_all(struct text *text)
{
	say_header(text);
	say_surfaces(text);
	say_textures(text);
}

void texture_print(void)
{
	struct text text = {0};
	say_all(&text);
	fputs(text.data, stdout);
	free(text.data);
}

static CUresult prepare(void)
{
	struct text text = {0};
	say_all(&text);
	CUresult result = load(&text, &module);
	free(text.data);
	if (!result)
		result = cuda.take(&coordinates_at, sizeof(coordinates));
	if (!result)
		result = cuda.take(&values_at, sizeof(values));
	return result;
}

/* --- resources ---------- */

struct format {
	const char *name;
	CUarray_format format;
	unsigned channel_B;
	char kind;                /* i: integer that can be promoted, w: 32 bits, f: float */
};
static const struct format formats[] = {
	{"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1, 'i'}, {"s8", CU_AD_FORMAT_SIGNED_INT8, 1, 'i'},
	{"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2, 'i'}, {"s16", CU_AD_FORMAT_SIGNED_INT16, 2, 'i'},
	{"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4, 'w'}, {"s32", CU_AD_FORMAT_SIGNED_INT32, 4, 'w'},
	{"f16", CU_AD_FORMAT_HALF, 2, 'f'}, {"f32", CU_AD_FORMAT_FLOAT, 4, 'f'}
};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };
static const struct { struct format is; unsigned channels; } normalized_formats[] = {
	{{"unorm8", CU_AD_FORMAT_UNORM_INT8X1, 1, 'n'}, 1},
	{{"unorm8", CU_AD_FORMAT_UNORM_INT8X4, 1, 'n'}, 4},
	{{"unorm16", CU_AD_FORMAT_UNORM_INT16X2, 2, 'n'}, 2},
	{{"snorm8", CU_AD_FORMAT_SNORM_INT8X4, 1, 'n'}, 4},
	{{"snorm16", CU_AD_FORMAT_SNORM_INT16X1, 2, 'n'}, 1}
};

enum place { ON_ARRAY, ON_LINEAR, ON_PITCH };
struct shape {
	const char *name, *geometry;
	enum place place;
	unsigned dimensions, size[3], layers;
};
static const struct shape shapes[] = {
	{"1d", "1d", ON_ARRAY, 1, {13, 0, 0}, 0}, {"2d", "2d", ON_ARRAY, 2, {7, 5, 0}, 0},
	{"3d", "3d", ON_ARRAY, 3, {5, 4, 3}, 0}, {"a1d", "a1d", ON_ARRAY, 1, {13, 0, 0}, 3},
	{"a2d", "a2d", ON_ARRAY, 2, {7, 5, 0}, 3}, {"linear", "1d", ON_LINEAR, 1, {13, 0, 0}, 0},
	{"pitch", "2d", ON_PITCH, 2, {7, 5, 0}, 0}
};
enum { SHAPE_LINEAR = 5, SHAPE_PITCH = 6, RESOURCES = 7 };

struct resource {
	const struct shape *shape;
	CUarray array;
	CUdeviceptr memory;
	CUDA_RESOURCE_DESC descriptor;
	size_t row_B, rows;
};

/* Random texels; floats between -100 and 100 unless wild, then any bits. */
static void fill_texels(const struct format *format, size_t size_B, bool wild)
{
	for (size_t i = 0; i < size_B; i += format->channel_B) {
		uint32_t word = random_word();
		float real = (float)(random_unit() * 200 - 100);
		if (format->kind == 'f' && !wild && format->channel_B == 4)
			word = bits_of(real);
		/* A half with a moderate exponent. */
		if (format->kind == 'f' && !wild && format->channel_B == 2)
			word = (word & 0x83ff) | (12 + word % 9) << 10;
		memcpy(texels + i, &word, format->channel_B);
	}
}

static CUresult array_fill(const struct resource *resource, bool read)
{
	CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = resource->row_B,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = resource->array,
		.WidthInBytes = resource->row_B
	};
	copy.Height = resource->shape->size[1] ? resource->shape->size[1] : 1;
	copy.Depth = resource->rows / copy.Height;
	copy.srcHeight = copy.Height;
	if (read) {
		copy.dstMemoryType = CU_MEMORYTYPE_HOST;
		copy.dstHost = texels;
		copy.dstPitch = copy.srcPitch;
		copy.dstHeight = copy.srcHeight;
		copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.srcArray = resource->array;
		copy.srcPitch = copy.srcHeight = 0;
	}
	return cuda.copy_3d(&copy);
}

static CUresult resource_create(struct resource *resource, const struct shape *shape,
				const struct format *format, unsigned channels, unsigned flags)
{
	const unsigned texel_B = format->channel_B * channels;
	const size_t depth = shape->layers ? shape->layers : shape->size[2];
	*resource = (struct resource){.shape = shape, .row_B = (size_t)shape->size[0] * texel_B};
	resource->rows = (shape->size[1] ? shape->size[1] : 1) * (depth ? depth : 1);
	if (shape->place == ON_ARRAY) {
		const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
			.Width = shape->size[0], .Height = shape->size[1], .Depth = depth,
			.Format = format->format, .NumChannels = channels,
			.Flags = flags | (shape->layers ? CUDA_ARRAY3D_LAYERED : 0)
		};
		CUresult result = cuda.array_create(&resource->array, &descriptor);
		resource->descriptor.resType = CU_RESOURCE_TYPE_ARRAY;
		resource->descriptor.res.array.hArray = resource->array;
		return result ? result : array_fill(resource, false);
	}
	const size_t pitch_B = shape->place == ON_PITCH ? 512 : resource->row_B;
	CUresult result = cuda.take(&resource->memory, pitch_B * resource->rows);
	for (size_t y = 0; !result && y < resource->rows; y++)
		result = cuda.write(resource->memory + y * pitch_B, texels + y * resource->row_B,
				    resource->row_B);
	if (shape->place == ON_LINEAR) {
		resource->descriptor.resType = CU_RESOURCE_TYPE_LINEAR;
		resource->descriptor.res.linear.devPtr = resource->memory;
		resource->descriptor.res.linear.format = format->format;
		resource->descriptor.res.linear.numChannels = channels;
		resource->descriptor.res.linear.sizeInBytes = resource->row_B;
	} else {
		resource->descriptor.resType = CU_RESOURCE_TYPE_PITCH2D;
		resource->descriptor.res.pitch2D.devPtr = resource->memory;
		resource->descriptor.res.pitch2D.format = format->format;
		resource->descriptor.res.pitch2D.numChannels = channels;
		resource->descriptor.res.pitch2D.width = shape->size[0];
		resource->descriptor.res.pitch2D.height = shape->size[1];
		resource->descriptor.res.pitch2D.pitchInBytes = pitch_B;
	}
	return result;
}

static void resource_destroy(struct resource *resource)
{
	if (resource->array)
		cuda.array_destroy(resource->array);
	if (resource->memory)
		cuda.give(resource->memory);
}

/* --- coordinates ---------- */

static float choose_real(unsigned size, bool normalized)
{
	static const float special[] = {
		0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1.5f, 2.0f, 3.0f, -2.0f, 1e-40f, -1e-40f, 1e10f,
		-1e10f, 3e38f, -3e38f, 16777216.0f, 65536.5f, INFINITY, -INFINITY, NAN
	};
	double texel = random_unit() * 4 * size - 1.5 * size;
	switch (random_word() % 8) {
	case 0:
		return special[random_word() % (sizeof(special) / sizeof(special[0]))];
	case 1:
		texel = floor(texel);
		break;
	case 2:
		texel = floor(texel * 256) / 256;
		break;
	case 3:
		texel = floor(texel * 512) / 512;
		break;
	case 4:
		texel = floor(texel) + (random_word() & 1 ? 1e-6 : -1e-6);
		break;
	default:
		break;
	}
	return (float)(normalized ? texel / size : texel);
}

static int32_t choose_whole(unsigned size)
{
	static const int32_t special[] = {INT32_MIN, INT32_MAX, -1, 1 << 20};
	if (random_word() % 16 == 0)
		return special[random_word() % 4];
	return (int32_t)(random_word() % (3 * size)) - (int32_t)size;
}

static void choose_coordinates(const struct shape *shape, bool real, bool normalized,
			       unsigned count)
{
	memset(coordinates, 0, sizeof(coordinates));
	for (unsigned i = 0; i < count; i++) {
		unsigned next = 0;
		if (shape->layers)
			coordinates[i][next++] = random_word() % 16 ?
				random_word() % (shape->layers + 2) : UINT32_MAX;
		for (unsigned d = 0; d < shape->dimensions; d++)
			coordinates[i][next++] = real ?
				bits_of(choose_real(shape->size[d], normalized)) :
				(uint32_t)choose_whole(shape->size[d]);
	}
}

/* --- textures ---------- */

struct sampler {
	bool filter, normalized;
	unsigned address, flags;
	float border[4];
};

static const char *const address_names[] = {"wrap", "clamp", "mirror", "border"};

static CUresult texture_create(CUtexObject *object, const struct resource *resource,
			       const struct sampler *sampler)
{
	const CUaddress_mode address = (CUaddress_mode)sampler->address;
	CUDA_TEXTURE_DESC descriptor = {
		.addressMode = {address, address, address},
		.filterMode = sampler->filter ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
		.flags = sampler->flags |
			 (sampler->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0)
	};
	memcpy(descriptor.borderColor, sampler->border, sizeof(sampler->border));
	return cuda.texture_create(object, &resource->descriptor, &descriptor, NULL);
}

/* kernel: NULL for tex by the shape. */
static void run_texture(const char *prefix, const struct resource *resource,
			const struct sampler *sampler, const char *kernel, bool real)
{
	char name[96], tex[32];
	CUtexObject object = 0;
	CUresult status = texture_create(&object, resource, sampler);
	snprintf(name, sizeof(name), "%s %s %s %s%s %s%s%s", prefix,
		 sampler->filter ? "linear" : "point", address_names[sampler->address],
		 sampler->normalized ? "norm" : "unnorm",
		 sampler->flags & CU_TRSF_READ_AS_INTEGER ? " raw" : "",
		 kernel ? kernel : real ? "f32" : "s32", sampler->border[0] != 0 ? " colour" : "",
		 sampler->flags & CU_TRSF_SRGB ? " srgb" : "");
	snprintf(tex, sizeof(tex), "tex_%s_%s", resource->shape->geometry, real ? "f32" : "s32");
	memset(values, 0xee, sizeof(values));
	choose_coordinates(resource->shape, real, sampler->normalized, ITEMS);
	if (!status)
		status = launch(kernel ? kernel : tex, object, ITEMS);
	put(name, status, ITEMS);
	if (object)
		cuda.texture_destroy(object);
}

/* All samplers on one resource. */
static void run_samplers(const char *prefix, const struct resource *resource,
			 const struct format *format)
{
	for (unsigned i = 0; i < 32; i++) {
		struct sampler sampler = {
			.filter = i & 1, .normalized = i & 2, .address = i >> 3,
			.flags = i & 4 ? CU_TRSF_READ_AS_INTEGER : 0
		};
		if (i & 4 && format->kind != 'i')
			continue;
		run_texture(prefix, resource, &sampler, NULL, true);
		if (!sampler.filter)
			run_texture(prefix, resource, &sampler, NULL, false);
	}
}

static void run_formats(const struct shape *shape, unsigned channels)
{
	for (unsigned f = 0; f < FORMATS; f++) {
		struct resource resource;
		char prefix[48];
		snprintf(prefix, sizeof(prefix), "tex %s %sx%u", shape->name, formats[f].name,
			 channels);
		fill_texels(&formats[f], 1 << 16, false);
		CUresult status = resource_create(&resource, shape, &formats[f], channels, 0);
		if (status)
			put(prefix, status, 0);
		else
			run_samplers(prefix, &resource, &formats[f]);
		resource_destroy(&resource);
	}
}

/* On 2D: what else a fetch can be. */
static void run_variants(void)
{
	static const char *const kernels[] = {
		"level_2d_f32", "level_2d_s32", "offset_2d_f32", "offset_2d_s32", "gather_2d_r",
		"gather_2d_g", "gather_2d_b", "gather_2d_a"
	};
	for (unsigned f = 0; f < FORMATS; f++) {
		struct resource resource;
		char prefix[48];
		snprintf(prefix, sizeof(prefix), "variant 2d %sx4", formats[f].name);
		fill_texels(&formats[f], 1 << 16, false);
		CUresult status = resource_create(&resource, &shapes[1], &formats[f], 4,
						  CUDA_ARRAY3D_TEXTURE_GATHER);
		if (status)
			put(prefix, status, 0);
		for (unsigned k = 0; !status && k < sizeof(kernels) / sizeof(kernels[0]); k++)
			for (unsigned i = 0; i < 8; i++) {
				const struct sampler sampler = {.normalized = i & 1,
								.address = i >> 1};
				run_texture(prefix, &resource, &sampler, kernels[k],
					    !strstr(kernels[k], "s32"));
			}
		for (unsigned i = 0; !status && i < 16; i++) {
			const struct sampler sampler = {
				.filter = i & 1, .normalized = i & 2, .address = 3,
				.flags = (i & 4 ? CU_TRSF_READ_AS_INTEGER : 0) |
					 (i & 8 ? CU_TRSF_SRGB : 0),
				.border = {0.25f, 3, -7, 200}
			};
			run_texture(prefix, &resource, &sampler, NULL, true);
		}
		resource_destroy(&resource);
	}
}

/* Any bits in floats, and formats that are normalized by themselves. */
static void run_wild(void)
{
	struct resource resource;
	for (unsigned f = 6; f < FORMATS; f++) {
		char prefix[48];
		snprintf(prefix, sizeof(prefix), "wild 2d %sx4", formats[f].name);
		fill_texels(&formats[f], 1 << 16, true);
		CUresult status = resource_create(&resource, &shapes[1], &formats[f], 4, 0);
		if (status)
			put(prefix, status, 0);
		else
			run_samplers(prefix, &resource, &formats[f]);
		resource_destroy(&resource);
	}
	for (unsigned f = 0; f < sizeof(normalized_formats) / sizeof(normalized_formats[0]); f++) {
		const struct format *format = &normalized_formats[f].is;
		unsigned channels = normalized_formats[f].channels;
		char prefix[48];
		snprintf(prefix, sizeof(prefix), "tex 2d %sx%u", format->name, channels);
		fill_texels(format, 1 << 16, false);
		CUresult status = resource_create(&resource, &shapes[1], format, channels, 0);
		if (status)
			put(prefix, status, 0);
		else
			run_samplers(prefix, &resource, format);
		resource_destroy(&resource);
	}
}

/* --- ramps: how weights and sums are rounded ---------- */

static void run_ramp(const struct format *format, const struct shape *shape, unsigned pattern)
{
	struct resource resource;
	CUtexObject object = 0;
	char name[96], kernel[32];
	const size_t count = (size_t)shape->size[0] * (shape->size[1] ? shape->size[1] : 1) *
			     (shape->size[2] ? shape->size[2] : 1);
	memset(texels, 0, sizeof(texels));
	for (size_t i = 0; i < count; i++) {
		/* One texel of 1, all even ones, or a float that fills the mantissa. */
		bool set = pattern == 0 ? i == count - 1 : i & 1;
		uint32_t one = format->channel_B == 4 ? (pattern == 2 ? 0x3fabcdefu : 0x3f800000u) :
			       format->kind == 'f' ? 0x3c00 :
			       format->name[0] == 's' ? (format->channel_B == 1 ? 0x7f : 0x7fff) :
			       UINT32_MAX;
		if (set)
			memcpy(texels + i * format->channel_B, &one, format->channel_B);
	}
	for (unsigned normalized = 0; normalized < 2; normalized++) {
		const struct sampler sampler = {.filter = true, .normalized = normalized,
						.address = 1};
		snprintf(name, sizeof(name), "ramp %s %ux%ux%u %s pattern %u %s", shape->name,
			 shape->size[0], shape->size[1], shape->size[2], format->name, pattern,
			 normalized ? "norm" : "unnorm");
		CUresult status = resource_create(&resource, shape, format, 1, 0);
		if (!status)
			status = texture_create(&object, &resource, &sampler);
		memset(coordinates, 0, sizeof(coordinates));
		for (unsigned i = 0; i < RAMP; i++)
			for (unsigned d = 0; d < shape->dimensions; d++) {
				double texel = shape->dimensions == 1 ?
					(double)i * shape->size[0] / RAMP :
					random_unit() * shape->size[d];
				coordinates[i][d] = bits_of(
					(float)(normalized ? texel / shape->size[d] : texel));
			}
		snprintf(kernel, sizeof(kernel), "tex_%s_f32", shape->geometry);
		if (!status)
			status = launch(kernel, object, RAMP);
		put(name, status, RAMP);
		if (object)
			cuda.texture_destroy(object);
		object = 0;
		resource_destroy(&resource);
	}
}

static void run_ramps(void)
{
	static const struct shape ramps[] = {
		{"1d", "1d", ON_ARRAY, 1, {2, 0, 0}, 0}, {"1d", "1d", ON_ARRAY, 1, {3, 0, 0}, 0},
		{"1d", "1d", ON_ARRAY, 1, {1000, 0, 0}, 0}, {"2d", "2d", ON_ARRAY, 2, {2, 2, 0}, 0},
		{"2d", "2d", ON_ARRAY, 2, {100, 60, 0}, 0}, {"3d", "3d", ON_ARRAY, 3, {2, 2, 2}, 0}
	};
	for (unsigned s = 0; s < sizeof(ramps) / sizeof(ramps[0]); s++)
		for (unsigned f = 0; f < FORMATS; f++)
			for (unsigned pattern = 0; formats[f].kind != 'w' && pattern < 3; pattern++)
				if (pattern < 2 || formats[f].channel_B == 4)
					run_ramp(&formats[f], &ramps[s], pattern);
}

/* --- surfaces ---------- */

/* Each place once, and a few around: step bytes, or texels, from one to the next. */
static unsigned choose_places(const struct shape *shape, int width, int step)
{
	const int height = shape->dimensions > 1 ? (int)shape->size[1] : 1;
	const int depth = shape->layers ? (int)shape->layers :
			  shape->dimensions > 2 ? (int)shape->size[2] : 1;
	const int low_y = shape->dimensions > 1 ? -1 : 0, low_z = depth > 1 ? -1 : 0;
	unsigned count = 0;
	memset(coordinates, 0, sizeof(coordinates));
	for (int z = low_z; z < depth - low_z; z++)
		for (int y = low_y; y < height - low_y; y++)
			for (int x = -step; x < width + 2 * step && count < ITEMS_MAX;
			     x += step, count++) {
				const int flat[4] = {x, y, z, 0}, line[4] = {z, x, 0, 0};
				const int plane[4] = {z, x, y, 0};
				memcpy(coordinates[count], !shape->layers ? flat :
				       shape->dimensions > 1 ? plane : line, 16);
			}
	return count;
}

static void put_texels(const char *name, CUresult status, const struct resource *resource)
{
	size_t size_B = resource->row_B * resource->rows;
	memset(values, 0, sizeof(values));
	memset(coordinates, 0, sizeof(coordinates));
	memcpy(values, texels, size_B < sizeof(values) ? size_B : sizeof(values));
	put(name, status, (unsigned)((size_B + 15) / 16));
}

/* Stores that meet at one place store one value. */
static void choose_values(unsigned count, bool same)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned e = 0; e < 4; e++)
			values[i][e] = same && i ? values[0][e] : random_word();
}

static void run_surface(const struct resource *resource, CUsurfObject object, const char *prefix,
			unsigned texel_B, const char *kernel, unsigned access_B)
{
	char name[96];
	const bool formatted = !access_B;
	const int width = (int)resource->shape->size[0] * (formatted ? 1 : (int)texel_B);
	unsigned count = choose_places(resource->shape, width, formatted ? 1 : (int)access_B);
	snprintf(name, sizeof(name), "%s %s", prefix, kernel);
	choose_values(count, strstr(kernel, "clamp") != NULL);
	CUresult status = launch(kernel, object, count);
	if (!strncmp(kernel, "suld", 4)) {
		put(name, status, count);
		return;
	}
	if (!status)
		status = array_fill(resource, true);
	put_texels(name, status, resource);
}

static void run_surface_kernels(const struct resource *resource, CUsurfObject object,
				const char *prefix, unsigned texel_B)
{
	char kernel[64];
	for (unsigned e = 0; e < 2; e++) {
		for (unsigned w = 0; w < WIDTHS; w++) {
			unsigned access_B = widths[w].bits * widths[w].vector / 8;
			if (access_B > texel_B)
				continue;
			snprintf(kernel, sizeof(kernel), "suld_%s_%s_%s",
				 resource->shape->geometry, widths[w].name, edges[e]);
			run_surface(resource, object, prefix, texel_B, kernel, access_B);
			memcpy(kernel, "sust", 4);
			run_surface(resource, object, prefix, texel_B, kernel, access_B);
		}
		snprintf(kernel, sizeof(kernel), "sustp_%s_%s", resource->shape->geometry,
			 edges[e]);
		run_surface(resource, object, prefix, texel_B, kernel, 0);
	}
	for (unsigned r = 0; r < REDUCTIONS && !resource->shape->layers; r++) {
		unsigned access_B = reductions[r].type[1] == '6' ? 8 : 4;
		bool formatted = reductions[r].operation[0] == 'p';
		snprintf(kernel, sizeof(kernel), "sured_%s_%u", resource->shape->geometry, r);
		if (formatted ? texel_B == 4 : access_B <= texel_B)
			run_surface(resource, object, prefix, texel_B, kernel,
				    formatted ? 0 : access_B);
	}
	for (unsigned v = 0; v < 2 && !strcmp(resource->shape->name, "2d"); v++)
		run_surface(resource, object, prefix, texel_B, v ? "sustp_two" : "sustp_one", 0);
}

static void run_surface_on(const struct shape *shape, const struct format *format,
			   unsigned channels)
{
	struct resource resource;
	CUsurfObject object = 0;
	char prefix[48];
	snprintf(prefix, sizeof(prefix), "surface %s %sx%u", shape->name, format->name, channels);
	fill_texels(format, 1 << 16, false);
	CUresult status = resource_create(&resource, shape, format, channels,
					  CUDA_ARRAY3D_SURFACE_LDST);
	if (!status)
		status = cuda.surface_create(&object, &resource.descriptor);
	if (status)
		put(prefix, status, 0);
	else
		run_surface_kernels(&resource, object, prefix, format->channel_B * channels);
	if (object)
		cuda.surface_destroy(object);
	resource_destroy(&resource);
}

static void run_surfaces(void)
{
	for (unsigned s = 0; s < SHAPES; s++)
		for (unsigned f = 0; f < FORMATS; f++)
			for (unsigned channels = 1; channels <= 4; channels *= 2)
				if (channels == 4 || s == 1)
					run_surface_on(&shapes[s], &formats[f], channels);
	for (unsigned f = 0; f < sizeof(normalized_formats) / sizeof(normalized_formats[0]); f++)
		run_surface_on(&shapes[1], &normalized_formats[f].is,
			       normalized_formats[f].channels);
}

/* --- questions ---------- */

static void run_attributes(void)
{
	memset(coordinates, 0, sizeof(coordinates));
	memset(values, 0, sizeof(values));
	for (int attribute = 11; attribute < 78; attribute++) {
		int value = 0;
		char name[32];
		bool image = attribute == 11 || attribute == 14 ||
			     (attribute >= 21 && attribute <= 30) ||
			     (attribute >= 42 && attribute != 50);
		snprintf(name, sizeof(name), "attribute %d", attribute);
		if (!image || attribute == 75 || attribute == 76)
			continue;
		CUresult status = cuda.attribute(&value, (CUdevice_attribute)attribute, 0);
		values[0][0] = (uint32_t)value;
		put(name, status, 1);
	}
}

static void run_query(const char *mnemonic, uint64_t object, const char *prefix)
{
	struct text text = {0};
	char name[96];
	CUmodule big = module;
	say_header(&text);
	say_query(&text, "query", mnemonic);
	memset(coordinates, 0, sizeof(coordinates));
	memset(values, 0, sizeof(values));
	CUresult status = load(&text, &module);
	if (!status) {
		status = launch("query", object, 1);
		cuda.unload(module);
	}
	module = big;
	free(text.data);
	snprintf(name, sizeof(name), "%s %s", prefix, mnemonic);
	put(name, status, 1);
}

static void run_queries(void)
{
	static const char *const textures[] = {
		"txq.width", "txq.height", "txq.depth", "txq.array_size", "txq.channel_data_type",
		"txq.channel_order", "txq.normalized_coords", "txq.force_unnormalized_coords",
		"txq.filter_mode", "txq.addr_mode_0", "txq.addr_mode_1", "txq.addr_mode_2",
		"txq.num_mipmap_levels", "txq.num_samples"
	};
	static const char *const surfaces[] = {
		"suq.width", "suq.height", "suq.depth", "suq.array_size", "suq.channel_data_type",
		"suq.channel_order", "suq.memory_layout"
	};
	for (unsigned s = 0; s < RESOURCES; s++) {
		struct resource resource;
		uint64_t texture = 0, surface = 0;
		char prefix[48];
		const struct sampler sampler = {.normalized = s & 1, .filter = s & 2,
						.address = s % 4};
		CUresult status = resource_create(&resource, &shapes[s], &formats[7], 4,
						  shapes[s].place == ON_ARRAY ?
						  CUDA_ARRAY3D_SURFACE_LDST : 0);
		snprintf(prefix, sizeof(prefix), "query %s", shapes[s].name);
		if (!status)
			status = texture_create((CUtexObject *)&texture, &resource, &sampler);
		if (!status && shapes[s].place == ON_ARRAY)
			status = cuda.surface_create((CUsurfObject *)&surface,
						     &resource.descriptor);
		if (status)
			put(prefix, status, 0);
		for (unsigned i = 0; texture && i < sizeof(textures) / sizeof(textures[0]); i++)
			run_query(textures[i], texture, prefix);
		for (unsigned i = 0; surface && i < sizeof(surfaces) / sizeof(surfaces[0]); i++)
			run_query(surfaces[i], surface, prefix);
		if (texture)
			cuda.texture_destroy(texture);
		if (surface)
			cuda.surface_destroy(surface);
		resource_destroy(&resource);
	}
}

/* --- calls that are wrong ---------- */

static void try_array(const char *name, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	CUarray array = NULL;
	char whole[96];
	CUresult status = cuda.array_create(&array, descriptor);
	snprintf(whole, sizeof(whole), "array %s", name);
	put(whole, status, 0);
	if (array)
		cuda.array_destroy(array);
}

static void run_array_errors(void)
{
	static const struct { const char *name; CUDA_ARRAY3D_DESCRIPTOR is; } tries[] = {
		{"three channels", {4, 4, 0, CU_AD_FORMAT_FLOAT, 3, 0}},
		{"no channels", {4, 4, 0, CU_AD_FORMAT_FLOAT, 0, 0}},
		{"no width", {0, 4, 0, CU_AD_FORMAT_FLOAT, 4, 0}},
		{"no height in 3D", {4, 0, 4, CU_AD_FORMAT_FLOAT, 4, 0}},
		{"no layers", {4, 4, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_LAYERED}},
		{"wide 1D", {131073, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"wide 1D surface", {32769, 0, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST}},
		{"wide 2D", {131073, 1, 0, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"high 2D", {1, 65537, 0, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"deep 3D", {1, 1, 16385, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"wide 3D", {16385, 1, 1, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"many layers", {1, 1, 2049, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}},
		{"gather in 1D", {4, 0, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}},
		{"gather in 3D", {4, 4, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}},
		{"gather in layers", {4, 4, 4, CU_AD_FORMAT_FLOAT, 1,
				      CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_LAYERED}},
		{"unknown flag", {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0x8000}},
		{"unknown format", {4, 4, 0, (CUarray_format)0x7f, 1, 0}},
		{"unorm with other channels", {4, 4, 0, CU_AD_FORMAT_UNORM_INT8X4, 1, 0}},
		{"depth", {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEPTH_TEXTURE}},
		{"depth of four channels", {4, 4, 0, CU_AD_FORMAT_FLOAT, 4,
					    CUDA_ARRAY3D_DEPTH_TEXTURE}}
	};
	for (unsigned i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
		try_array(tries[i].name, &tries[i].is);
}

static void try_texture(const char *name, const struct resource *resource,
			const CUDA_TEXTURE_DESC *sampler)
{
	CUtexObject object = 0;
	char whole[96];
	CUresult status = cuda.texture_create(&object, &resource->descriptor, sampler, NULL);
	snprintf(whole, sizeof(whole), "object %s", name);
	put(whole, status, 0);
	if (object)
		cuda.texture_destroy(object);
}

static void run_object_errors(void)
{
	const CUDA_TEXTURE_DESC plain = {.flags = 0};
	CUDA_TEXTURE_DESC sampler = plain;
	struct resource resource, wrong;
	CUsurfObject surface = 0;
	put("object array", resource_create(&resource, &shapes[1], &formats[7], 4, 0), 0);
	put("object surface without its flag", cuda.surface_create(&surface, &resource.descriptor),
	    0);
	sampler.flags = 0x8000;
	try_texture("unknown flag", &resource, &sampler);
	sampler = plain;
	sampler.addressMode[0] = (CUaddress_mode)7;
	try_texture("unknown address mode", &resource, &sampler);
	sampler = plain;
	sampler.filterMode = (CUfilter_mode)7;
	try_texture("unknown filter", &resource, &sampler);
	sampler = plain;
	sampler.flags = CU_TRSF_SRGB;
	try_texture("srgb of floats", &resource, &sampler);
	wrong = resource;
	wrong.descriptor.flags = 1;
	try_texture("resource flag", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.array.hArray = NULL;
	try_texture("null array", &wrong, &plain);
	resource_destroy(&resource);
	put("object linear", resource_create(&resource, &shapes[SHAPE_LINEAR], &formats[7], 4, 0),
	    0);
	wrong = resource;
	wrong.descriptor.res.linear.devPtr += 16;
	wrong.descriptor.res.linear.sizeInBytes -= 16;
	try_texture("linear not aligned", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.linear.sizeInBytes = 0;
	try_texture("linear of no bytes", &wrong, &plain);
	wrong.descriptor.res.linear.sizeInBytes = 40;
	try_texture("linear of two texels and a half", &wrong, &plain);
	put("object surface on linear memory",
	    cuda.surface_create(&surface, &resource.descriptor), 0);
	resource_destroy(&resource);
	put("object pitch", resource_create(&resource, &shapes[SHAPE_PITCH], &formats[7], 4, 0),
	    0);
	wrong = resource;
	wrong.descriptor.res.pitch2D.pitchInBytes = 16 * 7;
	try_texture("pitch not aligned", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.pitch2D.pitchInBytes = 96;
	try_texture("pitch too small", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.pitch2D.devPtr += 32;
	wrong.descriptor.res.pitch2D.height = 4;
	try_texture("pitch memory not aligned", &wrong, &plain);
	resource_destroy(&resource);
	put("object texture 0", cuda.texture_destroy(0), 0);
	put("object surface 0", cuda.surface_destroy(0), 0);
}

/* --- what kills a context ---------- */

struct trap {
	const char *name, *kernel;
	int x, y;
	enum { ON_SURFACE, ON_TEXTURE, ON_NOTHING } on;
};

static void run_trap(const struct trap *trap)
{
	struct resource resource;
	uint64_t object = 0;
	const struct sampler sampler = {.filter = false};
	char name[96];
	CUcontext context;
	CUresult status = cuda.retain(&context, 0);
	if (!status)
		status = cuda.set_current(context);
	if (!status)
		status = prepare();
	if (!status)
		status = resource_create(&resource, &shapes[1], &formats[7], 1,
					 CUDA_ARRAY3D_SURFACE_LDST);
	if (!status && trap->on == ON_SURFACE)
		status = cuda.surface_create((CUsurfObject *)&object, &resource.descriptor);
	if (!status && trap->on == ON_TEXTURE)
		status = texture_create((CUtexObject *)&object, &resource, &sampler);
	memset(coordinates, 0, sizeof(coordinates));
	memset(values, 0, sizeof(values));
	coordinates[0][0] = (uint32_t)trap->x;
	coordinates[0][1] = (uint32_t)trap->y;
	if (status)
		fprintf(stderr, "trap %s: not prepared: %d\n", trap->name, status);
	snprintf(name, sizeof(name), "trap %s", trap->name);
	status = status ? status : launch(trap->kernel, object, 1);
	coordinates[0][0] = coordinates[0][1] = 0;
	put(name, status, 1);
	cuda.reset(0);
}

static void run_traps(void)
{
	static const struct trap traps[] = {
		{"nothing wrong", "sust_trap", 4, 2, ON_SURFACE},
		{"store left of the surface", "sust_trap", -4, 0, ON_SURFACE},
		{"store right of the surface", "sust_trap", 28, 0, ON_SURFACE},
		{"store below the surface", "sust_trap", 0, 5, ON_SURFACE},
		{"formatted store outside", "sustp_trap", 7, 0, ON_SURFACE},
		{"load outside", "suld_trap", 28, 0, ON_SURFACE},
		{"store not aligned", "sust_trap", 2, 0, ON_SURFACE},
		{"load not aligned", "suld_trap", 2, 0, ON_SURFACE},
		{"two words of one-word texels", "suld_2d_v2b32_zero", 8, 0, ON_SURFACE},
		{"texture as surface", "suld_trap", 4, 2, ON_TEXTURE},
		{"surface as texture", "tex_2d_s32", 4, 2, ON_SURFACE},
		{"no object as texture", "tex_2d_s32", 4, 2, ON_NOTHING},
		{"no object as surface", "sust_trap", 4, 2, ON_NOTHING},
		{"2D texture in 1D", "tex_1d_s32", 4, 2, ON_TEXTURE},
		{"2D texture in 3D", "tex_3d_s32", 4, 2, ON_TEXTURE},
		{"2D surface in 1D", "suld_1d_b32_zero", 4, 2, ON_SURFACE}
	};
	for (unsigned i = 0; i < sizeof(traps) / sizeof(traps[0]); i++)
		run_trap(&traps[i]);
}

bool texture_run(const char *driver_path, FILE *file, bool traps)
{
	results = file;
	state = 1;
	if (!driver_open(driver_path) || prepare())
		return false;
	run_attributes();
	run_array_errors();
	run_object_errors();
	run_queries();
	run_ramps();
	for (unsigned s = 0; s < RESOURCES; s++)
		run_formats(&shapes[s], 4);
	run_formats(&shapes[1], 1);
	run_formats(&shapes[1], 2);
	run_variants();
	run_wild();
	run_surfaces();
	if (traps)
		run_traps();
	return !ferror(file);
}
