/* Modules: parsed PTX, its variables in device memory, its functions. */
#include "config.h"

#include "softcuda/driver/module.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/image.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

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
		/* A variable of size 0 has an address, too. */
		CUresult result = soft_memory_alloc_locked(
			module->context, SOFT_MEMORY_DEVICE,
			variable->size_B ? variable->size_B : 1, NULL, &module->variables[i]);
		if (result != CUDA_SUCCESS)
			return result;
		struct soft_allocation *allocation = module->variables[i];
		allocation->freeing = true;  /* the module frees it, the caller must not */
		allocation->context = NULL;
		module->variable_addresses[i] = allocation->start;
		void *bytes = (void *)(uintptr_t)allocation->start;
		if (variable->initial)
			memcpy(bytes, variable->initial, variable->size_B);
		else
			soft_memory_zero_new(allocation);
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
	const unsigned target = soft_program_target(*program_out);
	const bool only = soft_program_target_only(*program_out);
	if (target > sm || (only && target != sm)) {
		bytes_printf(log, "softcuda: the PTX is for sm_%u%s, the device is sm_%u", target, only ? "a" : "", sm);
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
