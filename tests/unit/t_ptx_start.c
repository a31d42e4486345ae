/* The variants of PTX by where grids start: which loads become 0, and which must not. */
#include "config.h"

#include "frontend/ptx_start.h"
#include "tests/unit/test.h"

static struct abi_kernel kernels[] = {
	{.name = "first", .entry = "first", .argument_count = 2,
	 .hidden = {ABI_HIDDEN_ID_START_X, ABI_HIDDEN_GLOBAL_SIZE_X, ABI_HIDDEN_GROUP_START_Y},
	 .hidden_count = 3},
	{.name = "first_more", .entry = "first_more", .argument_count = 1,
	 .hidden = {ABI_HIDDEN_WORK_DIM, ABI_HIDDEN_GLOBAL_OFFSET_Z}, .hidden_count = 2,
	 .required_local = {64, 1, 1}},
};
static struct abi_program program = {.kernels = kernels, .kernel_count = 2};

static const char text[] =
	".version 8.0\n"
	".func helper(\n\t.param .b32 first_param_2\n)\n{\n"
	"\tld.param.u32 \t%r1, [first_param_2];\n}\n"
	".visible .entry first(\n\t.param .u64 first_param_0\n)\n"
	"{\n"
	"\tld.param.u64 \t%rd1, [first_param_0];\n"
	"\tld.param.u64 \t%rd2, [first_param_2];\n"
	"\tld.param.u32 \t%r2, [first_param_2];\n"
	"\tld.param.u32 \t%rd22, [first_param_2];\n"
	"\tld.param.u32 \t%w1, [first_param_2];\n"
	"\tld.param.u64 \t%rd3, [first_param_3];\n"
	"\tld.param.b32 \t%r3, [first_param_4];\n"
	"\tld.param.u32 \t%r4, [first_param_2+4];\n"
	"\tld.param.v2.u32 \t{%r5, %r6}, [first_param_2];\n"
	"\tld.param.u64 \t%rd4, [first_param_22];\n"
	"\t{\n\tld.param.u64 \t%rd5, [first_param_2];\n\t}\n"
	"\tret;\n}\n"
	".visible .entry first_more(\n\t.param .u64 first_more_param_0\n)\n.reqntid 64, 1, 1\n"
	"{\n"
	"\tld.param.u32 \t%r1, [first_more_param_1];\n"
	"\tld.param.u64 \t%rd1, [first_more_param_2];\n"
	"\tld.param.u64 \t%rd1, [first_param_2];\n"
	"\tret;\n}\n";

static const char plain_text[] =
	".version 8.0\n"
	".func helper(\n\t.param .b32 first_param_2\n)\n{\n"
	"\tld.param.u32 \t%r1, [first_param_2];\n}\n"
	".visible .entry first(\n\t.param .u64 first_param_0\n)\n"
	"{\n"
	"\tld.param.u64 \t%rd1, [first_param_0];\n"
	"\tmov.b64 \t%rd2, 0;\n"
	"\tmov.b32 \t%r2, 0;\n"
	"\tmov.b64 \t%rd22, 0;\n"
	"\tld.param.u32 \t%w1, [first_param_2];\n"
	"\tld.param.u64 \t%rd3, [first_param_3];\n"
	"\tmov.b32 \t%r3, 0;\n"
	"\tld.param.u32 \t%r4, [first_param_2+4];\n"
	"\tld.param.v2.u32 \t{%r5, %r6}, [first_param_2];\n"
	"\tld.param.u64 \t%rd4, [first_param_22];\n"
	"\t{\n\tmov.b64 \t%rd5, 0;\n\t}\n"
	"\tret;\n}\n"
	".visible .entry first_more(\n\t.param .u64 first_more_param_0\n)\n.reqntid 64, 1, 1\n"
	"{\n"
	"\tld.param.u32 \t%r1, [first_more_param_1];\n"
	"\tmov.b64 \t%rd1, 0;\n"
	"\tld.param.u64 \t%rd1, [first_param_2];\n"
	"\tret;\n}\n";

static struct bytes bytes_of(const char *string)
{
	struct bytes bytes = BYTES_INIT;
	bytes_append_string(&bytes, string);
	return bytes;
}

static void test_plain(void)
{
	struct bytes ptx = bytes_of(text), plain = BYTES_INIT;
	CHECK(fe_ptx_is_split(&program));
	CHECK(fe_ptx_without_start(&program, &ptx, &plain));
	CHECK_STRING(bytes_string(&plain), plain_text);
	bytes_finish(&plain);
	bytes_finish(&ptx);
}

/* Cut anywhere, it is still read to its end and not beyond. */
static void test_cut(void)
{
	for (size_t size_B = 0; size_B < sizeof(text) - 1; size_B++) {
		struct bytes ptx = BYTES_INIT, plain = BYTES_INIT;
		bytes_append(&ptx, text, size_B);
		(void)fe_ptx_without_start(&program, &ptx, &plain);
		CHECK(!bytes_failed(&plain) && plain.size_B <= size_B);
		bytes_finish(&plain);
		bytes_finish(&ptx);
	}
}

static void test_not_split(void)
{
	struct abi_kernel none = {.name = "first", .entry = "first",
				  .hidden = {ABI_HIDDEN_GLOBAL_SIZE_X}, .hidden_count = 1};
	struct abi_program without = {.kernels = &none, .kernel_count = 1};
	struct abi_program with_variables = program;
	struct bytes ptx = bytes_of(text), plain = BYTES_INIT;
	with_variables.global_variables_B = 4;
	CHECK(!fe_ptx_is_split(&without) && !fe_ptx_is_split(&with_variables));
	CHECK(!fe_ptx_without_start(&without, &ptx, &plain));
	CHECK_STRING(bytes_string(&plain), text);
	bytes_finish(&plain);
	CHECK(!fe_ptx_without_start(&with_variables, &ptx, &plain));
	CHECK_STRING(bytes_string(&plain), text);
	bytes_finish(&plain);
	bytes_finish(&ptx);
}

static void test_registers(void)
{
	static const uint32_t registers[] = {33, 50};
	struct bytes ptx = bytes_of(text), limited = BYTES_INIT;
	fe_ptx_limit_registers(&program, &ptx, registers, &limited);
	const char *found = strstr(bytes_string(&limited), ".maxnreg");
	CHECK(found && !strncmp(found, ".maxnreg 40\n{\n", 14));
	/* A kernel whose work-group has a size needs none. */
	CHECK(found && !strstr(found + 1, ".maxnreg"));
	CHECK_EQ(limited.size_B, ptx.size_B + strlen(".maxnreg 40\n"));
	bytes_finish(&limited);
	bytes_finish(&ptx);
}

TEST_MAIN(TEST(test_plain), TEST(test_cut), TEST(test_not_split), TEST(test_registers))
