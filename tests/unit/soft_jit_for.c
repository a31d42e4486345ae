/* Whether softcuda's compiler makes machine code of PTX for another processor than this one: LLVM knows how to select
 * instructions for what it emits, and the image's maker all references of the object file.  The code is not run.
 *
 *	soft_jit_for [--all] FEATURES FILE...      of aarch64, such as +neon or +neon,+sve
 *
 * Of the kernels of the files, from short to long ones, those of at most 64 instructions are compiled that have a form
 * of an instruction that none before has; --all: all kernels.  Those of every second file are compiled for the checker.
 * Exit status: 0; 1 if one was not compiled, and why is printed; 77 if this LLVM has no code generator for aarch64. */
#include "config.h"

#include "softcuda/exec/program.h"
#include "softcuda/jit/compile.h"
#include "softcuda/jit/image.h"
#include "softcuda/jit/target.h"
#include "softcuda/ptx/ptx.h"

#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, FORMS_MAX = 1 << 16, NEWEST_PTX = 999, LONG = 64 };

static struct {
	const char *features, *kernel;
	unsigned compiled, passed_over, interpreted, failed;
	bool broken;                     /* LLVM, or the image's maker, did not do the present kernel */
	uint64_t forms[FORMS_MAX];       /* a hash table; 0: free */
} state;

/* --- the other processor ---------- */

/* An LLVM may lack them. */
__attribute__((weak)) void LLVMInitializeAArch64TargetInfo(void);
__attribute__((weak)) void LLVMInitializeAArch64Target(void);
__attribute__((weak)) void LLVMInitializeAArch64TargetMC(void);
__attribute__((weak)) void LLVMInitializeAArch64AsmPrinter(void);

static bool prepare(void)
{
	if (!LLVMInitializeAArch64TargetInfo || !LLVMInitializeAArch64Target || !LLVMInitializeAArch64TargetMC ||
	    !LLVMInitializeAArch64AsmPrinter)
		return false;
	LLVMInitializeAArch64TargetInfo();
	LLVMInitializeAArch64Target();
	LLVMInitializeAArch64TargetMC();
	LLVMInitializeAArch64AsmPrinter();
	return true;
}

/* The linker puts these in the place of the functions that they are named after. */
char *__wrap_LLVMGetDefaultTargetTriple(void);
char *__wrap_LLVMGetHostCPUName(void);
char *__wrap_LLVMGetHostCPUFeatures(void);
LLVMMemoryBufferRef __real_target_compile(LLVMModuleRef module, uint32_t level, struct bytes *why);
LLVMMemoryBufferRef __wrap_target_compile(LLVMModuleRef module, uint32_t level, struct bytes *why);
bool __real_image_make(unsigned machine, const char *object, size_t size_B, struct image_symbol *functions,
		       uint32_t count, const char *const *outside, uint32_t outside_count, struct bytes *image,
		       struct bytes *links, struct bytes *why);
bool __wrap_image_make(unsigned machine, const char *object, size_t size_B, struct image_symbol *functions,
		       uint32_t count, const char *const *outside, uint32_t outside_count, struct bytes *image,
		       struct bytes *links, struct bytes *why);

char *__wrap_LLVMGetDefaultTargetTriple(void)
{
	return LLVMCreateMessage("aarch64-linux-gnu");
}

char *__wrap_LLVMGetHostCPUName(void)
{
	return LLVMCreateMessage("generic");
}

char *__wrap_LLVMGetHostCPUFeatures(void)
{
	return LLVMCreateMessage(state.features);
}

LLVMMemoryBufferRef __wrap_target_compile(LLVMModuleRef module, uint32_t level, struct bytes *why)
{
	const LLVMMemoryBufferRef object = __real_target_compile(module, level, why);
	state.broken |= !object;
	return object;
}

bool __wrap_image_make(unsigned machine, const char *object, size_t size_B, struct image_symbol *functions,
		       uint32_t count, const char *const *outside, uint32_t outside_count, struct bytes *image,
		       struct bytes *links, struct bytes *why)
{
	(void)machine;
	const bool right = __real_image_make(EM_AARCH64, object, size_B, functions, count, outside, outside_count,
					     image, links, why);
	state.broken |= !right;
	return right;
}

/* LLVM ends the process afterwards. */
static void llvm_fails(const char *reason)
{
	printf("FAIL: kernel '%s' with %s: %s\n", state.kernel, state.features, reason);
	fflush(stdout);
}

/* --- forms of instructions ---------- */

/* What decides which code an op becomes, but for the values of its operands. */
static uint64_t form_of(const struct op *op)
{
	const uint64_t parts[] = {
		(uint64_t)(uintptr_t)op->run, op->writes, op->reads, op->vector, op->space, op->mode,
		op->address_32, op->compares, op->narrow
	};
	uint64_t form = 1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		form = (form ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15) + (form >> 29);
	return form | 1;
}

