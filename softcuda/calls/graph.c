/* Graphs: nodes that follow other nodes, instantiated once and launched often.
 *
 * An executable graph has streams of its own.  A node is put into a stream whose last node it follows, or into
 * another stream, so that nodes which do not follow each other are in different streams: schedules and the oracle
 * treat them like any other work.  A launch begins after the work in its stream and after the graph's previous
 * launch, and later work in the stream waits for it. */
#include "config.h"

#include "softcuda/calls/graph.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>
#include <string.h>

/* The most streams of a graph.  If more are needed, nodes share streams with nodes that they need not follow. */
enum { LANES_MAX = 64 };

enum node_kind { NODE_EMPTY, NODE_KERNEL, NODE_COPY, NODE_FILL };

struct node {
	CUgraphNode handle;                  /* of a graph: its own handle; of an executable graph: that of the node
					      * from which it was made */
	struct graph *graph;                 /* NULL in an executable graph */
	enum node_kind kind;
	struct soft_context *context;        /* in which it runs; NULL: in any */
	union {
		struct soft_kept_launch *kernel;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
	} u;
	uint32_t index;                      /* in the graph: larger than those of all nodes that it follows */
	uint32_t *follows;                   /* owned: indices */
	uint32_t follow_count;
};

struct graph {
	CUgraph handle;
	struct node **nodes;
	uint32_t count, capacity;
};

struct exec {
	CUgraphExec handle;
	struct soft_context *context;        /* a reference */
	struct node **nodes;
	uint32_t count;
	uint32_t *lanes;                     /* owned: the index in streams for each node */
	uint64_t *sequences;                 /* owned: for each node its sequence in that stream, of the last launch */
	struct soft_stream *streams[LANES_MAX]; /* with a reference to each, besides the context's */
	uint32_t stream_count;
	struct soft_point last;              /* the end of the previous launch */
};

static const struct soft_operation_type order_type = {.name = "graph"};

/* --- nodes ---------- */

static void node_destroy_locked(struct node *node)
{
	if (!node)
		return;
	if (node->kind == NODE_KERNEL)
		soft_kept_launch_unref_locked(node->u.kernel);
	if (node->graph)
		soft_handle_destroy_locked(node->handle);
	free(node->follows);
	free(node);
}

static CUresult follows_read_locked(struct node *node, const struct graph *graph,
				    const CUgraphNode *follows, size_t count)
{
	if (count && !follows)
		return CUDA_ERROR_INVALID_VALUE;
	node->follows = calloc(count + 1, sizeof(*node->follows));
	if (!node->follows)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const struct node *other = soft_handle_find_locked(SOFT_KIND_GRAPH_NODE,
								   follows[i]);
		if (!other || other->graph != graph)
			return CUDA_ERROR_INVALID_VALUE;
		node->follows[node->follow_count++] = other->index;
	}
	return CUDA_SUCCESS;
}

static bool graph_has_room(struct graph *graph)
{
	if (graph->count < graph->capacity)
		return true;
	const uint32_t capacity = graph->capacity ? 2 * graph->capacity : 16;
	struct node **nodes = realloc(graph->nodes, capacity * sizeof(struct node *));
	if (!nodes)
		return false;
	graph->nodes = nodes;
	graph->capacity = capacity;
	return true;
}

