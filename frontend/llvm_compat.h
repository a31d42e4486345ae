/* Functions that LLVM's C interface lacks before version 22, most of them before 18, with the names that they have
 * since then.  Empty for LLVM 22 and newer.  Thread-safety: as LLVM's. */
#ifndef CULVERT_FRONTEND_LLVM_COMPAT_H
#define CULVERT_FRONTEND_LLVM_COMPAT_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 22

/* Returns the value of a case of a switch by the number of its successor, from 1 on; successor 0 is the
 * default. */
static inline LLVMValueRef fe_compat_case_value(LLVMValueRef choice, unsigned successor)
{
	return LLVMGetOperand(choice, 2 * successor);
}
#define LLVMGetSwitchCaseValue fe_compat_case_value

#endif

#if LLVM_VERSION_MAJOR < 18

#include <stddef.h>
#include <stdint.h>

enum {
	LLVMFastMathAllowReassoc = 1,
	LLVMFastMathNoNaNs = 2,
	LLVMFastMathNoInfs = 4,
	LLVMFastMathNoSignedZeros = 8,
	LLVMFastMathAllowReciprocal = 16,
	LLVMFastMathAllowContract = 32,
	LLVMFastMathApproxFunc = 64,
	LLVMFastMathAll = 127
};
typedef unsigned LLVMFastMathFlags;

/* Gives these functions names of our own, because LLVM 17 has some of them. */
#define LLVMCanValueUseFastMathFlags fe_compat_can_use_fast_math
#define LLVMGetFastMathFlags fe_compat_fast_math
#define LLVMGetNUW fe_compat_nuw
#define LLVMGetNSW fe_compat_nsw
#define LLVMGetExact fe_compat_exact
#define LLVMGetArrayLength2 fe_compat_array_length
#define LLVMGetInlineAsmAsmString fe_compat_asm_text
#define LLVMGetInlineAsmConstraintString fe_compat_asm_constraints
#define LLVMGetInlineAsmHasSideEffects fe_compat_asm_has_side_effects
#define LLVMSetFastMathFlags fe_compat_set_fast_math
#define LLVMSetNUW fe_compat_set_nuw
#define LLVMSetNSW fe_compat_set_nsw
#define LLVMArrayType2 fe_compat_array_type
#define LLVMConstArray2 fe_compat_array

#ifdef __cplusplus
extern "C" {
#endif

LLVMBool fe_compat_can_use_fast_math(LLVMValueRef instruction);
LLVMFastMathFlags fe_compat_fast_math(LLVMValueRef instruction);
LLVMBool fe_compat_nuw(LLVMValueRef instruction);
LLVMBool fe_compat_nsw(LLVMValueRef instruction);
LLVMBool fe_compat_exact(LLVMValueRef instruction);
uint64_t fe_compat_array_length(LLVMTypeRef type);
const char *fe_compat_asm_text(LLVMValueRef code, size_t *size_B_out);
const char *fe_compat_asm_constraints(LLVMValueRef code, size_t *size_B_out);
LLVMBool fe_compat_asm_has_side_effects(LLVMValueRef code);
void fe_compat_set_fast_math(LLVMValueRef instruction, LLVMFastMathFlags flags);
void fe_compat_set_nuw(LLVMValueRef instruction, LLVMBool set);
void fe_compat_set_nsw(LLVMValueRef instruction, LLVMBool set);
LLVMTypeRef fe_compat_array_type(LLVMTypeRef element, uint64_t length);
LLVMValueRef fe_compat_array(LLVMTypeRef element, LLVMValueRef *parts, uint64_t length);

#ifdef __cplusplus
}
#endif

#endif
#endif
