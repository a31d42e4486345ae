#include "config.h"

#include "tests/stress/faults.h"

#include "icd/include/khr_unified_svm.h"

#include <stdint.h>
#include <string.h>

enum { COUNT = 1024, SIZE_B = COUNT * sizeof(cl_int), FILL = 11, TYPES_MOST = 8 };

/* cl_khr_unified_svm, as the platform has it. */
struct functions {
	clSVMAllocWithPropertiesKHR_fn alloc;
	clSVMFreeWithPropertiesKHR_fn free;
	clGetSVMPointerInfoKHR_fn info;
};

static bool find(struct faults_run *run, struct functions *functions)
{
	static const char *const names[] = {
		"clSVMAllocWithPropertiesKHR", "clSVMFreeWithPropertiesKHR", "clGetSVMPointerInfoKHR",
	};
	void *found[3] = {NULL, NULL, NULL};
	cl_platform_id platform = NULL;
	if (TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL)))
		return false;
	for (int i = 0; i < 3; i++) {
		found[i] = clGetExtensionFunctionAddressForPlatform(platform, names[i]);
		WRONG_UNLESS(found[i]);
	}
	memcpy(&functions->alloc, &found[0], sizeof(found[0]));
	memcpy(&functions->free, &found[1], sizeof(found[1]));
	memcpy(&functions->info, &found[2], sizeof(found[2]));
	return found[0] && found[1] && found[2];
}

/* What the platform says of the allocation. */
static void ask(struct faults_run *run, const struct functions *functions, const int *memory, cl_uint type)
{
	cl_uint told = 99;
	size_t size_B = 0;
	if (!NOTE(clGetSVMPointerInfoKHR, functions->info(run->context, NULL, memory + 1, CL_SVM_INFO_TYPE_INDEX_KHR,
							  sizeof(told), &told, NULL)))
		WRONG_UNLESS(told == type);
	if (!NOTE(clGetSVMPointerInfoKHR, functions->info(run->context, NULL, memory + 1, CL_SVM_INFO_SIZE_KHR,
							  sizeof(size_B), &size_B, NULL)))
		WRONG_UNLESS(size_B == SIZE_B);
}

/* Frees the memory, in its turn if that is wanted and works. */
static void drop(struct faults_run *run, const struct functions *functions, cl_command_queue queue, int *memory,
		 bool in_turn)
{
	void *pointers[] = {memory};
	cl_uint type = 99;
	if (in_turn && !TRY(clEnqueueSVMFree(queue, 1, pointers, NULL, NULL, 0, NULL, NULL)))
		TRY(clFinish(queue));
	if (!NOTE(clGetSVMPointerInfoKHR, functions->info(run->context, NULL, memory, CL_SVM_INFO_TYPE_INDEX_KHR,
							  sizeof(type), &type, NULL)) &&
	    type != CL_UINT_MAX)
		NOTE(clSVMFreeWithPropertiesKHR, functions->free(run->context, NULL, 0, memory));
}

/* Filled, copied to the host, and freed, by the function of the extension or in its turn. */
static void work_type(struct faults_run *run, const struct functions *functions, cl_command_queue queue, cl_uint type)
{
	const cl_svm_alloc_properties_khr properties[] = {
		CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_svm_alloc_properties_khr)(uintptr_t)run->devices[0], 0,
	};
	const cl_int fill = FILL;
	const unsigned errors = run->errors;
	cl_int back[COUNT] = {0}, code = 12345;
	int *memory = functions->alloc(run->context, properties, type, SIZE_B, &code);
	NOTE(clSVMAllocWithPropertiesKHR, code);
	WRONG_UNLESS((memory != NULL) == (code == CL_SUCCESS));
	if (!memory)
		return;
	ask(run, functions, memory, type);
	if (!TRY(clEnqueueSVMMemFill(queue, memory, &fill, sizeof(fill), SIZE_B, 0, NULL, NULL)) &&
	    !TRY(clEnqueueSVMMemcpy(queue, CL_TRUE, back, memory, SIZE_B, 0, NULL, NULL)) && run->errors == errors)
		WRONG_UNLESS(back[0] == FILL && back[COUNT - 1] == FILL);
	/* Commands may still be under way if the copy was refused. */
	TRY(clFinish(queue));
	drop(run, functions, queue, memory, type % 2);
}

void faults_types(struct faults_run *run, cl_command_queue queue)
{
	cl_svm_capabilities_khr types[TYPES_MOST];
	struct functions functions;
	size_t size_B = 0;
	if (!queue || !find(run, &functions) ||
	    TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, sizeof(types), types, &size_B)))
		return;
	for (cl_uint type = 0; type < size_B / sizeof(types[0]); type++)
		if (types[type])
			work_type(run, &functions, queue, type);
}
