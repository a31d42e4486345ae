#include "config.h"

#include "base/hash.h"

#include <string.h>

#ifdef HASH_FROM_LLVM
#include <llvm-c/blake3.h>
#define blake3_hasher          llvm_blake3_hasher
#define blake3_hasher_init     llvm_blake3_hasher_init
#define blake3_hasher_update   llvm_blake3_hasher_update
#define blake3_hasher_finalize llvm_blake3_hasher_finalize
#else
#include <blake3.h>
#endif

struct hash hash_of_parts(const struct hash_part *parts, size_t count)
{
	blake3_hasher hasher;
	struct hash hash;
	blake3_hasher_init(&hasher);
	for (size_t i = 0; i < count; i++)
		if (parts[i].size_B)
			blake3_hasher_update(&hasher, parts[i].data, parts[i].size_B);
	blake3_hasher_finalize(&hasher, hash.bytes, HASH_B);
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
