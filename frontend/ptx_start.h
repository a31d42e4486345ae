/* Variants of our compiler's PTX for different starts of a launch's grids.
 *
 * Most launches have no global offset and are one grid, so that every ID_START, GROUP_START and GLOBAL_OFFSET is 0.
 * If the assembler knows that, it omits an addition for each id.  The parameters stay, so that both variants are
 * launched in the same way.
 *
 * Thread-safe: pure functions. */
#ifndef CULVERT_FRONTEND_PTX_START_H
#define CULVERT_FRONTEND_PTX_START_H

#include "base/bytes.h"
#include "frontend/kernel_abi.h"

#include <stdbool.h>

/* Whether a kernel has a parameter for the start of its grid. */
bool fe_ptx_takes_start(const struct abi_kernel *kernel);
/* Whether a program has variants: not if kernels can write variables, of which each variant would have its own. */
bool fe_ptx_is_split(const struct abi_program *abi);

/* Appends the variant for launches that start at 0, or ptx itself if there are no variants. false: nothing was
 * changed, or out of memory (bytes_failed). */
bool fe_ptx_without_start(const struct abi_program *abi, const struct bytes *ptx,
			  struct bytes *plain_out);

/* Appends ptx with a limit for the registers of each kernel (by number in abi), so that work-groups can be as large
 * as with the code that uses so many.  Kernels with a required work-group size need no limit. */
void fe_ptx_limit_registers(const struct abi_program *abi, const struct bytes *ptx,
			    const uint32_t *registers, struct bytes *limited_out);

#endif
