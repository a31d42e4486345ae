/* Tests the builtin functions of OpenCL C by their values, on any platform:
 *
 *	values [--platform NAME] [--quick] [FAMILY...]
 *	values --list           (the families' names)
 *
 * Prints one line for each family and one for each failure.  CLT_PLATFORM names the platform too;
 * VALUES_DUMP=FILE keeps the program that was built last.
 * Exit status: 0 all passed, 1 a failure, 2 wrong usage, 77 no such platform. */
#include "config.h"

#include "tests/builtins/family.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *name;
	family_run *run;
} families[] = {
	{"math", math_family},             {"math_double", math_double_family},
	{"math_half", math_half_family},   {"native", native_family},
	{"common", common_family},         {"integer", integer_family},
	{"relational", relational_family}, {"geometric", geometric_family},
	{"convert", convert_family},       {"memory", memory_family},
	{"half", half_family},             {"shuffle", shuffle_family},
	{"async", async_family},           {"atomic", atomic_family},
	{"atomic_c11", atomic_c11_family}, {"workitem", workitem_family},
	{"sub_group", sub_group_family},   {"work_group", work_group_family},
	{"extended", extended_family},
};
/* A family that fails everywhere need not say so ten thousand times. */
enum { FAMILIES = sizeof(families) / sizeof(families[0]), SHOWN_MAX = 200 };

static const char *running;
static size_t functions_done, comparisons_done, failures;

void family_count(size_t functions, size_t comparisons)
{
	functions_done += functions;
	comparisons_done += comparisons;
}

void family_fail(const char *format, ...)
{
	va_list arguments;
	if (failures++ >= SHOWN_MAX)
		return;
	printf("FAIL %s: ", running);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns whether it passed. */
static bool run_family(struct device *device, const struct depth *depth, size_t f)
{
	double start = seconds();
	running = families[f].name;
	functions_done = comparisons_done = failures = 0;
	families[f].run(device, depth);
	if (!functions_done && !failures)
		printf("%-12s skipped: the device has none of it\n", running);
	else
		printf("%-12s %4zu functions, %8zu comparisons, %zu failures, %.1f s\n", running,
		       functions_done, comparisons_done, failures, seconds() - start);
	fflush(stdout);
	return !failures;
}

static void list(void)
{
	for (size_t f = 0; f < FAMILIES; f++)
		puts(families[f].name);
}

static int usage(void)
{
	printf("usage: values [--platform NAME] [--quick] [FAMILY...]\nfamilies:\n");
	list();
	return 2;
}

int main(int count, char **words)
{
	struct device device;
	struct depth depth = {false};
	bool wanted[FAMILIES] = {false}, all = true, passed = true;
	const char *platform = getenv("CLT_PLATFORM");
	if (count == 2 && !strcmp(words[1], "--list"))
		return list(), 0;
	for (int i = 1; i < count; i++) {
		size_t f = 0;
		if (!strcmp(words[i], "--quick")) {
			depth.quick = true;
			continue;
		}
		if (!strcmp(words[i], "--platform") && i + 1 < count) {
			platform = words[++i];
			continue;
		}
		while (f < FAMILIES && strcmp(words[i], families[f].name))
			f++;
		if (f == FAMILIES)
			return usage();
		wanted[f] = true;
		all = false;
	}
	if (!device_open(&device, platform)) {
		printf("skipped: no device of platform %s\n", platform ? platform : "(any)");
		return 77;
	}
	for (size_t f = 0; f < FAMILIES; f++)
		if (all || wanted[f])
			passed &= run_family(&device, &depth, f);
	device_close(&device);
	return passed ? 0 : 1;
}
