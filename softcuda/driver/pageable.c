/* CULVERT_SOFT_PAGEABLE: host memory that was not registered with the driver, which kernels can access on systems
 * where host and devices share page tables. */
#include "config.h"

#include "base/options.h"
#include "base/page.h"
#include "base/spans.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

/* What softcuda has mapped itself, with the guards around it, until it is unmapped: whole pages.  The host can access
 * most of it, but to kernels it is no memory of the host. */
static struct spans own = SPANS_INIT;
/* Guards own; taken after the driver's lock. */
static pthread_rwlock_t own_lock = PTHREAD_RWLOCK_INITIALIZER;

bool soft_pageable(void)
{
	return option_flag(OPTION_SOFT_PAGEABLE) || soft_machine() == SOFT_MACHINE_COHERENT;
}

bool soft_shares_pages(void)
{
	return soft_machine() != SOFT_MACHINE_INTEGRATED && soft_machine() != SOFT_MACHINE_WSL;
}

bool soft_pageable_own(uint64_t start, uint64_t size_B, void *owner)
{
	if (!soft_pageable())
		return true;
	pthread_rwlock_wrlock(&own_lock);
	/* The rest of a mapping's last page is accessible, too. */
	const bool done = spans_insert(&own, start, start + host_pages_B(size_B), owner);
	pthread_rwlock_unlock(&own_lock);
	return done;
}

void soft_pageable_disown(const void *owner)
{
	if (!soft_pageable())
		return;
	pthread_rwlock_wrlock(&own_lock);
	spans_remove_owner(&own, owner);
	pthread_rwlock_unlock(&own_lock);
}

static bool is_own(uint64_t address)
{
	pthread_rwlock_rdlock(&own_lock);
	const bool found = spans_find(&own, address);
	pthread_rwlock_unlock(&own_lock);
	return found;
}

bool soft_pageable_find(uint64_t address, uint64_t *start_out, uint64_t *end_out)
{
	const uint64_t page_B = host_page_B();
	bool found = false;
	char line[512];
	if (!soft_pageable() || is_own(address))
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
