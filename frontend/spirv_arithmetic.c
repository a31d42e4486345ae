/* Arithmetic, comparisons and logic (SPIR-V 1.6, 3.49.13 to 3.49.15). */
#include "config.h"

#include "frontend/spirv_call.h"

#include "frontend/llvm_compat.h"

#include <inttypes.h>

/* Two operands of the result's type; false with a message. */
static bool two_operands(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef *a,
			 LLVMValueRef *b)
{
	*a = spirv_value_of(reader, op->words[3], op->type->value);
	*b = *a ? spirv_value_of(reader, op->words[4], op->type->value) : NULL;
	return *b != NULL;
}

static bool is_class(struct spirv_reader *reader, const struct spirv_type *type, enum spirv_class class)
{
	return type->class == class ||
	       spirv_fail(reader, class == SPIRV_INT ? "the operands are no integers"
			  : class == SPIRV_FLOAT     ? "the operands are no floating-point numbers"
						     : "the operands are no bools");
}

/* --- arithmetic --------------------------------------------------------------------------------------------- */

static LLVMValueRef set_wrapping(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef value)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, op->result);
	const LLVMOpcode code = (LLVMOpcode)op->detail;
	const bool can = code == LLVMAdd || code == LLVMSub || code == LLVMMul || code == LLVMShl;
	if (can && LLVMIsAInstruction(value) && facts->no_signed_wrap)
		LLVMSetNSW(value, true);
	if (can && LLVMIsAInstruction(value) && facts->no_unsigned_wrap)
		LLVMSetNUW(value, true);
	return value;
}

static bool build_integers(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a, b;
	if (!is_class(reader, op->type, SPIRV_INT) || !two_operands(reader, op, &a, &b))
		return false;
	LLVMValueRef value = LLVMBuildBinOp(reader->builder, (LLVMOpcode)op->detail, a, b, "");
	return spirv_define(reader, op, set_wrapping(reader, op, value));
}

static bool build_reals(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a, b;
	if (!is_class(reader, op->type, SPIRV_FLOAT) || !two_operands(reader, op, &a, &b))
		return false;
	LLVMValueRef value = LLVMBuildBinOp(reader->builder, (LLVMOpcode)op->detail, a, b, "");
	return spirv_define(reader, op, spirv_fast(reader, op->result, value));
}

/* The number of places may have another width than what is shifted. */
static bool build_shift(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[4]);
	LLVMValueRef a = spirv_value_of(reader, op->words[3], op->type->value);
	LLVMValueRef b = a && type ? spirv_value(reader, op->words[4]) : NULL;
	if (!b || !is_class(reader, op->type, SPIRV_INT) || !is_class(reader, type, SPIRV_INT))
		return false;
	if (type->lanes != op->type->lanes)
		return spirv_fail(reader, "the operands have different numbers of elements");
	if (type->bits < op->type->bits)
		b = LLVMBuildZExt(reader->builder, b, op->type->value, "");
	else if (type->bits > op->type->bits)
		b = LLVMBuildTrunc(reader->builder, b, op->type->value, "");
	LLVMValueRef value = LLVMBuildBinOp(reader->builder, (LLVMOpcode)op->detail, a, b, "");
	return spirv_define(reader, op, set_wrapping(reader, op, value));
}

static bool build_negation(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a = spirv_value_of(reader, op->words[3], op->type->value);
	if (!a || !is_class(reader, op->type, op->op == SpvOpFNegate ? SPIRV_FLOAT : SPIRV_INT))
		return false;
	if (op->op == SpvOpFNegate)
		a = spirv_fast(reader, op->result, LLVMBuildFNeg(reader->builder, a, ""));
	else
		a = op->op == SpvOpSNegate ? LLVMBuildNeg(reader->builder, a, "")
					   : LLVMBuildNot(reader->builder, a, "");
	return spirv_define(reader, op, a);
}

/* --- remainders --------------------------------------------------------------------------------------------------- */

