/* Protects: kernels run as before, interpreted, whatever fails when they are compiled: each call that softcuda makes
 * for it, each allocation of the compiler's process, the process itself, the right to make memory executable.  The log
 * says why, nothing stays open, and the next kernel is compiled.
 *
 * Each case is this program in a process of its own, in a folder of its own, in which culvert-softcuda-compile is the
 * compiler, or this program, which plays one that fails.
 *
 *	FAULTS_ALL=1 t_soft_jit_fault    each allocation of the compiler's process, and not some of them: some
 *	                                 minutes */
#include "config.h"

#include "base/message.h"
#include "build_name.h"
#include "tests/api/entries.h"
#include "tests/unit/soft_jit_case.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SOCKET = 3, FACTOR = 3 };

/* --- calls that fail (linked with --wrap) ---------- */

static unsigned long calls, wanted_call;

/* Whether this call is the one that is to fail. */
static bool fails(int error)
{
	if (!wanted_call || ++calls != wanted_call)
		return false;
	errno = error;
	return true;
}

void *__real_malloc(size_t size_B);
void *__real_calloc(size_t count, size_t size_B);
void *__real_realloc(void *memory, size_t size_B);
void *__real_aligned_alloc(size_t align_B, size_t size_B);
char *__real_realpath(const char *path, char *whole);
void *__real_mmap(void *at, size_t size_B, int rights, int flags, int file, off_t offset_B);
int __real_mprotect(void *at, size_t size_B, int rights);
int __real_socketpair(int domain, int type, int protocol, int *sockets);
ssize_t __real_send(int socket, const void *data, size_t size_B, int flags);
ssize_t __real_recv(int socket, void *data, size_t size_B, int flags);
int __real_clone(int (*run)(void *), void *stack, int flags, void *data);
void *__wrap_malloc(size_t size_B);
void *__wrap_calloc(size_t count, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);
void *__wrap_aligned_alloc(size_t align_B, size_t size_B);
char *__wrap_realpath(const char *path, char *whole);
void *__wrap_mmap(void *at, size_t size_B, int rights, int flags, int file, off_t offset_B);
int __wrap_mprotect(void *at, size_t size_B, int rights);
int __wrap_socketpair(int domain, int type, int protocol, int *sockets);
ssize_t __wrap_send(int socket, const void *data, size_t size_B, int flags);
ssize_t __wrap_recv(int socket, void *data, size_t size_B, int flags);
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *data);

void *__wrap_malloc(size_t size_B)
{
	return fails(ENOMEM) ? NULL : __real_malloc(size_B);
}

void *__wrap_calloc(size_t count, size_t size_B)
{
	return fails(ENOMEM) ? NULL : __real_calloc(count, size_B);
}

void *__wrap_realloc(void *memory, size_t size_B)
{
	return fails(ENOMEM) ? NULL : __real_realloc(memory, size_B);
}

void *__wrap_aligned_alloc(size_t align_B, size_t size_B)
{
	return fails(ENOMEM) ? NULL : __real_aligned_alloc(align_B, size_B);
}

char *__wrap_realpath(const char *path, char *whole)
{
	return fails(ENOENT) ? NULL : __real_realpath(path, whole);
}

void *__wrap_mmap(void *at, size_t size_B, int rights, int flags, int file, off_t offset_B)
{
	return fails(ENOMEM) ? MAP_FAILED : __real_mmap(at, size_B, rights, flags, file, offset_B);
}

int __wrap_mprotect(void *at, size_t size_B, int rights)
{
	return fails(EACCES) ? -1 : __real_mprotect(at, size_B, rights);
}

int __wrap_socketpair(int domain, int type, int protocol, int *sockets)
{
	return fails(EMFILE) ? -1 : __real_socketpair(domain, type, protocol, sockets);
}

ssize_t __wrap_send(int socket, const void *data, size_t size_B, int flags)
{
	return fails(EPIPE) ? -1 : __real_send(socket, data, size_B, flags);
}

