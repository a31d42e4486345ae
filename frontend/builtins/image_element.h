/*
 * Elements of images as bytes: how they are reached, and what they are as a color (OpenCL C 3.0,
 * 8.3).  For writing, and for reading images that are also written, where textures do not see what
 * was written.
 *
 * Bytes travel in a uint4, of which the first element_B count; loads leave zeros behind them.
 */
#ifndef CULVERT_BUILTIN_IMAGE_ELEMENT_H
#define CULVERT_BUILTIN_IMAGE_ELEMENT_H

#include "frontend/builtins/image.h"

/* -- where elements are ---------------------------------------------------------------------- */

/* Linear memory.  What is outside of the image is nowhere: see SURFACE. */
SHARED ulong linear_place(image_ptr image, int x, int y)
{
	if ((uint)x >= FIELD(image, width) || (y && (uint)y >= FIELD(image, height)))
		return 0;
	return FIELD(image, data) + (ulong)(uint)y * FIELD(image, row_pitch_B) +
	       (ulong)(uint)x * FIELD(image, element_B);
}

SHARED uint4 load_linear(image_ptr image, int x, int y)
{
	const ulong place = linear_place(image, x, y);
	if (!place)
		return 0;
	switch (FIELD(image, element_B)) {
	case 1:
		return (uint4)(*(const global uchar *)place, 0, 0, 0);
	case 2:
		return (uint4)(*(const global ushort *)place, 0, 0, 0);
	case 4:
		return (uint4)(*(const global uint *)place, 0, 0, 0);
	case 8:
		return (uint4)(*(const global uint2 *)place, 0, 0);
	default:
		return *(const global uint4 *)place;
	}
}

SHARED void store_linear(image_ptr image, int x, int y, uint4 e)
{
	const ulong place = linear_place(image, x, y);
	if (!place)
		return;
	switch (FIELD(image, element_B)) {
	case 1:
		*(global uchar *)place = (uchar)e.x;
		break;
	case 2:
		*(global ushort *)place = (ushort)e.x;
		break;
	case 4:
		*(global uint *)place = e.x;
		break;
	case 8:
		*(global uint2 *)place = e.xy;
		break;
	default:
		*(global uint4 *)place = e;
		break;
	}
}

SHARED uint4 load_1d_buffer(image_ptr image, int c)
{
	return load_linear(image, c, 0);
}

SHARED void store_1d_buffer(image_ptr image, int c, uint4 e)
{
	store_linear(image, c, 0, e);
}

/*
 * Surfaces.  Coordinates outside of the image are undefined in OpenCL; here .zero reads zeros and
 * writes nothing, and what a layer outside would be is not left to the hardware.  A 1D image is a
 * row of a 2D surface.
 */
#define LOAD_SURFACE(geometry, places, form, registers, ...) \
	__asm__ __volatile__("suld.b." geometry form ".zero {" registers "}, [%[surface], {" places \
			     "}];" \
			     : __VA_ARGS__ \
			     : [surface] "l"(surface), [x] "r"(x_B), [y] "r"(y), [z] "r"(z) \
			     : "memory")
#define STORE_SURFACE(geometry, places, form, registers, ...) \
	__asm__ __volatile__("sust.b." geometry form ".zero [%[surface], {" places "}], {" registers \
			     "};" \
			     : \
			     : [surface] "l"(surface), [x] "r"(x_B), [y] "r"(y), [z] "r"(z), \
			       __VA_ARGS__ \
			     : "memory")
#define SURFACE(shape, geometry, places, C, X, Y, Z, is_array, may_be_linear) \
	SHARED uint4 load_##shape(image_ptr image, ulong surface, C c) \
	{ \
		const int x_B = (X) * (int)FIELD(image, element_B), y = Y, z = Z; \
		uint a, b, p, q; \
		ushort s; \
		if (is_array && (uint)z >= FIELD(image, array_size)) \
			return 0; \
		if (may_be_linear && FIELD(image, data)) \
			return load_linear(image, X, y); \
		switch (FIELD(image, element_B)) { \
		case 1: \
			LOAD_SURFACE(geometry, places, ".b8", "%0", "=h"(s)); \
			return (uint4)(s & 0xFF, 0, 0, 0); \
		case 2: \
			LOAD_SURFACE(geometry, places, ".b16", "%0", "=h"(s)); \
			return (uint4)(s, 0, 0, 0); \
		case 4: \
			LOAD_SURFACE(geometry, places, ".b32", "%0", "=r"(a)); \
			return (uint4)(a, 0, 0, 0); \
		case 8: \
			LOAD_SURFACE(geometry, places, ".v2.b32", "%0, %1", "=r"(a), "=r"(b)); \
			return (uint4)(a, b, 0, 0); \
		default: \
			LOAD_SURFACE(geometry, places, ".v4.b32", "%0, %1, %2, %3", "=r"(a), \
				     "=r"(b), "=r"(p), "=r"(q)); \
			return (uint4)(a, b, p, q); \
		} \
	} \
	SHARED void store_##shape(image_ptr image, ulong surface, C c, uint4 e) \
	{ \
		const int x_B = (X) * (int)FIELD(image, element_B), y = Y, z = Z; \
		if (is_array && (uint)z >= FIELD(image, array_size)) \
			return; \
		if (may_be_linear && FIELD(image, data)) { \
			store_linear(image, X, y, e); \
			return; \
		} \
		switch (FIELD(image, element_B)) { \
		case 1: \
			STORE_SURFACE(geometry, places, ".b8", "%[a]", [a] "h"((ushort)e.x)); \
			break; \
		case 2: \
			STORE_SURFACE(geometry, places, ".b16", "%[a]", [a] "h"((ushort)e.x)); \
			break; \
		case 4: \
			STORE_SURFACE(geometry, places, ".b32", "%[a]", [a] "r"(e.x)); \
			break; \
		case 8: \
			STORE_SURFACE(geometry, places, ".v2.b32", "%[a], %[b]", [a] "r"(e.x), \
				      [b] "r"(e.y)); \
			break; \
		default: \
			STORE_SURFACE(geometry, places, ".v4.b32", "%[a], %[b], %[p], %[q]", \
				      [a] "r"(e.x), [b] "r"(e.y), [p] "r"(e.z), [q] "r"(e.w)); \
			break; \
		} \
	}
