/* Protects: the host and its other builds, from sources that want files which never end, all memory, or more
 * than a compiler is made for: each ends soon, with words. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/remove_folder.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LARGE_FILE_B ((off_t)1 << 40)

enum { SOON_S = 20, SOURCE_B = 8 << 20 };

static struct api_test test;
static char folder[] = "/tmp/culvert-hostile-XXXXXX", options[128];

struct outcome {
	cl_int code;
	double took_s;
	char log[65536];
};

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void build(const char *source, const char *more_options, struct outcome *outcome)
{
	char all[256];
	cl_int code;
	snprintf(all, sizeof(all), "%s %s", options, more_options);
	const double start_s = now_s();
	cl_program program = clCreateProgramWithSource(test.context, 1, &source, NULL, &code);
	outcome->code = clBuildProgram(program, 1, &test.device, all, NULL, NULL);
	outcome->took_s = now_s() - start_s;
	outcome->log[0] = '\0';
	build_log(program, test.device, outcome->log, sizeof(outcome->log));
	CHECK_OK(clReleaseProgram(program));
}

/* --- texts --------------------------------------------------------------------------------- */

static char text[SOURCE_B];
static size_t text_B;

static void start(void)
{
	text_B = 0;
	text[0] = '\0';
}

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int more_B = vsnprintf(text + text_B, SOURCE_B - text_B, format, arguments);
	va_end(arguments);
	if (more_B < 0 || (size_t)more_B >= SOURCE_B - text_B)
		abort();
	text_B += (size_t)more_B;
}

static void put_times(unsigned count, const char *word)
{
	while (count--)
		put("%s", word);
}

/* --- files that are none -------------------------------------------------------------------- */

static void included(const char *name, const char *said)
{
	static struct outcome outcome;
	start();
	put("#include \"%s\"\nkernel void k(global int *p) { *p = 1; }\n", name);
	build(text, "", &outcome);
	printf("%-12s %.2f s\n", name, outcome.took_s);
	CHECK_CODE(outcome.code, CL_BUILD_PROGRAM_FAILURE);
	CHECK(outcome.took_s < SOON_S);
	if (!CHECK(strstr(outcome.log, said) != NULL))
		printf("the log of %s: %s\n", name, outcome.log);
}

static void path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", folder, name);
}

static void files(void)
{
	static const char none[] = "it is no regular file";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct outcome *outcome = malloc(sizeof(*outcome));
	char path[256];
	path_of("fifo", path);
	CHECK(!mkfifo(path, 0600));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(!bind(listening, (struct sockaddr *)&address, sizeof(address)));
	path_of("endless", path);
	CHECK(!symlink("/dev/zero", path));
	path_of("large", path);
	const int large = open(path, O_CREAT | O_WRONLY, 0600);
	const bool sparse = large >= 0 && !ftruncate(large, LARGE_FILE_B);
	path_of("again", path);
	FILE *again = fopen(path, "w");
	CHECK(again && fputs("#include \"again\"\n", again) >= 0 && !fclose(again));
	path_of("fine", path);
	FILE *fine = fopen(path, "w");
	CHECK(fine && fputs("#define VALUE 1\n", fine) >= 0 && !fclose(fine));

	included("fifo", none);
	included("socket", none);
	included("endless", none);
	included("/dev/zero", none);
	if (sparse)
		included("large", "it is larger than 1024 MiB");
	included("again", "nested too deeply");
	/* What is looked at on the way is not opened either. */
	build("#if __has_include(\"fine\")\n#include \"fine\"\n#endif\n"
	      "kernel void k(global int *p) { *p = VALUE; }", "", outcome);
	CHECK_OK(outcome->code);
	free(outcome);
	close(listening);
	close(large);
}

/* --- memory ----------------------------------------------------------------------------------- */

static atomic_bool bomb_ended;
static struct outcome bomb;

/* 10^10 additions. */
static void *bomb_main(void *source)
{
	build(source, "", &bomb);
	atomic_store(&bomb_ended, true);
	return NULL;
}

