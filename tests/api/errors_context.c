/* Contexts (OpenCL 3.0 API, 4.4). */
#include "config.h"

#include "tests/api/errors.h"

static void CL_CALLBACK notify(const char *text, const void *data, size_t size, void *user)
{
	(void)text;
	(void)data;
	(void)size;
	(void)user;
}

static cl_context create(const cl_context_properties *properties)
{
	return clCreateContext(properties, 1, &world.device, NULL, NULL, &error_code);
}

static cl_context create_from(const cl_context_properties *properties)
{
	return clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &error_code);
}

static void properties(void)
{
	const cl_context_properties platform = (cl_context_properties)world.platform;
	const cl_context_properties wrong_platform[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)world.wrong_platform, 0,
	};
	const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, platform, 0x7777, 1, 0};
	const cl_context_properties bad_value[] = {
		CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_INTEROP_USER_SYNC, 7, 0,
	};
	const cl_context_properties twice[] = {
		CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE,
		CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0,
	};
	ERROR_OBJECT(clCreateContext, CL_INVALID_PLATFORM, 2, create(wrong_platform));
	ERROR_OBJECT(clCreateContext, CL_INVALID_PROPERTY, 1, create(unknown));
	ERROR_OBJECT(clCreateContext, CL_INVALID_PROPERTY, 2, create(bad_value));
	ERROR_OBJECT(clCreateContext, CL_INVALID_PROPERTY, 3, create(twice));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_PLATFORM, 2,
		     create_from(wrong_platform));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, 1, create_from(unknown));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, 2, create_from(bad_value));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, 3, create_from(twice));
}

static void devices(void)
{
	const cl_context_properties platform[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)world.platform, 0,
	};
	const cl_device_id list[] = {world.device, world.wrong_device};
	ERROR_OBJECT(clCreateContext, CL_INVALID_DEVICE, 1,
		     clCreateContext(NULL, 2, list, notify, NULL, &error_code));
	ERROR_OBJECT(clCreateContext, CL_INVALID_VALUE, 1,
		     clCreateContext(platform, 1, NULL, notify, NULL, &error_code));
	ERROR_OBJECT(clCreateContext, CL_INVALID_VALUE, 2,
		     clCreateContext(platform, 0, list, notify, NULL, &error_code));
	ERROR_OBJECT(clCreateContext, CL_INVALID_VALUE, 3,
		     clCreateContext(NULL, 1, list, NULL, error_bytes, &error_code));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_VALUE, 1,
		     clCreateContextFromType(platform, CL_DEVICE_TYPE_GPU, NULL, error_bytes,
					     &error_code));
	ERROR_OBJECT(clCreateContextFromType, CL_INVALID_DEVICE_TYPE, 1,
		     clCreateContextFromType(platform, 1u << 20, NULL, NULL, &error_code));
	ERROR_OBJECT(clCreateContextFromType, CL_DEVICE_NOT_FOUND, 1,
		     clCreateContextFromType(platform, CL_DEVICE_TYPE_CPU, NULL, NULL,
					     &error_code));
}

static void CL_CALLBACK destroyed(cl_context context, void *user)
{
	(void)context;
	(void)user;
}

void errors_context(void)
{
	properties();
	devices();
	ERROR_CODE(clSetContextDestructorCallback, CL_INVALID_CONTEXT, 1,
		   clSetContextDestructorCallback(world.wrong_context, destroyed, NULL));
	ERROR_CODE(clSetContextDestructorCallback, CL_INVALID_VALUE, 1,
		   clSetContextDestructorCallback(world.context, NULL, NULL));
}
