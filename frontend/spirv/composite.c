/* Values in other forms: conversions between types (SPIR-V 1.6, 3.49.11), and vectors, structs and arrays with their
 * parts (3.49.12). */
#include "config.h"

#include "frontend/spirv/opencl_std.h"

#include "frontend/llvm_compat.h"
#include "frontend/spirv/global.h"
#include "frontend/spirv/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- conversions of numbers ---------------------------------------------------------------------------------- */

/* The detail of a row: the kinds of operand and result.  Integers without FROM_SIGNED or TO_SIGNED are unsigned. */
enum { FROM_REAL = 1, FROM_SIGNED = 2, TO_REAL = 4, TO_SIGNED = 8, SATURATES = 16 };

/* The name of OpenCL C's function for a conversion (3.0, 6.4.3): "convert_uchar4_sat_rte". */
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

/* The rounding mode of a conversion: its decoration, or that of the kernel (RoundingModeRTZ); SPIRV_NONE is the
 * default. */
static uint32_t rounding_of(const struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t rounding = spirv_facts(reader->module, op->result)->rounding;
	if (rounding != SPIRV_NONE || op->type->class != SPIRV_FLOAT || !(reader->toward_zero & op->type->bits))
		return rounding;
	return SpvFPRoundingModeRTZ;
}

