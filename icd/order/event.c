#include "config.h"

#include "icd/order/event.h"

#include "base/clock.h"
#include "base/opengl_fence.h"
#include "icd/order/printf.h"
#include "icd/order/queue.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>

#include <stddef.h>
#include <stdlib.h>

struct ocl_callback {
	struct ocl_callback *next;
	cl_int type;                     /* the status at which it is called */
	cl_int status;                   /* the status that is passed to it */
	void (CL_CALLBACK *notify)(cl_event, cl_int, void *);
	void *data;
	cl_event event;                  /* ref held from the delivery on */
	struct ocl_delivery delivery;
};

_Static_assert(offsetof(struct _cl_event, base) == 0, "a handle starts with its object");
_Static_assert(offsetof(struct _cl_event, start) <= OCL_EVENT_NEAR_B,
	       "what is used for each command is near");

/* --- birth and death ---------------------------------------------------------------- */

static cl_event event_alloc(void)
{
	const size_t size_B = (sizeof(struct _cl_event) + OCL_EVENT_ALIGN_B - 1) /
			      OCL_EVENT_ALIGN_B * OCL_EVENT_ALIGN_B;
	cl_event event = aligned_alloc(OCL_EVENT_ALIGN_B, size_B);
	if (!event)
		return NULL;
	object_init(&event->base, &ocl_event_type);
	if (lock_init(&event->lock, LOCK_RANK_EVENT))
		goto fail_lock;
	if (lock_condition_init(&event->changed))
		goto fail_condition;
	event->spare_start = event->spare_done = event->start = NULL;
	event->fence = NULL;
	return event;
fail_condition:
	lock_finish(&event->lock);
fail_lock:
	free(event);
	return NULL;
}

static void event_free(cl_event event)
{
	gpu_event_unref(event->spare_start);
	gpu_event_unref(event->spare_done);
	lock_condition_finish(&event->changed);
	lock_finish(&event->lock);
	opengl_fence_destroy(event->fence);
	free(event);
}

/* Sets all fields, except those that event_alloc has set and that an event from the pool keeps. */
static void event_init(cl_event event, cl_context context, cl_command_queue queue,
		       cl_command_type type, cl_int status)
{
	object_renew(&event->base, &ocl_event_type);
	event->context = context;
	event->queue = queue;
	event->type = type;
	atomic_init(&event->status, status);
	event->done = NULL;
	event->before_sequence = 0;
	event->waiters = NULL;
	event->callbacks = NULL;
	event->watched = event->profiling = event->several = false;
}

cl_int ocl_event_create_user(cl_context context, cl_event *event_out)
{
	cl_event event = event_alloc();
	if (!event)
		return CL_OUT_OF_HOST_MEMORY;
	object_ref(context);
	event_init(event, context, NULL, CL_COMMAND_USER, CL_SUBMITTED);
	atomic_fetch_add_explicit(&context->user_events, 1, memory_order_relaxed);
	*event_out = event;
	return CL_SUCCESS;
}

cl_int ocl_event_create_linked(cl_context context, cl_command_type type, struct opengl_fence *fence,
			       cl_event *event_out)
{
	cl_event event = event_alloc();
	if (!event)
		return CL_OUT_OF_HOST_MEMORY;
	object_ref(context);
	event_init(event, context, NULL, type, fence ? CL_SUBMITTED : CL_COMPLETE);
	event->fence = fence;
	*event_out = event;
	return CL_SUCCESS;
}

cl_int ocl_event_create_locked(cl_command_queue queue, cl_command_type type, bool profiling,
			       cl_event *event_out)
{
	cl_event event = ocl_event_pool_take(&queue->events);
	if (!event)
		event = event_alloc();
	if (!event)
		return CL_OUT_OF_HOST_MEMORY;
	object_ref(queue);
	/* The GPU event, too, will be in the processor's cache by the time that it is recorded. */
	__builtin_prefetch(event->spare_done, 1);
	event_init(event, queue->context, queue, type, CL_QUEUED);
	if (profiling) {
		event->profiling = true;
		event->submit_ns = event->arrived_ns = 0;
		event->queued_ns = host_now_ns();
	}
	*event_out = event;
	return CL_SUCCESS;
}

