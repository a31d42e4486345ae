/* Protects: programs that our host does not notice (base/spawn.h): no child of its, no signal, none of its
 * files but what was meant, a session of its own; and the errors of those that cannot be started.
 *
 * Seen to fail with each of these mistakes in spawn.c: the program is the host's child; the host's files stay
 * open in it; its socket is not file 3, or lost where the host's first files are closed; a signal of the host's
 * terminal reaches it; a program that is not there starts; the host's signals stay blocked; where processes are forks,
 * what became of the program is written to memory that is not shared. */
#include "config.h"

#include "base/spawn.h"

#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- clone as qemu-user has it (linked with --wrap) ---------- */

static bool forks_only;

int __real_clone(int (*run)(void *), void *stack, int flags, void *data);
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *data);

/* Processes share no memory that is not shared between any, nobody waits for execve, and SIGCHLD is the only exit
 * signal (qemu's linux-user/syscall.c, do_fork). */
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *data)
{
	if (!forks_only)
		return __real_clone(run, stack, flags, data);
	if ((flags & CSIGNAL) != SIGCHLD) {
		errno = EINVAL;
		return -1;
	}
	return __real_clone(run, stack, flags & ~(CLONE_VM | CLONE_VFORK), data);
}

static int nothing(void *data)
{
	(void)data;
	return 0;
}

/* Whether this test itself runs where processes are such forks. */
static bool runs_with_forks(void)
{
	_Alignas(64) static char stack[16384];
	const pid_t pid = __real_clone(nothing, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, NULL);
	if (pid < 0)
		return errno == EINVAL;
	(void)waitpid(pid, NULL, __WCLONE);
	return false;
}

/* --- the tests ---------- */

static volatile sig_atomic_t children;

static void child_ended(int number)
{
	(void)number;
	children++;
}

/* Starts a shell, and reads what it writes to its file 3. */
static int shell(const char *script, char *said, size_t size_B, pid_t *pid_out)
{
	int sockets[2];
	char *const arguments[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
	char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	*said = '\0';
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return errno;
	struct spawn spawn = {
		.path = "/bin/sh",
		.arguments = arguments,
		.environment = environment,
		.socket = sockets[1],
	};
	const int error = spawn_run(&spawn);
	(void)close(sockets[1]);
	size_t got_B = 0;
	for (ssize_t more_B = 1; !error && more_B > 0 && got_B + 1 < size_B;
	     got_B += (size_t)more_B) {
		more_B = read(sockets[0], said + got_B, size_B - 1 - got_B);
		if (more_B < 0)
			break;
	}
	said[got_B] = '\0';
	(void)close(sockets[0]);
	if (pid_out)
		*pid_out = spawn.pid;
	return error;
}

static void is_nobodys_child(void)
{
	struct sigaction action = {.sa_handler = child_ended}, before;
	char said[256];
	if (runs_with_forks())
		SKIP("an emulator's processes are forks with SIGCHLD");
	sigaction(SIGCHLD, &action, &before);
	CHECK_EQ(shell("echo parent $PPID >&3", said, sizeof(said), NULL), 0);
	CHECK(!strncmp(said, "parent ", 7));
	if (!spawn_adopts()) {
		CHECK(atoi(said + 7) != getpid());
		CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
		CHECK_EQ(children, 0);
	}
	sigaction(SIGCHLD, &before, NULL);
}

static void has_no_files(void)
{
	char said[1024];
	/* Without O_CLOEXEC, as hosts have them.  File 10 is dash's script, and what this test was started with may be
	 * open up to there. */
	const int low = open("/dev/null", O_RDONLY);
	REQUIRE(low >= 0);
	const int file = fcntl(low, F_DUPFD, 300), high = fcntl(low, F_DUPFD, 400);
	REQUIRE(file >= 300 && high >= 400);
	CHECK_EQ(shell("echo /proc/$$/fd/* >&3", said, sizeof(said), NULL), 0);
	for (const char *at = said; (at = strstr(at, "/fd/")); at += 4)
		CHECK(atoi(at + 4) != file && atoi(at + 4) != high);
	CHECK(strstr(said, "/fd/3"));
	(void)close(low);
	(void)close(file);
	(void)close(high);
}

static void has_a_session(void)
{
	char said[256];
	pid_t pid = -1;
	CHECK_EQ(shell("cut -d' ' -f6 /proc/$$/stat >&3", said, sizeof(said), &pid), 0);
	CHECK_EQ(atoi(said), pid);
}

static void errors(void)
{
	char *const arguments[] = {"nothing", NULL};
	sigset_t mask;
	struct spawn spawn = {.path = "/nonexistent/program",
				  .arguments = arguments,
				  .environment = arguments + 1,
				  .socket = STDOUT_FILENO};
	if (runs_with_forks())
		SKIP("an emulator does not tell that execve fails");
	CHECK_EQ(spawn_run(&spawn), ENOENT);
	spawn.path = "/etc/passwd";
	CHECK_EQ(spawn_run(&spawn), EACCES);
	spawn.path = "/bin/sh";
	spawn.socket = 999;
	CHECK_EQ(spawn_run(&spawn), EBADF);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	CHECK_EQ(sigismember(&mask, SIGUSR1), 0);
}

/* A daemon has closed its first files: ours lie there. */
static void without_first_files(void)
{
	const pid_t child = fork();
	if (!child) {
		char said[64];
		for (int i = 0; i < 3; i++)
			(void)close(i);
		const int error = shell("echo there >&3", said, sizeof(said), NULL);
		_exit(error || strcmp(said, "there\n"));
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

static void stopped(void)
{
	const pid_t child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	CHECK(!spawn_stopped(child));
	kill(child, SIGSTOP);
	int status = 0;
	CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
	CHECK(spawn_stopped(child));
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
}

/* The application may notice a process there, but the program is no child of its, and runs. */
static void forks(void)
{
	char said[256];
	pid_t pid = -1;
	int status;
	forks_only = true;
	CHECK_EQ(shell("echo $PPID $$ >&3; echo /proc/$$/fd/* >&3", said, sizeof(said), &pid), 0);
	CHECK(pid > 0 && atoi(said) != getpid() && strchr(said, ' ') && atoi(strchr(said, ' ')) == pid);
	CHECK(strstr(said, "/fd/3") != NULL);
	CHECK(spawn_adopts() || (waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD));
	/* What cannot be executed ends, and its socket with it. */
	char *const arguments[] = {"nothing", NULL};
	int sockets[2];
	char byte;
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets));
	struct spawn spawn = {.path = "/nonexistent/program", .arguments = arguments, .environment = arguments + 1,
			      .socket = sockets[1]};
	(void)spawn_run(&spawn);
	(void)close(sockets[1]);
	CHECK_EQ(read(sockets[0], &byte, 1), 0);
	(void)close(sockets[0]);
	forks_only = false;
}

TEST_MAIN(TEST(is_nobodys_child), TEST(has_no_files), TEST(has_a_session), TEST(errors),
	  TEST(without_first_files), TEST(stopped), TEST(forks))
