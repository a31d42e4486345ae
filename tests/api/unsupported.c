/* Features that the device says it lacks: each call answers what its page has for
 * that, and none of them crashes. */
#include "config.h"

#include "tests/api/fixture.h"

int main(void)
{
	struct api_test test;
	cl_int code;
	if (!api_test_start(&test, "unsupported"))
		return API_TEST_SKIP;
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem buffer = buffer_make(test.context, 0, 64, NULL);

	CHECK_CODE(clSetDefaultDeviceCommandQueue(test.context, test.device, queue),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clSetDefaultDeviceCommandQueue(test.context, test.device, NULL),
		   CL_INVALID_OPERATION);

	CHECK_NO_OBJECT(clCreateProgramWithBuiltInKernels(test.context, 1, &test.device, "any",
							  &code),
			code, CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
