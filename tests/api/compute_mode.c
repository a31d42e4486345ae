/* A device that the administrator has taken from all processes (CUDA's compute mode "prohibited") is listed, says that
 * it is not available, and gives no context. */
#include "config.h"

#include "tests/api/fixture.h"

int main(void)
{
	const char *cuda = getenv("CULVERT_CUDA");
	struct api_test test = {.name = "compute_mode"};
	cl_int code;
	cl_bool available = CL_TRUE;
	if (!cuda || strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	setenv("CULVERT_SOFT_SHARING", "prohibited", 1);
	/* api_test_start would make a context. */
	if (!api_test_find_platform(&test))
		return API_TEST_SKIP;
	CHECK_OK(clGetDeviceIDs(test.platform, CL_DEVICE_TYPE_ALL, 1, test.devices, NULL));
	CHECK_OK(clGetDeviceInfo(test.devices[0], CL_DEVICE_AVAILABLE, sizeof(available), &available, NULL));
	CHECK(!available);
	/* OpenCL 3.0 API, 4.4: "CL_DEVICE_NOT_AVAILABLE if a device in devices is currently not available". */
	CHECK_NO_OBJECT(clCreateContext(NULL, 1, test.devices, NULL, NULL, &code), code, CL_DEVICE_NOT_AVAILABLE);
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)test.platform, 0};
	CHECK_NO_OBJECT(clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &code), code,
			CL_DEVICE_NOT_AVAILABLE);
	return api_test_end(&test);
}
