/* Protects: threads of ours in a process that is not (base/thread.h): the host's signals are not theirs, those that
 * they bring upon themselves are; a deep one has the stack that it was given, and a smaller one where there is no
 * room for that; the thread that starts one keeps its own signals as they were.
 *
 * Seen to fail with each of these mistakes in thread.c: all signals are blocked, or none; the caller's mask is
 * not what it was; a deep thread has a usual stack; a stack that cannot be had fails the start; an overflow's
 * handler has no stack. */
#include "config.h"

#include "base/thread.h"

#include "tests/unit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void *mask_look(void *mask)
{
	pthread_sigmask(SIG_SETMASK, NULL, mask);
	return mask;
}

static void signals(void)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
	static const int hosts[] = {SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGALRM, SIGHUP};
	sigset_t before, mask, after;
	pthread_t thread;
	void *result = NULL;
	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	REQUIRE(!thread_start(&thread, NULL, mask_look, &mask));
	CHECK(!pthread_join(thread, &result) && result == &mask);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		CHECK_EQ(sigismember(&mask, own[i]), 0);
	for (unsigned i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		CHECK_EQ(sigismember(&mask, hosts[i]), 1);
		CHECK_EQ(sigismember(&after, hosts[i]), 0);
	}
	CHECK_EQ(sigismember(&after, SIGUSR2), 1);
}

/* Uses size_B of the stack. */
static void *stack_use(void *size)
{
	volatile char block[1 << 16];
	size_t *left_B = size;
	block[0] = block[sizeof(block) - 1] = 1;
	if (*left_B <= sizeof(block))
		return NULL;
	*left_B -= sizeof(block);
	stack_use(size);
	return (void *)(uintptr_t)block[0];
}

static void deep(void)
{
	size_t left_B = (size_t)100 << 20;
	CHECK(!thread_run_deep((size_t)128 << 20, stack_use, &left_B));
	CHECK(left_B <= 1 << 16);
}

/* In a process of its own: a limit cannot be raised again. */
static void no_room(void)
{
	const pid_t child = fork();
	if (!child) {
		struct rlimit limit = {(rlim_t)512 << 20, (rlim_t)512 << 20};
		size_t left_B = (size_t)4 << 20;
		setrlimit(RLIMIT_AS, &limit);
		_exit(thread_run_deep((size_t)1 << 30, stack_use, &left_B) || left_B > 1 << 16);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
#endif
}

static void overflown(int number)
{
	(void)number;
	_exit(7);
}

static void *stack_overflow(void *unused)
{
	size_t left_B = (size_t)-1;
	(void)unused;
	return stack_use(&left_B);
}

/* A handler with SA_ONSTACK runs where the stack is used up. */
static void overflow(void)
{
	const pid_t child = fork();
	if (!child) {
		struct sigaction action = {.sa_handler = overflown, .sa_flags = SA_ONSTACK};
		sigaction(SIGSEGV, &action, NULL);
		(void)thread_run_deep((size_t)8 << 20, stack_overflow, NULL);
		_exit(1);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST_MAIN(TEST(signals), TEST(deep), TEST(no_room), TEST(overflow))
