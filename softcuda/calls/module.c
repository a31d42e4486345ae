/* The calls that load modules and find what is in them. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/image.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"

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
	/* A hardware driver waits for all kernels here; another thread may have unloaded the module meanwhile. */
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

/* Modules are always loaded completely. */
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
