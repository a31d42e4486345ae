#include "config.h"

#include "backend/gpu_repeat.h"

#include "base/cache_line.h"
#include "base/clock.h"
#include "base/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A function gets graphs after LEAST_LAUNCHES launches, and a stream after LEAST_HERE of them.  A stream whose place
 * in the table belongs to another stream may take it over when that stream has not launched for PATIENCE launches;
 * then for as many launches it tries whether the graph is idle. */
enum { LEAST_LAUNCHES = 16, LEAST_HERE = 8, PLACES = 16, PATIENCE = 64 };
/* How many times it is tried to make a graph while the device is not idle. */
enum { TRIES = 64 };
/* With more concurrent threads no graphs are used.  The driver serializes graph launches of all threads, and kernel
 * launches less so: four threads with a stream each launched 640,000 kernels per second and 580,000 graphs, sixteen
 * threads 780,000 and 500,000. */
enum { CROWD = 2 };
/* The number of launches that are measured, of both ways together. */
enum { SAMPLES = 24 };

struct repeat {
	_Alignas(CACHE_LINE_APART_B) atomic_flag taken;  /* a thread has taken it, and uses the other fields */
	uint32_t stream;                 /* the stream's id + 1; 0: the place is free */
	unsigned misses;                 /* launches in other streams since the last one in this stream */
	unsigned launches, tries;
	bool failed;                     /* making the graph failed, and is not tried again */
	enum gpu_way way;                /* the faster one; unknown: it is being measured */
	unsigned samples;                /* number of launches that were measured */
	uint64_t least_ns[2];            /* the shortest time of cuLaunchKernel, and of a graph; 0: not measured */
	CUgraph cu_graph;
	CUgraphNode cu_node;
	CUgraphExec cu_exec;             /* NULL: not made yet */
};

struct gpu_repeats {
	struct repeat places[PLACES];
};

/* --- which way -------------------------------------------------------------------- */

/* Measures launches of both ways in turn.  The shortest time counts, because a launch may have to wait for room in
 * the queue.  It depends also on the kernel, because a graph gets all parameters again. */
static void way_measured(const struct gpu_device *device, struct repeat *repeat, uint64_t ns)
{
	uint64_t *least_ns = &repeat->least_ns[repeat->samples % 2];
	if (!*least_ns || ns < *least_ns)
		*least_ns = ns;
	if (++repeat->samples < SAMPLES)
		return;
	const uint64_t kernel_ns = repeat->least_ns[0], graph_ns = repeat->least_ns[1];
	repeat->way = graph_ns < kernel_ns - kernel_ns / 8 ? GPU_WAY_GRAPH : GPU_WAY_KERNEL;
	log_info("%s: a launch takes %" PRIu64 " ns, a graph launch %" PRIu64 " ns: using %s",
		 device->caps.name, kernel_ns, graph_ns, gpu_way_name(repeat->way));
}

/* --- a graph ---------------------------------------------------------------------- */

static void graph_destroy(struct gpu_device *device, struct repeat *repeat, bool is_lost)
{
	if (repeat->cu_exec && !is_lost)
		(void)gpu_check(device, cuda.cuGraphExecDestroy(repeat->cu_exec));
	if (repeat->cu_graph && !is_lost)
		(void)gpu_check(device, cuda.cuGraphDestroy(repeat->cu_graph));
	repeat->cu_exec = NULL;
	repeat->cu_graph = NULL;
}

static void graph_make(struct gpu_device *device, struct repeat *repeat,
		       const struct gpu_launch *launch)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 node = gpu_launch_node(launch);
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return;
	CUresult cu_result = cuda.cuGraphCreate(&repeat->cu_graph, 0);
	if (!cu_result)
		cu_result = cuda.cuGraphAddKernelNode_v2(&repeat->cu_node, repeat->cu_graph, NULL,
							 0, &node);
	if (!cu_result)
		cu_result = cuda.cuGraphInstantiateWithFlags(&repeat->cu_exec, repeat->cu_graph, 0);
	if (cu_result) {
		repeat->cu_exec = NULL;
		repeat->failed = true;
		graph_destroy(device, repeat, false);
		log_info("%s: cannot create a graph for a launch: %s", device->caps.name,
			 gpu_error_find(cu_result)->name);
	}
	gpu_leave(&scope);
}

/* Whether there is a graph; makes one if possible.  That may allocate device memory, for which the driver waits
 * until no kernel runs.  A kernel that waits for this thread's next action would then never end; so a graph is made
 * only when the device is idle. */
static bool graph_is_there(struct gpu_stream *stream, struct repeat *repeat,
			   const struct gpu_launch *launch)
{
	if (repeat->cu_exec || repeat->failed)
		return !repeat->failed;
	if (++repeat->launches < LEAST_HERE || repeat->tries >= TRIES ||
	    !gpu_stream_is_known_done(stream))
		return false;
	repeat->tries++;
	if (gpu_device_is_idle(stream->device))
		graph_make(stream->device, repeat, launch);
	return repeat->cu_exec;
}

/* Whether the launch is in the stream.  An error is not returned: the plain launch that follows will have it too,
 * unless it is an error of the graph. */
