/* Protects: events (icd/order/event.h): a status goes one way and says what the GPU says; who waits is told
 * once, by whoever settles the event; each callback is called once, with the status it is for; the times of a
 * command are in order; and an event that is used again has nothing of its life before.  Random sequences of
 * events of commands and of the application beside a model, and threads that wait while an event is settled.
 *
 * Seen to fail with each of these mistakes in event.c: a waiter is left with a settled event; an
 * event can end twice, or ends with another code; an event is COMPLETE before the command, or before its printed
 * output is out; RUNNING comes before the command, or after COMPLETE; a callback is called before its
 * status, twice, never, or with another status than its own or the error; a stream does not come behind an
 * event that is running, or comes behind one that failed; a profiling time is before the one ahead of it; a
 * witness or a reference is not given back; an event comes out of the pool with waiters or callbacks. */
#include "config.h"

#include "base/clock.h"
#include "icd/order/printf.h"
#include "icd/order/queue.h"

#include "tests/unit/fake_gpu.h"

#include <pthread.h>

enum { EVENTS = 12, CALLBACKS = 512, WAITERS = 512, STEPS = 400, SEEDS = 100, THREADS = 3, ROUNDS = 2000 };

/* --- what event.c calls upwards ------------------------------------------------------------------ */

static struct {
	struct list deliveries;          /* of the callback thread */
	struct list watches;             /* of the completion thread */
	uint64_t clock_ns;
} outside;

uint64_t host_now_ns(void)
{
	return ++outside.clock_ns;
}

/* The GPU's clock and the host's are never quite one: it may lie on either side. */
cl_int gpu_event_time_ns(struct gpu_event *event, uint64_t *time_ns_out)
{
	*time_ns_out = 1 + (event->sequence * 7919 + event->stream->id) % 2000;
	return CL_SUCCESS;
}

cl_int ocl_complete_start(void)
{
	return fake_gpu_fails() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void ocl_complete_deliver(struct ocl_delivery *delivery)
{
	list_append(&outside.deliveries, &delivery->link);
}

void ocl_complete_watch(struct ocl_watch *watch)
{
	list_append(&outside.watches, &watch->link);
}

/* --- the model ------------------------------------------------------------------------------------- */

struct callback {
	cl_event event;
	cl_int type;
	unsigned called;
};

struct waiter {
	struct ocl_waiter waiter;
	cl_event event;
	bool pending;
};

/* An event, and what the model knows of it. */
struct known {
	cl_event event;                  /* NULL: none */
	bool is_user, settled, ended, profiling;
	bool drained;                    /* its printed output is out */
	cl_int code;                     /* of one that ended */
	struct gpu_stream *stream;
	uint64_t before, sequence;       /* of a submitted command */
	cl_int seen;                     /* the last status that was asked for */
};

static struct {
	struct _cl_context context;
	struct _cl_command_queue queue;
	struct gpu_stream *streams[3];
	struct known all[EVENTS];
	struct callback callbacks[CALLBACKS];
	unsigned callback_count;
	struct waiter waiters[WAITERS];
	unsigned waiter_count;
} model;

bool ocl_printf_is_writing(void)
{
	return false;
}

void ocl_printf_drain(cl_command_queue queue, struct gpu_event *done)
{
	CHECK(queue == &model.queue && done->stream->done >= done->sequence);
	for (unsigned i = 0; i < EVENTS; i++)
		if (model.all[i].event && model.all[i].event->done == done) {
			CHECK(model.all[i].event->status > CL_COMPLETE || model.all[i].drained);
			model.all[i].drained = true;
		}
}

static void nothing_destroy(struct object *object)
{
	(void)object;
	CHECK(!"the test's own context and queue live on");
}

static const struct object_type context_type = {"context", CL_INVALID_CONTEXT, nothing_destroy};
static const struct object_type queue_type = {"queue", CL_INVALID_COMMAND_QUEUE, nothing_destroy};

static void model_start(uint64_t seed)
{
	memset(&model, 0, sizeof(model));
	memset(&outside, 0, sizeof(outside));
	list_init(&outside.deliveries);
	list_init(&outside.watches);
	fake_gpu_start(seed);
	object_init(&model.context.base, &context_type);
	object_init(&model.queue.base, &queue_type);
	model.queue.context = &model.context;
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &model.streams[i]), CL_SUCCESS);
}

static struct known *any_known(void)
{
	struct known *known = &model.all[fake_gpu_random(EVENTS)];
	return known->event ? known : NULL;
}

