#include "config.h"

#include "icd/launch/launch_memo.h"

#include <stdlib.h>
#include <string.h>

int ocl_launch_enter_locked(struct ocl_launch_memo *memo, const struct ocl_launch *launch)
{
	uint64_t sum;
	const int found = ocl_launch_place(memo, launch->code->function, launch->work_dim,
					   launch->global, &sum);
	if (found != OCL_LAUNCH_NEW)
		return found;
	/* If the first of the two possible places is taken, one of the two is replaced, in turn.  Its content stays:
	 * it says for which launches it is, and is written again when such a launch is kept. */
	unsigned place = sum >> 32 & (OCL_LAUNCH_PLACES - 1);
	if (atomic_load_explicit(&memo->sums[place], memory_order_relaxed))
		place ^= memo->turn++ & 1;
	atomic_store_explicit(&memo->sums[place], sum, memory_order_relaxed);
	return (int)place;
}

struct ocl_launch_kept *ocl_launch_kept_locked(struct ocl_launch_memo *memo, int place)
{
	struct ocl_launch_kept **kept = &memo->kept[place];
	if (!*kept) {
		*kept = malloc(sizeof(**kept));
		if (*kept) {
			(*kept)->function = NULL;
			(*kept)->kernel_id = 0;
		}
	}
	return *kept;
}

/* --- local sizes ------------------------------------------------------------------------------ */

/* Whether the local size is valid for the launch.  It need not be: the address of a function that was unloaded may be
 * that of another function now. */
static bool local_fits(const struct ocl_launch *launch, const uint32_t local[3])
{
	if (local[0] * local[1] * local[2] > launch->code->caps.max_threads)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (launch->uniform && launch->global[i] % local[i])
			return false;
	return true;
}

static bool local_is_of(const struct ocl_launch_kept *kept, const struct ocl_launch *launch)
{
	return kept && kept->function == launch->code->function &&
	       kept->dynamic_local_B == launch->dynamic_local_B &&
	       !memcmp(kept->global, launch->global, sizeof(kept->global)) &&
	       local_fits(launch, kept->local);
}

bool ocl_launch_recall_local(cl_command_queue queue, struct ocl_launch *launch)
{
	uint64_t sum;
	const int place = ocl_launch_place(&queue->launches, launch->code->function,
					   launch->work_dim, launch->global, &sum);
	if (place == OCL_LAUNCH_NEW)
		return false;
	lock_take(&queue->lock);
	const struct ocl_launch_kept *kept = queue->launches.kept[place];
	const bool found = local_is_of(kept, launch);
	if (found)
		memcpy(launch->local, kept->local, sizeof(kept->local));
	lock_drop(&queue->lock);
	return found;
}

void ocl_launch_keep_local_locked(struct ocl_launch_kept *kept, const struct ocl_launch *launch)
{
	kept->function = launch->code->function;
	kept->dynamic_local_B = launch->dynamic_local_B;
	memcpy(kept->global, launch->global, sizeof(kept->global));
	memcpy(kept->local, launch->local, sizeof(kept->local));
}
