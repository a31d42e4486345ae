/* Protects: how much memory a compiler's process may have (base/memory_limit.h): what CULVERT_COMPILER_MEMORY says,
 * or a half of the machine's; a process beyond its limit gets no more, and knows what it has, and what its limits
 * leave it.
 *
 * Seen to fail with each of these mistakes in memory_limit.c: a size is taken for another unit; what is no size is
 * taken for none; the limit is set although there is to be none, or raises the host's; memory that was used is
 * not counted; a limit of the process is not looked at, or what was mapped before it is not counted. */
#include "config.h"

#include "base/memory_limit.h"

#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Options are read once: each look is a process of its own. */
static int in_child(int (*look)(const void *), const char *setting, const void *data)
{
	const pid_t child = fork();
	if (!child) {
		if (setting)
			setenv("CULVERT_COMPILER_MEMORY", setting, 1);
		else
			unsetenv("CULVERT_COMPILER_MEMORY");
		_exit(look(data));
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int is_limit(const void *wanted)
{
	return memory_limit_B() != *(const uint64_t *)wanted;
}

/* 1 GiB at least, and less than what the machine has, where that is more than 2; and told to who asked. */
static int is_usual(const void *told)
{
	const uint64_t machine_B = (uint64_t)sysconf(_SC_PHYS_PAGES) *
				   (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t limit_B = memory_limit_B(), gibi = (uint64_t)1 << 30;
	*(uint64_t *)(uintptr_t)told = limit_B;
	return limit_B < gibi || (machine_B > 2 * gibi && limit_B > machine_B / 2);
}

static void sizes(void)
{
	static const struct {
		const char *text;
		uint64_t size_B;
	} rows[] = {
		{"0", 0},
		{"1000000000", 1000000000},
		{"64M", 64 << 20},
		{"3G", (uint64_t)3 << 30},
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_EQ(in_child(is_limit, rows[i].text, &rows[i].size_B), 0);
	uint64_t *told = mmap(NULL, 3 * sizeof(*told), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(told != MAP_FAILED);
	CHECK_EQ(in_child(is_usual, NULL, &told[0]), 0);
	CHECK_EQ(in_child(is_usual, "auto", &told[1]), 0);
	CHECK_EQ(in_child(is_usual, "much", &told[2]), 0);
	CHECK(told[0] == told[1] && told[1] == told[2]);
	munmap(told, 3 * sizeof(*told));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static rlim_t data_limit(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_DATA, &limit) ? 0 : limit.rlim_cur;
}

/* 0: as it should be.  wanted: what the limit has to be afterwards, 0: as before. */
static int is_set(const void *wanted)
{
	const rlim_t before = data_limit();
	memory_limit_set();
	return data_limit() != (*(const rlim_t *)wanted ? *(const rlim_t *)wanted : before);
}

/* What is mapped now, and how much of it is data with stacks (proc(5): statm). */
static uint64_t mapped_B(bool data)
{
	unsigned long long all = 0, written = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	const bool read = file && fscanf(file, "%llu %*u %*u %*u %*u %llu", &all, &written) == 2;
	if (file)
		fclose(file);
	return read ? (data ? written : all) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* A process that may map so many bytes more has them, within 1 MiB, and no more. */
static int has_left(const void *limited)
{
	const int which = *(const int *)limited;
	const uint64_t more_B = (uint64_t)200 << 20, used_B = mapped_B(which == RLIMIT_DATA);
	const uint64_t all_B = memory_process_B();
	const struct rlimit limit = {used_B + more_B, RLIM_INFINITY};
	if (!used_B || all_B <= more_B || setrlimit((__rlimit_resource_t)which, &limit))
		return 1;
	const uint64_t left_B = memory_process_B();
	const struct rlimit less = {used_B / 2, RLIM_INFINITY};
	return left_B > more_B + (1 << 20) || left_B < more_B - (1 << 20) ||
	       setrlimit((__rlimit_resource_t)which, &less) || memory_process_B();
}

static void process(void)
{
	const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
	CHECK(memory_process_B() <= memory_machine_B());
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(in_child(has_left, NULL, &limits[i]), 0);
}

static int stays_lower(const void *lower)
{
	const struct rlimit limit = {*(const rlim_t *)lower, RLIM_INFINITY};
	return setrlimit(RLIMIT_DATA, &limit) || is_set(lower);
}

/* Room besides for stacks, 1.5 GiB. */
static void limits(void)
{
	const rlim_t none = 0, two = (rlim_t)7 << 29, low = (rlim_t)1 << 30;
	CHECK_EQ(in_child(is_set, "0", &none), 0);
	CHECK_EQ(in_child(is_set, "2G", &two), 0);
	CHECK_EQ(in_child(stays_lower, "2G", &low), 0);
}
#else
static void limits(void)
{
	SKIP("a sanitizer's shadow knows no limit of memory");
}

static void process(void)
{
	SKIP("a sanitizer's shadow knows no limit of memory");
}
#endif

static void used(void)
{
	const size_t size_B = (size_t)48 << 20;
	const uint64_t before_B = memory_used_B();
	if (!before_B)
		SKIP("nobody knows here what a process has");
	char *memory = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	REQUIRE(memory != MAP_FAILED);
	/* Reserved is not used. */
	CHECK(memory_used_B() < before_B + size_B / 2);
	memset(memory, 1, size_B);
	CHECK(memory_used_B() >= before_B + size_B / 2);
	munmap(memory, size_B);
}

TEST_MAIN(TEST(sizes), TEST(limits), TEST(process), TEST(used))
