/*
 * Images and samplers, OpenCL C 3.0, 6.15.15: what the files of the image functions share.
 *
 * An image is the address of its descriptor, struct abi_image of frontend/kernel_abi.h, which no
 * kernel changes; a sampler is the bits of sampler_t.  Lowering makes both of the functions that
 * are declared here and defined nowhere.
 */
#ifndef CULVERT_BUILTIN_IMAGE_H
#define CULVERT_BUILTIN_IMAGE_H

#include "frontend/builtins/builtin.h"

struct image {
	ulong texture[20];
	ulong surface;
	ulong data;
	uint width, height, depth, array_size;
	uint row_pitch_B, slice_pitch_B;
	uint channel_type;
	uint channel_order;
	uint element_B;
	uint element_type;
	uint num_mip_levels, num_samples;
	uint texture_first, unused;
	ulong reserved[3];
};
_Static_assert(sizeof(struct image) == 256, "as the host has it");

typedef const global struct image *image_ptr;

/* cl.h's values, which are also those of get_image_channel_data_type. */
enum channel_type {
	TYPE_SNORM_INT8 = 0x10D0, TYPE_SNORM_INT16 = 0x10D1, TYPE_UNORM_INT8 = 0x10D2,
	TYPE_UNORM_INT16 = 0x10D3, TYPE_UNORM_INT_101010 = 0x10D6, TYPE_SIGNED_INT8 = 0x10D7,
	TYPE_SIGNED_INT16 = 0x10D8, TYPE_SIGNED_INT32 = 0x10D9, TYPE_UNSIGNED_INT8 = 0x10DA,
	TYPE_UNSIGNED_INT16 = 0x10DB, TYPE_UNSIGNED_INT32 = 0x10DC, TYPE_HALF_FLOAT = 0x10DD,
	TYPE_FLOAT = 0x10DE,
	/* Of element_type alone: bytes on the sRGB curve, the last of four linear. */
	TYPE_SRGB_INT8 = 0x10FF
};

/* A helper in a header, which not every file needs. */
#define SHARED HELPER __attribute__((unused))

/* M(access, image type, ...) for each of an access; the types with two names are depth images. */
#define FOR_IMAGES(M, access, ...) \
	M(access, image1d_t, __VA_ARGS__) M(access, image1d_array_t, __VA_ARGS__) \
	M(access, image1d_buffer_t, __VA_ARGS__) M(access, image2d_t, __VA_ARGS__) \
	M(access, image2d_array_t, __VA_ARGS__) M(access, image3d_t, __VA_ARGS__) \
	M(access, image2d_depth_t, __VA_ARGS__) M(access, image2d_array_depth_t, __VA_ARGS__)

#define ADDRESS_OF(access, type, ...) \
	extern __attribute__((overloadable, const)) image_ptr address_of(access type image) \
		__asm__("__culvert_image");
FOR_IMAGES(ADDRESS_OF, read_only, )
FOR_IMAGES(ADDRESS_OF, write_only, )
FOR_IMAGES(ADDRESS_OF, read_write, )
#undef ADDRESS_OF

extern __attribute__((const)) uint bits_of(sampler_t sampler) __asm__("__culvert_sampler");

/* Loads from the descriptor: it is invariant, so that what is used twice is loaded once. */
SHARED ulong fetch_field(const global ulong *field)
{
	ulong value;
	__asm__("ld.global.nc.u64 %0, [%1];" : "=l"(value) : "l"(field));
	return value;
}

