/* Protects: loops that only wait for what other work-items do (softcuda/ptx/polls.c).  They are found, no loop is that
 * does something else, and they leave the processor to other work-groups soon: a barrier of all work-groups, made of
 * atomics, takes few polls where one thread runs all of them. */
#include "config.h"

#include "softcuda/exec/program.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADER ".version 8.3\n.target sm_90\n.address_size 64\n"
/* g: an address of global memory; n and m: numbers. */
#define LOOP(name, body) \
	".entry " name "(.param .u64 given) { .reg .pred p, q; .reg .b32 x, y, n, m; .reg .b64 g, h;\n" \
	"ld.param.u64 g, [given]; mov.u32 n, 0; mov.u32 m, 5;\n" body " ret; }\n"

static const char loops_ptx[] = HEADER
	/* --- loops that only wait --- */
	LOOP("wait_volatile", "L: ld.volatile.global.u32 x, [g]; setp.eq.u32 p, x, n; @p bra L;")
	LOOP("wait_acquire", "L: ld.acquire.gpu.global.u32 x, [g]; setp.ne.u32 p, x, m; @p bra L;")
	LOOP("wait_add", "L: atom.global.add.u32 x, [g], 0; fence.acq_rel.gpu; setp.lt.u32 p, x, m; @p bra L;")
	LOOP("wait_lock", "L: atom.global.cas.b32 x, [g], 0, 1; setp.ne.u32 p, x, 0; @p bra L;")
	LOOP("wait_address", "L: add.u64 h, g, 8; ld.volatile.global.u32 x, [h]; setp.eq.u32 p, x, n; @p bra L;")
	LOOP("wait_either", "L: ld.volatile.global.u32 x, [g]; setp.eq.u32 p, x, n; @!p bra END;\n"
	     "ld.volatile.global.u32 y, [g+4]; setp.eq.u32 p, y, n; @p bra L; END:")
	LOOP("wait_busy", "L: red.global.add.u32 [g], 1; ld.volatile.global.u32 x, [g]; setp.lt.u32 p, x, m; @p bra L;")
	/* --- loops that do something else --- */
	LOOP("do_count", "L: ld.volatile.global.u32 x, [g]; add.u32 n, n, 1; setp.lt.u32 p, n, x; @p bra L;")
	LOOP("do_guarded", "L: ld.volatile.global.u32 x, [g]; setp.gt.u32 q, x, 9; @q mov.u32 y, x;\n"
	     "setp.eq.u32 p, x, y; @p bra L;")
	LOOP("do_compare", "L: add.u32 y, n, 1; atom.global.cas.b32 x, [g], n, y; setp.ne.u32 p, x, n;\n"
	     "mov.u32 n, x; @p bra L;")
	LOOP("do_store", "L: ld.volatile.global.u32 x, [g]; st.global.u32 [g+4], x; setp.eq.u32 p, x, n; @p bra L;")
	LOOP("do_walk", "L: ld.volatile.global.u32 x, [g]; add.u64 g, g, 4; setp.eq.u32 p, x, n; @p bra L;")
	LOOP("do_weak", "L: ld.global.u32 x, [g]; setp.eq.u32 p, x, n; @p bra L;")
	LOOP("do_meet", "L: ld.volatile.global.u32 x, [g]; bar.sync 0; setp.eq.u32 p, x, n; @p bra L;");

static void which_loops(void)
{
	struct module module;
	REQUIRE(module_load(&module, loops_ptx) == CUDA_SUCCESS);
	const struct soft_program *program = module.program;
	unsigned found = 0;
	for (uint32_t f = 0; f < program->function_count; f++) {
		const struct code *code = &program->codes[program->entry_code[f]];
		const char *name = program->functions[f].name;
		bool polls = false;
		for (uint32_t i = 0; i < code->op_count; i++)
			polls |= code->ops[i].run == exec_table_find("_bra")->run && code->ops[i].mode == BRANCH_POLLS;
		if (polls != !strncmp(name, "wait", 4))
			printf("%s\n", name);
		CHECK_EQ(polls, !strncmp(name, "wait", 4));
		found++;
	}
	CHECK_EQ(found, 14);
	module_finish(&module);
}

/* Each work-group comes to BARRIERS barriers of all work-groups: it adds 1 to a counter and waits until that has all.
 * That also counts the polls, in its upper half. */
static const char barrier_ptx[] = HEADER
	".entry meet(.param .u64 given) { .reg .pred p; .reg .b32 i, t, goal, count; .reg .b64 g, x, y, z;\n"
	"ld.param.u64 g, [given]; mov.u32 t, %tid.x; mov.u32 count, %nctaid.x; mov.u32 goal, 0; mov.u32 i, 0;\n"
	"AGAIN: add.u32 goal, goal, count; setp.ne.u32 p, t, 0; @p bra ALL;\n"
	"cvt.u64.u32 z, goal; atom.global.add.u64 x, [g], 1;\n"
	"WAIT: atom.global.add.u64 x, [g], 0x100000000; and.b64 y, x, 0xffffffff; setp.lt.u64 p, y, z; @p bra WAIT;\n"
	"ALL: bar.sync 0; add.u32 i, i, 1; setp.lt.u32 p, i, 50; @p bra AGAIN; ret; }\n";

static void few_polls(void)
{
	enum { GROUPS = 4, BARRIERS = 50 };
	struct module module;
	REQUIRE(module_load(&module, barrier_ptx) == CUDA_SUCCESS);
	uint64_t *counter = device_take(sizeof(*counter));
	CHECK_EQ(run(&module, "meet", GROUPS, 64, 0, &counter), CUDA_SUCCESS);
	CHECK_EQ(*counter & 0xffffffff, GROUPS * BARRIERS);
	/* How much machine code polls depends on the time. */
	if (!atomic_load(&tier_counts.compiled))
		CHECK(*counter >> 32 <= BARRIERS * GROUPS * 1000);
	module_finish(&module);
}

/* Options of softcuda are read once. */
static void in_machine_code(void)
{
	int status = -1;
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_JIT", "always", 1);
		few_polls();
		CHECK_EQ(atomic_load(&tier_counts.compiled), 1);
		soft_exec_shutdown();
		fflush(stdout);
		_exit(test_failures > 0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(in_machine_code), TEST(which_loops), TEST(few_polls)};
	if (!soft_find_compiler() || setenv("CULVERT_SOFT_THREADS", "1", 1) || setenv("CULVERT_CACHE", "off", 1) ||
	    setenv("CULVERT_SOFT_JIT", "off", 1)) {
		printf("culvert-softcuda-compile is not here\n");
		return 99;
	}
	const int failed = test_run_all(cases, 3);
	soft_exec_shutdown();
	return failed;
}
