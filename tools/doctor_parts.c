/* Culvert's own parts and what they stand on: driver, compilers, cache, a kernel that
 * runs. */
#include "config.h"

#include "backend/codegen.h"
#include "backend/gpu.h"
#include "base/options.h"
#include "base/own_library.h"
#include "build_name.h"
#include "cache/cache.h"
#include "frontend/frontend.h"
#include "tools/finding.h"
#include "tools/opencl.h"
#include "tools/process.h"
#include "tools/quoted.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* --- the driver --------------------------------------------------------------------- */

/* A libcuda of NVIDIA's package cuda-compat: newer than the kernel module, for GPUs of data centres. */
static const char *mend_compat(void)
{
	const char *folders = getenv("LD_LIBRARY_PATH");
	return folders && strstr(folders, "compat")
		       ? "unset LD_LIBRARY_PATH   # it contains a libcuda for other GPUs (cuda-compat)"
		       : "sudo apt purge 'cuda-compat-*'; sudo rm -f /etc/ld.so.conf.d/*compat*.conf; sudo ldconfig";
}

/* The driver is there and runs, but finds no GPU. */
static const char *mend_no_device(const struct findings *findings)
{
	if (getenv("CUDA_VISIBLE_DEVICES"))
		return "unset CUDA_VISIBLE_DEVICES";
	if (finding_wsl(findings))
		return finding_mend_no_driver(findings);
	return findings->no_gpu ? NULL
				: "sudo dmesg | grep NVRM   # says why; Blackwell needs the open modules (nvidia-open)";
}

/* What mends a driver that shows no device, by what it said of itself. */
static const char *mend_driver(const struct findings *findings, const char *note)
{
	static const struct {
		const char *words, *mend;
	} known[] = {
		{"SYSTEM_NOT_READY",
		 "sudo systemctl restart nvidia-fabricmanager   # on the host, for GPUs behind NVSwitch; with "
		 "confidential computing: nvidia-smi conf-compute -srs 1"},
		{"STUB_LIBRARY",
		 "unset LD_LIBRARY_PATH   # a toolkit's folder 'stubs' is for linking; its libcuda hides the driver's"},
		{"_MPS_",
		 "nvidia-cuda-mps-control -d   # as this user, with this CUDA_MPS_PIPE_DIRECTORY; a container also "
		 "needs --ipc host"},
		{"DEVICE_NOT_LICENSED",
		 "nvidia-smi -q | grep -i license   # a vGPU needs a licence: /etc/nvidia/gridd.conf"},
		{"(999)",
		 "sudo modprobe -r nvidia_uvm; sudo nvidia-modprobe -u -c 0   # on the host, for example after a "
		 "suspend"},
	};
	const char *kind = finding_container(findings);
	const bool unopened = strstr(note, "cannot open shared object");
	if (unopened || strstr(note, "12.0 or newer is required")) {
		if (strchr(option_string(OPTION_CUDA), '/'))
			return "unset CULVERT_CUDA";
		/* NVIDIA's runtime lets libcuda in with the capability "compute" alone. */
		if (kind)
			return unopened ? finding_mend_container(kind)
					: "update NVIDIA's driver on the container's host";
		return findings->no_gpu ? "export CULVERT_CUDA=soft   # there is no NVIDIA GPU for a driver"
					: finding_mend_no_driver(findings);
	}
	if (strstr(note, "NO_DEVICE") || strstr(note, ": no device"))
		return mend_no_device(findings);
	if (strstr(note, "OUT_OF_MEMORY"))
		return finding_mend_addresses();
	if (strstr(note, "COMPAT_NOT_SUPPORTED"))
		return mend_compat();
	if (strstr(note, "SYSTEM_DRIVER_MISMATCH"))
		return strstr(note, "/compat/") ? mend_compat() : finding_mend_mismatch(findings);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(note, known[i].words))
			return known[i].mend;
	return NULL;
}

