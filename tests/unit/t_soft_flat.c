/* Protects: calls that become part of a kernel (softcuda/ptx/flat.c).  Each kernel gives the values that it gives with
 * calls, which PTX defines and the test computes, and becomes machine code.  Calls that cannot become part of one
 * stay calls: recursion, calls through pointers, functions in which lanes meet, whose parameter has its address taken
 * or that have a table of branches.  In a program that is checked, only calls of functions that the compiler has added
 * become part of a kernel, and their variables are the kernel's. */
#include "config.h"

#include "softcuda/exec/program.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { ITEMS = 70 };

#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"
/* i: the work-item; in: its word of what is given; the kernel's result is x. */
#define ENTRY(name) ".entry " name "(.param .u64 given) {\n" BODY
#define BODY \
	".reg .pred p; .reg .b32 i, x, y, z; .reg .b64 g, o, l; mov.u32 i, %tid.x; ld.param.u64 g, [given];\n" \
	"mul.wide.u32 o, i, 4; add.u64 g, g, o;\n"
#define LEAVE "st.global.u32 [g], x; ret; }\n"
/* result = function(argument), of words. */
#define CALL(guard, function, argument, result) \
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], " argument "; " guard " call (v), " function ", (a);\n" \
	"ld.param.b32 " result ", [v]; }\n"
#define FUNCTION(name, body) \
	".func (.param .b32 r) " name "(.param .b32 a) { .reg .pred p; .reg .b32 x, y, z; .reg .b64 l, m;\n" \
	"ld.param.b32 x, [a];\n" body " st.param.b32 [r], x; ret; }\n"

