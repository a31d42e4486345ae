/* Names of kernels, functions and variables that SPIR-V has and no C: any text in UTF-8.
 * SPIR-V 1.6, 2.2.1: "a nul-terminated stream of characters ... the character set is Unicode in the UTF-8
 * encoding scheme", with no word on which; 2.16.1: no two entry points of one execution model have one name.
 * OpenCL 3.0 API, 5.9.1: clCreateKernel is given "a function name in the program". */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/il_builder.h"

enum { LONG_B = 1100, LONGER_B = 40000 };

static char long_name[LONG_B + 1], longer_name[LONGER_B + 1];

static const char *const names[] = {
	"plain", "Plain", "", " ", "a b", "1st", "_", "$", "$_0", "_ZTSZ4mainE3$_0", "a.b", "a.b.c",
	"gr\xc3\xb6\xc3\x9f""e", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\xa6\x80", "a\"b\\c", "a\nb", "\x01x", "%s%n",
	"a/b", "../x", "-k", "?""?/", "a,b", "int", "kernel", "float4", "if", "main", "sin", "_Z3sinf",
	"get_global_id", "_Z13get_global_idj", "printf", "vprintf", "malloc", "free", "WARP_SZ", "llvm.foo",
	"llvm.used", "llvm.global_ctors", "llvm.trap", "__nv_sinf",
	"__nvvm_reflect", "__culvert_hidden_id_start_x", "__culvert_hidden_sm_80", "__translate_sampler_initializer",
	"culvert_kernel_0", "culvert_kernel_5f", "culvert_kernel_$5f", "culvert.kernel.plain", "culvert.linked.plain",
	"culvert.arguments.culvert_kernel_0.plain", "culvert.name.plain", "f1", "f20", "g20", "v3", "n0", "t2", "reg",
	"add",
	"tid", "__clang_ocl_kern_imp_plain", long_name, longer_name,
};
enum { NAMES = sizeof(names) / sizeof(*names) };

static void make_long_names(void)
{
	memset(long_name, 'x', LONG_B);
	for (size_t i = 0; i + 3 < LONGER_B; i += 4)
		memcpy(longer_name + i, "\xc3\xa9\xc3\xa8", 4);
}

/* How a name is shown when something is wrong with it. */
static void say(const char *name)
{
	printf("the name '%.60s' of %zu bytes\n", name, strlen(name));
}

/* --- modules ------------------------------------------------------------------------------ */

/* A kernel of each name, which stores its number + 100 and the work-item's. */
static void kernels_make(struct il *il)
{
	uint32_t ids[NAMES], values[NAMES];
	il_start(il);
	for (size_t i = 0; i < NAMES; i++)
		il_entry(il, ids[i] = il_id(il), names[i]);
	il_types(il);
	for (uint32_t i = 0; i < NAMES; i++)
		values[i] = il_constant(il, i + 100);
	for (size_t i = 0; i < NAMES; i++) {
		uint32_t out = il_kernel(il, ids[i]);
		il_store(il, out, values[i]);
		il_kernel_end(il);
	}
	il_finish(il);
}

/* A function of each name, which returns its number + 1000, and a kernel of each name, which stores what
 * the next name's function returns: kernels are no targets of linkage, and their names are others. */
static void exports_make(struct il *il)
{
	uint32_t ids[NAMES], functions[NAMES], values[NAMES];
	il_start(il);
	for (size_t i = 0; i < NAMES; i++)
		il_entry(il, ids[i] = il_id(il), names[i]);
	for (size_t i = 0; i < NAMES; i++)
		il_link(il, functions[i] = il_id(il), names[i], IL_EXPORT);
	il_types(il);
	for (uint32_t i = 0; i < NAMES; i++)
		values[i] = il_constant(il, i + 1000);
	for (size_t i = 0; i < NAMES; i++) {
		il_op(il, IL_FUNCTION, 4, il->uint, functions[i], 0, il->function);
		il_op(il, IL_LABEL, 1, il_id(il));
		il_op(il, IL_RETURN_VALUE, 1, values[i]);
		il_op(il, IL_FUNCTION_END, 0);
	}
	for (size_t i = 0; i < NAMES; i++) {
		uint32_t out = il_kernel(il, ids[i]), result = il_id(il);
		il_op(il, IL_FUNCTION_CALL, 3, il->uint, result, functions[(i + 1) % NAMES]);
		il_store(il, out, result);
		il_kernel_end(il);
	}
	il_finish(il);
}

