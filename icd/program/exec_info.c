/* The memory that clSetKernelExecInfo says a kernel may access (OpenCL 3.0 API, 5.9.2;
 * cl_intel_unified_shared_memory, cl_khr_unified_svm). */
#include "config.h"

#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_unified_svm.h"
#include "icd/memory/svm.h"
#include "icd/program/kernel.h"

#include <CL/cl_ext.h>
#include <string.h>

/* 5.9.2: CL_INVALID_OPERATION when no device supports SVM; a size of 0 is the empty set. */
static cl_int svm_pointers_set(cl_kernel kernel, size_t size_B, const void *value, bool usm)
{
	const size_t count = size_B / sizeof(void *);
	if (!usm && !ocl_svm_any(kernel->program->context))
		return CL_INVALID_OPERATION;
	if (size_B % sizeof(void *) || count > UINT32_MAX || (size_B && !value))
		return CL_INVALID_VALUE;
	return ocl_kernel_set_indirect(kernel, (uint32_t)count, value);
}

/* 5.9.2: CL_INVALID_OPERATION for CL_TRUE when no device supports fine-grain system SVM.  Nothing has to be enabled:
 * a device that supports it always does. */
static cl_int svm_system_set(cl_kernel kernel, size_t size_B, const void *value)
{
	cl_bool wanted;
	if (size_B != sizeof(wanted) || !value)
		return CL_INVALID_VALUE;
	memcpy(&wanted, value, sizeof(wanted));
	const cl_device_svm_capabilities can = ocl_svm_any(kernel->program->context);
	return wanted && !(can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) ? CL_INVALID_OPERATION
								   : CL_SUCCESS;
}

/* cl_intel_unified_shared_memory and cl_khr_unified_svm: CL_INVALID_OPERATION when no device supports this kind of
 * memory.  OCL_SVM_SVM stands for all memory of clSVMAlloc and clSVMAllocWithPropertiesKHR. */
static cl_int usm_indirect_set(cl_kernel kernel, enum ocl_svm_kind kind, size_t size_B,
			       const void *value)
{
	cl_bool wanted;
	if (kind != OCL_SVM_DEVICE && !ocl_svm_any(kernel->program->context))
		return CL_INVALID_OPERATION;
	if (size_B != sizeof(wanted) || !value)
		return CL_INVALID_VALUE;
	memcpy(&wanted, value, sizeof(wanted));
	kernel->indirect_kinds &= ~(1u << kind);
	kernel->indirect_kinds |= (unsigned)(wanted != CL_FALSE) << kind;
	return CL_SUCCESS;
}

/* cl_ext_buffer_device_address; a size of 0 is the empty set. */
static cl_int addresses_set(cl_kernel kernel, size_t size_B, const void *value)
{
	const size_t count = size_B / sizeof(cl_mem_device_address_ext);
	if (size_B % sizeof(cl_mem_device_address_ext) || count > UINT32_MAX || (size_B && !value))
		return CL_INVALID_VALUE;
	return ocl_kernel_set_addressed(kernel, (uint32_t)count, value);
}

cl_int ocl_kernel_set_exec_info(cl_kernel kernel, cl_kernel_exec_info name, size_t size_B,
				const void *value)
{
	switch (name) {
	case CL_KERNEL_EXEC_INFO_SVM_PTRS:
		return svm_pointers_set(kernel, size_B, value, false);
	case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
		return svm_pointers_set(kernel, size_B, value, true);
	case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
		return usm_indirect_set(kernel, OCL_SVM_HOST, size_B, value);
	case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
		return usm_indirect_set(kernel, OCL_SVM_DEVICE, size_B, value);
	case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
		return usm_indirect_set(kernel, OCL_SVM_SHARED, size_B, value);
	case CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR:
		return usm_indirect_set(kernel, OCL_SVM_SVM, size_B, value);
	case CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
		return addresses_set(kernel, size_B, value);
	case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
		return svm_system_set(kernel, size_B, value);
	default:
		return CL_INVALID_VALUE;
	}
}
