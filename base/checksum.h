/* 128-bit checksums (XXH3-128) against damage of what we store.  At memory speed, and no more than that:
 * who wants two inputs of one checksum makes them.  What something is known by has a hash (base/hash.h).
 *
 * The same bytes give the same checksum on every machine.  Thread-safe. */
#ifndef CULVERT_BASE_CHECKSUM_H
#define CULVERT_BASE_CHECKSUM_H

#include <stddef.h>

enum { CHECKSUM_B = 16 };

struct checksum {
	unsigned char bytes[CHECKSUM_B];
};

struct checksum checksum_of(const void *data, size_t size_B);

#endif
