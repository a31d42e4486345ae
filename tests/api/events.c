/* Queues and events without kernels: status, callbacks, user events and what they
 * hold up, failures, profiling, lifetime.  The numbers are those of the scenarios
 * in the ordering design. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

/* True once *value is wanted; false after five seconds. */
static bool soon(atomic_int *value, int wanted)
{
	for (unsigned i = 0; i < 50000 && atomic_load(value) != wanted; i++)
		usleep(100);
	return atomic_load(value) == wanted;
}

static void test_queue_doors(void)
{
	cl_int code;
	cl_context in = NULL;
	cl_device_id on = NULL;
	cl_uint count = 0;
	cl_command_queue_properties properties = 99;
	size_t size = 0;
	CHECK_NO_OBJECT(clCreateCommandQueue(NULL, device, 0, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(clCreateCommandQueue(context, NULL, 0, &code), code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(clCreateCommandQueue(context, device, 1u << 20, &code), code,
			CL_INVALID_VALUE);
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	const cl_queue_properties sized[] = {CL_QUEUE_SIZE, 16, 0};
	const cl_queue_properties unknown[] = {0x7777, 1, 0};
	const cl_queue_properties on_device[] = {
		CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0,
	};
	CHECK_NO_OBJECT(clCreateCommandQueueWithProperties(context, device, sized, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateCommandQueueWithProperties(context, device, unknown, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateCommandQueueWithProperties(context, device, on_device, &code), code,
			CL_INVALID_QUEUE_PROPERTIES);
	cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &code);
	CHECK_OK(code);
	CHECK_OK(clGetCommandQueueInfo(made, CL_QUEUE_CONTEXT, sizeof(in), &in, NULL));
	CHECK(in == context);
	CHECK_OK(clGetCommandQueueInfo(made, CL_QUEUE_DEVICE, sizeof(on), &on, NULL));
	CHECK(on == device);
	CHECK_OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				       NULL));
	CHECK(properties == CL_QUEUE_PROFILING_ENABLE);
	CHECK_OK(clRetainCommandQueue(made));
	CHECK_OK(clGetCommandQueueInfo(made, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count,
				       NULL));
	CHECK(count == 2);
	CHECK_OK(clReleaseCommandQueue(made));
	CHECK_OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
	CHECK(size == sizeof(list));
	CHECK_CODE(clGetCommandQueueInfo(made, CL_QUEUE_SIZE, sizeof(count), &count, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clGetCommandQueueInfo(made, 0xFFFF, sizeof(count), &count, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clFinish(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clRetainCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clReleaseCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clEnqueueMarker(made, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueWaitForEvents(made, 0, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_OK(clFlush(made));
	CHECK_OK(clFinish(made));
	CHECK_OK(clReleaseCommandQueue(made));
}

/* cl_khr_priority_hints, cl_khr_throttle_hints.  The hints are kept and change no result. */
static void test_hints(void)
{
	static const cl_queue_properties hints[] = {
		CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
	};
	static const cl_queue_properties throttles[] = {
		CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR,
	};
	cl_mem mem = buffer_make(context, 0, 64, NULL);
	cl_int code;
	for (cl_uint i = 0; i < 6; i++) {
		const cl_queue_properties list[] = {
			CL_QUEUE_PRIORITY_KHR, hints[i % 3], CL_QUEUE_PROPERTIES,
			i / 3 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
			CL_QUEUE_THROTTLE_KHR, throttles[(i + 1) % 3], 0,
		};
		cl_queue_properties kept[7] = {0};
		cl_uint read = 99;
		cl_command_queue made =
			clCreateCommandQueueWithProperties(context, device, list, &code);
		CHECK_OK(code);
		CHECK_OK(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof(kept), kept,
					       NULL));
		CHECK(!memcmp(kept, list, sizeof(list)));
		CHECK_OK(clEnqueueFillBuffer(made, mem, &i, 4, 0, 64, 0, NULL, NULL));
		CHECK_OK(clEnqueueBarrierWithWaitList(made, 0, NULL, NULL));
		CHECK_OK(clEnqueueReadBuffer(made, mem, CL_TRUE, 60, 4, &read, 0, NULL, NULL));
		CHECK(read == i);
		CHECK_OK(clReleaseCommandQueue(made));
	}
	const cl_queue_properties bad[] = {CL_QUEUE_PRIORITY_KHR, 8, 0};
	const cl_queue_properties bad_throttle[] = {CL_QUEUE_THROTTLE_KHR, 3, 0};
	const cl_queue_properties twice[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
					     CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0};
	CHECK_NO_OBJECT(clCreateCommandQueueWithProperties(context, device, bad, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateCommandQueueWithProperties(context, device, bad_throttle, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateCommandQueueWithProperties(context, device, twice, &code), code,
			CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(mem));
}

static void CL_CALLBACK nothing(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	(void)data;
}

static void test_event_doors(void)
{
	cl_int code, status;
	cl_ulong time;
	cl_event user, marker;
	CHECK_NO_OBJECT(clCreateUserEvent(NULL, &code), code, CL_INVALID_CONTEXT);
	user = user_event_make(context);
	CHECK(status_of(user) == CL_SUBMITTED);
	CHECK_CODE(clSetUserEventStatus(NULL, 0), CL_INVALID_EVENT);
	CHECK_CODE(clSetUserEventStatus(user, 1), CL_INVALID_VALUE);
	CHECK_CODE(clSetEventCallback(user, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clSetEventCallback(user, CL_QUEUED, nothing, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clSetEventCallback(user, -1, nothing, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clSetEventCallback(NULL, CL_COMPLETE, nothing, NULL), CL_INVALID_EVENT);
	CHECK_CODE(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof(time), &time,
					   NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
	CHECK_CODE(clGetEventInfo(user, 0xFFFF, sizeof(status), &status, NULL), CL_INVALID_VALUE);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_CODE(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
	CHECK_CODE(clSetUserEventStatus(user, -3), CL_INVALID_OPERATION);
	CHECK(status_of(user) == CL_COMPLETE);
	CHECK_OK(clWaitForEvents(1, &user));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
	CHECK_CODE(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
	cl_command_type type = 0;
	cl_command_queue in = NULL;
	CHECK_OK(clGetEventInfo(marker, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_MARKER);
	CHECK_OK(clGetEventInfo(marker, CL_EVENT_COMMAND_QUEUE, sizeof(in), &in, NULL));
	CHECK(in == queue);
	CHECK_CODE(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
	cl_event bad[2] = {marker, NULL};
	CHECK_CODE(clWaitForEvents(2, bad), CL_INVALID_EVENT);
	CHECK_OK(clReleaseEvent(marker));
	CHECK_CODE(clRetainEvent(NULL), CL_INVALID_EVENT);
	CHECK_CODE(clReleaseEvent(NULL), CL_INVALID_EVENT);
	/* An event of another context. */
	cl_context other = context_make(1, &device);
	cl_event foreign = clCreateUserEvent(other, &code);
	CHECK_CODE(clEnqueueMarkerWithWaitList(queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
	user = user_event_make(context);
	cl_event both[2] = {user, foreign};
	CHECK_CODE(clWaitForEvents(2, both), CL_INVALID_CONTEXT);
	CHECK_OK(clSetUserEventStatus(foreign, CL_COMPLETE));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(foreign));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseContext(other));
}

/* 4: the host bytes of a write are those at its turn, after the read before it. */
static void test_host_bytes_at_their_turn(void)
{
	static cl_uint words[1 << 16], result[1 << 16];
	cl_mem a = buffer_make(context, 0, sizeof(words), NULL),
	       b = buffer_make(context, 0, sizeof(words), NULL);
	const cl_uint seven = 7;
	cl_event user = user_event_make(context);
	CHECK_OK(clEnqueueFillBuffer(queue, a, &seven, 4, 0, sizeof(words), 1, &user, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, sizeof(words), words, 0, NULL, NULL));
	CHECK_OK(clEnqueueWriteBuffer(queue, b, CL_FALSE, 0, sizeof(words), words, 0, NULL, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof(words), result, 0, NULL, NULL));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clFinish(queue));
	bool good = true;
	for (unsigned i = 0; i < 1 << 16; i++)
		good &= words[i] == 7 && result[i] == 7;
	CHECK(good);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
}

/* 14: complete by asking alone, with work behind it. */
static void test_polling(void)
{
	cl_mem mem = buffer_make(context, 0, 1 << 20, NULL);
	const cl_uchar zero = 0;
	cl_event event;
	atomic_int done = 0;
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &zero, 1, 0, 1 << 20, 0, NULL, &event));
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &zero, 1, 0, 1 << 20, 0, NULL, NULL));
	for (unsigned i = 0; i < 50000 && !done; i++) {
		atomic_store(&done, status_of(event) == CL_COMPLETE);
		usleep(100);
	}
	CHECK(done);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseMemObject(mem));
}

/* 16, in-order: what waits holds its followers, but no other queue. */
static void test_blocked(void)
{
	cl_command_queue other = queue_make(context, device, 0);
	cl_mem mem = buffer_make(context, 0, 64, NULL);
	cl_uint value = 5, read = 0;
	cl_event user = user_event_make(context), blocked, free_event, after;
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &value, 1, &user, &blocked));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &after));
	CHECK_OK(clEnqueueMarkerWithWaitList(other, 0, NULL, &free_event));
	CHECK_OK(clWaitForEvents(1, &free_event));
	CHECK_OK(clFlush(queue));
	CHECK(status_of(blocked) == CL_QUEUED || status_of(blocked) == CL_SUBMITTED);
	CHECK(status_of(after) == CL_QUEUED || status_of(after) == CL_SUBMITTED);
	/* The host's bytes are read when the write is submitted. */
	value = 6;
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &after));
	CHECK(status_of(blocked) == CL_COMPLETE);
	buffer_read(queue, mem, &read, 4);
	CHECK(read == 6);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(blocked));
	CHECK_OK(clReleaseEvent(free_event));
	CHECK_OK(clReleaseEvent(after));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(other));
}

/* 17: very many commands behind one event, over two queues. */
static void test_long_chain(unsigned length)
{
	cl_command_queue other = queue_make(context, device, 0);
	cl_event user = user_event_make(context), last;
	CHECK_OK(clRetainEvent(user));
	last = user;
	bool good = true;
	for (unsigned i = 0; i < length; i++) {
		cl_event next;
		good &= !clEnqueueMarkerWithWaitList(i & 1 ? other : queue, 1, &last, &next);
		good &= !clReleaseEvent(last);
		last = next;
	}
	CHECK(good);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &last));
	CHECK_OK(clReleaseEvent(last));
	CHECK_OK(clReleaseEvent(user));
	/* And all of them hanging on the same one. */
	user = user_event_make(context);
	for (unsigned i = 0; i < length; i++)
		good &= !clEnqueueMarkerWithWaitList(i & 1 ? other : queue, 1, &user, NULL);
	CHECK(good);
	CHECK_OK(clSetUserEventStatus(user, -1));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clFinish(other));
	CHECK_OK(clReleaseCommandQueue(other));
}

