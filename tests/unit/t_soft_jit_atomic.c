/* Protects: atomics on integers, and sums of floats, give the same bits as machine code and interpreted: in memory, and
 * what was there before, for lanes that have one address, consecutive ones, or others that are equal in some lanes; in
 * global and in shared memory, and where only some lanes run them.  So on the levels of x86-64 (soft_levels.h). */
#include "config.h"

#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdint.h>

/* Each atomic has a region of memory of its own, since the order in which work-items come to different ones is not the
 * same. */
enum { ITEMS = 96, REGION_B = ITEMS * 8, REGIONS_MAX = 72, IN_B = 32, ROW_B = ITEMS * 8 };

enum place { SAME, NEXT, ANY, PLACES };

static struct bytes ptx;
static unsigned regions;

static const struct { const char *name, *types[2]; } atomics[] = {
	{"add", {"u32", "u64"}}, {"and", {"b32", "b64"}}, {"or", {"b32", "b64"}}, {"xor", {"b32", "b64"}},
	{"min", {"u32", "u64"}}, {"min", {"s32", "s64"}}, {"max", {"u32", "u64"}}, {"max", {"s32", "s64"}},
	{"exch", {"b32", "b64"}}, {"add", {"f32", "f64"}}, {"cas", {"b32", "b64"}}
};
enum { ATOMICS = sizeof(atomics) / sizeof(atomics[0]) };

static void write_atomic(unsigned which, bool wide, bool shared, enum place place, bool used)
{
	static const char *const addresses[PLACES] = {"same", "next", "any"};
	const char *const space = shared ? "shared" : "global", *const type = atomics[which].types[wide];
	/* The operand is uniform, linear or varies; a comparison with a small number succeeds at times. */
	static const char *const operands[] = {"v", "i", "u"};
	const char letter = wide ? 'l' : 'w';
	const char *const guard = regions % 3 == 2 ? "@p " : regions % 7 == 3 ? "@!p " : "";
	bytes_printf(&ptx, "mov.b%u %cr, 7; ", wide ? 64 : 32, letter);
	if (which == ATOMICS - 1)
		bytes_printf(&ptx, "%satom.%s.cas.%s %cr, [%s+%u], %cc, %cv;\n", guard, space, type, letter,
			     addresses[place], regions * REGION_B, letter, letter);
	else if (!used && atomics[which].name[0] != 'e' && regions % 2)
		bytes_printf(&ptx, "%sred.%s.%s.%s [%s+%u], %c%s;\n", guard, space, atomics[which].name, type,
			     addresses[place], regions * REGION_B, letter, operands[regions % 3]);
	else
		bytes_printf(&ptx, "%satom.%s.%s.%s %cr, [%s+%u], %c%s;\n", guard, space, atomics[which].name, type,
			     letter, addresses[place], regions * REGION_B, letter, operands[regions % 3]);
	if (used)
		bytes_printf(&ptx, "st.global.b%u [out+%u], %cr;\n", wide ? 64 : 32, regions * ROW_B, letter);
	regions++;
}

static void write_kernel(bool wide, bool shared)
{
	bytes_finish(&ptx);
	regions = 0;
	bytes_printf(&ptx,
		".version 8.3\n.target sm_90\n.address_size 64\n"
		".entry k(.param .u64 given_in, .param .u64 given_out, .param .u64 given_regions,\n"
		".param .u32 given) { .shared .align 16 .b8 room[%u]; .reg .pred p;\n"
		".reg .b32 n, wv, wi, wu, wc, wr; .reg .b64 in, out, a, b, "
		"same, next, any, to, from, lv, li, lu, lc, lr;\n"
		"mov.u32 wi, %%tid.x; cvt.u64.u32 li, wi; ld.param.u32 wu, [given]; cvt.u64.u32 lu, wu;\n"
		"ld.param.u64 in, [given_in]; mul.wide.u32 a, wi, %u; add.u64 in, in, a;\n"
		"ld.param.u64 out, [given_out]; mul.wide.u32 a, wi, %u; add.u64 out, out, a;\n"
		"ld.global.b64 lv, [in]; cvt.u32.u64 wv, lv; ld.global.b32 n, [in+8]; setp.ne.u32 p, n, 0;\n"
		"ld.global.b32 n, [in+12]; ld.global.b64 lc, [in+16]; cvt.u32.u64 wc, lc;\n"
		"ld.param.u64 same, [given_regions]; mul.wide.u32 a, wi, 8; add.u64 from, same, a; mov.u64 to, from;\n",
		shared ? REGIONS_MAX * REGION_B : 16, IN_B, wide ? 8 : 4);
	if (shared) {
		bytes_append_string(&ptx, "mov.u64 same, room; add.u64 to, same, a;\n");
		for (unsigned i = 0; i < REGIONS_MAX; i++)
			bytes_printf(&ptx, "ld.global.b64 b, [from+%u]; st.shared.b64 [to+%u], b;\n", i * REGION_B,
				     i * REGION_B);
		bytes_append_string(&ptx, "bar.sync 0;\n");
	}
	bytes_printf(&ptx,
		     "mul.wide.u32 a, wi, %u; add.u64 next, same, a; mul.wide.u32 a, n, %u; add.u64 any, same, a;\n",
		     wide ? 8 : 4, wide ? 8 : 4);
	for (unsigned which = 0; which < ATOMICS; which++)
		for (unsigned place = 0; place < PLACES; place++)
			for (unsigned used = 0; used < 2; used++)
				write_atomic(which, wide, shared, (enum place)place, used);
	if (shared) {
		bytes_append_string(&ptx, "bar.sync 0;\n");
		for (unsigned i = 0; i < REGIONS_MAX; i++)
			bytes_printf(&ptx, "ld.shared.b64 b, [to+%u]; st.global.b64 [from+%u], b;\n", i * REGION_B,
				     i * REGION_B);
	}
	bytes_append_string(&ptx, "ret; }\n");
}

