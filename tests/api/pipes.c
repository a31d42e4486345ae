/* Pipes: what they say of themselves, what refuses them, and that no packet is lost on the way
 * between kernels, queues, devices, programs from binaries and command buffers.  Functions and orders
 * inside a kernel are tests/kernels/pipe_*.clt's. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

static const char source[] =
"kernel void put(write_only pipe uint to, uint first, global uint *count) {\n"
"	uint x = first + get_global_id(0);\n"
"	if (!write_pipe(to, &x))\n"
"		atomic_inc(count);\n"
"}\n"
"kernel void get(read_only pipe uint from, global uint *seen, global uint *count) {\n"
"	uint x;\n"
"	if (!read_pipe(from, &x)) {\n"
"		atomic_inc(&seen[x]);\n"
"		atomic_inc(count);\n"
"	}\n"
"}\n"
/* Tries often, so that it meets the other one; what it has not got rid of in the end stays. */
"kernel void put_often(write_only pipe uint to, uint first, global uint *count) {\n"
"	uint x = first + get_global_id(0);\n"
"	for (int i = 0; i < 200; i++)\n"
"		if (!write_pipe(to, &x)) {\n"
"			atomic_inc(count);\n"
"			break;\n"
"		}\n"
"}\n"
"kernel void get_often(read_only pipe uint from, global uint *seen, global uint *count) {\n"
"	uint x;\n"
"	for (int i = 0; i < 200; i++)\n"
"		if (!read_pipe(from, &x)) {\n"
"			atomic_inc(&seen[x]);\n"
"			atomic_inc(count);\n"
"			break;\n"
"		}\n"
"}\n"
"struct big { uint x, zeros[255]; };\n"
"kernel void put_big(write_only pipe struct big to) {\n"
"	struct big x = {get_global_id(0), {0}};\n"
"	x.zeros[254] = ~x.x;\n"
"	write_pipe(to, &x);\n"
"}\n"
"kernel void get_big(read_only pipe struct big from, global uint *seen) {\n"
"	struct big x;\n"
"	if (!read_pipe(from, &x) && x.zeros[254] == ~x.x)\n"
"		atomic_inc(&seen[x.x]);\n"
"}\n"
"kernel void ask(write_only pipe uint p, global uint *out) {\n"
"	out[0] = get_pipe_num_packets(p);\n"
"	out[1] = get_pipe_max_packets(p);\n"
"}\n"
"kernel void plain(global uint *out) { out[0] = 1; }\n";

enum { COUNT = 4096, PACKETS = 100 };

static struct api_test test;
static cl_context context;               /* of all devices */
static cl_command_queue queues[2];       /* of the first and the last */
static cl_program program;

static cl_mem pipe_make(cl_uint packet_B, cl_uint max_packets)
{
	cl_int code;
	cl_mem pipe = clCreatePipe(context, 0, packet_B, max_packets, NULL, &code);
	CHECK_OK(code);
	return pipe;
}

static cl_uint value_at(cl_command_queue queue, cl_mem mem, size_t index)
{
	cl_uint value = 12345;
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, index * sizeof(value), sizeof(value),
				     &value, 0, NULL, NULL));
	return value;
}

/* How many of the first count are exactly once. */
static size_t seen_once(cl_command_queue queue, cl_mem seen, size_t count)
{
	static cl_uint values[COUNT];
	size_t once = 0;
	buffer_read(queue, seen, values, count * sizeof(*values));
	for (size_t i = 0; i < count; i++)
		once += values[i] == 1;
	return once;
}

static cl_kernel put_make(cl_program from, const char *name, cl_mem pipe, cl_uint first,
			  cl_mem count)
{
	cl_kernel kernel = kernel_make(from, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(first), &first));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(count), &count));
	return kernel;
}

static cl_kernel get_make(cl_program from, const char *name, cl_mem pipe, cl_mem seen, cl_mem count)
{
	cl_kernel kernel = kernel_make(from, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(seen), &seen));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(count), &count));
	return kernel;
}

