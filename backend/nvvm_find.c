#include "config.h"

#include "backend/nvvm.h"

#include "backend/codegen.h"
#include "backend/driver_library.h"

#include "base/build_id.h"
#include "base/log.h"
#include "base/options.h"
#include "base/own_library.h"
#include "base/own_program.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The library for devices from BE_NVVM_SM_TURING on, and that for older ones, which may be the same.  Each is set once
 * and never changed. */
static _Atomic(const struct nvvm_library *) found[2];

static _Atomic(const struct nvvm_library *) *found_for(unsigned sm)
{
	return &found[sm < BE_NVVM_SM_TURING];
}

static const struct {
	const char *name;
	size_t offset_B;
} entries[] = {
#define ENTRY(name) {#name, offsetof(struct nvvm_library, name)}
	ENTRY(nvvmVersion),
	ENTRY(nvvmIRVersion),
	ENTRY(nvvmGetErrorString),
	ENTRY(nvvmCreateProgram),
	ENTRY(nvvmDestroyProgram),
	ENTRY(nvvmAddModuleToProgram),
	ENTRY(nvvmLazyAddModuleToProgram),
	ENTRY(nvvmCompileProgram),
	ENTRY(nvvmVerifyProgram),
	ENTRY(nvvmGetCompiledResultSize),
	ENTRY(nvvmGetCompiledResult),
	ENTRY(nvvmGetProgramLogSize),
	ENTRY(nvvmGetProgramLog),
#undef ENTRY
};

/* A search; what was tried is written to log. */
struct search {
	struct bytes *log;
	struct bytes *build;             /* not NULL: nothing is loaded, and the build ID is appended to it */
	struct nvvm_library *library;    /* filled in when a library is found */
	bool older;                      /* only one that compiles for BE_NVVM_SM_OLDEST is accepted */
	void *handle;
};

static const char *resolve(void *handle, struct nvvm_library *library)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		void *address = dlsym(handle, entries[i].name);
		if (!address)
			return entries[i].name;
		/* POSIX requires that a void pointer can hold a function's address. */
		memcpy((char *)library + entries[i].offset_B, &address, sizeof(address));
	}
	return NULL;
}

/* The size and the date of the file distinguish builds with the same version. */
static void describe(struct nvvm_library *library, int major, int minor)
{
	Dl_info info;
	struct stat status;
	void *entry;
	memcpy(&entry, &library->nvvmVersion, sizeof(entry));
	const char *name = dladdr(entry, &info) && info.dli_fname ? info.dli_fname : "?";
	char *real = realpath(name, NULL);
	if (stat(real ? real : name, &status))
		memset(&status, 0, sizeof(status));
	snprintf(library->id, sizeof(library->id),
		 "libnvvm %d.%d, IR %d.%d, at %s (%lld bytes of %lld)", major, minor,
		 library->ir_major, library->ir_minor, real ? real : name,
		 (long long)status.st_size, (long long)status.st_mtime);
	struct bytes build = BYTES_INIT;
	if (build_id_append(&build, real ? real : name) && build.size_B < sizeof(library->build))
		memcpy(library->build, build.data, build.size_B + 1);
	bytes_finish(&build);
	free(real);
}

static bool accept(struct search *search, const char *path)
{
	int major = 0, minor = 0;
	struct nvvm_library *library = search->library;
	const char *missing = resolve(search->handle, library);
	if (missing) {
		bytes_printf(search->log, "  %s: it lacks %s\n", path, missing);
		return false;
	}
	if (library->nvvmVersion(&major, &minor) ||
	    library->nvvmIRVersion(&library->ir_major, &library->ir_minor, &library->debug_major,
				   &library->debug_minor)) {
		bytes_printf(search->log, "  %s: its version cannot be queried\n", path);
		return false;
	}
	if (library->ir_major != 2) {
		bytes_printf(search->log, "  %s: it supports NVVM IR %d.%d, but 2.0 is required\n", path,
			     library->ir_major, library->ir_minor);
		return false;
	}
	describe(library, major, minor);
	return true;
}

static bool compiles_for_older(struct search *search, const char *path)
{
	const bool compiles = be_nvvm_library_compiles(search->library, BE_NVVM_SM_OLDEST);
	if (!compiles)
		bytes_printf(search->log, "  %s: it does not compile for sm_%d\n", path, BE_NVVM_SM_OLDEST);
	return compiles;
}

