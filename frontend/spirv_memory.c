/* Loads, stores, copies, and pointers to parts (SPIR-V 1.6, 3.49.8). */
#include "config.h"

#include "frontend/spirv_call.h"
#include "frontend/spirv_input.h"

#include <inttypes.h>

/* --- what is said of an access ------------------------------------------------------------------------------- */

struct access {
	bool is_volatile;
	uint32_t align_B;           /* 0: not given */
};

/* Memory operands (SPIR-V 1.6, 3.29), and those of SPV_INTEL_memory_access_aliasing. */
enum {
	WITH_OPERAND = SpvMemoryAccessAlignedMask | SpvMemoryAccessAliasScopeINTELMaskMask |
		       SpvMemoryAccessNoAliasINTELMaskMask,
	KNOWN = WITH_OPERAND | SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask,
};

/* Reads a mask and its operands from *at on, if there is one, and moves on; false with a message. */
static bool read_access(struct spirv_reader *reader, const struct spirv_op *op, unsigned *at,
			struct access *access)
{
	*access = (struct access){0};
	if (*at >= op->count)
		return true;
	const uint32_t mask = op->words[(*at)++];
	if (mask & ~(uint32_t)KNOWN)
		return spirv_fail(reader, "memory operands 0x%" PRIx32 " are not supported", mask);
	const unsigned operands = (unsigned)__builtin_popcount(mask & WITH_OPERAND);
	if (operands > op->count - *at)
		return spirv_fail(reader, "memory operands are missing");
	access->is_volatile = mask & SpvMemoryAccessVolatileMask;
	if (mask & SpvMemoryAccessAlignedMask) {
		access->align_B = op->words[*at];
		if (access->align_B & (access->align_B - 1))
			return spirv_fail(reader, "%" PRIu32 " is no alignment", access->align_B);
	}
	*at += operands;
	return true;
}

static bool is_all_read(struct spirv_reader *reader, const struct spirv_op *op, unsigned at)
{
	return at == op->count || spirv_fail(reader, "%u words that mean nothing here", op->count - at);
}

/* A type's own alignment, or less where the module says so.  What it says of an aggregate holds as it is. */
static unsigned alignment_of(const struct spirv_type *type, struct access access)
{
	if (!access.align_B)
		return type->align_B;
	if (spirv_is_aggregate(type) && access.align_B <= SPIRV_MOST_ALIGN_B)
		return access.align_B;
	return access.align_B < type->align_B ? access.align_B : type->align_B;
}

/* --- loads and stores ----------------------------------------------------------------------------------------- */

/* Of a variable with a sampler, which is its initial value. */
static bool load_sampler(struct spirv_reader *reader, const struct spirv_op *op,
			 struct spirv_instruction variable)
{
	LLVMValueRef value = spirv_value_of(reader, variable.words[4], op->type->value);
	return value && spirv_define(reader, op, value);
}

static bool load_input(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef value = spirv_input_value(reader, op->words[3]);
	return value && spirv_define(reader, op, value) && spirv_input_note(reader, value);
}

static bool build_load(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_instruction from = spirv_of(reader->module, op->words[3]);
	struct access access;
	unsigned at = 4;
	if (!read_access(reader, op, &at, &access) || !is_all_read(reader, op, at))
		return false;
	if (spirv_is_input(reader->module, op->words[3]) && !reader->made[op->words[3]])
		return load_input(reader, op);
	if (op->type->class == SPIRV_SAMPLER && from.op == SpvOpVariable && from.count > 4 &&
	    from.words[3] == SpvStorageClassUniformConstant)
		return load_sampler(reader, op, from);
	LLVMValueRef pointer = spirv_pointer(reader, op->words[3]);
	if (!pointer)
		return false;
	if (!op->type->memory)
		return spirv_fail(reader, "values of the type %" PRIu32 " have no place in memory", op->type->id);
	return spirv_define(reader, op, spirv_load(reader, op->type, pointer, alignment_of(op->type, access),
						   access.is_volatile));
}

/* What the module would write to is a copy that nobody else sees. */
static bool is_no_input(struct spirv_reader *reader, uint32_t pointer)
{
	return !spirv_points_to_input(reader->module, pointer) ||
	       spirv_fail(reader, "a built-in variable cannot be written to");
}

