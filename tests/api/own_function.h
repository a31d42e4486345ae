/* Functions for loaders, which Khronos' loader keeps for itself: programs do not get clIcdGetPlatformIDsKHR and the
 * like from it. */
#ifndef CULVERT_TESTS_API_OWN_FUNCTION_H
#define CULVERT_TESTS_API_OWN_FUNCTION_H

#include <CL/cl.h>
#include <dlfcn.h>
#include <string.h>

/* From the library itself, which is loaded; NULL where it is not Culvert's, or has none of that name. */
static inline void *own_function(const char *name)
{
	void *library = dlopen("libculvert.so", RTLD_NOW | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "clGetExtensionFunctionAddress") : NULL;
	void *(CL_API_CALL *address)(const char *);
	memcpy(&address, &found, sizeof(address));
	return found ? address(name) : NULL;
}

#endif
