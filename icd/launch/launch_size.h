/* Chooses the work-group size of launches without one.
 *
 * Thread-safe: works on the caller's launch; sizes that were kept for such launches are found in the queue
 * (launch_memo.h), whose lock is taken here. */
#ifndef CULVERT_ICD_LAUNCH_SIZE_H
#define CULVERT_ICD_LAUNCH_SIZE_H

#include "icd/order/command.h"

/* Sets launch->local, from the other fields of launch: to a size that divides the global size if launch->uniform is
 * set. */
cl_int ocl_launch_choose(cl_command_queue queue, struct ocl_launch *launch);

/* A work-group size that divides global, has at most threads work-items and at
 * most max in each dimension, and as many whole warps as possible. */
void ocl_launch_choose_local(const uint64_t global[3], uint32_t threads, const uint32_t max[3],
			     uint32_t local_out[3]);

#endif
