/* Protects: arithmetic of f16 and f16x2, comparisons of f16 and its conversions from and to integers give the same bits
 * as machine code, which computes in f32, and interpreted, in f64: for numbers at random, and where rounding, subnormal
 * numbers, signs of zeros and NaNs matter.  So on the levels of x86-64 (soft_levels.h). */
#include "config.h"

#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdint.h>

enum { GROUP = 64, GROUPS = 256, ITEMS = GROUP * GROUPS, ROUNDS = 6 };

static const struct { const char *name; unsigned operands; } forms[] = {
	{"add.rn.f16", 2}, {"add.ftz.f16", 2}, {"add.sat.f16", 2}, {"sub.f16", 2}, {"sub.rn.ftz.sat.f16", 2},
	{"mul.f16", 2}, {"mul.rn.ftz.f16", 2}, {"mul.ftz.sat.f16", 2}, {"fma.rn.f16", 3}, {"fma.rn.ftz.f16", 3},
	{"fma.rn.sat.f16", 3}, {"fma.rn.ftz.sat.f16", 3}, {"min.f16", 2}, {"min.ftz.f16", 2}, {"max.f16", 2},
	{"max.ftz.f16", 2}, {"neg.f16", 1}, {"neg.ftz.f16", 1}, {"abs.f16", 1}, {"abs.ftz.f16", 1}
};
/* Conversions: the types and the registers of source and result. */
static const struct { const char *name, *to, *from; } conversions[] = {
	{"rn.f16.s32", "h3", "w0"}, {"rn.f16.u32", "h3", "w0"}, {"rn.f16.s16", "h3", "h0"},
	{"rn.f16.u16", "h3", "h0"}, {"rn.f16.s64", "h3", "l0"}, {"rn.f16.u64", "h3", "l0"},
	{"rzi.s32.f16", "w3", "h0"}, {"rni.s32.f16", "w3", "h0"}, {"rpi.u32.f16", "w3", "h0"},
	{"rmi.s16.f16", "h3", "h0"}, {"rzi.u16.f16", "h3", "h0"}, {"rni.u8.f16", "h3", "h0"},
	{"rzi.s64.f16", "l3", "h0"}, {"rpi.u64.f16", "l3", "h0"}
};
static const char *const relations[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
					"num", "nan"};
enum {
	ARITHMETIC = sizeof(forms) / sizeof(forms[0]), CONVERSIONS = sizeof(conversions) / sizeof(conversions[0]),
	RELATIONS = sizeof(relations) / sizeof(relations[0]), FORMS = ARITHMETIC + CONVERSIONS + 2 * RELATIONS
};

/* The name of what result f is of. */
static const char *name_of(unsigned f)
{
	return f < ARITHMETIC ? forms[f].name : f < ARITHMETIC + CONVERSIONS ? conversions[f - ARITHMETIC].name
									     : relations[f % RELATIONS];
}

static void write_others(struct bytes *ptx)
{
	unsigned f = ARITHMETIC;
	for (; f < ARITHMETIC + CONVERSIONS; f++) {
		const char *const to = conversions[f - ARITHMETIC].to;
		bytes_printf(ptx, "cvt.%s %s, %s; ", conversions[f - ARITHMETIC].name, to,
			     conversions[f - ARITHMETIC].from);
		if (to[0] == 'l')
			bytes_append_string(ptx, "shr.u64 l1, l3, 32; xor.b64 l3, l3, l1; cvt.u32.u64 w3, l3; ");
		else if (to[0] == 'h')
			bytes_append_string(ptx, "cvt.u32.u16 w3, h3; ");
		bytes_printf(ptx, "st.global.b32 [out+%u], w3;\n", 4 * ITEMS * f);
	}
	for (; f < FORMS; f++)
		bytes_printf(ptx, "setp.%s%s.f16 p, h0, h1; selp.b32 w3, 1, 0, p; st.global.b32 [out+%u], w3;\n",
			     relations[f % RELATIONS], f < FORMS - RELATIONS ? "" : ".ftz", 4 * ITEMS * f);
}

