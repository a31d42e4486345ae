/* Objects of every kind that a program makes by itself, in a storm.  At the end all owners' counts are
 * what they were, and as many destructor callbacks have come as objects went.  What comes from
 * elsewhere: storms_imported.c. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/storm.h"

#include <CL/cl_ext.h>

enum { BUFFER_B = 4096, OPAQUE_FD = 0x2055, MUTABLE_INFO_BUFFER = 0x12A1 };

static struct api_test test;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;
static struct command_buffer_entry recorder;
static mutable_update update;
static cl_int(CL_API_CALL *mutable_info)(cl_mutable_command_khr, cl_uint, size_t, void *, size_t *);
static clCreateSemaphoreWithPropertiesKHR_fn semaphore_create;
static clRetainSemaphoreKHR_fn semaphore_retain;
static clReleaseSemaphoreKHR_fn semaphore_release;
static clEnqueueSignalSemaphoresKHR_fn semaphore_signal;
static clEnqueueWaitSemaphoresKHR_fn semaphore_wait;
static clGetSemaphoreHandleForTypeKHR_fn semaphore_handle;

/* --- making -------------------------------------------------------------------------------- */

static void CL_CALLBACK context_gone(cl_context context, void *user)
{
	(void)context;
	(void)user;
	atomic_fetch_add(&storm.destroyed, 1);
}

static void *context_new(void)
{
	cl_int code;
	cl_context context = clCreateContext(NULL, 1, &test.device, NULL, NULL, &code);
	if (context && !clSetContextDestructorCallback(context, context_gone, NULL))
		atomic_fetch_add(&storm.made, 1);
	return context;
}

static void *queue_new(void)
{
	return clCreateCommandQueue(test.context, test.device,
				    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
}

static void *buffer_new(void)
{
	return storm_watched(clCreateBuffer(test.context, CL_MEM_READ_WRITE, BUFFER_B, NULL, NULL));
}

static void *sub_buffer_new(void)
{
	const cl_buffer_region region = {512, 1024};
	return storm_watched(
		clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL));
}

static void *image_new(void)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16,
	};
	return storm_watched(clCreateImage(test.context, 0, &format, &desc, NULL, NULL));
}

static void *buffer_image_new(void)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64,
		.mem_object = buffer,
	};
	return storm_watched(clCreateImage(test.context, 0, &format, &desc, NULL, NULL));
}

static void *sampler_new(void)
{
	return clCreateSampler(test.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, NULL);
}

static void *program_new(void)
{
	const char *text = "kernel void k(global int *a) { *a = 1; }";
	return clCreateProgramWithSource(test.context, 1, &text, NULL, NULL);
}

static void *kernel_new(void)
{
	return clCreateKernel(program, "next", NULL);
}

static void *clone_new(void)
{
	return clCloneKernel(kernel, NULL);
}

static void *user_event_new(void)
{
	cl_event event = clCreateUserEvent(test.context, NULL);
	if (event && clSetUserEventStatus(event, CL_COMPLETE))
		CHECK(!"a user event is set");
	return event;
}

/* Of a command on the queue of all. */
static void *event_new(void)
{
	cl_event event = NULL;
	const cl_int one = 1;
	(void)clEnqueueFillBuffer(queue, buffer, &one, sizeof(one), 0, 64, 0, NULL, &event);
	return event;
}

static void *command_buffer_new(void)
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

/* What can be changed of a recorded launch; it lives and goes with its buffer. */
static void *mutable_command_new(void)
{
	static const cl_command_buffer_properties_khr flags[] = {
		CL_COMMAND_BUFFER_FLAGS_KHR,
		CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
		0,
	};
	static const command_properties fields[] = {MUTABLE_FIELDS, MUTABLE_ARGUMENTS, 0};
	static const size_t items = 64;
	cl_mutable_command_khr handle = NULL;
	cl_command_buffer_khr made_now = recorder.create(1, &queue, flags, NULL);
	if (made_now && (recorder.launch(made_now, NULL, fields, kernel, 1, NULL, &items, NULL, 0,
					 NULL, NULL, &handle) ||
			 recorder.finalize(made_now)))
		CHECK(!"a command buffer is recorded");
	return handle;
}

static cl_command_buffer_khr buffer_of(cl_mutable_command_khr handle)
{
	cl_command_buffer_khr its = NULL;
	(void)mutable_info(handle, MUTABLE_INFO_BUFFER, sizeof(its), &its, NULL);
	return its;
}

static void *semaphore_new(void)
{
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0,
	};
	return semaphore_create(test.context, properties, NULL);
}

/* One that processes share. */
static void *shared_semaphore_new(void)
{
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, 0, 0,
	};
	return semaphore_create(test.context, properties, NULL);
}

/* --- asking ---------------------------------------------------------------------------------- */

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

