#include "config.h"

#include "backend/gpu_internal.h"

#include <string.h>

/* Leaves the scope of an operation, and counts it if it was put into the stream. */
static cl_int end_operation(struct gpu_stream *stream, const struct gpu_scope *scope, cl_int error)
{
	gpu_leave(scope);
	if (!error && stream)
		gpu_stream_count(stream);
	return error;
}

cl_int gpu_copy_to_device(struct gpu_stream *stream, gpu_address to, const void *from,
			  uint64_t size_B)
{
	struct gpu_scope scope;
	if (!size_B)
		return gpu_device_status(stream->device);
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	error = gpu_check(stream->device,
			  cuda.cuMemcpyHtoDAsync_v2(to, from, size_B, stream->cu_stream));
	return end_operation(stream, &scope, error);
}

cl_int gpu_copy_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B)
{
	struct gpu_scope scope;
	if (!size_B)
		return gpu_device_status(stream->device);
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	error = gpu_check(stream->device,
			  cuda.cuMemcpyDtoHAsync_v2(to, from, size_B, stream->cu_stream));
	return end_operation(stream, &scope, error);
}

cl_int gpu_sink_copy(struct gpu_sink sink, gpu_address to, gpu_address from, uint64_t size_B)
{
	struct gpu_device *device = gpu_sink_device(sink);
	struct gpu_scope scope;
	if (!size_B)
		return gpu_device_status(device);
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	if (sink.graph)
		error = gpu_graph_add_copy_line(sink.graph, to, from, size_B);
	else
		error = gpu_check(device, cuda.cuMemcpyDtoDAsync_v2(to, from, size_B,
								    sink.stream->cu_stream));
	return end_operation(sink.stream, &scope, error);
}

cl_int gpu_copy_device(struct gpu_stream *stream, gpu_address to, gpu_address from,
		       uint64_t size_B)
{
	return gpu_sink_copy(gpu_into(stream), to, from, size_B);
}

cl_int gpu_copy_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
		     gpu_address from, struct gpu_device *from_device, uint64_t size_B)
{
	struct gpu_scope scope;
	if (!size_B)
		return gpu_device_status(stream->device);
	cl_int error = gpu_device_use(to_device);
	if (!error)
		error = gpu_device_use(from_device);
	if (!error)
		error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	gpu_stream_need(stream, to_device);
	gpu_stream_need(stream, from_device);
	CUcontext cu_to = atomic_load(&to_device->cu_context);
	CUcontext cu_from = atomic_load(&from_device->cu_context);
	error = gpu_check(stream->device, cuda.cuMemcpyPeerAsync(to, cu_to, from, cu_from, size_B,
								 stream->cu_stream));
	return end_operation(stream, &scope, error);
}

/* If a device may access another one's pool, an ordinary copy is faster than cuMemcpyPeerAsync for small sizes: on
 * an H200 16.3 us instead of 21.1 for 256 KiB, 38.2 instead of 41.1 for 8 MiB.  Large copies gain nothing, and two
 * at the same time in opposite directions were slower: 730 GB/s instead of 762. */
static const uint64_t near_most_B = 16 << 20;

cl_int gpu_copy_from_peer(struct gpu_stream *stream, gpu_address to, gpu_address from,
			  struct gpu_device *from_device, bool own, uint64_t size_B)
{
	struct gpu_device *device = stream->device;
	if (!own || size_B > near_most_B || !gpu_peer_is_open(device, from_device))
		return gpu_copy_peer(stream, to, device, from, from_device, size_B);
	cl_int error = gpu_device_use(from_device);
	if (error)
		return error;
	gpu_stream_need(stream, from_device);
	return gpu_copy_device(stream, to, from, size_B);
}

/* --- boxes --- */

/* One side of a box copy: the address of its first byte, and its pitches. */
struct side {
	CUmemorytype cu_type;
	uint64_t address;                /* in host or device memory, depending on cu_type */
	uint64_t row_pitch_B, slice_pitch_B;
};