static atomic_int told, told_status;

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	atomic_store(&told_status, status);
	atomic_fetch_add(&told, 1);
}

/* 18: a failure goes down the wait lists, over queues; nothing runs, and the
 * queues live on. */
static void test_failure(void)
{
	cl_command_queue other = queue_make(context, device, 0);
	cl_mem mem = buffer_make(context, 0, 64, NULL);
	const cl_uint one = 1, two = 2;
	cl_uint read = 0;
	cl_event user = user_event_make(context), first, second, third, unrelated;
	atomic_store(&told, 0);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &one, 4, 0, 64, 0, NULL, NULL));
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &two, 4, 0, 64, 1, &user, &first));
	CHECK_OK(clEnqueueFillBuffer(other, mem, &two, 4, 0, 64, 1, &first, &second));
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &two, 4, 0, 64, 1, &second, &third));
	/* In line behind them, but with no wait list: runs. */
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &unrelated));
	CHECK_OK(clSetEventCallback(third, CL_COMPLETE, tell, NULL));
	CHECK_OK(clSetUserEventStatus(user, -7));
	CHECK(status_of(user) == -7);
	CHECK(status_of(first) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(second) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(third) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(soon(&told, 1));
	CHECK(atomic_load(&told_status) < 0);
	CHECK_CODE(clWaitForEvents(1, &first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clFinish(other));
	CHECK_OK(clWaitForEvents(1, &unrelated));
	/* A blocking call after a failure says so, another one does not. */
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &read, 1, &third, NULL),
		   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(read == 0);
	cl_event late;
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, &read, 1, &third, &late));
	CHECK(status_of(late) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	buffer_read(queue, mem, &read, 4);
	CHECK(read == 1);
	cl_event all[] = {user, first, second, third, unrelated, late};
	for (unsigned i = 0; i < 6; i++)
		CHECK_OK(clReleaseEvent(all[i]));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(other));
}