/* Also after an error, it owns what like contains. */
static CUresult add_locked(CUgraphNode *cu_node_out, CUgraph cu_graph, const CUgraphNode *follows,
			   size_t count, const struct node *like)
{
	struct graph *graph = soft_handle_find_locked(SOFT_KIND_GRAPH, cu_graph);
	struct node *node = malloc(sizeof(*node));
	CUresult result = CUDA_SUCCESS;
	if (!node) {
		if (like->kind == NODE_KERNEL)
			soft_kept_launch_unref_locked(like->u.kernel);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*node = *like;
	if (!graph || !cu_node_out)
		result = graph ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = follows_read_locked(node, graph, follows, count);
	if (result == CUDA_SUCCESS && !graph_has_room(graph))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result == CUDA_SUCCESS) {
		node->handle = soft_handle_create_locked(SOFT_KIND_GRAPH_NODE, node);
		result = node->handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (result != CUDA_SUCCESS) {
		node_destroy_locked(node);
		return result;
	}
	node->graph = graph;
	node->index = graph->count;
	graph->nodes[graph->count++] = node;
	*cu_node_out = node->handle;
	return CUDA_SUCCESS;
}

CUresult cuGraphAddEmptyNode(CUgraphNode *cu_node_out, CUgraph cu_graph,
			     const CUgraphNode *follows, size_t count)
{
	const struct node like = {.kind = NODE_EMPTY};
	SOFT_CALL(SOFT_NEED_INIT, add_locked(cu_node_out, cu_graph, follows, count, &like));
}

static CUresult add_kernel_locked(struct soft_context *context, CUgraphNode *cu_node_out,
				  CUgraph cu_graph, const CUgraphNode *follows, size_t count,
				  const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	struct node like = {.kind = NODE_KERNEL};
	if (!parameters)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_kept_launch_create_locked(context, parameters, &like.u.kernel);
	if (result != CUDA_SUCCESS)
		return result;
	like.context = soft_kept_launch_context(like.u.kernel);
	return add_locked(cu_node_out, cu_graph, follows, count, &like);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *cu_node_out, CUgraph cu_graph,
				 const CUgraphNode *follows, size_t count,
				 const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, add_kernel_locked(context, cu_node_out, cu_graph, follows,
						       count, parameters));
}

/* Of the attributes of kernel nodes only this one, because others are hints. */
static CUresult set_attribute_locked(CUgraphNode cu_node, CUkernelNodeAttrID attribute,
				     const CUkernelNodeAttrValue *value)
{
	struct node *node = soft_handle_find_locked(SOFT_KIND_GRAPH_NODE, cu_node);
	if (!node)
		return CUDA_ERROR_INVALID_HANDLE;
	if (node->kind != NODE_KERNEL || !value)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute != CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		return CUDA_ERROR_NOT_SUPPORTED;
	return soft_kept_launch_cooperate_locked(&node->u.kernel, value->cooperative != 0);
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode cu_node, CUkernelNodeAttrID attribute,
				       const CUkernelNodeAttrValue *value)
{
	SOFT_CALL(SOFT_NEED_INIT, set_attribute_locked(cu_node, attribute, value));
}

static CUresult add_copy_locked(CUgraphNode *cu_node_out, CUgraph cu_graph,
				const CUgraphNode *follows, size_t count,
				const CUDA_MEMCPY3D *copy, CUcontext cu_context)
{
	struct node like = {.kind = NODE_COPY};
	CUresult result = soft_context_find_locked(cu_context, &like.context);
	if (result == CUDA_SUCCESS && !copy)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = soft_copy_node_locked(copy, NULL);
	if (result != CUDA_SUCCESS)
		return result;
	like.u.copy = *copy;
	return add_locked(cu_node_out, cu_graph, follows, count, &like);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *cu_node_out, CUgraph cu_graph,
			      const CUgraphNode *follows, size_t count, const CUDA_MEMCPY3D *copy,
			      CUcontext cu_context)
{
	SOFT_CALL(SOFT_NEED_INIT, add_copy_locked(cu_node_out, cu_graph, follows, count, copy,
						  cu_context));
}

static CUresult add_fill_locked(CUgraphNode *cu_node_out, CUgraph cu_graph,
				const CUgraphNode *follows, size_t count,
				const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext cu_context)
{
	struct node like = {.kind = NODE_FILL};
	CUresult result = soft_context_find_locked(cu_context, &like.context);
	if (result == CUDA_SUCCESS && !fill)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = soft_fill_node_locked(fill, NULL);
	if (result != CUDA_SUCCESS)
		return result;
	like.u.fill = *fill;
	return add_locked(cu_node_out, cu_graph, follows, count, &like);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *cu_node_out, CUgraph cu_graph,
			      const CUgraphNode *follows, size_t count,
			      const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext cu_context)
{
	SOFT_CALL(SOFT_NEED_INIT, add_fill_locked(cu_node_out, cu_graph, follows, count, fill,
						  cu_context));
}

