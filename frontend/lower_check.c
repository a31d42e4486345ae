#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <ctype.h>

/* softcuda/check/option.h has this value too; both must agree. */
enum { CHECK_GAP_B = 32 };
#define CHECK_VECTOR (UINT64_C(1) << 63)

/* What Clang's array-bounds sanitizer found, in a program that is built to be checked, becomes an
 * instruction of the software device (softcuda/exec/note.c): it reports, and goes on. */

/* Returns the comparison that decides whether control branches to the handler's block, or NULL if there is
 * none. */
static LLVMValueRef comparison_of(LLVMValueRef call)
{
	LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(call));
	LLVMUseRef use = LLVMGetFirstUse(block);
	LLVMValueRef branch = use ? LLVMGetUser(use) : NULL;
	if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
		return NULL;
	LLVMValueRef condition = LLVMGetCondition(branch);
	return LLVMIsAICmpInst(condition) ? condition : NULL;
}

/* Extends the index to 64 bits. The sanitizer has already widened it by its own type, so it is extended by
 * sign. */
static LLVMValueRef widen(struct lowering *lowering, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMInt64TypeInContext(lowering->context);
	return LLVMBuildIntCast2(lowering->builder, value, type, true, "");
}

static void build_note(struct lowering *lowering, LLVMValueRef call)
{
	char text[] = "{\n\t.reg .b32 nothing;\n\tculvert.index nothing, $0, $1;\n\t}";
	char operands[] = "l,l";
	LLVMTypeRef wide = LLVMInt64TypeInContext(lowering->context), types[2] = {wide, wide};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(lowering->context), types, 2, false);
	LLVMValueRef comparison = comparison_of(call), values[2];
	LLVMPositionBuilderBefore(lowering->builder, call);
	for (unsigned i = 0; i < 2; i++)
		values[i] = comparison ? widen(lowering, LLVMGetOperand(comparison, i)) :
			    LLVMConstNull(wide);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof(text) - 1, operands,
					     sizeof(operands) - 1, true, false,
					     LLVMInlineAsmDialectATT, false);
	LLVMBuildCall2(lowering->builder, type, code, values, 2, "");
}

/* --- private variables ---------- */

/* Whether the variable has parts: an array, a struct, or a vector in which there may be an error. An access cannot
 * run out of any other. Such a variable stays in memory, because its address is passed to the checker. */
static bool is_large(LLVMValueRef variable)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetAllocatedType(variable));
	return (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind ||
		(kind == LLVMVectorTypeKind && !fe_is_assigned(variable))) &&
	       LLVMIsAConstantInt(LLVMGetOperand(variable, 0));
}

/* Returns the length of the name that the source gave; LLVM appends a point and a number to it. */
static size_t name_length(const char *name, size_t size_B)
{
	size_t length = 0;
	while (length < size_B && length < 64 &&
	       (isalnum((unsigned char)name[length]) || name[length] == '_'))
		length++;
	return length;
}

static void build_private_note(struct lowering *lowering, LLVMValueRef variable,
			       const char *name, size_t length, uint64_t size_B)
{
	struct bytes text = BYTES_INIT;
	char operands[] = "l,l";
	LLVMTypeRef wide = LLVMInt64TypeInContext(lowering->context), types[2] = {wide, wide};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(lowering->context), types, 2, false);
	bytes_append_string(&text, "{\n\t.reg .b32 nothing;\n\t.pragma \"culvert_variable ");
	bytes_append(&text, name, name_length(name, length));
	bytes_append_string(&text, "\";\n\tculvert.private nothing, $0, $1;\n\t}");
	if (!bytes_failed(&text)) {
		LLVMValueRef code = LLVMGetInlineAsm(type, text.data, text.size_B, operands,
						     sizeof(operands) - 1, true, false,
						     LLVMInlineAsmDialectATT, false);
		LLVMValueRef values[2] = {
			LLVMBuildPtrToInt(lowering->builder, variable, wide, ""),
			LLVMConstInt(wide, size_B, 0)
		};
		LLVMBuildCall2(lowering->builder, type, code, values, 2, "");
	}
	bytes_finish(&text);
}

/* Replaces the variable by one with a gap on each side. The builder must stand behind all variables of the
 * function. */
static void widen_variable(struct lowering *lowering, LLVMValueRef variable,
				   LLVMValueRef behind)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(lowering->context);
	unsigned align_B = LLVMGetAlignment(variable);
	uint64_t before_B = align_B > CHECK_GAP_B ? align_B : CHECK_GAP_B;
	LLVMTypeRef parts[3] = {LLVMArrayType(byte, (unsigned)before_B),
				LLVMGetAllocatedType(variable), LLVMArrayType(byte, CHECK_GAP_B)};
	LLVMTypeRef type = LLVMStructTypeInContext(lowering->context, parts, 3, true);
	LLVMPositionBuilderBefore(lowering->builder, variable);
	LLVMValueRef wider = LLVMBuildAlloca(lowering->builder, type, "");
	LLVMSetAlignment(wider, align_B);
	LLVMPositionBuilderBefore(lowering->builder, behind);
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(lowering->context), before_B, 0);
	LLVMValueRef inside = LLVMBuildInBoundsGEP2(lowering->builder, byte, wider, &offset, 1, "");
	size_t length;
	const char *name = LLVMGetValueName2(variable, &length);
	uint64_t size_B = LLVMABISizeOfType(lowering->layout, LLVMGetAllocatedType(variable));
	bool vector = LLVMGetTypeKind(LLVMGetAllocatedType(variable)) == LLVMVectorTypeKind;
	build_private_note(lowering, inside, name, length, size_B | (vector ? CHECK_VECTOR : 0));
	LLVMReplaceAllUsesWith(variable, inside);
	LLVMInstructionEraseFromParent(variable);
}

/* Does this for the variables in the first block of a function; behind is the first instruction there that
 * makes no variable. */
static void separate_variables(struct lowering *lowering, LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	LLVMValueRef next, behind = block ? LLVMGetFirstInstruction(block) : NULL;
	while (behind && LLVMIsAAllocaInst(behind))
		behind = LLVMGetNextInstruction(behind);
	for (LLVMValueRef i = block ? LLVMGetFirstInstruction(block) : NULL;
	     i && LLVMIsAAllocaInst(i); i = next) {
		next = LLVMGetNextInstruction(i);
		if (is_large(i))
			widen_variable(lowering, i, behind);
	}
}

static bool is_of_library(LLVMValueRef function)
{
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, FE_LIBRARY_ATTRIBUTE,
					     sizeof(FE_LIBRARY_ATTRIBUTE) - 1);
}

enum fe_status fe_lower_checks(struct lowering *lowering)
{
	LLVMValueRef handler = LLVMGetNamedFunction(lowering->module, FE_INDEX_HANDLER);
	LLVMUseRef use;
	LLVMValueRef function = lowering->checked ? LLVMGetFirstFunction(lowering->module) : NULL;
	for (; function; function = LLVMGetNextFunction(function))
		if (!is_of_library(function))
			separate_variables(lowering, function);
	if (!handler || !LLVMIsDeclaration(handler))
		return FE_OK;
	while ((use = LLVMGetFirstUse(handler)) != NULL) {
		LLVMValueRef call = fe_use_call(use);
		if (!call)
			return FE_OK;
		if (lowering->checked)
			build_note(lowering, call);
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDeleteFunction(handler);
	return FE_OK;
}
