#include "config.h"

#include "softcuda/driver/state.h"

#include "softcuda/driver/schedule.h"

#include <time.h>

struct soft_driver soft_driver = {.lock = LOCK_INIT(LOCK_RANK_GPU)};

uint64_t soft_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
