/* The system that is examined: its kind of container, its distribution, and what installs parts there. */
#include "config.h"

#include "base/thread.h"
#include "tools/finding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_B = FINDING_LINE_B };

void finding_line(const char *path, char line[FINDING_LINE_B])
{
	FILE *file = fopen(path, "re");
	if (!file || !fgets(line, LINE_B, file))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* What runs programs with files of their own.  commands: what lets a GPU in, and the driver's compute part. */
static const struct container {
	const char *kind, *file, *variable, *command;
} containers[] = {
	{"Docker", "/.dockerenv", NULL, "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
	{"Podman", "/run/.containerenv", NULL,
	 "podman run --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
	{"Flatpak", "/.flatpak-info", NULL,
	 "flatpak update && flatpak run --device=all APPLICATION   # org.freedesktop.Platform.GL.nvidia-VERSION has "
	 "to be the host's version"},
	{"Steam's runtime", "/run/pressure-vessel", NULL, "install NVIDIA's driver on the host, and restart Steam"},
	{"Apptainer", NULL, "SINGULARITY_CONTAINER", "apptainer exec --nv ..."},
	{"Kubernetes", NULL, "KUBERNETES_SERVICE_HOST", "give the pod 'resources: limits: nvidia.com/gpu: 1'"},
};
enum { CONTAINERS = sizeof(containers) / sizeof(containers[0]) };

const char *finding_container(const struct findings *findings)
{
	for (size_t i = 0; i < CONTAINERS; i++) {
		const struct container *row = &containers[i];
		if (row->file ? finding_exists(findings, row->file) : !*findings->root && getenv(row->variable))
			return row->kind;
	}
	return NULL;
}

const char *finding_mend_container(const char *kind)
{
	size_t i = 0;
	while (i + 1 < CONTAINERS && strcmp(containers[i].kind, kind))
		i++;
	return containers[i].command;
}

bool finding_wsl(const struct findings *findings)
{
	char *path = finding_path(findings, "/proc/sys/kernel/osrelease"), line[LINE_B] = "";
	if (path)
		finding_line(path, line);
	free(path);
	/* 5.15.90.1-microsoft-standard-WSL2; 4.4.0-19041-Microsoft of WSL 1. */
	return strstr(line, "microsoft") || strstr(line, "Microsoft") || finding_exists(findings, "/dev/dxg");
}

/* By the ID of /etc/os-release, or ID_LIKE of what descends from it; the first that fits. */
static const struct distribution {
	const char *id, *driver, *loader;
} distributions[] = {
	{"ubuntu", "sudo ubuntu-drivers install && sudo reboot", "sudo apt install ocl-icd-libopencl1"},
	{"debian", "sudo apt install nvidia-driver && sudo reboot", "sudo apt install ocl-icd-libopencl1"},
	{"fedora", "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot   # from RPM Fusion",
	 "sudo dnf install 'libOpenCL.so.1()(64bit)'"},
	{"arch", "sudo pacman -S nvidia-open nvidia-utils && sudo reboot", "sudo pacman -S ocl-icd"},
	{"nixos",
	 "sudo nixos-rebuild switch   # with services.xserver.videoDrivers = [ \"nvidia\" ] in the configuration",
	 "add ocl-icd to what the program is built with"},
	{"", "install NVIDIA's driver, 525 or newer, and reboot", "install ocl-icd or Khronos' OpenCL-ICD-Loader"},
};

static const struct distribution *distribution(const struct findings *findings)
{
	char *path = finding_path(findings, "/etc/os-release"), line[LINE_B];
	FILE *file = path ? fopen(path, "re") : NULL;
	const size_t unknown = sizeof(distributions) / sizeof(distributions[0]) - 1;
	size_t found = unknown;
	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < found && !strncmp(line, "ID", 2); i++)
			if (strstr(line, distributions[i].id))
				found = i;
	if (file)
		fclose(file);
	free(path);
	return &distributions[found];
}

const char *finding_mend_no_driver(const struct findings *findings)
{
	if (finding_wsl(findings))
		return "install NVIDIA's driver in Windows, not in WSL, and run there: wsl --shutdown";
	return distribution(findings)->driver;
}

const char *finding_mend_no_loader(const struct findings *findings)
{
	return distribution(findings)->loader;
}

bool finding_nixos(const struct findings *findings)
{
	return !strcmp(distribution(findings)->id, "nixos");
}

static void *nothing(void *argument)
{
	return argument;
}

/* Older container runtimes answer EPERM to clone3, which their filters of system calls do not know; glibc tries clone
 * instead only after ENOSYS. */
void doctor_threads(struct findings *findings)
{
	pthread_t thread;
	const int error = thread_start(&thread, NULL, nothing, NULL);
	const char *mend = "raise the limit of processes: ulimit -u, or pids.max of the control group";
	if (!error) {
		(void)pthread_join(thread, NULL);
		return;
	}
	if (error == EPERM)
		mend = "update the container's runtime (Docker: 20.10.10 or newer), or: docker run --security-opt "
		       "seccomp=unconfined ...";
	finding_add(findings, "threads", FINDING_BAD, mend, "threads cannot be started: %s", strerror(error));
}
