/* Protects: buffers that other processes map (cl_culvert_external_memory_export): by file descriptor and
 * by CUDA IPC, another process with OpenCL or with CUDA alone sees what was written here, and the
 * reverse, also where the memory is the second device's of a context; CUDA's own IPC handles are
 * imported; what is released goes; errors and queries.
 *
 * The second process is this program with one argument, the number of its socket. */
#include "config.h"

#include "tests/api/cuda_shared.h"
#include "tests/api/second_process.h"
#include "tests/api/shared_bench.h"

#include "icd/include/cl_culvert.h"

#include <CL/cl_ext.h>
#include <fcntl.h>
#include <stdint.h>

enum { COUNT = (1 << 16) + 3, SIZE_B = COUNT * (int)sizeof(cl_uint), PIECE_B = 2 << 20 };
enum { OPAQUE_FD = 0x2060, DEVICE_LIST = 0x2051 };

static struct api_test test;
static clGetMemObjectHandleForTypeCULVERT_fn handle_of;

static struct {
	CUresult (*cuIpcGetMemHandle)(CUipcMemHandle *, CUdeviceptr);
	CUresult (*cuIpcOpenMemHandle_v2)(CUdeviceptr *, CUipcMemHandle, unsigned);
	CUresult (*cuIpcCloseMemHandle)(CUdeviceptr);
	CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
	CUresult (*cuMemFree_v2)(CUdeviceptr);
	CUresult (*cuMemImportFromShareableHandle)(CUmemGenericAllocationHandle *, void *,
						   CUmemAllocationHandleType);
} ipc;

static bool entries_find(void)
{
	bool software;
	void *library = cuda_library(&software);
	*(void **)&handle_of = clGetExtensionFunctionAddressForPlatform(
		test.platform, "clGetMemObjectHandleForTypeCULVERT");
#define FIND(name) *(void **)&ipc.name = dlsym(library, #name)
	FIND(cuIpcGetMemHandle);
	FIND(cuIpcOpenMemHandle_v2);
	FIND(cuIpcCloseMemHandle);
	FIND(cuMemAlloc_v2);
	FIND(cuMemFree_v2);
	FIND(cuMemImportFromShareableHandle);
#undef FIND
	return external_commands_find(&test) && handle_of && ipc.cuIpcGetMemHandle;
}

/* --- what both sides use ------------------------------------------------------------------------- */

/* The memory is the last device's, the kernel runs on the first. */

static cl_mem exportable(cl_context context, cl_device_id device, cl_uint type)
{
	const cl_mem_properties list[] = {
		CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, type, CL_MEM_EXPORT_HANDLE_TYPES_LIST_END_CULVERT,
		DEVICE_LIST, (cl_mem_properties)(uintptr_t)device, 0, 0,
	};
	cl_mem_properties got[8];
	size_t size = 0;
	cl_int code;
	cl_mem mem = clCreateBufferWithProperties(context, list, CL_MEM_READ_WRITE, SIZE_B, NULL,
						  &code);
	CHECK_OK(code);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, sizeof(got), got, &size));
	CHECK(size == sizeof(list) && !memcmp(got, list, size));
	return mem;
}

static cl_int add(const struct bench *bench, cl_mem mem, cl_uint value)
{
	bench_add(bench, bench->queue, mem, COUNT, value);
	return clFinish(bench->queue);
}

static void acquire(const struct bench *bench, cl_mem mem)
{
	CHECK_OK(ext.acquire(bench->other, 1, &mem, 0, NULL, NULL));
	CHECK_OK(clFinish(bench->other));
}

static void release(const struct bench *bench, cl_mem mem)
{
	CHECK_OK(ext.release(bench->other, 1, &mem, 0, NULL, NULL));
	CHECK_OK(clFinish(bench->other));
}

/* Whether all of it is value. */
static bool holds(const struct bench *bench, cl_mem mem, cl_uint value)
{
	cl_uint *out = calloc(COUNT, sizeof(*out));
	bool good = true;
	buffer_read(bench->other, mem, out, SIZE_B);
	for (cl_uint i = 0; i < COUNT; i++)
		good = good && out[i] == value;
	free(out);
	return good;
}

