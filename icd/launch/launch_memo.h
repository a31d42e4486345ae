/* A queue's memory of repeated launches.
 *
 * Most programs launch the same kernels with the same sizes again and again.  For some functions and global sizes the
 * memo keeps the local size that was chosen for a launch without one and, once such a launch has come twice, the
 * command that resulted from its checks: later launches only check their arguments and use that command.  (The CUDA
 * graphs of repeated launches belong to the functions, see backend/gpu_repeat.h: they end with their functions and
 * serve launches of all sizes.)
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_LAUNCH_MEMO_H
#define CULVERT_ICD_LAUNCH_MEMO_H

#include "icd/launch/launch.h"
#include "icd/order/queue.h"

/* The content of a place, guarded by the queue's lock: a local size that was chosen, and a command.  Each has fields
 * that say for which launches it is; the kernel and the function may have been freed. */
struct ocl_launch_kept {
	/* For launches of function, with dynamic_local_B and global, local was chosen.  NULL: none was. */
	const struct gpu_function *function;
	uint32_t dynamic_local_B;
	uint32_t local[3];
	uint64_t global[3];
	uint64_t kernel_id;                      /* of the kernel that command launches; 0: there is no command */
	bool chosen;                             /* command is for launches without a local size */
	struct ocl_command command;
};

/* Finds the place of launches of a function with a global size, which may be in one of two places; OCL_LAUNCH_NEW: they
 * are in neither.  *sum_out: the hash by which they are found, never 0.  Takes no lock. */
enum { OCL_LAUNCH_NEW = -1 };
static inline int ocl_launch_place(struct ocl_launch_memo *memo,
				   const struct gpu_function *function, unsigned dimensions,
				   const size_t *global, uint64_t *sum_out)
{
	/* 2^64 divided by the golden ratio: the high bits of a product with it depend on all bits of the other
	 * factor. */
	const uint64_t spread = 0x9e3779b97f4a7c15;
	uint64_t sum = (uintptr_t)function ^ global[0];
	for (unsigned i = 1; i < dimensions; i++)
		sum = sum << 21 ^ sum >> 43 ^ global[i];
	sum = sum * spread | 1;
	const unsigned first = sum >> 32 & (OCL_LAUNCH_PLACES - 1);
	*sum_out = sum;
	if (atomic_load_explicit(&memo->sums[first], memory_order_relaxed) == sum)
		return (int)first;
	if (atomic_load_explicit(&memo->sums[first ^ 1], memory_order_relaxed) == sum)
		return (int)(first ^ 1);
	return OCL_LAUNCH_NEW;
}

/* The place of a launch that passed its checks; it gets one if it has none.  The queue's lock is held. */
int ocl_launch_enter_locked(struct ocl_launch_memo *memo, const struct ocl_launch *launch);
/* The content of a place, which is allocated if necessary; NULL: out of memory.  The queue's lock is held. */
struct ocl_launch_kept *ocl_launch_kept_locked(struct ocl_launch_memo *memo, int place);

/* Whether a local size was kept for launches like this one, and fits this one; then launch->local is set to it.  Takes
 * the queue's lock. */
bool ocl_launch_recall_local(cl_command_queue queue, struct ocl_launch *launch);
/* Keeps launch->local as the local size for launches like this one.  The lock of kept's queue is held. */
void ocl_launch_keep_local_locked(struct ocl_launch_kept *kept, const struct ocl_launch *launch);

#endif
