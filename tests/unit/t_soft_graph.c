/* Protects: graphs of softcuda.  What nodes do, in which order, on many schedules;
 * that the oracle finds an edge that is left out; updates; errors. */
#include "config.h"

#include "softcuda/control.h"
#include "tests/unit/soft_setup.h"

#include <string.h>

enum { COUNT = 64, SIZE_B = COUNT * 4, SCHEDULES = 20 };

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	/* to[i] = from[i] + value, for i < 64 */
	".visible .entry add(.param .u64 to, .param .u64 from, .param .u32 value) {\n"
	".reg .b32 %r<4>; .reg .b64 %d<6>;\n"
	"ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [value];\n"
	"mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 4; add.u64 %d4, %d1, %d3;\n"
	"add.u64 %d5, %d2, %d3; ld.global.u32 %r3, [%d5]; add.u32 %r3, %r3, %r1;\n"
	"st.global.u32 [%d4], %r3; ret;\n}\n";

static CUfunction add;
static CUstream first, second;
static CUdeviceptr a, b, c;

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)

static void prepare(void)
{
	CUmodule module;
	static bool done;
	CHECK(set_up());
	if (done)
		return;
	done = true;
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&add, module, "add"));
	OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&a, SIZE_B));
	OK(cuMemAlloc(&b, SIZE_B));
	OK(cuMemAlloc(&c, SIZE_B));
}

struct values {
	CUdeviceptr to, from;
	unsigned value;
	void *pointers[3];
};

static CUDA_KERNEL_NODE_PARAMS kernel_of(struct values *values, CUdeviceptr to, CUdeviceptr from,
					 unsigned value)
{
	CUDA_KERNEL_NODE_PARAMS kernel;
	memset(&kernel, 0, sizeof(kernel));
	*values = (struct values){to, from, value, {&values->to, &values->from, &values->value}};
	kernel.func = add;
	kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
	kernel.blockDimX = COUNT;
	kernel.blockDimY = kernel.blockDimZ = 1;
	kernel.kernelParams = values->pointers;
	return kernel;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from)
{
	CUDA_MEMCPY3D copy;
	memset(&copy, 0, sizeof(copy));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = from;
	copy.dstDevice = to;
	copy.WidthInBytes = SIZE_B;
	copy.Height = copy.Depth = 1;
	return copy;
}

/* a = 5; then b = a + 1 and c = a beside each other; then b = c + 10, which when broken
 * does not follow c.  kernel_out: the first of the two kernels. */
static CUgraphExec diamond(bool broken, CUgraph *graph_out, CUgraphNode *kernel_out)
{
	const CUDA_MEMSET_NODE_PARAMS fill = {a, 0, 5, 4, COUNT, 1};
	const CUDA_MEMCPY3D copy = copy_of(c, a);
	struct values values;
	CUgraphNode nodes[4];
	CUgraphExec exec;
	OK(cuGraphCreate(graph_out, 0));
	OK(cuGraphAddMemsetNode(&nodes[0], *graph_out, NULL, 0, &fill, contexts[0]));
	CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(&values, b, a, 1);
	OK(cuGraphAddKernelNode(&nodes[1], *graph_out, nodes, 1, &kernel));
	OK(cuGraphAddMemcpyNode(&nodes[2], *graph_out, nodes, 1, &copy, contexts[0]));
	kernel = kernel_of(&values, b, c, 10);
	OK(cuGraphAddKernelNode(&nodes[3], *graph_out, nodes + 1, broken ? 1 : 2, &kernel));
	OK(cuGraphInstantiate(&exec, *graph_out, 0));
	*kernel_out = nodes[1];
	return exec;
}

static void expect(CUstream stream, CUdeviceptr memory, unsigned value)
{
	unsigned out[COUNT] = {0};
	OK(cuMemcpyDtoHAsync(out, memory, SIZE_B, stream));
	OK(cuStreamSynchronize(stream));
	CHECK_EQ(out[0], value);
	CHECK_EQ(out[COUNT - 1], value);
}

static void right_on_each_schedule(void)
{
	CUgraph graph;
	CUgraphNode kernel;
	char schedule[16];
	prepare();
	for (int seed = 0; seed < SCHEDULES; seed++) {
		snprintf(schedule, sizeof(schedule), "seed:%d", seed);
		CHECK_EQ(culvert_soft_schedule(schedule), 0);
		CUgraphExec exec = diamond(false, &graph, &kernel);
		OK(cuMemsetD8Async(a, 0, SIZE_B, first));
		OK(cuGraphLaunch(exec, first));
		expect(first, b, 15);
		OK(cuGraphExecDestroy(exec));
		OK(cuGraphDestroy(graph));
		CHECK_EQ(culvert_soft_reports(), 0);
	}
	CHECK_EQ(culvert_soft_schedule(""), 0);
}

static void missing_edge_is_found(void)
{
	CUgraph graph;
	CUgraphNode kernel;
	prepare();
	CHECK_EQ(culvert_soft_schedule("seed:1"), 0);
	CUgraphExec exec = diamond(true, &graph, &kernel);
	OK(cuGraphLaunch(exec, first));
	OK(cuStreamSynchronize(first));
	CHECK(culvert_soft_reports() > 0);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	CHECK_EQ(culvert_soft_schedule(""), 0);
}

