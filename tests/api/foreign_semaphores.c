/* Protects: semaphores and memory of another API (cl_khr_external_semaphore_opaque_fd,
 * cl_khr_external_memory_opaque_fd): it and OpenCL take turns at the same memory with nothing else
 * to keep them apart; waits that come first; signals that fail; what is released in use; whose a
 * descriptor is; many threads; a device that is lost while a queue waits. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/partner.h"
#include "tests/api/semaphore_calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEMAPHORE_FD = 0x2055, EXPORTABLE = 0x2054, MEMORY_FD = 0x2060 };
enum { ROUNDS = 20, THREADS = 8, TURNS = 40 };

static const char source[] =
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n";

static struct api_test test;
static const struct partner *partner;

/* --- what the stories share ------------------------------------------------------------------ */

static cl_semaphore_khr semaphore_make(const cl_semaphore_properties_khr *list)
{
	cl_int code;
	cl_semaphore_khr semaphore = ext.create(test.context, list, &code);
	CHECK_OK(code);
	return semaphore;
}

static cl_semaphore_khr imported(int fd)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, SEMAPHORE_FD,
		(cl_semaphore_properties_khr)fd, 0,
	};
	return semaphore_make(list);
}

/* One of the partner's, and its number there. */
static cl_semaphore_khr foreign(int *number_out)
{
	const int fd = partner->semaphore(number_out);
	CHECK(fd >= 0);
	return imported(fd);
}

static void partner_signal(int number)
{
	CHECK(partner->step(&(const struct partner_step){.wait = -1, .signal = number, .row = -1}));
}

static void partner_wait(int number)
{
	CHECK(partner->step(&(const struct partner_step){.wait = number, .signal = -1, .row = -1}));
}

/* --- the stories ----------------------------------------------------------------------------- */

static void round_enqueue(cl_command_queue queue, cl_kernel add, cl_mem mem,
			  cl_semaphore_khr go, cl_semaphore_khr back)
{
	const size_t global = PARTNER_WORDS;
	enqueue_wait(queue, go, NULL);
	CHECK_OK(ext.acquire(queue, 1, &mem, 0, NULL, NULL));
	launch_1d(queue, add, global);
	CHECK_OK(ext.give(queue, 1, &mem, 0, NULL, NULL));
	enqueue_signal(queue, back);
	CHECK_OK(clFlush(queue));
}

