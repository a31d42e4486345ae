#include "config.h"

#include "frontend/lower.h"

/* Half precision where libnvvm gets it wrong. */

static bool is_half(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

/* -- vectors where nothing is optimised ------------------------------------------------
 *
 * libnvvm 13.0 for compute_90 and before, with -opt=0, cannot put a half into a vector
 * and does nothing with vectors of three ("unsupported operation").  There elements are
 * put in as integers, and three go as four. */

static bool is_half_vector(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind && is_half(LLVMGetElementType(type));
}

static bool is_of_three(LLVMTypeRef type)
{
	return is_half_vector(type) && LLVMGetVectorSize(type) == 3;
}

/* Builds a vector of the first elements of another one; if it has more elements, those are undefined. */
static LLVMValueRef build_resized(struct lowering *lowering, LLVMValueRef vector, unsigned size)
{
	enum { MOST = 4 };
	LLVMTypeRef number = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef order[MOST];
	for (unsigned e = 0; e < size; e++)
		order[e] = e < LLVMGetVectorSize(LLVMTypeOf(vector)) ?
				   LLVMConstInt(number, e, 0) : LLVMGetUndef(number);
	return LLVMBuildShuffleVector(lowering->builder, vector, LLVMGetUndef(LLVMTypeOf(vector)),
				      LLVMConstVector(order, size), "");
}

static LLVMValueRef build_insert(struct lowering *lowering, LLVMValueRef vector,
				 LLVMValueRef element, LLVMValueRef at)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(vector), bits = LLVMInt16TypeInContext(lowering->context);
	if (!lowering->unoptimized)
		return LLVMBuildInsertElement(builder, vector, element, at, "");
	if (is_of_three(type)) {
		vector = build_insert(lowering, build_resized(lowering, vector, 4), element, at);
		return build_resized(lowering, vector, 3);
	}
	LLVMTypeRef integers = LLVMVectorType(bits, LLVMGetVectorSize(type));
	vector = LLVMBuildInsertElement(builder, LLVMBuildBitCast(builder, vector, integers, ""),
					LLVMBuildBitCast(builder, element, bits, ""), at, "");
	return LLVMBuildBitCast(builder, vector, type, "");
}

/* Converts a vector to another one of the same bits and a different number of elements through memory. */
static LLVMValueRef build_by_memory(struct lowering *lowering, LLVMValueRef i)
{
	enum { MOST_B = 32 };
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
	fe_builder_at_entry(lowering, function);
	LLVMValueRef place = LLVMBuildAlloca(builder, LLVMTypeOf(i), "");
	LLVMSetAlignment(place, MOST_B);
	LLVMPositionBuilderBefore(builder, i);
	LLVMBuildStore(builder, LLVMGetOperand(i, 0), place);
	return LLVMBuildLoad2(builder, LLVMTypeOf(i), place, "");
}

static bool has_other_lanes(LLVMTypeRef halves, LLVMTypeRef type)
{
	enum { GOOD_LANES = 4 };
	return is_half_vector(halves) && LLVMGetVectorSize(halves) > GOOD_LANES &&
	       LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       LLVMGetVectorSize(type) != LLVMGetVectorSize(halves);
}

/* as_half3, as_ushort3 and their like, as_float4 of a half8. */
static LLVMValueRef build_bitcast(struct lowering *lowering, LLVMValueRef i)
{
	LLVMTypeRef to = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
	if (has_other_lanes(from, to) || has_other_lanes(to, from))
		return build_by_memory(lowering, i);
	bool threes = LLVMGetTypeKind(to) == LLVMVectorTypeKind &&
		      LLVMGetTypeKind(from) == LLVMVectorTypeKind &&
		      LLVMGetVectorSize(to) == 3 && LLVMGetVectorSize(from) == 3;
	if (!threes || is_half_vector(to) == is_half_vector(from))
		return i;
	LLVMValueRef four = build_resized(lowering, LLVMGetOperand(i, 0), 4);
	LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(to), 4);
	return build_resized(lowering, LLVMBuildBitCast(lowering->builder, four, type, ""), 3);
}

