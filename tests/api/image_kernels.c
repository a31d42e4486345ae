/* Images and samplers as arguments of kernels: the errors of clSetKernelArg, sampler
 * states that come one after the other, images that several queues and devices use. */
#include "config.h"

#include "tests/api/fixture.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>

static cl_context context;
static cl_device_id device;
static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_format r32ui = {CL_R, CL_UNSIGNED_INT32};

static const char source[] =
	"kernel void sampled(read_only image2d_t image, sampler_t sampler, float x, float y,\n"
	"                    global float4 *out)\n"
	"{ *out = read_imagef(image, sampler, (float2)(x, y)); }\n"
	"kernel void stored(write_only image2d_t image, uint add)\n"
	"{ const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"  write_imageui(image, at, (uint4)(at.x + 100 * at.y + add)); }\n"
	"kernel void loaded(read_only image2d_t image, global uint *out)\n"
	"{ const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"  out[at.x + at.y * get_global_size(0)] = read_imageui(image, at).x; }\n"
	"kernel void line(read_only image1d_buffer_t image, global uint *out)\n"
	"{ const int at = get_global_id(0); out[at] = read_imageui(image, at).x; }\n"
	"kernel void deep(read_only image3d_t image, global uint *out)\n"
	"{ *out = read_imageui(image, (int4)(1, 2, 3, 0)).x; }\n";

static cl_program program;

static cl_mem image_2d(cl_context owner, const cl_image_format *format, cl_mem_flags flags,
		       size_t width, size_t height, void *texels)
{
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width,
				    .image_height = height};
	return image_make(owner, flags, format, &desc, texels);
}

/* --- arguments ------------------------------------------------------------------------ */

static void test_argument_errors(void)
{
	cl_int code;
	cl_kernel sampled = kernel_make(program, "sampled"),
		  stored = kernel_make(program, "stored");
	cl_kernel deep = kernel_make(program, "deep");
	cl_mem image = image_2d(context, &rgba8, CL_MEM_READ_WRITE, 4, 4, NULL);
	cl_mem read = image_2d(context, &rgba8, CL_MEM_READ_ONLY, 4, 4, NULL);
	cl_mem written = image_2d(context, &rgba8, CL_MEM_WRITE_ONLY, 4, 4, NULL);
	cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &code), none = NULL;
	cl_sampler no_sampler = NULL;
	CHECK_OK(code);
	cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP,
					     CL_FILTER_NEAREST, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(sampled, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(sampled, 0, sizeof(read), &read));
	CHECK_OK(clSetKernelArg(sampled, 1, sizeof(sampler), &sampler));
	CHECK_CODE(clSetKernelArg(sampled, 0, 4, &image), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(sampled, 0, sizeof(image), NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(sampled, 0, sizeof(none), &none), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(sampled, 0, sizeof(buffer), &buffer), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(sampled, 4, sizeof(image), &image), CL_INVALID_MEM_OBJECT);
	/* OpenCL 3.0 API, 5.9.2: access qualifiers and flags. */
	CHECK_CODE(clSetKernelArg(sampled, 0, sizeof(written), &written), CL_INVALID_ARG_VALUE);
	CHECK_CODE(clSetKernelArg(stored, 0, sizeof(read), &read), CL_INVALID_ARG_VALUE);
	CHECK_CODE(clSetKernelArg(deep, 0, sizeof(image), &image), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clSetKernelArg(sampled, 1, 4, &sampler), CL_INVALID_ARG_SIZE);
	CHECK_CODE(clSetKernelArg(sampled, 1, sizeof(sampler), NULL), CL_INVALID_SAMPLER);
	CHECK_CODE(clSetKernelArg(sampled, 1, sizeof(no_sampler), &no_sampler),
		   CL_INVALID_SAMPLER);
	CHECK_CODE(clSetKernelArg(sampled, 1, sizeof(image), &image), CL_INVALID_SAMPLER);
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(read));
	CHECK_OK(clReleaseMemObject(written));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseKernel(sampled));
	CHECK_OK(clReleaseKernel(stored));
	CHECK_OK(clReleaseKernel(deep));
}

static void test_argument_info(void)
{
	cl_kernel sampled = kernel_make(program, "sampled"),
		  stored = kernel_make(program, "stored");
	cl_kernel_arg_access_qualifier access = 0;
	char name[32] = "";
	CHECK_OK(clGetKernelArgInfo(sampled, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access),
				    &access, NULL));
	CHECK(access == CL_KERNEL_ARG_ACCESS_READ_ONLY);
	CHECK_OK(clGetKernelArgInfo(stored, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access),
				    &access, NULL));
	CHECK(access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
	CHECK_OK(clGetKernelArgInfo(stored, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access),
				    &access, NULL));
	CHECK(access == CL_KERNEL_ARG_ACCESS_NONE);
	CHECK_OK(clGetKernelArgInfo(sampled, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof(name), name, NULL));
	CHECK(!strcmp(name, "image2d_t"));
	CHECK_OK(clGetKernelArgInfo(sampled, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof(name), name, NULL));
	CHECK(!strcmp(name, "sampler_t"));
	CHECK_OK(clReleaseKernel(sampled));
	CHECK_OK(clReleaseKernel(stored));
}

