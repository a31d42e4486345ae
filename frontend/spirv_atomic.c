/* Atomic instructions, fences and barriers (SPIR-V 1.6, 3.49.18 and 3.49.20), as the functions of
 * OpenCL C 3.0, 6.15.12 and 6.15.8. */
#include "config.h"

#include "frontend/spirv_call.h"
#include "frontend/spirv_input.h"

#include <inttypes.h>

/* Bits of memory semantics (SPIR-V 1.6, 3.28) that say the order. */
enum {
	ORDERS = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
		 SpvMemorySemanticsAcquireReleaseMask |
		 SpvMemorySemanticsSequentiallyConsistentMask
};

/* Values of memory_order and memory_scope in OpenCL C. */
enum { RELAXED = 0, ACQUIRE = 2, RELEASE = 3, ACQUIRE_RELEASE = 4, SEQUENTIAL = 5 };
enum { WORK_ITEM = 0, WORK_GROUP = 1, DEVICE = 2, ALL_DEVICES = 3, SUB_GROUP = 4 };

enum shape {
	LOAD, STORE, EXCHANGE,      /* no value; no result; both */
	COUNT,                      /* the value is 1 */
	COMPARE, TEST_AND_SET, CLEAR
};

enum name {
	NAME_LOAD, NAME_STORE, NAME_EXCHANGE, NAME_ADD, NAME_SUB, NAME_MIN, NAME_MAX, NAME_AND, NAME_OR, NAME_XOR
};

static const char *const functions[] = {
	"atomic_load_explicit", "atomic_store_explicit", "atomic_exchange_explicit",
	"atomic_fetch_add_explicit", "atomic_fetch_sub_explicit", "atomic_fetch_min_explicit",
	"atomic_fetch_max_explicit", "atomic_fetch_and_explicit", "atomic_fetch_or_explicit",
	"atomic_fetch_xor_explicit",
};

/* A row's detail: what the function is, whether its integers have a sign, and its shape. */
enum { NAME_BITS = 0xff, HAS_SIGN = 0x100, SHAPE_SHIFT = 12 };
#define DETAIL(shape, name, sign) ((shape) << SHAPE_SHIFT | (name) | (sign))

static enum shape shape_of(const struct spirv_op *op)
{
	return (enum shape)(op->detail >> SHAPE_SHIFT);
}

/* --- orders and scopes ----------------------------------------------------------------------------------------- */

/* SPIR-V 1.6, 3.27.  Nothing is weaker than what one sub-group sees but what one work-item sees,
 * and that needs no atomics: OpenCL C has the scope for fences alone. */
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

/* What is not constant gets the strongest order, of all memory. */
static uint32_t semantics_of(const struct spirv_reader *reader, uint32_t id)
{
	return spirv_operand(reader, id, (UINT32_MAX & ~(uint32_t)ORDERS) |
						 SpvMemorySemanticsSequentiallyConsistentMask);
}

/* A load releases nothing, a store acquires nothing: that part of an order is without effect, and
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

/* Functions like atomic_add of OpenCL C 1 have no scope: all work-groups see what they do, as
 * programs have it that count or lock.  The LLVM/SPIR-V translator writes relaxed ones of a
 * work-group for them, from OpenCL C of any version.  What changes memory does so where all see
 * it anyway. */
static struct spirv_argument scope_for(const struct spirv_reader *reader, enum shape shape, uint32_t id,
				       uint32_t semantics)
{
	uint32_t scope = spirv_operand(reader, id, SpvScopeCrossDevice);
	if (scope == SpvScopeWorkgroup && shape != LOAD && shape != STORE &&
	    !(semantics_of(reader, semantics) & ORDERS))
		scope = SpvScopeDevice;
	return spirv_scope_argument(reader, scope_of(scope, false));
}

/* --- atomics ---------------------------------------------------------------------------------------------------- */

/* Whether OpenCL C has atomics of a type. */
static bool has_atomics(struct spirv_reader *reader, const struct spirv_type *type)
{
	const bool has = type->lanes == 1 && ((type->class == SPIRV_INT && type->bits >= 32) ||
					      type->class == SPIRV_FLOAT);
	return has || spirv_fail(reader, "there are no such atomics of the type %" PRIu32, type->id);
}

/* A pointer as the atomic functions take it; false with a message. */
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

