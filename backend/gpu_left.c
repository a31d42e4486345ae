#include "config.h"

#include "backend/gpu_left.h"

#include "base/memory_limit.h"

/* Where host and device have one memory, the driver counts what Linux keeps files in as used (MemFree of proc(5)),
 * though Linux gives it to whoever allocates memory (MemAvailable). */
static uint64_t available_B(uint64_t left_B, uint64_t all_B)
{
	uint64_t host_B = memory_available_B();
	host_B = host_B < all_B ? host_B : all_B;
	return host_B > left_B ? host_B : left_B;
}

CUresult gpu_left(const struct gpu_device *device, uint64_t *left_B_out)
{
	size_t left_B = 0, all_B = 0;
	const CUresult cu_result = cuda.cuMemGetInfo_v2(&left_B, &all_B);
	if (cu_result == CUDA_SUCCESS)
		*left_B_out = device->caps.integrated ? available_B(left_B, all_B) : left_B;
	return cu_result;
}
