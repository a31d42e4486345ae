/* Objects of every kind are made, asked, retained and released by eight threads at once.  What
 * one thread makes another one often ends: each puts its object into a place that all share, and
 * goes on with the one that was there.  At the end all owners' counts are what they were, and as
 * many destructor callbacks have come as objects went. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"

#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 8, ROUNDS = 60, BUFFER_B = 4096, OPAQUE_FD = 0x2055 };

static struct api_test test;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;
static struct command_buffer_entry recorder;
static clCreateSemaphoreWithPropertiesKHR_fn semaphore_create;
static clRetainSemaphoreKHR_fn semaphore_retain;
static clReleaseSemaphoreKHR_fn semaphore_release;
static clEnqueueSignalSemaphoresKHR_fn semaphore_signal;
static clEnqueueWaitSemaphoresKHR_fn semaphore_wait;
static clGetSemaphoreHandleForTypeKHR_fn semaphore_handle;
static atomic_uint made, destroyed;      /* contexts and memory objects with a callback */

/* --- making -------------------------------------------------------------------------------- */

static void CL_CALLBACK context_gone(cl_context context, void *user)
{
	(void)context;
	(void)user;
	atomic_fetch_add(&destroyed, 1);
}

static void CL_CALLBACK mem_gone(cl_mem mem, void *user)
{
	(void)mem;
	(void)user;
	atomic_fetch_add(&destroyed, 1);
}

static cl_mem watched(cl_mem mem)
{
	if (mem && !clSetMemObjectDestructorCallback(mem, mem_gone, NULL))
		atomic_fetch_add(&made, 1);
	return mem;
}

static void *context_make(void)
{
	cl_int code;
	cl_context context = clCreateContext(NULL, 1, &test.device, NULL, NULL, &code);
	if (context && !clSetContextDestructorCallback(context, context_gone, NULL))
		atomic_fetch_add(&made, 1);
	return context;
}

static void *queue_make(void)
{
	return clCreateCommandQueue(test.context, test.device,
				    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
}

static void *buffer_make(void)
{
	return watched(clCreateBuffer(test.context, CL_MEM_READ_WRITE, BUFFER_B, NULL, NULL));
}

static void *sub_buffer_make(void)
{
	const cl_buffer_region region = {512, 1024};
	return watched(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL));
}

static void *image_make(void)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16,
	};
	return watched(clCreateImage(test.context, 0, &format, &desc, NULL, NULL));
}

static void *buffer_image_make(void)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64,
		.mem_object = buffer,
	};
	return watched(clCreateImage(test.context, 0, &format, &desc, NULL, NULL));
}

static void *sampler_make(void)
{
	return clCreateSampler(test.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, NULL);
}

static void *program_make(void)
{
	const char *text = "kernel void k(global int *a) { *a = 1; }";
	return clCreateProgramWithSource(test.context, 1, &text, NULL, NULL);
}

static void *kernel_make(void)
{
	return clCreateKernel(program, "next", NULL);
}

static void *clone_make(void)
{
	return clCloneKernel(kernel, NULL);
}

static void *user_event_make(void)
{
	cl_event event = clCreateUserEvent(test.context, NULL);
	if (event && clSetUserEventStatus(event, CL_COMPLETE))
		CHECK(!"a user event is set");
	return event;
}

/* Of a command on the queue of all. */
static void *event_make(void)
{
	cl_event event = NULL;
	const cl_int one = 1;
	(void)clEnqueueFillBuffer(queue, buffer, &one, sizeof(one), 0, 64, 0, NULL, &event);
	return event;
}

static void *command_buffer_make(void)
{
	cl_int code;
	const cl_int one = 1;
	cl_command_buffer_khr made_now = recorder.create(1, &queue, NULL, &code);
	if (made_now &&
	    (recorder.fill(made_now, NULL, NULL, buffer, &one, sizeof(one), 0, 64, 0, NULL, NULL,
			   NULL) ||
	     recorder.finalize(made_now) ||
	     recorder.enqueue(0, NULL, made_now, 0, NULL, NULL)))
		CHECK(!"a command buffer is recorded and run");
	return made_now;
}

static void *semaphore_make(void)
{
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0,
	};
	return semaphore_create(test.context, properties, NULL);
}

/* One that processes share. */
static void *shared_semaphore_make(void)
{
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, 0, 0,
	};
	return semaphore_create(test.context, properties, NULL);
}

/* --- asking: anything that touches it ---------------------------------------------------------- */

static bool context_ask(void *object)
{
	cl_uint count;
	return !clGetContextInfo(object, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL);
}

static bool queue_ask(void *object)
{
	return !clEnqueueBarrierWithWaitList(object, 0, NULL, NULL) && !clFlush(object);
}

