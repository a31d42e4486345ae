/* The functions that the library exports in addition to the driver API (softcuda/control.h). */
#include "config.h"

#include "base/lock.h"
#include "softcuda/calls/door.h"
#include "softcuda/control.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/event.h"
#include "softcuda/driver/fault.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

int culvert_soft_schedule(const char *items)
{
	struct soft_context *context = NULL;
	if (!items)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_enter(NULL, SOFT_NEED_INIT, &context);
	if (result != CUDA_SUCCESS)
		return (int)result;
	return (int)soft_leave(NULL, soft_schedule_restart_locked(items));
}

void culvert_soft_let_go(void)
{
	struct soft_context *context = NULL;
	if (soft_enter(NULL, SOFT_NEED_INIT, &context) != CUDA_SUCCESS)
		return;
	soft_schedule_let_go_locked();
	(void)soft_leave(NULL, CUDA_SUCCESS);
}

unsigned culvert_soft_reports(void)
{
	struct soft_context *context = NULL;
	if (soft_enter(NULL, SOFT_NEED_INIT, &context) != CUDA_SUCCESS)
		return 0;
	const unsigned reports = soft_oracle_reports_locked();
	(void)soft_leave(NULL, CUDA_SUCCESS);
	return reports;
}

int culvert_soft_fault(const char *rules)
{
	struct soft_context *context = NULL;
	if (!rules)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_enter(NULL, SOFT_NEED_NOTHING, &context);
	if (result != CUDA_SUCCESS)
		return (int)result;
	return (int)soft_leave(NULL, soft_fault_restart_locked(rules));
}

uint64_t culvert_soft_faults(void)
{
	struct soft_context *context = NULL;
	if (soft_enter(NULL, SOFT_NEED_NOTHING, &context) != CUDA_SUCCESS)
		return 0;
	const uint64_t count = soft_fault_fired_locked();
	(void)soft_leave(NULL, CUDA_SUCCESS);
	return count;
}

uint64_t culvert_soft_calls(const char *pattern)
{
	struct soft_context *context = NULL;
	if (soft_enter(NULL, SOFT_NEED_NOTHING, &context) != CUDA_SUCCESS)
		return 0;
	const uint64_t count = soft_fault_count_locked(pattern);
	(void)soft_leave(NULL, CUDA_SUCCESS);
	return count;
}

static CUresult rest_locked(CUevent cu_event, uint64_t most_ns, bool *rested_out)
{
	struct soft_event *event;
	const CUresult result = soft_event_find_locked(cu_event, &event);
	if (result != CUDA_SUCCESS)
		return result;
	const struct soft_point point = event->point;
	if (point.stream)
		point.stream->refs++;
	*rested_out = soft_point_rest_locked(&point, most_ns);
	soft_stream_unref_locked(point.stream);
	return CUDA_SUCCESS;
}

int culvert_soft_rest(void *event, uint64_t most_ns)
{
	struct soft_context *context = NULL;
	bool rested = false;
	if (soft_enter(NULL, SOFT_NEED_INIT, &context) != CUDA_SUCCESS)
		return 0;
	(void)soft_leave(NULL, rest_locked(event, most_ns ? most_ns : 1, &rested));
	return rested;
}

/* Called without the driver's lock; the table of allocations has a lock of its own. */
void culvert_soft_note_memory(uint64_t address, uint64_t size_B, unsigned what)
{
	soft_memory_note(address, size_B, what);
}

/* Called without the driver's lock, because the driver itself may be the caller. */
uint64_t culvert_soft_clock(uint64_t pass_ns)
{
	return soft_sched_clock_ns(pass_ns);
}
