#include "config.h"

#include "icd/queue.h"

#include "icd/printf.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct _cl_command_queue, base) == 0, "a handle starts with its object");

/* --- birth and death -------------------------------------------------------------------- */

static cl_int properties_copy(struct _cl_command_queue *queue, const cl_queue_properties *list)
{
	size_t count = 0;
	if (!list)
		return CL_SUCCESS;
	while (list[count])
		count += 2;
	count++;
	queue->property_list = malloc(count * sizeof(*list));
	if (!queue->property_list)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(queue->property_list, list, count * sizeof(*list));
	queue->property_count = count;
	return CL_SUCCESS;
}

cl_int ocl_queue_create(cl_context context, cl_device_id device,
			cl_command_queue_properties properties,
			const cl_queue_properties *property_list, cl_command_queue *queue_out)
{
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	struct _cl_command_queue *queue = calloc(1, sizeof(*queue));
	if (!queue)
		return error;
	if (lock_init(&queue->lock, LOCK_RANK_QUEUE))
		goto fail_lock;
	if (lock_condition_init(&queue->settled))
		goto fail_condition;
	error = properties_copy(queue, property_list);
	if (error)
		goto fail_properties;
	error = gpu_stream_acquire(device->gpu, 0, &queue->stream);
	if (error)
		goto fail_stream;
	object_init(&queue->base, &ocl_queue_type);
	object_ref(context);
	queue->context = context;
	queue->device = device;
	queue->device_index = (uint32_t)ocl_context_device_index(context, device);
	queue->properties = properties;
	list_init(&queue->blocked);
	list_init(&queue->work_link);
	*queue_out = queue;
	return CL_SUCCESS;
fail_stream:
	free(queue->property_list);
fail_properties:
	lock_condition_finish(&queue->settled);
fail_condition:
	lock_finish(&queue->lock);
fail_lock:
	free(queue);
	return error;
}

static void queue_destroy(struct object *object)
{
	struct _cl_command_queue *queue = (struct _cl_command_queue *)object;
	ocl_printf_destroy(atomic_load(&queue->printing));
	gpu_stream_release(queue->stream);
	object_unref(queue->context);
	free(queue->property_list);
	lock_condition_finish(&queue->settled);
	lock_finish(&queue->lock);
	free(queue);
}

const struct object_type ocl_queue_type = {"command queue", CL_INVALID_COMMAND_QUEUE,
					   queue_destroy};

/* --- the worklist -------------------------------------------------------------------------- */

/* What one thread still has to do after it settled something.  A list and not
 * recursion: a hundred thousand commands may hang on one user event. */
struct ocl_worklist {
	struct list failed;              /* ocl_command.work_link; a ref each */
	struct list queues;              /* _cl_command_queue.work_link; a ref each */
};

static void work_init(struct ocl_worklist *work)
{
	list_init(&work->failed);
	list_init(&work->queues);
}

/* The first blocked command if it can leave now. A failed one waits for nobody. */
static struct ocl_command *runnable_locked(struct _cl_command_queue *queue)
{
	if (list_empty(&queue->blocked))
		return NULL;
	struct ocl_command *command = list_entry(queue->blocked.next, struct ocl_command, link);
	if (atomic_load(&command->failed) || !atomic_load(&command->pending))
		return command;
	return NULL;
}

/* Puts queue on the worklist if it has something to submit and nobody is at it. */
static void work_kick(struct ocl_worklist *work, struct _cl_command_queue *queue)
{
	lock_take(&queue->lock);
	const bool mine = !queue->draining && runnable_locked(queue);
	if (mine)
		queue->draining = true;
	lock_drop(&queue->lock);
	if (!mine)
		return;
	object_ref(queue);
	list_append(&work->queues, &queue->work_link);
}

/* Tells those who waited for something that is settled now. */
static void work_wake(struct ocl_worklist *work, struct ocl_waiter *waiter, bool failed)
{
	while (waiter) {
		/* The waiter lies in the command's memory. */
		struct ocl_waiter *next = waiter->next;
		struct ocl_command *command = waiter->command;
		if (failed && !atomic_exchange(&command->failed, true)) {
			ocl_command_ref(command);
			list_append(&work->failed, &command->work_link);
		}
		if (atomic_fetch_sub(&command->pending, 1) == 1)
			work_kick(work, command->queue);
		ocl_command_unref(command);
		waiter = next;
	}
}

static void command_end(struct ocl_worklist *work, struct ocl_command *command, cl_int code)
{
	bool first;
	if (command->event)
		work_wake(work, ocl_event_end(command->event, code, &first), true);
}

