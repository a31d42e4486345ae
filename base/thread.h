/* Starts threads that the driver needs in the application's process.
 *
 * The application's signals are for its own threads: the threads started here block all signals except those that a
 * thread causes itself (SIGSEGV and the like).  The application may handle these, also in callbacks and where its
 * memory is copied, and the kernel ends a process in which such a signal is blocked when it occurs.
 *
 * Thread-safe. */
#ifndef CULVERT_BASE_THREAD_H
#define CULVERT_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As pthread_create(), whose errors (numbers of errno) it returns; attributes may be NULL.
 * The caller joins. */
int thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		 void *argument);
/* As thread_start, with a stack of stack_B bytes, or of at least 8 MiB where stack_B cannot be had.  It is for code
 * that recurses over a program's text: the default size of stacks may be small in the application's process.  The
 * thread has an alternate signal stack, for handlers with SA_ONSTACK, in case it uses up its stack. */
int thread_start_deep(pthread_t *thread, size_t stack_B, void *(*start)(void *), void *argument);
/* Calls start on a thread made by thread_start_deep and waits for its end; the value that start returns is ignored. */
int thread_run_deep(size_t stack_B, void *(*start)(void *), void *argument);
/* Starts a detached thread with the default size of stack, which is not joined. */
int thread_start_detached(void *(*start)(void *));

#ifdef __cplusplus
}
#endif

#endif
