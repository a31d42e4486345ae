/* culvert trace: a program with the layer of tools/trace between it and the loader. */
#include "config.h"

#include "base/bytes.h"
#include "base/own_library.h"
#include "tools/json.h"
#include "tools/program.h"
#include "tools/quoted.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
	const char *output;
	bool silent, json;
};

/* All calls, or commands, of a name. */
struct total {
	char *name;                      /* owned */
	char kind[16];                   /* call, command */
	uint64_t count;
	double sum_us, most_us;
};

struct totals {
	struct total *rows;              /* owned */
	size_t count;
	bool failed;                     /* out of memory */
};

static bool take(void *state, int letter, const char *value)
{
	struct request *request = state;
	if (letter == 'o')
		request->output = value;
	else if (letter == 'j')
		request->json = true;
	else
		request->silent = true;
	return true;
}

/* --- the summary -------------------------------------------------------------------- */

/* Takes the name. */
static void add(struct totals *totals, struct total *one)
{
	size_t i = 0;
	while (i < totals->count && (strcmp(totals->rows[i].name, one->name) ||
				     strcmp(totals->rows[i].kind, one->kind)))
		i++;
	if (i == totals->count) {
		struct total *more = realloc(totals->rows, (i + 1) * sizeof(*more));
		if (!more) {
			totals->failed = true;
			free(one->name);
			return;
		}
		totals->rows = more;
		totals->rows[totals->count] = *one;
		totals->rows[totals->count++].sum_us = 0;
	} else {
		free(one->name);
	}
	struct total *row = &totals->rows[i];
	row->count++;
	row->sum_us += one->sum_us;
	if (one->sum_us > row->most_us)
		row->most_us = one->sum_us;
}

/* The layer's own lines, whose form is known. */
static void read_line(const char *line, struct totals *totals)
{
	static const char start[] = "{\"name\":";
	struct total one = {.count = 0};
	struct bytes name = BYTES_INIT;
	const char *duration = strstr(line, "\"dur\":"), *end = strchr(line, '\n');
	const char *behind = strncmp(line, start, strlen(start)) ? NULL : quoted_read(line + strlen(start), &name);
	if (duration && (!end || duration < end) && behind &&
	    sscanf(behind, ",\"cat\":\"%15[^\"]\"", one.kind) == 1) {
		one.name = strdup(bytes_string(&name));
		one.sum_us = strtod(duration + strlen("\"dur\":"), NULL);
		if (one.name && !bytes_failed(&name)) {
			add(totals, &one);
		} else {
			totals->failed = true;
			free(one.name);
		}
	}
	bytes_finish(&name);
}

static int by_sum(const void *a_, const void *b_)
{
	const struct total *a = a_, *b = b_;
	if (a->sum_us != b->sum_us)
		return a->sum_us < b->sum_us ? 1 : -1;
	return strcmp(a->name, b->name);
}

static size_t count_kind(const struct totals *totals, const char *kind)
{
	size_t count = 0;
	for (size_t i = 0; i < totals->count; i++)
		count += !strcmp(totals->rows[i].kind, kind);
	return count;
}

/* The longest of a kind; --json has all of them. */
static void print_kind(const struct totals *totals, const char *kind, const char *title)
{
	enum { ROWS = 15 };
	const size_t count = count_kind(totals, kind);
	size_t shown = 0;
	if (!count)
		return;
	fprintf(stderr, "%s%-40s %9s %12s %12s%s\n", tool_style(stderr, TOOL_BOLD), title, "count", "total us",
		"longest us", tool_style(stderr, TOOL_PLAIN));
	for (size_t i = 0; i < totals->count && shown < ROWS; i++) {
		const struct total *row = &totals->rows[i];
		if (strcmp(row->kind, kind))
			continue;
		quoted_print(stderr, row->name, 40);
		fprintf(stderr, " %9" PRIu64 " %12.1f %12.1f\n", row->count, row->sum_us, row->most_us);
		shown++;
	}
	if (count > shown)
		fprintf(stderr, "%zu more; culvert trace --json lists all\n", count - shown);
}

static void print_summary(const struct totals *totals)
{
	print_kind(totals, "command", "command, on its device");
	print_kind(totals, "call", "call");
}

