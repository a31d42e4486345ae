/* clCompileProgram with headers, clLinkProgram to libraries and executables. */
#include "config.h"

#include "tests/api/fixture.h"

static const char part_source[] =
	"#include \"sum.h\"\n"
	"int sum(int a, int b) { return a + b + EXTRA; }\n";
static const char main_source[] =
	"#include \"parts/sum.h\"\n"
	"kernel void add(global int *p, int a) {\n"
	"	size_t i = get_global_id(0);\n"
	"	p[0] = sum(p[0], a) + (i >> 33);\n"
	"}\n";
static const char header_source[] = "int sum(int a, int b);\n#define EXTRA 100\n";

static cl_program make(const struct api_test *test, const char *source)
{
	cl_program program = api_test_program(test->context, source);
	return program;
}

static cl_program compile(const struct api_test *test, const char *source, cl_program header,
			  const char *name)
{
	cl_program program = make(test, source);
	CHECK_OK(clCompileProgram(program, 0, NULL, "", 1, &header, &name, NULL, NULL));
	return program;
}

static cl_program_binary_type type_of(const struct api_test *test, cl_program program)
{
	cl_program_binary_type type = 77;
	CHECK_OK(clGetProgramBuildInfo(program, test->device, CL_PROGRAM_BINARY_TYPE,
				       sizeof(type), &type, NULL));
	return type;
}

