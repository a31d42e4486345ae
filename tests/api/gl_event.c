/* Protects: events that are linked to sync objects of OpenGL and EGL (cl_khr_gl_event, cl_khr_egl_event): their status
 * and information; acquires that wait for another thread's OpenGL context; waits and callbacks in threads without a
 * context; sync objects that are deleted first; EGL without sync objects; a display that is terminated; which commands
 * refuse such events. */
#include "config.h"

#include "tests/api/gl_sharing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 128, TEXELS = SIDE * SIDE, STEPS = 5000 };

static struct api_test test;
static struct gl_sharing sharing;
static struct gl *const gl = &sharing.gl;
static cl_command_queue queue;
static cl_kernel count_bright;

/* --- EGL without sync objects --- */

static bool hides_syncs;
/* While it is set, nothing that OpenGL or EGL is asked about has passed. */
static atomic_bool held;
/* EGL's waits fail, as after eglTerminate. */
static atomic_bool lost;

static unsigned held_gl_wait(void *sync, unsigned flags, uint64_t timeout_ns)
{
	unsigned (*wait)(void *, unsigned, uint64_t) =
		(unsigned (*)(void *, unsigned, uint64_t))sharing.window.find("glClientWaitSync");
	return atomic_load(&held) ? 0x911B : wait(sync, flags, timeout_ns); /* GL_TIMEOUT_EXPIRED */
}

static int held_egl_wait(void *display, void *sync, int flags, uint64_t timeout_ns)
{
	int (*wait)(void *, void *, int, uint64_t) =
		(int (*)(void *, void *, int, uint64_t))sharing.window.find("eglClientWaitSyncKHR");
	if (atomic_load(&lost))
		return 0;
	return atomic_load(&held) ? 0x30F5 : wait(display, sync, flags, timeout_ns); /* EGL_TIMEOUT_EXPIRED */
}

/* The test's own function is found before EGL's, whose symbols are not global. */
__attribute__((visibility("default"))) gl_function eglGetProcAddress(const char *name);
__attribute__((visibility("default"))) gl_function eglGetProcAddress(const char *name)
{
	if (hides_syncs && !strcmp(name, "eglCreateSyncKHR"))
		return NULL;
	if (!strcmp(name, "glClientWaitSync"))
		return (gl_function)held_gl_wait;
	return !strcmp(name, "eglClientWaitSyncKHR") ? (gl_function)held_egl_wait : sharing.window.find(name);
}

/* --- a drawing that takes time: bright texels, after many steps for each of them --- */

struct drawing {
	unsigned texture, frame, program, vertices;
	cl_mem image;
};

static void frame_make(struct drawing *drawing)
{
	gl->CreateFramebuffers(1, &drawing->frame);
	gl->NamedFramebufferTexture(drawing->frame, GL_COLOR_ATTACHMENT0, drawing->texture, 0);
	gl->CreateVertexArrays(1, &drawing->vertices);
}

static void drawing_make(struct drawing *drawing)
{
	cl_int code;
	drawing->program = gl_program(
		gl,
		"#version 450\n"
		"void main() { gl_Position = vec4(4 * (gl_VertexID & 1) - 1, 2 * (gl_VertexID & 2) - 1, 0, 1); }\n",
		"#version 450\n"
		"layout(location = 0) uniform int steps;\n"
		"out vec4 color;\n"
		"void main() {\n"
		"	float x = gl_FragCoord.x / 1000;\n"
		"	for (int i = 0; i < steps; i++) x = fract(1.7 * x + 0.1);\n"
		"	color = vec4(0.75 + x / 4);\n"
		"}\n");
	CHECK(drawing->program);
	gl->CreateTextures(GL_TEXTURE_2D, 1, &drawing->texture);
	gl->TextureStorage2D(drawing->texture, 1, GL_RGBA8, SIDE, SIDE);
	frame_make(drawing);
	gl->Finish();
	drawing->image = clCreateFromGLTexture(sharing.context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, drawing->texture,
					       &code);
	CHECK_OK(code);
}

static void drawing_release(struct drawing *drawing)
{
	CHECK_OK(clReleaseMemObject(drawing->image));
	gl->DeleteFramebuffers(1, &drawing->frame);
	gl->DeleteTextures(1, &drawing->texture);
}

/* Where a processor draws, a fifth of the steps takes as long as many commands. */
static int steps_now(void)
{
	const char *cuda = getenv("CULVERT_CUDA");
	return cuda && !strcmp(cuda, "soft") ? STEPS / 5 : STEPS;
}

