/* What a module has outside of functions: constants (SPIR-V 1.6, 3.49.7), variables (3.49.8), and the built-in
 * variables among these. */
#include "config.h"

#include "frontend/spirv/global.h"

#include "frontend/llvm_compat.h"
#include "frontend/spirv/matrix.h"
#include "frontend/spirv/opencl_std.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limits an initializer, because each part of it is written as text. */
#define MOST_INITIALISER_B (UINT64_C(1) << 28)
/* Limits the name of a local variable, which only debuggers show. */
enum { MOST_NAME_B = 256 };

/* --- ids of built-in variables ------------------------------------------------------------------------------- */

/* Limits the number of instructions from a built-in variable to a pointer into it. */
enum { MOST_STEPS = 64 };

bool spirv_is_input(const struct spirv_module *module, uint32_t id)
{
	return spirv_of(module, id).op == SpvOpVariable &&
	       spirv_facts(module, id)->builtin != SPIRV_NONE;
}

/* The pointer of which an instruction, which may be inside of an OpSpecConstantOp, makes another pointer into the same
 * variable; 0: the instruction does something else. */
static uint32_t base_of(struct spirv_instruction made)
{
	const bool is_constant = made.op == SpvOpSpecConstantOp && made.count > 3;
	const unsigned at = is_constant ? 4 : 3;
	switch (is_constant ? made.words[3] & SpvOpCodeMask : made.op) {
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
	case SpvOpPtrAccessChain:
	case SpvOpInBoundsPtrAccessChain:
	case SpvOpBitcast:
	case SpvOpCopyObject:
	case SpvOpPtrCastToGeneric: return made.count > at ? made.words[at] : 0;
	default: return 0;
	}
}

bool spirv_points_to_input(const struct spirv_module *module, uint32_t id)
{
	for (unsigned steps = 0; id && steps < MOST_STEPS; steps++) {
		if (spirv_is_input(module, id))
			return true;
		id = base_of(spirv_of(module, id));
	}
	return false;
}

static bool is_input_constant(const struct spirv_module *module, uint32_t id)
{
	unsigned steps = 0;
	for (; steps < MOST_STEPS && spirv_of(module, id).op == SpvOpSpecConstantOp; steps++)
		id = base_of(spirv_of(module, id));
	return steps && spirv_is_input(module, id);
}

/* --- scalars ------------------------------------------------------------------------------------------------- */

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

/* Builds OpConstantNull and OpUndef.  Any value is correct for OpUndef; 0 is the same value at each use. */
static bool build_null(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type;
	const bool aggregate = spirv_is_aggregate(type);
	if (!type->value || type->class == SPIRV_VOID || type->class == SPIRV_FUNCTION)
		return spirv_fail(reader, "the type %" PRIu32 " has no null value", type->id);
	return spirv_define(reader, op, LLVMConstNull(aggregate ? type->memory : type->value));
}

/* --- composites ---------------------------------------------------------------------------------------------- */

/* The ids of all constituents, including those in instructions that continue a long one (SPV_INTEL_long_composites).
 * The caller frees them; NULL: no memory. */
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

/* The type of a constituent. */
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
	if (op->type->rows)
		return spirv_matrix_fill(reader, op);
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

/* --- expressions of constants -------------------------------------------------------------------------------- */

