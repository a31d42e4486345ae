/* The calls of functions: attributes, and occupancy. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/entry.h"
#include "softcuda/driver/green.h"
#include "softcuda/driver/module.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

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

/* The resources of a multiprocessor that a kernel uses, and the number of multiprocessors: of the current green
 * context, if there is one. */
struct potential {
	uint32_t threads_max, blocks, multiprocessors;
};

static CUresult potential_locked(struct soft_context *context, CUfunction cu_function,
				 uint32_t threads, size_t dynamic_shared_B,
				 struct potential *potential_out)
{
	struct soft_entry *entry;
	const struct soft_green *green = soft_green_current_locked();
	CUresult result = soft_entry_find_locked(context, cu_function, &entry);
	if (result != CUDA_SUCCESS)
		return result;
	potential_out->threads_max = soft_entry_max_threads(entry);
	potential_out->blocks =
		threads ? soft_entry_occupancy(entry, threads, dynamic_shared_B) : 0;
	potential_out->multiprocessors =
		green ? (uint32_t)__builtin_popcountll(green->multiprocessors)
		      : context->device->multiprocessors;
	return CUDA_SUCCESS;
}

static CUresult potential(const char *call, CUfunction cu_function, uint32_t threads,
			  size_t dynamic_shared_B, struct potential *potential_out)
{
	struct soft_context *context = NULL;
	CUresult result = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	if (result != CUDA_SUCCESS)
		return result;
	return soft_leave(call, potential_locked(context, cu_function, threads, dynamic_shared_B,
						 potential_out));
}

/* The caller's function is called without the lock, so each size is a call of its own. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid_out, int *block_out,
						   CUfunction cu_function,
						   CUoccupancyB2DSize shared_of,
						   size_t dynamic_shared_B, int limit,
						   unsigned int flags)
{
	uint32_t best_threads = 0, best_blocks = 0;
	struct potential at;
	if (!grid_out || !block_out || limit < 0 ||
	    flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = potential(__func__, cu_function, 0, 0, &at);
	if (result != CUDA_SUCCESS)
		return result;
	const uint32_t most = limit && (uint32_t)limit < at.threads_max ? (uint32_t)limit
									: at.threads_max;
	for (uint32_t threads = most; threads;
	     threads = (threads - 1) / SOFT_WARP * SOFT_WARP) {
		size_t shared_B = shared_of ? shared_of((int)threads) : dynamic_shared_B;
		result = potential(NULL, cu_function, threads, shared_B, &at);
		if (result != CUDA_SUCCESS)
			return result;
		if (threads * at.blocks > best_threads * best_blocks) {
			best_threads = threads;
			best_blocks = at.blocks;
		}
	}
	*grid_out = (int)(best_blocks * at.multiprocessors);
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
