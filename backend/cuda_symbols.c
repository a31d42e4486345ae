#include "config.h"

#include "backend/cuda_symbols.h"

#include "backend/cuda_egl.h"
#include "backend/cuda_gl.h"
#include "backend/driver_library.h"
#include "base/options.h"
#include "base/own_library.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cuda_symbols cuda;
void (*cuda_note_memory)(uint64_t, uint64_t, unsigned);
int (*cuda_rest)(void *, uint64_t);

/* The compiler checks that each row has the type that <cuda.h> declares. */
#define CUDA_SYMBOL(name, need, parameters)                                    \
	static_assert(_Generic(&name, CUresult (CUDAAPI *) parameters: 1, default: 0), #name);
#include "backend/cuda_symbols.def"
#undef CUDA_SYMBOL

enum need { OPTIONAL, REQUIRED };

struct row {
	const char *name;
	enum need need;
	size_t offset_B;
};

static const struct row rows[] = {
#define CUDA_SYMBOL(name, need, parameters) {#name, need, offsetof(struct cuda_symbols, name)},
#include "backend/cuda_symbols.def"
#undef CUDA_SYMBOL
};

static const char software_name[] = "libculvert-softcuda.so";

static bool resolve_all(void *handle, struct cuda_symbols *symbols_out, struct bytes *note)
{
	struct cuda_symbols symbols;
	/* The software driver exports all functions, also those that the release as which it acts does not have
	 * (softcuda/control.h). */
	int (*lacks)(const char *);
	void *entry = dlsym(handle, "culvert_soft_lacks");
	memcpy(&lacks, &entry, sizeof(lacks));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *address = lacks && lacks(rows[i].name) ? NULL : dlsym(handle, rows[i].name);
		if (!address && rows[i].need == REQUIRED) {
			bytes_printf(note, "it lacks %s: a driver for CUDA 12.0 or newer is required",
				     rows[i].name);
			return false;
		}
		/* POSIX requires that a void pointer can hold a function's address. */
		memcpy((char *)&symbols + rows[i].offset_B, &address, sizeof(address));
	}
	*symbols_out = symbols;
	return true;
}

static void *open_library(struct bytes *note)
{
	const char *choice = option_string(OPTION_CUDA);
	if (!strcmp(choice, "soft"))
		return own_library_open(software_name, note);
	if (!strcmp(choice, "auto") || !strcmp(choice, "driver"))
		return driver_library_open("libcuda.so.1", "", note);
	void *handle = dlopen(choice, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();
		bytes_append_string(note, reason ? reason : choice);
	}
	return handle;
}

/* NVIDIA's library is the file libcuda.so.<version>; libcuda.so.1 is a link to it. */
static void describe_library(void *entry, struct gpu_library *library, struct bytes *note)
{
	Dl_info info;
	memset(library, 0, sizeof(*library));
	if (!dladdr(entry, &info) || !info.dli_fname)
		return;
	char *real = realpath(info.dli_fname, NULL);
	const char *path = real ? real : info.dli_fname;
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	library->software = !strncmp(file, software_name, strlen("libculvert-softcuda"));
	const char *version = strstr(file, ".so.");
	if (version && strchr(version + 4, '.'))
		snprintf(library->version, sizeof(library->version), "%s", version + 4);
	bytes_append_string(note, path);
	free(real);
}

bool gpu_symbols_load(struct gpu_library *library_out, struct bytes *note)
{
	void *handle = open_library(note);
	if (!handle)
		return false;
	if (!resolve_all(handle, &cuda, note)) {
		dlclose(handle);
		return false;
	}
	void *entry;
	memcpy(&entry, &cuda.cuInit, sizeof(entry));
	describe_library(entry, library_out, note);
	if (library_out->software) {
		entry = dlsym(handle, "culvert_soft_note_memory");
		memcpy(&cuda_note_memory, &entry, sizeof(entry));
		entry = dlsym(handle, "culvert_soft_rest");
		memcpy(&cuda_rest, &entry, sizeof(entry));
	}
	return true;
}
