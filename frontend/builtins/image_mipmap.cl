/*
 * Levels of mipmapped images, OpenCL C 3.0, 6.15.15: reads with a level of detail or with gradients,
 * writes to a level, and the number of levels (cl_khr_mipmap_image, cl_khr_mipmap_image_writes).
 * An image with one level is read and written there.
 */
#include "frontend/builtins/image_element.h"

TO_COLOR(float)
TO_COLOR(int)
TO_COLOR(uint)
TO_ELEMENT(float)
TO_ELEMENT(int)
TO_ELEMENT(uint)

/* Behind the descriptor of an image with several levels: struct abi_mipmaps of kernel_abi.h. */
struct mipmaps {
	ulong texture[2][20];
	ulong surface[16];
};

HELPER const global struct mipmaps *mipmaps_of(image_ptr image)
{
	return (const global struct mipmaps *)(image + 1);
}

/* -- level of detail -------------------------------------------------------------------------- */

/* Bits of a sampler: enum abi_sampler of kernel_abi.h. */
#define MIP_LINEAR(bits) ((bits) >> 6 & 1)
#define LOD_MIN(bits) ((float)((bits) >> 8 & 0xFFF) * (1.0f / 256.0f))
#define LOD_MAX(bits) ((float)(0xFFF - ((bits) >> 20)) * (1.0f / 256.0f))

/* Limited as the sampler has it, and by the texture to the levels that there are. */
HELPER float limited_lod(sampler_t sampler, float lod)
{
	const uint bits = bits_of(sampler);
	return __nvvm_fmin_f(__nvvm_fmax_f(lod, LOD_MIN(bits)), LOD_MAX(bits));
}

/*
 * OpenGL 4.6, 8.14.1, to which the specification refers: the binary logarithm of the longer gradient,
 * in elements of level 0.  The arguments are squares of lengths.
 */
HELPER float lod_of_squares(float x, float y)
{
	return 0.5f * __nvvm_lg2_approx_ftz_f(__nvvm_fmax_f(x, y));
}

HELPER float square_1d(image_ptr image, float g)
{
	const float x = g * (float)FIELD(image, width);
	return x * x;
}

HELPER float square_2d(image_ptr image, float2 g)
{
	const float x = g.x * (float)FIELD(image, width), y = g.y * (float)FIELD(image, height);
	return x * x + y * y;
}

HELPER float square_3d(image_ptr image, float4 g)
{
	const float z = g.z * (float)FIELD(image, depth);
	return square_2d(image, g.xy) + z * z;
}

/* -- reads through textures ------------------------------------------------------------------- */

/* The texture of all levels; of an image with one level its only texture. */
HELPER ulong texture_of(image_ptr image, sampler_t sampler)
{
	const uint bits = bits_of(sampler), state = state_of(bits);
	const global ulong *textures = FIELD(image, num_mip_levels) > 1 ?
				       mipmaps_of(image)->texture[MIP_LINEAR(bits)] : image->texture;
	return fetch_field(&textures[state]);
}

/* fetch_SHAPE_TYPE(texture, image, coordinates, level).  A 1D image is a row of a 2D texture. */
#define FETCH(shape, geometry, letters, T, type, out, C, places, ...) \
	HELPER T##4 fetch_##shape##_##letters(ulong texture, image_ptr image, C c, float lod) \
	{ \
		T x, y, z, w; \
		(void)image; \
		__asm__("tex.level." geometry ".v4." type ".f32 {%0, %1, %2, %3}, [%4, {" places "}], " \
			"%5;" \
			: out(x), out(y), out(z), out(w) \
			: "l"(texture), "f"(lod), __VA_ARGS__); \
		return (T##4)(x, y, z, w); \
	}
#define FETCHES(letters, T, type, out) \
	FETCH(1d, "2d", letters, T, type, out, float, "%6, %7", "f"(c), "f"(0.5f)) \
	FETCH(1d_array, "a1d", letters, T, type, out, float2, "%6, %7", \
	      "r"(layer_of(image, c.y)), "f"(c.x)) \
	FETCH(2d, "2d", letters, T, type, out, float2, "%6, %7", "f"(c.x), "f"(c.y)) \
	FETCH(2d_array, "a2d", letters, T, type, out, float4, "%6, %7, %8, %8", \
	      "r"(layer_of(image, c.z)), "f"(c.x), "f"(c.y)) \
	FETCH(3d, "3d", letters, T, type, out, float4, "%6, %7, %8, %8", "f"(c.x), "f"(c.y), "f"(c.z))
FETCHES(f, float, "f32", "=f")
FETCHES(i, int, "s32", "=r")
FETCHES(ui, uint, "u32", "=r")

#define READ(T, letters, type, shape, C) \
	BUILTIN T##4 read_image##letters(read_only type image, sampler_t sampler, C c, float lod) \
	{ \
		const image_ptr p = address_of(image); \
		return to_color(p, fetch_##shape##_##letters(texture_of(p, sampler), p, c, \
							     limited_lod(sampler, lod))); \
	}
#define READ_GRADIENTS(T, letters, type, C, G, square) \
	BUILTIN T read_image##letters(read_only type image, sampler_t sampler, C c, G x, G y) \
	{ \
		const image_ptr p = address_of(image); \
		return read_image##letters(image, sampler, c, lod_of_squares(square(p, x), square(p, y))); \
	}
