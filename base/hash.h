/* Hashes (SHA-256) that decide what is the same: a program, a file, a library.  Nobody can make two inputs
 * of one hash, whoever the inputs come from.  A gigabyte takes half a second and more, a checksum
 * (base/checksum.h) a tenth of that.
 *
 * The same bytes give the same hash on every machine.  Thread-safe. */
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

/* Of all parts one after the other, as if they were one piece. */
struct hash_part {
	const void *data;
	size_t size_B;
};
struct hash hash_of_parts(const struct hash_part *parts, size_t count);

#ifdef __cplusplus
}
#endif

#endif
