#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <string.h>

/* Lifetimes of private variables, for all architectures.  libnvvm 13.0 first gives variables of one type
 * that are not in use at the same time one place in memory, and keeps the marks of all of them.  Then it takes
 * the first end of a lifetime for the end of the place's, and puts other variables there, even if one of the
 * first is still in use.  So no ends are passed.  When libnvvm inlines a function, it marks the start and the end
 * of each variable that has no mark, and of the copies that it makes of arguments by value.  So each variable of
 * such a function has a start, and the copies are made here, as variables of the caller.
 *
 * Variables of functions with arguments by value have a start, too: libnvvm 13.0 takes a variable without one that
 * begins as a copy of the argument for the argument itself, and loses some later changes to it. */

static bool is_call_of(LLVMValueRef user, const char *name)
{
	LLVMValueRef callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
	return callee && LLVMIsAFunction(callee) &&
	       LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

static bool has_start(LLVMValueRef pointer)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_call_of(user, "llvm.lifetime.start") || (LLVMIsABitCastInst(user) && has_start(user)))
			return true;
	}
	return false;
}

static void build_start(struct lowering *lowering, LLVMValueRef variable, LLVMValueRef before)
{
	static const char name[] = "llvm.lifetime.start";
	LLVMTypeRef pointer = LLVMTypeOf(variable);
	LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(
		lowering->module, LLVMLookupIntrinsicID(name, sizeof(name) - 1), &pointer, 1);
	LLVMTypeRef type = LLVMGlobalGetValueType(intrinsic);
	/* Since LLVM 22 there is no size, of which -1 says nothing. */
	LLVMTypeRef size_type = LLVMInt64TypeInContext(lowering->context);
	LLVMValueRef arguments[] = {LLVMConstAllOnes(size_type), variable};
	const unsigned count = LLVMCountParamTypes(type);
	LLVMPositionBuilderBefore(lowering->builder, before);
	LLVMSetCurrentDebugLocation2(lowering->builder, NULL);
	LLVMBuildCall2(lowering->builder, type, intrinsic, arguments + (2 - count), count, "");
}

static void erase_marks(LLVMValueRef function, bool starts)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (is_call_of(i, "llvm.lifetime.end") ||
			    (starts && is_call_of(i, "llvm.lifetime.start")))
				LLVMInstructionEraseFromParent(i);
		}
	}
}

/* Private variables are in a function's first block. */
static void build_missing_starts(struct lowering *lowering, LLVMValueRef function)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAAllocaInst(i) && !has_start(i))
			build_start(lowering, i, next);
	}
}

/* --- arguments by value ------------------------------------------------------------------------ */

static unsigned kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* Builds the caller's copy of an argument, which the function may change. */
static LLVMValueRef build_copy(struct lowering *lowering, LLVMValueRef call, LLVMTypeRef type,
			       LLVMValueRef from, unsigned alignment_B)
{
	const unsigned own_B = LLVMABIAlignmentOfType(lowering->layout, type);
	LLVMTypeRef size_type = LLVMInt64TypeInContext(lowering->context);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
	fe_builder_at_entry(lowering, LLVMGetBasicBlockParent(block));
	LLVMValueRef copy = LLVMBuildAlloca(lowering->builder, type, "");
	LLVMSetAlignment(copy, alignment_B > own_B ? alignment_B : own_B);
	build_start(lowering, copy, call);
	LLVMBuildMemCpy(lowering->builder, copy, LLVMGetAlignment(copy), from,
			alignment_B ? alignment_B : 1,
			LLVMConstInt(size_type, LLVMABISizeOfType(lowering->layout, type), false));
	return copy;
}

static void pass_copy(struct lowering *lowering, LLVMValueRef call, unsigned index)
{
	const unsigned byval = kind_of("byval"), align = kind_of("align");
	LLVMAttributeRef passing = LLVMGetCallSiteEnumAttribute(call, index, byval);
	LLVMAttributeRef aligned = LLVMGetCallSiteEnumAttribute(call, index, align);
	if (!passing)
		return;
	LLVMValueRef copy = build_copy(lowering, call, LLVMGetTypeAttributeValue(passing),
				       LLVMGetOperand(call, index - 1),
				       aligned ? (unsigned)LLVMGetEnumAttributeValue(aligned) : 0);
	LLVMSetOperand(call, index - 1, copy);
	LLVMRemoveCallSiteEnumAttribute(call, index, byval);
}

/* Reading an argument by value counts as reading no memory, unlike reading the caller's copy of it. */
static void forget_memory(LLVMValueRef function_or_call)
{
	static const char *const names[] = {"memory", "readnone", "readonly", "argmemonly"};
	const unsigned index = (unsigned)LLVMAttributeFunctionIndex;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!kind_of(names[i]))         /* not one of this LLVM's */
			continue;
		if (LLVMIsAFunction(function_or_call))
			LLVMRemoveEnumAttributeAtIndex(function_or_call, index, kind_of(names[i]));
		else
			LLVMRemoveCallSiteEnumAttribute(function_or_call, index, kind_of(names[i]));
	}
}

/* Makes an argument by value a pointer to a copy of the caller's. */
static void pass_pointer(struct lowering *lowering, LLVMValueRef function, unsigned index)
{
	LLVMRemoveEnumAttributeAtIndex(function, index, kind_of("byval"));
	forget_memory(function);
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function)
			continue;
		forget_memory(call);
		pass_copy(lowering, call, index);
	}
}

static void pass_pointers(struct lowering *lowering, LLVMValueRef function)
{
	const unsigned byval = kind_of("byval");
	for (unsigned i = 1; i <= LLVMCountParams(function); i++)
		if (LLVMGetEnumAttributeAtIndex(function, i, byval))
			pass_pointer(lowering, function, i);
}

static bool has_arguments_by_value(LLVMValueRef function)
{
	for (unsigned i = 1; i <= LLVMCountParams(function); i++)
		if (LLVMGetEnumAttributeAtIndex(function, i, kind_of("byval")))
			return true;
	return false;
}

static bool may_be_inlined(LLVMValueRef function)
{
	return LLVMGetFirstBasicBlock(function) && !fe_is_kernel(function) &&
	       !LLVMGetEnumAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex,
					    kind_of("noinline"));
}

enum fe_status fe_lower_lifetimes(struct lowering *lowering)
{
	LLVMValueRef first = LLVMGetFirstFunction(lowering->module);
	for (LLVMValueRef f = first; f; f = LLVMGetNextFunction(f))
		erase_marks(f, !may_be_inlined(f));
	for (LLVMValueRef f = first; f; f = LLVMGetNextFunction(f))
		if (may_be_inlined(f))
			pass_pointers(lowering, f);
	for (LLVMValueRef f = first; f; f = LLVMGetNextFunction(f))
		if (may_be_inlined(f) || (LLVMGetFirstBasicBlock(f) && has_arguments_by_value(f)))
			build_missing_starts(lowering, f);
	return FE_OK;
}
