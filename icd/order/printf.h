/* The output of printf in kernels: from a buffer that the kernel writes on the device to the process's stdout, or to
 * the context's callback (cl_arm_printf).
 *
 * Each launch of a kernel that prints has a buffer of its own until it is complete; a queue keeps a few buffers and
 * uses them again.  The output is written by the thread that first finds that the launch is complete: a thread that
 * waits, or else the completion thread.  The launch's event becomes complete only after that.
 * The output of a launch is written after that of the launches before it in its stream, and of those that it waits for
 * in other queues; that of work-items in any order, and the text of each call in one piece.  Output of launches that
 * no thread has waited for when the process ends is lost.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_PRINTF_H
#define CULVERT_ICD_PRINTF_H

#include "backend/gpu.h"
#include "icd/memory/context.h"

#include <stdbool.h>
#include <stdint.h>

struct ocl_code;
struct ocl_print;
struct ocl_printf;

/* Begins a launch that prints: takes a buffer and empties it by an operation in stream, one of the queue's.  It waits
 * when too many buffers are in use: no lock may be held. */
cl_int ocl_print_begin(cl_command_queue queue, struct gpu_stream *stream, struct ocl_code *code,
		       struct ocl_print **print_out);
/* The buffer's device address. */
uint64_t ocl_print_buffer(const struct ocl_print *print);
/* Called once the launch is in the stream: the output will be fetched after it. */
cl_int ocl_print_end(struct ocl_print *print);
/* Called instead of ocl_print_end if the launch failed.  It waits until the stream is empty; no lock may be held. */
void ocl_print_cancel(struct ocl_print *print);

/* A buffer that the caller owns, for launches that a command buffer records.  _create allocates it; _empty empties it
 * by an operation in sink; _take copies its output after a launch of code that is in stream, and waits as
 * ocl_print_begin does.  Later operations in stream may use the buffer again. */
cl_int ocl_print_buffer_create(struct gpu_device *device, gpu_address *buffer_out);
cl_int ocl_print_buffer_empty(struct gpu_sink sink, gpu_address buffer);
cl_int ocl_print_buffer_take(cl_command_queue queue, struct gpu_stream *stream,
			     struct ocl_code *code, gpu_address buffer);

/* Writes the output of the launches in all queues of the context that are known to be complete; done, an event of one
 * of the queue's streams, has happened, or is NULL.  Returns when it is written, also by other threads.  No lock may be
 * held.  A callback that takes output (cl_arm_printf) may get here: nothing is written then. */
void ocl_printf_drain(cl_command_queue queue, struct gpu_event *done);

/* Whether the calling thread is within the writing of output, that is, in a callback that takes it. */
bool ocl_printf_is_writing(void);

/* Called when the queue ends and all its launches are complete; NULL is fine. */
void ocl_printf_destroy(struct ocl_printf *printing);

#endif