void ocl_event_set_several(cl_event event, cl_event begun)
{
	if (begun)
		object_ref(begun);
	event->begun = begun;
	event->several = true;
}

void ocl_events_free(struct ocl_event_pool *pool)
{
	cl_event event;
	while ((event = ocl_event_pool_take(pool)))
		event_free(event);
}

/* Keeps a GPU event to which nobody else has a reference for the next use of this struct. */
static void witness_spare(struct gpu_event *witness, struct gpu_event **spare)
{
	if (!witness)
		return;
	if (!*spare && gpu_event_is_only(witness))
		*spare = witness;
	else
		gpu_event_unref(witness);
}

static void event_destroy(struct object *object)
{
	struct _cl_event *event = (struct _cl_event *)object;
	cl_command_queue queue = event->queue;
	while (event->callbacks) {
		/* The callbacks of a user event whose status was never set. */
		struct ocl_callback *next = event->callbacks->next;
		free(event->callbacks);
		event->callbacks = next;
	}
	if (event->profiling) {
		witness_spare(event->start, &event->spare_start);
		event->start = NULL;
	}
	witness_spare(event->done, &event->spare_done);
	if (event->several)
		object_unref(event->begun);
	/* A user event whose status was never set does not count any more. */
	if (!queue && !ocl_event_is_settled(event))
		atomic_fetch_sub_explicit(&event->context->user_events, 1, memory_order_relaxed);
	if (!queue)
		object_unref(event->context);
	if (!queue || !ocl_event_pool_put(&queue->events, event))
		event_free(event);
	object_unref(queue);
}

const struct object_type ocl_event_type = {"event", CL_INVALID_EVENT, event_destroy};

/* --- status -------------------------------------------------------------------------- */

/* Events of commands, which are many, are known by their queue, which is in an earlier cache line. */
static bool has_fence(const struct _cl_event *event)
{
	return !event->queue && event->fence;
}

static bool status_is_settled(const struct _cl_event *event, cl_int status)
{
	return status <= (event->queue || event->fence ? CL_SUBMITTED : CL_COMPLETE);
}

static cl_int status_load(const struct _cl_event *event)
{
	return atomic_load_explicit(&event->status, memory_order_acquire);
}

bool ocl_event_is_settled(const struct _cl_event *event)
{
	return status_is_settled(event, status_load(event));
}

bool ocl_event_has_failed(const struct _cl_event *event)
{
	return status_load(event) < 0;
}

/* Lowers the status; false when the event has ended or already has this status or a lower one. */
static bool status_lower(struct _cl_event *event, cl_int status)
{
	cl_int old = status_load(event);
	do {
		if (old <= CL_COMPLETE || old <= status)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&event->status, &old, status,
							memory_order_acq_rel,
							memory_order_acquire));
	return true;
}

/* The GPU has completed the command.  OpenCL C 3.0, 6.15.14: the output of printf is written before the command's
 * event is complete. */
static void event_done(struct _cl_event *event)
{
	ocl_printf_drain(event->queue, event->done);
	(void)status_lower(event, CL_COMPLETE);
}

static cl_int fence_status(struct _cl_event *event, enum opengl_fence_state state)
{
	if (state == OPENGL_FENCE_PASSED)
		(void)status_lower(event, CL_COMPLETE);
	else if (state == OPENGL_FENCE_LOST)
		(void)status_lower(event, event->type == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR
						  ? CL_INVALID_GL_OBJECT : CL_INVALID_EGL_OBJECT_KHR);
	return status_load(event);
}

cl_int ocl_event_status(cl_event event)
{
	const cl_int status = status_load(event);
	bool done = false;
	if (status > CL_COMPLETE && has_fence(event))
		return fence_status(event, opengl_fence_poll(event->fence));
	if (status <= CL_COMPLETE || !event->queue || !status_is_settled(event, status))
		return status;
	const cl_int error = gpu_event_query(event->done, &done);
	if (error)
		(void)status_lower(event, error);
	else if (done && !ocl_printf_is_writing())
		event_done(event);
	else if (gpu_stream_reached(gpu_event_stream(event->done), event->before_sequence))
		(void)status_lower(event, CL_RUNNING);
	return status_load(event);
}