/* Who else uses the device, as far as the driver tells. */
static void look_at_sharing(struct findings *findings, struct gpu_device *device, uint32_t index)
{
	const struct gpu_caps *caps = gpu_device_caps(device);
	const char *mend = "sudo nvidia-smi --compute-mode DEFAULT";
	uint64_t left_B = 0;
	if (caps->compute_mode == GPU_COMPUTE_PROHIBITED) {
		finding_add(findings, "device", FINDING_BAD, mend,
			    "%u: its compute mode is prohibited: no program may use it", index);
		return;
	}
	const cl_int error = gpu_memory_left(device, &left_B);
	if (caps->compute_mode == GPU_COMPUTE_EXCLUSIVE && error)
		finding_add(findings, "device", FINDING_BAD, mend,
			    "%u: its compute mode is exclusive: one process at a time may use it. This one cannot, "
			    "perhaps because "
			    "another one does", index);
	else if (caps->compute_mode == GPU_COMPUTE_EXCLUSIVE)
		finding_add(findings, "device", FINDING_NOTE, mend,
			    "%u: its compute mode is exclusive: only one process at a time may use it", index);
	/* Less is not worth a line: a context takes some memory, and a desktop. */
	if (error || left_B >= caps->memory_B / 4 * 3)
		return;
	if (caps->integrated)
		finding_add(findings, "device", FINDING_NOTE, NULL,
			    "%u: %s of the memory that it shares with the host are left", index, tool_size(left_B));
	else
		finding_add(findings, "device", FINDING_NOTE, "nvidia-smi   # lists the processes that use each GPU",
			    "%u: %s of its memory are left: other processes hold the rest", index, tool_size(left_B));
}

/* What brings a libnvvm for devices that the one of CUDA 13 no longer knows, or does not know yet. */
static const char *mend_libnvvm(unsigned sm)
{
	if (sm < BE_NVVM_SM_OLDEST)
		return NULL;
	return sm < BE_NVVM_SM_TURING ? "pip install nvidia-cuda-nvcc-cu12   # or CUDA 12: 13 does not support this GPU"
				      : "export CULVERT_LIBNVVM=/path/of/another/libnvvm.so.4";
}

void doctor_driver(struct findings *findings)
{
	struct gpu_device *const *devices;
	uint32_t count = 0;
	(void)gpu_devices(&devices, &count);
	const char *note = gpu_driver_note();
	finding_add(findings, "driver", count ? FINDING_GOOD : FINDING_BAD,
		    count ? NULL : mend_driver(findings, note), "%s", note);
	for (uint32_t i = 0; i < count; i++) {
		const struct gpu_caps *caps = gpu_device_caps(devices[i]);
		unsigned sm = 0;
		struct bytes log = BYTES_INIT;
		if (!be_nvvm_load(&log) && be_nvvm_arch(caps->sm, &sm))
			finding_add(findings, "device", FINDING_BAD, mend_libnvvm(caps->sm), "%u: %s: %s sm_%u", i,
				    caps->name,
				    caps->sm < BE_NVVM_SM_OLDEST ? "no kernel can be compiled for"
								 : "libnvvm does not support",
				    caps->sm);
		else
			finding_add(findings, "device", FINDING_GOOD, NULL, "%u: %s, sm_%u, %s, driver %s",
				    i, caps->name, caps->sm, tool_size(caps->memory_B),
				    caps->driver_version);
		look_at_sharing(findings, devices[i], i);
		bytes_finish(&log);
	}
}

/* --- our own files -------------------------------------------------------------------- */

static void tell_part(struct findings *findings, const struct bytes *path)
{
	/* Found from bin/ it has "../" in it. */
	char *real = realpath(bytes_string(path), NULL);
	finding_add(findings, "parts", FINDING_GOOD, NULL, "%s", real ? real : bytes_string(path));
	free(real);
}

/* Whether the part is there; then its path is in path_out. */
static bool find_part(struct findings *findings, const char *name, enum finding_grade missing, const char *what,
		      struct bytes *path_out)
{
	const bool found = own_library_find(name, path_out);
	if (found)
		tell_part(findings, path_out);
	else
		finding_add(findings, "parts", missing,
			    missing == FINDING_NOTE ? NULL : "sudo make install", "%s is missing: %s",
			    name, what);
	return found;
}

