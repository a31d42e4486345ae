/* The format of program binaries, which clGetProgramInfo(CL_PROGRAM_BINARIES) returns, clCreateProgramWithBinary reads
 * and the cache stores: docs/binary-format.md.
 * Thread-safe. */
#ifndef CULVERT_ICD_PROGRAM_BINARY_H
#define CULVERT_ICD_PROGRAM_BINARY_H

#include "icd/compile/code.h"

/* Binaries of other versions are refused.  The number also changes if objects, which call functions of the builtin
 * library by name, would be linked to something else than what they were compiled for. */
enum { OCL_BINARY_VERSION = 5 };

enum ocl_code_form {
	/* For applications and other processes: without the compilers' messages, which may contain paths. */
	OCL_CODE_GIVEN,
	/* For the cache, which adds a checksum: with the log; what a cache hit does not read is compressed. */
	OCL_CODE_KEPT
};

void ocl_code_write(struct ocl_code *code, enum ocl_code_form form, struct bytes *bytes);

/* Reads code; data may be damaged or hostile.  CL_INVALID_BINARY, with the reason in Culvert's log, unless it is
 * exactly what ocl_code_write wrote in that form or, in the form OCL_CODE_GIVEN, text that begins as PTX does; and
 * unless it can run on devices of compute capability sm, or can be compiled for them.  sm 0: for no particular
 * device. */
cl_int ocl_code_read(const void *data, size_t size_B, enum ocl_code_form form, unsigned sm,
		     struct ocl_code **code_out);

#endif
