/* Protects: images in memory that CUDA shares (cl_khr_external_memory_opaque_fd): 2D images whose
 * rows lie one behind the other.  Kernels, the host and CUDA see the same texels; what was imported
 * can be asked for; what cannot be imported leaves the descriptor to the application. */
#include "config.h"

#include "tests/api/cuda_shared.h"
#include "tests/api/fixture.h"

#include <CL/cl_ext.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <unistd.h>

enum { WIDTH = 40, HEIGHT = 12, PITCH_B = 256, SIZE_B = PITCH_B * HEIGHT };
enum { OPAQUE_FD = 0x2060, DEVICE_LIST = 0x2051, LINEAR_TYPES = 0x2052 };

static const char source[] =
	"constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
	"	CLK_FILTER_NEAREST;\n"
	"kernel void look(read_only image2d_t image, global float4 *out) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	out[c.y * 40 + c.x] = read_imagef(image, plain, c);\n"
	"}\n"
	"kernel void paint(write_only image2d_t image) {\n"
	"	int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imagef(image, c, (float4)(c.x, c.y, 255.0f, 0.0f) / 255.0f);\n"
	"}\n";

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

static struct api_test test;

typedef cl_int(CL_API_CALL *take)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
				  const cl_event *, cl_event *);
static take acquire, give;

static bool entry_find(void)
{
	*(void **)&acquire = clGetExtensionFunctionAddressForPlatform(
		test.platform, "clEnqueueAcquireExternalMemObjectsKHR");
	*(void **)&give = clGetExtensionFunctionAddressForPlatform(
		test.platform, "clEnqueueReleaseExternalMemObjectsKHR");
	return acquire && give;
}

static cl_image_desc desc_of(size_t pitch_B)
{
	return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH,
			       .image_height = HEIGHT, .image_row_pitch = pitch_B};
}

static cl_mem imported(int fd)
{
	const cl_mem_properties list[] = {
		OPAQUE_FD, (cl_mem_properties)fd, DEVICE_LIST,
		(cl_mem_properties)(uintptr_t)test.device, 0, 0,
	};
	const cl_image_desc desc = desc_of(PITCH_B);
	cl_mem_properties got[8];
	size_t size = 0;
	cl_int code;
	cl_mem mem = clCreateImageWithProperties(test.context, list, CL_MEM_READ_WRITE, &rgba8,
						 &desc, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_PROPERTIES, sizeof(got), got, &size));
	CHECK(size == sizeof(list) && !memcmp(got, list, size));
	return mem;
}

/* The buffer that it lies in is nobody's business. */
static void queries(cl_mem image)
{
	cl_mem other = image;
	cl_mem_object_type type = 0;
	cl_uint handle_type = 0;
	size_t size = 0;
	CHECK_OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_MEM_OBJECT_IMAGE2D);
	CHECK_OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(other), &other,
				    NULL));
	CHECK(!other);
	other = image;
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(other), &other, NULL));
	CHECK(!other);
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof(size), &size, NULL));
	CHECK(size == PITCH_B);
	CHECK_OK(clGetDeviceInfo(test.device, LINEAR_TYPES, sizeof(handle_type), &handle_type,
				 &size));
	CHECK(size == sizeof(handle_type) && handle_type == OPAQUE_FD);
}

static void kernel_run(cl_command_queue queue, cl_program program, const char *name, cl_mem image,
		       cl_mem out)
{
	const size_t global[2] = {WIDTH, HEIGHT};
	cl_kernel kernel = kernel_make(program, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(image), &image));
	if (out)
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(out), &out));
	CHECK_OK(acquire(queue, 1, &image, 0, NULL, NULL));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
	CHECK_OK(give(queue, 1, &image, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseKernel(kernel));
}

/* OpenCL C 3.0, 8.3.1.1: 0 and 255 are 0 and 1 exactly, what is between is within 1.5 ulp of
 * channel / 255. */
static bool is_channel(cl_float value, unsigned channel)
{
	const double exact = channel / 255.0;
	int exponent;
	(void)frexp((double)(cl_float)exact, &exponent);
	return channel % 255 ? fabs(value - exact) <= 1.5 * ldexp(1.0, exponent - FLT_MANT_DIG)
			     : value == (channel ? 1.0f : 0.0f);
}

