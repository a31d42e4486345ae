/* Words of a directive, from at on, which moves behind what was taken.  Blanks before a
 * word do not count.  Any thread. */
#ifndef CULVERT_TESTS_KERNELS_WORDS_H
#define CULVERT_TESTS_KERNELS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* false: it is not what comes next, and nothing but blanks was taken. */
bool take_word(const char **at, const char *word);
bool take_char(const char **at, char c);

/* Letters, digits and underscores from at on. */
size_t name_length(const char *at);

/* Copies up to one of the stop characters, minding brackets; what does not fit is lost. */
void take_until(const char **at, const char *stops, char *to, size_t size);

#endif
