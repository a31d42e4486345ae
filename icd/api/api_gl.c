/* Sharing with OpenGL and EGL (cl_khr_gl_sharing, cl_khr_gl_event, cl_khr_egl_event, cl_khr_egl_image; OpenCL 3.1 API,
 * 5.2.2, 5.3.1, 5.7, 5.11). */
#include "config.h"

#include "backend/gpu_graphics.h"
#include "base/log.h"
#include "base/opengl_fence.h"
#include "icd/api/enqueue.h"
#include "icd/memory/egl_object.h"
#include "icd/memory/gl_context.h"
#include "icd/memory/gl_object.h"
#include "icd/object/info_rows.h"
#include "icd/object/platform.h"

#include <CL/cl_egl.h>
#include <errno.h>
#include <stdlib.h>

/* --- creation ------------------------------------------------------------------------------- */

/* CL_INVALID_CONTEXT if it "is not a valid context or was not created from an OpenGL context". */
static cl_int context_check(cl_context context)
{
	cl_int error = object_check(context, &ocl_context_type);
	return !error && !context->shares_gl ? CL_INVALID_CONTEXT : error;
}

static cl_mem mem_return(cl_int error, cl_mem mem, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : mem;
}

/* create: ocl_gl_create_buffer or ocl_gl_create_renderbuffer. */
static cl_mem from_name(cl_context context, cl_mem_flags flags, cl_GLuint name,
			cl_int (*create)(cl_context, cl_mem_flags, cl_GLuint, cl_mem *), cl_int *errcode_ret)
{
	cl_mem mem = NULL;
	cl_int error = context_check(context);
	if (!error)
		error = create(context, flags, name, &mem);
	return mem_return(error, mem, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context context, cl_mem_flags flags,
						     cl_GLuint bufobj, cl_int *errcode_ret)
{
	return from_name(context, flags, bufobj, ocl_gl_create_buffer, errcode_ret);
}

/* type: that of the texture, or CL_INVALID_VALUE; 0: any. */
static cl_mem from_texture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
			   cl_GLuint texture, cl_gl_object_type type, cl_int *errcode_ret)
{
	cl_mem mem = NULL;
	cl_int error = context_check(context);
	if (!error)
		error = ocl_gl_create_texture(context, flags, target, miplevel, texture, &mem);
	if (!error && type && mem->gl->type != type) {
		object_unref(mem);
		error = CL_INVALID_VALUE;
	}
	return mem_return(error, mem, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
						      cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
	return from_texture(context, flags, target, miplevel, texture, 0, errcode_ret);
}

/* OpenCL 1.1, 9.8.3: these two are for the targets of two dimensions, and of three. */
CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
							cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
	return from_texture(context, flags, target, miplevel, texture, CL_GL_OBJECT_TEXTURE2D, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
							cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
	return from_texture(context, flags, target, miplevel, texture, CL_GL_OBJECT_TEXTURE3D, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
							   cl_GLuint renderbuffer, cl_int *errcode_ret)
{
	return from_name(context, flags, renderbuffer, ocl_gl_create_renderbuffer, errcode_ret);
}

/* --- queries -------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
						  cl_GLuint *gl_object_name)
{
	cl_int error = object_check(memobj, &ocl_mem_type);
	if (error)
		return error;
	if (!memobj->gl || memobj->gl->egl)
		return CL_INVALID_GL_OBJECT;
	if (gl_object_type)
		*gl_object_type = memobj->gl->type;
	if (gl_object_name)
		*gl_object_name = memobj->gl->name;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name,
						   size_t param_value_size, void *param_value,
						   size_t *param_value_size_ret)
{
	cl_int error = object_check(memobj, &ocl_mem_type);
	if (error)
		return error;
	if (!memobj->gl || !memobj->gl->target)
		return CL_INVALID_GL_OBJECT;
	/* CL_INVALID_VALUE "if param_value and param_value_size_ret are NULL". */
	if (!param_value && !param_value_size_ret)
		return CL_INVALID_VALUE;
	const struct info_out whole = {param_value_size, param_value, param_value_size_ret}, *out = &whole;
	switch (param_name) {
	INFO(CL_GL_TEXTURE_TARGET, cl_GLenum, memobj->gl->target)
	INFO(CL_GL_MIPMAP_LEVEL, cl_GLint, memobj->gl->level)
	default:
		return CL_INVALID_VALUE;
	}
}

/* The devices that can share with the current OpenGL context, or those that draw for it. */
static cl_int devices_put(bool drawing, const struct info_out *out)
{
	const cl_device_id *all;
	cl_uint all_count, count = 0;
	cl_int error = ocl_platform_devices(&all, &all_count);
	if (error)
		return error;
	cl_device_id *devices = calloc(all_count ? all_count : 1, sizeof(*devices));
	if (!devices)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < all_count && !error; i++) {
		bool fits;
		error = gpu_graphics_fits(all[i]->gpu, drawing, &fits);
		if (!error && fits)
			devices[count++] = all[i];
	}
	if (drawing && count > 1)
		count = 1;
	if (!error)
		error = info_put(out, devices, count * sizeof(*devices));
	free(devices);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetGLContextInfoKHR(const cl_context_properties *properties,
						      cl_gl_context_info param_name, size_t param_value_size,
						      void *param_value, size_t *param_value_size_ret)
{
	struct ocl_gl_properties gl = {0};
	const cl_device_id *all;
	cl_uint all_count;
	size_t count;
	/* Whether the driver can share is known once it is loaded. */
	cl_int error = ocl_platform_devices(&all, &all_count);
	if (!error)
		error = ocl_context_properties_check(properties, &count, &gl);
	/* CL_INVALID_VALUE "if a property name specified in properties is invalid"; for the platform, too, because
	 * CL_INVALID_PLATFORM is not among the function's errors. */
	if (error == CL_INVALID_PROPERTY || error == CL_INVALID_PLATFORM)
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_gl_properties_check(&gl);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	switch (param_name) {
	case CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR:
		return devices_put(true, &out);
	case CL_DEVICES_FOR_GL_CONTEXT_KHR:
		return devices_put(false, &out);
	default:
		return CL_INVALID_VALUE;
	}
}

/* --- events --------------------------------------------------------------------------------- */

/* Makes the event of a fence, or of none that is pending.  failed: what opengl_fence_create or opengl_fence_link has
 * returned; invalid: the code for EINVAL. */
static cl_int event_create(cl_context context, cl_command_type type, int failed, cl_int invalid,
			   struct opengl_fence *fence, cl_event *event_out)
{
	if (failed)
		return failed == ENOMEM ? CL_OUT_OF_HOST_MEMORY : invalid;
	const cl_int error = ocl_event_create_linked(context, type, fence, event_out);
	if (error)
		opengl_fence_destroy(fence);
	return error;
}

static cl_event event_return(cl_int error, cl_event event, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return event;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync,
							     cl_int *errcode_ret)
{
	struct opengl gl;
	struct opengl_fence *fence = NULL;
	cl_event event = NULL;
	cl_int error = context_check(context);
	if (error)
		return event_return(error, NULL, errcode_ret);
	/* 5.11: CL_INVALID_GL_OBJECT if "sync is not the name of a sync object in the GL share group", which only an
	 * OpenGL context can tell. */
	const bool current = opengl_current(&gl);
	if (!current)
		log_err("clCreateEventFromGLsyncKHR: no OpenGL context is current in the calling thread");
	const int failed = current ? opengl_fence_create(&gl, sync, &fence) : EINVAL;
	error = event_create(context, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR, failed, CL_INVALID_GL_OBJECT, fence, &event);
	return event_return(error, event, errcode_ret);
}

CL_API_ENTRY cl_event CL_API_CALL clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync,
							      CLeglDisplayKHR display, cl_int *errcode_ret)
{
	struct opengl_fence *fence = NULL;
	cl_event event = NULL;
	cl_int error = context_check(context);
	if (error)
		return event_return(error, NULL, errcode_ret);
	/* 5.11: CL_INVALID_EGL_OBJECT_KHR unless it is an "object of type EGL_SYNC_FENCE_KHR created with respect to
	 * EGLDisplay display". */
	const int failed = opengl_fence_link(display, sync, &fence);
	error = event_create(context, CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR, failed, CL_INVALID_EGL_OBJECT_KHR, fence,
			     &event);
	return event_return(error, event, errcode_ret);
}

