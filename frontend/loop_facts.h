/* What LLVM finds out about a function's loops. */
#ifndef CULVERT_FRONTEND_LOOP_FACTS_H
#define CULVERT_FRONTEND_LOOP_FACTS_H

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

struct loop_facts {
	explicit loop_facts(llvm::Function &function)
		: all_names(llvm::Triple(function.getParent()->getTargetTriple())), names(all_names),
		  assumptions(function), tree(function), loops(tree),
		  evolution(function, names, assumptions, tree, loops)
	{
	}

	llvm::TargetLibraryInfoImpl all_names;
	llvm::TargetLibraryInfo names;
	llvm::AssumptionCache assumptions;
	llvm::DominatorTree tree;
	llvm::LoopInfo loops;
	llvm::ScalarEvolution evolution;
};

#endif
