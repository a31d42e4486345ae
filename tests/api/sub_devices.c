/* Sub-devices (OpenCL 3.0 API, 4.3): how a device is partitioned, and that commands run on their share of its compute
 * units and nowhere else; which numbers of compute units there can be is the GPU's.  What is built for a device is for
 * its sub-devices, memory is common to all that are of one GPU, and each part lives as long as somebody has it. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdlib.h>

enum { GROUPS = 512, UNITS_MAX = 256, PARTS_MAX = 128 };

/* Which multiprocessors a launch ran on, a flag for each; and something for others to see. */
static const char source[] =
"kernel void where(global uint *at) {\n"
"	uint here;\n"
"	__asm__ volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(here));\n"
"	at[here] = 1;\n"
"}\n"
"kernel void next(global uint *c) { c[get_global_id(0)] = c[get_global_id(0)] * 3 + 1; }\n";

static struct api_test test;
static cl_uint most, unit, units;    /* sub-devices; compute units in a step of the GPU, and of all of it */

static cl_uint units_of(cl_device_id device)
{
	cl_uint count = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(count), &count, NULL));
	return count;
}

static cl_uint references_of(cl_device_id device)
{
	cl_uint count = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof(count), &count, NULL));
	return count;
}

static cl_device_id parent_of(cl_device_id device)
{
	cl_device_id parent = NULL;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
	return parent;
}

static cl_uint partitions_of(cl_device_id device)
{
	cl_uint count = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof(count), &count,
				 NULL));
	return count;
}

/* The sub-devices; how many there are is checked. */
static void partition(cl_device_id device, const cl_device_partition_property *properties,
		      cl_uint expected, cl_device_id *parts)
{
	cl_uint count = 0;
	CHECK_OK(clCreateSubDevices(device, properties, 0, NULL, &count));
	CHECK(count == expected);
	count = 0;
	CHECK_OK(clCreateSubDevices(device, properties, expected, parts, &count));
	CHECK(count == expected);
}

static void halves(cl_device_id device, cl_device_id parts[2])
{
	const cl_uint half = partitions_of(device) / 2 * unit;
	partition(device, (const cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, half,
			  half, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0}, 2, parts);
}

static void release_all(cl_device_id *parts, cl_uint count)
{
	for (cl_uint i = 0; i < count; i++)
		CHECK_OK(clReleaseDevice(parts[i]));
}

/* --- what it says of itself ------------------------------------------------------------ */

static void check_part(cl_device_id part, cl_device_id parent, cl_uint size,
		       const cl_device_partition_property *properties, size_t size_B)
{
	cl_device_partition_property type[PARTS_MAX + 3];
	cl_device_id found;
	cl_uint count;
	size_t type_B = 0;
	CHECK(units_of(part) == size);
	CHECK(parent_of(part) == parent);
	CHECK(references_of(part) == 1);
	CHECK(partitions_of(part) == (size > unit ? size / unit : 0));
	CHECK_OK(clGetDeviceInfo(part, CL_DEVICE_PARTITION_TYPE, sizeof(type), type, &type_B));
	CHECK(type_B == size_B && !memcmp(type, properties, size_B));
	/* Only root devices are found. */
	CHECK_OK(clGetDeviceIDs(test.platform, CL_DEVICE_TYPE_ALL, 1, &found, &count));
	CHECK(count == test.device_count && found == test.devices[0]);
}

static void test_equally(void)
{
	cl_device_id parts[PARTS_MAX];
	for (cl_uint times = 1; times <= most; times *= 2) {
		const cl_uint size = times * unit, count = units / size;
		const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, size, 0};
		partition(test.device, equally, count, parts);
		for (cl_uint i = 0; i < count; i++)
			check_part(parts[i], test.device, size, equally, sizeof(equally));
		release_all(parts, count);
	}
}