/* Whether OpSpecConstantOp may hold an opcode (SPIR-V 1.6, 3.49.7, with the Kernel capability). */
static bool may_be_constant(unsigned op)
{
	switch (op) {
	case SpvOpSConvert: case SpvOpUConvert: case SpvOpFConvert: case SpvOpSNegate: case SpvOpNot:
	case SpvOpIAdd: case SpvOpISub: case SpvOpIMul: case SpvOpUDiv: case SpvOpSDiv: case SpvOpUMod:
	case SpvOpSRem: case SpvOpSMod: case SpvOpShiftRightLogical: case SpvOpShiftRightArithmetic:
	case SpvOpShiftLeftLogical: case SpvOpBitwiseOr: case SpvOpBitwiseXor: case SpvOpBitwiseAnd:
	case SpvOpVectorShuffle: case SpvOpCompositeExtract: case SpvOpCompositeInsert:
	case SpvOpLogicalOr: case SpvOpLogicalAnd: case SpvOpLogicalNot: case SpvOpLogicalEqual:
	case SpvOpLogicalNotEqual: case SpvOpSelect: case SpvOpIEqual: case SpvOpINotEqual:
	case SpvOpULessThan: case SpvOpSLessThan: case SpvOpUGreaterThan: case SpvOpSGreaterThan:
	case SpvOpULessThanEqual: case SpvOpSLessThanEqual: case SpvOpUGreaterThanEqual:
	case SpvOpSGreaterThanEqual: case SpvOpConvertFToS: case SpvOpConvertSToF: case SpvOpConvertFToU:
	case SpvOpConvertUToF: case SpvOpConvertPtrToU: case SpvOpConvertUToPtr:
	case SpvOpGenericCastToPtr: case SpvOpPtrCastToGeneric: case SpvOpBitcast: case SpvOpFNegate:
	case SpvOpFAdd: case SpvOpFSub: case SpvOpFMul: case SpvOpFDiv: case SpvOpFRem: case SpvOpFMod:
	case SpvOpAccessChain: case SpvOpInBoundsAccessChain: case SpvOpPtrAccessChain:
	case SpvOpInBoundsPtrAccessChain: case SpvOpCopyObject: return true;
	default: return false;
	}
}

/* Builds the instruction that an OpSpecConstantOp of at least 5 words holds. */
static bool build_constant_operation(struct spirv_reader *reader, struct spirv_instruction i)
{
	enum { MOST_WORDS = 300 };
	uint32_t words[MOST_WORDS];
	const unsigned inner = i.words[3] & SpvOpCodeMask, count = i.count - 1;
	if (!may_be_constant(inner) || count > MOST_WORDS)
		return spirv_fail(reader, "%s is no operation on constants", spirv_opcode_name(inner).text);
	words[0] = (uint32_t)count << SpvWordCountShift | inner;
	words[1] = i.words[1];
	words[2] = i.words[2];
	memcpy(words + 3, i.words + 4, (count - 3) * sizeof(*words));
	return reader->build(reader, (struct spirv_instruction){words, inner, count});
}

/* Builds OpSpecConstantOp.  LLVM folds the operation to a constant, since its operands are constants.  An operation on
 * the address of a built-in variable is built in each function that uses it (global.h). */
static bool build_operation(struct spirv_reader *reader, const struct spirv_op *op)
{
	if (is_input_constant(reader->module, op->result))
		return true;
	reader->expression_depth++;
	const bool good = build_constant_operation(reader, (struct spirv_instruction){op->words, op->op, op->count});
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

/* --- samplers ------------------------------------------------------------------------------------------------ */

/* Builds a constant sampler: its bits (OpenCL C 3.0, 6.15.15.1).  spirv_value makes the sampler of them in each
 * function that uses it. */
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

/* --- variables of the module and of functions ---------------------------------------------------------------- */

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

/* The initializer of a variable of the module; NULL with a message.  A variable without an initial value is zero, as in
 * OpenCL C. */
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

/* Builds a variable of the module. */
static bool build_global(struct spirv_reader *reader, const struct spirv_op *op, unsigned space,
			 const struct spirv_type *type)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, op->result);
	LLVMValueRef value = facts->linkage == SPIRV_IMPORT ? NULL : global_value(reader, op, type);
	if (!value && facts->linkage != SPIRV_IMPORT)
		return false;
	if (type->holds_matrix)
		return spirv_fail(reader,
				  "a cooperative matrix can only be in a variable of the storage class Function");
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
	/* A constant of the storage class Function is in constant memory, which all work-items share. */
	LLVMValueRef pointer = op->words[3] == SpvStorageClassFunction
				       ? LLVMConstAddrSpaceCast(variable, spirv_ptr(reader, SPIRV_PRIVATE))
				       : variable;
	return set_alignment(reader, op->result, variable, type) && spirv_define(reader, op, pointer);
}

/* Builds a variable of a function.  It is allocated and initialized in the entry block. */
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

/* The end of those words of an instruction, from word 1 on, that may be pointers through which the instruction writes
 * or which it passes on.  The number of an extended instruction, which is among the words, is no id. */
