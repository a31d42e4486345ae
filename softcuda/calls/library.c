/* The calls of libraries and of their kernels. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/entry.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/image.h"
#include "softcuda/driver/library.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <string.h>

static CUresult load(const char *call, CUlibrary *cu_library_out, const void *image,
		     struct bytes *log)
{
	struct soft_context *context = NULL;
	struct soft_program *program;
	const char *ptx;
	size_t size_B;
	if (!cu_library_out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_image_open(image, 0, log, &ptx, &size_B);
	if (result == CUDA_SUCCESS)
		result = soft_image_parse(ptx, size_B, log, &program);
	if (result != CUDA_SUCCESS)
		return result;
	result = soft_enter(call, SOFT_NEED_INIT, &context);
	if (result == CUDA_SUCCESS)
		result = soft_leave(call, soft_library_create_locked(cu_library_out, program, ptx,
								size_B));
	soft_program_destroy(program);
	return result;
}

static CUresult load_with_options(const char *call, CUlibrary *cu_library_out, const void *image,
				  CUjit_option *options, void **values, unsigned count)
{
	struct soft_jit jit = {0};
	struct bytes log = BYTES_INIT;
	CUresult result = soft_jit_read(&jit, count, options, values);
	if (result != CUDA_SUCCESS)
		return result;
	result = load(call, cu_library_out, image, &log);
	if (result != CUDA_SUCCESS)
		log_err("softcuda: %s: %d: %.*s", call, (int)result,
			soft_line_length(&log), bytes_string(&log));
	soft_jit_report(&jit, "", bytes_string(&log));
	bytes_finish(&log);
	return result;
}

/* The library's own options have no effect: the code is always copied, and modules are loaded when they are first
 * needed. */
CUresult cuLibraryLoadData(CUlibrary *cu_library_out, const void *image, CUjit_option *options,
			   void **values, unsigned int count, CUlibraryOption *library_options,
			   void **library_values, unsigned int library_count)
{
	(void)library_values;
	if (library_count && !library_options)
		return CUDA_ERROR_INVALID_VALUE;
	return load_with_options(__func__, cu_library_out, image, options, values, count);
}

CUresult cuLibraryLoadFromFile(CUlibrary *cu_library_out, const char *path, CUjit_option *options,
			       void **values, unsigned int count,
			       CUlibraryOption *library_options, void **library_values,
			       unsigned int library_count)
{
	struct bytes image = BYTES_INIT;
	(void)library_values;
	if (!path || (library_count && !library_options))
		return CUDA_ERROR_INVALID_VALUE;
	if (bytes_read_file(&image, path))
		return CUDA_ERROR_FILE_NOT_FOUND;
	CUresult result = load_with_options(__func__, cu_library_out, bytes_string(&image),
					    options, values, count);
	bytes_finish(&image);
	return result;
}

static CUresult unload_locked(CUlibrary cu_library)
{
	struct library *library;
	CUresult result = soft_library_find_locked(cu_library, &library);
	if (result == CUDA_SUCCESS)
		soft_library_destroy_locked(library);
	return result;
}

CUresult cuLibraryUnload(CUlibrary cu_library)
{
	SOFT_CALL(SOFT_NEED_INIT, unload_locked(cu_library));
}

static CUresult module_locked(struct soft_context *context, CUmodule *cu_module_out,
			      CUlibrary cu_library)
{
	struct library *library;
	struct soft_module *module;
	if (!cu_module_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_library_find_locked(cu_library, &library);
	if (result == CUDA_SUCCESS)
		result = soft_library_module_locked(context, library, &module);
	if (result == CUDA_SUCCESS)
		*cu_module_out = module->handle;
	return result;
}

CUresult cuLibraryGetModule(CUmodule *cu_module_out, CUlibrary cu_library)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, module_locked(context, cu_module_out, cu_library));
}

static CUresult global_locked(struct soft_context *context, CUdeviceptr *address_out,
			      size_t *size_B_out, CUlibrary cu_library, const char *name)
{
	struct library *library;
	struct soft_module *module;
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_library_find_locked(cu_library, &library);
	if (result == CUDA_SUCCESS)
		result = soft_library_module_locked(context, library, &module);
	return result == CUDA_SUCCESS
		       ? soft_module_variable(module, name, address_out, size_B_out)
		       : result;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address_out, size_t *size_B_out, CUlibrary cu_library,
			    const char *name)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  global_locked(context, address_out, size_B_out, cu_library, name));
}

/* --- kernels ---------- */

