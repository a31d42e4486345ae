/* Protects: what is told of a shared object of ours that cannot be opened: of one that is there the
 * reason, also where others that are tried after it are not there. */
#include "config.h"

#include "base/own_library.h"
#include "tests/unit/test.h"

#include <limits.h>
#include <unistd.h>

static char name[64], path[PATH_MAX + sizeof(name)];
static struct bytes note = BYTES_INIT;

static void one_that_is_nowhere(void)
{
	char expected[sizeof(path) + 16];
	CHECK(!own_library_open(name, &note));
	snprintf(expected, sizeof(expected), "%s: no such file; ", path);
	CHECK(!strncmp(bytes_string(&note), expected, strlen(expected)));
	bytes_finish(&note);
}

static void one_that_is_none(void)
{
	FILE *file = fopen(path, "w");
	REQUIRE(file);
	fputs("no shared object", file);
	fclose(file);
	CHECK(!own_library_open(name, &note));
	CHECK(!unlink(path));
	/* The linker's words of a file like this. */
	CHECK(strstr(bytes_string(&note), "file too short") || strstr(bytes_string(&note), "ELF"));
	CHECK(!strncmp(bytes_string(&note), path, strlen(path)));
	bytes_finish(&note);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(one_that_is_nowhere), TEST(one_that_is_none)};
	char own[PATH_MAX] = "";
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0)
		return 2;
	snprintf(name, sizeof(name), "own-library-%ld.so", (long)getpid());
	snprintf(path, sizeof(path), "%.*s%s", (int)(strrchr(own, '/') + 1 - own), own, name);
	return test_run_all(cases, 2);
}
