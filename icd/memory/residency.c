#include "config.h"

#include "icd/memory/residency.h"

#include "backend/gpu_transfer.h"
#include "base/zeroed.h"
#include "icd/memory/segment.h"

#include <stdlib.h>
#include <string.h>

/* With more than SEGMENTS_TIDY segments each access tries to merge some; with more than SEGMENTS_MAX all bytes are
 * brought to one device and become one segment. */
enum { SEGMENTS_TIDY = 32, SEGMENTS_MAX = 64 };

static uint32_t host_place(const struct ocl_storage *storage)
{
	return storage->device_count;
}

/* --- creation ------------------------------------------------------------------ */

static struct ocl_storage *storage_new(cl_context context, uint64_t size_B)
{
	const uint32_t count = context->gpu_count;
	const size_t head_B = sizeof(struct ocl_storage) +
			      (count + 1) * sizeof(struct ocl_location);
	struct ocl_storage *storage = zeroed(head_B + segment_size_B(count + 1));
	if (!storage)
		return NULL;
	if (lock_init(&storage->lock, LOCK_RANK_MEM))
		goto fail_lock;
	if (lock_condition_init(&storage->idle))
		goto fail_condition;
	struct segment *all = (struct segment *)((char *)storage + head_B);
	segment_init(all, 0, size_B, count + 1);
	list_init(&storage->segments);
	list_append(&storage->segments, &all->link);
	storage->segment_count = 1;
	list_init(&storage->maps);
	storage->size_B = size_B;
	storage->device_count = count;
	atomic_init(&storage->tracked, count > 1);
	for (uint32_t i = 0; i < count; i++)
		storage->locations[i].gpu = context->gpus[i];
	return storage;
fail_condition:
	lock_finish(&storage->lock);
fail_lock:
	free(storage);
	return NULL;
}

cl_int ocl_storage_allocate_locked(struct ocl_storage *storage, uint32_t place)
{
	struct ocl_location *location = &storage->locations[place];
	if (location->address || location->array)
		return CL_SUCCESS;
	if (storage->arrays)
		return gpu_array_create(location->gpu, &storage->texels.texel,
					&storage->texels.extent, &location->array);
	cl_int error = gpu_memory_alloc(location->gpu, storage->size_B, &location->address);
	if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE)
		error = ocl_storage_allocate_beyond(storage, location);
	if (!error)
		gpu_memory_note(location->address, storage->size_B, true, storage->read_only,
				storage->write_only);
	return error;
}

static uint64_t at_least_one(uint64_t size)
{
	return size ? size : 1;
}

static cl_int array_upload(const struct ocl_texels *texels, const struct ocl_location *location,
			   const struct gpu_image_side *from, struct gpu_stream *stream)
{
	const struct gpu_image_side to = {.array = location->array};
	const uint64_t region[3] = {texels->extent.width, at_least_one(texels->extent.height),
				    at_least_one(texels->extent.depth)};
	return gpu_image_copy(stream, &to, from, region, gpu_texel_B(&texels->texel));
}

static cl_int bytes_upload(const struct ocl_storage *storage, const struct ocl_location *location,
			   const void *from, struct gpu_stream *stream)
{
	const struct gpu_transfer transfer = {GPU_TO_DEVICE, from, storage->size_B,
					      .blocking = true};
	return gpu_transfer_to_device(stream, gpu_transfer_plan_pageable(&transfer).way,
				      location->address, from, storage->size_B);
}

/* Copies bytes to a device and waits: the caller may change them afterwards. */
static cl_int content_upload(struct ocl_storage *storage, uint32_t place,
			     const struct gpu_image_side *from)
{
	const struct ocl_location *location = &storage->locations[place];
	struct gpu_stream *stream;
	cl_int error = gpu_stream_acquire(location->gpu, 0, &stream);
	if (error)
		return error;
	if (storage->arrays)
		error = array_upload(&storage->texels, location, from, stream);
	else
		error = bytes_upload(storage, location, from->host, stream);
	const cl_int drained = gpu_stream_drain(stream);
	gpu_stream_release(stream);
	return error ? error : drained;
}

