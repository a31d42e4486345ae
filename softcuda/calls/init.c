/* The start and the end of the driver in a process, and fork. */
#include "config.h"

#include "base/log.h"
#include "base/memory_limit.h"
#include "base/options.h"
#include "softcuda/calls/door.h"
#include "softcuda/check/spare.h"
#include "softcuda/driver/fault.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/object.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/pool.h"
#include "softcuda/driver/release.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/driver/thread.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/tier.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void close_driver(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable, understood;

static void after_fork_in_child(void)
{
	atomic_store(&soft_driver.forked, true);
}

/* CULVERT_SOFT_MEMORY; by default half of what this process may have, divided by the number of devices: at most 8 GiB
 * each, and at least the least size that an OpenCL device can have with CL_DEVICE_MAX_MEM_ALLOC_SIZE of 32 MiB. */
static uint64_t memory_of_a_device(unsigned count)
{
	const uint64_t most_B = (uint64_t)8 << 30, least_B = (uint64_t)64 << 20;
	uint64_t wanted_B = 0;
	if (option_parse_size(option_string(OPTION_SOFT_MEMORY), &wanted_B) && wanted_B >= least_B)
		return wanted_B & ~(uint64_t)0xfffff;
	if (*option_string(OPTION_SOFT_MEMORY))
		log_err("softcuda: CULVERT_SOFT_MEMORY=%s is not a size of at least 64M",
			option_string(OPTION_SOFT_MEMORY));
	const uint64_t host_B = memory_process_B();
	const uint64_t each_B = (host_B == UINT64_MAX ? (uint64_t)1 << 30 : host_B) / 2 / count & ~(uint64_t)0xfffff;
	return each_B < least_B ? least_B : each_B < most_B ? each_B : most_B;
}

/* The rank-th number of the list, which is repeated if it is too short; SOFT_SM for an invalid one. */
static unsigned capability_of(unsigned rank)
{
	const char *list = option_string(OPTION_SOFT_SM), *at = list;
	for (; rank; rank--) {
		const char *comma = strchr(at, ',');
		at = comma ? comma + 1 : list;
	}
	unsigned long sm = strtoul(at, NULL, 10);
	return sm >= SOFT_SM_OLDEST && sm <= SOFT_SM_NEWEST ? (unsigned)sm : SOFT_SM;
}

static unsigned multiprocessors(void)
{
	uint64_t count = option_number(OPTION_SOFT_MULTIPROCESSORS);
	return count && count <= SOFT_MULTIPROCESSORS_MAX ? (unsigned)count : SOFT_MULTIPROCESSORS;
}

/* An instance of a GPU that MIG divides has memory and multiprocessors of its own. */
static void take_instance(struct soft_device *device)
{
	enum { PARTS = 8 };
	const uint64_t MiB = (uint64_t)1 << 20;
	device->multiprocessors = (device->multiprocessors + PARTS - 1) / PARTS;
	device->memory_B = device->memory_B / PARTS / MiB * MiB;
}

/* A driver does not show GPUs that are newer than itself. */
static void add_devices(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const unsigned sm = capability_of(i);
		if (!soft_release_drives(sm)) {
			log_err("softcuda: a driver for CUDA %d.%d does not know sm_%u", soft_release() / 1000,
				soft_release() % 1000 / 10, sm);
			continue;
		}
		struct soft_device *device = &soft_driver.devices[soft_driver.device_count];
		device->index = soft_driver.device_count++;
		device->sm = sm;
		device->multiprocessors = multiprocessors();
		device->memory_B = memory_of_a_device(count);
		if (soft_sharing() == SOFT_SHARING_INSTANCE)
			take_instance(device);
		device->used_B = soft_memory_of_others_B(device->memory_B);
	}
}

/* Like libcuda, this driver ends in a function that its first cuInit registers with atexit: functions that were
 * registered earlier, and destructors, run after it and find CUDA_ERROR_DEINITIALIZED. */
static void start_once(void)
{
	list_init(&soft_driver.contexts);
	list_init(&soft_driver.active);
	list_init(&soft_driver.kernels);
	list_init(&soft_driver.limbo);
	list_init(&soft_driver.waiters);
	uint64_t count = option_number(OPTION_SOFT_DEVICES);
	if (soft_sharing() == SOFT_SHARING_INSTANCE)
		count = 1;
	add_devices(count < SOFT_DEVICES_MAX ? (unsigned)count : SOFT_DEVICES_MAX);
	soft_oracle_start();
	understood = soft_sched_start() && soft_release() && soft_machine() && soft_sharing() && soft_bounds();
	usable = !lock_condition_init(&soft_driver.done) &&
		 !lock_condition_init(&soft_driver.work) && !soft_thread_start(soft_stream_retire_thread_locked) &&
		 !pthread_atfork(NULL, NULL, after_fork_in_child) && !atexit(close_driver);
}