static LLVMValueRef build_arithmetic(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMValueRef four[3];
	unsigned count = opcode == LLVMFNeg ? 1 : opcode == LLVMCall ? 3 : 2;
	for (unsigned k = 0; k < count; k++)
		four[k] = build_resized(lowering, LLVMGetOperand(i, k), 4);
	if (opcode == LLVMCall) {
		/* fmuladd leaves open whether there are two roundings or one. */
		four[0] = LLVMBuildFMul(builder, four[0], four[1], "");
		four[0] = LLVMBuildFAdd(builder, four[0], four[2], "");
	} else {
		four[0] = opcode == LLVMFNeg ? LLVMBuildFNeg(builder, four[0], "") :
			LLVMBuildBinOp(builder, opcode, four[0], four[1], "");
	}
	return build_resized(lowering, four[0], 3);
}

/* It is enough to compare the beginning of the name. */
static bool is_intrinsic(LLVMValueRef call, const char *name)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t size_B;
	return LLVMIsAFunction(callee) &&
	       fe_intrinsic_is(LLVMGetValueName2(callee, &size_B), name);
}

static LLVMValueRef lower_vector(struct lowering *lowering, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMInsertElement:
		if (!is_half_vector(LLVMTypeOf(i)))
			return i;
		return build_insert(lowering, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1),
				    LLVMGetOperand(i, 2));
	case LLVMBitCast:
		return build_bitcast(lowering, i);
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFNeg:
		return is_of_three(LLVMTypeOf(i)) ? build_arithmetic(lowering, i) : i;
	case LLVMCall:
		return is_of_three(LLVMTypeOf(i)) && is_intrinsic(i, "llvm.fmuladd") ?
			       build_arithmetic(lowering, i) : i;
	default:
		return i;
	}
}

/* -- conversions where denormals of float are flushed -----------------------------------
 *
 * Between two of them libnvvm computes in half what it finds in float, and its
 * instructions for half then flush denormals of half, which are normal numbers of float.
 * It does not look behind instructions of PTX. */

static LLVMValueRef build_convert(struct lowering *lowering, LLVMValueRef i)
{
	/* Not constant: LLVM's interface was not before 18. */
	char widen[] = "cvt.f32.f16 $0, $1;", narrow[] = "cvt.rn.f16.f32 $0, $1;";
	char into_float[] = "=f,h", into_half[] = "=h,f";
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef value = LLVMGetOperand(i, 0);
	LLVMTypeRef bits = LLVMInt16TypeInContext(lowering->context), to = LLVMTypeOf(i);
	LLVMTypeRef real = LLVMFloatTypeInContext(lowering->context);
	bool widens = is_half(LLVMTypeOf(value));
	if ((widens ? to : LLVMTypeOf(value)) != real)
		return i;
	if (widens)
		value = LLVMBuildBitCast(builder, value, bits, "");
	LLVMTypeRef from = LLVMTypeOf(value);
	LLVMTypeRef type = LLVMFunctionType(widens ? real : bits, &from, 1, false);
	LLVMValueRef code =
		widens ? LLVMGetInlineAsm(type, widen, sizeof(widen) - 1, into_float,
					  sizeof(into_float) - 1, false, false,
					  LLVMInlineAsmDialectATT, false) :
			 LLVMGetInlineAsm(type, narrow, sizeof(narrow) - 1, into_half,
					  sizeof(into_half) - 1, false, false,
					  LLVMInlineAsmDialectATT, false);
	value = LLVMBuildCall2(builder, type, code, &value, 1, "");
	return widens ? value : LLVMBuildBitCast(builder, value, to, "");
}

