/* Why NVIDIA's kernel module is not loaded, as files tell it: there is none for this kernel, a file forbids it, or the
 * firmware lets the kernel take signed ones alone. */
#include "config.h"

#include "tools/finding.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_B = FINDING_LINE_B };

/* path: a list of a kernel's modules (depmod(8)), each line "FILE: what it depends on".  Debian's has another name. */
static bool lists_module(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size_B = 0;
	bool found = false;
	while (file && !found && getline(&line, &size_B, file) > 0) {
		line[strcspn(line, ":")] = '\0';
		found = strstr(line, "/nvidia.ko") || strstr(line, "/nvidia-current.ko");
	}
	if (file)
		fclose(file);
	free(line);
	return found;
}

/* What is known of the modules in /lib/modules. */
struct modules {
	char release[LINE_B];        /* of the kernel that runs */
	bool lists, has_nvidia;      /* this kernel's list is there, and has NVIDIA's module */
	bool others_list, others_have_nvidia;
};

static void look_at_lists(const struct findings *findings, struct modules *modules)
{
	char *pattern = finding_path(findings, "/lib/modules/*/modules.dep"), folder[LINE_B + 2];
	glob_t matches;
	finding_line_of(findings, "/proc/sys/kernel/osrelease", modules->release);
	snprintf(folder, sizeof(folder), "/%s/", modules->release);
	if (pattern && !glob(pattern, 0, NULL, &matches)) {
		for (size_t i = 0; i < matches.gl_pathc; i++) {
			const bool this_kernel = strstr(matches.gl_pathv[i] + strlen(findings->root), folder);
			const bool nvidia = lists_module(matches.gl_pathv[i]);
			*(this_kernel ? &modules->lists : &modules->others_list) = true;
			*(this_kernel ? &modules->has_nvidia : &modules->others_have_nvidia) |= nvidia;
		}
		globfree(&matches);
	}
	free(pattern);
}

/* modprobe.d(5): prime-select(8) writes "alias nvidia off" for the processor's GPU; others write "install". */
static bool forbids_module(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[LINE_B];
	bool forbidden = false;
	while (file && !forbidden && fgets(line, sizeof(line), file)) {
		char command[16] = "", module[16] = "", value[16] = "";
		sscanf(line, "%15s %15s %15s", command, module, value);
		forbidden = !strcmp(module, "nvidia") && ((!strcmp(command, "alias") && !strcmp(value, "off")) ||
							  (!strcmp(command, "install") && strstr(value, "/false")));
	}
	if (file)
		fclose(file);
	return forbidden;
}

/* The first file that forbids the module, without root; "" when none does. */
static void find_prohibition(const struct findings *findings, char path[FINDING_LINE_B])
{
	static const char *const folders[] = {
		"/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d",
	};
	*path = '\0';
	for (size_t k = 0; k < sizeof(folders) / sizeof(folders[0]) && !*path; k++) {
		char *folder = finding_path(findings, folders[k]);
		struct bytes pattern = BYTES_INIT;
		glob_t matches;
		bytes_printf(&pattern, "%s/*.conf", folder ? folder : "");
		if (!bytes_failed(&pattern) && !glob(bytes_string(&pattern), 0, NULL, &matches)) {
			for (size_t i = 0; i < matches.gl_pathc && !*path; i++)
				if (forbids_module(matches.gl_pathv[i]))
					snprintf(path, LINE_B, "%s", matches.gl_pathv[i] + strlen(findings->root));
			globfree(&matches);
		}
		bytes_finish(&pattern);
		free(folder);
	}
}

/* A variable of UEFI: four bytes of attributes, and 1. */
static bool boots_securely(const struct findings *findings)
{
	enum { ATTRIBUTES_B = 4 };
	static const char variable[] = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	char *path = finding_path(findings, variable);
	FILE *file = path ? fopen(path, "re") : NULL;
	unsigned char data[ATTRIBUTES_B + 1] = {0};
	const bool secure = file && fread(data, sizeof(data), 1, file) == 1 && data[ATTRIBUTES_B] == 1;
	if (file)
		fclose(file);
	free(path);
	return secure;
}

bool doctor_module(struct findings *findings)
{
	struct modules modules = {.release = ""};
	char prohibition[LINE_B];
	look_at_lists(findings, &modules);
	find_prohibition(findings, prohibition);
	if (*prohibition)
		finding_add(findings, "kernel", FINDING_BAD,
			    "sudo prime-select nvidia && sudo reboot   # or remove the line from that file",
			    "NVIDIA's kernel module is not loaded: %s forbids it", prohibition);
	else if (*modules.release && !modules.lists && modules.others_list)
		finding_add(findings, "kernel", FINDING_BAD, "sudo reboot",
			    "NVIDIA's kernel module is not loaded: the modules of the kernel that runs (%s) are no "
			    "longer installed, but those of another one are", modules.release);
	else if (modules.lists && !modules.has_nvidia && modules.others_have_nvidia)
		finding_add(findings, "kernel", FINDING_BAD, finding_mend_no_module(findings),
			    "NVIDIA's kernel module is installed for another kernel than the one that runs (%s)",
			    modules.release);
	else if (modules.has_nvidia && boots_securely(findings))
		finding_add(findings, "kernel", FINDING_BAD,
			    "sudo modprobe nvidia   # 'Key was rejected': sudo mokutil --import KEY && sudo reboot; "
			    "KEY is /var/lib/dkms/mok.pub, on Ubuntu /var/lib/shim-signed/mok/MOK.der",
			    "NVIDIA's kernel module is not loaded; with Secure Boot, the kernel takes only modules "
			    "whose key it knows");
	else
		return false;
	return true;
}