/* 5 + 20 + 100, on the device, and 3 from an id of more than 32 bits. */
static void run(const struct api_test *test, cl_program program)
{
	cl_int code, value = 5, addend = 20;
	const size_t one = 1, far = (size_t)3 << 33;
	cl_kernel kernel = clCreateKernel(program, "add", &code);
	if (!CHECK_OK(code))
		return;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	cl_mem buffer = buffer_make(test->context, CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(addend), &addend));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, &far, &one, NULL, 0, NULL, NULL));
	buffer_read(queue, buffer, &value, sizeof(value));
	CHECK(value == 128);
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void check_errors(const struct api_test *test, cl_program object)
{
	cl_int code;
	const char *name = "x.h";
	cl_program executable = make(test, "kernel void k(global int *p) { *p = 1; }");
	CHECK_CODE(clCompileProgram(object, 0, NULL, "", 0, &object, &name, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clCompileProgram(object, 0, NULL, "", 1, NULL, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clCompileProgram(executable, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL,
				    NULL),
		   CL_INVALID_COMPILER_OPTIONS);
	CHECK_NO_OBJECT(clLinkProgram(test->context, 0, NULL, "", 0, NULL, NULL, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clLinkProgram(test->context, 0, NULL, "-no-such-option", 1, &object, NULL,
				      NULL, &code),
			code, CL_INVALID_LINKER_OPTIONS);
	/* Neither what was never compiled nor an executable can be linked. */
	cl_program raw = make(test, "kernel void k(global int *p) { *p = 1; }");
	CHECK_NO_OBJECT(clLinkProgram(test->context, 0, NULL, "", 1, &raw, NULL, NULL, &code), code,
			CL_INVALID_OPERATION);
	CHECK_OK(clBuildProgram(executable, 0, NULL, "", NULL, NULL));
	CHECK_NO_OBJECT(clLinkProgram(test->context, 0, NULL, "", 1, &executable, NULL, NULL,
				      &code),
			code, CL_INVALID_OPERATION);
	CHECK_CODE(clCompileProgram(raw, 0, NULL, "-DX", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	CHECK_OK(clReleaseProgram(raw));
	CHECK_OK(clReleaseProgram(executable));
	cl_program broken = make(test, "kernel void k( {");
	CHECK_CODE(clCompileProgram(broken, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
		   CL_COMPILE_PROGRAM_FAILURE);
	CHECK_OK(clReleaseProgram(broken));
}

/* A header whose name is no file's does not stand in the way of the others. */
static void check_names(const struct api_test *test, cl_program header)
{
	static const char *const nothings[] = {"", ".", "./", "parts/"};
	const cl_program headers[] = {header, header};
	for (unsigned i = 0; i < sizeof(nothings) / sizeof(nothings[0]); i++) {
		const char *names[] = {nothings[i], "parts/sum.h"};
		cl_program program = make(test, main_source);
		CHECK_OK(clCompileProgram(program, 0, NULL, "", 2, headers, names, NULL, NULL));
		CHECK_OK(clReleaseProgram(program));
	}
}

/* 5.8.2: a name is what stands behind #include; one may be another's folder, in any order. */
static void check_folders(const struct api_test *test)
{
	static const char *const names[] = {"a", "a/b.h", "a/b.h/c"};
	static const char *const texts[] = {"#define A 1\n", "#define B 2\n", "#define C 4\n"};
	static const unsigned char orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
						  {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	cl_program sources[4];
	for (unsigned i = 0; i < 3; i++)
		sources[i] = make(test, texts[i]);
	sources[3] = make(test, "#error \"of headers with one name the first counts\"\n");
	for (unsigned i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		cl_program headers[4] = {0};
		const char *given[4];
		for (unsigned k = 0; k < 3; k++) {
			headers[k] = sources[orders[i][k]];
			given[k] = names[orders[i][k]];
		}
		headers[3] = sources[3];
		given[3] = names[i % 3];
		cl_program program = make(test, "#if !__has_include(\"a\")\n#error a\n#endif\n"
						"#include \"a/b.h/c\"\n#include \"a\"\n"
						"#include <a/b.h>\n"
						"#if A + B + C != 7\n#error sum\n#endif\n");
		CHECK_OK(clCompileProgram(program, 0, NULL, "", 4, headers, given, NULL, NULL));
		CHECK_OK(clReleaseProgram(program));
	}
	for (unsigned i = 0; i < 4; i++)
		CHECK_OK(clReleaseProgram(sources[i]));
}

int main(void)
{
	struct api_test test;
	cl_int code;
	if (!api_test_start(&test, "program_link"))
		return API_TEST_SKIP;
	cl_program header = make(&test, header_source);
	cl_program part = compile(&test, part_source, header, "sum.h");
	cl_program object = compile(&test, main_source, header, "parts/sum.h");
	CHECK(type_of(&test, part) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	CHECK_NO_OBJECT(clCreateKernel(object, "add", &code), code, CL_INVALID_PROGRAM_EXECUTABLE);

	cl_program both[2] = {object, part};
	cl_program linked = clLinkProgram(test.context, 0, NULL, "", 2, both, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		CHECK(type_of(&test, linked) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
		run(&test, linked);
		CHECK_CODE(clBuildProgram(linked, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
		CHECK_OK(clReleaseProgram(linked));
	}
	cl_program library = clLinkProgram(test.context, 0, NULL, "-create-library", 1, &part, NULL,
					   NULL, &code);
	if (CHECK_OK(code)) {
		CHECK(type_of(&test, library) == CL_PROGRAM_BINARY_TYPE_LIBRARY);
		both[1] = library;
		linked = clLinkProgram(test.context, 1, &test.device, "", 2, both, NULL, NULL,
				       &code);
		if (CHECK_OK(code)) {
			run(&test, linked);
			CHECK_OK(clReleaseProgram(linked));
		}
		CHECK_OK(clReleaseProgram(library));
	}
	/* Without the part a name is missing: the log says which. */
	linked = clLinkProgram(test.context, 0, NULL, "", 1, &object, NULL, NULL, &code);
	CHECK_CODE(code, CL_LINK_PROGRAM_FAILURE);
	if (linked) {
		char log[8192] = "";
		build_log(linked, test.device, log, sizeof(log));
		CHECK(strstr(log, "sum") != NULL);
		CHECK_OK(clReleaseProgram(linked));
	}
	check_errors(&test, object);
	check_names(&test, header);
	check_folders(&test);
	CHECK_OK(clReleaseProgram(object));
	CHECK_OK(clReleaseProgram(part));
	CHECK_OK(clReleaseProgram(header));
	return api_test_end(&test);
}