/* The remainder with the dividend's sign. */
static LLVMValueRef build_fmod(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef a,
			       LLVMValueRef b)
{
	const struct spirv_argument arguments[] = {spirv_by_value(op->type, a, true),
						   spirv_by_value(op->type, b, true)};
	if (LLVMIsConstant(a) && LLVMIsConstant(b))
		return LLVMBuildFRem(reader->builder, a, b, "");
	LLVMValueRef value = spirv_call(reader, "fmod", op->type->value, arguments, 2);
	return value ? spirv_fast(reader, op->result, value) : NULL;
}

/* Whether the remainder is not 0 and has another sign than the divisor, in each lane. */
static LLVMValueRef is_of_other_sign(struct spirv_reader *reader, const struct spirv_type *type,
				     LLVMValueRef remainder, LLVMValueRef divisor)
{
	LLVMBuilderRef builder = reader->builder;
	LLVMTypeRef bits = spirv_vector(spirv_int(reader, type->bits), type->lanes);
	LLVMValueRef nonzero;
	if (type->class == SPIRV_FLOAT)
		nonzero = LLVMBuildFCmp(builder, LLVMRealONE, remainder, LLVMConstNull(type->value), "");
	else
		nonzero = LLVMBuildICmp(builder, LLVMIntNE, remainder, LLVMConstNull(type->value), "");
	LLVMValueRef mixed = LLVMBuildXor(builder, LLVMBuildBitCast(builder, remainder, bits, ""),
					  LLVMBuildBitCast(builder, divisor, bits, ""), "");
	LLVMValueRef other = LLVMBuildICmp(builder, LLVMIntSLT, mixed, LLVMConstNull(bits), "");
	return LLVMBuildAnd(builder, nonzero, other, "");
}

/* OpSMod and OpFMod: the remainder with the divisor's sign; OpFRem. */
static bool build_remainder(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool is_real = op->op != SpvOpSMod;
	LLVMBuilderRef builder = reader->builder;
	LLVMValueRef a, b;
	if (!is_class(reader, op->type, is_real ? SPIRV_FLOAT : SPIRV_INT) ||
	    !two_operands(reader, op, &a, &b))
		return false;
	LLVMValueRef rest = is_real ? build_fmod(reader, op, a, b) : LLVMBuildSRem(builder, a, b, "");
	if (!rest || op->op == SpvOpFRem)
		return spirv_define(reader, op, rest);
	LLVMValueRef other = is_of_other_sign(reader, op->type, rest, b);
	LLVMValueRef sum = is_real ? LLVMBuildFAdd(builder, rest, b, "") : LLVMBuildAdd(builder, rest, b, "");
	return spirv_define(reader, op, LLVMBuildSelect(builder, other, sum, rest, ""));
}

/* --- vectors ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef splat(struct spirv_reader *reader, LLVMValueRef scalar, LLVMTypeRef vector)
{
	LLVMTypeRef index = spirv_int(reader, 32);
	LLVMValueRef first = LLVMBuildInsertElement(reader->builder, LLVMGetUndef(vector), scalar,
						    LLVMConstNull(index), "");
	return LLVMBuildShuffleVector(reader->builder, first, LLVMGetUndef(vector),
				      LLVMConstNull(LLVMVectorType(index, LLVMGetVectorSize(vector))), "");
}

static bool build_times_scalar(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a = spirv_value_of(reader, op->words[3], op->type->value);
	if (!a || !is_class(reader, op->type, SPIRV_FLOAT))
		return false;
	if (op->type->lanes == 1)
		return spirv_fail(reader, "the operand is no vector");
	LLVMValueRef b = spirv_value_of(reader, op->words[4], op->type->element->value);
	if (!b)
		return false;
	LLVMValueRef value = LLVMBuildFMul(reader->builder, a, splat(reader, b, op->type->value), "");
	return spirv_define(reader, op, spirv_fast(reader, op->result, value));
}

/* OpenCL C has dot products of up to four elements. */
static bool build_dot(struct spirv_reader *reader, const struct spirv_op *op)
{
	enum { MOST_LANES = 4 };
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef a = type ? spirv_value(reader, op->words[3]) : NULL;
	LLVMValueRef b = a ? spirv_value_of(reader, op->words[4], type->value) : NULL;
	if (!b || !is_class(reader, type, SPIRV_FLOAT))
		return false;
	if (type->lanes == 1 || op->type->value != type->element->value)
		return spirv_fail(reader, "the operands are no vectors of the result's type");
	if (type->lanes <= MOST_LANES) {
		const struct spirv_argument arguments[] = {spirv_by_value(type, a, true),
							   spirv_by_value(type, b, true)};
		LLVMValueRef value = spirv_call(reader, "dot", op->type->value, arguments, 2);
		return value && spirv_define(reader, op, spirv_fast(reader, op->result, value));
	}
	LLVMValueRef products = spirv_fast(reader, op->result, LLVMBuildFMul(reader->builder, a, b, ""));
	LLVMValueRef sum = NULL;
	for (unsigned i = 0; i < type->lanes; i++) {
		LLVMValueRef product = LLVMBuildExtractElement(reader->builder, products,
							       spirv_number(reader, 32, i), "");
		sum = sum ? spirv_fast(reader, op->result, LLVMBuildFAdd(reader->builder, sum, product, ""))
			  : product;
	}
	return spirv_define(reader, op, sum);
}

