/* How group scale counts, on both of its sides: ten times as many each time, and rows named
 * "WHAT, COUNT". */
#ifndef CULVERT_TESTS_BENCH_SCALE_H
#define CULVERT_TESTS_BENCH_SCALE_H

#include "tests/bench/bench.h"

#include <stdio.h>
#include <unistd.h>

/* Does something with `count` objects; what one operation took in us. */
typedef double scale_sample(unsigned count);

static inline void scale_row(const char *what, unsigned count, scale_sample *sample)
{
	enum { SAMPLES = 5 };
	double samples[SAMPLES];
	char name[96];
	const unsigned samples_count = bench.tiny || count > 10000 ? 1 : SAMPLES;
	snprintf(name, sizeof(name), "%s, %u", what, count);
	for (unsigned i = 0; i < samples_count; i++)
		samples[i] = sample(count);
	rows_add("scale", name, "us", LOWER, samples, samples_count);
}

/* count = 1, step, step * step ... up to most, and most itself. */
static inline void scale_rows(const char *what, unsigned step, unsigned most, scale_sample *sample)
{
	(void)sample(1);
	unsigned count = 1;
	for (; count < most; count *= step)
		scale_row(what, count, sample);
	scale_row(what, most, sample);
}

/* What the process has in memory. */
static inline double scale_resident_B(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		bench_fail(__FILE__, __LINE__, "/proc/self/statm", 0);
	fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static inline void scale_memory_row(const char *name, double grown_B, unsigned count)
{
	double each_B = grown_B > 0 ? grown_B / count : 0;
	rows_add("scale", name, "B", LOWER, &each_B, 1);
}

#endif
