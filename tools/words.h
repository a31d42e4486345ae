/* What the user writes for the elements of an argument:
 *
 *	1,2,3            these elements, lane by lane where they are vectors
 *	zero:N           N elements of 0
 *	fill:N:VALUE     N elements, all lanes of VALUE, which the type holds
 *	range:N[:FIRST[:STEP]]   FIRST, FIRST + STEP ...; by default 0, 1 ...
 *	random:N[:SEED]  integers of all bits, reals from 0 to 1; the same for the same seed
 *	@FILE            bytes of a file; of an .npy file its elements
 *
 * Where it is known how many there are, as of an image, N and the colon before it are left out. */
#ifndef CULVERT_TOOLS_WORDS_H
#define CULVERT_TOOLS_WORDS_H

#include "tools/element.h"

enum words_result {
	WORDS_GOOD,
	WORDS_WRONG,             /* the word is nothing of that */
	WORDS_TOLD               /* the same, and why was said */
};

/* count: how many elements there are to be; 0: the word tells. */
enum words_result words_read(const struct element *element, const char *word, uint64_t count,
			     struct bytes *out);

#endif