/* Converts a vector element by element. */
static LLVMValueRef build_conversions(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef type = LLVMTypeOf(i), number = LLVMInt32TypeInContext(lowering->context);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return build_convert(lowering, i);
	LLVMValueRef result = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef at = LLVMConstInt(number, e, 0);
		LLVMValueRef part = LLVMBuildExtractElement(builder, LLVMGetOperand(i, 0), at, "");
		LLVMValueRef plain = LLVMBuildCast(builder, LLVMGetInstructionOpcode(i), part,
						   LLVMGetElementType(type), "");
		part = LLVMIsAInstruction(plain) ? build_convert(lowering, plain) : plain;
		if (part != plain)
			LLVMInstructionEraseFromParent(plain);
		result = is_half_vector(type) ?
				 build_insert(lowering, result, part, at) :
				 LLVMBuildInsertElement(builder, result, part, at, "");
	}
	return result;
}

static bool converts_half(LLVMValueRef i)
{
	LLVMTypeRef to = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
	return is_half(to) || is_half(from) || is_half_vector(to) || is_half_vector(from);
}

/* -- loads ---------------------------------------------------------------------------- */

/* Private memory is never read through the read-only path, and its vectors become registers. */
static bool is_variable(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer);
}

/* libnvvm 13.0 for compute_90 and before cannot read more than two halves at once where it
 * takes the read-only path, as it does for pointers to const that are restrict: "Do not know
 * how to split the result of this operator!".  Which loads those are is known only after its
 * optimiser.  Words are read in their place, and taken apart one by one, or the optimiser
 * would make the vector of halves again. */
static bool may_be_read_only(LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	return is_half_vector(type) && LLVMGetVectorSize(type) > 2 &&
	       LLVMGetVectorSize(type) % 2 == 0 && !LLVMGetVolatile(load) &&
	       (space == LOWER_SPACE_GLOBAL || space == LOWER_SPACE_GENERIC) && !is_variable(pointer);
}

static LLVMValueRef build_vector_load(struct lowering *lowering, LLVMValueRef load)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef pointer = LLVMGetOperand(load, 0), result = LLVMGetUndef(LLVMTypeOf(load));
	LLVMTypeRef number = LLVMInt32TypeInContext(lowering->context);
	LLVMTypeRef pair = LLVMVectorType(LLVMHalfTypeInContext(lowering->context), 2);
	LLVMTypeRef type = LLVMVectorType(number, LLVMGetVectorSize(LLVMTypeOf(load)) / 2);
	LLVMTypeRef to = LLVMPointerType(type, LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)));
	LLVMValueRef words = LLVMBuildLoad2(
		builder, type, LLVMBuildPointerCast(builder, pointer, to, ""), "");
	LLVMSetAlignment(words, LLVMGetAlignment(load));
	for (unsigned w = 0; w < LLVMGetVectorSize(type); w++) {
		LLVMValueRef word = LLVMBuildExtractElement(builder, words,
							    LLVMConstInt(number, w, 0), "");
		word = LLVMBuildBitCast(builder, word, pair, "");
		for (unsigned e = 0; e < 2; e++)
			result = LLVMBuildInsertElement(
				builder, result,
				LLVMBuildExtractElement(builder, word, LLVMConstInt(number, e, 0), ""),
				LLVMConstInt(number, 2 * w + e, 0), "");
	}
	return result;
}

/* libnvvm 13.0 for compute_90 and before joins eight loads of a half in a row from local or
 * private memory, and then fails with "unsupported operation"; integers of the same size it
 * joins well. */
static LLVMValueRef build_bits_load(struct lowering *lowering, LLVMValueRef load)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	LLVMTypeRef bits = LLVMInt16TypeInContext(lowering->context);
	LLVMTypeRef to = LLVMPointerType(bits, LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)));
	LLVMValueRef plain = LLVMBuildLoad2(builder, bits,
					    LLVMBuildPointerCast(builder, pointer, to, ""), "");
	LLVMSetAlignment(plain, LLVMGetAlignment(load));
	LLVMSetVolatile(plain, LLVMGetVolatile(load));
	return plain;
}

