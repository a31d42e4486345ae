/* PTX -> machine code and its text, with no driver: NVIDIA's PTX compiler library where
 * Culvert was built with it, else the toolkit's ptxas. */
#ifndef CULVERT_TOOLS_MACHINE_CODE_H
#define CULVERT_TOOLS_MACHINE_CODE_H

#include "backend/codegen.h"

/* statistics gets what the compiler says of registers and memory; why, when the result is
 * false, what is missing (then *missing_out is set) or wrong. */
bool machine_code_make(const struct bytes *ptx, const struct be_codegen_options *options,
		       struct bytes *cubin_out, struct bytes *statistics, struct bytes *why,
		       bool *missing_out);

/* By nvdisasm or cuobjdump of the toolkit. */
bool machine_code_text(const struct bytes *cubin, struct bytes *text_out, struct bytes *why,
		       bool *missing_out);

#endif
