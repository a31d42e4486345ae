/* Protects: programs are built and run wherever a process may find itself: without /proc, /sys or /dev, in a
 * chroot, in namespaces of its own, without a right to start processes, with nowhere to write to.
 *
 *	environments          each of them, in a child
 *
 * Rows that this user or kernel may not try are said to be left out. */
#include "config.h"

#include "tests/api/fixture.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

enum { LEFT_OUT = 77, OTHER_USER = 65534 };

/* --- namespaces -------------------------------------------------------------------------- */

static bool write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool written = file && fputs(text, file) >= 0;
	return file && !fclose(file) && written;
}

/* A place where files may be mounted: root's own, or a user namespace's. */
static bool own_mounts(void)
{
	char map[64];
	const unsigned user = geteuid(), group = getegid();
	if (unshare(CLONE_NEWNS)) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return false;
		snprintf(map, sizeof(map), "0 %u 1", user);
		if (!write_text("/proc/self/uid_map", map) ||
		    !write_text("/proc/self/setgroups", "deny"))
			return false;
		snprintf(map, sizeof(map), "0 %u 1", group);
		if (!write_text("/proc/self/gid_map", map))
			return false;
	}
	return !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static bool empty(const char *path)
{
	return !mount("none", path, "tmpfs", 0, NULL);
}

static bool no_proc(void)
{
	return own_mounts() && empty("/proc") && access("/proc/self/exe", F_OK);
}

static bool no_sys(void)
{
	return own_mounts() && empty("/sys");
}

/* Not even /dev/null, which a process apart is given as its input. */
static bool no_dev(void)
{
	return own_mounts() && empty("/dev") && access("/dev/null", F_OK);
}

static bool bare(void)
{
	return no_proc() && empty("/sys") && empty("/dev");
}

static bool bare_chroot(void)
{
	static const char root[] = "/mnt/root";
	return own_mounts() && empty("/mnt") && !mkdir(root, 0755) &&
	       !mount("/", root, NULL, MS_BIND | MS_REC, NULL) && empty("/mnt/root/proc") &&
	       empty("/mnt/root/sys") && !chroot(root) && !chdir("/") &&
	       access("/proc/self", F_OK);
}

static bool nothing_to_write(void)
{
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("CULVERT_CACHE_DIR");
	return own_mounts() && !mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) &&
	       mkdir("/culvert-environments", 0700) && errno == EROFS;
}

/* Everybody is nobody in it. */
static bool user_namespace(void)
{
	return !unshare(CLONE_NEWUSER);
}

static bool network_namespace(void)
{
	return !unshare(CLONE_NEWNET) || !unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

/* The host is number 1, and has orphans; /proc is another namespace's. */
static bool first_process(void)
{
	int status = 1;
	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return false;
	const pid_t child = fork();
	if (!child)
		return getpid() == 1;
	if (child < 0 || waitpid(child, &status, 0) != child)
		_exit(1);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Rights that a server gives up; the folder that it is in may be root's. */
static bool given_up_rights(void)
{
	return !setgid(OTHER_USER) && !setuid(OTHER_USER);
}

/* --- calls that are forbidden -------------------------------------------------------------- */

static bool no_new_privileges(void)
{
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* What a sandbox forbids: each call ends with an error. */
static bool forbid(const int *calls, unsigned count, unsigned error)
{
	enum { ROWS_MOST = 64 };
	struct sock_filter rows[ROWS_MOST] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = {.len = 4, .filter = rows};
	for (unsigned i = 0; i < count; i++) {
		rows[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   (unsigned)calls[i], 0, 1);
		rows[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
								   SECCOMP_RET_ERRNO | error);
	}
	rows[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return no_new_privileges() && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#define FORBID(error, ...)                                                                         \
	forbid((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), error)

/* As a profile that is older than these calls. */
static bool old_profile(void)
{
	return FORBID(ENOSYS, 435 /* clone3 */, 436 /* close_range */, 437 /* openat2 */,
		      439 /* faccessat2 */, 444, 445, 446 /* Landlock */, SYS_seccomp, SYS_statx);
}

static bool no_programs(void)
{
	return FORBID(EPERM, SYS_execve, SYS_execveat);
}

static bool no_sockets(void)
{
	return FORBID(EACCES, SYS_socket, SYS_socketpair);
}

static bool no_own_sandbox(void)
{
	return FORBID(EPERM, SYS_prctl, SYS_seccomp, 444, 445, 446, SYS_prlimit64, SYS_setsid);
}

static bool no_memory_files(void)
{
	return FORBID(ENOSYS, SYS_memfd_create) && FORBID(EPERM, SYS_sched_setaffinity);
}

/* --- limits ---------------------------------------------------------------------------------- */

static bool few_files(void)
{
	const struct rlimit limit = {48, 48};
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* --- a program --------------------------------------------------------------------------------- */

static cl_int value_of(struct api_test *test)
{
	static const char source[] = "kernel void k(global int *p) { *p = 42; }";
	const size_t one = 1;
	cl_int value = -1;
	cl_program program = api_test_build(test->context, test->device, source, "");
	if (!program)
		return -1;
	cl_kernel kernel = kernel_make(program, "k");
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	cl_mem buffer = api_test_zeros(test->context, 1);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	launch_1d(queue, kernel, one);
	buffer_read(queue, buffer, &value, sizeof(value));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	return value;
}

static const struct environment {
	const char *name;
	bool (*enter)(void);
	bool apart;              /* a process apart must be had there */
} environments[] = {
	{"without /proc", no_proc, true},
	{"without /sys", no_sys, true},
	{"without /dev", no_dev, false},
	{"without any of them", bare, false},
	{"a chroot without /proc and /sys", bare_chroot, true},
	{"nowhere to write to", nothing_to_write, true},
	{"a user namespace", user_namespace, true},
	{"a network namespace", network_namespace, true},
	{"the first process of a namespace", first_process, true},
	{"rights given up", given_up_rights, false},
	{"no new privileges", no_new_privileges, true},
	{"an old seccomp profile", old_profile, true},
	{"no programs may be started", no_programs, false},
	{"no sockets", no_sockets, false},
	{"no sandbox of one's own", no_own_sandbox, true},
	{"no files in memory", no_memory_files, true},
	{"48 files", few_files, true},
};

static int child_main(const struct environment *environment)
{
	struct api_test test;
	setenv("CULVERT_COMPILER", environment->apart ? "process" : "auto", 1);
	if (!environment->enter())
		return LEFT_OUT;
	api_test_checks = api_test_failures = 0;
	if (!api_test_start(&test, environment->name))
		return 1;
	CHECK(value_of(&test) == 42);
	CHECK_OK(clReleaseContext(test.context));
	return api_test_failures ? 1 : 0;
}

static void try(const struct environment *environment)
{
	int status = -1;
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		const int result = child_main(environment);
		fflush(stdout);
		_exit(result);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	const int result = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	printf("%-40s %s\n", environment->name,
	       !result ? "well" : result == LEFT_OUT ? "SKIP: not to be had here" : "FAIL");
	CHECK(!result || result == LEFT_OUT);
}

int main(void)
{
	static struct api_test test = {.name = "environments"};
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(environments) / sizeof(environments[0]); i++)
		try(&environments[i]);
	return api_test_end(&test);
}
