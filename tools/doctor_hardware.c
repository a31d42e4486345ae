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

enum { LINE_B = FINDING_LINE_B };

/* vendor: the path of a PCI device's file of that name.  Class 0x03: it draws or computes. */
static bool is_gpu(const char *vendor)
{
	char path[512], line[LINE_B];
	finding_line(vendor, line);
	if (strcmp(line, "0x10de"))
		return false;
	snprintf(path, sizeof(path), "%.*sclass", (int)(strlen(vendor) - strlen("vendor")), vendor);
	finding_line(path, line);
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

/* A device file, and how a program opens it: R_OK and W_OK, which are also bits of a file's mode. */
struct device_file {
	const char *path, *missing;  /* missing: what makes it */
	int how;
};

/* Whoever may not open a device file joins the group that may; but nobody is to join root's for it. */
static void mend_locked(const struct findings *findings, const char *whole, const struct device_file *file,
			struct bytes *mend)
{
	const char *path = file->path;
	const mode_t others = (mode_t)file->how, group = others << 3;
	struct stat status;
	const bool known = !stat(whole, &status);
	const bool by_group = known && (status.st_mode & group) == group && status.st_gid;
	if (known && (status.st_mode & others) == others)
		bytes_append_string(mend, "podman run --security-opt label=disable ...   # SELinux forbids it, not the "
					  "file's mode");
	else if (by_group && finding_container(findings))
		bytes_printf(mend, "docker run --group-add %u ...   # podman: --group-add keep-groups",
			     (unsigned)status.st_gid);
	else if (by_group)
		bytes_printf(mend, "sudo usermod -aG \"$(stat -c %%G %s)\" \"$USER\"   # then log in again", path);
	else if (!strncmp(path, "/dev/nvidia", strlen("/dev/nvidia")))
		bytes_append_string(mend, "sudo chmod a+rw /dev/nvidia*");
	else
		bytes_printf(mend, "sudo chmod a+rw %s", path);
}

enum node { NODE_USABLE, NODE_WITHHELD, NODE_BAD };

/* NODE_BAD has been told. */
static enum node look_at_node(struct findings *findings, const struct device_file *file)
{
	const char *path = file->path;
	char *whole = finding_path(findings, path);
	struct bytes unlock = BYTES_INIT;
	enum node node = NODE_BAD;
	if (!whole || access(whole, F_OK)) {
		finding_add(findings, "devices", FINDING_BAD, file->missing, "%s does not exist", path);
	} else if (access(whole, file->how)) {
		const int error = errno;
		/* So the kernel answers if the control group does not list the device. */
		if (error == EPERM) {
			node = NODE_WITHHELD;
		} else {
			mend_locked(findings, whole, file, &unlock);
			finding_add(findings, "devices", FINDING_BAD, bytes_string(&unlock), "%s cannot be opened: %s",
				    path, strerror(error));
		}
	} else {
		node = NODE_USABLE;
	}
	bytes_finish(&unlock);
	free(whole);
	return node;
}

/* A batch system gives a job some of the GPUs.  From a container, systemd may take those that its runtime let in. */
static void tell_withheld(struct findings *findings, const char *path)
{
	const char *mend = "sudo systemctl edit UNIT   # for a unit of systemd: DeviceAllow=/dev/nvidia0 rw, and so on";
	if (!*findings->root && getenv("SLURM_JOB_ID"))
		mend = "srun --gres=gpu:1 ...   # the job has not asked for a GPU";
	else if (finding_container(findings))
		mend = "start the container again   # 'systemctl daemon-reload' on the host has taken its GPUs; or set "
		       "no-cgroups = false in /etc/nvidia-container-runtime/config.toml there";
	finding_add(findings, "devices", FINDING_BAD, mend,
		    "%s cannot be opened: the control group of this process does not allow it", path);
}

static bool check_node(struct findings *findings, const struct device_file *file)
{
	const enum node node = look_at_node(findings, file);
	if (node == NODE_WITHHELD)
		tell_withheld(findings, file->path);
	return node == NODE_USABLE;
}

/* The number that can be opened.  Those that the control group withholds are another program's. */
static size_t check_gpus(struct findings *findings, const glob_t *paths)
{
	const size_t root_length = strlen(findings->root);
	size_t usable = 0, withheld = 0;
	for (size_t i = 0; i < paths->gl_pathc; i++) {
		const struct device_file file = {paths->gl_pathv[i] + root_length, NULL, R_OK | W_OK};
		const enum node node = look_at_node(findings, &file);
		usable += node == NODE_USABLE;
		withheld += node == NODE_WITHHELD;
	}
	if (withheld && usable)
		finding_add(findings, "devices", FINDING_NOTE, NULL,
			    "the control group of this process allows %zu of %zu GPUs", usable, paths->gl_pathc);
	else if (withheld)
		tell_withheld(findings, paths->gl_pathv[0] + root_length);
	return usable;
}

/* kind: of the container that this is, or NULL.  The driver's programs load nvidia_uvm and make its file, but those of
 * a container may not. */
static void check_nodes(struct findings *findings, const char *kind)
{
	static const struct device_file control_file = {"/dev/nvidiactl", "sudo nvidia-modprobe -c 0", R_OK | W_OK};
	const struct device_file memory_file = {
		"/dev/nvidia-uvm",
		kind ? "sudo nvidia-modprobe -u -c 0   # on the host; then start the container again"
		     : "sudo nvidia-modprobe -u -c 0",
		R_OK | W_OK,
	};
	char *pattern = finding_path(findings, "/dev/nvidia[0-9]*");
	glob_t matches;
	size_t count = 0;
	if (pattern && !glob(pattern, 0, NULL, &matches)) {
		count = check_gpus(findings, &matches);
		globfree(&matches);
	} else {
		finding_add(findings, "devices", FINDING_BAD, "sudo nvidia-modprobe -c 0",
			    "/dev/nvidia0 does not exist");
	}
	free(pattern);
	const bool control = check_node(findings, &control_file), memory = check_node(findings, &memory_file);
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
	else if (gpus && !doctor_module(findings))
		finding_add(findings, "kernel", FINDING_BAD, bytes_string(&mend),
			    "NVIDIA's kernel module is not loaded");
	else if (!gpus)
		finding_add(findings, "kernel", FINDING_NOTE, NULL,
			    "no NVIDIA GPU on the PCI bus, and no NVIDIA kernel module loaded");
	bytes_finish(&mend);
}

static void look_at_module(struct findings *findings, unsigned gpus, const char *kind)
{
	char version[LINE_B];
	finding_line_of(findings, "/sys/module/nvidia/version", version);
	if (*version)
		finding_add(findings, "kernel", FINDING_GOOD, NULL, "module nvidia %s", version);
	if (finding_exists(findings, "/proc/driver/nvidia/version") || *version) {
		/* A container sees the host's modules, and devices only as it was given them. */
		if (kind && !finding_exists(findings, "/dev/nvidiactl"))
			finding_add(findings, "devices", FINDING_BAD, finding_mend_container(kind),
				    "this container (%s) has no access to a GPU", kind);
		else
			check_nodes(findings, kind);
	} else {
		check_module(findings, gpus, kind);
	}
}

/* wsl.conf: sections of "key = value"; "[gpu] enabled = false" keeps /dev/dxg and the driver out. */
static bool is_switched_off(const struct findings *findings)
{
	char *path = finding_path(findings, "/etc/wsl.conf"), line[LINE_B], section[16] = "", value[16];
	FILE *file = path ? fopen(path, "re") : NULL;
	bool off = false;
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, " [%15[a-z]]", section);
		if (!strcmp(section, "gpu") && sscanf(line, " enabled = %15s", value) == 1)
			off = !strcmp(value, "false");
	}
	if (file)
		fclose(file);
	free(path);
	return off;
}

