/* A text that never changes and that several owners share, so that a large source is kept once however many need it.
 *
 * Each owner has a reference.  Thread-safe. */
#ifndef CULVERT_BASE_SHARED_TEXT_H
#define CULVERT_BASE_SHARED_TEXT_H

#include "base/bytes.h"

#include <stdatomic.h>
#include <stddef.h>

struct shared_text {
	atomic_uint refs;
	char *data;                      /* owned; followed by a NUL, which size_B does not count */
	size_t size_B;
};

/* Takes the content of text, which is empty afterwards.  Returns one reference, or NULL if there is no memory. */
struct shared_text *shared_text_take(struct bytes *text);
struct shared_text *shared_text_ref(struct shared_text *text);       /* NULL is allowed, and returned */
void shared_text_unref(struct shared_text *text);                    /* NULL is allowed */

#endif
