#include "config.h"

#include "frontend/module.h"

#include <llvm-c/Core.h>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h> /* LLVM 17's SROA.h needs it but does not include it */
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

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

/* PromotePass puts the phis of a block in the order of the variables' declarations, as nvcc has them; SROAPass, which also
 * takes structures and arrays apart, often in the reverse order.  ptxas allocates registers by that order. */
void make_values(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
{
	analyses.invalidate(function, llvm::PromotePass().run(function, analyses));
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
