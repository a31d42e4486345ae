/* Instructions on memory: loads, stores, copies and pointers (SPIR-V 1.6, 3.49.8), atomics (3.49.18), fences and
 * barriers (3.49.20). */
#include "config.h"

#include "frontend/spirv/memory.h"

#include "frontend/spirv/opencl_std.h"

#include "frontend/llvm_compat.h"
#include "frontend/module.h"
#include "frontend/spirv/function.h"
#include "frontend/spirv/global.h"
#include "frontend/spirv/matrix.h"

#include <inttypes.h>

/* Larger than the private memory of any work-item. */
#define MOST_ARRAY_B (UINT64_C(1) << 30)

/* --- memory operands ----------------------------------------------------------------------------------------- */

/* Memory operands (SPIR-V 1.6, 3.29), and those of SPV_INTEL_memory_access_aliasing. */
enum {
	WITH_OPERAND = SpvMemoryAccessAlignedMask | SpvMemoryAccessAliasScopeINTELMaskMask |
		       SpvMemoryAccessNoAliasINTELMaskMask,
	KNOWN = WITH_OPERAND | SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask,
};

bool spirv_access_read(struct spirv_reader *reader, const struct spirv_op *op, unsigned *at,
		       struct spirv_access *access)
{
	*access = (struct spirv_access){0};
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

bool spirv_is_all_read(struct spirv_reader *reader, const struct spirv_op *op, unsigned at)
{
	return at == op->count || spirv_fail(reader, "%u words that mean nothing here", op->count - at);
}

/* The alignment of an access: the type's own, or less if the module says so.  For aggregates the module may also say
 * more. */
static unsigned alignment_of(const struct spirv_type *type, struct spirv_access access)
{
	if (!access.align_B)
		return type->align_B;
	if (spirv_is_aggregate(type) && access.align_B <= SPIRV_MOST_ALIGN_B)
		return access.align_B;
	return access.align_B < type->align_B ? access.align_B : type->align_B;
}

/* --- loads and stores ---------------------------------------------------------------------------------------- */

/* Builds a load of a variable with a sampler, whose value is its initial value. */
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
	struct spirv_access access;
	unsigned at = 4;
	if (!spirv_access_read(reader, op, &at, &access) || !spirv_is_all_read(reader, op, at))
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
	if (!spirv_matrix_is_private(reader, op->type, op->words[3]))
		return false;
	return spirv_define(reader, op, spirv_load(reader, op->type, pointer, alignment_of(op->type, access),
						   access.is_volatile));
}

/* Whether a pointer may be written through; false, with a message, if it points into a built-in variable. */
static bool is_no_input(struct spirv_reader *reader, uint32_t pointer)
{
	return !spirv_points_to_input(reader->module, pointer) ||
	       spirv_fail(reader, "a built-in variable cannot be written to");
}

static bool build_store(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_access access;
	unsigned at = 3;
	LLVMValueRef pointer = spirv_pointer(reader, op->words[1]);
	const struct spirv_type *type = pointer ? spirv_type_of(reader, op->words[2]) : NULL;
	LLVMValueRef value = type ? spirv_value(reader, op->words[2]) : NULL;
	if (!value || !is_no_input(reader, op->words[1]) || !spirv_access_read(reader, op, &at, &access) ||
	    !spirv_is_all_read(reader, op, at))
		return false;
	if (!type->memory)
		return spirv_fail(reader, "values of the type %" PRIu32 " have no place in memory", type->id);
	if (!spirv_matrix_is_private(reader, type, op->words[1]))
		return false;
	return spirv_store(reader, type, value, pointer, alignment_of(type, access), access.is_volatile);
}

/* --- copies -------------------------------------------------------------------------------------------------- */

/* Reads the memory operands of a copy (SPIR-V 1.6, 3.49.8): from version 1.4 on there may be two, for the target and
 * for the source.  "If only one is present, it applies to both." */
