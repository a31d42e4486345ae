#include "config.h"

#include "base/thread.h"

#include <signal.h>

/* What its own instructions, abort() and system calls raise in a thread. */
static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

int thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		 void *argument)
{
	sigset_t blocked, before;
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own_signals) / sizeof(own_signals[0]); i++)
		sigdelset(&blocked, own_signals[i]);
	/* A new thread has the mask of the one that makes it. */
	int error = pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (error)
		return error;
	error = pthread_create(thread, attributes, start, argument);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Reserved, not used up: the kernel gives pages as they are touched.  Where so much cannot be
 * reserved (a limit on address space), less must do. */
int thread_start_deep(pthread_t *thread, size_t stack_B, void *(*start)(void *), void *argument)
{
	const size_t least_B = (size_t)8 << 20;
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);
	if (error)
		return error;
	do {
		error = pthread_attr_setstacksize(&attributes, stack_B);
		if (!error)
			error = thread_start(thread, &attributes, start, argument);
		stack_B /= 8;
	} while (error && stack_B >= least_B);
	pthread_attr_destroy(&attributes);
	return error;
}

int thread_run_deep(size_t stack_B, void *(*start)(void *), void *argument)
{
	pthread_t thread;
	const int error = thread_start_deep(&thread, stack_B, start, argument);
	if (!error)
		(void)pthread_join(thread, NULL);
	return error;
}

int thread_start_detached(void *(*start)(void *))
{
	pthread_t thread;
	const int error = thread_start(&thread, NULL, start, NULL);
	if (!error)
		(void)pthread_detach(thread);
	return error;
}
