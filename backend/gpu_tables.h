/* The room that devices need for the page tables of managed memory.
 *
 * A kernel that accesses a page of managed memory for which the device can make no page table is a fault that ends the
 * context.  With 5 MiB free on an H200 (driver 580), kernels that accessed 256 MiB failed; with 33 MiB they did not.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_TABLES_H
#define CULVERT_BACKEND_GPU_TABLES_H

#include "backend/gpu_internal.h"

/* Room for the page tables of size_B bytes: at least 8 bytes for each page of 4 KiB. */
uint64_t gpu_tables_size_B(uint64_t size_B);
/* How much has to be free on a device that is to access size_B bytes of managed memory. */
uint64_t gpu_tables_room_B(const struct gpu_device *device, uint64_t size_B);

/* Counts managed memory of this process that was allocated, or that was freed. */
void gpu_tables_add(uint64_t size_B);
void gpu_tables_remove(uint64_t size_B);
/* Whether the device has enough free memory for what is counted.  Its context is current. */
bool gpu_tables_fit(const struct gpu_device *device);

#endif
