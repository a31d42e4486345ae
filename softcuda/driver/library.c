/* Libraries: code that belongs to no context and is loaded into each when it is needed there. */
#include "config.h"

#include "softcuda/driver/library.h"

#include "base/log.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/image.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>
#include <string.h>

struct loaded {
	struct loaded *next;
	uint64_t context_id;                 /* the module is destroyed with this context */
	CUmodule cu_module;
};

void soft_library_destroy_locked(struct library *library)
{
	for (uint32_t i = 0; library->kernels && i < library->kernel_count; i++) {
		soft_handle_destroy_locked(library->kernels[i].handle);
		free(library->kernels[i].name);
	}
	while (library->loaded) {
		struct loaded *loaded = library->loaded;
		struct soft_module *module =
			soft_handle_find_locked(SOFT_KIND_MODULE, loaded->cu_module);
		library->loaded = loaded->next;
		/* If the context was destroyed, the handle may be that of another module. */
		if (module && module->context->id == loaded->context_id)
			soft_module_destroy_locked(module);
		free(loaded);
	}
	soft_handle_destroy_locked(library->handle);
	free(library->kernels);
	bytes_finish(&library->image);
	free(library);
}

static CUresult kernels_create_locked(struct library *library, const struct soft_program *program)
{
	uint32_t count;
	const struct soft_function *functions = soft_program_functions(program, &count);
	library->kernels = calloc(count + 1u, sizeof(*library->kernels));
	if (!library->kernels)
		return CUDA_ERROR_OUT_OF_MEMORY;
	library->kernel_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct kernel *kernel = &library->kernels[i];
		kernel->library = library;
		kernel->name = strdup(functions[i].name);
		kernel->handle = soft_handle_create_locked(SOFT_KIND_KERNEL, kernel);
		if (!kernel->name || !kernel->handle)
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

CUresult soft_library_create_locked(CUlibrary *cu_library_out,
				      const struct soft_program *program, const char *ptx,
				      size_t size_B)
{
	struct library *library = calloc(1, sizeof(*library));
	if (!library)
		return CUDA_ERROR_OUT_OF_MEMORY;
	soft_image_wrap(&library->image, ptx, size_B);
	CUresult result = bytes_failed(&library->image) ? CUDA_ERROR_OUT_OF_MEMORY
							: kernels_create_locked(library, program);
	if (result == CUDA_SUCCESS)
		library->handle = soft_handle_create_locked(SOFT_KIND_LIBRARY, library);
	if (!library->handle) {
		soft_library_destroy_locked(library);
		return result == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : result;
	}
	*cu_library_out = library->handle;
	return CUDA_SUCCESS;
}

CUresult soft_library_find_locked(CUlibrary cu_library, struct library **library_out)
{
	struct library *library = soft_handle_find_locked(SOFT_KIND_LIBRARY, cu_library);
	if (!library)
		return CUDA_ERROR_INVALID_HANDLE;
	*library_out = library;
	return CUDA_SUCCESS;
}

/* --- in a context ---------- */

static struct soft_module *loaded_find_locked(struct library *library,
					      const struct soft_context *context)
{
	struct loaded **link = &library->loaded;
	while (*link) {
		struct soft_module *module =
			soft_handle_find_locked(SOFT_KIND_MODULE, (*link)->cu_module);
		bool here = (*link)->context_id == context->id;
		if (here && module && module->context == context)
			return module;
		if (here) {
			/* The caller has unloaded it by its module handle. */
			struct loaded *stale = *link;
			*link = stale->next;
			free(stale);
			continue;
		}
		link = &(*link)->next;
	}
	return NULL;
}

/* Drops the lock while it parses; afterwards library has to be looked up again. */
static CUresult module_load_locked(struct soft_context *context, struct library *library,
				   struct soft_module **module_out)
{
	struct bytes log = BYTES_INIT, image = BYTES_INIT;
	CUlibrary cu_library = library->handle;
	struct loaded *loaded = calloc(1, sizeof(*loaded));
	bytes_append(&image, library->image.data, library->image.size_B);
	CUresult result = loaded && !bytes_failed(&image)
				  ? soft_module_create_locked(context, bytes_string(&image), &log,
							      module_out)
				  : CUDA_ERROR_OUT_OF_MEMORY;
	if (result != CUDA_SUCCESS && log.size_B)
		log_err("softcuda: loading a library: %.*s",
			soft_line_length(&log), bytes_string(&log));
	bytes_finish(&log);
	bytes_finish(&image);
	if (result != CUDA_SUCCESS) {
		free(loaded);
		return result;
	}
	struct soft_module *module = *module_out;
	module->handle = soft_handle_create_locked(SOFT_KIND_MODULE, module);
	bool alive = soft_handle_find_locked(SOFT_KIND_LIBRARY, cu_library) == library;
	if (!module->handle || !alive) {
		result = alive ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_HANDLE;
		soft_module_destroy_locked(module);
		free(loaded);
		return result;
	}
	loaded->context_id = context->id;
	loaded->cu_module = module->handle;
	loaded->next = library->loaded;
	library->loaded = loaded;
	return CUDA_SUCCESS;
}

CUresult soft_library_module_locked(struct soft_context *context, struct library *library,
				      struct soft_module **module_out)
{
	*module_out = loaded_find_locked(library, context);
	return *module_out ? CUDA_SUCCESS : module_load_locked(context, library, module_out);
}

CUresult soft_kernel_resolve_locked(struct soft_context *context, void *object,
				    struct soft_entry **entry_out)
{
	struct kernel *kernel = object;
	struct soft_module *module;
	const uint32_t index = (uint32_t)(kernel - kernel->library->kernels);
	CUresult result = soft_library_module_locked(context, kernel->library, &module);
	if (result == CUDA_SUCCESS)
		*entry_out = &module->entries[index];
	return result;
}
