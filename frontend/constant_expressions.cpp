#include "config.h"

#include "frontend/module.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/NoFolder.h>

namespace {

/* The constant expressions that remain: LLVM 22 still has them, libnvvm 13.0 reads them for all GPUs, and the printer
 * writes them.  For compute_100 and newer libnvvm refuses all others except insertelement and shufflevector. */
bool is_kept(const llvm::ConstantExpr &expression)
{
	switch (expression.getOpcode()) {
	case llvm::Instruction::Add:
	case llvm::Instruction::Sub:
	case llvm::Instruction::Xor:
	case llvm::Instruction::Trunc:
	case llvm::Instruction::PtrToInt:
	case llvm::Instruction::IntToPtr:
	case llvm::Instruction::BitCast:
	case llvm::Instruction::AddrSpaceCast:
	case llvm::Instruction::GetElementPtr:
	case llvm::Instruction::ExtractElement:
		return true;
	default:
		return false;
	}
}

/* Whether the constant is an expression that does not remain, or contains one. */
bool has_expression(const llvm::Value *value)
{
	if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(value))
		if (!is_kept(*expression))
			return true;
	if (!llvm::isa<llvm::ConstantExpr>(value) && !llvm::isa<llvm::ConstantAggregate>(value))
		return false;
	return llvm::any_of(llvm::cast<llvm::User>(value)->operand_values(), has_expression);
}

/* LLVM's usual builder would make constant expressions again. */
using exact_builder = llvm::IRBuilder<llvm::NoFolder>;

/* Puts the parts into a vector, struct or array, one after the other. */
llvm::Value *combine(const llvm::ConstantAggregate &aggregate, exact_builder &builder)
{
	llvm::Value *result = llvm::UndefValue::get(aggregate.getType());
	for (unsigned i = 0; i < aggregate.getNumOperands(); i++) {
		llvm::Value *part = aggregate.getOperand(i);
		result = aggregate.getType()->isVectorTy() ? builder.CreateInsertElement(result, part, i)
							   : builder.CreateInsertValue(result, part, i);
	}
	return result;
}

/* Returns the value of the constant as the result of instructions before the given one. */
llvm::Value *compute(const llvm::Value *constant, llvm::Instruction *before)
{
	exact_builder builder(before);
	if (auto *aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(constant))
		return combine(*aggregate, builder);
	return builder.Insert(llvm::cast<llvm::ConstantExpr>(constant)->getAsInstruction());
}

llvm::Instruction *place_of(llvm::Use &use)
{
	auto *user = llvm::cast<llvm::Instruction>(use.getUser());
	auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
	return phi ? phi->getIncomingBlock(use)->getTerminator() : user;
}

/* Replaces the constant that an instruction uses.  A phi that names a block several times must have one value for
 * it. */
void replace(llvm::Use &use, llvm::Value *value)
{
	if (auto *phi = llvm::dyn_cast<llvm::PHINode>(use.getUser()))
		phi->setIncomingValueForBlock(phi->getIncomingBlock(use), value);
	else
		use.set(value);
}

/* The new instructions may use such constants too, and are examined in turn. */
void expand(llvm::Function &function)
{
	llvm::SmallVector<llvm::Instruction *, 64> pending;
	for (llvm::Instruction &instruction : llvm::instructions(function))
		pending.push_back(&instruction);
	while (!pending.empty()) {
		llvm::Instruction *instruction = pending.pop_back_val();
		for (llvm::Use &use : instruction->operands()) {
			if (!has_expression(use))
				continue;
			llvm::Instruction *place = place_of(use);
			llvm::Instruction *last = place->getPrevNode();
			replace(use, compute(use, place));
			for (llvm::Instruction *made = place->getPrevNode(); made != last; made = made->getPrevNode())
				pending.push_back(made);
		}
	}
}

} // namespace

void fe_module_expand_constants(LLVMModuleRef module)
{
	for (llvm::Function &function : *llvm::unwrap(module))
		expand(function);
}
