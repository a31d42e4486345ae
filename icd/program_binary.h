/* What clGetProgramInfo(CL_PROGRAM_BINARIES) gives and clCreateProgramWithBinary
 * takes: our own container.
 *
 *	 0  "CULVERT" and a NUL
 *	 8  u32 version, u32 type (cl_program_binary_type)
 *	16  u64 FNV-1a over everything from byte 24 to the end
 *	24  u16 sm of the device, u16 sm of the PTX, u32 flags (1: with line info)
 *	32  u32 optimization, u32 most registers: for the driver's compiler
 *	40  u64 size of each part: launch facts, object, PTX
 *	64  the parts, one after the other, to the very end
 *
 * Little-endian.  The launch facts are abi_program_write's.  Thread-safe. */
#ifndef CULVERT_ICD_PROGRAM_BINARY_H
#define CULVERT_ICD_PROGRAM_BINARY_H

#include "icd/program.h"

void ocl_code_write(const struct ocl_code *code, struct bytes *bytes);

/* Never trusts data.  CL_INVALID_BINARY when it is not exactly what ocl_code_write
 * wrote, or nothing in it can be made to run on device. */
cl_int ocl_code_read(const void *data, size_t size_B, cl_device_id device,
		     struct ocl_code **code_out);

/* Whether the PTX was made for a device like this.  It would run on newer ones too,
 * but what is made of the object for them is better. */
bool ocl_code_fits(const struct ocl_code *code, cl_device_id device);

#endif
