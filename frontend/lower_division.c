#include "config.h"

#include "frontend/lower.h"

/* Long chains of divisions and remainders, such as `v = v % 1000003 + k` or `v += v >> 3` many times.  Up to sm_90,
 * libnvvm looks for the course that integers take in a loop.  To it, `a % b` is `a - a / b * b`, so each value that
 * is used twice doubles an expression, and it needs a time that grows by 12 with each step of a chain in a loop: seven
 * are compiled in 10 s.  So inline PTX moves the result of a division where the expression has many of them, and
 * libnvvm's expressions begin anew behind it. */

enum {
	/* Expressions with so many divisions are compiled in less than 0.1 s. */
	DIVISIONS_MAX = 48,
	STEPS_MAX = 1000
};

struct count {
	unsigned divisions, steps;
};

static void count_divisions(LLVMValueRef value, struct count *count);

static void count_operands(LLVMValueRef value, unsigned operands, struct count *count)
{
	for (unsigned i = 0; i < operands; i++)
		count_divisions(LLVMGetOperand(value, i), count);
}

/* Adds the divisions in what libnvvm's expression of a value would be. */
static void count_divisions(LLVMValueRef value, struct count *count)
{
	if (!LLVMIsAInstruction(value) || count->divisions > DIVISIONS_MAX || ++count->steps > STEPS_MAX)
		return;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMURem:
	case LLVMSRem:
		count->divisions++;
		count_operands(value, 1, count);
		count_operands(value, 2, count);
		break;
	case LLVMUDiv:
	case LLVMSDiv:
		count->divisions++;
		count_operands(value, 2, count);
		break;
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
		count_operands(value, 2, count);
		break;
	/* With another operand, these are values of which libnvvm knows nothing. */
	case LLVMLShr:
	case LLVMAShr:
	case LLVMShl:
	case LLVMAnd:
	case LLVMOr:
		if (!LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
			break;
		count->divisions += LLVMGetInstructionOpcode(value) == LLVMLShr ||
				    LLVMGetInstructionOpcode(value) == LLVMAShr;
		count_operands(value, 1, count);
		break;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
		count_operands(value, 1, count);
		break;
	default:
		break;
	}
}

bool fe_is_division(LLVMValueRef i)
{
	if (!LLVMIsABinaryOperator(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind)
		return false;
	const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(i));
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMURem:
	case LLVMSRem:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMLShr:
	case LLVMAShr:
		return width == 16 || width == 32 || width == 64;
	default:
		return false;
	}
}

static bool is_to_be_moved(LLVMValueRef i)
{
	struct count count = {0, 0};
	if (!fe_is_division(i))
		return false;
	count_divisions(i, &count);
	return count.divisions > DIVISIONS_MAX;
}

void fe_move_result(struct lowering *lowering, LLVMValueRef division)
{
	LLVMPositionBuilderBefore(lowering->builder, LLVMGetNextInstruction(division));
	LLVMValueRef moved = fe_build_move(lowering, division);
	LLVMReplaceAllUsesWith(division, moved);
	LLVMSetOperand(moved, 0, division);
}

enum fe_status fe_lower_divisions(struct lowering *lowering)
{
	fe_each_instruction(lowering, is_to_be_moved, fe_move_result);
	return FE_OK;
}
