/* Protects: softcuda's executor.  PTX goes in as text, results come out: every
 * family of instructions by t_soft_exec.def, then how lanes, warps and groups
 * run together, and what happens to programs that are wrong. */
#include "config.h"

#include "softcuda/exec/level.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"

/* -- instruction by instruction ------------------------------------------------------- */

static uint64_t F(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static uint64_t D(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

struct instruction_case {
	const char *result, *text;
	uint64_t a, b, c, expected;
};

static void write_case(struct bytes *ptx, unsigned index, const struct instruction_case *what)
{
	bytes_printf(ptx, ".entry case_%u(.param .u64 in, .param .u64 out)\n{\n"
		     ".reg .pred pa, pb, pc, pr; .reg .b16 ha, hb, hc, hr;\n"
		     ".reg .b32 wa, wb, wc, wr, lane; .reg .b64 la, lb, lc, lr, p, q;\n"
		     ".shared .align 16 .b8 room[64]; .local .align 8 .b8 stack[16];\n"
		     "ld.param.u64 p, [in]; ld.global.u64 la, [p]; ld.global.u64 lb, [p+8];\n"
		     "ld.global.u64 lc, [p+16]; cvt.u32.u64 wa, la; cvt.u32.u64 wb, lb;\n"
		     "cvt.u32.u64 wc, lc; cvt.u16.u64 ha, la; cvt.u16.u64 hb, lb;\n"
		     "cvt.u16.u64 hc, lc; setp.ne.u64 pa, la, 0; setp.ne.u64 pb, lb, 0;\n"
		     "setp.ne.u64 pc, lc, 0; mov.u32 wr, room;\n%s\n", index, what->text);
	if (what->result[0] == 'w')
		bytes_append_string(ptx, "cvt.u64.u32 lr, wr;\n");
	else if (what->result[0] == 'h')
		bytes_append_string(ptx, "cvt.u64.u16 lr, hr;\n");
	else if (what->result[0] == 'p')
		bytes_append_string(ptx, "selp.b64 lr, 1, 0, pr;\n");
	bytes_append_string(ptx, "mov.u32 lane, %tid.x; ld.param.u64 p, [out];\n"
			    "mul.wide.u32 q, lane, 8; add.s64 p, p, q; st.global.u64 [p], lr;\n"
			    "ret;\n}\n");
}

static void check_case(struct module *module, const struct instruction_case *what,
		       unsigned index, uint64_t *in, uint64_t *out)
{
	struct { const void *in, *out; } parameters = {in, out};
	char name[32];
	snprintf(name, sizeof(name), "case_%u", index);
	/* A full warp and one with few lanes take different ways. */
	for (unsigned threads = 32; threads; threads = threads == 32 ? 5 : 0) {
		in[0] = what->a;
		in[1] = what->b;
		in[2] = what->c;
		memset(out, 0xee, 33 * sizeof(*out));
		if (run(module, name, 1, threads, 0, &parameters) != CUDA_SUCCESS) {
			printf("'%s': %s", what->text, bytes_string(&module->log));
			test_failures++;
			return;
		}
		for (unsigned l = 0; l < threads; l++) {
			if (out[l] == what->expected)
				continue;
			printf("'%s' with 0x%llx, 0x%llx, 0x%llx: lane %u of %u gives 0x%llx, "
			       "expected 0x%llx\n", what->text, (unsigned long long)what->a,
			       (unsigned long long)what->b, (unsigned long long)what->c, l,
			       threads, (unsigned long long)out[l],
			       (unsigned long long)what->expected);
			test_failures++;
			break;
		}
		CHECK(out[threads] == UINT64_C(0xeeeeeeeeeeeeeeee));
	}
}

/* What the calls of the cases go to. */
static const char functions_ptx[] =
	".func (.reg .b32 r) scaled(.reg .b32 a, .reg .b64 d, .reg .b16 h) {\n"
	".reg .pred p; .reg .b32 t; mov.b32 r, a; setp.eq.u32 p, a, 0; @p ret;\n"
	"cvt.rzi.u32.f64 t, d; mul.lo.u32 r, a, t; cvt.u32.u16 t, h; add.u32 r, r, t; ret; }\n"
	".func (.param .b32 r) increased(.param .b32 a) {\n"
	".reg .b32 t; ld.param.b32 t, [a]; add.u32 t, t, 1; st.param.b32 [r], t; ret; }\n"
	".func (.reg .b32 r) twice(.reg .b32 a) { add.u32 r, a, a; }\n"
	/* Each level keeps its number on a stack that grows by it. */
	".func (.reg .b32 r) sum_to(.reg .b32 a) {\n"
	".reg .pred p; .reg .b32 s, t, n; mov.b32 r, 0; setp.eq.u32 p, a, 0; @p ret;\n"
	"shl.b32 n, a, 2; alloca.u32 s, n; add.u32 t, s, n; st.local.u32 [t+-4], a;\n"
	"sub.u32 n, a, 1; call (r), sum_to, (n); ld.local.u32 n, [t+-4]; add.u32 r, r, n; ret; }\n";

/* Of the cases of instructions, every parts-th from this one. */
static unsigned part, parts = 1;

static void instructions(void)
{
	const struct instruction_case cases[] = {
#define CASE(result, text, a, b, c, expected) {#result, text, a, b, c, (uint64_t)(expected)},
#include "tests/unit/t_soft_exec.def"
#undef CASE
	};
	enum { CASES = sizeof(cases) / sizeof(cases[0]) };
	struct bytes ptx = BYTES_INIT;
	struct module module;
	bytes_append_string(&ptx, HEADER ".const .align 4 .u32 fixed[3] = {11, 22, 33};\n"
			    ".global .align 4 .u32 words[2] = {7, 8};\n"
			    ".global .align 8 .u64 table[1] = {fixed};\n"
			    ".global .align 16 .b8 lines[64];\n");
	bytes_append_string(&ptx, functions_ptx);
	for (unsigned i = 0; i < CASES; i++)
		write_case(&ptx, i, &cases[i]);
	CUresult result = module_load(&module, bytes_string(&ptx));
	if (result != CUDA_SUCCESS)
		printf("%s", bytes_string(&module.log));
	bytes_finish(&ptx);
	REQUIRE(result == CUDA_SUCCESS);
	uint64_t *in = device_take(3 * sizeof(*in)), *out = device_take(33 * sizeof(*out));
	for (unsigned i = part; i < CASES; i += parts)
		check_case(&module, &cases[i], i, in, out);
	module_finish(&module);
}

/* The hosts's fused, rounded and converted results over many random operands. */
static void random_floats(void)
{
	static const char ptx[] = HEADER
		".entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %l<8>; .reg .b16 %h<4>;\n"
		"mov.u32 %r0, %tid.x; mul.wide.u32 %l0, %r0, 16; ld.param.u64 %l1, [in];\n"
		"add.s64 %l1, %l1, %l0; ld.param.u64 %l2, [out]; add.s64 %l2, %l2, %l0;\n"
		"ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%l1];\n"
		"fma.rn.f32 %f4, %f0, %f1, %f2; div.rn.f32 %f5, %f0, %f1;\n"
		"cvt.rn.f16.f32 %h0, %f3; cvt.f32.f16 %f6, %h0; add.f32 %f7, %f0, %f2;\n"
		"st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7}; ret; }\n";
	struct module module;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	enum { THREADS = 1000 };
	float *in = device_take(THREADS * 16), *out = device_take(THREADS * 16);
	uint32_t seed = 12345;
	for (unsigned i = 0; i < THREADS * 4; i++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t bits = seed ^ seed >> 13;
		if (i % 4 == 3) /* within the range of half, subnormals too */
			bits = (bits & 0x80ffffff) | 0x38000000;
		memcpy(&in[i], &bits, sizeof(bits));
	}
	struct { const void *in, *out; } parameters = {in, out};
	CHECK_EQ(run(&module, "k", 1, THREADS, 0, &parameters), CUDA_SUCCESS);
	for (unsigned i = 0; i < THREADS; i++) {
		const float *a = &in[4 * i], *r = &out[4 * i];
		float expected[4] = {fmaf(a[0], a[1], a[2]), a[0] / a[1], 0, a[0] + a[2]};
		/* Half's spacing near x is 2^-10 of its power of two, 2^-24 at least. */
		float unit = fmaxf(ldexpf(1, ilogbf(a[3]) - 10), 0x1p-24f);
		expected[2] = rintf(a[3] / unit) * unit;
		for (unsigned k = 0; k < 4; k++)
			CHECK(isnan(expected[k]) ? F(r[k]) == 0x7fffffff :
			      F(r[k]) == F(expected[k]));
	}
	module_finish(&module);
}

/* -- together -------------------------------------------------------------------------- */

static const char together_ptx[] = HEADER
	".global .align 4 .u32 counter;\n"
	".extern .shared .align 16 .b8 dynamic[];\n"
	/* Each lane loops as often as its number says: diverges and meets again. */
	".entry diverge(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %l<4>;\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
	"LOOP: setp.ge.u32 %p0, %r1, %r0; @%p0 bra DONE;\n"
	"and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra EVEN;\n"
	"add.u32 %r2, %r2, %r1; bra NEXT;\n"
	"EVEN: sub.u32 %r2, %r2, 1;\n"
	"NEXT: add.u32 %r1, %r1, 1; bra LOOP;\n"
	"DONE: activemask.b32 %r4; mov.b64 %l1, {%r2, %r4};\n"
	"ld.param.u64 %l0, [out]; mul.wide.u32 %l2, %r0, 8; add.s64 %l0, %l0, %l2;\n"
	"st.global.u64 [%l0], %l1; ret; }\n"
	/* Reverses a block through dynamic shared memory. */
	".entry reverse(.param .u64 data) {\n"
	".reg .b32 %r<8>; .reg .b64 %l<4>; .shared .align 4 .b8 before[20];\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mul.wide.u32 %l1, %r0, 4;\n"
	"ld.param.u64 %l0, [data]; add.s64 %l0, %l0, %l1; ld.global.u32 %r2, [%l0];\n"
	"mov.u32 %r3, dynamic; mad.lo.u32 %r4, %r0, 4, %r3; st.shared.u32 [%r4], %r2;\n"
	"st.shared.u32 [before], %r2;\n"
	"bar.sync 0; sub.u32 %r5, %r1, %r0; sub.u32 %r5, %r5, 1; mad.lo.u32 %r5, %r5, 4, %r3;\n"
	"ld.shared.u32 %r6, [%r5]; st.global.u32 [%l0], %r6; ret; }\n"
	/* Half of the block leaves before the barrier; the rest counts odd ones. */
	".entry leave(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %l<4>;\n"
	"mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 48; @%p0 exit;\n"
	"and.b32 %r1, %r0, 1; setp.ne.u32 %p1, %r1, 0; bar.red.popc.u32 %r2, 0, %p1;\n"
	"bar.red.and.pred %p2, 0, %p1; selp.u32 %r3, 100, 0, %p2; add.u32 %r2, %r2, %r3;\n"
	"bar.red.or.pred %p2, 0, %p1; selp.u32 %r3, 1000, 0, %p2; add.u32 %r2, %r2, %r3;\n"
	"ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r0, 4; add.s64 %l0, %l0, %l1;\n"
	"st.global.u32 [%l0], %r2; ret; }\n"
	/* Warp 0 produces for warp 1 with arrive and sync of 64. */
	".entry produce(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %l<4>; .shared .align 4 .b32 box[32];\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; mov.u32 %r2, box;\n"
	"mad.lo.u32 %r2, %r1, 4, %r2;\n"
	"setp.lt.u32 %p0, %r0, 32; @!%p0 bra TAKE; mul.lo.u32 %r3, %r0, 3;\n"
	"st.shared.u32 [%r2], %r3;\n"
	"barrier.cta.arrive 3, 64; ret;\n"
	"TAKE: barrier.cta.sync 3, 64; ld.shared.u32 %r4, [%r2]; ld.param.u64 %l0, [out];\n"
	"mul.wide.u32 %l1, %r1, 4; add.s64 %l0, %l0, %l1; st.global.u32 [%l0], %r4; ret; }\n"
	/* A lock that lanes of one warp fight for. */
	".entry spin(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %l<4>; .shared .align 4 .b32 lock;\n"
	"ld.param.u64 %l0, [out];\n"
	"TRY: atom.shared.cas.b32 %r0, [lock], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra TRY;\n"
	"ld.global.u32 %r1, [%l0]; add.u32 %r1, %r1, 1; st.global.u32 [%l0], %r1;\n"
	"atom.shared.exch.b32 %r2, [lock], 0; ret; }\n"
	/* Group 0 waits for the last group to be there. */
	".entry meet(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %l<4>;\n"
	"atom.global.add.u32 %r0, [counter], 1; mov.u32 %r1, %nctaid.x;\n"
	"WAIT: ld.volatile.global.u32 %r2, [counter]; setp.lt.u32 %p0, %r2, %r1; @%p0 bra WAIT;\n"
	"ld.param.u64 %l0, [out]; red.global.add.u32 [%l0], 1; ret; }\n"
	/* Everybody adds to a few words. */
	".entry add(.param .u64 out) {\n"
	".reg .b32 %r<8>; .reg .b64 %l<4>;\n"
	"mov.u32 %r0, %tid.x; and.b32 %r0, %r0, 3; mul.wide.u32 %l1, %r0, 4;\n"
	"ld.param.u64 %l0, [out]; add.s64 %l0, %l0, %l1; atom.add.u32 %r1, [%l0], 1; ret; }\n"
	/* A shuffle that halves of the warp reach on different ways. */
	".entry halves(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %l<4>;\n"
	"mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16; mov.u32 %r1, 7; @%p0 bra ON;\n"
	"mov.u32 %r1, 9;\n"
	"ON: shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 31, -1; ld.param.u64 %l0, [out];\n"
	"@%p0 shfl.sync.down.b32 %r2, %r2, 1, 15, 0xffff;\n"
	"mul.wide.u32 %l1, %r0, 4; add.s64 %l0, %l0, %l1; st.global.u32 [%l0], %r2; ret; }\n";

static void divergence(void)
{
	struct module module;
	REQUIRE(module_load(&module, together_ptx) == CUDA_SUCCESS);
	struct { uint32_t sum, active; } *out = device_take(64 * 8);
	CHECK_EQ(run(&module, "diverge", 1, 64, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t sum = 0;
		for (uint32_t k = 0; k < i; k++)
			sum += k & 1 ? k : -1u;
		CHECK_EQ(out[i].sum, sum);
		CHECK_EQ(out[i].active, 0xffffffff);
	}
	uint32_t *half = device_take(32 * 4);
	CHECK_EQ(run(&module, "halves", 1, 32, 0, &half), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 32; i++)
		CHECK_EQ(half[i], i < 16 ? 9 : 7);
	module_finish(&module);
}

static void barriers(void)
{
	struct module module;
	REQUIRE(module_load(&module, together_ptx) == CUDA_SUCCESS);
	uint32_t *data = device_take(1000 * 4), *out = device_take(64 * 4);
	for (uint32_t i = 0; i < 1000; i++)
		data[i] = i;
	CHECK_EQ(run(&module, "reverse", 1, 1000, 4000, &data), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 1000; i++)
		CHECK_EQ(data[i], 999 - i);
	CHECK_EQ(run(&module, "leave", 1, 64, 0, &out), CUDA_SUCCESS);
	CHECK_EQ(out[0], 1024);
	CHECK_EQ(out[47], 1024);
	CHECK_EQ(run(&module, "produce", 1, 64, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 32; i++)
		CHECK_EQ(out[i], 3 * i);
	module_finish(&module);
}

/* Expected: PTX ISA 8.7, 9.7.13.15, "Phase of the mbarrier object" and the operations. */
static const char mbarrier_ptx[] = ".version 8.7\n.target sm_90\n.address_size 64\n"
	/* Alone: each line stores what a step says. */
	".entry steps(.param .u64 out) {\n"
	".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %s<8>, %l<2>; .shared .align 8 .b64 bar;\n"
	"ld.param.u64 %l0, [out]; mov.u32 %r0, bar; mov.b32 %r2, 2;\n"
	"mbarrier.init.shared.b64 [bar], 3;\n"
	"mbarrier.arrive.shared::cta.b64 %s0, [%r0]; mbarrier.pending_count.b64 %r1, %s0;\n"
	"st.global.u32 [%l0], %r1;\n"
	"mbarrier.test_wait.shared.b64 %p, [bar], %s0; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+4], %r1;\n"
	"mbarrier.test_wait.parity.shared.b64 %p, [bar], 1; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+8], %r1;\n"
	"mov.u64 %l1, bar; cvta.shared.u64 %l1, %l1;\n"
	"mbarrier.arrive.release.cta.b64 %s1, [%l1], %r2; mbarrier.pending_count.b64 %r1, %s1;\n"
	"st.global.u32 [%l0+12], %r1;\n"
	"mbarrier.test_wait.acquire.cta.shared.b64 %p, [bar], %s0; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+16], %r1;\n"
	"mbarrier.try_wait.parity.shared.b64 %p, [bar], 0, 1000; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+20], %r1;\n"
	/* The second phase expects one less from then on: 3, 2 left, then 2 again. */
	"mbarrier.arrive_drop.shared.b64 %s2, [bar]; mbarrier.pending_count.b64 %r1, %s2;\n"
	"st.global.u32 [%l0+24], %r1;\n"
	"mbarrier.arrive.noComplete.shared.b64 %s3, [bar], 1;\n"
	"cp.async.mbarrier.arrive.shared.b64 [bar];\n"
	"mbarrier.test_wait.shared.b64 %p, [bar], %s2; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+28], %r1;\n"
	"cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
	"mbarrier.test_wait.shared.b64 %p, [bar], %s2; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+32], %r1;\n"
	/* The third: two arrivals are not enough while bytes are announced. */
	"mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 %s4, [bar], 16;\n"
	"mbarrier.pending_count.b64 %r1, %s4; st.global.u32 [%l0+36], %r1;\n"
	"mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 8;\n"
	"mbarrier.arrive.shared.b64 _, [bar];\n"
	"mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 16;\n"
	"mbarrier.try_wait.shared.b64 %p, [bar], %s4; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+40], %r1;\n"
	"mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 8;\n"
	"mbarrier.try_wait.shared.b64 %p, [bar], %s4; selp.u32 %r1, 1, 0, %p;\n"
	"st.global.u32 [%l0+44], %r1; mbarrier.inval.shared.b64 [bar]; ret; }\n"
	/* Reverses 64 numbers, twice, each time behind a phase of the same object. */
	".entry reverse(.param .u64 out) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %s, %l<2>;\n"
	".shared .align 8 .b64 bar; .shared .align 4 .b32 box[64];\n"
	"mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 40; @%p0 mbarrier.init.shared.b64 [bar], 64;\n"
	"bar.sync 0; mov.u32 %r1, box; mad.lo.u32 %r2, %r0, 4, %r1; sub.u32 %r3, 63, %r0;\n"
	"mad.lo.u32 %r3, %r3, 4, %r1; mul.lo.u32 %r4, %r0, 3; st.shared.u32 [%r2], %r4;\n"
	"mbarrier.arrive.shared.b64 %s, [bar];\n"
	"FIRST: mbarrier.try_wait.shared.b64 %p1, [bar], %s; @!%p1 bra FIRST;\n"
	"ld.shared.u32 %r5, [%r3]; add.u32 %r5, %r5, 1; bar.sync 0; st.shared.u32 [%r2], %r5;\n"
	"mbarrier.arrive.shared.b64 _, [bar];\n"
	"SECOND: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1; @!%p1 bra SECOND;\n"
	"ld.shared.u32 %r6, [%r3]; ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r0, 4;\n"
	"add.s64 %l0, %l0, %l1; st.global.u32 [%l0], %r6; ret; }\n"
	/* What the ISA leaves undefined ends the launch. */
	".entry many() { .reg .b64 %s; .shared .align 8 .b64 bar;\n"
	"mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 %s, [bar], 2; ret; }\n"
	".entry none() { .shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 0; ret; }\n"
	".entry outside(.param .u64 out) { .reg .b64 %l0; ld.param.u64 %l0, [out];\n"
	"mbarrier.init.b64 [%l0], 1; ret; }\n";

static void mbarriers(void)
{
	static const uint32_t expected[12] = {3, 0, 1, 2, 1, 1, 3, 0, 1, 2, 0, 1};
	struct module module;
	REQUIRE(module_load(&module, mbarrier_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(64 * 4);
	CHECK_EQ(run(&module, "steps", 1, 1, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 12; i++)
		CHECK_EQ(out[i], expected[i]);
	CHECK_EQ(run(&module, "reverse", 1, 64, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 64; i++)
		CHECK_EQ(out[i], 3 * i + 1);
	CHECK_EQ(run(&module, "many", 1, 1, 0, &out), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK_EQ(run(&module, "none", 1, 1, 0, &out), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK_EQ(run(&module, "outside", 1, 1, 0, &out), CUDA_ERROR_ILLEGAL_ADDRESS);
	module_finish(&module);
}

static void progress(void)
{
	struct module module;
	REQUIRE(module_load(&module, together_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(64);
	CHECK_EQ(run(&module, "spin", 1, 96, 0, &out), CUDA_SUCCESS);
	CHECK_EQ(out[0], 96);
	out[0] = 0;
	CHECK_EQ(run(&module, "meet", 20, 1, 0, &out), CUDA_SUCCESS);
	CHECK_EQ(out[0], 20);
	out[0] = 0;
	CHECK_EQ(run(&module, "add", 300, 128, 0, &out), CUDA_SUCCESS);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQ(out[i], 300 * 32);
	module_finish(&module);
}

/* A barrier of the whole grid, made of an atomic: more groups than run at once. */
static const char grid_ptx[] = HEADER
	".entry phases(.param .u64 out) {\n"
	".reg .pred p, q; .reg .b32 tid, group, groups, n; .reg .b64 out, mine, other, x;\n"
	"ld.param.u64 out, [out]; mov.u32 tid, %tid.x; mov.u32 group, %ctaid.x;\n"
	"mov.u32 groups, %nctaid.x; mad.wide.u32 mine, group, 4, out;\n"
	"setp.ne.u32 p, tid, 0; @p bra WAIT; add.u32 n, group, 1;\n"
	"st.global.u32 [mine+8], n;\n"
	"fence.acq_rel.gpu; red.global.add.u32 [out], 1;\n"
	"SPIN: ld.acquire.gpu.global.u32 n, [out]; setp.lt.u32 q, n, groups; @q bra SPIN;\n"
	"WAIT: bar.sync 0; @p ret; add.u32 n, group, 1; rem.u32 n, n, groups;\n"
	"mad.wide.u32 other, n, 4, out; ld.global.u32 n, [other+8];\n"
	"mad.wide.u32 x, groups, 4, mine; st.global.u32 [x+8], n; ret; }\n";

static void grid_barrier(void)
{
	enum { GROUPS = 200 };
	struct module module;
	REQUIRE(module_load(&module, grid_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take((2 + 2 * GROUPS) * sizeof(*out));
	cooperative = true;
	CHECK_EQ(run(&module, "phases", GROUPS, 64, 0, &out), CUDA_SUCCESS);
	cooperative = false;
	for (unsigned i = 0; i < GROUPS; i++)
		CHECK_EQ(out[2 + GROUPS + i], (i + 1) % GROUPS + 1);
	module_finish(&module);
}

/* -- calls ------------------------------------------------------------------------------ */

static const char calls_ptx[] = HEADER
	".func (.param .b32 r) twice(.param .b32 x);\n"
	".func (.param .b32 r) fib(.param .b32 n);\n"
	".func (.param .b32 r) square(.param .b32 x)\n"
	"{ .reg .b32 %r<2>; ld.param.b32 %r0, [x]; mul.lo.s32 %r1, %r0, %r0;\n"
	"st.param.b32 [r], %r1; ret; }\n"
	".global .align 8 .u64 functions[2] = {twice, square};\n"
	".func (.param .b32 r) twice(.param .b32 x)\n"
	"{ .reg .b32 %r<2>; ld.param.b32 %r0, [x]; add.s32 %r1, %r0, %r0;\n"
	"st.param.b32 [r], %r1; ret; }\n"
	".func (.param .b32 r) fib(.param .b32 n)\n"
	"{ .reg .pred %p; .reg .b32 %r<6>; ld.param.b32 %r0, [n]; setp.lt.s32 %p, %r0, 2;\n"
	"@%p bra BASE; sub.s32 %r1, %r0, 1;\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; call.uni (v), fib, (a);\n"
	"ld.param.b32 %r2, [v]; }\n"
	"sub.s32 %r1, %r0, 2;\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; call.uni (v), fib, (a);\n"
	"ld.param.b32 %r3, [v]; }\n"
	"add.s32 %r0, %r2, %r3;\n"
	"BASE: st.param.b32 [r], %r0; ret; }\n"
	".entry recursion(.param .u64 out) {\n"
	".reg .b32 %r<6>; .reg .b64 %l<4>; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 7;\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; call.uni (v), fib, (a);\n"
	"ld.param.b32 %r2, [v]; }\n"
	"ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r0, 4; add.s64 %l0, %l0, %l1;\n"
	"st.global.u32 [%l0], %r2; ret; }\n"
	".entry indirect(.param .u64 out) {\n"
	".reg .b32 %r<6>; .reg .b64 %l<6>; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1;\n"
	"mul.wide.u32 %l1, %r1, 8; mov.u64 %l2, functions; add.s64 %l2, %l2, %l1;\n"
	"ld.global.u64 %l3, [%l2];\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r0;\n"
	"proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	"call (v), %l3, (a), proto; ld.param.b32 %r2, [v]; }\n"
	"ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r0, 4; add.s64 %l0, %l0, %l1;\n"
	"st.global.u32 [%l0], %r2; ret; }\n"
	".entry table(.param .u64 out) {\n"
	".reg .b32 %r<6>; .reg .b64 %l<6>; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3;\n"
	"ts: .branchtargets A, B, C, A; brx.idx %r1, ts;\n"
	"A: mov.u32 %r2, 10; bra OUT;\nB: mov.u32 %r2, 20; bra OUT;\nC: mov.u32 %r2, 30;\n"
	"OUT: ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r0, 4; add.s64 %l0, %l0, %l1;\n"
	"st.global.u32 [%l0], %r2; ret; }\n"
	".entry endless(.param .u64 out) {\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], 1; call.uni (v), deeper, (a); }\n"
	"ret; }\n"
	".func (.param .b32 r) deeper(.param .b32 n)\n"
	"{ .local .align 8 .b8 much[4096]; .reg .b32 %r<2>; ld.param.b32 %r0, [n];\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r0; call.uni (v), deeper, (a);\n"
	"ld.param.b32 %r1, [v]; }\n"
	"st.param.b32 [r], %r1; ret; }\n";

static void calls(void)
{
	static const uint32_t fibonacci[8] = {0, 1, 1, 2, 3, 5, 8, 13};
	struct module module;
	struct bytes ptx = BYTES_INIT;
	bytes_append_string(&ptx, HEADER ".func (.param .b32 r) deeper(.param .b32 n);\n");
	bytes_append_string(&ptx, calls_ptx + strlen(HEADER));
	CHECK_EQ(module_load(&module, bytes_string(&ptx)), CUDA_SUCCESS);
	bytes_finish(&ptx);
	if (!module.program)
		printf("%s", bytes_string(&module.log));
	REQUIRE(module.program);
	uint32_t *out = device_take(40 * 4);
	CHECK_EQ(run(&module, "recursion", 1, 40, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 40; i++)
		CHECK_EQ(out[i], fibonacci[i & 7]);
	CHECK_EQ(run(&module, "indirect", 1, 40, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 40; i++)
		CHECK_EQ(out[i], i & 1 ? i * i : 2 * i);
	CHECK_EQ(run(&module, "table", 1, 40, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 40; i++)
		CHECK_EQ(out[i], (i & 3) == 1 ? 20 : (i & 3) == 2 ? 30 : 10);
	CHECK_EQ(run(&module, "endless", 1, 1, 0, &out), CUDA_ERROR_HARDWARE_STACK_ERROR);
	CHECK(strstr(bytes_string(&module.log), "deeper"));
	module_finish(&module);
}

/* Lanes come to one function by two calls, and meet there in every kind of instruction: a result is the
 * sum of a shuffle's value, whether it was inside, votes, matches of 32 and 64 bits and the leader. */
static const char meeting_ptx[] = HEADER
	".func (.param .b32 r) meet(.param .b32 x)\n"
	"{ .reg .pred p, odd, in, lead, same; .reg .b32 a, b, m, sum, t, w; .reg .b64 l, k;\n"
	"ld.param.b32 a, [x]; and.b32 b, a, 1; setp.eq.u32 odd, b, 1; mov.u32 sum, 0;\n"
	"shfl.sync.down.b32 t|in, a, 1, 31, -1; selp.b32 t, t, 0, in; add.u32 sum, sum, t;\n"
	"vote.sync.ballot.b32 t, odd, -1; popc.b32 t, t; mad.lo.u32 sum, t, 100, sum;\n"
	"vote.sync.any.pred p, odd, -1; selp.b32 t, 10000, 0, p; add.u32 sum, sum, t;\n"
	"vote.sync.all.pred p, odd, -1; selp.b32 t, 20000, 0, p; add.u32 sum, sum, t;\n"
	"match.any.sync.b32 m, b, -1; popc.b32 t, m; mad.lo.u32 sum, t, 100000, sum;\n"
	"shr.u32 w, a, 2; cvt.u64.u32 l, w; shl.b64 k, l, 40;\n"
	"match.any.sync.b64 m, k, -1; popc.b32 t, m; mad.lo.u32 sum, t, 10000000, sum;\n"
	"match.all.sync.b32 m|same, b, -1; selp.b32 t, 40000, 0, same; add.u32 sum, sum, t;\n"
	"elect.sync _|lead, -1; selp.b32 t, 100000000, 0, lead; add.u32 sum, sum, t;\n"
	"st.param.b32 [r], sum; ret; }\n"
	".entry from_two(.param .u64 out) {\n"
	".reg .pred %p; .reg .b32 %r<6>; .reg .b64 %l<4>; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3;\n"
	"setp.eq.u32 %p, %r1, 0; @%p bra OTHER;\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r0; call (v), meet, (a);\n"
	"ld.param.b32 %r2, [v]; } bra OUT;\n"
	"OTHER: { .param .b32 a; .param .b32 v; st.param.b32 [a], %r0; call (v), meet, (a);\n"
	"ld.param.b32 %r2, [v]; }\n"
	"OUT: ld.param.u64 %l0, [out]; mul.wide.u32 %l1, %r0, 4; add.s64 %l0, %l0, %l1;\n"
	"st.global.u32 [%l0], %r2; ret; }\n";

static void meetings_in_calls(void)
{
	struct module module;
	REQUIRE(module_load(&module, meeting_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(32 * 4);
	CHECK_EQ(run(&module, "from_two", 1, 32, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 32; i++)
		CHECK_EQ(out[i], (i < 31 ? i + 1 : 0) + 16 * 100 + 10000 + 16 * 100000 + 4 * 10000000 +
				 (i == 0 ? 100000000 : 0));
	module_finish(&module);
}

/* Lanes with different members come to one shuffle again and again, those of `pair` together, those of `lone` each by
 * itself, while others spin before it.  Lane `last` ends the loops of all once it is behind the shuffle.  out[1] counts
 * lanes that gave up waiting for that, after so many iterations that each lane has had many turns. */
static const char turns_ptx[] = HEADER
	".entry turns(.param .u64 out, .param .u32 pair, .param .u32 lone, .param .u32 last) {\n"
	".reg .pred p, q, shared, leads, ends; .reg .b32 lane, bit, members, leader, n, i, x; .reg .b64 out;\n"
	"ld.param.u64 out, [out]; mov.u32 lane, %laneid; mov.u32 i, 0; mov.u32 bit, 1; shl.b32 bit, bit, lane;\n"
	"ld.param.u32 members, [pair]; ld.param.u32 n, [lone]; ld.param.u32 x, [last]; setp.eq.u32 ends, lane, x;\n"
	"or.b32 n, n, members; and.b32 n, n, bit; setp.ne.u32 p, n, 0; and.b32 n, members, bit;\n"
	"setp.ne.u32 shared, n, 0; selp.b32 members, members, bit, shared; @p bra LOOP; @ends bra LOOP;\n"
	"SPIN: ld.volatile.global.u32 n, [out]; add.u32 i, i, 1; setp.lt.u32 q, i, 400000;\n"
	"setp.eq.and.u32 p, n, 0, q; @p bra SPIN; bra OVER;\n"
	"LOOP: brev.b32 leader, members; bfind.u32 leader, leader; sub.u32 leader, 31, leader;\n"
	"setp.ne.u32 leads, lane, leader; @leads bra MEET;\n"
	"ld.volatile.global.u32 x, [out]; add.u32 x, x, 1; xor.b32 x, x, lane; add.u32 x, x, 3;\n"
	"MEET: add.u32 i, i, 1; shfl.sync.idx.b32 x, x, leader, 31, members;\n"
	"shfl.sync.idx.b32 n, i, leader, 31, members; add.u32 x, x, n;\n"
	"@ends st.volatile.global.u32 [out], 1; ld.volatile.global.u32 n, [out]; setp.lt.u32 q, i, 400000;\n"
	"setp.eq.and.u32 p, n, 0, q; @p bra LOOP;\n"
	"OVER: setp.ne.u32 p, n, 0; @p ret; red.global.add.u32 [out+4], 1; ret; }\n";

static void meetings_in_turn(void)
{
	struct module module;
	REQUIRE(module_load(&module, turns_ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(2 * 4);
	uint32_t random = 1;
	for (unsigned i = 0; i < 100; i++) {
		struct { uint32_t *out; uint32_t pair, lone, last; } parameters = {.out = out};
		for (unsigned l = 0; l < 32; l++) {
			random = random * 1664525 + 1013904223;
			parameters.pair |= random >> 29 == 0 ? 1u << l : 0;
			parameters.lone |= random >> 29 == 1 || random >> 29 == 2 ? 1u << l : 0;
		}
		parameters.last = random >> 8 & 31;
		parameters.pair &= ~(1u << parameters.last);
		memset(out, 0, 2 * 4);
		CHECK_EQ(run(&module, "turns", 1, 32, 0, &parameters), CUDA_SUCCESS);
		CHECK_EQ(out[0], 1);
		CHECK_EQ(out[1], 0);
	}
	module_finish(&module);
}

/* -- what is wrong ------------------------------------------------------------------------ */

struct fault_case {
	const char *body;
	uint32_t threads;
	CUresult expected;
	const char *report;       /* a part of it */
};

static const struct fault_case fault_cases[] = {
#include "tests/unit/t_soft_exec_fault.def"
};

static void faults(void)
{
	for (size_t i = 0; i < sizeof(fault_cases) / sizeof(fault_cases[0]); i++) {
		const struct fault_case *what = &fault_cases[i];
		struct bytes ptx = BYTES_INIT;
		struct module module;
		bytes_printf(&ptx, HEADER ".entry k(.param .u64 p) { .reg .pred %%p<2>; "
			     ".reg .b32 %%r<8>; .reg .b64 %%l<8>; .shared .align 16 .b8 room[64]; "
			     ".local .align 8 .b8 stack[16]; ld.param.u64 %%l0, [p]; "
			     "mov.u32 %%r0, %%tid.x;\n%s\nret; }\n", what->body);
		CHECK_EQ(module_load(&module, bytes_string(&ptx)), CUDA_SUCCESS);
		bytes_finish(&ptx);
		void *memory = device_take(256);
		CUresult result = module.program ? run(&module, "k", 3, what->threads, 0, &memory) :
				  CUDA_ERROR_INVALID_PTX;
		if (result != what->expected || !strstr(bytes_string(&module.log), what->report)) {
			printf("'%s' gives %d: %s", what->body, (int)result,
			       bytes_string(&module.log));
			test_failures++;
		}
		module_finish(&module);
	}
}

static void refusals(void)
{
	static const struct { const char *ptx, *report; } cases[] = {
		{HEADER ".entry k() {\nfrobnicate.u32 a, b;\n}",
		 "line 5: instruction 'frobnicate.u32'"},
		{HEADER ".entry k() { .reg .b32 %r<2>; add.u31 %r0, %r1, %r1; }", "add.u31"},
		{HEADER ".entry k() { .reg .b32 %r<2>; add.s32 %r0, %r1, %r7; }", "%r7"},
		{HEADER ".entry k() { .reg .b32 %r<2>; .reg .b64 %l<2>; "
		 "add.s32 %r0, %r1, %l1; }", "width"},
		{HEADER ".entry k() { .reg .b32 %r<2>; add.s32 %r0, %r1; }", "2 operands, not 3"},
		{HEADER ".entry k() { .reg .b32 %r<2>; lop3.b32 %r0, %r0, %r0, %r0, %r1; }", "constant"},
		{HEADER ".entry k() { bra NOWHERE; }", "NOWHERE"},
		{HEADER ".entry k() { .reg .f32 %f<4>; .reg .b64 %l<2>; "
		 "tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%f0, %f1}]; }", "texture"},
		{HEADER ".entry k() { .reg .b32 %r<2>; mov.u32 %r0, %nonesuch; }", "%nonesuch"},
		{HEADER ".frob x;", "'.frob'"},
		{HEADER ".extern .func f();\n.entry k() { call f; ret; "
		 "}", "unresolved function 'f'"},
		{HEADER ".func f(.param .b64 p) { ret; }\n.entry k() { .reg .b32 %r<2>; .param .b32 q; "
		 "st.param.b32 [q], %r0; call f, (q); ret; }", "a call of 'f' has 4 bytes where it takes or returns 8"},
		{HEADER ".entry k() {", "no end"},
		{HEADER ".entry k() { .reg .b32 %r<2>; ld.frob.u32 %r0, [%r1]; }", "ld.frob.u32"},
		{HEADER ".shared .b8 big[300000]; .entry k() { .reg .b32 %r<2>; "
		 "mov.u32 %r0, big; ret; }", "shared memory"},
		{"hello", ".version"},
		{"", ".version"},
		{".version 8.0\n.target x", "target"}
	};
	struct module module;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CUresult result = module_load(&module, cases[i].ptx);
		if (result != CUDA_ERROR_INVALID_PTX ||
		    !strstr(bytes_string(&module.log), cases[i].report)) {
			printf("case %zu gives %d: %s\n", i, (int)result,
			       bytes_string(&module.log));
			test_failures++;
		}
		module_finish(&module);
	}
	CHECK_EQ(module_load(&module, ".version 99.0\n.target sm_90\n"),
		 CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
	module_finish(&module);
}

/* Every prefix of a right module must be refused or accepted, and nothing else. */
static void truncation(void)
{
	for (size_t size_B = 0; size_B < sizeof(calls_ptx); size_B += 7) {
		struct bytes log = BYTES_INIT;
		struct soft_program *program = NULL;
		CUresult result = ptx_parse(calls_ptx, size_B, false, size_B % 2, 90, &log, &program);
		CHECK(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_PTX);
		soft_program_destroy(program);
		bytes_finish(&log);
	}
}

/* The registers of a text's only kernel. */
static uint32_t registers_of(struct bytes *ptx)
{
	struct module module;
	uint32_t count = 0;
	CHECK_EQ(module_load(&module, bytes_string(ptx)), CUDA_SUCCESS);
	if (module.program)
		count = soft_program_functions(module.program, &count)[0].register_count;
	module_finish(&module);
	bytes_finish(ptx);
	return count;
}

/* A kernel that keeps 120 values at a time, with a directive of its block's size. */
static uint32_t registers_with(const char *directive)
{
	struct bytes ptx = BYTES_INIT;
	bytes_printf(&ptx, HEADER ".visible .entry many(.param .u64 p) %s\n{ .reg .b64 %%rd<2>; "
		     ".reg .b32 %%r<121>; ld.param.u64 %%rd1, [p];\n", directive);
	for (unsigned i = 0; i < 120; i++)
		bytes_printf(&ptx, "ld.volatile.global.u32 %%r%u, [%%rd1 + %u];\n", i, 4 * i);
	for (unsigned i = 0; i < 120; i++)
		bytes_printf(&ptx, "st.volatile.global.u32 [%%rd1 + %u], %%r%u;\n", 4 * i, 119 - i);
	bytes_printf(&ptx, "ret; }\n");
	return registers_of(&ptx);
}

/* A kernel that has 60 values one after the other, each made in a block behind all those that read one: in the
 * order of the text all live at once. */
static uint32_t registers_of_back_and_forth(void)
{
	struct bytes ptx = BYTES_INIT;
	bytes_printf(&ptx, HEADER ".visible .entry many(.param .u64 p)\n{ .reg .b64 %%rd<2>; "
		     ".reg .b32 %%r<60>; .reg .pred %%p<7>; ld.param.u64 %%rd1, [p];\n");
	bytes_printf(&ptx, "bra make0;\n");
	for (unsigned i = 0; i < 60; i++)
		bytes_printf(&ptx, "put%u: st.volatile.global.u32 [%%rd1 + %u], %%r%u; "
			     "bra make%u;\n", i, 4 * i, i, i + 1);
	for (unsigned i = 0; i < 60; i++)
		bytes_printf(&ptx, "make%u: ld.volatile.global.u32 %%r%u, [%%rd1 + %u]; "
			     "setp.eq.u32 %%p%u, %%r%u, 7; @%%p%u ret; bra put%u;\n",
			     i, i, 4 * i, i % 7, i, i % 7, i);
	bytes_printf(&ptx, "make60: ret; }\n");
	return registers_of(&ptx);
}

/* A kernel that reads 100 parameters first and puts them down one after the other. */
static uint32_t registers_of_parameters(void)
{
	struct bytes ptx = BYTES_INIT;
	bytes_printf(&ptx, HEADER ".visible .entry many(.param .u64 p");
	for (unsigned i = 0; i < 100; i++)
		bytes_printf(&ptx, ", .param .u32 p%u", i);
	bytes_printf(&ptx, ")\n{ .reg .b64 %%rd<2>; .reg .b32 %%r<100>; ld.param.u64 %%rd1, [p];\n");
	for (unsigned i = 0; i < 100; i++)
		bytes_printf(&ptx, "ld.param.u32 %%r%u, [p%u];\n", i, i);
	for (unsigned i = 0; i < 100; i++)
		bytes_printf(&ptx, "st.volatile.global.u32 [%%rd1 + %u], %%r%u;\n", 4 * i, 99 - i);
	bytes_printf(&ptx, "ret; }\n");
	return registers_of(&ptx);
}

/* As ptxas does: `ptxas -v -arch=sm_90` says 64 for the first three of these kernels, 128 for the others. */
static void bounded_registers(void)
{
	CHECK_EQ(registers_with(".reqntid 32, 32, 1"), 64);
	CHECK_EQ(registers_with(".maxntid 1024"), 64);
	CHECK_EQ(registers_with(".reqntid 1000"), 64);
	CHECK(registers_with("") >= 120);
	CHECK(registers_with(".reqntid 256") >= 120);
	/* Of this one it says 10. */
	CHECK(registers_of_back_and_forth() <= 24);
	/* And of this one 32. */
	CHECK(registers_of_parameters() <= 32);
}

/* -- what the driver side asks for ------------------------------------------------------- */

static void facts(void)
{
	static const char ptx[] = HEADER
		".visible .entry first(.param .u8 a, .param .align 16 .b8 b[20], .param .f64 c)\n"
		".reqntid 8, 4, 1\n{ .shared .align 8 .b8 s[100]; .reg .b32 %r<2>;\n"
		"mov.u32 %r0, s; ret; }\n"
		".entry second() .maxntid 64, 2, 1 { .local .b8 l[32]; ret; }\n"
		".global .align 4 .f32 x[4] = {1.5, 0f3F800000, -2.0};\n"
		".const .align 8 .b8 y[8] = {0xFF(x), 0xFF00(x), 0xFF0000(x)};\n";
	struct module module;
	uint32_t count;
	CHECK_EQ(module_load(&module, ptx), CUDA_SUCCESS);
	REQUIRE(module.program);
	CHECK_EQ(soft_program_target(module.program), 90);
	const struct soft_function *functions = soft_program_functions(module.program, &count);
	CHECK_EQ(count, 2);
	CHECK_STRING(functions[0].name, "first");
	CHECK_EQ(functions[0].parameter_count, 3);
	CHECK_EQ(functions[0].parameters[1].offset_B, 16);
	CHECK_EQ(functions[0].parameters[2].offset_B, 40);
	CHECK_EQ(functions[0].parameter_size_B, 48);
	CHECK_EQ(functions[0].static_shared_B, 100);
	CHECK_EQ(functions[0].required_block[1], 4);
	CHECK_EQ(functions[1].static_shared_B, 0);
	CHECK_EQ(functions[1].max_block_threads, 128);
	CHECK_EQ(functions[1].local_B, 32);
	CHECK(!soft_program_function(module.program, "third"));
	const struct soft_variable *variables = soft_program_variables(module.program, &count);
	CHECK_EQ(count, 2);
	CHECK(variables[1].constant && !variables[0].constant);
	const float *x = (const float *)(uintptr_t)module.addresses[0];
	CHECK(x[0] == 1.5f && x[1] == 1 && x[2] == -2 && x[3] == 0);
	CHECK(!memcmp((const void *)(uintptr_t)module.addresses[1], &module.addresses[0], 3));
	CHECK_EQ(run(&module, "first", 1, 32, 0, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(run(&module, "second", 1, 129, 0, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(run(&module, "second", 1, 128, 300000, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(run(&module, "second", 1, 128, 0, NULL), CUDA_SUCCESS);
	soft_exec_shutdown();
	CHECK_EQ(run(&module, "second", 5, 128, 0, NULL), CUDA_SUCCESS);
	module_finish(&module);
	soft_exec_shutdown();
}

static const struct test_case cases[] = {
	{"instructions", instructions}, {"random floats", random_floats},
	{"divergence", divergence}, {"barriers", barriers}, {"mbarriers", mbarriers},
	{"progress", progress}, {"grid barrier", grid_barrier},
	{"calls", calls}, {"meetings in calls", meetings_in_calls},
	{"meetings in turn", meetings_in_turn}, {"faults", faults}, {"refusals", refusals},
	{"truncation", truncation}, {"bounded registers", bounded_registers}, {"facts", facts}
};

/* By each level of the processor that the interpreter is compiled for: the lower ones in processes of their
 * own, for a level is chosen once.  By the best level alone: "part K N", the instructions K, K + N, K + 2 N ...;
 * "rest", all other cases. */
int main(int argc, char **argv)
{
	const int count = (int)(sizeof(cases) / sizeof(cases[0]));
	if (argc > 1 && !strcmp(argv[1], "rest"))
		return test_run_all(cases + 1, count - 1);
	if (argc > 3 && !strcmp(argv[1], "part")) {
		part = (unsigned)strtoul(argv[2], NULL, 10);
		parts = (unsigned)strtoul(argv[3], NULL, 10);
		return test_run_all(cases, 1);
	}
	for (unsigned level = 0; level + 1 < exec_level_count(); level++) {
		int status = 1;
		const pid_t child = fork();
		if (!child) {
			exec_level_choose(level);
			const int failed = test_run_all(cases, count);
			if (failed)
				printf("by level %s\n", exec_level()->name);
			exit(failed);
		}
		CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
	}
	return test_run_all(cases, count);
}
