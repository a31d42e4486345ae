/* Images as objects, and pipes (OpenCL 3.0 API, 5.3.1, 5.3.2, 5.4). */
#include "config.h"

#include "tests/api/errors.h"

static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};

/* The arguments of clCreateImage; a case changes what it wants wrong. */
struct request {
	cl_context context;
	const cl_mem_properties *properties;
	cl_mem_flags flags;
	const cl_image_format *format;
	cl_image_desc desc;
	void *pointer;
};

static struct request good(void)
{
	return (struct request){
		.context = world.context, .format = &rgba,
		.desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
			 .image_height = 4},
	};
}

/* An image of the texels of a buffer. */
static struct request of_buffer(cl_mem buffer)
{
	struct request request = good();
	request.desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	request.desc.mem_object = buffer;
	return request;
}

static cl_mem create(const struct request *request)
{
	return clCreateImage(request->context, request->flags, request->format, &request->desc,
			     request->pointer, &error_code);
}

static cl_mem create_with(const struct request *request)
{
	return clCreateImageWithProperties(request->context, request->properties, request->flags,
					   request->format, &request->desc, request->pointer,
					   &error_code);
}

#define BOTH(code, condition, made, ...)                                                          \
	do {                                                                                      \
		struct request request = made;                                                    \
		__VA_ARGS__;                                                                      \
		ERROR_OBJECT(clCreateImage, code, condition, create(&request));                   \
		ERROR_OBJECT(clCreateImageWithProperties, code, condition,                        \
			     create_with(&request));                                              \
	} while (0)

static void arguments(void)
{
	const cl_mem_properties unknown[] = {0x7777, 1, 0};
	const cl_image_format no_order = {0x7777, CL_UNSIGNED_INT8}, no_type = {CL_RGBA, 0x7777};
	const cl_image_format packed_rgba = {CL_RGBA, CL_UNORM_SHORT_565};
	const cl_image_format intensity_int = {CL_INTENSITY, CL_UNSIGNED_INT8};
	const cl_image_format bgra_float = {CL_BGRA, CL_FLOAT};
	const cl_image_format unsupported = {CL_sRGBx, CL_UNORM_INT8};
	struct request request = good();
	request.properties = unknown;
	ERROR_OBJECT(clCreateImageWithProperties, CL_INVALID_PROPERTY, 1, create_with(&request));
	BOTH(CL_INVALID_CONTEXT, 1, good(), request.context = world.wrong_context);
	BOTH(CL_INVALID_VALUE, 1, good(), request.flags = (cl_mem_flags)1 << 40);
	BOTH(CL_INVALID_VALUE, 1, good(), request.flags = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
	BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 1, good(), request.format = NULL);
	BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 2, good(), request.format = &no_order);
	BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 2, good(), request.format = &no_type);
	BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 2, good(), request.format = &packed_rgba);
	BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 2, good(), request.format = &intensity_int);
	BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 2, good(), request.format = &bgra_float);
	BOTH(CL_IMAGE_FORMAT_NOT_SUPPORTED, 1, good(), request.format = &unsupported);
	BOTH(CL_INVALID_HOST_PTR, 1, good(), request.flags = CL_MEM_USE_HOST_PTR);
	BOTH(CL_INVALID_HOST_PTR, 1, good(), request.flags = CL_MEM_COPY_HOST_PTR);
	BOTH(CL_INVALID_HOST_PTR, 2, good(), request.pointer = error_bytes);
}

static size_t limit(cl_device_info name)
{
	size_t value = 0;
	REQUIRE(!clGetDeviceInfo(world.device, name, sizeof(value), &value, NULL));
	return value;
}

