/* The driver that OpenCL has found, for a test that makes CUDA's calls itself. */
#ifndef CULVERT_TESTS_API_CUDA_LIBRARY_H
#define CULVERT_TESTS_API_CUDA_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>

/* NULL until a device was found. *software_out: it is softcuda; may be NULL. */
static inline void *cuda_library(bool *software_out)
{
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	if (software_out)
		*software_out = library;
	return library ? library : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
}

#endif
