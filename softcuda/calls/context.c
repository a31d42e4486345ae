/* The calls of contexts: primary and other contexts, the thread's current context, limits and peers. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/thread.h"
#include "softcuda/exec/exec.h"

/* Scheduling flags are accepted without effect; mapping of host memory is always available. */
static const unsigned known_flags = CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST |
				    CU_CTX_LMEM_RESIZE_TO_MAX;

/* --- primary contexts ---------- */

static CUresult retain_locked(CUcontext *cu_context_out, CUdevice cu_device)
{
	struct soft_device *device;
	if (!cu_context_out)
		return CUDA_ERROR_INVALID_VALUE;
	struct soft_context *primary;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		result = soft_primary_retain_locked(device, &primary);
	if (result == CUDA_SUCCESS)
		*cu_context_out = primary->handle;
	return result;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *cu_context_out, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, retain_locked(cu_context_out, cu_device));
}

static CUresult release_locked(CUdevice cu_device)
{
	struct soft_device *device;
	CUresult result = soft_device_find_locked(cu_device, &device);
	return result == CUDA_SUCCESS ? soft_primary_release_locked(device) : result;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, release_locked(cu_device));
}

CUresult cuDevicePrimaryCtxRelease(CUdevice cu_device)
{
	return cuDevicePrimaryCtxRelease_v2(cu_device);
}

/* References to the primary context end with the reset; the next retain makes a new one. */
static CUresult reset_locked(CUdevice cu_device)
{
	struct soft_device *device;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	soft_primary_destroy_locked(device);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, reset_locked(cu_device));
}

CUresult cuDevicePrimaryCtxReset(CUdevice cu_device)
{
	return cuDevicePrimaryCtxReset_v2(cu_device);
}

static CUresult primary_flags_locked(CUdevice cu_device, unsigned flags)
{
	struct soft_device *device;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	if (flags & ~known_flags)
		return CUDA_ERROR_INVALID_VALUE;
	device->primary_flags = flags;
	if (device->primary)
		device->primary->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice cu_device, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_INIT, primary_flags_locked(cu_device, flags));
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice cu_device, unsigned int flags)
{
	return cuDevicePrimaryCtxSetFlags_v2(cu_device, flags);
}

static CUresult primary_state_locked(CUdevice cu_device, unsigned *flags_out, int *active_out)
{
	struct soft_device *device;
	if (!flags_out || !active_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	*flags_out = device->primary_flags;
	*active_out = device->primary != NULL;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice cu_device, unsigned int *flags_out, int *active_out)
{
	SOFT_CALL(SOFT_NEED_INIT, primary_state_locked(cu_device, flags_out, active_out));
}

/* --- made contexts ---------- */

static CUresult create_locked(CUcontext *cu_context_out, unsigned flags, CUdevice cu_device)
{
	struct soft_device *device;
	struct soft_context *made;
	if (!cu_context_out || flags & ~known_flags)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result == CUDA_SUCCESS)
		result = soft_context_create_locked(device, flags, SOFT_API_VERSION_OLD, &made);
	if (result != CUDA_SUCCESS)
		return result;
	result = soft_thread_push_context_locked(made, made->handle);
	if (result != CUDA_SUCCESS) {
		soft_context_destroy_locked(made);
		return result;
	}
	*cu_context_out = made->handle;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *cu_context_out, unsigned int flags, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, create_locked(cu_context_out, flags, cu_device));
}

/* Execution affinity is not supported (cuDeviceGetExecAffinitySupport). */
static CUresult create_affine_locked(CUcontext *cu_context_out, bool affine, unsigned flags,
				     CUdevice cu_device)
{
	return affine ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
		      : create_locked(cu_context_out, flags, cu_device);
}

CUresult cuCtxCreate_v3(CUcontext *cu_context_out, CUexecAffinityParam *parameters, int count,
			unsigned int flags, CUdevice cu_device)
{
	SOFT_CALL(SOFT_NEED_INIT, create_affine_locked(cu_context_out, parameters && count, flags,
						       cu_device));
}

#if CUDA_VERSION >= 12050
CUresult cuCtxCreate_v4(CUcontext *cu_context_out, CUctxCreateParams *parameters,
			unsigned int flags, CUdevice cu_device)
{
	bool affine = parameters && parameters->numExecAffinityParams;
	SOFT_CALL(SOFT_NEED_INIT,
		  parameters && parameters->cigParams
			  ? CUDA_ERROR_NOT_SUPPORTED
			  : create_affine_locked(cu_context_out, affine, flags, cu_device));
}
#endif