/* --- what is told -------------------------------------------------------------------- */

static cl_uint device_number(cl_device_id device, cl_device_info name)
{
	cl_uint value = 0;
	CHECK_OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
	return value;
}

/* OpenCL 3.0 API, 4.2, table 5: the least that a device with pipes has. */
static void test_device(cl_device_id device)
{
	static cl_name_version features[256];
	size_t size_B = 0;
	bool found = false;
	CHECK(device_number(device, CL_DEVICE_PIPE_SUPPORT) == CL_TRUE);
	CHECK(device_number(device, CL_DEVICE_MAX_PIPE_ARGS) >= 16);
	CHECK(device_number(device, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) >= 1);
	CHECK(device_number(device, CL_DEVICE_PIPE_MAX_PACKET_SIZE) >= 1024);
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features), features,
				 &size_B));
	for (size_t i = 0; i < size_B / sizeof(*features); i++)
		found |= !strcmp(features[i].name, "__opencl_c_pipes");
	CHECK(found);
}

static void test_info(void)
{
	cl_mem pipe = pipe_make(12, 5);
	cl_uint number = 0;
	cl_mem_object_type type = 0;
	cl_mem_flags flags = 0;
	void *pointer = &number;
	size_t size_B = 0;
	CHECK_OK(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof(number), &number, &size_B));
	CHECK(number == 12 && size_B == sizeof(number));
	CHECK_OK(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof(number), &number, NULL));
	CHECK(number == 5);
	CHECK_OK(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size_B));
	CHECK(size_B == 0);
	CHECK_OK(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_MEM_OBJECT_PIPE);
	/* 5.4.1: what is meant by 0. */
	CHECK_OK(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	CHECK(flags == (CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
	CHECK_OK(clGetMemObjectInfo(pipe, CL_MEM_SIZE, sizeof(size_B), &size_B, NULL));
	CHECK(size_B >= 60);
	CHECK_OK(clGetMemObjectInfo(pipe, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	CHECK(!pointer);
	CHECK_OK(clRetainMemObject(pipe));
	CHECK_OK(clReleaseMemObject(pipe));
	CHECK_OK(clReleaseMemObject(pipe));
}

static void test_argument_info(void)
{
	cl_kernel kernels[2] = {kernel_make(program, "put"), kernel_make(program, "get")};
	for (int i = 0; i < 2; i++) {
		cl_kernel_arg_address_qualifier address = 0;
		cl_kernel_arg_access_qualifier access = 0;
		cl_kernel_arg_type_qualifier type = 0;
		char text[32] = "";
		CHECK_OK(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
					    sizeof(address), &address, NULL));
		CHECK(address == CL_KERNEL_ARG_ADDRESS_GLOBAL);
		CHECK_OK(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_ACCESS_QUALIFIER,
					    sizeof(access), &access, NULL));
		CHECK(access == (i ? CL_KERNEL_ARG_ACCESS_READ_ONLY
				   : CL_KERNEL_ARG_ACCESS_WRITE_ONLY));
		CHECK_OK(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_TYPE_QUALIFIER,
					    sizeof(type), &type, NULL));
		CHECK(type == CL_KERNEL_ARG_TYPE_PIPE);
		CHECK_OK(clGetKernelArgInfo(kernels[i], 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(text),
					    text, NULL));
		CHECK(!strcmp(text, "uint"));
		CHECK_OK(clReleaseKernel(kernels[i]));
	}
}

/* --- what refuses a pipe --------------------------------------------------------------- */

static void test_creation(void)
{
	static const cl_pipe_properties none[] = {0};
	const cl_uint most_B = device_number(test.device, CL_DEVICE_PIPE_MAX_PACKET_SIZE);
	cl_int code;
#define NO_PIPE(error, flags, packet_B, packets, properties)                                      \
	CHECK_NO_OBJECT(clCreatePipe(context, flags, packet_B, packets, properties, &code), code, \
			error)
	CHECK_NO_OBJECT(clCreatePipe((cl_context)queues[0], 0, 4, 4, NULL, &code), code,
			CL_INVALID_CONTEXT);
	NO_PIPE(CL_INVALID_VALUE, CL_MEM_READ_ONLY, 4, 4, NULL);
	NO_PIPE(CL_INVALID_VALUE, CL_MEM_WRITE_ONLY, 4, 4, NULL);
	NO_PIPE(CL_INVALID_VALUE, CL_MEM_HOST_READ_ONLY, 4, 4, NULL);
	NO_PIPE(CL_INVALID_VALUE, CL_MEM_ALLOC_HOST_PTR, 4, 4, NULL);
	NO_PIPE(CL_INVALID_VALUE, (cl_mem_flags)1 << 40, 4, 4, NULL);
	NO_PIPE(CL_INVALID_VALUE, 0, 4, 4, none);
	NO_PIPE(CL_INVALID_PIPE_SIZE, 0, 0, 4, NULL);
	NO_PIPE(CL_INVALID_PIPE_SIZE, 0, 4, 0, NULL);
	NO_PIPE(CL_INVALID_PIPE_SIZE, 0, most_B + 1, 4, NULL);
	NO_PIPE(CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, most_B, UINT32_MAX, NULL);
#undef NO_PIPE
	cl_mem largest = clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, most_B, 2, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(largest));
}

