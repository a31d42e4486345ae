/* Other programs, run by the tool. */
#ifndef CULVERT_TOOLS_PROCESS_H
#define CULVERT_TOOLS_PROCESS_H

#include "base/bytes.h"

/* Runs argv[0] (looked for on PATH when it has no slash) to its end.  output gets what it
 * writes to stdout and stderr; NULL: the program writes to the tool's own, and gets each SIGINT, SIGQUIT,
 * SIGTERM or SIGHUP that is sent to the tool, which goes on until the program has ended.  The program's exit code;
 * 128 + the signal's number when it was killed; -1 with errno set when it did not start. */
int process_run(char *const argv[], struct bytes *output);

/* Runs work(state) in a copy of this process, which must have one thread: what crashes there
 * leaves this one alive, and it has the memory and the time that compilers may have.  Returns as
 * process_run does, or PROCESS_TOO_LONG; what work changes stays in the copy. */
enum { PROCESS_TOO_LONG = 1000 };
int process_apart(int (*work)(void *state), void *state);

/* Appends the path of a program of the CUDA toolkit: in CUDA_HOME, CUDA_PATH, on PATH, or
 * in /usr/local/cuda.  False when there is none. */
bool process_find_cuda(const char *name, struct bytes *path);

/* A new folder for this process alone, or NULL; process_forget_folder removes the files
 * in it and itself, and frees the name. */
char *process_folder(void);
void process_forget_folder(char *folder);

#endif