static CUresult kernel_locked(CUkernel *cu_kernel_out, CUlibrary cu_library, const char *name)
{
	struct library *library;
	if (!cu_kernel_out || !name)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_library_find_locked(cu_library, &library);
	if (result != CUDA_SUCCESS)
		return result;
	for (uint32_t i = 0; i < library->kernel_count; i++)
		if (!strcmp(library->kernels[i].name, name)) {
			*cu_kernel_out = library->kernels[i].handle;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

CUresult cuLibraryGetKernel(CUkernel *cu_kernel_out, CUlibrary cu_library, const char *name)
{
	SOFT_CALL(SOFT_NEED_INIT, kernel_locked(cu_kernel_out, cu_library, name));
}

static CUresult kernel_count_locked(unsigned *count_out, CUlibrary cu_library)
{
	struct library *library;
	if (!count_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_library_find_locked(cu_library, &library);
	if (result == CUDA_SUCCESS)
		*count_out = library->kernel_count;
	return result;
}

CUresult cuLibraryGetKernelCount(unsigned int *count_out, CUlibrary cu_library)
{
	SOFT_CALL(SOFT_NEED_INIT, kernel_count_locked(count_out, cu_library));
}

static CUresult kernel_list_locked(CUkernel *cu_kernels, unsigned count, CUlibrary cu_library)
{
	struct library *library;
	if (!cu_kernels)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_library_find_locked(cu_library, &library);
	for (unsigned i = 0; result == CUDA_SUCCESS && i < count && i < library->kernel_count; i++)
		cu_kernels[i] = library->kernels[i].handle;
	return result;
}

CUresult cuLibraryEnumerateKernels(CUkernel *cu_kernels, unsigned int count, CUlibrary cu_library)
{
	SOFT_CALL(SOFT_NEED_INIT, kernel_list_locked(cu_kernels, count, cu_library));
}

static CUresult kernel_function_locked(struct soft_context *context, CUfunction *cu_function_out,
				       CUkernel cu_kernel)
{
	struct soft_entry *entry;
	void *kernel = soft_handle_find_locked(SOFT_KIND_KERNEL, cu_kernel);
	if (!cu_function_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	CUresult result = soft_kernel_resolve_locked(context, kernel, &entry);
	if (result == CUDA_SUCCESS)
		*cu_function_out = entry->handle;
	return result;
}

CUresult cuKernelGetFunction(CUfunction *cu_function_out, CUkernel cu_kernel)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, kernel_function_locked(context, cu_function_out, cu_kernel));
}

static CUresult kernel_library_locked(CUlibrary *cu_library_out, CUkernel cu_kernel)
{
	const struct kernel *kernel = soft_handle_find_locked(SOFT_KIND_KERNEL, cu_kernel);
	if (!cu_library_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	*cu_library_out = kernel->library->handle;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *cu_library_out, CUkernel cu_kernel)
{
	SOFT_CALL(SOFT_NEED_INIT, kernel_library_locked(cu_library_out, cu_kernel));
}

static CUresult kernel_name_locked(const char **name_out, CUkernel cu_kernel)
{
	const struct kernel *kernel = soft_handle_find_locked(SOFT_KIND_KERNEL, cu_kernel);
	if (!name_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	*name_out = kernel->name;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name_out, CUkernel cu_kernel)
{
	SOFT_CALL(SOFT_NEED_INIT, kernel_name_locked(name_out, cu_kernel));
}

/* --- a kernel's numbers, on the current context's device ---------- */

static CUresult kernel_entry_locked(struct soft_context *context, CUkernel cu_kernel,
				    CUdevice cu_device, struct soft_entry **entry_out)
{
	struct soft_device *device;
	void *kernel = soft_handle_find_locked(SOFT_KIND_KERNEL, cu_kernel);
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (device != context->device)
		return CUDA_ERROR_INVALID_CONTEXT;
	return soft_kernel_resolve_locked(context, kernel, entry_out);
}

static CUresult get_attribute_locked(struct soft_context *context, int *value_out,
				     CUfunction_attribute attribute, CUkernel cu_kernel,
				     CUdevice cu_device)
{
	struct soft_entry *entry;
	if (!value_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = kernel_entry_locked(context, cu_kernel, cu_device, &entry);
	return result == CUDA_SUCCESS ? soft_entry_attribute(entry, attribute, value_out) : result;
}

CUresult cuKernelGetAttribute(int *value_out, CUfunction_attribute attribute, CUkernel cu_kernel,
			      CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  get_attribute_locked(context, value_out, attribute, cu_kernel, cu_device));
}

static CUresult set_attribute_locked(struct soft_context *context, CUfunction_attribute attribute,
				     int value, CUkernel cu_kernel, CUdevice cu_device)
{
	struct soft_entry *entry;
	CUresult result = kernel_entry_locked(context, cu_kernel, cu_device, &entry);
	return result == CUDA_SUCCESS ? soft_entry_set_attribute(entry, attribute, value) : result;
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel cu_kernel,
			      CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  set_attribute_locked(context, attribute, value, cu_kernel, cu_device));
}

static CUresult set_cache_config_locked(struct soft_context *context, CUkernel cu_kernel,
					CUfunc_cache config, CUdevice cu_device)
{
	struct soft_entry *entry;
	if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = kernel_entry_locked(context, cu_kernel, cu_device, &entry);
	if (result == CUDA_SUCCESS)
		entry->cache_config = config;
	return result;
}

CUresult cuKernelSetCacheConfig(CUkernel cu_kernel, CUfunc_cache config, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  set_cache_config_locked(context, cu_kernel, config, cu_device));
}

static CUresult parameter_locked(struct soft_context *context, CUkernel cu_kernel, size_t index,
				 size_t *offset_out, size_t *size_B_out)
{
	struct soft_entry *entry;
	CUresult result = kernel_entry_locked(context, cu_kernel,
					      (CUdevice)context->device->index, &entry);
	return result == CUDA_SUCCESS ? soft_entry_parameter(entry, index, offset_out, size_B_out)
				      : result;
}

CUresult cuKernelGetParamInfo(CUkernel cu_kernel, size_t index, size_t *offset_out,
			      size_t *size_B_out)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  parameter_locked(context, cu_kernel, index, offset_out, size_B_out));
}
