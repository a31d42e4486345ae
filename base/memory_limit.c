#include "config.h"

#include "base/memory_limit.h"

#include "base/control_group.h"
#include "base/log.h"
#include "base/options.h"
#include "base/page.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t least_B = (uint64_t)1 << 30;

uint64_t memory_machine_B(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES);
	const uint64_t size_B = pages > 0 ? (uint64_t)pages * host_page_B() : UINT64_MAX;
	const uint64_t group_B = control_group_memory_B("");
	return group_B && group_B < size_B ? group_B : size_B;
}

/* Columns of /proc/pid/statm (proc(5)), in pages: all that is mapped, resident memory, the part of that which belongs
 * to files, and data with stacks. */
enum statm { STATM_MAPPED, STATM_RESIDENT, STATM_OF_FILES, STATM_DATA = 5, STATM_COLUMNS };

/* Zeros where /proc cannot be read. */
static void read_statm(uint64_t pages[STATM_COLUMNS])
{
	char text[256];
	const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	const ssize_t size_B = file < 0 ? -1 : read(file, text, sizeof(text));
	unsigned column = 0;
	if (file >= 0)
		(void)close(file);
	for (unsigned i = 0; i < STATM_COLUMNS; i++)
		pages[i] = 0;
	for (ssize_t i = 0; i < size_B && column < STATM_COLUMNS; i++) {
		if (text[i] < '0' || text[i] > '9')
			column++;
		else
			pages[column] = 10 * pages[column] + (uint64_t)(text[i] - '0');
	}
}

/* What a limit of the process leaves of size_B. */
static uint64_t within(uint64_t size_B, int which, uint64_t used_B)
{
	struct rlimit limit;
	if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return size_B;
	const uint64_t left_B = limit.rlim_cur > used_B ? limit.rlim_cur - used_B : 0;
	return left_B < size_B ? left_B : size_B;
}

uint64_t memory_process_B(void)
{
	uint64_t pages[STATM_COLUMNS];
	read_statm(pages);
	return within(within(memory_machine_B(), RLIMIT_AS, pages[STATM_MAPPED] * host_page_B()), RLIMIT_DATA,
		      pages[STATM_DATA] * host_page_B());
}

uint64_t memory_available_B(void)
{
	char line[128];
	unsigned long long available_KiB = 0;
	bool found = false;
	FILE *file = fopen("/proc/meminfo", "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "MemAvailable: %llu kB", &available_KiB) == 1;
	if (file)
		fclose(file);
	return found ? (uint64_t)available_KiB << 10 : 0;
}

uint64_t memory_limit_B(void)
{
	const char *wanted = option_string(OPTION_COMPILER_MEMORY);
	uint64_t size_B;
	if (option_parse_size(wanted, &size_B))
		return size_B;
	if (strcmp(wanted, "auto"))
		log_warn("CULVERT_COMPILER_MEMORY: '%s' is not a valid size; using auto", wanted);
	size_B = memory_machine_B();
	if (size_B == UINT64_MAX)
		return 0;
	return size_B / 2 < least_B ? least_B : size_B / 2;
}

void memory_limit_set(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	/* Stacks count as well; the largest is that of Clang, 1 GiB. */
	const uint64_t stacks_B = (uint64_t)3 << 29;
	const uint64_t heap_B = memory_limit_B(), size_B = heap_B + stacks_B;
	struct rlimit limit;
	/* A lower limit that the process was started with is kept. */
	if (!heap_B || size_B < heap_B || getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur <= size_B)
		return;
	limit.rlim_cur = size_B;
	if (limit.rlim_max > size_B)
		limit.rlim_max = size_B;
	(void)setrlimit(RLIMIT_DATA, &limit);
#endif
}

uint64_t memory_used_B(void)
{
	uint64_t pages[STATM_COLUMNS];
	read_statm(pages);
	return pages[STATM_RESIDENT] < pages[STATM_OF_FILES] ? 0
		: (pages[STATM_RESIDENT] - pages[STATM_OF_FILES]) * host_page_B();
}
