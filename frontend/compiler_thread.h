/* Where the compiler runs: a thread of its own with a stack of known size.
 *
 * LLVM's recursion follows the program it is given, so the caller's stack (often
 * small, in managed runtimes) must not decide whether a build works.  LLVM ends
 * the process on errors that it calls fatal; on this thread they end the task.
 * The memory that LLVM held at that moment is lost, the process is not.
 * LLVM allows one handler per process: when it is called for a thread of someone
 * else, it prints and returns as LLVM without a handler would.
 *
 * Thread-safe; any number of tasks at once. */
#ifndef CULVERT_FRONTEND_COMPILER_THREAD_H
#define CULVERT_FRONTEND_COMPILER_THREAD_H

#include "frontend/frontend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs task(argument) and returns what it returned; FE_INTERNAL after a fatal
 * error, whose text is appended to log, FE_NO_MEMORY when memory or threads ran out.
 * Whatever task wrote through argument is then in an unknown state. */
enum fe_status fe_compiler_thread_run(enum fe_status (*task)(void *argument), void *argument,
				      struct bytes *log);

#ifdef __cplusplus
}
#endif

#endif
