/* Constants and variables of the module (SPIR-V 1.6, 3.49.7 and 3.49.8). */
#include "config.h"

#include "frontend/spirv_input.h"
#include "frontend/spirv_reader.h"

#include "frontend/llvm_compat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An initialiser is written out as text, each part of it. */
#define MOST_INITIALISER_B (UINT64_C(1) << 28)
/* Of a variable's name: a debugger reads it. */
enum { MOST_NAME_B = 256 };

/* --- scalars --------------------------------------------------------------------------------------- */

static LLVMValueRef real_of_bits(struct spirv_reader *reader, const struct spirv_type *type, uint64_t bits)
{
	LLVMValueRef number = spirv_number(reader, type->bits, bits);
	return LLVMConstBitCast(number, type->value);
}

static bool build_scalar(struct spirv_reader *reader, const struct spirv_op *op)
{
	uint64_t bits;
	if (!spirv_constant_bits(reader->module, op->result, &bits))
		return spirv_fail(reader, "a constant has too few words, or is of no scalar type");
	if (op->type->class == SPIRV_FLOAT)
		return spirv_define(reader, op, real_of_bits(reader, op->type, bits));
	return spirv_define(reader, op, LLVMConstInt(op->type->value, bits, false));
}

/* What any value will do for (OpUndef) is 0 as well: the same each time it is looked at. */
static bool build_null(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type;
	const bool aggregate = spirv_is_aggregate(type);
	if (!type->value || type->class == SPIRV_VOID || type->class == SPIRV_FUNCTION)
		return spirv_fail(reader, "the type %" PRIu32 " has no null value", type->id);
	return spirv_define(reader, op, LLVMConstNull(aggregate ? type->memory : type->value));
}

/* --- composites -------------------------------------------------------------------------------------- */

/* All constituents, also those of instructions that continue a long one (SPV_INTEL_long_composites);
 * NULL: no memory. */
static uint32_t *list_parts(struct spirv_reader *reader, const struct spirv_op *op, size_t *count_out)
{
	const struct spirv_module *module = reader->module;
	const size_t first = (size_t)(op->words - module->words);
	size_t count = op->count - 3, end = first + op->count;
	for (; end < module->word_count; end += spirv_at(module, end).count) {
		const struct spirv_instruction more = spirv_at(module, end);
		if (more.op != SpvOpConstantCompositeContinuedINTEL &&
		    more.op != SpvOpSpecConstantCompositeContinuedINTEL)
			break;
		count += more.count - 1;
	}
	uint32_t *parts = malloc((count + 1) * sizeof(*parts));
	if (!parts)
		return spirv_no_memory(reader), NULL;
	memcpy(parts, op->words + 3, (op->count - 3) * sizeof(*parts));
	size_t filled = op->count - 3;
	for (size_t at = first + op->count; at < end; at += spirv_at(module, at).count) {
		const struct spirv_instruction more = spirv_at(module, at);
		memcpy(parts + filled, more.words + 1, (more.count - 1) * sizeof(*parts));
		filled += more.count - 1;
	}
	*count_out = count;
	return parts;
}

/* The type of a composite's part. */
static const struct spirv_type *part_type(const struct spirv_type *type, size_t index)
{
	return type->class == SPIRV_STRUCT ? type->parts[index] : type->element;
}

static uint64_t part_count(const struct spirv_type *type)
{
	if (type->class == SPIRV_STRUCT)
		return type->part_count;
	return type->class == SPIRV_ARRAY ? type->length : type->lanes > 1 ? type->lanes : 0;
}

static bool find_parts(struct spirv_reader *reader, const struct spirv_type *type, const uint32_t *ids,
		       LLVMValueRef *parts, size_t count)
{
	const bool in_memory = spirv_is_aggregate(type);
	for (size_t i = 0; i < count; i++) {
		const struct spirv_type *own = part_type(type, i);
		LLVMValueRef part = spirv_value(reader, ids[i]);
		if (part && in_memory && LLVMTypeOf(part) == own->value)
			part = spirv_to_memory(reader, own, part);
		if (!part)
			return false;
		if (!LLVMIsConstant(part) || LLVMTypeOf(part) != (in_memory ? own->memory : own->value))
			return spirv_fail(reader, "the part %zu, %" PRIu32 ", is no constant of the type that "
					  "belongs there", i, ids[i]);
		parts[i] = part;
	}
	return true;
}

