/* For replaced.sh: a program whose installation changes while it runs.
 *
 *	replaced early COMMAND    COMMAND is done when the platform was found, and a program built then
 *	replaced late COMMAND     a program is built before it as well */
#include "config.h"

#include "tests/api/api_test.h"

#include <stdlib.h>

static void build(const struct api_test *test, const char *source)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(test->context, 1, &source, NULL, &code);
	if (!CHECK_OK(code))
		return;
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
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
