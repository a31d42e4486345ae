/* Starting a program that our host does not notice: not its child, no SIGCHLD, a session of
 * its own, none of the host's files but stderr where that is asked for.
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
	int socket;                  /* becomes the program's file 3; stays ours too */
	bool keep_stderr;
	pid_t pid;                   /* set by ocl_spawn_run */
	int error;                   /* likewise */
};

/* 0 or an errno value. */
int ocl_spawn_run(struct ocl_spawn *spawn);

/* Whether somebody has stopped that program (SIGSTOP), as far as /proc tells; one that a debugger holds is
 * not meant.  It must not have ended. */
bool ocl_spawn_stopped(pid_t pid);

/* Whether those whose parents are gone become our host's children. */
bool ocl_spawn_adopts(void);

/* Ends a program whose socket was closed, where the host has become its parent. */
void ocl_spawn_reap(pid_t pid);

#endif