/* --- commands ------------------------------------------------------------------------------- */

/* What the commands for objects of OpenGL, and those for EGL images, differ in. */
struct sharing {
	bool egl;
	cl_int invalid;                  /* the error for an object of another kind */
	const struct ocl_command_kind *kinds[2];  /* of an acquire, and of a release */
	cl_command_type types[2];
};
static const struct sharing opengl_sharing = {
	false, CL_INVALID_GL_OBJECT, {&ocl_command_gl_acquire, &ocl_command_gl_release},
	{CL_COMMAND_ACQUIRE_GL_OBJECTS, CL_COMMAND_RELEASE_GL_OBJECTS},
};
static const struct sharing egl_sharing = {
	true, CL_INVALID_EGL_OBJECT_KHR, {&ocl_command_egl_acquire, &ocl_command_egl_release},
	{CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR, CL_COMMAND_RELEASE_EGL_OBJECTS_KHR},
};

static cl_int objects_check(const struct sharing *sharing, cl_command_queue queue, cl_uint count, const cl_mem *mems)
{
	/* CL_INVALID_VALUE for a number without a list, or a list without a number. */
	if (!count != !mems)
		return CL_INVALID_VALUE;
	if (!sharing->egl && !queue->context->shares_gl)
		return CL_INVALID_CONTEXT;
	for (cl_uint i = 0; i < count; i++) {
		cl_int error = object_check(mems[i], &ocl_mem_type);
		if (!error && mems[i]->context != queue->context)
			error = CL_INVALID_MEM_OBJECT;
		if (!error && (!mems[i]->gl || mems[i]->gl->egl != sharing->egl))
			error = sharing->invalid;
		if (error)
			return error;
	}
	return CL_SUCCESS;
}

