#include "config.h"

#include "tests/printer/coverage.h"

#include "frontend/lower.h"
#include "frontend/nvvm_ir.h"

#include <llvm-c/Core.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 2048, NAME_B = 64, OPCODES = 128 };

struct names {
	char all[NAMES_MAX][NAME_B];
	size_t count;
};

struct coverage {
	bool opcodes[OPCODES];          /* in rows of any kind, for the refused ones count as well */
	struct names source, printed;   /* of intrinsics */
};

/* All that LLVM has; a new one is a row that is missing. */
static const struct {
	LLVMOpcode opcode;
	const char *name;
} opcodes[] = {
	{LLVMRet, "ret"}, {LLVMBr, "br"}, {LLVMSwitch, "switch"}, {LLVMIndirectBr, "indirectbr"},
	{LLVMInvoke, "invoke"}, {LLVMUnreachable, "unreachable"}, {LLVMCallBr, "callbr"},
	{LLVMFNeg, "fneg"}, {LLVMAdd, "add"}, {LLVMFAdd, "fadd"}, {LLVMSub, "sub"},
	{LLVMFSub, "fsub"}, {LLVMMul, "mul"}, {LLVMFMul, "fmul"}, {LLVMUDiv, "udiv"},
	{LLVMSDiv, "sdiv"}, {LLVMFDiv, "fdiv"}, {LLVMURem, "urem"}, {LLVMSRem, "srem"},
	{LLVMFRem, "frem"}, {LLVMShl, "shl"}, {LLVMLShr, "lshr"}, {LLVMAShr, "ashr"},
	{LLVMAnd, "and"}, {LLVMOr, "or"}, {LLVMXor, "xor"}, {LLVMAlloca, "alloca"},
	{LLVMLoad, "load"}, {LLVMStore, "store"}, {LLVMGetElementPtr, "getelementptr"},
	{LLVMTrunc, "trunc"}, {LLVMZExt, "zext"}, {LLVMSExt, "sext"}, {LLVMFPToUI, "fptoui"},
	{LLVMFPToSI, "fptosi"}, {LLVMUIToFP, "uitofp"}, {LLVMSIToFP, "sitofp"},
	{LLVMFPTrunc, "fptrunc"}, {LLVMFPExt, "fpext"}, {LLVMPtrToInt, "ptrtoint"},
	{LLVMIntToPtr, "inttoptr"}, {LLVMBitCast, "bitcast"},
	{LLVMAddrSpaceCast, "addrspacecast"}, {LLVMICmp, "icmp"}, {LLVMFCmp, "fcmp"},
	{LLVMPHI, "phi"}, {LLVMCall, "call"}, {LLVMSelect, "select"}, {LLVMVAArg, "va_arg"},
	{LLVMExtractElement, "extractelement"}, {LLVMInsertElement, "insertelement"},
	{LLVMShuffleVector, "shufflevector"}, {LLVMExtractValue, "extractvalue"},
	{LLVMInsertValue, "insertvalue"}, {LLVMFreeze, "freeze"}, {LLVMFence, "fence"},
	{LLVMAtomicCmpXchg, "cmpxchg"}, {LLVMAtomicRMW, "atomicrmw"}, {LLVMResume, "resume"},
	{LLVMLandingPad, "landingpad"}, {LLVMCleanupRet, "cleanupret"},
	{LLVMCatchRet, "catchret"}, {LLVMCatchPad, "catchpad"}, {LLVMCleanupPad, "cleanuppad"},
	{LLVMCatchSwitch, "catchswitch"},
};

struct coverage *coverage_make(void)
{
	return calloc(1, sizeof(struct coverage));
}

void coverage_destroy(struct coverage *coverage)
{
	free(coverage);
}

static bool has_base(const struct names *names, const char *base)
{
	for (size_t i = 0; i < names->count; i++) {
		if (fe_intrinsic_is(names->all[i], base))
			return true;
	}
	return false;
}

static void note_intrinsics(struct names *names, LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function)) {
		size_t size_B;
		const char *name = LLVMGetValueName2(function, &size_B);
		if (strncmp(name, "llvm.", 5) || !LLVMGetFirstUse(function) ||
		    names->count == NAMES_MAX || has_base(names, name))
			continue;
		snprintf(names->all[names->count++], NAME_B, "%s", name);
	}
}

static void note_opcodes(struct coverage *coverage, LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef i = LLVMGetFirstInstruction(block);
			for (; i; i = LLVMGetNextInstruction(i))
				coverage->opcodes[LLVMGetInstructionOpcode(i) % OPCODES] = true;
		}
	}
}

void coverage_note_source(struct coverage *coverage, const struct fe_module *module)
{
	if (!coverage)
		return;
	note_opcodes(coverage, module->module);
	note_intrinsics(&coverage->source, module->module);
}

void coverage_note_printed(struct coverage *coverage, const struct fe_module *module)
{
	if (coverage)
		note_intrinsics(&coverage->printed, module->module);
}

static unsigned report_missing(const struct names *names, const char *base)
{
	/* Since LLVM 19 records stand for these, and no text makes one. */
	if (!strncmp(base, "llvm.dbg.", 9))
		return 0;
	if (has_base(names, base))
		return 0;
	printf("no row has %s\n", base);
	return 1;
}

/* What LLVM has beyond the table shows by a number that the table lacks. */
static unsigned report_unknown_opcodes(const struct coverage *coverage)
{
	unsigned missing = 0;
	for (unsigned number = 0; number < OPCODES; number++) {
		bool known = !coverage->opcodes[number];
		for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
			known = known || (unsigned)opcodes[i].opcode == number;
		missing += !known;
	}
	return missing;
}

unsigned coverage_report(const struct coverage *coverage)
{
	unsigned missing = report_unknown_opcodes(coverage);
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++) {
		if (coverage->opcodes[opcodes[i].opcode])
			continue;
		printf("no row has %s\n", opcodes[i].name);
		missing++;
	}
	const char *name;
	for (size_t i = 0; (name = fe_ir_native_intrinsic(i)) != NULL; i++)
		missing += report_missing(&coverage->printed, name);
	for (size_t i = 0; (name = fe_lower_intrinsic_name(i)) != NULL; i++)
		missing += report_missing(&coverage->source, name);
	for (size_t i = 0; (name = fe_lower_math_name(i)) != NULL; i++)
		missing += report_missing(&coverage->source, name);
	return missing;
}
