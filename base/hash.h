/* 128-bit hashes (XXH3-128): for the names and checksums of what we store
 * ourselves.  Not for what an attacker may choose: XXH3 is quick, not cryptographic.
 *
 * The same bytes give the same hash on every machine.  Thread-safe: a hash under way
 * has one owner. */
#ifndef CULVERT_BASE_HASH_H
#define CULVERT_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HASH_B = 16 };

struct hash {
	unsigned char bytes[HASH_B];
};

struct hash hash_of(const void *data, size_t size_B);
bool hash_equal(const struct hash *a, const struct hash *b);

/* A hash of several parts.  Every part goes in with its size, so that "ab", "c" and
 * "a", "bc" differ.  NULL when out of memory; hash_end then gives the hash and
 * frees it. */
struct hash_builder;
struct hash_builder *hash_begin(void);
void hash_add(struct hash_builder *builder, const void *data, size_t size_B);
void hash_add_string(struct hash_builder *builder, const char *text);
void hash_add_number(struct hash_builder *builder, uint64_t number);
struct hash hash_end(struct hash_builder *builder);

#ifdef __cplusplus
}
#endif

#endif
