#include "config.h"

#include "base/control_group.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t none = UINT64_MAX;

/* --- numbers in files ---------- */

/* Reads `count` numbers, 1 or 2, from a file of a folder.  False: there is no such file, or it does not begin with
 * them, as those that say "max". */
static bool read_numbers(const char *folder, const char *name, int count, long long numbers[2])
{
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/%s", folder, name);
	FILE *file = bytes_failed(&path) ? NULL : fopen(bytes_string(&path), "re");
	const bool found = file && fscanf(file, count == 2 ? "%lld %lld" : "%lld", &numbers[0], &numbers[1]) == count;
	if (file)
		fclose(file);
	bytes_finish(&path);
	return found;
}

/* A quota of time in each period, both in us.  -1 is version 1's word for no limit. */
static uint64_t processors_for(long long quota, long long period)
{
	return quota <= 0 || period <= 0 ? none : (uint64_t)quota / (uint64_t)period + (quota % period != 0);
}

static uint64_t processors_of_2(const char *folder)
{
	long long numbers[2];
	return read_numbers(folder, "cpu.max", 2, numbers) ? processors_for(numbers[0], numbers[1]) : none;
}

static uint64_t processors_of_1(const char *folder)
{
	long long quota[2], period[2];
	return read_numbers(folder, "cpu.cfs_quota_us", 1, quota) &&
	       read_numbers(folder, "cpu.cfs_period_us", 1, period) ? processors_for(quota[0], period[0]) : none;
}

static uint64_t memory_of_2(const char *folder)
{
	long long numbers[2];
	return read_numbers(folder, "memory.max", 1, numbers) && numbers[0] > 0 ? (uint64_t)numbers[0] : none;
}

/* Without a limit, version 1 says the largest number of whole pages. */
static uint64_t memory_of_1(const char *folder)
{
	long long numbers[2];
	return read_numbers(folder, "memory.limit_in_bytes", 1, numbers) && numbers[0] > 0 &&
	       numbers[0] < LLONG_MAX / 2 ? (uint64_t)numbers[0] : none;
}

/* --- groups ---------- */

/* Whether a list such as "cpu,cpuacct" names a controller; "" is that of version 2, which is empty. */
static bool has(const char *list, const char *controller)
{
	const size_t length = strlen(controller);
	if (!length)
		return !*list;
	for (;; list = strchr(list, ',') + 1) {
		if (!strncmp(list, controller, length) && (!list[length] || list[length] == ','))
			return true;
		if (!strchr(list, ','))
			return false;
	}
}

/* Appends the path of the process's group below the controller's uppermost one, as /proc/self/cgroup names it in lines
 * such as "4:cpu,cpuacct:/jobs/7"; nothing if it is not known, or outside of what this process may see ("/../...").
 * Nothing long is on the stack, because threads of the application may have only 16 KiB. */
static void find_group(const char *root, const char *controller, struct bytes *group_out)
{
	struct bytes name = BYTES_INIT;
	char *line = NULL;
	size_t capacity_B = 0;
	bytes_printf(&name, "%s/proc/self/cgroup", root);
	FILE *file = bytes_failed(&name) ? NULL : fopen(bytes_string(&name), "re");
	while (file && !group_out->size_B && getline(&line, &capacity_B, file) > 0) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (has(list + 1, controller) && *group == '/' && !strstr(group, "/.."))
			bytes_append_string(group_out, group);
	}
	free(line);
	if (file)
		fclose(file);
	bytes_finish(&name);
}

/* What `limit` says of the first length characters of a group's path. */
static uint64_t limit_of(const char *root, const char *folder, const char *group, size_t length,
			 uint64_t (*limit)(const char *))
{
	struct bytes whole = BYTES_INIT;
	bytes_printf(&whole, "%s%s", root, folder);
	bytes_append(&whole, group, length);
	const uint64_t here = bytes_failed(&whole) ? none : limit(bytes_string(&whole));
	bytes_finish(&whole);
	return here;
}

/* The least that `limit` says of the process's group and those above it.  folder: the uppermost one of a controller. */
static uint64_t least(const char *root, const char *controller, const char *folder, uint64_t (*limit)(const char *))
{
	struct bytes group = BYTES_INIT;
	find_group(root, controller, &group);
	const char *path = bytes_string(&group);
	uint64_t found = limit_of(root, folder, path, group.size_B, limit);
	for (size_t end = group.size_B; end-- > 0;) {
		if (path[end] != '/')
			continue;
		const uint64_t here = limit_of(root, folder, path, end, limit);
		found = here < found ? here : found;
	}
	bytes_finish(&group);
	return found;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

unsigned control_group_processors(const char *root)
{
	const uint64_t count = lesser(least(root, "", "/sys/fs/cgroup", processors_of_2),
				      least(root, "cpu", "/sys/fs/cgroup/cpu", processors_of_1));
	return count == none ? 0 : count > UINT_MAX ? UINT_MAX : (unsigned)count;
}

uint64_t control_group_memory_B(const char *root)
{
	const uint64_t size_B = lesser(least(root, "", "/sys/fs/cgroup", memory_of_2),
				       least(root, "memory", "/sys/fs/cgroup/memory", memory_of_1));
	return size_B == none ? 0 : size_B;
}
