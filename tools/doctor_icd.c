/* How programs come to Culvert: .icd files, the loader, the platforms it shows. */
#include "config.h"

#include "tools/finding.h"
#include "tools/opencl.h"
#include "tools/quoted.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char vendors_default[] = "/etc/OpenCL/vendors";
/* The loader of NixOS is built with this one. */
static const char vendors_nixos[] = "/run/opengl-driver/etc/OpenCL/vendors";

/* ocl-icd asks more than Khronos' loader in one way, and less in another.  Newer ones of both name their vendor, by a
 * function that they do not export. */
static bool is_ocl_icd(void *loader)
{
	static const char own[] = "OCL Icd";
	enum { LOADER_VENDOR = 4 }; /* CL_ICDL_VENDOR, which older headers lack */
	void *(*address)(const char *);
	cl_int (CL_API_CALL *get_info)(cl_uint, size_t, void *, size_t *);
	char vendor[64] = "";
	void *symbol = loader ? dlsym(loader, "clGetExtensionFunctionAddress") : NULL;
	if (!symbol)
		return false;
	/* POSIX lets a function's address travel in a void pointer. */
	memcpy(&address, &symbol, sizeof(address));
	symbol = address("clGetICDLoaderInfoOCLICD");
	memcpy(&get_info, &symbol, sizeof(get_info));
	return symbol && !get_info(LOADER_VENDOR, sizeof(vendor), vendor, NULL) && !strncmp(vendor, own, strlen(own));
}

static bool ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), end_length = strlen(end);
	return length >= end_length && !strcmp(text + length - end_length, end);
}

static const char *variable(const struct findings *findings, const char *name)
{
	const char *value = *findings->root ? NULL : getenv(name);
	return value && *value ? value : NULL;
}

/* Where the loader looks: a folder (cl_khr_icd; OCL_ICD_VENDORS is ocl-icd's and Khronos'); of
 * ocl-icd's also a file, of the folder that it would look in if it has no slash, or a library.
 * Owned by the caller. */
static char *vendors(const struct findings *findings, bool ocl_icd)
{
	const char *chosen = variable(findings, "OCL_ICD_VENDORS");
	const char *folder = ocl_icd ? variable(findings, "OPENCL_VENDOR_PATH") : NULL;
	struct bytes path = BYTES_INIT;
	if (chosen && ocl_icd && !strchr(chosen, '/') && ends_in(chosen, ".icd"))
		bytes_printf(&path, "%s/%s", folder ? folder : vendors_default, chosen);
	else if (chosen || folder)
		bytes_append_string(&path, chosen ? chosen : folder);
	else
		return finding_path(findings, finding_nixos(findings) ? vendors_nixos : vendors_default);
	char *place = bytes_failed(&path) ? NULL : strdup(bytes_string(&path));
	bytes_finish(&path);
	return place;
}

/* The library that an .icd file names; "" when it names none. */
static void read_name(const char *path, struct bytes *name)
{
	if (bytes_read_file(name, path) || !name->size_B)
		return;
	size_t length = strcspn(name->data, "\r\n");
	name->data[length] = '\0';
	name->size_B = length;
}

static bool is_culvert(const char *library)
{
	const char *slash = strrchr(library, '/');
	return !strncmp(slash ? slash + 1 : library, "libculvert.so", strlen("libculvert.so"));
}

/* Where /etc is not the user's to change. */
static const char *mend_sealed(const struct findings *findings)
{
	const char *kind = finding_container(findings);
	if (kind && !strcmp(kind, "Flatpak"))
		return "flatpak override --user --env=OCL_ICD_VENDORS=FOLDER APPLICATION   # a folder of yours with "
		       "culvert.icd";
	if (kind && finding_exists(findings, "/run/host/etc/OpenCL/vendors"))
		return "export OCL_ICD_VENDORS=/run/host/etc/OpenCL/vendors   # the host's files";
	if (finding_nixos(findings))
		return "sudo nixos-rebuild switch   # with Culvert in hardware.graphics.extraPackages";
	return NULL;
}

