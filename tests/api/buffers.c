/* Buffers: creation and its errors, transfers, fills, copies, boxes, queries and
 * lifetime; all without a kernel. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdint.h>

enum { SIZE = 1 << 16 };

static unsigned char host[SIZE], back[SIZE];
static cl_command_queue queue;

static void host_reset(unsigned seed)
{
	for (unsigned i = 0; i < SIZE; i++)
		host[i] = (unsigned char)(i * 7 + seed + (i >> 8));
	memset(back, 0, SIZE);
}

static void test_create_errors(cl_context context)
{
	cl_int code;
	CHECK_NO_OBJECT(clCreateBuffer(NULL, 0, 16, NULL, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(clCreateBuffer(context, 0, 0, NULL, &code), code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(clCreateBuffer(context, 0, SIZE_MAX, NULL, &code), code,
			CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL,
				       &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 16,
				       NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateBuffer(context, 1u << 30, 16, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16,
				       host, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16,
				       host, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, NULL, &code), code,
			CL_INVALID_HOST_PTR);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, NULL, &code), code,
			CL_INVALID_HOST_PTR);
	CHECK_NO_OBJECT(clCreateBuffer(context, 0, 16, host, &code), code, CL_INVALID_HOST_PTR);
	const cl_mem_properties bad[] = {0x1234, 1, 0}, none[] = {0};
	CHECK_NO_OBJECT(clCreateBufferWithProperties(context, bad, 0, 16, NULL, &code), code,
			CL_INVALID_PROPERTY);
	cl_mem mem = clCreateBufferWithProperties(context, none, 0, 16, NULL, &code);
	CHECK_OK(code);
	size_t size = 99;
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, 0, NULL, &size));
	CHECK(size == sizeof(cl_mem_properties));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_CODE(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
}

static void test_info(cl_context context)
{
	cl_mem mem = buffer_make(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 4096, host);
	const cl_buffer_region region = {1024, 512};
	cl_mem sub = sub_buffer_make(mem, 0, &region);
	cl_mem_object_type type = 0;
	cl_mem_flags flags = 0;
	size_t size = 0, offset = 99;
	void *pointer = NULL;
	cl_uint count = 0;
	cl_mem parent = NULL;
	cl_context in = NULL;
	cl_bool svm = 7;
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_MEM_OBJECT_BUFFER);
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	CHECK(flags == (CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY));
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_SIZE, sizeof(size), &size, NULL));
	CHECK(size == 512);
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
	CHECK(offset == 1024);
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	CHECK(pointer == host + 1024);
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent,
				    NULL));
	CHECK(parent == mem);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof(in), &in, NULL));
	CHECK(in == context);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof(svm), &svm, NULL));
	CHECK(svm == CL_FALSE);
	CHECK_OK(clRetainMemObject(mem));
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 2);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
	CHECK(count == 0);
	CHECK_CODE(clGetMemObjectInfo(mem, CL_MEM_SIZE, 2, &size, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetMemObjectInfo(mem, 0xFFFF, sizeof(size), &size, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof(size), &size, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(sub));
}

static void test_sub_errors(cl_context context)
{
	cl_mem mem = buffer_make(context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 4096, NULL);
	cl_buffer_region region = {0, 4096};
	cl_int code;
#define SUB(flags, type, region) clCreateSubBuffer(mem, flags, type, region, &code)
	const cl_buffer_create_type type = CL_BUFFER_CREATE_TYPE_REGION;
	CHECK_NO_OBJECT(clCreateSubBuffer(NULL, 0, type, &region, &code), code,
			CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(SUB(0, 0, &region), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(SUB(0, type, NULL), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(SUB(CL_MEM_READ_WRITE, type, &region), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(SUB(CL_MEM_WRITE_ONLY, type, &region), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(SUB(CL_MEM_HOST_WRITE_ONLY, type, &region), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(SUB(CL_MEM_COPY_HOST_PTR, type, &region), code, CL_INVALID_VALUE);
	region = (cl_buffer_region){0, 0};
	CHECK_NO_OBJECT(SUB(0, type, &region), code, CL_INVALID_BUFFER_SIZE);
	region = (cl_buffer_region){2048, 4096};
	CHECK_NO_OBJECT(SUB(0, type, &region), code, CL_INVALID_VALUE);
	region = (cl_buffer_region){8192, 1};
	CHECK_NO_OBJECT(SUB(0, type, &region), code, CL_INVALID_VALUE);
	region = (cl_buffer_region){4, 16};
	CHECK_NO_OBJECT(SUB(0, type, &region), code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	region = (cl_buffer_region){sizeof(cl_long16) / 2, 16};
	CHECK_NO_OBJECT(SUB(0, type, &region), code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	region = (cl_buffer_region){1024, 1024};
	cl_mem sub = SUB(0, type, &region);
	CHECK_OK(code);
	CHECK_NO_OBJECT(clCreateSubBuffer(sub, 0, type, &region, &code), code,
			CL_INVALID_MEM_OBJECT);
#undef SUB
	CHECK_OK(clReleaseMemObject(sub));
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_read_write(cl_context context)
{
	cl_mem mem = buffer_make(context, 0, SIZE, NULL);
	cl_event events[2];
	host_reset(1);
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, SIZE, host, 0, NULL, &events[0]));
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 100, SIZE - 100, back + 100, 1, events,
				     &events[1]));
	CHECK_OK(clWaitForEvents(2, events));
	CHECK(!memcmp(host + 100, back + 100, SIZE - 100));
	CHECK_OK(clReleaseEvent(events[0]));
	CHECK_OK(clReleaseEvent(events[1]));
	host_reset(2);
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 1000, 5000, host, 0, NULL, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 1000, 5000, back, 0, NULL, NULL));
	CHECK(!memcmp(host, back, 5000));
	/* Nothing to move is allowed. */
	buffer_read(queue, mem, back, 0);
	CHECK_CODE(clEnqueueReadBuffer(NULL, mem, CL_TRUE, 0, 1, back, 0, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 1, back, 0, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE + 1, back, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, SIZE_MAX, 2, back, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1, NULL, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1, back, 1, NULL, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	events[0] = NULL;
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1, back, 0, events, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 1, back, 1, events, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(clEnqueueWriteBuffer(queue, mem, CL_TRUE, SIZE, 1, host, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_host_access(cl_context context)
{
	cl_mem reads = buffer_make(context, CL_MEM_HOST_READ_ONLY, 64, NULL);
	cl_mem writes = buffer_make(context, CL_MEM_HOST_WRITE_ONLY, 64, NULL);
	cl_mem nothing = buffer_make(context, CL_MEM_HOST_NO_ACCESS, 64, NULL);
	cl_int code;
	CHECK_CODE(clEnqueueWriteBuffer(queue, reads, CL_TRUE, 0, 1, host, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueReadBuffer(queue, writes, CL_TRUE, 0, 1, back, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueReadBuffer(queue, nothing, CL_TRUE, 0, 1, back, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueWriteBuffer(queue, nothing, CL_TRUE, 0, 1, host, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clEnqueueMapBuffer(queue, writes, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL,
					   &code), code, CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clEnqueueMapBuffer(queue, reads, CL_TRUE, CL_MAP_WRITE, 0, 1, 0, NULL, NULL,
					   &code), code, CL_INVALID_OPERATION);
	/* A copy is no access of the host's. */
	CHECK_OK(clEnqueueCopyBuffer(queue, writes, nothing, 0, 0, 64, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(reads));
	CHECK_OK(clReleaseMemObject(writes));
	CHECK_OK(clReleaseMemObject(nothing));
}

static void test_copy_fill(cl_context context)
{
	host_reset(3);
	cl_mem a = buffer_make(context, CL_MEM_COPY_HOST_PTR, SIZE, host);
	cl_mem b = buffer_make(context, 0, SIZE, NULL);
	CHECK_OK(clEnqueueCopyBuffer(queue, a, b, 10, 20, 30000, 0, NULL, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 20, 30000, back, 0, NULL, NULL));
	CHECK(!memcmp(host + 10, back, 30000));
	CHECK_OK(clEnqueueCopyBuffer(queue, a, a, 0, 4096, 4096, 0, NULL, NULL));
	CHECK_CODE(clEnqueueCopyBuffer(queue, a, a, 0, 4095, 4096, 0, NULL, NULL),
		   CL_MEM_COPY_OVERLAP);
	CHECK_CODE(clEnqueueCopyBuffer(queue, a, a, 100, 1, 4096, 0, NULL, NULL),
		   CL_MEM_COPY_OVERLAP);
	CHECK_CODE(clEnqueueCopyBuffer(queue, a, b, SIZE, 0, 1, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueCopyBuffer(queue, a, b, 0, SIZE, 1, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueCopyBuffer(queue, NULL, b, 0, 0, 1, 0, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	for (size_t pattern = 1; pattern <= 128; pattern *= 2) {
		const size_t offset = pattern * 3, size = pattern * 57;
		CHECK_OK(clEnqueueWriteBuffer(queue, b, CL_FALSE, 0, SIZE, host, 0, NULL, NULL));
		CHECK_OK(clEnqueueFillBuffer(queue, b, host + 77, pattern, offset, size, 0, NULL,
					     NULL));
		buffer_read(queue, b, back, SIZE);
		bool good = !memcmp(back, host, offset) &&
			    !memcmp(back + offset + size, host + offset + size,
				    SIZE - offset - size);
		for (size_t i = 0; i < size; i++)
			good &= back[offset + i] == host[77 + i % pattern];
		CHECK(good);
	}
	CHECK_CODE(clEnqueueFillBuffer(queue, b, host, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillBuffer(queue, b, host, 256, 0, 256, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillBuffer(queue, b, host, 4, 2, 8, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillBuffer(queue, b, host, 4, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillBuffer(queue, b, NULL, 4, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueFillBuffer(queue, b, host, 0, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
}

/* Copies a box between two images of pitches, as the commands should. */
static void box_copy(unsigned char *to, const size_t *to_origin, size_t to_row, size_t to_slice,
		     const unsigned char *from, const size_t *from_origin, size_t from_row,
		     size_t from_slice, const size_t *region)
{
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			memcpy(to + (to_origin[2] + z) * to_slice + (to_origin[1] + y) * to_row +
				       to_origin[0],
			       from + (from_origin[2] + z) * from_slice +
				       (from_origin[1] + y) * from_row + from_origin[0],
			       region[0]);
}

enum { BOXES_SIZE = 1 << 13 };

/* Two boxes of one buffer, with pitches that both have. */
struct box_pair {
	size_t from[3], to[3], region[3], row, slice; /* the pitches as they are given, 0 too */
};

static size_t box_byte(const struct box_pair *pair, const size_t *origin, size_t x, size_t y,
		       size_t z)
{
	const size_t row = pair->row ? pair->row : pair->region[0];
	const size_t slice = pair->slice ? pair->slice : pair->region[1] * row;
	return (origin[2] + z) * slice + (origin[1] + y) * row + origin[0] + x;
}

/* Whether the boxes share a byte; expected gets what a copy makes of it. */
static bool boxes_share(const struct box_pair *pair, const unsigned char *before,
			unsigned char *expected)
{
	static bool mine[BOXES_SIZE];
	bool share = false;
	memset(mine, 0, sizeof(mine));
	memcpy(expected, before, BOXES_SIZE);
	for (int to = 0; to < 2; to++)
		for (size_t z = 0; z < pair->region[2]; z++)
			for (size_t y = 0; y < pair->region[1]; y++)
				for (size_t x = 0; x < pair->region[0]; x++) {
					const size_t source = box_byte(pair, pair->from, x, y, z);
					const size_t target = box_byte(pair, pair->to, x, y, z);
					if (!to) {
						mine[source] = true;
						continue;
					}
					share |= mine[target];
					expected[target] = before[source];
				}
	return share;
}

/* A rectangle of a picture of their pitches each, and no two of them the same pixels: neither of
 * what the specification compares (appendix "CL_MEM_COPY_OVERLAP") overlaps. */
static bool boxes_apart(const struct box_pair *pair)
{
	bool apart = false, within = true;
	const size_t row = pair->row ? pair->row : pair->region[0];
	const size_t slice = pair->slice ? pair->slice : pair->region[1] * row;
	const size_t limit[2] = {row, slice / row};
	for (int i = 0; i < 3; i++) {
		apart |= pair->from[i] + pair->region[i] <= pair->to[i] ||
			 pair->to[i] + pair->region[i] <= pair->from[i];
		within &= i == 2 || (pair->from[i] + pair->region[i] <= limit[i] &&
				     pair->to[i] + pair->region[i] <= limit[i]);
	}
	return apart && within;
}

/* Origins may lie beyond a pitch of their own box: boxes that are apart as three numbers say may
 * share bytes then, as with pitches of 0. */
static void test_boxes_of_one(cl_context context)
{
	static unsigned char expected[BOXES_SIZE];
	unsigned shared = 0, clear = 0, state = 1;
	cl_mem mem = buffer_make(context, 0, BOXES_SIZE, NULL);
	host_reset(6);
#define RANDOM(limit) ((state = state * 1664525u + 1013904223u) >> 8) % (limit)
	for (unsigned round = 0; round < 1500; round++) {
		struct box_pair pair;
		for (int i = 0; i < 3; i++) {
			pair.region[i] = 1 + RANDOM(i ? 4u : 9u);
			pair.from[i] = RANDOM(i ? 7u : 14u);
			pair.to[i] = RANDOM(i ? 7u : 14u);
		}
		pair.row = RANDOM(2u) ? 0 : pair.region[0] + RANDOM(16u);
		pair.slice = RANDOM(2u) ? 0
					: (pair.row ? pair.row : pair.region[0]) *
						  (pair.region[1] + RANDOM(8u));
		const bool share = boxes_share(&pair, host, expected);
		CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, BOXES_SIZE, host, 0, NULL,
					      NULL));
		const cl_int code = clEnqueueCopyBufferRect(queue, mem, mem, pair.from, pair.to,
							    pair.region, pair.row, pair.slice,
							    pair.row, pair.slice, 0, NULL, NULL);
		buffer_read(queue, mem, back, BOXES_SIZE);
		const bool good = code ? code == CL_MEM_COPY_OVERLAP && !boxes_apart(&pair) &&
						  !memcmp(back, host, BOXES_SIZE)
				       : !share && !memcmp(back, expected, BOXES_SIZE);
		CHECK(good);
		shared += share;
		clear += !code;
	}
#undef RANDOM
	CHECK(shared > 100 && clear > 100);
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_boxes(cl_context context)
{
	static unsigned char expected[SIZE];
	const size_t at[3] = {3, 2, 1}, host_at[3] = {5, 1, 2}, region[3] = {40, 9, 4};
	const size_t zero[3] = {0, 0, 0}, empty[3] = {1, 0, 1};
	cl_mem a = buffer_make(context, 0, SIZE, NULL), b = buffer_make(context, 0, SIZE, NULL);
	host_reset(4);
	memset(expected, 0xAA, SIZE);
	memset(back, 0xAA, SIZE);
	const unsigned char fill = 0xAA;
	CHECK_OK(clEnqueueFillBuffer(queue, a, &fill, 1, 0, SIZE, 0, NULL, NULL));
	CHECK_OK(clEnqueueFillBuffer(queue, b, &fill, 1, 0, SIZE, 0, NULL, NULL));
	CHECK_OK(clEnqueueWriteBufferRect(queue, a, CL_FALSE, at, host_at, region, 64, 64 * 16, 50,
					  50 * 20, host, 0, NULL, NULL));
	box_copy(expected, at, 64, 64 * 16, host, host_at, 50, 50 * 20, region);
	buffer_read(queue, a, back, SIZE);
	CHECK(!memcmp(back, expected, SIZE));
	/* Pitches of 0 are as tight as can be. */
	CHECK_OK(clEnqueueCopyBufferRect(queue, a, b, at, zero, region, 64, 64 * 16, 0, 0, 0, NULL,
					 NULL));
	memset(back, 0xAA, SIZE);
	CHECK_OK(clEnqueueReadBufferRect(queue, b, CL_TRUE, zero, host_at, region, 0, 0, 50,
					 50 * 20, back, 0, NULL, NULL));
	memset(expected, 0xAA, SIZE);
	box_copy(expected, host_at, 50, 50 * 20, host, host_at, 50, 50 * 20, region);
	CHECK(!memcmp(back, expected, SIZE));
#define COPY(from, to, row, slice) clEnqueueCopyBufferRect(queue, a, a, from, to, region, row, \
							   slice, row, slice, 0, NULL, NULL)
	const size_t beside[3] = {43, 2, 1}, above[3] = {3, 11, 1}, touching[3] = {42, 10, 4};
	CHECK_OK(COPY(at, beside, 128, 128 * 32));
	CHECK_OK(COPY(at, above, 128, 128 * 32));
	CHECK_CODE(COPY(at, touching, 128, 128 * 32), CL_MEM_COPY_OVERLAP);
	CHECK_CODE(COPY(at, at, 128, 128 * 32), CL_MEM_COPY_OVERLAP);
#undef COPY
#define READ(origin, region, row, slice, pointer)                                              \
	clEnqueueReadBufferRect(queue, a, CL_TRUE, origin, zero, region, row, slice, 0, 0,      \
				pointer, 0, NULL, NULL)
	CHECK_CODE(READ(NULL, region, 0, 0, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, NULL, 0, 0, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, empty, 0, 0, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, region, 39, 0, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, region, 64, 64 * 8, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, region, 64, 64 * 9 + 1, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, region, 64, SIZE, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, region, 0, 0, NULL), CL_INVALID_VALUE);
	const size_t huge[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
	CHECK_CODE(READ(huge, region, 0, 0, back), CL_INVALID_VALUE);
	CHECK_CODE(READ(at, huge, 0, 0, back), CL_INVALID_VALUE);
#undef READ
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
}

static int destroyed[3], destroyed_count;

static void CL_CALLBACK note_destroyed(cl_mem mem, void *data)
{
	(void)mem;
	destroyed[destroyed_count++] = *(int *)data;
}

static void test_destructors(cl_context context)
{
	static int one = 1, two = 2, three = 3;
	cl_mem mem = buffer_make(context, 0, 64, NULL);
	CHECK_CODE(clSetMemObjectDestructorCallback(mem, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clSetMemObjectDestructorCallback(NULL, note_destroyed, &one),
		   CL_INVALID_MEM_OBJECT);
	CHECK_OK(clSetMemObjectDestructorCallback(mem, note_destroyed, &one));
	CHECK_OK(clSetMemObjectDestructorCallback(mem, note_destroyed, &two));
	CHECK_OK(clSetMemObjectDestructorCallback(mem, note_destroyed, &three));
	CHECK_OK(clRetainMemObject(mem));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK(destroyed_count == 0);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK(destroyed_count == 3);
	CHECK(destroyed[0] == 3 && destroyed[1] == 2 && destroyed[2] == 1);
}

static void test_sub_views(cl_context context)
{
	host_reset(5);
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, SIZE, host);
	const cl_buffer_region first = {1024, 2048}, second = {4096, 2048};
	cl_mem a = sub_buffer_make(mem, 0, &first);
	cl_mem b = sub_buffer_make(mem, 0, &second);
	CHECK_OK(clEnqueueReadBuffer(queue, a, CL_TRUE, 8, 2040, back, 0, NULL, NULL));
	CHECK(!memcmp(back, host + 1032, 2040));
	CHECK_CODE(clEnqueueReadBuffer(queue, a, CL_TRUE, 8, 2048, back, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, 2048, 0, NULL, NULL));
	/* The parent's bytes outlive the application's handle of it. */
	CHECK_OK(clReleaseMemObject(mem));
	buffer_read(queue, b, back, 2048);
	CHECK(!memcmp(back, host + 1024, 2048));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
}

/* cl_intel_create_buffer_with_properties: wrong properties are its CL_INVALID_VALUE. */
static void test_intel(cl_context context, cl_platform_id platform)
{
	cl_mem(CL_API_CALL *create)(cl_context, const cl_properties *, cl_mem_flags, size_t, void *,
				    cl_int *);
	const cl_properties none[] = {0}, unknown[] = {0x7777, 1, 0};
	cl_int code;
	*(void **)&create = clGetExtensionFunctionAddressForPlatform(
		platform, "clCreateBufferWithPropertiesINTEL");
	if (!CHECK(create != NULL))
		return;
	host_reset(6);
	cl_mem mem = create(context, none, CL_MEM_COPY_HOST_PTR, SIZE, host, &code);
	CHECK_OK(code);
	buffer_read(queue, mem, back, SIZE);
	CHECK(!memcmp(back, host, SIZE));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_NO_OBJECT(create(context, unknown, 0, SIZE, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(create(context, NULL, 0, 0, NULL, &code), code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(create((cl_context)queue, NULL, 0, SIZE, NULL, &code), code,
			CL_INVALID_CONTEXT);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "buffers"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	test_create_errors(test.context);
	test_info(test.context);
	test_sub_errors(test.context);
	test_read_write(test.context);
	test_host_access(test.context);
	test_copy_fill(test.context);
	test_boxes(test.context);
	test_boxes_of_one(test.context);
	test_destructors(test.context);
	test_sub_views(test.context);
	test_intel(test.context, test.platform);
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
