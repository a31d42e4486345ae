/* CULVERT_DEBUG=sync: each command is waited for as soon as the GPU has it.  A fault then is the
 * fault of the command that was waited for, and can be told with its name.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_COMMAND_SYNC_H
#define CULVERT_ICD_COMMAND_SYNC_H

#include "icd/order/command.h"

/* Waits for a command that was submitted with a witness, done; borrows both.  Tells the log and the
 * context's pfn_notify if it went wrong, or had not even been submitted: error, done is NULL then.  A
 * quick fault is met by what is submitted behind its kernel.  No lock may be held. */
void ocl_command_sync(const struct ocl_command *command, cl_int error, struct gpu_event *done);

#endif
