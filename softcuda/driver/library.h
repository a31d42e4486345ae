/* Libraries: code that belongs to no context and is loaded into each at need.  Everything wants the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_LIBRARY_H
#define CULVERT_SOFTCUDA_DRIVER_LIBRARY_H

#include "base/bytes.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

#include <stddef.h>
#include <stdint.h>

struct soft_context;
struct soft_entry;
struct soft_module;

struct library {
	CUlibrary handle;
	struct bytes image;                  /* a container */
	struct kernel *kernels;              /* one per entry, order of the source */
	uint32_t kernel_count;
	struct loaded *loaded;               /* list of modules, one per context */
};

struct kernel {
	CUkernel handle;
	struct library *library;
	char *name;                          /* owned */
};

CUresult soft_library_create_locked(CUlibrary *cu_library_out,
		const struct soft_program *program, const char *ptx,
		size_t size_B);
void soft_library_destroy_locked(struct library *library);
/* CUDA_ERROR_INVALID_HANDLE. */
CUresult soft_library_find_locked(CUlibrary cu_library, struct library **library_out);
/* The library's module in a context, which is loaded there if it is not yet: that drops the lock while it parses. */
CUresult soft_library_module_locked(struct soft_context *context, struct library *library,
		struct soft_module **module_out);
/* A CUkernel's function as loaded in context. */
CUresult soft_kernel_resolve_locked(struct soft_context *context, void *object, struct soft_entry **entry_out);

#endif
