#include "config.h"

#include "tools/json.h"

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

/* How many bytes of UTF-8 there are at text, for one character; 0: it is none. */
static size_t character_B(const unsigned char *text, size_t size_B)
{
	size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	if (length == 1)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4 || length > size_B)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what lies above U+10FFFF. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

/* RFC 8259, 7: quotation mark, reverse solidus and the control characters are escaped. */
static void append_quoted(struct bytes *text, const void *value, size_t size_B)
{
	const unsigned char *at = value, *end = at + size_B;
	bytes_append_char(text, '"');
	while (at < end) {
		size_t length = character_B(at, (size_t)(end - at));
		if (!length)
			bytes_append_string(text, "\xef\xbf\xbd");
		else if (*at == '"' || *at == '\\')
			bytes_printf(text, "\\%c", *at);
		else if (*at == '\n')
			bytes_append_string(text, "\\n");
		else if (*at < 0x20 || *at == 0x7f)
			bytes_printf(text, "\\u%04x", *at);
		else
			bytes_append(text, at, length);
		at += length ? length : 1;
	}
	bytes_append_char(text, '"');
}

static void start(struct json *json, const char *key)
{
	if (json->follows)
		bytes_append_char(&json->text, ',');
	start_line(json);
	if (key) {
		append_quoted(&json->text, key, strlen(key));
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
	append_quoted(&json->text, value, size_B);
}

void json_string(struct json *json, const char *key, const char *value)
{
	start(json, key);
	if (value)
		append_quoted(&json->text, value, strlen(value));
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
