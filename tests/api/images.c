/* Images as objects: creation, queries, formats; the errors of their pages. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdint.h>

static cl_context context;
static cl_device_id device;
static unsigned char host[1 << 16];

static const cl_image_format rgba8 = {CL_RGBA, CL_UNORM_INT8};

static size_t device_size(cl_device_info name)
{
	size_t value = 0;
	CHECK_OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
	return value;
}

static cl_uint device_uint(cl_device_info name)
{
	cl_uint value = 0;
	CHECK_OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
	return value;
}

static size_t image_size(cl_mem image, cl_image_info name)
{
	size_t value = 12345, size = 0;
	CHECK_OK(clGetImageInfo(image, name, sizeof(value), &value, &size));
	CHECK(size == sizeof(value));
	return value;
}

static cl_image_desc desc_of(cl_mem_object_type type, size_t width, size_t height, size_t depth,
			     size_t layers)
{
	return (cl_image_desc){.image_type = type, .image_width = width, .image_height = height,
			       .image_depth = depth, .image_array_size = layers};
}

/* --- the device ----------------------------------------------------------------------- */

/* OpenCL 3.0 API, table 5: the least of a device with images, full profile. */
static void test_device(void)
{
	cl_uint version = 0;
	CHECK(device_uint(CL_DEVICE_MAX_READ_IMAGE_ARGS) >= 128);
	CHECK(device_uint(CL_DEVICE_MAX_WRITE_IMAGE_ARGS) >= 64);
	CHECK(device_uint(CL_DEVICE_MAX_SAMPLERS) >= 16);
	CHECK(device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH) >= 16384);
	CHECK(device_size(CL_DEVICE_IMAGE2D_MAX_HEIGHT) >= 16384);
	CHECK(device_size(CL_DEVICE_IMAGE3D_MAX_WIDTH) >= 2048);
	CHECK(device_size(CL_DEVICE_IMAGE3D_MAX_HEIGHT) >= 2048);
	CHECK(device_size(CL_DEVICE_IMAGE3D_MAX_DEPTH) >= 2048);
	CHECK(device_size(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE) >= 65536);
	CHECK(device_size(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) >= 2048);
	version = device_uint(CL_DEVICE_IMAGE_PITCH_ALIGNMENT);
	CHECK(version && !(version & (version - 1)));
	version = device_uint(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT);
	CHECK(version && !(version & (version - 1)));
}

/* --- formats -------------------------------------------------------------------------- */

static bool has_format(const cl_image_format *formats, cl_uint count, cl_channel_order order,
		       cl_channel_type type)
{
	for (cl_uint i = 0; i < count; i++)
		if (formats[i].image_channel_order == order &&
		    formats[i].image_channel_data_type == type)
			return true;
	return false;
}

/* OpenCL 3.0 API, 5.3.2.1: what every device with images reads or writes. */
static void check_least(const cl_image_format *formats, cl_uint count)
{
	static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
	static const cl_channel_type types[] = {
		CL_UNORM_INT8,   CL_UNORM_INT16,   CL_SNORM_INT8,   CL_SNORM_INT16,
		CL_SIGNED_INT8,  CL_SIGNED_INT16,  CL_SIGNED_INT32, CL_UNSIGNED_INT8,
		CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT,
	};
	for (unsigned o = 0; o < 3; o++)
		for (unsigned t = 0; t < 12; t++)
			CHECK(has_format(formats, count, orders[o], types[t]));
	CHECK(has_format(formats, count, CL_BGRA, CL_UNORM_INT8));
}

