#include "config.h"

#include "tests/kernels/report.h"

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
	}
	free(text);
}

char *report_read(void)
{
	return *report_path ? text_read(report_path) : NULL;
}

void report_finish(void)
{
	if (*report_path)
		unlink(report_path);
}
