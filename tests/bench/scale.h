/* How group scale counts, on both of its sides: ten times as many each time, and rows named
 * "WHAT, COUNT". */
#ifndef CULVERT_TESTS_BENCH_SCALE_H
#define CULVERT_TESTS_BENCH_SCALE_H

#include "tests/bench/bench.h"

#include <malloc.h>
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
	if (!sample) {
		rows_skip("scale", name, "CUDA has no user events");
		return;
	}
	for (unsigned i = 0; i < samples_count; i++)
		samples[i] = sample(count);
	rows_add("scale", name, "us", LOWER, samples, samples_count);
}

/* count = 1, step, step * step ... up to most, and most itself.  sample is NULL where CUDA has
 * nothing that could be measured. */
static inline void scale_rows(const char *what, unsigned step, unsigned most, scale_sample *sample)
{
	if (sample)
		(void)sample(1);
	unsigned count = 1;
	for (; count < most; count *= step)
		scale_row(what, count, sample);
	scale_row(what, most, sample);
}

/* --- memory ----------------------------------------------------------------------------- */

/* What the process has in memory; pages that malloc keeps free are given back before. */
static inline double scale_resident_B(void)
{
	unsigned long pages = 0;
	malloc_trim(0);
	FILE *file = fopen("/proc/self/statm", "r");
	if (!file || fscanf(file, "%*u %lu", &pages) != 1)
		bench_fail(__FILE__, __LINE__, "/proc/self/statm", 0);
	fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* What malloc has given out, to the platform and to all below it. */
static inline double scale_allocated_B(void)
{
#if __GLIBC_PREREQ(2, 33)
	const struct mallinfo2 info = mallinfo2();
#else
	/* Of 32 bits: right while there is less than 2 GiB. */
	const struct mallinfo info = mallinfo();
#endif
	return (double)info.uordblks + (double)info.hblkhd;
}

/* The names of the two rows of a kind of object. */
static const char *const scale_how[] = {"malloc", "resident"};

static inline const char *scale_memory_name(const char *what, unsigned how)
{
	static char name[96];
	snprintf(name, sizeof(name), "memory of %s, %s", what, scale_how[how]);
	return name;
}

static inline void scale_memory_skip(const char *what, const char *why)
{
	for (unsigned how = 0; how < 2; how++)
		rows_skip("scale", scale_memory_name(what, how), why);
}

/* A kind of object.  make and release take the index of one; settle waits until the device is
 * done with them all. */
struct scale_kind {
	const char *what;
	unsigned count;
	void (*make)(unsigned), (*settle)(void), (*release)(unsigned);
};

/* One alone comes first, so that what is made once for all of them does not count. */
static inline void scale_memory(const struct scale_kind *kind)
{
	double grown_B[2];
	for (unsigned round = 0; round < 2; round++) {
		const unsigned count = round ? kind->count : 1;
		const double allocated_B = scale_allocated_B(), resident_B = scale_resident_B();
		for (unsigned i = 0; i < count; i++)
			kind->make(i);
		kind->settle();
		grown_B[0] = scale_allocated_B() - allocated_B;
		grown_B[1] = scale_resident_B() - resident_B;
		for (unsigned i = 0; i < count; i++)
			kind->release(i);
	}
	for (unsigned how = 0; how < 2; how++) {
		double each_B = grown_B[how] > 0 ? grown_B[how] / kind->count : 0;
		rows_add("scale", scale_memory_name(kind->what, how), "B", LOWER, &each_B, 1);
	}
}

#endif