#define READ_HALF(type, C) \
	BUILTIN half4 read_imageh(read_only type image, sampler_t sampler, C c, float lod) \
	{ \
		return to_half(read_imagef(image, sampler, c, lod)); \
	}

#define READS_OF(type, shape, C, G, square) \
	READ(float, f, type, shape, C) \
	READ(int, i, type, shape, C) \
	READ(uint, ui, type, shape, C) \
	READ_HALF(type, C) \
	READ_GRADIENTS(float4, f, type, C, G, square) \
	READ_GRADIENTS(int4, i, type, C, G, square) \
	READ_GRADIENTS(uint4, ui, type, C, G, square) \
	READ_GRADIENTS(half4, h, type, C, G, square)
READS_OF(image1d_t, 1d, float, float, square_1d)
READS_OF(image1d_array_t, 1d_array, float2, float, square_1d)
READS_OF(image2d_t, 2d, float2, float2, square_2d)
READS_OF(image2d_array_t, 2d_array, float4, float2, square_2d)
READS_OF(image3d_t, 3d, float4, float4, square_3d)

#define READ_DEPTH(type, shape, C) \
	BUILTIN float read_imagef(read_only type image, sampler_t sampler, C c, float lod) \
	{ \
		const image_ptr p = address_of(image); \
		return fetch_##shape##_f(texture_of(p, sampler), p, c, limited_lod(sampler, lod)).x; \
	} \
	READ_GRADIENTS(float, f, type, C, float2, square_2d)
READ_DEPTH(image2d_depth_t, 2d, float2)
READ_DEPTH(image2d_array_depth_t, 2d_array, float4)

/* -- elements of a level ---------------------------------------------------------------------- */

HELPER ulong surface_of(image_ptr image, int lod)
{
	const int last = (int)FIELD(image, num_mip_levels) - 1;
	lod = lod < last ? lod : last;
	lod = lod > 0 ? lod : 0;
	return fetch_field(last ? &mipmaps_of(image)->surface[lod] : &image->surface);
}

/* Without a sampler: for OpImageRead of SPIR-V; OpenCL C has no such functions. */
#define LOAD(access, T, letters, color, type, shape, C) \
	BUILTIN T##4 read_image##letters(access type image, C c, int lod) \
	{ \
		const image_ptr p = address_of(image); \
		return to_color(p, color(p, load_##shape(p, surface_of(p, lod), c))); \
	}
#define LOADS(access, type, shape, C) \
	LOAD(access, float, f, real_color, type, shape, C) \
	LOAD(access, int, i, signed_color, type, shape, C) \
	LOAD(access, uint, ui, unsigned_color, type, shape, C) \
	BUILTIN half4 read_imageh(access type image, C c, int lod) \
	{ \
		return to_half(read_imagef(image, c, lod)); \
	}
#define STORE(access, T, letters, type, shape, C) \
	BUILTIN void write_image##letters(access type image, C c, int lod, T##4 color) \
	{ \
		const image_ptr p = address_of(image); \
		store_##shape(p, surface_of(p, lod), c, element_bytes(p, to_element(p, color))); \
	}
#define STORES(access, type, shape, C) \
	STORE(access, float, f, type, shape, C) \
	STORE(access, int, i, type, shape, C) \
	STORE(access, uint, ui, type, shape, C) \
	BUILTIN void write_imageh(access type image, C c, int lod, half4 color) \
	{ \
		write_imagef(image, c, lod, __builtin_convertvector(color, float4)); \
	}
#define STORE_DEPTH(access, type, shape, C) \
	BUILTIN void write_imagef(access type image, C c, int lod, float depth) \
	{ \
		const image_ptr p = address_of(image); \
		store_##shape(p, surface_of(p, lod), c, element_bytes(p, (float4)(depth, 0, 0, 0))); \
	}

#define SHAPES(M, access) \
	M(access, image1d_t, 1d, int) \
	M(access, image1d_array_t, 1d_array, int2) \
	M(access, image2d_t, 2d, int2) \
	M(access, image2d_array_t, 2d_array, int4) \
	M(access, image3d_t, 3d, int4)
SHAPES(LOADS, read_only)
SHAPES(LOADS, read_write)
SHAPES(STORES, write_only)
SHAPES(STORES, read_write)
STORE_DEPTH(write_only, image2d_depth_t, 2d, int2)
STORE_DEPTH(read_write, image2d_depth_t, 2d, int2)
STORE_DEPTH(write_only, image2d_array_depth_t, 2d_array, int4)
STORE_DEPTH(read_write, image2d_array_depth_t, 2d_array, int4)

/* -- the number of levels --------------------------------------------------------------------- */

#define LEVELS(access, type, ...) \
	PURE int get_image_num_mip_levels(access type image) \
	{ \
		return (int)FIELD(address_of(image), num_mip_levels); \
	}
#define LEVELS_OF(type) LEVELS(read_only, type) LEVELS(write_only, type) LEVELS(read_write, type)
LEVELS_OF(image1d_t)
LEVELS_OF(image1d_array_t)
LEVELS_OF(image2d_t)
LEVELS_OF(image2d_array_t)
LEVELS_OF(image3d_t)
LEVELS_OF(image2d_depth_t)
LEVELS_OF(image2d_array_depth_t)
