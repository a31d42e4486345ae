/* Ordering scenarios: queues on streams, what waits for what and what must not. */
#include "config.h"

#include "tests/stress/scenario.h"

#include <pthread.h>

/* Waits for events that are released at once, so that their CUDA events come up again. */
static void scenario_05_events_again(void)
{
	cl_command_queue queues[2] = {queue_on(0), queue_on(0)};
	cl_mem mem = buffer_of(1);
	cl_event last = NULL;
	cl_uint value = 1;
	for (cl_uint i = 0; i < 6; i++) {
		cl_event event, spare;
		change(queues[i % 2], i % 2 ? "mul" : "add", mem, 3, last != NULL, &last, &event);
		value = i % 2 ? value * 3 : value + 3;
		if (last)
			release_events(1, &last);
		last = event;
		CHECK_OK(clEnqueueMarkerWithWaitList(queues[i % 2], 0, NULL, &spare));
		release_events(1, &spare);
	}
	expect(queues[0], mem, value, 1, &last);
	release_events(1, &last);
	end_queues(2, queues);
	release_mems(1, &mem);
}

/* A new queue on what was another one's stream; its command waits for the other's. */
static void scenario_06_stream_again(void)
{
	cl_command_queue first = queue_on(0), second = queue_on(0);
	cl_mem mem = buffer_of(2);
	cl_event done, all;
	change(first, "held", mem, 5, 0, NULL, &done);
	CHECK_OK(clReleaseCommandQueue(first));
	first = queue_on(0);
	change(second, "mul", mem, 10, 1, &done, &all);
	CHECK_OK(clReleaseCommandQueue(second));
	second = queue_on(0);
	change(first, "add", mem, 1, 1, &all, NULL);
	expect(first, mem, 71, 0, NULL);
	CHECK_OK(clWaitForEvents(1, &done)); /* if nothing waited for it, it is late, and reported */
	end_queues(2, (cl_command_queue[]){first, second});
	release_events(2, (cl_event[]){done, all});
	release_mems(1, &mem);
}

struct reader {
	cl_command_queue queue;
	cl_mem from, to;
	cl_event after;
};

static void *reader_run(void *data)
{
	const struct reader *reader = data;
	derive(reader->queue, "copy", reader->from, NULL, reader->to, 1, &reader->after, NULL);
	return NULL;
}

/* Two threads give one queue commands that wait for the same event of another. */
static void scenario_07_two_threads(void)
{
	cl_command_queue first = queue_on(0), second = queue_on(0);
	cl_mem from = buffer_of(1), outs[2] = {buffer_of(0), buffer_of(0)};
	pthread_t threads[2];
	cl_event done;
	change(first, "held", from, 4, 0, NULL, &done);
	struct reader readers[2] = {{second, from, outs[0], done}, {second, from, outs[1], done}};
	for (unsigned i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, reader_run, &readers[i]));
	for (unsigned i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (unsigned i = 0; i < 2; i++)
		expect(second, outs[i], 5, 0, NULL);
	end_queues(2, (cl_command_queue[]){first, second});
	release_events(1, &done);
	release_mems(3, (cl_mem[]){from, outs[0], outs[1]});
}

static void *finish_run(void *queue)
{
	CHECK_OK(clFinish((cl_command_queue)queue));
	return NULL;
}

/* One thread finishes a queue while another makes a barrier wait for its event. */
static void scenario_08_finish_beside(void)
{
	cl_command_queue first = queue_on(0), second = queue_on(0);
	cl_mem mem = buffer_of(1), out = buffer_of(0);
	pthread_t thread;
	cl_event done;
	change(first, "held", mem, 4, 0, NULL, &done);
	CHECK(!pthread_create(&thread, NULL, finish_run, first));
	CHECK_OK(clEnqueueBarrierWithWaitList(second, 1, &done, NULL));
	derive(second, "copy", mem, NULL, out, 0, NULL, NULL);
	expect(second, out, 5, 0, NULL);
	CHECK(!pthread_join(thread, NULL));
	end_queues(2, (cl_command_queue[]){first, second});
	release_events(1, &done);
	release_mems(2, (cl_mem[]){mem, out});
}