static bool convert_by_function(struct spirv_reader *reader, const struct spirv_op *op,
				const struct spirv_type *from, LLVMValueRef value, bool saturates)
{
	const uint32_t rounding = rounding_of(reader, op);
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

/* --- conversions of bfloat16 numbers ---- */

/* A float type with as many elements as a type. */
static struct spirv_type float_like(const struct spirv_reader *reader, const struct spirv_type *type)
{
	struct spirv_type made = *type;
	made.class = SPIRV_FLOAT;
	made.bits = 32;
	made.value = spirv_vector(LLVMFloatTypeInContext(reader->context), type->lanes);
	return made;
}

/* Converts between two types of numbers by OpenCL C's function; NULL with a message. */
static LLVMValueRef convert_numbers(struct spirv_reader *reader, const struct spirv_type *from, bool from_signed,
				    LLVMValueRef value, const struct spirv_type *to, bool to_signed, bool saturates,
				    uint32_t rounding)
{
	const struct spirv_argument argument = spirv_by_value(from, value, from_signed);
	char name[48];
	if (LLVMTypeOf(value) == to->value && from->class == to->class)
		return value;
	name_function(name, sizeof(name), to, to_signed, saturates, rounding);
	return spirv_call(reader, name, to->value, &argument, 1);
}

/* A number as a float that rounds to the same bfloat16 number: rounded to zero, with the lowest bit set if it is not
 * exact, so that the second rounding sees on which side of the middle the number is.  NULL with a message. */
static LLVMValueRef round_to_odd(struct spirv_reader *reader, const struct spirv_op *op,
				 const struct spirv_type *from, LLVMValueRef value)
{
	LLVMBuilderRef builder = reader->builder;
	const struct spirv_type real = float_like(reader, from);
	const bool is_signed = op->detail & FROM_SIGNED, is_real = from->class == SPIRV_FLOAT;
	LLVMTypeRef word = spirv_vector(spirv_int(reader, 32), from->lanes);
	LLVMValueRef cut = convert_numbers(reader, from, is_signed, value, &real, true, false, SpvFPRoundingModeRTZ);
	LLVMValueRef back = cut ? convert_numbers(reader, &real, true, cut, from, is_signed, !is_real, SPIRV_NONE)
				: NULL;
	if (!back)
		return NULL;
	LLVMValueRef differs = is_real ? LLVMBuildFCmp(builder, LLVMRealONE, back, value, "")
				       : LLVMBuildICmp(builder, LLVMIntNE, back, value, "");
	LLVMValueRef bits = LLVMBuildBitCast(builder, cut, word, "");
	bits = LLVMBuildOr(builder, bits, LLVMBuildZExt(builder, differs, word, ""), "");
	return LLVMBuildBitCast(builder, bits, real.value, "");
}

/* Builds a conversion from or to bfloat16.  It goes by float, which has all bfloat16 numbers. */
static bool build_bfloat(struct spirv_reader *reader, const struct spirv_op *op, const struct spirv_type *from,
			 LLVMValueRef value)
{
	const struct spirv_type *to = op->type;
	const struct spirv_facts *facts = spirv_facts(reader->module, op->result);
	const struct spirv_type real = float_like(reader, to);
	if (to->class != SPIRV_BFLOAT) {
		value = spirv_convert_bfloats(reader, value, to->lanes, false);
		return value && spirv_define(reader, op, convert_numbers(reader, &real, true, value, to,
									 op->detail & TO_SIGNED, facts->saturated,
									 facts->rounding));
	}
	if (facts->rounding != SPIRV_NONE && facts->rounding != SpvFPRoundingModeRTE)
		return spirv_fail(reader, "conversions to bfloat16 round to the nearest even number only");
	if (from->class == SPIRV_BFLOAT)
		return spirv_define(reader, op, value);
	value = from->class == SPIRV_FLOAT && from->bits <= 32
			? convert_numbers(reader, from, true, value, &real, true, false, SPIRV_NONE)
			: round_to_odd(reader, op, from, value);
	return value && spirv_define(reader, op, spirv_convert_bfloats(reader, value, to->lanes, true));
}

/* Builds OpConvertFToBF16INTEL and OpConvertBF16ToFINTEL (SPV_INTEL_bfloat16_conversion), whose bfloat16 numbers are
 * integers of 16 bits. */
static bool build_bfloat_bits(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool to_bfloat = op->op == SPIRV_OP_F_TO_BFLOAT16;
	const struct spirv_type *from = spirv_type_of(reader, op->words[3]), *to = op->type;
	LLVMValueRef value = from ? spirv_value(reader, op->words[3]) : NULL;
	const struct spirv_type *real = to_bfloat ? from : to, *bits = to_bfloat ? to : from;
	if (!value)
		return false;
	if (real->class != SPIRV_FLOAT || real->bits != 32 || bits->class != SPIRV_INT || bits->bits != 16 ||
	    real->lanes != bits->lanes)
		return spirv_fail(reader, "the operand and the result are not a float and an integer of 16 bits");
	return spirv_define(reader, op, spirv_convert_bfloats(reader, value, to->lanes, to_bfloat));
}

/* --- conversions of numbers: instructions ---- */

/* Whether a type is one of the numbers that a conversion reads or makes. */
static bool is_converted(const struct spirv_type *type, bool is_real)
{
	return is_real ? type->class == SPIRV_FLOAT || type->class == SPIRV_BFLOAT : type->class == SPIRV_INT;
}

static bool build_convert(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *from = spirv_type_of(reader, op->words[3]), *to = op->type;
	const struct spirv_facts *facts = spirv_facts(reader->module, op->result);
	LLVMValueRef value = from ? spirv_value(reader, op->words[3]) : NULL;
	if (!value)
		return false;
	if (!is_converted(from, op->detail & FROM_REAL) || !is_converted(to, op->detail & TO_REAL) ||
	    from->lanes != to->lanes)
		return spirv_fail(reader, "the operand or the result is of another kind of numbers, or has another "
				  "number of elements");
	if (from->class == SPIRV_BFLOAT || to->class == SPIRV_BFLOAT)
		return build_bfloat(reader, op, from, value);
	/* Clang converts vectors by these functions.  For vectors of halves their code is better than that of LLVM's
	 * instruction. */
	const bool by_function = to->lanes > 1 && ((from->class == SPIRV_FLOAT && from->bits == 16) ||
						   (to->class == SPIRV_FLOAT && to->bits == 16));
	if (facts->saturated || rounding_of(reader, op) != SPIRV_NONE || op->detail & SATURATES || by_function)
		return convert_by_function(reader, op, from, value,
					   facts->saturated || op->detail & SATURATES);
	return spirv_define(reader, op, convert(reader, op, from, value));
}

/* Builds OpQuantizeToF16: rounds a float to the nearest half; results below the normal halves become 0 (SPIR-V 1.6,
 * 3.49.11). */
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

/* --- conversions of pointers --------------------------------------------------------------------------------- */

/* Whether a type is a pointer in LLVM IR that Clang converts from and to numbers and other pointers. */
static bool is_pointer(const struct spirv_type *type)
{
	return type->class == SPIRV_POINTER || type->class == SPIRV_RESERVATION || type->class == SPIRV_EVENT;
}

/* A pointer as an i64.  A local pointer is compared with NULL, which tells the lowering that the program can see its
 * address, so that no object is at address 0 (lower_local.c). */
static LLVMValueRef number_of(struct spirv_reader *reader, LLVMValueRef pointer)
{
	LLVMTypeRef word = spirv_int(reader, 64), type = LLVMTypeOf(pointer);
	LLVMValueRef number = LLVMBuildPtrToInt(reader->builder, pointer, word, "");
	if (LLVMIsConstant(pointer) || LLVMGetPointerAddressSpace(type) != SPIRV_LOCAL)
		return number;
	LLVMValueRef is_null = LLVMBuildICmp(reader->builder, LLVMIntEQ, pointer, LLVMConstNull(type), "");
	return LLVMBuildSelect(reader->builder, is_null, LLVMConstNull(word), number, "");
}

/* The number of bits of a number or a vector of numbers; 0 for other types. */
static unsigned size_of(const struct spirv_type *type)
{
	return spirv_is_number(type) || type->class == SPIRV_BFLOAT ? type->bits * type->lanes : 0;
}

/* Builds OpConvertPtrToU, and OpBitcast of a pointer, whose result may be a vector of 64 bits from SPIR-V 1.5 on. */
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

/* Builds OpPtrCastToGeneric and OpGenericCastToPtr.  Private pointers have the generic address space in LLVM IR. */
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

/* Builds OpGenericCastToPtrExplicit, which gives NULL if the pointer is not in the address space. */
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

/* --- OpBitcast ----------------------------------------------------------------------------------------------- */

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

enum { MOST_LANES = 16 };

/* --- parts of composites ------------------------------------------------------------------------------------- */

/* The type of a part by its index; NULL with a message. */
static const struct spirv_type *part_of(struct spirv_reader *reader, const struct spirv_type *type,
					uint32_t index)
{
	const uint64_t count = type->class == SPIRV_STRUCT  ? type->part_count
			       : type->class == SPIRV_ARRAY ? type->length
			       : type->lanes > 1            ? type->lanes
							    : 0;
	if (index < count)
		return type->class == SPIRV_STRUCT ? type->parts[index] : type->element;
	spirv_fail(reader, "the type %" PRIu32 " has no part %" PRIu32, type->id, index);
	return NULL;
}

/* A part of an aggregate in memory.  Index operands of the instruction lead to it, one level after the other. */
struct place {
	const struct spirv_type *type;
	LLVMValueRef pointer;
	bool is_packed;             /* the part is in a packed struct, and so not aligned */
	unsigned at;                /* the next index operand */
};

static unsigned alignment_at(const struct place *place)
{
	return place->is_packed ? 1 : place->type->align_B;
}

/* Follows the indices as long as they select parts of structs and arrays; false with a message. */
static bool follow(struct spirv_reader *reader, const struct spirv_op *op, struct place *place)
{
	for (; place->at < op->count && spirv_is_aggregate(place->type); place->at++) {
		const struct spirv_type *whole = place->type;
		LLVMValueRef index = spirv_number(reader, 64, op->words[place->at]);
		place->type = part_of(reader, whole, op->words[place->at]);
		if (!place->type)
			return false;
		if (whole->class == SPIRV_STRUCT)
			place->pointer = LLVMBuildStructGEP2(reader->builder, whole->memory, place->pointer,
							     op->words[place->at], "");
		else
			place->pointer = LLVMBuildInBoundsGEP2(reader->builder, place->type->memory,
							       place->pointer, &index, 1, "");
		place->is_packed |= spirv_facts(reader->module, whole->id)->packed;
	}
	return true;
}

/* --- extraction ---------------------------------------------------------------------------------------------- */

/* As extract_from_memory, for an aggregate that is a constant. */
static LLVMValueRef follow_constant(struct spirv_reader *reader, const struct spirv_op *op, unsigned *at,
				    const struct spirv_type **type, LLVMValueRef value)
{
	for (; *at < op->count && spirv_is_aggregate(*type) && value; (*at)++) {
		*type = part_of(reader, *type, op->words[*at]);
		value = *type ? LLVMGetAggregateElement(value, op->words[*at]) : NULL;
	}
	return value && LLVMTypeOf(value) == (*type)->memory ? spirv_from_memory(reader, *type, value) : value;
}

/* The part of a struct or array that the indices select, or the vector that contains it.  *at and *type become the next
 * index operand and the type of the part.  NULL with a message. */
static LLVMValueRef extract_from_memory(struct spirv_reader *reader, const struct spirv_op *op,
					unsigned *at, const struct spirv_type **type, LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
		return follow_constant(reader, op, at, type, value);
	struct place place = {.type = *type, .pointer = value, .at = *at};
	if (!follow(reader, op, &place))
		return NULL;
	*type = place.type;
	*at = place.at;
	if (spirv_is_aggregate(place.type))
		return place.pointer;
	return spirv_load(reader, place.type, place.pointer, alignment_at(&place), false);
}

static bool build_extract(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_instruction made = spirv_of(reader->module, op->words[3]);
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef value = type ? spirv_value(reader, op->words[3]) : NULL;
	unsigned at = 4;
	if (!value)
		return false;
	/* An element of a built-in variable, such as a global id, needs only one call. */
	if (made.op == SpvOpLoad && made.count > 3 && op->count == 5 &&
	    spirv_is_input(reader->module, made.words[3]) && !reader->made[made.words[3]] && reader->body)
		return spirv_define(reader, op, spirv_input_element(reader, made.words[3], op->words[4]));
	if (spirv_is_aggregate(type))
		value = extract_from_memory(reader, op, &at, &type, value);
	if (value && at < op->count) {
		if (!part_of(reader, type, op->words[at]))
			return false;
		value = LLVMBuildExtractElement(reader->builder, value,
						spirv_number(reader, 32, op->words[at++]), "");
	}
	if (value && at < op->count)
		return spirv_fail(reader, "the path leads through something without parts");
	return value && spirv_define(reader, op, value);
}

/* --- insertion ----------------------------------------------------------------------------------------------- */

/* A constant in its form in memory; NULL, with a message, if it has another type. */
static LLVMValueRef in_memory(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value)
{
	if (LLVMTypeOf(value) == type->value)
		return spirv_to_memory(reader, type, value);
	if (LLVMTypeOf(value) == type->memory)
		return value;
	spirv_fail(reader, "the part has another type than its place");
	return NULL;
}

static LLVMValueRef insert_constant(struct spirv_reader *reader, const struct spirv_op *op, unsigned at,
				    const struct spirv_type *type, LLVMValueRef whole, LLVMValueRef part);

/* As insert_constant, for a struct or array. */
static LLVMValueRef insert_in_parts(struct spirv_reader *reader, const struct spirv_op *op, unsigned at,
				    const struct spirv_type *type, LLVMValueRef whole, LLVMValueRef part)
{
	enum { MOST_PARTS = 1 << 16 };
	const uint64_t count = type->class == SPIRV_STRUCT ? type->part_count : type->length;
	const uint32_t index = op->words[at];
	LLVMValueRef *parts = count <= MOST_PARTS ? calloc(count + 1, sizeof(LLVMValueRef)) : NULL;
	LLVMValueRef made = NULL;
	if (!parts) {
		spirv_fail(reader, "the constant has too many parts");
		return NULL;
	}
	for (uint64_t i = 0; i < count; i++)
		parts[i] = LLVMGetAggregateElement(whole, (unsigned)i);
	parts[index] = insert_constant(reader, op, at + 1,
				       type->class == SPIRV_STRUCT ? type->parts[index] : type->element,
				       parts[index], part);
	if (parts[index])
		made = type->class == SPIRV_STRUCT
			       ? LLVMConstNamedStruct(type->memory, parts, (unsigned)count)
			       : LLVMConstArray2(type->element->memory, parts, count);
	free(parts);
	return made;
}

/* A copy of a constant in which the part that the indices from words[at] on select is replaced.  All are in their form
 * in memory.  NULL with a message. */
static LLVMValueRef insert_constant(struct spirv_reader *reader, const struct spirv_op *op, unsigned at,
				    const struct spirv_type *type, LLVMValueRef whole, LLVMValueRef part)
{
	if (at == op->count)
		return in_memory(reader, type, part);
	if (!part_of(reader, type, op->words[at]))
		return NULL;
	if (spirv_is_aggregate(type))
		return insert_in_parts(reader, op, at, type, whole, part);
	LLVMValueRef lane = in_memory(reader, type->element, part);
	if (lane && at + 1 < op->count)
		spirv_fail(reader, "the path leads through something without parts");
	return lane && at + 1 == op->count
		       ? LLVMBuildInsertElement(reader->builder, whole, lane,
						spirv_number(reader, 32, op->words[at]), "")
		       : NULL;
}

/* Copies a struct or array and replaces a part in the copy; false with a message. */
static bool insert_in_memory(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef whole)
{
	const struct spirv_type *type = op->type;
	struct place place = {
		.type = type, .pointer = spirv_alloca(reader, type->memory, type->align_B), .at = 5,
	};
	LLVMValueRef copy = place.pointer;
	spirv_copy(reader, copy, type->align_B, spirv_memory_of(reader, type, whole), type->align_B,
		   spirv_number(reader, 64, type->size_B), false);
	if (!follow(reader, op, &place))
		return false;
	if (place.at < op->count) {
		LLVMValueRef index = spirv_number(reader, 64, op->words[place.at]);
		place.type = part_of(reader, place.type, op->words[place.at++]);
		if (!place.type)
			return false;
		place.pointer = LLVMBuildInBoundsGEP2(reader->builder, place.type->memory, place.pointer, &index,
						      1, "");
	}
	if (place.at < op->count)
		return spirv_fail(reader, "the path leads through something without parts");
	LLVMValueRef part = spirv_value_as(reader, op->words[3], place.type);
	return part && spirv_store(reader, place.type, part, place.pointer, alignment_at(&place), false) &&
	       spirv_define(reader, op, copy);
}

static bool build_insert(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef part = spirv_value(reader, op->words[3]);
	LLVMValueRef whole = part ? spirv_value(reader, op->words[4]) : NULL;
	if (!whole)
		return false;
	if (op->count == 5)
		return spirv_define(reader, op, spirv_value_as(reader, op->words[3], op->type));
	if (spirv_is_aggregate(op->type)) {
		whole = spirv_value_as(reader, op->words[4], op->type);
		if (!whole || reader->body)
			return whole && insert_in_memory(reader, op, whole);
		return spirv_define(reader, op, insert_constant(reader, op, 5, op->type, whole, part));
	}
	if (op->count != 6 || !part_of(reader, op->type, op->words[5]))
		return op->count != 6 ? spirv_fail(reader, "the path leads through something without parts")
				      : false;
	if (LLVMTypeOf(whole) != op->type->value || LLVMTypeOf(part) != op->type->element->value)
		return spirv_fail(reader, "the operands have other types than the result");
	return spirv_define(reader, op, LLVMBuildInsertElement(reader->builder, whole, part,
							       spirv_number(reader, 32, op->words[5]), ""));
}

/* --- construction -------------------------------------------------------------------------------------------- */

/* Appends the elements of an operand, a number or a vector, to a vector; false with a message. */
static bool add_lanes(struct spirv_reader *reader, const struct spirv_op *op, uint32_t id, LLVMValueRef *whole,
		      unsigned *filled)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef part = type ? spirv_value(reader, id) : NULL;
	if (!part)
		return false;
	LLVMTypeRef element = type->lanes > 1 ? type->element->value : type->value;
	if (element != op->type->element->value || type->lanes > op->type->lanes - *filled)
		return spirv_fail(reader, "the operands are too many, or not of the vector's elements");
	for (unsigned i = 0; i < type->lanes; i++) {
		LLVMValueRef lane = type->lanes == 1 ? part
			: LLVMBuildExtractElement(reader->builder, part, spirv_number(reader, 32, i), "");
		*whole = LLVMBuildInsertElement(reader->builder, *whole, lane,
						spirv_number(reader, 32, (*filled)++), "");
	}
	return true;
}

