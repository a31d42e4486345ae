#include "config.h"

#include "frontend/spirv_barrier.h"
#include "frontend/spirv_call.h"

#include <inttypes.h>

/* Atomic instructions (SPIR-V 1.6, 3.49.18), as the functions of OpenCL C 3.0, 6.15.12. */

/* Bits of memory semantics (SPIR-V 1.6, 3.28) that say the order. */
enum {
	ORDERS = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
		 SpvMemorySemanticsAcquireReleaseMask |
		 SpvMemorySemanticsSequentiallyConsistentMask
};

enum shape {
	LOAD, STORE, EXCHANGE,      /* no value; no result; both */
	COUNT,                      /* the value is 1 */
	COMPARE, TEST_AND_SET, CLEAR
};

struct atomic {
	uint16_t op;
	uint8_t shape;
	bool is_signed;
	const char *name;
};

static const struct atomic atomics[] = {
	{SpvOpAtomicLoad, LOAD, false, "load"},
	{SpvOpAtomicStore, STORE, false, "store"},
	{SpvOpAtomicExchange, EXCHANGE, false, "exchange"},
	/* The weak one may be as strong as it likes, and has the same operands. */
	{SpvOpAtomicCompareExchange, COMPARE, false, "compare_exchange_strong"},
	{SpvOpAtomicCompareExchangeWeak, COMPARE, false, "compare_exchange_strong"},
	{SpvOpAtomicIIncrement, COUNT, false, "fetch_add"},
	{SpvOpAtomicIDecrement, COUNT, false, "fetch_sub"},
	{SpvOpAtomicIAdd, EXCHANGE, false, "fetch_add"},
	{SpvOpAtomicISub, EXCHANGE, false, "fetch_sub"},
	{SpvOpAtomicSMin, EXCHANGE, true, "fetch_min"},
	{SpvOpAtomicUMin, EXCHANGE, false, "fetch_min"},
	{SpvOpAtomicSMax, EXCHANGE, true, "fetch_max"},
	{SpvOpAtomicUMax, EXCHANGE, false, "fetch_max"},
	{SpvOpAtomicAnd, EXCHANGE, false, "fetch_and"},
	{SpvOpAtomicOr, EXCHANGE, false, "fetch_or"},
	{SpvOpAtomicXor, EXCHANGE, false, "fetch_xor"},
	{SpvOpAtomicFlagTestAndSet, TEST_AND_SET, false, "flag_test_and_set"},
	{SpvOpAtomicFlagClear, CLEAR, false, "flag_clear"},
	{SpvOpAtomicFAddEXT, EXCHANGE, false, "fetch_add"},
	{SpvOpAtomicFMinEXT, EXCHANGE, false, "fetch_min"},
	{SpvOpAtomicFMaxEXT, EXCHANGE, false, "fetch_max"},
};

/* Words of an instruction of each shape. */
static const uint8_t words_of[] = {
	[LOAD] = 6, [STORE] = 5, [EXCHANGE] = 7, [COUNT] = 6, [COMPARE] = 9, [TEST_AND_SET] = 6,
	[CLEAR] = 4,
};

/* --- orders and scopes --- */

/* SPIR-V 1.6, 3.27.  Nothing is weaker than what one sub-group sees but what one work-item sees,
 * and that needs no atomics: OpenCL C has the scope for fences alone. */
static const char *scope_name(uint32_t scope, bool is_fence)
{
	switch (scope) {
	case SpvScopeDevice:
		return "memory_scope_device";
	case SpvScopeWorkgroup:
		return "memory_scope_work_group";
	case SpvScopeSubgroup:
		return "memory_scope_sub_group";
	case SpvScopeInvocation:
		return is_fence ? "memory_scope_work_item" : "memory_scope_sub_group";
	default:
		return "memory_scope_all_svm_devices";
	}
}

static const char *order_name(uint32_t semantics)
{
	switch (semantics & ORDERS) {
	case 0:
		return "memory_order_relaxed";
	case SpvMemorySemanticsAcquireMask:
		return "memory_order_acquire";
	case SpvMemorySemanticsReleaseMask:
		return "memory_order_release";
	case SpvMemorySemanticsAcquireReleaseMask:
		return "memory_order_acq_rel";
	default:
		return "memory_order_seq_cst";
	}
}

/* What is not constant gets the strongest order, of all memory. */
static uint32_t semantics_of(const struct spirv_writer *writer, uint32_t id)
{
	uint64_t semantics;
	if (spirv_integer(writer, id, &semantics))
		return (uint32_t)semantics;
	return (UINT32_MAX & ~(uint32_t)ORDERS) | SpvMemorySemanticsSequentiallyConsistentMask;
}

/* A load releases nothing, a store acquires nothing: that part of an order is without effect, and
 * OpenCL C's functions do not take it. */
