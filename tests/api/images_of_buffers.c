/* Protects: images of all types that are made of buffers (cl_ext_image_from_buffer).  What a command writes by way of
 * the image or of the buffer, the next one finds by way of the other, whatever commands they are, and on whatever
 * device.  Random commands beside a model of the bytes; and unordered launches that write different texels of an image.
 *
 * Seen to fail with each of these mistakes in image_mirror.c: a launch does not refresh the mirror, or not after a
 * write by a transfer, a map, a kernel, another image, or CUDA; the mirror is not copied back, or without the texels
 * that the kernel left alone; unordered launches, or a launch and a graph, are not serialized. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/command_buffer_entry.h"
#include "tests/api/cuda_library.h"
#include "tests/api/fixture.h"

#include <stdint.h>
#include <unistd.h>

enum { WORDS = 4096, SIZE_B = 4 * WORDS, SHAPES = 7, STEPS = 120 };

static struct api_test test;
static struct command_buffer_entry cb;
static const cl_image_format r32ui = {CL_R, CL_UNSIGNED_INT32};
static const size_t zero[3] = {0, 0, 0};

/* value() of the texels whose coordinates have an even or odd sum. */
#define KERNELS(shape, image, coordinates, x, y, z)                                                \
	"kernel void put_" shape "(write_only " image " to, uint seed, uint odd)\n"                 \
	"{ const int x = " x ", y = " y ", z = " z ";\n"                                            \
	"  if ((x + y + z & 1) == odd) write_imageui(to, " coordinates ", seed + x + 100 * y + 10000 * z); }\n" \
	"kernel void get_" shape "(read_only " image " from, sampler_t s, global uint *to)\n"       \
	"{ const int x = " x ", y = " y ", z = " z ";\n"                                            \
	"  to[x + get_global_size(0) * (y + get_global_size(1) * z)] =\n"                           \
	"    read_imageui(from, s, " coordinates ").x; }\n"
#define X "get_global_id(0)"
#define Y "get_global_id(1)"
#define Z "get_global_id(2)"
static const char source[] =
	KERNELS("1d", "image1d_t", "x", X, "0", "0")
	KERNELS("1d_array", "image1d_array_t", "(int2)(x, y)", X, Y, "0")
	KERNELS("2d", "image2d_t", "(int2)(x, y)", X, Y, "0")
	KERNELS("2d_array", "image2d_array_t", "(int4)(x, y, z, 0)", X, Y, Z)
	KERNELS("3d", "image3d_t", "(int4)(x, y, z, 0)", X, Y, Z)
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n"
	"kernel void get_buffer(read_only image1d_buffer_t from, global uint *to)\n"
	"{ to[get_global_id(0)] = read_imageui(from, (int)get_global_id(0)).x; }\n"
	"kernel void put_buffer(write_only image1d_buffer_t to, uint value)\n"
	"{ write_imageui(to, (int)get_global_id(0), (uint4)(value + get_global_id(0))); }\n";

/* Where the texel (x, y, z) of the region is in the buffer: word at + x + y * row + z * slice. */
struct shape {
	const char *name;
	cl_mem_object_type type;
	size_t region[3];                /* as clEnqueueReadImage takes it */
	size_t row_B, slice_B;           /* as clCreateImage takes them */
	size_t row, slice;
	size_t at;                       /* of the sub-buffer, a multiple of 32; 0: the buffer itself */
};

