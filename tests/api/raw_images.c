/* Protects: images whose texels share bytes (cl_ext_image_raw10_raw12), of each type: what kernels read and write, also
 * on another device and with values that are too large; transfers with pitches, copies, fills and maps of whole groups;
 * images of buffers; queries; which boxes and images are refused. */
#include "config.h"

#include "tests/api/fixture.h"

#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdlib.h>

enum { RAW10 = 0x10E3, RAW12 = 0x10E4, TEXELS = 2048, BYTES = 8192, GUARD = 0xA5 };

static struct api_test test;

struct shape {
	cl_mem_object_type type;
	size_t width, height, depth, layers;
};

/* Widths are multiples of both groups. */
static const struct shape shapes[] = {
	{CL_MEM_OBJECT_IMAGE1D, 52, 0, 0, 0},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, 36, 0, 0, 5},
	{CL_MEM_OBJECT_IMAGE2D, 44, 13, 0, 0},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, 20, 7, 0, 3},
	{CL_MEM_OBJECT_IMAGE3D, 12, 5, 4, 0},
};

struct format {
	cl_image_format cl;
	unsigned bits, group, group_B;
};

static const struct format formats[] = {
	{{CL_R, RAW10}, 10, 4, 5},
	{{CL_R, RAW12}, 12, 2, 3},
};

/* --- the layout, bit by bit as the extension's tables have it ---------- */

/* Which byte of its group has bit j of texel i, and where in it. */
static unsigned bit_place(const struct format *format, unsigned i, unsigned j, unsigned *bit_out)
{
	const unsigned low = format->bits - 8;
	*bit_out = j >= low ? j - low : i * low + j;
	return j >= low ? i : format->group;
}

static unsigned texel_get(const struct format *format, const unsigned char *row, size_t x)
{
	const unsigned char *group = row + x / format->group * format->group_B;
	unsigned value = 0, bit;
	for (unsigned j = 0; j < format->bits; j++) {
		const unsigned byte = bit_place(format, (unsigned)(x % format->group), j, &bit);
		value |= (group[byte] >> bit & 1u) << j;
	}
	return value;
}

static void texel_put(const struct format *format, unsigned char *row, size_t x, unsigned value)
{
	unsigned char *group = row + x / format->group * format->group_B;
	unsigned bit;
	for (unsigned j = 0; j < format->bits; j++) {
		const unsigned byte = bit_place(format, (unsigned)(x % format->group), j, &bit);
		group[byte] = (unsigned char)((group[byte] & ~(1u << bit)) | (value >> j & 1u) << bit);
	}
}

/* --- worlds ---------- */

static const char source[] =
	"#define AT (x + get_global_size(0) * (y + get_global_size(1) * z))\n"
	"#define WHERE size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2)\n"
	"#define PAIR(name, type, at)                                                                       \\\n"
	"	kernel void get_##name(read_only type image, global uint4 *out)                            \\\n"
	"	{ WHERE; out[AT] = read_imageui(image, at); }                                              \\\n"
	"	kernel void put_##name(write_only type image, uint seed)                                   \\\n"
	"	{ WHERE; write_imageui(image, at, (uint4)((uint)AT * 2654435761u + seed >> 19, 7, 7, 7)); }\n"
	"PAIR(1d, image1d_t, (int)x)\n"
	"PAIR(1d_array, image1d_array_t, (int2)(x, y))\n"
	"PAIR(2d, image2d_t, (int2)(x, y))\n"
	"PAIR(2d_array, image2d_array_t, (int4)(x, y, z, 0))\n"
	"PAIR(3d, image3d_t, (int4)(x, y, z, 0))\n"
	"kernel void both(read_write image2d_t image)\n"
	"{ write_imageui(image, (int2)(0, 0), read_imageui(image, (int2)(1, 1))); }\n"
	"kernel void ask(read_only image2d_t image, global int *out) {\n"
	"	out[0] = get_image_channel_data_type(image) == CLK_UNSIGNED_INT_RAW10_EXT;\n"
	"	out[1] = get_image_channel_data_type(image) == CLK_UNSIGNED_INT_RAW12_EXT;\n"
	"	out[2] = get_image_channel_order(image) == CLK_R;\n"
	"	out[3] = get_image_width(image);\n"
	"}\n"
	"#if !defined(cl_ext_image_raw10_raw12) || !defined(__opencl_c_ext_image_raw10_raw12)\n"
	"#error the macros are missing\n"
	"#endif\n";

struct world {
	const struct shape *shape;
	const struct format *format;
	cl_context context;
	cl_program program;
	cl_command_queue queues[2];
	cl_mem image;
	size_t region[3];
	unsigned texels[TEXELS];         /* what the image should have */
};

