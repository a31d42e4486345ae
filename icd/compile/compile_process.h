/* Compiling in a process apart, culvert-compile beside our libraries: what crashes, hangs
 * or eats all memory there is that process and not our host.
 *
 * A process is started when a job finds none free, one for each job at a time, twice as many as
 * there are cores, four at least and 16 at most; it ends when it had nothing to do for a while or
 * when our end of its socket is closed.  It is nobody's child that our host could see: no SIGCHLD,
 * nothing to wait for.  It has none of the host's files and does not follow its signals.
 *
 * Thread-safe; no lock may be held. */
#ifndef CULVERT_ICD_COMPILE_PROCESS_H
#define CULVERT_ICD_COMPILE_PROCESS_H

#include "icd/compile/job.h"

/* As ocl_compile (compile.h), or false: there is no such process to be had (or CULVERT_COMPILER forbids
 * it), and the job is the caller's to do.  A process that died makes the job a failed build
 * with a log that tells where; had it served others before, a fresh one is tried first. */
bool ocl_compile_process(const struct ocl_job *job, struct ocl_outcome *outcome);

#endif
