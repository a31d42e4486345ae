/* Measures the error of the math functions against MPFR, on any platform:
 *
 *	ulp [--platform NAME] [--points N] [--exhaustive | --stride N] [--threads N]
 *	    [--write FILE] [FUNCTION...]
 *
 * Half-precision functions of one argument are measured at every number, those of float with
 * --exhaustive too (--stride N: at every N-th); all others at N points (default 65536).  Everything
 * is done twice, with the default options and with -cl-fast-relaxed-math.  --write makes a page of
 * the results.
 * Exit status: 0 nothing exceeds its bound, 1 something does, 2 wrong usage, 77 no such platform. */
#include "config.h"

#include "tests/ulp/measure.h"
#include "tests/builtins/family.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TYPES = 3, MODES = 2 };

static const enum type types[TYPES] = {TYPE_HALF, TYPE_FLOAT, TYPE_DOUBLE};
/* A correctly rounded result is at most half a unit away; the exact value that it is compared with
 * has 64 digits, eleven more than a double. */
static const long double slack = 0x1p-10L;

static size_t failures;

void family_count(size_t functions, size_t comparisons)
{
	(void)functions;
	(void)comparisons;
}

void family_fail(const char *format, ...)
{
	va_list arguments;
	failures++;
	printf("FAIL ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

struct run {
	struct device device;
	struct depth_of_measure depth;
	/* By function, type and mode. */
	struct measurement (*results)[TYPES][MODES];
};

static bool exceeds(const struct measurement *m, double bound)
{
	if (m->bound)
		return !(m->error <= 1);
	return bound >= 0 && !(m->error <= bound + slack);
}

static void show_arguments(FILE *file, const struct measurement *m)
{
	enum type argument_types[3];
	unsigned count = measure_arguments(m, argument_types);
	if (m->error == 0)
		fprintf(file, "any");
	for (unsigned i = 0; i < count && m->error > 0; i++) {
		if (argument_types[i] == TYPE_INT)
			fprintf(file, ", %d", (int)m->arguments[i].s);
		else
			fprintf(file, "%s%a", i ? ", " : "", (double)m->arguments[i].real);
	}
}

static void report(const struct measurement *m, double bound)
{
	printf("%-6s %-13s %-8s %10.4Lf ", type_name(m->type), m->function->name,
	       m->relaxed ? "relaxed" : "", m->error);
	if (m->bound)
		printf("of the bound, %s,", m->bound->bound);
	else if (bound >= 0)
		printf("ulp of %g", bound);
	else
		printf("ulp");
	printf(" at ");
	show_arguments(stdout, m);
	printf(" (%llu points)\n", (unsigned long long)m->points);
	if (exceeds(m, bound))
		family_fail("%s %s: %La instead of %La", type_name(m->type), m->function->call,
			    m->got.real, m->exact);
	fflush(stdout);
}

static void measure_function(struct run *run, size_t f)
{
	for (int t = 0; t < TYPES; t++) {
		double bound = functions[f].bounds[t];
		if (bound == ABSENT || (types[t] == TYPE_HALF && !run->device.has_half))
			continue;
		for (int mode = 0; mode < MODES; mode++) {
			struct measurement *m = &run->results[f][t][mode];
			*m = (struct measurement){.function = &functions[f], .type = types[t],
						  .relaxed = mode == 1};
			if (mode == 1 && types[t] == TYPE_FLOAT)
				m->bound = relaxed_find(functions[f].name);
			if (measure(&run->device, &run->depth, m))
				report(m, bound);
		}
	}
}

/* -- the page --------------------------------------------------------------------------------- */

static void write_head(FILE *file, struct run *run, const char *command)
{
	char name[256] = "", version[256] = "";
	clGetDeviceInfo(run->device.id, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	clGetDeviceInfo(run->device.id, CL_DRIVER_VERSION, sizeof(version) - 1, version, NULL);
	fprintf(file, "# Accuracy of the math functions\n\n"
		      "This page answers: how large is the error of each math function? It was generated "
		      "by `%s` on\n%s (driver %s).\n\n"
		      "Errors are in units in the last place (ULP), measured against MPFR:\n\n"
		      "- *bound*: the bound of OpenCL C 3.0, 7.4, full profile. 0.5 means correctly rounded; a dash "
		      "means that the\n  specification defines none\n"
		      "- *worst*: the largest error that was found, with the default options\n"
		      "- *relaxed*: the largest error with `-cl-fast-relaxed-math`, for normal arguments and results. "
		      "The same bounds\n  apply, except for the functions of float in the separate table at the end\n"
		      "- *worst argument*: where the largest error occurs, with the default options\n"
		      "- *points*: how many arguments were measured. 65,536 (half) and 4,294,967,296 (float) are all "
		      "arguments of a\n  function of one argument\n",
		command, name, version);
}

static void write_type(FILE *file, struct run *run, int t)
{
	fprintf(file, "\n## %s\n\n| function | bound | worst | relaxed | worst argument | points |\n"
		      "|---|---|---|---|---|---|\n", type_name(types[t]));
	for (size_t f = 0; f < function_count; f++) {
		const struct measurement *m = run->results[f][t];
		if (!m[0].points || !m[1].points)
			continue;
		fprintf(file, "| `%s` | ", m->function->call);
		if (m->function->bounds[t] >= 0)
			fprintf(file, "%g", m->function->bounds[t]);
		else
			fprintf(file, "-");
		fprintf(file, " | %.4Lg | ", m[0].error);
		if (m[1].bound)
			fprintf(file, "below | `");
		else
			fprintf(file, "%.4Lg | `", m[1].error);
		show_arguments(file, &m[0]);
		fprintf(file, "` | %llu |\n", (unsigned long long)m->points);
	}
}

static void write_relaxed(FILE *file, struct run *run)
{
	fprintf(file, "\n## float, relaxed\n\n"
		      "The functions of float for which 7.4 defines other bounds with "
		      "`-cl-unsafe-math-optimizations`, built with\n`-cl-fast-relaxed-math`. If a "
		      "function may be derived from others, its bound follows from their bounds and\n"
		      "the rounding of each operation. *Worst* is the largest error as a part of the "
		      "bound.\n\n"
		      "| function | bound | worst | worst argument | points |\n"
		      "|---|---|---|---|---|\n");
	for (size_t f = 0; f < function_count; f++) {
		for (int t = 0; t < TYPES; t++) {
			const struct measurement *m = &run->results[f][t][1];
			if (!m->points || !m->bound)
				continue;
			fprintf(file, "| `%s` | ", m->function->call);
			for (const char *c = m->bound->bound; *c; c++)
				fprintf(file, *c == '|' ? "\\%c" : "%c", *c);
			fprintf(file, " | %.4Lf | `", m->error);
			show_arguments(file, m);
			fprintf(file, "` | %llu |\n", (unsigned long long)m->points);
		}
	}
}

static bool write_page(struct run *run, const char *path, const char *command)
{
	FILE *file = fopen(path, "w");
	if (!file)
		return false;
	write_head(file, run, command);
	for (int t = 0; t < TYPES; t++)
		write_type(file, run, t);
	write_relaxed(file, run);
	bool written = !ferror(file);
	return !fclose(file) && written;
}

/* -- the command line ------------------------------------------------------------------------- */

struct words {
	const char *platform, *page;
	bool *wanted;
	bool all;
};

static bool take_number(const char *word, uint64_t least, uint64_t most, uint64_t *number_out)
{
	char *end;
	unsigned long long number = strtoull(word, &end, 10);
	*number_out = number;
	return *word && !*end && number >= least && number <= most;
}

static bool take_words(int count, char **words, struct words *taken, struct run *run)
{
	uint64_t number;
	for (int i = 1; i < count; i++) {
		const char *word = words[i], *value = i + 1 < count ? words[i + 1] : "";
		size_t f = 0;
		if (!strcmp(word, "--exhaustive")) {
			run->depth.stride = 1;
			continue;
		}
		if (!strncmp(word, "--", 2)) {
			i++;
			if (!strcmp(word, "--platform"))
				taken->platform = value;
			else if (!strcmp(word, "--write"))
				taken->page = value;
			else if (!strcmp(word, "--points") &&
				 take_number(value, 1, UINT64_C(1) << 40, &number))
				run->depth.points = number;
			else if (!strcmp(word, "--stride") &&
				 take_number(value, 1, UINT64_C(1) << 31, &number))
				run->depth.stride = number;
			else if (!strcmp(word, "--threads") && take_number(value, 1, 256, &number))
				run->depth.threads = (unsigned)number;
			else
				return false;
			continue;
		}
		while (f < function_count && strcmp(word, functions[f].name))
			f++;
		if (f == function_count)
			return false;
		taken->wanted[f] = true;
		taken->all = false;
	}
	return true;
}

static int usage(bool asked)
{
	printf("usage: ulp [--platform NAME] [--points N] [--exhaustive | --stride N] "
	       "[--threads N] [--write FILE] [FUNCTION...]\n");
	return asked ? 0 : 2;
}

static int run_all(struct run *run, const struct words *words, const char *command)
{
	if (!device_open(&run->device, words->platform)) {
		printf("skipped: no device of platform %s\n",
		       words->platform ? words->platform : "(any)");
		return 77;
	}
	for (size_t f = 0; f < function_count; f++)
		if (words->all || words->wanted[f])
			measure_function(run, f);
	if (words->page && !write_page(run, words->page, command))
		family_fail("%s cannot be written", words->page);
	device_close(&run->device);
	printf("%zu failures\n", failures);
	return failures ? 1 : 0;
}

int main(int count, char **arguments)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct run run = {.depth = {.points = 65536,
				    .threads = processors > 0 ? (unsigned)processors : 1}};
	struct words words = {.platform = getenv("CLT_PLATFORM"), .all = true};
	words.wanted = calloc(function_count, sizeof(*words.wanted));
	run.results = calloc(function_count, sizeof(*run.results));
	int status = 2;
	if (!words.wanted || !run.results)
		printf("out of memory\n");
	else if (!take_words(count, arguments, &words, &run))
		status = usage(count == 2 && !strcmp(arguments[1], "--help"));
	else
		status = run_all(&run, &words,
				 run.depth.stride == 1 ? "tests/ulp/ulp --exhaustive" :
								      "tests/ulp/ulp");
	free(run.results);
	free(words.wanted);
	return status;
}
