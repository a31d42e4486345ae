/* The GPU as the kernel shows it: on the bus, by its module, under /dev. */
#include "config.h"

#include "tools/finding.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_B = 128 };

/* The first line of a file of /sys or /proc, whose sizes say nothing; "" without one. */
static void read_line(const char *path, char line[LINE_B])
{
	FILE *file = fopen(path, "re");
	if (!file || !fgets(line, LINE_B, file))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* vendor: the path of a PCI device's file of that name.  Class 0x03: it draws or computes. */
static bool is_gpu(const char *vendor)
{
	char path[512], line[LINE_B];
	read_line(vendor, line);
	if (strcmp(line, "0x10de"))
		return false;
	snprintf(path, sizeof(path), "%.*sclass", (int)(strlen(vendor) - strlen("vendor")), vendor);
	read_line(path, line);
	return !strncmp(line, "0x03", 4);
}

static unsigned on_bus(const struct findings *findings)
{
	char *pattern = finding_path(findings, "/sys/bus/pci/devices/*/vendor");
	glob_t matches;
	unsigned count = 0;
	if (pattern && !glob(pattern, 0, NULL, &matches)) {
		for (size_t i = 0; i < matches.gl_pathc; i++)
			count += is_gpu(matches.gl_pathv[i]);
		globfree(&matches);
	}
	free(pattern);
	return count;
}

const char *finding_container(const struct findings *findings)
{
	if (finding_exists(findings, "/.dockerenv"))
		return "Docker";
	if (finding_exists(findings, "/run/.containerenv"))
		return "Podman";
	if (!*findings->root && getenv("SINGULARITY_CONTAINER"))
		return "Apptainer";
	if (!*findings->root && getenv("KUBERNETES_SERVICE_HOST"))
		return "Kubernetes";
	return NULL;
}

const char *finding_mend_container(const char *kind)
{
	if (!strcmp(kind, "Podman"))
		return "podman run --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...";
	if (!strcmp(kind, "Apptainer"))
		return "apptainer exec --nv ...";
	if (!strcmp(kind, "Kubernetes"))
		return "give the pod 'resources: limits: nvidia.com/gpu: 1'";
	return "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...";
}

const char *finding_mend_no_driver(const struct findings *findings)
{
	char *path = finding_path(findings, "/etc/os-release"), line[LINE_B];
	FILE *file = path ? fopen(path, "re") : NULL;
	bool ubuntu = false, debian = false;
	while (file && fgets(line, sizeof(line), file)) {
		/* ID, and ID_LIKE of what descends from it. */
		ubuntu |= !strncmp(line, "ID", 2) && strstr(line, "ubuntu");
		debian |= !strncmp(line, "ID", 2) && strstr(line, "debian");
	}
	if (file)
		fclose(file);
	free(path);
	if (ubuntu)
		return "sudo ubuntu-drivers install && sudo reboot";
	if (debian)
		return "sudo apt install nvidia-driver && sudo reboot";
	return "install NVIDIA's driver, 525 or newer, and reboot";
}

/* A device file that a program must open for reading and writing. */
static bool check_node(struct findings *findings, const char *path, const char *mend)
{
	char *whole = finding_path(findings, path);
	bool usable = false;
	if (!whole || access(whole, F_OK)) {
		finding_add(findings, "devices", FINDING_BAD, mend, "%s does not exist", path);
	} else if (access(whole, R_OK | W_OK)) {
		struct stat status;
		/* Nobody is to join root's group for it. */
		bool group = !stat(whole, &status) && (status.st_mode & 0060) == 0060 && status.st_gid;
		finding_add(findings, "devices", FINDING_BAD,
			    group ? "sudo usermod -aG \"$(stat -c %G /dev/nvidiactl)\" \"$USER\"   # then log in again"
				  : "sudo chmod a+rw /dev/nvidia*",
			    "%s cannot be opened: %s", path, strerror(errno));
	} else {
		usable = true;
	}
	free(whole);
	return usable;
}

static void check_nodes(struct findings *findings)
{
	char *pattern = finding_path(findings, "/dev/nvidia[0-9]*");
	glob_t matches;
	size_t count = 0;
	if (pattern && !glob(pattern, 0, NULL, &matches)) {
		for (size_t i = 0; i < matches.gl_pathc; i++)
			count += check_node(findings, matches.gl_pathv[i] + strlen(findings->root),
					    "sudo nvidia-modprobe -c 0");
		globfree(&matches);
	} else {
		finding_add(findings, "devices", FINDING_BAD, "sudo nvidia-modprobe -c 0",
			    "/dev/nvidia0 does not exist");
	}
	free(pattern);
	bool control = check_node(findings, "/dev/nvidiactl", "sudo nvidia-modprobe -c 0");
	bool memory = check_node(findings, "/dev/nvidia-uvm", "sudo nvidia-modprobe -u -c 0");
	if (count && control && memory)
		finding_add(findings, "devices", FINDING_GOOD, NULL,
			    "/dev/nvidiactl, /dev/nvidia-uvm and %zu GPU%s can be opened", count,
			    count == 1 ? "" : "s");
}

static void check_module(struct findings *findings, unsigned gpus, const char *kind)
{
	struct bytes mend = BYTES_INIT;
	findings->no_gpu = !gpus;
	bytes_printf(&mend, "sudo modprobe nvidia   # or: %s", finding_mend_no_driver(findings));
	if (finding_exists(findings, "/sys/module/nouveau") && gpus)
		finding_add(findings, "kernel", FINDING_BAD,
			    finding_mend_no_driver(findings),
			    "the GPU uses the nouveau driver, which does not support CUDA");
	else if (kind && gpus)
		finding_add(findings, "kernel", FINDING_BAD, finding_mend_container(kind),
			    "this container (%s) has no access to a GPU, or its host has no driver", kind);
	else if (gpus)
		finding_add(findings, "kernel", FINDING_BAD, bytes_string(&mend),
			    "NVIDIA's kernel module is not loaded");
	else
		finding_add(findings, "kernel", FINDING_NOTE, NULL,
			    "no NVIDIA GPU on the PCI bus, and no NVIDIA kernel module loaded");
	bytes_finish(&mend);
}

static void look_at_module(struct findings *findings, unsigned gpus, const char *kind)
{
	char *path = finding_path(findings, "/sys/module/nvidia/version");
	char version[LINE_B] = "";
	if (path)
		read_line(path, version);
	free(path);
	if (*version)
		finding_add(findings, "kernel", FINDING_GOOD, NULL, "module nvidia %s", version);
	if (finding_exists(findings, "/proc/driver/nvidia/version") || *version) {
		/* A container sees the host's modules, and devices only as it was given them. */
		if (kind && !finding_exists(findings, "/dev/nvidiactl"))
			finding_add(findings, "devices", FINDING_BAD, finding_mend_container(kind),
				    "this container (%s) has no access to a GPU", kind);
		else
			check_nodes(findings);
	} else {
		check_module(findings, gpus, kind);
	}
}

void doctor_hardware(struct findings *findings)
{
	const char *kind = finding_container(findings);
	unsigned gpus = on_bus(findings);
	if (gpus)
		finding_add(findings, "hardware", FINDING_GOOD, NULL, "%u NVIDIA GPU%s on the PCI bus",
			    gpus, gpus == 1 ? "" : "s");
	if (kind)
		finding_add(findings, "container", FINDING_NOTE, NULL,
			    "running inside %s; only devices that were passed to it are visible", kind);
	look_at_module(findings, gpus, kind);
	const char *visible = *findings->root ? NULL : getenv("CUDA_VISIBLE_DEVICES");
	if (visible && (!*visible || !strcmp(visible, "-1")))
		finding_add(findings, "devices", FINDING_BAD, "unset CUDA_VISIBLE_DEVICES",
			    "CUDA_VISIBLE_DEVICES hides every GPU");
	else if (visible)
		finding_add(findings, "devices", FINDING_NOTE, NULL,
			    "CUDA_VISIBLE_DEVICES=%s restricts which GPUs are visible", visible);
}
