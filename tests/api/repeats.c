/* Launches like the one before: whatever changes between two of them that look alike, each does
 * what it would have done alone, and is refused when it would have been. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

static const char source[] =
"kernel void ids(global uint *out, uint plus) {\n"
"	size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
"	size_t i = ((z - get_global_offset(2)) * get_global_size(1) + y - get_global_offset(1)) *\n"
"		   get_global_size(0) + x - get_global_offset(0);\n"
"	out[i] = x + 100 * y + 10000 * z + 1000000 * get_work_dim() +\n"
"		 10000000 * get_local_size(0) + plus;\n"
"}\n"
"kernel void next(global uint *out) { out[get_global_id(0)]++; }\n"
"kernel void add(global uint *out, uint plus) { atomic_add(out, plus); }\n"
"kernel void plus(global uint *out, uint plus) { out[get_global_id(0)] += plus; }\n"
"kernel void turn(global uint *out, local uint *at) {\n"
"	size_t l = get_local_id(0), n = get_local_size(0);\n"
"	at[l] = out[get_global_id(0)];\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	out[get_global_id(0)] = at[n - 1 - l];\n"
"}\n"
"kernel void chain(global uint *out, uint plus, uint first) {\n"
"	size_t i = first + get_global_id(0);\n"
"	out[i] = out[i] * 3 + plus;\n"
"}\n"
"kernel void other(global uint *out) { out[get_global_id(0)] = 77; }\n"
"kernel void far(global ulong *at) { *(global uint *)at[0] += 1; }\n";

/* TIMES: often enough that most of them are repeats. */
enum { COUNT = 512, TIMES = 5 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_uint result[COUNT];

static cl_mem zeros_make(void)
{
	memset(result, 0, sizeof(result));
	return buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(result), result);
}

static void fetch(cl_command_queue from, cl_mem mem)
{
	buffer_read(from, mem, result, sizeof(result));
}

static cl_int launch1(cl_command_queue on, cl_kernel kernel, size_t global, size_t local)
{
	return clEnqueueNDRangeKernel(on, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL,
				      NULL);
}

struct shape {
	cl_uint dim;
	size_t offset[3], global[3], local[3];   /* local: 0 for none given */
};

static bool shape_is_right(const struct shape *shape, cl_uint plus)
{
	const size_t *g = shape->global, *o = shape->offset;
	size_t i = 0;
	for (size_t z = 0; z < g[2]; z++)
		for (size_t y = 0; y < g[1]; y++)
			for (size_t x = 0; x < g[0]; x++, i++) {
				const size_t ids = x + o[0] + 100 * (y + o[1]) +
						   10000 * (z + o[2]) + 1000000 * shape->dim;
				const size_t got = result[i] - plus - ids;
				if (shape->local[0] ? got != 10000000 * shape->local[0]
						    : !got || got % 10000000)
					return false;
			}
	return true;
}

/* Every pair of these differs in little: they come in turn, each several times. */
static void test_shapes(cl_command_queue on)
{
	static const struct shape shapes[] = {
		{1, {0, 0, 0}, {64, 1, 1}, {16, 1, 1}}, {1, {0, 0, 0}, {64, 1, 1}, {8, 1, 1}},
		{1, {0, 0, 0}, {64, 1, 1}, {0, 0, 0}},  {1, {5, 0, 0}, {64, 1, 1}, {16, 1, 1}},
		{1, {0, 0, 0}, {65, 1, 1}, {0, 0, 0}},  {2, {0, 0, 0}, {64, 1, 1}, {16, 1, 1}},
		{2, {0, 0, 0}, {64, 2, 1}, {16, 1, 1}}, {2, {0, 0, 0}, {64, 2, 1}, {16, 2, 1}},
		{2, {0, 3, 0}, {64, 2, 1}, {16, 1, 1}}, {3, {0, 0, 0}, {64, 1, 1}, {16, 1, 1}},
		{3, {0, 0, 0}, {16, 2, 4}, {16, 1, 1}}, {3, {0, 0, 0}, {16, 2, 4}, {16, 1, 2}},
		{3, {0, 0, 9}, {16, 2, 4}, {16, 1, 1}}, {3, {0, 0, 0}, {16, 2, 4}, {0, 0, 0}},
	};
	enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };
	cl_kernel kernel = kernel_make(program, "ids");
	cl_mem out = zeros_make();
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	for (cl_uint i = 0; i < SHAPES * SHAPES * TIMES; i++) {
		const struct shape *shape = &shapes[i / TIMES % SHAPES];
		/* Offsets of 0 are given, and not. */
		const bool zero = !shape->offset[0] && !shape->offset[1] && !shape->offset[2];
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(i), &i));
		CHECK_OK(clEnqueueNDRangeKernel(on, kernel, shape->dim,
						zero && i & 1 ? NULL : shape->offset, shape->global,
						shape->local[0] ? shape->local : NULL, 0, NULL,
						NULL));
		CHECK_OK(clFinish(on));
		fetch(on, out);
		if (!CHECK(shape_is_right(shape, i)))
			printf("shape %u\n", i / TIMES % SHAPES);
	}
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseKernel(kernel));
}