static LLVMValueRef join_parts(const struct spirv_type *type, LLVMValueRef *parts, size_t count)
{
	if (type->class == SPIRV_STRUCT)
		return LLVMConstNamedStruct(type->memory, parts, (unsigned)count);
	if (type->class == SPIRV_ARRAY)
		return LLVMConstArray2(type->element->memory, parts, count);
	return LLVMConstVector(parts, (unsigned)count);
}

static bool build_composite(struct spirv_reader *reader, const struct spirv_op *op)
{
	size_t count;
	uint32_t *ids = list_parts(reader, op, &count);
	LLVMValueRef *parts = ids ? malloc((count + 1) * sizeof(LLVMValueRef)) : NULL;
	bool good = false;
	if (!parts)
		spirv_no_memory(reader);
	else if (count != part_count(op->type) || (!count && !spirv_is_aggregate(op->type)))
		spirv_fail(reader, "%zu parts of a type that has %" PRIu64, count, part_count(op->type));
	else if (op->type->size_B > MOST_INITIALISER_B)
		spirv_fail(reader, "a constant of %" PRIu64 " bytes is too large", op->type->size_B);
	else
		good = find_parts(reader, op->type, ids, parts, count) &&
		       spirv_define(reader, op, join_parts(op->type, parts, count));
	free(parts);
	free(ids);
	return good;
}

/* --- expressions of constants --------------------------------------------------------------------------- */

/* The operation is built like any other; as its operands are constants, LLVM makes a constant of it.  One on a
 * built-in variable's address gives another value in each function (spirv_input.c). */
static bool build_operation(struct spirv_reader *reader, const struct spirv_op *op)
{
	if (spirv_is_input_constant(reader->module, op->result))
		return true;
	reader->expression_depth++;
	const bool good = spirv_operation_build(reader, (struct spirv_instruction){op->words, op->op, op->count});
	reader->expression_depth--;
	if (!good)
		return false;
	LLVMValueRef value = reader->made[op->result];
	reader->made[op->result] = NULL;
	if (!value || !LLVMIsConstant(value))
		return spirv_fail(reader, "%s gives no constant here",
				  spirv_opcode_name(op->words[3] & SpvOpCodeMask).text);
	return spirv_define(reader, op, value);
}

/* --- samplers --------------------------------------------------------------------------------------------- */

/* Its bits (OpenCL C 3.0, 6.15.15.1); the value is made in each function that has it (spirv_value.c). */
static bool build_sampler(struct spirv_reader *reader, const struct spirv_op *op)
{
	enum { NORMALIZED = 1, ADDRESSING = 2, NEAREST = 0x10, LINEAR = 0x20, MODES = 5 };
	if (op->type->class != SPIRV_SAMPLER)
		return spirv_fail(reader, "the result type is no sampler");
	if (op->words[3] >= MODES || op->words[5] > SpvSamplerFilterModeLinear)
		return spirv_fail(reader, "an unknown addressing or filter mode");
	reader->made[op->result] = spirv_number(reader, 32,
						op->words[3] * ADDRESSING + (op->words[4] ? NORMALIZED : 0) +
						(op->words[5] ? LINEAR : NEAREST));
	return true;
}

/* --- variables -------------------------------------------------------------------------------------------- */

static bool set_alignment(struct spirv_reader *reader, uint32_t id, LLVMValueRef variable,
			  const struct spirv_type *type)
{
	unsigned align_B;
	if (!spirv_alignment(reader, id, type->align_B, &align_B))
		return false;
	LLVMSetAlignment(variable, align_B);
	return true;
}

/* The initial value that a variable is given, as a value of its type; NULL with a message. */
static LLVMValueRef initial_value(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type)
{
	LLVMValueRef value = spirv_value(reader, id);
	LLVMTypeRef wanted = spirv_is_aggregate(type) ? type->memory : type->value;
	if (value && (!LLVMIsConstant(value) || LLVMTypeOf(value) != wanted)) {
		spirv_fail(reader, "the initial value %" PRIu32 " is no constant of the variable's type", id);
		return NULL;
	}
	return value;
}

/* Without an initial value variables are zero, as in OpenCL C. */
static LLVMValueRef global_value(struct spirv_reader *reader, const struct spirv_op *op,
				 const struct spirv_type *type)
{
	if (op->words[3] == SpvStorageClassWorkgroup)
		return LLVMGetUndef(type->memory);
	if (op->count < 5)
		return LLVMConstNull(type->memory);
	LLVMValueRef value = initial_value(reader, op->words[4], type);
	return value ? spirv_to_memory(reader, type, value) : NULL;
}

