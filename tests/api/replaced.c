/* For replaced.sh: a program whose installation changes while it runs.
 *
 *	replaced early COMMAND    COMMAND is done when the platform was found, and a program built then
 *	replaced late COMMAND     a program is built before it as well */
#include "config.h"

#include "tests/api/api_test.h"

#include <stdlib.h>

static void build(const struct api_test *test, const char *source)
{
	cl_program program = api_test_build(test->context, test->device, source, "");
	if (program)
		CHECK_OK(clReleaseProgram(program));
}

int main(int argc, char **argv)
{
	struct api_test test;
	if (argc != 3 || !api_test_start(&test, "replaced"))
		return API_TEST_SKIP;
	if (!strcmp(argv[1], "late"))
		build(&test, "kernel void before(global int *p) { *p = 1; }");
	CHECK(system(argv[2]) == 0);
	build(&test, "kernel void after(global int *p) { *p = 2; }");
	return api_test_end(&test);
}