/* The command that writes the library's path to a file. */
static void mend_file(const char *file, const char *library, struct bytes *mend)
{
	bytes_append_string(mend, "echo ");
	quoted_append_word(mend, library);
	bytes_append_string(mend, " | sudo tee ");
	quoted_append_word(mend, file);
}

static bool is_file(const char *path)
{
	struct stat status;
	return !stat(path, &status) && S_ISREG(status.st_mode);
}

static void mend_missing(const struct findings *findings, const char *folder, struct bytes *mend)
{
	const char *sealed = mend_sealed(findings);
	if (sealed) {
		bytes_append_string(mend, sealed);
		return;
	}
	if (is_file(folder)) {
		bytes_append_string(mend, "unset OCL_ICD_VENDORS   # this loader takes no file, only a folder");
		return;
	}
	struct bytes library = BYTES_INIT, file = BYTES_INIT;
	if (!opencl_library(&library))
		bytes_append_string(&library, "libculvert.so");
	char *real = realpath(bytes_string(&library), NULL);
	/* Who has no loader and no other platform has no such folder. */
	if (access(folder, F_OK)) {
		bytes_append_string(mend, "sudo mkdir -p ");
		quoted_append_word(mend, folder);
		bytes_append_string(mend, " && ");
	}
	bytes_printf(&file, "%s/culvert.icd", folder);
	mend_file(bytes_string(&file), real ? real : bytes_string(&library), mend);
	free(real);
	bytes_finish(&file);
	bytes_finish(&library);
}

/* Who tells the loader of Culvert. */
struct registrations {
	struct findings *findings;
	char *own;                      /* the library beside this tool, or NULL */
	unsigned ours;
	bool own_seen;
	struct bytes not_own, not_first; /* paths of files as a shell reads them, each with a space ahead */
};

/* Where the library lies that was opened by that name; NULL when nowhere. */
static char *library_path(void *handle, const char *name)
{
	Dl_info info;
	void *symbol = handle ? dlsym(handle, "clGetExtensionFunctionAddress") : NULL;
	const bool found = symbol && dladdr(symbol, &info) && info.dli_fname;
	return realpath(found ? info.dli_fname : name, NULL);
}

static void append_path(struct bytes *paths, const char *path)
{
	bytes_append_char(paths, ' ');
	quoted_append_word(paths, path);
}

static void note_ours(struct registrations *all, const char *path, void *handle, const char *name)
{
	char *real = library_path(handle, name);
	const bool own = real && all->own && !strcmp(real, all->own) && !all->own_seen;
	if (all->ours++)
		append_path(&all->not_first, path);
	if (!own)
		append_path(&all->not_own, path);
	all->own_seen |= own;
	free(real);
}

/* Of a library of ours that cannot be loaded, such as a name alone in a folder that the dynamic linker does not
 * search.  path: who names it. */
static void mend_unloadable(const struct registrations *all, const char *path, struct bytes *mend)
{
	const bool variable = *path != '/';
	if (variable && all->own) {
		bytes_printf(mend, "export %s=", path);
		quoted_append_word(mend, all->own);
	} else if (variable) {
		bytes_printf(mend, "unset %s", path);
	} else if (all->own) {
		mend_file(path, all->own, mend);
	} else {
		bytes_append_string(mend, "sudo make install   # or install the package again");
	}
}

/* path: who names the library. */
static void look_at_library(struct registrations *all, const char *path, const char *name)
{
	struct findings *findings = all->findings;
	struct bytes mend = BYTES_INIT;
	const bool ours = is_culvert(name);
	void *handle = *findings->root ? NULL : dlopen(name, RTLD_LAZY);
	const char *reason = handle || *findings->root ? NULL : dlerror();
	if (reason && ours)
		mend_unloadable(all, path, &mend);
	if (reason)
		finding_add(findings, "icd", ours ? FINDING_BAD : FINDING_CAREFUL,
			    ours ? bytes_string(&mend) : NULL, "%s names %s, which cannot be loaded: %s",
			    path, name, reason);
	else
		finding_add(findings, "icd", FINDING_GOOD, NULL, "%s names %s", path, name);
	if (ours)
		note_ours(all, path, handle, name);
	bytes_finish(&mend);
}

