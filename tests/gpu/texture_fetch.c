/* Textures: each shape, format and sampler, on coordinates inside, around and far out. */
#include "config.h"

#include "tests/gpu/texture_case.h"

#include <math.h>

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

/* --- samplers ---------- */


static const char *const address_names[] = {"wrap", "clamp", "mirror", "border"};

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
		CUresult status = resource_create(&resource, &shapes[SHAPE_2D], &formats[f], 4,
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
	for (unsigned f = FORMAT_F16; f < FORMATS; f++) {
		char prefix[48];
		snprintf(prefix, sizeof(prefix), "wild 2d %sx4", formats[f].name);
		fill_texels(&formats[f], 1 << 16, true);
		CUresult status = resource_create(&resource, &shapes[SHAPE_2D], &formats[f], 4, 0);
		if (status)
			put(prefix, status, 0);
		else
			run_samplers(prefix, &resource, &formats[f]);
		resource_destroy(&resource);
	}
	for (unsigned f = 0; f < NORMALIZED_FORMATS; f++) {
		const struct format *format = &normalized_formats[f].is;
		unsigned channels = normalized_formats[f].channels;
		char prefix[48];
		snprintf(prefix, sizeof(prefix), "tex 2d %sx%u", format->name, channels);
		fill_texels(format, 1 << 16, false);
		CUresult status = resource_create(&resource, &shapes[SHAPE_2D], format, channels,
						  0);
		if (status)
			put(prefix, status, 0);
		else
			run_samplers(prefix, &resource, format);
		resource_destroy(&resource);
	}
}

void run_textures(void)
{
	for (unsigned s = 0; s < RESOURCES; s++)
		run_formats(&shapes[s], 4);
	run_formats(&shapes[SHAPE_2D], 1);
	run_formats(&shapes[SHAPE_2D], 2);
	run_variants();
	run_wild();
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

void run_ramps(void)
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