ssize_t __wrap_recv(int socket, void *data, size_t size_B, int flags)
{
	return fails(ECONNRESET) ? -1 : __real_recv(socket, data, size_B, flags);
}

int __wrap_clone(int (*run)(void *), void *stack, int flags, void *data)
{
	return fails(EAGAIN) ? -1 : __real_clone(run, stack, flags, data);
}

/* --- the cases ---------- */

static unsigned long next_wanted;

static void begin_to_fail(void)
{
	calls = 0;
	wanted_call = next_wanted;
}

/* Runs the kernel with the n-th call after the program is loaded failing. */
static void run_failing(unsigned long n)
{
	next_wanted = n;
	load_and_run(FACTOR, 1, true, begin_to_fail);
	wanted_call = 0;
}

/* Every call in its turn fails: with a new process of the compiler each time, and with one that waits for work. */
static void case_calls(void)
{
	load_and_run(FACTOR, 1, false, NULL);
	CHECK_EQ(compiled(), 1);
	soft_exec_shutdown();
	const unsigned files = entries_of("/proc/self/fd");
	for (unsigned fresh = 0; fresh < 2; fresh++) {
		unsigned long n = 0, failed = 0;
		do {
			const uint64_t refused = atomic_load(&tier_counts.refused);
			if (fresh)
				soft_exec_shutdown();
			run_failing(++n);
			failed += atomic_load(&tier_counts.refused) - refused;
		} while (calls >= n && n < 1000);
		printf("%lu calls, %lu of which refuse the kernel\n", n - 1, failed);
		CHECK(n > 20 && n < 1000 && failed >= 5);
		const uint64_t before = compiled();
		load_and_run(FACTOR, 1, false, NULL);
		CHECK_EQ(compiled(), before + 1);
		soft_exec_shutdown();
		CHECK_EQ(entries_of("/proc/self/fd"), files);
	}
}

/* The kernel is interpreted, and the log says so; and so is that of the next program. */
static void case_refused(void)
{
	const unsigned files = entries_of("/proc/self/fd");
	load_and_run(FACTOR, 2, false, NULL);
	load_and_run(FACTOR, 1, false, NULL);
	CHECK_EQ(compiled(), 0);
	CHECK_EQ(atomic_load(&tier_counts.refused), 2);
	soft_exec_shutdown();
	CHECK_EQ(entries_of("/proc/self/fd"), files);
}

/* The compiler never answers.  With CULVERT_SOFT_JIT=on nobody waits for it. */
static void case_silent(void)
{
	for (unsigned i = 0; i < 2; i++)
		load_and_run(FACTOR, 3000, false, NULL);
	CHECK_EQ(compiled(), 0);
	soft_exec_shutdown();
}

/* As case_silent, but it answers: a kernel is compiled while it is interpreted. */
static void case_on(void)
{
	load_and_run(FACTOR, 1, false, NULL);
	CHECK_EQ(compiled(), 0);
	for (unsigned i = 0; i < 1000 && !compiled(); i++)
		load_and_run(FACTOR, 3000, false, NULL);
	CHECK(compiled() > 0);
	soft_exec_shutdown();
}

static bool begun(const struct module *module)
{
	for (unsigned s = 0; s < TIER_SHAPES; s++)
		if (atomic_load(&module->program->tiers[0].shapes[s].step) == TIER_STEP_BEGUN)
			return true;
	return false;
}

static void run_once(struct module *module, uint32_t *out)
{
	struct { void *out; } parameters = {out};
	CHECK_EQ(run(module, "k", GROUPS, ITEMS, 0, &parameters), CUDA_SUCCESS);
}

/* On a computer with one processor, where one kernel at a time is compiled, a kernel is not launched again once its
 * compilation has begun, as those that set up data.  The others are compiled all the same. */
