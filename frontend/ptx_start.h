/* Variants of our own compiler's PTX by where the grids of a launch start.
 *
 * Most launches have no global offset and are one grid, so that every ID_START, GROUP_START and
 * GLOBAL_OFFSET is 0.  Told so, the assembler leaves out an addition for each id.  The parameters
 * stay, so that both variants are launched alike.
 *
 * Thread-safe: plain functions of their arguments. */
#ifndef CULVERT_FRONTEND_PTX_START_H
#define CULVERT_FRONTEND_PTX_START_H

#include "base/bytes.h"
#include "frontend/kernel_abi.h"

#include <stdbool.h>

/* Whether a kernel is told where its grid starts. */
bool fe_ptx_takes_start(const struct abi_kernel *kernel);
/* Whether a program has variants: not if kernels can write variables, of which there would be
 * two sets. */
bool fe_ptx_is_split(const struct abi_program *abi);

/* Appends ptx for launches that start at 0, which is ptx itself where no variants are.  false:
 * nothing is different, or out of memory (bytes_failed). */
bool fe_ptx_without_start(const struct abi_program *abi, const struct bytes *ptx,
			  struct bytes *plain_out);

/* Appends ptx with a limit for each kernel's registers (by number in abi), so that work-groups
 * can be as large as those of the code that was found to have as many.  Kernels whose work-group
 * has a size of its own need none. */
void fe_ptx_limit_registers(const struct abi_program *abi, const struct bytes *ptx,
			    const uint32_t *registers, struct bytes *limited_out);

#endif
