/* Many threads: on one queue, on several, over events, with callbacks; that build one program. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char source[] =
"kernel void next(global uint *c) { c[get_global_id(0)] += 1; }\n"
"kernel void sampled(read_only image2d_t image, sampler_t sampler, global float *out)\n"
"{ *out = read_imagef(image, sampler, (float2)(0.5f, 0.5f)).x; }\n";

enum { COUNT = 256, THREADS = 8, ROUNDS = 60 };

static cl_context context;
static cl_device_id device;
static cl_command_queue shared;
static cl_program program;
static atomic_int called;

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
	(void)event;
	(void)data;
	if (status == CL_COMPLETE)
		atomic_fetch_add(&called, 1);
}

/* Each thread has a buffer and a kernel of its own; every call is one of a mix. */
static void *work(void *data)
{
	cl_command_queue queue = data ? data : queue_make(context, device, 0);
	cl_uint words[COUNT] = {0};
	const size_t global = COUNT;
	cl_int code;
	bool good = true;
	cl_kernel kernel = clCreateKernel(program, "next", &code);
	good &= !code;
	cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words, &code);
	good &= !code;
	good &= !clSetKernelArg(kernel, 0, sizeof(mem), &mem);
	for (unsigned i = 0; i < ROUNDS; i++) {
		cl_event event, user = NULL;
		if (i % 7 == 3)
			user = clCreateUserEvent(context, &code);
		good &= !clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, user != NULL,
						user ? &user : NULL, &event);
		if (i % 5 == 0)
			good &= !clSetEventCallback(event, CL_COMPLETE, count_call, NULL);
		if (user) {
			good &= !clSetUserEventStatus(user, CL_COMPLETE);
			good &= !clReleaseEvent(user);
		}
		if (i % 3 == 0) {
			good &= !clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(words), words,
						     1, &event, NULL);
			good &= words[0] == i + 1 && words[COUNT - 1] == i + 1;
		}
		if (i % 11 == 0)
			good &= !clFinish(queue);
		good &= !clReleaseEvent(event);
	}
	good &= !clReleaseMemObject(mem);
	good &= !clReleaseKernel(kernel);
	if (!data)
		good &= !clReleaseCommandQueue(queue);
	return good ? NULL : (void *)"failed";
}

/* One image that all threads read, each time with another sampler, and one of their own
 * that comes and goes. */
static void *work_images(void *data)
{
	static const cl_addressing_mode addressings[] = {CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
							 CL_ADDRESS_CLAMP_TO_EDGE};
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4,
				    .image_height = 4};
	const size_t zero[3] = {0}, whole[3] = {4, 4, 1}, one = 1;
	cl_command_queue queue = queue_make(context, device, 0);
	float texels[16], got = 77;
	cl_int code;
	bool good = true;
	for (unsigned i = 0; i < 16; i++)
		texels[i] = 3;
	cl_kernel kernel = clCreateKernel(program, "sampled", &code);
	good &= !code;
	cl_mem out = clCreateBuffer(context, 0, sizeof(got), NULL, &code);
	good &= !code && !clSetKernelArg(kernel, 2, sizeof(out), &out);
	for (unsigned i = 0; i < ROUNDS && good; i++) {
		cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &code);
		good &= !code;
		cl_sampler sampler = clCreateSampler(context, CL_TRUE, addressings[i % 3],
						     i & 1 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
						     &code);
		good &= !code;
		good &= !clEnqueueWriteImage(queue, image, CL_FALSE, zero, whole, 0, 0, texels, 0,
					     NULL, NULL);
		good &= !clSetKernelArg(kernel, 0, sizeof(image), i & 2 ? (cl_mem *)data : &image);
		good &= !clSetKernelArg(kernel, 1, sizeof(sampler), &sampler);
		good &= !clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
		good &= !clReleaseSampler(sampler);
		good &= !clReleaseMemObject(image);
		if (i % 4 == 3)
			continue;
		good &= !clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), &got, 0, NULL,
					     NULL);
		good &= got == (i & 2 ? 5 : 3);
	}
	good &= !clFinish(queue);
	good &= !clReleaseMemObject(out);
	good &= !clReleaseKernel(kernel);
	good &= !clReleaseCommandQueue(queue);
	return good ? NULL : (void *)"failed";
}

static void run(void *(*start)(void *), void *data)
{
	pthread_t threads[THREADS];
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, start, data))
			exit(1);
	for (unsigned i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		CHECK(!failed);
	}
}

static void test_images(void)
{
	const cl_image_format format = {CL_R, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4,
				    .image_height = 4};
	float texels[16];
	for (unsigned i = 0; i < 16; i++)
		texels[i] = 5;
	cl_mem image = image_make(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels);
	run(work_images, &image);
	CHECK_OK(clReleaseMemObject(image));
}

