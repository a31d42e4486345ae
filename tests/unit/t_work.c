/* Protects: commands that had to wait (icd/order/work.h, with the line and the events): each is submitted
 * once, when all that it waits for is settled, or ends with an error where one of them failed, in whatever
 * order the application sets its events; who sets an event neither waits nor recurses.  Random programs on
 * several queues beside a model that knows what has to become of each command.
 *
 * Seen to fail with each of these mistakes in work.c: a waiter that fails does not fail its command, or only
 * when it is the last; a command that failed stays in line, or its event waits for the rest of its list; a failure
 * is not handed on; a queue is drained by two threads, or by none; a command that may wait is submitted by who
 * sets an event, or before the work ahead of it on the GPU is done; nobody goes on with a queue when a worker
 * has done its command; a reference or a witness is kept; a chain of failures is a chain of calls. */
#include "config.h"

#include "base/clock.h"
#include "icd/order/command_sync.h"
#include "icd/order/printf.h"
#include "icd/order/submit.h"
#include "icd/order/work.h"

#include "tests/unit/fake_gpu_memory.h"

#include <pthread.h>

enum { QUEUES = 4, COMMANDS = 60, USERS = 6, DEPENDENCIES = 3, STEPS = 150, SEEDS = 150, MANY = 50000 };

/* A command, and what the model knows of it. */
struct known {
	cl_event event;                  /* NULL: nobody asked for one */
	cl_event dependencies[DEPENDENCIES];
	int on[DEPENDENCIES];            /* known commands; -1 - n: user event n */
	uint32_t count;
	unsigned queue;
	bool slow, refused;              /* refused: the driver fails its submission */
	unsigned submitted;
};

static struct {
	struct _cl_context context;
	struct _cl_command_queue queues[QUEUES];
	struct gpu_stream *streams[QUEUES];
	struct known all[COMMANDS];
	unsigned count;
	cl_event users[USERS];
	cl_int codes[USERS];             /* 1: not set yet */
	struct list jobs;                /* handed to workers */
	bool worker;                     /* the caller is one */
	bool no_thread;                  /* none was to be had for the command that comes next */
	unsigned submissions;            /* of the long tests, which have no model */
	bool counts_only;
} model;

/* --- what work.c calls, in a world that the test moves ---------------------------------------------- */

uint64_t host_now_ns(void)
{
	return ++fake_gpu.now_ns;
}

cl_int gpu_event_time_ns(struct gpu_event *event, uint64_t *time_ns_out)
{
	*time_ns_out = event->sequence;
	return CL_SUCCESS;
}

bool ocl_printf_is_writing(void)
{
	return false;
}

void ocl_printf_drain(cl_command_queue queue, struct gpu_event *done)
{
	(void)queue, (void)done;
}

void ocl_command_sync(const struct ocl_command *command, cl_int error, struct gpu_event *done)
{
	(void)command, (void)error, (void)done;
}

