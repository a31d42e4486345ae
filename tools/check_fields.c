/* The text is softcuda's (check_report, exec_describe_place, check_describe_place):
 *
 *	softcuda: KIND: kernel 'NAME', ptx line 94 (FILE:12:14) in 'FUNCTION', work-group (0,0,0),
 *	work-item (1,0,0): MESSAGE
 *
 * where MESSAGE may have "at global address 0x80, 128 bytes into the buffer #3 of 256 bytes (argument 1)",
 * and, of a race, ", with no order to the write at ptx line 66 (FILE:11:10) by work-group ...". */
#include "config.h"

#include "tools/check_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy with an end, from which texts are cut. */
struct scan {
	char *text;              /* owned */
	char *at;                /* in text */
};

/* What lies between, which may be nothing; NULL with nothing changed where one of the two is missing.
 * The scan goes on behind. */
static char *between(struct scan *scan, const char *before, const char *behind)
{
	char *start = strstr(scan->at, before);
	char *end = start ? strstr(start + strlen(before), behind) : NULL;
	if (!end)
		return NULL;
	*end = '\0';
	scan->at = end + strlen(behind);
	return start + strlen(before);
}

static void put_triple(struct json *json, const char *key, const char *text)
{
	unsigned values[3];
	if (!text || sscanf(text, "%u,%u,%u", &values[0], &values[1], &values[2]) != 3) {
		json_string(json, key, NULL);
		return;
	}
	json_open(json, key, '[');
	for (int i = 0; i < 3; i++)
		json_natural(json, NULL, values[i]);
	json_close(json, ']');
}

/* Cuts the number off that stands behind the last colon. */
static bool cut_number(char *text, uint64_t *number_out)
{
	char *colon = strrchr(text, ':'), *end;
	if (!colon || !colon[1])
		return false;
	*number_out = strtoull(colon + 1, &end, 10);
	if (*end)
		return false;
	*colon = '\0';
	return true;
}

/* "FILE:12:14" or "FILE:12"; NULL: there is none. */
static void put_source(struct json *json, char *place)
{
	uint64_t last, line;
	const bool has_line = place && cut_number(place, &last);
	const bool has_column = has_line && cut_number(place, &line);
	json_string(json, "file", has_line ? place : NULL);
	if (has_line)
		json_natural(json, "line", has_column ? line : last);
	else
		json_string(json, "line", NULL);
	if (has_column)
		json_natural(json, "column", last);
	else
		json_string(json, "column", NULL);
}

/* "94 (FILE:12:14) in 'FUNCTION'" as far as it goes. */
static void put_place(struct json *json, char *line)
{
	char *open = line ? strstr(line, " (") : NULL, *close = open ? strrchr(open, ')') : NULL;
	if (close)
		*close = '\0';
	put_source(json, close ? open + 2 : NULL);
}

/* "(argument 1, 2)" behind the memory, which is the message's own and not the other access's. */
static void put_arguments(struct json *json, const char *text)
{
	static const char start[] = " (argument ";
	json_open(json, "arguments", '[');
	if (!strncmp(text, start, strlen(start))) {
		char *end;
		for (text += strlen(start); *text >= '0' && *text <= '9';
		     text = end + strspn(end, ", "))
			json_natural(json, NULL, strtoull(text, &end, 10));
	}
	json_close(json, ']');
}

/* What is spoken of, and how far from its start: a buffer with its number, a variable with its name. */
static void put_object(struct json *json, char *what, uint64_t size_B, int64_t offset_B,
		       const char *behind)
{
	static const struct {
		const char *start, *kind;
	} kinds[] = {{"the buffer #", "buffer"}, {"the local variable ", "local variable"},
		     {"the private variable ", "private variable"},
		     {"the constant variable ", "constant variable"},
		     {"the program's variable ", "program's variable"},
		     {"private memory of ", "private memory"},
		     {"the local arguments", "local arguments"},
		     {"the kernel's arguments", "kernel's arguments"}};
	size_t i = 0;
	while (i < sizeof(kinds) / sizeof(kinds[0]) &&
	       strncmp(what, kinds[i].start, strlen(kinds[i].start)))
		i++;
	if (i == sizeof(kinds) / sizeof(kinds[0])) {
		json_string(json, "memory", NULL);
		return;
	}
	const char *name = what + strlen(kinds[i].start);
	json_open(json, "memory", '{');
	json_string(json, "kind", kinds[i].kind);
	if (i)
		json_string(json, "name", *name ? name : NULL);
	else
		json_natural(json, "number", strtoull(name, NULL, 10));
	json_natural(json, "size_B", size_B);
	json_integer(json, "offset_B", offset_B);
	put_arguments(json, behind);
	json_close(json, '}');
}

