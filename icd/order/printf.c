#include "config.h"

#include "icd/order/printf.h"

#include "base/cancel.h"
#include "base/log.h"
#include "icd/order/printf_format.h"
#include "icd/order/queue.h"
#include "icd/thread/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PRINTS_MAX = 8,                  /* launches of one queue whose output is not written yet */
	COPY_B = 1 << 16,                /* bytes copied after each launch: most output is small */
	WRITE_B = 1 << 16                /* text is written in pieces of about this size */
};

/* The output of one launch, or memory for it. */
struct ocl_print {
	struct list link;                /* in ocl_prints.pending or ocl_printf.idle */
	cl_command_queue queue;          /* ref held while it is used */
	struct ocl_code *code;           /* ref held while it is used */
	gpu_address buffer;
	unsigned char *copy;             /* pinned memory for the buffer's first COPY_B bytes */
	struct gpu_event *done;          /* owned: happens after the copy; NULL while it is idle */
	struct gpu_stream *stream;       /* the launch's stream */
	bool writing;                    /* a thread is writing the output */
	uint64_t number;                 /* in ocl_prints.pending: they ascend */
	struct ocl_watch watch;
};

struct ocl_printf {
	struct gpu_device *device;
	struct lock lock;                /* guards all fields below */
	unsigned count;                  /* number of ocl_print that exist */
	struct lock_condition changed;   /* an ocl_print became idle */
	struct list idle;
};

/* Whether the calling thread is within print_write, which may call the application. */
static _Thread_local bool thread_writes;

/* --- birth and death ------------------------------------------------------------------------ */

static const uint64_t buffer_B = sizeof(struct abi_print_header) + OCL_PRINTF_BUFFER_B;

cl_int ocl_print_buffer_create(struct gpu_device *device, gpu_address *buffer_out)
{
	return gpu_memory_alloc(device, buffer_B, buffer_out);
}

cl_int ocl_print_buffer_empty(struct gpu_sink sink, gpu_address buffer)
{
	const struct abi_print_header header = {0, OCL_PRINTF_BUFFER_B};
	return gpu_sink_fill(sink, buffer, &header, sizeof(header), sizeof(header));
}

static void print_destroy(struct ocl_print *print, struct gpu_device *device)
{
	if (print->copy)
		gpu_host_free(device, print->copy, COPY_B);
	if (print->buffer)
		gpu_memory_free(device, print->buffer, NULL, 0);
	free(print);
}

static cl_int print_create(struct gpu_device *device, struct ocl_print **print_out)
{
	void *copy = NULL;
	struct ocl_print *print = calloc(1, sizeof(*print));
	if (!print)
		return CL_OUT_OF_HOST_MEMORY;
	list_init(&print->link);
	cl_int error = ocl_print_buffer_create(device, &print->buffer);
	if (!error)
		error = gpu_host_alloc(device, COPY_B, &copy);
	print->copy = copy;
	if (error)
		print_destroy(print, device);
	else
		*print_out = print;
	return error;
}

static cl_int printf_create(struct gpu_device *device, struct ocl_printf **printing_out)
{
	cl_int error = ocl_complete_start();
	if (error)
		return error;
	struct ocl_printf *printing = calloc(1, sizeof(*printing));
	if (!printing)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&printing->lock, LOCK_RANK_EVENT))
		goto fail_lock;
	if (lock_condition_init(&printing->changed))
		goto fail_condition;
	printing->device = device;
	list_init(&printing->idle);
	*printing_out = printing;
	return CL_SUCCESS;
fail_condition:
	lock_finish(&printing->lock);
fail_lock:
	free(printing);
	return CL_OUT_OF_HOST_MEMORY;
}