static const struct shape shapes[SHAPES] = {
	{"1d", CL_MEM_OBJECT_IMAGE1D, {37, 1, 1}, 0, 0, 37, 37, 0},
	{"1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, {13, 5, 1}, 17 * 4, 17 * 4, 17, 0, 0},
	{"2d", CL_MEM_OBJECT_IMAGE2D, {11, 7, 1}, 0, 0, 11, 0, 1024},
	{"2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, {9, 6, 4}, 10 * 4, 10 * 7 * 4, 10, 70, 0},
	{"3d", CL_MEM_OBJECT_IMAGE3D, {8, 5, 6}, 0, 0, 8, 40, 1024},
	{"3d", CL_MEM_OBJECT_IMAGE3D, {5, 4, 3}, 7 * 4, 7 * 5 * 4, 7, 35, 2048},
	/* A pitch that a texture can have, at an address that it cannot have. */
	{"2d", CL_MEM_OBJECT_IMAGE2D, {11, 7, 1}, 128, 0, 32, 0, 1024 + 32},
};

struct world {
	cl_context context;
	cl_program program;
	cl_command_queue queues[2];
	unsigned queue_count;
	cl_mem buffer, out, images[SHAPES];
	cl_kernel put[SHAPES], get[SHAPES], add;
	cl_sampler sampler;
	cl_command_buffer_khr recorded[SHAPES];
	uint32_t words[WORDS];           /* the buffer's */
	cl_event last;                   /* of the last command, which the next one waits for */
	uint64_t random;
};

static unsigned chance(struct world *world, unsigned most)
{
	world->random = world->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(world->random >> 33) % most;
}

static uint32_t *word_of(struct world *world, const struct shape *shape, size_t x, size_t y, size_t z)
{
	return &world->words[shape->at + x + y * shape->row + z * shape->slice];
}

#define FOR_TEXELS(shape, x, y, z)                                                                 \
	for (size_t z = 0; z < (shape)->region[2]; z++)                                             \
		for (size_t y = 0; y < (shape)->region[1]; y++)                                     \
			for (size_t x = 0; x < (shape)->region[0]; x++)

static size_t texels_of(const struct shape *shape)
{
	return shape->region[0] * shape->region[1] * shape->region[2];
}

/* --- the world -------------------------------------------------------------------------------- */

static cl_mem image_of(cl_mem buffer, cl_context context, const struct shape *shape)
{
	cl_image_desc desc = {
		.image_type = shape->type, .image_width = shape->region[0],
		.image_height = shape->region[1], .image_depth = shape->region[2],
		.image_array_size = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape->region[1]
									       : shape->region[2],
		.image_row_pitch = shape->row_B, .image_slice_pitch = shape->slice_B,
	};
	const cl_buffer_region part = {shape->at * 4, SIZE_B - shape->at * 4};
	cl_mem of = shape->at ? sub_buffer_make(buffer, 0, &part) : buffer;
	desc.mem_object = of;
	cl_mem image = image_make(context, 0, &r32ui, &desc, NULL);
	if (shape->at)
		CHECK_OK(clReleaseMemObject(of));
	return image;
}

static void record(struct world *world, unsigned i)
{
	static const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 1, 0};
	const struct shape *shape = &shapes[i];
	cl_int code;
	world->recorded[i] = cb.create(1, &world->queues[0], list, &code);
	CHECK_OK(code);
	const cl_uint seed = 77, odd = i & 1;
	CHECK_OK(clSetKernelArg(world->put[i], 1, sizeof(seed), &seed));
	CHECK_OK(clSetKernelArg(world->put[i], 2, sizeof(odd), &odd));
	CHECK_OK(cb.launch(world->recorded[i], NULL, NULL, world->put[i], 3, NULL, shape->region, NULL, 0,
			   NULL, NULL, NULL));
	CHECK_OK(cb.launch(world->recorded[i], NULL, NULL, world->get[i], 3, NULL, shape->region, NULL, 0,
			   NULL, NULL, NULL));
	CHECK_OK(cb.finalize(world->recorded[i]));
}

static void kernels_make(struct world *world, unsigned i)
{
	char name[16];
	snprintf(name, sizeof(name), "put_%s", shapes[i].name);
	world->put[i] = kernel_make(world->program, name);
	snprintf(name, sizeof(name), "get_%s", shapes[i].name);
	world->get[i] = kernel_make(world->program, name);
	CHECK_OK(clSetKernelArg(world->put[i], 0, sizeof(cl_mem), &world->images[i]));
	CHECK_OK(clSetKernelArg(world->get[i], 0, sizeof(cl_mem), &world->images[i]));
	CHECK_OK(clSetKernelArg(world->get[i], 1, sizeof(cl_sampler), &world->sampler));
	CHECK_OK(clSetKernelArg(world->get[i], 2, sizeof(cl_mem), &world->out));
}

static bool world_start(struct world *world, unsigned devices, cl_mem_flags flags, void *host)
{
	cl_int code;
	memset(world, 0, sizeof(*world));
	world->random = 1;
	world->context = context_make(devices, test.devices);
	world->program = api_test_build(world->context, test.devices[0], source, NULL);
	if (!CHECK(world->program))
		return false;
	world->queue_count = 2;
	for (unsigned i = 0; i < 2; i++)
		world->queues[i] = queue_make(world->context, test.devices[i % devices], 0);
	for (unsigned i = 0; i < WORDS; i++)
		world->words[i] = i * 1000003;
	if (host)
		memcpy(host, world->words, SIZE_B);
	world->buffer = buffer_make(world->context, host ? flags : CL_MEM_COPY_HOST_PTR, SIZE_B,
				    host ? host : world->words);
	world->out = buffer_make(world->context, 0, SIZE_B, NULL);
	world->sampler = clCreateSampler(world->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST,
					 &code);
	CHECK_OK(code);
	world->add = kernel_make(world->program, "add");
	for (unsigned i = 0; i < SHAPES; i++) {
		world->images[i] = image_of(world->buffer, world->context, &shapes[i]);
		kernels_make(world, i);
		record(world, i);
	}
	return true;
}

static void world_end(struct world *world)
{
	static uint32_t back[WORDS];
	for (unsigned i = 0; i < world->queue_count; i++)
		CHECK_OK(clFinish(world->queues[i]));
	CHECK_OK(clEnqueueReadBuffer(world->queues[0], world->buffer, CL_TRUE, 0, SIZE_B, back, 0, NULL, NULL));
	CHECK(!memcmp(back, world->words, SIZE_B));
	if (world->last)
		CHECK_OK(clReleaseEvent(world->last));
	for (unsigned i = 0; i < SHAPES; i++) {
		CHECK_OK(cb.release(world->recorded[i]));
		CHECK_OK(clReleaseKernel(world->put[i]));
		CHECK_OK(clReleaseKernel(world->get[i]));
		CHECK_OK(clReleaseMemObject(world->images[i]));
	}
	CHECK_OK(clReleaseKernel(world->add));
	CHECK_OK(clReleaseSampler(world->sampler));
	CHECK_OK(clReleaseMemObject(world->buffer));
	CHECK_OK(clReleaseMemObject(world->out));
	CHECK_OK(clReleaseProgram(world->program));
	for (unsigned i = 0; i < world->queue_count; i++)
		CHECK_OK(clReleaseCommandQueue(world->queues[i]));
	CHECK_OK(clReleaseContext(world->context));
}

/* --- commands --------------------------------------------------------------------------------- */

/* The wait list of the next command, and where its event goes. */
#define AFTER_LAST(world) (world)->last ? 1 : 0, (world)->last ? &(world)->last : NULL, &next
#define STEP(world, call)                                                                          \
	do {                                                                                       \
		cl_event next = NULL;                                                              \
		CHECK_OK(call);                                                                    \
		if ((world)->last)                                                                 \
			CHECK_OK(clReleaseEvent((world)->last));                                   \
		(world)->last = next;                                                              \
	} while (0)

static cl_command_queue any_queue(struct world *world)
{
	return world->queues[chance(world, world->queue_count)];
}

static void put_model(struct world *world, unsigned i, uint32_t seed, unsigned odd)
{
	FOR_TEXELS(&shapes[i], x, y, z)
		if (((x + y + z) & 1) == odd)
			*word_of(world, &shapes[i], x, y, z) = (uint32_t)(seed + x + 100 * y + 10000 * z);
}

static void step_put(struct world *world, unsigned i)
{
	const cl_uint seed = chance(world, 1 << 20), odd = chance(world, 2);
	CHECK_OK(clSetKernelArg(world->put[i], 1, sizeof(seed), &seed));
	CHECK_OK(clSetKernelArg(world->put[i], 2, sizeof(odd), &odd));
	STEP(world, clEnqueueNDRangeKernel(any_queue(world), world->put[i], 3, NULL, shapes[i].region, NULL,
					   AFTER_LAST(world)));
	put_model(world, i, seed, odd);
}

static void out_expect(struct world *world, unsigned i)
{
	static uint32_t back[WORDS];
	const struct shape *shape = &shapes[i];
	bool good = true;
	STEP(world, clEnqueueReadBuffer(any_queue(world), world->out, CL_TRUE, 0, texels_of(shape) * 4, back,
					AFTER_LAST(world)));
	FOR_TEXELS(shape, x, y, z)
		good &= back[x + shape->region[0] * (y + shape->region[1] * z)] ==
			*word_of(world, shape, x, y, z);
	if (!CHECK(good))
		printf("  image %u, a %s\n", i, shape->name);
}

static void step_get(struct world *world, unsigned i)
{
	STEP(world, clEnqueueNDRangeKernel(any_queue(world), world->get[i], 3, NULL, shapes[i].region, NULL,
					   AFTER_LAST(world)));
	out_expect(world, i);
}

/* A graph that writes an image, and reads what it wrote. */
static void step_replay(struct world *world, unsigned i)
{
	cl_command_queue queue = world->queues[0];
	STEP(world, cb.enqueue(1, &queue, world->recorded[i], AFTER_LAST(world)));
	put_model(world, i, 77, i & 1);
	out_expect(world, i);
}

static void step_add(struct world *world)
{
	const cl_uint value = chance(world, 1000);
	const size_t count = 1 + chance(world, WORDS);
	CHECK_OK(clSetKernelArg(world->add, 0, sizeof(cl_mem), &world->buffer));
	CHECK_OK(clSetKernelArg(world->add, 1, sizeof(value), &value));
	STEP(world, clEnqueueNDRangeKernel(any_queue(world), world->add, 1, NULL, &count, NULL,
					   AFTER_LAST(world)));
	for (size_t i = 0; i < count; i++)
		world->words[i] += value;
}

static void step_buffer(struct world *world)
{
	const size_t at = chance(world, WORDS), count = 1 + chance(world, WORDS - (unsigned)at);
	const uint32_t word = chance(world, 1 << 30);
	cl_int code;
	for (size_t i = at; i < at + count; i++)
		world->words[i] = word;
	if (chance(world, 2)) {
		STEP(world, clEnqueueFillBuffer(any_queue(world), world->buffer, &word, 4, 4 * at, 4 * count,
						AFTER_LAST(world)));
	} else if (chance(world, 2)) {
		STEP(world, clEnqueueWriteBuffer(any_queue(world), world->buffer, CL_TRUE, 4 * at, 4 * count,
						 &world->words[at], AFTER_LAST(world)));
	} else {
		cl_command_queue queue = any_queue(world);
		uint32_t *mapped = clEnqueueMapBuffer(queue, world->buffer, CL_TRUE, CL_MAP_WRITE, 4 * at,
						      4 * count, world->last ? 1 : 0,
						      world->last ? &world->last : NULL, NULL, &code);
		if (CHECK_OK(code))
			memcpy(mapped, &world->words[at], 4 * count);
		STEP(world, clEnqueueUnmapMemObject(queue, world->buffer, mapped, AFTER_LAST(world)));
	}
}

/* Of a box: a fill, a write, or a map. */
static void step_box(struct world *world, unsigned i)
{
	const struct shape *shape = &shapes[i];
	static uint32_t texels[WORDS];
	size_t origin[3], region[3], row_B = 0, slice_B = 0;
	const uint32_t color[4] = {chance(world, 1 << 30), 0, 0, 0};
	cl_int code;
	for (unsigned k = 0; k < 3; k++) {
		origin[k] = chance(world, (unsigned)shape->region[k]);
		region[k] = 1 + chance(world, (unsigned)(shape->region[k] - origin[k]));
	}
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++)
				*word_of(world, shape, origin[0] + x, origin[1] + y, origin[2] + z) = color[0];
	for (unsigned k = 0; k < WORDS; k++)
		texels[k] = color[0];
	const unsigned way = chance(world, 3);
	if (way == 0) {
		STEP(world, clEnqueueFillImage(any_queue(world), world->images[i], color, origin, region,
					       AFTER_LAST(world)));
	} else if (way == 1) {
		STEP(world, clEnqueueWriteImage(any_queue(world), world->images[i], CL_TRUE, origin, region, 0,
						0, texels, AFTER_LAST(world)));
	} else {
		cl_command_queue queue = any_queue(world);
		unsigned char *mapped = clEnqueueMapImage(
			queue, world->images[i], CL_TRUE, CL_MAP_WRITE, origin, region, &row_B, &slice_B,
			world->last ? 1 : 0, world->last ? &world->last : NULL, NULL, &code);
		const size_t y_B = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice_B : row_B;
		for (size_t z = 0; CHECK_OK(code) && z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				memcpy(mapped + z * slice_B + y * y_B, texels, 4 * region[0]);
		STEP(world, clEnqueueUnmapMemObject(queue, world->images[i], mapped, AFTER_LAST(world)));
	}
}

static void step_read(struct world *world, unsigned i)
{
	const struct shape *shape = &shapes[i];
	static uint32_t back[WORDS];
	bool good = true;
	STEP(world, clEnqueueReadImage(any_queue(world), world->images[i], CL_TRUE, zero, shape->region, 0, 0,
				       back, AFTER_LAST(world)));
	FOR_TEXELS(shape, x, y, z)
		good &= back[x + shape->region[0] * (y + shape->region[1] * z)] ==
			*word_of(world, shape, x, y, z);
	CHECK(good);
}

static void step_any(struct world *world)
{
	const unsigned i = chance(world, SHAPES);
	switch (chance(world, 8)) {
	case 0: case 1:
		step_put(world, i);
		break;
	case 2: case 3:
		step_get(world, i);
		break;
	case 4:
		step_buffer(world);
		break;
	case 5:
		step_box(world, i);
		break;
	case 6:
		if (chance(world, 2))
			step_replay(world, i);
		else
			step_add(world);
		break;
	default:
		step_read(world, i);
		break;
	}
}

static void test_random(unsigned devices, cl_mem_flags flags, void *host)
{
	struct world world;
	if (!world_start(&world, devices, flags, host))
		return;
	for (unsigned i = 0; i < STEPS; i++)
		step_any(&world);
	world_end(&world);
}

/* --- the application's own ways to the buffer ------------------------------------------------- */

/* Makes all images of another buffer, which has the same words, and which the world owns from now on. */
static void buffer_replace(struct world *world, cl_mem buffer)
{
	CHECK_OK(clReleaseMemObject(world->buffer));
	world->buffer = buffer;
	for (unsigned i = 0; i < SHAPES; i++) {
		CHECK_OK(clReleaseMemObject(world->images[i]));
		world->images[i] = image_of(buffer, world->context, &shapes[i]);
		CHECK_OK(clSetKernelArg(world->get[i], 0, sizeof(cl_mem), &world->images[i]));
	}
}

/* A buffer in shared virtual memory, which is filled as such.  It starts at the word AT of the memory, where a
 * texture may not. */
static void test_svm(size_t at)
{
	struct world world;
	if (!world_start(&world, 1, 0, NULL))
		return;
	uint32_t *whole = clSVMAlloc(world.context, CL_MEM_READ_WRITE, 4 * at + SIZE_B, 0);
	if (CHECK(whole)) {
		uint32_t *memory = whole + at;
		CHECK_OK(clEnqueueSVMMemcpy(world.queues[0], CL_TRUE, memory, world.words, SIZE_B, 0, NULL, NULL));
		buffer_replace(&world, buffer_make(world.context, CL_MEM_USE_HOST_PTR, SIZE_B, memory));
		for (unsigned i = 0; i < 3 * SHAPES; i++) {
			const uint32_t word = i * 77777;
			step_get(&world, i % SHAPES);
			CHECK_OK(clEnqueueSVMMemFill(world.queues[0], memory, &word, 4, SIZE_B, 0, NULL, NULL));
			CHECK_OK(clFinish(world.queues[0]));
			for (unsigned k = 0; k < WORDS; k++)
				world.words[k] = word;
			step_get(&world, i % SHAPES);
		}
		CHECK_OK(clFinish(world.queues[0]));
		CHECK_OK(clFinish(world.queues[1]));
		buffer_replace(&world, buffer_make(world.context, CL_MEM_COPY_HOST_PTR, SIZE_B, world.words));
		clSVMFree(world.context, whole);
	}
	world_end(&world);
}

/* CUDA's calls on memory of a buffer, which OpenCL does not see. */
struct cuda {
	int (*push)(void *context), (*pop)(void **context);
	int (*alloc)(uint64_t *address, size_t size_B), (*free)(uint64_t address);
	int (*copy)(uint64_t address, const void *from, size_t size_B, void *stream);
	void *context, *stream;
};

static bool cuda_find(const struct world *world, struct cuda *cuda)
{
	static const char *const names[] = {"cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuMemAlloc_v2",
					    "cuMemFree_v2", "cuMemcpyHtoDAsync_v2"};
	void *library = cuda_library(NULL);
	clGetCudaStreamCULVERT_fn stream;
	clGetCudaContextCULVERT_fn context;
	*(void **)&context = clGetExtensionFunctionAddressForPlatform(test.platform, "clGetCudaContextCULVERT");
	*(void **)&stream = clGetExtensionFunctionAddressForPlatform(test.platform, "clGetCudaStreamCULVERT");
	for (unsigned i = 0; i < 5; i++) {
		void *found = library ? dlsym(library, names[i]) : NULL;
		if (!CHECK(found))
			return false;
		memcpy((char *)cuda + i * sizeof(found), &found, sizeof(found));
	}
	return CHECK(context && stream) && CHECK_OK(context(world->context, test.device, &cuda->context, NULL)) &&
	       CHECK_OK(stream(world->queues[0], &cuda->stream));
}

/* Each image, before and after CUDA has written the buffer at address. */
static void cuda_writes(struct world *world, struct cuda *cuda, uint64_t address)
{
	for (unsigned i = 0; i < SHAPES; i++) {
		step_get(world, i);
		for (unsigned k = 0; k < WORDS; k++)
			world->words[k] = i * 7 + k;
		CHECK_OK(clFinish(world->queues[0]));
		CHECK(!cuda->push(cuda->context) && !cuda->copy(address, world->words, SIZE_B, cuda->stream) &&
		      !cuda->pop(&cuda->context));
		step_get(world, i);
	}
}

/* cl_culvert_cuda_interop: "A pointer may be used outside of clEnqueueCudaWorkCULVERT if the context has one device and
 * the buffer was never mapped and has no host pointer." */
static void test_cuda_pointer(void)
{
	struct world world;
	struct cuda cuda;
	cl_ulong address = 0;
	clGetCudaPointerCULVERT_fn pointer;
	*(void **)&pointer = clGetExtensionFunctionAddressForPlatform(test.platform, "clGetCudaPointerCULVERT");
	if (!world_start(&world, 1, 0, NULL))
		return;
	/* The copies are in the stream of the first queue. */
	world.queue_count = 1;
	step_get(&world, 4);
	if (cuda_find(&world, &cuda) && CHECK(pointer) &&
	    CHECK_OK(pointer(world.buffer, test.device, &address)))
		cuda_writes(&world, &cuda, address);
	CHECK_OK(clReleaseCommandQueue(world.queues[1]));
	world_end(&world);
}

static void test_cuda_memory(void)
{
	struct world world;
	struct cuda cuda;
	uint64_t address = 0;
	cl_int code;
	clCreateBufferFromCudaPointerCULVERT_fn create;
	*(void **)&create = clGetExtensionFunctionAddressForPlatform(test.platform,
								     "clCreateBufferFromCudaPointerCULVERT");
	if (!world_start(&world, 1, 0, NULL))
		return;
	world.queue_count = 1;
	if (cuda_find(&world, &cuda) && CHECK(create) &&
	    CHECK(!cuda.push(cuda.context) && !cuda.alloc(&address, SIZE_B) && !cuda.pop(&cuda.context))) {
		cl_mem adopted = create(world.context, test.device, 0, SIZE_B, address, &code);
		CHECK_OK(code);
		CHECK_OK(clEnqueueWriteBuffer(world.queues[0], adopted, CL_TRUE, 0, SIZE_B, world.words, 0, NULL,
					      NULL));
		buffer_replace(&world, adopted);
		cuda_writes(&world, &cuda, address);
		CHECK_OK(clFinish(world.queues[0]));
		buffer_replace(&world, buffer_make(world.context, CL_MEM_COPY_HOST_PTR, SIZE_B, world.words));
		CHECK(!cuda.push(cuda.context) && !cuda.free(address) && !cuda.pop(&cuda.context));
	}
	CHECK_OK(clReleaseCommandQueue(world.queues[1]));
	world_end(&world);
}

/* --- order ------------------------------------------------------------------------------------ */

/* Two launches in an out-of-order queue write different texels of an image. */
static void test_unordered(void)
{
	struct world world;
	if (!world_start(&world, 1, 0, NULL))
		return;
	cl_command_queue queue = queue_make(world.context, test.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	for (cl_uint round = 0; round < 40; round++) {
		const unsigned i = round % SHAPES;
		for (cl_uint odd = 0; odd < 2; odd++) {
			const cl_uint seed = round * 1000 + odd;
			CHECK_OK(clSetKernelArg(world.put[i], 1, sizeof(seed), &seed));
			CHECK_OK(clSetKernelArg(world.put[i], 2, sizeof(odd), &odd));
			CHECK_OK(clEnqueueNDRangeKernel(queue, world.put[i], 3, NULL, shapes[i].region, NULL, 0,
							NULL, NULL));
			put_model(&world, i, seed, odd);
		}
		CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	}
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseCommandQueue(queue));
	world_end(&world);
}

/* A graph in one queue and a launch in another write different texels of an image. */
static void test_unordered_replay(void)
{
	struct world world;
	if (!world_start(&world, 1, 0, NULL))
		return;
	for (cl_uint round = 0; round < 30; round++) {
		const unsigned i = round % SHAPES;
		const cl_uint seed = round * 1000, odd = !(i & 1);
		CHECK_OK(clSetKernelArg(world.put[i], 1, sizeof(seed), &seed));
		CHECK_OK(clSetKernelArg(world.put[i], 2, sizeof(odd), &odd));
		if (round & 1)
			CHECK_OK(cb.enqueue(1, &world.queues[0], world.recorded[i], 0, NULL, NULL));
		CHECK_OK(clEnqueueNDRangeKernel(world.queues[1], world.put[i], 3, NULL, shapes[i].region, NULL, 0,
						NULL, NULL));
		if (!(round & 1))
			CHECK_OK(cb.enqueue(1, &world.queues[0], world.recorded[i], 0, NULL, NULL));
		put_model(&world, i, seed, odd);
		put_model(&world, i, 77, i & 1);
		CHECK_OK(clFinish(world.queues[0]));
		CHECK_OK(clFinish(world.queues[1]));
	}
	world_end(&world);
}

/* Launches that are not ordered in a command buffer of an out-of-order queue. */
static void test_unordered_graph(void)
{
	static const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 1, 0};
	struct world world;
	cl_int code;
	if (!world_start(&world, 1, 0, NULL))
		return;
	cl_command_queue queue = queue_make(world.context, test.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_command_buffer_khr buffer = cb.create(1, &queue, list, &code);
	CHECK_OK(code);
	for (cl_uint odd = 0; odd < 2; odd++) {
		const cl_uint seed = 123456 * (odd + 1);
		CHECK_OK(clSetKernelArg(world.put[4], 1, sizeof(seed), &seed));
		CHECK_OK(clSetKernelArg(world.put[4], 2, sizeof(odd), &odd));
		CHECK_OK(cb.launch(buffer, NULL, NULL, world.put[4], 3, NULL, shapes[4].region, NULL, 0, NULL, NULL,
				   NULL));
		put_model(&world, 4, seed, odd);
	}
	CHECK_OK(cb.finalize(buffer));
	for (unsigned i = 0; i < 10; i++)
		CHECK_OK(cb.enqueue(1, &queue, buffer, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	world_end(&world);
}

/* --- what it costs ---------------------------------------------------------------------------- */

/* Launches that read an image copy its texels once, and once more after a write of the buffer; a fill takes few
 * calls. */
static void test_copies(void)
{
	struct world world;
	uint64_t (*calls)(const char *pattern);
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "culvert_soft_calls") : NULL;
	if (!symbol || !world_start(&world, 1, 0, NULL))
		return;
	memcpy(&calls, &symbol, sizeof(calls));
	const uint64_t before = calls("cuMemcpy3DAsync*");
	for (unsigned i = 0; i < 5; i++)
		step_get(&world, 4);
	CHECK(calls("cuMemcpy3DAsync*") == before + 1);
	step_add(&world);
	for (unsigned i = 0; i < 5; i++)
		step_get(&world, 4);
	CHECK(calls("cuMemcpy3DAsync*") == before + 2);
	/* There and back; and the mirror has what the kernel wrote. */
	step_put(&world, 4);
	CHECK(calls("cuMemcpy3DAsync*") == before + 3);
	step_get(&world, 4);
	CHECK(calls("cuMemcpy3DAsync*") == before + 3);
	/* A fill of 24 padded rows writes one of them. */
	const cl_uint color[4] = {5, 0, 0, 0};
	const uint64_t fills = calls("cuMemset*");
	cl_command_queue queue = any_queue(&world);
	CHECK_OK(clEnqueueFillImage(queue, world.images[3], color, zero, shapes[3].region, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(calls("cuMemset*") == fills + 1);
	for (size_t n = 0; n < 9 * 6 * 4; n++)
		*word_of(&world, &shapes[3], n % 9, n / 9 % 6, n / 54) = color[0];
	world_end(&world);
}

/* The software device reports bytes that two operations use, if nothing orders them. */
static const char report[] = "images_of_buffers.report";

/* A 1D image buffer may begin wherever a sub-buffer may, where a texture may not. */
static void test_image_buffers(void)
{
	enum { TEXELS = 50 };
	struct world world;
	if (!world_start(&world, 1, 0, NULL))
		return;
	cl_kernel get = kernel_make(world.program, "get_buffer"), put = kernel_make(world.program, "put_buffer");
	for (size_t at = 32; at <= 160; at += 32) {
		const struct shape shape = {"", CL_MEM_OBJECT_IMAGE1D_BUFFER, {TEXELS, 1, 1}, 0, 0, 0, 0, at};
		const cl_uint value = (cl_uint)at * 1000;
		const size_t size = TEXELS;
		uint32_t got[TEXELS] = {0};
		cl_mem image = image_of(world.buffer, world.context, &shape);
		CHECK_OK(clSetKernelArg(get, 0, sizeof(image), &image));
		CHECK_OK(clSetKernelArg(get, 1, sizeof(world.out), &world.out));
		CHECK_OK(clEnqueueNDRangeKernel(world.queues[0], get, 1, NULL, &size, NULL, 0, NULL, NULL));
		CHECK_OK(clEnqueueReadBuffer(world.queues[0], world.out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
		CHECK(!memcmp(got, &world.words[at], sizeof(got)));
		CHECK_OK(clSetKernelArg(put, 0, sizeof(image), &image));
		CHECK_OK(clSetKernelArg(put, 1, sizeof(value), &value));
		CHECK_OK(clEnqueueNDRangeKernel(world.queues[0], put, 1, NULL, &size, NULL, 0, NULL, NULL));
		CHECK_OK(clFinish(world.queues[0]));
		for (unsigned i = 0; i < TEXELS; i++)
			world.words[at + i] = value + i;
		CHECK_OK(clReleaseMemObject(image));
	}
	CHECK_OK(clReleaseKernel(get));
	CHECK_OK(clReleaseKernel(put));
	world_end(&world);
}

int main(void)
{
	static uint32_t host[WORDS] __attribute__((aligned(4096)));
	unlink(report);
	setenv("CULVERT_SOFT_ORACLE", "1", 1);
	setenv("CULVERT_SOFT_REPORT", report, 1);
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	setenv("CULVERT_SOFT_SCHED", "seed:7", 0);
	if (!api_test_start(&test, "images_of_buffers"))
		return API_TEST_SKIP;
	if (CHECK(command_buffer_entry_find(test.platform, &cb))) {
		test_random(1, 0, NULL);
		test_random(1, CL_MEM_USE_HOST_PTR, host);
		if (test.device_count > 1) {
			test_random(2, 0, NULL);
			test_random(2, CL_MEM_USE_HOST_PTR, host);
		}
		test_image_buffers();
		test_svm(0);
		test_svm(48);
		test_cuda_pointer();
		test_cuda_memory();
		test_unordered();
		test_unordered_replay();
		test_unordered_graph();
		test_copies();
	}
	CHECK(access(report, F_OK));
	return api_test_end(&test);
}