/* At times no thread is to be had: then whoever settles submits, as the next thing. */
cl_int ocl_complete_start(void)
{
	model.no_thread = !fake_gpu_random(8);
	return model.no_thread ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void ocl_complete_watch(struct ocl_watch *watch)
{
	(void)watch;
	CHECK(!"nobody asked for a callback");
}

void ocl_complete_deliver(struct ocl_delivery *delivery)
{
	(void)delivery;
	CHECK(!"nobody asked for a callback");
}

void ocl_complete_after(struct ocl_after *after)
{
	CHECK(after->by_worker);
	list_append(&model.jobs, &after->delivery.link);
}

cl_int ocl_lanes_ahead(struct ocl_lanes *lanes, struct gpu_event **ahead_out)
{
	for (unsigned i = 0; i < QUEUES; i++)
		if (lanes == &model.queues[i].lanes)
			return gpu_event_record(model.streams[i], false, ahead_out);
	return CL_INVALID_VALUE;
}

/* Its place is in what the command carries. */
static struct known *known_of(const struct ocl_command *command)
{
	return &model.all[command->u.fill.size_B];
}

static bool has_failed_dependency(const struct known *known)
{
	for (uint32_t i = 0; i < known->count; i++)
		if (ocl_event_is_settled(known->dependencies[i]) &&
		    ocl_event_has_failed(known->dependencies[i]))
			return true;
	return false;
}

/* What has to be so when a command is put into its stream. */
static void check_submission(const struct ocl_command *command, const struct known *known)
{
	CHECK_EQ(known->submitted, 0);
	for (uint32_t i = 0; i < known->count; i++) {
		CHECK(ocl_event_is_settled(known->dependencies[i]));
		CHECK(!ocl_event_has_failed(known->dependencies[i]));
	}
	for (const struct known *other = model.all; other < known && command->queue->line.in_order; other++)
		if (other->queue == known->queue)
			CHECK(other->submitted || (other->event && ocl_event_is_settled(other->event)) ||
			      has_failed_dependency(other));
	const bool by_worker = known->slow && !model.no_thread;
	model.no_thread = false;
	if (!by_worker)
		return;
	CHECK(model.worker);
	/* Workers get it behind all that it waits for on the GPU. */
	for (uint32_t i = 0; i < known->count; i++) {
		const struct gpu_event *done = known->dependencies[i]->done;
		CHECK(!done || done->stream->done >= done->sequence);
	}
	if (command->queue->line.in_order)
		CHECK_EQ(model.streams[known->queue]->done, model.streams[known->queue]->last);
}

cl_int ocl_submit_any(struct ocl_command *command, enum ocl_submit_lock lock,
		      struct ocl_submission *submission_out)
{
	const struct fake_op nothing = {0};
	CHECK_EQ(lock, OCL_SUBMIT_UNLOCKED);
	lock_assert_none();
	memset(submission_out, 0, sizeof(*submission_out));
	model.submissions++;
	if (model.counts_only)
		return gpu_event_record(model.streams[0], false, &submission_out->done);
	struct known *known = known_of(command);
	check_submission(command, known);
	known->submitted++;
	if (known->refused)
		return CL_OUT_OF_RESOURCES;
	fake_gpu_put(model.streams[known->queue], &nothing);
	return gpu_event_record(model.streams[known->queue], false, &submission_out->done);
}

static enum ocl_delay delay_of_gpu(const struct ocl_command *command)
{
	(void)command;
	return OCL_DELAY_GPU;
}

static const struct ocl_command_kind quick_kind = {.run = NULL}, slow_kind = {.delay = delay_of_gpu};

/* --- the application ------------------------------------------------------------------------------------ */

static void nothing_destroy(struct object *object)
{
	(void)object;
	CHECK(!"the test's own context and queues live on");
}

static const struct object_type context_type = {"context", CL_INVALID_CONTEXT, nothing_destroy};
static const struct object_type queue_type = {"queue", CL_INVALID_COMMAND_QUEUE, nothing_destroy};

static void model_start(uint64_t seed)
{
	memset(&model, 0, sizeof(model));
	fake_gpu_start(seed);
	list_init(&model.jobs);
	object_init(&model.context.base, &context_type);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct _cl_command_queue *queue = &model.queues[i];
		object_init(&queue->base, &queue_type);
		queue->context = &model.context;
		CHECK(!lock_init(&queue->lock, LOCK_RANK_QUEUE));
		CHECK(!lock_condition_init(&queue->settled));
		ocl_line_init(&queue->line, i % 2 == 0);
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &model.streams[i]), CL_SUCCESS);
	}
	for (unsigned i = 0; i < USERS; i++) {
		CHECK_EQ(ocl_event_create_user(&model.context, &model.users[i]), CL_SUCCESS);
		model.codes[i] = 1;
	}
}

/* As queue.c lines a command up. */
static void defer(struct ocl_command *command)
{
	struct _cl_command_queue *queue = command->queue;
	struct ocl_worklist work;
	ocl_work_init(&work);
	lock_take(&queue->lock);
	struct ocl_deferred *deferred = ocl_deferred_create(command);
	if (!deferred)
		abort();
	atomic_store(&deferred->place.pending, 1);
	ocl_deferred_ref(deferred);
	ocl_work_wait_locked(&work, deferred);
	ocl_line_enter(&queue->line, &deferred->place, false);
	atomic_fetch_sub(&deferred->place.pending, 1);
	lock_drop(&queue->lock);
	ocl_work_kick(&work, queue, deferred);
	ocl_deferred_unref(deferred);
	ocl_work_run(&work);
}

