/* Protects: objects that nothing may write to (cl_ext_immutable_memory_objects): all devices and
 * the host read them in each way that there is, what is made of them is immutable too, and a
 * kernel that could write to one does not get it.  (tests/api/errors has what else is refused.) */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

/* Older headers do not know CL_MEM_IMMUTABLE_EXT. */
#define IMMUTABLE ((cl_mem_flags)1 << 6)

enum { COUNT = 1024, SIZE_B = COUNT * (int)sizeof(cl_uint), WIDTH = 32, HEIGHT = COUNT / WIDTH };

static const char source[] =
	"kernel void of_constant(constant uint *from, global uint *to)\n"
	"{ to[get_global_id(0)] = from[get_global_id(0)] * 2; }\n"
	"kernel void of_const(global const uint *from, global uint *to)\n"
	"{ to[get_global_id(0)] = from[get_global_id(0)] * 2; }\n"
	"kernel void of_global(global uint *from, global uint *to)\n"
	"{ to[get_global_id(0)] = from[get_global_id(0)] * 2; }\n"
	"kernel void by_address(global uint *global *cell, global uint *to)\n"
	"{ to[get_global_id(0)] = (*cell)[get_global_id(0)] * 2; }\n"
	"kernel void of_image(read_only image2d_t from, global uint *to)\n"
	"{\n"
	"	const int x = get_global_id(0) % 32, y = get_global_id(0) / 32;\n"
	"	to[get_global_id(0)] = read_imageui(from, (int2)(x, y)).x * 2;\n"
	"}\n"
	"kernel void updates(read_write image2d_t image) { write_imageui(image, (int2)(0), 7); }\n";

static const cl_mem_flags origins[] = {
	CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
};

static const cl_image_format one_uint = {CL_R, CL_UNSIGNED_INT32};
static const size_t zero[3], whole[3] = {WIDTH, HEIGHT, 1};

static struct api_test test;
static cl_context context;               /* of all devices */
static cl_command_queue queues[API_TEST_MOST_DEVICES];
static cl_program program;
static cl_mem out;
static cl_uint given[COUNT];

static cl_mem image_of(cl_mem_flags flags, const cl_image_format *format, cl_mem from,
		       void *pointer)
{
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH,
		.image_height = HEIGHT, .mem_object = from,
	};
	return image_make(context, flags, format, &desc, pointer);
}

static bool all_are(const cl_uint *values, cl_uint times)
{
	for (cl_uint i = 0; i < COUNT; i++)
		if (values[i] != given[i] * times)
			return false;
	return true;
}

/* --- reading --------------------------------------------------------------------------------- */

/* The kernel, whose arguments are set, puts twice what it reads into out. */
static void launch_and_check(cl_command_queue queue, cl_kernel kernel)
{
	const cl_uint nothing = 0;
	const size_t global = COUNT;
	cl_uint values[COUNT];
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
	CHECK_OK(clEnqueueFillBuffer(queue, out, &nothing, 4, 0, SIZE_B, 0, NULL, NULL));
	launch_1d(queue, kernel, global);
	buffer_read(queue, out, values, SIZE_B);
	CHECK(all_are(values, 2));
}

/* Each device in turn, and the first once more: none has spoiled what another has. */
static void launch_everywhere(const char *name, cl_mem mem)
{
	cl_kernel kernel = kernel_make(program, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	for (cl_uint i = 0; i <= test.device_count; i++)
		launch_and_check(queues[i % test.device_count], kernel);
	CHECK_OK(clReleaseKernel(kernel));
}

static void CL_CALLBACK host_reads(void *data)
{
	CHECK(all_are(*(cl_uint **)data, 1));
}

static void host_side(cl_command_queue queue, cl_mem mem)
{
	cl_uint values[COUNT] = {0};
	cl_mem handle = mem;
	const void *place = &handle;
	cl_int code;
	buffer_read(queue, mem, values, SIZE_B);
	CHECK(all_are(values, 1));
	cl_uint *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE_B, 0, NULL,
					     NULL, &code);
	CHECK_OK(code);
	CHECK(mapped && all_are(mapped, 1));
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	CHECK_OK(clEnqueueNativeKernel(queue, host_reads, &handle, sizeof(handle), 1, &mem, &place,
				       0, NULL, NULL));
	CHECK_OK(clEnqueueCopyBuffer(queue, mem, out, 0, 0, SIZE_B, 0, NULL, NULL));
	buffer_read(queue, out, values, SIZE_B);
	CHECK(all_are(values, 1));
}