/* OpenCL 3.0 API, 5.8.4: CL_INVALID_OPERATION while another build has not ended.  What the program was made from is
 * there all the time. */
static void *work_builds(void *data)
{
	bool good = true;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const cl_int code = clBuildProgram(data, 1, &device, "", NULL, NULL);
		good &= code == CL_SUCCESS || code == CL_INVALID_OPERATION;
	}
	return good ? NULL : (void *)"failed";
}

static void test_builds_of_a_binary(void)
{
	size_t size_B = 0;
	unsigned char *binary = NULL;
	cl_int code;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	binary = malloc(size_B ? size_B : 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	cl_program made = clCreateProgramWithBinary(context, 1, &device, &size_B,
						    (const unsigned char **)&binary, NULL, &code);
	CHECK_OK(code);
	run(work_builds, made);
	CHECK_OK(clBuildProgram(made, 1, &device, "", NULL, NULL));
	CHECK_OK(clReleaseProgram(made));
	free(binary);
}

static void test_callbacks_all(void)
{
	const int expected = 2 * THREADS * (ROUNDS / 5);
	for (unsigned i = 0; i < 50000 && atomic_load(&called) < expected; i++)
		usleep(100);
	CHECK(atomic_load(&called) == expected);
}

/* A chain of events over the threads' queues: each adds its one. */
static cl_mem chain_mem;
static cl_kernel chain_kernels[THREADS];

static void test_chain(void)
{
	cl_command_queue queues[THREADS];
	cl_uint words[COUNT] = {0};
	const size_t global = COUNT;
	cl_int code;
	chain_mem = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_event last = clCreateUserEvent(context, &code), first = last;
	CHECK_OK(clRetainEvent(first));
	for (unsigned i = 0; i < THREADS; i++) {
		queues[i] = queue_make(context, device, 0);
		chain_kernels[i] = clCreateKernel(program, "next", &code);
		CHECK_OK(clSetKernelArg(chain_kernels[i], 0, sizeof(chain_mem), &chain_mem));
	}
	for (unsigned i = 0; i < 100 * THREADS; i++) {
		cl_event event;
		launch_1d_after(queues[i % THREADS], chain_kernels[i % THREADS], global, 1, &last,
				&event);
		CHECK_OK(clReleaseEvent(last));
		last = event;
	}
	CHECK_OK(clSetUserEventStatus(first, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(first));
	CHECK_OK(clEnqueueReadBuffer(queues[0], chain_mem, CL_TRUE, 0, sizeof(words), words, 1,
				     &last, NULL));
	CHECK(words[0] == 100 * THREADS && words[COUNT - 1] == 100 * THREADS);
	CHECK_OK(clReleaseEvent(last));
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK_OK(clReleaseCommandQueue(queues[i]));
		CHECK_OK(clReleaseKernel(chain_kernels[i]));
	}
	CHECK_OK(clReleaseMemObject(chain_mem));
}

/* One sets, some wait, some fail the rest: many interleavings of a command with two
 * dependencies of which one fails. */
static cl_event pair[2];

static void *set_one(void *data)
{
	(void)clSetUserEventStatus(pair[data != NULL], data ? -9 : CL_COMPLETE);
	return NULL;
}

static void test_race_of_failures(void)
{
	for (unsigned i = 0; i < 300; i++) {
		pthread_t threads[2];
		cl_event event, next;
		cl_int code;
		pair[0] = clCreateUserEvent(context, &code);
		pair[1] = clCreateUserEvent(context, &code);
		CHECK_OK(clEnqueueMarkerWithWaitList(shared, 2, pair, &event));
		CHECK_OK(clEnqueueMarkerWithWaitList(shared, 1, &event, &next));
		if (pthread_create(&threads[0], NULL, set_one, NULL) ||
		    pthread_create(&threads[1], NULL, set_one, pair))
			exit(1);
		CHECK_CODE(clWaitForEvents(1, &next), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		CHECK_OK(clReleaseEvent(event));
		CHECK_OK(clReleaseEvent(next));
		CHECK_OK(clReleaseEvent(pair[0]));
		CHECK_OK(clReleaseEvent(pair[1]));
	}
	CHECK_OK(clFinish(shared));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "threads"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	shared = queue_make(context, device, 0);
	program = api_test_build(context, device, source, "");
	if (program) {
		run(work, NULL);
		run(work, shared);
		test_callbacks_all();
		test_images();
		test_chain();
		test_builds_of_a_binary();
		CHECK_OK(clReleaseProgram(program));
	}
	test_race_of_failures();
	CHECK_OK(clReleaseCommandQueue(shared));
	return api_test_end(&test);
}
