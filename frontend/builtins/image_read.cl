/*
 * read_image of read_only images, OpenCL C 3.0, 6.15.15.2 and 6.15.15.3: a texture instruction,
 * and its result's channels put in order.
 */
#include "frontend/builtins/image.h"

/* Reads without a sampler are reads with this one: CLK_ADDRESS_NONE | CLK_FILTER_NEAREST. */
#define PLAIN 0x10

TO_COLOR(float)
TO_COLOR(int)
TO_COLOR(uint)

/* The image's texture for a sampler. */
HELPER ulong texture_of(image_ptr image, sampler_t sampler)
{
	return fetch_field(&image->texture[state_of(bits_of(sampler))]);
}

/*
 * The middle of an element.  Integers as coordinates of tex are indices without an addressing
 * mode: they do for reads without a sampler, but with one the element's middle is read.  Sizes are
 * below 2^23, and so exact with a half.
 */
HELPER float middle_1d(int c)
{
	return (float)c + 0.5f;
}

HELPER float2 middle_1d_array(int2 c)
{
	return (float2)((float)c.x + 0.5f, (float)c.y);
}

HELPER float2 middle_2d(int2 c)
{
	return (float2)((float)c.x + 0.5f, (float)c.y + 0.5f);
}

HELPER float4 middle_2d_array(int4 c)
{
	return (float4)((float)c.x + 0.5f, (float)c.y + 0.5f, (float)c.z, 0.0f);
}

HELPER float4 middle_3d(int4 c)
{
	return (float4)((float)c.x + 0.5f, (float)c.y + 0.5f, (float)c.z + 0.5f, 0.0f);
}

/* fetch_SHAPE_TYPE(texture, image, coordinates): T and out are those of the result.  A 1D
 * image is a row of a 2D texture, and of a buffer linear memory, where a texture begins at an aligned
 * address. */
#define FETCH(shape, geometry, letters, T, type, out, C, in, places, ...) \
	HELPER T##4 fetch_##shape##_##letters(ulong texture, image_ptr image, C c) \
	{ \
		T x, y, z, w; \
		(void)image; \
		__asm__("tex." geometry ".v4." type "." in " {%0, %1, %2, %3}, [%4, {" places "}];" \
			: out(x), out(y), out(z), out(w) \
			: "l"(texture), __VA_ARGS__); \
		return (T##4)(x, y, z, w); \
	}
#define FETCHES_BY(letters, T, type, out, C, in, constraint, row) \
	FETCH(1d, "2d", letters, T, type, out, C, in, "%5, %6", constraint(c), constraint(row)) \
	FETCH(1d_array, "a1d", letters, T, type, out, C##2, in, "%5, %6", \
	      "r"(layer_of(image, c.y)), constraint(c.x)) \
	FETCH(2d, "2d", letters, T, type, out, C##2, in, "%5, %6", constraint(c.x), constraint(c.y)) \
	FETCH(2d_array, "a2d", letters, T, type, out, C##4, in, "%5, %6, %7, %7", \
	      "r"(layer_of(image, c.z)), constraint(c.x), constraint(c.y)) \
	FETCH(3d, "3d", letters, T, type, out, C##4, in, "%5, %6, %7, %7", constraint(c.x), \
	      constraint(c.y), constraint(c.z))
#define FETCHES(letters, T, type, out) \
	FETCHES_BY(letters, T, type, out, int, "s32", "r", 0) \
	FETCHES_BY(letters, T, type, out, float, "f32", "f", 0.5f) \
	FETCH(1d_buffer, "1d", letters, T, type, out, int, "s32", "%5", \
	      "r"(c + (int)FIELD(image, texture_first)))
FETCHES(f, float, "f32", "=f")
FETCHES(i, int, "s32", "=r")
FETCHES(ui, uint, "u32", "=r")

#define READ(T, letters, type, shape, C) \
	BUILTIN T##4 read_image##letters(read_only type image, sampler_t sampler, C c) \
	{ \
		const image_ptr p = address_of(image); \
		return to_color(p, fetch_##shape##_##letters(texture_of(p, sampler), p, c)); \
	}
#define READ_INDEX(T, letters, type, shape, C) \
	BUILTIN T##4 read_image##letters(read_only type image, sampler_t sampler, C c) \
	{ \
		const image_ptr p = address_of(image); \
		return to_color(p, fetch_##shape##_##letters(texture_of(p, sampler), p, \
							     middle_##shape(c))); \
	}
#define READ_PLAIN(T, letters, type, shape, C) \
	BUILTIN T##4 read_image##letters(read_only type image, C c) \
	{ \
		const sampler_t plain = PLAIN; \
		const image_ptr p = address_of(image); \
		return to_color(p, fetch_##shape##_##letters(texture_of(p, plain), p, c)); \
	}
#define READS(T, letters, type, shape, n) \
	READ_INDEX(T, letters, type, shape, int##n) \
	READ(T, letters, type, shape, float##n) \
	READ_PLAIN(T, letters, type, shape, int##n)

/* read_imageh of cl_khr_fp16: the float, rounded. */
#define READ_HALF(type, C) \
	BUILTIN half4 read_imageh(read_only type image, sampler_t sampler, C c) \
	{ \
		return to_half(read_imagef(image, sampler, c)); \
	}
#define READ_HALF_PLAIN(type, C) \
	BUILTIN half4 read_imageh(read_only type image, C c) \
	{ \
		return to_half(read_imagef(image, c)); \
	}

#define READS_OF(type, shape, n) \
	READS(float, f, type, shape, n) \
	READS(int, i, type, shape, n) \
	READS(uint, ui, type, shape, n) \
	READ_HALF(type, int##n) \
	READ_HALF(type, float##n) \
	READ_HALF_PLAIN(type, int##n)
READS_OF(image1d_t, 1d, )
READS_OF(image1d_array_t, 1d_array, 2)
READS_OF(image2d_t, 2d, 2)
READS_OF(image2d_array_t, 2d_array, 4)
READS_OF(image3d_t, 3d, 4)

READ_PLAIN(float, f, image1d_buffer_t, 1d_buffer, int)
READ_PLAIN(int, i, image1d_buffer_t, 1d_buffer, int)
READ_PLAIN(uint, ui, image1d_buffer_t, 1d_buffer, int)
READ_HALF_PLAIN(image1d_buffer_t, int)

/* A depth image has one channel, which is the result. */
#define READ_DEPTH(type, shape, C, place) \
	BUILTIN float read_imagef(read_only type image, sampler_t sampler, C c) \
	{ \
		const image_ptr p = address_of(image); \
		return fetch_##shape##_f(texture_of(p, sampler), p, place).x; \
	}
#define READ_DEPTH_PLAIN(type, shape, C) \
	BUILTIN float read_imagef(read_only type image, C c) \
	{ \
		const sampler_t plain = PLAIN; \
		const image_ptr p = address_of(image); \
		return fetch_##shape##_f(texture_of(p, plain), p, c).x; \
	}
READ_DEPTH(image2d_depth_t, 2d, int2, middle_2d(c))
READ_DEPTH(image2d_depth_t, 2d, float2, c)
READ_DEPTH_PLAIN(image2d_depth_t, 2d, int2)
READ_DEPTH(image2d_array_depth_t, 2d_array, int4, middle_2d_array(c))
READ_DEPTH(image2d_array_depth_t, 2d_array, float4, c)
READ_DEPTH_PLAIN(image2d_array_depth_t, 2d_array, int4)