static bool read_accesses(struct spirv_reader *reader, const struct spirv_op *op, unsigned at,
			  struct spirv_access *to, struct spirv_access *from)
{
	if (!spirv_access_read(reader, op, &at, to))
		return false;
	*from = *to;
	return (at == op->count || spirv_access_read(reader, op, &at, from)) && spirv_is_all_read(reader, op, at);
}

static bool build_copy(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_access to, from;
	LLVMValueRef target = spirv_pointer(reader, op->words[1]);
	LLVMValueRef source = target ? spirv_pointer(reader, op->words[2]) : NULL;
	const struct spirv_type *pointer = source ? spirv_type_of(reader, op->words[2]) : NULL;
	const struct spirv_type *type = pointer ? spirv_pointee(reader, pointer) : NULL;
	if (!type || !is_no_input(reader, op->words[1]) || !read_accesses(reader, op, 3, &to, &from))
		return false;
	if (!type->memory)
		return spirv_fail(reader, "values of the type %" PRIu32 " have no place in memory", type->id);
	if (!spirv_matrix_is_private(reader, type, op->words[1]) ||
	    !spirv_matrix_is_private(reader, type, op->words[2]))
		return false;
	if (!spirv_is_aggregate(type)) {
		LLVMValueRef value = spirv_load(reader, type, source, alignment_of(type, from),
						from.is_volatile);
		return spirv_store(reader, type, value, target, alignment_of(type, to), to.is_volatile);
	}
	spirv_copy(reader, target, alignment_of(type, to), source, alignment_of(type, from),
		   spirv_number(reader, 64, type->size_B), to.is_volatile || from.is_volatile);
	return true;
}

static unsigned copy_alignment(struct spirv_access access)
{
	return access.align_B && access.align_B <= SPIRV_MOST_ALIGN_B ? access.align_B : 1;
}

