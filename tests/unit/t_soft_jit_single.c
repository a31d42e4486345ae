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

/* Loads the kernel, and makes rows of 0, 4 or 8 elements from `first` on, which end with `values`, but for so many
 * elements that are missing there. */
static bool begin(const char *type, int first, uint32_t mask, uint32_t missing)
{
	char text[sizeof(row_ptx) + 100];
	snprintf(text, sizeof(text), row_ptx, type, mask);
	if (module_load(&module, text) != CUDA_SUCCESS)
		return false;
	int end = first;
	uint32_t *on_device = device_take(sizeof(starts));
	for (uint32_t i = 0; i <= ITEMS; i++) {
		on_device[i] = starts[i] = (uint32_t)end;
		end += i + 1 < ITEMS ? 4 * (int)test_random(3) : 8;
	}
	end = (int)starts[ITEMS];
	parameters.starts = on_device;
	parameters.values = numbers((uint32_t)end + BEFORE - missing) + BEFORE;
	parameters.more = numbers(MORE) + BEFORE;
	parameters.out = device_take(sizeof(expected));
	return true;
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

/* --- faults ---------- */

/* Both ways say the same of an access outside, and have stored the same before. */
static void check_fault(uint32_t missing, uint32_t mask)
{
	struct bytes said = BYTES_INIT;
	REQUIRE(begin("u32", 0, mask, missing));
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
	for (uint32_t missing = 1; missing <= 4; missing++)
		check_fault(missing, 1023);
	check_fault(0, 0x7fffffff);
}

int main(void)
{
	static const struct test_case cases[] = {
		TEST(up_to_the_end), TEST(before_the_parameter), TEST(behind_the_end)
	};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", "always", 1) || setenv("CULVERT_CACHE", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	soft_exec_shutdown();
	return failed;
}
