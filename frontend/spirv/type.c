/* Types (SPIR-V 1.6, 3.49.6) as LLVM's. */
#include "config.h"

#include "frontend/spirv/type.h"

#include "frontend/llvm_compat.h"
#include "frontend/spirv/object.h"
#include "frontend/spirv/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* SPIR-V 1.6, 2.17: the depth of nesting that all consumers have to support. */
enum { MOST_DEEP = 255 };
/* Larger than any device's memory, and small enough that the sum of a struct's members does not overflow. */
#define MOST_SIZE_B (UINT64_C(1) << 46)

bool spirv_space(uint32_t storage, unsigned *space_out)
{
	switch (storage) {
	case SpvStorageClassUniformConstant: *space_out = SPIRV_CONSTANT; return true;
	case SpvStorageClassWorkgroup: *space_out = SPIRV_LOCAL; return true;
	case SpvStorageClassCrossWorkgroup: *space_out = SPIRV_GLOBAL; return true;
	/* In LLVM IR generic pointers and private ones have the same address space. */
	case SpvStorageClassInput:
	case SpvStorageClassFunction:
	case SpvStorageClassGeneric: *space_out = SPIRV_PRIVATE; return true;
	default: return false;
	}
}

/* --- type records -------------------------------------------------------------------------------------------- */

struct spirv_type *spirv_type_new(struct spirv_reader *reader, uint32_t id, enum spirv_class class)
{
	struct spirv_type *type = calloc(1, sizeof(*type));
	if (!type) {
		spirv_no_memory(reader);
		return NULL;
	}
	type->next = reader->types;
	reader->types = type;
	type->id = id;
	type->class = class;
	type->lanes = 1;
	type->depth = 1;
	type->made = spirv_of(reader->module, id);
	reader->made[id] = type;
	return type;
}

void spirv_types_finish(struct spirv_reader *reader)
{
	for (struct spirv_type *next, *type = reader->types; type; type = next) {
		next = type->next;
		free(type->parts);
		free(type);
	}
	reader->types = NULL;
}

bool spirv_type_set_layout(struct spirv_reader *reader, struct spirv_type *type, LLVMTypeRef value,
			   LLVMTypeRef memory)
{
	type->value = value;
	type->memory = memory;
	if (memory) {
		type->size_B = LLVMABISizeOfType(reader->layout, memory);
		type->align_B = LLVMABIAlignmentOfType(reader->layout, memory);
	}
	return true;
}

/* --- numbers ------------------------------------------------------------------------------------------------- */

static bool build_simple(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_type *type = spirv_type_new(reader, op->words[1],
					   op->op == SpvOpTypeVoid ? SPIRV_VOID : SPIRV_BOOL);
	if (!type)
		return false;
	if (op->op == SpvOpTypeVoid)
		return spirv_type_set_layout(reader, type, LLVMVoidTypeInContext(reader->context), NULL);
	type->bits = 8;
	return spirv_type_set_layout(reader, type, spirv_int(reader, 1), spirv_int(reader, 8));
}

static bool build_number(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool is_int = op->op == SpvOpTypeInt;
	const unsigned bits = spirv_scalar_bits(reader->module, op->words[1]);
	if (!bits && !is_int && op->count > 3)
		return spirv_fail(reader, "floating-point numbers of other encodings than IEEE 754's and bfloat16 are "
				  "not supported");
	if (!bits)
		return spirv_fail(reader, "numbers of %" PRIu32 " bits are not supported; integers have 8, 16, "
				  "32 or 64 bits, floating-point numbers 16, 32 or 64", op->words[2]);
	const bool is_bfloat = !is_int && op->count > 3;
	struct spirv_type *type = spirv_type_new(reader, op->words[1],
					   is_int ? SPIRV_INT : is_bfloat ? SPIRV_BFLOAT : SPIRV_FLOAT);
	if (!type)
		return false;
	type->bits = bits;
	LLVMTypeRef made = is_int || is_bfloat ? spirv_int(reader, bits)
			   : bits == 16 ? LLVMHalfTypeInContext(reader->context)
			   : bits == 32 ? LLVMFloatTypeInContext(reader->context)
					: LLVMDoubleTypeInContext(reader->context);
	return spirv_type_set_layout(reader, type, made, made);
}

