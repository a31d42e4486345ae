/* Running an OpenCL program that knows nothing of this, with Culvert as its only
 * platform. */
#ifndef CULVERT_TOOLS_PROGRAM_H
#define CULVERT_TOOLS_PROGRAM_H

#include <stdbool.h>

struct program {
	char *folder;            /* of its own files; program_finish takes it away */
};

/* Sets the environment that program_run passes on: OCL_ICD_VENDORS leads to this
 * installation's library.  False: that was said. */
bool program_init(struct program *program);
void program_finish(struct program *program);

/* A file in program->folder; owned by the caller, NULL when out of memory. */
char *program_file(const struct program *program, const char *name);

/* To its end: its exit code, 128 + the number of the signal that killed it, or PROGRAM_NOT_STARTED,
 * which was said then.  With to_stderr what it writes to stdout goes to stderr. */
enum { PROGRAM_NOT_STARTED = -1, PROGRAM_NOT_STARTED_EXIT = 127 };
int program_run(char *const argv[], bool to_stderr);

#endif
