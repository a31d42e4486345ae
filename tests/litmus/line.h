/* A command that waits for two user events, which two threads set while a third one enqueues it.  A model defines
 * LITMUS_CODE, the code that the second event gets. */
#ifndef CULVERT_TESTS_LITMUS_LINE_H
#define CULVERT_TESTS_LITMUS_LINE_H

#include "tests/litmus/litmus.h"

#include "icd/order/queue.h"

#define __builtin_prefetch(...) ((void)0)
#include "icd/order/deferred.c"
#include "icd/order/event.c"
#include "icd/order/event_pool.c"
#include "icd/order/line.c"
#include "icd/order/queue.c"
#include "icd/order/work.c"

struct gpu_event {
	unsigned recorded;
};

static struct _cl_context context;
static struct _cl_command_queue queue;
static struct _cl_device_id device;
static struct _cl_event users[2];
static cl_event wait_list[2], made;
static unsigned prepared[2], submissions;
static struct gpu_event witness;

/* What a model need not know of: references, and the parts of a command. */
void object_init(struct object *object, const struct object_type *type)
{
	object_renew(object, type);
}

void object_ref(void *handle)
{
	(void)handle;
}

void object_unref(void *handle)
{
	(void)handle;
}

void opengl_fence_destroy(struct opengl_fence *fence)
{
	(void)fence;
}

void gpu_event_unref(struct gpu_event *event)
{
	(void)event;
}

size_t ocl_command_duplicate_B(const struct ocl_command *original)
{
	(void)original;
	return 0;
}

void ocl_command_duplicate(struct ocl_command *copy, const struct ocl_command *original, void *room)
{
	(void)room;
	copy->kind = original->kind;
	copy->queue = original->queue;
	copy->type = original->type;
	copy->event = original->event;
	copy->witness = original->witness;
	copy->joins = original->joins;
	copy->bars = original->bars;
	copy->access_count = 0;
	copy->dependency_count = original->dependency_count;
	copy->dependencies = original->dependencies;
}

void ocl_command_duplicate_finish(struct ocl_command *copy)
{
	(void)copy;
}

static cl_int submit(const struct ocl_command *own, struct ocl_submission *submission_out)
{
	assert(own->event && prepared[0] && prepared[1]);
	submissions++;
	submission_out->done = &witness;
	submission_out->start = NULL;
	submission_out->before_sequence = submission_out->arrived_ns = 0;
	return CL_SUCCESS;
}

cl_int ocl_submit_any(struct ocl_command *own, enum ocl_submit_lock lock, struct ocl_submission *submission_out)
{
	(void)lock;
	return submit(own, submission_out);
}

cl_int ocl_command_submit_any(struct ocl_command *own, struct gpu_stream *stream,
			      struct ocl_submission *submission_out)
{
	(void)stream;
	return submit(own, submission_out);
}

static void user_event_set_up(struct _cl_event *fresh)
{
	object_renew(&fresh->base, &ocl_event_type);
	fresh->context = &context;
	fresh->status = CL_SUBMITTED;
	fresh->waiters = NULL;
	lock_init(&fresh->lock, LOCK_RANK_EVENT);
	lock_condition_init(&fresh->changed);
}

static void setup(void)
{
	prepared[0] = prepared[1] = submissions = 0;
	made = NULL;
	atomic_init(&context.user_events, 2);
	lock_init(&queue.lock, LOCK_RANK_QUEUE);
	lock_condition_init(&queue.settled);
	ocl_line_init(&queue.line, true);
	list_init(&queue.work_link);
	queue.draining = false;
	queue.finishing = 0;
	queue.context = &context;
	queue.device = &device;
	queue.lanes.in_order = true;
	for (unsigned i = 0; i < 2; i++) {
		user_event_set_up(&users[i]);
		wait_list[i] = &users[i];
	}
}

LITMUS_THREAD(set_first)
{
	prepared[0] = 1;
	assert(!ocl_user_event_set(&users[0], CL_COMPLETE));
}

LITMUS_THREAD(set_second)
{
	prepared[1] = 1;
	assert(!ocl_user_event_set(&users[1], LITMUS_CODE));
}

LITMUS_THREAD(enqueue)
{
	static const struct ocl_command_kind kind;
	static struct ocl_command command;
	command.kind = &kind;
	command.queue = &queue;
	command.type = CL_COMMAND_MARKER;
	assert(!ocl_queue_enqueue(&command, false, 2, wait_list, &made));
}

static void finish(void)
{
	const bool failed = LITMUS_CODE < 0;
	assert(submissions == !failed);
	assert(atomic_load(&made->status) ==
	       (failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUBMITTED));
	assert(list_empty(&queue.line.waiting) && !queue.draining);
	event_free(made);
}

#endif
