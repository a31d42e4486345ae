/* Code: what compiling gives, for all devices that it fits.  An executable has launch facts and PTX; an
 * object or a library, which is to be linked, has neither.
 *
 * Reference-counted; filled by who made it, constant then, and thread-safe. */
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
	unsigned sm;                         /* of the device that it was made for */
	unsigned ptx_sm;                     /* what ptx was made for; runs on this and newer */
	/* What its options ask for.  A binary keeps what the driver's compiler is told: optimization,
	 * max_registers, line_info and verbose. */
	struct codegen_choice choice;
	struct abi_program *abi;             /* owned: launch facts; NULL for an object or library */
	struct packed_bytes object;          /* LLVM bitcode: to link, or to compile for another device */
	struct packed_bytes ptx;             /* empty for an object or library */
	struct bytes cubin;                  /* machine code for sm; empty where only the driver makes it */
	struct bytes log;                    /* what the compilers said; the driver is not among them */
};

/* refs 1; NULL when out of memory. */
struct ocl_code *ocl_code_create(void);
struct ocl_code *ocl_code_ref(struct ocl_code *code);
void ocl_code_unref(struct ocl_code *code);          /* NULL is fine */

/* Whether the PTX was made for a device of this sm.  It would run on newer ones too, but what is made of
 * the object for them is better. */
bool ocl_code_fits(const struct ocl_code *code, unsigned sm);

/* Whether launches whose grids start at 0 have code of their own (frontend/ptx_start.h). */
bool ocl_code_is_split(const struct ocl_code *code);
/* The PTX for such launches: the code's own, or in `made`, which is the caller's to finish.
 * NULL when out of memory. */
const struct bytes *ocl_code_plain_ptx(struct ocl_code *code, struct bytes *made);

#endif