/* The kernel of WSL has no NVIDIA module; Windows drives the GPU, behind one device file. */
static void look_at_wsl(struct findings *findings, const char *kind)
{
	static const struct device_file file = {"/dev/dxg", NULL, R_OK | W_OK};
	if (is_switched_off(findings)) {
		finding_add(findings, "hardware", FINDING_BAD,
			    "sudo sed -i '/^\\[gpu]/,/^\\[[^g]/s/^enabled *= *false/enabled=true/' /etc/wsl.conf   "
			    "# then, in Windows: wsl --shutdown",
			    "WSL: /etc/wsl.conf switches the GPU off ([gpu] enabled=false)");
	} else if (finding_exists(findings, "/dev/dxg")) {
		if (check_node(findings, &file))
			finding_add(findings, "hardware", FINDING_GOOD, NULL,
				    "WSL: /dev/dxg can be opened; the GPU is driven by Windows");
	} else if (kind) {
		finding_add(findings, "devices", FINDING_BAD, finding_mend_container(kind),
			    "this container (%s) has no access to a GPU: /dev/dxg does not exist", kind);
	} else {
		finding_add(findings, "hardware", FINDING_BAD,
			    "wsl --update && wsl --set-version DISTRIBUTION 2   # in Windows, which needs NVIDIA's "
			    "driver, 525 or newer",
			    "WSL without /dev/dxg: WSL 1 and old versions of WSL 2 give programs no GPU");
	}
}

