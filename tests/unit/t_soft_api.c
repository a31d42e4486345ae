/* Protects: softcuda's side of the CUDA driver API: devices and contexts, memory
 * and its accounts, streams and events in their order, what a host thread may
 * rely on, handles. */
#include "config.h"

#include "softcuda/control.h"
#include "tests/unit/soft_setup.h"

#include <pthread.h>
#include <unistd.h>

/* --- devices and contexts --------------------------------------------------------- */

static void devices(void)
{
	int version, count, value, major, minor;
	char name[64], id[32];
	CUuuid uuid[DEVICES];
	/* The newest API on the default machine; others are those of t_soft_release and tests/api/machines.sh. */
	unsetenv("CULVERT_SOFT_DRIVER");
	unsetenv("CULVERT_SOFT_MACHINE");
	REQUIRE(set_up());
	CHECK_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
	CHECK_EQ(version, 13000);
	CHECK_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
	CHECK_EQ(count, DEVICES);
	for (int i = 0; i < DEVICES; i++) {
		CUdevice device, again;
		size_t memory_B;
		CHECK_EQ(cuDeviceGet(&device, i), CUDA_SUCCESS);
		CHECK_EQ(cuDeviceGetName(name, sizeof(name), device), CUDA_SUCCESS);
		CHECK(strstr(name, "softcuda") && strstr(name, "software"));
		CHECK_EQ(cuDeviceGetUuid(&uuid[i], device), CUDA_SUCCESS);
		CHECK_EQ(cuDeviceTotalMem(&memory_B, device), CUDA_SUCCESS);
		CHECK(memory_B >= (size_t)64 << 20);
		CHECK_EQ(cuDeviceGetPCIBusId(id, sizeof(id), device), CUDA_SUCCESS);
		CHECK_EQ(cuDeviceGetByPCIBusId(&again, id), CUDA_SUCCESS);
		CHECK_EQ(again, device);
		for (int a = 1; a < CU_DEVICE_ATTRIBUTE_MAX; a++)
			CHECK_EQ(cuDeviceGetAttribute(&value, (CUdevice_attribute)a, device),
				 CUDA_SUCCESS);
	}
	CHECK(memcmp(&uuid[0], &uuid[1], sizeof(uuid[0])));
	CHECK_EQ(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
		 CUDA_SUCCESS);
	CHECK_EQ(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
		 CUDA_SUCCESS);
	CHECK_EQ(10 * major + minor, 90);
	CHECK_EQ(cuDeviceGetAttribute(&value, (CUdevice_attribute)9999, 0),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuDeviceGetName(name, sizeof(name), DEVICES), CUDA_ERROR_INVALID_DEVICE);
	CHECK_EQ(cuDeviceCanAccessPeer(&value, 0, 1), CUDA_SUCCESS);
	CHECK_EQ(value, 1);
	CHECK_EQ(cuDeviceCanAccessPeer(&value, 0, 0), CUDA_SUCCESS);
	CHECK_EQ(value, 0);
}

