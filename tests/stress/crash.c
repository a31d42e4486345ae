/* A host whose compilers crash and end, hang (slow), are stopped (stopped SECONDS) or are taken over (confined CODE,
 * the code of that build), for crash.sh to look at.  It must
 * live, its other builds must be made, and nothing of the compiler's process may show in it. */
#include "config.h"

#include "tests/api/entries.h"
#include "tests/api/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child_signals;

static void on_child(int number)
{
	(void)number;
	child_signals++;
}

static char log_text[65536];

static cl_int build(const struct api_test *test, const char *source, const char *options)
{
	return build_code(test->context, test->device, source, options, log_text, sizeof(log_text));
}

static void check_planted(const struct api_test *test, const char *source, const char *said)
{
	CHECK_CODE(build(test, source, ""), CL_BUILD_PROGRAM_FAILURE);
	if (!CHECK(strstr(log_text, said) != NULL))
		printf("the log: %s\n", log_text);
	/* An innocent one after it. */
	CHECK_OK(build(test, "kernel void k(global int *p) { *p = 1; }", ""));
}

/* What the program made of p. */
static cl_int result_of(const struct api_test *test, cl_program program)
{
	cl_int result = 0;
	size_t one = 1;
	cl_kernel kernel = kernel_make(program, "plant_optimised");
	cl_mem memory = buffer_make(test->context, 0, sizeof(result), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(memory), &memory));
	cl_command_queue queue = queue_make(test->context, test->device, 0);
	launch_1d(queue, kernel, one);
	buffer_read(queue, memory, &result, sizeof(result));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseMemObject(memory));
	CHECK_OK(clReleaseKernel(kernel));
	return result;
}

/* Built where libnvvm crashes if it optimises; its log is in log_text. */
static cl_program built_cautiously(const struct api_test *test, const char *source)
{
	cl_program program = api_test_program(test->context, source);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	build_log(program, test->device, log_text, sizeof(log_text));
	CHECK(strstr(log_text, "compiled without optimization instead") != NULL);
	CHECK(!strstr(log_text, "error"));
	return program;
}

/* libnvvm crashes only where it optimises: the program is built all the same, what it did not crash
 * on as if it had not, and the log names the rest. */
static void check_cautious(const struct api_test *test, const char *source, bool others)
{
	cl_program program = built_cautiously(test, source);
	if (!CHECK(strstr(log_text, "warning: the compiler crashed in libnvvm") != NULL))
		printf("the log: %s\n", log_text);
	const char *named = strstr(log_text, "not optimised: ");
	CHECK(named && strstr(named, "plant_optimised"));
	CHECK(!strstr(log_text, "other0") && !strstr(log_text, "other7"));
	for (int i = 0; others && i < 8; i += 7) {
		char name[16];
		snprintf(name, sizeof(name), "other%d", i);
		cl_kernel kernel = kernel_make(program, name);
		CHECK_OK(clReleaseKernel(kernel));
	}
	CHECK(result_of(test, program) == 42);
	CHECK_OK(clReleaseProgram(program));
}

/* What it refuses then without optimising is built as -cl-opt-disable has it. */
static void check_refused(const struct api_test *test)
{
	const char *source = "kernel void plant_refused(global int *p) {}\n"
			     "kernel void plant_optimised(global int *p) { int x = 42; *p = x; }";
	cl_program program = built_cautiously(test, source);
	CHECK(result_of(test, program) == 42);
	CHECK_OK(clReleaseProgram(program));
}

/* So much that libnvvm's part of it is shared out to threads.  In front of the third and the sixth kernel
 * stands one more where there are words for it. */
static const char *many_kernels(const char *name, const char *third, const char *sixth)
{
	static char source[65536];
	size_t at = 0;
	for (int k = 0; k < 8; k++) {
		at += (size_t)snprintf(source + at, sizeof(source) - at, "%s\n",
				       k == 2 ? third : k == 5 ? sixth : "");
		at += (size_t)snprintf(source + at, sizeof(source) - at,
				       "kernel void %s%d(global int *p) {\n", name, k);
		for (int i = 0; i < 120; i++)
			at += (size_t)snprintf(source + at, sizeof(source) - at,
					       "p[%d] = p[%d] * p[%d];\n", i, i + 1, i + 2 + k);
		at += (size_t)snprintf(source + at, sizeof(source) - at, "}\n");
	}
	return source;
}

