/* Names itself as Khronos' loader does since 2022, by a function that ocl-icd had first.  It shows no platform, and
 * lacks OpenCL 3.0's functions, as those of before do. */
#include "config.h"

#include <CL/cl.h>
#include <string.h>

static cl_int CL_API_CALL loader_info(cl_uint name, size_t size_B, void *value, size_t *size_B_out)
{
	static const char *const values[] = {"OpenCL 3.1", "3.1.0", "Khronos OpenCL ICD Loader", "Khronos Group"};
	if (!name || name > sizeof(values) / sizeof(values[0]))
		return CL_INVALID_VALUE;
	const size_t needed_B = strlen(values[name - 1]) + 1;
	if (value && size_B < needed_B)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, values[name - 1], needed_B);
	if (size_B_out)
		*size_B_out = needed_B;
	return CL_SUCCESS;
}

#pragma GCC visibility push(default)

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	void *address = NULL;
	cl_int(CL_API_CALL * function)(cl_uint, size_t, void *, size_t *) = loader_info;
	if (!strcmp(name, "clGetICDLoaderInfoOCLICD"))
		memcpy(&address, &function, sizeof(address));
	return address;
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *count_out)
{
	(void)count;
	(void)platforms;
	if (count_out)
		*count_out = 0;
	return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size_B, void *value,
				     size_t *size_B_out)
{
	(void)platform;
	(void)name;
	(void)size_B;
	(void)value;
	(void)size_B_out;
	return CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id *devices,
				  cl_uint *count_out)
{
	(void)platform;
	(void)type;
	(void)count;
	(void)devices;
	(void)count_out;
	return CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size_B, void *value,
				   size_t *size_B_out)
{
	(void)device;
	(void)name;
	(void)size_B;
	(void)value;
	(void)size_B_out;
	return CL_INVALID_DEVICE;
}
