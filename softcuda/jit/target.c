#include "config.h"

#include "softcuda/jit/target.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The host as LLVM describes it.  prepare fills it once; it is constant afterwards.  lanes is 0, and why has the
 * reason, if LLVM cannot be used. */
static struct {
	pthread_once_t once;
	LLVMOrcLLJITRef jit;
	LLVMTargetRef target;
	char *triple, *processor, *features;
	uint32_t lanes;
	char why[200];
} host = {.once = PTHREAD_ONCE_INIT};

/* --- the host ---------- */

/* Whether there is an error of LLVM's; appends its text to why and frees it. */
static bool failed(LLVMErrorRef error, const char *what, struct bytes *why)
{
	if (!error)
		return false;
	char *text = LLVMGetErrorMessage(error);
	bytes_printf(why, "%s: %s", what, text);
	LLVMDisposeErrorMessage(text);
	return true;
}

/* The number of lanes of 32 bits in the host's vectors. */
static uint32_t count_lanes(void)
{
#if defined(__x86_64__)
	const char *features = host.features;
	return strstr(features, "+avx512vl") && strstr(features, "+avx512bw") && strstr(features, "+avx512dq") ? 16 :
	       strstr(features, "+avx2") ? 8 : 4;
#else
	return 4;
#endif
}

/* The functions of the C library that LLVM calls where the processor has no instruction for an operation. */
#define SYMBOL(name) {#name, (uint64_t)(uintptr_t)(void *)name}
struct symbol {
	const char *name;
	uint64_t address;
};

static LLVMErrorRef define_symbols(void)
{
	const struct symbol symbols[] = {
		SYMBOL(fma), SYMBOL(fmaf), SYMBOL(floor), SYMBOL(floorf), SYMBOL(ceil), SYMBOL(ceilf), SYMBOL(trunc),
		SYMBOL(truncf), SYMBOL(roundeven), SYMBOL(roundevenf), SYMBOL(sqrt), SYMBOL(sqrtf), SYMBOL(memcpy),
		SYMBOL(memset)
	};
	enum { COUNT = sizeof(symbols) / sizeof(symbols[0]) };
	LLVMOrcCSymbolMapPair pairs[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		pairs[i].Name = LLVMOrcLLJITMangleAndIntern(host.jit, symbols[i].name);
		pairs[i].Sym.Address = symbols[i].address;
		pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
		pairs[i].Sym.Flags.TargetFlags = 0;
	}
	LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, COUNT);
	LLVMErrorRef error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(host.jit), unit);
	if (error)
		LLVMOrcDisposeMaterializationUnit(unit);
	return error;
}

static bool open_host(struct bytes *why)
{
	char *text = NULL;
	if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
		bytes_append_string(why, "LLVM does not know this processor");
		return false;
	}
	host.triple = LLVMGetDefaultTargetTriple();
	host.processor = LLVMGetHostCPUName();
	host.features = LLVMGetHostCPUFeatures();
	if (LLVMGetTargetFromTriple(host.triple, &host.target, &text)) {
		bytes_append_string(why, text);
		LLVMDisposeMessage(text);
		return false;
	}
	return !failed(LLVMOrcCreateLLJIT(&host.jit, NULL), "LLJIT", why) &&
	       !failed(define_symbols(), "symbols", why);
}

static void prepare(void)
{
	struct bytes why = BYTES_INIT;
	if (open_host(&why))
		host.lanes = count_lanes();
	else
		snprintf(host.why, sizeof(host.why), "%s", bytes_string(&why));
	bytes_finish(&why);
}

uint32_t target_lanes(struct bytes *why)
{
	pthread_once(&host.once, prepare);
	if (!host.lanes)
		bytes_append_string(why, host.why);
	return host.lanes;
}

/* --- machine code ---------- */

/* From LLVM 18 on instcombine can verify that it has reached a fixed point, and ends the process if it has not.  That
 * check helps LLVM's developers; it is off here. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>"
#else
#define COMBINE "instcombine"
#endif
/* The passes that improve kernels: promotion of stack slots to values, elimination of common subexpressions and of
 * dead code, and motion of invariant code out of loops.  There is no vectorizer, since the IR has vectors already. */
static const char passes[] = "function(sroa,early-cse<memssa>,simplifycfg," COMBINE ",loop-mssa(loop-rotate,licm),"
			     "gvn," COMBINE ",simplifycfg,dse,adce)";

/* Verifies a module and runs the passes on it; false, with the reason in why, if that fails. */
static bool optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, struct bytes *why)
{
	char *text = NULL;
	const bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &text);
	if (broken)
		bytes_printf(why, "LLVM refuses its code: %.300s", text);
	LLVMDisposeMessage(text);
	if (broken)
		return false;
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
	LLVMDisposePassBuilderOptions(options);
	return !failed(error, "passes", why);
}

LLVMMemoryBufferRef target_compile(LLVMModuleRef module, struct bytes *why)
{
	LLVMMemoryBufferRef object = NULL;
	char *text = NULL;
	LLVMTargetMachineRef machine =
		LLVMCreateTargetMachine(host.target, host.triple, host.processor, host.features,
					LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelJITDefault);
	if (!machine) {
		bytes_append_string(why, "no machine for this target");
		return NULL;
	}
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
	LLVMSetModuleDataLayout(module, layout);
	LLVMSetTarget(module, host.triple);
	if (optimize(module, machine, why) &&
	    LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &text, &object)) {
		bytes_append_string(why, text ? text : "no code was made");
		LLVMDisposeMessage(text);
		object = NULL;
	}
	LLVMDisposeTargetData(layout);
	LLVMDisposeTargetMachine(machine);
	return object;
}

/* --- code in memory ---------- */

LLVMOrcResourceTrackerRef target_add(LLVMMemoryBufferRef object, const char *const *names, uint64_t *addresses,
				     uint32_t count, struct bytes *why)
{
	LLVMOrcResourceTrackerRef code =
		LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(host.jit));
	bool right = !failed(LLVMOrcLLJITAddObjectFileWithRT(host.jit, code, object), "object", why);
	for (uint32_t i = 0; right && i < count; i++)
		right = !failed(LLVMOrcLLJITLookup(host.jit, &addresses[i], names[i]), "symbol", why);
	if (right)
		return code;
	target_remove(code);
	return NULL;
}

void target_remove(LLVMOrcResourceTrackerRef code)
{
	struct bytes why = BYTES_INIT;
	failed(LLVMOrcResourceTrackerRemove(code), "code", &why);
	bytes_finish(&why);
	LLVMOrcReleaseResourceTracker(code);
	LLVMOrcSymbolStringPoolClearDeadEntries(
		LLVMOrcExecutionSessionGetSymbolStringPool(LLVMOrcLLJITGetExecutionSession(host.jit)));
}
