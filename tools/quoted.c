#include "config.h"

#include "tools/quoted.h"

#include <stdbool.h>
#include <string.h>

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
void quoted_append(struct bytes *text, const void *value, size_t size_B)
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

/* Four hexadecimal digits; -1 where there are others. */
static int four_digits(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	int value = 0;
	for (int i = 0; i < 4; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
		if (!digit)
			return -1;
		value = value << 4 | (int)(digit - digits);
	}
	return value;
}

const char *quoted_read(const char *text, struct bytes *value)
{
	if (*text++ != '"')
		return NULL;
	for (; *text != '"'; text++) {
		int code = *text == '\\' && text[1] == 'u' ? four_digits(text + 2) : -1;
		if (!*text || (*text == '\\' && (!text[1] || (text[1] == 'u' && (code < 0 || code > 0x7f)))))
			return NULL;
		if (code >= 0)
			text += 5;
		else if (*text == '\\')
			code = *++text == 'n' ? '\n' : *text;
		bytes_append_char(value, code < 0 ? *text : (char)code);
	}
	return text + 1;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

void quoted_append_word(struct bytes *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%=";
	if (*word && !word[strspn(word, plain)]) {
		bytes_append_string(text, word);
		return;
	}
	bytes_append_char(text, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			bytes_append_string(text, "'\\'");
		bytes_append_char(text, *word);
	}
	bytes_append_char(text, '\'');
}

void quoted_clean(char *text)
{
	for (; *text; text++)
		if (is_control(*text))
			*text = '?';
}

void quoted_print(FILE *file, const char *name, unsigned width)
{
	unsigned characters = 0;
	for (; *name; name++) {
		/* A character of UTF-8 is counted at its first byte. */
		characters += ((unsigned char)*name & 0xc0) != 0x80;
		putc(is_control(*name) ? '?' : *name, file);
	}
	for (; characters < width; characters++)
		putc(' ', file);
}
