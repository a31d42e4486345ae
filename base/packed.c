#include "config.h"

#include "base/packed.h"

#include "base/pack.h"

#include <stdlib.h>

static void unpacked_destroy(struct bytes *bytes)
{
	if (bytes)
		bytes_finish(bytes);
	free(bytes);
}

const struct bytes *packed_bytes_open(struct packed_bytes *packed)
{
	struct bytes *none = NULL;
	struct bytes *open = atomic_load_explicit(&packed->unpacked, memory_order_acquire);
	if (!packed->packed || open)
		return open ? open : &packed->bytes;
	open = calloc(1, sizeof(*open));
	const bool whole = open && unpack(packed->bytes.data, packed->bytes.size_B, open);
	if (whole && atomic_compare_exchange_strong(&packed->unpacked, &none, open))
		return open;
	/* Unpacking has failed, or another thread was faster. */
	unpacked_destroy(open);
	return none;
}

void packed_bytes_finish(struct packed_bytes *packed)
{
	unpacked_destroy(atomic_load_explicit(&packed->unpacked, memory_order_relaxed));
	bytes_finish(&packed->bytes);
}
