/* Buffers, textures and renderbuffers of OpenGL, and EGL images, that a device reads and writes (cudaGL.h, and
 * cuGraphics* of the CUDA driver API).
 *
 * CUDA demands that the OpenGL context is current in the thread that calls ("CUDA C++ Programming Guide", OpenGL
 * Interoperability).  An object is mapped only within gpu_graphics_copy, which copies it to or from other memory of the
 * device; its address, which may change with each map, is never kept.
 *
 * Errors are as in gpu.h, and CL_INVALID_GL_OBJECT where the driver refuses the object, or no OpenGL context is
 * current.  OpenGL may call the application's debug callback, and a map may wait for it: no lock may be held.
 * Thread-safe for different objects. */
#ifndef CULVERT_BACKEND_GPU_GRAPHICS_H
#define CULVERT_BACKEND_GPU_GRAPHICS_H

#include "backend/gpu_image.h"

struct gpu_graphics;

/* Whether the driver has all functions that are needed. */
bool gpu_graphics_is_available(void);
/* Whether the device can share objects of the OpenGL context that is current in this thread.  drawing: whether it is
 * the device that draws.  CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR: the driver cannot share with that context. */
cl_int gpu_graphics_fits(const struct gpu_device *device, bool drawing, bool *fits_out);

/* Registers OpenGL's object name with the device.  target: GL_TEXTURE_* or GL_RENDERBUFFER; 0: a buffer. */
cl_int gpu_graphics_register(struct gpu_device *device, unsigned name, unsigned target,
			     struct gpu_graphics **graphics_out);
/* Undoes it; not needed for OpenGL's own use.  NULL is fine. */
void gpu_graphics_unregister(struct gpu_graphics *graphics);

/* An object, and the memory of the device that has its contents for OpenCL. */
struct gpu_graphics_side {
	struct gpu_graphics *graphics;
	gpu_address address;             /* of a buffer, and its size */
	uint64_t size_B;
	const struct gpu_array *array;   /* of an image */
	uint64_t region[3];              /* its size in texels and layers, at least 1 each; of level 0 */
	bool layered;                    /* region[2] counts layers, each of which CUDA has as a part of its own */
	uint32_t index, level;           /* the face of a cube map; the level of detail that is the array's level 0 */
};

/* Copies the contents of count objects to memory, or back, after all that is in stream.  What OpenGL was told to do
 * before the call is done before the copy, and the copy before what it is told to do later. */
cl_int gpu_graphics_copy(struct gpu_stream *stream, const struct gpu_graphics_side *sides, uint32_t count,
			 bool to_opengl);

/* --- EGL images (cudaEGL.h), in any thread ------------------------------------------------- */

/* The order of the channels of a texel in memory. */
enum gpu_egl_order { GPU_EGL_RGBA, GPU_EGL_BGRA, GPU_EGL_ARGB, GPU_EGL_ABGR, GPU_EGL_A };

struct gpu_egl_frame {
	uint64_t width, height;
	struct gpu_texel texel;
	enum gpu_egl_order order;        /* of four channels; one or two are red and green, or one is alpha */
};

bool gpu_egl_is_available(void);
/* Registers an EGLImageKHR; gpu_graphics_unregister undoes it.  CL_INVALID_EGL_OBJECT_KHR,
 * CL_IMAGE_FORMAT_NOT_SUPPORTED. */
cl_int gpu_egl_register(struct gpu_device *device, void *image, struct gpu_egl_frame *frame_out,
			struct gpu_graphics **graphics_out);
/* As gpu_graphics_copy, but the copies are only ordered in stream. */
cl_int gpu_egl_copy(struct gpu_stream *stream, const struct gpu_graphics_side *sides, uint32_t count, bool to_egl);

#endif