static void memory(void)
{
	static struct outcome beside;
	pthread_t thread;
	unsigned built = 0, failed = 0;
	start();
	put("#define A0 +1\n");
	for (unsigned i = 1; i <= 10; i++) {
		put("#define A%u", i);
		for (unsigned j = 0; j < 10; j++)
			put(" A%u", i - 1);
		put("\n");
	}
	put("kernel void k(global int *p) { *p = 0 A10; }\n");
	CHECK(!pthread_create(&thread, NULL, bomb_main, text));
	while (!atomic_load(&bomb_ended)) {
		char source[64];
		snprintf(source, sizeof(source), "kernel void k(global int *p) { *p = %u; }",
			 built + failed);
		build(source, "", &beside);
		built += !beside.code;
		failed += beside.code != 0;
	}
	pthread_join(thread, NULL);
	printf("a bomb of %.2f s, %u builds beside it\n", bomb.took_s, built);
	CHECK(built > 1);
	CHECK(!failed);
	CHECK(bomb.code == CL_OUT_OF_HOST_MEMORY || bomb.code == CL_BUILD_PROGRAM_FAILURE);
	if (!CHECK(strstr(bomb.log, "CULVERT_COMPILER_MEMORY") != NULL))
		printf("the log: %s\n", bomb.log);
}

/* --- too much of everything ------------------------------------------------------------------------ */

/* Whether it is built or not, the compiler comes to an end of its own. */
static void ends(const char *name, const char *more_options)
{
	static struct outcome outcome;
	build(text, more_options, &outcome);
	printf("%-32s %6.2f s, %d: %.60s\n", name, outcome.took_s, outcome.code,
	       outcome.code ? outcome.log : "");
	CHECK(!strstr(outcome.log, "stopped after"));
	CHECK(!outcome.code || *outcome.log);
}

static void arguments(void)
{
	start();
	put("kernel void k(");
	for (unsigned i = 0; i < 10000; i++)
		put("int a%u, ", i);
	put("global int *p) { *p = a1; }\n");
	ends("10,000 arguments", "");
}

static void nesting(void)
{
	enum { DEPTH = 100000 };
	start();
	put("kernel void k(global int *p) { *p = ");
	put_times(DEPTH, "(");
	put("1");
	put_times(DEPTH, ")");
	put("; }\n");
	ends("100,000 parentheses", "");
	start();
	put("kernel void k(global int *p) { *p = ");
	put_times(DEPTH, "-~");
	put("*p; }\n");
	ends("200,000 operators", "");
	start();
	put("template<int N> struct F { enum { v = F<N - 1>::v + F<N - 2>::v }; };\n"
	    "template<> struct F<0> { enum { v = 0 }; };\n"
	    "template<> struct F<1> { enum { v = 1 }; };\n"
	    "kernel void k(global int *p) { *p = F<%d>::v; }\n", DEPTH);
	ends("templates in templates", "-cl-std=CLC++2021");
	start();
	put("constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i; return s; }\n"
	    "kernel void k(global long *p) { constexpr long v = f(1000000000000); *p = v; }\n");
	ends("a constant of 10^12 steps", "-cl-std=CLC++2021");
}

static void arrays(void)
{
	start();
	put("constant int a[] = {[0 ... 2000000000] = 3};\n"
	    "kernel void k(global int *p) { *p = a[*p]; }\n");
	ends("a constant of 8 GB", "");
	start();
	put("kernel void k(global char *p) { char a[1ul << 40]; a[*p] = 1; *p = a[1]; }\n");
	ends("a private array of 2^40 bytes", "");
}

static void switches(void)
{
	enum { SWITCHES = 6, CASES = 20 };
	start();
	put("kernel void k(global int16 *p, int n) {\n");
	for (unsigned i = 0; i < SWITCHES; i++) {
		put("switch (n + %u) {\n", i);
		for (unsigned j = 0; j < CASES; j++)
			put("case %u: p[%u] = p[%u].sfedcba9876543210 * %u; %s\n", j, j, j + 1, i + j,
			    j % 3 ? "break;" : "");
		put("}\n");
	}
	put("}\n");
	ends("switches of vectors", "");
}

int main(void)
{
	setenv("CULVERT_COMPILER", "process", 1);
	setenv("CULVERT_COMPILER_MEMORY", "200M", 0);
	setenv("CULVERT_COMPILER_TIMEOUT", "100", 0);
	if (!mkdtemp(folder) || !api_test_start(&test, "hostile_sources")) {
		(void)rmdir(folder);
		return API_TEST_SKIP;
	}
	snprintf(options, sizeof(options), "-I %s", folder);
	files();
	memory();
	arguments();
	nesting();
	arrays();
	switches();
	remove_folder(folder);
	return api_test_end(&test);
}
