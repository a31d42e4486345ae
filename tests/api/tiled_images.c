/* Protects: images that another API has laid out in the GPU's own way (cl_culvert_external_image): of each type, with
 * levels, behind an offset; it and OpenCL see each other's texels, by transfers, clears and by kernels, in the order of
 * semaphores; another device of the context; which properties and images are refused, and whose the descriptor is
 * then; what is said of such images before they are made. */
#include "config.h"

#include "tests/api/fixture.h"
#include "tests/api/semaphore_calls.h"
#include "tests/api/soft_fault.h"
#include "tests/api/tiled_images.h"

#include "icd/include/cl_culvert.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPAQUE_FD = 0x2060, DEVICE_LIST = 0x2051, SEMAPHORE_FD = 0x2055, LIST_MAX = 16 };

#define UINT8 {CL_RGBA, CL_UNSIGNED_INT8}

static const struct tiled_shape shapes[] = {
	{CL_MEM_OBJECT_IMAGE2D, UINT8, 4, 67, 45, 0, 0, 1, false, false, false},
	{CL_MEM_OBJECT_IMAGE2D, UINT8, 4, 67, 45, 0, 0, 1, false, true, false},
	{CL_MEM_OBJECT_IMAGE2D, UINT8, 4, 64, 64, 0, 0, 1, true, false, true},
	{CL_MEM_OBJECT_IMAGE2D, UINT8, 4, 53, 70, 0, 0, 5, false, false, false},
	{CL_MEM_OBJECT_IMAGE2D, UINT8, 4, 128, 32, 0, 0, 3, true, true, true},
	{CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_UNSIGNED_INT8}, 1, 130, 31, 0, 0, 1, false, false, false},
	{CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_FLOAT}, 4, 31, 17, 0, 0, 4, true, false, false},
	{CL_MEM_OBJECT_IMAGE2D, {CL_RG, CL_UNORM_INT16}, 4, 100, 9, 0, 0, 1, false, false, true},
	{CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_UNORM_INT8}, 4, 257, 3, 0, 0, 1, false, false, true},
	{CL_MEM_OBJECT_IMAGE2D, {CL_BGRA, CL_UNORM_INT8}, 4, 19, 40, 0, 0, 2, false, true, true},
	{CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_HALF_FLOAT}, 8, 33, 33, 0, 0, 1, false, false, false},
	{CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_SIGNED_INT32}, 16, 20, 12, 0, 0, 3, false, false, false},
	{CL_MEM_OBJECT_IMAGE1D, UINT8, 4, 300, 0, 0, 0, 1, false, false, false},
	{CL_MEM_OBJECT_IMAGE1D_ARRAY, UINT8, 4, 40, 0, 0, 7, 1, false, false, false},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, UINT8, 4, 21, 14, 0, 5, 1, true, false, false},
	{CL_MEM_OBJECT_IMAGE2D_ARRAY, UINT8, 4, 36, 20, 0, 3, 1, false, false, true},
	{CL_MEM_OBJECT_IMAGE3D, UINT8, 4, 17, 9, 6, 0, 1, false, false, false},
	{CL_MEM_OBJECT_IMAGE3D, UINT8, 4, 24, 16, 8, 0, 3, false, true, false},
};

static const char source[] =
	"#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
	"#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
	"constant sampler_t nearest = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
	"kernel void look(read_only image2d_t image, int level, global uchar4 *out) {\n"
	"	int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);\n"
	"	float2 c = (float2)((x + 0.5f) / w, (y + 0.5f) / h);\n"
	"	out[y * w + x] = convert_uchar4(read_imageui(image, nearest, c, (float)level));\n"
	"}\n"
	"kernel void paint(write_only image2d_t image, int level, uint seed) {\n"
	"	int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);\n"
	"	uint i = (y * w + x) * 2654435761u + level * 97 + seed;\n"
	"	write_imageui(image, (int2)(x, y), level, (uint4)(i, i >> 8, i >> 16, i >> 24) & 255);\n"
	"}\n";

