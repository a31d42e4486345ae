/* Protects: hosts that run for months.  Each kind of object is made, used and released again and again; the
 * process then has as much memory, as many open files, mappings and threads as before.  And hosts with small stacks:
 * all of it is done by a thread whose stack is the smallest that a thread may have, 16 KiB.
 *
 *	lives                 some hundred rounds of each kind
 *	LIVES=100000 lives    that many
 *	LIVES_OF=event lives  one kind alone
 *
 * What is kept for later use (pools, caches) may grow during the first rounds, which are not counted. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/entries.h"
#include "tests/api/semaphore_calls.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	SIZE_B = 4096,
	WARM_ROUNDS = 600,       /* more than any pool of ours keeps */
	ROUNDS = 400,
	PARTS = 4,               /* the memory is looked at so often, and the least growth counts; ... */
	MOST_PARTS = 20,         /* ... so often while the heap has grown in each */
	HEAP_GROWTH_B = 1 << 10,
	RESIDENT_GROWTH_B = 1 << 20,
	MAPPING_GROWTH = 4,
	SETTLE_TRIES = 500,
	SETTLE_US = 500,
	/* pthread_attr_setstacksize(3): PTHREAD_STACK_MIN */
#ifdef __aarch64__
	STACK_B = 128 << 10
#else
	STACK_B = 16 << 10
#endif
};

/* cl_khr_external_memory: CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR. */
#define OPAQUE_FD 0x2060

static struct api_test test;
static cl_command_queue queue;
static cl_program program;
static struct command_buffer_entry commands;
static clHostMemAllocINTEL_fn usm_host;
static clSharedMemAllocINTEL_fn usm_shared;
static clMemBlockingFreeINTEL_fn usm_free;
static char host_memory[SIZE_B] __attribute__((aligned(4096)));

static const char source[] = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n"
			     "kernel void i(read_only image2d_t a, sampler_t s, global float4 *p)\n"
			     "{ *p = read_imagef(a, s, (float2)(0, 0)); }\n";

/* --- one life of each kind ----------------------------------------------------------------------- */

static void of_context(void)
{
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
						    (cl_context_properties)test.platform, 0};
	cl_int code;
	cl_context context = clCreateContext(properties, 1, &test.device, NULL, NULL, &code);
	CHECK_OK(code);
	cl_mem mem = clCreateBuffer(context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseContext(context));
}

static void queue_of(cl_command_queue_properties flags)
{
	const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
	const cl_uint one = 1;
	cl_int code;
	cl_command_queue own =
		clCreateCommandQueueWithProperties(test.context, test.device, properties, &code);
	CHECK_OK(code);
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clEnqueueFillBuffer(own, mem, &one, sizeof(one), 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clFinish(own));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(own));
}

static void of_queue(void)
{
	queue_of(0);
}

static void of_out_of_order_queue(void)
{
	queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
}

static void CL_CALLBACK on_destroyed(cl_mem mem, void *count)
{
	(void)mem;
	++*(atomic_uint *)count;
}

static void use_buffer(cl_mem mem)
{
	cl_uint words[4] = {1, 2, 3, 4};
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(words), words, 0, NULL, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(words), words, 0, NULL, NULL));
	CHECK(words[3] == 4);
}

static void of_buffer(void)
{
	atomic_uint destroyed = 0;
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clSetMemObjectDestructorCallback(mem, on_destroyed, &destroyed));
	use_buffer(mem);
	CHECK_OK(clReleaseMemObject(mem));
	while (!atomic_load(&destroyed))
		usleep(10);
}

static void of_large_buffer(void)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, 0, 8 << 20, NULL, &code);
	CHECK_OK(code);
	use_buffer(mem);
	CHECK_OK(clReleaseMemObject(mem));
}

static void of_host_buffer(void)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, CL_MEM_USE_HOST_PTR, SIZE_B, host_memory, &code);
	CHECK_OK(code);
	use_buffer(mem);
	CHECK_OK(clReleaseMemObject(mem));
}

static void of_sub_buffer(void)
{
	const cl_buffer_region region = {SIZE_B / 2, SIZE_B / 2};
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, CL_MEM_ALLOC_HOST_PTR, SIZE_B, NULL, &code);
	CHECK_OK(code);
	cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CHECK_OK(code);
	use_buffer(part);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(part));
}

static void of_map(void)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	cl_uint *words = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE, 0, SIZE_B, 0, NULL,
					    NULL, &code);
	CHECK_OK(code);
	words[0] = 1;
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, words, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(mem));
}

