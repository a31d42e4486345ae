/* Protects: semaphores between processes (cl_khr_external_semaphore_opaque_fd): two processes
 * with OpenCL, and one with CUDA alone, take turns at the same memory with nothing else to
 * keep them apart; waits that come first; failures arrive; what is released goes; queries.
 *
 * The second process is this program with one argument, the number of its socket. */
#include "config.h"

#include "tests/api/cuda_shared.h"
#include "tests/api/fixture.h"
#include "tests/api/second_process.h"
#include "tests/api/semaphore_calls.h"

#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>

enum { COUNT = 1 << 14, SIZE_B = COUNT * (int)sizeof(cl_uint), ROUNDS = 20 };
enum { OPAQUE_FD = 0x2055, EXPORTABLE = 0x2054, MEMORY_FD = 0x2060 };

static const char source[] =
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n";

static struct api_test test;

/* --- what both sides use ----------------------------------------------------------------------- */

struct bench {
	cl_program program;
	cl_kernel add;
	cl_command_queue queue;
	cl_mem mem;
};

static struct bench bench_make(cl_mem mem)
{
	struct bench bench = {.mem = mem};
	bench.program = api_test_build(test.context, test.device, source, NULL);
	bench.add = kernel_make(bench.program, "add");
	bench.queue = queue_make(test.context, test.device, 0);
	if (!mem)
		bench.mem = buffer_make(test.context, 0, SIZE_B, NULL);
	return bench;
}

static void bench_release(struct bench *bench)
{
	CHECK_OK(clReleaseMemObject(bench->mem));
	CHECK_OK(clReleaseCommandQueue(bench->queue));
	CHECK_OK(clReleaseKernel(bench->add));
	CHECK_OK(clReleaseProgram(bench->program));
}

static void add(const struct bench *bench, cl_uint value)
{
	const size_t global = COUNT;
	CHECK_OK(clSetKernelArg(bench->add, 0, sizeof(cl_mem), &bench->mem));
	CHECK_OK(clSetKernelArg(bench->add, 1, sizeof(value), &value));
	launch_1d(bench->queue, bench->add, global);
}

static cl_semaphore_khr exportable(void)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, 0, 0,
	};
	cl_int code;
	cl_semaphore_khr semaphore = ext.create(test.context, list, &code);
	CHECK_OK(code);
	return semaphore;
}

static int handle_of(cl_semaphore_khr semaphore)
{
	int fd = -1;
	size_t size = 0;
	CHECK_OK(ext.handle(semaphore, test.device, OPAQUE_FD, sizeof(fd), &fd, &size));
	CHECK(size == sizeof(fd) && fd >= 0);
	return fd;
}

static cl_semaphore_khr imported(int fd)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, OPAQUE_FD,
		(cl_semaphore_properties_khr)fd, 0,
	};
	cl_int code;
	cl_semaphore_khr semaphore = ext.create(test.context, list, &code);
	CHECK_OK(code);
	return semaphore;
}

/* Which second process there is, said before anything else. */
enum { WITH_OPENCL = 'o', WITH_CUDA = 'c' };

static pid_t begin(char kind, int *socket_out)
{
	const pid_t child = second_start(socket_out);
	CHECK(send(*socket_out, &kind, 1, MSG_NOSIGNAL) == 1);
	return child;
}

/* --- two processes with OpenCL ------------------------------------------------------------------- */

/* Host memory that both see; the semaphores alone keep them apart. */
static cl_uint *shared_map(int fd)
{
	cl_uint *bytes = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(bytes != MAP_FAILED);
	return bytes;
}

/* A round of this side: what is in shared, and 1 more. */
static void round_enqueue(const struct bench *bench, cl_uint *shared)
{
	CHECK_OK(clEnqueueWriteBuffer(bench->queue, bench->mem, CL_FALSE, 0, SIZE_B, shared, 0, NULL,
				      NULL));
	add(bench, 1);
	CHECK_OK(clEnqueueReadBuffer(bench->queue, bench->mem, CL_FALSE, 0, SIZE_B, shared, 0, NULL,
				     NULL));
}

static void opencl_second(int socket)
{
	const int memory = fd_receive(socket), to = fd_receive(socket), from = fd_receive(socket);
	cl_uint *shared = shared_map(memory);
	cl_semaphore_khr go = imported(to), back = imported(from);
	struct bench bench = bench_make(NULL);
	for (cl_uint i = 0; i < ROUNDS; i++) {
		enqueue_wait(bench.queue, go, NULL);
		round_enqueue(&bench, shared);
		enqueue_signal(bench.queue, back);
		CHECK_OK(clFinish(bench.queue));
	}
	bench_release(&bench);
	CHECK_OK(ext.release(go));
	CHECK_OK(ext.release(back));
	munmap(shared, SIZE_B);
	close(memory);
}