static unsigned used_words(struct spirv_instruction i)
{
	switch (i.op) {
	case SpvOpLine: case SpvOpNoLine: case SpvOpLoad: case SpvOpVectorShuffle: case SpvOpCompositeExtract:
	case SpvOpFunction: case SpvOpFunctionParameter: case SpvOpFunctionEnd: case SpvOpLabel:
	case SpvOpLoopMerge: case SpvOpSelectionMerge: case SpvOpBranch: case SpvOpBranchConditional:
	case SpvOpSwitch: case SpvOpLifetimeStart: case SpvOpLifetimeStop: return 1;
	/* Only the target is written. */
	case SpvOpCopyMemory: case SpvOpCopyMemorySized: return 2;
	case SpvOpStore: return 3;
	case SpvOpCompositeInsert: return 5;
	default: return i.count;
	}
}

/* Reads one instruction of a function for find_written.  roots gives, by id of a pointer, the variable to which it
 * points. */
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

/* Notes in reader->written the variables of the module in the storage class Function that may be written: an
 * instruction writes them, or their address goes where it cannot be followed. */
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

/* Whether a variable of the module in the storage class Function is a constant.  The LLVM/SPIR-V translator writes such
 * variables for constant data of functions.  All work-items can share them as long as they are not written. */
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
	/* A built-in variable becomes calls in the functions that use it (global.h). */
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
	/* A load of a sampler in constant memory gives its initial value. */
	if (type->class == SPIRV_SAMPLER)
		return op->count > 4 ? true : spirv_fail(reader, "a sampler without a value");
	if (!type->memory || type->class == SPIRV_IMAGE || type->class == SPIRV_PIPE)
		return spirv_fail(reader, "no variable of the module has the type %" PRIu32, type->id);
	return build_global(reader, op, space, type);
}

/* --- built-in variables -------------------------------------------------------------------------------------- */

/* The kind of OpenCL C function that a built-in variable is: BY_DIMENSION takes a dimension and returns a size_t, SIZE
 * returns a size_t, WORD a uint, MASK a uint4. */
enum form { BY_DIMENSION, SIZE, WORD, MASK };

static const struct builtin {
	uint32_t number;
	const char *function;
	enum form form;
} builtins[] = {
	{SpvBuiltInWorkDim, "get_work_dim", WORD},
	{SpvBuiltInGlobalSize, "get_global_size", BY_DIMENSION},
	{SpvBuiltInGlobalInvocationId, "get_global_id", BY_DIMENSION},
	{SpvBuiltInWorkgroupSize, "get_local_size", BY_DIMENSION},
	{SpvBuiltInEnqueuedWorkgroupSize, "get_enqueued_local_size", BY_DIMENSION},
	{SpvBuiltInLocalInvocationId, "get_local_id", BY_DIMENSION},
	{SpvBuiltInNumWorkgroups, "get_num_groups", BY_DIMENSION},
	{SpvBuiltInWorkgroupId, "get_group_id", BY_DIMENSION},
	{SpvBuiltInGlobalOffset, "get_global_offset", BY_DIMENSION},
	{SpvBuiltInGlobalLinearId, "get_global_linear_id", SIZE},
	{SpvBuiltInLocalInvocationIndex, "get_local_linear_id", SIZE},
	{SpvBuiltInSubgroupSize, "get_sub_group_size", WORD},
	{SpvBuiltInSubgroupMaxSize, "get_max_sub_group_size", WORD},
	{SpvBuiltInNumSubgroups, "get_num_sub_groups", WORD},
	{SpvBuiltInNumEnqueuedSubgroups, "get_enqueued_num_sub_groups", WORD},
	{SpvBuiltInSubgroupId, "get_sub_group_id", WORD},
	{SpvBuiltInSubgroupLocalInvocationId, "get_sub_group_local_id", WORD},
	{SpvBuiltInSubgroupEqMask, "get_sub_group_eq_mask", MASK},
	{SpvBuiltInSubgroupGeMask, "get_sub_group_ge_mask", MASK},
	{SpvBuiltInSubgroupGtMask, "get_sub_group_gt_mask", MASK},
	{SpvBuiltInSubgroupLeMask, "get_sub_group_le_mask", MASK},
	{SpvBuiltInSubgroupLtMask, "get_sub_group_lt_mask", MASK},
};

/* --- values of built-in variables ---------------------------------------------------------------------------- */

/* The type and the function of a built-in variable.  NULL: it is not supported (*builtin_out is NULL), or has a wrong
 * type. */