static bool build_global(struct spirv_reader *reader, const struct spirv_op *op, unsigned space,
			 const struct spirv_type *type)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, op->result);
	LLVMValueRef value = facts->linkage == SPIRV_IMPORT ? NULL : global_value(reader, op, type);
	if (!value && facts->linkage != SPIRV_IMPORT)
		return false;
	LLVMValueRef variable = LLVMAddGlobalInAddressSpace(reader->llvm, type->memory, "", space);
	if (value)
		LLVMSetInitializer(variable, value);
	LLVMSetGlobalConstant(variable, space == SPIRV_CONSTANT);
	if (!spirv_name_value(reader, variable, op->result))
		return false;
	if (facts->linkage == SPIRV_INTERNAL || space == SPIRV_LOCAL)
		LLVMSetLinkage(variable, LLVMInternalLinkage);
	else if (facts->linkage == SPIRV_ONCE)
		LLVMSetLinkage(variable, LLVMWeakODRLinkage);
	/* A constant in private memory is one that all work-items share. */
	LLVMValueRef pointer = op->words[3] == SpvStorageClassFunction
				       ? LLVMConstAddrSpaceCast(variable, spirv_ptr(reader, SPIRV_PRIVATE))
				       : variable;
	return set_alignment(reader, op->result, variable, type) && spirv_define(reader, op, pointer);
}

/* One of a function: it begins where the function does, and its initial value is set there. */
static bool build_local(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_pointee(reader, op->type);
	unsigned align_B;
	if (!type || !spirv_alignment(reader, op->result, type->align_B, &align_B))
		return false;
	if (op->words[3] != SpvStorageClassFunction || !type->memory)
		return spirv_fail(reader, "a function has no such variable");
	LLVMValueRef variable = spirv_alloca(reader, type->memory, align_B);
	const char *name = spirv_facts(reader->module, op->result)->name;
	if (name)
		LLVMSetValueName2(variable, name, strnlen(name, MOST_NAME_B));
	if (op->count > 4) {
		LLVMValueRef value = initial_value(reader, op->words[4], type);
		if (!value)
			return false;
		LLVMBasicBlockRef block = spirv_at_entry(reader);
		const bool stored = spirv_store(reader, type, value, variable, align_B, false);
		spirv_back(reader, block);
		if (!stored)
			return false;
	}
	return spirv_define(reader, op, variable);
}

/* The words of an instruction of a function that may name a pointer which is more than read there: from 1 up to
 * the number that this gives, but for an extended instruction's number. */
static unsigned used_words(struct spirv_instruction i)
{
	switch (i.op) {
	case SpvOpLine: case SpvOpNoLine: case SpvOpLoad: case SpvOpVectorShuffle: case SpvOpCompositeExtract:
	case SpvOpFunction: case SpvOpFunctionParameter: case SpvOpFunctionEnd: case SpvOpLabel:
	case SpvOpLoopMerge: case SpvOpSelectionMerge: case SpvOpBranch: case SpvOpBranchConditional:
	case SpvOpSwitch: case SpvOpLifetimeStart: case SpvOpLifetimeStop: return 1;
	/* The target. */
	case SpvOpCopyMemory: case SpvOpCopyMemorySized: return 2;
	case SpvOpStore: return 3;
	case SpvOpCompositeInsert: return 5;
	default: return i.count;
	}
}

/* Follows one instruction of a function for find_written: roots has the variable that a pointer is to. */
static void follow(struct spirv_reader *reader, struct spirv_instruction i, uint32_t *roots)
{
	const uint32_t bound = reader->module->bound;
	switch (i.op) {
	case SpvOpBitcast: case SpvOpCopyObject: case SpvOpPtrCastToGeneric: case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain: case SpvOpPtrAccessChain: case SpvOpInBoundsPtrAccessChain:
		if (i.count > 3 && i.words[2] < bound && i.words[3] < bound)
			roots[i.words[2]] = roots[i.words[3]];
		return;
	default:
		break;
	}
	const unsigned end = used_words(i) < i.count ? used_words(i) : i.count;
	for (unsigned k = 1; k < end; k++)
		if (i.words[k] < bound && roots[i.words[k]] && !(i.op == SpvOpExtInst && k == 4))
			reader->written[roots[i.words[k]]] = true;
}

