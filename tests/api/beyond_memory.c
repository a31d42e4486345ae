/* Protects: buffers, SVM and USM that together exceed a device's memory: they are allocated, kernels, copies and maps
 * find their bytes, and the driver is told which part belongs where; what an advice and a migration say is what the
 * driver hears; without the means, or without CULVERT_OVERSUBSCRIBE=1, such allocations are refused, and SVM is pinned.
 *
 * On a GPU it runs only if CULVERT_OVERSUBSCRIBE is set, because the feature is experimental there, and it needs a
 * machine with at least as much memory as 0.8 times that of the GPU. */
#include "config.h"

#include "tests/api/cuda_library.h"
#include "tests/api/fixture.h"
#include "tests/api/soft_fault.h"

#include "icd/include/cl_culvert.h"

#include <CL/cl_ext.h>
#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
	"kernel void fill(global ulong8 *p, ulong k) { p[get_global_id(0)] = k + get_global_id(0) * 7; }\n"
	"kernel void differ(global const ulong8 *p, ulong k, global uint *bad) {\n"
	"	if (any(p[get_global_id(0)] != (ulong8)(k + get_global_id(0) * 7))) atomic_inc(bad);\n"
	"}\n";

/* Three of them are 1.2 times the device's memory. */
enum { PIECES = 3, ITEM_B = 64, LOOK_B = 4096 };

static struct api_test test;
static cl_command_queue queue;
static cl_kernel fill, differ;
static cl_mem bad;
static size_t piece_B;
static bool is_software;

