/* Bytes that are seldom read, and may be kept compressed (base/pack.h) until they are.
 *
 * One owner fills the struct, with bytes that are compressed or not; after that it is constant and thread-safe. */
#ifndef CULVERT_BASE_PACKED_H
#define CULVERT_BASE_PACKED_H

#include "base/bytes.h"

#include <stdatomic.h>

struct packed_bytes {
	struct bytes bytes;                  /* the content, compressed if packed is set */
	bool packed;
	_Atomic(struct bytes *) unpacked;    /* owned: the content, once packed bytes were opened; NULL before */
};

/* The content, which the first call decompresses; the struct keeps owning it.  NULL when there is no memory or the
 * compressed bytes are damaged; once it was not NULL, it never is again. */
const struct bytes *packed_bytes_open(struct packed_bytes *packed);

static inline bool packed_bytes_empty(const struct packed_bytes *packed)
{
	return !packed->bytes.size_B;
}

void packed_bytes_finish(struct packed_bytes *packed);

#endif
