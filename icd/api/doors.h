/* The functions of the dispatch table: door_NAME calls the OpenCL function NAME with cancellation of the thread
 * deferred (base/cancel.h).
 *
 * Every function of base/calls.def and base/extension_calls.def has one.  The most frequent ones are in the
 * dispatch table without it (DIRECT in entrypoints.def), because it would cost too much; code in those that may wait
 * defers cancellation itself.  Thread-safe. */
#ifndef CULVERT_ICD_DOORS_H
#define CULVERT_ICD_DOORS_H

#include "icd/include/cl_culvert.h"
#include "icd/include/cuda_interop.h"
#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_semaphore.h"
#include "icd/include/khr_unified_svm.h"
#include "icd/include/nv_create_buffer.h"

#include <CL/cl_icd.h>

#define STATUS(name, parameters, arguments) CALL(cl_int, name, name, parameters, arguments)
#define MAKE(type, name, parameters, arguments) CALL(type, name, name, parameters, arguments)
#define ENQUEUE(name, parameters, arguments) CALL(cl_int, name, name, parameters, arguments)
#define LAUNCH(name, parameters, arguments) LAUNCH_CALL(name, name, parameters, arguments)
#define MAP(name, parameters, arguments) CALL(void *, name, name, parameters, arguments)
#define MAKE_CALL(type, name, function, parameters, arguments)                                    \
	CALL(type, name, function, parameters, arguments)
#define ENQUEUE_CALL(name, function, parameters, arguments)                                       \
	CALL(cl_int, name, function, parameters, arguments)

#define CALL(type, name, function, parameters, arguments)                                         \
	type CL_API_CALL door_##name parameters;
#define LAUNCH_CALL(name, function, parameters, arguments)                                        \
	cl_int CL_API_CALL door_##name parameters;
#define VOID_CALL(name, function, parameters, arguments) void CL_API_CALL door_##name parameters;
#include "base/calls.def"
#include "base/extension_calls.def"
#undef CALL
#undef LAUNCH_CALL
#undef VOID_CALL
#undef STATUS
#undef MAKE
#undef ENQUEUE
#undef LAUNCH
#undef MAP
#undef MAKE_CALL
#undef ENQUEUE_CALL

#endif