/* What CUDA wrote, by a kernel and by the host. */
static void look(cl_command_queue queue, cl_program program, cl_mem image,
		 const struct cuda_shared *shared)
{
	static const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
	static cl_float out[WIDTH * HEIGHT][4];
	static cl_uint texels[HEIGHT][WIDTH];
	bool good = true;
	cl_mem buffer = buffer_make(test.context, 0, sizeof(out), NULL);
	for (unsigned y = 0; y < HEIGHT; y++)
		CU_OK(cu.cuMemsetD32_v2(shared->address + (size_t)y * PITCH_B, 0x33 * 0x10000 + y,
					WIDTH));
	CU_OK(cu.cuCtxSynchronize());
	kernel_run(queue, program, "look", image, buffer);
	buffer_read(queue, buffer, out, sizeof(out));
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
		good = good && is_channel(out[i][0], i / WIDTH) && is_channel(out[i][1], 0) &&
		       is_channel(out[i][2], 0x33) && is_channel(out[i][3], 0);
	CHECK(good);
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL,
				    NULL));
	CHECK(texels[0][0] == 0x330000 && texels[HEIGHT - 1][WIDTH - 1] == 0x330000 + HEIGHT - 1);
	CHECK_OK(clReleaseMemObject(buffer));
}

/* What kernels wrote, by CUDA: rows end where their texels do.  Exactly: a texel is within 0.6 of
 * 255 times what was written (OpenCL C 3.0, 8.3.1.2), which here is within 1e-4 of a whole number. */
static void paint(cl_command_queue queue, cl_program program, cl_mem image,
		  const struct cuda_shared *shared)
{
	static cl_uint words[SIZE_B / 4];
	bool good = true;
	CU_OK(cu.cuMemsetD32_v2(shared->address, 0x99999999, SIZE_B / 4));
	CU_OK(cu.cuCtxSynchronize());
	kernel_run(queue, program, "paint", image, NULL);
	CU_OK(cu.cuMemcpyDtoH_v2(words, shared->address, SIZE_B));
	for (unsigned i = 0; i < SIZE_B / 4; i++) {
		const unsigned x = i % (PITCH_B / 4), y = i / (PITCH_B / 4);
		good = good && words[i] == (x < WIDTH ? 0xFF0000 + y * 0x100 + x : 0x99999999);
	}
	CHECK(good);
}

static void both_ways(void)
{
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem image = imported(cuda_shared_export(&shared));
	queries(image);
	look(queue, program, image, &shared);
	paint(queue, program, image, &shared);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseProgram(program));
	cuda_shared_release(&shared);
}

/* --- errors ---------------------------------------------------------------------------------- */

static cl_int code_of(const cl_mem_properties *list, cl_mem_flags flags,
		      const cl_image_format *format, cl_image_desc desc, void *pointer)
{
	cl_int code = 12345;
	CHECK(!clCreateImageWithProperties(test.context, list, flags, format, &desc, pointer,
					   &code));
	return code;
}

