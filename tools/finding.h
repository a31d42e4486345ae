/* What `culvert doctor` finds. */
#ifndef CULVERT_TOOLS_FINDING_H
#define CULVERT_TOOLS_FINDING_H

#include "base/bytes.h"

#include <stdbool.h>

enum finding_grade {
	FINDING_GOOD,
	FINDING_NOTE,            /* good to know */
	FINDING_CAREFUL,         /* something works less well than it could */
	FINDING_BAD              /* programs do not work for it */
};

struct finding {
	const char *about;       /* "driver": static */
	enum finding_grade grade;
	char *text, *mend;       /* owned; mend: the command that mends it, or NULL */
};

struct findings {
	struct finding *rows;    /* owned */
	size_t count, printed;   /* printed: how many of them have been */
	const char *root;        /* "" or a folder without a slash at its end: before every path */
	bool no_gpu;             /* doctor_hardware found none, and no kernel module either */
	bool failed;             /* out of memory */
};

/* mend: NULL, or a command. */
void finding_add(struct findings *findings, const char *about, enum finding_grade grade,
		 const char *mend, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* root and path as one; owned by the caller, "" when out of memory. */
char *finding_path(const struct findings *findings, const char *path);
bool finding_exists(const struct findings *findings, const char *path);

enum { FINDING_LINE_B = 128 };
/* The first line of a file of /sys or /proc, whose sizes say nothing; "" without one.  path: with root. */
void finding_line(const char *path, char line[FINDING_LINE_B]);
/* The same for a path without root. */
void finding_line_of(const struct findings *findings, const char *path, char line[FINDING_LINE_B]);

/* What kind of container this is, or NULL; and the command that lets a GPU, with the
 * driver's compute part, into one of that kind.  Static. */
const char *finding_container(const struct findings *findings);
const char *finding_mend_container(const char *kind);
/* What installs NVIDIA's driver in the distribution of /etc/os-release.  Static. */
const char *finding_mend_no_driver(const struct findings *findings);
/* What makes its kernel module for the kernel that runs. */
const char *finding_mend_no_module(const struct findings *findings);
/* What lets this process map more memory (ulimit -v); NULL: nothing limits that. */
const char *finding_mend_addresses(void);
/* What brings libcuda and the kernel module to one version. */
const char *finding_mend_mismatch(const struct findings *findings);
/* The same as finding_mend_no_driver for the OpenCL loader. */
const char *finding_mend_no_loader(const struct findings *findings);
/* Whether this is WSL, of Windows; and NixOS, whose files lie elsewhere. */
bool finding_wsl(const struct findings *findings);
bool finding_nixos(const struct findings *findings);

/* The parts.  Those of files look below root; the others use the machine as it is. */
void doctor_hardware(struct findings *findings);     /* files: PCI, kernel module, /dev, container */
bool doctor_module(struct findings *findings);       /* files: why no kernel module is loaded; false: unknown */
void doctor_log(struct findings *findings);          /* files: the kernel's log of the GPU's errors */
void doctor_variables(struct findings *findings);    /* CULVERT_* in the environment */
void doctor_threads(struct findings *findings);      /* whether a thread can be started */
void doctor_shares(struct findings *findings);       /* files: MIG, MPS, control groups */
void doctor_icd_files(struct findings *findings);    /* files: what a loader will open */
void doctor_driver_files(struct findings *findings); /* files: libcuda */
void doctor_library(struct findings *findings);      /* Culvert's own parts */
void doctor_loader(struct findings *findings);       /* loader, and the platforms it shows */
void doctor_driver(struct findings *findings);       /* libcuda and its devices */
void doctor_compiler(struct findings *findings);     /* libnvvm, libdevice */
void doctor_cache(struct findings *findings);
void doctor_trial(struct findings *findings);        /* a kernel, built and run */
/* Whether the loader's Culvert is this tool's version.  Only devices have the version, and asking for them starts the
 * driver, so that this comes after doctor_driver, which says why that fails. */
void doctor_versions(struct findings *findings);

#endif
