/* Protects: the checker without memory.  The allocations of a checked launch fail in their turn, of many a part.
 * Either the launch reports what it reports with memory, or it ends with an error and has reported the first of these:
 * nothing is lost without a word, and nothing else is reported.  The next launch reports everything.  Each allocation
 * of the checker is among those that fail, as its size shows.
 *
 * The kernels have races, uninitialized reads and wrong copies, and use all that the checker keeps notes about.  They
 * are interpreted, as by one thread and as by two, whose notes are compared, and run as machine code in a process of
 * its own.
 *
 *	FAULTS_ALL=1 t_soft_check_fault    each allocation: some minutes */
#include "config.h"

#include "softcuda/check/job.h"
#include "softcuda/check/spare.h"
#include "softcuda/check/watch.h"
#include "softcuda/exec/tier.h"
#include "tests/unit/soft_checked.h"
#include "tests/unit/soft_compiler.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GROUPS = 2, ITEMS = 64 };

static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
	/* t: the work-item; n: that in the grid; s, d: 4 times those. */
#define ENTRY(name) ".entry " name "(.param .u64 given) {\n" \
	".reg .pred p, q; .reg .b16 h; .reg .b32 t, n, s, v, w, i, nothing; .reg .b64 g, d, a, e;\n" \
	"ld.param.u64 g, [given]; mov.u32 t, %tid.x; mov.u32 n, %ctaid.x; mad.lo.u32 n, n, 64, t;\n" \
	"shl.b32 s, t, 2; mul.wide.u32 d, n, 4; add.u64 d, d, g;\n"
	".shared .align 4 .b8 room[4096];\n"
	/* A race of words, put off until then; cells of bytes; atomics beside bytes. */
	ENTRY("local")
	"mov.u32 i, room; add.u32 i, i, s; mov.u32 w, room; sub.u32 w, w, s;\n"
	"st.shared.u32 [i], t; st.shared.u32 [i+2048], t; bar.sync 0;\n"
	"st.shared.u32 [i], n; ld.shared.u32 v, [w+252]; bar.sync 0;\n"
	"mov.u32 i, room; add.u32 i, i, t; cvt.u16.u32 h, t; st.shared.u8 [i+1024], h; bar.sync 0;\n"
	"ld.shared.u8 h, [i+1024]; and.b32 w, t, 7; shl.b32 w, w, 2; add.u32 w, w, room;\n"
	"st.shared.u32 [room+1280], t; bar.sync 0; atom.shared.add.u32 v, [room+1280], t;\n"
	"atom.shared.add.u32 v, [w+2048], t; ret; }\n"
	/* Atomics beside words that become bytes. */
	ENTRY("bytes")
	"mov.u32 i, room; add.u32 i, i, s; st.shared.u32 [i], t; bar.sync 0; setp.lt.u32 p, t, 2;\n"
	"@p atom.shared.add.u32 v, [i], t; cvt.u16.u32 h, t; @p st.shared.u8 [room+2], h; ret; }\n"
	/* Words one by one, part of a block, and a race between work-groups; a table that grows. */
	ENTRY("global")
	"st.global.u32 [d], t; setp.gt.u32 p, t, 2; @p st.global.u32 [d+2048], t;\n"
	"mul.lo.u32 v, n, 28; and.b32 v, v, 1020; cvt.u64.u32 a, v; add.u64 a, a, g; st.global.u32 [a+4096], n;\n"
	"setp.eq.u32 p, t, 0; @p st.global.u32 [g+8192], n; mov.u32 i, 0; mov.u64 a, g; setp.eq.u32 q, n, 0;\n"
	"L: add.u64 a, a, 65536; @q st.global.u32 [a], n; add.u32 i, i, 1; setp.lt.u32 p, i, 40; @p bra L; ret; }\n"
	/* Rows that begin anywhere, of which two, and three, have words in one block, and races with them. */
	ENTRY("rows")
	"st.global.u32 [d+4], t; bar.sync 0; setp.eq.u32 q, n, 64; @q st.global.u32 [g+128], n;\n"
	"cvt.u64.u32 a, s; add.u64 a, a, g; setp.lt.u32 p, t, 16; @p st.global.u32 [a+32772], t;\n"
	"setp.lt.u32 p, t, 2; @p st.global.u32 [a+32836], t; @p st.global.u32 [a+32844], t;\n"
	"@p st.global.u32 [a+32852], t; ret; }\n"
	/* Work-items that release and acquire by fences and atomics; ordered accesses; one that is not ordered. */
	ENTRY("order")
	"st.global.u32 [d], t; membar.gl; atom.global.add.u32 v, [g+4096], t; membar.gl;\n"
	"xor.b32 v, n, 65; mul.wide.u32 a, v, 4; add.u64 a, a, g; ld.global.u32 v, [a];\n"
	"st.release.gpu.global.u32 [d+8192], v; ld.acquire.gpu.global.u32 v, [a+8192];\n"
	"st.shared.u32 [room], t; membar.cta; atom.shared.add.u32 v, [room+4], t; membar.cta; bar.sync 0;\n"
	"atom.global.add.u32 v, [g+4096], t; membar.gl; bar.sync 0; st.global.u32 [d+1024], v; ret; }\n"
	/* Some lanes, and some warps, that wait for each other. */
	ENTRY("some")
	"st.global.u32 [d], t; membar.gl; atom.global.add.u32 v, [g+4096], t; membar.gl; setp.lt.u32 p, t, 32;\n"
	"bar.warp.sync -1; shfl.sync.idx.b32 v, t, 5, 31, -1; add.u32 i, s, room; st.shared.u32 [i], v;\n"
	"@p bra A; bar.sync 1, 64; ld.shared.u32 v, [i+-128]; bra B; A: bar.arrive 1, 64; B: bar.warp.sync -1;\n"
	"bar.sync 2, 64; st.shared.u32 [i], v; ld.shared.u32 v, [room]; membar.cta;\n"
	"atom.shared.add.u32 v, [room+1024], t; membar.cta; st.global.u32 [d], v; ret; }\n"
	/* Private variables, one of which is copied before it is written; a function with arguments in memory. */
	".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 v; .local .align 16 .b8 more[512];\n"
	"ld.param.u32 v, [x]; st.local.u32 [more+128], v; ld.local.u32 v, [more+128]; add.u32 v, v, v;\n"
	"st.param.b32 [r], v; ret; }\n"
	ENTRY("private")
	".local .align 16 .b8 stack[256]; mov.u64 a, stack; add.u64 a, a, 64;\n"
	".pragma \"culvert_variable x\"; culvert.private nothing, a, 64;\n"
	"ld.local.u32 v, [a]; st.global.u32 [d], v; ld.local.u32 v, [a+4]; add.u32 v, v, 1; st.local.u32 [a+8], v;\n"
	"{ .param .b32 x; .param .b32 y; st.param.b32 [x], t; call.uni (y), twice, (x); ld.param.b32 v, [y]; }\n"
	"st.global.u32 [d+1024], v; ret; }\n"
	/* Copies by the work-group, the second of which nobody waits for. */
	ENTRY("copy")
	"mov.u32 i, room; cvt.u64.u32 a, i; mov.u64 e, 0;\n"
	"culvert.copy.what nothing, a, g, 64; culvert.copy e, 1, 4, e;\n"
	"add.u32 i, i, s; ld.global.u32 v, [d]; st.shared.u32 [i], v; culvert.copied nothing, 0;\n"
	"ld.shared.u32 v, [room]; culvert.wait nothing, e; culvert.barrier nothing, 1; bar.sync 0;\n"
	"mov.u64 e, 0; culvert.copy.what nothing, a, g, 32; culvert.copy e, 1, 4, e;\n"
	"ld.global.u32 v, [d]; st.shared.u32 [i+1024], v; culvert.copied nothing, 0; ret; }\n"
	/* An asynchronous copy of which somebody reads the target too early. */
	ENTRY("early")
	"mov.u32 i, room; add.u32 i, i, s; cp.async.ca.shared.global [i], [d], 4; cp.async.commit_group;\n"
	"ld.shared.u32 v, [i]; cp.async.wait_all; bar.sync 0; ld.shared.u32 w, [i]; add.u32 v, v, w;\n"
	"st.global.u32 [d+1024], v; ret; }\n";

