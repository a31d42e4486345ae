/* Accesses to components of vectors in memory: what lower_component.c and lower_component_il.c share.
 *
 * Thread-safety: as the lowering's. */
#ifndef CULVERT_FRONTEND_LOWER_COMPONENT_H
#define CULVERT_FRONTEND_LOWER_COMPONENT_H

#include "frontend/lower.h"

enum { COMPONENT_MOST_LANES = 16 };

void fe_component_for_blocks(struct lowering *lowering,
			     void (*look)(struct lowering *lowering, LLVMBasicBlockRef block));
/* Whether the block is in a function from SPIR-V. */
bool fe_component_is_of_il(LLVMBasicBlockRef block);

/* Whether the type is a vector of integers of so many bits. */
bool fe_component_is_vector_of(LLVMTypeRef type, unsigned bits);
/* Whether a load or a store is neither volatile nor atomic. */
bool fe_component_is_plain(LLVMValueRef access);
/* Whether the type is a vector whose components have addresses, and not too many of them. */
bool fe_component_has_address(struct lowering *lowering, LLVMTypeRef type);
uint64_t fe_component_size_B(struct lowering *lowering, LLVMTypeRef vector);
/* Whether the pointer is to a variable whose vectors are read and written as a whole. */
bool fe_component_is_kept_whole(const struct lowering *lowering, LLVMValueRef pointer);

LLVMValueRef fe_component_address(struct lowering *lowering, LLVMTypeRef vector, LLVMValueRef pointer,
				  unsigned lane);
/* The alignment of a lane, for an access to the whole vector. */
unsigned fe_component_alignment(struct lowering *lowering, LLVMValueRef access, LLVMTypeRef vector,
				unsigned lane);
void fe_component_take_properties(LLVMValueRef to, LLVMValueRef from, unsigned alignment);

/* Stores the component that an insertelement inserts, instead of the store of its vector. */
void fe_component_store_inserted(struct lowering *lowering, LLVMValueRef store, LLVMValueRef insert);
/* Whether an instruction between the two may write to memory; true if they are in different blocks. */
bool fe_component_writes_between(const struct lowering *lowering, LLVMValueRef load, LLVMValueRef user);

/* Marks the lanes of a vector that an instruction uses; false: that is not known. */
bool fe_component_find_lanes(LLVMValueRef user, LLVMValueRef vector, bool taken[COMPONENT_MOST_LANES]);
/* Whether these are nearly all lanes that the load loads, so that it should stay. */
bool fe_component_takes_most(const bool taken[COMPONENT_MOST_LANES], LLVMValueRef load);
/* Makes a vector of which only the used lanes are loaded, before a load of all. */
LLVMValueRef fe_component_load_lanes(struct lowering *lowering, LLVMValueRef load,
				     const bool taken[COMPONENT_MOST_LANES]);

/* lower_narrow.c: loads a vector of integers of 8 or 16 bits, whose size is a multiple of 32 bits, as numbers of 32
 * bits. */
void fe_load_as_numbers(struct lowering *lowering, LLVMValueRef load);

#endif
