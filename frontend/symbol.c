#include "config.h"

#include "frontend/symbol.h"

#include "base/hash.h"

#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void fe_symbol_escape(struct bytes *text, const char *name, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++) {
		if (is_letter(name[i]) || is_digit(name[i]))
			bytes_append_char(text, name[i]);
		else
			bytes_printf(text, "$%02x", (unsigned char)name[i]);
	}
}

bool fe_symbol_is_plain(const char *name, size_t size_B)
{
	if (!size_B || size_B > SYMBOL_MOST_B || (!is_letter(name[0]) && name[0] != '$'))
		return false;
	for (size_t i = 1; i < size_B; i++) {
		if (!is_letter(name[i]) && !is_digit(name[i]) && name[i] != '$')
			return false;
	}
	/* PTX does not allow a single '_' or '$' as a name, and WARP_SZ is a constant. */
	if (size_B == 1 && (name[0] == '_' || name[0] == '$'))
		return false;
	return !(size_B == 7 && !memcmp(name, "WARP_SZ", 7));
}

/* The entry for a name that is too long: its beginning, "$$", which no escaped name contains, and its hash. */
static void shortened(struct bytes *entry, const char *name, size_t size_B)
{
	enum { KEPT_B = 100 };
	const struct hash hash = hash_of(name, size_B);
	fe_symbol_escape(entry, name, KEPT_B);
	bytes_append_string(entry, "$$");
	bytes_append_hex(entry, hash.bytes, sizeof(hash.bytes));
}

void fe_symbol_entry(struct bytes *entry, const char *name, size_t size_B)
{
	/* Names that look like escaped ones, or like those of libdevice and libnvvm, are escaped, too. */
	if (fe_symbol_is_plain(name, size_B) && !fe_symbol_starts(name, SYMBOL_ENTRY) &&
	    !fe_symbol_starts(name, "__nv")) {
		bytes_append(entry, name, size_B);
		return;
	}
	struct bytes escaped = BYTES_INIT;
	fe_symbol_escape(&escaped, name, size_B);
	bytes_append_string(entry, SYMBOL_ENTRY);
	if (escaped.size_B + sizeof(SYMBOL_ENTRY) > SYMBOL_MOST_B)
		shortened(entry, name, size_B);
	else
		bytes_append(entry, bytes_string(&escaped), escaped.size_B);
	if (bytes_failed(&escaped))
		entry->failed = true;
	bytes_finish(&escaped);
}

bool fe_symbol_starts(const char *symbol, const char *start)
{
	return !strncmp(symbol, start, strlen(start));
}

void fe_symbol_clean(char *text, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
}

const char *fe_symbol_shown(const char *symbol)
{
	static const char *const starts[] = {SYMBOL_KERNEL, SYMBOL_LINKED};
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (fe_symbol_starts(symbol, starts[i]))
			return symbol + strlen(starts[i]);
	return symbol;
}