static bool construct_vector(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef whole = LLVMGetUndef(op->type->value);
	unsigned filled = 0;
	for (unsigned i = 3; i < op->count; i++)
		if (!add_lanes(reader, op, op->words[i], &whole, &filled))
			return false;
	if (filled != op->type->lanes)
		return spirv_fail(reader, "%u elements for a vector of %u", filled, op->type->lanes);
	return spirv_define(reader, op, whole);
}

static bool construct_in_memory(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type;
	const uint64_t count = type->class == SPIRV_STRUCT ? type->part_count : type->length;
	if (op->count - 3 != count)
		return spirv_fail(reader, "%u parts for a type with %" PRIu64, op->count - 3, count);
	LLVMValueRef memory = spirv_alloca(reader, type->memory, type->align_B);
	const bool is_packed = spirv_facts(reader->module, type->id)->packed;
	for (unsigned i = 0; i < count; i++) {
		const struct spirv_type *part = part_of(reader, type, i);
		LLVMValueRef value = spirv_value_as(reader, op->words[i + 3], part), place;
		LLVMValueRef index = spirv_number(reader, 64, i);
		if (!value)
			return false;
		if (type->class == SPIRV_STRUCT)
			place = LLVMBuildStructGEP2(reader->builder, type->memory, memory, i, "");
		else
			place = LLVMBuildInBoundsGEP2(reader->builder, part->memory, memory, &index, 1, "");
		if (!spirv_store(reader, part, value, place, is_packed, false))
			return false;
	}
	return spirv_define(reader, op, memory);
}