static void opencl_first(void)
{
	int socket = -1;
	const int memory = memfd_create("shared", MFD_CLOEXEC);
	CHECK(!ftruncate(memory, SIZE_B));
	cl_uint *shared = shared_map(memory);
	cl_semaphore_khr go = exportable(), back = exportable();
	const int to = handle_of(go), from = handle_of(back);
	const pid_t child = begin(WITH_OPENCL, &socket);
	struct bench bench = bench_make(NULL);
	fd_send(socket, memory);
	fd_send(socket, to);
	fd_send(socket, from);
	close(to);
	close(from);
	for (cl_uint i = 0; i < ROUNDS; i++) {
		cl_event event = NULL;
		round_enqueue(&bench, shared);
		enqueue_signal(bench.queue, go);
		enqueue_wait(bench.queue, back, &event);
		CHECK_OK(clWaitForEvents(1, &event));
		CHECK_OK(clReleaseEvent(event));
	}
	bool good = true;
	for (cl_uint i = 0; i < COUNT; i++)
		good = good && shared[i] == 2 * ROUNDS;
	CHECK(good);
	bench_release(&bench);
	CHECK_OK(ext.release(go));
	CHECK_OK(ext.release(back));
	second_end(child, socket);
	munmap(shared, SIZE_B);
	close(memory);
}

/* --- one with CUDA ------------------------------------------------------------------------------- */

/* As docs/ordering.md tells programs without OpenCL to. */
static bool plain_wait(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	uint64_t count = 0;
	return poll(&polled, 1, 20000) == 1 &&
	       read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count) && count == 1;
}

static void plain_signal(int fd)
{
	const uint64_t one = 1;
	CHECK(write(fd, &one, sizeof(one)) == (ssize_t)sizeof(one));
}

/* It finds what the other made of its number, and sets another. */
static void cuda_second(int socket)
{
	const int go = fd_receive(socket), back = fd_receive(socket);
	cl_uint *out = calloc(COUNT, sizeof(*out));
	const struct cuda_shared shared = cuda_shared_make(SIZE_B);
	const int memory = cuda_shared_export(&shared);
	CU_OK(cu.cuMemsetD32_v2(shared.address, 0, COUNT));
	CU_OK(cu.cuCtxSynchronize());
	fd_send(socket, memory);
	for (cl_uint i = 0; i < ROUNDS && CHECK(plain_wait(go)); i++) {
		CU_OK(cu.cuMemcpyDtoH_v2(out, shared.address, SIZE_B));
		CHECK(out[0] == 100 * i + 7 && out[COUNT - 1] == 100 * i + 7);
		CU_OK(cu.cuMemsetD32_v2(shared.address, 100 * (i + 1), COUNT));
		CU_OK(cu.cuCtxSynchronize());
		plain_signal(back);
	}
	cuda_shared_release(&shared);
	free(out);
	close(memory);
	close(go);
	close(back);
}

/* Nothing but semaphores orders this side: it does not wait between the rounds' commands. */
static void cuda_first(void)
{
	int socket = -1;
	cl_int code;
	cl_semaphore_khr go = exportable(), back = exportable();
	const int to = handle_of(go), from = handle_of(back);
	const pid_t child = begin(WITH_CUDA, &socket);
	fd_send(socket, to);
	fd_send(socket, from);
	close(to);
	close(from);
	const cl_mem_properties list[] = {MEMORY_FD, (cl_mem_properties)fd_receive(socket), 0};
	cl_mem mem = clCreateBufferWithProperties(test.context, list, CL_MEM_READ_WRITE, SIZE_B,
						  NULL, &code);
	CHECK_OK(code);
	struct bench bench = bench_make(mem);
	for (cl_uint i = 0; i < ROUNDS; i++) {
		cl_event event = NULL;
		CHECK_OK(ext.acquire(bench.queue, 1, &mem, 0, NULL, NULL));
		add(&bench, 7);
		CHECK_OK(ext.give(bench.queue, 1, &mem, 0, NULL, NULL));
		enqueue_signal(bench.queue, go);
		enqueue_wait(bench.queue, back, &event);
		CHECK_OK(clWaitForEvents(1, &event));
		CHECK_OK(clReleaseEvent(event));
	}
	bench_release(&bench);
	CHECK_OK(ext.release(go));
	CHECK_OK(ext.release(back));
	second_end(child, socket);
}

/* --- in one process ------------------------------------------------------------------------------ */

