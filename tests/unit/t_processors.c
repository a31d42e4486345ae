/* Protects: how many processors threads and compilers are counted by (base/processors.h): those that a thread is bound to,
 * and the time that a control group has, of both versions (cgroups(7)). */
#include "config.h"

#include "base/processors.h"
#include "tests/unit/test.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

static char root[] = "/tmp/culvert-processors-XXXXXX";

static void write_file(const char *path, const char *text)
{
	char whole[256];
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	FILE *file = fopen(whole, "w");
	REQUIRE(file);
	fputs(text, file);
	fclose(file);
}

static void groups(void)
{
	static const struct {
		const char *text;
		unsigned processors;
	} rows[] = {
		{"max 100000\n", 0}, {"200000 100000\n", 2}, {"150000 100000\n", 2}, {"1000 100000\n", 1},
		{"12800000 100000\n", 128}, {"", 0}, {"0 100000\n", 0}, {"100000 0\n", 0}, {"x\n", 0},
	};
	CHECK_EQ(processors_of_group(root), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file("/sys/fs/cgroup/cpu.max", rows[i].text);
		CHECK_EQ(processors_of_group(root), rows[i].processors);
	}
}

static void groups_of_version_1(void)
{
	write_file("/sys/fs/cgroup/cpu.max", "");
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
	CHECK_EQ(processors_of_group(root), 0);
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	CHECK_EQ(processors_of_group(root), 3);
	write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	CHECK_EQ(processors_of_group(root), 0);
}

static void bound(void)
{
	cpu_set_t before, one;
	REQUIRE(!sched_getaffinity(0, sizeof(before), &before));
	CHECK(processors_usable() >= 1 && processors_usable() <= (unsigned)CPU_COUNT(&before));
	CPU_ZERO(&one);
	for (int i = 0; !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	REQUIRE(!sched_setaffinity(0, sizeof(one), &one));
	CHECK_EQ(processors_usable(), 1);
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

int main(void)
{
	static const struct test_case cases[] = {TEST(groups), TEST(groups_of_version_1), TEST(bound)};
	char command[128];
	if (!mkdtemp(root))
		return 2;
	snprintf(command, sizeof(command), "mkdir -p %s/sys/fs/cgroup/cpu", root);
	if (system(command))
		return 2;
	const int status = test_run_all(cases, 3);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? 2 : status;
}