static void test_formats(void)
{
	static const cl_mem_object_type kinds[] = {
		CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
		CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
		CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D,
	};
	static const cl_mem_flags uses[] = {0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
					    CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE};
	cl_image_format formats[256];
	cl_uint count = 0, again = 0;
	for (unsigned k = 0; k < 6; k++) {
		for (unsigned u = 0; u < 5; u++) {
			CHECK_OK(clGetSupportedImageFormats(context, uses[u], kinds[k], 256,
							    formats, &count));
			CHECK(count <= 256);
			check_least(formats, count);
			CHECK_OK(clGetSupportedImageFormats(context, uses[u], kinds[k], 0, NULL,
							    &again));
			CHECK(again == count);
			const bool planes = kinds[k] == CL_MEM_OBJECT_IMAGE2D ||
					    kinds[k] == CL_MEM_OBJECT_IMAGE2D_ARRAY;
			CHECK(has_format(formats, count, CL_DEPTH, CL_FLOAT) == planes);
			CHECK(has_format(formats, count, CL_sRGBA, CL_UNORM_INT8) ==
			      (kinds[k] != CL_MEM_OBJECT_IMAGE1D_BUFFER));
		}
	}
	/* A short list is filled, and nothing behind it. */
	memset(formats, 0, sizeof(formats));
	CHECK_OK(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 2, formats, NULL));
	CHECK(formats[1].image_channel_order && !formats[2].image_channel_order);
	CHECK_CODE(clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 2, formats, NULL),
		   CL_INVALID_CONTEXT);
	CHECK_CODE(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
					      CL_MEM_OBJECT_IMAGE2D, 2, formats, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 2, formats, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, formats, NULL),
		   CL_INVALID_VALUE);
}

/* Every format that is listed makes an image of its size. */
static void test_each_format(void)
{
	static const size_t channel_B[] = {
		[CL_SNORM_INT8 - CL_SNORM_INT8] = 1,      [CL_SNORM_INT16 - CL_SNORM_INT8] = 2,
		[CL_UNORM_INT8 - CL_SNORM_INT8] = 1,      [CL_UNORM_INT16 - CL_SNORM_INT8] = 2,
		[CL_SIGNED_INT8 - CL_SNORM_INT8] = 1,     [CL_SIGNED_INT16 - CL_SNORM_INT8] = 2,
		[CL_SIGNED_INT32 - CL_SNORM_INT8] = 4,    [CL_UNSIGNED_INT8 - CL_SNORM_INT8] = 1,
		[CL_UNSIGNED_INT16 - CL_SNORM_INT8] = 2,  [CL_UNSIGNED_INT32 - CL_SNORM_INT8] = 4,
		[CL_HALF_FLOAT - CL_SNORM_INT8] = 2,      [CL_FLOAT - CL_SNORM_INT8] = 4,
		[CL_UNORM_INT_101010 - CL_SNORM_INT8] = 4, [CL_UNORM_SHORT_565 - CL_SNORM_INT8] = 2,
		[CL_UNORM_SHORT_555 - CL_SNORM_INT8] = 2,  [CL_UNORM_INT_101010_2 - CL_SNORM_INT8] = 4,
	};
	const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 7, 5, 0, 0);
	cl_image_format formats[256], told;
	cl_uint count = 0;
	cl_int code;
	CHECK_OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256,
					    formats, &count));
	for (cl_uint i = 0; i < count; i++) {
		const cl_channel_order order = formats[i].image_channel_order;
		/* Formats whose texels share bytes are those of tests/api/raw_images. */
		if (formats[i].image_channel_data_type >= CL_SNORM_INT8 + sizeof(channel_B) / sizeof(channel_B[0]))
			continue;
		const bool one = order == CL_R || order == CL_A || order == CL_INTENSITY ||
				 order == CL_LUMINANCE || order == CL_DEPTH;
		const bool two = order == CL_RG || order == CL_RA;
		const bool packed = order == CL_RGB ||
				    formats[i].image_channel_data_type == CL_UNORM_INT_101010_2;
		const size_t texel_B =
			channel_B[formats[i].image_channel_data_type - CL_SNORM_INT8] *
			(packed || one ? 1 : two ? 2 : 4);
		cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &formats[i], &desc, NULL,
					     &code);
		if (!CHECK_OK(code))
			continue;
		CHECK(image_size(image, CL_IMAGE_ELEMENT_SIZE) == texel_B);
		CHECK(image_size(image, CL_IMAGE_ROW_PITCH) == 7 * texel_B);
		CHECK_OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(told), &told, NULL));
		CHECK(!memcmp(&told, &formats[i], sizeof(told)));
		CHECK_OK(clReleaseMemObject(image));
	}
}

/* --- creation and queries ------------------------------------------------------------- */

