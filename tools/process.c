#include "config.h"

#include "tools/process.h"

#include "base/memory_limit.h"
#include "base/options.h"
#include "tools/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_S = 1000000000 };

extern char **environ;

static void read_all(int fd, struct bytes *output)
{
	char part[16384];
	for (;;) {
		ssize_t got_B = read(fd, part, sizeof(part));
		if (got_B < 0 && errno == EINTR)
			continue;
		if (got_B <= 0)
			return;
		bytes_append(output, part, (size_t)got_B);
	}
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return exit_code(status);
}

static int run_captured(char *const argv[], struct bytes *output)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t child;
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	int error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
		if (!error)
			error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (!error)
		read_all(ends[0], output);
	close(ends[0]);
	errno = error;
	return error ? -1 : wait_for(child);
}

/* With the signals blocked, SIGCHLD among them.  A signal that a terminal sends has reached the child already. */
static int wait_and_pass_on(pid_t child, const sigset_t *signals)
{
	static const struct timespec at_once;
	siginfo_t info;
	int status;
	for (;;) {
		const pid_t ended = waitpid(child, &status, WNOHANG);
		if (ended < 0 && errno != EINTR)
			return -1;
		if (ended > 0)
			break;
		const int number = sigwaitinfo(signals, &info);
		if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL)
			(void)kill(child, number);
	}
	/* A signal that came after the child's end would end the tool before it reports. */
	while (sigtimedwait(signals, NULL, &at_once) > 0)
		;
	return exit_code(status);
}

static int run_attended(char *const argv[])
{
	static const int numbers[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	posix_spawnattr_t attributes;
	sigset_t signals, before;
	pid_t child;
	/* Where SIGCHLD is ignored, as a parent may have left it, waitpid gets no exit status. */
	(void)signal(SIGCHLD, SIG_DFL);
	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	int error = posix_spawnattr_init(&attributes), code = -1;
	if (!error) {
		error = posix_spawnattr_setsigmask(&attributes, &before);
		if (!error)
			error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		if (!error)
			error = posix_spawnp(&child, argv[0], NULL, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	if (!error && (code = wait_and_pass_on(child, &signals)) < 0)
		error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return code;
}

int process_run(char *const argv[], struct bytes *output)
{
	return output ? run_captured(argv, output) : run_attended(argv);
}

/* With SIGCHLD blocked; limit_s: 0: as long as it takes. */
static int wait_for_at_most(pid_t child, uint64_t limit_s, const sigset_t *signals)
{
	struct timespec now, rest;
	int status;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const time_t end_s = now.tv_sec + (time_t)(limit_s < LONGEST_S ? limit_s : LONGEST_S);
	for (;;) {
		const pid_t ended = waitpid(child, &status, WNOHANG);
		if (ended < 0 && errno != EINTR)
			return -1;
		if (ended > 0)
			return exit_code(status);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (limit_s && now.tv_sec >= end_s) {
			(void)kill(child, SIGKILL);
			return wait_for(child) < 0 ? -1 : PROCESS_TOO_LONG;
		}
		rest = (struct timespec){.tv_sec = limit_s ? end_s - now.tv_sec : LONGEST_S};
		(void)sigtimedwait(signals, NULL, &rest);
	}
}

int process_apart(int (*work)(void *state), void *state)
{
	sigset_t signals, before;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	/* Or both would write what waits to be written. */
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		memory_limit_set();
		_exit(tool_flush(work(state)));
	}
	int code = child < 0 ? -1
			     : wait_for_at_most(child, option_number(OPTION_COMPILER_TIMEOUT),
						&signals);
	const int error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return code;
}

/* root may be NULL: then there is none. */
static bool find_in(const char *root, const char *tail, const char *name, struct bytes *path)
{
	struct bytes candidate = BYTES_INIT;
	bool found = false;
	if (root && *root == '/') {
		bytes_printf(&candidate, "%s%s/%s", root, tail, name);
		found = !bytes_failed(&candidate) && !access(candidate.data, X_OK);
	}
	if (found)
		bytes_append(path, candidate.data, candidate.size_B);
	bytes_finish(&candidate);
	return found;
}

static bool find_on_path(const char *name, struct bytes *path)
{
	const char *list = getenv("PATH");
	char *copy = strdup(list ? list : ""), *rest = NULL;
	bool found = false;
	for (char *folder = copy ? strtok_r(copy, ":", &rest) : NULL; folder && !found;
	     folder = strtok_r(NULL, ":", &rest))
		found = find_in(folder, "", name, path);
	free(copy);
	return found;
}

bool process_find_cuda(const char *name, struct bytes *path)
{
	return find_in(getenv("CUDA_HOME"), "/bin", name, path) ||
	       find_in(getenv("CUDA_PATH"), "/bin", name, path) || find_on_path(name, path) ||
	       find_in("/usr/local/cuda", "/bin", name, path);
}

char *process_folder(void)
{
	const char *base = getenv("TMPDIR");
	struct bytes name = BYTES_INIT;
	bytes_printf(&name, "%s/culvert-XXXXXX", base && *base == '/' ? base : "/tmp");
	if (!bytes_failed(&name) && mkdtemp(name.data))
		return name.data;
	bytes_finish(&name);
	return NULL;
}

void process_forget_folder(char *folder)
{
	DIR *stream = folder ? opendir(folder) : NULL;
	if (stream) {
		for (const struct dirent *file; (file = readdir(stream));)
			if (strcmp(file->d_name, ".") && strcmp(file->d_name, ".."))
				(void)unlinkat(dirfd(stream), file->d_name, 0);
		closedir(stream);
		(void)rmdir(folder);
	}
	free(folder);
}
