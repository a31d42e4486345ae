#include "config.h"

#include "icd/order/lanes.h"

#include "base/clock.h"

/* A launch asks the driver whether PROBES streams are idle; later launches do not ask for ASK_AGAIN_NS, which
 * doubles up to ASK_LATEST_NS while the answer is yes.  To ask about a stream that has just become idle takes a
 * microsecond, a third of a launch, and is of little use if all streams were idle before. */
enum { PROBES = 2, ASK_AGAIN_NS = 10000, ASK_LATEST_NS = 160000 };

/* The number of lanes that are compared to find the one with the least work, and the number of operations that make
 * no difference. */
enum { CANDIDATES = 4, ROUGHLY = 16 };

static const unsigned lanes_max[OCL_LANE_CLASSES] = {
	[OCL_LANES_WORK] = OCL_LANES_WORK_MAX,
	[OCL_LANES_TO_DEVICE_AT_ONCE] = 1,
	[OCL_LANES_TO_DEVICE] = OCL_LANES_COPY_MAX,
	[OCL_LANES_TO_HOST] = OCL_LANES_COPY_MAX,
};

static cl_int lane_make(struct ocl_lanes *lanes, struct ocl_lane_group *group,
			struct ocl_lane **lane_out)
{
	struct ocl_lane *lane = &group->lanes[group->count];
	cl_int error = gpu_stream_acquire_of(lanes->device, lanes->share, lanes->priority,
					      &lane->stream);
	if (error)
		return error;
	lane->users = 0;
	group->count++;
	*lane_out = lane;
	return CL_SUCCESS;
}

cl_int ocl_lanes_init(struct ocl_lanes *lanes, struct gpu_device *device, struct gpu_share *share,
		      int priority, bool in_order)
{
	struct ocl_lane *first;
	lanes->device = device;
	lanes->share = share;
	lanes->priority = priority;
	lanes->in_order = in_order;
	lanes->asked_ns = 0;
	lanes->ask_again_ns = ASK_AGAIN_NS;
	lanes->joint = NULL;
	lanes->barrier = NULL;
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++)
		lanes->groups[i].count = lanes->groups[i].next = 0;
	return lane_make(lanes, &lanes->groups[OCL_LANES_WORK], &first);
}

void ocl_lanes_finish(struct ocl_lanes *lanes)
{
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++)
		for (unsigned k = 0; k < lanes->groups[i].count; k++)
			gpu_stream_release(lanes->groups[i].lanes[k].stream);
	if (lanes->joint)
		gpu_stream_release(lanes->joint);
	gpu_event_unref(lanes->barrier);
}

/* --- the choice ------------------------------------------------------------------------- */

static bool lane_is_idle(const struct ocl_lane *lane)
{
	return !lane->users && gpu_stream_reached(lane->stream, gpu_stream_last(lane->stream));
}

/* A lane whose last operation is one of the dependencies: there the command need not wait for it. */
static struct ocl_lane *lane_to_continue(struct ocl_lane_group *group, uint32_t count,
					 const cl_event *dependencies)
{
	for (uint32_t i = count; i-- > 0;) {
		const struct gpu_event *done = dependencies[i]->done;
		for (unsigned k = 0; done && k < group->count; k++) {
			struct ocl_lane *lane = &group->lanes[k];
			if (!lane->users && gpu_event_stream(done) == lane->stream &&
			    gpu_event_sequence(done) == gpu_stream_last(lane->stream))
				return lane;
		}
	}
	return NULL;
}

/* The lanes are used in turn, so the next one is the one that was used longest ago. */
static struct ocl_lane *lane_next(struct ocl_lane_group *group)
{
	if (group->next >= group->count)
		group->next = 0;
	return &group->lanes[group->next++];
}

/* An idle lane, as far as is known without asking the driver. */
static struct ocl_lane *lane_known_idle(struct ocl_lane_group *group)
{
	const unsigned most = group->count < CANDIDATES ? group->count : CANDIDATES;
	for (unsigned i = 0; i < most; i++) {
		const unsigned place = (group->next + i) % group->count;
		struct ocl_lane *lane = &group->lanes[place];
		if (lane->users || !gpu_stream_is_known_done(lane->stream))
			continue;
		group->next = place + 1;
		return lane;
	}
	return NULL;
}

static struct ocl_lane *lane_idle(struct ocl_lane_group *group)
{
	const unsigned most = group->count < PROBES ? group->count : PROBES;
	for (unsigned i = 0; i < most; i++) {
		struct ocl_lane *lane = lane_next(group);
		if (lane_is_idle(lane))
			return lane;
	}
	return NULL;
}

/* Whether the driver may be asked for idle streams.  Launches in quick succession do not ask: each gets another
 * stream, until all exist and are shared in turn. */
static bool may_ask(struct ocl_lanes *lanes)
{
	const uint64_t now_ns = host_now_ns();
	if (now_ns - lanes->asked_ns < lanes->ask_again_ns)
		return false;
	lanes->asked_ns = now_ns;
	return true;
}

/* Streams that were found idle will probably be idle again, so the driver is asked less often; once none was idle,
 * the choice matters and it is asked as often as before. */
static void answer_note(struct ocl_lanes *lanes, bool idle)
{
	if (!idle)
		lanes->ask_again_ns = ASK_AGAIN_NS;
	else if (lanes->ask_again_ns < ASK_LATEST_NS)
		lanes->ask_again_ns *= 2;
}

/* Roughly how much work is in a lane.  A few operations more or less do not matter; then the lane that was used
 * longest ago is preferred. */
