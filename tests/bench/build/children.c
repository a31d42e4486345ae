#include "config.h"

#include "tests/bench/build/children.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[1024];

static int take_away(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

/* Where the platforms that we know keep what they built. */
static void point_there(void)
{
	static const char *const names[] = {"CULVERT_CACHE_DIR", "CUDA_CACHE_PATH",
					    "POCL_CACHE_DIR"};
	static unsigned generation;
	char path[1100];
	snprintf(path, sizeof(path), "%s/%u", folder, generation++);
	mkdir(path, 0700);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		setenv(names[i], path, 1);
}

void children_begin(void)
{
	const char *above = getenv("TMPDIR");
	snprintf(folder, sizeof(folder), "%s/bench-build-XXXXXX", above ? above : "/tmp");
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(1);
	}
	point_there();
}

void children_forget(void)
{
	point_there();
}

void children_end(void)
{
	nftw(folder, take_away, 16, FTW_DEPTH | FTW_PHYS);
}

const char *children_file(const char *name)
{
	static char path[1100];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void become_child(const char *const *arguments, int answer, const char *stderr_path)
{
	char *words[CHILD_ARGUMENTS + 3] = {"bench_build", "--child"};
	for (unsigned i = 0; i < CHILD_ARGUMENTS && arguments[i]; i++)
		words[i + 2] = (char *)(size_t)arguments[i];
	dup2(answer, STDOUT_FILENO);
	if (stderr_path) {
		int file = open(stderr_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (file >= 0)
			dup2(file, STDERR_FILENO);
		setenv("CULVERT_DEBUG", "info", 1);
	}
	execv("/proc/self/exe", words);
	_exit(127);
}

double child_run(const char *const *arguments, const char *stderr_path)
{
	int pipes[2], status = 1;
	char text[64] = "";
	fflush(stdout);
	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	const pid_t child = fork();
	if (!child)
		become_child(arguments, pipes[1], stderr_path);
	close(pipes[1]);
	size_t size_B = 0;
	for (ssize_t got_B; size_B < sizeof(text) - 1 &&
	     (got_B = read(pipes[0], text + size_B, sizeof(text) - 1 - size_B)) > 0;)
		size_B += (size_t)got_B;
	close(pipes[0]);
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		return -1;
	return atof(text);
}

bool child_stages(const char *path, void (*stage)(void *state, const char *name, double us),
		  void *state)
{
	static const char mark[] = "stage: ";
	char line[1024];
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		char *name = strstr(line, mark), *unit = strstr(line, " us (");
		char *number = unit;
		if (!name || !unit || unit < name)
			continue;
		name += sizeof(mark) - 1;
		*unit = '\0';
		while (number > name && *number != ' ')
			number--;
		*number = '\0';
		stage(state, name, atof(number + 1));
	}
	fclose(file);
	return true;
}
