/* Commands that were enqueued and not yet written down.  Their events are looked at now
 * and then, and at the end: a callback would make the platform watch every one of them,
 * and that would show in the times. */
#include "config.h"

#include "tools/trace/trace.h"

#include "base/list.h"
#include "base/lock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, NAME_B = 128, LOOK_AT = 16 };

const cl_icd_dispatch *trace_next;

/* Of a queue that was made; never freed, for commands outlive it. */
struct queue {
	struct list link;
	cl_command_queue handle;         /* the newest of this value counts */
	unsigned number;
	char device[NAME_B];
	cl_ulong lane_ends_ns[LANES];    /* 0: a lane that was not used yet */
};

struct pending {
	struct list link;
	cl_event event;                  /* reference */
	struct queue *queue;
	char *name;                      /* owned */
};

static struct lock lock = LOCK_INIT(LOCK_RANK_LOG);
static struct list queues = {&queues, &queues};          /* newest first; guarded by lock, as is */
static struct list pendings = {&pendings, &pendings};    /* oldest first */
static unsigned queue_count;

/* Functions registered with atexit run in reverse order.  A driver that was first used before the first queue was made
 * ends after this one, and commands can still be asked for their times; when the layer itself ends, that may be too
 * late. */
static void harvest_before_driver_ends(void)
{
	(void)atexit(trace_harvest);
}

void trace_queue_made(cl_command_queue handle, cl_device_id device)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct queue *queue = calloc(1, sizeof(*queue));
	if (!queue)
		return;
	(void)pthread_once(&once, harvest_before_driver_ends);
	queue->handle = handle;
	trace_next->clGetDeviceInfo(device, CL_DEVICE_NAME, NAME_B - 1, queue->device, NULL);
	lock_take(&lock);
	queue->number = ++queue_count;
	list_prepend(&queues, &queue->link);
	lock_drop(&lock);
}

static struct queue *find_queue(cl_command_queue handle)
{
	struct queue *found = NULL;
	struct list *link, *next;
	lock_take(&lock);
	list_for_each(link, next, &queues) {
		struct queue *queue = list_entry(link, struct queue, link);
		if (!found && queue->handle == handle)
			found = queue;
	}
	lock_drop(&lock);
	return found;
}

/* Commands of a queue may overlap; those of one track must not.  0 to LANES - 1. */
static unsigned choose_lane(struct queue *queue, const cl_ulong times_ns[4], bool *first_out)
{
	unsigned lane = 0;
	lock_take(&lock);
	while (lane < LANES - 1 && queue->lane_ends_ns[lane] > times_ns[2])
		lane++;
	*first_out = !queue->lane_ends_ns[lane];
	queue->lane_ends_ns[lane] = times_ns[3];
	lock_drop(&lock);
	return lane;
}

static void write_down(const struct pending *pending)
{
	static const cl_profiling_info which[4] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
		CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
	cl_ulong times_ns[4];
	bool first;
	for (int i = 0; i < 4; i++)
		if (trace_next->clGetEventProfilingInfo(pending->event, which[i], sizeof(cl_ulong),
							&times_ns[i], NULL))
			return;
	if (times_ns[3] < times_ns[2])
		return;
	unsigned lane = choose_lane(pending->queue, times_ns, &first);
	if (first)
		trace_track(pending->queue->number, lane, pending->queue->device);
	trace_command(pending->name, pending->queue->number, lane, times_ns);
}

static void pending_free(struct pending *pending)
{
	free(pending->name);
	free(pending);
}

/* True when it is done with. */
static bool look(struct pending *pending)
{
	cl_int status = CL_QUEUED;
	cl_int error = trace_next->clGetEventInfo(pending->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
						  sizeof(status), &status, NULL);
	if (!error && status > CL_COMPLETE)
		return false;
	if (!error && status == CL_COMPLETE)
		write_down(pending);
	trace_next->clReleaseEvent(pending->event);
	pending_free(pending);
	return true;
}

static struct pending *take_oldest(void)
{
	struct pending *oldest = NULL;
	lock_take(&lock);
	if (!list_empty(&pendings)) {
		oldest = list_entry(pendings.next, struct pending, link);
		list_remove(&oldest->link);
	}
	lock_drop(&lock);
	return oldest;
}

/* At most that many, oldest first; those that are not done come back to where they were. */
static void harvest(unsigned most)
{
	struct list kept, *link, *next;
	list_init(&kept);
	for (unsigned i = 0; i < most; i++) {
		struct pending *pending = take_oldest();
		if (!pending)
			break;
		if (!look(pending))
			list_prepend(&kept, &pending->link);
	}
	lock_take(&lock);
	list_for_each(link, next, &kept) {
		list_remove(link);
		list_prepend(&pendings, link);
	}
	lock_drop(&lock);
}

void trace_harvest(void)
{
	harvest(UINT32_MAX);
}

/* A kernel's name, however long: those of C++ differ at their ends.  NULL when there is none. */
static char *kernel_name(cl_kernel kernel)
{
	size_t size_B = 0;
	if (!kernel || trace_next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size_B))
		return NULL;
	char *name = calloc(1, size_B + 1);
	if (name && !trace_next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size_B, name, NULL))
		return name;
	free(name);
	return NULL;
}

void trace_enqueued(const char *call, cl_command_queue handle, cl_kernel kernel, cl_event event)
{
	struct queue *queue = find_queue(handle);
	struct pending *pending = queue ? calloc(1, sizeof(*pending)) : NULL;
	if (!pending)
		return;
	pending->queue = queue;
	pending->name = kernel_name(kernel);
	if (!pending->name)
		pending->name = strdup(call + strlen("clEnqueue"));
	if (!pending->name || trace_next->clRetainEvent(event)) {
		pending_free(pending);
		return;
	}
	pending->event = event;
	lock_take(&lock);
	list_append(&pendings, &pending->link);
	lock_drop(&lock);
	harvest(LOOK_AT);
}