/* OpenCL 3.0 API, 5.2 and 5.3: what they are for are buffers, and images. */
static void test_commands(void)
{
	static const size_t at[3] = {0, 0, 0}, one[3] = {4, 1, 1};
	static const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
	const cl_image_desc wanted = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4,
				      .image_height = 4};
	const cl_buffer_region region = {0, 4};
	cl_command_queue queue = queues[0];
	cl_uint bytes[16] = {0};
	cl_int code;
	cl_mem pipe = pipe_make(64, 64), buffer = api_test_zeros(context, 16);
	cl_mem image = image_make(context, 0, &format, &wanted, NULL);
#define REFUSED(call) CHECK_CODE(call, CL_INVALID_MEM_OBJECT)
	REFUSED(clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
	REFUSED(clEnqueueWriteBuffer(queue, pipe, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
	REFUSED(clEnqueueFillBuffer(queue, pipe, bytes, 4, 0, 4, 0, NULL, NULL));
	REFUSED(clEnqueueCopyBuffer(queue, pipe, buffer, 0, 0, 4, 0, NULL, NULL));
	REFUSED(clEnqueueCopyBuffer(queue, buffer, pipe, 0, 0, 4, 0, NULL, NULL));
	REFUSED(clEnqueueReadBufferRect(queue, pipe, CL_TRUE, at, at, one, 0, 0, 0, 0, bytes, 0,
					NULL, NULL));
	REFUSED(clEnqueueWriteBufferRect(queue, pipe, CL_TRUE, at, at, one, 0, 0, 0, 0, bytes, 0,
					 NULL, NULL));
	REFUSED(clEnqueueCopyBufferRect(queue, pipe, buffer, at, at, one, 0, 0, 0, 0, 0, NULL,
					NULL));
	REFUSED(clEnqueueCopyBufferRect(queue, buffer, pipe, at, at, one, 0, 0, 0, 0, 0, NULL,
					NULL));
	REFUSED(clEnqueueCopyBufferToImage(queue, pipe, image, 0, at, one, 0, NULL, NULL));
	REFUSED(clEnqueueCopyImageToBuffer(queue, image, pipe, at, one, 0, 0, NULL, NULL));
	REFUSED(clEnqueueReadImage(queue, pipe, CL_TRUE, at, one, 0, 0, bytes, 0, NULL, NULL));
	REFUSED(clEnqueueWriteImage(queue, pipe, CL_TRUE, at, one, 0, 0, bytes, 0, NULL, NULL));
	REFUSED(clEnqueueFillImage(queue, pipe, bytes, at, one, 0, NULL, NULL));
	REFUSED(clEnqueueCopyImage(queue, pipe, image, at, at, one, 0, NULL, NULL));
	REFUSED(clEnqueueCopyImage(queue, image, pipe, at, at, one, 0, NULL, NULL));
	REFUSED(clGetImageInfo(pipe, CL_IMAGE_WIDTH, sizeof(bytes), bytes, NULL));
	/* 5.5.2: "or is a pipe object". */
	REFUSED(clEnqueueUnmapMemObject(queue, pipe, bytes, 0, NULL, NULL));
	CHECK_NO_OBJECT(clEnqueueMapBuffer(queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL,
					   &code), code, CL_INVALID_MEM_OBJECT);
	size_t pitch;
	CHECK_NO_OBJECT(clEnqueueMapImage(queue, pipe, CL_TRUE, CL_MAP_READ, at, one, &pitch, NULL,
					  0, NULL, NULL, &code), code, CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code),
			code, CL_INVALID_MEM_OBJECT);
	for (int i = 0; i < 2; i++) {
		cl_image_desc of = {.image_type = i ? CL_MEM_OBJECT_IMAGE2D
						    : CL_MEM_OBJECT_IMAGE1D_BUFFER,
				    .image_width = 4, .image_height = i, .mem_object = pipe};
		CHECK_NO_OBJECT(clCreateImage(context, 0, &format, &of, NULL, &code), code,
				CL_INVALID_IMAGE_DESCRIPTOR);
	}
#undef REFUSED
	CHECK_CODE(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 4, bytes, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clGetPipeInfo(image, CL_PIPE_PACKET_SIZE, 4, bytes, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 3, bytes, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetPipeInfo(pipe, CL_MEM_SIZE, 8, bytes, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseMemObject(pipe));
}

static void CL_CALLBACK never(void *arguments)
{
	(void)arguments;
	CHECK(!"a native kernel with a pipe ran");
}

static void test_native(void)
{
	cl_mem pipe = pipe_make(4, 4), list[1] = {pipe};
	cl_mem room[1] = {NULL};
	const void *places[1] = {&room[0]};
	CHECK_CODE(clEnqueueNativeKernel(queues[0], never, room, sizeof(room), 1, list, places, 0,
					 NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_OK(clReleaseMemObject(pipe));
}

static void test_arguments(void)
{
	static const size_t one = 1;
	cl_int code;
	cl_kernel kernel = kernel_make(program, "put"), plain = kernel_make(program, "plain");
	cl_mem buffer = api_test_zeros(context, 4), pipe = pipe_make(4, 4), none = NULL;
	cl_mem foreign = clCreatePipe(test.context, 0, 4, 4, NULL, &code);
	const cl_uint first = 0;
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(first), &first));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(buffer), &buffer));
	CHECK_CODE(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	/* 5.9.2: only a buffer may be NULL. */
	CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(none), &none), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(none), NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(kernel, 0, 4, &pipe), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(kernel, 0, sizeof(foreign), &foreign), CL_INVALID_CONTEXT);
	CHECK_CODE(clSetKernelArgSVMPointer(kernel, 0, NULL), CL_INVALID_ARG_VALUE);
	CHECK_CODE(clSetKernelArg(plain, 0, sizeof(pipe), &pipe), CL_INVALID_MEM_OBJECT);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(pipe), &pipe));
	launch_1d(queues[0], kernel, 1);
	CHECK(value_at(queues[0], buffer, 0) == 1);
	/* The kernel holds no reference. */
	CHECK_OK(clReleaseMemObject(pipe));
	CHECK_OK(clFinish(queues[0]));
	CHECK_CODE(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_OK(clReleaseMemObject(foreign));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(plain));
	CHECK_OK(clReleaseKernel(kernel));
}

