/* The functions of <cudaGL.h> that are used.  That header is not included, because it needs OpenGL's headers: GLuint
 * and GLenum are unsigned int, and CUGLDeviceList is an enumeration. */
#ifndef CULVERT_BACKEND_CUDA_GL_H
#define CULVERT_BACKEND_CUDA_GL_H

#include <cuda.h>

CUresult CUDAAPI cuGLGetDevices_v2(unsigned int *count_out, CUdevice *devices_out, unsigned int capacity,
				   unsigned int list);
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource_out, unsigned int buffer,
					    unsigned int flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *resource_out, unsigned int image,
					   unsigned int target, unsigned int flags);

/* CU_GL_DEVICE_LIST_ALL and CU_GL_DEVICE_LIST_CURRENT_FRAME. */
enum { CUDA_GL_DEVICES_ALL = 1, CUDA_GL_DEVICES_CURRENT = 2 };

#endif