LLVMValueRef fe_build_half(struct lowering *lowering, LLVMValueRef bits)
{
	LLVMTypeRef half = LLVMHalfTypeInContext(lowering->context);
	return LLVMBuildBitCast(lowering->builder, fe_build_move(lowering, bits), half, "");
}

static LLVMValueRef build_scalar_load(struct lowering *lowering, LLVMValueRef load)
{
	return fe_build_half(lowering, build_bits_load(lowering, load));
}

/* Whether the pointer is to an element of a vector of halves in global memory; libnvvm may then know that the
 * elements lie side by side. */
static bool is_vector_element(LLVMValueRef pointer)
{
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != LOWER_SPACE_GLOBAL)
		return false;
	for (; LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer);
	     pointer = LLVMGetOperand(pointer, 0))
		if (LLVMIsAGetElementPtrInst(pointer) &&
		    is_half_vector(LLVMGetGEPSourceElementType(pointer)))
			return true;
	return false;
}

/* Whether the value is what build_store() made of a half that is not constant. */
static bool stores_half(LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	return LLVMIsABitCastInst(value) && is_half(LLVMTypeOf(LLVMGetOperand(value, 0)));
}

/* Where vectors are read or written element by element libnvvm joins that, too, to what fails, or to what
 * may_be_read_only() is about. */
static void lower_element(struct lowering *lowering, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(lowering->builder, i);
	if (LLVMIsALoadInst(i) && is_half(LLVMTypeOf(i)) && is_vector_element(LLVMGetOperand(i, 0))) {
		LLVMReplaceAllUsesWith(i, build_scalar_load(lowering, i));
		LLVMInstructionEraseFromParent(i);
	} else if (LLVMIsAStoreInst(i) && stores_half(i) && is_vector_element(LLVMGetOperand(i, 1))) {
		LLVMSetOperand(i, 0, fe_build_move(lowering, LLVMGetOperand(i, 0)));
	}
}

enum fe_status fe_lower_half_elements(struct lowering *lowering)
{
	LLVMValueRef next;
	for (LLVMValueRef f = LLVMGetFirstFunction(lowering->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
				next = LLVMGetNextInstruction(i);
				lower_element(lowering, i);
			}
	return FE_OK;
}

/* A variable of one half becomes a register. */
static bool may_be_joined(LLVMValueRef pointer)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	return !LLVMIsAAllocaInst(pointer) &&
	       (space == LOWER_SPACE_LOCAL || space == LOWER_SPACE_GENERIC);
}

static LLVMValueRef build_load(struct lowering *lowering, LLVMValueRef load)
{
	if (lowering->unoptimized)
		return load;
	if (is_half(LLVMTypeOf(load)) && may_be_joined(LLVMGetOperand(load, 0)))
		return build_scalar_load(lowering, load);
	return may_be_read_only(load) ? build_vector_load(lowering, load) : load;
}

/* -- stores and divisions ------------------------------------------------------------- */

/* libnvvm 13.0 for compute_90 and before joins eight stores of a half in a row to
 * local or private memory, and then fails with "unsupported operation"; integers of
 * the same size it joins well, unless it can tell that they were halves. */
static LLVMValueRef build_store(struct lowering *lowering, LLVMValueRef store)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
	LLVMTypeRef bits = LLVMInt16TypeInContext(lowering->context);
	LLVMTypeRef to = LLVMPointerType(bits, LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)));
	LLVMValueRef number = LLVMBuildBitCast(builder, value, bits, "");
	if (may_be_joined(pointer) && !LLVMIsConstant(value) && !lowering->unoptimized)
		number = fe_build_move(lowering, number);
	LLVMValueRef plain = LLVMBuildStore(builder, number,
					    LLVMBuildPointerCast(builder, pointer, to, ""));
	LLVMSetAlignment(plain, LLVMGetAlignment(store));
	LLVMSetVolatile(plain, LLVMGetVolatile(store));
	return plain;
}

