/* Protects: that PTX with a register that is read before it is computed is found (backend/ptx_order.h), as libnvvm 13.0
 * generates it for a few programs, and that right PTX is not taken for such. */
#include "config.h"

#include "backend/ptx_order.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "//\n// a compiler's words: { .entry\n//\n.version 9.0\n.target sm_100\n.address_size 64\n\n" \
	".global .align 4 .b8 table[8] = {1, 0, 0, 0, 2, 0, 0, 0};\n.extern .shared .align 16 .b8 all[];\n"
#define REGISTERS "\t.reg .pred \t%p<4>;\n\t.reg .b16 \t%rs<9>;\n\t.reg .b32 \t%r<9>;\n\t.reg .b64 \t%rd<9>;\n"
#define ENTRY_BEGIN(name) ".visible .entry " name "(\n\t.param .u64 .ptr .global .align 4 " name "_param_0\n)\n" \
	".maxntid 256\n{\n\t.local .align 8 .b8 \t__local_depot0[16];\n\t.reg .b64 \t%SP;\n" REGISTERS
#define ENTRY_END "\n\tret;\n\n}\n"
#define ENTRY(name, body) ENTRY_BEGIN(name) body ENTRY_END
#define EARLY "\tadd.s32 \t%r1, %r2, 1;\n\tmov.u32 \t%r2, %tid.x;\n"
#define LATE "\tmov.u32 \t%r2, %tid.x;\n\tadd.s32 \t%r1, %r2, 1;\n"

/* The realloc with this number fails, from 1; 0: none. */
static unsigned failing;

void *__real_realloc(void *old, size_t size_B);
void *__wrap_realloc(void *old, size_t size_B);
void *__wrap_realloc(void *old, size_t size_B)
{
	return failing && !--failing ? NULL : __real_realloc(old, size_B);
}

static struct bytes found;

/* "": the order is right. */
static const char *wrong(const char *text)
{
	/* A copy of this size, for AddressSanitizer. */
	const size_t size_B = strlen(text);
	char *copy = malloc(size_B);
	bytes_finish(&found);
	if (!copy)
		return NULL;
	memcpy(copy, text, size_B);
	const enum be_ptx_order order = be_ptx_order(copy, size_B, &found);
	CHECK_EQ(order, found.size_B ? BE_PTX_ORDER_WRONG : BE_PTX_ORDER_RIGHT);
	free(copy);
	return bytes_string(&found);
}

/* A kernel of these two instructions. */
static void check_two(const char *first, const char *second, const char *expected)
{
	struct bytes text = BYTES_INIT;
	bytes_append_string(&text, HEAD);
	bytes_append_string(&text, ENTRY_BEGIN("k"));
	bytes_append_string(&text, first);
	bytes_append_string(&text, "\n\t");
	bytes_append_string(&text, second);
	bytes_append_string(&text, ENTRY_END);
	if (strcmp(wrong(bytes_string(&text)), expected)) {
		printf("%s\n%s\n", first, second);
		CHECK_STRING(wrong(bytes_string(&text)), expected);
	}
	bytes_finish(&text);
}

#define IN_K(body) wrong(HEAD ENTRY("k", body))

static void a_read_before_the_definition_is_found(void)
{
	CHECK_STRING(IN_K(EARLY), "%r2 of k");
	CHECK_STRING(IN_K(LATE), "");
	CHECK_STRING(IN_K("\tadd.s32 %r1, %r2, 1; mov.u32 %r3, %r1; mov.u32 %r2, 3;\n"), "%r2 of k");
	CHECK_STRING(wrong(""), "");
	CHECK_STRING(wrong(HEAD), "");
}

static void all_functions_are_looked_at(void)
{
	CHECK_STRING(wrong(HEAD ENTRY("a", LATE) ENTRY("b", EARLY)), "%r2 of b");
	CHECK_STRING(wrong(HEAD ".func  (.param .b32 func_retval0) f(\n\t.param .b32 f_param_0\n)\n;\n" ENTRY("a", LATE)
			   ".func  (.param .b32 func_retval0) f(\n\t.param .b32 f_param_0\n)\n{\n" REGISTERS EARLY
			   "}\n"),
		     "%r2 of f");
	/* %r2 is defined in one and read in the other, where it is not declared. */
	CHECK_STRING(wrong(HEAD ENTRY("a", "\tadd.s32 %r1, %r2, 1;\n") ENTRY("b", "\tmov.u32 %r2, 1;\n")), "");
	CHECK_STRING(wrong(HEAD ENTRY("a", EARLY "\tmov.u32 %r2, 5;\n") ENTRY("b", LATE)), "");
}