static void property_errors(int fd)
{
	const cl_image_desc desc = desc_of(PITCH_B);
	const cl_mem_properties device = (cl_mem_properties)(uintptr_t)test.device;
	const cl_mem_properties good[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	const cl_mem_properties none[] = {OPAQUE_FD, 12345, 0};
	const cl_mem_properties twice[] = {OPAQUE_FD, 3, OPAQUE_FD, 3, 0};
	const cl_mem_properties alone[] = {DEVICE_LIST, device, 0, 0}, unknown[] = {1, 1, 0};
	const cl_mem_properties null[] = {OPAQUE_FD, 3, DEVICE_LIST, 0, 0};
	char host[SIZE_B];
	/* It is no memory. */
	CHECK_CODE(code_of(good, 0, &rgba8, desc, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(code_of(none, 0, &rgba8, desc, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(code_of(twice, 0, &rgba8, desc, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(code_of(alone, 0, &rgba8, desc, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(code_of(unknown, 0, &rgba8, desc, NULL), CL_INVALID_PROPERTY);
	CHECK_CODE(code_of(null, 0, &rgba8, desc, NULL), CL_INVALID_DEVICE);
	CHECK_CODE(code_of(good, CL_MEM_ALLOC_HOST_PTR, &rgba8, desc, NULL), CL_INVALID_VALUE);
	CHECK_CODE(code_of(good, CL_MEM_COPY_HOST_PTR, &rgba8, desc, host), CL_INVALID_VALUE);
	CHECK_CODE(code_of(good, 0, &rgba8, desc, host), CL_INVALID_HOST_PTR);
	CHECK(fcntl(fd, F_GETFD) >= 0);
}

static void desc_errors(void)
{
	const cl_image_format bad = {CL_BGRA, CL_FLOAT};
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	const int fd = cuda_shared_export(&shared);
	const cl_mem_properties list[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	cl_image_desc desc = desc_of(PITCH_B);
	CHECK_CODE(code_of(list, 0, &bad, desc, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	/* 5.3.1.3: a row has its texels at least, and begins where textures can. */
	CHECK_CODE(code_of(list, 0, &rgba8, desc_of(WIDTH), NULL), CL_INVALID_IMAGE_DESCRIPTOR);
	CHECK_CODE(code_of(list, 0, &rgba8, desc_of(WIDTH * 4 + 4), NULL),
		   CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	desc.image_slice_pitch = SIZE_B;
	CHECK_CODE(code_of(list, 0, &rgba8, desc, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
	/* Of a buffer's memory and of a descriptor's at once it cannot be. */
	cl_mem buffer = buffer_make(test.context, 0, SIZE_B, NULL);
	desc = desc_of(PITCH_B);
	desc.mem_object = buffer;
	CHECK_CODE(code_of(list, 0, &rgba8, desc, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
	CHECK_OK(clReleaseMemObject(buffer));
	desc = desc_of(PITCH_B);
	desc.image_height = 0;
	CHECK_CODE(code_of(list, 0, &rgba8, desc, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
	desc = desc_of(0);
	desc.image_type = CL_MEM_OBJECT_IMAGE3D;
	desc.image_depth = 2;
	CHECK_CODE(code_of(list, 0, &rgba8, desc, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
	/* Through all that it was the application's. */
	CHECK(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	cuda_shared_release(&shared);
}

/* cl_ext_image_requirements_info: what is asked before, with the same properties, agrees. */
static void requirements(int fd)
{
	const cl_mem_properties list[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	const cl_mem_properties twice[] = {OPAQUE_FD, 3, OPAQUE_FD, 3, 0};
	const cl_mem_properties null[] = {OPAQUE_FD, 3, DEVICE_LIST, 0, 0};
	cl_image_desc desc = desc_of(PITCH_B);
	clGetImageRequirementsInfoEXT_fn get;
	size_t value = 0, align_B = 0;
	void *found = clGetExtensionFunctionAddressForPlatform(test.platform,
							       "clGetImageRequirementsInfoEXT");
	if (!CHECK(found))
		return;
	memcpy(&get, &found, sizeof(get));
#define ASK(list, name, to) get(test.context, list, 0, &rgba8, &desc, name, sizeof(to), &(to), NULL)
	CHECK_OK(ASK(list, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, align_B));
	CHECK(align_B && PITCH_B % align_B == 0);
	CHECK_OK(ASK(list, CL_IMAGE_REQUIREMENTS_SIZE_EXT, value));
	CHECK(value == SIZE_B);
	CHECK_CODE(ASK(twice, CL_IMAGE_REQUIREMENTS_SIZE_EXT, value), CL_INVALID_PROPERTY);
	CHECK_CODE(ASK(null, CL_IMAGE_REQUIREMENTS_SIZE_EXT, value), CL_INVALID_PROPERTY);
	desc.image_type = CL_MEM_OBJECT_IMAGE3D;
	desc.image_depth = 2;
	CHECK_CODE(ASK(list, CL_IMAGE_REQUIREMENTS_SIZE_EXT, value), CL_INVALID_IMAGE_DESCRIPTOR);
#undef ASK
	CHECK(fcntl(fd, F_GETFD) >= 0);
}

/* cl_ext_immutable_memory_objects: the handle is where its contents come from. */
static void immutable(void)
{
	static const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
	static cl_uint texels[HEIGHT][WIDTH];
	const cl_image_desc desc = desc_of(PITCH_B);
	struct cuda_shared shared = cuda_shared_make(SIZE_B);
	const int fd = cuda_shared_export(&shared);
	const cl_mem_properties list[] = {OPAQUE_FD, (cl_mem_properties)fd, 0};
	const cl_uint color[4] = {0};
	cl_int code;
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem image = clCreateImageWithProperties(test.context, list, 1 << 6, &rgba8, &desc, NULL,
						   &code);
	CHECK_OK(code);
	CU_OK(cu.cuMemsetD32_v2(shared.address, 0x44332211, SIZE_B / 4));
	CU_OK(cu.cuCtxSynchronize());
	CHECK_OK(acquire(queue, 1, &image, 0, NULL, NULL));
	CHECK_CODE(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL,
				    NULL));
	CHECK(texels[0][0] == 0x44332211 && texels[HEIGHT - 1][WIDTH - 1] == 0x44332211);
	CHECK_OK(give(queue, 1, &image, 0, NULL, NULL));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseCommandQueue(queue));
	cuda_shared_release(&shared);
}

int main(void)
{
	if (!api_test_start(&test, "external images"))
		return API_TEST_SKIP;
	if (!entry_find() || !cuda_use())
		return api_test_skip(&test);
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	both_ways();
	property_errors(fd);
	desc_errors();
	requirements(fd);
	immutable();
	close(fd);
	return api_test_end(&test);
}
