#include "config.h"

#include "softcuda/jit/target.h"

#include "softcuda/jit/option.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A module of more basic blocks than these is large, or among the largest (choose_options). */
enum { LARGE_BLOCKS = 250, LARGEST_BLOCKS = 600 };

/* The host as LLVM describes it.  prepare fills it once; it is constant afterwards.  lanes is 0, and why has the
 * reason, if LLVM cannot be used. */
static struct {
	pthread_once_t once;
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
	return true;
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

/* A level of x86-64, as LLVM calls it. */
struct level {
	const char *processor;
	uint32_t lanes;
};

/* NULL: all that the processor has. */
static const struct level *find_level(uint32_t number)
{
	static const struct level levels[] = {{"x86-64", 4}, {"x86-64-v2", 4}, {"x86-64-v3", 8}, {"x86-64-v4", 16}};
	return number && number <= sizeof(levels) / sizeof(levels[0]) ? &levels[number - 1] : NULL;
}

uint32_t target_lanes(uint32_t level, struct bytes *why)
{
	pthread_once(&host.once, prepare);
	if (!host.lanes)
		bytes_append_string(why, host.why);
	const struct level *found = find_level(level);
	return host.lanes && found ? found->lanes : host.lanes;
}

/* --- machine code ---------- */

/* From LLVM 18 on instcombine can verify that it has reached a fixed point, and ends the process if it has not.  That
 * check helps LLVM's developers; it is off here. */
#if LLVM_VERSION_MAJOR >= 18
#define COMBINE "instcombine<no-verify-fixpoint>"
#else
#define COMBINE "instcombine"
#endif
/* The passes that improve kernels: promotion of stack slots to values, elimination of common subexpressions and of dead
 * code, and motion of invariant code out of loops, but back into them where only slow paths use it.  Others took time
 * and gained nothing (docs/decisions.md).  There is no vectorizer, since the IR has vectors already. */
static const char passes[] = "function(mem2reg,early-cse," COMBINE ",simplifycfg,loop-mssa(loop-rotate,licm),"
			     "loop-sink)";

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

static unsigned count_blocks(LLVMModuleRef module)
{
	unsigned count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		count += LLVMCountBasicBlocks(f);
	return count;
}

/* Chooses how much LLVM's code generator does for a module (docs/decisions.md).
 *
 * Values of a large kernel live across hundreds of blocks, and LLVM's register allocator took up to half of the time
 * for such a kernel to find where to split them.  A twentieth of its budget for that is enough for others, and a
 * hundredth for the largest.  Constants and addresses that are moved out of loops are more such values, for which
 * there are no registers.  LLVM has no other interface for these than options. */
static void choose_options(LLVMModuleRef module)
{
	const unsigned blocks = count_blocks(module);
	const bool large = blocks > LARGE_BLOCKS, largest = blocks > LARGEST_BLOCKS;
	option_set("disable-machine-licm", large ? "true" : "false");
	option_set("enable-misched", largest ? "false" : "true");
	option_set("grow-region-complexity-budget", largest ? "100" : "500");
}

LLVMMemoryBufferRef target_compile(LLVMModuleRef module, uint32_t level, struct bytes *why)
{
	const struct level *found = find_level(level);
	LLVMMemoryBufferRef object = NULL;
	char *text = NULL;
	LLVMTargetMachineRef machine =
		LLVMCreateTargetMachine(host.target, host.triple, found ? found->processor : host.processor,
					found ? "" : host.features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
					LLVMCodeModelSmall);
	if (!machine) {
		bytes_append_string(why, "no machine for this target");
		return NULL;
	}
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
	LLVMSetModuleDataLayout(module, layout);
	LLVMSetTarget(module, host.triple);
	const bool right = optimize(module, machine, why);
	if (right)
		choose_options(module);
	if (right && LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &text, &object)) {
		bytes_append_string(why, text ? text : "no code was made");
		LLVMDisposeMessage(text);
		object = NULL;
	}
	LLVMDisposeTargetData(layout);
	LLVMDisposeTargetMachine(machine);
	return object;
}
