/* Boxes of buffers (OpenCL 3.0 API, 5.2.2). */
#include "config.h"

#include "tests/api/errors.h"

/* The arguments of a rect command; a case changes what it wants wrong. */
struct box {
	cl_mem buffer;
	const size_t *buffer_origin, *host_origin, *region;
	size_t buffer_row_B, buffer_slice_B, host_row_B, host_slice_B;
	void *pointer;
};

static const size_t zero[3], eight[3] = {8, 4, 2};

static struct box good(void)
{
	return (struct box){world.buffer, zero, zero, eight, 16, 64, 16, 64, error_bytes};
}

static cl_int read(const struct box *box)
{
	return clEnqueueReadBufferRect(world.queue, box->buffer, CL_TRUE, box->buffer_origin,
				       box->host_origin, box->region, box->buffer_row_B,
				       box->buffer_slice_B, box->host_row_B, box->host_slice_B,
				       box->pointer, 0, NULL, NULL);
}

static cl_int write(const struct box *box)
{
	return clEnqueueWriteBufferRect(world.queue, box->buffer, CL_TRUE, box->buffer_origin,
					box->host_origin, box->region, box->buffer_row_B,
					box->buffer_slice_B, box->host_row_B, box->host_slice_B,
					box->pointer, 0, NULL, NULL);
}

#define BOTH(code, condition, ...)                                                                \
	do {                                                                                      \
		struct box box = good();                                                          \
		__VA_ARGS__;                                                                      \
		ERROR_CODE(clEnqueueReadBufferRect, code, condition, read(&box));                 \
		ERROR_CODE(clEnqueueWriteBufferRect, code, condition, write(&box));               \
	} while (0)

static void host_access(cl_mem_flags flags, bool reads)
{
	cl_int code;
	struct box box = good();
	box.buffer = clCreateBuffer(world.context, flags, WORLD_BUFFER_B, NULL, &code);
	REQUIRE(!code);
	if (reads)
		ERROR_CODE(clEnqueueReadBufferRect, CL_INVALID_OPERATION, 1, read(&box));
	else
		ERROR_CODE(clEnqueueWriteBufferRect, CL_INVALID_OPERATION, 1, write(&box));
	REQUIRE(!clReleaseMemObject(box.buffer));
}

static void transfers(void)
{
	const size_t far[3] = {0, 0, WORLD_BUFFER_B / 64 - 1}, huge[3] = {SIZE_MAX, 1, 1};
	/* Eight bytes in the last rows of the last slices. */
	const size_t last[3] = {8, 0, WORLD_BUFFER_B / 64 - 2};
	const size_t above[3] = {0, 0, 1}, two[3] = {1, 1, 2};
	struct box box = good();
	REQUIRE(!read(&box));
	REQUIRE(!write(&box));
	/* To the last byte. */
	box.buffer_origin = last;
	REQUIRE(!read(&box));
	REQUIRE(!write(&box));
	BOTH(CL_INVALID_CONTEXT, 1, box.buffer = world.foreign_buffer);
	BOTH(CL_INVALID_MEM_OBJECT, 1, box.buffer = world.wrong_mem);
	BOTH(CL_INVALID_MEM_OBJECT, 1, box.buffer = world.image);
	BOTH(CL_INVALID_VALUE, 1, box.buffer_origin = NULL);
	BOTH(CL_INVALID_VALUE, 1, box.host_origin = NULL);
	BOTH(CL_INVALID_VALUE, 1, box.region = NULL);
	BOTH(CL_INVALID_VALUE, 2, box.buffer_origin = far);
	BOTH(CL_INVALID_VALUE, 2, box.buffer_origin = huge);
	/* Its last byte lies beyond 2^64, as many as lie before its end. */
	BOTH(CL_INVALID_VALUE, 2, box.buffer_origin = above; box.region = two;
	     box.buffer_row_B = 1; box.buffer_slice_B = SIZE_MAX / 2 + 1; box.host_row_B = 1;
	     box.host_slice_B = 1);
	for (unsigned i = 0; i < 3; i++) {
		size_t region[3] = {8, 4, 2};
		region[i] = 0;
		BOTH(CL_INVALID_VALUE, 3, box.region = region);
	}
	BOTH(CL_INVALID_VALUE, 4, box.buffer_row_B = 7; box.buffer_slice_B = 0);
	BOTH(CL_INVALID_VALUE, 5, box.buffer_slice_B = 48);
	BOTH(CL_INVALID_VALUE, 6, box.buffer_slice_B = 72);
	BOTH(CL_INVALID_VALUE, 7, box.host_row_B = 7; box.host_slice_B = 0);
	BOTH(CL_INVALID_VALUE, 8, box.host_slice_B = 48);
	BOTH(CL_INVALID_VALUE, 9, box.host_slice_B = 72);
	BOTH(CL_INVALID_VALUE, 10, box.pointer = NULL);
	host_access(CL_MEM_HOST_WRITE_ONLY, true);
	host_access(CL_MEM_HOST_NO_ACCESS, true);
	host_access(CL_MEM_HOST_READ_ONLY, false);
	host_access(CL_MEM_HOST_NO_ACCESS, false);
}