static bool build_sized_copy(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_access to, from;
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

/* --- pointers to parts --------------------------------------------------------------------------------------- */

/* An index operand, which is signed, as an i64; NULL with a message. */
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

/* A pointer to the element with an index; the pointer itself for the index 0. */
static LLVMValueRef step(struct spirv_reader *reader, const struct spirv_op *op, LLVMTypeRef type,
			 LLVMValueRef pointer, LLVMValueRef index)
{
	const bool in_bounds = op->op == SpvOpInBoundsAccessChain || op->op == SpvOpInBoundsPtrAccessChain;
	if (LLVMIsAConstantInt(index) && !LLVMConstIntGetZExtValue(index))
		return pointer;
	return in_bounds ? LLVMBuildInBoundsGEP2(reader->builder, type, pointer, &index, 1, "")
			 : LLVMBuildGEP2(reader->builder, type, pointer, &index, 1, "");
}

/* A pointer to a part of *type; *type becomes the part's type.  id is the index.  NULL with a message. */
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

/* Whether an OpPtrAccessChain in a constant is an offset in bytes.  LLVM's SPIR-V back end writes an address inside of
 * a variable as element 0 and then the number of bytes, with a pointer to bytes as the result, whatever the type of the
 * variable is. */
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

/* The unit of pointer arithmetic: the type that is pointed to, or bytes for void; NULL with a message. */
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

/* --- arrays of variable length ------------------------------------------------------------------------------------ */

/* Builds OpVariableLengthArrayINTEL (SPV_INTEL_variable_length_array).  In the first block, which runs once, an array
 * whose length is a constant is an ordinary variable: compilers for SYCL write a specialization constant. */
static bool build_array(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_pointee(reader, op->type);
	const struct spirv_type *number = type ? spirv_type_of(reader, op->words[3]) : NULL;
	LLVMValueRef length = number ? spirv_value(reader, op->words[3]) : NULL, array;
	unsigned align_B;
	if (!length || !spirv_alignment(reader, op->result, type->align_B, &align_B))
		return false;
	if (op->type->storage != SpvStorageClassFunction || !type->memory || number->class != SPIRV_INT ||
	    number->lanes != 1)
		return spirv_fail(reader, "the result is no pointer to private memory, or the length no integer");
	if (LLVMIsAConstantInt(length) && LLVMConstIntGetZExtValue(length) > MOST_ARRAY_B / (type->size_B + 1))
		return spirv_fail(reader, "the array is too large");
	if (LLVMIsAConstantInt(length) && reader->body->block == 1) {
		LLVMTypeRef whole = LLVMArrayType2(type->memory, LLVMConstIntGetZExtValue(length));
		return spirv_define(reader, op, spirv_alloca(reader, whole, align_B));
	}
	length = LLVMBuildIntCast2(reader->builder, length, spirv_int(reader, 64), false, "");
	array = LLVMBuildArrayAlloca(reader->builder, type->memory, length, "");
	LLVMSetAlignment(array, align_B);
	return spirv_define(reader, op, array);
}

/* Builds OpSaveMemoryINTEL, whose result is of no use but for OpRestoreMemoryINTEL: libnvvm frees all arrays of a
 * function when it returns. */
static bool save_memory(struct spirv_reader *reader, const struct spirv_op *op)
{
	return spirv_define(reader, op, LLVMConstNull(spirv_ptr(reader, SPIRV_PRIVATE)));
}

static bool restore_memory(struct spirv_reader *reader, const struct spirv_op *op)
{
	return spirv_pointer(reader, op->words[1]) != NULL;
}

/* --- queries of pointers ------------------------------------------------------------------------------------- */

/* Builds OpPtrDiff: the number of elements between two pointers into one array. */
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

/* A bool: whether a generic pointer is in an address space; NULL with a message. */
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

/* The bits of memory semantics (SPIR-V 1.6, 3.28) that are the memory order. */
enum {
	ORDERS = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
		 SpvMemorySemanticsAcquireReleaseMask |
		 SpvMemorySemanticsSequentiallyConsistentMask
};

/* Values of memory_order and memory_scope in OpenCL C. */
enum { RELAXED = 0, ACQUIRE = 2, RELEASE = 3, ACQUIRE_RELEASE = 4, SEQUENTIAL = 5 };
enum { WORK_ITEM = 0, WORK_GROUP = 1, DEVICE = 2, ALL_DEVICES = 3, SUB_GROUP = 4 };

/* The operands and the result of an atomic instruction. */
enum shape {
	LOAD,                       /* has a result and no value operand */
	STORE,                      /* has a value operand and no result */
	EXCHANGE,                   /* has both */
	COUNT,                      /* has a result; the value is 1 */
	COMPARE, TEST_AND_SET, CLEAR
};

/* Index into functions. */
enum name {
	NAME_LOAD, NAME_STORE, NAME_EXCHANGE, NAME_ADD, NAME_SUB, NAME_MIN, NAME_MAX, NAME_AND, NAME_OR, NAME_XOR
};

static const char *const functions[] = {
	"atomic_load_explicit", "atomic_store_explicit", "atomic_exchange_explicit",
	"atomic_fetch_add_explicit", "atomic_fetch_sub_explicit", "atomic_fetch_min_explicit",
	"atomic_fetch_max_explicit", "atomic_fetch_and_explicit", "atomic_fetch_or_explicit",
	"atomic_fetch_xor_explicit",
};

/* The detail of a row: the function, whether its integers are signed, and the shape. */
enum { NAME_BITS = 0xff, HAS_SIGN = 0x100, SHAPE_SHIFT = 12 };
#define DETAIL(shape, name, sign) ((shape) << SHAPE_SHIFT | (name) | (sign))

static enum shape shape_of(const struct spirv_op *op)
{
	return (enum shape)(op->detail >> SHAPE_SHIFT);
}

/* --- memory orders and scopes -------------------------------------------------------------------------------- */

/* The memory_scope of a SPIR-V scope (1.6, 3.27).  OpenCL C has memory_scope_work_item for fences only; an atomic of
 * one work-item gets the next wider scope. */
static unsigned scope_of(uint32_t scope, bool is_fence)
{
	switch (scope) {
	case SpvScopeDevice: return DEVICE;
	case SpvScopeWorkgroup: return WORK_GROUP;
	case SpvScopeSubgroup: return SUB_GROUP;
	case SpvScopeInvocation: return is_fence ? WORK_ITEM : SUB_GROUP;
	default: return ALL_DEVICES;
	}
}

static unsigned order_of(uint32_t semantics)
{
	switch (semantics & ORDERS) {
	case 0: return RELAXED;
	case SpvMemorySemanticsAcquireMask: return ACQUIRE;
	case SpvMemorySemanticsReleaseMask: return RELEASE;
	case SpvMemorySemanticsAcquireReleaseMask: return ACQUIRE_RELEASE;
	default: return SEQUENTIAL;
	}
}

/* Memory semantics.  If they are not constant, they are sequentially consistent and include all memory. */
static uint32_t semantics_of(const struct spirv_reader *reader, uint32_t id)
{
	return spirv_operand(reader, id, (UINT32_MAX & ~(uint32_t)ORDERS) |
						 SpvMemorySemanticsSequentiallyConsistentMask);
}

/* The order of an atomic.  For a load, release has no effect, for a store, acquire has none, and
 * OpenCL C's functions do not take it. */
static struct spirv_argument order_for(const struct spirv_reader *reader, uint32_t id, bool loads, bool stores)
{
	unsigned order = order_of(semantics_of(reader, id));
	if (order == ACQUIRE_RELEASE && !stores)
		order = ACQUIRE;
	else if (order == ACQUIRE_RELEASE && !loads)
		order = RELEASE;
	else if ((order == RELEASE && !stores) || (order == ACQUIRE && !loads))
		order = RELAXED;
	return spirv_order_argument(reader, order);
}

/* The scope of an atomic.  Functions such as atomic_add of OpenCL C 1 have no scope, and programs use them to count or
 * to lock across work-groups; the LLVM/SPIR-V translator writes them as relaxed atomics of the scope of a work-group,
 * whatever the version of OpenCL C is.  Relaxed atomics of that scope that change memory therefore get the scope of the
 * device. */
static struct spirv_argument scope_for(const struct spirv_reader *reader, enum shape shape, uint32_t id,
				       uint32_t semantics)
{
	uint32_t scope = spirv_operand(reader, id, SpvScopeCrossDevice);
	if (scope == SpvScopeWorkgroup && shape != LOAD && shape != STORE &&
	    !(semantics_of(reader, semantics) & ORDERS))
		scope = SpvScopeDevice;
	return spirv_scope_argument(reader, scope_of(scope, false));
}

/* --- atomics ------------------------------------------------------------------------------------------------- */

/* Whether OpenCL C has atomics of a type; false with a message. */
static bool has_atomics(struct spirv_reader *reader, const struct spirv_type *type)
{
	const bool has = type->lanes == 1 && ((type->class == SPIRV_INT && type->bits >= 32) ||
					      type->class == SPIRV_FLOAT);
	return has || spirv_fail(reader, "there are no such atomics of the type %" PRIu32, type->id);
}

/* A pointer as an argument of an atomic function; base is the letter of its target.  False with a message. */
static bool atomic_pointer(struct spirv_reader *reader, uint32_t id, char base, struct spirv_argument *argument)
{
	LLVMValueRef pointer = spirv_pointer(reader, id);
	*argument = (struct spirv_argument){
		.value = pointer, .base = base, .is_pointer = true,
		.qualifiers = SPIRV_VOLATILE | SPIRV_ATOMIC,
	};
	return pointer && (!spirv_points_to_input(reader->module, id) ||
			   spirv_fail(reader, "a built-in variable has no atomics"));
}

static bool build_flag(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool clears = shape_of(op) == CLEAR;
	const uint32_t *operands = op->words + (clears ? 1 : 3);
	struct spirv_argument arguments[3];
	if (!atomic_pointer(reader, operands[0], 'i', &arguments[0]))
		return false;
	arguments[1] = order_for(reader, operands[2], !clears, true);
	arguments[2] = scope_for(reader, shape_of(op), operands[1], operands[2]);
	if (clears)
		return spirv_call(reader, "atomic_flag_clear_explicit", LLVMVoidTypeInContext(reader->context),
				  arguments, 3) != NULL;
	return spirv_define(reader, op, spirv_call(reader, "atomic_flag_test_and_set_explicit",
						   spirv_int(reader, 1), arguments, 3));
}

/* Builds OpAtomicCompareExchange.  OpenCL C's function stores the value that it found in the variable with the expected
 * value.  SPIR-V compares integers (1.6, 3.49.18); the LLVM/SPIR-V translator also writes it for floating-point
 * numbers, whose bits are compared. */
static bool build_compare(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type;
	struct spirv_argument arguments[6];
	if (!has_atomics(reader, type))
		return false;
	if (type->bits < 32)
		return spirv_fail(reader, "there is no such atomic of 16 bits");
	LLVMTypeRef word = spirv_int(reader, type->bits);
	const char base = type->bits == 32 ? 'j' : 'm';
	LLVMValueRef value = spirv_value_of(reader, op->words[7], type->value);
	LLVMValueRef expected = value ? spirv_value_of(reader, op->words[8], type->value) : NULL;
	if (!expected || !atomic_pointer(reader, op->words[3], base, &arguments[0]))
		return false;
	LLVMValueRef seen = spirv_alloca(reader, word, type->bits / 8);
	LLVMBuildStore(reader->builder, LLVMBuildBitCast(reader->builder, expected, word, ""), seen);
	arguments[1] = (struct spirv_argument){.value = seen, .base = base, .is_pointer = true};
	arguments[2] = (struct spirv_argument){
		.value = LLVMBuildBitCast(reader->builder, value, word, ""), .base = base,
	};
	arguments[3] = order_for(reader, op->words[5], true, true);
	arguments[4] = order_for(reader, op->words[6], true, false);
	arguments[5] = scope_for(reader, COMPARE, op->words[4], op->words[5]);
	if (!spirv_call(reader, "atomic_compare_exchange_strong_explicit", spirv_int(reader, 1), arguments, 6))
		return false;
	LLVMValueRef found = LLVMBuildLoad2(reader->builder, word, seen, "");
	return spirv_define(reader, op, LLVMBuildBitCast(reader->builder, found, type->value, ""));
}

static bool build_atomic_store(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[4]);
	LLVMValueRef value = type ? spirv_value(reader, op->words[4]) : NULL;
	struct spirv_argument arguments[4];
	if (!value || !has_atomics(reader, type) ||
	    !atomic_pointer(reader, op->words[1], spirv_letter(type, false), &arguments[0]))
		return false;
	arguments[1] = spirv_by_value(type, value, false);
	arguments[2] = order_for(reader, op->words[3], false, true);
	arguments[3] = scope_for(reader, STORE, op->words[2], op->words[3]);
	return spirv_call(reader, functions[NAME_STORE], LLVMVoidTypeInContext(reader->context), arguments, 4) !=
	       NULL;
}

