/* A kernel that is compiled, for tests of how softcuda does that, and cases, each of which is the test's program in a
 * process of its own, in a folder of its own, in which the compiler is a link.  One thread. */
#ifndef CULVERT_TESTS_SOFT_JIT_CASE_H
#define CULVERT_TESTS_SOFT_JIT_CASE_H

#include "softcuda/exec/tier.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { GROUPS = 4, ITEMS = 64 };

/* --- a launch ---------- */

/* Its %u is what the sum is multiplied by in each turn of the loop. */
static const char loop_ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
	".entry k(.param .u64 out) { .reg .b32 n, s, i; .reg .b64 a, b; .reg .pred p; .reg .f64 d;\n"
	"mov.u32 n, %%ctaid.x; mov.u32 i, %%ntid.x; mul.lo.u32 n, n, i; mov.u32 i, %%tid.x; add.u32 n, n, i;\n"
	"mov.u32 s, 0; mov.u32 i, 0;\n"
	"L: add.u32 i, i, 1; mad.lo.u32 s, s, %u, i; setp.lt.u32 p, i, n; @p bra L;\n"
	"cvt.rn.f64.u32 d, s; cvt.rni.f64.f64 d, d; cvt.rzi.u32.f64 s, d;\n"
	"mul.wide.u32 b, n, 4; ld.param.u64 a, [out]; add.u64 a, a, b; st.global.u32 [a], s; ret; }\n";

static inline uint32_t loop_value(uint32_t factor, uint32_t n)
{
	uint32_t s = 0, i = 0;
	do
		s = s * factor + ++i;
	while (i < n);
	return s;
}

static inline void load_loop(struct module *module, uint32_t factor)
{
	char ptx[sizeof(loop_ptx) + 16];
	snprintf(ptx, sizeof(ptx), loop_ptx, factor);
	if (module_load(module, ptx) != CUDA_SUCCESS) {
		printf("%s\n", bytes_string(&module->log));
		exit(1);
	}
}

/* Loads the program with this factor, calls before, unless that is NULL, and runs the kernel `times`.  Checks the
 * results.  A launch may fail for lack of memory if may_fail is set. */
static inline void load_and_run(uint32_t factor, unsigned times, bool may_fail, void (*before)(void))
{
	struct module module;
	load_loop(&module, factor);
	uint32_t *out = device_take(GROUPS * ITEMS * sizeof(*out));
	struct { void *out; } parameters = {out};
	if (before)
		before();
	for (unsigned t = 0; t < times; t++) {
		memset(out, 0, GROUPS * ITEMS * sizeof(*out));
		const CUresult result = run(&module, "k", GROUPS, ITEMS, 0, &parameters);
		CHECK(result == CUDA_SUCCESS || (may_fail && result == CUDA_ERROR_OUT_OF_MEMORY));
		for (uint32_t i = 0; result == CUDA_SUCCESS && i < GROUPS * ITEMS; i++)
			if (out[i] != loop_value(factor, i)) {
				printf("work-item %u: %u\n", i, out[i]);
				test_failures++;
				break;
			}
	}
	module_finish(&module);
	CHECK_EQ(atomic_load(&tier_counts.code_B), 0);
}

static inline uint64_t compiled(void)
{
	return atomic_load(&tier_counts.compiled);
}

/* --- processes ---------- */

/* The folder of the cases: a template for mkdtemp at first. */
static char folder[] = "t_soft_jit.XXXXXX";

/* Makes a name in the folder one of the file `what`, a symbolic link to it if as_link is set; NULL: removes the
 * name. */
static inline bool place(const char *name, const char *what, bool as_link)
{
	char path[4096], whole[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)unlink(path);
	if (!what)
		return true;
	if (!as_link)
		return !link(what, path);
	return realpath(what, whole) && !symlink(whole, path);
}

/* The log of the last case. */
static char case_log[16384];

/* Runs a case with the compiler that is in the folder.  said: what the log has to have; NULL: anything. */
static inline void run_placed_case(const char *name, const char *said)
{
	char program[4096], *const text = case_log;
	int said_by[2], status = 0;
	size_t size_B = 0;
	snprintf(program, sizeof(program), "%s/case", folder);
	REQUIRE(!pipe(said_by));
	const pid_t child = fork();
	if (!child) {
		(void)dup2(said_by[1], STDERR_FILENO);
		(void)close(said_by[0]);
		(void)close(said_by[1]);
		execl(program, "case", name, (char *)NULL);
		_exit(99);
	}
	(void)close(said_by[1]);
	for (ssize_t got_B = 1; got_B > 0 && size_B + 1 < sizeof(case_log); size_B += got_B > 0 ? (size_t)got_B : 0)
		got_B = read(said_by[0], text + size_B, sizeof(case_log) - 1 - size_B);
	text[size_B] = '\0';
	/* More than fits is read, too: nobody is to wait for room. */
	for (char rest[4096]; size_B && read(said_by[0], rest, sizeof(rest)) > 0;) {
	}
	(void)close(said_by[0]);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (status || (said && !strstr(text, said))) {
		printf("%s: status 0x%x; the log should have \"%s\":\n%s\n", name, (unsigned)status, said ? said : "",
		       text);
		test_failures++;
	}
}

/* Runs a case.  compiler: the file that is to be the compiler; NULL: there is none. */
static inline void run_case(const char *name, const char *compiler, const char *said)
{
	REQUIRE(place("culvert-softcuda-compile", compiler, true));
	run_placed_case(name, said);
}

/* Runs the named case of these, in the process that run_placed_case has started. */
struct jit_case {
	const char *name;
	void (*run)(void);
};

static inline int run_named(const struct jit_case *cases, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(cases[i].name, name))
			cases[i].run();
	return test_failures != 0;
}

/* Makes the folder, with the test's program as the program of the cases.  False if that fails, or there is no
 * compiler. */
static inline bool make_folder(const char *program)
{
	if (!access("culvert-softcuda-compile", X_OK) && mkdtemp(folder) && place("case", program, false))
		return true;
	printf("culvert-softcuda-compile is not here, or no folder can be made\n");
	return false;
}

static inline void remove_folder(void)
{
	(void)place("case", NULL, false);
	(void)place("culvert-softcuda-compile", NULL, false);
	(void)rmdir(folder);
}

#endif
