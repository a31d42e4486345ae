/* Instructions on numbers, bools and bits: arithmetic, comparisons, logic (SPIR-V 1.6, 3.49.13 to 3.49.15), integer
 * dot products (SPV_KHR_integer_dot_product), hints (SPV_KHR_expect_assume) and clocks (SPV_KHR_shader_clock). */
#include "config.h"

#include "frontend/spirv/opencl_std.h"

#include "frontend/llvm_compat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The operands words[3] and words[4], which must have the result's type; false with a message. */
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

/* --- arithmetic ---------------------------------------------------------------------------------------------- */

/* Sets the flags of NoSignedWrap and NoUnsignedWrap. */
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

/* The sum, difference, product or quotient of two floats or doubles, rounded to zero by PTX's instruction. */
static LLVMValueRef round_to_zero(struct spirv_reader *reader, LLVMOpcode code, LLVMValueRef a, LLVMValueRef b)
{
	const bool is_double = LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMDoubleTypeKind;
	const char *name = code == LLVMFAdd ? "add" : code == LLVMFSub ? "sub" : code == LLVMFMul ? "mul" : "div";
	LLVMTypeRef operands[] = {LLVMTypeOf(a), LLVMTypeOf(a)};
	LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(a), operands, 2, false);
	char text[32], constraints[8];
	snprintf(text, sizeof(text), "%s.rz.f%d $0, $1, $2;", name, is_double ? 64 : 32);
	snprintf(constraints, sizeof(constraints), is_double ? "=d,d,d" : "=f,f,f");
	LLVMValueRef code_text = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false,
						  false, LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(reader->builder, type, code_text, (LLVMValueRef[]){a, b}, 2, "");
}

/* As round_to_zero, for halves: the double is exact or rounded to zero, which rounding to zero once more does not
 * change.  NULL with a message. */
static LLVMValueRef round_half_to_zero(struct spirv_reader *reader, LLVMOpcode code, LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef wide = LLVMDoubleTypeInContext(reader->context), half = LLVMHalfTypeInContext(reader->context);
	LLVMValueRef value = round_to_zero(reader, code, LLVMBuildFPExt(reader->builder, a, wide, ""),
					   LLVMBuildFPExt(reader->builder, b, wide, ""));
	const struct spirv_argument argument = {.value = value, .base = 'd'};
	return spirv_call(reader, "convert_half_rtz", half, &argument, 1);
}

/* Arithmetic on floating-point numbers or vectors of them, in the rounding mode of the kernel; NULL with a message.
 * type is that of a and b. */
static LLVMValueRef compute(struct spirv_reader *reader, const struct spirv_op *op, LLVMOpcode code,
			    const struct spirv_type *type, LLVMValueRef a, LLVMValueRef b)
{
	if (!(reader->toward_zero & type->bits) || !reader->body)
		return spirv_fast(reader, op->result, LLVMBuildBinOp(reader->builder, code, a, b, ""));
	LLVMValueRef whole = LLVMGetUndef(type->value);
	for (unsigned i = 0; i < type->lanes; i++) {
		LLVMValueRef index = spirv_number(reader, 32, i);
		LLVMValueRef x = type->lanes == 1 ? a : LLVMBuildExtractElement(reader->builder, a, index, "");
		LLVMValueRef y = type->lanes == 1 ? b : LLVMBuildExtractElement(reader->builder, b, index, "");
		LLVMValueRef value = type->bits == 16 ? round_half_to_zero(reader, code, x, y)
						      : round_to_zero(reader, code, x, y);
		if (!value || type->lanes == 1)
			return value;
		whole = LLVMBuildInsertElement(reader->builder, whole, value, index, "");
	}
	return whole;
}

static bool build_reals(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef a, b;
	if (!is_class(reader, op->type, SPIRV_FLOAT) || !two_operands(reader, op, &a, &b))
		return false;
	return spirv_define(reader, op, compute(reader, op, (LLVMOpcode)op->detail, op->type, a, b));
}

/* Builds a shift.  The shift amount may have another width than the value. */
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

/* --- remainders ---------------------------------------------------------------------------------------------- */

/* The floating-point remainder with the dividend's sign; NULL with a message. */
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

/* A bool for each element: whether the remainder is not 0 and has another sign than the divisor. */
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