/* "128 bytes into WHAT of 256 bytes": message is changed. */
static void put_memory(struct json *json, char *message)
{
	static const char *const ways[] = {" bytes into ", " bytes before ",
					   " bytes behind the end of "};
	char *at = NULL, *of = NULL;
	int way = 0;
	for (int i = 0; i < 3 && !at; i++)
		at = strstr(message, ways[way = i]);
	char *what = at ? at + strlen(ways[way]) : NULL;
	/* A name may have the word in it, and a size has digits behind it. */
	for (of = what ? strstr(what, " of ") : NULL; of && (of[4] < '0' || of[4] > '9');)
		of = strstr(of + 1, " of ");
	if (!of) {
		json_string(json, "memory", NULL);
		return;
	}
	char *number = at, *behind;
	while (number > message && number[-1] >= '0' && number[-1] <= '9')
		number--;
	const uint64_t far_B = strtoull(number, NULL, 10), size_B = strtoull(of + 4, &behind, 10);
	static const char unit[] = " bytes";
	behind += strncmp(behind, unit, strlen(unit)) ? 0 : strlen(unit);
	*of = '\0';
	put_object(json, what, size_B,
		   way == 0 ? (int64_t)far_B : way == 1 ? -(int64_t)far_B : (int64_t)(size_B + far_B),
		   behind);
}

/* "bytes 0 to 63 of buffer 3 at 0x80 (device memory of device 0, 256 bytes)", of the ordering oracle. */
static void put_span(struct json *json, const char *message)
{
	unsigned long long first, last, number, size_B = 0;
	const char *at = strstr(message, "  bytes "), *size = at ? strstr(at, ", ") : NULL;
	if (!at || sscanf(at, "  bytes %llu to %llu of buffer %llu", &first, &last, &number) != 3) {
		json_string(json, "memory", NULL);
		return;
	}
	if (size)
		size_B = strtoull(size + 2, NULL, 10);
	json_open(json, "memory", '{');
	json_string(json, "kind", "buffer");
	json_natural(json, "number", number);
	json_natural(json, "size_B", size_B);
	json_natural(json, "offset_B", first);
	json_open(json, "arguments", '[');
	json_close(json, ']');
	json_close(json, '}');
}

/* What a race is with. */
static void put_other(struct json *json, char *text)
{
	struct scan scan = {.at = text};
	char *line = text ? between(&scan, "ptx line ", " by work-group (") : NULL;
	if (!line) {
		json_string(json, "other", NULL);
		return;
	}
	char *group = scan.at, *group_end = strchr(group, ')');
	char *item = group_end ? strstr(group_end, "work-item (") : NULL;
	json_open(json, "other", '{');
	put_place(json, line);
	put_triple(json, "work_group", group);
	put_triple(json, "work_item", item ? item + strlen("work-item (") : NULL);
	json_close(json, '}');
}

static void put_report(struct json *json, struct scan *scan)
{
	char *kind = between(scan, "softcuda: ", ": ");
	const bool of_kernel = !strncmp(scan->at, "kernel '", strlen("kernel '"));
	char *kernel = of_kernel ? between(scan, "kernel '", "', ") : NULL;
	char *line = kernel ? between(scan, "ptx line ", ", work-group (") : NULL;
	char *group = line ? scan->at : NULL;
	char *item = line ? between(scan, "), work-item (", "): ") : NULL;
	char *message = scan->at, *other = NULL;
	char *order = item ? strstr(message, ", with no order to the ") : NULL;
	json_string(json, "kind", kind);
	json_string(json, "kernel", kernel);
	put_place(json, line);
	put_triple(json, "work_group", group);
	put_triple(json, "work_item", item);
	json_string(json, "message", message);
	if (order) {
		other = order + 2;
		*order = '\0';
	}
	if (item)
		put_memory(json, message);
	else
		put_span(json, message);
	put_other(json, other);
}

void check_fields_json(struct json *json, const char *report, size_t size_B)
{
	struct scan scan = {.text = strndup(report, size_B)};
	json_open(json, NULL, '{');
	scan.at = scan.text;
	if (scan.text)
		put_report(json, &scan);
	json_text(json, "text", report, size_B);
	json_close(json, '}');
	free(scan.text);
}
