/* Protects: the order of acquires and releases of OpenGL's objects among other commands: behind user events, in several
 * queues, behind commands that a worker thread runs; in which thread they may run; their events; objects that OpenGL
 * deletes first; lists of many objects. */
#include "config.h"

#include "tests/api/gl_sharing.h"

#include <pthread.h>

enum { WORDS = 64, LARGE_B = 16 << 20, MANY = 40 };

static struct api_test test;
static struct gl_sharing sharing;
static struct gl *const gl = &sharing.gl;
static cl_kernel add;

/* A buffer of OpenGL whose words are 0, and OpenCL's for it. */
static cl_mem shared_make(unsigned *name_out, size_t size_B)
{
	cl_int code;
	void *zeros = calloc(1, size_B);
	gl->CreateBuffers(1, name_out);
	gl->NamedBufferData(*name_out, (ptrdiff_t)size_B, zeros, GL_DYNAMIC_DRAW);
	free(zeros);
	cl_mem mem = clCreateFromGLBuffer(sharing.context, CL_MEM_READ_WRITE, *name_out, &code);
	CHECK_OK(code);
	return mem;
}

static void shared_release(unsigned name, cl_mem mem)
{
	CHECK_OK(clReleaseMemObject(mem));
	gl->DeleteBuffers(1, &name);
}

static cl_uint first_word(unsigned name)
{
	cl_uint word = 12345;
	gl->GetNamedBufferSubData(name, 0, sizeof(word), &word);
	return word;
}

static void add_set(cl_mem mem, cl_uint n)
{
	CHECK_OK(clSetKernelArg(add, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(n), &n));
}

static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	return status;
}

/* The thread that sets the event has the OpenGL context, and so runs what waits for it. */
static void behind_a_user_event(void)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0], 0);
	cl_event user = user_event_make(sharing.context), released;
	unsigned name;
	cl_mem mem = shared_make(&name, WORDS * 4);
	add_set(mem, 5);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 1, &user, NULL));
	launch_1d(queue, add, WORDS);
	CHECK_OK(clEnqueueReleaseGLObjects(queue, 1, &mem, 0, NULL, &released));
	CHECK_OK(clFlush(queue));
	CHECK(status_of(released) == CL_QUEUED);
	CHECK(first_word(name) == 0);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &released));
	CHECK(first_word(name) == 5);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(released));
	CHECK_OK(clReleaseCommandQueue(queue));
	shared_release(name, mem);
}

static void *set(void *data)
{
	CHECK_OK(clSetUserEventStatus((cl_event)data, CL_COMPLETE));
	return NULL;
}

/* Another thread has no OpenGL context: the acquire fails, and so does what waits for it; nothing is lost. */
static void set_by_another_thread(void)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0], 0);
	cl_event user = user_event_make(sharing.context), acquired, launched;
	pthread_t thread;
	unsigned name;
	cl_mem mem = shared_make(&name, WORDS * 4);
	add_set(mem, 5);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 1, &user, &acquired));
	launch_1d_after(queue, add, WORDS, 1, &acquired, &launched);
	CHECK(!pthread_create(&thread, NULL, set, user));
	CHECK(!pthread_join(thread, NULL));
	CHECK_CODE(clWaitForEvents(1, &launched), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(acquired) == CL_INVALID_GL_OBJECT);
	CHECK_OK(clReleaseEvent(acquired));
	CHECK_OK(clReleaseEvent(launched));
	/* It can be acquired again, where the context is current. */
	gl_acquire(queue, mem);
	launch_1d(queue, add, WORDS);
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	CHECK(first_word(name) == 5);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseCommandQueue(queue));
	shared_release(name, mem);
}

/* A worker thread reads into pageable memory; the release behind it is still submitted by this thread. */
static void behind_a_worker(bool other_queue)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0], 0);
	cl_command_queue reading = other_queue ? queue_make(sharing.context, sharing.devices[0], 0) : queue;
	cl_uint *seen = calloc(1, LARGE_B);
	cl_event acquired, launched, read, released;
	unsigned name;
	cl_mem mem = shared_make(&name, LARGE_B);
	for (cl_uint turn = 1; turn <= 3; turn++) {
		add_set(mem, turn);
		CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 0, NULL, &acquired));
		launch_1d_after(queue, add, LARGE_B / 4, 1, &acquired, &launched);
		CHECK_OK(clEnqueueReadBuffer(reading, mem, CL_FALSE, 0, LARGE_B, seen, 1, &launched, &read));
		CHECK_OK(clEnqueueReleaseGLObjects(queue, 1, &mem, 1, &read, &released));
		CHECK_OK(clWaitForEvents(1, &released));
		CHECK(seen[LARGE_B / 4 - 1] == turn * (turn + 1) / 2);
		CHECK(first_word(name) == turn * (turn + 1) / 2);
		CHECK_OK(clReleaseEvent(acquired));
		CHECK_OK(clReleaseEvent(launched));
		CHECK_OK(clReleaseEvent(read));
		CHECK_OK(clReleaseEvent(released));
	}
	free(seen);
	if (other_queue)
		CHECK_OK(clReleaseCommandQueue(reading));
	CHECK_OK(clReleaseCommandQueue(queue));
	shared_release(name, mem);
}

static cl_command_type type_of(cl_event event)
{
	cl_command_type type = 0;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	return type;
}

static void times_check(cl_event event)
{
	cl_ulong queued = 0, submitted = 0, started = 0, ended = 0;
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, 8, &queued, NULL));
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_SUBMIT, 8, &submitted, NULL));
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &started, NULL));
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &ended, NULL));
	CHECK(queued && queued <= submitted && submitted <= started && started <= ended);
}

