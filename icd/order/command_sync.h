/* CULVERT_DEBUG=sync: each command is waited for as soon as it was submitted, so that a fault belongs to the command
 * that was waited for, and its message can name the command.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_COMMAND_SYNC_H
#define CULVERT_ICD_COMMAND_SYNC_H

#include "icd/order/command.h"

/* Waits for done, the GPU event after the command.  If the command failed, or submitting it failed (error; done is NULL
 * then), it says so in the log and calls the context's pfn_notify.  A kernel that faults quickly may make the
 * submission itself fail, because the driver reports the fault there.  No lock may be held. */
void ocl_command_sync(const struct ocl_command *command, cl_int error, struct gpu_event *done);

#endif