static bool mem_ask(void *object)
{
	size_t size_B;
	return !clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof(size_B), &size_B, NULL);
}

/* Commands outlive the last release. */
static bool buffer_ask(void *object)
{
	const cl_int one = 1;
	return !clEnqueueFillBuffer(queue, object, &one, sizeof(one), 0, 64, 0, NULL, NULL);
}

static bool sampler_ask(void *object)
{
	cl_filter_mode filter;
	return !clGetSamplerInfo(object, CL_SAMPLER_FILTER_MODE, sizeof(filter), &filter, NULL);
}

static bool program_ask(void *object)
{
	char text[64];
	return !clGetProgramInfo(object, CL_PROGRAM_SOURCE, sizeof(text), text, NULL);
}

static bool kernel_ask(void *object)
{
	size_t size;
	return !clGetKernelWorkGroupInfo(object, test.device, CL_KERNEL_WORK_GROUP_SIZE,
					 sizeof(size), &size, NULL);
}

static bool event_ask(void *object)
{
	cl_event event = object;
	return !clWaitForEvents(1, &event);
}

/* Signaled by its own name and waited for by another one, which goes before the wait is over. */
static bool shared_semaphore_ask(void *object)
{
	int fd = -1;
	cl_semaphore_khr semaphore = object;
	if (semaphore_handle(semaphore, test.device, OPAQUE_FD, sizeof(fd), &fd, NULL))
		return false;
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		OPAQUE_FD, (cl_semaphore_properties_khr)fd, 0,
	};
	cl_semaphore_khr other = semaphore_create(test.context, properties, NULL);
	return other && !semaphore_signal(queue, 1, &semaphore, NULL, 0, NULL, NULL) &&
	       !semaphore_wait(queue, 1, &other, NULL, 0, NULL, NULL) && !semaphore_release(other);
}

static bool nothing_ask(void *object)
{
	return object;
}

/* --- the storm ------------------------------------------------------------------------------------ */

#define COUNTING(name, type, function_retain, function_release)                                   \
	static cl_int name##_retain(void *object) { return function_retain((type)object); }      \
	static cl_int name##_release(void *object) { return function_release((type)object); }
COUNTING(context, cl_context, clRetainContext, clReleaseContext)
COUNTING(queue, cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue)
COUNTING(mem, cl_mem, clRetainMemObject, clReleaseMemObject)
COUNTING(sampler, cl_sampler, clRetainSampler, clReleaseSampler)
COUNTING(program, cl_program, clRetainProgram, clReleaseProgram)
COUNTING(kernel, cl_kernel, clRetainKernel, clReleaseKernel)
COUNTING(event, cl_event, clRetainEvent, clReleaseEvent)
COUNTING(command_buffer, cl_command_buffer_khr, recorder.retain, recorder.release)
COUNTING(semaphore_of, cl_semaphore_khr, semaphore_retain, semaphore_release)

