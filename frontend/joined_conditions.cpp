#include "config.h"

#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace {

/* The most instructions of a condition that is computed although an earlier condition has already decided. */
constexpr unsigned most_instructions = 5;

bool is_cheap(const llvm::Instruction &instruction)
{
	return (llvm::isa<llvm::CmpInst>(instruction) || llvm::isa<llvm::CastInst>(instruction) ||
		llvm::isa<llvm::BinaryOperator>(instruction) || llvm::isa<llvm::SelectInst>(instruction) ||
		llvm::isa<llvm::ExtractElementInst>(instruction)) &&
	       !instruction.isIntDivRem() && !instruction.getType()->isVectorTy() &&
	       llvm::isSafeToSpeculativelyExecute(&instruction);
}

/* Whether a block does nothing except computing, with few instructions, which block is next. */
bool only_decides(const llvm::BasicBlock &block)
{
	unsigned count = 0;
	for (const llvm::Instruction &instruction : block)
		if (&instruction != block.getTerminator() &&
		    (!is_cheap(instruction) || ++count > most_instructions))
			return false;
	return true;
}

llvm::BranchInst *decision_of(llvm::BasicBlock *block)
{
	auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
	return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
			       !branch->hasMetadata("llvm.loop")
		       ? branch
		       : nullptr;
}

/* Whether the block's phis have the same values from both predecessors. */
bool begins_alike(const llvm::BasicBlock *block, const llvm::BasicBlock *from, const llvm::BasicBlock *or_from)
{
	for (const llvm::PHINode &phi : block->phis())
		if (phi.getIncomingValueForBlock(from) != phi.getIncomingValueForBlock(or_from))
			return false;
	return true;
}

/* Consecutive branches, each of which may go to the same block, other. */
struct row {
	llvm::BasicBlock *other = nullptr;
	std::vector<llvm::BranchInst *> branches;
};

/* The index of the successor by which the branch leaves the row: 0 if its condition holds, otherwise 1. */
unsigned leaves(const llvm::BranchInst *branch, const llvm::BasicBlock *other)
{
	return branch->getSuccessor(0) == other ? 0 : 1;
}

/* The next branch of a row; NULL: the row ends there. */
llvm::BranchInst *next_decision(llvm::BranchInst *branch, llvm::BasicBlock *other)
{
	llvm::BasicBlock *block = branch->getParent();
	llvm::BasicBlock *next = branch->getSuccessor(1 - leaves(branch, other));
	if (next == block || next->getSinglePredecessor() != block || !next->phis().empty() ||
	    next->hasAddressTaken() || !only_decides(*next))
		return nullptr;
	llvm::BranchInst *decision = decision_of(next);
	if (!decision || (decision->getSuccessor(0) != other && decision->getSuccessor(1) != other))
		return nullptr;
	return begins_alike(other, block, next) ? decision : nullptr;
}

row find_row(llvm::BranchInst *first, llvm::BasicBlock *other)
{
	row found;
	found.other = other;
	for (llvm::BranchInst *branch = first; branch; branch = next_decision(branch, other))
		found.branches.push_back(branch);
	return found;
}

/* Whether a value is loop-invariant. */
bool stays(const llvm::Value *value, const llvm::Loop &loop)
{
	auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
	if (!instruction || !loop.contains(instruction))
		return true;
	if (!is_cheap(*instruction))
		return false;
	return llvm::all_of(instruction->operands(), [&loop](const llvm::Use &use) { return stays(use, loop); });
}

unsigned count_that_stay(const row &found, const llvm::Loop &loop)
{
	return (unsigned)llvm::count_if(found.branches, [&loop](const llvm::BranchInst *branch) {
		return stays(branch->getCondition(), loop);
	});
}

/* Moves the instructions of a condition to a place where it was not computed before; flags that make an overflow
 * poison are removed. */
void move_to(llvm::BasicBlock *from, llvm::BranchInst *to)
{
	while (&from->front() != from->getTerminator()) {
		llvm::Instruction &instruction = from->front();
		instruction.dropPoisonGeneratingFlags();
		instruction.moveBefore(*to->getParent(), to->getIterator());
	}
}

/* Combines the loop-invariant conditions, or the others, into one that says whether to leave the row; NULL: there
 * are none. */
llvm::Value *build_leaves(llvm::IRBuilder<> &builder, const row &found, const llvm::Loop &loop, bool that_stay)
{
	llvm::Value *all = nullptr;
	for (const llvm::BranchInst *branch : found.branches) {
		llvm::Value *one = branch->getCondition();
		if (stays(one, loop) != that_stay)
			continue;
		if (leaves(branch, found.other))
			one = builder.CreateNot(one);
		all = all ? builder.CreateOr(all, one) : one;
	}
	return all;
}

void join(const row &found, const llvm::Loop &loop)
{
	llvm::BranchInst *first = found.branches.front(), *last = found.branches.back();
	llvm::BasicBlock *rest = last->getSuccessor(1 - leaves(last, found.other));
	for (llvm::BranchInst *branch : found.branches)
		if (branch != first)
			move_to(branch->getParent(), first);
	llvm::IRBuilder<> builder(first);
	llvm::Value *by_others = build_leaves(builder, found, loop, false);
	llvm::Value *leave = build_leaves(builder, found, loop, true);
	if (by_others)
		leave = builder.CreateOr(by_others, leave);
	rest->replacePhiUsesWith(last->getParent(), first->getParent());
	for (llvm::BranchInst *branch : found.branches)
		if (branch != first)
			found.other->removePredecessor(branch->getParent(), true);
	first->setCondition(leave);
	first->setSuccessor(0, found.other);
	first->setSuccessor(1, rest);
	first->setMetadata(llvm::LLVMContext::MD_prof, nullptr);
	for (llvm::BranchInst *branch : found.branches)
		if (branch != first)
			branch->getParent()->dropAllReferences();
	for (size_t i = found.branches.size(); i > 1; i--)
		found.branches[i - 1]->getParent()->eraseFromParent();
}

void join_at(llvm::BasicBlock *block, const llvm::LoopInfo &loops)
{
	const llvm::Loop *loop = loops.getLoopFor(block);
	llvm::BranchInst *first = decision_of(block);
	for (unsigned i = 0; loop && first && i < 2; i++) {
		row found = find_row(first, first->getSuccessor(i));
		if (found.branches.size() > 1 && count_that_stay(found, *loop) > 1) {
			join(found, *loop);
			return;
		}
	}
}

} // namespace

void fe_module_join_conditions(struct fe_module *module)
{
	for (llvm::Function &function : *llvm::unwrap(module->module)) {
		if (function.isDeclaration() || function.hasOptNone())
			continue;
		llvm::DominatorTree tree(function);
		llvm::LoopInfo loops(tree);
		for (llvm::BasicBlock &block : function)
			join_at(&block, loops);
	}
}
