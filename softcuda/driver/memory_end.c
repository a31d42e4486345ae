/* How calls free allocations. */
#include "config.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"

/* Frees the allocation after the wait; waited: the result of the wait. */
static CUresult end_locked(struct soft_allocation *allocation, CUresult waited)
{
	/* The end of the context has freed the allocation. */
	if (waited == CUDA_ERROR_CONTEXT_IS_DESTROYED)
		return waited;
	if (waited == CUDA_ERROR_OUT_OF_MEMORY || waited == CUDA_ERROR_LAUNCH_TIMEOUT) {
		allocation->freeing = false;
		return waited;
	}
	soft_memory_free_locked(allocation);
	return waited;
}

/* Waits for all work of the context, as the driver on hardware may do: then work in streams still finds its memory.
 * CUDA does not promise that, so there is a schedule without the wait. */
static CUresult end_work_locked(struct soft_context *context,
				const struct soft_allocation *allocation, const char *call)
{
	if (soft_sched.sync != SOFT_SYNC_NONE) {
		CUresult result = soft_context_wait_locked(context);
		/* The allocation may have been freed with its context. */
		if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
			return result;
		soft_oracle_free_locked(allocation, call);
		return result;
	}
	soft_oracle_free_locked(allocation, call);
	return context->fault;
}

CUresult soft_memory_end_locked(struct soft_context *context, struct soft_allocation *allocation,
				const char *call)
{
	/* From now on it is an error if another thread frees it. */
	allocation->freeing = true;
	return end_locked(allocation, end_work_locked(context, allocation, call));
}
