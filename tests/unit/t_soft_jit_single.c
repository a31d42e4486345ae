/* Protects: machine code for one work-item at a time, in which one test is made for several accesses, gives the bits
 * that the interpreter gives: also at the ends of memory, with indices that wrap around, and behind stores; and faults
 * are the same. */
#include "config.h"

#include "softcuda/exec/compiled.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <unistd.h>

/* Work-items have rows of different lengths in `values`, from starts[n] to starts[n + 1], and take four elements in a
 * turn, as an unrolled loop does: at i to i + 3, by an immediate offset or by a sum of 32 bits; and elements of `more`
 * at i, and at a place that is read from memory, some of which are before the parameter.  The sum, also of
 * a count of turns, goes to `out` in each turn, and what is there is read again. */
static const char row_ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".entry k(.param .u64 given_starts, .param .u64 given_values, .param .u64 given_more, "
	".param .u64 given_out) {\n"
	".reg .pred p; .reg .b32 n, i, j, e, v, c, s, t, w; .reg .b64 starts, values, more, out, a, b, d;\n"
	"ld.param.u64 starts, [given_starts]; ld.param.u64 values, [given_values];\n"
	"ld.param.u64 more, [given_more]; ld.param.u64 out, [given_out];\n"
	"mov.u32 n, %%ctaid.x; mov.u32 i, %%tid.x; mad.lo.u32 n, n, 64, i;\n"
	"mul.wide.u32 a, n, 4; add.u64 b, starts, a; ld.global.u32 i, [b]; add.u32 j, n, 1; mul.wide.u32 d, j, 4;\n"
	"add.u64 b, starts, d; ld.global.u32 e, [b]; mov.u32 s, 0; mov.u32 w, 0; add.u64 out, out, a;\n"
	"L: setp.ge.%1$s p, i, e; @p bra E; add.u32 w, w, 7;\n"
	"mul.wide.%1$s a, i, 4; add.u64 b, values, a; ld.global.u32 v, [b]; mad.lo.u32 s, s, 31, v;\n"
	"ld.global.u32 v, [b+4]; mad.lo.u32 s, s, 31, v;\n"
	"add.u64 d, more, a; ld.global.u32 c, [d]; mad.lo.u32 s, s, 31, c; and.b32 c, c, %2$u;\n"
	"sub.u32 c, c, 16; mul.wide.s32 a, c, 4; add.u64 d, more, a; ld.global.u32 c, [d]; mad.lo.u32 s, s, 31, c;\n"
	"add.u32 j, i, 2; mul.wide.%1$s a, j, 4; add.u64 b, values, a; ld.global.u32 v, [b]; mad.lo.u32 s, s, 31, v;\n"
	"add.u32 j, i, 3; mul.wide.%1$s a, j, 4; add.u64 b, values, a; ld.global.u32 v, [b]; mad.lo.u32 s, s, 31, v;\n"
	"mad.lo.u32 s, s, 31, w;\n"
	"st.global.u32 [out], s; ld.global.u32 t, [out]; add.u32 s, s, t; add.u32 i, i, 4; bra L;\n"
	"E: st.global.u32 [out], s; ret; }\n";

/* Of a work-item's row, this takes what is left over by turns of four, at most three elements, as the second loop does
 * that compilers make of an unrolled one; and for each of them an element of `more`, from 16 before the parameter on.
 * `out` gets a sum of integers and of the bits of a sum of floats, some of which are infinite or NaN. */
static const char few_ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".entry k(.param .u64 given_starts, .param .u64 given_values, .param .u64 given_more, "
	".param .u64 given_out) {\n"
	".reg .pred p; .reg .b32 n, i, j, e, v, c, s; .reg .f32 f, g; .reg .b64 starts, values, more, out, a, b, d;\n"
	"ld.param.u64 starts, [given_starts]; ld.param.u64 values, [given_values];\n"
	"ld.param.u64 more, [given_more]; ld.param.u64 out, [given_out];\n"
	"mov.u32 n, %%ctaid.x; mov.u32 i, %%tid.x; mad.lo.u32 n, n, 64, i;\n"
	"mul.wide.u32 a, n, 4; add.u64 b, starts, a; ld.global.u32 i, [b]; add.u32 j, n, 1; mul.wide.u32 d, j, 4;\n"
	"add.u64 b, starts, d; ld.global.u32 e, [b]; mov.u32 s, 0; mov.f32 f, 0f00000000; add.u64 out, out, a;\n"
	"sub.u32 c, e, i; and.b32 c, c, 3; setp.eq.s32 p, c, 0; @p bra E;\n"
	"L: mul.wide.%1$s a, i, 4; add.u64 b, values, a; ld.global.u32 v, [b]; mad.lo.u32 s, s, 31, v;\n"
	"and.b32 j, v, %2$u; sub.u32 j, j, 16; mul.wide.s32 a, j, 4; add.u64 d, more, a; ld.global.f32 g, [d];\n"
	"fma.rn.f32 f, g, 0f3FC00000, f; add.u32 i, i, 1; add.s32 c, c, -1; setp.ne.s32 p, c, 0; @p bra L;\n"
	"E: mov.b32 j, f; mad.lo.u32 s, s, 31, j; st.global.u32 [out], s; ret; }\n";