static bool build_vector(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *element = spirv_type(reader, op->words[2]);
	const uint32_t lanes = op->words[3];
	if (!element)
		return false;
	if ((!spirv_is_number(element) && element->class != SPIRV_BOOL && element->class != SPIRV_BFLOAT) ||
	    element->lanes != 1)
		return spirv_fail(reader, "vectors have numbers or bools as their elements");
	if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
		return spirv_fail(reader, "vectors of %" PRIu32 " elements are not supported; they have 2, 3, 4, "
				  "8 or 16", lanes);
	struct spirv_type *type = spirv_type_new(reader, op->words[1], element->class);
	if (!type)
		return false;
	type->element = element;
	type->bits = element->bits;
	type->lanes = lanes;
	type->depth = 2;
	return spirv_type_set_layout(reader, type, LLVMVectorType(element->value, lanes),
			  LLVMVectorType(element->memory, lanes));
}

/* --- pointers ------------------------------------------------------------------------------------------------ */

const struct spirv_type *spirv_make_pointer(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	unsigned space;
	if (made.op != SpvOpTypePointer || made.count < 4)
		return spirv_fail(reader, "the id %" PRIu32 " is no type of pointers", id), NULL;
	if (reader->made[id])
		return reader->made[id];
	if (!spirv_space(made.words[2], &space)) {
		const char *name = spirv_name(SPIRV_NAME_STORAGE, made.words[2]);
		return spirv_fail(reader, "the storage class %s (%" PRIu32 ") is not supported",
				  name ? name : "", made.words[2]), NULL;
	}
	struct spirv_type *type = spirv_type_new(reader, id, SPIRV_POINTER);
	if (!type)
		return NULL;
	type->bits = 64;
	type->storage = made.words[2];
	type->pointee = made.words[3];
	spirv_type_set_layout(reader, type, spirv_ptr(reader, space), spirv_ptr(reader, space));
	return type;
}

static bool build_pointer(struct spirv_reader *reader, const struct spirv_op *op)
{
	return spirv_make_pointer(reader, op->words[1]) != NULL;
}

/* --- aggregates ---------------------------------------------------------------------------------------------- */

static bool has_memory(struct spirv_reader *reader, const struct spirv_type *type)
{
	return type->memory || spirv_fail(reader, "values of the type %" PRIu32 " have no place in memory",
					  type->id);
}

static bool build_array(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *element = spirv_type(reader, op->words[2]);
	LLVMValueRef length = element ? spirv_value(reader, op->words[3]) : NULL;
	if (!length || !has_memory(reader, element))
		return false;
	if (!LLVMIsAConstantInt(length) || LLVMGetIntTypeWidth(LLVMTypeOf(length)) > 64)
		return spirv_fail(reader, "the length %" PRIu32 " is no constant", op->words[3]);
	const uint64_t count = LLVMConstIntGetZExtValue(length);
	if (element->depth >= MOST_DEEP)
		return spirv_fail(reader, "more than %d types within one another", MOST_DEEP);
	if (element->size_B && count > MOST_SIZE_B / element->size_B)
		return spirv_fail(reader, "an array of %" PRIu64 " elements is too large", count);
	struct spirv_type *type = spirv_type_new(reader, op->words[1], SPIRV_ARRAY);
	if (!type)
		return false;
	type->element = element;
	type->length = count;
	type->depth = element->depth + 1;
	type->holds_matrix = element->holds_matrix;
	LLVMTypeRef made = LLVMArrayType2(element->memory, count);
	return spirv_type_set_layout(reader, type, made, made);
}

/* The type of a struct's member.  It may be a pointer type that is defined later (OpTypeForwardPointer). */
static const struct spirv_type *member_type(struct spirv_reader *reader, uint32_t id)
{
	if (spirv_of(reader->module, id).op == SpvOpTypePointer)
		return spirv_make_pointer(reader, id);
	const struct spirv_type *type = spirv_type(reader, id);
	return type && has_memory(reader, type) ? type : NULL;
}

