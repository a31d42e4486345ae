/* Protects: machine code that is there only after a work-group has begun continues it from the next barrier on, with
 * the values that the interpreter has computed.  A work-group may run for as long as a program, and the machine may
 * have as many threads as the launch has work-groups.  So for random kernels, which t_soft_jit runs for this test, for
 * registers that only some lanes have assigned, and for numbers of work-items that wrap around, which the code leaves
 * to the interpreter. */
#include "config.h"

#include "softcuda/exec/compiled.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

enum { GROUPS = 3, ITEMS = 64, TURNS = 20 };

/* In `wraps`, the sum of n and the work-item's number wraps around between two lanes of a warp, and the code for 64
 * bits would be wrong from there on.  In `some`, only work-items from 5 on assign s, and only these use it behind the
 * barrier; so with t and the first 5.  r is a predicate that is treated in the same way.  In `all`, all lanes have the
 * same value of s and q, which grow in a loop, and of the predicate r, which changes in each turn. */
static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
	".entry wraps(.param .u64 given_out, .param .u32 given_n) { .reg .b32 i, n, t; .reg .b64 out, a, q;\n"
	"ld.param.u64 out, [given_out]; ld.param.u32 n, [given_n]; mov.u32 i, %ctaid.x; shl.b32 i, i, 6;\n"
	"mov.u32 t, %tid.x; add.u32 i, i, t; mul.wide.u32 a, i, 4; add.u64 a, out, a;\n"
	"sub.u32 n, t, n; cvt.u64.u32 q, n; bar.sync 0; shr.u64 q, q, 4; cvt.u32.u64 t, q;\n"
	"st.global.u32 [a], t; ret; }\n"
	".entry some(.param .u64 given_out, .param .u32 given_n) { .reg .b32 i, n, s, t; .reg .b64 out, a;\n"
	".reg .pred p, r, u; ld.param.u64 out, [given_out]; ld.param.u32 n, [given_n];\n"
	"mov.u32 i, %ctaid.x; shl.b32 i, i, 6; mov.u32 t, %tid.x; add.u32 i, i, t;\n"
	"mul.wide.u32 a, i, 4; add.u64 a, out, a; setp.lt.u32 p, t, 5; @p bra LOW;\n"
	"mul.lo.u32 s, n, 3; setp.gt.u32 r, n, 2; bra MEET;\n"
	"LOW: add.u32 t, n, 100;\n"
	"MEET: bar.sync 0;\n"
	"@p bra LOWER; selp.u32 s, s, 1, r; st.global.u32 [a], s; ret;\n"
	"LOWER: st.global.u32 [a], t; ret; }\n"
	".entry all(.param .u64 given_out, .param .u32 given_n) { .reg .b32 i, j, n, s, v; .reg .b64 out, a, q;\n"
	".reg .pred p, r; ld.param.u64 out, [given_out]; ld.param.u32 n, [given_n];\n"
	"mov.u32 i, %ctaid.x; shl.b32 i, i, 6; mov.u32 v, %tid.x; add.u32 i, i, v;\n"
	"mul.wide.u32 a, i, 4; add.u64 a, out, a; mov.u32 s, 1; mov.u64 q, 5; mov.u32 j, 0; setp.eq.u32 r, j, 0;\n"
	"L: mad.lo.u32 s, s, 7, j; shl.b64 q, q, 1; bar.sync 0; @r add.u32 v, v, s; not.pred r, r;\n"
	"add.u32 j, j, 1; setp.lt.u32 p, j, n; @p bra L;\n"
	"cvt.u32.u64 j, q; add.u32 v, v, j; st.global.u32 [a], v; ret; }\n";

static uint32_t expected_of_wraps(uint32_t item)
{
	return (item - TURNS) >> 4;
}

static uint32_t expected_of_some(uint32_t item)
{
	return item < 5 ? TURNS + 100 : TURNS * 3;
}

static uint32_t expected_of_all(uint32_t item)
{
	uint32_t s = 1, v = item;
	for (uint32_t j = 0; j < TURNS; j++) {
		s = s * 7 + j;
		v += j % 2 ? 0 : s;
	}
	return v + (UINT32_C(5) << TURNS);
}

static void launch(const char *kernel, uint32_t expected(uint32_t item))
{
	struct module module;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(GROUPS * ITEMS * sizeof(*out));
	const struct { void *out; uint32_t n; } parameters = {out, TURNS};
	CHECK_EQ(run(&module, kernel, GROUPS, ITEMS, 0, &parameters), CUDA_SUCCESS);
	for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
		CHECK_EQ(out[i], expected(i % ITEMS));
	module_finish(&module);
}

static void numbers_that_wrap_around(void)
{
	const uint64_t compiled = atomic_load(&tier_counts.compiled), taken = atomic_load(&compiled_taken_count);
	launch("wraps", expected_of_wraps);
	CHECK_EQ(atomic_load(&tier_counts.compiled) - compiled, 1);
	CHECK_EQ(atomic_load(&compiled_taken_count) - taken, 0);
}

static void registers_of_some_lanes(void)
{
	const uint64_t taken = atomic_load(&compiled_taken_count);
	launch("some", expected_of_some);
	CHECK_EQ(atomic_load(&compiled_taken_count) - taken, GROUPS);
}

static void registers_of_all_lanes(void)
{
	const uint64_t taken = atomic_load(&compiled_taken_count);
	launch("all", expected_of_all);
	CHECK_EQ(atomic_load(&compiled_taken_count) - taken, GROUPS);
}

static void random_kernels(void)
{
	soft_run_program("tests/unit/t_soft_jit", "late", NULL);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(random_kernels), TEST(numbers_that_wrap_around),
						 TEST(registers_of_some_lanes), TEST(registers_of_all_lanes)};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", "late", 1) || setenv("CULVERT_CACHE", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	soft_exec_shutdown();
	return failed;
}
