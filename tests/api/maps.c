/* Mapped buffers, host pointers, migration. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdint.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16 };

static unsigned char host[SIZE], back[SIZE];
static cl_command_queue queue;

static void *map(cl_mem mem, cl_map_flags flags, size_t offset, size_t size)
{
	cl_int code;
	void *pointer = clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, offset, size, 0, NULL, NULL,
					   &code);
	CHECK_OK(code);
	return pointer;
}

static void unmap(cl_mem mem, void *pointer)
{
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, pointer, 0, NULL, NULL));
}

static cl_uint map_count(cl_mem mem)
{
	cl_uint count = 99;
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
	return count;
}

static void test_flags(cl_context context, cl_mem_flags flags)
{
	const bool given = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	for (unsigned i = 0; i < SIZE; i++)
		host[i] = (unsigned char)(i * 13 + flags);
	cl_mem mem = buffer_make(context, flags, SIZE, given ? host : NULL);
	if (!given)
		CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
	/* Two readers may look at one region. */
	unsigned char *a = map(mem, CL_MAP_READ, 0, SIZE), *b = map(mem, CL_MAP_READ, 100, 50);
	CHECK(map_count(mem) == 2);
	CHECK(b == a + 100);
	if (flags & CL_MEM_USE_HOST_PTR)
		CHECK(a == host);
	bool good = true;
	for (unsigned i = 0; i < SIZE; i++)
		good &= a[i] == (unsigned char)(i * 13 + flags);
	CHECK(good);
	unmap(mem, b);
	CHECK(map_count(mem) == 1);
	unmap(mem, a);
	CHECK(map_count(mem) == 0);
	/* What is written into a part comes back, and the rest stays. */
	a = map(mem, CL_MAP_WRITE, 4096, 1000);
	memset(a, 0x5A, 500);
	unmap(mem, a);
	a = map(mem, CL_MAP_WRITE_INVALIDATE_REGION, 8192, 1000);
	memset(a, 0xA5, 1000);
	unmap(mem, a);
	buffer_read(queue, mem, back, SIZE);
	good = true;
	for (unsigned i = 0; i < SIZE; i++) {
		unsigned char expected = (unsigned char)(i * 13 + flags);
		if (i >= 4096 && i < 4596)
			expected = 0x5A;
		if (i >= 8192 && i < 9192)
			expected = 0xA5;
		good &= back[i] == expected;
	}
	CHECK(good);
	/* And what the device wrote since is seen at the next map. */
	const cl_uint fill = 0x01020304;
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &fill, 4, 0, SIZE, 0, NULL, NULL));
	cl_uint *words = map(mem, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE);
	good = true;
	for (unsigned i = 0; i < SIZE / 4; i++) {
		good &= words[i] == fill;
		words[i] = i;
	}
	CHECK(good);
	unmap(mem, words);
	buffer_read(queue, mem, back, SIZE);
	good = true;
	for (unsigned i = 0; i < SIZE / 4; i++)
		good &= ((cl_uint *)(void *)back)[i] == i;
	CHECK(good);
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_errors(cl_context context)
{
	cl_int code;
	cl_mem mem = buffer_make(context, 0, SIZE, NULL);
#define MAP(flags, offset, size) \
	clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, offset, size, 0, NULL, NULL, &code)
	CHECK_NO_OBJECT(clEnqueueMapBuffer(NULL, mem, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL,
					   &code), code, CL_INVALID_COMMAND_QUEUE);
	CHECK_NO_OBJECT(clEnqueueMapBuffer(queue, NULL, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL,
					   &code), code, CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(MAP(CL_MAP_READ, 0, 0), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(CL_MAP_READ, 1, SIZE), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(1u << 20, 0, 1), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(MAP(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 1), code,
			CL_INVALID_VALUE);
	void *a = MAP(CL_MAP_WRITE, 0, 100);
	CHECK_OK(code);
	CHECK_NO_OBJECT(MAP(CL_MAP_WRITE, 99, 100), code, CL_INVALID_OPERATION);
	CHECK(map_count(mem) == 1);
	void *b = MAP(CL_MAP_WRITE, 100, 100);
	CHECK_OK(code);
#undef MAP
	CHECK_CODE(clEnqueueUnmapMemObject(queue, mem, host, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueUnmapMemObject(queue, mem, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueUnmapMemObject(NULL, mem, a, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clEnqueueUnmapMemObject(queue, NULL, a, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	unmap(mem, a);
	CHECK_CODE(clEnqueueUnmapMemObject(queue, mem, a, 0, NULL, NULL), CL_INVALID_VALUE);
	/* Below what is mapped still, as above it. */
	a = map(mem, CL_MAP_WRITE, 0, 100);
	unmap(mem, a);
	unmap(mem, b);
	/* Released while it is mapped: its memory goes too. */
	(void)map(mem, CL_MAP_READ, 0, 10);
	CHECK_OK(clReleaseMemObject(mem));
}

/* A map whose wait list failed never happened: its unmap must not bring back what
 * lies in host memory by chance. */
static void test_failed_map(cl_context context)
{
	cl_int code;
	const cl_uint value = 77;
	cl_uint read = 0;
	cl_mem mem = clCreateBuffer(context, 0, 64, NULL, &code);
	cl_event user = clCreateUserEvent(context, &code), event;
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &value, 4, 0, 64, 0, NULL, NULL));
	void *pointer = clEnqueueMapBuffer(queue, mem, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, &user,
					   &event, &code);
	CHECK_OK(code);
	CHECK_OK(clSetUserEventStatus(user, -5));
	CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	unmap(mem, pointer);
	buffer_read(queue, mem, &read, 4);
	CHECK(read == value);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseMemObject(mem));
}

/* A map that fails takes no other one with it, though both are of one pointer: what is written by
 * way of the first comes back. */
static void test_failed_map_of_a_mapped_pointer(cl_context context)
{
	cl_int code;
	const cl_uint before = 77, after = 88;
	cl_uint read = 0;
	cl_mem mem = buffer_make(context, 0, 64, NULL);
	cl_event user = user_event_make(context);
	CHECK_OK(clSetUserEventStatus(user, -5));
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &before, 4, 0, 64, 0, NULL, NULL));
	cl_uint *words = map(mem, CL_MAP_READ | CL_MAP_WRITE, 0, 64);
	CHECK_NO_OBJECT(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, 64, 1, &user, NULL,
					   &code),
			code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(map_count(mem) == 1);
	for (unsigned i = 0; i < 16; i++)
		words[i] = after;
	unmap(mem, words);
	CHECK(map_count(mem) == 0);
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 60, 4, &read, 0, NULL, NULL));
	CHECK(read == after);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseMemObject(mem));
}

