#include "config.h"

#include "base/host_llvm.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/stat.h>

/* Symbols of LLVM's IR, command line options and streams; every program that uses LLVM has one of these. */
static const char *const symbols[] = {
	"_ZN4llvm11LLVMContextC1Ev",
	"_ZN4llvm2cl6Option11addArgumentEv",
	"_ZN4llvm11raw_ostreamD2Ev",
};

/* The dynamic linker binds a versioned reference to a symbol without a version, but not to one of another version. */
static bool has_versions(const struct link_map *map)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_VERDEF)
			return true;
	return false;
}

/* The application may have loaded the same LLVM library that the compiler needs. */
static bool is_our_llvm(const char *path, const char *const *ours, size_t count)
{
	struct stat status, own;
	if (stat(path, &status))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!stat(ours[i], &own) && own.st_dev == status.st_dev && own.st_ino == status.st_ino)
			return true;
	return false;
}

bool host_llvm_in_the_way(const char *const *ours, size_t count, struct bytes *name)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const void *address = dlsym(RTLD_DEFAULT, symbols[i]);
		Dl_info info;
		void *extra = NULL;
		if (!address || !dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) || !extra ||
		    has_versions(extra) || is_our_llvm(info.dli_fname, ours, count))
			continue;
		bytes_append_string(name, info.dli_fname);
		return true;
	}
	return false;
}