static const struct spirv_type *find(struct spirv_reader *reader, uint32_t id,
				     const struct builtin **builtin_out)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	const uint32_t number = spirv_facts(reader->module, id)->builtin;
	const struct spirv_type *pointer = spirv_type(reader, made.words[1]);
	const struct spirv_type *type = pointer ? spirv_pointee(reader, pointer) : NULL;
	*builtin_out = NULL;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (builtins[i].number == number)
			*builtin_out = &builtins[i];
	if (!type || !*builtin_out || type->class != SPIRV_INT)
		return NULL;
	const enum form form = (*builtin_out)->form;
	return type->lanes == (form == BY_DIMENSION ? 3 : form == MASK ? 4 : 1) ? type : NULL;
}

/* As find; NULL with a message. */
static const struct spirv_type *look(struct spirv_reader *reader, uint32_t id,
				     const struct builtin **builtin_out)
{
	const uint32_t number = spirv_facts(reader->module, id)->builtin;
	const struct spirv_type *type = find(reader, id, builtin_out);
	const char *name = spirv_name(SPIRV_NAME_BUILTIN, number);
	if (!type && !*builtin_out)
		spirv_fail(reader, "the built-in variable %s (%" PRIu32 ") is not supported", name ? name : "",
			   number);
	else if (!type)
		spirv_fail(reader, "the built-in variable %s has another type than it must have", name ? name : "");
	return type;
}

static LLVMValueRef call(struct spirv_reader *reader, const struct builtin *builtin, uint32_t dimension)
{
	const struct spirv_argument argument = spirv_constant_argument(reader, 32, 'j', dimension);
	LLVMTypeRef word = spirv_int(reader, 32);
	LLVMTypeRef result = builtin->form == WORD   ? word
			     : builtin->form == MASK ? LLVMVectorType(word, 4)
						     : spirv_int(reader, 64);
	return spirv_call(reader, builtin->function, result, &argument, builtin->form == BY_DIMENSION);
}

/* Calls the function and converts the result to the width of the variable's elements. */
static LLVMValueRef call_as(struct spirv_reader *reader, const struct builtin *builtin, uint32_t dimension,
			    const struct spirv_type *type)
{
	LLVMValueRef value = call(reader, builtin, dimension);
	LLVMTypeRef wanted = builtin->form == BY_DIMENSION ? type->element->value : type->value;
	return value ? LLVMBuildIntCast2(reader->builder, value, wanted, false, "") : NULL;
}

LLVMValueRef spirv_input_value(struct spirv_reader *reader, uint32_t id)
{
	const struct builtin *builtin;
	const struct spirv_type *type = look(reader, id, &builtin);
	if (!type)
		return NULL;
	if (builtin->form != BY_DIMENSION)
		return call_as(reader, builtin, 0, type);
	LLVMValueRef value = LLVMGetUndef(type->value);
	for (unsigned i = 0; i < type->lanes && value; i++) {
		LLVMValueRef part = call_as(reader, builtin, i, type);
		value = part ? LLVMBuildInsertElement(reader->builder, value, part,
						      spirv_number(reader, 32, i), "") : NULL;
	}
	return value;
}

LLVMValueRef spirv_input_element(struct spirv_reader *reader, uint32_t id, uint32_t index)
{
	const struct builtin *builtin;
	const struct spirv_type *type = look(reader, id, &builtin);
	if (!type)
		return NULL;
	if (index >= type->lanes || type->lanes == 1) {
		spirv_fail(reader, "the built-in variable has no element %" PRIu32, index);
		return NULL;
	}
	if (builtin->form == BY_DIMENSION)
		return call_as(reader, builtin, index, type);
	LLVMValueRef value = spirv_input_value(reader, id);
	return value ? LLVMBuildExtractElement(reader->builder, value, spirv_number(reader, 32, index), "")
		     : NULL;
}

/* --- addresses of built-in variables ------------------------------------------------------------------------- */

/* One of two things that spirv_inputs_end undoes. */
struct spirv_input {
	struct spirv_input *next;
	uint32_t id;                /* of a built-in variable or constant address that has a value in this function;
				     * or 0 */
	LLVMValueRef value;         /* value of a whole variable that was loaded; or NULL */
};

