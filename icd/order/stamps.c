#include "config.h"

#include "icd/order/stamps.h"

#include "base/clock.h"

/* When a query finds a timestamp complete it takes a microsecond, otherwise a tenth of that; after a complete one,
 * so many commands do without a query. */
enum { UNASKED = 16 };

/* The least time that the GPU takes for the commands ahead and their timestamps: an H200 takes 4 us for an empty
 * one. */
enum { AHEAD_NS = (OCL_STAMPS_KEPT - 1) * 1500 };

void ocl_stamps_finish(struct ocl_stamps *stamps)
{
	for (unsigned i = 0; i < OCL_STAMPS_KEPT; i++)
		gpu_event_unref(stamps->ends[i]);
}

/* Whether the last OCL_STAMPS_KEPT commands are all incomplete, as far as the driver says; false if it was not
 * asked. */
static bool is_busy(struct ocl_stamps *stamps)
{
	struct gpu_event *oldest = stamps->ends[stamps->next];
	bool done = true;
	if (!oldest)
		return false;
	if (stamps->unasked) {
		stamps->unasked--;
		return false;
	}
	stamps->asked_ns = host_now_ns();
	if (gpu_event_query(oldest, &done))
		return false;
	stamps->unasked = done ? UNASKED : 0;
	return !done;
}

struct gpu_event *ocl_stamps_start(struct ocl_stamps *stamps, struct gpu_stream *stream)
{
	struct gpu_event *last =
		stamps->ends[(stamps->next + OCL_STAMPS_KEPT - 1) % OCL_STAMPS_KEPT];
	const bool right_behind = last && gpu_event_is_tail(last, stream);
	return right_behind && is_busy(stamps) ? gpu_event_ref(last) : NULL;
}

uint64_t ocl_stamps_arrived_ns(const struct ocl_stamps *stamps, struct gpu_event *start)
{
	const uint64_t now_ns = host_now_ns();
	bool done = false;
	if (now_ns - stamps->asked_ns < AHEAD_NS || gpu_event_query(start, &done))
		return 0;
	return done ? now_ns : 0;
}

void ocl_stamps_add(struct ocl_stamps *stamps, struct gpu_event *end)
{
	gpu_event_unref(stamps->ends[stamps->next]);
	stamps->ends[stamps->next] = gpu_event_ref(end);
	stamps->next = (stamps->next + 1) % OCL_STAMPS_KEPT;
}
