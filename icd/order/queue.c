#include "config.h"

#include "icd/order/queue.h"

#include "base/cancel.h"
#include "base/log.h"
#include "icd/object/properties.h"
#include "icd/order/command_sync.h"
#include "icd/order/deferred.h"
#include "icd/order/printf.h"
#include "icd/order/submit.h"
#include "icd/order/work.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct _cl_command_queue, base) == 0, "a handle starts with its object");

/* --- birth and death -------------------------------------------------------------------- */

/* Enables direct copies between the queue's device and the context's other devices, which are likely to exchange
 * bytes. */
static void peers_open(const struct _cl_context *context, const struct _cl_device_id *device)
{
	for (uint32_t i = 0; i < context->gpu_count; i++)
		if (context->gpus[i] != device->gpu)
			(void)gpu_peer_open(device->gpu, context->gpus[i]);
}

cl_int ocl_queue_create(cl_context context, cl_device_id device,
			cl_command_queue_properties properties, int priority,
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
	error = ocl_properties_copy(property_list, &queue->property_list, &queue->property_count);
	if (error)
		goto fail_properties;
	const bool in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	error = ocl_lanes_init(&queue->lanes, device->gpu, device->share, priority, in_order);
	if (error)
		goto fail_lanes;
	object_init(&queue->base, &ocl_queue_type);
	object_ref(context);
	queue->context = context;
	queue->device = device;
	queue->device_index = ocl_context_place(context, device);
	queue->properties = properties;
	queue->sync = log_sync();
	peers_open(context, device);
	ocl_line_init(&queue->line, in_order);
	list_init(&queue->work_link);
	*queue_out = queue;
	return CL_SUCCESS;
fail_lanes:
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
	const int before = cancel_hold();
	ocl_printf_destroy(atomic_load(&queue->printing));
	ocl_stamps_finish(&queue->stamps);
	ocl_lanes_finish(&queue->lanes);
	ocl_events_free(&queue->events);
	for (unsigned i = 0; i < OCL_LAUNCH_PLACES; i++)
		free(queue->launches.kept[i]);
	object_unref(queue->context);
	free(queue->property_list);
	lock_condition_finish(&queue->settled);
	lock_finish(&queue->lock);
	free(queue);
	cancel_restore(before);
}

const struct object_type ocl_queue_type = {"command queue", CL_INVALID_COMMAND_QUEUE,
					   queue_destroy};

/* --- enqueue --------------------------------------------------------------------------------- */

enum readiness { READY, BLOCKED, FAILED };

static enum readiness wait_list_readiness(cl_uint count, const cl_event *events)
{
	enum readiness readiness = READY;
	for (cl_uint i = 0; i < count; i++) {
		if (!ocl_event_is_settled(events[i]))
			readiness = BLOCKED;
		else if (ocl_event_has_failed(events[i]))
			return FAILED;
	}
	return readiness;
}

static cl_int event_make_locked(struct ocl_command *command)
{
	struct _cl_command_queue *queue = command->queue;
	const bool profiling = queue->properties & CL_QUEUE_PROFILING_ENABLE;
	return ocl_event_create_locked(queue, command->type, profiling, &command->event);
}

/* The end of a call with an event: waits if the call is blocking, and returns the event to the application if it
 * asked for one and there is no error. */
static inline cl_int event_hand_over(cl_event event, bool blocking, cl_event *event_out)
{
	cl_int error = blocking ? ocl_event_wait(event) : CL_SUCCESS;
	if (error < 0 || !event_out)
		object_unref(event);
	else
		*event_out = event;
	return error < 0 ? error : CL_SUCCESS;
}

/* Puts a copy of the command into the line.  The queue's lock is held on entry and dropped. */
static cl_int defer_locked(struct ocl_command *command, bool blocking, cl_event *event_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_worklist work;
	cl_int error = CL_SUCCESS;
	ocl_work_init(&work);
	if (blocking && !command->event)
		error = ocl_event_create_locked(queue, command->type, false, &command->event);
	struct ocl_deferred *deferred = error ? NULL : ocl_deferred_create(command);
	const cl_event event = command->event;
	if (!deferred) {
		lock_drop(&queue->lock);
		object_unref(event);
		return CL_OUT_OF_HOST_MEMORY;
	}
	/* pending counts this thread, so that no other thread submits the command before it is in the line.  The
	 * reference is needed because the line's may be released before ocl_work_kick. */
	atomic_store(&deferred->place.pending, 1);
	ocl_deferred_ref(deferred);
	ocl_work_wait_locked(&work, deferred);
	ocl_line_enter(&queue->line, &deferred->place, false);
	atomic_fetch_sub(&deferred->place.pending, 1);
	lock_drop(&queue->lock);
	ocl_work_kick(&work, queue, deferred);
	ocl_deferred_unref(deferred);
	ocl_work_run(&work);
	return event_hand_over(event, blocking, event_out);
}

