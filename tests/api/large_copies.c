/* Large transfers of pageable memory, which several threads share: all bytes are there, in
 * their turn, whoever else copies meanwhile, and the threads go when nobody needs them
 * (OpenCL 3.0 API, 5.2.2). */
#include "config.h"

#include "tests/api/fixture.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char source[] = "kernel void next(global uchar *c) { c[get_global_id(0)] += 1; }\n";

/* Around what is large, what is a piece of a copy, what goes through slots as a whole, and what
 * all slots together hold. */
static const size_t sizes_B[] = {
	(1 << 19) - 1, 1 << 19,       (9 << 16) + 1,  (1 << 20) - 1,  1 << 20,
	(1 << 20) + 1, (3 << 19) + 7, (5 << 19) - 1,  4 << 20,        (4 << 20) + 1,
	(19 << 19) + 3,
};
enum { SIZES = sizeof(sizes_B) / sizeof(sizes_B[0]), LARGEST_B = (19 << 19) + 3, OFFSET_B = 5 };
enum { THREADS = 4, TURNS = 3 };

static cl_context context;
static cl_device_id device;
static cl_program program;

/* No two parts of a copy are alike. */
static unsigned char byte_of(size_t at, unsigned seed)
{
	const uint64_t mixed = (at + seed) * UINT64_C(0x9E3779B97F4A7C15);
	return (unsigned char)(mixed >> 56);
}

static void bytes_fill(unsigned char *bytes, size_t size_B, unsigned seed)
{
	for (size_t i = 0; i < size_B; i++)
		bytes[i] = byte_of(i, seed);
}

static bool bytes_are(const unsigned char *bytes, size_t size_B, unsigned seed, unsigned more)
{
	size_t i = 0;
	while (i < size_B && bytes[i] == (unsigned char)(byte_of(i, seed) + more))
		i++;
	if (i < size_B)
		printf("byte %zu of %zu is wrong\n", i, size_B);
	return i == size_B;
}

/* There, a kernel, and back, with the bytes around it left as they were.  host has
 * OFFSET_B bytes more on either side. */
static void round_trip(cl_command_queue queue, cl_kernel next, cl_mem mem, unsigned char *host,
		       size_t size_B, cl_bool blocking, unsigned seed)
{
	unsigned char *bytes = host + OFFSET_B;
	const size_t global = size_B;
	cl_event written, run, read;
	bytes_fill(bytes, size_B, seed);
	memset(host, 0xAB, OFFSET_B);
	memset(bytes + size_B, 0xAB, OFFSET_B);
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, blocking, OFFSET_B, size_B, bytes, 0, NULL,
				      &written));
	if (blocking)
		memset(bytes, 0, size_B);
	cl_buffer_region region = {0, OFFSET_B + size_B};
	cl_mem part = sub_buffer_make(mem, 0, &region);
	CHECK_OK(clSetKernelArg(next, 0, sizeof(part), &part));
	const size_t offset = OFFSET_B;
	CHECK_OK(clEnqueueNDRangeKernel(queue, next, 1, &offset, &global, NULL, 1, &written, &run));
	CHECK_OK(clEnqueueReadBuffer(queue, mem, blocking, OFFSET_B, size_B, bytes, 1, &run, &read));
	CHECK_OK(clWaitForEvents(1, &read));
	CHECK(bytes_are(bytes, size_B, seed, 1));
	for (unsigned i = 0; i < OFFSET_B; i++)
		CHECK(host[i] == 0xAB && bytes[size_B + i] == 0xAB);
	CHECK_OK(clReleaseEvent(written));
	CHECK_OK(clReleaseEvent(run));
	CHECK_OK(clReleaseEvent(read));
	CHECK_OK(clReleaseMemObject(part));
}