/* Submits a command that has left the queue, or ends it. */
static void command_settle(struct ocl_worklist *work, struct ocl_command *command)
{
	struct ocl_submission submission;
	if (atomic_load(&command->failed)) {
		command_end(work, command, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		return;
	}
	cl_int error = ocl_command_submit(command, &submission);
	if (error)
		command_end(work, command, error);
	else if (command->event)
		work_wake(work, ocl_event_submitted(command->event, &submission), false);
}

/* Submits what can be submitted; draining is ours, and is cleared. */
static void queue_drain(struct ocl_worklist *work, struct _cl_command_queue *queue)
{
	struct ocl_command *command = NULL;
	for (;;) {
		lock_take(&queue->lock);
		if (command) {
			queue->settled_ticket = command->ticket;
			if (queue->finishing)
				lock_condition_signal_all(&queue->settled);
		}
		struct ocl_command *last = command;
		command = runnable_locked(queue);
		if (command)
			list_remove(&command->link);
		else
			queue->draining = false;
		lock_drop(&queue->lock);
		if (last)
			ocl_command_unref(last);
		if (!command)
			return;
		command_settle(work, command);
	}
}

static void work_run(struct ocl_worklist *work)
{
	for (;;) {
		if (!list_empty(&work->failed)) {
			struct ocl_command *command =
				list_entry(work->failed.next, struct ocl_command, work_link);
			list_remove(&command->work_link);
			command_end(work, command, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
			work_kick(work, command->queue);
			ocl_command_unref(command);
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
	work_init(&work);
	/* Setting may be the last thing that is done with the event. */
	object_ref(event);
	work_wake(&work, ocl_event_end(event, code, &first), code < 0);
	work_run(&work);
	object_unref(event);
	return first ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* --- enqueue --------------------------------------------------------------------------------- */

enum readiness { READY, BLOCKED, FAILED };

static enum readiness wait_list_readiness(cl_uint count, const cl_event *events)
{
	enum readiness readiness = READY;
	for (cl_uint i = 0; i < count; i++) {
		if (!ocl_event_is_settled(events[i]))
			readiness = BLOCKED;
		else if (atomic_load_explicit(&events[i]->status, memory_order_acquire) < 0)
			return FAILED;
	}
	return readiness;
}

/* Leaves waiters with all that is not settled; what has failed meanwhile ends the
 * command at once, wherever it stands in line. */
static void waiters_leave(struct ocl_worklist *work, struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->dependency_count; i++) {
		cl_event event = command->dependencies[i];
		struct ocl_waiter *waiter = &command->waiters[i];
		waiter->command = command;
		ocl_command_ref(command);
		atomic_fetch_add(&command->pending, 1);
		if (ocl_event_add_waiter(event, waiter))
			continue;
		atomic_fetch_sub(&command->pending, 1);
		if (atomic_load_explicit(&event->status, memory_order_acquire) < 0 &&
		    !atomic_exchange(&command->failed, true))
			list_append(&work->failed, &command->work_link);
		else
			atomic_fetch_sub(&command->refs, 1);
	}
}

/* Waits for a blocking command, and gives its event to the application if that
 * asked for it and gets no error instead. */
static cl_int event_hand_over(struct ocl_command *command, bool blocking, cl_event *event_out)
{
	cl_int error = blocking ? ocl_event_wait(command->event) : CL_SUCCESS;
	if (error < 0 || !event_out)
		object_unref(command->event);
	else
		*event_out = command->event;
	return error < 0 ? error : CL_SUCCESS;
}

/* Lines command up; the queue's lock is held on entry and dropped. */
static cl_int defer_locked(struct ocl_command *command, bool blocking, cl_event *event_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_worklist work;
	cl_int error = CL_SUCCESS;
	work_init(&work);
	if (blocking && !command->event)
		error = ocl_event_create(queue->context, queue, command->type, false,
					 &command->event);
	struct ocl_command *deferred = error ? NULL : ocl_command_defer(command);
	if (!deferred) {
		lock_drop(&queue->lock);
		object_unref(command->event);
		return CL_OUT_OF_HOST_MEMORY;
	}
	/* One for ourselves, so that nobody submits it before it is in line. */
	atomic_store(&deferred->pending, 1);
	deferred->ticket = ++queue->tickets;
	waiters_leave(&work, deferred);
	list_append(&queue->blocked, &deferred->link);
	atomic_fetch_sub(&deferred->pending, 1);
	lock_drop(&queue->lock);
	work_kick(&work, queue);
	work_run(&work);
	return event_hand_over(command, blocking, event_out);
}

/* Settles a command that was submitted directly; nobody knows its event yet. */
static cl_int direct_done(struct ocl_command *command, bool blocking,
			  const struct ocl_submission *submission, cl_event *event_out)
{
	if (command->event) {
		(void)ocl_event_submitted(command->event, submission);
		return event_hand_over(command, blocking, event_out);
	}
	if (!blocking)
		return CL_SUCCESS;
	const cl_int error = gpu_event_wait(submission->done);
	if (!error)
		ocl_printf_drain(command->queue, gpu_event_sequence(submission->done));
	gpu_event_unref(submission->done);
	return error;
}

/* May wait: the lock, held on entry, is dropped, others line up meanwhile. */
static cl_int submit_slowly_locked(struct ocl_command *command,
				   struct ocl_submission *submission_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_worklist work;
	const uint64_t ticket = ++queue->tickets;
	work_init(&work);
	queue->draining = true;
	lock_drop(&queue->lock);
	cl_int error = ocl_command_submit(command, submission_out);
	lock_take(&queue->lock);
	queue->settled_ticket = ticket;
	if (queue->finishing)
		lock_condition_signal_all(&queue->settled);
	const bool followed = !list_empty(&queue->blocked);
	if (!followed)
		queue->draining = false;
	lock_drop(&queue->lock);
	if (followed) {
		queue_drain(&work, queue);
		work_run(&work);
	}
	return error;
}

/* Nothing runs after a failed event (OpenCL 3.0 API, 5.11): the command's own
 * event says so, a blocking call returns it. */
static cl_int enqueue_failed(struct ocl_command *command, bool blocking, cl_event *event_out)
{
	bool first;
	if (blocking) {
		object_unref(command->event);
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	if (command->event) {
		(void)ocl_event_end(command->event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
				    &first);
		*event_out = command->event;
	}
	return CL_SUCCESS;
}

static cl_int enqueue_directly_locked(struct ocl_command *command, bool blocking,
				      cl_event *event_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_submission submission;
	cl_int error;
	command->witness = blocking;
	if (ocl_command_may_block(command)) {
		error = submit_slowly_locked(command, &submission);
	} else {
		error = ocl_command_submit(command, &submission);
		lock_drop(&queue->lock);
	}
	if (error) {
		object_unref(command->event);
		return error;
	}
	return direct_done(command, blocking, &submission, event_out);
}

cl_int ocl_queue_enqueue(struct ocl_command *command, bool blocking, cl_uint count,
			 const cl_event *events, cl_event *event_out)
{
	struct _cl_command_queue *queue = command->queue;
	if (blocking)
		lock_assert_none();
	command->dependency_count = count;
	command->dependencies = events;
	if (event_out) {
		const bool profiling = queue->properties & CL_QUEUE_PROFILING_ENABLE;
		cl_int error = ocl_event_create(queue->context, queue, command->type, profiling,
						&command->event);
		if (error)
			return error;
	}
	lock_take(&queue->lock);
	const enum readiness readiness = wait_list_readiness(count, events);
	if (readiness == FAILED) {
		lock_drop(&queue->lock);
		return enqueue_failed(command, blocking, event_out);
	}
	if (readiness == BLOCKED || queue->draining || !list_empty(&queue->blocked))
		return defer_locked(command, blocking, event_out);
	return enqueue_directly_locked(command, blocking, event_out);
}

cl_int ocl_queue_finish(cl_command_queue queue)
{
	struct gpu_event *tail;
	lock_assert_none();
	lock_take(&queue->lock);
	const uint64_t ticket = queue->tickets;
	queue->finishing++;
	while (queue->settled_ticket < ticket)
		lock_condition_wait(&queue->settled, &queue->lock);
	queue->finishing--;
	lock_drop(&queue->lock);
	cl_int error = gpu_device_status(queue->device->gpu);
	if (error)
		return error;
	const uint64_t last = gpu_stream_last(queue->stream);
	if (gpu_stream_reached(queue->stream, last)) {
		error = gpu_device_status(queue->device->gpu);
		if (!error)
			ocl_printf_drain(queue, last);
		return error;
	}
	error = gpu_event_record(queue->stream, false, &tail);
	if (error)
		return error;
	error = gpu_event_wait(tail);
	if (!error)
		ocl_printf_drain(queue, gpu_event_sequence(tail));
	gpu_event_unref(tail);
	return error;
}