static bool build_fetch(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type;
	const enum shape shape = shape_of(op);
	const bool is_signed = op->detail & HAS_SIGN;
	struct spirv_argument arguments[4];
	unsigned count = 1;
	if (!has_atomics(reader, type) ||
	    !atomic_pointer(reader, op->words[3], spirv_letter(type, is_signed), &arguments[0]))
		return false;
	if (shape == COUNT && type->class != SPIRV_INT)
		return spirv_fail(reader, "the result is no integer");
	if (shape != LOAD) {
		LLVMValueRef value = shape == COUNT ? spirv_number(reader, type->bits, 1)
						    : spirv_value_of(reader, op->words[6], type->value);
		if (!value)
			return false;
		arguments[count++] = spirv_by_value(type, value, is_signed);
	}
	arguments[count++] = order_for(reader, op->words[5], true, shape != LOAD);
	arguments[count++] = scope_for(reader, shape, op->words[4], op->words[5]);
	return spirv_define(reader, op, spirv_call(reader, functions[op->detail & NAME_BITS], type->value,
						   arguments, count));
}

/* --- fences and barriers ------------------------------------------------------------------------------------- */

/* Which part of a barrier an instruction is: the detail of its row. */
enum { WHOLE, ARRIVE, WAIT };

/* The memory that semantics name, as cl_mem_fence_flags (OpenCL C 3.0, 6.15.8). */
static struct spirv_argument storage_flags(const struct spirv_reader *reader, uint32_t semantics)
{
	enum { LOCAL = 1, GLOBAL = 2, IMAGE = 4 };
	const uint32_t global = SpvMemorySemanticsCrossWorkgroupMemoryMask |
				SpvMemorySemanticsUniformMemoryMask |
				SpvMemorySemanticsSubgroupMemoryMask |
				SpvMemorySemanticsAtomicCounterMemoryMask;
	const unsigned flags = (semantics & SpvMemorySemanticsWorkgroupMemoryMask ? LOCAL : 0) |
			       (semantics & global ? GLOBAL : 0) |
			       (semantics & SpvMemorySemanticsImageMemoryMask ? IMAGE : 0);
	return spirv_constant_argument(reader, 32, 'j', flags);
}

