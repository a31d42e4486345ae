/* Arithmetic, bits, comparisons and logic. */
#include "config.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <string.h>

/* How an instruction is written.  a, b: its operands. */
enum form {
	INFIX,            /* a + b, of integers without sign and reals */
	SIGNED_INFIX,     /* the same of integers with a sign */
	SHIFT,            /* b may have another width */
	SIGNED_SHIFT,
	COMPARE,          /* a < b, to bool or to a mask */
	SIGNED_COMPARE,
	NOT_COMPARE,      /* !(a >= b): true where they are unordered */
	PREFIX,           /* -a */
	LOGIC,            /* of bools */
	TEST,             /* isnan(a): to bool or to a mask */
	TEST_TWO,
	CALL_TWO,         /* fmod(a, b) */
};

struct operation {
	uint16_t op;
	uint8_t form;
	const char *text;
};

static const struct operation operations[] = {
	{SpvOpSNegate, PREFIX, "-"}, {SpvOpFNegate, PREFIX, "-"}, {SpvOpNot, PREFIX, "~"},
	{SpvOpIAdd, INFIX, "+"}, {SpvOpFAdd, INFIX, "+"}, {SpvOpISub, INFIX, "-"},
	{SpvOpFSub, INFIX, "-"}, {SpvOpIMul, INFIX, "*"}, {SpvOpFMul, INFIX, "*"},
	{SpvOpUDiv, INFIX, "/"}, {SpvOpFDiv, INFIX, "/"}, {SpvOpUMod, INFIX, "%"},
	{SpvOpSDiv, SIGNED_INFIX, "/"}, {SpvOpSRem, SIGNED_INFIX, "%"},
	{SpvOpFRem, CALL_TWO, "fmod"}, {SpvOpVectorTimesScalar, INFIX, "*"},
	{SpvOpDot, CALL_TWO, "dot"},
	{SpvOpBitwiseOr, INFIX, "|"}, {SpvOpBitwiseXor, INFIX, "^"}, {SpvOpBitwiseAnd, INFIX, "&"},
	{SpvOpShiftRightLogical, SHIFT, ">>"}, {SpvOpShiftLeftLogical, SHIFT, "<<"},
	{SpvOpShiftRightArithmetic, SIGNED_SHIFT, ">>"},
	{SpvOpLogicalEqual, LOGIC, "=="}, {SpvOpLogicalNotEqual, LOGIC, "!="},
	{SpvOpLogicalOr, LOGIC, "|"}, {SpvOpLogicalAnd, LOGIC, "&"},
	{SpvOpIEqual, COMPARE, "=="}, {SpvOpINotEqual, COMPARE, "!="},
	{SpvOpUGreaterThan, COMPARE, ">"}, {SpvOpUGreaterThanEqual, COMPARE, ">="},
	{SpvOpULessThan, COMPARE, "<"}, {SpvOpULessThanEqual, COMPARE, "<="},
	{SpvOpSGreaterThan, SIGNED_COMPARE, ">"}, {SpvOpSGreaterThanEqual, SIGNED_COMPARE, ">="},
	{SpvOpSLessThan, SIGNED_COMPARE, "<"}, {SpvOpSLessThanEqual, SIGNED_COMPARE, "<="},
	{SpvOpFOrdEqual, COMPARE, "=="}, {SpvOpFUnordNotEqual, COMPARE, "!="},
	{SpvOpFOrdLessThan, COMPARE, "<"}, {SpvOpFOrdGreaterThan, COMPARE, ">"},
	{SpvOpFOrdLessThanEqual, COMPARE, "<="}, {SpvOpFOrdGreaterThanEqual, COMPARE, ">="},
	{SpvOpFUnordLessThan, NOT_COMPARE, ">="}, {SpvOpFUnordGreaterThan, NOT_COMPARE, "<="},
	{SpvOpFUnordLessThanEqual, NOT_COMPARE, ">"}, {SpvOpFUnordGreaterThanEqual, NOT_COMPARE, "<"},
	{SpvOpFOrdNotEqual, TEST_TWO, "islessgreater"}, {SpvOpLessOrGreater, TEST_TWO, "islessgreater"},
	{SpvOpOrdered, TEST_TWO, "isordered"}, {SpvOpUnordered, TEST_TWO, "isunordered"},
	{SpvOpIsNan, TEST, "isnan"}, {SpvOpIsInf, TEST, "isinf"}, {SpvOpIsFinite, TEST, "isfinite"},
	{SpvOpIsNormal, TEST, "isnormal"}, {SpvOpSignBitSet, TEST, "signbit"},
	{SpvOpPtrEqual, COMPARE, "=="}, {SpvOpPtrNotEqual, COMPARE, "!="},
};

