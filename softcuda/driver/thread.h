/* What softcuda keeps for each of the host's threads: its stack of current
 * contexts and its number.  Given back when the thread ends.
 *
 * Functions named _locked want the driver's lock. */
#ifndef CULVERT_SOFTCUDA_API_THREAD_H
#define CULVERT_SOFTCUDA_API_THREAD_H

#include "softcuda/driver/soft.h"

/* Once per process; 0 or an errno value. */
int soft_thread_start(void);

/* The context on top of the stack, perhaps no longer alive; or NULL. */
struct soft_context *soft_thread_context_locked(void);
/* NULL leaves the stack without its top. CUDA_ERROR_OUT_OF_MEMORY. */
CUresult soft_thread_set_context_locked(struct soft_context *context);
CUresult soft_thread_push_context_locked(struct soft_context *context);
/* Takes the top off, its reference included; false when the stack is empty. */
bool soft_thread_pop_context_locked(CUcontext *cu_context_out);

bool soft_thread_forbidden(void);

#endif
