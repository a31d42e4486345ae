#include "config.h"

#include "frontend/lower.h"

#include <stdio.h>

/* Half precision for a libnvvm that has no type for it, as that of CUDA 12.4 and older.  The printer writes i16 where a
 * type is half, and here the instructions that compute with halves become inline PTX, whose operands and result are
 * integers.  Instructions that only move halves stay. */

enum { MOST_OPERANDS = 3, NAME_MAX_B = 16 };

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool is_half(LLVMTypeRef type)
{
	return LLVMGetTypeKind(scalar_of(type)) == LLVMHalfTypeKind;
}

/* One instruction of PTX.  The operands are changed. */
static LLVMValueRef build_ptx(struct lowering *lowering, const char *name, LLVMTypeRef type,
			      LLVMValueRef *operands, unsigned count)
{
	LLVMTypeRef bits = LLVMInt16TypeInContext(lowering->context), types[MOST_OPERANDS];
	char text[NAME_MAX_B + sizeof(" $0, $1, $2, $3;")];
	char constraints[sizeof("=h,h,h,h")];
	int text_B = snprintf(text, sizeof(text), "%s $0", name);
	int constraints_B = snprintf(constraints, sizeof(constraints), "=%c", fe_ptx_register(type));
	for (unsigned o = 0; o < count; o++) {
		if (is_half(LLVMTypeOf(operands[o])))
			operands[o] = LLVMBuildBitCast(lowering->builder, operands[o], bits, "");
		types[o] = LLVMTypeOf(operands[o]);
		text_B += snprintf(text + text_B, sizeof(text) - (size_t)text_B, ", $%u", o + 1);
		constraints_B += snprintf(constraints + constraints_B,
					  sizeof(constraints) - (size_t)constraints_B, ",%c",
					  fe_ptx_register(types[o]));
	}
	text[text_B++] = ';';
	LLVMTypeRef function =
		LLVMFunctionType(is_half(type) ? bits : type, types, count, false);
	LLVMValueRef code = LLVMGetInlineAsm(function, text, (size_t)text_B, constraints,
					     (size_t)constraints_B, false, false,
					     LLVMInlineAsmDialectATT, false);
	LLVMValueRef result = LLVMBuildCall2(lowering->builder, function, code, operands, count, "");
	return is_half(type) ? LLVMBuildBitCast(lowering->builder, result, type, "") : result;
}

static LLVMValueRef build_float(struct lowering *lowering, LLVMValueRef half)
{
	return build_ptx(lowering, "cvt.f32.f16", LLVMFloatTypeInContext(lowering->context), &half,
			 1);
}

static LLVMValueRef build_negation(struct lowering *lowering, LLVMValueRef half)
{
	enum { SIGN = 0x8000 };
	LLVMTypeRef bits = LLVMInt16TypeInContext(lowering->context);
	LLVMValueRef value = LLVMBuildBitCast(lowering->builder, half, bits, "");
	value = LLVMBuildXor(lowering->builder, value, LLVMConstInt(bits, SIGN, 0), "");
	return LLVMBuildBitCast(lowering->builder, value, LLVMTypeOf(half), "");
}

/* PTX converts integers of at least 16 bits; inline PTX has no operands of 8. */
static LLVMValueRef build_from_integer(struct lowering *lowering, LLVMOpcode opcode,
				       LLVMTypeRef half, LLVMValueRef value)
{
	bool is_signed = opcode == LLVMSIToFP;
	bool is_wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32;
	LLVMTypeRef type = LLVMIntTypeInContext(lowering->context, is_wide ? 64 : 32);
	char name[NAME_MAX_B];
	snprintf(name, sizeof(name), "cvt.rn.f16.%c%u", is_signed ? 's' : 'u', is_wide ? 64 : 32);
	value = is_signed ? LLVMBuildSExtOrBitCast(lowering->builder, value, type, "")
			  : LLVMBuildZExtOrBitCast(lowering->builder, value, type, "");
	return build_ptx(lowering, name, half, &value, 1);
}

