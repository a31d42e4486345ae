/* Functions: attributes, and how many of their work-groups fit. */
#include "config.h"

#include "softcuda/driver/soft.h"

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

/* --- the calls ---------- */

static CUresult get_attribute_locked(struct soft_context *context, int *value_out,
				     CUfunction_attribute attribute, CUfunction cu_function)
{
	struct soft_entry *entry;
	if (!value_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	return result == CUDA_SUCCESS ? soft_entry_attribute(entry, attribute, value_out) : result;
}

CUresult cuFuncGetAttribute(int *value_out, CUfunction_attribute attribute,
			    CUfunction cu_function)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  get_attribute_locked(context, value_out, attribute, cu_function));
}

static CUresult set_attribute_locked(struct soft_context *context, CUfunction cu_function,
				     CUfunction_attribute attribute, int value)
{
	struct soft_entry *entry;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	return result == CUDA_SUCCESS ? soft_entry_set_attribute(entry, attribute, value) : result;
}

CUresult cuFuncSetAttribute(CUfunction cu_function, CUfunction_attribute attribute, int value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, set_attribute_locked(context, cu_function, attribute, value));
}

static CUresult set_cache_config_locked(struct soft_context *context, CUfunction cu_function,
					CUfunc_cache config)
{
	struct soft_entry *entry;
	if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result == CUDA_SUCCESS)
		entry->cache_config = config;
	return result;
}

CUresult cuFuncSetCacheConfig(CUfunction cu_function, CUfunc_cache config)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, set_cache_config_locked(context, cu_function, config));
}

static CUresult module_locked(struct soft_context *context, CUmodule *cu_module_out,
			      CUfunction cu_function)
{
	struct soft_entry *entry;
	if (!cu_module_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result == CUDA_SUCCESS)
		*cu_module_out = entry->module->handle;
	return result;
}

CUresult cuFuncGetModule(CUmodule *cu_module_out, CUfunction cu_function)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, module_locked(context, cu_module_out, cu_function));
}

static CUresult name_locked(struct soft_context *context, const char **name_out,
			    CUfunction cu_function)
{
	struct soft_entry *entry;
	if (!name_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result == CUDA_SUCCESS)
		*name_out = entry->function->name;
	return result;
}

CUresult cuFuncGetName(const char **name_out, CUfunction cu_function)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, name_locked(context, name_out, cu_function));
}

static CUresult parameter_locked(struct soft_context *context, CUfunction cu_function,
				 size_t index, size_t *offset_out, size_t *size_B_out)
{
	struct soft_entry *entry;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	return result == CUDA_SUCCESS ? soft_entry_parameter(entry, index, offset_out, size_B_out)
				      : result;
}

CUresult cuFuncGetParamInfo(CUfunction cu_function, size_t index, size_t *offset_out,
			    size_t *size_B_out)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  parameter_locked(context, cu_function, index, offset_out, size_B_out));
}

static CUresult load_locked(struct soft_context *context, CUfunction cu_function)
{
	struct soft_entry *entry;
	return soft_entry_find_locked(context, cu_function, &entry);
}

CUresult cuFuncLoad(CUfunction cu_function)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, load_locked(context, cu_function));
}

static CUresult loaded_locked(struct soft_context *context, CUfunctionLoadingState *state_out,
			      CUfunction cu_function)
{
	if (!state_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = load_locked(context, cu_function);
	if (result == CUDA_SUCCESS)
		*state_out = CU_FUNCTION_LOADING_STATE_LOADED;
	return result;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state_out, CUfunction cu_function)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, loaded_locked(context, state_out, cu_function));
}

/* --- occupancy ---------- */

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

