#include "config.h"

#include "icd/order/work.h"

#include "icd/order/command_sync.h"
#include "icd/order/submit.h"

#include <stdlib.h>

void ocl_work_init(struct ocl_worklist *work)
{
	list_init(&work->failed);
	list_init(&work->queues);
}

/* --- who waits, and is told ---------------------------------------------------------------- */

void ocl_work_kick(struct ocl_worklist *work, cl_command_queue queue, struct ocl_deferred *deferred)
{
	lock_take(&queue->lock);
	if (deferred)
		ocl_line_update(&queue->line, &deferred->place);
	const bool mine = !queue->draining && ocl_line_has_next(&queue->line);
	if (mine)
		queue->draining = true;
	lock_drop(&queue->lock);
	if (!mine)
		return;
	object_ref(queue);
	list_append(&work->queues, &queue->work_link);
}

static void deferred_fail(struct ocl_worklist *work, struct ocl_deferred *deferred)
{
	if (atomic_exchange(&deferred->place.failed, true))
		return;
	ocl_deferred_ref(deferred);
	list_append(&work->failed, &deferred->work_link);
}

/* Updates the commands that were waiting for an event which is settled now. */
static void waiters_wake(struct ocl_worklist *work, struct ocl_waiter *waiter, bool failed)
{
	while (waiter) {
		/* The waiter is part of the deferred command, which may be freed below. */
		struct ocl_waiter *next = waiter->next;
		struct ocl_deferred *deferred = waiter->deferred;
		if (failed)
			deferred_fail(work, deferred);
		if (atomic_fetch_sub(&deferred->place.pending, 1) == 1)
			ocl_work_kick(work, deferred->command.queue, deferred);
		ocl_deferred_unref(deferred);
		waiter = next;
	}
}

void ocl_work_wait_locked(struct ocl_worklist *work, struct ocl_deferred *deferred)
{
	for (uint32_t i = 0; i < deferred->command.dependency_count; i++) {
		cl_event event = deferred->command.dependencies[i];
		struct ocl_waiter *waiter = &deferred->waiters[i];
		waiter->deferred = deferred;
		ocl_deferred_ref(deferred);
		atomic_fetch_add(&deferred->place.pending, 1);
		if (ocl_event_add_waiter(event, waiter))
			continue;
		atomic_fetch_sub(&deferred->place.pending, 1);
		if (ocl_event_has_failed(event))
			deferred_fail(work, deferred);
		/* This is not the last reference: the caller has one. */
		ocl_deferred_unref(deferred);
	}
}

/* --- one command ----------------------------------------------------------------------------- */

static void command_end(struct ocl_worklist *work, const struct ocl_command *command, cl_int code)
{
	bool first;
	if (command->event)
		waiters_wake(work, ocl_event_end(command->event, code, &first), true);
}

