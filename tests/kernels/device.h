/* The device that kernel files run on, and what it can do. */
#ifndef CULVERT_TESTS_KERNELS_DEVICE_H
#define CULVERT_TESTS_KERNELS_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>

/* platform_name: a part of the name; NULL: any platform.  NULL: there is none. */
cl_device_id device_find(const char *platform_name, unsigned index);
/* An extension or an OpenCL C feature. */
bool device_has(cl_device_id device, const char *name);

#endif