struct item {
	uint64_t operand;
	uint32_t runs, place;
	uint64_t compared, unused;
};

/* What the parameters point to. */
static struct {
	struct item *in;
	char *out;
	uint64_t *regions;
	uint32_t given;
} parameters;

static uint64_t number(void)
{
	return test_random(2) ? test_random(4) : test_random(UINT32_MAX) << 32 ^ test_random(UINT32_MAX);
}

static void fill(uint64_t *start)
{
	const unsigned alike = (unsigned)test_random(3);
	for (unsigned i = 0; i < ITEMS; i++)
		parameters.in[i] = (struct item){
			.operand = number(), .runs = alike ? test_random(alike + 1) != 0 : 1,
			.place = (uint32_t)test_random(alike ? 8 : ITEMS), .compared = test_random(4)
		};
	for (unsigned i = 0; i < REGIONS_MAX * ITEMS; i++)
		start[i] = number();
	parameters.given = (uint32_t)number();
}

/* Runs the kernel, and stores what is in memory then. */
static void run_once(struct module *module, bool interpreted, uint32_t items, const uint64_t *start, char *memory_out)
{
	const size_t regions_B = REGIONS_MAX * REGION_B, out_B = REGIONS_MAX * ROW_B;
	memcpy(parameters.regions, start, regions_B);
	memset(parameters.out, 0xee, out_B);
	/* Cooperative launches are interpreted. */
	cooperative = interpreted;
	CHECK_EQ(run(module, "k", 1, items, 0, &parameters), CUDA_SUCCESS);
	memcpy(memory_out, parameters.regions, regions_B);
	memcpy(memory_out + regions_B, parameters.out, out_B);
}

static void compare(bool wide, bool shared)
{
	enum { MEMORY_B = REGIONS_MAX * (REGION_B + ROW_B) };
	struct module module;
	/* After a barrier, warps do not continue in the same order. */
	const uint32_t items = shared ? LANES : ITEMS;
	char *memory = malloc(2 * MEMORY_B);
	uint64_t *start = malloc(REGIONS_MAX * REGION_B);
	write_kernel(wide, shared);
	if (module_load(&module, bytes_string(&ptx)) != CUDA_SUCCESS) {
		printf("%s\n", bytes_string(&module.log));
		exit(1);
	}
	parameters.in = device_take(ITEMS * sizeof(*parameters.in));
	parameters.out = device_take(REGIONS_MAX * ROW_B);
	parameters.regions = device_take(REGIONS_MAX * REGION_B);
	for (unsigned round = 0; memory && start && round < 12; round++) {
		fill(start);
		run_once(&module, true, items, start, memory);
		run_once(&module, false, items, start, memory + MEMORY_B);
		for (size_t i = 0; i < MEMORY_B; i++)
			if (memory[i] != memory[MEMORY_B + i]) {
				printf("%s, %u bits, round %u: byte %zu of region %zu (%zu) differs\n",
				       shared ? "shared" : "global", wide ? 64 : 32, round, i % REGION_B,
				       i / REGION_B % REGIONS_MAX, i / REGION_B);
				test_failures++;
				break;
			}
	}
	CHECK(!atomic_load(&tier_counts.refused));
	free(memory);
	free(start);
	module_finish(&module);
}

static void all_atomics(void)
{
	for (unsigned kind = 0; kind < 4; kind++)
		compare(kind & 1, kind & 2);
	CHECK_EQ(atomic_load(&tier_counts.compiled), 4);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {TEST(all_atomics)};
	(void)argv;
	const int failed = soft_run_on_levels(argc, cases, (int)(sizeof(cases) / sizeof(cases[0])));
	bytes_finish(&ptx);
	return failed;
}