/* OpenCL C leaves what was there in the variable that held what was expected.  SPIR-V compares integers
 * (1.6, 3.49.18); the LLVM/SPIR-V translator writes it of reals, too, whose bits count then. */
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

static bool build_store(struct spirv_reader *reader, const struct spirv_op *op)
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

/* --- fences and barriers ---------------------------------------------------------------------------------------- */

/* Storage that the semantics name, as flags (OpenCL C 3.0, 6.15.8). */
static struct spirv_argument flags_of(const struct spirv_reader *reader, uint32_t semantics)
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

/* mem_fence of OpenCL C 1 is written as a fence of the work-group, which is more than the language
 * promises, and less than locks of programs need: it stays what it is in a source. */
static bool is_mem_fence(const struct spirv_reader *reader, uint32_t scope, uint32_t semantics)
{
	return reader->module->is_opencl_1 && scope == SpvScopeWorkgroup && (semantics & ORDERS);
}

/* Orders memory as a scope and semantics say, both ids. */
static bool fence(struct spirv_reader *reader, uint32_t scope_id, uint32_t semantics_id)
{
	const uint32_t semantics = semantics_of(reader, semantics_id);
	const uint32_t scope = spirv_operand(reader, scope_id, SpvScopeCrossDevice);
	const struct spirv_argument arguments[] = {
		flags_of(reader, semantics), spirv_order_argument(reader, order_of(semantics)),
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

static bool build_barrier(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t execution = spirv_operand(reader, op->words[1], SpvScopeWorkgroup);
	const uint32_t scope = spirv_operand(reader, op->words[2], SpvScopeCrossDevice);
	const struct spirv_argument arguments[] = {
		flags_of(reader, semantics_of(reader, op->words[3])),
		spirv_scope_argument(reader, scope_of(scope, true)),
	};
	if (execution != SpvScopeWorkgroup && execution != SpvScopeSubgroup)
		return spirv_fail(reader, "there is no barrier of the scope %" PRIu32 "; OpenCL has those of a work-group "
				  "(2) and of a sub-group (3)", execution);
	return spirv_call(reader, execution == SpvScopeWorkgroup ? "work_group_barrier" : "sub_group_barrier",
			  LLVMVoidTypeInContext(reader->context), arguments, 2) != NULL;
}

/* --- named barriers ----------------------------------------------------------------------------------------------
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

/* The number of the barrier that an instruction makes, from 1 on.  Functions that kernels may share
 * have numbers of their own in the module; those of a kernel, which nobody calls (SPIR-V 1.6,
 * 2.16.1), are behind these.  Each is made once by a work-group: the specification has no way to
 * take one back. */
static unsigned number_of(const struct spirv_reader *reader, const uint32_t *barrier)
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
	const unsigned number = number_of(reader, op->words);
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

static void wait(struct spirv_reader *reader, LLVMValueRef barrier)
{
	char text[] = "barrier.sync $0, $1;", constraints[] = "r,r,~{memory}";
	LLVMTypeRef word = spirv_int(reader, 32), types[] = {word, word};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(reader->context), types, 2, false);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof(text) - 1, constraints, sizeof(constraints) - 1,
					     true, false, LLVMInlineAsmDialectATT, false);
	LLVMValueRef arguments[2];
	for (unsigned i = 0; i < 2; i++)
		arguments[i] = LLVMBuildExtractElement(reader->builder, barrier, spirv_number(reader, 32, i), "");
	spirv_mark_call(reader, LLVMBuildCall2(reader->builder, type, code, arguments, 2, ""));
}

/* The barrier orders the accesses of those who meet among themselves; a wider scope takes a fence
 * on each side, as in work_group_barrier(). */
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

const struct spirv_row spirv_atomic_rows[] = {
	{SpvOpAtomicLoad, 6, 6, DETAIL(LOAD, NAME_LOAD, 0), build_fetch},
	{SpvOpAtomicStore, 5, 5, DETAIL(STORE, NAME_STORE, 0), build_store},
	{SpvOpAtomicExchange, 7, 7, DETAIL(EXCHANGE, NAME_EXCHANGE, 0), build_fetch},
	/* The weak one may be as strong as it likes, and has the same operands. */
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
	{SpvOpControlBarrier, 4, 4, 0, build_barrier},
	{SpvOpNamedBarrierInitialize, 4, 4, 0, build_initialize},
	{SpvOpMemoryNamedBarrier, 4, 4, 0, build_wait},
	{0, 0, 0, 0, NULL},
};
