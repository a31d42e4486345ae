#include "config.h"

#include "icd/launch/launch_memo.h"

#include <stdlib.h>
#include <string.h>

/* A place for sum, which is in none; what was there will be taken for nothing else. */
static int place_enter(struct ocl_launch_memo *memo, uint64_t sum)
{
	unsigned place = sum >> 32 & (OCL_LAUNCH_PLACES - 1);
	if (atomic_load_explicit(&memo->sums[place], memory_order_relaxed)) {
		/* Not exactly in turn where several threads are at it, which does not matter. */
		const unsigned turn = atomic_load_explicit(&memo->turn, memory_order_relaxed);
		atomic_store_explicit(&memo->turn, turn + 1, memory_order_relaxed);
		place ^= turn & 1;
	}
	atomic_store_explicit(&memo->sums[place], sum, memory_order_relaxed);
	return (int)place;
}

int ocl_launch_enter(struct ocl_launch_memo *memo, const struct ocl_launch *launch)
{
	uint64_t sum;
	const int place = ocl_launch_place(memo, launch->code->function, launch->work_dim,
					   launch->global, &sum);
	return place == OCL_LAUNCH_NEW ? place_enter(memo, sum) : place;
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

/* An unloaded function's address may have come back as another's. */
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

void ocl_launch_keep_local(cl_command_queue queue, const struct ocl_launch *launch)
{
	const int place = ocl_launch_enter(&queue->launches, launch);
	lock_take(&queue->lock);
	struct ocl_launch_kept *kept = ocl_launch_kept_locked(&queue->launches, place);
	if (kept) {
		kept->function = launch->code->function;
		kept->dynamic_local_B = launch->dynamic_local_B;
		memcpy(kept->global, launch->global, sizeof(kept->global));
		memcpy(kept->local, launch->local, sizeof(kept->local));
	}
	lock_drop(&queue->lock);
}
