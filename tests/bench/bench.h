/* What all bench programs have: options, time, and how often something is measured.
 *
 *	bench_start(argc, argv);
 *	bench_row("launch", "launch and finish", "us", LOWER, launch_and_finish, &context);
 *
 * Mistakes end the program with a line on stderr.  Thread-safe: the clocks. */
#ifndef CULVERT_TESTS_BENCH_BENCH_H
#define CULVERT_TESTS_BENCH_BENCH_H

#include "tests/bench/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tiny: for a software device, whose figures mean nothing; quick: fewer samples and
 * sizes.  platform: part of a platform's name, or NULL.  code: the folder of what nvcc
 * made.  only: part of the name of the rows to measure, where a program asks for it, or NULL. */
extern struct bench {
	bool quick, tiny;
	const char *platform, *code, *only;
} bench;

void bench_start(int argc, char **argv);
/* The number for how thoroughly it is wanted. */
size_t bench_pick(size_t full, size_t quick, size_t tiny);

/* Time that passed, and what the process spent on all processors. */
double bench_us(void);
double bench_core_us(void);

/* One sample; negative: it could not be measured. */
typedef double bench_sample(void *context);

/* Once to warm up, then as often as the time of a row allows. */
void bench_row(const char *group, const char *name, const char *unit, enum better better,
	       bench_sample *sample, void *context);

/* "4 KiB" of 4096; in a ring of a few texts. */
const char *bench_size(size_t size_B);

/* `count` threads call run(context, index) at the same time; from the first's start to
 * the last's end in us. */
double bench_threads_us(unsigned count, void (*run)(void *context, unsigned index), void *context);

void bench_fail(const char *file, int line, const char *what, int code);

#endif
