/* Ordering scenarios: user events, failures, callbacks, and what waits for the host. */
#include "config.h"

#include "tests/stress/scenario.h"

#include <pthread.h>

/* A blocked command holds up those that wait for it, and no others. */
static void scenario_16_blocked(void)
{
	cl_command_queue queue = queue_out_of_order();
	cl_mem mems[2] = {buffer_of(1), buffer_of(1)};
	cl_event user = user_event(), blocked, independent;
	change(queue, "add", mems[0], 1, 1, &user, &blocked);
	change(queue, "add", mems[1], 1, 0, NULL, &independent);
	CHECK_OK(clWaitForEvents(1, &independent));
	CHECK(status_of(blocked) > CL_RUNNING);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	expect(queue, mems[0], 2, 1, &blocked);
	end_queues(1, &queue);
	release_events(3, (cl_event[]){user, blocked, independent});
	release_mems(2, mems);
}

/* Very many commands behind one event, over two queues; all events released last. */
static void scenario_17_long_chain(void)
{
	const unsigned length = scenario_size(100000, 200);
	cl_command_queue queues[2] = {queue_on(0), queue_on(0)};
	cl_mem mem = buffer_of(0);
	cl_event *events = calloc(length + 1, sizeof(*events));
	if (!CHECK(events))
		return;
	events[0] = user_event();
	bool good = true;
	for (unsigned i = 1; i <= length; i++) {
		if (i % (length / 4) == 0)
			change(queues[i & 1], "add", mem, 1, 1, &events[i - 1], &events[i]);
		else
			good &= !clEnqueueMarkerWithWaitList(queues[i & 1], 1, &events[i - 1],
							     &events[i]);
	}
	CHECK(good);
	CHECK_OK(clSetUserEventStatus(events[0], CL_COMPLETE));
	expect(queues[0], mem, 4, 1, &events[length]);
	end_queues(2, queues);
	for (unsigned i = 0; i <= length; i++)
		good &= !clReleaseEvent(events[i]);
	CHECK(good);
	free(events);
	release_mems(1, &mem);
}

static atomic_int told, told_status;

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	atomic_store(&told_status, status);
	atomic_fetch_add(&told, 1);
}

/* A failure goes down the wait lists and nowhere else. */
static void scenario_18_failure(void)
{
	cl_command_queue queues[3] = {queue_on(0), queue_on(0), queue_on(1)};
	cl_mem mem = buffer_of(5);
	cl_event user = user_event(), level[3];
	atomic_store(&told, 0);
	for (unsigned i = 0; i < 3; i++)
		change(queues[i], "add", mem, 1, 1, i ? &level[i - 1] : &user, &level[i]);
	CHECK_OK(clSetEventCallback(level[2], CL_COMPLETE, tell, NULL));
	CHECK_OK(clSetUserEventStatus(user, -7));
	CHECK(status_of(user) == -7);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_CODE(clWaitForEvents(1, &level[i]),
			   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		CHECK(status_of(level[i]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		CHECK_OK(clFinish(queues[i]));
	}
	CHECK(soon(&told, 1));
	CHECK(atomic_load(&told_status) < 0);
	change(queues[1], "add", mem, 2, 0, NULL, NULL);
	expect(queues[1], mem, 7, 0, NULL);
	end_queues(3, queues);
	release_events(1, &user);
	release_events(3, level);
	release_mems(1, &mem);
}

struct setting {
	cl_event event;
	cl_int status;
};

static void *set_run(void *data)
{
	const struct setting *setting = data;
	CHECK_OK(clSetUserEventStatus(setting->event, setting->status));
	return NULL;
}

/* Of a command's two events one fails while the other completes: it ends once. */
static void scenario_19_two_ends(void)
{
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(1);
	struct setting settings[2] = {{user_event(), -3}, {user_event(), CL_COMPLETE}};
	pthread_t threads[2];
	cl_event done;
	atomic_store(&told, 0);
	change(queue, "add", mem, 1, 2, (cl_event[]){settings[0].event, settings[1].event}, &done);
	CHECK_OK(clSetEventCallback(done, CL_COMPLETE, tell, NULL));
	for (unsigned i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, set_run, &settings[i]));
	for (unsigned i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK_CODE(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(done) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(soon(&told, 1));
	CHECK_OK(clFinish(queue));
	CHECK(atomic_load(&told) == 1);
	expect(queue, mem, 1, 0, NULL);
	end_queues(1, &queue);
	release_events(3, (cl_event[]){settings[0].event, settings[1].event, done});
	release_mems(1, &mem);
}

/* What a callback does all at once. */
static struct {
	cl_context context;
	cl_command_queue queue;
	cl_event user, last;
	cl_mem mem;
} busy;

static void CL_CALLBACK busy_callback(cl_event event, cl_int status, void *data)
{
	const cl_uint nine = 9;
	(void)data;
	CHECK(status == CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(busy.user, CL_COMPLETE));
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, tell, NULL));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clEnqueueFillBuffer(busy.queue, busy.mem, &nine, 4, 0, SIZE_B, 0, NULL,
				     &busy.last));
	CHECK_OK(clFlush(busy.queue));
	CHECK_OK(clReleaseContext(busy.context));
	atomic_fetch_add(&told, 1);
}