static bool graph_launch(struct gpu_stream *stream, struct repeat *repeat,
			 const struct gpu_launch *launch)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 node = gpu_launch_node(launch);
	struct gpu_scope scope;
	/* The driver takes a graph's context from the thread. */
	if (gpu_enter(stream->device, &scope))
		return false;
	CUresult cu_result = cuda.cuGraphExecKernelNodeSetParams_v2(repeat->cu_exec,
								    repeat->cu_node, &node);
	if (!cu_result)
		cu_result = cuda.cuGraphLaunch(repeat->cu_exec, stream->cu_stream);
	gpu_leave(&scope);
	if (!cu_result)
		return true;
	repeat->failed = true;
	log_info("%s: a launch does not use its graph: %s", stream->device->caps.name,
		 gpu_error_find(cu_result)->name);
	return false;
}

/* --- places ----------------------------------------------------------------------- */

/* The table of a function that has been launched often; NULL: it has not, or there is not enough memory. */
static struct gpu_repeats *repeats_of(struct gpu_function *function)
{
	struct gpu_repeats *there = atomic_load_explicit(&function->repeats, memory_order_acquire);
	if (there || atomic_fetch_add_explicit(&function->launches, 1, memory_order_relaxed) !=
			     LEAST_LAUNCHES)
		return there;
	struct gpu_repeats *made = aligned_alloc(_Alignof(struct gpu_repeats), sizeof(*made));
	if (!made)
		return NULL;
	memset(made, 0, sizeof(*made));
	for (unsigned i = 0; i < PLACES; i++)
		atomic_flag_clear(&made->places[i].taken);
	if (atomic_compare_exchange_strong(&function->repeats, &there, made))
		return made;
	free(made);
	return there;
}

static void repeat_give(struct repeat *repeat)
{
	atomic_flag_clear_explicit(&repeat->taken, memory_order_release);
}

/* Whether the place is given to this stream.  The graph can be launched in any stream, but launches of one graph run
 * one after the other, so a launch in this stream would wait for the last one in the other stream: that one must be
 * complete. */
static bool repeat_changes(struct gpu_stream *stream, struct repeat *repeat)
{
	if (repeat->stream) {
		if (++repeat->misses < PATIENCE)
			return false;
		if (repeat->misses == 2 * PATIENCE)
			repeat->misses = 0;
		/* The first condition needs no driver call. */
		if (repeat->cu_exec && !(gpu_stream_is_known_done(stream) &&
					 gpu_device_is_idle(stream->device)))
			return false;
	}
	repeat->stream = stream->id + 1;
	repeat->way = stream->device->way;
	repeat->samples = 0;
	repeat->least_ns[0] = repeat->least_ns[1] = 0;
	return true;
}

/* NULL: the place belongs to another stream, or another thread uses it. */
static struct repeat *repeat_take(struct gpu_stream *stream, struct gpu_function *function)
{
	struct gpu_repeats *repeats = repeats_of(function);
	if (!repeats)
		return NULL;
	struct repeat *repeat = &repeats->places[stream->id % PLACES];
	if (atomic_flag_test_and_set_explicit(&repeat->taken, memory_order_acquire))
		return NULL;
	if (repeat->stream != stream->id + 1 && !repeat_changes(stream, repeat)) {
		repeat_give(repeat);
		return NULL;
	}
	repeat->misses = 0;
	return repeat;
}

/* --- launches --------------------------------------------------------------------- */

static cl_int launch_measured(struct gpu_stream *stream, struct repeat *repeat,
			      const struct gpu_launch *launch)
{
	const uint64_t start_ns = host_now_ns();
	cl_int error = CL_SUCCESS;
	if (repeat->samples % 2 == 0)
		error = gpu_launch_plainly(stream, launch);
	else if (!graph_launch(stream, repeat, launch))
		return gpu_launch_plainly(stream, launch);
	way_measured(stream->device, repeat, host_now_ns() - start_ns);
	return error;
}

/* others: the number of other threads that are launching now. */
static cl_int launch_among(struct gpu_stream *stream, const struct gpu_launch *launch,
			   unsigned others)
{
	struct repeat *repeat = others < CROWD ? repeat_take(stream, launch->function) : NULL;
	cl_int error = CL_SUCCESS;
	if (!repeat || !graph_is_there(stream, repeat, launch) ||
	    (repeat->way == GPU_WAY_UNKNOWN && others))
		error = gpu_launch_plainly(stream, launch);
	else if (repeat->way == GPU_WAY_UNKNOWN)
		error = launch_measured(stream, repeat, launch);
	else if (repeat->way == GPU_WAY_KERNEL || !graph_launch(stream, repeat, launch))
		error = gpu_launch_plainly(stream, launch);
	if (repeat)
		repeat_give(repeat);
	return error;
}

cl_int gpu_repeat_launch(struct gpu_stream *stream, const struct gpu_launch *launch)
{
	struct gpu_device *device = stream->device;
	const unsigned others = atomic_fetch_add_explicit(&device->launching, 1,
							  memory_order_relaxed);
	cl_int error = launch_among(stream, launch, others);
	atomic_fetch_sub_explicit(&device->launching, 1, memory_order_relaxed);
	return error;
}

void gpu_repeats_destroy(struct gpu_device *device, struct gpu_repeats *repeats, bool is_lost)
{
	for (unsigned i = 0; repeats && i < PLACES; i++)
		graph_destroy(device, &repeats->places[i], is_lost);
	free(repeats);
}
