#include "config.h"

#include "tools/program.h"

#include "tools/opencl.h"
#include "tools/process.h"
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *program_file(const struct program *program, const char *name)
{
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/%s", program->folder, name);
	if (!bytes_failed(&path))
		return path.data;
	bytes_finish(&path);
	return NULL;
}

/* Loaders take a library of an .icd file by its path. */
static bool write_icd(const struct program *program)
{
	struct bytes library = BYTES_INIT;
	char *file = program_file(program, "culvert.icd");
	bool found = opencl_library(&library);
	char *real = found ? realpath(library.data, NULL) : NULL;
	int error = !file ? ENOMEM : !real ? ENOENT : bytes_write_file(real, strlen(real), file);
	if (!found)
		tool_error("libculvert.so was not found next to this tool");
	else if (error)
		tool_error("%s: %s", file ? file : "a file", strerror(error));
	free(real);
	free(file);
	bytes_finish(&library);
	return !error;
}

bool program_init(struct program *program)
{
	program->folder = process_folder();
	if (!program->folder) {
		tool_error("cannot create a temporary folder: %s", strerror(errno));
		return false;
	}
	if (write_icd(program) && !setenv("OCL_ICD_VENDORS", program->folder, 1) &&
	    !unsetenv("OCL_ICD_FILENAMES"))
		return true;
	program_finish(program);
	return false;
}

void program_finish(struct program *program)
{
	process_forget_folder(program->folder);
	program->folder = NULL;
}

/* stdout is stderr from here on.  What stdout was, or -1 with errno set. */
static int stdout_hide(void)
{
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return kept;
	int error = errno;
	close(kept);
	errno = error;
	return -1;
}

int program_run(char *const argv[], bool to_stderr)
{
	int kept = to_stderr ? stdout_hide() : -1;
	int status = to_stderr && kept < 0 ? -1 : process_run(argv, NULL);
	int error = errno;
	if (kept >= 0) {
		(void)dup2(kept, STDOUT_FILENO);
		close(kept);
	}
	errno = error;
	if (status >= 0)
		return status;
	tool_error("%s: %s", argv[0], strerror(errno));
	return PROGRAM_NOT_STARTED;
}