static bool build_construct(struct spirv_reader *reader, const struct spirv_op *op)
{
	if (spirv_is_aggregate(op->type))
		return construct_in_memory(reader, op);
	if (op->type->rows)
		return spirv_matrix_fill(reader, op);
	if (op->type->lanes > 1)
		return construct_vector(reader, op);
	return spirv_fail(reader, "the result has no parts");
}

/* --- vectors ------------------------------------------------------------------------------------------------- */

/* Appends undefined elements to a vector: LLVM shuffles two vectors of one type only. */
static LLVMValueRef lengthen(struct spirv_reader *reader, LLVMValueRef vector, unsigned lanes)
{
	LLVMValueRef mask[MOST_LANES];
	const unsigned own = LLVMGetVectorSize(LLVMTypeOf(vector));
	if (own == lanes)
		return vector;
	for (unsigned i = 0; i < lanes; i++)
		mask[i] = i < own ? spirv_number(reader, 32, i) : LLVMGetUndef(spirv_int(reader, 32));
	return LLVMBuildShuffleVector(reader->builder, vector, LLVMGetUndef(LLVMTypeOf(vector)),
				      LLVMConstVector(mask, lanes), "");
}

static bool build_shuffle(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *first = spirv_type_of(reader, op->words[3]);
	const struct spirv_type *second = first ? spirv_type_of(reader, op->words[4]) : NULL;
	LLVMValueRef a = second ? spirv_value(reader, op->words[3]) : NULL;
	LLVMValueRef b = a ? spirv_value(reader, op->words[4]) : NULL, mask[MOST_LANES];
	if (!b)
		return false;
	const unsigned lanes = op->count - 5, wide = first->lanes > second->lanes ? first->lanes : second->lanes;
	if (first->lanes == 1 || second->lanes == 1 || op->type->lanes != lanes || lanes == 1 ||
	    first->element->value != second->element->value ||
	    op->type->element->value != first->element->value)
		return spirv_fail(reader, "the operands and the result are no vectors of one kind of elements");
	bool takes_second = false;
	for (unsigned i = 0; i < lanes; i++) {
		const uint32_t lane = op->words[i + 5];
		if (lane != UINT32_MAX && lane >= first->lanes + second->lanes)
			return spirv_fail(reader, "the operands have no component %" PRIu32, lane);
		takes_second = takes_second || (lane != UINT32_MAX && lane >= first->lanes);
		/* 0xffffffff: the element is undefined. */
		mask[i] = lane == UINT32_MAX ? LLVMGetUndef(spirv_int(reader, 32))
			  : spirv_number(reader, 32, lane < first->lanes ? lane : lane - first->lanes + wide);
	}
	a = lengthen(reader, a, wide);
	/* The lowering recognizes shuffles of one vector by an undefined second operand. */
	b = takes_second ? lengthen(reader, b, wide) : LLVMGetUndef(LLVMTypeOf(a));
	return spirv_define(reader, op, LLVMBuildShuffleVector(reader->builder, a, b,
							       LLVMConstVector(mask, lanes), ""));
}

