/* Operations in streams, and the threads that run them. */
#include "config.h"

#include "backend/softcuda/api_fault.h"
#include "backend/softcuda/soft.h"
#include "base/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* One worker runs one operation; so many streams can be busy at once. */
enum { WORKERS_MAX = 64 };
static const uint64_t stop_patience_ns = 2000000000u;

struct worker {
	pthread_t thread;
	bool left;                           /* or about to: it can be joined */
};

static struct worker workers[WORKERS_MAX];
static unsigned worker_count, worker_idle;

/* --- operations ---------- */

void *soft_operation_create(const struct soft_operation_type *type, size_t size_B)
{
	struct soft_operation *operation = calloc(1, size_B);
	if (!operation)
		return NULL;
	operation->type = type;
	list_init(&operation->link);
	list_init(&operation->kernel_link);
	return operation;
}

void soft_operation_destroy_locked(struct soft_operation *operation)
{
	if (!operation)
		return;
	if (operation->type->finish_locked)
		operation->type->finish_locked(operation);
	for (uint32_t i = 0; i < operation->point_count; i++)
		soft_stream_unref_locked(operation->points[i].stream);
	free(operation->points);
	free(operation);
}

bool soft_point_reached(const struct soft_point *point)
{
	return !point->stream || point->stream->completed >= point->sequence;
}

CUresult soft_operation_wait_for_locked(struct soft_operation *operation,
					struct soft_stream *stream, uint64_t sequence)
{
	const struct soft_point point = {stream, sequence};
	if (soft_point_reached(&point))
		return CUDA_SUCCESS;
	struct soft_point *points = realloc(
		operation->points, (operation->point_count + 1) * sizeof(*points));
	if (!points)
		return CUDA_ERROR_OUT_OF_MEMORY;
	points[operation->point_count++] = point;
	operation->points = points;
	stream->refs++;
	return CUDA_SUCCESS;
}

static bool blocking(const struct soft_stream *stream)
{
	return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* The NULL stream waits for what is in the context's blocking streams, and they
 * wait for what is in it. */
static CUresult add_implicit_points_locked(struct soft_operation *operation,
					   struct soft_stream *stream)
{
	struct soft_stream *legacy = stream->context->legacy;
	if (!blocking(stream))
		return CUDA_SUCCESS;
	if (stream != legacy)
		return soft_operation_wait_for_locked(operation, legacy, legacy->submitted);
	struct list *link, *next;
	list_for_each(link, next, &stream->context->streams) {
		struct soft_stream *other = list_entry(link, struct soft_stream, link);
		if (other == stream || !blocking(other))
			continue;
		CUresult result = soft_operation_wait_for_locked(operation, other,
								 other->submitted);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

/* --- the schedule ---------- */

/* The operation of stream that may start now, or NULL. */
static struct soft_operation *first_ready_locked(const struct soft_stream *stream)
{
	if (stream->running || list_empty(&stream->operations))
		return NULL;
	struct soft_operation *operation =
		list_entry(stream->operations.next, struct soft_operation, link);
	for (uint32_t i = 0; i < operation->point_count; i++)
		if (!soft_point_reached(&operation->points[i]))
			return NULL;
	return operation;
}

static bool needs_worker(const struct soft_operation *operation)
{
	const bool well = operation->stream->context->fault == CUDA_SUCCESS;
	if (operation->injected != CUDA_SUCCESS)
		return well;
	return operation->type->run && (well || operation->type->despite_fault);
}

/* The one place that decides which operation starts next, of all that may:
 * the stream of highest priority, then the oldest.  ready_out: how many may. */
static struct soft_operation *schedule_pick_locked(unsigned *ready_out)
{
	struct soft_operation *best = NULL;
	unsigned ready = 0;
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.active) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, active);
		struct soft_operation *operation = first_ready_locked(stream);
		if (!operation || !needs_worker(operation))
			continue;
		ready++;
		if (!best || stream->priority < best->stream->priority ||
		    (stream->priority == best->stream->priority &&
		     operation->ticket < best->ticket))
			best = operation;
	}
	*ready_out = ready;
	return best;
}

static void take_fault_locked(struct soft_context *context, CUresult result,
			      struct bytes *report)
{
	if (context->fault != CUDA_SUCCESS)
		return;
	context->fault = result;
	bytes_finish(&context->report);
	bytes_move(&context->report, report);
}

static void fault_locked(struct soft_operation *operation, CUresult result,
			 struct bytes *report)
{
	struct soft_context *context = operation->stream->context;
	log_err("softcuda: device %u: %s failed with %d: %.*s", context->device->index,
		operation->type->name, (int)result, soft_line_length(report), bytes_string(report));
	take_fault_locked(context, result, report);
}

static void complete_locked(struct soft_operation *operation)
{
	struct soft_stream *stream = operation->stream;
	stream->completed = operation->sequence;
	stream->running = false;
	list_remove(&operation->link);
	if (operation->type->retire_locked)
		operation->type->retire_locked(operation);
	if (operation->kernel) {
		list_remove(&operation->kernel_link);
		soft_memory_reap_locked();
	}
	soft_operation_destroy_locked(operation);
	if (list_empty(&stream->operations))
		list_remove(&stream->active);
	soft_stream_unref_locked(stream);
	lock_condition_signal_all(&soft_driver.done);
}

/* Completes what needs no worker; true when there was any. */
static bool complete_effortless_locked(void)
{
	bool any = false;
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.active) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, active);
		struct soft_operation *operation;
		stream->refs++;
		while ((operation = first_ready_locked(stream)) && !needs_worker(operation)) {
			complete_locked(operation);
			any = true;
		}
		soft_stream_unref_locked(stream);
	}
	return any;
}

static void start_worker_locked(void);

