/* Protects: what a context's pfn_notify is told of calls that fail: the call, the kernel, the
 * argument, the limit and the value; and that nothing is told of calls that do not. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

static const char source[] =
	"kernel void axpy(global float *y, float4 a, local float *part)\n"
	"{ part[0] = a.x; y[get_global_id(0)] += part[0]; }\n"
	"kernel __attribute__((reqd_work_group_size(16, 2, 1))) void fixed(global int *p) { p[0] = 1; }\n"
	"kernel void look(read_only image2d_t image, sampler_t how, global float4 *to)\n"
	"{ *to = read_imagef(image, how, (float2)(0)); }\n";

static char said[1024];
static unsigned times;
static struct command_buffer_entry cb;
static mutable_update update;
static cl_command_buffer_khr used_when_heard; /* NULL: none */

static void CL_CALLBACK hear(const char *text, const void *more, size_t more_B, void *data)
{
	(void)more;
	(void)more_B;
	(void)data;
	snprintf(said, sizeof(said), "%s", text);
	times++;
	if (used_when_heard)
		CHECK_OK(cb.enqueue(0, NULL, used_when_heard, 0, NULL, NULL));
}

/* Whether it was told once, and with all these words; NULL ends them. */
static bool told(const char *const *words)
{
	bool good = times == 1;
	for (; *words; words++)
		good = good && strstr(said, *words);
	if (!good)
		printf("told %u times, last: %s\n", times, said);
	times = 0;
	said[0] = 0;
	return good;
}

#define TOLD(...) CHECK(told((const char *const[]){__VA_ARGS__, NULL}))

static void test_arguments(cl_context context, cl_program program)
{
	float four[4] = {0};
	cl_kernel axpy = kernel_make(program, "axpy");
	cl_kernel look = kernel_make(program, "look");
	cl_mem mem = buffer_make(context, 0, 64, NULL);
	CHECK_CODE(clSetKernelArg(axpy, 7, sizeof(four), four), CL_INVALID_ARG_INDEX);
	TOLD("clSetKernelArg", "axpy", "3 arguments", "index 7");
	CHECK_CODE(clSetKernelArg(axpy, 1, 4, four), CL_INVALID_ARG_SIZE);
	TOLD("clSetKernelArg", "axpy", "argument 1 (float4 a)", "16 bytes, not 4",
	     "CL_INVALID_ARG_SIZE");
	CHECK_CODE(clSetKernelArg(axpy, 1, sizeof(four), NULL), CL_INVALID_ARG_VALUE);
	TOLD("argument 1 (float4 a)", "arg_value is NULL");
	CHECK_CODE(clSetKernelArg(axpy, 0, 4, &mem), CL_INVALID_ARG_SIZE);
	TOLD("argument 0 (float* y)", "8 bytes, not 4");
	CHECK_CODE(clSetKernelArg(axpy, 2, 64, four), CL_INVALID_ARG_VALUE);
	TOLD("argument 2 (float* part)", "must be NULL");
	CHECK_CODE(clSetKernelArg(look, 0, sizeof(mem), &mem), CL_INVALID_MEM_OBJECT);
	TOLD("look", "argument 0 (image2d_t image)", "an image of its type");
	CHECK_CODE(clSetKernelArg(look, 1, sizeof(cl_sampler), NULL), CL_INVALID_SAMPLER);
	TOLD("look", "argument 1 (sampler_t how)", "sampler");
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(look));
	CHECK_OK(clReleaseKernel(axpy));
}

static void test_launches(cl_context context, cl_command_queue queue, cl_program program)
{
	const size_t global[3] = {4096, 4, 1}, large[3] = {4096, 1, 1}, other[2] = {8, 2};
	size_t items = 0;
	float four[4] = {0};
	cl_kernel axpy = kernel_make(program, "axpy");
	cl_kernel fixed = kernel_make(program, "fixed");
	cl_mem mem = buffer_make(context, 0, 4096 * sizeof(float), NULL);
	CHECK_OK(clSetKernelArg(fixed, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(axpy, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(axpy, 2, 64, NULL));
	CHECK_CODE(clEnqueueNDRangeKernel(queue, axpy, 1, NULL, global, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	TOLD("clEnqueueNDRangeKernel", "axpy", "argument 1 (float4 a)", "never set");
	CHECK_OK(clSetKernelArg(axpy, 1, sizeof(four), four));
	CHECK_CODE(clEnqueueNDRangeKernel(queue, axpy, 4, NULL, global, NULL, 0, NULL, NULL),
		   CL_INVALID_WORK_DIMENSION);
	TOLD("axpy", "work_dim is 4");
	CHECK_CODE(clEnqueueNDRangeKernel(queue, axpy, 1, NULL, global, large, 0, NULL, NULL),
		   CL_INVALID_WORK_ITEM_SIZE);
	TOLD("axpy", "4096 in dimension 0", "1024");
	const size_t many[2] = {512, 4};
	CHECK_CODE(clEnqueueNDRangeKernel(queue, axpy, 2, NULL, global, many, 0, NULL, NULL),
		   CL_INVALID_WORK_GROUP_SIZE);
	CHECK_OK(clGetKernelWorkGroupInfo(axpy, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof(items),
					  &items, NULL));
	char most[64];
	snprintf(most, sizeof(most), "1 to %zu", items);
	TOLD("axpy", "512 x 4", "2048 work-items", most);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, fixed, 2, NULL, global, other, 0, NULL, NULL),
		   CL_INVALID_WORK_GROUP_SIZE);
	TOLD("fixed", "reqd_work_group_size is 16 x 2 x 1", "not 8 x 2");
	CHECK_OK(clEnqueueNDRangeKernel(queue, axpy, 1, NULL, global, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(times == 0);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(fixed));
	CHECK_OK(clReleaseKernel(axpy));
}

/* Work-groups that do not divide, in a program that says it has none such. */
static void test_uniform(cl_context context, cl_device_id device, cl_command_queue queue)
{
	const size_t global = 100, local = 64;
	cl_program program = api_test_build(
		context, device, "kernel void f(global int *p) { p[0] = 1; }", "-cl-std=CL1.2");
	cl_kernel kernel = kernel_make(program, "f");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
		   CL_INVALID_WORK_GROUP_SIZE);
	TOLD("kernel f", "of 64", "100", "uniform");
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

static void test_buffers(cl_context context, cl_device_id device, cl_command_queue queue)
{
	cl_int code;
	cl_ulong most_B = 0;
	char bytes[64] = {0}, number[32];
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B), &most_B,
				 NULL));
	CHECK(!clCreateBuffer(context, 0, (size_t)most_B + 1, NULL, &code));
	CHECK(code == CL_INVALID_BUFFER_SIZE);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)most_B);
	TOLD("clCreateBuffer", number);
	CHECK(!clCreateBuffer(context, 0, 0, NULL, &code) && code == CL_INVALID_BUFFER_SIZE);
	TOLD("clCreateBuffer: 0 bytes");
	cl_mem mem = buffer_make(context, 0, 48, NULL);
	CHECK_CODE(clEnqueueReadBuffer(queue, mem, CL_TRUE, 16, 40, bytes, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	TOLD("clEnqueueReadBuffer", "40 bytes", "offset 16", "48");
	CHECK_CODE(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 64, bytes, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	TOLD("clEnqueueWriteBuffer", "64 bytes", "48");
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 48, bytes, 0, NULL, NULL));
	CHECK(times == 0);
	CHECK_OK(clReleaseMemObject(mem));
}

