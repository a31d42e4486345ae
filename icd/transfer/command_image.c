/* The operations of commands with images. */
#include "config.h"

#include "icd/order/command.h"

#include "icd/order/queue.h"

#include <string.h>

/* Copies of pageable memory wait for earlier work in the stream (command_transfer.c). */
static enum ocl_delay planned_delay(const struct ocl_command *command)
{
	return command->u.image.plan.early ? OCL_DELAY_NONE : OCL_DELAY_GPU;
}

static struct gpu_image_side image_side(const struct ocl_access *access, const struct ocl_image_box *box)
{
	return ocl_image_side(access->mem, &access->at, box->origin, box->level);
}

static cl_int read_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_image_transfer *transfer = &command->u.image;
	const struct ocl_access *access = &command->accesses[0];
	const struct gpu_image_side from = image_side(access, &transfer->box);
	const struct gpu_image_side to = {
		.host = transfer->host.to,
		.row_pitch_B = transfer->row_pitch_B,
		.slice_pitch_B = transfer->slice_pitch_B,
	};
	cl_int error = transfer->plan.early ? CL_SUCCESS : ocl_command_stream_wait(stream);
	if (!error)
		error = gpu_image_copy(stream, &to, &from, transfer->box.region,
				       access->mem->image->texel_B);
	if (!error && transfer->plan.early)
		ocl_command_note_host_write(command, stream);
	return error;
}

static cl_int write_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_image_transfer *transfer = &command->u.image;
	const struct ocl_access *access = &command->accesses[0];
	const struct gpu_image_side to = image_side(access, &transfer->box);
	/* host is not const, but the copy only reads it. */
	const struct gpu_image_side from = {
		.host = transfer->host.to,
		.row_pitch_B = transfer->row_pitch_B,
		.slice_pitch_B = transfer->slice_pitch_B,
	};
	cl_int error = transfer->plan.early ? CL_SUCCESS : ocl_command_stream_wait(stream);
	return error ? error : gpu_image_copy(stream, &to, &from, transfer->box.region,
					      access->mem->image->texel_B);
}

/* accesses: the buffer's range and the image. */
static struct gpu_image_side buffer_side(const struct ocl_command *command)
{
	return (struct gpu_image_side){
		.address = command->accesses[0].at.address,
		.row_pitch_B = command->u.image.row_pitch_B,
		.slice_pitch_B = command->u.image.slice_pitch_B,
	};
}

static cl_int to_buffer_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_access *access = &command->accesses[1];
	const struct gpu_image_side to = buffer_side(command);
	const struct gpu_image_side from = image_side(access, &command->u.image.box);
	return gpu_sink_image_copy(sink, &to, &from, command->u.image.box.region,
				   access->mem->image->texel_B);
}

static cl_int from_buffer_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_access *access = &command->accesses[1];
	const struct gpu_image_side to = image_side(access, &command->u.image.box);
	const struct gpu_image_side from = buffer_side(command);
	return gpu_sink_image_copy(sink, &to, &from, command->u.image.box.region,
				   access->mem->image->texel_B);
}

/* accesses: the source and the target.  The rows of a region are layers in a 1D array and may be lines in the other
 * image; then they are copied one by one. */
static cl_int copy_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_access *source = &command->accesses[0], *target = &command->accesses[1];
	struct ocl_image_box from = command->u.image.box, to = command->u.image.target;
	const bool alike = from.region[1] == to.region[1];
	const unsigned from_row = from.region[1] > 1 ? 1 : 2, to_row = to.region[1] > 1 ? 1 : 2;
	const uint64_t rows = alike ? 1 : from.region[from_row];
	cl_int error = CL_SUCCESS;
	if (!alike)
		from.region[from_row] = 1;
	for (uint64_t i = 0; i < rows && !error; i++) {
		const struct gpu_image_side from_side = image_side(source, &from);
		const struct gpu_image_side to_side = image_side(target, &to);
		error = gpu_sink_image_copy(sink, &to_side, &from_side, from.region,
					    source->mem->image->texel_B);
		from.origin[from_row]++;
		to.origin[to_row]++;
	}
	return error;
}

/* Copies the first row or slice of a box in linear memory to all others, each time as many as have it by then.
 * dimension: 0 for the first texel or group of one row, 1 for rows, 2 for slices. */
static cl_int spread(const struct ocl_access *access, const struct ocl_image_box *box, unsigned dimension,
		     struct gpu_sink sink)
{
	const struct gpu_image_side from = image_side(access, box);
	struct ocl_image_box part = *box;
	cl_int error = CL_SUCCESS;
	for (uint64_t done = 1; done < box->region[dimension] && !error; done += part.region[dimension]) {
		const uint64_t left = box->region[dimension] - done;
		part.origin[dimension] = box->origin[dimension] + done;
		part.region[dimension] = done < left ? done : left;
		const struct gpu_image_side to = image_side(access, &part);
		error = gpu_sink_image_copy(sink, &to, &from, part.region, access->mem->image->texel_B);
	}
	return error;
}

