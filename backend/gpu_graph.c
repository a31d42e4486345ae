#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_module.h"
#include "backend/gpu_repeat.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_REVISING = UINT32_MAX };

/* The longest copy in one node; longer ones are several nodes. */
static const uint64_t line_max_B = (uint64_t)1 << 30;

struct gpu_graph {
	struct gpu_device *device;
	const struct gpu_share *share;   /* NULL: all of the device */
	CUgraph cu_graph;
	CUgraphExec cu_exec;             /* NULL until it is finished */
	CUgraphNode *nodes;
	uint32_t count, capacity;
	CUgraphNode *follows;            /* owned: the nodes that the next node follows */
	uint32_t follow_count, follow_capacity;
	uint32_t revised;                /* the node that the next launch replaces (gpu_graph_revise) */
	/* Held while the executable graph is used, because CUDA does not allow that to two threads at once. */
	struct lock lock;
};

/* --- birth and death ------------------------------------------------------------- */

cl_int gpu_graph_create(struct gpu_device *device, const struct gpu_share *share,
			struct gpu_graph **graph_out)
{
	struct gpu_graph *graph = calloc(1, sizeof(*graph));
	struct gpu_scope scope;
	if (!graph)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&graph->lock, LOCK_RANK_GPU)) {
		free(graph);
		return CL_OUT_OF_HOST_MEMORY;
	}
	graph->device = device;
	graph->share = share;
	graph->revised = NOT_REVISING;
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = gpu_check(device, cuda.cuGraphCreate(&graph->cu_graph, 0));
		gpu_leave(&scope);
	}
	if (error)
		gpu_graph_destroy(graph);
	else
		*graph_out = graph;
	return error;
}

void gpu_graph_destroy(struct gpu_graph *graph)
{
	struct gpu_scope scope;
	if (!graph)
		return;
	struct gpu_device *device = graph->device;
	/* The graph of a lost device is freed with its context. */
	if ((graph->cu_graph || graph->cu_exec) && !gpu_enter(device, &scope)) {
		if (graph->cu_exec)
			(void)gpu_check(device, cuda.cuGraphExecDestroy(graph->cu_exec));
		if (graph->cu_graph)
			(void)gpu_check(device, cuda.cuGraphDestroy(graph->cu_graph));
		gpu_leave(&scope);
	}
	lock_finish(&graph->lock);
	free(graph->nodes);
	free(graph->follows);
	free(graph);
}

struct gpu_device *gpu_sink_device(struct gpu_sink sink)
{
	return sink.graph ? sink.graph->device : sink.stream->device;
}

uint32_t gpu_graph_node_count(const struct gpu_graph *graph)
{
	return graph->count;
}

/* --- recording -------------------------------------------------------------------- */

static bool grow(CUgraphNode **nodes, uint32_t *capacity, uint32_t needed)
{
	if (needed <= *capacity)
		return true;
	const uint32_t more = needed > 2 * *capacity ? needed + 16 : 2 * *capacity;
	CUgraphNode *grown = realloc(*nodes, more * sizeof(*grown));
	if (!grown)
		return false;
	*nodes = grown;
	*capacity = more;
	return true;
}

cl_int gpu_graph_follow(struct gpu_graph *graph, const uint32_t *nodes, uint32_t count)
{
	if (!grow(&graph->follows, &graph->follow_capacity, count))
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		graph->follows[i] = graph->nodes[nodes[i]];
	graph->follow_count = count;
	return CL_SUCCESS;
}

