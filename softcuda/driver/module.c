/* Modules: parsed PTX, its variables in device memory, its functions. */
#include "config.h"

#include "base/log.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/soft.h"

#include <stdlib.h>
#include <string.h>

/* --- life ---------- */

static void module_free_locked(struct soft_module *module)
{
	for (uint32_t i = 0; module->variables && i < module->variable_count; i++)
		if (module->variables[i])
			soft_memory_free_locked(module->variables[i]);
	for (uint32_t i = 0; module->entries && i < module->entry_count; i++)
		soft_handle_destroy_locked(module->entries[i].handle);
	list_remove(&module->link);
	soft_program_destroy(module->program);
	free(module->variables);
	free(module->variable_addresses);
	free(module->entries);
	free(module);
}

void soft_module_unref_locked(struct soft_module *module)
{
	if (!--module->refs)
		module_free_locked(module);
}

/* Launches that are still in streams keep the code and the variables. */
void soft_module_destroy_locked(struct soft_module *module)
{
	soft_handle_destroy_locked(module->handle);
	module->handle = NULL;
	list_remove(&module->link);
	for (uint32_t i = 0; i < module->entry_count; i++) {
		soft_handle_destroy_locked(module->entries[i].handle);
		module->entries[i].handle = NULL;
	}
	soft_module_unref_locked(module);
}

static CUresult entries_create_locked(struct soft_module *module)
{
	const struct soft_function *functions =
		soft_program_functions(module->program, &module->entry_count);
	module->entries = calloc(module->entry_count + 1u, sizeof(*module->entries));
	if (!module->entries)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < module->entry_count; i++) {
		struct soft_entry *entry = &module->entries[i];
		entry->module = module;
		entry->function = &functions[i];
		entry->carveout = -1;
		if (functions[i].static_shared_B < SOFT_SHARED_STATIC_B)
			entry->dynamic_shared_max_B =
				SOFT_SHARED_STATIC_B - functions[i].static_shared_B;
		entry->handle = soft_handle_create_locked(SOFT_KIND_FUNCTION, entry);
		if (!entry->handle)
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

static CUresult variables_create_locked(struct soft_module *module)
{
	const struct soft_variable *variables =
		soft_program_variables(module->program, &module->variable_count);
	module->variables = calloc(module->variable_count + 1u, sizeof(*module->variables));
	module->variable_addresses =
		calloc(module->variable_count + 1u, sizeof(*module->variable_addresses));
	if (!module->variables || !module->variable_addresses)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < module->variable_count; i++) {
		const struct soft_variable *variable = &variables[i];
		/* An empty variable has an address too. */
		CUresult result = soft_memory_alloc_locked(
			module->context, SOFT_MEMORY_DEVICE,
			variable->size_B ? variable->size_B : 1, NULL, &module->variables[i]);
		if (result != CUDA_SUCCESS)
			return result;
		struct soft_allocation *allocation = module->variables[i];
		allocation->freeing = true;  /* the module's, not the caller's to free */
		allocation->context = NULL;
		module->variable_addresses[i] = allocation->start;
		void *bytes = (void *)(uintptr_t)allocation->start;
		if (variable->initial)
			memcpy(bytes, variable->initial, variable->size_B);
		else
			memset(bytes, 0, variable->size_B);
	}
	soft_program_relocate(module->program, module->variable_addresses);
	return CUDA_SUCCESS;
}

