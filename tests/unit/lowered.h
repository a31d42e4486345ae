/* Small modules in LLVM's own text: facts, lowering and printing.  One thread. */
#ifndef CULVERT_TESTS_LOWERED_H
#define CULVERT_TESTS_LOWERED_H

#include "frontend/module.h"
#include "tests/unit/test.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <stdio.h>
#include <string.h>

static const char head[] =
	"target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
	"target triple = \"nvptx64-nvidia-cuda\"\n";

struct outcome {
	struct fe_module module;
	struct abi_program *abi;
	struct bytes text, log;
	enum fe_status status;
};

static inline bool parse(struct outcome *outcome, const char *ir)
{
	struct bytes source = BYTES_INIT;
	char *message = NULL;
	bytes_append_string(&source, head);
	bytes_append_string(&source, ir);
	outcome->module.context = LLVMContextCreate();
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(source.data, source.size_B, "test");
	bool failed = LLVMParseIRInContext(outcome->module.context, buffer,
					   &outcome->module.module, &message);
	if (failed)
		printf("%s\n", message);
	LLVMDisposeMessage(message);
	bytes_finish(&source);
	return !failed;
}

static inline struct outcome lower_job(const char *ir, struct fe_compile_job target, bool uniform_groups)
{
	struct outcome outcome = { .status = FE_INTERNAL };
	struct codegen_choice codegen = { .uniform_groups = uniform_groups, .optimization = 3 };
	char *message = NULL;
	if (!parse(&outcome, ir))
		return outcome;
	outcome.status = fe_module_facts(&outcome.module, &codegen, &outcome.abi, &outcome.log);
	if (!outcome.status)
		outcome.status = fe_module_lower(&outcome.module, outcome.abi, &target,
						 &codegen, &outcome.log);
	if (!outcome.status) {
		CHECK(!LLVMVerifyModule(outcome.module.module, LLVMReturnStatusAction, &message));
		LLVMDisposeMessage(message);
		outcome.status = fe_module_print(&outcome.module, outcome.abi, &target,
						 &outcome.text, &outcome.log);
	}
	return outcome;
}

static inline struct outcome lower_for(const char *ir, unsigned sm, uint64_t max_local_B,
				bool uniform_groups)
{
	struct fe_compile_job target = { .sm = sm, .max_local_B = max_local_B };
	return lower_job(ir, target, uniform_groups);
}

static inline struct outcome lower(const char *ir, unsigned sm, uint64_t max_local_B)
{
	return lower_for(ir, sm, max_local_B, true);
}

static inline void outcome_finish(struct outcome *outcome)
{
	abi_program_destroy(outcome->abi);
	bytes_finish(&outcome->text);
	bytes_finish(&outcome->log);
	if (outcome->module.module)
		LLVMDisposeModule(outcome->module.module);
	LLVMContextDispose(outcome->module.context);
}

static inline bool has(const struct bytes *bytes, const char *part)
{
	return strstr(bytes_string(bytes), part) != NULL;
}

static inline unsigned count(const struct bytes *bytes, const char *part)
{
	unsigned found = 0;
	for (const char *at = bytes_string(bytes); (at = strstr(at, part)); at++)
		found++;
	return found;
}

#endif
