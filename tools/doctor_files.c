/* The driver's library as files show it: where a program would find libcuda.so.1. */
#include "config.h"

#include "backend/driver_library.h"
#include "tools/finding.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char library_name[] = "libcuda.so.1";
enum { OLDEST_RELEASE = 100 };

struct search {
	const struct findings *findings;
	char path[PATH_MAX];         /* without root; "" as long as it is not found */
	const char *system;          /* whose folder it is, or NULL: one of the dynamic linker's */
};

/* folder: without root; may be a pattern.  The first file stays. */
static void look_in(struct search *search, const char *folder, const char *system)
{
	const struct findings *findings = search->findings;
	struct bytes pattern = BYTES_INIT;
	glob_t matches;
	bytes_printf(&pattern, "%s%s/%s", findings->root, folder, library_name);
	/* glob takes a link for there whose target is not: of other roots absolute ones lead out. */
	if (!*search->path && !bytes_failed(&pattern) && !glob(bytes_string(&pattern), 0, NULL, &matches)) {
		snprintf(search->path, sizeof(search->path), "%s", matches.gl_pathv[0] + strlen(findings->root));
		search->system = system;
		globfree(&matches);
	}
	bytes_finish(&pattern);
}

/* Files that include each other end at this depth. */
enum { DEPTH_MAX = 4 };

/* path: with root; as ldconfig reads it (ldconfig(8)): folders, and "include PATTERN", relative to the file. */
static void look_at_configuration(struct search *search, const char *path, unsigned depth)
{
	const char *root = search->findings->root;
	char line[PATH_MAX];
	FILE *file = depth < DEPTH_MAX ? fopen(path, "re") : NULL;
	while (file && fgets(line, sizeof(line), file)) {
		char *rest = NULL, *word;
		struct bytes pattern = BYTES_INIT;
		glob_t matches;
		line[strcspn(line, "#")] = '\0';
		word = strtok_r(line, " \t\n", &rest);
		const bool includes = word && !strcmp(word, "include");
		word = includes ? strtok_r(NULL, " \t\n", &rest) : word;
		if (word && !includes)
			look_in(search, word, NULL);
		if (!word || !includes)
			continue;
		bytes_printf(&pattern, "%s%s%s", root, *word == '/' ? "" : "/etc/", word);
		if (!bytes_failed(&pattern) && !glob(bytes_string(&pattern), 0, NULL, &matches)) {
			for (size_t i = 0; i < matches.gl_pathc; i++)
				look_at_configuration(search, matches.gl_pathv[i], depth + 1);
			globfree(&matches);
		}
		bytes_finish(&pattern);
	}
	if (file)
		fclose(file);
}

/* In the order of the dynamic linker (ld.so(8)), then where Culvert looks itself. */
static void look_everywhere(struct search *search)
{
	static const char *const trusted[] = {
		"/lib/*-linux-gnu", "/usr/lib/*-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
	};
	char *configuration = finding_path(search->findings, "/etc/ld.so.conf");
	if (configuration)
		look_at_configuration(search, configuration, 0);
	free(configuration);
	for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++)
		look_in(search, trusted[i], NULL);
	for (const struct driver_folder *folder = driver_folders; folder->path; folder++)
		look_in(search, folder->path, folder->system);
}

/* What the file is a link to, without its folder: it has the version in its name.  "": it is none. */
static void link_name(const struct search *search, char name[NAME_MAX + 1])
{
	char *whole = finding_path(search->findings, search->path), target[PATH_MAX];
	const ssize_t length = whole ? readlink(whole, target, sizeof(target) - 1) : -1;
	target[length > 0 ? length : 0] = '\0';
	const char *slash = strrchr(target, '/');
	snprintf(name, NAME_MAX + 1, "%.*s", NAME_MAX, slash ? slash + 1 : target);
	free(whole);
}

static void describe(const struct search *search, struct bytes *text)
{
	char name[NAME_MAX + 1];
	link_name(search, name);
	bytes_append_string(text, search->path);
	if (*name)
		bytes_printf(text, " is %s", name);
	if (search->system)
		bytes_printf(text, ", which Culvert finds without the dynamic linker (%s)", search->system);
}

/* The driver's libraries work with the kernel module of their own release alone, but for those of NVIDIA's package
 * cuda-compat.  A Jetson's and WSL's libcuda.so.1.1 has no such number.  version: the module's. */
static bool is_of_another_release(const struct search *search, char version[FINDING_LINE_B])
{
	static const char start[] = "libcuda.so.";
	char name[NAME_MAX + 1];
	finding_line_of(search->findings, "/sys/module/nvidia/version", version);
	link_name(search, name);
	if (!*version || strncmp(name, start, strlen(start)) || strstr(search->path, "/compat/"))
		return false;
	return strtoul(name + strlen(start), NULL, 10) >= OLDEST_RELEASE && strcmp(name + strlen(start), version);
}

/* Container images of Jetsons have empty files where the host's are mounted. */
static bool is_empty(const struct search *search)
{
	struct stat status;
	char *whole = finding_path(search->findings, search->path);
	const bool empty = whole && !stat(whole, &status) && S_ISREG(status.st_mode) && !status.st_size;
	free(whole);
	return empty;
}

void doctor_driver_files(struct findings *findings)
{
	const char *kind = finding_container(findings);
	const char *mend = kind ? finding_mend_container(kind) : finding_mend_no_driver(findings);
	struct search search = {.findings = findings};
	struct bytes text = BYTES_INIT;
	char module[FINDING_LINE_B];
	look_everywhere(&search);
	if (*search.path)
		describe(&search, &text);
	if (!*search.path)
		finding_add(findings, "driver", findings->no_gpu ? FINDING_NOTE : FINDING_BAD,
			    findings->no_gpu ? NULL : mend, "%s, which comes with NVIDIA's driver, was not found",
			    library_name);
	else if (is_empty(&search))
		finding_add(findings, "driver", FINDING_BAD, mend, "%s is an empty file: the driver was not mounted",
			    search.path);
	else if (finding_wsl(findings) && strncmp(search.path, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")))
		finding_add(findings, "driver", FINDING_BAD,
			    "sudo apt purge 'libnvidia-compute-*'   # then: echo /usr/lib/wsl/lib | "
			    "sudo tee /etc/ld.so.conf.d/ld.wsl.conf && sudo ldconfig",
			    "%s; a driver for Linux does not work in WSL, and hides the one in /usr/lib/wsl/lib",
			    bytes_string(&text));
	else if (is_of_another_release(&search, module))
		finding_add(findings, "driver", FINDING_BAD, finding_mend_mismatch(findings),
			    "%s, but the kernel module has version %s", bytes_string(&text), module);
	else
		finding_add(findings, "driver", FINDING_GOOD, NULL, "%s", bytes_string(&text));
	bytes_finish(&text);
}
