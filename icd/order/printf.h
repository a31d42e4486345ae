/* The output of printf: from the buffer that a launch writes to stdout.
 *
 * Each launch of a kernel that prints has a buffer of its own while it is in
 * flight; a queue keeps a few and uses them again.  The output is written by
 * whoever first finds that the launch is done: a waiting thread, or else the
 * completion thread.  Nobody sees the launch's event complete before that.
 * Launches are written in the order of their stream, work-items in any order,
 * each call's text whole.  What nobody waited for when the process ends is lost.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_PRINTF_H
#define CULVERT_ICD_PRINTF_H

#include "backend/gpu.h"
#include "icd/memory/context.h"

#include <stdint.h>

struct ocl_code;
struct ocl_print;
struct ocl_printf;

/* Puts an empty buffer into stream, one of the queue's, for a launch of code.  Waits
 * when too many are in flight: no lock may be held. */
cl_int ocl_print_begin(cl_command_queue queue, struct gpu_stream *stream, struct ocl_code *code,
		       struct ocl_print **print_out);
/* The buffer's device address. */
uint64_t ocl_print_buffer(const struct ocl_print *print);
/* The launch is in the stream; the output will be fetched behind it. */
cl_int ocl_print_end(struct ocl_print *print);
/* There was no launch. */
void ocl_print_cancel(struct ocl_print *print);

/* A buffer of the caller's own, for launches that are recorded: made, emptied by an operation in sink,
 * and its output taken behind a launch of code that is in stream. The buffer may be used again behind that; taking waits as ocl_print_begin does. */
cl_int ocl_print_buffer_create(struct gpu_device *device, gpu_address *buffer_out);
cl_int ocl_print_buffer_empty(struct gpu_sink sink, gpu_address buffer);
cl_int ocl_print_buffer_take(cl_command_queue queue, struct gpu_stream *stream,
			     struct ocl_code *code, gpu_address buffer);

/* Writes what launches of the queue printed ahead of done in its stream, which has
 * happened; NULL: what all launches printed that are done.  Returns when it is
 * written. No lock may be held. */
void ocl_printf_drain(cl_command_queue queue, struct gpu_event *done);

/* Of a queue without launches in flight; NULL is fine. */
void ocl_printf_destroy(struct ocl_printf *printing);

#endif