static void test_by_counts(void)
{
	const cl_device_partition_property counts[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, unit, (most - 1) * unit,
		CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	cl_device_id parts[2];
	partition(test.device, counts, 2, parts);
	check_part(parts[0], test.device, unit, counts, sizeof(counts));
	check_part(parts[1], test.device, (most - 1) * unit, counts, sizeof(counts));
	release_all(parts, 2);
}

/* The counts end at a 0, and what is in memory after it does not matter (DPC++'s runtime passes no second 0). */
static void test_counts_without_a_second_end(void)
{
	const cl_device_partition_property counts[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, unit, (most - 1) * unit,
		CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	const cl_device_partition_property passed[] = {counts[0], counts[1], counts[2], counts[3], 4711};
	cl_device_id parts[2];
	partition(test.device, passed, 2, parts);
	check_part(parts[0], test.device, unit, counts, sizeof(counts));
	check_part(parts[1], test.device, (most - 1) * unit, counts, sizeof(counts));
	release_all(parts, 2);
}

/* The GPU is split in steps: sizes between them cannot be had. */
static void test_steps(void)
{
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, unit + 1, 0};
	const cl_device_partition_property counts[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, unit - 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	const cl_device_partition_property between[] = {
		CL_DEVICE_PARTITION_BY_COUNTS, unit + 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0,
	};
	const cl_device_partition_property whole[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0};
	cl_device_id parts[PARTS_MAX];
	if (unit > 1) {
		CHECK_CODE(clCreateSubDevices(test.device, equally, PARTS_MAX, parts, NULL),
			   CL_DEVICE_PARTITION_FAILED);
		CHECK_CODE(clCreateSubDevices(test.device, counts, PARTS_MAX, parts, NULL),
			   CL_DEVICE_PARTITION_FAILED);
		CHECK_CODE(clCreateSubDevices(test.device, between, PARTS_MAX, parts, NULL),
			   CL_INVALID_DEVICE_PARTITION_COUNT);
	}
	CHECK_CODE(clCreateSubDevices(test.device, whole, PARTS_MAX, parts, NULL),
		   CL_DEVICE_PARTITION_FAILED);
}

/* --- where commands run ------------------------------------------------------------------ */

static void where_launch(cl_command_queue queue, cl_kernel kernel, cl_mem at)
{
	const cl_uint zero = 0;
	cl_event filled;
	CHECK_OK(clEnqueueFillBuffer(queue, at, &zero, sizeof(zero), 0, UNITS_MAX * 4, 0, NULL, &filled));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(at), &at));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (const size_t[]){GROUPS * 32},
					(const size_t[]){32}, 1, &filled, NULL));
	CHECK_OK(clReleaseEvent(filled));
}

/* Adds where the queue's launches ran to at, and says on how many multiprocessors. */
static unsigned places_add(cl_command_queue queue, cl_mem mem, cl_uint *all)
{
	cl_uint at[UNITS_MAX];
	unsigned count = 0;
	buffer_read(queue, mem, at, sizeof(at));
	for (cl_uint i = 0; i < UNITS_MAX; i++) {
		count += at[i];
		all[i] += at[i];
	}
	return count;
}

