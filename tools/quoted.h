/* Names and texts of any bytes, as JSON writes them and as people read them.  Plain functions of text. */
#ifndef CULVERT_TOOLS_QUOTED_H
#define CULVERT_TOOLS_QUOTED_H

#include "base/bytes.h"

#include <stdio.h>

/* Appends a string of JSON, its quotation marks included (RFC 8259, 7).  Bytes that are no UTF-8 become U+FFFD. */
void quoted_append(struct bytes *text, const void *value, size_t size_B);
/* Appends what such a string says; where it ends, or NULL: it is none. */
const char *quoted_read(const char *text, struct bytes *value);

/* Appends a word as a POSIX shell reads it: in quotation marks where it needs them. */
void quoted_append_word(struct bytes *text, const char *word);

/* Control characters, which a terminal might obey, become '?'. */
void quoted_clean(char *text);
/* Prints a name, cleaned so, and blanks up to width characters. */
void quoted_print(FILE *file, const char *name, unsigned width);

#endif
