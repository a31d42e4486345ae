/* Conversions between types (SPIR-V 1.6, 3.49.11). */
#include "config.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <stdio.h>

/* --- numbers ------------------------------------------------------------------------------------------------ */

/* What a conversion reads and makes; of a real the sign does not matter. */
enum { FROM_REAL = 1, FROM_SIGNED = 2, TO_REAL = 4, TO_SIGNED = 8, SATURATES = 16 };

/* "convert_uchar4_sat_rte": OpenCL C's function for a conversion (3.0, 6.4.3). */
static void name_function(char *name, size_t size_B, const struct spirv_type *type, bool is_signed,
			  bool saturates, uint32_t rounding)
{
	static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
	static const char *const integers[] = {"char", "short", "int", "long"};
	const char *base;
	char lanes[4] = "";
	if (type->class == SPIRV_FLOAT)
		base = type->bits == 16 ? "half" : type->bits == 32 ? "float" : "double";
	else
		base = integers[type->bits == 8 ? 0 : type->bits == 16 ? 1 : type->bits == 32 ? 2 : 3];
	if (type->lanes > 1)
		snprintf(lanes, sizeof(lanes), "%u", type->lanes % 100);
	snprintf(name, size_B, "convert_%s%s%s%s%s", type->class == SPIRV_INT && !is_signed ? "u" : "", base,
		 lanes, saturates ? "_sat" : "",
		 rounding < sizeof(roundings) / sizeof(*roundings) ? roundings[rounding] : "");
}

static bool convert_by_function(struct spirv_reader *reader, const struct spirv_op *op,
				const struct spirv_type *from, LLVMValueRef value, bool saturates)
{
	const uint32_t rounding = spirv_facts(reader->module, op->result)->rounding;
	const struct spirv_argument argument = spirv_by_value(from, value, op->detail & FROM_SIGNED);
	char name[48];
	name_function(name, sizeof(name), op->type, op->detail & TO_SIGNED, saturates, rounding);
	return spirv_define(reader, op, spirv_call(reader, name, op->type->value, &argument, 1));
}

static LLVMValueRef convert(struct spirv_reader *reader, const struct spirv_op *op,
			    const struct spirv_type *from, LLVMValueRef value)
{
	LLVMBuilderRef builder = reader->builder;
	LLVMTypeRef to = op->type->value;
	const unsigned detail = op->detail;
	if (LLVMTypeOf(value) == to)
		return value;
	if (detail & FROM_REAL && detail & TO_REAL)
		return from->bits > op->type->bits ? LLVMBuildFPTrunc(builder, value, to, "")
						   : LLVMBuildFPExt(builder, value, to, "");
	if (detail & FROM_REAL)
		return detail & TO_SIGNED ? LLVMBuildFPToSI(builder, value, to, "")
					  : LLVMBuildFPToUI(builder, value, to, "");
	if (detail & TO_REAL)
		return detail & FROM_SIGNED ? LLVMBuildSIToFP(builder, value, to, "")
					    : LLVMBuildUIToFP(builder, value, to, "");
	if (from->bits > op->type->bits)
		return LLVMBuildTrunc(builder, value, to, "");
	return detail & FROM_SIGNED ? LLVMBuildSExt(builder, value, to, "")
				    : LLVMBuildZExt(builder, value, to, "");
}

static bool build_convert(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *from = spirv_type_of(reader, op->words[3]), *to = op->type;
	const struct spirv_facts *facts = spirv_facts(reader->module, op->result);
	LLVMValueRef value = from ? spirv_value(reader, op->words[3]) : NULL;
	if (!value)
		return false;
	if (from->class != (op->detail & FROM_REAL ? SPIRV_FLOAT : SPIRV_INT) ||
	    to->class != (op->detail & TO_REAL ? SPIRV_FLOAT : SPIRV_INT) || from->lanes != to->lanes)
		return spirv_fail(reader, "the operand or the result is of another kind of numbers, or has another "
				  "number of elements");
	/* Clang converts vectors by functions; with halves these are better than what becomes of one
	 * instruction. */
	const bool by_function = to->lanes > 1 && ((from->class == SPIRV_FLOAT && from->bits == 16) ||
						   (to->class == SPIRV_FLOAT && to->bits == 16));
	if (facts->saturated || facts->rounding != SPIRV_NONE || op->detail & SATURATES || by_function)
		return convert_by_function(reader, op, from, value,
					   facts->saturated || op->detail & SATURATES);
	return spirv_define(reader, op, convert(reader, op, from, value));
}

