/* Vectors, structs and arrays as values, and their parts (SPIR-V 1.6, 3.49.12). */
#include "config.h"

#include "frontend/spirv_reader.h"

#include "frontend/llvm_compat.h"
#include "frontend/spirv_input.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_LANES = 16 };

/* --- paths to parts --------------------------------------------------------------------------------------- */

/* A part by its number; NULL with a message. */
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

/* A part in memory, on the way that a path leads. */
struct place {
	const struct spirv_type *type;
	LLVMValueRef pointer;
	bool is_packed;             /* it lies in a packed struct, as it comes */
	unsigned at;                /* the next word of the path */
};

static unsigned alignment_at(const struct place *place)
{
	return place->is_packed ? 1 : place->type->align_B;
}

/* Follows the path as long as it leads through structs and arrays; false with a message. */
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

/* --- extraction -------------------------------------------------------------------------------------------- */

/* Of a constant. */
static LLVMValueRef follow_constant(struct spirv_reader *reader, const struct spirv_op *op, unsigned *at,
				    const struct spirv_type **type, LLVMValueRef value)
{
	for (; *at < op->count && spirv_is_aggregate(*type) && value; (*at)++) {
		*type = part_of(reader, *type, op->words[*at]);
		value = *type ? LLVMGetAggregateElement(value, op->words[*at]) : NULL;
	}
	return value && LLVMTypeOf(value) == (*type)->memory ? spirv_from_memory(reader, *type, value) : value;
}

/* The part of a struct or array that a path leads to, or the vector that has it. */
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
	/* Of a vector of ids only what is needed is asked for. */
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

/* --- insertion --------------------------------------------------------------------------------------------- */

/* A constant of a type as it lies in memory; NULL, with a message, where it is of another type. */
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

/* Into a struct or array of count parts. */
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

/* A constant, as it lies in memory, with another part at the end of the path from words[at] on; NULL with a
 * message. */
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

/* Into a copy of a struct or array. */
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

/* --- construction ------------------------------------------------------------------------------------------- */

/* Appends the lanes of an operand; false with a message. */
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
	if (op->type->lanes > 1)
		return construct_vector(reader, op);
	return spirv_fail(reader, "the result has no parts");
}

/* --- vectors --------------------------------------------------------------------------------------------------- */

/* LLVM shuffles vectors of one type: the shorter one gets lanes that nobody asks for. */
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
		/* 0xffffffff: any value will do. */
		mask[i] = lane == UINT32_MAX ? LLVMGetUndef(spirv_int(reader, 32))
			  : spirv_number(reader, 32, lane < first->lanes ? lane : lane - first->lanes + wide);
	}
	a = lengthen(reader, a, wide);
	/* The lowering looks for shuffles of one vector. */
	b = takes_second ? lengthen(reader, b, wide) : LLVMGetUndef(LLVMTypeOf(a));
	return spirv_define(reader, op, LLVMBuildShuffleVector(reader->builder, a, b,
							       LLVMConstVector(mask, lanes), ""));
}

/* A vector and an index that only the kernel knows. */
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

/* OpCopyObject, and OpCopyLogical (SPIR-V 1.4), to a type that has the same parts and lies in memory alike. */
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