static const char *order_for(const struct spirv_writer *writer, uint32_t id, bool loads,
			     bool stores)
{
	uint32_t order = semantics_of(writer, id) & ORDERS;
	if (order == SpvMemorySemanticsAcquireReleaseMask && !stores)
		order = SpvMemorySemanticsAcquireMask;
	else if (order == SpvMemorySemanticsAcquireReleaseMask && !loads)
		order = SpvMemorySemanticsReleaseMask;
	else if ((order == SpvMemorySemanticsReleaseMask && !stores) ||
		 (order == SpvMemorySemanticsAcquireMask && !loads))
		order = 0;
	return order_name(order);
}

/* Functions like atomic_add of OpenCL C 1 have no scope: all work-groups see what they do, as
 * programs have it that count or lock.  The LLVM/SPIR-V translator writes relaxed ones of a
 * work-group for them, from OpenCL C of any version.  What changes memory does so where all see
 * it anyway. */
static const char *scope_for(const struct spirv_writer *writer, const struct atomic *atomic,
			     uint32_t id, uint32_t semantics)
{
	uint32_t scope = spirv_scope(writer, id, SpvScopeCrossDevice);
	if (scope == SpvScopeWorkgroup && atomic->shape != LOAD && atomic->shape != STORE &&
	    !(semantics_of(writer, semantics) & ORDERS))
		scope = SpvScopeDevice;
	return scope_name(scope, false);
}

/* --- atomics --- */

/* "atomic_uint"; NULL for what OpenCL C has no atomics of. */
static const char *type_name(struct spirv_shape shape, bool is_signed)
{
	if (shape.lanes != 1)
		return NULL;
	if (shape.class == SPIRV_INT && shape.bits == 32)
		return is_signed ? "atomic_int" : "atomic_uint";
	if (shape.class == SPIRV_INT && shape.bits == 64)
		return is_signed ? "atomic_long" : "atomic_ulong";
	if (shape.class != SPIRV_FLOAT)
		return NULL;
	return shape.bits == 16 ? "atomic_half" : shape.bits == 32 ? "atomic_float"
								   : "atomic_double";
}

static enum spirv_written no_pointer(struct spirv_writer *writer, unsigned op)
{
	return spirv_fail(writer, op, "not through a pointer");
}

/* "atomic_fetch_add_explicit((volatile global atomic_uint *)v7" */
static bool put_call(struct spirv_writer *writer, const struct atomic *atomic, const char *type,
		     uint32_t pointer)
{
	spirv_put(writer, "atomic_%s_explicit(", atomic->name);
	return spirv_put_pointer(writer, "volatile ", type, pointer);
}

static enum spirv_written write_flag(struct spirv_writer *writer, const uint32_t *words,
				     const struct atomic *atomic)
{
	bool clears = atomic->shape == CLEAR;
	const uint32_t *operands = words + (clears ? 1 : 3);
	if (!clears)
		spirv_put(writer, "v%" PRIu32 " = ", words[2]);
	if (!put_call(writer, atomic, "atomic_flag", operands[0]))
		return no_pointer(writer, atomic->op);
	spirv_put(writer, ", %s, %s);\n", order_for(writer, operands[2], !clears, true),
		  scope_for(writer, atomic, operands[1], operands[2]));
	return SPIRV_WRITTEN;
}

/* OpenCL C leaves what was there in the variable that held what was expected.  SPIR-V compares integers
 * (1.6, 3.49.18); the LLVM/SPIR-V translator writes it of reals, too, whose bits count then. */