/* None is waited for: each launch has the values and buffers of its own enqueue. */
static void test_arguments(void)
{
	cl_kernel kernel = kernel_make(program, "ids");
	cl_mem out[3];
	for (cl_uint k = 0; k < 3; k++)
		out[k] = zeros_make();
	for (cl_uint i = 0; i < 3 * TIMES; i++) {
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &out[i % 3]));
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(i), &i));
		CHECK_OK(launch1(queue, kernel, COUNT, 32));
	}
	for (cl_uint k = 0; k < 3; k++) {
		fetch(queue, out[k]);
		CHECK(result[COUNT - 1] == COUNT - 1 + 1000000 + 320000000 + 3 * (TIMES - 1) + k);
		CHECK_OK(clReleaseMemObject(out[k]));
	}
	/* OpenCL 3.0 API, 5.10: CL_INVALID_KERNEL_ARGS where an argument is no longer there. */
	for (cl_uint i = 0; i < 3; i++)
		CHECK_CODE(launch1(queue, kernel, COUNT, 32), CL_INVALID_KERNEL_ARGS);
	out[0] = zeros_make();
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &out[0]));
	CHECK_OK(launch1(queue, kernel, COUNT, 32));
	fetch(queue, out[0]);
	CHECK(result[1] == 1 + 1000000 + 320000000 + 3 * TIMES - 1);
	CHECK_OK(clReleaseMemObject(out[0]));
	CHECK_OK(clReleaseKernel(kernel));
}

/* Local memory is an argument, too: as much as there is, more, and as much again. */
static void test_local_memory(void)
{
	cl_kernel kernel = kernel_make(program, "turn"), set = kernel_make(program, "ids");
	cl_mem mem = zeros_make();
	cl_ulong local_B = 0;
	const cl_uint plus = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_B), &local_B,
				 NULL));
	CHECK_OK(clSetKernelArg(set, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(set, 1, sizeof(plus), &plus));
	CHECK_OK(launch1(queue, set, COUNT, 32));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (unsigned i = 0; i < 2 * TIMES; i++) {
		CHECK_OK(clSetKernelArg(kernel, 1, i & 1 ? 32 * sizeof(cl_uint) : local_B, NULL));
		CHECK_OK(launch1(queue, kernel, COUNT, 32));
	}
	CHECK_OK(clSetKernelArg(kernel, 1, local_B + 4, NULL));
	CHECK_CODE(launch1(queue, kernel, COUNT, 32), CL_OUT_OF_RESOURCES);
	CHECK_OK(clSetKernelArg(kernel, 1, 32 * sizeof(cl_uint), NULL));
	CHECK_OK(launch1(queue, kernel, COUNT, 32));
	fetch(queue, mem);
	CHECK(result[0] == 31 + 1000000 + 320000000 && result[31] == 1000000 + 320000000);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(set));
}

/* So many that the later ones may be made otherwise than the first: each comes behind the one
 * before, with its own values, of two queues in turn and with other commands in between. */
