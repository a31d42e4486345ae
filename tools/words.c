#include "config.h"

#include "tools/words.h"

#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

/* A vector of three has room for four. */
static void pad(const struct element *element, struct bytes *out)
{
	for (unsigned i = element->lanes * element->scalar_B; i < element->size_B; i++)
		bytes_append_char(out, 0);
}

static bool read_list(const struct element *element, const char *word, struct bytes *out)
{
	char *copy = strdup(word), *rest = NULL;
	unsigned lane = 0;
	bool good = copy != NULL;
	for (char *part = copy ? strtok_r(copy, ",", &rest) : NULL; part && good;
	     part = strtok_r(NULL, ",", &rest)) {
		good = element_parse(element, part, out);
		lane = (lane + 1) % element->lanes;
		if (!lane)
			pad(element, out);
	}
	free(copy);
	return good && !lane && out->size_B;
}

/* What follows the word: up to three texts with colons between, cut out of it.  -1: more. */
static int split(char *text, const char *parts[3])
{
	int count = 0;
	while (*text == ':' && count < 3) {
		*text++ = '\0';
		parts[count++] = text;
		text += strcspn(text, ":");
	}
	return *text ? -1 : count;
}

/* The generator of Vigna's "splitmix64". */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* What a word makes of its numbers. */
struct series {
	struct element_number first, step;      /* of fill the step is 0 */
	bool random;
	uint64_t state;
};

static void put_random(const struct element *element, struct series *series, struct bytes *out)
{
	uint64_t bits = next_random(&series->state);
	const struct element_number number = {.real = (double)(bits >> 11) * 0x1p-53, .bits = bits};
	element_put(element, &number, out);
}

/* Integers go on modulo 2^64: a double would lose the low bits of long ones. */
static void put_next(const struct element *element, const struct series *series, uint64_t i,
		     struct bytes *out)
{
	const struct element_number number = {
		.real = series->first.real + (double)i * series->step.real,
		.bits = series->first.bits + i * series->step.bits,
	};
	element_put(element, &number, out);
}

static bool fill(const struct element *element, uint64_t count, struct series *series,
		 struct bytes *out)
{
	const uint64_t most_B = UINT64_C(1) << 40;
	if (!count || count > most_B / element->size_B)
		return false;
	for (uint64_t i = 0; i < count && !bytes_failed(out); i++) {
		for (unsigned lane = 0; lane < element->lanes; lane++) {
			if (series->random)
				put_random(element, series, out);
			else
				put_next(element, series, i, out);
		}
		pad(element, out);
	}
	return true;
}

/* parts: what the word says of its elements, behind how many they are.  A step may be negative
 * whatever the type is. */
static bool read_series(const struct element *element, const char *word, const char *const *parts,
			int count, struct series *series)
{
	bool range = !strcmp(word, "range");
	*series = (struct series){.random = !strcmp(word, "random")};
	if (series->random)
		return count < 1 || tool_number(parts[0], &series->state);
	if (count > 0 && (!element_read(element, parts[0], &series->first) ||
			  !element_holds(element, &series->first)))
		return false;
	if (range && count < 2)
		return element_read(element, "1", &series->step);
	return !range || element_read(element, parts[1], &series->step);
}

static enum words_result read_file(const struct element *element, const char *path,
				   struct bytes *out)
{
	struct bytes file = BYTES_INIT, why = BYTES_INIT;
	const char *dot = strrchr(path, '.');
	int error = bytes_read_file(&file, path);
	if (error)
		bytes_append_string(&why, strerror(error));
	else if (dot && !strcmp(dot, ".npy"))
		element_read_npy(element, &file, out, &why);
	else
		bytes_move(out, &file);
	if (!why.size_B && !out->size_B)
		bytes_append_string(&why, "file is empty");
	if (why.size_B)
		tool_error("%s: %s", path, bytes_string(&why));
	const enum words_result result = why.size_B ? WORDS_TOLD : WORDS_GOOD;
	bytes_finish(&why);
	bytes_finish(&file);
	return result;
}

/* "zero:N" and its like; false also where it is not one of them. */
static bool read_word(const struct element *element, const char *word, uint64_t count,
		      struct bytes *out, bool *is_word_out)
{
	static const struct {
		const char *word;
		int least, most;             /* texts behind it besides N */
	} words[] = {{"zero", 0, 0}, {"fill", 1, 1}, {"range", 0, 2}, {"random", 0, 1}};
	const char *parts[3];
	size_t i = 0;
	while (i < 4 && strncmp(word, words[i].word, strlen(words[i].word)))
		i++;
	*is_word_out = i < 4;
	if (i == 4)
		return false;
	char *copy = strdup(word + strlen(words[i].word));
	const int given = copy ? split(copy, parts) : -1, own = count ? 0 : 1;
	struct series series;
	bool good = given >= words[i].least + own && given <= words[i].most + own &&
		    (count || tool_number(parts[0], &count)) &&
		    read_series(element, words[i].word, parts + own, given - own, &series) &&
		    fill(element, count, &series, out);
	free(copy);
	return good;
}

enum words_result words_read(const struct element *element, const char *word, uint64_t count,
			     struct bytes *out)
{
	bool is_word;
	if (*word == '@') {
		const enum words_result result = read_file(element, word + 1, out);
		if (result == WORDS_GOOD && count && out->size_B != count * element->size_B) {
			tool_error("%s: has %zu bytes, but %llu are required", word + 1, out->size_B,
				   (unsigned long long)(count * element->size_B));
			return WORDS_TOLD;
		}
		return result;
	}
	if (read_word(element, word, count, out, &is_word))
		return WORDS_GOOD;
	if (is_word || !read_list(element, word, out))
		return WORDS_WRONG;
	return count && out->size_B != count * element->size_B ? WORDS_WRONG : WORDS_GOOD;
}