/* One of two events fails: the command ends at once, whatever the other does. */
static void test_failure_first(void)
{
	cl_event users[2] = {user_event_make(context), user_event_make(context)}, marker, follower;
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 2, users, &marker));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &marker, &follower));
	CHECK_OK(clSetUserEventStatus(users[1], -1));
	CHECK_CODE(clWaitForEvents(1, &follower), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(marker) < 0);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clSetUserEventStatus(users[0], CL_COMPLETE));
	CHECK_OK(clReleaseEvent(users[0]));
	CHECK_OK(clReleaseEvent(users[1]));
	CHECK_OK(clReleaseEvent(marker));
	CHECK_OK(clReleaseEvent(follower));
	CHECK_OK(clFinish(queue));
}

/* 20: a callback may do anything that does not wait. */
struct busy {
	cl_event user;
	cl_command_queue queue;
	cl_context context;
	cl_event event;
};

static void CL_CALLBACK busy_callback(cl_event event, cl_int status, void *data)
{
	struct busy *busy = data;
	cl_event marker;
	CHECK(status == CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(busy->user, CL_COMPLETE));
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, tell, NULL));
	CHECK_OK(clEnqueueMarkerWithWaitList(busy->queue, 1, &event, &marker));
	CHECK_OK(clReleaseEvent(marker));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseContext(busy->context));
	atomic_fetch_add(&told, 1);
}

