/* Kernels of modules: their attributes, and how many of their blocks fit on a multiprocessor. */
#include "config.h"

#include "softcuda/driver/entry.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/library.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

CUresult soft_entry_find_locked(struct soft_context *context, CUfunction cu_function,
				struct soft_entry **entry_out)
{
	struct soft_entry *entry = soft_handle_find_locked(SOFT_KIND_FUNCTION, cu_function);
	if (entry) {
		*entry_out = entry;
		return CUDA_SUCCESS;
	}
	void *kernel = soft_handle_find_locked(SOFT_KIND_KERNEL, cu_function);
	return kernel ? soft_kernel_resolve_locked(context, kernel, entry_out)
		      : CUDA_ERROR_INVALID_HANDLE;
}

/* --- attributes ---------- */

uint32_t soft_entry_max_threads(const struct soft_entry *entry)
{
	const struct soft_function *function = entry->function;
	uint32_t threads = SOFT_THREADS_PER_BLOCK;
	if (function->max_block_threads && function->max_block_threads < threads)
		threads = function->max_block_threads;
	while (threads > SOFT_WARP && threads * function->register_count > SOFT_REGISTERS)
		threads -= SOFT_WARP;
	return threads;
}

static uint32_t constant_bytes(const struct soft_module *module)
{
	uint32_t count;
	uint64_t size_B = 0;
	const struct soft_variable *variables = soft_program_variables(module->program, &count);
	for (uint32_t i = 0; i < count; i++)
		if (variables[i].constant)
			size_B += variables[i].size_B;
	return size_B < INT32_MAX ? (uint32_t)size_B : INT32_MAX;
}

CUresult soft_entry_attribute(const struct soft_entry *entry, CUfunction_attribute attribute,
			      int *value_out)
{
	const struct soft_function *function = entry->function;
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value_out = (int)soft_entry_max_threads(entry);
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value_out = (int)function->static_shared_B;
		break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		*value_out = (int)constant_bytes(entry->module);
		break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value_out = (int)function->local_B;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value_out = (int)function->register_count;
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value_out = (int)soft_program_target(entry->module->program);
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value_out = (int)entry->dynamic_shared_max_B;
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value_out = entry->carveout;
		break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*value_out = 0;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult soft_entry_set_attribute(struct soft_entry *entry, CUfunction_attribute attribute,
				  int value)
{
	const uint32_t static_B = entry->function->static_shared_B;
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || static_B > SOFT_SHARED_OPTIN_B ||
		    (uint32_t)value > SOFT_SHARED_OPTIN_B - static_B)
			return CUDA_ERROR_INVALID_VALUE;
		entry->dynamic_shared_max_B = (uint32_t)value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		entry->carveout = value;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult soft_entry_parameter(const struct soft_entry *entry, size_t index, size_t *offset_out,
			      size_t *size_B_out)
{
	if (!offset_out || index >= entry->function->parameter_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset_out = entry->function->parameters[index].offset_B;
	if (size_B_out)
		*size_B_out = entry->function->parameters[index].size_B;
	return CUDA_SUCCESS;
}

/* --- occupancy ---------- */

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

uint32_t soft_entry_occupancy(const struct soft_entry *entry, uint32_t threads,
			      uint64_t dynamic_shared_B)
{
	/* The units in which registers and shared memory are allocated on compute capability 9.0. */
	enum { REGISTER_UNIT = 256, SHARED_UNIT_B = 128 };
	const struct soft_function *function = entry->function;
	uint64_t shared_B = dynamic_shared_B + function->static_shared_B;
	if (!threads || threads > soft_entry_max_threads(entry) || shared_B > SOFT_SHARED_OPTIN_B)
		return 0;
	uint32_t warps = (threads + SOFT_WARP - 1) / SOFT_WARP;
	uint32_t blocks = SOFT_BLOCKS_PER_SM;
	uint32_t by_threads = SOFT_THREADS_PER_SM / SOFT_WARP / warps;
	uint32_t warp_registers = round_up(function->register_count * SOFT_WARP, REGISTER_UNIT);
	uint32_t by_shared = SOFT_SHARED_PER_SM_B /
			     round_up((uint32_t)shared_B + SOFT_SHARED_RESERVED_B, SHARED_UNIT_B);
	if (by_threads < blocks)
		blocks = by_threads;
	if (warp_registers && SOFT_REGISTERS / warp_registers / warps < blocks)
		blocks = SOFT_REGISTERS / warp_registers / warps;
	return by_shared < blocks ? by_shared : blocks;
}
