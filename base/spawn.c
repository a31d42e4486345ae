/* How the program is started without being noticed. clone() without an exit signal creates a middle process, which
 * only a wait with __WCLONE finds: wait() and waitpid(-1) of the application do not return it, and its end raises no
 * signal.  The middle process creates the process that executes the program and ends at once, so that init becomes
 * the program's parent.  A direct child would not do, because execve sets the exit signal to SIGCHLD again
 * (clone(2)).
 *
 * Both processes share this process' memory, and suspend this thread until execve (CLONE_VM, CLONE_VFORK), as
 * posix_spawn does: nothing is copied, however much memory the application uses.
 *
 * qemu-user makes forks of both, and only with SIGCHLD as exit signal.  There the application can notice the middle
 * process, and an execve that fails is only known by the end of the program's process. */
#include "config.h"

#include "base/spawn.h"

#include "base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(start, size_B) ((void)0)
#endif

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer's clone assumes a fork and afterwards ignores the thread that called it; here the memory is
 * shared. */
int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);
#define clone __clone
#endif

enum { STACK_B = 64 * 1024, SOCKET = 3, FIRST_FREE = 10, OPEN_MAX_TRIED = 1 << 16 };

/* What the three processes share, also where they are forks. */
struct stacks {
	_Alignas(64) char middle[STACK_B], program[STACK_B];
	const struct spawn *spawn;
	pid_t pid;
	int error;
};

/* System calls are made directly: a preloaded library or a sanitizer may replace the C library's functions and would
 * take the child's files for the application's, because both share memory. */
static int file_open_null(void)
{
	return (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
}

static int file_copy_to_free(int file)
{
	return (int)syscall(SYS_fcntl, file, F_DUPFD, FIRST_FREE);
}

/* file and number are different. */
static bool file_copy_to(int file, int number)
{
	return syscall(SYS_dup3, file, number, 0) == number;
}

static void close_from(unsigned first)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, ~0u, 0))
		return;
#endif
	struct rlimit limit = {.rlim_cur = OPEN_MAX_TRIED};
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur > OPEN_MAX_TRIED)
		limit.rlim_cur = OPEN_MAX_TRIED;
	for (int file = (int)first; file < (int)limit.rlim_cur; file++)
		(void)syscall(SYS_close, file);
}

/* Moves our two files above the first ten numbers before they are copied to 0 to 3: the application may have closed
 * its first three files, and ours may have got their numbers. */
static int files_arrange(const struct spawn *spawn)
{
	const int none = file_open_null();
	const int null = none < 0 ? -1 : file_copy_to_free(none);
	const int socket = file_copy_to_free(spawn->socket);
	if (null < 0 || socket < 0 || !file_copy_to(null, STDIN_FILENO) ||
	    !file_copy_to(null, STDOUT_FILENO) ||
	    (!spawn->keep_stderr && !file_copy_to(null, STDERR_FILENO)) ||
	    !file_copy_to(socket, SOCKET))
		return errno;
	close_from(SOCKET + 1);
	return 0;
}

static int program_main(void *argument)
{
	struct stacks *stacks = argument;
	const struct spawn *spawn = stacks->spawn;
	/* A new session, so that Ctrl-C, which is meant for the application, does not end this process. */
	(void)setsid();
	stacks->error = files_arrange(spawn);
	if (stacks->error)
		return 1;
	(void)execve(spawn->path, spawn->arguments, spawn->environment);
	stacks->error = errno;
	return 1;
}

static int middle_main(void *argument)
{
	struct stacks *stacks = argument;
	const pid_t pid = clone(program_main, stacks->program + STACK_B, CLONE_VM | CLONE_VFORK | SIGCHLD, stacks);
	if (pid < 0)
		stacks->error = errno;
	else
		stacks->pid = pid;
	return 0;
}

static void run_middle(struct stacks *stacks)
{
	char *stack = stacks->middle + STACK_B;
	pid_t middle = clone(middle_main, stack, CLONE_VM | CLONE_VFORK, stacks);
	if (middle < 0 && errno == EINVAL)
		middle = clone(middle_main, stack, CLONE_VM | CLONE_VFORK | SIGCHLD, stacks);
	if (middle < 0)
		stacks->error = errno;
	while (middle >= 0 && waitpid(middle, NULL, __WALL) < 0 && errno == EINTR) {
	}
}

int spawn_run(struct spawn *spawn)
{
	sigset_t all, before;
	struct stacks *stacks = mmap(NULL, sizeof(*stacks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stacks == MAP_FAILED)
		return spawn->error = ENOMEM;
	stacks->spawn = spawn;
	stacks->pid = -1;
	/* The application's signal handlers must not run in processes that share its memory. */
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	run_middle(stacks);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	spawn->pid = stacks->pid;
	spawn->error = stacks->error;
	/* The processes left their functions without a return, so AddressSanitizer would take what is mapped here next
	 * for their variables. */
	ASAN_UNPOISON_MEMORY_REGION(stacks, sizeof(*stacks));
	(void)munmap(stacks, sizeof(*stacks));
	return spawn->error;
}

bool spawn_environment(struct bytes *texts, struct bytes *pointers)
{
	static const char ours[] = "CULVERT_";
	size_t offsets_B[OPTION_COUNT];
	for (int i = 0; i < OPTION_COUNT; i++) {
		offsets_B[i] = texts->size_B;
		bytes_printf(texts, "%s=%s", option_name((enum option)i),
			     option_string((enum option)i));
		bytes_append_char(texts, '\0');
	}
	for (char **entry = environ; entry && *entry; entry++)
		if (strncmp(*entry, ours, strlen(ours)))
			bytes_append(pointers, entry, sizeof(*entry));
	if (bytes_failed(texts))
		return false;
	for (int i = 0; i < OPTION_COUNT; i++) {
		const char *text = texts->data + offsets_B[i];
		bytes_append(pointers, &text, sizeof(text));
	}
	const char *end = NULL;
	bytes_append(pointers, &end, sizeof(end));
	return !bytes_failed(pointers);
}

bool spawn_stopped(pid_t pid)
{
	char path[32], text[512];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t size_B = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	if (file >= 0)
		(void)close(file);
	text[size_B > 0 ? size_B : 0] = '\0';
	/* The format is "PID (NAME) STATE ..."; NAME may contain any characters. */
	const char *end = strrchr(text, ')');
	return end && !strncmp(end, ") T", 3);
}

bool spawn_adopts(void)
{
	int reaper = 0;
	return getpid() == 1 || (!prctl(PR_GET_CHILD_SUBREAPER, &reaper) && reaper);
}

void spawn_reap(pid_t pid)
{
	/* Only a child's number is certain: it is not reused before the child was waited for. */
	if (!spawn_adopts() || waitpid(pid, NULL, WNOHANG))
		return;
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
}
