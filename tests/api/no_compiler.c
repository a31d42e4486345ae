/* A system without libnvvm: CL_COMPILER_NOT_AVAILABLE, CL_LINKER_NOT_AVAILABLE, and devices that
 * say so.  The program runs twice: first, with everything there, it makes an object to link;
 * then it starts itself again without. */
#include "config.h"

#include "tests/api/api_test.h"

#include <unistd.h>

static const char object_file[] = "no_compiler.object.XXXXXX";
static const char *const source = "kernel void k(global int *a) { a[0] = 1; }";

static cl_program source_program(cl_context context)
{
	const char *text = source;
	cl_int code;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	CHECK_OK(code);
	return program;
}

static cl_int compile(cl_program program)
{
	return clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
}

/* Compiles, and writes the object into a new file whose name it puts into path. */
static bool object_write(cl_context context, char *path)
{
	size_t size_B = 0;
	cl_program program = source_program(context);
	CHECK_OK(compile(program));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B,
				  NULL));
	unsigned char *bytes = malloc(size_B + 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	CHECK_OK(clReleaseProgram(program));
	const int file = mkstemp(path);
	const bool good = CHECK(file >= 0) && CHECK(write(file, bytes, size_B) == (ssize_t)size_B);
	if (file >= 0)
		close(file);
	free(bytes);
	return good;
}

static cl_program object_read(cl_context context, cl_device_id device, const char *path)
{
	static unsigned char bytes[1 << 20];
	const unsigned char *binary = bytes;
	cl_int code;
	FILE *file = fopen(path, "rb");
	const size_t size_B = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (file)
		fclose(file);
	cl_program program = clCreateProgramWithBinary(context, 1, &device, &size_B, &binary, NULL,
						       &code);
	CHECK_OK(code);
	return program;
}

static void check_device(cl_device_id device)
{
	cl_bool compiler = CL_TRUE, linker = CL_TRUE;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(compiler), &compiler,
				 NULL));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_LINKER_AVAILABLE, sizeof(linker), &linker,
				 NULL));
	CHECK(!compiler && !linker);
}

static void check_without(const struct api_test *test, const char *path)
{
	cl_int code;
	cl_program program = source_program(test->context);
	cl_program object = object_read(test->context, test->device, path);
	check_device(test->device);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
	CHECK_CODE(compile(program), CL_COMPILER_NOT_AVAILABLE);
	CHECK_NO_OBJECT(clLinkProgram(test->context, 0, NULL, "", 1, &object, NULL, NULL, &code),
			code, CL_LINKER_NOT_AVAILABLE);
	CHECK_OK(clReleaseProgram(object));
	CHECK_OK(clReleaseProgram(program));
}

int main(int argc, char **argv)
{
	char path[sizeof(object_file)];
	struct api_test test;
	if (!api_test_start(&test, "no_compiler"))
		return API_TEST_SKIP;
	if (argc > 1) {
		check_without(&test, argv[1]);
		unlink(argv[1]);
		return api_test_end(&test);
	}
	memcpy(path, object_file, sizeof(path));
	if (!object_write(test.context, path))
		return 1;
	setenv("CULVERT_LIBNVVM", "/nonexistent/libnvvm.so", 1);
	setenv("CULVERT_CACHE", "off", 1);
	execl(argv[0], argv[0], path, (char *)NULL);
	perror(argv[0]);
	return 1;
}
