/* What a bench program measured, as one JSON object on stdout; README.md beside this has
 * the form.  Strings are printed as they are given: no quotes or backslashes in them but
 * in what rows_begin gets.  One thread at a time.
 *
 *	rows_begin("launch", platform, device, driver);
 *	rows_add("launch", "launch and finish", "us", LOWER, samples, count);
 *	rows_skip("launch", "two GPUs", "there is one");
 *	return rows_end(); */
#ifndef CULVERT_TESTS_BENCH_ROWS_H
#define CULVERT_TESTS_BENCH_ROWS_H

enum better { LOWER, HIGHER };

/* The rest of the process prints nothing else to stdout. */
void rows_begin(const char *bench, const char *platform, const char *device, const char *driver);
/* The row's value is the median; sorts the samples.  No samples: the row is skipped. */
void rows_add(const char *group, const char *name, const char *unit, enum better better,
	      double *samples, unsigned count);
void rows_skip(const char *group, const char *name, const char *why);
/* What main returns: 0, or 1 when a row was no number or stdout could not be written. */
int rows_end(void);

/* Sorts them; 0 if there are none. */
double rows_median(double *samples, unsigned count);

#endif
