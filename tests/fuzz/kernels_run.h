/* Random kernels (kernels_make.h) on a platform. */
#ifndef CULVERT_TESTS_FUZZ_KERNELS_RUN_H
#define CULVERT_TESTS_FUZZ_KERNELS_RUN_H

#include "tests/fuzz/kernels_make.h"

#include <CL/cl.h>

struct kernels_platform {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
};

/* What a kernel leaves: by work-item, and what all of them counted. */
struct kernels_result {
	uint64_t sums[KERNELS_ITEMS][KERNELS_SUMS];
	uint32_t counters[KERNELS_COUNTERS];
	uint32_t own[KERNELS_ITEMS * KERNELS_OWN];
	uint16_t own_half[KERNELS_ITEMS * KERNELS_OWN];
	unsigned char shared[KERNELS_SHARED_B];
};

/* name: a part of the platform's name.  False: there is none with a device. */
bool kernels_platform_open(struct kernels_platform *platform, const char *name);
void kernels_platform_close(struct kernels_platform *platform);

/* The source with its prelude, built with options, run once.  False, and says why on stdout: it was
 * not built or did not run. */
bool kernels_run(const struct kernels_platform *platform, const struct bytes *prelude,
		 const struct kernels_source *source, const char *options,
		 struct kernels_result *result);

#endif
