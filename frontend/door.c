/* The functions of frontend.h in libculvert.so, which loads the compiler when it is first needed. */
#include "config.h"

#include "base/build_id.h"
#include "base/host_llvm.h"
#include "base/log.h"
#include "base/own_library.h"
#include "build_name.h"
#include "frontend/compiler.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static const char file_name[] = "libculvert-frontend.so";
/* The shared libraries of LLVM that the compiler loads, up to a NULL: none where LLVM is inside. */
static const char *const llvm_files[] = {CULVERT_LLVM_FILES NULL};
enum { LLVM_FILES = sizeof(llvm_files) / sizeof(llvm_files[0]) - 1 };

/* Set once and never changed; several threads that load it at the same time find the same library. */
static _Atomic(const struct fe_compiler *) loaded;

static const struct fe_compiler *load(struct bytes *log)
{
	const struct fe_compiler *compiler = atomic_load_explicit(&loaded, memory_order_acquire);
	if (compiler)
		return compiler;
	struct bytes note = BYTES_INIT;
	if (LLVM_FILES && host_llvm_in_the_way(llvm_files, LLVM_FILES, &note)) {
		bytes_printf(log,
			     "The compiler cannot be loaded into this process: %s has an LLVM of its own, whose "
			     "symbols it exports without versions. Compile in a separate process "
			     "(CULVERT_COMPILER=process), or link that program without --export-dynamic\n",
			     bytes_string(&note));
		bytes_finish(&note);
		return NULL;
	}
	void *handle = own_library_open(file_name, &note);
	compiler = handle ? dlsym(handle, "culvert_compiler") : NULL;
	if (!compiler) {
		bytes_printf(log, "The compiler could not be loaded: %s\n",
			     handle ? "it is not the compiler of Culvert" : bytes_string(&note));
	} else if (strcmp(compiler->build_name, CULVERT_BUILD)) {
		bytes_printf(log, "The compiler, %s, is from build %s, not from " CULVERT_BUILD "\n",
			     file_name, compiler->build_name);
		compiler = NULL;
	} else {
		atomic_store_explicit(&loaded, compiler, memory_order_release);
		log_info("compiler: %s", compiler->compiler_id());
	}
	bytes_finish(&note);
	return compiler;
}

enum fe_status fe_compile(const struct fe_compile_job *job, struct bytes *object_out,
			  struct bytes *log)
{
	const struct fe_compiler *compiler = load(log);
	return compiler ? compiler->compile(job, object_out, log) : FE_UNAVAILABLE;
}

enum fe_status fe_link(const struct fe_link_job *job, struct fe_program *program_out,
		       struct bytes *log)
{
	const struct fe_compiler *compiler = load(log);
	return compiler ? compiler->link(job, program_out, log) : FE_UNAVAILABLE;
}

enum fe_status fe_link_library(const struct fe_link_job *job, struct bytes *library_out,
			       struct bytes *log)
{
	const struct fe_compiler *compiler = load(log);
	return compiler ? compiler->link_library(job, library_out, log) : FE_UNAVAILABLE;
}

enum fe_status fe_build(const struct fe_compile_job *job, struct fe_program *program_out,
			struct bytes *object_out, struct bytes *log)
{
	const struct fe_compiler *compiler = load(log);
	return compiler ? compiler->build(job, program_out, object_out, log) : FE_UNAVAILABLE;
}

const void *fe_libdevice(size_t *size_B_out)
{
	struct bytes log = BYTES_INIT;
	const struct fe_compiler *compiler = load(&log);
	bytes_finish(&log);
	*size_B_out = 0;
	return compiler ? compiler->libdevice(size_B_out) : NULL;
}

const char *fe_compiler_id(void)
{
	struct bytes log = BYTES_INIT;
	const struct fe_compiler *compiler = load(&log);
	bytes_finish(&log);
	return compiler ? compiler->compiler_id() : "";
}

bool fe_compiler_build(struct bytes *text)
{
	/* The files of LLVM, which the compiler's library also loads, are part of the identity. */
	return build_id_append_own(text, file_name, llvm_files, LLVM_FILES);
}
