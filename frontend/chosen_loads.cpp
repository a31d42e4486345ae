#include "config.h"

#include "frontend/module.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

namespace {

/* The value is if_true if condition holds, otherwise if_false. */
struct choice {
	llvm::Value *condition = nullptr, *if_true = nullptr, *if_false = nullptr;
};

/* The only block before one whose instructions may also be executed there; nullptr if it has other instructions or
 * other predecessors. */
llvm::BasicBlock *block_before(llvm::BasicBlock *block)
{
	auto *end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
	if (!end || !end->isUnconditional())
		return nullptr;
	for (const llvm::Instruction &instruction : *block)
		if (&instruction != end && !llvm::isSafeToSpeculativelyExecute(&instruction))
			return nullptr;
	return block->getSinglePredecessor();
}

void move_to_end(llvm::BasicBlock *from, llvm::BasicBlock *to)
{
	while (&from->front() != from->getTerminator())
		from->front().moveBefore(*to, to->getTerminator()->getIterator());
}

/* Reads the phi that Clang makes of "c ? a : b".  Both values are then computed before the branch. */
bool read_phi(llvm::PHINode *phi, choice &chosen)
{
	if (phi->getNumIncomingValues() != 2)
		return false;
	llvm::BasicBlock *first = phi->getIncomingBlock(0), *second = phi->getIncomingBlock(1),
			 *head = block_before(first);
	if (!head || head != block_before(second))
		return false;
	auto *branch = llvm::dyn_cast<llvm::BranchInst>(head->getTerminator());
	if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
		return false;
	move_to_end(first, head);
	move_to_end(second, head);
	unsigned is_true = branch->getSuccessor(0) == first ? 0 : 1;
	chosen.condition = branch->getCondition();
	chosen.if_true = phi->getIncomingValue(is_true);
	chosen.if_false = phi->getIncomingValue(1 - is_true);
	return true;
}

bool read_choice(llvm::Instruction *merge, choice &chosen)
{
	if (auto *phi = llvm::dyn_cast<llvm::PHINode>(merge))
		return read_phi(phi, chosen);
	auto *select = llvm::dyn_cast<llvm::SelectInst>(merge);
	if (!select || !select->getCondition()->getType()->isIntegerTy(1))
		return false;
	chosen.condition = select->getCondition();
	chosen.if_true = select->getTrueValue();
	chosen.if_false = select->getFalseValue();
	return true;
}

/* Only loads of numbers are replaced: for a loaded pointer nobody would find out where the chosen one points. */
bool is_load_of_number(const llvm::User *user)
{
	auto *load = llvm::dyn_cast<llvm::LoadInst>(user);
	return load && load->isSimple() &&
	       (load->getType()->isIntOrIntVectorTy() || load->getType()->isFPOrFPVectorTy());
}

llvm::Value *load_from(llvm::LoadInst *load, llvm::Value *pointer, llvm::Instruction *before)
{
	llvm::Instruction *own = llvm::IRBuilder<>(before).Insert(load->clone());
	own->setOperand(0, pointer);
	return own;
}

void part(llvm::LoadInst *load, const choice &chosen)
{
	llvm::Instruction *then_end = nullptr, *else_end = nullptr;
	llvm::SplitBlockAndInsertIfThenElse(chosen.condition, load, &then_end, &else_end);
	llvm::IRBuilder<> builder(load);
	llvm::PHINode *value = builder.CreatePHI(load->getType(), 2);
	value->addIncoming(load_from(load, chosen.if_true, then_end), then_end->getParent());
	value->addIncoming(load_from(load, chosen.if_false, else_end), else_end->getParent());
	load->replaceAllUsesWith(value);
	load->eraseFromParent();
}

} // namespace

bool fe_module_part_loads(LLVMValueRef merge)
{
	auto *pointer = llvm::unwrap<llvm::Instruction>(merge);
	choice chosen;
	std::vector<llvm::LoadInst *> loads;
	for (llvm::User *user : pointer->users()) {
		if (!is_load_of_number(user))
			return false;
		loads.push_back(llvm::cast<llvm::LoadInst>(user));
	}
	if (!read_choice(pointer, chosen))
		return false;
	for (llvm::LoadInst *load : loads)
		part(load, chosen);
	pointer->eraseFromParent();
	return true;
}
