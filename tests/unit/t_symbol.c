/* Protects: names of SPIR-V as symbols (frontend/symbol.h): every text comes back from its letters, and no two
 * kernels meet in PTX.
 *
 * Seen to fail with each of these mistakes in symbol.c: '$' is not escaped; a name that looks as if it came from
 * here, is a constant of PTX, or has a letter that PTX has not, is taken as it is; long names are only cut. */
#include "config.h"

#include "frontend/symbol.h"

#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMES = 3000, MOST_B = 2500 };

/* A name of any bytes but NUL, at times one that looks like what becomes of another. */
static size_t name_any(char name[MOST_B])
{
	static const char *const looks[] = {
		"a",
		"a$20b",
		"a b",
		"WARP_SZ",
		"_",
		"$",
		"__nv_sin",
		"culvert_kernel_a$20b",
		"culvert_kernel_x",
		"9",
		"",
		"$2",
		"a$$",
		"%tid",
		"x.y",
	};
	if (!test_random(4)) {
		const char *look = looks[test_random(sizeof(looks) / sizeof(looks[0]))];
		strcpy(name, look);
		return strlen(look);
	}
	const size_t size_B = test_random(8) ? test_random(12) : test_random(MOST_B - 1);
	for (size_t i = 0; i < size_B; i++)
		name[i] = test_random(2) ? "ab_$19Z"[test_random(7)] : (char)(1 + test_random(255));
	/* Long ones that differ at their ends alone. */
	if (size_B > MOST_B / 2)
		memset(name, 'b', size_B - 3);
	name[size_B] = '\0';
	return size_B;
}

/* What the letters of fe_symbol_escape stand for. */
static void unescape(char name[MOST_B], const char *text)
{
	for (; *text; text++) {
		unsigned byte = (unsigned char)*text;
		if (*text == '$') {
			CHECK(sscanf(text + 1, "%2x", &byte) == 1);
			text += 2;
		}
		*name++ = (char)byte;
	}
	*name = '\0';
}

static void escapes(void)
{
	char name[MOST_B], back[MOST_B];
	for (unsigned i = 0; i < NAMES; i++) {
		const size_t size_B = name_any(name);
		struct bytes text = BYTES_INIT;
		fe_symbol_escape(&text, name, size_B);
		for (const char *c = bytes_string(&text); *c; c++)
			CHECK((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			      (*c >= '0' && *c <= '9') || *c == '_' || *c == '$');
		unescape(back, bytes_string(&text));
		CHECK_STRING(back, name);
		bytes_finish(&text);
	}
}

/* PTX ISA 9.0, 4.4: a letter and letters, digits, '_' and '$', or one of "_$%" and at least one of those; 4.4.1:
 * WARP_SZ is a constant. */
static bool is_identifier(const char *text)
{
	const size_t size_B = strlen(text);
	const bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
	if (!letter && (size_B < 2 || !strchr("_$%", *text)))
		return false;
	return strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") + 1 == size_B &&
	       strcmp(text, "WARP_SZ");
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entry's text and, behind a NUL, the name's: sorted, equal entries are neighbours. */
static void entries(void)
{
	static char *all[NAMES];
	char name[MOST_B];
	for (unsigned i = 0; i < NAMES; i++) {
		const size_t size_B = name_any(name);
		struct bytes entry = BYTES_INIT;
		fe_symbol_entry(&entry, name, size_B);
		CHECK(entry.size_B <= SYMBOL_MOST_B && is_identifier(bytes_string(&entry)));
		all[i] = malloc(entry.size_B + size_B + 2);
		REQUIRE(all[i] != NULL);
		strcpy(all[i], bytes_string(&entry));
		strcpy(all[i] + entry.size_B + 1, name);
		bytes_finish(&entry);
	}
	qsort(all, NAMES, sizeof(all[0]), names_compare);
	for (unsigned i = 1; i < NAMES; i++)
		if (!strcmp(all[i - 1], all[i]))
			CHECK_STRING(all[i - 1] + strlen(all[i - 1]) + 1,
				     all[i] + strlen(all[i]) + 1);
	for (unsigned i = 0; i < NAMES; i++)
		free(all[i]);
}

TEST_MAIN(TEST(escapes), TEST(entries))
