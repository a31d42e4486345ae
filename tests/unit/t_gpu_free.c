/* gpu.h: what is let go of while a kernel runs.  Drivers wait until no kernel runs in most calls
 * that free something; a program that has let go of an object does not. */
#include "config.h"

#include "backend/gpu_image.h"
#include "backend/gpu_internal.h"
#include "backend/gpu_managed.h"
#include "tests/unit/gpu_setup.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PATIENCE_S = 30, MANY = 3 * GPU_QUIET_MAX };

static struct gpu_module *until_module, *spare_module;
static struct gpu_stream *busy;
static struct gpu_event *busy_until;
static atomic_uint *flag;

static void module_of_until(struct gpu_module **module_out)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	bytes_append_string(&ptx, until);
	CHECK_EQ(be_ptx_load(first(), &ptx, &plain, module_out, &log), CL_SUCCESS);
	bytes_finish(&ptx);
	bytes_finish(&log);
	REQUIRE(*module_out);
}

/* Else a call that waits for the kernel would never come back. */
static void *loses_patience(void *unused)
{
	const struct timespec pause = {0, 10000000};
	(void)unused;
	for (int i = 0; i < PATIENCE_S * 100 && !atomic_load(flag); i++)
		nanosleep(&pause, NULL);
	atomic_store(flag, 1);
	return NULL;
}

static void kernel_starts(pthread_t *watch_out)
{
	struct gpu_function *function = NULL;
	atomic_store(flag, 0);
	void *parameters[] = {&flag};
	CHECK_EQ(gpu_module_function(until_module, "until", &function), CL_SUCCESS);
	struct gpu_launch launch = {function, {1, 1, 1}, {1, 1, 1}, 0, false, parameters};
	CHECK_EQ(gpu_launch(busy, &launch), CL_SUCCESS);
	REQUIRE(!gpu_event_record(busy, false, &busy_until));
	REQUIRE(!pthread_create(watch_out, NULL, loses_patience, NULL));
}

static void kernel_ends(pthread_t watch)
{
	CHECK(!atomic_load(flag));
	CHECK(gpu_event_pending(busy_until));
	atomic_store(flag, 1);
	pthread_join(watch, NULL);
	CHECK_EQ(gpu_event_wait(busy_until), CL_SUCCESS);
	gpu_event_unref(busy_until);
}

/* How often the driver was asked to; 0 where that cannot be known. */
static uint64_t calls(const char *pattern)
{
	uint64_t (*count)(const char *);
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "culvert_soft_calls") : NULL;
	if (!symbol)
		return 0;
	memcpy(&count, &symbol, sizeof(count));
	return count(pattern);
}

static bool counted(void)
{
	return dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
}

static struct gpu_array *array_new(void)
{
	const struct gpu_texel texel = {GPU_CHANNEL_UNSIGNED, 1, 4, false, false, false};
	const struct gpu_extent extent = {.width = 64, .height = 64};
	struct gpu_array *array = NULL;
	CHECK_EQ(gpu_array_create(first(), &texel, &extent, &array), CL_SUCCESS);
	return array;
}

static void objects_go_while_a_kernel_runs(void)
{
	enum { BLOCKS = 4, WINDOW_B = 1 << 20 };
	pthread_t watch;
	struct gpu_managed *managed = NULL;
	void *pinned = NULL;
	gpu_address blocks[BLOCKS];
	struct gpu_window *window = NULL;
	if (none_here())
		SKIP("no CUDA driver");
	const uint64_t block_B = gpu_device_caps(first())->memory_B / 20;
	struct gpu_array *array = array_new();
	for (int i = 0; i < BLOCKS; i++)
		REQUIRE(!gpu_memory_alloc(first(), block_B, &blocks[i]));
	REQUIRE(!gpu_host_alloc(first(), WINDOW_B, &pinned));
	REQUIRE(!gpu_window_create(first(), WINDOW_B, &window));
	CHECK_EQ(gpu_window_pin(window, 0, WINDOW_B), CL_SUCCESS);
	const bool has_managed = !gpu_managed_alloc(devices, 1, WINDOW_B, &managed);
	const uint64_t arrays = calls("cuArrayDestroy"), hosts = calls("cuMemFreeHost"),
		       windows = calls("cuMemHostUnregister"), frees = calls("cuMemFree_v2"),
		       modules = calls("cuModuleUnload");
	kernel_starts(&watch);
	gpu_array_destroy(array, NULL, 0);
	gpu_host_free(first(), pinned, WINDOW_B);
	gpu_window_destroy(window);
	if (has_managed)
		gpu_managed_free(managed, NULL, 0);
	gpu_module_unload(spare_module, NULL, 0);
	for (int i = 0; i < BLOCKS; i++)
		gpu_memory_give_back(first(), blocks[i], block_B, NULL, 0);
	kernel_ends(watch);
	/* Who has waited for the kernel finds all of it done. */
	if (counted()) {
		CHECK_EQ(calls("cuArrayDestroy") - arrays, 1);
		CHECK_EQ(calls("cuMemFreeHost") - hosts, 1);
		CHECK_EQ(calls("cuMemHostUnregister") - windows, 1);
		CHECK_EQ(calls("cuMemFree_v2") - frees, has_managed);
		CHECK_EQ(calls("cuModuleUnload") - modules, 1);
	}
}

static bool fault(const char *rules)
{
	int (*set)(const char *);
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "culvert_soft_fault") : NULL;
	if (!symbol)
		return false;
	memcpy(&set, &symbol, sizeof(set));
	return !set(rules);
}

