#include "config.h"

#include "frontend/host_llvm.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/stat.h>

/* Of LLVM's IR, its command line options and its streams: whoever uses LLVM has one of them. */
static const char *const symbols[] = {
	"_ZN4llvm11LLVMContextC1Ev",
	"_ZN4llvm2cl6Option11addArgumentEv",
	"_ZN4llvm11raw_ostreamD2Ev",
};

/* ld.so binds a reference with a version to a symbol without one, but not to one of another version. */
static bool has_versions(const struct link_map *map)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_VERDEF)
			return true;
	return false;
}

/* The host may have loaded the very library that the compiler needs. */
static bool is_our_llvm(const char *path)
{
	static const char *const llvm[] = {CULVERT_LLVM_FILES};
	struct stat status, ours;
	if (stat(path, &status))
		return false;
	for (size_t i = 0; i < sizeof(llvm) / sizeof(llvm[0]); i++)
		if (!stat(llvm[i], &ours) && ours.st_dev == status.st_dev && ours.st_ino == status.st_ino)
			return true;
	return false;
}

bool fe_host_llvm_in_the_way(struct bytes *log)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const void *address = dlsym(RTLD_DEFAULT, symbols[i]);
		Dl_info info;
		void *extra = NULL;
		if (!address || !dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) || !extra ||
		    has_versions(extra) || is_our_llvm(info.dli_fname))
			continue;
		bytes_printf(log,
			     "The compiler cannot be loaded into this process: %s has an LLVM of its own, whose "
			     "symbols it exports without versions. Compile in a separate process "
			     "(CULVERT_COMPILER=process), or link that program without --export-dynamic\n",
			     info.dli_fname);
		return true;
	}
	return false;
}