static void queries(void)
{
	cl_semaphore_khr semaphore = exportable();
	cl_external_semaphore_handle_type_khr type = 0;
	cl_bool is_exportable = 7;
	size_t size = 0;
	CHECK_OK(ext.info(semaphore, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof(type), &type,
			  &size));
	CHECK(size == sizeof(type) && type == OPAQUE_FD);
	CHECK_OK(ext.info(semaphore, EXPORTABLE, sizeof(is_exportable), &is_exportable, NULL));
	CHECK(is_exportable == CL_TRUE);
	cl_semaphore_khr other = imported(handle_of(semaphore));
	CHECK_OK(ext.info(other, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0, NULL, &size));
	CHECK(size == 0);
	CHECK_OK(ext.info(other, EXPORTABLE, sizeof(is_exportable), &is_exportable, NULL));
	CHECK(is_exportable == CL_FALSE);
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
				 sizeof(type), &type, &size));
	CHECK(size == sizeof(type) && type == OPAQUE_FD);
	CHECK_OK(clGetPlatformInfo(test.platform, CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
				   sizeof(type), &type, &size));
	CHECK(size == sizeof(type) && type == OPAQUE_FD);
	CHECK_OK(ext.release(other));
	CHECK_OK(ext.release(semaphore));
}

/* One payload by two names: either may be signaled and waited for, either may go. */
static void one_payload(void)
{
	cl_event waits[2] = {NULL, NULL};
	cl_command_queue a = queue_make(test.context, test.device, 0);
	cl_semaphore_khr made = exportable();
	const int fd = handle_of(made);
	cl_semaphore_khr other = imported(fd);
	CHECK(payload_of(made) == 0 && payload_of(other) == 0);
	enqueue_signal(a, made);
	CHECK_OK(clFinish(a));
	CHECK(plain_wait(fd));
	enqueue_signal(a, made);
	enqueue_wait(a, other, &waits[0]);
	CHECK_OK(clWaitForEvents(1, &waits[0]));
	CHECK(payload_of(made) == 0 && payload_of(other) == 0);
	/* The wait comes first, and both are released while it is pending. */
	enqueue_wait(a, other, &waits[1]);
	CHECK(status_of(waits[1]) > CL_COMPLETE);
	const int kept = dup(fd);
	CHECK_OK(ext.release(other));
	CHECK_OK(ext.release(made));
	plain_signal(kept);
	CHECK_OK(clWaitForEvents(1, &waits[1]));
	CHECK(status_of(waits[1]) == CL_COMPLETE);
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseEvent(waits[i]));
	close(kept);
	CHECK_OK(clReleaseCommandQueue(a));
}

/* Signals and waits of one payload by turns, all enqueued at once: no wait takes the signal of one
 * that came before it. */
