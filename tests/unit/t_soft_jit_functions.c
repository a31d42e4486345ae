/* Protects: the approximate functions of f32 have the results of the C library's functions of f64, rounded once to f32,
 * as machine code and in the interpreter.  Arithmetic that machine code computes in its own way has the interpreter's
 * results: rounding to zero, down and up, the functions of f64 that use only upper halves, conversions of f16, products
 * of bytes, and masks of lanes.  So on the levels of x86-64 (soft_levels.h).
 *
 * SOFT_JIT_STRIDE=N in the environment: each Nth of the 2^32 operands is compared; N is odd. */
#include "config.h"

#include "softcuda/exec/compiled.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdint.h>

enum { GROUP = 256, ROUND = 1 << 16 };

/* k: a work-item computes one result.  one: a work-group computes one, as a scalar. */
static const char function_ptx[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".entry k(.param .u64 given_in, .param .u64 given_out) {\n"
	".reg .b32 n, i, x; .reg .b64 in, out, a;\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; mov.u32 n, %%ctaid.x; mov.u32 i, %%tid.x;\n"
	"mad.lo.u32 n, n, %2$u, i; mul.wide.u32 a, n, 4; add.u64 in, in, a; add.u64 out, out, a;\n"
	"ld.global.u32 x, [in]; %1$s x, x; st.global.u32 [out], x; ret; }\n"
	".entry one(.param .u64 given_in, .param .u64 given_out) {\n"
	".reg .b32 n, x; .reg .b64 in, out, a;\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; mov.u32 n, %%ctaid.x; mul.wide.u32 a, n, 4;\n"
	"add.u64 in, in, a; add.u64 out, out, a; ld.global.u32 x, [in]; %1$s x, x; st.global.u32 [out], x; ret; }\n";

static const struct function {
	const char *name;
	double (*of)(double);
	bool flushes;
} functions[] = {
	{"ex2.approx.f32", exp2, false}, {"ex2.approx.ftz.f32", exp2, true}, {"lg2.approx.f32", log2, false},
	{"lg2.approx.ftz.f32", log2, true}, {"sin.approx.f32", sin, false}, {"sin.approx.ftz.f32", sin, true},
	{"cos.approx.f32", cos, false}, {"cos.approx.ftz.f32", cos, true}
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* Operands whose result is next to the middle between two f32: of ex2, and of lg2. */
static const uint32_t hard[] = {
	0x3dc9abe2, 0x3fa5a5d7, 0x4099a4e4, 0x410cd272, 0x414cd272, 0x41866939, 0x41a66939, 0x41c66939, 0x41e66939,
	0xbe0e371b, 0xbf996c70, 0xc0865b1c, 0xc1032d8e, 0xc1432d8e, 0xc18196c7, 0xc1a196c7, 0xc1c196c7, 0xc1e196c7,
	0x002452a4, 0x06914a90, 0x0d174467, 0x13eb8090, 0x1a914a90, 0x32554996, 0x457fc006, 0x60114a90, 0x66974467,
	0x6d6b8090
};

static uint32_t flushed(uint32_t bits, bool flushes)
{
	return flushes && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

static uint32_t expected_of(const struct function *function, uint32_t operand)
{
	uint32_t bits = flushed(operand, function->flushes);
	float x;
	memcpy(&x, &bits, sizeof(x));
	x = (float)function->of(x);
	memcpy(&bits, &x, sizeof(bits));
	return x != x ? 0x7fffffff : flushed(bits, function->flushes);
}

struct arrays {
	uint32_t *in, *out;
	struct module module;
};

/* Computes `count` results both ways and compares them. */
static bool equal_results(struct arrays *arrays, const struct function *function, const char *kernel, uint32_t count)
{
	const struct { const void *in, *out; } parameters = {arrays->in, arrays->out};
	const uint32_t group = !strcmp(kernel, "k") ? GROUP : 1;
	bool equal = true;
	for (unsigned way = 0; way < 2; way++) {
		cooperative = way;
		memset(arrays->out, 0xee, count * sizeof(*arrays->out));
		CHECK_EQ(run(&arrays->module, kernel, count / group, group, 0, &parameters), CUDA_SUCCESS);
		for (uint32_t i = 0; i < count && equal; i++) {
			const uint32_t expected = expected_of(function, arrays->in[i]);
			equal = arrays->out[i] == expected;
			if (!equal)
				printf("%s, %s: of 0x%08x 0x%08x, not 0x%08x\n", function->name,
				       way ? "interpreted" : "compiled", arrays->in[i], arrays->out[i], expected);
		}
	}
	cooperative = false;
	return equal;
}

/* Each power of two with the numbers next to it, of both signs, and what is hard. */
static uint32_t put_special(uint32_t *in)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < 512; i++)
		for (uint32_t next = 0; next < 4; next++)
			in[count++] = (i << 23) + next - 2;
	for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
		in[count++] = hard[i];
	for (; count % GROUP; count++)
		in[count] = 0x3f800000 + count;
	return count;
}

static void compare(const struct function *function)
{
	const char *text = getenv("SOFT_JIT_STRIDE");
	const uint64_t stride = text ? strtoull(text, NULL, 10) : 65537;
	struct arrays arrays;
	char ptx[sizeof(function_ptx) + 100];
	snprintf(ptx, sizeof(ptx), function_ptx, function->name, GROUP);
	REQUIRE(module_load(&arrays.module, ptx) == CUDA_SUCCESS);
	arrays.in = device_take(ROUND * sizeof(*arrays.in));
	arrays.out = device_take(ROUND * sizeof(*arrays.out));
	const uint32_t count = put_special(arrays.in);
	bool equal = equal_results(&arrays, function, "k", count) && equal_results(&arrays, function, "one", count);
	for (uint64_t first = 0; equal && first < UINT64_C(1) << 32; first += ROUND * stride) {
		for (uint32_t i = 0; i < ROUND; i++)
			arrays.in[i] = (uint32_t)(first + i * stride);
		equal = equal_results(&arrays, function, "k", ROUND);
	}
	CHECK(equal);
	CHECK(atomic_load(&tier_counts.compiled) > 0 && !atomic_load(&tier_counts.refused));
	module_finish(&arrays.module);
}

static void all_functions(void)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		compare(&functions[i]);
}

