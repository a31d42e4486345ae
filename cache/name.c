/* The names of the cache's files: a key in hexadecimal digits, and an ending that says what the file is. */
#include "config.h"

#include "cache/internal.h"

#include <stdio.h>
#include <string.h>

enum { OLD_DIGITS = 32 };        /* in keys before version 3 of the entries */

static const char digits[] = "0123456789abcdef";

void cache_name(const struct hash *key, const char *ending, char name[CACHE_NAME_B])
{
	for (unsigned i = 0; i < HASH_B; i++) {
		name[2 * i] = digits[key->bytes[i] >> 4];
		name[2 * i + 1] = digits[key->bytes[i] & 15];
	}
	snprintf(name + 2 * HASH_B, CACHE_NAME_B - 2 * HASH_B, "%s", ending);
}

/* The key of an entry's name. */
bool cache_name_key(const char *name, struct hash *key_out)
{
	if (cache_name_kind(name) != CACHE_NAME_ENTRY)
		return false;
	for (unsigned i = 0; i < HASH_B; i++) {
		size_t high = (size_t)(strchr(digits, name[2 * i]) - digits);
		size_t low = (size_t)(strchr(digits, name[2 * i + 1]) - digits);
		key_out->bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

enum cache_name_kind cache_name_kind(const char *name)
{
	const size_t digits_B = strspn(name, digits);
	if (digits_B != 2 * HASH_B && digits_B != OLD_DIGITS)
		return CACHE_NAME_FOREIGN;
	const char *ending = name + digits_B;
	/* An entry of an older version is removed like a file of a process that has ended. */
	if (!*ending)
		return digits_B == OLD_DIGITS ? CACHE_NAME_TEMPORARY : CACHE_NAME_ENTRY;
	if (!strcmp(ending, ".lock"))
		return CACHE_NAME_LOCK;
	return strncmp(ending, ".new-", 5) ? CACHE_NAME_FOREIGN : CACHE_NAME_TEMPORARY;
}