#define CALLS(CALL)                                                                                                \
	CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                    \
	CALL(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                             \
	CALL(cuCtxPushCurrent_v2, (CUcontext))                                                                     \
	CALL(cuCtxPopCurrent_v2, (CUcontext *))                                                                    \
	CALL(cuMemGetInfo_v2, (size_t *, size_t *))                                                                \
	CALL(cuMemRangeGetAttribute, (void *, size_t, CUmem_range_attribute, CUdeviceptr, size_t))
#define DECLARE(name, parameters) static CUresult(*name##_) parameters;
CALLS(DECLARE)
#undef DECLARE
static uint64_t (*migrated)(void);

#define FUNCTIONS(F)                                                                                               \
	F(clSharedMemAllocINTEL) F(clMemFreeINTEL) F(clEnqueueMigrateMemINTEL) F(clEnqueueMemAdviseINTEL)
#include "tests/api/extension_functions.h"

static bool calls_find(void)
{
	void *library = cuda_library(&is_software);
#define FIND(name, parameters)                                                                                     \
	*(void **)&name##_ = library ? dlsym(library, #name) : NULL;                                               \
	if (!name##_)                                                                                              \
		return false;
	CALLS(FIND)
#undef FIND
	if (!functions_find(test.platform))
		return false;
	*(void **)&migrated = is_software ? dlsym(library, "culvert_soft_migrated") : NULL;
	return !is_software || migrated;
}

/* What the driver has been told about the whole range. */
static int told(const void *pointer, size_t size_B, CUmem_range_attribute attribute)
{
	CUcontext context;
	int32_t answer = -77;
	CHECK(cuDevicePrimaryCtxRetain_(&context, 0) == CUDA_SUCCESS);
	CHECK(cuCtxPushCurrent_v2_(context) == CUDA_SUCCESS);
	CHECK(cuMemRangeGetAttribute_(&answer, sizeof(answer), attribute, (uintptr_t)pointer, size_B) == CUDA_SUCCESS);
	CHECK(cuCtxPopCurrent_v2_(&context) == CUDA_SUCCESS);
	CHECK(cuDevicePrimaryCtxRelease_v2_(0) == CUDA_SUCCESS);
	return answer;
}

/* What the driver reports as free on the first device. */
static size_t driver_free_B(void)
{
	CUcontext context;
	size_t left_B = 0, all_B = 0;
	CHECK(cuDevicePrimaryCtxRetain_(&context, 0) == CUDA_SUCCESS);
	CHECK(cuCtxPushCurrent_v2_(context) == CUDA_SUCCESS);
	CHECK(cuMemGetInfo_v2_(&left_B, &all_B) == CUDA_SUCCESS);
	CHECK(cuCtxPopCurrent_v2_(&context) == CUDA_SUCCESS);
	CHECK(cuDevicePrimaryCtxRelease_v2_(0) == CUDA_SUCCESS);
	return left_B;
}

#define PREFERRED(pointer, size_B) told(pointer, size_B, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION)
#define ACCESSED_BY(pointer, size_B) told(pointer, size_B, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
#define READ_MOSTLY(pointer, size_B) told(pointer, size_B, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY)
#define PREFETCHED(pointer, size_B) told(pointer, size_B, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)
enum { AT_DEVICE = 0, AT_HOST = CU_DEVICE_CPU, NOWHERE = CU_DEVICE_INVALID };

/* --- kernels on a piece --------------------------------------------------------------------- */

static cl_ulong number_of(size_t offset_B, cl_ulong k)
{
	return k + offset_B / ITEM_B * 7;
}

static void argument(cl_kernel kernel, cl_mem mem, void *pointer, cl_ulong k)
{
	if (mem)
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	else
		CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, pointer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
}

static void piece_fill(cl_mem mem, void *pointer, cl_ulong k)
{
	argument(fill, mem, pointer, k);
	launch_1d(queue, fill, piece_B / ITEM_B);
}

/* How many items do not have what piece_fill wrote. */
static cl_uint piece_differs(cl_mem mem, void *pointer, cl_ulong k)
{
	cl_uint none = 0, count = 77;
	argument(differ, mem, pointer, k);
	CHECK_OK(clSetKernelArg(differ, 2, sizeof(bad), &bad));
	CHECK_OK(clEnqueueWriteBuffer(queue, bad, CL_TRUE, 0, sizeof(none), &none, 0, NULL, NULL));
	launch_1d(queue, differ, piece_B / ITEM_B);
	CHECK_OK(clEnqueueReadBuffer(queue, bad, CL_TRUE, 0, sizeof(count), &count, 0, NULL, NULL));
	return count;
}

static void look(const void *bytes, size_t offset_B, cl_ulong k)
{
	const cl_ulong *numbers = bytes;
	CHECK(numbers[0] == number_of(offset_B, k) && numbers[7] == number_of(offset_B, k));
	CHECK(numbers[LOOK_B / 8 - 1] == number_of(offset_B + LOOK_B - ITEM_B, k));
}

static void objects_make(void)
{
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	fill = kernel_make(program, "fill");
	differ = kernel_make(program, "differ");
	bad = buffer_make(test.context, CL_MEM_READ_WRITE, 64, NULL);
	CHECK_OK(clReleaseProgram(program));
}

static void objects_drop(void)
{
	CHECK_OK(clReleaseMemObject(bad));
	CHECK_OK(clReleaseKernel(fill));
	CHECK_OK(clReleaseKernel(differ));
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void buffer_look(cl_mem mem, cl_ulong k)
{
	const size_t places[] = {0, piece_B / 2 / LOOK_B * LOOK_B, piece_B - LOOK_B};
	char bytes[LOOK_B];
	cl_int code;
	for (int i = 0; i < 3; i++) {
		CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, places[i], LOOK_B, bytes, 0, NULL, NULL));
		look(bytes, places[i], k);
	}
	cl_ulong *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, places[2], LOOK_B, 0,
					      NULL, NULL, &code);
	CHECK_OK(code);
	if (!mapped)
		return;
	look(mapped, places[2], k);
	mapped[3]++;
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	CHECK(piece_differs(mem, NULL, k) == 1);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &(cl_ulong){number_of(places[2], k)}, 8, places[2], ITEM_B, 0, NULL,
				     NULL));
	CHECK(!piece_differs(mem, NULL, k));
}