static bool try_path(struct search *search, const char *path)
{
	if (strchr(path, '/') && access(path, F_OK)) {
		bytes_printf(search->log, "  %s: no such file\n", path);
		return false;
	}
	/* For a name without a folder, only the dynamic linker can tell which file it loads. */
	if (search->build)
		return !strchr(path, '/') || build_id_append(search->build, path);
	search->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!search->handle) {
		const char *reason = dlerror();
		bytes_printf(search->log, "  %s: %s\n", path, reason ? reason : "it cannot be loaded");
		return false;
	}
	if (!accept(search, path))
		dlclose(search->handle);
	else if (!search->older || compiles_for_older(search, path))
		return true;
	/* A library that has compiled stays loaded. */
	search->handle = NULL;
	return false;
}

/* Tries every file that matches, in reverse alphabetical order. */
static bool try_pattern(struct search *search, const char *pattern)
{
	glob_t matches;
	bool done = false;
	if (glob(pattern, 0, NULL, &matches)) {
		bytes_printf(search->log, "  %s: no such file\n", pattern);
		return false;
	}
	for (size_t i = matches.gl_pathc; i-- > 0 && !done;)
		done = try_path(search, matches.gl_pathv[i]);
	globfree(&matches);
	return done;
}

static bool try_below(struct search *search, const char *folder, const char *const *tails,
		      size_t count)
{
	bool done = false;
	for (size_t i = 0; i < count && !done; i++) {
		struct bytes pattern = BYTES_INIT;
		bytes_printf(&pattern, "%s%s", folder, tails[i]);
		done = !bytes_failed(&pattern) && try_pattern(search, pattern.data);
		bytes_finish(&pattern);
	}
	return done;
}

static bool try_toolkit(struct search *search, const char *root)
{
	static const char *const tails[] = {
		"/nvvm/lib64/libnvvm.so.[0-9]", "/nvvm/lib/libnvvm.so.[0-9]",
		"/lib64/libnvvm.so.[0-9]", "/lib/libnvvm.so.[0-9]",
	};
	return root && *root && try_below(search, root, tails, sizeof(tails) / sizeof(tails[0]));
}

/* The library that `make install` has copied beside Culvert's own files, if the build had one. */
static bool try_own(struct search *search)
{
	struct bytes path = BYTES_INIT;
	bool done = own_library_find("libnvvm.so.4", &path) && !bytes_failed(&path) &&
		    try_path(search, bytes_string(&path));
	bytes_finish(&path);
	return done;
}

static bool try_toolkits(struct search *search)
{
#ifdef CULVERT_NVVM_PATH
	if (try_path(search, CULVERT_NVVM_PATH))
		return true;
#endif
	if (try_own(search))
		return true;
	return try_toolkit(search, secure_getenv("CUDA_HOME")) ||
	       try_toolkit(search, secure_getenv("CUDA_PATH")) ||
	       try_toolkit(search, "/usr/local/cuda") ||
	       try_path(search, "libnvvm.so.4");
}

/* packages: the path of a site-packages folder, as a pattern. */
static bool try_wheels(struct search *search, const char *prefix, const char *packages)
{
	static const char *const tails[] = {
		"/nvidia/cu[0-9]*/lib*/libnvvm.so*", "/nvidia/cu[0-9]*/nvvm/lib*/libnvvm.so*",
		"/nvidia/cuda_nvcc/nvvm/lib*/libnvvm.so*", "/nvidia/nvvm/lib*/libnvvm.so*",
	};
	struct bytes folder = BYTES_INIT;
	bytes_printf(&folder, "%s%s", prefix, packages);
	bool done = !bytes_failed(&folder) &&
		    try_below(search, folder.data, tails, sizeof(tails) / sizeof(tails[0]));
	bytes_finish(&folder);
	return done;
}

static char host_program[PATH_MAX];

void be_nvvm_beside(const char *program)
{
	snprintf(host_program, sizeof(host_program), "%s", program);
}

/* For the program /opt/py/bin/python3 the prefix is /opt/py. */
static bool try_python(struct search *search, const char *program)
{
	const char *name = strrchr(program, '/');
	if (!name || strncmp(name + 1, "python", strlen("python")))
		return false;
	/* The program may be without bin/. */
	const char *end = memrchr(program, '/', (size_t)(name - program));
	char *folder = end ? strndup(program, (size_t)(end - program)) : NULL;
	const bool done = folder && try_wheels(search, folder, "/lib/python3*/site-packages");
	free(folder);
	return done;
}