static bool build_store(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct access access;
	unsigned at = 3;
	LLVMValueRef pointer = spirv_pointer(reader, op->words[1]);
	const struct spirv_type *type = pointer ? spirv_type_of(reader, op->words[2]) : NULL;
	LLVMValueRef value = type ? spirv_value(reader, op->words[2]) : NULL;
	if (!value || !is_no_input(reader, op->words[1]) || !read_access(reader, op, &at, &access) ||
	    !is_all_read(reader, op, at))
		return false;
	if (!type->memory)
		return spirv_fail(reader, "values of the type %" PRIu32 " have no place in memory", type->id);
	return spirv_store(reader, type, value, pointer, alignment_of(type, access), access.is_volatile);
}

/* --- copies --------------------------------------------------------------------------------------------------------- */

/* "If only one is present, it applies to both": from version 1.4 on there may be a second one, of the
 * source. */
static bool read_accesses(struct spirv_reader *reader, const struct spirv_op *op, unsigned at,
			  struct access *to, struct access *from)
{
	if (!read_access(reader, op, &at, to))
		return false;
	*from = *to;
	return (at == op->count || read_access(reader, op, &at, from)) && is_all_read(reader, op, at);
}

static bool build_copy(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct access to, from;
	LLVMValueRef target = spirv_pointer(reader, op->words[1]);
	LLVMValueRef source = target ? spirv_pointer(reader, op->words[2]) : NULL;
	const struct spirv_type *pointer = source ? spirv_type_of(reader, op->words[2]) : NULL;
	const struct spirv_type *type = pointer ? spirv_pointee(reader, pointer) : NULL;
	if (!type || !is_no_input(reader, op->words[1]) || !read_accesses(reader, op, 3, &to, &from))
		return false;
	if (!type->memory)
		return spirv_fail(reader, "values of the type %" PRIu32 " have no place in memory", type->id);
	if (!spirv_is_aggregate(type)) {
		LLVMValueRef value = spirv_load(reader, type, source, alignment_of(type, from),
						from.is_volatile);
		return spirv_store(reader, type, value, target, alignment_of(type, to), to.is_volatile);
	}
	spirv_copy(reader, target, alignment_of(type, to), source, alignment_of(type, from),
		   spirv_number(reader, 64, type->size_B), to.is_volatile || from.is_volatile);
	return true;
}

static unsigned copy_alignment(struct access access)
{
	return access.align_B && access.align_B <= SPIRV_MOST_ALIGN_B ? access.align_B : 1;
}

static bool build_sized_copy(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct access to, from;
	LLVMValueRef target = spirv_pointer(reader, op->words[1]);
	LLVMValueRef source = target ? spirv_pointer(reader, op->words[2]) : NULL;
	const struct spirv_type *type = source ? spirv_type_of(reader, op->words[3]) : NULL;
	LLVMValueRef size = type ? spirv_value(reader, op->words[3]) : NULL;
	if (!size || !is_no_input(reader, op->words[1]) || !read_accesses(reader, op, 4, &to, &from))
		return false;
	if (type->class != SPIRV_INT || type->lanes != 1)
		return spirv_fail(reader, "the size is no integer");
	size = LLVMBuildIntCast2(reader->builder, size, spirv_int(reader, 64), false, "");
	spirv_copy(reader, target, copy_alignment(to), source, copy_alignment(from), size,
		   to.is_volatile || from.is_volatile);
	return true;
}

/* --- pointers to parts -------------------------------------------------------------------------------------------------- */

/* An index, which has a sign; NULL with a message. */
static LLVMValueRef index_of(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	if (value && (type->class != SPIRV_INT || type->lanes != 1)) {
		spirv_fail(reader, "the index %" PRIu32 " is no integer", id);
		return NULL;
	}
	return value ? LLVMBuildIntCast2(reader->builder, value, spirv_int(reader, 64), true, "") : NULL;
}

