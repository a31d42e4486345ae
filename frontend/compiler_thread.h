/* Runs the compiler on a thread of its own with a stack of known size.
 *
 * LLVM's recursion depends on the program, so the size of the caller's stack, which is often small in managed
 * runtimes, must not decide whether a build succeeds.  LLVM ends the process on errors that it calls fatal; on this
 * thread they only end the task, and the memory that LLVM held at that moment is lost.  LLVM allows one error
 * handler in a process: if it is called for another thread, it prints the error and returns, as LLVM does without a
 * handler.
 *
 * Thread-safe; any number of tasks can run at once. */
#ifndef CULVERT_FRONTEND_COMPILER_THREAD_H
#define CULVERT_FRONTEND_COMPILER_THREAD_H

#include "frontend/frontend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs task(argument) and returns its result.  FE_INTERNAL after a fatal error, whose text is appended to log;
 * FE_NO_MEMORY when memory or threads are lacking; then what task wrote through argument is in an unknown state. */
enum fe_status fe_compiler_thread_run(enum fe_status (*task)(void *argument), void *argument,
				      struct bytes *log);

#ifdef __cplusplus
}
#endif

#endif