static const char right_ptx[] = HEADER
	FUNCTION("twice", "add.u32 x, x, x;")
	/* Two returns, and a loop with another number of turns in each lane. */
	FUNCTION("collatz",
		 "mov.u32 y, 0; L: setp.le.u32 p, x, 1; @p bra END; add.u32 y, y, 1; and.b32 z, x, 1;\n"
		 "shr.u32 x, x, 1; setp.eq.u32 p, z, 0; @p bra L; mad.lo.u32 x, x, 6, 4; bra L;\n"
		 "END: setp.gt.u32 p, y, 20; @!p bra FEW; st.param.b32 [r], 20; ret; FEW: mov.u32 x, y;")
	/* Calls of its own: one function at two places, another in between. */
	FUNCTION("nested", CALL("", "twice", "x", "y") CALL("", "collatz", "y", "z") CALL("", "twice", "z", "z")
		 "add.u32 x, y, z;")
	/* Local memory of its own, at an address that varies. */
	FUNCTION("stack",
		 ".local .align 16 .b8 room[32]; and.b32 y, x, 7; mov.u32 z, 0;\n"
		 "L: mul.wide.u32 l, z, 4; mov.u64 m, room; add.u64 l, l, m; st.local.u32 [l], z; add.u32 z, z, 1;\n"
		 "setp.lt.u32 p, z, 8; @p bra L; mul.wide.u32 l, y, 4; mov.u64 m, room; add.u64 l, l, m;\n"
		 "ld.local.u32 y, [l]; mad.lo.u32 x, y, 1000, x;")
	/* A result of two parts, read back, of a parameter of two parts. */
	".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16]) { .reg .b64 l, m;\n"
	"ld.param.v2.b64 {l, m}, [a]; st.param.b64 [r+8], l; st.param.b64 [r], m; ld.param.b64 m, [r+8];\n"
	"add.u64 m, m, 1; st.param.b64 [r+8], m; ret; }\n"
	".func (.reg .b32 r) by_register(.reg .b32 a, .reg .b32 b) { sub.u32 r, a, b; ret; }\n"
	".func (.param .b32 r) named_anew(.param .b32 a);\n.alias named_anew, twice;\n"
	".func leave(.param .b32 a) { .reg .pred p; .reg .b32 x; ld.param.b32 x, [a]; setp.eq.u32 p, x, 3;\n"
	"@p exit; ret; }\n"
	ENTRY("once") CALL("", "twice", "i", "x") LEAVE
	ENTRY("deep") CALL("", "nested", "i", "x") CALL("", "nested", "x", "y") "add.u32 x, x, y;\n" LEAVE
	ENTRY("in_branches")
	"and.b32 y, i, 1; setp.eq.u32 p, y, 0; @p bra EVEN;\n" CALL("", "collatz", "i", "x") "bra END;\n"
	"EVEN: mul.lo.u32 x, i, 3;\n" CALL("", "collatz", "x", "x") "END: add.u32 x, x, 7;\n" LEAVE
	ENTRY("guarded") "setp.gt.u32 p, i, 9; mov.u32 x, i;\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], i; st.param.b32 [v], 77; @p call (v), twice, (a);\n"
	"ld.param.b32 x, [v]; }\n" LEAVE
	ENTRY("unguarded") "setp.gt.u32 p, i, 9;\n"
	"{ .param .b32 a; .param .b32 v; st.param.b32 [a], i; st.param.b32 [v], 77; @!p call (v), twice, (a);\n"
	"ld.param.b32 x, [v]; }\n" LEAVE
	ENTRY("in_a_loop") "mov.u32 x, 0; mov.u32 y, 0; L: add.u32 z, i, y;\n" CALL("", "stack", "z", "z")
	"add.u32 x, x, z; add.u32 y, y, 1; setp.lt.u32 p, y, 5; @p bra L;\n" LEAVE
	ENTRY("parts") ".reg .b64 m; cvt.u64.u32 l, i; add.u64 m, l, 1000;\n"
	"{ .param .align 8 .b8 a[16]; .param .align 8 .b8 v[16]; st.param.b64 [a], l; st.param.b64 [a+8], m;\n"
	"call (v), swap, (a); ld.param.b64 l, [v]; ld.param.b64 m, [v+8]; }\n"
	"cvt.u32.u64 x, l; cvt.u32.u64 y, m; mad.lo.u32 x, x, 10000, y;\n" LEAVE
	ENTRY("registers") "call (x), by_register, (i, 5);\n" LEAVE
	ENTRY("alias") CALL("", "named_anew", "i", "x") LEAVE
	ENTRY("ends") "{ .param .b32 a; st.param.b32 [a], i; call leave, (a); } mov.u32 x, 1;\n" LEAVE;

static uint32_t collatz(uint32_t x)
{
	uint32_t y = 0;
	for (; x > 1; y++)
		x = x & 1 ? x / 2 * 6 + 4 : x / 2;
	return y > 20 ? 20 : y;
}

static uint32_t nested(uint32_t x)
{
	return 2 * x + 2 * collatz(2 * x);
}

static uint32_t in_a_loop(uint32_t i)
{
	uint32_t sum = 0;
	for (uint32_t y = 0; y < 5; y++)
		sum += ((i + y) & 7) * 1000 + i + y;
	return sum;
}

static uint32_t expected(const char *name, uint32_t i)
{
	if (!strcmp(name, "once") || !strcmp(name, "alias"))
		return 2 * i;
	if (!strcmp(name, "deep"))
		return nested(i) + nested(nested(i));
	if (!strcmp(name, "in_branches"))
		return collatz(i & 1 ? i : 3 * i) + 7;
	if (!strcmp(name, "guarded"))
		return i > 9 ? 2 * i : 77;
	if (!strcmp(name, "unguarded"))
		return i > 9 ? 77 : 2 * i;
	if (!strcmp(name, "in_a_loop"))
		return in_a_loop(i);
	if (!strcmp(name, "parts"))
		return (i + 1000) * 10000 + i + 1;
	if (!strcmp(name, "registers"))
		return i - 5;
	return i == 3 ? 0 : 1;
}

