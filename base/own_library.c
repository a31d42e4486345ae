#include "config.h"

#include "base/own_library.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

/* Its address tells where our own code lies. */
static const char here;

/* "/usr/lib/libculvert.so" -> "/usr/lib/". */
static void append_own_folder(struct bytes *path)
{
	Dl_info info;
	if (!dladdr(&here, &info) || !info.dli_fname)
		return;
	const char *slash = strrchr(info.dli_fname, '/');
	if (slash)
		bytes_append(path, info.dli_fname, (size_t)(slash - info.dli_fname) + 1);
}

static const char *const folders[] = {"", "culvert/", CULVERT_LIBDIR "/"};
enum { FOLDERS = sizeof(folders) / sizeof(folders[0]) };

/* folder: absolute, or relative to where our own code lies. */
static void append_path(struct bytes *path, const char *folder, const char *name)
{
	if (*folder != '/')
		append_own_folder(path);
	bytes_append_string(path, folder);
	bytes_append_string(path, name);
}

static void *open_in(const char *folder, const char *name, struct bytes *note)
{
	struct bytes path = BYTES_INIT;
	append_path(&path, folder, name);
	void *handle = bytes_failed(&path) ? NULL : dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		bytes_printf(note, "%s%s", note->size_B ? "; " : "", bytes_string(&path));
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
	const char *reason = dlerror();
	bytes_printf(note, ": not to be loaded%s%s", reason ? ": " : "", reason ? reason : "");
	return NULL;
}

bool own_library_find(const char *name, struct bytes *path)
{
	bool found = false;
	for (size_t i = 0; i < FOLDERS && !found; i++) {
		struct bytes candidate = BYTES_INIT;
		append_path(&candidate, folders[i], name);
		found = !bytes_failed(&candidate) && !access(candidate.data, R_OK);
		if (found)
			bytes_append(path, candidate.data, candidate.size_B);
		bytes_finish(&candidate);
	}
	return found;
}