static bool find_members(struct spirv_reader *reader, const struct spirv_op *op, struct spirv_type *type,
			 LLVMTypeRef *members)
{
	uint64_t size_B = 0;
	for (unsigned i = 0; i < type->part_count; i++) {
		const struct spirv_type *member = member_type(reader, op->words[i + 2]);
		if (!member)
			return false;
		type->parts[i] = member;
		members[i] = member->memory;
		type->holds_matrix |= member->holds_matrix;
		type->depth = member->depth >= type->depth ? member->depth + 1 : type->depth;
		size_B += member->size_B + member->align_B;
		if (type->depth > MOST_DEEP || size_B > MOST_SIZE_B)
			return spirv_fail(reader, "the struct is too large");
	}
	return true;
}

static LLVMTypeRef name_struct(struct spirv_reader *reader, const struct spirv_type *type)
{
	const char *name = spirv_facts(reader->module, type->id)->name;
	return LLVMStructCreateNamed(reader->context, name && strlen(name) < 256 ? name : "struct");
}

/* The LLVM type of a struct.  It has a name, so that the text of the IR describes it once.  All structs with the same
 * layout share one LLVM type, because LLVM's SPIR-V back end mixes structs whose pointers have different targets. */
static LLVMTypeRef struct_of(struct spirv_reader *reader, struct spirv_type *type, LLVMTypeRef *members)
{
	const bool packed = spirv_facts(reader->module, type->id)->packed;
	type->shape = LLVMStructTypeInContext(reader->context, members, type->part_count, packed);
	struct spirv_type **list = &reader->shapes[((uintptr_t)type->shape >> 4) % SPIRV_SHAPES];
	for (const struct spirv_type *other = *list; other; other = other->next_shape)
		if (other->shape == type->shape)
			return other->memory;
	type->next_shape = *list;
	*list = type;
	LLVMTypeRef made = name_struct(reader, type);
	LLVMStructSetBody(made, members, type->part_count, packed);
	return made;
}

static bool build_struct(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_type *type = spirv_type_new(reader, op->words[1], SPIRV_STRUCT);
	if (!type)
		return false;
	/* The type is not visible until it is complete. */
	reader->made[op->words[1]] = NULL;
	type->part_count = op->count - 2;
	type->parts = calloc((size_t)type->part_count + 1, sizeof(struct spirv_type *));
	LLVMTypeRef *members = calloc((size_t)type->part_count + 1, sizeof(LLVMTypeRef));
	if (!type->parts || !members) {
		free(members);
		return spirv_no_memory(reader);
	}
	const bool good = find_members(reader, op, type, members);
	if (good) {
		LLVMTypeRef made = struct_of(reader, type, members);
		spirv_type_set_layout(reader, type, made, made);
		reader->made[op->words[1]] = type;
	}
	free(members);
	return good;
}

/* --- functions ----------------------------------------------------------------------------------------------- */

static bool build_function(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *returned = spirv_type(reader, op->words[2]);
	struct spirv_type *type = returned ? spirv_type_new(reader, op->words[1], SPIRV_FUNCTION) : NULL;
	if (!type)
		return false;
	reader->made[op->words[1]] = NULL;
	type->returned = returned;
	type->part_count = op->count - 3;
	type->parts = calloc((size_t)type->part_count + 1, sizeof(struct spirv_type *));
	if (!type->parts)
		return spirv_no_memory(reader);
	for (unsigned i = 0; i < type->part_count; i++) {
		type->parts[i] = spirv_type(reader, op->words[i + 3]);
		if (!type->parts[i])
			return false;
		if (type->parts[i]->class == SPIRV_VOID || !type->parts[i]->value)
			return spirv_fail(reader, "no parameter has the type %" PRIu32, op->words[i + 3]);
	}
	if (!returned->value || returned->class == SPIRV_FUNCTION)
		return spirv_fail(reader, "no function returns the type %" PRIu32, returned->id);
	reader->made[op->words[1]] = type;
	return true;
}

/* --- objects ------------------------------------------------------------------------------------------------- */