static void look_at_file(struct registrations *all, const char *path)
{
	struct bytes name = BYTES_INIT, mend = BYTES_INIT;
	if (access(path, R_OK)) {
		bytes_append_string(&mend, "sudo chmod a+r ");
		quoted_append_word(&mend, path);
		finding_add(all->findings, "icd", FINDING_CAREFUL, bytes_string(&mend),
			    "%s cannot be read", path);
	} else {
		read_name(path, &name);
		if (name.size_B)
			look_at_library(all, path, name.data);
		else
			finding_add(all->findings, "icd", FINDING_CAREFUL, NULL,
				    "%s names no library", path);
	}
	bytes_finish(&name);
	bytes_finish(&mend);
}

static void look_at_folder(struct registrations *all, const char *folder)
{
	struct bytes pattern = BYTES_INIT;
	glob_t matches;
	bytes_printf(&pattern, "%s/*.icd", folder);
	if (!bytes_failed(&pattern) && !glob(pattern.data, 0, NULL, &matches)) {
		for (size_t i = 0; i < matches.gl_pathc; i++)
			look_at_file(all, matches.gl_pathv[i]);
		globfree(&matches);
	}
	bytes_finish(&pattern);
}

/* Libraries with colons between, which Khronos' loader asks before all others. */
static void look_at_names(struct registrations *all, const char *names, bool ocl_icd)
{
	if (ocl_icd) {
		finding_add(all->findings, "icd", FINDING_NOTE, NULL,
			    "OCL_ICD_FILENAMES is set, but ocl-icd ignores it; it uses OCL_ICD_VENDORS");
		return;
	}
	char *copy = strdup(names), *rest = NULL;
	for (char *name = copy ? strtok_r(copy, ":", &rest) : NULL; name;
	     name = strtok_r(NULL, ":", &rest))
		look_at_library(all, "OCL_ICD_FILENAMES", name);
	free(copy);
}

/* Loaders ask each file's library, also one that they have asked before.  The file stays that
 * names the library beside this tool, or else the first. */
static void complain_of_many(struct registrations *all)
{
	const char *paths = bytes_string(all->own_seen ? &all->not_own : &all->not_first);
	struct bytes mend = BYTES_INIT;
	const bool by_name = strstr(paths, " OCL_ICD_FILENAMES") != NULL;
	bytes_printf(&mend, by_name ? "unset OCL_ICD_FILENAMES" : "sudo rm%s", paths);
	finding_add(all->findings, "icd", FINDING_CAREFUL, bytes_string(&mend),
		    "%u .icd files name Culvert: programs see it, and each GPU, that many times", all->ours);
	bytes_finish(&mend);
}

/* Whether a file like that names Culvert. */
static bool names_culvert(const char *pattern)
{
	glob_t matches;
	bool found = false;
	if (glob(pattern, 0, NULL, &matches))
		return false;
	for (size_t i = 0; i < matches.gl_pathc && !found; i++) {
		struct bytes name = BYTES_INIT;
		read_name(matches.gl_pathv[i], &name);
		found = is_culvert(bytes_string(&name));
		bytes_finish(&name);
	}
	globfree(&matches);
	return found;
}

/* Programs of a conda environment use its loader, which knows no other folder than its own; a link there may lead to
 * the system's. */
