/* The dispatch table, and the functions that the ICD loader and applications find by name.  The library exports nothing
 * else.  Thread-safe: constant, except the loader's dispatch data, which the loader sets once before it returns the
 * platform to the application. */
#ifndef CULVERT_ICD_ICD_H
#define CULVERT_ICD_ICD_H

#include <CL/cl_icd.h>
#include <stdint.h>

/* Marks an exported function; icd.map lists the same ones. */
#define OCL_EXPORT __attribute__((visibility("default")))

/* cl_khr_icd 2.0, which OpenCL headers before 2024 do not have. */
#ifndef CL_ICD2_TAG_KHR
#if INTPTR_MAX == INT32_MAX
#define CL_ICD2_TAG_KHR ((intptr_t)0x434C3331)
#else
#define CL_ICD2_TAG_KHR ((intptr_t)0x4F50454E434C3331)
#endif
#endif

/* Declarations that newer OpenCL headers have. */
CL_API_ENTRY void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
								     const char *func_name);
CL_API_ENTRY cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform,
								void *dispatch_data);

/* OpenCL headers before 3.1 lack the last slot of the dispatch table. */
#ifdef HAVE_CL_ICD_DISPATCH_CLGETKERNELSUGGESTEDLOCALWORKSIZE
#define OCL_SLOT_SUGGEST slots.clGetKernelSuggestedLocalWorkSize
struct ocl_dispatch {
	cl_icd_dispatch slots;
};
#else
#define OCL_SLOT_SUGGEST suggest
struct ocl_dispatch {
	cl_icd_dispatch slots;
	void *suggest;
};
#endif

#endif