static const char *suffix_of(const struct shape *shape)
{
	switch (shape->type) {
	case CL_MEM_OBJECT_IMAGE1D:
		return "1d";
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		return "1d_array";
	case CL_MEM_OBJECT_IMAGE2D:
		return "2d";
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		return "2d_array";
	default:
		return "3d";
	}
}

static size_t count_of(const struct world *world)
{
	return world->region[0] * world->region[1] * world->region[2];
}

static unsigned *texel_at(struct world *world, size_t x, size_t y, size_t z)
{
	return &world->texels[x + world->region[0] * (y + world->region[1] * z)];
}

static size_t row_B(const struct world *world, size_t width)
{
	return width / world->format->group * world->format->group_B;
}

static cl_image_desc desc_of(const struct shape *shape)
{
	return (cl_image_desc){
		.image_type = shape->type, .image_width = shape->width, .image_height = shape->height,
		.image_depth = shape->depth, .image_array_size = shape->layers,
	};
}

static cl_kernel kernel_of(const struct world *world, const char *verb)
{
	char name[32];
	snprintf(name, sizeof(name), "%s_%s", verb, suffix_of(world->shape));
	cl_kernel kernel = kernel_make(world->program, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &world->image));
	return kernel;
}

/* --- kernels ---------- */

static void kernel_expect(struct world *world, unsigned queue)
{
	static cl_uint got[TEXELS][4];
	const size_t count = count_of(world);
	bool good = true;
	cl_mem out = buffer_make(world->context, 0, count * sizeof(got[0]), NULL);
	cl_kernel get = kernel_of(world, "get");
	CHECK_OK(clSetKernelArg(get, 1, sizeof(out), &out));
	CHECK_OK(clEnqueueNDRangeKernel(world->queues[queue], get, 3, NULL, world->region, NULL, 0, NULL, NULL));
	buffer_read(world->queues[queue], out, got, count * sizeof(got[0]));
	for (size_t i = 0; i < count; i++)
		good &= got[i][0] == world->texels[i] && !got[i][1] && !got[i][2] && got[i][3] == 1;
	CHECK(good);
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseMemObject(out));
}

/* 13 bits: larger values become the largest that the format has. */
static void kernel_put(struct world *world, unsigned queue, cl_uint seed)
{
	const unsigned most = (1u << world->format->bits) - 1;
	cl_kernel put = kernel_of(world, "put");
	CHECK_OK(clSetKernelArg(put, 1, sizeof(seed), &seed));
	CHECK_OK(clEnqueueNDRangeKernel(world->queues[queue], put, 3, NULL, world->region, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(world->queues[queue]));
	for (size_t i = 0; i < count_of(world); i++) {
		const unsigned value = ((cl_uint)i * 2654435761u + seed) >> 19;
		world->texels[i] = value > most ? most : value;
	}
	CHECK_OK(clReleaseKernel(put));
}

/* --- commands ---------- */

/* The last three quarters of each dimension, from a group on. */
static void part_of(const struct world *world, size_t origin[3], size_t region[3])
{
	for (unsigned i = 0; i < 3; i++) {
		origin[i] = world->region[i] / 4;
		if (!i)
			origin[i] = origin[i] / world->format->group * world->format->group;
		region[i] = world->region[i] - origin[i];
	}
}

/* In host memory, a row has padding, and the images of a 1D array are rows that a slice apart. */
static void pitches_of(const struct world *world, const size_t region[3], size_t *row_out, size_t *slice_out)
{
	const bool rows = world->shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	*row_out = row_B(world, region[0]) + 7;
	*slice_out = rows ? *row_out + 2 : world->shape->depth || world->shape->layers ? *row_out * region[1] + 3 : 0;
}

static unsigned char *row_at(const struct world *world, unsigned char *host, size_t row, size_t slice, size_t y,
			     size_t z)
{
	return host + (world->shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? y * slice : y * row + z * slice);
}

static void write_part(struct world *world, unsigned queue, unsigned seed)
{
	static unsigned char host[BYTES];
	size_t origin[3], region[3], row, slice;
	part_of(world, origin, region);
	pitches_of(world, region, &row, &slice);
	memset(host, GUARD, sizeof(host));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++) {
				const unsigned value = (unsigned)((x + 61 * y + 977 * z + seed) * 2654435761u) >> 3 &
						       ((1u << world->format->bits) - 1);
				texel_put(world->format, row_at(world, host, row, slice, y, z), x, value);
				*texel_at(world, origin[0] + x, origin[1] + y, origin[2] + z) = value;
			}
	CHECK_OK(clEnqueueWriteImage(world->queues[queue], world->image, CL_TRUE, origin, region, row, slice, host, 0,
				     NULL, NULL));
}

