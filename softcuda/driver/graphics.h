/* Objects of OpenGL that CUDA uses: buffers, textures and renderbuffers of the context that is current in the calling
 * thread (cudaGL.h).
 *
 * What is mapped is a copy in memory of the device, which is read from OpenGL at the map and written back at the unmap,
 * both in the calling thread.  OpenGL is called without the driver's lock, because it may call the application's debug
 * callback; meanwhile the resource is busy. */
#ifndef CULVERT_SOFTCUDA_DRIVER_GRAPHICS_H
#define CULVERT_SOFTCUDA_DRIVER_GRAPHICS_H

#include "base/list.h"
#include "base/opengl.h"
#include "softcuda/exec/cuda.h"

#include <stdbool.h>
#include <stdint.h>

struct soft_allocation;
struct soft_array;
struct soft_context;

struct soft_graphics {
	struct list link;                    /* of soft_context.graphics */
	CUgraphicsResource handle;
	struct soft_context *context;        /* NULL once it is destroyed */
	unsigned refs;                       /* the handle, and calls that use it without the lock */
	unsigned name;                       /* OpenGL's */
	unsigned target;                     /* of a texture, or GL_RENDERBUFFER; 0: a buffer */
	unsigned flags;                      /* CU_GRAPHICS_MAP_RESOURCE_FLAGS_* */
	bool egl;                            /* an EGL image: it has one part from its registration on,
					      * and is never mapped */
	bool mapped, busy;
	struct soft_allocation *allocation;  /* of a mapped buffer */
	struct list parts;                   /* of soft_graphics_part.link: of a mapped image, or an EGL image */
};

/* A level of a mapped image that was asked for, or a layer or face of it. */
struct soft_graphics_part {
	struct list link;
	unsigned index, level;
	CUarray cu_array;
	struct soft_array *array;            /* a reference */
	struct opengl_image image;
	void *egl_display, *egl_image;       /* EGL's (egl_image.h); NULL: it is OpenGL's */
	unsigned egl_texture;                /* of the driver's own context with this number (egl_image.c) */
	uint64_t egl_context;
};

/* CUDA_ERROR_INVALID_HANDLE; CUDA_ERROR_ILLEGAL_STATE: another thread maps or unmaps it. */
CUresult soft_graphics_find_locked(CUgraphicsResource cu_resource, struct soft_graphics **resource_out);
/* NULL: out of memory. */
struct soft_graphics *soft_graphics_create_locked(struct soft_context *context, unsigned name,
						  unsigned target, unsigned flags);
/* Frees the copies; nothing is written back. */
void soft_graphics_empty_locked(struct soft_graphics *resource);
void soft_graphics_unref_locked(struct soft_graphics *resource);
/* The handle and the copies go. */
void soft_graphics_end_locked(struct soft_graphics *resource);
void soft_graphics_retire_context_locked(struct soft_context *context);

/* --- graphics_copy.c: calls of OpenGL, without the lock; CUDA_ERROR_INVALID_GRAPHICS_CONTEXT without a context of
 * OpenGL 4.5, CUDA_ERROR_INVALID_HANDLE when the object is gone or has changed ------------------------------------ */

/* The current context, with which objects can be copied. */
CUresult soft_graphics_context(struct opengl *gl_out);
CUresult soft_graphics_buffer_read(unsigned name, void *to, uint64_t size_B);
CUresult soft_graphics_buffer_write(unsigned name, const void *from, uint64_t size_B);
/* The part's size and format.  CUDA_ERROR_INVALID_VALUE: there is no such part. */
CUresult soft_graphics_part_describe(unsigned target, unsigned name, unsigned index, unsigned level,
				     CUDA_ARRAY3D_DESCRIPTOR *descriptor_out,
				     struct opengl_image *image_out);
/* Copy a part, whose texels at memory have the pitches of the array. */
CUresult soft_graphics_part_read(const struct soft_graphics *resource,
				 const struct soft_graphics_part *part, void *memory);
CUresult soft_graphics_part_write(const struct soft_graphics *resource,
				  const struct soft_graphics_part *part, const void *memory);

#endif
