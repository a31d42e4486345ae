/* What clGetProgramInfo(CL_PROGRAM_BINARIES) gives, clCreateProgramWithBinary takes and
 * the cache of built programs keeps: our own container, docs/binary-format.md.
 * Thread-safe. */
#ifndef CULVERT_ICD_PROGRAM_BINARY_H
#define CULVERT_ICD_PROGRAM_BINARY_H

#include "icd/program.h"

/* with_log: the compilers' words go along; they may tell paths of the machine. */
void ocl_code_write(const struct ocl_code *code, bool with_log, struct bytes *bytes);

/* Never trusts data.  CL_INVALID_BINARY, with the reason in the driver's log, when it is
 * neither exactly what ocl_code_write wrote nor text that begins as PTX does, or nothing in
 * it can be made to run on device; device NULL: none is meant. */
cl_int ocl_code_read(const void *data, size_t size_B, cl_device_id device,
		     struct ocl_code **code_out);

/* Whether the PTX was made for a device like this.  It would run on newer ones too,
 * but what is made of the object for them is better. */
bool ocl_code_fits(const struct ocl_code *code, cl_device_id device);

#endif