static void test_chain(cl_command_queue on, cl_command_queue beside)
{
	enum { LAUNCHES = 1200, ROUNDS = 3, PART = COUNT / 2 };
	const cl_command_queue queues[2] = {on, beside};
	static cl_uint want[COUNT];
	cl_kernel kernel = kernel_make(program, "chain");
	cl_mem mem[2] = {zeros_make(), zeros_make()};
	memset(want, 0, sizeof(want));
	for (cl_uint i = 0; i < ROUNDS * LAUNCHES; i++) {
		const cl_uint first = i % 7 ? 0 : PART, seven = 7;
		const size_t global = i % 5 ? PART : PART / 2;
		for (unsigned k = 0; k < 2; k++) {
			CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &mem[k]));
			CHECK_OK(clSetKernelArg(kernel, 1, sizeof(i), &i));
			CHECK_OK(clSetKernelArg(kernel, 2, sizeof(first), &first));
			CHECK_OK(launch1(queues[k], kernel, global, i % 11 ? 64 : 32));
			if (i % 100 == 99)
				CHECK_OK(clEnqueueFillBuffer(queues[k], mem[k], &seven,
							     sizeof(seven), 0, 64, 0, NULL, NULL));
			/* A graph may be made where nothing runs. */
			if (i % LAUNCHES < 40)
				CHECK_OK(clFinish(queues[k]));
		}
		for (cl_uint x = first; x < first + global; x++)
			want[x] = want[x] * 3 + i;
		for (cl_uint x = 0; i % 100 == 99 && x < 64 / sizeof(cl_uint); x++)
			want[x] = seven;
	}
	for (unsigned k = 0; k < 2; k++) {
		fetch(queues[k], mem[k]);
		CHECK(!memcmp(result, want, sizeof(want)));
		CHECK_OK(clReleaseMemObject(mem[k]));
	}
	CHECK_OK(clReleaseKernel(kernel));
}

/* A new kernel may lie where one was. */
static void test_another_kernel(void)
{
	cl_mem mem = zeros_make();
	for (unsigned i = 0; i < 8; i++) {
		cl_kernel kernel = kernel_make(program, i & 1 ? "other" : "next");
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		for (unsigned k = 0; k < TIMES; k++)
			CHECK_OK(launch1(queue, kernel, COUNT, 64));
		CHECK_OK(clReleaseKernel(kernel));
		fetch(queue, mem);
		CHECK(result[0] == (i & 1 ? 77 : i ? 77 + TIMES : TIMES));
		CHECK(result[COUNT - 1] == result[0]);
	}
	CHECK_OK(clReleaseMemObject(mem));
}

/* Each program's kernel of one name is its own, however often the last one's was launched. */
static void test_gone_programs(void)
{
	static const char *const options[] = {"-DBY=1", "-DBY=2", "-DBY=3"};
	static const char by[] = "kernel void count(global uint *out) { out[get_global_id(0)] += BY; }";
	const cl_program kept = program;
	cl_mem mem = zeros_make();
	for (cl_uint i = 0; i < 3; i++) {
		program = api_test_build(context, device, by, options[i]);
		cl_kernel kernel = kernel_make(program, "count");
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		for (unsigned k = 0; k < 100; k++) {
			CHECK_OK(launch1(queue, kernel, COUNT, 64));
			CHECK_OK(clFinish(queue));
		}
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clReleaseProgram(program));
		fetch(queue, mem);
		CHECK(result[COUNT - 1] == 100 * (i + 1) * (i + 2) / 2);
	}
	program = kept;
	CHECK_OK(clReleaseMemObject(mem));
}

/* What it may reach by pointers in memory: told of after some launches, and no longer. */
static void test_indirect(void)
{
	cl_device_svm_capabilities svm = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
	cl_kernel kernel = kernel_make(program, "far");
	cl_uint *target = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
	if (!CHECK(target && svm))
		return;
	CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, target, 64, 0, NULL, NULL));
	target[0] = 0;
	CHECK_OK(clEnqueueSVMUnmap(queue, target, 0, NULL, NULL));
	const cl_ulong address = (uintptr_t)target;
	cl_mem at = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(address),
				(void *)(uintptr_t)&address);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(at), &at));
	void *pointers[] = {target};
	CHECK_OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointers),
				     pointers));
	for (unsigned i = 0; i < 2 * TIMES; i++) {
		CHECK_OK(launch1(queue, kernel, 1, 1));
		CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, target, 64, 0, NULL, NULL));
		CHECK(target[0] == i + 1);
		CHECK_OK(clEnqueueSVMUnmap(queue, target, 0, NULL, NULL));
	}
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(at));
	CHECK_OK(clReleaseKernel(kernel));
	clSVMFree(context, target);
}

