/* What clGetProgramInfo(CL_PROGRAM_BINARIES) gives, clCreateProgramWithBinary takes and
 * the cache of built programs keeps: our own container, docs/binary-format.md.
 * Thread-safe. */
#ifndef CULVERT_ICD_PROGRAM_BINARY_H
#define CULVERT_ICD_PROGRAM_BINARY_H

#include "icd/compile/code.h"

enum ocl_code_form {
	/* To applications and other processes: without the compilers' words, which may tell paths
	 * of the machine. */
	OCL_CODE_GIVEN,
	/* In the cache, which has a checksum of its own: with the log; what a hit does not look
	 * at is packed. */
	OCL_CODE_KEPT
};

void ocl_code_write(struct ocl_code *code, enum ocl_code_form form, struct bytes *bytes);

/* Never trusts data.  CL_INVALID_BINARY, with the reason in the driver's log, when it is
 * neither exactly what ocl_code_write wrote in that form nor, if it was given, text that begins
 * as PTX does, or nothing in it can be made to run on devices of this sm; 0: none is meant. */
cl_int ocl_code_read(const void *data, size_t size_B, enum ocl_code_form form, unsigned sm,
		     struct ocl_code **code_out);

#endif
