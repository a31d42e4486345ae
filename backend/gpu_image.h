/* Images on the GPU: arrays, textures and surfaces, and copies and fills of them.
 *
 * A CUDA array is memory in a layout of the hardware, which only textures, surfaces and copies can access.  Images may
 * also be in linear memory, for which there are textures but no surfaces.  A texture object reads one image with one
 * combination of sampler settings.
 *
 * Boxes are counted in texels; the third dimension is the depth of a 3D image, or the layers of an image array, also of
 * a 1D array.
 *
 * Errors and order are as in gpu.h.  Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_IMAGE_H
#define CULVERT_BACKEND_GPU_IMAGE_H

#include "backend/gpu.h"

struct gpu_array;

enum gpu_channel { GPU_CHANNEL_UNSIGNED, GPU_CHANNEL_SIGNED, GPU_CHANNEL_FLOAT };

/* How a texel is stored. */
struct gpu_texel {
	enum gpu_channel channel;
	uint32_t channel_B;              /* 1, 2 or 4 */
	uint32_t channels;               /* 1, 2 or 4 */
	bool normalized;                 /* integers are read as fractions */
	bool srgb;                       /* the first three channels are sRGB */
	bool packed;                     /* 32 bits: three channels of ten bits, from the lowest on, then one of 2 */
};

static inline uint32_t gpu_texel_B(const struct gpu_texel *texel)
{
	return texel->channel_B * texel->channels;
}

/* The size of an array in texels; a dimension that the image does not have is 0. */
struct gpu_extent {
	uint64_t width, height, depth;
	bool layered;                    /* depth is the number of layers */
	uint32_t levels;                 /* of a mipmapped array; 0: the array has one level */
};

/* The size of a level: each is half of the one before, rounded down, but at least 1. */
struct gpu_extent gpu_extent_of_level(const struct gpu_extent *extent, uint32_t level);
/* The number of texels of the first `levels` levels. */
uint64_t gpu_extent_texels(const struct gpu_extent *extent, uint32_t levels);

static inline uint32_t gpu_extent_levels(const struct gpu_extent *extent)
{
	return extent->levels ? extent->levels : 1;
}

/* Whether arrays, linear memory, textures and surfaces support packed texels.  That is tried once, and needs the
 * device's context; false if it cannot be tried. */
bool gpu_device_packs_texels(struct gpu_device *device);

/* CL_MEM_OBJECT_ALLOCATION_FAILURE when there is no memory left. */
cl_int gpu_array_create(struct gpu_device *device, const struct gpu_texel *texel,
			const struct gpu_extent *extent, struct gpu_array **array_out);
/* The memory of another API in which an image is in the GPU's own layout. */
struct gpu_foreign_image {
	int fd;                          /* an opaque file descriptor of the allocation, which stays the caller's */
	uint64_t allocation_B;           /* the size of the allocation */
	uint64_t offset_B;               /* where the image begins in it */
	bool dedicated;                  /* it was allocated for this image alone */
	bool color_attachment;           /* the other API may draw into the image */
};
/* Makes an array of such an image.  CL_INVALID_PROPERTY: the driver does not accept the memory, the layout or the
 * format; CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int gpu_array_import(struct gpu_device *device, const struct gpu_foreign_image *foreign,
			const struct gpu_texel *texel, const struct gpu_extent *extent,
			struct gpu_array **array_out);
/* Frees the array once every event in after has happened, as gpu_memory_free does.  NULL is fine. */
void gpu_array_destroy(struct gpu_array *array, struct gpu_event *const *after, uint32_t count);
/* The surface object of a level, which the first call makes; it lives as long as the array. */
cl_int gpu_array_surface(struct gpu_array *array, uint32_t level, uint64_t *surface_out);

/* What a texture reads: an array, or linear memory.  height 0: a 1D image, which has no pitch. */
struct gpu_texture_source {
	const struct gpu_array *array;   /* NULL: linear memory */
	bool all_levels;                 /* of a mipmapped array, for which coordinates are normalized; or level 0 */
	gpu_address address;
	uint64_t width, height, row_pitch_B;
	struct gpu_texel texel;          /* may differ from the array's in how texels are interpreted */
};

