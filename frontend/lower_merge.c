#include "config.h"

#include "frontend/lower.h"
#include "frontend/set.h"

#include <stdlib.h>

/* Pointers that may or may not point to private memory.
 *
 * libnvvm 13.0 loses stores through them.  Of this nothing remains, also with nvcc -O3:
 *
 * p = c ? global : private; q = c ? global + 1 : private + 1; *p = x; *q = y;
 *
 * It takes both for private memory that is never read.  Where a pointer to private memory and one to other memory
 * are merged, in a phi or a select, the merged pointer is hidden from libnvvm.  Not if it is only loaded from: each
 * load would become two, because private memory whose address was hidden stays in memory, and for a large struct of
 * a SYCL program libnvvm did not terminate. */

/* What a pointer may be made of. */
enum { NOTHING, PRIVATE = 1, OTHER = 2, ANYTHING = PRIVATE | OTHER };

struct merges {
	struct lowering *lowering;
	struct fe_set all;          /* the phis and selects that make generic pointers */
	struct fe_set parameters;   /* the parameters of functions that are generic pointers */
	unsigned char *kinds;       /* what the pointers passed for each of the parameters may be made of */
	bool keeps_private;         /* whether memory holds pointers to private memory */
};

static bool is_generic(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == LOWER_SPACE_GENERIC;
}

static bool is_merge(LLVMValueRef value)
{
	return (LLVMIsAPHINode(value) || LLVMIsASelectInst(value)) && is_generic(value);
}

/* -- where a pointer comes from --------------------------------------------------------- */

/* Lists the operands that a pointer is one of, such as those of a phi; a root has none. */
static bool add_sources(struct fe_set *values, LLVMValueRef value)
{
	if (LLVMIsAPHINode(value)) {
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			if (!fe_set_add(values, LLVMGetIncomingValue(value, i)))
				return false;
		return true;
	}
	if (LLVMIsASelectInst(value))
		return fe_set_add(values, LLVMGetOperand(value, 1)) &&
		       fe_set_add(values, LLVMGetOperand(value, 2));
	return fe_set_add(values, LLVMGetOperand(value, 0));
}

static bool is_step(LLVMValueRef value)
{
	return is_merge(value) || LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) ||
	       LLVMIsAFreezeInst(value);
}

static unsigned kind_of_root(const struct merges *merges, LLVMValueRef root)
{
	uint32_t index;
	if (LLVMIsAAllocaInst(root))
		return PRIVATE;
	if (LLVMIsAConstantPointerNull(root) || LLVMIsAUndefValue(root))
		return NOTHING;
	if (LLVMIsAArgument(root))
		return fe_set_find(&merges->parameters, root, &index) ? merges->kinds[index] : OTHER;
	if (LLVMIsACallInst(root) && !LLVMIsAInlineAsm(LLVMGetCalledValue(root)))
		return ANYTHING;
	if (LLVMIsALoadInst(root) || LLVMIsAIntToPtrInst(root))
		return merges->keeps_private ? ANYTHING : OTHER;
	return OTHER;
}

/* Finds what a pointer may point to, and whether it points to private memory on one way and to something else
 * on another. false: out of memory. */
static bool look(const struct merges *merges, LLVMValueRef pointer, unsigned *kind, bool *mixed)
{
	struct fe_set values = {0};
	unsigned all = NOTHING, private_roots = 0, other_roots = 0, both = 0;
	bool added = fe_set_add(&values, pointer);
	for (uint32_t i = 0; added && i < values.count; i++) {
		LLVMValueRef value = (LLVMValueRef)(uintptr_t)values.items[i];
		if (is_step(value)) {
			added = add_sources(&values, value);
			continue;
		}
		unsigned root = kind_of_root(merges, value);
		all |= root;
		private_roots += (root & PRIVATE) != 0;
		other_roots += (root & OTHER) != 0;
		both += root == ANYTHING;
	}
	/* True only for two different roots, not for a single one that may be either. */
	*mixed = private_roots && other_roots && private_roots + other_roots - both > 1;
	*kind = all;
	fe_set_finish(&values);
	return added;
}

/* -- what functions are called with ----------------------------------------------------- */

