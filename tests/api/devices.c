/* One context over several devices: the newest bytes are where they are needed, and kernels are
 * those of all.
 * Needs two devices. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdint.h>

static const char source[] =
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n"
"kernel void sum(global const uint *a, global const uint *b, global uint *c) {\n"
"	c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];\n"
"}\n"
API_TEST_HOLD;

enum { COUNT = 8192, MOST = 4 };

static cl_context context;
static cl_command_queue queues[MOST];
static cl_uint count;
static const cl_device_id *test_devices;
static cl_program program;
static cl_uint values[COUNT], result[COUNT];

static void launch_next(cl_uint q, cl_kernel kernel, cl_mem mem, size_t global, cl_uint waits,
			const cl_event *events, cl_event *event)
{
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	launch_1d_after(queues[q], kernel, global, waits, events, event);
}

static bool all_are(const cl_uint *words, size_t first, size_t end, cl_uint base)
{
	bool good = true;
	for (size_t i = first; i < end; i++)
		good &= words[i] == (cl_uint)i + base;
	return good;
}

static void values_reset(void)
{
	for (cl_uint i = 0; i < COUNT; i++)
		values[i] = i;
}

/* A buffer that each device changes in turn, ordered by events alone. */
static void test_ping_pong(cl_mem_flags flags)
{
	cl_kernel kernel = kernel_make(program, "next");
	values_reset();
	cl_mem mem = buffer_make(context, flags, sizeof(values), flags ? values : NULL);
	cl_event last = NULL;
	if (!flags)
		CHECK_OK(clEnqueueWriteBuffer(queues[0], mem, CL_FALSE, 0, sizeof(values), values,
					      0, NULL, &last));
	const cl_uint rounds = 50;
	for (cl_uint i = 0; i < rounds; i++) {
		cl_event event;
		launch_next(i % count, kernel, mem, COUNT, last != NULL, last ? &last : NULL,
			    &event);
		if (last)
			CHECK_OK(clReleaseEvent(last));
		last = event;
	}
	for (cl_uint q = 0; q < count; q++) {
		CHECK_OK(clEnqueueReadBuffer(queues[q], mem, CL_TRUE, 0, sizeof(result), result, 1,
					     &last, NULL));
		CHECK(all_are(result, 0, COUNT, rounds));
	}
	cl_int code;
	const cl_uint *mapped = clEnqueueMapBuffer(queues[1], mem, CL_TRUE, CL_MAP_READ, 0,
						   sizeof(values), 1, &last, NULL, &code);
	CHECK_OK(code);
	CHECK(all_are(mapped, 0, COUNT, rounds));
	CHECK_OK(clEnqueueUnmapMemObject(queues[1], mem, (void *)(uintptr_t)mapped, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[1]));
	CHECK_OK(clReleaseEvent(last));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* 27: a part is written on one device while the rest is newest on another. */
static void test_partial(void)
{
	cl_kernel kernel = kernel_make(program, "next");
	values_reset();
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
	launch_next(0, kernel, mem, COUNT, 0, NULL, NULL);
	CHECK_OK(clFinish(queues[0]));
	const cl_uint fill = 7;
	cl_uint word = 9;
	CHECK_OK(clEnqueueFillBuffer(queues[1], mem, &fill, 4, 100, 200, 0, NULL, NULL));
	CHECK_OK(clEnqueueWriteBuffer(queues[1], mem, CL_TRUE, 1001, 4, &word, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[1]));
	for (cl_uint q = 0; q < count; q++) {
		buffer_read(queues[q], mem, result, sizeof(result));
		CHECK(all_are(result, 0, 25, 1));
		CHECK(result[25] == 7 && result[74] == 7);
		CHECK(all_are(result, 75, 250, 1));
		CHECK(!memcmp((char *)result + 1001, &word, 4));
		CHECK(all_are(result, 252, COUNT, 1));
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* A box is written on one device, and what lies between its rows, or its slices, is newest on
 * another. */
static void test_boxes(void)
{
	static const struct {
		size_t region[3], row_B, slice_B;
	} boxes[] = {{{8, 4, 1}, 16, 64}, {{16, 2, 2}, 16, 64}, {{8, 2, 3}, 16, 64}};
	const size_t zero[3] = {0};
	const cl_uchar old = 1;
	cl_uchar bytes[256], got[256];
	memset(bytes, 2, sizeof(bytes));
	for (unsigned i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		const size_t *region = boxes[i].region;
		cl_uchar expected[256];
		cl_mem mem = buffer_make(context, 0, sizeof(values), NULL);
		CHECK_OK(clEnqueueFillBuffer(queues[0], mem, &old, 1, 0, sizeof(values), 0, NULL,
					     NULL));
		CHECK_OK(clFinish(queues[0]));
		CHECK_OK(clEnqueueWriteBufferRect(queues[1], mem, CL_TRUE, zero, zero, region,
						  boxes[i].row_B, boxes[i].slice_B, 0, 0, bytes, 0,
						  NULL, NULL));
		memset(expected, old, sizeof(expected));
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				memset(expected + z * boxes[i].slice_B + y * boxes[i].row_B, 2,
				       region[0]);
		buffer_read(queues[1], mem, got, sizeof(got));
		CHECK(!memcmp(got, expected, sizeof(got)));
		CHECK_OK(clReleaseMemObject(mem));
	}
}

/* 29: disjoint sub-buffers are written on several devices at once. */
static void test_sub_buffers(void)
{
	const size_t part = sizeof(values) / MOST;
	cl_kernel kernel = kernel_make(program, "next");
	cl_mem subs[MOST];
	cl_event events[MOST];
	values_reset();
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
	for (cl_uint i = 0; i < MOST; i++) {
		const cl_buffer_region region = {i * part, part};
		subs[i] = sub_buffer_make(mem, 0, &region);
	}
	for (cl_uint round = 0; round < 10; round++) {
		for (cl_uint i = 0; i < MOST; i++)
			launch_next((i + round) % count, kernel, subs[i], part / 4, 0, NULL,
				    &events[i]);
		/* The whole on one device, after all of them; and they after that. */
		cl_event whole;
		launch_next(round % count, kernel, mem, COUNT, MOST, events, &whole);
		for (cl_uint q = 0; q < count; q++)
			CHECK_OK(clEnqueueBarrierWithWaitList(queues[q], 1, &whole, NULL));
		CHECK_OK(clReleaseEvent(whole));
		for (cl_uint i = 0; i < MOST; i++)
			CHECK_OK(clReleaseEvent(events[i]));
	}
	buffer_read(queues[count - 1], mem, result, sizeof(result));
	CHECK(all_are(result, 0, COUNT, 20));
	for (cl_uint i = 0; i < MOST; i++)
		CHECK_OK(clReleaseMemObject(subs[i]));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* 26: two readers of one device wait for the same write on another; 36: the
 * source goes at once. */
static void test_two_readers(void)
{
	cl_kernel next = kernel_make(program, "next"), sum = kernel_make(program, "sum");
	cl_device_id device;
	CHECK_OK(clGetCommandQueueInfo(queues[1], CL_QUEUE_DEVICE, sizeof(device), &device, NULL));
	cl_command_queue other = queue_make(context, device, 0);
	for (unsigned round = 0; round < 20; round++) {
		values_reset();
		cl_mem from = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
		cl_mem to[2] = {buffer_make(context, 0, sizeof(values), NULL),
				buffer_make(context, 0, sizeof(values), NULL)};
		cl_event written;
		const size_t global = COUNT;
		launch_next(0, next, from, COUNT, 0, NULL, &written);
		for (unsigned i = 0; i < 2; i++) {
			CHECK_OK(clSetKernelArg(sum, 0, sizeof(from), &from));
			CHECK_OK(clSetKernelArg(sum, 1, sizeof(from), &from));
			CHECK_OK(clSetKernelArg(sum, 2, sizeof(to[i]), &to[i]));
			launch_1d_after(i ? other : queues[1], sum, global, 1, &written, NULL);
		}
		CHECK_OK(clReleaseMemObject(from));
		CHECK_OK(clReleaseEvent(written));
		for (unsigned i = 0; i < 2; i++) {
			buffer_read(i ? other : queues[1], to[i], result, sizeof(result));
			bool good = true;
			for (cl_uint k = 0; k < COUNT; k++)
				good &= result[k] == 2 * (k + 1);
			CHECK(good);
			CHECK_OK(clReleaseMemObject(to[i]));
		}
	}
	CHECK_OK(clReleaseCommandQueue(other));
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseKernel(sum));
}

/* More pieces than are kept apart. */
static void test_many_pieces(void)
{
	cl_uint seed = 12345;
	values_reset();
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
	for (unsigned i = 0; i < 600; i++) {
		seed = seed * 1664525 + 1013904223;
		const cl_uint at = (seed >> 8) % COUNT, words = 1 + (seed >> 24) % 16;
		const cl_uint fill = seed ^ 0x55;
		const cl_uint length = at + words > COUNT ? COUNT - at : words;
		CHECK_OK(clEnqueueFillBuffer(queues[i % count], mem, &fill, 4, at * 4ul,
					     length * 4ul, 0, NULL, NULL));
		for (cl_uint k = 0; k < length; k++)
			values[at + k] = fill;
		if (i % 16 == 15)
			for (cl_uint q = 0; q < count; q++)
				CHECK_OK(clFinish(queues[q]));
		else
			CHECK_OK(clFinish(queues[i % count]));
	}
	buffer_read(queues[0], mem, result, sizeof(result));
	CHECK(!memcmp(result, values, sizeof(values)));
	CHECK_OK(clReleaseMemObject(mem));
}

/* Host memory of the application's, used by all devices through maps. */
static void test_host_pointer(void)
{
	cl_kernel kernel = kernel_make(program, "next");
	cl_int code;
	values_reset();
	cl_mem mem = buffer_make(context, CL_MEM_USE_HOST_PTR, sizeof(values), values);
	for (cl_uint round = 0; round < 6; round++) {
		launch_next(round % count, kernel, mem, COUNT, 0, NULL, NULL);
		cl_uint *words = clEnqueueMapBuffer(queues[round % count], mem, CL_TRUE,
						    CL_MAP_READ | CL_MAP_WRITE, 0, sizeof(values),
						    0, NULL, NULL, &code);
		CHECK_OK(code);
		CHECK(words == values);
		CHECK(all_are(words, 0, COUNT, 2 * round + 1));
		for (cl_uint i = 0; i < COUNT; i++)
			words[i]++;
		CHECK_OK(clEnqueueUnmapMemObject(queues[round % count], mem, words, 0, NULL, NULL));
		CHECK_OK(clFinish(queues[round % count]));
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_migrate(void)
{
	values_reset();
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
	cl_event event;
	CHECK_OK(clEnqueueMigrateMemObjects(queues[0], 1, &mem, 0, 0, NULL, &event));
	CHECK_OK(clEnqueueMigrateMemObjects(queues[1], 1, &mem, 0, 1, &event, NULL));
	buffer_read(queues[1], mem, result, sizeof(result));
	CHECK(all_are(result, 0, COUNT, 0));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseMemObject(mem));
}

/* Kernels of the executables of all devices; none of one that is not the same on all. */
static void test_kernels_of_all(void)
{
	static const char *const text =
		"kernel void same(global int *a) { *a = VALUE; }\n"
		"kernel void differs(global int *a, TYPE b) { *a = (int)b; }\n"
		"#if VALUE == 2\nkernel void late(global int *a) { *a = 3; }\n#endif\n";
	cl_kernel kernels[4] = {NULL};
	cl_uint number = 9;
	size_t listed;
	char names[64], name[16];
	cl_int code;
	cl_program differing = clCreateProgramWithSource(context, 1, (const char **)&text, NULL,
							 &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(differing, 1, &test_devices[0], "-DVALUE=1 -DTYPE=int", NULL, NULL));
	CHECK_OK(clBuildProgram(differing, 1, &test_devices[1], "-DVALUE=2 -DTYPE=long", NULL, NULL));
	(void)clCreateKernel(differing, "differs", &code);
	CHECK(code == CL_INVALID_KERNEL_DEFINITION);
	CHECK_OK(clGetProgramInfo(differing, CL_PROGRAM_NUM_KERNELS, sizeof(listed), &listed, NULL));
	CHECK(listed == 2);
	CHECK_OK(clGetProgramInfo(differing, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
	CHECK(!strcmp(names, "same;late"));
	CHECK_OK(clCreateKernelsInProgram(differing, 0, NULL, &number));
	CHECK(number == 2);
	CHECK_CODE(clCreateKernelsInProgram(differing, 1, kernels, NULL), CL_INVALID_VALUE);
	CHECK_OK(clCreateKernelsInProgram(differing, 4, kernels, &number));
	CHECK(number == 2 && kernels[0] && kernels[1] && !kernels[2]);
	for (cl_uint i = 0; i < 4 && kernels[i]; i++) {
		CHECK_OK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name,
					 NULL));
		CHECK(!strcmp(name, i ? "late" : "same"));
		CHECK_OK(clReleaseKernel(kernels[i]));
	}
	CHECK_OK(clReleaseProgram(differing));
}

/* Bytes that a queue has written and finished do not wait for what it does later. */
static void test_later_work(void)
{
	cl_kernel next = kernel_make(program, "next"), hold = kernel_make(program, "hold");
	cl_kernel free_it = kernel_make(program, "free_it");
	cl_mem mem = buffer_make(context, 0, sizeof(values), NULL),
	       flag = buffer_make(context, 0, sizeof(values), NULL),
	       seen = buffer_make(context, 0, sizeof(values), NULL);
	const size_t one = 1;
	const cl_int zero = 0;
	cl_int let_go = 0;
	cl_command_queue other = queue_make(context, test_devices[0], 0);
	values_reset();
	CHECK_OK(clEnqueueWriteBuffer(queues[0], mem, CL_TRUE, 0, sizeof(values), values, 0, NULL,
				      NULL));
	CHECK_OK(clSetKernelArg(free_it, 0, sizeof(flag), &flag));
	CHECK_OK(clSetKernelArg(hold, 0, sizeof(flag), &flag));
	CHECK_OK(clSetKernelArg(hold, 1, sizeof(seen), &seen));
	/* The first round has all there is to load and to allocate. */
	for (unsigned round = 0; round < 2; round++) {
		launch_next(0, next, mem, COUNT, 0, NULL, NULL);
		launch_1d(other, free_it, one);
		CHECK_OK(clFinish(other));
		if (round)
			CHECK_OK(clEnqueueWriteBuffer(queues[0], flag, CL_TRUE, 0, sizeof(zero),
						      &zero, 0, NULL, NULL));
		CHECK_OK(clFinish(queues[0]));
		launch_1d(queues[0], hold, one);
		buffer_read(queues[1], mem, result, sizeof(result));
		CHECK(all_are(result, 0, COUNT, round + 1));
		launch_1d(other, free_it, one);
		CHECK_OK(clFinish(other));
		CHECK_OK(clFinish(queues[0]));
	}
	buffer_read(queues[0], seen, &let_go, sizeof(let_go));
	CHECK(let_go == 1);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(flag));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseKernel(hold));
	CHECK_OK(clReleaseKernel(free_it));
	CHECK_OK(clReleaseCommandQueue(other));
}

int main(void)
{
	struct api_test test;
	/* The software driver shows as many devices as it is asked for. */
	setenv("CULVERT_SOFT_DEVICES", "3", 0);
	if (!api_test_start(&test, "devices"))
		return API_TEST_SKIP;
	if (test.device_count < 2) {
		printf("one device only\n");
		return api_test_skip(&test);
	}
	count = test.device_count < MOST ? test.device_count : MOST;
	test_devices = test.devices;
	context = context_make(count, test.devices);
	for (cl_uint q = 0; q < count; q++) {
		queues[q] = queue_make(context, test.devices[q], 0);
	}
	program = api_test_build(context, test.device, source, "");
	if (program) {
		test_ping_pong(0);
		test_ping_pong(CL_MEM_COPY_HOST_PTR);
		test_ping_pong(CL_MEM_USE_HOST_PTR);
		test_partial();
	test_boxes();
		test_sub_buffers();
		test_two_readers();
		test_many_pieces();
		test_host_pointer();
		test_migrate();
		/* A schedule runs one operation after the other. */
		if (!getenv("CULVERT_SOFT_SCHED"))
			test_later_work();
		CHECK_OK(clReleaseProgram(program));
	}
	test_kernels_of_all();
	for (cl_uint q = 0; q < count; q++)
		CHECK_OK(clReleaseCommandQueue(queues[q]));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
