/* culvert, the command-line tool: what its commands share.
 *
 * A command is one function in a file of its name and rows in command.def.  It prints
 * what was asked for on stdout and everything else on stderr, and returns one of the
 * exit codes below.  One thread; memory that lives until the end is left to it. */
#ifndef CULVERT_TOOLS_TOOL_H
#define CULVERT_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tool_exit {
	TOOL_OK,
	TOOL_FAILED,             /* what was asked for did not go well, or problems were found */
	TOOL_USAGE,              /* a mistake on the command line */
	TOOL_UNAVAILABLE         /* something that is needed is not there: a device, a compiler */
};

enum tool_command {
#define COMMAND(name, arguments, help) TOOL_##name,
#define FLAG(command, letter, name, argument, help)
#include "tools/command.def"
#undef COMMAND
#undef FLAG
	TOOL_COMMAND_COUNT
};

#define COMMAND(name, arguments, help) int tool_##name(int argc, char **argv);
#define FLAG(command, letter, name, argument, help)
#include "tools/command.def"
#undef COMMAND
#undef FLAG

/* Reads a command's options by its rows.  take gets an option's letter and its value;
 * false: the value is wrong, and that was said.  Returns the index of the first argument
 * behind the options, which may be anywhere unless stop_at_argument is set; or, as a
 * negative number, -1 - exit code: after --help, and after a mistake. */
typedef bool tool_take(void *state, int letter, const char *value);
int tool_options(enum tool_command command, int argc, char **argv, bool stop_at_argument,
		 tool_take *take, void *state);

/* "culvert COMMAND: ..." on stderr. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What it was told last, without its end of line; "" when it was not called. */
const char *tool_last_error(void);
/* The same and a hint at --help; TOOL_USAGE. */
int tool_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes out what waits for stdout; code, or another than 0 where that cannot be, as on a full
 * disk, which was said then. */
int tool_flush(int code);

/* Appends what is in a file; - is stdin, and a pipe will do.  False: it cannot be read, and that was
 * said. */
struct bytes;
bool tool_read(struct bytes *content, const char *file);

/* The same of a source for the compiler: OpenCL C gets a line that names the file for messages, and
 * options, which end with a blank, a word more that finds headers beside it.  SPIR-V is as it is. */
bool tool_read_source(struct bytes *source, struct bytes *options, const char *file);

/* Whether it begins as SPIR-V does. */
bool tool_is_spirv(const struct bytes *content);

/* "3.5 GiB"; the text is good until the eighth call from here. */
const char *tool_size(uint64_t size_B);

/* Decimal, 0x..., 0...: false unless it is all of text. */
bool tool_number(const char *text, uint64_t *number_out);

/* --- on a terminal ----------------------------------------------------------------- */

enum tool_style { TOOL_PLAIN, TOOL_BOLD, TOOL_GOOD, TOOL_CAREFUL, TOOL_BAD };

/* What switches a style on, or with TOOL_PLAIN off: "" where stream is no terminal, and
 * where the user wants no colours (NO_COLOR, TERM=dumb). */
const char *tool_style(FILE *stream, enum tool_style style);

/* A bar on stderr, where that is a terminal, for work of some length: again and again
 * with done <= total; gone at done == total. */
void tool_progress(const char *what, uint64_t done, uint64_t total);

#endif