static void scenario_20_busy_callback(void)
{
	cl_context before = scene.context;
	cl_event first, second;
	cl_int code;
	busy.context = clCreateContext(NULL, 1, &scene.test.device, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	scene.context = busy.context;
	atomic_store(&told, 0);
	cl_command_queue queue = queue_on(0);
	busy.queue = queue_on(0);
	busy.mem = buffer_of(1);
	busy.user = user_event();
	scene.context = before;
	CHECK_OK(clEnqueueMarkerWithWaitList(busy.queue, 1, &busy.user, &second));
	const cl_uint two = 2;
	CHECK_OK(clEnqueueFillBuffer(queue, busy.mem, &two, 4, 0, SIZE_B, 0, NULL, &first));
	CHECK_OK(clSetEventCallback(first, CL_COMPLETE, busy_callback, NULL));
	CHECK(soon(&told, 2));
	CHECK_OK(clWaitForEvents(1, &second));
	expect(queue, busy.mem, 9, 1, &busy.last);
	end_queues(2, (cl_command_queue[]){queue, busy.queue});
	release_events(3, (cl_event[]){second, busy.last, busy.user});
	release_mems(1, &busy.mem);
}

static void *finish_run(void *queue)
{
	CHECK_OK(clFinish((cl_command_queue)queue));
	return NULL;
}

/* While one thread waits for a blocked queue, others use it, and one unblocks it. */
static void scenario_21_finish_blocked(void)
{
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(1);
	struct setting setting = {user_event(), CL_COMPLETE};
	pthread_t finisher, setter;
	cl_event blocked, later;
	cl_uint references;
	change(queue, "add", mem, 1, 1, &setting.event, &blocked);
	CHECK(!pthread_create(&finisher, NULL, finish_run, queue));
	change(queue, "mul", mem, 10, 0, NULL, &later);
	CHECK(status_of(later) > CL_RUNNING);
	CHECK_OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(references),
				       &references, NULL));
	CHECK_OK(clFlush(queue));
	CHECK(!pthread_create(&setter, NULL, set_run, &setting));
	CHECK(!pthread_join(finisher, NULL));
	CHECK(!pthread_join(setter, NULL));
	expect(queue, mem, 20, 0, NULL);
	end_queues(1, &queue);
	release_events(3, (cl_event[]){setting.event, blocked, later});
	release_mems(1, &mem);
}