/* Files of another group (render) than the others (video): programs of ordinary users need both with JetPack 6. */
static void look_at_render(struct findings *findings)
{
	char *pattern = finding_path(findings, "/dev/dri/renderD*");
	struct bytes unlock = BYTES_INIT;
	glob_t matches;
	if (pattern && !glob(pattern, 0, NULL, &matches)) {
		const char *whole = matches.gl_pathv[0];
		const struct device_file file = {whole + strlen(findings->root), NULL, R_OK | W_OK};
		if (access(whole, file.how)) {
			const int error = errno;
			mend_locked(findings, whole, &file, &unlock);
			finding_add(findings, "devices", FINDING_CAREFUL, bytes_string(&unlock),
				    "%s cannot be opened: %s; some releases of JetPack need it for CUDA", file.path,
				    strerror(error));
		}
		globfree(&matches);
	}
	bytes_finish(&unlock);
	free(pattern);
}

/* The files of a Jetson's GPU: /dev/nvmap can only be read in some releases of JetPack (mode 0440), and of the others
 * each release has one or the other. */
static bool check_jetson(struct findings *findings)
{
	static const struct device_file files[] = {
		{"/dev/nvmap", "install the packages of JetPack: sudo apt install nvidia-jetpack", R_OK},
		{"/dev/nvhost-ctrl-gpu", NULL, R_OK | W_OK},
		{"/dev/nvgpu/igpu0/ctrl", NULL, R_OK | W_OK},
	};
	bool usable = true;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].missing || finding_exists(findings, files[i].path))
			usable &= check_node(findings, &files[i]);
	look_at_render(findings);
	return usable;
}

/* A Jetson's GPU is part of the chip, and driven by modules of its own. */
static void look_at_jetson(struct findings *findings, const char *kind)
{
	if (kind && !finding_exists(findings, "/dev/nvmap"))
		finding_add(findings, "devices", FINDING_BAD, "docker run --runtime nvidia ...",
			    "this container (%s) has no access to a GPU: /dev/nvmap does not exist", kind);
	else if (check_jetson(findings))
		finding_add(findings, "hardware", FINDING_GOOD, NULL, "the integrated GPU of a Jetson");
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
	if (finding_wsl(findings))
		look_at_wsl(findings, kind);
	else if (finding_exists(findings, "/sys/module/nvgpu"))
		look_at_jetson(findings, kind);
	else
		look_at_module(findings, gpus, kind);
	const char *visible = *findings->root ? NULL : getenv("CUDA_VISIBLE_DEVICES");
	if (visible && (!*visible || !strcmp(visible, "-1")))
		finding_add(findings, "devices", FINDING_BAD, "unset CUDA_VISIBLE_DEVICES",
			    "CUDA_VISIBLE_DEVICES hides every GPU");
	else if (visible)
		finding_add(findings, "devices", FINDING_NOTE, NULL,
			    "CUDA_VISIBLE_DEVICES=%s restricts which GPUs are visible", visible);
}