void ocl_printf_destroy(struct ocl_printf *printing)
{
	if (!printing)
		return;
	while (!list_empty(&printing->idle)) {
		struct ocl_print *print = list_entry(printing->idle.next, struct ocl_print, link);
		list_remove(&print->link);
		print_destroy(print, printing->device);
	}
	lock_condition_finish(&printing->changed);
	lock_finish(&printing->lock);
	free(printing);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* complete: this is the end of the launch's output. */
static void text_write(const struct _cl_context *context, struct bytes *text, bool complete)
{
	if (bytes_failed(text))
		log_err("out of memory: some output of printf is lost");
	/* Errors of stdout are ignored: the application may have closed it. */
	if (context->print)
		context->print(bytes_string(text), text->size_B, complete, context->notify_data);
	else
		(void)fwrite(bytes_string(text), 1, text->size_B, stdout);
	bytes_finish(text);
}

/* Formats and writes complete records; returns their size in bytes. */
static size_t records_write(const struct _cl_context *context, const struct abi_program *abi,
			    const unsigned char *records, size_t size_B)
{
	struct bytes text = BYTES_INIT;
	size_t at_B = 0, record_B;
	while ((record_B = ocl_printf_format(&text, abi, records + at_B, size_B - at_B))) {
		at_B += record_B;
		if (text.size_B >= WRITE_B || bytes_failed(&text))
			text_write(context, &text, false);
	}
	text_write(context, &text, true);
	if (!context->print)
		(void)fflush(stdout);
	return at_B;
}

/* Copies the whole buffer from the device, in another stream, because the queue's own may have much work by now.
 * NULL: it failed. */
static unsigned char *buffer_fetch(const struct ocl_print *print, size_t size_B)
{
	struct gpu_stream *stream;
	unsigned char *data = malloc(size_B);
	if (!data)
		return NULL;
	cl_int drain_error = CL_SUCCESS;
	cl_int error = gpu_stream_acquire(gpu_stream_device(gpu_event_stream(print->done)), 0,
					  &stream);
	if (!error) {
		error = gpu_copy_to_host(stream, data, print->buffer, size_B);
		drain_error = gpu_stream_drain(stream);
		gpu_stream_release(stream);
	}
	/* The copy may still write to data, so data must not be freed. */
	if (drain_error)
		return NULL;
	if (!error)
		return data;
	free(data);
	return NULL;
}

static void print_write(struct ocl_print *print)
{
	struct abi_print_header header;
	unsigned char *all = NULL;
	memcpy(&header, print->copy, sizeof(header));
	if (!header.head_B)
		return;
	const size_t records_B = header.head_B < OCL_PRINTF_BUFFER_B ? (size_t)header.head_B :
		OCL_PRINTF_BUFFER_B;
	if (sizeof(header) + records_B > COPY_B) {
		all = buffer_fetch(print, sizeof(header) + records_B);
		if (!all) {
			log_err("the output of printf could not be read from the device");
			return;
		}
	}
	const size_t written_B = records_write(
		print->queue->context, print->code->abi, (all ? all : print->copy) + sizeof(header), records_B);
	free(all);
	if (written_B < header.head_B)
		log_warn("printf: the buffer of %zu bytes was full, %llu bytes are lost",
			 OCL_PRINTF_BUFFER_B, (unsigned long long)(header.head_B - written_B));
}

/* Whether the launch is known to be complete: by done, an event of its stream that has happened, or by its own event.
 * done may be NULL. */
static bool print_is_done(const struct ocl_print *print, const struct gpu_event *done)
{
	bool happened = done && print->stream == gpu_event_stream(done) &&
			gpu_event_sequence(print->done) <= gpu_event_sequence(done);
	return happened || (!gpu_event_query(print->done, &happened) && happened);
}

/* The first launch in the list with a number below limit that is found to be complete. */
static struct ocl_print *print_complete_locked(const struct ocl_prints *prints, uint64_t limit,
					       const struct gpu_event *done)
{
	struct list *link;
	for (link = prints->pending.next; link != &prints->pending; link = link->next) {
		struct ocl_print *print = list_entry(link, struct ocl_print, link);
		if (print->number >= limit)
			return NULL;
		if (print_is_done(print, done))
			return print;
	}
	return NULL;
}

/* The launch whose output has to be written next, of those with numbers below limit.  Launches become complete during
 * the search: one that was not complete when it was looked at, and on which the one that was found depends, is now.
 * Therefore what comes before is searched again. */
static struct ocl_print *print_find_locked(const struct ocl_prints *prints, uint64_t limit,
					   const struct gpu_event *done)
{
	struct ocl_print *found = NULL, *earlier;
	while ((earlier = print_complete_locked(prints, limit, done))) {
		found = earlier;
		limit = earlier->number;
	}
	return found;
}

/* Writes the output of one launch, without the lock. */
static void print_write_locked(struct ocl_prints *prints, struct ocl_print *print)
{
	print->writing = true;
	lock_drop(&prints->lock);
	/* Cancellation of the thread is deferred here, because functions without a door (doors.h), such as
	 * clGetEventInfo, get here, too. */
	const int before = cancel_hold();
	thread_writes = true;
	print_write(print);
	thread_writes = false;
	cancel_restore(before);
	lock_take(&prints->lock);
	list_remove(&print->link);
	atomic_fetch_sub(&prints->count, 1);
	lock_condition_signal_all(&prints->changed);
}

bool ocl_printf_is_writing(void)
{
	return thread_writes;
}

/* OpenCL C 3.0, 6.15.14.1: output is written when the launch's event completes, hence before any command in any queue
 * that waits for the event is complete.  Which commands those are is not known here, so all output that is complete
 * is written, in the order in which the launches were submitted; not what is submitted meanwhile, which may have no
 * end. */
void ocl_printf_drain(cl_command_queue queue, struct gpu_event *done)
{
	struct ocl_print *print;
	struct ocl_prints *prints = queue ? &queue->context->prints : NULL;
	if (!prints || thread_writes || !atomic_load(&prints->count))
		return;
	lock_assert_none();
	lock_take(&prints->lock);
	const uint64_t limit = prints->next;
	while ((print = print_find_locked(prints, limit, done))) {
		if (print->writing)
			lock_condition_wait(&prints->changed, &prints->lock);
		else
			print_write_locked(prints, print);
	}
	lock_drop(&prints->lock);
}

/* --- a launch -------------------------------------------------------------------------------- */

/* Makes it idle.  The reference to the queue is released last: the queue, and with it this memory, may be destroyed
 * then. */
static void print_retire(struct ocl_print *print)
{
	cl_command_queue queue = print->queue;
	struct ocl_printf *printing = atomic_load(&queue->printing);
	struct ocl_prints *prints = &queue->context->prints;
	lock_take(&prints->lock);
	/* After an error another thread may still be writing output that was complete before. */
	while (print->writing && !list_empty(&print->link))
		lock_condition_wait(&prints->changed, &prints->lock);
	if (!list_empty(&print->link))
		atomic_fetch_sub(&prints->count, 1);
	list_remove(&print->link);
	lock_drop(&prints->lock);
	gpu_event_unref(print->done);
	ocl_code_unref(print->code);
	print->done = NULL;
	print->code = NULL;
	print->queue = NULL;
	lock_take(&printing->lock);
	list_append(&printing->idle, &print->link);
	lock_condition_signal_all(&printing->changed);
	lock_drop(&printing->lock);
	object_unref(queue);
}

/* After an error the output is lost; the memory becomes idle all the same, because launches may be waiting for it. */
static void print_fired(struct ocl_watch *watch, cl_int status)
{
	struct ocl_print *print = list_entry(watch, struct ocl_print, watch);
	if (status == CL_COMPLETE)
		ocl_printf_drain(print->queue, print->done);
	print_retire(print);
}

static struct ocl_print *idle_take_locked(struct ocl_printf *printing)
{
	struct ocl_print *print = list_entry(printing->idle.next, struct ocl_print, link);
	list_remove(&print->link);
	return print;
}

/* Waits for an idle one.  The completion thread makes each one idle when its launch is complete or has failed, until
 * the process ends. */
static cl_int idle_wait(struct ocl_printf *printing, struct ocl_print **print_out)
{
	static const uint64_t look_ns = 100000000;
	bool stopping = false;
	for (;;) {
		lock_take(&printing->lock);
		if (list_empty(&printing->idle) && !stopping)
			(void)lock_condition_wait_for(&printing->changed, &printing->lock, look_ns);
		const bool found = !list_empty(&printing->idle);
		if (found)
			*print_out = idle_take_locked(printing);
		lock_drop(&printing->lock);
		if (found || stopping)
			return found ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
		stopping = ocl_complete_is_stopping();
	}
}

/* Takes an idle one, or makes one if there are few, or else waits for one. */
static cl_int print_take(struct ocl_printf *printing, struct ocl_print **print_out)
{
	lock_take(&printing->lock);
	const bool make = list_empty(&printing->idle) && printing->count < PRINTS_MAX;
	printing->count += make;
	lock_drop(&printing->lock);
	if (!make)
		return idle_wait(printing, print_out);
	const cl_int error = print_create(printing->device, print_out);
	if (!error)
		return CL_SUCCESS;
	lock_take(&printing->lock);
	const bool others = --printing->count;
	lock_drop(&printing->lock);
	return others ? idle_wait(printing, print_out) : error;
}

/* The printf state of the queue, which the first launch that prints makes. */
static cl_int printing_of(cl_command_queue queue, struct ocl_printf **printing_out)
{
	struct ocl_printf *fresh, *there = atomic_load(&queue->printing);
	if (!there) {
		cl_int error = printf_create(queue->device->gpu, &fresh);
		if (error)
			return error;
		if (atomic_compare_exchange_strong(&queue->printing, &there, fresh))
			there = fresh;
		else
			ocl_printf_destroy(fresh);
	}
	*printing_out = there;
	return CL_SUCCESS;
}

cl_int ocl_print_begin(cl_command_queue queue, struct gpu_stream *stream, struct ocl_code *code,
		       struct ocl_print **print_out)
{
	struct ocl_printf *printing;
	struct ocl_print *print = NULL;
	lock_assert_none();
	cl_int error = printing_of(queue, &printing);
	if (!error)
		error = print_take(printing, &print);
	if (error)
		return error;
	object_ref(queue);
	print->queue = queue;
	print->stream = stream;
	print->code = ocl_code_ref(code);
	print->writing = false;
	error = ocl_print_buffer_empty(gpu_into(stream), print->buffer);
	if (error)
		ocl_print_cancel(print);
	else
		*print_out = print;
	return error;
}

uint64_t ocl_print_buffer(const struct ocl_print *print)
{
	return print->buffer;
}

/* A part of the launch may be in the stream, and write to the buffer, which the next launch may use in another
 * stream. */
void ocl_print_cancel(struct ocl_print *print)
{
	lock_assert_none();
	(void)gpu_stream_drain(print->stream);
	print_retire(print);
}

cl_int ocl_print_end(struct ocl_print *print)
{
	struct gpu_stream *stream = print->stream;
	struct ocl_prints *prints = &print->queue->context->prints;
	cl_int error = gpu_copy_to_host(stream, print->copy, print->buffer, COPY_B);
	if (!error)
		error = gpu_event_record(stream, false, &print->done);
	if (error) {
		ocl_print_cancel(print);
		return error;
	}
	lock_take(&prints->lock);
	print->number = prints->next++;
	list_append(&prints->pending, &print->link);
	atomic_fetch_add(&prints->count, 1);
	lock_drop(&prints->lock);
	print->watch.event = print->done;
	print->watch.fire = print_fired;
	ocl_complete_watch(&print->watch);
	return CL_SUCCESS;
}

cl_int ocl_print_buffer_take(cl_command_queue queue, struct gpu_stream *stream,
			     struct ocl_code *code, gpu_address buffer)
{
	struct ocl_print *print;
	cl_int error = ocl_print_begin(queue, stream, code, &print);
	if (error)
		return error;
	error = gpu_copy_device(stream, print->buffer, buffer, buffer_B);
	if (!error)
		return ocl_print_end(print);
	ocl_print_cancel(print);
	return error;
}
