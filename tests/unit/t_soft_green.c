/* Protects: green contexts of softcuda.  How multiprocessors are split, by architecture; that kernels run
 * on the multiprocessors of their stream or graph node and on no others; events of a whole green context;
 * its end; errors.  The sizes of groups are those of the driver API's manual, "Green Contexts". */
#include "config.h"

#include "tests/unit/soft_setup.h"

#include <string.h>

#if CUDA_VERSION >= 12050

enum { MULTIPROCESSORS = 20, GROUPS = 200 };

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	/* to[ctaid] = smid, to[gridDim] = nsmid */
	".visible .entry where(.param .u64 to) {\n"
	".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
	"ld.param.u64 %d1, [to]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
	"mov.u32 %r2, %smid; st.global.u32 [%d3], %r2;\n"
	"mov.u32 %r1, %nctaid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
	"mov.u32 %r2, %nsmid; st.global.u32 [%d3], %r2; ret;\n}\n";

static CUfunction where;
static CUdeviceptr to;

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
	OK(cuModuleGetFunction(&where, module, "where"));
	OK(cuMemAlloc(&to, (GROUPS + 1) * 4));
}

static CUdevResource all_of(int device)
{
	CUdevResource all;
	OK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
	return all;
}

/* How many groups of at least least there are, and their size. */
static unsigned split_of(const CUdevResource *all, unsigned flags, unsigned least, unsigned *size_out)
{
	CUdevResource groups[MULTIPROCESSORS];
	unsigned simulated = 0, count = MULTIPROCESSORS;
	OK(cuDevSmResourceSplitByCount(NULL, &simulated, all, NULL, flags, least));
	OK(cuDevSmResourceSplitByCount(groups, &count, all, NULL, flags, least));
	CHECK_EQ(simulated, count);
	*size_out = groups[0].sm.smCount;
	return count;
}

static void groups_are_the_architecture_s(void)
{
	static const struct {
		int device;
		unsigned flags, least, size, count;
	} rows[] = {
		{0, 0, 0, 8, 2}, {0, 0, 1, 8, 2}, {0, 0, 9, 16, 1},
		{0, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 1, 2, 10},
		{0, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 5, 6, 3},
		{1, 0, 1, 2, 10}, {1, 0, 3, 4, 5}, {1, 0, 20, 20, 1},
	};
	prepare();
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const CUdevResource all = all_of(rows[i].device);
		unsigned size = 0;
		CHECK_EQ(all.sm.smCount, MULTIPROCESSORS);
		CHECK_EQ(split_of(&all, rows[i].flags, rows[i].least, &size), rows[i].count);
		CHECK_EQ(size, rows[i].size);
	}
}

static CUgreenCtx green_of(CUdevResource *groups, unsigned count)
{
	CUdevResourceDesc description;
	CUgreenCtx green = NULL;
	OK(cuDevResourceGenerateDesc(&description, groups, count));
	OK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	return green;
}