/* Builds OpSMod and OpFMod, whose result has the divisor's sign, and OpFRem. */
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
	LLVMValueRef sum = is_real ? compute(reader, op, LLVMFAdd, op->type, rest, b)
				   : LLVMBuildAdd(builder, rest, b, "");
	return sum && spirv_define(reader, op, LLVMBuildSelect(builder, other, sum, rest, ""));
}

/* --- vectors ------------------------------------------------------------------------------------------------- */

static LLVMValueRef splat(struct spirv_reader *reader, LLVMValueRef scalar, LLVMTypeRef vector)
{
	LLVMTypeRef index = spirv_int(reader, 32);
	LLVMValueRef first = LLVMBuildInsertElement(reader->builder, LLVMGetUndef(vector), scalar,
						    LLVMConstNull(index), "");
	return LLVMBuildShuffleVector(reader->builder, first, LLVMGetUndef(vector),
				      LLVMConstNull(LLVMVectorType(index, LLVMGetVectorSize(vector))), "");
}

/* Builds OpVectorTimesScalar, and OpMatrixTimesScalar of a cooperative matrix, which may have integers. */
static bool build_times_scalar(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool is_matrix = op->op == SpvOpMatrixTimesScalar;
	LLVMValueRef a = spirv_value_of(reader, op->words[3], op->type->value);
	if (!a || (!(is_matrix && op->type->class == SPIRV_INT) && !is_class(reader, op->type, SPIRV_FLOAT)))
		return false;
	if (op->type->lanes == 1 || is_matrix != (op->type->rows != 0))
		return spirv_fail(reader, "the operand is no %s", is_matrix ? "cooperative matrix" : "vector");
	LLVMValueRef b = spirv_value_of(reader, op->words[4], op->type->element->value);
	if (!b)
		return false;
	b = splat(reader, b, op->type->value);
	if (op->type->class == SPIRV_INT)
		return spirv_define(reader, op, LLVMBuildMul(reader->builder, a, b, ""));
	return spirv_define(reader, op, compute(reader, op, LLVMFMul, op->type, a, b));
}

/* The sum of the products of two vectors' elements, for vectors that dot() does not take; NULL with a message.  type is
 * that of the vectors. */
static LLVMValueRef sum_products(struct spirv_reader *reader, const struct spirv_op *op, const struct spirv_type *type,
				 LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef products = compute(reader, op, LLVMFMul, type, a, b), sum = NULL;
	for (unsigned i = 0; products && i < type->lanes; i++) {
		LLVMValueRef product = LLVMBuildExtractElement(reader->builder, products,
							       spirv_number(reader, 32, i), "");
		sum = sum ? compute(reader, op, LLVMFAdd, type->element, sum, product) : product;
		if (!sum)
			return NULL;
	}
	return sum;
}

/* Builds OpDot of bfloat16 numbers (SPV_KHR_bfloat16), which are multiplied and summed as floats. */
static bool build_bfloat_dot(struct spirv_reader *reader, const struct spirv_op *op, const struct spirv_type *type,
			     LLVMValueRef a, LLVMValueRef b)
{
	if (type->lanes == 1 || op->type->class != SPIRV_BFLOAT || op->type->lanes != 1)
		return spirv_fail(reader, "the operands are no vectors of the result's type");
	struct spirv_type element = *type->element, real = *type;
	real.class = element.class = SPIRV_FLOAT;
	real.bits = element.bits = 32;
	element.value = LLVMFloatTypeInContext(reader->context);
	real.value = LLVMVectorType(element.value, type->lanes);
	real.element = &element;
	a = spirv_convert_bfloats(reader, a, type->lanes, false);
	b = a ? spirv_convert_bfloats(reader, b, type->lanes, false) : NULL;
	LLVMValueRef sum = b ? sum_products(reader, op, &real, a, b) : NULL;
	return sum && spirv_define(reader, op, spirv_convert_bfloats(reader, sum, 1, true));
}