static struct api_test test;
static const struct tiled_maker *maker;
static cl_semaphore_khr written, wanted;
static cl_program program;

static unsigned char given[TILED_TEXELS_MAX_B], got[TILED_TEXELS_MAX_B];

/* --- images ---------- */

static cl_image_desc desc_of(const struct tiled_shape *shape)
{
	return (cl_image_desc){
		.image_type = shape->type, .image_width = shape->width, .image_height = shape->height,
		.image_depth = shape->depth, .image_array_size = shape->layers,
		.num_mip_levels = shape->levels > 1 ? shape->levels : 0,
	};
}

static void list_of(const struct tiled_image *image, cl_mem_properties list[LIST_MAX])
{
	const cl_mem_properties words[LIST_MAX] = {
		OPAQUE_FD, (cl_mem_properties)image->fd, DEVICE_LIST, (cl_mem_properties)(uintptr_t)test.device, 0,
		CL_EXTERNAL_IMAGE_TILING_CULVERT, CL_EXTERNAL_IMAGE_TILING_OPTIMAL_CULVERT,
		CL_EXTERNAL_IMAGE_ALLOCATION_SIZE_CULVERT, image->allocation_B,
		CL_EXTERNAL_IMAGE_OFFSET_CULVERT, image->offset_B,
		CL_EXTERNAL_IMAGE_DEDICATED_CULVERT, image->dedicated,
		CL_EXTERNAL_IMAGE_COLOR_ATTACHMENT_CULVERT, image->shape->color_attachment, 0,
	};
	memcpy(list, words, sizeof(words));
}

static cl_mem image_import(cl_context context, const struct tiled_image *image)
{
	const cl_image_desc desc = desc_of(image->shape);
	cl_mem_properties list[LIST_MAX], back[LIST_MAX];
	size_t size = 0;
	cl_int code;
	list_of(image, list);
	cl_mem mem = clCreateImageWithProperties(context, list, CL_MEM_READ_WRITE, &image->shape->format, &desc, NULL,
						 &code);
	if (!CHECK_OK(code))
		return NULL;
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, sizeof(back), back, &size));
	CHECK(size == sizeof(list) && !memcmp(back, list, size));
	CHECK(maker != &tiled_soft || fcntl(image->fd, F_GETFD) < 0);
	return mem;
}

/* The number of a level follows the coordinates (cl_khr_mipmap_image). */
static void origin_of(const struct tiled_shape *shape, unsigned level, size_t origin[4])
{
	const unsigned dimensions = 1 + !!shape->height + !!shape->depth + !!shape->layers;
	memset(origin, 0, 4 * sizeof(*origin));
	if (shape->levels > 1)
		origin[dimensions] = level;
}

/* --- what each image goes through ---------- */

/* Texels that are whole numbers of every format: halves and floats are those of small integers. */
static void fill(const struct tiled_shape *shape, unsigned seed, unsigned char *texels)
{
	const size_t size_B = tiled_level_at(shape, shape->levels);
	for (size_t i = 0; i < size_B; i++)
		texels[i] = (unsigned char)((i + 1) * 2654435761u >> 11) ^ (unsigned char)seed;
	/* The exponents are neither those of NaN nor of denormal numbers. */
	for (size_t i = 1; i < size_B && shape->format.image_channel_data_type == CL_HALF_FLOAT; i += 2)
		texels[i] = (texels[i] & 0x83) | 0x30;
	for (size_t i = 3; i < size_B && shape->format.image_channel_data_type == CL_FLOAT; i += 4)
		texels[i] = (texels[i] & 0x80) | 0x3E;
}