/* Operands that are a vector and an index that need not be constant.  Returns the vector; NULL with a message. */
static LLVMValueRef vector_and_index(struct spirv_reader *reader, uint32_t vector, uint32_t index,
				     const struct spirv_type **type_out, LLVMValueRef *index_out)
{
	const struct spirv_type *type = spirv_type_of(reader, vector);
	const struct spirv_type *number = type ? spirv_type_of(reader, index) : NULL;
	LLVMValueRef value = number ? spirv_value(reader, vector) : NULL;
	*index_out = value ? spirv_value(reader, index) : NULL;
	if (!*index_out)
		return NULL;
	if (type->lanes == 1 || number->class != SPIRV_INT || number->lanes != 1) {
		spirv_fail(reader, "the operands are no vector and index");
		return NULL;
	}
	*type_out = type;
	return value;
}

static bool build_extract_dynamic(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type;
	LLVMValueRef index;
	LLVMValueRef vector = vector_and_index(reader, op->words[3], op->words[4], &type, &index);
	return vector && spirv_define(reader, op, LLVMBuildExtractElement(reader->builder, vector, index, ""));
}

static bool build_insert_dynamic(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type;
	LLVMValueRef index;
	LLVMValueRef vector = vector_and_index(reader, op->words[3], op->words[5], &type, &index);
	LLVMValueRef part = vector ? spirv_value_of(reader, op->words[4], type->element->value) : NULL;
	return part && spirv_define(reader, op,
				    LLVMBuildInsertElement(reader->builder, vector, part, index, ""));
}

