/* Protects: what the lanes of a warp do together gives the same bits as machine code and interpreted: shuffles of all
 * kinds, whose operands are known, uniform or vary, votes and reductions; for whole warps, where lanes have ended,
 * where lanes took different branches, and where they leave a loop one after the other.  So on the levels of x86-64
 * (soft_levels.h). */
#include "config.h"

#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdint.h>

enum { ITEMS_MAX = 96, GROUPS = 2, IN_WORDS = 4, OUT_WORDS = 512, ROW_B = ITEMS_MAX * GROUPS * 4 };

/* Lanes meet with all others; with those that have not ended; with those that took the same branch; with those that
 * are still in the loop; and with those that the interpreter has to run to their end first. */
enum style { STRAIGHT, ENDED, BRANCHES, LOOP, ENDING };

/* --- the kernels ---------- */

static struct bytes ptx;
static unsigned stored;              /* results that the kernel has stored */
/* One in so many shuffles is there: for lower levels, LLVM takes longer to compile them. */
static unsigned thin = 1;

/* Stores r, and q as a number.  A result's values of all work-items are side by side. */
static void write_result(void)
{
	bytes_printf(&ptx, "st.global.b32 [out+%u], r; selp.b32 r, 1, 0, q; st.global.b32 [out+%u], r;\n",
		     ROW_B * stored, ROW_B * (stored + 1));
	stored += 2;
	if (stored + 2 > OUT_WORDS) {
		printf("too many results\n");
		exit(1);
	}
}

/* by and segments: numbers, a register that has one number, one that is equal in all lanes, and one that varies.  What
 * is read is an integer, an f32 of which NaNs may have any bits, or equal in all lanes. */
static void write_shuffles(const char *members, enum style style)
{
	const unsigned one_in = (style == STRAIGHT ? 3 : 6) * thin;
	static const char *const kinds[] = {"up", "down", "bfly", "idx"}, *const read[] = {"w0", "f", "u"};
	static const char *const by[] = {"1", "21", "0x7f", "known", "u", "w1"};
	static const char *const segments[] = {"31", "0", "0x181f", "0x1c03", "known_segments", "w2"};
	for (unsigned k = 0; k < 4; k++)
		for (unsigned b = 0; b < 6; b++)
			for (unsigned s = 0; s < 6; s++) {
				const bool with_predicate = test_random(2);
				if ((k + b + s) % one_in)
					continue;
				bytes_printf(&ptx, "mov.pred q, 0; shfl.sync.%s.b32 r%s, %s, %s, %s, %s;\n", kinds[k],
					     with_predicate ? "|q" : "", read[(k + b + 2 * s) % 3], by[b], segments[s],
					     members);
				write_result();
			}
	/* An f32 is used as such; the result is in an operand's register. */
	bytes_printf(&ptx, "shfl.sync.bfly.b32 r, f, 4, 31, %s; mul.f32 r, r, f;\n", members);
	write_result();
	if (style == STRAIGHT) {
		bytes_printf(&ptx, "mov.b32 r, w1; shfl.sync.down.b32 r|q, r, r, 31, %s;\n", members);
		write_result();
	}
}

static void write_votes(const char *members)
{
	static const char *const kinds[] = {"all", "any", "uni"}, *const what[] = {"p", "!p", "up"};
	bytes_append_string(&ptx, "mov.b32 r, 0;\n");
	for (unsigned k = 0; k < 3; k++)
		for (unsigned w = 0; w < 3; w++) {
			bytes_printf(&ptx, "vote.sync.%s.pred q, %s, %s;\n", kinds[k], what[w], members);
			write_result();
		}
	for (unsigned w = 0; w < 3; w++) {
		bytes_printf(&ptx, "vote.sync.ballot.b32 r, %s, %s;\n", what[w], members);
		write_result();
	}
	bytes_append_string(&ptx, "activemask.b32 r;\n");
	write_result();
}

static void write_reductions(const char *members)
{
	static const char *const kinds[] = {"add.u32", "add.s32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.u32",
					    "min.s32", "max.s32"};
	for (unsigned k = 0; k < 9; k++) {
		bytes_printf(&ptx, "redux.sync.%s r, %s, %s;\n", kinds[k], k % 3 ? "w0" : "wide", members);
		write_result();
	}
	bytes_printf(&ptx, "redux.sync.add.u32 r, u, %s;\n", members);
	write_result();
}

static void write_ops(const char *members, enum style style, bool shuffles)
{
	if (shuffles)
		write_shuffles(members, style);
	write_votes(members);
	write_reductions(members);
}

