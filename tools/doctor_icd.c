/* How programs come to Culvert: .icd files, the loader, the platforms it shows. */
#include "config.h"

#include "tools/finding.h"
#include "tools/opencl.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char vendors_default[] = "/etc/OpenCL/vendors";

/* Where the loader looks (cl_khr_icd; OCL_ICD_VENDORS is ocl-icd's and Khronos').  Owned
 * by the caller. */
static char *vendors_folder(const struct findings *findings)
{
	const char *chosen = *findings->root ? NULL : getenv("OCL_ICD_VENDORS");
	return chosen && *chosen ? strdup(chosen) : finding_path(findings, vendors_default);
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

static void mend_missing(const char *folder, struct bytes *mend)
{
	struct bytes library = BYTES_INIT;
	if (!opencl_library(&library))
		bytes_append_string(&library, "libculvert.so");
	char *real = realpath(bytes_string(&library), NULL);
	/* Who has no loader and no other platform has no such folder. */
	if (access(folder, F_OK))
		bytes_printf(mend, "sudo mkdir -p %s && ", folder);
	bytes_printf(mend, "echo %s | sudo tee %s/culvert.icd", real ? real : library.data, folder);
	free(real);
	bytes_finish(&library);
}

/* True when it names Culvert. */
static bool look_at_file(struct findings *findings, const char *path)
{
	struct bytes name = BYTES_INIT, mend = BYTES_INIT;
	bool ours = false;
	if (access(path, R_OK)) {
		bytes_printf(&mend, "sudo chmod a+r %s", path);
		finding_add(findings, "icd", FINDING_CAREFUL, bytes_string(&mend),
			    "%s may not be read", path);
	} else {
		read_name(path, &name);
		ours = name.size_B && is_culvert(name.data);
		void *handle = !*findings->root && name.size_B ? dlopen(name.data, RTLD_LAZY) : NULL;
		const char *reason = handle || *findings->root ? NULL : dlerror();
		if (!name.size_B)
			finding_add(findings, "icd", FINDING_CAREFUL, NULL, "%s names no library",
				    path);
		else if (reason)
			finding_add(findings, "icd", ours ? FINDING_BAD : FINDING_CAREFUL,
				    ours ? "sudo ldconfig" : NULL, "%s names %s, which cannot be loaded: %s",
				    path, name.data, reason);
		else
			finding_add(findings, "icd", FINDING_GOOD, NULL, "%s names %s", path,
				    name.data);
	}
	bytes_finish(&name);
	bytes_finish(&mend);
	return ours;
}

void doctor_icd_files(struct findings *findings)
{
	char *folder = vendors_folder(findings);
	struct bytes pattern = BYTES_INIT, mend = BYTES_INIT, more = BYTES_INIT;
	glob_t matches;
	unsigned ours = 0;
	bytes_printf(&pattern, "%s/*.icd", folder ? folder : "");
	bytes_append_string(&more, "sudo rm");
	if (!bytes_failed(&pattern) && !glob(pattern.data, 0, NULL, &matches)) {
		for (size_t i = 0; i < matches.gl_pathc; i++)
			if (look_at_file(findings, matches.gl_pathv[i]) && ours++)
				bytes_printf(&more, " %s", matches.gl_pathv[i]);
		globfree(&matches);
	}
	/* Loaders ask each file's library, also one that they have asked before. */
	if (ours > 1)
		finding_add(findings, "icd", FINDING_CAREFUL, bytes_string(&more),
			    "%u .icd files name Culvert: programs see it, and each GPU, that often", ours);
	mend_missing(folder ? folder : vendors_default, &mend);
	const char *files = *findings->root ? NULL : getenv("OCL_ICD_FILENAMES");
	if (!ours && !(files && strstr(files, "libculvert.so")))
		finding_add(findings, "icd", FINDING_BAD, bytes_string(&mend),
			    "no .icd file in %s names Culvert", folder ? folder : "?");
	bytes_finish(&more);
	bytes_finish(&mend);
	bytes_finish(&pattern);
	free(folder);
}

/* --- the loader ------------------------------------------------------------------- */

struct loader {
	cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *);
	cl_int (*platform_info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
};

static bool find_calls(void *handle, struct loader *loader)
{
	void *platforms = dlsym(handle, "clGetPlatformIDs");
	void *info = dlsym(handle, "clGetPlatformInfo");
	/* POSIX lets a function's address travel in a void pointer. */
	memcpy(&loader->platforms, &platforms, sizeof(platforms));
	memcpy(&loader->platform_info, &info, sizeof(info));
	return platforms && info;
}

static void look_at_platforms(struct findings *findings, const struct loader *loader)
{
	enum { PLATFORMS_MAX = 32 };
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
		ours |= !strcmp(name, "Culvert");
		finding_add(findings, "platform", FINDING_GOOD, NULL, "%u: %s, %s", (unsigned)i, name,
			    version);
	}
	if (!ours)
		finding_add(findings, "platform", FINDING_BAD, NULL,
			    "the loader shows %u platforms, and Culvert is not among them",
			    (unsigned)count);
}

void doctor_loader(struct findings *findings)
{
	struct loader loader;
	Dl_info info;
	void *handle = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();
		finding_add(findings, "loader", FINDING_BAD, "sudo apt install ocl-icd-libopencl1",
			    "there is no OpenCL loader: %s", reason ? reason : "?");
		return;
	}
	if (!find_calls(handle, &loader)) {
		finding_add(findings, "loader", FINDING_BAD,
			    "sudo apt install --reinstall ocl-icd-libopencl1",
			    "libOpenCL.so.1 is no OpenCL loader");
		return;
	}
	void *symbol = dlsym(handle, "clGetPlatformIDs");
	char *real = dladdr(symbol, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
	finding_add(findings, "loader", FINDING_GOOD, NULL, "%s%s", real ? real : "libOpenCL.so.1",
		    dlsym(handle, "clGetICDLoaderInfoOCLICD") ? " (ocl-icd)" : "");
	free(real);
	look_at_platforms(findings, &loader);
}