static void launch(CUstream stream)
{
	void *parameters[] = {&to};
	OK(cuLaunchKernel(where, GROUPS, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
}

/* Where the launch that stream ends with ran: a bit for each multiprocessor. */
static uint64_t places(CUstream stream)
{
	unsigned out[GROUPS + 1];
	uint64_t set = 0;
	OK(cuMemcpyDtoHAsync(out, to, sizeof(out), stream));
	OK(cuStreamSynchronize(stream));
	CHECK_EQ(out[GROUPS], MULTIPROCESSORS);
	for (unsigned i = 0; i < GROUPS; i++)
		set |= (uint64_t)1 << out[i];
	return set;
}

static uint64_t places_of_launch(CUstream stream)
{
	launch(stream);
	return places(stream);
}

static CUstream stream_of(CUgreenCtx green)
{
	CUstream stream = NULL;
	OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
	return stream;
}

/* Three shares of 20: 2 x 4 multiprocessors, 1 x 4, and what is left. */
static void kernels_run_on_their_share(void)
{
	CUdevResource all, groups[3], rest, part;
	unsigned count = 3;
	CUstream own, streams[3];
	prepare();
	all = all_of(0);
	OK(cuDevSmResourceSplitByCount(groups, &count, &all, &rest,
				       CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 4));
	CHECK_EQ(count, 3);
	CHECK_EQ(rest.sm.smCount, 8);
	CUgreenCtx greens[3] = {green_of(groups, 2), green_of(groups + 2, 1), green_of(&rest, 1)};
	uint64_t sets[3], together = 0;
	static const int sizes[3] = {8, 4, 8};
	for (int i = 0; i < 3; i++) {
		streams[i] = stream_of(greens[i]);
		sets[i] = places_of_launch(streams[i]);
		CHECK_EQ(__builtin_popcountll(sets[i]), sizes[i]);
		CHECK_EQ(sets[i] & together, 0);
		together |= sets[i];
		OK(cuGreenCtxGetDevResource(greens[i], &part, CU_DEV_RESOURCE_TYPE_SM));
		CHECK_EQ(part.sm.smCount, sizes[i]);
	}
	CHECK_EQ(together, (1 << MULTIPROCESSORS) - 1);
	OK(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
	CHECK_EQ(places_of_launch(own), (1 << MULTIPROCESSORS) - 1);
	/* A share that has a green context can be split again. */
	OK(cuGreenCtxGetDevResource(greens[0], &part, CU_DEV_RESOURCE_TYPE_SM));
	count = 2;
	OK(cuDevSmResourceSplitByCount(groups, &count, &part, NULL,
				       CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 4));
	CUgreenCtx inner = green_of(groups, 1);
	CUstream stream = stream_of(inner);
	const uint64_t set = places_of_launch(stream);
	CHECK_EQ(__builtin_popcountll(set), 4);
	CHECK_EQ(set & ~sets[0], 0);
	OK(cuStreamDestroy(stream));
	OK(cuGreenCtxDestroy(inner));
	for (int i = 0; i < 3; i++) {
		OK(cuStreamDestroy(streams[i]));
		OK(cuGreenCtxDestroy(greens[i]));
	}
	OK(cuStreamDestroy(own));
}

static CUgreenCtx half(void)
{
	CUdevResource all = all_of(0), group;
	unsigned count = 1;
	OK(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 0, 8));
	return green_of(&group, 1);
}

/* A node with a function runs in the green context that was current when it was added, and the one that it names is
 * ignored; a node with a kernel of a library runs in the one that it names. The stream of the graph does not matter,
 * and new parameters do not move a node. An H200 (driver 580) does all of this. */
static void nodes_run_on_their_share(void)
{
	prepare();
	CUgreenCtx green = half();
	CUDA_KERNEL_NODE_PARAMS node;
	void *parameters[] = {&to};
	CUgraph graph;
	CUgraphNode added;
	CUgraphExec exec;
	CUlibrary library;
	CUkernel kernel;
	CUstream own, stream = stream_of(green);
	CUcontext converted, current;
	const uint64_t share = places_of_launch(stream);
	enum { NAMED, CURRENT, KERNEL };
	OK(cuCtxFromGreenCtx(&converted, green));
	OK(cuCtxGetCurrent(&current));
	OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "where"));
	OK(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
	for (int way = NAMED; way <= KERNEL; way++) {
		memset(&node, 0, sizeof(node));
		node.func = way == KERNEL ? NULL : where;
		node.kern = way == KERNEL ? kernel : NULL;
		node.ctx = way == CURRENT ? NULL : converted;
		node.gridDimX = GROUPS;
		node.gridDimY = node.gridDimZ = node.blockDimX = node.blockDimY = node.blockDimZ = 1;
		node.kernelParams = parameters;
		OK(cuGraphCreate(&graph, 0));
		OK(cuCtxSetCurrent(way == CURRENT ? converted : current));
		OK(cuGraphAddKernelNode(&added, graph, NULL, 0, &node));
		OK(cuCtxSetCurrent(current));
		OK(cuGraphInstantiate(&exec, graph, 0));
		OK(cuGraphLaunch(exec, way == NAMED ? stream : own));
		CHECK_EQ(places(way == NAMED ? stream : own) == share, way != NAMED);
		CHECK_EQ(cuGraphExecKernelNodeSetParams(exec, added, &node),
			 way == CURRENT ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
		OK(cuGraphExecDestroy(exec));
		OK(cuGraphDestroy(graph));
	}
	OK(cuLibraryUnload(library));
	OK(cuStreamDestroy(own));
	OK(cuStreamDestroy(stream));
	OK(cuGreenCtxDestroy(green));
}

/* Current: new streams and the NULL stream are of the share, and it is told back. */
static void it_can_be_current(void)
{
	prepare();
	CUgreenCtx green = half(), asked = NULL;
	CUcontext converted, current;
	CUstream stream;
	int grid, block, grid_of_all;
	OK(cuOccupancyMaxPotentialBlockSize(&grid_of_all, &block, where, NULL, 0, 0));
	OK(cuCtxFromGreenCtx(&converted, green));
	OK(cuCtxPushCurrent(converted));
	OK(cuCtxGetCurrent(&current));
	CHECK(current == converted);
	CHECK_EQ(__builtin_popcountll(places_of_launch(NULL)), 8);
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK_EQ(__builtin_popcountll(places_of_launch(stream)), 8);
	OK(cuStreamGetGreenCtx(stream, &asked));
	CHECK(asked == green);
	OK(cuStreamGetCtx(stream, &current));
	CHECK(current == converted);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, where, NULL, 0, 0));
	CHECK_EQ(grid * MULTIPROCESSORS, grid_of_all * 8);
	OK(cuCtxPopCurrent(&current));
	CHECK(current == converted);
	OK(cuStreamDestroy(stream));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuStreamGetGreenCtx(stream, &asked));
	CHECK(!asked);
	OK(cuStreamDestroy(stream));
	OK(cuGreenCtxDestroy(green));
	CHECK_EQ(cuCtxPushCurrent(converted), CUDA_ERROR_INVALID_CONTEXT);
}