/* Launches of one executable graph follow each other, whatever their streams; what
 * other streams do needs an event as ever. */
static void launches_follow_each_other(void)
{
	CUgraph graph;
	CUgraphNode kernel;
	prepare();
	CHECK_EQ(culvert_soft_schedule("seed:7"), 0);
	CUgraphExec exec = diamond(false, &graph, &kernel);
	OK(cuGraphLaunch(exec, first));
	OK(cuGraphLaunch(exec, second));
	expect(second, b, 15);
	CHECK_EQ(culvert_soft_reports(), 0);
	OK(cuGraphLaunch(exec, first));
	OK(cuMemsetD8Async(b, 0, SIZE_B, second));
	OK(cuCtxSynchronize());
	CHECK(culvert_soft_reports() > 0);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	CHECK_EQ(culvert_soft_schedule(""), 0);
}

/* What was launched keeps the values of its time. */
static void updates(void)
{
	struct values values;
	CUgraph graph;
	CUgraphNode node;
	CUgraphExec exec;
	prepare();
	OK(cuMemsetD32Async(a, 1, COUNT, first));
	OK(cuGraphCreate(&graph, 0));
	CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(&values, a, a, 1);
	OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, first));
	kernel = kernel_of(&values, a, a, 100);
	OK(cuGraphExecKernelNodeSetParams(exec, node, &kernel));
	OK(cuGraphLaunch(exec, first));
	expect(first, a, 102);
	CHECK_EQ(cuGraphExecKernelNodeSetParams(exec, NULL, &kernel), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphExecKernelNodeSetParams(exec, node, NULL), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* CUDA driver API, CU_LAUNCH_ATTRIBUTE_COOPERATIVE: all work-groups of the node run at the same time, so that a grid
 * that does not fit is refused; a changed node keeps its attributes, and what was instantiated before stays as it
 * was. */
static void cooperative_nodes(void)
{
	const CUkernelNodeAttrValue on = {.cooperative = 1};
	struct values values;
	CUgraph graph;
	CUgraphNode node, empty;
	CUgraphExec before, exec;
	prepare();
	OK(cuMemsetD32Async(a, 1, COUNT, first));
	OK(cuGraphCreate(&graph, 0));
	CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(&values, a, a, 1);
	OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
	OK(cuGraphAddEmptyNode(&empty, graph, &node, 1));
	OK(cuGraphInstantiate(&before, graph, 0));
	OK(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &on));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, first));
	expect(first, a, 2);
	kernel.gridDimX = 1 << 20;
	OK(cuGraphExecKernelNodeSetParams(before, node, &kernel));
	CHECK_EQ(cuGraphExecKernelNodeSetParams(exec, node, &kernel), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
	CHECK_EQ(cuGraphKernelNodeSetAttribute(empty, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &on),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphKernelNodeSetAttribute(NULL, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &on),
		 CUDA_ERROR_INVALID_HANDLE);
	OK(cuGraphExecDestroy(before));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

static void errors(void)
{
	struct values values;
	CUgraph graph, other;
	CUgraphNode node, far;
	CUgraphExec exec;
	char pageable[SIZE_B];
	prepare();
	CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(&values, a, a, 1);
	CHECK_EQ(cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphCreate(&other, 0));
	OK(cuGraphAddEmptyNode(&far, other, NULL, 0));
	CHECK_EQ(cuGraphAddKernelNode(&node, graph, &far, 1, &kernel), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGraphAddKernelNode(&node, graph, NULL, 1, &kernel), CUDA_ERROR_INVALID_VALUE);
	kernel.blockDimX = 2048;
	CHECK_EQ(cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel), CUDA_ERROR_INVALID_VALUE);
	CUDA_MEMCPY3D copy = copy_of(a, b);
	copy.WidthInBytes = 1 << 20;
	CHECK_EQ(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, contexts[0]),
		 CUDA_ERROR_INVALID_VALUE);
	copy = copy_of(a, b);
	copy.srcMemoryType = CU_MEMORYTYPE_HOST;
	copy.srcHost = pageable;
	CHECK_EQ(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, contexts[0]),
		 CUDA_ERROR_NOT_SUPPORTED);
	const CUDA_MEMSET_NODE_PARAMS fill = {a, 0, 5, 3, COUNT, 1};
	CHECK_EQ(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, contexts[0]),
		 CUDA_ERROR_INVALID_VALUE);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, first));
	OK(cuStreamSynchronize(first));
	OK(cuGraphExecDestroy(exec));
	CHECK_EQ(cuGraphLaunch(exec, first), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_HANDLE);
	OK(cuGraphDestroy(graph));
	OK(cuGraphDestroy(other));
	CHECK_EQ(cuGraphDestroy(other), CUDA_ERROR_INVALID_HANDLE);
}

__attribute__((constructor)) static void with_oracle(void)
{
	setenv("CULVERT_SOFT_ORACLE", "1", 1);
}

int main(void)
{
	static const struct test_case cases[] = {
		TEST(right_on_each_schedule), TEST(missing_edge_is_found),
		TEST(launches_follow_each_other), TEST(updates), TEST(cooperative_nodes),
	TEST(errors),
	};
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
