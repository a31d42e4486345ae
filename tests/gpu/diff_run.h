/* Runs programs on one CUDA driver, found by path at run time. */
#ifndef CULVERT_TESTS_GPU_DIFF_RUN_H
#define CULVERT_TESTS_GPU_DIFF_RUN_H

#include "tests/gpu/diff_program.h"

/* Appends to results, per program in order: a uint32_t CUresult, and when that is
 * 0 the slots of every lane, lane by lane.  False after a message when the driver
 * cannot be used at all. */
bool diff_run(const char *driver_path, uint64_t seed, unsigned first, unsigned count, unsigned sm,
	      struct bytes *results);

#endif
