/* Protects: who enqueues where memory runs out just then.  Each allocation that the driver makes in
 * a call fails once (libmalloc-fault.so).  The call either says so and has done nothing, or has
 * done all; in no case does it wait: what it comes after has not happened, and will not before
 * the call has returned.  And of memory that is imported the descriptor is the application's until
 * all is done. */
#include "config.h"

#include "tests/api/fixture.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OPAQUE_FD = 0x2055, MOST_ALLOCATIONS = 60, PATIENCE = 50000, LIMIT_S = 60 };

static struct {
	struct api_test test;
	cl_command_queue queue, queues[MOST_ALLOCATIONS];
	cl_semaphore_khr semaphore;
	clCreateSemaphoreWithPropertiesKHR_fn create;
	clReleaseSemaphoreKHR_fn release;
	clEnqueueSignalSemaphoresKHR_fn signal;
	cl_mem mem;
	cl_kernel kernel;
	void (*fail)(unsigned long number);
	bool (*failed)(void);
	int (*schedule)(const char *items);
	void (*let_go)(void);
	atomic_int told;
	cl_uint words[1024];
} it;

static void *entry(const char *name)
{
	void *found = clGetExtensionFunctionAddressForPlatform(it.test.platform, name);
	CHECK(found);
	return found;
}

/* --- the calls: each is enqueued behind a user event ------------------------------------------ */

static cl_int signal_shared(cl_event gate, cl_event *event)
{
	return it.signal(it.queue, 1, &it.semaphore, NULL, 1, &gate, event);
}

static cl_int launch(cl_event gate, cl_event *event)
{
	const size_t one = 1;
	return clEnqueueNDRangeKernel(it.queue, it.kernel, 1, NULL, &one, NULL, 1, &gate, event);
}

static cl_int read_words(cl_event gate, cl_event *event)
{
	return clEnqueueReadBuffer(it.queue, it.mem, CL_FALSE, 0, sizeof(it.words), it.words, 1,
				   &gate, event);
}

static cl_int fill(cl_event gate, cl_event *event)
{
	const cl_uint seven = 7;
	return clEnqueueFillBuffer(it.queue, it.mem, &seven, sizeof(seven), 0, sizeof(it.words), 1,
				   &gate, event);
}

static cl_int marker(cl_event gate, cl_event *event)
{
	return clEnqueueMarkerWithWaitList(it.queue, 1, &gate, event);
}

static const struct {
	const char *name;
	cl_int (*enqueue)(cl_event gate, cl_event *event);
} calls[] = {
	{"a signal of a shared semaphore", signal_shared},
	{"a launch", launch},
	{"a read", read_words},
	{"a fill", fill},
	{"a marker", marker},
};

/* Whether the n-th allocation of the call was there to fail.  The queue is new, so that none of
 * them is saved by what an earlier call has left. */
static bool fails_at(cl_int (*enqueue)(cl_event gate, cl_event *event), unsigned n)
{
	cl_int code;
	cl_event gate = clCreateUserEvent(it.test.context, &code), event = NULL;
	CHECK_OK(code);
	it.queue = queue_make(it.test.context, it.test.device, 0);
	it.fail(n);
	code = enqueue(gate, &event);
	const bool failed = it.failed();
	it.fail(0);
	CHECK(code == CL_SUCCESS || (failed && (code == CL_OUT_OF_HOST_MEMORY ||
						code == CL_OUT_OF_RESOURCES)));
	CHECK((code == CL_SUCCESS) == (event != NULL));
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clFinish(it.queue));
	if (event) {
		CHECK_OK(clWaitForEvents(1, &event));
		CHECK_OK(clReleaseEvent(event));
	}
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseCommandQueue(it.queue));
	return failed;
}

static void behind_a_gate(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		unsigned n = 1;
		while (n < MOST_ALLOCATIONS && fails_at(calls[i].enqueue, n))
			n++;
		CHECK(n < MOST_ALLOCATIONS);
		/* Else nothing was tried. */
		CHECK(n > 1);
		printf("%s: %u allocations failed, and it waited for none\n", calls[i].name, n - 1);
	}
}

/* --- callbacks of what runs ------------------------------------------------------------------- */

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
	(void)event, (void)data;
	atomic_store(&it.told, status == CL_COMPLETE ? 1 : 2);
}

/* The first callback of a new stream, whose kernel does not end before the call has returned. */
static bool callback_fails_at(unsigned n)
{
	const size_t one = 1;
	cl_int code;
	cl_event event = NULL;
	/* Its stream must not be the next one's. */
	cl_command_queue queue = it.queues[n] = queue_make(it.test.context, it.test.device, 0);
	CHECK(!it.schedule("keep:put"));
	atomic_store(&it.told, 0);
	launch_1d_after(queue, it.kernel, one, 0, NULL, &event);
	it.fail(n);
	code = clSetEventCallback(event, CL_COMPLETE, tell, NULL);
	const bool failed = it.failed();
	it.fail(0);
	CHECK(!atomic_load(&it.told));
	CHECK(code == CL_SUCCESS || (failed && (code == CL_OUT_OF_HOST_MEMORY ||
						code == CL_OUT_OF_RESOURCES)));
	it.let_go();
	CHECK_OK(clFinish(queue));
	for (unsigned i = 0; code == CL_SUCCESS && i < PATIENCE && !atomic_load(&it.told); i++)
		usleep(100);
	CHECK(atomic_load(&it.told) == (code == CL_SUCCESS));
	CHECK(!it.schedule(""));
	CHECK_OK(clReleaseEvent(event));
	return failed;
}

