/* SPIR-V programs: what clCreateProgramWithIL is given.
 *
 * The host's process only looks at a module as a whole (this header): is it SPIR-V, of a version and with
 * capabilities that are supported, and which specialization constants has it.  The compiler translates the
 * module to LLVM IR (fe_spirv_compile in module.h), which then takes the same passes as IR from Clang.
 *
 * Source: SPIR-V specification 1.6, OpenCL SPIR-V environment specification 3.0, OpenCL extended instruction
 * set 1.0.
 * Needs no LLVM.  Thread-safe: any number of calls at once.  The bytes of a module may be anything: what is
 * not well-formed is refused with a line in the log. */
#ifndef CULVERT_FRONTEND_SPIRV_H
#define CULVERT_FRONTEND_SPIRV_H

#include "base/bytes.h"
#include "frontend/frontend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The newest version that is supported, as clGetDeviceInfo(CL_DEVICE_ILS_WITH_VERSION) lists it. */
enum { FE_SPIRV_MAJOR = 1, FE_SPIRV_MINOR = 6 };

/* What modules may ask for, of any device: capabilities (SpvCapability), extensions and sets of extended
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

/* Whether this is SPIR-V of a supported version with supported capabilities: FE_OK, or FE_COMPILE_FAILED with
 * a reason in the log.  Single instructions are checked when the module is compiled. */
enum fe_status fe_spirv_check(const void *il, size_t size_B, struct bytes *log);

/* Appends a struct fe_spirv_constant for each specialization constant, with its default. */
enum fe_status fe_spirv_constants(const void *il, size_t size_B, struct bytes *constants,
				  struct bytes *log);

/* Appends the module in the host's byte order, with other defaults for its specialization constants: the
 * source of a struct fe_compile_job with from_il.  constants: those that have another value than their
 * default; ids that the module lacks are ignored. */
enum fe_status fe_spirv_specialize(const void *il, size_t size_B,
				   const struct fe_spirv_constant *constants, size_t count,
				   struct bytes *module_out, struct bytes *log);

#endif
