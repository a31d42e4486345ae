/* Protects: the ordering oracle learns the same bytes of machine code as of the interpreter: of random kernels, which
 * t_soft_jit runs for this test; and of one whose accesses are known, in which lanes of a warp access consecutive
 * places, all or some of them, one place, or any. */
#include "config.h"

#include "softcuda/check/trace.h"
#include "softcuda/check/watch.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

enum {
	ATOMIC = SOFT_ACCESS_READ_STRONG | SOFT_ACCESS_WRITE_STRONG,
	GROUPS = 2, ITEMS = 64, COUNT = GROUPS * ITEMS
};

/* n is the number of the work-item, l that of its lane.  All load in[n], lanes 3 to 19 without 7 store out[n], all load
 * in[200], the even ones store pairs at out + 1024 + 16 n, and all add to out[150].  in[160 + n % 4] is loaded by a
 * generic address, as local and private memory are, which is not traced. */
static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
	".entry k(.param .u64 given_in, .param .u64 given_out) {\n"
	".reg .pred p, q; .reg .b32 n, l, t, v, w; .reg .b64 in, out, a, b, g;\n"
	".shared .align 4 .b8 room[256]; .local .align 4 .b8 stack[16];\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out];\n"
	"mov.u32 t, %tid.x; mov.u32 n, %ctaid.x; mad.lo.u32 n, n, 64, t; and.b32 l, t, 31;\n"
	"mul.wide.u32 b, n, 4; add.u64 a, in, b; ld.global.u32 v, [a];\n"
	"setp.gt.u32 p, l, 2; setp.lt.and.u32 p, l, 20, p; setp.ne.and.u32 p, l, 7, p;\n"
	"add.u64 a, out, b; @p st.global.u32 [a], v;\n"
	"ld.global.u32 w, [in+800]; add.u32 v, v, w;\n"
	"and.b32 w, n, 1; setp.eq.u32 q, w, 0; mul.wide.u32 b, n, 16; add.u64 a, out, b;\n"
	"@q st.global.v2.u32 [a+1024], {v, v};\n"
	"atom.global.add.u32 w, [out+600], v;\n"
	"and.b32 w, n, 3; mul.wide.u32 b, w, 4; add.u64 a, in, b; ld.u32 w, [a+640];\n"
	"mul.wide.u32 b, t, 4; mov.u64 g, room; cvta.shared.u64 g, g; add.u64 g, g, b; st.u32 [g], w; ld.u32 w, [g];\n"
	"mov.u64 g, stack; st.local.u32 [g], w; ld.local.u32 w, [g]; cvta.local.u64 g, g; st.u32 [g+4], w;\n"
	"ret; }\n"
	/* Work-item (x, y) of 16 by 16 loads at in + 128 y + 4 x, and at in + 128 y + 64, which its row shares.
	 * It stores the sum at out + 128 y + 4 x and, but for x = 5, twice at out + 4096 + 256 y + 8 x. */
	".entry rows(.param .u64 given_in, .param .u64 given_out) {\n"
	".reg .pred p; .reg .b32 x, y, v, w; .reg .b64 in, out, a, b, c;\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; mov.u32 x, %tid.x; mov.u32 y, %tid.y;\n"
	"mul.wide.u32 a, y, 128; mul.wide.u32 b, x, 4; add.u64 c, in, a; ld.global.u32 w, [c+64];\n"
	"add.u64 c, c, b; ld.global.u32 v, [c]; add.u32 v, v, w; add.u64 c, out, a; add.u64 c, c, b;\n"
	"st.global.u32 [c], v; mul.wide.u32 a, y, 256; mul.wide.u32 b, x, 8; add.u64 c, out, a; add.u64 c, c, b;\n"
	"setp.ne.u32 p, x, 5; @p st.global.v2.u32 [c+4096], {v, v}; ret; }\n";

struct expected {
	struct soft_interval intervals[4 * COUNT];
	size_t count;
};

/* In the order of addresses. */
static void expect(struct expected *e, uint64_t start, uint64_t size_B, unsigned kinds)
{
	struct soft_interval *last = e->count ? &e->intervals[e->count - 1] : NULL;
	if (last && last->end == start && last->kinds == kinds)
		last->end += size_B;
	else
		e->intervals[e->count++] = (struct soft_interval){start, start + size_B, kinds};
}

static void expect_all(struct expected *e, uint64_t in, uint64_t out)
{
	for (unsigned both = 0; both < 2; both++) {
		if (both == (in < out)) {
			for (unsigned n = 0; n < COUNT; n++)
				if (n % 32 > 2 && n % 32 < 20 && n % 32 != 7)
					expect(e, out + 4 * n, 4, SOFT_ACCESS_WRITE);
			expect(e, out + 600, 4, ATOMIC);
			for (unsigned n = 0; n < COUNT; n += 2)
				expect(e, out + 1024 + 16 * n, 8, SOFT_ACCESS_WRITE);
		} else {
			expect(e, in, 4 * COUNT, SOFT_ACCESS_READ);
			expect(e, in + 640, 16, SOFT_ACCESS_READ);
			expect(e, in + 800, 4, SOFT_ACCESS_READ);
		}
	}
}

/* As expect_all, of the kernel `rows`. */
static void expect_rows(struct expected *e, uint64_t in, uint64_t out)
{
	for (unsigned both = 0; both < 2; both++) {
		const bool reads = both == (in > out);
		for (unsigned y = 0; y < 16; y++)
			expect(e, reads ? in + 128 * y : out + 128 * y, reads ? 68 : 64,
			       reads ? SOFT_ACCESS_READ : SOFT_ACCESS_WRITE);
		for (unsigned y = 0; y < 16 && !reads; y++) {
			expect(e, out + 4096 + 256 * y, 40, SOFT_ACCESS_WRITE);
			expect(e, out + 4096 + 256 * y + 48, 80, SOFT_ACCESS_WRITE);
		}
	}
}

