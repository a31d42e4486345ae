/* Contexts: properties, devices, queries, destructor callbacks, counts. */
#include "config.h"

#include "tests/api/api_test.h"

static char order[8];

static void CL_CALLBACK gone(cl_context context, void *letter)
{
	(void)context;
	strncat(order, letter, 1);
}

static void CL_CALLBACK notify(const char *text, const void *data, size_t size, void *user_data)
{
	(void)text;
	(void)data;
	(void)size;
	(void)user_data;
}

static void check_properties(const struct api_test *test)
{
	const cl_context_properties platform = (cl_context_properties)test->platform;
	const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, platform,
					      CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
	const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, platform,
					       CL_CONTEXT_PLATFORM, platform, 0};
	const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, platform, 0x7777, 1, 0};
	const cl_context_properties value[] = {CL_CONTEXT_PLATFORM, platform,
					       CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
	cl_context_properties got[8];
	size_t size = 0;
	cl_int code;
	cl_context context = clCreateContext(good, 1, &test->device, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		CHECK_OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof(got), got,
					  &size));
		CHECK(size == sizeof(good) && !memcmp(got, good, sizeof(good)));
		CHECK_OK(clReleaseContext(context));
	}
	for (cl_bool sync = CL_FALSE; sync <= CL_TRUE; sync++) {
		const cl_context_properties user[] = {CL_CONTEXT_INTEROP_USER_SYNC,
						      (cl_context_properties)sync, 0};
		context = clCreateContext(user, 1, &test->device, NULL, NULL, &code);
		if (CHECK_OK(code))
			CHECK_OK(clReleaseContext(context));
	}
	CHECK_NO_OBJECT(clCreateContext(twice, 1, &test->device, NULL, NULL, &code), code,
			CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(clCreateContext(unknown, 1, &test->device, NULL, NULL, &code), code,
			CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(clCreateContext(value, 1, &test->device, NULL, NULL, &code), code,
			CL_INVALID_PROPERTY);
}

static void check_arguments(const struct api_test *test)
{
	cl_device_id none = NULL;
	int data;
	cl_int code;
	CHECK_NO_OBJECT(clCreateContext(NULL, 1, &test->device, NULL, &data, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateContext(NULL, 0, &test->device, NULL, NULL, &code), code,
			CL_INVALID_VALUE);
	cl_context told = clCreateContext(NULL, 1, &test->device, notify, &data, &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseContext(told));
	cl_device_id pair[2] = {test->device, none};
	CHECK_NO_OBJECT(clCreateContext(NULL, 2, pair, NULL, NULL, &code), code,
			CL_INVALID_DEVICE);
	const cl_context_properties platform[] = {CL_CONTEXT_PLATFORM,
						  (cl_context_properties)test->platform, 0};
	CHECK_NO_OBJECT(clCreateContextFromType(platform, CL_DEVICE_TYPE_CPU, NULL, NULL, &code),
			code, CL_DEVICE_NOT_FOUND);
	CHECK_NO_OBJECT(clCreateContextFromType(platform, 0, NULL, NULL, &code), code,
			CL_INVALID_DEVICE_TYPE);
	const int all = (int)CL_DEVICE_TYPE_ALL;
	cl_context of_all = clCreateContextFromType(platform, all, NULL, NULL, &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseContext(of_all));
	cl_context context = clCreateContextFromType(platform, CL_DEVICE_TYPE_GPU, notify, &data,
						     &code);
	if (CHECK_OK(code)) {
		cl_uint count = 0;
		CHECK_OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count,
					  NULL));
		CHECK(count == test->device_count);
		CHECK_OK(clReleaseContext(context));
	}
}

static void check_info(const struct api_test *test)
{
	cl_device_id pair[2] = {test->device, test->device}, devices[2];
	cl_uint count = 0;
	size_t size = 0;
	cl_int code;
	cl_context context = clCreateContext(NULL, 2, pair, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	/* Repeated devices count once. */
	CHECK_OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
	CHECK(count == 1);
	CHECK_OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(devices), devices, &size));
	CHECK(size == sizeof(devices[0]) && devices[0] == test->device);
	CHECK_CODE(clGetContextInfo(context, CL_CONTEXT_DEVICES, size - 1, devices, NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &size));
	CHECK(size == 0);
	CHECK_CODE(clGetContextInfo(context, 0x1, 0, NULL, &size), CL_INVALID_VALUE);
	CHECK_OK(clRetainContext(context));
	CHECK_OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count,
				  NULL));
	CHECK(count == 2);
	CHECK_OK(clReleaseContext(context));
	CHECK_CODE(clSetContextDestructorCallback(context, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(clSetContextDestructorCallback(context, gone, "a"));
	CHECK_OK(clSetContextDestructorCallback(context, gone, "b"));
	CHECK_OK(clSetContextDestructorCallback(context, gone, "c"));
	CHECK(!order[0]);
	CHECK_OK(clReleaseContext(context));
	CHECK(!strcmp(order, "cba"));
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "context"))
		return API_TEST_SKIP;
	check_properties(&test);
	check_arguments(&test);
	check_info(&test);
	return api_test_end(&test);
}
