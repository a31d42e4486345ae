/* The format of an entry on disk, little-endian:
 *
 *  0  "CULVCACH"
 *  8  u32 version, u32 zero
 * 16  its key, a BLAKE3 hash
 * 48  u64 size of the value
 * 56  XXH3-128 of bytes 0 to 55 and the XXH3-128 of the value
 * 72  the value, up to the end of the file
 *
 * The value is stored as it was given.  A user with large parts that are seldom read compresses them, because only
 * the user knows what a hit reads. */
#include "config.h"

#include "base/checksum.h"
#include "cache/internal.h"

#include <string.h>

static const char magic[] = "CULVCACH";

enum {
	VERSION = 3,
	KEY_AT_B = 16,
	SIZE_AT_B = 48,
	CHECKSUM_AT_B = 56
};

static void number_put(unsigned char *at, uint64_t value, unsigned width_B)
{
	for (unsigned i = 0; i < width_B; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

/* Makes the header, without its checksum, which is over the header and the value. */
static void describe(const struct hash *key, size_t size_B, unsigned char header[CACHE_HEADER_B])
{
	memset(header, 0, CACHE_HEADER_B);
	memcpy(header, magic, sizeof(magic) - 1);
	number_put(header + 8, VERSION, 4);
	memcpy(header + KEY_AT_B, key->bytes, HASH_B);
	number_put(header + SIZE_AT_B, size_B, 8);
}

void cache_header_write(const struct hash *key, const void *value, size_t size_B,
			unsigned char header[CACHE_HEADER_B])
{
	unsigned char both[CHECKSUM_AT_B + CHECKSUM_B];
	describe(key, size_B, header);
	struct checksum sum = checksum_of(value, size_B);
	memcpy(both, header, CHECKSUM_AT_B);
	memcpy(both + CHECKSUM_AT_B, sum.bytes, CHECKSUM_B);
	sum = checksum_of(both, sizeof(both));
	memcpy(header + CHECKSUM_AT_B, sum.bytes, CHECKSUM_B);
}

bool cache_header_holds(const unsigned char header[CACHE_HEADER_B], const struct hash *key,
			const void *value, size_t size_B)
{
	unsigned char right[CACHE_HEADER_B];
	/* An entry of another version or key, or a truncated file, is found without reading the value. */
	describe(key, size_B, right);
	if (memcmp(header, right, CHECKSUM_AT_B))
		return false;
	cache_header_write(key, value, size_B, right);
	return !memcmp(header, right, CACHE_HEADER_B);
}
