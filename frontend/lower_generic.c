#include "config.h"

#include "frontend/lower.h"

/* Generic addresses that are computed from a global pointer by indices alone, such as SPIR-V has that other compilers
 * write.  libnvvm looks for the address spaces of generic pointers itself, but up to sm_90, its step for that (Memory
 * Space Optimization) does not end for a few functions which also have loops over private arrays.  So loads and stores
 * get the global address here. */

enum { INDICES_MAX = 8 };

/* Whether the address was a global pointer, so many steps before at most. */
static bool is_of_global(LLVMValueRef address, unsigned steps)
{
	if (LLVMIsAAddrSpaceCastInst(address))
		return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(address, 0))) == LOWER_SPACE_GLOBAL;
	return steps && LLVMIsAGetElementPtrInst(address) && LLVMGetNumIndices(address) <= INDICES_MAX &&
	       LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMPointerTypeKind &&
	       is_of_global(LLVMGetOperand(address, 0), steps - 1);
}

/* Computes the same address as a global one. */
static LLVMValueRef build_global(struct lowering *lowering, LLVMValueRef address)
{
	LLVMValueRef first = LLVMGetOperand(address, 0), indices[INDICES_MAX];
	if (LLVMIsAAddrSpaceCastInst(address))
		return first;
	LLVMValueRef start = build_global(lowering, first);
	const unsigned count = LLVMGetNumIndices(address);
	for (unsigned i = 0; i < count; i++)
		indices[i] = LLVMGetOperand(address, i + 1);
	LLVMPositionBuilderBefore(lowering->builder, address);
	LLVMValueRef global = LLVMBuildGEP2(lowering->builder, LLVMGetGEPSourceElementType(address), start,
					    indices, count, "");
	/* LLVM's builder may give the start itself. */
	if (LLVMIsAGetElementPtrInst(global) && global != start)
		LLVMSetIsInBounds(global, LLVMIsInBounds(address));
	return global;
}

/* Takes away what computes the generic address if nothing uses it any more: libnvvm's step would see it. */
static void erase_unused(LLVMValueRef address)
{
	while (LLVMIsAInstruction(address) && !LLVMGetFirstUse(address) &&
	       (LLVMIsAAddrSpaceCastInst(address) || LLVMIsAGetElementPtrInst(address))) {
		LLVMValueRef first = LLVMGetOperand(address, 0);
		LLVMInstructionEraseFromParent(address);
		address = first;
	}
}

/* The global address instead of a generic one; NULL: it is none that can be computed as a global one. */
static LLVMValueRef as_global(struct lowering *lowering, LLVMValueRef address)
{
	enum { STEPS_MAX = 8 };
	const bool is = LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == LOWER_SPACE_GENERIC &&
			is_of_global(address, STEPS_MAX);
	return is ? build_global(lowering, address) : NULL;
}

static void access_as_global(struct lowering *lowering, LLVMValueRef access)
{
	const unsigned operand = LLVMIsAStoreInst(access) ? 1 : 0;
	LLVMValueRef address = LLVMGetOperand(access, operand), global = as_global(lowering, address);
	if (!global)
		return;
	LLVMSetOperand(access, operand, global);
	erase_unused(address);
}

static void copy_alignment(LLVMValueRef from, LLVMValueRef to, unsigned argument)
{
	const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef alignment = LLVMGetCallSiteEnumAttribute(from, argument, kind);
	if (alignment)
		LLVMAddCallSiteAttribute(to, argument, alignment);
}

/* memcpy and memmove, whose names tell the types of their pointers.  Returns the new call, or the same. */
static LLVMValueRef copy_as_global(struct lowering *lowering, LLVMValueRef call)
{
	LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
	LLVMValueRef global_to = as_global(lowering, to), global_from = as_global(lowering, from);
	if (!global_to && !global_from)
		return call;
	LLVMValueRef arguments[4] = {global_to ? global_to : to, global_from ? global_from : from,
				     LLVMGetOperand(call, 2), LLVMGetOperand(call, 3)};
	LLVMTypeRef types[3] = {LLVMTypeOf(arguments[0]), LLVMTypeOf(arguments[1]), LLVMTypeOf(arguments[2])};
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(
		lowering->module, LLVMGetIntrinsicID(LLVMGetCalledValue(call)), types, 3);
	LLVMPositionBuilderBefore(lowering->builder, call);
	LLVMValueRef copy = fe_call_build(lowering, call, function, arguments, 4);
	if (!copy)
		return NULL;
	for (unsigned i = 1; i <= 2; i++)
		copy_alignment(call, copy, i);
	LLVMInstructionEraseFromParent(call);
	erase_unused(to);
	if (from != to)
		erase_unused(from);
	return copy;
}

static bool is_copy(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	if (!callee || !LLVMIsAFunction(callee))
		return false;
	const unsigned id = LLVMGetIntrinsicID(callee);
	return id && (id == LLVMLookupIntrinsicID("llvm.memcpy", 11) ||
		      id == LLVMLookupIntrinsicID("llvm.memmove", 12));
}

enum fe_status fe_lower_generic(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
				if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
					access_as_global(lowering, i);
				else if (is_copy(i) && !(i = copy_as_global(lowering, i)))
					return FE_NO_MEMORY;
			}
	}
	return FE_OK;
}
