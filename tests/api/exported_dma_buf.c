/* Protects: buffers that are exported as a dma-buf (cl_culvert_external_memory_export): each call gives a descriptor of
 * the buffer's memory, which others read and write; the types that a device lists are those that it exports; errors.
 *
 * On the software device the descriptor can be mapped, so that the test is the other device.  Of a GPU's, the kernel
 * says what it is. */
#include "config.h"

#include "tests/api/cuda_library.h"
#include "tests/api/shared_bench.h"
#include "tests/api/soft_fault.h"

#include "icd/include/cl_culvert.h"

#include <CL/cl_ext.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = (1 << 16) + 3, SIZE_B = COUNT * (int)sizeof(cl_uint) };

static struct api_test test;
static clGetMemObjectHandleForTypeCULVERT_fn handle_of;

static const cl_mem_properties as_dma_buf[] = {
	CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
	CL_MEM_EXPORT_HANDLE_TYPES_LIST_END_CULVERT, 0,
};

static bool is_listed(void)
{
	cl_uint types[8] = {0};
	size_t size = 0;
	bool listed = false;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_EXTERNAL_MEMORY_EXPORT_HANDLE_TYPES_CULVERT, sizeof(types),
				 types, &size));
	for (size_t i = 0; i < size / sizeof(types[0]); i++)
		listed = listed || types[i] == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
	return listed;
}

static int descriptor_of(cl_mem mem)
{
	int fd = -1;
	size_t size = 0;
	CHECK_OK(handle_of(mem, test.device, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, sizeof(fd), &fd, &size));
	CHECK(size == sizeof(fd) && fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	return fd;
}

/* Linux, Documentation/driver-api/dma-buf: the fdinfo of a dma-buf names its exporter. */
static bool is_dma_buf(int fd)
{
	char path[64], line[256];
	bool named = false;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		named = named || !strncmp(line, "exp_name:", 9);
	if (file)
		fclose(file);
	return named;
}

/* The other device adds 7 to what the kernel has written, and the kernel adds to that. */
static void shared_bytes(const struct bench *bench, cl_mem mem, int fd)
{
	cl_uint last = 0;
	cl_uint *words = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(words != MAP_FAILED);
	if (words == MAP_FAILED)
		return;
	CHECK(words[0] == 5 && words[COUNT - 1] == 5);
	words[COUNT - 1] += 7;
	bench_add(bench, bench->queue, mem, COUNT, 100);
	CHECK_OK(clEnqueueReadBuffer(bench->queue, mem, CL_TRUE, SIZE_B - sizeof(last), sizeof(last), &last, 0, NULL,
				     NULL));
	CHECK(last == 112 && words[0] == 105 && words[COUNT - 1] == 112);
	munmap(words, SIZE_B);
}

static void exported(const struct bench *bench, bool is_software)
{
	static const cl_uint zero = 0;
	cl_int code;
	cl_mem mem = clCreateBufferWithProperties(bench->context, as_dma_buf, CL_MEM_READ_WRITE, SIZE_B, NULL, &code);
	CHECK_OK(code);
	if (!mem)
		return;
	CHECK_OK(clEnqueueFillBuffer(bench->queue, mem, &zero, sizeof(zero), 0, SIZE_B, 0, NULL, NULL));
	bench_add(bench, bench->queue, mem, COUNT, 5);
	CHECK_OK(clFinish(bench->queue));
	const int fd = descriptor_of(mem), again = descriptor_of(mem);
	CHECK(fd != again && !close(again));
	if (is_software)
		shared_bytes(bench, mem, fd);
	else
		CHECK(is_dma_buf(fd));
	CHECK(!close(fd));
	CHECK_OK(clReleaseMemObject(mem));
}

static void errors(const struct bench *bench)
{
	const cl_mem_properties import[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, 0, 0};
	const cl_mem_properties unknown[] = {
		CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR + 1,
		CL_MEM_EXPORT_HANDLE_TYPES_LIST_END_CULVERT, 0,
	};
	struct soft_fault fault;
	char small[2];
	cl_int code;
	int fd = -1;
	CHECK_NO_OBJECT(clCreateBufferWithProperties(bench->context, import, CL_MEM_READ_WRITE, SIZE_B, NULL, &code),
			code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(clCreateBufferWithProperties(bench->context, unknown, CL_MEM_READ_WRITE, SIZE_B, NULL, &code),
			code, CL_INVALID_PROPERTY);
	cl_mem mem = clCreateBufferWithProperties(bench->context, as_dma_buf, CL_MEM_READ_WRITE, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_CODE(handle_of(mem, test.device, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, sizeof(fd), &fd, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(handle_of(mem, test.device, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, sizeof(small), small, NULL),
		   CL_INVALID_VALUE);
	if (soft_fault_find(&fault)) {
		CHECK(!fault.set("cuMemGetHandleForAddressRange:1:NOT_SUPPORTED"));
		CHECK_CODE(handle_of(mem, test.device, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, sizeof(fd), &fd, NULL),
			   CL_OUT_OF_RESOURCES);
		CHECK(fault.fired() == 1 && fd == -1);
		CHECK(!fault.set("cuMemCreate:1:NOT_SUPPORTED"));
		CHECK_NO_OBJECT(clCreateBufferWithProperties(bench->context, as_dma_buf, CL_MEM_READ_WRITE, SIZE_B,
							     NULL, &code), code, CL_OUT_OF_RESOURCES);
		CHECK(!fault.set(""));
	}
	CHECK_OK(clReleaseMemObject(mem));
}

int main(void)
{
	bool is_software;
	cl_int code;
	if (!api_test_start(&test, "exported dma-buf"))
		return API_TEST_SKIP;
	(void)cuda_library(&is_software);
	*(void **)&handle_of =
		clGetExtensionFunctionAddressForPlatform(test.platform, "clGetMemObjectHandleForTypeCULVERT");
	CHECK(handle_of);
	struct bench bench = bench_make(1, &test.device);
	if (is_listed()) {
		exported(&bench, is_software);
		errors(&bench);
	} else {
		CHECK_NO_OBJECT(clCreateBufferWithProperties(bench.context, as_dma_buf, CL_MEM_READ_WRITE, SIZE_B,
							     NULL, &code), code, CL_INVALID_PROPERTY);
	}
	bench_release(&bench);
	return api_test_end(&test);
}