/* --- allocations that fail (linked with --wrap) ---------- */

static unsigned long calls, wanted_call;

/* The arguments of those that have failed, each once, and of the latest. */
enum { FAILED_MAX = 1024 };
static struct request { size_t count, size_B; } failed[FAILED_MAX], latest;
static unsigned failed_count;

static bool fails(size_t count, size_t size_B)
{
	if (!wanted_call || ++calls != wanted_call)
		return false;
	latest = (struct request){count, size_B};
	for (unsigned i = 0; i < failed_count; i++)
		if (!memcmp(&failed[i], &latest, sizeof(latest)))
			return true;
	if (failed_count < FAILED_MAX)
		failed[failed_count++] = latest;
	return true;
}

void *__real_malloc(size_t size_B);
void *__real_calloc(size_t count, size_t size_B);
void *__real_realloc(void *memory, size_t size_B);
void *__real_aligned_alloc(size_t align_B, size_t size_B);
void *__wrap_malloc(size_t size_B);
void *__wrap_calloc(size_t count, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);
void *__wrap_aligned_alloc(size_t align_B, size_t size_B);

void *__wrap_malloc(size_t size_B)
{
	return fails(1, size_B) ? NULL : __real_malloc(size_B);
}

void *__wrap_calloc(size_t count, size_t size_B)
{
	return fails(count, size_B) ? NULL : __real_calloc(count, size_B);
}

