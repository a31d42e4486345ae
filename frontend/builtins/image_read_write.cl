/*
 * read_image of read_write images, OpenCL C 3.0, 6.15.15.4: only without a sampler.  What the
 * work-item or, behind a barrier, its work-group wrote is seen: surfaces are coherent there.
 */
#include "frontend/builtins/image_element.h"

TO_COLOR(float)
TO_COLOR(int)
TO_COLOR(uint)

#define READ(T, letters, color, type, shape, C) \
	BUILTIN T##4 read_image##letters(read_write type image, C c) \
	{ \
		const image_ptr p = address_of(image); \
		return to_color(p, color(p, load_##shape(p, c))); \
	}
#define READ_HALF(type, C) \
	BUILTIN half4 read_imageh(read_write type image, C c) \
	{ \
		return to_half(read_imagef(image, c)); \
	}
#define READ_DEPTH(type, shape, C) \
	BUILTIN float read_imagef(read_write type image, C c) \
	{ \
		const image_ptr p = address_of(image); \
		return real_color(p, load_##shape(p, c)).x; \
	}

#define READS_OF(type, shape, C) \
	READ(float, f, real_color, type, shape, C) \
	READ(int, i, signed_color, type, shape, C) \
	READ(uint, ui, unsigned_color, type, shape, C) \
	READ_HALF(type, C)
READS_OF(image1d_t, 1d, int)
READS_OF(image1d_array_t, 1d_array, int2)
READS_OF(image1d_buffer_t, 1d_buffer, int)
READS_OF(image2d_t, 2d, int2)
READS_OF(image2d_array_t, 2d_array, int4)
READS_OF(image3d_t, 3d, int4)
READ_DEPTH(image2d_depth_t, 2d, int2)
READ_DEPTH(image2d_array_depth_t, 2d_array, int4)