/* Work-items take the sum of rows of ntid / 4 (16) elements of `values`, every nctaid * 64th row.  They leave the outer
 * loop in the same iteration, so that vectors are better, although they read from addresses that vary. */
static const char rows_ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".entry k(.param .u64 given_starts, .param .u64 given_values, .param .u64 given_more, "
	".param .u64 given_out) {\n"
	".reg .pred p; .reg .b32 n, i, j, v, s, w, step; .reg .b64 values, out, a, b;\n"
	"ld.param.u64 values, [given_values]; ld.param.u64 out, [given_out]; mov.u32 step, %nctaid.x;\n"
	"shl.b32 step, step, 6; mov.u32 n, %ctaid.x; mov.u32 i, %tid.x; mad.lo.u32 n, n, 64, i;\n"
	"mov.u32 w, %ntid.x; shr.u32 w, w, 2;\n"
	"L: setp.ge.u32 p, n, 19200; @p bra E; mov.u32 s, 0; mov.u32 j, 0; mul.lo.u32 i, n, w;\n"
	"M: mul.wide.u32 a, i, 4; add.u64 b, values, a; ld.global.u32 v, [b]; mad.lo.u32 s, s, 31, v;\n"
	"ld.global.u32 v, [b+4]; mad.lo.u32 s, s, 31, v; add.u32 i, i, 2; add.u32 j, j, 2;\n"
	"setp.lt.u32 p, j, 16; @p bra M; mul.wide.u32 a, n, 4; add.u64 b, out, a; st.global.u32 [b], s;\n"
	"add.u32 n, n, step; bra L;\n"
	"E: ret; }\n";

/* Machine code runs several work-groups in a call, and knows what memory there is only from the second call on. */
enum { GROUP = 64, ITEMS = 300 * GROUP, BEFORE = 32, MORE = 16 * ITEMS };

static struct module module;
static uint32_t starts[ITEMS + 1], expected[ITEMS];

static struct {
	const uint32_t *starts, *values, *more;
	uint32_t *out;
} parameters;

static uint32_t *numbers(uint32_t count)
{
	uint32_t *found = device_take(count * sizeof(*found));
	for (uint32_t i = 0; i < count; i++)
		found[i] = (uint32_t)test_random(0x7fffffff);
	return found;
}

/* Makes rows of as many elements as `step` times a number up to 2 from `first` on, and of `last` elements for the last
 * work-item.  They end with `values`, but for so many elements that are missing there. */
static void make_rows(int first, unsigned step, unsigned last, uint32_t missing)
{
	int end = first;
	uint32_t *on_device = device_take(sizeof(starts));
	for (uint32_t i = 0; i <= ITEMS; i++) {
		on_device[i] = starts[i] = (uint32_t)end;
		end += (int)(i + 1 < ITEMS ? step * (unsigned)test_random(3) : last);
	}
	end = (int)starts[ITEMS];
	parameters.starts = on_device;
	parameters.values = numbers((uint32_t)end + BEFORE - missing) + BEFORE;
	parameters.more = numbers(MORE) + BEFORE;
	parameters.out = device_take(sizeof(expected));
}

/* Loads the kernel of rows, with rows of 0, 4 or 8 elements. */
static bool begin(const char *type, int first, uint32_t mask, uint32_t missing)
{
	char text[sizeof(row_ptx) + 100];
	snprintf(text, sizeof(text), row_ptx, type, mask);
	make_rows(first, 4, 8, missing);
	return module_load(&module, text) == CUDA_SUCCESS;
}

/* Loads the kernel of what is left over, with rows of 0, 7 or 14 elements, or `last`. */
static bool begin_few(const char *type, int first, uint32_t mask, unsigned last, uint32_t missing)
{
	char text[sizeof(few_ptx) + 100];
	snprintf(text, sizeof(text), few_ptx, type, mask);
	make_rows(first, 7, last, missing);
	return module_load(&module, text) == CUDA_SUCCESS;
}

/* What the kernel computes. */
static void compute(uint32_t mask)
{
	for (uint32_t n = 0; n < ITEMS; n++) {
		uint32_t sum = 0, turns = 0;
		for (int i = (int)starts[n]; i < (int)starts[n + 1]; i += 4) {
			const uint32_t more = parameters.more[i];
			const uint32_t terms[6] = {parameters.values[i], parameters.values[i + 1], more,
						   parameters.more[(int)(more & mask) - 16], parameters.values[i + 2],
						   parameters.values[i + 3]};
			for (unsigned k = 0; k < 6; k++)
				sum = sum * 31 + terms[k];
			turns += 7;
			sum = (sum * 31 + turns) * 2;
		}
		expected[n] = sum;
	}
}

