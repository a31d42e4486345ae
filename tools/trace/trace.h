/* The layer of `culvert trace`: a shared object that the OpenCL loader puts between a
 * program and its platforms (OPENCL_LAYERS; CL/cl_layer.h), and that writes down each call
 * and what became of each command.
 *
 * What is written are events of the "Trace Event Format", one a line, appended to the file
 * that CULVERT_TRACE_FILE names: several processes may share it.  Times are us of
 * CLOCK_MONOTONIC, which are those of Culvert's profiling as well.
 *
 * It is a guest in the program: it never prints, and what it cannot write is lost.
 * Thread-safe; nothing is called under a lock. */
#ifndef CULVERT_TOOLS_TRACE_TRACE_H
#define CULVERT_TOOLS_TRACE_TRACE_H

#include <CL/cl_icd.h>
#include <stdint.h>

/* --- record.c: the file -------------------------------------------------------------- */

void trace_open(void);
/* A call of this thread. */
void trace_call(const char *name, uint64_t start_ns, cl_int result);
/* A command's time on the device. */
void trace_command(const char *name, unsigned queue, unsigned lane, const cl_ulong times_ns[4]);
void trace_track(unsigned queue, unsigned lane, const char *name);
void trace_flush(void);

/* --- command.c: what is enqueued ------------------------------------------------------ */

/* The platform's own calls; set once, before anything else here. */
extern const cl_icd_dispatch *trace_next;

void trace_queue_made(cl_command_queue queue, cl_device_id device);
/* event: of the command; takes a reference of its own.  kernel: of a launch, or NULL. */
void trace_enqueued(const char *call, cl_command_queue queue, cl_kernel kernel, cl_event event);
/* Writes down what has ended of what was enqueued. */
void trace_harvest(void);

/* --- layer.c ---------------------------------------------------------------------------- */

/* What makes queues that measure, with clCreateCommandQueueWithProperties' parameters. */
void *trace_queue_maker(void);

/* --- extension.c: what programs find by name --------------------------------------------- */

/* As clGetExtensionFunctionAddressForPlatform: what records the calls of that function, for Culvert's platform. */
void *CL_API_CALL trace_extension(cl_platform_id platform, const char *name);
/* Puts what this file has into the table; before any other thread is there. */
void trace_extension_slots(cl_icd_dispatch *table);

#endif
