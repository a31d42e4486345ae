/* The functions of <cudaEGL.h> that are used.  That header is not included, because it needs EGL's headers: an
 * EGLImageKHR is a pointer. */
#ifndef CULVERT_BACKEND_CUDA_EGL_H
#define CULVERT_BACKEND_CUDA_EGL_H

#include <cuda.h>

/* CUeglFrame. */
struct cuda_egl_frame {
	union {
		CUarray arrays[3];
		void *addresses[3];
	} planes;
	unsigned width, height, depth, pitch_B, plane_count, channels;
	int type;                        /* CUDA_EGL_FRAME_* */
	int color;                       /* CUDA_EGL_COLOR_* */
	CUarray_format format;
};

/* CUeglFrameType, CUeglColorFormat: named as CUDA does, by how the channels lie in a word. */
enum {
	CUDA_EGL_FRAME_ARRAY = 0,
	CUDA_EGL_COLOR_ARGB = 0x06, CUDA_EGL_COLOR_RGBA = 0x07, CUDA_EGL_COLOR_ABGR = 0x0E, CUDA_EGL_COLOR_BGRA = 0x0F,
	CUDA_EGL_COLOR_A = 0x10, CUDA_EGL_COLOR_RG = 0x11, CUDA_EGL_COLOR_Y = 0x52
};

CUresult CUDAAPI cuGraphicsEGLRegisterImage(CUgraphicsResource *resource_out, void *image, unsigned int flags);
CUresult CUDAAPI cuGraphicsResourceGetMappedEglFrame(struct cuda_egl_frame *frame_out, CUgraphicsResource resource,
						     unsigned int index, unsigned int level);

#endif
