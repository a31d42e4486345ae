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
	bool destroyed;                      /* it exists until its allocations are freed */
	uint64_t used_B, reserved_B, used_high_B, reserved_high_B;
	uint64_t idle_B;                     /* its part of the device's */
	uint64_t release_threshold_B;
	uint64_t max_B;                      /* 0: the device's memory */
	int reuse[3];                        /* the three reuse options: stored, without effect */
	_Atomic uint32_t access;             /* a bit for each device that may access it */
	uint64_t allocations;
};

struct soft_pool *soft_pool_create_locked(struct soft_device *device, uint64_t max_B);
void soft_pool_release_locked(struct soft_pool *pool);
/* Reserves all of the device's free memory, as the NVIDIA driver does (580, on an H200) when an allocation from the
 * pool fails. */
void soft_pool_take_all_locked(struct soft_pool *pool);
/* Reserves at most keep_B from now on, or what is in use. */
void soft_pool_trim_locked(struct soft_pool *pool, uint64_t keep_B);

#endif