/* Whether a fence is mem_fence of OpenCL C 1.  Translators write it with the scope of a work-group, but programs use it
 * for locks across work-groups: it means here what it means in a source. */
static bool is_mem_fence(const struct spirv_reader *reader, uint32_t scope, uint32_t semantics)
{
	return reader->module->is_opencl_1 && scope == SpvScopeWorkgroup && (semantics & ORDERS);
}

/* Builds a fence.  The scope and the semantics are given by their ids. */
static bool fence(struct spirv_reader *reader, uint32_t scope_id, uint32_t semantics_id)
{
	const uint32_t semantics = semantics_of(reader, semantics_id);
	const uint32_t scope = spirv_operand(reader, scope_id, SpvScopeCrossDevice);
	const struct spirv_argument arguments[] = {
		storage_flags(reader, semantics), spirv_order_argument(reader, order_of(semantics)),
		spirv_scope_argument(reader, scope_of(scope, true)),
	};
	LLVMTypeRef nothing = LLVMVoidTypeInContext(reader->context);
	if (is_mem_fence(reader, scope, semantics))
		return spirv_call(reader, "mem_fence", nothing, arguments, 1) != NULL;
	return spirv_call(reader, "atomic_work_item_fence", nothing, arguments, 3) != NULL;
}

static bool build_fence(struct spirv_reader *reader, const struct spirv_op *op)
{
	return fence(reader, op->words[1], op->words[2]);
}

