/* Protects: memory of another process (cl_khr_external_memory_opaque_fd): a second process
 * makes memory with CUDA and gives its file descriptor; each sees what the other wrote, also
 * by way of another device and of the host; what is released goes; errors.
 *
 * The second process is this program with one argument, the number of its socket. */
#include "config.h"

#include "tests/api/cuda_shared.h"
#include "tests/api/second_process.h"
#include "tests/api/shared_bench.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1 << 16, SIZE_B = COUNT * (int)sizeof(cl_uint) };
enum { IMMUTABLE = 1 << 6 };     /* CL_MEM_IMMUTABLE_EXT */
enum { OPAQUE_FD = 0x2060, DEVICE_LIST = 0x2051, ACQUIRE = 0x2047, RELEASE = 0x2048 };

static struct api_test test;

/* --- the process with CUDA -------------------------------------------------------------------- */

/* 100 everywhere; the other adds its number to what it finds, twice. */
static int second_process(int socket)
{
	cl_uint *out = calloc(COUNT, sizeof(*out));
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	CU_OK(cu.cuMemsetD32_v2(shared.address, 100, COUNT));
	CU_OK(cu.cuCtxSynchronize());
	const int fd = cuda_shared_export(&shared);
	if (fd < 0)
		return 1;
	fd_send(socket, fd);
	close(fd);
	for (cl_uint turn = 0; turn < 2 && turn_wait(socket); turn++) {
		CU_OK(cu.cuMemcpyDtoH_v2(out, shared.address, SIZE_B));
		CHECK(out[0] == 107 + 1000 * turn && out[COUNT - 1] == 107 + 1000 * turn);
		CU_OK(cu.cuMemsetD32_v2(shared.address, 1100, COUNT));
		CU_OK(cu.cuCtxSynchronize());
		turn_give(socket);
	}
	/* The other has released it, and this one's is still good. */
	CHECK(turn_wait(socket));
	CU_OK(cu.cuMemcpyDtoH_v2(out, shared.address, SIZE_B));
	CHECK(out[7] == 55);
	cuda_shared_release(&shared);
	free(out);
	return api_test_failures ? 1 : 0;
}

/* --- the process with OpenCL ------------------------------------------------------------------- */

static cl_mem import(cl_context context, cl_device_id device, int fd)
{
	const cl_mem_properties list[] = {
		OPAQUE_FD, (cl_mem_properties)fd, DEVICE_LIST,
		(cl_mem_properties)(uintptr_t)device, 0, 0,
	};
	cl_mem_properties got[8];
	size_t size = 0;
	cl_int code;
	cl_mem mem = clCreateBufferWithProperties(context, list, CL_MEM_READ_WRITE, SIZE_B, NULL,
						  &code);
	CHECK_OK(code);
	CHECK(mem != NULL);
	if (mem) {
		CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, sizeof(got), got, &size));
		CHECK(size == sizeof(list) && !memcmp(got, list, size));
	}
	return mem;
}

static void add(const struct bench *bench, cl_command_queue queue, cl_mem mem, cl_uint value)
{
	bench_add(bench, queue, mem, COUNT, value);
}

/* The last turn: by way of the host's memory. */
static void by_the_host(cl_command_queue queue, cl_mem mem)
{
	cl_int code;
	CHECK_OK(ext.acquire(queue, 1, &mem, 0, NULL, NULL));
	cl_uint *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					     SIZE_B, 0, NULL, NULL, &code);
	CHECK_OK(code);
	if (mapped) {
		CHECK(mapped[0] == 1100 && mapped[COUNT - 1] == 1100);
		mapped[7] = 55;
		CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	}
	CHECK_OK(ext.release(queue, 1, &mem, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(mem));
}

