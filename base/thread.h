/* Threads of ours in a process that is not.
 *
 * The host's signals are the business of the host's threads: in a thread of ours all are
 * blocked but those that a thread brings upon itself (SIGSEGV and its like).  Of these the
 * host may make use, also in callbacks and where its memory is copied, and the kernel ends a
 * process that brings about one that it has blocked, handler or not.
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
/* The same with a stack of stack_B bytes, or at least 8 MiB where so many cannot be had.  For what
 * recurses over a program's text: the host's own stack, whose size others would have, may be small.
 * Handlers with SA_ONSTACK have a stack apart there, for what uses up the other. */
int thread_start_deep(pthread_t *thread, size_t stack_B, void *(*start)(void *), void *argument);
/* Calls start on such a thread and waits for it; what start returns is lost. */
int thread_run_deep(size_t stack_B, void *(*start)(void *), void *argument);
/* One that nobody joins. */
int thread_start_detached(void *(*start)(void *));

#ifdef __cplusplus
}
#endif

#endif
