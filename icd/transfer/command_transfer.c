/* What the commands that move bytes put into the stream. */
#include "config.h"

#include "icd/order/command.h"

#include "icd/order/queue.h"

/* A marker has no operation: its place in the stream is all. */
const struct ocl_command_kind ocl_command_marker = {0};

/* --- memory of the application's ---------------------------------------------------------
 *
 * The driver's copies of pageable memory wait for all that is ahead in the stream, with
 * a core at full load: it is waited for here, before. */

/* The driver reads so much of pageable memory before its call returns, waiting for
 * nothing. */
enum { DRIVER_STAGES_B = 1 << 16 };

void ocl_command_note_host_write(const struct ocl_command *command, struct gpu_stream *stream)
{
	ocl_host_writes_note(&command->queue->context->host_writes, stream);
}

static enum ocl_delay pinned_delay(const struct ocl_command *command)
{
	return command->u.transfer.pinned ? OCL_DELAY_NONE : OCL_DELAY_GPU;
}

static cl_int read_pageable(const struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = ocl_command_stream_wait(stream);
	return error ? error : gpu_copy_to_host_pageable(stream, transfer->host.to,
							 command->accesses[0].at.address,
							 transfer->size_B);
}

static cl_int read_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	if (!transfer->pinned)
		return read_pageable(command, stream);
	cl_int error = gpu_copy_to_host(stream, transfer->host.to,
					command->accesses[0].at.address, transfer->size_B);
	if (!error && !transfer->own)
		ocl_command_note_host_write(command, stream);
	return error;
}

/* Whether the bytes may go by way of slots.  Where one thread alone copies there the driver is
 * faster, so they do only if it would make a caller wait who did not ask for it. */
static bool write_is_staged(const struct ocl_transfer *transfer)
{
	return !transfer->pinned && transfer->size_B > DRIVER_STAGES_B &&
	       transfer->size_B <= GPU_STAGED_MAX_B &&
	       (!transfer->blocking || gpu_copy_is_relayed(transfer->size_B));
}

/* Pageable bytes are read when the command is submitted, which is early only if what
 * comes before it does not write them. */
static enum ocl_delay write_delay(const struct ocl_command *command)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	if (transfer->pinned)
		return OCL_DELAY_NONE;
	if (ocl_host_writes_are_pending(&command->queue->context->host_writes))
		return OCL_DELAY_GPU;
	if (transfer->size_B <= DRIVER_STAGES_B)
		return OCL_DELAY_NONE;
	return write_is_staged(transfer) &&
	       gpu_staging_has_room(command->queue->device->gpu, transfer->size_B)
		? OCL_DELAY_SHORT : OCL_DELAY_GPU;
}

static cl_int write_pageable(const struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	const gpu_address to = command->accesses[0].at.address;
	const bool relayed = gpu_copy_is_relayed(transfer->size_B);
	const bool staged = write_is_staged(transfer) &&
			    (relayed || !gpu_stream_reached(stream, gpu_stream_last(stream)));
	/* Who was not to wait has asked before: a read that came since is not ahead of it.
	 * Slots of which there were none are free, likely, once what is ahead has happened. */
	const bool waits = (command->delay == OCL_DELAY_GPU &&
			    (relayed || ocl_host_writes_are_pending(
						&command->queue->context->host_writes))) ||
			   (transfer->size_B > DRIVER_STAGES_B && !staged);
	const cl_int error = waits ? ocl_command_stream_wait(stream) : CL_SUCCESS;
	if (error)
		return error;
	if (staged)
		return gpu_copy_to_device_staged(stream, to, transfer->host.from, transfer->size_B);
	return waits ? gpu_copy_to_device_pageable(stream, to, transfer->host.from, transfer->size_B)
		     : gpu_copy_to_device(stream, to, transfer->host.from, transfer->size_B);
}

static cl_int write_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	if (!transfer->pinned)
		return write_pageable(command, stream);
	return gpu_copy_to_device(stream, command->accesses[0].at.address, transfer->host.from,
				  transfer->size_B);
}

/* accesses: the source, then the target. */
static cl_int copy_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_access *from = &command->accesses[0];
	const gpu_address to = command->accesses[1].at.address;
	if (from->mode == OCL_ACCESS_AFAR)
		return ocl_storage_copy_out(from->mem->storage, &from->at, to);
	return gpu_copy_device(stream, to, from->at.address, command->u.transfer.size_B);
}

/* The rects' origins are counted from the first byte of the access. */
static cl_int read_rect_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = transfer->pinned ? CL_SUCCESS : ocl_command_stream_wait(stream);
	if (!error)
		error = gpu_copy_rect_to_host(stream, transfer->host.to, &transfer->other,
					      command->accesses[0].at.address, &transfer->buffer,
					      transfer->region_B);
	if (!error && transfer->pinned)
		ocl_command_note_host_write(command, stream);
	return error;
}