/* To what a half can be, kept as a float; what is smaller than its normal numbers becomes 0. */
static bool build_quantized(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef value = spirv_value_of(reader, op->words[3], op->type->value);
	LLVMBuilderRef builder = reader->builder;
	const unsigned lanes = op->type->lanes;
	if (!value)
		return false;
	if (op->type->class != SPIRV_FLOAT || op->type->bits != 32)
		return spirv_fail(reader, "the operand is no float");
	struct spirv_type half = *op->type;
	half.bits = 16;
	half.value = spirv_vector(LLVMHalfTypeInContext(reader->context), lanes);
	char name[48];
	const struct spirv_argument wide = spirv_by_value(op->type, value, true);
	name_function(name, sizeof(name), &half, true, false, SPIRV_NONE);
	LLVMValueRef narrow = spirv_call(reader, name, half.value, &wide, 1);
	if (!narrow)
		return false;
	LLVMTypeRef word = spirv_vector(spirv_int(reader, 16), lanes);
	LLVMValueRef bits = LLVMBuildBitCast(builder, narrow, word, "");
	LLVMValueRef exponent = LLVMBuildAnd(builder, bits, spirv_splat(word, 0x7c00), "");
	LLVMValueRef is_small = LLVMBuildICmp(builder, LLVMIntEQ, exponent, LLVMConstNull(word), "");
	LLVMValueRef zero = LLVMBuildAnd(builder, bits, spirv_splat(word, 0x8000), "");
	bits = LLVMBuildSelect(builder, is_small, zero, bits, "");
	const struct spirv_argument back =
		spirv_by_value(&half, LLVMBuildBitCast(builder, bits, half.value, ""), true);
	name_function(name, sizeof(name), op->type, true, false, SPIRV_NONE);
	return spirv_define(reader, op, spirv_call(reader, name, op->type->value, &back, 1));
}

/* --- pointers -------------------------------------------------------------------------------------------------- */

/* Reservations and events are pointers to Clang, which makes them of numbers and of other pointers. */
static bool is_pointer(const struct spirv_type *type)
{
	return type->class == SPIRV_POINTER || type->class == SPIRV_RESERVATION || type->class == SPIRV_EVENT;
}

/* A pointer as 64 bits.  A local one is compared with NULL, which tells the lowering that somebody looks for
 * it: an object is not at 0 then (lower_local.c). */
static LLVMValueRef number_of(struct spirv_reader *reader, LLVMValueRef pointer)
{
	LLVMTypeRef word = spirv_int(reader, 64), type = LLVMTypeOf(pointer);
	LLVMValueRef number = LLVMBuildPtrToInt(reader->builder, pointer, word, "");
	if (LLVMIsConstant(pointer) || LLVMGetPointerAddressSpace(type) != SPIRV_LOCAL)
		return number;
	LLVMValueRef is_null = LLVMBuildICmp(reader->builder, LLVMIntEQ, pointer, LLVMConstNull(type), "");
	return LLVMBuildSelect(reader->builder, is_null, LLVMConstNull(word), number, "");
}

/* Of a number or a vector of numbers: all its bits. */
static unsigned size_of(const struct spirv_type *type)
{
	return spirv_is_number(type) ? type->bits * type->lanes : 0;
}

/* From SPIR-V 1.5 on also a vector, of as many bits. */
static bool pointer_to_number(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef pointer = spirv_pointer(reader, op->words[3]);
	if (!pointer)
		return false;
	LLVMValueRef number = number_of(reader, pointer);
	if (op->type->class == SPIRV_INT && op->type->lanes == 1)
		number = LLVMBuildIntCast2(reader->builder, number, op->type->value, false, "");
	else if (size_of(op->type) == 64)
		number = LLVMBuildBitCast(reader->builder, number, op->type->value, "");
	else
		return spirv_fail(reader, "the result is no number of 64 bits");
	return spirv_define(reader, op, number);
}