/* Submits a command whose submission may take long, without the lock, which is held on entry and dropped.  The
 * command has a place in the line meanwhile, so that later commands can wait for it.  A copy is submitted, because
 * other threads may use command. */
static cl_int submit_in_line_locked(const struct ocl_command *command,
				    struct ocl_submission *submission_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_command own = *command;
	struct ocl_line_place place;
	struct ocl_worklist work;
	ocl_work_init(&work);
	ocl_line_place_init(&place, own.joins, own.bars);
	ocl_line_enter(&queue->line, &place, true);
	lock_drop(&queue->lock);
	cl_int error = ocl_submit(&own, OCL_SUBMIT_UNLOCKED, submission_out);
	lock_take(&queue->lock);
	ocl_line_leave(&queue->line, &place);
	if (queue->finishing)
		lock_condition_signal_all(&queue->settled);
	lock_drop(&queue->lock);
	ocl_work_kick(&work, queue, NULL);
	ocl_work_run(&work);
	return error;
}

/* A command does not run after an event in its wait list has failed (OpenCL 3.0 API, 5.11): its own event fails, or
 * a blocking call returns the error. */
static cl_int enqueue_failed(cl_event event, bool blocking, cl_event *event_out)
{
	bool first;
	if (blocking) {
		object_unref(event);
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	if (event) {
		(void)ocl_event_end(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, &first);
		*event_out = event;
	}
	return CL_SUCCESS;
}

/* Waits for a blocking command without an event. */
static cl_int witness_wait(cl_command_queue queue, struct gpu_event *done)
{
	cl_int error = gpu_event_wait(done);
	if (!error)
		ocl_printf_drain(queue, done);
	return error;
}

/* The end of a call whose command was submitted, or failed with error.  No other thread knows its event yet. */
static cl_int submitted(cl_command_queue queue, cl_event event, cl_int error, bool blocking,
			const struct ocl_submission *submission, cl_event *event_out)
{
	/* An event has failed after the wait list was checked. */
	if (error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		return enqueue_failed(event, blocking, event_out);
	if (error) {
		object_unref(event);
		return error;
	}
	if (event) {
		ocl_event_submitted_alone(event, submission);
		return event_hand_over(event, blocking, event_out);
	}
	if (blocking)
		error = witness_wait(queue, submission->done);
	gpu_event_unref(submission->done);
	return error;
}

/* Enqueues a command that has to wait, whose submission may take long, or whose queue has sync.  The lock is held on
 * entry and dropped.  It is a function of its own, and not inlined, to keep ocl_queue_enqueue_locked short. */
static __attribute__((noinline)) cl_int enqueue_slowly_locked(struct ocl_command *command,
							      bool blocking, cl_event *event_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_submission submission;
	const cl_event event = command->event;
	const enum readiness readiness =
		wait_list_readiness(command->dependency_count, command->dependencies);
	cl_int error;
	if (readiness == FAILED) {
		lock_drop(&queue->lock);
		return enqueue_failed(event, blocking, event_out);
	}
	if (readiness == BLOCKED || ocl_line_holds(&queue->line, command->joins))
		return defer_locked(command, blocking, event_out);
	const enum ocl_delay delay = ocl_command_delay(command);
	/* Only a blocking call may wait for the GPU; for others a worker thread waits. */
	if (delay == OCL_DELAY_GPU && !blocking)
		return defer_locked(command, blocking, event_out);
	command->witness = command->witness || queue->sync;
	if (delay != OCL_DELAY_NONE) {
		error = submit_in_line_locked(command, &submission);
	} else {
		error = ocl_submit(command, OCL_SUBMIT_LOCKED, &submission);
		lock_drop(&queue->lock);
	}
	if (queue->sync)
		ocl_command_sync(command, error, error ? NULL : submission.done);
	return submitted(queue, event, error, blocking, &submission, event_out);
}

/* Every command comes here to be enqueued. */
cl_int ocl_queue_enqueue_locked(struct ocl_command *command, bool blocking, cl_uint count,
				const cl_event *events, cl_event *event_out)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_submission submission;
	command->event = NULL;
	command->dependency_count = count;
	command->dependencies = events;
	command->witness = blocking || (command->bars && !queue->line.in_order);
	cl_int error = event_out ? event_make_locked(command) : CL_SUCCESS;
	if (error) {
		lock_drop(&queue->lock);
		return error;
	}
	if (queue->sync || (count && wait_list_readiness(count, events) != READY) ||
	    ocl_line_holds(&queue->line, command->joins) ||
	    ocl_command_delay(command) != OCL_DELAY_NONE)
		return enqueue_slowly_locked(command, blocking, event_out);
	error = ocl_submit(command, OCL_SUBMIT_LOCKED, &submission);
	const cl_event event = command->event;
	lock_drop(&queue->lock);
	/* Most commands need nothing more, or only their event. */
	if (!event && !error && !submission.done)
		return CL_SUCCESS;
	if (error || !event || blocking)
		return submitted(queue, event, error, blocking, &submission, event_out);
	ocl_event_submitted_alone(event, &submission);
	*event_out = event;
	return CL_SUCCESS;
}

cl_int ocl_queue_enqueue(struct ocl_command *command, bool blocking, cl_uint count,
			 const cl_event *events, cl_event *event_out)
{
	if (blocking)
		lock_assert_none();
	lock_take(&command->queue->lock);
	return ocl_queue_enqueue_locked(command, blocking, count, events, event_out);
}

static bool has_user_events(const struct _cl_context *context)
{
	return atomic_load_explicit(&context->user_events, memory_order_relaxed);
}

cl_int ocl_queue_enqueue_here(struct ocl_command *command, cl_uint count, const cl_event *events,
			      cl_event *event_out)
{
	static const uint64_t look_ns = 10000000;
	struct _cl_command_queue *queue = command->queue;
	for (cl_uint i = 0; i < count && !has_user_events(queue->context); i++)
		ocl_event_wait_settled(events[i]);
	lock_take(&queue->lock);
	queue->finishing++;
	/* A user event that another thread creates meanwhile, and on which a command before this one depends, signals
	 * nothing. */
	while (ocl_line_holds(&queue->line, command->joins) && !has_user_events(queue->context))
		(void)lock_condition_wait_for(&queue->settled, &queue->lock, look_ns);
	queue->finishing--;
	return ocl_queue_enqueue_locked(command, false, count, events, event_out);
}

/* --- finish ---------------------------------------------------------------------------------- */

/* To wait for one event takes the driver more than a microsecond, and to make a stream wait for one a tenth of that.
 * Therefore the stream joint waits for all tails, and the host for one event in it. */
static void tails_wait_together(struct gpu_stream *joint, struct gpu_event *const *tails,
				unsigned count)
{
	struct gpu_event *all;
	for (unsigned i = 0; i < count; i++)
		if (gpu_stream_wait_event(joint, tails[i]))
			return;
	if (gpu_event_record(joint, false, &all))
		return;
	const bool done = !gpu_event_wait(all);
	for (unsigned i = 0; i < count && done; i++)
		gpu_event_note_done(tails[i]);
	gpu_event_unref(all);
}

static cl_int tails_wait(cl_command_queue queue, struct gpu_event *const *tails, unsigned count,
			 struct gpu_stream *joint)
{
	cl_int error = CL_SUCCESS;
	/* When the first tail has happened the others are about to. */
	if (joint && !gpu_event_wait(tails[0]))
		tails_wait_together(joint, tails + 1, count - 1);
	for (unsigned i = 0; i < count; i++) {
		const cl_int failed = gpu_event_wait(tails[i]);
		if (!failed)
			ocl_printf_drain(queue, tails[i]);
		error = error ? error : failed;
		gpu_event_unref(tails[i]);
	}
	return error;
}

cl_int ocl_queue_finish(cl_command_queue queue)
{
	struct gpu_event *tails[OCL_LANES_TAILS];
	struct gpu_stream *joint = NULL;
	unsigned count = 0;
	lock_assert_none();
	lock_take(&queue->lock);
	const uint64_t ticket = queue->line.tickets;
	queue->finishing++;
	while (!ocl_line_has_passed(&queue->line, ticket))
		lock_condition_wait(&queue->settled, &queue->lock);
	queue->finishing--;
	cl_int error = gpu_device_status(queue->device->gpu);
	if (!error)
		error = ocl_lanes_tails(&queue->lanes, tails, &count, &joint);
	lock_drop(&queue->lock);
	const cl_int failed = tails_wait(queue, tails, count, joint);
	if (!error)
		error = failed ? failed : gpu_device_status(queue->device->gpu);
	if (!error)
		ocl_printf_drain(queue, NULL);
	/* While the process ends, the driver has ended before its caller has: nothing that it ran is left to wait for.
	 * Programs that release their objects in destructors do not expect an error here. */
	return error && gpu_driver_has_ended() ? CL_SUCCESS : error;
}
