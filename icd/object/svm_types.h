/* The types of memory of cl_khr_unified_svm: which there are, and what each can on a device.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SVM_TYPES_H
#define CULVERT_ICD_SVM_TYPES_H

#include "icd/include/khr_unified_svm.h"
#include "icd/object/device.h"

/* The indices of the types.  The order is part of what programs see; the system's type is the last, because it is the
 * only one that the platform may lack. */
enum ocl_svm_type {
	OCL_SVM_TYPE_COARSE, OCL_SVM_TYPE_FINE, OCL_SVM_TYPE_DEVICE, OCL_SVM_TYPE_HOST, OCL_SVM_TYPE_SHARED,
	OCL_SVM_TYPE_SYSTEM, OCL_SVM_TYPES
};

/* What the type can on devices with these capabilities; 0: they do not support it. */
cl_svm_capabilities_khr ocl_svm_type_can(const struct gpu_caps *caps, cl_uint type);
/* What the type can on all those of the devices that support it; 0: none does. */
cl_svm_capabilities_khr ocl_svm_type_common(const cl_device_id *devices, cl_uint count, cl_uint type);
/* The types that one of the devices supports, which are the first ones.  types_out, which may be NULL: what each can on
 * all those that do. */
cl_uint ocl_svm_type_count(const cl_device_id *devices, cl_uint device_count,
			   cl_svm_capabilities_khr types_out[OCL_SVM_TYPES]);

#endif