/* --- pairs ----------------------------------------------------------------------------------------------------------- */

static LLVMValueRef high_product(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef a,
				 LLVMValueRef b, bool is_signed)
{
	const struct spirv_argument arguments[] = {spirv_by_value(type, a, is_signed),
						   spirv_by_value(type, b, is_signed)};
	return spirv_call(reader, "mul_hi", type->value, arguments, 2);
}

/* What goes into the second part of the result; low: the first. */
static LLVMValueRef second_part(struct spirv_reader *reader, const struct spirv_op *op,
				const struct spirv_type *type, LLVMValueRef a, LLVMValueRef b,
				LLVMValueRef low)
{
	LLVMValueRef carries;
	switch (op->op) {
	case SpvOpUMulExtended: return high_product(reader, type, a, b, false);
	case SpvOpSMulExtended: return high_product(reader, type, a, b, true);
	case SpvOpIAddCarry: carries = LLVMBuildICmp(reader->builder, LLVMIntULT, low, a, ""); break;
	default: carries = LLVMBuildICmp(reader->builder, LLVMIntULT, a, b, "");
	}
	return LLVMBuildZExt(reader->builder, carries, type->value, "");
}

/* A struct of two: the low part, and a carry or the high part. */
static bool build_pair(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]), *pair = op->type;
	LLVMValueRef a = type ? spirv_value(reader, op->words[3]) : NULL;
	LLVMValueRef b = a ? spirv_value_of(reader, op->words[4], type->value) : NULL;
	if (!b || !is_class(reader, type, SPIRV_INT))
		return false;
	if (pair->class != SPIRV_STRUCT || pair->part_count != 2 || pair->parts[0]->value != type->value ||
	    pair->parts[1]->value != type->value)
		return spirv_fail(reader, "the result is no struct of two of the operands' type");
	LLVMValueRef low = LLVMBuildBinOp(reader->builder, (LLVMOpcode)op->detail, a, b, "");
	LLVMValueRef second = second_part(reader, op, type, a, b, low);
	if (!second)
		return false;
	LLVMValueRef memory = spirv_alloca(reader, pair->memory, pair->align_B);
	LLVMValueRef place = LLVMBuildStructGEP2(reader->builder, pair->memory, memory, 1, "");
	return spirv_store(reader, type, low, memory, pair->align_B, false) &&
	       spirv_store(reader, type, second, place, 0, false) && spirv_define(reader, op, memory);
}

/* --- comparisons --------------------------------------------------------------------------------------------------------- */

static bool is_result(struct spirv_reader *reader, const struct spirv_op *op, unsigned lanes)
{
	return (op->type->class == SPIRV_BOOL && op->type->lanes == lanes) ||
	       spirv_fail(reader, "the result is not a bool for each element of the operands");
}

/* Operands of any one type, which has a number of lanes. */
static const struct spirv_type *two_alike(struct spirv_reader *reader, const struct spirv_op *op,
					  LLVMValueRef *a, LLVMValueRef *b)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	*a = type ? spirv_value(reader, op->words[3]) : NULL;
	*b = *a ? spirv_value_of(reader, op->words[4], LLVMTypeOf(*a)) : NULL;
	return *b ? type : NULL;
}

