/* Protects: machine code in which only some work-items of a vector access memory, at addresses that are consecutive or
 * not, moves the elements of these and touches nothing else.  So on each level of x86-64: AVX2 has no instruction
 * that stores to several addresses, and lower levels have none for a part of a vector. */
#include "config.h"

#include "softcuda/exec/compiled.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_levels.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdint.h>

enum { GROUP = 64, GROUPS = 24, ITEMS = GROUP * GROUPS, ELEMENT_MAX_B = 16 };

/* The sign bit of a place says that its work-item does not access it. */
#define NOT 0x80000000u

/* A work-item copies an element, the place of which it reads from memory, so that the compiler does not know it. */
static const char copy_ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".entry k(.param .u64 given_in, .param .u64 given_out, .param .u64 given_places) {\n"
	".reg .pred p; .reg .b16 h<4>; .reg .b32 n, i, w<4>; .reg .b64 in, out, places, a, l<4>;\n"
	"ld.param.u64 in, [given_in]; ld.param.u64 out, [given_out]; ld.param.u64 places, [given_places];\n"
	"mov.u32 n, %%ctaid.x; mov.u32 i, %%tid.x; mad.lo.u32 n, n, 64, i;\n"
	"mul.wide.u32 a, n, 4; add.u64 a, places, a; ld.global.u32 i, [a]; setp.lt.s32 p, i, 0;\n"
	"and.b32 i, i, 0x7fffffff; mul.wide.u32 a, i, %1$u; add.u64 in, in, a; add.u64 out, out, a;\n"
	"@p bra E; ld.global.%2$s %3$s, [in]; st.global.%2$s [out], %3$s; E: ret; }\n";

static const struct element {
	const char *type, *registers;
	unsigned size_B;
} elements[] = {
	{"u8", "h0", 1}, {"s8", "h0", 1}, {"b16", "h0", 2}, {"b32", "w0", 4}, {"b64", "l0", 8},
	{"v2.u8", "{h0, h1}", 2}, {"v4.s8", "{h0, h1, h2, h3}", 4}, {"v2.b16", "{h0, h1}", 4},
	{"v4.b16", "{h0, h1, h2, h3}", 8}, {"v2.b32", "{w0, w1}", 8}, {"v4.b32", "{w0, w1, w2, w3}", 16},
	{"v2.b64", "{l0, l1}", 16}
};

/* What the 32 work-items of a warp do: whether only some of them access, whether at consecutive places, and whether the
 * others' places are far outside of memory. */
enum { SOME = 1, PERMUTED = 2, OUTSIDE = 4, WAYS = 8 };

static uint32_t place_of(uint32_t item)
{
	const uint32_t way = item / 32 % WAYS;
	uint32_t place = way & PERMUTED ? item ^ 5 : item;
	if (way & SOME && test_random(2))
		place = (way & OUTSIDE ? 0x7fffff00 - item : place) | NOT;
	return place;
}

static void copy(const struct element *element)
{
	struct module module;
	char text[sizeof(copy_ptx) + 100], expected[ITEMS * ELEMENT_MAX_B];
	const size_t size_B = (size_t)ITEMS * element->size_B;
	snprintf(text, sizeof(text), copy_ptx, element->size_B, element->type, element->registers);
	REQUIRE(module_load(&module, text) == CUDA_SUCCESS);
	char *in = device_take(size_B), *out = device_take(size_B);
	uint32_t *places = device_take(ITEMS * sizeof(*places));
	const struct { const void *in, *out, *places; } parameters = {in, out, places};
	for (size_t i = 0; i < size_B; i++)
		in[i] = (char)test_random(256);
	/* In the first launch, the code learns what memory there is. */
	for (unsigned launch = 0; launch < 3; launch++) {
		memset(out, 0xee, size_B);
		memset(expected, 0xee, size_B);
		for (uint32_t i = 0; i < ITEMS; i++) {
			places[i] = place_of(i);
			if (!(places[i] & NOT))
				memcpy(expected + (size_t)places[i] * element->size_B,
				       in + (size_t)places[i] * element->size_B, element->size_B);
		}
		CHECK_EQ(run(&module, "k", GROUPS, GROUP, 0, &parameters), CUDA_SUCCESS);
		CHECK(!memcmp(out, expected, size_B));
	}
	CHECK(atomic_load(&tier_counts.compiled) > 0 && !atomic_load(&tier_counts.refused));
	module_finish(&module);
}

static void all_elements(void)
{
	for (unsigned i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		copy(&elements[i]);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {TEST(all_elements)};
	(void)argv;
	return soft_run_on_levels(argc, cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
