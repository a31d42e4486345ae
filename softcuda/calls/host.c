/* Operations of a stream on the host: functions, callbacks, values in memory. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/driver/thread.h"
#include "softcuda/exec/exec.h"

#include <string.h>
#include <time.h>

/* --- functions ---------- */

struct call_operation {
	struct soft_operation base;
	CUhostFn function;                   /* one of these two is set */
	CUstreamCallback callback;
	CUstream cu_stream;
	void *data;
};

static CUresult function_run(struct soft_operation *operation, struct bytes *report)
{
	const struct call_operation *call = (struct call_operation *)operation;
	(void)report;
	soft_thread_forbid(true);
	call->function(call->data);
	soft_thread_forbid(false);
	return CUDA_SUCCESS;
}

static CUresult callback_run(struct soft_operation *operation, struct bytes *report)
{
	const struct call_operation *call = (struct call_operation *)operation;
	(void)report;
	lock_take(&soft_driver.lock);
	CUresult fault = operation->stream->context->fault;
	lock_drop(&soft_driver.lock);
	soft_thread_forbid(true);
	call->callback(call->cu_stream, fault, call->data);
	soft_thread_forbid(false);
	return CUDA_SUCCESS;
}

/* A function is not called in a context with a fault; a callback is called, with the error. */
static const struct soft_operation_type function_type = {
	.name = "host function",
	.run = function_run,
	.calls_host = true,
};
static const struct soft_operation_type callback_type = {
	.name = "stream callback",
	.run = callback_run,
	.calls_host = true,
	.despite_fault = true,
};

static CUresult call_locked(struct soft_context *context, CUstream cu_stream, CUhostFn function,
			    CUstreamCallback callback, void *data)
{
	struct soft_stream *stream;
	if (!function && !callback)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	struct call_operation *call =
		soft_operation_create(function ? &function_type : &callback_type, sizeof(*call));
	if (!call)
		return CUDA_ERROR_OUT_OF_MEMORY;
	call->function = function;
	call->callback = callback;
	call->cu_stream = cu_stream;
	call->data = data;
	return soft_operation_submit_locked(&call->base, stream);
}

CUresult cuLaunchHostFunc(CUstream cu_stream, CUhostFn function, void *data)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, call_locked(context, cu_stream, function, NULL, data));
}

CUresult cuStreamAddCallback(CUstream cu_stream, CUstreamCallback callback, void *data,
			     unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, flags ? CUDA_ERROR_INVALID_VALUE
					   : call_locked(context, cu_stream, NULL, callback, data));
}

/* --- values ---------- */

struct value_operation {
	struct soft_operation base;
	struct soft_allocation *allocation;
	uint64_t address;
	uint64_t value;
	unsigned size_B;
	unsigned flags;
};

static const uint64_t poll_ns = 20000;

static uint64_t value_read(const struct value_operation *wait)
{
	if (wait->size_B == 4)
		return __atomic_load_n((const uint32_t *)(uintptr_t)wait->address,
				       __ATOMIC_ACQUIRE);
	return __atomic_load_n((const uint64_t *)(uintptr_t)wait->address, __ATOMIC_ACQUIRE);
}

static bool value_satisfied(const struct value_operation *wait, uint64_t now)
{
	/* The difference is signed, so that a counter may overflow. */
	int64_t ahead = wait->size_B == 4 ? (int32_t)((uint32_t)now - (uint32_t)wait->value)
					  : (int64_t)(now - wait->value);
	uint64_t mask = wait->size_B == 4 ? UINT32_MAX : UINT64_MAX;
	switch (wait->flags & 3) {
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == (wait->value & mask);
	case CU_STREAM_WAIT_VALUE_AND:
		return (now & wait->value) != 0;
	case CU_STREAM_WAIT_VALUE_NOR:
		return (~(now | wait->value) & mask) != 0;
	default:
		return ahead >= 0;
	}
}

