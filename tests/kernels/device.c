#include "config.h"

#include "tests/kernels/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_device_id device_find(const char *platform_name, unsigned index)
{
	cl_platform_id platforms[16];
	cl_uint platform_count = 0;
	if (clGetPlatformIDs(16, platforms, &platform_count))
		return NULL;
	for (cl_uint p = 0; p < platform_count && p < 16; p++) {
		char name[256] = "";
		cl_device_id devices[64];
		cl_uint count = 0;
		clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
		if (platform_name && !strstr(name, platform_name))
			continue;
		if (!clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count) &&
		    index < count)
			return devices[index];
	}
	return NULL;
}

bool device_has(cl_device_id device, const char *name)
{
	char extensions[8192] = "";
	clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions) - 1, extensions, NULL);
	size_t length = strlen(name);
	for (const char *at = extensions; (at = strstr(at, name)); at += length)
		if ((at == extensions || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	cl_name_version features[256];
	size_t size = 0;
	if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features,
			    &size))
		return false;
	for (size_t f = 0; f < size / sizeof(features[0]); f++)
		if (!strcmp(features[f].name, name))
			return true;
	return false;
}
