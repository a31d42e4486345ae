/* Mutated OpenCL C through the compiler.  Nothing may crash or hang, a refusal has a log, and
 * what the frontend takes libnvvm must take.
 *
 *	fuzz_source [--seconds N] [--runs N] [--from N] [--threads N] FILE.cl... */
#include "config.h"

#include "backend/codegen.h"
#include "frontend/frontend.h"
#include "frontend/options.h"
#include "tests/fuzz/fuzz.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HANG_S = 60 };

static atomic_uint taken, at_work;       /* sources that were still good; runs under way */

static bool translate(const struct fe_program *program, unsigned sm, struct bytes *log)
{
	struct bytes ptx = BYTES_INIT;
	size_t libdevice_B = 0;
	const void *libdevice = program->needs_libdevice ? fe_libdevice(&libdevice_B) : NULL;
	/* Unoptimised: loops that were made endless or huge are not what is looked for. */
	const struct be_codegen_options options = {.sm = sm, .choice.precise_sqrt = true};
	bool good = !be_nvvm_compile(program->nvvm_ir.data, program->nvvm_ir.size_B, libdevice,
				     libdevice_B, &options, &ptx, log);
	bytes_finish(&ptx);
	return good;
}

static bool compile(const struct bytes *source, unsigned sm)
{
	struct bytes log = BYTES_INIT;
	struct fe_program program;
	struct fe_options options;
	const struct fe_compile_job job = {
		.source = source->data,
		.source_size_B = source->size_B,
		.options = &options,
		.sm = sm,
		.max_local_B = 48 * 1024,
	};
	if (fe_options_parse("-cl-std=CL3.0 -cl-opt-disable", false, &options, &log))
		return false;
	enum fe_status status = fe_build(&job, &program, NULL, &log);
	fe_options_finish(&options);
	bool good = status == FE_OK || (status != FE_INTERNAL && log.size_B);
	if (status == FE_OK) {
		atomic_fetch_add(&taken, 1);
		good = translate(&program, sm, &log);
		fe_program_finish(&program);
	}
	if (!good)
		printf("status %d: %s\n", (int)status, bytes_string(&log));
	bytes_finish(&log);
	return good;
}

static bool run(struct fuzz *fuzz)
{
	struct bytes good = BYTES_INIT, bad = BYTES_INIT;
	const char *path = fuzz->files[fuzz_number(fuzz, (uint32_t)fuzz->file_count)];
	if (bytes_read_file(&good, path)) {
		printf("%s cannot be read\n", path);
		return false;
	}
	if (fuzz_number(fuzz, 4))
		fuzz_exchange(fuzz, &good, &bad);
	else
		fuzz_mutate(fuzz, &good, &bad);
	/* Several threads share the alarm: it is put off as long as runs begin. */
	atomic_fetch_add(&at_work, 1);
	alarm(HANG_S);
	bool held = compile(&bad, fuzz_number(fuzz, 2) ? 90 : 75);
	if (atomic_fetch_sub(&at_work, 1) == 1)
		alarm(0);
	const char *keep = getenv("FUZZ_KEEP");
	if (!held && keep)
		(void)bytes_write_file(bad.data, bad.size_B, keep);
	bytes_finish(&good);
	bytes_finish(&bad);
	return held;
}

int main(int argc, char **argv)
{
	struct bytes log = BYTES_INIT;
	if (be_nvvm_load(&log)) {
		printf("skipped: %s\n", bytes_string(&log));
		bytes_finish(&log);
		return 77;
	}
	int status = fuzz_main(argc, argv, run);
	printf("%u sources were still good\n", atomic_load(&taken));
	return status;
}
