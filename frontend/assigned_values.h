/* Which places in private memory can become values without hiding an error from the checker (assigned_values.cpp).
 * Thread-safety: as LLVM's. */
#ifndef CULVERT_FRONTEND_ASSIGNED_VALUES_H
#define CULVERT_FRONTEND_ASSIGNED_VALUES_H

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <vector>

/* Variables of one element, and elements of arrays, with numbers from 0 on. */
struct fe_places {
	unsigned count = 0;
	/* The pointers by which loads and stores access them, always as a whole. */
	llvm::DenseMap<const llvm::Value *, unsigned> numbers;
	/* Instructions that assign several of them at once, such as a memset: constants. */
	llvm::DenseMap<const llvm::Instruction *, std::vector<unsigned>> filled;
};

/* The places that a path reads before it has assigned them, and those of which an assigned value is not read.  If a
 * value were not read, the code generator would drop it, and with it the reads of other memory that it was computed
 * from, which are to be checked. */
llvm::BitVector fe_unfit_places(llvm::Function &function, const fe_places &places);

/* The variables of one element of which neither holds.  vectors_only: vectors alone, as Clang wrote their accesses. */
std::vector<llvm::AllocaInst *> fe_assigned_variables(llvm::Function &function, bool vectors_only);

#endif