static bool value_lost(const struct value_operation *operation, struct bytes *report,
		       bool *stopping_out)
{
	lock_take(&soft_driver.lock);
	bool lost = operation->allocation->freed;
	*stopping_out = soft_driver.stopping;
	lock_drop(&soft_driver.lock);
	if (lost)
		bytes_append_string(report, "the memory was freed before the operation ran");
	return lost;
}

/* The worker thread waits meanwhile; such waits are rare, and threads are cheap. */
static CUresult wait_run(struct soft_operation *operation, struct bytes *report)
{
	const struct value_operation *wait = (struct value_operation *)operation;
	const struct timespec pause = {.tv_nsec = (long)poll_ns};
	for (;;) {
		bool stopping;
		if (value_lost(wait, report, &stopping))
			return CUDA_ERROR_ILLEGAL_ADDRESS;
		if (stopping || value_satisfied(wait, value_read(wait)))
			return CUDA_SUCCESS;
		nanosleep(&pause, NULL);
	}
}

static CUresult write_run(struct soft_operation *operation, struct bytes *report)
{
	const struct value_operation *write = (struct value_operation *)operation;
	bool stopping;
	if (value_lost(write, report, &stopping))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	if (write->size_B == 4)
		__atomic_store_n((uint32_t *)(uintptr_t)write->address, (uint32_t)write->value,
				 __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint64_t *)(uintptr_t)write->address, write->value,
				 __ATOMIC_RELEASE);
	return CUDA_SUCCESS;
}

static void value_finish_locked(struct soft_operation *operation)
{
	soft_memory_unpin_locked(((struct value_operation *)operation)->allocation);
}

static const struct soft_operation_type wait_type = {
	.name = "wait for a value",
	.run = wait_run,
	.waits_for_host = true,
	.finish_locked = value_finish_locked,
};
static const struct soft_operation_type write_type = {
	.name = "write of a value",
	.run = write_run,
	.finish_locked = value_finish_locked,
};

static CUresult value_locked(struct soft_context *context, CUstream cu_stream,
			     const struct value_operation *wanted, bool wait)
{
	const unsigned known = wait ? CU_STREAM_WAIT_VALUE_NOR
				    : CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (wait && wanted->flags & CU_STREAM_WAIT_VALUE_FLUSH)
		return CUDA_ERROR_NOT_SUPPORTED;
	struct soft_allocation *allocation =
		soft_memory_range_locked(wanted->address, wanted->size_B);
	if (!allocation || wanted->address % wanted->size_B || wanted->flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	struct value_operation *operation =
		soft_operation_create(wait ? &wait_type : &write_type, sizeof(*operation));
	if (!operation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	operation->allocation = allocation;
	operation->address = wanted->address;
	operation->value = wanted->value;
	operation->size_B = wanted->size_B;
	operation->flags = wanted->flags;
	soft_memory_pin_locked(allocation);
	soft_oracle_declare_locked(&operation->base, allocation, wanted->address, wanted->size_B,
				   wait ? SOFT_ACCESS_READ_STRONG : SOFT_ACCESS_WRITE_STRONG);
	return soft_operation_submit_locked(&operation->base, stream);
}

#define VALUE(name, type, size, wait)                                                        \
	CUresult name##_v2(CUstream cu_stream, CUdeviceptr address, type value,              \
			   unsigned int flags)                                               \
	{                                                                                    \
		const struct value_operation wanted = {.address = address, .value = value,   \
						       .size_B = (size), .flags = flags};    \
		SOFT_CALL(SOFT_NEED_CONTEXT,                                                 \
			  value_locked(context, cu_stream, &wanted, (wait)));                \
	}                                                                                    \
	CUresult name(CUstream cu_stream, CUdeviceptr address, type value,                   \
		      unsigned int flags)                                                    \
	{                                                                                    \
		return name##_v2(cu_stream, address, value, flags);                          \
	}

VALUE(cuStreamWaitValue32, cuuint32_t, 4, true)
VALUE(cuStreamWaitValue64, cuuint64_t, 8, true)
VALUE(cuStreamWriteValue32, cuuint32_t, 4, false)
VALUE(cuStreamWriteValue64, cuuint64_t, 8, false)

#undef VALUE
