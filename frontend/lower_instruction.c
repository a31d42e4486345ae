#include "config.h"

#include "frontend/lower.h"

/* Instructions that libnvvm does not take, or takes and gets wrong: it drops the
 * ordering and the scope of every atomic operation.  Our builtin library never
 * uses them; C operators on _Atomic variables do (OpenCL C 3.0, 6.15.12.1: as
 * memory_order_seq_cst, with the scope of the device).  They become PTX. */

static LLVMValueRef build_asm(struct lowering *lowering, LLVMTypeRef result, struct bytes *text,
			      struct bytes *constraints, LLVMValueRef *operands, unsigned count)
{
	enum { MOST_OPERANDS = 3 };
	LLVMTypeRef types[MOST_OPERANDS];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(operands[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	bytes_append_string(constraints, constraints->size_B ? ",~{memory}" : "~{memory}");
	bool failed = bytes_failed(text) || bytes_failed(constraints);
	LLVMValueRef value = NULL;
	if (!failed) {
		LLVMValueRef code = LLVMGetInlineAsm(type, text->data, text->size_B,
						     constraints->data, constraints->size_B, true,
						     false, LLVMInlineAsmDialectATT, false);
		value = LLVMBuildCall2(lowering->builder, type, code, operands, count, "");
	}
	bytes_finish(text);
	bytes_finish(constraints);
	return value;
}

static const char *scope_of(LLVMValueRef i)
{
	return LLVMIsAtomicSingleThread(i) ? "cta" : "gpu";
}

static const char *space_of(LLVMValueRef pointer)
{
	switch (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer))) {
	case LOWER_SPACE_GLOBAL:
	case LOWER_SPACE_CONSTANT:
		return ".global";
	case LOWER_SPACE_LOCAL:
		return ".shared";
	default:
		return "";
	}
}

/* The order of a read-modify-write; what seq_cst needs more is a fence before. */
static const char *order_name(LLVMAtomicOrdering order)
{
	switch (order) {
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic:
		return "relaxed";
	case LLVMAtomicOrderingAcquire:
		return "acquire";
	case LLVMAtomicOrderingRelease:
		return "release";
	default:
		return "acq_rel";
	}
}

static LLVMValueRef build_fence(struct lowering *lowering, bool sequential, const char *scope)
{
	struct bytes text = BYTES_INIT, constraints = BYTES_INIT;
	bytes_printf(&text, "fence.%s.%s;", sequential ? "sc" : "acq_rel", scope);
	return build_asm(lowering, LLVMVoidTypeInContext(lowering->context), &text, &constraints,
			 NULL, 0);
}

static bool fence_if_sequential(struct lowering *lowering, LLVMValueRef i,
				LLVMAtomicOrdering order)
{
	return order != LLVMAtomicOrderingSequentiallyConsistent ||
	       build_fence(lowering, true, scope_of(i)) != NULL;
}

char fe_ptx_register(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
		return 'h';
	case LLVMFloatTypeKind:
		return 'f';
	case LLVMDoubleTypeKind:
		return 'd';
	case LLVMPointerTypeKind:
		return 'l';
	case LLVMIntegerTypeKind:
		switch (LLVMGetIntTypeWidth(type)) {
		case 16:
			return 'h';
		case 32:
			return 'r';
		case 64:
			return 'l';
		default:
			return 0;
		}
	default:
		return 0;
	}
}

/* The same; 0 also if PTX has no atomics for the type. */
static char register_of(LLVMTypeRef type)
{
	char held = fe_ptx_register(type);
	return held == 'h' ? 0 : held;
}

static unsigned width_of(LLVMTypeRef type)
{
	char held = register_of(type);
	return held == 'f' || held == 'r' ? 32 : 64;
}

static LLVMValueRef build_load(struct lowering *lowering, LLVMValueRef i)
{
	LLVMValueRef pointer = LLVMGetOperand(i, 0);
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMAtomicOrdering order = LLVMGetOrdering(i);
	struct bytes text = BYTES_INIT, constraints = BYTES_INIT;
	if (!fence_if_sequential(lowering, i, order))
		return NULL;
	bytes_printf(&text, "ld.%s.%s%s.b%u $0, [$1];",
		     order <= LLVMAtomicOrderingMonotonic ? "relaxed" : "acquire", scope_of(i),
		     space_of(pointer), width_of(type));
	bytes_printf(&constraints, "=%c,l", register_of(type));
	return build_asm(lowering, type, &text, &constraints, &pointer, 1);
}