/* Blocked commands are not in a stream: whatever waits for the whole device goes on. */
static void scenario_23_waits_for_the_device(void)
{
	cl_command_queue queue = queue_on(0), other = queue_on(0);
	cl_mem mem = buffer_of(1);
	cl_event user = user_event(), blocked;
	cl_program before = scene.program;
	change(queue, "add", mem, 1, 1, &user, &blocked);
	for (unsigned i = 0; i < 3; i++) {
		cl_mem brief = buffer_of(i);
		change(other, "held", brief, 1, 0, NULL, NULL);
		CHECK_OK(clReleaseMemObject(brief));
	}
	cl_program fresh = scenario_size(1, 0) ? api_test_build(scene.context, scene.test.device,
								scenario_source, "")
					       : program_twin(before);
	scene.program = fresh;
	cl_mem mine = buffer_of(4);
	change(other, "mul", mine, 3, 0, NULL, NULL);
	expect(other, mine, 12, 0, NULL);
	scene.program = before;
	CHECK(status_of(blocked) > CL_RUNNING);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	expect(queue, mem, 2, 0, NULL);
	end_queues(2, (cl_command_queue[]){queue, other});
	release_events(2, (cl_event[]){user, blocked});
	release_mems(2, (cl_mem[]){mem, mine});
	if (fresh)
		CHECK_OK(clReleaseProgram(fresh));
}

static void CL_CALLBACK set_callback(cl_event event, cl_int status, void *user)
{
	(void)event;
	CHECK(status == CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
}

/* Nobody flushes or finishes: a callback alone lets the second event go. */
static void scenario_24_progress(void)
{
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(1);
	cl_event user = user_event(), next = user_event(), marker, work, late;
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
	CHECK_OK(clSetEventCallback(marker, CL_COMPLETE, set_callback, next));
	CHECK_OK(clWaitForEvents(1, &next));
	change(queue, "add", mem, 1, 1, &next, &work);
	CHECK(polled_complete(work));
	change(queue, "add", mem, 1, 0, NULL, &late);
	CHECK_OK(clFlush(queue));
	CHECK_OK(clFinish(queue));
	CHECK(status_of(late) == CL_COMPLETE);
	expect(queue, mem, 3, 0, NULL);
	end_queues(1, &queue);
	release_events(5, (cl_event[]){user, next, marker, work, late});
	release_mems(1, &mem);
}

/* A long kernel of one device holds up no callback of another. */
static void scenario_25_callbacks(void)
{
	cl_command_queue slow = queue_on(0), quick = queue_on(1);
	cl_mem mems[2] = {buffer_of(1), buffer_of(1)};
	cl_event held, done;
	atomic_store(&told, 0);
	change(slow, "held", mems[0], 1, 0, NULL, &held);
	CHECK_OK(clSetEventCallback(held, CL_COMPLETE, tell, NULL));
	change(quick, "add", mems[1], 1, 0, NULL, &done);
	CHECK_OK(clSetEventCallback(done, CL_COMPLETE, tell, NULL));
	if (scene.soft) {
		CHECK(soon(&told, 1));
		CHECK(status_of(held) > CL_COMPLETE);
	}
	let_go();
	CHECK(soon(&told, 2));
	end_queues(2, (cl_command_queue[]){slow, quick});
	release_events(2, (cl_event[]){held, done});
	release_mems(2, mems);
}

static const struct scenario scenarios[] = {
	{16, "a blocked command holds up no stranger", scenario_16_blocked, NULL, 0, 0, true},
	{17, "a hundred thousand commands behind one event", scenario_17_long_chain, NULL, 0, 0,
	 false},
	{18, "a failure goes down the wait lists, and the queues live", scenario_18_failure, NULL,
	 0, 2, false},
	{19, "a command ends once", scenario_19_two_ends, NULL, 0, 0, false},
	{20, "a callback may do what it likes", scenario_20_busy_callback, NULL, 0, 0, false},
	{21, "a queue that is waited for can be used", scenario_21_finish_blocked, NULL, 0, 0,
	 false},
	{23, "no blocked command is in a stream", scenario_23_waits_for_the_device,
	 ",hold:held,sync:all", 0, 0, false},
	{24, "progress without a flush", scenario_24_progress, NULL, 0, 0, false},
	{25, "a device holds up no other one's callbacks", scenario_25_callbacks, ",keep:held", 0,
	 2, false},
};

SCENARIO_MAIN("scenarios_events", "3")
