/* The blocks of a function.
 *
 * Blocks that cannot be reached from the first one are left out.  The others are built so that each comes after all
 * that dominate it, whatever the module's order, so that a value exists before it is used; only OpPhi may name values
 * that are defined later.  Any graph of blocks is supported: OpSelectionMerge and OpLoopMerge are not needed.
 *
 * Source: SPIR-V 1.6, 2.11 and 3.49.17.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_FLOW_H
#define CULVERT_FRONTEND_SPIRV_FLOW_H

#include "frontend/spirv/reader.h"

/* Builds the blocks of the function in the module's words from at up to end, into reader->body->function, whose entry
 * block exists.  returned is the function's result type.  False with a message. */
bool spirv_flow_build(struct spirv_reader *reader, size_t at, size_t end, const struct spirv_type *returned);

#endif