static void read_part(struct world *world, unsigned queue)
{
	static unsigned char host[BYTES];
	size_t origin[3], region[3], row, slice;
	bool good = true;
	part_of(world, origin, region);
	pitches_of(world, region, &row, &slice);
	memset(host, GUARD, sizeof(host));
	CHECK_OK(clEnqueueReadImage(world->queues[queue], world->image, CL_TRUE, origin, region, row, slice, host, 0,
				    NULL, NULL));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++) {
			const unsigned char *at = row_at(world, host, row, slice, y, z);
			for (size_t x = 0; x < region[0]; x++)
				good &= texel_get(world->format, at, x) ==
					*texel_at(world, origin[0] + x, origin[1] + y, origin[2] + z);
			good &= at[row_B(world, region[0])] == GUARD;
		}
	CHECK(good);
}

static void fill_part(struct world *world, unsigned queue, cl_uint value)
{
	const cl_uint color[4] = {value, 1, 2, 3}, most = (1u << world->format->bits) - 1;
	size_t origin[3], region[3];
	part_of(world, origin, region);
	CHECK_OK(clEnqueueFillImage(world->queues[queue], world->image, color, origin, region, 0, NULL, NULL));
	CHECK_OK(clFinish(world->queues[queue]));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++)
				*texel_at(world, origin[0] + x, origin[1] + y, origin[2] + z) =
					value > most ? most : value;
}

static void map_part(struct world *world, unsigned queue)
{
	size_t origin[3], region[3], row = 0, slice = 0;
	bool good = true;
	cl_int code;
	part_of(world, origin, region);
	unsigned char *mapped = clEnqueueMapImage(world->queues[queue], world->image, CL_TRUE,
						  CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, &slice, 0, NULL,
						  NULL, &code);
	if (!CHECK_OK(code))
		return;
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++) {
				unsigned char *at = row_at(world, mapped, row, slice, y, z);
				unsigned *texel = texel_at(world, origin[0] + x, origin[1] + y, origin[2] + z);
				good &= texel_get(world->format, at, x) == *texel;
				*texel ^= 0x155;
				texel_put(world->format, at, x, *texel);
			}
	CHECK(good);
	CHECK_OK(clEnqueueUnmapMemObject(world->queues[queue], world->image, mapped, 0, NULL, NULL));
	CHECK_OK(clFinish(world->queues[queue]));
}