/* The instruction for scalars: these operands, and a result of this type. */
static LLVMValueRef build_scalar(struct lowering *lowering, LLVMValueRef i, LLVMTypeRef type,
				 LLVMValueRef *operands)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMBuilderRef builder = lowering->builder;
	bool is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind ||
			 LLVMGetTypeKind(LLVMTypeOf(operands[0])) == LLVMDoubleTypeKind;
	switch (opcode) {
	case LLVMFAdd:
		return build_ptx(lowering, "add.rn.f16", type, operands, 2);
	case LLVMFSub:
		return build_ptx(lowering, "sub.rn.f16", type, operands, 2);
	case LLVMFMul:
		return build_ptx(lowering, "mul.rn.f16", type, operands, 2);
	case LLVMFNeg:
		return build_negation(lowering, operands[0]);
	case LLVMFPExt:
		return build_ptx(lowering, is_double ? "cvt.f64.f16" : "cvt.f32.f16", type,
				 operands, 1);
	case LLVMFPTrunc:
		return build_ptx(lowering, is_double ? "cvt.rn.f16.f64" : "cvt.rn.f16.f32", type,
				 operands, 1);
	case LLVMSIToFP:
	case LLVMUIToFP:
		return build_from_integer(lowering, opcode, type, operands[0]);
	case LLVMFPToSI:
	case LLVMFPToUI:
		return LLVMBuildCast(builder, opcode, build_float(lowering, operands[0]), type, "");
	case LLVMFCmp:
		return LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(i),
				     build_float(lowering, operands[0]),
				     build_float(lowering, operands[1]), "");
	default:
		return build_ptx(lowering, "fma.rn.f16", type, operands, 3);
	}
}

/* fmuladd leaves open whether there are two roundings or one. */
static bool is_fused(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i);
	size_t size_B;
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size_B) : "";
	return fe_intrinsic_is(name, "llvm.fma") || fe_intrinsic_is(name, "llvm.fmuladd");
}

/* How many operands of a half or an integer the instruction computes with; 0: it only moves values, or has nothing to
 * do with halves. */
static unsigned operand_count(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFCmp:
		return is_half(LLVMTypeOf(LLVMGetOperand(i, 0))) ? 2 : 0;
	case LLVMFNeg:
	case LLVMFPExt:
	case LLVMFPToSI:
	case LLVMFPToUI:
		return is_half(LLVMTypeOf(LLVMGetOperand(i, 0))) ? 1 : 0;
	case LLVMFPTrunc:
	case LLVMSIToFP:
	case LLVMUIToFP:
		return is_half(LLVMTypeOf(i)) ? 1 : 0;
	case LLVMCall:
		return is_half(LLVMTypeOf(i)) && is_fused(i) ? 3 : 0;
	default:
		return 0;
	}
}

static LLVMValueRef build_instead(struct lowering *lowering, LLVMValueRef i, unsigned count)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(i), number = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef operands[MOST_OPERANDS];
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMValueRef result = is_vector ? LLVMGetUndef(type) : NULL;
	for (unsigned e = 0; e < (is_vector ? LLVMGetVectorSize(type) : 1); e++) {
		LLVMValueRef at = LLVMConstInt(number, e, 0);
		for (unsigned o = 0; o < count; o++) {
			operands[o] = LLVMGetOperand(i, o);
			if (is_vector)
				operands[o] = LLVMBuildExtractElement(builder, operands[o], at, "");
		}
		LLVMValueRef part = build_scalar(lowering, i, scalar_of(type), operands);
		result = is_vector ? LLVMBuildInsertElement(builder, result, part, at, "") : part;
	}
	return result;
}

static void lower_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		unsigned count = operand_count(i);
		if (!count)
			continue;
		LLVMPositionBuilderBefore(lowering->builder, i);
		LLVMReplaceAllUsesWith(i, build_instead(lowering, i, count));
		LLVMInstructionEraseFromParent(i);
	}
}

enum fe_status fe_lower_half_bits(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block))
			lower_block(lowering, block);
	}
	return FE_OK;
}
