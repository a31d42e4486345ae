/* Protects: programs that threads build, from a thread that unloads the compiler meanwhile: what is kept
 * of earlier builds is found by one and given up by the other. */
#include "config.h"

#include "tests/api/api_test.h"
#include "tests/api/remove_folder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUILDERS = 4, BUILDS = 600, SOURCES = 60, PAUSE_US = 300 };

static struct api_test test;
static atomic_uint building = BUILDERS;
static atomic_uint failed;

static void build(unsigned number)
{
	char text[64];
	const char *source = text;
	cl_int code;
	snprintf(text, sizeof(text), "kernel void k%u(global int *p) { *p = %u; }", number, number);
	cl_program program = clCreateProgramWithSource(test.context, 1, &source, NULL, &code);
	if (!code)
		code = clBuildProgram(program, 0, NULL, "", NULL, NULL);
	if (!code)
		code = clReleaseProgram(program);
	if (code)
		atomic_fetch_add(&failed, 1);
}

static void *builder(void *data)
{
	(void)data;
	for (unsigned i = 0; i < BUILDS; i++)
		build(i % SOURCES);
	atomic_fetch_sub(&building, 1);
	return NULL;
}

int main(void)
{
	char folder[] = "/tmp/culvert-unloads-XXXXXX";
	pthread_t threads[BUILDERS];
	if (!mkdtemp(folder))
		return 1;
	unsetenv("CUDA_CACHE_DISABLE");
	setenv("CULVERT_CACHE", "on", 1);
	setenv("CULVERT_CACHE_DIR", folder, 1);
	if (!api_test_start(&test, "unloads")) {
		(void)rmdir(folder);
		return API_TEST_SKIP;
	}
	/* What is kept on disk makes the builds short. */
	for (unsigned i = 0; i < SOURCES; i++)
		build(i);
	for (unsigned i = 0; i < BUILDERS; i++)
		CHECK(!pthread_create(&threads[i], NULL, builder, NULL));
	while (atomic_load(&building)) {
		CHECK_OK(clUnloadPlatformCompiler(test.platform));
		usleep(PAUSE_US);
	}
	for (unsigned i = 0; i < BUILDERS; i++)
		pthread_join(threads[i], NULL);
	CHECK(atomic_load(&failed) == 0);
	remove_folder(folder);
	return api_test_end(&test);
}
