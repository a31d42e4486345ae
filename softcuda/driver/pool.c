/* Memory pools: what is reserved, and the rules of it. */
#include "config.h"

#include "softcuda/driver/pool.h"

#include "softcuda/driver/handle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"

#include <stdlib.h>

struct soft_pool *soft_pool_create_locked(struct soft_device *device, uint64_t max_B)
{
	struct soft_pool *pool = calloc(1, sizeof(*pool));
	if (!pool)
		return NULL;
	pool->handle = soft_handle_create_locked(SOFT_KIND_POOL, pool);
	if (!pool->handle) {
		free(pool);
		return NULL;
	}
	pool->device = device;
	pool->max_B = max_B;
	pool->access = (uint32_t)1 << device->index;
	for (int i = 0; i < 3; i++)
		pool->reuse[i] = 1;
	return pool;
}

void soft_pool_trim_locked(struct soft_pool *pool, uint64_t keep_B)
{
	if (keep_B < pool->used_B)
		keep_B = pool->used_B;
	pool->device->idle_B -= pool->idle_B;
	if (pool->reserved_B > keep_B)
		pool->reserved_B = keep_B;
	pool->idle_B = pool->reserved_B - pool->used_B;
	pool->device->idle_B += pool->idle_B;
}

void soft_pool_take_all_locked(struct soft_pool *pool)
{
	const uint64_t taken_B = pool->device->used_B + pool->device->idle_B;
	if (taken_B >= pool->device->memory_B)
		return;
	pool->reserved_B += pool->device->memory_B - taken_B;
	soft_pool_trim_locked(pool, pool->reserved_B);
}

void soft_pool_release_locked(struct soft_pool *pool)
{
	if (!pool->destroyed || pool->allocations)
		return;
	soft_pool_trim_locked(pool, 0);
	free(pool);
}
