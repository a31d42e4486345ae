/* What softcuda's executor asks of the rest of the driver, where a test runs it alone: there are no images,
 * and nothing is known of memory. */
#ifndef CULVERT_TESTS_SOFT_STUBS_H
#define CULVERT_TESTS_SOFT_STUBS_H

#include "backend/softcuda/exec.h"

unsigned soft_memory_touch(uint64_t address, uint32_t size_B, bool reads, bool writes)
{
	(void)address, (void)size_B, (void)reads, (void)writes;
	return 0;
}

void soft_memory_written(uint64_t address, uint64_t size_B)
{
	(void)address, (void)size_B;
}

enum soft_image_state soft_image_find(const struct soft_launch *launch, uint64_t object,
				      struct soft_image *image_out)
{
	(void)launch;
	(void)object;
	(void)image_out;
	return SOFT_IMAGE_UNKNOWN;
}

void soft_memory_describe(uint64_t address, struct bytes *text, uint64_t *start_out,
			  uint64_t *end_out)
{
	*start_out = *end_out = 0, (void)address, (void)text;
}

#endif
