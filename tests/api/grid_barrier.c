/* cl_culvert_grid_barrier: the largest launch runs, a larger one is refused with its size, also one whose number of
 * work-groups has more than 64 bits, two
 * queues do not meet in one barrier, a program from its binary has the same launches. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

static const char source[] =
"kernel void turn(global uint *out, uint turns) {\n"
"	uint i = get_global_id(0), n = get_global_size(0);\n"
"	for (uint t = 0; t < turns; t++) {\n"
"		uint next = out[(i + 1) % n];\n"
"		culvert_grid_barrier(CLK_GLOBAL_MEM_FENCE);\n"
"		out[i] = next + 1;\n"
"		culvert_grid_barrier(CLK_GLOBAL_MEM_FENCE);\n"
"	}\n"
"}\n"
"kernel void meet(global uint *out, local uint *room) {\n"
"	room[get_local_id(0)] = 1;\n"
"	culvert_grid_barrier(CLK_LOCAL_MEM_FENCE);\n"
"	out[get_global_id(0)] = room[0];\n"
"}\n"
"kernel __attribute__((reqd_work_group_size(16, 2, 1))) void fixed(global uint *out) {\n"
"	culvert_grid_barrier(0);\n"
"	out[get_global_id(0)] = 1;\n"
"}\n"
"kernel void plain(global uint *out) { out[get_global_id(0)] = 1; }\n";

enum { LOCAL = 32 };

static struct api_test test;
static cl_program program;
static char reported[512];

static void CL_CALLBACK report(const char *text, const void *data, size_t size_B, void *user)
{
	(void)data;
	(void)size_B;
	(void)user;
	snprintf(reported, sizeof(reported), "%s", text);
}

static size_t resident(cl_kernel kernel, const size_t *local, size_t dimensions)
{
	size_t groups = 12345, size_B = 0;
	CHECK_OK(clGetKernelSubGroupInfo(kernel, test.device,
					 CL_KERNEL_MAX_RESIDENT_WORK_GROUPS_CULVERT,
					 dimensions * sizeof(*local), local, sizeof(groups),
					 &groups, &size_B));
	CHECK(size_B == sizeof(groups));
	return groups;
}

static cl_mem numbers(cl_context context, size_t count)
{
	cl_uint *values = malloc(count * sizeof(*values));
	for (size_t i = 0; values && i < count; i++)
		values[i] = (cl_uint)i;
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, count * sizeof(*values), values);
	free(values);
	return mem;
}

/* What turn makes of numbers: each turn brings the neighbour's, and 1. */
static bool turned(cl_command_queue queue, cl_mem mem, size_t count, size_t turns)
{
	cl_uint *values = calloc(count, sizeof(*values));
	bool good = values;
	buffer_read(queue, mem, values, count * sizeof(*values));
	for (size_t i = 0; good && i < count; i++)
		good = values[i] == (i + turns) % count + turns;
	free(values);
	return good;
}

static cl_int turn(cl_command_queue queue, cl_kernel kernel, cl_mem mem, size_t count,
		   cl_uint turns)
{
	const size_t local = LOCAL;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(turns), &turns));
	return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &local, 0, NULL, NULL);
}

/* The largest grid, and one more. */
static void test_largest(cl_context context, cl_command_queue queue)
{
	cl_kernel kernel = kernel_make(program, "turn");
	const size_t local = LOCAL, most = resident(kernel, &local, 1);
	char number[32];
	CHECK(most >= 1);
	cl_mem mem = numbers(context, (most + 1) * LOCAL);
	CHECK_OK(turn(queue, kernel, mem, most * LOCAL, 3));
	CHECK(turned(queue, mem, most * LOCAL, 3));
	CHECK(!reported[0]);
	CHECK_CODE(turn(queue, kernel, mem, (most + 1) * LOCAL, 3), CL_OUT_OF_RESOURCES);
	snprintf(number, sizeof(number), " %zu ", most);
	if (!CHECK(strstr(reported, number) && strstr(reported, "turn")))
		printf("not in: %s\n", reported);
	/* Nothing of it ran. */
	CHECK(turned(queue, mem, most * LOCAL, 3));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* 2^64 work-groups, and a few more. */
static void test_huge(cl_context context, cl_command_queue queue)
{
	static const size_t local[3] = {1, 1, 1}, huge[][3] = {
		{(size_t)1 << 31, (size_t)1 << 31, 4}, {(size_t)1 << 31, (size_t)1 << 31, 5},
	};
	const cl_uint turns = 1;
	cl_kernel kernel = kernel_make(program, "turn");
	cl_mem mem = buffer_make(context, 0, sizeof(turns), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(turns), &turns));
	for (unsigned i = 0; i < sizeof(huge) / sizeof(*huge); i++) {
		reported[0] = '\0';
		CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, huge[i], local, 0, NULL, NULL),
			   CL_OUT_OF_RESOURCES);
		CHECK(strstr(reported, "turn"));
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	reported[0] = '\0';
}