void *__wrap_realloc(void *memory, size_t size_B)
{
	return fails(1, size_B) ? NULL : __real_realloc(memory, size_B);
}

void *__wrap_aligned_alloc(size_t align_B, size_t size_B)
{
	return fails(1, size_B) ? NULL : __real_aligned_alloc(align_B, size_B);
}

/* Memory of each kind fails by itself, also where there is some of an earlier allocation (check/spare.h). */
void *__real_spare_take(enum spare_kind kind);
void *__wrap_spare_take(enum spare_kind kind);

enum { SPARE_COUNT = 1 << 30 };      /* of no allocation: the size is the kind */

void *__wrap_spare_take(enum spare_kind kind)
{
	return fails(SPARE_COUNT, kind) ? NULL : __real_spare_take(kind);
}

/* What the checker asks for.  Of those whose count depends on the launch, count is 0. */
static const struct { const char *what; size_t count, size_B; } wanted[] = {
	{"the launch", 1, sizeof(struct watched_job)}, {"its check", 1, sizeof(struct check_job)},
	{"the work-group", 1, sizeof(struct check_group)}, {"notes of shared memory", 1, 4096},
	{"notes of warps", 2, sizeof(struct check_local)}, {"orders", 1, ITEMS},
	{"copies of lanes", ITEMS, sizeof(struct lane_copies)}, {"copies", 1, 16 * sizeof(struct copy)},
	{"chunks", 6 * (4096 / CHECK_CHUNK_B + 1), sizeof(uint32_t)},
	{"owners of words", 4096 / SHADOW_WORD_B + 1 + LANES, sizeof(uint32_t)},
	{"memory for several of a kind", 1, SPARE_CHUNK_B},
	{"accesses that are put off", SPARE_COUNT, SPARE_LATER},
	{"atomics that are put off", SPARE_COUNT, SPARE_ATOMICS},
	{"scattered accesses that are put off", SPARE_COUNT, SPARE_SCATTERS},
	{"a sheet", SPARE_COUNT, SPARE_SHEET}, {"cells of words", SPARE_COUNT, SPARE_CELLS},
	{"cells of bytes", SPARE_COUNT, SPARE_BYTES}, {"second records", SPARE_COUNT, SPARE_SECOND},
	{"atomics of words", 2 * SHADOW_PAGE_B / SHADOW_WORD_B, sizeof(uint64_t)},
	{"atomics of bytes", 2 * SHADOW_PAGE_B, sizeof(uint64_t)},
	{"atomics of words that become bytes", 1, 2 * SHADOW_PAGE_B * sizeof(uint64_t)},
	{"a table", 64, sizeof(uint64_t)}, {"a table that grows", 128, sizeof(uint64_t)},
	{"a place of synchronization", 1, sizeof(struct sync)},
	{"clocks of lanes", ITEMS, sizeof(struct lane_clock)}, {"epochs", 1, 64 * sizeof(struct epoch_run)},
	{"others", ITEMS, sizeof(uint32_t)}, {"what is released", 1, (ITEMS + 1) * sizeof(struct clock_entry)},
	{"what is joined", 1, 2 * sizeof(struct clock_entry)},
	{"private memory", 0, sizeof(uint32_t)}, {"values on their way", 1, 16 * sizeof(struct check_copied)}
};

