/* Which programs the front end compiles to other NVVM IR for one GPU than for another:
 *
 *	differs_for SM SM FILE.ll...
 *
 * The files are LLVM IR as CULVERT_DUMP has it: linked with the built-in library, and not lowered.  Prints the names of
 * those that differ, or are refused for one only, or with another message.  Exit status: 0; 1 if one cannot be read. */
#include "config.h"

#include "backend/codegen.h"
#include "frontend/module.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_module(const char *path, struct fe_module *module, struct bytes *log)
{
	struct bytes text = BYTES_INIT;
	char *message = NULL;
	if (bytes_read_file(&text, path)) {
		bytes_append_string(log, "cannot be read");
		return false;
	}
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes_string(&text), strlen(bytes_string(&text)), path);
	const bool failed = LLVMParseIRInContext(module->context, buffer, &module->module, &message);
	if (failed)
		bytes_append_string(log, message);
	LLVMDisposeMessage(message);
	bytes_finish(&text);
	return !failed;
}

/* The NVVM IR, or why there is none.  False if the file cannot be read. */
static bool print(const char *path, unsigned sm, struct bytes *text_out)
{
	const struct codegen_choice codegen = {
		.uniform_groups = true, .precise_divide = true, .precise_sqrt = true, .optimization = 3,
	};
	const struct fe_compile_job job = {.sm = sm, .max_local_B = 227 * 1024};
	struct fe_module module = {.context = LLVMContextCreate()};
	struct abi_program *abi = NULL;
	struct bytes log = BYTES_INIT;
	const bool is_read = read_module(path, &module, &log);
	if (!is_read)
		fprintf(stderr, "%s: %s\n", path, bytes_string(&log));
	else if (fe_module_facts(&module, &codegen, &abi, &log) ||
		 fe_module_lower(&module, abi, &job, &codegen, &log) ||
		 fe_module_print(&module, abi, &job, text_out, &log))
		bytes_append_string(text_out, bytes_string(&log));
	abi_program_destroy(abi);
	bytes_finish(&log);
	if (module.module)
		LLVMDisposeModule(module.module);
	LLVMContextDispose(module.context);
	return is_read;
}

int main(int count, char **words)
{
	int status = 0;
	if (count < 3) {
		fputs("usage: differs_for SM SM FILE.ll...\n", stderr);
		return 1;
	}
	for (int i = 3; i < count; i++) {
		struct bytes texts[2] = {BYTES_INIT, BYTES_INIT};
		for (int k = 0; k < 2; k++)
			status |= !print(words[i], (unsigned)strtoul(words[1 + k], NULL, 10), &texts[k]);
		if (strcmp(bytes_string(&texts[0]), bytes_string(&texts[1])))
			puts(words[i]);
		bytes_finish(&texts[0]);
		bytes_finish(&texts[1]);
	}
	return status;
}