cl_int ocl_storage_shadow_allocate(const struct ocl_storage *storage, struct gpu_device **gpu_out,
				   void **shadow_out)
{
	*gpu_out = ocl_storage_living_device(storage);
	return gpu_host_alloc(*gpu_out, storage->size_B, shadow_out)
		       ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

static cl_int shadow_make(struct ocl_storage *storage)
{
	void *shadow;
	cl_int error = ocl_storage_shadow_allocate(storage, &storage->shadow_owner, &shadow);
	if (error)
		return error;
	storage->shadow = shadow;
	return CL_SUCCESS;
}

/* Sets the initial contents.  No lock is needed, because no other thread knows the storage yet. */
static cl_int content_set(struct ocl_storage *storage, enum ocl_content content, void *from)
{
	struct segment *all = list_entry(storage->segments.next, struct segment, link);
	const bool one_device = storage->device_count == 1;
	cl_int error = CL_SUCCESS;
	if (content == OCL_CONTENT_SHARE) {
		storage->shadow = from;
		storage->pageable = !gpu_host_is_pinned(ocl_storage_living_device(storage), from,
							storage->size_B);
		atomic_store(&storage->tracked, true);
		all->valid = segment_bit(host_place(storage));
	}
	if (content == OCL_CONTENT_COPY && !one_device) {
		error = shadow_make(storage);
		if (error)
			return error;
		memcpy(storage->shadow, from, storage->size_B);
		all->valid = segment_bit(host_place(storage));
	}
	if (content != OCL_CONTENT_UNDEFINED && one_device) {
		const struct gpu_image_side side = {.host = from};
		error = content_upload(storage, 0, &side);
		all->valid |= 1;
	}
	return error;
}

cl_int ocl_storage_create(cl_context context, uint64_t size_B, enum ocl_content content,
			  void *from, bool pins_whole, struct ocl_storage **storage_out)
{
	struct ocl_storage *storage = NULL;
	if (context->gpu_count >= SEGMENT_PLACES_MAX)
		return CL_OUT_OF_RESOURCES;
	storage = storage_new(context, size_B);
	if (!storage)
		return CL_OUT_OF_HOST_MEMORY;
	storage->pins_whole = pins_whole || size_B <= OCL_STORAGE_WINDOW_B;
	cl_int error = CL_SUCCESS;
	if (storage->device_count == 1)
		error = ocl_storage_allocate_locked(storage, 0);
	if (!error)
		error = content_set(storage, content, from);
	if (error) {
		ocl_storage_destroy(storage);
		return error;
	}
	*storage_out = storage;
	return CL_SUCCESS;
}

void ocl_storage_restrict(struct ocl_storage *storage, bool read_only, bool write_only)
{
	storage->read_only = read_only;
	storage->write_only = write_only;
	for (uint32_t i = 0; i < storage->device_count; i++)
		if (storage->locations[i].address)
			gpu_memory_note(storage->locations[i].address, storage->size_B, false, read_only,
					write_only);
}

cl_int ocl_storage_create_shared(cl_context context, uint64_t size_B, unsigned places,
				 uint32_t owner, uint32_t align_B, bool moves_whole,
				 struct ocl_storage **storage_out)
{
	if (context->gpu_count >= SEGMENT_PLACES_MAX)
		return CL_OUT_OF_RESOURCES;
	struct ocl_storage *storage = storage_new(context, size_B);
	if (!storage)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_store(&storage->tracked, false);
	storage->pins_whole = true;
	cl_int error = ocl_storage_allocate_shared(storage, places, owner, align_B);
	storage->moves = storage->place == OCL_PLACE_MANAGED;
	storage->moves_whole = moves_whole && storage->moves;
	atomic_store(&storage->at_host, storage->moves);
	if (error)
		ocl_storage_destroy(storage);
	else
		*storage_out = storage;
	return error;
}

cl_int ocl_storage_take_host(cl_context context, uint64_t size_B, void *pointer, struct ocl_storage **storage_out)
{
	struct ocl_storage *storage = storage_new(context, size_B);
	if (!storage)
		return CL_OUT_OF_HOST_MEMORY;
	struct ocl_location *location = &storage->locations[0];
	cl_int error = gpu_host_register(location->gpu, pointer, size_B, &location->address);
	if (error) {
		location->address = 0;
		ocl_storage_destroy(storage);
		return error;
	}
	storage->place = OCL_PLACE_TAKEN;
	storage->registered = true;
	storage->shadow = pointer;
	storage->shadow_owner = location->gpu;
	*storage_out = storage;
	return CL_SUCCESS;
}

cl_int ocl_storage_adopt(cl_context context, uint64_t size_B, uint32_t device,
			 gpu_address address, struct gpu_external *external,
			 struct ocl_storage **storage_out)
{
	if (context->gpu_count >= SEGMENT_PLACES_MAX)
		return CL_OUT_OF_RESOURCES;
	struct ocl_storage *storage = storage_new(context, size_B);
	if (!storage)
		return CL_OUT_OF_HOST_MEMORY;
	storage->pins_whole = size_B <= OCL_STORAGE_WINDOW_B;
	storage->locations[device].address = address;
	storage->locations[device].adopted = true;
	storage->locations[device].external = external;
	list_entry(storage->segments.next, struct segment, link)->valid = segment_bit(device);
	*storage_out = storage;
	return CL_SUCCESS;
}

static cl_int array_storage_new(cl_context context, const struct ocl_texels *texels,
				struct ocl_storage **storage_out)
{
	const uint64_t size_B = gpu_extent_texels(&texels->extent, gpu_extent_levels(&texels->extent)) *
				gpu_texel_B(&texels->texel);
	if (context->gpu_count >= SEGMENT_PLACES_MAX)
		return CL_OUT_OF_RESOURCES;
	struct ocl_storage *storage = storage_new(context, size_B);
	if (!storage)
		return CL_OUT_OF_HOST_MEMORY;
	storage->arrays = true;
	storage->texels = *texels;
	*storage_out = storage;
	return CL_SUCCESS;
}

cl_int ocl_storage_adopt_array(cl_context context, const struct ocl_texels *texels, uint32_t device,
			       struct gpu_array *array, struct ocl_storage **storage_out)
{
	cl_int error = array_storage_new(context, texels, storage_out);
	if (error)
		return error;
	(*storage_out)->locations[device].array = array;
	list_entry((*storage_out)->segments.next, struct segment, link)->valid = segment_bit(device);
	return CL_SUCCESS;
}

cl_int ocl_storage_create_array(cl_context context, const struct ocl_texels *texels,
				const struct gpu_image_side *from, struct ocl_storage **storage_out)
{
	struct ocl_storage *storage;
	cl_int error = array_storage_new(context, texels, &storage);
	if (error)
		return error;
	const uint32_t place = ocl_storage_living_place(storage);
	if (storage->device_count == 1 || from)
		error = ocl_storage_allocate_locked(storage, place);
	if (!error && from)
		error = content_upload(storage, place, from);
	if (error) {
		ocl_storage_destroy(storage);
		return error;
	}
	if (from)
		list_entry(storage->segments.next, struct segment, link)->valid =
			segment_bit(place);
	*storage_out = storage;
	return CL_SUCCESS;
}

static void location_finish(struct ocl_storage *storage, struct ocl_location *location)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	if (location->gpu && storage->place == OCL_PLACE_OWN &&
	    (!location->adopted || location->external) &&
	    (location->address || location->array)) {
		ocl_stream_set_collect(&location->streams, &witnesses);
		if (location->external)
			gpu_external_release(location->gpu, location->external, witnesses.events,
					     witnesses.count);
		else if (location->managed)
			gpu_managed_free(location->managed, witnesses.events, witnesses.count);
		else
			gpu_memory_give_back(location->gpu, location->address, storage->size_B,
					     witnesses.events, witnesses.count);
		gpu_array_destroy(location->array, witnesses.events, witnesses.count);
		ocl_witnesses_finish(&witnesses);
	}
	if (!location->gpu && storage->place != OCL_PLACE_OWN)
		ocl_storage_free_shared(storage);
	else if (!location->gpu && storage->window)
		gpu_window_destroy(storage->window);
	else if (!location->gpu && storage->shadow && storage->shadow_owner)
		gpu_host_free(storage->shadow_owner, storage->shadow, storage->size_B);
	ocl_stream_set_finish(&location->streams);
}