struct box {
	struct side to, from;
	uint64_t width_B, rows, slices;
	struct gpu_device *to_device, *from_device; /* of a copy between two devices; otherwise NULL */
};

static struct side side_of(CUmemorytype cu_type, uint64_t base, const struct gpu_rect *rect,
			   const uint64_t region_B[3])
{
	struct side side = {cu_type, base + rect->origin_B, rect->row_pitch_B,
			    rect->slice_pitch_B};
	if (!side.row_pitch_B)
		side.row_pitch_B = region_B[0];
	if (!side.slice_pitch_B)
		side.slice_pitch_B = region_B[1] * side.row_pitch_B;
	return side;
}

/* Reduces the dimensions of a box: rows or slices that are contiguous on both sides are joined. */
static void box_flatten(struct box *box)
{
	if (box->slices > 1 && box->to.slice_pitch_B == box->rows * box->to.row_pitch_B &&
	    box->from.slice_pitch_B == box->rows * box->from.row_pitch_B) {
		box->rows *= box->slices;
		box->slices = 1;
	}
	if (box->rows == 1 && box->slices > 1) {
		box->rows = box->slices;
		box->slices = 1;
		box->to.row_pitch_B = box->to.slice_pitch_B;
		box->from.row_pitch_B = box->from.slice_pitch_B;
	}
	if (box->slices == 1 && box->to.row_pitch_B == box->width_B &&
	    box->from.row_pitch_B == box->width_B) {
		box->width_B *= box->rows;
		box->rows = 1;
	}
}

static cl_int copy_run(struct gpu_sink sink, const struct box *box, uint64_t to_offset_B,
		       uint64_t from_offset_B)
{
	/* Copies with host memory and between devices always go into a stream, never into a graph. */
	struct gpu_stream *stream = sink.stream;
	uint64_t to = box->to.address + to_offset_B;
	uint64_t from = box->from.address + from_offset_B;
	if (box->to.cu_type == CU_MEMORYTYPE_HOST)
		return gpu_copy_to_host(stream, (void *)(uintptr_t)to, from, box->width_B);
	if (box->from.cu_type == CU_MEMORYTYPE_HOST)
		return gpu_copy_to_device(stream, to, (const void *)(uintptr_t)from, box->width_B);
	if (box->to_device)
		return gpu_copy_peer(stream, to, box->to_device, from, box->from_device,
				     box->width_B);
	return gpu_sink_copy(sink, to, from, box->width_B);
}

/* Copies row by row, for pitches that CUDA's box copies cannot express. */
static cl_int copy_rows(struct gpu_sink sink, const struct box *box)
{
	cl_int error = CL_SUCCESS;
	for (uint64_t z = 0; z < box->slices && !error; z++)
		for (uint64_t y = 0; y < box->rows && !error; y++)
			error = copy_run(sink, box,
					 z * box->to.slice_pitch_B + y * box->to.row_pitch_B,
					 z * box->from.slice_pitch_B + y * box->from.row_pitch_B);
	return error;
}

static void describe_box(CUDA_MEMCPY3D *copy, const struct box *box, uint64_t slices)
{
	memset(copy, 0, sizeof(*copy));
	copy->WidthInBytes = box->width_B;
	copy->Height = box->rows;
	copy->Depth = slices;
	copy->dstMemoryType = box->to.cu_type;
	copy->dstPitch = box->to.row_pitch_B;
	copy->dstHeight = slices > 1 ? box->to.slice_pitch_B / box->to.row_pitch_B : box->rows;
	copy->srcMemoryType = box->from.cu_type;
	copy->srcPitch = box->from.row_pitch_B;
	copy->srcHeight = slices > 1 ? box->from.slice_pitch_B / box->from.row_pitch_B : box->rows;
}