static bool look_at_call(struct merges *merges, LLVMValueRef call, bool *changed)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
		return true;
	for (unsigned i = 0; i < LLVMCountParams(callee) && i < LLVMGetNumArgOperands(call); i++) {
		uint32_t index;
		unsigned kind;
		bool mixed;
		if (!fe_set_find(&merges->parameters, LLVMGetParam(callee, i), &index))
			continue;
		if (!look(merges, LLVMGetOperand(call, i), &kind, &mixed))
			return false;
		*changed |= (merges->kinds[index] | kind) != merges->kinds[index];
		merges->kinds[index] |= (unsigned char)kind;
	}
	return true;
}

static bool look_at_store(struct merges *merges, LLVMValueRef store, bool *changed)
{
	unsigned kind;
	bool mixed;
	LLVMValueRef value = LLVMGetOperand(store, 0);
	if (merges->keeps_private || !is_generic(value))
		return true;
	if (!look(merges, value, &kind, &mixed))
		return false;
	if (kind & PRIVATE)
		merges->keeps_private = *changed = true;
	return true;
}

static bool visit(struct merges *merges, bool (*step)(struct merges *, LLVMValueRef, bool *),
		  bool *changed)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(merges->lowering->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (!step(merges, i, changed))
					return false;
	return true;
}

static bool collect(struct merges *merges, LLVMValueRef instruction, bool *changed)
{
	(void)changed;
	return !is_merge(instruction) || fe_set_add(&merges->all, instruction);
}

static bool follow(struct merges *merges, LLVMValueRef instruction, bool *changed)
{
	if (LLVMIsACallInst(instruction))
		return look_at_call(merges, instruction, changed);
	if (LLVMIsAStoreInst(instruction))
		return look_at_store(merges, instruction, changed);
	return true;
}

static bool collect_parameters(struct merges *merges)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(merges->lowering->module); f;
	     f = LLVMGetNextFunction(f))
		for (unsigned i = 0; !LLVMIsDeclaration(f) && i < LLVMCountParams(f); i++)
			if (is_generic(LLVMGetParam(f, i)) &&
			    !fe_set_add(&merges->parameters, LLVMGetParam(f, i)))
				return false;
	merges->kinds = calloc(merges->parameters.count + 1, 1);
	bool changed = merges->kinds != NULL, fine = changed;
	while (fine && changed) {
		changed = false;
		fine = visit(merges, follow, &changed);
	}
	return fine;
}

/* -- what is done about it -------------------------------------------------------------- */

static void hide(struct lowering *lowering, LLVMValueRef merge)
{
	char text[] = "mov.u64 $0, $1;", operands[] = "=l,l";
	LLVMTypeRef pointer = LLVMTypeOf(merge), type = LLVMFunctionType(pointer, &pointer, 1, false);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, sizeof(text) - 1, operands,
					     sizeof(operands) - 1, false, false,
					     LLVMInlineAsmDialectATT, false);
	LLVMValueRef behind = LLVMGetNextInstruction(merge);
	while (LLVMIsAPHINode(behind))
		behind = LLVMGetNextInstruction(behind);
	LLVMPositionBuilderBefore(lowering->builder, behind);
	LLVMValueRef hidden = LLVMBuildCall2(lowering->builder, type, code, &merge, 1, "");
	LLVMReplaceAllUsesWith(merge, hidden);
	LLVMSetOperand(hidden, 0, merge);
}

enum fe_status fe_lower_merges(struct lowering *lowering)
{
	struct merges merges = {.lowering = lowering};
	bool changed = false, fine = visit(&merges, collect, &changed);
	if (fine && merges.all.count)
		fine = collect_parameters(&merges);
	for (uint32_t i = 0; fine && i < merges.all.count; i++) {
		LLVMValueRef merge = (LLVMValueRef)(uintptr_t)merges.all.items[i];
		unsigned kind;
		bool mixed;
		fine = look(&merges, merge, &kind, &mixed);
		if (fine && mixed && !fe_module_part_loads(merge))
			hide(lowering, merge);
	}
	free(merges.kinds);
	fe_set_finish(&merges.all);
	fe_set_finish(&merges.parameters);
	return fine ? FE_OK : FE_NO_MEMORY;
}
