#include "config.h"

#include "icd/memory/host_writes.h"

#include <stdlib.h>

int ocl_host_writes_init(struct ocl_host_writes *writes)
{
	*writes = (struct ocl_host_writes){0};
	return lock_init(&writes->lock, LOCK_RANK_EVENT);
}

void ocl_host_writes_finish(struct ocl_host_writes *writes)
{
	free(writes->writes);
	lock_finish(&writes->lock);
}

static bool grow_locked(struct ocl_host_writes *writes)
{
	if (atomic_load(&writes->count) < writes->capacity)
		return true;
	const uint32_t capacity = writes->capacity ? 2 * writes->capacity : 8;
	struct ocl_host_write *more = realloc(writes->writes, capacity * sizeof(*more));
	if (!more)
		return false;
	writes->writes = more;
	writes->capacity = capacity;
	return true;
}

void ocl_host_writes_note(struct ocl_host_writes *writes, struct gpu_stream *stream)
{
	const struct ocl_host_write fresh = {stream, gpu_stream_last(stream)};
	lock_take(&writes->lock);
	const uint32_t count = writes->incomplete ? 0 : atomic_load(&writes->count);
	uint32_t i = 0;
	while (i < count && writes->writes[i].stream != stream)
		i++;
	if (i < count) {
		writes->writes[i] = fresh;
	} else if (!writes->incomplete && grow_locked(writes)) {
		writes->writes[count] = fresh;
		atomic_store(&writes->count, count + 1);
	} else {
		writes->incomplete = true;
		atomic_store(&writes->count, 1);
	}
	lock_drop(&writes->lock);
}

static bool pending_locked(struct ocl_host_writes *writes)
{
	uint32_t count = atomic_load(&writes->count);
	if (writes->incomplete)
		return true;
	for (uint32_t i = count; i-- > 0;)
		if (gpu_stream_reached(writes->writes[i].stream, writes->writes[i].sequence))
			writes->writes[i] = writes->writes[--count];
	atomic_store(&writes->count, count);
	return count;
}

bool ocl_host_writes_are_pending(struct ocl_host_writes *writes)
{
	if (!atomic_load_explicit(&writes->count, memory_order_acquire))
		return false;
	lock_take(&writes->lock);
	const bool pending = pending_locked(writes);
	lock_drop(&writes->lock);
	return pending;
}
