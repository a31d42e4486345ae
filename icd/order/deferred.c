#include "config.h"

#include "icd/order/deferred.h"

#include <stdlib.h>

struct ocl_deferred *ocl_deferred_create(const struct ocl_command *command)
{
	const size_t own_B = sizeof(struct ocl_deferred) +
			     command->dependency_count * sizeof(struct ocl_waiter);
	struct ocl_deferred *deferred = malloc(own_B + ocl_command_duplicate_B(command));
	if (!deferred)
		return NULL;
	ocl_command_duplicate(&deferred->command, command,
			 deferred->waiters + command->dependency_count);
	ocl_line_place_init(&deferred->place, command->joins, command->bars);
	list_init(&deferred->work_link);
	atomic_init(&deferred->refs, 1);
	return deferred;
}

void ocl_deferred_ref(struct ocl_deferred *deferred)
{
	atomic_fetch_add_explicit(&deferred->refs, 1, memory_order_relaxed);
}

void ocl_deferred_unref(struct ocl_deferred *deferred)
{
	if (atomic_fetch_sub_explicit(&deferred->refs, 1, memory_order_acq_rel) != 1)
		return;
	ocl_command_duplicate_finish(&deferred->command);
	free(deferred);
}