/* Builds OpControlBarrier, and the two halves of a barrier of SPV_INTEL_split_barrier. */
static bool build_barrier(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const char *const work_group[] = {"work_group_barrier", "intel_work_group_barrier_arrive",
						 "intel_work_group_barrier_wait"};
	const uint32_t execution = spirv_operand(reader, op->words[1], SpvScopeWorkgroup);
	const uint32_t scope = spirv_operand(reader, op->words[2], SpvScopeCrossDevice);
	const struct spirv_argument arguments[] = {
		storage_flags(reader, semantics_of(reader, op->words[3])),
		spirv_scope_argument(reader, scope_of(scope, true)),
	};
	if (execution != SpvScopeWorkgroup && op->detail != WHOLE)
		return spirv_fail(reader, "only barriers of a work-group (2) can be split");
	if (execution != SpvScopeWorkgroup && execution != SpvScopeSubgroup)
		return spirv_fail(reader,
				  "there is no barrier of the scope %" PRIu32 "; OpenCL has those of a work-group "
				  "(2) and of a sub-group (3)",
				  execution);
	return spirv_call(reader, execution == SpvScopeWorkgroup ? work_group[op->detail] : "sub_group_barrier",
			  LLVMVoidTypeInContext(reader->context), arguments, 2) != NULL;
}

