#include "config.h"

#include "tools/json.h"

#include "tools/quoted.h"
#include "tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void start_line(struct json *json)
{
	if (json->text.size_B)
		bytes_append_char(&json->text, '\n');
	for (unsigned i = 0; i < json->depth; i++)
		bytes_append_string(&json->text, "  ");
}

static void start(struct json *json, const char *key)
{
	if (json->follows)
		bytes_append_char(&json->text, ',');
	start_line(json);
	if (key) {
		quoted_append(&json->text, key, strlen(key));
		bytes_append_string(&json->text, ": ");
	}
	json->follows = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
	start(json, key);
	bytes_append_char(&json->text, bracket);
	json->depth++;
	json->follows = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->follows)
		start_line(json);
	bytes_append_char(&json->text, bracket);
	json->follows = true;
}

void json_text(struct json *json, const char *key, const void *value, size_t size_B)
{
	start(json, key);
	quoted_append(&json->text, value, size_B);
}

void json_string(struct json *json, const char *key, const char *value)
{
	start(json, key);
	if (value)
		quoted_append(&json->text, value, strlen(value));
	else
		bytes_append_string(&json->text, "null");
}

void json_integer(struct json *json, const char *key, int64_t value)
{
	start(json, key);
	bytes_printf(&json->text, "%" PRId64, value);
}

void json_natural(struct json *json, const char *key, uint64_t value)
{
	start(json, key);
	bytes_printf(&json->text, "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, double value)
{
	start(json, key);
	if (isfinite(value))
		bytes_printf(&json->text, "%.17g", value);
	else
		bytes_append_string(&json->text, "null");
}

void json_number(struct json *json, const char *key, const char *text)
{
	start(json, key);
	bool digits = text[*text == '-'] >= '0' && text[*text == '-'] <= '9';
	bytes_append_string(&json->text, digits ? text : "null");
}

void json_bool(struct json *json, const char *key, bool value)
{
	start(json, key);
	bytes_append_string(&json->text, value ? "true" : "false");
}

bool json_print(struct json *json)
{
	bytes_append_char(&json->text, '\n');
	bool whole = !bytes_failed(&json->text);
	if (!whole)
		tool_error("out of memory");
	/* Why not, the end of the program tells. */
	else
		whole = fwrite(json->text.data, 1, json->text.size_B, stdout) == json->text.size_B;
	bytes_finish(&json->text);
	return whole;
}