/* A group goes from the start of the image to its end, through another image and through a buffer. */
static void copies(struct world *world, unsigned queue)
{
	const size_t zero[3] = {0, 0, 0}, group[3] = {world->format->group, 1, 1};
	const size_t end[3] = {world->region[0] - group[0], world->region[1] - 1, world->region[2] - 1};
	const size_t second[3] = {group[0], 0, 0};
	const cl_image_desc desc = desc_of(world->shape);
	cl_command_queue on = world->queues[queue];
	cl_mem other = image_make(world->context, 0, &world->format->cl, &desc, NULL);
	cl_mem buffer = buffer_make(world->context, 0, 64, NULL);
	CHECK_OK(clEnqueueCopyImage(on, world->image, other, zero, end, group, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyImage(on, other, world->image, end, second, group, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyImageToBuffer(on, world->image, buffer, second, group, 7, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyBufferToImage(on, buffer, world->image, 7, end, group, 0, NULL, NULL));
	CHECK_OK(clFinish(on));
	for (size_t i = 0; i < group[0]; i++) {
		*texel_at(world, second[0] + i, 0, 0) = *texel_at(world, i, 0, 0);
		*texel_at(world, end[0] + i, end[1], end[2]) = *texel_at(world, i, 0, 0);
	}
	CHECK_OK(clReleaseMemObject(other));
	CHECK_OK(clReleaseMemObject(buffer));
}

/* --- each image ---------- */

static bool world_start(struct world *world, unsigned devices)
{
	static unsigned char host[BYTES];
	size_t row, slice;
	cl_image_desc desc = desc_of(world->shape);
	memset(world->texels, 0, sizeof(world->texels));
	world->region[0] = world->shape->width;
	const struct shape *shape = world->shape;
	world->region[1] = shape->height ? shape->height : shape->layers ? shape->layers : 1;
	world->region[2] = shape->depth ? shape->depth : shape->height && shape->layers ? shape->layers : 1;
	world->context = context_make(devices, test.devices);
	world->program = api_test_build(world->context, test.devices[0], source, "-cl-std=CL3.0");
	if (!CHECK(world->program))
		return false;
	for (unsigned i = 0; i < 2; i++)
		world->queues[i] = queue_make(world->context, test.devices[i % devices], 0);
	pitches_of(world, world->region, &row, &slice);
	/* 5.3.1.3: a slice pitch is a multiple of the row pitch. */
	slice = !slice ? 0 : world->shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * world->region[1];
	for (size_t i = 0; i < count_of(world); i++) {
		const size_t x = i % world->region[0], y = i / world->region[0] % world->region[1];
		world->texels[i] = (unsigned)(i * 40503) & ((1u << world->format->bits) - 1);
		const size_t z = i / world->region[0] / world->region[1];
		texel_put(world->format, row_at(world, host, row, slice, y, z), x, world->texels[i]);
	}
	desc.image_row_pitch = row;
	desc.image_slice_pitch = slice;
	world->image = image_make(world->context, CL_MEM_COPY_HOST_PTR, &world->format->cl, &desc, host);
	return world->image;
}

static void world_end(struct world *world)
{
	CHECK_OK(clReleaseMemObject(world->image));
	CHECK_OK(clReleaseProgram(world->program));
	for (unsigned i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(world->queues[i]));
	CHECK_OK(clReleaseContext(world->context));
}

static void test_image(const struct shape *shape, const struct format *format, unsigned devices)
{
	static struct world world;
	world.shape = shape;
	world.format = format;
	if (!world_start(&world, devices))
		return;
	kernel_expect(&world, 0);
	for (unsigned round = 0; round < 2; round++) {
		write_part(&world, round, round);
		kernel_expect(&world, 1);
		kernel_put(&world, round, 99 * round);
		read_part(&world, !round);
		map_part(&world, round);
		kernel_expect(&world, round);
		copies(&world, round);
		kernel_expect(&world, !round);
		fill_part(&world, round, round ? 70000 : 0x2A7);
		kernel_expect(&world, 0);
		kernel_put(&world, round, 7 + round);
		kernel_expect(&world, !round);
	}
	world_end(&world);
}

/* The rows of a camera's frame in a buffer, with a pitch that is no multiple of a group. */
static void image_of_buffer(const struct format *format)
{
	enum { PITCH_B = 64, HEIGHT = 6, AT_B = 128 };
	static unsigned char bytes[AT_B + PITCH_B * HEIGHT];
	static const struct shape shape = {CL_MEM_OBJECT_IMAGE2D, 32, HEIGHT, 0, 0};
	static struct world world;
	const cl_buffer_region part = {AT_B, PITCH_B * HEIGHT};
	cl_image_desc desc = desc_of(&shape);
	world = (struct world){.shape = &shape, .format = format, .region = {32, HEIGHT, 1}, .context = test.context};
	for (size_t i = 0; i < 32 * HEIGHT; i++) {
		world.texels[i] = (unsigned)(i * 2654435761u) >> 7 & ((1u << format->bits) - 1);
		texel_put(format, bytes + AT_B + i / 32 * PITCH_B, i % 32, world.texels[i]);
	}
	cl_mem buffer = buffer_make(test.context, CL_MEM_COPY_HOST_PTR, sizeof(bytes), bytes);
	cl_mem sub = sub_buffer_make(buffer, 0, &part);
	desc.image_row_pitch = PITCH_B;
	desc.mem_object = sub;
	world.image = image_make(test.context, 0, &format->cl, &desc, NULL);
	world.program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	world.queues[0] = queue_make(test.context, test.device, 0);
	kernel_expect(&world, 0);
	kernel_put(&world, 0, 5);
	buffer_read(world.queues[0], buffer, bytes, sizeof(bytes));
	bool good = true;
	for (size_t i = 0; i < 32 * HEIGHT; i++)
		good &= texel_get(format, bytes + AT_B + i / 32 * PITCH_B, i % 32) == world.texels[i];
	CHECK(good && !bytes[AT_B + PITCH_B - 1]);
	CHECK_OK(clReleaseMemObject(world.image));
	CHECK_OK(clReleaseMemObject(sub));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseProgram(world.program));
	CHECK_OK(clReleaseCommandQueue(world.queues[0]));
}

/* --- queries and errors ---------- */

static bool lists(cl_mem_flags flags, cl_mem_object_type type, const cl_image_format *format)
{
	cl_image_format all[256];
	cl_uint count = 0;
	CHECK_OK(clGetSupportedImageFormats(test.context, flags, type, 256, all, &count));
	for (cl_uint i = 0; i < count; i++)
		if (!memcmp(&all[i], format, sizeof(*format)))
			return true;
	return false;
}

static void queries(const struct format *format)
{
	const cl_image_format *cl = &format->cl;
	const cl_image_desc desc = desc_of(&shapes[2]);
	const size_t one = 1;
	cl_int asked[4] = {0};
	size_t size = 0;
	cl_mem image = image_make(test.context, 0, cl, &desc, NULL);
	cl_mem out = buffer_make(test.context, 0, sizeof(asked), NULL);
	cl_program program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_kernel ask = kernel_make(program, "ask"), both = kernel_make(program, "both");
	CHECK(lists(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, cl));
	CHECK(lists(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D, cl));
	CHECK(!lists(CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, cl));
	CHECK(!lists(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, cl));
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof(size), &size, NULL));
	CHECK(size == 44 / format->group * format->group_B);
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size), &size, NULL));
	CHECK(size == 2);
	CHECK_OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(size), &size, NULL));
	CHECK(size == 13 * 44 / format->group * format->group_B);
	CHECK_OK(clSetKernelArg(ask, 0, sizeof(image), &image));
	CHECK_OK(clSetKernelArg(ask, 1, sizeof(out), &out));
	CHECK_OK(clEnqueueNDRangeKernel(queue, ask, 1, NULL, &one, NULL, 0, NULL, NULL));
	buffer_read(queue, out, asked, sizeof(asked));
	CHECK(asked[0] == (format->bits == 10) && asked[1] == (format->bits == 12) && asked[2] && asked[3] == 44);
	CHECK_OK(clSetKernelArg(both, 0, sizeof(image), &image));
	CHECK_CODE(clEnqueueNDRangeKernel(queue, both, 1, NULL, &one, NULL, 0, NULL, NULL),
		   CL_IMAGE_FORMAT_NOT_SUPPORTED);
	CHECK_OK(clReleaseKernel(ask));
	CHECK_OK(clReleaseKernel(both));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(out));
}