void ocl_storage_destroy(struct ocl_storage *storage)
{
	struct list *link, *next;
	if (!storage)
		return;
	for (uint32_t i = 0; i <= storage->device_count; i++)
		location_finish(storage, &storage->locations[i]);
	/* A storage that is not tracked has one segment, which is part of its struct and has no events. */
	if (atomic_load_explicit(&storage->tracked, memory_order_relaxed))
		list_for_each(link, next, &storage->segments)
			segment_destroy(list_entry(link, struct segment, link));
	lock_condition_finish(&storage->idle);
	lock_finish(&storage->lock);
	free(storage);
}

void ocl_storage_collect(struct ocl_storage *storage, struct ocl_witnesses *witnesses)
{
	for (uint32_t i = 0; i <= storage->device_count; i++)
		ocl_stream_set_collect(&storage->locations[i].streams, witnesses);
}

cl_int ocl_storage_place(struct ocl_storage *storage, uint32_t device, gpu_address *address_out,
			 struct gpu_array **array_out)
{
	lock_take(&storage->lock);
	const cl_int error = ocl_storage_allocate_locked(storage, device);
	*address_out = storage->locations[device].address;
	if (array_out)
		*array_out = storage->locations[device].array;
	lock_drop(&storage->lock);
	return error;
}