/* The kernel runs on the last device; the memory is the first's. */
static void two_processes(cl_uint device_count)
{
	struct bench bench = bench_make(device_count, test.devices);
	int socket = -1;
	cl_event event;
	cl_command_type type = 0;
	const pid_t child = second_start(&socket);
	const int fd = fd_receive(socket);
	cl_mem mem = import(bench.context, test.devices[0], fd);
	for (cl_uint turn = 0; turn < 2 && mem; turn++) {
		event = NULL;
		CHECK_OK(ext.acquire(bench.queue, 1, &mem, 0, NULL, &event));
		CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
		CHECK(type == ACQUIRE);
		CHECK_OK(clWaitForEvents(1, &event));
		CHECK_OK(clReleaseEvent(event));
		add(&bench, bench.other, mem, 7);
		CHECK_OK(clFinish(bench.other));
		CHECK_OK(ext.release(bench.queue, 1, &mem, 0, NULL, &event));
		CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
		CHECK(type == RELEASE);
		CHECK_OK(clWaitForEvents(1, &event));
		CHECK_OK(clReleaseEvent(event));
		turn_give(socket);
		CHECK(turn_wait(socket));
	}
	if (mem)
		by_the_host(bench.queue, mem);
	bench_release(&bench);
	turn_give(socket);
	second_end(child, socket);
}

/* Released while its work is under way, again and again: nothing is left, and the descriptor
 * is ours no more. */
static void released_early(void)
{
	struct bench bench = bench_make(1, &test.device);
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	cl_uint *out = calloc(COUNT, sizeof(*out));
	CU_OK(cu.cuMemsetD32_v2(shared.address, 0, COUNT));
	CU_OK(cu.cuCtxSynchronize());
	for (cl_uint turn = 0; turn < 20; turn++) {
		const int fd = cuda_shared_export(&shared);
		cl_mem mem = import(bench.context, test.device, fd);
		CHECK(fcntl(fd, F_GETFD) < 0);
		CHECK_OK(ext.acquire(bench.queue, 1, &mem, 0, NULL, NULL));
		add(&bench, bench.queue, mem, 3);
		CHECK_OK(ext.release(bench.queue, 1, &mem, 0, NULL, NULL));
		CHECK_OK(clReleaseMemObject(mem));
	}
	CHECK_OK(clFinish(bench.queue));
	CU_OK(cu.cuMemcpyDtoH_v2(out, shared.address, SIZE_B));
	CHECK(out[0] == 60 && out[COUNT - 1] == 60);
	bench_release(&bench);
	cuda_shared_release(&shared);
	free(out);
}

