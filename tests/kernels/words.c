#include "config.h"

#include "tests/kernels/words.h"

#include <ctype.h>
#include <string.h>

size_t name_length(const char *at)
{
	size_t length = 0;
	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	return length;
}

bool take_word(const char **at, const char *word)
{
	size_t length = strlen(word);
	while (isspace((unsigned char)**at))
		++*at;
	if (strncmp(*at, word, length) || name_length(*at + length))
		return false;
	*at += length;
	return true;
}

bool take_char(const char **at, char c)
{
	while (isspace((unsigned char)**at))
		++*at;
	if (**at != c)
		return false;
	++*at;
	return true;
}

void take_until(const char **at, const char *stops, char *to, size_t size)
{
	size_t length = 0;
	int depth = 0;
	while (isspace((unsigned char)**at))
		++*at;
	for (; **at && (depth || !strchr(stops, **at)); ++*at) {
		depth += (**at == '(' || **at == '[') - (**at == ')' || **at == ']');
		if (length + 1 < size)
			to[length++] = **at;
	}
	to[length] = '\0';
}