static struct kind {
	const char *name;
	void *(*make)(void);
	bool (*ask)(void *);
	cl_int (*retain)(void *);
	cl_int (*release)(void *);
	_Atomic(void *) shared;          /* the place for one of any thread's */
} kinds[] = {
	{"context", context_make, context_ask, context_retain, context_release, NULL},
	{"queue", queue_make, queue_ask, queue_retain, queue_release, NULL},
	{"buffer", buffer_make, buffer_ask, mem_retain, mem_release, NULL},
	{"sub-buffer", sub_buffer_make, mem_ask, mem_retain, mem_release, NULL},
	{"image", image_make, mem_ask, mem_retain, mem_release, NULL},
	{"image of a buffer", buffer_image_make, mem_ask, mem_retain, mem_release, NULL},
	{"sampler", sampler_make, sampler_ask, sampler_retain, sampler_release, NULL},
	{"program", program_make, program_ask, program_retain, program_release, NULL},
	{"kernel", kernel_make, kernel_ask, kernel_retain, kernel_release, NULL},
	{"clone", clone_make, kernel_ask, kernel_retain, kernel_release, NULL},
	{"user event", user_event_make, event_ask, event_retain, event_release, NULL},
	{"event", event_make, event_ask, event_retain, event_release, NULL},
	{"command buffer", command_buffer_make, nothing_ask, command_buffer_retain,
	 command_buffer_release, NULL},
	{"semaphore", semaphore_make, nothing_ask, semaphore_of_retain, semaphore_of_release,
	 NULL},
	{"shared semaphore", shared_semaphore_make, shared_semaphore_ask, semaphore_of_retain,
	 semaphore_of_release, NULL},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static pthread_barrier_t together;

/* One object: retained and released once more than it is made and ended. */
static bool round_of(struct kind *kind)
{
	void *object = kind->make();
	if (!object || kind->retain(object) || !kind->ask(object) || kind->release(object))
		return false;
	object = atomic_exchange(&kind->shared, object);
	return !object || (kind->ask(object) && !kind->release(object));
}

/* Memory that has no counts. */
static bool svm_round(void)
{
	unsigned char *memory = clSVMAlloc(test.context, CL_MEM_READ_WRITE, BUFFER_B, 0);
	const cl_int one = 1;
	void *pointers[] = {memory};
	if (!memory ||
	    clEnqueueSVMMemFill(queue, memory, &one, sizeof(one), 64, 0, NULL, NULL))
		return false;
	return !clEnqueueSVMFree(queue, 1, pointers, NULL, NULL, 0, NULL, NULL);
}

static void *work(void *data)
{
	(void)data;
	for (unsigned i = 0; i < KINDS; i++) {
		bool good = true;
		pthread_barrier_wait(&together);
		for (unsigned round = 0; round < ROUNDS; round++)
			good &= round_of(&kinds[i]);
		api_test_check(good, kinds[i].name, __FILE__, __LINE__);
	}
	pthread_barrier_wait(&together);
	bool good = true;
	for (unsigned round = 0; round < ROUNDS; round++)
		good &= svm_round();
	CHECK(good);
	return NULL;
}

/* Nobody holds what all used more often than before. */
static void check_counts(void)
{
	cl_uint count = 0;
	CHECK_OK(clGetContextInfo(test.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count,
				  NULL));
	CHECK(count == 1);
	CHECK_OK(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count,
				       NULL));
	CHECK(count == 1);
	CHECK_OK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(count), &count,
				  NULL));
	CHECK(count == 1);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 1);
}

static void storm(void)
{
	pthread_t threads[THREADS];
	if (!CHECK(!pthread_barrier_init(&together, NULL, THREADS)))
		return;
	for (unsigned i = 0; i < THREADS; i++)
		if (!CHECK(!pthread_create(&threads[i], NULL, work, NULL)))
			exit(1);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (unsigned i = 0; i < KINDS; i++)
		CHECK_OK(kinds[i].release(atomic_load(&kinds[i].shared)));
	CHECK_OK(clFinish(queue));
	pthread_barrier_destroy(&together);
}

/* Callbacks of memory objects come from another thread, after the last command. */
static void check_destroyed(void)
{
	const struct timespec pause = {0, 1000000};
	for (unsigned i = 0; i < 10000 && atomic_load(&destroyed) != atomic_load(&made); i++)
		nanosleep(&pause, NULL);
	CHECK(atomic_load(&destroyed) == atomic_load(&made));
	CHECK(atomic_load(&made) == 5 * THREADS * ROUNDS);
}

static bool entries_find(void)
{
	cl_platform_id platform = test.platform;
	*(void **)&semaphore_create = clGetExtensionFunctionAddressForPlatform(
		platform, "clCreateSemaphoreWithPropertiesKHR");
	*(void **)&semaphore_retain =
		clGetExtensionFunctionAddressForPlatform(platform, "clRetainSemaphoreKHR");
	*(void **)&semaphore_release =
		clGetExtensionFunctionAddressForPlatform(platform, "clReleaseSemaphoreKHR");
	*(void **)&semaphore_signal =
		clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueSignalSemaphoresKHR");
	*(void **)&semaphore_wait =
		clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueWaitSemaphoresKHR");
	*(void **)&semaphore_handle = clGetExtensionFunctionAddressForPlatform(
		platform, "clGetSemaphoreHandleForTypeKHR");
	return CHECK(command_buffer_entry_find(platform, &recorder)) && CHECK(semaphore_create) &&
	       CHECK(semaphore_retain) && CHECK(semaphore_release) && CHECK(semaphore_signal) &&
	       CHECK(semaphore_wait) && CHECK(semaphore_handle);
}

int main(void)
{
	cl_int code;
	if (!api_test_start(&test, "storms"))
		return API_TEST_SKIP;
	if (!entries_find())
		return api_test_end(&test);
	queue = clCreateCommandQueue(test.context, test.device, 0, &code);
	CHECK_OK(code);
	buffer = clCreateBuffer(test.context, CL_MEM_READ_WRITE, BUFFER_B, NULL, &code);
	CHECK_OK(code);
	program = api_test_build(test.context, test.device,
				 "kernel void next(global int *a) { a[get_global_id(0)] += 1; }",
				 "");
	kernel = clCreateKernel(program, "next", &code);
	CHECK_OK(code);
	storm();
	check_counts();
	check_destroyed();
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