/* --- the second process --------------------------------------------------------------------------- */

struct handle {
	int fd;
	CUipcMemHandle ipc;
};

static struct handle handle_receive(int socket, cl_uint type)
{
	struct handle handle = {.fd = -1};
	if (type == OPAQUE_FD)
		handle.fd = fd_receive(socket);
	else
		CHECK(recv(socket, &handle.ipc, sizeof(handle.ipc), 0) == sizeof(handle.ipc));
	return handle;
}

static cl_mem import(cl_context context, cl_uint type, const struct handle *handle, size_t size_B,
		     cl_int *code)
{
	const cl_mem_properties list[] = {
		type, type == OPAQUE_FD ? (cl_mem_properties)handle->fd
					: (cl_mem_properties)(uintptr_t)&handle->ipc, 0,
	};
	return clCreateBufferWithProperties(context, list, 0, size_B, NULL, code);
}

/* It finds 107 and makes 1107 of it. */
static void second_with_opencl(int socket, cl_uint type, cl_uint device)
{
	struct bench bench = bench_make(1, &test.devices[device]);
	cl_int code;
	const struct handle handle = handle_receive(socket, type);
	cl_mem mem = import(bench.context, type, &handle, (size_t)PIECE_B + 1, &code);
	CHECK(!mem);
	CHECK_CODE(code, CL_INVALID_PROPERTY);
	mem = import(bench.context, type, &handle, SIZE_B, &code);
	CHECK_OK(code);
	acquire(&bench, mem);
	CHECK(holds(&bench, mem, 107));
	CHECK_OK(add(&bench, mem, 1000));
	release(&bench, mem);
	CHECK_OK(clReleaseMemObject(mem));
	bench_release(&bench);
}

