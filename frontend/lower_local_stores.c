#include "config.h"

#include "frontend/lower.h"

/* libnvvm of CUDA 12.0 to 12.2 takes the only value that is stored in a variable for its initial value, and removes
 * the store, also if the variable is in local memory, which has no initial values.  It replaces the loads of the
 * variable by the value, but not those of a part of it, or through a pointer: they read what was never stored.  If a
 * variable has such uses, its stores become volatile, which libnvvm keeps. */

/* Whether the whole variable is loaded or stored. */
static bool is_direct(LLVMValueRef user, LLVMValueRef variable)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(variable);
	if (LLVMIsAStoreInst(user))
		return LLVMGetOperand(user, 1) == variable && LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
	return LLVMIsALoadInst(user) && LLVMTypeOf(user) == type;
}

static bool has_other_uses(LLVMValueRef variable)
{
	LLVMUseRef use = LLVMGetFirstUse(variable);
	while (use && is_direct(LLVMGetUser(use), variable))
		use = LLVMGetNextUse(use);
	return use != NULL;
}

static bool is_cast(LLVMValueRef user)
{
	const bool can_be = LLVMIsAConstantExpr(user) || LLVMIsAInstruction(user);
	const LLVMOpcode opcode = !can_be ? LLVMRet : LLVMIsAConstantExpr(user) ? LLVMGetConstOpcode(user)
										: LLVMGetInstructionOpcode(user);
	return opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast;
}

/* Also stores through a pointer that is only the variable's address in another form. */
static void keep_stores(LLVMValueRef pointer)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer)
			LLVMSetVolatile(user, true);
		else if (is_cast(user))
			keep_stores(user);
	}
}

void fe_lower_local_stores(struct lowering *lowering)
{
	LLVMValueRef variable = LLVMGetFirstGlobal(lowering->module);
	for (; variable; variable = LLVMGetNextGlobal(variable))
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == LOWER_SPACE_LOCAL &&
		    LLVMGetTypeKind(LLVMGlobalGetValueType(variable)) != LLVMArrayTypeKind && has_other_uses(variable))
			keep_stores(variable);
}