static void run_two(bool again)
{
	struct module once, often;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	REQUIRE(!sched_setaffinity(0, sizeof(one), &one));
	load_loop(&once, FACTOR);
	load_loop(&often, FACTOR + 2);
	uint32_t *out = device_take(GROUPS * ITEMS * sizeof(*out));
	for (unsigned i = 0; i < 100000 && !begun(&once); i++)
		run_once(&once, out);
	CHECK(begun(&once));
	for (unsigned i = 0; i < 3000000 && !compiled(); i++)
		run_once(&often, out);
	CHECK_EQ(compiled(), 1);
	for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
		CHECK_EQ(out[i], loop_value(FACTOR + 2, i));
	CHECK(begun(&once));
	if (again)
		run_once(&once, out);
	CHECK_EQ(compiled(), again ? 2 : 1);
	module_finish(&once);
	module_finish(&often);
	CHECK_EQ(atomic_load(&tier_counts.code_B), 0);
	soft_exec_shutdown();
}

static void case_once(void)
{
	run_two(false);
}

/* As case_once, but it is launched again later: as machine code. */
static void case_again(void)
{
	run_two(true);
}

static bool find_slowly(const struct soft_launch *launch, uint64_t address, uint64_t *start_out, uint64_t *end_out)
{
	usleep(20000);
	return device_find(launch, address, start_out, end_out);
}

/* Launches take long, but use little processor time, as on a busy computer: no compiler is started for them. */
static void case_waits(void)
{
	static const struct soft_memory slow = {
		.find = find_slowly, .describe = device_describe, .find_image = device_find_image
	};
	struct module module;
	load_loop(&module, FACTOR);
	struct { void *out; } parameters = {device_take(LANES * sizeof(uint32_t))};
	const struct soft_launch launch = {
		.function = soft_program_function(module.program, "k"), .grid = {1, 1, 1}, .block = {LANES, 1, 1},
		.parameters = &parameters, .memory = &slow, .sm = 90, .multiprocessor_count = 4
	};
	for (unsigned i = 0; i < 20; i++)
		CHECK_EQ(soft_launch_run(&launch, &module.log), CUDA_SUCCESS);
	for (unsigned s = 0; s < TIER_SHAPES; s++)
		CHECK(atomic_load(&module.program->tiers[0].shapes[s].step) == TIER_STEP_NONE ||
		      atomic_load(&module.program->tiers[0].shapes[s].step) == TIER_STEP_MISSED);
	module_finish(&module);
}

/* The system forbids memory to become executable, as SELinux and systemd's MemoryDenyWriteExecute do. */
static void case_pages(void)
{
	const struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), (struct sock_filter *)(uintptr_t)filter};
	REQUIRE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	REQUIRE(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	case_refused();
}

/* The n-th allocation in the compiler's process fails, whoever makes it: the kernel is interpreted, or compiled where
 * that memory is not needed.  LLVM ends its process. */
static void case_memory(void)
{
	const char *all = getenv("FAULTS_ALL"), *file = getenv("FAULT_MALLOC_COUNT");
	unsigned long count = 0;
	load_and_run(FACTOR, 1, false, NULL);
	CHECK_EQ(compiled(), 1);
	soft_exec_shutdown();
	for (unsigned i = 0; i < 1000 && !count; i++) {
		/* The process writes it when it ends. */
		FILE *read = fopen(file, "r");
		if (!read || fscanf(read, "%lu", &count) != 1)
			usleep(10000);
		if (read)
			fclose(read);
	}
	REQUIRE(count > 1000);
	unsetenv("FAULT_MALLOC_COUNT");
	const unsigned long step = all ? 1 : count / 30 + 1;
	unsigned long tried = 0;
	for (unsigned long n = 1; n <= count; n += step, tried++) {
		char text[32];
		snprintf(text, sizeof(text), "%lu", n);
		setenv("FAULT_MALLOC", text, 1);
		load_and_run(FACTOR, 1, false, NULL);
		soft_exec_shutdown();
	}
	printf("%lu of %lu allocations, %llu of which refuse the kernel\n", tried, count,
	       (unsigned long long)atomic_load(&tier_counts.refused));
	CHECK(atomic_load(&tier_counts.refused) > tried / 2);
	unsetenv("FAULT_MALLOC");
	const uint64_t before = compiled();
	load_and_run(FACTOR, 1, false, NULL);
	CHECK_EQ(compiled(), before + 1);
	soft_exec_shutdown();
}

