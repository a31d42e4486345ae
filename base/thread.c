#include "config.h"

#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

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

int thread_start_detached(void *(*start)(void *))
{
	pthread_t thread;
	const int error = thread_start(&thread, NULL, start, NULL);
	if (!error)
		(void)pthread_detach(thread);
	return error;
}
