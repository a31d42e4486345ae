/* "Did you mean": the word that a mistyped one was meant to be. */
#ifndef CULVERT_TOOLS_CLOSEST_H
#define CULVERT_TOOLS_CLOSEST_H

#include <stddef.h>

struct closest {
	const char *word;        /* as it was typed */
	const char *best;        /* NULL: nothing is near enough */
	unsigned distance;       /* of best */
};

/* struct closest closest = {.word = typed}; */
void closest_offer(struct closest *closest, const char *candidate);

/* " (did you mean 'BEST'?)", or "".  prefix goes before the word, as "--".  Static; good until the
 * next call. */
const char *closest_hint(const struct closest *closest, const char *prefix);

#endif