/* --- samplers ------------------------------------------------------------------------- */

/* Two texels, 0 and 1: what each sampler reads at x (OpenCL C 3.0, 8.2). */
struct reading {
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	float x, expected;
};

static const struct reading readings[] = {
	{CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, 1.5F, 1},
	{CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, 9, 1},
	{CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 9, 0},
	{CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 1.75F, 1},
	{CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 2.25F, 0},
	{CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 1.25F, 1},
	{CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 1.75F, 0},
	{CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 0.5F, 0.5F},
	{CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, 2, 0.5F},
	{CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, 1, 1},
};
enum { READINGS = 10 };

static void test_samplers(void)
{
	const unsigned char texels[8] = {0, 0, 0, 0, 255, 255, 255, 255};
	const size_t one = 1;
	const float y = 0.5F;
	cl_int code;
	cl_command_queue queues[2];
	cl_kernel kernel = kernel_make(program, "sampled");
	cl_mem image = image_2d(context, &rgba8, CL_MEM_COPY_HOST_PTR, 2, 1, (void *)texels);
	cl_mem out = buffer_make(context, 0, READINGS * 256 * 16, NULL);
	for (unsigned i = 0; i < 2; i++) {
		queues[i] = queue_make(context, device, 0);
	}
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(kernel, 3, sizeof(y), &y));
	/* In two queues, without waiting between: each needs another state of the image. */
	for (unsigned i = 0; i < 3 * READINGS; i++) {
		const struct reading *reading = &readings[i % READINGS];
		const cl_buffer_region place = {i * 512, 16};
		cl_mem part = sub_buffer_make(out, 0, &place);
		cl_sampler sampler = clCreateSampler(context, reading->normalized,
						     reading->addressing, reading->filter, &code);
		CHECK_OK(code);
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
		CHECK_OK(clSetKernelArg(kernel, 2, sizeof(float), &reading->x));
		CHECK_OK(clSetKernelArg(kernel, 4, sizeof(part), &part));
		launch_1d(queues[i & 1], kernel, one);
		/* The kernel has the value, and needs the object no more. */
		CHECK_OK(clReleaseSampler(sampler));
		CHECK_OK(clReleaseMemObject(part));
	}
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clFinish(queues[i]));
	for (unsigned i = 0; i < 3 * READINGS; i++) {
		float value[4] = {77, 77, 77, 77};
		CHECK_OK(clEnqueueReadBuffer(queues[0], out, CL_TRUE, i * 512, 16, value, 0, NULL,
					     NULL));
		/* How exact a linear filter is the specification leaves open (OpenCL C 3.0,
		 * 8.2); GPUs weigh in steps of 1/256. */
		const float least = readings[i % READINGS].filter == CL_FILTER_LINEAR ? 1 / 256.0F
										      : 0;
		if (!CHECK(fabsf(value[0] - readings[i % READINGS].expected) <= least))
			printf("  reading %u: %g\n", i % READINGS, value[0]);
	}
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseKernel(kernel));
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
}

/* --- writing and reading -------------------------------------------------------------- */

enum { WIDTH = 13, HEIGHT = 5 };

static void check_loaded(cl_context owner, cl_command_queue queue, cl_program of, cl_mem image,
			 uint32_t add)
{
	static uint32_t back[WIDTH * HEIGHT];
	const size_t size[2] = {WIDTH, HEIGHT};
	cl_kernel loaded = kernel_make(of, "loaded");
	cl_mem out = buffer_make(owner, 0, sizeof(back), NULL);
	CHECK_OK(clSetKernelArg(loaded, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(loaded, 1, sizeof(out), &out));
	CHECK_OK(clEnqueueNDRangeKernel(queue, loaded, 2, NULL, size, NULL, 0, NULL, NULL));
	buffer_read(queue, out, back, sizeof(back));
	bool good = true;
	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++)
			good &= back[y * WIDTH + x] == x + 100 * y + add;
	CHECK(good);
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseKernel(loaded));
}

static void store(cl_command_queue queue, cl_program of, cl_mem image, uint32_t add)
{
	const size_t size[2] = {WIDTH, HEIGHT};
	cl_kernel stored = kernel_make(of, "stored");
	CHECK_OK(clSetKernelArg(stored, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(stored, 1, sizeof(add), &add));
	CHECK_OK(clEnqueueNDRangeKernel(queue, stored, 2, NULL, size, NULL, 0, NULL, NULL));
	CHECK_OK(clReleaseKernel(stored));
}

static void test_store(void)
{
	static uint32_t back[WIDTH * HEIGHT];
	const size_t zero[3] = {0}, size[3] = {WIDTH, HEIGHT, 1};
	cl_command_queue queue = queue_make(context, device, 0);
	cl_mem image = image_2d(context, &r32ui, CL_MEM_READ_WRITE, WIDTH, HEIGHT, NULL);
	store(queue, program, image, 7);
	check_loaded(context, queue, program, image, 7);
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, size, 0, 0, back, 0, NULL, NULL));
	CHECK(back[2 * WIDTH + 3] == 210);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* In the memory of buffers. */
