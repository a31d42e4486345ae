/* Protects: a launch of very many grids leaves its queue to other threads while it is submitted: they enqueue commands
 * meanwhile, which complete after it.  If one of its grids fails, so does the call, and the queue can be used as
 * before. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/soft_fault.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { GRID = 65535, GRIDS = 20000, ATTEMPTS = 400 };

static const size_t global[3] = {1, (size_t)GRID * 200, (size_t)GRID * 100}, local[3] = {1, 1, 1};
static struct api_test test;
static cl_command_queue queue;
static cl_kernel kernel;
static uint64_t (*calls)(const char *);
static atomic_bool is_over;

static uint64_t grids_launched(void)
{
	return calls("cuLaunchKernel*");
}

static void *launch(void *event)
{
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, (cl_event *)event));
	atomic_store(&is_over, true);
	return NULL;
}

/* Enqueues a marker while another thread is in the call that launches; false: the launch was over by then, as it always
 * is where the call keeps the queue for itself. */
static bool enqueue_meanwhile(void)
{
	const uint64_t before = grids_launched();
	cl_event launched = NULL, marker = NULL;
	cl_int status = 12345;
	pthread_t thread;
	atomic_store(&is_over, false);
	CHECK(!pthread_create(&thread, NULL, launch, &launched));
	while (!atomic_load(&is_over) && grids_launched() < before + 10)
		sched_yield();
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
	const bool meanwhile = grids_launched() < before + GRIDS;
	CHECK_OK(clWaitForEvents(1, &marker));
	CHECK(grids_launched() == before + GRIDS);
	CHECK(!pthread_join(thread, NULL));
	CHECK_OK(clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	CHECK(status == CL_COMPLETE);
	CHECK_OK(clReleaseEvent(launched));
	CHECK_OK(clReleaseEvent(marker));
	return meanwhile;
}

static void test_meanwhile(void)
{
	bool meanwhile = false;
	for (unsigned i = 0; i < ATTEMPTS && !meanwhile; i++)
		meanwhile = enqueue_meanwhile();
	CHECK(meanwhile);
}

static void test_error(void)
{
	struct soft_fault fault;
	cl_event event = NULL;
	if (!CHECK(soft_fault_find(&fault)))
		return;
	CHECK(!fault.set("cuLaunchKernel*:5000:LAUNCH_OUT_OF_RESOURCES"));
	const uint64_t before = grids_launched();
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, &event), CL_OUT_OF_RESOURCES);
	CHECK(!event && fault.fired() == 1 && grids_launched() == before + 5000);
	CHECK(!fault.set(""));
	CHECK_OK(clFinish(queue));
	const size_t one = 1;
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
}

int main(void)
{
	/* The oracle remembers what each grid accesses, and takes minutes for so many. */
	if (getenv("CULVERT_SOFT_ORACLE"))
		return API_TEST_SKIP;
	const char *cuda = getenv("CULVERT_CUDA");
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	/* Kernels complete in order, but do nothing: there are more than 10^13 work-groups. */
	setenv("CULVERT_SOFT_NULL", "1", 1);
	if (!api_test_start(&test, "many_grids"))
		return API_TEST_SKIP;
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *address = library ? dlsym(library, "culvert_soft_calls") : NULL;
	memcpy(&calls, &address, sizeof(calls));
	cl_program program =
		api_test_build(test.context, test.device, "kernel void nothing(global int *a) { *a = 1; }", "");
	if (CHECK(calls) && CHECK(program)) {
		const cl_queue_properties kinds[] = {
			0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
		};
		cl_mem mem = buffer_make(test.context, 0, 4, NULL);
		kernel = kernel_make(program, "nothing");
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			queue = queue_make(test.context, test.device, kinds[i]);
			test_meanwhile();
			test_error();
			CHECK_OK(clReleaseCommandQueue(queue));
		}
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clReleaseMemObject(mem));
	}
	CHECK_OK(clReleaseProgram(program));
	return api_test_end(&test);
}
