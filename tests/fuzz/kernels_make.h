/* Random kernels in OpenCL C, from a number alone: the same number gives the same source
 * everywhere.  What they compute is defined by the specification, bit for bit, so that all
 * platforms agree.
 *
 * Each expression and statement of a source is a piece with a number of its own; a piece left out
 * becomes 1 or nothing, and the others stay as they are.  That is how one that went wrong is made
 * smaller. */
#ifndef CULVERT_TESTS_FUZZ_KERNELS_MAKE_H
#define CULVERT_TESTS_FUZZ_KERNELS_MAKE_H

#include "tests/fuzz/fuzz.h"

enum {
	KERNELS_ITEMS = 128,             /* work-items of a launch */
	KERNELS_INPUTS = 64,             /* elements behind each pointer to inputs, a power of two */
	KERNELS_COUNTERS = 48,           /* uints that atomics change, eight for each kind of them */
	KERNELS_SUMS = 64,               /* numbers of each work-item: variables, the last all others */
	KERNELS_OWN = 8,                 /* halves and uints of each work-item */
	KERNELS_SHARED_B = 64 * 1024,    /* of objects whose parts belong to different work-items */
	KERNELS_PIECES = 1 << 16
};

struct kernels_source {
	uint64_t number;                 /* of the source */
	unsigned local;                  /* work-items of a group: 32 or 64 */
	unsigned argument_B;             /* size of the kernel's last argument, a struct */
	unsigned pieces;                 /* how many it has */
	const bool *without;             /* pieces left out, KERNELS_PIECES; NULL: none */
	struct bytes text;               /* of the kernel "k"; what stands in front of it in any source
					    is kernels_prelude.cl */
};

/* Fills all but number and without.  The caller gives text back. */
void kernels_make(struct kernels_source *source);

#endif