struct pair {
	cl_mem from, to;
	const size_t *from_origin, *to_origin, *region;
	size_t from_row_B, from_slice_B, to_row_B, to_slice_B;
};

static struct pair good_pair(void)
{
	return (struct pair){world.buffer, world.buffer2, zero, zero, eight, 16, 64, 16, 64};
}

static cl_int copy(const struct pair *pair)
{
	return clEnqueueCopyBufferRect(world.queue, pair->from, pair->to, pair->from_origin,
				       pair->to_origin, pair->region, pair->from_row_B,
				       pair->from_slice_B, pair->to_row_B, pair->to_slice_B, 0,
				       NULL, NULL);
}

#define COPY(code, condition, ...)                                                                \
	do {                                                                                      \
		struct pair pair = good_pair();                                                   \
		__VA_ARGS__;                                                                      \
		ERROR_CODE(clEnqueueCopyBufferRect, code, condition, copy(&pair));                \
	} while (0)

static void copies(void)
{
	const size_t far[3] = {0, 0, WORLD_BUFFER_B / 64 - 1};
	const size_t near[3] = {4, 0, 0}, beside[3] = {8, 0, 0};
	const cl_buffer_region region = {512, 1024};
	cl_int code;
	cl_mem second = clCreateSubBuffer(world.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region,
					  &code);
	REQUIRE(!code);
	const cl_buffer_region upper = {WORLD_BUFFER_B / 2, WORLD_BUFFER_B / 2};
	cl_mem apart = clCreateSubBuffer(world.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &upper,
					 &code);
	struct pair same = good_pair();
	REQUIRE(!code);
	REQUIRE(!copy(&same));
	COPY(CL_INVALID_CONTEXT, 1, pair.from = world.foreign_buffer);
	COPY(CL_INVALID_CONTEXT, 2, pair.to = world.foreign_buffer);
	COPY(CL_INVALID_MEM_OBJECT, 1, pair.from = world.image);
	COPY(CL_INVALID_MEM_OBJECT, 2, pair.to = world.wrong_mem);
	COPY(CL_INVALID_VALUE, 1, pair.from_origin = NULL);
	COPY(CL_INVALID_VALUE, 1, pair.to_origin = NULL);
	COPY(CL_INVALID_VALUE, 1, pair.region = NULL);
	COPY(CL_INVALID_VALUE, 2, pair.from_origin = far);
	COPY(CL_INVALID_VALUE, 3, pair.to_origin = far);
	for (unsigned i = 0; i < 3; i++) {
		size_t empty[3] = {8, 4, 2};
		empty[i] = 0;
		COPY(CL_INVALID_VALUE, 4, pair.region = empty);
	}
	COPY(CL_INVALID_VALUE, 5, pair.from_row_B = 7; pair.from_slice_B = 0);
	COPY(CL_INVALID_VALUE, 6, pair.from_slice_B = 48);
	COPY(CL_INVALID_VALUE, 7, pair.from_slice_B = 72);
	COPY(CL_INVALID_VALUE, 8, pair.to_row_B = 7; pair.to_slice_B = 0);
	COPY(CL_INVALID_VALUE, 9, pair.to_slice_B = 48);
	COPY(CL_INVALID_VALUE, 10, pair.to_slice_B = 72);
	COPY(CL_INVALID_VALUE, 11, pair.to = world.buffer; pair.to_row_B = 32;
	     pair.from_slice_B = pair.to_slice_B = 128);
	COPY(CL_INVALID_VALUE, 12, pair.to = world.buffer; pair.to_slice_B = 128);
	COPY(CL_MEM_COPY_OVERLAP, 1, pair.to = world.buffer; pair.to_origin = near);
	COPY(CL_MEM_COPY_OVERLAP, 2, pair.from = world.buffer; pair.to = second;
	     pair.from_origin = (const size_t[3]){4, 0, 8});
	same.to = world.buffer;
	same.to_origin = beside;
	REQUIRE(!copy(&same));
	/* Sub-buffers that do not overlap may be cut with other pitches. */
	same = good_pair();
	same.from = world.sub_buffer;
	same.to = apart;
	same.to_row_B = 32;
	same.to_slice_B = 128;
	REQUIRE(!copy(&same));
	REQUIRE(!clReleaseMemObject(apart));
	REQUIRE(!clReleaseMemObject(second));
}

void errors_rect(void)
{
	transfers();
	copies();
}
