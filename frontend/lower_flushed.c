#include "config.h"

#include "frontend/llvm_compat.h"
#include "frontend/lower.h"

#include <string.h>

/* The hardware's approximations by which native_* and half_* compute, where the program lets denormals be flushed
 * (-cl-denorms-are-zero, and what contains it).  Without .ftz, the assembler scales operands and results that may be
 * denormal, which takes several instructions more.  libnvvm flushes in instructions only, not in these calls. */

static const struct {
	const char *name, *flushing;
} calls[] = {
	{"llvm.nvvm.div.approx.f", "llvm.nvvm.div.approx.ftz.f"},
	{"llvm.nvvm.ex2.approx.f", "llvm.nvvm.ex2.approx.ftz.f"},
	{"llvm.nvvm.rsqrt.approx.f", "llvm.nvvm.rsqrt.approx.ftz.f"},
	{"llvm.nvvm.sqrt.approx.f", "llvm.nvvm.sqrt.approx.ftz.f"},
};

/* The inline PTX of the library's functions ptx_recip and ptx_divide_full.  A program's own stays as it is. */
static const struct {
	const char *function, *text, *flushing, *constraints;
} texts[] = {
	{"_ZL9ptx_recipf", "rcp.approx.f32 $0, $1;", "rcp.approx.ftz.f32 $0, $1;", "=f,f"},
	{"_ZL15ptx_divide_fullff", "div.full.f32 $0, $1, $2;", "div.full.ftz.f32 $0, $1, $2;", "=f,f,f"},
};

static bool flush_calls(struct lowering *lowering, const char *name, const char *flushing)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);
	if (!function)
		return true;
	LLVMValueRef other = LLVMGetNamedFunction(lowering->module, flushing);
	if (!other)
		other = LLVMAddFunction(lowering->module, flushing, LLVMGlobalGetValueType(function));
	if (!other)
		return false;
	LLVMReplaceAllUsesWith(function, other);
	LLVMDeleteFunction(function);
	return true;
}

static bool is_text(LLVMValueRef i, const char *text)
{
	LLVMValueRef code = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t size_B;
	if (!code || !LLVMIsAInlineAsm(code))
		return false;
	const char *found = LLVMGetInlineAsmAsmString(code, &size_B);
	return size_B == strlen(text) && !memcmp(found, text, size_B);
}

static void flush_texts(struct lowering *lowering, size_t row)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, texts[row].function);
	LLVMBasicBlockRef block = function ? LLVMGetFirstBasicBlock(function) : NULL;
	LLVMValueRef i = block ? LLVMGetFirstInstruction(block) : NULL;
	while (i && !is_text(i, texts[row].text))
		i = LLVMGetNextInstruction(i);
	if (!i)
		return;
	char *text = (char *)(uintptr_t)texts[row].flushing, *constraints = (char *)(uintptr_t)texts[row].constraints;
	LLVMValueRef code = LLVMGetInlineAsm(LLVMGetCalledFunctionType(i), text, strlen(text), constraints,
					     strlen(constraints), false, false, LLVMInlineAsmDialectATT, false);
	LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, code);
}

enum fe_status fe_lower_flushed(struct lowering *lowering)
{
	if (!lowering->flushes)
		return FE_OK;
	for (size_t row = 0; row < sizeof(calls) / sizeof(*calls); row++)
		if (!flush_calls(lowering, calls[row].name, calls[row].flushing))
			return FE_NO_MEMORY;
	for (size_t row = 0; row < sizeof(texts) / sizeof(*texts); row++)
		flush_texts(lowering, row);
	return FE_OK;
}
