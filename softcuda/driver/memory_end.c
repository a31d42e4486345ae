/* The end of an allocation that a call frees. */
#include "config.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"

/* After the wait that a free begins with: waited is how that ended. */
static CUresult end_locked(struct soft_allocation *allocation, CUresult waited)
{
	/* The context's end has taken the allocation along. */
	if (waited == CUDA_ERROR_CONTEXT_IS_DESTROYED)
		return waited;
	if (waited == CUDA_ERROR_OUT_OF_MEMORY || waited == CUDA_ERROR_LAUNCH_TIMEOUT) {
		allocation->freeing = false;
		return waited;
	}
	soft_memory_free_locked(allocation);
	return waited;
}

/* All work of the context is over first, as the driver on hardware may do it: what
 * is in streams then still finds its memory.  No promise of CUDA's, hence the
 * schedule that does not. */
static CUresult end_work_locked(struct soft_context *context,
				const struct soft_allocation *allocation, const char *call)
{
	if (soft_sched.sync != SOFT_SYNC_NONE) {
		CUresult result = soft_context_wait_locked(context);
		/* The allocation may have gone with its context. */
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
	/* From here on another thread's free of it is an error. */
	allocation->freeing = true;
	return end_locked(allocation, end_work_locked(context, allocation, call));
}
