/* A system without libnvvm: CL_COMPILER_NOT_AVAILABLE, CL_LINKER_NOT_AVAILABLE, and devices that
 * say so.  The program runs twice: first, with everything there, it makes an object to link and an
 * executable; then it starts itself again without. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/il_module.h"

#include <unistd.h>

static const char object_file[] = "no_compiler.object.XXXXXX";
static const char executable_file[] = "no_compiler.executable.XXXXXX";
static const char *const source =
	"kernel void k(global int *a) { size_t i = get_global_id(0); a[i & 3] = i; }";

static cl_int compile(cl_program program)
{
	return clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
}

/* Writes the program's binary into a new file whose name it puts into path. */
static bool binary_write(cl_program program, char *path)
{
	size_t size_B = 0;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B,
				  NULL));
	unsigned char *bytes = malloc(size_B + 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	const int file = mkstemp(path);
	const bool good = CHECK(file >= 0) && CHECK(write(file, bytes, size_B) == (ssize_t)size_B);
	if (file >= 0)
		close(file);
	free(bytes);
	return good;
}

static cl_program binary_read(cl_context context, cl_device_id device, const char *path)
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

/* An executable runs, but where that takes code that it has not. */
static void check_executable(const struct api_test *test, const char *path)
{
	const size_t one = 1, far = (size_t)1 << 33;
	cl_int result[4];
	cl_program program = binary_read(test->context, test->device, path);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	cl_kernel kernel = kernel_make(program, "k");
	cl_mem buffer = buffer_make(test->context, 0, sizeof(result), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	/* OpenCL 3.0 API, 5.10: "if there is a failure to queue the execution instance of kernel
	 * on the command-queue because of insufficient resources". */
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, &far, &one, NULL, 0, NULL, NULL),
		   CL_OUT_OF_RESOURCES);
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, &one, &one, NULL, 0, NULL, NULL));
	buffer_read(queue, buffer, result, sizeof(result));
	CHECK(result[1] == 1);
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.8.3 and 5.8.4: the module is kept; nothing can be made of it. */
static void check_il(cl_context context)
{
	cl_int code, value = 1;
	cl_program program = clCreateProgramWithIL(context, il_module, sizeof(il_module), &code);
	CHECK_OK(code);
	CHECK_CODE(clSetProgramSpecializationConstant(program, 4, sizeof(value), &value),
		   CL_COMPILER_NOT_AVAILABLE);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
	CHECK_CODE(compile(program), CL_COMPILER_NOT_AVAILABLE);
	CHECK_OK(clReleaseProgram(program));
}

static void check_without(const struct api_test *test, const char *path)
{
	cl_int code;
	cl_program program = api_test_program(test->context, source);
	cl_program object = binary_read(test->context, test->device, path);
	check_device(test->device);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
	CHECK_CODE(compile(program), CL_COMPILER_NOT_AVAILABLE);
	check_il(test->context);
	CHECK_NO_OBJECT(clLinkProgram(test->context, 0, NULL, "", 1, &object, NULL, NULL, &code),
			code, CL_LINKER_NOT_AVAILABLE);
	CHECK_OK(clReleaseProgram(object));
	CHECK_OK(clReleaseProgram(program));
}

static bool files_write(cl_context context, char *object, char *executable)
{
	cl_program program = api_test_program(context, source);
	CHECK_OK(compile(program));
	bool good = binary_write(program, object);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	good = binary_write(program, executable) && good;
	CHECK_OK(clReleaseProgram(program));
	return good;
}

int main(int argc, char **argv)
{
	char object[sizeof(object_file)], executable[sizeof(executable_file)];
	struct api_test test;
	if (!api_test_start(&test, "no_compiler"))
		return API_TEST_SKIP;
	if (argc > 2) {
		check_without(&test, argv[1]);
		check_executable(&test, argv[2]);
		unlink(argv[1]);
		unlink(argv[2]);
		return api_test_end(&test);
	}
	memcpy(object, object_file, sizeof(object));
	memcpy(executable, executable_file, sizeof(executable));
	if (!files_write(test.context, object, executable))
		return 1;
	setenv("CULVERT_LIBNVVM", "/nonexistent/libnvvm.so", 1);
	setenv("CULVERT_CACHE", "off", 1);
	execl(argv[0], argv[0], object, executable, (char *)NULL);
	perror(argv[0]);
	return 1;
}
