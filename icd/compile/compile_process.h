/* Compiles in separate processes, which run the program culvert-compile: if a compiler crashes, hangs or uses up
 * memory, that is not the application's process.
 *
 * A process runs one job at a time, and is started when none is idle; there are up to two for each core, at least four
 * and at most 16.  It ends when it was idle for a while, or when this end of its socket is closed.  The application
 * does not notice it: it is not a child of the application's process, so there is no SIGCHLD and nothing to wait for;
 * it has none of the application's open files, and does not get its signals.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_COMPILE_PROCESS_H
#define CULVERT_ICD_COMPILE_PROCESS_H

#include "icd/compile/job.h"

/* As ocl_compile (compile.h).  False if no such process can be started or CULVERT_COMPILER forbids it; the caller then
 * compiles the job itself.  If the process dies, the build fails with a log that says in which step; if that process
 * had run other jobs before, a new process tries the job first. */
bool ocl_compile_process(const struct ocl_job *job, struct ocl_outcome *outcome);

#endif