static bool gpu_is_done(const struct known *known)
{
	return known->stream->done >= known->sequence;
}

/* The status that the event has in truth; RUNNING may be seen late (gpu_stream_reached). */
static void check_status(struct known *known, cl_int status)
{
	if (known->ended)
		CHECK_EQ(status, known->code);
	else if (known->is_user)
		CHECK_EQ(status, CL_SUBMITTED);
	else if (!known->settled)
		CHECK_EQ(status, CL_QUEUED);
	else if (gpu_is_done(known))
		CHECK(status == CL_COMPLETE && known->drained);
	else
		CHECK(status == CL_SUBMITTED ||
		      (status == CL_RUNNING && known->stream->done >= known->before));
	CHECK(status <= known->seen);
	known->seen = status;
}

/* Everybody who waited for known is told now, and nobody else; failed or not is for them to see. */
static void check_told(const struct known *known, const struct ocl_waiter *list)
{
	for (; list; list = list->next) {
		struct waiter *waiter = (struct waiter *)(uintptr_t)list;
		CHECK(waiter >= model.waiters && waiter < model.waiters + model.waiter_count);
		CHECK(waiter->pending && waiter->event == known->event);
		waiter->pending = false;
	}
	for (unsigned i = 0; i < model.waiter_count; i++)
		CHECK(!model.waiters[i].pending || model.waiters[i].event != known->event);
}

/* --- steps -------------------------------------------------------------------------------------------- */

static void create(void)
{
	struct known *known = &model.all[fake_gpu_random(EVENTS)];
	if (known->event)
		return;
	memset(known, 0, sizeof(*known));
	known->is_user = !fake_gpu_random(3);
	known->profiling = !known->is_user && fake_gpu_random(2);
	if (known->is_user)
		CHECK_EQ(ocl_event_create_user(&model.context, &known->event), CL_SUCCESS);
	else
		CHECK_EQ(ocl_event_create_locked(&model.queue, CL_COMMAND_NDRANGE_KERNEL, known->profiling,
						 &known->event), CL_SUCCESS);
	known->seen = known->is_user ? CL_SUBMITTED : CL_QUEUED;
	CHECK_EQ(object_reference_count(known->event), 1);
	CHECK(!known->event->waiters && !known->event->callbacks);
	CHECK_EQ(ocl_event_is_settled(known->event), false);
}

static void wait_leave(void)
{
	struct known *known = any_known();
	if (!known || model.waiter_count == WAITERS)
		return;
	struct waiter *waiter = &model.waiters[model.waiter_count++];
	waiter->event = known->event;
	waiter->pending = ocl_event_add_waiter(known->event, &waiter->waiter);
	CHECK_EQ(waiter->pending, !known->settled);
}

static void submit(void)
{
	struct known *known = any_known();
	struct ocl_submission submission = {0};
	if (!known || known->is_user || known->settled)
		return;
	const struct fake_op nothing = {0};
	known->stream = model.streams[fake_gpu_random(3)];
	if (known->profiling)
		CHECK_EQ(gpu_event_record(known->stream, true, &submission.start), CL_SUCCESS);
	known->before = submission.before_sequence = known->stream->last;
	fake_gpu_put(known->stream, &nothing);
	CHECK_EQ(gpu_event_record(known->stream, known->profiling, &submission.done), CL_SUCCESS);
	known->sequence = known->stream->last;
	known->settled = true;
	check_told(known, ocl_event_submitted(known->event, &submission));
}

/* A command that ends without running, or a user event that is set; at times a second time. */
static void end(void)
{
	static const cl_int codes[] = {CL_COMPLETE, CL_OUT_OF_RESOURCES, -77};
	struct known *known = any_known();
	bool first = false;
	if (!known || (known->settled && !known->ended))
		return;
	const cl_int code = codes[known->is_user ? fake_gpu_random(3) : 1 + fake_gpu_random(2)];
	struct ocl_waiter *told = ocl_event_end(known->event, code, &first);
	CHECK_EQ(first, !known->ended);
	if (first)
		known->code = code;
	known->settled = known->ended = true;
	check_told(known, told);
	CHECK_EQ(ocl_event_has_failed(known->event), known->code < 0);
}

static void ask(void)
{
	struct known *known = any_known();
	if (!known)
		return;
	check_status(known, ocl_event_status(known->event));
	CHECK_EQ(ocl_event_is_settled(known->event), known->settled);
}

