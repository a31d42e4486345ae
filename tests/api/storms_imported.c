/* Objects of what comes from elsewhere, in a storm: memory that CUDA shares, as buffers and as images,
 * buffers of CUDA's pointers, semaphores of another API; and unified shared memory, whose pointers are
 * the objects.  As many destructor callbacks come as objects went, and the memory that they were
 * made of is as good afterwards as it was before. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/cuda_shared.h"
#include "tests/api/fifo.h"
#include "tests/api/semaphore_calls.h"
#include "tests/api/storm.h"

#include <CL/cl_ext.h>
#include <stdint.h>

enum { SIZE_B = 1 << 16, WORDS = SIZE_B / (int)sizeof(cl_uint) };
enum { MEMORY_FD = 0x2060, SEMAPHORE_FD = 0x2055, DEVICE_LIST = 0x2051, DEVICE_HANDLES = 0x2053 };

static const cl_uint one = 1;

static struct api_test test;
static cl_command_queue queue;
static struct cuda_shared shared;
static int shared_fd;                    /* of it, for copies */
static clRetainSemaphoreKHR_fn semaphore_retain;
static clCreateBufferFromCudaPointerCULVERT_fn pointer_buffer;
static clEnqueueCudaWorkCULVERT_fn cuda_work;
static clDeviceMemAllocINTEL_fn device_alloc;
static clSharedMemAllocINTEL_fn shared_alloc;
static clMemBlockingFreeINTEL_fn blocking_free;
static clEnqueueMemFillINTEL_fn usm_fill;

/* --- making: the descriptor goes over to the object ---------------------------------------------- */

static void *imported_make(void)
{
	const cl_mem_properties list[] = {
		MEMORY_FD, (cl_mem_properties)fcntl(shared_fd, F_DUPFD_CLOEXEC, 0), DEVICE_LIST,
		(cl_mem_properties)(uintptr_t)test.device, 0, 0,
	};
	return storm_watched(clCreateBufferWithProperties(test.context, list, CL_MEM_READ_WRITE,
							  SIZE_B, NULL, NULL));
}

static void *imported_image_make(void)
{
	const cl_mem_properties list[] = {
		MEMORY_FD, (cl_mem_properties)fcntl(shared_fd, F_DUPFD_CLOEXEC, 0), DEVICE_LIST,
		(cl_mem_properties)(uintptr_t)test.device, 0, 0,
	};
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64,
	};
	return storm_watched(clCreateImageWithProperties(test.context, list, CL_MEM_READ_WRITE,
							 &format, &desc, NULL, NULL));
}

static void *pointer_make(void)
{
	return storm_watched(pointer_buffer(test.context, test.device, CL_MEM_READ_WRITE, SIZE_B,
					    shared.address, NULL));
}

static void *foreign_semaphore_make(void)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, SEMAPHORE_FD,
		(cl_semaphore_properties_khr)fifo_open(), DEVICE_HANDLES,
		(cl_semaphore_properties_khr)(uintptr_t)test.device, 0, 0,
	};
	return ext.create(test.context, list, NULL);
}

/* --- asking ---------------------------------------------------------------------------------- */

static bool imported_ask(void *object)
{
	cl_mem mem = object;
	return !ext.acquire(queue, 1, &mem, 0, NULL, NULL) &&
	       !clEnqueueFillBuffer(queue, mem, &one, sizeof(one), 0, SIZE_B, 0, NULL, NULL) &&
	       !ext.give(queue, 1, &mem, 0, NULL, NULL);
}

static bool imported_image_ask(void *object)
{
	static const size_t origin[3] = {0, 0, 0}, region[3] = {64, 64, 1};
	static const cl_uint color[4] = {1, 0, 0, 0};
	cl_mem mem = object;
	return !ext.acquire(queue, 1, &mem, 0, NULL, NULL) &&
	       !clEnqueueFillImage(queue, mem, color, origin, region, 0, NULL, NULL) &&
	       !ext.give(queue, 1, &mem, 0, NULL, NULL);
}

static void CL_CALLBACK nothing(void *stream, const cl_ulong *pointers, void *user)
{
	(void)stream;
	(void)user;
	CHECK(pointers[0] == shared.address);
}

