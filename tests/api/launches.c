/* Launches: sizes, offsets, arguments and their capture, limits and errors. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdint.h>
#include <unistd.h>

static const char source[] =
"kernel void ids(global uint *out) {\n"
"	size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) *\n"
"		   get_global_size(0) +\n"
"		   (get_global_id(1) - get_global_offset(1)) * get_global_size(0) +\n"
"		   get_global_id(0) - get_global_offset(0);\n"
"	out[i] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2) +\n"
"		 get_work_dim() * 100000000;\n"
"}\n"
"kernel void add(global const int *a, global const int *b, global int *c, int k) {\n"
"	size_t i = get_global_id(0);\n"
"	c[i] = a[i] + b[i] * k;\n"
"}\n"
"kernel void set(global int *c, int k) { c[get_global_id(0)] = k; }\n"
"kernel void next(global int *c) { c[get_global_id(0)] += 1; }\n"
"kernel void reverse(global int *c, local int *tmp) {\n"
"	size_t l = get_local_id(0), n = get_local_size(0);\n"
"	tmp[l] = c[get_global_id(0)];\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	c[get_global_id(0)] = tmp[n - 1 - l];\n"
"}\n"
"kernel void two(global int *c, local int *a, local int *b) {\n"
"	a[get_local_id(0)] = b[get_local_id(0)] = 1;\n"
"	c[get_global_id(0)] = a[get_local_id(0)] + b[get_local_id(0)];\n"
"}\n"
"kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global int *c) {\n"
"	c[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 100 +\n"
"		get_local_size(1);\n"
"}\n"
"kernel void maybe(global int *c, global int *d) { c[get_global_id(0)] = d == 0; }\n"
"kernel void table(constant int *t, global int *c) {\n"
"	c[get_global_id(0)] = t[get_global_id(0)];\n"
"}\n";

enum { COUNT = 4096 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_int result[COUNT];

static void argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	CHECK_OK(clSetKernelArg(kernel, index, size, value));
}

static cl_int launch1(cl_kernel kernel, size_t global, const size_t *local)
{
	return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local, 0, NULL, NULL);
}

static void fetch(cl_mem mem)
{
	buffer_read(queue, mem, result, sizeof(result));
}

static void test_sizes(void)
{
	static const struct {
		cl_uint dim;
		size_t offset[3], global[3], local[3];
	} cases[] = {
		{1, {0, 0, 0}, {4096, 1, 1}, {64, 1, 1}},
		{1, {0, 0, 0}, {1000, 1, 1}, {0, 0, 0}},
		{1, {7, 0, 0}, {997, 1, 1}, {0, 0, 0}},
		{1, {5, 0, 0}, {1, 1, 1}, {1, 1, 1}},
		{2, {0, 0, 0}, {64, 64, 1}, {16, 16, 1}},
		{2, {3, 9, 0}, {60, 35, 1}, {0, 0, 0}},
		{3, {0, 0, 0}, {16, 16, 16}, {8, 4, 2}},
		{3, {1, 2, 3}, {15, 7, 11}, {0, 0, 0}},
		{3, {1, 2, 3}, {15, 7, 11}, {5, 7, 1}},
	};
	cl_kernel kernel = kernel_make(program, "ids");
	cl_mem out = buffer_make(context, 0, sizeof(result), NULL);
	argument(kernel, 0, sizeof(out), &out);
	for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		const size_t *g = cases[c].global, *o = cases[c].offset;
		CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, cases[c].dim, o, g,
						cases[c].local[0] ? cases[c].local : NULL, 0, NULL,
						NULL));
		fetch(out);
		bool good = true;
		for (size_t z = 0; z < g[2]; z++)
			for (size_t y = 0; y < g[1]; y++)
				for (size_t x = 0; x < g[0]; x++)
					good &= (cl_uint)result[(z * g[1] + y) * g[0] + x] ==
						x + o[0] + 1000 * (y + o[1]) +
							1000000 * (z + o[2]) +
							cases[c].dim * 100000000u;
		if (!CHECK(good))
			printf("case %u\n", c);
	}
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(out));
}

/* 3: one kernel, other arguments for each launch, none waited for. */
static void test_arguments(void)
{
	static cl_int a[COUNT], b[COUNT];
	for (int i = 0; i < COUNT; i++) {
		a[i] = i;
		b[i] = COUNT - i;
	}
	cl_mem from[2] = {buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(a), a),
			  buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(b), b)},
	       to[4];
	cl_kernel kernel = kernel_make(program, "add");
	for (cl_int k = 0; k < 4; k++) {
		to[k] = buffer_make(context, 0, sizeof(result), NULL);
		argument(kernel, 0, sizeof(cl_mem), &from[k & 1]);
		argument(kernel, 1, sizeof(cl_mem), &from[!(k & 1)]);
		argument(kernel, 2, sizeof(cl_mem), &to[k]);
		argument(kernel, 3, sizeof(k), &k);
		CHECK_OK(launch1(kernel, COUNT, NULL));
	}
	for (cl_int k = 0; k < 4; k++) {
		fetch(to[k]);
		bool good = true;
		for (int i = 0; i < COUNT; i++)
			good &= result[i] == (k & 1 ? b[i] + a[i] * k : a[i] + b[i] * k);
		CHECK(good);
		CHECK_OK(clReleaseMemObject(to[k]));
	}
	CHECK_OK(clReleaseMemObject(from[0]));
	CHECK_OK(clReleaseMemObject(from[1]));
	CHECK_OK(clReleaseKernel(kernel));
}