/* Whether a kernel has calls. */
static bool calls(const struct module *module, const char *name)
{
	op_run *direct = exec_table_find("_call")->run, *indirect = exec_table_find("_call.indirect")->run;
	const struct soft_program *program = module->program;
	bool found = false;
	for (uint32_t c = 0; c < program->code_count; c++)
		for (uint32_t i = 0; !strcmp(program->codes[c].name, name) && i < program->codes[c].op_count; i++)
			found |= program->codes[c].ops[i].run == direct || program->codes[c].ops[i].run == indirect;
	return found;
}

/* With calls, the kernels are interpreted, and without, they become machine code. */
static void values(void)
{
	static const char *const names[] = {
		"once", "deep", "in_branches", "guarded", "unguarded", "in_a_loop", "parts", "registers", "alias",
		"ends"
	};
	for (unsigned flat = 0; flat < 2; flat++) {
		struct module module;
		module_flat = flat ? PTX_FLAT_ALL : PTX_FLAT_NONE;
		const CUresult loaded = module_load(&module, right_ptx);
		if (loaded != CUDA_SUCCESS)
			printf("%s\n", bytes_string(&module.log));
		REQUIRE(loaded == CUDA_SUCCESS);
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
			uint32_t *out = device_take(ITEMS * sizeof(*out));
			if (calls(&module, names[n]) == flat)
				printf("%s, flat %u: calls\n", names[n], flat);
			CHECK_EQ(calls(&module, names[n]), !flat);
			CHECK_EQ(run(&module, names[n], 1, ITEMS, 0, &out), CUDA_SUCCESS);
			for (uint32_t i = 0; i < ITEMS; i++) {
				if (out[i] != expected(names[n], i))
					printf("%s, flat %u, work-item %u\n", names[n], flat, i);
				CHECK_EQ(out[i], expected(names[n], i));
			}
		}
		CHECK_EQ(atomic_load(&tier_counts.compiled), flat ? sizeof(names) / sizeof(*names) : 0);
		CHECK_EQ(atomic_load(&tier_counts.refused), sizeof(names) / sizeof(*names));
		module_finish(&module);
	}
}

/* Kernels whose calls cannot become part of them, and the value of work-item i: 2 * i for each. */
static const struct { const char *name, *ptx; } stay[] = {
	{"recursion", FUNCTION("down", "setp.eq.u32 p, x, 0; @p bra END; sub.u32 y, x, 1;\n"
			       CALL("", "down", "y", "y") "add.u32 x, y, 2; END:")
	 ENTRY("recursion") CALL("", "down", "i", "x") LEAVE},
	{"mutual", ".func (.param .b32 r) second(.param .b32 a);\n"
	 FUNCTION("first", "setp.eq.u32 p, x, 0; @p bra END; sub.u32 y, x, 1;\n"
		  CALL("", "second", "y", "y") "add.u32 x, y, 2; END:")
	 FUNCTION("second", "setp.eq.u32 p, x, 0; @p bra END; sub.u32 y, x, 1;\n"
		  CALL("", "first", "y", "y") "add.u32 x, y, 2; END:")
	 ENTRY("mutual") CALL("", "first", "i", "x") LEAVE},
	{"address", FUNCTION("doubled", "mov.b64 l, a; cvta.local.u64 l, l; ld.u32 x, [l]; add.u32 x, x, x;")
	 ENTRY("address") CALL("", "doubled", "i", "x") LEAVE},
	{"parameter_written", FUNCTION("doubled", "add.u32 x, x, x; st.param.b32 [a], x; ld.param.b32 x, [a];")
	 ENTRY("parameter_written") CALL("", "doubled", "i", "x") LEAVE},
	{"unset", FUNCTION("doubled", "and.b32 y, x, 1; setp.eq.u32 p, y, 2; @p mov.u32 z, 1; add.u32 x, x, x;\n"
			   "add.u32 x, x, z;")
	 ENTRY("unset") CALL("", "doubled", "i", "x") LEAVE},
	{"barrier", FUNCTION("doubled", "bar.warp.sync -1; add.u32 x, x, x;")
	 ENTRY("barrier") CALL("", "doubled", "i", "x") LEAVE},
	{"through_a_pointer", FUNCTION("doubled", "add.u32 x, x, x;")
	 ENTRY("through_a_pointer") "mov.u64 l, doubled;\n"
	 "{ .param .b32 a; .param .b32 v; st.param.b32 [a], i; s: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
	 "call (v), l, (a), s; ld.param.b32 x, [v]; }\n" LEAVE},
	{"table", FUNCTION("doubled", "and.b32 y, x, 1; t: .branchtargets A, B; brx.idx y, t; A: B: add.u32 x, x, x;")
	 ENTRY("table") CALL("", "doubled", "i", "x") LEAVE},
	{"itself", FUNCTION("doubled", "add.u32 x, x, x;")
	 ENTRY("itself") "{ .param .b32 a; st.param.b32 [a], i; call (a), doubled, (a); ld.param.b32 x, [a]; }\n" LEAVE}
};