static cl_int write_rect_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = transfer->pinned ? CL_SUCCESS : ocl_command_stream_wait(stream);
	if (error)
		return error;
	return gpu_copy_rect_to_device(stream, command->accesses[0].at.address,
				       &transfer->buffer, transfer->host.from, &transfer->other,
				       transfer->region_B);
}

static cl_int copy_rect_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	const struct ocl_access *from = &command->accesses[0];
	const struct ocl_box_out box = {command->accesses[1].at.address, &transfer->other,
					&transfer->buffer, transfer->region_B};
	if (from->mode == OCL_ACCESS_AFAR)
		return ocl_storage_copy_box_out(from->mem->storage, &from->at, &box);
	return gpu_copy_rect_device(stream, command->accesses[1].at.address, &transfer->other,
				    command->accesses[0].at.address, &transfer->buffer,
				    transfer->region_B);
}

static cl_int fill_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_fill *fill = &command->u.fill;
	return gpu_fill(stream, command->accesses[0].at.address, fill->pattern, fill->pattern_B,
			fill->size_B);
}

/* --- map and unmap ---------------------------------------------------------------------- */

static cl_int map_run(struct ocl_command *command, struct gpu_stream *stream)
{
	struct ocl_map *map = command->u.map;
	unsigned mode = 0;
	if (!(map->flags & CL_MAP_WRITE_INVALIDATE_REGION))
		mode |= OCL_ACCESS_READ;
	if (map->flags & OCL_MAP_WRITES)
		mode |= OCL_ACCESS_WRITE;
	cl_int error = ocl_storage_host_acquire(map->mem->storage, command->queue->device_index,
						stream, map->lo_B, map->hi_B,
						(enum ocl_access_mode)mode);
	if (error)
		return error;
	atomic_store_explicit(&map->ready, true, memory_order_release);
	ocl_command_note_host_write(command, stream);
	return CL_SUCCESS;
}

/* The map's mem is no access: ocl_command_delay does not see it. */
static enum ocl_delay map_delay(const struct ocl_command *command)
{
	return ocl_storage_is_slow(command->u.map->mem->storage) ? OCL_DELAY_GPU
								 : OCL_DELAY_NONE;
}

static cl_int unmap_run(struct ocl_command *command, struct gpu_stream *stream)
{
	struct ocl_map *map = command->u.map;
	struct ocl_storage *storage = map->mem->storage;
	struct ocl_acquired at;
	/* Nothing to bring back when it was only read, or when the map command never ran. */
	if (!(map->flags & OCL_MAP_WRITES) ||
	    !atomic_load_explicit(&map->ready, memory_order_acquire))
		return CL_SUCCESS;
	cl_int error = ocl_storage_host_commit(storage, map->lo_B, map->hi_B);
	/* Pushed now, for most mapped bytes are for a kernel to come.  Pageable ones, which are the
	 * application's (CL_MEM_USE_HOST_PTR), stay until a command asks for them: the copy keeps a
	 * thread from its work wherever it stands, and programs unmap, release and free without a
	 * look at the unmap's event, though it is the buffer's destructor callback that says when
	 * the memory "is safe to be reused or freed" (OpenCL 3.0, clSetMemObjectDestructorCallback). */
	if (!error && !ocl_storage_is_slow(storage))
		error = ocl_storage_acquire(storage, command->queue->device_index, stream,
					    map->lo_B, map->hi_B, OCL_ACCESS_READ, &at);
	return error;
}

static cl_int migrate_run(struct ocl_command *command, struct gpu_stream *stream)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < command->access_count && !error; i++) {
		const struct ocl_access *access = &command->accesses[i];
		error = ocl_storage_migrate(access->mem->storage, stream, access->lo_B,
					    access->hi_B, command->u.to_host);
	}
	return error;
}

/* The map's mem is kept by the map and its command alike: a map has no access. */
void ocl_command_map_retain(struct ocl_command *command)
{
	object_ref(command->u.map->mem);
	ocl_map_ref(command->u.map);
}

void ocl_command_map_release(struct ocl_command *command)
{
	cl_mem mem = command->u.map->mem;
	ocl_map_unref(command->u.map);
	object_unref(mem);
}

const struct ocl_command_kind ocl_command_read = {
	.run = read_run, .delay = pinned_delay, .lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_write = {
	.run = write_run, .delay = write_delay, .lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_copy = {.run = copy_run};
const struct ocl_command_kind ocl_command_read_rect = {
	.run = read_rect_run, .delay = pinned_delay, .lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_write_rect = {
	.run = write_rect_run, .delay = pinned_delay, .lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_copy_rect = {.run = copy_rect_run};
const struct ocl_command_kind ocl_command_fill = {.run = fill_run};
const struct ocl_command_kind ocl_command_map = {
	.run = map_run, .delay = map_delay, .retain = ocl_command_map_retain, .release = ocl_command_map_release,
	.lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_unmap = {
	.run = unmap_run, .delay = map_delay, .retain = ocl_command_map_retain, .release = ocl_command_map_release,
	.lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_migrate = {.run = migrate_run};
