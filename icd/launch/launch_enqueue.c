#include "config.h"

#include "icd/launch/launch.h"

#include "icd/launch/launch_complaint.h"
#include "icd/launch/launch_memo.h"

static inline bool command_is_of(const struct ocl_launch_kept *kept,
				 const struct ocl_launch_call *call)
{
	const struct ocl_ndrange *range = &call->range;
	const struct ocl_launch *launch = &kept->command.u.launch;
	if (kept->kernel_id != call->kernel->id || launch->work_dim != range->work_dim ||
	    kept->chosen != !range->local)
		return false;
	for (unsigned i = 0; i < range->work_dim; i++)
		if (launch->global[i] != range->global[i] ||
		    launch->offset[i] != (range->offset ? range->offset[i] : 0) ||
		    (range->local && launch->local[i] != range->local[i]))
			return false;
	return true;
}

/* With the queue's lock held: the command of a launch like call, in place, with the arguments of now; own has
 * room for what it accesses.  NULL: there is none, or this launch is not as simple. */
static inline struct ocl_command *command_recall_locked(const struct ocl_launch_call *call, int place,
							struct ocl_access own[OCL_LAUNCH_ACCESSES])
{
	struct ocl_launch_kept *kept = call->queue->launches.kept[place];
	if (!kept || !command_is_of(kept, call))
		return NULL;
	struct ocl_command *command = &kept->command;
	struct ocl_launch *launch = &command->u.launch;
	const struct _cl_kernel *kernel = launch->kernel;
	const struct ocl_kernel_code *code = launch->code;
	/* The arguments are other ones; the checks of them that a launch has are those of ocl_launch_init. */
	if (kernel->indirect || kernel->addressed || kernel->indirect_kinds ||
	    ocl_kernel_arguments_check(kernel, code))
		return NULL;
	launch->arguments = kernel->arguments;
	if (code->traits.locals &&
	    ocl_kernel_dynamic_local_B(code->abi, launch->arguments, NULL) != launch->dynamic_local_B)
		return NULL;
	command->type = call->type;
	if (code->traits.memory_count && ocl_launch_find_accesses(command, own))
		return NULL;
	return command;
}

static bool can_repeat(const struct ocl_command *command)
{
	const struct ocl_launch *launch = &command->u.launch;
	const struct ocl_kernel_traits *traits = &launch->code->traits;
	/* Each command of a queue with sync is told of and waited for. */
	return command->kind == &ocl_command_launch && !command->queue->sync &&
	       !launch->cooperative && !launch->indirect && !traits->images &&
	       traits->memory_count <= OCL_LAUNCH_ACCESSES;
}

/* With the queue's lock held: keeps command, which ocl_launch_init made of call, if it is of those that can be
 * taken again and there is memory. */
static void command_keep_locked(const struct ocl_launch_call *call, int place,
				const struct ocl_command *command)
{
	struct ocl_launch_kept *kept = NULL;
	if (can_repeat(command))
		kept = ocl_launch_kept_locked(&command->queue->launches, place);
	if (!kept)
		return;
	kept->kernel_id = call->kernel->id;
	kept->chosen = !call->range.local;
	kept->command = *command;
}

/* --- enqueueing a launch ------------------------------------------------------------------------ */

/* place: the memo's, or OCL_LAUNCH_NEW. */
static cl_int enqueue_new(const struct ocl_launch_call *call, int place)
{
	cl_command_queue queue = call->queue;
	struct ocl_access own[OCL_LAUNCH_ACCESSES];
	struct ocl_command command;
	cl_int error = ocl_launch_init(&command, own, queue, call->kernel, call->type, &call->range);
	if (error) {
		ocl_complain_launch(call->type == CL_COMMAND_TASK ? "clEnqueueTask"
								  : "clEnqueueNDRangeKernel",
				    queue, call->kernel, &call->range, error);
	} else {
		/* From now on the memo knows that it has come once. */
		if (place == OCL_LAUNCH_NEW && command.kind != &ocl_command_marker)
			(void)ocl_launch_enter(&queue->launches, &command.u.launch);
		lock_take(&queue->lock);
		if (place != OCL_LAUNCH_NEW)
			command_keep_locked(call, place, &command);
		error = ocl_queue_enqueue_locked(&command, false, call->wait_count,
						 call->waits, call->event_out);
	}
	ocl_launch_finish(&command, own);
	return error;
}

cl_int ocl_launch_enqueue(const struct ocl_launch_call *call)
{
	const struct ocl_ndrange *range = &call->range;
	const struct ocl_kernel_code *code;
	cl_command_queue queue = call->queue;
	struct ocl_access own[OCL_LAUNCH_ACCESSES];
	uint64_t sum;
	/* What is wrong is found again, and told, by the checks of a new one. */
	if (range->work_dim < 1 || range->work_dim > 3 || !range->global ||
	    ocl_kernel_code_for(call->kernel, queue->device, &code))
		return enqueue_new(call, OCL_LAUNCH_NEW);
	const int place = ocl_launch_place(&queue->launches, code->function, range->work_dim,
					   range->global, &sum);
	if (place == OCL_LAUNCH_NEW)
		return enqueue_new(call, OCL_LAUNCH_NEW);
	lock_take(&queue->lock);
	struct ocl_command *command = command_recall_locked(call, place, own);
	if (command)
		return ocl_queue_enqueue_locked(command, false, call->wait_count, call->waits,
						call->event_out);
	lock_drop(&queue->lock);
	return enqueue_new(call, place);
}
