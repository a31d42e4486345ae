/* One module and one libnvvm: compiling, and asking what the library can do. */
#include "config.h"

#include "backend/nvvm.h"

#include "backend/codegen.h"
#include "backend/option_list.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

enum { OPTIMIZATION_MOST = 3 };

/* --- options: every one that decides about rounding is said aloud --- */

static void make_options(struct option_list *list, const struct be_codegen_options *options,
			 unsigned optimization)
{
	list->count = 0;
	option_list_add(list, "-arch=compute_%u", options->sm);
	option_list_add(list, "-opt=%u", optimization);
	option_list_add(list, "-ftz=%u", options->choice.flush_denormals);
	option_list_add(list, "-prec-div=%u", options->choice.precise_divide);
	option_list_add(list, "-prec-sqrt=%u", options->choice.precise_sqrt);
	option_list_add(list, "-fma=%u", options->choice.fuse_multiply_add);
	if (options->choice.line_info)
		option_list_add_word(list, "-generate-line-info");
}

/* --- compiling --- */

static void append_program_log(const struct nvvm_library *library, nvvm_handle program,
			       struct bytes *log)
{
	size_t size_B = 0;
	if (library->nvvmGetProgramLogSize(program, &size_B) || size_B <= 1)
		return;
	char *text = calloc(1, size_B + 1);
	if (!text)
		return;
	if (!library->nvvmGetProgramLog(program, text) && *text) {
		bytes_append_string(log, text);
		if (text[strlen(text) - 1] != '\n')
			bytes_append_char(log, '\n');
	}
	free(text);
}

static int verify(const struct nvvm_library *library, nvvm_handle program,
		  struct option_list *list)
{
#ifdef CULVERT_DEBUG_CHECKS
	return library->nvvmVerifyProgram(program, list->count, list->pointers);
#else
	(void)library;
	(void)program;
	(void)list;
	return NVVM_SUCCESS;
#endif
}

static int take_result(const struct nvvm_library *library, nvvm_handle program,
		       struct bytes *ptx)
{
	size_t size_B = 0;
	int result = library->nvvmGetCompiledResultSize(program, &size_B);
	if (result)
		return result;
	char *text = calloc(1, size_B + 1);
	if (!text)
		return NVVM_OUT_OF_MEMORY;
	result = library->nvvmGetCompiledResult(program, text);
	/* libnvvm's size includes the closing NUL. */
	if (!result)
		bytes_append_string(ptx, text);
	free(text);
	return !result && bytes_failed(ptx) ? NVVM_OUT_OF_MEMORY : result;
}

static int translate(const struct nvvm_library *library, nvvm_handle program,
		     struct nvvm_text ir, struct nvvm_text libdevice,
		     struct option_list *list, struct bytes *ptx)
{
	int result = library->nvvmAddModuleToProgram(program, ir.data, ir.size_B, "program");
	if (!result)
		result = verify(library, program, list);
	/* With the lazy function only what is called is read.  It is added after the verifier, which would reject
	 * it. */
	if (!result && libdevice.data)
		result = library->nvvmLazyAddModuleToProgram(program, libdevice.data,
							     libdevice.size_B, "libdevice");
	if (!result)
		result = library->nvvmCompileProgram(program, list->count, list->pointers);
	return result ? result : take_result(library, program, ptx);
}

int be_nvvm_text_compile(const struct nvvm_library *library, struct nvvm_text ir, struct nvvm_text libdevice,
			 const struct be_codegen_options *options, unsigned optimization, struct bytes *ptx_out,
			 struct bytes *log)
{
	struct option_list list;
	nvvm_handle program = NULL;
	struct bytes ptx = BYTES_INIT;
	int result = library->nvvmCreateProgram(&program);
	make_options(&list, options, optimization);
	if (!result) {
		result = translate(library, program, ir, libdevice, &list, &ptx);
		append_program_log(library, program, log);
		library->nvvmDestroyProgram(&program);
	}
	if (result)
		bytes_printf(log, "libnvvm: %s\n", library->nvvmGetErrorString(result));
	else
		bytes_move(ptx_out, &ptx);
	bytes_finish(&ptx);
	return result;
}

/* --- what a library can do --- */

