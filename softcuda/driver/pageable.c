/* CULVERT_SOFT_PAGEABLE: host memory that was not registered with the driver, which kernels can access on systems
 * where host and devices share page tables. */
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
		/* A path may continue on another line, which does not match. */
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) == 3 &&
			address >= start && address < end && access[0] == 'r' && access[1] == 'w';
	}
	fclose(maps);
	/* Only the pages that were asked for: neighbouring ones may be a device's memory. */
	*start_out = address / page_B * page_B;
	*end_out = *start_out + page_B;
	return found;
}
