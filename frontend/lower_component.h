/* Inside the lowering: accesses to components of vectors in memory, what lower_component.c and
 * lower_component_il.c share.
 *
 * Thread-safety: as the lowering. */
#ifndef CULVERT_FRONTEND_LOWER_COMPONENT_H
#define CULVERT_FRONTEND_LOWER_COMPONENT_H

#include "frontend/lower.h"

enum { COMPONENT_MOST_LANES = 16 };

void fe_component_for_blocks(struct lowering *lowering,
			     void (*look)(struct lowering *lowering, LLVMBasicBlockRef block));
/* Whether a block's function was SPIR-V. */
bool fe_component_is_of_il(LLVMBasicBlockRef block);

/* A vector of few enough components that have addresses. */
bool fe_component_has_address(struct lowering *lowering, LLVMTypeRef type);
uint64_t fe_component_size_B(struct lowering *lowering, LLVMTypeRef vector);
/* Whether a pointer leads to a variable whose vectors are read and written as a whole. */
bool fe_component_is_kept_whole(const struct lowering *lowering, LLVMValueRef pointer);

LLVMValueRef fe_component_address(struct lowering *lowering, LLVMTypeRef vector, LLVMValueRef pointer,
				  unsigned lane);
/* How a lane is aligned that an access to the whole vector reaches. */
unsigned fe_component_alignment(struct lowering *lowering, LLVMValueRef access, LLVMTypeRef vector,
				unsigned lane);
void fe_component_take_properties(LLVMValueRef to, LLVMValueRef from, unsigned alignment);

/* Stores what an insertelement puts in, where a store of its vector goes. */
void fe_component_store_inserted(struct lowering *lowering, LLVMValueRef store, LLVMValueRef insert);
/* Whether something between the two may write; true where they are of two blocks. */
bool fe_component_writes_between(const struct lowering *lowering, LLVMValueRef load, LLVMValueRef user);

/* Marks the lanes that an instruction takes of a vector; false: it takes what cannot be told. */
bool fe_component_find_lanes(LLVMValueRef user, LLVMValueRef vector, bool taken[COMPONENT_MOST_LANES]);
/* Whether these are as good as all of what a load loads. */
bool fe_component_takes_most(const bool taken[COMPONENT_MOST_LANES], LLVMValueRef load);
/* A vector of which only the lanes are loaded that are taken, before a load of all. */
LLVMValueRef fe_component_load_lanes(struct lowering *lowering, LLVMValueRef load,
				     const bool taken[COMPONENT_MOST_LANES]);

#endif