/* --- compilers that fail ---------- */

static void send_answer(const void *data, size_t size_B)
{
	struct bytes message = BYTES_INIT;
	bytes_append(&message, data, size_B);
	(void)message_send(SOCKET, 0, &message);
	bytes_finish(&message);
}

/* Plays a compiler.  It ends when the socket is closed. */
static int play(const char *part)
{
	static const char damaged[] = CULVERT_BUILD
		"\0C\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	struct bytes order = BYTES_INIT;
	struct pollfd closed = {.fd = SOCKET, .events = POLLRDHUP};
	if (!strcmp(part, "ends at once"))
		return 0;
	if (message_receive(SOCKET, 0, &order))
		return 1;
	bytes_finish(&order);
	if (!strcmp(part, "crashes"))
		abort();
	if (!strcmp(part, "refuses"))
		send_answer(CULVERT_BUILD "\0Rtoo long", sizeof(CULVERT_BUILD "\0Rtoo long"));
	else if (!strcmp(part, "another build"))
		send_answer("0.0 0000000000000000\0C", 22);
	else if (!strcmp(part, "nothing"))
		send_answer("", 0);
	else if (!strcmp(part, "noise"))
		send_answer("\xff\xfe\xfd\xfc\xfb\xfa", 6);
	else if (!strcmp(part, "damaged"))
		send_answer(damaged, sizeof(damaged) - 1);
	else if (!strcmp(part, "torn"))
		(void)!send(SOCKET, "\xff\0\0\0\0\0\0\0abc", 11, MSG_NOSIGNAL);
	if (!strcmp(part, "torn") || !strcmp(part, "refuses"))
		return 0;
	while (poll(&closed, 1, 60000) == 0 || !closed.revents) {
	}
	return 0;
}

/* --- processes ---------- */

static const char real_compiler[] = "culvert-softcuda-compile";

static void calls_of_softcuda_fail(void)
{
	run_case("calls", real_compiler, "is interpreted");
}

static void a_compiler_fails(void)
{
	static const char own[] = "/proc/self/exe";
	static const struct { const char *part, *said; } parts[] = {
		{"ends at once", "the compiler's process"}, {"crashes", "has ended without an answer"},
		{"another build", "is of another build"}, {"nothing", "is of another build"},
		{"noise", "is of another build"}, {"damaged", "answer is damaged"},
		{"torn", "has ended without an answer"}
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		setenv("FAULT_PART", parts[i].part, 1);
		run_case("refused", own, parts[i].said);
	}
	unsetenv("FAULT_PART");
	run_case("refused", NULL, "culvert-softcuda-compile is not there");
}

/* Runs "refused", which loads two programs, with the log's level warn.  Without a compiler that works, the log has one
 * line, with these words. */
static void is_told_once(const char *compiler, const char *said)
{
	setenv("CULVERT_DEBUG", "warn", 1);
	run_case("refused", compiler, said);
	const char *told = strstr(case_log, "warn: softcuda: kernel 'k' is interpreted, and others may be");
	const char *end = told ? strchr(told, '\n') : NULL;
	if (!end || strchr(case_log, '\n') != end || end[1]) {
		printf("the log should have one line:\n%s\n", case_log);
		test_failures++;
	}
	setenv("CULVERT_DEBUG", "info", 1);
}

/* A program that is slow for this reason alone says so, and names what to look at. */
static void the_compiler_is_of_no_use(void)
{
	is_told_once(NULL, "culvert-softcuda-compile is not there");
	setenv("FAULT_PART", "another build", 1);
	is_told_once("/proc/self/exe", "is of another build than " CULVERT_BUILD ": ");
	CHECK(strstr(case_log, "/culvert-softcuda-compile (") != NULL);
	setenv("FAULT_PART", "ends at once", 1);
	is_told_once("/proc/self/exe", "the compiler's process");
	/* What a compiler that works says of one kernel is of no use to anybody else. */
	setenv("FAULT_PART", "refuses", 1);
	run_case("refused", "/proc/self/exe", "info: softcuda: kernel 'k' is interpreted: too long");
	CHECK(!strstr(case_log, "warn:"));
	unsetenv("FAULT_PART");
}

