/* The host's location of a storage, the shadow: it is allocated at the first map, and pinned where it is mapped. */
#include "config.h"

#include "icd/memory/residency.h"

#include "icd/memory/segment.h"

static void shadow_set_locked(struct ocl_storage *storage, void *shadow, struct gpu_device *owner)
{
	storage->shadow = shadow;
	storage->shadow_owner = owner;
	ocl_storage_track_locked(storage);
}

/* Allocates the whole shadow as pinned memory.  That is slow and done without the lock; if two threads do it, one
 * frees its memory again. */
static cl_int shadow_whole(struct ocl_storage *storage)
{
	struct gpu_device *owner = NULL;
	void *fresh = NULL;
	cl_int error = ocl_storage_shadow_allocate(storage, &owner, &fresh);
	if (error)
		return error;
	lock_take(&storage->lock);
	const bool first = !storage->shadow;
	if (first)
		shadow_set_locked(storage, fresh, owner);
	lock_drop(&storage->lock);
	if (!first)
		gpu_host_free(owner, fresh, storage->size_B);
	return CL_SUCCESS;
}

/* Pins a part of the shadow; the caller has set pinning.  The window becomes the shadow once its first part is
 * pinned. */
static cl_int window_pin(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B)
{
	struct gpu_window *window = storage->window;
	struct gpu_device *owner = ocl_storage_living_device(storage);
	cl_int error = window ? CL_SUCCESS : gpu_window_create(owner, storage->size_B, &window);
	if (!error)
		error = gpu_window_pin(window, lo_B, hi_B);
	if (!error && !storage->window) {
		lock_take(&storage->lock);
		storage->window = window;
		shadow_set_locked(storage, gpu_window_memory(window), owner);
		lock_drop(&storage->lock);
	}
	if (error && !storage->window)
		gpu_window_destroy(window);
	return error ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

static cl_int shadow_window(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B)
{
	lock_take(&storage->lock);
	while (storage->pinning)
		lock_condition_wait(&storage->idle, &storage->lock);
	const bool whole = storage->shadow && !storage->window;
	storage->pinning = !whole;
	lock_drop(&storage->lock);
	if (whole)
		return CL_SUCCESS;
	cl_int error = window_pin(storage, lo_B, hi_B);
	/* If the driver cannot pin memory of the process, it may still be able to allocate pinned memory. */
	if (error && !storage->window)
		error = shadow_whole(storage);
	lock_take(&storage->lock);
	storage->pinning = false;
	lock_condition_signal_all(&storage->idle);
	lock_drop(&storage->lock);
	return error;
}

cl_int ocl_storage_shadow(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B,
			  void **shadow_out)
{
	cl_int error = CL_SUCCESS;
	lock_take(&storage->lock);
	const bool there = storage->shadow && !storage->window;
	lock_drop(&storage->lock);
	if (!there)
		error = storage->pins_whole ? shadow_whole(storage)
					    : shadow_window(storage, lo_B, hi_B);
	if (error)
		return error;
	lock_take(&storage->lock);
	*shadow_out = storage->shadow;
	lock_drop(&storage->lock);
	return CL_SUCCESS;
}
