/* Protects: kernels run as before, interpreted, whatever fails when they are compiled: each call that softcuda makes for
 * it, each allocation of the compiler's process, the process itself, the right to make memory executable.  The log says
 * why, nothing stays open, and the next kernel is compiled.
 *
 * Each case is this program in a process of its own, in a folder of its own, in which culvert-softcuda-compile is the
 * compiler, or this program, which plays one that fails.
 *
 *	FAULTS_ALL=1 t_soft_jit_fault    each allocation of the compiler's process, and not some of them: some minutes */
#include "config.h"

#include "base/message.h"
#include "build_name.h"
#include "softcuda/exec/tier.h"
#include "tests/api/entries.h"
#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCKET = 3, GROUPS = 4, ITEMS = 64 };

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

/* --- a launch ---------- */

static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
	".entry k(.param .u64 out) { .reg .b32 n, s, i; .reg .b64 a, b; .reg .pred p; .reg .f64 d;\n"
	"mov.u32 n, %ctaid.x; mov.u32 i, %ntid.x; mul.lo.u32 n, n, i; mov.u32 i, %tid.x; add.u32 n, n, i;\n"
	"mov.u32 s, 0; mov.u32 i, 0;\n"
	"L: add.u32 i, i, 1; mad.lo.u32 s, s, 3, i; setp.lt.u32 p, i, n; @p bra L;\n"
	"cvt.rn.f64.u32 d, s; cvt.rni.f64.f64 d, d; cvt.rzi.u32.f64 s, d;\n"
	"mul.wide.u32 b, n, 4; ld.param.u64 a, [out]; add.u64 a, a, b; st.global.u32 [a], s; ret; }\n";

static uint32_t expected(uint32_t n)
{
	uint32_t s = 0, i = 0;
	do
		s = s * 3 + ++i;
	while (i < n);
	return s;
}

/* Loads the program and runs the kernel `times`, with the n-th call from then on failing (0: none).  A launch may fail for
 * lack of memory only while a call fails. */
static void load_and_run(unsigned long n, unsigned times)
{
	struct module module;
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	uint32_t *out = device_take(GROUPS * ITEMS * sizeof(*out));
	struct { void *out; } parameters = {out};
	calls = 0;
	wanted_call = n;
	for (unsigned t = 0; t < times; t++) {
		memset(out, 0, GROUPS * ITEMS * sizeof(*out));
		const CUresult result = run(&module, "k", GROUPS, ITEMS, 0, &parameters);
		CHECK(result == CUDA_SUCCESS || (n && result == CUDA_ERROR_OUT_OF_MEMORY));
		for (uint32_t i = 0; result == CUDA_SUCCESS && i < GROUPS * ITEMS; i++)
			if (out[i] != expected(i)) {
				printf("call %lu fails: work-item %u: %u\n", n, i, out[i]);
				test_failures++;
				break;
			}
	}
	wanted_call = 0;
	module_finish(&module);
	CHECK_EQ(atomic_load(&tier_counts.code_B), 0);
}

static uint64_t compiled(void)
{
	return atomic_load(&tier_counts.compiled);
}

/* --- the cases ---------- */

/* Every call in its turn fails: with a new process of the compiler each time, and with one that waits for work. */
static void case_calls(void)
{
	load_and_run(0, 1);
	CHECK_EQ(compiled(), 1);
	soft_exec_shutdown();
	const unsigned files = entries_of("/proc/self/fd");
	for (unsigned fresh = 0; fresh < 2; fresh++) {
		unsigned long n = 0, failed = 0;
		do {
			const uint64_t refused = atomic_load(&tier_counts.refused);
			if (fresh)
				soft_exec_shutdown();
			load_and_run(++n, 1);
			failed += atomic_load(&tier_counts.refused) - refused;
		} while (calls >= n && n < 1000);
		printf("%lu calls, %lu of which refuse the kernel\n", n - 1, failed);
		CHECK(n > 20 && n < 1000 && failed >= 5);
		const uint64_t before = compiled();
		load_and_run(0, 1);
		CHECK_EQ(compiled(), before + 1);
		soft_exec_shutdown();
		CHECK_EQ(entries_of("/proc/self/fd"), files);
	}
}

/* The kernel is interpreted, and the log says so; and so is that of the next program. */
static void case_refused(void)
{
	const unsigned files = entries_of("/proc/self/fd");
	load_and_run(0, 2);
	load_and_run(0, 1);
	CHECK_EQ(compiled(), 0);
	CHECK_EQ(atomic_load(&tier_counts.refused), 2);
	soft_exec_shutdown();
	CHECK_EQ(entries_of("/proc/self/fd"), files);
}

/* The compiler never answers.  With CULVERT_SOFT_JIT=on nobody waits for it. */
static void case_silent(void)
{
	for (unsigned i = 0; i < 2; i++)
		load_and_run(0, 3000);
	CHECK_EQ(compiled(), 0);
	soft_exec_shutdown();
}

