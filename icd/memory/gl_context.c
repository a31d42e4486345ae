#include "config.h"

#include "icd/memory/gl_context.h"

#include "backend/gpu_graphics.h"
#include "base/log.h"
#include "base/opengl.h"

#include <CL/cl_gl.h>

bool ocl_gl_properties_take(struct ocl_gl_properties *properties, cl_context_properties name,
			    cl_context_properties value)
{
	if (!gpu_graphics_is_available())
		return false;
	switch (name) {
	case CL_GL_CONTEXT_KHR:
		properties->context = value;
		break;
	case CL_EGL_DISPLAY_KHR:
		properties->egl_display = value;
		break;
	case CL_GLX_DISPLAY_KHR:
		properties->glx_display = value;
		break;
	case CL_WGL_HDC_KHR:
		properties->wgl_hdc = value;
		break;
	case CL_CGL_SHAREGROUP_KHR:
		properties->cgl_sharegroup = value;
		break;
	default:
		return false;
	}
	properties->given = true;
	return true;
}

bool ocl_gl_properties_share(const struct ocl_gl_properties *properties)
{
	return properties->context || properties->egl_display || properties->glx_display ||
	       properties->wgl_hdc || properties->cgl_sharegroup;
}

cl_int ocl_gl_properties_check(const struct ocl_gl_properties *properties)
{
	const int systems = !!properties->egl_display + !!properties->glx_display +
			    !!properties->wgl_hdc + !!properties->cgl_sharegroup;
	/* OpenCL 3.1 API, 4.4: CL_INVALID_OPERATION for more than one window system, and for one that the OpenGL
	 * implementation does not support. */
	if (systems > 1 || properties->wgl_hdc || properties->cgl_sharegroup ||
	    (properties->egl_display && !opengl_has_egl()) ||
	    (properties->glx_display && !opengl_has_glx()))
		return CL_INVALID_OPERATION;
	/* CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR when "the specified display and context properties do not identify a
	 * valid OpenGL or OpenGL ES context". */
	if (!properties->context || !systems ||
	    (properties->egl_display &&
	     !opengl_egl_knows((void *)properties->egl_display, (void *)properties->context)))
		return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
	return CL_SUCCESS;
}

cl_int ocl_gl_devices_check(const cl_device_id *devices, cl_uint count)
{
	struct opengl gl;
	bool fits = true;
	cl_int error = CL_SUCCESS;
	if (!opengl_current(&gl)) {
		log_info("no OpenGL context is current: whether the devices can share with it is not known yet");
		return CL_SUCCESS;
	}
	for (cl_uint i = 0; i < count && fits && !error; i++)
		error = gpu_graphics_fits(devices[i]->gpu, false, &fits);
	if (!error && !fits)
		log_err("the OpenGL context is drawn by another device");
	return error ? error : fits ? CL_SUCCESS : CL_INVALID_OPERATION;
}
