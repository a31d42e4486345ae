/* The state of each thread of the host: its stack of current contexts and its number.  It is freed when the thread
 * ends.
 *
 * Functions whose names contain _locked need the driver's lock. */
#ifndef CULVERT_SOFTCUDA_DRIVER_THREAD_H
#define CULVERT_SOFTCUDA_DRIVER_THREAD_H

#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stdint.h>

struct soft_context;

/* Once per process; 0 or an errno value.  ended_locked is called with the driver's lock when a thread ends that asked
 * for its number. */
int soft_thread_start(void (*ended_locked)(uint64_t thread));

/* The context on top of the stack, which may have been destroyed; or NULL. */
struct soft_context *soft_thread_context_locked(void);
/* The handle with which it was made current: its own or that of a green context; or NULL. */
CUcontext soft_thread_handle_locked(void);
/* NULL leaves the stack without its top. handle: the context's, or that of one of its green contexts.
 * CUDA_ERROR_OUT_OF_MEMORY. */
CUresult soft_thread_set_context_locked(struct soft_context *context, CUcontext handle);
CUresult soft_thread_push_context_locked(struct soft_context *context, CUcontext handle);
/* Removes the top of the stack and its reference; false when the stack is empty. */
bool soft_thread_pop_context_locked(CUcontext *cu_context_out);

bool soft_thread_forbidden(void);

/* The calling thread's number, for its own default streams. */
uint64_t soft_thread_id_locked(void);
/* Enclose a function of the caller, which must not call the driver. */
void soft_thread_forbid(bool forbidden);

#endif