SHARED uint fetch_field(const global uint *field)
{
	uint value;
	__asm__("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(field));
	return value;
}

/* The number of a sampler's state, which docs/kernel-abi.md describes. */
SHARED uint state_of(uint bits)
{
	return (bits >> 1 & 7) * 4 + (bits & 1) * 2 + (bits >> 5 & 1);
}

#define FIELD(image, name) fetch_field(&(image)->name)

/*
 * 6.15.15.1: of an array, the layer is rint(coordinate), clamped to the layers that there are.
 */
SHARED int layer_of(image_ptr image, int layer)
{
	int last = (int)FIELD(image, array_size) - 1;
	layer = layer < last ? layer : last;
	return layer > 0 ? layer : 0;
}

SHARED int layer_of(image_ptr image, float layer)
{
	return layer_of(image, __nvvm_f2i_rn(layer));
}

/*
 * 6.15.15.9: what an element's channels, in the order of memory, are as a color, and the other
 * way.  What a program does not use of a color costs nothing.  The frequent orders are one branch,
 * which all work-items take and libnvvm takes once for a loop, so that reads overlap behind it: a
 * second branch would be taken after each read.  Among the orders on either side it is chosen without
 * a branch.  A missing alpha is 1 in the border color of images without alpha too (6.15.15.1).
 */
#define ORDER_BIT(order) (1u << ((order) & 31))
enum {
	BIT_R = ORDER_BIT(0x10B0), BIT_A = ORDER_BIT(0x10B1), BIT_RG = ORDER_BIT(0x10B2),
	BIT_RA = ORDER_BIT(0x10B3), BIT_RGB = ORDER_BIT(0x10B4), BIT_RGBA = ORDER_BIT(0x10B5),
	BIT_BGRA = ORDER_BIT(0x10B6), BIT_ARGB = ORDER_BIT(0x10B7), BIT_INTENSITY = ORDER_BIT(0x10B8),
	BIT_LUMINANCE = ORDER_BIT(0x10B9), BIT_SRGBA = ORDER_BIT(0x10C1),
	BIT_SBGRA = ORDER_BIT(0x10C2), BIT_ABGR = ORDER_BIT(0x10C3)
};
#define TO_COLOR(T) \
	HELPER T##4 to_color(image_ptr image, T##4 e) \
	{ \
		const uint order = ORDER_BIT(FIELD(image, channel_order)); \
		const bool swapped = order & (BIT_BGRA | BIT_SBGRA | BIT_RGB); \
		const bool grey = order & (BIT_INTENSITY | BIT_LUMINANCE); \
		T##4 c; \
		if (order & (BIT_RGBA | BIT_SRGBA | BIT_R | BIT_RG)) \
			return (T##4)(e.x, order & BIT_R ? (T)0 : e.y, order & (BIT_R | BIT_RG) ? (T)0 : e.z, \
				      order & (BIT_R | BIT_RG) ? (T)1 : e.w); \
		c.x = order & BIT_A ? (T)0 : e.x; \
		c.x = swapped ? e.z : c.x; \
		c.x = order & BIT_ARGB ? e.y : c.x; \
		c.x = order & BIT_ABGR ? e.w : c.x; \
		c.y = order & (BIT_R | BIT_A | BIT_RA) ? (T)0 : e.y; \
		c.y = grey ? e.x : c.y; \
		c.y = order & (BIT_ARGB | BIT_ABGR) ? e.z : c.y; \
		c.z = order & (BIT_R | BIT_A | BIT_RG | BIT_RA) ? (T)0 : e.z; \
		c.z = swapped || grey ? e.x : c.z; \
		c.z = order & BIT_ARGB ? e.w : c.z; \
		c.z = order & BIT_ABGR ? e.y : c.z; \
		c.w = order & BIT_RA ? e.y : e.w; \
		c.w = order & (BIT_A | BIT_INTENSITY | BIT_ARGB | BIT_ABGR) ? e.x : c.w; \
		c.w = order & (BIT_R | BIT_RG | BIT_RGB | BIT_LUMINANCE) ? (T)1 : c.w; \
		return c; \
	}
#define TO_ELEMENT(T) \
	HELPER T##4 to_element(image_ptr image, T##4 c) \
	{ \
		const uint order = ORDER_BIT(FIELD(image, channel_order)); \
		const bool swapped = order & (BIT_BGRA | BIT_SBGRA | BIT_RGB); \
		T##4 e; \
		e.x = swapped ? c.z : c.x; \
		e.x = order & (BIT_A | BIT_ARGB | BIT_ABGR) ? c.w : e.x; \
		e.y = order & BIT_RA ? c.w : c.y; \
		e.y = order & BIT_ARGB ? c.x : e.y; \
		e.y = order & BIT_ABGR ? c.z : e.y; \
		e.z = swapped ? c.x : c.z; \
		e.z = order & (BIT_ARGB | BIT_ABGR) ? c.y : e.z; \
		e.w = order & BIT_ARGB ? c.z : c.w; \
		e.w = order & BIT_ABGR ? c.x : e.w; \
		return e; \
	}

SHARED half to_half(float x)
{
	ushort bits;
	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
	return as_type(half, bits);
}

SHARED half4 to_half(float4 x)
{
	return (half4)(to_half(x.x), to_half(x.y), to_half(x.z), to_half(x.w));
}

#endif