/* --- copies between locations ---------------------------------------------------- */

static void idle_wait_locked(struct ocl_storage *storage)
{
	while (storage->busy)
		lock_condition_wait(&storage->idle, &storage->lock);
}

/* A copy of pageable memory blocks, so it runs without the lock; meanwhile busy is set, and other threads that use
 * this storage wait until it is clear. */
static void busy_begin_locked(struct ocl_storage *storage)
{
	storage->busy = true;
	lock_drop(&storage->lock);
}

static void busy_end(struct ocl_storage *storage)
{
	lock_take(&storage->lock);
	storage->busy = false;
	lock_condition_signal_all(&storage->idle);
}

static cl_int copy_to_shadow(const struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B,
			     const struct ocl_location *from, struct gpu_stream *stream)
{
	return gpu_copy_to_host(stream, storage->shadow + lo_B, from->address + lo_B, hi_B - lo_B);
}

static cl_int copy_from_shadow(const struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B,
			       const struct ocl_location *to, struct gpu_stream *stream)
{
	return gpu_copy_to_device(stream, to->address + lo_B, storage->shadow + lo_B, hi_B - lo_B);
}

/* Copies between a device and the shadow, with one copy for each part of the shadow that is contiguous in pinned
 * memory. */
static cl_int copy_shadow(const struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B,
			  const struct ocl_location *source, const struct ocl_location *target,
			  struct gpu_stream *stream)
{
	cl_int error = CL_SUCCESS;
	while (lo_B < hi_B && !error) {
		const uint64_t end_B = storage->window
			? gpu_window_run(storage->window, lo_B, hi_B) : hi_B;
		error = target->gpu ? copy_from_shadow(storage, lo_B, end_B, target, stream)
				    : copy_to_shadow(storage, lo_B, end_B, source, stream);
		lo_B = end_B;
	}
	return error;
}

static cl_int copy_locked(struct ocl_storage *storage, const struct segment *segment,
			  uint32_t from, uint32_t to, struct gpu_stream *stream)
{
	const struct ocl_location *source = &storage->locations[from];
	const struct ocl_location *target = &storage->locations[to];
	const uint64_t lo_B = segment->lo_B, hi_B = segment->hi_B;
	const bool blocks = (!source->gpu || !target->gpu) && storage->pageable;
	cl_int error;
	if (blocks)
		busy_begin_locked(storage);
	if (storage->arrays)
		error = gpu_array_copy_peer(stream, target->array, source->array);
	else if (source->gpu && target->gpu)
		error = gpu_copy_from_peer(stream, target->address + lo_B, source->address + lo_B,
					   source->gpu, !source->adopted && !source->managed, hi_B - lo_B);
	else
		error = copy_shadow(storage, lo_B, hi_B, source, target, stream);
	if (blocks)
		busy_end(storage);
	return error;
}

