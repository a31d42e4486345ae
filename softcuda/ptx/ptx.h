/* PTX text in, a program out.
 *
 * ptx_parse reads one module and decodes it once into a form that runs fast: registers numbered, branches
 * resolved, operands classified.  An instruction, directive or modifier that the executor does not
 * know fails the parse and is named in the log with its line: it never guesses. */
#ifndef CULVERT_SOFTCUDA_PTX_H
#define CULVERT_SOFTCUDA_PTX_H

#include "softcuda/exec/exec.h"

/* What a checker leaves free behind variables of local and shared memory. */
enum { PTX_LOCAL_GAP_B = 64, PTX_SHARED_GAP_B = 64 };

/* Which calls become part of the kernels that make them, where that is possible: none, all, or those of functions that
 * the compiler adds, in which no error can be. */
enum ptx_flat { PTX_FLAT_NONE, PTX_FLAT_ALL, PTX_FLAT_INTERNAL };

/* Parses ptx (size_B bytes, need not end in NUL).  gaps: leave gaps between variables, in which a checker finds
 * accesses that are wrong.  flat: nobody is told of calls that become part of kernels (exec_watch.call).  newest: the
 * newest version of PTX that is read, 10 * major + minor.
 * CUDA_SUCCESS; CUDA_ERROR_INVALID_PTX with the reason and line in log; CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
 * CUDA_ERROR_OUT_OF_MEMORY.  Any thread. */
CUresult ptx_parse(const char *ptx, size_t size_B, bool gaps, enum ptx_flat flat, unsigned newest, struct bytes *log,
		   struct soft_program **program_out);

#endif
