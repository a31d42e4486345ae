#include "config.h"

#include "frontend/counted_loops.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <array>

namespace {

using operands = std::array<llvm::ConstantInt *, 2>;

llvm::ConstantInt *fold(const llvm::Instruction &instruction, const operands &values)
{
	const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
	llvm::Constant *result = nullptr;
	switch (instruction.getOpcode()) {
	case llvm::Instruction::Add:
	case llvm::Instruction::Sub:
	case llvm::Instruction::Mul:
	case llvm::Instruction::And:
	case llvm::Instruction::Or:
	case llvm::Instruction::Xor:
	case llvm::Instruction::Shl:
	case llvm::Instruction::LShr:
	case llvm::Instruction::AShr:
		result = llvm::ConstantFoldBinaryOpOperands(instruction.getOpcode(), values[0], values[1], layout);
		break;
	case llvm::Instruction::Trunc:
	case llvm::Instruction::ZExt:
	case llvm::Instruction::SExt:
		result = llvm::ConstantFoldCastOperand(instruction.getOpcode(), values[0], instruction.getType(),
						       layout);
		break;
	case llvm::Instruction::ICmp:
		result = llvm::ConstantFoldCompareInstOperands(
			llvm::cast<llvm::ICmpInst>(instruction).getPredicate(), values[0], values[1], layout);
		break;
	default:
		break;
	}
	return result ? llvm::dyn_cast<llvm::ConstantInt>(result) : nullptr;
}

/* What a value is while the counter of a loop has a value; NULL: it depends on something else. */
llvm::ConstantInt *evaluate(llvm::Value *value, const llvm::AllocaInst *counter, llvm::ConstantInt *now)
{
	if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
		return constant;
	const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
	if (!instruction)
		return nullptr;
	if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction))
		return load->getPointerOperand() == counter ? now : nullptr;
	if (instruction->getNumOperands() > 2 || llvm::isa<llvm::PHINode>(instruction))
		return nullptr;
	operands values{};
	for (unsigned i = 0; i < instruction->getNumOperands(); i++)
		if (!(values[i] = evaluate(instruction->getOperand(i), counter, now)))
			return nullptr;
	return instruction->getNumOperands() ? fold(*instruction, values) : nullptr;
}

/* The value that a variable has at the end of a block, if this block stores a constant to it, or one through which
 * control must have come there. */
llvm::ConstantInt *stored_before(llvm::BasicBlock *block, const llvm::AllocaInst *variable)
{
	constexpr unsigned most_blocks = 8;
	for (unsigned i = 0; block && i < most_blocks; i++, block = block->getSinglePredecessor())
		for (llvm::Instruction &instruction : llvm::reverse(*block)) {
			auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
			if (store && store->getPointerOperand() == variable)
				return llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
		}
	return nullptr;
}

/* The only store of a loop to a variable, or NULL. */
llvm::StoreInst *only_store(const llvm::Loop &loop, const llvm::AllocaInst *variable)
{
	llvm::StoreInst *found = nullptr;
	for (const llvm::User *user : variable->users()) {
		auto *store = llvm::dyn_cast<llvm::StoreInst>(const_cast<llvm::User *>(user));
		if (!store || !loop.contains(store))
			continue;
		if (found)
			return nullptr;
		found = store;
	}
	return found;
}

/* The variable that the condition at the start of a loop reads, if the block does nothing else. */
llvm::AllocaInst *read_at_start(const llvm::BasicBlock &header)
{
	llvm::AllocaInst *variable = nullptr;
	for (const llvm::Instruction &instruction : header) {
		if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
			auto *from = llvm::dyn_cast<llvm::AllocaInst>(
				const_cast<llvm::Value *>(load->getPointerOperand()));
			if (!from || (variable && variable != from))
				return nullptr;
			variable = from;
		} else if (llvm::isa<llvm::PHINode>(instruction) || instruction.mayHaveSideEffects() ||
			   instruction.mayReadFromMemory()) {
			return nullptr;
		}
	}
	return variable && llvm::isAllocaPromotable(variable) ? variable : nullptr;
}

/* Whether nothing behind the loop has to be told of copies of its blocks. */
bool is_closed(const llvm::Loop &loop)
{
	for (const llvm::BasicBlock *block : loop.blocks()) {
		if (!llvm::isa<llvm::BranchInst>(block->getTerminator()) &&
		    !llvm::isa<llvm::SwitchInst>(block->getTerminator()))
			return false;
		for (const llvm::BasicBlock *next : llvm::successors(block))
			if (!loop.contains(next) && llvm::isa<llvm::PHINode>(next->front()))
				return false;
		for (const llvm::Instruction &instruction : *block) {
			const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
			if (llvm::isa<llvm::AllocaInst>(instruction) || (call && call->cannotDuplicate()))
				return false;
			for (const llvm::User *user : instruction.users())
				if (!loop.contains(llvm::cast<llvm::Instruction>(user)))
					return false;
		}
	}
	return true;
}

/* The values of the counter; none: they are too many, or not known. */
std::vector<llvm::ConstantInt *> count(const llvm::Loop &loop, const fe_counted_loop &found)
{
	const auto *branch = llvm::cast<llvm::BranchInst>(loop.getHeader()->getTerminator());
	const bool stays = loop.contains(branch->getSuccessor(0));
	std::vector<llvm::ConstantInt *> values;
	llvm::ConstantInt *now = stored_before(loop.getLoopPredecessor(), found.counter);
	while (now && values.size() <= FE_MOST_TURNS) {
		const llvm::ConstantInt *condition = evaluate(branch->getCondition(), found.counter, now);
		if (!condition)
			return {};
		values.push_back(now);
		if (condition->isOne() != stays)
			return values;
		now = evaluate(found.step->getValueOperand(), found.counter, now);
	}
	return {};
}

} // namespace

fe_counted_loop fe_count_loop(const llvm::Loop &loop)
{
	fe_counted_loop found;
	const llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
	const auto *branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
	const auto *back = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
	if (!branch || !branch->isConditional() || !back || back->isConditional() || !loop.getLoopPredecessor() ||
	    latch == header || loop.contains(branch->getSuccessor(0)) == loop.contains(branch->getSuccessor(1)))
		return found;
	llvm::AllocaInst *counter = read_at_start(*header);
	found.step = counter ? only_store(loop, counter) : nullptr;
	if (!found.step || found.step->getParent() != latch || !is_closed(loop))
		return found;
	found.counter = counter;
	found.values = count(loop, found);
	if (found.values.size() < 2)
		found.counter = nullptr;
	return found;
}

llvm::ConstantInt *fe_fold_integers(const llvm::Instruction &instruction)
{
	operands values{};
	const unsigned number = instruction.getNumOperands();
	if (number < 1 || number > 2)
		return nullptr;
	for (unsigned i = 0; i < number; i++)
		if (!(values[i] = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(i))))
			return nullptr;
	return fold(instruction, values);
}