/* Notes in the reader which variables of the module in the storage class Function are more than read, or may be:
 * their pointers go where they cannot be followed. */
static bool find_written(struct spirv_reader *reader)
{
	const struct spirv_module *module = reader->module;
	uint32_t *roots = calloc((size_t)module->bound + 1, sizeof(*roots));
	bool in_function = false;
	reader->written = calloc((size_t)module->bound + 1, sizeof(*reader->written));
	if (!roots || !reader->written) {
		free(roots);
		return spirv_no_memory(reader);
	}
	for (size_t at = SPIRV_HEADER_WORDS; at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		in_function = in_function || i.op == SpvOpFunction;
		if (in_function)
			follow(reader, i, roots);
		else if (i.op == SpvOpVariable && i.count > 4 && i.words[3] == SpvStorageClassFunction &&
			 i.words[2] < module->bound)
			roots[i.words[2]] = i.words[2];
	}
	free(roots);
	return true;
}

/* The LLVM/SPIR-V translator leaves constants of functions where LLVM has them, outside.  They are shared by all
 * work-items; one that is written would not be. */
static bool is_private_constant(struct spirv_reader *reader, const struct spirv_op *op)
{
	if (op->words[3] != SpvStorageClassFunction || op->count <= 4)
		return false;
	if (spirv_facts(reader->module, op->result)->no_write)
		return true;
	return (reader->written || find_written(reader)) && !reader->written[op->result];
}

static bool build_variable(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t storage = op->words[3];
	unsigned space;
	if (op->type->class != SPIRV_POINTER)
		return spirv_fail(reader, "the result type is no pointer");
	if (reader->body)
		return build_local(reader, op);
	/* Built-in variables are spirv_input.c's. */
	if (spirv_facts(reader->module, op->result)->builtin != SPIRV_NONE)
		return true;
	const bool is_constant = is_private_constant(reader, op);
	if (storage != SpvStorageClassUniformConstant && storage != SpvStorageClassCrossWorkgroup &&
	    storage != SpvStorageClassWorkgroup && !is_constant) {
		const char *name = spirv_name(SPIRV_NAME_STORAGE, storage);
		return spirv_fail(reader, "a variable of the module in the storage class %s (%" PRIu32 "), which "
				  "is not supported", name ? name : "", storage);
	}
	const struct spirv_type *type = spirv_pointee(reader, op->type);
	if (!type || !spirv_space(is_constant ? SpvStorageClassUniformConstant : storage, &space))
		return false;
	/* A sampler in constant memory is its initial value to whoever loads it. */
	if (type->class == SPIRV_SAMPLER)
		return op->count > 4 ? true : spirv_fail(reader, "a sampler without a value");
	if (!type->memory || type->class == SPIRV_IMAGE || type->class == SPIRV_PIPE)
		return spirv_fail(reader, "no variable of the module has the type %" PRIu32, type->id);
	return build_global(reader, op, space, type);
}

static bool build_continued(struct spirv_reader *reader, const struct spirv_op *op)
{
	(void)reader;
	(void)op;
	return true;
}

const struct spirv_row spirv_constant_rows[] = {
	{SpvOpConstantTrue, 3, 3, 0, build_scalar},
	{SpvOpConstantFalse, 3, 3, 0, build_scalar},
	{SpvOpSpecConstantTrue, 3, 3, 0, build_scalar},
	{SpvOpSpecConstantFalse, 3, 3, 0, build_scalar},
	{SpvOpConstant, 4, 5, 0, build_scalar},
	{SpvOpSpecConstant, 4, 5, 0, build_scalar},
	/* LLVM 22's back end writes more words, which say nothing. */
	{SpvOpConstantNull, 3, 0, 0, build_null},
	{SpvOpUndef, 3, 3, 0, build_null},
	{SpvOpConstantComposite, 3, 0, 0, build_composite},
	{SpvOpSpecConstantComposite, 3, 0, 0, build_composite},
	{SpvOpConstantCompositeContinuedINTEL, 1, 0, 0, build_continued},
	{SpvOpSpecConstantCompositeContinuedINTEL, 1, 0, 0, build_continued},
	{SpvOpSpecConstantOp, 5, 0, 0, build_operation},
	{SpvOpConstantSampler, 6, 6, 0, build_sampler},
	{SpvOpVariable, 4, 5, 0, build_variable},
	{0, 0, 0, 0, NULL},
};
