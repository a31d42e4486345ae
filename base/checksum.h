/* 128-bit checksums (XXH3-128) that detect damage to stored data, computed at memory speed.  They do not protect
 * against an attacker, who can construct two inputs with one checksum; what identifies something is a hash
 * (base/hash.h).
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
