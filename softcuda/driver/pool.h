/* Memory pools.  Everything wants the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_POOL_H
#define CULVERT_SOFTCUDA_DRIVER_POOL_H

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct soft_device;

struct soft_pool {
	CUmemoryPool handle;
	struct soft_device *device;
	bool destroyed;                      /* waits for its allocations to go */
	uint64_t used_B, reserved_B, used_high_B, reserved_high_B;
	uint64_t idle_B;                     /* its part of the device's */
	uint64_t release_threshold_B;
	uint64_t max_B;                      /* 0: what the device has */
	int reuse[3];                        /* the three reuse switches: kept, without effect */
	_Atomic uint32_t access;             /* bit per device that may use it */
	uint64_t allocations;
};

struct soft_pool *soft_pool_create_locked(struct soft_device *device, uint64_t max_B);
void soft_pool_release_locked(struct soft_pool *pool);
/* Reserves no more than keep_B any longer, or than what is in use. */
void soft_pool_trim_locked(struct soft_pool *pool, uint64_t keep_B);

#endif
