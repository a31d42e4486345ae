#include "config.h"

#include "tools/build_log.h"

#include "tools/tool.h"

#include <string.h>

static const struct {
	const char *word;
	enum tool_style style;
} severities[] = {
	{"fatal error: ", TOOL_BAD}, {"error: ", TOOL_BAD}, {"warning: ", TOOL_CAREFUL},
	{"note: ", TOOL_BOLD},
};
enum { SEVERITIES = sizeof(severities) / sizeof(severities[0]) };

/* Whether FILE:LINE:COLUMN: and a blank end at at. */
static bool is_behind_place(const char *line, const char *at)
{
	return at - line > 4 && at[-1] == ' ' && at[-2] == ':' && at[-3] >= '0' && at[-3] <= '9';
}

/* Where "error: " stands in a message's first line, which is at its beginning or behind a place, and
 * which one it is.  -1: the line is no such, as those of the source, which begin with a blank. */
static int find_severity(const char *line, size_t length, const char **at_out)
{
	int found = -1;
	for (int i = 0; i < SEVERITIES && length && *line != ' '; i++) {
		const size_t word_B = strlen(severities[i].word);
		const char *at = memmem(line, length, severities[i].word, word_B);
		if (!at || (at != line && !is_behind_place(line, at)) || (found >= 0 && at > *at_out))
			continue;
		*at_out = at;
		found = i;
	}
	return found;
}

/* "      |      ^~~~": what points at the source. */
static bool is_pointer(const char *line, size_t length)
{
	const size_t margin = strspn(line, " ");
	return margin < length && line[margin] == '|' && memchr(line, '^', length) &&
	       margin + 1 + strspn(line + margin + 1, " \t~^-") >= length;
}

static void print_line(FILE *stream, const char *line, size_t length)
{
	const char *plain = tool_style(stream, TOOL_PLAIN), *at;
	const int found = find_severity(line, length, &at);
	if (found >= 0) {
		const int word_B = (int)strlen(severities[found].word) - 1;
		fprintf(stream, "%s%.*s%s%s%.*s%s%.*s", tool_style(stream, TOOL_BOLD),
			(int)(at - line), line, plain, tool_style(stream, severities[found].style),
			word_B, at, plain, (int)(length - (size_t)(at - line)) - word_B,
			at + word_B);
	} else if (is_pointer(line, length)) {
		fprintf(stream, "%s%.*s%s", tool_style(stream, TOOL_GOOD), (int)length, line, plain);
	} else {
		fwrite(line, 1, length, stream);
	}
}

/* The length of a line, without its end. */
static size_t line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return (size_t)((newline ? newline : end) - at);
}

void build_log_print(const char *log, size_t size_B)
{
	for (const char *end = log + size_B; log < end;) {
		const size_t length = line_length(log, end);
		print_line(stderr, log, length);
		log += length;
		if (log < end)
			fputc(*log++, stderr);
	}
}

/* The number that ends before *end, behind a colon, which *end is set to.  False: there is none. */
static bool number_before(const char *start, const char **end, uint64_t *number_out)
{
	const char *at = *end;
	uint64_t number = 0, unit = 1;
	while (at > start && at[-1] >= '0' && at[-1] <= '9' && unit < 1000000000) {
		number += unit * (uint64_t)(*--at - '0');
		unit *= 10;
	}
	if (at == *end || at == start || at[-1] != ':')
		return false;
	*number_out = number;
	*end = at - 1;
	return true;
}

/* "FILE:LINE:COLUMN: " before the severity. */
static void write_place(struct json *json, const char *line, const char *severity)
{
	uint64_t row, column;
	const char *end = severity - line > 2 ? severity - 2 : line;
	const bool known = number_before(line, &end, &column) && number_before(line, &end, &row);
	if (known) {
		json_text(json, "file", line, (size_t)(end - line));
		json_natural(json, "line", row);
		json_natural(json, "column", column);
	} else {
		json_string(json, "file", NULL);
		json_string(json, "line", NULL);
		json_string(json, "column", NULL);
	}
}

void build_log_json(struct json *json, const char *key, const char *log, size_t size_B)
{
	json_open(json, key, '[');
	for (const char *end = log + size_B; log < end;) {
		const size_t length = line_length(log, end);
		const char *at;
		const int found = find_severity(log, length, &at);
		if (found >= 0) {
			const size_t word_B = strlen(severities[found].word);
			json_open(json, NULL, '{');
			json_text(json, "severity", at, word_B - 2);
			write_place(json, log, at);
			json_text(json, "text", at + word_B, length - (size_t)(at - log) - word_B);
			json_close(json, '}');
		}
		log += length + (log + length < end);
	}
	json_close(json, ']');
}