static void everything_has_failed(void)
{
	for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++) {
		bool found = false;
		for (unsigned i = 0; i < failed_count && !found; i++)
			found = failed[i].size_B == wanted[w].size_B &&
				(!wanted[w].count || failed[i].count == wanted[w].count);
		if (!found) {
			printf("never failed: %s\n", wanted[w].what);
			test_failures++;
		}
	}
}

/* --- launches ---------- */

static int report_file;              /* in memory */
static char report_path[64];
static struct module module;
static void *out;

/* Runs a kernel, the n-th allocation of which fails; 0: none does.  reports: its reports, as lines. */
static CUresult run_failing(const char *name, unsigned long n, struct bytes *reports)
{
	struct { void *out; } parameters = {out};
	const struct soft_launch launch = {
		.function = soft_program_function(module.program, name), .grid = {GROUPS, 1, 1},
		.block = {ITEMS, 1, 1}, .parameters = &parameters, .memory = &checked_memory, .watch = watch_for(NULL),
		.variable_addresses = module.addresses, .sm = 90, .multiprocessor_count = 4
	};
	CHECK(launch.function && launch.watch && !ftruncate(report_file, 0));
	bytes_finish(&module.log);
	/* What was kept of an earlier launch is not asked for. */
	spare_shutdown();
	calls = 0;
	wanted_call = n;
	const CUresult result = soft_launch_run(&launch, &module.log);
	wanted_call = 0;
	bytes_finish(reports);
	CHECK(!bytes_read_file(reports, report_path));
	return result;
}

static bool is_parted;               /* as by two threads */

/* The end of a line. */
static const char *line_end(const char *at)
{
	const char *end = strchr(at, '\n');
	return end ? end + 1 : at + strlen(at);
}

/* Whether a line is the same as another one, or begins as that does and says that there was no memory for the rest. */
static bool same_line(const char *line, const char *whole)
{
	const char *gap = strstr(line, "... (no host memory to say more)");
	const size_t size_B = (size_t)(line_end(line) - line);
	if (gap && gap < line_end(line))
		return !strncmp(line, whole, (size_t)(gap - line));
	return size_B == (size_t)(line_end(whole) - whole) && !strncmp(line, whole, size_B);
}

/* Whether the reports of a launch are those of one with memory; or, if it has ended early, the first ones of those. */
static bool are_right(CUresult result, const char *reports, const char *all)
{
	for (; *reports; reports = line_end(reports), all = line_end(all)) {
		/* The number of all reports may follow, as it is then. */
		if (result != CUDA_SUCCESS && !strncmp(reports, "softcuda: fault: ", 17))
			return !*line_end(reports) || !*line_end(line_end(reports));
		/* Without the second thread's notes, fewer have been found. */
		if (is_parted && result != CUDA_SUCCESS && !strncmp(reports, "softcuda: kernel ", 17))
			return !*line_end(reports);
		if (!*all || !same_line(reports, all))
			return false;
	}
	return result != CUDA_SUCCESS || !*all;
}

