/* Memory for checked launches, of which nothing is noted. */
#ifndef CULVERT_TESTS_UNIT_SOFT_CHECKED_H
#define CULVERT_TESTS_UNIT_SOFT_CHECKED_H

#include "tests/unit/soft_module.h"

static inline bool no_notes(uint64_t address, struct soft_notes *notes)
{
	(void)address;
	(void)notes;
	return false;
}

static inline unsigned no_touch(uint64_t address, uint32_t size_B, bool reads, bool writes)
{
	(void)address;
	(void)size_B;
	(void)reads;
	(void)writes;
	return 0;
}

static const struct soft_memory checked_memory = {
	.find = device_find, .describe = device_describe, .find_image = device_find_image, .notes = no_notes,
	.touch = no_touch
};

#endif