static void enqueue(void)
{
	struct ocl_command command;
	if (model.count == COMMANDS)
		return;
	struct known *known = &model.all[model.count];
	memset(known, 0, sizeof(*known));
	known->queue = (unsigned)fake_gpu_random(QUEUES);
	known->slow = !fake_gpu_random(4);
	known->refused = !fake_gpu_random(10);
	known->count = (uint32_t)fake_gpu_random(DEPENDENCIES + 1);
	for (uint32_t i = 0; i < known->count; i++) {
		known->on[i] = model.count ? (int)fake_gpu_random(model.count) : 0;
		const bool user = !model.count || !fake_gpu_random(3) || !model.all[known->on[i]].event;
		if (user)
			known->on[i] = -1 - (int)fake_gpu_random(USERS);
		known->dependencies[i] = user ? model.users[-1 - known->on[i]]
					      : model.all[known->on[i]].event;
	}
	struct _cl_command_queue *queue = &model.queues[known->queue];
	ocl_command_init(&command, known->slow ? &slow_kind : &quick_kind, queue, CL_COMMAND_MARKER, NULL);
	command.dependency_count = known->count;
	command.dependencies = known->dependencies;
	command.bars = !fake_gpu_random(8);
	command.joins = command.bars && fake_gpu_random(2);
	command.u.fill.size_B = model.count;
	lock_take(&queue->lock);
	if (fake_gpu_random(4))
		CHECK_EQ(ocl_event_create_locked(queue, command.type, false, &command.event), CL_SUCCESS);
	lock_drop(&queue->lock);
	known->event = command.event;
	model.count++;
	defer(&command);
}

static void user_set(unsigned n)
{
	static const cl_int codes[] = {CL_COMPLETE, CL_COMPLETE, CL_COMPLETE, -5};
	const cl_int code = codes[fake_gpu_random(4)];
	const bool first = model.codes[n] == 1;
	CHECK_EQ(ocl_user_event_set(model.users[n], code), first ? CL_SUCCESS : CL_INVALID_OPERATION);
	if (first)
		model.codes[n] = code;
}

static void user_any(void)
{
	if (!fake_gpu_random(4))
		user_set((unsigned)fake_gpu_random(USERS));
}

/* One job, whose witnesses have happened. */
static void worker(void)
{
	struct list *link, *next;
	list_for_each(link, next, &model.jobs) {
		struct ocl_delivery *delivery = list_entry(link, struct ocl_delivery, link);
		const struct ocl_after *after = list_entry(delivery, struct ocl_after, delivery);
		bool due = true;
		for (uint32_t i = 0; i < after->witnesses.count; i++) {
			const struct gpu_event *event = after->witnesses.events[i];
			due = due && event->stream->done >= event->sequence;
		}
		if (!due || !fake_gpu_random(3))
			continue;
		list_remove(link);
		model.worker = true;
		delivery->run(delivery);
		model.worker = false;
		return;
	}
}

static void gpu(void)
{
	for (uint64_t i = fake_gpu_random(4); i > 0; i--)
		(void)fake_gpu_step();
}

/* --- the tests ------------------------------------------------------------------------------------------------ */