static void of_image_and_sampler(void)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
				     .image_height = 8};
	const size_t one = 1;
	cl_int code;
	cl_mem image = clCreateImage(test.context, 0, &format, &shape, NULL, &code);
	CHECK_OK(code);
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	cl_sampler sampler = clCreateSamplerWithProperties(test.context, NULL, &code);
	CHECK_OK(code);
	cl_kernel kernel = clCreateKernel(program, "i", &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(mem), &mem));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(image));
}

static void of_image_of_buffer(void)
{
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64,
				     .buffer = mem};
	cl_mem image = clCreateImage(test.context, 0, &format, &shape, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(image));
}

static void of_pipe(void)
{
	cl_int code;
	cl_mem pipe = clCreatePipe(test.context, 0, 4, 64, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(pipe));
}

static void of_program(void)
{
	const char *text = source;
	cl_int code;
	cl_program own = clCreateProgramWithSource(test.context, 1, &text, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(own, 0, NULL, "", NULL, NULL));
	CHECK_OK(clReleaseProgram(own));
}

static void of_failing_program(void)
{
	const char *text = "kernel void k(global int *p) { *p = nothing; }";
	char log[4096];
	cl_int code;
	cl_program own = clCreateProgramWithSource(test.context, 1, &text, NULL, &code);
	CHECK_OK(code);
	CHECK_CODE(clBuildProgram(own, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	CHECK_OK(clGetProgramBuildInfo(own, test.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
				       NULL));
	CHECK_OK(clReleaseProgram(own));
}

static void of_binary(void)
{
	size_t size_B = 0;
	cl_int code, status;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *binary = malloc(size_B);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	cl_program own = clCreateProgramWithBinary(test.context, 1, &test.device, &size_B,
						   (const unsigned char **)&binary, &status, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(own, 0, NULL, "", NULL, NULL));
	CHECK_OK(clReleaseProgram(own));
	free(binary);
}

static void of_kernel(void)
{
	const size_t one = 1;
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	CHECK_OK(code);
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	cl_kernel copy = clCloneKernel(kernel, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clEnqueueNDRangeKernel(queue, copy, 1, NULL, &one, NULL, 0, NULL, NULL));
	CHECK_OK(clReleaseKernel(copy));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clFinish(queue));
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *count)
{
	(void)event;
	(void)status;
	++*(atomic_uint *)count;
}

static void of_event(void)
{
	atomic_uint called = 0;
	cl_event event, later;
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 1, &event, &later));
	CHECK_OK(clSetEventCallback(later, CL_COMPLETE, on_complete, &called));
	CHECK_OK(clWaitForEvents(1, &later));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(later));
	while (!atomic_load(&called))
		usleep(10);
}

static void of_user_event(void)
{
	cl_int code;
	cl_event event, later;
	cl_event user = clCreateUserEvent(test.context, &code);
	CHECK_OK(code);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &event));
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &event, &later));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clWaitForEvents(1, &later));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(later));
}

static void of_failed_event(void)
{
	cl_int code;
	cl_event event;
	cl_event user = clCreateUserEvent(test.context, &code);
	CHECK_OK(code);
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &user, &event));
	CHECK_OK(clSetUserEventStatus(user, -5));
	CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clFinish(queue));
}

