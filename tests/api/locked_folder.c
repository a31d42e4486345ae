/* Protects: programs in a folder that their user may not reach by its name, as a service that was started
 * in root's home and gave up its rights: they build programs, and what the folder has can be included. */
#include "config.h"

#include "tests/api/fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct api_test test;
static char folder[] = "/tmp/culvert-locked-XXXXXX";

static cl_int compile(const char *source)
{
	cl_int code;
	cl_program program = api_test_program(test.context, source);
	code = clCompileProgram(program, 0, NULL, "-I .", 0, NULL, NULL, NULL, NULL);
	CHECK_OK(clReleaseProgram(program));
	return code;
}

/* A folder inside of one that nobody may enter but root; its descriptor. */
static int make_folders(void)
{
	char path[64];
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/inner", folder);
	int inner = mkdir(path, 0755) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int header = openat(inner, "seven.h", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(header >= 0 && write(header, "#define SEVEN 7\n", 16) == 16 && !close(header));
	CHECK(!chmod(path, 0755) && !fchmodat(inner, "seven.h", 0644, 0) && !chmod(folder, 0));
	return inner;
}

static void remove_folders(int inner)
{
	CHECK(!chmod(folder, 0700) && !unlinkat(inner, "seven.h", 0));
	close(inner);
	inner = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(!unlinkat(inner, "inner", AT_REMOVEDIR) && !close(inner) && !rmdir(folder));
}

int main(void)
{
	if (!api_test_start(&test, "locked_folder"))
		return API_TEST_SKIP;
	const int inner = make_folders();
	if (!CHECK(inner >= 0))
		return api_test_end(&test);
	const bool root = !geteuid();
	/* The real user stays root, and takes the folders away again. */
	if (root)
		CHECK(!setegid(65534) && !seteuid(65534));
	CHECK(!chdir("/"));
	const bool reachable = !compile("kernel void k(global int *a) { a[0] = 6; }");
	CHECK(!fchdir(inner));
	CHECK(access(folder, X_OK) || root);
	const char *source = "#include \"seven.h\"\nkernel void k(global int *a) { a[0] = SEVEN; }";
	if (reachable)
		CHECK_OK(compile(source));
	if (root)
		CHECK(!seteuid(0) && !setegid(0));
	remove_folders(inner);
	CHECK(!chdir("/"));
	const int code = api_test_end(&test);
	if (code || reachable)
		return code;
	printf("SKIP: others than root do not reach this build's compiler\n");
	return API_TEST_SKIP;
}