uint32_t soft_entry_occupancy(const struct soft_entry *entry, uint32_t threads,
			      uint64_t dynamic_shared_B)
{
	/* The units in which compute capability 9.0 hands out registers and shared memory. */
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

static CUresult active_blocks_locked(struct soft_context *context, int *blocks_out,
				     CUfunction cu_function, int threads, size_t dynamic_shared_B,
				     unsigned flags)
{
	struct soft_entry *entry;
	if (!blocks_out || threads <= 0 || flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result == CUDA_SUCCESS)
		*blocks_out = (int)soft_entry_occupancy(entry, (uint32_t)threads,
							dynamic_shared_B);
	return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_out, CUfunction cu_function,
						     int threads, size_t dynamic_shared_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, active_blocks_locked(context, blocks_out, cu_function, threads,
							  dynamic_shared_B, 0));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks_out,
							      CUfunction cu_function, int threads,
							      size_t dynamic_shared_B,
							      unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, active_blocks_locked(context, blocks_out, cu_function, threads,
							  dynamic_shared_B, flags));
}

static CUresult potential_locked(struct soft_context *context, CUfunction cu_function,
				 uint32_t threads, size_t dynamic_shared_B, uint32_t *limit_out,
				 uint32_t *blocks_out)
{
	struct soft_entry *entry;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result != CUDA_SUCCESS)
		return result;
	*limit_out = soft_entry_max_threads(entry);
	*blocks_out = threads ? soft_entry_occupancy(entry, threads, dynamic_shared_B) : 0;
	return CUDA_SUCCESS;
}

static CUresult potential(const char *call, CUfunction cu_function, uint32_t threads,
			  size_t dynamic_shared_B, uint32_t *limit_out, uint32_t *blocks_out)
{
	struct soft_context *context = NULL;
	CUresult result = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	if (result != CUDA_SUCCESS)
		return result;
	return soft_leave(call, potential_locked(context, cu_function, threads, dynamic_shared_B,
						 limit_out, blocks_out));
}

/* The caller's function is called without the lock, hence a call for each size. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid_out, int *block_out,
						   CUfunction cu_function,
						   CUoccupancyB2DSize shared_of,
						   size_t dynamic_shared_B, int limit,
						   unsigned int flags)
{
	uint32_t most, blocks, best_threads = 0, best_blocks = 0;
	if (!grid_out || !block_out || limit < 0 ||
	    flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = potential(__func__, cu_function, 0, 0, &most, &blocks);
	if (result != CUDA_SUCCESS)
		return result;
	if (limit && (uint32_t)limit < most)
		most = (uint32_t)limit;
	for (uint32_t threads = most; threads;
	     threads = (threads - 1) / SOFT_WARP * SOFT_WARP) {
		uint32_t unused;
		size_t shared_B = shared_of ? shared_of((int)threads) : dynamic_shared_B;
		result = potential(NULL, cu_function, threads, shared_B, &unused, &blocks);
		if (result != CUDA_SUCCESS)
			return result;
		if (threads * blocks > best_threads * best_blocks) {
			best_threads = threads;
			best_blocks = blocks;
		}
	}
	*grid_out = (int)best_blocks * SOFT_MULTIPROCESSORS;
	*block_out = (int)best_threads;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid_out, int *block_out, CUfunction cu_function,
					  CUoccupancyB2DSize shared_of, size_t dynamic_shared_B,
					  int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid_out, block_out, cu_function,
							 shared_of, dynamic_shared_B, limit, 0);
}

static CUresult available_shared_locked(struct soft_context *context, size_t *size_B_out,
					CUfunction cu_function, int blocks, int threads)
{
	struct soft_entry *entry;
	if (!size_B_out || blocks <= 0 || threads <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result != CUDA_SUCCESS)
		return result;
	if (soft_entry_occupancy(entry, (uint32_t)threads, 0) < (uint32_t)blocks)
		return CUDA_ERROR_INVALID_VALUE;
	uint32_t each_B = SOFT_SHARED_PER_SM_B / (uint32_t)blocks / 128 * 128;
	uint32_t taken_B = SOFT_SHARED_RESERVED_B + entry->function->static_shared_B;
	*size_B_out = each_B > taken_B ? each_B - taken_B : 0;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *size_B_out, CUfunction cu_function,
						 int blocks, int threads)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  available_shared_locked(context, size_B_out, cu_function, blocks, threads));
}
