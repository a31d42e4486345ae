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
	uint flags;
	uint num_mip_levels, num_samples;
	ulong reserved[4];
};
_Static_assert(sizeof(struct image) == 256, "as the host has it");

typedef const global struct image *image_ptr;

/* CL_R and so on: cl.h's values, which are also CLK_R and so on. */
enum channel_order {
	ORDER_R = 0x10B0, ORDER_A = 0x10B1, ORDER_RG = 0x10B2, ORDER_RA = 0x10B3,
	ORDER_RGBA = 0x10B5, ORDER_BGRA = 0x10B6, ORDER_ARGB = 0x10B7, ORDER_INTENSITY = 0x10B8,
	ORDER_LUMINANCE = 0x10B9, ORDER_DEPTH = 0x10BD, ORDER_SBGRA = 0x10C2, ORDER_ABGR = 0x10C3
};
enum channel_type {
	TYPE_SNORM_INT8 = 0x10D0, TYPE_SNORM_INT16 = 0x10D1, TYPE_UNORM_INT8 = 0x10D2,
	TYPE_UNORM_INT16 = 0x10D3, TYPE_SIGNED_INT8 = 0x10D7, TYPE_SIGNED_INT16 = 0x10D8,
	TYPE_SIGNED_INT32 = 0x10D9, TYPE_UNSIGNED_INT8 = 0x10DA, TYPE_UNSIGNED_INT16 = 0x10DB,
	TYPE_UNSIGNED_INT32 = 0x10DC, TYPE_HALF_FLOAT = 0x10DD, TYPE_FLOAT = 0x10DE
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
 * Table "Mapping image channels to color values": what an element's channels, in the order of
 * memory, are as a color, and the other way.  A missing alpha is 1 also in the border color of
 * images without alpha (6.15.15.1).
 */
#define TO_COLOR(T) \
	HELPER T##4 to_color(image_ptr image, T##4 e) \
	{ \
		const uint order = FIELD(image, channel_order); \
		if (order == ORDER_RGBA) \
			return e; \
		switch (order) { \
		case ORDER_R: \
		case ORDER_DEPTH: \
			return (T##4)(e.x, 0, 0, 1); \
		case ORDER_A: \
			return (T##4)(0, 0, 0, e.x); \
		case ORDER_RG: \
			return (T##4)(e.x, e.y, 0, 1); \
		case ORDER_RA: \
			return (T##4)(e.x, 0, 0, e.y); \
		case ORDER_INTENSITY: \
			return (T##4)(e.x, e.x, e.x, e.x); \
		case ORDER_LUMINANCE: \
			return (T##4)(e.x, e.x, e.x, 1); \
		case ORDER_BGRA: \
		case ORDER_SBGRA: \
			return e.zyxw; \
		case ORDER_ARGB: \
			return e.yzwx; \
		case ORDER_ABGR: \
			return e.wzyx; \
		default: \
			return e; \
		} \
	}
#define TO_ELEMENT(T) \
	HELPER T##4 to_element(image_ptr image, T##4 c) \
	{ \
		switch (FIELD(image, channel_order)) { \
		case ORDER_A: \
			return c.wyzx; \
		case ORDER_RA: \
			return c.xwzy; \
		case ORDER_BGRA: \
		case ORDER_SBGRA: \
			return c.zyxw; \
		case ORDER_ARGB: \
			return c.wxyz; \
		case ORDER_ABGR: \
			return c.wzyx; \
		default: \
			return c; \
		} \
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