static void test_busy_callback(void)
{
	struct busy busy = {.user = user_event_make(context),
			    .queue = queue_make(context, device, 0),
			    .context = context};
	cl_event blocked;
	atomic_store(&told, 0);
	CHECK_OK(clRetainContext(context));
	CHECK_OK(clEnqueueMarkerWithWaitList(busy.queue, 1, &busy.user, &blocked));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &busy.event));
	CHECK_OK(clSetEventCallback(busy.event, CL_COMPLETE, busy_callback, &busy));
	CHECK_OK(clWaitForEvents(1, &blocked));
	CHECK(soon(&told, 2));
	CHECK_OK(clReleaseEvent(blocked));
	CHECK_OK(clReleaseEvent(busy.user));
	CHECK_OK(clReleaseCommandQueue(busy.queue));
}

static void test_callback_kinds(void)
{
	const cl_int kinds[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
	cl_event user = user_event_make(context), marker;
	atomic_store(&told, 0);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &marker));
	for (unsigned i = 0; i < 3; i++)
		CHECK_OK(clSetEventCallback(marker, kinds[i], tell, NULL));
	usleep(2000);
	CHECK(atomic_load(&told) == 0);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK(soon(&told, 3));
	/* Late ones are called too. */
	for (unsigned i = 0; i < 3; i++)
		CHECK_OK(clSetEventCallback(marker, kinds[i], tell, NULL));
	CHECK(soon(&told, 6));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(marker));
}

/* 21: finish waits in one thread, another enqueues and asks, a third sets. */
static void *finish_thread(void *data)
{
	atomic_int *finished = data;
	CHECK_OK(clFinish(queue));
	atomic_store(finished, 1);
	return NULL;
}

static void test_finish_blocked(void)
{
	pthread_t thread;
	atomic_int finished = 0;
	cl_event user = user_event_make(context), blocked, more;
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &blocked));
	CHECK(!pthread_create(&thread, NULL, finish_thread, &finished));
	usleep(5000);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &more));
	CHECK(status_of(more) > CL_COMPLETE);
	CHECK(!atomic_load(&finished));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK(!pthread_join(thread, NULL));
	CHECK(atomic_load(&finished));
	CHECK_OK(clWaitForEvents(1, &more));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(blocked));
	CHECK_OK(clReleaseEvent(more));
}

/* 24: a callback on a marker sets what another queue waits for. */
static void CL_CALLBACK set_user(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)status;
	CHECK_OK(clSetUserEventStatus(data, CL_COMPLETE));
}

static void test_marker_sets(void)
{
	cl_event first = user_event_make(context), second = user_event_make(context), marker;
	CHECK_OK(clSetUserEventStatus(first, CL_COMPLETE));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &first, &marker));
	CHECK_OK(clSetEventCallback(marker, CL_COMPLETE, set_user, second));
	CHECK_OK(clWaitForEvents(1, &second));
	CHECK_OK(clReleaseEvent(first));
	CHECK_OK(clReleaseEvent(second));
	CHECK_OK(clReleaseEvent(marker));
}