/* What has to become of a command: 0, or the code that its event ends with. */
static cl_int outcome(const struct known *known)
{
	for (uint32_t i = 0; i < known->count; i++) {
		const cl_int code = known->on[i] < 0 ? model.codes[-1 - known->on[i]]
						     : outcome(&model.all[known->on[i]]);
		if (code < 0)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	return known->refused ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static void check_outcomes(void)
{
	for (unsigned i = 0; i < model.count; i++) {
		const struct known *known = &model.all[i];
		const cl_int expected = outcome(known);
		CHECK_EQ(known->submitted, expected != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		if (!known->event)
			continue;
		CHECK(ocl_event_is_settled(known->event));
		CHECK_EQ(ocl_event_status(known->event), expected);
	}
}

static void model_end(void)
{
	for (unsigned i = 0; i < model.count; i++)
		if (model.all[i].event)
			CHECK_EQ(object_release(model.all[i].event, &ocl_event_type), CL_SUCCESS);
	for (unsigned i = 0; i < USERS; i++)
		CHECK_EQ(object_release(model.users[i], &ocl_event_type), CL_SUCCESS);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct _cl_command_queue *queue = &model.queues[i];
		CHECK(list_empty(&queue->line.waiting) && !queue->draining);
		CHECK_EQ(atomic_load(&queue->base.refs), 1);
		ocl_events_free(&queue->events);
		lock_condition_finish(&queue->settled);
		lock_finish(&queue->lock);
	}
	CHECK_EQ(atomic_load(&model.context.base.refs), 1);
	CHECK_EQ(fake_gpu.events_live, 0);
}

/* After each step: what may go has gone, and who waits for something that failed has ended. */
static void check_nothing_left(void)
{
	for (unsigned i = 0; i < QUEUES; i++)
		CHECK(model.queues[i].draining || !ocl_line_has_next(&model.queues[i].line));
	for (unsigned i = 0; i < model.count; i++) {
		const struct known *known = &model.all[i];
		if (known->event && has_failed_dependency(known))
			CHECK(ocl_event_has_failed(known->event));
	}
}

static void random_programs(void)
{
	static void (*const steps[])(void) = {enqueue, enqueue, user_any, worker, gpu};
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		model_start(seed);
		for (unsigned i = 0; i < STEPS && !test_failures; i++) {
			steps[fake_gpu_random(sizeof(steps) / sizeof(steps[0]))]();
			check_nothing_left();
		}
		for (unsigned i = 0; i < USERS; i++)
			if (model.codes[i] == 1)
				user_set(i);
		for (unsigned i = 0; i < 100 * COMMANDS && !list_empty(&model.jobs); i++) {
			fake_gpu_finish();
			worker();
		}
		fake_gpu_finish();
		check_outcomes();
		model_end();
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

/* Lines up MANY commands: each behind the one before, in two queues by turns, or all behind one user event. */
static void many_enqueue(unsigned first, bool chain)
{
	cl_event last = model.users[0];
	object_ref(last);
	for (unsigned i = 0; i < MANY; i++) {
		struct _cl_command_queue *queue = &model.queues[(first + (chain ? 2 * i : 0)) % QUEUES];
		struct ocl_command command;
		ocl_command_init(&command, &quick_kind, queue, CL_COMMAND_MARKER, NULL);
		command.dependency_count = 1;
		command.dependencies = &last;
		lock_take(&queue->lock);
		CHECK_EQ(ocl_event_create_locked(queue, command.type, false, &command.event), CL_SUCCESS);
		lock_drop(&queue->lock);
		defer(&command);
		if (chain) {
			object_unref(last);
			last = command.event;
		} else {
			object_unref(command.event);
		}
	}
	object_unref(last);
}

static void *many_set(void *code)
{
	CHECK_EQ(ocl_user_event_set(model.users[0], *(const cl_int *)code), CL_SUCCESS);
	return NULL;
}

/* By a thread whose stack would hold no call for each command. */
static void many(unsigned queue, bool chain, cl_int code)
{
	pthread_attr_t attributes;
	pthread_t thread;
	model_start(1);
	model.counts_only = true;
	many_enqueue(queue, chain);
	CHECK_EQ(model.submissions, 0);
	REQUIRE(!pthread_attr_init(&attributes));
	CHECK(!pthread_attr_setstacksize(&attributes, 256 << 10));
	REQUIRE(!pthread_create(&thread, &attributes, many_set, &code));
	CHECK(!pthread_join(thread, NULL));
	(void)pthread_attr_destroy(&attributes);
	CHECK_EQ(model.submissions, code ? 0 : MANY);
	for (unsigned i = 1; i < USERS; i++)
		CHECK_EQ(ocl_user_event_set(model.users[i], CL_COMPLETE), CL_SUCCESS);
	model_end();
}

static void a_chain(void)
{
	many(1, true, CL_COMPLETE);
	many(1, true, -5);
}

static void a_fan(void)
{
	many(1, false, CL_COMPLETE);
	many(0, false, CL_COMPLETE);
	many(0, false, -5);
}

TEST_MAIN(TEST(random_programs), TEST(a_chain), TEST(a_fan))