/* moves: the migration to the host has an effect. */
static void buffers(bool moves)
{
	cl_mem mems[PIECES];
	for (int i = 0; i < PIECES; i++) {
		mems[i] = buffer_make(test.context, CL_MEM_READ_WRITE, piece_B, NULL);
		if (!mems[i])
			return;
		piece_fill(mems[i], NULL, 1000 + i);
	}
	for (int i = 0; i < PIECES; i++) {
		CHECK(!piece_differs(mems[i], NULL, 1000 + i));
		buffer_look(mems[i], 1000 + i);
	}
	/* To the host and back: the bytes stay the same. */
	const uint64_t before_B = is_software ? migrated() : 0;
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &mems[2], CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(!is_software || (migrated() > before_B) == moves);
	CHECK_OK(clEnqueueMigrateMemObjects(queue, PIECES, mems, 0, 0, NULL, NULL));
	CHECK(!piece_differs(mems[2], NULL, 1002));
	for (int i = 0; i < PIECES; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	CHECK_OK(clFinish(queue));
}

/* Initial bytes, of which a part is beyond the device's memory.  The host needs as many for itself. */
static void initial_bytes(void)
{
	cl_mem first = buffer_make(test.context, CL_MEM_READ_WRITE, piece_B, NULL);
	cl_mem second = buffer_make(test.context, CL_MEM_READ_WRITE, piece_B, NULL);
	cl_ulong *bytes = malloc(piece_B);
	for (size_t i = 0; bytes && i < piece_B / 8; i++)
		bytes[i] = number_of(i * 8, 5);
	if (bytes) {
		cl_mem mem = buffer_make(test.context, CL_MEM_COPY_HOST_PTR, piece_B, bytes);
		CHECK(!piece_differs(mem, NULL, 5));
		CHECK_OK(clReleaseMemObject(mem));
	}
	free(bytes);
	CHECK_OK(clReleaseMemObject(first));
	CHECK_OK(clReleaseMemObject(second));
	CHECK_OK(clFinish(queue));
}

/* --- memory at one address ---------------------------------------------------------------------- */

/* The last piece has a part that belongs to the device, and one that is accessed where it is. */
static void parts_of(const char *pointer)
{
	CHECK(PREFERRED(pointer + piece_B - LOOK_B, LOOK_B) == AT_HOST);
	CHECK(ACCESSED_BY(pointer + piece_B - LOOK_B, LOOK_B) == AT_DEVICE);
	CHECK(PREFERRED(pointer, LOOK_B) == AT_DEVICE && ACCESSED_BY(pointer, LOOK_B) == NOWHERE);
}

static void coarse(void)
{
	char *pointers[PIECES] = {0};
	for (int i = 0; i < PIECES; i++) {
		pointers[i] = clSVMAlloc(test.context, CL_MEM_READ_WRITE, piece_B, 0);
		CHECK(pointers[i]);
		if (!pointers[i])
			return;
		piece_fill(NULL, pointers[i], 2000 + i);
		CHECK_OK(clFinish(queue));
	}
	parts_of(pointers[2]);
	/* Its pages and their page tables are made when it is allocated, as long as there is room for them. */
	CHECK(PREFETCHED(pointers[2] + piece_B - LOOK_B, LOOK_B) == AT_HOST);
	CHECK(PREFERRED(pointers[0], piece_B) == NOWHERE);
	for (int i = 0; i < PIECES; i++) {
		char *end = pointers[i] + piece_B - LOOK_B;
		CHECK(!piece_differs(NULL, pointers[i], 2000 + i));
		CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, end, LOOK_B, 0, NULL, NULL));
		look(end, piece_B - LOOK_B, 2000 + i);
		CHECK_OK(clEnqueueSVMUnmap(queue, end, 0, NULL, NULL));
	}
	for (int i = 0; i < PIECES; i++)
		clSVMFree(test.context, pointers[i]);
	CHECK_OK(clFinish(queue));
}

