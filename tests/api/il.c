/* Programs of SPIR-V: made, asked, built, compiled and linked, with specialization constants.
 * The modules are those of tests/spirv. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/il_module.h"

#include <stdint.h>

enum { MODULE_MOST_B = 1 << 16, VALUES = 8 };

struct module {
	unsigned char bytes[MODULE_MOST_B];
	size_t size_B;
};

static struct module constants, linked, arguments, once;

static bool module_read(struct module *module, const char *name)
{
	const char *source = getenv("srcdir");
	char path[4096];
	snprintf(path, sizeof(path), "%s/tests/spirv/%s", source ? source : ".", name);
	FILE *file = fopen(path, "rb");
	if (file) {
		module->size_B = fread(module->bytes, 1, sizeof(module->bytes), file);
		fclose(file);
	}
	return module->size_B > 20;
}

static cl_program make(const struct api_test *test, const struct module *module)
{
	cl_int code = 1;
	cl_program program = clCreateProgramWithIL(test->context, module->bytes, module->size_B,
						   &code);
	CHECK_OK(code);
	return program;
}

static cl_program make_source(const struct api_test *test, const char *text)
{
	cl_program program = api_test_program(test->context, text);
	return program;
}

/* Runs the kernel of count work-items over numbers. */
static void run(const struct api_test *test, cl_program program, const char *name, size_t count,
		void *numbers, size_t size_B)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	if (!CHECK_OK(code))
		return;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	cl_mem buffer = buffer_make(test->context, CL_MEM_COPY_HOST_PTR, size_B, numbers);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	launch_1d(queue, kernel, count);
	buffer_read(queue, buffer, numbers, size_B);
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseKernel(kernel));
}

static const cl_ulong defaults[VALUES] = {
	1, 18, 4660, 100, 0x123456789abcdef0, 0x3fc00000, 0x4004000000000000, 123,
};

static void check_values(const struct api_test *test, cl_program program, const cl_ulong *expected)
{
	cl_ulong values[VALUES] = {0};
	run(test, program, "values", 1, values, sizeof(values));
	for (unsigned i = 0; i < VALUES; i++)
		if (!CHECK(values[i] == expected[i]))
			printf("value %u: %#llx, not %#llx\n", i, (unsigned long long)values[i],
			       (unsigned long long)expected[i]);
}

/* OpenCL 3.0 API, table 5: the two lists say the same. */
static void check_device(const struct api_test *test)
{
	char text[256] = "", expected[256] = "";
	cl_name_version versions[16];
	size_t size_B = 0;
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_IL_VERSION, sizeof(text), text, NULL));
	CHECK(strstr(text, "SPIR-V_1.0") && strstr(text, "SPIR-V_1.6"));
	CHECK_OK(clGetDeviceInfo(test->device, CL_DEVICE_ILS_WITH_VERSION, sizeof(versions),
				 versions, &size_B));
	for (size_t i = 0; i < size_B / sizeof(*versions); i++)
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
			 "%s%s_%u.%u", i ? " " : "", versions[i].name,
			 CL_VERSION_MAJOR(versions[i].version),
			 CL_VERSION_MINOR(versions[i].version));
	CHECK(!strcmp(text, expected));
}

