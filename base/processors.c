#include "config.h"

#include "base/processors.h"

#include "base/bytes.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Reads a quota and its period, both in us; false: there is none, or the file says "max" or -1. */
static bool read_numbers(const char *root, const char *path, long long *first, long long *second)
{
	struct bytes whole = BYTES_INIT;
	bytes_printf(&whole, "%s%s", root, path);
	FILE *file = bytes_failed(&whole) ? NULL : fopen(bytes_string(&whole), "re");
	const int wanted = second ? 2 : 1;
	const bool found = file && fscanf(file, second ? "%lld %lld" : "%lld", first, second) == wanted;
	if (file)
		fclose(file);
	bytes_finish(&whole);
	return found;
}

unsigned processors_of_group(const char *root)
{
	/* In a container the control group's folder is the root of the file system. cgroups(7): version 2, then
	 * version 1. */
	long long quota, period;
	const bool found = read_numbers(root, "/sys/fs/cgroup/cpu.max", &quota, &period) ||
			   (read_numbers(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota, NULL) &&
			    read_numbers(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period, NULL));
	if (!found || quota <= 0 || period <= 0)
		return 0;
	const long long processors = quota / period + (quota % period != 0);
	return processors > UINT_MAX ? UINT_MAX : (unsigned)processors;
}

/* Written once. */
static unsigned group_has;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_group(void)
{
	group_has = processors_of_group("");
}

unsigned processors_usable(void)
{
	cpu_set_t allowed;
	/* sched_getaffinity fails if the system has more processors than cpu_set_t can hold. */
	const long count = sched_getaffinity(0, sizeof(allowed), &allowed) ? sysconf(_SC_NPROCESSORS_ONLN)
									  : CPU_COUNT(&allowed);
	const unsigned cores = count < 1 ? 1 : (unsigned)count;
	pthread_once(&once, read_group);
	return group_has && group_has < cores ? group_has : cores;
}
