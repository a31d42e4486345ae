#include "config.h"

#include "icd/memory/residency.h"

#include "icd/memory/segment.h"

/* Storages that have the same address on all devices and the host: there is one copy of the bytes, and no segments.
 * And managed memory, whether it is all of such a storage or the memory of one location. */

/* The device with index owner comes first. */
static cl_int managed_allocate(struct ocl_storage *storage, uint32_t owner, uint64_t size_B, void **pointer_out)
{
	struct gpu_device *devices[SEGMENT_PLACES_MAX];
	struct gpu_managed **managed = &storage->locations[0].managed;
	for (uint32_t i = 0; i < storage->device_count; i++)
		devices[i] = storage->locations[i ? (i == owner ? 0 : i) : owner].gpu;
	cl_int error = gpu_managed_alloc(devices, storage->device_count, size_B, managed);
	if (!error)
		*pointer_out = gpu_managed_pointer(*managed);
	return error;
}

static cl_int place_allocate(struct ocl_storage *storage, enum ocl_place place, uint32_t owner,
			     void **pointer_out)
{
	gpu_address address = 0;
	cl_int error;
	const uint64_t size_B = storage->size_B + storage->slack_B;
	storage->place = place;
	storage->shadow_owner = storage->locations[owner].gpu;
	switch (place) {
	case OCL_PLACE_MANAGED:
		return managed_allocate(storage, owner, size_B, pointer_out);
	case OCL_PLACE_DEVICE:
		error = gpu_memory_alloc(storage->shadow_owner, size_B, &address);
		*pointer_out = (void *)(uintptr_t)address;
		return error;
	default:
		storage->shadow_owner = ocl_storage_living_device(storage);
		return gpu_host_alloc(storage->shadow_owner, size_B, pointer_out)
			       ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
	}
}

cl_int ocl_storage_allocate_shared(struct ocl_storage *storage, unsigned places, uint32_t owner,
				   uint32_t align_B)
{
	storage->slack_B = align_B > OCL_STORAGE_ALIGN_B ? align_B - OCL_STORAGE_ALIGN_B : 0;
	void *pointer = NULL;
	cl_int error = CL_OUT_OF_RESOURCES;
	for (unsigned place = 1; place <= OCL_PLACE_DEVICE && error; place <<= 1)
		if (places & place)
			error = place_allocate(storage, (enum ocl_place)place, owner, &pointer);
	if (error)
		return error;
	storage->before_B = storage->slack_B ? -(uintptr_t)pointer & (align_B - 1) : 0;
	storage->shadow = (unsigned char *)pointer + storage->before_B;
	for (uint32_t i = 0; i < storage->device_count; i++)
		storage->locations[i].address = (uintptr_t)storage->shadow;
	return CL_SUCCESS;
}

void ocl_storage_free_shared(struct ocl_storage *storage)
{
	/* The allocation had failed. */
	if (!storage->shadow)
		return;
	unsigned char *pointer = storage->shadow - storage->before_B;
	const uint64_t size_B = storage->size_B + storage->slack_B;
	switch (storage->place) {
	case OCL_PLACE_TAKEN:
		ocl_storage_let_go(storage);
		break;
	case OCL_PLACE_MANAGED:
		gpu_managed_free(storage->locations[0].managed, NULL, 0);
		break;
	case OCL_PLACE_DEVICE:
		gpu_memory_free(storage->shadow_owner, (uintptr_t)pointer, NULL, 0);
		break;
	default:
		gpu_host_free(storage->shadow_owner, pointer, size_B);
		break;
	}
}

void ocl_storage_let_go(struct ocl_storage *storage)
{
	if (storage->registered)
		gpu_host_unregister(storage->shadow_owner, storage->shadow);
	storage->registered = false;
}

/* --- managed memory ---------------------------------------------------------------------- */

/* *offset_B_out: how many bytes of it precede the storage's. */
static struct gpu_managed *managed_at(const struct ocl_storage *storage, uint32_t device, uint64_t *offset_B_out)
{
	const bool shared = storage->place == OCL_PLACE_MANAGED;
	*offset_B_out = shared ? storage->before_B : 0;
	return storage->locations[shared ? 0 : device].managed;
}

cl_int ocl_storage_allocate_beyond(struct ocl_storage *storage, struct ocl_location *location)
{
	uint64_t left_B = 0;
	if (gpu_memory_left(location->gpu, &left_B) || left_B >= storage->size_B)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	cl_int error = gpu_managed_alloc(&location->gpu, 1, storage->size_B, &location->managed);
	if (error)
		return error;
	location->address = (uintptr_t)gpu_managed_pointer(location->managed);
	/* With several devices, other threads may read it; then each acquire takes the way that moves pages. */
	if (storage->device_count == 1)
		storage->moves = true;
	atomic_store(&storage->at_host, true);
	return CL_SUCCESS;
}

cl_int ocl_storage_bring(struct ocl_storage *storage, const struct ocl_acquired *acquired)
{
	uint64_t offset_B;
	if (!atomic_load_explicit(&storage->at_host, memory_order_relaxed))
		return CL_SUCCESS;
	struct gpu_managed *managed = managed_at(storage, acquired->device, &offset_B);
	if (!managed || !atomic_exchange(&storage->at_host, false))
		return CL_SUCCESS;
	if (storage->place != OCL_PLACE_MANAGED || storage->moves_whole)
		return gpu_managed_bring(acquired->stream, managed);
	gpu_managed_note_use(managed);
	return CL_SUCCESS;
}

cl_int ocl_storage_migrate(struct ocl_storage *storage, uint32_t device, struct gpu_stream *stream, uint64_t lo_B,
			   uint64_t hi_B, bool to_host)
{
	uint64_t offset_B;
	struct gpu_managed *managed = managed_at(storage, device, &offset_B);
	if (!managed)
		return CL_SUCCESS;
	if (to_host)
		atomic_store(&storage->at_host, true);
	return gpu_managed_prefetch(stream, managed, offset_B + lo_B, hi_B - lo_B, to_host);
}

cl_int ocl_storage_advise(const struct ocl_storage *storage, uint32_t device, uint64_t lo_B, uint64_t hi_B,
			  enum gpu_advice advice)
{
	uint64_t offset_B;
	const struct gpu_managed *managed = managed_at(storage, device, &offset_B);
	return managed ? gpu_managed_advise(storage->locations[device].gpu, managed, offset_B + lo_B, hi_B - lo_B,
					    advice)
		       : CL_SUCCESS;
}

cl_int ocl_storage_host_acquire_shared(struct ocl_storage *storage, struct gpu_stream *stream,
				       uint64_t lo_B, uint64_t hi_B)
{
	cl_int error = ocl_stream_set_add(&storage->locations[storage->device_count].streams,
					  stream);
	if (error || !storage->moves_whole)
		return error;
	return ocl_storage_migrate(storage, 0, stream, lo_B, hi_B, true);
}