/* OpenCL 3.0 API, 5.8.1. */
static void check_creation(const struct api_test *test)
{
	static struct module bad;
	cl_int code;
	CHECK_NO_OBJECT(clCreateProgramWithIL(test->context, NULL, 40, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateProgramWithIL(test->context, constants.bytes, 0, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateProgramWithIL(test->context, "kernel void k() {}", 18, &code), code,
			CL_INVALID_VALUE);
	/* Less than a header, half a word, half a module's instruction. */
	static const size_t sizes_B[] = {1, 4, 19, 22};
	for (size_t i = 0; i < sizeof(sizes_B) / sizeof(*sizes_B); i++)
		CHECK_NO_OBJECT(
			clCreateProgramWithIL(test->context, constants.bytes, sizes_B[i], &code),
			code, CL_INVALID_VALUE);
	/* A version that is not among ours, and a graphics module: its first capability is
	 * Shader (1). */
	bad = constants;
	bad.bytes[5] = 9;
	CHECK_NO_OBJECT(clCreateProgramWithIL(test->context, bad.bytes, bad.size_B, &code), code,
			CL_INVALID_VALUE);
	bad = constants;
	bad.bytes[6 * 4] = 1;
	CHECK_NO_OBJECT(clCreateProgramWithIL(test->context, bad.bytes, bad.size_B, &code), code,
			CL_INVALID_VALUE);
}

/* OpenCL 3.1 API, table 5: a module may ask for each capability in the list, and for none of these
 * that are not in it. */
static void check_capabilities(const struct api_test *test)
{
	enum { SPIRV_CAPABILITIES = 0x12BB, SHADER = 1, DEVICE_ENQUEUE = 19, MOST = 256 };
	static cl_uint listed[MOST];
	static const cl_uint others[] = {SHADER, DEVICE_ENQUEUE};
	uint32_t words[sizeof(il_module) / sizeof(*il_module)];
	size_t size_B = 0;
	cl_int code;
	CHECK_OK(clGetDeviceInfo(test->device, SPIRV_CAPABILITIES, sizeof(listed), listed,
				 &size_B));
	CHECK(size_B >= 7 * sizeof(*listed));
	memcpy(words, il_module, sizeof(words));
	for (size_t i = 0; i < size_B / sizeof(*listed); i++) {
		words[6] = listed[i];
		cl_program program = clCreateProgramWithIL(test->context, words, sizeof(words),
							   &code);
		if (!CHECK_OK(code))
			printf("capability %u\n", listed[i]);
		else
			CHECK_OK(clReleaseProgram(program));
	}
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
		words[6] = others[k];
		for (size_t i = 0; i < size_B / sizeof(*listed); i++)
			CHECK(listed[i] != others[k]);
		CHECK_NO_OBJECT(clCreateProgramWithIL(test->context, words, sizeof(words), &code),
				code, CL_INVALID_VALUE);
	}
}

/* OpenCL 3.0 API, 5.8.9: the module as it was given; no source. */
static void check_queries(const struct api_test *test)
{
	static unsigned char bytes[MODULE_MOST_B];
	char text[8] = "text";
	size_t size_B = 0;
	cl_program program = make(test, &constants);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof(bytes), bytes, &size_B));
	CHECK(size_B == constants.size_B && !memcmp(bytes, constants.bytes, size_B));
	CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_IL, size_B - 1, bytes, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, &size_B));
	CHECK(size_B == 1 && !*text);
	CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(size_B), &size_B, NULL),
		   CL_INVALID_PROGRAM_EXECUTABLE);
	CHECK_OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.8.6.1 and following: options of the source are ignored, but not those that are
 * none. */
static void check_build(const struct api_test *test)
{
	char names[64] = "";
	cl_program program = make(test, &constants);
	CHECK_OK(clBuildProgram(program, 0, NULL,
				"-cl-std=CL1.1 -D kernel=none -DOUT -I /none "
				"-Werror -cl-mad-enable",
				NULL, NULL));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
	CHECK(!strcmp(names, "values"));
	check_values(test, program, defaults);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL),
		   CL_INVALID_BUILD_OPTIONS);
	CHECK_OK(clReleaseProgram(program));
}

static void set(cl_program program, cl_uint id, size_t size_B, const void *value)
{
	CHECK_OK(clSetProgramSpecializationConstant(program, id, size_B, value));
}

/* OpenCL 3.0 API, 5.8.3: they count from the next build on, the last of several. */
static void check_constants(const struct api_test *test)
{
	static const cl_ulong changed[VALUES] = {
		0, 0xfe, 0xfedc, 7, 0xf000000000000001, 0xc0490fdb, 0xbff0000000000000, 30,
	};
	cl_program program = make(test, &constants);
	const cl_uchar no = 0, yes = 200, byte = 0xfe;
	const cl_ushort half_word = 0xfedc;
	const cl_uint word = 7, first = 8;
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	set(program, 1, 1, &no);
	set(program, 2, 1, &byte);
	set(program, 3, 2, &half_word);
	set(program, 4, 4, &first);
	set(program, 4, 4, &word);
	set(program, 5, 8, &changed[4]);
	set(program, 6, 4, &changed[5]);
	set(program, 4000000000u, 8, &changed[6]);
	/* The build that was is not touched. */
	check_values(test, program, defaults);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	check_values(test, program, changed);
	/* "any other value will set it to true". */
	set(program, 1, 1, &yes);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	cl_ulong expected[VALUES];
	memcpy(expected, changed, sizeof(expected));
	expected[0] = 1;
	check_values(test, program, expected);
	/* Another program of the same module has its own. */
	cl_program other = make(test, &constants);
	CHECK_OK(clBuildProgram(other, 0, NULL, NULL, NULL, NULL));
	check_values(test, other, defaults);
	CHECK_OK(clReleaseProgram(other));
	CHECK_OK(clReleaseProgram(program));
}

