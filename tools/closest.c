#include "config.h"

#include "tools/closest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many letters were left out, added, changed, or exchanged with their neighbour (the "optimal
 * string alignment" distance).  UINT_MAX of words that are too long to be ours. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1] = {{0}};
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];
	const size_t a_length = strlen(a), b_length = strlen(b);
	if (a_length > LONGEST || b_length > LONGEST)
		return UINT32_MAX;
	for (size_t k = 0; k <= b_length; k++)
		row[k] = (unsigned)k;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *oldest = before;
		before = last;
		last = row;
		row = oldest;
		row[0] = (unsigned)i;
		for (size_t k = 1; k <= b_length; k++) {
			const unsigned changed = last[k - 1] + (a[i - 1] != b[k - 1]);
			row[k] = least(least(last[k], row[k - 1]) + 1, changed);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
	}
	return row[b_length];
}

void closest_offer(struct closest *closest, const char *candidate)
{
	const size_t length = strlen(closest->word);
	/* A third of the letters may be wrong; what is shorter than three says nothing. */
	const unsigned most = length < 3 ? 0 : (unsigned)(length + 2) / 3;
	unsigned found = distance(closest->word, candidate);
	/* The beginning of a word is that word. */
	if (length >= 2 && found > 1 && !strncmp(closest->word, candidate, length))
		found = 1;
	if (found > most || (closest->best && found >= closest->distance))
		return;
	closest->best = candidate;
	closest->distance = found;
}

const char *closest_hint(const struct closest *closest, const char *prefix)
{
	static char text[LONGEST + 32];
	text[0] = '\0';
	if (closest->best)
		snprintf(text, sizeof(text), " (did you mean '%s%s'?)", prefix, closest->best);
	return text;
}