SURFACE(1d, "2d", "%[x], %[y]", int, c, 0, 0, 0, 0)
SURFACE(1d_array, "a1d", "%[z], %[x]", int2, c.x, 0, c.y, 1, 0)
SURFACE(2d, "2d", "%[x], %[y]", int2, c.x, c.y, 0, 0, 1)
SURFACE(2d_array, "a2d", "%[z], %[x], %[y], %[y]", int4, c.x, c.y, c.z, 1, 0)
SURFACE(3d, "3d", "%[x], %[y], %[z], %[z]", int4, c.x, c.y, c.z, 0, 0)

/* Level 0. */
#define LEVEL_0(shape, C) \
	SHARED uint4 load_##shape(image_ptr image, C c) \
	{ \
		return load_##shape(image, FIELD(image, surface), c); \
	} \
	SHARED void store_##shape(image_ptr image, C c, uint4 e) \
	{ \
		store_##shape(image, FIELD(image, surface), c, e); \
	}
LEVEL_0(1d, int)
LEVEL_0(1d_array, int2)
LEVEL_0(2d, int2)
LEVEL_0(2d_array, int4)
LEVEL_0(3d, int4)

/* -- what they are --------------------------------------------------------------------------- */

/* c / most, rounded to nearest: the product is off by an ulp at most, and its error known. */
SHARED float share(int c, float most, float inverse)
{
	const float real = (float)c, quotient = real * inverse;
	const float rest = __nvvm_fma_rn_f(-quotient, most, real);
	return __nvvm_fma_rn_f(rest, inverse, quotient);
}

/* 8.3.1.1: what is below -1.0 is -1.0. */
SHARED float signed_share(int c, float most, float inverse)
{
	return __nvvm_fmax_f(share(c, most, inverse), -1.0f);
}

#define EACH(f, v, ...) ((float4)(f((v).x, __VA_ARGS__), f((v).y, __VA_ARGS__), \
				  f((v).z, __VA_ARGS__), f((v).w, __VA_ARGS__)))

/*
 * 8.3.5: the sRGB curve and back.  A power is 2 to the product of its exponent and the logarithm, each within two units
 * in the last place, which 8 bits do not show: "must be within 0.5 ulp of the original sRGB value" after a read, and
 * |generated_channel_component - scaled_reference_result| <= 0.6 after a write.
 */
SHARED float srgb_power(float base, float exponent)
{
	return __nvvm_ex2_approx_ftz_f(exponent * __nvvm_lg2_approx_ftz_f(base));
}

SHARED float linear_of_srgb(float c)
{
	return c <= 0.04045f ? c * (1.0f / 12.92f) : srgb_power((c + 0.055f) * (1.0f / 1.055f), 2.4f);
}

/* A NaN stays one, and is 0 in the end. */
SHARED float srgb_of_linear(float c)
{
	return c >= 0.0031308f ?
	       __nvvm_fma_rn_f(1.055f, srgb_power(__nvvm_fmin_f(c, 1.0f), 1.0f / 2.4f), -0.055f) :
	       12.92f * c;
}

SHARED float4 linear_color(float4 c)
{
	return (float4)(linear_of_srgb(c.x), linear_of_srgb(c.y), linear_of_srgb(c.z), c.w);
}

SHARED float4 srgb_color(float4 c)
{
	return (float4)(srgb_of_linear(c.x), srgb_of_linear(c.y), srgb_of_linear(c.z), c.w);
}