static bool number_to_pointer(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *from = spirv_type_of(reader, op->words[3]);
	LLVMValueRef value = from ? spirv_value(reader, op->words[3]) : NULL;
	if (!value)
		return false;
	if (!is_pointer(op->type))
		return spirv_fail(reader, "the result is no pointer");
	if (from->class != SPIRV_INT || from->lanes != 1) {
		if (size_of(from) != 64)
			return spirv_fail(reader, "the operand is no number of 64 bits");
		value = LLVMBuildBitCast(reader->builder, value, spirv_int(reader, 64), "");
	}
	return spirv_define(reader, op, LLVMBuildIntToPtr(reader->builder, value, op->type->value, ""));
}

/* Between generic pointers and those of one address space; private ones are generic to LLVM. */
static bool cast_pointer(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef pointer = spirv_pointer(reader, op->words[3]);
	if (!pointer)
		return false;
	if (!is_pointer(op->type))
		return spirv_fail(reader, "the result is no pointer");
	if (LLVMTypeOf(pointer) != op->type->value)
		pointer = LLVMBuildAddrSpaceCast(reader->builder, pointer, op->type->value, "");
	return spirv_define(reader, op, pointer);
}

/* To an address space, or NULL where the pointer is of another one. */
static bool cast_explicitly(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t storage = op->type->class == SPIRV_POINTER ? op->type->storage : SPIRV_NONE;
	const char *name = storage == SpvStorageClassWorkgroup        ? "__to_local"
			   : storage == SpvStorageClassCrossWorkgroup ? "__to_global"
			   : storage == SpvStorageClassFunction       ? "__to_private"
								      : NULL;
	LLVMValueRef pointer = spirv_value_of(reader, op->words[3], spirv_ptr(reader, SPIRV_PRIVATE));
	if (!pointer)
		return false;
	if (!name)
		return spirv_fail(reader, "the result is no pointer of an address space");
	return spirv_define(reader, op, spirv_call_plain(reader, name, op->type->value, &pointer, 1));
}

/* --- bits ---------------------------------------------------------------------------------------------------------- */

static bool build_bitcast(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *from = spirv_type_of(reader, op->words[3]);
	if (!from)
		return false;
	if (is_pointer(from) && spirv_is_number(op->type))
		return pointer_to_number(reader, op);
	if (spirv_is_number(from) && is_pointer(op->type))
		return number_to_pointer(reader, op);
	LLVMValueRef value = spirv_value(reader, op->words[3]);
	if (!value)
		return false;
	if (size_of(from) && size_of(from) == size_of(op->type))
		value = LLVMBuildBitCast(reader->builder, value, op->type->value, "");
	return spirv_define(reader, op, value);
}

const struct spirv_row spirv_conversion_rows[] = {
	{SpvOpConvertFToU, 4, 4, FROM_REAL, build_convert},
	{SpvOpConvertFToS, 4, 4, FROM_REAL | TO_SIGNED, build_convert},
	{SpvOpConvertSToF, 4, 4, FROM_SIGNED | TO_REAL, build_convert},
	{SpvOpConvertUToF, 4, 4, TO_REAL, build_convert},
	{SpvOpUConvert, 4, 4, 0, build_convert},
	{SpvOpSConvert, 4, 4, FROM_SIGNED | TO_SIGNED, build_convert},
	{SpvOpFConvert, 4, 4, FROM_REAL | TO_REAL, build_convert},
	{SpvOpSatConvertSToU, 4, 4, FROM_SIGNED | SATURATES, build_convert},
	{SpvOpSatConvertUToS, 4, 4, TO_SIGNED | SATURATES, build_convert},
	{SpvOpQuantizeToF16, 4, 4, 0, build_quantized},
	{SpvOpConvertPtrToU, 4, 4, 0, pointer_to_number},
	{SpvOpConvertUToPtr, 4, 4, 0, number_to_pointer},
	{SpvOpPtrCastToGeneric, 4, 4, 0, cast_pointer},
	{SpvOpGenericCastToPtr, 4, 4, 0, cast_pointer},
	{SpvOpGenericCastToPtrExplicit, 5, 5, 0, cast_explicitly},
	{SpvOpBitcast, 4, 4, 0, build_bitcast},
	{0, 0, 0, 0, NULL},
};