/* Makes room for a node and for what it follows, before it is added. */
static cl_int add_begin(struct gpu_graph *graph)
{
	if (graph->cu_exec)
		return CL_INVALID_OPERATION;
	return grow(&graph->nodes, &graph->capacity, graph->count + 1) &&
		       grow(&graph->follows, &graph->follow_capacity, 1)
		       ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Counts the node that was made, nodes[count]. */
static void add_end(struct gpu_graph *graph)
{
	graph->follows[0] = graph->nodes[graph->count++];
	graph->follow_count = 1;
}

cl_int gpu_graph_add_nothing(struct gpu_graph *graph)
{
	struct gpu_device *device = graph->device;
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = add_begin(graph);
	if (!error)
		error = gpu_check(device, cuda.cuGraphAddEmptyNode(
			&graph->nodes[graph->count], graph->cu_graph, graph->follows,
			graph->follow_count));
	if (!error)
		add_end(graph);
	gpu_leave(&scope);
	return error;
}

CUDA_KERNEL_NODE_PARAMS_v2 gpu_launch_node(const struct gpu_launch *launch)
{
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;
	memset(&kernel, 0, sizeof(kernel));
	kernel.func = launch->function->cu_function;
	kernel.gridDimX = launch->grid[0];
	kernel.gridDimY = launch->grid[1];
	kernel.gridDimZ = launch->grid[2];
	kernel.blockDimX = launch->block[0];
	kernel.blockDimY = launch->block[1];
	kernel.blockDimZ = launch->block[2];
	kernel.sharedMemBytes = launch->dynamic_local_B;
	kernel.kernelParams = launch->parameters;
	return kernel;
}

static cl_int revise(struct gpu_graph *graph, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel)
{
	if (graph->revised >= graph->count)
		return CL_INVALID_VALUE;
	lock_take(&graph->lock);
	const CUresult cu_result = cuda.cuGraphExecKernelNodeSetParams_v2(
		graph->cu_exec, graph->nodes[graph->revised], kernel);
	lock_drop(&graph->lock);
	cl_int error = gpu_check_result(graph->device, cu_result,
					"cuGraphExecKernelNodeSetParams", __FILE__, __LINE__);
	if (!error)
		graph->revised++;
	return error;
}

static cl_int launch_add(struct gpu_graph *graph, const struct gpu_launch *launch)
{
	static const CUkernelNodeAttrValue cooperates = { .cooperative = 1 };
	CUDA_KERNEL_NODE_PARAMS_v2 kernel = gpu_launch_node(launch);
	if (graph->revised != NOT_REVISING)
		return launch->cooperative ? CL_INVALID_OPERATION : revise(graph, &kernel);
	cl_int error = add_begin(graph);
	if (!error)
		error = gpu_check(graph->device, cuda.cuGraphAddKernelNode_v2(
			&graph->nodes[graph->count], graph->cu_graph, graph->follows,
			graph->follow_count, &kernel));
	if (!error && launch->cooperative)
		error = gpu_check(graph->device, cuda.cuGraphKernelNodeSetAttribute(
			graph->nodes[graph->count], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperates));
	if (!error)
		add_end(graph);
	return error;
}

cl_int gpu_graph_add_launch(struct gpu_graph *graph, const struct gpu_launch *launch)
{
	struct gpu_scope scope;
	if (launch->function->module->device != graph->device)
		return CL_INVALID_VALUE;
	cl_int error = gpu_function_allow(launch->function, launch->dynamic_local_B);
	/* A kernel node runs in the context of its function: the field ctx "is ignored if func is set" (cuda.h). */
	if (!error)
		error = gpu_enter_share(graph->device, graph->share, &scope);
	if (error)
		return error;
	error = launch_add(graph, launch);
	gpu_leave(&scope);
	return error;
}

/* Copies and fills, which multiprocessors may do, run in the context of the share, if there is one.  A driver that
 * accepts no green context there is given the device's. */
static CUresult copy_add(struct gpu_graph *graph, const CUDA_MEMCPY3D *copy, CUcontext cu_context)
{
	return cuda.cuGraphAddMemcpyNode(&graph->nodes[graph->count], graph->cu_graph, graph->follows,
					 graph->follow_count, copy, cu_context);
}

static CUresult fill_add(struct gpu_graph *graph, const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext cu_context)
{
	return cuda.cuGraphAddMemsetNode(&graph->nodes[graph->count], graph->cu_graph, graph->follows,
					 graph->follow_count, fill, cu_context);
}

cl_int gpu_graph_add_copy(struct gpu_graph *graph, const CUDA_MEMCPY3D *copy)
{
	const CUcontext cu_context = atomic_load(&graph->device->cu_context);
	cl_int error = add_begin(graph);
	if (!error && (!graph->share || copy_add(graph, copy, graph->share->cu_context)))
		error = gpu_check(graph->device, copy_add(graph, copy, cu_context));
	if (!error)
		add_end(graph);
	return error;
}

cl_int gpu_graph_add_copy_line(struct gpu_graph *graph, gpu_address to, gpu_address from,
			       uint64_t size_B)
{
	CUDA_MEMCPY3D copy;
	cl_int error = CL_SUCCESS;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.Height = copy.Depth = copy.srcHeight = copy.dstHeight = 1;
	for (uint64_t done_B = 0; done_B < size_B && !error; done_B += copy.WidthInBytes) {
		const uint64_t left_B = size_B - done_B;
		copy.WidthInBytes = left_B < line_max_B ? left_B : line_max_B;
		copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
		copy.srcDevice = from + done_B;
		copy.dstDevice = to + done_B;
		error = gpu_graph_add_copy(graph, &copy);
	}
	return error;
}

cl_int gpu_graph_add_fill(struct gpu_graph *graph, gpu_address to, uint32_t value,
			  uint32_t element_B, uint64_t size_B)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	memset(&fill, 0, sizeof(fill));
	fill.dst = to;
	fill.value = value;
	fill.elementSize = element_B;
	fill.width = size_B / element_B;
	fill.height = 1;
	const CUcontext cu_context = atomic_load(&graph->device->cu_context);
	cl_int error = add_begin(graph);
	if (!error && (!graph->share || fill_add(graph, &fill, graph->share->cu_context)))
		error = gpu_check(graph->device, fill_add(graph, &fill, cu_context));
	if (!error)
		add_end(graph);
	return error;
}

/* --- use ---------------------------------------------------------------------------- */

cl_int gpu_graph_finish(struct gpu_graph *graph)
{
	struct gpu_device *device = graph->device;
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = gpu_check(device, cuda.cuGraphInstantiateWithFlags(&graph->cu_exec,
								   graph->cu_graph, 0));
	gpu_leave(&scope);
	return error;
}

void gpu_graph_revise(struct gpu_graph *graph, uint32_t first)
{
	graph->revised = first;
}

cl_int gpu_graph_launch(struct gpu_graph *graph, struct gpu_stream *stream)
{
	struct gpu_device *device = stream->device;
	struct gpu_scope scope;
	if (device != graph->device)
		return CL_INVALID_VALUE;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	lock_take(&graph->lock);
	const CUresult cu_result = cuda.cuGraphLaunch(graph->cu_exec, stream->cu_stream);
	lock_drop(&graph->lock);
	error = gpu_check_result(device, cu_result, "cuGraphLaunch", __FILE__, __LINE__);
	gpu_leave(&scope);
	if (!error)
		gpu_stream_count(stream);
	return error;
}
