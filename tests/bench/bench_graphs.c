/* A thousand small kernels in line: enqueued one by one, and replayed as a command
 * buffer; beside them CUDA's own launches and a CUDA graph of the same.  The rate wanted
 * of a replay is 3.5 times that of enqueueing.
 *
 *	make tests/bench/bench_graphs && tests/run-with-culvert tests/bench/bench_graphs */
#include "config.h"

#include "tests/api/command_buffer_entry.h"

#include <cuda.h>
#include <dlfcn.h>
#include <time.h>

enum { KERNELS = 1000, ITEMS = 256, ROUNDS = 15 };

#define CALLS(CALL)                                                                               \
	CALL(cuInit, (unsigned))                                                                  \
	CALL(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                   \
	CALL(cuCtxSetCurrent, (CUcontext))                                                        \
	CALL(cuModuleLoadData, (CUmodule *, const void *))                                        \
	CALL(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                         \
	CALL(cuStreamCreate, (CUstream *, unsigned))                                              \
	CALL(cuStreamSynchronize, (CUstream))                                                     \
	CALL(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                              \
	CALL(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,       \
			      unsigned, unsigned, CUstream, void **, void **))                    \
	CALL(cuGraphCreate, (CUgraph *, unsigned))                                                \
	CALL(cuGraphAddKernelNode_v2, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t,       \
				       const CUDA_KERNEL_NODE_PARAMS *))                          \
	CALL(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long))           \
	CALL(cuGraphLaunch, (CUgraphExec, CUstream))

static struct {
#define CALL(name, parameters) CUresult (*name) parameters;
	CALLS(CALL)
#undef CALL
} cu;

static struct command_buffer_entry cb;
static struct api_test test;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_command_buffer_khr buffer;
static CUfunction function;
static CUstream stream;
static CUdeviceptr data;
static CUgraphExec graph;

static const char source[] = "kernel void add(global uint *data) { data[get_global_id(0)] += 1; }\n";
static const char ptx[] =
	".version 6.4\n.target sm_70\n.address_size 64\n"
	".visible .entry add(.param .u64 data) {\n"
	".reg .b32 %r<3>; .reg .b64 %d<4>;\n"
	"ld.param.u64 %d1, [data]; cvta.to.global.u64 %d1, %d1; mov.u32 %r1, %tid.x;\n"
	"mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3];\n"
	"add.u32 %r2, %r2, 1; st.global.u32 [%d3], %r2; ret;\n}\n";

static const size_t items = ITEMS;

/* Each does the thousand once and waits. */
static void enqueue(void)
{
	for (int i = 0; i < KERNELS; i++)
		CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL,
						NULL));
	CHECK_OK(clFinish(queue));
}

static void replay(void)
{
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
}

static void raw_launch(void)
{
	void *parameters[] = {&data};
	for (int i = 0; i < KERNELS; i++)
		CHECK(!cu.cuLaunchKernel(function, 1, 1, 1, ITEMS, 1, 1, 0, stream, parameters,
					 NULL));
	CHECK(!cu.cuStreamSynchronize(stream));
}

static void raw_graph(void)
{
	CHECK(!cu.cuGraphLaunch(graph, stream));
	CHECK(!cu.cuStreamSynchronize(stream));
}

static bool ours_prepare(void)
{
	cl_int code;
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	if (!program)
		return false;
	queue = clCreateCommandQueueWithProperties(test.context, test.device, NULL, &code);
	CHECK_OK(code);
	kernel = clCreateKernel(program, "add", &code);
	CHECK_OK(code);
	const cl_uint zero = 0;
	cl_mem mem = clCreateBuffer(test.context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &zero, 4, 0, ITEMS * 4, 0, NULL, NULL));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	buffer = cb.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	for (int i = 0; i < KERNELS; i++)
		CHECK_OK(cb.launch(buffer, NULL, NULL, kernel, 1, NULL, &items, &items, 0, NULL,
				   NULL, NULL));
	CHECK_OK(cb.finalize(buffer));
	return !api_test_failures;
}

static bool cuda_find(void)
{
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library)
		return false;
#define CALL(name, parameters)                                                                    \
	*(void **)&cu.name = dlsym(library, #name);                                               \
	if (!cu.name)                                                                             \
		return false;
	CALLS(CALL)
#undef CALL
	return true;
}

static bool raw_prepare(void)
{
	void *parameters[] = {&data};
	CUDA_KERNEL_NODE_PARAMS node;
	CUcontext context;
	CUmodule module;
	CUgraph nodes;
	CUgraphNode last;
	if (!cuda_find() || cu.cuInit(0) || cu.cuDevicePrimaryCtxRetain(&context, 0) ||
	    cu.cuCtxSetCurrent(context) || cu.cuModuleLoadData(&module, ptx) ||
	    cu.cuModuleGetFunction(&function, module, "add") ||
	    cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) ||
	    cu.cuMemAlloc_v2(&data, ITEMS * 4) || cu.cuGraphCreate(&nodes, 0))
		return false;
	memset(&node, 0, sizeof(node));
	node.func = function;
	node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
	node.blockDimX = ITEMS;
	node.kernelParams = parameters;
	for (int i = 0; i < KERNELS; i++)
		if (cu.cuGraphAddKernelNode_v2(&last, nodes, i ? &last : NULL, i > 0, &node))
			return false;
	return !cu.cuGraphInstantiateWithFlags(&graph, nodes, 0);
}

static double now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The median of all rounds but a first one, per kernel. */
static double measure(const char *what, void (*run)(void))
{
	double times[ROUNDS];
	run();
	for (int i = 0; i < ROUNDS; i++) {
		const double start_ns = now_ns();
		run();
		times[i] = (now_ns() - start_ns) / KERNELS;
	}
	qsort(times, ROUNDS, sizeof(times[0]), compare);
	printf("%-28s %9.0f ns per kernel\n", what, times[ROUNDS / 2]);
	return times[ROUNDS / 2];
}

int main(void)
{
	if (!api_test_start(&test, "bench_graphs"))
		return API_TEST_SKIP;
	if (!command_buffer_entry_find(test.platform, &cb) || !ours_prepare() || !raw_prepare()) {
		printf("bench_graphs: SKIP: no command buffers, or no CUDA graphs\n");
		return API_TEST_SKIP;
	}
	const double enqueued = measure("enqueued", enqueue);
	const double replayed = measure("command buffer", replay);
	const double launched = measure("cuLaunchKernel", raw_launch);
	const double graphed = measure("CUDA graph", raw_graph);
	printf("%-28s %9.2f (wanted: 3.5)\n", "enqueued / command buffer", enqueued / replayed);
	printf("%-28s %9.2f\n", "cuLaunchKernel / CUDA graph", launched / graphed);
	return api_test_failures != 0;
}
