#include "config.h"

#include "icd/context.h"
#include "icd/icd.h"
#include "icd/mem.h"
#include "icd/queue.h"

/* Doors to features that no device of ours has: pipes, SVM, device queues,
 * sharing with OpenGL and EGL.  Each checks the handles that can be
 * good and then answers what its page has for devices without the feature.  Most
 * arguments are not even looked at. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Ends a call that should have made an object. */
static void *no_object(cl_int error, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return NULL;
}

static cl_int with_context(cl_context context, cl_int error)
{
	cl_int invalid = object_check(context, &ocl_context_type);
	return invalid ? invalid : error;
}

static cl_int with_queue(cl_command_queue queue, cl_int error)
{
	cl_int invalid = object_check(queue, &ocl_queue_type);
	return invalid ? invalid : error;
}

/* --- pipes: OpenCL 3.0 API, 5.4: CL_INVALID_OPERATION without support ------------- */

CL_API_ENTRY cl_mem CL_API_CALL
clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
	     cl_uint pipe_max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	return no_object(with_context(context, CL_INVALID_OPERATION), errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
	      size_t *param_value_size_ret)
{
	return CL_INVALID_MEM_OBJECT; /* no handle is a pipe */
}

/* --- SVM: OpenCL 3.0 API, 5.6: clSVMAlloc returns NULL when no device supports it, and
 * the queue's device without support makes the rest CL_INVALID_OPERATION ------------ */

CL_API_ENTRY void * CL_API_CALL
clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	return NULL;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *svm_pointer)
{
	/* Nothing was ever allocated. */
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
		 void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *),
		 void *user_data, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
		 cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
		   const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
		   const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
		    size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
		    const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
		void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
		const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr, cl_uint num_events_in_wait_list,
		  const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
		       const void **svm_pointers, const size_t *sizes, cl_mem_migration_flags flags,
		       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
		       cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

/* --- device queues: OpenCL 3.0 API, 5.1 -------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL
clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
			       cl_command_queue command_queue)
{
	cl_int error = with_context(context, CL_SUCCESS);
	if (!error)
		error = object_check(device, &ocl_device_type);
	if (!error && ocl_context_device_index(context, device) < 0)
		error = CL_INVALID_DEVICE;
	/* OpenCL 3.0 API, 5.1: CL_INVALID_OPERATION when the device has no on-device
	 * queues, whatever the queue (the conformance tests pass NULL). */
	(void)command_queue;
	return error ? error : CL_INVALID_OPERATION;
}

/* --- cl_khr_gl_sharing: CL_INVALID_CONTEXT for a context that was not made from an
 * OpenGL one, which none is ---------------------------------------------------------- */

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj, cl_int *errcode_ret)
{
	return no_object(CL_INVALID_CONTEXT, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
		      cl_GLuint texture, cl_int *errcode_ret)
{
	return no_object(CL_INVALID_CONTEXT, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
			cl_GLuint texture, cl_int *errcode_ret)
{
	return no_object(CL_INVALID_CONTEXT, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
			cl_GLuint texture, cl_int *errcode_ret)
{
	return no_object(CL_INVALID_CONTEXT, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer,
			   cl_int *errcode_ret)
{
	return no_object(CL_INVALID_CONTEXT, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name)
{
	cl_int error = object_check(memobj, &ocl_mem_type);
	return error ? error : CL_INVALID_GL_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
		   void *param_value, size_t *param_value_size_ret)
{
	cl_int error = object_check(memobj, &ocl_mem_type);
	return error ? error : CL_INVALID_GL_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
			  const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
			  const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
			  const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
		      size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

CL_API_ENTRY cl_event CL_API_CALL
clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
	return no_object(CL_INVALID_CONTEXT, errcode_ret);
}

/* --- cl_ext_device_fission: as clCreateSubDevices, no kind of partition is supported -- */

CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext *properties,
		      cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
	cl_int error = object_check(in_device, &ocl_device_type);
	return error ? error : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device)
{
	return object_check(device, &ocl_device_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device)
{
	return object_check(device, &ocl_device_type);
}

/* --- cl_khr_egl_image, cl_khr_egl_event: no device takes EGL objects ------------------ */

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage,
			cl_mem_flags flags, const cl_egl_image_properties_khr *properties,
			cl_int *errcode_ret)
{
	return no_object(with_context(context, CL_INVALID_OPERATION), errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
			      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
			      const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
			      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
			      const cl_event *event_wait_list, cl_event *event)
{
	return with_queue(command_queue, CL_INVALID_OPERATION);
}

CL_API_ENTRY cl_event CL_API_CALL
clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
			    cl_int *errcode_ret)
{
	return no_object(with_context(context, CL_INVALID_EGL_OBJECT_KHR), errcode_ret);
}

