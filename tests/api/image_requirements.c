/* cl_ext_image_requirements_info: what is asked before agrees with images that are made then. */
#include "config.h"

#include "tests/api/fixture.h"

static struct api_test test;
static clGetImageRequirementsInfoEXT_fn get;

static const cl_mem_object_type types[] = {
	CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER,
	CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D,
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

static size_t size_value(const cl_image_format *format, const cl_image_desc *desc,
			 cl_image_requirements_info_ext name)
{
	size_t value = 0;
	CHECK_OK(get(test.context, NULL, 0, format, desc, name, sizeof(value), &value, NULL));
	return value;
}

static cl_uint uint_value(const cl_image_desc *desc, cl_image_requirements_info_ext name)
{
	cl_uint value = 0;
	CHECK_OK(get(test.context, NULL, 0, NULL, desc, name, sizeof(value), &value, NULL));
	return value;
}

static size_t limit(cl_device_info name)
{
	size_t value = 0;
	CHECK_OK(clGetDeviceInfo(test.device, name, sizeof(value), &value, NULL));
	return value;
}

static bool is_power(size_t value)
{
	return value && !(value & (value - 1));
}

/* --- 2D images of buffers -------------------------------------------------------------------- */

/* The smallest buffer and the smallest pitch do, and a byte or a texel less does not. */
static void check_buffer_image(const cl_image_format *format)
{
	cl_int code;
	cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 3,
	};
	const size_t pitch_B = size_value(format, &desc,
					  CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT);
	const size_t base_B = size_value(format, &desc,
					 CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT);
	CHECK(is_power(pitch_B) && is_power(base_B));
	desc.image_row_pitch = pitch_B;
	const size_t size_B = size_value(format, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT);
	CHECK(size_B == 3 * pitch_B);
	desc.mem_object = buffer_make(test.context, 0, size_B, NULL);
	cl_mem image = clCreateImage(test.context, CL_MEM_READ_ONLY, format, &desc, NULL, &code);
	if (CHECK_OK(code)) {
		size_t got_B = 0;
		CHECK_OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(got_B), &got_B, NULL));
		CHECK(got_B == size_B);
		CHECK_OK(clReleaseMemObject(image));
	}
	CHECK_OK(clReleaseMemObject(desc.mem_object));
	desc.mem_object = buffer_make(test.context, 0, size_B - 1, NULL);
	CHECK(!clCreateImage(test.context, CL_MEM_READ_ONLY, format, &desc, NULL, &code) && code);
	CHECK_OK(clReleaseMemObject(desc.mem_object));
	/* Nothing known of the format: enough for each. */
	CHECK(size_value(NULL, NULL, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT) >= pitch_B);
	CHECK(size_value(NULL, NULL, CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT) >= base_B);
}

static void check_formats(void)
{
	cl_image_format formats[128];
	cl_uint count = 0;
	CHECK_OK(clGetSupportedImageFormats(test.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D,
					    128, formats, &count));
	CHECK(count && count <= 128);
	/* Formats whose texels share bytes have rules of their own: tests/api/raw_images. */
	for (cl_uint i = 0; i < count && i < 128; i++)
		if (formats[i].image_channel_data_type < 0x10E3 /* CL_UNSIGNED_INT_RAW10_EXT */)
			check_buffer_image(&formats[i]);
}

/* --- sizes ----------------------------------------------------------------------------------------- */

/* A buffer's images have the bytes of their texels, and arrays of all their layers. */
static void check_sizes(void)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT16};
	cl_image_desc desc = {
		.image_width = 7, .image_height = 5, .image_depth = 3, .image_array_size = 2,
	};
	static const size_t expected[TYPES] = {56, 2 * 56, 56, 5 * 56, 2 * 5 * 56, 3 * 5 * 56};
	for (unsigned i = 0; i < TYPES; i++) {
		desc.image_type = types[i];
		CHECK(size_value(&format, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT) == expected[i]);
	}
}

static void check_limits(void)
{
	const size_t width2 = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH);
	const size_t width3 = limit(CL_DEVICE_IMAGE3D_MAX_WIDTH);
	const size_t linear = limit(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
	const size_t widths[TYPES] = {width2, width2, linear, width2, width2, width3};
	cl_image_desc desc = {0};
	for (unsigned i = 0; i < TYPES; i++) {
		desc.image_type = types[i];
		CHECK(uint_value(&desc, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT) == widths[i]);
	}
	desc.image_type = CL_MEM_OBJECT_IMAGE2D;
	CHECK(uint_value(&desc, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT) ==
	      limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT));
	desc.image_type = CL_MEM_OBJECT_IMAGE3D;
	CHECK(uint_value(&desc, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT) ==
	      limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT));
	CHECK(uint_value(&desc, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT) ==
	      limit(CL_DEVICE_IMAGE3D_MAX_DEPTH));
	desc.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY;
	CHECK(uint_value(&desc, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT) ==
	      limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
	desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
	CHECK(uint_value(&desc, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT) ==
	      limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
	/* Without a type: of those that have such a side, what each of them allows. */
	CHECK(uint_value(NULL, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT) ==
	      limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
	CHECK(uint_value(NULL, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT) ==
	      limit(CL_DEVICE_IMAGE3D_MAX_DEPTH));
	CHECK(uint_value(NULL, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT) <=
	      limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT));
	/* What all types have. */
	CHECK(uint_value(NULL, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT) <= width2);
	CHECK(uint_value(NULL, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT) <= width3);
	CHECK(uint_value(NULL, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT) <= linear);
}

int main(void)
{
	if (!api_test_start(&test, "image_requirements"))
		return API_TEST_SKIP;
	*(void **)&get = clGetExtensionFunctionAddressForPlatform(test.platform,
								  "clGetImageRequirementsInfoEXT");
	if (CHECK(get)) {
		check_formats();
		check_sizes();
		check_limits();
	}
	return api_test_end(&test);
}