/* No other process can be started: what the first died of is what is told. */
static void check_alone(const struct api_test *test)
{
	struct rlimit before, none;
	CHECK_OK(build(test, "kernel void k(global int *p) { *p = 1; }", ""));
	if (!CHECK(!getrlimit(RLIMIT_NOFILE, &before)))
		return;
	none = before;
	/* No pair of sockets; poll(2) wants one. */
	none.rlim_cur = 1;
	CHECK(!setrlimit(RLIMIT_NOFILE, &none));
	const cl_int code = build(test, "kernel void plant_segv(global int *p) { *p = 1; }", "");
	CHECK(!setrlimit(RLIMIT_NOFILE, &before));
	CHECK_CODE(code, CL_BUILD_PROGRAM_FAILURE);
	if (!CHECK(strstr(log_text, "crashed in libnvvm") != NULL))
		printf("the log: %s\n", log_text);
}

/* --- a process that is stopped -------------------------------------------------------------- */

/* Whether a file of /proc/PROCESS has the text.  The environment may have as many bytes as a quarter of the stack. */
static bool process_says(const char *process, const char *file, const char *text)
{
	enum { MOST_B = 8 << 20 };
	char path[64], *found = malloc(MOST_B);
	snprintf(path, sizeof(path), "/proc/%s/%s", process, file);
	FILE *stream = fopen(path, "r");
	const size_t found_B = stream && found ? fread(found, 1, MOST_B, stream) : 0;
	const bool says = found_B && memmem(found, found_B, text, strlen(text));
	if (stream)
		fclose(stream);
	free(found);
	return says;
}

/* The compiler's process: it has our environment as it is now, and nobody else has; 0: there is none. */
static pid_t compiler_find(void)
{
	char mark[64];
	DIR *folder = opendir("/proc");
	pid_t found = 0;
	snprintf(mark, sizeof(mark), "CRASH_HOST=%d", (int)getpid());
	for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
		if (process_says(entry->d_name, "comm", "culvert-compile") &&
		    process_says(entry->d_name, "environ", mark))
			found = (pid_t)atoi(entry->d_name);
	if (folder)
		closedir(folder);
	return found;
}

