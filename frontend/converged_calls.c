#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/module.h"

#include "base/bytes.h"

#include <llvm-c/Core.h>

#include <stdlib.h>
#include <string.h>

/* Sub-group functions that some work-items alone may call take the lanes that are here together
 * (sub_group_active.cl), which may be fewer than come by: lanes that took different ways are not bound to
 * have met again, although GPUs mostly see to it.  Where every work-item of the sub-group makes the call, all
 * of them are to take part (cl_khr_subgroup_shuffle and the others: the values of active work-items).
 *
 * A block is converged when every work-item runs it once: it is in no loop, every way from the start of its
 * function to an end leads through it, and its function is a kernel that nobody calls, or is called
 * from converged blocks alone.  In those, calls of the library's functions become calls of
 * their forms that wait for the whole sub-group. */

static const char *const families[] = {
	"elect", "non_uniform_", "broadcast_first", "ballot", "shuffle", "rotate", "clustered_",
};
static const char common[] = "sub_group_", converged[] = "__culvert_converged_";
/* What names of cl_intel_subgroups begin with before the common part. */
static const char vendor[] = "intel_";

enum {
	BLOCKS_MAX = 1 << 16,   /* blocks that are visited for one program at most */
	CALLERS_MAX = 8         /* functions that call each other, one within another */
};

struct look {
	unsigned blocks_left;   /* blocks that may still be visited */
	bool out_of_memory;
};

/* Where ways through a function lead: to a certain block, to an end of the function. */
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

/* Where the ways from a set of blocks lead, each followed up to `wanted`; all that they come by is
 * added to the set.  Both where that takes too long or memory is out. */
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

/* Whether whoever runs a function runs this block, once. */
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

/* Whether a function runs for all work-items of a sub-group whenever it runs for one. */
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

/* The name of the other form, or false: the function has none.  Names are mangled:
 * _Z, the length of the identifier, the identifier, its parameters. */
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

/* The ballot's own arithmetic asks nobody. */
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