/* Copies a segment between two locations and publishes the copy.  It waits for the source's bytes and for readers of
 * the target's old bytes; later readers of the target wait for this copy, and so do later writers of the source. */
static cl_int transfer_locked(struct ocl_storage *storage, struct segment *segment, uint32_t from,
			      uint32_t to, struct gpu_stream *stream)
{
	struct gpu_event *copied;
	cl_int error = ocl_stream_set_add(&storage->locations[from].streams, stream);
	if (!error)
		error = ocl_stream_set_add(&storage->locations[to].streams, stream);
	if (!error)
		error = segment_wait_fill(segment, from, stream);
	if (!error)
		error = segment_wait_writer(segment, stream);
	if (!error)
		error = segment_wait_readers(segment, to, stream);
	if (error)
		return error;
	error = copy_locked(storage, segment, from, to, stream);
	if (!error)
		error = gpu_event_record(stream, false, &copied);
	if (error) {
		/* The copy may still run in part; later operations in both locations have to wait for it. */
		segment_set_unwitnessed(segment, from, stream);
		segment_set_unwitnessed(segment, to, stream);
		return error;
	}
	error = segment_add_reader(segment, from, copied);
	if (error)
		segment_set_unwitnessed(segment, from, stream);
	segment_set_fill(segment, to, copied);
	segment->valid |= segment_bit(to);
	gpu_event_unref(copied);
	return error;
}

uint32_t ocl_storage_source(const struct ocl_storage *storage, const struct segment *segment)
{
	uint32_t place = 0;
	while (place < storage->device_count && (!(segment->valid & segment_bit(place)) ||
						 gpu_device_status(storage->locations[place].gpu)))
		place++;
	return place;
}

cl_int ocl_storage_fetch_locked(struct ocl_storage *storage, struct segment *segment,
				uint32_t device, struct gpu_stream *stream)
{
	if (!segment->valid || segment->valid & segment_bit(device))
		return segment_wait_fill(segment, device, stream);
	/* Another thread is about to submit a command that overwrites the whole segment on this device.  Nothing
	 * orders the two commands, so they have no byte in common.  A copy after that command would overwrite its
	 * results with old bytes. */
	if (segment->overwrites && segment->overwriter == device)
		return CL_SUCCESS;
	const uint32_t from = ocl_storage_source(storage, segment);
	/* The newest bytes were on a device that is lost. */
	if (!(segment->valid & segment_bit(from)))
		return CL_OUT_OF_RESOURCES;
	return transfer_locked(storage, segment, from, device, stream);
}

/* --- access ----------------------------------------------------------------------- */

static bool segments_are_held(const struct ocl_storage *storage)
{
	const struct list *link;
	for (link = storage->segments.next; link != &storage->segments; link = link->next)
		if (list_entry(link, struct segment, link)->holds)
			return true;
	return false;
}

/* Joins all segments, of which there are too many, by bringing all bytes to one device; that is slow but keeps the
 * list short.  The command that causes this is not ordered after the writers of segments that it does not access,
 * and several unordered commands may have written one segment: therefore the copies wait for everything that has
 * used the storage. */
static cl_int coalesce_locked(struct ocl_storage *storage, uint32_t device,
			      struct gpu_stream *stream)
{
	struct segment *whole = segment_create(0, storage->size_B, storage->device_count + 1);
	struct gpu_event *joined;
	struct list *link, *next;
	cl_int error = whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i <= storage->device_count && !error; i++)
		error = ocl_stream_set_order(&storage->locations[i].streams, stream);
	list_for_each(link, next, &storage->segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (!error)
			error = ocl_storage_fetch_locked(storage, segment, device, stream);
	}
	if (!error)
		error = gpu_event_record(stream, false, &joined);
	if (error) {
		if (whole)
			segment_destroy(whole);
		return error;
	}
	list_for_each(link, next, &storage->segments) {
		list_remove(link);
		segment_destroy(list_entry(link, struct segment, link));
	}
	for (uint32_t i = 0; i <= storage->device_count; i++)
		segment_set_fill(whole, i, joined);
	whole->valid = segment_bit(device);
	list_append(&storage->segments, &whole->link);
	storage->segment_count = 1;
	gpu_event_unref(joined);
	return CL_SUCCESS;
}

