/* Images on the GPU: arrays, textures and surfaces, and what copies and fills them.
 *
 * An array is memory in an order of the hardware's own that only textures, surfaces
 * and copies know.  Images may also lie in linear memory, for which there are
 * textures but no surfaces.  A texture object is a way of reading: it belongs to one
 * image and one sampler state.
 *
 * A box is counted in texels: its third dimension is the depth of a 3D image or the
 * layers of an array, for 1D arrays too.
 *
 * Errors and order are those of gpu.h.  Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_IMAGE_H
#define CULVERT_BACKEND_GPU_IMAGE_H

#include "backend/gpu.h"

struct gpu_array;

enum gpu_channel { GPU_CHANNEL_UNSIGNED, GPU_CHANNEL_SIGNED, GPU_CHANNEL_FLOAT };

/* What a texel is made of. */
struct gpu_texel {
	enum gpu_channel channel;
	uint32_t channel_B;              /* 1, 2 or 4 */
	uint32_t channels;               /* 1, 2 or 4 */
	bool normalized;                 /* integers are read as fractions */
	bool srgb;                       /* ... on the curve of sRGB but the fourth */
	bool packed;                     /* one word: ten bits each from the lowest on, and two */
};

static inline uint32_t gpu_texel_B(const struct gpu_texel *texel)
{
	return texel->channel_B * texel->channels;
}

/* width x height x depth, or width x height in depth layers; 0 for a height or a depth
 * that the image does not have. */
struct gpu_extent {
	uint64_t width, height, depth;
	bool layered;
};

/* Whether arrays, linear memory, textures and surfaces take packed texels: tried once, which needs
 * the device's context.  False where it cannot be tried. */
bool gpu_device_packs_texels(struct gpu_device *device);

/* CL_MEM_OBJECT_ALLOCATION_FAILURE when there is no memory left. */
cl_int gpu_array_create(struct gpu_device *device, const struct gpu_texel *texel,
			const struct gpu_extent *extent, struct gpu_array **array_out);
/* Once every event in after[] has happened; see gpu_memory_free.  NULL is fine. */
void gpu_array_destroy(struct gpu_array *array, struct gpu_event *const *after, uint32_t count);
/* Made at the first call, lives as long as the array. */
cl_int gpu_array_surface(struct gpu_array *array, uint64_t *surface_out);

/* What a texture reads: an array, or linear memory.  height 0: 1D, without a pitch. */
struct gpu_texture_source {
	const struct gpu_array *array;   /* NULL: linear memory */
	gpu_address address;
	uint64_t width, height, row_pitch_B;
	struct gpu_texel texel;          /* may differ from the array's in how it is read */
};

/* As OpenCL means them; NONE reads zero outside. */
enum gpu_addressing {
	GPU_ADDRESSING_NONE,
	GPU_ADDRESSING_CLAMP_TO_EDGE,
	GPU_ADDRESSING_CLAMP,            /* zero outside */
	GPU_ADDRESSING_REPEAT,
	GPU_ADDRESSING_MIRRORED_REPEAT
};

struct gpu_sampler {
	enum gpu_addressing addressing;
	bool normalized, linear;
};

/* What the hardware cannot do, and OpenCL does not define, is made as something near. */
cl_int gpu_texture_create(struct gpu_device *device, const struct gpu_texture_source *source,
			  const struct gpu_sampler *sampler, uint64_t *texture_out);
/* Once every event in after[] has happened. */
void gpu_texture_destroy(struct gpu_device *device, uint64_t texture,
			 struct gpu_event *const *after, uint32_t count);

/* --- copies and fills: asynchronous, on stream; pageable memory as in gpu.h ----------- */

/* One side of a copy: exactly one of host, address and array is there. */
struct gpu_image_side {
	void *host;
	gpu_address address;
	const struct gpu_array *array;
	uint64_t origin[3];              /* of the box in an array, in texels */
	/* Of host and address, which point to the box's first texel; rect commands'
	 * rules for 0. */
	uint64_t row_pitch_B, slice_pitch_B;
};

/* region: in texels of texel_B bytes, which both sides have.  The sides may not both
 * be the host. */
cl_int gpu_image_copy(struct gpu_stream *stream, const struct gpu_image_side *to,
		      const struct gpu_image_side *from, const uint64_t region[3],
		      uint32_t texel_B);
/* The same where neither side is the host (CL_INVALID_OPERATION). */
cl_int gpu_sink_image_copy(struct gpu_sink sink, const struct gpu_image_side *to,
			   const struct gpu_image_side *from, const uint64_t region[3],
			   uint32_t texel_B);
/* All of an array into one of another device; stream belongs to either. */
cl_int gpu_array_copy_peer(struct gpu_stream *stream, const struct gpu_array *to,
			   const struct gpu_array *from);
/* texel: the bytes of one texel, read before the call returns. One operation. */
cl_int gpu_sink_array_fill(struct gpu_sink sink, struct gpu_array *array,
			   const uint64_t origin[3], const uint64_t region[3], const void *texel);

#endif