static bool pointer_ask(void *object)
{
	cl_mem mem = object;
	return !cuda_work(queue, nothing, NULL, 1, &mem, NULL, 0, NULL, NULL) &&
	       !clEnqueueFillBuffer(queue, mem, &one, sizeof(one), 0, SIZE_B, 0, NULL, NULL);
}

static bool semaphore_ask(void *object)
{
	cl_semaphore_khr semaphore = object;
	return !ext.signal(queue, 1, &semaphore, NULL, 0, NULL, NULL) &&
	       !ext.wait(queue, 1, &semaphore, NULL, 0, NULL, NULL);
}

/* --- the storm -------------------------------------------------------------------------------- */

STORM_COUNTING(mem, cl_mem, clRetainMemObject, clReleaseMemObject)
STORM_COUNTING(semaphore_of, cl_semaphore_khr, semaphore_retain, ext.release)

/* The last is there where another API's semaphores can be made. */
static struct storm_kind kinds[] = {
	{"imported memory", imported_make, imported_ask, mem_retain, mem_release, NULL},
	{"image of imported memory", imported_image_make, imported_image_ask, mem_retain,
	 mem_release, NULL},
	{"buffer of CUDA's pointer", pointer_make, pointer_ask, mem_retain, mem_release, NULL},
	{"another API's semaphore", foreign_semaphore_make, semaphore_ask, semaphore_of_retain,
	 semaphore_of_release, NULL},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), MEM_KINDS = 3 };

/* Of two kinds, the one freed after what uses it. */
static bool usm_round(void)
{
	cl_int code;
	void *device = device_alloc(test.context, test.device, NULL, SIZE_B, 0, &code);
	void *either = shared_alloc(test.context, test.device, NULL, SIZE_B, 0, &code);
	return device && either &&
	       !usm_fill(queue, device, &one, sizeof(one), SIZE_B, 0, NULL, NULL) &&
	       !usm_fill(queue, either, &one, sizeof(one), SIZE_B, 0, NULL, NULL) &&
	       !blocking_free(test.context, device) && !blocking_free(test.context, either);
}

/* Nobody took it along. */
static void check_shared(void)
{
	cl_uint words[WORDS];
	bool good = true;
	CU_OK(cu.cuMemcpyDtoH_v2(words, shared.address, SIZE_B));
	for (unsigned i = 0; i < WORDS; i++)
		good = good && words[i] == 1;
	CHECK(good);
	storm_check_counts(test.context, queue);
}

#define FIND(variable, name)                                                                      \
	(*(void **)&(variable) = clGetExtensionFunctionAddressForPlatform(test.platform, name))

static bool functions_find(void)
{
	return CHECK(entry_find(test.platform)) &&
	       CHECK(FIND(semaphore_retain, "clRetainSemaphoreKHR")) &&
	       CHECK(FIND(pointer_buffer, "clCreateBufferFromCudaPointerCULVERT")) &&
	       CHECK(FIND(cuda_work, "clEnqueueCudaWorkCULVERT")) &&
	       CHECK(FIND(device_alloc, "clDeviceMemAllocINTEL")) &&
	       CHECK(FIND(shared_alloc, "clSharedMemAllocINTEL")) &&
	       CHECK(FIND(blocking_free, "clMemBlockingFreeINTEL")) &&
	       CHECK(FIND(usm_fill, "clEnqueueMemFillINTEL"));
}

int main(void)
{
	if (!api_test_start(&test, "storms of what is imported"))
		return API_TEST_SKIP;
	if (!cuda_use())
		return api_test_skip(&test);
	if (!functions_find())
		return api_test_end(&test);
	queue = queue_make(test.context, test.device, 0);
	shared = cuda_shared_make(SIZE_B);
	shared_fd = cuda_shared_export(&shared);
	storm_run(kinds, cuda_is_software ? KINDS : KINDS - 1, usm_round);
	CHECK_OK(clFinish(queue));
	storm_check_destroyed(MEM_KINDS);
	check_shared();
	CHECK(!close(shared_fd));
	cuda_shared_release(&shared);
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
