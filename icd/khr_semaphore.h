/* cl_khr_semaphore 1.0.0 and what it shares with its external sisters, for headers that know
 * an older version. */
#ifndef CULVERT_ICD_KHR_SEMAPHORE_H
#define CULVERT_ICD_KHR_SEMAPHORE_H

#include <CL/cl.h>
#include <CL/cl_ext.h>

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif

#endif