/* The partner fills, OpenCL adds, the partner looks and fills again: neither host waits between. */
static void turns(void)
{
	int go_number, back_number;
	cl_int code;
	const cl_uint seven = 7;
	const cl_mem_properties list[] = {MEMORY_FD, (cl_mem_properties)partner->memory(), 0};
	cl_mem mem = clCreateBufferWithProperties(test.context, list, CL_MEM_READ_WRITE,
						  PARTNER_SIZE_B, NULL, &code);
	CHECK_OK(code);
	cl_semaphore_khr go = foreign(&go_number), back = foreign(&back_number);
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	cl_kernel add = kernel_make(program, "add");
	CHECK_OK(clSetKernelArg(add, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(seven), &seven));
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	for (int i = 0; i <= ROUNDS; i++) {
		const bool last = i == ROUNDS;
		CHECK(partner->step(&(const struct partner_step){
			.wait = i ? back_number : -1, .signal = last ? -1 : go_number,
			.row = i - 1, .fills = !last, .value = 1000 * (cl_uint)i}));
		if (!last)
			round_enqueue(queue, add, mem, go, back);
	}
	CHECK(partner->finish());
	CHECK_OK(clFinish(queue));
	for (int i = 0; i < ROUNDS; i++) {
		bool good = true;
		for (int word = 0; word < PARTNER_WORDS; word++)
			good = good && partner->row(i)[word] == 1000 * (cl_uint)i + 7;
		if (!CHECK(good))
			printf("round %d: %u and %u\n", i, partner->row(i)[0],
			       partner->row(i)[PARTNER_WORDS - 1]);
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(ext.release(go));
	CHECK_OK(ext.release(back));
	CHECK_OK(clReleaseMemObject(mem));
}

/* A wait is pending until the signal comes, though its semaphore is released meanwhile, and holds
 * up its queue alone. */
static void wait_first(void)
{
	int number;
	cl_event wait = NULL;
	cl_command_queue a = queue_make(test.context, test.device, 0),
			 b = queue_make(test.context, test.device, 0);
	cl_semaphore_khr semaphore = foreign(&number);
	enqueue_wait(a, semaphore, &wait);
	CHECK_OK(clFlush(a));
	CHECK_OK(clEnqueueMarkerWithWaitList(b, 0, NULL, NULL));
	CHECK_OK(clFinish(b));
	CHECK(status_of(wait) > CL_COMPLETE);
	CHECK_OK(ext.release(semaphore));
	CHECK(status_of(wait) > CL_COMPLETE);
	partner_signal(number);
	CHECK_OK(clWaitForEvents(1, &wait));
	CHECK(status_of(wait) == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(wait));
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
}

/* Signals and waits of this side alone: a wait comes after its signal, also where that is held
 * back, and fails with it. */
static void own_signals(void)
{
	int number;
	cl_int code;
	cl_event gate = clCreateUserEvent(test.context, &code), wait = NULL;
	cl_command_queue a = queue_make(test.context, test.device, 0),
			 b = queue_make(test.context, test.device, 0);
	cl_semaphore_khr semaphore = foreign(&number);
	CHECK(payload_of(semaphore) == 0);
	CHECK_OK(ext.signal(a, 1, &semaphore, NULL, 1, &gate, NULL));
	CHECK(payload_of(semaphore) == 0);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clFinish(a));
	CHECK(payload_of(semaphore) == 1);
	enqueue_wait(b, semaphore, &wait);
	CHECK(payload_of(semaphore) == 0);
	CHECK_OK(clWaitForEvents(1, &wait));
	CHECK_OK(clReleaseEvent(wait));
	CHECK_OK(clReleaseEvent(gate));
	gate = clCreateUserEvent(test.context, &code);
	CHECK_OK(ext.signal(a, 1, &semaphore, NULL, 1, &gate, NULL));
	enqueue_wait(b, semaphore, &wait);
	CHECK(status_of(wait) > CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK_CODE(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clReleaseEvent(wait));
	CHECK_OK(clReleaseEvent(gate));
	/* Nothing is left of either, and it works still. */
	enqueue_signal(a, semaphore);
	CHECK_OK(clFinish(a));
	partner_wait(number);
	partner_signal(number);
	CHECK(partner->finish());
	enqueue_wait(b, semaphore, NULL);
	CHECK_OK(clFinish(b));
	CHECK_OK(ext.release(semaphore));
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
}

/* One command for semaphores of all three kinds. */
static void mixed(void)
{
	static const cl_semaphore_properties_khr plain[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0,
	}, exportable[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, SEMAPHORE_FD, 0, 0,
	};
	int numbers[2];
	cl_event done = NULL;
	cl_command_queue a = queue_make(test.context, test.device, 0),
			 b = queue_make(test.context, test.device, 0);
	cl_semaphore_khr list[] = {semaphore_make(plain), foreign(&numbers[0]),
				   semaphore_make(exportable), foreign(&numbers[1])};
	for (int i = 0; i < 3; i++) {
		CHECK_OK(ext.signal(a, 4, list, NULL, 0, NULL, &done));
		CHECK_OK(clWaitForEvents(1, &done));
		CHECK_OK(clReleaseEvent(done));
		for (int k = 0; k < 4; k++)
			CHECK(payload_of(list[k]) == 1);
		CHECK_OK(ext.wait(b, 4, list, NULL, 0, NULL, &done));
		CHECK_OK(clWaitForEvents(1, &done));
		CHECK_OK(clReleaseEvent(done));
		for (int k = 0; k < 4; k++)
			CHECK(payload_of(list[k]) == 0);
	}
	for (int k = 0; k < 4; k++)
		CHECK_OK(ext.release(list[k]));
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
}

static void queries_and_ownership(void)
{
	int number, taken = -1;
	cl_int code = 0;
	cl_bool exportable = 7;
	size_t size = 77;
	const int plain = memfd_create("plain", MFD_CLOEXEC);
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, SEMAPHORE_FD,
		(cl_semaphore_properties_khr)plain, 0,
	};
	CHECK(!ext.create(test.context, list, &code));
	CHECK_CODE(code, CL_INVALID_PROPERTY);
	CHECK(fcntl(plain, F_GETFD) >= 0);
	close(plain);
	const int fd = partner->semaphore(&number);
	cl_semaphore_khr semaphore = imported(fd);
	CHECK_OK(ext.info(semaphore, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0, NULL, &size));
	CHECK(size == 0);
	CHECK_OK(ext.info(semaphore, EXPORTABLE, sizeof(exportable), &exportable, NULL));
	CHECK(exportable == CL_FALSE);
	CHECK_CODE(ext.handle(semaphore, test.device, SEMAPHORE_FD, sizeof(taken), &taken, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(ext.release(semaphore));
	/* It was the platform's from the import on; a driver may use its number again. */
	CHECK(partner != &partner_soft || fcntl(fd, F_GETFD) < 0);
}

/* Each thread imports, uses and releases, partly before what it enqueued has run. */
static void *storm(void *data)
{
	const int fd = *(int *)data;
	cl_event waits[2] = {NULL, NULL};
	cl_command_queue a = queue_make(test.context, test.device, 0),
			 b = queue_make(test.context, test.device, 0);
	for (int i = 0; i < TURNS; i++) {
		cl_semaphore_khr semaphore = imported(fcntl(fd, F_DUPFD_CLOEXEC, 0));
		CHECK_OK(ext.signal(a, 1, &semaphore, NULL, i > 0, i ? &waits[0] : NULL, NULL));
		enqueue_wait(b, semaphore, &waits[1]);
		CHECK_OK(ext.release(semaphore));
		if (i)
			CHECK_OK(clReleaseEvent(waits[0]));
		waits[0] = waits[1];
		if (i % 4 == 3)
			CHECK_OK(clFinish(b));
	}
	CHECK_OK(clFinish(b));
	CHECK_OK(clReleaseEvent(waits[0]));
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
	return NULL;
}

static void storms(void)
{
	pthread_t threads[THREADS];
	int fds[THREADS], number;
	for (int i = 0; i < THREADS; i++) {
		fds[i] = partner->semaphore(&number);
		CHECK(!pthread_create(&threads[i], NULL, storm, &fds[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], NULL));
		close(fds[i]);
	}
}

/* --- the software device alone --------------------------------------------------------------- */

static char report[] = "/tmp/foreign-XXXXXX";

/* Before the driver reads its options: mistakes in the use of semaphores go to a file. */
__attribute__((constructor)) static void watch(void)
{
	const int fd = mkstemp(report);
	if (fd >= 0)
		close(fd);
	setenv("CULVERT_SOFT_REPORT", report, 1);
	setenv("CULVERT_SOFT_ORACLE", "1", 0);
}

static void no_mistakes(void)
{
	char text[1024] = "";
	FILE *file = fopen(report, "r");
	if (!CHECK(file))
		return;
	const size_t size_B = fread(text, 1, sizeof(text) - 1, file);
	if (!CHECK(size_B == 0))
		printf("%s\n", text);
	fclose(file);
	unlink(report);
}

/* The wait never ends by itself: the signal never comes. */
static void lost(void)
{
	int number;
	cl_int code;
	cl_event wait = NULL;
	const size_t global = 64;
	const cl_uint one = 1;
	cl_command_queue a = queue_make(test.context, test.device, 0),
			 b = queue_make(test.context, test.device, 0);
	cl_semaphore_khr semaphore = foreign(&number);
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	cl_kernel add = kernel_make(program, "add");
	CHECK_OK(clSetKernelArg(add, 0, sizeof(cl_mem), NULL));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(one), &one));
	enqueue_wait(a, semaphore, &wait);
	/* Its fault may be known before the call has come to its end. */
	code = clEnqueueNDRangeKernel(b, add, 1, NULL, &global, NULL, 0, NULL, NULL);
	CHECK(!code || code == CL_OUT_OF_RESOURCES);
	CHECK(clFinish(b) < 0);
	CHECK_CODE(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(wait) < 0);
	CHECK_CODE(ext.signal(a, 1, &semaphore, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	CHECK_OK(clReleaseEvent(wait));
	CHECK_OK(ext.release(semaphore));
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
}

static const char *partner_start(void)
{
	char name[256] = "";
	unsigned char uuid[CL_UUID_SIZE_KHR] = {0};
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_NAME, sizeof(name), name, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_UUID_KHR, sizeof(uuid), uuid, NULL));
	partner = strstr(name, "softcuda") ? &partner_soft : &partner_vulkan;
	return partner->start(uuid);
}

int main(void)
{
	if (!api_test_start(&test, "foreign semaphores")) {
		unlink(report);
		return API_TEST_SKIP;
	}
	if (!entry_find(test.platform)) {
		printf("no cl_khr_external_semaphore\n");
		unlink(report);
		return API_TEST_SKIP;
	}
	const char *absent = partner_start();
	if (absent) {
		printf("foreign semaphores: SKIP: %s\n", absent);
		unlink(report);
		return API_TEST_SKIP;
	}
	turns();
	own_signals();
	mixed();
	queries_and_ownership();
	storms();
	if (partner->waits_first)
		wait_first();
	CHECK(partner->finish());
	no_mistakes();
	if (partner == &partner_soft)
		lost();
	partner->end();
	return api_test_end(&test);
}
