/* cl_intel_unified_shared_memory and cl_khr_unified_svm. */
#include "config.h"

#include "icd/include/khr_unified_svm.h"
#include "tests/api/errors.h"

static clHostMemAllocINTEL_fn host_alloc;
static clDeviceMemAllocINTEL_fn device_alloc;
static clSharedMemAllocINTEL_fn shared_alloc;

static void *host(const cl_mem_properties_intel *properties, size_t size_B, cl_uint align)
{
	return host_alloc(world.context, properties, size_B, align, &error_code);
}

static void *device(const cl_mem_properties_intel *properties, size_t size_B, cl_uint align)
{
	return device_alloc(world.context, world.device, properties, size_B, align, &error_code);
}

static void *shared(const cl_mem_properties_intel *properties, size_t size_B, cl_uint align)
{
	return shared_alloc(world.context, world.device, properties, size_B, align, &error_code);
}

#define EACH(code, condition, ...)                                                                \
	do {                                                                                      \
		ERROR_OBJECT(clHostMemAllocINTEL, code, condition, host(__VA_ARGS__));            \
		ERROR_OBJECT(clDeviceMemAllocINTEL, code, condition, device(__VA_ARGS__));        \
		ERROR_OBJECT(clSharedMemAllocINTEL, code, condition, shared(__VA_ARGS__));        \
	} while (0)

static void handles(void)
{
	cl_device_id const bad[] = {world.wrong_device, world.other};
	ERROR_OBJECT(clHostMemAllocINTEL, CL_INVALID_CONTEXT, 1,
		     host_alloc(world.wrong_context, NULL, 64, 0, &error_code));
	ERROR_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_CONTEXT, 1,
		     device_alloc(world.wrong_context, world.device, NULL, 64, 0, &error_code));
	ERROR_OBJECT(clSharedMemAllocINTEL, CL_INVALID_CONTEXT, 1,
		     shared_alloc(world.wrong_context, world.device, NULL, 64, 0, &error_code));
	for (unsigned i = 0; i < 2 && bad[i]; i++) {
		ERROR_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_DEVICE, 1,
			     device_alloc(world.context, bad[i], NULL, 64, 0, &error_code));
		ERROR_OBJECT(clSharedMemAllocINTEL, CL_INVALID_DEVICE, 1,
			     shared_alloc(world.context, bad[i], NULL, 64, 0, &error_code));
	}
	ERROR_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_DEVICE, 1,
		     device_alloc(world.context, NULL, NULL, 64, 0, &error_code));
}

static void allocations(void)
{
	const cl_mem_properties_intel unknown[] = {0x7777, 1, 0};
	const cl_mem_properties_intel bad_value[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1u << 20, 0};
	const cl_mem_properties_intel twice[] = {CL_MEM_ALLOC_FLAGS_INTEL, 0,
						 CL_MEM_ALLOC_FLAGS_INTEL, 0, 0};
	const cl_mem_properties_intel on_host[] = {
		CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0,
	};
	const cl_mem_properties_intel both[] = {
		CL_MEM_ALLOC_FLAGS_INTEL,
		CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL |
			CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0,
	};
	cl_ulong most_B = 0;
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B),
				 &most_B, NULL));
	EACH(CL_INVALID_VALUE, 1, NULL, 64, 24);
	EACH(CL_INVALID_VALUE, 2, NULL, 64, 1u << 30);
	EACH(CL_INVALID_PROPERTY, 1, unknown, 64, 0);
	EACH(CL_INVALID_PROPERTY, 1, bad_value, 64, 0);
	EACH(CL_INVALID_PROPERTY, 1, twice, 64, 0);
	EACH(CL_INVALID_PROPERTY, 2, both, 64, 0);
	ERROR_OBJECT(clHostMemAllocINTEL, CL_INVALID_PROPERTY, 2, host(on_host, 64, 0));
	ERROR_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_PROPERTY, 2, device(on_host, 64, 0));
	EACH(CL_INVALID_BUFFER_SIZE, 1, NULL, 0, 0);
	EACH(CL_INVALID_BUFFER_SIZE, 1, NULL, most_B + 1, 0);
}

static void frees(void)
{
	clMemFreeINTEL_fn release;
	clMemBlockingFreeINTEL_fn wait;
	*(void **)&release = error_function("clMemFreeINTEL");
	*(void **)&wait = error_function("clMemBlockingFreeINTEL");
	ERROR_CODE(clMemFreeINTEL, CL_INVALID_CONTEXT, 1, release(world.wrong_context, NULL));
	ERROR_CODE(clMemFreeINTEL, CL_INVALID_VALUE, 1, release(world.context, error_bytes));
	ERROR_CODE(clMemBlockingFreeINTEL, CL_INVALID_CONTEXT, 1,
		   wait(world.wrong_context, NULL));
	ERROR_CODE(clMemBlockingFreeINTEL, CL_INVALID_VALUE, 1,
		   wait(world.context, error_bytes));
	REQUIRE(!release(world.context, NULL));
}