/* The same with CUDA's calls. */
static CUdeviceptr cuda_open(const struct handle *handle, cl_uint type, struct cuda_shared *shared)
{
	CUmemAccessDesc access;
	CUdeviceptr address = 0;
	memset(&access, 0, sizeof(access));
	access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	if (type != OPAQUE_FD) {
		CU_OK(ipc.cuIpcOpenMemHandle_v2(&address, handle->ipc,
						CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
		return address;
	}
	shared->size_B = PIECE_B;
	CU_OK(ipc.cuMemImportFromShareableHandle(&shared->handle, (void *)(intptr_t)handle->fd,
						 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(handle->fd);
	CU_OK(cu.cuMemAddressReserve(&shared->address, PIECE_B, 0, 0, 0));
	CU_OK(cu.cuMemMap(shared->address, PIECE_B, 0, shared->handle, 0));
	CU_OK(cu.cuMemSetAccess(shared->address, PIECE_B, &access, 1));
	return shared->address;
}

static void second_with_cuda(int socket, cl_uint type)
{
	const struct handle handle = handle_receive(socket, type);
	struct cuda_shared shared = {0};
	cl_uint *out = calloc(COUNT, sizeof(*out));
	const CUdeviceptr address = cuda_open(&handle, type, &shared);
	CU_OK(cu.cuMemcpyDtoH_v2(out, address, SIZE_B));
	CHECK(out[0] == 107 && out[COUNT - 1] == 107);
	CU_OK(cu.cuMemsetD32_v2(address, 1107, COUNT));
	CU_OK(cu.cuCtxSynchronize());
	if (type == OPAQUE_FD)
		cuda_shared_release(&shared);
	else
		CU_OK(ipc.cuIpcCloseMemHandle(address));
	free(out);
}

/* With calls that fail once each: the import says so, and the next one finds all in order. */
static void second_with_faults(int socket, cl_uint type)
{
	static const cl_int codes[] = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_PROPERTY,
				       CL_SUCCESS};
	struct bench bench = bench_make(1, test.devices);
	const struct handle handle = handle_receive(socket, type);
	cl_int code;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		cl_mem mem = import(bench.context, type, &handle, SIZE_B, &code);
		CHECK_CODE(code, codes[i]);
		if (!mem)
			continue;
		acquire(&bench, mem);
		CHECK(holds(&bench, mem, 107));
		CHECK_OK(add(&bench, mem, 1000));
		release(&bench, mem);
		CHECK_OK(clReleaseMemObject(mem));
	}
	bench_release(&bench);
}

/* CUDA's own allocation, which the other side imports. */
static void second_exports(int socket)
{
	CUipcMemHandle handle;
	CUdeviceptr address = 0;
	cl_uint *out = calloc(COUNT, sizeof(*out));
	CU_OK(ipc.cuMemAlloc_v2(&address, PIECE_B));
	CU_OK(cu.cuMemsetD32_v2(address, 500, COUNT));
	CU_OK(cu.cuCtxSynchronize());
	CU_OK(ipc.cuIpcGetMemHandle(&handle, address));
	CHECK(send(socket, &handle, sizeof(handle), MSG_NOSIGNAL) == sizeof(handle));
	CHECK(turn_wait(socket));
	CU_OK(cu.cuMemcpyDtoH_v2(out, address, SIZE_B));
	CHECK(out[0] == 507 && out[COUNT - 1] == 507);
	CU_OK(ipc.cuMemFree_v2(address));
	free(out);
}

enum { WITH_OPENCL, WITH_CUDA, WITH_FAULTS, EXPORTS };

struct order {
	int what;
	cl_uint type, device;
};

static int second_process(int socket)
{
	struct order order;
	CHECK(recv(socket, &order, sizeof(order), 0) == sizeof(order));
	if (order.what == WITH_OPENCL)
		second_with_opencl(socket, order.type, order.device);
	else if (order.what == WITH_CUDA)
		second_with_cuda(socket, order.type);
	else if (order.what == WITH_FAULTS)
		second_with_faults(socket, order.type);
	else
		second_exports(socket);
	if (order.what != EXPORTS)
		turn_give(socket);
	return api_test_failures ? 1 : 0;
}

/* --- the first process ------------------------------------------------------------------------------ */

static pid_t begin(int what, cl_uint type, cl_uint device, int *socket_out)
{
	const struct order order = {what, type, device};
	const pid_t child = second_start(socket_out);
	CHECK(send(*socket_out, &order, sizeof(order), MSG_NOSIGNAL) == sizeof(order));
	return child;
}

static void handle_send(int socket, cl_mem mem, cl_device_id device, cl_uint type)
{
	unsigned char handle[64];
	size_t size = 0;
	int fd = -1;
	CHECK_OK(handle_of(mem, device, type, 0, NULL, &size));
	CHECK(size == (type == OPAQUE_FD ? sizeof(fd) : sizeof(handle)));
	CHECK_OK(handle_of(mem, device, type, sizeof(handle), handle, NULL));
	if (type != OPAQUE_FD) {
		CHECK(send(socket, handle, sizeof(handle), MSG_NOSIGNAL) == sizeof(handle));
		return;
	}
	memcpy(&fd, handle, sizeof(fd));
	CHECK(fd >= 0);
	fd_send(socket, fd);
	close(fd);
}

static void exported(int what, cl_uint type, cl_uint device_count)
{
	static const cl_uint hundred = 100;
	struct bench bench = bench_make(device_count, test.devices);
	cl_device_id device = test.devices[device_count - 1];
	int socket = -1;
	const pid_t child = begin(what, type, device_count - 1, &socket);
	cl_mem mem = exportable(bench.context, device, type);
	CHECK_OK(clEnqueueFillBuffer(bench.other, mem, &hundred, 4, 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clFinish(bench.other));
	CHECK_OK(add(&bench, mem, 7));
	release(&bench, mem);
	handle_send(socket, mem, device, type);
	CHECK(turn_wait(socket));
	acquire(&bench, mem);
	CHECK(holds(&bench, mem, 1107));
	/* A kernel of the other device, if there is one. */
	CHECK_OK(add(&bench, mem, 1));
	CHECK(holds(&bench, mem, 1108));
	CHECK_OK(clReleaseMemObject(mem));
	bench_release(&bench);
	second_end(child, socket);
}

static void imported_from_cuda(void)
{
	const cl_uint type = CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT;
	struct bench bench = bench_make(1, test.devices);
	int socket = -1;
	cl_int code;
	const pid_t child = begin(EXPORTS, type, 0, &socket);
	const struct handle handle = handle_receive(socket, type);
	cl_mem mem = import(bench.context, type, &handle, SIZE_B, &code);
	CHECK_OK(code);
	/* Opened again: the same memory, and each has to be released. */
	cl_mem again = import(bench.context, type, &handle, SIZE_B, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(again));
	acquire(&bench, mem);
	CHECK(holds(&bench, mem, 500));
	CHECK_OK(add(&bench, mem, 7));
	release(&bench, mem);
	CHECK_OK(clReleaseMemObject(mem));
	turn_give(socket);
	bench_release(&bench);
	second_end(child, socket);
}

/* Released while its work is under way, again and again. */
static void released_early(cl_uint type)
{
	struct bench bench = bench_make(1, test.devices);
	for (int turn = 0; turn < 10; turn++) {
		cl_mem mem = exportable(bench.context, test.device, type);
		bench_add(&bench, bench.queue, mem, COUNT, 1);
		CHECK_OK(ext.release(bench.queue, 1, &mem, 0, NULL, NULL));
		CHECK_OK(clReleaseMemObject(mem));
	}
	CHECK_OK(clFinish(bench.queue));
	bench_release(&bench);
}

/* --- errors and queries -------------------------------------------------------------------------------- */

static cl_int create_code(cl_context context, const cl_mem_properties *list, cl_mem_flags flags,
			  size_t size, void *pointer)
{
	cl_int code = 12345;
	CHECK(!clCreateBufferWithProperties(context, list, flags, size, pointer, &code));
	return code;
}

static void creation_errors(void)
{
	const cl_mem_properties name = CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, fd = OPAQUE_FD;
	const cl_mem_properties cuda = CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT;
	const cl_mem_properties good[] = {name, fd, 0, 0};
	const cl_mem_properties none[] = {name, 0, 0};
	const cl_mem_properties unknown[] = {name, 0x2061, 0, 0};
	const cl_mem_properties both[] = {name, fd, cuda, 0, 0};
	const cl_mem_properties twice[] = {name, fd, 0, name, fd, 0, 0};
	const cl_mem_properties imports[] = {fd, 3, name, fd, 0, 0};
	const cl_mem_properties null[] = {cuda, 0, 0};
	char host[64];
	CHECK_CODE(create_code(test.context, none, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, unknown, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, both, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, twice, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, imports, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, null, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(create_code(test.context, good, CL_MEM_ALLOC_HOST_PTR, SIZE_B, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(create_code(test.context, good, CL_MEM_COPY_HOST_PTR, 64, host), CL_INVALID_VALUE);
	CHECK_CODE(create_code(test.context, good, 0, 64, host), CL_INVALID_HOST_PTR);
	CHECK_CODE(create_code(test.context, good, 0, 0, NULL), CL_INVALID_BUFFER_SIZE);
	if (test.device_count > 1) {
		cl_context two = context_make(2, test.devices);
		/* It has to be said whose memory it is. */
		CHECK_CODE(create_code(two, good, 0, SIZE_B, NULL), CL_INVALID_DEVICE);
		CHECK_OK(clReleaseContext(two));
	}
}

static void handle_errors(void)
{
	const cl_uint type = CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT;
	unsigned char handle[64];
	cl_int code;
	cl_mem mem = exportable(test.context, test.device, type);
	cl_mem plain = clCreateBuffer(test.context, 0, 64, NULL, &code);
	const cl_buffer_region region = {0, 64};
	cl_mem part = sub_buffer_make(mem, 0, &region);
	CHECK_CODE(handle_of(NULL, test.device, type, 64, handle, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(handle_of(mem, NULL, type, 64, handle, NULL), CL_INVALID_DEVICE);
	if (test.device_count > 1)
		CHECK_CODE(handle_of(mem, test.devices[1], type, 64, handle, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(handle_of(mem, test.device, OPAQUE_FD, 64, handle, NULL), CL_INVALID_VALUE);
	CHECK_CODE(handle_of(mem, test.device, type, 63, handle, NULL), CL_INVALID_VALUE);
	CHECK_CODE(handle_of(plain, test.device, type, 64, handle, NULL), CL_INVALID_VALUE);
	CHECK_CODE(handle_of(part, test.device, type, 64, handle, NULL), CL_INVALID_VALUE);
	CHECK_OK(handle_of(mem, test.device, type, 64, handle, NULL));
	/* A process does not import its own. */
	const cl_mem_properties own[] = {type, (cl_mem_properties)(uintptr_t)handle, 0};
	CHECK_CODE(create_code(test.context, own, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	memset(handle, 0, sizeof(handle));
	CHECK_CODE(create_code(test.context, own, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64,
				    .image_height = 4};
	CHECK(!clCreateImageWithProperties(test.context, own, 0, &format, &desc, NULL, &code));
	CHECK_CODE(code, CL_INVALID_PROPERTY);
	CHECK_OK(clReleaseMemObject(part));
	CHECK_OK(clReleaseMemObject(plain));
	CHECK_OK(clReleaseMemObject(mem));
}

/* A descriptor is another each time, of the same memory. */
static void descriptors(void)
{
	cl_mem mem = exportable(test.context, test.device, OPAQUE_FD);
	int one = -1, other = -1;
	CHECK_OK(handle_of(mem, test.device, OPAQUE_FD, sizeof(one), &one, NULL));
	CHECK_OK(handle_of(mem, test.device, OPAQUE_FD, sizeof(other), &other, NULL));
	CHECK(one >= 0 && other >= 0 && one != other);
	CHECK(fcntl(one, F_GETFD) & FD_CLOEXEC);
	struct handle handle = {.fd = one};
	cl_int code;
	cl_mem same = import(test.context, OPAQUE_FD, &handle, SIZE_B, &code);
	CHECK_OK(code);
	struct bench bench = {.context = test.context};
	bench.other = clCreateCommandQueueWithProperties(test.context, test.device, NULL, &code);
	const cl_uint value = 77;
	CHECK_OK(clEnqueueFillBuffer(bench.other, mem, &value, 4, 0, SIZE_B, 0, NULL, NULL));
	release(&bench, mem);
	CHECK_OK(clReleaseMemObject(mem));
	acquire(&bench, same);
	CHECK(holds(&bench, same, 77));
	CHECK_OK(clReleaseMemObject(same));
	CHECK_OK(clReleaseCommandQueue(bench.other));
	close(other);
}

/* false: the device exports nothing. */
static bool queries(void)
{
	cl_uint types[4] = {0};
	size_t size = 0;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_EXTERNAL_MEMORY_EXPORT_HANDLE_TYPES_CULVERT,
				 sizeof(types), types, &size));
	/* Then CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, where it is supported. */
	CHECK(!size || (size >= 2 * sizeof(cl_uint) && types[0] == OPAQUE_FD &&
			types[1] == CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT));
	const cl_mem_properties list[] = {CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, OPAQUE_FD, 0, 0};
	if (!size)
		CHECK_CODE(create_code(test.context, list, 0, SIZE_B, NULL), CL_INVALID_PROPERTY);
	return size;
}

int main(int argc, char **argv)
{
	static const cl_uint types[] = {OPAQUE_FD, CL_EXTERNAL_MEMORY_HANDLE_CUDA_IPC_CULVERT};
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "exported_memory"))
		return API_TEST_SKIP;
	if (!cuda_use() || !entries_find())
		return api_test_skip(&test);
	if (argc > 1) {
		const int status = second_process(atoi(argv[1]));
		CHECK_OK(clReleaseContext(test.context));
		return status;
	}
	if (queries()) {
		for (int i = 0; i < 2; i++) {
			exported(WITH_OPENCL, types[i], 1);
			exported(WITH_CUDA, types[i], 1);
			released_early(types[i]);
		}
		if (test.device_count > 1)
			exported(WITH_OPENCL, OPAQUE_FD, 2);
		if (cuda_is_software) {
			/* This process has read them already. */
			setenv("CULVERT_SOFT_FAULT", "cuIpcOpenMemHandle_v2:1:OUT_OF_MEMORY,"
			       "cuMemGetAddressRange_v2:1:INVALID_VALUE", 1);
			exported(WITH_FAULTS, types[1], 1);
			unsetenv("CULVERT_SOFT_FAULT");
		}
		imported_from_cuda();
		descriptors();
		creation_errors();
		handle_errors();
	}
	return api_test_end(&test);
}
