/* Features that the device says it lacks: each call answers what its page has for
 * that, and none of them crashes. */
#include "config.h"

#include "tests/api/api_test.h"

int main(void)
{
	struct api_test test;
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
				    .image_height = 8};
	const size_t origin[3] = {0}, region[3] = {1, 1, 1};
	char bytes[64];
	cl_uint count = 77;
	cl_int code;
	if (!api_test_start(&test, "unsupported"))
		return API_TEST_SKIP;
	cl_bool images = CL_TRUE;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images,
				 NULL));
	if (images)
		return api_test_end(&test);
	cl_command_queue queue = clCreateCommandQueue(test.context, test.device, 0, &code);
	CHECK_OK(code);
	cl_mem buffer = clCreateBuffer(test.context, 0, 64, NULL, &code);
	CHECK_OK(code);

	CHECK_NO_OBJECT(clCreateImage(test.context, 0, &format, &desc, NULL, &code), code,
			CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreateImageWithProperties(test.context, NULL, 0, &format, &desc, NULL,
						    &code),
			code, CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreateImage2D(test.context, 0, &format, 8, 8, 0, NULL, &code), code,
			CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreateImage3D(test.context, 0, &format, 8, 8, 8, 0, 0, NULL, &code), code,
			CL_INVALID_OPERATION);
	CHECK_OK(clGetSupportedImageFormats(test.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D,
					    0, NULL, &count));
	CHECK(count == 0);
	CHECK_CODE(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(clEnqueueReadImage(queue, buffer, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL,
				      NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueWriteImage(queue, buffer, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL,
				       NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueCopyImage(queue, buffer, buffer, origin, origin, region, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueCopyImageToBuffer(queue, buffer, buffer, origin, region, 0, 0, NULL,
					      NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, origin, region, 0, NULL,
					      NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clEnqueueFillImage(queue, buffer, bytes, origin, region, 0, NULL, NULL),
		   CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clEnqueueMapImage(queue, buffer, CL_TRUE, 0, origin, region, NULL, NULL, 0,
					  NULL, NULL, &code),
			code, CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreateSampler(test.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST,
					&code),
			code, CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreateSamplerWithProperties(test.context, NULL, &code), code,
			CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreatePipe(test.context, 0, 4, 4, NULL, &code), code,
			CL_INVALID_OPERATION);
	CHECK_CODE(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 0, NULL, NULL),
		   CL_INVALID_MEM_OBJECT);

	CHECK_CODE(clSetDefaultDeviceCommandQueue(test.context, test.device, queue),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clSetDefaultDeviceCommandQueue(test.context, test.device, NULL),
		   CL_INVALID_OPERATION);

	CHECK_NO_OBJECT(clCreateProgramWithIL(test.context, bytes, 16, &code), code,
			CL_INVALID_OPERATION);
	CHECK_NO_OBJECT(clCreateProgramWithBuiltInKernels(test.context, 1, &test.device, "any",
							  &code),
			code, CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