/* Migration that leaves the contents undefined leaves these as they are. */
static void migrations(cl_mem mem)
{
	for (cl_uint i = 0; i < test.device_count; i++)
		CHECK_OK(clEnqueueMigrateMemObjects(queues[i], 1, &mem,
						    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
						    NULL, NULL));
	for (cl_uint i = 0; i < test.device_count; i++)
		CHECK_OK(clFinish(queues[i]));
	host_side(queues[0], mem);
}

static void check_buffers(void)
{
	static const char *const names[] = {"of_constant", "of_const", "of_global"};
	for (unsigned i = 0; i < 3; i++) {
		cl_mem mem = buffer_make(context, IMMUTABLE | origins[i], SIZE_B, given);
		cl_mem_flags flags = 0;
		CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
		CHECK(flags == (IMMUTABLE | origins[i]));
		for (unsigned j = 0; j < 3; j++)
			launch_everywhere(names[j], mem);
		for (cl_uint j = 0; j < test.device_count; j++)
			host_side(queues[j], mem);
		migrations(mem);
		launch_everywhere(names[i], mem);
		CHECK_OK(clReleaseMemObject(mem));
	}
}

static void image_host_side(cl_command_queue queue, cl_mem mem)
{
	cl_uint values[COUNT] = {0};
	size_t row_B = 0;
	cl_int code;
	CHECK_OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, whole, 0, 0, values, 0, NULL, NULL));
	CHECK(all_are(values, 1));
	cl_uint *mapped = clEnqueueMapImage(queue, mem, CL_TRUE, CL_MAP_READ, zero, whole, &row_B,
					    NULL, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(mapped && mapped[WIDTH - 1] == given[WIDTH - 1]);
	CHECK(mapped && mapped[row_B / 4] == given[WIDTH]);
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	CHECK_OK(clEnqueueCopyImageToBuffer(queue, mem, out, zero, whole, 0, 0, NULL, NULL));
	buffer_read(queue, out, values, SIZE_B);
	CHECK(all_are(values, 1));
}

static void check_images(void)
{
	cl_kernel updates = kernel_make(program, "updates");
	for (unsigned i = 0; i < 3; i++) {
		cl_mem mem = image_of(IMMUTABLE | origins[i], &one_uint, NULL, given);
		CHECK_CODE(clSetKernelArg(updates, 0, sizeof(mem), &mem), CL_INVALID_ARG_VALUE);
		launch_everywhere("of_image", mem);
		for (cl_uint j = 0; j < test.device_count; j++)
			image_host_side(queues[j], mem);
		launch_everywhere("of_image", mem);
		CHECK_OK(clReleaseMemObject(mem));
	}
	CHECK_OK(clReleaseKernel(updates));
}

/* --- what is made of them -------------------------------------------------------------------- */

static cl_mem_flags flags_of(cl_mem mem)
{
	cl_mem_flags flags = 0;
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	return flags;
}

/* 5.2.1: access flags that are not given are the buffer's; those that are narrow it. */
static void check_sub_buffers(void)
{
	static const cl_mem_flags flags[] = {0, CL_MEM_READ_ONLY, IMMUTABLE,
					     CL_MEM_HOST_READ_ONLY};
	const cl_buffer_region half = {SIZE_B / 2, SIZE_B / 2};
	const cl_uint value = 7;
	cl_uint read = 0;
	cl_mem mem = buffer_make(context, IMMUTABLE | CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
				 SIZE_B, given);
	for (unsigned i = 0; i < 4; i++) {
		cl_mem sub = sub_buffer_make(mem, flags[i], &half);
		CHECK(flags_of(sub) & IMMUTABLE);
		CHECK(!(flags_of(sub) & CL_MEM_READ_WRITE));
		CHECK(flags[i] & ~CL_MEM_HOST_READ_ONLY || flags_of(sub) & CL_MEM_READ_ONLY);
		CHECK_CODE(clEnqueueWriteBuffer(queues[0], sub, CL_TRUE, 0, 4, &value, 0, NULL,
						NULL), CL_INVALID_OPERATION);
		CHECK_CODE(clEnqueueFillBuffer(queues[0], sub, &value, 4, 0, 4, 0, NULL, NULL),
			   CL_INVALID_OPERATION);
		buffer_read(queues[0], sub, &read, 4);
		CHECK(read == given[COUNT / 2]);
		CHECK_OK(clReleaseMemObject(sub));
	}
	CHECK_OK(clReleaseMemObject(mem));
}