/* The kernel "every" stores what function or variable i has in element i. */
static void imports_make(struct il *il, bool variables)
{
	uint32_t ids[NAMES], values[NAMES];
	uint32_t kernel;
	il_start(il);
	il_entry(il, kernel = il_id(il), "every");
	for (size_t i = 0; i < NAMES; i++)
		il_link(il, ids[i] = il_id(il), names[i], IL_IMPORT);
	il_types(il);
	for (uint32_t i = 0; i < NAMES; i++)
		values[i] = il_constant(il, i);
	for (size_t i = 0; i < NAMES && variables; i++)
		il_op(il, IL_VARIABLE, 3, il->pointer, ids[i], IL_GLOBAL);
	for (size_t i = 0; i < NAMES && !variables; i++) {
		il_op(il, IL_FUNCTION, 4, il->uint, ids[i], 0, il->function);
		il_op(il, IL_FUNCTION_END, 0);
	}
	uint32_t out = il_kernel(il, kernel);
	for (size_t i = 0; i < NAMES; i++) {
		uint32_t result = il_id(il), place = il_id(il);
		if (variables)
			il_op(il, IL_LOAD, 3, il->uint, result, ids[i]);
		else
			il_op(il, IL_FUNCTION_CALL, 3, il->uint, result, ids[i]);
		il_op(il, IL_IN_BOUNDS_PTR_ACCESS_CHAIN, 4, il->pointer, place, out, values[i]);
		il_op(il, IL_STORE, 2, place, result);
	}
	il_kernel_end(il);
	il_finish(il);
}

/* A variable of each name, which is its number + 5000. */
static void variables_make(struct il *il)
{
	uint32_t ids[NAMES], values[NAMES];
	il_start(il);
	for (size_t i = 0; i < NAMES; i++)
		il_link(il, ids[i] = il_id(il), names[i], IL_EXPORT);
	il_types(il);
	for (uint32_t i = 0; i < NAMES; i++)
		values[i] = il_constant(il, i + 5000);
	for (size_t i = 0; i < NAMES; i++)
		il_op(il, IL_VARIABLE, 4, il->pointer, ids[i], IL_GLOBAL, values[i]);
	il_finish(il);
}

static cl_program program_of(const struct api_test *test, struct il *il)
{
	cl_int code = 1;
	cl_program program = clCreateProgramWithIL(test->context, il->words, il->count * sizeof(*il->words),
						   &code);
	CHECK_OK(code);
	il_free(il);
	return program;
}

static void print_log(const struct api_test *test, cl_program program)
{
	static char log[1 << 16];
	if (!clGetProgramBuildInfo(program, test->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL))
		printf("%.2000s\n", log);
}

/* --- running ------------------------------------------------------------------------------- */

/* One work-item, with that id. */
static bool run_kernel(const struct api_test *test, cl_kernel kernel, size_t id, cl_uint *numbers, size_t count)
{
	cl_int code;
	size_t one = 1;
	cl_command_queue queue = clCreateCommandQueue(test->context, test->device, 0, &code);
	bool good = CHECK_OK(code);
	cl_mem buffer = clCreateBuffer(test->context, CL_MEM_COPY_HOST_PTR, count * sizeof(*numbers), numbers,
				       &code);
	good = CHECK_OK(code) && good;
	good = good && CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer)) &&
	       CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, &id, &one, NULL, 0, NULL, NULL)) &&
	       buffer_read(queue, buffer, numbers, count * sizeof(*numbers));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	return good;
}

static cl_uint run_named(const struct api_test *test, cl_program program, const char *name)
{
	enum { ID = 2 };
	cl_uint numbers[ID + 1] = {0};
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	if (!CHECK_OK(code))
		return 0;
	static char own[LONGER_B + 2];
	size_t size_B = 0;
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(own), own, &size_B));
	CHECK(size_B == strlen(name) + 1 && !strcmp(own, name));
	run_kernel(test, kernel, ID, numbers, ID + 1);
	CHECK_OK(clReleaseKernel(kernel));
	return numbers[ID] - ID;
}

static void check_kernels(const struct api_test *test, cl_program program, unsigned first, unsigned step)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (!CHECK(run_named(test, program, names[i]) == first + (i + step) % NAMES))
			say(names[i]);
}

