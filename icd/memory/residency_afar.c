/* Copies out of a storage whose bytes are read where they are, for example on another device, without bringing them
 * to the queue's device first. */
#include "config.h"

#include "icd/memory/residency.h"

#include "icd/memory/segment.h"

/* Chooses the location from which a segment is copied: the device itself if it has the bytes or cannot read the
 * others directly. */
static uint32_t afar_choose(const struct ocl_storage *storage, const struct segment *segment,
			    uint32_t device)
{
	const uint32_t from = segment->valid & segment_bit(device)
				      ? device
				      : ocl_storage_source(storage, segment);
	const struct gpu_device *source = storage->locations[from].gpu;
	return source && gpu_peer_is_open(storage->locations[device].gpu, source) ? from : device;
}

/* Makes range->stream wait until the segment's bytes at from can be copied. */
static cl_int afar_begin_locked(struct ocl_storage *storage, struct segment *segment, uint32_t from,
				const struct ocl_acquired *range)
{
	cl_int error;
	if (from == range->device) {
		error = ocl_storage_allocate_locked(storage, from);
		return error ? error
			     : ocl_storage_fetch_locked(storage, segment, from, range->stream);
	}
	error = ocl_stream_set_add(&storage->locations[from].streams, range->stream);
	if (!error)
		error = segment_wait_fill(segment, from, range->stream);
	return error ? error : segment_wait_writer(segment, range->stream);
}

/* Notes the copy that was put into the stream as a reader: later writers of the segment at from wait for it. */
static cl_int afar_end_locked(struct segment *segment, uint32_t from,
			      const struct ocl_acquired *range)
{
	struct gpu_event *copied;
	if (from == range->device)
		return CL_SUCCESS;
	cl_int error = gpu_event_record(range->stream, false, &copied);
	if (error)
		return error;
	error = segment_add_reader(segment, from, copied);
	gpu_event_unref(copied);
	return error;
}

static cl_int copy_out_locked(struct ocl_storage *storage, struct segment *segment,
			      const struct ocl_acquired *range, gpu_address to)
{
	const uint32_t from = afar_choose(storage, segment, range->device);
	const struct ocl_location *source = &storage->locations[from];
	const uint64_t size_B = segment->hi_B - segment->lo_B;
	cl_int error = afar_begin_locked(storage, segment, from, range);
	if (!error && from == range->device)
		error = gpu_copy_device(range->stream, to, source->address + segment->lo_B, size_B);
	else if (!error)
		error = gpu_copy_from_peer(range->stream, to, source->address + segment->lo_B,
					   source->gpu, !source->adopted && !source->managed, size_B);
	return error ? error : afar_end_locked(segment, from, range);
}

bool ocl_storage_copies_out(const struct ocl_storage *storage)
{
	return storage->device_count > 1 && storage->place == OCL_PLACE_OWN && !storage->arrays &&
	       !storage->pageable;
}

/* Whether the segment is in the range and has defined bytes; undefined ones are not copied. */
static bool has_bytes_of(const struct segment *segment, const struct ocl_acquired *range)
{
	return segment->valid && segment_is_within(segment, range->lo_B, range->hi_B);
}

cl_int ocl_storage_copy_out(struct ocl_storage *storage, const struct ocl_acquired *acquired,
			    gpu_address to)
{
	struct list *link, *next;
	lock_take(&storage->lock);
	cl_int error = ocl_storage_prepare_locked(storage, acquired);
	list_for_each(link, next, &storage->segments)
	{
		struct segment *segment = list_entry(link, struct segment, link);
		if (!error && has_bytes_of(segment, acquired))
			error = copy_out_locked(storage, segment, acquired,
						to + (segment->lo_B - acquired->lo_B));
	}
	lock_drop(&storage->lock);
	return error;
}

/* Chooses the one location from which a whole box is copied: the device itself if no other location has all of it.
 * *from_out: device_count if the box has no defined bytes. */
static void box_choose_locked(const struct ocl_storage *storage, const struct ocl_acquired *range,
			      uint32_t *from_out)
{
	const uint32_t none = storage->device_count;
	const struct list *link;
	*from_out = none;
	for (link = storage->segments.next; link != &storage->segments; link = link->next) {
		const struct segment *segment = list_entry(link, struct segment, link);
		if (!has_bytes_of(segment, range))
			continue;
		const uint32_t from = afar_choose(storage, segment, range->device);
		if (*from_out != none && *from_out != from)
			*from_out = range->device;
		else
			*from_out = from;
		if (*from_out == range->device)
			return;
	}
}

cl_int ocl_storage_copy_box_out(struct ocl_storage *storage, const struct ocl_acquired *acquired,
				const struct ocl_box_out *box)
{
	struct list *link, *next;
	uint32_t from;
	lock_take(&storage->lock);
	cl_int error = ocl_storage_prepare_locked(storage, acquired);
	box_choose_locked(storage, acquired, &from);
	const struct ocl_location *source = &storage->locations[from];
	list_for_each(link, next, &storage->segments)
	{
		struct segment *segment = list_entry(link, struct segment, link);
		if (!error && has_bytes_of(segment, acquired))
			error = afar_begin_locked(storage, segment, from, acquired);
	}
	if (!error && source->gpu)
		error = gpu_copy_rect_peer(acquired->stream, box->to,
					   storage->locations[acquired->device].gpu, box->to_rect,
					   source->address + acquired->lo_B, source->gpu,
					   box->from_rect, box->region_B);
	list_for_each(link, next, &storage->segments)
	{
		struct segment *segment = list_entry(link, struct segment, link);
		if (!error && has_bytes_of(segment, acquired))
			error = afar_end_locked(segment, from, acquired);
	}
	lock_drop(&storage->lock);
	return error;
}