/* --- packets ------------------------------------------------------------------------------- */

/* Fills and empties a pipe on two queues in turn; with two devices it goes to and fro. */
static void test_turns(cl_program from)
{
	cl_mem pipe = pipe_make(4, PACKETS), seen = api_test_zeros(context, COUNT),
	       counts = api_test_zeros(context, 4), got = api_test_zeros(context, 4);
	cl_mem answers = api_test_zeros(context, 2);
	cl_kernel get = get_make(from, "get", pipe, seen, got), ask = kernel_make(from, "ask");
	CHECK_OK(clSetKernelArg(ask, 0, sizeof(pipe), &pipe));
	CHECK_OK(clSetKernelArg(ask, 1, sizeof(answers), &answers));
	for (cl_uint turn = 0; turn < 8; turn++) {
		cl_kernel put = put_make(from, "put", pipe, turn * PACKETS, counts);
		launch_1d(queues[turn % 2], put, PACKETS);
		/* It is full now. */
		launch_1d(queues[turn % 2], put, 7);
		launch_1d(queues[turn % 2], ask, 1);
		CHECK(value_at(queues[turn % 2], answers, 0) == PACKETS);
		CHECK(value_at(queues[turn % 2], answers, 1) == PACKETS);
		CHECK(value_at(queues[turn % 2], counts, 0) == (turn + 1) * PACKETS);
		CHECK_OK(clFinish(queues[turn % 2]));
		const size_t more = PACKETS + 5;
		launch_1d(queues[(turn + 1) % 2], get, more);
		CHECK_OK(clFinish(queues[(turn + 1) % 2]));
		CHECK(value_at(queues[0], got, 0) == (turn + 1) * PACKETS);
		CHECK_OK(clReleaseKernel(put));
	}
	CHECK(seen_once(queues[1], seen, 8 * PACKETS) == 8 * PACKETS);
	CHECK_OK(clReleaseKernel(ask));
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseMemObject(answers));
	CHECK_OK(clReleaseMemObject(got));
	CHECK_OK(clReleaseMemObject(counts));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseMemObject(pipe));
}