/* 22: a launch that waits keeps the arguments of its enqueue, and all it needs. */
static void test_capture(void)
{
	cl_int code, value = 11;
	cl_event user = clCreateUserEvent(context, &code), done;
	cl_command_queue own = clCreateCommandQueue(context, device, 0, &code);
	cl_kernel kernel = kernel_make(program, "set"), next = kernel_make(program, "next");
	cl_mem first = buffer_make(context, 0, sizeof(result), NULL),
	       second = buffer_make(context, 0, sizeof(result), NULL);
	const size_t global = COUNT;
	argument(kernel, 0, sizeof(cl_mem), &first);
	argument(kernel, 1, sizeof(value), &value);
	argument(next, 0, sizeof(cl_mem), &first);
	launch_1d_after(own, kernel, global, 1, &user, NULL);
	launch_1d_after(own, next, global, 0, NULL, &done);
	value = 22;
	argument(kernel, 0, sizeof(cl_mem), &second);
	argument(kernel, 1, sizeof(value), &value);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(next));
	CHECK_OK(clReleaseCommandQueue(own));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &done));
	fetch(first);
	CHECK(result[0] == 12 && result[COUNT - 1] == 12);
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseEvent(done));
	CHECK_OK(clReleaseMemObject(first));
	CHECK_OK(clReleaseMemObject(second));
}

static void test_chain(void)
{
	cl_kernel set = kernel_make(program, "set"), next = kernel_make(program, "next");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	const cl_int zero = 0;
	argument(set, 0, sizeof(mem), &mem);
	argument(set, 1, sizeof(zero), &zero);
	argument(next, 0, sizeof(mem), &mem);
	CHECK_OK(launch1(set, COUNT, NULL));
	for (unsigned i = 0; i < 200; i++) {
		cl_event event;
		const size_t global = COUNT;
		launch_1d_after(queue, next, global, 0, NULL, i & 1 ? &event : NULL);
		if (i & 1)
			CHECK_OK(clReleaseEvent(event));
	}
	fetch(mem);
	CHECK(result[0] == 200 && result[COUNT - 1] == 200);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(set));
	CHECK_OK(clReleaseKernel(next));
}

static void test_local_memory(void)
{
	static cl_int values[COUNT];
	for (int i = 0; i < COUNT; i++)
		values[i] = i;
	cl_kernel kernel = kernel_make(program, "reverse");
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
	cl_ulong local_B = 0;
	const size_t local = 128;
	argument(kernel, 0, sizeof(mem), &mem);
	argument(kernel, 1, local * sizeof(cl_int), NULL);
	CHECK_OK(launch1(kernel, COUNT, &local));
	fetch(mem);
	CHECK(result[0] == 127 && result[127] == 0 && result[128] == 255);
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_B), &local_B,
				 NULL));
	/* All that the device has works, one byte more does not. */
	argument(kernel, 1, local_B, NULL);
	CHECK_OK(launch1(kernel, COUNT, &local));
	fetch(mem);
	CHECK(result[0] == 0 && result[127] == 127);
	argument(kernel, 1, local_B + 4, NULL);
	CHECK_CODE(launch1(kernel, COUNT, &local), CL_OUT_OF_RESOURCES);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* Whatever number a size is, and whatever the sum of two is in 64 bits. */
