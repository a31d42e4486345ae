#include "config.h"

#include "backend/nvvm.h"

#include "backend/codegen.h"
#include "backend/ptx_join.h"
#include "base/log.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 8, OPTION_B = 32, PARTS_THREADS = 15, OPTIMIZATION_MOST = 3 };

struct option_list {
	char text[OPTIONS_MAX][OPTION_B];
	const char *pointers[OPTIONS_MAX];
	int count;
};

cl_int be_nvvm_load(struct bytes *log)
{
	return be_nvvm_library(log) ? CL_SUCCESS : CL_COMPILER_NOT_AVAILABLE;
}

const char *be_nvvm_id(void)
{
	const struct nvvm_library *library = be_nvvm_library_found();
	return library ? library->id : "";
}

/* The result of be_nvvm_library_build, so that it accesses the disk only once.  Set once and never changed. */
static _Atomic(char *) looked_up;

static const char *look_up(void)
{
	char *known = atomic_load_explicit(&looked_up, memory_order_acquire), *none = NULL;
	struct bytes text = BYTES_INIT;
	if (known)
		return known;
	known = be_nvvm_library_build(&text) ? text.data : NULL;
	if (known && atomic_compare_exchange_strong(&looked_up, &none, known))
		return known;
	bytes_finish(&text);
	return none;
}

bool be_nvvm_build(struct bytes *text)
{
	const struct nvvm_library *library = be_nvvm_library_found();
	const char *build = library ? NULL : look_up();
	if (!library && !build) {
		struct bytes log = BYTES_INIT;
		library = be_nvvm_library(&log);
		bytes_finish(&log);
	}
	if (library)
		build = library->build;
	bytes_append_string(text, build ? build : "");
	return build && *build && !bytes_failed(text);
}

bool be_nvvm_build_holds(void)
{
	const char *known = atomic_load_explicit(&looked_up, memory_order_acquire);
	struct bytes now = BYTES_INIT;
	if (be_nvvm_library_found() || !known)
		return true;
	const bool same = be_nvvm_library_build(&now) && !strcmp(bytes_string(&now), known);
	bytes_finish(&now);
	return same;
}

/* --- options: every one that decides about rounding is said aloud --- */

static void add_option(struct option_list *list, const char *name, unsigned value)
{
	char *text = list->text[list->count];
	snprintf(text, OPTION_B, "-%s%u", name, value);
	list->pointers[list->count++] = text;
}