/* Out of order, so that there are several streams. */
static cl_command_queue part_queue(cl_context context, cl_device_id part)
{
	return queue_make(context, part, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static void test_share(void)
{
	cl_device_id parts[2];
	cl_uint all[UNITS_MAX] = {0};
	halves(test.device, parts);
	cl_context context = context_make(2, parts);
	cl_program program = api_test_build(context, parts[0], source, NULL);
	for (int i = 0; i < 2; i++) {
		cl_command_queue queue = part_queue(context, parts[i]);
		cl_kernel kernel = kernel_make(program, "where");
		cl_mem at = api_test_zeros(context, UNITS_MAX);
		for (int k = 0; k < 20; k++) {
			where_launch(queue, kernel, at);
			CHECK_OK(clFinish(queue));
		}
		const unsigned count = places_add(queue, at, all);
		CHECK(count && count <= units_of(parts[i]));
		CHECK_OK(clReleaseMemObject(at));
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clReleaseCommandQueue(queue));
	}
	/* The shares do not intersect. */
	for (cl_uint i = 0; i < UNITS_MAX; i++)
		CHECK(all[i] <= 1);
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	release_all(parts, 2);
}

/* Recorded commands, too, wherever they are launched from. */
static void test_command_buffer(void)
{
	cl_device_id parts[2];
	cl_uint all[UNITS_MAX] = {0};
	cl_int code;
	halves(test.device, parts);
	cl_context context = context_make(1, parts);
	cl_program program = api_test_build(context, parts[0], source, NULL);
	cl_command_queue queue = queue_make(context, parts[0], 0);
	cl_kernel kernel = kernel_make(program, "where");
	cl_mem at = api_test_zeros(context, UNITS_MAX);
	struct command_buffer_entry entry;
	CHECK(command_buffer_entry_find(test.platform, &entry));
	cl_command_buffer_khr buffer = entry.create(1, &queue, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(at), &at));
	CHECK_OK(entry.launch(buffer, NULL, NULL, kernel, 1, NULL,
					   (const size_t[]){GROUPS * 32}, (const size_t[]){32}, 0, NULL,
					   NULL, NULL));
	CHECK_OK(entry.finalize(buffer));
	for (int i = 0; i < 20; i++)
		CHECK_OK(entry.enqueue(0, NULL, buffer, 0, NULL, NULL));
	const unsigned count = places_add(queue, at, all);
	CHECK(count && count <= units_of(parts[0]));
	CHECK_OK(entry.release(buffer));
	CHECK_OK(clReleaseMemObject(at));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	release_all(parts, 2);
}

/* --- what is common -------------------------------------------------------------------------- */

/* A context of the device and its halves: a program built for the device alone is for all; a buffer has one
 * memory, and each sees what the one before wrote. */
static void test_together(void)
{
	cl_device_id devices[3] = {NULL, NULL, test.device};
	cl_build_status status;
	cl_uint value = 5, expected = 5, got = 0;
	halves(test.device, devices);
	cl_context context = context_make(3, devices);
	cl_program program = api_test_program(context, source);
	CHECK_OK(clBuildProgram(program, 1, &test.device, "", NULL, NULL));
	cl_kernel kernel = kernel_make(program, "next");
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
	for (int i = 0; i < 12; i++) {
		cl_command_queue queue = queue_make(context, devices[i % 3], 0);
		CHECK_OK(clGetProgramBuildInfo(program, devices[i % 3], CL_PROGRAM_BUILD_STATUS,
					       sizeof(status), &status, NULL));
		CHECK(status == CL_BUILD_SUCCESS);
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		launch_1d(queue, kernel, 1);
		expected = expected * 3 + 1;
		buffer_read(queue, mem, &got, sizeof(got));
		CHECK(got == expected);
		CHECK_OK(clReleaseCommandQueue(queue));
	}
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	release_all(devices, 2);
}

/* A sub-device's own build stays when its parent is built for. */
static void test_own_build(void)
{
	cl_device_id devices[3] = {NULL, NULL, test.device};
	char options[32];
	halves(test.device, devices);
	cl_context context = context_make(3, devices);
	cl_program program = api_test_program(context, source);
	CHECK_OK(clBuildProgram(program, 1, &devices[0], "-DA=1", NULL, NULL));
	CHECK_OK(clBuildProgram(program, 1, &test.device, "-DA=2", NULL, NULL));
	CHECK_OK(clBuildProgram(program, 1, &test.device, "-DA=3", NULL, NULL));
	for (int i = 0; i < 3; i++) {
		CHECK_OK(clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_OPTIONS,
					       sizeof(options), options, NULL));
		CHECK(!strcmp(options, i ? "-DA=3" : "-DA=1"));
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	release_all(devices, 2);
}