/* cl_intel_unified_shared_memory: the host does not read what is a device's. */
static void host_pointers(clMemFreeINTEL_fn free_memory)
{
	void *memory = device(NULL, 64, 0);
	REQUIRE(memory);
	for (unsigned i = 0; i < 2; i++) {
		const cl_mem_flags flags = i ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
		REQUIRE(!clCreateBuffer(world.context, flags, 64, memory, &error_code));
		REQUIRE(error_code == CL_INVALID_HOST_PTR);
	}
	REQUIRE(!free_memory(world.context, memory));
}

static void info(char *memory)
{
	clGetMemAllocInfoINTEL_fn get;
	*(void **)&get = error_function("clGetMemAllocInfoINTEL");
	ERROR_CODE(clGetMemAllocInfoINTEL, CL_INVALID_CONTEXT, 1,
		   get(world.wrong_context, memory, CL_MEM_ALLOC_SIZE_INTEL, 8, error_bytes,
		       NULL));
	ERROR_CODE(clGetMemAllocInfoINTEL, CL_INVALID_VALUE, 1,
		   get(world.context, memory, 0x7777, 8, error_bytes, NULL));
	ERROR_CODE(clGetMemAllocInfoINTEL, CL_INVALID_VALUE, 2,
		   get(world.context, memory, CL_MEM_ALLOC_SIZE_INTEL, 7, error_bytes, NULL));
}

