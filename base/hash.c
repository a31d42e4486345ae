#include "config.h"

#include "base/hash.h"

#include <string.h>

/* In here and nowhere else: no symbol of it is left over, and no library is needed. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash_builder {
	XXH3_state_t state;
};

/* Big-endian, the form that does not depend on the machine. */
static struct hash canonical(XXH128_hash_t value)
{
	struct hash hash;
	XXH128_canonical_t bytes;
	XXH128_canonicalFromHash(&bytes, value);
	memcpy(hash.bytes, bytes.digest, HASH_B);
	return hash;
}

struct hash hash_of(const void *data, size_t size_B)
{
	return canonical(XXH3_128bits(data, size_B));
}

bool hash_equal(const struct hash *a, const struct hash *b)
{
	return !memcmp(a->bytes, b->bytes, HASH_B);
}

struct hash_builder *hash_begin(void)
{
	/* Aligned to 64 bytes by its own allocator. */
	struct hash_builder *builder = (struct hash_builder *)(void *)XXH3_createState();
	if (builder)
		XXH3_128bits_reset(&builder->state);
	return builder;
}

void hash_add(struct hash_builder *builder, const void *data, size_t size_B)
{
	hash_add_number(builder, size_B);
	XXH3_128bits_update(&builder->state, data, size_B);
}

void hash_add_string(struct hash_builder *builder, const char *text)
{
	hash_add(builder, text, strlen(text));
}

void hash_add_number(struct hash_builder *builder, uint64_t number)
{
	unsigned char bytes[8];
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	XXH3_128bits_update(&builder->state, bytes, sizeof(bytes));
}

struct hash hash_end(struct hash_builder *builder)
{
	struct hash hash = canonical(XXH3_128bits_digest(&builder->state));
	XXH3_freeState(&builder->state);
	return hash;
}
