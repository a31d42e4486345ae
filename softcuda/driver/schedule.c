/* Operations in streams, and the threads that run them. */
#include "config.h"

#include "softcuda/driver/schedule.h"

#include "base/log.h"
#include "base/thread.h"
#include "softcuda/check/report_file.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/event.h"
#include "softcuda/driver/fault.h"
#include "softcuda/driver/image.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* A worker thread runs one operation at a time, so that many streams can be busy. */
enum { WORKERS_MAX = 64 };
static const uint64_t stop_patience_ns = 2000000000u;
static const uint64_t nudge_ns = 100000000;

struct worker {
	pthread_t thread;
	bool left;                           /* it has left its loop, or is about to: it can be joined */
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
	soft_oracle_forget_locked(operation);
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
	/* A point that was reached orders nothing any more, but the oracle needs it. */
	if (soft_point_reached(&point) && !soft_oracle_on())
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

/* The NULL stream waits for the work in the context's blocking streams, and they wait for its work. */
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

/* The stream's operation that can start now, or NULL. */
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

/* Chooses the operation of the stream with the highest priority, then the oldest. *ready_out: the number that can
 * start. */
static struct soft_operation *pick_eager_locked(unsigned *ready_out)
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

/* A lazy schedule runs one operation at a time, and only when a thread waits. */
static struct {
	bool busy;                           /* an operation runs that does not call the host */
	bool granted;                        /* one operation may run although no thread waits */
	unsigned watchers;                   /* workers that wait until there was no call for a while (idle_locked) */
	uint64_t active_ns;                  /* when an operation was last submitted or completed */
	uint64_t progress;                   /* the number of such events */
} lazy;

struct waiter {
	struct list link;                    /* in soft_driver.waiters */
	const struct soft_point *point;      /* NULL: it waits for any operation to complete */
};

static bool wanted_locked(void)
{
	struct list *link, *next;
	if (lazy.granted)
		return true;
	list_for_each(link, next, &soft_driver.waiters) {
		const struct soft_point *point = list_entry(link, struct waiter, link)->point;
		if (point && !soft_point_reached(point))
			return true;
	}
	return false;
}

/* Wakes waiting threads, if one of them has what it waits for: a thread that is woken in vain costs more than a short
 * kernel. */
static void wake_waiters_locked(void)
{
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.waiters) {
		const struct soft_point *point = list_entry(link, struct waiter, link)->point;
		if (!point || soft_point_reached(point)) {
			lock_condition_signal_all(&soft_driver.done);
			return;
		}
	}
}

/* Waits once; the caller looks whether what it waits for has come.  point: as in struct waiter.  most_ns: how long at
 * most; 0: without a limit. */
static void wait_once_locked(const struct soft_point *point, uint64_t most_ns)
{
	struct waiter waiter = {.point = point};
	list_append(&soft_driver.waiters, &waiter.link);
	if (most_ns)
		(void)lock_condition_wait_for(&soft_driver.done, &soft_driver.lock, most_ns);
	else
		lock_condition_wait(&soft_driver.done, &soft_driver.lock);
	list_remove(&waiter.link);
}

static bool is_the_hosts(const struct soft_operation *operation)
{
	return operation->type->calls_host || operation->type->waits_for_host;
}

/* Operations that call the host, or wait for it, start at once and run beside others, because the host may wait for
 * them while they wait for the host. */
static struct soft_operation *pick_lazy_locked(unsigned *ready_out, bool only_count)
{
	struct soft_operation *candidates[SOFT_CANDIDATES_MAX], *hosts = NULL;
	unsigned count = 0;
	*ready_out = 0;
	struct list *link, *next;
	list_for_each(link, next, &soft_driver.active) {
		struct soft_operation *operation =
			first_ready_locked(list_entry(link, struct soft_stream, active));
		if (!operation || !needs_worker(operation) || soft_sched_kept_locked(operation))
			continue;
		++*ready_out;
		if (is_the_hosts(operation))
			hosts = operation;
		else if (count < SOFT_CANDIDATES_MAX)
			candidates[count++] = operation;
	}
	if (hosts)
		return hosts;
	if (!count || only_count || lazy.busy || !wanted_locked())
		return NULL;
	return candidates[soft_sched_choose_locked(candidates, count)];
}

/* Decides which of the operations that can start is the next; no other function does. */
static struct soft_operation *schedule_pick_locked(unsigned *ready_out)
{
	return soft_sched.lazy ? pick_lazy_locked(ready_out, false)
			       : pick_eager_locked(ready_out);
}

static void note_progress_locked(void)
{
	lazy.progress++;
	if (soft_sched.lazy)
		lazy.active_ns = soft_now_ns();
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
	soft_oracle_complete_locked(operation);
	soft_sched_tick_locked(operation);
	note_progress_locked();
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
	wake_waiters_locked();
}

/* Completes operations that need no worker thread; true if there was one. */
static bool complete_without_worker_locked(void)
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