static LLVMValueRef step(struct spirv_reader *reader, const struct spirv_op *op, LLVMTypeRef type,
			 LLVMValueRef pointer, LLVMValueRef index)
{
	const bool in_bounds = op->op == SpvOpInBoundsAccessChain || op->op == SpvOpInBoundsPtrAccessChain;
	if (LLVMIsAConstantInt(index) && !LLVMConstIntGetZExtValue(index))
		return pointer;
	return in_bounds ? LLVMBuildInBoundsGEP2(reader->builder, type, pointer, &index, 1, "")
			 : LLVMBuildGEP2(reader->builder, type, pointer, &index, 1, "");
}

/* Goes on to a part of *type, which becomes the part's; NULL with a message. */
static LLVMValueRef step_into(struct spirv_reader *reader, const struct spirv_op *op,
			      const struct spirv_type **type, LLVMValueRef pointer, uint32_t id)
{
	const struct spirv_type *whole = *type;
	uint64_t member;
	if (whole->class == SPIRV_STRUCT) {
		if (!spirv_integer(reader->module, id, &member) || member >= whole->part_count) {
			spirv_fail(reader, "the struct %" PRIu32 " has no such member", whole->id);
			return NULL;
		}
		*type = whole->parts[member];
		return LLVMBuildStructGEP2(reader->builder, whole->memory, pointer, (unsigned)member, "");
	}
	if (whole->class != SPIRV_ARRAY && whole->lanes == 1) {
		spirv_fail(reader, "the type %" PRIu32 " has no parts", whole->id);
		return NULL;
	}
	LLVMValueRef index = index_of(reader, id);
	*type = whole->element;
	return index ? step(reader, op, whole->element->memory, pointer, index) : NULL;
}

/* LLVM's back end for SPIR-V writes a constant as many bytes behind a variable as a chain by the element 0 and
 * by these bytes, whose result points to bytes and the variable to something else. */
static bool is_byte_offset(struct spirv_reader *reader, const struct spirv_op *op,
			   const struct spirv_type *pointee)
{
	const struct spirv_type *result = spirv_type(reader, op->type->pointee);
	uint64_t element, member;
	if (reader->body || op->count != 6 || !result || result->class != SPIRV_INT || result->bits != 8 ||
	    !spirv_integer(reader->module, op->words[4], &element) || element)
		return false;
	const struct spirv_type *part = pointee->class == SPIRV_ARRAY ? pointee->element : NULL;
	if (pointee->class == SPIRV_STRUCT && spirv_integer(reader->module, op->words[5], &member) &&
	    member < pointee->part_count)
		part = pointee->parts[member];
	return !part || part->class != SPIRV_INT || part->bits != 8;
}

/* What a pointer's arithmetic counts in; NULL with a message.  Of void and of what is not known these are
 * bytes. */
static LLVMTypeRef unit_of(struct spirv_reader *reader, const struct spirv_type *pointee)
{
	if (pointee->memory)
		return pointee->memory;
	if (pointee->class == SPIRV_VOID)
		return spirv_int(reader, 8);
	spirv_fail(reader, "the size of what is pointed to, the type %" PRIu32 ", is not known", pointee->id);
	return NULL;
}

static bool build_chain(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool by_element = op->op == SpvOpPtrAccessChain || op->op == SpvOpInBoundsPtrAccessChain;
	LLVMValueRef pointer = spirv_pointer(reader, op->words[3]);
	const struct spirv_type *whole = pointer ? spirv_type_of(reader, op->words[3]) : NULL;
	const struct spirv_type *type = whole ? spirv_pointee(reader, whole) : NULL;
	unsigned at = 4;
	if (!type)
		return false;
	if (op->type->class != SPIRV_POINTER)
		return spirv_fail(reader, "the result is no pointer");
	if (by_element) {
		LLVMTypeRef unit = unit_of(reader, type);
		if (unit && is_byte_offset(reader, op, type)) {
			at++;
			unit = spirv_int(reader, 8);
			type = spirv_type(reader, op->type->pointee);
		}
		LLVMValueRef index = unit ? index_of(reader, op->words[at++]) : NULL;
		pointer = index ? step(reader, op, unit, pointer, index) : NULL;
	}
	for (; pointer && at < op->count; at++)
		pointer = step_into(reader, op, &type, pointer, op->words[at]);
	return pointer && spirv_define(reader, op, pointer);
}