/* Makes one copy between two devices, which are in use. */
static CUresult copy_over(struct gpu_stream *stream, const struct box *box,
			  const CUDA_MEMCPY3D *here)
{
	CUDA_MEMCPY3D_PEER copy;
	memset(&copy, 0, sizeof(copy));
	copy.WidthInBytes = here->WidthInBytes;
	copy.Height = here->Height;
	copy.Depth = here->Depth;
	copy.dstMemoryType = here->dstMemoryType;
	copy.dstDevice = here->dstDevice;
	copy.dstPitch = here->dstPitch;
	copy.dstHeight = here->dstHeight;
	copy.dstContext = atomic_load(&box->to_device->cu_context);
	copy.srcMemoryType = here->srcMemoryType;
	copy.srcDevice = here->srcDevice;
	copy.srcPitch = here->srcPitch;
	copy.srcHeight = here->srcHeight;
	copy.srcContext = atomic_load(&box->from_device->cu_context);
	gpu_stream_need(stream, box->to_device);
	gpu_stream_need(stream, box->from_device);
	return cuda.cuMemcpy3DPeerAsync(&copy, stream->cu_stream);
}

/* Copies so many slices from number z on, with one call. */
static cl_int copy_slices(struct gpu_sink sink, const struct box *box, uint64_t z, uint64_t slices)
{
	struct gpu_device *device = gpu_sink_device(sink);
	CUDA_MEMCPY3D copy;
	struct gpu_scope scope;
	uint64_t to = box->to.address + z * box->to.slice_pitch_B;
	uint64_t from = box->from.address + z * box->from.slice_pitch_B;
	describe_box(&copy, box, slices);
	if (box->to.cu_type == CU_MEMORYTYPE_HOST)
		copy.dstHost = (void *)(uintptr_t)to;
	else
		copy.dstDevice = to;
	if (box->from.cu_type == CU_MEMORYTYPE_HOST)
		copy.srcHost = (const void *)(uintptr_t)from;
	else
		copy.srcDevice = from;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	if (sink.graph)
		error = gpu_graph_add_copy(sink.graph, &copy);
	else if (box->to_device)
		error = gpu_check(device, copy_over(sink.stream, box, &copy));
	else
		error = gpu_check(device, cuda.cuMemcpy3DAsync_v2(&copy, sink.stream->cu_stream));
	return end_operation(sink.stream, &scope, error);
}

static cl_int copy_box(struct gpu_sink sink, struct box *box)
{
	const struct gpu_device *device = gpu_sink_device(sink);
	cl_int error = CL_SUCCESS;
	if (!box->width_B || !box->rows || !box->slices)
		return gpu_device_status(device);
	box_flatten(box);
	if (box->rows == 1 && box->slices == 1)
		return copy_run(sink, box, 0, 0);
	if (box->to.row_pitch_B > device->max_pitch_B || box->from.row_pitch_B > device->max_pitch_B)
		return copy_rows(sink, box);
	/* CUDA expresses a slice pitch in rows; if it is no multiple of the row pitch, each slice is copied by
	 * itself. */
	if (box->slices == 1 || (box->to.slice_pitch_B % box->to.row_pitch_B == 0 &&
				 box->from.slice_pitch_B % box->from.row_pitch_B == 0))
		return copy_slices(sink, box, 0, box->slices);
	for (uint64_t z = 0; z < box->slices && !error; z++)
		error = copy_slices(sink, box, z, 1);
	return error;
}

static struct box box_of(const struct side *to, const struct side *from,
			 const uint64_t region_B[3])
{
	return (struct box){.to = *to, .from = *from, .width_B = region_B[0],
			    .rows = region_B[1], .slices = region_B[2]};
}

cl_int gpu_copy_rect_to_device(struct gpu_stream *stream, gpu_address to,
			       const struct gpu_rect *to_rect, const void *from,
			       const struct gpu_rect *from_rect, const uint64_t region_B[3])
{
	const struct side target = side_of(CU_MEMORYTYPE_DEVICE, to, to_rect, region_B);
	const struct side source =
		side_of(CU_MEMORYTYPE_HOST, (uintptr_t)from, from_rect, region_B);
	struct box box = box_of(&target, &source, region_B);
	return copy_box(gpu_into(stream), &box);
}