static bool note(struct spirv_reader *reader, uint32_t id, LLVMValueRef value)
{
	struct spirv_input *input = malloc(sizeof(*input));
	if (!input)
		return spirv_no_memory(reader);
	*input = (struct spirv_input){reader->body->inputs, id, value};
	reader->body->inputs = input;
	return true;
}

bool spirv_input_note(struct spirv_reader *reader, LLVMValueRef value)
{
	return note(reader, 0, value);
}

/* Makes the private variable that has a built-in variable's value. */
static bool make_private(struct spirv_reader *reader, uint32_t id)
{
	LLVMBasicBlockRef block = spirv_at_entry(reader);
	LLVMValueRef value = spirv_input_value(reader, id);
	const struct spirv_type *type = value ? spirv_pointee(reader, spirv_type_of(reader, id)) : NULL;
	bool good = type != NULL;
	if (good) {
		LLVMValueRef variable = spirv_alloca(reader, type->memory, type->align_B);
		reader->made[id] = variable;
		reader->homes[id] = 0;
		good = spirv_store(reader, type, value, variable, 0, false) && note(reader, id, NULL);
	}
	spirv_back(reader, block);
	return good;
}

/* Makes a constant address inside of a built-in variable, and first the addresses of which it is made. */
static bool make_constant(struct spirv_reader *reader, uint32_t id)
{
	uint32_t steps[MOST_STEPS];
	unsigned count = 0;
	const struct spirv_instruction now = reader->now;
	for (; !reader->made[id] && !spirv_is_input(reader->module, id); id = base_of(spirv_of(reader->module, id)))
		steps[count++] = id;
	bool good = reader->made[id] || make_private(reader, id);
	while (good && count) {
		LLVMBasicBlockRef block = spirv_at_entry(reader);
		const uint32_t made = steps[--count];
		good = build_constant_operation(reader, spirv_of(reader->module, made)) && note(reader, made, NULL);
		reader->homes[made] = 0;
		spirv_back(reader, block);
	}
	reader->now = now;
	return good;
}

/* Makes what word k of an instruction needs, if it is the id of a built-in variable or of an address inside of one.  A
 * word that is a literal may look like such an id: then a variable is made that nothing uses. */
static bool make_word(struct spirv_reader *reader, struct spirv_instruction i, unsigned k)
{
	const struct builtin *builtin;
	const uint32_t id = i.words[k];
	if (is_input_constant(reader->module, id))
		return reader->made[id] || make_constant(reader, id);
	if (!spirv_is_input(reader->module, id) || reader->made[id] || (i.op == SpvOpLoad && k == 3) ||
	    !find(reader, id, &builtin))
		return true;
	return make_private(reader, id);
}

bool spirv_inputs_begin(struct spirv_reader *reader, size_t at, size_t end)
{
	for (; at < end; at += spirv_at(reader->module, at).count) {
		const struct spirv_instruction i = spirv_at(reader->module, at);
		reader->now = i;
		for (unsigned k = 1; k < i.count; k++)
			if (!make_word(reader, i, k))
				return false;
	}
	return true;
}

/* Erases the instructions that made a vector from calls of a work-item function, as far as nothing uses them.  The
 * calls themselves remain. */
static void erase_unused(LLVMValueRef value)
{
	while (value && LLVMIsAInstruction(value) && !LLVMGetFirstUse(value)) {
		LLVMValueRef before = NULL, part = NULL;
		if (LLVMIsAInsertElementInst(value)) {
			before = LLVMGetOperand(value, 0);
			part = LLVMGetOperand(value, 1);
		} else if (LLVMIsACastInst(value)) {
			before = LLVMGetOperand(value, 0);
		}
		LLVMInstructionEraseFromParent(value);
		if (part)
			erase_unused(part);
		value = before;
	}
}

void spirv_inputs_end(struct spirv_reader *reader)
{
	for (struct spirv_input *next, *input = reader->body->inputs; input; input = next) {
		next = input->next;
		if (input->id)
			reader->made[input->id] = NULL;
		else
			erase_unused(input->value);
		free(input);
	}
	reader->body->inputs = NULL;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

static bool build_continued(struct spirv_reader *reader, const struct spirv_op *op)
{
	(void)reader;
	(void)op;
	return true;
}

const struct spirv_row spirv_global_rows[] = {
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

