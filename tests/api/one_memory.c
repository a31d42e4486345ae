/* Protects: where host and devices have one memory (CL_DEVICE_HOST_UNIFIED_MEMORY), a buffer in memory of the host's
 * is used by devices where it is: maps of it copy nothing, and each side sees what the other wrote.  Where they have
 * two, the same buffers are right, too, and copied.  The software driver plays each kind of machine. */
#include "config.h"

#include "tests/api/fixture.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1 << 14, SIZE_B = COUNT * sizeof(cl_int), ALIGN_B = 4096 };

static const char source[] = "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }";
static struct api_test test;
static cl_command_queue queue;
static cl_kernel add;
static uint64_t (*copied)(void);
static int (*fail)(const char *rules);
static atomic_bool freed;

static cl_bool is_unified(void)
{
	cl_bool unified = CL_FALSE;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified, NULL));
	return unified;
}

static bool all_are(const cl_int *values, cl_int first)
{
	for (int i = 0; i < COUNT; i++)
		if (values[i] != first + i)
			return false;
	return true;
}

static cl_int *map(cl_mem mem, cl_map_flags flags)
{
	cl_int code;
	cl_int *values = clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 0, SIZE_B, 0, NULL, NULL, &code);
	CHECK_OK(code);
	return values;
}

static void unmap(cl_mem mem, cl_int *values)
{
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, values, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
}

static void add_to(cl_mem mem, cl_int value)
{
	CHECK_OK(clSetKernelArg(add, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(value), &value));
	launch_1d(queue, add, COUNT);
	CHECK_OK(clFinish(queue));
}

static void note_freed(cl_mem mem, void *data)
{
	(void)mem;
	free(data);
	atomic_store(&freed, true);
}

/* The callback may come from another thread, once that has learned that the last transfer is complete. */
static void wait_until_freed(void)
{
	enum { STEP_NS = 1000000, STEPS = 60000 };
	const struct timespec step = {.tv_nsec = STEP_NS};
	for (int i = 0; i < STEPS && !atomic_load(&freed); i++)
		nanosleep(&step, NULL);
	CHECK(atomic_load(&freed));
}

/* The host writes, a kernel adds, the host reads, twice.  Copies are counted on the software driver. */
static void use(cl_mem mem, const cl_int *expected_pointer, bool zero_copy)
{
	const uint64_t before_B = copied ? copied() : 0;
	cl_int *values = map(mem, CL_MAP_WRITE_INVALIDATE_REGION);
	CHECK(!expected_pointer || values == expected_pointer);
	for (int i = 0; i < COUNT; i++)
		values[i] = i;
	unmap(mem, values);
	add_to(mem, 3);
	values = map(mem, CL_MAP_READ | CL_MAP_WRITE);
	CHECK(all_are(values, 3));
	values[7] += 1;
	unmap(mem, values);
	add_to(mem, 1);
	values = map(mem, CL_MAP_READ);
	CHECK(values[7] == 3 + 1 + 7 + 1);
	values[7] -= 1;
	CHECK(all_are(values, 4));
	unmap(mem, values);
	CHECK(!copied || (copied() == before_B) == zero_copy);
}

static void check_allocated(void)
{
	cl_int *from = malloc(SIZE_B);
	for (int i = 0; i < COUNT; i++)
		from[i] = 100 + i;
	cl_mem mem = buffer_make(test.context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, SIZE_B, from);
	free(from);
	cl_int *values = map(mem, CL_MAP_READ);
	CHECK(all_are(values, 100));
	unmap(mem, values);
	use(mem, NULL, is_unified());
	CHECK_OK(clReleaseMemObject(mem));
}

static void check_given(void)
{
	cl_int *host = aligned_alloc(ALIGN_B, SIZE_B);
	for (int i = 0; i < COUNT; i++)
		host[i] = 5 + i;
	cl_mem mem = buffer_make(test.context, CL_MEM_USE_HOST_PTR, SIZE_B, host);
	cl_int *values = map(mem, CL_MAP_READ);
	CHECK(values == host && all_are(values, 5));
	unmap(mem, values);
	use(mem, host, is_unified());
	/* A second one over the same pages. */
	cl_mem second = buffer_make(test.context, CL_MEM_USE_HOST_PTR, SIZE_B, host);
	use(second, host, false);
	CHECK_OK(clReleaseMemObject(second));
	/* The application frees it as soon as it is told: the next one may be at the same pages. */
	atomic_store(&freed, false);
	CHECK_OK(clSetMemObjectDestructorCallback(mem, note_freed, host));
	add_to(mem, 1);
	CHECK_OK(clReleaseMemObject(mem));
	wait_until_freed();
}