static void sizes(void)
{
	BOTH(CL_INVALID_IMAGE_SIZE, 1, good(),
	     request.desc.image_width = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH) + 1);
	BOTH(CL_INVALID_IMAGE_SIZE, 1, good(),
	     request.desc.image_height = limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT) + 1);
	BOTH(CL_INVALID_IMAGE_SIZE, 1, good(),
	     request.desc.image_type = CL_MEM_OBJECT_IMAGE3D;
	     request.desc.image_depth = limit(CL_DEVICE_IMAGE3D_MAX_DEPTH) + 1);
	BOTH(CL_INVALID_IMAGE_SIZE, 1, good(),
	     request.desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
	     request.desc.image_array_size = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) + 1);
	BOTH(CL_INVALID_IMAGE_SIZE, 1, of_buffer(world.buffer),
	     request.desc.image_width = limit(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) + 1);
}

/* Flags that those of the memory object do not allow, as condition. */
static void inherited(unsigned condition, cl_mem_flags of, cl_mem_flags flags)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(world.context, of, WORLD_BUFFER_B, NULL, &code);
	REQUIRE(!code);
	BOTH(CL_INVALID_VALUE, condition, of_buffer(buffer), request.flags = flags);
	REQUIRE(!clReleaseMemObject(buffer));
}

/* cl_ext_image_from_buffer: half a texel too many in a pitch or an address, and a buffer that is too small. */
static void of_buffers(void)
{
	static const cl_mem_object_type types[] = {
		CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
		CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER,
	};
	cl_int code;
	const uintptr_t odd = ((uintptr_t)error_bytes & ~(uintptr_t)3) + 6;
	cl_mem small = clCreateBuffer(world.context, 0, 8 * 4 - 1, NULL, &code);
	REQUIRE(!code);
	cl_mem hosts = clCreateBuffer(world.context, CL_MEM_USE_HOST_PTR, WORLD_BUFFER_B - 8, (void *)odd, &code);
	REQUIRE(!code);
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct request common = of_buffer(world.buffer);
		common.desc.image_type = types[i];
		common.desc.image_height = common.desc.image_depth = common.desc.image_array_size = 1;
		BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 3, common, request.desc.image_row_pitch = 8 * 4 + 2);
		BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 3, common, request.desc.image_slice_pitch = 8 * 4 + 2);
		BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 3, common, request.desc.mem_object = hosts);
		BOTH(CL_INVALID_IMAGE_SIZE, 2, common, request.desc.mem_object = small);
	}
	REQUIRE(!clReleaseMemObject(small));
	REQUIRE(!clReleaseMemObject(hosts));
}

static void of_others(void)
{
	inherited(2, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE);
	inherited(2, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY);
	inherited(2, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE);
	inherited(2, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY);
	inherited(2, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR);
	inherited(2, CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR);
	inherited(2, CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR);
	inherited(3, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY);
	inherited(4, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY);
	inherited(5, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY);
	inherited(5, CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY);
	/* 5.3.1: the memory object is the context's. */
	struct request request = of_buffer(world.foreign_buffer);
	REQUIRE(!create(&request) && error_code == CL_INVALID_IMAGE_DESCRIPTOR);
	request = of_buffer(world.wrong_mem);
	REQUIRE(!create(&request) && error_code == CL_INVALID_IMAGE_DESCRIPTOR);
	/* One texel more than a multiple of the pitch alignment. */
	cl_uint alignment = 0;
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(alignment),
				 &alignment, NULL));
	if (alignment > 1)
		BOTH(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 3, of_buffer(world.buffer),
		     request.desc.image_type = CL_MEM_OBJECT_IMAGE2D;
		     request.desc.image_row_pitch = 4 * (alignment + 1));
	of_buffers();
}

/* --- those of OpenCL 1.1 ------------------------------------------------------------------ */

static cl_mem create_2d(const struct request *request)
{
	return clCreateImage2D(request->context, request->flags, request->format,
			       request->desc.image_width, request->desc.image_height,
			       request->desc.image_row_pitch, request->pointer, &error_code);
}

static cl_mem create_3d(const struct request *request)
{
	return clCreateImage3D(request->context, request->flags, request->format,
			       request->desc.image_width, request->desc.image_height,
			       request->desc.image_depth, request->desc.image_row_pitch,
			       request->desc.image_slice_pitch, request->pointer, &error_code);
}

