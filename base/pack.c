#include "config.h"

#include "base/pack.h"

#include <zstd.h>

enum {
	LEVEL = 1,
	LARGEST_B = 1 << 28      /* nothing that is compiled is larger */
};

static void shorten(struct bytes *bytes, size_t by_B)
{
	bytes->size_B -= by_B;
	bytes->data[bytes->size_B] = '\0';
}

void pack(const void *data, size_t size_B, struct bytes *packed)
{
	const size_t bound_B = ZSTD_compressBound(size_B);
	void *room = bytes_extend_unset(packed, bound_B);
	if (!room)
		return;
	const size_t packed_B = ZSTD_compress(room, bound_B, data, size_B, LEVEL);
	packed->failed |= ZSTD_isError(packed_B) != 0;
	shorten(packed, packed->failed ? bound_B : bound_B - packed_B);
}

bool unpack(const void *packed, size_t size_B, struct bytes *data)
{
	/* The results for an unknown or invalid size are the two largest numbers. */
	const unsigned long long data_B = ZSTD_getFrameContentSize(packed, size_B);
	if (data_B > LARGEST_B)
		return false;
	void *room = bytes_extend_unset(data, (size_t)data_B);
	if (!room)
		return false;
	if (ZSTD_decompress(room, (size_t)data_B, packed, size_B) == data_B)
		return true;
	shorten(data, (size_t)data_B);
	return false;
}
