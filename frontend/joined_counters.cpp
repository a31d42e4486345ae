#include "config.h"

#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace {

/* A variable of a loop to which each iteration adds the same amount, which does not change in the loop. */
struct counter {
	llvm::PHINode *phi;
	llvm::Value *step;
	llvm::BinaryOperator *next;
};

/* Whether a value may be computed from one that is not defined, such as that of a variable which some path does not
 * assign.  libnvvm may take any value for it, and another one at each use. */
bool may_be_undefined(llvm::Value *value)
{
	llvm::SmallPtrSet<llvm::Value *, 16> seen;
	std::vector<llvm::Value *> pending{value};
	while (!pending.empty()) {
		llvm::Value *next = pending.back();
		pending.pop_back();
		if (llvm::isa<llvm::UndefValue>(next))
			return true;
		auto *instruction = llvm::dyn_cast<llvm::Instruction>(next);
		if (instruction && !llvm::isa<llvm::LoadInst>(instruction) && seen.insert(instruction).second)
			pending.insert(pending.end(), instruction->op_begin(), instruction->op_end());
	}
	return false;
}

/* step is NULL: it is no such variable, or others cannot be computed from it.  Those with a constant step libnvvm joins
 * itself. */
counter counter_of(llvm::PHINode &phi, const llvm::Loop &loop)
{
	auto *next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
	counter found = {&phi, nullptr, next};
	if (!phi.getType()->isIntegerTy() || !next || next->getOpcode() != llvm::Instruction::Add)
		return found;
	if (next->getOperand(0) == &phi)
		found.step = next->getOperand(1);
	else if (next->getOperand(1) == &phi)
		found.step = next->getOperand(0);
	if (found.step && (llvm::isa<llvm::Constant>(found.step) || !loop.isLoopInvariant(found.step) ||
			   may_be_undefined(phi.getIncomingValueForBlock(loop.getLoopPredecessor()))))
		found.step = nullptr;
	return found;
}

/* Replaces a counter by another one that advances with it, and the distance between the two.  The sums wrap as the
 * counters do.  The flag nsw of the one that stays is still true: where its addition overflows, the program is not
 * defined. */
void join(const counter &gone, const counter &kept, llvm::BasicBlock *before)
{
	llvm::IRBuilder<> builder(before->getTerminator());
	llvm::Value *distance = builder.CreateSub(gone.phi->getIncomingValueForBlock(before),
						  kept.phi->getIncomingValueForBlock(before));
	builder.SetInsertPoint(gone.phi->getParent(), gone.phi->getParent()->getFirstInsertionPt());
	gone.phi->replaceAllUsesWith(builder.CreateAdd(kept.phi, distance));
	gone.phi->eraseFromParent();
	if (gone.next->use_empty())
		gone.next->eraseFromParent();
}

void join_in(const llvm::Loop &loop)
{
	llvm::BasicBlock *before = loop.getLoopPredecessor();
	std::vector<counter> kept;
	if (!before || !loop.getLoopLatch())
		return;
	for (llvm::PHINode &phi : llvm::make_early_inc_range(loop.getHeader()->phis())) {
		const counter found = counter_of(phi, loop);
		if (!found.step)
			continue;
		auto same = llvm::find_if(kept, [&found](const counter &other) {
			return other.step == found.step && other.phi->getType() == found.phi->getType();
		});
		if (same == kept.end())
			kept.push_back(found);
		else
			join(found, *same, before);
	}
}

} // namespace

void fe_module_join_counters(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (function.isDeclaration() || function.hasOptNone())
			continue;
		llvm::DominatorTree tree(function);
		llvm::LoopInfo loops(tree);
		for (const llvm::Loop *loop : loops.getLoopsInPreorder())
			join_in(*loop);
	}
}
