/* What the compilers said, on a terminal in the colours that compilers have. */
#include "config.h"

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

/* Where "error: " stands in a message's first line, which is at its beginning or behind "FILE:1:2: ",
 * and which one it is.  -1: the line is no such. */
static int find_severity(const char *line, size_t length, const char **at_out)
{
	for (int i = 0; i < SEVERITIES; i++) {
		const size_t word_B = strlen(severities[i].word);
		const char *at = memmem(line, length, severities[i].word, word_B);
		if (at && (at == line || (at - line >= 2 && at[-1] == ' ' && at[-2] == ':'))) {
			*at_out = at;
			return i;
		}
	}
	return -1;
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

void tool_print_log(const char *log, size_t size_B)
{
	const char *end = log + size_B;
	while (log < end) {
		const char *newline = memchr(log, '\n', (size_t)(end - log));
		const size_t length = (size_t)((newline ? newline : end) - log);
		print_line(stderr, log, length);
		if (newline)
			fputc('\n', stderr);
		log += length + (newline != NULL);
	}
}
