/* Names of SPIR-V's numbers, for messages.
 *
 * Source: the enumerations of SPIR-V's headers, as they are on the machine that builds; a number that is
 * newer than these has no name here.
 * Plain functions of numbers; all strings are static.  Thread-safe. */
#ifndef CULVERT_FRONTEND_SPIRV_NAMES_H
#define CULVERT_FRONTEND_SPIRV_NAMES_H

#include <stdint.h>

enum spirv_name_kind {
	SPIRV_NAME_OPCODE, SPIRV_NAME_CAPABILITY, SPIRV_NAME_DECORATION, SPIRV_NAME_BUILTIN,
	SPIRV_NAME_STORAGE, SPIRV_NAME_MODE, SPIRV_NAME_EXTENDED    /* of OpenCL.std */
};

/* Without the kind: "IAdd", "Shader", "FPRoundingMode"; NULL when there is none. */
const char *spirv_name(enum spirv_name_kind kind, uint32_t number);

/* "OpIAdd", or "opcode 6543". */
struct spirv_opcode_name {
	char text[80];
};
struct spirv_opcode_name spirv_opcode_name(unsigned op);

/* What who made a module can do about a capability that is not supported; NULL: nothing known. */
const char *spirv_advice(uint32_t capability);

#endif
