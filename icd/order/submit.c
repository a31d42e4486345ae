#include "config.h"

#include "icd/order/submit.h"

/* Chooses the lane and marks it as used until lane_release_locked. */
static cl_int lane_take_locked(const struct ocl_command *command, struct ocl_lane **lane_out)
{
	struct ocl_lanes *lanes = &command->queue->lanes;
	cl_int error = ocl_lanes_choose(lanes, command->kind->lanes, command->dependency_count,
					command->dependencies, lane_out);
	/* OpenCL 3.0 API, 5.12: a marker or barrier without a wait list waits for all commands enqueued before it.
	 * In an in-order queue the stream takes care of that. */
	if (!error && command->joins && !lanes->in_order)
		error = ocl_lanes_join(lanes, *lane_out);
	if (!error)
		(*lane_out)->users++;
	return error;
}

/* submission: NULL if the submission failed. */
static void lane_release_locked(const struct ocl_command *command, struct ocl_lane *lane,
				const struct ocl_submission *submission)
{
	struct ocl_lanes *lanes = &command->queue->lanes;
	lane->users--;
	if (submission && command->bars && !lanes->in_order)
		ocl_lanes_set_barrier(lanes, submission->done);
}

static cl_int submit_out_of_order_locked(struct ocl_command *command,
					 struct ocl_submission *submission_out)
{
	struct gpu_scope scope;
	struct ocl_lane *lane;
	/* If the driver needs a current context, it is made current once for all of the following calls. */
	const bool several = command->event || command->witness || command->dependency_count;
	const bool entered =
		several && !gpu_enter_by_handle(command->queue->device->gpu, &scope);
	cl_int error = lane_take_locked(command, &lane);
	if (!error) {
		error = ocl_command_submit(command, lane->stream, submission_out);
		lane_release_locked(command, lane, error ? NULL : submission_out);
	}
	if (entered)
		gpu_leave(&scope);
	return error;
}

static cl_int submit_unlocked(struct ocl_command *command, struct ocl_submission *submission_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_lane *lane;
	lock_take(&queue->lock);
	cl_int error = lane_take_locked(command, &lane);
	lock_drop(&queue->lock);
	if (error)
		return error;
	error = ocl_command_submit(command, lane->stream, submission_out);
	lock_take(&queue->lock);
	lane_release_locked(command, lane, error ? NULL : submission_out);
	lock_drop(&queue->lock);
	return error;
}

cl_int ocl_submit_any(struct ocl_command *command, enum ocl_submit_lock lock,
		      struct ocl_submission *submission_out)
{
	return lock == OCL_SUBMIT_LOCKED ? submit_out_of_order_locked(command, submission_out)
					 : submit_unlocked(command, submission_out);
}
