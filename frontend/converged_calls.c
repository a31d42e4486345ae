#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/module.h"

#include "base/bytes.h"

#include <llvm-c/Core.h>

#include <stdlib.h>
#include <string.h>

/* Sub-group functions that only some work-items call operate on the lanes that have arrived together
 * (sub_group_active.cl).  Those may be fewer than all lanes that make the call: lanes that took different branches
 * need not have converged again, although GPUs mostly take care of that.  If every work-item of the sub-group makes
 * the call, all of them have to take part (cl_khr_subgroup_shuffle and similar extensions: the values of active
 * work-items).
 *
 * A block is converged if every work-item executes it once: it is in no loop, every path from the start of its
 * function to an end contains it, and its function is a kernel that no function calls, or is called only from
 * converged blocks.  In converged blocks, calls of these functions are replaced by calls of their variants that wait
 * for the whole sub-group. */

static const char *const families[] = {
	"elect", "non_uniform_", "broadcast_first", "ballot", "shuffle", "rotate", "clustered_",
};
static const char common[] = "sub_group_", converged[] = "__culvert_converged_";
/* What names of cl_intel_subgroups begin with before the common part. */
static const char vendor[] = "intel_";

enum {
	BLOCKS_MAX = 1 << 16,   /* the most blocks that are visited for one program */
	CALLERS_MAX = 8         /* depth of nested calls */
};

struct look {
	unsigned blocks_left;   /* blocks that may still be visited */
	bool out_of_memory;
};

/* What a path leads to: a given block, or an end of the function. */
enum reach { REACHES_BLOCK = 1, REACHES_END = 2 };

static bool add_successors(struct look *look, struct fe_set *blocks, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
		if (!fe_set_add(blocks, LLVMGetSuccessor(end, s))) {
			look->out_of_memory = true;
			return false;
		}
	}
	return true;
}

/* What the paths from a set of blocks lead to, each followed up to `wanted`; all blocks on them are added to the
 * set.  The answer is both if that takes too long or there is not enough memory. */
static unsigned reach_from(struct look *look, struct fe_set *blocks, LLVMBasicBlockRef wanted)
{
	unsigned reached = 0;
	for (uint32_t i = 0; i < blocks->count; i++) {
		LLVMBasicBlockRef block = (LLVMBasicBlockRef)(uintptr_t)blocks->items[i];
		if (!look->blocks_left)
			return REACHES_BLOCK | REACHES_END;
		look->blocks_left--;
		if (block == wanted) {
			reached |= REACHES_BLOCK;
			continue;
		}
		if (!LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)))
			reached |= REACHES_END;
		if (!add_successors(look, blocks, block))
			return REACHES_BLOCK | REACHES_END;
	}
	return reached;
}

/* Whether every call of the function executes this block exactly once. */
static bool block_runs_once(struct look *look, LLVMBasicBlockRef block)
{
	struct fe_set from_start = {0}, from_here = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
	bool once = add_successors(look, &from_here, block) &&
		    !(reach_from(look, &from_here, block) & REACHES_BLOCK);
	if (once) {
		look->out_of_memory |= !fe_set_add(&from_start, entry);
		once = reach_from(look, &from_start, block) == REACHES_BLOCK;
	}
	fe_set_finish(&from_start);
	fe_set_finish(&from_here);
	return once && !look->out_of_memory;
}

static bool call_runs_once(struct look *look, LLVMValueRef call, unsigned depth);

/* Whether all work-items of a sub-group call the function if one does. */
static bool function_is_converged(struct look *look, LLVMValueRef function, unsigned depth)
{
	LLVMUseRef use = LLVMGetFirstUse(function);
	if (!use)
		return fe_is_kernel(function);
	for (; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = fe_use_call(use);
		if (!call || depth == CALLERS_MAX || !call_runs_once(look, call, depth + 1))
			return false;
	}
	return true;
}

static bool call_runs_once(struct look *look, LLVMValueRef call, unsigned depth)
{
	return block_runs_once(look, LLVMGetInstructionParent(call)) &&
	       function_is_converged(look, fe_parent_function(call), depth);
}

/* Appends the name of the converged variant; false: the function has none.  Names are mangled: _Z, the length of the
 * identifier, the identifier, the parameters. */
static bool converged_name(const char *name, struct bytes *other)
{
	char *identifier;
	if (strncmp(name, "_Z", 2) != 0)
		return false;
	const unsigned long length = strtoul(name + 2, &identifier, 10);
	const char *rest = identifier + (strncmp(identifier, vendor, strlen(vendor)) ? 0 : strlen(vendor));
	if (strncmp(rest, common, strlen(common)) != 0)
		return false;
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++) {
		if (strncmp(rest + strlen(common), families[f], strlen(families[f])) != 0)
			continue;
		bytes_printf(other, "_Z%lu%s%s", length + strlen(converged), converged, identifier);
		return true;
	}
	return false;
}

/* Functions that compute with a ballot's result involve no other work-items. */
static bool has_other_form(LLVMValueRef function)
{
	static const char arithmetic[] = "sub_group_ballot_";
	size_t size_B;
	const char *name = LLVMGetValueName2(function, &size_B);
	return LLVMIsDeclaration(function) && !strstr(name, arithmetic);
}

static bool change_calls(struct look *look, LLVMModuleRef module, LLVMValueRef function,
			 const char *name)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	LLVMValueRef other = NULL;
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = fe_use_call(use);
		if (!call || !call_runs_once(look, call, 0))
			continue;
		if (!other) {
			other = LLVMAddFunction(module, name, type);
			LLVMSetFunctionCallConv(other, LLVMGetFunctionCallConv(function));
		}
		LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, other);
	}
	return !look->out_of_memory;
}

enum fe_status fe_module_converge_calls(struct fe_module *module)
{
	struct look look = {.blocks_left = BLOCKS_MAX};
	bool good = true;
	LLVMValueRef function = LLVMGetFirstFunction(module->module), next;
	for (; good && function; function = next) {
		struct bytes name = BYTES_INIT;
		size_t size_B;
		next = LLVMGetNextFunction(function);
		if (has_other_form(function) &&
		    converged_name(LLVMGetValueName2(function, &size_B), &name)) {
			good = !bytes_failed(&name) &&
			       change_calls(&look, module->module, function, bytes_string(&name));
		}
		bytes_finish(&name);
	}
	return good ? FE_OK : FE_NO_MEMORY;
}