/* A kernel that writes and one that reads, on queues of one device that wait for nothing. */
static void test_both_at_once(cl_uint packets)
{
	cl_command_queue other = queue_make(context, test.device, 0);
	cl_mem pipe = pipe_make(4, packets), seen = api_test_zeros(context, COUNT),
	       put_count = api_test_zeros(context, 1);
	cl_mem got = api_test_zeros(context, 1);
	const size_t each = COUNT / 4;
	cl_kernel get = get_make(program, "get_often", pipe, seen, got);
	cl_kernel rest = get_make(program, "get", pipe, seen, got);
	for (cl_uint i = 0; i < 4; i++) {
		cl_kernel put = put_make(program, "put_often", pipe, (cl_uint)(i * each),
					 put_count);
		launch_1d(queues[0], put, each);
		launch_1d(other, get, each);
		CHECK_OK(clFlush(queues[0]));
		CHECK_OK(clFlush(other));
		CHECK_OK(clReleaseKernel(put));
	}
	CHECK_OK(clFinish(queues[0]));
	CHECK_OK(clFinish(other));
	/* All that are still there. */
	launch_1d(other, rest, packets);
	const cl_uint written = value_at(other, put_count, 0);
	CHECK(written >= packets && written == value_at(other, got, 0));
	CHECK(seen_once(other, seen, COUNT) == written);
	CHECK_OK(clReleaseKernel(rest));
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseMemObject(got));
	CHECK_OK(clReleaseMemObject(put_count));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseMemObject(pipe));
	CHECK_OK(clReleaseCommandQueue(other));
}

/* Packets of 1024 bytes, which every device with pipes has; a migration that forgets a pipe's
 * content leaves a pipe. */
