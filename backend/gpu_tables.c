#include "config.h"

#include "backend/gpu_tables.h"

#include "backend/gpu_left.h"

/* The size of all managed memory of this process. */
static _Atomic uint64_t total_B;

uint64_t gpu_tables_size_B(uint64_t size_B)
{
	return size_B / 256;
}

uint64_t gpu_tables_room_B(const struct gpu_device *device, uint64_t size_B)
{
	return device->caps.memory_B / 512 + gpu_tables_size_B(size_B);
}

void gpu_tables_add(uint64_t size_B)
{
	atomic_fetch_add(&total_B, size_B);
}

void gpu_tables_remove(uint64_t size_B)
{
	atomic_fetch_sub(&total_B, size_B);
}

bool gpu_tables_fit(const struct gpu_device *device)
{
	const uint64_t size_B = atomic_load_explicit(&total_B, memory_order_relaxed);
	uint64_t left_B = 0;
	return !size_B || gpu_left(device, &left_B) != CUDA_SUCCESS || left_B >= gpu_tables_room_B(device, size_B);
}
