/* The functions of <cudaGL.h>, which is not included, because it needs OpenGL's headers.  GLuint and GLenum are
 * unsigned, CUGLDeviceList is an enumeration. */
#ifndef CULVERT_SOFTCUDA_CALLS_GRAPHICS_H
#define CULVERT_SOFTCUDA_CALLS_GRAPHICS_H

#include "softcuda/exec/cuda.h"

#pragma GCC visibility push(default)
CUresult CUDAAPI cuGLGetDevices_v2(unsigned int *count_out, CUdevice *devices_out, unsigned int capacity,
				   unsigned int list);
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource_out, unsigned int buffer,
					    unsigned int flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *resource_out, unsigned int image,
					   unsigned int target, unsigned int flags);
#pragma GCC visibility pop

#endif
