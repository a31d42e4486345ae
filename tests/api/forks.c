/* Protects: programs that fork while OpenCL is at work, as their libraries do behind their backs:
 * the child, in which nothing of ours goes on, ends when it wants to, whatever our threads in the
 * parent were about just then; and the parent does not notice.  So do children of vfork, which start another program:
 * they share the parent's memory until then, and the program inherits no file of ours. */
#include "config.h"

#include "tests/api/fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 60, PATIENCE_S = 20, OUTCOME = 5, AHEAD = 100 };

static struct api_test test;
static cl_command_queue queue;
static atomic_bool enough, is_child;
static atomic_uint enqueued, called;

#ifdef __SANITIZE_ADDRESS__
/* Asked by LeakSanitizer at a process' end.  A child has no copy of the other threads' stacks: what
 * was known there alone looks lost. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_child;
}
#endif

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
	called++;
}

/* Keeps the threads that watch and call back busy with their locks. */
static void *busy_main(void *unused)
{
	(void)unused;
	while (!enough) {
		cl_event event;
		if (enqueued > called + AHEAD)
			continue;
		CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
		enqueued++;
		CHECK_OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
		CHECK_OK(clWaitForEvents(1, &event));
		CHECK_OK(clReleaseEvent(event));
	}
	return NULL;
}

/* What a child ended with; -1: it did not. */
static int outcome_of(pid_t child)
{
	const struct timespec pause = {0, 2000000};
	const time_t end = time(NULL) + PATIENCE_S;
	int status;
	while (time(NULL) <= end) {
		const pid_t ended = waitpid(child, &status, WNOHANG);
		if (ended == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		if (ended < 0 && errno != EINTR)
			return -1;
		nanosleep(&pause, NULL);
	}
	(void)kill(child, SIGKILL);
	(void)waitpid(child, &status, 0);
	return -1;
}

/* By exit(), which calls what libraries have asked it to call. */
static void test_children_end(void)
{
	for (unsigned i = 0; i < CHILDREN; i++) {
		fflush(stdout);
		const pid_t child = fork();
		if (!child) {
			is_child = true;
			exit(OUTCOME);
		}
		if (!CHECK(child > 0) || !CHECK(outcome_of(child) == OUTCOME))
			return;
	}
}

/* A program that ends with the number of files that it was given. */
__attribute__((noinline)) static pid_t vfork_counter(void)
{
	static char *const arguments[] = {(char *)"sh", (char *)"-c",
					  (char *)"set -- /proc/self/fd/*; exit $#", NULL};
	const pid_t child = vfork();
	if (!child) {
		execv("/bin/sh", arguments);
		_exit(99);
	}
	return child;
}

/* vfork(2): all that a child may do but start a program is to end. */
__attribute__((noinline)) static pid_t vfork_child(void)
{
	const pid_t child = vfork();
	if (!child)
		_exit(OUTCOME);
	return child;
}

/* files: how many a program was given before OpenCL was used. */
static void test_vfork_children(int files)
{
	for (unsigned i = 0; i < CHILDREN; i++) {
		const pid_t child = vfork_child();
		if (!CHECK(child > 0) || !CHECK(outcome_of(child) == OUTCOME))
			return;
		if (i % 6)
			continue;
		const pid_t counter = vfork_counter();
		if (!CHECK(counter > 0) || !CHECK_CODE(outcome_of(counter), files))
			return;
	}
}

static void test_parent_goes_on(void)
{
	const cl_uint nine = 9;
	cl_uint word = 0;
	cl_mem mem = buffer_make(test.context, 0, sizeof(word), NULL);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &nine, sizeof(nine), 0, sizeof(nine), 0, NULL,
				     NULL));
	buffer_read(queue, mem, &word, sizeof(word));
	CHECK(word == 9);
	CHECK_OK(clReleaseMemObject(mem));
	for (unsigned tries = 0; called < enqueued && tries < 3000; tries++)
		usleep(10000);
	CHECK(called == enqueued);
}

int main(void)
{
	pthread_t busy;
	const int files = outcome_of(vfork_counter());
	if (!api_test_start(&test, "forks"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	if (CHECK(!pthread_create(&busy, NULL, busy_main, NULL))) {
		while (!called)
			usleep(1000);
		test_children_end();
		test_vfork_children(files);
		enough = true;
		CHECK(!pthread_join(busy, NULL));
	}
	test_parent_goes_on();
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