/* If the application is a Python interpreter: its virtual environment, then its own prefix. */
static bool try_own_python(struct search *search)
{
	char *path = *host_program ? strdup(host_program) : own_program();
	if (!path)
		return false;
	bool done = try_python(search, path);
	char *real = done ? NULL : realpath(path, NULL);
	done = done || (real && strcmp(real, path) && try_python(search, real));
	free(real);
	free(path);
	return done;
}

static bool try_pythons(struct search *search)
{
	const char *environment = secure_getenv("VIRTUAL_ENV");
	const char *conda = secure_getenv("CONDA_PREFIX");
	const char *home = secure_getenv("HOME");
	if (environment && *environment &&
	    try_wheels(search, environment, "/lib/python3*/site-packages"))
		return true;
	if (conda && *conda && (try_toolkit(search, conda) ||
				try_wheels(search, conda, "/lib/python3*/site-packages")))
		return true;
	if (try_own_python(search))
		return true;
	if (home && *home && try_wheels(search, home, "/.local/lib/python3*/site-packages"))
		return true;
	return try_wheels(search, "/usr/local/lib", "/python3*/dist-packages") ||
	       try_wheels(search, "/usr/lib", "/python3/dist-packages");
}

/* The libraries that come with the driver. */
static bool try_driver(struct search *search)
{
	static const char *const tail[] = {"/libnvidia-nvvm.so.4"};
	bool done = try_path(search, tail[0] + 1);
	for (const struct driver_folder *folder = driver_folders; folder->path && !done; folder++) {
		glob_t matches;
		/* Most systems do not have these folders, so they are not logged. */
		if (glob(folder->path, 0, NULL, &matches))
			continue;
		done = try_below(search, folder->path, tail, 1);
		globfree(&matches);
	}
	return done;
}

static bool search_all(struct search *search)
{
	const char *wanted = option_string(OPTION_LIBNVVM);
	if (*wanted)
		return try_path(search, wanted);
	return try_toolkits(search) || try_pythons(search) || try_driver(search);
}

const struct nvvm_library *be_nvvm_library_found(unsigned sm)
{
	return atomic_load_explicit(found_for(sm), memory_order_acquire);
}

/* Several threads may search at the same time; the first that finds a library stores it for all. */
static const struct nvvm_library *library_search(unsigned sm, struct bytes *tried)
{
	const struct nvvm_library *none = NULL;
	struct search search = {.log = tried, .older = sm < BE_NVVM_SM_TURING};
	struct nvvm_library *library = search.library = calloc(1, sizeof(*library));
	if (!library || !search_all(&search)) {
		free(library);
		return NULL;
	}
	if (!atomic_compare_exchange_strong(found_for(sm), &none, library)) {
		dlclose(search.handle);
		free(library);
		return none;
	}
	log_info("%s", library->id);
	return library;
}

/* The library for newer devices, if it compiles for older ones as well. */
static const struct nvvm_library *library_for_both(void)
{
	struct bytes log = BYTES_INIT;
	const struct nvvm_library *both = be_nvvm_library(BE_NVVM_SM_TURING, &log), *none = NULL;
	bytes_finish(&log);
	if (!both || !be_nvvm_library_compiles(both, BE_NVVM_SM_OLDEST))
		return NULL;
	return atomic_compare_exchange_strong(found_for(BE_NVVM_SM_OLDEST), &none, both) ? both : none;
}

const struct nvvm_library *be_nvvm_library(unsigned sm, struct bytes *log)
{
	const struct nvvm_library *library = be_nvvm_library_found(sm);
	struct bytes tried = BYTES_INIT;
	if (!library && sm < BE_NVVM_SM_TURING)
		library = library_for_both();
	if (!library && !(library = library_search(sm, &tried))) {
		bytes_append_string(log, "libnvvm, which compiles kernels, was not found; "
				    "set CULVERT_LIBNVVM to its path. Searched:\n");
		bytes_append(log, tried.data, tried.size_B);
	}
	bytes_finish(&tried);
	return library;
}

bool be_nvvm_library_build(struct bytes *text)
{
	struct bytes log = BYTES_INIT;
	struct search search = {.log = &log, .build = text};
	bool known = search_all(&search) && text->size_B && !bytes_failed(text);
	bytes_finish(&log);
	return known;
}
