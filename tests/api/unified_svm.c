/* Protects: cl_khr_unified_svm 0.9.0: the types and what the device says of them, queries, kernels that write memory of
 * each type and reach it behind pointers, copies, fills, maps and frees, and the suggested type. */
#include "config.h"

#include "icd/include/khr_unified_svm.h"
#include "tests/api/api_test.h"
#include "tests/api/fixture.h"

#include <string.h>

enum { COUNT = 1024, SIZE_B = COUNT * sizeof(cl_int), TYPES_MOST = 8 };

static const char source[] =
	"struct node { global int *next; };\n"
	"kernel void count_up(global int *p) { p[get_global_id(0)] += (int)get_global_id(0); }\n"
	"kernel void behind(global struct node *n) { n->next[get_global_id(0)] = 7; }\n";

#define FUNCTIONS(F)                                                                             \
	F(clSVMAllocWithPropertiesKHR) F(clSVMFreeWithPropertiesKHR) F(clGetSVMPointerInfoKHR)   \
	F(clGetSVMSuggestedTypeIndexKHR)
#include "tests/api/extension_functions.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_svm_capabilities_khr types[TYPES_MOST];
static cl_uint type_count;

static void *make(cl_uint type, size_t size_B)
{
	const cl_svm_alloc_properties_khr of_device[] = {
		CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_svm_alloc_properties_khr)(uintptr_t)device, 0,
	};
	const bool alone = types[type] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR;
	cl_int code = 1;
	void *made = clSVMAllocWithPropertiesKHR_(context, alone ? NULL : of_device, type, size_B, &code);
	CHECK_OK(code);
	return made;
}

static void drop(void *pointer)
{
	CHECK_OK(clSVMFreeWithPropertiesKHR_(context, NULL, 0, pointer));
}

/* The text: as many of the device as of the platform, each more than the platform's or 0. */
static void test_types(cl_platform_id platform)
{
	static const cl_svm_capabilities_khr least[] = {
		CL_SVM_CAPABILITY_HOST_MAP_KHR, CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR,
		CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, CL_SVM_CAPABILITY_HOST_OWNED_KHR,
		CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR,
		CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR,
	};
	cl_svm_capabilities_khr all[TYPES_MOST];
	cl_device_svm_capabilities svm = 0;
	size_t size_B = 0, all_B = 0, atom_B = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, sizeof(types), types, &size_B));
	CHECK_OK(clGetPlatformInfo(platform, CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, sizeof(all), all, &all_B));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR, sizeof(atom_B), &atom_B, NULL));
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
	type_count = (cl_uint)(size_B / sizeof(types[0]));
	CHECK(size_B == all_B && type_count >= 5 && type_count <= 6);
	CHECK(atom_B == 1);
	for (cl_uint i = 0; i < type_count; i++) {
		CHECK(all[i] && (!types[i] || (types[i] & all[i]) == all[i]));
		CHECK(!types[i] || (types[i] & least[i]) == least[i]);
	}
	CHECK(!(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) == (type_count < 6 || !types[5]));
	CHECK(!(svm & CL_DEVICE_SVM_ATOMICS) == !(types[1] & CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR));
}

#define ASK(pointer, name, variable)                                                              \
	CHECK_OK(clGetSVMPointerInfoKHR_(context, NULL, pointer, name, sizeof(variable), &(variable), NULL))