/* --- command buffers ------------------------------------------------------------------------- */

/* Under the name of the call that was made; and the buffer can be used by who hears of it. */
static void check_changes(cl_command_buffer_khr buffer, cl_mutable_command_khr handle)
{
	const size_t many = 4096;
	const struct mutable_argument small = {1, 4, "abc"}, beyond = {7, 4, "abc"};
	struct mutable_config config = {.command = handle, .num_args = 1, .args = &small};
	used_when_heard = buffer;
	CHECK_CODE(mutable_change(update, buffer, &config), CL_INVALID_ARG_SIZE);
	TOLD("clUpdateMutableCommandsKHR: kernel axpy", "argument 1 (float4 a)", "16 bytes, not 4");
	config.args = &beyond;
	CHECK_CODE(mutable_change(update, buffer, &config), CL_INVALID_ARG_INDEX);
	TOLD("clUpdateMutableCommandsKHR: kernel axpy", "3 arguments", "index 7");
	config = (struct mutable_config){.command = handle, .local = &many};
	CHECK_CODE(mutable_change(update, buffer, &config), CL_INVALID_WORK_ITEM_SIZE);
	TOLD("clUpdateMutableCommandsKHR: kernel axpy", "4096 in dimension 0", "1024");
	used_when_heard = NULL;
}

static void test_command_buffers(cl_context context, cl_command_queue queue, cl_program program)
{
	const command_properties fields[] = {MUTABLE_FIELDS, MUTABLE_LOCAL | MUTABLE_ARGUMENTS, 0};
	const cl_command_buffer_properties_khr flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
							  CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
	const size_t global = 8192, local = 64, many = 4096;
	const float four[4] = {0};
	cl_mutable_command_khr handle = NULL;
	cl_int code;
	cl_kernel axpy = kernel_make(program, "axpy");
	cl_mem mem = buffer_make(context, 0, global * sizeof(float), NULL);
	cl_command_buffer_khr buffer = cb.create(1, &queue, flags, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(axpy, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(axpy, 2, 64, NULL));
	CHECK_CODE(
		cb.launch(buffer, NULL, NULL, axpy, 1, NULL, &global, &local, 0, NULL, NULL, NULL),
		CL_INVALID_KERNEL_ARGS);
	TOLD("clCommandNDRangeKernelKHR: kernel axpy", "argument 1 (float4 a)", "never set");
	CHECK_OK(clSetKernelArg(axpy, 1, sizeof(four), four));
	CHECK_CODE(cb.launch(buffer, NULL, fields, axpy, 1, NULL, &global, &many, 0, NULL, NULL,
			     &handle),
		   CL_INVALID_WORK_ITEM_SIZE);
	TOLD("clCommandNDRangeKernelKHR: kernel axpy", "4096 in dimension 0");
	CHECK_OK(cb.launch(buffer, NULL, fields, axpy, 1, NULL, &global, &local, 0, NULL, NULL,
			   &handle));
	CHECK_OK(cb.finalize(buffer));
	CHECK(times == 0);
	check_changes(buffer, handle);
	CHECK_OK(clFinish(queue));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(axpy));
}

int main(void)
{
	struct api_test test;
	cl_int code;
	if (!api_test_start(&test, "complaints"))
		return API_TEST_SKIP;
	cl_context context = clCreateContext(NULL, 1, &test.device, hear, NULL, &code);
	CHECK_OK(code);
	cl_command_queue queue = queue_make(context, test.device, 0);
	cl_program program = api_test_build(context, test.device, source, "-cl-kernel-arg-info");
	if (program) {
		test_arguments(context, program);
		test_launches(context, queue, program);
		update = mutable_update_find(test.platform);
		if (CHECK(command_buffer_entry_find(test.platform, &cb) && update))
			test_command_buffers(context, queue, program);
		CHECK_OK(clReleaseProgram(program));
	}
	test_uniform(context, test.device, queue);
	test_buffers(context, test.device, queue);
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(context));
	return api_test_end(&test);
}
