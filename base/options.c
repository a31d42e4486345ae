#include "config.h"

#include "base/options.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct row {
	const char *name;
	const char *default_value;
	const char *help;
};

static const struct row rows[OPTION_COUNT] = {
#define OPTION(name, type, default_value, help) \
	[OPTION_##name] = {"CULVERT_" #name, default_value, help},
#include "base/config.def"
};

enum type { TYPE_STRING, TYPE_FLAG, TYPE_NUMBER };
static const enum type types[OPTION_COUNT] = {
#define OPTION(name, type, default_value, help) [OPTION_##name] = TYPE_##type,
#include "base/config.def"
};

static const struct choices {
	enum option option;
	bool list;
	const char *words;       /* with commas between */
} choices[] = {
#define CHOICES(name, list, words) {OPTION_##name, list, words},
#include "base/config.def"
};

static const char *values[OPTION_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The values are copied, because the application may change its environment later.  They are never freed. */
static void read_environment(void)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		const char *value = secure_getenv(rows[i].name);
		char *copy = value && *value ? strdup(value) : NULL;
		values[i] = copy ? copy : rows[i].default_value;
	}
}

const char *option_string(enum option option)
{
	pthread_once(&once, read_environment);
	return values[option];
}

static bool parse_flag(const char *text, bool *flag_out)
{
	static const char *const words[] = {"0", "1", "no", "yes", "off", "on", "false", "true"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(text, words[i])) {
			*flag_out = i % 2;
			return true;
		}
	}
	return false;
}

bool option_flag(enum option option)
{
	bool flag = false;
	if (!parse_flag(option_string(option), &flag))
		parse_flag(rows[option].default_value, &flag);
	return flag;
}

static bool parse_number(const char *text, uint64_t *number_out)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	*number_out = strtoull(text, &end, 10);
	return !*end;
}

uint64_t option_number(enum option option)
{
	uint64_t number = 0;
	if (!parse_number(option_string(option), &number))
		parse_number(rows[option].default_value, &number);
	return number;
}

/* Whether one of the words is the first length_B bytes of text. */
static bool is_word(const char *words, const char *text, size_t length_B)
{
	for (;; words++) {
		const size_t word_B = strcspn(words, ",");
		if (word_B == length_B && !memcmp(words, text, length_B))
			return true;
		words += word_B;
		if (!*words)
			return false;
	}
}

static bool is_choice(const struct choices *row, const char *value)
{
	for (;; value++) {
		const size_t length_B = row->list ? strcspn(value, ",") : strlen(value);
		if (!is_word(row->words, value, length_B))
			return false;
		value += length_B;
		if (!*value)
			return true;
	}
}

bool option_valid(enum option option)
{
	const char *value = option_string(option);
	uint64_t number;
	bool flag;
	if (!strcmp(value, rows[option].default_value))
		return true;
	if (types[option] == TYPE_NUMBER)
		return parse_number(value, &number);
	if (types[option] == TYPE_FLAG)
		return parse_flag(value, &flag);
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (choices[i].option == option)
			return is_choice(&choices[i], value);
	return true;
}

const char *option_name(enum option option)
{
	return rows[option].name;
}

const char *option_default(enum option option)
{
	return rows[option].default_value;
}

const char *option_help(enum option option)
{
	return rows[option].help;
}

bool option_parse_size(const char *text, uint64_t *size_B_out)
{
	static const char units[] = "KMG";
	uint64_t size_B = 0;
	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (size_B > UINT64_MAX / 100)
			return false;
		size_B = 10 * size_B + (unsigned)(*text - '0');
	}
	const int capital = *text & ~('a' - 'A');
	const char *unit = capital ? strchr(units, capital) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (text[unit ? 1 : 0] || size_B > UINT64_MAX >> shift)
		return false;
	*size_B_out = size_B << shift;
	return true;
}