static cl_ulong mem_ulong(cl_mem mem, cl_mem_info name, size_t size)
{
	cl_ulong value = 0;
	CHECK_OK(clGetMemObjectInfo(mem, name, size, &value, NULL));
	return value;
}

/* The image that desc makes: its dimensions, with 0 for what its type does not have. */
static void check_shape(const cl_image_desc *desc, size_t height, size_t depth, size_t layers,
			size_t slice_B)
{
	cl_int code;
	cl_uint none = 1;
	cl_mem image = clCreateImage(context, 0, &rgba8, desc, NULL, &code);
	if (!CHECK_OK(code))
		return;
	CHECK(image_size(image, CL_IMAGE_WIDTH) == desc->image_width);
	CHECK(image_size(image, CL_IMAGE_HEIGHT) == height);
	CHECK(image_size(image, CL_IMAGE_DEPTH) == depth);
	CHECK(image_size(image, CL_IMAGE_ARRAY_SIZE) == layers);
	CHECK(image_size(image, CL_IMAGE_ROW_PITCH) == 4 * desc->image_width);
	CHECK(image_size(image, CL_IMAGE_SLICE_PITCH) == slice_B);
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof(none), &none, NULL));
	CHECK(none == 0);
	none = 1;
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(none), &none, NULL));
	CHECK(none == 0);
	CHECK(mem_ulong(image, CL_MEM_TYPE, sizeof(cl_mem_object_type)) == desc->image_type);
	CHECK(mem_ulong(image, CL_MEM_FLAGS, sizeof(cl_mem_flags)) == CL_MEM_READ_WRITE);
	CHECK(mem_ulong(image, CL_MEM_SIZE, sizeof(size_t)) ==
	      4 * desc->image_width * (height ? height : 1) * (depth ? depth : 1) *
		      (layers ? layers : 1));
	CHECK_CODE(clGetImageInfo(image, 0x1234, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetImageInfo(image, CL_IMAGE_WIDTH, 4, &none, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(image));
}

static void test_shapes(void)
{
	cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE1D, 40, 9, 9, 9);
	check_shape(&desc, 0, 0, 0, 0);
	desc = desc_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, 40, 9, 9, 7);
	check_shape(&desc, 0, 0, 7, 160);
	desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 40, 30, 9, 9);
	check_shape(&desc, 30, 0, 0, 0);
	desc = desc_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, 40, 30, 9, 3);
	check_shape(&desc, 30, 0, 3, 4800);
	desc = desc_of(CL_MEM_OBJECT_IMAGE3D, 40, 30, 5, 9);
	check_shape(&desc, 30, 5, 0, 4800);
}

static void test_old_doors(void)
{
	cl_int code;
	cl_mem image = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &rgba8, 8, 8, 64, host,
				       &code);
	CHECK_OK(code);
	CHECK(image_size(image, CL_IMAGE_ROW_PITCH) == 64);
	CHECK_OK(clReleaseMemObject(image));
	image = clCreateImage3D(context, CL_MEM_USE_HOST_PTR, &rgba8, 8, 8, 4, 64, 1024, host,
				&code);
	CHECK_OK(code);
	CHECK(image_size(image, CL_IMAGE_SLICE_PITCH) == 1024);
	CHECK((uintptr_t)mem_ulong(image, CL_MEM_HOST_PTR, sizeof(void *)) == (uintptr_t)host);
	CHECK_OK(clReleaseMemObject(image));
	/* OpenCL 1.1, 5.3.1: CL_INVALID_IMAGE_SIZE. */
	CHECK_NO_OBJECT(clCreateImage2D(context, 0, &rgba8, 0, 8, 0, NULL, &code), code,
			CL_INVALID_IMAGE_SIZE);
	CHECK_NO_OBJECT(clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &rgba8, 8, 8, 30, host,
					&code),
			code, CL_INVALID_IMAGE_SIZE);
	CHECK_NO_OBJECT(clCreateImage3D(context, 0, &rgba8, 8, 8, 0, 0, 0, NULL, &code), code,
			CL_INVALID_IMAGE_SIZE);
}

/* --- of other memory objects ---------------------------------------------------------- */

