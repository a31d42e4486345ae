/* Puts a command into one of its queue's streams: which one lanes.h says.
 *
 * What the command depends on is settled.  Thread-safe. */
#ifndef CULVERT_ICD_SUBMIT_H
#define CULVERT_ICD_SUBMIT_H

#include "icd/order/queue.h"

/* While the queue's lock is held, or where the submission may take long: then it is not. */
enum ocl_submit_lock { OCL_SUBMIT_LOCKED, OCL_SUBMIT_UNLOCKED };

/* submission_out is written on success; done is NULL where neither the command's event nor its witness asks
 * for it. */
cl_int ocl_submit_any(struct ocl_command *command, enum ocl_submit_lock lock,
		      struct ocl_submission *submission_out);
static inline cl_int ocl_submit(struct ocl_command *command, enum ocl_submit_lock lock,
				struct ocl_submission *submission_out)
{
	const struct ocl_lanes *lanes = &command->queue->lanes;
	if (lock == OCL_SUBMIT_UNLOCKED || !lanes->in_order)
		return ocl_submit_any(command, lock, submission_out);
	return ocl_command_submit(command, lanes->groups[OCL_LANES_WORK].lanes[0].stream,
				  submission_out);
}

#endif
