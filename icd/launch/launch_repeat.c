#include "config.h"

#include "icd/launch/launch_repeat.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One that is kept, and what it is of: guarded by the queue's lock.  The kernel may be gone. */
struct ocl_launch_repeat {
	uint64_t kernel_id;
	bool chosen;                     /* no local size was given */
	struct ocl_command command;
};

static inline bool is_of(const struct ocl_launch_repeat *repeat, const struct _cl_kernel *kernel,
			 const struct ocl_ndrange *range)
{
	const struct ocl_launch *launch = &repeat->command.u.launch;
	if (repeat->kernel_id != kernel->id || launch->work_dim != range->work_dim ||
	    repeat->chosen != !range->local)
		return false;
	for (unsigned i = 0; i < range->work_dim; i++)
		if (launch->global[i] != range->global[i] ||
		    launch->offset[i] != (range->offset ? range->offset[i] : 0) ||
		    (range->local && launch->local[i] != range->local[i]))
			return false;
	return true;
}

/* The arguments are other ones; the checks of them that a launch has are those of
 * ocl_launch_init. */
static inline bool renew(struct ocl_command *command, struct ocl_access own[OCL_LAUNCH_ACCESSES])
{
	struct ocl_launch *launch = &command->u.launch;
	const struct _cl_kernel *kernel = launch->kernel;
	const struct ocl_kernel_code *code = launch->code;
	if (kernel->indirect || kernel->addressed || kernel->indirect_kinds ||
	    ocl_kernel_arguments_check(kernel, code))
		return false;
	launch->arguments = kernel->arguments;
	if (code->traits.locals &&
	    ocl_kernel_dynamic_local_B(code->abi, launch->arguments, NULL) != launch->dynamic_local_B)
		return false;
	command->access_count = 0;
	return !code->traits.memory_count || ocl_launch_renew_accesses(command, own);
}

bool ocl_launch_repeat(const struct ocl_launch_call *call, int place, cl_int *error_out)
{
	cl_command_queue queue = call->queue;
	struct ocl_access own[OCL_LAUNCH_ACCESSES];
	lock_take(&queue->lock);
	struct ocl_launch_repeat *repeat = queue->repeats[place];
	if (repeat && is_of(repeat, call->kernel, &call->range) && renew(&repeat->command, own)) {
		repeat->command.type = call->type;
		if (ocl_queue_enqueue_at_once(&repeat->command, call->wait_count, call->waits,
					      call->event_out, error_out))
			return true;
	}
	lock_drop(&queue->lock);
	return false;
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

void ocl_launch_remember(int place, const struct ocl_command *command,
			 const struct ocl_ndrange *range)
{
	cl_command_queue queue = command->queue;
	if (!can_repeat(command))
		return;
	lock_take(&queue->lock);
	struct ocl_launch_repeat *repeat = queue->repeats[place];
	if (!repeat)
		repeat = queue->repeats[place] = malloc(sizeof(*repeat));
	if (repeat) {
		repeat->kernel_id = command->u.launch.kernel->id;
		repeat->chosen = !range->local;
		/* What is behind it is of the queue's line. */
		memcpy(&repeat->command, command, offsetof(struct ocl_command, link));
	}
	lock_drop(&queue->lock);
}
