#include "config.h"

#include "tests/kernels/translate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In single quotes for a shell. */
static void quote(FILE *to, const char *text)
{
	putc('\'', to);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", to);
		else
			putc(*text, to);
	}
	putc('\'', to);
}

/* COMMAND 'OPTIONS' <FILE; owned, NULL when out of memory. */
static char *command_line(const char *command, const char *options, const char *path)
{
	char *line = NULL;
	size_t size_B;
	FILE *to = open_memstream(&line, &size_B);
	if (!to)
		return NULL;
	fprintf(to, "%s ", command);
	quote(to, options ? options : "");
	fprintf(to, " <%s", path);
	fclose(to);
	return line;
}

static bool write_file(char *path, const char *text)
{
	int file = mkstemp(path);
	if (file < 0)
		return false;
	size_t size_B = strlen(text);
	bool written = write(file, text, size_B) == (ssize_t)size_B;
	close(file);
	return written;
}

static unsigned char *read_all(FILE *from, size_t *size_B_out)
{
	size_t size_B = 0, capacity_B = 1 << 16;
	unsigned char *bytes = malloc(capacity_B);
	while (bytes) {
		size_t got_B = fread(bytes + size_B, 1, capacity_B - size_B, from);
		size_B += got_B;
		if (!got_B)
			break;
		if (size_B < capacity_B)
			continue;
		unsigned char *more = realloc(bytes, capacity_B *= 2);
		if (!more)
			free(bytes);
		bytes = more;
	}
	*size_B_out = size_B;
	return bytes;
}

unsigned char *translate(const char *command, const char *options, const char *text,
			 size_t *size_B_out)
{
	char path[] = "/tmp/culvert-il-XXXXXX";
	unsigned char *bytes = NULL;
	char *line = write_file(path, text) ? command_line(command, options, path) : NULL;
	FILE *pipe = line ? popen(line, "r") : NULL;
	if (pipe) {
		bytes = read_all(pipe, size_B_out);
		if (pclose(pipe) || !*size_B_out) {
			free(bytes);
			bytes = NULL;
		}
	}
	unlink(path);
	free(line);
	return bytes;
}
