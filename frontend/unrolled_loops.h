/* Unrolls loops over small private arrays (unrolled_loops.cpp).  Thread-safety: as LLVM's. */
#ifndef CULVERT_FRONTEND_UNROLLED_LOOPS_H
#define CULVERT_FRONTEND_UNROLLED_LOOPS_H

#include <llvm/IR/Instructions.h>

/* Arrays with more elements than that stay in memory. */
enum { FE_MOST_ELEMENTS = 64 };

/* Whether a private variable is an array of numbers, pointers or vectors that is not too large.  Sets the type of its
 * elements, also of an array of arrays. */
bool fe_is_small_array(const llvm::AllocaInst &variable, llvm::Type **element_out);

/* Writes the turns of loops one after the other, if that makes constants of all the indices by which a small array is
 * accessed.  All that a turn does but counting stays, in its order and with its lines.  Conditions that have become
 * constants are decided, also those of notes about an index in bounds.  In programs that are not built to be checked,
 * does so only if one of the loops chooses by a condition that is the same in each turn (fe_module_unroll_choices).
 * Returns whether anything was changed: then there may be blocks that nothing leads to. */
bool fe_unroll_for_arrays(llvm::Function &function, bool checked);

#endif
