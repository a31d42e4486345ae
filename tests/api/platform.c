/* The platform: listed, named, and every row of its queries by all three sizes. */
#include "config.h"

#include "tests/api/api_test.h"

/* Size query, one byte too small, exact; returns the value (static). */
static const char *query(cl_platform_id platform, cl_platform_info name)
{
	static char value[8192];
	size_t size = 0, again = 0;
	CHECK_OK(clGetPlatformInfo(platform, name, 0, NULL, &size));
	CHECK(size > 0 && size <= sizeof(value));
	CHECK_CODE(clGetPlatformInfo(platform, name, size - 1, value, NULL), CL_INVALID_VALUE);
	CHECK_OK(clGetPlatformInfo(platform, name, size, value, &again));
	CHECK(size == again);
	return value;
}

int main(void)
{
	struct api_test test;
	cl_uint count = 0;
	if (!api_test_start(&test, "platform"))
		return API_TEST_SKIP;
	CHECK_CODE(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetPlatformIDs(0, &test.platform, NULL), CL_INVALID_VALUE);
	CHECK_OK(clGetPlatformIDs(0, NULL, &count));
	CHECK(count >= 1);

	CHECK(!strcmp(query(test.platform, CL_PLATFORM_PROFILE), "FULL_PROFILE"));
	/* RadeonRays leaves out a platform with "1.0" anywhere in its version, and Culvert's version was 0.1.0. */
	const char *shown = query(test.platform, CL_PLATFORM_VERSION);
	CHECK(!strncmp(shown, "OpenCL 3.1 ", 11) && !strpbrk(shown + 11, "0123456789"));
	CHECK(strlen(query(test.platform, CL_PLATFORM_NAME)) > 0);
	CHECK(strlen(query(test.platform, CL_PLATFORM_VENDOR)) > 0);
	CHECK(strstr(query(test.platform, CL_PLATFORM_EXTENSIONS), "cl_khr_icd") != NULL);
	CHECK(strlen(query(test.platform, CL_PLATFORM_ICD_SUFFIX_KHR)) > 0);
	cl_version version;
	memcpy(&version, query(test.platform, CL_PLATFORM_NUMERIC_VERSION), sizeof(version));
	CHECK(version == CL_MAKE_VERSION(3, 1, 0));
	(void)query(test.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION);

	/* The list with versions has the same names in the same order. */
	char text[16384] = "";
	cl_name_version list[256];
	size_t size = 0;
	CHECK_OK(clGetPlatformInfo(test.platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION,
				   sizeof(list), list, &size));
	for (size_t i = 0; i < size / sizeof(list[0]); i++) {
		if (i)
			strcat(text, " ");
		strcat(text, list[i].name);
		CHECK(list[i].version != 0);
	}
	CHECK(!strcmp(text, query(test.platform, CL_PLATFORM_EXTENSIONS)));

	CHECK_CODE(clGetPlatformInfo(test.platform, 0, 0, NULL, &size), CL_INVALID_VALUE);
	CHECK_CODE(clGetPlatformInfo(test.platform, CL_DEVICE_NAME, 0, NULL, &size),
		   CL_INVALID_VALUE);
	CHECK_OK(clUnloadPlatformCompiler(test.platform));
	return api_test_end(&test);
}
