#include "config.h"

#include "icd/order/submit.h"

cl_int ocl_submit(struct ocl_command *command, struct ocl_submission *submission_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_lane *lane;
	lock_take(&queue->lock);
	cl_int error = ocl_submit_place_locked(command, &lane);
	lock_drop(&queue->lock);
	if (error)
		return error;
	error = ocl_command_submit(command, lane->stream, submission_out);
	lock_take(&queue->lock);
	ocl_submit_placed_locked(command, lane, error ? NULL : submission_out);
	lock_drop(&queue->lock);
	return error;
}
