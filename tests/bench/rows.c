#include "config.h"

#include "tests/bench/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned row_count;
static int failed;

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double rows_median(double *samples, unsigned count)
{
	if (!count)
		return 0;
	qsort(samples, count, sizeof(*samples), compare);
	return (samples[(count - 1) / 2] + samples[count / 2]) / 2;
}

static void print_member(const char *name, const char *text)
{
	printf(", \"%s\": \"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text >= ' ')
			putchar(*text);
	}
	putchar('"');
}

void rows_begin(const char *bench, const char *platform, const char *device, const char *driver)
{
	printf("{\"bench\": \"%s\"", bench);
	print_member("platform", platform);
	print_member("device", device);
	print_member("driver", driver);
#ifndef NDEBUG
	/* Of the build folder, Culvert too: such figures are not for comparing. */
	printf(", \"checks\": true");
#endif
	printf(", \"rows\": [");
	fflush(stdout);
}

/* Each row is a line of its own, so that what came before a crash can be read. */
static void row_start(const char *group, const char *name)
{
	printf("%s\n{\"group\": \"%s\", \"name\": \"%s\"", row_count++ ? "," : "", group, name);
}

void rows_add(const char *group, const char *name, const char *unit, enum better better,
	      double *samples, unsigned count)
{
	const double median = rows_median(samples, count);
	if (!count) {
		rows_skip(group, name, "not measured");
		return;
	}
	row_start(group, name);
	if (!isfinite(samples[0]) || !isfinite(median) || !isfinite(samples[count - 1])) {
		fprintf(stderr, "%s: %s: not a number\n", group, name);
		failed = 1;
		printf(", \"skipped\": \"not a number\"}");
	} else {
		printf(", \"unit\": \"%s\", \"better\": \"%s\", \"value\": %.6g, \"low\": %.6g, "
		       "\"high\": %.6g, \"samples\": %u}", unit,
		       better == LOWER ? "lower" : "higher", median, samples[0],
		       samples[count - 1], count);
	}
	fflush(stdout);
}

void rows_skip(const char *group, const char *name, const char *why)
{
	row_start(group, name);
	printf(", \"skipped\": \"%s\"}", why);
	fflush(stdout);
}

int rows_end(void)
{
	printf("\n]}\n");
	if (fflush(stdout) || ferror(stdout))
		failed = 1;
	return failed;
}
