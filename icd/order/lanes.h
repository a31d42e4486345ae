/* The streams of a queue: one for an in-order queue; for an out-of-order queue a
 * few, made when they are needed.
 *
 * Commands that depend on each other share a stream where that costs nothing;
 * independent ones get one of their own as long as there are any, so that they
 * run together.  Copies between host and device have streams apart, each direction its
 * own, so that they never stand behind kernels, nor the uploads of what comes next behind
 * results that are waited for.  Uploads that wait for nothing come one after the other: the
 * GPU shares its bus evenly between streams, so that of four at once, on an H200, the first
 * one's kernel started as late as the last one's.  When all streams are busy commands double up:
 * that may delay one, but never for ever, since nothing in a stream waits for the
 * host.
 *
 * Not thread-safe: the queue's lock is held by every caller. */
#ifndef CULVERT_ICD_LANES_H
#define CULVERT_ICD_LANES_H

#include "icd/order/event.h"

enum ocl_lane_class {
	OCL_LANES_WORK,
	OCL_LANES_TO_DEVICE_AT_ONCE,     /* ocl_lanes_choose's own: those that wait for nothing */
	OCL_LANES_TO_DEVICE,
	OCL_LANES_TO_HOST,
	OCL_LANE_CLASSES
};
enum { OCL_LANES_PER_CLASS = 16, OCL_LANES_WORK_MAX = 16, OCL_LANES_COPY_MAX = 4 };

struct ocl_lane {
	struct gpu_stream *stream;
	unsigned users;                  /* threads that submit to it without the lock */
};

struct ocl_lane_group {
	struct ocl_lane lanes[OCL_LANES_PER_CLASS];
	unsigned count, next;            /* next: where to look first */
};

struct ocl_lanes {
	struct gpu_device *device;       /* immutable, as are the next two */
	int priority;
	bool in_order;
	struct ocl_lane_group groups[OCL_LANE_CLASSES];
	uint64_t asked_ns;               /* when the driver was asked for an idle stream, */
	uint64_t ask_again_ns;           /* and how long it is not asked then */
	struct gpu_stream *joint;        /* of ocl_lanes_tails; NULL: not made yet */
	struct gpu_event *barrier;       /* owned: all later commands run after it; NULL: none */
};

/* The first stream is made at once. */
cl_int ocl_lanes_init(struct ocl_lanes *lanes, struct gpu_device *device, int priority,
		      bool in_order);
void ocl_lanes_finish(struct ocl_lanes *lanes);

/* Where a command with these dependencies, all settled, goes.  The stream is made
 * to wait for the last barrier. */
cl_int ocl_lanes_choose_any(struct ocl_lanes *lanes, enum ocl_lane_class lane_class,
			    uint32_t count, const cl_event *dependencies,
			    struct ocl_lane **lane_out);
static inline cl_int ocl_lanes_choose(struct ocl_lanes *lanes, enum ocl_lane_class lane_class,
				      uint32_t count, const cl_event *dependencies,
				      struct ocl_lane **lane_out)
{
	if (!lanes->in_order)
		return ocl_lanes_choose_any(lanes, lane_class, count, dependencies, lane_out);
	*lane_out = &lanes->groups[OCL_LANES_WORK].lanes[0];
	return CL_SUCCESS;
}
/* Makes lane wait for all that is in the others. */
cl_int ocl_lanes_join(struct ocl_lanes *lanes, const struct ocl_lane *lane);
/* A barrier command is in its stream; done is its witness. */
void ocl_lanes_set_barrier(struct ocl_lanes *lanes, struct gpu_event *done);

/* A witness of what every new command runs after, the caller's reference; NULL: of
 * nothing. */
cl_int ocl_lanes_ahead(struct ocl_lanes *lanes, struct gpu_event **ahead_out);

/* Witnesses of the lanes' unfinished work, each a reference of the caller's, those
 * before an error included.  *joint_out: a stream to wait for several of them in, or NULL;
 * it is never long in use, for streams may share what the GPU takes their work from. */
enum { OCL_LANES_TAILS = OCL_LANES_PER_CLASS * OCL_LANE_CLASSES };
cl_int ocl_lanes_tails(struct ocl_lanes *lanes, struct gpu_event *tails[OCL_LANES_TAILS],
		       unsigned *count_out, struct gpu_stream **joint_out);

#endif