static uint64_t lane_load(const struct ocl_lane *lane)
{
	const uint64_t outstanding = gpu_stream_outstanding(lane->stream);
	return outstanding ? 1 + outstanding / ROUGHLY : 0;
}

/* All lanes seem busy: chooses the one with the least known work among some, preferably one to which no thread is
 * submitting. */
static struct ocl_lane *lane_to_share(struct ocl_lane_group *group)
{
	const unsigned more = group->count < CANDIDATES ? group->count : CANDIDATES;
	struct ocl_lane *best = lane_next(group);
	uint64_t best_load = lane_load(best);
	for (unsigned i = 1; i < more && (best_load || best->users); i++) {
		struct ocl_lane *lane = lane_next(group);
		const uint64_t load = lane_load(lane);
		if (lane->users < best->users ||
		    (lane->users == best->users && load < best_load)) {
			best = lane;
			best_load = load;
		}
	}
	group->next = (unsigned)(best - group->lanes) + 1;
	return best;
}

static cl_int lane_pick(struct ocl_lanes *lanes, enum ocl_lane_class lane_class, uint32_t count,
			const cl_event *dependencies, struct ocl_lane **lane_out)
{
	struct ocl_lane_group *group = &lanes->groups[lane_class];
	*lane_out = lane_to_continue(group, count, dependencies);
	if (!*lane_out)
		*lane_out = lane_known_idle(group);
	if (!*lane_out && lanes_max[lane_class] > 1 && may_ask(lanes)) {
		*lane_out = lane_idle(group);
		answer_note(lanes, *lane_out != NULL);
	}
	if (*lane_out)
		return CL_SUCCESS;
	cl_int error = CL_SUCCESS;
	if (group->count < lanes_max[lane_class])
		error = lane_make(lanes, group, lane_out);
	else
		*lane_out = lane_to_share(group);
	if (!error)
		return CL_SUCCESS;
	/* Without another stream commands share one, which is slower but correct. */
	*lane_out = lane_to_share(group->count ? group : &lanes->groups[OCL_LANES_WORK]);
	return gpu_device_status(lanes->device);
}

static bool all_known_done(uint32_t count, const cl_event *dependencies)
{
	for (uint32_t i = 0; i < count; i++)
		if (dependencies[i]->done && !gpu_event_known_done(dependencies[i]->done))
			return false;
	return true;
}

cl_int ocl_lanes_choose_any(struct ocl_lanes *lanes, enum ocl_lane_class lane_class,
			    uint32_t count, const cl_event *dependencies,
			    struct ocl_lane **lane_out)
{
	if (lane_class == OCL_LANES_TO_DEVICE && all_known_done(count, dependencies))
		lane_class = OCL_LANES_TO_DEVICE_AT_ONCE;
	cl_int error = lane_pick(lanes, lane_class, count, dependencies, lane_out);
	if (!error && lanes->barrier)
		error = gpu_stream_wait_event((*lane_out)->stream, lanes->barrier);
	return error;
}

/* --- joining ------------------------------------------------------------------------------ */

static cl_int tail_record(const struct ocl_lane *lane, struct gpu_event **tail_out)
{
	*tail_out = NULL;
	/* Recording an event is cheaper than asking the driver whether one is needed. */
	if (gpu_stream_is_known_done(lane->stream))
		return CL_SUCCESS;
	return gpu_event_record(lane->stream, false, tail_out);
}

cl_int ocl_lanes_join(struct ocl_lanes *lanes, const struct ocl_lane *lane)
{
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++) {
		for (unsigned k = 0; k < lanes->groups[i].count; k++) {
			const struct ocl_lane *other = &lanes->groups[i].lanes[k];
			struct gpu_event *tail = NULL;
			cl_int error = other == lane ? CL_SUCCESS : tail_record(other, &tail);
			if (!error && tail)
				error = gpu_stream_wait_event(lane->stream, tail);
			gpu_event_unref(tail);
			if (error)
				return error;
		}
	}
	return CL_SUCCESS;
}

void ocl_lanes_set_barrier(struct ocl_lanes *lanes, struct gpu_event *done)
{
	gpu_event_unref(lanes->barrier);
	lanes->barrier = gpu_event_ref(done);
}

cl_int ocl_lanes_ahead(struct ocl_lanes *lanes, struct gpu_event **ahead_out)
{
	if (lanes->in_order)
		return tail_record(&lanes->groups[OCL_LANES_WORK].lanes[0], ahead_out);
	*ahead_out = lanes->barrier ? gpu_event_ref(lanes->barrier) : NULL;
	return CL_SUCCESS;
}

/* The stream in which several tails can be waited for together; NULL: there are at most two, or no stream can be
 * made. */
static struct gpu_stream *joint_for(struct ocl_lanes *lanes, unsigned tails)
{
	if (tails > 2 && !lanes->joint &&
	    gpu_stream_acquire_of(lanes->device, lanes->share, lanes->priority, &lanes->joint))
		lanes->joint = NULL;
	return tails > 2 ? lanes->joint : NULL;
}

cl_int ocl_lanes_tails(struct ocl_lanes *lanes, struct gpu_event *tails[OCL_LANES_TAILS],
		       unsigned *count_out, struct gpu_stream **joint_out)
{
	cl_int error = CL_SUCCESS;
	*count_out = 0;
	for (unsigned i = 0; i < OCL_LANE_CLASSES; i++) {
		for (unsigned k = 0; k < lanes->groups[i].count && !error; k++) {
			struct gpu_event *tail = NULL;
			error = tail_record(&lanes->groups[i].lanes[k], &tail);
			if (tail)
				tails[(*count_out)++] = tail;
		}
	}
	*joint_out = error ? NULL : joint_for(lanes, *count_out);
	return error;
}
