/* The functions of <cudaGL.h> and <cudaEGL.h>, which are not included, because they need OpenGL's headers.  GLuint and
 * GLenum are unsigned, CUGLDeviceList is an enumeration. */
#ifndef CULVERT_SOFTCUDA_CALLS_GRAPHICS_H
#define CULVERT_SOFTCUDA_CALLS_GRAPHICS_H

#include "softcuda/exec/cuda.h"

/* CUeglFrame of <cudaEGL.h>, which needs EGL's headers. */
struct soft_egl_frame {
	union {
		CUarray arrays[3];
		void *addresses[3];
	} planes;
	unsigned width, height, depth, pitch_B, plane_count, channels;
	int type;                            /* CUeglFrameType; 0: arrays */
	int color;                           /* CUeglColorFormat */
	CUarray_format format;
};

#pragma GCC visibility push(default)
CUresult CUDAAPI cuGraphicsEGLRegisterImage(CUgraphicsResource *resource_out, void *image, unsigned int flags);
CUresult CUDAAPI cuGraphicsResourceGetMappedEglFrame(struct soft_egl_frame *frame_out, CUgraphicsResource resource,
						     unsigned int index, unsigned int level);
CUresult CUDAAPI cuGLGetDevices_v2(unsigned int *count_out, CUdevice *devices_out, unsigned int capacity,
				   unsigned int list);
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource_out, unsigned int buffer,
					    unsigned int flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *resource_out, unsigned int image,
					   unsigned int target, unsigned int flags);
#pragma GCC visibility pop

#endif