/* Fills the first row of a box whose groups have no size that CUDA fills. */
static cl_int groups_fill(const struct ocl_access *access, const struct ocl_image_transfer *transfer,
			  struct gpu_sink sink)
{
	const struct gpu_image_side side = image_side(access, &transfer->box);
	struct ocl_image_box row = transfer->box;
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < access->mem->image->texel_B && !error; i++)
		error = gpu_sink_fill(sink, side.address + i, &transfer->texel[i], 1, 1);
	row.region[1] = row.region[2] = 1;
	return error ? error : spread(access, &row, 0, sink);
}

/* CUDA fills one range of bytes at a time: here that is a row, or a slice if rows follow each other without padding. */
static cl_int fill_linear(const struct ocl_access *access,
			  const struct ocl_image_transfer *transfer, struct gpu_sink sink)
{
	const uint32_t texel_B = access->mem->image->texel_B;
	const uint64_t *region = transfer->box.region;
	const struct gpu_image_side side = image_side(access, &transfer->box);
	const uint64_t row_B = region[0] * texel_B;
	const bool groups = access->mem->image->group > 1;
	const bool padded = groups || row_B != side.row_pitch_B;
	struct ocl_image_box slice = transfer->box;
	slice.region[2] = 1;
	cl_int error = groups ? groups_fill(access, transfer, sink)
			      : gpu_sink_fill(sink, side.address, transfer->texel, texel_B,
					      padded ? row_B : row_B * region[1]);
	if (!error && padded)
		error = spread(access, &slice, 1, sink);
	return error ? error : spread(access, &transfer->box, 2, sink);
}

static cl_int fill_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_image_transfer *transfer = &command->u.image;
	const struct ocl_access *access = &command->accesses[0];
	if (!access->at.array)
		return fill_linear(access, transfer, sink);
	return gpu_sink_array_fill(sink, access->at.array, transfer->box.level, transfer->box.origin,
				   transfer->box.region, transfer->texel);
}

/* --- map and unmap: copies between the image and its shadow --------------------------- */

static enum ocl_delay map_delay(const struct ocl_command *command)
{
	const bool copies = command->access_count;
	return copies && !command->u.map->mem->image->shadow_pinned ? OCL_DELAY_GPU
								    : OCL_DELAY_NONE;
}

static struct gpu_image_side map_side(const struct ocl_map *map)
{
	return (struct gpu_image_side){
		.host = map->pointer,
		.row_pitch_B = map->row_pitch_B,
		.slice_pitch_B = map->slice_pitch_B,
	};
}

static struct gpu_image_side map_place(const struct ocl_command *command, const struct ocl_map *map)
{
	return ocl_image_side(map->mem, &command->accesses[0].at, map->origin, map->level);
}

/* Whether the texels are in memory of the application that devices use in place. */
static bool is_in_place(const struct ocl_map *map)
{
	return map->mem->storage->place == OCL_PLACE_TAKEN;
}

/* A map that invalidates its region has no access, and nothing to copy. */
static cl_int map_run(struct ocl_command *command, struct gpu_stream *stream)
{
	struct ocl_map *map = command->u.map;
	const struct ocl_image *image = map->mem->image;
	cl_int error = CL_SUCCESS;
	if (command->access_count && !is_in_place(map)) {
		const struct gpu_image_side to = map_side(map);
		const struct gpu_image_side from = map_place(command, map);
		if (!image->shadow_pinned)
			error = ocl_command_stream_wait(stream);
		if (!error)
			error = gpu_image_copy(stream, &to, &from, map->region, image->texel_B);
	}
	if (error)
		return error;
	atomic_store_explicit(&map->ready, true, memory_order_release);
	ocl_command_note_host_write(command, stream);
	return CL_SUCCESS;
}

/* There is nothing to copy back if the map was only for reading, or if the map command has not run. */
static cl_int unmap_run(struct ocl_command *command, struct gpu_stream *stream)
{
	struct ocl_map *map = command->u.map;
	const struct ocl_image *image = map->mem->image;
	cl_int error = CL_SUCCESS;
	if (!command->access_count || is_in_place(map) ||
	    !atomic_load_explicit(&map->ready, memory_order_acquire))
		return CL_SUCCESS;
	const struct gpu_image_side to = map_place(command, map);
	const struct gpu_image_side from = map_side(map);
	if (!image->shadow_pinned)
		error = ocl_command_stream_wait(stream);
	return error ? error : gpu_image_copy(stream, &to, &from, map->region, image->texel_B);
}

const struct ocl_command_kind ocl_command_image_read = {
	.run = read_run, .delay = planned_delay, .lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_image_write = {
	.run = write_run, .delay = planned_delay, .lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_image_copy = {.put = copy_put};
const struct ocl_command_kind ocl_command_image_to_buffer = {.put = to_buffer_put};
const struct ocl_command_kind ocl_command_buffer_to_image = {.put = from_buffer_put};
const struct ocl_command_kind ocl_command_image_fill = {.put = fill_put};
const struct ocl_command_kind ocl_command_image_map = {
	.run = map_run, .delay = map_delay, .retain = ocl_command_map_retain,
	.release = ocl_command_map_release, .lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_image_unmap = {
	.run = unmap_run, .delay = map_delay, .retain = ocl_command_map_retain,
	.release = ocl_command_map_release, .lanes = OCL_LANES_TO_DEVICE,
};
