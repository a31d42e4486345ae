/*
 * Queries of images, OpenCL C 3.0, 6.15.15.6: fields of the descriptor.
 */
#include "frontend/builtins/image.h"

#define QUERY(access, type, name, field) \
	PURE int name(access type image) { return (int)FIELD(address_of(image), field); }
#define ACCESSES(M, type, ...) \
	M(read_only, type, __VA_ARGS__) M(write_only, type, __VA_ARGS__) \
	M(read_write, type, __VA_ARGS__)

#define QUERIES_OF_ALL(access, type, ...) \
	QUERY(access, type, get_image_width, width) \
	QUERY(access, type, get_image_channel_data_type, channel_type) \
	QUERY(access, type, get_image_channel_order, channel_order)
FOR_IMAGES(QUERIES_OF_ALL, read_only, )
FOR_IMAGES(QUERIES_OF_ALL, write_only, )
FOR_IMAGES(QUERIES_OF_ALL, read_write, )

ACCESSES(QUERY, image2d_t, get_image_height, height)
ACCESSES(QUERY, image2d_array_t, get_image_height, height)
ACCESSES(QUERY, image3d_t, get_image_height, height)
ACCESSES(QUERY, image2d_depth_t, get_image_height, height)
ACCESSES(QUERY, image2d_array_depth_t, get_image_height, height)
ACCESSES(QUERY, image3d_t, get_image_depth, depth)

#define DIMENSIONS(access, type, ...) \
	PURE int2 get_image_dim(access type image) \
	{ \
		const image_ptr p = address_of(image); \
		return (int2)((int)FIELD(p, width), (int)FIELD(p, height)); \
	}
ACCESSES(DIMENSIONS, image2d_t, )
ACCESSES(DIMENSIONS, image2d_array_t, )
ACCESSES(DIMENSIONS, image2d_depth_t, )
ACCESSES(DIMENSIONS, image2d_array_depth_t, )

#define DIMENSIONS_3D(access, type, ...) \
	PURE int4 get_image_dim(access type image) \
	{ \
		const image_ptr p = address_of(image); \
		return (int4)((int)FIELD(p, width), (int)FIELD(p, height), (int)FIELD(p, depth), \
			      0); \
	}
ACCESSES(DIMENSIONS_3D, image3d_t, )

#define LAYERS(access, type, ...) \
	PURE size_t get_image_array_size(access type image) \
	{ \
		return FIELD(address_of(image), array_size); \
	}
ACCESSES(LAYERS, image1d_array_t, )
ACCESSES(LAYERS, image2d_array_t, )
ACCESSES(LAYERS, image2d_array_depth_t, )
