#include "config.h"

#include "icd/object/svm_types.h"

/* cl_khr_unified_svm 0.9.0, table "Set of SVM Capabilities for Common SVM Types", with what the table leaves open.
 * Memory that the host may use at any time can be mapped as well.  Coarse-grained memory has no indirect access: it is
 * moved as a whole to where a command uses it, so commands have to name it. */
cl_svm_capabilities_khr ocl_svm_type_can(const struct gpu_caps *caps, cl_uint type)
{
	const cl_svm_capabilities_khr device = CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR |
					       CL_SVM_CAPABILITY_DEVICE_READ_KHR | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR |
					       CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR;
	const cl_svm_capabilities_khr everywhere = device | CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR |
						   CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR |
						   CL_SVM_CAPABILITY_HOST_MAP_KHR;
	const cl_svm_capabilities_khr together = everywhere | CL_SVM_CAPABILITY_HOST_READ_KHR |
						 CL_SVM_CAPABILITY_HOST_WRITE_KHR |
						 CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR |
						 CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
	const cl_device_svm_capabilities svm = ocl_svm_capabilities(caps);
	const cl_svm_capabilities_khr atomics =
		svm & CL_DEVICE_SVM_ATOMICS ? CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR : 0;
	if (!svm)
		return 0;
	switch (type) {
	case OCL_SVM_TYPE_COARSE:
		return everywhere;
	case OCL_SVM_TYPE_FINE:
	case OCL_SVM_TYPE_SHARED:
		return together | atomics;
	case OCL_SVM_TYPE_DEVICE:
		return device | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
	case OCL_SVM_TYPE_HOST:
		return together | CL_SVM_CAPABILITY_HOST_OWNED_KHR;
	case OCL_SVM_TYPE_SYSTEM:
		return svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
			       ? together | atomics | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR : 0;
	default:
		return 0;
	}
}

cl_svm_capabilities_khr ocl_svm_type_common(const cl_device_id *devices, cl_uint count, cl_uint type)
{
	cl_svm_capabilities_khr common = ~(cl_svm_capabilities_khr)0;
	cl_uint with = 0;
	for (cl_uint i = 0; i < count; i++) {
		const cl_svm_capabilities_khr can = ocl_svm_type_can(devices[i]->caps, type);
		with += can != 0;
		common &= can ? can : common;
	}
	return with ? common : 0;
}

cl_uint ocl_svm_type_count(const cl_device_id *devices, cl_uint device_count,
			   cl_svm_capabilities_khr types_out[OCL_SVM_TYPES])
{
	cl_uint count = 0;
	for (cl_uint type = 0; type < OCL_SVM_TYPES; type++) {
		const cl_svm_capabilities_khr can = ocl_svm_type_common(devices, device_count, type);
		if (types_out)
			types_out[type] = can;
		count += can != 0;
	}
	return count;
}
