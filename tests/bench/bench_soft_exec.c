/* How fast the software CUDA driver executes: lane-instructions per second of one
 * core, by kind of instruction.  Measured in processor time, so that a busy
 * machine gives the same figures.
 *
 * Each kernel repeats a body of independent instructions; the loop's own three
 * are counted as well. */
#include "config.h"

#include "tests/unit/soft_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ITERATIONS = 2000, GROUPS = 32, THREADS = 256, BODY = 16, LOOP = 3 };

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct body {
	const char *name;
	const char *text;         /* %u: the register that is written, 4 to 19 */
};

static const struct body bodies[] = {
	{"add.s32", "add.s32 %%r%u, %%r1, %%r2;"},
	{"mad.lo.s32", "mad.lo.s32 %%r%u, %%r1, %%r2, %%r3;"},
	{"shl.b32", "shl.b32 %%r%u, %%r1, 5;"},
	{"setp+selp", "{ .reg .pred q; setp.lt.s32 q, %%r1, %%r2; "
	 "selp.b32 %%r%u, %%r1, %%r2, q; }"},
	{"add.f32", "add.f32 %%f%u, %%f1, %%f2;"},
	{"mul.f32", "mul.f32 %%f%u, %%f1, %%f2;"},
	{"fma.rn.f32", "fma.rn.f32 %%f%u, %%f1, %%f2, %%f3;"},
	{"div.rn.f32", "div.rn.f32 %%f%u, %%f1, %%f2;"},
	{"fma.rn.f64", "fma.rn.f64 %%d%u, %%d1, %%d2, %%d3;"},
	{"add.s64", "add.s64 %%l%u, %%l1, %%l2;"},
	{"sin.approx.f32", "sin.approx.f32 %%f%u, %%f1;"},
	{"ex2.approx.f32", "ex2.approx.f32 %%f%u, %%f1;"},
	{"lg2.approx.f32", "lg2.approx.f32 %%f%u, %%f1;"},
	{"cvt.rn.f32.s32", "cvt.rn.f32.s32 %%f%u, %%r1;"},
	{"ld.global.u32", "ld.global.u32 %%r%u, [%%l0];"},
	{"st.global.u32", "st.global.u32 [%%l0], %%r%u;"},
	{"ld.shared.u32", "ld.shared.u32 %%r%u, [%%r3];"},
	{"fma divergent", "@%%p1 fma.rn.f32 %%f%u, %%f1, %%f2, %%f3;"}
};

static void write_kernel(struct bytes *text, const struct body *body)
{
	bytes_printf(text, ".version 8.0\n.target sm_75\n.address_size 64\n"
		     ".shared .align 4 .b8 tile[4096];\n"
		     ".entry k(.param .u64 p) {\n.reg .pred %%p<3>; .reg .b32 %%r<24>;\n"
		     ".reg .b64 %%l<24>; .reg .f32 %%f<24>; .reg .f64 %%d<24>;\n"
		     "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; mul.lo.s32 %%r3, %%r1, 4;\n"
		     "and.b32 %%r20, %%r1, 1; setp.eq.s32 %%p1, %%r20, 0;\n"
		     "ld.param.u64 %%l0, [p]; mul.wide.u32 %%l1, %%r1, 4;\n"
		     "add.s64 %%l0, %%l0, %%l1;\n"
		     "mul.wide.u32 %%l2, %%r2, %d; add.s64 %%l0, %%l0, %%l2;\n"
		     "cvt.rn.f32.u32 %%f1, %%r1; mov.f32 %%f2, 0f3F800001; mov.f32 %%f3, %%f1;\n"
		     "cvt.rn.f64.u32 %%d1, %%r1; mov.f64 %%d2, %%d1; mov.f64 %%d3, %%d1;\n"
		     "mov.u32 %%r20, tile; add.s32 %%r3, %%r3, %%r20; "
		     "mov.u32 %%r0, 0;\nL:\n", THREADS * 4);
	for (unsigned i = 0; i < BODY; i++) {
		bytes_printf(text, body->text, 4 + i);
		bytes_append_char(text, '\n');
	}
	bytes_printf(text, "add.s32 %%r0, %%r0, 1; setp.lt.s32 %%p0, %%r0, %d; @%%p0 bra L;\n"
		     "st.global.u32 [%%l0], %%r19;\nret;\n}\n", ITERATIONS);
}

static int measure(const struct body *body)
{
	struct bytes text = BYTES_INIT;
	struct module module;
	write_kernel(&text, body);
	if (module_load(&module, bytes_string(&text))) {
		fprintf(stderr, "%s: %s", body->name, bytes_string(&module.log));
		return 1;
	}
	void *memory = device_take((size_t)GROUPS * THREADS * 4 * sizeof(uint32_t));
	double start = now_s();
	CUresult result = run(&module, "k", GROUPS, THREADS, 0, &memory);
	double seconds = now_s() - start;
	if (result)
		fprintf(stderr, "%s: %s", body->name, bytes_string(&module.log));
	double instructions = (double)GROUPS * THREADS * ITERATIONS * (BODY + LOOP);
	printf("%-16s %8.0f million lane-instructions/s per core\n", body->name,
	       instructions / seconds * 1e-6);
	module_finish(&module);
	bytes_finish(&text);
	return result != CUDA_SUCCESS;
}

int main(void)
{
	int failures = 0;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		failures += measure(&bodies[i]);
	soft_exec_shutdown();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
