/* Images: what a memory object of the image kinds is beside a buffer.
 *
 * An image's texels lie in its storage: in arrays, one for each device, or, when it was
 * made of a buffer, in the buffer's linear memory.  An image made of another shares that
 * one's storage.  Residency counts an array as one piece.
 *
 * Kernels know an image by its descriptor (struct abi_image), 256 bytes in the memory of
 * each device that uses it, and read through texture objects, one for each state of a
 * sampler.  Both are made when a launch first needs them: ocl_image_bind.
 *
 * Maps have host memory of their own, the shadow: pinned and made at the first map, or
 * what CL_MEM_USE_HOST_PTR gave.  It is no place of residency: a map copies its box there,
 * and an unmap copies it back.
 *
 * Boxes are those of gpu_image.h: the third dimension counts the layers of arrays.
 *
 * Thread-safe: all is immutable but what `lock` guards. */
#ifndef CULVERT_ICD_IMAGE_H
#define CULVERT_ICD_IMAGE_H

#include "backend/gpu_image.h"
#include "frontend/kernel_abi.h"
#include "icd/memory/mem.h"

/* An image on one device, as kernels see it; guarded by the image's lock. */
struct ocl_image_place {
	gpu_address descriptor;          /* 0: none yet */
	struct abi_image content;
	struct gpu_event *written;       /* owned: the last change of the descriptor; or NULL */
	struct gpu_stream
		*unwitnessed; /* has a change behind which no event could be recorded; or NULL */
};

struct ocl_image {
	struct lock lock;                /* guards the shadow and the places */
	cl_image_format format;
	struct gpu_texel texel;
	uint32_t texel_B;
	cl_mem_object_type type;
	uint64_t width, height, depth, array_size;  /* 0 beyond the type's dimensions */
	/* Of the memory that the application gave, or of linear memory; tight otherwise.  0
	 * for a slice that the type does not have. */
	uint64_t row_pitch_B, slice_pitch_B;
	bool linear;                     /* in the memory of a buffer */
	bool imported;                   /* ... that nobody sees (image_import.h) */
	unsigned char *shadow;           /* NULL: none yet */
	struct gpu_device *shadow_owner; /* which pinned it; NULL: the application's */
	bool shadow_pinned;              /* copies of it never wait */
	/* Called once by the memory object that ends, while its storage is still there. */
	void (*destroy)(struct _cl_mem *mem);
	uint32_t place_count;            /* the context's devices */
	struct ocl_image_place places[];
};

struct ocl_image_box {
	uint64_t origin[3], region[3];
};

bool ocl_context_has_images(const struct _cl_context *context);

/* What clCreateImage is given; all of it is checked (image_check.h).  desc's pitches are
 * filled in. */
struct ocl_image_request {
	cl_context context;
	const cl_mem_properties *properties;   /* may be NULL */
	cl_mem_flags flags;
	cl_image_format format;
	cl_image_desc desc;
	void *host_pointer;
};

cl_int ocl_image_create(const struct ocl_image_request *request, cl_mem *mem_out);

/* A box as clEnqueue*Image means it, brought into the form that is used here.  CL_INVALID_VALUE: it is none, or out of bounds. */
cl_int ocl_image_box_take(const struct _cl_mem *mem, const size_t origin[3],
			  const size_t region[3], struct ocl_image_box *box_out);
/* CL_INVALID_VALUE for pitches that do not fit (5.3.3); 0 is filled in. */
cl_int ocl_image_pitches_take(const struct _cl_mem *mem, const size_t region[3],
			      size_t *row_pitch_B, size_t *slice_pitch_B);
/* Whether the box is all of the image. */
bool ocl_image_box_is_whole(const struct _cl_mem *mem, const struct ocl_image_box *box);
/* Whether the device has images of that type and so large. */
bool ocl_image_size_fits(const cl_image_desc *desc, const struct gpu_caps *caps);
/* CL_INVALID_IMAGE_SIZE when the device has not so large images. */
cl_int ocl_image_fits(const struct _cl_mem *mem, const struct _cl_device_id *device);

/* The side of a copy that the box's first texel is at, where at was acquired. */
struct gpu_image_side ocl_image_side(const struct _cl_mem *mem, const struct ocl_acquired *at,
				     const uint64_t origin[3]);

/* The map's memory, made if need be, and its pitches: for a box at origin. */
cl_int ocl_image_shadow(cl_mem mem, const uint64_t origin[3], void **pointer_out,
			uint64_t *row_pitch_B_out, uint64_t *slice_pitch_B_out);
/* As ocl_mem_map, for a box of an image. */
cl_int ocl_mem_map_image(cl_mem mem, cl_map_flags flags, const uint64_t origin[3],
			 const uint64_t region[3], struct ocl_map **map_out);

/* Gives the descriptor's address on the device of at, with textures for the sampler
 * states (a bit each), once stream gets there.  What is missing is made now. */
cl_int ocl_image_bind(cl_mem mem, const struct ocl_acquired *at, uint32_t states,
		      gpu_address *descriptor_out);

#endif