static void turns(void)
{
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_semaphore_khr made = exportable(), other = imported(handle_of(made));
	for (int i = 0; i < 500; i++) {
		enqueue_signal(queue, i % 3 ? made : other);
		enqueue_wait(queue, i % 2 ? made : other, NULL);
	}
	CHECK_OK(clFinish(queue));
	CHECK(payload_of(made) == 0);
	CHECK_OK(ext.release(made));
	CHECK_OK(ext.release(other));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* What was to signal fails: who waits hears it, and reads it. */
static void failures(void)
{
	cl_int code;
	cl_event gate = clCreateUserEvent(test.context, &code), wait = NULL;
	cl_command_queue a = clCreateCommandQueue(test.context, test.device, 0, &code);
	cl_command_queue b = clCreateCommandQueue(test.context, test.device, 0, &code);
	cl_semaphore_khr made = exportable();
	const int fd = handle_of(made);
	uint64_t count = 0;
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	enqueue_wait(b, made, &wait);
	CHECK_OK(ext.signal(a, 1, &made, NULL, 1, &gate, NULL));
	CHECK(status_of(wait) > CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK_CODE(clWaitForEvents(1, &wait), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(wait) < 0);
	CHECK_OK(clReleaseEvent(wait));
	CHECK_OK(clReleaseEvent(gate));
	gate = clCreateUserEvent(test.context, &code);
	CHECK_OK(ext.signal(a, 1, &made, NULL, 1, &gate, NULL));
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK(poll(&polled, 1, 20000) == 1 && read(fd, &count, sizeof(count)) == 8);
	CHECK(count == (uint64_t)1 << 32);
	CHECK_OK(clReleaseEvent(gate));
	close(fd);
	CHECK_OK(ext.release(made));
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
}

/* More waits at once than are watched at once; the last is signaled first. */
static void many(void)
{
	enum { MANY = 100 };
	static const cl_queue_properties out_of_order[] = {
		CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0,
	};
	cl_int code;
	cl_command_queue queue = clCreateCommandQueueWithProperties(test.context, test.device,
								     out_of_order, &code);
	cl_semaphore_khr made[MANY];
	cl_event waits[MANY];
	CHECK_OK(code);
	for (int i = 0; i < MANY; i++) {
		made[i] = exportable();
		enqueue_wait(queue, made[i], &waits[i]);
	}
	for (int i = MANY - 1; i >= 0; i--) {
		const int fd = handle_of(made[i]);
		plain_signal(fd);
		close(fd);
		CHECK_OK(clWaitForEvents(1, &waits[i]));
		CHECK(!i || status_of(waits[i - 1]) > CL_COMPLETE);
	}
	for (int i = 0; i < MANY; i++) {
		CHECK_OK(clReleaseEvent(waits[i]));
		CHECK_OK(ext.release(made[i]));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* Any descriptor is the application's until it was imported, and then ours to close. */
static void ownership(void)
{
	/* The kernel's names of the second and of what semaphores are have one length. */
	const int strangers[] = {
		memfd_create("plain", MFD_CLOEXEC),
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC),
	};
	for (unsigned i = 0; i < 2; i++) {
		const cl_semaphore_properties_khr list[] = {
			CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, OPAQUE_FD,
			(cl_semaphore_properties_khr)strangers[i], 0,
		};
		cl_int code = 0;
		CHECK(!ext.create(test.context, list, &code));
		CHECK_CODE(code, CL_INVALID_PROPERTY);
		CHECK(fcntl(strangers[i], F_GETFD) >= 0);
		close(strangers[i]);
	}
	cl_semaphore_khr made = exportable();
	const int fd = handle_of(made);
	cl_semaphore_khr other = imported(fd);
	CHECK(fcntl(fd, F_GETFD) >= 0);
	CHECK_OK(ext.release(other));
	CHECK(fcntl(fd, F_GETFD) < 0);
	CHECK_OK(ext.release(made));
}

static double processor_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* cl_khr_external_semaphore_opaque_fd: "Importing ... transfers ownership of the handle to the OpenCL
 * implementation."  An application that closes it all the same ends the waits that need it, with an
 * error; other waits go on, and no thread turns in circles. */
static void closed(void)
{
	cl_int code;
	cl_event waits[2] = {NULL, NULL};
	cl_command_queue a = clCreateCommandQueue(test.context, test.device, 0, &code);
	cl_command_queue b = clCreateCommandQueue(test.context, test.device, 0, &code);
	cl_semaphore_khr made = exportable(), kept = exportable();
	const int fd = handle_of(made), other = handle_of(kept);
	cl_semaphore_khr lost = imported(fd);
	enqueue_wait(a, lost, &waits[0]);
	close(fd);
	/* The thread that watches looks at all when there is another. */
	enqueue_wait(b, kept, &waits[1]);
	for (int i = 0; i < 10000 && status_of(waits[0]) > CL_COMPLETE; i++)
		usleep(1000);
	const double start_s = processor_s();
	usleep(600000);
	CHECK(processor_s() - start_s < 0.1);
	CHECK(status_of(waits[0]) < 0 && status_of(waits[1]) > CL_COMPLETE);
	plain_signal(other);
	CHECK_OK(clWaitForEvents(1, &waits[1]));
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseEvent(waits[i]));
	CHECK_OK(ext.release(lost));
	CHECK_OK(ext.release(made));
	CHECK_OK(ext.release(kept));
	close(other);
	CHECK_OK(clReleaseCommandQueue(a));
	CHECK_OK(clReleaseCommandQueue(b));
}

static int second_process(int socket)
{
	char kind = 0;
	const bool shares = cuda_use();
	if (recv(socket, &kind, 1, 0) != 1)
		return 1;
	if (kind == WITH_OPENCL)
		opencl_second(socket);
	else if (shares)
		cuda_second(socket);
	return api_test_failures ? 1 : 0;
}

int main(int argument_count, char **arguments)
{
	if (!api_test_start(&test, "shared semaphores"))
		return API_TEST_SKIP;
	if (!entry_find(test.platform)) {
		printf("no cl_khr_external_semaphore\n");
		return API_TEST_SKIP;
	}
	if (argument_count > 1) {
		const int failed = second_process(atoi(arguments[1]));
		const int end = api_test_end(&test);
		return failed ? failed : end;
	}
	queries();
	one_payload();
	turns();
	failures();
	many();
	ownership();
	closed();
	opencl_first();
	if (cuda_use())
		cuda_first();
	return api_test_end(&test);
}