static void errors(void)
{
	const char *text;
	CHECK_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
	CHECK_STRING(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
	CHECK_EQ(cuGetErrorString(CUDA_ERROR_NOT_READY, &text), CUDA_SUCCESS);
	CHECK(text && *text);
	CHECK_EQ(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
	CHECK(!text);
}

static void current_contexts(void)
{
	CUcontext first, made, current;
	CUdevice device;
	CUdeviceptr address;
	unsigned flags;
	int active;
	REQUIRE(set_up());
	CHECK_EQ(cuDevicePrimaryCtxRetain(&first, 0), CUDA_SUCCESS);
	CHECK(first == contexts[0]);
	CHECK_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
	CHECK_EQ(active, 1);
	CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
	CHECK_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
	CHECK_EQ(device, 0);

	CHECK_EQ(cuCtxPushCurrent(contexts[1]), CUDA_SUCCESS);
	CHECK_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
	CHECK_EQ(device, 1);
	CHECK_EQ(cuCtxPopCurrent(&current), CUDA_SUCCESS);
	CHECK(current == contexts[1]);

	CHECK_EQ(cuCtxSetCurrent(NULL), CUDA_SUCCESS);
	CHECK_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
	CHECK(!current);
	CHECK_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);

#if CUDA_VERSION >= 13000
	CHECK_EQ(cuCtxCreate(&made, NULL, 0, 1), CUDA_SUCCESS);
#else
	CHECK_EQ(cuCtxCreate(&made, 0, 1), CUDA_SUCCESS);
#endif
	CHECK_EQ(cuMemAlloc(&address, 1 << 20), CUDA_SUCCESS);
	CHECK_EQ(cuCtxPushCurrent(made), CUDA_SUCCESS);
	CHECK_EQ(cuCtxDestroy(made), CUDA_SUCCESS);
	/* The stack still holds it once more. */
	CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_EQ(cuCtxPopCurrent(&current), CUDA_SUCCESS);
	CHECK_EQ(cuCtxSetCurrent(made), CUDA_ERROR_INVALID_CONTEXT);
	CHECK_EQ(cuCtxDestroy(contexts[0]), CUDA_ERROR_INVALID_CONTEXT);
}

/* --- memory ----------------------------------------------------------------------- */

static void accounts(void)
{
	size_t before_B, total_B, now_B, size_B;
	CUdeviceptr small, large, start;
	unsigned char byte = 0;
	REQUIRE(set_up());
	CHECK_EQ(cuMemGetInfo(&before_B, &total_B), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc(&small, 1000), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc(&large, before_B - 4096), CUDA_SUCCESS);
	CHECK_EQ(small % 256, 0);
	CHECK_EQ(large % 256, 0);
	CHECK_EQ(cuMemGetInfo(&now_B, &total_B), CUDA_SUCCESS);
	CHECK_EQ(now_B, 4096 - 1000);
	CHECK_EQ(cuMemAlloc(&start, 4096), CUDA_ERROR_OUT_OF_MEMORY);
	CHECK_EQ(cuMemAlloc(&start, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemGetAddressRange(&start, &size_B, small + 999), CUDA_SUCCESS);
	CHECK_EQ(start, small);
	CHECK_EQ(size_B, 1000);
	CHECK_EQ(cuMemGetAddressRange(&start, &size_B, small + 1000), CUDA_ERROR_NOT_FOUND);
	/* New memory is poisoned. */
	CHECK_EQ(cuMemcpyDtoH(&byte, small + 500, 1), CUDA_SUCCESS);
	CHECK(byte != 0);
	CHECK_EQ(cuMemFree(small + 4), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemFree(small), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(small), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemFree(large), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(0), CUDA_SUCCESS);
	CHECK_EQ(cuMemGetInfo(&now_B, &total_B), CUDA_SUCCESS);
	CHECK_EQ(now_B, before_B);
}

static void pointers(void)
{
	CUdeviceptr device, mapped;
	CUmemorytype type;
	void *pinned;
	unsigned managed;
	int ordinal;
	char mine[256];
	REQUIRE(set_up());
	CHECK_EQ(cuMemAlloc(&device, 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
	CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 8),
		 CUDA_SUCCESS);
	CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
	CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       (CUdeviceptr)(uintptr_t)pinned), CUDA_SUCCESS);
	CHECK_EQ(type, CU_MEMORYTYPE_HOST);
	CHECK_EQ(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device),
		 CUDA_SUCCESS);
	CHECK_EQ(ordinal, 0);
	CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				       (CUdeviceptr)(uintptr_t)mine), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemHostGetDevicePointer(&mapped, pinned, 0), CUDA_SUCCESS);
	CHECK_EQ(cuMemHostRegister(mine, sizeof(mine), 0), CUDA_SUCCESS);
	CHECK_EQ(cuMemHostRegister(mine, sizeof(mine), 0),
		 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	CHECK_EQ(cuMemHostUnregister(mine), CUDA_SUCCESS);
	CHECK_EQ(cuMemHostUnregister(mine), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	CHECK_EQ(cuMemFree(device), CUDA_SUCCESS);
	CHECK_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
	CHECK_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemAllocManaged(&device, 4096, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
	CHECK_EQ(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device),
		 CUDA_SUCCESS);
	CHECK_EQ(managed, 1);
	memset((void *)(uintptr_t)device, 7, 4096);
	CHECK_EQ(cuMemFree(device), CUDA_SUCCESS);
}

static void copies(void)
{
	CUdeviceptr a, b;
	unsigned char in[1024], out[1024];
	REQUIRE(set_up());
	for (int i = 0; i < 1024; i++)
		in[i] = (unsigned char)(i * 7);
	REQUIRE(cuMemAlloc(&a, 1024) == CUDA_SUCCESS && cuMemAlloc(&b, 1024) == CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoD(a, in, 1024), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoD(b, a, 1024), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(out, b, 1024), CUDA_SUCCESS);
	CHECK(!memcmp(in, out, 1024));
	CHECK_EQ(cuMemcpyHtoD(a + 1, in, 1024), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemcpyDtoH(out, 0, 4), CUDA_ERROR_INVALID_VALUE);
	memset(out, 0, sizeof(out));
	CHECK_EQ(cuMemcpy((CUdeviceptr)(uintptr_t)out, a, 1024), CUDA_SUCCESS);
	CHECK(!memcmp(in, out, 1024));

	/* 4 x 3 bytes at (5, 2) of a 32-byte pitch, to (1, 1, 1) of 16 x 4 x n. */
	const CUDA_MEMCPY3D box = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = a, .srcPitch = 32,
		.srcXInBytes = 5, .srcY = 2,
		.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .dstPitch = 16,
		.dstHeight = 4, .dstXInBytes = 1, .dstY = 1, .dstZ = 1,
		.WidthInBytes = 4, .Height = 3, .Depth = 1,
	};
	memset(out, 0, sizeof(out));
	CHECK_EQ(cuMemcpy3D(&box), CUDA_SUCCESS);
	for (int y = 0; y < 3; y++)
		CHECK(!memcmp(out + 64 + (y + 1) * 16 + 1, in + (y + 2) * 32 + 5, 4));
	CHECK_EQ(out[64 + 16], 0);
	CHECK_EQ(out[64 + 16 + 5], 0);
	/* cuMemcpy3D: "dstHeight must be greater than or equal to Height + dstY"; cuMemcpy2D: no pitch
	 * above CU_DEVICE_ATTRIBUTE_MAX_PITCH. */
	CUDA_MEMCPY3D wrong = box;
	wrong.dstHeight = 3;
	CHECK_EQ(cuMemcpy3D(&wrong), CUDA_ERROR_INVALID_VALUE);
	wrong = box;
	wrong.Height = 1;
	wrong.srcY = 0;
	wrong.srcPitch = (size_t)INT32_MAX;
	CHECK_EQ(cuMemcpy3D(&wrong), CUDA_SUCCESS);
	wrong.srcPitch++;
	CHECK_EQ(cuMemcpy3D(&wrong), CUDA_ERROR_INVALID_VALUE);
	const CUDA_MEMCPY2D wide = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = a, .srcPitch = 32,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = b, .dstPitch = 64,
		.WidthInBytes = 32, .Height = 32,
	};
	CHECK_EQ(cuMemcpy2D(&wide), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(out, a, 4), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemFree(b), CUDA_SUCCESS);
}