/* --- named barriers ------------------------------------------------------------------------------------------
 *
 * cl_khr_subgroup_named_barrier, which OpenCL C has no functions for: PTX's numbered barriers.  Number 0 is the
 * work-group's own. */

/* Barriers of a block, PTX ISA 8.8, 9.7.13.1, without the work-group's. */
enum { MOST_BARRIERS = 15 };

static bool is_entry(const struct spirv_reader *reader, uint32_t function)
{
	for (size_t i = 0; i < reader->entry_count; i++)
		if (reader->entries[i].function == function)
			return true;
	return false;
}

/* The number of the barrier that an instruction makes, from 1 on.  Barriers in functions, which several kernels may
 * call, have numbers that are unique in the module; those in kernels, which no function calls (SPIR-V 1.6, 2.16.1),
 * follow.  Each is made once by a work-group: the specification has no way to destroy one. */
static unsigned barrier_number(const struct spirv_reader *reader, const uint32_t *barrier)
{
	const struct spirv_module *module = reader->module;
	unsigned shared = 0, own = 0;
	uint32_t function = 0;
	for (size_t at = SPIRV_HEADER_WORDS; at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		if (i.op == SpvOpFunction && i.count > 2)
			function = i.words[2];
		if (i.op != SpvOpNamedBarrierInitialize)
			continue;
		const bool in_entry = is_entry(reader, function);
		shared += !in_entry;
		own += in_entry && function == reader->function && i.words <= barrier;
		if (i.words == barrier && !in_entry)
			return shared;
	}
	return shared + own;
}

static bool build_initialize(struct spirv_reader *reader, const struct spirv_op *op)
{
	const unsigned number = barrier_number(reader, op->words);
	LLVMValueRef count = spirv_value_of(reader, op->words[3], spirv_int(reader, 32));
	if (!count)
		return false;
	if (number > MOST_BARRIERS)
		return spirv_fail(reader, "more than %d named barriers", MOST_BARRIERS);
	LLVMValueRef size = spirv_call(reader, "get_max_sub_group_size", spirv_int(reader, 32), NULL, 0);
	if (!size)
		return false;
	LLVMValueRef first[] = {spirv_number(reader, 32, number), spirv_number(reader, 32, 0)};
	LLVMValueRef lanes = LLVMBuildMul(reader->builder, count, size, "");
	return spirv_define(reader, op, LLVMBuildInsertElement(reader->builder, LLVMConstVector(first, 2), lanes,
							       spirv_number(reader, 32, 1), ""));
}

/* Waits at a named barrier. */
static void wait(struct spirv_reader *reader, LLVMValueRef barrier)
{
	char text[] = FE_NAMED_BARRIER, constraints[] = "r,r,~{memory}";
	LLVMTypeRef word = spirv_int(reader, 32), types[] = {word, word};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(reader->context), types, 2, false);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof(text) - 1, constraints, sizeof(constraints) - 1,
					     true, false, LLVMInlineAsmDialectATT, false);
	LLVMValueRef arguments[2];
	for (unsigned i = 0; i < 2; i++)
		arguments[i] = LLVMBuildExtractElement(reader->builder, barrier, spirv_number(reader, 32, i), "");
	spirv_mark_call(reader, LLVMBuildCall2(reader->builder, type, code, arguments, 2, ""));
}

/* Builds OpMemoryNamedBarrier.  PTX's barrier orders the accesses of the work-items that wait there; a wider scope
 * needs a fence on each side, as in work_group_barrier(). */
