/* Who builds programs: an OpenCL platform (builder_opencl.c), or CUDA's run-time compiler
 * (builder_nvrtc.c).  One of them is linked into a bench program. */
#ifndef CULVERT_TESTS_BENCH_BUILD_BUILDER_H
#define CULVERT_TESTS_BENCH_BUILD_BUILDER_H

#include <stdbool.h>

extern const struct builder_facts {
	const char *program;            /* in front of kernels that both languages share */
	const char *ending;             /* of files with kernels */
	const char *salt_type;          /* of a variable that makes a program another one */
	bool keeps;                     /* building the same again may be quicker */
	double (*clblast_ms)(void);     /* clblast.h; NULL: it is none of CLBlast's */
} builder_facts;

/* Takes what is needed before a first build. */
void builder_open(void);
void builder_close(void);

/* Why nothing can be built; NULL when it can.  After builder_open. */
const char *builder_missing(void);

/* Begins the rows of this builder. */
void builder_rows_begin(const char *bench_name);

/* Source to kernels that could be launched, and all of it given back: how long the first
 * half took, in ms; negative, with a line on stderr, when it failed.  newest: in the newest
 * language that there is, not in the one that nobody asks for.  Thread-safe. */
double builder_ms(const char *source, bool newest);

#endif