static void each_place_of_an_operand_is_a_read(void)
{
	static const char *const reads[] = {
		"@%p2 mov.u32 \t%r1, 1;", "@!%p2 mov.u32 \t%r1, 1;", "selp.b32 \t%r1, 1, 2, %p2;",
		"@ ! %p2 mov.u32 %r1, 1;",
		"and.pred  \t%p1, %p3, %p2;", "vote.sync.ballot.b32 \t%r1, %p2, -1;",
		"@%p2 bra \t$L__BB0_7;", "@%p2 ret;",
	};
	static const char *const addresses[] = {
		"ld.global.b32 \t%r1, [%rd2];", "ld.global.b32 \t%r1, [%rd2+4];", "ld.local.b32 \t%r1, [%rd2+-4];",
		"st.global.b32 \t[%rd2], %r1;", "st.shared.b32 \t[%rd2+8], 1;", "st.global.b64 \t[%rd1], %rd2;",
		"st.global.v2.b64 \t[%rd1], {%rd3, %rd2};", "ld.global.v2.b32 \t{%r1, %r3}, [%rd2];",
		"atom.global.add.u32 \t%r1, [%rd2], 1;", "red.global.add.u64 \t[%rd1], %rd2;",
		"mov.b64 \t{%r1, %r3}, %rd2;", "tex.1d.v4.f32.s32 \t{%r1, %r3, %r4, %r5}, [%rd2, {%r6}];",
		"tex.1d.v4.b32.b64 \t{%r1, %r3, %r4, %r5}, [%rd1, {%rd2}];", "st.param.b64 \t[param0+0], %rd2;",
		"call (retval0), %rd2, (param0), prototype_0;", "mad.lo.s64 \t%rd1, %rd3, %rd4, %rd2;",
		"ld.global.L1::evict_last.b32 \t%r1, [%rd2];", "{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd2; }",
		"// begin inline asm\n\tprefetch.global.L2 [%rd2];\n\t// end inline asm",
	};
	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
		check_two(reads[i], "setp.ne.s32 \t%p2, %r5, 0;", "%p2 of k");
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		check_two(addresses[i], "cvta.to.global.u64 \t%rd2, %rd8;", "%rd2 of k");
}

static void each_result_is_a_definition(void)
{
	static const char *const definitions[] = {
		"mov.b64 \t{%r3, %r2}, %rd1;", "ld.global.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd1];",
		"ld.param.b32 \t%r2, [k_param_0];",
		"@%p1 mov.u32 \t%r2, 1;", "shfl.sync.idx.b32 \t%r2|%p1, %r3, 1, 31, -1;",
		"atom.shared.inc.u32 \t%r2, [all], 1;",
		"{ .reg .b32 tmp; mov.b64 {tmp, %r2}, %rd1; }", "call.uni (%r2), f, (%r3);",
		"tex.1d.v4.s32.s32 \t{%r4, %r5, %r6, %r2}, [%rd2, {%r7}];",
	};
	for (size_t i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
		check_two("add.s32 \t%r8, %r2, 1;", definitions[i], "%r2 of k");
		check_two(definitions[i], "add.s32 \t%r8, %r2, 1;", "");
	}
}

