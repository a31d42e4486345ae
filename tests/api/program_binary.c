/* A program's binary: taken out, put in again, and every way of being broken. */
#include "config.h"

#include "tests/api/fixture.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char source[] =
	"constant int table[3] = {10, 20, 30};\n"
	"kernel void pick(global int *p, local int *scratch, uint i)\n"
	"{ scratch[0] = table[i]; p[0] = scratch[0] + 1; }\n";

static unsigned char *take(const struct api_test *test, cl_program program, size_t *size_out)
{
	size_t size = 0;
	(void)test;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	CHECK(size > 0);
	unsigned char *binary = malloc(size ? size : 1);
	if (binary)
		CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary,
					  NULL));
	*size_out = size;
	return binary;
}

static void run(const struct api_test *test, cl_program program)
{
	const size_t one = 1;
	const cl_uint index = 2;
	cl_int code, value = 0;
	cl_kernel kernel = clCreateKernel(program, "pick", &code);
	if (!CHECK_OK(code))
		return;
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	cl_mem buffer = buffer_make(test->context, 0, sizeof(value), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, 64, NULL));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(index), &index));
	launch_1d(queue, kernel, one);
	buffer_read(queue, buffer, &value, sizeof(value));
	CHECK(value == 31);
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static cl_int load(const struct api_test *test, const unsigned char *binary, size_t size,
		   cl_program *program_out)
{
	cl_int status = 77, code = 77;
	cl_program program = clCreateProgramWithBinary(test->context, 1, &test->device, &size,
						       &binary, &status, &code);
	CHECK((program != NULL) == (code == CL_SUCCESS));
	CHECK(status == code);
	if (program_out)
		*program_out = program;
	else if (program)
		clReleaseProgram(program);
	return code;
}

static void check_round_trip(const struct api_test *test, const unsigned char *binary, size_t size)
{
	cl_program program;
	cl_program_binary_type type = 0;
	char text[64] = "x";
	cl_int code;
	size_t again_size;
	if (!CHECK_OK(load(test, binary, size, &program)))
		return;
	CHECK_OK(clGetProgramBuildInfo(program, test->device, CL_PROGRAM_BINARY_TYPE,
				       sizeof(type), &type, NULL));
	CHECK(type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	CHECK_NO_OBJECT(clCreateKernel(program, "pick", &code), code,
			CL_INVALID_PROGRAM_EXECUTABLE);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, NULL));
	CHECK(!text[0]);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	run(test, program);
	/* What comes out is what went in. */
	unsigned char *again = take(test, program, &again_size);
	CHECK(again && again_size == size && !memcmp(again, binary, size));
	free(again);
	CHECK_CODE(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_OK(clReleaseProgram(program));
}

static void check_broken(const struct api_test *test, const unsigned char *binary, size_t size)
{
	unsigned char *copy = malloc(size + 1);
	if (!CHECK(copy != NULL))
		return;
	memcpy(copy, binary, size);
	copy[size] = 0;
	CHECK_CODE(load(test, (const unsigned char *)"garbage", 7, NULL), CL_INVALID_BINARY);
	CHECK_CODE(load(test, copy, size + 1, NULL), CL_INVALID_BINARY);
	for (size_t cut = 1; cut < size; cut += size / 37 + 1)
		CHECK_CODE(load(test, copy, size - cut, NULL), CL_INVALID_BINARY);
	for (size_t at = 0; at < size; at += size / 61 + 1) {
		copy[at] ^= 0x40;
		CHECK_CODE(load(test, copy, size, NULL), CL_INVALID_BINARY);
		copy[at] ^= 0x40;
	}
	for (size_t at = 0; at < 64; at++) {
		copy[at] ^= 0xff;
		CHECK_CODE(load(test, copy, size, NULL), CL_INVALID_BINARY);
		copy[at] ^= 0xff;
	}
	CHECK_OK(load(test, copy, size, NULL));
	CHECK_CODE(load(test, copy, 0, NULL), CL_INVALID_VALUE);
	CHECK_CODE(load(test, NULL, 5, NULL), CL_INVALID_VALUE);
	free(copy);
}