/* Element f of a work-item's results is that of form f, of 16 bits or of a pair, side by side for all work-items. */
static void write_kernel(struct bytes *ptx, bool pairs)
{
	bytes_printf(ptx, ".version 8.3\n.target sm_90\n.address_size 64\n"
		".entry k(.param .u64 given_in, .param .u64 given_out) { .reg .pred p; .reg .b16 h<4>;\n"
		".reg .b32 i, n, w<4>; .reg .b64 l<4>, in, out, a;\n"
		"mov.u32 n, %%ctaid.x; mov.u32 i, %%tid.x; mad.lo.u32 i, n, %u, i;\n"
		"mul.wide.u32 a, i, 4; ld.param.u64 in, [given_in]; add.u64 in, in, a;\n"
		"ld.param.u64 out, [given_out]; add.u64 out, out, a;\n"
		"ld.global.b32 w0, [in]; ld.global.b32 w1, [in+%u]; ld.global.b32 w2, [in+%u];\n"
		"cvt.u16.u32 h0, w0; cvt.u16.u32 h1, w1; cvt.u16.u32 h2, w2;\n"
		"cvt.s64.s32 l0, w1;\n", GROUP, 4 * ITEMS, 8 * ITEMS);
	for (unsigned f = 0; f < ARITHMETIC; f++) {
		const char letter = pairs ? 'w' : 'h';
		bytes_printf(ptx, "%s%s %c3", forms[f].name, pairs ? "x2" : "", letter);
		for (unsigned k = 0; k < forms[f].operands; k++)
			bytes_printf(ptx, ", %c%u", letter, k);
		bytes_printf(ptx, ";%s st.global.b32 [out+%u], w3;\n", pairs ? "" : " cvt.u32.u16 w3, h3;",
			     4 * ITEMS * f);
	}
	if (!pairs)
		write_others(ptx);
	bytes_append_string(ptx, "ret; }\n");
}

static uint32_t any_half(void)
{
	static const uint16_t special[] = {
		0, 1, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x3bff, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x1400,
		0x0c00
	};
	const uint32_t sign = test_random(2) ? 0x8000 : 0;
	return test_random(4) ? (uint32_t)test_random(0x10000)
			      : sign | special[test_random(sizeof(special) / sizeof(special[0]))];
}

/* A third operand with which a sum is near a tie. */
static uint32_t near_product(uint32_t a, uint32_t b)
{
	const uint32_t exponent = (a >> 10 & 31) + (b >> 10 & 31) + (uint32_t)test_random(26);
	return exponent < 25 || exponent > 55 ? any_half()
					      : (exponent - 25) << 10 | (uint32_t)test_random(4) << 8 |
						(test_random(2) ? 0x8000u : 0);
}

static void compare(bool pairs)
{
	struct bytes ptx = BYTES_INIT;
	struct module module;
	const size_t out_B = (size_t)4 * ITEMS * FORMS;
	write_kernel(&ptx, pairs);
	if (module_load(&module, bytes_string(&ptx)) != CUDA_SUCCESS) {
		printf("%s\n", bytes_string(&module.log));
		exit(1);
	}
	uint32_t (*in)[ITEMS] = device_take(3 * sizeof(*in)), *out = device_take(out_B), *expected = malloc(out_B);
	const struct { const void *in, *out; } parameters = {in, out};
	for (unsigned round = 0; expected && round < ROUNDS; round++) {
		for (size_t i = 0; i < ITEMS; i++) {
			for (unsigned k = 0; k < 3; k++)
				in[k][i] = test_random(8) ? any_half() | any_half() << 16
							  : (uint32_t)(test_random(0x20000) - 0x10000);
			if (test_random(2))
				in[2][i] = (in[2][i] & 0xffff0000) | near_product(in[0][i], in[1][i]);
		}
		/* Cooperative launches are interpreted. */
		cooperative = true;
		memset(out, 0xee, out_B);
		CHECK_EQ(run(&module, "k", GROUPS, GROUP, 0, &parameters), CUDA_SUCCESS);
		memcpy(expected, out, out_B);
		memset(out, 0xee, out_B);
		cooperative = false;
		CHECK_EQ(run(&module, "k", GROUPS, GROUP, 0, &parameters), CUDA_SUCCESS);
		for (size_t i = 0; i < out_B / 4; i++)
			if (out[i] != expected[i]) {
				const size_t n = i % ITEMS;
				printf("%s%s of %08x, %08x, %08x is %08x, not %08x\n",
				       name_of((unsigned)(i / ITEMS)), pairs ? "x2" : "", in[0][n], in[1][n], in[2][n],
				       out[i], expected[i]);
				test_failures++;
				break;
			}
	}
	CHECK(!atomic_load(&tier_counts.refused));
	bytes_finish(&ptx);
	free(expected);
	module_finish(&module);
}

static void all_forms(void)
{
	compare(false);
	compare(true);
	CHECK_EQ(atomic_load(&tier_counts.compiled), 2);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {TEST(all_forms)};
	(void)argv;
	return soft_run_on_levels(argc, cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