/* Waits for the events that are linked to sync objects.  Only the commands that copy may wait for those when they are
 * submitted: a marker may be submitted under a lock. */
static void linked_wait(cl_uint count, const cl_event *events)
{
	for (cl_uint i = 0; i < count; i++)
		if (ocl_event_is_linked(events[i]))
			(void)ocl_event_wait(events[i]);
}

static cl_int enqueue(const struct sharing *sharing, cl_command_queue queue, bool release, cl_uint mem_count,
		      const cl_mem *mems, cl_uint count, const cl_event *events, cl_event *event)
{
	struct ocl_command command;
	cl_int error = object_check(queue, &ocl_queue_type);
	if (!error)
		error = objects_check(sharing, queue, mem_count, mems);
	if (!error)
		error = ocl_wait_list_check(queue->context, release ? OCL_WAIT_RELEASE : OCL_WAIT_ACQUIRE, count,
					    events);
	if (error)
		return error;
	/* 5.7: "If num_objects is 0 and mem_objects is NULL the function does nothing".  An event that was asked for
	 * has to be there: it is a marker's. */
	struct ocl_access *accesses = calloc(mem_count ? mem_count : 1, sizeof(*accesses));
	if (!accesses)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_command_init(&command, mem_count ? sharing->kinds[release] : &ocl_command_marker, queue,
			 sharing->types[release], accesses);
	for (cl_uint i = 0; i < mem_count; i++)
		ocl_command_touch(&command, mems[i], 0, mems[i]->size_B,
				  release ? OCL_ACCESS_READ : OCL_ACCESS_WRITE);
	if (!mem_count && event)
		linked_wait(count, events);
	if (mem_count && sharing->egl)
		error = ocl_queue_enqueue(&command, false, count, events, event);
	else if (mem_count || event)
		error = ocl_queue_enqueue_here(&command, count, events, event);
	free(accesses);
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
							  const cl_mem *mem_objects,
							  cl_uint num_events_in_wait_list,
							  const cl_event *event_wait_list, cl_event *event)
{
	return enqueue(&opengl_sharing, command_queue, false, num_objects, mem_objects, num_events_in_wait_list,
		       event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
							  const cl_mem *mem_objects,
							  cl_uint num_events_in_wait_list,
							  const cl_event *event_wait_list, cl_event *event)
{
	return enqueue(&opengl_sharing, command_queue, true, num_objects, mem_objects, num_events_in_wait_list,
		       event_wait_list, event);
}

/* --- EGL images ----------------------------------------------------------------------------- */

CL_API_ENTRY cl_mem CL_API_CALL clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay,
							CLeglImageKHR eglimage, cl_mem_flags flags,
							const cl_egl_image_properties_khr *properties,
							cl_int *errcode_ret)
{
	cl_mem mem = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	/* 5.3.1: CL_INVALID_OPERATION without a device that supports images; CL_INVALID_VALUE for properties: there are
	 * none. */
	if (!error && (!ocl_context_has_images(context) || !gpu_egl_is_available()))
		error = CL_INVALID_OPERATION;
	if (!error && properties && properties[0])
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_egl_create_image(context, flags, egldisplay, eglimage, &mem);
	return mem_return(error, mem, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
							      const cl_mem *mem_objects,
							      cl_uint num_events_in_wait_list,
							      const cl_event *event_wait_list, cl_event *event)
{
	return enqueue(&egl_sharing, command_queue, false, num_objects, mem_objects, num_events_in_wait_list,
		       event_wait_list, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
							      const cl_mem *mem_objects,
							      cl_uint num_events_in_wait_list,
							      const cl_event *event_wait_list, cl_event *event)
{
	return enqueue(&egl_sharing, command_queue, true, num_objects, mem_objects, num_events_in_wait_list,
		       event_wait_list, event);
}
