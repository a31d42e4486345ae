#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_module.h"
#include "backend/gpu_repeat.h"

#include <stdlib.h>
#include <string.h>

enum { LOG_B = 8192 };

cl_int gpu_module_open(struct gpu_device *device, const void *image, unsigned int count,
		       CUjit_option *names, void **values, CUresult *cu_result_out,
		       struct gpu_module **module_out)
{
	*cu_result_out = CUDA_ERROR_OUT_OF_MEMORY;
	struct gpu_module *module = calloc(1, sizeof(*module));
	if (!module || lock_init(&module->lock, LOCK_RANK_GPU)) {
		free(module);
		return CL_OUT_OF_HOST_MEMORY;
	}
	module->device = device;
	list_init(&module->functions);
	*cu_result_out = cuda.cuModuleLoadDataEx(&module->cu_module, image, count, names, values);
	cl_int error = gpu_check_module(device, *cu_result_out, "cuModuleLoadDataEx", __FILE__,
					__LINE__);
	if (error) {
		lock_finish(&module->lock);
		free(module);
		return error;
	}
	*module_out = module;
	return CL_SUCCESS;
}

static cl_int open_logged(struct gpu_device *device, const void *binary, struct bytes *log,
			  struct gpu_module **module_out)
{
	CUresult cu_result;
	char *text = malloc(LOG_B);
	if (!text)
		return CL_OUT_OF_HOST_MEMORY;
	text[0] = text[LOG_B - 1] = '\0';
	CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {text, (void *)(uintptr_t)(LOG_B - 1)};
	cl_int error = gpu_module_open(device, binary, 2, names, values, &cu_result, module_out);
	if (error && log) {
		bytes_append_string(log, text);
		bytes_printf(log, "%sthe driver cannot load this binary for %s: %s\n",
			     *text && text[strlen(text) - 1] != '\n' ? "\n" : "",
			     device->caps.name, gpu_error_find(cu_result)->name);
	}
	free(text);
	return error;
}

/* Restricts the errors to those that gpu_module_load documents: an invalid binary is CL_INVALID_BINARY, whatever the
 * driver's error is. */
static cl_int narrow(cl_int error)
{
	return error == CL_BUILD_PROGRAM_FAILURE || error == CL_INVALID_KERNEL_NAME ||
	       error == CL_COMPILER_NOT_AVAILABLE ? CL_INVALID_BINARY : error;
}

cl_int gpu_module_load(struct gpu_device *device, const void *binary, size_t size_B,
		       struct bytes *log, struct gpu_module **module_out)
{
	struct gpu_scope scope;
	struct bytes image = BYTES_INIT;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	gpu_defer_reap(device);
	/* The driver does not get the size, so PTX has to end with NUL; the copy does. */
	bytes_append(&image, binary, size_B);
	if (!size_B)
		error = CL_INVALID_BINARY;
	else if (bytes_failed(&image))
		error = CL_OUT_OF_HOST_MEMORY;
	else
		error = narrow(open_logged(device, image.data, log, module_out));
	bytes_finish(&image);
	gpu_leave(&scope);
	return error;
}

static void module_destroy(struct gpu_device *device, void *object)
{
	struct gpu_module *module = object;
	struct list *link, *next;
	struct gpu_scope scope;
	const bool is_lost = gpu_enter(device, &scope) != CL_SUCCESS;
	list_for_each(link, next, &module->functions) {
		struct gpu_function *function = list_entry(link, struct gpu_function, link);
		gpu_repeats_destroy(device, atomic_load(&function->repeats), is_lost);
		free(function);
	}
	if (!is_lost) {
		(void)gpu_check(device, cuda.cuModuleUnload(module->cu_module));
		gpu_leave(&scope);
	}
	lock_finish(&module->lock);
	free(module);
}

void gpu_module_unload(struct gpu_module *module, struct gpu_event *const *after, uint32_t count)
{
	if (module)
		gpu_defer_quiet(module->device, module_destroy, module, 0, after, count);
}

/* A lookup returns CL_INVALID_KERNEL_NAME if there is no such function; any other error is CL_OUT_OF_RESOURCES. */
static cl_int check_lookup(struct gpu_device *device, CUresult cu_result, const char *call)
{
	const cl_int error = gpu_check_module(device, cu_result, call, __FILE__, __LINE__);
	return !error || error == CL_INVALID_KERNEL_NAME ? error : CL_OUT_OF_RESOURCES;
}

/* --- functions --- */

static cl_int function_attribute(struct gpu_device *device, CUfunction cu_function,
				 CUfunction_attribute which, uint32_t *value_out)
{
	int value = 0;
	cl_int error = gpu_check(device, cuda.cuFuncGetAttribute(&value, which, cu_function));
	if (!error)
		*value_out = (uint32_t)value;
	return error;
}

static cl_int function_read_caps(struct gpu_device *device, struct gpu_function *function)
{
	struct gpu_function_caps *caps = &function->caps;
	CUfunction cu_function = function->cu_function;
	cl_int error = function_attribute(device, cu_function,
					  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
					  &caps->max_threads);
	if (!error)
		error = function_attribute(device, cu_function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
					   &caps->static_local_B);
	if (!error)
		error = function_attribute(device, cu_function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
					   &caps->private_B);
	if (!error)
		error = function_attribute(device, cu_function, CU_FUNC_ATTRIBUTE_NUM_REGS,
					   &caps->registers);
	return error;
}

static struct gpu_function *find_locked(struct gpu_module *module, const char *name)
{
	struct list *link, *next;
	list_for_each(link, next, &module->functions) {
		struct gpu_function *function = list_entry(link, struct gpu_function, link);
		if (!strcmp(function->name, name))
			return function;
	}
	return NULL;
}

/* Drivers load a kernel's code when it is first used.  The query of its attributes loads it now, instead of delaying
 * the first launch. */
static cl_int function_create(struct gpu_module *module, const char *name,
			      struct gpu_function **function_out)
{
	struct gpu_device *device = module->device;
	struct gpu_scope scope;
	size_t name_B = strlen(name) + 1;
	struct gpu_function *function = calloc(1, sizeof(*function) + name_B);
	if (!function)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		goto free_function;
	memcpy(function->name, name, name_B);
	function->module = module;
	error = check_lookup(device, cuda.cuModuleGetFunction(&function->cu_function,
							      module->cu_module, name),
			     "cuModuleGetFunction");
	if (!error)
		error = function_read_caps(device, function);
	gpu_leave(&scope);
	if (error)
		goto free_function;
	*function_out = function;
	return CL_SUCCESS;

free_function:
	free(function);
	return error;
}

/* Two threads may both make it; the first to store it keeps it. */
cl_int gpu_module_function(struct gpu_module *module, const char *name,
			   struct gpu_function **function_out)
{
	struct gpu_function *made = NULL;
	lock_take(&module->lock);
	struct gpu_function *function = find_locked(module, name);
	lock_drop(&module->lock);
	if (!function) {
		cl_int error = function_create(module, name, &made);
		if (error)
			return error;
		lock_take(&module->lock);
		function = find_locked(module, name);
		if (!function) {
			function = made;
			list_append(&module->functions, &made->link);
			made = NULL;
		}
		lock_drop(&module->lock);
		free(made);
	}
	*function_out = function;
	return CL_SUCCESS;
}

const struct gpu_function_caps *gpu_function_caps(const struct gpu_function *function)
{
	return &function->caps;
}