static void calls_that_stay(void)
{
	for (size_t n = 0; n < sizeof(stay) / sizeof(*stay); n++) {
		struct module module;
		struct bytes ptx = BYTES_INIT;
		bytes_printf(&ptx, HEADER "%s", stay[n].ptx);
		module_flat = PTX_FLAT_ALL;
		const CUresult loaded = module_load(&module, bytes_string(&ptx));
		if (loaded != CUDA_SUCCESS)
			printf("%s: %s\n", stay[n].name, bytes_string(&module.log));
		REQUIRE(loaded == CUDA_SUCCESS);
		uint32_t *out = device_take(ITEMS * sizeof(*out));
		if (!calls(&module, stay[n].name))
			printf("%s has no calls\n", stay[n].name);
		CHECK(calls(&module, stay[n].name));
		CHECK_EQ(run(&module, stay[n].name, 1, 64, 0, &out), CUDA_SUCCESS);
		for (uint32_t i = 0; i < 64; i++)
			CHECK_EQ(out[i], 2 * i);
		module_finish(&module);
		bytes_finish(&ptx);
	}
}

static const struct code *code_of(const struct module *module, const char *name)
{
	for (uint32_t i = 0; i < module->program->code_count; i++)
		if (!strcmp(module->program->codes[i].name, name))
			return &module->program->codes[i];
	return NULL;
}

/* Whether a kernel has a variable of this size in its private memory. */
static bool has_room(const struct code *kernel, uint32_t size_B)
{
	for (uint32_t i = 0; i < kernel->local_count; i++)
		if (kernel->locals[i].size_B == size_B &&
		    kernel->locals[i].offset_B + size_B <= kernel->local_B)
			return true;
	return false;
}

static void checked(void)
{
	static const char ptx[] = HEADER ".file 1 \"a.cl\"\n"
		FUNCTION("__internal_twice", ".local .b8 room[44]; mov.u64 m, room; st.local.u32 [m], x;\n"
			 "ld.local.u32 y, [m]; add.u32 x, x, y;")
		FUNCTION("__internal_named", ".loc 1 3 0\nadd.u32 x, x, x;")
		FUNCTION("named", ".loc 1 3 0\nadd.u32 x, x, x;")
		ENTRY("part") CALL("", "__internal_twice", "i", "x") LEAVE
		ENTRY("line") CALL("", "__internal_named", "i", "x") LEAVE
		ENTRY("name") CALL("", "named", "i", "x") LEAVE
		ENTRY("both") CALL("", "__internal_twice", "i", "x") CALL("", "named", "i", "x") LEAVE;
	static const char *const names[] = {"part", "line", "name", "both"};
	struct module module;
	module_flat = PTX_FLAT_INTERNAL;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(ITEMS * sizeof(*out));
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		CHECK_EQ(calls(&module, names[n]), n > 0);
		CHECK_EQ(has_room(code_of(&module, names[n]), 44), !n);
		CHECK_EQ(run(&module, names[n], 1, 40, 0, &out), CUDA_SUCCESS);
		for (uint32_t i = 0; i < 40; i++)
			CHECK_EQ(out[i], 2 * i);
	}
	module_finish(&module);
}