static bool build_opaque(struct spirv_reader *reader, const struct spirv_op *op)
{
	return spirv_type_new(reader, op->words[1], SPIRV_OPAQUE) != NULL;
}

static bool build_image(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_type *type = spirv_type_new(reader, op->words[1], SPIRV_IMAGE);
	if (!type)
		return false;
	if (!spirv_image_is_supported(type))
		return spirv_fail(reader, "an image of a kind that OpenCL C has not");
	return spirv_type_set_layout(reader, type, spirv_ptr(reader, SPIRV_GLOBAL), spirv_ptr(reader, SPIRV_GLOBAL));
}

/* An image combined with a sampler is no value in LLVM IR (object.c). */
static bool build_sampled_image(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *image = spirv_type(reader, op->words[2]);
	if (image && image->class != SPIRV_IMAGE)
		return spirv_fail(reader, "the type %" PRIu32 " is no image's", op->words[2]);
	return image && spirv_type_new(reader, op->words[1], SPIRV_SAMPLED_IMAGE);
}

static bool build_pipe(struct spirv_reader *reader, const struct spirv_op *op)
{
	if (op->words[2] > SpvAccessQualifierWriteOnly)
		return spirv_fail(reader, "a pipe is read only or write only");
	struct spirv_type *type = spirv_type_new(reader, op->words[1], SPIRV_PIPE);
	return type && spirv_type_set_layout(reader, type, spirv_ptr(reader, SPIRV_GLOBAL),
				  spirv_ptr(reader, SPIRV_GLOBAL));
}

static bool build_object(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const struct {
		unsigned op;
		enum spirv_class class;
		unsigned space;
	} rows[] = {
		{SpvOpTypeSampler, SPIRV_SAMPLER, SPIRV_CONSTANT},
		{SpvOpTypeEvent, SPIRV_EVENT, SPIRV_PRIVATE},
		{SpvOpTypeReserveId, SPIRV_RESERVATION, SPIRV_PRIVATE},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].op != op->op)
			continue;
		struct spirv_type *type = spirv_type_new(reader, op->words[1], rows[i].class);
		return type && spirv_type_set_layout(reader, type, spirv_ptr(reader, rows[i].space),
					  spirv_ptr(reader, rows[i].space));
	}
	/* A named barrier (memory.c): its number, and the number of work-items that wait there. */
	struct spirv_type *type = spirv_type_new(reader, op->words[1], SPIRV_BARRIER);
	LLVMTypeRef pair = LLVMVectorType(spirv_int(reader, 32), 2);
	return type && spirv_type_set_layout(reader, type, pair, pair);
}

static bool build_nothing(struct spirv_reader *reader, const struct spirv_op *op)
{
	(void)reader;
	(void)op;
	return true;
}

const struct spirv_row spirv_type_rows[] = {
	{SpvOpTypeVoid, 2, 2, 0, build_simple},
	{SpvOpTypeBool, 2, 2, 0, build_simple},
	{SpvOpTypeInt, 4, 4, 0, build_number},
	{SpvOpTypeFloat, 3, 4, 0, build_number},
	{SpvOpTypeVector, 4, 4, 0, build_vector},
	{SpvOpTypePointer, 4, 4, 0, build_pointer},
	{SpvOpTypeForwardPointer, 3, 3, 0, build_nothing},
	{SpvOpTypeArray, 4, 4, 0, build_array},
	{SpvOpTypeStruct, 2, 0, 0, build_struct},
	{SpvOpTypeFunction, 3, 0, 0, build_function},
	{SpvOpTypeOpaque, 3, 0, 0, build_opaque},
	{SpvOpTypeImage, 9, 10, 0, build_image},
	{SpvOpTypeSampledImage, 3, 3, 0, build_sampled_image},
	{SpvOpTypeSampler, 2, 2, 0, build_object},
	{SpvOpTypeEvent, 2, 2, 0, build_object},
	{SpvOpTypeReserveId, 2, 2, 0, build_object},
	{SpvOpTypeNamedBarrier, 2, 2, 0, build_object},
	{SpvOpTypePipe, 3, 3, 0, build_pipe},
	{0, 0, 0, 0, NULL},
};