/* Builds OpDot.  OpenCL C's dot() supports up to four elements; longer vectors are multiplied and summed here. */
static bool build_dot(struct spirv_reader *reader, const struct spirv_op *op)
{
	enum { MOST_LANES = 4 };
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef a = type ? spirv_value(reader, op->words[3]) : NULL;
	LLVMValueRef b = a ? spirv_value_of(reader, op->words[4], type->value) : NULL;
	if (b && type->class == SPIRV_BFLOAT)
		return build_bfloat_dot(reader, op, type, a, b);
	if (!b || !is_class(reader, type, SPIRV_FLOAT))
		return false;
	if (type->lanes == 1 || op->type->value != type->element->value)
		return spirv_fail(reader, "the operands are no vectors of the result's type");
	if (type->lanes <= MOST_LANES && !(reader->toward_zero & type->bits)) {
		const struct spirv_argument arguments[] = {spirv_by_value(type, a, true),
							   spirv_by_value(type, b, true)};
		LLVMValueRef value = spirv_call(reader, "dot", op->type->value, arguments, 2);
		return value && spirv_define(reader, op, spirv_fast(reader, op->result, value));
	}
	return spirv_define(reader, op, sum_products(reader, op, type, a, b));
}

/* --- results in two parts ------------------------------------------------------------------------------------ */

static LLVMValueRef high_product(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef a,
				 LLVMValueRef b, bool is_signed)
{
	const struct spirv_argument arguments[] = {spirv_by_value(type, a, is_signed),
						   spirv_by_value(type, b, is_signed)};
	return spirv_call(reader, "mul_hi", type->value, arguments, 2);
}

/* The second member of the result; low is the first. */
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

/* Builds an instruction whose result is a struct of two members: the low part, and a carry or the high part. */
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

/* --- comparisons --------------------------------------------------------------------------------------------- */

static bool is_result(struct spirv_reader *reader, const struct spirv_op *op, unsigned lanes)
{
	return (op->type->class == SPIRV_BOOL && op->type->lanes == lanes) ||
	       spirv_fail(reader, "the result is not a bool for each element of the operands");
}

/* The operands words[3] and words[4], which must have one type, and this type; NULL with a message. */
static const struct spirv_type *two_alike(struct spirv_reader *reader, const struct spirv_op *op,
					  LLVMValueRef *a, LLVMValueRef *b)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	*a = type ? spirv_value(reader, op->words[3]) : NULL;
	*b = *a ? spirv_value_of(reader, op->words[4], LLVMTypeOf(*a)) : NULL;
	return *b ? type : NULL;
}

/* Builds a comparison of integers.  Translators also write it for bools and pointers. */
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

/* Builds OpPtrEqual and OpPtrNotEqual.  Pointers of different address spaces are compared as generic ones. */
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
	/* A program that asks whether numbers are ordered expects NaN, even if the options promise that there is
	 * none. */
	if (op->op != SpvOpOrdered && op->op != SpvOpUnordered)
		value = spirv_fast(reader, op->result, value);
	return spirv_define(reader, op, value);
}

/* The bits of infinity. */
static uint64_t infinity_of(unsigned bits)
{
	return bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
}

/* The bits of the smallest normal number. */
static uint64_t least_normal_of(unsigned bits)
{
	return bits == 16 ? 0x0400 : bits == 32 ? 0x00800000 : UINT64_C(0x0010000000000000);
}

/* Builds OpIsNan and the like.  They look at the bits, so that LLVM does not fold them if the options promise finite
 * numbers. */
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

/* --- logic --------------------------------------------------------------------------------------------------- */

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

/* Builds OpAny and OpAll.  LLVM's SPIR-V back end writes them for integers, whose highest bits count as in OpenCL C. */
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
	/* libnvvm does not accept fast-math flags on a select. */
	return spirv_define(reader, op, value);
}

/* --- fields of bits ------------------------------------------------------------------------------------------ */

static const char *const field_functions[] = {
	"popcount", "bit_reverse", "bitfield_insert", "bitfield_extract_signed", "bitfield_extract_unsigned",
};
enum { POPCOUNT, REVERSE, INSERT, EXTRACT_SIGNED, EXTRACT_UNSIGNED };

/* An operand that is an offset or a number of bits, as an i32; NULL with a message. */
static LLVMValueRef count_operand(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	if (value && (type->class != SPIRV_INT || type->lanes != 1)) {
		spirv_fail(reader, "the operand %" PRIu32 " is no integer", id);
		return NULL;
	}
	return value ? LLVMBuildIntCast2(reader->builder, value, spirv_int(reader, 32), false, "") : NULL;
}