bool ocl_event_add_waiter(cl_event event, struct ocl_waiter *waiter)
{
	lock_take(&event->lock);
	const bool open = !ocl_event_is_settled(event);
	if (open) {
		waiter->next = event->waiters;
		event->waiters = waiter;
	}
	lock_drop(&event->lock);
	return open;
}

/* --- callbacks ------------------------------------------------------------------------ */

static void callback_run(struct ocl_delivery *delivery)
{
	struct ocl_callback *callback = list_entry(delivery, struct ocl_callback, delivery);
	lock_assert_none();
	callback->notify(callback->event, callback->status, callback->data);
	object_unref(callback->event);
	free(callback);
}

/* Passes callbacks to the callback thread. */
static void callbacks_deliver(struct _cl_event *event, struct ocl_callback *callbacks,
			      cl_int status)
{
	while (callbacks) {
		struct ocl_callback *next = callbacks->next;
		/* OpenCL 3.0 API, 5.11: the callback gets the status for which it was registered, or the negative
		 * status with which the command ended. */
		callbacks->status = status < 0 ? status : callbacks->type;
		object_ref(event);
		callbacks->event = event;
		callbacks->delivery.run = callback_run;
		ocl_complete_deliver(&callbacks->delivery);
		callbacks = next;
	}
}

/* Removes and returns the callbacks whose status has been reached. */
static struct ocl_callback *callbacks_take_locked(struct _cl_event *event, cl_int status)
{
	struct ocl_callback **link = &event->callbacks, *taken = NULL, **end = &taken;
	while (*link) {
		struct ocl_callback *callback = *link;
		if (status > callback->type) {
			link = &callback->next;
			continue;
		}
		*link = callback->next;
		callback->next = NULL;
		*end = callback;
		end = &callback->next;
	}
	return taken;
}

/* Passes the callbacks of an event that has ended to the callback thread, and releases the watch's reference. */
static void event_ended(struct _cl_event *event)
{
	const cl_int status = status_load(event);
	lock_take(&event->lock);
	struct ocl_callback *callbacks = callbacks_take_locked(event, status);
	lock_drop(&event->lock);
	callbacks_deliver(event, callbacks, status);
	object_unref(event);
}

static void event_fired(struct ocl_watch *watch, cl_int status)
{
	struct _cl_event *event = list_entry(watch, struct _cl_event, watch);
	if (status == CL_COMPLETE)
		event_done(event);
	else
		(void)status_lower(event, status);
	event_ended(event);
}

/* Called by a worker thread, again and again until the fence has passed: other work has its turn in between. */
static void fence_polled(struct ocl_delivery *delivery)
{
	struct _cl_event *event = list_entry(delivery, struct _cl_event, poll);
	if (ocl_event_status(event) > CL_COMPLETE) {
		opengl_fence_pause();
		ocl_complete_work(delivery);
	} else {
		event_ended(event);
	}
}

static void watch_start(struct _cl_event *event)
{
	if (has_fence(event))
		ocl_complete_work(&event->poll);
	else
		ocl_complete_watch(&event->watch);
}

/* Whether the caller has to start the watch, after it has dropped the lock. */
static bool watch_needed_locked(struct _cl_event *event)
{
	if (event->watched || !event->callbacks || !(event->done || has_fence(event)))
		return false;
	event->watched = true;
	object_ref(event);
	if (has_fence(event)) {
		event->poll.run = fence_polled;
		return true;
	}
	event->watch.event = event->done;
	event->watch.fire = event_fired;
	event->watch.calls_back = true;
	return true;
}

cl_int ocl_callback_create(cl_int type, void (CL_CALLBACK *notify)(cl_event, cl_int, void *),
			   void *data, struct ocl_callback **callback_out)
{
	cl_int error = ocl_complete_start();
	if (error)
		return error;
	struct ocl_callback *callback = calloc(1, sizeof(*callback));
	if (!callback)
		return CL_OUT_OF_HOST_MEMORY;
	callback->type = type;
	callback->notify = notify;
	callback->data = data;
	*callback_out = callback;
	return CL_SUCCESS;
}