static enum spirv_written write_compare(struct spirv_writer *writer, const uint32_t *words,
					const struct atomic *atomic, struct spirv_shape shape)
{
	const struct spirv_text result = spirv_unsigned_name(shape);
	shape.class = SPIRV_INT;
	const struct spirv_text bits = spirv_unsigned_name(shape);
	const char *type = type_name(shape, false);
	unsigned seen = spirv_temporary(writer);
	if (!type)
		return spirv_fail(writer, atomic->op, "not on this type");
	spirv_put(writer, "{ %s x%u = as_%s(v%" PRIu32 "); ", bits.text, seen, bits.text, words[8]);
	if (!put_call(writer, atomic, type, words[3]))
		return no_pointer(writer, atomic->op);
	spirv_put(writer, ", &x%u, as_%s(v%" PRIu32 "), %s, %s, %s); v%" PRIu32 " = as_%s(x%u); }\n",
		  seen, bits.text, words[7], order_for(writer, words[5], true, true),
		  order_for(writer, words[6], true, false),
		  scope_for(writer, atomic, words[4], words[5]), words[2], result.text, seen);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_store(struct spirv_writer *writer, const uint32_t *words,
				      const struct atomic *atomic, const char *type)
{
	if (!put_call(writer, atomic, type, words[1]))
		return no_pointer(writer, atomic->op);
	spirv_put(writer, ", v%" PRIu32 ", %s, %s);\n", words[4],
		  order_for(writer, words[3], false, true),
		  scope_for(writer, atomic, words[2], words[3]));
	return SPIRV_WRITTEN;
}

static enum spirv_written write_fetch(struct spirv_writer *writer, const uint32_t *words,
				      const struct atomic *atomic, const char *type)
{
	spirv_put_result(writer, words);
	if (!put_call(writer, atomic, type, words[3]))
		return no_pointer(writer, atomic->op);
	if (atomic->shape == COUNT) {
		spirv_put(writer, ", (t%" PRIu32 ")1", words[1]);
	} else if (atomic->shape == EXCHANGE) {
		spirv_put(writer, ", ");
		if (atomic->is_signed)
			spirv_put_signed(writer, words[6]);
		else
			spirv_put(writer, "v%" PRIu32, words[6]);
	}
	spirv_put(writer, ", %s, %s));\n",
		  order_for(writer, words[5], true, atomic->shape != LOAD),
		  scope_for(writer, atomic, words[4], words[5]));
	return SPIRV_WRITTEN;
}

static enum spirv_written write_atomic(struct spirv_writer *writer, const uint32_t *words,
				       unsigned count, const struct atomic *atomic)
{
	if (count < words_of[atomic->shape])
		return spirv_fail(writer, atomic->op, "too few words");
	if (atomic->shape == TEST_AND_SET || atomic->shape == CLEAR)
		return write_flag(writer, words, atomic);
	bool stores = atomic->shape == STORE;
	struct spirv_shape shape = stores ? spirv_value_shape(writer->module, words[4])
					  : spirv_shape(writer->module, words[1]);
	const char *type = type_name(shape, atomic->is_signed);
	if (!type)
		return spirv_fail(writer, atomic->op, "not on this type");
	if (stores)
		return write_store(writer, words, atomic, type);
	if (atomic->shape == COMPARE)
		return write_compare(writer, words, atomic, shape);
	return write_fetch(writer, words, atomic, type);
}

/* --- fences and barriers --- */

/* Storage that the semantics name, as flags. */
static void put_flags(struct spirv_writer *writer, uint32_t semantics)
{
	bool local = semantics & SpvMemorySemanticsWorkgroupMemoryMask;
	bool global = semantics & (SpvMemorySemanticsCrossWorkgroupMemoryMask |
				   SpvMemorySemanticsUniformMemoryMask |
				   SpvMemorySemanticsSubgroupMemoryMask |
				   SpvMemorySemanticsAtomicCounterMemoryMask);
	bool image = semantics & SpvMemorySemanticsImageMemoryMask;
	spirv_put(writer, "0%s%s%s", local ? " | CLK_LOCAL_MEM_FENCE" : "",
		  global ? " | CLK_GLOBAL_MEM_FENCE" : "", image ? " | CLK_IMAGE_MEM_FENCE" : "");
}

/* mem_fence of OpenCL C 1 is written as a fence of the work-group, which is more than the language
 * promises, and less than locks of programs need: it stays what it is in a source. */
static bool is_mem_fence(const struct spirv_writer *writer, uint32_t scope, uint32_t semantics)
{
	return writer->module->is_opencl_1 && scope == SpvScopeWorkgroup && (semantics & ORDERS);
}

void spirv_put_fence(struct spirv_writer *writer, uint32_t scope_id, uint32_t semantics)
{
	uint32_t known = semantics_of(writer, semantics);
	uint32_t scope = spirv_scope(writer, scope_id, SpvScopeCrossDevice);
	if (is_mem_fence(writer, scope, known)) {
		spirv_put(writer, "mem_fence(");
		put_flags(writer, known);
		spirv_put(writer, ");\n");
		return;
	}
	spirv_put(writer, "atomic_work_item_fence(");
	put_flags(writer, known);
	spirv_put(writer, ", %s, %s);\n", order_name(known), scope_name(scope, true));
}

static enum spirv_written write_barrier(struct spirv_writer *writer, const uint32_t *words,
					unsigned count)
{
	if (count < 4)
		return spirv_fail(writer, SpvOpControlBarrier, "too few words");
	uint32_t execution = spirv_scope(writer, words[1], SpvScopeWorkgroup);
	if (execution != SpvScopeWorkgroup && execution != SpvScopeSubgroup)
		return spirv_fail(writer, SpvOpControlBarrier, "scope %" PRIu32, execution);
	spirv_put(writer, "%s_barrier(",
		  execution == SpvScopeWorkgroup ? "work_group" : "sub_group");
	put_flags(writer, semantics_of(writer, words[3]));
	spirv_put(writer, ", %s);\n",
		  scope_name(spirv_scope(writer, words[2], SpvScopeCrossDevice), true));
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_atomic(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	for (size_t i = 0; i < sizeof(atomics) / sizeof(*atomics); i++)
		if (atomics[i].op == op)
			return write_atomic(writer, words, count, &atomics[i]);
	if (op == SpvOpControlBarrier)
		return write_barrier(writer, words, count);
	if (op != SpvOpMemoryBarrier)
		return spirv_named_barrier(writer, words, count);
	if (count < 3)
		return spirv_fail(writer, op, "too few words");
	spirv_put_fence(writer, words[1], words[2]);
	return SPIRV_WRITTEN;
}
