/* Shared virtual memory (OpenCL 3.0 API, 5.6). */
#include "config.h"

#include "tests/api/errors.h"

enum { SVM_B = 4096 };

static unsigned char *svm;

static cl_int copy(void *to, const void *from, size_t size_B)
{
	return clEnqueueSVMMemcpy(world.queue, CL_TRUE, to, from, size_B, 0, NULL, NULL);
}

static cl_int fill(void *to, const void *pattern, size_t pattern_B, size_t size_B)
{
	return clEnqueueSVMMemFill(world.queue, to, pattern, pattern_B, size_B, 0, NULL, NULL);
}

static cl_int map(cl_map_flags flags, void *pointer, size_t size_B)
{
	return clEnqueueSVMMap(world.queue, CL_TRUE, flags, pointer, size_B, 0, NULL, NULL);
}

static cl_int migrate(cl_uint count, const void **pointers, const size_t *sizes,
		      cl_mem_migration_flags flags)
{
	return clEnqueueSVMMigrateMem(world.queue, count, pointers, sizes, flags, 0, NULL, NULL);
}

static void copies_and_fills(void)
{
	ERROR_CODE(clEnqueueSVMMemcpy, CL_INVALID_VALUE, 1, copy(NULL, svm, 16));
	ERROR_CODE(clEnqueueSVMMemcpy, CL_INVALID_VALUE, 2, copy(svm, NULL, 16));
	ERROR_CODE(clEnqueueSVMMemcpy, CL_MEM_COPY_OVERLAP, 1, copy(svm, svm + 15, 16));
	ERROR_CODE(clEnqueueSVMMemcpy, CL_MEM_COPY_OVERLAP, 1, copy(svm + 15, svm, 16));
	REQUIRE(!copy(svm, svm + 16, 16));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 1, fill(NULL, error_bytes, 4, 16));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 2, fill(svm + 2, error_bytes, 4, 16));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 3, fill(svm, NULL, 4, 16));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 4, fill(svm, error_bytes, 0, 16));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 5, fill(svm, error_bytes, 12, 24));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 6, fill(svm, error_bytes, 256, 256));
	ERROR_CODE(clEnqueueSVMMemFill, CL_INVALID_VALUE, 7, fill(svm, error_bytes, 4, 18));
}

static void maps(void)
{
	ERROR_CODE(clEnqueueSVMMap, CL_INVALID_VALUE, 1, map(CL_MAP_READ, NULL, 16));
	ERROR_CODE(clEnqueueSVMMap, CL_INVALID_VALUE, 2, map(CL_MAP_READ, svm, 0));
	ERROR_CODE(clEnqueueSVMMap, CL_INVALID_VALUE, 3, map(1u << 20, svm, 16));
	ERROR_CODE(clEnqueueSVMMap, CL_INVALID_VALUE, 3,
		   map(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, svm, 16));
	ERROR_CODE(clEnqueueSVMUnmap, CL_INVALID_VALUE, 1,
		   clEnqueueSVMUnmap(world.queue, NULL, 0, NULL, NULL));
}

static void migrations(void)
{
	const void *pointers[] = {svm}, *elsewhere[] = {error_bytes};
	const size_t too_many[] = {SVM_B + 1}, some[] = {16};
	ERROR_CODE(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, 1, migrate(0, pointers, NULL, 0));
	ERROR_CODE(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, 2, migrate(1, NULL, NULL, 0));
	ERROR_CODE(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, 3,
		   migrate(1, pointers, NULL, 1u << 20));
	ERROR_CODE(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, 4,
		   migrate(1, pointers, too_many, 0));
	/* Memory of the system, where the device can use it, may be named (cl_khr_unified_svm). */
	cl_device_svm_capabilities can = 0;
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can), &can, NULL));
	if (can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
		REQUIRE(!migrate(1, elsewhere, some, 0));
	else
		ERROR_CODE(clEnqueueSVMMigrateMem, CL_INVALID_VALUE, 4, migrate(1, elsewhere, some, 0));
}

void errors_svm(void)
{
	void *pointers[] = {error_bytes};
	svm = clSVMAlloc(world.context, CL_MEM_READ_WRITE, SVM_B, 0);
	REQUIRE(svm);
	ERROR_CODE(clEnqueueSVMFree, CL_INVALID_VALUE, 1,
		   clEnqueueSVMFree(world.queue, 0, pointers, NULL, NULL, 0, NULL, NULL));
	ERROR_CODE(clEnqueueSVMFree, CL_INVALID_VALUE, 1,
		   clEnqueueSVMFree(world.queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
	copies_and_fills();
	maps();
	migrations();
	REQUIRE(!clFinish(world.queue));
	clSVMFree(world.context, svm);
}
