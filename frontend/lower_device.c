#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <string.h>

/* What the builtin library asks of the device that is compiled for, of the options, and of
 * the kernel's local memory: calls of functions that nobody defines. */

static bool has_sm_75(const struct lowering *lowering)
{
	return lowering->sm >= 75;
}

static bool has_sm_80(const struct lowering *lowering)
{
	return lowering->sm >= 80;
}

/* The one architecture with wgmma, which newer devices do not have. */
static bool has_sm_90a(const struct lowering *lowering)
{
	return lowering->sm == 90 && !(lowering->nvvm_lacks & NVVM_LACKS_TARGET);
}

static bool has_sm_120(const struct lowering *lowering)
{
	return lowering->sm >= 120;
}

static bool is_relaxed(const struct lowering *lowering)
{
	return lowering->relaxed;
}

static bool is_checked(const struct lowering *lowering)
{
	return lowering->checked;
}

/* cp.async; a program that is checked has loads and stores instead. */
static bool copies_async(const struct lowering *lowering)
{
	return lowering->sm >= 80 && !lowering->checked;
}

static const struct {
	const char *function;
	bool (*answer)(const struct lowering *lowering);
} questions[] = {
	{ "__culvert_hidden_sm_75", has_sm_75 },
	{ "__culvert_hidden_sm_80", has_sm_80 },
	{ "__culvert_hidden_sm_90a", has_sm_90a },
	{ "__culvert_hidden_sm_120", has_sm_120 },
	{ "__culvert_hidden_relaxed", is_relaxed },
	{ "__culvert_hidden_checked", is_checked },
	{ "__culvert_hidden_copies_async", copies_async },
};

static const char scratch_name[] = "__culvert_hidden_scratch";
/* Each sub-group has a value of eight bytes; a work-group has at most 32 sub-groups. */
enum { SCRATCH_VALUES = 32 };

/* Removes a block that no branch leads to any more, unless a phi of another block still names it. Otherwise
 * the functions that it calls would be linked in vain. */
static void delete_unreached(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block), i;
	if (LLVMGetFirstUse(LLVMBasicBlockAsValue(block)))
		return;
	for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
		if (LLVMIsAPHINode(LLVMGetFirstInstruction(LLVMGetSuccessor(end, s))))
			return;
	}
	while ((i = LLVMGetLastInstruction(block)) != NULL) {
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
			LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
		LLVMInstructionEraseFromParent(i);
	}
	LLVMDeleteBasicBlock(block);
}

/* The branch that is never taken holds instructions that the device may not have,
 * so that it must go even where nothing is optimized. */
static void decide_branch(struct lowering *lowering, LLVMValueRef branch, bool yes)
{
	LLVMBasicBlockRef other = LLVMGetSuccessor(branch, yes ? 1 : 0);
	LLVMPositionBuilderBefore(lowering->builder, branch);
	LLVMBuildBr(lowering->builder, LLVMGetSuccessor(branch, yes ? 0 : 1));
	LLVMInstructionEraseFromParent(branch);
	delete_unreached(other);
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

/* A program may declare a function of this name itself, but only with this type. */
static enum fe_status refuse(const struct lowering *lowering, const char *name)
{
	bytes_printf(lowering->log, "error: the name %s is reserved\n", name);
	return FE_LINK_FAILED;
}

/* Replaces every call of the function by the value. */
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

/* Removes the functions that only branches which are never taken had called. */
static void delete_unused(struct lowering *lowering)
{
	bool deleted;
	do {
		LLVMValueRef next, function = LLVMGetFirstFunction(lowering->module);
		for (deleted = false; function; function = next) {
			next = LLVMGetNextFunction(function);
			if (LLVMGetLinkage(function) != LLVMInternalLinkage ||
			    LLVMGetFirstUse(function))
				continue;
			LLVMDeleteFunction(function);
			deleted = true;
		}
	} while (deleted);
}

static enum fe_status answer_questions(struct lowering *lowering)
{
	LLVMTypeRef truth = LLVMInt1TypeInContext(lowering->context);
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		const char *name = questions[i].function;
		LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);
		if (!function || !LLVMIsDeclaration(function))
			continue;
		LLVMValueRef value = LLVMConstInt(truth, questions[i].answer(lowering), 0);
		enum fe_status status = answer(lowering, function, name, value);
		if (status)
			return status;
	}
	return FE_OK;
}

enum fe_status fe_lower_device(struct lowering *lowering)
{
	enum fe_status status = answer_questions(lowering);
	if (status)
		return status;
	delete_unused(lowering);
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, scratch_name);
	if (!function || !LLVMIsDeclaration(function) || !LLVMGetFirstUse(function))
		return FE_OK;
	return answer(lowering, function, scratch_name, make_scratch(lowering));
}
