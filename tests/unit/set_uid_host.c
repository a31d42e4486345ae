/* Opens a driver, asks it for its platforms and a device, and says whether it may do more than its user: for
 * set_uid.sh.
 *
 *	set_uid_host LIBCULVERT.so */
#include "config.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

int main(int argc, char **argv)
{
	void *(CL_API_CALL *find)(const char *) = NULL;
	cl_int(CL_API_CALL *platform_ids)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
	cl_platform_id platform = NULL;
	cl_device_id device = NULL;
	cl_uint count = 0;
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *found = library ? dlsym(library, "clGetExtensionFunctionAddress") : NULL;
	memcpy(&find, &found, sizeof(found));
	found = find ? find("clIcdGetPlatformIDsKHR") : NULL;
	memcpy(&platform_ids, &found, sizeof(found));
	if (!platform_ids || platform_ids(1, &platform, &count)) {
		printf("no platform: %s\n", library ? "it has none" : dlerror());
		return 1;
	}
	/* A platform begins with its dispatch table (cl_khr_icd). */
	const cl_icd_dispatch *dispatch = *(const cl_icd_dispatch *const *)(const void *)platform;
	const cl_int code = dispatch->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	printf("%s%s\n", getauxval(AT_SECURE) ? "secure " : "", code ? "no device" : "a device");
	return 0;
}
