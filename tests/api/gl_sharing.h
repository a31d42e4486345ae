/* What the tests of sharing with OpenGL have in common: a current OpenGL context, and an OpenCL context that was
 * created from it. */
#ifndef CULVERT_TESTS_GL_SHARING_H
#define CULVERT_TESTS_GL_SHARING_H

#include "tests/api/fixture.h"
#include "tests/api/gl_context.h"
#include "tests/api/gl_extension.h"

struct gl_sharing {
	struct gl_window window;
	struct gl gl;
	cl_context context;              /* of all devices that can share */
	cl_device_id devices[API_TEST_MOST_DEVICES];
	cl_uint device_count;
};

/* The properties that name the window's context. */
struct gl_properties {
	cl_context_properties list[7];
};
static inline struct gl_properties gl_properties_of(const struct api_test *test, const struct gl_window *window)
{
	return (struct gl_properties){{CL_CONTEXT_PLATFORM, (cl_context_properties)test->platform, CL_GL_CONTEXT_KHR,
				       (cl_context_properties)window->context,
				       window->is_glx ? CL_GLX_DISPLAY_KHR : CL_EGL_DISPLAY_KHR,
				       (cl_context_properties)window->display, 0}};
}

static inline bool gl_is_listed(cl_device_id device)
{
	char text[4096] = "";
	clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL);
	return strstr(text, "cl_khr_gl_sharing");
}

/* False: this machine cannot share, which is printed. */
static inline bool gl_sharing_start(struct gl_sharing *sharing, const struct api_test *test)
{
	cl_int code;
	size_t size_B = 0;
	memset(sharing, 0, sizeof(*sharing));
	if (!gl_is_listed(test->device)) {
		printf("skipped: the device has no cl_khr_gl_sharing\n");
		return false;
	}
	if (!gl_start(&sharing->window))
		return false;
	gl_find(&sharing->window, &sharing->gl);
	const struct gl_properties properties = gl_properties_of(test, &sharing->window);
	CHECK_OK(clGetGLContextInfoKHR(properties.list, CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof(sharing->devices),
				       sharing->devices, &size_B));
	sharing->device_count = (cl_uint)(size_B / sizeof(cl_device_id));
	if (!sharing->device_count) {
		printf("skipped: OpenGL's context is of another device\n");
		return false;
	}
	sharing->context = clCreateContext(properties.list, sharing->device_count, sharing->devices, NULL, NULL, &code);
	return CHECK_OK(code);
}

static inline void gl_sharing_end(struct gl_sharing *sharing)
{
	CHECK(sharing->gl.GetError() == 0);
	if (sharing->context)
		CHECK_OK(clReleaseContext(sharing->context));
	gl_end(&sharing->window);
}

#define gl_acquire(queue, mem) CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &(mem), 0, NULL, NULL))
#define gl_release(queue, mem) CHECK_OK(clEnqueueReleaseGLObjects(queue, 1, &(mem), 0, NULL, NULL))

#endif