/* After any change.  own: a worker that will take one of what is ready itself,
 * so that no other is woken for it. */
static void settle_locked(bool own)
{
	unsigned ready;
	while (complete_effortless_locked())
		;
	schedule_pick_locked(&ready);
	if (own && ready)
		ready--;
	if (ready > worker_idle)
		start_worker_locked();
	for (unsigned i = 0; i < ready && i < worker_idle; i++)
		pthread_cond_signal(&soft_driver.work.condition);
}

void soft_context_fault_locked(struct soft_context *context, CUresult result,
			       struct bytes *report)
{
	take_fault_locked(context, result, report);
	settle_locked(false);
}

CUresult soft_operation_submit_locked(struct soft_operation *operation,
				      struct soft_stream *stream)
{
	operation->stream = stream;
	operation->injected = soft_fault_take_operation();
	CUresult result = add_implicit_points_locked(operation, stream);
	if (result != CUDA_SUCCESS) {
		soft_operation_destroy_locked(operation);
		return result;
	}
	stream->refs++;
	operation->sequence = ++stream->submitted;
	operation->ticket = ++soft_driver.next_id;
	if (list_empty(&stream->operations))
		list_append(&soft_driver.active, &stream->active);
	list_append(&stream->operations, &operation->link);
	settle_locked(false);
	return CUDA_SUCCESS;
}

/* --- workers ---------- */

/* Without the lock. */
static CUresult run(struct soft_operation *operation, struct bytes *report)
{
	if (operation->injected == CUDA_SUCCESS)
		return operation->type->run(operation, report);
	bytes_append_string(report, "fault injected");
	return operation->injected;
}

static void run_locked(struct soft_operation *operation)
{
	struct bytes report = BYTES_INIT;
	operation->stream->running = true;
	if (operation->kernel) {
		operation->kernel_number = ++soft_driver.kernels_started;
		list_append(&soft_driver.kernels, &operation->kernel_link);
	}
	lock_drop(&soft_driver.lock);
	CUresult result = run(operation, &report);
	lock_take(&soft_driver.lock);
	if (result != CUDA_SUCCESS)
		fault_locked(operation, result, &report);
	bytes_finish(&report);
	complete_locked(operation);
	settle_locked(true);
}

static void *work(void *data)
{
	struct worker *self = data;
	lock_take(&soft_driver.lock);
	while (!soft_driver.stopping) {
		unsigned ready;
		struct soft_operation *operation = schedule_pick_locked(&ready);
		if (operation) {
			run_locked(operation);
			continue;
		}
		worker_idle++;
		lock_condition_wait(&soft_driver.work, &soft_driver.lock);
		worker_idle--;
	}
	self->left = true;
	lock_condition_signal_all(&soft_driver.done);
	lock_drop(&soft_driver.lock);
	return NULL;
}

/* No thread is no disaster while there is another: the work waits for it. */
static void start_worker_locked(void)
{
	sigset_t all, before;
	if (worker_count == WORKERS_MAX || soft_driver.stopping)
		return;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return;
	struct worker *worker = &workers[worker_count];
	if (!pthread_create(&worker->thread, NULL, work, worker))
		worker_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

CUresult soft_workers_start_locked(void)
{
	if (!worker_count)
		start_worker_locked();
	return worker_count ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool all_left_locked(void)
{
	for (unsigned i = 0; i < worker_count; i++)
		if (!workers[i].left)
			return false;
	return true;
}

bool soft_workers_stop(void)
{
	const uint64_t until_ns = soft_now_ns() + stop_patience_ns;
	lock_take(&soft_driver.lock);
	soft_driver.stopping = true;
	lock_condition_signal_all(&soft_driver.work);
	for (uint64_t now_ns; !all_left_locked() && (now_ns = soft_now_ns()) < until_ns;)
		lock_condition_wait_for(&soft_driver.done, &soft_driver.lock, until_ns - now_ns);
	bool all = all_left_locked();
	for (unsigned i = 0; i < worker_count; i++) {
		if (!workers[i].left)
			continue;
		lock_drop(&soft_driver.lock);
		pthread_join(workers[i].thread, NULL);
		lock_take(&soft_driver.lock);
	}
	lock_drop(&soft_driver.lock);
	return all;
}

/* --- waiting ---------- */

CUresult soft_stream_wait_locked(struct soft_stream *stream)
{
	const uint64_t sequence = stream->submitted;
	stream->refs++;
	while (stream->completed < sequence)
		lock_condition_wait(&soft_driver.done, &soft_driver.lock);
	CUresult result = stream->context ? stream->context->fault
					  : CUDA_ERROR_CONTEXT_IS_DESTROYED;
	soft_stream_unref_locked(stream);
	return result;
}

static uint32_t count_streams(const struct soft_context *context)
{
	uint32_t count = 0;
	for (const struct list *link = context->streams.next; link != &context->streams;
	     link = link->next)
		count++;
	return count;
}

CUresult soft_context_wait_locked(struct soft_context *context)
{
	struct soft_point *points = malloc(count_streams(context) * sizeof(*points));
	if (!points)
		return CUDA_ERROR_OUT_OF_MEMORY;
	uint32_t count = 0;
	struct list *link, *next;
	list_for_each(link, next, &context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		stream->refs++;
		points[count++] = (struct soft_point){stream, stream->submitted};
	}
	context->refs++;
	for (uint32_t i = 0; i < count; i++) {
		while (!soft_point_reached(&points[i]))
			lock_condition_wait(&soft_driver.done, &soft_driver.lock);
		soft_stream_unref_locked(points[i].stream);
	}
	free(points);
	CUresult result = context->alive ? context->fault : CUDA_ERROR_CONTEXT_IS_DESTROYED;
	soft_context_unref_locked(context);
	return result;
}