static bool look_at_part(struct findings *findings, const char *name, enum finding_grade missing,
			 const char *what)
{
	struct bytes path = BYTES_INIT;
	const bool found = find_part(findings, name, missing, what, &path);
	bytes_finish(&path);
	return found;
}

/* The software device's compiler, without which it works, but slowly. */
static void look_at_software_compiler(struct findings *findings)
{
	static const char name[] = "culvert-softcuda-compile";
	static const char slow[] = "the software device interprets all kernels, which takes many times as long";
	char build_option[] = "--build";
	struct bytes path = BYTES_INIT, said = BYTES_INIT;
	if (find_part(findings, name, FINDING_CAREFUL, slow, &path)) {
		char *const command[] = {path.data, build_option, NULL};
		const int code = process_run(command, &said);
		const char *text = code < 0 ? strerror(errno) : bytes_string(&said);
		const int length = (int)strcspn(text, "\n");
		/* An older one takes no options, and ends with 2. */
		if (code < 0 || code > 2)
			finding_add(findings, "parts", FINDING_CAREFUL, "sudo make install",
				    "%s cannot be executed (%.*s): %s", name, length, text, slow);
		else if (code || strcmp(text, CULVERT_BUILD "\n"))
			finding_add(findings, "parts", FINDING_CAREFUL, "sudo make install",
				    "%s is of another build than this tool, " CULVERT_BUILD ": %s", name, slow);
	}
	bytes_finish(&path);
	bytes_finish(&said);
}

static void look_at_software(struct findings *findings)
{
	if (look_at_part(findings, "libculvert-softcuda.so", FINDING_CAREFUL, "the software device is not available"))
		look_at_software_compiler(findings);
}

void doctor_library(struct findings *findings)
{
	struct bytes path = BYTES_INIT;
	if (opencl_library(&path))
		tell_part(findings, &path);
	else
		finding_add(findings, "parts", FINDING_CAREFUL, "sudo make install",
			    "libculvert.so was not found next to this tool");
	bytes_finish(&path);
	look_at_software(findings);
	look_at_part(findings, "libculvert-ptxcompiler.so", FINDING_NOTE,
		     "the driver compiles PTX to machine code, and the cache stores PTX");
}

/* --- the compilers -------------------------------------------------------------------- */

/* The size and date at the end of the name are for keys of the cache. */
static void report_nvvm(struct findings *findings, const char *name)
{
	const char *end = strrchr(name, '(');
	const size_t length = end && end > name ? (size_t)(end - name) - 1 : strlen(name);
	finding_add(findings, "libnvvm", FINDING_GOOD, NULL, "%.*s", (int)length, name);
}

/* That for Turing and newer GPUs, and that for an older one which is here. */
static void report_libraries(struct findings *findings)
{
	const char *newer = be_nvvm_id(BE_NVVM_SM_TURING), *older = be_nvvm_id(BE_NVVM_SM_OLDEST);
	report_nvvm(findings, newer);
	if (*older && strcmp(older, newer))
		report_nvvm(findings, older);
}

static const char *mend_no_libnvvm(const struct findings *findings)
{
	const char *kind = finding_container(findings);
	if (*option_string(OPTION_LIBNVVM))
		return "unset CULVERT_LIBNVVM";
	/* Its list of what --nv lets in lacked the driver's libnvvm before version 1.2.5. */
	if (kind && !strcmp(kind, "Apptainer"))
		return "echo libnvidia-nvvm.so | sudo tee -a /etc/apptainer/nvliblist.conf   # on the host; or in the "
		       "image: pip install nvidia-nvvm";
	return "sudo apt install nvidia-cuda-toolkit   # or, in the program's Python environment: pip install "
	       "nvidia-nvvm";
}

