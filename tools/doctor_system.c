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

void finding_line_of(const struct findings *findings, const char *path, char line[FINDING_LINE_B])
{
	char *whole = finding_path(findings, path);
	*line = '\0';
	if (whole)
		finding_line(whole, line);
	free(whole);
}

/* systemd(1) writes what it runs in to this file. */
#define SYSTEMD_CONTAINER "/run/systemd/container"

/* What runs programs with files of their own.  It has the file, with that word in it if one is named, or sets the
 * variable.  command: what lets a GPU in, and the driver's compute part. */
static const struct container {
	const char *kind, *file, *word, *variable, *command;
} containers[] = {
	/* Those that set a variable come first, for they use the others. */
	{"Distrobox", NULL, NULL, "DISTROBOX_ENTER_PATH", "distrobox create --nvidia ...   # a new box"},
	{"Apptainer", "/.singularity.d", NULL, "SINGULARITY_CONTAINER", "apptainer exec --nv ..."},
	{"Kubernetes", NULL, NULL, "KUBERNETES_SERVICE_HOST", "give the pod 'resources: limits: nvidia.com/gpu: 1'"},
	{"Docker", "/.dockerenv", NULL, NULL,
	 "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
	{"Podman", "/run/.containerenv", NULL, NULL,
	 "podman run --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."},
	{"Flatpak", "/.flatpak-info", NULL, NULL,
	 "flatpak update && flatpak run --device=all APPLICATION   # org.freedesktop.Platform.GL.nvidia-VERSION has "
	 "to be the host's version"},
	{"Steam's runtime", "/run/pressure-vessel", NULL, NULL,
	 "install NVIDIA's driver on the host, and restart Steam"},
	{"a snap", "/var/lib/snapd/hostfs/etc", NULL, NULL, "sudo snap connect NAME:opengl   # outside of the snap"},
	{"LXC", SYSTEMD_CONTAINER, "lxc", NULL,
	 "incus config device add NAME gpu gpu && incus config set NAME nvidia.runtime=true   # of LXD: lxc ..."},
	{"systemd-nspawn", SYSTEMD_CONTAINER, "systemd-nspawn", NULL,
	 "systemd-nspawn --bind=/dev/nvidia0 --bind=/dev/nvidiactl --bind=/dev/nvidia-uvm ...   # and the driver's "
	 "libraries"},
};
enum { CONTAINERS = sizeof(containers) / sizeof(containers[0]) };

static bool is_within(const struct findings *findings, const struct container *row)
{
	if (row->variable && !*findings->root && getenv(row->variable))
		return true;
	if (!row->file || !row->word)
		return row->file && finding_exists(findings, row->file);
	char line[LINE_B];
	finding_line_of(findings, row->file, line);
	return !strcmp(line, row->word);
}

const char *finding_container(const struct findings *findings)
{
	for (size_t i = 0; i < CONTAINERS; i++)
		if (is_within(findings, &containers[i]))
			return containers[i].kind;
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
	char line[LINE_B];
	finding_line_of(findings, "/proc/sys/kernel/osrelease", line);
	/* 5.15.90.1-microsoft-standard-WSL2; 4.4.0-19041-Microsoft of WSL 1. */
	return strstr(line, "microsoft") || strstr(line, "Microsoft") || finding_exists(findings, "/dev/dxg");
}

#define DKMS_OF_DEBIAN "sudo apt install \"linux-headers-$(uname -r)\" && sudo dkms autoinstall && sudo modprobe nvidia"

/* By the ID of /etc/os-release, or ID_LIKE of what descends from it; the first that fits. */
static const struct distribution {
	const char *id, *driver, *module, *loader;
} distributions[] = {
	{"ubuntu", "sudo ubuntu-drivers install && sudo reboot", DKMS_OF_DEBIAN, "sudo apt install ocl-icd-libopencl1"},
	{"debian", "sudo apt install nvidia-driver && sudo reboot", DKMS_OF_DEBIAN,
	 "sudo apt install ocl-icd-libopencl1"},
	{"fedora", "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda && sudo reboot   # from RPM Fusion",
	 "sudo akmods --force && sudo modprobe nvidia", "sudo dnf install 'libOpenCL.so.1()(64bit)'"},
	{"arch", "sudo pacman -S nvidia-open nvidia-utils && sudo reboot",
	 "sudo dkms autoinstall && sudo modprobe nvidia", "sudo pacman -S ocl-icd"},
	{"suse", "sudo zypper install nvidia-open-driver-G06-signed-kmp-meta nvidia-compute-utils-G06 && sudo reboot",
	 "sudo zypper update && sudo reboot", "sudo zypper install libOpenCL1"},
	{"nixos",
	 "sudo nixos-rebuild switch   # with services.xserver.videoDrivers = [ \"nvidia\" ] in the configuration",
	 "sudo nixos-rebuild switch && sudo reboot", "add ocl-icd to what the program is built with"},
	{"", "install NVIDIA's driver, 525 or newer, and reboot", "install NVIDIA's driver again, for this kernel",
	 "install ocl-icd or Khronos' OpenCL-ICD-Loader"},
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

const char *finding_mend_no_module(const struct findings *findings)
{
	return distribution(findings)->module;
}

const char *finding_mend_mismatch(const struct findings *findings)
{
	const char *kind = finding_container(findings);
	if (!kind)
		return "sudo reboot   # the kernel module and libcuda have different versions";
	/* Flatpak's and Steam's have no other driver than the host's. */
	if (!strcmp(kind, "Flatpak") || !strcmp(kind, "Steam's runtime"))
		return finding_mend_container(kind);
	return "apt purge 'libnvidia-compute-*' libcuda1   # in the image, whose driver hides the host's; or reboot "
	       "the host";
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