/* Enqueued as it was, and with another argument. */
static bool mutable_command_ask(void *object)
{
	cl_mutable_command_khr handle = object;
	cl_command_buffer_khr its = buffer_of(handle);
	cl_mem other = clCreateBuffer(test.context, CL_MEM_READ_WRITE, BUFFER_B, NULL, NULL);
	const struct mutable_argument argument = {0, sizeof(other), &other};
	const struct mutable_config config = {.command = handle, .num_args = 1, .args = &argument};
	return other && !recorder.enqueue(0, NULL, its, 0, NULL, NULL) &&
	       !mutable_change(update, its, &config) &&
	       !recorder.enqueue(0, NULL, its, 0, NULL, NULL) && !clReleaseMemObject(other);
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

static cl_int mutable_command_retain_buffer(cl_mutable_command_khr handle)
{
	return recorder.retain(buffer_of(handle));
}

static cl_int mutable_command_release_buffer(cl_mutable_command_khr handle)
{
	return recorder.release(buffer_of(handle));
}

STORM_COUNTING(context, cl_context, clRetainContext, clReleaseContext)
STORM_COUNTING(queue, cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue)
STORM_COUNTING(mem, cl_mem, clRetainMemObject, clReleaseMemObject)
STORM_COUNTING(sampler, cl_sampler, clRetainSampler, clReleaseSampler)
STORM_COUNTING(program, cl_program, clRetainProgram, clReleaseProgram)
STORM_COUNTING(kernel, cl_kernel, clRetainKernel, clReleaseKernel)
STORM_COUNTING(event, cl_event, clRetainEvent, clReleaseEvent)
STORM_COUNTING(command_buffer, cl_command_buffer_khr, recorder.retain, recorder.release)
STORM_COUNTING(mutable_command, cl_mutable_command_khr, mutable_command_retain_buffer,
	       mutable_command_release_buffer)
STORM_COUNTING(semaphore_of, cl_semaphore_khr, semaphore_retain, semaphore_release)

static struct storm_kind kinds[] = {
	{"context", context_new, context_ask, context_retain, context_release, NULL},
	{"queue", queue_new, queue_ask, queue_retain, queue_release, NULL},
	{"buffer", buffer_new, buffer_ask, mem_retain, mem_release, NULL},
	{"sub-buffer", sub_buffer_new, mem_ask, mem_retain, mem_release, NULL},
	{"image", image_new, mem_ask, mem_retain, mem_release, NULL},
	{"image of a buffer", buffer_image_new, mem_ask, mem_retain, mem_release, NULL},
	{"sampler", sampler_new, sampler_ask, sampler_retain, sampler_release, NULL},
	{"program", program_new, program_ask, program_retain, program_release, NULL},
	{"kernel", kernel_new, kernel_ask, kernel_retain, kernel_release, NULL},
	{"clone", clone_new, kernel_ask, kernel_retain, kernel_release, NULL},
	{"user event", user_event_new, event_ask, event_retain, event_release, NULL},
	{"event", event_new, event_ask, event_retain, event_release, NULL},
	{"command buffer", command_buffer_new, nothing_ask, command_buffer_retain,
	 command_buffer_release, NULL},
	{"mutable command", mutable_command_new, mutable_command_ask, mutable_command_retain,
	 mutable_command_release, NULL},
	{"semaphore", semaphore_new, nothing_ask, semaphore_of_retain, semaphore_of_release, NULL},
	{"shared semaphore", shared_semaphore_new, shared_semaphore_ask, semaphore_of_retain,
	 semaphore_of_release, NULL},
};

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

/* Nobody holds what all used more often than before. */
static void check_counts(void)
{
	cl_uint count = 0;
	storm_check_counts(test.context, queue);
	CHECK_OK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(count), &count,
				  NULL));
	CHECK(count == 1);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 1);
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
	*(void **)&mutable_info = clGetExtensionFunctionAddressForPlatform(
		platform, "clGetMutableCommandInfoKHR");
	update = mutable_update_find(platform);
	return CHECK(command_buffer_entry_find(platform, &recorder)) && CHECK(mutable_info) &&
	       CHECK(update) && CHECK(semaphore_create) && CHECK(semaphore_retain) &&
	       CHECK(semaphore_release) && CHECK(semaphore_signal) && CHECK(semaphore_wait) &&
	       CHECK(semaphore_handle);
}

int main(void)
{
	if (!api_test_start(&test, "storms"))
		return API_TEST_SKIP;
	if (!entries_find())
		return api_test_end(&test);
	queue = queue_make(test.context, test.device, 0);
	buffer = buffer_make(test.context, CL_MEM_READ_WRITE, BUFFER_B, NULL);
	program = api_test_build(test.context, test.device,
				 "kernel void next(global int *a) { a[get_global_id(0)] += 1; }",
				 "");
	kernel = kernel_make(program, "next");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	storm_run(kinds, sizeof(kinds) / sizeof(kinds[0]), svm_round);
	CHECK_OK(clFinish(queue));
	check_counts();
	/* Contexts, and four kinds of memory objects. */
	storm_check_destroyed(5);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
