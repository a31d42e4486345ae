/* The functions of cl_khr_gl_sharing, cl_khr_gl_event and cl_khr_egl_image that not every loader exports: Khronos' has
 * none of these six.  Here they are the platform's, as OpenCL's extension specification (2.1, "Getting OpenCL API
 * Extension Function Pointers") requires of programs. */
#ifndef CULVERT_TESTS_API_GL_EXTENSION_H
#define CULVERT_TESTS_API_GL_EXTENSION_H

#include "tests/api/api_test.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>

static inline void *gl_extension(const char *name)
{
	void *function = clGetExtensionFunctionAddressForPlatform(api_test_platform, name);
	if (!function) {
		printf("FAIL: the platform has no %s\n", name);
		exit(1);
	}
	return function;
}

/* A macro is not expanded in itself: __typeof__ takes the header's declaration. */
#define GL_EXTENSION(name) ((__typeof__(&name))gl_extension(#name))
#define clGetGLContextInfoKHR GL_EXTENSION(clGetGLContextInfoKHR)
#define clCreateEventFromGLsyncKHR GL_EXTENSION(clCreateEventFromGLsyncKHR)
#define clCreateFromEGLImageKHR GL_EXTENSION(clCreateFromEGLImageKHR)
#define clEnqueueAcquireEGLObjectsKHR GL_EXTENSION(clEnqueueAcquireEGLObjectsKHR)
#define clEnqueueReleaseEGLObjectsKHR GL_EXTENSION(clEnqueueReleaseEGLObjectsKHR)
#define clCreateEventFromEGLSyncKHR GL_EXTENSION(clCreateEventFromEGLSyncKHR)

#endif