/* What depends on nothing runs, whatever else is held. */
static void scenario_09_independent(void)
{
	enum { FEW = 7, MANY = 64 };
	cl_command_queue queue = queue_out_of_order();
	cl_mem mems[MANY], own = buffer_of(1);
	cl_event events[MANY], eighth, last;
	for (unsigned i = 0; i < MANY; i++)
		mems[i] = buffer_of(i);
	for (unsigned i = 0; i < FEW; i++)
		change(queue, "held", mems[i], 1, 0, NULL, &events[i]);
	change(queue, "add", own, 1, 0, NULL, &eighth);
	CHECK_OK(clWaitForEvents(1, &eighth));
	for (unsigned i = 0; i < FEW && scene.soft; i++)
		CHECK(status_of(events[i]) > CL_COMPLETE);
	let_go();
	for (unsigned i = FEW; i < MANY; i++)
		change(queue, "held", mems[i], 1, 0, NULL, &events[i]);
	change(queue, "add", own, 1, 1, &events[MANY / 2], &last);
	expect(queue, own, 3, 1, &last);
	end_queues(1, &queue);
	release_events(MANY, events);
	release_events(2, (cl_event[]){eighth, last});
	release_mems(MANY, mems);
	release_mems(1, &own);
}

/* A diamond over devices, with events that come twice or are done already. */
static void scenario_10_diamond(void)
{
	const cl_command_queue_properties properties =
		scene.out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
	cl_command_queue queues[3] = {queue_with(0, properties), queue_with(0, properties),
				      queue_with(1, properties)};
	cl_mem top = buffer_of(1), two = buffer_of(2), left = buffer_of(0), right = buffer_of(0);
	cl_mem out = buffer_of(0);
	cl_event done, a, b, c, d;
	CHECK_OK(clEnqueueMarkerWithWaitList(queues[1], 0, NULL, &done));
	CHECK_OK(clWaitForEvents(1, &done));
	change(queues[0], "held", top, 4, 1, &done, &a);
	derive(queues[1], "sum", top, two, left, 2, (cl_event[]){a, a}, &b);
	derive(queues[2], "sum", top, top, right, 2, (cl_event[]){done, a}, &c);
	derive(queues[0], "sum", left, right, out, 5, (cl_event[]){b, c, b, a, done}, &d);
	expect(queues[2], out, 17, 1, &d);
	end_queues(3, queues);
	release_events(5, (cl_event[]){done, a, b, c, d});
	release_mems(5, (cl_mem[]){top, two, left, right, out});
}

/* A second barrier does not take the first one's place. */
static void scenario_11_barriers(void)
{
	enum { PARTS = 5 };
	cl_command_queue queue = queue_out_of_order();
	cl_mem mems[PARTS], out = buffer_of(0);
	cl_event events[PARTS];
	for (cl_uint i = 0; i < PARTS; i++) {
		mems[i] = buffer_of(0);
		change(queue, i ? "held" : "add", mems[i], i + 1, 0, NULL, &events[i]);
	}
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 1, &events[0], NULL));
	cl_kernel kernel = kernel_named("five");
	for (cl_uint i = 0; i < PARTS; i++)
		CHECK_OK(clSetKernelArg(kernel, i, sizeof(cl_mem), &mems[i]));
	CHECK_OK(clSetKernelArg(kernel, PARTS, sizeof(out), &out));
	cl_event done;
	enqueue(queue, kernel, WORDS, 0, NULL, &done);
	CHECK_OK(clReleaseKernel(kernel));
	expect(queue, out, 15, 1, &done);
	end_queues(1, &queue);
	release_events(PARTS, events);
	release_events(1, &done);
	release_mems(PARTS, mems);
	release_mems(1, &out);
}

/* A marker waits for what is before it and holds up nothing behind it. */
static void scenario_12_marker(void)
{
	cl_command_queue queue = queue_out_of_order();
	cl_mem mems[3] = {buffer_of(0), buffer_of(0), buffer_of(0)};
	cl_event user = user_event(), blocked, held, marker, later;
	change(queue, "add", mems[0], 1, 1, &user, &blocked);
	change(queue, "held", mems[1], 1, 0, NULL, &held);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
	change(queue, "add", mems[2], 1, 0, NULL, &later);
	CHECK_OK(clWaitForEvents(1, &later));
	CHECK(status_of(marker) > CL_COMPLETE);
	let_go();
	CHECK(status_of(marker) > CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &marker));
	CHECK(status_of(held) == CL_COMPLETE && status_of(blocked) == CL_COMPLETE);
	end_queues(1, &queue);
	release_events(5, (cl_event[]){user, blocked, held, marker, later});
	release_mems(3, mems);
}

