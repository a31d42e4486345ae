/* What a program may use of the machine and its GPUs: instances of MIG, MPS, the limits of a control group. */
#include "config.h"

#include "base/control_group.h"
#include "tools/finding.h"
#include "tools/tool.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static size_t files_like(const struct findings *findings, const char *pattern)
{
	char *whole = finding_path(findings, pattern);
	glob_t matches;
	size_t count = 0;
	if (whole && !glob(whole, 0, NULL, &matches)) {
		count = matches.gl_pathc;
		globfree(&matches);
	}
	free(whole);
	return count;
}

/* A GPU in parts, each with its own memory: CUDA shows a process one of them, which has a UUID of its own. */
static void look_at_mig(struct findings *findings)
{
	const char *visible = *findings->root ? NULL : getenv("CUDA_VISIBLE_DEVICES");
	const size_t instances = files_like(findings, "/proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*/access");
	if (!instances)
		return;
	if (visible && !strncmp(visible, "MIG-", strlen("MIG-")))
		finding_add(findings, "mig", FINDING_NOTE, NULL,
			    "%zu MIG instances; this process uses the one that CUDA_VISIBLE_DEVICES names", instances);
	else
		finding_add(findings, "mig", FINDING_NOTE,
			    "export CUDA_VISIBLE_DEVICES=MIG-...   # one of those that nvidia-smi -L lists",
			    "%zu MIG instances; a process sees one of them, by default the first", instances);
}

static void look_at_mps(struct findings *findings)
{
	const char *chosen = *findings->root ? NULL : getenv("CUDA_MPS_PIPE_DIRECTORY");
	const char *folder = chosen && *chosen ? chosen : "/tmp/nvidia-mps";
	struct bytes control = BYTES_INIT;
	bytes_printf(&control, "%s/control", folder);
	if (!bytes_failed(&control) && finding_exists(findings, bytes_string(&control)))
		finding_add(findings, "mps", FINDING_NOTE, NULL,
			    "MPS is running (%s): processes share a GPU, a fault of one process ends the kernels of "
			    "all, and programs of another user may have to wait until those of the first have ended",
			    folder);
	bytes_finish(&control);
}

static void look_at_group(struct findings *findings)
{
	const unsigned processors = control_group_processors(findings->root);
	const uint64_t memory_B = control_group_memory_B(findings->root);
	if (processors)
		finding_add(findings, "limits", FINDING_NOTE, NULL,
			    "the control group allows %u processor%s; "
			    "the numbers of threads and compilers follow this limit",
			    processors, processors == 1 ? "" : "s");
	if (memory_B)
		finding_add(findings, "limits", FINDING_NOTE, NULL,
			    "the control group allows %s of memory; a compiler may use half of it",
			    tool_size(memory_B));
}

/* CUDA reserves addresses for all memory that it could get, of GPUs and of the host. */
static void look_at_addresses(struct findings *findings)
{
	struct rlimit limit;
	if (*findings->root || getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return;
	finding_add(findings, "limits", FINDING_NOTE, finding_mend_addresses(),
		    "this process may map %s in all (ulimit -v); NVIDIA's driver reserves more than a GPU's memory, "
		    "and the software device offers half of what is left",
		    tool_size(limit.rlim_cur));
}

const char *finding_mend_addresses(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return NULL;
	return limit.rlim_max == RLIM_INFINITY
		       ? "ulimit -v unlimited"
		       : "ask the batch system for more virtual memory   # Grid Engine: qsub -l h_vmem=...";
}

void doctor_shares(struct findings *findings)
{
	look_at_mig(findings);
	look_at_mps(findings);
	look_at_group(findings);
	look_at_addresses(findings);
}