static void test_linear(void)
{
	uint32_t words[64], back[64];
	const size_t count = 32;
	cl_uint pitch = 0;
	cl_command_queue queue = queue_make(context, device, 0);
	for (uint32_t i = 0; i < 64; i++)
		words[i] = i * 1000003;
	cl_mem buffer = buffer_make(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem out = buffer_make(context, 0, sizeof(words), NULL);
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = count,
			      .mem_object = buffer};
	cl_mem image = image_make(context, 0, &r32ui, &desc, NULL);
	cl_kernel line = kernel_make(program, "line");
	CHECK_OK(clSetKernelArg(line, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(line, 1, sizeof(out), &out));
	launch_1d(queue, line, count);
	buffer_read(queue, out, back, count * 4);
	CHECK(!memcmp(words, back, count * 4));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseKernel(line));
	/* What is written by way of the image lies in the buffer's rows. */
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(pitch), &pitch,
				 NULL));
	const size_t row = 4 * (size_t)pitch;
	buffer = buffer_make(context, 0, row * HEIGHT, NULL);
	desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH,
			       .image_height = HEIGHT, .image_row_pitch = row,
			       .mem_object = buffer};
	image = image_make(context, 0, &r32ui, &desc, NULL);
	store(queue, program, image, 3);
	check_loaded(context, queue, program, image, 3);
	CHECK_OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4 * row, 4 * WIDTH, back, 0, NULL,
				     NULL));
	CHECK(back[0] == 403 && back[12] == 415);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* What one device's kernel wrote another one's reads. */
static void test_devices(const struct api_test *test)
{
	cl_command_queue queues[2];
	if (test->device_count < 2)
		return;
	cl_context both = context_make(2, test->devices);
	cl_program of = api_test_build(both, test->devices[0], source, "-cl-kernel-arg-info");
	cl_mem image = image_2d(both, &r32ui, CL_MEM_READ_WRITE, WIDTH, HEIGHT, NULL);
	for (unsigned i = 0; i < 2; i++) {
		queues[i] = queue_make(both, test->devices[i], 0);
	}
	for (uint32_t i = 0; i < 6; i++) {
		store(queues[i & 1], of, image, i);
		CHECK_OK(clFinish(queues[i & 1]));
		check_loaded(both, queues[~i & 1], of, image, i);
	}
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseProgram(of));
	CHECK_OK(clReleaseContext(both));
}

/* Images that are let go while kernels use them. */
static void test_release(void)
{
	cl_command_queue queue = queue_make(context, device, 0);
	for (uint32_t i = 0; i < 40; i++) {
		cl_mem image = image_2d(context, &r32ui, CL_MEM_READ_WRITE, WIDTH, HEIGHT, NULL);
		store(queue, program, image, i);
		CHECK_OK(clReleaseMemObject(image));
	}
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* --- what images cost ------------------------------------------------------------------------ */

static uint64_t (*calls)(const char *pattern);

struct costs {
	uint64_t storage, handles; /* calls that make memory, and what kernels know images by */
};

static struct costs costs_now(void)
{
	return (struct costs){
		calls("cuArray*Create*") + calls("cuMemAlloc*") + calls("cuMemHostAlloc*"),
		calls("cuTexObjectCreate") + calls("cuSurfObjectCreate"),
	};
}

/* An array is all that an image costs, also one that the host writes, until a kernel has
 * it; then it is one handle, of the kind that the kernel uses. */
static void test_costs(void)
{
	static const size_t origin[3] = {0, 0, 0}, region[3] = {8, HEIGHT, 1};
	static const cl_uint texels[64] = {7};
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "culvert_soft_calls") : NULL;
	if (!symbol)
		return;
	memcpy(&calls, &symbol, sizeof(calls));
	cl_context alone = context_make(1, &device);
	cl_command_queue queue = queue_make(alone, device, 0);
	cl_program of = api_test_build(alone, device, source, NULL);
	const struct costs before = costs_now();
	cl_mem image = image_2d(alone, &r32ui, CL_MEM_READ_WRITE, WIDTH, HEIGHT, NULL);
	const struct costs made = costs_now();
	CHECK(made.storage <= before.storage + 1 && made.handles == before.handles);
	CHECK_OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL,
				     NULL));
	CHECK_OK(clFinish(queue));
	CHECK(costs_now().handles == before.handles);
	store(queue, of, image, 1);
	store(queue, of, image, 2);
	CHECK_OK(clFinish(queue));
	CHECK(costs_now().handles == before.handles + 1);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseProgram(of));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseContext(alone));
}

int main(void)
{
	struct api_test test;
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "image_kernels"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	program = api_test_build(context, device, source, "-cl-kernel-arg-info");
	if (program) {
		test_argument_errors();
		test_argument_info();
		test_samplers();
		test_store();
		test_linear();
		test_devices(&test);
		test_release();
		test_costs();
		CHECK_OK(clReleaseProgram(program));
	}
	return api_test_end(&test);
}
