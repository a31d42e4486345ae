/* Images: the part of a memory object (mem.h) that only images have.
 *
 * An image's texels are in its storage: in CUDA arrays, one for each device, or, if the image was made of a buffer, in
 * the buffer's linear memory.  An image made of another image shares its storage.  Residency treats an array as one
 * piece.  Kernels use linear memory only where CUDA has textures of it; image_mirror.h explains the other images.
 *
 * Kernels access an image through its descriptor (struct abi_image), which has 256 bytes in the memory of each device
 * that uses the image, and through texture objects, one for each combination of sampler settings.  Both are made when
 * a launch first needs them (ocl_image_bind).
 *
 * Mapping an image needs host memory, the shadow: pinned memory that the first map allocates, or the application's
 * memory of CL_MEM_USE_HOST_PTR.  A map copies its box to the shadow, and an unmap copies it back; the shadow is not a
 * location of residency.
 *
 * Boxes are those of gpu_image.h: the third dimension counts the layers of image arrays.
 *
 * Thread-safe: all fields are constant, except those that `lock` guards. */
#ifndef CULVERT_ICD_IMAGE_H
#define CULVERT_ICD_IMAGE_H

#include "backend/gpu_image.h"
#include "frontend/kernel_abi.h"
#include "icd/memory/mem.h"

/* The descriptor of an image on one device; guarded by the image's lock. */
struct ocl_image_place {
	gpu_address descriptor;          /* its address; 0: not allocated yet */
	struct abi_image content;        /* what was last written to it */
	struct abi_mipmaps *levels;      /* owned: likewise, behind the descriptor of an image with several levels; or
					  * NULL */
	struct gpu_event *written;       /* owned: recorded after the last write of the descriptor or the mirror;
					  * or NULL */
	/* A stream with such a write after which no event could be recorded; or NULL. */
	struct gpu_stream *unwitnessed;
	/* Of a mirrored image; guarded by the context's mirrors. */
	struct gpu_array *mirror;        /* owned; NULL: not allocated yet */
	uint64_t mirrored;               /* the version of the storage that is in it; 0: not known */
};

struct ocl_image {
	struct lock lock;                /* guards the shadow and the places */
	cl_image_format format;
	struct gpu_texel texel;          /* a texel in an array */
	uint32_t texel_B;                /* size of a texel, or of a group, except in arrays if it is packed */
	uint32_t group;                  /* number of texels in a group that share bytes; otherwise 1 */
	struct gpu_packing packing;      /* word_B 0: arrays have the format */
	cl_mem_object_type type;
	uint64_t width, height, depth, array_size;  /* in texels and layers; 0 beyond the type's dimensions */
	uint32_t num_mip_levels;         /* as the application gave it: with 0 and 1 the image has one level */
	/* Of the application's memory or of linear memory; otherwise without padding.  The slice pitch is 0 if the
	 * type has no slices.  Of a mipmapped image they are those of level 0; its levels follow each other. */
	uint64_t row_pitch_B, slice_pitch_B;
	bool linear;                     /* the texels are in linear memory: a buffer's,
					  * or its own if they are packed */
	bool imported;                   /* that buffer is internal (image_import.h) */
	bool mirrored;                   /* kernels use copies of them in arrays (image_mirror.h) */
	bool foreign;                    /* of a mirrored image: others than commands may write the buffer */
	unsigned char *shadow;           /* NULL: not allocated yet */
	struct gpu_device *shadow_owner; /* the device with which it was pinned; NULL: it is the application's */
	bool shadow_pinned;              /* it is pinned memory, so that copies to and from it never wait */
	/* Called once when the memory object is destroyed, while it still has its storage. */
	void (*destroy)(struct _cl_mem *mem);
	uint32_t place_count;            /* the number of devices of the context */
	struct ocl_image_place places[];
};

/* The first dimension of an image with groups is counted in groups. */
struct ocl_image_box {
	uint64_t origin[3], region[3];
	uint32_t level;                  /* of a mipmapped image */
};

