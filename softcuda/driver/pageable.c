/* CULVERT_SOFT_PAGEABLE: memory of the host that nobody told the driver of, as kernels reach
 * it where the system's pages are the device's as well. */
#include "config.h"

#include "base/options.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

bool soft_pageable(void)
{
	return option_flag(OPTION_SOFT_PAGEABLE) || soft_machine() == SOFT_MACHINE_COHERENT;
}

bool soft_shares_pages(void)
{
	return soft_machine() != SOFT_MACHINE_INTEGRATED && soft_machine() != SOFT_MACHINE_WSL;
}

bool soft_pageable_find(uint64_t address, uint64_t *start_out, uint64_t *end_out)
{
	const uint64_t page_B = (uint64_t)sysconf(_SC_PAGESIZE);
	bool found = false;
	char line[512];
	if (!soft_pageable())
		return false;
	FILE *maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps)) {
		uint64_t start, end;
		char access[5];
		/* A path may go on in a further line, which is none of these. */
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) == 3 &&
			address >= start && address < end && access[0] == 'r' && access[1] == 'w';
	}
	fclose(maps);
	/* No more than was asked for: what lies beside it may be a device's. */
	*start_out = address / page_B * page_B;
	*end_out = *start_out + page_B;
	return found;
}