/* OpenCL's addressing modes.  NONE reads zero outside of the image. */
enum gpu_addressing {
	GPU_ADDRESSING_NONE,
	GPU_ADDRESSING_CLAMP_TO_EDGE,
	GPU_ADDRESSING_CLAMP,            /* reads zero outside of the image */
	GPU_ADDRESSING_REPEAT,
	GPU_ADDRESSING_MIRRORED_REPEAT
};

struct gpu_sampler {
	enum gpu_addressing addressing;
	bool normalized, linear;
	bool mip_linear;                 /* between levels */
};

/* Makes a texture object.  For combinations that the hardware does not support, and whose result OpenCL leaves
 * undefined, a similar one is used. */
cl_int gpu_texture_create(struct gpu_device *device, const struct gpu_texture_source *source,
			  const struct gpu_sampler *sampler, uint64_t *texture_out);
/* Destroys the texture object once every event in after has happened. */
void gpu_texture_destroy(struct gpu_device *device, uint64_t texture,
			 struct gpu_event *const *after, uint32_t count);

/* --- copies and fills: asynchronous; pageable memory as in gpu.h ---------------------- */

/* One side of a copy: exactly one of host, address and array is set. */
struct gpu_image_side {
	void *host;
	gpu_address address;
	const struct gpu_array *array;
	uint64_t origin[3];              /* of the box in an array, in texels */
	uint32_t level;                  /* of the array */
	/* Of host and address, which point to the box's first texel; 0 as in OpenCL's rect commands. */
	uint64_t row_pitch_B, slice_pitch_B;
};

/* Copies a box.  region: in texels, which have texel_B bytes on both sides.  At most one side is the host. */
cl_int gpu_image_copy(struct gpu_stream *stream, const struct gpu_image_side *to,
		      const struct gpu_image_side *from, const uint64_t region[3],
		      uint32_t texel_B);
/* As gpu_image_copy, for sides that are both on the device; CL_INVALID_OPERATION if one is the host. */
cl_int gpu_sink_image_copy(struct gpu_sink sink, const struct gpu_image_side *to,
			   const struct gpu_image_side *from, const uint64_t region[3],
			   uint32_t texel_B);
/* Copies a whole array, with all levels, to one of another device; stream is of either. */
cl_int gpu_array_copy_peer(struct gpu_stream *stream, const struct gpu_array *to,
			   const struct gpu_array *from);
/* How a texel is packed into a word of 2 or 4 bytes: for each channel of the array, in which bits it is.  A channel
 * without bits is read as 0.  Or how a group of 4 or 2 texels of one channel is packed: a byte for each has its highest
 * 8 bits, and one more byte has the other bits of all, those of the first texel lowest. */
struct gpu_packing {
	uint32_t word_B;                 /* of a word, or of a group; 0: no packing */
	uint8_t shift[4], bits[4];
	uint32_t group;                  /* number of texels in a group; 0: each has a word */
};

/* Converts a box, which begins at the first texel of a level of the array, between packed words in linear memory and an
 * array of four floats, as one operation: a channel of n bits is a fraction of 2^n - 1, rounded to nearest, and limited
 * to 0 to 1 when it is packed.  Or between groups and an array of unsigned shorts, which are limited to the number of
 * bits.  words: has an address.  region: in texels; the width is a multiple of the group, and the third dimension is at
 * most 65535. */
cl_int gpu_sink_array_convert(struct gpu_sink sink, struct gpu_array *array, uint32_t level,
			      const struct gpu_image_side *words, const uint64_t region[3],
			      const struct gpu_packing *packing, bool to_array);
/* Fills a box of a level as one operation.  texel: the bytes of one texel, which are read before the call returns. */
cl_int gpu_sink_array_fill(struct gpu_sink sink, struct gpu_array *array, uint32_t level,
			   const uint64_t origin[3], const uint64_t region[3], const void *texel);

#endif
