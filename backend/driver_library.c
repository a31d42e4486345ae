#include "config.h"

#include "backend/driver_library.h"

#include <dlfcn.h>
#include <glob.h>

#if defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#else
#define TRIPLET "x86_64-linux-gnu"
#endif

/* Most of these folders are listed in /etc/ld.so.conf.d or in a program's environment, but not in containers and not
 * for programs with a C library of their own. */
const struct driver_folder driver_folders[] = {
	{"/usr/lib/wsl/lib", "WSL"},
	{"/usr/lib/wsl/drivers/nv*", "WSL"},
	{"/run/opengl-driver/lib", "NixOS"},
	{"/usr/lib/" TRIPLET "/nvidia", "Jetson"},
	{"/usr/lib/" TRIPLET "/tegra", "Jetson"},
	{"/usr/lib/" TRIPLET "/GL/nvidia-*/lib", "Flatpak"},
	{"/usr/lib/pressure-vessel/overrides/lib/" TRIPLET, "Steam"},
	{"/var/lib/snapd/lib/gl", "snap"},
	{"/usr/local/nvidia/lib64", "Google's Kubernetes Engine"},
	{"/usr/lib/" TRIPLET "/nvidia/current", "Debian"},
	/* The host's folder, of another distribution than the container's. */
	{"/usr/lib64", "a host like Fedora"},
	{"/usr/lib/" TRIPLET, "a host like Debian"},
	{NULL, NULL},
};

static void *try_open(const char *path, struct bytes *reasons)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();
		bytes_printf(reasons, "%s%s", reasons->size_B ? "; " : "", reason ? reason : path);
	}
	return handle;
}

static void *try_folder(const char *folder, const char *name, const char *root, struct bytes *reasons)
{
	struct bytes pattern = BYTES_INIT;
	glob_t matches;
	void *handle = NULL;
	bytes_printf(&pattern, "%s%s/%s", root, folder, name);
	if (!bytes_failed(&pattern) && !glob(bytes_string(&pattern), 0, NULL, &matches)) {
		for (size_t i = 0; i < matches.gl_pathc && !handle; i++)
			handle = try_open(matches.gl_pathv[i], reasons);
		globfree(&matches);
	}
	bytes_finish(&pattern);
	return handle;
}

void *driver_library_open(const char *name, const char *root, struct bytes *note)
{
	struct bytes reasons = BYTES_INIT;
	void *handle = try_open(name, &reasons);
	for (const struct driver_folder *folder = driver_folders; folder->path && !handle; folder++)
		handle = try_folder(folder->path, name, root, &reasons);
	if (!handle)
		bytes_append_string(note, bytes_string(&reasons));
	bytes_finish(&reasons);
	return handle;
}
