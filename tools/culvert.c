/* The program: which command, and what all of them do alike. */
#include "config.h"

#include "base/bytes.h"
#include "tools/closest.h"
#include "tools/tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct flag_row {
	enum tool_command command;
	int letter;
	const char *name, *argument, *help;
};

static const struct flag_row flags[] = {
#define COMMAND(name, arguments, help)
#define FLAG(command, letter, name, argument, help) {TOOL_##command, letter, name, argument, help},
#include "tools/command.def"
#undef COMMAND
#undef FLAG
};
enum { FLAGS = sizeof(flags) / sizeof(flags[0]) };

static const struct {
	enum tool_command command;
	const char *name, *words;
} choices[] = {
#define COMMAND(name, arguments, help)
#define FLAG(command, letter, name, argument, help)
#define CHOICE(command, name, words) {TOOL_##command, name, words},
#include "tools/command.def"
#undef COMMAND
#undef FLAG
};
enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

static const struct {
	const char *name, *arguments, *help;
	int (*run)(int argc, char **argv);
} commands[TOOL_COMMAND_COUNT] = {
#define COMMAND(name, arguments, help) [TOOL_##name] = {#name, arguments, help, tool_##name},
#define FLAG(command, letter, name, argument, help)
#include "tools/command.def"
#undef COMMAND
#undef FLAG
};

static const char *current;              /* the command's name, for messages */
static char last_error[1024];

/* --- messages --------------------------------------------------------------------- */

static void say(const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	vsnprintf(last_error, sizeof(last_error), format, again);
	va_end(again);
	fprintf(stderr, "%sculvert%s%s:%s ", tool_style(stderr, TOOL_BAD), current ? " " : "",
		current ? current : "", tool_style(stderr, TOOL_PLAIN));
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void tool_error(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

const char *tool_last_error(void)
{
	return last_error;
}

int tool_usage(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	fprintf(stderr, "Try 'culvert %s%s--help'.\n", current ? current : "",
		current ? " " : "");
	return TOOL_USAGE;
}

int tool_flush(int code)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	tool_error("stdout: %s", errno ? strerror(errno) : "write error");
	return code ? code : TOOL_FAILED;
}

bool tool_read(struct bytes *content, const char *file)
{
	const bool is_stdin = !strcmp(file, "-");
	char piece[4096];
	size_t got_B;
	errno = 0;
	FILE *stream = is_stdin ? stdin : fopen(file, "re");
	while (stream && (got_B = fread(piece, 1, sizeof(piece), stream)))
		bytes_append(content, piece, got_B);
	const bool good = stream && !ferror(stream) && !bytes_failed(content);
	if (!good)
		tool_error("%s: %s", file, strerror(errno ? errno : ENOMEM));
	if (stream && !is_stdin)
		fclose(stream);
	return good;
}

/* SPIR-V specification, 3.1: the magic number, in either order of bytes. */
bool tool_is_spirv(const struct bytes *content)
{
	return content->size_B >= 4 && (!memcmp(content->data, "\x03\x02\x23\x07", 4) ||
					!memcmp(content->data, "\x07\x23\x02\x03", 4));
}

/* The name as a string of C. */
static void append_quoted(struct bytes *text, const char *name)
{
	bytes_append_char(text, '"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			bytes_append_char(text, '\\');
		bytes_append_char(text, *name);
	}
	bytes_append_char(text, '"');
}

bool tool_read_source(struct bytes *source, struct bytes *options, const char *file)
{
	struct bytes content = BYTES_INIT;
	const bool is_stdin = !strcmp(file, "-");
	const char *slash = strrchr(file, '/');
	bool good = tool_read(&content, file);
	if (good && !tool_is_spirv(&content)) {
		/* Messages and line tables then name the file. */
		bytes_append_string(source, "#line 1 ");
		append_quoted(source, is_stdin ? "<stdin>" : file);
		bytes_append_char(source, '\n');
	}
	/* A header beside the file; beside the process it is found anyway. */
	if (good && !tool_is_spirv(&content) && slash && !is_stdin) {
		struct bytes folder = BYTES_INIT;
		bytes_append(&folder, file, (size_t)(slash - file) + 1);
		bytes_append_string(options, "-I ");
		append_quoted(options, bytes_string(&folder));
		bytes_append_char(options, ' ');
		good = !bytes_failed(&folder);
		bytes_finish(&folder);
	}
	/* UTF-8's mark of order is one at the beginning alone. */
	const size_t mark_B = good && content.size_B >= 3 &&
			      !memcmp(content.data, "\xef\xbb\xbf", 3) ? 3 : 0;
	bytes_append(source, content.data + mark_B, content.size_B - mark_B);
	if (good && (bytes_failed(source) || bytes_failed(options))) {
		tool_error("%s: %s", file, strerror(ENOMEM));
		good = false;
	}
	bytes_finish(&content);
	return good;
}

const char *tool_size(uint64_t size_B)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	static char texts[8][32];
	static unsigned next;
	char *text = texts[next++ % 8];
	double size = (double)size_B;
	unsigned unit = 0;
	while (size >= 1024 && unit < 4) {
		size /= 1024;
		unit++;
	}
	snprintf(text, sizeof(texts[0]), unit && size < 100 ? "%.1f %s" : "%.0f %s", size,
		 units[unit]);
	return text;
}