/* The container as Culvert writes it (docs/binary-format.md). */
enum {
	VERSION = 5,
	VERSION_AT_B = 8,
	CHECKSUM_AT_B = 16,
	HASH_B = 16,
	CHECKED_FROM_B = 32,
	SM_AT_B = 32,
	SIZES_AT_B = 48,
	HEADER_B = 88,
	FACTS = 0, OBJECT = 1, PTX = 2, CUBIN = 3, PARTS = 5
};

static void number_put(unsigned char *at, cl_ulong value, unsigned width_B)
{
	for (unsigned i = 0; i < width_B; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static void seal(unsigned char *binary, size_t size)
{
	unsigned char both[CHECKSUM_AT_B + HASH_B];
	XXH128_canonical_t hash;
	XXH128_canonicalFromHash(&hash, XXH3_128bits(binary + CHECKED_FROM_B,
						     size - CHECKED_FROM_B));
	memcpy(both, binary, CHECKSUM_AT_B);
	memcpy(both + CHECKSUM_AT_B, hash.digest, HASH_B);
	XXH128_canonicalFromHash(&hash, XXH3_128bits(both, sizeof(both)));
	memcpy(binary + CHECKSUM_AT_B, hash.digest, HASH_B);
}

/* Whole, but of an older version of the format: refused, whatever it contains. */
static void check_older(const struct api_test *test, const unsigned char *binary, size_t size)
{
	unsigned char *copy = malloc(size);
	if (!CHECK(copy != NULL))
		return;
	memcpy(copy, binary, size);
	for (unsigned version = 1; version < VERSION; version++) {
		number_put(copy + VERSION_AT_B, version, 4);
		seal(copy, size);
		CHECK_CODE(load(test, copy, size, NULL), CL_INVALID_BINARY);
	}
	number_put(copy + VERSION_AT_B, VERSION, 4);
	seal(copy, size);
	CHECK_OK(load(test, copy, size, NULL));
	free(copy);
}

/* A copy that is for another kind of GPU, and which has lost the parts that
 * are not in keep (bits). */
static unsigned char *foreign(const unsigned char *binary, unsigned keep, size_t *size_out)
{
	size_t from = HEADER_B, to = HEADER_B, size = HEADER_B;
	size_t sizes[PARTS];
	for (unsigned i = 0; i < PARTS; i++) {
		sizes[i] = 0;
		for (unsigned b = 0; b < 8; b++)
			sizes[i] |= (size_t)binary[SIZES_AT_B + 8 * i + b] << (8 * b);
		size += keep >> i & 1 ? sizes[i] : 0;
	}
	unsigned char *copy = malloc(size);
	if (!copy)
		return NULL;
	memcpy(copy, binary, HEADER_B);
	number_put(copy + SM_AT_B, 20, 2);
	for (unsigned i = 0; i < PARTS; i++) {
		size_t kept = keep >> i & 1 ? sizes[i] : 0;
		number_put(copy + SIZES_AT_B + 8 * i, kept, 8);
		memcpy(copy + to, binary + from, kept);
		from += sizes[i];
		to += kept;
	}
	seal(copy, size);
	*size_out = size;
	return copy;
}

/* Made again from the bitcode or the PTX inside; without either it is of no use. */
static void check_foreign(const struct api_test *test, const unsigned char *binary)
{
	static const struct {
		unsigned keep;
		cl_int code;
	} cases[] = {
		{1 << FACTS | 1 << OBJECT | 1 << PTX, CL_SUCCESS},
		{1 << FACTS | 1 << OBJECT, CL_SUCCESS},
		{1 << FACTS | 1 << PTX, CL_SUCCESS},
		{1 << FACTS, CL_INVALID_BINARY},
		{1 << OBJECT | 1 << PTX, CL_INVALID_BINARY},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cl_program program = NULL;
		size_t size = 0;
		unsigned char *copy = foreign(binary, cases[i].keep, &size);
		CHECK_CODE(load(test, copy, size, &program), cases[i].code);
		free(copy);
		if (!program)
			continue;
		CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
		run(test, program);
		CHECK_OK(clReleaseProgram(program));
	}
}

/* An object's binary is linked after it was loaded. */
static void check_object(const struct api_test *test)
{
	const char *text = source;
	cl_int code;
	size_t size;
	cl_program program = clCreateProgramWithSource(test->context, 1, &text, NULL, &code);
	cl_program loaded;
	CHECK_OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	unsigned char *binary = take(test, program, &size);
	if (CHECK_OK(load(test, binary, size, &loaded))) {
		CHECK_CODE(clBuildProgram(loaded, 0, NULL, "", NULL, NULL), CL_INVALID_BINARY);
		cl_program linked = clLinkProgram(test->context, 0, NULL, "", 1, &loaded, NULL,
						  NULL, &code);
		if (CHECK_OK(code)) {
			run(test, linked);
			CHECK_OK(clReleaseProgram(linked));
		}
		CHECK_OK(clReleaseProgram(loaded));
	}
	free(binary);
	CHECK_OK(clReleaseProgram(program));
}

/* Runs bump(p, by) and gives what it wrote. */
static cl_int bump(const struct api_test *test, cl_program program, cl_int by)
{
	const size_t one = 1;
	cl_int code, value = 0;
	cl_kernel kernel = kernel_make(program, "bump");
	cl_command_queue queue = clCreateCommandQueue(test->context, test->device, 0, &code);
	cl_mem buffer = clCreateBuffer(test->context, 0, sizeof(value), NULL, &code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(by), &by));
	launch_1d(queue, kernel, one);
	buffer_read(queue, buffer, &value, sizeof(value));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseKernel(kernel));
	return value;
}