static LLVMValueRef build_quotient(struct lowering *lowering, LLVMValueRef x, LLVMValueRef y)
{
	static const char name[] = "llvm.nvvm.div.rn.f";
	LLVMBuilderRef builder = lowering->builder;
	LLVMTypeRef real = LLVMFloatTypeInContext(lowering->context), half = LLVMTypeOf(x);
	LLVMTypeRef types[] = {real, real};
	LLVMTypeRef type = LLVMFunctionType(real, types, 2, false);
	LLVMValueRef divide = LLVMGetNamedFunction(lowering->module, name);
	if (!divide)
		divide = LLVMAddFunction(lowering->module, name, type);
	LLVMValueRef operands[] = {LLVMBuildFPExt(builder, x, real, ""),
				   LLVMBuildFPExt(builder, y, real, "")};
	LLVMValueRef quotient = LLVMBuildCall2(builder, type, divide, operands, 2, "");
	return LLVMBuildFPTrunc(builder, quotient, half, "");
}

/* OpenCL C 3.0, 7.4: a quotient of halves is correctly rounded.  libnvvm divides in
 * float, where a division may have been asked to be inexact; of an exact one the
 * second rounding is harmless, for float has more than twice half's digits and two. */
static LLVMValueRef build_division(struct lowering *lowering, LLVMValueRef i)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	LLVMTypeRef type = LLVMTypeOf(i), number = LLVMInt32TypeInContext(lowering->context);
	if (is_half(type))
		return build_quotient(lowering, x, y);
	LLVMValueRef result = LLVMGetUndef(type);
	for (unsigned e = 0; e < LLVMGetVectorSize(type); e++) {
		LLVMValueRef at = LLVMConstInt(number, e, 0);
		LLVMValueRef part =
			build_quotient(lowering, LLVMBuildExtractElement(builder, x, at, ""),
				       LLVMBuildExtractElement(builder, y, at, ""));
		result = build_insert(lowering, result, part, at);
	}
	return result;
}

/* Returns the value that replaces the instruction, or the instruction itself if it stays. */
static LLVMValueRef lower_instruction(struct lowering *lowering, LLVMValueRef i)
{
	LLVMTypeRef type;
	LLVMPositionBuilderBefore(lowering->builder, i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFDiv:
		type = LLVMTypeOf(i);
		if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
			type = LLVMGetElementType(type);
		return is_half(type) ? build_division(lowering, i) : i;
	case LLVMStore:
		return is_half(LLVMTypeOf(LLVMGetOperand(i, 0))) ? build_store(lowering, i) : i;
	case LLVMLoad:
		return build_load(lowering, i);
	case LLVMFPExt:
	case LLVMFPTrunc:
		return lowering->flushes && converts_half(i) ? build_conversions(lowering, i) : i;
	default:
		return lowering->unoptimized ? lower_vector(lowering, i) : i;
	}
}

static void lower_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMValueRef value = lower_instruction(lowering, i);
		if (value == i)
			continue;
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(i, value);
		LLVMInstructionEraseFromParent(i);
	}
}

static bool computes_half(LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFCmp:
		type = LLVMTypeOf(LLVMGetOperand(i, 0));
		break;
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFNeg:
		break;
	case LLVMCall:
		if (!is_intrinsic(i, "llvm"))
			return false;
		break;
	default:
		return false;
	}
	return is_half(type) || is_half_vector(type);
}

bool fe_module_computes_half(const struct fe_module *module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef i = LLVMGetFirstInstruction(block);
			for (; i; i = LLVMGetNextInstruction(i))
				if (computes_half(i))
					return true;
		}
	}
	return false;
}

enum fe_status fe_lower_half(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block))
			lower_block(lowering, block);
	}
	return FE_OK;
}