/* Map and unmap through user events: the second map must not overwrite what the
 * first unmap has still to take away. */
static void test_invalidate_twice(cl_context context)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(context, 0, SIZE, NULL, &code);
	cl_mem copy = buffer_make(context, 0, SIZE, NULL);
	for (unsigned round = 1; round < 20; round++) {
		unsigned char *bytes = map(mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE);
		memset(bytes, (int)round, SIZE);
		unmap(mem, bytes);
		CHECK_OK(clEnqueueCopyBuffer(queue, mem, copy, 0, 0, SIZE, 0, NULL, NULL));
		bytes = map(mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE);
		memset(bytes, 0xEE, SIZE);
		unmap(mem, bytes);
		buffer_read(queue, copy, back, SIZE);
		bool good = true;
		for (unsigned i = 0; i < SIZE; i++)
			good &= back[i] == round;
		CHECK(good);
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(copy));
}

static void test_migrate(cl_context context)
{
	cl_int code;
	cl_event event;
	cl_mem mem = clCreateBuffer(context, 0, 64, NULL, &code);
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &mem, 0, 0, NULL, &event));
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST, 1, &event,
					    NULL));
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
					    0, NULL, NULL));
	CHECK_CODE(clEnqueueMigrateMemObjects(queue, 0, &mem, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueMigrateMemObjects(queue, 1, &mem, 1u << 10, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseMemObject(mem));
}

/* A large buffer is mapped in parts that touch and overlap; what each shows and
 * brings back is right whatever was mapped before. */
static void test_parts(cl_context context)
{
	enum { WORDS = 5 << 20, PARTS = 60 };
	static const size_t borders[] = {0, 1000, 4096, 300000, 1 << 20, 2 << 20, 4 << 20, WORDS};
	enum { BORDERS = sizeof(borders) / sizeof(borders[0]) };
	cl_uint *expected = malloc(WORDS * sizeof(*expected)), seed = 1;
	cl_uint *read = malloc(WORDS * sizeof(*read));
	for (cl_uint i = 0; i < WORDS; i++)
		expected[i] = i * 2654435761u;
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, WORDS * sizeof(*expected),
				 expected);
	for (unsigned part = 0; part < PARTS; part++) {
		seed = seed * 1664525 + 1013904223;
		const unsigned a = (seed >> 8) % (BORDERS - 1);
		const unsigned b = a + 1 + (seed >> 16) % (BORDERS - 1 - a);
		const size_t lo = borders[a], count = borders[b] - lo;
		const bool writes = seed >> 31;
		cl_uint *words = map(mem, writes ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ,
				     lo * 4, count * 4);
		if (!CHECK(words && !memcmp(words, expected + lo, count * 4)))
			break;
		for (size_t i = 0; writes && i < count; i += 777)
			words[i] = expected[lo + i] = seed + (cl_uint)i;
		unmap(mem, words);
		CHECK_OK(clEnqueueFillBuffer(queue, mem, &seed, 4, lo * 4, 400, 0, NULL, NULL));
		for (unsigned i = 0; i < 100; i++)
			expected[lo + i] = seed;
	}
	buffer_read(queue, mem, read, WORDS * 4);
	CHECK(!memcmp(read, expected, WORDS * 4));
	CHECK_OK(clReleaseMemObject(mem));
	free(expected);
	free(read);
}

/* LightGBM unmaps, releases and frees in one go, when what it mapped is nobody's any more: the unmap
 * has nothing to do with the memory then, however late it runs. */
static void test_unmap_of_freed_memory(cl_context context)
{
	const size_t size_B = 1 << 20;
	cl_int code;
	void *own = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(own != MAP_FAILED);
	cl_mem mem = buffer_make(context, CL_MEM_USE_HOST_PTR, size_B, own);
	cl_event start = clCreateUserEvent(context, &code), done;
	CHECK_OK(code);
	memset(map(mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, size_B), 7, size_B);
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, own, 1, &start, &done));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK(!munmap(own, size_B));
	CHECK_OK(clSetUserEventStatus(start, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &done));
	CHECK_OK(clReleaseEvent(done));
	CHECK_OK(clReleaseEvent(start));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "maps"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	test_flags(test.context, CL_MEM_READ_WRITE);
	test_flags(test.context, CL_MEM_USE_HOST_PTR);
	test_flags(test.context, CL_MEM_ALLOC_HOST_PTR);
	test_flags(test.context, CL_MEM_COPY_HOST_PTR);
	test_flags(test.context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	test_errors(test.context);
	test_failed_map(test.context);
	test_failed_map_of_a_mapped_pointer(test.context);
	test_invalidate_twice(test.context);
	test_migrate(test.context);
	test_parts(test.context);
	test_unmap_of_freed_memory(test.context);
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
