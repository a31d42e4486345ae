/* Protects: hosts whose stacks are small, as a thread pool's are.  Compilers need much of it: they run
 * where there is enough, in this process, and in one apart that begins under the host's limit. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a build took from its caller before, and 0.3 MiB less than libnvvm does.  Sanitizers' own frames
 * are larger; the limit then shows nothing, but does no harm. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_B ((size_t)512 << 10)
#else
#define STACK_B ((size_t)64 << 10)
#endif

/* Longer variables are left out. */
enum { LONG_B = 1024 };

static struct api_test test;

/* Threads cannot have less than PTHREAD_STACK_MIN, which is 128 KiB on aarch64. */
static size_t stack_B(void)
{
	const long least_B = sysconf(_SC_THREAD_STACK_MIN);
	return least_B > (long)STACK_B ? (size_t)least_B : STACK_B;
}

/* Kernels enough for libnvvm to be given them in parts, on threads of their own. */
#define STEP(n) "x = x * y + " #n "; y ^= x >> 3; x += a[y & 7];"
#define STEPS STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8)
#define STEPS_MANY STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS
#define KERNEL(name)                                                                             \
	"kernel void " name "(global uint *a) { uint x = a[0], y = a[1];" STEPS_MANY "a[0] = x; }\n"

static const char small[] = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
static const char large[] = KERNEL("k") KERNEL("l") KERNEL("m") KERNEL("n");

/* Compiled, and not loaded: what a driver needs to load code is its own affair. */
static void *compile(void *unused)
{
	cl_program program = api_test_program(test.context, small);
	(void)unused;
	CHECK_OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	CHECK_OK(clReleaseProgram(program));
	return NULL;
}

/* Where the driver has room. */
static void build(void)
{
	cl_program program = api_test_build(test.context, test.device, large, "");
	CHECK_OK(clReleaseProgram(program));
}

/* A program's stack also holds its environment, in which make has the list of all tests. */
static void environment_shorten(void)
{
	char name[64];
	for (char **entry = environ; *entry;) {
		const size_t length = strcspn(*entry, "=");
		const bool is_long = strlen(*entry) > LONG_B && length < sizeof(name);
		if (is_long) {
			memcpy(name, *entry, length);
			name[length] = '\0';
		}
		/* unsetenv moves the following entries here. */
		if (!is_long || unsetenv(name))
			entry++;
	}
}

/* In a process of its own, for options are read once. */
static int compile_in(const char *where)
{
	pthread_attr_t attributes;
	pthread_t thread;
	struct rlimit limit;
	environment_shorten();
	setenv("CULVERT_COMPILER", where, 1);
	setenv("CULVERT_CACHE", "off", 1);
	if (!api_test_start(&test, where))
		return API_TEST_SKIP;
	/* New threads and programs have stacks of this size, too. */
	CHECK(!getrlimit(RLIMIT_STACK, &limit));
	limit.rlim_cur = stack_B();
	CHECK(!setrlimit(RLIMIT_STACK, &limit));
	CHECK(!pthread_attr_init(&attributes));
	CHECK(!pthread_attr_setstacksize(&attributes, stack_B()));
	if (CHECK(!pthread_create(&thread, &attributes, compile, NULL)))
		CHECK(!pthread_join(thread, NULL));
	(void)pthread_attr_destroy(&attributes);
	build();
	return api_test_end(&test);
}

int main(void)
{
	static const char *const places[] = {"inside", "process"};
	int worst = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int status = 0;
		pid_t child = fork();
		if (!child)
			_exit(compile_in(places[i]));
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
			printf("FAIL: %s: ended with status %#x\n", places[i], (unsigned)status);
			return 1;
		}
		if (WEXITSTATUS(status) > worst)
			worst = WEXITSTATUS(status);
	}
	return worst;
}
