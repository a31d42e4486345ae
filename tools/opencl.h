/* OpenCL for the tool's own use: this installation's libculvert.so, opened without a
 * loader, so that the tool speaks of Culvert and of nothing else. */
#ifndef CULVERT_TOOLS_OPENCL_H
#define CULVERT_TOOLS_OPENCL_H

#include "base/bytes.h"

#include <CL/cl_icd.h>

struct opencl {
	const cl_icd_dispatch *call;     /* call->clGetDeviceIDs(...) */
	cl_platform_id platform;
	cl_device_id *devices;           /* owned */
	cl_uint device_count;
};

/* False with the reason in why: the library or its platform is not there.  No devices are
 * no failure.  call goes through the layers of OPENCL_LAYERS. */
bool opencl_open(struct opencl *opencl, struct bytes *why);
/* Also of one that could not be opened, or is all zero. */
void opencl_close(struct opencl *opencl);

/* The device with this number; NULL, after a message: there is none. */
cl_device_id opencl_device(const struct opencl *opencl, uint64_t number);

/* Appends the path of libculvert.so, as far as there is a file: beside the tool, or
 * where `make install` puts it.  False when there is none. */
bool opencl_library(struct bytes *path);

/* Queries.  A string is "" and a number 0 where the device has no answer. */
char *opencl_device_string(const struct opencl *opencl, cl_device_id device,
			   cl_device_info name);        /* owned by the caller */
uint64_t opencl_device_number(const struct opencl *opencl, cl_device_id device,
			      cl_device_info name);     /* of 4 or 8 bytes */

/* Of the program's last build for the device, owned by the caller; NULL: there is none. */
char *opencl_build_log(const struct opencl *opencl, cl_program program, cl_device_id device);

/* "CL_INVALID_VALUE"; "error -9999" for a code without a name. */
const char *opencl_error(cl_int error);

#endif
