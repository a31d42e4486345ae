#include "config.h"

#include "base/checksum.h"

#include <string.h>

/* xxHash is compiled into this file only: it needs no library and leaves no symbols. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct checksum checksum_of(const void *data, size_t size_B)
{
	struct checksum checksum;
	XXH128_canonical_t bytes;
	/* The canonical form, big-endian, is the same on all machines. */
	XXH128_canonicalFromHash(&bytes, XXH3_128bits(data, size_B));
	memcpy(checksum.bytes, bytes.digest, CHECKSUM_B);
	return checksum;
}