static void look_at_conda(struct findings *findings)
{
	const char *prefix = variable(findings, "CONDA_PREFIX");
	struct bytes loader = BYTES_INIT, folder = BYTES_INIT, files = BYTES_INIT, below = BYTES_INIT;
	bytes_printf(&loader, "%s/lib/libOpenCL.so.1", prefix ? prefix : "");
	bytes_printf(&folder, "%s/etc/OpenCL/vendors", prefix ? prefix : "");
	bytes_printf(&files, "%s/*.icd", bytes_string(&folder));
	bytes_printf(&below, "%s/*/*.icd", bytes_string(&folder));
	if (prefix && !variable(findings, "OCL_ICD_VENDORS") && !variable(findings, "OPENCL_VENDOR_PATH") &&
	    !access(bytes_string(&loader), F_OK) && !names_culvert(bytes_string(&files)) &&
	    !names_culvert(bytes_string(&below)))
		finding_add(findings, "icd", FINDING_CAREFUL,
			    "conda install -c conda-forge ocl-icd-system   # or: export "
			    "OCL_ICD_VENDORS=/etc/OpenCL/vendors",
			    "%s, which programs of this conda environment use, searches only %s, and no .icd file "
			    "there names Culvert", bytes_string(&loader), bytes_string(&folder));
	bytes_finish(&loader);
	bytes_finish(&folder);
	bytes_finish(&files);
	bytes_finish(&below);
}

void doctor_icd_files(struct findings *findings)
{
	const bool ocl_icd = is_ocl_icd(dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL));
	const char *names = variable(findings, "OCL_ICD_FILENAMES");
	char *place = vendors(findings, ocl_icd);
	struct bytes mend = BYTES_INIT, library = BYTES_INIT;
	struct registrations all = {.findings = findings};
	if (opencl_library(&library))
		all.own = realpath(bytes_string(&library), NULL);
	if (names)
		look_at_names(&all, names, ocl_icd);
	if (place && ocl_icd && ends_in(place, ".icd") && !access(place, F_OK))
		look_at_file(&all, place);
	else if (place && ocl_icd && strstr(place, ".so"))
		look_at_library(&all, "OCL_ICD_VENDORS", place);
	else if (place)
		look_at_folder(&all, place);
	if (all.ours > 1)
		complain_of_many(&all);
	mend_missing(findings, place ? place : vendors_default, &mend);
	if (!all.ours)
		finding_add(findings, "icd", FINDING_BAD, bytes_string(&mend),
			    "no .icd file in %s names Culvert", place ? place : "?");
	look_at_conda(findings);
	bytes_finish(&all.not_own);
	bytes_finish(&all.not_first);
	bytes_finish(&mend);
	bytes_finish(&library);
	free(all.own);
	free(place);
}

/* --- the loader ------------------------------------------------------------------- */