static void test_local_memory_without_end(void)
{
	static const size_t sizes[][2] = {
		{SIZE_MAX, 512}, {512, SIZE_MAX}, {(size_t)1 << 63, (size_t)1 << 63},
		{SIZE_MAX - 511, 512}, {(size_t)1 << 32, 512}, {512, (size_t)1 << 32},
	};
	const size_t local = 128;
	cl_kernel kernel = kernel_make(program, "two");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	argument(kernel, 0, sizeof(mem), &mem);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		argument(kernel, 1, sizes[i][0], NULL);
		argument(kernel, 2, sizes[i][1], NULL);
		CHECK_CODE(launch1(kernel, COUNT, &local), CL_OUT_OF_RESOURCES);
	}
	argument(kernel, 1, 512, NULL);
	argument(kernel, 2, 512, NULL);
	CHECK_OK(launch1(kernel, COUNT, &local));
	fetch(mem);
	CHECK(result[0] == 2 && result[COUNT - 1] == 2);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_required(void)
{
	cl_kernel kernel = kernel_make(program, "required");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	const size_t global[2] = {64, 64}, right[2] = {8, 4}, wrong[2] = {4, 8}, odd[2] = {60, 64};
	argument(kernel, 0, sizeof(mem), &mem);
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, right, 0, NULL, NULL));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
	fetch(mem);
	CHECK(result[0] == 804 && result[COUNT - 1] == 804);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, wrong, 0, NULL, NULL),
		   CL_INVALID_WORK_GROUP_SIZE);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, odd, NULL, 0, NULL, NULL),
		   CL_INVALID_WORK_GROUP_SIZE);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, right, 0, NULL, NULL),
		   CL_INVALID_WORK_GROUP_SIZE);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* cl_khr_suggested_local_work_size: what a launch without a local size takes. */
static void test_suggested(const struct api_test *test)
{
	clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
		(clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
			test->platform, "clGetKernelSuggestedLocalWorkSizeKHR");
	cl_kernel required = kernel_make(program, "required"), set = kernel_make(program, "set");
	cl_kernel reverse = kernel_make(program, "reverse"), unset = kernel_make(program, "next");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	const cl_int one = 1;
	const size_t global[2] = {64, 64}, prime[2] = {4093, 1}, none[2] = {64, 0};
	size_t local[2] = {0, 0};
	argument(required, 0, sizeof(mem), &mem);
	argument(set, 0, sizeof(mem), &mem);
	argument(set, 1, sizeof(one), &one);
	argument(reverse, 0, sizeof(mem), &mem);
	argument(reverse, 1, 4, NULL);
	if (!CHECK(suggest != NULL))
		return;
	CHECK_OK(suggest(queue, required, 2, NULL, global, local));
	CHECK(local[0] == 8 && local[1] == 4);
	CHECK_OK(suggest(queue, set, 2, NULL, global, local));
	CHECK(local[0] && local[1] && 64 % local[0] == 0 && 64 % local[1] == 0);
	/* This kernel cannot tell groups; OpenCL C 1.2's groups are alike for one that can. */
	CHECK_OK(suggest(queue, set, 1, NULL, prime, local));
	CHECK(local[0] >= 32 && local[0] < 4093);
	CHECK_OK(suggest(queue, reverse, 1, NULL, prime, local));
	CHECK(local[0] == 1);
	CHECK_CODE(suggest(NULL, set, 1, NULL, global, local), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(suggest(queue, NULL, 1, NULL, global, local), CL_INVALID_KERNEL);
	CHECK_CODE(suggest(queue, unset, 1, NULL, global, local), CL_INVALID_KERNEL_ARGS);
	CHECK_CODE(suggest(queue, set, 4, NULL, global, local), CL_INVALID_WORK_DIMENSION);
	CHECK_CODE(suggest(queue, set, 2, NULL, none, local), CL_INVALID_GLOBAL_WORK_SIZE);
	CHECK_CODE(suggest(queue, set, 1, NULL, NULL, local), CL_INVALID_GLOBAL_WORK_SIZE);
	CHECK_CODE(suggest(queue, set, 1, NULL, global, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(required));
	CHECK_OK(clReleaseKernel(set));
	CHECK_OK(clReleaseKernel(reverse));
	CHECK_OK(clReleaseKernel(unset));
}

static void test_null_and_constant(void)
{
	static cl_int values[COUNT];
	for (int i = 0; i < COUNT; i++)
		values[i] = 3 * i;
	cl_kernel maybe = kernel_make(program, "maybe"), table = kernel_make(program, "table");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL),
	       constants = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(values), values),
	       none = NULL;
	argument(maybe, 0, sizeof(mem), &mem);
	argument(maybe, 1, sizeof(none), &none);
	CHECK_OK(launch1(maybe, COUNT, NULL));
	fetch(mem);
	CHECK(result[5] == 1);
	argument(maybe, 1, sizeof(constants), &constants);
	CHECK_OK(launch1(maybe, COUNT, NULL));
	fetch(mem);
	CHECK(result[5] == 0);
	argument(table, 0, sizeof(constants), &constants);
	argument(table, 1, sizeof(mem), &mem);
	CHECK_OK(launch1(table, COUNT, NULL));
	fetch(mem);
	CHECK(!memcmp(result, values, sizeof(values)));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(constants));
	CHECK_OK(clReleaseKernel(maybe));
	CHECK_OK(clReleaseKernel(table));
}