static const struct operation *operation_find(unsigned op)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (operations[i].op == op)
			return &operations[i];
	return NULL;
}

/* What comes back to the unsigned type of the result. */
static void put_result(struct spirv_writer *writer, const uint32_t *words,
		       struct spirv_shape shape, bool is_signed)
{
	spirv_put(writer, "v%" PRIu32 " = ", words[2]);
	if (is_signed && shape.lanes > 1)
		spirv_put(writer, "as_%s(", spirv_unsigned_name(shape).text);
	else
		spirv_put(writer, "(t%" PRIu32 ")(", words[1]);
}

static void write_infix(struct spirv_writer *writer, const uint32_t *words, const char *text)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	/* A product of two ushort would be one of int, and overflow. */
	const char *wide = shape.class == SPIRV_INT && shape.lanes == 1 && shape.bits < 32 ? "(uint)"
											   : "";
	put_result(writer, words, shape, false);
	spirv_put(writer, "%sv%" PRIu32 " %s %sv%" PRIu32 ");\n", wide, words[3], text, wide, words[4]);
}

static void write_signed_infix(struct spirv_writer *writer, const uint32_t *words, const char *text)
{
	put_result(writer, words, spirv_shape(writer->module, words[1]), true);
	spirv_put_signed(writer, words[3]);
	spirv_put(writer, " %s ", text);
	spirv_put_signed(writer, words[4]);
	spirv_put(writer, ");\n");
}

static void write_shift(struct spirv_writer *writer, const uint32_t *words, const char *text,
			bool is_signed)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	put_result(writer, words, shape, is_signed);
	if (is_signed)
		spirv_put_signed(writer, words[3]);
	else
		spirv_put(writer, "v%" PRIu32, words[3]);
	if (shape.lanes > 1)
		spirv_put(writer, " %s convert_%s(v%" PRIu32 "));\n", text,
			  spirv_unsigned_name(shape).text, words[4]);
	else
		spirv_put(writer, " %s v%" PRIu32 ");\n", text, words[4]);
}

/* The opening of "v7 = convert_char4(...": a comparison of vectors is a mask as wide as they are;
 * of scalars it is an int. */
static void put_truth(struct spirv_writer *writer, const uint32_t *words, bool inverse)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	if (shape.lanes > 1)
		spirv_put(writer, "v%" PRIu32 " = %sconvert_char%u(", words[2], inverse ? "~" : "",
			  shape.lanes);
	else
		spirv_put(writer, "v%" PRIu32 " = (bool)%s(", words[2], inverse ? "!" : "");
}

static void write_compare(struct spirv_writer *writer, const uint32_t *words, const char *text,
			  bool is_signed)
{
	put_truth(writer, words, false);
	if (is_signed)
		spirv_put_signed(writer, words[3]);
	else
		spirv_put(writer, "v%" PRIu32, words[3]);
	spirv_put(writer, " %s ", text);
	if (is_signed)
		spirv_put_signed(writer, words[4]);
	else
		spirv_put(writer, "v%" PRIu32, words[4]);
	spirv_put(writer, ");\n");
}

static void write_logic(struct spirv_writer *writer, const uint32_t *words, const char *text)
{
	bool vector = spirv_shape(writer->module, words[1]).lanes > 1;
	spirv_put(writer, vector ? "v%" PRIu32 " = (v%" PRIu32 " %s v%" PRIu32 ");\n"
				 : "v%" PRIu32 " = (bool)(v%" PRIu32 " %s v%" PRIu32 ");\n",
		  words[2], words[3], text, words[4]);
}

