/* Shares of a device, which are CUDA's green contexts.  The driver splits the multiprocessors of a device into units,
 * once; a share is the green context of several neighbouring units, with streams of its own. */
#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"

#include <stdlib.h>

#if CUDA_VERSION >= 12050

struct gpu_split {
	struct gpu_units units;
	CUdevResource groups[];          /* one for each unit */
};

/* The largest number of units into which the driver splits the device, and the flags for it.  The first choice is to
 * treat each multiprocessor independently of its neighbours; drivers that do not know that flag split by their
 * default. */
static CUresult units_count(const CUdevResource *all, unsigned *flags_out, unsigned *count_out)
{
	*flags_out = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
	CUresult cu_result = cuda.cuDevSmResourceSplitByCount(NULL, count_out, all, NULL, *flags_out, 0);
	if (cu_result != CUDA_ERROR_INVALID_VALUE)
		return cu_result;
	*flags_out = 0;
	return cuda.cuDevSmResourceSplitByCount(NULL, count_out, all, NULL, 0, 0);
}

/* Older drivers make a descriptor only from a single group. */
static CUresult groups_try_join(CUdevResource *groups, unsigned count)
{
	CUdevResourceDesc cu_resources;
	return count < 2 ? CUDA_SUCCESS : cuda.cuDevResourceGenerateDesc(&cu_resources, groups, 2);
}

static CUresult all_of(const struct gpu_device *device, CUdevResource *all)
{
	if (!cuda.cuDeviceGetDevResource || !cuda.cuDevSmResourceSplitByCount ||
	    !cuda.cuDevResourceGenerateDesc || !cuda.cuGreenCtxCreate || !cuda.cuGreenCtxDestroy ||
	    !cuda.cuGreenCtxStreamCreate || !cuda.cuCtxFromGreenCtx)
		return CUDA_ERROR_NOT_SUPPORTED;
	return cuda.cuDeviceGetDevResource(device->cu_device, all, CU_DEV_RESOURCE_TYPE_SM);
}

/* Results after which the answer stays the same; after other errors, splitting is tried again. */
static bool is_final(CUresult cu_result)
{
	return cu_result == CUDA_SUCCESS || cu_result == CUDA_ERROR_NOT_SUPPORTED ||
	       cu_result == CUDA_ERROR_INVALID_VALUE ||
	       cu_result == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

/* How the device is split; a device that cannot be split has no units.  NULL: this could not be found out now. */
static struct gpu_split *split_make(const struct gpu_device *device)
{
	CUdevResource all;
	unsigned flags = 0, count = 0;
	CUresult cu_result = all_of(device, &all);
	if (cu_result == CUDA_SUCCESS)
		cu_result = units_count(&all, &flags, &count);
	struct gpu_split *split = calloc(1, sizeof(*split) + count * sizeof(split->groups[0]));
	if (!split)
		return NULL;
	if (cu_result == CUDA_SUCCESS && count)
		cu_result = cuda.cuDevSmResourceSplitByCount(split->groups, &count, &all, NULL, flags, 0);
	if (cu_result == CUDA_SUCCESS)
		cu_result = groups_try_join(split->groups, count);
	if (cu_result == CUDA_SUCCESS && count)
		split->units = (struct gpu_units){split->groups[0].sm.smCount, count};
	else
		log_info("%s: no sub-devices: the driver cannot split this GPU (%s)", device->caps.name,
			 gpu_error_find(cu_result)->name);
	if (is_final(cu_result))
		return split;
	free(split);
	return NULL;
}

/* If two threads find it out at the same time, the result of one is discarded. */
static struct gpu_split *split_of(struct gpu_device *device)
{
	struct gpu_split *there = atomic_load(&device->split);
	struct gpu_split *made = there ? NULL : split_make(device);
	if (!made || atomic_compare_exchange_strong(&device->split, &there, made))
		return made ? made : there;
	free(made);
	return there;
}

struct gpu_units gpu_device_units(struct gpu_device *device)
{
	const struct gpu_split *split = split_of(device);
	return split ? split->units : (struct gpu_units){0, 0};
}

/* --- shares ------------------------------------------------------------------------ */

static struct gpu_share *share_find(struct gpu_device *device, uint32_t first, uint32_t count)
{
	struct gpu_share *share = atomic_load_explicit(&device->shares, memory_order_acquire);
	while (share && (share->first != first || share->count != count))
		share = share->older;
	return share;
}

static cl_int green_create(struct gpu_share *share, CUdevResource *groups)
{
	struct gpu_device *device = share->device;
	CUdevResourceDesc cu_resources;
	cl_int error = gpu_check(device, cuda.cuDevResourceGenerateDesc(&cu_resources, groups,
								      share->count));
	if (!error)
		error = gpu_check(device, cuda.cuGreenCtxCreate(&share->cu_green, cu_resources,
							      device->cu_device,
							      CU_GREEN_CTX_DEFAULT_STREAM));
	if (error)
		return error;
	error = gpu_check(device, cuda.cuCtxFromGreenCtx(&share->cu_context, share->cu_green));
	if (error)
		(void)gpu_check(device, cuda.cuGreenCtxDestroy(share->cu_green));
	return error;
}

static cl_int share_create(struct gpu_device *device, uint32_t first, uint32_t count,
			   struct gpu_share **share_out)
{
	struct gpu_share *share = calloc(1, sizeof(*share));
	struct gpu_scope scope;
	if (!share)
		return CL_OUT_OF_HOST_MEMORY;
	share->device = device;
	share->first = first;
	share->count = count;
	for (int i = 0; i < GPU_PRIORITIES; i++)
		list_init(&share->idle_streams[i]);
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = green_create(share, &split_of(device)->groups[first]);
		gpu_leave(&scope);
	}
	if (error)
		free(share);
	else
		*share_out = share;
	return error;
}

static void share_destroy(struct gpu_share *share)
{
	struct gpu_scope scope;
	if (!gpu_enter(share->device, &scope)) {
		(void)gpu_check(share->device, cuda.cuGreenCtxDestroy(share->cu_green));
		gpu_leave(&scope);
	}
	free(share);
}

cl_int gpu_share_find(struct gpu_device *device, uint32_t first, uint32_t count,
		      struct gpu_share **share_out)
{
	const struct gpu_units units = gpu_device_units(device);
	struct gpu_share *share = share_find(device, first, count), *other;
	if (!count || first > units.count || count > units.count - first)
		return CL_INVALID_VALUE;
	cl_int error = share ? CL_SUCCESS : share_create(device, first, count, &share);
	if (error)
		return error;
	lock_take(&device->lock);
	other = share_find(device, first, count);
	if (!other) {
		share->older = atomic_load(&device->shares);
		atomic_store_explicit(&device->shares, share, memory_order_release);
	}
	lock_drop(&device->lock);
	if (other && other != share)
		share_destroy(share);
	*share_out = other ? other : share;
	return CL_SUCCESS;
}

#else

/* The CUDA headers of this build do not have green contexts. */

struct gpu_units gpu_device_units(struct gpu_device *device)
{
	(void)device;
	return (struct gpu_units){0, 0};
}

cl_int gpu_share_find(struct gpu_device *device, uint32_t first, uint32_t count,
		      struct gpu_share **share_out)
{
	(void)device;
	(void)first;
	(void)count;
	(void)share_out;
	return CL_INVALID_VALUE;
}

#endif