static bool same(const struct tiled_shape *shape, const unsigned char *texels, const char *who)
{
	const size_t size_B = tiled_level_at(shape, shape->levels);
	size_t i = 0;
	while (i < size_B && texels[i] == given[i])
		i++;
	if (i < size_B)
		printf("%s: image type 0x%x of %zu x %zu x %zu, %zu layers, %u levels: byte %zu of %zu is %d, not %d\n",
		       who, (unsigned)shape->type, shape->width, shape->height, shape->depth, shape->layers,
		       shape->levels, i, size_B, texels[i], given[i]);
	return i == size_B;
}

static void kernel_run(cl_command_queue queue, cl_kernel kernel, const struct tiled_shape *shape, unsigned level)
{
	const cl_int number = (cl_int)level;
	size_t region[3];
	tiled_region(shape, level, region);
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(number), &number));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, region, NULL, 0, NULL, NULL));
}

static bool has_kernels(const struct tiled_shape *shape)
{
	return shape->type == CL_MEM_OBJECT_IMAGE2D && shape->format.image_channel_order == CL_RGBA &&
	       shape->format.image_channel_data_type == CL_UNSIGNED_INT8;
}

/* What kernels read is what the other API wrote; what they write replaces it. */
static void kernels(cl_command_queue queue, cl_mem mem, const struct tiled_shape *shape)
{
	const cl_uint seed = 12345;
	cl_kernel look = kernel_make(program, "look"), paint = kernel_make(program, "paint");
	CHECK_OK(clSetKernelArg(look, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(paint, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(paint, 2, sizeof(seed), &seed));
	for (unsigned level = 0; level < shape->levels; level++) {
		const size_t size_B = tiled_level_B(shape, level);
		cl_mem out = buffer_make(test.context, 0, size_B, NULL);
		CHECK_OK(clSetKernelArg(look, 2, sizeof(out), &out));
		kernel_run(queue, look, shape, level);
		buffer_read(queue, out, got + tiled_level_at(shape, level), size_B);
		CHECK_OK(clReleaseMemObject(out));
	}
	CHECK(same(shape, got, "a kernel"));
	for (unsigned level = 0; level < shape->levels; level++) {
		kernel_run(queue, paint, shape, level);
		unsigned char *texels = given + tiled_level_at(shape, level);
		for (size_t i = 0; i < tiled_level_B(shape, level) / 4; i++) {
			const cl_uint word = (cl_uint)i * 2654435761u + level * 97 + seed;
			for (unsigned byte = 0; byte < 4; byte++)
				texels[4 * i + byte] = (unsigned char)(word >> 8 * byte);
		}
	}
	CHECK_OK(clReleaseKernel(look));
	CHECK_OK(clReleaseKernel(paint));
}

static void transfers(cl_command_queue queue, cl_mem mem, const struct tiled_shape *shape, bool writes)
{
	for (unsigned level = 0; level < shape->levels; level++) {
		size_t origin[4], region[3];
		origin_of(shape, level, origin);
		tiled_region(shape, level, region);
		if (writes)
			CHECK_OK(clEnqueueWriteImage(queue, mem, CL_TRUE, origin, region, 0, 0,
						     given + tiled_level_at(shape, level), 0, NULL, NULL));
		else
			CHECK_OK(clEnqueueReadImage(queue, mem, CL_TRUE, origin, region, 0, 0,
						    got + tiled_level_at(shape, level), 0, NULL, NULL));
	}
}

/* Only a rare image may be absent: not those that every program has. */
static bool made(const struct tiled_shape *shape, struct tiled_image *image)
{
	const enum tiled_made result = maker->make(shape, image);
	if (result != TILED_MADE)
		printf("%s: image type 0x%x, format 0x%x 0x%x, %u levels\n",
		       result == TILED_ABSENT ? "the other API exports no such image" : "it could not be made",
		       (unsigned)shape->type, shape->format.image_channel_order,
		       shape->format.image_channel_data_type, shape->levels);
	const bool rare = shape->type != CL_MEM_OBJECT_IMAGE2D || shape->levels > 1;
	CHECK(result == TILED_MADE || (result == TILED_ABSENT && rare));
	return result == TILED_MADE;
}

/* Once the other API has signalled. */
static void look(cl_command_queue queue, cl_mem mem, const struct tiled_shape *shape, const char *who)
{
	enqueue_wait(queue, written, NULL);
	CHECK_OK(ext.acquire(queue, 1, &mem, 0, NULL, NULL));
	memset(got, 0xCC, sizeof(got));
	transfers(queue, mem, shape, false);
	CHECK(same(shape, got, who));
}

/* Calls use with an image of the other API, in OpenCL and there, and an idle queue. */
static void with_image(const struct tiled_shape *shape,
		       void (*use)(cl_command_queue queue, cl_mem mem, const struct tiled_image *image))
{
	struct tiled_image image;
	if (!made(shape, &image))
		return;
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem mem = image_import(test.context, &image);
	if (mem) {
		use(queue, mem, &image);
		CHECK_OK(clFinish(queue));
		CHECK_OK(clReleaseMemObject(mem));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	maker->drop(&image);
}

/* What the other API drew last is there, although nothing was copied into the image. */
static void cleared(cl_command_queue queue, cl_mem mem, const struct tiled_image *image)
{
	static const unsigned char color[4] = {11, 202, 33, 144};
	for (size_t i = 0; i < sizeof(given); i++)
		given[i] = color[i % 4];
	CHECK(maker->clear(image, color));
	look(queue, mem, image->shape, "OpenCL, after a clear");
	CHECK_OK(ext.give(queue, 1, &mem, 0, NULL, NULL));
}

/* The other API writes, OpenCL looks and writes, the other API looks; semaphores alone order them. */
static void both_ways(cl_command_queue queue, cl_mem mem, const struct tiled_image *image)
{
	const struct tiled_shape *shape = image->shape;
	fill(shape, 1, given);
	CHECK(maker->write(image, given));
	look(queue, mem, shape, "OpenCL");
	if (has_kernels(shape)) {
		kernels(queue, mem, shape);
	} else {
		fill(shape, 2, given);
		transfers(queue, mem, shape, true);
	}
	CHECK_OK(ext.give(queue, 1, &mem, 0, NULL, NULL));
	enqueue_signal(queue, wanted);
	CHECK_OK(clFlush(queue));
	memset(got, 0xCC, sizeof(got));
	CHECK(maker->read(image, got));
	CHECK(same(shape, got, "the other API"));
}

/* Another device of the context uses a copy, which a release brings back. */
static void two_devices(void)
{
	const struct tiled_shape *shape = &shapes[3];
	cl_device_id devices[2];
	cl_uint count = 0;
	struct tiled_image image;
	CHECK_OK(clGetDeviceIDs(test.platform, CL_DEVICE_TYPE_ALL, 2, devices, &count));
	if (count < 2 || devices[0] != test.device) {
		printf("left out: two devices in a context: there is one\n");
		return;
	}
	if (!made(shape, &image))
		return;
	cl_context context = context_make(2, devices);
	cl_command_queue own = queue_make(context, devices[0], 0), other = queue_make(context, devices[1], 0);
	cl_mem mem = image_import(context, &image);
	fill(shape, 3, given);
	/* The semaphores are of the other context; the host orders here. */
	CHECK(maker->write(&image, given));
	cl_command_queue drain = queue_make(test.context, test.device, 0);
	enqueue_wait(drain, written, NULL);
	CHECK_OK(clFinish(drain));
	CHECK_OK(ext.acquire(own, 1, &mem, 0, NULL, NULL));
	CHECK_OK(clFinish(own));
	transfers(other, mem, shape, false);
	CHECK(same(shape, got, "another device"));
	fill(shape, 4, given);
	transfers(other, mem, shape, true);
	CHECK_OK(ext.give(own, 1, &mem, 0, NULL, NULL));
	CHECK_OK(clFinish(own));
	enqueue_signal(drain, wanted);
	CHECK_OK(clFlush(drain));
	CHECK(maker->read(&image, got));
	CHECK(same(shape, got, "the other API, after another device"));
	CHECK_OK(clFinish(drain));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseCommandQueue(drain));
	CHECK_OK(clReleaseCommandQueue(own));
	CHECK_OK(clReleaseCommandQueue(other));
	CHECK_OK(clReleaseContext(context));
	maker->drop(&image);
}

/* --- errors ---------- */

static cl_int code_of(const cl_mem_properties *list, cl_mem_flags flags, cl_image_format format, cl_image_desc desc)
{
	cl_int code = 12345;
	CHECK(!clCreateImageWithProperties(test.context, list, flags, &format, &desc, NULL, &code));
	return code;
}

#define TILING CL_EXTERNAL_IMAGE_TILING_CULVERT
#define SIZE CL_EXTERNAL_IMAGE_ALLOCATION_SIZE_CULVERT
#define OFFSET CL_EXTERNAL_IMAGE_OFFSET_CULVERT

static void property_errors(const struct tiled_image *image)
{
	const cl_mem_properties fd = (cl_mem_properties)image->fd, size = image->allocation_B;
	const cl_mem_properties lists[][12] = {
		{OPAQUE_FD, fd, TILING, 1, 0},                                     /* without a size */
		{OPAQUE_FD, fd, TILING, 2, SIZE, size, 0},
		{OPAQUE_FD, fd, TILING, 1, TILING, 1, SIZE, size, 0},
		{OPAQUE_FD, fd, TILING, 1, SIZE, size, SIZE, size, 0},
		{OPAQUE_FD, fd, SIZE, size, 0},                                    /* without a tiling */
		{OPAQUE_FD, fd, TILING, 0, SIZE, size, 0},                         /* of linear tiling */
		{OPAQUE_FD, fd, TILING, 0, OFFSET, 0, 0},
		{OPAQUE_FD, fd, TILING, 1, SIZE, size, OFFSET, size, 0},           /* behind the end */
		{OPAQUE_FD, fd, TILING, 1, SIZE, size, CL_EXTERNAL_IMAGE_DEDICATED_CULVERT, 2, 0},
		{OPAQUE_FD, fd, TILING, 1, SIZE, size, CL_EXTERNAL_IMAGE_COLOR_ATTACHMENT_CULVERT, 7, 0},
		{OPAQUE_FD, fd, TILING, 1, SIZE, size, TILING + 5, 1, 0},
		{TILING, 1, SIZE, size, 0},                                        /* without memory */
		{TILING, 0, 0},
		{CL_MEM_EXPORT_HANDLE_TYPES_CULVERT, OPAQUE_FD, 0, TILING, 1, SIZE, size, 0},
	};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		CHECK_CODE(code_of(lists[i], 0, image->shape->format, desc_of(image->shape)), CL_INVALID_PROPERTY);
	/* They are properties of images. */
	const cl_mem_properties buffer[] = {OPAQUE_FD, fd, TILING, 1, SIZE, size, 0};
	cl_int code = 12345;
	CHECK(!clCreateBufferWithProperties(test.context, buffer, 0, 64, NULL, &code));
	CHECK_CODE(code, CL_INVALID_PROPERTY);
}

/* An allocation that is smaller than the texels without padding, of one level and of all.  Softcuda refuses it too, but
 * is not asked: its error would be another one. */
static void size_errors(const struct tiled_image *image)
{
	const cl_mem_properties fd = (cl_mem_properties)image->fd;
	struct soft_fault fault;
	const bool soft = soft_fault_find(&fault);
	CHECK(soft || maker != &tiled_soft);
	CHECK(!soft || !fault.set("cuImportExternalMemory:*:OUT_OF_MEMORY"));
	for (unsigned levels = 1; levels <= 7; levels += 6) {
		struct tiled_shape shape = *image->shape;
		shape.levels = levels;
		const cl_mem_properties bare_B = tiled_level_at(&shape, levels);
		const cl_mem_properties lists[][9] = {
			{OPAQUE_FD, fd, TILING, 1, SIZE, bare_B - 1, 0},
			{OPAQUE_FD, fd, TILING, 1, SIZE, bare_B + 999, OFFSET, 1000, 0},
			{OPAQUE_FD, fd, TILING, 1, SIZE, CL_ULONG_MAX, OFFSET, CL_ULONG_MAX - 1, 0},
		};
		for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
			CHECK_CODE(code_of(lists[i], 0, shape.format, desc_of(&shape)), CL_INVALID_PROPERTY);
		const cl_mem_properties enough[] = {OPAQUE_FD, fd, TILING, 1, SIZE, bare_B + 1000, OFFSET, 1000, 0};
		if (soft)
			CHECK_CODE(code_of(enough, 0, shape.format, desc_of(&shape)), CL_MEM_OBJECT_ALLOCATION_FAILURE);
	}
	CHECK(!soft || !fault.set(""));
}

/* cl_ext_image_requirements_info: what is asked before agrees; no buffer can back such an image. */
static void requirements(const struct tiled_image *image)
{
	static const cl_uint of_buffers[] = {
		CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
		CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT, CL_IMAGE_REQUIREMENTS_SIZE_EXT,
	};
	const cl_image_format packed = {CL_RGB, CL_UNORM_SHORT_565}, depth = {CL_DEPTH, CL_FLOAT};
	const cl_image_desc good = desc_of(image->shape);
	cl_image_desc desc = good;
	cl_mem_properties list[LIST_MAX];
	clGetImageRequirementsInfoEXT_fn get;
	size_t bytes = 0, widest = 0;
	cl_uint width = 0;
	void *found = clGetExtensionFunctionAddressForPlatform(test.platform, "clGetImageRequirementsInfoEXT");
	if (!CHECK(found))
		return;
	memcpy(&get, &found, sizeof(get));
	list_of(image, list);
	for (size_t i = 0; i < sizeof(of_buffers) / sizeof(of_buffers[0]); i++)
		CHECK_CODE(get(test.context, list, 0, &image->shape->format, &good, of_buffers[i], sizeof(bytes),
			       &bytes, NULL), CL_INVALID_PROPERTY);
#define ASK(format, desc) get(test.context, list, 0, format, desc, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, sizeof(width), \
			      &width, NULL)
	CHECK_OK(ASK(&image->shape->format, &good));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(widest), &widest, NULL));
	CHECK(width == widest);
	CHECK_CODE(ASK(&packed, &good), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_CODE(ASK(&depth, &good), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	desc.image_row_pitch = 4096;
	CHECK_CODE(ASK(&image->shape->format, &desc), CL_INVALID_IMAGE_DESCRIPTOR);
	desc = good;
	desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	CHECK_CODE(ASK(&image->shape->format, &desc), CL_INVALID_IMAGE_DESCRIPTOR);
#undef ASK
}

static void image_errors(const struct tiled_image *image)
{
	const cl_image_format format = image->shape->format, packed = {CL_RGB, CL_UNORM_SHORT_565},
			      depth = {CL_DEPTH, CL_FLOAT}, none = {CL_BGRA, CL_FLOAT};
	const cl_image_desc good = desc_of(image->shape);
	cl_image_desc desc = good;
	cl_mem_properties list[LIST_MAX];
	list_of(image, list);
	CHECK_CODE(code_of(list, 0, packed, good), CL_IMAGE_FORMAT_NOT_SUPPORTED);
	CHECK_CODE(code_of(list, 0, depth, good), CL_IMAGE_FORMAT_NOT_SUPPORTED);
	CHECK_CODE(code_of(list, 0, none, good), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_CODE(code_of(list, CL_MEM_ALLOC_HOST_PTR, format, good), CL_INVALID_VALUE);
	CHECK_CODE(code_of(list, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, format, good), CL_INVALID_VALUE);
	desc.image_row_pitch = 4096;
	CHECK_CODE(code_of(list, 0, format, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	desc = good;
	desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	CHECK_CODE(code_of(list, 0, format, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	desc = good;
	desc.num_mip_levels = 8; /* 67 texels have 7 */
	CHECK_CODE(code_of(list, 0, format, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	/* CUDA and Vulkan do not agree on the layers of mipmapped arrays. */
	desc = good;
	desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
	desc.image_array_size = 2;
	desc.num_mip_levels = 2;
	CHECK_CODE(code_of(list, 0, format, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	desc = good;
	desc.image_width = (size_t)1 << 30;
	CHECK_CODE(code_of(list, 0, format, desc), CL_INVALID_IMAGE_SIZE);
	cl_mem buffer = buffer_make(test.context, 0, 1 << 16, NULL);
	desc = good;
	desc.mem_object = buffer;
	CHECK_CODE(code_of(list, 0, format, desc), CL_INVALID_IMAGE_DESCRIPTOR);
	CHECK_OK(clReleaseMemObject(buffer));
}

static void errors(void)
{
	struct tiled_image image;
	if (!made(&shapes[0], &image))
		return;
	property_errors(&image);
	size_errors(&image);
	image_errors(&image);
	requirements(&image);
	/* Through all that it was the application's. */
	CHECK(fcntl(image.fd, F_GETFD) >= 0);
	close(image.fd);
	maker->drop(&image);
	/* It is no memory. */
	image.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	cl_mem_properties list[LIST_MAX];
	list_of(&image, list);
	CHECK_CODE(code_of(list, 0, image.shape->format, desc_of(image.shape)), CL_INVALID_PROPERTY);
	CHECK(!close(image.fd));
}

/* --- all of it ---------- */

/* The software device is two, before the driver reads its options. */
__attribute__((constructor)) static void devices_ask(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
}

static cl_semaphore_khr semaphore_import(int fd)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, SEMAPHORE_FD, (cl_semaphore_properties_khr)fd, 0,
	};
	cl_int code;
	cl_semaphore_khr semaphore = ext.create(test.context, list, &code);
	CHECK_OK(code);
	return semaphore;
}

static bool begin(void)
{
	char name[256] = "";
	unsigned char uuid[CL_UUID_SIZE_KHR] = {0};
	int fds[2];
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_NAME, sizeof(name), name, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_UUID_KHR, sizeof(uuid), uuid, NULL));
	maker = strstr(name, "softcuda") ? &tiled_soft : &tiled_vulkan;
	const char *absent = entry_find(test.platform) ? maker->start(uuid) : "no cl_khr_external_semaphore";
	if (absent) {
		printf("tiled images: SKIP: %s\n", absent);
		return false;
	}
	if (!CHECK(maker->semaphores(&fds[0], &fds[1])))
		return false;
	written = semaphore_import(fds[0]);
	wanted = semaphore_import(fds[1]);
	program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	return true;
}

int main(void)
{
	if (!api_test_start(&test, "tiled images"))
		return API_TEST_SKIP;
	if (!begin())
		return api_test_skip(&test);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		with_image(&shapes[i], both_ways);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].format.image_channel_order == CL_RGBA &&
		    shapes[i].format.image_channel_data_type == CL_UNSIGNED_INT8)
			with_image(&shapes[i], cleared);
	two_devices();
	errors();
	CHECK_OK(ext.release(written));
	CHECK_OK(ext.release(wanted));
	CHECK_OK(clReleaseProgram(program));
	const int result = api_test_end(&test);
	maker->end();
	return result;
}