bool tool_number(const char *text, uint64_t *number_out)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 0);
	if (*end || errno)
		return false;
	*number_out = number;
	return true;
}

/* --- on a terminal ---------------------------------------------------------------- */

const char *tool_style(FILE *stream, enum tool_style style)
{
	static const char *const codes[] = {"\033[0m", "\033[1m", "\033[32m", "\033[33m",
					    "\033[31m"};
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
	bool wanted = isatty(fileno(stream)) && terminal && *terminal &&
		      strcmp(terminal, "dumb") && !(none && *none);
	return wanted ? codes[style] : "";
}

void tool_progress(const char *what, uint64_t done, uint64_t total)
{
	enum { WIDTH = 32 };
	static const char full[] = "################################";
	if (!isatty(STDERR_FILENO) || !total)
		return;
	if (done >= total) {
		fputs("\r\033[K", stderr);
	} else {
		int filled = (int)(done * WIDTH / total);
		fprintf(stderr, "\r%s [%.*s%*s] %3d %%", what, filled, full, WIDTH - filled, "",
			(int)(done * 100 / total));
	}
	fflush(stderr);
}

/* --- help ------------------------------------------------------------------------- */

enum { HELP_INDENT = 28, HELP_WIDTH = 80 };

/* Words from this column on; further lines begin at indent. */
static void print_text(const char *text, int column, int indent)
{
	for (bool first = true; *text; first = false) {
		const int spaces = (int)strspn(text, " ");
		const int length = (int)strcspn(text + spaces, " ");
		if (!first && column + spaces + length > HELP_WIDTH)
			column = printf("\n%*s", indent, "") - 1;
		else
			column += printf("%*s", spaces, "");
		column += printf("%.*s", length, text + spaces);
		text += spaces + length;
	}
}

static void print_wrapped(const char *left, const char *help)
{
	int column = printf("  %-*s", HELP_INDENT - 3, left);
	/* One that is too long has a line of its own. */
	if (column >= HELP_INDENT)
		column = printf("\n%*s", HELP_INDENT, "") - 1;
	else
		column += printf(" ");
	print_text(help, column, HELP_INDENT);
	putchar('\n');
}

static void print_flag(const struct flag_row *flag)
{
	char left[128];
	snprintf(left, sizeof(left), "-%c, --%s%s%s", flag->letter, flag->name,
		 flag->argument ? " " : "", flag->argument ? flag->argument : "");
	print_wrapped(left, flag->help);
}

static void print_command_help(enum tool_command command)
{
	const char *arguments = commands[command].arguments;
	printf("usage: culvert %s [OPTION...]%s%s\n\n", commands[command].name,
	       *arguments ? " " : "", arguments);
	print_text(commands[command].help, 0, 0);
	puts(".\n");
	for (size_t i = 0; i < FLAGS; i++)
		if (flags[i].command == command)
			print_flag(&flags[i]);
	print_wrapped("-h, --help", "show this help");
}