/* Every name once, whatever the order. */
static void check_lists(cl_program program)
{
	static cl_kernel kernels[NAMES];
	cl_uint count = 0;
	size_t size_B = 0, expected_B = 0;
	CHECK_OK(clCreateKernelsInProgram(program, NAMES, kernels, &count));
	CHECK(count == NAMES);
	bool seen[NAMES] = {false};
	for (cl_uint i = 0; i < count; i++) {
		static char own[LONGER_B + 2];
		CHECK_OK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(own), own, NULL));
		for (size_t k = 0; k < NAMES; k++)
			if (!strcmp(own, names[k]))
				seen[k] = true;
		CHECK_OK(clReleaseKernel(kernels[i]));
	}
	for (size_t k = 0; k < NAMES; k++) {
		expected_B += strlen(names[k]) + 1;
		if (!CHECK(seen[k]))
			say(names[k]);
	}
	/* 5.8.9: "a semi-colon separated list of kernel names". */
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(size_B), &size_B, NULL));
	CHECK(size_B == NAMES);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size_B));
	if (!CHECK(size_B == expected_B))
		printf("%zu bytes, not %zu\n", size_B, expected_B);
}

static cl_program through_binary(const struct api_test *test, cl_program program, const char *options)
{
	size_t size_B = 0;
	cl_int code = 1;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *bytes = malloc(size_B + 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	const unsigned char *binary = bytes;
	cl_program loaded = clCreateProgramWithBinary(test->context, 1, &test->device, &size_B, &binary, NULL,
						      &code);
	CHECK_OK(code);
	free(bytes);
	if (loaded && options)
		CHECK_OK(clBuildProgram(loaded, 0, NULL, options, NULL, NULL));
	return loaded;
}

/* --- what is checked ------------------------------------------------------------------------ */

static void check_built(const struct api_test *test)
{
	static const char *const options[] = {"", "-cl-opt-disable -g"};
	for (size_t i = 0; i < 2; i++) {
		struct il il;
		kernels_make(&il);
		cl_program program = program_of(test, &il);
		if (!CHECK_OK(clBuildProgram(program, 0, NULL, options[i], NULL, NULL)))
			print_log(test, program);
		else {
			check_kernels(test, program, 100, 0);
			check_lists(program);
			cl_program loaded = through_binary(test, program, "");
			check_kernels(test, loaded, 100, 0);
			check_lists(loaded);
			CHECK_OK(clReleaseProgram(loaded));
		}
		CHECK_OK(clReleaseProgram(program));
	}
}

static void check_every(const struct api_test *test, cl_program program, unsigned first)
{
	cl_int code;
	cl_uint numbers[NAMES] = {0};
	cl_kernel kernel = clCreateKernel(program, "every", &code);
	if (!CHECK_OK(code))
		return;
	run_kernel(test, kernel, 0, numbers, NAMES);
	for (unsigned i = 0; i < NAMES; i++)
		if (!CHECK(numbers[i] == first + i)) {
			say(names[i]);
			printf("%u, not %u\n", numbers[i], first + i);
		}
	CHECK_OK(clReleaseKernel(kernel));
}

/* One program's exports are the other's imports, linked at once, in the other order, by way of binaries and of
 * a library. */
static void check_linked(const struct api_test *test, bool variables)
{
	struct il il;
	(variables ? variables_make : exports_make)(&il);
	cl_program exports = program_of(test, &il);
	imports_make(&il, variables);
	cl_program imports = program_of(test, &il);
	cl_int code;
	if (!CHECK_OK(clCompileProgram(exports, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL)))
		print_log(test, exports);
	if (!CHECK_OK(clCompileProgram(imports, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL)))
		print_log(test, imports);
	cl_program library = clLinkProgram(test->context, 0, NULL, "-create-library", 1, &exports, NULL, NULL, &code);
	CHECK_OK(code);
	cl_program loaded = through_binary(test, exports, NULL);
	const cl_program inputs[][2] = {{exports, imports}, {imports, exports}, {imports, library}, {loaded, imports}};
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		cl_program program = clLinkProgram(test->context, 0, NULL, NULL, 2, inputs[i], NULL, NULL, &code);
		if (!CHECK_OK(code)) {
			if (program)
				print_log(test, program);
			continue;
		}
		check_every(test, program, variables ? 5000 : 1000);
		if (!variables && !i)
			check_kernels(test, program, 1000, 1);
		CHECK_OK(clReleaseProgram(program));
	}
	/* Alone it lacks them all, and the log names them. */
	static char log[1 << 20];
	cl_program alone = clLinkProgram(test->context, 0, NULL, NULL, 1, &imports, NULL, NULL, &code);
	CHECK_CODE(code, CL_LINK_PROGRAM_FAILURE);
	build_log(alone, test->device, log, sizeof(log));
	CHECK(strstr(log, "'gr\xc3\xb6\xc3\x9f""e'") && strstr(log, "'llvm.foo'") && strstr(log, "'a b'"));
	CHECK(!strstr(log, "'culvert.linked.llvm.foo'"));
	/* A terminal obeys none of them, and a line is an error. */
	CHECK(strstr(log, "'a?b'") && strstr(log, "'?x'") && !strchr(log, 1));
	CHECK_OK(clReleaseProgram(alone));
	CHECK_OK(clReleaseProgram(library));
	CHECK_OK(clReleaseProgram(loaded));
	CHECK_OK(clReleaseProgram(exports));
	CHECK_OK(clReleaseProgram(imports));
}