/* --- graphs ---------- */

static CUresult create_locked(CUgraph *cu_graph_out, unsigned flags)
{
	if (!cu_graph_out || flags)
		return CUDA_ERROR_INVALID_VALUE;
	struct graph *graph = calloc(1, sizeof(*graph));
	if (!graph)
		return CUDA_ERROR_OUT_OF_MEMORY;
	graph->handle = soft_handle_create_locked(SOFT_KIND_GRAPH, graph);
	if (!graph->handle) {
		free(graph);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*cu_graph_out = graph->handle;
	return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *cu_graph_out, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_INIT, create_locked(cu_graph_out, flags));
}

static CUresult destroy_locked(CUgraph cu_graph)
{
	struct graph *graph = soft_handle_find_locked(SOFT_KIND_GRAPH, cu_graph);
	if (!graph)
		return CUDA_ERROR_INVALID_HANDLE;
	for (uint32_t i = 0; i < graph->count; i++)
		node_destroy_locked(graph->nodes[i]);
	soft_handle_destroy_locked(graph->handle);
	free(graph->nodes);
	free(graph);
	return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph cu_graph)
{
	SOFT_CALL(SOFT_NEED_INIT, destroy_locked(cu_graph));
}

/* --- executable graphs ---------- */

static void exec_destroy_locked(struct exec *exec)
{
	for (uint32_t i = 0; i < exec->count; i++)
		node_destroy_locked(exec->nodes[i]);
	for (uint32_t i = 0; i < exec->stream_count; i++) {
		/* Work in the stream continues.  A context that was destroyed has already released it. */
		if (exec->streams[i]->context)
			soft_stream_retire_locked(exec->streams[i]);
		soft_stream_unref_locked(exec->streams[i]);
	}
	soft_stream_unref_locked(exec->last.stream);
	soft_handle_destroy_locked(exec->handle);
	soft_context_unref_locked(exec->context);
	free(exec->nodes);
	free(exec->lanes);
	free(exec->sequences);
	free(exec);
}

static struct node *node_copy_locked(const struct node *source)
{
	struct node *node = malloc(sizeof(*node));
	const size_t follows_B = source->follow_count * sizeof(*source->follows);
	uint32_t *follows = malloc(follows_B + 1);
	if (!node || !follows) {
		free(node);
		free(follows);
		return NULL;
	}
	*node = *source;
	node->graph = NULL;
	node->follows = follows;
	memcpy(follows, source->follows, follows_B);
	if (node->kind == NODE_KERNEL)
		soft_kept_launch_ref_locked(node->u.kernel);
	return node;
}

static CUresult stream_add_locked(struct exec *exec)
{
	struct soft_stream *stream =
		soft_stream_create_locked(exec->context, CU_STREAM_NON_BLOCKING, 0);
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->refs++;
	exec->streams[exec->stream_count++] = stream;
	return CUDA_SUCCESS;
}

/* tails: the last node of each stream so far. */
static CUresult lane_choose_locked(struct exec *exec, uint32_t index, uint32_t tails[LANES_MAX])
{
	const struct node *node = exec->nodes[index];
	CUresult result = CUDA_SUCCESS;
	uint32_t lane = exec->stream_count;
	for (uint32_t i = 0; i < node->follow_count; i++)
		if (tails[exec->lanes[node->follows[i]]] == node->follows[i])
			lane = exec->lanes[node->follows[i]];
	if (lane == LANES_MAX)
		lane = index % LANES_MAX;
	if (lane == exec->stream_count)
		result = stream_add_locked(exec);
	exec->lanes[index] = lane;
	tails[lane] = index;
	return result;
}

