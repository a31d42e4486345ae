#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <string.h>

/* What the builtin library asks of the device that is compiled for, and of the
 * kernel's local memory: calls of functions that nobody defines. */

/* The least compute capability (10 * major + minor) for which the answer is yes. */
static const struct {
	const char *function;
	unsigned sm;
} abilities[] = {
	{ "__culvert_hidden_sm_80", 80 },
};

static const char scratch_name[] = "__culvert_hidden_scratch";
/* A value of eight bytes for each sub-group: a work-group has at most 32. */
enum { SCRATCH_VALUES = 32 };

/* The branch that is never taken holds instructions that the device may not have,
 * so that it must go even where nothing is optimized. */
static void decide_branch(struct lowering *lowering, LLVMValueRef branch, bool yes)
{
	LLVMPositionBuilderBefore(lowering->builder, branch);
	LLVMBuildBr(lowering->builder, LLVMGetSuccessor(branch, yes ? 0 : 1));
	LLVMInstructionEraseFromParent(branch);
}

static void decide_branches(struct lowering *lowering, LLVMValueRef call, bool yes)
{
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsABranchInst(user))
			decide_branch(lowering, user, yes);
	}
}

/* A program can declare the name too, but not make anything else of it. */
static enum fe_status refuse(const struct lowering *lowering, const char *name)
{
	bytes_printf(lowering->log, "error: the name %s is reserved\n", name);
	return FE_LINK_FAILED;
}

/* Puts a value in the place of every call. */
static enum fe_status answer(struct lowering *lowering, LLVMValueRef function, const char *name,
			     LLVMValueRef value)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	LLVMUseRef use;
	if (LLVMGetReturnType(type) != LLVMTypeOf(value) || LLVMCountParamTypes(type))
		return refuse(lowering, name);
	while ((use = LLVMGetFirstUse(function)) != NULL) {
		LLVMValueRef call = fe_use_call(use);
		if (!call)
			return refuse(lowering, name);
		if (LLVMIsConstant(value) && LLVMIsAConstantInt(value))
			decide_branches(lowering, call, LLVMConstIntGetZExtValue(value) != 0);
		LLVMReplaceAllUsesWith(call, value);
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDeleteFunction(function);
	return FE_OK;
}

static LLVMValueRef make_scratch(struct lowering *lowering)
{
	LLVMTypeRef type = LLVMArrayType(LLVMInt64TypeInContext(lowering->context),
					 SCRATCH_VALUES);
	LLVMValueRef scratch = LLVMAddGlobalInAddressSpace(lowering->module, type,
							   "__culvert_scratch", LOWER_SPACE_LOCAL);
	LLVMSetInitializer(scratch, LLVMGetUndef(type));
	LLVMSetLinkage(scratch, LLVMInternalLinkage);
	return scratch;
}

enum fe_status fe_lower_device(struct lowering *lowering)
{
	LLVMTypeRef truth = LLVMInt1TypeInContext(lowering->context);
	for (size_t i = 0; i < sizeof(abilities) / sizeof(*abilities); i++) {
		const char *name = abilities[i].function;
		LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);
		if (!function || !LLVMIsDeclaration(function))
			continue;
		LLVMValueRef value = LLVMConstInt(truth, lowering->sm >= abilities[i].sm, 0);
		enum fe_status status = answer(lowering, function, name, value);
		if (status)
			return status;
	}
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, scratch_name);
	if (!function || !LLVMIsDeclaration(function))
		return FE_OK;
	return answer(lowering, function, scratch_name, make_scratch(lowering));
}
