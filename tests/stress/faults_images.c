#include "config.h"

#include "tests/stress/faults.h"

#include <string.h>

enum { WIDTH = 16, HEIGHT = 8, TEXEL_B = 16, IMAGE_B = WIDTH * HEIGHT * TEXEL_B };

static const size_t origin[3] = {0}, whole[3] = {WIDTH, HEIGHT, 1}, half[3] = {WIDTH / 2, HEIGHT, 1};

static cl_mem image_make(struct faults_run *run, cl_mem_flags flags, void *host)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH,
				    .image_height = HEIGHT};
	cl_int code = 12345;
	cl_mem image = clCreateImage(run->context, flags, &format, &desc, host, &code);
	NOTE(clCreateImage, code);
	WRONG_UNLESS((image != NULL) == (code == CL_SUCCESS));
	return image;
}

/* A 2D array of the same texels in a buffer. */
static cl_mem array_of(struct faults_run *run, cl_mem buffer)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = WIDTH,
				    .image_height = HEIGHT / 2, .image_array_size = 2, .mem_object = buffer};
	cl_int code = 12345;
	cl_mem image = clCreateImage(run->context, 0, &format, &desc, NULL, &code);
	NOTE(clCreateImage, code);
	WRONG_UNLESS((image != NULL) == (code == CL_SUCCESS));
	return image;
}

static void drop(struct faults_run *run, cl_mem mem)
{
	if (mem)
		TRY(clReleaseMemObject(mem));
}

/* One value for all texels, unless something said that it went wrong. */
static void check(struct faults_run *run, const float *texels, float expected, int line)
{
	for (unsigned i = 0; i < IMAGE_B / 4 && !run->errors; i++) {
		if (texels[i] == expected)
			continue;
		faults_wrong(run, "texels", line);
		return;
	}
}

static void work_transfers(struct faults_run *run, cl_command_queue queue, cl_mem image,
			   cl_mem other)
{
	static float texels[IMAGE_B / 4];
	const float two[4] = {2, 2, 2, 2};
	size_t row_B = 0;
	cl_int code = 12345;
	for (unsigned i = 0; i < IMAGE_B / 4; i++)
		texels[i] = 1;
	TRY(clEnqueueWriteImage(queue, image, CL_TRUE, origin, whole, 0, 0, texels, 0, NULL, NULL));
	TRY(clEnqueueFillImage(queue, image, two, origin, half, 0, NULL, NULL));
	TRY(clEnqueueCopyImage(queue, image, other, origin, origin, half, 0, NULL, NULL));
	float *mapped = clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_WRITE, origin, whole,
					  &row_B, NULL, 0, NULL, NULL, &code);
	if (!NOTE(clEnqueueMapImage, code)) {
		for (unsigned y = 0; y < HEIGHT; y++)
			for (unsigned i = 0; i < WIDTH * 4; i++)
				mapped[y * row_B / 4 + i] = 3;
		TRY(clEnqueueUnmapMemObject(queue, other, mapped, 0, NULL, NULL));
	}
	TRY(clEnqueueReadImage(queue, other, CL_TRUE, origin, whole, 0, 0, texels, 0, NULL, NULL));
	check(run, texels, 3, __LINE__);
}

/* image becomes the double of other. */
static void work_kernel(struct faults_run *run, cl_command_queue queue, cl_program program,
			cl_mem image, cl_mem other)
{
	static float texels[IMAGE_B / 4];
	const size_t size[2] = {WIDTH, HEIGHT};
	cl_int code = 12345;
	cl_kernel kernel = clCreateKernel(program, "doubled", &code);
	if (NOTE(clCreateKernel, code))
		return;
	cl_sampler sampler = clCreateSampler(run->context, CL_FALSE, CL_ADDRESS_CLAMP,
					     CL_FILTER_NEAREST, &code);
	if (!NOTE(clCreateSampler, code)) {
		TRY(clSetKernelArg(kernel, 0, sizeof(other), &other));
		TRY(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
		TRY(clSetKernelArg(kernel, 2, sizeof(image), &image));
		TRY(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
		TRY(clReleaseSampler(sampler));
	}
	TRY(clEnqueueReadImage(queue, image, CL_TRUE, origin, whole, 0, 0, texels, 0, NULL, NULL));
	check(run, texels, 6, __LINE__);
	TRY(clReleaseKernel(kernel));
}

static void work_layers(struct faults_run *run, cl_command_queue queue, cl_program program, const char *name,
			cl_mem image, cl_mem out)
{
	const size_t size[3] = {WIDTH, HEIGHT / 2, 2};
	cl_int code = 12345;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	if (NOTE(clCreateKernel, code))
		return;
	TRY(clSetKernelArg(kernel, 0, sizeof(image), &image));
	if (out)
		TRY(clSetKernelArg(kernel, 1, sizeof(out), &out));
	TRY(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, size, NULL, 0, NULL, NULL));
	TRY(clReleaseKernel(kernel));
}

/* One kernel writes all texels, and another one puts their doubles, which are expected, into out. */
static void work_twice(struct faults_run *run, cl_command_queue queue, cl_program program, cl_mem image, cl_mem out,
		       float expected)
{
	static float texels[IMAGE_B / 4];
	work_layers(run, queue, program, "layers_put", image, NULL);
	work_layers(run, queue, program, "layers_double", image, out);
	TRY(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, IMAGE_B, texels, 0, NULL, NULL));
	check(run, texels, expected, __LINE__);
}

