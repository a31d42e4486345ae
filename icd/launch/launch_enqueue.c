#include "config.h"

#include "icd/launch/launch.h"

#include "icd/launch/launch_complaint.h"
#include "icd/launch/launch_memo.h"

/* Whether the command that is kept is for launches like call. */
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

/* The command that is kept in place of the memo, with the kernel's present arguments; own has room for what it
 * accesses.  NULL: the place has no command for launches like call, or this launch needs the checks of a new one.  The
 * queue's lock is held. */
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
	/* The arguments may have changed since the command was kept: these are ocl_launch_init's checks of them. */
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

/* Whether later launches can use the command. */
static bool can_repeat(const struct ocl_command *command)
{
	const struct ocl_launch *launch = &command->u.launch;
	const struct ocl_kernel_traits *traits = &launch->code->traits;
	/* A queue with sync waits for each command and logs it. */
	return command->kind == &ocl_command_launch && !command->queue->sync &&
	       !launch->cooperative && !launch->indirect && !traits->images &&
	       traits->memory_count <= OCL_LAUNCH_ACCESSES;
}

/* Keeps in the queue's memo what later launches like call can use of command, which ocl_launch_init made of it: a local
 * size that was chosen, and the command if such a launch came before.  Without memory nothing is kept.  The queue's
 * lock is held.  place: of the memo, or OCL_LAUNCH_NEW. */
static void command_keep_locked(const struct ocl_launch_call *call, int place,
				const struct ocl_command *command)
{
	struct ocl_launch_memo *memo = &command->queue->launches;
	const struct ocl_launch *launch = &command->u.launch;
	const bool chosen = !call->range.local;
	const bool repeats = place != OCL_LAUNCH_NEW && can_repeat(command);
	if (place == OCL_LAUNCH_NEW)
		place = ocl_launch_enter_locked(memo, launch);
	struct ocl_launch_kept *kept = NULL;
	if (chosen || repeats)
		kept = ocl_launch_kept_locked(memo, place);
	if (kept && chosen)
		ocl_launch_keep_local_locked(kept, launch);
	if (!kept || !repeats)
		return;
	kept->kernel_id = call->kernel->id;
	kept->chosen = chosen;
	kept->command = *command;
}

/* --- enqueueing a launch ------------------------------------------------------------------------ */

/* The most grids for which other threads wait for the queue's lock. */
enum { FEW_GRIDS = 64 };

static bool is_long(const struct ocl_launch *launch)
{
	return (uint64_t)launch->pieces[0] * launch->pieces[1] * launch->pieces[2] > FEW_GRIDS;
}

/* Enqueues a launch with all checks.  place: of the memo, or OCL_LAUNCH_NEW. */
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
		if (command.kind == &ocl_command_launch && is_long(&command.u.launch))
			command.kind = &ocl_command_launch_long;
		lock_take(&queue->lock);
		/* A launch without work-items is a marker. */
		if (command.kind != &ocl_command_marker)
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
	/* An invalid launch is not looked up; the checks of a new one find the error and report it. */
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