/* Builds OpCopyObject, and OpCopyLogical (SPIR-V 1.4), whose result type has the same layout as the operand's. */
static bool build_copy(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	if (!type)
		return false;
	if (op->op == SpvOpCopyObject || !spirv_is_aggregate(type)) {
		LLVMValueRef value = type->class == SPIRV_POINTER && op->type->class == SPIRV_POINTER
					     ? spirv_pointer(reader, op->words[3])
					     : spirv_value_as(reader, op->words[3], op->type);
		return value && spirv_define(reader, op, value);
	}
	if (!spirv_is_aggregate(op->type) || type->size_B != op->type->size_B)
		return spirv_fail(reader, "the types do not match");
	LLVMValueRef value = spirv_value(reader, op->words[3]);
	value = value ? spirv_private(reader, type, value) : NULL;
	return value && spirv_define(reader, op, value);
}

const struct spirv_row spirv_composite_rows[] = {
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
	{SPIRV_OP_F_TO_BFLOAT16, 4, 4, 0, build_bfloat_bits},
	{SPIRV_OP_BFLOAT16_TO_F, 4, 4, 0, build_bfloat_bits},
	{SpvOpConvertPtrToU, 4, 4, 0, pointer_to_number},
	{SpvOpConvertUToPtr, 4, 4, 0, number_to_pointer},
	{SpvOpPtrCastToGeneric, 4, 4, 0, cast_pointer},
	{SpvOpGenericCastToPtr, 4, 4, 0, cast_pointer},
	{SpvOpGenericCastToPtrExplicit, 5, 5, 0, cast_explicitly},
	{SpvOpBitcast, 4, 4, 0, build_bitcast},
	{SpvOpCompositeConstruct, 3, 0, 0, build_construct},
	{SpvOpCompositeExtract, 4, 0, 0, build_extract},
	{SpvOpCompositeInsert, 5, 0, 0, build_insert},
	{SpvOpVectorShuffle, 5, 0, 0, build_shuffle},
	{SpvOpVectorExtractDynamic, 5, 5, 0, build_extract_dynamic},
	{SpvOpVectorInsertDynamic, 6, 6, 0, build_insert_dynamic},
	{SpvOpCopyObject, 4, 4, 0, build_copy},
	{SpvOpCopyLogical, 4, 4, 0, build_copy},
	{0, 0, 0, 0, NULL},
};
