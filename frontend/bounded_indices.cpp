#include "config.h"

#include "frontend/bounded_indices.h"

#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

namespace {

/* Of a value, taken as a number without sign. */
constexpr uint64_t no_bound = UINT64_MAX;

uint64_t most_of(const llvm::Type *type)
{
	const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
	return bits >= 64 ? no_bound : (UINT64_C(1) << bits) - 1;
}

/* The largest local id in a dimension, if the kernel requires a size and no other kernel calls it. */
uint64_t largest_local_id(const llvm::CallInst &call)
{
	const llvm::Function *function = call.getFunction(), *callee = call.getCalledFunction();
	const llvm::MDNode *sizes = function->getMetadata("reqd_work_group_size");
	if (!sizes || !function->use_empty() || !callee || callee->getName() != "_Z12get_local_idj")
		return no_bound;
	const auto *dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
	if (!dimension || dimension->getZExtValue() >= sizes->getNumOperands())
		return no_bound;
	const auto *size = llvm::mdconst::dyn_extract<llvm::ConstantInt>(
		sizes->getOperand((unsigned)dimension->getZExtValue()));
	return size && !size->isZero() ? size->getZExtValue() - 1 : no_bound;
}

uint64_t bound_of(const llvm::Value *value, unsigned depth);

/* Of an operation on numbers that are at most a and b; may be more than fits. */
uint64_t combined(const llvm::BinaryOperator &operation, uint64_t a, uint64_t b)
{
	const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
	const uint64_t by = constant && constant->getBitWidth() <= 64 ? constant->getZExtValue() : 0;
	switch (operation.getOpcode()) {
	case llvm::Instruction::And:
		return std::min(a, b);
	case llvm::Instruction::URem:
		return by ? std::min(a, by - 1) : a;
	case llvm::Instruction::UDiv:
		return by ? a / by : a;
	case llvm::Instruction::LShr:
		return by < 64 ? a >> by : a;
	case llvm::Instruction::Add:
		return a > no_bound - b ? no_bound : a + b;
	case llvm::Instruction::Mul:
		return b && a > no_bound / b ? no_bound : a * b;
	case llvm::Instruction::Shl:
		return constant && by < 64 && a <= no_bound >> by ? a << by : no_bound;
	default:
		return no_bound;
	}
}

/* The largest value that an instruction can have. */
uint64_t bound_of_operation(const llvm::Instruction &instruction, unsigned depth)
{
	const llvm::Type *type = instruction.getType();
	if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
		return largest_local_id(*call);
	if (const auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
		const uint64_t bound = combined(*operation, bound_of(operation->getOperand(0), depth),
						bound_of(operation->getOperand(1), depth));
		return bound <= most_of(type) ? bound : no_bound;
	}
	if (!llvm::isa<llvm::CastInst>(instruction))
		return no_bound;
	const llvm::Value *from = instruction.getOperand(0);
	const uint64_t bound = from->getType()->isIntegerTy() ? bound_of(from, depth) : no_bound;
	if (llvm::isa<llvm::ZExtInst>(instruction) ||
	    (llvm::isa<llvm::TruncInst>(instruction) && bound <= most_of(type)) ||
	    (llvm::isa<llvm::SExtInst>(instruction) && bound <= most_of(from->getType()) / 2))
		return bound;
	return no_bound;
}

uint64_t bound_of(const llvm::Value *value, unsigned depth)
{
	const llvm::Type *type = value->getType();
	if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64)
		return no_bound;
	if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
		return constant->getZExtValue();
	const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
	const uint64_t found = instruction && depth ? bound_of_operation(*instruction, depth - 1) : no_bound;
	return std::min(found, most_of(type));
}

} // namespace

bool fe_decides_note(const llvm::Instruction &comparison)
{
	for (const llvm::User *user : comparison.users()) {
		const auto *branch = llvm::dyn_cast<llvm::BranchInst>(user);
		if (!branch || !branch->isConditional())
			continue;
		const auto *call = llvm::dyn_cast<llvm::CallBase>(&branch->getSuccessor(1)->front());
		const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
		if (callee && callee->getName() == FE_INDEX_HANDLER)
			return true;
	}
	return false;
}

bool fe_decide_bounded_indices(llvm::Function &function)
{
	constexpr unsigned most_operations = 8;
	bool found = false;
	for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
		auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
		const auto *count = comparison ? llvm::dyn_cast<llvm::ConstantInt>(comparison->getOperand(1)) : nullptr;
		if (!count || count->getBitWidth() > 64 || comparison->getPredicate() != llvm::ICmpInst::ICMP_ULT ||
		    !fe_decides_note(*comparison) ||
		    bound_of(comparison->getOperand(0), most_operations) >= count->getZExtValue())
			continue;
		comparison->replaceAllUsesWith(llvm::ConstantInt::getTrue(function.getContext()));
		comparison->eraseFromParent();
		found = true;
	}
	if (!found)
		return false;
	for (llvm::BasicBlock &block : function)
		llvm::ConstantFoldTerminator(&block);
	return true;
}