/* Whether the event is as far as a callback's type says. */
static bool is_as_far(const struct known *known, cl_int type)
{
	if (known->ended || type == CL_SUBMITTED)
		return known->settled || known->is_user;
	return !known->is_user && known->settled &&
	       known->stream->done >= (type == CL_COMPLETE ? known->sequence : known->before);
}

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
	struct callback *callback = data;
	for (unsigned i = 0; i < EVENTS; i++)
		if (model.all[i].event == event)
			CHECK(is_as_far(&model.all[i], callback->type));
	CHECK(event == callback->event);
	CHECK(status == callback->type || status < 0);
	CHECK_EQ(callback->called++, 0);
}

static void callback_add(void)
{
	static const cl_int types[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
	struct known *known = any_known();
	if (!known || model.callback_count == CALLBACKS)
		return;
	struct callback *callback = &model.callbacks[model.callback_count++];
	callback->event = known->event;
	callback->type = types[fake_gpu_random(3)];
	CHECK_EQ(ocl_event_add_callback(known->event, callback->type, called, callback), CL_SUCCESS);
	if (known->settled && !known->ended)
		known->seen = known->event->status;   /* it was polled */
}

static void order(void)
{
	struct known *known = any_known();
	struct gpu_stream *stream = model.streams[fake_gpu_random(3)];
	if (!known || !known->settled)
		return;
	const cl_int code = ocl_event_order(known->event, stream);
	if (known->ended) {
		CHECK_EQ(code, known->code < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
		return;
	}
	CHECK_EQ(code, CL_SUCCESS);
	CHECK(stream == known->stream || fake_gpu_is_behind(stream, known->stream, known->sequence));
}

static void wait(void)
{
	struct known *known = any_known();
	if (!known || !known->settled)
		return;
	check_status(known, ocl_event_wait(known->event));
	CHECK(known->ended || gpu_is_done(known));
}

static void profile(void)
{
	static const cl_profiling_info names[] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
		CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE,
	};
	struct known *known = any_known();
	cl_ulong times_ns[5] = {0};
	if (!known)
		return;
	const bool there = known->profiling && known->settled && !known->ended && gpu_is_done(known);
	for (unsigned i = 0; i < 5; i++) {
		CHECK_EQ(ocl_event_profiling_ns(known->event, names[i], &times_ns[i]),
			 there ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE);
		CHECK(!i || times_ns[i] >= times_ns[i - 1]);
	}
	if (there)
		known->seen = CL_COMPLETE;
}

/* The completion thread and the callback thread do what they have to. */
static void threads_work(bool all)
{
	struct list *link, *next, due;
	list_for_each(link, next, &outside.watches) {
		struct ocl_watch *watch = list_entry(link, struct ocl_watch, link);
		const bool done = watch->event->stream->done >= watch->event->sequence;
		if (!done || (!all && fake_gpu_random(2)))
			continue;
		list_remove(link);
		watch->fire(watch, CL_COMPLETE);
	}
	list_init(&due);
	list_move_all(&due, &outside.deliveries);
	list_for_each(link, next, &due) {
		list_remove(link);
		list_entry(link, struct ocl_delivery, link)->run(list_entry(link, struct ocl_delivery, link));
	}
}

static void threads_some(void)
{
	threads_work(false);
}

static void gpu(void)
{
	for (uint64_t i = fake_gpu_random(4); i > 0; i--)
		(void)fake_gpu_step();
	fake_gpu_tell(model.streams[fake_gpu_random(3)]);
}

/* The application's last release: not of one for which somebody still waits, whose command has it. */
static void release(void)
{
	struct known *known = any_known();
	if (!known || !known->settled)
		return;
	CHECK_EQ(object_release(known->event, &ocl_event_type), CL_SUCCESS);
	known->event = NULL;
}

/* --- the tests ------------------------------------------------------------------------------------------ */

static void settle_all(void)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		struct known *known = &model.all[i];
		bool first;
		if (!known->event)
			continue;
		if (!known->settled) {
			check_told(known, ocl_event_end(known->event, CL_OUT_OF_RESOURCES, &first));
			known->settled = known->ended = true;
		}
		CHECK_EQ(object_release(known->event, &ocl_event_type), CL_SUCCESS);
		known->event = NULL;
	}
	fake_gpu_finish();
	for (unsigned i = 0; i < 3; i++)
		threads_work(true);
	for (unsigned i = 0; i < model.waiter_count; i++)
		CHECK(!model.waiters[i].pending);
	for (unsigned i = 0; i < model.callback_count; i++)
		CHECK_EQ(model.callbacks[i].called, 1);
}

