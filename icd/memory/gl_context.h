/* The properties by which a context is created to share objects with OpenGL (cl_khr_gl_sharing), and the devices that
 * can.
 *
 * Thread-safe: the functions only read. */
#ifndef CULVERT_ICD_GL_CONTEXT_H
#define CULVERT_ICD_GL_CONTEXT_H

#include "icd/object/device.h"

/* The values of the properties, 0 for one that was not given. */
struct ocl_gl_properties {
	cl_context_properties context, egl_display, glx_display, wgl_hdc, cgl_sharegroup;
	bool given;                      /* one of them was given, whatever its value */
};

/* Takes a property; false: it is none of these, or the CUDA driver has no functions to share with OpenGL. */
bool ocl_gl_properties_take(struct ocl_gl_properties *properties, cl_context_properties name,
			    cl_context_properties value);
/* Whether an OpenGL context or something of a window system was given. */
bool ocl_gl_properties_share(const struct ocl_gl_properties *properties);
/* Checks that they identify an OpenGL context (OpenCL 3.1 API, 4.4): CL_INVALID_OPERATION,
 * CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR. */
cl_int ocl_gl_properties_check(const struct ocl_gl_properties *properties);
/* Checks that all devices can share objects of the context.  That can only be asked for the OpenGL context that is
 * current in the calling thread; without one, it is found out when objects are created.  CL_INVALID_OPERATION. */
cl_int ocl_gl_devices_check(const cl_device_id *devices, cl_uint count);

#endif
