#include "config.h"

#include "tools/machine_code.h"

#include "tools/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 12 };

/* Content as a file in folder; the path, owned by the caller, or NULL with errno set. */
static char *put_file(const char *folder, const char *name, const struct bytes *content)
{
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/%s", folder, name);
	int error = bytes_failed(&path) ? ENOMEM : 0;
	if (!error && content)
		error = bytes_write_file(content->data, content->size_B, path.data);
	if (!error)
		return path.data;
	bytes_finish(&path);
	errno = error;
	return NULL;
}

struct assembler {
	char *program, *ptx, *cubin;     /* owned */
	char arch[32], level[32], registers[48];
};

static int assemble(struct assembler *assembler, const struct be_codegen_options *options,
		    const struct bytes *ptx, struct bytes *said)
{
	char *argv[ARGUMENTS_MAX] = {assembler->program, "-v", assembler->arch, assembler->level};
	int count = 4;
	snprintf(assembler->arch, sizeof(assembler->arch), "-arch=sm_%u%s", options->sm,
		 be_ptx_target_only(ptx) ? "a" : "");
	snprintf(assembler->level, sizeof(assembler->level), "-O%u", options->choice.optimization);
	snprintf(assembler->registers, sizeof(assembler->registers), "-maxrregcount=%u",
		 options->choice.max_registers);
	if (options->choice.max_registers)
		argv[count++] = assembler->registers;
	if (options->choice.line_info)
		argv[count++] = be_ptx_is_debug(ptx) ? "-g" : "-lineinfo";
	argv[count++] = "-o";
	argv[count++] = assembler->cubin;
	argv[count++] = assembler->ptx;
	argv[count] = NULL;
	return process_run(argv, said);
}

static bool make_with_ptxas(const char *program, const struct bytes *ptx,
			    const struct be_codegen_options *options, struct bytes *cubin_out,
			    struct bytes *said, struct bytes *why)
{
	char *folder = process_folder();
	struct assembler assembler = {.program = strdup(program)};
	bool made = false;
	if (folder) {
		assembler.ptx = put_file(folder, "kernels.ptx", ptx);
		assembler.cubin = put_file(folder, "kernels.cubin", NULL);
	}
	if (!assembler.program || !assembler.ptx || !assembler.cubin)
		bytes_printf(why, "cannot write a file for %s: %s", program, strerror(errno));
	else if (assemble(&assembler, options, ptx, said))
		bytes_printf(why, "%s rejected the PTX:\n%s", program, bytes_string(said));
	else
		made = !bytes_read_file(cubin_out, assembler.cubin);
	if (!made && !why->size_B)
		bytes_printf(why, "%s produced no output", program);
	free(assembler.program);
	free(assembler.ptx);
	free(assembler.cubin);
	process_forget_folder(folder);
	return made;
}

bool machine_code_make(const struct bytes *ptx, const struct be_codegen_options *options,
		       struct bytes *cubin_out, struct bytes *statistics, struct bytes *why,
		       bool *missing_out)
{
	struct bytes program = BYTES_INIT;
	struct be_codegen_options verbose = *options;
	*missing_out = false;
	verbose.choice.verbose = true;
	if (be_cubin_compile(ptx, &verbose, cubin_out, statistics))
		return true;
	bool made = false;
	if (process_find_cuda("ptxas", &program))
		made = make_with_ptxas(program.data, ptx, options, cubin_out, statistics, why);
	else
		*missing_out = true;
	if (*missing_out)
		bytes_append_string(why, "no PTX compiler found: neither libculvert-ptxcompiler.so nor "
				    "ptxas from NVIDIA's toolkit (searched in CUDA_HOME and PATH)");
	bytes_finish(&program);
	return made;
}

bool machine_code_text(const struct bytes *cubin, struct bytes *text_out, struct bytes *why,
		       bool *missing_out)
{
	struct bytes program = BYTES_INIT;
	char *option = NULL;
	*missing_out = false;
	if (!process_find_cuda("nvdisasm", &program)) {
		option = "-sass";
		*missing_out = !process_find_cuda("cuobjdump", &program);
	}
	if (*missing_out) {
		bytes_append_string(why, "no disassembler found: neither nvdisasm nor cuobjdump from "
				    "NVIDIA's toolkit (searched in CUDA_HOME and PATH)");
		return false;
	}
	char *folder = process_folder();
	char *file = folder ? put_file(folder, "kernels.cubin", cubin) : NULL;
	char *argv[] = {program.data, option ? option : file, option ? file : NULL, NULL};
	int status = file ? process_run(argv, text_out) : -1;
	if (status)
		bytes_printf(why, "%s failed (%d): %s", program.data, status,
			     status < 0 ? strerror(errno) : bytes_string(text_out));
	free(file);
	process_forget_folder(folder);
	bytes_finish(&program);
	return !status;
}
