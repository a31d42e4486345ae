/*
 * write_image, OpenCL C 3.0, 6.15.15.5, for write_only and read_write images.
 */
#include "frontend/builtins/image_element.h"

TO_ELEMENT(float)
TO_ELEMENT(int)
TO_ELEMENT(uint)

#define WRITE(access, T, letters, type, shape, C) \
	BUILTIN void write_image##letters(access type image, C c, T##4 color) \
	{ \
		const image_ptr p = address_of(image); \
		store_##shape(p, c, element_bytes(p, to_element(p, color))); \
	}
#define WRITE_HALF(access, type, C) \
	BUILTIN void write_imageh(access type image, C c, half4 color) \
	{ \
		write_imagef(image, c, __builtin_convertvector(color, float4)); \
	}
#define WRITE_DEPTH(access, type, shape, C) \
	BUILTIN void write_imagef(access type image, C c, float depth) \
	{ \
		const image_ptr p = address_of(image); \
		store_##shape(p, c, element_bytes(p, (float4)(depth, 0, 0, 0))); \
	}

#define WRITES_OF(access, type, shape, C) \
	WRITE(access, float, f, type, shape, C) \
	WRITE(access, int, i, type, shape, C) \
	WRITE(access, uint, ui, type, shape, C) \
	WRITE_HALF(access, type, C)
#define WRITES(access) \
	WRITES_OF(access, image1d_t, 1d, int) \
	WRITES_OF(access, image1d_array_t, 1d_array, int2) \
	WRITES_OF(access, image1d_buffer_t, 1d_buffer, int) \
	WRITES_OF(access, image2d_t, 2d, int2) \
	WRITES_OF(access, image2d_array_t, 2d_array, int4) \
	WRITES_OF(access, image3d_t, 3d, int4) \
	WRITE_DEPTH(access, image2d_depth_t, 2d, int2) \
	WRITE_DEPTH(access, image2d_array_depth_t, 2d_array, int4)
WRITES(write_only)
WRITES(read_write)