/* m: the lanes with p; n: the others that there are. */
static void write_kernel(enum style style, bool shuffles)
{
	bytes_finish(&ptx);
	stored = 0;
	bytes_printf(&ptx,
		".version 8.3\n.target sm_90\n.address_size 64\n"
		".entry k(.param .u64 given_in, .param .u64 given_out, .param .u32 given) {\n"
		".reg .pred p, q, up, g; .reg .b32 i, n, m, r, u, f, wide, known, known_segments, turns, w<4>;\n"
		".reg .b64 in, out, a;\n"
		"mov.u32 n, %%ctaid.x; mov.u32 i, %%ntid.x; mul.lo.u32 n, n, i; mov.u32 i, %%tid.x; add.u32 n, n, i;\n"
		"ld.param.u64 in, [given_in]; mul.wide.u32 a, n, %u; add.u64 in, in, a;\n"
		"ld.param.u64 out, [given_out]; mul.wide.u32 a, n, %u; add.u64 out, out, a; ld.param.u32 u, [given];\n"
		"ld.global.b32 w0, [in]; ld.global.b32 w1, [in+4]; ld.global.b32 w2, [in+8];\n"
		"ld.global.b32 w3, [in+12];\n"
		"and.b32 i, w3, 1; setp.ne.u32 p, i, 0; setp.lt.u32 up, u, 16; add.f32 f, w0, w1; mov.b32 known, 18;\n"
		"mov.b32 known_segments, 0x101f; and.b32 wide, w0, 0xfffffff8; and.b32 turns, w3, 7;\n"
		"vote.sync.ballot.b32 m, p, -1; vote.sync.ballot.b32 n, !p, -1;\n", IN_WORDS * 4, 4);
	switch (style) {
	case ENDED:
	case ENDING:
		bytes_append_string(&ptx, style == ENDED ? "@p exit;\n" : "@p bra E;\n");
		write_ops("-1", style, shuffles);
		break;
	case BRANCHES:
		bytes_append_string(&ptx, "@p bra A;\n");
		write_ops("n", style, shuffles);
		bytes_append_string(&ptx, "bra B; A:\n");
		stored = 0;
		write_ops("m", style, shuffles);
		bytes_append_string(&ptx, "B: add.u32 turns, turns, m;\n");
		break;
	case LOOP:
		bytes_append_string(&ptx, "vote.sync.ballot.b32 m, 1, -1; L:\n");
		write_ops("m", style, shuffles);
		bytes_append_string(&ptx, "setp.ne.u32 g, turns, 0; sub.u32 turns, turns, 1;\n"
				    "vote.sync.ballot.b32 m, g, m; @g bra L;\n");
		break;
	default:
		write_ops("-1", style, shuffles);
	}
	write_votes("-1");
	bytes_append_string(&ptx, "E: ret; }\n");
}

/* --- both ways ---------- */

/* What the parameters point to. */
static struct {
	uint32_t (*in)[IN_WORDS], *out;
	uint32_t given;
} parameters;

static void fill(void)
{
	static const uint32_t floats[] = {0, 0x80000000, 0x3f800000, 0xff800000, 0x7f800000, 0x7f800001, 0xffc12345, 1};
	const unsigned few = (unsigned)test_random(3);
	for (unsigned i = 0; i < ITEMS_MAX * GROUPS; i++) {
		uint32_t *in = parameters.in[i];
		in[0] = test_random(2) ? floats[test_random(8)] : (uint32_t)test_random(UINT32_MAX);
		in[1] = test_random(2) ? floats[test_random(8)] : (uint32_t)test_random(64);
		in[2] = (uint32_t)test_random(0x2000);
		in[3] = (uint32_t)(few == 0 ? test_random(16) : few == 1 ? !test_random(32) : 0);
	}
	parameters.given = (uint32_t)test_random(40);
}

static void compare(enum style style, bool shuffles, uint32_t items)
{
	struct module module;
	const size_t out_B = (size_t)ITEMS_MAX * GROUPS * OUT_WORDS * 4;
	write_kernel(style, shuffles);
	if (module_load(&module, bytes_string(&ptx)) != CUDA_SUCCESS) {
		printf("%s\n", bytes_string(&module.log));
		exit(1);
	}
	parameters.in = device_take(sizeof(*parameters.in) * ITEMS_MAX * GROUPS);
	parameters.out = device_take(out_B);
	uint32_t *expected = malloc(out_B);
	for (unsigned round = 0; expected && round < 8; round++) {
		fill();
		/* Cooperative launches are interpreted. */
		cooperative = true;
		memset(parameters.out, 0xee, out_B);
		CHECK_EQ(run(&module, "k", GROUPS, items, 0, &parameters), CUDA_SUCCESS);
		memcpy(expected, parameters.out, out_B);
		cooperative = false;
		memset(parameters.out, 0xee, out_B);
		CHECK_EQ(run(&module, "k", GROUPS, items, 0, &parameters), CUDA_SUCCESS);
		for (size_t i = 0; i < out_B / 4; i++)
			if (parameters.out[i] != expected[i]) {
				printf("style %u, %u work-items, round %u: result %zu of work-item %zu is %08x, not "
				       "%08x\n", style, items, round, i / (ROW_B / 4), i % (ROW_B / 4),
				       parameters.out[i], expected[i]);
				test_failures++;
				break;
			}
	}
	CHECK(!atomic_load(&tier_counts.refused));
	free(expected);
	module_finish(&module);
}

static void compare_styles(const enum style *styles, unsigned count, bool shuffles, uint32_t items)
{
	const uint64_t before = atomic_load(&tier_counts.compiled);
	for (unsigned i = 0; i < count; i++)
		compare(styles[i], shuffles, items);
	CHECK_EQ(atomic_load(&tier_counts.compiled), before + count);
}

/* PTX does not define what a shuffle reads from a lane that there is not, nor what it reads from one that has ended or
 * takes no part; but these have the registers that they had, interpreted or not.  For lower levels there are fewer
 * kernels. */
static void whole_warps(void)
{
	static const enum style styles[] = {STRAIGHT, LOOP, ENDED, BRANCHES};
	compare_styles(styles, thin > 1 ? 2 : 4, true, ITEMS_MAX);
}

static void parts_of_warps(void)
{
	static const enum style styles[] = {BRANCHES, ENDING, STRAIGHT, LOOP, ENDED};
	compare_styles(styles, thin > 1 ? 2 : 5, false, 41);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {TEST(whole_warps), TEST(parts_of_warps)};
	(void)argv;
	thin = argc > 1 ? 2 : 1;
	const int failed = soft_run_on_levels(argc, cases, (int)(sizeof(cases) / sizeof(cases[0])));
	bytes_finish(&ptx);
	return failed;
}
