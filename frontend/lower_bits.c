#include "config.h"

#include "frontend/lower.h"

/* Bits of numbers as another number of integers, such as as_char8(x), or bits of a vector of numbers as one integer.
 * If the numbers are converted integers and the bits are compared with 0, as in "as_char8(convert_double(n)) !=
 * (char8)(0)", libnvvm 13.0 for compute_90 and before compares the integers instead, and then refuses the program
 * ("Broken function found").  So the numbers are moved by inline PTX first, so that libnvvm does not know that they
 * were converted.  The conversion and the comparison may be in other functions, which libnvvm inlines, so that all such
 * bits are moved.
 *
 * The bits may also be taken in memory, by a union or a pointer: libnvvm forwards what is stored to a load of the same
 * bytes.  So numbers that may be converted are moved before they are stored, if the module loads as many bits as
 * another number of integers from that address space. */

enum { SPACES = LOWER_SPACE_CONSTANT + 1, SIZES = 11, COUNT_MAX = 16 };

/* How many integers loads of 1 << size bits have, as a set of bits. */
struct loaded {
	uint32_t counts[SPACES][SIZES];
};

static bool is_vector(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeRef element_type(LLVMTypeRef type)
{
	return is_vector(type) ? LLVMGetElementType(type) : type;
}

static unsigned count_of(LLVMTypeRef type)
{
	return is_vector(type) ? LLVMGetVectorSize(type) : 1;
}

/* Vectors of halves count only where they are converted at once: otherwise, inline PTX converts their elements. */
static bool are_numbers(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	const LLVMTypeKind kind = LLVMGetTypeKind(element_type(type));
	if (kind != LLVMHalfTypeKind)
		return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
	return !is_vector(type) || LLVMIsASIToFPInst(value) || LLVMIsAUIToFPInst(value);
}

static bool is_of_integers(LLVMTypeRef type)
{
	return LLVMGetTypeKind(element_type(type)) == LLVMIntegerTypeKind;
}

/* Whether these are the bits of numbers as another number of integers. */
static bool is_of_bits(LLVMValueRef i)
{
	if (!LLVMIsABitCastInst(i))
		return false;
	LLVMValueRef numbers = LLVMGetOperand(i, 0);
	return are_numbers(numbers) && is_of_integers(LLVMTypeOf(i)) &&
	       count_of(LLVMTypeOf(numbers)) != count_of(LLVMTypeOf(i));
}

/* Returns n if the type has 1 << n bits, and SIZES if it has another size. */
static unsigned size_of(LLVMTypeRef type)
{
	LLVMTypeRef element = element_type(type);
	const LLVMTypeKind kind = LLVMGetTypeKind(element);
	unsigned bits = kind == LLVMHalfTypeKind     ? 16
			: kind == LLVMFloatTypeKind  ? 32
			: kind == LLVMDoubleTypeKind ? 64
						     : LLVMGetIntTypeWidth(element);
	bits *= count_of(type);
	for (unsigned size = 0; size < SIZES; size++)
		if (bits == 1u << size)
			return size;
	return SIZES;
}

static void note_load(struct loaded *loaded, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0)));
	if (!is_of_integers(type) || count_of(type) > COUNT_MAX || space >= SPACES)
		return;
	const unsigned size = size_of(type);
	if (size < SIZES)
		loaded->counts[space][size] |= 1u << count_of(type);
}

/* Whether numbers that are stored as this type may be loaded as another number of integers. */
static bool is_loaded_otherwise(const struct loaded *loaded, unsigned space, LLVMTypeRef type)
{
	const unsigned size = size_of(type);
	uint32_t counts = 0;
	for (unsigned s = 0; s < SPACES && size < SIZES; s++)
		if (s == space || s == LOWER_SPACE_GENERIC || space == LOWER_SPACE_GENERIC)
			counts |= loaded->counts[s][size];
	return counts & ~(1u << count_of(type));
}

/* Whether the numbers may be converted integers, as far as the instruction that computes them says. */
static bool may_be_converted(LLVMValueRef numbers)
{
	if (!LLVMIsAInstruction(numbers))
		return !LLVMIsAConstant(numbers);
	switch (LLVMGetInstructionOpcode(numbers)) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem:
	case LLVMFNeg:
		return false;
	case LLVMCall:
		return !LLVMIsAInlineAsm(LLVMGetCalledValue(numbers));
	default:
		return true;
	}
}

/* Returns the instruction whose first operand is to be moved because the store writes its bits, which may be loaded as
 * another number of integers: the store, or a cast before it.  NULL: none is. */
static LLVMValueRef user_in_memory(const struct loaded *loaded, LLVMValueRef store)
{
	if (!LLVMIsAStoreInst(store))
		return NULL;
	LLVMValueRef stored = LLVMGetOperand(store, 0), user = LLVMIsABitCastInst(stored) ? stored : store;
	LLVMValueRef numbers = LLVMGetOperand(user, 0);
	LLVMTypeRef type = LLVMTypeOf(numbers);
	const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(store, 1)));
	/* libnvvm stores vectors in parts as well. */
	const bool may = are_numbers(numbers) && may_be_converted(numbers) &&
			 (is_loaded_otherwise(loaded, space, type) ||
			  is_loaded_otherwise(loaded, space, element_type(type)));
	return may ? user : NULL;
}

static LLVMValueRef moved_number(struct lowering *lowering, LLVMValueRef number)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(number);
	if (LLVMGetTypeKind(type) != LLVMHalfTypeKind)
		return fe_build_move(lowering, number);
	LLVMTypeRef bits_type = LLVMInt16TypeInContext(lowering->context);
	LLVMValueRef bits = LLVMBuildBitCast(builder, number, bits_type, "");
	return LLVMBuildBitCast(builder, fe_build_move(lowering, bits), type, "");
}

/* Moves the numbers that are the user's first operand. */
static void move_numbers(struct lowering *lowering, LLVMValueRef user)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef numbers = LLVMGetOperand(user, 0);
	LLVMTypeRef type = LLVMTypeOf(numbers), index_type = LLVMInt32TypeInContext(lowering->context);
	LLVMPositionBuilderBefore(builder, user);
	if (!is_vector(type)) {
		LLVMSetOperand(user, 0, moved_number(lowering, numbers));
		return;
	}
	LLVMValueRef moved = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef index = LLVMConstInt(index_type, e, false);
		LLVMValueRef number = LLVMBuildExtractElement(builder, numbers, index, "");
		moved = LLVMBuildInsertElement(builder, moved, moved_number(lowering, number), index, "");
	}
	LLVMSetOperand(user, 0, moved);
}

static LLVMValueRef next_instruction(LLVMValueRef i)
{
	LLVMValueRef next = LLVMGetNextInstruction(i);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
	while (!next && (block = LLVMGetNextBasicBlock(block)))
		next = LLVMGetFirstInstruction(block);
	return next;
}

static LLVMValueRef first_instruction(LLVMValueRef function)
{
	return LLVMIsDeclaration(function) ? NULL :
		LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
}

enum fe_status fe_lower_bits(struct lowering *lowering)
{
	struct loaded loaded = {{{0}}};
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function))
		for (LLVMValueRef i = first_instruction(function); i; i = next_instruction(i))
			if (LLVMIsALoadInst(i))
				note_load(&loaded, i);
	function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function))
		for (LLVMValueRef i = first_instruction(function); i; i = next_instruction(i)) {
			LLVMValueRef user = is_of_bits(i) ? i : user_in_memory(&loaded, i);
			if (user)
				move_numbers(lowering, user);
		}
	return FE_OK;
}