static void view_refuses(cl_mem view)
{
	const cl_uint color[4] = {9};
	cl_uint values[COUNT] = {0};
	CHECK(flags_of(view) & IMMUTABLE);
	CHECK_CODE(clEnqueueFillImage(queues[0], view, color, zero, whole, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueWriteImage(queues[0], view, CL_TRUE, zero, whole, 0, 0, values, 0, NULL,
				       NULL), CL_INVALID_OPERATION);
	CHECK_OK(clEnqueueReadImage(queues[0], view, CL_TRUE, zero, whole, 0, 0, values, 0, NULL,
				    NULL));
	CHECK(all_are(values, 1));
}

/* Images of an immutable buffer, and of an immutable image; and an image of a buffer that may
 * change: then only nobody writes by way of the image. */
static void check_views(void)
{
	const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
	cl_mem buffer = buffer_make(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, SIZE_B, given);
	cl_mem open = buffer_make(context, CL_MEM_COPY_HOST_PTR, SIZE_B, given);
	cl_mem view = image_of(IMMUTABLE, &one_uint, buffer, NULL);
	cl_mem view_of_open = image_of(IMMUTABLE, &one_uint, open, NULL);
	cl_mem image = image_of(IMMUTABLE | CL_MEM_COPY_HOST_PTR, &rgba, NULL, given);
	cl_mem view_of_image = image_of(IMMUTABLE, &srgb, image, NULL);
	view_refuses(view);
	view_refuses(view_of_open);
	view_refuses(view_of_image);
	launch_everywhere("of_image", view);
	CHECK_OK(clEnqueueWriteBuffer(queues[0], open, CL_TRUE, 0, SIZE_B, given, 0, NULL, NULL));
	for (cl_mem *mem = (cl_mem[]){view_of_image, image, view_of_open, view, open, buffer, NULL};
	     *mem; mem++)
		CHECK_OK(clReleaseMemObject(*mem));
}

/* Kernels only read immutable images, so that each format which a kernel may write is among theirs, and sRGB. */
static void check_formats(void)
{
	cl_image_format formats[256];
	cl_uint count = 0, written = 0;
	bool srgb = false;
	CHECK_OK(clGetSupportedImageFormats(context, IMMUTABLE, CL_MEM_OBJECT_IMAGE2D, 256, formats,
					    &count));
	CHECK_OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
					    NULL, &written));
	for (cl_uint i = 0; i < count; i++)
		srgb |= formats[i].image_channel_order == CL_sRGBA;
	CHECK(srgb && count >= written);
}

/* --- who could write ------------------------------------------------------------------------- */

static void check_writers(void)
{
	cl_mem mem = buffer_make(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, SIZE_B, given);
	/* 5.6.1: clSVMAlloc fails if "flags contains CL_MEM_IMMUTABLE_EXT". */
	CHECK(!clSVMAlloc(context, IMMUTABLE, SIZE_B, 0));
	for (const char **name = (const char *[]){"of_constant", "of_const", "of_global", NULL};
	     *name; name++) {
		cl_kernel kernel = kernel_make(program, *name);
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		CHECK_CODE(clSetKernelArg(kernel, 1, sizeof(mem), &mem), CL_INVALID_ARG_VALUE);
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
		CHECK_OK(clReleaseKernel(kernel));
	}
	CHECK_OK(clReleaseMemObject(mem));
}