/* The texture is black, and will be bright when what is returned has passed. */
static void *draw(const struct drawing *drawing)
{
	static const unsigned char black[4];
	gl->ClearTexImage(drawing->texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, black);
	gl->ProgramUniform1i(drawing->program, 0, steps_now());
	gl->UseProgram(drawing->program);
	gl->BindFramebuffer(GL_FRAMEBUFFER, drawing->frame);
	gl->BindVertexArray(drawing->vertices);
	gl->Viewport(0, 0, SIDE, SIDE);
	gl->DrawArrays(GL_TRIANGLES, 0, 3);
	return gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

static cl_event event_make(void *sync)
{
	cl_int code = 12345;
	cl_event event = clCreateEventFromGLsyncKHR(sharing.context, sync, &code);
	CHECK_OK(code);
	CHECK(event);
	return event;
}

static cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	return status;
}

/* How many texels OpenGL itself sees bright, with whatever context is current; contexts do not share framebuffers. */
static unsigned bright_to_opengl(const struct drawing *drawing)
{
	static unsigned char texels[TEXELS][4];
	struct drawing own = *drawing;
	unsigned bright = 0;
	frame_make(&own);
	gl->BindFramebuffer(GL_FRAMEBUFFER, own.frame);
	gl->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	for (int i = 0; i < TEXELS; i++)
		bright += texels[i][0] > 127;
	gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
	gl->DeleteFramebuffers(1, &own.frame);
	return bright;
}

/* How many texels OpenCL sees bright after an acquire that waits for the events. If it is not all of them, what
 * OpenGL sees tells whether the drawing itself is missing. */
static cl_uint bright_after(const struct drawing *drawing, cl_uint count, const cl_event *events)
{
	cl_int code;
	cl_uint zero = 0, bright = 12345;
	const size_t size[2] = {SIDE, SIDE};
	cl_mem sum = clCreateBuffer(sharing.context, CL_MEM_COPY_HOST_PTR, sizeof(zero), &zero, &code);
	CHECK_OK(code);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &drawing->image, count, events, NULL));
	CHECK_OK(clSetKernelArg(count_bright, 0, sizeof(cl_mem), &drawing->image));
	CHECK_OK(clSetKernelArg(count_bright, 1, sizeof(cl_mem), &sum));
	CHECK_OK(clEnqueueNDRangeKernel(queue, count_bright, 2, NULL, size, NULL, 0, NULL, NULL));
	gl_release(queue, drawing->image);
	buffer_read(queue, sum, &bright, sizeof(bright));
	CHECK_OK(clReleaseMemObject(sum));
	if (bright != TEXELS) {
		const unsigned drawn = bright_to_opengl(drawing), error = gl->GetError();
		fprintf(stderr, "%u of %d texels are bright to OpenCL, %u to OpenGL, whose error is %#x\n", bright,
			(int)TEXELS, drawn, error);
	}
	return bright;
}

/* --- the tests --- */

/* An event that is pending until `held` is reset. */
static cl_event held_event(void *sync)
{
	atomic_store(&held, true);
	cl_event event = event_make(sync);
	CHECK(status_of(event) == CL_SUBMITTED);
	return event;
}

static void status(const struct drawing *drawing)
{
	void *sync = draw(drawing);
	cl_event event = held_event(sync);
	CHECK(status_of(event) == CL_SUBMITTED);
	atomic_store(&held, false);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(status_of(event) == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(event));
	gl->DeleteSync(sync);
	gl->Finish();
	sync = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
	gl->Finish();
	event = event_make(sync);
	CHECK(status_of(event) == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(event));
	gl->DeleteSync(sync);
}

static void information(const struct drawing *drawing)
{
	void *sync = draw(drawing);
	cl_event event = event_make(sync);
	cl_command_queue of = queue;
	cl_context context = NULL;
	cl_command_type type = 0;
	cl_uint references = 0;
	cl_ulong time_ns;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(of), &of, NULL));
	CHECK(!of);
	CHECK_OK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(context), &context, NULL));
	CHECK(context == sharing.context);
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
	CHECK_OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references, NULL));
	CHECK(references == 1);
	CHECK(clSetUserEventStatus(event, CL_COMPLETE) == CL_INVALID_EVENT);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(time_ns), &time_ns, NULL) ==
	      CL_PROFILING_INFO_NOT_AVAILABLE);
	CHECK_OK(clReleaseEvent(event));
	gl->DeleteSync(sync);
}

