/* Which writes of a storage are known, for copies of its bytes that are kept elsewhere (image_mirror.h). */
#include "config.h"

#include "icd/memory/residency.h"

#include "icd/memory/segment.h"

void ocl_storage_track_locked(struct ocl_storage *storage)
{
	if (atomic_load(&storage->tracked))
		return;
	/* Until now there was only one device, which has all bytes that were written. */
	list_entry(storage->segments.next, struct segment, link)->valid = 1;
	atomic_store_explicit(&storage->tracked, true, memory_order_release);
}

void ocl_storage_track(struct ocl_storage *storage)
{
	/* Shared memory has no segments. */
	if (storage->place != OCL_PLACE_OWN)
		return;
	lock_take(&storage->lock);
	ocl_storage_track_locked(storage);
	if (!storage->version)
		storage->version = 1;
	lock_drop(&storage->lock);
}

uint64_t ocl_storage_version(struct ocl_storage *storage)
{
	if (storage->place != OCL_PLACE_OWN || atomic_load(&storage->shown))
		return 0;
	lock_take(&storage->lock);
	const uint64_t version = storage->version;
	lock_drop(&storage->lock);
	return version;
}

uint64_t ocl_storage_count_write(struct ocl_storage *storage, struct ocl_acquired *acquired)
{
	lock_take(&storage->lock);
	const uint64_t version = ++storage->version;
	lock_drop(&storage->lock);
	acquired->mode = (enum ocl_access_mode)(acquired->mode | (unsigned)OCL_ACCESS_COUNTED);
	return version;
}