static void test_info(cl_uint type)
{
	const cl_svm_alloc_properties_khr properties[] = {
		CL_SVM_ALLOC_ALIGNMENT_KHR, 64, CL_SVM_ALLOC_ACCESS_FLAGS_KHR, CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR,
		CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_svm_alloc_properties_khr)(uintptr_t)device, 0,
	};
	cl_svm_alloc_properties_khr back[7] = {0};
	cl_svm_alloc_access_flags_khr access = 0;
	cl_svm_capabilities_khr can = 0;
	cl_device_id of = NULL;
	cl_uint index = 99;
	size_t size_B = 0;
	void *base = NULL;
	cl_int code = 1;
	char *p = clSVMAllocWithPropertiesKHR_(context, properties, type, SIZE_B, &code);
	CHECK_OK(code);
	CHECK(p && (uintptr_t)p % 64 == 0);
	ASK(p + 5, CL_SVM_INFO_TYPE_INDEX_KHR, index);
	ASK(p + 5, CL_SVM_INFO_CAPABILITIES_KHR, can);
	ASK(p + 5, CL_SVM_INFO_PROPERTIES_KHR, back);
	ASK(p + 5, CL_SVM_INFO_ACCESS_FLAGS_KHR, access);
	ASK(p + 5, CL_SVM_INFO_BASE_PTR_KHR, base);
	ASK(p + 5, CL_SVM_INFO_SIZE_KHR, size_B);
	ASK(p + 5, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, of);
	CHECK(index == type && can == types[type] && !memcmp(back, properties, sizeof(back)));
	CHECK(access == CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR && base == p && size_B == SIZE_B && of == device);
	drop(p);
	ASK(p + 5, CL_SVM_INFO_TYPE_INDEX_KHR, index);
	ASK(p + 5, CL_SVM_INFO_CAPABILITIES_KHR, can);
	CHECK(index == CL_UINT_MAX && !can);
}

/* What clSVMAlloc makes is of the first two types, and each function frees what the other made. */
static void test_core(void)
{
	const cl_svm_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER};
	cl_uint index = 99;
	size_t size_B = 1;
	for (cl_uint i = 0; i < 2; i++) {
		void *p = clSVMAlloc(context, flags[i], SIZE_B, 0);
		CHECK(p != NULL);
		ASK(p, CL_SVM_INFO_TYPE_INDEX_KHR, index);
		CHECK(index == i);
		CHECK_OK(clGetSVMPointerInfoKHR_(context, device, p, CL_SVM_INFO_PROPERTIES_KHR, 0, NULL, &size_B));
		CHECK(size_B == 0);
		drop(p);
		p = make(i, SIZE_B);
		clSVMFree(context, p);
		CHECK_CODE(clSVMFreeWithPropertiesKHR_(context, NULL, 0, p), CL_INVALID_VALUE);
	}
}

/* Fills, counts up by a kernel and copies back; every byte of the type is written and read by the device. */
static void test_commands(cl_uint type)
{
	static cl_int back[COUNT];
	cl_kernel kernel = kernel_make(program, "count_up");
	const cl_int three = 3;
	cl_int *p = make(type, SIZE_B);
	CHECK_OK(clEnqueueSVMMemFill(queue, p, &three, sizeof(three), SIZE_B, 0, NULL, NULL));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, p));
	launch_1d(queue, kernel, COUNT);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, p, SIZE_B, 0, NULL, NULL));
	bool good = true;
	for (cl_int i = 0; i < COUNT; i++)
		good = good && back[i] == 3 + i;
	CHECK(good);
	if (types[type] & CL_SVM_CAPABILITY_HOST_MAP_KHR) {
		CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, SIZE_B, 0, NULL, NULL));
		CHECK(p[COUNT - 1] == COUNT + 2);
		CHECK_OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
	} else {
		CHECK_CODE(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, SIZE_B, 0, NULL, NULL), CL_INVALID_VALUE);
		CHECK_CODE(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL), CL_INVALID_VALUE);
	}
	CHECK_OK(clFinish(queue));
	if (types[type] & CL_SVM_CAPABILITY_HOST_READ_KHR)
		CHECK(p[9] == 12);
	void *pointers[] = {p, NULL};
	CHECK_OK(clEnqueueSVMFree(queue, 2, pointers, NULL, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_CODE(clSVMFreeWithPropertiesKHR_(context, NULL, 0, p), CL_INVALID_VALUE);
	CHECK_OK(clReleaseKernel(kernel));
}

/* A kernel that finds the memory behind a pointer in other memory. */
static void test_indirect(cl_uint type)
{
	static cl_int back[COUNT];
	cl_kernel kernel = kernel_make(program, "behind");
	const cl_bool yes = CL_TRUE, no = CL_FALSE;
	void *p = make(type, SIZE_B), **node = make(3, sizeof(void *));
	if (!(types[type] & CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR))
		CHECK_OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(p), &p));
	else
		CHECK_OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof(yes), &yes));
	*node = p;
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, node));
	launch_1d(queue, kernel, COUNT);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, p, SIZE_B, 0, NULL, NULL));
	CHECK(back[0] == 7 && back[COUNT - 1] == 7);
	CHECK_OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof(no), &no));
	CHECK_CODE(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 1, &no), CL_INVALID_VALUE);
	CHECK_OK(clReleaseKernel(kernel));
	drop(p);
	drop(node);
}

