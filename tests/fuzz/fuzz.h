/* What the fuzzers share: a number for each run's seed, pieces of good inputs to mutate, and
 * how long to go on.  A run depends on its number alone, so that a crash can be repeated:
 *
 *	fuzz_NAME [--seconds N] [--runs N] [--from N] [--threads N] [FILE...]
 *
 * With --threads, several threads make runs at the same time (ThreadSanitizer then sees what they
 * share); fuzz_api and fuzz_kernels make threads of their own, and run in one.  Before each run, its number is
 * written to the file that FUZZ_LAST names, if it is set. */
#ifndef CULVERT_TESTS_FUZZ_H
#define CULVERT_TESTS_FUZZ_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct fuzz {
	uint64_t number;             /* of the run */
	uint64_t state;
	char **files;                /* arguments that are no options */
	int file_count;
};

uint32_t fuzz_number(struct fuzz *fuzz, uint32_t below);

/* Appends good with some bytes changed, lost, doubled, or words of it exchanged. */
void fuzz_mutate(struct fuzz *fuzz, const struct bytes *good, struct bytes *bad);

/* Exchanges words of OpenCL C for others of their kind: a type for a type, an operator for an
 * operator.  Much of that still compiles. */
void fuzz_exchange(struct fuzz *fuzz, const struct bytes *good, struct bytes *other);

/* Calls run, with a new seed each time, until the time or the number of runs is used up.  run returns whether
 * all is well; it must be thread-safe where --threads is to be used.  Returns the exit status of the program. */
int fuzz_main(int argc, char **argv, bool (*run)(struct fuzz *fuzz));

#endif