static void test_of_buffer(void)
{
	cl_int code;
	cl_mem told = NULL;
	const size_t row_B = 4 * (size_t)device_uint(CL_DEVICE_IMAGE_PITCH_ALIGNMENT);
	cl_mem buffer = buffer_make(context, CL_MEM_READ_ONLY, 16 * row_B, NULL);
	cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 16, 0, 0, 0);
	desc.mem_object = buffer;
	cl_mem image = image_make(context, 0, &rgba8, &desc, NULL);
	/* What flags leave out is the buffer's. */
	CHECK(mem_ulong(image, CL_MEM_FLAGS, sizeof(cl_mem_flags)) == CL_MEM_READ_ONLY);
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(told), &told, NULL));
	CHECK(told == buffer);
	CHECK_OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(told), &told, NULL));
	CHECK(told == buffer);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_NO_OBJECT(clCreateImage(context, CL_MEM_READ_WRITE, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, host, &code),
			code, CL_INVALID_VALUE);
	desc.image_width = 4 * row_B + 1;
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_SIZE);

	/* 5.3.1: one row, so a pitch of its own is no less than it. */
	desc.image_width = 16;
	desc.image_row_pitch = 16 * 4 - 4;
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_row_pitch = 16 * 4;
	image = clCreateImage(context, 0, &rgba8, &desc, NULL, &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseMemObject(image));

	desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 16, 0, 0);
	desc.mem_object = buffer;
	desc.image_row_pitch = row_B;
	image = image_make(context, 0, &rgba8, &desc, NULL);
	CHECK(image_size(image, CL_IMAGE_ROW_PITCH) == row_B);
	/* The buffer lives as long as its image. */
	CHECK_OK(clReleaseMemObject(image));
	desc.image_height = 17;
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_SIZE);
	desc.image_height = 2;
	desc.image_row_pitch = row_B + 4;
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	desc.image_row_pitch = row_B;
	desc.image_slice_pitch = 2 * row_B;
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_DESCRIPTOR);
	/* cl_ext_image_from_buffer: the last slice is padded, too. */
	desc = desc_of(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4, 0);
	desc.mem_object = buffer;
	desc.image_row_pitch = 5 * 4;
	desc.image_slice_pitch = 5 * 4 * 6;
	image = image_make(context, 0, &rgba8, &desc, NULL);
	CHECK(image_size(image, CL_IMAGE_ROW_PITCH) == 5 * 4);
	CHECK(image_size(image, CL_IMAGE_SLICE_PITCH) == 5 * 4 * 6);
	CHECK_OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(told), &told, NULL));
	CHECK(told == buffer);
	CHECK(mem_ulong(image, CL_MEM_SIZE, sizeof(size_t)) == 4 * 5 * 4 * 6);
	CHECK_OK(clReleaseMemObject(image));
	desc.image_slice_pitch = 4 * row_B - 4 * row_B % 20;
	CHECK(4 * desc.image_slice_pitch <= 16 * row_B);
	image = image_make(context, 0, &rgba8, &desc, NULL);
	CHECK_OK(clReleaseMemObject(image));
	desc.image_slice_pitch += 20;
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_SIZE);
	desc = desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 4, 0, 0, 0);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_DESCRIPTOR);
	CHECK_OK(clReleaseMemObject(buffer));
}

