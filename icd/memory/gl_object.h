/* Memory objects created from OpenGL's buffers, textures and renderbuffers (cl_khr_gl_sharing).
 *
 * Such an object has memory of its own, like any other.  Acquiring it copies the contents of OpenGL's object there, and
 * releasing it copies them back (docs/decisions.md says why).  The functions that create objects use the OpenGL context
 * that is current in the calling thread, which belongs to the application.
 *
 * Thread-safe: constant after creation, except `acquired`. */
#ifndef CULVERT_ICD_GL_OBJECT_H
#define CULVERT_ICD_GL_OBJECT_H

#include "backend/gpu_graphics.h"
#include "icd/memory/mem.h"

#include <CL/cl_gl.h>

/* Also of an image that was created from an EGL image (egl_object.h). */
struct ocl_gl_object {
	/* Frees it; called when its memory object is destroyed. */
	void (*destroy)(struct ocl_gl_object *object);
	bool egl;                        /* an EGL image: the fields from type to level are 0 */
	cl_gl_object_type type;
	cl_GLuint name;
	cl_GLenum target;                /* of a texture, as it was given */
	cl_GLint level;                  /* negative: all levels */
	atomic_bool acquired;            /* the last command that ran for it was an acquire */
	uint32_t count;                  /* of GPUs of the context */
	struct gpu_graphics *graphics[]; /* owned, for each of them */
};

/* An object without any GPU's registration; NULL: out of memory. */
struct ocl_gl_object *ocl_gl_object_new(const struct _cl_context *context);

/* Create memory objects; the context shares with OpenGL.  CL_INVALID_VALUE for flags or a target; also the errors that
 * the specification lists for clCreateFromGL*. */
cl_int ocl_gl_create_buffer(cl_context context, cl_mem_flags flags, cl_GLuint name, cl_mem *mem_out);
cl_int ocl_gl_create_texture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
			     cl_GLuint name, cl_mem *mem_out);
cl_int ocl_gl_create_renderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint name, cl_mem *mem_out);

/* What gpu_graphics_copy copies; at: where the memory is on the device. */
struct gpu_graphics_side ocl_gl_side(const struct _cl_mem *mem, const struct ocl_acquired *at);

#endif
