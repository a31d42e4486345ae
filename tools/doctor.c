/* culvert doctor: part by part, from the hardware to a kernel that ran. */
#include "config.h"

#include "base/options.h"
#include "tools/finding.h"
#include "tools/json.h"
#include "tools/tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void finding_add(struct findings *findings, const char *about, enum finding_grade grade,
		 const char *mend, const char *format, ...)
{
	struct finding *more =
		realloc(findings->rows, (findings->count + 1) * sizeof(*findings->rows));
	struct bytes text = BYTES_INIT;
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(&text, format, arguments);
	va_end(arguments);
	/* A log ends in a new line. */
	if (!bytes_failed(&text) && text.size_B && text.data[text.size_B - 1] == '\n')
		text.data[--text.size_B] = '\0';
	if (more)
		findings->rows = more;
	if (!more || bytes_failed(&text)) {
		findings->failed = true;
		bytes_finish(&text);
		return;
	}
	findings->rows[findings->count++] = (struct finding){
		.about = about,
		.grade = grade,
		.text = text.data,
		.mend = mend ? strdup(mend) : NULL,
	};
}

char *finding_path(const struct findings *findings, const char *path)
{
	struct bytes whole = BYTES_INIT;
	bytes_printf(&whole, "%s%s", findings->root, path);
	return bytes_failed(&whole) ? strdup("") : whole.data;
}

bool finding_exists(const struct findings *findings, const char *path)
{
	char *whole = finding_path(findings, path);
	bool exists = whole && !access(whole, F_OK);
	free(whole);
	return exists;
}

/* --- printing --------------------------------------------------------------------- */

static const struct {
	const char *name, *mark;
	enum tool_style style;
} grades[] = {
	[FINDING_GOOD] = {"good", "  ok  ", TOOL_GOOD},
	[FINDING_NOTE] = {"note", " note ", TOOL_PLAIN},
	[FINDING_CAREFUL] = {"warning", " warn ", TOOL_CAREFUL},
	[FINDING_BAD] = {"bad", " FAIL ", TOOL_BAD},
};

/* Lines that follow the first are set under it. */
static void print_text(const char *text)
{
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n' && text[1])
			fputs("                    ", stdout);
	}
}

/* What has been found since the last call.  At once, as a broken driver may keep the next part from ever ending. */
static void print_more(struct findings *findings)
{
	for (; findings->printed < findings->count; findings->printed++) {
		const struct finding *row = &findings->rows[findings->printed];
		printf("%s[%s]%s %-10s ", tool_style(stdout, grades[row->grade].style),
		       grades[row->grade].mark, tool_style(stdout, TOOL_PLAIN), row->about);
		print_text(row->text);
		putchar('\n');
		if (row->mend)
			printf("         fix:       %s%s%s\n", tool_style(stdout, TOOL_BOLD), row->mend,
			       tool_style(stdout, TOOL_PLAIN));
	}
	fflush(stdout);
}

static void print_sum(const struct findings *findings)
{
	unsigned bad = 0;
	for (size_t i = 0; i < findings->count; i++)
		bad += findings->rows[i].grade == FINDING_BAD;
	if (bad)
		printf("\n%u problem%s found.\n", bad, bad == 1 ? "" : "s");
	else
		printf("\nNo problems found.\n");
}

static bool print_json(const struct findings *findings)
{
	struct json json = JSON_INIT;
	json_open(&json, NULL, '[');
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *row = &findings->rows[i];
		json_open(&json, NULL, '{');
		json_string(&json, "about", row->about);
		json_string(&json, "grade", grades[row->grade].name);
		json_string(&json, "text", row->text);
		json_string(&json, "fix", row->mend);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	return json_print(&json);
}

/* --- the command ------------------------------------------------------------------ */

struct request {
	bool as_json;
	const char *root;
};

static bool take(void *state, int letter, const char *value)
{
	struct request *request = state;
	if (letter == 'r')
		request->root = value;
	else
		request->as_json = true;
	return true;
}

static void look_at_hardware(struct findings *findings)
{
	if (!*findings->root && !strcmp(option_string(OPTION_CUDA), "soft")) {
		finding_add(findings, "hardware", FINDING_NOTE, "unset CULVERT_CUDA",
			    "CULVERT_CUDA=soft selects the software device; GPUs were not examined");
	} else {
		doctor_hardware(findings);
		doctor_log(findings);
	}
}

/* Where there is no other root, the driver itself is asked; but under WSL files tell what is wrong with it. */
static void look_at_driver_files(struct findings *findings)
{
	if (*findings->root || (strcmp(option_string(OPTION_CUDA), "soft") && finding_wsl(findings)))
		doctor_driver_files(findings);
}

static void examine(struct findings *findings, bool as_json)
{
	static const struct {
		void (*look)(struct findings *findings);
		bool files;     /* also below another root */
	} parts[] = {
		{doctor_variables, false},
		{look_at_hardware, true},
		{doctor_shares, true},
		{look_at_driver_files, true},
		{doctor_icd_files, true},
		{doctor_threads, false},
		{doctor_loader, false},
		{doctor_driver, false},
		{doctor_library, false},
		{doctor_compiler, false},
		{doctor_cache, false},
		{doctor_trial, false},
		{doctor_versions, false},
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (*findings->root && !parts[i].files)
			continue;
		parts[i].look(findings);
		if (!as_json)
			print_more(findings);
	}
}

int tool_doctor(int argc, char **argv)
{
	struct request request = {.root = ""};
	int at = tool_options(TOOL_doctor, argc, argv, false, take, &request);
	if (at < 0)
		return -1 - at;
	if (at < argc)
		return tool_usage("unexpected argument: %s", argv[at]);
	if (*request.root && access(request.root, X_OK))
		return tool_usage("--root: no such folder: %s", request.root);
	struct findings findings = {.root = request.root};
	examine(&findings, request.as_json);
	bool printed = true, bad = findings.failed;
	if (request.as_json)
		printed = print_json(&findings);
	else
		print_sum(&findings);
	for (size_t i = 0; i < findings.count; i++) {
		bad |= findings.rows[i].grade == FINDING_BAD;
		free(findings.rows[i].text);
		free(findings.rows[i].mend);
	}
	free(findings.rows);
	if (findings.failed)
		tool_error("out of memory");
	return bad || !printed ? TOOL_FAILED : TOOL_OK;
}
