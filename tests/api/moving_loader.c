/* Calls as ocl-icd 2.3.3 does (icd/api/loader.h): a library with the strings by which that one is known. */
#include "config.h"

#include <CL/cl.h>

#pragma GCC visibility push(default)

extern const char moving_loader_strings[];
const char moving_loader_strings[] = "OCL Icd free software\0" "2.3.3";

typedef cl_int(CL_API_CALL *set_data_function)(cl_platform_id, void *);
cl_int moving_loader_set(set_data_function set, cl_platform_id platform, void *data);

/* No call at its end, which would return past this library. */
cl_int moving_loader_set(set_data_function set, cl_platform_id platform, void *data)
{
	volatile cl_int code = set(platform, data);
	return code;
}