/* cl_ext_image_requirements_info: an image in a buffer needs no alignment, and has the bytes of its groups. */
static void requirements(const struct format *format)
{
	static const cl_uint names[] = {
		CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
		CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT,
	};
	const cl_image_desc desc = desc_of(&shapes[2]);
	clGetImageRequirementsInfoEXT_fn get;
	size_t value = 0;
	void *found = clGetExtensionFunctionAddressForPlatform(test.platform, "clGetImageRequirementsInfoEXT");
	if (!CHECK(found))
		return;
	memcpy(&get, &found, sizeof(get));
	for (unsigned i = 0; i < 3; i++) {
		CHECK_OK(get(test.context, NULL, 0, &format->cl, &desc, names[i], sizeof(value), &value, NULL));
		CHECK(value == 1);
	}
	CHECK_OK(get(test.context, NULL, 0, &format->cl, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof(value), &value,
		     NULL));
	CHECK(value == 13 * 44 / format->group * format->group_B);
}

static cl_int code_of(cl_image_format format, cl_image_desc desc)
{
	cl_int code = 12345;
	CHECK(!clCreateImage(test.context, 0, &format, &desc, NULL, &code));
	return code;
}

static void errors(const struct format *format)
{
	const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, group[3] = {format->group, 1, 1}, less[3] = {1, 1, 1};
	const cl_image_format other = {CL_RGBA, format->cl.image_channel_data_type};
	static unsigned char host[64];
	cl_image_desc desc = desc_of(&shapes[2]);
	cl_mem image = image_make(test.context, 0, &format->cl, &desc, NULL);
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	CHECK_CODE(code_of(other, desc), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	desc.image_width = 43;
	CHECK_CODE(code_of(format->cl, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_width = format->group == 4 ? 42 : 41;
	CHECK_CODE(code_of(format->cl, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_width = 64;
	desc.num_mip_levels = 2;
	CHECK_CODE(code_of(format->cl, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	/* A part of the texels that share bytes. */
	CHECK_CODE(clEnqueueReadImage(queue, image, CL_TRUE, one, group, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueReadImage(queue, image, CL_TRUE, zero, less, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueReadImage(queue, image, CL_TRUE, zero, group, format->group_B - 1, 0, host, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, group, format->group_B, 0, host, 0, NULL, NULL));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseMemObject(image));
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "raw images"))
		return API_TEST_SKIP;
	for (unsigned i = 0; i < 2; i++) {
		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++)
			for (unsigned devices = 1; devices <= 2 && devices <= test.device_count; devices++)
				test_image(&shapes[j], &formats[i], devices);
		image_of_buffer(&formats[i]);
		queries(&formats[i]);
		requirements(&formats[i]);
		errors(&formats[i]);
	}
	return api_test_end(&test);
}