cl_int gpu_copy_rect_to_host(struct gpu_stream *stream, void *to, const struct gpu_rect *to_rect,
			     gpu_address from, const struct gpu_rect *from_rect,
			     const uint64_t region_B[3])
{
	const struct side target = side_of(CU_MEMORYTYPE_HOST, (uintptr_t)to, to_rect, region_B);
	const struct side source = side_of(CU_MEMORYTYPE_DEVICE, from, from_rect, region_B);
	struct box box = box_of(&target, &source, region_B);
	return copy_box(gpu_into(stream), &box);
}

/* Devices NULL: a copy within one device. */
static cl_int copy_between(struct gpu_sink sink, gpu_address to, struct gpu_device *to_device,
			   const struct gpu_rect *to_rect, gpu_address from,
			   struct gpu_device *from_device, const struct gpu_rect *from_rect,
			   const uint64_t region_B[3])
{
	const struct side target = side_of(CU_MEMORYTYPE_DEVICE, to, to_rect, region_B);
	const struct side source = side_of(CU_MEMORYTYPE_DEVICE, from, from_rect, region_B);
	struct box box = box_of(&target, &source, region_B);
	box.to_device = to_device;
	box.from_device = from_device;
	return copy_box(sink, &box);
}

cl_int gpu_sink_copy_rect(struct gpu_sink sink, gpu_address to, const struct gpu_rect *to_rect,
			  gpu_address from, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3])
{
	return copy_between(sink, to, NULL, to_rect, from, NULL, from_rect, region_B);
}

cl_int gpu_copy_rect_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
			  const struct gpu_rect *to_rect, gpu_address from,
			  struct gpu_device *from_device, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3])
{
	cl_int error = gpu_device_use(to_device);
	if (!error && to_device == from_device)
		return gpu_sink_copy_rect(gpu_into(stream), to, to_rect, from, from_rect, region_B);
	if (!error)
		error = gpu_device_use(from_device);
	return error ? error : copy_between(gpu_into(stream), to, to_device, to_rect, from,
					    from_device, from_rect, region_B);
}

/* --- fills --- */

/* The length of the shortest pattern that gives the same bytes when it is repeated. */
static uint32_t shortest_period(const unsigned char *pattern, uint32_t pattern_B)
{
	while (pattern_B > 1 && !memcmp(pattern, pattern + pattern_B / 2, pattern_B / 2))
		pattern_B /= 2;
	return pattern_B;
}

static uint32_t first_element(const unsigned char *pattern, uint32_t pattern_B)
{
	unsigned short half;
	unsigned int word;
	if (pattern_B == 1)
		return pattern[0];
	if (pattern_B == 2) {
		memcpy(&half, pattern, sizeof(half));
		return half;
	}
	memcpy(&word, pattern, sizeof(word));
	return word;
}

static CUresult fill_short(struct gpu_stream *stream, gpu_address to, uint32_t value,
			   uint32_t element_B, uint64_t size_B)
{
	switch (element_B) {
	case 1:
		return cuda.cuMemsetD8Async(to, (unsigned char)value, size_B, stream->cu_stream);
	case 2:
		return cuda.cuMemsetD16Async(to, (unsigned short)value, size_B / 2,
					     stream->cu_stream);
	default:
		return cuda.cuMemsetD32Async(to, value, size_B / 4, stream->cu_stream);
	}
}

cl_int gpu_sink_fill(struct gpu_sink sink, gpu_address to, const void *pattern, uint32_t pattern_B,
		     uint64_t size_B)
{
	struct gpu_device *device = gpu_sink_device(sink);
	struct gpu_scope scope;
	if (!size_B)
		return gpu_device_status(device);
	pattern_B = shortest_period(pattern, pattern_B);
	if (pattern_B > 4)
		return gpu_fill_long(sink, to, pattern, pattern_B, size_B);
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	const uint32_t value = first_element(pattern, pattern_B);
	if (sink.graph)
		error = gpu_graph_add_fill(sink.graph, to, value, pattern_B, size_B);
	else
		error = gpu_check_result(device,
					 fill_short(sink.stream, to, value, pattern_B, size_B),
					 "cuMemsetAsync", __FILE__, __LINE__);
	return end_operation(sink.stream, &scope, error);
}