/* Everything goes while it is in use: queue, memory and event of blocked work. */
static void test_release_early(void)
{
	cl_command_queue own = queue_make(context, device, 0);
	cl_mem a = buffer_make(context, 0, 64, NULL), b = buffer_make(context, 0, 64, NULL),
	       kept = buffer_make(context, 0, 64, NULL);
	static cl_uint read;
	const cl_uint nine = 9;
	cl_event user = user_event_make(context), last;
	CHECK_OK(clEnqueueFillBuffer(own, a, &nine, 4, 0, 64, 1, &user, NULL));
	CHECK_OK(clEnqueueCopyBuffer(own, a, b, 0, 0, 64, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyBuffer(own, b, kept, 0, 0, 64, 0, NULL, &last));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseCommandQueue(own));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clEnqueueReadBuffer(queue, kept, CL_TRUE, 0, 4, &read, 1, &last, NULL));
	CHECK(read == 9);
	CHECK_OK(clReleaseEvent(last));
	CHECK_OK(clReleaseMemObject(kept));
	/* 36: memory that goes right behind the work on it, again and again. */
	for (unsigned i = 0; i < 200; i++) {
		cl_mem mem = buffer_make(context, 0, 1 << 20, NULL);
		CHECK_OK(clEnqueueFillBuffer(queue, mem, &nine, 4, 0, 1 << 20, 0, NULL, NULL));
		CHECK_OK(clReleaseMemObject(mem));
	}
	CHECK_OK(clFinish(queue));
}

static cl_ulong stamp(cl_event event, cl_profiling_info name)
{
	cl_ulong time = 0;
	CHECK_OK(clGetEventProfilingInfo(event, name, sizeof(time), &time, NULL));
	return time;
}

static void test_profiling(void)
{
	cl_command_queue timed = queue_make(context, device, CL_QUEUE_PROFILING_ENABLE);
	cl_mem mem = buffer_make(context, 0, 1 << 20, NULL);
	const cl_uchar fill = 1;
	cl_ulong time, end_before = 0;
	cl_event user = user_event_make(context);
	for (unsigned i = 0; i < 10; i++) {
		cl_event event;
		CHECK_OK(clEnqueueFillBuffer(timed, mem, &fill, 1, 0, 1 << 20, i == 3, i == 3 ?
					     &user : NULL, &event));
		if (i == 3) {
			CHECK_CODE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED,
							   sizeof(time), &time, NULL),
				   CL_PROFILING_INFO_NOT_AVAILABLE);
			CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
		}
		CHECK_OK(clWaitForEvents(1, &event));
		const cl_ulong queued = stamp(event, CL_PROFILING_COMMAND_QUEUED);
		const cl_ulong submit = stamp(event, CL_PROFILING_COMMAND_SUBMIT);
		const cl_ulong start = stamp(event, CL_PROFILING_COMMAND_START);
		const cl_ulong end = stamp(event, CL_PROFILING_COMMAND_END);
		CHECK(queued && queued <= submit && submit <= start && start <= end);
		CHECK(end == stamp(event, CL_PROFILING_COMMAND_COMPLETE));
		CHECK(end >= end_before);
		end_before = end;
		CHECK_CODE(clGetEventProfilingInfo(event, 0x1111, sizeof(time), &time, NULL),
			   CL_INVALID_VALUE);
		CHECK_CODE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 4, &time, NULL),
			   CL_INVALID_VALUE);
		CHECK_OK(clReleaseEvent(event));
	}
	cl_event plain;
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &plain));
	CHECK_OK(clWaitForEvents(1, &plain));
	CHECK_CODE(clGetEventProfilingInfo(plain, CL_PROFILING_COMMAND_END, sizeof(time), &time,
					   NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
	CHECK_OK(clReleaseEvent(plain));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(timed));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "events"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, 0);
	test_queue_doors();
	test_hints();
	test_event_doors();
	test_host_bytes_at_their_turn();
	test_polling();
	test_blocked();
	test_long_chain(100000);
	test_failure();
	test_failure_first();
	test_busy_callback();
	test_callback_kinds();
	test_finish_blocked();
	test_marker_sets();
	test_release_early();
	test_profiling();
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
