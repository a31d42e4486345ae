/* A queue's memory of launches that come again.
 *
 * Most programs launch the same kernels with the same sizes, over and over.  The memo keeps, for a few
 * functions and global sizes, the local size that was chosen for a launch without one, and, once such a launch
 * has come twice, the command that its checks and choices came to: the next ones look at their arguments, and
 * go.  (The CUDA graphs of repeated launches are the functions' own, backend/gpu_repeat.h: they end with their
 * functions and serve launches of all sizes.)
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_LAUNCH_MEMO_H
#define CULVERT_ICD_LAUNCH_MEMO_H

#include "icd/launch/launch.h"
#include "icd/order/queue.h"

/* What is kept in a place, guarded by the queue's lock: a local size that was chosen, and a command.  Each
 * says itself what it is of; the kernel and the function may be gone. */
struct ocl_launch_kept {
	const struct gpu_function *function;     /* of the local size; NULL: there is none */
	uint32_t dynamic_local_B;
	uint32_t local[3];
	uint64_t global[3];
	uint64_t kernel_id;                      /* of the command; 0: there is none */
	bool chosen;                             /* the command's launch was given no local size */
	struct ocl_command command;
};

/* The place of launches of a function with a global size, which is one of two; OCL_LAUNCH_NEW: they are in
 * neither.  *sum_out: what they are known by there, never 0.  Takes no lock. */
enum { OCL_LAUNCH_NEW = -1 };
static inline int ocl_launch_place(struct ocl_launch_memo *memo,
				   const struct gpu_function *function, unsigned dimensions,
				   const size_t *global, uint64_t *sum_out)
{
	/* An odd number with bits everywhere (2^64 over the golden ratio): what a product
	 * with it has on top depends on all that is below. */
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

/* The place of a launch that the checks have been through; it is entered if it has none. */
int ocl_launch_enter(struct ocl_launch_memo *memo, const struct ocl_launch *launch);
/* With the queue's lock held: what is kept in place, made if need be; NULL: out of memory. */
struct ocl_launch_kept *ocl_launch_kept_locked(struct ocl_launch_memo *memo, int place);

/* The local size that was chosen for launches of launch->function and its global size before, if it fits this
 * launch too: true with launch->local set. */
bool ocl_launch_recall_local(cl_command_queue queue, struct ocl_launch *launch);
/* Keeps launch->local as the choice for such launches, where there is memory. */
void ocl_launch_keep_local(cl_command_queue queue, const struct ocl_launch *launch);

#endif