struct elsewhere {
	struct drawing drawing;
	void *context, *sync;
	pthread_barrier_t drawn;
};

/* Draws with a context of its own, and keeps it until the other thread has waited. */
static void *drawing_thread(void *data)
{
	struct elsewhere *elsewhere = data;
	struct drawing own = elsewhere->drawing;
	gl_thread_begin(&sharing.window);
	CHECK(gl_make_current(&sharing.window, elsewhere->context));
	/* Framebuffers and vertex arrays are not shared. */
	frame_make(&own);
	elsewhere->sync = draw(&own);
	gl->Flush();
	pthread_barrier_wait(&elsewhere->drawn);
	pthread_barrier_wait(&elsewhere->drawn);
	gl_make_current(&sharing.window, NULL);
	gl_thread_end(&sharing.window);
	return NULL;
}

static void *letting_thread(void *unused)
{
	usleep(20000);
	atomic_store(&held, false);
	return unused;
}

/* An acquire with the context of the fence, which is pending, does not wait. */
static void same_thread(const struct drawing *drawing)
{
	cl_event event = held_event(draw(drawing));
	CHECK(bright_after(drawing, 1, &event) == TEXELS);
	CHECK(status_of(event) == CL_SUBMITTED);
	atomic_store(&held, false);
	CHECK(status_of(event) == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(event));
}

/* user: the acquire also waits for a user event, and is submitted when that is set. */
static void other_thread(const struct drawing *drawing, bool user)
{
	struct elsewhere elsewhere = {.drawing = *drawing,
				      .context = gl_context_create(&sharing.window, sharing.window.context, GL_CORE)};
	void *third = gl_context_create(&sharing.window, sharing.window.context, GL_CORE);
	pthread_t thread, letting;
	cl_event events[2];
	if (!CHECK(third) || !CHECK(elsewhere.context) || !CHECK(!pthread_barrier_init(&elsewhere.drawn, NULL, 2)) ||
	    !CHECK(!pthread_create(&thread, NULL, drawing_thread, &elsewhere)))
		return;
	pthread_barrier_wait(&elsewhere.drawn);
	events[0] = held_event(elsewhere.sync);
	/* The acquire is in another context than the fence. */
	CHECK(gl_make_current(&sharing.window, third));
	CHECK(!pthread_create(&letting, NULL, letting_thread, NULL));
	/* The event holds a reference. */
	gl->DeleteSync(elsewhere.sync);
	if (user) {
		events[1] = user_event_make(sharing.context);
		CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &drawing->image, 2, events, NULL));
		CHECK_OK(clSetUserEventStatus(events[1], CL_COMPLETE));
		CHECK_OK(clReleaseEvent(events[1]));
	}
	CHECK(bright_after(drawing, 1, events) == TEXELS);
	CHECK(status_of(events[0]) == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(events[0]));
	CHECK(!pthread_join(letting, NULL));
	CHECK(gl_make_current(&sharing.window, sharing.window.context));
	pthread_barrier_wait(&elsewhere.drawn);
	CHECK(!pthread_join(thread, NULL));
	pthread_barrier_destroy(&elsewhere.drawn);
	gl_context_destroy(&sharing.window, elsewhere.context);
	gl_context_destroy(&sharing.window, third);
}

static void *waiting_thread(void *data)
{
	cl_event event = data;
	CHECK(status_of(event) == CL_SUBMITTED);
	atomic_store(&held, false);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(status_of(event) == CL_COMPLETE);
	return NULL;
}

static void without_a_context(const struct drawing *drawing)
{
	pthread_t thread;
	cl_event event = held_event(draw(drawing));
	CHECK(!pthread_create(&thread, NULL, waiting_thread, event));
	CHECK(!pthread_join(thread, NULL));
	CHECK_OK(clReleaseEvent(event));
}

static void CL_CALLBACK called(cl_event event, cl_int status, void *data)
{
	atomic_int *calls = data;
	CHECK(status == CL_COMPLETE && status_of(event) == CL_COMPLETE);
	atomic_fetch_add(calls, 1);
}

static void CL_CALLBACK called_early(cl_event event, cl_int status, void *data)
{
	atomic_int *calls = data;
	(void)event;
	CHECK(status == CL_SUBMITTED);
	atomic_fetch_add(calls, 1);
}

