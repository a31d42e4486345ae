/* Protects: several threads divide a launch of machine code among them, from both ends of the grid, so that each
 * work-group runs once; whatever the grid's shape, for launches that others help with at once, later or not at all, and
 * also if a work-group may wait for another one. */
#include "config.h"

#include "softcuda/exec/tier.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

enum { ITEMS = 32, GROUPS_MAX = 40 * 50 * 4 };

/* Each work-item adds 1 to its element, after `turns` turns of a loop. */
static const char count_ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".entry k(.param .u64 given, .param .u32 turns) {\n"
	".reg .pred p; .reg .b32 n, i, x, y, z; .reg .b64 a, b;\n"
	"mov.u32 x, %ctaid.x; mov.u32 y, %ctaid.y; mov.u32 z, %ctaid.z;\n"
	"mov.u32 n, %nctaid.y; mad.lo.u32 n, z, n, y; mov.u32 i, %nctaid.x; mad.lo.u32 n, n, i, x;\n"
	"shl.b32 n, n, 5; mov.u32 i, %tid.x; add.u32 n, n, i; mul.wide.u32 b, n, 4;\n"
	"ld.param.u64 a, [given]; add.u64 a, a, b; ld.param.u32 i, [turns];\n"
	"L: setp.eq.u32 p, i, 0; @p bra E; sub.u32 i, i, 1; mul.lo.u32 x, x, n; add.u32 y, y, x; bra L;\n"
	"E: setp.eq.u32 p, y, -7; @p st.global.u32 [a], y;\n"
	"ld.global.u32 n, [a]; add.u32 n, n, 1; st.global.u32 [a], n; ret; }\n"
	/* The same with an atomic. */
	".entry w(.param .u64 given, .param .u32 turns) {\n"
	".reg .b32 n, i, x, y, z; .reg .b64 a, b;\n"
	"mov.u32 x, %ctaid.x; mov.u32 y, %ctaid.y; mov.u32 z, %ctaid.z;\n"
	"mov.u32 n, %nctaid.y; mad.lo.u32 n, z, n, y; mov.u32 i, %nctaid.x; mad.lo.u32 n, n, i, x;\n"
	"shl.b32 n, n, 5; mov.u32 i, %tid.x; add.u32 n, n, i; mul.wide.u32 b, n, 4;\n"
	"ld.param.u64 a, [given]; add.u64 a, a, b; red.global.add.u32 [a], 1; ret; }\n";

static struct module module;
static uint32_t *counts;

static void launch(const char *kernel, const uint32_t grid[3], uint32_t turns)
{
	const struct { const void *counts; uint32_t turns; } parameters = {counts, turns};
	const struct soft_launch launch = {
		.function = soft_program_function(module.program, kernel),
		.grid = {grid[0], grid[1], grid[2]}, .block = {ITEMS, 1, 1}, .parameters = &parameters,
		.memory = &device_memory, .variable_addresses = module.addresses, .sm = 90, .multiprocessor_count = 4
	};
	const uint32_t items = grid[0] * grid[1] * grid[2] * ITEMS;
	memset(counts, 0, GROUPS_MAX * ITEMS * sizeof(*counts));
	REQUIRE(launch.function);
	CHECK_EQ(soft_launch_run(&launch, &module.log), CUDA_SUCCESS);
	for (uint32_t i = 0; i < GROUPS_MAX * ITEMS; i++)
		if (counts[i] != (i < items)) {
			printf("%s, %u * %u * %u: work-item %u ran %u times\n", kernel, grid[0], grid[1], grid[2], i,
			       counts[i]);
			test_failures++;
			break;
		}
}

static void every_group_runs_once(void)
{
	static const uint32_t grids[][3] = {
		{1, 1, 1}, {2, 1, 1}, {7, 1, 1}, {8000, 1, 1}, {1, 2000, 1}, {3, 5, 500}, {37, 49, 4}, {40, 50, 4},
		{600, 13, 1}
	};
	/* Launches of a few microseconds and of milliseconds; some of the latter are those of which the length is
	 * learned. */
	static const uint32_t turns[] = {0, 300, 300, 300, 3000, 0, 300};
	REQUIRE(module_load(&module, count_ptx) == CUDA_SUCCESS);
	counts = device_take(GROUPS_MAX * ITEMS * sizeof(*counts));
	for (unsigned g = 0; g < sizeof(grids) / sizeof(grids[0]); g++)
		for (unsigned t = 0; t < sizeof(turns) / sizeof(turns[0]); t++) {
			launch("k", grids[g], turns[t]);
			launch("w", grids[g], turns[t]);
		}
	CHECK_EQ(atomic_load(&tier_counts.compiled), 2);
	module_finish(&module);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(every_group_runs_once)};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", "always", 1) || setenv("CULVERT_CACHE", "off", 1) ||
	    setenv("CULVERT_SOFT_THREADS", "4", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	const int failed = test_run_all(cases, 1);
	soft_exec_shutdown();
	return failed;
}
