/* The work-group size of a launch that does not say one.
 *
 * Thread-safe: works on the caller's launch; what was chosen before is remembered by the queue,
 * under its lock, which is taken here. */
#ifndef CULVERT_ICD_LAUNCH_SIZE_H
#define CULVERT_ICD_LAUNCH_SIZE_H

#include "icd/order/command.h"

/* Writes launch->local, from what the launch says but for that: a size that divides the
 * global size where launch->uniform asks for it, else a good one in any case. */
cl_int ocl_launch_choose(cl_command_queue queue, struct ocl_launch *launch);

/* A work-group size that divides global, has at most threads work-items and at
 * most max in each dimension, and as many whole warps as possible. */
void ocl_launch_choose_local(const uint64_t global[3], uint32_t threads, const uint32_t max[3],
			     uint32_t local_out[3]);

#endif
