/* Protects: an included header is looked for in the folder that the process is in, behind the folders that options
 * name, and what was built in one folder is not taken for what the same source is in another. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/remove_folder.h"

#include <sys/stat.h>
#include <unistd.h>

enum { IN_FIRST = 11, IN_SECOND = 22, IN_NAMED = 33 };

static struct api_test test;
static cl_command_queue queue;

static void header_write(const char *folder, int value)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/value.h", folder);
	CHECK(!mkdir(folder, 0700));
	FILE *file = fopen(path, "w");
	if (CHECK(file != NULL)) {
		fprintf(file, "#define VALUE %d\n", value);
		CHECK(!fclose(file));
	}
}

static int run(cl_program program)
{
	int value = -1;
	cl_kernel kernel = kernel_make(program, "k");
	cl_mem buffer = buffer_make(test.context, CL_MEM_READ_WRITE, sizeof(value), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK(launch_1d(queue, kernel, 1));
	CHECK(buffer_read(queue, buffer, &value, sizeof(value)));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	return value;
}

/* What the kernel stores that is built in the folder; -1: it was not built, for the header was not found. */
static int value_in(const char *folder, const char *options)
{
	const char *source = "#include \"value.h\"\nkernel void k(global int *p) { *p = VALUE; }\n";
	char log[2000];
	cl_int code;
	CHECK(!chdir(folder));
	cl_program program = clCreateProgramWithSource(test.context, 1, &source, NULL, &code);
	CHECK_OK(code);
	code = clBuildProgram(program, 1, &test.device, options, NULL, NULL);
	int value = -1;
	if (code == CL_SUCCESS) {
		value = run(program);
	} else {
		CHECK_CODE(code, CL_BUILD_PROGRAM_FAILURE);
		build_log(program, test.device, log, sizeof(log));
		CHECK(strstr(log, "value.h") != NULL);
	}
	CHECK_OK(clReleaseProgram(program));
	return value;
}

static void folders(const char *top)
{
	char first[128], second[128], named[128], option[160];
	snprintf(first, sizeof(first), "%s/first", top);
	snprintf(second, sizeof(second), "%s/second", top);
	snprintf(named, sizeof(named), "%s/named", top);
	snprintf(option, sizeof(option), "-I %s", named);
	header_write(first, IN_FIRST);
	header_write(second, IN_SECOND);
	header_write(named, IN_NAMED);
	/* From memory, then with what is in memory given up. */
	for (int forget = 0; forget < 2; forget++) {
		CHECK(value_in(first, "") == IN_FIRST);
		CHECK(value_in(second, "") == IN_SECOND);
		CHECK(value_in(top, "") == -1);
		CHECK(value_in(first, "") == IN_FIRST);
		CHECK(value_in(first, option) == IN_NAMED);
		CHECK_OK(clUnloadPlatformCompiler(test.platform));
	}
}

int main(void)
{
	char top[] = "/tmp/culvert-folders-XXXXXX", kept[64];
	if (!mkdtemp(top))
		return 1;
	snprintf(kept, sizeof(kept), "%s/kept", top);
	unsetenv("CUDA_CACHE_DISABLE");
	setenv("CULVERT_CACHE", "on", 1);
	setenv("CULVERT_CACHE_DIR", kept, 1);
	if (!api_test_start(&test, "included_folder")) {
		(void)rmdir(top);
		return API_TEST_SKIP;
	}
	queue = queue_make(test.context, test.device, 0);
	folders(top);
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK(!chdir("/"));
	remove_folder(top);
	return api_test_end(&test);
}