static void of_svm(void)
{
	cl_uint *words = clSVMAlloc(test.context, CL_MEM_READ_WRITE, SIZE_B, 0);
	const cl_uint one = 1;
	CHECK(words != NULL);
	CHECK_OK(clEnqueueSVMMemFill(queue, words, &one, sizeof(one), SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, words, SIZE_B, 0, NULL, NULL));
	CHECK(words[7] == 1);
	CHECK_OK(clEnqueueSVMUnmap(queue, words, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	clSVMFree(test.context, words);
}

static void of_usm(void)
{
	cl_int code;
	void *on_host = usm_host(test.context, NULL, SIZE_B, 0, &code);
	CHECK_OK(code);
	void *shared = usm_shared(test.context, test.device, NULL, SIZE_B, 0, &code);
	CHECK_OK(code);
	CHECK_OK(usm_free(test.context, on_host));
	CHECK_OK(usm_free(test.context, shared));
}

static void of_command_buffer(void)
{
	const cl_uint one = 1;
	const size_t items = 1;
	cl_sync_point_khr point;
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	cl_command_buffer_khr buffer = commands.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(commands.fill(buffer, NULL, NULL, mem, &one, sizeof(one), 0, SIZE_B, 0, NULL, &point,
			       NULL));
	CHECK_OK(commands.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 1, &point, NULL,
				 NULL));
	CHECK_OK(commands.finalize(buffer));
	CHECK_OK(commands.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(commands.release(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(mem));
}

static void of_semaphore(void)
{
	const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
							  CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
	cl_int code;
	cl_semaphore_khr semaphore = ext.create(test.context, properties, &code);
	CHECK_OK(code);
	enqueue_signal(queue, semaphore);
	enqueue_wait(queue, semaphore, NULL);
	CHECK_OK(clFinish(queue));
	CHECK_OK(ext.release(semaphore));
}

static void settle(void);

/* A thread of ours signals it and lets it go, which may be after clFinish; what waits for that thread, descriptors
 * among it, must not become more and more. */
static void of_shared_semaphore(void)
{
	static unsigned count;
	/* cl_khr_external_semaphore: export as an opaque descriptor. */
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0x203F, 0x2055, 0, 0};
	cl_int code;
	int fd = -1;
	cl_semaphore_khr semaphore = ext.create(test.context, properties, &code);
	CHECK_OK(code);
	CHECK_OK(ext.handle(semaphore, test.device, 0x2055, sizeof(fd), &fd, NULL));
	CHECK(fd < 0 || !close(fd));
	enqueue_signal(queue, semaphore);
	enqueue_wait(queue, semaphore, NULL);
	CHECK_OK(clFinish(queue));
	CHECK_OK(ext.release(semaphore));
	if (!(++count % 64))
		settle();
}

/* What another API gives; the software driver takes a memfd with all seals for such. */
static void of_imported_memory(void)
{
	const int fd = memfd_create("external", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const cl_mem_properties list[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	cl_int code;
	CHECK(fd >= 0 && !ftruncate(fd, SIZE_B));
	CHECK(!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
	cl_mem mem = clCreateBufferWithProperties(test.context, list, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(mem));
}

/* --- what a process has ---------------------------------------------------------------------------- */

struct having {
	size_t heap_B, resident_B;
	unsigned files, threads, mappings;
};

static unsigned lines_of(const char *path)
{
	unsigned count = 0;
	FILE *file = fopen(path, "r");
	for (int c; file && (c = fgetc(file)) != EOF;)
		count += c == '\n';
	if (file)
		fclose(file);
	return count;
}

static size_t resident_B(void)
{
	unsigned long all, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file && fscanf(file, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static struct having having_now(void)
{
	struct having now = {.files = entries_of("/proc/self/fd"),
			     .threads = entries_of("/proc/self/task"),
			     .mappings = lines_of("/proc/self/maps")};
	/* A sanitizer has a heap of its own, which remembers what was freed. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	const struct mallinfo2 heap = mallinfo2();
	now.heap_B = heap.uordblks + heap.hblkhd;
	now.resident_B = resident_B();
#endif
	return now;
}

/* Once threads of ours have given back what ended commands held: they may be behind on a machine that is busy. */
static struct having having_settled(void)
{
	struct having before = having_now(), now = before;
	for (unsigned i = 0; i < SETTLE_TRIES; i++) {
		usleep(SETTLE_US);
		now = having_now();
		if (now.heap_B == before.heap_B && now.files == before.files)
			break;
		before = now;
	}
	return now;
}

static void settle(void)
{
	(void)having_settled();
}

static double now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static long least(long a, long b)
{
	return a < b ? a : b;
}

/* --- rounds ------------------------------------------------------------------------------------------ */

struct kind {
	const char *name;
	void (*live)(void);
	bool there;
};

struct growth {
	long heap_B, resident_B, mappings, files, threads;
};

static struct growth part_of_rounds(const struct kind *kind, unsigned count)
{
	const struct having before = having_settled();
	for (unsigned i = 0; i < count; i++)
		kind->live();
	const struct having now = having_settled();
	return (struct growth){
		.heap_B = (long)now.heap_B - (long)before.heap_B,
		.resident_B = (long)now.resident_B - (long)before.resident_B,
		.mappings = (long)now.mappings - (long)before.mappings,
		.files = (long)now.files - (long)before.files,
		.threads = (long)now.threads - (long)before.threads,
	};
}

/* A leak grows in each part of the rounds; what grows in one of them alone is a pool.  On a busy machine, the heap can
 * grow in four parts in a row by what threads of ours are about to free, so that more parts follow for it alone. */
static void rounds(const struct kind *kind, unsigned count)
{
	struct growth smallest = {1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30};
	const unsigned each = count / PARTS;
	unsigned part = 0;
	for (unsigned i = 0; i < WARM_ROUNDS; i++)
		kind->live();
	const double start_us = now_us();
	for (; part < PARTS; part++) {
		const struct growth growth = part_of_rounds(kind, each);
		smallest.heap_B = least(smallest.heap_B, growth.heap_B);
		smallest.resident_B = least(smallest.resident_B, growth.resident_B);
		smallest.mappings = least(smallest.mappings, growth.mappings);
		smallest.files = least(smallest.files, growth.files);
		smallest.threads = least(smallest.threads, growth.threads);
	}
	for (; part < MOST_PARTS && smallest.heap_B >= HEAP_GROWTH_B; part++)
		smallest.heap_B = least(smallest.heap_B, part_of_rounds(kind, each).heap_B);
	printf("%-20s %7u rounds, %7.2f us; heap %+ld B, resident %+ld B, mappings %+ld, files %+ld, "
	       "threads %+ld\n",
	       kind->name, part * each, (now_us() - start_us) / (part * each), smallest.heap_B, smallest.resident_B,
	       smallest.mappings, smallest.files, smallest.threads);
	CHECK(smallest.heap_B < HEAP_GROWTH_B);
	CHECK(smallest.resident_B < RESIDENT_GROWTH_B);
	CHECK(smallest.mappings < MAPPING_GROWTH);
	CHECK(smallest.files <= 0);
	CHECK(smallest.threads <= 0);
}

static bool usm_find(void)
{
	void *found[3];
	static const char *const names[] = {"clHostMemAllocINTEL", "clSharedMemAllocINTEL",
					    "clMemBlockingFreeINTEL"};
	for (size_t i = 0; i < 3; i++)
		found[i] = clGetExtensionFunctionAddressForPlatform(test.platform, names[i]);
	memcpy(&usm_host, &found[0], sizeof(found[0]));
	memcpy(&usm_shared, &found[1], sizeof(found[1]));
	memcpy(&usm_free, &found[2], sizeof(found[2]));
	return usm_host && usm_shared && usm_free;
}

/* Everything, from the first call of OpenCL on.  The exit status of the program. */
static int all_kinds(bool soft)
{
	const char *asked = getenv("LIVES"), *only = getenv("LIVES_OF");
	const unsigned count = asked ? (unsigned)strtoul(asked, NULL, 10) : ROUNDS;
	cl_int code;
	if (!api_test_start(&test, "lives"))
		return API_TEST_SKIP;
	queue = clCreateCommandQueueWithProperties(test.context, test.device, NULL, &code);
	CHECK_OK(code);
	program = api_test_build(test.context, test.device, source, "");
	const bool has_semaphores = entry_find(test.platform);
	const bool has_commands = command_buffer_entry_find(test.platform, &commands);
	const bool has_usm = usm_find();
	const struct kind kinds[] = {
		{"context", of_context, true},
		{"queue", of_queue, true},
		{"out-of-order queue", of_out_of_order_queue, true},
		{"buffer", of_buffer, true},
		{"large buffer", of_large_buffer, true},
		{"host's buffer", of_host_buffer, true},
		{"sub-buffer", of_sub_buffer, true},
		{"mapping", of_map, true},
		{"image and sampler", of_image_and_sampler, true},
		{"image of a buffer", of_image_of_buffer, true},
		{"pipe", of_pipe, true},
		{"program", of_program, true},
		{"program that fails", of_failing_program, true},
		{"program binary", of_binary, true},
		{"kernel", of_kernel, true},
		{"event", of_event, true},
		{"user event", of_user_event, true},
		{"failed event", of_failed_event, true},
		{"SVM", of_svm, true},
		{"USM", of_usm, has_usm},
		{"command buffer", of_command_buffer, has_commands},
		{"semaphore", of_semaphore, has_semaphores},
		{"shared semaphore", of_shared_semaphore, has_semaphores},
		{"imported memory", of_imported_memory, soft},
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && program; i++)
		if (kinds[i].there && (!only || !strcmp(only, kinds[i].name)))
			rounds(&kinds[i], count);
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}

static int status;

static void *thread_main(void *soft)
{
	status = all_kinds(soft != NULL);
	return NULL;
}

/* What CUDA's own driver or a sanitizer needs of a stack is theirs to say. */
int main(void)
{
	const char *driver = getenv("CULVERT_CUDA");
	bool soft = driver && !strcmp(driver, "soft");
	pthread_attr_t attributes;
	pthread_t thread;
	setenv("CULVERT_CACHE", "on", 1);
	CHECK(!pthread_attr_init(&attributes));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	if (soft)
		CHECK(!pthread_attr_setstacksize(&attributes, STACK_B));
#endif
	if (CHECK(!pthread_create(&thread, &attributes, thread_main, soft ? &soft : NULL)))
		CHECK(!pthread_join(thread, NULL));
	(void)pthread_attr_destroy(&attributes);
	return status;
}