/* A binary of the parent's runs on its parts, of which the program knows nothing. */
static void test_binary(void)
{
	cl_device_id devices[3] = {NULL, NULL, test.device};
	cl_uint value = 5, got = 0;
	size_t size_B = 0;
	cl_int code;
	halves(test.device, devices);
	cl_program built = api_test_build(test.context, test.device, source, NULL);
	CHECK_OK(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *binary = malloc(size_B);
	CHECK_OK(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	cl_context context = context_make(3, devices);
	const unsigned char *from = binary;
	cl_program program = clCreateProgramWithBinary(context, 1, &test.device, &size_B, &from, NULL,
						       &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	CHECK_CODE(clBuildProgram(program, 1, &devices[0], NULL, NULL, NULL), CL_INVALID_DEVICE);
	cl_kernel kernel = kernel_make(program, "next");
	cl_mem mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
	cl_command_queue queue = queue_make(context, devices[1], 0);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	launch_1d(queue, kernel, 1);
	buffer_read(queue, mem, &got, sizeof(got));
	CHECK(got == 16);
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	CHECK_OK(clReleaseProgram(built));
	release_all(devices, 2);
	free(binary);
}

/* --- life ---------------------------------------------------------------------------------------- */

/* A part of a part; each keeps what it is of, a context and its queues keep their devices. */
static void test_life(void)
{
	cl_device_id parts[2], inner[2];
	if (most < 4)
		return;
	halves(test.device, parts);
	halves(parts[0], inner);
	CHECK(parent_of(inner[0]) == parts[0]);
	CHECK_OK(clReleaseDevice(parts[0]));
	CHECK_OK(clRetainDevice(inner[1]));
	CHECK(references_of(inner[1]) == 2);
	CHECK_OK(clReleaseDevice(inner[1]));
	cl_context context = context_make(1, &inner[0]);
	cl_command_queue queue = queue_make(context, inner[0], 0);
	CHECK_OK(clReleaseDevice(inner[0]));
	cl_mem mem = api_test_zeros(context, 1);
	cl_program program = api_test_build(context, inner[0], source, NULL);
	cl_kernel kernel = kernel_make(program, "next");
	cl_uint got = 0;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	launch_1d(queue, kernel, 1);
	buffer_read(queue, mem, &got, sizeof(got));
	CHECK(got == 1);
	CHECK(units_of(parent_of(inner[0])) == most / 2 * unit);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(context));
	release_all(&inner[1], 1);
	release_all(&parts[1], 1);
}

int main(void)
{
	cl_device_partition_property kinds[4] = {0};
	size_t kinds_B = 0;
	/* Of the software driver: enough that parts have parts. */
	setenv("CULVERT_SOFT_MULTIPROCESSORS", "18", 0);
	if (!api_test_start(&test, "sub_devices"))
		return API_TEST_SKIP;
	most = partitions_of(test.device);
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(kinds), kinds,
				 &kinds_B));
	if (!most) {
		CHECK(kinds_B == sizeof(kinds[0]) && !kinds[0]);
		printf("sub_devices: SKIP: the device cannot be partitioned\n");
		return api_test_end(&test) ? 1 : API_TEST_SKIP;
	}
	CHECK(kinds_B == 2 * sizeof(kinds[0]) && kinds[0] == CL_DEVICE_PARTITION_EQUALLY &&
	      kinds[1] == CL_DEVICE_PARTITION_BY_COUNTS);
	units = units_of(test.device);
	unit = units / most;
	CHECK(most > 1 && most <= PARTS_MAX && units <= UNITS_MAX && !parent_of(test.device));
	test_equally();
	test_by_counts();
	test_counts_without_a_second_end();
	test_steps();
	test_share();
	test_command_buffer();
	test_together();
	test_own_build();
	test_binary();
	test_life();
	return api_test_end(&test);
}