/* Ended, or a zombie that init has not looked at. */
static bool ends(pid_t pid)
{
	char name[16];
	snprintf(name, sizeof(name), "%d", (int)pid);
	for (int ms = 0; ms < 20000; ms += 10) {
		if (kill(pid, 0) || process_says(name, "status", "\nState:\tZ"))
			return true;
		usleep(10000);
	}
	return false;
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *stop_soon(void *stopped)
{
	usleep(200000);
	*(pid_t *)stopped = compiler_find();
	if (*(pid_t *)stopped > 0)
		CHECK(!kill(*(pid_t *)stopped, SIGSTOP));
	return NULL;
}

/* In the middle of a job: another one has it. */
static void check_stopped_at_work(const struct api_test *test, double most_s)
{
	pthread_t thread;
	pid_t stopped = 0;
	const double start_s = now_s();
	CHECK(!pthread_create(&thread, NULL, stop_soon, &stopped));
	CHECK_OK(build(test, "kernel void plant_pause(global int *p) { *p = 1; }", ""));
	CHECK(now_s() - start_s < most_s);
	pthread_join(thread, NULL);
	if (CHECK(stopped > 0)) {
		CHECK(!kill(stopped, SIGCONT));
		CHECK(ends(stopped));
	}
}

/* A process that takes nothing, not even all of an order larger than a socket holds, keeps nobody
 * for long: another one does the job. */
static void check_stopped(const struct api_test *test, double most_s)
{
	enum { LARGE_B = 4 << 20 };
	const char *kernel = "kernel void k(global int *p) { *p = 1; }";
	char *large = malloc(LARGE_B + 1);
	if (!CHECK(large != NULL))
		return;
	memset(large, '\n', LARGE_B);
	memcpy(large, kernel, strlen(kernel));
	large[LARGE_B] = '\0';
	const char *const sources[] = {kernel, large};
	for (int i = 0; i < 2; i++) {
		CHECK_OK(build(test, kernel, ""));
		const pid_t stopped = compiler_find();
		if (!CHECK(stopped > 0))
			break;
		CHECK(!kill(stopped, SIGSTOP));
		const double start_s = now_s();
		CHECK_OK(build(test, sources[i], ""));
		CHECK(now_s() - start_s < most_s);
		CHECK(!kill(stopped, SIGCONT));
		CHECK(ends(stopped));
	}
	free(large);
	check_stopped_at_work(test, most_s);
}

struct builder {
	const struct api_test *test;
	const char *source;
	cl_int expected;
	bool good;
};

static void *build_some(void *argument)
{
	struct builder *builder = argument;
	cl_int code;
	builder->good = true;
	for (int i = 0; i < 4; i++) {
		cl_program program = clCreateProgramWithSource(builder->test->context, 1,
							       &builder->source, NULL, &code);
		builder->good &= !code && clBuildProgram(program, 0, NULL, "", NULL, NULL) ==
						  builder->expected;
		builder->good &= !clReleaseProgram(program);
	}
	return NULL;
}

/* Crashes of some leave the others at it alone. */
static void check_threads(const struct api_test *test)
{
	enum { THREADS = 6 };
	pthread_t threads[THREADS];
	struct builder builders[THREADS];
	for (int i = 0; i < THREADS; i++) {
		builders[i] = (struct builder){
			.test = test,
			.source = i % 3 ? "kernel void k(global int *p) { *p = 1; }"
					: "kernel void plant_segv(global int *p) { *p = 1; }",
			.expected = i % 3 ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE,
		};
		CHECK(!pthread_create(&threads[i], NULL, build_some, &builders[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK(builders[i].good);
	}
}

/* A compiler that strangers took over can write nothing and reach nobody. */
static void check_confined(const struct api_test *test, cl_int expected)
{
	CHECK_CODE(build(test, "kernel void plant_escape(global int *p) { *p = 1; }", ""), expected);
}

/* What comes to its end only by the time that a compiler has. */
static void check_slow(const struct api_test *test)
{
	check_planted(test, "kernel void plant_hang(global int *p) { *p = 1; }", "stopped after");
}

static void check_quick(const struct api_test *test)
{
	check_planted(test, "kernel void plant_segv(global int *p) { *p = 1; }",
		      "crashed in libnvvm with a segmentation fault");
	check_planted(test, "kernel void plant_abort(global int *p) { *p = 1; }",
		      "crashed in libnvvm with an assertion");
	check_planted(test, "kernel void plant_exit(global int *p) { *p = 1; }",
		      "ended without a message");
	check_planted(test, many_kernels("plant_overflow", "", ""),
		      "crashed in libnvvm with a segmentation fault");
	/* Clang's own. */
	check_planted(test, "#pragma clang __debug crash\nkernel void k(void) {}",
		      "crashed in Clang");
	const char *planted = "kernel void plant_optimised(global int *p) { *p = 42; }";
	check_cautious(test, planted, false);
	check_refused(test);
	check_cautious(test, many_kernels("other", planted, ""), true);
	check_cautious(test, many_kernels("other", "kernel void plant_optimised_too(global int *p) {}",
					  planted), true);
	check_alone(test);
	check_threads(test);
}

int main(int argc, char **argv)
{
	struct api_test test;
	struct sigaction action = {.sa_handler = on_child};
	sigaction(SIGCHLD, &action, NULL);
	char own[16];
	snprintf(own, sizeof(own), "%d", (int)getpid());
	setenv("CRASH_HOST", own, 1);
	/* Whoever opened them first has the numbers that are free. */
	close(STDIN_FILENO);
	if (!api_test_start(&test, "crash"))
		return API_TEST_SKIP;
	alarm(240);
	CHECK_OK(build(&test, "kernel void k(global int *p) { *p = 1; }", ""));
	const unsigned files = entries_of("/proc/self/fd");
	if (argc > 1 && !strcmp(argv[1], "slow"))
		check_slow(&test);
	else if (argc > 2 && !strcmp(argv[1], "confined"))
		check_confined(&test, atoi(argv[2]));
	else if (argc > 2 && !strcmp(argv[1], "stopped"))
		check_stopped(&test, atof(argv[2]));
	else
		check_quick(&test);
	/* What was idle may be kept: one socket for each that ran at once. */
	CHECK(entries_of("/proc/self/fd") <= files + 6);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	CHECK(!child_signals);
	return api_test_end(&test);
}