static int print_help(void)
{
	printf("usage: culvert COMMAND [OPTION...] [ARGUMENT...]\n\n"
	       "Tools for OpenCL on NVIDIA GPUs with Culvert.\n\n");
	for (int i = 0; i < TOOL_COMMAND_COUNT; i++)
		print_wrapped(commands[i].name, commands[i].help);
	printf("\nRun 'culvert help COMMAND' to list the options of a command; --json may also be\n"
	       "given before the command. Run any program with CULVERT_HELP=1 to print the\n"
	       "environment variables.\n"
	       "Exit codes: 0 success; 1 failure, or problems found; 2 usage error; 3 a required\n"
	       "device or compiler is not available.\n");
	return TOOL_OK;
}

/* --- for the shell's completion --------------------------------------------------- */

/* A word, and behind a tabulator what it is. */
static void print_word(const char *dashes, const char *word, const char *help, bool described)
{
	printf("%s%s%s%s\n", dashes, word, described ? "\t" : "", described ? help : "");
}

/* What may be said for an option, "--emit" or "-e", or with "" for an argument. */
static void print_choices(enum tool_command command, const char *option)
{
	const char letter = *option && option[1] != '-' ? option[1] : '\0';
	const char *name = *option ? option + 2 : "";
	for (size_t i = 0; letter && i < FLAGS; i++)
		if (flags[i].command == command && flags[i].letter == letter)
			name = flags[i].name;
	for (size_t i = 0; i < CHOICES; i++) {
		if (choices[i].command != command || strcmp(choices[i].name, name))
			continue;
		for (const char *at = choices[i].words; *at; at += strspn(at, " ")) {
			const int length = (int)strcspn(at, " ");
			printf("%.*s\n", length, at);
			at += length;
		}
	}
}

static int find_command(const char *name);

/* The words that may follow: commands, a command's options, or an option's values. */
static int print_words(char **words, bool described)
{
	const int command = words[0] ? find_command(words[0]) : -1;
	for (int i = 0; !words[0] && i < TOOL_COMMAND_COUNT; i++)
		print_word("", commands[i].name, commands[i].help, described);
	if (command < 0)
		return TOOL_OK;
	if (words[1]) {
		print_choices((enum tool_command)command, words[1]);
		return TOOL_OK;
	}
	print_word("--", "help", "show this help", described);
	for (size_t i = 0; i < FLAGS; i++)
		if (flags[i].command == (enum tool_command)command)
			print_word("--", flags[i].name, flags[i].help, described);
	return TOOL_OK;
}

/* --- the command line ------------------------------------------------------------- */

/* Tables for getopt_long. */
struct getopt_tables {
	struct option names[FLAGS + 2];
	char letters[3 * FLAGS + 8];
};

static void fill_tables(enum tool_command command, bool stop_at_argument,
			struct getopt_tables *tables)
{
	char *letter = tables->letters;
	size_t count = 0;
	if (stop_at_argument)
		*letter++ = '+';
	*letter++ = ':';
	*letter++ = 'h';
	tables->names[count++] = (struct option){"help", no_argument, NULL, 'h'};
	for (size_t i = 0; i < FLAGS; i++) {
		if (flags[i].command != command)
			continue;
		int has = flags[i].argument ? required_argument : no_argument;
		tables->names[count++] = (struct option){flags[i].name, has, NULL,
							 flags[i].letter};
		*letter++ = (char)flags[i].letter;
		if (flags[i].argument)
			*letter++ = ':';
	}
	*letter = '\0';
	tables->names[count] = (struct option){0};
}

/* name: "-x", "--nonsense" or "--nonsense=3". */
static void complain_unknown(const struct getopt_tables *tables, const char *name)
{
	char typed[64];
	struct closest closest = {.word = typed};
	const bool is_long = !strncmp(name, "--", 2);
	bool compiles = false;
	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(name, "="), name);
	closest.word += is_long ? 2 : 0;
	for (const struct option *option = tables->names; option->name; option++) {
		compiles |= !strcmp(option->name, "options");
		if (is_long)
			closest_offer(&closest, option->name);
	}
	tool_usage("unknown option %s%s", name,
		   compiles && !is_long ? "; options for the OpenCL compiler follow --" : closest_hint(&closest, "--"));
}

