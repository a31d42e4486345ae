/* Fields of bits, integer dot products, hints and clocks: instructions that few programs have (SPIR-V 1.6,
 * 3.49.14, SPV_KHR_integer_dot_product, SPV_KHR_expect_assume, SPV_KHR_shader_clock). */
#include "config.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>

/* --- fields of bits ---------------------------------------------------------------------------------------- */

static const char *const field_functions[] = {
	"popcount", "bit_reverse", "bitfield_insert", "bitfield_extract_signed", "bitfield_extract_unsigned",
};
enum { POPCOUNT, REVERSE, INSERT, EXTRACT_SIGNED, EXTRACT_UNSIGNED };

/* An offset or a number of bits, in 32 bits; NULL with a message. */
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

/* --- dot products ------------------------------------------------------------------------------------------- */

enum { A_SIGNED = 1, B_SIGNED = 2, SATURATES = 4 };

/* Four bytes, in one word. */
static LLVMValueRef pack(struct spirv_reader *reader, LLVMValueRef value)
{
	return LLVMBuildBitCast(reader->builder, value, spirv_int(reader, 32), "");
}

/* By OpenCL C's function of packed bytes (3.0, 6.15.21); with the sum added to it where it saturates. */
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

/* Of vectors that OpenCL C has no function for: the low bits of the sum. */
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

static bool build_dot(struct spirv_reader *reader, const struct spirv_op *op)
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

/* --- hints and clocks -------------------------------------------------------------------------------------- */

/* What is expected or assumed changes nothing: libnvvm has no use for it. */
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

const struct spirv_row spirv_bit_rows[] = {
	{SpvOpBitCount, 4, 4, POPCOUNT, build_field},
	{SpvOpBitReverse, 4, 4, REVERSE, build_field},
	{SpvOpBitFieldInsert, 7, 7, INSERT, build_field},
	{SpvOpBitFieldSExtract, 6, 6, EXTRACT_SIGNED, build_field},
	{SpvOpBitFieldUExtract, 6, 6, EXTRACT_UNSIGNED, build_field},
	/* The last operand, which is optional, says what the elements say as well. */
	{SpvOpSDotKHR, 5, 6, A_SIGNED | B_SIGNED, build_dot},
	{SpvOpUDotKHR, 5, 6, 0, build_dot},
	{SpvOpSUDotKHR, 5, 6, A_SIGNED, build_dot},
	{SpvOpSDotAccSatKHR, 6, 7, A_SIGNED | B_SIGNED | SATURATES, build_dot},
	{SpvOpUDotAccSatKHR, 6, 7, SATURATES, build_dot},
	{SpvOpSUDotAccSatKHR, 6, 7, A_SIGNED | SATURATES, build_dot},
	{SpvOpAssumeTrueKHR, 2, 2, 0, build_assumption},
	{SpvOpExpectKHR, 5, 5, 0, build_expectation},
	{SpvOpReadClockKHR, 4, 4, 0, build_clock},
	{0, 0, 0, 0, NULL},
};