/* Compiles a small module, to find out whether the library supports sm, and all but what lacking names; returns an
 * nvvm_result. */
static int compile_probe(const struct nvvm_library *library, unsigned sm, unsigned lacking)
{
	const struct be_codegen_options options = {
		.sm = sm, .choice = {.precise_divide = true, .precise_sqrt = true}};
	const char *known = lacking & NVVM_LACKS_COPYSIGN ? "maxnum" : "copysign";
	struct bytes ir = BYTES_INIT, ptx = BYTES_INIT, log = BYTES_INIT;
	bytes_printf(&ir,
		     "target datalayout = \"e-p:64:64:64-%si1:8:8-i8:8:8-i16:16:16-i32:32:32-"
		     "i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-"
		     "v32:32:32-v64:64:64-v128:128:128-"
		     "n16:32:64\"\n"
		     "target triple = \"nvptx64-nvidia-cuda\"\n"
		     "declare float @llvm.%s.f32(float, float)\n"
		     "define void @held(i32* byval%s %%p) {\n  ret void\n}\n"
		     "define float @probe(float %%x, i16 %%n) {\nentry:\n"
		     "  %%h = bitcast i16 %%n to %s\n"
		     "  %%y = call float @llvm.%s.f32(float %%x, float %%x)\n  ret float %%y\n}\n"
		     "!nvvmir.version = !{!0}\n!0 = !{i32 %d, i32 %d, i32 %d, i32 %d}\n",
		     lacking & NVVM_LACKS_NARROW_LOCAL ? "" : "p3:32:32:32-", known,
		     nvvm_reads_newer_dialect(sm, lacking) ? "(i32)" : "",
		     lacking & NVVM_LACKS_HALF ? "i16" : "half", known,
		     library->ir_major, library->ir_minor, library->debug_major,
		     library->debug_minor);
	/* Optimizing, as a probe without optimization would spoil the library (be_nvvm_is_spoilt). */
	const struct nvvm_text none = {NULL, 0}, program = {ir.data, ir.size_B};
	int result = NVVM_OUT_OF_MEMORY;
	if (!bytes_failed(&ir))
		result = be_nvvm_text_compile(library, program, none, &options, OPTIMIZATION_MOST, &ptx, &log);
	bytes_finish(&ir);
	bytes_finish(&ptx);
	bytes_finish(&log);
	return result;
}

/* Only these combinations exist: the driver's library lacks nothing else. */
static int probe_ways(const struct nvvm_library *library, unsigned sm, unsigned *lacking_out)
{
	static const unsigned ways[] = {
		0, NVVM_LACKS_NEWER_DIALECT, NVVM_LACKS_COPYSIGN, NVVM_LACKS_COPYSIGN | NVVM_LACKS_HALF,
		NVVM_LACKS_COPYSIGN | NVVM_LACKS_HALF | NVVM_LACKS_NARROW_LOCAL};
	int result = NVVM_INVALID_IR;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && result == NVVM_INVALID_IR; i++) {
		if (ways[i] == NVVM_LACKS_NEWER_DIALECT && sm < NVVM_SM_NEWER_DIALECT)
			continue;
		*lacking_out = ways[i];
		result = compile_probe(library, sm, ways[i]);
	}
	return result;
}

struct probe {
	const struct nvvm_library *library;
	unsigned sm, lacking;
	int result;
};

static void *probe_main(void *argument)
{
	struct probe *probe = argument;
	probe->result = probe_ways(probe->library, probe->sm, &probe->lacking);
	return NULL;
}

/* Not on the caller's stack, which may be too small for a compiler: `culvert doctor` asks from its main thread. */
int be_nvvm_probe(const struct nvvm_library *library, unsigned sm, unsigned *lacking_out)
{
	struct probe probe = {.library = library, .sm = sm};
	if (thread_run_deep(BE_CODEGEN_STACK_B, probe_main, &probe))
		(void)probe_main(&probe);
	*lacking_out = probe.lacking;
	return probe.result;
}

bool be_nvvm_library_compiles(const struct nvvm_library *library, unsigned sm)
{
	unsigned lacking;
	return !be_nvvm_probe(library, sm, &lacking);
}