static inline bool ocl_image_is_mipmapped(const struct ocl_image *image)
{
	return image->num_mip_levels > 1;
}

/* The size of so many texels of a row, a multiple of the group. */
static inline uint64_t ocl_image_row_B(const struct ocl_image *image, uint64_t width)
{
	return width / image->group * image->texel_B;
}

bool ocl_context_has_images(const struct _cl_context *context);

/* The parameters of clCreateImage.  ocl_image_create checks all of them (image_check.h) and fills in the pitches of
 * desc. */
struct ocl_image_request {
	cl_context context;
	const cl_mem_properties *properties;   /* may be NULL */
	cl_mem_flags flags;
	cl_image_format format;
	cl_image_desc desc;
	void *host_pointer;
	const struct gpu_foreign_image *foreign;  /* NULL; or the image of another API that it is made of */
	cl_device_id foreign_device;              /* whose memory that is in */
};

cl_int ocl_image_create(const struct ocl_image_request *request, cl_mem *mem_out);

/* Converts a box given to clEnqueue*Image to one of gpu_image.h.  CL_INVALID_VALUE if it is empty, out of bounds, has
 * dimensions that the image does not have, or does not consist of whole groups; CL_INVALID_MIP_LEVEL.  origin has a
 * fourth number, the level, if the image is a mipmapped 3D image or 2D array. */
cl_int ocl_image_box_take(const struct _cl_mem *mem, const size_t origin[3],
			  const size_t region[3], struct ocl_image_box *box_out);
/* Checks the pitches of host memory (5.3.3), and replaces 0 by the pitch without padding.  CL_INVALID_VALUE. */
cl_int ocl_image_pitches_take(const struct _cl_mem *mem, const size_t region[3],
			      size_t *row_pitch_B, size_t *slice_pitch_B);
/* Whether the box is the whole image. */
bool ocl_image_box_is_whole(const struct _cl_mem *mem, const struct ocl_image_box *box);
/* Whether the device supports images of this type and size. */
bool ocl_image_size_fits(const cl_image_desc *desc, const struct gpu_caps *caps);
/* CL_INVALID_IMAGE_SIZE when the image is larger than the device supports. */
cl_int ocl_image_fits(const struct _cl_mem *mem, const struct _cl_device_id *device);

/* The size of the arrays of the image. */
struct ocl_texels ocl_image_texels(const struct ocl_image *image);

/* Where a level of an image without padding begins: the size of the levels before it. */
uint64_t ocl_image_level_B(const struct ocl_image *image, uint32_t level);

/* One side of a copy on a device: the image's memory there, which was acquired as at, from the texel at origin on. */
struct gpu_image_side ocl_image_side(const struct _cl_mem *mem, const struct ocl_acquired *at,
				     const uint64_t origin[3], uint32_t level);

/* As ocl_mem_map, for a box of an image. */
cl_int ocl_mem_map_image(cl_mem mem, cl_map_flags flags, const struct ocl_image_box *box,
			 struct ocl_map **map_out);

/* Gives the address of the descriptor on the device of at, with texture objects for the sampler settings in states, a
 * bit for each.  What is missing is made now; later work in at's stream can use it. */
cl_int ocl_image_bind(cl_mem mem, const struct ocl_acquired *at, uint32_t states,
		      gpu_address *descriptor_out);
/* Destroys the textures of the sampler settings in states once the witnesses' events have happened, or now. */
void ocl_image_textures_destroy(struct ocl_image_place *place, struct gpu_device *gpu, uint32_t states,
				const struct ocl_witnesses *witnesses);
/* Used by the files of images alone, with the image's lock held: order stream behind the last write of the descriptor
 * or the mirror; and note that the last operation of stream is such a write. */
cl_int ocl_image_order_locked(struct ocl_image_place *place, struct gpu_stream *stream);
cl_int ocl_image_note_locked(struct ocl_image_place *place, struct gpu_stream *stream);

#endif