SHARED float4 real_color(image_ptr image, uint4 e)
{
	switch (FIELD(image, element_type)) {
	case TYPE_SNORM_INT8:
		return EACH(signed_share, as_type(char4, e.x), 127.0f, 1.0f / 127.0f);
	case TYPE_SNORM_INT16:
		return EACH(signed_share, as_type(short4, e.xy), 32767.0f, 1.0f / 32767.0f);
	case TYPE_UNORM_INT8:
		return EACH(share, as_type(uchar4, e.x), 255.0f, 1.0f / 255.0f);
	case TYPE_UNORM_INT16:
		return EACH(share, as_type(ushort4, e.xy), 65535.0f, 1.0f / 65535.0f);
	case TYPE_UNORM_INT_101010:
		return EACH(share, (int4)(e.x & 0x3FF, e.x >> 10 & 0x3FF, e.x >> 20 & 0x3FF, 0),
			    1023.0f, 1.0f / 1023.0f);
	case TYPE_HALF_FLOAT:
		return __builtin_convertvector(as_type(half4, e.xy), float4);
	case TYPE_SRGB_INT8:
		return linear_color(EACH(share, as_type(uchar4, e.x), 255.0f, 1.0f / 255.0f));
	default:
		return as_type(float4, e);
	}
}

/* 8.3.4 */
SHARED int4 signed_color(image_ptr image, uint4 e)
{
	switch (FIELD(image, element_type)) {
	case TYPE_SIGNED_INT8:
		return __builtin_convertvector(as_type(char4, e.x), int4);
	case TYPE_SIGNED_INT16:
		return __builtin_convertvector(as_type(short4, e.xy), int4);
	default:
		return as_type(int4, e);
	}
}

SHARED uint4 unsigned_color(image_ptr image, uint4 e)
{
	switch (FIELD(image, element_type)) {
	case TYPE_UNSIGNED_INT8:
		return __builtin_convertvector(as_type(uchar4, e.x), uint4);
	case TYPE_UNSIGNED_INT16:
		return __builtin_convertvector(as_type(ushort4, e.xy), uint4);
	default:
		return e;
	}
}

SHARED int limited(int c, int least, int most)
{
	c = c > least ? c : least;
	return c < most ? c : most;
}

SHARED int4 limited(int4 c, int least, int most)
{
	return (int4)(limited(c.x, least, most), limited(c.y, least, most),
		      limited(c.z, least, most), limited(c.w, least, most));
}

/* convert_T_sat_rte(c * scale), as 8.3.1.2 has it; the conversion makes 0 of NaN. */
SHARED int4 scaled(float4 c, float scale, int least, int most)
{
	return limited((int4)(__nvvm_f2i_rn(c.x * scale), __nvvm_f2i_rn(c.y * scale),
			      __nvvm_f2i_rn(c.z * scale), __nvvm_f2i_rn(c.w * scale)),
		       least, most);
}

SHARED uint4 bytes_of_8(int4 c)
{
	return (uint4)(as_type(uint, __builtin_convertvector(c, uchar4)), 0, 0, 0);
}

SHARED uint4 bytes_of_16(int4 c)
{
	return (uint4)(as_type(uint2, __builtin_convertvector(c, ushort4)), 0, 0);
}

SHARED uint4 word_of_10(int4 c)
{
	return (uint4)((uint)(c.x | c.y << 10 | c.z << 20), 0, 0, 0);
}

SHARED uint4 element_bytes(image_ptr image, float4 c)
{
	switch (FIELD(image, element_type)) {
	case TYPE_SNORM_INT8:
		return bytes_of_8(scaled(c, 127.0f, -128, 127));
	case TYPE_SNORM_INT16:
		return bytes_of_16(scaled(c, 32767.0f, -32768, 32767));
	case TYPE_UNORM_INT8:
		return bytes_of_8(scaled(c, 255.0f, 0, 255));
	case TYPE_UNORM_INT16:
		return bytes_of_16(scaled(c, 65535.0f, 0, 65535));
	case TYPE_UNORM_INT_101010:
		return word_of_10(scaled(c, 1023.0f, 0, 1023));
	case TYPE_HALF_FLOAT:
		return (uint4)(as_type(uint2, to_half(c)), 0, 0);
	case TYPE_SRGB_INT8:
		return bytes_of_8(scaled(srgb_color(c), 255.0f, 0, 255));
	default:
		return as_type(uint4, c);
	}
}

SHARED uint at_most(uint c, uint most)
{
	return c < most ? c : most;
}

SHARED int4 at_most(uint4 c, uint most)
{
	return (int4)(at_most(c.x, most), at_most(c.y, most), at_most(c.z, most),
		      at_most(c.w, most));
}

/* The type of the image decides, not that of the color: programs write unsigned images with write_imagei and signed
 * ones with write_imageui, which 6.15.15.5 leaves undefined, and which other implementations take. */
SHARED uint4 element_bytes(image_ptr image, uint4 c)
{
	switch (FIELD(image, element_type)) {
	case TYPE_SIGNED_INT8:
		return bytes_of_8(limited(as_type(int4, c), -128, 127));
	case TYPE_SIGNED_INT16:
		return bytes_of_16(limited(as_type(int4, c), -32768, 32767));
	case TYPE_UNSIGNED_INT8:
		return bytes_of_8(at_most(c, 0xFF));
	case TYPE_UNSIGNED_INT16:
		return bytes_of_16(at_most(c, 0xFFFF));
	default:
		return c;
	}
}

SHARED uint4 element_bytes(image_ptr image, int4 c)
{
	return element_bytes(image, as_type(uint4, c));
}

#endif