/* Translators compare bools and pointers like integers as well. */
static bool compare_integers(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a, b;
	const struct spirv_type *type = two_alike(reader, op, &a, &b);
	if (!type || !is_result(reader, op, type->lanes))
		return false;
	if (type->class != SPIRV_INT && type->class != SPIRV_BOOL && type->class != SPIRV_POINTER)
		return spirv_fail(reader, "the operands are no integers");
	return spirv_define(reader, op, LLVMBuildICmp(reader->builder, (LLVMIntPredicate)op->detail, a, b, ""));
}

/* OpPtrEqual and OpPtrNotEqual; both point into one storage class or one of them is generic. */
static bool compare_pointers(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a = spirv_pointer(reader, op->words[3]);
	LLVMValueRef b = a ? spirv_pointer(reader, op->words[4]) : NULL;
	LLVMTypeRef generic = spirv_ptr(reader, SPIRV_PRIVATE);
	if (!b || !is_result(reader, op, 1))
		return false;
	if (LLVMTypeOf(a) != LLVMTypeOf(b)) {
		a = LLVMBuildPointerCast(reader->builder, a, generic, "");
		b = LLVMBuildPointerCast(reader->builder, b, generic, "");
	}
	return spirv_define(reader, op, LLVMBuildICmp(reader->builder, (LLVMIntPredicate)op->detail, a, b, ""));
}

static bool compare_reals(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a, b;
	const struct spirv_type *type = two_alike(reader, op, &a, &b);
	if (!type || !is_class(reader, type, SPIRV_FLOAT) || !is_result(reader, op, type->lanes))
		return false;
	LLVMValueRef value = LLVMBuildFCmp(reader->builder, (LLVMRealPredicate)op->detail, a, b, "");
	/* Whether numbers are ordered is asked where some may be NaN, whatever the options promise. */
	if (op->op != SpvOpOrdered && op->op != SpvOpUnordered)
		value = spirv_fast(reader, op->result, value);
	return spirv_define(reader, op, value);
}

/* The exponent's bits of a real, and its lowest bit. */
static uint64_t infinity_of(unsigned bits)
{
	return bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
}

static uint64_t least_normal_of(unsigned bits)
{
	return bits == 16 ? 0x0400 : bits == 32 ? 0x00800000 : UINT64_C(0x0010000000000000);
}

/* By the bits, so that options that promise finite numbers do not answer it. */
static bool test_real(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef a = type ? spirv_value(reader, op->words[3]) : NULL;
	LLVMBuilderRef builder = reader->builder;
	if (!a || !is_class(reader, type, SPIRV_FLOAT) || !is_result(reader, op, type->lanes))
		return false;
	LLVMTypeRef word = spirv_vector(spirv_int(reader, type->bits), type->lanes);
	const uint64_t infinity = infinity_of(type->bits), normal = least_normal_of(type->bits);
	LLVMValueRef bits = LLVMBuildBitCast(builder, a, word, "");
	LLVMValueRef size = LLVMBuildAnd(builder, bits,
					 spirv_splat(word, (UINT64_C(1) << (type->bits - 1)) - 1), "");
	LLVMValueRef limit = spirv_splat(word, infinity), value;
	switch (op->op) {
	case SpvOpIsNan: value = LLVMBuildICmp(builder, LLVMIntUGT, size, limit, ""); break;
	case SpvOpIsInf: value = LLVMBuildICmp(builder, LLVMIntEQ, size, limit, ""); break;
	case SpvOpIsFinite: value = LLVMBuildICmp(builder, LLVMIntULT, size, limit, ""); break;
	case SpvOpIsNormal:
		size = LLVMBuildSub(builder, size, spirv_splat(word, normal), "");
		value = LLVMBuildICmp(builder, LLVMIntULT, size, spirv_splat(word, infinity - normal), "");
		break;
	default: value = LLVMBuildICmp(builder, LLVMIntSLT, bits, LLVMConstNull(word), "");
	}
	return spirv_define(reader, op, value);
}

/* --- logic -------------------------------------------------------------------------------------------------------------- */

static bool build_logic(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a, b;
	if (!is_class(reader, op->type, SPIRV_BOOL) || !two_operands(reader, op, &a, &b))
		return false;
	return spirv_define(reader, op, LLVMBuildBinOp(reader->builder, (LLVMOpcode)op->detail, a, b, ""));
}

