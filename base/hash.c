#include "config.h"

#include "base/hash.h"

#include <string.h>

#include <nettle/sha2.h>
#include <nettle/version.h>

struct hash hash_of_parts(const struct hash_part *parts, size_t count)
{
	struct sha256_ctx state;
	struct hash hash;
	sha256_init(&state);
	for (size_t i = 0; i < count; i++)
		if (parts[i].size_B)
			sha256_update(&state, parts[i].size_B, parts[i].data);
#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(&state, hash.bytes);
#else
	sha256_digest(&state, HASH_B, hash.bytes);
#endif
	return hash;
}

struct hash hash_of(const void *data, size_t size_B)
{
	const struct hash_part whole = {data, size_B};
	return hash_of_parts(&whole, 1);
}

bool hash_equal(const struct hash *a, const struct hash *b)
{
	return !memcmp(a->bytes, b->bytes, HASH_B);
}
