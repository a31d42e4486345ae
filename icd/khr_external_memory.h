/* cl_khr_external_memory 1.0.1 for headers that know an older version, and the properties of
 * buffers that such headers do not know. */
#ifndef CULVERT_ICD_KHR_EXTERNAL_MEMORY_H
#define CULVERT_ICD_KHR_EXTERNAL_MEMORY_H

#include <CL/cl.h>
#include <CL/cl_ext.h>

#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

#endif