/* What a source can write as well is one name in both. */
static void check_with_source(const struct api_test *test)
{
	const char *text = "uint gr\xc3\xb6\xc3\x9f""e(void);\n"
			   "kernel void call(global uint *out) { out[get_global_id(0)] = "
			   "gr\xc3\xb6\xc3\x9f""e() + get_global_id(0); }\n"
			   "kernel void own(global uint *out) { out[get_global_id(0)] = as_uint(sin(0.0f)) + "
			   "get_global_id(0) + 3; }\n";
	struct il il;
	cl_int code;
	exports_make(&il);
	cl_program exports = program_of(test, &il);
	cl_program source = api_test_program(test->context, text);
	CHECK_OK(clCompileProgram(exports, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clCompileProgram(source, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	const cl_program both[] = {exports, source};
	cl_program program = clLinkProgram(test->context, 0, NULL, NULL, 2, both, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		CHECK(run_named(test, program, "call") == 1012);
		CHECK(run_named(test, program, "own") == 3);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseProgram(exports));
	CHECK_OK(clReleaseProgram(source));
}

/* The kernels of several programs are told apart by their names, whatever they were written in. */
static void check_twice(const struct api_test *test)
{
	const char *text = "kernel void plain(global uint *out) { *out = 1; }\n";
	struct il il;
	cl_int code;
	kernels_make(&il);
	cl_program module = program_of(test, &il);
	cl_program source = api_test_program(test->context, text);
	CHECK_OK(clCompileProgram(module, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clCompileProgram(source, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	for (int i = 0; i < 2; i++) {
		const cl_program both[] = {module, i ? source : module};
		cl_program program = clLinkProgram(test->context, 0, NULL, NULL, 2, both, NULL, NULL, &code);
		static char log[1 << 20];
		CHECK_CODE(code, CL_LINK_PROGRAM_FAILURE);
		build_log(program, test->device, log, sizeof(log));
		CHECK(strstr(log, "'plain' is defined in more than one program") != NULL);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseProgram(module));
	CHECK_OK(clReleaseProgram(source));
	/* And in one module, no two kernels have one name. */
	il_start(&il);
	uint32_t ids[] = {il_id(&il), il_id(&il)};
	il_entry(&il, ids[0], "t\nwin");
	il_entry(&il, ids[1], "t\nwin");
	il_types(&il);
	for (int i = 0; i < 2; i++) {
		il_kernel(&il, ids[i]);
		il_kernel_end(&il);
	}
	il_finish(&il);
	module = program_of(test, &il);
	char log[4096] = "";
	CHECK_CODE(clBuildProgram(module, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	build_log(module, test->device, log, sizeof(log));
	CHECK(strstr(log, "two kernels have the name 't?win'") != NULL);
	CHECK_OK(clReleaseProgram(module));
}

/* A name with semicolons is one like others; CL_PROGRAM_KERNEL_NAMES has it as it is. */
static void check_semicolons(const struct api_test *test)
{
	struct il il;
	cl_int code;
	char listed[32] = "";
	cl_kernel kernels[2];
	cl_uint count = 0;
	il_start(&il);
	uint32_t id = il_id(&il);
	il_entry(&il, id, "a;b");
	il_types(&il);
	uint32_t value = il_constant(&il, 77);
	uint32_t out = il_kernel(&il, id);
	il_store(&il, out, value);
	il_kernel_end(&il);
	il_finish(&il);
	cl_program program = program_of(test, &il);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(listed), listed, NULL));
	CHECK(!strcmp(listed, "a;b"));
	CHECK_OK(clCreateKernelsInProgram(program, 2, kernels, &count));
	if (CHECK(count == 1))
		CHECK_OK(clReleaseKernel(kernels[0]));
	CHECK(run_named(test, program, "a;b") == 77);
	CHECK_NO_OBJECT(clCreateKernel(program, "a", &code), code, CL_INVALID_KERNEL_NAME);
	CHECK_NO_OBJECT(clCreateKernel(program, "", &code), code, CL_INVALID_KERNEL_NAME);
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "il_names"))
		return API_TEST_SKIP;
	make_long_names();
	check_semicolons(&test);
	check_built(&test);
	check_linked(&test, false);
	check_linked(&test, true);
	check_with_source(&test);
	check_twice(&test);
	return api_test_end(&test);
}