static void fail_each(const char *name, unsigned least)
{
	struct bytes all = BYTES_INIT, reports = BYTES_INIT;
	const unsigned long dense = getenv("FAULTS_ALL") ? ULONG_MAX : 120;
	unsigned long n = 0, tried = 0, ended = 0;
	unsigned lines = 0;
	bool more;
	CHECK_EQ(run_failing(name, 0, &all), CUDA_SUCCESS);
	for (const char *at = bytes_string(&all); *at; at = line_end(at))
		lines++;
	if (lines < least) {
		printf("%s has %u reports:\n%s", name, lines, bytes_string(&all));
		test_failures++;
	}
	do {
		n += 1 + n / dense;
		const CUresult result = run_failing(name, n, &reports);
		ended += result != CUDA_SUCCESS;
		if ((result != CUDA_SUCCESS && result != CUDA_ERROR_OUT_OF_MEMORY &&
		     result != CUDA_ERROR_HARDWARE_STACK_ERROR) ||
		    !are_right(result, bytes_string(&reports), bytes_string(&all))) {
			printf("%s, allocation %lu of %zu * %zu: result %d, reports:\n%s\n", name, n,
			       latest.count, latest.size_B, result, bytes_string(&reports));
			test_failures++;
		}
		more = calls >= n;
		tried += more;
		CHECK_EQ(run_failing(name, 0, &reports), CUDA_SUCCESS);
		if (strcmp(bytes_string(&reports), bytes_string(&all))) {
			printf("%s: after failure %lu, the reports are\n%s\nand not\n%s\n", name, n,
			       bytes_string(&reports), bytes_string(&all));
			test_failures++;
		}
	} while (more && test_failures < 20);
	printf("%s: %u reports; about %lu allocations, %lu failed, %lu of which end the launch\n", name, lines, n,
	       tried, ended);
	bytes_finish(&all);
	bytes_finish(&reports);
}

static bool has_compiler;

static void everything_fails(void)
{
	static const struct { const char *name; unsigned reports; } kernels[] = {
		{"local", 2}, {"bytes", 2}, {"global", 1}, {"rows", 4}, {"order", 1}, {"some", 1}, {"private", 2},
		{"copy", 2}, {"early", 1}
	};
	CHECK_EQ(module_load(&module, ptx), CUDA_SUCCESS);
	REQUIRE(module.program != NULL);
	out = device_take(64 * 65536);
	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
		fail_each(kernels[k].name, kernels[k].reports);
	/* With a work-group for each part, they need no second records of words. */
	if (!is_parted)
		everything_has_failed();
	const unsigned compiled = (unsigned)atomic_load(&tier_counts.compiled);
	printf("%u kernels became machine code\n", compiled);
	CHECK(has_compiler == (compiled > 0));
	module_finish(&module);
	soft_exec_shutdown();
}

/* Options are read once in a process. */
static int run_with(const char *jit, bool compiles, const char *checks)
{
	int status = 1;
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		has_compiler = compiles;
		is_parted = strstr(checks, "parts:");
		setenv("CULVERT_SOFT_JIT", jit, 1);
		setenv("CULVERT_SOFT_CHECK", checks, 1);
		printf("CULVERT_SOFT_JIT=%s, CULVERT_SOFT_CHECK=%s\n", jit, checks);
		static const struct test_case cases[] = {TEST(everything_fails)};
		exit(test_run_all(cases, 1));
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

int main(void)
{
	report_file = memfd_create("reports", 0);
	if (report_file < 0)
		return 99;
	snprintf(report_path, sizeof(report_path), "/proc/self/fd/%d", report_file);
	setenv("CULVERT_SOFT_REPORT", report_path, 1);
	/* Which allocation is the n-th must not depend on other threads. */
	setenv("CULVERT_SOFT_THREADS", "1", 1);
	setenv("CULVERT_CACHE", "off", 1);
	const int interpreted = run_with("off", false, "all"), parted = run_with("off", false, "all,parts:2");
	const int compiled = soft_find_compiler() ? run_with("always", true, "all") : 0;
	return interpreted || parted || compiled;
}