static CUresult exec_fill_locked(struct exec *exec, const struct graph *graph)
{
	uint32_t tails[LANES_MAX];
	exec->nodes = calloc(graph->count + 1, sizeof(struct node *));
	exec->lanes = calloc(graph->count + 1, sizeof(*exec->lanes));
	exec->sequences = calloc(graph->count + 1, sizeof(*exec->sequences));
	if (!exec->nodes || !exec->lanes || !exec->sequences)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < graph->count; i++) {
		const struct node *source = graph->nodes[i];
		if (source->context && source->context != exec->context) {
			log_err("softcuda: graphs with nodes of several contexts are not "
				"supported");
			return CUDA_ERROR_NOT_SUPPORTED;
		}
		exec->nodes[i] = node_copy_locked(source);
		if (!exec->nodes[i])
			return CUDA_ERROR_OUT_OF_MEMORY;
		exec->count++;
		CUresult result = lane_choose_locked(exec, i, tails);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

static CUresult instantiate_locked(struct soft_context *context, CUgraphExec *cu_exec_out,
				   CUgraph cu_graph, unsigned long long flags)
{
	struct graph *graph = soft_handle_find_locked(SOFT_KIND_GRAPH, cu_graph);
	if (!graph)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!cu_exec_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (flags) {
		log_err("softcuda: cuGraphInstantiate: flags %#llx are not supported", flags);
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	struct exec *exec = calloc(1, sizeof(*exec));
	if (!exec)
		return CUDA_ERROR_OUT_OF_MEMORY;
	exec->context = context;
	context->refs++;
	CUresult result = exec_fill_locked(exec, graph);
	if (result == CUDA_SUCCESS) {
		exec->handle = soft_handle_create_locked(SOFT_KIND_GRAPH_EXEC, exec);
		result = exec->handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (result != CUDA_SUCCESS)
		exec_destroy_locked(exec);
	else
		*cu_exec_out = exec->handle;
	return result;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *cu_exec_out, CUgraph cu_graph,
				     unsigned long long flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, instantiate_locked(context, cu_exec_out, cu_graph, flags));
}

static CUresult find_locked(CUgraphExec cu_exec, struct exec **exec_out)
{
	struct exec *exec = soft_handle_find_locked(SOFT_KIND_GRAPH_EXEC, cu_exec);
	if (!exec)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!exec->context->alive)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	*exec_out = exec;
	return exec->context->fault;
}

static CUresult exec_end_locked(CUgraphExec cu_exec)
{
	struct exec *exec = soft_handle_find_locked(SOFT_KIND_GRAPH_EXEC, cu_exec);
	if (!exec)
		return CUDA_ERROR_INVALID_HANDLE;
	exec_destroy_locked(exec);
	return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec cu_exec)
{
	SOFT_CALL(SOFT_NEED_INIT, exec_end_locked(cu_exec));
}

/* Earlier launches keep their values, which are in their operations. */
static CUresult set_kernel_locked(struct soft_context *context, CUgraphExec cu_exec,
				  CUgraphNode cu_node, const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	struct soft_kept_launch *kept;
	struct exec *exec;
	CUresult result = find_locked(cu_exec, &exec);
	if (result != CUDA_SUCCESS)
		return result;
	const struct node *source = soft_handle_find_locked(SOFT_KIND_GRAPH_NODE, cu_node);
	struct node *node = source && source->index < exec->count ? exec->nodes[source->index]
								  : NULL;
	if (!parameters || !node || node->handle != cu_node || node->kind != NODE_KERNEL)
		return CUDA_ERROR_INVALID_VALUE;
	result = soft_kept_launch_create_locked(context, parameters, &kept);
	if (result != CUDA_SUCCESS)
		return result;
	/* The attributes of the node do not change. */
	if (soft_kept_launch_is_cooperative(node->u.kernel))
		result = soft_kept_launch_cooperate_locked(&kept, true);
	if (result != CUDA_SUCCESS) {
		soft_kept_launch_unref_locked(kept);
		return result;
	}
	/* "The func field's context cannot change."  Nor can the green context, as an H200 (driver 580) has it. */
	if (!soft_kept_launch_replaces(kept, node->u.kernel)) {
		soft_kept_launch_unref_locked(kept);
		return CUDA_ERROR_INVALID_VALUE;
	}
	soft_kept_launch_unref_locked(node->u.kernel);
	node->u.kernel = kept;
	return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec cu_exec, CUgraphNode cu_node,
					   const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, set_kernel_locked(context, cu_exec, cu_node, parameters));
}