/* Calls that put something into a stream or wait for one. */
static uint64_t work_calls(void)
{
	return calls_of("cuLaunch*") + calls_of("cuMem*Async*") + calls_of("cuEventRecord") +
	       calls_of("cuStreamWaitEvent") + calls_of("cu*Synchronize");
}

/* In an in-order queue markers and barriers are nothing at all. */
static void scenario_13_nothing(void)
{
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(1);
	change(queue, "held", mem, 1, 0, NULL, NULL);
	const uint64_t before = work_calls();
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	change_words(queue, "add", mem, 1, 0, 0, NULL, NULL);
	CHECK(work_calls() == before);
	expect(queue, mem, 2, 0, NULL);
	end_queues(1, &queue);
	release_mems(1, &mem);
}

/* No work-items: a marker with its wait list, and never a barrier. */
static void scenario_13_no_items(void)
{
	cl_command_queue queue = queue_out_of_order();
	cl_mem mem = buffer_of(1), other = buffer_of(1);
	cl_event held, alone, behind, later;
	change(queue, "held", mem, 1, 0, NULL, &held);
	change_words(queue, "add", other, 1, 0, 0, NULL, &alone);
	change_words(queue, "add", other, 1, 0, 1, &held, &behind);
	change(queue, "add", other, 1, 0, NULL, &later);
	CHECK_OK(clWaitForEvents(1, &later));
	CHECK(polled_complete(alone));
	if (scene.soft)
		CHECK(status_of(behind) > CL_COMPLETE);
	let_go();
	CHECK_OK(clWaitForEvents(1, &behind));
	CHECK(status_of(held) == CL_COMPLETE);
	end_queues(1, &queue);
	release_events(4, (cl_event[]){held, alone, behind, later});
	release_mems(2, (cl_mem[]){mem, other});
}

/* An event is complete when its command is, not when the next one is too. */
static void scenario_14_polling(void)
{
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(1), other = buffer_of(1);
	cl_event first, second;
	change(queue, "add", mem, 1, 0, NULL, &first);
	change(queue, "held", other, 1, 0, NULL, &second);
	CHECK(polled_complete(first));
	if (scene.soft)
		CHECK(status_of(second) > CL_COMPLETE);
	let_go();
	end_queues(1, &queue);
	release_events(2, (cl_event[]){first, second});
	release_mems(2, (cl_mem[]){mem, other});
}

/* One record for an event that is asked for, none else, and no creation once warm. */
static void scenario_15_records(void)
{
	const unsigned times = scenario_size(500, 10);
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(0);
	cl_kernel kernel = kernel_named("add");
	const cl_uint one = 1;
	cl_event event;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(one), &one));
	enqueue(queue, kernel, WORDS, 0, NULL, &event);
	CHECK_OK(clReleaseEvent(event));
	uint64_t records = calls_of("cuEventRecord*");
	const uint64_t created = calls_of("cuEventCreate*");
	for (unsigned i = 0; i < times; i++)
		enqueue(queue, kernel, WORDS, 0, NULL, NULL);
	CHECK(calls_of("cuEventRecord*") == records);
	for (unsigned i = 0; i < times; i++) {
		enqueue(queue, kernel, WORDS, 0, NULL, &event);
		CHECK_OK(clReleaseEvent(event));
	}
	CHECK(!scene.soft || calls_of("cuEventRecord*") == records + times);
	CHECK(calls_of("cuEventCreate*") == created);
	CHECK_OK(clReleaseKernel(kernel));
	expect(queue, mem, 2 * times + 1, 0, NULL);
	end_queues(1, &queue);
	release_mems(1, &mem);
}

/* What is brought to the host never stands behind what goes to the device, however much of that
 * there is: in a pipeline the one waits for kernels, and the other must not. */
