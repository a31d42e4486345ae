#include "config.h"

#include "frontend/lower.h"

/* Upper parts of products and their remainders, such as `(uint)(((ulong)a * b) >> 32)`.  Up to sm_90, libnvvm looks
 * for the course that integers take in a loop, and follows chains of divisions by constants and of products that cannot
 * overflow, in a time that grows by up to 50 with each division: a loop with four of them may not be compiled in
 * minutes.  So inline PTX moves each quotient, and libnvvm does not know where it comes from.  Of products in 64 bits,
 * the move costs no instruction of the GPU, because the product stays as it is and still becomes one instruction.  Of
 * products in 32 bits, libnvvm needs to know which bits are zeros, so that only those are moved which are factors of
 * others. */

enum { STEPS_MAX = 100 };

static bool is_binary(LLVMValueRef value, LLVMOpcode opcode)
{
	return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == opcode;
}

static unsigned width_of(LLVMValueRef value)
{
	return LLVMGetIntTypeWidth(LLVMTypeOf(value));
}

static unsigned bits_of(unsigned long long number)
{
	unsigned bits = 0;
	for (; number; number >>= 1)
		bits++;
	return bits;
}

/* The number of low bits of a factor that may not be zeros. */
static unsigned bits_of_factor(LLVMValueRef factor)
{
	const unsigned width = width_of(factor);
	if (LLVMIsAConstantInt(factor))
		return bits_of(LLVMConstIntGetZExtValue(factor));
	if (LLVMIsAZExtInst(factor))
		return width_of(LLVMGetOperand(factor, 0));
	if (!LLVMIsABinaryOperator(factor) || !LLVMIsAConstantInt(LLVMGetOperand(factor, 1)))
		return width;
	const unsigned long long constant = LLVMConstIntGetZExtValue(LLVMGetOperand(factor, 1));
	switch (LLVMGetInstructionOpcode(factor)) {
	case LLVMAnd:
		return bits_of(constant);
	case LLVMLShr:
		return constant < width ? width - (unsigned)constant : width;
	default:
		return width;
	}
}

/* Whether a value is a product that cannot overflow and has a factor of at most bits bits. */
static bool is_product(LLVMValueRef value, unsigned bits)
{
	if (!is_binary(value, LLVMMul))
		return false;
	const unsigned left = bits_of_factor(LLVMGetOperand(value, 0)),
		       right = bits_of_factor(LLVMGetOperand(value, 1));
	return left + right <= width_of(value) && (left <= bits || right <= bits);
}

/* Returns the number of bits by which a division makes its operand shorter.  0: it is no division of that kind. */
static unsigned bits_taken(LLVMValueRef division)
{
	const unsigned width = width_of(division);
	LLVMValueRef by = LLVMGetOperand(division, 1);
	if (!LLVMIsAConstantInt(by))
		return 0;
	const unsigned long long number = LLVMConstIntGetZExtValue(by);
	switch (LLVMGetInstructionOpcode(division)) {
	case LLVMLShr:
	case LLVMAShr:
		return number < width ? (unsigned)number : 0;
	case LLVMUDiv:
		return number ? bits_of(number) - 1 : 0;
	case LLVMURem:
		return number ? width - bits_of(number - 1) : 0;
	default:
		return 0;
	}
}

/* Whether the instruction divides a product, or one to which something is added, so that the result may be a factor
 * of another product which cannot overflow. */
static bool divides_product(LLVMValueRef i)
{
	if (!LLVMIsABinaryOperator(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
	    (width_of(i) != 64 && width_of(i) != 32))
		return false;
	const unsigned taken = bits_taken(i);
	LLVMValueRef divided = LLVMGetOperand(i, 0);
	if (!taken || width_of(i) - taken > 32)
		return false;
	return is_product(divided, taken) ||
	       (is_binary(divided, LLVMAdd) && (is_product(LLVMGetOperand(divided, 0), taken) ||
						is_product(LLVMGetOperand(divided, 1), taken)));
}

/* Whether the value becomes a factor of a product that is divided. steps: how many uses may still be looked at. */
static bool becomes_factor(LLVMValueRef value, unsigned *steps)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use && *steps; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		--*steps;
		if (!LLVMIsAInstruction(user))
			continue;
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMLShr:
		case LLVMAShr:
		case LLVMUDiv:
		case LLVMURem:
			if (divides_product(user))
				return true;
			break;
		case LLVMTrunc:
		case LLVMZExt:
		case LLVMPHI:
		case LLVMAnd:
		case LLVMAdd:
		case LLVMSub:
		case LLVMMul:
			if (becomes_factor(user, steps))
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

/* Whether what libnvvm knows of the result matters less than that it does not follow a chain. */
static bool is_to_be_moved(LLVMValueRef i)
{
	unsigned steps = STEPS_MAX;
	return divides_product(i) && (width_of(i) == 64 || becomes_factor(i, &steps));
}

static void move_result(struct lowering *lowering, LLVMValueRef division)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(division);
	const bool is_short = width_of(division) - bits_taken(division) <= 16;
	LLVMTypeRef part_type = LLVMIntTypeInContext(lowering->context, is_short ? 16 : 32);
	const LLVMOpcode extend = is_binary(division, LLVMAShr) ? LLVMSExt : LLVMZExt;
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(division));
	LLVMValueRef part = LLVMBuildTruncOrBitCast(builder, division, part_type, "");
	LLVMValueRef moved = fe_build_move(lowering, part);
	LLVMValueRef result = part_type == type ? moved : LLVMBuildCast(builder, extend, moved, type, "");
	LLVMReplaceAllUsesWith(division, result);
	LLVMSetOperand(part == division ? moved : part, 0, division);
}

enum fe_status fe_lower_products(struct lowering *lowering)
{
	fe_each_instruction(lowering, is_to_be_moved, move_result);
	return FE_OK;
}
