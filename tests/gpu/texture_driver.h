/* The calls of a CUDA driver that the corpus makes, from a library by its path. */
#ifndef CULVERT_TESTS_TEXTURE_DRIVER_H
#define CULVERT_TESTS_TEXTURE_DRIVER_H

#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

#define DRIVER_FUNCTIONS(F)                                                    \
	F(init, "cuInit", (unsigned))                                         \
	F(retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))        \
	F(reset, "cuDevicePrimaryCtxReset_v2", (CUdevice))                    \
	F(set_current, "cuCtxSetCurrent", (CUcontext))                        \
	F(synchronize, "cuCtxSynchronize", (void))                            \
	F(attribute, "cuDeviceGetAttribute", (int *, CUdevice_attribute, CUdevice)) \
	F(load, "cuModuleLoadDataEx", (CUmodule *, const void *, unsigned, CUjit_option *, \
				       void **))                              \
	F(unload, "cuModuleUnload", (CUmodule))                               \
	F(function, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *)) \
	F(take, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                     \
	F(give, "cuMemFree_v2", (CUdeviceptr))                                \
	F(write, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))      \
	F(read, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))             \
	F(copy_3d, "cuMemcpy3D_v2", (const CUDA_MEMCPY3D *))                  \
	F(array_create, "cuArray3DCreate_v2", (CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *)) \
	F(array_destroy, "cuArrayDestroy", (CUarray))                         \
	F(texture_create, "cuTexObjectCreate", (CUtexObject *, const CUDA_RESOURCE_DESC *, \
						const CUDA_TEXTURE_DESC *,    \
						const CUDA_RESOURCE_VIEW_DESC *)) \
	F(texture_destroy, "cuTexObjectDestroy", (CUtexObject))               \
	F(surface_create, "cuSurfObjectCreate", (CUsurfObject *, const CUDA_RESOURCE_DESC *)) \
	F(surface_destroy, "cuSurfObjectDestroy", (CUsurfObject))             \
	F(launch, "cuLaunchKernel", (CUfunction, unsigned, unsigned, unsigned, unsigned, \
				     unsigned, unsigned, unsigned, CUstream, void **, void **))

extern struct driver {
#define F(name, symbol, parameters) CUresult (*name) parameters;
	DRIVER_FUNCTIONS(F)
#undef F
} cuda;

/* The primary context of device 0 is current then. */
static inline bool driver_open(const char *path)
{
	CUcontext context;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
#define F(name, symbol, parameters)                                           \
	*(void **)(void *)&cuda.name = dlsym(library, symbol);                \
	if (!cuda.name) {                                                     \
		fprintf(stderr, "%s has no %s\n", path, symbol);              \
		return false;                                                 \
	}
	DRIVER_FUNCTIONS(F)
#undef F
	CUresult result = cuda.init(0);
	if (!result)
		result = cuda.retain(&context, 0);
	if (!result)
		result = cuda.set_current(context);
	if (result)
		fprintf(stderr, "%s: error %d\n", path, result);
	return !result;
}

#endif
