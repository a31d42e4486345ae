#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/module.h"

#include <llvm-c/Core.h>

/* `sum + dot(a, b)` of four bytes each is one instruction, dp4a, but neither libnvvm nor ptxas joins a dp4a and an
 * addition.  At this time the library's functions have no body yet, so functions of the program with the same names
 * are not affected. */

static const struct {
	const char *dot;        /* a call of it whose result is only added to another value */
	const char *with_sum;   /* is replaced by a call of this */
} rows[] = {
	{ "_Z3dotDv4_hS_", "__culvert_dot_acc_uu" },
	{ "_Z3dotDv4_cS_", "__culvert_dot_acc_ss" },
	{ "_Z3dotDv4_hDv4_c", "__culvert_dot_acc_us" },
	{ "_Z3dotDv4_cDv4_h", "__culvert_dot_acc_su" },
	{ "_Z21dot_4x8packed_uu_uintjj", "__culvert_dot_acc_uu" },
	{ "_Z20dot_4x8packed_ss_intjj", "__culvert_dot_acc_ss" },
	{ "_Z20dot_4x8packed_us_intjj", "__culvert_dot_acc_us" },
	{ "_Z20dot_4x8packed_su_intjj", "__culvert_dot_acc_su" },
};

/* Whether the type has 32 bits, as one integer or as a vector. */
static bool is_word(LLVMTypeRef type)
{
	unsigned count = 1;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
		count = LLVMGetVectorSize(type);
		type = LLVMGetElementType(type);
	}
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       count * LLVMGetIntTypeWidth(type) == 32;
}

/* Whether the call has the library function's types.  A program may declare another function of the name; such a
 * call is left for the writer of NVVM IR to reject. */
static bool is_of_words(LLVMValueRef call)
{
	return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMIntegerTypeKind &&
	       is_word(LLVMTypeOf(call)) && LLVMGetNumArgOperands(call) == 2 &&
	       is_word(LLVMTypeOf(LLVMGetOperand(call, 0))) &&
	       is_word(LLVMTypeOf(LLVMGetOperand(call, 1)));
}

/* The addition that is the value's only user, and its other operand; NULL: there is none. */
static LLVMValueRef addition_of(LLVMValueRef value, LLVMValueRef *other_out)
{
	LLVMUseRef use = LLVMGetFirstUse(value);
	if (!use || LLVMGetNextUse(use))
		return NULL;
	LLVMValueRef user = LLVMGetUser(use);
	if (!LLVMIsABinaryOperator(user) || LLVMGetInstructionOpcode(user) != LLVMAdd)
		return NULL;
	*other_out = LLVMGetOperand(user, LLVMGetOperand(user, 0) == value);
	return user;
}

/* NULL: the program has another function of this name. */
static LLVMValueRef function_with_sum(LLVMModuleRef module, const char *name)
{
	LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
	LLVMTypeRef words[3] = {word, word, word};
	LLVMTypeRef type = LLVMFunctionType(word, words, 3, false);
	LLVMValueRef function = LLVMGetNamedFunction(module, name);
	if (!function)
		return LLVMAddFunction(module, name, type);
	bool same = LLVMIsDeclaration(function) && LLVMGlobalGetValueType(function) == type;
	return same ? function : NULL;
}

static void join(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef call,
		 LLVMValueRef addition, LLVMValueRef sum)
{
	LLVMTypeRef word = LLVMTypeOf(sum);
	LLVMPositionBuilderBefore(builder, addition);
	LLVMValueRef operands[3] = {
		LLVMBuildBitCast(builder, LLVMGetOperand(call, 0), word, ""),
		LLVMBuildBitCast(builder, LLVMGetOperand(call, 1), word, ""),
		sum,
	};
	LLVMValueRef joined = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function,
					     operands, 3, "");
	LLVMReplaceAllUsesWith(addition, joined);
	LLVMInstructionEraseFromParent(addition);
	LLVMInstructionEraseFromParent(call);
}

static void join_calls(LLVMModuleRef module, LLVMBuilderRef builder, unsigned row)
{
	LLVMValueRef dot = LLVMGetNamedFunction(module, rows[row].dot);
	if (!dot || !LLVMIsDeclaration(dot))
		return;
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(dot); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = fe_use_call(use), sum, function;
		LLVMValueRef addition = call && is_of_words(call) ? addition_of(call, &sum) : NULL;
		function = addition ? function_with_sum(module, rows[row].with_sum) : NULL;
		if (function)
			join(builder, function, call, addition, sum);
	}
}

void fe_module_join_dot_products(struct fe_module *module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(module->context);
	for (unsigned row = 0; row < sizeof(rows) / sizeof(*rows); row++)
		join_calls(module->module, builder, row);
	LLVMDisposeBuilder(builder);
}