/* --- questions about pointers ----------------------------------------------------------------------------------------- */

/* How many elements of what they point to lie between two pointers. */
static bool build_difference(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMTypeRef word = spirv_int(reader, 64);
	LLVMValueRef a = spirv_pointer(reader, op->words[3]);
	LLVMValueRef b = a ? spirv_pointer(reader, op->words[4]) : NULL;
	const struct spirv_type *pointer = b ? spirv_type_of(reader, op->words[3]) : NULL;
	const struct spirv_type *type = pointer ? spirv_pointee(reader, pointer) : NULL;
	if (!type)
		return false;
	if (!type->size_B || op->type->class != SPIRV_INT || op->type->lanes != 1 ||
	    LLVMTypeOf(a) != LLVMTypeOf(b))
		return spirv_fail(reader, "the operands are no pointers into one array, or the result is no "
				  "integer");
	a = LLVMBuildPtrToInt(reader->builder, a, word, "");
	b = LLVMBuildPtrToInt(reader->builder, b, word, "");
	LLVMValueRef bytes = LLVMBuildSub(reader->builder, a, b, "");
	LLVMValueRef count = LLVMBuildExactSDiv(reader->builder, bytes,
						spirv_number(reader, 64, type->size_B), "");
	return spirv_define(reader, op,
			    LLVMBuildIntCast2(reader->builder, count, op->type->value, true, ""));
}

static bool build_size(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *pointer = spirv_type_of(reader, op->words[3]);
	const struct spirv_type *type = pointer ? spirv_pointee(reader, pointer) : NULL;
	if (!type)
		return false;
	if (!type->memory || op->type->class != SPIRV_INT || op->type->lanes != 1)
		return spirv_fail(reader, "the operand points to nothing that has a size, or the result is no "
				  "integer");
	return spirv_define(reader, op, LLVMConstInt(op->type->value, type->size_B, false));
}

/* Whether a generic pointer is one of an address space. */
static LLVMValueRef is_of_space(struct spirv_reader *reader, LLVMValueRef pointer, const char *name,
				unsigned space)
{
	LLVMTypeRef type = spirv_ptr(reader, space);
	LLVMValueRef own = spirv_call_plain(reader, name, type, &pointer, 1);
	return own ? LLVMBuildICmp(reader->builder, LLVMIntNE, own, LLVMConstNull(type), "") : NULL;
}

static bool build_semantics(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef pointer = spirv_value_of(reader, op->words[3], spirv_ptr(reader, SPIRV_PRIVATE));
	LLVMValueRef local = pointer ? is_of_space(reader, pointer, "__to_local", SPIRV_LOCAL) : NULL;
	LLVMValueRef global = local ? is_of_space(reader, pointer, "__to_global", SPIRV_GLOBAL) : NULL;
	if (!global)
		return false;
	LLVMValueRef value = LLVMBuildSelect(
		reader->builder, global,
		spirv_number(reader, 32, SpvMemorySemanticsCrossWorkgroupMemoryMask),
		spirv_number(reader, 32, 0), "");
	value = LLVMBuildSelect(reader->builder, local,
				spirv_number(reader, 32, SpvMemorySemanticsWorkgroupMemoryMask), value, "");
	return spirv_define(reader, op, value);
}

const struct spirv_row spirv_memory_rows[] = {
	{SpvOpLoad, 4, 8, 0, build_load},
	{SpvOpStore, 3, 7, 0, build_store},
	{SpvOpCopyMemory, 3, 11, 0, build_copy},
	{SpvOpCopyMemorySized, 4, 12, 0, build_sized_copy},
	{SpvOpAccessChain, 4, 0, 0, build_chain},
	{SpvOpInBoundsAccessChain, 4, 0, 0, build_chain},
	{SpvOpPtrAccessChain, 5, 0, 0, build_chain},
	{SpvOpInBoundsPtrAccessChain, 5, 0, 0, build_chain},
	{SpvOpPtrDiff, 5, 5, 0, build_difference},
	{SpvOpSizeOf, 4, 4, 0, build_size},
	{SpvOpGenericPtrMemSemantics, 4, 4, 0, build_semantics},
	{0, 0, 0, 0, NULL},
};
