#include "config.h"

#include "frontend/lower_component.h"

/* Vectors of bytes and of shorts in memory.
 *
 * libnvvm 13.0 for compute_90 and before loads and stores at most four components at once, whatever their size: a
 * uchar16 is four accesses of 4 bytes, for which a GPU's caches take longer than for one of 16 bytes.  Here it is one
 * access of four numbers of 32 bits, as libnvvm makes it for later architectures.  Private memory is left as it is,
 * since libnvvm keeps most of that in registers. */

enum { NUMBER_BITS = 32, STEPS_MAX = 4 };

static unsigned component_bits(LLVMTypeRef vector)
{
	return LLVMGetIntTypeWidth(LLVMGetElementType(vector));
}

/* The type of the vector's bits as numbers. */
static LLVMTypeRef numbers_type(const struct lowering *lowering, LLVMTypeRef vector)
{
	LLVMTypeRef number = LLVMInt32TypeInContext(lowering->context);
	const unsigned count = LLVMGetVectorSize(vector) * component_bits(vector) / NUMBER_BITS;
	return count == 1 ? number : LLVMVectorType(number, count);
}

static LLVMValueRef index_of(const struct lowering *lowering, unsigned i)
{
	return LLVMConstInt(LLVMInt32TypeInContext(lowering->context), i, false);
}

static LLVMValueRef extract(struct lowering *lowering, LLVMValueRef numbers, unsigned i)
{
	return LLVMGetTypeKind(LLVMTypeOf(numbers)) != LLVMVectorTypeKind ? numbers :
	       LLVMBuildExtractElement(lowering->builder, numbers, index_of(lowering, i), "");
}

/* --- loads ---------- */

/* Whether components of the vector are extended and then multiplied, as in a dot product, within so many steps. */
static bool is_multiplied(LLVMValueRef value, bool extended, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use && depth; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		const LLVMOpcode opcode = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMRet;
		const bool extends = opcode == LLVMZExt || opcode == LLVMSExt;
		if (opcode == LLVMMul && extended)
			return true;
		if ((extends || opcode == LLVMExtractElement || opcode == LLVMShuffleVector) &&
		    is_multiplied(user, extended || extends, depth - 1))
			return true;
	}
	return false;
}

/* Makes a component of a number, or of the vector of four bytes that it is. */
static LLVMValueRef component_of(struct lowering *lowering, LLVMValueRef number, LLVMTypeRef component, unsigned i)
{
	if (LLVMGetTypeKind(LLVMTypeOf(number)) == LLVMVectorTypeKind)
		return extract(lowering, number, i);
	LLVMValueRef bit = index_of(lowering, i * LLVMGetIntTypeWidth(component));
	LLVMValueRef part = i ? LLVMBuildLShr(lowering->builder, number, bit, "") : number;
	return LLVMBuildTrunc(lowering->builder, part, component, "");
}

/* libnvvm makes a dot product of a number itself only where it knows that four bytes are the number's bits, and puts
 * them together again otherwise.  Without dot products, shifts are fewer instructions. */
void fe_load_as_numbers(struct lowering *lowering, LLVMValueRef load)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef vector = LLVMTypeOf(load), component = LLVMGetElementType(vector);
	const unsigned bits = component_bits(vector), each = NUMBER_BITS / bits;
	const bool multiplied = bits == 8 && is_multiplied(load, false, STEPS_MAX);
	LLVMValueRef whole = LLVMGetUndef(vector), number = NULL;
	LLVMPositionBuilderBefore(builder, load);
	LLVMValueRef numbers = LLVMBuildLoad2(builder, numbers_type(lowering, vector), LLVMGetOperand(load, 0), "");
	fe_component_take_properties(numbers, load, LLVMGetAlignment(load));
	for (unsigned i = 0; i < LLVMGetVectorSize(vector); i++) {
		number = i % each ? number : extract(lowering, numbers, i / each);
		if (i % each == 0 && multiplied)
			number = LLVMBuildBitCast(builder, number, LLVMVectorType(component, each), "");
		LLVMValueRef part = component_of(lowering, number, component, i % each);
		whole = LLVMBuildInsertElement(builder, whole, part, index_of(lowering, i), "");
	}
	LLVMReplaceAllUsesWith(load, whole);
	LLVMInstructionEraseFromParent(load);
}

/* --- stores ---------- */

/* Makes a number of components [first, first + count) of a vector. */
static LLVMValueRef number_of(struct lowering *lowering, LLVMValueRef vector, unsigned first, unsigned count)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef number = NULL;
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef part = LLVMBuildZExt(builder, extract(lowering, vector, first + i), type, "");
		if (i)
			part = LLVMBuildShl(builder, part, index_of(lowering, i * NUMBER_BITS / count), "");
		number = i ? LLVMBuildOr(builder, number, part, "") : part;
	}
	return number;
}

static void store_as_numbers(struct lowering *lowering, LLVMValueRef store)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef vector = LLVMGetOperand(store, 0);
	const unsigned each = NUMBER_BITS / component_bits(LLVMTypeOf(vector));
	LLVMValueRef numbers = LLVMGetUndef(numbers_type(lowering, LLVMTypeOf(vector)));
	LLVMPositionBuilderBefore(builder, store);
	for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(vector)) / each; i++)
		numbers = LLVMBuildInsertElement(builder, numbers, number_of(lowering, vector, i * each, each),
						 index_of(lowering, i), "");
	LLVMValueRef made = LLVMBuildStore(builder, numbers, LLVMGetOperand(store, 1));
	fe_component_take_properties(made, store, LLVMGetAlignment(store));
	LLVMInstructionEraseFromParent(store);
}

/* --- which ---------- */

static bool is_in_memory(LLVMValueRef pointer)
{
	const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	return space == LOWER_SPACE_GLOBAL || space == LOWER_SPACE_LOCAL || space == LOWER_SPACE_CONSTANT;
}

/* Whether libnvvm would need several accesses for a vector that takes fewer as numbers. */
static bool is_split(const struct lowering *lowering, LLVMTypeRef type, LLVMValueRef access, LLVMValueRef pointer)
{
	const bool is_narrow = fe_component_is_vector_of(type, 8) || fe_component_is_vector_of(type, 16);
	if (!is_narrow || !fe_component_is_plain(access) || !is_in_memory(pointer))
		return false;
	const unsigned lanes = LLVMGetVectorSize(type);
	const uint64_t size_B = LLVMABISizeOfType(lowering->layout, type);
	return (lanes == 8 || lanes == 16) &&
	       LLVMGetAlignment(access) >= (size_B < LOWER_WIDEST_ACCESS_B ? size_B : LOWER_WIDEST_ACCESS_B);
}

static void join_in_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsALoadInst(i) && is_split(lowering, LLVMTypeOf(i), i, LLVMGetOperand(i, 0)))
			fe_load_as_numbers(lowering, i);
		else if (LLVMIsAStoreInst(i) &&
			 is_split(lowering, LLVMTypeOf(LLVMGetOperand(i, 0)), i, LLVMGetOperand(i, 1)))
			store_as_numbers(lowering, i);
	}
}

enum fe_status fe_lower_narrow_vectors(struct lowering *lowering)
{
	if (!lowering->unoptimized)
		fe_component_for_blocks(lowering, join_in_block);
	return FE_OK;
}
