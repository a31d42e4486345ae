/* Waiting: what it costs the waiting thread, by CULVERT_WAIT, and that the thread is
 * left as it was.
 *
 *	waits            with all manners, each in a process of its own
 *	waits MANNER     with the one that the environment has */
#include "config.h"

#include "tests/api/fixture.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char source[] =
"kernel void work(global int *c, int rounds) {\n"
"	int v = c[0];\n"
"	for (int i = 0; i < rounds; i++)\n"
"		v = v * 3 + (v >> 2);\n"
"	c[0] = v;\n"
"}\n";

enum { LONG_MS = 100, TRIES = 5 };

static double now_ms(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* How long this thread was ready and had no core; negative where the kernel does not tell. */
static double ready_ms(void)
{
	unsigned long long ran_ns, ready_ns;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	if (!file)
		return -1;
	const bool good = fscanf(file, "%llu %llu", &ran_ns, &ready_ns) == 2;
	fclose(file);
	return good ? (double)ready_ns * 1e-6 : -1;
}

struct spent {
	double wall_ms, core_ms, ready_ms;
};

static struct spent spent_since(const struct spent *start)
{
	const struct spent spent = {now_ms(CLOCK_MONOTONIC) - start->wall_ms,
				    now_ms(CLOCK_THREAD_CPUTIME_ID) - start->core_ms,
				    start->ready_ms < 0 ? -1 : ready_ms() - start->ready_ms};
	return spent;
}

/* All the while, but for the cores that others had.  Where that is not known a machine with
 * much else to do gives who spins but a small share. */
static bool has_spun(const struct spent *spent)
{
	return spent->ready_ms < 0 ? spent->core_ms > spent->wall_ms / 20
				   : spent->core_ms + spent->ready_ms > spent->wall_ms / 2;
}

static struct spent run(cl_command_queue queue, cl_kernel kernel, cl_int rounds, bool by_event)
{
	const size_t one = 1;
	cl_event event;
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(rounds), &rounds));
	launch_1d_after(queue, kernel, one, 0, NULL, &event);
	const struct spent start = {now_ms(CLOCK_MONOTONIC), now_ms(CLOCK_THREAD_CPUTIME_ID),
				    ready_ms()};
	if (by_event)
		CHECK_OK(clWaitForEvents(1, &event));
	else
		CHECK_OK(clFinish(queue));
	const struct spent spent = spent_since(&start);
	CHECK_OK(clReleaseEvent(event));
	return spent;
}

static void test_share(cl_command_queue queue, cl_kernel kernel, const char *manner, bool by_event)
{
	cl_int rounds = 1 << 12;
	struct spent spent = run(queue, kernel, rounds, by_event);
	for (; spent.wall_ms < LONG_MS && rounds < 1 << 30; rounds *= 2)
		spent = run(queue, kernel, rounds, by_event);
	CHECK(spent.wall_ms >= LONG_MS);
	/* A machine with much else to do may disturb one of them.  The first runs may have taken longer than the next:
	 * the software device compiles a kernel on which much time is spent. */
	const bool spins = !strcmp(manner, "spin");
	bool good = false;
	for (unsigned i = 0; i < TRIES && !good;) {
		spent = run(queue, kernel, rounds, by_event);
		if (spent.wall_ms < LONG_MS && rounds < 1 << 30) {
			rounds *= 2;
			continue;
		}
		i++;
		good = spins ? has_spun(&spent) : spent.core_ms < spent.wall_ms / 20;
	}
	CHECK(good);
	printf("%s by %s: %.2f of %.0f ms\n", manner, by_event ? "event" : "finish",
	       spent.core_ms, spent.wall_ms);
}

static int test_manner(const char *manner)
{
	struct api_test test;
	if (!api_test_start(&test, "waits"))
		return API_TEST_SKIP;
	CHECK_OK(prctl(PR_SET_TIMERSLACK, 43210, 0, 0, 0));
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem mem = buffer_make(test.context, 0, 4, NULL);
	cl_program program = api_test_build(test.context, test.device, source, "");
	if (program) {
		cl_kernel kernel = kernel_make(program, "work");
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		test_share(queue, kernel, manner, false);
		test_share(queue, kernel, manner, true);
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) == 43210);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}

/* The option is read once in a process. */
static int run_manner(const char *program, const char *manner)
{
	int status;
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_WAIT", manner, 1);
		execl(program, program, manner, (char *)NULL);
		_exit(99);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 99;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	static const char *const manners[] = {"auto", "block", "spin"};
	if (argc > 1)
		return test_manner(argv[1]);
	/* A schedule has a time of its own. */
	if (getenv("CULVERT_SOFT_SCHED"))
		return API_TEST_SKIP;
	for (unsigned i = 0; i < sizeof(manners) / sizeof(manners[0]); i++) {
		const int status = run_manner(argv[0], manners[i]);
		if (status)
			return status;
	}
	return 0;
}