/* Launches k, or rows; interpreted: cooperatively, for such launches are not compiled. */
static CUresult launch(struct module *module, bool rows, bool interpreted, const void *parameters,
		       struct soft_trace *trace)
{
	bytes_finish(&module->log);
	const struct soft_launch l = {
		.function = soft_program_function(module->program, rows ? "rows" : "k"),
		.grid = {rows ? 1 : GROUPS, 1, 1}, .block = {rows ? 16 : ITEMS, rows ? 16 : 1, 1},
		.parameters = parameters, .cooperative = interpreted, .memory = &device_memory,
		.variable_addresses = module->addresses, .sm = 90, .multiprocessor_count = 4,
		.watch = watch_for(trace), .watch_data = trace
	};
	return soft_launch_run(&l, &module->log);
}

static void compare(const struct soft_trace *trace, const struct expected *e, const char *way)
{
	struct soft_interval *found;
	size_t count;
	REQUIRE(soft_trace_intervals(trace, &found, &count));
	for (size_t i = 0; i < count || i < e->count; i++) {
		const struct soft_interval none = {0, 0, 0}, *a = i < count ? &found[i] : &none,
					   *b = i < e->count ? &e->intervals[i] : &none;
		if (a->start == b->start && a->end == b->end && a->kinds == b->kinds)
			continue;
		printf("%s: interval %zu: %#llx to %#llx, kinds %u; expected %#llx to %#llx, kinds %u\n", way, i,
		       (unsigned long long)a->start, (unsigned long long)a->end, a->kinds, (unsigned long long)b->start,
		       (unsigned long long)b->end, b->kinds);
		test_failures++;
		break;
	}
	free(found);
}

static void known_accesses(void)
{
	static struct expected expected;
	struct module module;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	char *in = device_take(1024), *out = device_take(4096);
	const struct { void *in, *out; } parameters = {in, out};
	expect_all(&expected, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out);
	for (unsigned way = 0; way < 2; way++) {
		struct soft_trace *trace = soft_trace_create();
		REQUIRE(trace);
		CHECK_EQ(launch(&module, false, !way, &parameters, trace), CUDA_SUCCESS);
		CHECK_EQ(atomic_load(&tier_counts.compiled), way);
		compare(trace, &expected, way ? "compiled" : "interpreted");
		soft_trace_destroy(trace);
	}
	/* When the oracle has stopped, for lack of memory, the code runs unwatched. */
	CHECK_EQ(launch(&module, false, false, &parameters, NULL), CUDA_SUCCESS);
	module_finish(&module);
}

static void check_sums(const uint32_t *in, const uint32_t *out)
{
	for (unsigned i = 0; i < 256; i++) {
		const unsigned y = i / 16, x = i % 16, sum = in[32 * y + x] + in[32 * y + 16];
		CHECK_EQ(out[32 * y + x], sum);
		CHECK_EQ(out[1024 + 64 * y + 2 * x], x == 5 ? 0 : sum);
		CHECK_EQ(out[1024 + 64 * y + 2 * x + 1], x == 5 ? 0 : sum);
	}
}

/* A warp has two rows of the work-group. */
static void rows_of_warps(void)
{
	static struct expected expected;
	struct module module;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	uint32_t *in = device_take(2048), *out = device_take(8192);
	const struct { void *in, *out; } parameters = {in, out};
	for (unsigned i = 0; i < 512; i++)
		in[i] = i * i;
	expect_rows(&expected, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out);
	for (unsigned way = 0; way < 2; way++) {
		const uint64_t before = atomic_load(&tier_counts.compiled);
		struct soft_trace *trace = soft_trace_create();
		REQUIRE(trace);
		memset(out, 0, 8192);
		CHECK_EQ(launch(&module, true, !way, &parameters, trace), CUDA_SUCCESS);
		CHECK_EQ(atomic_load(&tier_counts.compiled) - before, way);
		compare(trace, &expected, way ? "compiled rows" : "interpreted rows");
		check_sums(in, out);
		soft_trace_destroy(trace);
	}
	/* As above, unwatched. */
	memset(out, 0, 8192);
	CHECK_EQ(launch(&module, true, false, &parameters, NULL), CUDA_SUCCESS);
	check_sums(in, out);
	module_finish(&module);
}

/* Of an access to memory that is not there, too, every byte is known: it may be the result of a missing order. */
static void wrong_accesses(void)
{
	struct module module;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	char *in = device_take(1024);
	const struct { void *in; uint64_t out; } parameters = {in, UINT64_C(1) << 40};
	for (unsigned way = 0; way < 2; way++) {
		struct soft_trace *trace = soft_trace_create();
		struct soft_interval *found;
		size_t count;
		REQUIRE(trace);
		CHECK_EQ(launch(&module, false, !way, &parameters, trace), CUDA_ERROR_ILLEGAL_ADDRESS);
		REQUIRE(soft_trace_intervals(trace, &found, &count));
		CHECK(count && found[0].start == parameters.out + 4 * 3 && found[0].kinds == SOFT_ACCESS_WRITE);
		free(found);
		soft_trace_destroy(trace);
	}
	module_finish(&module);
}

static void random_kernels(void)
{
	soft_run_program("tests/unit/t_soft_jit", "traced", NULL);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(random_kernels), TEST(known_accesses), TEST(rows_of_warps),
						 TEST(wrong_accesses)};
	if (setenv("CULVERT_SOFT_JIT", "always", 1) || setenv("CULVERT_CACHE", "off", 1))
		return 99;
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	soft_exec_shutdown();
	return failed;
}
