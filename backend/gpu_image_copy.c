#include "config.h"

#include "backend/gpu_image_internal.h"

#include <string.h>

/* One side of a copy, with its pitches filled in. */
struct side {
	const struct gpu_image_side *given;
	uint64_t row_pitch_B, slice_pitch_B;
};

struct box {
	struct side to, from;
	uint64_t region[3];              /* in texels */
	uint32_t texel_B;
};

static struct side side_of(const struct gpu_image_side *given, const uint64_t region[3],
			   uint32_t texel_B)
{
	struct side side = {given, given->row_pitch_B, given->slice_pitch_B};
	if (!side.row_pitch_B)
		side.row_pitch_B = region[0] * texel_B;
	if (!side.slice_pitch_B)
		side.slice_pitch_B = region[1] * side.row_pitch_B;
	/* CUDA expresses the slice pitch in rows.  If a slice has one row, the row pitch is not needed and can be
	 * the slice pitch. */
	if (region[1] == 1)
		side.row_pitch_B = side.slice_pitch_B;
	return side;
}

static void describe_from(CUDA_MEMCPY3D *copy, const struct side *side, uint32_t texel_B,
			  const uint64_t at[3])
{
	const struct gpu_image_side *given = side->given;
	const uint64_t skip_B = at[1] * side->row_pitch_B + at[2] * side->slice_pitch_B;
	if (given->array) {
		copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
		copy->srcArray = given->array->level[given->level].cu_array;
		copy->srcXInBytes = given->origin[0] * texel_B;
		copy->srcY = given->origin[1] + at[1];
		copy->srcZ = given->origin[2] + at[2];
		return;
	}
	copy->srcMemoryType = given->host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
	if (given->host)
		copy->srcHost = (const unsigned char *)given->host + skip_B;
	else
		copy->srcDevice = given->address + skip_B;
	copy->srcPitch = side->row_pitch_B;
	copy->srcHeight = side->slice_pitch_B / side->row_pitch_B;
}

static void describe_to(CUDA_MEMCPY3D *copy, const struct side *side, uint32_t texel_B,
			const uint64_t at[3])
{
	const struct gpu_image_side *given = side->given;
	const uint64_t skip_B = at[1] * side->row_pitch_B + at[2] * side->slice_pitch_B;
	if (given->array) {
		copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
		copy->dstArray = given->array->level[given->level].cu_array;
		copy->dstXInBytes = given->origin[0] * texel_B;
		copy->dstY = given->origin[1] + at[1];
		copy->dstZ = given->origin[2] + at[2];
		return;
	}
	copy->dstMemoryType = given->host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
	if (given->host)
		copy->dstHost = (unsigned char *)given->host + skip_B;
	else
		copy->dstDevice = given->address + skip_B;
	copy->dstPitch = side->row_pitch_B;
	copy->dstHeight = side->slice_pitch_B / side->row_pitch_B;
}

/* Copies rows x slices of the box, from the texel at on, with one call. */
static cl_int copy_part(struct gpu_sink sink, const struct box *box, const uint64_t at[3],
			uint64_t rows, uint64_t slices)
{
	struct gpu_device *device = gpu_sink_device(sink);
	CUDA_MEMCPY3D copy;
	struct gpu_scope scope;
	memset(&copy, 0, sizeof(copy));
	describe_from(&copy, &box->from, box->texel_B, at);
	describe_to(&copy, &box->to, box->texel_B, at);
	copy.WidthInBytes = box->region[0] * box->texel_B;
	copy.Height = rows;
	copy.Depth = slices;
	/* The pitch of a single row is not needed, and may be larger than CUDA allows. */
	if (rows == 1 && slices == 1) {
		copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
		copy.srcHeight = copy.dstHeight = 1;
	}
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	if (sink.graph)
		error = gpu_graph_add_copy(sink.graph, &copy);
	else
		error = gpu_check(device, cuda.cuMemcpy3DAsync_v2(&copy, sink.stream->cu_stream));
	gpu_leave(&scope);
	if (!error && sink.stream)
		gpu_stream_count(sink.stream);
	return error;
}

static bool pitch_is_too_large(const struct side *side, uint64_t max_pitch_B)
{
	return !side->given->array && side->row_pitch_B > max_pitch_B;
}

static bool slices_are_whole_rows(const struct side *side)
{
	return side->given->array || side->slice_pitch_B % side->row_pitch_B == 0;
}