#define OLD(code, ...)                                                                            \
	do {                                                                                      \
		struct request request = good();                                                  \
		request.desc.image_depth = 2;                                                     \
		__VA_ARGS__;                                                                      \
		ERROR_OBJECT(clCreateImage2D, code, 1, create_2d(&request));                      \
		ERROR_OBJECT(clCreateImage3D, code, 1, create_3d(&request));                      \
	} while (0)

static void old_ones(void)
{
	const cl_image_format no_order = {0x7777, CL_UNSIGNED_INT8};
	const cl_image_format unsupported = {CL_sRGBx, CL_UNORM_INT8};
	struct request request = good();
	OLD(CL_INVALID_CONTEXT, request.context = world.wrong_context);
	OLD(CL_INVALID_VALUE, request.flags = (cl_mem_flags)1 << 40);
	OLD(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, request.format = NULL);
	OLD(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, request.format = &no_order);
	OLD(CL_INVALID_IMAGE_SIZE, request.desc.image_width = 0);
	OLD(CL_INVALID_IMAGE_SIZE, request.desc.image_height = 0);
	OLD(CL_INVALID_IMAGE_SIZE,
	    request.desc.image_width = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH) + 1);
	OLD(CL_INVALID_IMAGE_SIZE, request.desc.image_row_pitch = 64);
	OLD(CL_INVALID_IMAGE_SIZE, request.flags = CL_MEM_COPY_HOST_PTR;
	    request.pointer = error_bytes; request.desc.image_row_pitch = 31);
	request.desc.image_depth = 1;
	ERROR_OBJECT(clCreateImage3D, CL_INVALID_IMAGE_SIZE, 1, create_3d(&request));
	OLD(CL_INVALID_HOST_PTR, request.flags = CL_MEM_USE_HOST_PTR);
	OLD(CL_INVALID_HOST_PTR, request.pointer = error_bytes);
	OLD(CL_IMAGE_FORMAT_NOT_SUPPORTED, request.format = &unsupported);
}

static void formats(void)
{
	cl_image_format list[1];
	cl_uint count;
	ERROR_CODE(clGetSupportedImageFormats, CL_INVALID_CONTEXT, 1,
		   clGetSupportedImageFormats(world.wrong_context, 0, CL_MEM_OBJECT_IMAGE2D, 1,
					      list, &count));
	ERROR_CODE(clGetSupportedImageFormats, CL_INVALID_VALUE, 1,
		   clGetSupportedImageFormats(world.context, (cl_mem_flags)1 << 40,
					      CL_MEM_OBJECT_IMAGE2D, 1, list, &count));
	ERROR_CODE(clGetSupportedImageFormats, CL_INVALID_VALUE, 2,
		   clGetSupportedImageFormats(world.context, 0, CL_MEM_OBJECT_BUFFER, 1, list,
					      &count));
	ERROR_CODE(clGetSupportedImageFormats, CL_INVALID_VALUE, 3,
		   clGetSupportedImageFormats(world.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, list,
					      &count));
}

/* cl_ext_image_requirements_info; an address is a property of buffers
 * (cl_ext_buffer_device_address). */
enum { DEVICE_ADDRESS = 0x5000 };

static void requirements(void)
{
	const cl_mem_properties unknown[] = {0x7777, 1, 0};
	const cl_image_format no_order = {0x7777, CL_UNSIGNED_INT8};
	const cl_image_desc no_type = {.image_type = CL_MEM_OBJECT_BUFFER};
	const cl_image_desc mips = {.image_type = CL_MEM_OBJECT_IMAGE2D, .num_mip_levels = 2};
	const cl_image_desc samples = {.image_type = CL_MEM_OBJECT_IMAGE2D, .num_samples = 2};
	const cl_image_format unsupported = {CL_sRGBx, CL_UNORM_INT8};
	const cl_mem_properties address[] = {DEVICE_ADDRESS, CL_TRUE, 0};
	const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE1D};
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
				     .image_height = 8};
	const cl_image_requirements_info_ext name = CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT;
	const cl_image_requirements_info_ext size = CL_IMAGE_REQUIREMENTS_SIZE_EXT;
	clGetImageRequirementsInfoEXT_fn get;
	*(void **)&get = error_function("clGetImageRequirementsInfoEXT");