/* A file that is there, but no program. */
static void a_compiler_is_no_program(void)
{
	char path[4096];
	REQUIRE(place("culvert-softcuda-compile", NULL, true));
	snprintf(path, sizeof(path), "%s/culvert-softcuda-compile", folder);
	FILE *file = fopen(path, "we");
	REQUIRE(file && !fclose(file) && !chmod(path, 0644));
	run_placed_case("refused", "cannot be started: Permission denied");
}

static void a_compiler_is_slow(void)
{
	setenv("CULVERT_SOFT_JIT", "on", 1);
	run_case("on", real_compiler, "is compiled");
	run_case("once", real_compiler, "is compiled");
	run_case("again", real_compiler, "is compiled");
	run_case("waits", real_compiler, NULL);
	setenv("FAULT_PART", "silent", 1);
	run_case("silent", "/proc/self/exe", NULL);
	unsetenv("FAULT_PART");
	setenv("CULVERT_SOFT_JIT", "always", 1);
}

static void processes_are_forbidden(void)
{
	setenv("CULVERT_COMPILER", "inside", 1);
	run_case("refused", real_compiler, "CULVERT_COMPILER=inside");
	unsetenv("CULVERT_COMPILER");
}

static void executable_pages_are_forbidden(void)
{
	run_case("pages", real_compiler, "pages cannot be made executable: Operation not permitted");
}

static void the_compiler_has_no_memory(void)
{
	char shim[4096], whole[4096], count[4200];
	if (!__real_realpath("tests/stress/libmalloc-fault.so", shim))
		SKIP("tests/stress/libmalloc-fault.so is not here: not with sanitizers");
	/* The process does not stay in this folder. */
	REQUIRE(__real_realpath(folder, whole) != NULL);
	snprintf(count, sizeof(count), "%s/count", whole);
	setenv("FAULT_MALLOC_PROGRAM", "culvert-softcuda-compile", 1);
	setenv("FAULT_MALLOC_COUNT", count, 1);
	setenv("LD_PRELOAD", shim, 1);
	run_case("memory", real_compiler, "is interpreted");
	unsetenv("LD_PRELOAD");
	unsetenv("FAULT_MALLOC_COUNT");
	unsetenv("FAULT_MALLOC_PROGRAM");
	(void)unlink(count);
}

int main(int argc, char **argv)
{
	static const struct jit_case named[] = {
		{"calls", case_calls}, {"refused", case_refused}, {"silent", case_silent}, {"on", case_on},
		{"once", case_once}, {"again", case_again},
		{"waits", case_waits}, {"pages", case_pages}, {"memory", case_memory}
	};
	static const struct test_case cases[] = {
		TEST(calls_of_softcuda_fail), TEST(a_compiler_fails), TEST(the_compiler_is_of_no_use),
		TEST(a_compiler_is_no_program),
		TEST(a_compiler_is_slow), TEST(processes_are_forbidden), TEST(executable_pages_are_forbidden),
		TEST(the_compiler_has_no_memory)
	};
	int type = 0;
	socklen_t type_B = sizeof(type);
	const char *part = getenv("FAULT_PART");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (part && !getsockopt(SOCKET, SOL_SOCKET, SO_TYPE, &type, &type_B))
		return play(part);
	if (argc > 1)
		return run_named(named, sizeof(named) / sizeof(named[0]), argv[1]);
	setenv("CULVERT_SOFT_JIT", "always", 1);
	setenv("CULVERT_DEBUG", "info", 1);
	setenv("CULVERT_CACHE", "off", 1);
	if (!make_folder("tests/unit/t_soft_jit_fault"))
		return 99;
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	remove_folder();
	return failed;
}
