#include "config.h"

#include "softcuda/driver/context.h"

#include "softcuda/driver/green.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/schedule.h"

#include <stdlib.h>

/* --- life ---------- */

void soft_context_unref_locked(struct soft_context *context)
{
	if (--context->refs)
		return;
	bytes_finish(&context->report);
	free(context);
}

CUresult soft_context_find_locked(CUcontext cu_context, struct soft_context **context_out)
{
	struct soft_context *context = soft_handle_find_locked(SOFT_KIND_CONTEXT, cu_context);
	const struct soft_green *green =
		context ? NULL : soft_green_find_converted_locked(cu_context);
	if (green)
		context = green->context;
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	*context_out = context;
	return CUDA_SUCCESS;
}