static void fills(void)
{
	CUdeviceptr a;
	uint32_t out[64];
	unsigned char *bytes = (unsigned char *)out;
	REQUIRE(set_up());
	REQUIRE(cuMemAlloc(&a, sizeof(out)) == CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD32(a, 0x01020304, 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD16(a + 4, 0xbeef, 2), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD2D8(a + 16, 32, 0x55, 3, 2), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(out, a, sizeof(out)), CUDA_SUCCESS);
	CHECK_EQ(out[0], 0x01020304);
	CHECK_EQ(out[1], 0xbeefbeef);
	CHECK_EQ(bytes[16], 0x55);
	CHECK_EQ(bytes[18], 0x55);
	CHECK_EQ(bytes[19], 0x01);
	CHECK_EQ(bytes[48], 0x55);
	CHECK_EQ(cuMemsetD32(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemsetD8(a, 0, 257), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
}

static void pools(void)
{
	CUmemoryPool pool;
	CUdeviceptr a;
	cuuint64_t used_B = 1, threshold_B = UINT64_MAX;
	struct gate gate;
	CUstream stream;
	CUmemPoolProps properties = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
	};
	REQUIRE(set_up());
	REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS);
	CHECK_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold_B),
		 CUDA_SUCCESS);
	CHECK_EQ(cuMemAllocFromPoolAsync(&a, 1 << 20, pool, stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used_B),
		 CUDA_SUCCESS);
	CHECK_EQ(used_B, 1 << 20);
	gate_put(&gate, stream);
	CHECK_EQ(cuMemFreeAsync(a, stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemFreeAsync(a, stream), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used_B),
		 CUDA_SUCCESS);
	CHECK_EQ(used_B, 1 << 20);
	gate_open(&gate);
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used_B),
		 CUDA_SUCCESS);
	CHECK_EQ(used_B, 0);
	CHECK_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
	CHECK_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
}

