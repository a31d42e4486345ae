/* Where the pages of managed memory are, on machines on which the host and devices share it (soft_shares_pages).
 *
 * Pages are at the host when they are allocated.  Prefetches move them, and so do allocations of device memory that
 * need the room.  Accesses by kernels and by the host do not, because the interpreter does not see which pages they
 * touch: the bytes are in one place, wherever the pages are said to be.
 *
 * The driver's lock is held by the caller of functions named _locked. */
#ifndef CULVERT_SOFTCUDA_DRIVER_MANAGED_H
#define CULVERT_SOFTCUDA_DRIVER_MANAGED_H

#include "softcuda/exec/cuda.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct soft_allocation;
struct soft_device;
struct soft_managed;

/* The places of a page as CUDA numbers them: a device's index, or one of these. */
enum { SOFT_AT_HOST = -1 /* CU_DEVICE_CPU */, SOFT_AT_NONE = -2 /* CU_DEVICE_INVALID */ };

/* Begins and ends the record of an allocation; false: no memory. */
bool soft_managed_begin_locked(struct soft_allocation *allocation);
void soft_managed_end_locked(struct soft_allocation *allocation);

/* Moves the pages of a range to place.  Pages of other ranges make room; without any more room, the rest of the range
 * stays where it is, as hardware does it. */
void soft_managed_move_locked(struct soft_allocation *allocation, uint64_t address, size_t size_B, int place);
/* What culvert_soft_migrated returns.  Thread-safe. */
uint64_t soft_managed_moved_B(void);
/* Whether device has size_B bytes of free memory, after managed memory has made room. */
bool soft_managed_makes_room_locked(struct soft_device *device, uint64_t size_B);

/* cuMemAdvise of a range of the allocation, for a place that was checked. */
CUresult soft_managed_advise_locked(struct soft_allocation *allocation, uint64_t address, size_t size_B,
				    CUmem_advise advice, int place);
/* cuMemRangeGetAttribute. */
CUresult soft_managed_query_locked(const struct soft_allocation *allocation, uint64_t address, size_t size_B,
				   CUmem_range_attribute attribute, void *data, size_t data_B);

#endif
