#include "config.h"

#include "tests/printer/target.h"

#include "backend/codegen.h"
#include "frontend/module.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char head[] =
	"target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
	"target triple = \"nvptx64-nvidia-cuda\"\n";

static bool parse(const char *text, size_t size_B, struct fe_module *module, struct bytes *log)
{
	struct bytes source = BYTES_INIT;
	char *message = NULL;
	bytes_append_string(&source, head);
	bytes_append(&source, text, size_B);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
		bytes_string(&source), source.size_B, "items");
	bool good = !LLVMParseIRInContext(module->context, buffer, &module->module, &message);
	if (!good)
		bytes_append_string(log, message);
	LLVMDisposeMessage(message);
	bytes_finish(&source);
	return good;
}

static bool is_valid(const struct fe_module *module, struct bytes *log)
{
	char *message = NULL;
	bool valid = !LLVMVerifyModule(module->module, LLVMReturnStatusAction, &message);
	if (!valid)
		bytes_append_string(log, message);
	LLVMDisposeMessage(message);
	return valid;
}

static bool print(const struct target *target, struct fe_module *module,
		  struct coverage *coverage, struct bytes *text, struct bytes *log)
{
	const struct codegen_choice codegen = {
		.uniform_groups = true, .precise_divide = true, .precise_sqrt = true,
		.optimization = target->optimization,
	};
	const struct fe_compile_job job = {.sm = target->sm, .max_local_B = 48 * 1024,
					   .nvvm_lacks = target->lacks};
	struct abi_program *abi = NULL;
	coverage_note_source(coverage, module);
	bool good = !fe_module_facts(module, &codegen, &abi, log) &&
		    !fe_module_lower(module, abi, &job, &codegen, log) && is_valid(module, log);
	if (good) {
		coverage_note_printed(coverage, module);
		good = !fe_module_print(module, abi, &job, text, log);
	}
	abi_program_destroy(abi);
	return good;
}

static void finish(struct fe_module *module)
{
	if (module->module)
		LLVMDisposeModule(module->module);
	LLVMContextDispose(module->context);
}

bool target_translate(const struct target *target, const struct bytes *text, struct bytes *ptx_out,
		      struct bytes *log)
{
	const struct be_codegen_options options = {
		.sm = target->sm,
		.choice = {.optimization = target->optimization, .precise_divide = true,
			   .precise_sqrt = true},
	};
	size_t libdevice_B = 0;
	const void *libdevice =
		strstr(bytes_string(text), "@__nv_") ? fe_libdevice(&libdevice_B) : NULL;
	return !be_nvvm_compile(text->data, text->size_B, libdevice, libdevice_B, &options,
				ptx_out, log);
}

bool target_print(const struct target *target, const struct item *items, size_t count,
		  struct coverage *coverage, struct bytes *text_out, struct bytes *log)
{
	struct bytes source = BYTES_INIT;
	struct fe_module module = {.context = LLVMContextCreate()};
	for (size_t i = 0; i < count; i++)
		bytes_append(&source, items[i].text.data, items[i].text.size_B);
	bytes_append_string(&source, items_metadata);
	bool good = parse(bytes_string(&source), source.size_B, &module, log) &&
		    print(target, &module, coverage, text_out, log);
	finish(&module);
	bytes_finish(&source);
	return good;
}

bool target_refuses(const struct target *target, const struct refused_row *row,
		    struct coverage *coverage)
{
	struct bytes text = BYTES_INIT, log = BYTES_INIT;
	struct fe_module module = {.context = LLVMContextCreate()};
	bool parsed = parse(row->text, strlen(row->text), &module, &log);
	if (parsed)
		coverage_note_source(coverage, &module);
	bool refused = parsed &&
		       !print(target, &module, NULL, &text, &log) &&
		       strstr(bytes_string(&log), row->says);
	finish(&module);
	bytes_finish(&text);
	bytes_finish(&log);
	return refused;
}

bool target_can_assemble(void)
{
	const char *ptxas = getenv("PTXAS");
	return ptxas && *ptxas;
}

/* Whether it is accepted does not depend on how well it is optimised. */
bool target_assemble(const struct target *target, const struct bytes *ptx, struct bytes *log)
{
	char path[] = "/tmp/culvert-printer-XXXXXX", command[4096];
	size_t size_B = strlen(bytes_string(ptx));
	int file = mkstemp(path);
	if (file < 0)
		return false;
	bool good = write(file, bytes_string(ptx), size_B) == (ssize_t)size_B;
	close(file);
	snprintf(command, sizeof(command), "%s -O0 -arch=sm_%u -o %s.cubin %s && rm %s.cubin",
		 getenv("PTXAS"), target->sm, path, path, path);
	good = good && !system(command);
	unlink(path);
	if (!good)
		bytes_append_string(log, "the assembler refuses it");
	return good;
}