static void callbacks(void)
{
	unsigned n = 1;
	while (n < MOST_ALLOCATIONS && callback_fails_at(n))
		n++;
	CHECK(n > 1 && n < MOST_ALLOCATIONS);
	for (unsigned i = 1; i <= n && i < MOST_ALLOCATIONS; i++)
		CHECK_OK(clReleaseCommandQueue(it.queues[i]));
	printf("a callback: %u allocations failed, and it waited for none\n", n - 1);
}

/* --- imported memory -------------------------------------------------------------------------- */

enum { MEMORY_FD = 0x2060, DEVICE_LIST = 0x2051, DEVICE_ADDRESS = 0x5000, SHARED_B = 2 << 20 };

/* As the software driver shares memory. */
static int shared_memory(void)
{
	const int fd = memfd_create("no_memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK(fd >= 0 && !ftruncate(fd, SHARED_B) &&
	      !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
	return fd;
}

static cl_mem import_buffer(int fd, cl_int *code)
{
	const cl_mem_properties list[] = {
		MEMORY_FD, (cl_mem_properties)fd, DEVICE_LIST,
		(cl_mem_properties)(uintptr_t)it.test.device, 0, DEVICE_ADDRESS, CL_TRUE, 0,
	};
	return clCreateBufferWithProperties(it.test.context, list, 0, SHARED_B, NULL, code);
}

static cl_mem import_image(int fd, cl_int *code)
{
	const cl_mem_properties list[] = {
		MEMORY_FD, (cl_mem_properties)fd, DEVICE_LIST,
		(cl_mem_properties)(uintptr_t)it.test.device, 0, 0,
	};
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64,
	};
	return clCreateImageWithProperties(it.test.context, list, 0, &format, &desc, NULL, code);
}

/* cl_khr_external_memory_opaque_fd: the descriptor goes over to OpenCL when the import succeeds. */
static bool import_fails_at(cl_mem (*import)(int, cl_int *), unsigned n)
{
	const int fd = shared_memory();
	cl_int code = 12345;
	it.fail(n);
	cl_mem mem = import(fd, &code);
	const bool failed = it.failed();
	it.fail(0);
	CHECK((mem != NULL) == (code == CL_SUCCESS));
	CHECK(code == CL_SUCCESS || (failed && (code == CL_OUT_OF_HOST_MEMORY ||
						code == CL_OUT_OF_RESOURCES)));
	CHECK((fcntl(fd, F_GETFD) == -1) == (mem != NULL));
	if (mem)
		CHECK_OK(clReleaseMemObject(mem));
	else
		CHECK(!close(fd));
	return failed;
}

static void imports(void)
{
	static cl_mem (*const kinds[])(int, cl_int *) = {import_buffer, import_image};
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = 1;
		while (n < MOST_ALLOCATIONS && import_fails_at(kinds[i], n))
			n++;
		CHECK(n > 1 && n < MOST_ALLOCATIONS);
		printf("imported memory: %u allocations failed\n", n - 1);
	}
}

/* --- the test --------------------------------------------------------------------------------- */

static bool start(void)
{
	static const char *const source = "kernel void put(global uint *p) { *p = 1; }";
	static const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, 0, 0,
	};
	cl_int code;
	*(void **)&it.fail = dlsym(RTLD_DEFAULT, "culvert_fault_malloc");
	*(void **)&it.failed = dlsym(RTLD_DEFAULT, "culvert_fault_malloc_failed");
	if (!it.fail || !it.failed || !api_test_start(&it.test, "tests/stress/no_memory"))
		return false;
	void *soft = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	if (!soft)
		return false;
	*(void **)&it.schedule = dlsym(soft, "culvert_soft_schedule");
	*(void **)&it.let_go = dlsym(soft, "culvert_soft_let_go");
	*(void **)&it.create = entry("clCreateSemaphoreWithPropertiesKHR");
	*(void **)&it.release = entry("clReleaseSemaphoreKHR");
	*(void **)&it.signal = entry("clEnqueueSignalSemaphoresKHR");
	it.mem = buffer_make(it.test.context, 0, sizeof(it.words), NULL);
	cl_program program = api_test_build(it.test.context, it.test.device, source, "");
	it.kernel = kernel_make(program, "put");
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clSetKernelArg(it.kernel, 0, sizeof(it.mem), &it.mem));
	it.semaphore = it.create(it.test.context, list, &code);
	CHECK_OK(code);
	return true;
}

int main(void)
{
	if (!start())
		return API_TEST_SKIP;
	alarm(LIMIT_S);
	/* First, for the threads that it needs are made once. */
	behind_a_gate();
	callbacks();
	imports();
	CHECK_OK(it.release(it.semaphore));
	CHECK_OK(clReleaseKernel(it.kernel));
	CHECK_OK(clReleaseMemObject(it.mem));
	return api_test_end(&it.test);
}
