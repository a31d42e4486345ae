/* Runs the corpus of textures and surfaces on a CUDA driver and writes what came out:
 * a record per case, in an order that depends on nothing. */
#ifndef CULVERT_TESTS_TEXTURE_RUN_H
#define CULVERT_TESTS_TEXTURE_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* In a file each is followed by count work-items' coordinates and then values, four
 * words each; a case that failed has no values. */
struct record {
	char name[88];
	uint32_t status;          /* CUresult */
	uint32_t count;
};

/* The kernels, to stdout. */
void texture_print(void);

/* trap: TRAPS_ALL does what kills the context at the end, one after the other;
 * TRAPS_NONE leaves it out; a number from 0 on does nothing but that one. false, with a reason on stderr: the
 * driver does not work at all. */
enum { TRAPS_ALL = -1, TRAPS_NONE = -2 };
bool texture_run(const char *driver_path, FILE *file, int trap);

#endif
