#include "config.h"

#include "backend/gpu.h"
#include "icd/memory/context.h"
#include "icd/object/platform.h"

#include <stdlib.h>

/* The end of every call that creates a context: stores the error, and returns the context. */
static cl_context context_return(cl_int error, cl_context context, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : context;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties,
						    cl_uint num_devices,
						    const cl_device_id *devices,
						    ocl_context_notify pfn_notify, void *user_data,
						    cl_int *errcode_ret)
{
	cl_context context = NULL;
	cl_int error = CL_INVALID_VALUE;
	/* OpenCL 3.0 API, 4.4: CL_INVALID_VALUE without devices, and for user_data
	 * without pfn_notify. */
	if (devices && num_devices && (pfn_notify || !user_data))
		error = ocl_devices_check(devices, num_devices);
	if (!error)
		error = ocl_context_create(properties, devices, num_devices, pfn_notify,
					   user_data, &context);
	return context_return(error, context, errcode_ret);
}

static cl_int create_from_type(const cl_context_properties *properties, cl_device_type type,
			       ocl_context_notify notify, void *user_data, cl_context *context_out)
{
	const cl_device_id *all;
	cl_uint all_count, count = 0;
	cl_int error = ocl_device_type_check(type);
	if (!error)
		error = ocl_platform_devices(&all, &all_count);
	if (error)
		return error;
	cl_device_id *devices = calloc(all_count ? all_count : 1, sizeof(*devices));
	if (!devices)
		return CL_OUT_OF_HOST_MEMORY;
	error = CL_DEVICE_NOT_FOUND;
	for (cl_uint i = 0; i < all_count; i++) {
		if (!ocl_device_matches(all[i], type))
			continue;
		/* OpenCL 3.0 API, 4.4: CL_DEVICE_NOT_AVAILABLE when none of the devices is available. */
		error = CL_DEVICE_NOT_AVAILABLE;
		if (!gpu_device_status(all[i]->gpu))
			devices[count++] = all[i];
	}
	if (count)
		error = ocl_context_create(properties, devices, count, notify, user_data,
					   context_out);
	free(devices);
	return error;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
			ocl_context_notify pfn_notify, void *user_data, cl_int *errcode_ret)
{
	cl_context context = NULL;
	cl_int error = CL_INVALID_VALUE;
	if (pfn_notify || !user_data)
		error = create_from_type(properties, device_type, pfn_notify, user_data, &context);
	return context_return(error, context, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context context)
{
	return object_retain(context, &ocl_context_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context context)
{
	return object_release(context, &ocl_context_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info param_name,
						 size_t param_value_size, void *param_value,
						 size_t *param_value_size_ret)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_context_info(context, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
							       ocl_context_destroyed pfn_notify,
							       void *user_data)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (error)
		return error;
	/* OpenCL 3.0 API, 4.4.1: CL_INVALID_VALUE if pfn_notify is NULL. */
	if (!pfn_notify)
		return CL_INVALID_VALUE;
	return ocl_context_add_destructor(context, pfn_notify, user_data);
}
