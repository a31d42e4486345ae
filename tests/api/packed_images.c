/* Protects: images of packed formats that CUDA's arrays lack, which kernels use as floats (icd/memory/image_mirror.h):
 * what a kernel reads and writes, between writes of the host with pitches of its own, maps, and kernels of another
 * device. tests/kernels/image_packed_words.clt has the values, tests/api/image_transfers the other commands. */
#include "config.h"

#include "tests/api/fixture.h"

#include <math.h>
#include <stdint.h>

enum { WIDTH = 5, HEIGHT = 4, LAYERS = 3, ROW = 7, SLICE = 5 * ROW, WORDS = LAYERS * SLICE };

static struct api_test test;
static const cl_image_format format = {CL_RGB, CL_UNORM_SHORT_565};
static const size_t zero[3] = {0, 0, 0}, whole[3] = {WIDTH, HEIGHT, LAYERS};

static const char source[] =
	"#define AT (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0)\n"
	"#define N (get_global_id(0) + 5 * (get_global_id(1) + 4 * get_global_id(2)))\n"
	"kernel void get(read_only image2d_array_t from, global float4 *to) { to[N] = read_imagef(from, AT); }\n"
	"kernel void put(write_only image2d_array_t to, float add)\n"
	"{ write_imagef(to, AT, (float4)(N / 60.0f, 1 - N / 60.0f, add, 0.3f)); }\n"
	"kernel void both(read_write image2d_array_t to) { write_imagef(to, AT, read_imagef(to, AT)); }\n";

/* The image of a context, and the words that it has, with the pitches of its host memory. */
struct world {
	cl_context context;
	cl_program program;
	cl_command_queue queues[2];
	cl_mem image, out;
	cl_kernel get, put;
	uint16_t words[WORDS];
};

static uint16_t *word_of(struct world *world, unsigned n)
{
	return &world->words[n % WIDTH + n / WIDTH % HEIGHT * ROW + n / (WIDTH * HEIGHT) * SLICE];
}

static unsigned bits_of(float value, float most)
{
	return (unsigned)rintf(value * most);
}

static void put(struct world *world, unsigned queue, float add)
{
	CHECK_OK(clSetKernelArg(world->put, 1, sizeof(add), &add));
	CHECK_OK(clEnqueueNDRangeKernel(world->queues[queue], world->put, 3, NULL, whole, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(world->queues[queue]));
	for (unsigned n = 0; n < WIDTH * HEIGHT * LAYERS; n++)
		*word_of(world, n) = (uint16_t)(bits_of((float)n / 60.0F, 31) << 11 |
						bits_of(1 - (float)n / 60.0F, 63) << 5 | bits_of(add, 31));
}

/* What a kernel reads: also what another one wrote is rounded. */
static void expect(struct world *world, unsigned queue)
{
	static float colors[WIDTH * HEIGHT * LAYERS][4];
	bool good = true;
	CHECK_OK(clEnqueueNDRangeKernel(world->queues[queue], world->get, 3, NULL, whole, NULL, 0, NULL, NULL));
	buffer_read(world->queues[queue], world->out, colors, sizeof(colors));
	for (unsigned n = 0; n < WIDTH * HEIGHT * LAYERS; n++) {
		const uint16_t word = *word_of(world, n);
		good &= colors[n][0] == (float)(word >> 11) / 31 && colors[n][1] == (float)(word >> 5 & 63) / 63 &&
			colors[n][2] == (float)(word & 31) / 31 && colors[n][3] == 1;
	}
	CHECK(good);
}

static void map_write(struct world *world, unsigned queue)
{
	static const size_t origin[3] = {1, 1, 1}, region[3] = {3, 2, 2};
	size_t row_B = 0, slice_B = 0;
	cl_int code;
	unsigned char *mapped = clEnqueueMapImage(world->queues[queue], world->image, CL_TRUE, CL_MAP_WRITE, origin,
						  region, &row_B, &slice_B, 0, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	for (unsigned z = 0; z < 2; z++)
		for (unsigned y = 0; y < 2; y++)
			for (unsigned x = 0; x < 3; x++) {
				const uint16_t word = (uint16_t)(x * 12345 + y * 777 + z * 33333 + 7);
				memcpy(mapped + z * slice_B + y * row_B + 2 * x, &word, 2);
				world->words[x + 1 + (y + 1) * ROW + (z + 1) * SLICE] = word;
			}
	CHECK_OK(clEnqueueUnmapMemObject(world->queues[queue], world->image, mapped, 0, NULL, NULL));
	CHECK_OK(clFinish(world->queues[queue]));
}

static bool world_start(struct world *world, unsigned devices, cl_mem_flags flags, uint16_t *host)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = WIDTH, .image_height = HEIGHT,
		.image_array_size = LAYERS, .image_row_pitch = 2 * ROW, .image_slice_pitch = 2 * SLICE,
	};
	world->context = context_make(devices, test.devices);
	/* The processor's quotients are rounded correctly, and a GPU's are not by default. */
	world->program = api_test_build(world->context, test.devices[0], source,
					"-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt");
	if (!CHECK(world->program))
		return false;
	for (unsigned i = 0; i < 2; i++)
		world->queues[i] = queue_make(world->context, test.devices[i % devices], 0);
	for (unsigned i = 0; i < WORDS; i++)
		host[i] = world->words[i] = (uint16_t)(i * 40503);
	world->image = image_make(world->context, flags, &format, &desc, host);
	world->out = buffer_make(world->context, 0, WIDTH * HEIGHT * LAYERS * 16, NULL);
	world->get = kernel_make(world->program, "get");
	world->put = kernel_make(world->program, "put");
	CHECK_OK(clSetKernelArg(world->get, 0, sizeof(cl_mem), &world->image));
	CHECK_OK(clSetKernelArg(world->get, 1, sizeof(cl_mem), &world->out));
	CHECK_OK(clSetKernelArg(world->put, 0, sizeof(cl_mem), &world->image));
	return true;
}