static CUresult launch(bool interpreted)
{
	cooperative = interpreted;
	memset(parameters.out, 0, sizeof(expected));
	return run(&module, "k", ITEMS / GROUP, GROUP, 0, &parameters);
}

static bool is_single(void)
{
	for (unsigned s = 0; s < TIER_SHAPES; s++) {
		const struct compiled *compiled = atomic_load(&module.program->tiers[0].shapes[s].compiled);
		if (compiled)
			return compiled->width == 1;
	}
	return false;
}

/* --- results ---------- */

static void check_results(const char *type, int first)
{
	const uint32_t mask = 1023;
	REQUIRE(begin(type, first, mask, 0));
	compute(mask);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(launch(!i), CUDA_SUCCESS);
		CHECK(!memcmp(parameters.out, expected, sizeof(expected)));
	}
	CHECK(is_single());
	module_finish(&module);
}

/* The last row ends where memory does. */
static void up_to_the_end(void)
{
	check_results("u32", 0);
	check_results("s32", 0);
}

/* Indices from -32 on are before the parameter, and sums of some are behind it. */
static void before_the_parameter(void)
{
	check_results("s32", -BEFORE);
	check_results("s32", -2);
}

/* Of the last work-item, the turns that its loop does not have would be behind the end of `values`.  From -2 on,
 * elements of the first one are before the parameter. */
static void few_turns(void)
{
	for (unsigned i = 0; i < 6; i++) {
		REQUIRE(begin_few(i % 2 ? "s32" : "u32", i % 2 ? -2 : 0, 1023, i % 3 + 1, 0));
		CHECK_EQ(launch(true), CUDA_SUCCESS);
		memcpy(expected, parameters.out, sizeof(expected));
		for (unsigned k = 0; k < 2; k++) {
			CHECK_EQ(launch(false), CUDA_SUCCESS);
			CHECK(!memcmp(parameters.out, expected, sizeof(expected)));
		}
		CHECK(is_single());
		module_finish(&module);
	}
}

/* In such a kernel, lanes are not apart. */
static void rows_of_one_length(void)
{
	REQUIRE(module_load(&module, rows_ptx) == CUDA_SUCCESS && ITEMS == 19200);
	parameters.values = numbers(MORE);
	parameters.out = device_take(sizeof(expected));
	for (uint32_t n = 0; n < ITEMS; n++) {
		expected[n] = 0;
		for (uint32_t k = 0; k < 16; k++)
			expected[n] = expected[n] * 31 + parameters.values[16 * n + k];
	}
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(launch(!i), CUDA_SUCCESS);
		CHECK(!memcmp(parameters.out, expected, sizeof(expected)));
	}
	CHECK(atomic_load(&tier_counts.refused) == 0 && !is_single());
	module_finish(&module);
}

/* --- faults ---------- */

/* Both ways say the same of an access outside, in the module that is loaded. */
static void check_fault(uint32_t missing)
{
	struct bytes said = BYTES_INIT;
	CHECK_EQ(launch(true), CUDA_ERROR_ILLEGAL_ADDRESS);
	bytes_append_string(&said, bytes_string(&module.log));
	CHECK_EQ(launch(false), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK(is_single());
	/* Which work-group's fault is said first is up to the threads: the last row is the only one that has any. */
	if (missing)
		CHECK_STRING(bytes_string(&module.log), bytes_string(&said));
	bytes_finish(&said);
	module_finish(&module);
}

static void behind_the_end(void)
{
	for (uint32_t missing = 1; missing <= 4; missing++) {
		REQUIRE(begin("u32", 0, 1023, missing));
		check_fault(missing);
	}
	REQUIRE(begin("u32", 0, 0x7fffffff, 0));
	check_fault(0);
}

static void few_turns_behind_the_end(void)
{
	for (uint32_t last = 1; last <= 3; last++)
		for (uint32_t missing = 1; missing <= last; missing++) {
			REQUIRE(begin_few("u32", 0, 1023, last, missing));
			check_fault(missing);
		}
	REQUIRE(begin_few("u32", 0, 0x7fffffff, 3, 0));
	check_fault(0);
}

int main(void)
{
	static const struct test_case cases[] = {
		TEST(up_to_the_end), TEST(before_the_parameter), TEST(behind_the_end), TEST(few_turns),
		TEST(rows_of_one_length), TEST(few_turns_behind_the_end)
	};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", "always", 1) || setenv("CULVERT_CACHE", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	soft_exec_shutdown();
	return failed;
}
