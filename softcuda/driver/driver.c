/* The driver's state, the way into and out of every call, threads, forks and
 * the end of the process. */
#include "config.h"

#include "base/log.h"
#include "base/options.h"
#include "softcuda/driver/fault.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/soft.h"
#include "softcuda/driver/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct soft_driver soft_driver = {.lock = LOCK_INIT(LOCK_RANK_GPU)};

static atomic_bool unloading;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable, understood;

uint64_t soft_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void after_fork_in_child(void)
{
	atomic_store(&soft_driver.forked, true);
}

/* Half of the machine's memory, shared out, and no more than 8 GiB each. */
static uint64_t memory_of_a_device(unsigned count)
{
	const uint64_t most_B = (uint64_t)8 << 30;
	long pages = sysconf(_SC_PHYS_PAGES);
	long page_B = sysconf(_SC_PAGESIZE);
	uint64_t host_B = pages > 0 && page_B > 0 ? (uint64_t)pages * (uint64_t)page_B
						  : (uint64_t)1 << 30;
	uint64_t each_B = host_B / 2 / count & ~(uint64_t)0xfffff;
	return each_B < most_B ? each_B : most_B;
}

/* The rank-th number of the list, beginning anew at its end; SOFT_SM for what is none. */
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

static void start_once(void)
{
	list_init(&soft_driver.contexts);
	list_init(&soft_driver.active);
	list_init(&soft_driver.kernels);
	list_init(&soft_driver.limbo);
	list_init(&soft_driver.waiters);
	uint64_t count = option_number(OPTION_SOFT_DEVICES);
	soft_driver.device_count = count < SOFT_DEVICES_MAX ? (unsigned)count : SOFT_DEVICES_MAX;
	for (unsigned i = 0; i < soft_driver.device_count; i++) {
		soft_driver.devices[i].index = i;
		soft_driver.devices[i].sm = capability_of(i);
		soft_driver.devices[i].memory_B = memory_of_a_device(soft_driver.device_count);
	}
	soft_oracle_start();
	understood = soft_sched_start();
	usable = !lock_condition_init(&soft_driver.done) &&
		 !lock_condition_init(&soft_driver.work) && !soft_thread_start() &&
		 !pthread_atfork(NULL, NULL, after_fork_in_child);
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
	*version = SOFT_DRIVER_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
	SOFT_CALL(SOFT_NEED_NOTHING, version_locked(version));
}

static CUresult current_context_locked(enum soft_need need, struct soft_context **context_out)
{
	struct soft_context *context = soft_thread_context_locked();
	if (context && !context->alive) {
		if (need >= SOFT_NEED_CONTEXT)
			return CUDA_ERROR_CONTEXT_IS_DESTROYED;
		context = NULL;
	}
	if (need >= SOFT_NEED_CONTEXT && !context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (need == SOFT_NEED_CONTEXT && context->fault != CUDA_SUCCESS)
		return context->fault;
	*context_out = context;
	return CUDA_SUCCESS;
}

/* CUDA's default streams are the current context's. */
static CUresult stream_context_locked(CUstream cu_stream, struct soft_context **context_out)
{
	const struct soft_stream *stream = soft_handle_find_locked(SOFT_KIND_STREAM, cu_stream);
	if (!stream)
		return current_context_locked(SOFT_NEED_CONTEXT, context_out);
	*context_out = stream->context;
	return stream->context->fault;
}

/* cu_stream: what the context is known by; NULL: it is the current one. */
static CUresult enter(const char *call, enum soft_need need, const CUstream *cu_stream,
		      struct soft_context **context_out)
{
	if (atomic_load(&soft_driver.forked))
		return CUDA_ERROR_NOT_INITIALIZED;
	if (atomic_load(&unloading))
		return CUDA_ERROR_DEINITIALIZED;
	if (soft_thread_forbidden()) {
		log_err("%s: called from a host function of a stream, which may not use the driver",
			call);
		return CUDA_ERROR_NOT_PERMITTED;
	}
	lock_take(&soft_driver.lock);
	CUresult result = CUDA_SUCCESS;
	if (need != SOFT_NEED_NOTHING && !soft_driver.initialised)
		result = CUDA_ERROR_NOT_INITIALIZED;
	else if (cu_stream)
		result = stream_context_locked(*cu_stream, context_out);
	else if (need != SOFT_NEED_NOTHING)
		result = current_context_locked(need, context_out);
	const CUresult injected =
		call ? soft_fault_call_locked(call, *context_out) : CUDA_SUCCESS;
	if (result == CUDA_SUCCESS)
		result = injected;
	if (result != CUDA_SUCCESS)
		return soft_leave(call, result);
	return CUDA_SUCCESS;
}

CUresult soft_enter(const char *call, enum soft_need need, struct soft_context **context_out)
{
	return enter(call, need, NULL, context_out);
}

CUresult soft_enter_stream(const char *call, CUstream cu_stream, struct soft_context **context_out)
{
	return enter(call, SOFT_NEED_CONTEXT, &cu_stream, context_out);
}

CUresult soft_leave(const char *call, CUresult result)
{
	soft_fault_call_end();
	lock_drop(&soft_driver.lock);
	if (call)
		log_trace("softcuda: %s = %d", call, (int)result);
	return result;
}

/* A host may end while its streams are full.  Nothing new starts; what runs is
 * given a moment; threads that are still busy then are left to the kernel, with
 * all they use, for this object is never unmapped (-z nodelete). */
__attribute__((destructor)) static void unload(void)
{
	if (atomic_load(&soft_driver.forked) || atomic_exchange(&unloading, true))
		return;
	soft_fault_finish();
	if (!soft_driver.initialised)
		return;
	if (soft_workers_stop())
		soft_exec_shutdown();
}