static CUresult destroy_locked(CUcontext cu_context)
{
	struct soft_context *doomed;
	CUcontext popped;
	CUresult result = soft_context_find_locked(cu_context, &doomed);
	if (result != CUDA_SUCCESS)
		return result;
	/* Also for green contexts, which cuGreenCtxDestroy ends. */
	if (doomed->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	doomed->refs++;
	soft_context_destroy_locked(doomed);
	if (soft_thread_context_locked() == doomed)
		soft_thread_pop_context_locked(&popped);
	soft_context_unref_locked(doomed);
	return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext cu_context)
{
	SOFT_CALL(SOFT_NEED_INIT, destroy_locked(cu_context));
}

CUresult cuCtxDestroy(CUcontext cu_context)
{
	return cuCtxDestroy_v2(cu_context);
}

/* --- the current one ---------- */

static CUresult push_locked(CUcontext cu_context)
{
	struct soft_context *pushed;
	CUresult result = soft_context_find_locked(cu_context, &pushed);
	return result == CUDA_SUCCESS ? soft_thread_push_context_locked(pushed, cu_context)
				      : result;
}

CUresult cuCtxPushCurrent_v2(CUcontext cu_context)
{
	SOFT_CALL(SOFT_NEED_INIT, push_locked(cu_context));
}

CUresult cuCtxPushCurrent(CUcontext cu_context)
{
	return cuCtxPushCurrent_v2(cu_context);
}

static CUresult pop_locked(CUcontext *cu_context_out)
{
	CUcontext popped;
	if (!soft_thread_pop_context_locked(&popped))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (cu_context_out)
		*cu_context_out = popped;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *cu_context_out)
{
	SOFT_CALL(SOFT_NEED_INIT, pop_locked(cu_context_out));
}

CUresult cuCtxPopCurrent(CUcontext *cu_context_out)
{
	return cuCtxPopCurrent_v2(cu_context_out);
}

static CUresult set_current_locked(CUcontext cu_context)
{
	struct soft_context *wanted = NULL;
	CUresult result = CUDA_SUCCESS;
	if (cu_context)
		result = soft_context_find_locked(cu_context, &wanted);
	return result == CUDA_SUCCESS ? soft_thread_set_context_locked(wanted, cu_context)
				      : result;
}

CUresult cuCtxSetCurrent(CUcontext cu_context)
{
	SOFT_CALL(SOFT_NEED_INIT, set_current_locked(cu_context));
}

/* If the current context was destroyed, the old handle is returned, because it still is the current one. */
static CUresult get_current_locked(CUcontext *cu_context_out)
{
	if (!cu_context_out)
		return CUDA_ERROR_INVALID_VALUE;
	*cu_context_out = soft_thread_handle_locked();
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *cu_context_out)
{
	SOFT_CALL(SOFT_NEED_INIT, get_current_locked(cu_context_out));
}

static CUresult get_device_locked(const struct soft_context *context, CUdevice *cu_device_out)
{
	if (!cu_device_out)
		return CUDA_ERROR_INVALID_VALUE;
	*cu_device_out = (CUdevice)context->device->index;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *cu_device_out)
{
	SOFT_CALL(SOFT_NEED_FAULTY, get_device_locked(context, cu_device_out));
}

static CUresult get_device_of_locked(struct soft_context *current, CUcontext cu_context,
				     CUdevice *cu_device_out)
{
	struct soft_context *asked = current;
	CUresult result = CUDA_SUCCESS;
	if (cu_context)
		result = soft_context_find_locked(cu_context, &asked);
	if (result == CUDA_SUCCESS && !asked)
		result = CUDA_ERROR_INVALID_CONTEXT;
	return result == CUDA_SUCCESS ? get_device_locked(asked, cu_device_out) : result;
}

#if CUDA_VERSION >= 13000
CUresult cuCtxGetDevice_v2(CUdevice *cu_device_out, CUcontext cu_context)
{
	SOFT_CALL(SOFT_NEED_INIT, get_device_of_locked(context, cu_context, cu_device_out));
}
#endif

CUresult cuCtxSynchronize(void)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, soft_context_wait_locked(context));
}

/* --- what a context knows ---------- */

