#include "config.h"

#include "frontend/local_pointers.h"

enum { SPACE_LOCAL = 3 };

bool fe_is_local_pointer(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == SPACE_LOCAL;
}

static bool has_local_pointer(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return fe_is_local_pointer(type);
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind:
		return has_local_pointer(LLVMGetElementType(type));
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
			if (has_local_pointer(LLVMStructGetTypeAtIndex(type, i)))
				return true;
		return false;
	default:
		return false;
	}
}

/* Whether the type contains a local pointer and is more than that pointer. */
static bool is_compound(LLVMTypeRef type)
{
	return has_local_pointer(type) && !fe_is_local_pointer(type);
}

static bool is_half(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

/* Whether an instruction loads or stores local pointers, or contains them in another way that depends on their size. */
static bool shows_size(LLVMValueRef i)
{
	const int operands = LLVMGetNumOperands(i);
	for (int k = 0; k < operands; k++)
		if (is_compound(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k))))
			return true;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca:
		return has_local_pointer(LLVMGetAllocatedType(i));
	case LLVMGetElementPtr:
		return has_local_pointer(LLVMGetGEPSourceElementType(i));
	case LLVMLoad:
		return has_local_pointer(LLVMTypeOf(i));
	case LLVMStore:
		return has_local_pointer(LLVMTypeOf(LLVMGetOperand(i, 0)));
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return has_local_pointer(LLVMTypeOf(LLVMGetOperand(i, 1)));
	case LLVMCall:
		/* What inline PTX gives back has the size that its constraints say. */
		return LLVMIsAInlineAsm(LLVMGetCalledValue(i)) ? has_local_pointer(LLVMTypeOf(i))
							       : is_compound(LLVMTypeOf(i));
	default:
		return is_compound(LLVMTypeOf(i));
	}
}

/* For compute_90 and older, libnvvm 13.0 drops stores of two halves to local memory whose address has 32 bits.  It also
 * joins stores of single halves, and it cannot be foreseen which, so no half may be in the module. */
static bool has_halves(LLVMValueRef i)
{
	bool has = is_half(LLVMTypeOf(i));
	for (int k = 0; !has && k < LLVMGetNumOperands(i); k++)
		has = is_half(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k)));
	return has;
}

static bool is_always_inlined(LLVMValueRef function)
{
	static const char name[] = "alwaysinline";
	const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
	return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

/* For a function that is not inlined, libnvvm 13.0 declares a local pointer as a parameter of 64 bits, but passes
 * 32. */
bool fe_passes_local_pointers(LLVMValueRef function)
{
	if (LLVMGetIntrinsicID(function))
		return false;
	bool passes = has_local_pointer(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
	for (unsigned p = 0; !passes && p < LLVMCountParams(function); p++)
		passes = has_local_pointer(LLVMTypeOf(LLVMGetParam(function, p)));
	return passes && (LLVMIsDeclaration(function) || !is_always_inlined(function));
}

static bool function_allows(LLVMValueRef function, bool newer_dialect)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			if (shows_size(i) || (!newer_dialect && has_halves(i)))
				return false;
	return true;
}

bool fe_local_pointers_fit(LLVMModuleRef module, bool newer_dialect)
{
	LLVMValueRef next = LLVMGetFirstGlobal(module);
	for (; next; next = LLVMGetNextGlobal(next))
		if (has_local_pointer(LLVMGlobalGetValueType(next)))
			return false;
	for (next = LLVMGetFirstFunction(module); next; next = LLVMGetNextFunction(next))
		if (!function_allows(next, newer_dialect))
			return false;
	return true;
}