/* Submits a command that was taken from its line, or ends it. */
static void deferred_settle(struct ocl_worklist *work, struct ocl_deferred *deferred)
{
	struct ocl_command *command = &deferred->command;
	struct ocl_submission submission;
	if (atomic_load(&deferred->place.failed)) {
		command_end(work, command, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		return;
	}
	const cl_int error = ocl_submit(command, OCL_SUBMIT_UNLOCKED, &submission);
	if (command->queue->sync)
		ocl_command_sync(command, error, error ? NULL : submission.done);
	if (error)
		command_end(work, command, error);
	else if (command->event)
		waiters_wake(work, ocl_event_submitted(command->event, &submission), false);
	else
		gpu_event_unref(submission.done);
}

static void deferred_leave_locked(struct ocl_deferred *deferred)
{
	struct _cl_command_queue *queue = deferred->command.queue;
	ocl_line_leave(&queue->line, &deferred->place);
	if (queue->finishing)
		lock_condition_signal_all(&queue->settled);
}

/* --- commands for the worker threads ------------------------------------------------------ */

/* A command whose submission may wait: a worker thread submits it when the GPU has completed what is before it. */
struct job {
	struct ocl_after after;
	struct ocl_deferred *deferred;   /* the reference that the line held */
};

static void queue_drain(struct ocl_worklist *work, struct _cl_command_queue *queue);

/* Called by a worker thread.  In an in-order queue the drain was stopped for this command and is continued here. */
static void job_run(struct ocl_delivery *delivery)
{
	struct job *job = list_entry(delivery, struct job, after.delivery);
	struct ocl_deferred *deferred = job->deferred;
	struct _cl_command_queue *queue = deferred->command.queue;
	struct ocl_worklist work;
	ocl_work_init(&work);
	ocl_witnesses_finish(&job->after.witnesses);
	free(job);
	deferred_settle(&work, deferred);
	lock_take(&queue->lock);
	deferred_leave_locked(deferred);
	lock_drop(&queue->lock);
	if (queue->line.in_order)
		queue_drain(&work, queue);
	else
		ocl_work_kick(&work, queue, NULL);
	ocl_deferred_unref(deferred);
	ocl_work_run(&work);
}

static bool job_add(struct job *job, struct gpu_event *event)
{
	return !event || ocl_witnesses_add(&job->after.witnesses, event);
}

/* Collects the GPU events after which the command may run. */
static bool job_gather(struct job *job, const struct ocl_command *command)
{
	struct _cl_command_queue *queue = command->queue;
	struct gpu_event *ahead = NULL;
	bool good = true;
	for (uint32_t i = 0; i < command->dependency_count && good; i++)
		good = job_add(job, command->dependencies[i]->done);
	lock_take(&queue->lock);
	if (good)
		good = !ocl_lanes_ahead(&queue->lanes, &ahead) && job_add(job, ahead);
	lock_drop(&queue->lock);
	gpu_event_unref(ahead);
	return good;
}

/* Passes a command that was taken from the line to the worker threads; false: that failed. */
static bool job_start(struct ocl_deferred *deferred)
{
	if (ocl_complete_start())
		return false;
	struct job *job = calloc(1, sizeof(*job));
	if (!job)
		return false;
	if (!job_gather(job, &deferred->command)) {
		ocl_witnesses_finish(&job->after.witnesses);
		free(job);
		return false;
	}
	job->deferred = deferred;
	job->after.delivery.run = job_run;
	job->after.by_worker = true;
	ocl_complete_after(&job->after);
	return true;
}

/* --- the list ------------------------------------------------------------------------------ */

/* NULL: no command can be taken.  A place that can be taken is always that of a deferred command; others are marked
 * as taken when they enter the line. */
static struct ocl_deferred *deferred_take_locked(struct _cl_command_queue *queue)
{
	struct ocl_line_place *place = ocl_line_take(&queue->line);
	return place ? list_entry(place, struct ocl_deferred, place) : NULL;
}

/* Submits all commands that can be submitted.  The caller has set draining; it is cleared here. */
static void queue_drain(struct ocl_worklist *work, struct _cl_command_queue *queue)
{
	const bool in_order = queue->line.in_order;
	struct ocl_deferred *deferred = NULL;
	for (;;) {
		lock_take(&queue->lock);
		if (deferred)
			deferred_leave_locked(deferred);
		struct ocl_deferred *last = deferred;
		deferred = deferred_take_locked(queue);
		if (!deferred)
			queue->draining = false;
		lock_drop(&queue->lock);
		if (last)
			ocl_deferred_unref(last);
		if (!deferred)
			return;
		if (!atomic_load(&deferred->place.failed) && !deferred->command.kind->here &&
		    ocl_command_delay(&deferred->command) && job_start(deferred)) {
			if (in_order)
				return;
			deferred = NULL;
			continue;
		}
		deferred_settle(work, deferred);
	}
}

void ocl_work_run(struct ocl_worklist *work)
{
	for (;;) {
		if (!list_empty(&work->failed)) {
			struct ocl_deferred *deferred =
				list_entry(work->failed.next, struct ocl_deferred, work_link);
			list_remove(&deferred->work_link);
			command_end(work, &deferred->command,
				    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
			ocl_work_kick(work, deferred->command.queue, deferred);
			ocl_deferred_unref(deferred);
		} else if (!list_empty(&work->queues)) {
			struct _cl_command_queue *queue =
				list_entry(work->queues.next, struct _cl_command_queue, work_link);
			list_remove(&queue->work_link);
			queue_drain(work, queue);
			object_unref(queue);
		} else {
			return;
		}
	}
}

cl_int ocl_user_event_set(cl_event event, cl_int code)
{
	struct ocl_worklist work;
	bool first;
	ocl_work_init(&work);
	/* The application may release its last reference as soon as the status is set. */
	object_ref(event);
	waiters_wake(&work, ocl_event_end(event, code, &first), code < 0);
	ocl_work_run(&work);
	object_unref(event);
	return first ? CL_SUCCESS : CL_INVALID_OPERATION;
}