static CUresult id_locked(struct soft_context *current, CUcontext cu_context,
			  unsigned long long *id_out)
{
	struct soft_context *asked = current;
	CUresult result = CUDA_SUCCESS;
	if (!id_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (cu_context)
		result = soft_context_find_locked(cu_context, &asked);
	if (result == CUDA_SUCCESS && !asked)
		result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (result == CUDA_SUCCESS)
		*id_out = asked->id;
	return result;
}

CUresult cuCtxGetId(CUcontext cu_context, unsigned long long *id_out)
{
	SOFT_CALL(SOFT_NEED_INIT, id_locked(context, cu_context, id_out));
}

static CUresult flags_locked(struct soft_context *context, unsigned *flags_out)
{
	if (!flags_out)
		return CUDA_ERROR_INVALID_VALUE;
	*flags_out = context->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *flags_out)
{
	SOFT_CALL(SOFT_NEED_FAULTY, flags_locked(context, flags_out));
}

static CUresult set_flags_locked(struct soft_context *context, unsigned flags)
{
	if (flags & ~known_flags)
		return CUDA_ERROR_INVALID_VALUE;
	context->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, set_flags_locked(context, flags));
}

static bool limit_known(CUlimit limit)
{
	return limit == CU_LIMIT_STACK_SIZE || limit == CU_LIMIT_PRINTF_FIFO_SIZE ||
	       limit == CU_LIMIT_MALLOC_HEAP_SIZE || limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH ||
	       limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT ||
	       limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY ||
	       limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
}

/* The value is stored for cuCtxGetLimit; nothing in software is limited by it. */
static CUresult set_limit_locked(struct soft_context *context, CUlimit limit, size_t value)
{
	if (!limit_known(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	context->limits[limit] = value;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, set_limit_locked(context, limit, value));
}

static CUresult get_limit_locked(struct soft_context *context, CUlimit limit, size_t *value_out)
{
	if (!value_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!limit_known(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*value_out = context->limits[limit];
	return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value_out, CUlimit limit)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_limit_locked(context, limit, value_out));
}

static CUresult cache_config_locked(struct soft_context *context, CUfunc_cache *config_out)
{
	if (!config_out)
		return CUDA_ERROR_INVALID_VALUE;
	*config_out = context->cache_config;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config_out)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, cache_config_locked(context, config_out));
}

static CUresult set_cache_config_locked(struct soft_context *context, CUfunc_cache config)
{
	if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	context->cache_config = config;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, set_cache_config_locked(context, config));
}

static CUresult api_version_locked(struct soft_context *current, CUcontext cu_context,
				   unsigned *version_out)
{
	struct soft_context *asked = current;
	CUresult result = CUDA_SUCCESS;
	if (!version_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (cu_context)
		result = soft_context_find_locked(cu_context, &asked);
	if (result == CUDA_SUCCESS && !asked)
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS)
		*version_out = asked->api_version;
	return result;
}

CUresult cuCtxGetApiVersion(CUcontext cu_context, unsigned int *version_out)
{
	SOFT_CALL(SOFT_NEED_INIT, api_version_locked(context, cu_context, version_out));
}

static CUresult priorities_locked(int *least_out, int *greatest_out)
{
	if (least_out)
		*least_out = SOFT_LEAST_PRIORITY;
	if (greatest_out)
		*greatest_out = SOFT_GREATEST_PRIORITY;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least_out, int *greatest_out)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, priorities_locked(least_out, greatest_out));
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, CUDA_SUCCESS);
}

/* --- peers ---------- */

static CUresult peer_locked(struct soft_context *context, CUcontext cu_peer, bool enable,
			    unsigned flags)
{
	struct soft_context *peer;
	CUresult result = soft_context_find_locked(cu_peer, &peer);
	if (result != CUDA_SUCCESS)
		return result;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (peer->device == context->device)
		return CUDA_ERROR_INVALID_DEVICE;
	if (soft_sched.peer == SOFT_PEER_OFF)
		return enable ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
			      : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	uint32_t bit = (uint32_t)1 << peer->device->index;
	if (enable == !!(context->peers & bit))
		return enable ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
			      : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	context->peers ^= bit;
	return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext cu_peer, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, peer_locked(context, cu_peer, true, flags));
}

CUresult cuCtxDisablePeerAccess(CUcontext cu_peer)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, peer_locked(context, cu_peer, false, 0));
}
