#include "config.h"

#include "frontend/nvvm_ir.h"

/* The data layout that libnvvm gets: whether local pointers have 32 bits in it.
 *
 * A GPU takes local addresses by their low 32 bits, and nvcc's PTX computes them in 32.  With 64 an index of
 * 32 bits is extended for each access, so that assemblers share fewer addresses and unroll less.  Clang lays
 * local pointers out with 64 bits, which is what sizeof says and what stands in structs, so that 32 can do
 * only where none of them is in memory. */

enum { SPACE_LOCAL = 3, SM_NEWER_DIALECT = 100 };

static const char before[] = "target datalayout = \"e-p:64:64:64-";
static const char narrow[] = "p3:32:32:32-";
static const char behind[] =
	"i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-"
	"i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-"
	"n16:32:64\"\n"
	"target triple = \"nvptx64-nvidia-cuda\"\n\n";

bool fe_ir_is_local_pointer(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == SPACE_LOCAL;
}

static bool has_local_pointer(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMPointerTypeKind:
		return fe_ir_is_local_pointer(type);
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
	return has_local_pointer(type) && !fe_ir_is_local_pointer(type);
}

static bool is_half(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

/* Whether an instruction has local pointers in memory, or somewhere else where their size shows. */
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

/* libnvvm 13.0 for compute_90 and before drops stores of two halves to local memory by an address of 32
 * bits, and what it joins to two halves nobody can say. */
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

/* libnvvm 13.0 declares a parameter of 64 bits in a function that stays one and passes 32 to it. */
static bool passes_local_pointers(LLVMValueRef function)
{
	if (LLVMGetIntrinsicID(function))
		return false;
	bool passes = has_local_pointer(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
	for (unsigned p = 0; !passes && p < LLVMCountParams(function); p++)
		passes = has_local_pointer(LLVMTypeOf(LLVMGetParam(function, p)));
	return passes && (LLVMIsDeclaration(function) || !is_always_inlined(function));
}

static bool function_allows(LLVMValueRef function, unsigned sm)
{
	if (passes_local_pointers(function))
		return false;
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			if (shows_size(i) || (sm < SM_NEWER_DIALECT && has_halves(i)))
				return false;
	return true;
}

static bool local_pointers_are_narrow(LLVMModuleRef module, unsigned sm)
{
	LLVMValueRef next = LLVMGetFirstGlobal(module);
	for (; next; next = LLVMGetNextGlobal(next))
		if (has_local_pointer(LLVMGlobalGetValueType(next)))
			return false;
	for (next = LLVMGetFirstFunction(module); next; next = LLVMGetNextFunction(next))
		if (!function_allows(next, sm))
			return false;
	return true;
}

void fe_ir_layout_init(struct ir_printer *printer)
{
	printer->local_is_narrow = local_pointers_are_narrow(printer->module, printer->sm);
}

void fe_ir_head(struct ir_printer *printer)
{
	fe_ir_print(printer, "%s%s%s", before, printer->local_is_narrow ? narrow : "", behind);
}
