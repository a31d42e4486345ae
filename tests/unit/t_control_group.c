/* Protects: the limits of control groups by which threads and compilers are counted (base/control_group.h), of both
 * versions (cgroups(7)): those of the process's own group and of all above it, in files as Linux writes them.
 *
 * Seen to fail with each of these mistakes: only the uppermost group is read, as before; only the lowest one; the first
 * limit that is found holds instead of the least; "max", -1 or version 1's largest number count as limits. */
#include "config.h"

#include "base/control_group.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define GIB ((uint64_t)1 << 30)

static char root[] = "/tmp/culvert-control-group-XXXXXX";

static void write_file(const char *path, const char *text)
{
	char whole[256];
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		(void)mkdir(whole, 0700);
	}
	FILE *file = fopen(whole, "w");
	REQUIRE(file);
	fputs(text, file);
	fclose(file);
}

static void clear(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s && mkdir %s", root, root);
	REQUIRE(!system(command));
}

/* A container whose own group is the uppermost one that it sees. */
static void uppermost(void)
{
	static const struct {
		const char *text;
		unsigned processors;
	} rows[] = {
		{"max 100000\n", 0}, {"200000 100000\n", 2}, {"150000 100000\n", 2}, {"1000 100000\n", 1},
		{"12800000 100000\n", 128}, {"", 0}, {"0 100000\n", 0}, {"100000 0\n", 0}, {"x\n", 0},
	};
	clear();
	CHECK_EQ(control_group_processors(root), 0);
	CHECK_EQ(control_group_memory_B(root), 0);
	for (unsigned named = 0; named < 2; named++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			write_file("/sys/fs/cgroup/cpu.max", rows[i].text);
			CHECK_EQ(control_group_processors(root), rows[i].processors);
		}
		write_file("/sys/fs/cgroup/memory.max", "max\n");
		CHECK_EQ(control_group_memory_B(root), 0);
		write_file("/sys/fs/cgroup/memory.max", "4294967296\n");
		CHECK_EQ(control_group_memory_B(root), 4 * GIB);
		write_file("/proc/self/cgroup", "0::/\n");
	}
}

/* A process of a systemd unit, or of a batch system, which sees the whole tree. */
static void below(void)
{
	clear();
	write_file("/proc/self/cgroup", "0::/system.slice/job_7.scope/step\n");
	write_file("/sys/fs/cgroup/system.slice/cpu.max", "max 100000\n");
	write_file("/sys/fs/cgroup/system.slice/memory.max", "max\n");
	write_file("/sys/fs/cgroup/system.slice/job_7.scope/cpu.max", "300000 100000\n");
	write_file("/sys/fs/cgroup/system.slice/job_7.scope/memory.max", "2147483648\n");
	CHECK_EQ(control_group_processors(root), 3);
	CHECK_EQ(control_group_memory_B(root), 2 * GIB);
	/* The least holds, wherever it is. */
	write_file("/sys/fs/cgroup/system.slice/job_7.scope/step/cpu.max", "800000 100000\n");
	write_file("/sys/fs/cgroup/system.slice/job_7.scope/step/memory.max", "1073741824\n");
	CHECK_EQ(control_group_processors(root), 3);
	CHECK_EQ(control_group_memory_B(root), GIB);
	/* Not this process's. */
	write_file("/sys/fs/cgroup/user.slice/cpu.max", "100000 100000\n");
	CHECK_EQ(control_group_processors(root), 3);
	/* Outside of the namespace of groups: only what is seen counts. */
	write_file("/proc/self/cgroup", "0::/../job_7.scope\n");
	CHECK_EQ(control_group_processors(root), 0);
}

static void version_1(void)
{
	clear();
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
	CHECK_EQ(control_group_processors(root), 0);
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	CHECK_EQ(control_group_processors(root), 3);
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	CHECK_EQ(control_group_processors(root), 0);
	/* An empty list is version 2's, and a controller of another name is not the one that is looked for. */
	write_file("/proc/self/cgroup",
		   "9:cpuset:/a\n5:cpuacct,cpu:/jobs/7\n4:memory:/jobs/8\n1:name=systemd:/b\n0::/c\n");
	write_file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n");
	write_file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
	write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	CHECK_EQ(control_group_processors(root), 0);
	CHECK_EQ(control_group_memory_B(root), 0);
	write_file("/sys/fs/cgroup/cpu/jobs/7/cpu.cfs_quota_us", "400000\n");
	write_file("/sys/fs/cgroup/cpu/jobs/7/cpu.cfs_period_us", "100000\n");
	write_file("/sys/fs/cgroup/memory/jobs/8/memory.limit_in_bytes", "3221225472\n");
	CHECK_EQ(control_group_processors(root), 4);
	CHECK_EQ(control_group_memory_B(root), 3 * GIB);
	/* Both versions at once: the least of all. */
	write_file("/sys/fs/cgroup/c/memory.max", "1073741824\n");
	write_file("/sys/fs/cgroup/c/cpu.max", "100000 100000\n");
	CHECK_EQ(control_group_processors(root), 1);
	CHECK_EQ(control_group_memory_B(root), GIB);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(uppermost), TEST(below), TEST(version_1)};
	char command[128];
	if (!mkdtemp(root))
		return 2;
	const int status = test_run_all(cases, 3);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? 2 : status;
}