/* As a view that is not as its image is. */
static void check_view(cl_image_desc desc)
{
	const cl_image_format srgba = {CL_sRGBA, CL_UNORM_INT8};
	cl_int code;
	CHECK_NO_OBJECT(clCreateImage(context, CL_MEM_READ_ONLY, &srgba, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_DESCRIPTOR);
}

static void test_of_image(void)
{
	const cl_image_format srgba = {CL_sRGBA, CL_UNORM_INT8}, bgra = {CL_BGRA, CL_UNORM_INT8};
	cl_int code;
	cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 8, 0, 0);
	cl_mem image = image_make(context, CL_MEM_READ_WRITE, &rgba8, &desc, NULL);
	desc.mem_object = image;
	cl_mem view = image_make(context, CL_MEM_READ_ONLY, &srgba, &desc, NULL);
	/* OpenCL 3.0 API, 5.3.1: only orders that go together, and the same size. */
	CHECK_NO_OBJECT(clCreateImage(context, 0, &bgra, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	cl_image_desc other = desc;
	other.image_width = 15;
	check_view(other);
	other = desc;
	other.image_height = 7;
	check_view(other);
	other = desc;
	other.image_row_pitch = 16 * 4 + 4;
	check_view(other);
	other = desc;
	other.image_slice_pitch = 16 * 4 * 8;
	check_view(other);
	/* A slice of a 3D image is no 2D image. */
	const cl_image_desc block_desc = desc_of(CL_MEM_OBJECT_IMAGE3D, 16, 8, 2, 0);
	cl_mem block = image_make(context, 0, &rgba8, &block_desc, NULL);
	other = desc;
	other.mem_object = block;
	check_view(other);
	/* The texels of a 1D image buffer are a buffer's. */
	other = desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 8, 0, 0, 0);
	other.mem_object = image;
	check_view(other);
	CHECK_OK(clReleaseMemObject(block));
	CHECK_OK(clReleaseMemObject(image));
	CHECK(image_size(view, CL_IMAGE_WIDTH) == 16);
	CHECK_OK(clReleaseMemObject(view));
}

/* 5.3.1: orders that go together, with one data type. */
static void test_of_other_type(void)
{
	const cl_image_format real = {CL_R, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
	const cl_image_format short_depth = {CL_DEPTH, CL_UNORM_INT16};
	cl_int code;
	cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 8, 0, 0);
	cl_mem image = image_make(context, 0, &real, &desc, NULL);
	desc.mem_object = image;
	cl_mem view = image_make(context, 0, &depth, &desc, NULL);
	CHECK_OK(clReleaseMemObject(view));
	CHECK_NO_OBJECT(clCreateImage(context, 0, &short_depth, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_OK(clReleaseMemObject(image));
}

/* --- errors of creation --------------------------------------------------------------- */

static void test_errors(void)
{
	const cl_mem_properties none[] = {0}, some[] = {0x1234, 1, 0};
	const cl_image_format bad_order = {1, CL_UNORM_INT8}, bad_type = {CL_RGBA, 1};
	const cl_image_format mixed = {CL_BGRA, CL_FLOAT}, packed = {CL_RGBx, CL_UNORM_SHORT_565};
	const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
	/* 5.3.1.1: three channels are for the packed types, which are for no others. */
	const cl_image_format three = {CL_RGB, CL_UNORM_INT8}, four = {CL_RGBA, CL_UNORM_INT_101010};
	const cl_image_format wide_three = {CL_RGB, CL_UNORM_INT_101010_2};
	cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0, 0);
	cl_int code;
	cl_mem image = clCreateImageWithProperties(context, none, 0, &rgba8, &desc, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseMemObject(image));
	CHECK_NO_OBJECT(clCreateImageWithProperties(context, some, 0, &rgba8, &desc, NULL, &code),
			code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(clCreateImage(NULL, 0, &rgba8, &desc, NULL, &code), code,
			CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_READ_WRITE, &rgba8, &desc,
				      NULL, &code),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateImage(context, 0, NULL, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &bad_order, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &bad_type, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &mixed, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &packed, &desc, NULL, &code), code,
			CL_IMAGE_FORMAT_NOT_SUPPORTED);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &three, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &four, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &wide_three, &desc, NULL, &code), code,
			CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, NULL, NULL, &code), code,
			CL_INVALID_IMAGE_DESCRIPTOR);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &rgba8, &desc, host, &code), code,
			CL_INVALID_HOST_PTR);
	CHECK_NO_OBJECT(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, NULL, &code),
			code, CL_INVALID_HOST_PTR);
	desc = desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8, 8, 0);
	CHECK_NO_OBJECT(clCreateImage(context, 0, &depth, &desc, NULL, &code), code,
			CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

static void check_desc(cl_image_desc desc, void *pointer, cl_int expected)
{
	cl_int code;
	CHECK_NO_OBJECT(clCreateImage(context, pointer ? CL_MEM_COPY_HOST_PTR : 0, &rgba8, &desc,
				      pointer, &code),
			code, expected);
}

static void check_made(cl_image_desc desc)
{
	cl_int code;
	cl_mem image = clCreateImage(context, 0, &rgba8, &desc, NULL, &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseMemObject(image));
}

static void test_bad_descs(void)
{
	cl_image_desc desc;
	check_desc(desc_of(CL_MEM_OBJECT_BUFFER, 8, 8, 8, 8), NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE2D, 0, 8, 8, 8), NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 0, 8, 8), NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8, 0, 8), NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, 8, 8, 8, 0), NULL,
		   CL_INVALID_IMAGE_DESCRIPTOR);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE2D, device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH) + 1, 8,
			   0, 0), NULL, CL_INVALID_IMAGE_SIZE);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE2D, 8, device_size(CL_DEVICE_IMAGE2D_MAX_HEIGHT) + 1,
			   0, 0), NULL, CL_INVALID_IMAGE_SIZE);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8,
			   device_size(CL_DEVICE_IMAGE3D_MAX_DEPTH) + 1, 0), NULL,
		   CL_INVALID_IMAGE_SIZE);
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 8, 0,
			   device_size(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) + 1), NULL,
		   CL_INVALID_IMAGE_SIZE);
	/* As large as the device says. */
	check_made(desc_of(CL_MEM_OBJECT_IMAGE2D, device_size(CL_DEVICE_IMAGE2D_MAX_WIDTH), 1, 0,
			   0));
	check_made(desc_of(CL_MEM_OBJECT_IMAGE2D, 1, device_size(CL_DEVICE_IMAGE2D_MAX_HEIGHT), 0,
			   0));
	/* More texels than any memory holds. */
	check_desc(desc_of(CL_MEM_OBJECT_IMAGE3D, device_size(CL_DEVICE_IMAGE3D_MAX_WIDTH),
			   device_size(CL_DEVICE_IMAGE3D_MAX_HEIGHT),
			   device_size(CL_DEVICE_IMAGE3D_MAX_DEPTH), 0), NULL,
		   CL_MEM_OBJECT_ALLOCATION_FAILURE);
	/* Pitches: none without memory; a whole number of texels, no less than a row. */
	desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0, 0);
	desc.image_row_pitch = 32;
	check_desc(desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_row_pitch = 28;
	check_desc(desc, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_row_pitch = 0;
	desc.image_slice_pitch = 256;
	check_desc(desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_slice_pitch = 0;
	desc.image_row_pitch = 34;
	check_desc(desc, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc = desc_of(CL_MEM_OBJECT_IMAGE3D, 8, 8, 2, 0);
	desc.image_slice_pitch = 255;
	check_desc(desc, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_slice_pitch = 260;
	check_desc(desc, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.image_slice_pitch = 7 * 32;
	check_desc(desc, host, CL_INVALID_IMAGE_DESCRIPTOR);
	/* Eight rows of which are more than 2^64 bytes. */
	desc.image_slice_pitch = 0;
	desc.image_row_pitch = (size_t)1 << 61;
	check_desc(desc, host, CL_INVALID_IMAGE_DESCRIPTOR);
	desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0, 0);
	desc.num_samples = 1;
	check_desc(desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
}

/* An image is no buffer, and a buffer no image. */
static void test_kinds(void)
{
	const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0, 0);
	const cl_buffer_region region = {0, 4};
	const size_t zero[3] = {0}, one[3] = {1, 1, 1};
	cl_int code;
	cl_command_queue queue = queue_make(context, device, 0);
	cl_mem image = image_make(context, 0, &rgba8, &desc, NULL);
	cl_mem buffer = buffer_make(context, 0, 256, NULL);
	CHECK_CODE(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clGetImageInfo(NULL, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code),
			code, CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 4, host, 0, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clEnqueueReadImage(queue, buffer, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);
	CHECK_NO_OBJECT(clEnqueueMapBuffer(queue, image, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL,
					   &code),
			code, CL_INVALID_MEM_OBJECT);
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &image, 0, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	struct api_test test;
	cl_bool images = CL_FALSE;
	if (!api_test_start(&test, "images"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
	CHECK(images);
	test_device();
	test_formats();
	test_each_format();
	test_shapes();
	test_old_doors();
	test_of_buffer();
	test_of_image();
	test_of_other_type();
	test_errors();
	test_bad_descs();
	test_kinds();
	return api_test_end(&test);
}