/* Nobody waits for the events. */
static void callbacks(const struct drawing *drawing)
{
	static atomic_int calls, other_calls;
	cl_event event = held_event(draw(drawing)), user = user_event_make(sharing.context);
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, called, &calls));
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, called, &calls));
	CHECK_OK(clSetEventCallback(event, CL_SUBMITTED, called_early, &calls));
	CHECK_OK(clReleaseEvent(event));
	/* Those of other events are called meanwhile. */
	CHECK_OK(clSetEventCallback(user, CL_COMPLETE, called, &other_calls));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(user));
	while (!atomic_load(&other_calls) || !atomic_load(&calls))
		usleep(1000);
	CHECK(atomic_load(&calls) == 1);
	atomic_store(&held, false);
	while (atomic_load(&calls) < 3)
		usleep(1000);
}

/* An event that is released while it is pending. */
static void released_early(const struct drawing *drawing)
{
	CHECK_OK(clReleaseEvent(held_event(draw(drawing))));
	atomic_store(&held, false);
	gl->Finish();
}

/* The function waits for the fence. */
static void without_syncs(const struct drawing *drawing)
{
	hides_syncs = true;
	void *sync = draw(drawing);
	cl_event event = event_make(sync);
	CHECK(status_of(event) == CL_COMPLETE);
	CHECK(bright_after(drawing, 1, &event) == TEXELS);
	CHECK_OK(clReleaseEvent(event));
	gl->DeleteSync(sync);
	hides_syncs = false;
}

/* The application terminates the display. */
static void lost_display(const struct drawing *drawing)
{
	cl_event event = held_event(draw(drawing)), failed = held_event(draw(drawing)), acquired = NULL;
	atomic_store(&held, false);
	atomic_store(&lost, true);
	CHECK(clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(event) == CL_INVALID_GL_OBJECT);
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 1, &drawing->image, 1, &event, &acquired));
	CHECK(status_of(acquired) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(failed) == CL_INVALID_GL_OBJECT);
	atomic_store(&lost, false);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(failed));
	CHECK_OK(clReleaseEvent(acquired));
	gl->Finish();
}

static void *egl_sync_make(void)
{
	void *(*create)(void *, unsigned, const int *) =
		(void *(*)(void *, unsigned, const int *))sharing.window.find("eglCreateSyncKHR");
	void *sync = create(sharing.window.display, 0x30F9, NULL); /* EGL_SYNC_FENCE_KHR */
	CHECK(sync);
	gl->Flush();
	return sync;
}

static void egl_sync_destroy(void *sync)
{
	CHECK(((unsigned (*)(void *, void *))sharing.window.find("eglDestroySyncKHR"))(sharing.window.display, sync));
}

static cl_event egl_held_event(void *sync)
{
	cl_int code = 12345;
	atomic_store(&held, true);
	cl_event event = clCreateEventFromEGLSyncKHR(sharing.context, sync, sharing.window.display, &code);
	CHECK_OK(code);
	CHECK(status_of(event) == CL_SUBMITTED);
	return event;
}

/* The event has a sync object of its own. */
static void egl_syncs(const struct drawing *drawing)
{
	cl_command_type type = 0;
	gl->DeleteSync(draw(drawing));
	void *sync = egl_sync_make();
	cl_event event = egl_held_event(sync);
	egl_sync_destroy(sync);
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR);
	CHECK(clSetUserEventStatus(event, CL_COMPLETE) == CL_INVALID_EVENT);
	CHECK(clEnqueueBarrierWithWaitList(queue, 1, &event, NULL) == CL_INVALID_EVENT);
	CHECK(bright_after(drawing, 1, &event) == TEXELS);
	atomic_store(&held, false);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(status_of(event) == CL_COMPLETE);
	CHECK_OK(clEnqueueReleaseGLObjects(queue, 1, &drawing->image, 1, &event, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseEvent(event));
}

/* Without a context, it has only the application's. */
static void *egl_thread(void *sync)
{
	cl_event event = egl_held_event(sync), other = egl_held_event(sync);
	atomic_store(&held, false);
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK(status_of(event) == CL_COMPLETE);
	egl_sync_destroy(sync);
	CHECK(clWaitForEvents(1, &other) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(other) == CL_INVALID_EGL_OBJECT_KHR);
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(other));
	return NULL;
}

static void egl_without_a_context(const struct drawing *drawing)
{
	pthread_t thread;
	gl->DeleteSync(draw(drawing));
	CHECK(!pthread_create(&thread, NULL, egl_thread, egl_sync_make()));
	CHECK(!pthread_join(thread, NULL));
}