/* Program-scope variables keep their values while the program lives, whoever's kernel
 * object writes them; a program from its binary begins with the initial ones. */
static void check_variables(const struct api_test *test)
{
	static const char text[] =
		"global int count = 10; global int *where = &count; global char bytes[3];\n"
		"kernel void bump(global int *p, int by)\n"
		"{ *where += by; bytes[by] = 1; p[0] = count; }\n";
	size_t size, variables_B = 0;
	cl_program loaded;
	cl_program program = api_test_build(test->context, test->device, text, "-cl-std=CL3.0");
	if (!CHECK(program != NULL))
		return;
	CHECK(bump(test, program, 1) == 11);
	CHECK(bump(test, program, 2) == 13);
	CHECK_OK(clGetProgramBuildInfo(program, test->device,
				       CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
				       sizeof(variables_B), &variables_B, NULL));
	CHECK(variables_B == sizeof(cl_int) + sizeof(void *) + 3);
	unsigned char *binary = take(test, program, &size);
	if (binary && CHECK_OK(load(test, binary, size, &loaded))) {
		CHECK_OK(clBuildProgram(loaded, 0, NULL, "", NULL, NULL));
		CHECK(bump(test, loaded, 2) == 12);
		CHECK(bump(test, program, 1) == 14);
		CHECK_OK(clReleaseProgram(loaded));
	}
	free(binary);
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	struct api_test test;
	size_t size;
	if (!api_test_start(&test, "program_binary"))
		return API_TEST_SKIP;
	cl_program program = api_test_build(test.context, test.device, source, "");
	if (program) {
		unsigned char *binary = take(&test, program, &size);
		run(&test, program);
		CHECK_OK(clReleaseProgram(program));
		if (binary) {
			check_round_trip(&test, binary, size);
			check_broken(&test, binary, size);
			check_older(&test, binary, size);
			check_foreign(&test, binary);
		}
		free(binary);
	}
	check_object(&test);
	check_variables(&test);
	return api_test_end(&test);
}