/* How many workers a lazy schedule needs now.  One operation runs at a time, and the worker that runs it takes the next
 * one, too.  As long as no thread waits, one worker watches the time; it is not woken for each call. */
static unsigned needed_lazily_locked(void)
{
	unsigned ready;
	if (pick_lazy_locked(&ready, true))
		return ready;                /* the host's operations run beside others */
	return ready && !lazy.busy && (!lazy.watchers || wanted_locked());
}

/* Called after any change. own: the caller is a worker that will take one of the ready operations itself, so one
 * worker less is woken. */
static void settle_locked(bool own)
{
	unsigned ready;
	while (complete_without_worker_locked())
		;
	if (soft_sched.lazy)
		ready = needed_lazily_locked();
	else
		pick_eager_locked(&ready);
	if (own && ready)
		ready--;
	if (ready > worker_idle)
		start_worker_locked();
	for (unsigned i = 0; i < ready && i < worker_idle; i++)
		pthread_cond_signal(&soft_driver.work.condition);
}

void soft_schedule_wait_locked(void)
{
	wait_once_locked(NULL, 0);
}

/* Whether an operation may access device memory.  Operations that call the host or wait for it do not, and need not
 * end. */
static bool memory_is_used_locked(void)
{
	const struct list *link;
	for (link = soft_driver.active.next; link != &soft_driver.active; link = link->next) {
		const struct soft_stream *stream = list_entry(link, struct soft_stream, active);
		if (stream->running &&
		    !is_the_hosts(list_entry(stream->operations.next, struct soft_operation, link)))
			return true;
	}
	return false;
}

void soft_schedule_quiet_locked(void)
{
	while (memory_is_used_locked())
		soft_schedule_wait_locked();
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
	soft_oracle_submit_locked(operation);
	note_progress_locked();
	settle_locked(false);
	return CUDA_SUCCESS;
}

/* --- workers ---------- */

/* Runs an operation, without the lock. */
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
	bool alone = soft_sched.lazy && !is_the_hosts(operation);
	operation->stream->running = true;
	soft_oracle_begin_locked(operation);
	if (alone) {
		lazy.busy = true;
		lazy.granted = false;
	}
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
	if (alone)
		lazy.busy = false;
	complete_locked(operation);
	settle_locked(true);
}

/* Waits until there may be something to do.  A lazy schedule continues by itself when there was no call for a while,
 * because the host may poll memory without a call. */
static void idle_locked(unsigned ready)
{
	worker_idle++;
	if (!soft_sched.lazy || !ready || lazy.busy) {
		lock_condition_wait(&soft_driver.work, &soft_driver.lock);
	} else {
		const uint64_t passed_ns = soft_now_ns() - lazy.active_ns;
		lazy.watchers++;
		lock_condition_wait_for(&soft_driver.work, &soft_driver.lock,
					soft_sched.idle_ns - (passed_ns < soft_sched.idle_ns ? passed_ns : 0));
		lazy.watchers--;
		if (!lazy.busy && soft_now_ns() - lazy.active_ns >= soft_sched.idle_ns)
			lazy.granted = true;
	}
	worker_idle--;
}

static void *work(void *data)
{
	struct worker *self = data;
	(void)prctl(PR_SET_NAME, "softcuda-order");
	lock_take(&soft_driver.lock);
	while (!soft_driver.stopping) {
		unsigned ready;
		struct soft_operation *operation = schedule_pick_locked(&ready);
		if (operation) {
			run_locked(operation);
			continue;
		}
		idle_locked(ready);
	}
	self->left = true;
	lock_condition_signal_all(&soft_driver.done);
	lock_drop(&soft_driver.lock);
	return NULL;
}