/* Whether one of the kernel's instructions has a form that none had before. */
static bool has_new_form(const struct code *code)
{
	bool found = false;
	for (uint32_t i = 0; i < code->op_count; i++) {
		const uint64_t form = form_of(&code->ops[i]);
		size_t at = (size_t)(form >> 40) % FORMS_MAX;
		for (size_t tries = 0; tries < FORMS_MAX && state.forms[at] && state.forms[at] != form; tries++)
			at = (at + 1) % FORMS_MAX;
		found |= state.forms[at] != form;
		state.forms[at] = form;
	}
	return found;
}

/* --- kernels ---------- */

static void compile(const struct soft_program *program, const struct code *code)
{
	/* Both kinds of work-groups, in turn. */
	const uint32_t rows = state.compiled % 2 ? LANES : COMPILE_WHOLE_LINE;
	struct bytes message = BYTES_INIT, answer = BYTES_INIT, why = BYTES_INIT;
	struct compile_order order;
	const char *image = NULL;
	size_t image_B = 0;
	bool sound = false;
	state.kernel = code->name;
	state.broken = false;
	compile_order_put(program, code, rows, program->has_gaps, &message);
	struct compiled *compiled = NULL;
	if (compile_order_get(&message, &order, &why)) {
		jit_compile(&order, &answer);
		compiled = compile_answer_get(&answer, &image, &image_B, &sound, &why);
	}
	compile_order_finish(&order);
	state.compiled += compiled != NULL;
	state.interpreted += !compiled && sound && !state.broken;
	if (!compiled && (state.broken || !sound)) {
		printf("FAIL: kernel '%s' with %s: %s\n", code->name, state.features, bytes_string(&why));
		state.failed++;
	}
	compile_answer_free(compiled);
	bytes_finish(&message);
	bytes_finish(&answer);
	bytes_finish(&why);
}

/* gaps: as for the checker, which the code then tells of accesses. */
static struct soft_program *program_of(const char *path, bool gaps)
{
	struct bytes text = BYTES_INIT, log = BYTES_INIT;
	struct soft_program *program = NULL;
	if (bytes_read_file(&text, path) ||
	    ptx_parse(text.data, text.size_B, gaps, !gaps, NEWEST_PTX, &log, &program) != CUDA_SUCCESS) {
		printf("FAIL: %s: %s\n", path, bytes_string(&log));
		state.failed++;
	}
	bytes_finish(&text);
	bytes_finish(&log);
	return program;
}

struct kernel {
	const struct soft_program *program;
	const struct code *code;
};

/* Short kernels first: they are compiled in less time, and have most of the forms. */
static int by_length(const void *a, const void *b)
{
	const uint32_t x = ((const struct kernel *)a)->code->op_count, y = ((const struct kernel *)b)->code->op_count;
	return (x > y) - (x < y);
}

/* Appends the kernels of a program; false without memory. */
static bool append(struct bytes *kernels, const struct soft_program *program)
{
	for (uint32_t i = 0; program && i < program->function_count; i++) {
		const struct kernel kernel = {program, &program->codes[program->entry_code[i]]};
		bytes_append(kernels, &kernel, sizeof(kernel));
	}
	return !bytes_failed(kernels);
}

static bool compile_files(char **paths, unsigned count, bool all)
{
	struct soft_program **programs = calloc(count, sizeof(struct soft_program *));
	struct bytes list = BYTES_INIT;
	bool right = programs;
	for (unsigned i = 0; right && i < count; i++) {
		programs[i] = program_of(paths[i], i % 2);
		right = append(&list, programs[i]);
	}
	struct kernel *kernels = (struct kernel *)(void *)list.data;
	const size_t kernel_count = right ? list.size_B / sizeof(*kernels) : 0;
	if (kernel_count)
		qsort(kernels, kernel_count, sizeof(*kernels), by_length);
	for (size_t i = 0; i < kernel_count; i++) {
		if (all || (kernels[i].code->op_count <= LONG && has_new_form(kernels[i].code)))
			compile(kernels[i].program, kernels[i].code);
		else
			state.passed_over++;
	}
	bytes_finish(&list);
	for (unsigned i = 0; programs && i < count; i++)
		if (programs[i])
			soft_program_destroy(programs[i]);
	free(programs);
	return right;
}

int main(int count, char **words)
{
	const bool all = count > 1 && !strcmp(words[1], "--all");
	const int first = all ? 2 : 1;
	if (count < first + 2) {
		fputs("usage: soft_jit_for [--all] FEATURES FILE...\n", stderr);
		return 1;
	}
	if (!prepare()) {
		printf("skipped: this LLVM has no code generator for aarch64\n");
		return SKIPPED;
	}
	state.features = words[first];
	setenv("CULVERT_SOFT_LEVEL", "best", 1);
	LLVMInstallFatalErrorHandler(llvm_fails);
	const bool right = compile_files(words + first + 1, (unsigned)(count - first - 1), all);
	printf("aarch64 with %s: %u kernels became machine code, %u are long or have only forms of instructions that "
	       "these have, %u are interpreted, %u failed\n", state.features, state.compiled, state.passed_over,
	       state.interpreted, state.failed);
	return !right || state.failed || !state.compiled;
}
