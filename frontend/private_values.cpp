#include "config.h"

#include "frontend/module.h"

#include <llvm-c/Core.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h> /* LLVM 17's SROA.h needs it but does not include it */
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <vector>

namespace {

/* Registers only the analyses that the pass needs: LLVM's list of all analyses would link its whole optimizer into a
 * static build. */
void add_analyses(llvm::FunctionAnalysisManager &analyses)
{
	analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
	analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
	analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
	analyses.registerPass([] { return llvm::TargetIRAnalysis(); });
}

llvm::SROAPass make_pass()
{
#if LLVM_VERSION_MAJOR >= 16
	return llvm::SROAPass(llvm::SROAOptions::PreserveCFG);
#else
	return llvm::SROAPass();
#endif
}

/* Whether LLVM may need a phi for a variable.  It needs none if one block alone uses the variable and stores it first,
 * if the only store dominates all loads, or if the only store is of a value that is the same everywhere. */
bool needs_phis(llvm::AllocaInst *variable, const llvm::DominatorTree &dominators)
{
	llvm::SmallVector<llvm::LoadInst *> loads;
	llvm::SmallVector<llvm::StoreInst *> stores;
	bool one_block = true;
	llvm::Instruction *first = nullptr;
	for (llvm::User *user : variable->users()) {
		if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
			loads.push_back(load);
		else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
			stores.push_back(store);
		else
			continue;
		auto *use = llvm::cast<llvm::Instruction>(user);
		one_block = one_block && (!first || first->getParent() == use->getParent());
		if (one_block && (!first || use->comesBefore(first)))
			first = use;
	}
	if (one_block)
		return first && llvm::isa<llvm::LoadInst>(first);
	if (stores.size() != 1)
		return true;
	return llvm::isa<llvm::Instruction>(stores[0]->getValueOperand()) &&
		llvm::any_of(loads, [&](llvm::LoadInst *load) { return !dominators.dominates(stores[0], load); });
}

/* Makes single variables values, and puts the phis of each block in the order of the declarations, as nvcc has them:
 * ptxas allocates registers by that order.  PromoteMemToReg puts the phis of each variable before those of the variable
 * that it handled last.  Where a variable needs no phi, it handles the last one of its list next, out of turn; so these
 * variables are promoted first, by themselves. */
void make_single_values(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
{
	llvm::DominatorTree &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
	llvm::AssumptionCache &assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
	std::vector<llvm::AllocaInst *> without, with;
	for (llvm::Instruction &instruction : function.getEntryBlock())
		if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
			if (llvm::isAllocaPromotable(variable))
				(needs_phis(variable, dominators) ? with : without).push_back(variable);
	std::reverse(with.begin(), with.end());
	for (const std::vector<llvm::AllocaInst *> *variables : {&without, &with})
		if (!variables->empty())
			llvm::PromoteMemToReg(*variables, dominators, &assumptions);
}

void make_values(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
{
	make_single_values(function, analyses);
	analyses.invalidate(function, make_pass().run(function, analyses));
}

} // namespace

void fe_module_private_values(struct fe_module *module, bool library_only)
{
	llvm::FunctionAnalysisManager analyses;
	add_analyses(analyses);
	for (llvm::Function &function : *llvm::unwrap(module->module))
		if (!function.isDeclaration() && !function.hasOptNone() &&
		    (!library_only || function.hasFnAttribute(FE_LIBRARY_ATTRIBUTE)))
			make_values(function, analyses);
}
