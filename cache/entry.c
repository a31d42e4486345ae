/* One entry, as it is on disk; little-endian:
 *
 *	 0  "CULVCACH"
 *	 8  u32 version, u32 form of the value (0: as it is, 1: zstd)
 *	16  its key
 *	32  u64 size of the value, u64 size as it is stored
 *	48  XXH3-128 of bytes 0 to 47 and the hash of what is stored
 *	64  the value, to the very end */
#include "config.h"

#include "cache/internal.h"

#include <stdatomic.h>
#include <string.h>
#include <zstd.h>

static const char magic[8] = "CULVCACH";

enum {
	VERSION = 1,
	FORM_PLAIN = 0,
	FORM_ZSTD = 1,
	LEVEL = -1,              /* a hit counts more than room: a fifth less time than 1 */
	KEY_AT_B = 16,
	SIZES_AT_B = 32,
	CHECKSUM_AT_B = 48,
	HEADER_B = 64,
	VALUE_MAX_B = 1 << 28    /* nothing that is compiled is larger */
};

static void number_put(unsigned char *at, uint64_t value, unsigned width_B)
{
	for (unsigned i = 0; i < width_B; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t number_get(const unsigned char *at, unsigned width_B)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < width_B; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static struct hash checksum(const unsigned char *header, const void *stored, size_t size_B)
{
	unsigned char both[CHECKSUM_AT_B + HASH_B];
	struct hash hash = hash_of(stored, size_B);
	memcpy(both, header, CHECKSUM_AT_B);
	memcpy(both + CHECKSUM_AT_B, hash.bytes, HASH_B);
	return hash_of(both, sizeof(both));
}

/* The value behind the header: compressed, or as it is where that is no gain. */
static bool append_value(const void *value, size_t size_B, struct bytes *entry, unsigned *form_out)
{
	size_t bound_B = ZSTD_compressBound(size_B);
	void *room = bytes_extend_unset(entry, bound_B);
	if (!room)
		return false;
	size_t stored_B = ZSTD_compress(room, bound_B, value, size_B, LEVEL);
	bool smaller = !ZSTD_isError(stored_B) && stored_B < size_B;
	*form_out = smaller ? FORM_ZSTD : FORM_PLAIN;
	entry->size_B -= bound_B;
	if (smaller)
		entry->size_B += stored_B;
	else
		bytes_append(entry, value, size_B);
	return !bytes_failed(entry);
}

bool cache_entry_write(const struct hash *key, const void *value, size_t size_B,
		       struct bytes *entry_out)
{
	struct bytes entry = BYTES_INIT;
	unsigned form;
	if (size_B > VALUE_MAX_B || !bytes_extend(&entry, HEADER_B) ||
	    !append_value(value, size_B, &entry, &form)) {
		bytes_finish(&entry);
		return false;
	}
	unsigned char *header = (unsigned char *)entry.data;
	size_t stored_B = entry.size_B - HEADER_B;
	memcpy(header, magic, sizeof(magic));
	number_put(header + 8, VERSION, 4);
	number_put(header + 12, form, 4);
	memcpy(header + KEY_AT_B, key->bytes, HASH_B);
	number_put(header + SIZES_AT_B, size_B, 8);
	number_put(header + SIZES_AT_B + 8, stored_B, 8);
	struct hash sum = checksum(header, header + HEADER_B, stored_B);
	memcpy(header + CHECKSUM_AT_B, sum.bytes, HASH_B);
	bytes_move(entry_out, &entry);
	return true;
}

/* Its tables are 160 KiB that would be made and paged in for each entry: one is kept, for
 * whoever finds it. */
static _Atomic(ZSTD_DCtx *) spare;

static bool unpack(void *room, size_t size_B, const void *stored, size_t stored_B)
{
	ZSTD_DCtx *none = NULL, *context = atomic_exchange(&spare, NULL);
	if (!context)
		context = ZSTD_createDCtx();
	if (!context)
		return false;
	bool whole = ZSTD_decompressDCtx(context, room, size_B, stored, stored_B) == size_B;
	if (!atomic_compare_exchange_strong(&spare, &none, context))
		ZSTD_freeDCtx(context);
	return whole;
}

static bool take_value(const unsigned char *stored, size_t stored_B, uint64_t form, size_t size_B,
		       struct bytes *value_out)
{
	if (form == FORM_PLAIN) {
		if (stored_B != size_B)
			return false;
		bytes_append(value_out, stored, stored_B);
		return !bytes_failed(value_out);
	}
	void *room = form == FORM_ZSTD ? bytes_extend_unset(value_out, size_B) : NULL;
	return room && unpack(room, size_B, stored, stored_B);
}

bool cache_entry_read(const struct hash *key, const void *entry, size_t size_B,
		      struct bytes *value_out)
{
	const unsigned char *header = entry;
	if (size_B < HEADER_B || memcmp(header, magic, sizeof(magic)) ||
	    number_get(header + 8, 4) != VERSION || memcmp(header + KEY_AT_B, key->bytes, HASH_B))
		return false;
	uint64_t value_B = number_get(header + SIZES_AT_B, 8);
	size_t stored_B = size_B - HEADER_B;
	if (value_B > VALUE_MAX_B || number_get(header + SIZES_AT_B + 8, 8) != stored_B)
		return false;
	struct hash sum = checksum(header, header + HEADER_B, stored_B);
	if (memcmp(sum.bytes, header + CHECKSUM_AT_B, HASH_B))
		return false;
	if (take_value(header + HEADER_B, stored_B, number_get(header + 12, 4), (size_t)value_B,
		       value_out))
		return true;
	bytes_finish(value_out);
	return false;
}