/* What the text allows beyond OpenCL 3.0: nothing is copied, filled, moved or freed, and NULL may be named. */
static void test_nothing(void)
{
	const void *null = NULL;
	const size_t zero = 0, four = 4;
	cl_int number = 5, code = 1;
	for (cl_uint type = 0; type < type_count; type++)
		if (types[type])
			CHECK(!make(type, 0));
	CHECK(!clSVMAllocWithPropertiesKHR_(context, NULL, 3, SIZE_MAX, &code) && code == CL_OUT_OF_RESOURCES);
	CHECK_OK(clSVMFreeWithPropertiesKHR_(context, NULL, 0, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, &number, 0, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, &number, NULL, 0, 0, NULL, NULL));
	CHECK_CODE(clEnqueueSVMMemcpy(queue, CL_TRUE, &number, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(clEnqueueSVMMemFill(queue, NULL, &number, 4, 0, 0, NULL, NULL));
	CHECK_CODE(clEnqueueSVMMemFill(queue, NULL, &number, 3, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueSVMMemFill(queue, NULL, &number, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(clEnqueueSVMMigrateMem(queue, 1, &null, NULL, 0, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMigrateMem(queue, 1, &null, &zero, 0, 0, NULL, NULL));
	CHECK_CODE(clEnqueueSVMMigrateMem(queue, 1, &null, &four, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(clFinish(queue));
	CHECK(number == 5);
}

static void test_suggestions(void)
{
	const cl_svm_alloc_properties_khr of_device[] = {
		CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_svm_alloc_properties_khr)(uintptr_t)device, 0,
	};
	cl_uint index = 99;
#define SUGGEST(needed, wanted, properties, size)                                                 \
	CHECK_OK(clGetSVMSuggestedTypeIndexKHR_(context, needed, wanted, properties, size, &index))
	SUGGEST(CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, 0, of_device, SIZE_B);
	CHECK(index == 2);
	SUGGEST(CL_SVM_CAPABILITY_HOST_OWNED_KHR, 0, NULL, 0);
	CHECK(index == 3);
	SUGGEST(CL_SVM_CAPABILITY_DEVICE_READ_KHR, CL_SVM_CAPABILITY_HOST_OWNED_KHR | CL_SVM_CAPABILITY_HOST_READ_KHR,
		NULL, 64);
	CHECK(index == 3);
	SUGGEST((cl_svm_capabilities_khr)1 << 40, 0, NULL, 0);
	CHECK(index == CL_UINT_MAX);
	SUGGEST(0, 0, NULL, SIZE_MAX);
	CHECK(index == CL_UINT_MAX);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "unified_svm"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	queue = queue_make(context, device, 0);
	program = api_test_build(context, device, source, "-cl-std=CL2.0");
	if (program && functions_find(test.platform)) {
		test_types(test.platform);
		for (cl_uint type = 0; type < type_count; type++) {
			if (!types[type])
				continue;
			test_info(type);
			test_commands(type);
			test_indirect(type);
		}
		test_core();
		test_nothing();
		test_suggestions();
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
