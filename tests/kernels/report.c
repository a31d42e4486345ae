#include "config.h"

#include "tests/kernels/report.h"

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the checker's reports go; "" when no file wants any. */
static char report_path[64];

char *text_read(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	size_t size = 0, capacity = 1 << 16;
	char *text = malloc(capacity + 1);
	for (size_t got; text && (got = fread(text + size, 1, capacity - size, file)) > 0;) {
		size += got;
		if (size == capacity)
			text = realloc(text, (capacity *= 2) + 1);
	}
	if (text)
		text[size] = '\0';
	fclose(file);
	return text;
}

void report_prepare(const char *path)
{
	static const char directive[] = "//! check ";
	char *text = text_read(path), *at = text ? strstr(text, directive) : NULL;
	if (at) {
		at += strlen(directive);
		at[strcspn(at, "\n")] = '\0';
		snprintf(report_path, sizeof(report_path), "/tmp/culvert-report.XXXXXX");
		int file = mkstemp(report_path);
		if (file < 0)
			*report_path = '\0';
		else
			close(file);
		setenv("CULVERT_SOFT_CHECK", at, 1);
		setenv("CULVERT_SOFT_REPORT", report_path, 1);
		/* How many races are found, and by which work-items first, depends on who runs which work-groups. */
		setenv("CULVERT_SOFT_THREADS", "1", 0);
	}
	free(text);
}

static bool matches(const char *line, const char *pattern)
{
	regex_t expression;
	if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	const bool found = !regexec(&expression, line, 0, NULL, 0);
	regfree(&expression);
	return found;
}

/* Kernel, line of the PTX and of the source, work-item; of memory how much, the address, the
 * buffer and how far out; of a race both sides. */
static bool is_whole(const char *line)
{
#define AT "ptx line [0-9]+ \\([^ ]+:[0-9]+\\)( in '[^']+')?"
#define WHO "work-group \\([0-9,]+\\), work-item \\([0-9,]+\\)"
	if (matches(line, "^softcuda: kernel '[^']+': [0-9]+ reports in total, [0-9]+ printed$"))
		return true;
	if (!matches(line, "^softcuda: [a-z -]+: kernel '[^']+', " AT ", " WHO ": "))
		return false;
	if (matches(line, "^softcuda: race ") &&
	    !matches(line, "with no order to the [a-z ]+ at " AT " by " WHO "$"))
		return false;
	if (matches(line, "the index -?[0-9]+ of an array of [0-9]+ elements$"))
		return true;
	return matches(line, "(barrier|members|takes no part|copy|event)") ||
	       matches(line, " [0-9]+ bytes .*at [a-z]+ address 0x[0-9a-f]+, (near the null pointer|"
		       "far from every buffer|[0-9]{1,9} bytes (into|before|behind the end of) "
		       ".* of [0-9]+ bytes)");
#undef AT
#undef WHO
}

/* The first line that does not name all that it has to, to be freed; NULL: they all do. */
static char *lacking(const char *text)
{
	for (const char *end; *text; text = end + 1) {
		end = strchr(text, '\n');
		char *line = end ? strndup(text, (size_t)(end - text)) : strdup(text);
		if (!end || !line || !is_whole(line))
			return line ? line : strdup("");
		free(line);
	}
	return NULL;
}

char *report_wrong(const char *wanted)
{
	char *text = *report_path ? text_read(report_path) : NULL, *wrong = NULL, *line = NULL;
	int length = 0;
	if (!*wanted ? !text || *text : !text || !strstr(text, wanted))
		length = asprintf(&wrong, "%s%s%s:\n%s", *wanted ? "\"" : "there is a report", wanted,
				  *wanted ? "\" is not in the report" : "", text ? text : "");
	else if ((line = lacking(text)))
		length = asprintf(&wrong, "this report does not name all that it should:\n%s", line);
	free(line);
	free(text);
	return length < 0 ? strdup("no memory") : wrong;
}

/* Appends all that was reported to the file that RUNNER_REPORTS names. */
static void keep(const char *text)
{
	const char *path = getenv("RUNNER_REPORTS");
	FILE *file = path ? fopen(path, "a") : NULL;
	if (file && (fputs(text, file) < 0 || fflush(file)))
		fprintf(stderr, "%s: cannot be written\n", path);
	if (file)
		fclose(file);
}

void report_finish(void)
{
	char *text = *report_path ? text_read(report_path) : NULL;
	if (text)
		keep(text);
	free(text);
	if (*report_path)
		unlink(report_path);
}