static void what_is_no_such_read(void)
{
	/* Two definitions, as those of a loop's counter. */
	CHECK_STRING(IN_K(EARLY "\tmov.u32 \t%r2, 5;\n"), "");
	/* None. */
	CHECK_STRING(IN_K("\tadd.s32 \t%r1, %r2, 1;\n"), "");
	/* Inline PTX that changes an undefined value. */
	CHECK_STRING(IN_K("\tadd.s32 \t%r2, %r2, 1;\n"), "");
	/* Other registers: of the machine, without numbers, of an inner block, with another name or a greater
	 * number. */
	CHECK_STRING(IN_K("\tmov.u32 \t%r1, %ctaid.x;\n\tmov.u64 \t%rd1, %SP;\n\tmov.u64 %SP, %rd2;\n"),
		     "");
	CHECK_STRING(IN_K("\t{ .reg .b32 t; mov.b32 %r1, t; mov.b32 t, 1; }\n"), "");
	CHECK_STRING(IN_K("\tadd.s32 \t%r1, %r22, 1;\n\tmov.b32 \t%r22, 1;\n"), "");
	CHECK_STRING(IN_K("\tcvt.u32.u64 \t%r1, %rd2;\n\tmov.b32 \t%r2, 1;\n\tmov.b16 \t%rs2, 1;\n"), "");
	/* Comments, and a line of debug information, which has no semicolon. */
	CHECK_STRING(IN_K("\t// add.s32 %r1, %r2, 1;\n\t/* use %r2; */ mov.b32 %r2, 1;\n"), "");
	CHECK_STRING(IN_K("\t.loc\t1 5 3, function_name $L__info_string0, inlined_at 1 9 2\n" EARLY),
		     "%r2 of k");
	CHECK_STRING(IN_K("\t.pragma \"nounroll\";\n" EARLY), "%r2 of k");
}

static void labels_end_what_is_compared(void)
{
	CHECK_STRING(IN_K("\tadd.s32 %r1, %r2, 1;\n$L__BB0_1:\n\tmov.u32 %r2, 1;\n"), "");
	/* Code behind a branch is only entered from before it. */
	CHECK_STRING(IN_K("\tadd.s32 %r1, %r2, 1;\n\t@%p1 bra $L__BB0_1;\n\tmov.u32 %r2, 1;\n$L__BB0_1:\n"),
		     "%r2 of k");
}

#define LOOP(label, branch) "\tmov.b32 \t%r3, 0;\n" label ":\n" EARLY "\t" branch "\n"

/* In a loop, the value is that of the former iteration; the first one uses none. */
static void a_loop_carries_values(void)
{
	CHECK_STRING(IN_K(LOOP("$L__BB0_2", "@%p1 bra \t$L__BB0_2;")), "");
	CHECK_STRING(IN_K(LOOP("again", "@%p1 bra again;")), "");
	CHECK_STRING(IN_K("$L__BB0_1:\n" LOOP("$L__BB0_2", "@%p1 bra \t$L__BB0_3;\n\tbra.uni $L__BB0_1;\n$L__BB0_3:")),
		     "");
	CHECK_STRING(IN_K(LOOP("$L__BB0_2", "$L_brx_0: .branchtargets\n\t\t$L__BB0_5,\n\t\t$L__BB0_2;\n"
						"\tbrx.idx \t%r1, $L_brx_0;\n$L__BB0_5:")), "");
	/* Behind and before a loop, and with a branch that only skips something. */
	CHECK_STRING(IN_K(LOOP("$L__BB0_2", "@%p1 bra \t$L__BB0_3;\n$L__BB0_3:")), "%r2 of k");
	CHECK_STRING(IN_K("$L__BB0_2:\n\t@%p1 bra \t$L__BB0_2;\n" EARLY), "%r2 of k");
	CHECK_STRING(IN_K(EARLY "$L__BB0_2:\n\t@%p1 bra \t$L__BB0_2;\n"), "%r2 of k");
	/* The label with this number is another function's. */
	CHECK_STRING(wrong(HEAD ENTRY("a", "$L__BB0_2:\n" LATE)
			   ENTRY("k", LOOP("$L__BB1_1", "@%p1 bra \t$L__BB1_2;\n$L__BB1_2:"))),
		     "%r2 of k");
}

#define IN_LOOP(before, body) IN_K(before "$L__BB0_2:\n" body "\t@%p1 bra \t$L__BB0_2;\n")