static void refused(const struct drawing *drawing)
{
	cl_event event = event_make(draw(drawing)), marker = NULL;
	const size_t size[2] = {SIDE, SIDE};
	cl_uint word;
	cl_mem buffer = buffer_make(sharing.context, 0, sizeof(word), NULL);
	CHECK(clEnqueueMarkerWithWaitList(queue, 1, &event, NULL) == CL_INVALID_EVENT);
	CHECK(clEnqueueWaitForEvents(queue, 1, &event) == CL_INVALID_EVENT);
	CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(word), &word, 1, &event, NULL) == CL_INVALID_EVENT);
	CHECK(clEnqueueNDRangeKernel(queue, count_bright, 2, NULL, size, NULL, 1, &event, NULL) == CL_INVALID_EVENT);
	CHECK(clEnqueueReleaseGLObjects(queue, 1, &drawing->image, 1, &event, NULL) == CL_INVALID_EVENT);
	/* An acquire of nothing waits, too. */
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 0, NULL, 1, &event, &marker));
	CHECK_OK(clWaitForEvents(1, &marker));
	CHECK(status_of(event) == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(marker));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseMemObject(buffer));
}

static void *acquiring_thread(void *event)
{
	CHECK_OK(clEnqueueAcquireGLObjects(queue, 0, NULL, 1, (cl_event *)&event, NULL));
	CHECK_OK(clEnqueueReleaseEGLObjectsKHR(queue, 0, NULL, 1, (cl_event *)&event, NULL));
	return NULL;
}

/* OpenCL 3.1 API, 5.7: "If num_objects is 0 and mem_objects is NULL the function does nothing": without an event that
 * tells of its end, it does not wait for the sync object. */
static void nothing_acquired(const struct drawing *drawing)
{
	pthread_t thread;
	struct timespec end;
	gl->DeleteSync(draw(drawing));
	void *sync = egl_sync_make();
	cl_event event = egl_held_event(sync);
	CHECK(!clock_gettime(CLOCK_REALTIME, &end));
	end.tv_sec += 20;
	CHECK(!pthread_create(&thread, NULL, acquiring_thread, event));
	const bool returned = !pthread_timedjoin_np(thread, NULL, &end);
	CHECK(returned);
	CHECK(status_of(event) == CL_SUBMITTED);
	atomic_store(&held, false);
	if (!returned)
		CHECK(!pthread_join(thread, NULL));
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK_OK(clReleaseEvent(event));
	egl_sync_destroy(sync);
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs a step, and says so if it takes long, as drawings do on some GPUs. */
#define TIMED(step)                                                             \
	do {                                                                    \
		const double start_s = now_s();                                 \
		step;                                                           \
		if (now_s() - start_s > 2)                                      \
			printf("%s: %.1f s\n", #step, now_s() - start_s);       \
	} while (0)

static void one_drawing(const struct drawing *drawing)
{
	gl->DeleteSync(draw(drawing));
	gl->Finish();
}

/* With GLX, events are complete when they are made. */
static void events_of_egl(const struct drawing *drawing)
{
	TIMED(status(drawing));
	TIMED(same_thread(drawing));
	TIMED(other_thread(drawing, false));
	TIMED(other_thread(drawing, true));
	TIMED(without_a_context(drawing));
	TIMED(callbacks(drawing));
	TIMED(released_early(drawing));
	TIMED(lost_display(drawing));
	TIMED(refused(drawing));
	TIMED(egl_syncs(drawing));
	TIMED(egl_without_a_context(drawing));
	TIMED(nothing_acquired(drawing));
}

int main(void)
{
	struct drawing drawing = {0};
	if (!api_test_start(&test, "gl_event"))
		return API_TEST_SKIP;
	if (!gl_sharing_start(&sharing, &test))
		return api_test_skip(&test);
	queue = queue_make(sharing.context, sharing.devices[0], 0);
	cl_program program = api_test_build(
		sharing.context, sharing.devices[0],
		"kernel void count_bright(read_only image2d_t image, global uint *sum) {\n"
		"	if (read_imagef(image, (int2)(get_global_id(0), get_global_id(1))).x > 0.7f) atomic_inc(sum);\n"
		"}\n", "");
	count_bright = kernel_make(program, "count_bright");
	drawing_make(&drawing);
	information(&drawing);
	TIMED(one_drawing(&drawing));
	TIMED(without_syncs(&drawing));
	if (!sharing.window.is_glx)
		events_of_egl(&drawing);
	drawing_release(&drawing);
	CHECK_OK(clReleaseKernel(count_bright));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	gl_sharing_end(&sharing);
	return api_test_end(&test);
}