static void write_operation(struct spirv_writer *writer, const struct operation *operation,
			    const uint32_t *words)
{
	const char *text = operation->text;
	switch (operation->form) {
	case INFIX: write_infix(writer, words, text); break;
	case SIGNED_INFIX: write_signed_infix(writer, words, text); break;
	case SHIFT: write_shift(writer, words, text, false); break;
	case SIGNED_SHIFT: write_shift(writer, words, text, true); break;
	case COMPARE: write_compare(writer, words, text, false); break;
	case SIGNED_COMPARE: write_compare(writer, words, text, true); break;
	case NOT_COMPARE:
		put_truth(writer, words, true);
		spirv_put(writer, "v%" PRIu32 " %s v%" PRIu32 ");\n", words[3], text, words[4]);
		break;
	case PREFIX:
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(%sv%" PRIu32 ");\n", words[2],
			  words[1], text, words[3]);
		break;
	case LOGIC: write_logic(writer, words, text); break;
	case TEST:
		put_truth(writer, words, false);
		spirv_put(writer, "%s(v%" PRIu32 "));\n", text, words[3]);
		break;
	case TEST_TWO:
		put_truth(writer, words, false);
		spirv_put(writer, "%s(v%" PRIu32 ", v%" PRIu32 "));\n", text, words[3], words[4]);
		break;
	case CALL_TWO:
		spirv_put(writer, "v%" PRIu32 " = %s(v%" PRIu32 ", v%" PRIu32 ");\n", words[2], text,
			  words[3], words[4]);
		break;
	}
}

/* --- what is more than one operator --- */

/* That of integers as one expression: no statement may stand among constants. */
static enum spirv_written write_constant_modulo(struct spirv_writer *writer, const uint32_t *words,
						struct spirv_shape shape)
{
	if (shape.class != SPIRV_INT || shape.lanes != 1)
		return spirv_fail(writer, words[0] & SpvOpCodeMask, "as a constant");
	const struct spirv_text type = spirv_signed_name(shape);
	const char *own = type.text;
	uint32_t a = words[3], b = words[4];
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")((%s)v%" PRIu32 " %% (%s)v%" PRIu32
			  " + ((%s)v%" PRIu32 " %% (%s)v%" PRIu32 " != 0 && ((%s)v%" PRIu32
			  " < 0) != ((%s)v%" PRIu32 " < 0) ? (%s)v%" PRIu32 " : 0));\n",
		  words[2], words[1], own, a, own, b, own, a, own, b, own, a, own, b, own, b);
	return SPIRV_WRITTEN;
}

/* The remainder with the divisor's sign. */
static enum spirv_written write_modulo(struct spirv_writer *writer, const uint32_t *words)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	unsigned x = spirv_temporary(writer);
	struct spirv_text type = shape.class == SPIRV_FLOAT ? spirv_unsigned_name(shape)
							    : spirv_signed_name(shape);
	if (writer->in_constant)
		return write_constant_modulo(writer, words, shape);
	spirv_put(writer, "{ %s x%u = as_%s(v%" PRIu32 "), y%u = as_%s(v%" PRIu32 "); ", type.text, x,
		  type.text, words[3], x, type.text, words[4]);
	if (shape.class == SPIRV_FLOAT)
		spirv_put(writer, "%s z%u = fmod(x%u, y%u); v%" PRIu32
			  " = z%u + ((z%u != 0) & (signbit(z%u) != signbit(y%u)) ? y%u : (%s)0); }\n",
			  type.text, x, x, x, words[2], x, x, x, x, x, type.text);
	else
		spirv_put(writer, "%s z%u = x%u %% y%u; v%" PRIu32
			  " = as_%s((%s)(z%u + ((z%u != 0) & ((z%u ^ y%u) < 0) ? y%u : (%s)0))); }\n",
			  type.text, x, x, x, words[2], spirv_unsigned_name(shape).text, type.text, x,
			  x, x, x, x, type.text);
	return SPIRV_WRITTEN;
}

