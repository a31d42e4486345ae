/* cl_khr_semaphore 1.0.0 and cl_khr_external_semaphore, for OpenCL headers that have an older version. */
#ifndef CULVERT_ICD_KHR_SEMAPHORE_H
#define CULVERT_ICD_KHR_SEMAPHORE_H

#include <CL/cl.h>
#include <CL/cl_ext.h>

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_SEMAPHORE_EXPORTABLE_KHR
#define CL_SEMAPHORE_EXPORTABLE_KHR 0x2054
#endif
#ifndef CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR
#define CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR 0
#endif

#endif
