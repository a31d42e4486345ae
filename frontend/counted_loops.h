/* Loops that a variable in memory counts, as Clang writes them without optimization, and whose number of turns is a
 * constant (counted_loops.cpp).  Thread-safety: as LLVM's. */
#ifndef CULVERT_FRONTEND_COUNTED_LOOPS_H
#define CULVERT_FRONTEND_COUNTED_LOOPS_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <vector>

struct fe_counted_loop {
	/* NULL: it is no such loop, or its blocks cannot be copied. */
	llvm::AllocaInst *counter = nullptr;
	/* The store in the last block of the loop, the only one in the loop that assigns the counter. */
	llvm::StoreInst *step = nullptr;
	/* What the counter is in each turn, and behind the loop. */
	std::vector<llvm::ConstantInt *> values;
};

/* Loops with more turns than that count as any other loop. */
enum { FE_MOST_TURNS = 64 };

fe_counted_loop fe_count_loop(const llvm::Loop &loop);

/* The value of an operation on integers whose operands are constants; NULL: it has none, or none that matters here.  A
 * division is left to the run, as is a shift by too many bits. */
llvm::ConstantInt *fe_fold_integers(const llvm::Instruction &instruction);

#endif
