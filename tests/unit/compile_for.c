/* Compiles OpenCL C 3.0 for other GPUs than there are: for each SM, FILE's PTX goes to FILE.SM.
 *
 *	compile_for FILE [-cl-option...] SM...
 *
 * Exit status: 0, 1 a failure (its log is printed), 77 there is no libnvvm. */
#include "config.h"

#include "backend/codegen.h"
#include "frontend/frontend.h"
#include "frontend/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_B = 64 << 10, OPTIONS_B = 1024 };

static bool write_ptx(const char *path, unsigned sm, const struct bytes *ptx)
{
	char name[4096];
	snprintf(name, sizeof(name), "%s.%u", path, sm);
	FILE *file = fopen(name, "w");
	if (!file)
		return false;
	size_t end = ptx->size_B;
	while (end && !ptx->data[end - 1])
		end--;
	bool written = fwrite(ptx->data, 1, end, file) == end;
	return !fclose(file) && written;
}

static bool compile(const char *path, const struct bytes *source, const struct fe_options *options,
		    unsigned sm, struct bytes *log)
{
	const struct fe_compile_job job = {
		.source = bytes_string(source), .source_size_B = source->size_B,
		.options = options, .sm = sm, .max_local_B = LOCAL_B,
	};
	struct fe_program program;
	struct bytes ptx = BYTES_INIT;
	if (fe_build(&job, &program, NULL, log))
		return false;
	const struct be_codegen_options codegen = {
		.sm = sm, .choice.optimization = program.codegen.optimization,
	};
	size_t libdevice_B = 0;
	const void *libdevice = program.needs_libdevice ? fe_libdevice(&libdevice_B) : NULL;
	bool good = !be_nvvm_compile(program.nvvm_ir.data, program.nvvm_ir.size_B, libdevice,
				     libdevice_B, &codegen, &ptx, log) &&
		    write_ptx(path, sm, &ptx);
	fe_program_finish(&program);
	bytes_finish(&ptx);
	return good;
}

int main(int count, char **words)
{
	struct bytes source = BYTES_INIT, log = BYTES_INIT;
	struct fe_options read;
	char options[OPTIONS_B] = "-cl-std=CL3.0";
	int status = 0;
	if (count < 3 || bytes_read_file(&source, words[1])) {
		fputs("usage: compile_for FILE [-cl-option...] SM...\n", stderr);
		return 1;
	}
	if (be_nvvm_load(&log)) {
		printf("skipped: %s\n", bytes_string(&log));
		return 77;
	}
	for (int i = 2; i < count && !status; i++) {
		if (words[i][0] == '-') {
			size_t end = strlen(options);
			snprintf(options + end, sizeof(options) - end, " %s", words[i]);
			continue;
		}
		unsigned sm = (unsigned)strtoul(words[i], NULL, 10);
		status = fe_options_parse(options, false, &read, &log);
		if (!status) {
			status = !compile(words[1], &source, &read, sm, &log);
			fe_options_finish(&read);
		}
		if (status)
			printf("sm_%u: %s\n", sm, bytes_string(&log));
	}
	bytes_finish(&source);
	bytes_finish(&log);
	return status;
}