/* A kernel stays as it is if it would become too long: each function calls the one before twice. */
static void too_long(void)
{
	struct bytes ptx = BYTES_INIT;
	struct module module;
	bytes_append_string(&ptx, HEADER FUNCTION("f0", "add.u32 x, x, 1;"));
	for (unsigned i = 1; i <= 14; i++)
		bytes_printf(&ptx, ".func (.param .b32 r) f%u(.param .b32 a) { .reg .b32 x; .param .b32 b, v;\n"
			     "ld.param.b32 x, [a]; st.param.b32 [b], x; call (v), f%u, (b); ld.param.b32 x, [v];\n"
			     "st.param.b32 [b], x; call (v), f%u, (b); ld.param.b32 x, [v];\n"
			     "st.param.b32 [r], x; ret; }\n", i, i - 1, i - 1);
	bytes_append_string(&ptx, ENTRY("long") CALL("", "f14", "i", "x") LEAVE);
	bytes_append_string(&ptx, ENTRY("short") CALL("", "f3", "i", "x") LEAVE);
	module_flat = PTX_FLAT_ALL;
	REQUIRE(module_load(&module, bytes_string(&ptx)) == CUDA_SUCCESS);
	uint32_t *out = device_take(ITEMS * sizeof(*out));
	CHECK(calls(&module, "long"));
	CHECK(!calls(&module, "short"));
	CHECK_EQ(run(&module, "long", 1, 40, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 40; i++)
		CHECK_EQ(out[i], i + (1u << 14));
	CHECK_EQ(run(&module, "short", 1, 40, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 40; i++)
		CHECK_EQ(out[i], i + 8);
	module_finish(&module);
	bytes_finish(&ptx);
}

/* A module with many long kernels gets a limited number of instructions, so that reading it takes little memory. */
static void too_many(void)
{
	enum { LONG = 4000, KERNELS = 60 };
	struct bytes ptx = BYTES_INIT;
	struct module module;
	char name[16];
	bytes_append_string(&ptx, HEADER ".func (.param .b32 r) f(.param .b32 a) {\n"
			    ".reg .b32 x; ld.param.b32 x, [a];\n");
	for (unsigned i = 0; i < LONG; i++)
		bytes_append_string(&ptx, "add.u32 x, x, 1;\n");
	bytes_append_string(&ptx, "st.param.b32 [r], x; ret; }\n");
	for (unsigned i = 0; i < KERNELS; i++) {
		bytes_printf(&ptx, ".entry k%u(.param .u64 given) {\n", i);
		bytes_append_string(&ptx, BODY CALL("", "f", "i", "x") LEAVE);
	}
	module_flat = PTX_FLAT_ALL;
	REQUIRE(module_load(&module, bytes_string(&ptx)) == CUDA_SUCCESS);
	snprintf(name, sizeof(name), "k%u", KERNELS - 1);
	CHECK(!calls(&module, "k0"));
	CHECK(calls(&module, name));
	uint32_t *out = device_take(ITEMS * sizeof(*out));
	CHECK_EQ(run(&module, name, 1, 40, 0, &out), CUDA_SUCCESS);
	for (uint32_t i = 0; i < 40; i++)
		CHECK_EQ(out[i], i + LONG);
	module_finish(&module);
	bytes_finish(&ptx);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(values), TEST(calls_that_stay), TEST(checked), TEST(too_long),
					   TEST(too_many)};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_JIT", "always", 1) || setenv("CULVERT_CACHE", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	const int failed = test_run_all(cases, sizeof(cases) / sizeof(*cases));
	soft_exec_shutdown();
	return failed;
}
