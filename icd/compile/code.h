/* Code: the result of a compilation.  An executable has launch facts and PTX; an object or a library, which has to be
 * linked, has neither.
 *
 * Reference-counted.  The function that makes it fills it; after that it is constant and thread-safe. */
#ifndef CULVERT_ICD_CODE_H
#define CULVERT_ICD_CODE_H

#include "base/bytes.h"
#include "base/codegen_choice.h"
#include "base/packed.h"
#include "frontend/kernel_abi.h"

#include <CL/cl.h>
#include <stdatomic.h>

struct ocl_code {
	atomic_uint refs;
	cl_program_binary_type type;         /* CL_PROGRAM_BINARY_TYPE_* */
	unsigned sm;                         /* compute capability of the device for which it was compiled */
	unsigned ptx_sm;                     /* the target of ptx, which runs on this one and newer ones */
	/* The choices of the build options.  A program binary stores those that the driver's compiler needs:
	 * optimization, max_registers, line_info and verbose. */
	struct codegen_choice choice;
	struct abi_program *abi;             /* owned: launch facts; NULL for an object or library */
	struct packed_bytes object;          /* LLVM bitcode, to be linked or to be compiled for another device */
	struct packed_bytes ptx;             /* empty for an object or library */
	struct bytes cubin;                  /* machine code for sm; empty if the driver compiles the PTX */
	struct bytes log;                    /* the compilers' messages, without the driver's */
};

/* Makes empty code with one reference; NULL when out of memory. */
struct ocl_code *ocl_code_create(void);
struct ocl_code *ocl_code_ref(struct ocl_code *code);
void ocl_code_unref(struct ocl_code *code);          /* NULL is fine */

/* Whether the PTX was made for a device of this compute capability.  It also runs on newer devices, but compiling the
 * object for them gives better code. */
bool ocl_code_fits(const struct ocl_code *code, unsigned sm);

/* Whether launches whose grids start at work-group 0 have separate code (frontend/ptx_start.h). */
bool ocl_code_is_split(const struct ocl_code *code);
/* The PTX for launches that start at work-group 0: the code's own, or made from it in `made`, which the caller
 * finishes.  NULL when out of memory. */
const struct bytes *ocl_code_plain_ptx(struct ocl_code *code, struct bytes *made);

#endif
