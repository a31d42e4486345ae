/* The operations of commands that read, write, copy, fill, map and migrate buffers. */
#include "config.h"

#include "icd/order/command.h"

#include "icd/order/queue.h"

/* A marker has no operation, only a place in the stream. */
const struct ocl_command_kind ocl_command_marker = {0};

/* --- memory of the application's ---------------------------------------------------------
 *
 * Which way the bytes go is decided where the command is made (backend/gpu_transfer.h).  Where that may not be
 * before what is ahead in the stream is done, it is waited for here. */

void ocl_command_note_host_write(const struct ocl_command *command, struct gpu_stream *stream)
{
	ocl_host_writes_note(&command->queue->context->host_writes, stream);
}

static enum ocl_delay planned_delay(const struct ocl_command *command)
{
	return command->u.transfer.plan.early ? OCL_DELAY_NONE : OCL_DELAY_GPU;
}

static cl_int read_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = transfer->plan.early ? CL_SUCCESS : ocl_command_stream_wait(stream);
	if (!error)
		error = gpu_transfer_to_host(stream, transfer->plan.way, transfer->host.to,
					     command->accesses[0].at.address, transfer->size_B);
	/* Only a pinned transfer writes the application's memory later; the others have written it when they return,
	 * or write to a slot. */
	if (!error && transfer->plan.way == GPU_TRANSFER_PINNED)
		ocl_command_note_host_write(command, stream);
	return error;
}

/* Pageable memory is read when the command is submitted.  That may be done before earlier commands are complete only
 * if none of them writes that memory. */
static enum ocl_delay write_delay(const struct ocl_command *command)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	if (transfer->plan.way == GPU_TRANSFER_PINNED)
		return OCL_DELAY_NONE;
	if (!transfer->plan.early ||
	    ocl_host_writes_are_pending(&command->queue->context->host_writes))
		return OCL_DELAY_GPU;
	if (transfer->plan.way == GPU_TRANSFER_SMALL)
		return OCL_DELAY_NONE;
	return gpu_transfer_has_room(command->queue->device->gpu, transfer->size_B)
		       ? OCL_DELAY_SHORT : OCL_DELAY_GPU;
}

/* Whether the write has to wait for earlier work in the stream. write_delay has been asked before: a read that was
 * enqueued since then does not precede this command.  If no slots were free, some probably are once the earlier work
 * is complete. */
static bool write_waits(const struct ocl_command *command)
{
	const struct gpu_transfer_plan *plan = &command->u.transfer.plan;
	return !plan->early ||
	       (command->delay == OCL_DELAY_GPU &&
		(plan->way == GPU_TRANSFER_RELAYED ||
		 ocl_host_writes_are_pending(&command->queue->context->host_writes)));
}

static cl_int write_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = write_waits(command) ? ocl_command_stream_wait(stream) : CL_SUCCESS;
	return error ? error : gpu_transfer_to_device(stream, transfer->plan.way,
						      command->accesses[0].at.address,
						      transfer->host.from, transfer->size_B);
}

/* accesses: the source and the target. */
static cl_int copy_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_access *from = &command->accesses[0];
	const gpu_address to = command->accesses[1].at.address;
	if (from->mode == OCL_ACCESS_AFAR)
		return ocl_storage_copy_out(from->mem->storage, &from->at, to);
	return gpu_sink_copy(sink, to, from->at.address, command->u.transfer.size_B);
}

/* The origins of rects are relative to the first byte of the access. */
static cl_int read_rect_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = transfer->plan.early ? CL_SUCCESS : ocl_command_stream_wait(stream);
	if (!error)
		error = gpu_copy_rect_to_host(stream, transfer->host.to, &transfer->other,
					      command->accesses[0].at.address, &transfer->buffer,
					      transfer->region_B);
	if (!error && transfer->plan.early)
		ocl_command_note_host_write(command, stream);
	return error;
}

static cl_int write_rect_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	cl_int error = transfer->plan.early ? CL_SUCCESS : ocl_command_stream_wait(stream);
	if (error)
		return error;
	return gpu_copy_rect_to_device(stream, command->accesses[0].at.address,
				       &transfer->buffer, transfer->host.from, &transfer->other,
				       transfer->region_B);
}

static cl_int copy_rect_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_transfer *transfer = &command->u.transfer;
	const struct ocl_access *from = &command->accesses[0];
	const struct ocl_box_out box = {command->accesses[1].at.address, &transfer->other,
					&transfer->buffer, transfer->region_B};
	if (from->mode == OCL_ACCESS_AFAR)
		return ocl_storage_copy_box_out(from->mem->storage, &from->at, &box);
	return gpu_sink_copy_rect(sink, command->accesses[1].at.address, &transfer->other,
				  command->accesses[0].at.address, &transfer->buffer,
				  transfer->region_B);
}

static cl_int fill_put(struct ocl_command *command, struct gpu_sink sink)
{
	const struct ocl_fill *fill = &command->u.fill;
	return gpu_sink_fill(sink, command->accesses[0].at.address, fill->pattern, fill->pattern_B,
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

/* A map has no access that ocl_command_delay could look at. */
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
	/* There is nothing to copy back if the map was only for reading, or if the map command has not run. */
	if (!(map->flags & OCL_MAP_WRITES) ||
	    !atomic_load_explicit(&map->ready, memory_order_acquire))
		return CL_SUCCESS;
	cl_int error = ocl_storage_host_commit(storage, map->lo_B, map->hi_B);
	/* The bytes are copied to the device now, because most are used by a kernel next.  Pageable memory, which is
	 * the application's (CL_MEM_USE_HOST_PTR), is copied only when a command needs it, because such a copy
	 * blocks a thread.  Programs that unmap, release the buffer and free their memory without waiting for the
	 * unmap's event then still work, although only the buffer's destructor callback says when the memory "is
	 * safe to be reused or freed" (OpenCL 3.0, clSetMemObjectDestructorCallback). */
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
		error = ocl_storage_migrate(access->mem->storage, access->at.device, stream, access->lo_B,
					    access->hi_B, command->u.to_host);
	}
	return error;
}

static cl_int advise_run(struct ocl_command *command, struct gpu_stream *stream)
{
	const struct ocl_access *access = command->accesses;
	(void)stream;
	return ocl_storage_advise(access->mem->storage, access->at.device, access->lo_B, access->hi_B,
				  command->u.advice);
}

/* A map has no access, so its command holds the reference to the memory object. */
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
	.run = read_run, .delay = planned_delay, .lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_write = {
	.run = write_run, .delay = write_delay, .lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_copy = {.put = copy_put};
const struct ocl_command_kind ocl_command_read_rect = {
	.run = read_rect_run, .delay = planned_delay, .lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_write_rect = {
	.run = write_rect_run, .delay = planned_delay, .lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_copy_rect = {.put = copy_rect_put};
const struct ocl_command_kind ocl_command_fill = {.put = fill_put};
const struct ocl_command_kind ocl_command_map = {
	.run = map_run, .delay = map_delay, .retain = ocl_command_map_retain, .release = ocl_command_map_release,
	.lanes = OCL_LANES_TO_HOST,
};
const struct ocl_command_kind ocl_command_unmap = {
	.run = unmap_run, .delay = map_delay, .retain = ocl_command_map_retain, .release = ocl_command_map_release,
	.lanes = OCL_LANES_TO_DEVICE,
};
const struct ocl_command_kind ocl_command_migrate = {.run = migrate_run};
const struct ocl_command_kind ocl_command_advise = {.run = advise_run};