/* A recorded launch does not come to write to one, either. */
static void check_mutable_launch(void)
{
	const command_properties list[] = {MUTABLE_FIELDS, MUTABLE_ARGUMENTS, 0};
	const cl_command_buffer_properties_khr mutable[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 2, 0};
	const size_t global = COUNT;
	struct command_buffer_entry cb;
	cl_mutable_command_khr handle = NULL;
	cl_int code;
	mutable_update update = mutable_update_find(test.platform);
	if (!CHECK(command_buffer_entry_find(test.platform, &cb)) || !CHECK(update))
		return;
	cl_mem mem = buffer_make(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, SIZE_B, given);
	cl_kernel kernel = kernel_make(program, "of_const");
	cl_command_buffer_khr buffer = cb.create(1, queues, mutable, &code);
	CHECK_OK(code);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
	CHECK_OK(cb.launch(buffer, NULL, list, kernel, 1, NULL, &global, NULL, 0, NULL, NULL,
			   &handle));
	CHECK_OK(cb.finalize(buffer));
	const struct mutable_argument reads = {0, sizeof(mem), &mem}, writes = {1, sizeof(mem), &mem};
	struct mutable_config config = {.command = handle, .num_args = 1, .args = &writes};
	CHECK_CODE(mutable_change(update, buffer, &config), CL_INVALID_ARG_VALUE);
	config.args = &reads;
	CHECK_OK(mutable_change(update, buffer, &config));
	cl_uint values[COUNT] = {0};
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	buffer_read(queues[0], out, values, SIZE_B);
	CHECK(all_are(values, 2));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseMemObject(mem));
}

/* cl_ext_buffer_device_address: a kernel that finds it by its address only reads it. */
static void check_addresses(void)
{
	const cl_mem_properties list[] = {0x5000 /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */, CL_TRUE,
					  0};
	cl_ulong addresses[API_TEST_MOST_DEVICES] = {0};
	cl_kernel kernel = kernel_make(program, "by_address");
	cl_int code;
	cl_mem mem = clCreateBufferWithProperties(context, list, IMMUTABLE | CL_MEM_COPY_HOST_PTR,
						  SIZE_B, given, &code);
	CHECK_OK(code);
	cl_mem cell = buffer_make(context, 0, sizeof(cl_ulong), NULL);
	CHECK_OK(clGetMemObjectInfo(mem, 0x5001 /* CL_MEM_DEVICE_ADDRESS_EXT */, sizeof(addresses),
				    addresses, NULL));
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cell), &cell));
	for (cl_uint i = 0; i < test.device_count; i++) {
		CHECK_OK(clEnqueueWriteBuffer(queues[i], cell, CL_TRUE, 0, 8, &addresses[i], 0,
					      NULL, NULL));
		CHECK_OK(clSetKernelExecInfo(kernel,
					     0x5002 /* CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT */, 8,
					     &addresses[i]));
		launch_and_check(queues[i], kernel);
	}
	CHECK_OK(clReleaseMemObject(cell));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

static void nothing(void *stream, const cl_ulong *pointers, void *data)
{
	(void)stream;
	++*(int *)data;
	CHECK(pointers[0]);
}

/* cl_culvert_cuda_interop: CUDA's work may read it when it says so. */
static void check_cuda_work(void)
{
	const cl_mem_flags reads = CL_MEM_READ_ONLY, writes = CL_MEM_READ_WRITE;
	clEnqueueCudaWorkCULVERT_fn enqueue;
	int calls = 0;
	void *found = clGetExtensionFunctionAddressForPlatform(test.platform,
							       "clEnqueueCudaWorkCULVERT");
	if (!CHECK(found))
		return;
	memcpy(&enqueue, &found, sizeof(found));
	cl_mem mem = buffer_make(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, SIZE_B, given);
	CHECK_CODE(enqueue(queues[0], nothing, &calls, 1, &mem, NULL, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(enqueue(queues[0], nothing, &calls, 1, &mem, &writes, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_OK(enqueue(queues[0], nothing, &calls, 1, &mem, &reads, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[0]));
	CHECK(calls == 1);
	CHECK_OK(clReleaseMemObject(mem));
}

static void world_make(void)
{
	for (cl_uint i = 0; i < COUNT; i++)
		given[i] = i * 2654435761u >> 1;
	context = context_make(test.device_count, test.devices);
	for (cl_uint i = 0; i < test.device_count; i++) {
		queues[i] = queue_make(context, test.devices[i], 0);
	}
	out = buffer_make(context, 0, SIZE_B, NULL);
	program = api_test_build(context, test.device, source, "-cl-std=CL3.0");
}

static void world_end(void)
{
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseMemObject(out));
	for (cl_uint i = 0; i < test.device_count; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseContext(context));
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "immutable_memory"))
		return API_TEST_SKIP;
	world_make();
	if (program) {
		check_buffers();
		check_images();
		check_sub_buffers();
		check_views();
		check_formats();
		check_writers();
		check_mutable_launch();
		check_addresses();
		check_cuda_work();
		world_end();
	}
	return api_test_end(&test);
}