/* If no thread can be started, the work waits for an existing one. */
static void start_worker_locked(void)
{
	if (worker_count == WORKERS_MAX || soft_driver.stopping)
		return;
	struct worker *worker = &workers[worker_count];
	if (!thread_start(&worker->thread, NULL, work, worker))
		worker_count++;
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

static void report_stuck_locked(const struct soft_point *point)
{
	struct bytes text = BYTES_INIT;
	struct list *link, *next;
	bytes_printf(&text, "softcuda: ordering: a host thread waits for operation %llu of stream "
		     "%llu, and nothing makes progress\n", (unsigned long long)point->sequence,
		     (unsigned long long)point->stream->id);
	list_for_each(link, next, &soft_driver.active) {
		const struct soft_stream *stream = list_entry(link, struct soft_stream, active);
		const struct soft_operation *first =
			list_entry(stream->operations.next, struct soft_operation, link);
		bytes_printf(&text, "  stream %llu: %s %s (operation %llu) %s\n",
			     (unsigned long long)stream->id, first->type->name,
			     first->label ? first->label : "", (unsigned long long)first->sequence,
			     stream->running ? "runs" : "waits");
	}
	soft_report("%s  schedule: CULVERT_SOFT_SCHED=%s\n", bytes_string(&text),
		    soft_sched_items());
	bytes_finish(&text);
}

static CUresult wait_lazily_locked(const struct soft_point *point)
{
	struct waiter waiter = {.point = point};
	CUresult result = CUDA_SUCCESS;
	unsigned ready;
	list_append(&soft_driver.waiters, &waiter.link);
	settle_locked(false);
	while (!soft_point_reached(point)) {
		uint64_t progress = lazy.progress;
		if (!lock_condition_wait_for(&soft_driver.done, &soft_driver.lock,
					     soft_sched.stuck_ns))
			continue;
		pick_lazy_locked(&ready, true);
		if (progress != lazy.progress || lazy.busy || ready || soft_point_reached(point))
			continue;
		report_stuck_locked(point);
		result = CUDA_ERROR_LAUNCH_TIMEOUT;
		break;
	}
	list_remove(&waiter.link);
	return result;
}

CUresult soft_point_wait_locked(const struct soft_point *point)
{
	CUresult result = CUDA_SUCCESS;
	if (soft_sched.lazy && !soft_point_reached(point))
		result = wait_lazily_locked(point);
	while (result == CUDA_SUCCESS && !soft_point_reached(point))
		wait_once_locked(point, 0);
	if (result == CUDA_SUCCESS)
		soft_oracle_learn_locked(point->stream, point->sequence);
	return result;
}

bool soft_point_rest_locked(const struct soft_point *point, uint64_t most_ns)
{
	unsigned ready = 0;
	if (!soft_sched.lazy) {
		if (!soft_point_reached(point))
			wait_once_locked(point, most_ns);
		return true;
	}
	/* Who rests lets nothing run, so that schedules depend on queries alone. */
	pick_lazy_locked(&ready, true);
	if (!lazy.busy)
		return ready;
	wait_once_locked(NULL, most_ns);
	return true;
}

/* Runs one operation to its end, so that the same queries have the same results in each run; a long operation is not
 * waited for. */
void soft_schedule_nudge_locked(void)
{
	unsigned ready;
	if (!soft_sched.lazy || lazy.busy || !soft_sched_coin_locked())
		return;
	pick_lazy_locked(&ready, true);
	if (!ready)
		return;
	lazy.granted = true;
	const uint64_t until_ns = soft_now_ns() + nudge_ns;
	settle_locked(false);
	for (uint64_t now_ns; (lazy.granted || lazy.busy) && (now_ns = soft_now_ns()) < until_ns;)
		wait_once_locked(NULL, until_ns - now_ns);
}

CUresult soft_stream_wait_locked(struct soft_stream *stream)
{
	const struct soft_point point = {stream, stream->submitted};
	stream->refs++;
	CUresult result = soft_point_wait_locked(&point);
	if (result == CUDA_SUCCESS)
		result = stream->context ? stream->context->fault
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
	CUresult result = CUDA_SUCCESS;
	for (uint32_t i = 0; i < count; i++) {
		if (result == CUDA_SUCCESS)
			result = soft_point_wait_locked(&points[i]);
		soft_stream_unref_locked(points[i].stream);
	}
	free(points);
	if (result == CUDA_SUCCESS)
		result = context->alive ? context->fault : CUDA_ERROR_CONTEXT_IS_DESTROYED;
	soft_context_unref_locked(context);
	return result;
}

static struct soft_context *busy_context_locked(void)
{
	struct list *link, *next, *of, *of_next;
	list_for_each(link, next, &soft_driver.contexts) {
		struct soft_context *context = list_entry(link, struct soft_context, link);
		list_for_each(of, of_next, &context->streams)
			if (!soft_stream_idle(list_entry(of, struct soft_stream, link)))
				return context;
	}
	return NULL;
}

void soft_schedule_let_go_locked(void)
{
	soft_sched_let_go_locked();
	settle_locked(false);
}

CUresult soft_schedule_restart_locked(const char *items)
{
	struct soft_context *context;
	soft_schedule_let_go_locked();
	while ((context = busy_context_locked())) {
		/* A fault is a matter of the context; its streams are empty nevertheless. */
		const CUresult result = soft_context_wait_locked(context);
		if (result == CUDA_ERROR_LAUNCH_TIMEOUT || result == CUDA_ERROR_OUT_OF_MEMORY)
			return result;
	}
	struct list *link, *next, *of, *of_next;
	list_for_each(link, next, &soft_driver.contexts) {
		context = list_entry(link, struct soft_context, link);
		list_for_each(of, of_next, &context->streams)
			list_entry(of, struct soft_stream, link)->chance = 0;
	}
	lazy.granted = false;
	soft_oracle_restart_locked();
	const bool good = soft_sched_restart_locked(items);
	/* Wakes workers that were waiting under the old schedule. */
	lock_condition_signal_all(&soft_driver.work);
	return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