static CUresult init_locked(unsigned flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_fault_start();
	if (result != CUDA_SUCCESS)
		return result;
	if (!usable)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!understood)
		return CUDA_ERROR_INVALID_VALUE;
	if (!soft_driver.device_count)
		return CUDA_ERROR_NO_DEVICE;
	for (unsigned i = 0; i < soft_driver.device_count; i++) {
		struct soft_device *device = &soft_driver.devices[i];
		if (!device->default_pool)
			device->default_pool = soft_pool_create_locked(device, 0);
		if (!device->default_pool)
			return CUDA_ERROR_OUT_OF_MEMORY;
		if (!device->pool)
			device->pool = device->default_pool;
	}
	soft_driver.initialised = true;
	return CUDA_SUCCESS;
}

CUresult cuInit(unsigned int flags)
{
	if (atomic_load(&soft_driver.forked))
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_once(&once, start_once);
	SOFT_CALL(SOFT_NEED_NOTHING, init_locked(flags));
}

static CUresult version_locked(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = soft_release();
	return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
	SOFT_CALL(SOFT_NEED_NOTHING, version_locked(version));
}

/* --- the end ---------- */

static void write_live_locked(struct bytes *text)
{
	static const char *const names[SOFT_KIND_COUNT] = {
		[SOFT_KIND_CONTEXT] = "contexts",
		[SOFT_KIND_STREAM] = "streams",
		[SOFT_KIND_EVENT] = "events",
		[SOFT_KIND_MODULE] = "modules",
		[SOFT_KIND_LIBRARY] = "libraries",
		[SOFT_KIND_LINK] = "links",
		[SOFT_KIND_POOL] = "pools",
		[SOFT_KIND_ARRAY] = "arrays",
		[SOFT_KIND_MIPMAP] = "mipmapped_arrays",
		[SOFT_KIND_PHYSICAL] = "physical_memories",
		[SOFT_KIND_EXTERNAL] = "external_memories",
		[SOFT_KIND_SEMAPHORE] = "external_semaphores",
		[SOFT_KIND_GRAPHICS] = "graphics_resources",
	};
	for (int kind = 0; kind < SOFT_KIND_COUNT; kind++)
		if (names[kind])
			bytes_printf(text, "live %s %zu\n", names[kind],
				     soft_handle_live_locked((enum soft_kind)kind));
	bytes_printf(text, "live textures %zu\n", soft_object_live_locked(false));
	bytes_printf(text, "live surfaces %zu\n", soft_object_live_locked(true));
	bytes_printf(text, "live device_allocations %zu\n", soft_memory_live_locked(false));
	bytes_printf(text, "live host_allocations %zu\n", soft_memory_live_locked(true));
}

/* Writes the counts that CULVERT_SOFT_COUNT asks for. */
static void write_counts(void)
{
	const char *path = option_string(OPTION_SOFT_COUNT);
	struct bytes text = BYTES_INIT;
	if (!*path)
		return;
	lock_take(&soft_driver.lock);
	soft_fault_write_locked(&text);
	write_live_locked(&text);
	bytes_printf(&text, "kernels compiled %llu\nkernels found_in_cache %llu\nkernels not_compilable %llu\n",
		     (unsigned long long)atomic_load(&tier_counts.compiled),
		     (unsigned long long)atomic_load(&tier_counts.found),
		     (unsigned long long)atomic_load(&tier_counts.refused));
	lock_drop(&soft_driver.lock);
	int error = bytes_failed(&text) ? -1 : bytes_write_file(text.data, text.size_B, path);
	if (error)
		log_err("%s: %s cannot be written (%d)", option_name(OPTION_SOFT_COUNT), path,
			error);
	bytes_finish(&text);
}

/* The end of the process, during which streams may still have work.  No further operation starts; those that run
 * have a moment to end; threads that are still running then end with the process.  Their memory stays valid, because
 * this library is never unmapped (-z nodelete). */
static void close_driver(void)
{
	if (!soft_door_close())
		return;
	write_counts();
	if (!soft_driver.initialised)
		return;
	if (soft_workers_stop()) {
		soft_exec_shutdown();
		spare_shutdown();
	}
}

/* For a process that has never called cuInit. */
__attribute__((destructor)) static void unload(void)
{
	close_driver();
}
