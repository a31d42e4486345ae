/* Where functions are looked at: the special numbers of each type in every combination, then
 * pseudo-random ones of all magnitudes.  The same every time.  Thread-safe. */
#ifndef CULVERT_TESTS_BUILTINS_POINTS_H
#define CULVERT_TESTS_BUILTINS_POINTS_H

#include "tests/builtins/number.h"

/* A multiple of 48: whole vectors of every width. */
enum { POINTS = 2304 };

/* Fills POINTS elements: argument number `argument` of `arguments`. */
void points_fill(enum type type, unsigned argument, unsigned arguments, void *data);

/* A pseudo-random number out of a counter: the same for the same n. */
uint64_t points_random(uint64_t n);

#endif