static cl_int range_cut_locked(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B)
{
	if (storage->segment_count > SEGMENTS_TIDY)
		segments_tidy(&storage->segments, &storage->segment_count);
	cl_int error = segments_split(&storage->segments, &storage->segment_count, lo_B);
	if (!error)
		error = segments_split(&storage->segments, &storage->segment_count, hi_B);
	return error;
}

static cl_int segment_acquire_locked(struct ocl_storage *storage, struct segment *segment,
				     uint32_t device, struct gpu_stream *stream,
				     enum ocl_access_mode mode)
{
	cl_int error = CL_SUCCESS;
	if (mode & OCL_ACCESS_READ)
		error = ocl_storage_fetch_locked(storage, segment, device, stream);
	if (!error && mode & OCL_ACCESS_WRITE)
		error = segment_wait_readers(segment, device, stream);
	return error;
}

cl_int ocl_storage_prepare_locked(struct ocl_storage *storage, const struct ocl_acquired *range)
{
	cl_int error = CL_SUCCESS;
	if (storage->segment_count > SEGMENTS_MAX && !segments_are_held(storage)) {
		error = ocl_storage_allocate_locked(storage, range->device);
		if (!error)
			error = coalesce_locked(storage, range->device, range->stream);
	}
	return error ? error : range_cut_locked(storage, range->lo_B, range->hi_B);
}

static bool range_is_valid_locked(const struct ocl_storage *storage, uint32_t device,
				  uint64_t lo_B, uint64_t hi_B)
{
	const struct list *link;
	for (link = storage->segments.next; link != &storage->segments; link = link->next) {
		const struct segment *segment = list_entry(link, struct segment, link);
		if (segment->lo_B < hi_B && lo_B < segment->hi_B && segment->valid &&
		    !(segment->valid & segment_bit(device)))
			return false;
	}
	return true;
}

bool ocl_storage_has(struct ocl_storage *storage, uint32_t device, uint64_t lo_B, uint64_t hi_B,
		     enum ocl_access_mode mode)
{
	lock_take(&storage->lock);
	const bool has = !storage->busy &&
			 (!(mode & OCL_ACCESS_READ) ||
			  range_is_valid_locked(storage, device, lo_B, hi_B));
	lock_drop(&storage->lock);
	return has;
}

static void holds_add_locked(struct ocl_storage *storage, const struct ocl_acquired *range)
{
	struct list *link, *next;
	list_for_each(link, next, &storage->segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (!segment_is_within(segment, range->lo_B, range->hi_B))
			continue;
		segment->holds++;
		if (range->mode != OCL_ACCESS_WRITE)
			continue;
		if (!segment->overwrites)
			segment->overwriter = range->device;
		segment->overwrites += segment->overwriter == range->device;
	}
}

static void hold_drop_locked(struct segment *segment, const struct ocl_acquired *range)
{
	segment->holds--;
	if (range->mode == OCL_ACCESS_WRITE && segment->overwriter == range->device &&
	    segment->overwrites)
		segment->overwrites--;
}

/* Whether the device of an acquired range has the segment's bytes; ocl_storage_fetch_locked says when it does not. */
static bool was_fetched(const struct segment *segment, const struct ocl_acquired *range)
{
	return range->mode == OCL_ACCESS_WRITE || !segment->valid ||
	       segment->valid & segment_bit(range->device);
}

