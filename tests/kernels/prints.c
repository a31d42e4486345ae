#include "config.h"

#include "tests/kernels/prints.h"

#include "tests/kernels/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPRESSION_MAX = 256 };

/* What the letter behind a backslash means. */
static char unescape(char letter)
{
	return letter == 'n' ? '\n' : letter == 't' ? '\t' : letter == 's' ? ' ' : letter;
}

bool prints_next(const char *output, const char *at, size_t *taken, char *message, size_t size)
{
	char *wanted = calloc(1, strlen(at) + 1);
	size_t length = 0;
	for (at += *at == ' '; wanted && *at; at++) {
		const bool escaped = *at == '\\' && at[1];
		at += escaped;
		wanted[length++] = escaped ? unescape(*at) : *at;
	}
	const bool right = wanted && (length ? !strncmp(output, wanted, length) : !*output);
	if (!right)
		snprintf(message, size, "printed\n[%s]\nexpected\n[%s]", output,
			 wanted ? wanted : "");
	*taken += length;
	free(wanted);
	return right;
}

/* Appends an expression's value; returns what follows it, NULL when it is wrong. */
static const char *append_value(FILE *text, const char *at, size_t i, size_t n,
				const struct buffer *buffers, char *message, size_t size)
{
	const char *end = strchr(at, '}');
	char expression[EXPRESSION_MAX];
	struct value value;
	if (!end || (size_t)(end - at) >= sizeof(expression)) {
		snprintf(message, size, "a brace is never closed");
		return NULL;
	}
	memcpy(expression, at, (size_t)(end - at));
	expression[end - at] = '\0';
	if (!expression_evaluate(expression, buffers, i, n, &value, message, size))
		return NULL;
	fprintf(text, "%lld", (long long)value.s);
	return end + 1;
}

/* TEXT for every i. */
static bool expand(FILE *text, const char *at, size_t n, const struct buffer *buffers,
		   char *message, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		const char *c = at;
		while (c && *c) {
			if (*c == '{') {
				c = append_value(text, c + 1, i, n, buffers, message, size);
				continue;
			}
			if (*c == '\\' && c[1])
				putc(unescape(*++c), text);
			else
				putc(*c, text);
			c++;
		}
		if (!c)
			return false;
	}
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits text at its newlines into sorted lines. */
static char **sorted_lines(char *text, size_t *count_out)
{
	size_t count = 0;
	char **lines = calloc(strlen(text) + 1, sizeof(*lines));
	for (char *at = text; lines && *at; count++) {
		lines[count] = at;
		at += strcspn(at, "\n");
		if (*at)
			*at++ = '\0';
	}
	if (lines)
		qsort(lines, count, sizeof(*lines), compare_lines);
	*count_out = count;
	return lines;
}

static bool compare_outputs(char *got, char *wanted, char *message, size_t size)
{
	size_t got_count, wanted_count, i = 0;
	char **got_lines = sorted_lines(got, &got_count);
	char **wanted_lines = sorted_lines(wanted, &wanted_count);
	while (i < got_count && i < wanted_count && !strcmp(got_lines[i], wanted_lines[i]))
		i++;
	const bool right = i == got_count && i == wanted_count;
	if (!right)
		snprintf(message, size, "printed %zu lines, expected %zu; the first that differs: "
			 "printed [%s], expected [%s]", got_count, wanted_count,
			 i < got_count ? got_lines[i] : "",
			 i < wanted_count ? wanted_lines[i] : "");
	free(got_lines);
	free(wanted_lines);
	return right;
}

bool prints_lines(const char *output, const char *at, const struct buffer *buffers, char *message,
		  size_t size)
{
	char *end, *wanted = NULL, *got = strdup(output);
	size_t wanted_size = 0;
	size_t n = strtoul(at, &end, 0);
	FILE *text = open_memstream(&wanted, &wanted_size);
	bool right = false;
	snprintf(message, size, "expected N TEXT");
	if (text && got && n && *end == ' ')
		right = expand(text, end + 1, n, buffers, message, size);
	if (text)
		fclose(text);
	right = right && compare_outputs(got, wanted, message, size);
	free(wanted);
	free(got);
	return right;
}