static void commands(char *memory)
{
	clEnqueueMemFillINTEL_fn fill;
	clEnqueueMemcpyINTEL_fn copy;
	clEnqueueMigrateMemINTEL_fn migrate;
	clEnqueueMemAdviseINTEL_fn advise;
	*(void **)&fill = error_function("clEnqueueMemFillINTEL");
	*(void **)&copy = error_function("clEnqueueMemcpyINTEL");
	*(void **)&migrate = error_function("clEnqueueMigrateMemINTEL");
	*(void **)&advise = error_function("clEnqueueMemAdviseINTEL");
	cl_command_queue queue = world.queue;
	ERROR_CODE(clEnqueueMemFillINTEL, CL_INVALID_VALUE, 1,
		   fill(queue, NULL, error_bytes, 4, 16, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemFillINTEL, CL_INVALID_VALUE, 1,
		   fill(queue, memory + 2, error_bytes, 4, 16, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemFillINTEL, CL_INVALID_VALUE, 2,
		   fill(queue, memory, NULL, 4, 16, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemFillINTEL, CL_INVALID_VALUE, 3,
		   fill(queue, memory, error_bytes, 12, 24, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemFillINTEL, CL_INVALID_VALUE, 3,
		   fill(queue, memory, error_bytes, 256, 256, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemFillINTEL, CL_INVALID_VALUE, 4,
		   fill(queue, memory, error_bytes, 4, 18, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemcpyINTEL, CL_INVALID_VALUE, 1,
		   copy(queue, CL_TRUE, NULL, memory, 16, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemcpyINTEL, CL_INVALID_VALUE, 1,
		   copy(queue, CL_TRUE, memory, NULL, 16, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemcpyINTEL, CL_MEM_COPY_OVERLAP, 1,
		   copy(queue, CL_TRUE, memory, memory + 15, 16, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMigrateMemINTEL, CL_INVALID_VALUE, 1,
		   migrate(queue, memory, 16, 1u << 20, 0, NULL, NULL));
	ERROR_CODE(clEnqueueMemAdviseINTEL, CL_INVALID_VALUE, 1,
		   advise(queue, memory, 16, 0x7777, 0, NULL, NULL));
}

/* --- cl_khr_unified_svm ---------------------------------------------------------------------- */

static clSVMAllocWithPropertiesKHR_fn unified_alloc;

static void unified_properties(void)
{
	const cl_svm_alloc_properties_khr unknown[] = {0x7777, 1, 0},
		twice[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 64, CL_SVM_ALLOC_ALIGNMENT_KHR, 64, 0},
		values[][3] = {
			{CL_SVM_ALLOC_ALIGNMENT_KHR, 24, 0}, {CL_SVM_ALLOC_ALIGNMENT_KHR, 1u << 30, 0},
			{CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 1u << 20, 0},
			{CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
			 (cl_svm_alloc_properties_khr)(uintptr_t)world.wrong_device, 0},
		};
	clGetSVMSuggestedTypeIndexKHR_fn suggest;
	cl_uint index = 0;
	*(void **)&suggest = error_function("clGetSVMSuggestedTypeIndexKHR");
	ERROR_OBJECT(clSVMAllocWithPropertiesKHR, CL_INVALID_PROPERTY, 1,
		     unified_alloc(world.context, unknown, 3, 64, &error_code));
	ERROR_OBJECT(clSVMAllocWithPropertiesKHR, CL_INVALID_PROPERTY, 3,
		     unified_alloc(world.context, twice, 3, 64, &error_code));
	ERROR_CODE(clGetSVMSuggestedTypeIndexKHR, CL_INVALID_PROPERTY, 1,
		   suggest(world.context, 0, 0, unknown, 64, &index));
	ERROR_CODE(clGetSVMSuggestedTypeIndexKHR, CL_INVALID_PROPERTY, 3,
		   suggest(world.context, 0, 0, twice, 64, &index));
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		ERROR_OBJECT(clSVMAllocWithPropertiesKHR, CL_INVALID_PROPERTY, 2,
			     unified_alloc(world.context, values[i], 3, 64, &error_code));
		ERROR_CODE(clGetSVMSuggestedTypeIndexKHR, CL_INVALID_PROPERTY, 2,
			   suggest(world.context, 0, 0, values[i], 64, &index));
	}
	/* Memory of a device without the device. */
	ERROR_OBJECT(clSVMAllocWithPropertiesKHR, CL_INVALID_PROPERTY, 2,
		     unified_alloc(world.context, NULL, 2, 64, &error_code));
	ERROR_CODE(clGetSVMSuggestedTypeIndexKHR, CL_INVALID_CONTEXT, 1,
		   suggest(world.wrong_context, 0, 0, NULL, 64, &index));
	ERROR_CODE(clGetSVMSuggestedTypeIndexKHR, CL_INVALID_VALUE, 1, suggest(world.context, 0, 0, NULL, 64, NULL));
}

static void unified(void)
{
	const cl_svm_free_properties_khr unknown[] = {0x7777, 1, 0};
	clSVMFreeWithPropertiesKHR_fn release;
	clGetSVMPointerInfoKHR_fn get;
	cl_uint index = 0;
	*(void **)&unified_alloc = error_function("clSVMAllocWithPropertiesKHR");
	*(void **)&release = error_function("clSVMFreeWithPropertiesKHR");
	*(void **)&get = error_function("clGetSVMPointerInfoKHR");
	unified_properties();
	ERROR_OBJECT(clSVMAllocWithPropertiesKHR, CL_INVALID_CONTEXT, 1,
		     unified_alloc(world.wrong_context, NULL, 3, 64, &error_code));
	ERROR_OBJECT(clSVMAllocWithPropertiesKHR, CL_INVALID_VALUE, 1,
		     unified_alloc(world.context, NULL, 6, 64, &error_code));
	ERROR_CODE(clSVMFreeWithPropertiesKHR, CL_INVALID_CONTEXT, 1, release(world.wrong_context, NULL, 0, NULL));
	ERROR_CODE(clSVMFreeWithPropertiesKHR, CL_INVALID_PROPERTY, 1, release(world.context, unknown, 0, NULL));
	ERROR_CODE(clSVMFreeWithPropertiesKHR, CL_INVALID_VALUE, 1, release(world.context, NULL, 1, NULL));
	ERROR_CODE(clSVMFreeWithPropertiesKHR, CL_INVALID_VALUE, 2, release(world.context, NULL, 0, error_bytes));
	ERROR_CODE(clGetSVMPointerInfoKHR, CL_INVALID_CONTEXT, 1,
		   get(world.wrong_context, NULL, NULL, CL_SVM_INFO_TYPE_INDEX_KHR, 4, &index, NULL));
	ERROR_CODE(clGetSVMPointerInfoKHR, CL_INVALID_DEVICE, 1,
		   get(world.context, world.wrong_device, NULL, CL_SVM_INFO_TYPE_INDEX_KHR, 4, &index, NULL));
	if (world.other)
		ERROR_CODE(clGetSVMPointerInfoKHR, CL_INVALID_DEVICE, 2,
			   get(world.context, world.other, NULL, CL_SVM_INFO_TYPE_INDEX_KHR, 4, &index, NULL));
	else
		error_absent("clGetSVMPointerInfoKHR", CL_INVALID_DEVICE, 2);
	ERROR_CODE(clGetSVMPointerInfoKHR, CL_INVALID_VALUE, 1,
		   get(world.context, NULL, NULL, 0x7777, 4, &index, NULL));
	ERROR_CODE(clGetSVMPointerInfoKHR, CL_INVALID_VALUE, 2,
		   get(world.context, NULL, NULL, CL_SVM_INFO_TYPE_INDEX_KHR, 3, &index, NULL));
}

void errors_usm(void)
{
	unified();
	clMemFreeINTEL_fn release;
	*(void **)&host_alloc = error_function("clHostMemAllocINTEL");
	*(void **)&device_alloc = error_function("clDeviceMemAllocINTEL");
	*(void **)&shared_alloc = error_function("clSharedMemAllocINTEL");
	*(void **)&release = error_function("clMemFreeINTEL");
	handles();
	allocations();
	frees();
	host_pointers(release);
	char *memory = host(NULL, 4096, 0);
	REQUIRE(memory);
	info(memory);
	commands(memory);
	REQUIRE(!clFinish(world.queue));
	REQUIRE(!release(world.context, memory));
}