static void make_options(struct option_list *list, const struct be_codegen_options *options,
			 unsigned optimization)
{
	list->count = 0;
	add_option(list, "arch=compute_", options->sm);
	add_option(list, "opt=", optimization);
	add_option(list, "ftz=", options->choice.flush_denormals);
	add_option(list, "prec-div=", options->choice.precise_divide);
	add_option(list, "prec-sqrt=", options->choice.precise_sqrt);
	add_option(list, "fma=", options->choice.fuse_multiply_add);
	if (options->choice.line_info)
		list->pointers[list->count++] = "-generate-line-info";
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

struct module_text {
	const char *data;                /* NULL: none */
	size_t size_B;
};

static int translate(const struct nvvm_library *library, nvvm_handle program,
		     struct module_text ir, struct module_text libdevice,
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

static cl_int code_of(int result)
{
	if (!result)
		return CL_SUCCESS;
	return result == NVVM_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_BUILD_PROGRAM_FAILURE;
}

/* Returns an nvvm_result. */
static int compile(const struct nvvm_library *library, struct module_text ir,
		   struct module_text libdevice, struct option_list *list, struct bytes *ptx_out,
		   struct bytes *log)
{
	nvvm_handle program = NULL;
	struct bytes ptx = BYTES_INIT;
	int result = library->nvvmCreateProgram(&program);
	if (!result) {
		result = translate(library, program, ir, libdevice, list, &ptx);
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

/* --- several modules --- */

static _Thread_local volatile uint64_t module_now;
static atomic_bool spoilt;

bool be_nvvm_is_spoilt(void)
{
	return atomic_load(&spoilt);
}

uint64_t be_nvvm_module_now(void)
{
	return module_now;
}

uint64_t be_nvvm_module_bit(size_t number)
{
	return (uint64_t)1 << (number < 63 ? number : 63);
}

/* The outcome for one of the modules of a text. */
struct part {
	struct module_text ir;
	struct bytes ptx, log;
	int result;                      /* an nvvm_result */
};

struct parts {
	const struct nvvm_library *library;
	struct module_text libdevice;
	struct option_list asked, unoptimized;
	uint64_t unoptimized_bits;
	unsigned optimization;           /* of all other modules */
	struct part *all;
	size_t count;
	atomic_size_t taken;
	bool last;                       /* what is not optimized is compiled now; first all others are */
};

/* Whether this module is not optimized, whatever the others are. */
static bool is_unoptimized(const struct parts *parts, size_t number)
{
	return be_nvvm_module_bit(number) & parts->unoptimized_bits;
}

/* Returns an nvvm_result. */
static int compile_module(struct parts *parts, size_t number, struct module_text ir,
			  struct module_text libdevice, struct bytes *ptx_out, struct bytes *log)
{
	const bool unoptimized = is_unoptimized(parts, number);
	struct option_list *list = unoptimized ? &parts->unoptimized : &parts->asked;
	if (unoptimized || !parts->optimization)
		atomic_store(&spoilt, true);
	module_now = be_nvvm_module_bit(number);
	const int result = compile(parts->library, ir, libdevice, list, ptx_out, log);
	module_now = 0;
	return result;
}

/* Compiles parts of this turn that no thread has begun, one after the other. */
static void *compile_parts(void *argument)
{
	static const struct module_text none;
	struct parts *parts = argument;
	size_t i;
	while ((i = atomic_fetch_add(&parts->taken, 1)) < parts->count) {
		struct part *part = &parts->all[i];
		if (is_unoptimized(parts, i) != parts->last)
			continue;
		const bool calls = strstr(part->ir.data, "@__nv_") != NULL;
		part->result = compile_module(parts, i, part->ir, calls ? parts->libdevice : none,
					      &part->ptx, &part->log);
	}
	return NULL;
}

/* Compiles all parts with up to so many threads, including this one. */
static void share_out(struct parts *parts, unsigned threads)
{
	pthread_t others[PARTS_THREADS];
	unsigned count = 0;
	while (count < PARTS_THREADS && count + 1 < threads && count + 1 < parts->count &&
	       !thread_start_deep(&others[count], BE_CODEGEN_STACK_B, compile_parts, parts))
		count++;
	compile_parts(parts);
	while (count)
		(void)pthread_join(others[--count], NULL);
}

static int join(struct parts *parts, struct bytes *ptx_out, struct bytes *log)
{
	struct bytes ptx = BYTES_INIT, *texts = calloc(parts->count, sizeof(*texts));
	int result = texts ? NVVM_SUCCESS : NVVM_OUT_OF_MEMORY;
	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->all[i];
		bytes_append(log, part->log.data, part->log.size_B);
		result = result ? result : part->result;
		if (texts)
			texts[i] = part->ptx;
	}
	if (!result)
		be_ptx_join(texts, parts->count, &ptx);
	if (!result && bytes_failed(&ptx))
		result = NVVM_OUT_OF_MEMORY;
	if (!result)
		bytes_move(ptx_out, &ptx);
	bytes_finish(&ptx);
	free(texts);
	return result;
}

/* Returns an nvvm_result. */
static int compile_all(struct parts *parts, struct module_text ir, unsigned threads,
		       struct bytes *ptx_out, struct bytes *log)
{
	parts->all = calloc(parts->count, sizeof(*parts->all));
	if (!parts->all)
		return NVVM_OUT_OF_MEMORY;
	const char *at = ir.data, *end = ir.data + ir.size_B;
	for (size_t i = 0; i < parts->count; i++) {
		const char *zero = memchr(at, 0, (size_t)(end - at));
		const size_t size_B = (size_t)((zero ? zero : end) - at);
		parts->all[i].ir = (struct module_text){at, size_B};
		at += size_B + 1;
	}
	share_out(parts, threads);
	parts->last = true;
	atomic_store(&parts->taken, 0);
	if (parts->unoptimized_bits)
		share_out(parts, threads);
	int result = join(parts, ptx_out, log);
	for (size_t i = 0; i < parts->count; i++) {
		bytes_finish(&parts->all[i].ptx);
		bytes_finish(&parts->all[i].log);
	}
	free(parts->all);
	return result;
}

static size_t count_parts(const char *text, size_t size_B)
{
	size_t count = 1;
	for (size_t i = 0; i < size_B; i++)
		count += !text[i];
	return count;
}

cl_int be_nvvm_compile(const void *nvvm_ir, size_t size_B, const void *libdevice,
		       size_t libdevice_size_B, const struct be_codegen_options *options,
		       struct bytes *ptx_out, struct bytes *log)
{
	const struct module_text program = {nvvm_ir, size_B};
	struct parts parts = {
		.library = be_nvvm_library(log),
		.libdevice = {libdevice, libdevice_size_B},
		.unoptimized_bits = options->unoptimized,
		.optimization = options->choice.optimization,
		.count = count_parts(nvvm_ir, size_B),
	};
	if (!parts.library)
		return CL_COMPILER_NOT_AVAILABLE;
	make_options(&parts.asked, options, options->choice.optimization);
	make_options(&parts.unoptimized, options, 0);
	if (parts.count == 1)
		return code_of(compile_module(&parts, 0, program, parts.libdevice, ptx_out, log));
	return code_of(compile_all(&parts, program, options->threads, ptx_out, log));
}

/* --- which devices the library compiles for --- */

/* Newest first.  Code for a device also runs on later devices of the same generation, and as PTX on all later ones. */
static const unsigned known_sms[] = {
	121, 120, 110, 103, 101, 100, 90, 89, 88, 87, 86, 80, 75, 72, 70, 62, 61, 60, 53, 52, 50,
};
enum { KNOWN_SMS = sizeof(known_sms) / sizeof(known_sms[0]) };
enum answer { NOT_ASKED, YES, NO };
static atomic_int answers[KNOWN_SMS];

/* NVVM_LACKS_... of the library for each of these; known where the answer is YES. */
static atomic_uint lacks[KNOWN_SMS];

/* Compiles a small module, to find out whether the library supports sm, and all but what lacking names; returns an
 * nvvm_result. */
static int compile_probe(const struct nvvm_library *library, unsigned sm, unsigned lacking)
{
	const struct be_codegen_options options = {
		.sm = sm, .choice = {.precise_divide = true, .precise_sqrt = true}};
	const char *known = lacking & NVVM_LACKS_COPYSIGN ? "maxnum" : "copysign";
	struct option_list list;
	struct bytes ir = BYTES_INIT, ptx = BYTES_INIT, log = BYTES_INIT;
	bytes_printf(&ir,
		     "target datalayout = \"e-p:64:64:64-%si1:8:8-i8:8:8-i16:16:16-i32:32:32-"
		     "i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-"
		     "v32:32:32-v64:64:64-v128:128:128-"
		     "n16:32:64\"\n"
		     "target triple = \"nvptx64-nvidia-cuda\"\n"
		     "declare float @llvm.%s.f32(float, float)\n"
		     "define float @probe(float %%x, i16 %%n) {\nentry:\n"
		     "  %%h = bitcast i16 %%n to %s\n"
		     "  %%y = call float @llvm.%s.f32(float %%x, float %%x)\n  ret float %%y\n}\n"
		     "!nvvmir.version = !{!0}\n!0 = !{i32 %d, i32 %d, i32 %d, i32 %d}\n",
		     lacking & NVVM_LACKS_NARROW_LOCAL ? "" : "p3:32:32:32-", known,
		     lacking & NVVM_LACKS_HALF ? "i16" : "half", known,
		     library->ir_major, library->ir_minor, library->debug_major,
		     library->debug_minor);
	/* Optimizing, as a probe without optimization would spoil the library (be_nvvm_is_spoilt). */
	make_options(&list, &options, OPTIMIZATION_MOST);
	const struct module_text none = {NULL, 0};
	const struct module_text program = {ir.data, ir.size_B};
	int result = NVVM_OUT_OF_MEMORY;
	if (!bytes_failed(&ir))
		result = compile(library, program, none, &list, &ptx, &log);
	bytes_finish(&ir);
	bytes_finish(&ptx);
	bytes_finish(&log);
	return result;
}

/* As compile_probe, with what the library is found to lack in lacking_out.  Only these combinations exist. */
static int probe(const struct nvvm_library *library, unsigned sm, unsigned *lacking_out)
{
	static const unsigned ways[] = {
		0, NVVM_LACKS_COPYSIGN, NVVM_LACKS_COPYSIGN | NVVM_LACKS_HALF,
		NVVM_LACKS_COPYSIGN | NVVM_LACKS_HALF | NVVM_LACKS_NARROW_LOCAL};
	int result = NVVM_INVALID_IR;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && result == NVVM_INVALID_IR; i++) {
		*lacking_out = ways[i];
		result = compile_probe(library, sm, ways[i]);
	}
	return result;
}

/* Whether the library supports known_sms[index]. *answer_out: YES or NO.  Errors that do not concern the
 * architecture are returned; final answers are kept. */
static cl_int ask(const struct nvvm_library *library, int index, int *answer_out)
{
	int answer = atomic_load(&answers[index]);
	if (answer == NOT_ASKED) {
		unsigned lacking;
		int result = probe(library, known_sms[index], &lacking);
		if (result == NVVM_OUT_OF_MEMORY || result == NVVM_PROGRAM_CREATION_FAILURE)
			return CL_OUT_OF_HOST_MEMORY;
		answer = result ? NO : YES;
		if (!result)
			atomic_store(&lacks[index], lacking);
		if (!result || result == NVVM_INVALID_OPTION)
			atomic_store(&answers[index], answer);
	}
	*answer_out = answer;
	return CL_SUCCESS;
}

cl_int be_nvvm_arch(unsigned sm, unsigned *arch_out)
{
	struct bytes log = BYTES_INIT;
	const struct nvvm_library *library = be_nvvm_library(&log);
	bytes_finish(&log);
	if (!library)
		return CL_COMPILER_NOT_AVAILABLE;
	for (int i = 0; i < KNOWN_SMS; i++) {
		if (known_sms[i] > sm)
			continue;
		int answer;
		cl_int error = ask(library, i, &answer);
		if (error)
			return error;
		if (answer == YES) {
			*arch_out = known_sms[i];
			return CL_SUCCESS;
		}
	}
	log_info("libnvvm supports neither sm_%u nor an older architecture", sm);
	return CL_COMPILER_NOT_AVAILABLE;
}

unsigned be_nvvm_lacks(unsigned arch)
{
	for (int i = 0; i < KNOWN_SMS; i++)
		if (known_sms[i] == arch)
			return atomic_load(&lacks[i]);
	return 0;
}

bool be_nvvm_arch_known(unsigned sm)
{
	for (int i = 0; i < KNOWN_SMS; i++)
		if (known_sms[i] == sm)
			return true;
	return false;
}

void be_nvvm_arch_list(struct bytes *text)
{
	struct bytes log = BYTES_INIT;
	const struct nvvm_library *library = be_nvvm_library(&log);
	const char *separator = "";
	bytes_finish(&log);
	for (int i = KNOWN_SMS - 1; i >= 0; i--) {
		int answer = YES;
		if (library && ask(library, i, &answer))
			continue;
		if (answer != YES)
			continue;
		bytes_printf(text, "%ssm_%u", separator, known_sms[i]);
		separator = ", ";
	}
}
