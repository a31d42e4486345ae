/* Faults of kernels, and descriptions of places in a program and a grid.  Thread-safety: exec_fault by any thread
 * that runs the job; the others by the owner of the warp. */
#ifndef CULVERT_SOFTCUDA_EXEC_FAULT_H
#define CULVERT_SOFTCUDA_EXEC_FAULT_H

#include "softcuda/exec/warp.h"

/* Notes the job's fault, at the place of the lowest of lanes. */
enum flow exec_fault(struct warp *warp, const struct op *op, uint32_t lanes, CUresult result,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Ends the job for want of host memory for `what`, as "its registers".  Any thread. */
void exec_fail_memory(struct job *job, const char *what);

/* "kernel 'k', ptx line 7 (a.cl:3), work-group (0,0,0), work-item (1,0,0)" */
void exec_describe_place(const struct warp *warp, const struct op *op, unsigned l,
			 struct bytes *text);

/* "ptx line 7 (a.cl:3) in 'f'": of an op of code. */
void exec_describe_line(const struct job *job, const struct code *code, const struct op *op,
			struct bytes *text);

/* The source file of that number in the PTX; a file "?" if there is none. */
const struct source_file *exec_source_file(const struct soft_program *program, uint32_t number);

#endif