static bool build_wait(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t scope = spirv_operand(reader, op->words[2], SpvScopeCrossDevice);
	const bool is_wide = scope == SpvScopeCrossDevice || scope == SpvScopeDevice;
	LLVMTypeRef pair = LLVMVectorType(spirv_int(reader, 32), 2);
	LLVMValueRef barrier = spirv_value_of(reader, op->words[1], pair);
	if (!barrier || (is_wide && !fence(reader, op->words[2], op->words[3])))
		return false;
	wait(reader, barrier);
	return !is_wide || fence(reader, op->words[2], op->words[3]);
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
	{SpvOpVariableLengthArrayINTEL, 4, 4, 0, build_array},
	{SpvOpSaveMemoryINTEL, 3, 3, 0, save_memory},
	{SpvOpRestoreMemoryINTEL, 2, 2, 0, restore_memory},
	{SpvOpPtrDiff, 5, 5, 0, build_difference},
	{SpvOpSizeOf, 4, 4, 0, build_size},
	{SpvOpGenericPtrMemSemantics, 4, 4, 0, build_semantics},
	{SpvOpAtomicLoad, 6, 6, DETAIL(LOAD, NAME_LOAD, 0), build_fetch},
	{SpvOpAtomicStore, 5, 5, DETAIL(STORE, NAME_STORE, 0), build_atomic_store},
	{SpvOpAtomicExchange, 7, 7, DETAIL(EXCHANGE, NAME_EXCHANGE, 0), build_fetch},
	/* The weak one, which may fail spuriously, has the same operands. */
	{SpvOpAtomicCompareExchange, 9, 9, DETAIL(COMPARE, 0, 0), build_compare},
	{SpvOpAtomicCompareExchangeWeak, 9, 9, DETAIL(COMPARE, 0, 0), build_compare},
	{SpvOpAtomicIIncrement, 6, 6, DETAIL(COUNT, NAME_ADD, 0), build_fetch},
	{SpvOpAtomicIDecrement, 6, 6, DETAIL(COUNT, NAME_SUB, 0), build_fetch},
	{SpvOpAtomicIAdd, 7, 7, DETAIL(EXCHANGE, NAME_ADD, 0), build_fetch},
	{SpvOpAtomicISub, 7, 7, DETAIL(EXCHANGE, NAME_SUB, 0), build_fetch},
	{SpvOpAtomicSMin, 7, 7, DETAIL(EXCHANGE, NAME_MIN, HAS_SIGN), build_fetch},
	{SpvOpAtomicUMin, 7, 7, DETAIL(EXCHANGE, NAME_MIN, 0), build_fetch},
	{SpvOpAtomicSMax, 7, 7, DETAIL(EXCHANGE, NAME_MAX, HAS_SIGN), build_fetch},
	{SpvOpAtomicUMax, 7, 7, DETAIL(EXCHANGE, NAME_MAX, 0), build_fetch},
	{SpvOpAtomicAnd, 7, 7, DETAIL(EXCHANGE, NAME_AND, 0), build_fetch},
	{SpvOpAtomicOr, 7, 7, DETAIL(EXCHANGE, NAME_OR, 0), build_fetch},
	{SpvOpAtomicXor, 7, 7, DETAIL(EXCHANGE, NAME_XOR, 0), build_fetch},
	{SpvOpAtomicFAddEXT, 7, 7, DETAIL(EXCHANGE, NAME_ADD, 0), build_fetch},
	{SpvOpAtomicFMinEXT, 7, 7, DETAIL(EXCHANGE, NAME_MIN, 0), build_fetch},
	{SpvOpAtomicFMaxEXT, 7, 7, DETAIL(EXCHANGE, NAME_MAX, 0), build_fetch},
	{SpvOpAtomicFlagTestAndSet, 6, 6, DETAIL(TEST_AND_SET, 0, 0), build_flag},
	{SpvOpAtomicFlagClear, 4, 4, DETAIL(CLEAR, 0, 0), build_flag},
	{SpvOpMemoryBarrier, 3, 3, 0, build_fence},
	{SpvOpControlBarrier, 4, 4, WHOLE, build_barrier},
	{SpvOpControlBarrierArriveINTEL, 4, 4, ARRIVE, build_barrier},
	{SpvOpControlBarrierWaitINTEL, 4, 4, WAIT, build_barrier},
	{SpvOpNamedBarrierInitialize, 4, 4, 0, build_initialize},
	{SpvOpMemoryNamedBarrier, 4, 4, 0, build_wait},
	{0, 0, 0, 0, NULL},
};
