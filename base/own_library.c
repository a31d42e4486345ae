#include "config.h"

#include "base/own_library.h"

#include "base/own_program.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its address is inside the loaded file of this code. */
static const char here;

/* The file that contains this code.  If that is a program and not a library, the linker only knows the name by which
 * it was called, which may be without a folder, or wrong. */
static char *own_file(void)
{
	Dl_info info;
	void *extra;
	if (!dladdr1(&here, &info, &extra, RTLD_DL_LINKMAP) || !info.dli_fname)
		return NULL;
	const struct link_map *map = extra;
	return *map->l_name ? strdup(info.dli_fname) : own_program_file();
}

/* From "/usr/lib/libculvert.so", appends "/usr/lib/". */
static bool append_own_folder(struct bytes *path)
{
	char *file = own_file();
	const char *slash = file ? strrchr(file, '/') : NULL;
	const bool known = slash != NULL;
	if (known)
		bytes_append(path, file, (size_t)(slash - file) + 1);
	free(file);
	return known;
}

static const char *const folders[] = {"", "culvert/", "../lib/culvert/", CULVERT_LIBDIR "/"};
enum { FOLDERS = sizeof(folders) / sizeof(folders[0]) };

/* folder: absolute, or relative to the folder of this code.  False if that folder is not known; the current folder
 * is never used. */
static bool append_path(struct bytes *path, const char *folder, const char *name)
{
	if (*folder != '/' && !append_own_folder(path))
		return false;
	bytes_append_string(path, folder);
	bytes_append_string(path, name);
	return !bytes_failed(path);
}

/* Appends "PATH: why". dlerror's message begins with the path, or with another file that is needed. */
static void tell_why(struct bytes *note, const char *path)
{
	const char *reason = dlerror();
	const size_t length = strlen(path);
	if (access(path, F_OK) && errno == ENOENT)
		reason = "no such file";
	else if (reason && !strncmp(reason, path, length) && !strncmp(reason + length, ": ", 2))
		reason += length + 2;
	bytes_printf(note, "%s%s: %s", note->size_B ? "; " : "", path,
		     reason ? reason : "it cannot be loaded");
}

static void *open_in(const char *folder, const char *name, struct bytes *note)
{
	struct bytes path = BYTES_INIT;
	void *handle = NULL;
	if (append_path(&path, folder, name)) {
		handle = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
		if (!handle)
			tell_why(note, path.data);
	}
	bytes_finish(&path);
	return handle;
}

void *own_library_open(const char *name, struct bytes *note)
{
	for (size_t i = 0; i < FOLDERS; i++) {
		void *handle = open_in(folders[i], name, note);
		if (handle) {
			bytes_finish(note);
			return handle;
		}
	}
	return NULL;
}

bool own_library_find(const char *name, struct bytes *path)
{
	bool found = false;
	for (size_t i = 0; i < FOLDERS && !found; i++) {
		struct bytes candidate = BYTES_INIT;
		found = append_path(&candidate, folders[i], name) &&
			!access(candidate.data, R_OK);
		if (found)
			bytes_append(path, candidate.data, candidate.size_B);
		bytes_finish(&candidate);
	}
	return found;
}