static void test_sizes(cl_command_queue_properties properties)
{
	cl_command_queue queue = queue_make(context, device, properties);
	cl_mem mem = buffer_make(context, 0, LARGEST_B + OFFSET_B, NULL);
	unsigned char *host = malloc(LARGEST_B + 2 * OFFSET_B);
	cl_kernel next = kernel_make(program, "next");
	if (!CHECK(host != NULL))
		return;
	for (unsigned i = 0; i < SIZES; i++)
		round_trip(queue, next, mem, host, sizes_B[i], i % 2 ? CL_TRUE : CL_FALSE, i);
	free(host);
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void test_creation(void)
{
	cl_command_queue queue = queue_make(context, device, 0);
	unsigned char *host = malloc(LARGEST_B), *back = malloc(LARGEST_B);
	if (!CHECK(host && back))
		return;
	bytes_fill(host, LARGEST_B, 77);
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, LARGEST_B, host);
	/* 5.2.1: the bytes were copied. */
	memset(host, 0, LARGEST_B);
	buffer_read(queue, mem, back, LARGEST_B);
	CHECK(bytes_are(back, LARGEST_B, 77, 0));
	free(host);
	free(back);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void *copier(void *data)
{
	const unsigned seed = *(const unsigned *)data;
	cl_command_queue queue = queue_make(context, device, 0);
	cl_mem mem = buffer_make(context, 0, LARGEST_B + OFFSET_B, NULL);
	unsigned char *host = malloc(LARGEST_B + 2 * OFFSET_B);
	cl_kernel next = kernel_make(program, "next");
	for (unsigned i = 0; i < TURNS && CHECK(host != NULL); i++)
		round_trip(queue, next, mem, host, sizes_B[(seed + i) % SIZES],
			   (seed + i) % 2 ? CL_TRUE : CL_FALSE, seed * TURNS + i);
	free(host);
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
	return NULL;
}

/* More than there are slots for. */
static void test_threads(void)
{
	pthread_t threads[THREADS];
	unsigned seeds[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = i;
		CHECK(!pthread_create(&threads[i], NULL, copier, &seeds[i]));
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

static bool is_copier(const char *task)
{
	char path[300], name[32] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task);
	FILE *file = fopen(path, "r");
	bool read = file && fgets(name, sizeof(name), file);
	if (file)
		fclose(file);
	return read && !strcmp(name, "culvert-copy\n");
}

/* Of the threads that copy: others come and go as they like. */
static unsigned threads_count(void)
{
	DIR *folder = opendir("/proc/self/task");
	unsigned count = 0;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += is_copier(entry->d_name);
	if (folder)
		closedir(folder);
	return count;
}

static void sleep_ms(long ms)
{
	const struct timespec time = {0, ms * 1000000};
	nanosleep(&time, NULL);
}

static double core_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Threads that wait for the next copy soon sleep: in a fifth of a second all of the process
 * takes less of a core than one of them would, awake, in a tenth of that. */
static void check_sleep(void)
{
	sleep_ms(20);
	const double start_ms = core_ms();
	sleep_ms(200);
	const double spent_ms = core_ms() - start_ms;
	if (!CHECK(spent_ms < 20))
		printf("%.1f ms of a core\n", spent_ms);
}

static void test_threads_go(void)
{
	cl_command_queue queue = queue_make(context, device, 0);
	cl_mem mem = buffer_make(context, 0, LARGEST_B, NULL);
	unsigned char *host = calloc(1, LARGEST_B);
	unsigned most = 0, tries = 0;
	if (!CHECK(host != NULL))
		return;
	for (unsigned i = 0; i < TURNS; i++) {
		CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, LARGEST_B, host, 0, NULL,
					      NULL));
		most = threads_count() > most ? threads_count() : most;
	}
	CHECK(most > 0);
	check_sleep();
	for (; threads_count() && tries < 200; tries++)
		sleep_ms(20);
	CHECK(!threads_count());
	/* Nor are they made anew for one short copy. */
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 1 << 20, host, 0, NULL, NULL));
	sleep_ms(20);
	CHECK(!threads_count());
	free(host);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	struct api_test test;
	/* Also where there are few cores. */
	setenv("CULVERT_COPY_THREADS", "4", 1);
	if (!api_test_start(&test, "large_copies"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	program = api_test_build(context, device, source, "");
	if (program) {
		test_sizes(0);
		test_sizes(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
		test_creation();
		test_threads();
		test_threads_go();
		CHECK_OK(clReleaseProgram(program));
	}
	return api_test_end(&test);
}
