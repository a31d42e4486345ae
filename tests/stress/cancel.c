/* Protects: a host that cancels its threads.  Threads that build, wait, finish, read, map and make objects
 * are cancelled at any time, some thousands in all, beside others that do the same undisturbed.
 * Nobody waits for what a cancelled thread had begun, all works afterwards, and nothing is left: no
 * thread, no descriptor, no compiler's process more. */
#include "config.h"

#include "tests/api/entries.h"
#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { VICTIMS = 4, STEADY = 2, ITEMS = 256, TIME_LIMIT_S = 300 };

static struct api_test test;
static atomic_bool over;
static atomic_uint serial, cancelled, steady_rounds, unique;

static const char text[] =
	"kernel void k(global int *p, int add) { p[get_global_id(0)] = CONSTANT + add; }\n";

/* What a thread holds; given back by its cleanup, wherever it ends. */
struct held {
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem mem;
	cl_event event;
};

static void give_back(void *argument)
{
	struct held *held = argument;
	if (held->event)
		CHECK_OK(clReleaseEvent(held->event));
	if (held->kernel)
		CHECK_OK(clReleaseKernel(held->kernel));
	if (held->program)
		CHECK_OK(clReleaseProgram(held->program));
	if (held->mem)
		CHECK_OK(clReleaseMemObject(held->mem));
	if (held->queue)
		CHECK_OK(clReleaseCommandQueue(held->queue));
	*held = (struct held){0};
}

/* A program, most often one that others build as well: they wait for each other. */
static void build(struct held *held, cl_int *constant)
{
	char options[64];
	const char *source = text;
	const unsigned n = atomic_fetch_add(&serial, 1);
	*constant = (cl_int)(n / 6 + atomic_load(&unique));
	snprintf(options, sizeof(options), "-DCONSTANT=%d", (int)*constant);
	held->program = api_test_program(test.context, source);
	CHECK_OK(clBuildProgram(held->program, 0, NULL, options, NULL, NULL));
	held->kernel = kernel_make(held->program, "k");
}

static void commands(struct held *held, cl_int constant)
{
	const size_t items = ITEMS;
	cl_int result[ITEMS], add = 5, code;
	CHECK_OK(clSetKernelArg(held->kernel, 0, sizeof(held->mem), &held->mem));
	CHECK_OK(clSetKernelArg(held->kernel, 1, sizeof(add), &add));
	launch_1d_after(held->queue, held->kernel, items, 0, NULL, &held->event);
	CHECK_OK(clWaitForEvents(1, &held->event));
	buffer_read(held->queue, held->mem, result, sizeof(result));
	CHECK(result[0] == constant + add && result[ITEMS - 1] == constant + add);
	const cl_int *mapped = clEnqueueMapBuffer(held->queue, held->mem, CL_TRUE, CL_MAP_READ, 0,
						  sizeof(result), 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(mapped && mapped[1] == constant + add);
	CHECK_OK(clEnqueueUnmapMemObject(held->queue, held->mem, (void *)mapped, 0, NULL, NULL));
	CHECK_OK(clFinish(held->queue));
}

static void work_once(struct held *held)
{
	cl_int constant = 0;
	held->queue = queue_make(test.context, test.device, 0);
	held->mem = buffer_make(test.context, CL_MEM_ALLOC_HOST_PTR, ITEMS * sizeof(cl_int), NULL);
	build(held, &constant);
	commands(held, constant);
}

/* Calls and nothing else, so that it ends between two of them if no call is a place to end in: what
 * a call has made is then in held. */
static void *victim(void *unused)
{
	struct held held = {0};
	(void)unused;
	pthread_cleanup_push(give_back, &held);
	for (;;) {
		work_once(&held);
		give_back(&held);
		pthread_testcancel();
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void *steady(void *unused)
{
	struct held held = {0};
	(void)unused;
	while (!atomic_load(&over)) {
		work_once(&held);
		give_back(&held);
		atomic_fetch_add(&steady_rounds, 1);
	}
	return NULL;
}

/* Each is cancelled after another time, from none on. */
static void *hunter(void *seed)
{
	unsigned state = (unsigned)(uintptr_t)seed;
	while (!atomic_load(&over)) {
		pthread_t thread;
		void *result;
		if (!CHECK(!pthread_create(&thread, NULL, victim, NULL)))
			return NULL;
		state = state * 1664525u + 1013904223u;
		const struct timespec pause = {0, (long)((state >> 8) % 8 * (state >> 16) % 20000) * 100};
		nanosleep(&pause, NULL);
		CHECK(!pthread_cancel(thread));
		CHECK(!pthread_join(thread, &result));
		CHECK(result == PTHREAD_CANCELED);
		atomic_fetch_add(&cancelled, 1);
	}
	return NULL;
}

static void once_more(void)
{
	struct held held = {0};
	work_once(&held);
	give_back(&held);
}

/* count that are cancelled at least, and as many seconds. */
static void storm(unsigned count)
{
	pthread_t threads[VICTIMS + STEADY];
	for (uintptr_t i = 0; i < VICTIMS + STEADY; i++)
		CHECK(!pthread_create(&threads[i], NULL, i < VICTIMS ? hunter : steady,
				      (void *)(i * 7919 + 1)));
	while (atomic_load(&cancelled) < count)
		usleep(10000);
	atomic_store(&over, true);
	for (unsigned i = 0; i < VICTIMS + STEADY; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

int main(int argc, char **argv)
{
	const unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
	if (!api_test_start(&test, "cancel"))
		return API_TEST_SKIP;
	/* Who hangs is ended by the signal, and so fails. */
	alarm(TIME_LIMIT_S);
	/* As many at once as later: threads of ours and processes of the compiler's that stay. */
	atomic_store(&unique, (unsigned)getpid() * 1000u);
	pthread_t warm[VICTIMS + STEADY];
	for (unsigned i = 0; i < VICTIMS + STEADY; i++)
		CHECK(!pthread_create(&warm[i], NULL, steady, NULL));
	while (atomic_load(&steady_rounds) < 4 * (VICTIMS + STEADY))
		usleep(10000);
	atomic_store(&over, true);
	for (unsigned i = 0; i < VICTIMS + STEADY; i++)
		CHECK(!pthread_join(warm[i], NULL));
	atomic_store(&over, false);
	const unsigned files = entries_of("/proc/self/fd"), threads = entries_of("/proc/self/task");
	storm(count);
	once_more();
	/* A compiler's process is a descriptor of ours, its socket; as many may be idle as worked at once. */
	CHECK(entries_of("/proc/self/fd") <= files + VICTIMS + STEADY);
	/* Threads of ours begin when they are needed first, a few; a cancelled one leaves none. */
	CHECK(entries_of("/proc/self/task") <= threads + 16);
	if (api_test_failures)
		printf("files %u, were %u; threads %u, were %u\n", entries_of("/proc/self/fd"), files,
		       entries_of("/proc/self/task"), threads);
	printf("%u threads cancelled, %u rounds beside them\n", atomic_load(&cancelled),
	       atomic_load(&steady_rounds));
	return api_test_end(&test);
}