static cl_int copy_box(struct gpu_sink sink, const struct box *box)
{
	const uint64_t max_pitch_B = gpu_sink_device(sink)->max_pitch_B;
	const bool rows_alone = pitch_is_too_large(&box->to, max_pitch_B) ||
				pitch_is_too_large(&box->from, max_pitch_B);
	const bool slices_alone = rows_alone || !slices_are_whole_rows(&box->to) ||
				  !slices_are_whole_rows(&box->from);
	const uint64_t rows = rows_alone ? 1 : box->region[1];
	const uint64_t slices = slices_alone ? 1 : box->region[2];
	cl_int error = CL_SUCCESS;
	for (uint64_t z = 0; z < box->region[2] && !error; z += slices)
		for (uint64_t y = 0; y < box->region[1] && !error; y += rows)
			error = copy_part(sink, box, (const uint64_t[3]){0, y, z}, rows, slices);
	return error;
}

static struct gpu_rect rect_of(const struct gpu_image_side *side)
{
	return (struct gpu_rect){side->row_pitch_B, side->slice_pitch_B, 0};
}

/* Copies with host memory always go into a stream, never into a graph. */
static cl_int copy_linear(struct gpu_sink sink, const struct gpu_image_side *to,
			  const struct gpu_image_side *from, const uint64_t region_B[3])
{
	const struct gpu_rect to_rect = rect_of(to), from_rect = rect_of(from);
	if (to->host)
		return gpu_copy_rect_to_host(sink.stream, to->host, &to_rect, from->address, &from_rect,
					     region_B);
	if (from->host)
		return gpu_copy_rect_to_device(sink.stream, to->address, &to_rect, from->host,
					       &from_rect, region_B);
	return gpu_sink_copy_rect(sink, to->address, &to_rect, from->address, &from_rect, region_B);
}

static cl_int copy(struct gpu_sink sink, const struct gpu_image_side *to,
		   const struct gpu_image_side *from, const uint64_t region[3], uint32_t texel_B)
{
	if (!to->array && !from->array) {
		const uint64_t region_B[3] = {region[0] * texel_B, region[1], region[2]};
		return copy_linear(sink, to, from, region_B);
	}
	const struct box box = {
		side_of(to, region, texel_B), side_of(from, region, texel_B),
		{region[0], region[1], region[2]}, texel_B,
	};
	return copy_box(sink, &box);
}

cl_int gpu_image_copy(struct gpu_stream *stream, const struct gpu_image_side *to,
		      const struct gpu_image_side *from, const uint64_t region[3],
		      uint32_t texel_B)
{
	return copy(gpu_into(stream), to, from, region, texel_B);
}

cl_int gpu_sink_image_copy(struct gpu_sink sink, const struct gpu_image_side *to,
			   const struct gpu_image_side *from, const uint64_t region[3],
			   uint32_t texel_B)
{
	return to->host || from->host ? CL_INVALID_OPERATION : copy(sink, to, from, region, texel_B);
}

static uint64_t at_least_one(uint64_t size)
{
	return size ? size : 1;
}

/* The context is current. */
static cl_int level_copy_peer(struct gpu_stream *stream, const struct gpu_array *to, const struct gpu_array *from,
			      uint32_t level)
{
	const struct gpu_extent extent = gpu_extent_of_level(&from->extent, level);
	CUDA_MEMCPY3D_PEER copy;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.srcArray = from->level[level].cu_array;
	copy.srcContext = atomic_load(&from->device->cu_context);
	copy.dstArray = to->level[level].cu_array;
	copy.dstContext = atomic_load(&to->device->cu_context);
	copy.WidthInBytes = extent.width * gpu_texel_B(&from->texel);
	copy.Height = at_least_one(extent.height);
	copy.Depth = at_least_one(extent.depth);
	return gpu_check(stream->device, cuda.cuMemcpy3DPeerAsync(&copy, stream->cu_stream));
}

cl_int gpu_array_copy_peer(struct gpu_stream *stream, const struct gpu_array *to,
			   const struct gpu_array *from)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter(stream->device, &scope);
	if (error)
		return error;
	gpu_stream_need(stream, from->device);
	for (uint32_t i = 0; i < gpu_extent_levels(&from->extent) && !error; i++)
		error = level_copy_peer(stream, to, from, i);
	gpu_leave(&scope);
	if (!error)
		gpu_stream_count(stream);
	return error;
}
