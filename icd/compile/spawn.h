/* Starts a program that the application does not notice: it is not a child of the application's process, so that there
 * is no SIGCHLD; it has a session of its own, and none of the application's open files, except stderr if requested.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_SPAWN_H
#define CULVERT_ICD_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct ocl_spawn {
	const char *path;            /* of the program */
	char *const *arguments;
	char *const *environment;
	int socket;                  /* the program gets it as descriptor 3; it stays open in this process */
	bool keep_stderr;
	pid_t pid;                   /* set by ocl_spawn_run */
	int error;                   /* set by ocl_spawn_run: errno in the new process, or 0 */
};

/* Returns 0 or an errno value. */
int ocl_spawn_run(struct ocl_spawn *spawn);

/* Whether the program was stopped (SIGSTOP), as far as /proc says, and not by a debugger.  It must not have ended. */
bool ocl_spawn_stopped(pid_t pid);

/* Whether processes whose parents have ended become children of the application's process (PR_SET_CHILD_SUBREAPER). */
bool ocl_spawn_adopts(void);

/* Ends a program whose socket was closed and waits for it, if it has become a child of the application's process. */
void ocl_spawn_reap(pid_t pid);

#endif
