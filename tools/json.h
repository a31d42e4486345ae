/* JSON, written as it comes (RFC 8259).
 *
 *	struct json json = JSON_INIT;
 *	json_open(&json, NULL, '{');
 *	json_string(&json, "name", name);
 *	json_close(&json, '}');
 *	json_print(&json);
 *
 * key: NULL inside of a list, and for the outermost value.  Bytes that are no UTF-8 become
 * U+FFFD.  One thread. */
#ifndef CULVERT_TOOLS_JSON_H
#define CULVERT_TOOLS_JSON_H

#include "base/bytes.h"

#include <stdint.h>

struct json {
	struct bytes text;       /* owned */
	unsigned depth;
	bool follows;            /* something of the same list or object was written before */
};

#define JSON_INIT {.text = BYTES_INIT}

void json_open(struct json *json, const char *key, char bracket);        /* '{' or '[' */
void json_close(struct json *json, char bracket);                        /* '}' or ']' */
void json_string(struct json *json, const char *key, const char *value); /* NULL: null */
void json_text(struct json *json, const char *key, const void *value, size_t size_B);
void json_integer(struct json *json, const char *key, int64_t value);
void json_natural(struct json *json, const char *key, uint64_t value);
void json_real(struct json *json, const char *key, double value);        /* not finite: null */
/* text: a number as C prints it; "nan" and "inf" become null. */
void json_number(struct json *json, const char *key, const char *text);
void json_bool(struct json *json, const char *key, bool value);

/* Writes all of it and a line's end to stdout, and gives the memory back.  False, with the
 * reason on stderr, when that failed. */
bool json_print(struct json *json);

#endif