static void shared(void)
{
	char *pointers[PIECES] = {0};
	cl_int code;
	for (int i = 0; i < PIECES; i++) {
		pointers[i] = clSharedMemAllocINTEL_(test.context, test.device, NULL, piece_B, 0, &code);
		CHECK_OK(code);
		if (!pointers[i])
			return;
		CHECK_OK(clEnqueueMigrateMemINTEL_(queue, pointers[i], i < 2 ? piece_B : LOOK_B, 0, 0, NULL, NULL));
		piece_fill(NULL, pointers[i], 3000 + i);
		CHECK_OK(clFinish(queue));
	}
	parts_of(pointers[2]);
	for (int i = 0; i < PIECES; i++) {
		look(pointers[i] + piece_B - LOOK_B, piece_B - LOOK_B, 3000 + i);
		CHECK(!piece_differs(NULL, pointers[i], 3000 + i));
	}
	/* Withdrawn advice leaves the parts where they belong. */
	CHECK_OK(clEnqueueMemAdviseINTEL_(queue, pointers[2], piece_B, CL_MEM_ADVICE_SET_PREFERRED_HOST_CULVERT, 0,
					  NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFERRED(pointers[2], piece_B) == AT_HOST);
	CHECK_OK(clEnqueueMemAdviseINTEL_(queue, pointers[2], piece_B, 0, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	parts_of(pointers[2]);
	for (int i = 0; i < PIECES; i++)
		CHECK_OK(clMemFreeINTEL_(test.context, pointers[i]));
	CHECK_OK(clFinish(queue));
}

/* --- advice and migration ------------------------------------------------------------------------ */

/* What the driver has been told when it was given the advice. */
static void advise(char *pointer, cl_uint advice, CUmem_range_attribute attribute, int expected)
{
	const size_t half_B = 1 << 20;
	CHECK_OK(clEnqueueMemAdviseINTEL_(queue, pointer + half_B, half_B, advice, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(told(pointer + half_B, half_B, attribute) == expected);
	CHECK(READ_MOSTLY(pointer, half_B) == 0 && PREFERRED(pointer, half_B) == NOWHERE);
	CHECK(ACCESSED_BY(pointer, half_B) == NOWHERE);
}

static void advices(void)
{
	static const struct {
		cl_uint set, clear;
		CUmem_range_attribute attribute;
		int when_set, when_clear;
	} rows[] = {
		{CL_MEM_ADVICE_SET_READ_MOSTLY_CULVERT, CL_MEM_ADVICE_CLEAR_READ_MOSTLY_CULVERT,
		 CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 1, 0},
		{CL_MEM_ADVICE_SET_PREFERRED_DEVICE_CULVERT, CL_MEM_ADVICE_CLEAR_PREFERRED_LOCATION_CULVERT,
		 CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, AT_DEVICE, NOWHERE},
		{CL_MEM_ADVICE_SET_PREFERRED_HOST_CULVERT, CL_MEM_ADVICE_CLEAR_PREFERRED_LOCATION_CULVERT,
		 CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, AT_HOST, NOWHERE},
		{CL_MEM_ADVICE_SET_ACCESSED_BY_DEVICE_CULVERT, CL_MEM_ADVICE_CLEAR_ACCESSED_BY_DEVICE_CULVERT,
		 CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, AT_DEVICE, NOWHERE},
		{CL_MEM_ADVICE_SET_ACCESSED_BY_HOST_CULVERT, CL_MEM_ADVICE_CLEAR_ACCESSED_BY_HOST_CULVERT,
		 CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, AT_HOST, NOWHERE},
	};
	cl_int code, host[64];
	char *pointer = clSharedMemAllocINTEL_(test.context, test.device, NULL, 2 << 20, 0, &code);
	CHECK_OK(code);
	if (!pointer)
		return;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		advise(pointer, rows[i].set, rows[i].attribute, rows[i].when_set);
		advise(pointer, rows[i].clear, rows[i].attribute, rows[i].when_clear);
		advise(pointer, rows[i].set, rows[i].attribute, rows[i].when_set);
		advise(pointer, 0, rows[i].attribute, rows[i].when_clear);
	}
	CHECK_CODE(clEnqueueMemAdviseINTEL_(queue, pointer, 64, CL_MEM_ADVICE_CLEAR_ACCESSED_BY_HOST_CULVERT + 1, 0,
					    NULL, NULL), CL_INVALID_VALUE);
	/* Other memory is left as it is. */
	CHECK_OK(clEnqueueMemAdviseINTEL_(queue, host, sizeof(host), CL_MEM_ADVICE_SET_READ_MOSTLY_CULVERT, 0, NULL,
					  NULL));
	CHECK_OK(clEnqueueMigrateMemINTEL_(queue, pointer + (1 << 20), 1 << 20, 0, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFETCHED(pointer + (1 << 20), 1 << 20) == AT_DEVICE && PREFETCHED(pointer, 1 << 20) == NOWHERE);
	CHECK_OK(clEnqueueMigrateMemINTEL_(queue, pointer, 2 << 20, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFETCHED(pointer, 2 << 20) == AT_HOST);
	CHECK_OK(clMemFreeINTEL_(test.context, pointer));
}

/* A buffer over SVM is managed memory, too. */
static void migrations(void)
{
	const size_t size_B = 4 << 20;
	char *pointer = clSVMAlloc(test.context, CL_MEM_READ_WRITE, size_B, 0);
	const void *list[] = {pointer};
	CHECK(pointer);
	if (!pointer)
		return;
	cl_mem mem = buffer_make(test.context, CL_MEM_USE_HOST_PTR, size_B, pointer);
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &mem, 0, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFETCHED(pointer, size_B) == AT_DEVICE);
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFETCHED(pointer, size_B) == AT_HOST);
	CHECK_OK(clEnqueueSVMMigrateMem(queue, 1, list, NULL, 0, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFETCHED(pointer, size_B) == AT_DEVICE);
	CHECK_OK(clEnqueueSVMMigrateMem(queue, 1, list, &(size_t){size_B / 2}, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL,
					NULL));
	CHECK_OK(clFinish(queue));
	CHECK(PREFETCHED(pointer, size_B / 2) == AT_HOST && PREFETCHED(pointer, size_B) == NOWHERE);
	CHECK_OK(clReleaseMemObject(mem));
	clSVMFree(test.context, pointer);
}

/* In a context of two devices, memory is allocated by the first command that needs it there, and buffers are not
 * migrated to the host. */
static void several(void)
{
	cl_device_id devices[2];
	const struct api_test one = test;
	const cl_command_queue first = queue;
	if (clGetDeviceIDs(test.platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL) || !devices[1])
		return;
	objects_drop();
	test.context = context_make(2, devices);
	queue = queue_make(test.context, devices[0], 0);
	objects_make();
	buffers(false);
	objects_drop();
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(test.context));
	test = one;
	queue = first;
	objects_make();
}

/* --- what cannot be had --------------------------------------------------------------------------- */

/* Two pieces fit; the third is refused. */
static void refused(bool shares)
{
	cl_mem mems[PIECES];
	cl_int code;
	for (int i = 0; i < 2; i++)
		mems[i] = buffer_make(test.context, CL_MEM_READ_WRITE, piece_B, NULL);
	const size_t before_B = driver_free_B();
	CHECK_NO_OBJECT(clCreateBuffer(test.context, CL_MEM_READ_WRITE, piece_B, NULL, &code), code,
			CL_MEM_OBJECT_ALLOCATION_FAILURE);
	/* The memory pool does not keep what the failed allocation had gathered. */
	CHECK(driver_free_B() >= before_B);
	if (shares)
		CHECK_NO_OBJECT(clSharedMemAllocINTEL_(test.context, test.device, NULL, piece_B, 0, &code), code,
				CL_OUT_OF_RESOURCES);
	/* With the memory of the others, it is there again. */
	CHECK_OK(clReleaseMemObject(mems[1]));
	CHECK_OK(clFinish(queue));
	mems[2] = buffer_make(test.context, CL_MEM_READ_WRITE, piece_B, NULL);
	piece_fill(mems[2], NULL, 9);
	CHECK(!piece_differs(mems[2], NULL, 9));
	CHECK_OK(clReleaseMemObject(mems[0]));
	CHECK_OK(clReleaseMemObject(mems[2]));
	CHECK_OK(clFinish(queue));
}

/* While there is managed memory, buffers leave room for its page tables: 8 bytes for each page of 4 KiB at least.
 * Without that room, a kernel that accesses the memory loses the device. */
static void tables_room(void)
{
	enum { MOST = 64, BLOCK_B = 4 << 20 };
	cl_mem mems[MOST];
	cl_uint count = 0;
	cl_int code = CL_SUCCESS;
	const size_t managed_B = 8 << 20;
	char *pointer = clSVMAlloc(test.context, CL_MEM_READ_WRITE, managed_B, 0);
	CHECK(pointer);
	for (size_t size_B = BLOCK_B; size_B >= 4096; size_B /= 4)
		while (count < MOST && (mems[count] = clCreateBuffer(test.context, 0, size_B, NULL, &code)))
			count++;
	CHECK(count && count < MOST);
	CHECK_CODE(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
	CHECK(driver_free_B() >= managed_B / 4096 * 8);
	while (count)
		CHECK_OK(clReleaseMemObject(mems[--count]));
	clSVMFree(test.context, pointer);
	CHECK_OK(clFinish(queue));
}

/* SVM is pinned memory then. */
static void pinned_instead(void)
{
	cl_mem mems[2];
	for (int i = 0; i < 2; i++)
		mems[i] = buffer_make(test.context, CL_MEM_READ_WRITE, piece_B, NULL);
	void *pointer = clSVMAlloc(test.context, CL_MEM_READ_WRITE, piece_B, 0);
	CHECK(pointer);
	if (pointer) {
		piece_fill(NULL, pointer, 8);
		CHECK(!piece_differs(NULL, pointer, 8));
		clSVMFree(test.context, pointer);
	}
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
	CHECK_OK(clFinish(queue));
}

/* Memory that kernels have used is not counted as still to come, also by a driver that prefetches nothing, as that of
 * CUDA 12.0: what it reports as free decides.  On the software device kernels move no pages, so that all of it stays
 * free. */
static void used_in_turn(void)
{
	char *pointers[PIECES] = {0};
	if (!CHECK(calls_find()))
		return;
	for (int i = 0; i < PIECES; i++) {
		pointers[i] = clSVMAlloc(test.context, CL_MEM_READ_WRITE, piece_B, 0);
		if (!CHECK(pointers[i]))
			return;
		/* It is managed memory, not pinned. */
		CHECK(PREFERRED(pointers[i], piece_B) == NOWHERE);
		piece_fill(NULL, pointers[i], 11 + i);
		CHECK_OK(clFinish(queue));
	}
	for (int i = 0; i < PIECES; i++) {
		CHECK(!piece_differs(NULL, pointers[i], 11 + i));
		clSVMFree(test.context, pointers[i]);
	}
	CHECK_OK(clFinish(queue));
}

/* The driver refuses what it needs for more than fits; all is freed, and the next allocation works. */
static void faults(void)
{
	static const char *const rules[] = {
		"cuMemAllocManaged:1:OUT_OF_MEMORY", "cuMemAdvise_v2:1:INVALID_VALUE",
		"cuMemAdvise_v2:2:INVALID_VALUE", "cuMemAdvise_v2:3:INVALID_VALUE",
	};
	struct soft_fault fault;
	if (!soft_fault_find(&fault))
		return;
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		CHECK(!fault.set(rules[i]));
		refused(false);
		CHECK(fault.fired() == 1);
	}
	CHECK(!fault.set("cuMemPrefetchAsync_v2:*:INVALID_DEVICE"));
	buffers(false);
	CHECK(fault.fired() > 0);
	CHECK(!fault.set(""));
	buffers(true);
}

/* --- */

static bool start(void)
{
	cl_ulong all_B = 0, most_B = 0;
	if (!api_test_start(&test, "beyond memory"))
		return false;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(all_B), &all_B, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B), &most_B, NULL));
	piece_B = (size_t)(all_B / 10 * 4) >> 21 << 21;
	CHECK(piece_B < most_B);
	queue = queue_make(test.context, test.device, 0);
	objects_make();
	return true;
}

static int end(void)
{
	objects_drop();
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}

/* In a process of its own, before this one has loaded a driver. */
static int with(const char *variable, const char *value, bool shares)
{
	int status = 0;
	const pid_t child = fork();
	if (!child) {
		setenv(variable, value, 1);
		if (!start() || !calls_find())
			_exit(API_TEST_SKIP);
		if (!strcmp(variable, "CULVERT_SOFT_DEVICES")) {
			several();
		} else {
			if (!strcmp(variable, "CULVERT_SOFT_DRIVER"))
				used_in_turn();
			refused(shares);
			if (shares && !strcmp(variable, "CULVERT_OVERSUBSCRIBE"))
				tables_room();
			pinned_instead();
		}
		_exit(end());
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (status)
		printf("with %s=%s: status %#x\n", variable, value, (unsigned)status);
	return status;
}

int main(void)
{
	const char *cuda = getenv("CULVERT_CUDA");
	setenv("CULVERT_SOFT_MEMORY", "64M", 1);
	if (cuda && !strcmp(cuda, "soft")) {
		/* Each kind of machine and driver has its own expectations, below. */
		unsetenv("CULVERT_SOFT_MACHINE");
		unsetenv("CULVERT_SOFT_DRIVER");
		setenv("CULVERT_OVERSUBSCRIBE", "1", 1);
		CHECK(!with("CULVERT_OVERSUBSCRIBE", "0", true));
		CHECK(!with("CULVERT_SOFT_DRIVER", "12.0", true));
		CHECK(!with("CULVERT_SOFT_MACHINE", "wsl", false));
		CHECK(!with("CULVERT_SOFT_DEVICES", "2", true));
	}
	if (!getenv("CULVERT_OVERSUBSCRIBE")) {
		printf("CULVERT_OVERSUBSCRIBE is not set\n");
		return api_test_failures ? 1 : API_TEST_SKIP;
	}
	if (!start())
		return api_test_failures ? 1 : API_TEST_SKIP;
	const bool room = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2 > piece_B;
	if (!calls_find() || !room) {
		printf("no managed memory, or the host has no room\n");
		return end() ? 1 : API_TEST_SKIP;
	}
	advices();
	migrations();
	buffers(true);
	if (is_software)
		initial_bytes();
	coarse();
	shared();
	faults();
	return end();
}