static cl_int acquire_locked(struct ocl_storage *storage, const struct ocl_acquired *range)
{
	struct list *link, *next;
	cl_int error = ocl_storage_allocate_locked(storage, range->device);
	if (!error)
		error = ocl_storage_prepare_locked(storage, range);
	if (error)
		return error;
	list_for_each(link, next, &storage->segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (!segment_is_within(segment, range->lo_B, range->hi_B))
			continue;
		error = segment_acquire_locked(storage, segment, range->device, range->stream,
					       range->mode);
		if (error)
			return error;
		next = link->next;
	}
	if (range->mode & OCL_ACCESS_WRITE)
		holds_add_locked(storage, range);
	return CL_SUCCESS;
}

cl_int ocl_storage_acquire_moving(struct ocl_storage *storage, struct ocl_acquired *acquired)
{
	cl_int error = CL_SUCCESS;
	if (!acquired->tracked)
		return ocl_storage_bring(storage, acquired);
	if (acquired->mode != OCL_ACCESS_AFAR) {
		lock_take(&storage->lock);
		idle_wait_locked(storage);
		error = acquire_locked(storage, acquired);
		if (!error)
			error = ocl_storage_bring(storage, acquired);
		lock_drop(&storage->lock);
	}
	return error;
}

void ocl_storage_commit_tracked(struct ocl_storage *storage, const struct ocl_acquired *acquired,
				bool written, struct gpu_event *done)
{
	struct list *link, *next;
	lock_take(&storage->lock);
	idle_wait_locked(storage);
	storage->version += !(acquired->mode & OCL_ACCESS_COUNTED);
	list_for_each(link, next, &storage->segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (!segment_is_within(segment, acquired->lo_B, acquired->hi_B))
			continue;
		hold_drop_locked(segment, acquired);
		if (written && was_fetched(segment, acquired))
			segment_written(segment, acquired->device, acquired->stream, done);
	}
	lock_drop(&storage->lock);
}

/* --- the host ------------------------------------------------------------------------ */

static cl_int segment_host_acquire_locked(struct ocl_storage *storage, struct segment *segment,
					  uint32_t device, struct gpu_stream *stream,
					  enum ocl_access_mode mode)
{
	const uint32_t host = host_place(storage);
	cl_int error = CL_SUCCESS;
	if (mode & OCL_ACCESS_READ && segment->valid && !(segment->valid & segment_bit(host))) {
		error = ocl_storage_fetch_locked(storage, segment, device, stream);
		if (!error)
			error = transfer_locked(storage, segment, device, host, stream);
	}
	if (error)
		return error;
	return mode & OCL_ACCESS_WRITE ? segment_wait_readers(segment, host, stream)
				       : segment_wait_fill(segment, host, stream);
}

cl_int ocl_storage_host_acquire(struct ocl_storage *storage, uint32_t device,
				struct gpu_stream *stream, uint64_t lo_B, uint64_t hi_B,
				enum ocl_access_mode mode)
{
	struct list *link, *next;
	if (storage->place != OCL_PLACE_OWN)
		return ocl_storage_host_acquire_shared(storage, stream, lo_B, hi_B);
	lock_take(&storage->lock);
	idle_wait_locked(storage);
	cl_int error = ocl_storage_allocate_locked(storage, device);
	if (!error)
		error = ocl_stream_set_add(&storage->locations[host_place(storage)].streams,
					   stream);
	if (!error)
		error = range_cut_locked(storage, lo_B, hi_B);
	list_for_each(link, next, &storage->segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (error)
			break;
		if (!segment_is_within(segment, lo_B, hi_B))
			continue;
		error = segment_host_acquire_locked(storage, segment, device, stream, mode);
		next = link->next;
	}
	lock_drop(&storage->lock);
	return error;
}

cl_int ocl_storage_host_commit(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B)
{
	struct list *link, *next;
	if (storage->place != OCL_PLACE_OWN)
		return CL_SUCCESS;
	lock_take(&storage->lock);
	idle_wait_locked(storage);
	cl_int error = range_cut_locked(storage, lo_B, hi_B);
	storage->version++;
	list_for_each(link, next, &storage->segments) {
		struct segment *segment = list_entry(link, struct segment, link);
		if (!error && segment_is_within(segment, lo_B, hi_B))
			segment_written(segment, host_place(storage), NULL, NULL);
	}
	lock_drop(&storage->lock);
	return error;
}