static bool build_not(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a = spirv_value_of(reader, op->words[3], op->type->value);
	return a && is_class(reader, op->type, SPIRV_BOOL) &&
	       spirv_define(reader, op, LLVMBuildNot(reader->builder, a, ""));
}

/* OpAny and OpAll.  LLVM's back end for SPIR-V asks this of integers as OpenCL C does, by their highest bits. */
static bool build_reduced(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef a = type ? spirv_value(reader, op->words[3]) : NULL, all = NULL;
	if (!a || !is_result(reader, op, 1))
		return false;
	if (type->class == SPIRV_INT)
		a = LLVMBuildICmp(reader->builder, LLVMIntSLT, a, LLVMConstNull(type->value), "");
	else if (!is_class(reader, type, SPIRV_BOOL))
		return false;
	for (unsigned i = 0; i < type->lanes; i++) {
		LLVMValueRef lane = type->lanes == 1 ? a
			: LLVMBuildExtractElement(reader->builder, a, spirv_number(reader, 32, i), "");
		all = all ? LLVMBuildBinOp(reader->builder, (LLVMOpcode)op->detail, all, lane, "") : lane;
	}
	return spirv_define(reader, op, all);
}

static bool build_select(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *asked = spirv_type_of(reader, op->words[3]), *type = op->type;
	LLVMValueRef condition = asked ? spirv_value(reader, op->words[3]) : NULL;
	LLVMValueRef a = condition ? spirv_value_as(reader, op->words[4], type) : NULL;
	LLVMValueRef b = a ? spirv_value_as(reader, op->words[5], type) : NULL;
	if (!b || !is_class(reader, asked, SPIRV_BOOL))
		return false;
	if (spirv_is_aggregate(type)) {
		a = spirv_private(reader, type, a);
		b = a ? spirv_private(reader, type, b) : NULL;
		if (!b)
			return false;
	}
	if (LLVMTypeOf(a) != LLVMTypeOf(b) || (asked->lanes != 1 && asked->lanes != type->lanes))
		return spirv_fail(reader, "the operands are not of one type");
	LLVMValueRef value = LLVMBuildSelect(reader->builder, condition, a, b, "");
	/* libnvvm knows no such flags here: they are not set. */
	return spirv_define(reader, op, value);
}

