/* Modules: a program in a context, with its variables in device memory.  Everything named _locked wants the driver's
 * lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_MODULE_H
#define CULVERT_SOFTCUDA_DRIVER_MODULE_H

#include "base/bytes.h"
#include "base/list.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_allocation;
struct soft_context;

struct soft_module {
	struct list link;                    /* of soft_context.modules */
	CUmodule handle;                     /* NULL once unloaded */
	struct soft_context *context;
	struct soft_program *program;
	struct soft_entry *entries;          /* one per function, order of the source */
	uint32_t entry_count;
	struct soft_allocation **variables;  /* by index of soft_program_variables */
	uint64_t *variable_addresses;
	uint32_t variable_count;
	unsigned refs;                       /* the handle, launches in streams */
};

/* What a CUfunction stands for. */
struct soft_entry {
	struct soft_module *module;
	const struct soft_function *function;
	CUfunction handle;
	bool launched;
	uint32_t dynamic_shared_max_B;
	int carveout;
	CUfunc_cache cache_config;
};

/* Parses an image (PTX ending in NUL, or a container of the linker's) and puts
 * its variables into device memory.  Drops the lock while it parses. */
CUresult soft_module_create_locked(struct soft_context *context, const void *image,
				   struct bytes *log, struct soft_module **module_out);
void soft_module_destroy_locked(struct soft_module *module);
void soft_module_unref_locked(struct soft_module *module);
struct soft_entry *soft_module_entry(struct soft_module *module, const char *name);
CUresult soft_module_variable(struct soft_module *module, const char *name,
			      CUdeviceptr *address_out, size_t *size_B_out);

#endif
