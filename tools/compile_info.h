/* What a kernel takes of a GPU, by what the PTX compiler says of it. */
#ifndef CULVERT_TOOLS_COMPILE_INFO_H
#define CULVERT_TOOLS_COMPILE_INFO_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct compile_info {
	uint64_t registers;              /* of a work-item */
	uint64_t stack_B;                /* of a work-item */
	uint64_t spill_store_B, spill_load_B;
	uint64_t local_B;                /* of a work-group, static */
	uint64_t barriers;
};

/* entry: the kernel's name in the PTX.  False when the statistics do not speak of it. */
bool compile_info_find(const struct bytes *statistics, const char *entry,
		       struct compile_info *info_out);

#endif