/* Memory whose last user is still running is freed afterwards, even if no stream can be made to wait for that. */
static void memory_is_freed_without_a_wait(void)
{
	pthread_t watch;
	if (none_here() || !fault(""))
		SKIP("not softcuda");
	const uint64_t block_B = gpu_device_caps(first())->memory_B / 20;
	gpu_address block;
	REQUIRE(!gpu_memory_alloc(first(), block_B, &block));
	kernel_starts(&watch);
	const uint64_t before = calls("cuMemFree*");
	CHECK(fault("cuStreamWaitEvent:*:OUT_OF_MEMORY"));
	gpu_memory_give_back(first(), block, block_B, &busy_until, 1);
	CHECK_EQ(calls("cuMemFree*") - before, 0);
	CHECK(fault(""));
	kernel_ends(watch);
	gpu_defer_reap(first());
	CHECK_EQ(calls("cuMemFree*") - before, 1);
}

/* A program that is never idle does not gather what it has let go of without end. */
static void the_first_of_many_waits(void)
{
	struct gpu_array *arrays[MANY];
	pthread_t watch;
	if (none_here())
		SKIP("no CUDA driver");
	for (int i = 0; i < MANY; i++)
		arrays[i] = array_new();
	const uint64_t before = calls("cuArrayDestroy");
	kernel_starts(&watch);
	for (int i = 0; i < GPU_QUIET_MAX; i++)
		gpu_array_destroy(arrays[i], NULL, 0);
	kernel_ends(watch);
	if (counted())
		CHECK_EQ(calls("cuArrayDestroy") - before, GPU_QUIET_MAX);
	/* The device is kept busy by work that ends by itself. */
	const gpu_address out = memory_new(4);
	for (int i = GPU_QUIET_MAX; i < MANY; i++) {
		CHECK_EQ(launch_spin(busy, out, 20000), CL_SUCCESS);
		gpu_array_destroy(arrays[i], NULL, 0);
	}
	if (counted())
		CHECK(calls("cuArrayDestroy") - before >= MANY - GPU_QUIET_MAX);
	stream_wait(busy);
	if (counted())
		CHECK_EQ(calls("cuArrayDestroy") - before, MANY);
	gpu_memory_free(first(), out, NULL, 0);
}

/* Nor large pieces of the host's memory. */
static void much_memory_waits(void)
{
	enum { BLOCKS = 4 };
	const uint64_t block_B = GPU_QUIET_MAX_B / 2 + 4096;
	void *blocks[BLOCKS];
	pthread_t watch;
	if (none_here())
		SKIP("no CUDA driver");
	for (int i = 0; i < BLOCKS; i++)
		REQUIRE(!gpu_host_alloc(first(), block_B, &blocks[i]));
	const uint64_t before = calls("cuMemFreeHost");
	kernel_starts(&watch);
	for (int i = 0; i < 2; i++)
		gpu_host_free(first(), blocks[i], block_B);
	kernel_ends(watch);
	if (counted())
		CHECK_EQ(calls("cuMemFreeHost") - before, 2);
	const gpu_address out = memory_new(4);
	for (int i = 0; i < BLOCKS; i++) {
		if (i < 2)
			REQUIRE(!gpu_host_alloc(first(), block_B, &blocks[i]));
		CHECK_EQ(launch_spin(busy, out, 20000), CL_SUCCESS);
		gpu_host_free(first(), blocks[i], block_B);
	}
	/* Two are more than may wait, so that a third goes with them, wherever the device was idle for
	 * a moment. */
	if (counted())
		CHECK(calls("cuMemFreeHost") - before >= 2 + BLOCKS - 2);
	stream_wait(busy);
	if (counted())
		CHECK_EQ(calls("cuMemFreeHost") - before, 2 + BLOCKS);
	gpu_memory_free(first(), out, NULL, 0);
}

/* Managed memory whose end is awaited does not count against the next. */
static void managed_memory_comes_back(void)
{
	pthread_t watch;
	struct gpu_managed *most = NULL, *again = NULL;
	if (none_here())
		SKIP("no CUDA driver");
	const uint64_t size_B = gpu_device_caps(first())->memory_B / 8 * 5;
	if (gpu_managed_alloc(devices, 1, size_B, &most))
		SKIP("no managed memory, or none of that size");
	kernel_starts(&watch);
	gpu_managed_free(most, NULL, 0);
	kernel_ends(watch);
	CHECK_EQ(gpu_managed_alloc(devices, 1, size_B, &again), CL_SUCCESS);
	CHECK(!again || !gpu_managed_exceeds(again));
	if (again)
		gpu_managed_free(again, NULL, 0);
}

/* What the driver takes is tried on objects that are let go of at once. */
static void trying_waits_for_no_kernel(void)
{
	pthread_t watch;
	if (none_here())
		SKIP("no CUDA driver");
	kernel_starts(&watch);
	(void)gpu_device_packs_texels(first());
	kernel_ends(watch);
}

static void setup(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	module_of_until(&until_module);
	module_of_until(&spare_module);
	busy = stream_new();
	REQUIRE(!gpu_host_alloc(first(), sizeof(*flag), (void **)&flag));
}

static void everything_ends(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	gpu_host_free(first(), flag, sizeof(*flag));
	gpu_stream_release(busy);
	gpu_module_unload(until_module, NULL, 0);
	gpu_module_unload(module, NULL, 0);
	bytes_finish(&binary);
}

static const struct test_case cases[] = {
	TEST(devices_are_found),
	TEST(code_is_assembled_and_loaded),
	TEST(setup),
	TEST(objects_go_while_a_kernel_runs),
	TEST(memory_is_freed_without_a_wait),
	TEST(the_first_of_many_waits),
	TEST(much_memory_waits),
	TEST(managed_memory_comes_back),
	TEST(trying_waits_for_no_kernel),
	TEST(everything_ends),
};

int main(void)
{
	return run_gpu_tests(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
