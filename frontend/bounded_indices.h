/* Indices that cannot leave their array (bounded_indices.cpp).  Thread-safety: as LLVM's. */
#ifndef CULVERT_FRONTEND_BOUNDED_INDICES_H
#define CULVERT_FRONTEND_BOUNDED_INDICES_H

#include <llvm/IR/Function.h>

/* Whether a comparison decides that there is a note about an index.  The note's text is made of it. */
bool fe_decides_note(const llvm::Instruction &comparison);

/* Decides the comparisons of indices that are in bounds whatever the run computes: local ids in a kernel that requires
 * the size of its work-groups, and what arithmetic leaves of a number.  Returns whether there were any: then there
 * are blocks that nothing leads to. */
bool fe_decide_bounded_indices(llvm::Function &function);

#endif