void ocl_callback_free(struct ocl_callback *callback)
{
	free(callback);
}

void ocl_event_take_callback(cl_event event, struct ocl_callback *callback)
{
	const cl_int polled = ocl_event_status(event);
	lock_take(&event->lock);
	/* The command may have been settled since.  Its completion need not be asked for again: the watch will
	 * report it. */
	const cl_int status = polled <= CL_COMPLETE ? polled : status_load(event);
	struct ocl_callback **end = &event->callbacks;
	while (*end)
		end = &(*end)->next;
	*end = callback;
	struct ocl_callback *due = callbacks_take_locked(event, status);
	const bool watch = watch_needed_locked(event);
	lock_drop(&event->lock);
	callbacks_deliver(event, due, status);
	if (watch)
		watch_start(event);
}

cl_int ocl_event_add_callback(cl_event event, cl_int type,
			      void (CL_CALLBACK *notify)(cl_event, cl_int, void *), void *data)
{
	struct ocl_callback *callback;
	const cl_int error = ocl_callback_create(type, notify, data, &callback);
	if (!error)
		ocl_event_take_callback(event, callback);
	return error;
}

/* --- settling ---------------------------------------------------------------------------- */

static struct ocl_waiter *waiters_take_locked(struct _cl_event *event)
{
	struct ocl_waiter *waiters = event->waiters;
	event->waiters = NULL;
	lock_condition_signal_all(&event->changed);
	return waiters;
}

struct ocl_waiter *ocl_event_submitted(cl_event event, const struct ocl_submission *submission)
{
	lock_take(&event->lock);
	event->done = submission->done;
	event->before_sequence = submission->before_sequence;
	if (event->profiling) {
		event->start = submission->start;
		event->arrived_ns = submission->arrived_ns;
		if (!event->submit_ns)
			event->submit_ns = host_now_ns();
	}
	(void)status_lower(event, CL_SUBMITTED);
	struct ocl_waiter *waiters = waiters_take_locked(event);
	struct ocl_callback *due = callbacks_take_locked(event, CL_SUBMITTED);
	const bool watch = watch_needed_locked(event);
	lock_drop(&event->lock);
	callbacks_deliver(event, due, CL_SUBMITTED);
	if (watch)
		ocl_complete_watch(&event->watch);
	return waiters;
}

/* No other thread knows the event before it is returned to the application, so no lock is needed. */
void ocl_event_submitted_alone(cl_event event, const struct ocl_submission *submission)
{
	event->done = submission->done;
	event->before_sequence = submission->before_sequence;
	if (event->profiling) {
		event->start = submission->start;
		event->arrived_ns = submission->arrived_ns;
	}
	atomic_store_explicit(&event->status, CL_SUBMITTED, memory_order_release);
}

struct ocl_waiter *ocl_event_end(cl_event event, cl_int code, bool *first_out)
{
	lock_take(&event->lock);
	*first_out = status_lower(event, code);
	struct ocl_waiter *waiters = *first_out ? waiters_take_locked(event) : NULL;
	struct ocl_callback *due = *first_out ? callbacks_take_locked(event, code) : NULL;
	lock_drop(&event->lock);
	if (*first_out && !event->queue)
		atomic_fetch_sub_explicit(&event->context->user_events, 1, memory_order_relaxed);
	callbacks_deliver(event, due, code);
	return waiters;
}

/* CUDA orders what it is told to do after the commands of the current OpenGL context ("CUDA Driver API",
 * cuGraphicsMapResources), but not after those of another. */
