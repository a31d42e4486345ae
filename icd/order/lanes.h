/* The streams of a queue: one for an in-order queue; for an out-of-order queue several, which are made when they are
 * needed.
 *
 * Commands that depend on each other share a stream where that delays nothing; independent commands each get a
 * stream as long as one is idle, so that they run concurrently.  Copies between host and device have streams of
 * their own for each direction, so that they do not wait behind kernels, and uploads do not wait behind downloads.
 * Uploads that wait for nothing share one stream: the GPU divides the bandwidth of its bus evenly between streams,
 * and with four uploads in four streams, on an H200, the kernel that needs the first one started as late as the last.
 * When all streams are busy several commands share one: that may delay a command, but not forever, because nothing in
 * a stream waits for the host.
 *
 * Not thread-safe: every caller holds the queue's lock. */
#ifndef CULVERT_ICD_LANES_H
#define CULVERT_ICD_LANES_H

#include "icd/order/event.h"

enum ocl_lane_class {
	OCL_LANES_WORK,                  /* kernels, and all that is no copy between host and device */
	OCL_LANES_TO_DEVICE_AT_ONCE,     /* uploads that wait for nothing; only ocl_lanes_choose uses this */
	OCL_LANES_TO_DEVICE,
	OCL_LANES_TO_HOST,
	OCL_LANE_CLASSES
};
enum { OCL_LANES_PER_CLASS = 16, OCL_LANES_WORK_MAX = 16, OCL_LANES_COPY_MAX = 4 };

struct ocl_lane {
	struct gpu_stream *stream;
	unsigned users;                  /* number of threads that submit to it without the lock */
};

struct ocl_lane_group {
	struct ocl_lane lanes[OCL_LANES_PER_CLASS];
	unsigned count;                  /* lanes that were made */
	unsigned next;                   /* index of the lane that is looked at first */
};

struct ocl_lanes {
	struct gpu_device *device;       /* constant */
	struct gpu_share *share;         /* constant: where the streams run; NULL: on all of the device */
	int priority;                    /* constant: of the streams, as gpu_stream_acquire takes it */
	bool in_order;                   /* constant */
	struct ocl_lane_group groups[OCL_LANE_CLASSES];
	uint64_t asked_ns;               /* when the driver was last asked which streams are idle */
	uint64_t ask_again_ns;           /* how long after that it is not asked again */
	struct gpu_stream *joint;        /* a stream for ocl_lanes_tails; NULL: not made yet */
	struct gpu_event *barrier;       /* owned: the last barrier, after which all later commands run; or NULL */
};

/* The first stream is made at once. */
cl_int ocl_lanes_init(struct ocl_lanes *lanes, struct gpu_device *device, struct gpu_share *share,
		      int priority, bool in_order);
void ocl_lanes_finish(struct ocl_lanes *lanes);

/* Chooses the lane for a command with these dependencies, which are settled, and makes its stream wait for the last
 * barrier. */
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
/* Makes lane wait for everything that is in the other lanes. */
cl_int ocl_lanes_join(struct ocl_lanes *lanes, const struct ocl_lane *lane);
/* Notes a barrier command that is in its stream; done is the GPU event after it. */
void ocl_lanes_set_barrier(struct ocl_lanes *lanes, struct gpu_event *done);

/* Gives a GPU event that every new command runs after, with a reference; NULL: there is nothing to run after. */
cl_int ocl_lanes_ahead(struct ocl_lanes *lanes, struct gpu_event **ahead_out);

/* Gives a GPU event after the unfinished work of each lane, with references, also when it returns an error.
 * *joint_out: a stream in which the caller can wait for several of them together, or NULL.  It must not be used for
 * long, because the hardware may process it and other streams in one queue. */
enum { OCL_LANES_TAILS = OCL_LANES_PER_CLASS * OCL_LANE_CLASSES };
cl_int ocl_lanes_tails(struct ocl_lanes *lanes, struct gpu_event *tails[OCL_LANES_TAILS],
		       unsigned *count_out, struct gpu_stream **joint_out);

#endif
