#include "config.h"

#include "backend/nvvm.h"

#include "backend/codegen.h"
#include "backend/ptx_join.h"
#include "backend/ptx_order.h"
#include "backend/ptx_target.h"
#include "base/log.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From ORDER_SM on, libnvvm was seen to read registers before they are computed. */
enum { PARTS_THREADS = 15, ORDER_SM = 100 };

cl_int be_nvvm_load(struct bytes *log)
{
	return be_nvvm_library(BE_NVVM_SM_TURING, log) ? CL_SUCCESS : CL_COMPILER_NOT_AVAILABLE;
}

const char *be_nvvm_id(unsigned sm)
{
	const struct nvvm_library *library = be_nvvm_library_found(sm);
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

/* Which library older devices have, only the libraries themselves can tell. */
bool be_nvvm_build(unsigned sm, struct bytes *text)
{
	const struct nvvm_library *library = be_nvvm_library_found(sm);
	const char *build = library || sm < BE_NVVM_SM_TURING ? NULL : look_up();
	if (!library && !build) {
		struct bytes log = BYTES_INIT;
		library = be_nvvm_library(sm, &log);
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
	if (be_nvvm_library_found(BE_NVVM_SM_TURING) || !known)
		return true;
	const bool same = be_nvvm_library_build(&now) && !strcmp(bytes_string(&now), known);
	bytes_finish(&now);
	return same;
}

/* --- several modules --- */

static cl_int code_of(int result)
{
	if (!result)
		return CL_SUCCESS;
	return result == NVVM_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_BUILD_PROGRAM_FAILURE;
}

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
	struct nvvm_text ir;
	struct bytes ptx, log;
	int result;                      /* an nvvm_result */
};

struct parts {
	const struct nvvm_library *library;
	struct nvvm_text libdevice;
	const struct be_codegen_options *options;
	struct part *all;
	size_t count;
	atomic_size_t taken;
	bool last;                       /* what is not optimized is compiled now; first all others are */
};

/* Whether this module is not optimized, whatever the others are. */
static bool is_unoptimized(const struct parts *parts, size_t number)
{
	return be_nvvm_module_bit(number) & parts->options->unoptimized;
}

/* Returns an nvvm_result. */
static int compile_as(struct parts *parts, size_t number, struct nvvm_text ir, struct nvvm_text libdevice,
		      unsigned optimization, struct bytes *ptx_out, struct bytes *log)
{
	if (!optimization)
		atomic_store(&spoilt, true);
	module_now = be_nvvm_module_bit(number);
	const int result = be_nvvm_text_compile(parts->library, ir, libdevice, parts->options, optimization,
						ptx_out, log);
	module_now = 0;
	return result;
}

static void tell_wrong(const struct bytes *wrong, unsigned sm, struct bytes *log)
{
	struct bytes said = BYTES_INIT;
	bytes_printf(&said, "libnvvm's optimized code for sm_%u reads the register %s before it is computed; "
			    "compiled without optimization instead", sm, bytes_string(wrong));
	log_warn("%s", bytes_string(&said));
	bytes_printf(log, "warning: %s: this code may be slow.\n", bytes_string(&said));
	bytes_finish(&said);
}

/* Returns an nvvm_result.  The optimization does not change other modules here: ORDER_SM is above the architectures for
 * which that happens (be_nvvm_is_spoilt). */
static int compile_module(struct parts *parts, size_t number, struct nvvm_text ir,
			  struct nvvm_text libdevice, struct bytes *ptx_out, struct bytes *log)
{
	const struct be_codegen_options *options = parts->options;
	const unsigned optimization = is_unoptimized(parts, number) ? 0 : options->choice.optimization;
	struct bytes wrong = BYTES_INIT;
	int result = compile_as(parts, number, ir, libdevice, optimization, ptx_out, log);
	if (result || !optimization || options->sm < ORDER_SM)
		return result;
	const enum be_ptx_order order = be_ptx_order(ptx_out->data, ptx_out->size_B, &wrong);
	if (order == BE_PTX_ORDER_NO_MEMORY)
		result = NVVM_OUT_OF_MEMORY;
	if (order == BE_PTX_ORDER_WRONG) {
		tell_wrong(&wrong, options->sm, log);
		bytes_finish(ptx_out);
		result = compile_as(parts, number, ir, libdevice, 0, ptx_out, log);
	}
	bytes_finish(&wrong);
	return result;
}

/* Compiles parts of this turn that no thread has begun, one after the other. */
static void *compile_parts(void *argument)
{
	static const struct nvvm_text none;
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
static int compile_all(struct parts *parts, struct nvvm_text ir, unsigned threads,
		       struct bytes *ptx_out, struct bytes *log)
{
	parts->all = calloc(parts->count, sizeof(*parts->all));
	if (!parts->all)
		return NVVM_OUT_OF_MEMORY;
	const char *at = ir.data, *end = ir.data + ir.size_B;
	for (size_t i = 0; i < parts->count; i++) {
		const char *zero = memchr(at, 0, (size_t)(end - at));
		const size_t size_B = (size_t)((zero ? zero : end) - at);
		parts->all[i].ir = (struct nvvm_text){at, size_B};
		at += size_B + 1;
	}
	share_out(parts, threads);
	parts->last = true;
	atomic_store(&parts->taken, 0);
	if (parts->options->unoptimized)
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
	const struct nvvm_text program = {nvvm_ir, size_B};
	struct parts parts = {
		.library = be_nvvm_library(options->sm, log),
		.libdevice = {libdevice, libdevice_size_B},
		.options = options,
		.count = count_parts(nvvm_ir, size_B),
	};
	if (!parts.library)
		return CL_COMPILER_NOT_AVAILABLE;
	int result = parts.count == 1 ? compile_module(&parts, 0, program, parts.libdevice, ptx_out, log) :
		     compile_all(&parts, program, options->threads, ptx_out, log);
	if (result)
		return code_of(result);
	be_ptx_target_choose(ptx_out, options->sm);
	/* In code for a newer architecture, a link has put together what was compiled without the option. */
	if (options->choice.warp_synchronous && options->sm <= BE_NVVM_SM_TURING)
		be_ptx_target_keep_warps(ptx_out);
	return code_of(bytes_failed(ptx_out) ? NVVM_OUT_OF_MEMORY : NVVM_SUCCESS);
}

/* --- which devices the library compiles for --- */

/* Newest first.  Code for a device also runs on later devices of the same generation, and as PTX on all later ones. */
static const unsigned known_sms[] = {
	121, 120, 110, 103, 101, 100, 90, 89, 88, 87, 86, 80, 75, 72, 70,
};
enum { KNOWN_SMS = sizeof(known_sms) / sizeof(known_sms[0]) };
enum answer { NOT_ASKED, YES, NO };
static atomic_int answers[KNOWN_SMS];

/* NVVM_LACKS_... of the library for each of these; known where the answer is YES. */
static atomic_uint lacks[KNOWN_SMS];

/* Whether the library supports known_sms[index]. *answer_out: YES or NO.  Errors that do not concern the
 * architecture are returned; final answers are kept. */
static cl_int ask(const struct nvvm_library *library, int index, int *answer_out)
{
	int answer = atomic_load(&answers[index]);
	if (answer == NOT_ASKED) {
		unsigned lacking;
		int result = be_nvvm_probe(library, known_sms[index], &lacking);
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
	const struct nvvm_library *library = be_nvvm_library(sm, &log);
	bytes_finish(&log);
	if (!library)
		return CL_COMPILER_NOT_AVAILABLE;
	for (int i = 0; i < KNOWN_SMS; i++) {
		/* This library is not the one for what is older than Turing. */
		if (known_sms[i] > sm || (sm >= BE_NVVM_SM_TURING && known_sms[i] < BE_NVVM_SM_TURING))
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

void be_nvvm_arch_explain(unsigned sm, struct bytes *text)
{
	if (sm < BE_NVVM_SM_OLDEST)
		bytes_printf(text, "sm_%u is not supported; the oldest architecture that is: sm_%d\n", sm,
			     BE_NVVM_SM_OLDEST);
	else if (sm < BE_NVVM_SM_TURING)
		bytes_printf(text, "no libnvvm that was found supports this device (sm_%u), and that of CUDA 13 does "
				   "not; install that of CUDA 12, for example with "
				   "`pip install nvidia-cuda-nvcc-cu12`, or set CULVERT_LIBNVVM to its path\n", sm);
	else
		bytes_printf(text, "%s does not support this device (sm_%u); set CULVERT_LIBNVVM to another libnvvm, "
				   "such as the driver's libnvidia-nvvm.so.4\n", be_nvvm_id(sm), sm);
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
	const bool none = be_nvvm_load(&log);
	const char *separator = "";
	for (int i = KNOWN_SMS - 1; i >= 0; i--) {
		const struct nvvm_library *library = none ? NULL : be_nvvm_library(known_sms[i], &log);
		int answer = library || none ? YES : NO;
		if (library && ask(library, i, &answer))
			continue;
		if (answer != YES)
			continue;
		bytes_printf(text, "%ssm_%u", separator, known_sms[i]);
		separator = ", ";
	}
	bytes_finish(&log);
}