static void peers(void)
{
	CUdeviceptr here, there;
	uint32_t value = 0;
	REQUIRE(set_up());
	CHECK_EQ(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_SUCCESS);
	CHECK_EQ(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
	CHECK_EQ(cuCtxDisablePeerAccess(contexts[1]), CUDA_SUCCESS);
	CHECK_EQ(cuCtxDisablePeerAccess(contexts[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	CHECK_EQ(cuMemAlloc(&here, 4), CUDA_SUCCESS);
	CHECK_EQ(cuCtxPushCurrent(contexts[1]), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc(&there, 4), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD32(there, 1234, 1), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyPeer(here, contexts[0], there, contexts[1], 4), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(there), CUDA_SUCCESS);
	CHECK_EQ(cuCtxPopCurrent(NULL), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(&value, here, 4), CUDA_SUCCESS);
	CHECK_EQ(value, 1234);
	CHECK_EQ(cuMemFree(here), CUDA_SUCCESS);
}

/* --- order -------------------------------------------------------------------------- */

static void events_order_streams(void)
{
	CUstream first, second;
	CUevent event, never;
	CUdeviceptr a;
	struct gate gate, later;
	unsigned char byte;
	REQUIRE(set_up());
	REQUIRE(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&never, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
	REQUIRE(cuMemAlloc(&a, 16) == CUDA_SUCCESS);
	CHECK_EQ(cuEventQuery(never), CUDA_SUCCESS);
	CHECK_EQ(cuStreamWaitEvent(second, never, 0), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(second), CUDA_SUCCESS);

	gate_put(&gate, first);
	CHECK_EQ(cuMemsetD8Async(a, 1, 16, first), CUDA_SUCCESS);
	CHECK_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
	CHECK_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
	/* The wait names the record as it was: later records do not count. */
	gate_put(&later, first);
	CHECK_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD8Async(a, 2, 8, second), CUDA_SUCCESS);
	CHECK_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	CHECK_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
	sleep_ms(20);
	CHECK_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	CHECK_EQ(cuStreamSynchronize(second), CUDA_SUCCESS);
	CHECK_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	CHECK_EQ(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
	gate_open(&later);
	CHECK_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(&byte, a, 1), CUDA_SUCCESS);
	CHECK_EQ(byte, 2);
	CHECK_EQ(cuMemcpyDtoH(&byte, a + 8, 1), CUDA_SUCCESS);
	CHECK_EQ(byte, 1);
	CHECK_EQ(cuEventDestroy(never), CUDA_SUCCESS);
	CHECK_EQ(cuEventDestroy(event), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(first), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(second), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
}

/* A thread that polls an event rests until it has completed, or a time has passed. */
static void rest_for_event(void)
{
	/* If nothing ends the long rest, the test's time limit does. */
	const uint64_t long_ns = UINT64_C(3600000000000), short_ns = 1000000;
	CUstream stream;
	CUevent event;
	struct gate gate;
	REQUIRE(set_up());
	REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
	CHECK_EQ(culvert_soft_rest(event, long_ns), 1);
	gate_put(&gate, stream);
	CHECK_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
	CHECK_EQ(culvert_soft_rest(event, short_ns), 1);
	CHECK_EQ(culvert_soft_rest(event, 0), 1);
	CHECK_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	unsigned rests = 0;
	while (cuEventQuery(event) == CUDA_ERROR_NOT_READY && rests++ < 1000)
		CHECK_EQ(culvert_soft_rest(event, long_ns), 1);
	CHECK_EQ(cuEventQuery(event), CUDA_SUCCESS);
	CHECK_EQ(cuEventDestroy(event), CUDA_SUCCESS);
	CHECK_EQ(culvert_soft_rest(event, long_ns), 0);
	CHECK_EQ(culvert_soft_rest(NULL, long_ns), 0);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
}

/* Whether Linux was asked for huge pages in the mapping that contains an address: proc(5), /proc/pid/smaps. */
static bool has_huge_pages(CUdeviceptr address)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	bool here = false, huge = false;
	char line[512];
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long long start, end;
		if (sscanf(line, "%llx-%llx", &start, &end) == 2)
			here = address >= start && address < end;
		else if (here && !strncmp(line, "VmFlags:", 8))
			huge = strstr(line, " hg") != NULL;
	}
	if (maps)
		fclose(maps);
	return huge;
}

/* Buffers of 2 MiB and more begin at such an address, so that Linux can give them pages of that size, for which it is
 * asked. */
static void huge_pages(void)
{
	const bool can = !access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK);
	static const size_t sizes_B[] = {(2 << 20) - 1, 2 << 20, (4 << 20) + 1, 9 << 20};
	CUdeviceptr buffers[4];
	REQUIRE(set_up());
	for (unsigned i = 0; i < 4; i++) {
		REQUIRE(cuMemAlloc(&buffers[i], sizes_B[i]) == CUDA_SUCCESS);
		CHECK(sizes_B[i] < 2 << 20 || !(buffers[i] & ((2 << 20) - 1)));
		CHECK_EQ(has_huge_pages(buffers[i]), can && sizes_B[i] >= 2 << 20);
		CHECK_EQ(cuMemsetD8(buffers[i], (unsigned char)i, sizes_B[i]), CUDA_SUCCESS);
	}
	for (unsigned i = 0; i < 4; i++) {
		unsigned char byte[2] = {9, 9};
		CHECK_EQ(cuMemcpyDtoH(&byte[0], buffers[i], 1), CUDA_SUCCESS);
		CHECK_EQ(cuMemcpyDtoH(&byte[1], buffers[i] + sizes_B[i] - 1, 1), CUDA_SUCCESS);
		CHECK_EQ(byte[0], i);
		CHECK_EQ(byte[1], i);
		CHECK_EQ(cuMemFree(buffers[i]), CUDA_SUCCESS);
	}
}

static void default_stream(void)
{
	CUstream blocking, other;
	CUdeviceptr a;
	struct gate gate;
	REQUIRE(set_up());
	REQUIRE(cuStreamCreate(&blocking, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
	REQUIRE(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuMemAlloc(&a, 16) == CUDA_SUCCESS);
	/* The NULL stream waits for a blocking stream ... */
	gate_put(&gate, blocking);
	CHECK_EQ(cuMemsetD8Async(a, 1, 16, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD8Async(a, 1, 16, other), CUDA_SUCCESS);
	CHECK_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	CHECK_EQ(cuStreamSynchronize(NULL), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(blocking), CUDA_SUCCESS);
	/* ... and blocking streams, the thread's own among them, wait for it. */
	gate_put(&gate, CU_STREAM_LEGACY);
	CHECK_EQ(cuMemsetD8Async(a, 1, 16, blocking), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD8Async(a, 1, 16, CU_STREAM_PER_THREAD), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD8Async(a, 1, 16, other), CUDA_SUCCESS);
	CHECK_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
	CHECK_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(blocking), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(other), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
}

/* Pageable bytes are read by the call; pinned ones when their turn comes. */
static void host_bytes(void)
{
	CUstream stream;
	CUdeviceptr a;
	struct gate gate;
	unsigned char pageable[64], *pinned;
	REQUIRE(set_up());
	REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuMemAlloc(&a, 128) == CUDA_SUCCESS);
	REQUIRE(cuMemHostAlloc((void **)&pinned, 64, 0) == CUDA_SUCCESS);
	memset(pageable, 1, 64);
	memset(pinned, 1, 64);
	gate_put(&gate, stream);
	CHECK_EQ(cuMemcpyHtoDAsync(a, pageable, 64, stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoDAsync(a + 64, pinned, 64, stream), CUDA_SUCCESS);
	memset(pageable, 2, 64);
	memset(pinned, 2, 64);
	gate_open(&gate);
	/* To pageable memory: there when the call is over. */
	CHECK_EQ(cuMemcpyDtoHAsync(pageable, a, 64, stream), CUDA_SUCCESS);
	CHECK_EQ(pageable[63], 1);
	CHECK_EQ(cuMemcpyDtoHAsync(pageable, a + 64, 64, stream), CUDA_SUCCESS);
	CHECK_EQ(pageable[63], 2);
	CHECK_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
}

static void times(void)
{
	CUevent start, end, untimed;
	CUstream stream;
	struct gate gate;
	float milliseconds = -1;
	REQUIRE(set_up());
	REQUIRE(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&start, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
	CHECK_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuEventRecord(start, stream), CUDA_SUCCESS);
	gate_put(&gate, stream);
	CHECK_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);
	CHECK_EQ(cuEventRecord(untimed, stream), CUDA_SUCCESS);
	CHECK_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
	sleep_ms(5);
	gate_open(&gate);
	CHECK_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
	CHECK_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
	CHECK(milliseconds >= 4.5f && milliseconds < 60000.0f);
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
	CHECK_EQ(cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuEventDestroy(start), CUDA_SUCCESS);
	CHECK_EQ(cuEventDestroy(end), CUDA_SUCCESS);
	CHECK_EQ(cuEventDestroy(untimed), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
}

static void handles(void)
{
	CUstream stream, again;
	CUevent event;
	CUdeviceptr a;
	struct gate gate;
	unsigned long long id, id_again;
	unsigned char byte;
	REQUIRE(set_up());
	REQUIRE(cuMemAlloc(&a, 16) == CUDA_SUCCESS);
	REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
	CHECK_EQ(cuStreamGetId(stream, &id), CUDA_SUCCESS);
	gate_put(&gate, stream);
	CHECK_EQ(cuMemsetD8Async(a, 9, 16, stream), CUDA_SUCCESS);
	CHECK_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
	/* Work goes on without the handle; the handle is dead at once ... */
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	/* ... and the next one has its value, not its identity. */
	CHECK_EQ(cuStreamCreate(&again, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	CHECK(again == stream);
	CHECK_EQ(cuStreamGetId(again, &id_again), CUDA_SUCCESS);
	CHECK(id != id_again);
	CHECK_EQ(cuStreamQuery(again), CUDA_SUCCESS);
	gate_open(&gate);
	CHECK_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(&byte, a, 1), CUDA_SUCCESS);
	CHECK_EQ(byte, 9);
	CHECK_EQ(cuEventDestroy(event), CUDA_SUCCESS);
	CHECK_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuStreamQuery((CUstream)(uintptr_t)0x1234560), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuEventQuery((CUevent)again), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuStreamDestroy(again), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
}

static CUresult seen;

static void call_driver(void *unused)
{
	(void)unused;
	seen = cuCtxSynchronize();
}

static void host_functions(void)
{
	CUdeviceptr a;
	CUstream stream;
	uint32_t value = 0;
	REQUIRE(set_up());
	REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	CHECK_EQ(cuLaunchHostFunc(stream, call_driver, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
	CHECK_EQ(seen, CUDA_ERROR_NOT_PERMITTED);
	REQUIRE(cuMemAlloc(&a, 16) == CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD32(a, 0, 4), CUDA_SUCCESS);
	CHECK_EQ(cuStreamWaitValue32(stream, a, 5, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
	CHECK_EQ(cuStreamWriteValue32(stream, a + 4, 77, 0), CUDA_SUCCESS);
	CHECK_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	CHECK_EQ(cuStreamWriteValue32(NULL, a, 6, 0), CUDA_SUCCESS);
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoH(&value, a + 4, 4), CUDA_SUCCESS);
	CHECK_EQ(value, 77);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
}

enum { THREADS = 8, ROUNDS = 200 };

static void *hammer(void *data)
{
	CUdeviceptr a = 0;
	CUstream stream;
	CUevent event;
	uint32_t *wrong = data, value;
	if (cuCtxSetCurrent(contexts[0]) != CUDA_SUCCESS ||
	    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
		*wrong = 1;
		return NULL;
	}
	for (uint32_t i = 0; i < ROUNDS; i++) {
		bool good = cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS &&
			    cuMemAllocAsync(&a, 100000, stream) == CUDA_SUCCESS &&
			    cuMemsetD32Async(a, i, 25000, stream) == CUDA_SUCCESS &&
			    cuEventRecord(event, stream) == CUDA_SUCCESS &&
			    cuStreamWaitEvent(CU_STREAM_PER_THREAD, event, 0) == CUDA_SUCCESS &&
			    cuMemcpyDtoHAsync(&value, a + 99996, 4, CU_STREAM_PER_THREAD) ==
				    CUDA_SUCCESS &&
			    cuMemFreeAsync(a, stream) == CUDA_SUCCESS &&
			    cuEventDestroy(event) == CUDA_SUCCESS;
		if (!good || value != i)
			++*wrong;
	}
	if (cuStreamDestroy(stream) != CUDA_SUCCESS)
		++*wrong;
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	uint32_t wrong[THREADS] = {0};
	REQUIRE(set_up());
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, hammer, &wrong[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK_EQ(wrong[i], 0);
	}
	CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_MAIN(TEST(devices), TEST(errors), TEST(current_contexts), TEST(accounts), TEST(pointers),
	  TEST(copies), TEST(fills), TEST(pools), TEST(peers), TEST(events_order_streams),
	  TEST(rest_for_event), TEST(huge_pages),
	  TEST(default_stream), TEST(host_bytes), TEST(times), TEST(handles),
	  TEST(host_functions), TEST(threads))