const struct spirv_row spirv_arithmetic_rows[] = {
	{SpvOpSNegate, 4, 4, 0, build_negation},
	{SpvOpFNegate, 4, 4, 0, build_negation},
	{SpvOpNot, 4, 4, 0, build_negation},
	{SpvOpIAdd, 5, 5, LLVMAdd, build_integers},
	{SpvOpISub, 5, 5, LLVMSub, build_integers},
	{SpvOpIMul, 5, 5, LLVMMul, build_integers},
	{SpvOpUDiv, 5, 5, LLVMUDiv, build_integers},
	{SpvOpSDiv, 5, 5, LLVMSDiv, build_integers},
	{SpvOpUMod, 5, 5, LLVMURem, build_integers},
	{SpvOpSRem, 5, 5, LLVMSRem, build_integers},
	{SpvOpBitwiseOr, 5, 5, LLVMOr, build_integers},
	{SpvOpBitwiseXor, 5, 5, LLVMXor, build_integers},
	{SpvOpBitwiseAnd, 5, 5, LLVMAnd, build_integers},
	{SpvOpShiftRightLogical, 5, 5, LLVMLShr, build_shift},
	{SpvOpShiftRightArithmetic, 5, 5, LLVMAShr, build_shift},
	{SpvOpShiftLeftLogical, 5, 5, LLVMShl, build_shift},
	{SpvOpFAdd, 5, 5, LLVMFAdd, build_reals},
	{SpvOpFSub, 5, 5, LLVMFSub, build_reals},
	{SpvOpFMul, 5, 5, LLVMFMul, build_reals},
	{SpvOpFDiv, 5, 5, LLVMFDiv, build_reals},
	{SpvOpFRem, 5, 5, 0, build_remainder},
	{SpvOpFMod, 5, 5, 0, build_remainder},
	{SpvOpSMod, 5, 5, 0, build_remainder},
	{SpvOpVectorTimesScalar, 5, 5, 0, build_times_scalar},
	{SpvOpDot, 5, 5, 0, build_dot},
	{SpvOpIAddCarry, 5, 5, LLVMAdd, build_pair},
	{SpvOpISubBorrow, 5, 5, LLVMSub, build_pair},
	{SpvOpUMulExtended, 5, 5, LLVMMul, build_pair},
	{SpvOpSMulExtended, 5, 5, LLVMMul, build_pair},
	{SpvOpIEqual, 5, 5, LLVMIntEQ, compare_integers},
	{SpvOpINotEqual, 5, 5, LLVMIntNE, compare_integers},
	{SpvOpUGreaterThan, 5, 5, LLVMIntUGT, compare_integers},
	{SpvOpUGreaterThanEqual, 5, 5, LLVMIntUGE, compare_integers},
	{SpvOpULessThan, 5, 5, LLVMIntULT, compare_integers},
	{SpvOpULessThanEqual, 5, 5, LLVMIntULE, compare_integers},
	{SpvOpSGreaterThan, 5, 5, LLVMIntSGT, compare_integers},
	{SpvOpSGreaterThanEqual, 5, 5, LLVMIntSGE, compare_integers},
	{SpvOpSLessThan, 5, 5, LLVMIntSLT, compare_integers},
	{SpvOpSLessThanEqual, 5, 5, LLVMIntSLE, compare_integers},
	{SpvOpPtrEqual, 5, 5, LLVMIntEQ, compare_pointers},
	{SpvOpPtrNotEqual, 5, 5, LLVMIntNE, compare_pointers},
	{SpvOpFOrdEqual, 5, 5, LLVMRealOEQ, compare_reals},
	{SpvOpFUnordEqual, 5, 5, LLVMRealUEQ, compare_reals},
	{SpvOpFOrdNotEqual, 5, 5, LLVMRealONE, compare_reals},
	{SpvOpFUnordNotEqual, 5, 5, LLVMRealUNE, compare_reals},
	{SpvOpFOrdLessThan, 5, 5, LLVMRealOLT, compare_reals},
	{SpvOpFUnordLessThan, 5, 5, LLVMRealULT, compare_reals},
	{SpvOpFOrdGreaterThan, 5, 5, LLVMRealOGT, compare_reals},
	{SpvOpFUnordGreaterThan, 5, 5, LLVMRealUGT, compare_reals},
	{SpvOpFOrdLessThanEqual, 5, 5, LLVMRealOLE, compare_reals},
	{SpvOpFUnordLessThanEqual, 5, 5, LLVMRealULE, compare_reals},
	{SpvOpFOrdGreaterThanEqual, 5, 5, LLVMRealOGE, compare_reals},
	{SpvOpFUnordGreaterThanEqual, 5, 5, LLVMRealUGE, compare_reals},
	{SpvOpLessOrGreater, 5, 5, LLVMRealONE, compare_reals},
	{SpvOpOrdered, 5, 5, LLVMRealORD, compare_reals},
	{SpvOpUnordered, 5, 5, LLVMRealUNO, compare_reals},
	{SpvOpIsNan, 4, 4, 0, test_real},
	{SpvOpIsInf, 4, 4, 0, test_real},
	{SpvOpIsFinite, 4, 4, 0, test_real},
	{SpvOpIsNormal, 4, 4, 0, test_real},
	{SpvOpSignBitSet, 4, 4, 0, test_real},
	{SpvOpLogicalEqual, 5, 5, LLVMIntEQ, compare_integers},
	{SpvOpLogicalNotEqual, 5, 5, LLVMIntNE, compare_integers},
	{SpvOpLogicalOr, 5, 5, LLVMOr, build_logic},
	{SpvOpLogicalAnd, 5, 5, LLVMAnd, build_logic},
	{SpvOpLogicalNot, 4, 4, 0, build_not},
	{SpvOpAny, 4, 4, LLVMOr, build_reduced},
	{SpvOpAll, 4, 4, LLVMAnd, build_reduced},
	{SpvOpSelect, 6, 6, 0, build_select},
	{0, 0, 0, 0, NULL},
};