/* A value that is the same in each iteration is not one of the former iteration. */
static void what_stays_in_a_loop_is_not_carried(void)
{
#define SUM "\tadd.s64 \t%rd1, %rd2, 8;\n\tadd.s64 \t%rd2, %rd3, %rd4;\n"
#define OUTSIDE "\tmul.wide.u32 \t%rd3, %r1, 2;\n\tmul.wide.u32 \t%rd4, %r2, 2;\n"
	CHECK_STRING(IN_LOOP(OUTSIDE, SUM), "%rd2 of k");
	CHECK_STRING(IN_LOOP("\tmul.wide.u32 \t%rd3, %r1, 2;\n", "\tld.param.u64 \t%rd4, [k_param_0];\n" SUM),
		     "%rd2 of k");
	CHECK_STRING(IN_K(OUTSIDE "$L__BB0_1:\n$L__BB0_2:\n" SUM "\t@%p1 bra $L__BB0_2;\n\tbra.uni $L__BB0_1;\n"),
		     "%rd2 of k");
	/* Something of it changes: an input, in this loop or in the one around it, or in a later instruction; what
	 * is loaded; whether it is computed. */
	CHECK_STRING(IN_LOOP("\tmul.wide.u32 \t%rd3, %r1, 2;\n", "\tld.global.u64 \t%rd4, [%rd3];\n" SUM), "");
	CHECK_STRING(IN_K("$L__BB0_1:\n" OUTSIDE "$L__BB0_2:\n" SUM "\t@%p1 bra $L__BB0_2;\n\tbra.uni $L__BB0_1;\n"),
		     "");
	CHECK_STRING(IN_LOOP(OUTSIDE, SUM "\tadd.s64 \t%rd4, %rd4, 1;\n"), "");
	CHECK_STRING(IN_LOOP(OUTSIDE, "\tadd.s64 %rd1, %rd2, 8;\n\tld.global.u64 \t%rd2, [%rd3];\n"), "");
	CHECK_STRING(IN_LOOP(OUTSIDE, "\tadd.s64 %rd1, %rd2, 8;\n\t@%p2 add.s64 \t%rd2, %rd3, %rd4;\n"), "");
	CHECK_STRING(IN_LOOP(OUTSIDE, "\tadd.s64 %rd1, %rd2, 8;\n\tmad.lo.u64 \t%rd2, %rd3, %rd4, %clock64;\n"), "");
}

/* Text that is none of libnvvm's: only that nothing is read beyond its end, and that it ends. */
static void parts_of_a_text_are_read(void)
{
	static const char text[] = HEAD ENTRY("k", "$L__BB0_1:\n\t@!%p1 bra $L__BB0_1; /* */\n" EARLY);
	char part[sizeof(text)];
	for (size_t size_B = 0; size_B < sizeof(text); size_B++) {
		memcpy(part, text, size_B);
		part[size_B] = '\0';
		(void)wrong(part);
	}
	(void)wrong(".entry k(){.reg .b32 %r<4000000000>;.reg .b32 %r<99999999999999999999>;"
		    "$L__BB0_99999999999999999999:"
		    "bra $L__BB9_4000000000;@");
	CHECK_STRING(wrong(".entry k(){.reg .b32 %r<4000000000>; mov.u32 %r1,%r2; mov.u32 %r2,1;}"), "");
	CHECK_STRING(wrong(".entry k(){.reg .b32 %r<3>; mov.u32 %r1,%r2; mov.u32 %r2,1;}"), "%r2 of k");
}

static void a_lack_of_memory_is_told(void)
{
	static const char text[] = HEAD ENTRY("k", "$L__BB0_1:\n" EARLY);
	unsigned failures = 0;
	enum be_ptx_order order = BE_PTX_ORDER_NO_MEMORY;
	while (order == BE_PTX_ORDER_NO_MEMORY && failures < 100) {
		bytes_finish(&found);
		failing = ++failures;
		order = be_ptx_order(text, strlen(text), &found);
		failing = 0;
	}
	CHECK_EQ(order, BE_PTX_ORDER_WRONG);
	/* Registers, labels, reads, and the answer. */
	CHECK(failures > 4);
	bytes_finish(&found);
}

TEST_MAIN(TEST(a_read_before_the_definition_is_found), TEST(all_functions_are_looked_at),
	  TEST(each_place_of_an_operand_is_a_read), TEST(each_result_is_a_definition), TEST(what_is_no_such_read),
	  TEST(labels_end_what_is_compared), TEST(a_loop_carries_values), TEST(what_stays_in_a_loop_is_not_carried),
	  TEST(parts_of_a_text_are_read), TEST(a_lack_of_memory_is_told))