static bool build_field(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	const unsigned whole = op->detail == INSERT ? 2 : 1, count = op->count - 3;
	struct spirv_argument arguments[4];
	if (!type)
		return false;
	if (type->class != SPIRV_INT || op->type->class != SPIRV_INT || type->lanes != op->type->lanes ||
	    (op->detail != POPCOUNT && op->type->bits != type->bits))
		return spirv_fail(reader, "the operands are no integers of the result's type");
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef value = i < whole ? spirv_value_of(reader, op->words[i + 3], type->value)
					       : count_operand(reader, op->words[i + 3]);
		if (!value)
			return false;
		arguments[i] = i < whole ? spirv_by_value(type, value, false)
					 : (struct spirv_argument){.value = value, .base = 'j'};
	}
	LLVMValueRef value = spirv_call(reader, field_functions[op->detail], type->value, arguments, count);
	if (value && type->bits != op->type->bits)
		value = LLVMBuildIntCast2(reader->builder, value, op->type->value, false, "");
	return value && spirv_define(reader, op, value);
}

/* --- integer dot products ------------------------------------------------------------------------------------ */

enum { A_SIGNED = 1, B_SIGNED = 2, SATURATES = 4 };

/* A vector of four bytes, or an i32, as an i32. */
static LLVMValueRef pack(struct spirv_reader *reader, LLVMValueRef value)
{
	return LLVMBuildBitCast(reader->builder, value, spirv_int(reader, 32), "");
}

/* The dot product of four bytes by OpenCL C's functions for packed vectors (3.0, 6.15.21).  If sum is not NULL, it is
 * added with saturation. */
static LLVMValueRef dot_of_bytes(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef a,
				 LLVMValueRef b, LLVMValueRef sum)
{
	static const char *const plain[] = {
		"dot_4x8packed_uu_uint", NULL, NULL, "dot_4x8packed_ss_int",
	};
	static const char *const saturating[] = {
		"dot_acc_sat_4x8packed_uu_uint", NULL, NULL, "dot_acc_sat_4x8packed_ss_int",
	};
	const unsigned signs = op->detail & (A_SIGNED | B_SIGNED);
	const char *name = sum ? saturating[signs] : plain[signs];
	if (signs == A_SIGNED)
		name = sum ? "dot_acc_sat_4x8packed_su_int" : "dot_4x8packed_su_int";
	const struct spirv_argument arguments[] = {
		{.value = pack(reader, a), .base = 'j'},
		{.value = pack(reader, b), .base = 'j'},
		{.value = sum, .base = signs & A_SIGNED ? 'i' : 'j'},
	};
	return spirv_call(reader, name, spirv_int(reader, 32), arguments, sum ? 3 : 2);
}

static LLVMValueRef widen(struct spirv_reader *reader, LLVMValueRef vector, unsigned lane, bool is_signed)
{
	LLVMValueRef element = LLVMBuildExtractElement(reader->builder, vector, spirv_number(reader, 32, lane),
						       "");
	return LLVMBuildIntCast2(reader->builder, element, spirv_int(reader, 64), is_signed, "");
}

/* The low 64 bits of the dot product of other vectors, for which OpenCL C has no function. */
static LLVMValueRef dot_of_lanes(struct spirv_reader *reader, const struct spirv_op *op, unsigned lanes,
				 LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef sum = NULL;
	for (unsigned i = 0; i < lanes; i++) {
		LLVMValueRef product = LLVMBuildMul(reader->builder, widen(reader, a, i, op->detail & A_SIGNED),
						    widen(reader, b, i, op->detail & B_SIGNED), "");
		sum = sum ? LLVMBuildAdd(reader->builder, sum, product, "") : product;
	}
	return sum;
}

static LLVMValueRef add_saturated(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef a,
				  LLVMValueRef b)
{
	const bool is_signed = op->detail & A_SIGNED;
	const struct spirv_argument arguments[] = {spirv_by_value(op->type, a, is_signed),
						   spirv_by_value(op->type, b, is_signed)};
	return spirv_call(reader, "add_sat", op->type->value, arguments, 2);
}

