#include "config.h"

#include "frontend/element_address.h"
#include "frontend/lower.h"
#include "frontend/set.h"

#include <stdlib.h>
#include <string.h>

/* Work-items of a warp that read from local memory what others of the warp have stored, without a barrier or volatile:
 *
 *	table[i] += table[i + 8];
 *	table[i] += table[i + 4];
 *
 * OpenCL does not order these accesses, and to a compiler, the addresses of one work-item differ: libnvvm removes the
 * first store, and ptxas moves the second load in front of it.  Many programs for NVIDIA's GPUs rely on the order
 * nevertheless.  NVIDIA's OpenCL keeps it, because its compiler cannot tell the addresses apart.  So such stores and
 * loads become volatile, which both compilers leave in their order.
 *
 * Only accesses are changed between which there is no barrier, and that are of the same element if one work-item of
 * the warp stores and another one loads.  A program without data races has hardly any, and is compiled as before. */

enum { WARP_SIZE = 32 };

struct access {
	LLVMValueRef instruction;
	struct element_address forms[ADDRESS_FORMS_MAX];
	unsigned form_count;
	bool is_marked;
};

struct accesses {
	struct access *all;
	size_t count, capacity;
};

static LLVMValueRef pointer_of(LLVMValueRef i)
{
	return LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
}

static bool is_plain_access(LLVMValueRef i)
{
	if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
		return false;
	LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i);
	const LLVMTypeKind kind = LLVMGetTypeKind(type);
	return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer_of(i))) == LOWER_SPACE_LOCAL && !LLVMGetVolatile(i) &&
	       LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
	       (kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind);
}

/* Whether an instruction may keep the accesses behind it from passing those in front of it.  Functions other than
 * intrinsics may have a barrier. */
static bool is_barrier(LLVMValueRef i)
{
	if (!LLVMIsACallInst(i))
		return LLVMIsAFenceInst(i);
	size_t length;
	LLVMValueRef callee = LLVMGetCalledValue(i);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
	return strncmp(name, "llvm.", 5) != 0 || strstr(name, "bar");
}

/* -- which elements others access --------------------------------------------------------------- */

/* Whether a distance is that of two work-items of one warp, each of which accesses its own element in the form one. */
static bool is_of_neighbour(const struct element_address *one, const struct element_address *distance)
{
	for (unsigned i = 0; i < one->count; i++) {
		const struct address_term *term = &one->terms[i];
		if (!fe_counts_work_items(term->value))
			continue;
		/* In 64 bits, the least number of 32 can be divided by -1. */
		const int64_t scale_B = (int32_t)term->scale_B, offset_B = (int32_t)distance->offset_B;
		if (!distance->count && offset_B && !(offset_B % scale_B) && llabs(offset_B / scale_B) < WARP_SIZE)
			return true;
		/* "for (n = 16; n; n /= 2) table[i] += table[i + n];" */
		if (distance->count == 1 && !offset_B && fe_is_step_of_exchange(distance->terms[0].value) &&
		    llabs((int32_t)distance->terms[0].scale_B) == llabs(scale_B))
			return true;
	}
	return false;
}

static bool meet(const struct access *store, const struct access *load)
{
	struct element_address distance;
	for (unsigned i = 0; i < store->form_count; i++)
		for (unsigned k = 0; k < load->form_count; k++)
			if (fe_element_distance(&store->forms[i], &load->forms[k], &distance) &&
			    is_of_neighbour(&store->forms[i], &distance))
				return true;
	return false;
}

/* -- which accesses follow ---------------------------------------------------------------------- */

/* Adds the accesses from an instruction on, up to a barrier or the end of its block; there, adds the next blocks.  The
 * end of a function that others call leads to its beginning: it may be one step of several. */
static bool follow(LLVMValueRef i, struct fe_set *reached, struct fe_set *blocks)
{
	for (; !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
		if (is_barrier(i))
			return true;
		if (is_plain_access(i) && !fe_set_add(reached, i))
			return false;
	}
	for (unsigned s = 0; s < LLVMGetNumSuccessors(i); s++)
		if (!fe_set_add(blocks, LLVMGetSuccessor(i, s)))
			return false;
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
	const bool is_called_again = !LLVMGetNumSuccessors(i) && LLVMGetLinkage(function) == LLVMInternalLinkage;
	return !is_called_again || fe_set_add(blocks, LLVMGetEntryBasicBlock(function));
}

/* Adds the accesses that a work-item comes to behind an instruction without passing a barrier. */
static bool reach(LLVMValueRef start, struct fe_set *reached)
{
	struct fe_set blocks = {0};
	bool good = follow(LLVMGetNextInstruction(start), reached, &blocks);
	for (uint32_t n = 0; n < blocks.count && good; n++)
		good = follow(LLVMGetFirstInstruction((LLVMBasicBlockRef)(uintptr_t)blocks.items[n]), reached, &blocks);
	fe_set_finish(&blocks);
	return good;
}

/* Marks a store and the loads behind it of what others have stored by it. */
static bool mark(struct accesses *accesses, struct access *store)
{
	struct fe_set reached = {0};
	bool is_known = false, found = true;
	for (size_t i = 0; i < accesses->count && found; i++) {
		struct access *load = &accesses->all[i];
		if (!LLVMIsALoadInst(load->instruction) || !meet(store, load))
			continue;
		if (!is_known)
			found = is_known = reach(store->instruction, &reached);
		if (fe_set_has(&reached, load->instruction))
			store->is_marked = load->is_marked = true;
	}
	fe_set_finish(&reached);
	return found;
}

/* -- the pass ------------------------------------------------------------------------------------- */

static bool add_access(struct accesses *accesses, LLVMTargetDataRef layout, LLVMValueRef i)
{
	if (accesses->count == accesses->capacity) {
		const size_t capacity = accesses->capacity ? 2 * accesses->capacity : 32;
		struct access *all = realloc(accesses->all, capacity * sizeof(*all));
		if (!all)
			return false;
		accesses->all = all;
		accesses->capacity = capacity;
	}
	struct access *access = &accesses->all[accesses->count];
	access->instruction = i;
	access->is_marked = false;
	access->form_count = fe_element_address(layout, pointer_of(i), access->forms);
	accesses->count += access->form_count != 0;
	return true;
}

static bool change_function(struct lowering *lowering, LLVMValueRef function)
{
	struct accesses accesses = {0};
	bool found = true;
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && found; i = LLVMGetNextInstruction(i))
			if (is_plain_access(i))
				found = add_access(&accesses, lowering->layout, i);
	for (size_t i = 0; i < accesses.count && found; i++)
		if (LLVMIsAStoreInst(accesses.all[i].instruction))
			found = mark(&accesses, &accesses.all[i]);
	for (size_t i = 0; i < accesses.count; i++)
		if (accesses.all[i].is_marked)
			LLVMSetVolatile(accesses.all[i].instruction, true);
	free(accesses.all);
	return found;
}

enum fe_status fe_lower_warp_exchanges(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function))
		if (!change_function(lowering, function))
			return FE_NO_MEMORY;
	return FE_OK;
}
