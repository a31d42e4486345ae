/* Images created from EGL images (cl_khr_egl_image).
 *
 * As with objects of OpenGL (gl_object.h), such an image has memory of its own, which acquires and releases copy.  CUDA
 * needs no OpenGL context for that. */
#ifndef CULVERT_ICD_EGL_OBJECT_H
#define CULVERT_ICD_EGL_OBJECT_H

#include "icd/memory/mem.h"

/* Creates a 2D image.  display and image: EGL's.  Returns the errors that the specification lists for
 * clCreateFromEGLImageKHR.  Thread-safe. */
cl_int ocl_egl_create_image(cl_context context, cl_mem_flags flags, void *display, void *image, cl_mem *mem_out);

#endif
