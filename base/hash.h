/* BLAKE3, the cryptographic hash that identifies programs, files and libraries.  Nobody can make two inputs that have
 * the same hash, wherever the inputs come from.  A gigabyte takes about 0.1 s with AVX-512 and 0.3 s with AVX2.  To
 * detect damage alone, a checksum is enough (base/checksum.h).
 *
 * The same bytes have the same hash on every machine.  Thread-safe. */
#ifndef CULVERT_BASE_HASH_H
#define CULVERT_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HASH_B = 32 };

struct hash {
	unsigned char bytes[HASH_B];
};

struct hash hash_of(const void *data, size_t size_B);
bool hash_equal(const struct hash *a, const struct hash *b);

struct hash_part {
	const void *data;
	size_t size_B;
};

/* The hash of the parts one after the other, as if they were one piece. */
struct hash hash_of_parts(const struct hash_part *parts, size_t count);

#ifdef __cplusplus
}
#endif

#endif
