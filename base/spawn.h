/* Starts a program that the application does not notice: it is not a child of the application's process, so that there
 * is no SIGCHLD; it has a session of its own, and none of the application's open files, except stderr if requested.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_BASE_SPAWN_H
#define CULVERT_BASE_SPAWN_H

#include "base/bytes.h"

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	const char *path;            /* of the program */
	char *const *arguments;
	char *const *environment;
	int socket;                  /* the program gets it as descriptor 3; it stays open in this process */
	bool keep_stderr;
	pid_t pid;                   /* set by spawn_run */
	int error;                   /* set by spawn_run: errno in the new process, or 0 */
};

/* Returns 0 or an errno value. */
int spawn_run(struct spawn *spawn);

/* The environment for a program of Culvert's own: the application's, but with Culvert's options as they were when they
 * were read.  The pointers refer to environ and to texts, and end with NULL.  The caller frees both.  False when out of
 * memory. */
bool spawn_environment(struct bytes *texts, struct bytes *pointers);

/* Whether the program was stopped (SIGSTOP), as far as /proc says, and not by a debugger.  It must not have ended. */
bool spawn_stopped(pid_t pid);

/* Whether processes whose parents have ended become children of the application's process (PR_SET_CHILD_SUBREAPER). */
bool spawn_adopts(void);

/* Ends a program whose socket was closed and waits for it, if it has become a child of the application's process. */
void spawn_reap(pid_t pid);

#endif