static cl_int status_of(cl_event event)
{
	cl_int status = CL_QUEUED;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

/* Behind events that are done, not yet, never: and with events of its own. */
static void test_events(cl_command_queue on)
{
	cl_int code;
	cl_kernel kernel = kernel_make(program, "add");
	cl_mem mem = zeros_make();
	cl_event last = NULL;
	const size_t one = 1;
	cl_uint sum = 0;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (cl_uint i = 1; i <= 4 * TIMES; i++) {
		cl_event user = clCreateUserEvent(context, &code), waits[2] = {user, last}, event;
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(i), &i));
		if (i % 3)
			CHECK_OK(clSetUserEventStatus(user, i % 3 == 1 ? CL_COMPLETE : -5));
		CHECK_OK(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, &one, last ? 2 : 1,
						waits, &event));
		if (i % 3 == 0)
			CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
		CHECK_CODE(clWaitForEvents(1, &event),
			   i % 3 == 2 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
		CHECK(i % 3 == 2 ? status_of(event) < 0 : status_of(event) == CL_COMPLETE);
		sum += i % 3 == 2 ? 0 : i;
		if (last)
			CHECK_OK(clReleaseEvent(last));
		last = i % 3 == 2 ? NULL : event;
		if (!last)
			CHECK_OK(clReleaseEvent(event));
		CHECK_OK(clReleaseEvent(user));
	}
	if (last)
		CHECK_OK(clReleaseEvent(last));
	fetch(on, mem);
	CHECK(result[0] == sum);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* Behind what waits in the queue's line. */
static void test_line(cl_command_queue on)
{
	cl_int code;
	cl_kernel kernel = kernel_make(program, "next");
	cl_mem mem = zeros_make();
	const size_t global = COUNT;
	const cl_uint zero = 0;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (unsigned i = 0; i < TIMES; i++) {
		CHECK_OK(launch1(on, kernel, COUNT, 64));
		CHECK_OK(clFinish(on));
	}
	cl_event user = clCreateUserEvent(context, &code), filled, done;
	CHECK_OK(clEnqueueFillBuffer(on, mem, &zero, sizeof(zero), 0, sizeof(result), 1, &user,
				     &filled));
	CHECK_OK(clEnqueueBarrierWithWaitList(on, 0, NULL, NULL));
	for (unsigned i = 0; i < TIMES; i++) {
		CHECK_OK(launch1(on, kernel, COUNT, 64));
		CHECK_OK(clEnqueueBarrierWithWaitList(on, 0, NULL, NULL));
	}
	launch_1d_after(on, kernel, global, 0, NULL, &done);
	CHECK(status_of(done) > CL_COMPLETE);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clFinish(on));
	fetch(on, mem);
	CHECK(result[0] == TIMES + 1 && result[COUNT - 1] == TIMES + 1);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(filled));
	CHECK_OK(clReleaseEvent(done));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* More kernels and sizes than a queue remembers, in turn and at random: whatever it still knows of a
 * launch, each kernel adds its own number to as many as it was launched for. */
static void test_many(cl_command_queue on)
{
	enum { KERNELS = 12, SIZES = 7, LAUNCHES = 3000 };
	static cl_uint expected[COUNT];
	cl_kernel kernels[KERNELS];
	uint64_t random = 1;
	cl_mem out = zeros_make();
	memset(expected, 0, sizeof(expected));
	for (cl_uint k = 0; k < KERNELS; k++) {
		const cl_uint plus = k + 1;
		kernels[k] = kernel_make(program, "plus");
		CHECK_OK(clSetKernelArg(kernels[k], 0, sizeof(out), &out));
		CHECK_OK(clSetKernelArg(kernels[k], 1, sizeof(plus), &plus));
	}
	for (cl_uint i = 0; i < LAUNCHES; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		const cl_uint at = i < LAUNCHES / 2 ? i : (cl_uint)(random >> 33);
		const cl_uint k = at % KERNELS, size = at / KERNELS % SIZES;
		const size_t global = COUNT / 8 * (size + 1), local = at % 3 ? 0 : 8;
		CHECK_OK(launch1(on, kernels[k], global, local));
		/* One buffer, and no order among the launches of this queue but that of barriers. */
		CHECK_OK(clEnqueueBarrierWithWaitList(on, 0, NULL, NULL));
		for (size_t n = 0; n < global; n++)
			expected[n] += k + 1;
	}
	CHECK_OK(clFinish(on));
	fetch(on, out);
	CHECK(!memcmp(result, expected, sizeof(result)));
	for (cl_uint k = 0; k < KERNELS; k++)
		CHECK_OK(clReleaseKernel(kernels[k]));
	CHECK_OK(clReleaseMemObject(out));
}

