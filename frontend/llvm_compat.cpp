#include "config.h"

#include "frontend/llvm_compat.h"

#if LLVM_VERSION_MAJOR < 18

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

LLVMBool fe_compat_can_use_fast_math(LLVMValueRef instruction)
{
	return isa<FPMathOperator>(unwrap(instruction));
}

LLVMFastMathFlags fe_compat_fast_math(LLVMValueRef instruction)
{
	FastMathFlags flags = cast<FPMathOperator>(unwrap(instruction))->getFastMathFlags();
	return (flags.allowReassoc() ? LLVMFastMathAllowReassoc : 0) |
	       (flags.noNaNs() ? LLVMFastMathNoNaNs : 0) |
	       (flags.noInfs() ? LLVMFastMathNoInfs : 0) |
	       (flags.noSignedZeros() ? LLVMFastMathNoSignedZeros : 0) |
	       (flags.allowReciprocal() ? LLVMFastMathAllowReciprocal : 0) |
	       (flags.allowContract() ? LLVMFastMathAllowContract : 0) |
	       (flags.approxFunc() ? LLVMFastMathApproxFunc : 0);
}

LLVMBool fe_compat_nuw(LLVMValueRef instruction)
{
	return cast<OverflowingBinaryOperator>(unwrap(instruction))->hasNoUnsignedWrap();
}

LLVMBool fe_compat_nsw(LLVMValueRef instruction)
{
	return cast<OverflowingBinaryOperator>(unwrap(instruction))->hasNoSignedWrap();
}

LLVMBool fe_compat_exact(LLVMValueRef instruction)
{
	return cast<PossiblyExactOperator>(unwrap(instruction))->isExact();
}

uint64_t fe_compat_array_length(LLVMTypeRef type)
{
	return cast<ArrayType>(unwrap(type))->getNumElements();
}

const char *fe_compat_asm_text(LLVMValueRef code, size_t *size_B_out)
{
	const std::string &text = cast<InlineAsm>(unwrap(code))->getAsmString();
	*size_B_out = text.size();
	return text.c_str();
}

const char *fe_compat_asm_constraints(LLVMValueRef code, size_t *size_B_out)
{
	const std::string &text = cast<InlineAsm>(unwrap(code))->getConstraintString();
	*size_B_out = text.size();
	return text.c_str();
}

LLVMBool fe_compat_asm_has_side_effects(LLVMValueRef code)
{
	return cast<InlineAsm>(unwrap(code))->hasSideEffects();
}

void fe_compat_set_fast_math(LLVMValueRef instruction, LLVMFastMathFlags flags)
{
	FastMathFlags set;
	set.setAllowReassoc(flags & LLVMFastMathAllowReassoc);
	set.setNoNaNs(flags & LLVMFastMathNoNaNs);
	set.setNoInfs(flags & LLVMFastMathNoInfs);
	set.setNoSignedZeros(flags & LLVMFastMathNoSignedZeros);
	set.setAllowReciprocal(flags & LLVMFastMathAllowReciprocal);
	set.setAllowContract(flags & LLVMFastMathAllowContract);
	set.setApproxFunc(flags & LLVMFastMathApproxFunc);
	cast<Instruction>(unwrap(instruction))->setFastMathFlags(set);
}

void fe_compat_set_nuw(LLVMValueRef instruction, LLVMBool set)
{
	cast<Instruction>(unwrap(instruction))->setHasNoUnsignedWrap(set);
}

void fe_compat_set_nsw(LLVMValueRef instruction, LLVMBool set)
{
	cast<Instruction>(unwrap(instruction))->setHasNoSignedWrap(set);
}

LLVMTypeRef fe_compat_array_type(LLVMTypeRef element, uint64_t length)
{
	return wrap(ArrayType::get(unwrap(element), length));
}

LLVMValueRef fe_compat_array(LLVMTypeRef element, LLVMValueRef *parts, uint64_t length)
{
	ArrayType *type = ArrayType::get(unwrap(element), length);
	return wrap(ConstantArray::get(type, ArrayRef<Constant *>(unwrap<Constant>(parts, length), length)));
}

#endif
