/* Inside the SPIR-V reader: the blocks of a function.
 *
 * Blocks that the first one does not lead to are left out.  The others are built so that each stands behind all
 * that dominate it, whatever the module's order, so that a value is there before it is used; only OpPhi may
 * name later ones.  Any graph of blocks will do: what OpSelectionMerge and OpLoopMerge say is not needed.
 *
 * Source: SPIR-V 1.6, 2.11 and 3.49.17.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_FLOW_H
#define CULVERT_FRONTEND_SPIRV_FLOW_H

#include "frontend/spirv_reader.h"

/* Builds the blocks of the function that stands in the module's words from at to end, into
 * reader->body->function, whose entry exists. */
bool spirv_flow_build(struct spirv_reader *reader, size_t at, size_t end, const struct spirv_type *returned);

#endif