/* A sub-buffer's first byte is the kernel's. */
static void test_sub_buffer(void)
{
	cl_int seven = 7;
	cl_kernel kernel = kernel_make(program, "set");
	const cl_int zero = 0;
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	const cl_buffer_region region = {1024, 1024};
	cl_mem sub = sub_buffer_make(mem, 0, &region);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &zero, 4, 0, sizeof(result), 0, NULL, NULL));
	argument(kernel, 0, sizeof(sub), &sub);
	argument(kernel, 1, sizeof(seven), &seven);
	CHECK_OK(launch1(kernel, 256, NULL));
	fetch(mem);
	CHECK(result[255] == 0 && result[256] == 7 && result[511] == 7 && result[512] == 0);
	CHECK_OK(clReleaseMemObject(sub));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

static cl_command_type type_of(cl_event event)
{
	cl_command_type type = 0;
	CHECK_OK(clWaitForEvents(1, &event));
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK_OK(clReleaseEvent(event));
	return type;
}

/* A launch without work-items is done too; the events say of which kind they were. */
static void test_types(cl_kernel kernel)
{
	cl_event event;
	const size_t none = 0;
	launch_1d_after(queue, kernel, none, 0, NULL, &event);
	CHECK(type_of(event) == CL_COMMAND_NDRANGE_KERNEL);
	CHECK_OK(clEnqueueTask(queue, kernel, 0, NULL, &event));
	CHECK(type_of(event) == CL_COMMAND_TASK);
}

/* A kernel of another context. */
static void test_foreign(cl_kernel kernel)
{
	cl_int code;
	const size_t one = 1;
	cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	cl_command_queue foreign = clCreateCommandQueue(other, device, 0, &code);
	CHECK_CODE(clEnqueueNDRangeKernel(foreign, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
		   CL_INVALID_CONTEXT);
	CHECK_OK(clReleaseCommandQueue(foreign));
	CHECK_OK(clReleaseContext(other));
}

static void test_errors(void)
{
	cl_kernel kernel = kernel_make(program, "set"), unset = kernel_make(program, "next");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	cl_event none = NULL;
	cl_int one = 1;
	size_t global[3] = {64, 1, 1}, local[3] = {64, 1, 1}, offset[3] = {SIZE_MAX - 10, 0, 0};
	size_t most[3], group;
	argument(kernel, 0, sizeof(mem), &mem);
	argument(kernel, 1, sizeof(one), &one);
#define LAUNCH(dim, offset, global, local) \
	clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, 0, NULL, NULL)
	CHECK_CODE(clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, global, NULL, 0, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, NULL, 1, NULL, global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, unset, 1, NULL, global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 1, &none, NULL),
		   CL_INVALID_EVENT_WAIT_LIST);
	CHECK_CODE(LAUNCH(0, NULL, global, NULL), CL_INVALID_WORK_DIMENSION);
	CHECK_CODE(LAUNCH(4, NULL, global, NULL), CL_INVALID_WORK_DIMENSION);
	CHECK_CODE(LAUNCH(1, offset, global, NULL), CL_INVALID_GLOBAL_OFFSET);
	local[0] = 48;
	CHECK_CODE(LAUNCH(1, NULL, global, local), CL_INVALID_WORK_GROUP_SIZE);
	local[0] = 0;
	CHECK_CODE(LAUNCH(1, NULL, global, local), CL_INVALID_WORK_GROUP_SIZE);
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(most), most, NULL));
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(group),
					  &group, NULL));
	global[0] = local[0] = most[0] * 2;
	CHECK_CODE(LAUNCH(1, NULL, global, local), CL_INVALID_WORK_ITEM_SIZE);
	global[0] = local[0] = group;
	global[1] = local[1] = 2;
	CHECK_CODE(LAUNCH(2, NULL, global, local), CL_INVALID_WORK_GROUP_SIZE);
	global[0] = 0;
	CHECK_OK(LAUNCH(1, NULL, global, NULL));
	CHECK_OK(LAUNCH(1, NULL, NULL, NULL));
	/* More groups in y than the grid can have. */
	global[0] = 1;
	global[1] = (size_t)1 << 33;
	local[0] = local[1] = 1;
	CHECK_CODE(LAUNCH(2, NULL, global, local), CL_OUT_OF_RESOURCES);