static void out_of_order(void)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0],
					    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
	cl_event acquired, launched, released, nothing;
	unsigned name;
	cl_mem mem = shared_make(&name, WORDS * 4);
	add_set(mem, 7);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 0, NULL, &acquired));
	launch_1d_after(queue, add, WORDS, 1, &acquired, &launched);
	CHECK_OK(clEnqueueReleaseGLObjects(queue, 1, &mem, 1, &launched, &released));
	CHECK_OK(clEnqueueReleaseGLObjects(queue, 0, NULL, 1, &released, &nothing));
	CHECK_OK(clWaitForEvents(1, &nothing));
	CHECK(status_of(released) == CL_COMPLETE);
	CHECK(first_word(name) == 7);
	CHECK(type_of(acquired) == CL_COMMAND_ACQUIRE_GL_OBJECTS);
	CHECK(type_of(released) == CL_COMMAND_RELEASE_GL_OBJECTS);
	CHECK(type_of(nothing) == CL_COMMAND_RELEASE_GL_OBJECTS);
	times_check(acquired);
	times_check(released);
	CHECK_OK(clReleaseEvent(acquired));
	CHECK_OK(clReleaseEvent(launched));
	CHECK_OK(clReleaseEvent(released));
	CHECK_OK(clReleaseEvent(nothing));
	CHECK_OK(clReleaseCommandQueue(queue));
	shared_release(name, mem);
}

/* A failed event in the wait list: the acquire does not run. */
static void behind_a_failure(void)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0], 0);
	cl_event user = user_event_make(sharing.context), acquired;
	unsigned name;
	cl_mem mem = shared_make(&name, WORDS * 4);
	CHECK_OK(clSetUserEventStatus(user, -5));
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 1, &user, &acquired));
	CHECK(status_of(acquired) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clReleaseEvent(acquired));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseCommandQueue(queue));
	shared_release(name, mem);
}

/* OpenGL deletes its object first.  The specification keeps the data store; softcuda cannot, and says so. */
static void deleted_first(void)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0], 0);
	unsigned name;
	cl_mem mem = shared_make(&name, WORDS * 4);
	gl_acquire(queue, mem);
	gl_release(queue, mem);
	CHECK_OK(clFinish(queue));
	gl->DeleteBuffers(1, &name);
	const cl_int code = clEnqueueAcquireGLObjects(queue, 1, &mem, 0, NULL, NULL);
	CHECK(code == CL_SUCCESS || code == CL_INVALID_GL_OBJECT);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void *release(void *data)
{
	CHECK_OK(clReleaseMemObject((cl_mem)data));
	return NULL;
}

/* More objects than a call has room for on its stack, some of them twice; released by a thread without OpenGL. */
static void many(void)
{
	cl_command_queue queue = queue_make(sharing.context, sharing.devices[0], 0);
	cl_mem mems[MANY];
	unsigned names[MANY];
	pthread_t thread;
	for (unsigned i = 0; i < MANY; i++)
		mems[i] = shared_make(&names[i], WORDS * 4);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, MANY, mems, 0, NULL, NULL));
	for (unsigned i = 0; i < MANY; i++) {
		add_set(mems[i], i + 1);
		launch_1d(queue, add, WORDS);
	}
	CHECK_OK(clEnqueueReleaseGLObjects(queue, MANY, mems, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	for (unsigned i = 0; i < MANY; i++) {
		CHECK(first_word(names[i]) == i + 1);
		CHECK(!pthread_create(&thread, NULL, release, mems[i]));
		CHECK(!pthread_join(thread, NULL));
	}
	gl->DeleteBuffers(MANY, names);
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* A second OpenGL context of the share group, in another thread, uses the same objects. */
struct second {
	void *context;
	cl_command_queue queue;
	cl_mem mem;
};

static void *second_thread(void *data)
{
	const struct second *second = data;
	CHECK(gl_make_current(&sharing.window, second->context));
	gl_acquire(second->queue, second->mem);
	launch_1d(second->queue, add, WORDS);
	gl_release(second->queue, second->mem);
	CHECK_OK(clFinish(second->queue));
	gl->Finish();
	CHECK(gl_make_current(&sharing.window, NULL));
	return NULL;
}

static void share_group(void)
{
	struct second second = {.context = gl_context_create(&sharing.window, sharing.window.context, GL_CORE)};
	pthread_t thread;
	unsigned name;
	if (!CHECK(second.context))
		return;
	second.queue = queue_make(sharing.context, sharing.devices[0], 0);
	second.mem = shared_make(&name, WORDS * 4);
	add_set(second.mem, 9);
	gl->Finish();
	CHECK(!pthread_create(&thread, NULL, second_thread, &second));
	CHECK(!pthread_join(thread, NULL));
	CHECK(first_word(name) == 9);
	CHECK_OK(clReleaseCommandQueue(second.queue));
	shared_release(name, second.mem);
}

int main(void)
{
	if (!api_test_start(&test, "gl_order"))
		return API_TEST_SKIP;
	if (!gl_sharing_start(&sharing, &test))
		return api_test_skip(&test);
	cl_program program = api_test_build(
		sharing.context, sharing.devices[0],
		"kernel void add(global uint *a, uint n) { a[get_global_id(0)] += n; }\n", "");
	add = kernel_make(program, "add");
	behind_a_user_event();
	set_by_another_thread();
	behind_a_worker(false);
	behind_a_worker(true);
	out_of_order();
	behind_a_failure();
	deleted_first();
	many();
	share_group();
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	gl_sharing_end(&sharing);
	return api_test_end(&test);
}