struct loader {
	cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *);
	cl_int (*platform_info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
	cl_int (*devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
	cl_int (*device_info)(cl_device_id, cl_device_info, size_t, void *, size_t *);
};

static bool find_calls(void *handle, struct loader *loader)
{
	void *platforms = dlsym(handle, "clGetPlatformIDs");
	void *info = dlsym(handle, "clGetPlatformInfo");
	void *devices = dlsym(handle, "clGetDeviceIDs");
	void *device_info = dlsym(handle, "clGetDeviceInfo");
	/* POSIX lets a function's address travel in a void pointer. */
	memcpy(&loader->platforms, &platforms, sizeof(platforms));
	memcpy(&loader->platform_info, &info, sizeof(info));
	memcpy(&loader->devices, &devices, sizeof(devices));
	memcpy(&loader->device_info, &device_info, sizeof(device_info));
	return platforms && info && devices && device_info;
}

/* Loaders of some systems and clusters are built to search a folder of their own. */
static const char *mend_other_folder(const struct findings *findings)
{
	struct bytes files = BYTES_INIT;
	bytes_printf(&files, "%s/*.icd", vendors_default);
	const bool elsewhere = !variable(findings, "OCL_ICD_VENDORS") && !bytes_failed(&files) &&
			       names_culvert(bytes_string(&files));
	bytes_finish(&files);
	return elsewhere ? "export OCL_ICD_VENDORS=/etc/OpenCL/vendors   # this loader searches another folder" : NULL;
}

enum { PLATFORMS_MAX = 32 };

static bool is_culvert_platform(const struct loader *loader, cl_platform_id platform)
{
	char name[256] = "";
	loader->platform_info(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL);
	return !strcmp(name, "Culvert");
}

static void look_at_platforms(struct findings *findings, const struct loader *loader)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint count = 0;
	bool ours = false;
	if (loader->platforms(PLATFORMS_MAX, platforms, &count))
		count = 0;
	for (cl_uint i = 0; i < count && i < PLATFORMS_MAX; i++) {
		char name[256] = "?", version[256] = "?";
		loader->platform_info(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
		loader->platform_info(platforms[i], CL_PLATFORM_VERSION, sizeof(version), version,
				      NULL);
		ours |= is_culvert_platform(loader, platforms[i]);
		finding_add(findings, "platform", FINDING_GOOD, NULL, "%u: %s, %s", (unsigned)i, name,
			    version);
	}
	if (!ours)
		finding_add(findings, "platform", FINDING_BAD, mend_other_folder(findings),
			    "the loader reports %u platforms, and Culvert is not one of them",
			    (unsigned)count);
}

/* A function of OpenCL 3.0 that a program links to: without it, the program does not start.  Loaders of Ubuntu 20.04
 * and of older CUDA toolkits lack it. */
static void look_at_age(struct findings *findings, void *handle)
{
	const char *folders = getenv("LD_LIBRARY_PATH");
	if (!dlsym(handle, "clCreateBufferWithProperties"))
		finding_add(findings, "loader", FINDING_CAREFUL,
			    folders && *folders ? "unset LD_LIBRARY_PATH   # if it names a folder with an old loader"
						: finding_mend_no_loader(findings),
			    "this loader is older than OpenCL 3.0: programs that use functions of 3.0 do not start");
}

void doctor_loader(struct findings *findings)
{
	struct loader loader;
	Dl_info info;
	void *handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();
		finding_add(findings, "loader", FINDING_BAD, finding_mend_no_loader(findings),
			    "no OpenCL loader found: %s", reason ? reason : "?");
		return;
	}
	if (!find_calls(handle, &loader)) {
		finding_add(findings, "loader", FINDING_BAD,
			    finding_mend_no_loader(findings),
			    "libOpenCL.so.1 is not an OpenCL loader");
		return;
	}
	void *symbol = dlsym(handle, "clGetPlatformIDs");
	char *real = dladdr(symbol, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
	finding_add(findings, "loader", FINDING_GOOD, NULL, "%s%s", real ? real : "libOpenCL.so.1",
		    is_ocl_icd(handle) ? " (ocl-icd)" : "");
	free(real);
	look_at_age(findings, handle);
	look_at_platforms(findings, &loader);
}

static void compare_versions(struct findings *findings, const struct loader *loader, cl_uint number,
			     cl_platform_id platform)
{
	cl_device_id device;
	char version[256] = "";
	if (loader->devices(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) ||
	    loader->device_info(device, CL_DRIVER_VERSION, sizeof(version), version, NULL))
		return;
	if (!ends_in(version, " culvert " PACKAGE_VERSION))
		finding_add(findings, "platform", FINDING_CAREFUL, NULL,
			    "platform %u, driver version %s, belongs to a different installation than this tool, "
			    "which is Culvert " PACKAGE_VERSION, (unsigned)number, version);
}

void doctor_versions(struct findings *findings)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint count = 0;
	struct loader loader;
	void *handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!handle || !find_calls(handle, &loader) || loader.platforms(PLATFORMS_MAX, platforms, &count))
		return;
	for (cl_uint i = 0; i < count && i < PLATFORMS_MAX; i++)
		if (is_culvert_platform(&loader, platforms[i]))
			compare_versions(findings, &loader, i, platforms[i]);
}