#undef LAUNCH
	test_types(kernel);
	test_foreign(kernel);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(unset));
}

static void CL_CALLBACK note_gone(cl_mem mem, void *data)
{
	(void)mem;
	++*(_Atomic int *)data;
}

/* OpenCL 3.0 API, 5.9.2: kernels do not hold reference counts to their arguments, so
 * that the application knows when its memory is free. */
static void test_released_argument(void)
{
	static _Atomic int gone;
	const size_t global = COUNT;
	cl_kernel kernel = kernel_make(program, "set");
	cl_mem mem = buffer_make(context, 0, sizeof(result), NULL);
	const cl_int k = 5;
	cl_int code;
	CHECK_OK(clSetMemObjectDestructorCallback(mem, note_gone, &gone));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
	cl_kernel clone = clCloneKernel(kernel, &code);
	CHECK_OK(code);
	/* A command does keep it. */
	cl_event gate = user_event_make(context);
	launch_1d_after(queue, kernel, global, 1, &gate, NULL);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK(gone == 0);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clFinish(queue));
	for (int i = 0; i < 5000 && !gone; i++)
		usleep(1000);
	CHECK(gone == 1);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	/* Nor are buffers meant that may have come to the same place since. */
	cl_mem others[16];
	for (int i = 0; i < 16; i++)
		others[i] = buffer_make(context, 0, sizeof(result), NULL);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	for (int i = 0; i < 16; i++)
		CHECK_OK(clReleaseMemObject(others[i]));
	mem = buffer_make(context, 0, sizeof(result), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	launch_1d(queue, kernel, global);
	buffer_read(queue, mem, result, sizeof(result));
	CHECK(result[0] == 5 && result[COUNT - 1] == 5);
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(clone));
}

/* The first buffer's place goes to one that no argument names, and then to one that another
 * kernel's does: in a context of their own, where no other place is free. */
static void test_place_of_a_released_argument(void)
{
	const size_t global = 1;
	cl_int code;
	cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	cl_command_queue own_queue = queue_make(own, device, 0);
	cl_program own_program =
		api_test_build(own, device, "kernel void k(global int *p) { *p = 1; }", "");
	cl_kernel stale = kernel_make(own_program, "k");
	cl_kernel other = kernel_make(own_program, "k");
	for (int i = 0; i < 2; i++) {
		cl_mem mem = buffer_make(own, 0, sizeof(cl_int), NULL);
		CHECK(i || !clSetKernelArg(stale, 0, sizeof(mem), &mem));
		CHECK_OK(clReleaseMemObject(mem));
	}
	cl_mem last = buffer_make(own, 0, sizeof(cl_int), NULL);
	CHECK_OK(clSetKernelArg(other, 0, sizeof(last), &last));
	CHECK_CODE(clEnqueueNDRangeKernel(own_queue, stale, 1, NULL, &global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_OK(clFinish(own_queue));
	CHECK_OK(clReleaseMemObject(last));
	CHECK_OK(clReleaseKernel(stale));
	CHECK_OK(clReleaseKernel(other));
	CHECK_OK(clReleaseProgram(own_program));
	CHECK_OK(clReleaseCommandQueue(own_queue));
	CHECK_OK(clReleaseContext(own));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "launches"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, 0);
	program = api_test_build(context, device, source, "");
	if (program) {
		test_sizes();
		test_arguments();
		test_capture();
		test_chain();
		test_local_memory();
		test_local_memory_without_end();
		test_required();
		test_suggested(&test);
		test_null_and_constant();
		test_sub_buffer();
		test_released_argument();
		test_place_of_a_released_argument();
		test_errors();
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
