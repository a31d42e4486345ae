/* Puts a command into one of its queue's streams, which lanes.h chooses.
 *
 * The events that the command waits for are settled.  Thread-safe. */
#ifndef CULVERT_ICD_SUBMIT_H
#define CULVERT_ICD_SUBMIT_H

#include "icd/order/queue.h"

/* Whether the caller holds the queue's lock; it must not where the submission may take long (enum ocl_delay). */
enum ocl_submit_lock { OCL_SUBMIT_LOCKED, OCL_SUBMIT_UNLOCKED };

/* submission_out is written on success; its done is NULL where the command has neither an event nor witness set. */
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
