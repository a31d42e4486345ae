/* Protects: a checked launch on several threads.  Right kernels are not reported, and a race between two work-groups
 * is, once, whichever threads have run them; kernels that may order their work-groups stay on one thread. */
#include "config.h"

#include "softcuda/check/watch.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_checked.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include "base/bytes.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 64, GROUPS = 300, THREADS = 4, ATTEMPTS = 200 };

/* Each work-item adds 1 to its element after some turns of a loop.  g: the work-group, n: its element's number. */
#define HEAD(name) ".entry " name "(.param .u64 given, .param .u32 turns) {\n" \
	".reg .pred p; .reg .b32 n, g, i, l, x; .reg .b64 a, b;\n" \
	"mov.u32 g, %ctaid.x; mov.u32 l, %tid.x; shl.b32 n, g, 6; add.u32 n, n, l; mul.wide.u32 b, n, 4;\n" \
	"ld.param.u64 a, [given]; add.u64 b, a, b; ld.param.u32 i, [turns]; mov.u32 x, n;\n" \
	"L: setp.eq.u32 p, i, 0; @p bra E; sub.u32 i, i, 1; mad.lo.u32 x, x, n, 1; bra L;\n" \
	"E: setp.eq.u32 p, x, -7; @p st.global.u32 [b], x;\n" \
	"ld.global.u32 x, [b]; add.u32 x, x, 1; st.global.u32 [b], x;\n"
#define TAIL "ret; }\n"

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	HEAD("own") TAIL
	HEAD("counter") "red.relaxed.gpu.global.add.u32 [a+-4], 1;\n" TAIL
	/* The first work-item of the first work-group and of the last one. */
	HEAD("ends") "setp.ne.u32 p, l, 0; @p ret; setp.eq.u32 p, g, 0; @p st.global.u32 [a+-8], g;\n"
	"setp.eq.u32 p, g, 299; @p st.global.u32 [a+-8], g;\n" TAIL
	HEAD("read") "setp.ne.u32 p, l, 0; @p ret; setp.eq.u32 p, g, 0; @p st.global.u8 [a+-7], g;\n"
	"setp.eq.u32 p, g, 299; @p ld.global.u8 x, [a+-7];\n" TAIL
	HEAD("late") "setp.ne.u32 p, l, 0; @p ret; red.relaxed.gpu.global.add.u32 [a+-4], 1;\n"
	"setp.eq.u32 p, g, 299; @p ld.global.u32 x, [a+-4];\n" TAIL
	HEAD("fence") "fence.acq_rel.gpu; st.global.u32 [b], x;\n" TAIL
	HEAD("ordered") "setp.ne.u32 p, l, 0; @p ret; red.release.gpu.global.add.u32 [a+-4], 1;\n" TAIL;

static struct module module;
static struct exec_watch watch;
static const struct exec_watch *checker;
static pthread_t ran[GROUPS];        /* the thread that has run a work-group */
static int report_file;
static char report_path[64];

static bool note_thread(struct group *group)
{
	ran[group->ctaid[0]] = pthread_self();
	return checker->group_begin(group);
}

/* Runs a kernel.  The number of its reports of errors. */
static unsigned launch(const char *kernel, uint32_t *data, uint32_t turns)
{
	const struct { const void *data; uint32_t turns; } parameters = {data + 2, turns};
	const struct soft_launch launch = {
		.function = soft_program_function(module.program, kernel), .grid = {GROUPS, 1, 1},
		.block = {ITEMS, 1, 1}, .parameters = &parameters, .memory = &checked_memory, .watch = &watch,
		.variable_addresses = module.addresses, .sm = 90, .multiprocessor_count = 4
	};
	struct bytes reports = BYTES_INIT;
	unsigned count = 0;
	memset(data, 0, (2 + GROUPS * ITEMS) * sizeof(*data));
	CHECK(launch.function && !ftruncate(report_file, 0));
	CHECK_EQ(soft_launch_run(&launch, &module.log), CUDA_SUCCESS);
	CHECK(!bytes_read_file(&reports, report_path));
	for (const char *at = bytes_string(&reports); (at = strstr(at, "softcuda: race between work-groups: ")); at++)
		count++;
	bytes_finish(&reports);
	return count;
}

/* Runs a kernel until other threads have helped, and have run the last work-group, or never if it is to stay on one. */
static void check_kernel(const char *kernel, unsigned reports, bool alone)
{
	static uint32_t *data;
	bool helped = false;
	data = data ? data : device_take((2 + GROUPS * ITEMS) * sizeof(*data));
	for (unsigned i = 0; i < ATTEMPTS && !(helped && i > 2); i++) {
		const unsigned count = launch(kernel, data, alone ? 30 : 300);
		if (count != reports) {
			printf("%s: %u reports, not %u\n", kernel, count, reports);
			test_failures++;
			return;
		}
		helped = !pthread_equal(ran[0], ran[GROUPS - 1]);
		for (unsigned g = 1; alone && g < GROUPS; g++)
			CHECK(pthread_equal(ran[g], ran[0]));
		if (alone && i > 2)
			break;
	}
	if (helped == alone) {
		printf("%s: %s\n", kernel, alone ? "it did not stay on one thread" : "no other thread helped");
		test_failures++;
	}
}

static void threads_agree(void)
{
	checker = watch_for(NULL);
	REQUIRE(checker != NULL);
	watch = *checker;
	watch.group_begin = note_thread;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	check_kernel("own", 0, false);
	check_kernel("counter", 0, false);
	/* ThreadSanitizer sees the races of kernels, too. */
#ifndef __SANITIZE_THREAD__
	check_kernel("ends", 1, false);
	check_kernel("read", 1, false);
	check_kernel("late", 1, false);
#endif
	check_kernel("fence", 0, true);
	check_kernel("ordered", 0, true);
	module_finish(&module);
}

/* Options are read once in a process. */
static int run_with(const char *jit)
{
	int status = 1;
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		static const struct test_case cases[] = {TEST(threads_agree)};
		setenv("CULVERT_SOFT_JIT", jit, 1);
		printf("CULVERT_SOFT_JIT=%s\n", jit);
		const int failed = test_run_all(cases, 1);
		soft_exec_shutdown();
		exit(failed);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

int main(void)
{
	char threads[16];
	report_file = memfd_create("reports", 0);
	if (report_file < 0)
		return 99;
	snprintf(report_path, sizeof(report_path), "/proc/self/fd/%d", report_file);
	snprintf(threads, sizeof(threads), "%d", THREADS);
	setenv("CULVERT_SOFT_REPORT", report_path, 1);
	setenv("CULVERT_SOFT_CHECK", "all", 1);
	setenv("CULVERT_SOFT_THREADS", threads, 1);
	setenv("CULVERT_CACHE", "off", 1);
	const int interpreted = run_with("off");
	const int compiled = soft_find_compiler() ? run_with("always") : 0;
	return interpreted || compiled;
}