/* Programs that are told of one memory, such as FluidX3D, never map or read a buffer of their own memory. */
static void check_not_mapped(void)
{
	enum { TAIL = 3 };
	cl_int *host = aligned_alloc(ALIGN_B, SIZE_B + ALIGN_B);
	for (int i = 0; i < COUNT + TAIL; i++)
		host[i] = i;
	cl_mem mem = buffer_make(test.context, CL_MEM_USE_HOST_PTR, SIZE_B + TAIL * sizeof(*host), host);
	add_to(mem, 2);
	CHECK(!is_unified() || (all_are(host, 2) && host[COUNT] == COUNT));
	for (int i = 0; i < COUNT; i++)
		host[i] += 5;
	add_to(mem, 1);
	CHECK(!is_unified() || (all_are(host, 8) && host[COUNT] == COUNT));
	CHECK_OK(clReleaseMemObject(mem));
	free(host);
}

/* Kernels may take vectors of 128 bytes from the start of a buffer. */
static void check_unaligned(void)
{
	cl_int *host = aligned_alloc(ALIGN_B, SIZE_B + ALIGN_B);
	cl_mem mem = buffer_make(test.context, CL_MEM_USE_HOST_PTR, SIZE_B, host + 1);
	use(mem, host + 1, false);
	CHECK_OK(clReleaseMemObject(mem));
	free(host);
}

/* Sub-devices of one GPU have its memory, too. */
static void check_sub_devices(void)
{
	cl_uint units = 0, parts_max = 0;
	cl_device_id parts[2];
	const cl_command_queue own_queue = queue;
	const cl_kernel own_add = add;
	const cl_context own_context = test.context;
	CHECK_OK(
		clGetDeviceInfo(test.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(parts_max), &parts_max, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	if (parts_max < 2)
		return;
	const cl_uint half = parts_max / 2 * (units / parts_max);
	const cl_device_partition_property halves[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, half, half, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	CHECK_OK(clCreateSubDevices(test.device, halves, 2, parts, NULL));
	test.context = context_make(2, parts);
	queue = queue_make(test.context, parts[1], 0);
	cl_program program = api_test_build(test.context, parts[0], source, "");
	add = kernel_make(program, "add");
	check_given();
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(test.context));
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseDevice(parts[i]));
	queue = own_queue;
	add = own_add;
	test.context = own_context;
}

/* Where the driver refuses it, the memory is copied. */
static void check_refused(void)
{
	static const char *const calls[] = {"cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"};
	for (size_t i = 0; fail && i < sizeof(calls) / sizeof(calls[0]); i++) {
		char rule[96];
		cl_int *host = aligned_alloc(ALIGN_B, SIZE_B);
		snprintf(rule, sizeof(rule), "%s:1:NOT_SUPPORTED", calls[i]);
		CHECK(!fail(rule));
		cl_mem mem = buffer_make(test.context, CL_MEM_USE_HOST_PTR, SIZE_B, host);
		CHECK(!fail(""));
		use(mem, host, false);
		CHECK_OK(clReleaseMemObject(mem));
		free(host);
	}
}

static int run(void)
{
	if (!api_test_start(&test, "one_memory"))
		return API_TEST_SKIP;
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "culvert_soft_copied") : NULL;
	memcpy(&copied, &symbol, sizeof(copied));
	symbol = library ? dlsym(library, "culvert_soft_fault") : NULL;
	memcpy(&fail, &symbol, sizeof(fail));
	queue = queue_make(test.context, test.device, 0);
	cl_program program = api_test_build(test.context, test.device, source, "");
	add = kernel_make(program, "add");
	check_allocated();
	check_given();
	check_given();
	check_not_mapped();
	check_unaligned();
	check_sub_devices();
	check_refused();
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}

/* The software driver reads its options once: each machine has a process of its own.  pageable: "1" if devices also
 * access the host's memory by its page tables. */
static int run_as(const char *machine, const char *pageable, bool unified)
{
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_MACHINE", machine, 1);
		setenv("CULVERT_SOFT_PAGEABLE", pageable, 1);
		const int status = run();
		CHECK(is_unified() == unified);
		fflush(stdout);
		_exit(status ? status : (int)api_test_failures);
	}
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		printf("one_memory: FAIL as %s, pageable access %s\n", machine, pageable);
	return status != 0;
}

int main(void)
{
	const char *driver = getenv("CULVERT_CUDA");
	if (!driver || strcmp(driver, "soft"))
		return run();
	return run_as("desktop", "0", false) + run_as("desktop", "1", false) + run_as("integrated", "0", true) +
	       run_as("integrated", "1", true) + run_as("coherent", "1", false) + run_as("wsl", "0", false);
}