/* An event of the green context is one of all its streams, and all of them wait, new ones too. */
static void events_are_for_all_streams(void)
{
	struct gate gate;
	prepare();
	CUgreenCtx green = half();
	CUstream a = stream_of(green), b = stream_of(green), outside;
	CUevent event;
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuStreamCreate(&outside, CU_STREAM_NON_BLOCKING));
	gate_put(&gate, a);
	OK(cuGreenCtxRecordEvent(green, event));
	launch(b);
	OK(cuStreamSynchronize(b));
	CHECK_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	OK(cuEventSynchronize(event));
	gate_put(&gate, outside);
	OK(cuEventRecord(event, outside));
	OK(cuGreenCtxWaitEvent(green, event));
	CUstream late = stream_of(green);
	launch(a);
	launch(late);
	CHECK_EQ(cuStreamQuery(a), CUDA_ERROR_NOT_READY);
	CHECK_EQ(cuStreamQuery(late), CUDA_ERROR_NOT_READY);
	gate_open(&gate);
	OK(cuStreamSynchronize(late));
	OK(cuStreamDestroy(late));
	OK(cuStreamDestroy(outside));
	OK(cuStreamDestroy(a));
	OK(cuStreamDestroy(b));
	OK(cuEventDestroy(event));
	OK(cuGreenCtxDestroy(green));
}

/* The manual: a stream that was not destroyed before its green context is refused afterwards. */
static void the_end(void)
{
	CUcontext primary;
	prepare();
	CUgreenCtx green = half();
	CUstream stream = stream_of(green);
	launch(stream);
	OK(cuGreenCtxDestroy(green));
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	CHECK_EQ(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
	/* It keeps the primary context of its device; a reset ends both. */
	OK(cuDevicePrimaryCtxRetain(&primary, 1));
	CUdevResource all = all_of(1), group;
	CUdevResourceDesc description;
	unsigned count = 1;
	OK(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 0, 2));
	OK(cuDevResourceGenerateDesc(&description, &group, 1));
	OK(cuGreenCtxCreate(&green, description, 1, CU_GREEN_CTX_DEFAULT_STREAM));
	OK(cuDevicePrimaryCtxReset(1));
	CHECK_EQ(cuCtxFromGreenCtx(&primary, green), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	OK(cuGreenCtxDestroy(green));
	contexts[1] = NULL;
}

static void errors(void)
{
	CUdevResource all, group, other, two[2];
	CUdevResourceDesc description;
	CUgreenCtx green;
	CUstream stream;
	unsigned count = 1;
	prepare();
	all = all_of(0);
	CHECK_EQ(cuDeviceGetDevResource(7, &group, CU_DEV_RESOURCE_TYPE_SM), CUDA_ERROR_INVALID_DEVICE);
	CHECK_EQ(cuDeviceGetDevResource(0, &group, CU_DEV_RESOURCE_TYPE_INVALID),
		 CUDA_ERROR_INVALID_RESOURCE_TYPE);
	CHECK_EQ(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 0, MULTIPROCESSORS + 1),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 0, 17),
		 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
	CHECK_EQ(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 4, 8),
		 CUDA_ERROR_INVALID_VALUE);
	OK(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 0, 8));
	CHECK_EQ(cuDevSmResourceSplitByCount(&other, &count, &group, NULL, 0, 8),
		 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
	OK(cuDevSmResourceSplitByCount(&other, &count, &all, NULL, 0, 8));
	two[0] = group;
	two[1] = other;
	CHECK_EQ(cuDevResourceGenerateDesc(&description, two, 2),
		 CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
	OK(cuDevResourceGenerateDesc(&description, &group, 1));
	CHECK_EQ(cuGreenCtxCreate(&green, description, 0, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuGreenCtxCreate(&green, description, 1, CU_GREEN_CTX_DEFAULT_STREAM),
		 CUDA_ERROR_INVALID_VALUE);
	OK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK_EQ(cuGreenCtxStreamCreate(&stream, green, 0, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuGreenCtxDestroy(green));
}

__attribute__((constructor)) static void twenty_multiprocessors(void)
{
	setenv("CULVERT_SOFT_MULTIPROCESSORS", "20", 1);
	setenv("CULVERT_SOFT_SM", "90,75", 1);
}

TEST_MAIN(TEST(groups_are_the_architecture_s), TEST(kernels_run_on_their_share),
	  TEST(nodes_run_on_their_share), TEST(it_can_be_current), TEST(events_are_for_all_streams),
	  TEST(errors), TEST(the_end))

#else

static void none(void)
{
	SKIP("these CUDA headers know no green contexts");
}

TEST_MAIN(TEST(none))

#endif