/* --- launching ---------- */

static CUresult await_locked(struct soft_operation **operation, const struct soft_point *point)
{
	if (!point->stream)
		return CUDA_SUCCESS;
	if (!*operation)
		*operation = soft_operation_create(&order_type, sizeof(**operation));
	return *operation ? soft_operation_wait_for_locked(*operation, point->stream,
							   point->sequence)
			  : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Makes the node's stream wait for the nodes that it follows and that are in other streams. */
static CUresult node_order_locked(struct exec *exec, const struct node *node,
				  const struct soft_point *start)
{
	struct soft_stream *stream = exec->streams[exec->lanes[node->index]];
	struct soft_operation *order = NULL;
	CUresult result = CUDA_SUCCESS;
	if (!node->follow_count) {
		result = await_locked(&order, start);
		if (result == CUDA_SUCCESS)
			result = await_locked(&order, &exec->last);
	}
	for (uint32_t i = 0; i < node->follow_count && result == CUDA_SUCCESS; i++) {
		const uint32_t other = node->follows[i];
		const struct soft_point point = {exec->streams[exec->lanes[other]],
						 exec->sequences[other]};
		if (point.stream != stream)
			result = await_locked(&order, &point);
	}
	if (result == CUDA_SUCCESS && order)
		return soft_operation_submit_locked(order, stream);
	soft_operation_destroy_locked(order);
	return result;
}

static CUresult node_run_locked(struct node *node, struct soft_stream *stream)
{
	switch (node->kind) {
	case NODE_KERNEL:
		return soft_kept_launch_submit_locked(node->u.kernel, stream);
	case NODE_COPY:
		return soft_copy_node_locked(&node->u.copy, stream);
	case NODE_FILL:
		return soft_fill_node_locked(&node->u.fill, stream);
	default:
		return CUDA_SUCCESS;
	}
}

static CUresult nodes_submit_locked(struct exec *exec, const struct soft_point *start)
{
	for (uint32_t i = 0; i < exec->count; i++) {
		struct soft_stream *stream = exec->streams[exec->lanes[i]];
		CUresult result = node_order_locked(exec, exec->nodes[i], start);
		if (result == CUDA_SUCCESS)
			result = node_run_locked(exec->nodes[i], stream);
		if (result != CUDA_SUCCESS)
			return result;
		exec->sequences[i] = stream->submitted;
	}
	return CUDA_SUCCESS;
}

/* Makes the stream wait for the whole graph, also if a node has failed. */
static CUresult join_locked(struct exec *exec, struct soft_stream *stream)
{
	struct soft_operation *join = NULL;
	CUresult result = await_locked(&join, &exec->last);
	for (uint32_t i = 0; i < exec->stream_count && result == CUDA_SUCCESS; i++) {
		const struct soft_point end = {exec->streams[i], exec->streams[i]->submitted};
		result = await_locked(&join, &end);
	}
	if (result == CUDA_SUCCESS && join)
		result = soft_operation_submit_locked(join, stream);
	else
		soft_operation_destroy_locked(join);
	if (result != CUDA_SUCCESS)
		return result;
	stream->refs++;
	soft_stream_unref_locked(exec->last.stream);
	exec->last = (struct soft_point){stream, stream->submitted};
	return CUDA_SUCCESS;
}

static CUresult launch_locked(struct soft_context *context, CUgraphExec cu_exec, CUstream cu_stream)
{
	struct soft_stream *stream;
	struct exec *exec;
	CUresult result = find_locked(cu_exec, &exec);
	if (result == CUDA_SUCCESS)
		result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->context != exec->context)
		return CUDA_ERROR_INVALID_VALUE;
	const struct soft_point start = {stream, stream->submitted};
	result = nodes_submit_locked(exec, &start);
	const CUresult joined = join_locked(exec, stream);
	return result == CUDA_SUCCESS ? joined : result;
}

CUresult cuGraphLaunch(CUgraphExec cu_exec, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, launch_locked(context, cu_exec, cu_stream));
}
