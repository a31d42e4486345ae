/* What NVIDIA's kernel module has written to the kernel's log about the GPUs: its errors have numbers, "Xid". */
#include "config.h"

#include "tools/finding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_B = 8192, LOG_MAX_B = 16 << 20, NAME_B = 64, ERRORS = 8 };

static const char reset[] = "sudo nvidia-smi --gpu-reset   # when no program uses the GPU; or reboot";
static const char reboot[] = "sudo reboot   # if it happens again: temperature, power supply, seat of the card";
static const char ecc[] = "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT";

/* Of NVIDIA's catalog of these numbers, those that OpenCL programs meet; the driver's words are kept for the others. */
static const struct {
	unsigned number;
	enum finding_grade grade;
	const char *text, *mend;
} known[] = {
	{13, FINDING_NOTE, "a kernel has faulted: an invalid access or instruction", NULL},
	{31, FINDING_NOTE, "a kernel has faulted: an access to an invalid address", NULL},
	{43, FINDING_NOTE, "a program's work on the GPU was stopped after a fault", NULL},
	{45, FINDING_NOTE, "a program's work on the GPU was taken back, as when it is killed", NULL},
	{48, FINDING_CAREFUL, "memory error that could not be corrected", ecc},
	{62, FINDING_CAREFUL, "the GPU's own controller has stopped", reboot},
	{63, FINDING_CAREFUL, "memory with errors is to be replaced when the GPU is reset", reset},
	{64, FINDING_CAREFUL, "memory with errors could not be replaced", ecc},
	{74, FINDING_CAREFUL, "NVLink error", "nvidia-smi nvlink --status"},
	{79, FINDING_CAREFUL, "the GPU has fallen off the bus", reboot},
	{94, FINDING_CAREFUL, "memory error, which ended one program", ecc},
	{95, FINDING_CAREFUL, "memory error, which ended all programs", reset},
	{109, FINDING_CAREFUL, "the GPU did not change from one program to another in time", reset},
	{119, FINDING_CAREFUL, "the GPU's system processor (GSP) does not answer", reboot},
	{120, FINDING_CAREFUL, "the GPU's system processor (GSP) has failed", reboot},
};

struct gpu_error {
	char gpu[NAME_B], program[NAME_B], words[FINDING_LINE_B];
	unsigned number, count;
};

/* One record for each call, as long as more are there; a regular file, below a root, is read in pieces. */
static void read_log(const struct findings *findings, struct bytes *log)
{
	char *path = finding_path(findings, "/dev/kmsg"), record[RECORD_B];
	const int file = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	while (file >= 0 && log->size_B < LOG_MAX_B) {
		const ssize_t size_B = read(file, record, sizeof(record));
		if (size_B > 0)
			bytes_append(log, record, (size_t)size_B);
		else if (size_B == 0 || (errno != EPIPE && errno != EINTR))  /* EPIPE: this record is gone */
			break;
	}
	if (file >= 0)
		close(file);
	free(path);
}

static const char mark[] = "NVRM: Xid (";

/* "NVRM: Xid (PCI:0000:01:00): 31, pid=2976, name=a.out, MMU Fault: ...", and in older drivers without "PCI:". */
static bool parse(const char *at, struct gpu_error *error)
{
	_Static_assert(NAME_B == 64 && FINDING_LINE_B == 128, "the widths in the formats");
	*error = (struct gpu_error){.count = 1};
	if (sscanf(at + strlen(mark), "%63[^)\n]): %u, %127[^\n]", error->gpu, &error->number, error->words) < 2)
		return false;
	if (!strncmp(error->gpu, "PCI:", 4))
		memmove(error->gpu, error->gpu + 4, strlen(error->gpu + 4) + 1);
	const char *name = strstr(error->words, "name=");
	if (name && name[5] != '<')
		sscanf(name, "name=%63[^,]", error->program);
	return true;
}

/* The last ones of each kind and GPU; where there are more kinds than rows, the first. */
static size_t gather(const char *log, struct gpu_error errors[ERRORS])
{
	size_t count = 0, i;
	struct gpu_error error;
	for (const char *at = strstr(log, mark); at; at = strstr(at + 1, mark)) {
		if (!parse(at, &error))
			continue;
		for (i = 0; i < count; i++)
			if (errors[i].number == error.number && !strcmp(errors[i].gpu, error.gpu))
				break;
		if (i == ERRORS)
			continue;
		error.count += i < count ? errors[i].count : 0;
		errors[i] = error;
		count += i == count;
	}
	return count;
}

static void tell(struct findings *findings, const struct gpu_error *error)
{
	const char *text = error->words, *mend = NULL;
	enum finding_grade grade = FINDING_CAREFUL;
	struct bytes more = BYTES_INIT;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].number == error->number) {
			text = known[i].text;
			mend = known[i].mend;
			grade = known[i].grade;
		}
	}
	if (*error->program)
		bytes_printf(&more, ", program %s", error->program);
	if (error->count > 1)
		bytes_printf(&more, ", the last of %u times", error->count);
	finding_add(findings, "log", grade, mend, "GPU %s: %s (Xid %u%s)", error->gpu, text, error->number,
		    bytes_failed(&more) ? "" : bytes_string(&more));
	bytes_finish(&more);
}

void doctor_log(struct findings *findings)
{
	struct bytes log = BYTES_INIT;
	struct gpu_error errors[ERRORS];
	read_log(findings, &log);
	const size_t count = bytes_failed(&log) ? 0 : gather(bytes_string(&log), errors);
	for (size_t i = 0; i < count; i++)
		tell(findings, &errors[i]);
	bytes_finish(&log);
}