static void test_profiling(void)
{
	cl_command_queue timed = queue_make(context, device, CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernel = kernel_make(program, "next");
	cl_mem mem = zeros_make();
	cl_event events[TIMES];
	const size_t global = COUNT;
	cl_ulong before = 0;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (unsigned i = 0; i < TIMES; i++)
		launch_1d_after(timed, kernel, global, 0, NULL, &events[i]);
	CHECK_OK(clFinish(timed));
	for (unsigned i = 0; i < TIMES; i++) {
		cl_ulong at[4];
		for (cl_uint k = 0; k < 4; k++)
			CHECK_OK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_QUEUED + k,
							 sizeof(at[k]), &at[k], NULL));
		CHECK(at[0] && at[0] <= at[1] && at[1] <= at[2] && at[2] <= at[3]);
		CHECK(at[3] >= before);
		before = at[3];
		CHECK_OK(clReleaseEvent(events[i]));
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(timed));
}

/* OpenCL 3.0 API, 5.10: enqueues of one kernel from several threads are safe. */
static cl_kernel shared;

static void *thread_run(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 200; i++)
		if (launch1(queue, shared, 64 + i / 8 % 3, 0))
			return queue;
	return NULL;
}

static void test_threads(void)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	const cl_uint plus = 1;
	void *failed;
	cl_mem mem = zeros_make();
	shared = kernel_make(program, "add");
	CHECK_OK(clSetKernelArg(shared, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(shared, 1, sizeof(plus), &plus));
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, thread_run, NULL));
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], &failed));
		CHECK(!failed);
	}
	fetch(queue, mem);
	unsigned each = 0;
	for (unsigned i = 0; i < 200; i++)
		each += 64 + i / 8 % 3;
	CHECK(result[0] == THREADS * each);
	CHECK_OK(clReleaseKernel(shared));
	CHECK_OK(clReleaseMemObject(mem));
}

/* Refused however often the like has gone well, and the other way round. */
static void test_errors(void)
{
	cl_kernel kernel = kernel_make(program, "next"), unset = kernel_make(program, "next");
	cl_mem mem = zeros_make();
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (unsigned i = 0; i < TIMES; i++) {
		CHECK_OK(launch1(queue, kernel, COUNT, 64));
		CHECK_CODE(launch1(queue, unset, COUNT, 64), CL_INVALID_KERNEL_ARGS);
		CHECK_CODE(launch1(queue, kernel, COUNT, 1 << 20), CL_INVALID_WORK_ITEM_SIZE);
		CHECK_OK(launch1(queue, kernel, 0, 0));
	}
	CHECK_OK(clSetKernelArg(unset, 0, sizeof(mem), &mem));
	CHECK_OK(launch1(queue, unset, COUNT, 64));
	fetch(queue, mem);
	CHECK(result[0] == TIMES + 1);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(unset));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "repeats"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, 0);
	cl_command_queue any_order = queue_make(context, device,
						CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	program = api_test_build(context, device, source, "-cl-std=CL3.0");
	if (program) {
		test_shapes(queue);
		test_shapes(any_order);
		test_arguments();
		test_local_memory();
		test_another_kernel();
		test_gone_programs();
		cl_command_queue beside = queue_make(context, device, 0);
		test_chain(queue, beside);
		CHECK_OK(clReleaseCommandQueue(beside));
		test_indirect();
		test_events(queue);
		test_events(any_order);
		test_line(queue);
		test_line(any_order);
		test_many(queue);
		test_many(any_order);
		test_profiling();
		test_threads();
		test_errors();
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseCommandQueue(any_order));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