/* Kernels use the array of a buffer through its mirror: one writes all texels, one takes their doubles. */
static void work_mirror(struct faults_run *run, cl_command_queue queue, cl_program program)
{
	static float texels[IMAGE_B / 4];
	cl_int code = 12345;
	cl_mem buffer = clCreateBuffer(run->context, 0, 2 * IMAGE_B, NULL, &code);
	if (NOTE(clCreateBuffer, code))
		return;
	cl_mem image = array_of(run, buffer);
	cl_mem out = clCreateBuffer(run->context, 0, IMAGE_B, NULL, &code);
	NOTE(clCreateBuffer, code);
	if (image && out) {
		work_twice(run, queue, program, image, out, 10);
		TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, IMAGE_B, texels, 0, NULL, NULL));
		check(run, texels, 5, __LINE__);
	}
	drop(run, image);
	drop(run, out);
	drop(run, buffer);
}

/* A packed image, which kernels use as floats: 5-6-5 bits of what the first one writes, 5, are all ones. */
static void work_packed(struct faults_run *run, cl_command_queue queue, cl_program program)
{
	static unsigned short words[WIDTH * HEIGHT];
	static const size_t layers[3] = {WIDTH, HEIGHT / 2, 2};
	const cl_image_format format = {CL_RGB, CL_UNORM_SHORT_565};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = WIDTH,
				    .image_height = HEIGHT / 2, .image_array_size = 2};
	cl_int code = 12345;
	cl_mem image = clCreateImage(run->context, CL_MEM_COPY_HOST_PTR, &format, &desc, words, &code);
	NOTE(clCreateImage, code);
	cl_mem out = clCreateBuffer(run->context, 0, IMAGE_B, NULL, &code);
	NOTE(clCreateBuffer, code);
	if (image && out) {
		work_twice(run, queue, program, image, out, 2);
		TRY(clEnqueueReadImage(queue, image, CL_TRUE, origin, layers, 0, 0, words, 0, NULL, NULL));
		WRONG_UNLESS(run->errors || words[7] == 0xFFFF);
	}
	drop(run, image);
	drop(run, out);
}

/* The levels of a mipmapped array, of which kernels write and read the first. */
static void work_levels(struct faults_run *run, cl_command_queue queue, cl_program program)
{
	static float texels[IMAGE_B / 4];
	static const size_t level_0[4] = {0}, level_1[4] = {0, 0, 0, 1}, part[3] = {WIDTH / 2, HEIGHT / 4, 2};
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = WIDTH,
				    .image_height = HEIGHT / 2, .image_array_size = 2, .num_mip_levels = 3};
	const float seven[4] = {7, 7, 7, 7};
	cl_int code = 12345;
	cl_mem image = clCreateImage(run->context, 0, &format, &desc, NULL, &code);
	NOTE(clCreateImage, code);
	cl_mem out = clCreateBuffer(run->context, 0, IMAGE_B, NULL, &code);
	NOTE(clCreateBuffer, code);
	if (image && out) {
		TRY(clEnqueueFillImage(queue, image, seven, level_1, part, 0, NULL, NULL));
		work_twice(run, queue, program, image, out, 10);
		TRY(clEnqueueReadImage(queue, image, CL_TRUE, level_1, part, 0, 0, texels, 0, NULL, NULL));
		WRONG_UNLESS(run->errors || texels[5] == 7);
		TRY(clEnqueueCopyImage(queue, image, image, level_1, level_0, part, 0, NULL, NULL));
		TRY(clEnqueueReadImage(queue, image, CL_TRUE, level_0, part, 0, 0, texels, 0, NULL, NULL));
		WRONG_UNLESS(run->errors || texels[5] == 7);
	}
	drop(run, image);
	drop(run, out);
}

void faults_images(struct faults_run *run, cl_command_queue queue, cl_program program)
{
	static float texels[IMAGE_B / 4];
	cl_mem image = image_make(run, 0, NULL);
	cl_mem other = image_make(run, CL_MEM_COPY_HOST_PTR, texels);
	if (queue && image && other) {
		work_transfers(run, queue, image, other);
		if (program)
			work_kernel(run, queue, program, image, other);
	}
	drop(run, image);
	drop(run, other);
	if (queue && program) {
		work_mirror(run, queue, program);
		work_packed(run, queue, program);
		work_levels(run, queue, program);
	}
}