/* As case_silent, but it answers: a kernel is compiled while it is interpreted. */
static void case_on(void)
{
	load_and_run(0, 1);
	CHECK_EQ(compiled(), 0);
	for (unsigned i = 0; i < 1000 && !compiled(); i++)
		load_and_run(0, 3000);
	CHECK(compiled() > 0);
	soft_exec_shutdown();
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
	REQUIRE(module_load(&module, ptx) == CUDA_SUCCESS);
	struct { void *out; } parameters = {device_take(LANES * sizeof(uint32_t))};
	const struct soft_launch launch = {
		.function = soft_program_function(module.program, "k"), .grid = {1, 1, 1}, .block = {LANES, 1, 1},
		.parameters = &parameters, .memory = &slow, .sm = 90, .multiprocessor_count = 4
	};
	for (unsigned i = 0; i < 20; i++)
		CHECK_EQ(soft_launch_run(&launch, &module.log), CUDA_SUCCESS);
	for (unsigned s = 0; s < TIER_SHAPES; s++)
		CHECK_EQ(atomic_load(&module.program->tiers[0].shapes[s].step), TIER_STEP_NONE);
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
	load_and_run(0, 1);
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
		load_and_run(0, 1);
		soft_exec_shutdown();
	}
	printf("%lu of %lu allocations, %llu of which refuse the kernel\n", tried, count,
	       (unsigned long long)atomic_load(&tier_counts.refused));
	CHECK(atomic_load(&tier_counts.refused) > tried / 2);
	unsetenv("FAULT_MALLOC");
	const uint64_t before = compiled();
	load_and_run(0, 1);
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
	static const char damaged[] = CULVERT_BUILD "\0C\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	struct bytes order = BYTES_INIT;
	struct pollfd closed = {.fd = SOCKET, .events = POLLRDHUP};
	if (!strcmp(part, "ends at once"))
		return 0;
	if (message_receive(SOCKET, 0, &order))
		return 1;
	bytes_finish(&order);
	if (!strcmp(part, "crashes"))
		abort();
	if (!strcmp(part, "another build"))
		send_answer("0.0 0000000000000000\0C", 22);
	else if (!strcmp(part, "nothing"))
		send_answer("", 0);
	else if (!strcmp(part, "noise"))
		send_answer("\xff\xfe\xfd\xfc\xfb\xfa", 6);
	else if (!strcmp(part, "damaged"))
		send_answer(damaged, sizeof(damaged) - 1);
	else if (!strcmp(part, "torn"))
		(void)!send(SOCKET, "\xff\0\0\0\0\0\0\0abc", 11, MSG_NOSIGNAL);
	if (!strcmp(part, "torn"))
		return 0;
	while (poll(&closed, 1, 60000) == 0 || !closed.revents) {
	}
	return 0;
}

/* --- processes ---------- */

static char folder[] = "t_soft_jit_fault.XXXXXX";

static bool place(const char *name, const char *what, bool as_link)
{
	char path[4096], whole[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)unlink(path);
	if (!what)
		return true;
	if (!as_link)
		return !link(what, path);
	return __real_realpath(what, whole) && !symlink(whole, path);
}

/* Runs a case.  compiler: the file that is to be the compiler; NULL: there is none.  said: what the log has to have. */
static void run_case(const char *name, const char *compiler, const char *said)
{
	char program[4096], text[16384];
	int said_by[2], status = 0;
	size_t size_B = 0;
	snprintf(program, sizeof(program), "%s/case", folder);
	REQUIRE(place("culvert-softcuda-compile", compiler, true));
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
	for (ssize_t got_B = 1; got_B > 0 && size_B + 1 < sizeof(text); size_B += got_B > 0 ? (size_t)got_B : 0)
		got_B = read(said_by[0], text + size_B, sizeof(text) - 1 - size_B);
	text[size_B] = '\0';
	/* More than fits is read, too: nobody is to wait for room. */
	for (char rest[4096]; size_B && read(said_by[0], rest, sizeof(rest)) > 0;) {
	}
	(void)close(said_by[0]);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (status || (said && !strstr(text, said))) {
		printf("%s: status 0x%x; the log should have \"%s\":\n%s\n", name, (unsigned)status, said ? said : "", text);
		test_failures++;
	}
}

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
	run_case("refused", "softcuda/exec/libexec.a", "cannot be started: Permission denied");
}

static void a_compiler_is_slow(void)
{
	setenv("CULVERT_SOFT_JIT", "on", 1);
	run_case("on", real_compiler, "is compiled");
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

static int run_named(const char *name)
{
	static const struct { const char *name; void (*run)(void); } cases[] = {
		{"calls", case_calls}, {"refused", case_refused}, {"silent", case_silent}, {"on", case_on},
		{"waits", case_waits}, {"pages", case_pages}, {"memory", case_memory}
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].name, name))
			cases[i].run();
	return test_failures != 0;
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		TEST(calls_of_softcuda_fail), TEST(a_compiler_fails), TEST(a_compiler_is_slow),
		TEST(processes_are_forbidden), TEST(executable_pages_are_forbidden), TEST(the_compiler_has_no_memory)
	};
	int type = 0;
	socklen_t type_B = sizeof(type);
	const char *part = getenv("FAULT_PART");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (part && !getsockopt(SOCKET, SOL_SOCKET, SO_TYPE, &type, &type_B))
		return play(part);
	if (argc > 1)
		return run_named(argv[1]);
	setenv("CULVERT_SOFT_JIT", "always", 1);
	setenv("CULVERT_DEBUG", "info", 1);
	if (access(real_compiler, X_OK) || !mkdtemp(folder) || !place("case", "tests/unit/t_soft_jit_fault", false)) {
		printf("culvert-softcuda-compile is not here, or no folder can be made\n");
		return 99;
	}
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	(void)place("case", NULL, false);
	(void)place("culvert-softcuda-compile", NULL, false);
	(void)rmdir(folder);
	return failed;
}