static CUresult image_parse(const void *image, unsigned sm, struct bytes *log,
			    struct soft_program **program_out)
{
	const char *ptx;
	size_t size_B;
	CUresult result = soft_image_open(image, 0, log, &ptx, &size_B);
	if (result == CUDA_SUCCESS)
		result = soft_image_parse(ptx, size_B, log, program_out);
	if (result != CUDA_SUCCESS)
		return result;
	if (soft_program_target(*program_out) > sm) {
		bytes_printf(log, "softcuda: the PTX is for sm_%u, the device is sm_%u",
			     soft_program_target(*program_out), sm);
		soft_program_destroy(*program_out);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	return CUDA_SUCCESS;
}

CUresult soft_module_create_locked(struct soft_context *context, const void *image,
				   struct bytes *log, struct soft_module **module_out)
{
	struct soft_module *module = calloc(1, sizeof(*module));
	if (!module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	context->refs++;
	lock_drop(&soft_driver.lock);
	CUresult result = image_parse(image, context->device->sm, log, &module->program);
	lock_take(&soft_driver.lock);
	if (result == CUDA_SUCCESS && !context->alive) {
		soft_program_destroy(module->program);
		result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	}
	soft_context_unref_locked(context);
	if (result != CUDA_SUCCESS) {
		free(module);
		return result;
	}
	module->context = context;
	module->refs = 1;
	list_append(&context->modules, &module->link);
	result = entries_create_locked(module);
	if (result == CUDA_SUCCESS)
		result = variables_create_locked(module);
	if (result == CUDA_SUCCESS) {
		*module_out = module;
		return CUDA_SUCCESS;
	}
	soft_module_unref_locked(module);
	return result;
}

struct soft_entry *soft_module_entry(struct soft_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->entry_count; i++)
		if (!strcmp(module->entries[i].function->name, name))
			return &module->entries[i];
	return NULL;
}

CUresult soft_module_variable(struct soft_module *module, const char *name,
			      CUdeviceptr *address_out, size_t *size_B_out)
{
	uint32_t count;
	const struct soft_variable *variables = soft_program_variables(module->program, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(variables[i].name, name))
			continue;
		if (address_out)
			*address_out = module->variable_addresses[i];
		if (size_B_out)
			*size_B_out = variables[i].size_B;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_NOT_FOUND;
}

/* --- the calls ---------- */

static CUresult load_locked(struct soft_context *context, CUmodule *cu_module_out,
			    const void *image, struct bytes *log)
{
	struct soft_module *module;
	if (!cu_module_out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_module_create_locked(context, image, log, &module);
	if (result != CUDA_SUCCESS)
		return result;
	module->handle = soft_handle_create_locked(SOFT_KIND_MODULE, module);
	if (!module->handle) {
		soft_module_unref_locked(module);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*cu_module_out = module->handle;
	return CUDA_SUCCESS;
}

static CUresult load(const char *call, CUmodule *cu_module_out, const void *image,
		     struct soft_jit *jit)
{
	struct soft_context *context = NULL;
	struct bytes log = BYTES_INIT;
	CUresult result = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	if (result != CUDA_SUCCESS)
		return result;
	result = soft_leave(call, load_locked(context, cu_module_out, image, &log));
	if (result != CUDA_SUCCESS)
		log_err("softcuda: %s: %d: %.*s", call, (int)result,
			soft_line_length(&log), bytes_string(&log));
	soft_jit_report(jit, "", bytes_string(&log));
	bytes_finish(&log);
	return result;
}

CUresult cuModuleLoadDataEx(CUmodule *cu_module_out, const void *image, unsigned int count,
			    CUjit_option *options, void **values)
{
	struct soft_jit jit = {0};
	CUresult result = soft_jit_read(&jit, count, options, values);
	return result == CUDA_SUCCESS ? load(__func__, cu_module_out, image, &jit) : result;
}

CUresult cuModuleLoadData(CUmodule *cu_module_out, const void *image)
{
	struct soft_jit jit = {0};
	return load(__func__, cu_module_out, image, &jit);
}

CUresult cuModuleLoadFatBinary(CUmodule *cu_module_out, const void *image)
{
	struct soft_jit jit = {0};
	return load(__func__, cu_module_out, image, &jit);
}

CUresult cuModuleLoad(CUmodule *cu_module_out, const char *path)
{
	struct bytes image = BYTES_INIT;
	struct soft_jit jit = {0};
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	if (bytes_read_file(&image, path))
		return CUDA_ERROR_FILE_NOT_FOUND;
	CUresult result = load(__func__, cu_module_out, bytes_string(&image), &jit);
	bytes_finish(&image);
	return result;
}

static CUresult module_find_locked(CUmodule cu_module, struct soft_module **module_out)
{
	struct soft_module *module = soft_handle_find_locked(SOFT_KIND_MODULE, cu_module);
	if (!module)
		return CUDA_ERROR_INVALID_HANDLE;
	*module_out = module;
	return CUDA_SUCCESS;
}

static CUresult unload_locked(CUmodule cu_module)
{
	struct soft_module *module;
	CUresult result = module_find_locked(cu_module, &module);
	/* The driver on hardware waits for all kernels; meanwhile another thread may have unloaded
	 * it. */
	if (result == CUDA_SUCCESS && soft_sched.sync != SOFT_SYNC_NONE) {
		(void)soft_context_wait_locked(module->context);
		result = module_find_locked(cu_module, &module);
	}
	if (result == CUDA_SUCCESS)
		soft_module_destroy_locked(module);
	return result;
}

CUresult cuModuleUnload(CUmodule cu_module)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, unload_locked(cu_module));
}

/* Everything is loaded at once. */
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode_out)
{
	if (!mode_out)
		return CUDA_ERROR_INVALID_VALUE;
	*mode_out = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}

static CUresult get_function_locked(CUfunction *cu_function_out, CUmodule cu_module,
				    const char *name)
{
	struct soft_module *module;
	if (!cu_function_out || !name)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = module_find_locked(cu_module, &module);
	if (result != CUDA_SUCCESS)
		return result;
	struct soft_entry *entry = soft_module_entry(module, name);
	if (!entry)
		return CUDA_ERROR_NOT_FOUND;
	*cu_function_out = entry->handle;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *cu_function_out, CUmodule cu_module, const char *name)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_function_locked(cu_function_out, cu_module, name));
}

static CUresult count_functions_locked(unsigned *count_out, CUmodule cu_module)
{
	struct soft_module *module;
	if (!count_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = module_find_locked(cu_module, &module);
	if (result == CUDA_SUCCESS)
		*count_out = module->entry_count;
	return result;
}

CUresult cuModuleGetFunctionCount(unsigned int *count_out, CUmodule cu_module)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, count_functions_locked(count_out, cu_module));
}

static CUresult list_functions_locked(CUfunction *cu_functions, unsigned count,
				      CUmodule cu_module)
{
	struct soft_module *module;
	if (!cu_functions)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = module_find_locked(cu_module, &module);
	for (unsigned i = 0; result == CUDA_SUCCESS && i < count && i < module->entry_count; i++)
		cu_functions[i] = module->entries[i].handle;
	return result;
}

CUresult cuModuleEnumerateFunctions(CUfunction *cu_functions, unsigned int count,
				    CUmodule cu_module)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, list_functions_locked(cu_functions, count, cu_module));
}

static CUresult get_global_locked(CUdeviceptr *address_out, size_t *size_B_out,
				  CUmodule cu_module, const char *name)
{
	struct soft_module *module;
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = module_find_locked(cu_module, &module);
	return result == CUDA_SUCCESS
		       ? soft_module_variable(module, name, address_out, size_B_out)
		       : result;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address_out, size_t *size_B_out, CUmodule cu_module,
			      const char *name)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  get_global_locked(address_out, size_B_out, cu_module, name));
}