static cl_int fence_order(struct _cl_event *event)
{
	if (opengl_fence_is_ahead(event->fence))
		return CL_SUCCESS;
	return ocl_event_wait(event) < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int ocl_event_order(cl_event event, struct gpu_stream *stream)
{
	const cl_int status = status_load(event);
	if (status < 0)
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	if (status == CL_COMPLETE)
		return CL_SUCCESS;
	if (has_fence(event))
		return fence_order(event);
	if (gpu_event_has_failed(event->done))
		return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	const cl_int error = gpu_stream_wait_event(stream, event->done);
	if (!error)
		return CL_SUCCESS;
	/* The error may come from the event's device or from the stream's. (Not ocl_event_status, which may write
	 * printf's output: the caller holds a lock.) */
	bool done;
	const cl_int lost = gpu_device_status(gpu_stream_device(stream));
	if (lost)
		return lost;
	return gpu_event_query(event->done, &done) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST :
		error;
}

void ocl_event_wait_settled(cl_event event)
{
	lock_assert_none();
	if (ocl_event_is_settled(event))
		return;
	lock_take(&event->lock);
	while (!ocl_event_is_settled(event))
		lock_condition_wait(&event->changed, &event->lock);
	lock_drop(&event->lock);
}

cl_int ocl_event_wait(cl_event event)
{
	ocl_event_wait_settled(event);
	const cl_int status = status_load(event);
	if (status <= CL_COMPLETE)
		return status;
	if (has_fence(event))
		return fence_status(event, opengl_fence_wait(event->fence));
	const cl_int error = gpu_event_wait(event->done);
	if (error < 0)
		(void)status_lower(event, error);
	else
		event_done(event);
	return status_load(event);
}

/* --- profiling ------------------------------------------------------------------------------ */

static cl_ulong later_of(cl_ulong a, cl_ulong b)
{
	return a > b ? a : b;
}

cl_int ocl_event_profiling_ns(cl_event event, cl_profiling_info name, cl_ulong *time_ns_out)
{
	/* "the host time is used when any device starts executing a command-buffer command": that is when the wait list
	 * of the command buffer has ended. */
	const struct _cl_event *first = event->several && event->begun ? event->begun : event;
	struct gpu_event *start = first == event ? event->start : first->done;
	if (!event->profiling || ocl_event_status(event) != CL_COMPLETE || !event->done || !start)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	uint64_t start_ns, end_ns;
	cl_int error = gpu_event_time_ns(start, &start_ns);
	if (!error)
		error = gpu_event_time_ns(event->done, &end_ns);
	if (error)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	/* The times come from two clocks that are never exactly equal; the order required by the specification is
	 * enforced. */
	const cl_ulong submit_ns = later_of(first->queued_ns, first->submit_ns);
	start_ns = later_of(start_ns, first->arrived_ns < end_ns ? first->arrived_ns : end_ns);
	start_ns = later_of(start_ns, submit_ns);
	end_ns = later_of(end_ns, start_ns);
	switch (name) {
	case CL_PROFILING_COMMAND_QUEUED:
		*time_ns_out = first->queued_ns;
		return CL_SUCCESS;
	case CL_PROFILING_COMMAND_SUBMIT:
		*time_ns_out = submit_ns;
		return CL_SUCCESS;
	case CL_PROFILING_COMMAND_START:
		*time_ns_out = start_ns;
		return CL_SUCCESS;
	case CL_PROFILING_COMMAND_END:
	case CL_PROFILING_COMMAND_COMPLETE:
		*time_ns_out = end_ns;
		return CL_SUCCESS;
	default:
		return CL_INVALID_VALUE;
	}
}

bool ocl_event_is_linked(const struct _cl_event *event)
{
	return event->type == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR ||
	       event->type == CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR;
}

/* OpenCL 3.1 API, 5.11: events of OpenGL's sync objects are for acquires, those of EGL's for "commands to acquire and
 * release memory objects". */
static bool role_takes(enum ocl_wait_role role, const struct _cl_event *event)
{
	return role == OCL_WAIT_ACQUIRE || !ocl_event_is_linked(event) ||
	       (role == OCL_WAIT_RELEASE && event->type == CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR);
}

cl_int ocl_wait_list_check(const struct _cl_context *context, enum ocl_wait_role role, cl_uint count,
			   const cl_event *events)
{
	cl_int error = CL_SUCCESS;
	if (!count != !events)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint i = 0; i < count; i++) {
		if (object_check(events[i], &ocl_event_type))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (events[i]->context != context)
			error = CL_INVALID_CONTEXT;
		/* "Passing such events to any other CL API that enqueues commands will generate a CL_INVALID_EVENT
		 * error". */
		else if (!role_takes(role, events[i]))
			return CL_INVALID_EVENT;
	}
	return error;
}