/* What another API gives; the software driver takes a memfd with all seals for such. */
static void other_api(void)
{
	struct bench bench = bench_make(1, &test.device);
	const int fd = memfd_create("external", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CHECK(!ftruncate(fd, SIZE_B));
	CHECK(!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
	cl_uint *bytes = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(bytes != MAP_FAILED);
	bytes[1] = 40;
	cl_mem mem = import(bench.context, test.device, fd);
	CHECK_OK(ext.acquire(bench.queue, 1, &mem, 0, NULL, NULL));
	add(&bench, bench.queue, mem, 2);
	CHECK_OK(ext.release(bench.queue, 1, &mem, 0, NULL, NULL));
	CHECK_OK(clFinish(bench.queue));
	CHECK(bytes[0] == 2 && bytes[1] == 42 && bytes[COUNT - 1] == 2);
	CHECK_OK(clReleaseMemObject(mem));
	munmap(bytes, SIZE_B);
	bench_release(&bench);
}

/* cl_ext_immutable_memory_objects: "External entities may change the contents", and nobody here:
 * each acquire gives what is there then. */
static void immutable(void)
{
	struct bench bench = bench_make(1, &test.device);
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	const int fd = cuda_shared_export(&shared);
	const cl_mem_properties list[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	const cl_uint value = 7;
	cl_uint read = 0;
	cl_int code;
	cl_mem mem = clCreateBufferWithProperties(bench.context, list, IMMUTABLE, SIZE_B, NULL,
						  &code);
	CHECK_OK(code);
	for (cl_uint turn = 1; turn < 3; turn++) {
		CU_OK(cu.cuMemsetD32_v2(shared.address, turn * 100, COUNT));
		CU_OK(cu.cuCtxSynchronize());
		CHECK_OK(ext.acquire(bench.queue, 1, &mem, 0, NULL, NULL));
		CHECK_OK(clEnqueueReadBuffer(bench.queue, mem, CL_TRUE, SIZE_B - 4, 4, &read, 0,
					     NULL, NULL));
		CHECK(read == turn * 100);
		CHECK_CODE(clEnqueueFillBuffer(bench.queue, mem, &value, 4, 0, SIZE_B, 0, NULL,
					       NULL), CL_INVALID_OPERATION);
		CHECK_CODE(clSetKernelArg(bench.add, 0, sizeof(mem), &mem), CL_INVALID_ARG_VALUE);
		CHECK_OK(ext.release(bench.queue, 1, &mem, 0, NULL, NULL));
	}
	CHECK_OK(clReleaseMemObject(mem));
	bench_release(&bench);
	cuda_shared_release(&shared);
}

/* --- errors -------------------------------------------------------------------------------------- */

static cl_int create_code(cl_context context, const cl_mem_properties *list, cl_mem_flags flags,
			  size_t size, void *pointer)
{
	cl_int code = 12345;
	CHECK(!clCreateBufferWithProperties(context, list, flags, size, pointer, &code));
	return code;
}

static void creation_errors(void)
{
	const cl_mem_properties device = (cl_mem_properties)(uintptr_t)test.device;
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	const cl_mem_properties good[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	const cl_mem_properties none[] = {OPAQUE_FD, 12345, 0};
	const cl_mem_properties huge[] = {OPAQUE_FD, (cl_mem_properties)1 << 40, 0};
	const cl_mem_properties twice[] = {OPAQUE_FD, 3, OPAQUE_FD, 3, 0};
	const cl_mem_properties alone[] = {DEVICE_LIST, device, 0, 0};
	const cl_mem_properties null[] = {OPAQUE_FD, 3, DEVICE_LIST, 0, 0};
	const cl_mem_properties unknown[] = {1, 1, 0};
	char host[64];
	CHECK_CODE(create_code(test.context, good, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	/* It was not taken. */
	CHECK(fcntl(fd, F_GETFD) >= 0);
	CHECK_CODE(create_code(test.context, none, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, huge, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, twice, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, alone, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, unknown, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, null, 0, SIZE_B, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(create_code(test.context, good, CL_MEM_ALLOC_HOST_PTR, SIZE_B, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(create_code(test.context, good, CL_MEM_COPY_HOST_PTR, 64, host),
		   CL_INVALID_VALUE);
	CHECK_CODE(create_code(test.context, good, 0, 64, host), CL_INVALID_HOST_PTR);
	CHECK_CODE(create_code(test.context, good, 0, 0, NULL), CL_INVALID_BUFFER_SIZE);
	if (test.device_count > 1) {
		const cl_mem_properties both[] = {
			OPAQUE_FD, 3, DEVICE_LIST, device,
			(cl_mem_properties)(uintptr_t)test.devices[1], 0, 0,
		};
		cl_context two = context_make(2, test.devices);
		/* The memory is one device's, and has to be said whose. */
		CHECK_CODE(create_code(two, good, 0, SIZE_B, NULL), CL_INVALID_DEVICE);
		CHECK_CODE(create_code(two, both, 0, SIZE_B, NULL), CL_INVALID_DEVICE);
		CHECK_CODE(create_code(test.context, both, 0, SIZE_B, NULL), CL_INVALID_DEVICE);
		/* One, that the context has not. */
		const cl_mem_properties strange[] = {
			OPAQUE_FD, 3, DEVICE_LIST,
			(cl_mem_properties)(uintptr_t)test.devices[1], 0, 0,
		};
		CHECK_CODE(create_code(test.context, strange, 0, SIZE_B, NULL), CL_INVALID_DEVICE);
		CHECK_OK(clReleaseContext(two));
	}
	close(fd);
}

static void command_errors(void)
{
	cl_int(CL_API_CALL *const both[2])(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
					   const cl_event *, cl_event *) = {ext.acquire,
									    ext.release};
	const cl_uint devices = test.device_count > 1 ? 2 : 1;
	struct bench bench = bench_make(devices, test.devices);
	struct bench other = bench_make(1, &test.device);
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	const int fd = cuda_shared_export(&shared);
	/* Not cut to the 32 bits of a descriptor. */
	const cl_mem_properties long_fd[] = {OPAQUE_FD, (cl_mem_properties)1 << 32 | (unsigned)fd,
					     0};
	CHECK_CODE(create_code(test.context, long_fd, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	cl_mem mem = import(bench.context, test.device, fd), none = NULL;
	cl_int code;
	cl_mem plain = clCreateBuffer(bench.context, 0, 64, NULL, &code);
	cl_event failed = clCreateUserEvent(bench.context, &code), event = NULL;
	CHECK_OK(clSetUserEventStatus(failed, -5));
	cl_event ended = clCreateUserEvent(bench.context, &code);
	CHECK_OK(clSetUserEventStatus(ended, CL_COMPLETE));
	for (int i = 0; i < 2; i++) {
		CHECK_CODE(both[i](NULL, 1, &mem, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
		CHECK_CODE(both[i](other.queue, 1, &mem, 0, NULL, NULL),
			   CL_INVALID_COMMAND_QUEUE);
		/* Of the context's other device. */
		if (devices > 1)
			CHECK_CODE(both[i](bench.other, 1, &mem, 0, NULL, NULL),
				   CL_INVALID_COMMAND_QUEUE);
		CHECK_CODE(both[i](bench.queue, 0, &mem, 0, NULL, NULL), CL_INVALID_VALUE);
		CHECK_CODE(both[i](bench.queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
		CHECK_CODE(both[i](bench.queue, 1, &none, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
		CHECK_CODE(both[i](bench.queue, 1, &plain, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
		CHECK_CODE(both[i](bench.queue, 1, &mem, 1, NULL, NULL),
			   CL_INVALID_EVENT_WAIT_LIST);
		CHECK_CODE(both[i](bench.queue, 1, &mem, 0, &event, NULL),
			   CL_INVALID_EVENT_WAIT_LIST);
		CHECK_CODE(both[i](bench.queue, 1, &mem, 1, &failed, NULL),
			   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		CHECK_OK(both[i](bench.queue, 0, NULL, 0, NULL, NULL));
		CHECK_OK(both[i](bench.queue, 1, &mem, 1, &ended, NULL));
	}
	CHECK_OK(clReleaseEvent(failed));
	CHECK_OK(clReleaseEvent(ended));
	CHECK_OK(clReleaseMemObject(plain));
	CHECK_OK(clReleaseMemObject(mem));
	bench_release(&bench);
	bench_release(&other);
	cuda_shared_release(&shared);
}

static void queries(void)
{
	cl_uint type = 0;
	size_t size = 0;
	CHECK_OK(clGetPlatformInfo(test.platform, 0x2044, sizeof(type), &type, &size));
	CHECK(type == OPAQUE_FD && size == sizeof(type));
	CHECK_OK(clGetDeviceInfo(test.device, 0x204F, sizeof(type), &type, &size));
	CHECK(type == OPAQUE_FD && size == sizeof(type));
	CHECK_OK(clGetDeviceInfo(test.device, 0x2052, sizeof(type), &type, &size));
	CHECK(type == OPAQUE_FD && size == sizeof(type));
}

int main(int argc, char **argv)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "external_memory"))
		return API_TEST_SKIP;
	if (!external_commands_find(&test) || !cuda_use())
		return api_test_skip(&test);
	if (argc > 1) {
		const int status = second_process(atoi(argv[1]));
		CHECK_OK(clReleaseContext(test.context));
		return status;
	}
	queries();
	two_processes(1);
	if (test.device_count > 1)
		two_processes(2);
	released_early();
	if (cuda_is_software)
		other_api();
	immutable();
	creation_errors();
	command_errors();
	return api_test_end(&test);
}