static void test_question(void)
{
	cl_kernel plain = kernel_make(program, "plain"), fixed = kernel_make(program, "fixed");
	cl_kernel meet = kernel_make(program, "meet");
	const size_t sizes[4] = {16, 2, 1, 1}, none = 0;
	const size_t huge[2] = {(size_t)1 << 33, (size_t)1 << 33};
	cl_ulong local_B;
	size_t value;
	CHECK(resident(plain, sizes, 1) >= resident(plain, sizes, 2));
	CHECK(resident(plain, sizes, 2) == resident(plain, sizes, 3));
	CHECK(resident(fixed, sizes, 3) >= 1);
	CHECK(resident(fixed, sizes, 1) == 0);
	CHECK(resident(plain, huge, 2) == 0);
	CHECK(resident(plain, &none, 1) == 0);
	/* As many as local memory has room for: all of it is one work-group's. */
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_B), &local_B,
				 NULL));
	CHECK_OK(clSetKernelArg(meet, 1, 16, NULL));
	const size_t many = resident(meet, sizes, 1);
	CHECK_OK(clSetKernelArg(meet, 1, (size_t)local_B, NULL));
	CHECK(resident(meet, sizes, 1) >= 1 && resident(meet, sizes, 1) < many);
	CHECK_CODE(clGetKernelSubGroupInfo(plain, test.device,
					   CL_KERNEL_MAX_RESIDENT_WORK_GROUPS_CULVERT, 12, sizes,
					   sizeof(value), &value, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetKernelSubGroupInfo(plain, test.device,
					   CL_KERNEL_MAX_RESIDENT_WORK_GROUPS_CULVERT, 8, NULL,
					   sizeof(value), &value, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseKernel(plain));
	CHECK_OK(clReleaseKernel(fixed));
	CHECK_OK(clReleaseKernel(meet));
}

/* Launches that are under way together have barriers of their own. */
static void test_queues(cl_context context)
{
	enum { QUEUES = 3, LAUNCHES = 8, COUNT = 4 * LOCAL, TURNS = 5 };
	cl_command_queue queues[QUEUES];
	cl_mem mems[QUEUES];
	cl_kernel kernel = kernel_make(program, "turn");
	for (unsigned i = 0; i < QUEUES; i++) {
		queues[i] = queue_make(context, test.device, 0);
		mems[i] = numbers(context, COUNT);
	}
	for (unsigned launch = 0; launch < LAUNCHES; launch++)
		for (unsigned i = 0; i < QUEUES; i++) {
			CHECK_OK(turn(queues[i], kernel, mems[i], COUNT, TURNS));
			CHECK_OK(clFlush(queues[i]));
		}
	for (unsigned i = 0; i < QUEUES; i++) {
		CHECK(turned(queues[i], mems[i], COUNT, LAUNCHES * TURNS));
		CHECK_OK(clReleaseMemObject(mems[i]));
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	}
	CHECK_OK(clReleaseKernel(kernel));
}

static cl_int turn_record(const struct command_buffer_entry *cb, cl_command_buffer_khr buffer, cl_kernel kernel,
			  cl_mem mem, size_t count)
{
	const size_t local = LOCAL;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	return cb->launch(buffer, NULL, NULL, kernel, 1, NULL, &count, &local, 0, NULL, NULL, NULL);
}

/* Recorded launches, which have nothing between them, have barriers of their own, beside those of launches that are
 * enqueued; all of it again and again, also when the command buffer is released before it has run. */
static void test_recording(cl_context context, cl_command_queue queue)
{
	enum { MEMS = 3, RUNS = 5, TURNS = 4, COUNT = 2 * LOCAL };
	struct command_buffer_entry cb;
	const size_t local = LOCAL;
	const cl_uint turns = TURNS;
	cl_mem mems[MEMS];
	cl_int code;
	if (!command_buffer_entry_find(test.platform, &cb))
		return;
	cl_kernel kernel = kernel_make(program, "turn");
	cl_command_buffer_khr buffer = cb.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(turns), &turns));
	for (unsigned i = 0; i < MEMS; i++)
		mems[i] = numbers(context, COUNT);
	for (unsigned i = 0; i + 1 < MEMS; i++)
		CHECK_OK(turn_record(&cb, buffer, kernel, mems[i], COUNT));
	/* One that does not fit is refused as if it were enqueued. */
	CHECK_CODE(turn_record(&cb, buffer, kernel, mems[0], (resident(kernel, &local, 1) + 1) * LOCAL),
		   CL_OUT_OF_RESOURCES);
	CHECK_OK(cb.finalize(buffer));
	for (unsigned run = 0; run < RUNS; run++) {
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		CHECK_OK(turn(queue, kernel, mems[MEMS - 1], COUNT, TURNS));
		/* It may be enqueued again only when it has ended. */
		if (run + 1 < RUNS)
			CHECK_OK(clFinish(queue));
	}
	CHECK_OK(cb.release(buffer));
	for (unsigned i = 0; i < MEMS; i++) {
		CHECK(turned(queue, mems[i], COUNT, RUNS * TURNS));
		CHECK_OK(clReleaseMemObject(mems[i]));
	}
	CHECK_OK(clReleaseKernel(kernel));
	reported[0] = '\0';
}

/* program's binary takes its place: the fact travels in it. */
static void program_from_binary(cl_context context)
{
	size_t size_B;
	cl_int status, code;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *binary = malloc(size_B);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	CHECK_OK(clReleaseProgram(program));
	program = clCreateProgramWithBinary(context, 1, &test.device, &size_B,
					    (const unsigned char **)&binary, &status, &code);
	CHECK_OK(code);
	CHECK_OK(status);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	free(binary);
}

int main(void)
{
	const char *text = source;
	cl_int code;
	if (!api_test_start(&test, "grid_barrier"))
		return API_TEST_SKIP;
	cl_context context = clCreateContext(NULL, 1, &test.device, report, NULL, &code);
	CHECK_OK(code);
	cl_command_queue queue = queue_make(context, test.device, 0);
	program = api_test_program(context, text);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	for (unsigned i = 0; i < 2; i++) {
		reported[0] = '\0';
		test_largest(context, queue);
		test_huge(context, queue);
		test_question();
		test_queues(context);
		test_recording(context, queue);
		if (!i)
			program_from_binary(context);
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