/* --- arithmetic: both ways are compared ---------- */

enum { ITEMS = GROUP * 256, WORDS = 4, RESULTS = 28 };

/* A work-item's operands are x, y and z, and v, 64 bits from z on. */
static const char arithmetic_ptx[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".entry k(.param .u64 given_in, .param .u64 given_out) {\n"
	".reg .b16 h<2>; .reg .b32 n, i, x, y, z, r<12>; .reg .b64 in, out, a, v, s<2>;\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; mov.u32 n, %ctaid.x; mov.u32 i, %tid.x;\n"
	"mad.lo.u32 n, n, 256, i; mul.wide.u32 a, n, 16; add.u64 in, in, a;\n"
	"mul.wide.u32 a, n, 112; add.u64 out, out, a;\n"
	"ld.global.u32 x, [in]; ld.global.u32 y, [in+4]; ld.global.u32 z, [in+8]; ld.global.u64 v, [in+8];\n";

static void write_arithmetic(struct bytes *text, const char *modifier)
{
	static const char *const roundings[] = {"rz", "rm", "rp"};
	bytes_append_string(text, arithmetic_ptx);
	for (unsigned r = 0; r < 3; r++) {
		const char *to = roundings[r];
		bytes_printf(text, "add.%s%s.f32 r%u, x, y; sub.%s%s.f32 r%u, x, y; mul.%s%s.f32 r%u, x, y;\n"
			     "fma.%s%s.f32 r%u, x, y, z;\n", to, modifier, 4 * r, to, modifier, 4 * r + 1, to, modifier,
			     4 * r + 2, to, modifier, 4 * r + 3);
	}
	for (unsigned r = 0; r < 12; r++)
		bytes_printf(text, "st.global.u32 [out+%u], r%u;\n", 4 * r, r);
	bytes_append_string(text, "rcp.approx.ftz.f64 s0, v; rsqrt.approx.ftz.f64 s1, v;\n"
			    "st.global.u64 [out+48], s0; st.global.u64 [out+56], s1;\n"
			    "cvt.sat.f32.f32 r0, x; cvt.ftz.sat.f32.f32 r1, x; cvt.rni.sat.f32.f32 r2, x;\n"
			    "st.global.u32 [out+64], r0; st.global.u32 [out+68], r1; st.global.u32 [out+72], r2;\n"
			    "cvt.rn.f16.f32 h0, x; shr.u32 r1, x, 13; cvt.u16.u32 h1, r1;\n"
			    "st.global.u16 [out+76], h0; cvt.f32.f16 r0, h1; cvt.ftz.f32.f16 r1, h0;\n"
			    "dp4a.u32.u32 r2, x, y, z; dp4a.s32.u32 r3, x, y, z; dp4a.u32.s32 r4, x, y, z;\n"
			    "dp4a.s32.s32 r5, x, y, z; mov.u32 r6, %lanemask_lt; mov.u32 r7, %lanemask_ge;\n"
			    "mov.u32 r8, %lanemask_eq; xor.b32 r7, r7, r8; mov.u32 r8, %lanemask_le;\n"
			    "mad.lo.u32 r7, r7, 3, r8; mov.u32 r8, %lanemask_gt; mad.lo.u32 r7, r7, 3, r8;\n");
	for (unsigned r = 0; r < 8; r++)
		bytes_printf(text, "st.global.u32 [out+%u], r%u;\n", 80 + 4 * r, r);
	bytes_append_string(text, "ret; }\n");
}

static uint32_t any_float(void)
{
	static const uint32_t special[] = {
		0, 1, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0x3f7fffff, 0x7f7fffff, 0x7f800000, 0x7fc00001
	};
	const uint32_t any = (uint32_t)test_random(0x10000) << 16 | (uint32_t)test_random(0x10000);
	const uint32_t sign = (uint32_t)test_random(2) << 31;
	switch (test_random(4)) {
	case 0:
		return special[test_random(sizeof(special) / sizeof(special[0]))] | sign;
	case 1:
		return 0x3f000000 + (any & 0x01ffffff) + sign;
	case 2:
		return (any & 0x01ffffff) | sign;
	default:
		return any;
	}
}

/* Operands for which sums are often exact, or nearly 0, or lose few bits. */
static void put_operands(uint32_t *in)
{
	float x, y, z;
	for (unsigned i = 0; i < WORDS; i++)
		in[i] = any_float();
	memcpy(&x, &in[0], sizeof(x));
	memcpy(&y, &in[1], sizeof(y));
	switch (test_random(4)) {
	case 0:
		z = -x * y;
		memcpy(&in[2], &z, sizeof(z));
		in[2] += (uint32_t)test_random(3) - 1;
		break;
	case 1:
		in[1] = in[0] ^ 0x80000000;
		in[1] += (uint32_t)test_random(3) - 1;
		break;
	case 2:
		in[1] = (in[1] & 0xff800000) | (in[1] & 0x7);
		break;
	default:
		break;
	}
}

static void compare_arithmetic(const char *modifier)
{
	struct arrays arrays;
	struct bytes text = BYTES_INIT;
	uint32_t *results[2];
	write_arithmetic(&text, modifier);
	REQUIRE(module_load(&arrays.module, bytes_string(&text)) == CUDA_SUCCESS);
	bytes_finish(&text);
	arrays.in = device_take(ITEMS * WORDS * sizeof(*arrays.in));
	for (unsigned i = 0; i < ITEMS; i++)
		put_operands(arrays.in + (size_t)i * WORDS);
	for (unsigned way = 0; way < 2; way++) {
		results[way] = device_take(ITEMS * RESULTS * sizeof(**results));
		const struct { const void *in, *out; } parameters = {arrays.in, results[way]};
		cooperative = way;
		CHECK_EQ(run(&arrays.module, "k", ITEMS / GROUP, GROUP, 0, &parameters), CUDA_SUCCESS);
	}
	cooperative = false;
	for (unsigned i = 0, wrong = 0; i < ITEMS * RESULTS && wrong < 5; i++) {
		const uint32_t *in = arrays.in + i / RESULTS * WORDS;
		if (results[0][i] == results[1][i])
			continue;
		printf("'%s', result %u of 0x%08x 0x%08x 0x%08x 0x%08x: compiled 0x%08x, interpreted 0x%08x\n",
		       modifier, i % RESULTS, in[0], in[1], in[2], in[3], results[0][i], results[1][i]);
		CHECK(!++wrong);
	}
	CHECK(atomic_load(&tier_counts.compiled) > 0 && !atomic_load(&tier_counts.refused));
	module_finish(&arrays.module);
}

static void arithmetic(void)
{
	static const char *const modifiers[] = {"", ".ftz", ".sat", ".ftz.sat"};
	for (unsigned i = 0; i < 4; i++)
		compare_arithmetic(modifiers[i]);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {TEST(all_functions), TEST(arithmetic)};
	(void)argv;
	return soft_run_on_levels(argc, cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
