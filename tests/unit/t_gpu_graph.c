/* Protects: that the copies and fills of a graph that is made for a share of the device name that share's context, and
 * that they are right where the driver accepts no green context for them. */
#include "config.h"

#include "backend/gpu_internal.h"
#include "backend/gpu_transfer.h"
#include "tests/unit/gpu_setup.h"

enum { COUNT = 256, BUFFER_B = COUNT * sizeof(uint32_t) };

static CUcontext copy_context, fill_context;     /* that the last node was added with */
static CUcontext refused;
static CUresult (*driver_copy)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMCPY3D *, CUcontext);
static CUresult (*driver_fill)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_MEMSET_NODE_PARAMS *,
			       CUcontext);

static CUresult copy_noted(CUgraphNode *node, CUgraph graph, const CUgraphNode *follows, size_t count,
			   const CUDA_MEMCPY3D *copy, CUcontext context)
{
	if (context == refused)
		return CUDA_ERROR_INVALID_CONTEXT;
	copy_context = context;
	return driver_copy(node, graph, follows, count, copy, context);
}

static CUresult fill_noted(CUgraphNode *node, CUgraph graph, const CUgraphNode *follows, size_t count,
			   const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context)
{
	if (context == refused)
		return CUDA_ERROR_INVALID_CONTEXT;
	fill_context = context;
	return driver_fill(node, graph, follows, count, fill, context);
}

static struct gpu_share *share;

static void setup(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	if (!driver_copy) {
		driver_copy = cuda.cuGraphAddMemcpyNode;
		driver_fill = cuda.cuGraphAddMemsetNode;
		cuda.cuGraphAddMemcpyNode = copy_noted;
		cuda.cuGraphAddMemsetNode = fill_noted;
	}
	if (!gpu_device_units(first()).count)
		SKIP("the driver has no green contexts");
	CHECK_EQ(gpu_share_find(first(), 0, 1, &share), CL_SUCCESS);
}

/* from = 7, then to = from, by a graph in a stream of the share. */
static void run(void)
{
	const uint32_t seven = 7;
	uint32_t result[COUNT] = {0};
	struct gpu_graph *graph;
	struct gpu_stream *stream;
	const gpu_address from = memory_new(BUFFER_B), to = memory_new(BUFFER_B);
	CHECK_EQ(gpu_graph_create(first(), share, &graph), CL_SUCCESS);
	CHECK_EQ(gpu_graph_add_fill(graph, from, seven, sizeof(seven), BUFFER_B), CL_SUCCESS);
	CHECK_EQ(gpu_graph_add_copy_line(graph, to, from, BUFFER_B), CL_SUCCESS);
	CHECK_EQ(gpu_graph_finish(graph), CL_SUCCESS);
	CHECK_EQ(gpu_stream_acquire_of(first(), share, 0, &stream), CL_SUCCESS);
	CHECK_EQ(gpu_graph_launch(graph, stream), CL_SUCCESS);
	CHECK_EQ(gpu_transfer_to_host(stream, GPU_TRANSFER_DRIVER, result, to, BUFFER_B), CL_SUCCESS);
	stream_wait(stream);
	CHECK_EQ(result[0], seven);
	CHECK_EQ(result[COUNT - 1], seven);
	gpu_stream_release(stream);
	gpu_graph_destroy(graph);
	gpu_memory_free(first(), from, NULL, 0);
	gpu_memory_free(first(), to, NULL, 0);
}

static void nodes_name_the_share(void)
{
	setup();
	if (!share)
		return; /* skipped */
	run();
	CHECK(share->cu_context != atomic_load(&first()->cu_context));
	CHECK(copy_context == share->cu_context);
	CHECK(fill_context == share->cu_context);
}

static void the_device_where_shares_are_refused(void)
{
	setup();
	if (!share)
		return; /* skipped */
	refused = share->cu_context;
	run();
	refused = NULL;
	CHECK(copy_context == atomic_load(&first()->cu_context));
	CHECK(fill_context == atomic_load(&first()->cu_context));
}

static const struct test_case cases[] = {
	TEST(devices_are_found),
	TEST(code_is_assembled_and_loaded),
	TEST(nodes_name_the_share),
	TEST(the_device_where_shares_are_refused),
};

int main(void)
{
	return run_gpu_tests(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