static bool build_integer_dot(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef a = type ? spirv_value(reader, op->words[3]) : NULL, sum = NULL;
	LLVMValueRef b = a ? spirv_value_of(reader, op->words[4], type->value) : NULL;
	const bool saturates = op->detail & SATURATES;
	if (!b || (saturates && op->count < 6))
		return b && spirv_fail(reader, "an operand is missing");
	if (saturates && !(sum = spirv_value_of(reader, op->words[5], op->type->value)))
		return false;
	const bool packed = type->lanes == 1 && type->bits == 32;
	const bool bytes = packed || (type->lanes == 4 && type->bits == 8);
	if (type->class != SPIRV_INT || (type->lanes == 1 && !packed) || op->type->class != SPIRV_INT ||
	    op->type->lanes != 1)
		return spirv_fail(reader, "the operands are no vectors of integers, or the result is no integer");
	const bool at_once = saturates && bytes && op->type->bits == 32;
	LLVMValueRef value = bytes ? dot_of_bytes(reader, op, a, b, at_once ? sum : NULL)
				   : dot_of_lanes(reader, op, type->lanes, a, b);
	if (value)
		value = LLVMBuildIntCast2(reader->builder, value, op->type->value, op->detail & A_SIGNED, "");
	if (value && saturates && !at_once)
		value = add_saturated(reader, op, sum, value);
	return value && spirv_define(reader, op, value);
}

/* --- hints and clocks ---------------------------------------------------------------------------------------- */

/* Checks the operand of OpAssumeTrueKHR, which has no effect: libnvvm does not use assumptions. */
static bool build_assumption(struct spirv_reader *reader, const struct spirv_op *op)
{
	return spirv_value_of(reader, op->words[1], spirv_int(reader, 1)) != NULL;
}

static bool build_expectation(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef value = spirv_value_of(reader, op->words[3], op->type->value);
	return value && spirv_value_of(reader, op->words[4], op->type->value) &&
	       spirv_define(reader, op, value);
}

static bool build_clock(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const char *const wide[] = {"clock_read_device", "clock_read_work_group",
					   "clock_read_sub_group"};
	static const char *const pairs[] = {"clock_read_hilo_device", "clock_read_hilo_work_group",
					    "clock_read_hilo_sub_group"};
	const uint32_t scope = spirv_operand(reader, op->words[3], SpvScopeMax);
	if (scope < SpvScopeDevice || scope > SpvScopeSubgroup)
		return spirv_fail(reader, "there is no clock of that scope");
	if (op->type->class != SPIRV_INT || op->type->bits * op->type->lanes != 64)
		return spirv_fail(reader, "the result has not 64 bits");
	const char *const *names = op->type->lanes == 2 ? pairs : wide;
	return spirv_define(reader, op, spirv_call(reader, names[scope - SpvScopeDevice], op->type->value,
						   NULL, 0));
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
	{SpvOpMatrixTimesScalar, 5, 5, 0, build_times_scalar},
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
	{SpvOpBitCount, 4, 4, POPCOUNT, build_field},
	{SpvOpBitReverse, 4, 4, REVERSE, build_field},
	{SpvOpBitFieldInsert, 7, 7, INSERT, build_field},
	{SpvOpBitFieldSExtract, 6, 6, EXTRACT_SIGNED, build_field},
	{SpvOpBitFieldUExtract, 6, 6, EXTRACT_UNSIGNED, build_field},
	/* The last operand, which is optional, is the packed format, of which there is only one. */
	{SpvOpSDotKHR, 5, 6, A_SIGNED | B_SIGNED, build_integer_dot},
	{SpvOpUDotKHR, 5, 6, 0, build_integer_dot},
	{SpvOpSUDotKHR, 5, 6, A_SIGNED, build_integer_dot},
	{SpvOpSDotAccSatKHR, 6, 7, A_SIGNED | B_SIGNED | SATURATES, build_integer_dot},
	{SpvOpUDotAccSatKHR, 6, 7, SATURATES, build_integer_dot},
	{SpvOpSUDotAccSatKHR, 6, 7, A_SIGNED | SATURATES, build_integer_dot},
	{SpvOpAssumeTrueKHR, 2, 2, 0, build_assumption},
	{SpvOpExpectKHR, 5, 5, 0, build_expectation},
	{SpvOpReadClockKHR, 4, 4, 0, build_clock},
	{0, 0, 0, 0, NULL},
};
