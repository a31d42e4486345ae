/* culvert check: a program on the software device, which looks on for mistakes. */
#include "config.h"

#include "base/bytes.h"
#include "tools/check_fields.h"
#include "tools/json.h"
#include "tools/program.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
	const char *checks, *report, *devices;
	bool order, json;
};

static bool take(void *state, int letter, const char *value)
{
	static const char *const known[] = {"memory", "race", "uninit", "barrier", "all", "stop",
					    "benign"};
	struct request *request = state;
	switch (letter) {
	case 'c':
		request->checks = value;
		for (const char *at = value; *at; at += strcspn(at, ","), at += *at == ',') {
			size_t i = 0, length = strcspn(at, ",");
			while (i < sizeof(known) / sizeof(known[0]) &&
			       (strlen(known[i]) != length || strncmp(at, known[i], length)))
				i++;
			if (i == sizeof(known) / sizeof(known[0])) {
				tool_usage("--checks: unknown check '%.*s'; expected memory, race, "
					   "uninit, barrier, all, stop or benign", (int)length, at);
				return false;
			}
		}
		return true;
	case 'r':
		request->report = value;
		return true;
	case 'd':
		request->devices = value;
		return true;
	case 'j':
		return request->json = true;
	default:
		request->order = true;
		return true;
	}
}

/* The length of the line at text with its end. */
static size_t line_B(const char *text)
{
	size_t length = strcspn(text, "\n");
	return length + (text[length] == '\n');
}

/* A report begins at the margin; what belongs to it is indented.  One line tells how many
 * there were of a kernel whose reports were too many to print. */
static bool begins_report(const char *line)
{
	static const char start[] = "softcuda: ";
	return !strncmp(line, start, strlen(start)) &&
	       !memmem(line, strcspn(line, "\n"), " reports in total, ", 19);
}

static unsigned count_reports(const struct bytes *text)
{
	unsigned count = 0;
	for (const char *line = bytes_string(text); *line; line += line_B(line))
		count += begins_report(line);
	return count;
}

static bool print_json(const struct bytes *text, int status, bool launched)
{
	struct json json = JSON_INIT;
	json_open(&json, NULL, '{');
	json_integer(&json, "exit", status);
	json_bool(&json, "optimized", false);
	json_bool(&json, "launched", launched);
	json_open(&json, "reports", '[');
	for (const char *line = bytes_string(text); *line;) {
		const char *end = line + line_B(line);
		if (begins_report(line)) {
			while (*end == ' ' || *end == '\t')
				end += line_B(end);
			check_fields_json(&json, line, (size_t)(end - line) - (end[-1] == '\n'));
		}
		line = end;
	}
	json_close(&json, ']');
	json_close(&json, '}');
	return json_print(&json);
}

static bool set_environment(const struct request *request, const char *report)
{
	return !setenv("CULVERT_CUDA", "soft", 1) &&
	       !setenv("CULVERT_SOFT_CHECK", request->checks, 1) &&
	       !setenv("CULVERT_SOFT_REPORT", report, 1) &&
	       (!request->devices || !setenv("CULVERT_SOFT_DEVICES", request->devices, 1)) &&
	       (!request->order || !setenv("CULVERT_SOFT_ORACLE", "1", 1));
}

static void print_count(const struct request *request, unsigned count)
{
	fprintf(stderr, "culvert check: %s%u report%s%s%s%s; programs built from source were compiled without "
		"optimization\n",
		tool_style(stderr, count ? TOOL_BAD : TOOL_GOOD), count, count == 1 ? "" : "s",
		tool_style(stderr, TOOL_PLAIN), request->report && count ? ", in " : "",
		request->report && count ? request->report : "");
}

static int report_on(const char *file, const struct request *request, int status)
{
	struct bytes text = BYTES_INIT;
	if (status == PROGRAM_NOT_STARTED) {
		if (request->json)
			(void)print_json(&text, PROGRAM_NOT_STARTED_EXIT, false);
		return PROGRAM_NOT_STARTED_EXIT;
	}
	int error = bytes_read_file(&text, file);
	if (error && error != ENOENT)
		tool_error("%s: %s", file, strerror(error));
	/* The first launch that is checked creates the file. */
	const bool launched = error != ENOENT;
	unsigned count = count_reports(&text);
	bool told = !request->json || print_json(&text, status, launched);
	if (!request->report && !request->json)
		fwrite(bytes_string(&text), 1, text.size_B, stderr);
	bytes_finish(&text);
	if (launched)
		print_count(request, count);
	else
		fputs("culvert check: nothing was checked: the program launched no kernels, or its OpenCL loader does "
		      "not find Culvert\n", stderr);
	return count || !told || (error && error != ENOENT) ? TOOL_FAILED : status;
}

int tool_check(int argc, char **argv)
{
	struct request request = {.checks = "all"};
	struct program program;
	int at = tool_options(TOOL_check, argc, argv, true, take, &request);
	if (at < 0)
		return -1 - at;
	if (at == argc)
		return tool_usage("no program given");
	if (request.report && unlink(request.report) && errno != ENOENT) {
		tool_error("%s: %s", request.report, strerror(errno));
		return TOOL_FAILED;
	}
	if (!program_init(&program))
		return TOOL_UNAVAILABLE;
	/* The program may change its folder before it reports. */
	char *file = program_file(&program, "report");
	char *here = request.report && *request.report != '/' ? getcwd(NULL, 0) : NULL;
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s%s%s", here ? here : "", here ? "/" : "",
		     request.report ? request.report : file ? file : "");
	int code = TOOL_FAILED;
	if (file && !bytes_failed(&path) && set_environment(&request, path.data))
		code = report_on(path.data, &request, program_run(argv + at, request.json));
	else
		tool_error("out of memory");
	bytes_finish(&path);
	free(here);
	free(file);
	program_finish(&program);
	return code;
}