static void random_sequences(void)
{
	static void (*const steps[])(void) = {create, create, wait_leave, submit, submit, end, ask, ask,
					      callback_add, order, wait, profile, threads_some, gpu, gpu,
					      release};
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		model_start(seed);
		for (unsigned i = 0; i < STEPS && !test_failures; i++)
			steps[fake_gpu_random(sizeof(steps) / sizeof(steps[0]))]();
		settle_all();
		/* None is alive: each gave back the context or the queue, and the pool the witnesses. */
		CHECK_EQ(atomic_load(&model.context.base.refs), 1);
		CHECK_EQ(atomic_load(&model.queue.base.refs), 1);
		ocl_events_free(&model.queue.events);
		CHECK_EQ(fake_gpu.events_live, 0);
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

/* A command whose device is lost ends with the device's code; who waits in a wait list is told. */
static void lost_device(void)
{
	model_start(1);
	struct known *known = &model.all[0];
	while (!known->event || known->is_user)
		known->event ? end() : create();
	while (!known->settled)
		submit();
	fake_gpu.devices[0].status = CL_OUT_OF_RESOURCES;
	CHECK_EQ(ocl_event_order(known->event, model.streams[0] == known->stream ? model.streams[1]
										  : model.streams[0]),
		 CL_OUT_OF_RESOURCES);
	CHECK_EQ(ocl_event_status(known->event), CL_OUT_OF_RESOURCES);
	CHECK_EQ(ocl_event_order(known->event, model.streams[0]),
		 CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	fake_gpu.devices[0].status = CL_SUCCESS;
	settle_all();
	ocl_events_free(&model.queue.events);
	CHECK_EQ(fake_gpu.events_live, 0);
}

/* --- threads --------------------------------------------------------------------------------------------- */

static struct {
	cl_event event;
	struct waiter waiters[THREADS];
	pthread_barrier_t together;
} race;

static void *race_wait(void *data)
{
	struct waiter *waiter = data;
	for (unsigned round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&race.together);
		waiter->pending = ocl_event_add_waiter(race.event, &waiter->waiter);
		pthread_barrier_wait(&race.together);
	}
	return NULL;
}

/* A waiter is told, or learns that there is nothing to wait for. */
static void waiters_race(void)
{
	pthread_t threads[THREADS];
	model_start(1);
	REQUIRE(!pthread_barrier_init(&race.together, NULL, THREADS + 1));
	for (unsigned i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, race_wait, &race.waiters[i]));
	for (unsigned round = 0; round < ROUNDS; round++) {
		bool first = false;
		unsigned told = 0, pending = 0;
		CHECK_EQ(ocl_event_create_user(&model.context, &race.event), CL_SUCCESS);
		pthread_barrier_wait(&race.together);
		struct ocl_waiter *list = ocl_event_end(race.event, CL_COMPLETE, &first);
		pthread_barrier_wait(&race.together);
		for (; list; list = list->next)
			told++;
		for (unsigned i = 0; i < THREADS; i++)
			pending += race.waiters[i].pending;
		CHECK_EQ(told, pending);
		CHECK_EQ(object_release(race.event, &ocl_event_type), CL_SUCCESS);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	pthread_barrier_destroy(&race.together);
}

/* --- wait lists --------------------------------------------------------------------------------------------- */

/* OpenCL 3.0 API, 5.11 and each enqueue: CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT. */
static void wait_lists(void)
{
	struct _cl_context other;
	cl_event events[2];
	model_start(1);
	memset(&other, 0, sizeof(other));
	object_init(&other.base, &context_type);
	CHECK_EQ(ocl_event_create_user(&model.context, &events[0]), CL_SUCCESS);
	CHECK_EQ(ocl_event_create_user(&other, &events[1]), CL_SUCCESS);
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 0, NULL), CL_SUCCESS);
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 1, events), CL_SUCCESS);
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 1, NULL), CL_INVALID_EVENT_WAIT_LIST);
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 0, events), CL_INVALID_EVENT_WAIT_LIST);
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 2, events), CL_INVALID_CONTEXT);
	cl_event wrong[2] = {events[1], (cl_event)&other};
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 2, wrong), CL_INVALID_EVENT_WAIT_LIST);
	wrong[1] = NULL;
	CHECK_EQ(ocl_wait_list_check(&model.context, OCL_WAIT_PLAIN, 2, wrong), CL_INVALID_EVENT_WAIT_LIST);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(object_release(events[i], &ocl_event_type), CL_SUCCESS);
}

TEST_MAIN(TEST(random_sequences), TEST(lost_device), TEST(waiters_race), TEST(wait_lists))
