/* The operations of a graph's nodes: kernels, copies and fills, in the form that can be put into a stream at each
 * launch of the graph.
 *
 * Functions whose names contain _locked need the driver's lock. */
#ifndef CULVERT_SOFTCUDA_API_GRAPH_H
#define CULVERT_SOFTCUDA_API_GRAPH_H

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"

/* A launch that can be put into streams repeatedly: function, shape, values.  Reference-counted. */
struct soft_kept_launch;

/* Makes the checks of a launch; the values of the parameters are read now. */
CUresult soft_kept_launch_create_locked(struct soft_context *context,
					const CUDA_KERNEL_NODE_PARAMS_v2 *parameters,
					struct soft_kept_launch **kept_out);
void soft_kept_launch_ref_locked(struct soft_kept_launch *kept);
void soft_kept_launch_unref_locked(struct soft_kept_launch *kept);
struct soft_context *soft_kept_launch_context(const struct soft_kept_launch *kept);
/* Whether both run in one context, green contexts included, as cuGraphExecKernelNodeSetParams requires. */
bool soft_kept_launch_replaces(const struct soft_kept_launch *kept, const struct soft_kept_launch *old);
/* Makes it a cooperative launch or not; other references to it keep it as it was.
 * CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE. */
CUresult soft_kept_launch_cooperate_locked(struct soft_kept_launch **kept, bool cooperative);
bool soft_kept_launch_is_cooperative(const struct soft_kept_launch *kept);
/* CUDA_ERROR_INVALID_HANDLE when its module has been unloaded. */
CUresult soft_kept_launch_submit_locked(struct soft_kept_launch *kept, struct soft_stream *stream);

/* stream NULL: only makes the checks.  CUDA_ERROR_NOT_SUPPORTED for pageable memory. */
CUresult soft_copy_node_locked(const CUDA_MEMCPY3D *copy, struct soft_stream *stream);
CUresult soft_fill_node_locked(const CUDA_MEMSET_NODE_PARAMS *fill, struct soft_stream *stream);

#endif
