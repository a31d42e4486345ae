/* Protects: the work-group size of a launch that says none (icd/launch/launch_size.h): it divides where it has
 * to, fits the device, fills warps, and what was chosen before is used again for the same launch alone.
 *
 * Seen to fail with each of these mistakes in launch_size.c: a size that does not divide, or has more
 * work-items than fit; a dimension beyond the device's; a flat range without whole warps that could have them;
 * a prime range cut into single work-items; a choice recalled for another function, range or local memory, or
 * where it no longer fits. */
#include "config.h"

#include "icd/launch/launch_size.h"

#include "icd/launch/launch_memo.h"
#include "icd/order/queue.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { RANGES = 20000 };

static uint32_t suggested; /* what the driver suggests, and how often it was asked */
static unsigned asked;

cl_int gpu_function_suggest(struct gpu_function *function, uint32_t dynamic_local_B,
			    uint32_t *threads_out)
{
	(void)function, (void)dynamic_local_B;
	asked++;
	*threads_out = suggested;
	return CL_SUCCESS;
}

static void range_any(uint64_t global[3])
{
	static const uint64_t primes[] = {1009, 7919, 65537, 3, 31, 127};
	for (unsigned i = 0; i < 3; i++)
		global[i] = test_random(3)   ? 1 + test_random(2000)
			    : test_random(2) ? primes[test_random(6)]
					     : UINT64_C(1) << test_random(14);
	if (!test_random(2))
		global[1] = global[2] = 1;
	else if (!test_random(2))
		global[2] = 1;
}

static uint32_t items_of(const uint32_t local[3])
{
	return local[0] * local[1] * local[2];
}

/* The most work-items of a flat work-group: whole warps if any number of them divides. */
static uint32_t best_flat(uint64_t global, uint32_t most)
{
	uint32_t best = 1;
	for (uint32_t local = 1; local <= most; local++)
		if (!(global % local) && (local % 32 == 0 || best % 32))
			best = local;
	return best;
}

static void dividing(void)
{
	static const uint32_t max[3] = {512, 1024, 64};
	for (unsigned i = 0; i < RANGES && !test_failures; i++) {
		const uint32_t threads = 1 + (uint32_t)test_random(1024);
		uint64_t global[3];
		uint32_t local[3];
		range_any(global);
		ocl_launch_choose_local(global, threads, max, local);
		for (unsigned k = 0; k < 3; k++)
			CHECK(local[k] >= 1 && local[k] <= max[k] && !(global[k] % local[k]));
		CHECK(items_of(local) <= threads);
		if (global[1] == 1 && global[2] == 1)
			CHECK_EQ(local[0],
				 best_flat(global[0], threads < max[0] ? threads : max[0]));
		if (test_failures)
			printf("  %llu %llu %llu, %u work-items at most\n",
			       (unsigned long long)global[0], (unsigned long long)global[1],
			       (unsigned long long)global[2], threads);
	}
}

/* --- as launches ask for it ------------------------------------------------------------------------- */

static struct {
	struct _cl_command_queue queue;
	struct _cl_device_id device;
	struct gpu_caps caps;
	struct ocl_kernel_code code;
} world;

static void world_start(void)
{
	memset(&world, 0, sizeof(world));
	world.caps.max_block[0] = world.caps.max_block[1] = 1024;
	world.caps.max_block[2] = 64;
	world.device.caps = &world.caps;
	world.queue.device = &world.device;
	world.code.caps.max_threads = 1024;
	CHECK(!lock_init(&world.queue.lock, LOCK_RANK_QUEUE));
	asked = 0;
	suggested = 256;
}

static struct ocl_launch launch_of(const uint64_t global[3], bool uniform)
{
	struct ocl_launch launch = {.code = &world.code, .uniform = uniform};
	memcpy(launch.global, global, sizeof(launch.global));
	return launch;
}

/* Where sizes need not divide, no lanes of many are idle. */
static void any_size(void)
{
	for (unsigned i = 0; i < RANGES && !test_failures; i++) {
		uint64_t global[3], items = 1;
		world_start();
		suggested = 32 + (uint32_t)test_random(993);
		range_any(global);
		const bool uniform = test_random(2);
		struct ocl_launch launch = launch_of(global, uniform);
		CHECK_EQ(ocl_launch_choose(&world.queue, &launch), CL_SUCCESS);
		for (unsigned k = 0; k < 3; k++) {
			CHECK(launch.local[k] >= 1 && launch.local[k] <= world.caps.max_block[k]);
			CHECK(launch.local[k] <= global[k]);
			CHECK(!uniform || !(global[k] % launch.local[k]));
			items *= global[k];
		}
		CHECK(items_of(launch.local) <= suggested);
		/* A warp's worth, where there is so much. */
		CHECK(uniform || items_of(launch.local) >= (items < 16 ? items : 16));
		lock_finish(&world.queue.lock);
		if (test_failures)
			printf("  %llu %llu %llu: %u %u %u\n", (unsigned long long)global[0],
			       (unsigned long long)global[1], (unsigned long long)global[2],
			       launch.local[0], launch.local[1], launch.local[2]);
	}
}

/* As an enqueue does: what was chosen is kept. */
static void choose_and_keep(struct ocl_launch *launch)
{
	CHECK_EQ(ocl_launch_choose(&world.queue, launch), CL_SUCCESS);
	lock_take(&world.queue.lock);
	const int place = ocl_launch_enter_locked(&world.queue.launches, launch);
	struct ocl_launch_kept *kept = ocl_launch_kept_locked(&world.queue.launches, place);
	REQUIRE(kept);
	ocl_launch_keep_local_locked(kept, launch);
	lock_drop(&world.queue.lock);
}

static void remembered(void)
{
	const uint64_t global[3] = {4096, 3, 1}, other[3] = {4096, 4, 1};
	struct gpu_function *const functions[] = {(struct gpu_function *)&world.caps,
						  (struct gpu_function *)&world.code};
	world_start();
	world.code.function = functions[0];
	struct ocl_launch launch = launch_of(global, true);
	for (unsigned i = 0; i < 5; i++)
		choose_and_keep(&launch);
	CHECK_EQ(asked, 1);
	/* Other ranges, local memory and functions are other launches. */
	launch = launch_of(other, true);
	choose_and_keep(&launch);
	CHECK_EQ(asked, 2);
	launch = launch_of(global, true);
	launch.dynamic_local_B = 64;
	choose_and_keep(&launch);
	CHECK_EQ(asked, 3);
	launch.dynamic_local_B = 0;
	world.code.function = functions[1];
	choose_and_keep(&launch);
	CHECK_EQ(asked, 4);
	/* The function's address is another's now, which takes fewer. */
	world.code.function = functions[0];
	world.code.caps.max_threads = 32;
	choose_and_keep(&launch);
	CHECK(items_of(launch.local) <= 32);
	for (unsigned i = 0; i < OCL_LAUNCH_PLACES; i++)
		free(world.queue.launches.kept[i]);
	lock_finish(&world.queue.lock);
}

TEST_MAIN(TEST(dividing), TEST(any_size), TEST(remembered))