static bool is_mapped(const char *name)
{
	char line[4096];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, name);
	if (maps)
		fclose(maps);
	return found;
}

/* A program that is in the cache needs no libnvvm in this process, also if its constants are set.  A library that is
 * named without a folder is known only once it is loaded. */
static void check_unloaded(const struct api_test *test)
{
	const char *library = getenv("CULVERT_LIBNVVM");
	const cl_uint word = 7;
	if (!library || !strchr(library, '/'))
		return;
	CHECK(!is_mapped(strrchr(library, '/') + 1));
	cl_program program = make(test, &constants);
	set(program, 4, sizeof(word), &word);
	CHECK(!is_mapped(strrchr(library, '/') + 1));
	CHECK_OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.8.3. */
static void check_constant_errors(const struct api_test *test)
{
	const cl_ulong value = 0;
	cl_program program = make(test, &constants);
	cl_program source = make_source(test, "kernel void k(global int *p) { *p = 1; }");
	CHECK_CODE(clSetProgramSpecializationConstant(source, 4, 4, &value), CL_INVALID_PROGRAM);
	CHECK_CODE(clSetProgramSpecializationConstant(program, 0, 4, &value), CL_INVALID_SPEC_ID);
	CHECK_CODE(clSetProgramSpecializationConstant(program, 4, 8, &value), CL_INVALID_VALUE);
	CHECK_CODE(clSetProgramSpecializationConstant(program, 4, 2, &value), CL_INVALID_VALUE);
	CHECK_CODE(clSetProgramSpecializationConstant(program, 1, 4, &value), CL_INVALID_VALUE);
	CHECK_CODE(clSetProgramSpecializationConstant(program, 4, 4, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseProgram(source));
	CHECK_OK(clReleaseProgram(program));
}

/* SPIR-V 1.0, 3.1: "the magic number ... can be used to infer the endianness". */
static void check_other_endian(const struct api_test *test)
{
	static struct module other;
	other = linked;
	for (size_t i = 0; i + 4 <= other.size_B; i += 4)
		for (size_t b = 0; b < 4; b++)
			other.bytes[i + b] = linked.bytes[i + 3 - b];
	cl_program program = make(test, &other);
	CHECK_OK(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clReleaseProgram(program));
	other = constants;
	for (size_t i = 0; i + 4 <= other.size_B; i += 4)
		for (size_t b = 0; b < 4; b++)
			other.bytes[i + b] = constants.bytes[i + 3 - b];
	program = make(test, &other);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	check_values(test, program, defaults);
	CHECK_OK(clReleaseProgram(program));
}

/* A module and a source that call each other. */
static void check_link(const struct api_test *test)
{
	cl_int code;
	cl_uint numbers[] = {1, 2, 3, 4};
	cl_program il = make(test, &linked);
	cl_program source = make_source(
		test, "uint triple(uint);\n"
		      "uint factor(uint i) { return triple(i) + 1; }\n"
		      "kernel void more(global uint *p) { p[get_global_id(0)] += triple(10); }\n");
	/* Headers are ignored. */
	const char *name = "a.h";
	CHECK_OK(clCompileProgram(il, 0, NULL, NULL, 1, &source, &name, NULL, NULL));
	CHECK_OK(clCompileProgram(source, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	const cl_program both[] = {il, source};
	cl_program program = clLinkProgram(test->context, 0, NULL, NULL, 2, both, NULL, NULL,
					   &code);
	if (CHECK_OK(code)) {
		run(test, program, "scale", 4, numbers, sizeof(numbers));
		run(test, program, "more", 2, numbers, sizeof(numbers));
		CHECK(numbers[0] == 34 && numbers[1] == 37 && numbers[2] == 10 && numbers[3] == 13);
		CHECK_OK(clReleaseProgram(program));
	}
	/* Alone it lacks the function: the log says which. */
	char log[4096] = "";
	CHECK_CODE(clBuildProgram(il, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	build_log(il, test->device, log, sizeof(log));
	CHECK(strstr(log, "factor") != NULL);
	CHECK_OK(clReleaseProgram(source));
	CHECK_OK(clReleaseProgram(il));
}

/* SPV_KHR_linkonce_odr: "at most one of them is kept".  Two modules with the same function and variable,
 * and kernels of different names. */
static void check_link_once(const struct api_test *test)
{
	static struct module second;
	cl_uint number = 1;
	cl_int code;
	second = once;
	for (size_t i = 0; i + 5 <= second.size_B; i++)
		if (!memcmp(second.bytes + i, "first", 5))
			memcpy(second.bytes + i, "other", 5);
	const cl_program both[] = {make(test, &once), make(test, &second)};
	for (int i = 0; i < 2; i++)
		CHECK_OK(clCompileProgram(both[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	cl_program program = clLinkProgram(test->context, 0, NULL, NULL, 2, both, NULL, NULL,
					   &code);
	if (CHECK_OK(code)) {
		run(test, program, "first", 1, &number, sizeof(number));
		run(test, program, "other", 1, &number, sizeof(number));
		CHECK(number == 21);
		CHECK_OK(clReleaseProgram(program));
	}
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseProgram(both[i]));
}

/* What a build came to goes the way of all binaries. */
static void check_binary(const struct api_test *test)
{
	size_t size_B = 0;
	cl_int code;
	cl_program program = make(test, &constants);
	const cl_uint word = 1000;
	set(program, 4, 4, &word);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *bytes = malloc(size_B + 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	const unsigned char *binary = bytes;
	cl_program loaded = clCreateProgramWithBinary(test->context, 1, &test->device, &size_B,
						      &binary, NULL, &code);
	if (CHECK_OK(code)) {
		cl_ulong expected[VALUES];
		memcpy(expected, defaults, sizeof(expected));
		expected[3] = 1000;
		expected[7] = 1023;
		CHECK_OK(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
		check_values(test, loaded, expected);
		CHECK_OK(clGetProgramInfo(loaded, CL_PROGRAM_IL, 0, NULL, &size_B));
		CHECK(size_B == 0);
		CHECK_CODE(clSetProgramSpecializationConstant(loaded, 4, 4, &word),
			   CL_INVALID_PROGRAM);
		CHECK_OK(clReleaseProgram(loaded));
	}
	free(bytes);
	CHECK_OK(clReleaseProgram(program));
}

/* A module whose words are whole and make no sense: the build says so. */
static void check_broken(const struct api_test *test)
{
	static struct module bad;
	char log[4096] = "";
	cl_int code;
	bad = linked;
	/* The product's operands become an id that there is none of: OpIMul (132), 5 words. */
	for (size_t i = 20; i + 20 <= bad.size_B; i += 4)
		if (bad.bytes[i] == 132 && !bad.bytes[i + 1] && bad.bytes[i + 2] == 5)
			bad.bytes[i + 12] = 0xee;
	CHECK(memcmp(bad.bytes, linked.bytes, bad.size_B) != 0);
	cl_program program = clCreateProgramWithIL(test->context, bad.bytes, bad.size_B, &code);
	if (code == CL_INVALID_VALUE)
		return;
	CHECK_OK(code);
	CHECK_CODE(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
		   CL_COMPILE_PROGRAM_FAILURE);
	build_log(program, test->device, log, sizeof(log));
	CHECK(*log != '\0');
	CHECK_OK(clReleaseProgram(program));
}

/* What clGetKernelArgInfo says of one; NULL: CL_KERNEL_ARG_INFO_NOT_AVAILABLE. */
struct argument {
	const char *kernel;
	cl_uint index;
	const char *type, *name;
	cl_kernel_arg_type_qualifier qualifiers;
};

static void check_text(cl_kernel kernel, const struct argument *argument, cl_kernel_arg_info what,
		       const char *expected)
{
	char text[64] = "";
	cl_int code = clGetKernelArgInfo(kernel, argument->index, what, sizeof(text), text, NULL);
	if (!expected)
		CHECK_CODE(code, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
	else if (!CHECK(!code && !strcmp(text, expected)))
		printf("%s, %u: %d, '%s', not '%s'\n", argument->kernel, argument->index, code,
		       text, expected);
}

/* OpenCL 3.0 API, 5.9.4: "the argument type name specified"; a translator may say it, or the module's
 * types and OpName.  Integers of SPIR-V have no sign. */
static void check_arguments(const struct api_test *test)
{
	static const struct argument expected[] = {
		{"named", 0, "image2d_t", "image", 0},
		{"named", 1, "sampler_t", "sampler", 0},
		{"named", 2, "float4*", "constants", CL_KERNEL_ARG_TYPE_CONST},
		{"named", 3, "uchar*", "scratch", CL_KERNEL_ARG_TYPE_RESTRICT},
		{"named", 4, "pair", "by value", 0},
		{"named", 5, "double", "int", 0},
		{"named", 6, "uint**", "pointers", CL_KERNEL_ARG_TYPE_VOLATILE},
		{"named", 7, "float[4]*", "table\"\\", 0},
		{"told", 0, "int*", "out", CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
		{"told", 1, "myint", "n", 0},
		{"told", 2, "struct node*", "nodes", CL_KERNEL_ARG_TYPE_VOLATILE},
		{"silent", 0, "uint*", NULL, 0},
		{"silent", 1, "ulong", NULL, 0},
		{"odd", 0, "struct node*", NULL, 0},
	};
	cl_program program = make(test, &arguments);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		cl_kernel_arg_type_qualifier qualifiers = ~(cl_kernel_arg_type_qualifier)0;
		cl_int code;
		cl_kernel kernel = clCreateKernel(program, expected[i].kernel, &code);
		if (!CHECK_OK(code))
			continue;
		check_text(kernel, &expected[i], CL_KERNEL_ARG_TYPE_NAME, expected[i].type);
		check_text(kernel, &expected[i], CL_KERNEL_ARG_NAME, expected[i].name);
		CHECK_OK(clGetKernelArgInfo(kernel, expected[i].index, CL_KERNEL_ARG_TYPE_QUALIFIER,
					    sizeof(qualifiers), &qualifiers, NULL));
		if (!CHECK(qualifiers == expected[i].qualifiers))
			printf("%s, %u: %#x\n", expected[i].kernel, expected[i].index,
			       (unsigned)qualifiers);
		CHECK_OK(clReleaseKernel(kernel));
	}
	CHECK_OK(clReleaseProgram(program));
}

/* OpenCL 3.0 API, 5.9.3, CL_KERNEL_ATTRIBUTES: what OpExecutionMode hints at. */
static void check_attributes(const struct api_test *test)
{
	char text[128] = "";
	cl_int code;
	cl_program program = make(test, &arguments);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "odd", &code);
	CHECK_OK(code);
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL));
	CHECK(strstr(text, "vec_type_hint(float2)"));
	CHECK(strstr(text, "work_group_size_hint(8,4,1)"));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

/* cl_khr_il_program. */
static void check_extension(const struct api_test *test)
{
	typedef cl_program(CL_API_CALL * create_function)(cl_context, const void *, size_t,
							  cl_int *);
	void *found = clGetExtensionFunctionAddressForPlatform(test->platform,
							       "clCreateProgramWithILKHR");
	create_function create;
	cl_int code = 1;
	memcpy(&create, &found, sizeof(create));
	if (!CHECK(create != NULL))
		return;
	cl_program program = create(test->context, linked.bytes, linked.size_B, &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "il"))
		return API_TEST_SKIP;
	if (CHECK(module_read(&constants, "constants.spv")) &&
	    CHECK(module_read(&linked, "linked.spv")) &&
	    CHECK(module_read(&arguments, "arguments.spv")) &&
	    CHECK(module_read(&once, "once.spv"))) {
		check_unloaded(&test);
		check_device(&test);
		check_creation(&test);
		check_capabilities(&test);
		check_queries(&test);
		check_build(&test);
		check_constants(&test);
		check_constant_errors(&test);
		check_other_endian(&test);
		check_link(&test);
		check_link_once(&test);
		check_binary(&test);
		check_broken(&test);
		check_arguments(&test);
		check_attributes(&test);
		check_extension(&test);
	}
	return api_test_end(&test);
}