#define ASK(code, condition, context, properties, flags, format, desc, name, bytes)               \
	ERROR_CODE(clGetImageRequirementsInfoEXT, code, condition,                                \
		   get(context, properties, flags, format, desc, name, bytes, error_bytes, NULL))
	ASK(CL_INVALID_CONTEXT, 1, world.wrong_context, NULL, 0, &rgba, &plane, name, 64);
	ASK(CL_INVALID_PROPERTY, 1, world.context, unknown, 0, &rgba, &plane, name, 64);
	ASK(CL_INVALID_VALUE, 1, world.context, NULL, (cl_mem_flags)1 << 40, &rgba, &plane, name,
	    64);
	ASK(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 1, world.context, NULL, 0, &no_order, &plane, name,
	    64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &no_type, name, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &mips, name, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &samples, name, 64);
	ASK(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 1, world.context, NULL, 0, &unsupported, &plane,
	    name, 64);
	ASK(CL_INVALID_PROPERTY, 1, world.context, address, 0, &rgba, &plane, name, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &flat,
	    CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &plane,
	    CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &plane,
	    CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &flat, size, 64);
	ASK(CL_INVALID_IMAGE_DESCRIPTOR, 1, world.context, NULL, 0, &rgba, &flat,
	    CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, 64);
	ASK(CL_INVALID_VALUE, 2, world.context, NULL, 0, &rgba, &plane, 0x7777, 64);
	ASK(CL_INVALID_VALUE, 2, world.context, NULL, 0, NULL, &plane, size, 64);
	ASK(CL_INVALID_VALUE, 2, world.context, NULL, 0, &rgba, NULL, size, 64);
	ASK(CL_INVALID_VALUE, 3, world.context, NULL, 0, &rgba, &plane, name, 3);
#undef ASK
}

static void pipes(void)
{
	ERROR_OBJECT(clCreatePipe, CL_INVALID_CONTEXT, 1,
		     clCreatePipe(world.wrong_context, 0, 4, 4, NULL, &error_code));
	ERROR_OBJECT(clCreatePipe, CL_INVALID_VALUE, 1,
		     clCreatePipe(world.context, CL_MEM_READ_ONLY, 4, 4, NULL, &error_code));
	static const cl_pipe_properties none[] = {0};
	ERROR_OBJECT(clCreatePipe, CL_INVALID_VALUE, 2,
		     clCreatePipe(world.context, 0, 4, 4, none, &error_code));
	ERROR_OBJECT(clCreatePipe, CL_INVALID_PIPE_SIZE, 1,
		     clCreatePipe(world.context, 0, 0, 4, NULL, &error_code));
	ERROR_OBJECT(clCreatePipe, CL_INVALID_PIPE_SIZE, 1,
		     clCreatePipe(world.context, 0, 4, 0, NULL, &error_code));
	/* CL_MEM_IMMUTABLE_EXT, which older headers do not know. */
	ERROR_OBJECT(clCreatePipe, CL_INVALID_VALUE, 3,
		     clCreatePipe(world.context, (cl_mem_flags)1 << 6, 4, 4, NULL, &error_code));
	cl_mem pipe = clCreatePipe(world.context, 0, 4, 4, NULL, &error_code);
	REQUIRE(pipe);
	ERROR_CODE(clGetPipeInfo, CL_INVALID_VALUE, 1,
		   clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 3, error_bytes, NULL));
	ERROR_CODE(clEnqueueUnmapMemObject, CL_INVALID_MEM_OBJECT, 1,
		   clEnqueueUnmapMemObject(world.queue, pipe, error_bytes, 0, NULL, NULL));
	clReleaseMemObject(pipe);
}

void errors_image(void)
{
	pipes();
	requirements();
	arguments();
	sizes();
	of_others();
	old_ones();
	formats();
}
