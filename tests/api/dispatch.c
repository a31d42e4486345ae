/* The door of cl_khr_icd 2.0 and 1.0: which names are found, and that an object's
 * second word is what the loader gave the platform. */
#include "config.h"

#include "tests/api/api_test.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef void *(CL_API_CALL *address_function)(cl_platform_id, const char *);
typedef cl_int(CL_API_CALL *set_data_function)(cl_platform_id, void *);

/* What a loader sees of every object. */
struct words {
	void *const *dispatch;
	void *dispatch_data;
};

static const struct words *words(const void *object)
{
	return object;
}

static void check_names(const struct api_test *test, address_function address)
{
	static const char *const core[] = {
		"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clCreateContext",
		"clBuildProgram", "clEnqueueNDRangeKernel", "clSetContextDestructorCallback",
		"clUnloadCompiler", "clCreateFromGLBuffer", "clGetKernelSuggestedLocalWorkSize",
	};
	for (size_t i = 0; i < sizeof(core) / sizeof(core[0]); i++)
		api_test_check(address(test->platform, core[i]) != NULL, core[i], __FILE__,
			       __LINE__);
	CHECK(!address(test->platform, "clNoSuchFunction"));
	CHECK(!address(test->platform, NULL));
	CHECK(!address(NULL, "clGetPlatformInfo"));
	/* An extension that we do not have is not found by applications. */
	CHECK(!clGetExtensionFunctionAddressForPlatform(test->platform, "clCreateFromD3D11BufferKHR"));
	CHECK(!clGetExtensionFunctionAddressForPlatform(test->platform, "clNoSuchFunction"));
}

/* The slots that a 2.0 loader looks at, and no empty slot up to OpenCL 3.0 that a
 * 1.0 loader on this system could jump to. */
static void check_table(const struct api_test *test)
{
	enum { UNLOAD_COMPILER_SLOT = 31 };
	void *const *table = words(test->platform)->dispatch;
#if INTPTR_MAX == INT32_MAX
	const intptr_t tag = 0x434C3331;
#else
	const intptr_t tag = 0x4F50454E434C3331;
#endif
	CHECK((intptr_t)table[0] == tag);
	CHECK((intptr_t)table[UNLOAD_COMPILER_SLOT] == tag);
	/* OpenCL 3.1 has one more, behind the last of 3.0. */
	enum { LAST_SLOT = offsetof(cl_icd_dispatch, clSetContextDestructorCallback) / sizeof(*table) };
	CHECK(table[LAST_SLOT + 1] ==
	      clGetExtensionFunctionAddressForPlatform(test->platform,
						       "clGetKernelSuggestedLocalWorkSize"));
	CHECK(words(test->device)->dispatch == table);
	CHECK(words(test->context)->dispatch == table);
}

static void check_data(const struct api_test *test, set_data_function set_data)
{
	void *before = words(test->platform)->dispatch_data;
	int mark;
	cl_int code;
	CHECK_CODE(set_data(NULL, &mark), CL_INVALID_PLATFORM);
	/* With a 2.0 loader in between, the words are in use: only look. */
	if (before) {
		CHECK(words(test->context)->dispatch_data == before);
		return;
	}
	CHECK_OK(set_data(test->platform, &mark));
	CHECK(words(test->platform)->dispatch_data == &mark);
	CHECK(words(test->device)->dispatch_data == &mark);
	cl_context context = clCreateContext(NULL, 1, &test->device, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		CHECK(words(context)->dispatch_data == &mark);
		CHECK_OK(clReleaseContext(context));
	}
	CHECK_OK(set_data(test->platform, before));
}

/* ocl-icd 2.3.3 gives away the memory that it named: every call by that way has to stay possible.  PoCL
 * or another platform of 1.0 beside us ended programs. */
static void check_moving_loader(const struct api_test *test, set_data_function set_data)
{
	typedef cl_int (*set_function)(set_data_function, cl_platform_id, void *);
	static cl_icd_dispatch data;
	void *before = words(test->platform)->dispatch_data;
	void *library = dlopen("tests/api/libmoving-loader.so", RTLD_NOW | RTLD_LOCAL);
	set_function set;
	char name[64] = "";
	cl_uint count = 0;
	if (before || !library)
		return;
	*(void **)&set = dlsym(library, "moving_loader_set");
	CHECK_OK(set(set_data, test->platform, &data));
	const cl_icd_dispatch *table = words(test->device)->dispatch_data;
	if (CHECK(table && table != &data)) {
		CHECK(table->clGetPlatformIDs && table->clUnloadCompiler && table->clFinish);
		CHECK_OK(table->clGetPlatformInfo(test->platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
		CHECK(!strcmp(name, "Culvert"));
		CHECK_OK(table->clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
		CHECK(count > 0);
		CHECK_OK(table->clGetPlatformIDs(0, NULL, &count));
		CHECK_OK(table->clUnloadCompiler());
	}
	CHECK_OK(set_data(test->platform, before));
	dlclose(library);
}

/* cl_khr_create_command_queue. */
static void check_queue_alias(const struct api_test *test)
{
	typedef cl_command_queue(CL_API_CALL *create_function)(cl_context, cl_device_id,
							       const cl_properties *, cl_int *);
	void *found = clGetExtensionFunctionAddressForPlatform(
		test->platform, "clCreateCommandQueueWithPropertiesKHR");
	create_function create;
	cl_int code;
	memcpy(&create, &found, sizeof(create));
	if (!CHECK(create != NULL))
		return;
	cl_command_queue queue = create(test->context, test->device, NULL, &code);
	if (CHECK_OK(code))
		CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	struct api_test test;
	address_function address;
	set_data_function set_data;
	if (!api_test_start(&test, "dispatch"))
		return API_TEST_SKIP;
	void *found = clGetExtensionFunctionAddressForPlatform(
		test.platform, "clIcdGetFunctionAddressForPlatformKHR");
	memcpy(&address, &found, sizeof(address));
	found = clGetExtensionFunctionAddressForPlatform(test.platform,
							 "clIcdSetPlatformDispatchDataKHR");
	memcpy(&set_data, &found, sizeof(set_data));
	check_table(&test);
	/* Some loaders keep these two to themselves. */
	if (address && set_data) {
		check_names(&test, address);
		check_data(&test, set_data);
		check_moving_loader(&test, set_data);
	}
	check_queue_alias(&test);
	return api_test_end(&test);
}