static LLVMValueRef build_store(struct lowering *lowering, LLVMValueRef i)
{
	LLVMValueRef operands[] = { LLVMGetOperand(i, 1), LLVMGetOperand(i, 0) };
	LLVMTypeRef type = LLVMTypeOf(operands[1]);
	LLVMAtomicOrdering order = LLVMGetOrdering(i);
	struct bytes text = BYTES_INIT, constraints = BYTES_INIT;
	if (!fence_if_sequential(lowering, i, order))
		return NULL;
	bytes_printf(&text, "st.%s.%s%s.b%u [$0], $1;",
		     order <= LLVMAtomicOrderingMonotonic ? "relaxed" : "release", scope_of(i),
		     space_of(operands[0]), width_of(type));
	bytes_printf(&constraints, "l,%c", register_of(type));
	return build_asm(lowering, LLVMVoidTypeInContext(lowering->context), &text, &constraints,
			 operands, 2);
}

/* Returns PTX's name of the operation and the letter of its type; NULL if PTX has none. */
static const char *operation_of(LLVMAtomicRMWBinOp operation, bool real, char *letter_out)
{
	*letter_out = real ? 'f' : 'u';
	switch (operation) {
	case LLVMAtomicRMWBinOpXchg:
		*letter_out = 'b';
		return "exch";
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpSub:
	case LLVMAtomicRMWBinOpFAdd:
	case LLVMAtomicRMWBinOpFSub:
		return "add";
	case LLVMAtomicRMWBinOpAnd:
		*letter_out = 'b';
		return "and";
	case LLVMAtomicRMWBinOpOr:
		*letter_out = 'b';
		return "or";
	case LLVMAtomicRMWBinOpXor:
		*letter_out = 'b';
		return "xor";
	case LLVMAtomicRMWBinOpMax:
		*letter_out = 's';
		return "max";
	case LLVMAtomicRMWBinOpMin:
		*letter_out = 's';
		return "min";
	case LLVMAtomicRMWBinOpUMax:
		return "max";
	case LLVMAtomicRMWBinOpUMin:
		return "min";
	default:
		return NULL;
	}
}

static LLVMValueRef build_update(struct lowering *lowering, LLVMValueRef i)
{
	LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(i);
	LLVMValueRef operands[] = { LLVMGetOperand(i, 0), LLVMGetOperand(i, 1) };
	LLVMTypeRef type = LLVMTypeOf(i);
	char held = register_of(type), letter;
	const char *name = operation_of(operation, held == 'f' || held == 'd', &letter);
	struct bytes text = BYTES_INIT, constraints = BYTES_INIT;
	if (!name)
		return i;
	if (!fence_if_sequential(lowering, i, LLVMGetOrdering(i)))
		return NULL;
	if (operation == LLVMAtomicRMWBinOpSub)
		operands[1] = LLVMBuildNeg(lowering->builder, operands[1], "");
	else if (operation == LLVMAtomicRMWBinOpFSub)
		operands[1] = LLVMBuildFNeg(lowering->builder, operands[1], "");
	bytes_printf(&text, "atom.%s.%s%s.%s.%c%u $0, [$1], $2;", order_name(LLVMGetOrdering(i)),
		     scope_of(i), space_of(operands[0]), name, letter, width_of(type));
	bytes_printf(&constraints, "=%c,l,%c", held, held);
	return build_asm(lowering, type, &text, &constraints, operands, 2);
}

static LLVMValueRef build_exchange(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef operands[] = {
		LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), LLVMGetOperand(i, 2),
	};
	LLVMTypeRef type = LLVMTypeOf(operands[1]);
	LLVMAtomicOrdering order = LLVMGetCmpXchgSuccessOrdering(i);
	struct bytes text = BYTES_INIT, constraints = BYTES_INIT;
	if (!fence_if_sequential(lowering, i, order))
		return NULL;
	/* A failing compare-exchange may have a stronger order than a succeeding one; the instruction gets
	 * the stronger of both. */
	if (LLVMGetCmpXchgFailureOrdering(i) > order)
		order = LLVMAtomicOrderingAcquireRelease;
	bytes_printf(&text, "atom.%s.%s%s.cas.b%u $0, [$1], $2, $3;", order_name(order),
		     scope_of(i), space_of(operands[0]), width_of(type));
	char held = register_of(type);
	bytes_printf(&constraints, "=%c,l,%c,%c", held, held, held);
	LLVMValueRef seen = build_asm(lowering, type, &text, &constraints, operands, 3);
	if (!seen)
		return NULL;
	LLVMValueRef done = LLVMBuildICmp(builder, LLVMIntEQ, seen, operands[1], "");
	LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(i));
	result = LLVMBuildInsertValue(builder, result, seen, 0, "");
	return LLVMBuildInsertValue(builder, result, done, 1, "");
}

/* libnvvm 13.0 joins the widening of a vector of reals with the load before it, and gets
 * it wrong: for compute_90 and before, <8 x float> is loaded into doubles as it is, and
 * for compute_100 on, <8 x half> by a load that PTX does not have.  Element by element it
 * does not. */