static void put_rows(struct json *json, const char *key, const char *kind,
		     const struct totals *totals)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < totals->count; i++) {
		const struct total *row = &totals->rows[i];
		if (strcmp(row->kind, kind))
			continue;
		json_open(json, NULL, '{');
		json_string(json, "name", row->name);
		json_natural(json, "count", row->count);
		json_real(json, "total_us", row->sum_us);
		json_real(json, "longest_us", row->most_us);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static bool print_json(const struct totals *totals, const char *path, long events, int status)
{
	struct json json = JSON_INIT;
	json_open(&json, NULL, '{');
	json_integer(&json, "exit", status);
	json_string(&json, "timeline", path);
	json_integer(&json, "events", events);
	put_rows(&json, "commands", "command", totals);
	put_rows(&json, "calls", "call", totals);
	json_close(&json, '}');
	return json_print(&json);
}

/* --- the file ----------------------------------------------------------------------- */

/* A file that takes no more, or a program that was killed, leaves a line without its end. */
static void drop_cut_line(struct bytes *text)
{
	while (text->size_B && text->data[text->size_B - 1] != '\n')
		text->data[--text->size_B] = '\0';
}

/* Makes a list of the lines: the last has no comma.  How many events there are, or -1. */
static long close_list(const char *path, struct totals *totals)
{
	struct bytes text = BYTES_INIT;
	long count = 0;
	int error = bytes_read_file(&text, path);
	drop_cut_line(&text);
	for (const char *line = bytes_string(&text); *line;) {
		const char *end = strchr(line, '\n');
		count += *line == '{';
		read_line(line, totals);
		line = end ? end + 1 : "";
	}
	if (!error && text.size_B > 2 && text.data[text.size_B - 2] == ',')
		text.data[text.size_B - 2] = ' ';
	bytes_append_string(&text, "]\n");
	if (!error)
		error = bytes_failed(&text) ? ENOMEM : bytes_write_file(text.data, text.size_B, path);
	if (!error && totals->failed)
		error = ENOMEM;
	bytes_finish(&text);
	if (error)
		tool_error("%s: %s", path, strerror(error));
	return error ? -1 : count;
}

static int report(const struct request *request, const char *path, int status)
{
	struct totals totals = {0};
	long count = close_list(path, &totals);
	bool told = true;
	if (totals.count)
		qsort(totals.rows, totals.count, sizeof(*totals.rows), by_sum);
	if (count > 0 && request->json)
		told = print_json(&totals, path, count, status);
	else if (count > 0 && !request->silent)
		print_summary(&totals);
	for (size_t i = 0; i < totals.count; i++)
		free(totals.rows[i].name);
	free(totals.rows);
	if (count < 0 || !told)
		return TOOL_FAILED;
	if (!count) {
		tool_error("no OpenCL calls were recorded: the program made none, or its loader does not "
			   "support layers");
		return status ? status : TOOL_FAILED;
	}
	if (!request->silent && !request->json)
		fprintf(stderr, "culvert trace: wrote %ld events to %s; open it in https://ui.perfetto.dev or "
			"chrome://tracing\n", count, request->output);
	return status;
}

/* --- the command -------------------------------------------------------------------- */

static int run_and_report(const struct request *request, const char *path, char **argv)
{
	const int status = program_run(argv, request->json);
	if (status != PROGRAM_NOT_STARTED)
		return report(request, path, status);
	/* No timeline of what did not run. */
	(void)unlink(path);
	return PROGRAM_NOT_STARTED_EXIT;
}

/* The program may change its folder before it comes to OpenCL. */
static bool absolute(const char *name, struct bytes *path)
{
	char *here = *name == '/' ? NULL : getcwd(NULL, 0);
	bytes_printf(path, "%s%s%s", here ? here : "", here ? "/" : "", name);
	free(here);
	return !bytes_failed(path);
}

static int trace(const struct request *request, char **argv)
{
	struct bytes layer = BYTES_INIT, path = BYTES_INIT;
	struct program program;
	int code = TOOL_UNAVAILABLE;
	if (!own_library_find("libculvert-trace.so", &layer))
		tool_error("libculvert-trace.so was not found next to this tool");
	else if (program_init(&program)) {
		code = TOOL_FAILED;
		int error = absolute(request->output, &path) ? bytes_write_file("[\n", 2, path.data)
							      : ENOMEM;
		if (error)
			tool_error("%s: %s", request->output, strerror(error));
		else if (setenv("OPENCL_LAYERS", layer.data, 1) ||
			 setenv("CULVERT_TRACE_FILE", path.data, 1))
			tool_error("out of memory");
		else
			code = run_and_report(request, path.data, argv);
		program_finish(&program);
	}
	bytes_finish(&layer);
	bytes_finish(&path);
	return code;
}

int tool_trace(int argc, char **argv)
{
	struct request request = {.output = "culvert-trace.json"};
	int at = tool_options(TOOL_trace, argc, argv, true, take, &request);
	if (at < 0)
		return -1 - at;
	if (at == argc)
		return tool_usage("no program given");
	return trace(&request, argv + at);
}
