/* SPIR-V in, OpenCL C out: what clCreateProgramWithIL is given takes the same road as a
 * source from there on.
 *
 * A module of the Kernel capability with physical addressing is written as OpenCL C, a
 * statement for each instruction and a goto for each branch; Clang makes values of its
 * variables again.  Integers have no sign in SPIR-V and are unsigned in the text.
 * Needs no LLVM.  What we do not take fails with a line in the log that names it.
 *
 * Source: SPIR-V specification 1.6, OpenCL SPIR-V environment specification 3.0, OpenCL
 * extended instruction set 1.0.
 * Thread-safe: any number of calls at once.  Bytes of any content are fine. */
#ifndef CULVERT_FRONTEND_SPIRV_H
#define CULVERT_FRONTEND_SPIRV_H

#include "base/bytes.h"
#include "frontend/frontend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The newest version that is taken, as clGetDeviceInfo(CL_DEVICE_ILS_WITH_VERSION) lists it. */
enum { FE_SPIRV_MAJOR = 1, FE_SPIRV_MINOR = 6 };

/* What modules may ask for, of any device: capabilities (SpvCapability), extensions and sets of
 * instructions by name.  The lists live as long as the library. */
const uint32_t *fe_spirv_capabilities(size_t *count_out);
const char *const *fe_spirv_extensions(size_t *count_out);
const char *const *fe_spirv_instruction_sets(size_t *count_out);

/* A specialization constant. */
struct fe_spirv_constant {
	uint32_t id;                /* of its SpecId decoration */
	uint32_t size_B;            /* 1, 2, 4 or 8; a bool has 1 */
	uint64_t value;             /* its bits, zero-extended */
};

/* Whether this is SPIR-V of a version and with capabilities that we take: FE_OK, or
 * FE_COMPILE_FAILED with a reason in the log.  Instructions are not looked at. */
enum fe_status fe_spirv_check(const void *il, size_t size_B, struct bytes *log);

/* Appends a struct fe_spirv_constant for each one, with its default. */
enum fe_status fe_spirv_constants(const void *il, size_t size_B, struct bytes *constants,
				  struct bytes *log);

/* Appends the module as OpenCL C 3.0.  constants: those that have another value than their
 * default; ids that the module lacks are ignored. */
enum fe_status fe_spirv_source(const void *il, size_t size_B,
			       const struct fe_spirv_constant *constants, size_t count,
			       struct bytes *source, struct bytes *log);

#endif