static void scenario_56_both_ways(void)
{
	enum { WRITES = 24 };
	static cl_uint words[WORDS], back[WORDS];
	const cl_uint seven = 7;
	cl_command_queue queue = queue_out_of_order();
	cl_mem mems[WRITES + 1];
	cl_event filled, read;
	for (unsigned i = 0; i <= WRITES; i++) {
		mems[i] = buffer_make(scene.context, 0, SIZE_B, NULL);
	}
	CHECK_OK(clEnqueueFillBuffer(queue, mems[WRITES], &seven, sizeof(seven), 0, SIZE_B, 0, NULL,
				     &filled));
	CHECK_OK(clFlush(queue));
	for (unsigned i = 0; i < WRITES; i++)
		CHECK_OK(clEnqueueWriteBuffer(queue, mems[i], CL_FALSE, 0, SIZE_B, words, 0, NULL,
					      NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, mems[WRITES], CL_FALSE, 0, SIZE_B, back, 1, &filled,
				     &read));
	CHECK(polled_complete(read));
	CHECK(words_are(back, WORDS, 7));
	let_go();
	end_queues(1, &queue);
	release_events(2, (cl_event[]){filled, read});
	release_mems(WRITES + 1, mems);
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong time_ns = 0;
	CHECK_OK(clGetEventProfilingInfo(event, what, sizeof(time_ns), &time_ns, NULL));
	return time_ns;
}

/* Uploads that wait for nothing come one after the other, so that the first is there early; one
 * that waits for a kernel holds none of them up. */
static void scenario_61_uploads(void)
{
	enum { WRITES = 8 };
	static const cl_uint words[WORDS];
	cl_command_queue queue = queue_with(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
						       CL_QUEUE_PROFILING_ENABLE);
	cl_mem mems[WRITES], own = buffer_of(0), late = buffer_of(0);
	cl_event held, behind, events[WRITES];
	for (unsigned i = 0; i < WRITES; i++)
		mems[i] = buffer_of(1);
	change(queue, "held", own, 1, 0, NULL, &held);
	CHECK_OK(clEnqueueWriteBuffer(queue, late, CL_FALSE, 0, SIZE_B, words, 1, &held, &behind));
	for (unsigned i = 0; i < WRITES; i++)
		CHECK_OK(clEnqueueWriteBuffer(queue, mems[i], CL_FALSE, 0, SIZE_B, words, 0, NULL,
					      &events[i]));
	for (unsigned i = 0; i < WRITES; i++)
		CHECK(polled_complete(events[i]));
	CHECK(!scene.soft || status_of(behind) > CL_COMPLETE);
	for (unsigned i = 1; i < WRITES; i++)
		CHECK(time_of(events[i], CL_PROFILING_COMMAND_START) >=
		      time_of(events[i - 1], CL_PROFILING_COMMAND_END));
	let_go();
	end_queues(1, &queue);
	release_events(WRITES, events);
	release_events(2, (cl_event[]){held, behind});
	release_mems(WRITES, mems);
	release_mems(2, (cl_mem[]){own, late});
}

static const struct scenario scenarios[] = {
	{5, "a wait stands for its event, not for the CUDA event's next use",
	 scenario_05_events_again, NULL, 0, 0, false},
	{6, "a stream that comes back is another queue's", scenario_06_stream_again, ",hold:held",
	 0, 0, false},
	{7, "a wait that one thread leaves out was made by another", scenario_07_two_threads,
	 ",hold:held", 0, 0, false},
	{8, "a finish under way is no finish", scenario_08_finish_beside, ",hold:held", 0, 0, false},
	{9, "independent commands do not wait for each other", scenario_09_independent,
	 ",keep:held", 0, 0, true},
	{10, "waits that are left out are not needed", scenario_10_diamond, ",hold:held", 0, 2,
	 false},
	{11, "barriers add up", scenario_11_barriers, ",hold:held", 0, 0, true},
	{12, "a marker is no barrier", scenario_12_marker, ",keep:held", 0, 0, true},
	{13, "markers and barriers of in-order queues cost nothing", scenario_13_nothing,
	 ",hold:held", 0, 0, false},
	{13, "a launch of no work-items is a marker", scenario_13_no_items, ",keep:held", 0, 0,
	 true},
	{14, "an event is exact, by asking alone", scenario_14_polling, ",keep:held", 0, 0, false},
	{15, "events are recorded once, when asked for", scenario_15_records, NULL, 0, 0, false},
	{56, "the ways to the device and back do not share a stream", scenario_56_both_ways,
	 ",keep:HtoD", 0, 0, true},
	{61, "uploads that wait for nothing come one after the other", scenario_61_uploads,
	 ",keep:held,clock:1ms", 0, 0, true},
};

SCENARIO_MAIN("scenarios_streams", "3")