/* What getopt_long has stopped at: ':' or '?'.  A letter that is unknown may stand before
 * others in its word, which then is not passed yet: optopt alone says which it was. */
static void complain(const struct getopt_tables *tables, int stopped, const char *word)
{
	bool known = false;
	for (const struct option *option = tables->names; option->name && optopt; option++)
		known |= option->val == optopt;
	bool is_long = !optopt || (known && !strncmp(word, "--", 2));
	char letter[] = {'-', (char)optopt, '\0'};
	const char *name = is_long ? word : letter;
	if (stopped == ':')
		tool_usage("%s requires a value", name);
	else if (known)
		tool_usage("%.*s does not take a value", (int)strcspn(name, "="), name);
	else
		complain_unknown(tables, name);
}

int tool_options(enum tool_command command, int argc, char **argv, bool stop_at_argument,
		 tool_take *take, void *state)
{
	struct getopt_tables tables;
	fill_tables(command, stop_at_argument, &tables);
	opterr = 0;
	optind = 1;
	for (;;) {
		int letter = getopt_long(argc, argv, tables.letters, tables.names, NULL);
		if (letter < 0)
			return optind;
		if (letter == 'h') {
			print_command_help(command);
			return -1 - TOOL_OK;
		}
		if (letter == ':' || letter == '?') {
			complain(&tables, letter, argv[optind - 1]);
			return -1 - TOOL_USAGE;
		}
		if (!take(state, letter, optarg))
			return -1 - TOOL_USAGE;
	}
}

/* The command of a name, or -1. */
static int find_command(const char *name)
{
	for (int i = 0; i < TOOL_COMMAND_COUNT; i++)
		if (!strcmp(name, commands[i].name))
			return i;
	return -1;
}

static int no_command(const char *name)
{
	struct closest closest = {.word = name};
	for (int i = 0; i < TOOL_COMMAND_COUNT; i++)
		closest_offer(&closest, commands[i].name);
	return tool_usage("unknown command '%s'%s", name, closest_hint(&closest, ""));
}

/* Of "culvert --versoin" and "culvert --jsn devices". */
static int no_option(const char *typed)
{
	const bool is_long = !strncmp(typed, "--", 2);
	struct closest closest = {.word = typed + (is_long ? 2 : 0)};
	static const char *const options[] = {"version", "help", "json"};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && is_long; i++)
		closest_offer(&closest, options[i]);
	return tool_usage("unknown option %s before the command%s", typed, closest_hint(&closest, "--"));
}

static int help(const char *name)
{
	const int command = name ? find_command(name) : -1;
	if (!name)
		return print_help();
	if (command < 0)
		return no_command(name);
	print_command_help((enum tool_command)command);
	return TOOL_OK;
}

static int run_command(int argc, char **argv)
{
	const int command = find_command(argv[0]);
	if (command < 0)
		return no_command(argv[0]);
	current = commands[command].name;
	return commands[command].run(argc, argv);
}

/* The command with --json behind it, as if it had been written there. */
static int run_with_json(int argc, char **argv)
{
	static char json[] = "--json";
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	if (!words) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	words[0] = argv[0];
	words[1] = json;
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	const int code = run_command(argc + 1, words);
	free(words);
	return code;
}

static bool is_one_of(const char *word, const char *name, const char *letter)
{
	return !strcmp(word, name) || !strcmp(word, letter);
}

static int run(int argc, char **argv)
{
	if (argc < 2) {
		print_help();
		return TOOL_USAGE;
	}
	if (is_one_of(argv[1], "--version", "-V")) {
		puts("culvert " PACKAGE_VERSION);
		return TOOL_OK;
	}
	if (is_one_of(argv[1], "--help", "-h"))
		return print_help();
	if (!strcmp(argv[1], "help"))
		return help(argv[2]);
	if (!strcmp(argv[1], "--words") || !strcmp(argv[1], "--described"))
		return print_words(argv + 2, !strcmp(argv[1], "--described"));
	if (is_one_of(argv[1], "--json", "-j"))
		return argc > 2 ? run_with_json(argc - 2, argv + 2) : tool_usage("no command given");
	if (argv[1][0] == '-')
		return no_option(argv[1]);
	return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	return tool_flush(run(argc, argv));
}