/* A struct of two: the low part, and a carry or the high part. */
static enum spirv_written write_pair(struct spirv_writer *writer, unsigned op, const uint32_t *words)
{
	struct spirv_shape shape = spirv_value_shape(writer->module, words[3]);
	struct spirv_text type = spirv_unsigned_name(shape), with_sign = spirv_signed_name(shape);
	uint32_t result = words[2], a = words[3], b = words[4];
	const char *low = op == SpvOpIAddCarry ? "+" : op == SpvOpISubBorrow ? "-" : "*";
	const char *wide = shape.lanes == 1 && shape.bits < 32 ? "(uint)" : "";
	if (shape.class != SPIRV_INT)
		return spirv_fail(writer, op, "of no integers");
	spirv_put(writer, "v%" PRIu32 ".m0 = (%s)(%sv%" PRIu32 " %s %sv%" PRIu32 "); ", result,
		  type.text, wide, a, low, wide, b);
	if (op == SpvOpUMulExtended)
		spirv_put(writer, "v%" PRIu32 ".m1 = mul_hi(v%" PRIu32 ", v%" PRIu32 ");\n", result, a, b);
	else if (op == SpvOpSMulExtended)
		spirv_put(writer, "v%" PRIu32 ".m1 = as_%s(mul_hi(as_%s(v%" PRIu32 "), as_%s(v%" PRIu32
			  ")));\n", result, type.text, with_sign.text, a, with_sign.text, b);
	else if (op == SpvOpIAddCarry)
		spirv_put(writer, "v%" PRIu32 ".m1 = as_%s((%s)(v%" PRIu32 ".m0 < v%" PRIu32 ")) & (%s)1;\n",
			  result, type.text, with_sign.text, result, a, type.text);
	else
		spirv_put(writer, "v%" PRIu32 ".m1 = as_%s((%s)(v%" PRIu32 " < v%" PRIu32 ")) & (%s)1;\n",
			  result, type.text, with_sign.text, a, b, type.text);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_select(struct spirv_writer *writer, const uint32_t *words)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	bool by_lane = spirv_value_shape(writer->module, words[3]).lanes > 1;
	if (!by_lane)
		spirv_put(writer, "v%" PRIu32 " = (v%" PRIu32 " ? v%" PRIu32 " : v%" PRIu32 ");\n",
			  words[2], words[3], words[4], words[5]);
	else
		spirv_put(writer, "v%" PRIu32 " = select(v%" PRIu32 ", v%" PRIu32 ", convert_%s(v%" PRIu32
			  "));\n", words[2], words[5], words[4], spirv_mask_name(shape).text, words[3]);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_truth(struct spirv_writer *writer, unsigned op,
				      const uint32_t *words)
{
	struct spirv_shape shape = spirv_value_shape(writer->module, words[3]);
	bool vector = shape.lanes > 1;
	uint32_t result = words[2], a = words[3];
	/* LLVM's back end for SPIR-V asks this of integers as OpenCL C does, by their highest bits. */
	if (op != SpvOpLogicalNot && shape.class == SPIRV_INT)
		spirv_put(writer, "v%" PRIu32 " = (bool)%s(as_%s(v%" PRIu32 "));\n", result,
			  op == SpvOpAny ? "any" : "all", spirv_signed_name(shape).text, a);
	else if (op == SpvOpLogicalNot)
		spirv_put(writer, vector ? "v%" PRIu32 " = (~v%" PRIu32 ");\n"
					 : "v%" PRIu32 " = (!v%" PRIu32 ");\n", result, a);
	else
		spirv_put(writer, "v%" PRIu32 " = (bool)%s(v%" PRIu32 ");\n", result,
			  op == SpvOpAny ? "any" : "all", a);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_arithmetic(struct spirv_writer *writer, const uint32_t *words,
				    unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	const struct operation *operation = operation_find(op);
	if (operation) {
		bool one = operation->form == PREFIX || operation->form == TEST;
		if (count < (one ? 4u : 5u))
			return spirv_fail(writer, op, "%u words", count);
		write_operation(writer, operation, words);
		return SPIRV_WRITTEN;
	}
	switch (op) {
	case SpvOpSMod:
	case SpvOpFMod:
		return count < 5 ? spirv_fail(writer, op, "%u words", count)
				 : write_modulo(writer, words);
	case SpvOpIAddCarry:
	case SpvOpISubBorrow:
	case SpvOpUMulExtended:
	case SpvOpSMulExtended:
		return count < 5 ? spirv_fail(writer, op, "%u words", count)
				 : write_pair(writer, op, words);
	case SpvOpFUnordEqual:
		if (count < 5)
			return spirv_fail(writer, op, "%u words", count);
		put_truth(writer, words, true);
		spirv_put(writer, "islessgreater(v%" PRIu32 ", v%" PRIu32 "));\n", words[3], words[4]);
		return SPIRV_WRITTEN;
	case SpvOpSelect:
		return count < 6 ? spirv_fail(writer, op, "%u words", count)
				 : write_select(writer, words);
	case SpvOpAny:
	case SpvOpAll:
	case SpvOpLogicalNot:
		return count < 4 ? spirv_fail(writer, op, "%u words", count)
				 : write_truth(writer, op, words);
	default: return SPIRV_OTHER;
	}
}