static LLVMValueRef build_widening(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef vector = LLVMGetOperand(i, 0);
	LLVMTypeRef from = LLVMTypeOf(vector), type = LLVMTypeOf(i);
	if (LLVMGetTypeKind(from) != LLVMVectorTypeKind)
		return i;
	LLVMValueRef result = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(from); e++) {
		LLVMValueRef index =
			LLVMConstInt(LLVMInt32TypeInContext(lowering->context), e, 0);
		LLVMValueRef part = LLVMBuildExtractElement(builder, vector, index, "");
		part = LLVMBuildFPExt(builder, part, LLVMGetElementType(type), "");
		result = LLVMBuildInsertElement(builder, result, part, index, "");
	}
	return result;
}

/* libnvvm moves a division of vectors behind the shuffle of its result, and divides by nothing
 * where that has an element that means nothing (the fourth of three, in memory): then nothing is left
 * of the whole.  Element by element it does not; the GPU divides so anyway. */
static LLVMValueRef build_division(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(i);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return i;
	LLVMValueRef result = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef index =
			LLVMConstInt(LLVMInt32TypeInContext(lowering->context), e, 0), parts[2];
		for (unsigned k = 0; k < 2; k++)
			parts[k] = LLVMBuildExtractElement(builder, LLVMGetOperand(i, k), index, "");
		LLVMValueRef part = LLVMBuildBinOp(builder, LLVMGetInstructionOpcode(i), parts[0],
						   parts[1], "");
		result = LLVMBuildInsertElement(builder, result, part, index, "");
	}
	return result;
}

/* libnvvm 13.0 for compute_100 on, where it optimises, crashes on an element by number of
 * a vector that is loaded from global memory for that alone.  Each bit of the number
 * chooses among the half that are left; a number beyond the last has no meaning. */
static LLVMValueRef build_element(struct lowering *lowering, LLVMValueRef i)
{
	enum { MOST_ELEMENTS = 64 };
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef vector = LLVMGetOperand(i, 0), number = LLVMGetOperand(i, 1);
	LLVMTypeRef bit = LLVMInt1TypeInContext(lowering->context);
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
	LLVMValueRef left[MOST_ELEMENTS];
	if (!nvvm_reads_newer_dialect(lowering->sm, lowering->nvvm_lacks) || LLVMIsConstant(number) ||
	    count > MOST_ELEMENTS)
		return i;
	for (unsigned e = 0; e < count; e++)
		left[e] = LLVMBuildExtractElement(
			builder, vector, LLVMConstInt(LLVMTypeOf(number), e, 0), "");
	for (unsigned at = 0; count > 1; at++, count = (count + 1) / 2) {
		LLVMValueRef place = LLVMConstInt(LLVMTypeOf(number), at, 0);
		LLVMValueRef upper = LLVMBuildTrunc(
			builder, LLVMBuildLShr(builder, number, place, ""), bit, "");
		for (unsigned e = 0; e + 1 < count; e += 2)
			left[e / 2] = LLVMBuildSelect(builder, upper, left[e + 1], left[e], "");
		if (count % 2)
			left[count / 2] = left[count - 1];
	}
	return left[0];
}

/* Returns the value that replaces the instruction, NULL if memory ran out, or the instruction itself if it
 * stays; then the printer writes it or names it in the log. */
static LLVMValueRef lower_instruction(struct lowering *lowering, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(lowering->builder, i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFreeze:        /* undef is as good as frozen to LLVM 7 */
		return LLVMGetOperand(i, 0);
	case LLVMFPExt:
		return build_widening(lowering, i);
	case LLVMFRem:
		return fe_lower_remainder(lowering, i);
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		return build_division(lowering, i);
	case LLVMExtractElement:
		return build_element(lowering, i);
	case LLVMFence:
		return build_fence(lowering,
				   LLVMGetOrdering(i) == LLVMAtomicOrderingSequentiallyConsistent,
				   scope_of(i));
	case LLVMLoad:
		fe_mark_constant_load(lowering, i);
		if (LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic ||
		    !register_of(LLVMTypeOf(i)))
			return i;
		return build_load(lowering, i);
	case LLVMStore:
		if (LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic ||
		    !register_of(LLVMTypeOf(LLVMGetOperand(i, 0))))
			return i;
		return build_store(lowering, i);
	case LLVMAtomicRMW:
		return register_of(LLVMTypeOf(i)) ? build_update(lowering, i) : i;
	case LLVMAtomicCmpXchg:
		return register_of(LLVMTypeOf(LLVMGetOperand(i, 1))) ? build_exchange(lowering, i)
								     : i;
	default:
		return i;
	}
}

static bool lower_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMValueRef value = lower_instruction(lowering, i);
		if (!value)
			return false;
		if (value == i)
			continue;
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(i, value);
		LLVMInstructionEraseFromParent(i);
	}
	return true;
}

enum fe_status fe_lower_instructions(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			if (!lower_block(lowering, block))
				return FE_NO_MEMORY;
		}
	}
	return FE_OK;
}