static void test_big(void)
{
	cl_mem pipe = pipe_make(1024, 64), seen = api_test_zeros(context, 64);
	cl_kernel put = kernel_make(program, "put_big"), get = kernel_make(program, "get_big");
	CHECK_OK(clSetKernelArg(put, 0, sizeof(pipe), &pipe));
	CHECK_OK(clSetKernelArg(get, 0, sizeof(pipe), &pipe));
	CHECK_OK(clSetKernelArg(get, 1, sizeof(seen), &seen));
	CHECK_OK(clEnqueueMigrateMemObjects(queues[1], 1, &pipe,
					    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[1]));
	launch_1d(queues[1], put, 64);
	launch_1d(queues[1], get, 64);
	CHECK(seen_once(queues[1], seen, 64) == 64);
	CHECK_OK(clReleaseKernel(put));
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseMemObject(pipe));
}

/* What a launch must know of pipes is in the binary. */
static void test_binary(void)
{
	enum { MOST = API_TEST_MOST_DEVICES };
	size_t sizes_B[MOST] = {0};
	unsigned char *binaries[MOST] = {NULL};
	cl_int code;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes_B), sizes_B, NULL));
	for (cl_uint i = 0; i < test.device_count; i++)
		binaries[i] = malloc(sizes_B[i]);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL));
	cl_program loaded = clCreateProgramWithBinary(context, test.device_count, test.devices,
						      sizes_B, (const unsigned char **)binaries,
						      NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(loaded, 0, NULL, "", NULL, NULL));
	test_turns(loaded);
	CHECK_OK(clReleaseProgram(loaded));
	for (cl_uint i = 0; i < test.device_count; i++)
		free(binaries[i]);
}

static void test_command_buffer(void)
{
	struct command_buffer_entry entry;
	cl_int code;
	const size_t count = PACKETS;
	if (!CHECK(command_buffer_entry_find(test.platform, &entry)))
		return;
	cl_mem pipe = pipe_make(4, PACKETS), seen = api_test_zeros(context, COUNT),
	       counts = api_test_zeros(context, 1), got = api_test_zeros(context, 1);
	cl_kernel put = put_make(program, "put", pipe, 0, counts);
	cl_kernel get = get_make(program, "get", pipe, seen, got);
	cl_command_buffer_khr buffer = entry.create(1, queues, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(entry.launch(buffer, NULL, NULL, put, 1, NULL, &count, NULL, 0, NULL, NULL, NULL));
	CHECK_OK(entry.launch(buffer, NULL, NULL, get, 1, NULL, &count, NULL, 0, NULL, NULL, NULL));
	CHECK_CODE(entry.fill(buffer, NULL, NULL, pipe, &count, 4, 0, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(entry.copy(buffer, NULL, NULL, pipe, seen, 0, 0, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_OK(entry.finalize(buffer));
	CHECK_OK(entry.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK(seen_once(queues[0], seen, PACKETS) == PACKETS);
	CHECK_OK(entry.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK(value_at(queues[0], got, 0) == 2 * PACKETS);
	CHECK_OK(entry.release(buffer));
	CHECK_OK(clReleaseKernel(put));
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseMemObject(got));
	CHECK_OK(clReleaseMemObject(counts));
	CHECK_OK(clReleaseMemObject(seen));
	CHECK_OK(clReleaseMemObject(pipe));
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "pipes"))
		return API_TEST_SKIP;
	context = context_make(test.device_count, test.devices);
	for (int i = 0; i < 2; i++) {
		queues[i] = queue_make(context, test.devices[i ? test.device_count - 1 : 0], 0);
	}
	program = api_test_build(context, test.device, source, "-cl-std=CL2.0 -cl-kernel-arg-info");
	if (!program)
		return api_test_end(&test);
	for (cl_uint i = 0; i < test.device_count; i++)
		test_device(test.devices[i]);
	test_info();
	test_argument_info();
	test_creation();
	test_commands();
	test_native();
	test_arguments();
	test_turns(program);
	/* What a running kernel hands another orders nothing to the oracle (docs/softcuda.md). */
	if (!getenv("CULVERT_SOFT_ORACLE")) {
		test_both_at_once(1);
		test_both_at_once(33);
		test_both_at_once(COUNT);
	}
	test_big();
	test_binary();
	test_command_buffer();
	CHECK_OK(clReleaseProgram(program));
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
