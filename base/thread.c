#include "config.h"

#include "base/thread.h"

#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Signals that a thread's own instructions, abort() and system calls raise in it. */
static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

static int start_masked(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	sigset_t blocked, before;
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own_signals) / sizeof(own_signals[0]); i++)
		sigdelset(&blocked, own_signals[i]);
	/* A new thread inherits the signal mask of the thread that creates it. */
	int error = pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (error)
		return error;
	error = pthread_create(thread, attributes, start, argument);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Returns error, and logs it. */
static int started(int error)
{
	if (error)
		log_err("a thread cannot be started: %s", strerror(error));
	return error;
}

int thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		 void *argument)
{
	return started(start_masked(thread, attributes, start, argument));
}

struct deep_start {
	void *(*start)(void *);
	void *argument;
};

/* The signal stack is at the far end of the thread's stack. */
static void *deep_main(void *argument)
{
	enum { SIGNAL_STACK_B = 64 * 1024 };
	char signal_stack[SIGNAL_STACK_B];
	const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof(signal_stack)};
	const struct deep_start deep = *(struct deep_start *)argument;
	stack_t before;
	free(argument);
	const bool changed = !sigaltstack(&stack, &before);
	void *result = deep.start(deep.argument);
	/* Sanitizers install an alternative stack of their own and expect to find it at the end. */
	if (changed)
		(void)sigaltstack(&before, NULL);
	return result;
}

/* The stack's memory is only reserved: the kernel allocates pages when they are used.  If so much cannot be
 * reserved, because the address space is limited, a smaller stack is tried. */
int thread_start_deep(pthread_t *thread, size_t stack_B, void *(*start)(void *), void *argument)
{
	const size_t least_B = (size_t)8 << 20;
	pthread_attr_t attributes;
	struct deep_start *deep = malloc(sizeof(*deep));
	if (!deep)
		return ENOMEM;
	int error = pthread_attr_init(&attributes);
	if (error) {
		free(deep);
		return error;
	}
	*deep = (struct deep_start){start, argument};
	do {
		error = pthread_attr_setstacksize(&attributes, stack_B);
		if (!error)
			error = start_masked(thread, &attributes, deep_main, deep);
		stack_B /= 8;
	} while (error && stack_B >= least_B);
	pthread_attr_destroy(&attributes);
	if (error)
		free(deep);
	return started(error);
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
