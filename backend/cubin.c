/* PTX to machine code with NVIDIA's PTX compiler library, without the driver.  The driver returns machine code only
 * through its linker, which generates worse code (docs/decisions.md). */
#include "config.h"

#include "backend/codegen.h"
#include "backend/gpu.h"

#include "base/log.h"

#ifdef HAVE_PTX_COMPILER
#include "backend/option_list.h"
#include "backend/ptx_compiler.h"
#include "base/build_id.h"
#include "base/own_library.h"
#include "build_name.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CUDA_MAJOR = 1000 };

/* The PTX compiler of CUDA 13 knows nothing older than Turing. */
enum { SM_OLDEST = PTX_COMPILER_MAJOR < 13 ? 50 : 75 };

static const char file_name[] = "libculvert-ptxcompiler.so";

/* --- the library ------------------------------------------------------------------ */

/* Set once and never changed; several threads that load it at the same time find the same library. */
static _Atomic(const struct be_ptx_compiler *) loaded;

static const struct be_ptx_compiler *load(void)
{
	const struct be_ptx_compiler *compiler =
		atomic_load_explicit(&loaded, memory_order_acquire);
	if (compiler)
		return compiler;
	struct bytes note = BYTES_INIT;
	void *handle = own_library_open(file_name, &note);
	compiler = handle ? dlsym(handle, "culvert_ptx_compiler") : NULL;
	if (compiler && strcmp(compiler->build_name, CULVERT_BUILD))
		compiler = NULL;
	if (compiler)
		atomic_store_explicit(&loaded, compiler, memory_order_release);
	else
		log_warn("%s cannot be used: %s", file_name,
			 handle ? "it is from another build" : bytes_string(&note));
	bytes_finish(&note);
	return compiler;
}

/* The library's build; "" until it is found, or if there is none. */
static struct bytes build;

static void find_build(void)
{
	struct bytes path = BYTES_INIT;
	if (own_library_find(file_name, &path))
		(void)build_id_append(&build, bytes_string(&path));
	bytes_finish(&path);
}

const char *be_cubin_build(const struct gpu_device *device)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct gpu_caps *caps = gpu_device_caps(device);
	/* CUDA compatibility guide: a driver accepts machine code from compilers of its own major version and of
	 * older ones. */
	if (caps->software || caps->cuda_version / CUDA_MAJOR < PTX_COMPILER_MAJOR || caps->sm < SM_OLDEST)
		return "";
	pthread_once(&once, find_build);
	return bytes_string(&build);
}

/* --- compiling ---------------------------------------------------------------------- */

/* The number of threads changes nothing in the code, except a note that contains the option. */
static void make_options(struct option_list *list, const struct be_codegen_options *options,
			 const struct bytes *ptx)
{
	list->count = 0;
	option_list_add(list, be_ptx_target_only(ptx) ? "--gpu-name=sm_%ua" : "--gpu-name=sm_%u", options->sm);
	option_list_add(list, "--opt-level=%u", options->choice.optimization);
	if (options->choice.max_registers)
		option_list_add(list, "--maxrregcount=%u", options->choice.max_registers);
	/* With several threads, statistics are not in the order of the kernels. */
	if (options->threads > 1 && ptx->size_B >= BE_CODEGEN_SHARED_B && !options->choice.verbose &&
	    !options->choice.line_info)
		option_list_add(list, "--split-compile=%u", options->threads);
	if (options->choice.line_info)
		option_list_add_word(list, be_ptx_is_debug(ptx) ? "--device-debug" : "--generate-line-info");
	if (options->choice.verbose || options->choice.line_info)
		option_list_add_word(list, "--verbose");
}

typedef nvPTXCompileResult log_size_function(nvPTXCompilerHandle, size_t *);
typedef nvPTXCompileResult log_function(nvPTXCompilerHandle, char *);

static void append_log(nvPTXCompilerHandle handle, log_size_function *log_size,
		       log_function *log_text, struct bytes *log)
{
	size_t size_B = 0;
	if (log_size(handle, &size_B) || !size_B)
		return;
	char *text = calloc(1, size_B + 2);
	if (!text)
		return;
	if (!log_text(handle, text) && *text) {
		bytes_append_string(log, text);
		if (text[strlen(text) - 1] != '\n')
			bytes_append_char(log, '\n');
	}
	free(text);
}

static nvPTXCompileResult take_program(const struct be_ptx_compiler *compiler,
				       nvPTXCompilerHandle handle, struct bytes *cubin)
{
	size_t size_B = 0;
	nvPTXCompileResult result = compiler->program_size(handle, &size_B);
	if (result)
		return result;
	void *room = bytes_extend(cubin, size_B);
	return room ? compiler->program(handle, room) : NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
}

static nvPTXCompileResult compile(const struct be_ptx_compiler *compiler, const struct bytes *ptx,
				  const struct option_list *list, struct bytes *cubin,
				  struct bytes *info)
{
	nvPTXCompilerHandle handle = NULL;
	struct bytes errors = BYTES_INIT;
	nvPTXCompileResult result = compiler->create(&handle, ptx->size_B, ptx->data);
	if (result)
		return result;
	result = compiler->compile(handle, list->count, list->pointers);
	append_log(handle, compiler->info_log_size, compiler->info_log, info);
	if (!result)
		result = take_program(compiler, handle, cubin);
	else
		append_log(handle, compiler->error_log_size, compiler->error_log, &errors);
	if (result)
		log_info("the PTX compiler failed with %d, the driver compiles instead: %s", (int)result,
			 bytes_string(&errors));
	bytes_finish(&errors);
	compiler->destroy(&handle);
	return result;
}

bool be_cubin_compile(const struct bytes *ptx, const struct be_codegen_options *options,
		      struct bytes *cubin_out, struct bytes *log)
{
	struct option_list list;
	struct bytes cubin = BYTES_INIT, info = BYTES_INIT;
	const struct be_ptx_compiler *compiler = ptx->size_B ? load() : NULL;
	if (!compiler)
		return false;
	make_options(&list, options, ptx);
	bool made = !compile(compiler, ptx, &list, &cubin, &info) && !bytes_failed(&cubin);
	/* After a failure the driver's compiler compiles the PTX, and its messages count. */
	if (made) {
		bytes_move(cubin_out, &cubin);
		bytes_append(log, info.data, info.size_B);
	}
	bytes_finish(&cubin);
	bytes_finish(&info);
	return made;
}

#else

const char *be_cubin_build(const struct gpu_device *device)
{
	(void)device;
	return "";
}

bool be_cubin_compile(const struct bytes *ptx, const struct be_codegen_options *options,
		      struct bytes *cubin_out, struct bytes *log)
{
	(void)ptx;
	(void)options;
	(void)cubin_out;
	(void)log;
	return false;
}

#endif
