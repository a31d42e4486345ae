/* Puts a command into one of its queue's streams: which one lanes.h says.
 *
 * What the command depends on is settled.  Thread-safe. */
#ifndef CULVERT_ICD_SUBMIT_H
#define CULVERT_ICD_SUBMIT_H

#include "icd/order/queue.h"

/* The queue's lock is not held: the submission may take long, or wait. */
cl_int ocl_submit(struct ocl_command *command, struct ocl_submission *submission_out);

/* --- with the queue's lock held ------------------------------------------------------------- */

/* Chooses the lane, and keeps it until ocl_submit_placed_locked. */
static inline cl_int ocl_submit_place_locked(const struct ocl_command *command,
					     struct ocl_lane **lane_out)
{
	struct ocl_lanes *lanes = &command->queue->lanes;
	cl_int error = ocl_lanes_choose(lanes, command->kind->lanes, command->dependency_count,
					command->dependencies, lane_out);
	/* OpenCL 3.0 API, 5.12: without a list a marker or barrier waits for all that
	 * was enqueued before it; in an in-order queue it does so by its place. */
	if (!error && command->joins && !lanes->in_order)
		error = ocl_lanes_join(lanes, *lane_out);
	if (!error)
		(*lane_out)->users++;
	return error;
}

/* submission: NULL where it failed. */
static inline void ocl_submit_placed_locked(const struct ocl_command *command,
					    struct ocl_lane *lane,
					    const struct ocl_submission *submission)
{
	struct ocl_lanes *lanes = &command->queue->lanes;
	lane->users--;
	if (submission && command->bars && !lanes->in_order)
		ocl_lanes_set_barrier(lanes, submission->done);
}

/* Both, and the submission, while the lock stays held. */
static inline cl_int ocl_submit_locked(struct ocl_command *command,
				       struct ocl_submission *submission_out)
{
	struct gpu_scope scope;
	struct ocl_lane *lane;
	/* Where the driver wants a context for all that follows, it is made current once. */
	const bool several = command->event || command->witness || command->dependency_count;
	const bool entered =
		several && !gpu_enter_by_handle(command->queue->device->gpu, &scope);
	cl_int error = ocl_submit_place_locked(command, &lane);
	if (!error) {
		error = ocl_command_submit(command, lane->stream, submission_out);
		ocl_submit_placed_locked(command, lane, error ? NULL : submission_out);
	}
	if (entered)
		gpu_leave(&scope);
	return error;
}

#endif
