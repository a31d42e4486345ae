/* Devices: which types list them, and every query with a size query, one byte too
 * small and exact.  The full profile's least values (OpenCL 3.0 API, table 5). */
#include "config.h"

#include "tests/api/api_test.h"

#define ROW(name) {name, #name}

static const struct {
	cl_device_info name;
	const char *text;
} rows[] = {
	ROW(CL_DEVICE_TYPE), ROW(CL_DEVICE_VENDOR_ID), ROW(CL_DEVICE_MAX_COMPUTE_UNITS),
	ROW(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), ROW(CL_DEVICE_MAX_WORK_ITEM_SIZES),
	ROW(CL_DEVICE_MAX_WORK_GROUP_SIZE), ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR),
	ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT), ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT),
	ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG), ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT),
	ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE), ROW(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF),
	ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR), ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT),
	ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT), ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG),
	ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT), ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE),
	ROW(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF), ROW(CL_DEVICE_MAX_CLOCK_FREQUENCY),
	ROW(CL_DEVICE_ADDRESS_BITS), ROW(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
	ROW(CL_DEVICE_IMAGE_SUPPORT), ROW(CL_DEVICE_MAX_READ_IMAGE_ARGS),
	ROW(CL_DEVICE_MAX_WRITE_IMAGE_ARGS), ROW(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS),
	ROW(CL_DEVICE_IL_VERSION), ROW(CL_DEVICE_IMAGE2D_MAX_WIDTH),
	ROW(CL_DEVICE_IMAGE2D_MAX_HEIGHT), ROW(CL_DEVICE_IMAGE3D_MAX_WIDTH),
	ROW(CL_DEVICE_IMAGE3D_MAX_HEIGHT), ROW(CL_DEVICE_IMAGE3D_MAX_DEPTH),
	ROW(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE), ROW(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
	ROW(CL_DEVICE_MAX_SAMPLERS), ROW(CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
	ROW(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT), ROW(CL_DEVICE_MAX_PIPE_ARGS),
	ROW(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS), ROW(CL_DEVICE_PIPE_MAX_PACKET_SIZE),
	ROW(CL_DEVICE_MAX_PARAMETER_SIZE), ROW(CL_DEVICE_MEM_BASE_ADDR_ALIGN),
	ROW(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE), ROW(CL_DEVICE_SINGLE_FP_CONFIG),
	ROW(CL_DEVICE_DOUBLE_FP_CONFIG), ROW(CL_DEVICE_HALF_FP_CONFIG),
	ROW(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE), ROW(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE),
	ROW(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), ROW(CL_DEVICE_GLOBAL_MEM_SIZE),
	ROW(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), ROW(CL_DEVICE_MAX_CONSTANT_ARGS),
	ROW(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE),
	ROW(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE), ROW(CL_DEVICE_LOCAL_MEM_TYPE),
	ROW(CL_DEVICE_LOCAL_MEM_SIZE), ROW(CL_DEVICE_ERROR_CORRECTION_SUPPORT),
	ROW(CL_DEVICE_HOST_UNIFIED_MEMORY), ROW(CL_DEVICE_PROFILING_TIMER_RESOLUTION),
	ROW(CL_DEVICE_ENDIAN_LITTLE), ROW(CL_DEVICE_AVAILABLE), ROW(CL_DEVICE_COMPILER_AVAILABLE),
	ROW(CL_DEVICE_LINKER_AVAILABLE), ROW(CL_DEVICE_EXECUTION_CAPABILITIES),
	ROW(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES), ROW(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES),
	ROW(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE), ROW(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE),
	ROW(CL_DEVICE_MAX_ON_DEVICE_QUEUES), ROW(CL_DEVICE_MAX_ON_DEVICE_EVENTS),
	ROW(CL_DEVICE_BUILT_IN_KERNELS), ROW(CL_DEVICE_PLATFORM), ROW(CL_DEVICE_NAME),
	ROW(CL_DEVICE_VENDOR), ROW(CL_DRIVER_VERSION), ROW(CL_DEVICE_PROFILE),
	ROW(CL_DEVICE_VERSION), ROW(CL_DEVICE_OPENCL_C_VERSION), ROW(CL_DEVICE_EXTENSIONS),
	ROW(CL_DEVICE_PRINTF_BUFFER_SIZE), ROW(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC),
	ROW(CL_DEVICE_PARENT_DEVICE), ROW(CL_DEVICE_PARTITION_MAX_SUB_DEVICES),
	ROW(CL_DEVICE_PARTITION_PROPERTIES), ROW(CL_DEVICE_PARTITION_AFFINITY_DOMAIN),
	ROW(CL_DEVICE_PARTITION_TYPE), ROW(CL_DEVICE_REFERENCE_COUNT),
	ROW(CL_DEVICE_SVM_CAPABILITIES), ROW(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT),
	ROW(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT),
	ROW(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT), ROW(CL_DEVICE_MAX_NUM_SUB_GROUPS),
	ROW(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), ROW(CL_DEVICE_NUMERIC_VERSION),
	ROW(CL_DEVICE_EXTENSIONS_WITH_VERSION), ROW(CL_DEVICE_OPENCL_C_ALL_VERSIONS),
	ROW(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES), ROW(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES),
	ROW(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT), ROW(CL_DEVICE_OPENCL_C_FEATURES),
	ROW(CL_DEVICE_ILS_WITH_VERSION), ROW(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION),
	ROW(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT),
	ROW(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT), ROW(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES),
	ROW(CL_DEVICE_PIPE_SUPPORT), ROW(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
	ROW(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED),
	/* OpenCL 3.1, cl_khr_spirv_queries */
	{0x12B9, "SPIRV_EXTENDED_INSTRUCTION_SETS"}, {0x12BA, "SPIRV_EXTENSIONS"},
	{0x12BB, "SPIRV_CAPABILITIES"},
	/* cl_khr_extended_versioning, cl_khr_device_uuid, cl_khr_pci_bus_info */
	ROW(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR), ROW(CL_DEVICE_UUID_KHR),
	ROW(CL_DRIVER_UUID_KHR), ROW(CL_DEVICE_LUID_VALID_KHR), ROW(CL_DEVICE_LUID_KHR),
	ROW(CL_DEVICE_NODE_MASK_KHR), ROW(CL_DEVICE_PCI_BUS_INFO_KHR),
	/* cl_nv_device_attribute_query */
	ROW(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV), ROW(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV),
	ROW(CL_DEVICE_REGISTERS_PER_BLOCK_NV), ROW(CL_DEVICE_WARP_SIZE_NV),
	ROW(CL_DEVICE_GPU_OVERLAP_NV), ROW(CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV),
	ROW(CL_DEVICE_INTEGRATED_MEMORY_NV), {0x4007, "ASYNC_ENGINE_COUNT_NV"},
	{0x4008, "PCI_BUS_ID_NV"}, {0x4009, "PCI_SLOT_ID_NV"}, {0x400A, "PCI_DOMAIN_ID_NV"},
	/* cl_intel_required_subgroup_size, cl_khr_integer_dot_product, cl_khr_kernel_clock,
	 * cl_ext_float_atomics */
	ROW(CL_DEVICE_SUB_GROUP_SIZES_INTEL), ROW(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR),
	ROW(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR),
	ROW(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR),
	{0x2035, "MAX_NAMED_BARRIER_COUNT_KHR"}, {0x1076, "KERNEL_CLOCK_CAPABILITIES_KHR"},
	/* cl_ext_cxx_for_opencl */
	{0x4230, "CXX_FOR_OPENCL_NUMERIC_VERSION_EXT"},
	{0x4231, "SINGLE_FP_ATOMIC_CAPABILITIES_EXT"},
	{0x4232, "DOUBLE_FP_ATOMIC_CAPABILITIES_EXT"}, {0x4233, "HALF_FP_ATOMIC_CAPABILITIES_EXT"},
};

static void check_row(cl_device_id device, cl_device_info name, const char *text)
{
	static char first[65536], second[65536];
	size_t size = 0, again = 0;
	cl_int code = clGetDeviceInfo(device, name, 0, NULL, &size);
	if (!api_test_check_code(code, CL_SUCCESS, text, __FILE__, __LINE__))
		return;
	if (size) {
		code = clGetDeviceInfo(device, name, size - 1, first, NULL);
		api_test_check_code(code, CL_INVALID_VALUE, text, __FILE__, __LINE__);
	}
	code = clGetDeviceInfo(device, name, size, first, &again);
	api_test_check_code(code, CL_SUCCESS, text, __FILE__, __LINE__);
	api_test_check(size == again, text, __FILE__, __LINE__);
	clGetDeviceInfo(device, name, size, second, NULL);
	api_test_check(!memcmp(first, second, size), text, __FILE__, __LINE__);
}

static cl_ulong number(cl_device_id device, cl_device_info name)
{
	cl_ulong value = 0;
	CHECK_OK(clGetDeviceInfo(device, name, sizeof(value), &value, NULL));
	return value;
}

/* OpenCL 3.0 API, table 5, for the full profile. */
static void check_minimums(cl_device_id device)
{
	cl_ulong global = number(device, CL_DEVICE_GLOBAL_MEM_SIZE);
	cl_ulong alloc = number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	CHECK(number(device, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_GPU);
	CHECK(number(device, CL_DEVICE_MAX_COMPUTE_UNITS) >= 1);
	CHECK(number(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) >= 3);
	CHECK(number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE) >= 1);
	CHECK(number(device, CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
	CHECK(number(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= sizeof(cl_long16) * 8);
	CHECK(number(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 << 10);
	CHECK(number(device, CL_DEVICE_MAX_CONSTANT_ARGS) >= 8);
	CHECK(number(device, CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10);
	CHECK(number(device, CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1 << 20);
	CHECK(number(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE);
	CHECK(number(device, CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL);
	CHECK(alloc <= global && alloc >= global / 4);
	CHECK(alloc >= global - global / 16);
	CHECK(number(device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_ROUND_TO_NEAREST);
	CHECK(number(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) &
	      CL_DEVICE_ATOMIC_ORDER_RELAXED);
	CHECK(number(device, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) &
	      CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
}

/* OpenCL 3.0 API, 4.2: what cl_khr_fp16 asks for at least, and nothing without it. */
/* OpenCL 3.1 API, 4.2: "extension names must be returned by all devices that support OpenCL 3.1",
 * table 5: sub-groups, SPIR-V 1.0 to 1.4 and OpenCL C 1.0 to 1.2, 3.0 and 3.1. */
static void check_31(cl_device_id device)
{
	static const char *const names[] = {
		"cl_khr_device_uuid", "cl_khr_extended_bit_ops", "cl_khr_integer_dot_product",
		"cl_khr_spirv_queries", "cl_khr_subgroup_extended_types", "cl_khr_subgroup_rotate",
		"cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative",
		"cl_khr_suggested_local_work_size",
	};
	static const cl_version languages[] = {
		CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
		CL_MAKE_VERSION(3, 0, 0), CL_MAKE_VERSION(3, 1, 0),
	};
	static char text[16384];
	cl_name_version versions[16];
	size_t size_B = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(text), text, NULL));
	CHECK(!strncmp(text, "OpenCL 3.1 ", 11) && !strpbrk(text + 11, "0123456789"));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof(text), text, NULL));
	CHECK(!strncmp(text, "OpenCL C 1.2 ", 13) && !strpbrk(text + 13, "0123456789"));
	CHECK(number(device, CL_DEVICE_NUMERIC_VERSION) == CL_MAKE_VERSION(3, 1, 0));
	CHECK(number(device, CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0);
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		api_test_check(strstr(text, names[i]) != NULL, names[i], __FILE__, __LINE__);
	/* ViennaCL and others query the list into an array of 2,048 characters. */
	CHECK(strlen(text) < 2048);
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof(text), text, NULL));
	for (char minor = '0'; minor <= '4'; minor++) {
		const char name[] = {'S', 'P', 'I', 'R', '-', 'V', '_', '1', '.', minor, 0};
		api_test_check(strstr(text, name) != NULL, name, __FILE__, __LINE__);
	}
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(versions),
				 versions, &size_B));
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
		bool there = false;
		for (size_t k = 0; k < size_B / sizeof(*versions); k++)
			there |= versions[k].version == languages[i];
		CHECK(there);
	}
}

static void check_half(cl_device_id device)
{
	char names[8192] = "";
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(names) - 1, names, NULL));
	const cl_ulong least = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
	cl_ulong config = number(device, CL_DEVICE_HALF_FP_CONFIG);
	bool has_half = strstr(names, "cl_khr_fp16") != NULL;
	CHECK(has_half ? (config & least) == least : !config);
	CHECK(has_half == (number(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF) > 0));
	CHECK(has_half == (number(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) > 0));
}

static void check_types(const struct api_test *test)
{
	static const cl_device_type none[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR,
					      CL_DEVICE_TYPE_CUSTOM};
	cl_device_id device = NULL;
	cl_uint count = 0;
	CHECK_OK(clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_GPU, 0, NULL, &count));
	CHECK(count == test->device_count);
	CHECK_OK(clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, &count));
	CHECK(count == 1 && device == test->devices[0]);
	CHECK_OK(clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU, 0, NULL,
				&count));
	CHECK(count == test->device_count);
	/* TeaLeaf passes an int, whose sign is extended to 64 bits. */
	const int all = (int)CL_DEVICE_TYPE_ALL;
	count = 0;
	CHECK_OK(clGetDeviceIDs(test->platform, all, 1, &device, &count));
	CHECK(count == test->device_count && device == test->devices[0]);
	for (size_t i = 0; i < 3; i++)
		CHECK_CODE(clGetDeviceIDs(test->platform, none[i], 1, &device, NULL),
			   CL_DEVICE_NOT_FOUND);
	CHECK_CODE(clGetDeviceIDs(test->platform, 0, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
	CHECK_CODE(clGetDeviceIDs(test->platform, (cl_device_type)1 << 20, 1, &device, NULL),
		   CL_INVALID_DEVICE_TYPE);
	CHECK_CODE(clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_GPU, 0, &device, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clGetDeviceIDs(test->platform, CL_DEVICE_TYPE_GPU, 0, NULL, NULL),
		   CL_INVALID_VALUE);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "device"))
		return API_TEST_SKIP;
	check_types(&test);
	for (cl_uint d = 0; d < test.device_count; d++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			check_row(test.devices[d], rows[i].name, rows[i].text);
		check_minimums(test.devices[d]);
		check_half(test.devices[d]);
		check_31(test.devices[d]);
		CHECK_OK(clRetainDevice(test.devices[d]));
		CHECK_OK(clReleaseDevice(test.devices[d]));
		CHECK(number(test.devices[d], CL_DEVICE_REFERENCE_COUNT) == 1);
	}
	CHECK_CODE(clGetDeviceInfo(test.device, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetDeviceInfo(test.device, CL_PLATFORM_NAME, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	cl_ulong host, now;
	cl_ulong before, resolution;
	CHECK_OK(clGetPlatformInfo(test.platform, CL_PLATFORM_HOST_TIMER_RESOLUTION,
				   sizeof(resolution), &resolution, NULL));
	CHECK(resolution > 0);
	CHECK_OK(clGetHostTimer(test.device, &before));
	CHECK_OK(clGetDeviceAndHostTimer(test.device, &now, &host));
	CHECK(host >= before && host - before < 10000000000u);
	CHECK_CODE(clGetHostTimer(test.device, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetDeviceAndHostTimer(test.device, NULL, &host), CL_INVALID_VALUE);
	CHECK_CODE(clGetDeviceAndHostTimer(test.device, &now, NULL), CL_INVALID_VALUE);
	return api_test_end(&test);
}