void doctor_compiler(struct findings *findings)
{
	struct bytes log = BYTES_INIT, build = BYTES_INIT;
	size_t libdevice_B = 0;
	const bool known = fe_compiler_build(&build);
	const bool loaded = fe_libdevice(&libdevice_B);
	if (loaded && !known) {
		finding_add(findings, "compiler", FINDING_CAREFUL,
			    "install a package built for this distribution",
			    "LLVM is not where it was when Culvert was built: Culvert works, but built "
			    "programs are not cached");
	} else if (!known) {
		finding_add(findings, "compiler", FINDING_BAD, "sudo make install",
			    "Culvert's compiler, or the LLVM that it was built with, is missing");
	} else if (loaded) {
		finding_add(findings, "compiler", FINDING_GOOD, NULL, "%s; libdevice %s",
			    fe_compiler_id(), tool_size(libdevice_B));
	} else {
		finding_add(findings, "compiler", FINDING_BAD, "sudo make install",
			    "Culvert's compiler cannot be loaded");
	}
	if (be_nvvm_load(&log))
		finding_add(findings, "libnvvm", FINDING_BAD, mend_no_libnvvm(findings), "%s", bytes_string(&log));
	else
		report_libraries(findings);
	bytes_finish(&build);
	bytes_finish(&log);
}

/* --- the cache ------------------------------------------------------------------------ */

/* The folder itself, or the nearest above it that exists. */
static char *existing(const char *folder)
{
	char *path = strdup(folder);
	while (path && *path && access(path, F_OK)) {
		char *slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	if (path && !*path)
		strcpy(path, "/");
	return path;
}

static void check_room(struct findings *findings, const char *path)
{
	enum { LOW_MiB = 64 };
	struct statvfs room;
	if (!statvfs(path, &room) &&
	    (uint64_t)room.f_bavail * room.f_frsize < (uint64_t)LOW_MiB << 20)
		finding_add(findings, "cache", FINDING_CAREFUL, "culvert cache clear",
			    "only %s are free on the disk of %s",
			    tool_size((uint64_t)room.f_bavail * room.f_frsize), path);
}

static void check_folder(struct findings *findings, const char *folder)
{
	struct bytes mend = BYTES_INIT;
	struct stat status;
	char *path = existing(folder);
	bool there = path && !strcmp(path, folder);
	if (!path || stat(path, &status)) {
		finding_add(findings, "cache", FINDING_CAREFUL, NULL, "%s cannot be examined", folder);
	} else if (there && (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH))) {
		bytes_append_string(&mend, status.st_uid == geteuid() ? "chmod go-w " : "sudo chown -R \"$USER\" ");
		quoted_append_word(&mend, folder);
		finding_add(findings, "cache", FINDING_CAREFUL, bytes_string(&mend),
			    "%s is owned by another user or writable by others, so it is not used", folder);
	} else if (access(path, W_OK | X_OK)) {
		finding_add(findings, "cache", FINDING_CAREFUL,
			    "export CULVERT_CACHE_DIR=/a/folder/of/yours",
			    "%s is not writable, so every process compiles again", path);
	} else {
		finding_add(findings, "cache", FINDING_GOOD, NULL, "%s%s", folder,
			    there ? "" : ", created when the first program is built");
		check_room(findings, path);
	}
	free(path);
	bytes_finish(&mend);
}

void doctor_cache(struct findings *findings)
{
	struct cache *cache = cache_default();
	if (!cache)
		finding_add(findings, "cache", FINDING_NOTE, "unset CULVERT_CACHE CUDA_CACHE_DISABLE",
			    "the cache is disabled, so every process compiles again");
	else if (!cache_folder(cache))
		finding_add(findings, "cache", FINDING_CAREFUL,
			    "export CULVERT_CACHE_DIR=/a/folder/of/yours",
			    "no cache folder: CULVERT_CACHE_DIR, CUDA_CACHE_PATH and XDG_CACHE_HOME are not "
			    "set, and HOME does not exist");
	else
		check_folder(findings, cache_folder(cache));
}

/* --- a kernel that runs --------------------------------------------------------------- */

enum { TRIAL_ITEMS = 1000 };