static void world_end(struct world *world)
{
	CHECK_OK(clReleaseKernel(world->get));
	CHECK_OK(clReleaseKernel(world->put));
	CHECK_OK(clReleaseMemObject(world->image));
	CHECK_OK(clReleaseMemObject(world->out));
	CHECK_OK(clReleaseProgram(world->program));
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(world->queues[i]));
	CHECK_OK(clReleaseContext(world->context));
}

static void test_image(unsigned devices, cl_mem_flags flags)
{
	static uint16_t host[WORDS], back[WIDTH * HEIGHT * LAYERS];
	struct world world;
	bool good = true;
	if (!world_start(&world, devices, flags, host))
		return;
	for (unsigned round = 0; round < 4; round++) {
		expect(&world, round & 1);
		put(&world, round >> 1, (float)round / 3);
		expect(&world, ~round & 1);
		map_write(&world, round & 1);
	}
	CHECK_OK(clEnqueueReadImage(world.queues[0], world.image, CL_TRUE, zero, whole, 0, 0, back, 0, NULL, NULL));
	for (unsigned n = 0; n < WIDTH * HEIGHT * LAYERS; n++)
		good &= back[n] == *word_of(&world, n);
	CHECK(good);
	world_end(&world);
}

/* --- both reading and writing ------------------------------------------------------------------ */

static bool lists(cl_mem_flags flags, cl_channel_type type)
{
	cl_image_format formats[256];
	cl_uint count = 0;
	CHECK_OK(clGetSupportedImageFormats(test.context, flags, CL_MEM_OBJECT_IMAGE2D_ARRAY, 256, formats, &count));
	for (cl_uint i = 0; i < count; i++)
		if (formats[i].image_channel_data_type == type)
			return true;
	return false;
}

/* A kernel would read what it wrote without the rounding of the format. */
static void test_both(void)
{
	static const cl_channel_type types[] = {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010_2};
	static uint16_t host[WORDS];
	struct world world;
	for (unsigned i = 0; i < 3; i++) {
		CHECK(lists(CL_MEM_READ_ONLY, types[i]) && lists(CL_MEM_WRITE_ONLY, types[i]));
		CHECK(lists(CL_MEM_READ_WRITE, types[i]) && !lists(CL_MEM_KERNEL_READ_AND_WRITE, types[i]));
	}
	if (!world_start(&world, 1, CL_MEM_COPY_HOST_PTR, host))
		return;
	cl_kernel both = kernel_make(world.program, "both");
	CHECK_OK(clSetKernelArg(both, 0, sizeof(cl_mem), &world.image));
	CHECK_CODE(clEnqueueNDRangeKernel(world.queues[0], both, 3, NULL, whole, NULL, 0, NULL, NULL),
		   CL_IMAGE_FORMAT_NOT_SUPPORTED);
	CHECK_OK(clReleaseKernel(both));
	world_end(&world);
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "packed_images"))
		return API_TEST_SKIP;
	for (unsigned devices = 1; devices <= 2 && devices <= test.device_count; devices++) {
		test_image(devices, CL_MEM_COPY_HOST_PTR);
		test_image(devices, CL_MEM_USE_HOST_PTR);
	}
	test_both();
	return api_test_end(&test);
}
