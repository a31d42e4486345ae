#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/llvm_compat.h"

#include <llvm-c/Core.h>

#include <string.h>

static bool contains_one_of(const char *text, size_t size_B, const char *const *words)
{
	for (; *words; words++) {
		size_t word_B = strlen(*words);
		for (size_t at = 0; at + word_B <= size_B; at++) {
			if (!memcmp(text + at, *words, word_B))
				return true;
		}
	}
	return false;
}

/* Whether the call reads special registers, or communicates between the work-items of a work-group or warp. */
static bool reads_group(LLVMValueRef call)
{
	static const char *const intrinsics[] = {
		"nvvm.read.ptx.sreg", "nvvm.bar", "nvvm.shfl", "nvvm.vote", "nvvm.match",
		"nvvm.redux", "nvvm.activemask", "nvvm.elect", "nvvm.wmma", "nvvm.mma",
		"__culvert_hidden_group", "__culvert_hidden_enqueued", NULL,
	};
	static const char *const instructions[] = {
		"tid", "ntid", "lane", "warp", "smid", "bar", "shfl", "vote", "match",
		"redux", "activemask", "elect", "mma", "cluster", NULL,
	};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t size_B;
	if (LLVMIsAFunction(callee)) {
		const char *name = LLVMGetValueName2(callee, &size_B);
		return contains_one_of(name, size_B, intrinsics);
	}
	if (!LLVMIsAInlineAsm(callee))
		return true;
	const char *text = LLVMGetInlineAsmAsmString(callee, &size_B);
	return contains_one_of(text, size_B, instructions);
}

/* These functions read special registers, but their results do not depend on how work-items are grouped. */
static bool hides_groups(LLVMValueRef function)
{
	static const char *const names[] = { "_Z13get_global_idj", "_Z20get_global_linear_idv" };
	size_t size_B;
	const char *name = LLVMGetValueName2(function, &size_B);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static bool is_group_reader(LLVMValueRef function)
{
	if (hides_groups(function))
		return false;
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef i = LLVMGetFirstInstruction(block);
		for (; i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsACallInst(i) && reads_group(i))
				return true;
		}
	}
	return false;
}

bool fe_add_group_readers(struct fe_set *functions, LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function)) {
		if (is_group_reader(function) && !fe_set_add(functions, function))
			return false;
	}
	return fe_add_callers(functions);
}