/* *log_out: of a build that has failed, owned by the caller. */
static cl_int run_trial(const struct opencl *opencl, cl_device_id device, cl_uint *result, char **log_out)
{
	static const char *source = "kernel void trial(global uint *data)\n"
				    "{ data[get_global_id(0)] = 3 * get_global_id(0) + 1; }\n";
	const cl_icd_dispatch *call = opencl->call;
	const size_t size_B = TRIAL_ITEMS * sizeof(cl_uint), items = TRIAL_ITEMS;
	cl_int error;
	cl_program program = NULL;
	cl_kernel kernel = NULL;
	cl_mem data = NULL;
	cl_command_queue queue = NULL;
	cl_context context = call->clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (!error)
		queue = call->clCreateCommandQueue(context, device, 0, &error);
	if (!error)
		program = call->clCreateProgramWithSource(context, 1, &source, NULL, &error);
	if (!error)
		error = call->clBuildProgram(program, 1, &device, NULL, NULL, NULL);
	if (error && program)
		*log_out = opencl_build_log(opencl, program, device);
	if (!error)
		kernel = call->clCreateKernel(program, "trial", &error);
	if (!error)
		data = call->clCreateBuffer(context, CL_MEM_READ_WRITE, size_B, NULL, &error);
	if (!error)
		error = call->clSetKernelArg(kernel, 0, sizeof(data), &data);
	if (!error)
		error = call->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL,
						     NULL);
	if (!error)
		error = call->clEnqueueReadBuffer(queue, data, CL_TRUE, 0, size_B, result, 0, NULL,
						  NULL);
	if (data)
		call->clReleaseMemObject(data);
	if (kernel)
		call->clReleaseKernel(kernel);
	if (program)
		call->clReleaseProgram(program);
	if (queue)
		call->clReleaseCommandQueue(queue);
	if (context)
		call->clReleaseContext(context);
	return error;
}

/* log: of the build, or NULL. */
static void tell_failure(struct findings *findings, cl_uint index, cl_int error, const char *log)
{
	const char *kind = finding_container(findings), *mend = "CULVERT_DEBUG=err culvert doctor", *more = "";
	if (log && strstr(log, "JIT_COMPILER_NOT_FOUND")) {
		mend = kind ? finding_mend_container(kind) : finding_mend_no_driver(findings);
		more = "\nlibnvidia-ptxjitcompiler.so.1, a part of NVIDIA's driver, is missing";
	} else if (log && strstr(log, "JIT_COMPILATION_DISABLED")) {
		mend = "unset CUDA_DISABLE_PTX_JIT";
	}
	const size_t length = log ? strlen(log) : 0, end = length && log[length - 1] == '\n';
	finding_add(findings, "trial", FINDING_BAD, mend, "device %u: cannot run a kernel: %s%s%.*s%s", (unsigned)index,
		    opencl_error(error), length ? "\n" : "", (int)(length - end), log ? log : "", more);
}

void doctor_trial(struct findings *findings)
{
	struct opencl opencl;
	struct bytes why = BYTES_INIT;
	if (!opencl_open(&opencl, &why))
		finding_add(findings, "trial", FINDING_BAD, NULL, "%s", bytes_string(&why));
	else if (!opencl.device_count)
		finding_add(findings, "trial", FINDING_BAD, "export CULVERT_CUDA=soft",
			    "no device to run a kernel on; the software device can be used instead");
	for (cl_uint i = 0; i < opencl.device_count; i++) {
		cl_uint result[TRIAL_ITEMS] = {0};
		char *log = NULL;
		const cl_int error = run_trial(&opencl, opencl.devices[i], result, &log);
		cl_uint wrong = 0;
		for (cl_uint k = 0; k < TRIAL_ITEMS; k++)
			wrong += result[k] != 3 * k + 1;
		if (error)
			tell_failure(findings, i, error, log);
		else if (wrong)
			finding_add(findings, "trial", FINDING_BAD, NULL,
				    "device %u: %u of %d results of a kernel are wrong", i, wrong,
				    TRIAL_ITEMS);
		else
			finding_add(findings, "trial", FINDING_GOOD, NULL,
				    "device %u compiled and ran a kernel correctly", i);
		free(log);
	}
	opencl_close(&opencl);
	bytes_finish(&why);
}
